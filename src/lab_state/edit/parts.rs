//! Edits that add, copy, replace and remove parts of the scene.

use bevy::reflect::Reflect;
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::{Kind, Kinds, ReflectSlot};
use swarmarium_core::text::values::is_option;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, constants, path};
use swarmarium_simulation::edit::{Edit, parts};
use swarmarium_simulation::simulation::Simulation;

/// Maximum number of names that are tried for a part that needs one.
const MOST_NAMES: usize = 40;

/// The place of the plots among the paths of the catalogue; it is not a path of a scene.
pub const PLOTS: &str = "plots";

/// The optional parts of a group, each with its first value.
pub const OPTIONAL_PARTS: [(&str, &str); 4] = [
    ("radio", "Some(())"),
    ("gripper", "Some(())"),
    ("emitter", "Some((always: true))"),
    ("leds", "Some((color: \"orange\"))"),
];

/// Returns the first value of an optional part, by its name.
pub fn first_value(part: &str) -> &'static str {
    OPTIONAL_PARTS.iter().find(|(name, _)| *name == part).map_or("Some(())", |(_, value)| value)
}

/// A place of the scene to which a part can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// The end of a list.
    List,
    /// An optional part, such as the radio of a group.
    Optional,
    /// A value that another one replaces, such as the controller of a group.
    Value,
}

impl PlaceKind {
    /// Returns the sort of place at a path; `None` if there is no such path.
    pub fn at(kinds: &Kinds, scene: &Scene, path: &str) -> Option<Self> {
        let value = path::get(kinds, scene, path).ok()?;
        Some(match value.reflect_type_info() {
            _ if value.reflect_ref().as_list().is_ok() => Self::List,
            info if info.as_enum().is_ok_and(is_option) => Self::Optional,
            _ => Self::Value,
        })
    }
}

/// Returns the family of the kinds that can be at a path, or in the list there.
pub fn family_at(kinds: &Kinds, scene: &Scene, path: &str) -> Option<&'static str> {
    family_of(kinds, path::get(kinds, scene, path).ok()?)
}

/// Returns the family of a slot, or of the slots in a list.
pub fn family_of(kinds: &Kinds, value: &dyn Reflect) -> Option<&'static str> {
    let info = value.reflect_type_info();
    let type_id = info.as_list().map_or(info.type_id(), |list| list.item_ty().id());
    Some(kinds.types().get_type_data::<ReflectSlot>(type_id)?.family)
}

/// Returns the edit that puts a part at a path: at the end of a list, or in place of the value.
pub fn adding(simulation: &Simulation, path: &str, value: &str) -> Edit {
    match PlaceKind::at(simulation.kinds(), simulation.scene_ahead(), path) {
        Some(PlaceKind::List) => Edit::Add { list: path.into(), value: value.into() },
        _ => Edit::Set { path: path.into(), value: value.into() },
    }
}

/// Returns the edit that adds a part which fits the present scene. A part that needs the name of an object, group or
/// field gets the first one that fits.
///
/// # Errors
/// If the part does not fit, with the problem of the part as it was given.
pub fn fitting(simulation: &Simulation, path: &str, value: &str) -> Result<Edit, Problem> {
    let edit = adding(simulation, path, value);
    let Err(problem) = simulation.check(&edit) else { return Ok(edit) };
    let kinds = simulation.kinds();
    let family = family_at(kinds, simulation.scene_ahead(), path);
    let name = value.split('(').next().unwrap_or_default().trim();
    let Some(kind) = family.and_then(|family| kinds.get(family, name)) else { return Err(problem) };
    let names = names(simulation);
    let with_names = unnamed_fields(kind)
        .into_iter()
        .flat_map(|field| names.iter().filter_map(move |name| with_field(value, field, name)))
        .map(|value| adding(simulation, path, &value));
    with_names.take(MOST_NAMES).find(|edit| simulation.check(edit).is_ok()).ok_or(problem)
}

