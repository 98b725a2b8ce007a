//! Expressions of RobotSwarmSimulator as expressions of scenes.
//!
//! In RobotSwarmSimulator, a metric can have no value (`None`), which `and`, `or` and `if` treat as false. In a scene, an
//! expression that names a metric without a value has none itself, unless `default` encloses the name. A [`Term`] keeps
//! the conditions that translate one into the other.

use crate::language::python::Expr;

mod error;

pub use error::TermError;

/// The longest text of a term, in bytes. Powers, lists and some filters repeat their operand, so nested ones would grow
/// exponentially.
const MAX_LENGTH: usize = 10_000;

/// The translation of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// A number or a truth value; an arbitrary number where the term has no value.
    text: String,
    /// Whether the text is a truth value.
    is_truth: bool,
    /// A condition that holds where the term has a value; `None` if it always has one.
    exists: Option<String>,
    /// A condition that holds where RobotSwarmSimulator treats the value as true; `None` if the text is that condition.
    truth: Option<String>,
}

type Outcome = Result<Term, TermError>;

/// Translates a path of an expression; `None` if the path is unknown.
pub type Lookup<'l> = dyn FnMut(&str) -> Result<Option<Term>, TermError> + 'l;

impl Term {
    /// A number.
    pub fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_truth: false, exists: None, truth: None }
    }

    /// True or false.
    pub fn truth(text: impl Into<String>) -> Self {
        Self { is_truth: true, ..Self::number(text) }
    }

    /// No value.
    pub fn nothing() -> Self {
        let never = Some("false".to_owned());
        Self { exists: never.clone(), truth: never, ..Self::number("0") }
    }

    /// The number of a column that can be empty; an empty column has the value `otherwise`, or none.
    pub fn column(name: &str, otherwise: Option<f64>) -> Self {
        match otherwise {
            Some(number) => Self::number(format!("default({name}, {number:?})")),
            None => {
                let exists = Some(format!("default({name}, 0) == default({name}, 1)"));
                Self { exists, ..Self::number(format!("default({name}, 0)")) }
            }
        }
    }

    /// An agent by its number in a column that is empty while no agent is found; its value is then `otherwise`, or none.
    pub fn agent(name: &str, otherwise: Option<f64>) -> Self {
        let found = format!("default({name}, -1) >= 0");
        let number = |number: f64| Self::number(format!("default({name}, {number:?})"));
        match otherwise {
            None => Self { exists: Some(found.clone()), truth: Some(found), ..number(-1.0) },
            Some(0.0) => Self { truth: Some(found), ..number(0.0) },
            Some(other) => Self { truth: Some("true".into()), ..number(other) },
        }
    }

    /// The expression of the value, which is `none` where the term has no value.
    pub fn value(&self) -> String {
        match &self.exists {
            Some(exists) => format!("({} if {exists} else none)", self.text),
            None => self.text.clone(),
        }
    }

    /// The expression of the term as a condition.
    pub fn holds(&self) -> String {
        self.truth.clone().unwrap_or_else(|| self.text.clone())
    }

    /// Whether the term can be without a value.
    pub fn may_be_nothing(&self) -> bool {
        self.exists.is_some()
    }

    /// The value where a condition holds, else that of another term.
    pub fn or_where(&self, condition: &str, other: &Self) -> Self {
        let is_truth = self.is_truth && other.is_truth;
        let text = |term: &Self| if is_truth { term.text.clone() } else { term.as_number() };
        let either = |one: &str, two: &str| format!("({one} if {condition} else {two})");
        let exists = |term: &Self| term.exists.clone().unwrap_or_else(|| "true".into());
        Self {
            text: either(&text(self), &text(other)),
            is_truth,
            exists: (self.exists.is_some() || other.exists.is_some()).then(|| either(&exists(self), &exists(other))),
            truth: (self.truth.is_some() || other.truth.is_some()).then(|| either(&self.holds(), &other.holds())),
        }
    }

    fn as_number(&self) -> String {
        match (self.is_truth, self.text.as_str()) {
            (true, "true") => "1".into(),
            (true, "false") => "0".into(),
            (true, text) => format!("(1 if {text} else 0)"),
            (false, text) => text.to_owned(),
        }
    }

    fn negated(&self) -> Self {
        Self::truth(format!("(not {})", self.holds()))
    }

    /// The conjunction of those conditions that are `Some`.
    fn all(conditions: [&Option<String>; 2]) -> Option<String> {
        let [one, other] = conditions.map(Option::as_deref);
        match (one, other) {
            (Some(one), Some(other)) => Some(format!("({one} and {other})")),
            (one, other) => one.or(other).map(str::to_owned),
        }
    }

    fn equals(&self, other: &Self) -> Self {
        let same = format!("{} == {}", self.as_number(), other.as_number());
        let both = Self::all([&self.exists, &other.exists]);
        Self::truth(match (both, &self.exists, &other.exists) {
            (None, ..) => format!("({same})"),
            (Some(_), Some(one), Some(two)) => format!("(({one} and {two} and {same}) or not ({one} or {two}))"),
            (Some(both), ..) => format!("({both} and {same})"),
        })
    }

    fn is_nothing(&self) -> Self {
        Self::truth(self.exists.as_ref().map_or_else(|| "false".to_owned(), |exists| format!("(not ({exists}))")))
    }
}

