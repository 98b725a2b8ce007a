//! Factors of a resolved plan.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_base::problem::Problem;
use swarmarium_core::expression::{Expression, Scope};
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::values::integer_range;
use swarmarium_core::text::wording::{shown, suggestion};
use swarmarium_formats::load::Override;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::origins::Step;
use swarmarium_scene::scene::{constants, path};

use super::check::PlanProblems;
use super::{SEED, of_value, trail};
use crate::controllers;
use crate::plan::{Factor, Link, Value};
use crate::sampling::Levels;

/// A factor whose parameters are known to exist.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedFactor {
    /// The path of the parameter, as the plan writes it.
    pub path: String,
    /// The name of its column, unique among the factors.
    pub label: String,
    /// Its values.
    pub levels: Levels,
    /// Whether its axis is logarithmic.
    pub log_axis: bool,
    /// The parameters that vary with it.
    pub linked: Vec<Link>,
    /// Whether the parameter is the seed.
    pub is_seed: bool,
}

impl ResolvedFactor {
    /// The new values of the parameter and of those that are linked with it.
    ///
    /// # Errors
    /// When the expression of a linked parameter has no value.
    pub fn overrides(&self, value: &Value) -> Result<Vec<Override>, Problem> {
        let linked = self.linked.iter().map(|link| Self::linked_override(link, value));
        std::iter::once(Ok(self.own_override(value))).chain(linked).collect()
    }

    /// The new value of the parameter.
    pub(super) fn own_override(&self, value: &Value) -> Override {
        Override { path: self.path.clone(), value: value.text().into() }
    }

    /// The new value of a linked parameter.
    pub(super) fn linked_override(link: &Link, value: &Value) -> Result<Override, Problem> {
        let value = linked_value(link, value).ok_or_else(|| {
            let message = format!("the expression `{}` has no value for x = {value}", shown(&link.value));
            Problem { path: link.path.clone(), ..Problem::of_file(message) }
        })?;
        Ok(Override { path: link.path.clone(), value: value.text().into() })
    }
}

fn linked_value(link: &Link, value: &Value) -> Option<Value> {
    if link.value.trim() == Link::COPY {
        return Some(value.clone());
    }
    let number = Scope { more_names: &["x"], more: &[value.number()?], ..Scope::default() }.value(&link.value);
    number.is_finite().then(|| number.into())
}

/// Resolves all factors; problems are collected.
pub(super) fn resolve(
    kinds: &Kinds,
    scene: &Scene,
    factors: &[Factor],
    found: &mut PlanProblems,
) -> Vec<ResolvedFactor> {
    let labels = labels(factors);
    let mut owners: Vec<(&str, Vec<Step>)> = Vec::new();
    let mut of_controllers: BTreeSet<&str> = BTreeSet::new();
    let mut resolved = Vec::new();
    for (index, factor) in factors.iter().enumerate() {
        let own = (format!("factors[{index}].path"), factor.path.as_str());
        let linked = factor.linked.iter().enumerate();
        let linked = linked.map(|(link, to)| (format!("factors[{index}].linked[{link}].path"), to.path.as_str()));
        for (at, path) in std::iter::once(own).chain(linked) {
            if let Some((group, _)) = controllers::parameter(path) {
                let groups: Vec<&str> = scene.groups.iter().map(|group| group.name.as_str()).collect();
                if !groups.contains(&group) {
                    found.add(&at, format!("there is no group `{}`{}", shown(group), suggestion(group, &groups)));
                }
                if !of_controllers.insert(path) {
                    found.add(&at, format!("`{}` is varied twice", shown(path)));
                }
                continue;
            }
            match parameters(kinds, scene, path) {
                Ok(parameters)
                    if !is_name_of_seed(&at, path) && parameters.iter().any(|parameter| is_seed(parameter)) =>
                {
                    found.add(&at, "the seed is a factor by the name `seed` alone, and follows no other one".into());
                }
                Ok(parameters) => {
                    let overlaps = |(_, other): &&(&str, Vec<_>)| {
                        parameters.iter().any(|own| own.starts_with(other) || other.starts_with(own))
                    };
                    if let Some((other, _)) = owners.iter().find(overlaps) {
                        let by = if *other == path { "twice".into() } else { format!("by `{}`, too", shown(other)) };
                        found.add(&at, format!("`{}` is varied {by}", shown(path)));
                    }
                    owners.extend(parameters.into_iter().map(|parameter| (path, parameter)));
                }
                Err(problem) => found.add(&at, of_value(&problem)),
            }
        }
        for (link, to) in factor.linked.iter().enumerate() {
            if let Err(error) = Expression::check(&to.value, &["x"]) {
                found.add(&format!("factors[{index}].linked[{link}].value"), error.to_string());
            }
        }
        let is_whole = leaf_is_whole(kinds, scene, &factor.path);
        let levels = Levels { values: factor.values.clone(), is_whole };
        let Factor { path, log_axis, linked, .. } = factor.clone();
        let is_seed = path == SEED;
        resolved.push(ResolvedFactor { path, label: labels[index].clone(), levels, log_axis, linked, is_seed });
    }
    resolved
}

/// Whether a path of a plan, by the field that it stands in, may be that of the seed.
fn is_name_of_seed(field: &str, path: &str) -> bool {
    path == SEED && !field.contains("linked")
}

/// Whether a parameter is the seed of the scene.
fn is_seed(parameter: &[Step]) -> bool {
    matches!(parameter, [(Some(SEED), _)])
}

/// The parameters that get a value with a path: its own, and those of the same constant.
pub(super) fn parameters(kinds: &Kinds, scene: &Scene, path: &str) -> Result<Vec<Vec<Step>>, Problem> {
    let own = trail(kinds, scene, path)?;
    let constants = constants::at(kinds, scene, &own).into_iter();
    let fields = constants.filter_map(|place| scene.constants.get(place)).flat_map(|constant| &constant.of);
    let mut all: Vec<_> = fields.filter_map(|path| path::trail(kinds, scene, path).ok()).collect();
    all.push(own);
    Ok(all)
}

fn leaf_is_whole(kinds: &Kinds, scene: &Scene, path: &str) -> bool {
    let path = constants::resolve(kinds, scene, path).unwrap_or_default();
    path::leaf(kinds, scene, &path).is_some_and(|leaf| integer_range(leaf.value.as_any().type_id()).is_some())
}

/// The names of the columns: those of the plan, or as many last parts of the paths as tell them apart.
fn labels(factors: &[Factor]) -> Vec<String> {
    let last = |path: &str, parts: usize| {
        let from = path.rmatch_indices('.').nth(parts - 1).map_or(0, |(at, _)| at + 1);
        path[from..].to_owned()
    };
    let mut labels: Vec<String> = factors.iter().map(|factor| factor.label.clone()).collect();
    for parts in 1..=64 {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (label, factor) in labels.iter_mut().zip(factors).filter(|(_, factor)| factor.label.is_empty()) {
            *label = last(&factor.path, parts);
            // The tables have a column of this name for all runs.
            if label == SEED {
                *label = format!("factor_{SEED}");
            }
        }
        for label in &labels {
            *seen.entry(label.clone()).or_default() += 1;
        }
        if seen.values().all(|count| *count == 1) {
            break;
        }
    }
    labels
}
