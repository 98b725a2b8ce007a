//! Paths to one value in a scene, such as `groups.millers.controller.detected.turn_rad_per_s`.
//!
//! A step is the name of a field, or the index or the `name` of a member of a list: `groups.0`, `groups[0]`. Slots and
//! `Some` need no step.

use std::collections::HashMap;

use bevy::prelude::*;
use bevy::reflect::{NamedField, ReflectRef};
use swarmarium_base::limits::Limits;
use swarmarium_base::problem::{Place, Problem, listed};
use swarmarium_core::kind::{Kind, Kinds, ReflectSlot};
use swarmarium_core::text::outline::{Body, Node, outline};
use swarmarium_core::text::values::type_ident;
use swarmarium_core::text::wording::{join, shown, shown_path, suggestion, words};

use super::origins::Step;

mod assignment;
mod members;

pub use assignment::{Assignment, set};
pub(crate) use members::inside;
pub use members::kind_parts;

use members::{Member, list_member, members, owner_of, slot_of, some};

/// Finds the value at a path; a slot at its end is returned as it is.
pub fn get<'a>(kinds: &Kinds, root: &'a dyn Reflect, path: &str) -> Result<&'a dyn Reflect, Problem> {
    Ok(find(kinds, root, path)?.value)
}

/// The steps to the value at a path, independent of the names and indices in the path.
pub fn trail(kinds: &Kinds, root: &dyn Reflect, path: &str) -> Result<Vec<Step>, Problem> {
    Ok(find(kinds, root, path)?.steps)
}

/// The place of the value at a path such as `groups[0].controller.sensor` in a text; `None` if the text does not
/// contain it.
pub fn place_of(text: &str, path: &str) -> Option<Place> {
    let root = outline(text).ok()?;
    let steps = steps(path)?;
    let node = steps.into_iter().try_fold(&root, |node, (_, step)| match &node.body {
        Body::Struct { fields, .. } => Some(&fields.iter().find(|field| field.name == step)?.value),
        Body::Tuple { items, .. } | Body::List(items) => match step.parse::<usize>() {
            Ok(index) => items.get(index),
            Err(_) => items.iter().find(|item| has_name(item, step)),
        },
        Body::Leaf(_) => None,
    })?;
    Some(Place::of(text, node.span.start))
}

/// Whether a member of a list has a name.
fn has_name(member: &Node, name: &str) -> bool {
    let text = member.field("name").map(|field| &field.body);
    matches!(text, Some(Body::Leaf(text)) if text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) == Some(name))
}

/// The position in a text of the value at a path, or else of the nearest value around it that the text has.
pub fn nearest_place_of(text: &str, path: &str) -> Option<Place> {
    let mut around = Some(path).filter(|path| !path.is_empty());
    let place = std::iter::from_fn(|| {
        let path = around?;
        around = path.rfind(['.', '[']).map(|end| &path[..end]);
        Some(place_of(text, path))
    });
    place.flatten().next()
}

/// A parameter without further parts.
#[derive(Clone)]
pub struct Leaf<'a> {
    /// The path, for [`get`] and [`set`].
    pub path: String,
    /// The value.
    pub value: &'a dyn Reflect,
    /// The nearest field that contains it, for its docs.
    pub field: Option<&'static NamedField>,
    /// The allowed range.
    pub limits: Option<Limits>,
}

impl<'a> Leaf<'a> {
    /// The root of paths.
    pub fn root(value: &'a dyn Reflect) -> Self {
        Self { path: String::new(), value, field: None, limits: None }
    }
}

/// The parameter at a path, with the most readable path to it; `None` if there is none.
pub fn leaf<'a>(kinds: &Kinds, root: &'a dyn Reflect, path: &str) -> Option<Leaf<'a>> {
    let steps = find(kinds, root, path).ok()?.steps;
    steps.into_iter().try_fold(Leaf::root(root), |leaf, (_, index)| parts(kinds, &leaf).nth(index))
}

/// All parameters below a value, in the order of the description; a vector is one parameter.
pub fn leaves<'a>(kinds: &Kinds, root: &'a dyn Reflect) -> Vec<Leaf<'a>> {
    let mut leaves = Vec::new();
    collect(kinds, Leaf::root(root), &mut leaves);
    leaves
}

fn collect<'a>(kinds: &Kinds, leaf: Leaf<'a>, leaves: &mut Vec<Leaf<'a>>) {
    if is_leaf(kinds.see_through(leaf.value)) {
        return leaves.push(leaf);
    }
    parts(kinds, &leaf).for_each(|part| collect(kinds, part, leaves));
}