/// The path of an expression that is nothing else: `world.metrics[1].value`, `agent.getPosition()[0]`.
pub fn path(expression: &Expr) -> Option<String> {
    Some(match expression {
        Expr::Name(name) => name.clone(),
        Expr::Attribute(base, name) => format!("{}.{name}", path(base)?),
        Expr::Call(base, arguments) if arguments.is_empty() => format!("{}()", path(base)?),
        Expr::Item(base, index) => match &**index {
            Expr::Text(name) => format!("{}.{name}", path(base)?),
            Expr::Number(number) => format!("{}[{number}]", path(base)?),
            Expr::Signed("-", number) => match &**number {
                Expr::Number(number) => format!("{}[-{number}]", path(base)?),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    })
}

/// Translates an expression.
///
/// # Errors
/// Names the part that has no counterpart in the expressions of scenes.
pub fn term(expression: &Expr, lookup: &mut Lookup) -> Outcome {
    let term = unbounded_term(expression, lookup)?;
    let texts = [Some(&term.text), term.exists.as_ref(), term.truth.as_ref()];
    if texts.into_iter().flatten().any(|text| text.len() > MAX_LENGTH) {
        return Err(TermError::TooLong);
    }
    Ok(term)
}

fn unbounded_term(expression: &Expr, lookup: &mut Lookup) -> Outcome {
    if let Some(path) = path(expression) {
        if let Some(term) = lookup(&path)? {
            return Ok(term);
        }
        return constant(&path).ok_or(TermError::NoCounterpart(path));
    }
    Ok(match expression {
        Expr::Number(number) => Term::number(number),
        Expr::Truth(truth) => Term::truth(truth.to_string()),
        Expr::Nothing => Term::nothing(),
        Expr::Text(text) => return Err(TermError::Text(text.clone())),
        Expr::Signed(sign, inner) => {
            let inner = term(inner, lookup)?;
            let number = inner.as_number();
            let number = if *sign == "-" { format!("(-{number})") } else { number };
            Term { exists: inner.exists, ..Term::number(number) }
        }
        Expr::Named(_, inner) => term(inner, lookup)?,
        Expr::Not(inner) => term(inner, lookup)?.negated(),
        Expr::Binary(operator, left, right) => binary(operator, left, right, lookup)?,
        Expr::Compare(first, more) => compare(first, more, lookup)?,
        Expr::And(left, right) => {
            let (left, right) = (term(left, lookup)?, term(right, lookup)?);
            let both = format!("({} and {})", left.holds(), right.holds());
            combined(&left, &right, both, |left, right| right.or_where(&left.holds(), left))
        }
        Expr::Or(left, right) => {
            let (left, right) = (term(left, lookup)?, term(right, lookup)?);
            let either = format!("({} or {})", left.holds(), right.holds());
            combined(&left, &right, either, |left, right| left.or_where(&left.holds(), right))
        }
        Expr::If(condition, value, otherwise) => {
            let condition = term(condition, lookup)?.holds();
            let (value, otherwise) = (term(value, lookup)?, term(otherwise, lookup)?);
            value.or_where(&condition, &otherwise)
        }
        Expr::Filter(base, name, arguments) => filter(base, name, arguments, lookup)?,
        Expr::Test(base, name, arguments) => test(base, name, arguments, lookup)?,
        Expr::Call(function, arguments) => call(function, arguments, lookup)?,
        Expr::Name(_) | Expr::Attribute(..) | Expr::Item(..) | Expr::Slice(_) => return Err(TermError::Index),
        Expr::List(_) | Expr::Tuple(_) | Expr::Dict(_) | Expr::Set(_) | Expr::Star(_) | Expr::Comprehension(..) => {
            return Err(TermError::List);
        }
    })
}

/// The term of `and` or `or`: its value is one of its sides.
fn combined(left: &Term, right: &Term, condition: String, value: impl Fn(&Term, &Term) -> Term) -> Term {
    let are_truths = [left, right].iter().all(|side| side.is_truth && side.exists.is_none());
    if are_truths { Term::truth(condition) } else { Term { truth: Some(condition), ..value(left, right) } }
}

fn binary(operator: &'static str, left: &Expr, right: &Expr, lookup: &mut Lookup) -> Outcome {
    let whole = |expression: &Expr| match expression {
        Expr::Number(number) => number.parse::<u32>().ok().filter(|number| *number > 0),
        _ => None,
    };
    let power = match (operator, right) {
        ("**", Expr::Number(number)) => Some(number.as_str()),
        _ => None,
    };
    let (left, divisor) = (term(left, lookup)?, whole(right));
    let right = term(right, lookup)?;
    let (one, other) = (left.as_number(), right.as_number());
    let text = match operator {
        "+" | "-" | "*" | "/" => format!("({one} {operator} {other})"),
        "//" | "%" if divisor.is_some() => format!("({one} {operator} {other})"),
        "//" | "%" => return Err(TermError::Divisor(operator)),
        "**" => match power {
            Some("1") => one,
            Some("2") => format!("({one} * {one})"),
            Some("3") => format!("({one} * {one} * {one})"),
            Some("0.5") => format!("sqrt({one})"),
            _ => return Err(TermError::Power),
        },
        _ => return Err(TermError::TextOperator(operator)),
    };
    Ok(Term { exists: Term::all([&left.exists, &right.exists]), ..Term::number(text) })
}

/// Chained comparisons hold when each of them holds.
fn compare(first: &Expr, more: &[(&'static str, Expr)], lookup: &mut Lookup) -> Outcome {
    let mut left = term(first, lookup)?;
    let mut all: Option<String> = None;
    for (operator, expression) in more {
        let (holds, right) = match (*operator, expression) {
            ("in" | "not in", Expr::List(items) | Expr::Tuple(items)) => {
                let mut any = Vec::new();
                for item in items {
                    any.push(left.equals(&term(item, lookup)?).text);
                }
                let any = if any.is_empty() { "false".to_owned() } else { format!("({})", any.join(" or ")) };
                let any = Term::truth(any);
                (if *operator == "in" { any } else { any.negated() }, left.clone())
            }
            ("in" | "not in", _) => return Err(TermError::Membership),
            ("==", _) => {
                let right = term(expression, lookup)?;
                (left.equals(&right), right)
            }
            ("!=", _) => {
                let right = term(expression, lookup)?;
                (left.equals(&right).negated(), right)
            }
            (operator, _) => {
                let right = term(expression, lookup)?;
                // Python refuses to compare `None`.
                let is_never = |term: &Term| term.exists.as_deref() == Some("false");
                if is_never(&left) || is_never(&right) {
                    return Ok(Term::truth("false"));
                }
                (Term::truth(format!("({} {operator} {})", left.as_number(), right.as_number())), right)
            }
        };
        all = Some(all.map_or_else(|| holds.text.clone(), |all| format!("({all} and {})", holds.text)));
        left = right;
    }
    Ok(Term::truth(all.unwrap_or_default()))
}

/// Arguments without their names: only their order counts.
fn unnamed(arguments: &[Expr]) -> Vec<Expr> {
    let value =
        |argument: &Expr| if let Expr::Named(_, value) = argument { (**value).clone() } else { argument.clone() };
    arguments.iter().map(value).collect()
}

fn filter(base: &Expr, name: &str, arguments: &[Expr], lookup: &mut Lookup) -> Outcome {
    let arguments = &unnamed(arguments)[..];
    let no_arguments = arguments.is_empty();
    if let Expr::List(items) | Expr::Tuple(items) = base {
        let items = items.iter().map(|item| term(item, lookup)).collect::<Result<Vec<_>, _>>()?;
        let joined = |join: &dyn Fn(&Term, &Term) -> Term| {
            items.iter().cloned().reduce(|one, other| join(&one, &other)).ok_or(TermError::EmptyList)
        };
        let sign = |sign: &'static str| {
            move |one: &Term, other: &Term| Term::number(format!("({} {sign} {})", one.as_number(), other.as_number()))
        };
        let function = |function: &'static str| {
            move |one: &Term, other: &Term| {
                Term::number(format!("{function}({}, {})", one.as_number(), other.as_number()))
            }
        };
        let condition = |word: &'static str| {
            move |one: &Term, other: &Term| Term::truth(format!("({} {word} {})", one.holds(), other.holds()))
        };
        return match name {
            "max" | "min" if no_arguments => joined(&function(if name == "max" { "max" } else { "min" })),
            "sum" if no_arguments => joined(&sign("+")),
            "alltrue" => joined(&condition("and")),
            "anytrue" => joined(&condition("or")),
            "first" | "last" => {
                let item = if name == "first" { items.first() } else { items.last() };
                item.cloned().ok_or(TermError::EmptyList)
            }
            "list" => Err(TermError::List),
            "length" | "count" => Ok(Term::number(items.len().to_string())),
            _ => Err(TermError::ListFilter(name.to_owned())),
        };
    }
    if matches!(name, "length" | "count") {
        return match path(base).as_deref() {
            Some("world.population" | "self.world.population") => Ok(Term::number("count")),
            _ => Err(TermError::Length(name.to_owned())),
        };
    }
    let value = term(base, lookup);
    match (name, arguments) {
        ("default" | "d", [otherwise]) => match (value, base) {
            (Err(_), Expr::Name(_)) => term(otherwise, lookup),
            // To Jinja, `None` is a value.
            (value, _) => value,
        },
        ("default" | "d", [otherwise, Expr::Truth(true)]) => {
            let value = value?;
            Ok(value.or_where(&value.holds(), &term(otherwise, lookup)?))
        }
        ("abs" | "int" | "float", []) => {
            let value = value?;
            let number = value.as_number();
            let text = match name {
                "abs" => format!("abs({number})"),
                "int" => format!("(floor({number}) if {number} >= 0 else -floor(-{number}))"),
                _ => number,
            };
            Ok(Term { exists: value.exists, ..Term::number(text) })
        }
        _ => Err(TermError::Filter(name.to_owned())),
    }
}

fn test(base: &Expr, name: &str, arguments: &[Expr], lookup: &mut Lookup) -> Outcome {
    let value = term(base, lookup);
    match (name, arguments) {
        ("defined" | "undefined", []) => {
            let is_unknown = value.is_err() && matches!(base, Expr::Name(_));
            if !is_unknown {
                value?;
            }
            Ok(Term::truth((is_unknown == (name == "undefined")).to_string()))
        }
        ("none", []) => Ok(value?.is_nothing()),
        ("odd", []) => Ok(Term::truth(format!("({} % 2 == 1)", value?.as_number()))),
        ("even", []) => Ok(Term::truth(format!("({} % 2 == 0)", value?.as_number()))),
        _ => Err(TermError::Test(name.to_owned())),
    }
}

fn call(callee: &Expr, arguments: &[Expr], lookup: &mut Lookup) -> Outcome {
    let name = path(callee).unwrap_or_default();
    if let ("len", [inner]) = (name.as_str(), arguments) {
        return filter(inner, "length", &[], lookup);
    }
    let short = ["np.", "math."].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    let arguments = arguments.iter().map(|argument| Ok(term(argument, lookup)?.as_number()));
    let arguments = arguments.collect::<Result<Vec<_>, TermError>>()?;
    let function = match (short, arguments.len()) {
        ("abs" | "absolute" | "fabs", 1) => "abs",
        ("sqrt" | "sin" | "cos" | "exp" | "floor", 1) => short,
        ("min" | "minimum" | "fmin", 2) => "min",
        ("max" | "maximum" | "fmax", 2) => "max",
        _ => return Err(TermError::NoCounterpart(format!("{name}()"))),
    };
    Ok(Term::number(format!("{function}({})", arguments.join(", "))))
}

fn constant(path: &str) -> Option<Term> {
    let name = ["np.", "math."].iter().find_map(|prefix| path.strip_prefix(prefix))?;
    let number = match name {
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "tau" => std::f64::consts::TAU,
        _ => return None,
    };
    Some(Term::number(format!("{number:?}")))
}

#[cfg(test)]
mod tests;
