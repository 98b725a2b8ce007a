//! Splits the text of an expression into tokens.

use std::ops::Range;

use super::ExpressionError;

/// A part of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'t> {
    /// A word: part of a name, a function or a keyword.
    Name(&'t str),
    Whole(i128),
    Float(f64),
    /// One of [`SIGNS`].
    Sign(&'static str),
}

/// The operators and punctuation marks; of two with the same beginning, the longer one is first.
const SIGNS: [&str; 17] = ["//", "==", "!=", ">=", "<=", "+", "-", "*", "/", "%", ".", ",", "=", ">", "<", "(", ")"];

/// The tokens of a text with their places in it, in bytes.
///
/// # Errors
/// If a number is not valid, or a character is not an operator.
pub fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_ascii_digit() {
            number(rest)?
        } else if is_start_of_name(first) {
            let length = rest.find(|c: char| !(is_start_of_name(c) || c.is_ascii_digit())).unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or_else(|| ExpressionError::Syntax("unexpected character".into()))?;
            (Token::Sign(sign), sign.len())
        };
        let start = text.len() - rest.len();
        tokens.push((token, start..start + length));
        rest = rest[length..].trim_start_matches(' ');
    }
    Ok(tokens)
}

fn is_start_of_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic()
}

/// The part of a number to which a character belongs.
#[derive(Clone, Copy)]
enum Part {
    /// Digits of a number that begins with `0b`, `0o` or `0x`.
    Radix,
    Whole,
    Fraction,
    /// The letter `e`.
    Letter,
    Exponent,
}

/// The number at the start of a text, and its length.
fn number(text: &str) -> Result<(Token<'_>, usize), ExpressionError> {
    let (radix, prefix) = match text.get(..2) {
        Some("0b" | "0B") => (2, 2),
        Some("0o" | "0O") => (8, 2),
        Some("0x" | "0X") => (16, 2),
        _ => (10, 0),
    };
    let digits = &text[prefix..];
    let mut part = if radix == 10 { Part::Whole } else { Part::Radix };
    let mut length = 0;
    for (place, byte) in digits.bytes().enumerate() {
        part = match (byte, part) {
            (b'.', Part::Whole) if is_fraction(&digits[place + 1..]) => Part::Fraction,
            (b'e' | b'E', Part::Whole | Part::Fraction) => Part::Letter,
            (b'+' | b'-' | b'0'..=b'9', Part::Letter) => Part::Exponent,
            (b'0'..=b'9' | b'_', part) => part,
            (b'a'..=b'f' | b'A'..=b'F', Part::Radix) if radix == 16 => part,
            _ => break,
        };
        length = place + 1;
    }
    let digits = &digits[..length];
    if digits.ends_with('_') {
        return Err(ExpressionError::Syntax("'_' may not occur at end of number".into()));
    }
    let digits = digits.replace('_', "");
    let token = match part {
        Part::Radix | Part::Whole => i128::from_str_radix(&digits, radix).map(Token::Whole).map_err(|_| "integer"),
        Part::Fraction | Part::Letter | Part::Exponent => digits.parse().map(Token::Float).map_err(|_| "float"),
    };
    let token = token.map_err(|kind| ExpressionError::Syntax(format!("invalid {kind}")))?;
    Ok((token, prefix + length))
}

/// Whether a dot before this text is a decimal point: no name follows.
fn is_fraction(after: &str) -> bool {
    let has_exponent = matches!(after.as_bytes(), [b'e' | b'E', b'+' | b'-' | b'0'..=b'9', ..]);
    has_exponent || !after.starts_with(is_start_of_name)
}
