//! Paths to one value in a scene, such as `groups.millers.controller.detected.turn_rad_per_s`.
//!
//! A step is the name of a field, or the index or the `name` of a member of a list: `groups.0`, `groups[0]`. Slots and
//! `Some` need no step.

use std::any::TypeId;
use std::collections::HashMap;

use bevy::prelude::*;
use bevy::reflect::enums::Enum;
use bevy::reflect::{NamedField, ReflectMut, ReflectRef, TypeInfo};
use swarmarium_base::limits::Limits;
use swarmarium_base::problem::{Place, Problem, listed};
use swarmarium_core::expression::arithmetic;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::text::outline::{Body, outline};
use swarmarium_core::text::values::{integer_range, is_option, type_ident};
use swarmarium_core::text::wording::{expected_leaf, found_text, shown, suggestion, unit_hint};
use thiserror::Error;

use super::origins::Step;
use super::reader::{Expected, default_of, put, read_value};

/// Finds the value at a path; a slot at its end is returned as it is.
pub fn get<'a>(kinds: &Kinds, root: &'a dyn Reflect, path: &str) -> Result<&'a dyn Reflect, Problem> {
    Ok(find(kinds, root, path)?.value)
}

/// Reads a text as the value at a path and sets it.
///
/// The text has the notation of a scene file, except that texts need no quotes, and that a number can be
/// [arithmetic], such as `pi / 6`. Either the whole value is replaced or nothing.
pub fn set(kinds: &Kinds, root: &mut dyn Reflect, path: &str, text: &str) -> Result<(), Problem> {
    let found = find(kinds, root, path)?;
    let quoted = found.value.is::<String>().then(|| quote(text)).flatten();
    let expected =
        Expected { type_id: found.value.as_any().type_id(), limits: found.limits, default: found.default.as_deref() };
    let read = read_value(kinds, quoted.as_deref().unwrap_or(text), expected);
    let value = match (read, number_type(found.value.reflect_type_info())) {
        (Err(problems), Some(info)) => number_of(kinds, path, text, (info, expected), problems)?,
        (read, _) => read.map_err(|problems| below(path, problems))?,
    };
    check_name(kinds, root, &found.steps, &*value).map_err(|taken| problem(path, taken.to_string()))?;

    let target = found.steps.iter().try_fold(root, |value, index| member_mut(kinds, value, *index));
    match target.is_some_and(|target| put(target.as_partial_reflect_mut(), value)) {
        true => Ok(()),
        false => Err(problem(path, "internal error: the value does not fit".into())),
    }
}

