//! The kinds of topics of a log, and how often each is written.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use swarmarium_base::problem::did_you_mean;
use thiserror::Error;

/// A kind of topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicKind {
    /// The poses of all robots: `/tf`.
    Poses,
    /// The readings of range sensors: a topic for each sensor.
    Scans,
    /// Floors of coloured cells: `/floor/…`.
    Floors,
    /// Scalar fields: `/field/…`.
    Fields,
    /// The arena, objects, and the bodies of robots: `/bodies`.
    Bodies,
    /// Lines between robots that see or hear each other: `/links`.
    Links,
    /// Events and warnings: `/rosout`.
    Log,
    /// A topic for each metric: `/metrics/…`.
    Metrics,
}

impl TopicKind {
    /// All kinds, with their names.
    pub const ALL: [(Self, &str); 8] = [
        (Self::Poses, "poses"),
        (Self::Scans, "scans"),
        (Self::Floors, "floors"),
        (Self::Fields, "fields"),
        (Self::Bodies, "bodies"),
        (Self::Links, "links"),
        (Self::Log, "log"),
        (Self::Metrics, "metrics"),
    ];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

/// How often a topic is written, in simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LogRate {
    /// At the end of every step.
    EveryStep,
    /// This many times per second, at most every step.
    Hz(f64),
}

/// The rate of most topics without another choice: as many poses as a video has pictures, because viewers draw no more, and a
/// metric seldom needs more. Runs with longer steps have every step.
const DEFAULT_RATE: LogRate = LogRate::Hz(30.0);

/// The rate of fields without another choice: their grids are large and change slowly.
const FIELDS_RATE: LogRate = LogRate::Hz(1.0);

/// The range of rates.
const RATES_HZ: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

impl LogRate {
    /// Whether a step is one of those that are written: the first one at or after each multiple of the period.
    pub(super) fn is_due(self, step: u64, dt_s: f64) -> bool {
        match self {
            Self::EveryStep => true,
            // The tolerance absorbs rounding errors of times at multiples of the period.
            Self::Hz(rate_hz) => {
                let period = |step: u64| (step as f64 * dt_s * rate_hz + 1e-9).floor();
                step == 0 || period(step) > period(step - 1)
            }
        }
    }
}

/// An error in the rates or topics of a log.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TopicError {
    /// A rate is invalid.
    #[error("expected times per simulated second from 0.000001 to 1000000, or `step` for every step, found `{0}`")]
    Rate(String),
    /// There is no such topic.
    #[error("expected one of {}, found `{name}`{hint}", names())]
    Unknown {
        /// The name.
        name: String,
        /// The nearest name.
        hint: String,
    },
    /// A topic is listed twice.
    #[error("the topic `{0}` is listed twice")]
    Twice(String),
    /// The list is empty.
    #[error("expected topics: {}", names())]
    Empty,
}

fn names() -> String {
    TopicKind::ALL.map(|(_, name)| name).join(", ")
}

impl FromStr for LogRate {
    type Err = TopicError;

    fn from_str(text: &str) -> Result<Self, TopicError> {
        if text == "step" {
            return Ok(Self::EveryStep);
        }
        let rate = text.parse().ok().filter(|rate| RATES_HZ.contains(rate));
        rate.map(Self::Hz).ok_or_else(|| TopicError::Rate(text.to_owned()))
    }
}

impl fmt::Display for LogRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EveryStep => f.write_str("step"),
            Self::Hz(rate_hz) => write!(f, "{rate_hz}"),
        }
    }
}

/// The topics of a log, each with a rate of its own or that of the log: `poses,scans=10,metrics=step`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicList(Vec<(TopicKind, Option<LogRate>)>);

impl FromStr for TopicList {
    type Err = TopicError;

    fn from_str(text: &str) -> Result<Self, TopicError> {
        let mut list = Self::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, rate) =
                item.split_once('=').map_or((item, None), |(name, rate)| (name.trim(), Some(rate.trim())));
            let kind = TopicKind::named(name).ok_or_else(|| TopicError::Unknown {
                name: name.to_owned(),
                hint: did_you_mean(name, TopicKind::ALL.map(|(_, known)| known)),
            })?;
            if list.0.iter().any(|(known, _)| *known == kind) {
                return Err(TopicError::Twice(name.to_owned()));
            }
            list.0.push((kind, rate.map(str::parse).transpose()?));
        }
        if list.0.is_empty() { Err(TopicError::Empty) } else { Ok(list) }
    }
}

impl fmt::Display for TopicList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (kind, rate)) in self.0.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(f, "{comma}{}", kind.name())?;
            rate.map_or(Ok(()), |rate| write!(f, "={rate}"))?;
        }
        Ok(())
    }
}

/// The topics of a log and their rates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOptions {
    /// The rate of topics without one of their own; without it, 1 per second for fields and 30 for other topics.
    pub rate: Option<LogRate>,
    /// The topics; without a list, all but links.
    pub topics: Option<TopicList>,
}

