//! The Jinja templates that RobotSwarmSimulator runs YAML files through: `<% %>`, `<{ }>` and lines with `#%>`.
//!
//! What a template can do is bounded: its steps, the length of what it writes, and how often texts can grow.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};
use std::{io, iter};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, filters, tests as conditions};
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::expression;
use super::scalar::{self, Scalar};

mod depth;

/// Variables by name.
pub type Variables = BTreeMap<String, Value>;

const BLOCK: [&str; 2] = ["<%", "%>"];
const VARIABLE: [&str; 2] = ["<{", "}>"];
const COMMENT: [&str; 2] = ["{#", "#}"];
const LINE: &str = "#%>";
/// Characters that mean nothing by themselves.
const PRIVATE: RangeInclusive<char> = '\u{e000}'..='\u{f8ff}';
/// Steps of a template.
const FUEL: u64 = 1_000_000;
/// The longest text that it writes, in bytes.
const MAX_OUTPUT: usize = 16 << 20;
/// The longest text that a variable may come to hold, in bytes.
const MAX_TEXT: usize = 1 << 28;
/// The most numbers that `range` gives.
const MAX_RANGE: i64 = 10_000;

/// What came of a template.
#[derive(Debug)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// The line of the template, counted from 1, for each line of the text.
    pub lines: Vec<usize>,
    /// The variables that it was given and those that it set.
    pub variables: Variables,
    /// The first variable without a value that the template writes. Its text is empty.
    pub missing: Option<Trouble>,
}

/// An error in a template, and its place.
#[derive(Debug)]
pub struct Trouble {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// Whether there is something of a template in a text, comments of YAML included.
pub fn is_template(text: &str) -> bool {
    [BLOCK[0], VARIABLE[0], COMMENT[0]].iter().any(|mark| text.contains(mark))
        || text.lines().any(|line| line.trim_start().starts_with(LINE))
}

/// The value of a variable from `--var name=value`, in YAML: a number, a truth value, a text, a list such as
/// `[0.2, 0.5]`, or a map such as `{a: 1}`.
///
/// # Errors
/// When the value begins like a list, a map or a quoted text, but is not valid YAML.
pub fn value_of(text: &str) -> Result<Value, String> {
    if !text.trim_start().starts_with(['[', '{', '"', '\'']) {
        return Ok(plain(text));
    }
    let mut open: Vec<Open> = Vec::new();
    let mut whole = None;
    for event in Parser::new_from_str(text) {
        let event = event.map_err(|error| format!("not valid YAML: {}", error.info()))?.0;
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None) => plain(&text),
            Event::Scalar(text, ..) => Value::from(text.into_owned()),
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(BTreeMap::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => items.into(),
                Some(Open::Map(entries, _)) => entries.into(),
                None => continue,
            },
            Event::Alias(_) => return Err("aliases are not allowed".into()),
            _ => continue,
        };
        match open.last_mut() {
            None => whole = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Map(entries, key)) => match key.take() {
                Some(key) => drop(entries.insert(key, value)),
                None => *key = Some(value.to_string()),
            },
        }
    }
    whole.ok_or_else(|| "there is no value".into())
}

/// A list, or a map with the key whose value comes next.
enum Open {
    List(Vec<Value>),
    Map(BTreeMap<String, Value>, Option<String>),
}

fn plain(text: &str) -> Value {
    match scalar::resolve(text) {
        Scalar::Null => Value::from(()),
        Scalar::Bool(truth) => truth.into(),
        Scalar::Int(number) => number.into(),
        Scalar::Float(number) => number.into(),
        Scalar::Text => text.parse::<f64>().map_or_else(|_| text.into(), Value::from),
    }
}