/// The type of a number, or of the number inside an optional one; `None` for other types.
fn number_type(info: &'static TypeInfo) -> Option<&'static TypeInfo> {
    match info {
        TypeInfo::Enum(info) if is_option(info) => {
            number_type(info.variant("Some")?.as_tuple_variant().ok()?.field_at(0)?.type_info()?)
        }
        TypeInfo::Opaque(_) => {
            let id = info.type_id();
            let is_float = id == TypeId::of::<f64>() || id == TypeId::of::<f32>();
            (is_float || integer_range(id).is_some()).then_some(info)
        }
        _ => None,
    }
}

/// Reads a number that is no plain number in a scene file: arithmetic, with or without quotes.
fn number_of(
    kinds: &Kinds,
    path: &str,
    text: &str,
    (info, expected): (&TypeInfo, Expected),
    problems: Vec<Problem>,
) -> Result<Box<dyn PartialReflect>, Problem> {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(trimmed);
    // A number alone has been refused already.
    let is_plain = trimmed.parse::<f64>().is_ok() && !trimmed.contains(['e', 'E']);
    if let Some(number) = arithmetic(inner).filter(|_| !is_plain) {
        return read_value(kinds, &number.to_string(), expected).map_err(|problems| below(path, problems));
    }
    let field = steps(path).and_then(|steps| steps.last().map(|(_, step)| *step)).unwrap_or_default();
    let hint = unit_hint(field, inner);
    if outline(text).is_ok() {
        let problem = below(path, problems);
        return Err(Problem { message: problem.message + &hint, ..problem });
    }
    let found = if trimmed.is_empty() { "nothing".into() } else { found_text(trimmed) };
    Err(problem(path, format!("expected {}, found {found}{hint}", expected_leaf(info, expected.limits))))
}

/// The steps to the value at a path, independent of the names and indices in the path.
pub fn trail(kinds: &Kinds, root: &dyn Reflect, path: &str) -> Result<Vec<Step>, Problem> {
    let mut value = root;
    let mut trail = Vec::new();
    for index in find(kinds, root, path)?.steps {
        let Some(member) = members(kinds, value).into_iter().nth(index) else { break };
        trail.push((member.field.map(NamedField::name), index));
        value = member.value;
    }
    Ok(trail)
}

/// The place of the value at a path such as `groups[0].controller.sensor` in a text; `None` if the text does not
/// contain it.
pub fn place_of(text: &str, path: &str) -> Option<Place> {
    let root = outline(text).ok()?;
    let steps = steps(path)?;
    let node = steps.into_iter().try_fold(&root, |node, (_, step)| match &node.body {
        Body::Struct { fields, .. } => Some(&fields.iter().find(|field| field.name == step)?.value),
        Body::Tuple { items, .. } | Body::List(items) => items.get(step.parse::<usize>().ok()?),
        Body::Leaf(_) => None,
    })?;
    Some(Place::of(text, node.span.start))
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
    steps.into_iter().try_fold(Leaf::root(root), |leaf, index| parts(kinds, &leaf).nth(index))
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
    Problem { place: None, path: shown(path), message }
}

/// The first of the problems with the value at a path, with its path from the root.
fn below(path: &str, problems: Vec<Problem>) -> Problem {
    let first = problems.into_iter().next().unwrap_or_else(|| Problem::of_file("internal error: no problem"));
    let path = match first.path.as_str() {
        "" => path.to_owned(),
        rest if rest.starts_with('[') => format!("{path}{rest}"),
        rest => format!("{path}.{rest}"),
    };
    Problem { place: None, path, ..first }
}

/// The text in quotes, unless it has them already.
fn quote(text: &str) -> Option<String> {
    let trimmed = text.trim();
    let is_quoted = ["\"", "r\"", "r#"].iter().any(|start| trimmed.starts_with(start)) && trimmed.ends_with(['"', '#']);
    if is_quoted { None } else { ron::to_string(text).ok() }
}

/// The value at a path, its trail, and the information that a reader needs to replace it.
struct Found<'a> {
    value: &'a dyn Reflect,
    steps: Vec<usize>,
    limits: Option<Limits>,
    default: Option<Box<dyn Reflect>>,
}

fn find<'a>(kinds: &Kinds, root: &'a dyn Reflect, path: &str) -> Result<Found<'a>, Problem> {
    let default = default_of(kinds, root.as_any().type_id());
    let mut found = Found { value: root, steps: Vec::new(), limits: None, default };
    for (start, step) in steps(path).ok_or_else(|| problem(path, format!("`{}` is not a path", shown(path))))? {
        let members = members(kinds, found.value);
        let (index, member) = pick(&members, step).map_err(|error| {
            let owner = match path[..start].trim_end_matches(['.', '[']) {
                "" => type_ident(root.reflect_type_info().type_path_table()),
                owner => owner,
            };
            let (owner, step) = (shown(owner), shown(step));
            problem(
                path,
                match error {
                    PickError::Missing(hint) => format!("`{owner}` has no `{step}`{hint}"),
                    PickError::Ambiguous(places) => {
                        format!("`{owner}` has several `{step}`: give one of the places {places}")
                    }
                },
            )
        })?;
        found.default = default_below(kinds, &found, index);
        let limits = found.limits.filter(|_| slot_of(kinds, found.value).is_none());
        found.limits = member.limits().or(limits);
        found.value = member.value;
        found.steps.push(index);
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
    /// Several members have the name. The text lists their places.
    Ambiguous(String),
}