impl LogOptions {
    /// The rate of a kind of topics; `None` if the log does not have them.
    pub(super) fn rate_of(&self, kind: TopicKind) -> Option<LogRate> {
        let own = match (&self.topics, kind) {
            (None, TopicKind::Links) => return None,
            (None, _) => None,
            (Some(TopicList(listed)), _) => listed.iter().find(|(known, _)| *known == kind)?.1,
        };
        let default = if kind == TopicKind::Fields { FIELDS_RATE } else { DEFAULT_RATE };
        Some(own.or(self.rate).unwrap_or(default))
    }
}

/// The first parts of topics that no robot has.
pub(super) const RESERVED: [&str; 3] = ["field", "floor", "metrics"];

/// Whether a topic changes so seldom that late subscribers need its last messages.
pub(super) fn is_latched(topic: &str) -> bool {
    ["/tf_static", "/bodies"].contains(&topic) || topic.starts_with("/floor/")
}

/// A name as a part of a topic: letters, digits and underscores, and no digit first.
pub(super) fn in_topic(name: &str) -> String {
    let mut part: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if part.is_empty() || part.starts_with(|c: char| c.is_ascii_digit()) {
        part.insert(0, '_');
    }
    part
}

/// A name that no other part of a log has: a name that is taken gets a number.
pub(super) fn unique(taken: &mut BTreeSet<String>, name: String, number: usize) -> String {
    let mut free = name;
    while !taken.insert(free.clone()) {
        free = format!("{free}_{number}");
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_chooses_the_first_step_of_each_period() {
        let due = |rate: LogRate, dt_s| (0..13).filter(|step| rate.is_due(*step, dt_s)).collect::<Vec<_>>();
        assert_eq!(due(LogRate::Hz(10.0), 0.025), [0, 4, 8, 12]);
        assert_eq!(due(LogRate::Hz(30.0), 0.025), [0, 2, 3, 4, 6, 7, 8, 10, 11, 12]);
        assert_eq!(due(LogRate::Hz(30.0), 0.1).len(), 13, "no more often than every step");
        assert_eq!(due(LogRate::EveryStep, 1e-3).len(), 13);
        // Times that are not exact.
        assert_eq!((0..=3000u64).filter(|step| LogRate::Hz(10.0).is_due(*step, 0.1)).count(), 3001);
    }

    #[test]
    fn topics_have_rates_of_their_own() {
        let options =
            LogOptions { topics: Some("poses, scans=5,metrics=step".parse().unwrap()), ..LogOptions::default() };
        let rates =
            [TopicKind::Poses, TopicKind::Scans, TopicKind::Metrics, TopicKind::Log].map(|kind| options.rate_of(kind));
        assert_eq!(rates, [Some(DEFAULT_RATE), Some(LogRate::Hz(5.0)), Some(LogRate::EveryStep), None]);
        let all = LogOptions::default();
        assert_eq!(all.rate_of(TopicKind::Links), None);
        let explicit = LogOptions { rate: Some(DEFAULT_RATE), topics: None };
        assert_eq!(explicit.rate_of(TopicKind::Fields), Some(DEFAULT_RATE));
        let list: TopicList = "poses, scans=2.5,metrics=step".parse().unwrap();
        assert_eq!(list.to_string(), "poses,scans=2.5,metrics=step");
        assert_eq!(all.rate_of(TopicKind::Fields), Some(FIELDS_RATE));
        assert!(TopicKind::ALL.iter().all(|(kind, _)| *kind == TopicKind::Links || all.rate_of(*kind).is_some()));
    }

    #[test]
    fn taken_names_get_numbers() {
        let mut taken = RESERVED.map(str::to_owned).into();
        let names = ["floor", "a", "a", "a_2"].map(|name| unique(&mut taken, in_topic(name), 2));
        assert_eq!(names, ["floor_2", "a", "a_2", "a_2_2"]);
    }

    #[test]
    fn wrong_topics_and_rates_say_what_is_allowed() {
        let error = |text: &str| text.parse::<TopicList>().unwrap_err().to_string();
        assert_eq!(
            error("pose"),
            "expected one of poses, scans, floors, fields, bodies, links, log, metrics, found `pose`; did you mean `poses`?"
        );
        assert_eq!(error("poses,poses=3"), "the topic `poses` is listed twice");
        assert_eq!(
            error("poses=0"),
            "expected times per simulated second from 0.000001 to 1000000, or `step` for every step, found `0`"
        );
        assert!(error(" ,").starts_with("expected topics: poses"));
        assert_eq!("step".parse(), Ok(LogRate::EveryStep));
        assert_eq!("12.5".parse(), Ok(LogRate::Hz(12.5)));
        assert!(["NaN", "inf", "-3", ""].into_iter().all(|text| text.parse::<LogRate>().is_err()));
    }
}
