//! New values of parameters: read once from text, put in place any number of times.

use std::any::TypeId;
use std::sync::Arc;

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;
use bevy::reflect::array::DynamicArray;
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::{ReflectRef, TypeInfo};
use swarmarium_base::problem::Problem;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::expression::arithmetic;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::outline::outline;
use swarmarium_core::text::shared::SharedText;
use swarmarium_core::text::values::{integer_range, is_option};
use swarmarium_core::text::wording::{expected_leaf, found_text, shown, unit_message};
use thiserror::Error;

use super::super::reader::{Expected, default_of, is_part_of_vector, put, read_value};
use super::members::{member_mut, members, slot_of};
use super::{Found, find, part, problem, steps};
use crate::scene::origins::Step;

/// A new value of one parameter: read once, checked at the limits of its field, and put in place any number of times.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Path of the parameter, with the places of objects and sensors instead of their names.
    pub path: String,
    /// New value in the notation of a scene file.
    pub text: String,
    trail: Vec<Step>,
    value: Arc<dyn PartialReflect>,
}

/// The lists whose members running entities know by their places.
const LISTS_OF_ENTITIES: [&str; 2] = ["objects", "sensors"];

/// A path with the places of objects and sensors instead of their names.
fn with_places(path: &str, trail: &[Step]) -> String {
    let mut after = String::new();
    let mut end = 0;
    let texts: Vec<(usize, &str)> = steps(path).unwrap_or_default();
    for (pair, step) in texts.windows(2).zip(trail.iter().skip(1)) {
        if let ([(_, list), (start, text)], (None, index)) = (pair, step)
            && LISTS_OF_ENTITIES.contains(list)
        {
            after.push_str(&path[end..*start]);
            after.push_str(&index.to_string());
            end = start + text.len();
        }
    }
    after + &path[end..]
}

impl Assignment {
    /// Reads a text as the value at a path below a root.
    ///
    /// # Errors
    /// See [`set`].
    pub fn read(kinds: &Kinds, root: &dyn Reflect, path: &str, text: &str) -> Result<Self, Problem> {
        let (trail, value) = read(kinds, root, path, text)?;
        Ok(Self { path: with_places(path, &trail), text: text.into(), trail, value: value.into() })
    }

    /// The way to the parameter, from the root.
    pub fn trail(&self) -> &[Step] {
        &self.trail
    }

    /// The new value.
    pub fn value(&self) -> &dyn PartialReflect {
        &*self.value
    }

    /// Whether the value is a real number (`f64`): such a value leaves the parts of all others as they are.
    pub fn is_real(&self) -> bool {
        self.value.try_downcast_ref::<f64>().is_some()
    }

    /// Whether the value is a [real number](Self::is_real) or a vector of them.
    pub fn is_real_or_vector(&self) -> bool {
        let is_vector =
            self.value.try_downcast_ref::<DVec2>().is_some() || self.value.try_downcast_ref::<DVec3>().is_some();
        self.is_real() || is_vector
    }

    /// Puts the value in place below a root; returns whether it fits.
    pub fn put(&self, kinds: &Kinds, root: &mut dyn Reflect) -> bool {
        self.put_below(kinds, 0, root)
    }

    /// Puts the value in place within a part of the root, to which the first `depth` steps of the trail lead; returns
    /// whether it fits.
    pub fn put_below(&self, kinds: &Kinds, depth: usize, part: &mut dyn Reflect) -> bool {
        let Some(rest) = self.trail.get(depth..) else { return false };
        copy(&*self.value).is_some_and(|value| put_at(kinds, part, rest, value)) || self.set_below(kinds, depth, part)
    }

    /// As [`put_below`](Self::put_below), within the common parameters of a slot with this number of parts of its kind.
    pub fn put_in_common(&self, kinds: &Kinds, depth: usize, kind_parts: usize, common: &mut dyn Reflect) -> bool {
        let Some([(name, index), rest @ ..]) = self.trail.get(depth..) else { return false };
        let step = index.checked_sub(kind_parts).map(|index| (*name, index));
        let part = step.and_then(|step| member_mut(kinds, common, step));
        part.zip(copy(&*self.value)).is_some_and(|(part, value)| put_at(kinds, part, rest, value))
            || self.set_below(kinds, depth, common)
    }

