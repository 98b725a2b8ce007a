//! The Jinja expressions of conditions and metrics, and the templates of metrics, which set variables.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::language::python::{Dialect, Parser, is_in_name};

pub use crate::language::python::{Expr, SyntaxError};

/// The deepest nesting of statements.
const MAX_DEPTH: u32 = 64;
/// The most tokens of an expression.
const MAX_TOKENS: usize = 400;

/// A statement of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `{% set name = value %}`.
    Set(String, Expr),
    /// `{% if %}` with its `{% elif %}`, and the statements of `{% else %}`.
    If(Vec<(Expr, Vec<Self>)>, Vec<Self>),
}

type Outcome<T> = Result<T, SyntaxError>;

/// Parses an expression.
///
/// # Errors
/// Describes the syntax error.
pub fn expression(text: &str) -> Outcome<Expr> {
    let mut parser = Parser::new(text, Dialect::Jinja, MAX_TOKENS)?;
    let expression = parser.tuple()?;
    parser.end()?;
    Ok(expression)
}

/// Parses the statements of a template, and skips its texts.
///
/// # Errors
/// Describes the syntax error, or names the statement that cannot be imported.
pub fn template(text: &str) -> Outcome<Vec<Statement>> {
    let mut tags = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let close = match rest.get(..2) {
            Some("{%") => "%}",
            Some("{{") => "}}",
            Some("{#") => "#}",
            _ => {
                rest = &rest[1..];
                continue;
            }
        };
        let inside = &rest[2..];
        let end = inside.find(close).ok_or_else(|| SyntaxError::UnclosedTag(rest[..2].to_owned()))?;
        if close == "%}" {
            tags.push(inside[..end].trim_matches(|c: char| matches!(c, '-' | '+') || c.is_whitespace()));
        }
        rest = &inside[end + 2..];
    }
    let mut tags = tags.into_iter().peekable();
    let statements = block(&mut tags, 0)?;
    match tags.next() {
        Some(tag) => Err(SyntaxError::WithoutIf(split(tag).0.to_owned())),
        None => Ok(statements),
    }
}

/// Splits a tag into its first word and the rest.
fn split(tag: &str) -> (&str, &str) {
    let end = tag.find(|c| !is_in_name(c)).unwrap_or(tag.len());
    (&tag[..end], tag[end..].trim())
}

/// Parses statements up to the end of the text, or to a tag of the enclosing `if`.
fn block(tags: &mut Peekable<IntoIter<&str>>, depth: u32) -> Outcome<Vec<Statement>> {
    if depth > MAX_DEPTH {
        return Err(SyntaxError::TooDeep);
    }
    let mut statements = Vec::new();
    while let Some((word, rest)) = tags.peek().map(|tag| split(tag)) {
        if matches!(word, "elif" | "else" | "endif") {
            break;
        }
        tags.next();
        match word {
            "set" => {
                let (name, value) = rest.split_once('=').ok_or(SyntaxError::BlockSet)?;
                if name.trim().is_empty() || !name.trim().chars().all(is_in_name) {
                    return Err(SyntaxError::SetTarget(name.trim().to_owned()));
                }
                statements.push(Statement::Set(name.trim().to_owned(), expression(value)?));
            }
            "if" => {
                let mut branches = vec![(expression(rest)?, block(tags, depth + 1)?)];
                let otherwise = loop {
                    match tags.next().map(split) {
                        Some(("elif", condition)) => {
                            branches.push((expression(condition)?, block(tags, depth + 1)?));
                        }
                        Some(("else", _)) => {
                            let otherwise = block(tags, depth + 1)?;
                            match tags.next().map(split) {
                                Some(("endif", _)) => break otherwise,
                                _ => return Err(SyntaxError::WithoutEndif),
                            }
                        }
                        Some(("endif", _)) => break Vec::new(),
                        _ => return Err(SyntaxError::WithoutEndif),
                    }
                };
                statements.push(Statement::If(branches, otherwise));
            }
            other => return Err(SyntaxError::Statement(other.to_owned())),
        }
    }
    Ok(statements)
}

#[cfg(test)]
mod tests;
