//! The origin of each value of a scene: the file, an override or the default.
//!
//! Origins are recorded from the text, not guessed from values: a value in the text often equals its default.

use std::collections::BTreeMap;

use swarmarium_core::text::outline::{Body, Field, Node, outline};

use super::presets::{ROBOT_FIELDS, ROBOTS, SUPERVISORS};

/// The origin of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The default; nothing sets the value.
    Default,
    /// The file of another program that was imported.
    Imported,
    /// The robot or supervisor that the group names.
    Robot,
    /// A program that made the scene.
    #[default]
    Program,
    /// The scene file.
    Written,
    /// `--set` or `--seed`.
    Overridden,
    /// A change in the window.
    Changed,
}

/// The origin of a value, and the value that it replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The origin.
    pub origin: Origin,
    /// The replaced value, as text.
    pub before: Option<String>,
}

impl Mark {
    /// The comment about the value; `None` if it needs none, such as a value of the file.
    pub fn comment(&self) -> Option<String> {
        let (words, before) = match self.origin {
            // The whole scene has this origin.
            Origin::Written | Origin::Program => return None,
            Origin::Default => ("default", ""),
            Origin::Imported => ("from the imported file", ""),
            Origin::Robot => ("from the robot or supervisor of the group", ""),
            Origin::Overridden => ("overridden by --set or --seed", "instead of"),
            Origin::Changed => ("changed in the window", "before"),
        };
        Some(match &self.before {
            Some(value) => format!("{words}, {before} {value}"),
            None => words.into(),
        })
    }
}

/// A step of a path: the name of a field, if it is one, and the index within the containing value.
pub type Step = (Option<&'static str>, usize);

/// Whether a value is short enough for a comment.
pub fn is_short(value: &str) -> bool {
    value.len() <= 40 && !value.contains('\n')
}

/// The origins of the values of a scene.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    root: RecordedOrigin,
}

/// The recorded origins of a value.
#[derive(Clone, Debug, Default)]
struct RecordedOrigin {
    origin: Origin,
    before: Option<String>,
    /// The parts, by field name or index.
    parts: BTreeMap<String, Self>,
    /// The origin of parts without a record.
    rest: Origin,
}

impl Origins {
    /// Gives all values the same origin.
    pub fn all(origin: Origin) -> Self {
        Self { root: RecordedOrigin::all(origin) }
    }

    /// Values in a text are [`Origin::Written`], all others [`Origin::Default`].
    pub fn of_text(text: &str) -> Self {
        Self { root: RecordedOrigin::of_text(text, Origin::Written) }
    }

    /// Records an override: a text replaced the value at the end of some steps.
    pub fn override_at(&mut self, steps: &[Step], text: &str, before: Option<String>) {
        let record = steps.iter().fold(&mut self.root, |record, step| record.part_mut(*step));
        *record = RecordedOrigin { before, ..RecordedOrigin::of_text(text, Origin::Overridden) };
    }

    /// The origins from the root of the scene; [`At::part`] continues from there.
    pub fn root(&self) -> At<'_> {
        At::known(&self.root)
    }

    /// The origin of the value at the end of some steps.
    pub fn at(&self, steps: &[Step]) -> Mark {
        steps.iter().fold(self.root(), |at, (name, index)| at.part(*name, *index)).mark()
    }
}

impl RecordedOrigin {
    fn all(origin: Origin) -> Self {
        Self { origin, rest: origin, ..Self::default() }
    }

    fn of_text(text: &str, origin: Origin) -> Self {
        // A text without quotes is not a valid outline, but still one value.
        outline(text).map_or_else(|_| Self::all(origin), |node| Self::from_node(&node, origin))
    }

    fn from_node(node: &Node, origin: Origin) -> Self {
        let parts: BTreeMap<_, _> = match &node.body {
            // A lone name may be a kind: then its fields have their defaults.
            Body::Leaf(_) if node.name().is_none() => return Self::all(origin),
            Body::Leaf(_) => BTreeMap::new(),
            Body::Struct { fields, .. } => {
                let record = |field: &Field| (field.name.to_owned(), Self::from_node(&field.value, origin));
                let mut parts: BTreeMap<_, _> = fields.iter().map(record).collect();
                if parts.contains_key(SUPERVISORS.what) {
                    let controller = parts.entry("controller".to_owned());
                    controller.or_insert_with(|| Self::all(Origin::Robot)).rest = Origin::Robot;
                }
                if parts.contains_key(ROBOTS.what) {
                    for filled in ROBOT_FIELDS {
                        parts.entry(filled.to_owned()).or_insert_with(|| Self::all(Origin::Robot));
                    }
                }
                parts
            }
            Body::Tuple { name: Some("Some"), items } if let [item] = items.as_slice() => {
                return Self::from_node(item, origin);
            }
            Body::Tuple { items, .. } | Body::List(items) => {
                let parts: Vec<_> = items.iter().map(|item| Self::from_node(item, origin)).collect();
                // A million poses with one origin take no more memory than one.
                if !parts.is_empty() && parts.iter().all(|part| part.is_all(origin)) {
                    return Self::all(origin);
                }
                parts.into_iter().enumerate().map(|(index, part)| (index.to_string(), part)).collect()
            }
        };
        Self { origin, before: None, parts, rest: Origin::Default }
    }

    fn is_all(&self, origin: Origin) -> bool {
        self.parts.is_empty() && self.rest == origin && self.before.is_none()
    }

    fn part_mut(&mut self, (name, index): Step) -> &mut Self {
        let index = index.to_string();
        let key = match name {
            Some(name) if !self.parts.contains_key(&index) => name.to_owned(),
            _ => index,
        };
        let rest = self.rest;
        self.parts.entry(key).or_insert_with(|| Self::all(rest))
    }
}

/// A position in [`Origins`].
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The record of the value; `None` if there is none.
    record: Option<&'a RecordedOrigin>,
    origin: Origin,
}

impl<'a> At<'a> {
    fn known(record: &'a RecordedOrigin) -> Self {
        Self { record: Some(record), origin: record.origin }
    }

    /// A part of the value, by the name of the field, if it has one, and by its index.
    #[must_use]
    pub fn part(self, name: Option<&str>, index: usize) -> Self {
        let Some(record) = self.record else { return self };
        let rest = Self { record: None, origin: record.rest };
        if record.parts.is_empty() {
            return rest;
        }
        let part = name.and_then(|name| record.parts.get(name)).or_else(|| record.parts.get(&index.to_string()));
        part.map_or(rest, Self::known)
    }

    /// The origin of the value.
    pub fn mark(self) -> Mark {
        Mark { origin: self.origin, before: self.record.and_then(|record| record.before.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_stated_without_fields_has_its_fields_by_default() {
        for text in ["(body: Disc())", "(body: Disc)"] {
            let origins = Origins::of_text(text);
            let body = origins.root().part(Some("body"), 5);
            assert_eq!(body.mark().origin, Origin::Written);
            assert_eq!(body.part(Some("radius_m"), 0).mark().origin, Origin::Default);
        }
    }
}
