//! Colours of the parts of a script.

use std::collections::BTreeSet;
use std::ops::Range;

use bevy_egui::egui::text::LayoutJob;
use bevy_egui::egui::{Color32, FontId, TextFormat};
use swarmarium_lab_state::common::theme::{self, CodePart};
use swarmarium_picture::palette::{Role, Theme};
use swarmarium_script::api;

/// Words that begin statements, like the reserved ones.
const MORE_KEYWORDS: [&str; 2] = ["continue", "export"];

/// The tables of a script whose fields are the names that it declares.
const DECLARATIONS: [&str; 2] = ["parameters", "state"];

/// A part of a text, as a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    part: Option<CodePart>,
    range: Range<usize>,
}

/// The layout of a text with its colours, kept until the text or the theme changes.
#[derive(Default)]
pub struct Highlighter {
    key: Option<(String, Theme)>,
    job: LayoutJob,
}

impl Highlighter {
    /// Returns the layout of a text. Lines do not wrap.
    pub fn job(&mut self, text: &str, theme: Theme, font: &FontId) -> LayoutJob {
        if self.key.as_ref().is_none_or(|(known, of)| known != text || *of != theme) {
            self.key = Some((text.into(), theme));
            self.job = job(text, theme, font);
        }
        self.job.clone()
    }
}

fn job(text: &str, theme: Theme, font: &FontId) -> LayoutJob {
    let mut job = LayoutJob::default();
    for Token { part, range } in tokens(text) {
        let color: Color32 = part.map_or(theme::color(theme, Role::Text), |part| theme::code(theme, part));
        job.append(&text[range], 0.0, TextFormat::simple(font.clone(), color));
    }
    job.wrap.max_width = f32::INFINITY;
    job
}

/// Returns the parts of a text, which cover it without gaps.
fn tokens(text: &str) -> Vec<Token> {
    let declared = declared(text);
    let color = |Token { part, range }: Token| {
        let part = match (part, &text[range.clone()]) {
            (Some(CodePart::Name), word) if api::KEYWORDS.contains(&word) || MORE_KEYWORDS.contains(&word) => {
                Some(CodePart::Keyword)
            }
            (Some(CodePart::Name), word) if declared.contains(word) => Some(CodePart::Declared),
            (Some(CodePart::Name), word) if api::is_known(word) => Some(CodePart::Library),
            (Some(CodePart::Name), _) => None,
            (part, _) => part,
        };
        Token { part, range }
    };
    scan(text).into_iter().map(color).collect()
}

/// Returns the names that a script declares: the fields of its tables `parameters` and `state`.
fn declared(text: &str) -> BTreeSet<&str> {
    let is_space = |token: &Token| text[token.range.clone()].trim().is_empty() || token.part == Some(CodePart::Comment);
    let words: Vec<&str> =
        scan(text).into_iter().filter(|token| !is_space(token)).map(|token| &text[token.range]).collect();
    let mut declared = BTreeSet::new();
    let mut depth = 0_usize;
    let mut within = false;
    for (place, word) in words.iter().enumerate() {
        match *word {
            "{" => {
                let is_declaration =
                    place >= 2 && words[place - 1] == "=" && DECLARATIONS.contains(&words[place - 2]) && depth == 0;
                within |= is_declaration;
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                within &= depth > 0;
            }
            word if within && depth == 1 && words.get(place + 1) == Some(&"=") => {
                declared.insert(word);
            }
            _ => {}
        }
    }
    declared
}

/// Splits a text into comments, strings, numbers, names and single other characters.
fn scan(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (part, len) = if let Some(comment) = rest.strip_prefix("--") {
            let len = long_bracket(comment).map_or_else(|| rest.find('\n').unwrap_or(rest.len()), |len| len + 2);
            (Some(CodePart::Comment), len)
        } else if let Some(len) = long_bracket(rest) {
            (Some(CodePart::String), len)
        } else if matches!(c, '"' | '\'' | '`') {
            (Some(CodePart::String), quoted(rest, c))
        } else if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            (Some(CodePart::Number), number(rest))
        } else if is_part(c) {
            (Some(CodePart::Name), rest.find(|c| !is_part(c)).unwrap_or(rest.len()))
        } else if c.is_whitespace() {
            (None, rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()))
        } else {
            (None, c.len_utf8())
        };
        tokens.push(Token { part, range: at..at + len });
        at += len;
    }
    tokens
}

/// Returns the length of a text in long brackets, such as `[[a]]` or `[==[a]==]`, at the start of a text.
fn long_bracket(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let level = inner.len() - inner.trim_start_matches('=').len();
    inner[level..].strip_prefix('[')?;
    let close = format!("]{}]", "=".repeat(level));
    Some(text.find(&close).map_or(text.len(), |at| at + close.len()))
}

/// Returns the length of a quoted text at the start of a text; it ends at the end of its line if nothing closes it.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if std::mem::take(&mut is_escaped) => {}
            '\\' => is_escaped = true,
            '\n' if quote != '`' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a number at the start of a text.
fn number(text: &str) -> usize {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    let ends = |c: char| {
        let is_sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !is_hexadecimal;
        let goes_on = c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || is_sign;
        before = c;
        !goes_on
    };
    // Two dots join texts.
    let end = text.find(ends).unwrap_or(text.len());
    text[..end].find("..").unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(CodePart, &str)> {
        let tokens = tokens(text);
        let whole: String = tokens.iter().map(|token| &text[token.range.clone()]).collect();
        assert_eq!(whole, text, "no part is lost");
        tokens.into_iter().filter_map(|token| Some((token.part?, &text[token.range]))).collect()
    }

    #[test]
    fn parts_of_scripts_are_told_apart() {
        use CodePart::{Comment, Declared, Keyword, Library, Number, String};
        let text = "-- é\nparameters = { turn = { 0.6, doc = 'it\\'s' } }\nreturn self.turn + 1e-3..[[\n]] -- end";
        let expected = [
            (Comment, "-- é"),
            (Library, "parameters"),
            (Declared, "turn"),
            (Number, "0.6"),
            (String, "'it\\'s'"),
            (Keyword, "return"),
            (Library, "self"),
            (Declared, "turn"),
            (Number, "1e-3"),
            (String, "[[\n]]"),
            (Comment, "-- end"),
        ];
        assert_eq!(parts(text), expected);
    }

    #[test]
    fn unfinished_scripts_have_parts_too() {
        for text in ["--[[ a", "'a", "\"a\nend", "[==[ a ]=]", "state = {", "0x", "1..", "`a {b}", "}", "\\", "=é"] {
            parts(text);
        }
        assert_eq!(parts("'a\nend"), [(CodePart::String, "'a"), (CodePart::Keyword, "end")]);
    }
}
