//! Measures: the numbers that a run is reduced to.

use std::fmt;
use std::str::FromStr;

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::Optional;
use thiserror::Error;

/// A number that a run is reduced to, such as the mean of a metric over the last ten seconds.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub struct Measure {
    /// The name of its column.
    pub name: String,
    /// The observed quantity: the column of a metric, or an expression over metrics, `step`, `t_s` and `count`. Without it,
    /// the metric of the name.
    pub of: String,
    /// How the values of the steps become one number.
    pub take: Take,
    /// The part of the run that is looked at.
    pub over: Window,
}

/// How the values of the steps become one number.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default)]
pub enum Take {
    /// The value of the last step.
    #[default]
    Final,
    /// The mean of all steps.
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// A quantile of the values of all steps.
    Quantile {
        /// The share of values below it: 0.5 for the median.
        #[reflect(@Limits::between(0.0, 1.0))]
        share: f64,
    },
    /// The time in seconds from the start of the run until the condition holds. A run that ends before is censored.
    TimeUntil {
        /// How long the condition must hold without a break, in seconds.
        #[reflect(@Optional, @Limits::between(0.0, f64::MAX))]
        hold_s: f64,
    },
    /// Whether the condition holds at any time: 1 or 0.
    Reached {
        /// How long the condition must hold without a break, in seconds.
        #[reflect(@Optional, @Limits::between(0.0, f64::MAX))]
        hold_s: f64,
    },
    /// Whether the condition holds at the last step: 1 or 0.
    Holds,
}

impl Take {
    /// Whether the measured quantity is a condition.
    pub fn is_condition(self) -> bool {
        matches!(self, Self::TimeUntil { .. } | Self::Reached { .. } | Self::Holds)
    }

    /// Whether the measure of a run is 1 or 0.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Reached { .. } | Self::Holds)
    }

    /// Whether the measure of a run is a time, which is censored when the run ends before.
    pub fn is_time(self) -> bool {
        matches!(self, Self::TimeUntil { .. })
    }
}

/// The part of a run that a measure looks at.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default)]
pub enum Window {
    /// The whole run.
    #[default]
    Whole,
    /// The last seconds of the run.
    Last(#[reflect(@Limits::POSITIVE)] f64),
    /// From one time to another, in seconds.
    Between(#[reflect(@Limits::between(0.0, f64::MAX))] f64, #[reflect(@Limits::POSITIVE)] f64),
}

/// The reason why a text is not a measure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MeasureError {
    /// The text does not begin with a statistic.
    #[error(
        "expected a measure such as `mean circliness over last 10`, `time until circliness > 0.9` or `share circliness > 0.9`, \
         beginning with final, mean, min, max, median, time until, share or holds"
    )]
    Statistic,
    /// The text is a quantity alone.
    #[error("`{0}` has no statistic: write `final {0}` for its value at the end, or `mean {0}`")]
    NoStatistic(String),
    /// The text has no quantity.
    #[error("expected the name of a metric or an expression after `{0}`")]
    Quantity(String),
    /// A window of time is invalid.
    #[error("expected a window such as `over last 10` or `over 5 to 20`, in seconds, found `{0}`")]
    Window(String),
}

/// The words at the start of a measure of the command line.
const WORDS: [(&str, Take); 9] = [
    ("final", Take::Final),
    ("mean", Take::Mean),
    ("min", Take::Min),
    ("max", Take::Max),
    ("median", Take::Quantile { share: 0.5 }),
    ("time until", Take::TimeUntil { hold_s: 0.0 }),
    ("until", Take::TimeUntil { hold_s: 0.0 }),
    ("share", Take::Reached { hold_s: 0.0 }),
    ("holds", Take::Holds),
];

/// The words with which a measure of the command line can begin; a quantity or a condition follows.
pub fn statistics() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(words, _)| *words)
}

impl FromStr for Measure {
    type Err = MeasureError;