/// Runs a template.
///
/// # Errors
/// When it cannot be understood, names what there is not, or goes on for too long.
pub fn render(text: &str, variables: &Variables) -> Result<Rendered, Trouble> {
    let trouble = |line, message: &str| Trouble { line, column: 1, message: format!("template: {message}") };
    let failed = |error: &Error| {
        let line = error.line().unwrap_or(1);
        let mut tags = insides(text);
        if error.kind() == ErrorKind::InvalidOperation {
            // Such an error can have another cause: a variable of a later line is none.
            let end: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            tags.retain(|tag| tag.start <= end);
        }
        if matches!(error.kind(), ErrorKind::UndefinedError | ErrorKind::InvalidOperation)
            && let Some(trouble) = unknown(text, line, variables, &tags)
        {
            return trouble;
        }
        let kind = match error.kind() {
            ErrorKind::UndefinedError => "a variable has no value: give it one with `--var name=value`, or a `default`",
            ErrorKind::OutOfFuel => "it goes on for too long",
            ErrorKind::WriteFailure => "it writes more than 16 MiB",
            _ => "",
        };
        let own = error.detail().map_or_else(|| error.kind().to_string(), str::to_string);
        trouble(line, if kind.is_empty() { &own } else { kind })
    };
    let texts = variables.values().filter_map(Value::as_str).chain([text]);
    let Some(marks) = marks(texts) else { return Err(trouble(1, "it has all characters that mean nothing")) };
    let marked = marked(text, marks);
    bounded(text, variables).map_err(|(line, message)| trouble(line, message))?;
    depth::check(text).map_err(|(line, message)| trouble(line, &message))?;
    let engine = engine().map_err(|error| failed(&error))?;
    let output = RefCell::new(Vec::new());
    let template = engine.template_from_str(&marked).map_err(|error| failed(&error))?;
    let captured = template
        .render_captured_to(Value::from(variables.clone()), Limited(&output))
        .map_err(|error| failed(&error))?;
    let mut variables = variables.clone();
    let state = captured.state();
    for name in state.exports() {
        if let Some(value) = state.lookup(name) {
            variables.insert(name.to_string(), value);
        }
    }
    let written = String::from_utf8_lossy(&output.borrow()).into_owned();
    let [possible, shown] = [&marked, &written].map(|lines: &String| marked_lines(lines, marks));
    let missing = unknown(text, 1, &variables, &written_tags(text, &possible, &shown));
    let (text, lines) = unmarked(&written, marks);
    Ok(Rendered { text, lines, variables, missing })
}

/// The insides of the tags that a template wrote: those in lines whose marks are in the output, or that cannot have marks.
fn written_tags(text: &str, possible: &BTreeSet<usize>, shown: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let (mut line, mut counted) = (1, 0);
    let tags = enclosed(text).filter(|(_, close)| *close == VARIABLE[1]).map(|(tag, _)| tag);
    let is_written = |tag: &Range<usize>| {
        line += text[counted..tag.end].matches('\n').count();
        counted = tag.end;
        shown.contains(&line) || !possible.contains(&line)
    };
    tags.filter(is_written).collect()
}

/// Finds the first variable without a value that one of these tags names in a line or below it.
fn unknown(text: &str, line: usize, variables: &Variables, within: &[Range<usize>]) -> Option<Trouble> {
    let engine = engine().ok()?;
    let from: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let tags = insides(text);
    let inside = |range: &Range<usize>| text[range.clone()].trim_start_matches(['-', '+', ' ']);
    // The template itself sets the variables before `=` in `set`, and before `in` in `for`.
    let set = tags.iter().filter_map(|tag| {
        let tag = inside(tag);
        let names = |word: &str, end: &str| tag.strip_prefix(word)?.split(end).next();
        names("set ", "=").or_else(|| names("for ", " in "))
    });
    let set: BTreeSet<&str> = set.flat_map(|names| names.split(',')).map(str::trim).collect();
    for tag in within.iter().filter(|tag| tag.end >= from) {
        let mut at = tag.start.max(from);
        let mut before = ' ';
        let mut follows_is = false;
        let tested = tested(&text[tag.clone()]);
        while let Some(first) = text[at..tag.end].chars().next() {
            let rest = &text[at..tag.end];
            if matches!(first, '"' | '\'') {
                at += rest[1..].find(first).map_or(rest.len(), |end| end + 2);
                continue;
            }
            let length = name_length(rest);
            if length == 0 || first.is_ascii_digit() || matches!(before, '.' | '|') {
                at += length.max(first.len_utf8());
                before = if first == ' ' { before } else { first };
                continue;
            }
            let path = &rest[..path_length(rest)];
            let name = &rest[..length];
            let after = rest[path.len()..].trim_start();
            let is_test = follows_is && name != "not";
            follows_is = name == "is" || (follows_is && name == "not");
            let may_be_missing = is_test
                || tested.contains(path)
                || after.starts_with("is ")
                || after.strip_prefix('|').is_some_and(|after| {
                    let after = after.trim_start();
                    matches!(&after[..name_length(after)], "default" | "d")
                });
            let is_missing = || {
                let value = engine.compile_expression(path).and_then(|path| path.eval(variables));
                value.map_or_else(|error| error.kind() == ErrorKind::UndefinedError, |value| value.is_undefined())
            };
            if !may_be_missing && !set.contains(name) && !WORDS.contains(&name) && is_missing() {
                let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
                let (line, column) = (text[..at].matches('\n').count() + 1, text[start..at].chars().count() + 1);
                let message = match path == name || !variables.contains_key(name) {
                    true => {
                        format!("the variable `{name}` has no value: give it one with `--var {name}=…`, or a `default`")
                    }
                    false => format!("`{path}` has no value"),
                };
                return Some(Trouble { line, column, message: format!("template: {message}") });
            }
            at += path.len();
            before = 'x';
        }
    }
    None
}