    /// Reads the text again for a part of another shape, such as another kind with a parameter of the same name.
    fn set_below(&self, kinds: &Kinds, depth: usize, part: &mut dyn Reflect) -> bool {
        let steps = steps(&self.path).unwrap_or_default();
        let rest: Vec<&str> = steps.into_iter().skip(depth).map(|(_, step)| step).collect();
        set(kinds, part, &rest.join("."), &self.text).is_ok()
    }
}

/// A copy of a value from the reader, which makes tuples and arrays as dynamic values.
fn copy(value: &dyn PartialReflect) -> Option<Box<dyn PartialReflect>> {
    if value.try_as_reflect().is_some() {
        return value.reflect_clone().ok().map(|copied| copied.into_partial_reflect());
    }
    match value.reflect_ref() {
        ReflectRef::Tuple(tuple) => {
            let mut copied = DynamicTuple::default();
            tuple.iter_fields().try_for_each(|field| copy(field).map(|field| copied.insert_boxed(field)))?;
            Some(Box::new(copied))
        }
        ReflectRef::Array(array) => {
            let items: Option<Vec<_>> = array.iter().map(copy).collect();
            Some(Box::new(DynamicArray::new(items?.into())))
        }
        _ => None,
    }
}

fn put_at(kinds: &Kinds, root: &mut dyn Reflect, trail: &[Step], value: Box<dyn PartialReflect>) -> bool {
    let target = trail.iter().try_fold(&mut *root, |value, step| member_mut(kinds, value, *step));
    let is_put = target.is_some_and(|target| put(target.as_partial_reflect_mut(), value));
    if is_put {
        settle(kinds, root, trail);
    }
    is_put
}

/// Brings dependent parameters of the kinds on a trail in line with a new value at its end.
fn settle(kinds: &Kinds, root: &mut dyn Reflect, trail: &[Step]) {
    kinds.settle(root);
    let (mut value, mut rest) = (root, trail);
    while let [step, after @ ..] = rest {
        let Some(member) = member_mut(kinds, value, *step) else { return };
        kinds.settle(member);
        (value, rest) = (member, after);
    }
}

/// Reads a text as the value at a path and sets it.
///
/// The text has the notation of a scene file, except that texts need no quotes, and that a number can be
/// [arithmetic], such as `pi / 6`, and that vectors and lists of numbers need no brackets. Either the whole value is replaced or nothing.
pub fn set(kinds: &Kinds, root: &mut dyn Reflect, path: &str, text: &str) -> Result<(), Problem> {
    let (trail, value) = read(kinds, root, path, text)?;
    match put_at(kinds, root, &trail, value) {
        true => Ok(()),
        false => Err(problem(path, "internal error: the value does not fit".into())),
    }
}

