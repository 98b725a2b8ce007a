//! The grammar of templates.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::error::{TagFault, TemplateError, TemplateFault};
use super::node::{Loop, Macro, Node, Tag};
use super::tags::{BLOCK, Piece, pieces};
use crate::language::python::{Dialect, Expr, Parser, SyntaxError, is_in_name};

/// The deepest nesting of statements.
const MAX_DEPTH: usize = 50;
/// The most tokens of a tag.
const MAX_TOKENS: usize = 100_000;

type Outcome<T> = Result<T, TagFault>;
type Parsed<T> = Result<T, SyntaxError>;

/// Parses a template.
///
/// # Errors
/// When it is malformed.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, TemplateError> {
    let pieces = pieces(text).map_err(|fault| fault.locate(text))?;
    let mut source = Source { text, pieces: pieces.into(), depth: 0 };
    let nodes = source.nodes(&[]).map_err(|fault| fault.locate(text))?;
    Ok(nodes.0)
}

/// The pieces that have not been parsed.
struct Source<'t> {
    text: &'t str,
    pieces: VecDeque<Piece>,
    depth: usize,
}

impl Source<'_> {
    /// The nodes up to one of these statements; gives its word and its tag. Without statements, all nodes.
    fn nodes(&mut self, ends: &[&'static str]) -> Outcome<(Vec<Node>, Option<(&'static str, Range<usize>)>)> {
        self.depth += 1;
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.pop_front() {
            match piece {
                Piece::Text(text, line) => nodes.push(Node::Text(text, line)),
                Piece::Tag(kind, range, line) => {
                    if self.depth > MAX_DEPTH {
                        return Err(TagFault::new(&range, TemplateFault::TooDeep(MAX_DEPTH)));
                    }
                    if kind != BLOCK[0] {
                        let value = self.parse_with(&range, |parser| parser.tuple())?;
                        nodes.push(Node::Tag(range, line, Tag::Output(value)));
                        continue;
                    }
                    let word = self.text[range.clone()].trim_start();
                    let word = &word[..word.find(|c| !is_in_name(c)).unwrap_or(word.len())];
                    if let Some(end) = ends.iter().find(|end| **end == word) {
                        self.depth -= 1;
                        return Ok((nodes, Some((end, range))));
                    }
                    let word = word.to_owned();
                    let tag = self.statement(&word, &range)?;
                    nodes.push(Node::Tag(range, line, tag));
                }
            }
        }
        self.depth -= 1;
        Ok((nodes, None))
    }

    /// The nodes up to the end of a statement.
    fn body(&mut self, tag: &Range<usize>, end: &'static str) -> Outcome<Vec<Node>> {
        let (nodes, found) = self.nodes(&[end])?;
        if found.is_some() { Ok(nodes) } else { Err(TagFault::new(tag, TemplateFault::NoEnd(end))) }
    }

    /// Parses the whole content of a tag. A colon at its end has no meaning.
    fn parse_with<T>(&self, tag: &Range<usize>, parse: fn(&mut Parser) -> Parsed<T>) -> Outcome<T> {
        let inside = &self.text[tag.clone()];
        let parsed = Parser::new(inside, Dialect::Jinja, MAX_TOKENS).and_then(|mut parser| {
            let value = parse(&mut parser)?;
            parser.sign(":");
            parser.end()?;
            Ok(value)
        });
        parsed.map_err(|error| TagFault::new(tag, error))
    }

    fn statement(&mut self, word: &str, tag: &Range<usize>) -> Outcome<Tag> {
        match word {
            "do" => self.parse_with(tag, |parser| {
                parser.name()?;
                parser.tuple().map(Tag::Do)
            }),
            "set" => {
                let (target, value, filters) = self.parse_with(tag, |parser| {
                    parser.name()?;
                    let target = parser.target()?;
                    if parser.sign("=") {
                        return Ok((target, Some(parser.tuple()?), Vec::new()));
                    }
                    let mut filters = Vec::new();
                    while parser.sign("|") {
                        filters.push(filter(parser)?);
                    }
                    Ok((target, None, filters))
                })?;
                match value {
                    Some(value) => Ok(Tag::Set(target, value)),
                    None => Ok(Tag::SetBlock(target, filters, self.body(tag, "endset")?)),
                }
            }
            "if" => self.condition(tag),
            "for" => self.for_loop(tag),
            "with" => {
                let values = self.parse_with(tag, |parser| {
                    parser.name()?;
                    let mut values = Vec::new();
                    while !parser.is_at_end() {
                        let name = Expr::Name(parser.name()?);
                        parser.expect("=")?;
                        values.push((name, parser.expression()?));
                        parser.sign(",");
                    }
                    Ok(values)
                })?;
                Ok(Tag::With(values, self.body(tag, "endwith")?))
            }
            "filter" => {
                let filters = self.parse_with(tag, |parser| {
                    parser.name()?;
                    let mut filters = vec![filter(parser)?];
                    while parser.sign("|") {
                        filters.push(filter(parser)?);
                    }
                    Ok(filters)
                })?;
                Ok(Tag::Filter(filters, self.body(tag, "endfilter")?))
            }
            "macro" => {
                let (name, parameters) = self.parse_with(tag, |parser| {
                    parser.name()?;
                    Ok((parser.name()?, parameters(parser)?))
                })?;
                let body = self.body(tag, "endmacro")?;
                Ok(Tag::Macro(Rc::new(Macro { name, parameters, body })))
            }
            "call" => {
                let (parameters, call) = self.parse_with(tag, |parser| {
                    parser.name()?;
                    let parameters = parameters(parser)?;
                    Ok((parameters, parser.expression()?))
                })?;
                let body = self.body(tag, "endcall")?;
                Ok(Tag::Call(call, Rc::new(Macro { name: "caller".into(), parameters, body })))
            }
            "block" => self.body(tag, "endblock").map(Tag::Group),
            "autoescape" => self.body(tag, "endautoescape").map(Tag::Group),
            "break" => Ok(Tag::Break),
            "continue" => Ok(Tag::Continue),
            word if word == "else" || word == "elif" || word.starts_with("end") => {
                Err(TagFault::new(tag, TemplateFault::NoBeginning(word.to_owned())))
            }
            other => Err(TagFault::new(tag, TemplateFault::Statement(other.to_owned()))),
        }
    }

    fn condition(&mut self, tag: &Range<usize>) -> Outcome<Tag> {
        let mut branches = Vec::new();
        let mut tag = tag.clone();
        loop {
            let condition = self.parse_with(&tag, |parser| {
                parser.name()?;
                parser.tuple()
            })?;
            let (nodes, end) = self.nodes(&["elif", "else", "endif"])?;
            branches.push((condition, nodes));
            match end {
                Some(("elif", next)) => tag = next,
                Some(("else", _)) => return Ok(Tag::If(branches, self.body(&tag, "endif")?)),
                Some(_) => return Ok(Tag::If(branches, Vec::new())),
                None => return Err(TagFault::new(&tag, TemplateFault::NoEnd("endif"))),
            }
        }
    }

    fn for_loop(&mut self, tag: &Range<usize>) -> Outcome<Tag> {
        let (target, list, condition) = self.parse_with(tag, |parser| {
            parser.name()?;
            let target = parser.target()?;
            parser.expect_word("in")?;
            let first = parser.either()?;
            let mut items = vec![first];
            while parser.sign(",") {
                items.push(parser.either()?);
            }
            let list = if items.len() == 1 { items.remove(0) } else { Expr::Tuple(items) };
            let condition = if parser.word("if") { Some(parser.expression()?) } else { None };
            Ok((target, list, condition))
        })?;
        let (body, end) = self.nodes(&["else", "endfor"])?;
        let otherwise = match end {
            Some(("else", _)) => self.body(tag, "endfor")?,
            Some(_) => Vec::new(),
            None => return Err(TagFault::new(tag, TemplateFault::NoEnd("endfor"))),
        };
        Ok(Tag::For(Box::new(Loop { target, list, condition, body, otherwise })))
    }
}

fn filter(parser: &mut Parser) -> Parsed<(String, Vec<Expr>)> {
    let name = parser.name()?;
    let arguments = if parser.sign("(") { parser.items(")")? } else { Vec::new() };
    Ok((name, arguments))
}

/// The names of arguments with their defaults, in brackets.
fn parameters(parser: &mut Parser) -> Parsed<Vec<(String, Option<Expr>)>> {
    let mut parameters = Vec::new();
    if !parser.sign("(") {
        return Ok(parameters);
    }
    while !parser.sign(")") {
        let name = parser.name()?;
        let default = if parser.sign("=") { Some(parser.expression()?) } else { None };
        parameters.push((name, default));
        if !parser.sign(",") {
            parser.expect(")")?;
            break;
        }
    }
    Ok(parameters)
}
