//! The tokens of expressions.

use std::fmt;

use super::SyntaxError;

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

const SIGNS: [&str; 33] = [
    "...", "**", "//", "==", "!=", "<=", ">=", "<<", ">>", ":=", "->", "<", ">", "+", "-", "*", "/", "%", "~", "(",
    ")", "[", "]", "{", "}", ",", ".", "|", "&", "^", "@", ":", "=",
];

/// The words after which a value begins.
const KEYWORDS: [&str; 8] = ["if", "else", "and", "or", "not", "in", "is", "for"];

/// Whether a character can stand in a name.
pub fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits an expression into at most so many tokens.
///
/// # Errors
/// When a number or a text is malformed, a character is unknown, or the expression is too long.
pub(super) fn tokens(text: &str, most: usize) -> Result<Vec<Token>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if tokens.len() == most {
            return Err(SyntaxError::TooLong);
        }
        let is_fraction = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        // After a dot, digits are an index: `a.0`.
        let follows_value = match tokens.last() {
            Some(Token::Word(word)) => !KEYWORDS.contains(&word.as_str()),
            Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "}"),
            last => last.is_some(),
        };
        let length = if first.is_ascii_digit() || (is_fraction && !follows_value) {
            let length = number_length(rest, matches!(tokens.last(), Some(Token::Sign("."))));
            tokens.push(Token::Number(number(&rest[..length])?));
            length
        } else if is_in_name(first) {
            let length = rest.find(|c: char| !is_in_name(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..length].to_owned()));
            length
        } else if matches!(first, '\'' | '"') {
            let (text, length) = quoted(rest, first)?;
            tokens.push(Token::Text(text));
            length
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

/// The length of the number that a text begins with.
fn number_length(text: &str, is_index: bool) -> usize {
    let has_base = text.get(..2).and_then(base).is_some();
    let mut before = ' ';
    let ends = |c: char| {
        let in_exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !has_base;
        before = c;
        !(is_in_name(c) || (c == '.' && !is_index) || in_exponent)
    };
    text.find(ends).unwrap_or(text.len())
}

/// A number in decimal digits: `0x1F` becomes `31`.
fn number(text: &str) -> Result<String, SyntaxError> {
    let digits = text.replace('_', "");
    let wrong = || SyntaxError::Number(text.to_owned());
    if let Some(base) = digits.get(..2).and_then(base) {
        return i128::from_str_radix(&digits[2..], base).map(|number| number.to_string()).map_err(|_| wrong());
    }
    // Python refuses `017`, which looks like an old octal number.
    let is_whole = digits.bytes().all(|c| c.is_ascii_digit());
    let is_octal = is_whole && digits.starts_with('0') && digits.bytes().any(|c| c != b'0');
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.parse::<f64>().is_ok();
    if is_number && !is_octal { Ok(digits) } else { Err(wrong()) }
}

/// The base that a prefix such as `0x` announces.
fn base(prefix: &str) -> Option<u32> {
    match prefix {
        "0x" | "0X" => Some(16),
        "0o" | "0O" => Some(8),
        "0b" | "0B" => Some(2),
        _ => None,
    }
}

/// The text in quotes that another text begins with, and its length with the quotes.
fn quoted(text: &str, quote: char) -> Result<(String, usize), SyntaxError> {
    let mut result = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            c if c == quote => return Ok((result, at + 1)),
            '\\' => {
                let (_, escaped) = characters.next().ok_or(SyntaxError::UnclosedText)?;
                let digits = match escaped {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                match escaped {
                    '\n' => {}
                    'n' => result.push('\n'),
                    't' => result.push('\t'),
                    'r' => result.push('\r'),
                    '0' => result.push('\0'),
                    '\\' | '\'' | '"' => result.push(escaped),
                    _ if digits > 0 => {
                        let code: String = characters.by_ref().take(digits).map(|(_, c)| c).collect();
                        let code = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                        result.push(code.ok_or(SyntaxError::UnclosedText)?);
                    }
                    // An unknown escape sequence stands as it is.
                    other => result.extend(['\\', other]),
                }
            }
            c => result.push(c),
        }
    }
    Err(SyntaxError::UnclosedText)
}
