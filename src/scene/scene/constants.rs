//! Constants: values of a scene with names, such as `SIDE`.
//!
//! A constant is a name for fields; it stores no value of its own. Changing one of the fields changes them all, and
//! setting the constant sets its first field.

use bevy::prelude::*;
use bevy::reflect::TypeInfo;
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::{Kinds, Required};
use swarmarium_core::text::values::{is_option, number};
use swarmarium_core::text::wording::{shown, shown_path, suggestion};

use super::Scene;
use super::controls;
use super::origins::Step;
use super::path::{self, Assignment, Leaf};
use super::writer::{Style, write};

/// A named value, which fields refer to by its name: `side_m: SIDE`.
///
/// In a file it also has a `value`. In memory it has none: its value is that of its fields, which are all equal.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Constant {
    /// Name, in capitals.
    #[reflect(@Required)]
    pub name: String,
    /// Paths of the fields with this value. In a file, fields that contain the name need not be listed.
    pub of: Vec<String>,
    /// Description.
    pub about: String,
}

/// The field that a constant has in a file, but not in memory.
pub const VALUE: &str = "value";

/// The allowed values of a constant.
pub(crate) const VALUES: &str = "a number, true, false, text in quotes, or another word that is not a constant";

/// Whether a text is a valid name of a constant: a capital letter, then capitals, digits and underscores.
pub fn is_name(text: &str) -> bool {
    let continues_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(continues_name)
}

/// The constant with this name.
pub fn named<'s>(scene: &'s Scene, name: &str) -> Option<&'s Constant> {
    scene.constants.iter().find(|constant| constant.name == name)
}

/// The first field of a constant, which provides its limits and docs.
pub fn leaf<'s>(kinds: &Kinds, scene: &'s Scene, constant: &Constant) -> Option<Leaf<'s>> {
    constant.of.iter().find_map(|path| path::leaf(kinds, scene, path))
}

/// The value of a constant in the notation of a scene file.
pub fn value(kinds: &Kinds, scene: &Scene, constant: &Constant) -> Option<String> {
    constant.of.iter().find_map(|path| text_at(kinds, scene, path))
}

/// The value of a field in a notation that fields of several types accept: whole numbers without a point.
///
/// Points have several values, and constants cannot contain constants.
pub fn text_at(kinds: &Kinds, scene: &Scene, path: &str) -> Option<String> {
    let field = path::get(kinds, scene, path).ok()?;
    let value = path::inside(field);
    let is_single = path::is_leaf(kinds.see_through(value)) && is_of_one_part(field.reflect_type_info());
    (is_single && !leads_into_constants(path)).then(|| text_of(kinds, value))
}

/// The text of a value without parts, in the notation of [`text_at`].
fn text_of(kinds: &Kinds, value: &dyn Reflect) -> String {
    let text = write(kinds, value, Style::Full);
    let whole = text.strip_suffix(".0").filter(|whole| *whole != "-0" && number(value).is_some());
    whole.map_or_else(|| text.clone(), str::to_owned)
}

/// Whether values of a type have no parts; for an optional value, the type of the value inside counts.
fn is_of_one_part(info: &TypeInfo) -> bool {
    match info {
        TypeInfo::Enum(info) if is_option(info) => {
            let some = info.variant("Some").and_then(|some| some.as_tuple_variant().ok()?.field_at(0)?.type_info());
            some.is_some_and(is_of_one_part)
        }
        info => matches!(info, TypeInfo::Enum(_) | TypeInfo::Opaque(_)),
    }
}

fn leads_into_constants(path: &str) -> bool {
    path::steps(path).is_some_and(|steps| matches!(steps.first(), Some((_, "constants"))))
}

/// The message about a field that cannot have a constant.
pub(crate) fn without_value(path: &str) -> String {
    format!("`{}` is not a parameter with a single value", shown_path(path))
}

/// A path that uses indices only, so that it stays valid when something is renamed.
pub fn by_places(trail: &[Step]) -> String {
    let steps = trail.iter().map(|(field, index)| field.map_or_else(|| index.to_string(), Into::into));
    steps.collect::<Vec<_>>().join(".")
}

/// The indices of the constants with fields at a path or below it.
pub fn at(kinds: &Kinds, scene: &Scene, trail: &[Step]) -> Vec<usize> {
    let is_of = |constant: &Constant| constant.of.iter().any(|of| is_below(kinds, scene, of, trail));
    let constants = scene.constants.iter().enumerate();
    constants.filter(|(_, constant)| is_of(constant)).map(|(index, _)| index).collect()
}

/// Whether a path leads to the target of a trail or below it.
fn is_below(kinds: &Kinds, scene: &Scene, path: &str, trail: &[Step]) -> bool {
    path::trail(kinds, scene, path).is_ok_and(|own| own.starts_with(trail))
}

