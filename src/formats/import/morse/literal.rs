//! Literals of Python, read as data and never run. Only values and assignments of values are allowed.

use swarmarium_base::problem::{Place, Problem};
use swarmarium_core::service::Value;

/// The deepest nesting of lists and dictionaries.
const MAX_DEPTH: usize = 64;
/// The most values of a text.
const MAX_VALUES: usize = 2_000_000;
/// The values that are allowed, for messages.
const ALLOWED: &str = "a text in quotes, a number, True, False, None, a list, a tuple or a dictionary";

/// A value with its place in the text, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its first byte.
    pub at: usize,
    /// The literal.
    pub literal: Literal,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A value without parts.
    Leaf(Value),
    /// An integer of more than 64 bits, in decimal digits.
    Integer(String),
    /// A list.
    List(Vec<Node>),
    /// A tuple.
    Tuple(Vec<Node>),
    /// A dictionary with texts for keys, in order, with the place of each key.
    Map(Vec<(usize, String, Node)>),
}

impl Node {
    /// The literal without places, with sorted keys of dictionaries, as their order has no meaning.
    pub fn plain(&self) -> Literal {
        let all = |items: &[Self]| items.iter().map(|item| item.plain().into()).collect();
        match &self.literal {
            Literal::Leaf(_) | Literal::Integer(_) => self.literal.clone(),
            Literal::List(items) => Literal::List(all(items)),
            Literal::Tuple(items) => Literal::Tuple(all(items)),
            Literal::Map(entries) => {
                let mut entries: Vec<_> =
                    entries.iter().map(|(_, key, value)| (0, key.clone(), value.plain().into())).collect();
                entries.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
                Literal::Map(entries)
            }
        }
    }

    /// The items of a list or a tuple.
    pub fn items(&self) -> Option<&[Self]> {
        match &self.literal {
            Literal::List(items) | Literal::Tuple(items) => Some(items),
            _ => None,
        }
    }
}

impl From<Literal> for Node {
    fn from(literal: Literal) -> Self {
        Self { at: 0, literal }
    }
}

impl From<Value> for Literal {
    fn from(value: Value) -> Self {
        match value {
            Value::List(items) => Self::list(items.into_iter().map(Self::from)),
            Value::Map(fields) => Self::map(fields.into_iter().map(|(key, value)| (key, value.into()))),
            leaf => Self::Leaf(leaf),
        }
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self::Leaf(text.into())
    }
}

impl Literal {
    /// A list.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().map(Node::from).collect())
    }

    /// A dictionary.
    pub fn map(entries: impl IntoIterator<Item = (String, Self)>) -> Self {
        Self::Map(entries.into_iter().map(|(key, value)| (0, key, value.into())).collect())
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Leaf(value) => value.number(),
            Self::Integer(digits) => digits.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }
}

/// A name that a value is assigned to.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Its first byte.
    pub at: usize,
    /// The name.
    pub name: String,
    /// The value.
    pub value: Node,
}

/// Reads a text of assignments.
///
/// # Errors
/// Gives line and column of the first text that is not an assignment.
pub fn assignments(text: &str) -> Result<Vec<Assignment>, Problem> {
    let mut reader = Reader { text, at: 0, values: 0 };
    let mut all = Vec::new();
    loop {
        reader.skip(true);
        let at = reader.at;
        if at == text.len() {
            return Ok(all);
        }
        let name = reader.name();
        if name.is_empty() {
            return Err(reader.problem(at, format!("expected `NAME = VALUE`, found {}", reader.found(at))));
        }
        reader.skip(false);
        if !reader.take('=') || reader.peek() == Some('=') {
            let message = format!("expected `=` and a value after `{}`: only assignments are read", shortened(&name));
            return Err(reader.problem(reader.at, message));
        }
        reader.skip(false);
        let value = reader.value(0)?;
        reader.skip(false);
        let is_ended = reader.take(';') || reader.rest().is_empty() || reader.rest().starts_with(['\n', '\r']);
        if !is_ended {
            let message = format!("expected the end of the line after a value, found {}", reader.found(reader.at));
            return Err(reader.problem(reader.at, message));
        }
        all.push(Assignment { at, name, value });
    }
}

