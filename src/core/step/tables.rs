//! Tables that a step works on: the rows of agents, and the space. Components determine all but `BoxCenter`, which is state.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::{Boundary, Field, Space};

/// The space that everything is in, as it is now.
#[derive(Resource, Deref, DerefMut)]
pub struct CurrentSpace(pub Space);

impl Default for CurrentSpace {
    fn default() -> Self {
        Self(Space::new(Field::new(DVec2::ONE, Boundary::Open)))
    }
}

/// The agents by row, that is by stable id.
#[derive(Resource, Default)]
pub struct Agents(pub Vec<Entity>);

impl Agents {
    /// The row of the agent with a number, as in its stable id.
    pub fn row_of(world: &World, number: u32) -> Option<usize> {
        let id_of = |agent: &Entity| world.get::<StableId>(*agent).copied();
        world.resource::<Self>().0.binary_search_by_key(&Some(StableId::agent(number)), id_of).ok()
    }

    /// The agent with a number, as in its stable id.
    pub fn find(world: &World, number: u32) -> Option<Entity> {
        world.resource::<Self>().0.get(Self::row_of(world, number)?).copied()
    }
}

/// The agents of each group, by its place in the scene: by serial number.
#[derive(Resource, Default)]
pub(crate) struct ByGroup(pub Vec<Vec<Entity>>);

/// The centre (m) of the box in the broad phase of an agent with `overlap_resolution: Classic`: the position of
/// the agent before its last move.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
pub struct BoxCenter(pub DVec2);

/// The objects that act, by stable id; their rows come after those of the agents.
#[derive(Resource, Default)]
pub struct Actors(pub Vec<Entity>);

/// Marks objects that act and their sensors, which act after the agents. It is a cache.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct ActsLater;
