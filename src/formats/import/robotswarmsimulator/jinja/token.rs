//! The tokens of expressions.

use std::fmt;

use super::SyntaxError;

/// The most tokens of an expression.
const MAX_TOKENS: usize = 400;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(String),
    Text(String),
    Word(String),
    Sign(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Number(text) | Self::Word(text) => write!(f, "`{text}`"),
            Self::Text(text) => write!(f, "`'{text}'`"),
            Self::Sign(sign) => write!(f, "`{sign}`"),
        }
    }
}

const SIGNS: [&str; 25] = [
    "**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "~", "(", ")", "[", "]", "{", "}", ",", ".",
    "|", ":", "=",
];

/// Whether a character can stand in a name.
pub(super) fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Splits an expression into tokens.
///
/// # Errors
/// When a number or a text is malformed, a character is unknown, or the expression is too long.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if tokens.len() == MAX_TOKENS {
            return Err(SyntaxError::TooLong);
        }
        let length = if first.is_ascii_digit() {
            let mut before = ' ';
            let fits = |c: char| {
                let fits = is_in_name(c) || c == '.' || (matches!(c, '+' | '-') && matches!(before, 'e' | 'E'));
                before = c;
                !fits
            };
            let length = rest.find(fits).unwrap_or(rest.len());
            let number = rest[..length].replace('_', "");
            if number.parse::<f64>().is_err() {
                return Err(SyntaxError::Number(number));
            }
            tokens.push(Token::Number(number));
            length
        } else if is_in_name(first) {
            let length = rest.find(|c: char| !is_in_name(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..length].to_owned()));
            length
        } else if matches!(first, '\'' | '"') {
            let inside = &rest[1..];
            let end = inside.find(first).ok_or(SyntaxError::UnclosedText)?;
            tokens.push(Token::Text(inside[..end].to_owned()));
            end + 2
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| SyntaxError::Unexpected(format!("`{}`", first.escape_default())))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}
