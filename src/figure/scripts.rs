//! Lowered and raised letters in labels, and letters that the fonts lack.

use skrifa::GlyphId;
use swarmarium_picture::fonts::Fonts;

/// The start of lowered letters, the start of raised ones, and the end of either: code points that no text has.
const LOWERED: char = '\u{FDD0}';
const RAISED: char = '\u{FDD1}';
const END: char = '\u{FDD2}';
/// The size of these letters, as a part of that of the text.
const SCALE: f64 = 0.72;
/// The height of their baselines above that of the text, as a part of its size.
const LOWERED_BY: f64 = -0.18;
const RAISED_BY: f64 = 0.36;

/// A part of a text on one baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run<'a> {
    pub text: &'a str,
    /// The size of the letters, as a part of that of the text.
    pub scale: f64,
    /// The height of the baseline above that of the text, as a part of its size.
    pub rise: f64,
}

/// Whether a character is a mark of this module, which takes no room.
pub fn is_mark(letter: char) -> bool {
    matches!(letter, LOWERED | RAISED | END)
}

/// A label with marks in place of `_` and `^` for lowered and raised letters: `v_a`, `v_{max}` and `s^2`.
///
/// Braces always work. Without them, the mark stands between a symbol of one letter and one letter or digit, so that names
/// such as `range_m` and `x_m_per_s` stay as they are.
pub fn marked(label: &str) -> String {
    let letters: Vec<char> = label.chars().collect();
    let mut marked = String::with_capacity(label.len());
    let (mut at, mut is_after_script) = (0, false);
    while at < letters.len() {
        let mark = match letters[at] {
            '_' => Some(LOWERED),
            '^' => Some(RAISED),
            _ => None,
        };
        let script = mark.and_then(|mark| Some((mark, script_after(&letters, at, is_after_script)?)));
        is_after_script = script.is_some();
        match script {
            Some((mark, [from, to, next])) => {
                marked.push(mark);
                marked.extend(&letters[from..to]);
                marked.push(END);
                at = next;
            }
            None => {
                marked.push(letters[at]);
                at += 1;
            }
        }
    }
    marked
}

/// The start and the end of the letters that a mark at a place lowers or raises, and the place after them.
fn script_after(letters: &[char], at: usize, is_after_script: bool) -> Option<[usize; 3]> {
    let base = letters.get(at.checked_sub(1)?).filter(|base| !base.is_whitespace())?;
    if letters.get(at + 1) == Some(&'{') {
        let length = letters[at + 2..].iter().position(|letter| *letter == '}').filter(|length| *length > 0)?;
        return Some([at + 2, at + 2 + length, at + 3 + length]);
    }
    let is_word = |place: usize| letters.get(place).is_some_and(|letter| letter.is_alphanumeric() || *letter == '_');
    // `Δr_o` has a symbol of one letter, too.
    let is_change = |place: usize| matches!(letters.get(place), Some('Δ' | 'δ' | '∂'));
    let is_first = at.checked_sub(2).is_none_or(|before| !is_word(before) || is_change(before));
    let is_symbol = is_after_script || base.is_alphanumeric() && is_first;
    let is_single = letters.get(at + 1).is_some_and(|letter| letter.is_alphanumeric()) && !is_word(at + 2);
    (is_symbol && is_single).then_some([at + 1, at + 2, at + 2])
}

/// A letter of a text with marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    pub letter: char,
    /// The mark that lowers or raises it.
    mark: Option<char>,
}

impl From<char> for Letter {
    fn from(letter: char) -> Self {
        Self { letter, mark: None }
    }
}

/// The letters of a text with marks, so that it can be cut anywhere.
pub fn letters(text: &str) -> Vec<Letter> {
    let mut open = None;
    let letter = |letter: char| {
        match letter {
            LOWERED | RAISED => open = Some(letter),
            END => open = None,
            letter => return Some(Letter { letter, mark: open }),
        }
        None
    };
    text.chars().filter_map(letter).collect()
}

