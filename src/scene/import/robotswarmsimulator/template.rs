//! The Jinja templates that RobotSwarmSimulator runs YAML files through: `<% %>`, `<{ }>` and lines with `#%>`.
//!
//! What a template can do is bounded: its steps, the length of what it writes, and how often texts can grow.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, filters, tests as conditions};

use super::expression;
use super::scalar::{self, Scalar};

/// Variables by name.
pub type Variables = BTreeMap<String, Value>;

const BLOCK: [&str; 2] = ["<%", "%>"];
const VARIABLE: [&str; 2] = ["<{", "}>"];
const COMMENT: [&str; 2] = ["{#", "#}"];
const LINE: &str = "#%>";
/// Around the number of a line, so that what is written can be traced to it. No keyboard has these.
const MARKS: [char; 2] = ['\u{f8f0}', '\u{f8f1}'];
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
}

/// What is wrong with a template, and the line.
#[derive(Debug)]
pub struct Trouble {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Whether there is something of a template in a text, comments of YAML included.
pub fn is_template(text: &str) -> bool {
    [BLOCK[0], VARIABLE[0], COMMENT[0]].iter().any(|mark| text.contains(mark))
        || text.lines().any(|line| line.trim_start().starts_with(LINE))
}

/// What `--var name=value` gives a variable: a number, a truth value or a text, as YAML has it.
pub fn value_of(text: &str) -> Value {
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
    let trouble = |line, message: &str| Trouble { line, message: format!("template: {message}") };
    let failed = |error: &Error| {
        let kind = match error.kind() {
            ErrorKind::UndefinedError => "a variable has no value: give it one with `--var name=value`, or a `default`",
            ErrorKind::OutOfFuel => "it goes on for too long",
            ErrorKind::WriteFailure => "it writes more than 16 MiB",
            _ => "",
        };
        let own = error.detail().map_or_else(|| error.kind().to_string(), str::to_string);
        trouble(error.line().unwrap_or(1), if kind.is_empty() { &own } else { kind })
    };
    let marked = marked(text);
    bounded(text, variables).map_err(|(line, message)| trouble(line, message))?;
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
    let (text, lines) = unmarked(&written);
    Ok(Rendered { text, lines, variables })
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
    engine.set_undefined_behavior(UndefinedBehavior::SemiStrict);
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
        let commas = if text.contains("join") { tag.matches(',').count() } else { 0 };
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
    let mut tags = Vec::new();
    let mut line_number = 1;
    let mut rest = text;
    loop {
        let block = rest.find(BLOCK[0]).map(|at| (at, at + BLOCK[0].len(), BLOCK[1]));
        let statement = rest.match_indices(LINE).find(|(at, _)| {
            let before = &rest[..*at];
            before[before.rfind('\n').map_or(0, |end| end + 1)..].trim().is_empty()
        });
        let statement = statement.map(|(at, _)| (at, at + LINE.len(), "\n"));
        let Some((_, start, close)) = block.into_iter().chain(statement).min() else { return tags };
        line_number += rest[..start].matches('\n').count();
        let inside = &rest[start..];
        let end = inside.find(close).unwrap_or(inside.len());
        tags.push((line_number, &inside[..end]));
        line_number += inside[..end].matches('\n').count();
        rest = &inside[end..];
    }
}

/// A text whose lines end with their numbers, but for those that end within a tag.
fn marked(text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + text.len() / 8);
    if text.contains(MARKS) {
        return text.to_string();
    }
    let mut open: Option<&str> = None;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        let is_statement = open.is_none() && content.trim_start().starts_with(LINE);
        let mut rest = if is_statement { "" } else { content };
        loop {
            let next = match open {
                Some(close) => rest.find(close).map(|at| (at + close.len(), None)),
                None => [BLOCK, VARIABLE, COMMENT]
                    .iter()
                    .filter_map(|[start, close]| Some((rest.find(start)? + start.len(), Some(*close))))
                    .min(),
            };
            let Some((after, now)) = next else { break };
            (rest, open) = (&rest[after..], now);
        }
        marked += content;
        // A mark after `-%>` would keep the blanks that it takes away.
        let takes_blanks = ["-%>", "-}>", "-#}"].iter().any(|tag| content.trim_end().ends_with(tag));
        if open.is_none() && !is_statement && !takes_blanks {
            marked += &format!("{}{}{}", MARKS[0], index + 1, MARKS[1]);
        }
        marked += end;
    }
    marked
}

/// The text without marks, and the line that each of its lines comes from.
fn unmarked(text: &str) -> (String, Vec<usize>) {
    let mut clean = String::with_capacity(text.len());
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut number = None;
        let mut rest = line;
        while let Some((before, after)) = rest.split_once(MARKS[0]) {
            clean += before;
            let (digits, after) = after.split_once(MARKS[1]).unwrap_or((after, ""));
            number = number.or(digits.parse().ok());
            rest = after;
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
        pairs.iter().map(|(name, value)| ((*name).to_string(), value_of(value))).collect()
    }

    fn text(template: &str, pairs: &[(&str, &str)]) -> String {
        render(template, &variables(pairs)).unwrap_or_else(|trouble| panic!("{trouble:?}")).text
    }

    fn trouble(template: &str) -> String {
        let Trouble { line, message } = render(template, &Variables::new()).unwrap_err();
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
        assert!(trouble("a\nb: <{ n }>").starts_with("2: template: a variable has no value"));
        assert!(trouble("a\n<% if %>").starts_with("2: template: "));
        assert!(trouble("<{ a | nope }>").contains("nope"));
        assert!(trouble("\n<% include 'x' %>").starts_with("2: "));
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
    }
}
