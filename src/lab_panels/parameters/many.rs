//! The parameters of several robots, shown and changed together.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::values::number;
use swarmarium_lab_state::common::quantity::Display;

use crate::parameters::row::text_of;
use crate::parameters::rows::{EditorKind, Node, walk};

/// The common parameters of several robots, and the differences of their values.
///
/// The rows of the first robot are drawn.
#[derive(Debug, Default, PartialEq)]
pub struct Many {
    /// The path of each robot, such as `agents.17`.
    prefixes: Vec<String>,
    /// The spreads of the common parameters, by the path below the prefix.
    spreads: BTreeMap<String, Spread>,
}

/// The difference of the values of several robots at one path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// All are equal.
    Same,
    /// Numbers from a minimum to a maximum.
    Between(f64, f64),
    /// Different values that are not numbers.
    Mixed,
    /// Only parts differ, such as the radius of discs.
    Parts,
}

/// A value of one robot, for comparison with those of others.
#[derive(Clone, Debug, PartialEq)]
enum ComparedValue {
    Number(f64),
    Text(String),
    /// One of several variants with parts: its name and its text.
    Variant(String, String),
    /// A value with parts.
    Whole,
}

impl Many {
    /// Compares the same value of several robots, each with its path, such as `agents.17`.
    pub fn new<'a>(kinds: &Kinds, all: impl IntoIterator<Item = (String, &'a dyn Reflect)>) -> Self {
        let mut many = Self::default();
        let mut first: BTreeMap<String, ComparedValue> = BTreeMap::new();
        for (prefix, value) in all {
            let seen = seen(kinds, value);
            if many.prefixes.is_empty() {
                many.spreads = seen.keys().map(|path| (path.clone(), Spread::Same)).collect();
                first = seen;
            } else {
                many.spreads.retain(|path, spread| {
                    let both = seen.get(path).zip(first.get(path));
                    let now = both.and_then(|(value, first)| spread.with(first, value));
                    now.inspect(|now| *spread = *now).is_some()
                });
            }
            many.prefixes.push(prefix);
        }
        many
    }

    /// Returns the path of the first robot.
    pub fn prefix(&self) -> &str {
        self.prefixes.first().map_or("", String::as_str)
    }

    /// Returns the paths in all robots for a path in the first one.
    pub fn paths(&self, path: &str) -> impl Iterator<Item = String> {
        let rest = self.rest(path).to_owned();
        self.prefixes.iter().map(move |prefix| format!("{prefix}{rest}"))
    }

    /// Whether all robots have a value at a path of the first one.
    pub fn has(&self, path: &str) -> bool {
        let rest = self.rest(path);
        rest.is_empty() || self.spreads.contains_key(rest)
    }

    /// Returns how the values at a path of the first robot differ; `None` if they are equal.
    pub fn spread(&self, path: &str) -> Option<&Spread> {
        self.spreads.get(self.rest(path)).filter(|spread| **spread != Spread::Same)
    }

    fn rest<'p>(&self, path: &'p str) -> &'p str {
        path.strip_prefix(self.prefix()).unwrap_or(path)
    }
}

impl Spread {
    /// Adds a value to the spread; `None` if its type differs from that of the first one.
    fn with(self, first: &ComparedValue, value: &ComparedValue) -> Option<Self> {
        Some(match (self, first, value) {
            (Self::Between(low, high), _, ComparedValue::Number(value)) => {
                Self::Between(low.min(*value), high.max(*value))
            }
            (Self::Same, ComparedValue::Number(first), ComparedValue::Number(value)) if first == value => Self::Same,
            (_, ComparedValue::Number(first), ComparedValue::Number(value)) => {
                Self::Between(first.min(*value), first.max(*value))
            }
            (Self::Same, ComparedValue::Text(first), ComparedValue::Text(value)) if first == value => Self::Same,
            (_, ComparedValue::Text(_), ComparedValue::Text(_))
            | (Self::Mixed, ComparedValue::Variant(..), ComparedValue::Variant(..)) => Self::Mixed,
            (_, ComparedValue::Variant(first, _), ComparedValue::Variant(value, _)) if first != value => Self::Mixed,
            (Self::Same, ComparedValue::Variant(_, first), ComparedValue::Variant(_, value)) if first == value => {
                Self::Same
            }
            (_, ComparedValue::Variant(..), ComparedValue::Variant(..)) => Self::Parts,
            (_, ComparedValue::Whole, ComparedValue::Whole) => self,
            _ => return None,
        })
    }

    /// Describes the spread in words.
    pub fn text(self, display: Display, unit: &str) -> String {
        match self {
            Self::Same => "All have the same value".into(),
            Self::Between(low, high) => {
                let [low, high] = [low, high].map(|value| display.shown(value));
                let range = format!("from {low} to {high} {unit}").trim_end().replace(" °", "°");
                format!("Mixed, {range}; an entered value applies to all")
            }
            Self::Mixed | Self::Parts => "Mixed; an entered value applies to all".into(),
        }
    }
}

/// Returns all values of a robot by the path below it, with the leading point.
fn seen(kinds: &Kinds, value: &dyn Reflect) -> BTreeMap<String, ComparedValue> {
    let mut all = BTreeMap::new();
    walk(kinds, &Node::root(value, None, ""), &mut |node, editor| {
        let value = node.leaf.value;
        let seen = match editor {
            EditorKind::Heading | EditorKind::List(_) => ComparedValue::Whole,
            EditorKind::Kind(slot) => {
                let kind = kinds.of_value(slot.family, kinds.see_through(value));
                ComparedValue::Text(kind.map_or("", |kind| kind.name).to_owned())
            }
            // The parts are compared one by one.
            EditorKind::Variant | EditorKind::Optional { has_parts: true } => {
                let variant = value.reflect_ref();
                let name = variant.as_enum().map_or("", |variant| variant.variant_name());
                ComparedValue::Variant(name.to_owned(), text_of(kinds, value))
            }
            _ => number(value).map_or_else(|| ComparedValue::Text(text_of(kinds, value)), ComparedValue::Number),
        };
        all.insert(format!(".{}", node.leaf.path), seen);
        true
    });
    all
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::lab_of;

    use super::*;

    #[test]
    fn common_and_differing_parameters_are_distinguished() {
        let lab = lab_of(
            "(groups: [(name: \"a\", sensors: [BinaryFov(range_m: 1.0)], controller: Binary()),
                       (name: \"b\", sensors: [BinaryFov(range_m: 3.0), Proximity()], controller: Constant())])",
        );
        let kinds = lab.run.host.simulation().kinds();
        let groups = &lab.run.host.scene().groups;
        let all = [0, 1, 0].map(|place| (format!("agents.{place}"), &groups[place] as &dyn Reflect));
        let many = Many::new(kinds, all);
        assert_eq!(many.prefix(), "agents.0");
        let spread = |path: &str| many.has(path).then(|| many.spread(path).copied().unwrap_or(Spread::Same));
        assert_eq!(spread("agents.0.sensors.0.range_m"), Some(Spread::Between(1.0, 3.0)));
        assert_eq!(spread("agents.0.body.radius_m"), Some(Spread::Same));
        assert_eq!(spread("agents.0.controller"), Some(Spread::Mixed));
        assert_eq!(spread("agents.0.sensors.1"), None, "only one of them has it");
        assert_eq!(spread("agents.0.controller.detected.v_m_per_s"), None);
        let paths: Vec<String> = many.paths("agents.0.body.radius_m").collect();
        assert_eq!(paths, ["agents.0.body.radius_m", "agents.1.body.radius_m", "agents.0.body.radius_m"]);
    }
}
