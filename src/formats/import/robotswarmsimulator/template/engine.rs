//! The engine that runs templates, with the filters, tests and functions that templates can use.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, filters, tests as conditions};

use super::growth::MAX_TEXT;
use super::tags::{BLOCK, COMMENT, LINE, VARIABLE};
use crate::import::robotswarmsimulator::expression;

/// The most steps of a template.
const FUEL: u64 = 1_000_000;
/// The longest output of a template, in bytes.
const MAX_OUTPUT: usize = 16 << 20;
/// The most numbers that `range` gives.
const MAX_RANGE: i64 = 10_000;

/// A writer that fails beyond the longest output.
pub(super) struct BoundedOutput<'o>(pub &'o RefCell<Vec<u8>>);

impl io::Write for BoundedOutput<'_> {
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

/// An engine without templates.
///
/// # Errors
/// When the engine refuses the marks of tags.
pub(super) fn new_engine() -> Result<Environment<'static>, Error> {
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
    engine.add_global("np", math_functions());
    engine.add_global("math", math_functions());
    Ok(engine)
}

/// The numbers of a range, as Jinja's `range` gives them.
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

/// The constants and functions of numpy and of Python's `math` that templates can use.
fn math_functions() -> Value {
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

/// Joins the texts of a list, up to the longest text that a variable can hold.
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
