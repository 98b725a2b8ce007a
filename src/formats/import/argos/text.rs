//! The text of experiments: what ARGoS's parser accepts and XML does not, and values in attributes.

use std::borrow::Cow;

use bevy::math::DVec3;
use swarmarium_base::problem::Problem;

const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

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

/// Three numbers with commas. A height that is left out is zero.
pub fn vector(text: &str) -> Option<DVec3> {
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
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
