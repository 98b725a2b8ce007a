//! Parts of a scene: members of its lists, such as metrics, and sensors of groups, that are added or removed.
//!
//! They change the description alone. Agents get their sensors, and runs their columns, when a simulation is made.

use swarmarium_base::problem::{Problem, did_you_mean};
use swarmarium_core::kind::{Kinds, SensorSlot};
use swarmarium_core::text::values::number;
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::origins::Step;
use swarmarium_scene::scene::path::Leaf;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, constants, controls, path};

use super::agents::Address;
use super::live::{self, Target};
use super::{Edit, population};

/// The lists whose members a running simulation adds and removes itself.
const POPULATION: [&str; 3] = ["groups", "objects", "object_groups"];

/// Changes a scene as a set parameter, an added part or a removed one does at a restart.
///
/// # Errors
/// If the edit is not valid, or needs a running simulation, such as that of one agent.
pub fn change(kinds: &Kinds, scene: &mut Scene, edit: &Edit) -> Result<(), Problem> {
    match edit {
        Edit::Set { path, value } => constants::set(kinds, scene, path, value).map(drop),
        Edit::Add { list, value } => population::describe(kinds, scene, list, value),
        Edit::Remove { path } if is_in_list(path) => remove(kinds, scene, path),
        _ => Err(Problem::of_file("this edit needs a running simulation")),
    }
}

/// Whether an edit changes the description of the scene alone, so that [`change`] makes it.
pub fn is_of_scene(edit: &Edit) -> bool {
    match edit {
        Edit::Set { path, .. } => matches!(Address::of(path), Ok(None)),
        Edit::Add { list, .. } => !POPULATION.contains(&list.as_str()),
        Edit::Remove { path } => is_in_list(path),
        _ => false,
    }
}

/// Whether a path leads to a member of a list that only a restart removes: not to an agent or an object.
pub fn is_in_list(path: &str) -> bool {
    let steps = path::steps(path).unwrap_or_default();
    !matches!(steps.as_slice(), [] | [_] | [(_, "objects" | "agents"), _])
}

/// Whether only a restart removes the member of a list at a path: a group with all its members, or a part of which
/// running entities have copies, such as a sensor or a metric. Paths to the parts after it would otherwise lead to the
/// wrong copies.
pub fn needs_restart(path: &str) -> bool {
    let steps = path::steps(path).unwrap_or_default();
    match steps.as_slice() {
        [(_, "groups" | "object_groups" | "metrics"), _] => true,
        _ => is_in_list(path) && live::target(path).is_some_and(|(target, _)| !matches!(target, Target::View)),
    }
}

/// Adds a value in the notation of a scene file to the end of a list.
///
/// # Errors
/// If the path leads to no list, or the value is not valid there.
pub(super) fn add(kinds: &Kinds, scene: &mut Scene, list: &str, value: &str) -> Result<(), Problem> {
    let (trail, mut members) = members(kinds, scene, list)?;
    members.push(value.to_owned());
    constants::set(kinds, scene, &constants::by_places(&trail), &in_brackets(&members)).map(drop)
}

/// Removes a member of a list. Constants, controls and slots of sensors that refer to the members after it follow them.
///
/// # Errors
/// If the path leads to no member of a list.
pub(super) fn remove(kinds: &Kinds, scene: &mut Scene, path: &str) -> Result<(), Problem> {
    let trail = path::trail(kinds, scene, path)?;
    let no_member = || Problem::of_file(format!("`{}` is not a member of a list", shown(path)));
    let Some(((None, place), before)) = trail.split_last() else { return Err(no_member()) };
    let mut after = match before {
        // Its objects go with it.
        [(Some("object_groups"), _)] => scene.clone().without_placed(),
        _ => scene.clone(),
    };
    match before {
        // No text is needed to remove one of these, and no path leads through them.
        [(Some("constants"), _)] if *place < after.constants.len() => drop(after.constants.remove(*place)),
        [(Some("controls"), _)] if *place < after.controls.len() => drop(after.controls.remove(*place)),
        _ => remove_text(kinds, scene, &mut after, (before, *place))?,
    }
    controls::forget_gone(kinds, &mut after);
    *scene = after;
    Ok(())
}

