//! The line of a file that a message is about, with a mark below its place.

use std::path::Path;

use swarmarium_base::problem::Place;
use swarmarium_scene::scene::{reader, shipped};

use super::json::ScriptPlace;

/// The largest number of characters of a line that are shown.
const WIDTH: usize = 100;
/// The number of characters that are shown before the place in a longer line.
const BEFORE: usize = 50;

/// The line of a file, or of a scene that comes with the program, with a mark below the place; `None` if it cannot be read.
pub(super) fn of_file(name: &str, place: Place) -> Option<String> {
    let path = Path::new(name);
    match shipped::get(name).filter(|_| !path.is_file()) {
        Some(text) => of_text(text, place),
        None => of_text(&reader::read_text(path).ok()?, place),
    }
}

/// The line of a script of a scene, with a mark below its first letter; `None` if it cannot be read.
pub(super) fn of_script(scene: &str, ScriptPlace { file, line }: &ScriptPlace) -> Option<String> {
    let beside = Path::new(scene).parent()?.join(file);
    let path = if beside.is_file() { beside } else { Path::new(file).to_owned() };
    let text = reader::read_text(&path).ok()?;
    let blanks = text.lines().nth(line.checked_sub(1)?)?.chars().take_while(|c| c.is_whitespace()).count();
    of_text(&text, Place { line: *line, column: blanks + 1 })
}

/// The line of a text with a mark below the place, such as
///
/// ```text
///   3 |   seed: -1,
///     |         ^
/// ```
fn of_text(text: &str, Place { line, column }: Place) -> Option<String> {
    // A tab is as wide as the space in its place.
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let shown: Vec<char> = text.lines().nth(line.checked_sub(1)?)?.chars().map(visible).collect();
    let at = column.checked_sub(1).filter(|at| *at <= shown.len())?;
    let first = if shown.len() > WIDTH { at.saturating_sub(BEFORE) } else { 0 };
    let end = shown.len().min(first + WIDTH);
    let (head, tail) = (if first > 0 { "…" } else { "" }, if end < shown.len() { "…" } else { "" });
    let part: String = shown[first..end].iter().collect();
    let number = line.to_string();
    let (margin, gap) = (" ".repeat(number.len()), " ".repeat(at - first + head.chars().count()));
    Some(format!("  {number} | {head}{}{tail}\n  {margin} | {gap}^", part.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_marked_below_their_lines() {
        let place = |line, column| Place { line, column };
        let text = "(\n\tseed: -1,\n)";
        assert_eq!(of_text(text, place(2, 8)).unwrap(), "  2 |  seed: -1,\n    |        ^");
        // The end of a line, and places beyond it.
        assert_eq!(of_text(text, place(3, 2)).unwrap(), "  3 | )\n    |  ^");
        assert_eq!(
            [of_text(text, place(3, 3)), of_text(text, place(4, 1)), of_text(text, place(0, 0))],
            [None, None, None]
        );
        let long = format!("{}x{}", "a".repeat(200), "b".repeat(200));
        let marked = of_text(&long, place(1, 201)).unwrap();
        let (line, mark) = marked.split_once('\n').unwrap();
        assert!(line.contains("…a") && line.ends_with("b…"), "{marked}");
        let column = mark.chars().position(|c| c == '^').unwrap();
        assert_eq!(line.chars().nth(column), Some('x'), "{marked}");
        assert!(of_file("milling", place(1, 1)).is_some() && of_file("no such file", place(1, 1)).is_none());
    }
}