/// The variables of tests in a tag, such as `a` in `a is defined`, which can be without a value.
fn tested(tag: &str) -> BTreeSet<&str> {
    let is_in_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let before = tag.match_indices(" is ").map(|(at, _)| tag[..at].trim_end());
    before.filter_map(|before| before.rsplit(|c: char| !is_in_path(c)).next()).collect()
}

/// The words in tags that are not variables.
const WORDS: [&str; 26] = [
    "set",
    "if",
    "elif",
    "else",
    "endif",
    "for",
    "endfor",
    "in",
    "not",
    "and",
    "or",
    "is",
    "true",
    "false",
    "none",
    "True",
    "False",
    "None",
    "with",
    "endwith",
    "do",
    "break",
    "continue",
    "loop",
    "recursive",
    "endset",
];

fn name_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The length of a name with its attributes and indices: `a.b[0]`.
fn path_length(text: &str) -> usize {
    let mut length = name_length(text);
    loop {
        let rest = &text[length..];
        let more = match rest.strip_prefix('.') {
            Some(rest) => Some(1 + name_length(rest)).filter(|more| *more > 1),
            None => rest.strip_prefix('[').and_then(|rest| {
                let index = rest.find(|c: char| !(c.is_ascii_digit() || c == '-'))?;
                rest[index..].starts_with(']').then_some(index + 2).filter(|_| index > 0)
            }),
        };
        match more {
            Some(more) => length += more,
            None => return length,
        }
    }
}

/// The insides of all tags but comments, in order.
fn insides(text: &str) -> Vec<Range<usize>> {
    let line = |start: usize| start..text[start..].find('\n').map_or(text.len(), |end| start + end);
    let blocks = enclosed(text).filter(|(_, close)| *close != COMMENT[1]).map(|(tag, _)| tag);
    let mut tags: Vec<_> = blocks.chain(statements(text).map(line)).collect();
    tags.sort_unstable_by_key(|tag| tag.start);
    tags
}

/// The insides of the blocks, variables and comments of a template, in order, each with its closing mark.
fn enclosed(text: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    let mut next = 0;
    iter::from_fn(move || {
        let (after, close) = opening(&text[next..])?;
        let start = next + after;
        next = text[start..].find(close).map_or(text.len(), |length| start + length);
        Some((start..next, close))
    })
}

/// What is written, up to the most that is allowed.
struct Limited<'o>(&'o RefCell<Vec<u8>>);

