//! Tables that a step works on: who is in which row, and the space. They follow from components and are never state.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_space::{Border, Field, Space};

/// The space that everything is in, as it is now.
#[derive(Resource, Deref, DerefMut)]
pub struct CurrentSpace(pub Space);

impl Default for CurrentSpace {
    fn default() -> Self {
        Self(Space::new(Field::new(DVec2::ONE, Border::Open)))
    }
}

/// The agents by row, that is by stable id.
#[derive(Resource, Default)]
pub struct Agents(pub Vec<Entity>);

/// The agents of each group, by its place in the scene: by serial number.
#[derive(Resource, Default)]
pub(crate) struct ByGroup(pub Vec<Vec<Entity>>);

/// Where the middle of the box of an agent is that finds whom it touches, with `collisions: Classic`: where it was
/// before it moved last.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
pub struct BoxCenter(pub DVec2);

/// The objects that act, by stable id; their rows come after those of the agents.
#[derive(Resource, Default)]
pub struct Actors(pub Vec<Entity>);

/// On objects that act, and on their sensors: they act after the agents. A cache.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct ActsLater;