/// The parts of a value one level down, in the order of the description, for callers that do not need all leaves at
/// once.
pub fn parts<'a>(kinds: &Kinds, of: &Leaf<'a>) -> impl Iterator<Item = Leaf<'a>> + use<'a> {
    let members = members(kinds, of.value);
    let limits = of.limits.filter(|_| slot_of(kinds, of.value).is_none());
    // Counted once: comparing every member with every name would take quadratic time in long lists.
    let mut bearers: HashMap<String, usize> = HashMap::new();
    for name in members.iter().filter(|member| member.field.is_none()).filter_map(|member| member.name.as_ref()) {
        *bearers.entry(name.clone()).or_default() += 1;
    }
    let (prefix, outer) = (of.path.clone(), of.field);
    members.into_iter().enumerate().map(move |(index, member)| {
        let leads_here = |name: &String| is_step(name) && bearers.get(name) == Some(&1);
        let limits = member.limits().or(limits);
        let name = member.name.filter(|name| member.field.is_some() || leads_here(name));
        let step = name.unwrap_or_else(|| index.to_string());
        let path = if prefix.is_empty() { step } else { format!("{prefix}.{step}") };
        Leaf { path, value: member.value, field: member.field.or(outer), limits }
    })
}

/// The part of a value at an index, as counted by [`parts`].
pub fn part<'a>(kinds: &Kinds, value: &'a dyn Reflect, index: usize) -> Option<&'a dyn Reflect> {
    let (owner, index) = owner_of(kinds, value, index);
    let part = match owner.reflect_ref() {
        ReflectRef::Struct(fields) => fields.field_at(index),
        ReflectRef::Enum(variant) => match some(variant) {
            Some(inner) => return part(kinds, inner, index),
            None => variant.field_at(index),
        },
        ReflectRef::List(list) => list.get(index),
        ReflectRef::Array(array) => array.get(index),
        ReflectRef::Tuple(tuple) => tuple.field(index),
        ReflectRef::TupleStruct(tuple) => tuple.field(index),
        _ => None,
    };
    part?.try_as_reflect()
}

/// Whether a name is unambiguous in a path.
fn is_step(name: &str) -> bool {
    !name.is_empty() && !name.contains(['.', '[', ']', '=']) && name.parse::<usize>().is_err()
}

/// Whether a value has no parts that are parameters of their own; a vector has none.
pub(crate) fn is_leaf(value: &dyn Reflect) -> bool {
    match value.reflect_ref() {
        ReflectRef::Struct(_) => {
            value.reflect_type_info().as_struct().is_ok_and(|info| info.type_path().starts_with("glam::"))
        }
        ReflectRef::Enum(variant) => some(variant).map_or(variant.field_len() == 0, is_leaf),
        ReflectRef::List(_) | ReflectRef::Tuple(_) | ReflectRef::TupleStruct(_) | ReflectRef::Array(_) => false,
        _ => true,
    }
}

fn problem(path: &str, message: String) -> Problem {
    Problem::of_field(shown_path(path), message)
}

/// The hint for parameters of single robots, which a scene does not have.
const AGENTS: &str = ": single robots exist in a running simulation, where an edit sets their parameters; before the start, \
                      only a group of its own gives a robot other ones";

/// The value at a path, its trail, and its allowed range.
struct Found<'a> {
    value: &'a dyn Reflect,
    steps: Vec<Step>,
    limits: Option<Limits>,
}

fn find<'a>(kinds: &Kinds, root: &'a dyn Reflect, path: &str) -> Result<Found<'a>, Problem> {
    let mut found = Found { value: root, steps: Vec::new(), limits: None };
    for (start, step) in steps(path).ok_or_else(|| problem(path, format!("`{}` is not a path", shown_path(path))))? {
        let (index, member) = pick(kinds, found.value, step).map_err(|error| {
            let owner = match path[..start].trim_end_matches(['.', '[']) {
                "" => type_ident(root.reflect_type_info().type_path_table()),
                owner => owner,
            };
            let (owner, step) = (shown(owner), shown(step));
            problem(
                path,
                match error {
                    PickError::Missing(hint) => {
                        let longer = match (start, step.as_str()) {
                            (0, "agents") => AGENTS.to_owned(),
                            (0, _) => paths_to(kinds, root, path),
                            _ => String::new(),
                        };
                        let hint = if longer.is_empty() { hint } else { longer };
                        format!("`{owner}` has no `{step}`{hint}")
                    }
                    PickError::Empty(None) => format!("`{owner}` has no `{step}`: the list is empty"),
                    PickError::Empty(Some(kind)) => {
                        format!("`{owner}` has no `{step}`: the list is empty; `{owner}=[{kind}()]` fills it")
                    }
                    PickError::Ambiguous(places) => {
                        format!("`{owner}` has several `{step}`: give one of the places {places}")
                    }
                },
            )
        })?;
        let limits = found.limits.filter(|_| slot_of(kinds, found.value).is_none());
        found.limits = member.limits().or(limits);
        found.value = member.value;
        found.steps.push((member.field.map(NamedField::name), index));
    }
    Ok(found)
}