/// Reads a text of one value.
///
/// # Errors
/// As [`assignments`].
pub fn value(text: &str) -> Result<Node, Problem> {
    let mut reader = Reader { text, at: 0, values: 0 };
    reader.skip(true);
    let value = reader.value(0)?;
    reader.skip(true);
    match reader.at == text.len() {
        true => Ok(value),
        false => Err(reader.problem(reader.at, format!("expected no more, found {}", reader.found(reader.at)))),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    values: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes a character if it is next.
    fn take(&mut self, expected: char) -> bool {
        let is_next = self.peek() == Some(expected);
        if is_next {
            self.at += expected.len_utf8();
        }
        is_next
    }

    /// Skips blanks and comments; with `lines`, the ends of lines as well.
    fn skip(&mut self, lines: bool) {
        while let Some(next) = self.peek() {
            match next {
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '\\' if self.rest().starts_with("\\\n") => self.at += 2,
                '\\' if self.rest().starts_with("\\\r\n") => self.at += 3,
                '\n' | '\r' if !lines => return,
                ' ' | '\t' | '\x0c' | '\n' | '\r' => self.at += 1,
                _ => return,
            }
        }
    }

    fn name(&mut self) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let rest = self.rest();
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return String::new();
        }
        let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += name.len();
        name.to_owned()
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        let at = self.at;
        self.values += 1;
        if depth > MAX_DEPTH {
            return Err(self.problem(at, format!("expected at most {MAX_DEPTH} lists and dictionaries in each other")));
        }
        if self.values > MAX_VALUES {
            return Err(self.problem(at, format!("expected at most {MAX_VALUES} values")));
        }
        let literal = match self.peek() {
            Some('{') => self.dictionary(depth)?,
            Some('[') => Literal::List(self.items(']', depth)?.0),
            Some('(') => match self.items(')', depth)? {
                // Parentheses around a single value have no meaning.
                (mut items, false) if items.len() == 1 => return Ok(items.remove(0)),
                (items, _) => Literal::Tuple(items),
            },
            Some('\'' | '"' | 'u' | 'U') if self.starts_text() => Literal::Leaf(Value::Text(self.texts(depth)?)),
            Some(next) if next.is_ascii_digit() || "+-.".contains(next) => self.number()?,
            Some(next) if next.is_alphabetic() || next == '_' => Literal::Leaf(self.word()?),
            _ => return Err(self.problem(at, format!("expected {ALLOWED}, found {}", self.found(at)))),
        };
        Ok(Node { at, literal })
    }

    /// Reads the items up to a bracket. Gives with them whether they have a comma.
    fn items(&mut self, end: char, depth: usize) -> Result<(Vec<Node>, bool), Problem> {
        let (open, mut items, mut comma, mut is_tuple) = (self.at, Vec::new(), true, false);
        self.at += 1;
        loop {
            self.skip(true);
            if self.take(end) {
                return Ok((items, is_tuple));
            }
            if !comma {
                return Err(self.unclosed(open, end));
            }
            items.push(self.value(depth + 1)?);
            self.skip(true);
            comma = self.take(',');
            is_tuple |= comma;
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Literal, Problem> {
        let (open, mut comma) = (self.at, true);
        let mut entries: Vec<(usize, String, Node)> = Vec::new();
        let mut keys = std::collections::HashSet::new();
        self.at += 1;
        loop {
            self.skip(true);
            if self.take('}') {
                return Ok(Literal::Map(entries));
            }
            if !comma {
                return Err(self.unclosed(open, '}'));
            }
            let at = self.at;
            if !self.starts_text() {
                return Err(self.problem(at, format!("expected a key, a text in quotes, found {}", self.found(at))));
            }
            let key = self.texts(depth + 1)?;
            self.skip(true);
            if !self.take(':') {
                let found = self.found(self.at);
                return Err(
                    self.problem(self.at, format!("expected `:` after the key `{}`, found {found}", shortened(&key)))
                );
            }
            self.skip(true);
            let value = self.value(depth + 1)?;
            if !keys.insert(key.clone()) {
                return Err(self.problem(at, format!("the key `{}` is there already", shortened(&key))));
            }
            entries.push((at, key, value));
            self.skip(true);
            comma = self.take(',');
        }
    }

    fn unclosed(&self, open: usize, end: char) -> Problem {
        let Place { line, column } = Place::of(self.text, open);
        let found = self.found(self.at);
        self.problem(self.at, format!("expected `,` or the `{end}` for {line}:{column}, found {found}"))
    }

    fn starts_text(&self) -> bool {
        let rest = self.rest();
        rest.strip_prefix(['u', 'U']).unwrap_or(rest).starts_with(['\'', '"'])
    }

    /// Reads a text, or several adjacent texts, which are joined.
    fn texts(&mut self, depth: usize) -> Result<String, Problem> {
        let mut text = String::new();
        loop {
            self.append_text(&mut text)?;
            let after = self.at;
            // Outside brackets, the next line is another statement.
            self.skip(depth > 0);
            if !self.starts_text() {
                self.at = after;
                return Ok(text);
            }
        }
    }

    fn append_text(&mut self, text: &mut String) -> Result<(), Problem> {
        let open = self.at;
        if self.peek().is_some_and(|prefix| "uU".contains(prefix)) {
            self.at += 1;
        }
        let Some(quote) = self.peek() else { return Err(self.problem(open, "expected a text in quotes".into())) };
        self.at += 1;
        if self.rest().starts_with(&format!("{quote}{quote}")) {
            return Err(self.problem(open, "expected a text within one line, found one in three quotes".into()));
        }
        loop {
            let at = self.at;
            let Some(next) = self.peek() else {
                return Err(self.problem(open, format!("expected a {quote} at the end of this text, found the end")));
            };
            self.at += next.len_utf8();
            match next {
                _ if next == quote => return Ok(()),
                '\n' | '\r' => {
                    return Err(self.problem(open, format!("expected a {quote} at the end of this text in its line")));
                }
                '\\' => {
                    let escaped = self.escape(at)?;
                    text.extend(escaped);
                }
                _ => text.push(next),
            }
        }
    }

    /// Reads the character of an escape sequence; `None` for the end of a line.
    fn escape(&mut self, at: usize) -> Result<Option<char>, Problem> {
        let Some(next) = self.peek() else { return Err(self.problem(at, "expected a character after \\".into())) };
        self.at += next.len_utf8();
        Ok(Some(match next {
            '\n' => return Ok(None),
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'v' => '\x0b',
            '\\' | '\'' | '"' => next,
            '0'..='7' => {
                let digits = self.digits(2, 8);
                self.character(at, &format!("{next}{digits}"), 8)?
            }
            'x' => self.hexadecimal(at, 2)?,
            'u' => self.hexadecimal(at, 4)?,
            'U' => self.hexadecimal(at, 8)?,
            _ => {
                return Err(
                    self.problem(at, format!("expected one of \\n, \\t, \\\\, \\', \\\", \\x, \\u, found \\{next}"))
                );
            }
        }))
    }

    fn hexadecimal(&mut self, at: usize, count: usize) -> Result<char, Problem> {
        let digits = self.digits(count, 16);
        match digits.len() == count {
            true => self.character(at, &digits, 16),
            false => Err(self.problem(at, format!("expected {count} hexadecimal digits"))),
        }
    }

    fn digits(&mut self, most: usize, base: u32) -> String {
        let digits: String = self.rest().chars().take_while(|c| c.is_digit(base)).take(most).collect();
        self.at += digits.len();
        digits
    }

    fn character(&self, at: usize, digits: &str, base: u32) -> Result<char, Problem> {
        let code = u32::from_str_radix(digits, base).ok().and_then(char::from_u32);
        code.ok_or_else(|| self.problem(at, format!("there is no character with the number {digits}")))
    }

    fn number(&mut self) -> Result<Literal, Problem> {
        let (at, rest) = (self.at, self.rest());
        let sign = rest.find(|c| !"+-".contains(c)).unwrap_or(rest.len());
        let body = &rest[sign..];
        let is_part = |(index, c): &(usize, char)| {
            c.is_alphanumeric() || "._".contains(*c) || ("+-".contains(*c) && body[..*index].ends_with(['e', 'E']))
        };
        let length = body.char_indices().take_while(is_part).map(|(index, c)| index + c.len_utf8()).last().unwrap_or(0);
        let written = &rest[..sign + length];
        let plain = body[..length].replace('_', "");
        let negative = rest[..sign].matches('-').count() % 2 == 1;
        let is_plain = plain.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && plain.chars().all(|c| c.is_ascii_digit() || ".eE+-".contains(c));
        let number = match plain.bytes().all(|c| c.is_ascii_digit()) {
            _ if !is_plain => None,
            true => {
                // Parsed with its sign, so that the smallest integer fits.
                let signed = format!("{}{plain}", if negative { "-" } else { "" });
                Some(signed.parse().map_or(Literal::Integer(signed), |whole| Literal::Leaf(Value::Int(whole))))
            }
            false => plain
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .map(|number| Literal::Leaf(Value::Number(if negative { -number } else { number }))),
        };
        self.at += written.len();
        number.ok_or_else(|| self.problem(at, format!("expected a decimal number, found `{}`", shortened(written))))
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let at = self.at;
        let word = self.name();
        match word.as_str() {
            "True" => Ok(Value::Bool(true)),
            "False" => Ok(Value::Bool(false)),
            "None" => Ok(Value::Null),
            word => Err(self.problem(at, format!("expected {ALLOWED}, found `{}`: nothing is run", shortened(word)))),
        }
    }

    fn found(&self, at: usize) -> String {
        match self.text[at..].chars().next() {
            None => "the end".into(),
            Some('\n' | '\r') => "the end of the line".into(),
            Some(next) => format!("`{next}`"),
        }
    }

    fn problem(&self, at: usize, message: String) -> Problem {
        Problem { place: Some(Place::of(self.text, at)), ..Problem::of_file(message) }
    }
}

/// The beginning of a text, for messages.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Writes a literal as Python does, within a line. A number that is not finite, which has no literal, becomes `None`.
pub fn write(literal: &Literal) -> String {
    let all = |items: &[Node]| items.iter().map(|item| write(&item.literal)).collect::<Vec<_>>().join(", ");
    match literal {
        Literal::Leaf(Value::Bool(true)) => "True".into(),
        Literal::Leaf(Value::Bool(false)) => "False".into(),
        Literal::Leaf(Value::Int(whole)) => whole.to_string(),
        Literal::Leaf(Value::Number(number)) if number.is_finite() => decimal(*number),
        Literal::Leaf(Value::Text(text)) => quoted(text),
        Literal::Leaf(_) => "None".into(),
        Literal::Integer(digits) => digits.clone(),
        Literal::List(items) => format!("[{}]", all(items)),
        Literal::Tuple(items) if items.len() == 1 => format!("({},)", all(items)),
        Literal::Tuple(items) => format!("({})", all(items)),
        Literal::Map(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(_, key, value)| format!("{}: {}", quoted(key), write(&value.literal))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// Writes a number as Python does, whose exponents have a sign and at least two digits.
fn decimal(number: f64) -> String {
    let text = format!("{number:?}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// Writes a text in quotes.
pub fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c == quote => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\U{:08x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
pub(crate) mod tests;
