//! Tables of a step: the rows of agents, and the space. They follow from components, except `BoxCenter`, which is
//! state.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_space::{Boundary, Field, Space};

/// The current space with all bodies and obstacles.
#[derive(Resource, Deref, DerefMut)]
pub struct CurrentSpace(pub Space);

impl Default for CurrentSpace {
    fn default() -> Self {
        Self(Space::new(Field::new(DVec2::ONE, Boundary::Open)))
    }
}

/// The agents by row, in order of stable ids.
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

    /// The problem that there is no agent with a number.
    pub(crate) fn unknown(number: u32) -> Problem {
        Problem::of_file(format!("there is no agent {number}"))
    }
}

/// The agents of each group by serial number; groups by index in the scene.
#[derive(Resource, Default)]
pub(crate) struct ByGroup(pub Vec<Vec<Entity>>);

/// Centre (m) of the broad-phase box of an agent with `overlap_resolution: Classic`: its position before its last move.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
pub struct BoxCenter(pub DVec2);

/// The active objects, by stable id; their rows follow those of the agents.
#[derive(Resource, Default)]
pub struct Actors(pub Vec<Entity>);

/// Marks active objects and their sensors, which act after the agents. A cache.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct ActsLater;