fn pick<'m, 'a>(members: &'m [Member<'a>], step: &str) -> Result<(usize, &'m Member<'a>), PickError> {
    let is_free = |index: &usize| members.get(*index).is_some_and(|member| member.field.is_none());
    if let Some(index) = step.parse::<usize>().ok().filter(is_free) {
        return Ok((index, &members[index]));
    }
    let mut named = members.iter().enumerate().filter(|(_, member)| member.is_called(step));
    match (named.next(), named.next()) {
        (Some(found), None) => Ok(found),
        (None, _) => Err(PickError::Missing(alternatives(step, members))),
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

/// The default of a member, following the value: a kind has the default of that kind, a member of a list that of its
/// type.
fn default_below(kinds: &Kinds, found: &Found, index: usize) -> Option<Box<dyn Reflect>> {
    let default = match slot_of(kinds, found.value) {
        Some(_) => kinds.default_of_slot(found.value)?,
        None => default_of_same(kinds, found)?,
    };
    if matches!(default.reflect_ref(), ReflectRef::List(_)) {
        return None;
    }
    members(kinds, &*default).get(index)?.value.reflect_clone().ok()
}

/// A copy of the default of a value, or the default of its type.
fn default_of_same(kinds: &Kinds, found: &Found) -> Option<Box<dyn Reflect>> {
    let clone = found.default.as_deref().and_then(|default| default.reflect_clone().ok());
    clone.or_else(|| default_of(kinds, found.value.as_any().type_id()))
}

fn slot_of<'k>(kinds: &'k Kinds, value: &dyn Reflect) -> Option<&'k ReflectSlot> {
    kinds.types().get_type_data::<ReflectSlot>(value.as_any().type_id())
}

/// The value in a `Some`.
fn some(variant: &dyn Enum) -> Option<&dyn Reflect> {
    variant.get_represented_enum_info().filter(|info| is_option(info))?;
    variant.field_at(0)?.try_as_reflect()
}

/// The value inside an optional value, otherwise the value itself.
pub(crate) fn inside(value: &dyn Reflect) -> &dyn Reflect {
    value.reflect_ref().as_enum().ok().and_then(some).unwrap_or(value)
}

/// A part of a value.
struct Member<'a> {
    /// The name of the field, or the own name of a member of a list.
    name: Option<String>,
    value: &'a dyn Reflect,
    /// The field; `None` for a member of a list.
    field: Option<&'static NamedField>,
    /// The own name of a kind in a list, such as an object or a sensor. Several may have one name.
    slot_name: Option<&'a str>,
}

impl Member<'_> {
    fn is_called(&self, step: &str) -> bool {
        self.name.as_deref() == Some(step) || self.slot_name == Some(step)
    }

    fn limits(&self) -> Option<Limits> {
        self.field?.get_attribute::<Limits>().copied()
    }
}

/// The parts of a value, in the order of [`member_mut`]: for a slot, those of the kind, then the common ones.
fn members<'a>(kinds: &Kinds, value: &'a dyn Reflect) -> Vec<Member<'a>> {
    match slot_of(kinds, value).and_then(|slot| (slot.inner)(value)) {
        Some(owners) => owners.into_iter().flat_map(|owner| own_members(kinds, owner)).collect(),
        None => own_members(kinds, value),
    }
}

/// The value that contains the part with this index, and the index within it.
fn owner_of<'a>(kinds: &Kinds, value: &'a dyn Reflect, index: usize) -> (&'a dyn Reflect, usize) {
    match slot_of(kinds, value).and_then(|slot| (slot.inner)(value)) {
        Some([kind, common]) => match index.checked_sub(own_members(kinds, kind).len()) {
            Some(index) => (common, index),
            None => (kind, index),
        },
        None => (value, index),
    }
}

fn own_members<'a>(kinds: &Kinds, owner: &'a dyn Reflect) -> Vec<Member<'a>> {
    let parts: Vec<&dyn PartialReflect> = match owner.reflect_ref() {
        ReflectRef::Struct(fields) => fields.iter_fields().map(|(_, field)| field).collect(),
        ReflectRef::Enum(variant) => match some(variant) {
            Some(inner) => return members(kinds, inner),
            None => variant.iter_fields().map(|field| field.value()).collect(),
        },
        ReflectRef::List(list) => list.iter().collect(),
        ReflectRef::Array(array) => array.iter().collect(),
        ReflectRef::Tuple(tuple) => tuple.iter_fields().collect(),
        ReflectRef::TupleStruct(tuple) => tuple.iter_fields().collect(),
        _ => Vec::new(),
    };
    let member = |(index, part): (usize, &'a dyn PartialReflect)| {
        let value = part.try_as_reflect()?;
        let field = field_at(owner, index);
        let name = field.map(|field| field.name()).or_else(|| own_name(value));
        let slot_name = slot_of(kinds, value).filter(|_| field.is_none()).and_then(|slot| (slot.inner)(value));
        let slot_name = slot_name.and_then(|[_, common]| own_name(common)).filter(|name| !name.is_empty());
        Some(Member { name: name.map(Into::into), value, field, slot_name })
    };
    parts.into_iter().enumerate().filter_map(member).collect()
}

