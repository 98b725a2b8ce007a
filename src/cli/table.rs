//! Texts in columns, for people to read.

use std::io::{self, Write};

/// The least width of a column that folds.
const LEAST_WIDTH: usize = 32;

/// Writes a text with an indent, folded to a width.
pub fn write_folded(out: &mut impl Write, indent: &str, text: &str, width: Option<usize>) -> io::Result<()> {
    let width = width.map_or(usize::MAX, |width| width.saturating_sub(indent.len()).max(LEAST_WIDTH));
    text.lines().flat_map(|line| folded(line, width)).try_for_each(|line| writeln!(out, "{indent}{line}"))
}

/// The words of a line in lines of at most this many characters; longer words stay whole.
fn folded(line: &str, width: usize) -> Vec<String> {
    if line.chars().count() <= width {
        return vec![line.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Writes aligned columns; the last column may have several lines. With a width, its lines fold; if it would be narrow, it
/// follows below the others.
pub fn write_table<R: AsRef<[String]>>(
    out: &mut impl Write,
    indent: &str,
    rows: &[R],
    most: Option<usize>,
) -> io::Result<()> {
    let Some(columns) = rows.first().map(|row| row.as_ref().len()).filter(|columns| *columns > 0) else {
        return Ok(());
    };
    let width = |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let before: usize = widths[..columns - 1].iter().map(|width| width + 2).sum();
    let room = most.map(|most| most.saturating_sub(indent.len() + before));
    if let (Some(most), Some(..LEAST_WIDTH)) = (most, room) {
        return rows.iter().try_for_each(|row| write_stacked(out, indent, row.as_ref(), (widths[0], most)));
    }
    for row in rows {
        let mut row = row.as_ref().to_vec();
        if let (Some(room), Some(last)) = (room, row.last_mut()) {
            *last = last.lines().flat_map(|line| folded(line, room)).collect::<Vec<_>>().join("\n");
        }
        let line: String = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}  ")).collect();
        let line = line.trim_end().replace('\n', &format!("\n{indent}{:before$}", ""));
        writeln!(out, "{indent}{line}")?;
    }
    Ok(())
}

/// Rows as text with columns below each other, without a line break at its end.
pub fn table_text(rows: &[Vec<String>]) -> String {
    let mut text = Vec::new();
    let written = write_table(&mut text, "", rows, None);
    debug_assert!(written.is_ok(), "memory can always be written");
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// Writes a row in a width that has no room for its columns: the last cell follows below the others.
fn write_stacked(out: &mut impl Write, indent: &str, row: &[String], (first, most): (usize, usize)) -> io::Result<()> {
    let [name, cells @ .., last] = row else { return Ok(()) };
    let (cells, below) = (cells.join("  "), format!("{indent}    "));
    let room = most.saturating_sub(indent.len() + first + 2).max(LEAST_WIDTH);
    for (place, line) in folded(cells.trim_end(), room).into_iter().enumerate() {
        let name = if place == 0 { name.as_str() } else { "" };
        let line = format!("{indent}{name:first$}  {line}");
        writeln!(out, "{}", line.trim_end())?;
    }
    match last.is_empty() {
        true => Ok(()),
        false => write_folded(out, &below, last, Some(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "bbb", "c"], ["aaaé", "b", ""]].map(|row| row.map(str::to_owned));
        let mut text = Vec::new();
        write_table(&mut text, " ", &rows, None).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), " a     bbb  c\n aaaé  b\n");
        let mut text = Vec::new();
        write_table(&mut text, " ", &[["a", "one\ntwo"].map(str::to_owned)], None).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), " a  one\n    two\n");
    }

    #[test]
    fn tables_fold_to_a_width() {
        let about = "A text of some words that is longer than the line";
        let folded = |name: &str, width| {
            let mut text = Vec::new();
            write_table(&mut text, " ", &[[name, about].map(str::to_owned)], Some(width)).unwrap();
            String::from_utf8(text).unwrap()
        };
        let long = "a_name_of_some_length";
        assert_eq!(folded("a", 40), " a  A text of some words that is longer\n    than the line\n");
        assert_eq!(
            folded(long, 40),
            " a_name_of_some_length\n     A text of some words that is longer\n     than the line\n"
        );
    }
}
