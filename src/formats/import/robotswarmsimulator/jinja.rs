//! A parser for the Jinja expressions of conditions and metrics, and for templates that set variables.

use std::iter::Peekable;
use std::vec::IntoIter;

use self::token::{Token, is_in_name, tokens};

mod error;
mod token;

pub use error::SyntaxError;

/// The deepest nesting of an expression.
const MAX_DEPTH: u32 = 64;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number, as written.
    Number(String),
    /// A text in quotes.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// `none`.
    Nothing,
    /// A name.
    Name(String),
    /// `a.b`.
    Attribute(Box<Self>, String),
    /// `a[b]`.
    Item(Box<Self>, Box<Self>),
    /// `a(b, c)`.
    Call(Box<Self>, Vec<Self>),
    /// `a|b(c)`.
    Filter(Box<Self>, String, Vec<Self>),
    /// `a is b(c)`.
    Test(Box<Self>, String, Vec<Self>),
    /// `[a, b]`, or a tuple.
    List(Vec<Self>),
    /// `-a`.
    Negative(Box<Self>),
    /// `not a`.
    Not(Box<Self>),
    /// `a + b`, and the other operators of numbers.
    Binary(&'static str, Box<Self>, Box<Self>),
    /// `a < b <= c`.
    Compare(Box<Self>, Vec<(&'static str, Self)>),
    /// `a and b`.
    And(Box<Self>, Box<Self>),
    /// `a or b`.
    Or(Box<Self>, Box<Self>),
    /// `a if c else b`, as condition, value and alternative.
    If(Box<Self>, Box<Self>, Box<Self>),
}

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
    let mut parser = Parser::new(text)?;
    let expression = parser.expression()?;
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
    let end = tag.find(|c: char| !is_in_name(c)).unwrap_or(tag.len());
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

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: u32,
}

impl Parser {
    fn new(text: &str) -> Outcome<Self> {
        Ok(Self { tokens: tokens(text)?, next: 0, depth: 0 })
    }

    fn end(&self) -> Outcome<()> {
        match self.tokens.get(self.next) {
            None => Ok(()),
            Some(token) => Err(SyntaxError::Unexpected(token.to_string())),
        }
    }

    /// The error for a next token other than the expected one.
    fn expected<T>(&self, expected: impl Into<String>) -> Outcome<T> {
        let found = self.tokens.get(self.next).map_or_else(|| "end".to_owned(), Token::to_string);
        Err(SyntaxError::Expected { expected: expected.into(), found })
    }

    /// Takes a sign if it is next.
    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.next), Some(Token::Sign(next)) if *next == sign);
        self.next += usize::from(found);
        found
    }

    /// Takes the first of several signs that is next.
    fn one_of(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        signs.iter().copied().find(|sign| self.sign(sign))
    }

    /// Takes a word if it is next.
    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.next), Some(Token::Word(next)) if next == word);
        self.next += usize::from(found);
        found
    }

    /// Takes a sign.
    ///
    /// # Errors
    /// When another token is next.
    fn expect(&mut self, sign: &'static str) -> Outcome<()> {
        if self.sign(sign) { Ok(()) } else { self.expected(format!("`{sign}`")) }
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(SyntaxError::TooDeep);
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn expression(&mut self) -> Outcome<Expr> {
        self.nested(|parser| {
            let mut value = parser.either()?;
            while parser.word("if") {
                let condition = parser.either()?;
                let otherwise = if parser.word("else") { parser.expression()? } else { Expr::Nothing };
                value = Expr::If(Box::new(condition), Box::new(value), Box::new(otherwise));
            }
            Ok(value)
        })
    }

    fn either(&mut self) -> Outcome<Expr> {
        let mut left = self.both()?;
        while self.word("or") {
            left = Expr::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Outcome<Expr> {
        let mut left = self.negation()?;
        while self.word("and") {
            left = Expr::And(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Outcome<Expr> {
        if self.word("not") {
            return self.nested(|parser| Ok(Expr::Not(Box::new(parser.negation()?))));
        }
        let left = self.sum()?;
        let mut more = Vec::new();
        loop {
            let operator = match self.one_of(&["==", "!=", "<=", ">=", "<", ">"]) {
                Some(operator) => operator,
                None if self.word("in") => "in",
                None if self.word("not") => {
                    if !self.word("in") {
                        return self.expected("`in`");
                    }
                    "not in"
                }
                None => break,
            };
            more.push((operator, self.sum()?));
        }
        Ok(if more.is_empty() { left } else { Expr::Compare(Box::new(left), more) })
    }

    fn binary(&mut self, operators: &[&'static str], operand: impl Fn(&mut Self) -> Outcome<Expr>) -> Outcome<Expr> {
        let mut left = operand(self)?;
        while let Some(operator) = self.one_of(operators) {
            left = Expr::Binary(operator, Box::new(left), Box::new(operand(self)?));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Outcome<Expr> {
        self.binary(&["+", "-"], |parser| {
            parser.binary(&["~"], |parser| {
                parser.binary(&["*", "//", "/", "%"], |parser| parser.binary(&["**"], |parser| parser.signed(true)))
            })
        })
    }

    /// A filter applies to the sign before its operand, too: `-x|abs` is the absolute value of −x.
    fn signed(&mut self, with_filters: bool) -> Outcome<Expr> {
        let mut value = if self.sign("-") {
            Expr::Negative(Box::new(self.nested(|parser| parser.signed(false))?))
        } else if self.sign("+") {
            self.nested(|parser| parser.signed(false))?
        } else {
            self.primary()?
        };
        loop {
            value = if self.sign(".") {
                match self.tokens.get(self.next).cloned() {
                    Some(Token::Word(name)) => {
                        self.next += 1;
                        Expr::Attribute(Box::new(value), name)
                    }
                    Some(Token::Number(index)) => {
                        self.next += 1;
                        Expr::Item(Box::new(value), Box::new(Expr::Number(index)))
                    }
                    _ => return self.expected("a name"),
                }
            } else if self.sign("[") {
                let index = self.expression()?;
                self.expect("]")?;
                Expr::Item(Box::new(value), Box::new(index))
            } else if self.sign("(") {
                Expr::Call(Box::new(value), self.items(")")?)
            } else if with_filters && self.sign("|") {
                let name = self.name()?;
                let arguments = if self.sign("(") { self.items(")")? } else { Vec::new() };
                Expr::Filter(Box::new(value), name, arguments)
            } else if with_filters && self.word("is") {
                let negated = self.word("not");
                let name = self.name()?;
                let arguments = if self.sign("(") { self.items(")")? } else { Vec::new() };
                let test = Expr::Test(Box::new(value), name, arguments);
                if negated { Expr::Not(Box::new(test)) } else { test }
            } else {
                return Ok(value);
            };
        }
    }

    fn name(&mut self) -> Outcome<String> {
        match self.tokens.get(self.next).cloned() {
            Some(Token::Word(name)) => {
                self.next += 1;
                Ok(name)
            }
            _ => self.expected("a name"),
        }
    }

    fn items(&mut self, close: &'static str) -> Outcome<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.sign(close) {
            // Names of arguments have no effect: only their order counts.
            if matches!(self.tokens.get(self.next..self.next + 2), Some([Token::Word(_), Token::Sign("=")])) {
                self.next += 2;
            }
            items.push(self.expression()?);
            if !self.sign(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn primary(&mut self) -> Outcome<Expr> {
        let Some(token) = self.tokens.get(self.next).cloned() else {
            return Err(SyntaxError::Unexpected("end".into()));
        };
        self.next += 1;
        match token {
            Token::Number(number) => Ok(Expr::Number(number)),
            Token::Text(text) => Ok(Expr::Text(text)),
            Token::Word(word) => match word.as_str() {
                "true" | "True" => Ok(Expr::Truth(true)),
                "false" | "False" => Ok(Expr::Truth(false)),
                "none" | "None" => Ok(Expr::Nothing),
                "if" | "else" | "and" | "or" | "in" | "is" | "not" => Err(SyntaxError::Unexpected(format!("`{word}`"))),
                _ => Ok(Expr::Name(word)),
            },
            Token::Sign("(") => {
                let first = self.expression()?;
                if self.sign(",") {
                    let mut items = vec![first];
                    items.extend(self.items(")")?);
                    return Ok(Expr::List(items));
                }
                self.expect(")")?;
                Ok(first)
            }
            Token::Sign("[") => Ok(Expr::List(self.items("]")?)),
            Token::Sign(_) => Err(SyntaxError::Unexpected(token.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