fn field_at(owner: &dyn Reflect, index: usize) -> Option<&'static NamedField> {
    match owner.reflect_type_info() {
        TypeInfo::Struct(info) => info.field_at(index),
        TypeInfo::Enum(info) => {
            let variant = owner.reflect_ref().as_enum().ok()?.variant_name();
            info.variant(variant)?.as_struct_variant().ok()?.field_at(index)
        }
        _ => None,
    }
}

/// The own name of a member of a list.
fn own_name(value: &dyn Reflect) -> Option<&str> {
    let name = value.reflect_ref().as_struct().ok()?.field("name")?.try_downcast_ref::<String>()?;
    Some(name)
}

/// The part of a value with an index from [`members`].
fn member_mut<'a>(kinds: &Kinds, value: &'a mut dyn Reflect, index: usize) -> Option<&'a mut dyn Reflect> {
    let (value, index) = match slot_of(kinds, value) {
        Some(slot) => {
            let [kind, common] = (slot.inner_mut)(value)?;
            match index.checked_sub(own_members(kinds, kind).len()) {
                Some(index) => (common, index),
                None => (kind, index),
            }
        }
        None => (value, index),
    };
    let part = match value.reflect_mut() {
        ReflectMut::Struct(fields) => fields.field_at_mut(index),
        ReflectMut::Enum(variant) if some(variant).is_some() => {
            return member_mut(kinds, variant.field_at_mut(0)?.try_as_reflect_mut()?, index);
        }
        ReflectMut::Enum(variant) => variant.field_at_mut(index),
        ReflectMut::List(list) => list.get_mut(index),
        ReflectMut::Array(array) => array.get_mut(index),
        ReflectMut::Tuple(tuple) => tuple.field_mut(index),
        ReflectMut::TupleStruct(tuple) => tuple.field_mut(index),
        _ => None,
    };
    part?.try_as_reflect_mut()
}

/// The error of a name that another member of the list already has.
#[derive(Debug, Error)]
#[error("the name `{}` is taken by member {member}", shown(.name))]
struct TakenName {
    name: String,
    member: usize,
}

