//! New objects: unique names, and the edits that add them.

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

/// Returns names that no object of the scene has.
fn free_names(scene: &Scene, what: &str) -> impl Iterator<Item = String> {
    let is_free = |name: &String| !scene.objects.iter().any(|object| object.common().name == *name);
    (1_u64..).map(move |number| format!("{what}-{number}")).filter(is_free)
}