    /// Reads a measure of the command line: `[name = ] statistic quantity [for seconds] [over last seconds | over from to to]`.
    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let text = text.trim();
        let (name, text) = match text.split_once('=') {
            Some((name, rest)) if is_column(name.trim()) && !rest.starts_with('=') => (name.trim(), rest.trim()),
            _ => ("", text),
        };
        let after = |word: &str| text.strip_prefix(word).filter(|rest| rest.is_empty() || rest.starts_with(' '));
        let found = WORDS.into_iter().find_map(|(word, take)| Some((word, take, after(word)?)));
        let (word, take, rest) = found.ok_or_else(|| match is_column(text) {
            true => MeasureError::NoStatistic(text.into()),
            false => MeasureError::Statistic,
        })?;
        let (quantity, over) = match rest.rsplit_once(" over ") {
            Some((quantity, window)) => (quantity.trim(), window_of(window.trim())?),
            None => (rest.trim(), Window::Whole),
        };
        if quantity.is_empty() {
            return Err(MeasureError::Quantity(word.into()));
        }
        let (quantity, take) = held(quantity, take);
        let name = match name {
            "" if take == Take::Final && is_column(quantity) => quantity.to_owned(),
            "" => column_of(text),
            name => name.to_owned(),
        };
        Ok(Self { name, of: quantity.into(), take, over })
    }
}

/// A condition that must hold for a time, as in `circliness > 0.9 for 5`, without that time.
fn held(quantity: &str, take: Take) -> (&str, Take) {
    let held = quantity.rsplit_once(" for ").and_then(|(condition, text)| Some((condition.trim(), seconds(text)?)));
    match (take, held) {
        (Take::TimeUntil { .. }, Some((condition, hold_s))) => (condition, Take::TimeUntil { hold_s }),
        (Take::Reached { .. }, Some((condition, hold_s))) => (condition, Take::Reached { hold_s }),
        _ => (quantity, take),
    }
}

/// A number of seconds, with or without `s`.
fn seconds(text: &str) -> Option<f64> {
    let number = text.trim().trim_end_matches('s').trim_end().parse().ok();
    number.filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
}

fn window_of(text: &str) -> Result<Window, MeasureError> {
    let window = match (text.strip_prefix("last "), text.split_once(" to ")) {
        (Some(last), _) => seconds(last).filter(|seconds| *seconds > 0.0).map(Window::Last),
        (None, Some((from, to))) => seconds(from).zip(seconds(to)).map(|(from, to)| Window::Between(from, to)),
        (None, None) => None,
    };
    window.ok_or_else(|| MeasureError::Window(text.into()))
}

