//! The present scene of a simulation.

use std::sync::OnceLock;

use bevy::prelude::*;
use swarmarium_base::limits::MIN_RADIUS_M;
use swarmarium_core::agent::groups::Groups;
use swarmarium_core::kind::Kinds;
use xxhash_rust::xxh3::xxh3_64;

use super::description::{Group, Scene, Stop};
use super::writer::{self, Style};

/// The present scene, edits included.
#[derive(Resource, Clone, Default)]
pub struct Description {
    /// The part of the hash of the state; calculated when the hash is asked for.
    digest: OnceLock<Digest>,
    /// The scene.
    pub scene: Scene,
}

/// The digest of the scene in the hash of the state.
#[derive(Reflect, Clone, Copy, Debug)]
pub struct Digest(u64);

impl Description {
    fn new(scene: Scene) -> Self {
        Self { digest: OnceLock::new(), scene }
    }

    /// The digest in the hash of the state.
    pub fn digest(&self, kinds: &Kinds) -> &Digest {
        self.digest.get_or_init(|| Digest(digest(kinds, &self.scene)))
    }

    /// Changes the seed alone.
    pub fn set_seed(&mut self, seed: u64) {
        self.scene_mut().seed = seed;
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, to change it.
    pub fn scene_mut(&mut self) -> &mut Scene {
        self.digest.take();
        &mut self.scene
    }
}

/// Replaces the present scene.
pub fn set(world: &mut World, scene: Scene) {
    world.insert_resource(Groups(scene.groups.iter().map(|group| group.name.clone()).collect()));
    world.insert_resource(Description::new(scene));
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
    for field in &mut scene.fields {
        (field.hidden, field.color_max_per_m2) = (false, 0.0);
    }
    scene
}

/// A group, by its index in the scene.
pub fn group(world: &World, group: u32) -> Group {
    world.resource::<Description>().scene.groups.get(group as usize).cloned().unwrap_or_default()
}

/// The radius of the largest agent that the scene can create, in metres.
pub fn largest_radius_m(world: &World) -> f64 {
    let groups = &world.resource::<Description>().scene.groups;
    groups.iter().map(|group| group.body.radius_m()).fold(MIN_RADIUS_M, f64::max)
}