/// Resolves a path or the name of a constant to a path.
///
/// # Errors
/// If it is a single name of neither a constant nor a field of the scene.
pub fn resolve(kinds: &Kinds, scene: &Scene, path: &str) -> Result<String, Problem> {
    let inner = path.strip_prefix("constants.").and_then(|path| path.strip_suffix(".value"));
    if let Some(constant) = named(scene, inner.unwrap_or(path)) {
        return Ok(leaf(kinds, scene, constant).map_or_else(|| path.into(), |leaf| leaf.path));
    }
    let is_one_step = path::steps(path).is_some_and(|steps| steps.len() == 1);
    if scene.constants.is_empty() || !is_one_step || path::get(kinds, scene, path).is_ok() {
        return Ok(path.into());
    }
    let constants = scene.constants.iter().map(|constant| constant.name.as_str());
    let fields = scene.iter_fields().enumerate().filter_map(|(index, _)| scene.name_at(index));
    let known: Vec<&str> = constants.chain(fields).collect();
    let hint = match path::paths_to(kinds, scene, path) {
        hint if hint.is_empty() => suggestion(path, &known),
        hint => hint,
    };
    Err(Problem::of_field(shown_path(path), format!("`Scene` has no `{}`{hint}", shown_path(path))))
}

/// The path of a parameter or of the first field of a constant, and those of all fields that change with it.
pub fn paths_with(kinds: &Kinds, scene: &Scene, path: &str) -> Vec<String> {
    let Ok(path) = resolve(kinds, scene, path) else { return Vec::new() };
    let mut paths = vec![path];
    if !scene.constants.is_empty()
        && let Ok(trail) = path::trail(kinds, scene, &paths[0])
    {
        let constants = at(kinds, scene, &trail).into_iter().map(|place| &scene.constants[place]);
        paths.extend(constants.flat_map(|constant| constant.of.iter().cloned()));
    }
    paths
}

/// A field with a new value, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path.
    pub path: String,
    /// The value in the notation of a scene file.
    pub value: String,
}

/// The change that a new value of a parameter or a constant makes to a scene.
pub struct SceneChange {
    /// The new values, that of the given parameter first: fields of the same constant follow.
    pub assignments: Vec<Assignment>,
    /// The scene with them; `None` if only numbers change, which [`Assignment::put`] can put in place.
    pub after: Option<Box<Scene>>,
}

/// Reads a new value of a parameter of a scene, or of a constant.
///
/// Fields of the same constant follow. Fields that no longer exist are removed from their constant, and a constant
/// without fields is removed.
///
/// # Errors
/// See [`path::set`]. Also if another field of the same constant cannot have the value, or two fields would get
/// different values.
pub fn change(kinds: &Kinds, scene: &Scene, name: &str, text: &str) -> Result<SceneChange, Problem> {
    let path = resolve(kinds, scene, name)?;
    let first = Assignment::read(kinds, scene, &path, text).map_err(|problem| match path == name {
        true => problem,
        false => in_constant(problem, name),
    })?;
    if scene.constants.is_empty() && first.is_real_or_vector() {
        return Ok(SceneChange { assignments: vec![first], after: None });
    }
    if first.is_real() {
        let assignments = followed(kinds, scene, &first)?;
        // Whole numbers may follow a real one.
        if assignments.iter().all(Assignment::is_real) {
            return Ok(SceneChange { assignments: [first].into_iter().chain(assignments).collect(), after: None });
        }
    }
    let mut after = scene.clone();
    if !first.put(kinds, &mut after) {
        return Err(Problem::of_field(shown_path(&path), "internal error: the value does not fit"));
    }
    let mut assignments = vec![first];
    if !scene.constants.is_empty() {
        let trail = assignments[0].trail().to_vec();
        let mut constants = std::mem::take(&mut after.constants);
        for constant in &mut constants {
            let was_there = |path: &String| text_at(kinds, scene, path).is_some();
            constant.of.retain(|path| text_at(kinds, &after, path).is_some() || !was_there(path));
            assignments.extend(follow(kinds, &mut after, constant, &trail)?);
        }
        constants.retain(|constant| !constant.of.is_empty());
        after.constants = constants;
    }
    controls::forget_gone(kinds, &mut after);
    Ok(SceneChange { assignments, after: Some(Box::new(after)) })
}

/// Sets a parameter of a scene, or a constant; returns the new values, that of the given parameter first.
///
/// # Errors
/// See [`change`]. Then nothing is changed.
pub fn set(kinds: &Kinds, scene: &mut Scene, path: &str, text: &str) -> Result<Vec<Assignment>, Problem> {
    let SceneChange { assignments, after } = change(kinds, scene, path, text)?;
    match after {
        Some(after) => *scene = *after,
        None => assignments.iter().for_each(|assignment| _ = assignment.put(kinds, scene)),
    }
    Ok(assignments)
}

