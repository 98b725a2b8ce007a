//! The present scene of a simulation.

use bevy::prelude::*;
use swarmarium_base::limits::MIN_RADIUS_M;
use xxhash_rust::xxh3::xxh3_64;

use super::description::{Group, Scene, Stop};
use super::writer::{self, Style};
use crate::agent::groups::Groups;
use crate::kind::Kinds;

/// The present scene, edits included.
#[derive(Resource, Reflect, Clone, Default)]
pub struct Description {
    /// The digest of the scene in the hash of the state.
    digest: u64,
    /// The scene.
    #[reflect(ignore)]
    pub(crate) scene: Scene,
}

impl Description {
    fn new(kinds: &Kinds, scene: Scene) -> Self {
        Self { digest: digest(kinds, &scene), scene }
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, for several edits in a row. The digest is not updated: a [new](Self::new) description must follow.
    pub(crate) fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}

/// Replaces the present scene.
pub(crate) fn set(world: &mut World, scene: Scene) {
    let kinds = world.resource::<Kinds>().clone();
    world.insert_resource(Groups(scene.groups.iter().map(|group| group.name.clone()).collect()));
    world.insert_resource(Description::new(&kinds, scene));
}

/// A hash of the fields of a resolved scene that influence results: of its text with each of them written, and the others
/// at their defaults.
pub fn digest(kinds: &Kinds, scene: &Scene) -> u64 {
    xxh3_64(writer::write(kinds, &of_results(scene), Style::Full).as_bytes())
}

/// A scene with all fields at their defaults that influence no result: its texts, constants (whose values the fields
/// have), controls, sockets, view and appearance, settings of time other than `dt_s`, and the end of the run, since a
/// longer run begins like a shorter one.
fn of_results(scene: &Scene) -> Scene {
    let mut scene = Scene {
        name: String::new(),
        about: String::new(),
        tasks: Vec::new(),
        constants: Vec::new(),
        controls: Vec::new(),
        time: scene.time.of_results(),
        sockets: Default::default(),
        stop: Stop::default(),
        metadata: Vec::new(),
        view: Default::default(),
        ..scene.clone()
    };
    scene.arena.background.clear();
    scene.groups.iter_mut().for_each(|group| group.look = Default::default());
    scene
}

/// A group, by its index in the scene.
pub(crate) fn group(world: &World, group: u32) -> Group {
    world.resource::<Description>().scene.groups.get(group as usize).cloned().unwrap_or_default()
}

/// The radius of the largest agent that the scene can create, in metres.
pub(crate) fn largest_radius_m(world: &World) -> f64 {
    let groups = &world.resource::<Description>().scene.groups;
    groups.iter().map(|group| group.body.radius_m()).fold(MIN_RADIUS_M, f64::max)
}