impl io::Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut output = self.0.borrow_mut();
        if output.len() + bytes.len() > MAX_OUTPUT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        output.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn engine() -> Result<Environment<'static>, Error> {
    let mut engine = Environment::empty();
    engine.set_syntax(
        SyntaxConfig::builder()
            .block_delimiters(BLOCK[0], BLOCK[1])
            .variable_delimiters(VARIABLE[0], VARIABLE[1])
            .comment_delimiters(COMMENT[0], COMMENT[1])
            .line_statement_prefix(LINE)
            .keep_trailing_newline(true)
            .build()?,
    );
    // As in Jinja, a variable without a value is written as nothing, and counts as false.
    engine.set_undefined_behavior(UndefinedBehavior::Lenient);
    engine.set_fuel(Some(FUEL));
    engine.add_filter("default", filters::default);
    engine.add_filter("d", filters::default);
    engine.add_filter("abs", filters::abs);
    engine.add_filter("round", filters::round);
    engine.add_filter("int", filters::int);
    engine.add_filter("float", filters::float);
    engine.add_filter("string", filters::string);
    engine.add_filter("bool", filters::bool);
    engine.add_filter("length", filters::length);
    engine.add_filter("count", filters::length);
    engine.add_filter("first", filters::first);
    engine.add_filter("last", filters::last);
    engine.add_filter("list", filters::list);
    engine.add_filter("min", filters::min);
    engine.add_filter("max", filters::max);
    engine.add_filter("sum", filters::sum);
    engine.add_filter("sort", filters::sort);
    engine.add_filter("join", join);
    engine.add_filter("lower", filters::lower);
    engine.add_filter("upper", filters::upper);
    engine.add_filter("trim", filters::trim);
    engine.add_test("defined", conditions::is_defined);
    engine.add_test("undefined", conditions::is_undefined);
    engine.add_test("none", conditions::is_none);
    engine.add_test("number", conditions::is_number);
    engine.add_test("integer", conditions::is_integer);
    engine.add_test("float", conditions::is_float);
    engine.add_test("string", conditions::is_string);
    engine.add_test("boolean", conditions::is_boolean);
    engine.add_test("sequence", conditions::is_sequence);
    engine.add_test("mapping", conditions::is_mapping);
    engine.add_test("odd", conditions::is_odd);
    engine.add_test("even", conditions::is_even);
    engine.add_test("divisibleby", conditions::is_divisibleby);
    engine.add_function("range", range);
    engine.add_global("np", numeric());
    engine.add_global("math", numeric());
    Ok(engine)
}

fn range(start: i64, end: Option<i64>, step: Option<i64>) -> Result<Value, Error> {
    let ((start, end), step) = (end.map_or((0, start), |end| (start, end)), step.unwrap_or(1));
    let wrong = |message: &'static str| Err(Error::new(ErrorKind::InvalidOperation, message));
    if step == 0 {
        return wrong("a range has no step of 0");
    }
    let width = i128::from(end) - i128::from(start);
    let count = (width + i128::from(step) - i128::from(step.signum())) / i128::from(step);
    if count > i128::from(MAX_RANGE) {
        return wrong("a range has at most 10000 numbers");
    }
    Ok((0..count.max(0) as i64).map(|index| start + index * step).collect())
}

/// What templates use of numpy and of Python's `math`.
fn numeric() -> Value {
    const FUNCTIONS: [&str; 14] = [
        "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "radians", "degrees", "deg2rad", "floor",
        "ceil",
    ];
    let constants = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E), ("tau", std::f64::consts::TAU)];
    let constants = constants.map(|(name, number)| (name, Value::from(number)));
    let functions = FUNCTIONS.iter().filter_map(|name| {
        let function = expression::function(name)?;
        Some((*name, Value::from_function(function)))
    });
    constants.into_iter().chain(functions).collect::<BTreeMap<_, _>>().into()
}

/// The texts of a list in a row, no longer than a text may be.
fn join(values: &Value, between: Option<String>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut joined = String::new();
    for (index, value) in values.try_iter()?.enumerate() {
        if index > 0 {
            joined += &between;
        }
        joined += &value.to_string();
        if joined.len() > MAX_TEXT {
            return Err(Error::new(ErrorKind::InvalidOperation, "the text is too long"));
        }
    }
    Ok(joined)
}

/// Refuses what could make a text grow without end, and the line of it.
fn bounded(text: &str, variables: &Variables) -> Result<(), (usize, &'static str)> {
    let longest = variables.values().filter_map(|value| value.as_str().map(str::len)).max().unwrap_or(0);
    let mut size = longest.max(32);
    let joins = text.contains("join");
    for (line, tag) in tags(text) {
        let mut words = tag.trim_start_matches(['-', '+', ' ']).split_whitespace();
        let word = words.next();
        if !matches!(word, Some("set" | "with" | "for")) {
            continue;
        }
        if word == Some("set") && !tag.contains('=') {
            return Err((line, "a `set` that spans blocks cannot be imported: write `set name = value`"));
        }
        // Each operator joins one more of the longest texts so far; with `join`, a comma does, too.
        let commas = if joins { tag.matches(',').count() } else { 0 };
        let operators = tag.matches(['~', '+']).count() + commas;
        size = (size + tag.len()).saturating_mul(operators + 1);
        if size > MAX_TEXT {
            return Err((line, "too many `set` in a row that could make a text longer"));
        }
    }
    Ok(())
}