/// Returns the fields of a kind with a text that is empty by default.
fn unnamed_fields(kind: &Kind) -> Vec<&'static str> {
    let default = (kind.default)();
    let Ok(fields) = default.reflect_ref().as_struct() else { return Vec::new() };
    let info = kind.info.as_struct().ok();
    let names = info.into_iter().flat_map(|info| info.iter().map(bevy::reflect::NamedField::name));
    let is_unnamed = |name: &&str| {
        fields.field(name).and_then(|field| field.try_downcast_ref::<String>()).is_some_and(String::is_empty)
    };
    names.filter(is_unnamed).collect()
}

/// Returns the names that parts refer to: of objects, groups, fields, and columns of metrics.
fn names(simulation: &Simulation) -> Vec<String> {
    let scene = simulation.scene_ahead();
    let objects = scene.objects.iter().map(|object| object.common().name.clone());
    let groups = scene.groups.iter().map(|group| group.name.clone());
    let fields = scene.fields.iter().map(|field| field.name.clone());
    let all = objects.chain(groups).chain(fields).chain(simulation.metric_columns());
    all.filter(|name| !name.is_empty()).collect()
}

/// Returns the text of a kind with one more field.
fn with_field(value: &str, field: &str, name: &str) -> Option<String> {
    let inner = value.strip_suffix(')')?;
    let gap = if inner.ends_with('(') { "" } else { ", " };
    Some(format!("{inner}{gap}{field}: {name:?})"))
}

/// Returns the edit that adds a copy of a member of a list at the end of the list. A part with a name gets a free one.
pub fn copying(simulation: &Simulation, path: &str) -> Result<Edit, Problem> {
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    let trail = path::trail(kinds, scene, path)?;
    let list = constants::by_places(&trail[..trail.len().saturating_sub(1)]);
    let text = |scene: &Scene, path: &str| path::get(kinds, scene, path).map(|part| write(kinds, part, Style::Short));
    let value = text(scene, path)?;
    let (Some(name), Ok(members)) = (name_at(kinds, scene, path), path::get(kinds, scene, &list)) else {
        return Ok(Edit::Add { list, value });
    };
    let count = members.reflect_ref().as_list().map_or(0, |list| list.len());
    let taken: Vec<String> = (0..count).filter_map(|place| name_at(kinds, scene, &format!("{list}.{place}"))).collect();
    // Names are set in a copy of the scene, so that the part is written as the scene writes it.
    let mut after = scene.clone();
    let place = constants::by_places(&trail);
    path::set(kinds, &mut after, &format!("{place}.name"), &format!("{:?}", free_name(&name, &taken)))?;
    Ok(Edit::Add { list, value: text(&after, &place)? })
}

/// Returns the name of the part at a path, if it has one.
pub fn name_at(kinds: &Kinds, scene: &Scene, path: &str) -> Option<String> {
    let name = path::get(kinds, scene, &format!("{path}.name")).ok()?.downcast_ref::<String>()?;
    Some(name.clone()).filter(|name| !name.is_empty())
}

/// Returns the next free name of the form of a name: `rocks-2` after `rocks` and `rocks-1`.
pub fn free_name(name: &str, taken: &[String]) -> String {
    let digits = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let stem = digits.strip_suffix('-').filter(|_| digits.len() < name.len()).unwrap_or(name);
    let numbered = (2_u64..).map(|number| format!("{stem}-{number}"));
    numbered.into_iter().find(|free| !taken.contains(free)).unwrap_or_default()
}

/// Returns the edit that removes a member of a list, or an optional part.
pub fn removing(simulation: &Simulation, path: &str) -> Edit {
    match PlaceKind::at(simulation.kinds(), simulation.scene_ahead(), path) {
        Some(PlaceKind::Optional) => Edit::Set { path: path.into(), value: "None".into() },
        _ => Edit::Remove { path: path.into() },
    }
}

/// Whether an edit adds or removes a part that agents and runs get at a reset.
pub fn waits_for_reset(edit: &Edit) -> bool {
    match edit {
        Edit::Add { list, .. } => list == "object_groups" || parts::is_of_scene(edit),
        Edit::Remove { .. } => parts::is_of_scene(edit),
        _ => false,
    }
}
