//! Several agents whose parameters are shown and changed as those of one.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::values::number;

use super::row::text_of;
use super::rows::{EditorKind, Node, walk};

/// What the parameters of several agents have in common, and how the others differ.
///
/// The first agent is the one whose rows are drawn.
#[derive(Debug, Default, PartialEq)]
pub struct Many {
    /// The path of each, such as `agents.17`.
    prefixes: Vec<String>,
    /// What all of them have, by the path below the prefix.
    spreads: BTreeMap<String, Spread>,
}

/// How the values of several agents at one path differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// Not at all.
    Same,
    /// They are numbers from the least to the largest.
    Between(f64, f64),
    /// They are no numbers.
    Mixed,
    /// In their parts only, such as the radius of discs.
    Parts,
}

/// A value of one agent, to be compared with those of others.
#[derive(Clone, Debug, PartialEq)]
enum ComparedValue {
    Number(f64),
    Text(String),
    /// One of several variants with parts of its own, and all of it.
    Variant(String, String),
    /// It has parts of its own.
    Whole,
}

impl Many {
    /// Compares the same value of several agents: each with its path, such as `agents.17`.
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

    /// The path of the first one.
    pub fn prefix(&self) -> &str {
        self.prefixes.first().map_or("", String::as_str)
    }

    /// The paths of all, for one of the first.
    pub fn paths(&self, path: &str) -> impl Iterator<Item = String> {
        let rest = self.rest(path).to_owned();
        self.prefixes.iter().map(move |prefix| format!("{prefix}{rest}"))
    }

    /// Whether all have something at a path of the first.
    pub fn has(&self, path: &str) -> bool {
        let rest = self.rest(path);
        rest.is_empty() || self.spreads.contains_key(rest)
    }

    /// How the values at a path of the first differ; `None` when they do not.
    pub fn spread(&self, path: &str) -> Option<&Spread> {
        self.spreads.get(self.rest(path)).filter(|spread| **spread != Spread::Same)
    }

    fn rest<'p>(&self, path: &'p str) -> &'p str {
        path.strip_prefix(self.prefix()).unwrap_or(path)
    }
}

impl Spread {
    /// The spread with one more value; `None` when it is something else than the first one.
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

    /// What differs, in words.
    pub fn text(self) -> String {
        match self {
            Self::Same => "All have the same value".into(),
            Self::Between(low, high) => format!("Mixed, from {low} to {high}; an entered value applies to all"),
            Self::Mixed | Self::Parts => "Mixed; an entered value applies to all".into(),
        }
    }
}

/// All values of an agent, by the path below it, with its point in front.
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
            // Its parts are compared one by one.
            EditorKind::Variant => {
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
    use super::*;
    use crate::testing::lab_of;

    #[test]
    fn what_is_common_and_what_differs_is_told_apart() {
        let lab = lab_of(
            "(groups: [(name: \"a\", sensors: [BinaryFov(range_m: 1.0)], controller: Binary()),
                       (name: \"b\", sensors: [BinaryFov(range_m: 3.0), Proximity()], controller: Constant())])",
        );
        let kinds = lab.host.simulation().kinds();
        let groups = &lab.host.scene().groups;
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