/// The insides of all blocks and line statements, with their lines.
fn tags(text: &str) -> Vec<(usize, &str)> {
    let mut blocks = text.match_indices(BLOCK[0]).map(|(at, _)| at + BLOCK[0].len()).peekable();
    let mut statements = statements(text).peekable();
    let (mut tags, mut line, mut done) = (Vec::new(), 1, 0);
    loop {
        // What lies within the last tag begins no other.
        while blocks.next_if(|start| *start < done).is_some() {}
        while statements.next_if(|start| *start < done).is_some() {}
        let block = blocks.peek().map(|start| (*start, BLOCK[1]));
        let statement = statements.peek().map(|start| (*start, "\n"));
        let Some((start, close)) = block.into_iter().chain(statement).min() else { return tags };
        line += text[done..start].matches('\n').count();
        let inside = &text[start..];
        let inside = &inside[..inside.find(close).unwrap_or(inside.len())];
        tags.push((line, inside));
        line += inside.matches('\n').count();
        done = start + inside.len();
    }
}

/// Where the insides of lines with [`LINE`] begin.
fn statements(text: &str) -> impl Iterator<Item = usize> {
    let mut next = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let begin = next;
        next += line.len();
        let content = line.trim_start();
        content.starts_with(LINE).then_some(begin + line.len() - content.len() + LINE.len())
    })
}

/// Two characters that are in none of these texts, to stand around the number of a line, so that what is written can be
/// traced to it. No keyboard has them.
fn marks<'t>(texts: impl Iterator<Item = &'t str>) -> Option<[char; 2]> {
    let mut free: BTreeSet<char> = PRIVATE.collect();
    for character in texts.flat_map(str::chars).filter(|character| PRIVATE.contains(character)) {
        free.remove(&character);
    }
    let mut free = free.into_iter();
    Some([free.next()?, free.next()?])
}

/// A text whose lines end with their numbers between marks, but for those that end within a tag.
fn marked(text: &str, marks: [char; 2]) -> String {
    let mut marked = String::with_capacity(text.len() + text.len() / 8);
    let mut open: Option<&str> = None;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        let is_statement = open.is_none() && content.trim_start().starts_with(LINE);
        let mut rest = if is_statement { "" } else { content };
        loop {
            let next = match open {
                Some(close) => rest.find(close).map(|at| (at + close.len(), None)),
                None => opening(rest).map(|(after, close)| (after, Some(close))),
            };
            let Some((after, now)) = next else { break };
            (rest, open) = (&rest[after..], now);
        }
        marked += content;
        // A mark after `-%>` would keep the blanks that it takes away.
        let takes_blanks = ["-%>", "-}>", "-#}"].iter().any(|tag| content.trim_end().ends_with(tag));
        if open.is_none() && !is_statement && !takes_blanks {
            marked += &format!("{}{}{}", marks[0], index + 1, marks[1]);
        }
        marked += end;
    }
    marked
}

/// The end of the first mark in a text that opens a tag, and what closes that.
fn opening(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices(['<', '{']).find_map(|(at, _)| {
        let tag = [BLOCK, VARIABLE, COMMENT].into_iter().find(|[open, _]| text[at..].starts_with(open));
        tag.map(|[open, close]| (at + open.len(), close))
    })
}

/// The numbers of the lines whose marks are in a text.
fn marked_lines(text: &str, marks: [char; 2]) -> BTreeSet<usize> {
    text.split(marks[0]).skip(1).filter_map(|rest| rest.split_once(marks[1])?.0.parse().ok()).collect()
}

