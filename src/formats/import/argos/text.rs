//! The text of experiments: what ARGoS's parser accepts and XML does not, and values in attributes.

use std::borrow::Cow;
use std::ops::Range;

use bevy::math::DVec3;
use swarmarium_base::problem::Problem;

const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// The text with quotes around values of attributes that have none, as ARGoS's parser allows. No line is added.
pub fn with_quotes(text: &str) -> Cow<'_, str> {
    let mut quoted: Option<String> = None;
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = text[at..].find('<') {
        at += found;
        let rest = &text[at..];
        let marks = [(OPEN, CLOSE), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
        if let Some((_, close)) = marks.iter().find(|(open, _)| rest.starts_with(open)) {
            at += rest.find(close).map_or(rest.len(), |end| end + close.len());
            continue;
        }
        let (values, length) = values_without_quotes(rest);
        for value in values {
            let quoted = quoted.get_or_insert_default();
            quoted.push_str(&text[copied..at + value.start]);
            copied = at + value.end;
            quoted.extend(["\"", &text[at + value.start..copied], "\""]);
        }
        at += length;
    }
    match quoted {
        None => Cow::Borrowed(text),
        Some(quoted) => Cow::Owned(quoted + &text[copied..]),
    }
}

/// The values without quotes in the tag at the start of a text, and the length of the tag.
fn values_without_quotes(text: &str) -> (Vec<Range<usize>>, usize) {
    let (bytes, mut values) = (text.as_bytes(), Vec::new());
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'<' => return (values, at - 1),
            b'>' => return (values, at),
            b'"' | b'\'' => {
                at = bytes[at..].iter().position(|other| other == byte).map_or(bytes.len(), |length| at + length + 1);
            }
            b'=' => {
                let length = |is_part: fn(&u8) -> bool, from: usize| {
                    bytes[from..].iter().take_while(|byte| is_part(byte)).count()
                };
                let start = at + length(u8::is_ascii_whitespace, at);
                // ARGoS refuses a value with a quote inside.
                let end = start + length(|byte| !byte.is_ascii_whitespace() && !b"/><\"'".contains(byte), start);
                if end > start && !bytes.get(end).is_some_and(|next| b"\"'".contains(next)) {
                    values.push(start..end);
                }
                at = end;
            }
            _ => {}
        }
    }
    (values, bytes.len())
}

/// The text with blanks in place of a declaration of XML that follows blank lines, which ARGoS's parser passes over.
pub fn without_late_declaration(text: &str) -> Cow<'_, str> {
    let start = text.len() - text.trim_start().len();
    match text[start..].find("?>") {
        Some(length) if start > 0 && text[start..].starts_with("<?xml") => {
            let end = start + length + "?>".len();
            let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
            let blanks: String = text[start..end].bytes().map(blank).collect();
            Cow::Owned([&text[..start], &blanks, &text[end..]].concat())
        }
        _ => Cow::Borrowed(text),
    }
}

/// The text with blanks in place of comments that XML does not allow: ARGoS's parser ends a comment at `-->` only, so that
/// files have comments with `--` inside. Places stay as they are.
pub fn without_comments(text: &str) -> Cow<'_, str> {
    let mut cleaned: Option<String> = None;
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = text[at..].find(OPEN) {
        let start = at + found;
        let Some(length) = text[start + OPEN.len()..].find(CLOSE) else { break };
        let inside = start + OPEN.len()..start + OPEN.len() + length;
        let content = &text[inside.clone()];
        if content.contains("--") || content.ends_with('-') {
            let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
            let cleaned = cleaned.get_or_insert_default();
            cleaned.push_str(&text[copied..inside.start]);
            cleaned.extend(content.bytes().map(blank));
            copied = inside.end;
        }
        at = inside.end + CLOSE.len();
    }
    match cleaned {
        None => Cow::Borrowed(text),
        Some(cleaned) => Cow::Owned(cleaned + &text[copied..]),
    }
}

/// A problem with the XML, with the reason that is likely for its line.
pub fn explained(problem: Problem, text: &str) -> Problem {
    let line = problem.place.and_then(|place| text.lines().nth(place.line.saturating_sub(1))).unwrap_or_default();
    let is_mark = |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let mut parts = line.split('&').skip(1);
    let reason = if parts.any(is_mark) {
        "; this is a template: fill in its marks first"
    } else if line.contains("<!") && !line.contains("<!--") {
        "; a comment begins with `<!--` and ends with `-->`"
    } else {
        "; ARGoS reads XML"
    };
    Problem { message: format!("{}{reason}", problem.message), ..problem }
}

/// A finite number.
pub fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether one of three numbers with commas is missing.
pub fn has_gap(text: &str) -> bool {
    let parts = || text.split(',').map(str::trim);
    parts().count() == 3 && parts().any(str::is_empty)
}

/// Three numbers with commas. A height that is left out is zero, and so is a missing one of three numbers.
pub fn vector(text: &str) -> Option<DVec3> {
    let has_gap = has_gap(text);
    let part = |part: &str| if has_gap && part.trim().is_empty() { Some(0.0) } else { number(part) };
    let numbers: Option<Vec<f64>> = text.split(',').map(part).collect();
    match numbers?[..] {
        [x, y] => Some(DVec3::new(x, y, 0.0)),
        [x, y, z] => Some(DVec3::new(x, y, z)),
        _ => None,
    }
}

/// Words of ARGoS for true and false.
pub fn flag(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}
