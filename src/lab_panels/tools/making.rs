//! New objects: unique names, and the edits that add them.

use bevy::math::DVec2;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::{ObjectFamily, Presence};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::Edit;

/// Adds objects to the scene, each with a unique name such as `wall-3`.
pub fn add(lab: &Lab, what: &str, objects: Vec<Slot<ObjectFamily>>) -> Vec<Action> {
    if objects.is_empty() {
        return Vec::new();
    }
    let simulation = lab.run.host.simulation();
    let edit = |(object, name): (Slot<ObjectFamily>, String)| {
        let presence = Presence { name, ..object.common().clone() };
        let value = write(simulation.kinds(), &object.with(presence), Style::Short);
        Edit::Add { list: "objects".into(), value }
    };
    let named = objects.into_iter().zip(free_names(simulation.scene_ahead(), what));
    vec![Action::Edits(named.map(edit).collect())]
}

/// Returns the edits that add copies of objects. A copy of `wall-3` gets the next free name of this form; a copy of an
/// unnamed object has no name.
pub fn copies(lab: &Lab, objects: Vec<Slot<ObjectFamily>>) -> Vec<Edit> {
    let simulation = lab.run.host.simulation();
    let mut taken: Vec<String> = Vec::new();
    let mut edits = Vec::new();
    for object in objects {
        let own = object.common().name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-').to_owned();
        let name = match object.common().name.is_empty() {
            true => String::new(),
            false => free_names(simulation.scene_ahead(), &own).find(|name| !taken.contains(name)).unwrap_or_default(),
        };
        taken.push(name.clone());
        // A copy belongs to no object group.
        let presence = Presence { name, placed: false, ..object.common().clone() };
        let value = write(simulation.kinds(), &object.with(presence), Style::Short);
        edits.push(Edit::Add { list: "objects".into(), value });
    }
    edits
}

/// Returns the edit that adds an object group with ten of an object in the whole arena.
pub fn group(lab: &Lab, object: &Slot<ObjectFamily>) -> Edit {
    let simulation = lab.run.host.simulation();
    let scene = simulation.scene_ahead();
    let is_free = |name: &String| !scene.object_groups.iter().any(|group| group.name == *name);
    let name = (1_u64..).map(|number| format!("objects-{number}")).find(is_free).unwrap_or_default();
    // Objects of the group have names of their own.
    let presence = Presence { name: String::new(), ..object.common().clone() };
    let object = write(simulation.kinds(), &object.clone().with(presence), Style::Short);
    let (DVec2 { x, y }, high) = (scene.arena.corner_m, scene.arena.corner_m + scene.arena.size_m);
    let spawn = format!("UniformBox(min_m: ({x:?}, {y:?}), max_m: ({:?}, {:?}))", high.x, high.y);
    let value = format!("(name: \"{name}\", count: 10, object: {object}, spawn: {spawn})");
    Edit::Add { list: "object_groups".into(), value }
}

/// Returns names that no object of the scene has.
fn free_names(scene: &Scene, what: &str) -> impl Iterator<Item = String> {
    let is_free = |name: &String| !scene.objects.iter().any(|object| object.common().name == *name);
    (1_u64..).map(move |number| format!("{what}-{number}")).filter(is_free)
}
