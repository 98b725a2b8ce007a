//! Where each value of a scene comes from: the file, an override, the default.
//!
//! It is known from what was read, not guessed from values: a value that is stated equals its default as often as not.

use std::collections::BTreeMap;

use super::outline::{Body, Field, Node, outline};
use super::presets::{ROBOT_FIELDS, ROBOTS, SUPERVISORS};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Nobody said anything, so it has its default.
    Default,
    /// The file of another program, from which the scene was made.
    Imported,
    /// The robot that the group names.
    Robot,
    /// A program made the scene.
    #[default]
    Program,
    /// The file states it.
    Written,
    /// `--set` or `--seed` asked for it.
    Overridden,
    /// It was changed in the window.
    Changed,
}

/// Where a value comes from, and what it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where it comes from.
    pub origin: Origin,
    /// The value that it took the place of, as text.
    pub before: Option<String>,
}

impl Mark {
    /// What a comment says about it; `None` for what needs none, such as what the file states.
    pub fn comment(&self) -> Option<String> {
        let (words, before) = match self.origin {
            // All of such a scene comes from there.
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

/// A step of a path: the name of a field, if it is one, and the index within what is around it.
pub type Step = (Option<&'static str>, usize);

/// Where the values of a scene come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    root: Stated,
}

/// What was said about a value.
#[derive(Clone, Debug, Default)]
struct Stated {
    origin: Origin,
    before: Option<String>,
    /// Its parts, by the name of the field or by their index.
    parts: BTreeMap<String, Self>,
    /// Where parts come from of which nothing was said.
    rest: Origin,
}

impl Origins {
    /// All values come from the same place.
    pub fn all(origin: Origin) -> Self {
        Self { root: Stated::all(origin) }
    }

    /// What a text states is [`Origin::Written`], the rest [`Origin::Default`].
    pub fn of_text(text: &str) -> Self {
        Self { root: Stated::of_text(text, Origin::Written) }
    }

    /// Takes note of an override: a text took the place of the value at the end of some steps.
    pub fn override_at(&mut self, steps: &[Step], text: &str, before: Option<String>) {
        let stated = steps.iter().fold(&mut self.root, |stated, step| stated.part_mut(*step));
        *stated = Stated { before, ..Stated::of_text(text, Origin::Overridden) };
    }

    /// Where the scene as a whole comes from; [`At::part`] goes on from there.
    pub fn root(&self) -> At<'_> {
        At::known(&self.root)
    }

    /// Where the value at the end of some steps comes from.
    pub fn at(&self, steps: &[Step]) -> Mark {
        steps.iter().fold(self.root(), |at, (name, index)| at.part(*name, *index)).mark()
    }
}

impl Stated {
    fn all(origin: Origin) -> Self {
        Self { origin, rest: origin, ..Self::default() }
    }

    fn of_text(text: &str, origin: Origin) -> Self {
        // A text without quotes is no outline, but one value all the same.
        outline(text).map_or_else(|_| Self::all(origin), |node| Self::of(&node, origin))
    }

    fn of(node: &Node, origin: Origin) -> Self {
        let parts: BTreeMap<_, _> = match &node.body {
            // A lone name may be a kind: then its fields have their defaults.
            Body::Leaf(_) if node.name().is_none() => return Self::all(origin),
            Body::Leaf(_) => BTreeMap::new(),
            Body::Struct { fields, .. } => {
                let stated = |field: &Field| (field.name.to_owned(), Self::of(&field.value, origin));
                let mut parts: BTreeMap<_, _> = fields.iter().map(stated).collect();
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
                return Self::of(item, origin);
            }
            Body::Tuple { items, .. } | Body::List(items) => {
                let parts: Vec<_> = items.iter().map(|item| Self::of(item, origin)).collect();
                // A million poses take no more room than one.
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

/// A place in [`Origins`].
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// What was said about the value; `None` when nothing was.
    stated: Option<&'a Stated>,
    origin: Origin,
}

impl<'a> At<'a> {
    fn known(stated: &'a Stated) -> Self {
        Self { stated: Some(stated), origin: stated.origin }
    }

    /// A part of the value, by the name of the field if it has one, and by its index.
    #[must_use]
    pub fn part(self, name: Option<&str>, index: usize) -> Self {
        let Some(stated) = self.stated else { return self };
        let rest = Self { stated: None, origin: stated.rest };
        if stated.parts.is_empty() {
            return rest;
        }
        let part = name.and_then(|name| stated.parts.get(name)).or_else(|| stated.parts.get(&index.to_string()));
        part.map_or(rest, Self::known)
    }

    /// Where the value comes from.
    pub fn mark(self) -> Mark {
        Mark { origin: self.origin, before: self.stated.and_then(|stated| stated.before.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::load::{Loaded, Override, load};
    use crate::scene::{path, shipped};
    use crate::simulation::Recipe;

    fn mark(loaded: &Loaded, at: &str) -> Mark {
        loaded.origins.at(&path::trail(Recipe::standard().kinds(), &loaded.scene, at).unwrap())
    }

    fn origin(loaded: &Loaded, at: &str) -> Origin {
        mark(loaded, at).origin
    }

    #[test]
    fn a_file_states_some_values_and_leaves_the_others_to_their_defaults() {
        let loaded = load(Recipe::standard().kinds(), "milling", &[]).unwrap();
        for stated in ["name", "seed", "arena.walls", "arena.size_m", "arena.size_m.x", "groups.millers.body.radius_m"]
        {
            assert_eq!(origin(&loaded, stated), Origin::Written, "{stated}");
        }
        assert_eq!(origin(&loaded, "groups.millers.controller.clear.v_m_per_s"), Origin::Written);
        assert_eq!(origin(&loaded, "metrics.0"), Origin::Written);
        for left_out in ["order", "groups.millers.team", "groups.millers.at", "first_readings"] {
            assert_eq!(origin(&loaded, left_out), Origin::Default, "{left_out}");
        }
    }

    #[test]
    fn a_kind_stated_without_fields_has_its_fields_by_default() {
        for text in ["(body: Disc())", "(body: Disc)"] {
            let origins = Origins::of_text(text);
            let body = origins.root().part(Some("body"), 5);
            assert_eq!(body.mark().origin, Origin::Written);
            assert_eq!(body.part(Some("radius_m"), 0).mark().origin, Origin::Default);
        }
    }

    #[test]
    fn overrides_are_known_by_their_path_and_tell_what_was_there() {
        let set = |path: &str, value: &str| Override { path: path.into(), value: value.into() };
        let overrides = [
            set("seed", "3"),
            set("groups.millers.name", "turners"),
            set("groups.turners.body", "Disc()"),
            set("arena.size_m.x", "12"),
            set("order", "Simultaneous"),
        ];
        let loaded = load(Recipe::standard().kinds(), "milling", &overrides).unwrap();
        let overridden = |before: &str| Mark { origin: Origin::Overridden, before: Some(before.into()) };
        assert_eq!(mark(&loaded, "seed"), overridden("7"));
        assert_eq!(mark(&loaded, "groups.0.name"), overridden("\"millers\""));
        assert_eq!(mark(&loaded, "arena.size_m.x"), overridden("10.0"));
        assert_eq!(origin(&loaded, "arena.size_m.y"), Origin::Written);
        assert_eq!(origin(&loaded, "groups.turners.body"), Origin::Overridden);
        assert_eq!(origin(&loaded, "groups.turners.body.radius_m"), Origin::Default);
        assert_eq!(mark(&loaded, "order"), overridden("Simultaneous"), "also when it changes nothing");
    }

    #[test]
    fn every_value_of_every_shipped_scene_has_an_origin() {
        let recipe = Recipe::standard();
        for (name, _) in shipped::all() {
            let loaded = load(recipe.kinds(), name, &[]).unwrap();
            for leaf in path::leaves(recipe.kinds(), &loaded.scene) {
                let origin = origin(&loaded, &leaf.path);
                let is_known = matches!(origin, Origin::Written | Origin::Default | Origin::Robot);
                assert!(is_known, "{name}: {}", leaf.path);
            }
        }
    }

    #[test]
    fn scenes_without_a_file_come_from_a_program() {
        let loaded = Loaded::from(crate::scene::Scene::default());
        assert_eq!(origin(&loaded, "seed"), Origin::Program);
    }
}