/// Whether a text can be the name of a column without quotes.
fn is_column(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// The name of a column for a measure without a name: its text with words in place of comparisons, and `_` in place of
/// other marks.
fn column_of(text: &str) -> String {
    const WORDS: [(&str, &str); 4] = [(">=", " at_least "), ("<=", " at_most "), (">", " above "), ("<", " below ")];
    let text = WORDS.iter().fold(text.to_owned(), |text, (sign, word)| text.replace(sign, word));
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_')));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

impl Measure {
    /// Whether the name is an own one: neither that of the observed quantity nor one that the command line gives.
    pub fn has_own_name(&self) -> bool {
        let hold_s = match self.take {
            Take::TimeUntil { hold_s } | Take::Reached { hold_s } if hold_s > 0.0 => format!(" for {hold_s}"),
            _ => String::new(),
        };
        let over = match self.over {
            Window::Whole => String::new(),
            Window::Last(seconds) => format!(" over last {seconds}"),
            Window::Between(from, to) => format!(" over {from} to {to}"),
        };
        let is_given = |word: &str| {
            let given = column_of(&format!("{word} {}{hold_s}{over}", self.of));
            parts(&given).eq(parts(&self.name))
        };
        let is_of_take = |take: &Take| std::mem::discriminant(take) == std::mem::discriminant(&self.take);
        let mut words = WORDS.iter().filter(|(_, take)| is_of_take(take)).map(|(word, _)| *word);
        self.name != self.of && !words.any(is_given)
    }
}

/// The parts of the name of a column, without units of time, and with numbers in one form.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let parts = name.split('_').filter(|part| *part != "s");
    parts.map(|part| part.parse::<f64>().map_or_else(|_| part.to_owned(), |number| number.to_string()))
}

impl fmt::Display for Measure {
    /// The measure in words: `mean of circliness over the last 10 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = &self.of;
        let held = |hold_s: f64| if hold_s > 0.0 { format!(" for {hold_s} s") } else { String::new() };
        match self.take {
            Take::Final => write!(f, "final value of {of}")?,
            Take::Mean => write!(f, "mean of {of}")?,
            Take::Min => write!(f, "minimum of {of}")?,
            Take::Max => write!(f, "maximum of {of}")?,
            Take::Quantile { share } => write!(f, "{} % quantile of {of}", share * 100.0)?,
            Take::TimeUntil { hold_s } => write!(f, "time until {of}{}", held(hold_s))?,
            Take::Reached { hold_s } => write!(f, "share of runs that reach {of}{}", held(hold_s))?,
            Take::Holds => write!(f, "share of runs that end with {of}")?,
        }
        match self.over {
            Window::Whole => Ok(()),
            Window::Last(seconds) => write!(f, " over the last {seconds} s"),
            Window::Between(from, to) => write!(f, " from {from} s to {to} s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_the_command_line_are_read() {
        let read = |text: &str| text.parse::<Measure>().unwrap();
        let circliness = read("final circliness");
        assert_eq!(circliness.name.as_str(), "circliness");
        assert_eq!(circliness.of.as_str(), "circliness");
        let mean = read("mean circliness over last 10 s");
        assert_eq!(mean.name.as_str(), "mean_circliness_over_last_10_s");
        assert_eq!(mean.over, Window::Last(10.0));
        let until = read("t = time until circliness >= 0.9 over 5 to 20");
        assert_eq!(until.name.as_str(), "t");
        assert_eq!(until.of.as_str(), "circliness >= 0.9");
        assert_eq!(until.take, Take::TimeUntil { hold_s: 0.0 });
        assert_eq!(until.over, Window::Between(5.0, 20.0));
        assert_eq!(read("share count == 3").of, "count == 3");
        let held = read("time until circliness > 0.9 for 5 s over last 30");
        assert_eq!(held.of.as_str(), "circliness > 0.9");
        assert_eq!(held.take, Take::TimeUntil { hold_s: 5.0 });
    }

    #[test]
    fn own_names_of_measures_are_told_from_given_ones() {
        for given in [
            "final circliness",
            "mean circle_fit.radius_m over last 20.0 s",
            "median circliness over 5 to 20",
            "time until circliness >= 0.9 for 5 s",
            "until circliness > 0.9",
            "share count == 3",
            "holds count == 3",
        ] {
            assert!(!given.parse::<Measure>().unwrap().has_own_name(), "{given}");
        }
        for own in ["radius = mean circle_fit.radius_m", "mean_speed = final circliness"] {
            assert!(own.parse::<Measure>().unwrap().has_own_name(), "{own}");
        }
    }

    #[test]
    fn texts_that_are_no_measures_are_refused() {
        for (text, error) in [
            ("", MeasureError::Statistic),
            ("circliness", MeasureError::NoStatistic("circliness".into())),
            ("meaning of life", MeasureError::Statistic),
            ("mean", MeasureError::Quantity("mean".into())),
            ("mean x over last", MeasureError::Window("last".into())),
            ("mean x over last -3", MeasureError::Window("last -3".into())),
        ] {
            assert_eq!(text.parse::<Measure>(), Err(error), "{text}");
        }
    }
}
