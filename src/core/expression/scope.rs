//! The names and values that expressions can use.

use std::sync::OnceLock;

use super::{Expression, PREVIOUS};

/// The largest number of expressions that [`Expressions`] keep.
const MOST: usize = 256;

/// The values of names: the step, the time, the number of agents, the metrics above, and additional ones.
#[derive(Clone, Copy, Default)]
pub struct Scope<'a> {
    /// Number of steps done.
    pub step: u64,
    /// Simulated time in seconds.
    pub t_s: f64,
    /// Number of agents.
    pub count: usize,
    /// Values of the columns, as far as they are known.
    pub values: &'a [f64],
    /// Values of the columns one step before, as far as they are known.
    pub previous: &'a [f64],
    /// Additional names. They hide columns of the same name.
    pub more_names: &'static [&'static str],
    /// Values of the additional names, as far as they are known.
    pub more: &'a [f64],
    /// The compiled expressions over the columns. Without them, there are no names of columns, and each evaluation
    /// compiles its expression.
    pub expressions: Option<&'a Expressions>,
}

impl Scope<'_> {
    /// The value of an expression: 1 and 0 for true and false, `NaN` if it has none.
    pub fn value(&self, text: &str) -> f64 {
        match self.expressions {
            Some(expressions) => expressions.value(text, self),
            None => Compiled::new(text, &[], self.more_names).value(self),
        }
    }

    /// Whether an expression holds: it has a value other than 0.
    pub fn holds(&self, text: &str) -> bool {
        super::is_true(self.value(text))
    }
}

/// The place of the value of a name within a [`Scope`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Step,
    Time,
    Count,
    Column(usize),
    Previous(usize),
    More(usize),
    /// The name is unknown, and never has a value.
    Nothing,
}

impl Slot {
    /// The slot of a name.
    pub fn of(name: &str, columns: &[String], more: &[&str]) -> Self {
        let column = |name: &str| columns.iter().position(|known| known == name);
        match name {
            "step" => return Self::Step,
            "t_s" => return Self::Time,
            "count" => return Self::Count,
            _ => {}
        }
        if let Some(place) = more.iter().position(|known| *known == name) {
            return Self::More(place);
        }
        // A metric with the label `previous` has columns that begin with the prefix.
        let previous = || name.strip_prefix(PREVIOUS).and_then(column);
        column(name).map(Self::Column).or_else(|| previous().map(Self::Previous)).unwrap_or(Self::Nothing)
    }

    /// The value; `NaN` if it is not known.
    pub fn value(self, scope: &Scope) -> f64 {
        let (values, place) = match self {
            Self::Step => return scope.step as f64,
            Self::Time => return scope.t_s,
            Self::Count => return scope.count as f64,
            Self::Column(place) => (scope.values, place),
            Self::Previous(place) => (scope.previous, place),
            Self::More(place) => (scope.more, place),
            Self::Nothing => return f64::NAN,
        };
        values.get(place).copied().unwrap_or(f64::NAN)
    }
}

/// The expressions over the columns of one simulation, each compiled at its first evaluation.
///
/// They are a list to which entries are only added, so that any number of threads evaluate without waiting. An
/// expression that an edit replaces stays in the list. Beyond 256 expressions, each evaluation compiles its expression.
#[derive(Debug, Default)]
pub struct Expressions {
    columns: Vec<String>,
    first: OnceLock<Box<Entry>>,
}

#[derive(Debug)]
struct Entry {
    text: String,
    more_names: &'static [&'static str],
    compiled: Compiled,
    next: OnceLock<Box<Self>>,
}

/// A compiled expression, or none if the text is not valid.
#[derive(Debug)]
struct Compiled(Option<Expression>);

impl Compiled {
    fn new(text: &str, columns: &[String], more_names: &[&str]) -> Self {
        Self(Expression::new(text, columns, more_names).ok())
    }

    fn value(&self, scope: &Scope) -> f64 {
        self.0.as_ref().map_or(f64::NAN, |expression| expression.value(scope))
    }
}

impl Expressions {
    /// Creates an empty list of expressions over columns.
    pub const fn new(columns: Vec<String>) -> Self {
        Self { columns, first: OnceLock::new() }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The value of an expression in a scope.
    fn value(&self, text: &str, scope: &Scope) -> f64 {
        let names = scope.more_names;
        let compile = || Compiled::new(text, &self.columns, names);
        let mut place = &self.first;
        for _ in 0..MOST {
            let entry = place.get_or_init(|| {
                let (text, compiled) = (text.to_owned(), compile());
                Box::new(Entry { text, more_names: names, compiled, next: OnceLock::new() })
            });
            if entry.text == text && (std::ptr::eq(entry.more_names, names) || entry.more_names == names) {
                return entry.compiled.value(scope);
            }
            place = &entry.next;
        }
        compile().value(scope)
    }
}
