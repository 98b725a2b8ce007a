//! The outline of a scene text: its brackets, names and values.
//!
//! The text is RON without maps, byte strings, raw identifiers and `#![enable(…)]`. Leaves stay text: the reader, which
//! knows the type, parses numbers and strings.

use std::ops::Range;

use swarmarium_base::problem::{Place, Problem};

use crate::text::wording::{DECIMAL_POINT, shown};

/// The largest depth of nested brackets. It also bounds the recursion of everything that walks through an outline.
const MAX_DEPTH: usize = 64;
/// The largest number of values in one text: enough for a million poses, and few enough to fit in memory.
const MAX_NODES: usize = 8_000_000;

/// A value in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// The bytes of the value, brackets included.
    pub span: Range<usize>,
    /// The content.
    pub body: Body<'a>,
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Body<'a> {
    /// A number, a string, a character or a lone name.
    Leaf(&'a str),
    /// `Name(field: value, …)`, with or without the name.
    Struct {
        /// The name before the bracket.
        name: Option<&'a str>,
        /// The fields, in the order of the text.
        fields: Vec<Field<'a>>,
    },
    /// `Name(value, …)`, with or without the name. Empty brackets are a tuple; readers accept them for a struct as
    /// well.
    Tuple {
        /// The name before the bracket.
        name: Option<&'a str>,
        /// The values.
        items: Vec<Node<'a>>,
    },
    /// `[value, …]`.
    List(Vec<Node<'a>>),
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<'a> {
    /// The name.
    pub name: &'a str,
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The value.
    pub value: Node<'a>,
}

impl<'a> Node<'a> {
    /// Splits a struct in two: one without the shared fields, and one without a name and with the shared fields only.
    /// `None` if there are no shared fields.
    pub fn split(&self, is_shared: impl Fn(&str) -> bool) -> (Option<Self>, Option<Self>) {
        let Body::Struct { name, fields } = &self.body else { return (None, None) };
        let (shared, own): (Vec<_>, Vec<_>) = fields.iter().cloned().partition(|field| is_shared(field.name));
        if shared.is_empty() {
            return (None, None);
        }
        let part = |name, fields| Some(Self { span: self.span.clone(), body: Body::Struct { name, fields } });
        (part(*name, own), part(None, shared))
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&Self> {
        let Body::Struct { fields, .. } = &self.body else { return None };
        fields.iter().find(|field| field.name == name).map(|field| &field.value)
    }

    /// The name before the brackets, or the name that is the whole value.
    pub fn name(&self) -> Option<&'a str> {
        match self.body {
            Body::Leaf(text) => text.starts_with(starts_name).then_some(text),
            Body::Struct { name, .. } | Body::Tuple { name, .. } => name,
            Body::List(_) => None,
        }
    }
}

/// Parses the outline of a text with one value.
pub fn outline(text: &str) -> Result<Node<'_>, Problem> {
    let mut scanner = Scanner::new(text, 0);
    scanner.skip_byte_order_mark();
    scanner.skip_space()?;
    if scanner.peek().is_none() {
        return Err(scanner.here(
            "is empty: expected a value, such as `(name: \"mine\")`; the command `init` writes a scene to start from",
        ));
    }
    let node = scanner.value()?;
    scanner.skip_space()?;
    let hint = match (scanner.peek(), &node.body) {
        (None, _) => return Ok(node),
        (Some(':'), Body::Leaf(name)) => format!("; fields are in round brackets: `({}: …)`", shown(name)),
        // A text in another language.
        (Some(_), Body::Leaf(_)) if text.trim_end().contains('\n') => {
            "; scenes, plans and edits are written in RON, as in `(name: \"mine\")`".to_owned()
        }
        (Some(',' | ')' | ']'), Body::Struct { .. }) if text[node.span.clone()].contains('\n') => {
            let [begin, end] = [node.span.start, node.span.end - 1].map(|at| Place::of(text, at).line);
            format!("; the `)` on line {end} already closes the `(` on line {begin}")
        }
        _ => String::new(),
    };
    Err(scanner.here(format!("expected the end, found {}{hint}", scanner.found())))
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn continues_number(c: char) -> bool {
    continues_name(c) || matches!(c, '.' | '+' | '-')
}

/// Whether a digit follows a comma that itself follows a digit, as in `0,3`: perhaps a number with a decimal comma.
pub fn is_after_decimal_comma(text: &str, at: usize) -> bool {
    let ends_in_digit = |before: &str| before.ends_with(|c: char| c.is_ascii_digit());
    text[at..].starts_with(|c: char| c.is_ascii_digit()) && text[..at].strip_suffix(',').is_some_and(ends_in_digit)
}

/// The length of a unit after a number, blanks before it included: of `m`, ` deg/s` or `°`. A word that begins the next
/// field or value is none.
fn unit_len(number: &str, rest: &str) -> usize {
    let is_blank = |c: char| matches!(c, ' ' | '\t');
    let is_of_unit = |c: char| continues_name(c) || matches!(c, '°' | '%' | '²');
    let unit = rest.trim_start_matches(is_blank);
    // The number has the letters that follow it at once, as in `2m/s`.
    let begins = match unit.chars().next() {
        Some('/') => unit.len() == rest.len() && number.ends_with(char::is_alphabetic),
        Some(c) => c.is_alphabetic() || matches!(c, '°' | '%'),
        None => false,
    };
    if !begins {
        return 0;
    }
    let mut after = unit.trim_start_matches(is_of_unit);
    while let Some(divisor) = after.strip_prefix('/').filter(|divisor| divisor.starts_with(char::is_alphabetic)) {
        after = divisor.trim_start_matches(is_of_unit);
    }
    let next = after.trim_start_matches(is_blank);
    let ends = next.is_empty() || next.starts_with([',', ')', ']', '\n', '\r']) || next.starts_with("//");
    if ends { rest.len() - after.len() } else { 0 }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    nodes: usize,
    /// The bytes of the last text in quotes.
    last_text: Option<Range<usize>>,
    /// The bytes of the last brackets that were closed.
    last_brackets: Range<usize>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, depth: 0, nodes: 0, last_text: None, last_brackets: 0..0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn problem(&self, at: usize, message: impl Into<String>) -> Problem {
        Problem { place: Some(Place::of(self.text, at)), ..Problem::of_file(message) }
    }

    fn here(&self, message: impl Into<String>) -> Problem {
        self.problem(self.at, message)
    }

    /// The next word or character, for messages.
    fn found(&self) -> String {
        let word = self.rest().split(|c| !continues_number(c)).next().unwrap_or_default();
        match self.peek() {
            None => "the end".into(),
            Some(_) if !word.is_empty() => format!("`{}`", shown(word)),
            Some(c) => format!("`{}`", shown(c.encode_utf8(&mut [0; 4]))),
        }
    }

    fn skip_byte_order_mark(&mut self) {
        if self.rest().starts_with('\u{feff}') {
            self.at += '\u{feff}'.len_utf8();
        }
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) -> Result<(), Problem> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.skip_block_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_block_comment(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            let Some(mark) = self.rest().find(['/', '*']) else {
                return Err(self.problem(start, "this `/*` is never closed"));
            };
            self.at += mark;
            match self.rest().as_bytes() {
                [b'/', b'*', ..] => (depth, self.at) = (depth + 1, self.at + 2),
                [b'*', b'/', ..] => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> Result<Node<'a>, Problem> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.here(format!("more than {MAX_NODES} values in one file")));
        }
        let start = self.at;
        let body = match self.peek() {
            Some('(') => self.brackets(None)?,
            Some('[') => self.list()?,
            Some('"') => self.string()?,
            Some('\'') => self.character()?,
            Some(c) if starts_name(c) => self.named()?,
            Some(c) if continues_number(c) => self.number(),
            Some('{') => return Err(self.here("a scene has no maps `{…}`; write fields as `(name: value)`")),
            Some('#') if self.rest().starts_with("#!") => {
                return Err(self.here("`#![enable(…)]` is not allowed in a scene"));
            }
            Some('#') => return Err(self.here("expected a value, found `#`; comments begin with `//`")),
            Some(c @ ('“' | '”' | '„' | '‘' | '’' | '«')) => {
                return Err(self.here(format!("expected a value, found `{c}`; texts have straight quotes: \"…\"")));
            }
            _ => return Err(self.here(format!("expected a value, found {}", self.found()))),
        };
        Ok(Node { span: start..self.at, body })
    }

    fn leaf(&mut self, len: usize) -> Body<'a> {
        let leaf = &self.rest()[..len];
        self.at += len;
        Body::Leaf(leaf)
    }

    /// A number, with a unit that should not be there: the reader knows the field, and says how to write the value.
    fn number(&mut self) -> Body<'a> {
        let rest = self.rest();
        let number = rest.find(|c| !continues_number(c)).unwrap_or(rest.len());
        self.leaf(number + unit_len(&rest[..number], &rest[number..]))
    }

    /// A string with escapes, which RON resolves later.
    fn string(&mut self) -> Result<Body<'a>, Problem> {
        let rest = self.rest().as_bytes();
        let mut len = 1;
        loop {
            match rest.get(len) {
                None => return Err(self.here("this `\"` is never closed")),
                Some(b'"') => {
                    self.last_text = Some(self.at..self.at + len + 1);
                    return Ok(self.leaf(len + 1));
                }
                Some(b'\\') => len += 2,
                Some(_) => len += 1,
            }
        }
    }

    /// `r"…"` or `r#"…"#`, with any number of `#`.
    fn raw_string(&mut self) -> Result<Body<'a>, Problem> {
        let rest = self.rest();
        let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
        let open = hashes + 2;
        if !rest[1 + hashes..].starts_with('"') {
            return Err(self.here("raw names `r#…` are not allowed in a scene"));
        }
        let close = format!("\"{}", &rest[1..=hashes]);
        match rest[open..].find(&close) {
            Some(len) => Ok(self.leaf(open + len + close.len())),
            None => Err(self.here(format!("this `{}` is never closed", shown(&rest[..open])))),
        }
    }

    fn character(&mut self) -> Result<Body<'a>, Problem> {
        let escaped = self.rest()[1..].starts_with('\\');
        // The character after the quote or the backslash may itself be a quote.
        let content = self.rest().char_indices().nth(if escaped { 3 } else { 2 });
        let close = content.and_then(|(from, _)| Some(from + self.rest()[from..].find(['\'', '\n'])?));
        match close {
            Some(close) if self.rest()[close..].starts_with('\'') => Ok(self.leaf(close + 1)),
            _ => Err(self.here("this `'` is never closed")),
        }
    }

    /// A value that begins with a letter: a lone name, `Name(…)`, or a string with a prefix.
    fn named(&mut self) -> Result<Body<'a>, Problem> {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with("r\"") || rest.starts_with("r#") {
            return self.raw_string();
        }
        if ["b\"", "b'", "br\"", "br#"].iter().any(|prefix| rest.starts_with(prefix)) {
            return Err(self.here("byte strings are not allowed in a scene"));
        }
        let name = self.name();
        let end = self.at;
        self.skip_space()?;
        if self.peek() == Some('(') {
            return self.brackets(Some(name));
        }
        self.at = end;
        Ok(Body::Leaf(&self.text[start..end]))
    }

    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let name = &rest[..rest.find(|c| !continues_name(c)).unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    fn list(&mut self) -> Result<Body<'a>, Problem> {
        Ok(Body::List(self.each(']', Self::value)?))
    }

    /// `(…)`: a struct if it begins with a name and a colon.
    fn brackets(&mut self, name: Option<&'a str>) -> Result<Body<'a>, Problem> {
        if self.begins_with_field()? {
            Ok(Body::Struct { name, fields: self.each(')', Self::field)? })
        } else {
            Ok(Body::Tuple { name, items: self.each(')', Self::value)? })
        }
    }

    fn begins_with_field(&mut self) -> Result<bool, Problem> {
        let start = self.at;
        self.at += 1;
        self.skip_space()?;
        let found = !self.name().is_empty() && {
            self.skip_space()?;
            self.peek() == Some(':')
        };
        self.at = start;
        Ok(found)
    }

    fn field(&mut self) -> Result<Field<'a>, Problem> {
        let start = self.at;
        let name = if self.peek().is_some_and(starts_name) { self.name() } else { "" };
        let span = start..self.at;
        if name.is_empty() {
            let hint = match self.peek() {
                _ if is_after_decimal_comma(self.text, start) => DECIMAL_POINT,
                Some('#') => "; comments begin with `//`",
                Some('"' | '“' | '”' | '\'') => "; names of fields have no quotes",
                _ => "",
            };
            return Err(self.here(format!("expected `field: value`, found {}{hint}", self.found())));
        }
        self.skip_space()?;
        if self.peek() != Some(':') {
            let (name, found) = (shown(name), self.found());
            let is_kind = name.starts_with(char::is_uppercase) && self.peek() == Some('(');
            let hint = match is_kind {
                true => format!("a kind is the value of a field, as in `field: {name}(…)`"),
                false => "a field is written `name: value`".into(),
            };
            return Err(self.here(format!("expected `:` after `{name}`, found {found}; {hint}")));
        }
        self.at += 1;
        self.skip_space()?;
        Ok(Field { name, span, value: self.value()? })
    }

    /// Reads the comma-separated items between the bracket here and its partner.
    fn each<T>(&mut self, close: char, read: fn(&mut Self) -> Result<T, Problem>) -> Result<Vec<T>, Problem> {
        let open = self.at;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.here(format!("more than {MAX_DEPTH} nested brackets")));
        }
        self.at += 1;
        let mut parts = Vec::new();
        loop {
            self.skip_space()?;
            if self.closes(open, close)? {
                break;
            }
            parts.push(read(self)?);
            let end = self.at;
            self.skip_space()?;
            if self.peek() == Some(',') {
                self.at += 1;
            } else if self.closes(open, close)? {
                break;
            } else {
                return Err(self.here(self.no_separator(open, close, end)));
            }
        }
        self.depth -= 1;
        self.last_brackets = open..self.at;
        Ok(parts)
    }

    fn never_closed(&self, open: usize) -> Problem {
        self.problem(open, format!("this `{}` is never closed", &self.text[open..=open]))
    }

    /// The message about a bracket that closes nothing, because the one before it closes a bracket of several lines within
    /// the one at `open`, as in `groups: (name: …)],`.
    fn closed_before(&self, open: usize, found: char) -> Option<String> {
        let Range { start, end } = self.last_brackets.clone();
        let [outer, begin, here] = [open, start, self.at].map(|at| Place::of(self.text, at).line);
        let follows = self.text[..self.at].trim_end_matches([' ', '\t']).len() == end && outer < begin && begin < here;
        follows.then(|| {
            let Place { line, column } = Place::of(self.text, start);
            let (before, bracket) = (&self.text[end - 1..end], &self.text[start..=start]);
            format!("this `{found}` closes nothing: the `{before}` before it closes the `{bracket}` at {line}:{column}")
        })
    }

    /// The line on which the text before this place begins, if it goes on to the next line.
    fn long_text(&self) -> Option<usize> {
        let before = self.text[..self.at].trim_end();
        let text = self.last_text.clone().filter(|text| text.end == before.len())?;
        self.text[text.clone()].contains('\n').then(|| Place::of(self.text, text.start).line)
    }

    /// The message about something else than a comma or the bracket that closes the one at `open`, after a value that ends at
    /// `end`.
    fn no_separator(&self, open: usize, close: char, end: usize) -> String {
        let (opened, here) = (Place::of(self.text, open).line, Place::of(self.text, self.at).line);
        let of_bracket = match opened == here {
            true => String::new(),
            false => format!(" to close the `{}` on line {opened}", &self.text[open..=open]),
        };
        let hint = match self.peek() {
            Some('=') => "; a field is written `name: value`",
            Some('#') => "; comments begin with `//`",
            Some('/' | '*') => "; arithmetic is not allowed in files",
            Some(';') => "; commas separate values",
            Some(':') if self.text[..self.at].trim_end().ends_with('"') => "; names of fields have no quotes",
            Some(':') => "; the fields of a value are in round brackets: `name: (field: value)`",
            Some(_) if self.text[..end].ends_with('-') => "; no space follows the sign of a number",
            Some('{') => "; fields are in round brackets: `Name(field: value)`",
            Some('.') if self.text[..end].ends_with(continues_name) => "; texts have quotes: \"…\"",
            _ => "",
        };
        let long = self.long_text().map(|line| format!("; the text on line {line} has no `\"` at its end"));
        let before = Place::of(self.text, end).line;
        let begins_value = |c: char| starts_name(c) || c.is_ascii_digit() || matches!(c, '(' | '[' | '"');
        let is_field = self.rest().trim_start_matches(continues_name).trim_start().starts_with(':');
        let comma = || match self.peek().filter(|c| begins_value(*c))? {
            _ if before < here => Some(format!("; a comma is missing at the end of line {before}")),
            c if starts_name(c) && !is_field && self.text[..end].ends_with(continues_name) => {
                Some("; texts have quotes: \"…\"".to_owned())
            }
            _ => Some("; a comma is missing before it".into()),
        };
        let hint = if hint.is_empty() { long.or_else(comma).unwrap_or_default() } else { long.unwrap_or(hint.into()) };
        format!("expected `,` or `{close}`{of_bracket}, found {}{hint}", self.found())
    }

    /// Whether the bracket is closed here. A wrong or missing partner is reported at the opening bracket.
    fn closes(&mut self, open: usize, close: char) -> Result<bool, Problem> {
        let bracket = &self.text[open..=open];
        match self.peek() {
            None => Err(self.never_closed(unclosed(self.text, open, self.at).unwrap_or(open))),
            Some(c) if c == close => {
                self.at += 1;
                Ok(true)
            }
            Some(c @ (')' | ']' | '}')) => {
                if let Some(unclosed) = unclosed(self.text, open, self.at) {
                    return Err(self.never_closed(unclosed));
                }
                if let Some(message) = self.closed_before(open, c) {
                    return Err(self.here(message));
                }
                let Place { line, column } = Place::of(self.text, self.at);
                let message = format!("this `{bracket}` is closed by the `{c}` at {line}:{column}");
                Err(self.problem(open, message))
            }
            Some(_) => Ok(false),
        }
    }
}