/// The text without marks, and the line that each of its lines comes from.
fn unmarked(text: &str, marks: [char; 2]) -> (String, Vec<usize>) {
    let mut clean = String::with_capacity(text.len());
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut number = None;
        let mut rest = line;
        while let Some((before, after)) = rest.split_once(marks[0]) {
            clean += before;
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            rest = match after[digits..].strip_prefix(marks[1]) {
                Some(rest) => {
                    number = number.or(after[..digits].parse().ok());
                    rest
                }
                // An escape in the template made it.
                None => {
                    clean.push(marks[0]);
                    after
                }
            };
        }
        clean += rest;
        lines.push(number);
    }
    // A line without a mark goes with the next that has one.
    let mut next = lines.iter().rev().find_map(|line| *line).unwrap_or(1);
    let mut filled: Vec<usize> = lines
        .into_iter()
        .rev()
        .map(|line| {
            next = line.unwrap_or(next);
            next
        })
        .collect();
    filled.reverse();
    (clean, filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| ((*name).to_string(), value_of(value).unwrap())).collect()
    }

    fn text(template: &str, pairs: &[(&str, &str)]) -> String {
        render(template, &variables(pairs)).unwrap_or_else(|trouble| panic!("{trouble:?}")).text
    }

    fn trouble(template: &str) -> String {
        let Trouble { line, message, .. } = render(template, &Variables::new()).unwrap_err();
        format!("{line}: {message}")
    }

    #[test]
    fn runs_all_three_kinds_of_tags() {
        assert_eq!(text("n: <{ n | default(6) }>\n", &[]), "n: 6\n");
        assert_eq!(text("n: <{ n|default(6) }>\n", &[("n", "1_0")]), "n: 10\n");
        assert_eq!(text("<% set a = 2 %>\na: <{ a * 3 }>", &[]), "\na: 6");
        let lines = "agents:\n#%> for i in range(2)\n  - {x: <{ i }>}\n  #%> endfor\n# %> not\n##%> not\nb: 1\n";
        assert_eq!(text(lines, &[]), "agents:\n  - {x: 0}\n  - {x: 1}\n# %> not\n##%> not\nb: 1\n");
        assert_eq!(text("<% if mode == 'a' %>1<% elif mode %>2<% else %>3<% endif %>", &[("mode", "b")]), "2");
        assert_eq!(text("<{ math.pi // 1 }> <{ np.sqrt(4) }> <{ '%' }>{# gone #}", &[]), "3.0 2.0 %");
        assert_eq!(text("<%- if true -%>\n  a\n<%- endif -%>\nb", &[]), "ab");
    }

    #[test]
    fn lines_are_traced_to_the_template() {
        let rendered =
            render("a\n#%> for i in [1, 2]\nb\nc\n#%> endfor\n<% set\n  x = 1 %>\nd\n", &Variables::new()).unwrap();
        assert_eq!(rendered.text, "a\nb\nc\nb\nc\n\nd\n");
        assert_eq!(rendered.lines, [1, 3, 4, 3, 4, 7, 8]);
        assert_eq!(rendered.variables["x"], Value::from(1));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        assert!(trouble("a\nb: <{ n.x }>").starts_with("2: template: the variable `n` has no value"));
        assert!(trouble("a\n<% if %>").starts_with("2: template: "));
        assert!(trouble("<{ a | nope }>").contains("nope"));
        assert!(trouble("\n<% include 'x' %>").starts_with("2: "));
    }

    #[test]
    fn variables_hold_lists_maps_texts_and_numbers() {
        let given =
            [("g", "[0.2, 0.5, [1, x]]"), ("m", "{a: 1, b: {c: yes}}"), ("t", "'[1]'"), ("n", "-2.5"), ("w", "a b")];
        assert_eq!(text("<{ g[0] + g[2][0] }> <{ g[2][1] }> <{ g|length }>", &given), "1.2 x 3");
        assert_eq!(text("<{ m.a }> <{ m.b.c }> <{ m['a'] }>", &given), "1 True 1");
        assert_eq!(text("<{ t }> <{ n }> <{ w }>", &given), "[1] -2.5 a b");
        for wrong in ["[1, 2", "{a: ", "'a", "[*b]", "{a: &b 1, c: *b}"] {
            assert!(value_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_the_variable_that_has_no_value() {
        let given = variables(&[("g", "[1, 2]"), ("m", "{a: 1}")]);
        for (template, place, name) in [
            ("a\nb: [<{ g[0] }>, <{ h[0] }>]", (2, 20), "the variable `h` has no value"),
            ("b: <{ g[0] }> <{ 'h' ~ m.b.c }>", (1, 24), "`m.b.c` has no value"),
            ("<{ x|default(1) }> <{ m.a + m.b }>", (1, 29), "`m.b` has no value"),
            ("#%> set a = 1\n#%> if a > n[0]\n#%> endif\n", (2, 12), "the variable `n` has no value"),
            ("<% set b = y|d(2) + z %>", (1, 21), "the variable `z` has no value"),
            ("{# <{ a }> #}<{ b.c }>", (1, 17), "the variable `b` has no value"),
        ] {
            let Trouble { line, column, message } = render(template, &given).unwrap_err();
            assert_eq!((line, column), place, "{template}: {message}");
            assert!(message.contains(name), "{template}: {message}");
        }
    }

    #[test]
    fn a_variable_without_a_value_is_written_as_nothing() {
        let Rendered { text, missing, .. } = render("a: 1\nseed: <{ seed }>\n", &Variables::new()).unwrap();
        assert_eq!(text, "a: 1\nseed: \n");
        let Trouble { line, column, message } = missing.unwrap();
        assert_eq!((line, column), (2, 10));
        assert!(message.contains("the variable `seed` has no value"), "{message}");
        for fine in [
            "<{ seed|default(1) }>",
            "<% if seed %>1<% endif %>",
            "#%> for a in [1]\n<{ a }>\n#%> endfor\n",
            "<% if seed %>\nseed: <{ seed }>\n<% endif %>",
            "<{ seed if seed is defined else 3 }>",
            "<{ 1 if 2 is not odd else 3 }>",
            "{# <{ seed }> #}",
        ] {
            assert!(render(fine, &Variables::new()).unwrap().missing.is_none(), "{fine}");
        }
    }

    #[test]
    fn characters_of_the_user_stay() {
        let rendered = render("a: \u{f8f0}7\u{f8f1}\u{e000}\nb: <{ 1 }>\n", &Variables::new()).unwrap();
        assert_eq!((rendered.text.as_str(), rendered.lines), ("a: \u{f8f0}7\u{f8f1}\u{e000}\nb: 1\n", vec![1, 2]));
    }

    #[test]
    fn many_tags_and_lines_are_found_in_one_go() {
        let many = 100_000;
        for (piece, count) in [("#%> set a = 1\n", many), ("<{ 1 }> ", 0), ("<% if a %>", many), ("x #%> \n", 0)] {
            let text = piece.repeat(many);
            assert_eq!((tags(&text).len(), marked(&text, ['\u{e000}', '\u{e001}']).is_empty()), (count, false));
        }
    }

    #[test]
    fn tags_stand_in_their_lines() {
        let found = tags("#%> set a = 1\n<% set b\n= 2 %>#%> x\n y #%> z\n  #%> set c = 3");
        assert_eq!(found, [(1, " set a = 1"), (2, " set b\n= 2 "), (5, " set c = 3")]);
    }

    #[test]
    fn bounds_its_time_and_memory() {
        let loops = "<% for i in range(9999) %>".repeat(3) + "x" + &"<% endfor %>".repeat(3);
        assert_eq!(trouble(&loops), "1: template: it goes on for too long");
        assert!(trouble("<% for i in range(10 ** 12) %><% endfor %>").contains("at most 10000"));
        assert!(
            trouble(&format!("<% set x = '0' %>\n{}", "<% set x = x ~ x %>\n".repeat(40))).contains("too many `set`")
        );
        assert!(trouble("<% set x %>y<% endset %>").contains("spans blocks"));
        let long = format!("<% set x = '{}' %><% for i in range(9999) %><{{ x }}><% endfor %>", "x".repeat(5000));
        assert_eq!(trouble(&long), "1: template: it writes more than 16 MiB");
        assert!(trouble("<{ 'x' * 10 ** 10 }>").contains("too large"));
        assert!(trouble("<{ 'x' * 10 ** 10 }>\n<{ a }>").contains("too large"));
        let quoted = format!("<{{ '{}' }}>", "<{ ".repeat(300_000));
        assert!(render(&quoted, &Variables::new()).unwrap().missing.is_none());
    }
}