/// Removes a member of a list from `after`, which is a copy of `scene`, by the text of the list.
fn remove_text(
    kinds: &Kinds,
    scene: &Scene,
    after: &mut Scene,
    (before, place): (&[Step], usize),
) -> Result<(), Problem> {
    let list = constants::by_places(before);
    let (_, mut texts) = members(kinds, scene, &list)?;
    texts.remove(place);
    let follow = |path: &str| moved(kinds, scene, path, (before, place));
    let own_constants = std::mem::take(&mut after.constants);
    let own_controls = std::mem::take(&mut after.controls);
    constants::set(kinds, after, &list, &in_brackets(&texts))?;
    for mut constant in own_constants {
        constant.of = constant.of.iter().filter_map(|path| follow(path)).collect();
        if !constant.of.is_empty() {
            after.constants.push(constant);
        }
    }
    for mut control in own_controls {
        let is_constant = constants::named(scene, &control.of).is_some();
        let of = if is_constant { Some(control.of.clone()) } else { follow(&control.of) };
        if let Some(of) = of {
            control.of = of;
            after.controls.push(control);
        }
    }
    if let Some(owner) = list.strip_suffix(".sensors") {
        shift_slots(kinds, after, &format!("{owner}.controller"), place)?;
    }
    Ok(())
}

/// The trail to a list, and the texts of its members.
fn members(kinds: &Kinds, scene: &Scene, list: &str) -> Result<(Vec<Step>, Vec<String>), Problem> {
    let value = path::get(kinds, scene, list).map_err(|problem| {
        let near = did_you_mean(list, ["groups", "objects", "object_groups", "metrics", "fields", "controls"]);
        Problem { message: format!("{}{near}", problem.message), ..problem }
    })?;
    if value.reflect_ref().as_list().is_err() {
        return Err(Problem::of_file(format!("`{}` is not a list, so nothing can be added to it", shown(list))));
    }
    let trail = path::trail(kinds, scene, list)?;
    let parts = path::parts(kinds, &Leaf::root(value));
    Ok((trail, parts.map(|part| write(kinds, part.value, Style::Short)).collect()))
}

fn in_brackets(members: &[String]) -> String {
    format!("[{}]", members.join(", "))
}

/// The path to the same value after the member at a place of a list was removed; `None` if it was within that member.
fn moved(kinds: &Kinds, scene: &Scene, path: &str, (list, place): (&[Step], usize)) -> Option<String> {
    let Ok(mut trail) = path::trail(kinds, scene, path) else { return Some(path.into()) };
    let Some((_, index)) = trail.get(list.len()).copied().filter(|_| trail.starts_with(list)) else {
        return Some(path.into());
    };
    if index == place {
        return None;
    }
    let steps = path::steps(path).unwrap_or_default();
    let is_by_place = steps.get(list.len()).is_some_and(|(_, step)| step.parse::<usize>().is_ok());
    if index < place || !is_by_place {
        return Some(path.into());
    }
    trail[list.len()].1 -= 1;
    Some(constants::by_places(&trail))
}

/// Lets a controller refer to the same sensors after the one in a slot was removed. An optional slot with that sensor
/// becomes empty.
///
/// # Errors
/// If the controller needs the removed sensor.
fn shift_slots(kinds: &Kinds, scene: &mut Scene, controller: &str, removed: usize) -> Result<(), Problem> {
    let Ok(value) = path::get(kinds, scene, controller) else { return Ok(()) };
    let slot_of = |leaf: Leaf| {
        leaf.field?.get_attribute::<SensorSlot>()?;
        let whole = number(leaf.value).or_else(|| leaf.value.downcast_ref::<Option<u32>>()?.map(f64::from))?;
        Some((leaf.path, whole as usize))
    };
    let slots: Vec<(String, usize)> = path::leaves(kinds, value).into_iter().filter_map(slot_of).collect();
    for (path, slot) in slots.into_iter().filter(|(_, slot)| *slot >= removed) {
        let path = format!("{controller}.{path}");
        let is_optional = path::get(kinds, scene, &path).is_ok_and(|value| value.is::<Option<u32>>());
        let text = match (slot.checked_sub(1).filter(|_| slot > removed), is_optional) {
            (Some(slot), true) => format!("Some({slot})"),
            (Some(slot), false) => slot.to_string(),
            (None, true) => "None".into(),
            (None, false) => {
                let message = "it uses this sensor: choose another one there first";
                return Err(Problem::of_field(path, message));
            }
        };
        path::set(kinds, scene, &path, &text)?;
    }
    Ok(())
}
