//! Constants: values of a scene that have names of their own, such as `SIDE`.
//!
//! A constant is a name for fields; it keeps no value besides theirs. Whoever changes one of them changes them all, and
//! whoever sets the constant sets its first field.

use bevy::prelude::*;

use super::Scene;
use super::origins::Step;
use super::path::{self, Leaf};
use super::problem::Problem;
use super::reader::{number, shown, suggestion};
use super::writer::{Style, write};
use crate::kind::{Kinds, Required};

/// A value with a name of its own, which fields take in place of a value: `side_m: SIDE`.
///
/// In a file it has a `value`, too. Here it has none: its value is that of its fields, which all have the same.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Constant {
    /// Its name, in capitals.
    #[reflect(@Required)]
    pub name: String,
    /// The paths of the fields that have its value. In a file, those that write its name need not be listed.
    pub of: Vec<String>,
    /// What it is.
    pub about: String,
}

/// The field of a constant that a text has and the description has not.
pub(crate) const VALUE: &str = "value";

/// Whether a text can be the name of a constant: a capital letter, then capitals, digits and underscores.
pub fn is_name(text: &str) -> bool {
    let continues_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(continues_name)
}

/// The constant with a name.
pub fn named<'s>(scene: &'s Scene, name: &str) -> Option<&'s Constant> {
    scene.constants.iter().find(|constant| constant.name == name)
}

/// The first field of a constant, whose limits and docs it has.
pub fn leaf<'s>(kinds: &Kinds, scene: &'s Scene, constant: &Constant) -> Option<Leaf<'s>> {
    constant.of.iter().find_map(|path| path::leaf(kinds, scene, path))
}

/// The value of a constant, as a scene file writes it.
pub fn value(kinds: &Kinds, scene: &Scene, constant: &Constant) -> Option<String> {
    constant.of.iter().find_map(|path| text_at(kinds, scene, path))
}

/// The value of a field, so that fields of several types can have it: whole numbers without a point.
fn text_at(kinds: &Kinds, scene: &Scene, path: &str) -> Option<String> {
    let value = path::inside(path::get(kinds, scene, path).ok()?);
    let text = write(kinds, value, Style::Full);
    let whole = text.strip_suffix(".0").filter(|whole| *whole != "-0" && number(value).is_some());
    path::is_leaf(value).then(|| whole.unwrap_or(&text).to_owned())
}

/// A path by places, which stays true when something gets another name.
pub(crate) fn by_places(trail: &[Step]) -> String {
    let steps = trail.iter().map(|(field, index)| field.map_or_else(|| index.to_string(), Into::into));
    steps.collect::<Vec<_>>().join(".")
}

/// The places of the constants that have fields at a path or below it.
pub(crate) fn at(scene: &Scene, trail: &[Step]) -> Vec<usize> {
    let path = by_places(trail);
    let is_below = |of: &String| of.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let constants = scene.constants.iter().enumerate();
    constants.filter(|(_, constant)| constant.of.iter().any(is_below)).map(|(index, _)| index).collect()
}

/// The path that a path or the name of a constant means.
///
/// # Errors
/// When it is a single name that neither a constant nor a field of the scene has.
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
    let message = format!("`Scene` has no `{}`{}", shown(path), suggestion(path, &known));
    Err(Problem { place: None, path: shown(path), message })
}

/// A field that got another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path.
    pub path: String,
    /// The value, as text.
    pub value: String,
}

/// Gives a parameter of a scene, or a constant, another value; what else got one with it comes after it.
///
/// Fields of the same constant follow. Fields that are there no more leave their constant, and a constant that has none
/// left is gone.
///
/// # Errors
/// As [`path::set`], or when another field of the same constant cannot have the value; then nothing is changed.
pub fn set(kinds: &Kinds, scene: &mut Scene, path: &str, text: &str) -> Result<Vec<Change>, Problem> {
    let name = path;
    let path = resolve(kinds, scene, name)?;
    let mut changes = vec![Change { path: path.clone(), value: text.into() }];
    if scene.constants.is_empty() {
        path::set(kinds, scene, &path, text)?;
        return Ok(changes);
    }
    let mut after = scene.clone();
    path::set(kinds, &mut after, &path, text).map_err(|problem| match path == name {
        true => problem,
        false => Problem { message: of_constant(&problem.message, name), ..problem },
    })?;
    let mut constants = std::mem::take(&mut after.constants);
    for constant in &mut constants {
        constant.of.retain(|path| text_at(kinds, &after, path).is_some());
        let before = named(scene, &constant.name).and_then(|constant| value(kinds, scene, constant));
        changes.extend(follow(kinds, &mut after, constant, before)?);
    }
    constants.retain(|constant| !constant.of.is_empty());
    after.constants = constants;
    *scene = after;
    Ok(changes)
}

/// Gives all fields of a constant the value of the one that was changed.
pub(crate) fn follow(
    kinds: &Kinds,
    scene: &mut Scene,
    constant: &Constant,
    before: Option<String>,
) -> Result<Vec<Change>, Problem> {
    let values: Vec<_> = constant.of.iter().filter_map(|path| Some((path, text_at(kinds, scene, path)?))).collect();
    let changed = values.iter().find(|(_, value)| Some(value) != before.as_ref());
    let Some(value) = changed.or(values.first()).map(|(_, value)| value.clone()) else { return Ok(Vec::new()) };
    let others = values.into_iter().filter(|(_, old)| *old != value);
    let others = others.map(|(path, _)| {
        path::set(kinds, scene, path, &value)
            .map_err(|problem| Problem { message: of_constant(&problem.message, &constant.name), ..problem })?;
        Ok(Change { path: path.clone(), value: value.clone() })
    });
    others.collect()
}

/// A message about the value of a constant.
pub(crate) fn of_constant(message: &str, name: &str) -> String {
    format!("{message}, the value of {}", shown(name))
}

/// What is wrong with the constants of a scene. A reader has seen to that; a program may not have.
pub(crate) fn problems(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut owners: Vec<(&String, &str)> = Vec::new();
    for (index, Constant { name, of, .. }) in scene.constants.iter().enumerate() {
        let mut refuse = |part: String, message: String| {
            problems.push(Problem { place: None, path: format!("constants[{index}].{part}"), message });
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
                (None, _) => refuse(part, format!("`{}` is no parameter with a single value", shown(path))),
                (Some(value), Some(common)) if value != *common => {
                    refuse(part, format!("{name} is {} there and {} before", shown(&value), shown(common)));
                }
                (value, _) => common = value,
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

/// Why a text cannot be the name of a constant.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    let found = shown(name);
    (!is_name(name)).then(|| format!("expected a name in capitals, such as MAX_SPEED or K1, found `{found}`"))
}

/// What is said of a constant without fields.
pub(crate) fn unused(name: &str) -> String {
    let name = shown(name);
    format!("no field takes {name}: write {name} in place of a value, or leave it out")
}

#[cfg(test)]
mod tests;