/// Checks that a member of a list does not get the name of another one.
fn check_name(kinds: &Kinds, root: &dyn Reflect, steps: &[usize], value: &dyn PartialReflect) -> Result<(), TakenName> {
    let [to_list @ .., index, _] = steps else { return Ok(()) };
    let list = to_list.iter().try_fold(root, |value, index| Some(members(kinds, value).get(*index)?.value));
    let Some(list) = list.filter(|list| matches!(list.reflect_ref(), ReflectRef::List(_))) else { return Ok(()) };
    let members = members(kinds, list);
    let is_name = members[*index]
        .value
        .reflect_ref()
        .as_struct()
        .is_ok_and(|fields| steps.last().and_then(|last| fields.name_at(*last)) == Some("name"));
    let Some(name) = value.try_downcast_ref::<String>().filter(|_| is_name) else { return Ok(()) };
    match members.iter().position(|member| member.name.as_ref() == Some(name)) {
        Some(taken) if taken != *index => Err(TakenName { name: name.clone(), member: taken }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::reader::tests::{Two, kinds, milling};
    use crate::scene::writer::{Style, write};

    fn text_at(scene: &dyn Reflect, path: &str) -> String {
        write(&kinds(), get(&kinds(), scene, path).unwrap(), Style::Full)
    }

    fn refused(path: &str, text: &str) -> String {
        let (kinds, mut scene) = (kinds(), milling());
        let before = write(&kinds, &scene, Style::Full);
        let problem = set(&kinds, &mut scene, path, text).unwrap_err();
        assert_eq!(write(&kinds, &scene, Style::Full), before);
        assert_eq!(problem.place, None);
        format!("{}: {}", problem.path, problem.message)
    }

    #[test]
    fn finds_by_name_and_by_index() {
        let scene = milling();
        for path in ["groups.millers.controller.detected.v_m_per_s", "groups[0].controller.detected.v_m_per_s"] {
            assert_eq!(text_at(&scene, path), "0.27");
        }
        assert_eq!(text_at(&scene, "groups.0.sensors.0.range_m"), "2.5");
        assert_eq!(text_at(&scene, "groups[0].sensors[0].mount_m.y"), "-0.5");
        assert_eq!(text_at(&scene, "groups.millers.body.radius_m"), "0.2");
        assert_eq!(text_at(&scene, "groups.others.controller.rest[1].rest.0.clear.v_m_per_s"), "0.3");
    }

    #[test]
    fn finds_kinds_in_lists_by_their_names() {
        let (kinds, mut scene) = (kinds(), milling());
        let sensors = "[Fov(name: \"left\", range_m: 1), Fov(range_m: 2), Fov(name: \"right\", range_m: 3), Fov(name: \"right\", range_m: 4)]";
        set(&kinds, &mut scene, "groups.millers.sensors", sensors).unwrap();
        assert_eq!(text_at(&scene, "groups.millers.sensors.left.range_m"), "1.0");
        assert_eq!(text_at(&scene, "groups[0].sensors[left].name"), "\"left\"");
        set(&kinds, &mut scene, "groups.millers.sensors.left.range_m", "1.5").unwrap();
        assert_eq!(text_at(&scene, "groups.millers.sensors.0.range_m"), "1.5");
        let message = |path: &str| get(&kinds, &scene, path).err().unwrap().message;
        let several = "`groups.millers.sensors` has several `right`: give one of the places 2, 3";
        assert_eq!(message("groups.millers.sensors.right.range_m"), several);
        let near = "`groups.millers.sensors` has no `lefd`, did you mean `left`?";
        assert_eq!(message("groups.millers.sensors.lefd.range_m"), near);
        assert!(leaves(&kinds, &scene).iter().any(|leaf| leaf.path == "groups.millers.sensors.0.range_m"));
    }

    #[test]
    fn suggests_names() {
        assert_eq!(
            refused("groups.milers.count", "3"),
            "groups.milers.count: `groups` has no `milers`, did you mean `millers`?"
        );
        assert_eq!(refused("sed", "3"), "sed: `Scene` has no `sed`, did you mean `seed`?");
        assert_eq!(refused("time.dt_s.x", "3"), "time.dt_s.x: `time.dt_s` has no `x`: it has no parts");
        assert_eq!(refused("metrics[5]", "3"), "metrics[5]: `metrics` has no `5`, only 0 to 1");
        for path in ["", "a..b", "a[", "a[]", "a]", "a.[0]", "time."] {
            assert_eq!(refused(path, "3"), format!("{path}: `{path}` is not a path"));
        }
    }

    #[test]
    fn sets_leaves_kinds_and_lists() {
        let (kinds, mut scene) = (kinds(), milling());
        let changes = [
            ("arena.size_m.x", "3", "3.0"),
            ("arena.boundary", "Walls", "Walls"),
            ("name", "a b: c", "\"a b: c\""),
            ("name", "\"q\"", "\"q\""),
            ("groups.1.name", "third", "\"third\""),
            ("groups.third.count", "9", "9"),
            ("groups.millers.sensors[0].pair", "(3, 4)", "(3.0, 4)"),
            ("groups.millers.sensors[0].pair.1", "5", "5"),
            ("groups.millers.sensors[0].three", "[1, 2, 3]", "[1.0, 2.0, 3.0]"),
            ("groups.millers.sensors", "[Fov(range_m: 1)]", ""),
            ("groups.millers.sensors[0].gains", "[9]", "[9.0]"),
            ("groups.millers.sensors[0].rays", "4", "Some(4)"),
            ("groups.millers.controller", "Two(clear: (turn_rad_per_s: 1))", ""),
            ("groups.millers.controller.mode", "Pick(1, \"x\")", "Pick(1, \"x\")"),
            ("groups.millers.at[1]", "(1, 2, 3)", "(1.0, 2.0, 3.0)"),
        ];
        for (path, text, expected) in changes {
            set(&kinds, &mut scene, path, text).unwrap();
            if !expected.is_empty() {
                assert_eq!(text_at(&scene, path), expected);
            }
        }
        set(&kinds, &mut scene, "groups[0].controller.clear", "(turn_rad_per_s: 2)").unwrap();
        let two = scene.groups[0].controller.value().downcast_ref::<Two>().unwrap();
        assert_eq!(two.clear.v_m_per_s, 0.3, "the default of the kind");
    }

    #[test]
    fn refuses_like_the_reader() {
        let path = "groups.millers.sensors.0.range_m";
        assert_eq!(refused(path, "-1"), format!("{path}: expected a number > 0, found -1"));
        assert_eq!(refused(path, "inf"), format!("{path}: expected a finite number, found `inf`"));
        assert_eq!(refused("arena.size_m.x", "0"), "arena.size_m.x: expected a number > 0 and ≤ 1000000, found 0");
        assert_eq!(
            refused("groups.millers.sensors", "[Sonar()]"),
            "groups.millers.sensors[0]: unknown sensor `Sonar`; there is Fov"
        );
        assert_eq!(
            refused("groups.others.name", "millers"),
            "groups.others.name: the name `millers` is taken by member 0"
        );
        let seed = "seed: expected an integer from 0 to 18446744073709551615, found";
        assert_eq!(refused("seed", ""), format!("{seed} nothing"));
        assert_eq!(refused("seed", "1)"), format!("{seed} `1)`"));
        assert_eq!(refused("seed", "1 / 2"), format!("{seed} 0.5"));
        assert_eq!(refused("arena.boundary", "Walls)"), "arena.boundary: expected the end, found `)`");
    }

    #[test]
    fn numbers_are_arithmetic_and_their_units_are_explained() {
        let (kinds, mut scene) = (kinds(), milling());
        let changes = [
            ("groups.millers.sensors.0.range_m", "2 * 0.15", "0.3"),
            ("groups.millers.sensors.0.range_m", "\"pi / 6\"", "0.5235987755982988"),
            ("groups.millers.sensors.0.rays", "1e1 - 6", "Some(4)"),
            ("groups.millers.count", "3 * 4", "12"),
            ("arena.size_m.x", "sqrt(16)", "4.0"),
        ];
        for (path, text, expected) in changes {
            set(&kinds, &mut scene, path, text).unwrap();
            assert_eq!(text_at(&scene, path), expected, "{text}");
        }
        let path = "groups.millers.sensors.0.range_m";
        for (text, end) in [
            ("pi/x", "found `pi/x`"),
            ("1/0", "found `1/0`"),
            ("2m", "found 2m: without the unit, 2"),
            ("30 cm", "found `30 cm`: in m, 0.3"),
            ("true", "found `true`"),
        ] {
            assert_eq!(refused(path, text), format!("{path}: expected a number > 0, {end}"));
        }
        let turn = refused("groups.others.controller.rest[1].rest.0.clear.turn_rad_per_s", "30deg");
        assert!(turn.ends_with("found 30deg: in rad/s, 0.5236"), "{turn}");
    }

    #[test]
    fn lists_all_leaves() {
        let (kinds, scene) = (kinds(), milling());
        let leaves = leaves(&kinds, &scene);
        let paths: Vec<_> = leaves.iter().map(|leaf| leaf.path.as_str()).collect();
        for path in [
            "seed",
            "arena.size_m",
            "groups.millers.body.radius_m",
            "groups.millers.sensors.0.gains.1",
            "groups.millers.controller.mode.slope",
            "groups.others.controller.rest.0.clear.v_m_per_s",
        ] {
            assert!(paths.contains(&path), "{path} is not in {paths:#?}");
        }
        for leaf in &leaves {
            let value = get(&kinds, &scene, &leaf.path).unwrap();
            assert_eq!(write(&kinds, value, Style::Full), write(&kinds, leaf.value, Style::Full), "{}", leaf.path);
        }
        let range = leaves.iter().find(|leaf| leaf.path.ends_with("range_m")).unwrap();
        assert_eq!(range.field.and_then(|field| field.docs()), Some(" How far."));
        assert_eq!(range.limits, Some(Limits::POSITIVE));
    }

    #[test]
    fn lists_parts_one_level_down() {
        let (kinds, scene) = (kinds(), milling());
        let groups = parts(&kinds, &Leaf::root(&scene)).find(|part| part.path == "groups").unwrap();
        let paths: Vec<_> = parts(&kinds, &groups).map(|group| group.path).collect();
        assert_eq!(paths, ["groups.millers", "groups.others"]);
        for (index, group) in parts(&kinds, &groups).enumerate() {
            let same = part(&kinds, groups.value, index).unwrap();
            assert_eq!(write(&kinds, same, Style::Full), write(&kinds, group.value, Style::Full));
        }
        assert!(part(&kinds, groups.value, 2).is_none());
    }

    #[test]
    fn members_with_the_same_name_are_listed_by_index() {
        let mut scene = milling();
        scene.groups[1].name = "millers".into();
        assert!(leaves(&kinds(), &scene).iter().any(|leaf| leaf.path == "groups.1.count"));
    }
}