/// The bracket that is probably never closed, of those from `from` to `to`: the first one that a bracket at the beginning of a
/// line would close although this line is less indented than its own.
fn unclosed(text: &str, from: usize, to: usize) -> Option<usize> {
    let line_begin = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let indent =
        |at: usize| text[line_begin(at)..].len() - text[line_begin(at)..].trim_start_matches([' ', '\t']).len();
    // Looks at blanks only: a text can be one long line.
    let begins_line = |at: usize| text[..at].trim_end_matches([' ', '\t']).ends_with('\n');
    let mut open: Vec<usize> = Vec::new();
    let mut scanner = Scanner::new(text, from);
    while scanner.skip_space().is_ok() && scanner.at < to {
        let at = scanner.at;
        match scanner.peek()? {
            '"' => _ = scanner.string().ok()?,
            '\'' => _ = scanner.character().ok()?,
            '(' | '[' => {
                open.push(at);
                scanner.at += 1;
            }
            ')' | ']' => {
                let opened = open.pop()?;
                if begins_line(at) && indent(opened) > indent(at) {
                    return Some(opened);
                }
                scanner.at += 1;
            }
            'r' if scanner.rest().starts_with("r\"") || scanner.rest().starts_with("r#") => {
                _ = scanner.raw_string().ok()?;
            }
            c if starts_name(c) => _ = scanner.name(),
            c => scanner.at += c.len_utf8(),
        }
    }
    // The one that closes nothing follows.
    let opened = open.last().copied()?;
    (to < text.len() && begins_line(to) && indent(opened) > indent(to)).then_some(opened)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn refused(text: &str) -> String {
        let Problem { place, message, .. } = outline(text).unwrap_err();
        let Place { line, column } = place.unwrap();
        format!("{line}:{column}: {message}")
    }

    #[test]
    fn texts_of_other_languages_have_hints() {
        for (text, told) in [
            (
                "groups: [(name: \"a\")]",
                "1:7: expected the end, found `:`; fields are in round brackets: `(groups: …)`",
            ),
            (
                "from swarm import *\nx = 1",
                "1:6: expected the end, found `swarm`; scenes, plans and edits are written in RON, as in `(name: \"mine\")`",
            ),
            ("(1) 2", "1:5: expected the end, found `2`"),
            ("(a: 1, # one\n)", "1:8: expected `field: value`, found `#`; comments begin with `//`"),
            ("(a: 1, \"b\": 2)", "1:8: expected `field: value`, found `\"`; names of fields have no quotes"),
            ("(a: “b”)", "1:5: expected a value, found `“`; texts have straight quotes: \"…\""),
        ] {
            assert_eq!(refused(text), told, "{text}");
        }
    }

    #[test]
    fn outlines_distinguish_structs_tuples_lists_and_leaves() {
        let text =
            "Scene( /* a /* nested */ one */ a: 1.5e-3, b: [x, 'y', '\\'', \"q\\\")\"], // end\n c: (1, -2), d: F(),)";
        let node = outline(text).unwrap();
        assert_eq!(node.span, 0..text.len());
        let Body::Struct { name: Some("Scene"), fields } = node.body else { panic!("not a struct") };
        assert_eq!(fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(fields[0].value.body, Body::Leaf("1.5e-3"));
        let Body::List(items) = &fields[1].value.body else { panic!("not a list") };
        let leaves: Vec<_> = items.iter().map(|item| &text[item.span.clone()]).collect();
        assert_eq!(leaves, ["x", "'y'", "'\\''", "\"q\\\")\""]);
        assert_eq!(fields[3].value.body, Body::Tuple { name: Some("F"), items: vec![] });
    }

    #[test]
    fn a_number_has_its_unit_in_an_outline() {
        for text in ["2m", "45 deg", "2m/s", "0.5 rad/s", "-30°", "90 °/s", "5 %"] {
            for after in ["", ",", " )", " // a comment", "\n"] {
                let outlined = format!("(a: {text}{after}{}", if after.contains(')') { "" } else { "\n)" });
                let node = outline(&outlined).unwrap();
                assert_eq!(node.field("a").unwrap().body, Body::Leaf(text), "{outlined}");
            }
        }
        for text in ["(a: 1 b: 2)", "(a: 1 b(2))", "(a: 1 r\"2\")", "(a: 3/pi)", "(a: 1\n b)", "(a: 1 / b)"] {
            assert!(refused(text).contains("expected `,` or `)`"), "{text}");
        }
    }

    #[test]
    fn brackets_in_strings_do_not_count_in_an_outline() {
        for text in [r##"r#"a " ) b"#"##, r#"r"\""#, r#""\\""#, "\"é // )\""] {
            assert_eq!(outline(text).unwrap().body, Body::Leaf(text));
        }
    }

    #[test]
    fn unclosed_brackets_and_quotes_are_reported_where_they_open() {
        assert_eq!(refused("(\n  a: [1, 2"), "2:6: this `[` is never closed");
        assert_eq!(refused("(a: [1)"), "1:5: this `[` is closed by the `)` at 1:7");
        // The indentation tells which one is not closed.
        let group = |body: &str| format!("(\n    groups: [(\n        body: {body},\n        count: 3,\n    )],\n)");
        assert_eq!(refused(&group("Disc(radius_m: 1")), "3:19: this `(` is never closed");
        assert_eq!(refused(&group("Disc(name: \")\", r: r#\"a\"b\"#")), "3:19: this `(` is never closed");
        assert_eq!(refused("(\n    a: ([\n        1,\n    ],\n)"), "2:8: this `(` is never closed");
        let told = "2:8: this `[` is closed by the `)` at 6:5";
        assert_eq!(refused("(\n    a: [\n        (\n            b: 3,\n        )\n    ),\n)"), told);
        let told = "4:6: this `]` closes nothing: the `)` before it closes the `(` at 2:13";
        assert_eq!(refused("(\n    groups: (\n        count: 3,\n    )],\n)"), told);
        assert_eq!(refused("(a: \"b)"), "1:5: this `\"` is never closed");
        assert_eq!(refused("(a: \"b\\"), "1:5: this `\"` is never closed");
        assert_eq!(refused("(a: r#\"b\"\")"), "1:5: this `r#\"` is never closed");
        assert_eq!(refused("(a: 'b)"), "1:5: this `'` is never closed");
        assert_eq!(refused("(a: /* /* */ 1)"), "1:5: this `/*` is never closed");
    }

    #[test]
    fn outline_errors_say_what_is_expected() {
        assert_eq!(
            refused(" // nothing"),
            "1:12: is empty: expected a value, such as `(name: \"mine\")`; the command `init` writes a scene to start from"
        );
        assert_eq!(refused("(a: 1 b: 2)"), "1:7: expected `,` or `)`, found `b`; a comma is missing before it");
        let told = "1:6: expected `,` or `)`, found `.luau`; texts have quotes: \"…\"";
        assert_eq!(refused("(a: b.luau)"), told);
        let told = "1:8: expected `,` or `)`, found `scene`; texts have quotes: \"…\"";
        assert_eq!(refused("(a: My scene)"), told);
        assert_eq!(refused("(a: 1, 2)"), "1:8: expected `field: value`, found `2`");
        let decimal = "1:7: expected `field: value`, found `3`; decimals are written with a point";
        assert_eq!(refused("(a: 0,3)"), decimal);
        let written = "1:10: expected `:` after `b`, found `=`; a field is written `name: value`";
        assert_eq!(refused("(a: 1, b = 2)"), written);
        assert_eq!(refused("(a: 1; b: 2)"), "1:6: expected `,` or `)`, found `;`; commas separate values");
        assert_eq!(refused("(a = 1)"), "1:4: expected `,` or `)`, found `=`; a field is written `name: value`");
        assert_eq!(refused("(a: pi/3)"), "1:7: expected `,` or `)`, found `/`; arithmetic is not allowed in files");
        let told =
            "3:1: expected `,` or `]` to close the `[` on line 1, found `b`; a comma is missing at the end of line 2";
        assert_eq!(refused("(a: [1,\n2 // two\nb: 3)"), told);
        let told = "1:6: expected `,` or `)`, found `{`; fields are in round brackets: `Name(field: value)`";
        assert_eq!(refused("(a: B{c: 1})"), told);
        assert_eq!(refused("()\n)"), "2:1: expected the end, found `)`");
        let told = "4:1: expected the end, found `,`; the `)` on line 3 already closes the `(` on line 1";
        assert_eq!(refused("(\n  a: [1],\n)\n, b: 2)"), told);
        let told = "2:10: expected `,` or `)` to close the `(` on line 1, found `:`; the fields of a value are in round \
                    brackets: `name: (field: value)`";
        assert_eq!(refused("(\n  a: size: (1, 2),\n)"), told);
        assert_eq!(
            refused("(a: - 1.0)"),
            "1:7: expected `,` or `)`, found `1.0`; no space follows the sign of a number"
        );
        let told =
            "1:14: expected `:` after `Binary`, found `(`; a kind is the value of a field, as in `field: Binary(…)`";
        assert_eq!(refused("(a: 1, Binary(b: 2))"), told);
        assert_eq!(refused("(a: )"), "1:5: expected a value, found `)`");
        assert_eq!(refused("{}"), "1:1: a scene has no maps `{…}`; write fields as `(name: value)`");
        assert_eq!(refused("# note\n()"), "1:1: expected a value, found `#`; comments begin with `//`");
        assert_eq!(refused("(\"a\": 1)"), "1:5: expected `,` or `)`, found `:`; names of fields have no quotes");
        let told = "3:5: expected `,` or `)` to close the `(` on line 1, found `Robots`; the text on line 2 has no `\"` at its end";
        assert_eq!(refused("(\na: \"b,\nb: \"Robots\")"), told);
        assert_eq!(refused("#![enable(x)]\n()"), "1:1: `#![enable(…)]` is not allowed in a scene");
        assert_eq!(refused("[b\"x\"]"), "1:2: byte strings are not allowed in a scene");
        assert_eq!(refused("[r#x]"), "1:2: raw names `r#…` are not allowed in a scene");
    }

    #[test]
    fn outlines_of_ten_megabytes_are_read_quickly() {
        let start = Instant::now();
        for unit in ["(", "[", "a(", "/*", "\"", "'", "a", "r#", "(a/**/", ",", "[]", "//\n", "\\", "\u{e9}"] {
            assert!(
                outline(&unit.repeat(10_000_000 / unit.len())).is_err()
                    || unit.chars().all(continues_name)
                    || unit == "a"
            );
        }
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
