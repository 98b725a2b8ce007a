//! Why an expression cannot be translated.

use swarmarium_core::expression::ExpressionError;

use crate::language::python::SyntaxError;

/// Why an expression of RobotSwarmSimulator cannot be translated into one of a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TermError {
    /// The text is not an expression or a template of Jinja.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The scene cannot evaluate the translation.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// The translation is longer than a term can be.
    #[error("it is too long")]
    TooLong,
    /// A path or a function is unknown.
    #[error("`{0}` has no counterpart")]
    NoCounterpart(String),
    /// A text stands where only numbers can be.
    #[error("there are no texts such as `'{0}'`")]
    Text(String),
    /// A list stands where only numbers can be.
    #[error("there are no lists, but after `in` and before `|max` and the like")]
    List,
    /// An index is an expression.
    #[error("an index can only be a number or a text")]
    Index,
    /// The right side of an integer division or a remainder is not a whole number above 0.
    #[error("`{0}` needs a whole number above 0 on its right")]
    Divisor(&'static str),
    /// The exponent of a power has no counterpart.
    #[error("a power can only be 1, 2, 3 or 0.5")]
    Power,
    /// An operator takes texts only.
    #[error("`{0}` joins texts, and there are none")]
    TextOperator(&'static str),
    /// The right side of `in` is not a list.
    #[error("`in` needs a list of numbers on its right")]
    Membership,
    /// A filter such as `max` gets a list without items.
    #[error("an empty list")]
    EmptyList,
    /// A filter of lists has no counterpart.
    #[error("the filter `{0}` of a list cannot be imported")]
    ListFilter(String),
    /// The length of something other than the population is asked for.
    #[error("only `world.population` has a `{0}`")]
    Length(String),
    /// A filter has no counterpart.
    #[error("the filter `{0}` cannot be imported")]
    Filter(String),
    /// A test has no counterpart.
    #[error("the test `is {0}` cannot be imported")]
    Test(String),
    /// A metric has no column with one number.
    #[error("the metric has no number, or several")]
    NoNumber,
    /// The metric is left out, since its class or a part of it has no counterpart.
    #[error("a metric that it names is left out")]
    LeftOut,
    /// A path names a metric that does not exist.
    #[error("there is no `{0}`")]
    NoMetric(String),
    /// A path names an inner metric that does not exist, by its index.
    #[error("there is no `metrics[{0}]` within it")]
    NoInnerMetric(i64),
    /// No agent has this index.
    #[error("there is no `world.population[{0}]`")]
    AgentIndex(i64),
    /// A path names a variable of a template that is evaluated later.
    #[error("variables of templates can be named only after their metric")]
    LaterVariable,
    /// A comparison of texts has no counterpart.
    #[error("of texts, only `agent.team == '…'` and `!=` have a counterpart, joined by `and`")]
    TextComparison,
}