/// The text of some letters, with the marks that they need.
pub fn with_marks(letters: &[Letter]) -> String {
    let of_one_height = letters.chunk_by(|one, other| one.mark == other.mark);
    let text = |run: &[Letter]| {
        let mark = run.first().and_then(|letter| letter.mark);
        let end = mark.map(|_| END);
        mark.into_iter().chain(run.iter().map(|letter| letter.letter)).chain(end).collect::<String>()
    };
    of_one_height.map(text).collect()
}

/// The parts of a text with marks; `None` for a text without any.
pub fn runs(text: &str) -> Option<Vec<Run<'_>>> {
    if !text.contains(is_mark) {
        return None;
    }
    let mut runs = Vec::new();
    let (mut from, mut scale, mut rise) = (0, 1.0, 0.0);
    let ends = text.char_indices().filter(|(_, letter)| is_mark(*letter)).map(|(at, letter)| (at, Some(letter)));
    for (at, mark) in ends.chain([(text.len(), None)]) {
        if from < at {
            runs.push(Run { text: &text[from..at], scale, rise });
        }
        (scale, rise) = match mark {
            Some(LOWERED) => (SCALE, LOWERED_BY),
            Some(RAISED) => (SCALE, RAISED_BY),
            _ => (1.0, 0.0),
        };
        from = at + mark.map_or(0, char::len_utf8);
    }
    Some(runs)
}

/// The first letter of a text that the fonts of figures lack: files have a box in its place.
pub fn missing_letter(text: &str) -> Option<char> {
    let fonts = Fonts::default();
    let is_missing = |letter: &char| fonts.glyph(*letter).is_none_or(|glyph| glyph.id == GlyphId::NOTDEF);
    text.chars().filter(|letter| !is_mark(*letter)).find(is_missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs of a label, with `_` before lowered ones and `^` before raised ones.
    fn parts(label: &str) -> String {
        let marked = marked(label);
        let Some(runs) = runs(&marked) else { return marked };
        let part = |run: &Run| match run.rise {
            rise if rise > 0.0 => format!("<^{}>", run.text),
            rise if rise < 0.0 => format!("<_{}>", run.text),
            _ => run.text.to_owned(),
        };
        runs.iter().map(part).collect()
    }

    #[test]
    fn symbols_have_lowered_and_raised_letters() {
        for (label, expected) in [
            ("Order v_a", "Order v<_a>"),
            ("v_{max} (m/s^2)", "v<_max> (m/s<^2>)"),
            ("v_a^2", "v<_a><^2>"),
            ("10^{-6}", "10<^-6>"),
            ("r_r + d (m)", "r<_r> + d (m)"),
            ("r_r + Δr_o", "r<_r> + Δr<_o>"),
            // Names of columns and of values stay as they are.
            ("range_m", "range_m"),
            ("x_m_per_s", "x_m_per_s"),
            ("v_max", "v_max"),
            ("_a", "_a"),
            ("a _b", "a _b"),
            ("x_{}", "x_{}"),
            ("x_{a", "x_{a"),
            ("", ""),
        ] {
            assert_eq!(parts(label), expected);
        }
    }

    #[test]
    fn texts_can_be_cut_between_letters() {
        let text = marked("v_{max}^2 (m)");
        assert_eq!(with_marks(&letters(&text)), text);
        let parts = letters(&text);
        let [start, end] = [&parts[..3], &parts[3..]].map(with_marks);
        let parts = |text: &str| runs(text).unwrap().iter().map(|run| run.text.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            (parts(&start), parts(&end)),
            (vec!["v".into(), "ma".into()], vec!["x".into(), "2".into(), " (m)".into()])
        );
        assert_eq!(runs("plain"), None);
    }

    #[test]
    fn letters_that_the_fonts_lack_are_found() {
        assert_eq!(missing_letter("Order vₐ"), Some('ₐ'));
        assert_eq!(missing_letter("v∥ and 群"), Some('∥'));
        assert_eq!(missing_letter("群れ"), Some('群'));
        assert_eq!(missing_letter("Turn rate (rad/s²), θ ± 10⁻⁶ µm"), None);
        assert_eq!(missing_letter(&marked("Order v_a")), None);
    }
}
