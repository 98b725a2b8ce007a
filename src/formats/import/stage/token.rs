//! Tokens of worldfiles: words, numbers, texts, parentheses and brackets.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name of a model or a property, such as `point[0]`.
    Word,
    /// A number.
    Number,
    /// A text in quotation marks, without them.
    Text,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `[`.
    OpenTuple,
    /// `]`.
    CloseTuple,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// The number of its file; 0 is the world itself.
    pub file: u32,
    /// The first byte of its text in the file.
    pub start: u32,
    /// The byte after its text.
    pub end: u32,
}

/// The place of an error in the syntax of a worldfile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TokenError {
    /// The byte offset.
    pub at: usize,
    /// The reason.
    pub message: String,
}

/// Reads the next token of a text from a byte on; `None` at the end. Blanks, line breaks and comments are skipped.
///
/// # Errors
/// When a character begins no token, or a text has no end.
pub fn next(text: &str, from: usize) -> Result<Option<(TokenKind, Range<usize>)>, TokenError> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            None => return Ok(None),
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b'#') => at += length(&bytes[at..], |byte| !matches!(byte, b'\n' | b'\r')),
            Some(_) => break,
        }
    }
    let single = |kind| Ok(Some((kind, at..at + 1)));
    match bytes[at] {
        b'(' => single(TokenKind::Open),
        b')' => single(TokenKind::Close),
        b'[' => single(TokenKind::OpenTuple),
        b']' => single(TokenKind::CloseTuple),
        b'"' => {
            let inner = length(&bytes[at + 1..], |byte| !matches!(byte, b'"' | b'\n' | b'\r'));
            let end = at + 1 + inner;
            match bytes.get(end) {
                Some(b'"') => Ok(Some((TokenKind::Text, at + 1..end))),
                _ => Err(TokenError { at, message: "the text has no closing quotation mark on its line".into() }),
            }
        }
        first if first.is_ascii_alphabetic() => {
            let is_part = |byte| matches!(byte, b'.' | b'-' | b'_' | b'[' | b']') || byte.is_ascii_alphanumeric();
            Ok(Some((TokenKind::Word, at..at + length(&bytes[at..], is_part))))
        }
        b'+' | b'-' | b'.' | b'0'..=b'9' => Ok(Some((TokenKind::Number, at..at + number_length(&bytes[at..])))),
        _ => {
            let found = text[at..].chars().next().unwrap_or_default();
            let hint = if found == ',' { ": blanks separate numbers" } else { "" };
            let message = format!("`{}` begins neither a name, a number nor a text{hint}", found.escape_debug());
            Err(TokenError { at, message })
        }
    }
}

/// The number of bytes at the start that all are as wanted.
fn length(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_wanted(*byte)).unwrap_or(bytes.len())
}

/// The length of a number, with an exponent if it has one.
fn number_length(bytes: &[u8]) -> usize {
    let is_digit = |byte: u8| matches!(byte, b'+' | b'-' | b'.') || byte.is_ascii_digit();
    let plain = length(bytes, is_digit);
    match &bytes[plain..] {
        [b'e' | b'E', b'+' | b'-', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => {
            plain + 2 + length(rest, |byte| byte.is_ascii_digit())
        }
        [b'e' | b'E', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => {
            plain + 1 + length(rest, |byte| byte.is_ascii_digit())
        }
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let (mut all, mut at) = (Vec::new(), 0);
        while let Some((_, range)) = next(text, at).unwrap() {
            all.push(&text[range.clone()]);
            at = if text[range.end..].starts_with('"') { range.end + 1 } else { range.end };
        }
        all
    }

    #[test]
    fn worldfiles_have_words_numbers_texts_and_brackets() {
        let text = "a( # comment )\r\n  pose [1 -2.5 1e-3] point[0].x \"b c\")";
        let expected = ["a", "(", "pose", "[", "1", "-2.5", "1e-3", "]", "point[0].x", "b c", ")"];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn other_characters_are_refused_with_their_place() {
        for (text, at, expected) in [
            ("pose [1, 2]", 7, "blanks separate numbers"),
            ("a \u{e9}", 2, "`é` begins neither"),
            ("name \"x\ny\"", 5, "no closing quotation mark"),
        ] {
            let (mut from, mut error) = (0, None);
            while error.is_none() {
                match next(text, from) {
                    Ok(Some((_, range))) => from = range.end,
                    Ok(None) => panic!("{text}"),
                    Err(found) => error = Some(found),
                }
            }
            let error = error.unwrap();
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