/// The steps of a path with their offsets in it; `None` if it is not a path.
pub fn steps(path: &str) -> Option<Vec<(usize, &str)>> {
    let mut steps = Vec::new();
    let mut at = 0;
    for part in path.split('.') {
        for (index, piece) in part.split('[').enumerate() {
            let step = if index == 0 { piece } else { piece.strip_suffix(']')? };
            let nothing_before = index == 0 && at == 0 && part.starts_with('[');
            match step {
                "" if nothing_before => {}
                step if step.is_empty() || step.contains(']') => return None,
                step => steps.push((at, step)),
            }
            at += piece.len() + 1;
        }
    }
    Some(steps)
}

/// The reason why a step leads to no member.
enum PickError {
    /// There is no such member. The text names the alternatives.
    Missing(String),
    /// The list has no members; a kind that it can have, for a list of kinds.
    Empty(Option<&'static str>),
    /// Several members have the name. The text lists their places.
    Ambiguous(String),
}

fn pick<'a>(kinds: &Kinds, value: &'a dyn Reflect, step: &str) -> Result<(usize, Member<'a>), PickError> {
    let place: Option<usize> = step.parse().ok();
    if let Some((index, member)) = place.and_then(|index| Some((index, list_member(kinds, value, index)?))) {
        return Ok((index, member));
    }
    let mut members = members(kinds, value);
    if let Some(index) = place.filter(|index| members.get(*index).is_some_and(|member| member.field.is_none())) {
        return Ok((index, members.swap_remove(index)));
    }
    let mut named = members.iter().enumerate().filter(|(_, member)| member.is_called(step));
    match (named.next(), named.next()) {
        (Some((index, _)), None) => Ok((index, members.swap_remove(index))),
        (None, _) if members.is_empty() && matches!(value.reflect_ref(), ReflectRef::List(_)) => {
            Err(PickError::Empty(example(kinds, value, step)))
        }
        (None, _) => Err(PickError::Missing(alternatives(step, &members))),
        (Some((first, _)), Some((second, _))) => {
            let places: Vec<String> = [first, second]
                .into_iter()
                .chain(named.map(|(place, _)| place))
                .map(|place| place.to_string())
                .collect();
            Err(PickError::Ambiguous(listed(&places)))
        }
    }
}

/// The name of a kind for an empty list of kinds: one with a field of the name, or any.
fn example(kinds: &Kinds, list: &dyn Reflect, field: &str) -> Option<&'static str> {
    let item = list.reflect_type_info().as_list().ok()?.item_ty().id();
    let family = kinds.types().get_type_data::<ReflectSlot>(item)?.family;
    let has_field = |kind: &&Kind| kind.info.as_struct().is_ok_and(|info| info.field(field).is_some());
    kinds.family(family).find(has_field).or_else(|| kinds.family(family).next()).map(|kind| kind.name)
}

/// The largest number of paths that a message suggests.
const MAX_PATHS: usize = 3;

/// The parameters whose paths end with a path, as an addition to a message: `groups.millers.count` for `count`.
pub(super) fn paths_to(kinds: &Kinds, root: &dyn Reflect, path: &str) -> String {
    let end = format!(".{path}");
    // `dt` stands for `dt_s`.
    let (plain, unit) = words(path);
    let is_last =
        |longer: &str| unit.is_empty() && longer.rsplit('.').next().is_some_and(|last| words(last).0 == plain);
    let paths: Vec<String> = leaves(kinds, root).into_iter().map(|leaf| leaf.path).collect();
    let ending: Vec<String> = paths
        .iter()
        .filter(|longer| longer.ends_with(&end) || is_last(longer))
        .map(|path| format!("`{}`", shown_path(path)))
        .collect();
    let more = ending.len().saturating_sub(MAX_PATHS);
    let listed: Vec<&str> = ending.iter().take(MAX_PATHS).map(String::as_str).collect();
    match more {
        _ if listed.is_empty() => String::new(),
        0 => format!("; did you mean {}?", join(&listed, "or")),
        more => format!("; did you mean {} or one of {more} more?", listed.join(", ")),
    }
}

/// The alternatives to a wrong step, for a message.
fn alternatives(step: &str, members: &[Member]) -> String {
    let names: Vec<_> = members.iter().filter_map(|member| member.name.as_deref().or(member.slot_name)).collect();
    match (names.is_empty(), members.len()) {
        (false, _) => suggestion(step, &names),
        (true, 0) => ": it has no parts".into(),
        (true, 1) => ", only 0".into(),
        (true, len) => format!(", only 0 to {}", len - 1),
    }
}

#[cfg(test)]
mod tests;