/// Reads a text as the value at a path; returns the trail to it, too.
fn read(
    kinds: &Kinds,
    root: &dyn Reflect,
    path: &str,
    text: &str,
) -> Result<(Vec<Step>, Box<dyn PartialReflect>), Problem> {
    let Found { value: present, steps, limits } = find(kinds, root, path)?;
    let number = number_type(present.reflect_type_info());
    // A number is written as a whole.
    let default = if number.is_some() { None } else { default_at(kinds, root, &steps) };
    let is_text = present.is::<String>() || present.is::<SharedText>();
    let quoted = is_text.then(|| quote(text)).flatten();
    let expected = Expected { type_id: present.as_any().type_id(), limits, default: default.as_deref() };
    // The unit is in the name of the field, also for a part of its value: `size_m.0`.
    let mut names = super::steps(path).unwrap_or_default().into_iter().map(|(_, step)| step);
    let is_part = |step: &str| is_part_of_vector(step) || step.parse::<usize>().is_ok();
    let field = names.rfind(|step| !is_part(step)).unwrap_or_default();
    let read = read_value(kinds, (field, quoted.as_deref().unwrap_or(text)), expected);
    let value = match (read, number) {
        (Err(problems), Some(info)) => number_of(kinds, (path, field), text, (info, expected), problems)?,
        (Err(problems), None) => {
            let again = in_brackets(text, present).map(|text| read_value(kinds, (field, &text), expected));
            again.unwrap_or(Err(problems)).map_err(|problems| below(path, problems))?
        }
        (Ok(value), _) => value,
    };
    check_name(kinds, root, &steps, &*value).map_err(|taken| problem(path, taken.to_string()))?;
    Ok((steps, value))
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

/// Puts values with commas in the brackets that a vector or a list has, such as `10,10`: shells have uses of their own for
/// brackets. `None` for other texts.
fn in_brackets(text: &str, present: &dyn Reflect) -> Option<String> {
    let is_bare = text.contains(',') && !text.contains(['(', ')', '[', ']', '{', '}', '"', ':']);
    let is_list = matches!(present.reflect_ref(), ReflectRef::List(_));
    is_bare.then(|| if is_list { format!("[{text}]") } else { format!("({text})") })
}

/// Reads a number that is not a plain number in a scene file: arithmetic, with or without quotes.
fn number_of(
    kinds: &Kinds,
    (path, field): (&str, &str),
    text: &str,
    (info, expected): (&TypeInfo, Expected),
    problems: Vec<Problem>,
) -> Result<Box<dyn PartialReflect>, Problem> {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(trimmed);
    // A number alone has been refused already.
    let is_plain = trimmed.parse::<f64>().is_ok() && !trimmed.contains(['e', 'E']);
    if let Some(number) = arithmetic(inner).filter(|_| !is_plain) {
        return read_value(kinds, (field, &number.to_string()), expected).map_err(|problems| below(path, problems));
    }
    if let Some(message) = unit_message(field, inner, expected.limits) {
        return Err(problem(path, message));
    }
    if outline(text).is_ok() {
        return Err(below(path, problems));
    }
    let found = if trimmed.is_empty() { "nothing".into() } else { found_text(trimmed) };
    Err(problem(path, format!("expected {}, found {found}", expected_leaf(info, expected.limits))))
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

/// The default of the value at the end of a trail: a kind has the default of that kind, a member of a list that of its
/// type.
fn default_at(kinds: &Kinds, root: &dyn Reflect, trail: &[Step]) -> Option<Box<dyn Reflect>> {
    let (mut value, mut default) = (root, default_of(kinds, root.as_any().type_id()));
    for (_, index) in trail {
        default = default_below(kinds, value, default.as_deref(), *index);
        value = part(kinds, value, *index)?;
    }
    default
}

fn default_below(
    kinds: &Kinds,
    value: &dyn Reflect,
    default: Option<&dyn Reflect>,
    index: usize,
) -> Option<Box<dyn Reflect>> {
    let default = match slot_of(kinds, value) {
        Some(_) => kinds.default_of_slot(value)?,
        None => {
            let copied = default.and_then(|default| default.reflect_clone().ok());
            copied.or_else(|| default_of(kinds, value.as_any().type_id()))?
        }
    };
    if matches!(default.reflect_ref(), ReflectRef::List(_)) {
        return None;
    }
    // The default of a kind does not know the fields that a file declares.
    let declared = value.downcast_ref::<DeclaredValues>().map(DeclaredValues::at_defaults);
    let default: &dyn Reflect = declared.as_ref().map_or(&*default, |declared| declared);
    members(kinds, default).get(index)?.value.reflect_clone().ok()
}

/// The error of a name that another member of the list already has.
#[derive(Debug, Error)]
#[error("the name `{}` is taken by member {member}", shown(.name))]
struct TakenName {
    name: String,
    member: usize,
}

/// Checks that a member of a list does not get the name of another one.
fn check_name(kinds: &Kinds, root: &dyn Reflect, steps: &[Step], value: &dyn PartialReflect) -> Result<(), TakenName> {
    let [to_list @ .., (_, index), (field, _)] = steps else { return Ok(()) };
    let list = to_list.iter().try_fold(root, |value, (_, index)| Some(members(kinds, value).get(*index)?.value));
    let Some(list) = list.filter(|list| matches!(list.reflect_ref(), ReflectRef::List(_))) else { return Ok(()) };
    let members = members(kinds, list);
    let is_name = *field == Some("name") && members[*index].value.reflect_ref().as_struct().is_ok();
    let Some(name) = value.try_downcast_ref::<String>().filter(|_| is_name) else { return Ok(()) };
    match members.iter().position(|member| member.name.as_ref() == Some(name)) {
        Some(taken) if taken != *index => Err(TakenName { name: name.clone(), member: taken }),
        _ => Ok(()),
    }
}