/// The new values of the fields that follow another one with a new number.
fn followed(kinds: &Kinds, scene: &Scene, first: &Assignment) -> Result<Vec<Assignment>, Problem> {
    let mut assignments = Vec::new();
    let Some(value) = first.value().try_as_reflect().map(|value| text_of(kinds, value)) else { return Ok(assignments) };
    for place in at(kinds, scene, first.trail()) {
        let constant = &scene.constants[place];
        for path in &constant.of {
            let differs = text_at(kinds, scene, path).is_some_and(|old| old != value);
            if differs && !is_below(kinds, scene, path, first.trail()) {
                let other = Assignment::read(kinds, scene, path, &value);
                assignments.push(other.map_err(|problem| in_constant(problem, &constant.name))?);
            }
        }
    }
    Ok(assignments)
}

/// Sets all fields of a constant to the value at the end of a trail or below it.
pub(crate) fn follow(
    kinds: &Kinds,
    scene: &mut Scene,
    constant: &Constant,
    trail: &[Step],
) -> Result<Vec<Assignment>, Problem> {
    let values: Vec<_> = constant.of.iter().filter_map(|path| Some((path, text_at(kinds, scene, path)?))).collect();
    let mut changed = values.iter().filter(|(path, _)| is_below(kinds, scene, path, trail));
    let Some((first, value)) = changed.next().cloned() else { return Ok(Vec::new()) };
    let name = shown(&constant.name);
    let refuse = |message: String| Err(Problem::of_field(shown(first), message));
    if let Some((other, another)) = changed.find(|(_, another)| *another != value) {
        let [here, there] = [&value, another].map(|value| shown(value));
        return refuse(format!("{here} here and {there} for {}, but both have the one value of {name}", shown(other)));
    }
    if let Some(message) = value_problem(&value) {
        return refuse(of_constant(&message, &name));
    }
    let others = values.into_iter().filter(|(_, old)| *old != value);
    let others = others.map(|(path, _)| {
        let assignment = Assignment::read(kinds, scene, path, &value);
        let assignment = assignment.map_err(|problem| in_constant(problem, &constant.name))?;
        assignment.put(kinds, scene);
        Ok(assignment)
    });
    others.collect()
}

/// Removes a field from its constant, so that it can have a value of its own.
pub fn release(kinds: &Kinds, scene: &mut Scene, path: &str) {
    if scene.constants.is_empty() {
        return;
    }
    let Ok(trail) = path::trail(kinds, scene, path) else { return };
    let mut constants = std::mem::take(&mut scene.constants);
    for constant in &mut constants {
        constant.of.retain(|of| !is_below(kinds, scene, of, &trail));
    }
    constants.retain(|constant| !constant.of.is_empty());
    scene.constants = constants;
    controls::forget_gone(kinds, scene);
}

/// A problem with a field, as one of the value of its constant.
fn in_constant(problem: Problem, name: &str) -> Problem {
    Problem { message: of_constant(&problem.message, name), ..problem }
}

/// A message about the value of a constant.
pub(crate) fn of_constant(message: &str, name: &str) -> String {
    format!("{message}, the value of {}", shown(name))
}

/// The problems of the constants of a scene. A reader checks them, too; a program may not.
pub fn problems(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut owners: Vec<(&String, &str)> = Vec::new();
    for (index, Constant { name, of, .. }) in scene.constants.iter().enumerate() {
        let mut refuse = |part: String, message: String| {
            problems.push(Problem::of_field(format!("constants[{index}].{part}"), message));
        };
        if let Some(message) = name_problem(name) {
            refuse("name".into(), message);
        }
        if scene.constants[..index].iter().any(|other| other.name == *name) {
            refuse("name".into(), format!("the name `{}` is taken by another constant", shown(name)));
        }
        if of.is_empty() {
            refuse("of".into(), unused(name));
        }
        let mut common: Option<String> = None;
        for (place, path) in of.iter().enumerate() {
            let part = format!("of[{place}]");
            match (text_at(kinds, scene, path), &common) {
                (None, _) => refuse(part, without_value(path)),
                (Some(value), Some(common)) if value != *common => {
                    refuse(part, format!("{name} is {} there and {} before", shown(&value), shown(common)));
                }
                (value, None) => {
                    if let Some(message) = value.as_deref().and_then(value_problem) {
                        refuse(part, message);
                    }
                    common = value;
                }
                _ => {}
            }
            match owners.iter().find(|(owned, _)| *owned == path) {
                Some((_, owner)) => {
                    refuse(format!("of[{place}]"), format!("`{}` has the value of {owner}", shown(path)));
                }
                None => owners.push((path, name)),
            }
        }
    }
    problems
}

/// The reason why a text cannot be the name of a constant.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    let found = shown(name);
    (!is_name(name)).then(|| format!("expected a name in capitals, such as MAX_SPEED or K1, found `{found}`"))
}

/// The reason why a word cannot be the value of a constant: in a file it would be the name of another one.
fn value_problem(value: &str) -> Option<String> {
    is_name(value).then(|| format!("expected {VALUES}, found `{}`", shown(value)))
}

/// The message about a constant without fields.
pub(crate) fn unused(name: &str) -> String {
    let name = shown(name);
    format!("no field uses {name}: write {name} in place of a value, or remove it")
}

#[cfg(test)]
mod tests;
