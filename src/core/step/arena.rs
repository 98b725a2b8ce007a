//! The arena of a simulation: everything that a step reads and writes beside the components of entities.

use std::mem;
use std::ops::{Deref, DerefMut};

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_space::{Bump, Space};

use super::deaths::PendingDeaths;
use super::order::Delivery;
use crate::agent::contact::OnCollision;
use crate::agent::trail::Trails;
use crate::events::Events;
use crate::random::{Seed, SeedChain};
use crate::spawner::WithoutRoom;
use crate::state::{Record, RegisterState as _, ResourcePart};
use crate::time::SimTime;

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<CurrentArena>()
        .register_state_part::<SimTime>("time")
        .register_state_part::<Seed>("seed")
        .register_state_part::<SeedChain>("seed_chain")
        .register_state_part::<Suspended>("suspended")
        .register_record_part::<Crash>("crash")
        .register_record_part::<Events>("events")
        .register_record_part::<WithoutRoom>("spawner/without room")
        .register_record_part::<Trails>("trails");
}

/// The arena of a world. Changing places with another arena costs no more than a pointer.
#[derive(Resource, Default)]
pub struct CurrentArena(Box<Arena>);

impl Deref for CurrentArena {
    type Target = Arena;

    fn deref(&self) -> &Arena {
        &self.0
    }
}

impl DerefMut for CurrentArena {
    fn deref_mut(&mut self) -> &mut Arena {
        &mut self.0
    }
}

impl CurrentArena {
    /// Changes places with another arena of the same entities, which stay.
    pub fn change_places(&mut self, other: &mut Self) {
        mem::swap(self, other);
        let (here, there) = (&mut self.0, &mut other.0);
        mem::swap(&mut here.agents, &mut there.agents);
        mem::swap(&mut here.actors, &mut there.actors);
        mem::swap(&mut here.by_group, &mut there.by_group);
    }

    /// Takes the arena out; its entities stay.
    pub fn leave(&mut self) -> Self {
        let mut other = Self::default();
        self.change_places(&mut other);
        other
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Arena>() + self.space.bytes()
    }
}

/// Everything that a step reads and writes beside the components of entities.
#[derive(Default)]
pub struct Arena {
    /// The clock.
    pub time: SimTime,
    /// The seed of all random streams.
    pub seed: Seed,
    /// Source of the seeds of chains, with `random_source: Classic`.
    pub seed_chain: Option<SeedChain>,
    /// Time at which radio messages are received.
    pub delivery: Delivery,
    /// The response of agents to a collision.
    pub on_collision: OnCollision,
    /// Present while all agents and moving objects are suspended, whatever their controllers command.
    pub suspended: Option<Suspended>,
    /// The last step with a new collision under `on_collision: Pause`.
    pub crash: Crash,
    /// The log of events.
    pub events: Events,
    /// Numbers of agents that found no free place.
    pub without_room: WithoutRoom,
    /// The trails of agents; `None` unless a group of the scene has a trail.
    pub trails: Option<Trails>,
    /// The space with all bodies and obstacles.
    pub space: Space,
    /// The agents by row, in order of stable ids.
    pub agents: Vec<Entity>,
    /// The active objects, by stable id; their rows follow those of the agents.
    pub actors: Vec<Entity>,
    /// The agents of each group by serial number; groups by index in the scene.
    pub by_group: Vec<Vec<Entity>>,
    /// Whether spawners are at work.
    pub has_spawners: bool,
    /// Whether the scene has faults.
    pub has_faults: bool,
    /// The values that the metrics have observed in the last step; empty before the first step.
    pub observed: Vec<f64>,
    /// The values of the step before, if an expression uses any.
    pub(crate) observed_before: Vec<f64>,
    /// The agents that collided in this step; empty between steps.
    pub bumped: Vec<Bump>,
    /// The agents that die in this step; empty between steps.
    pub deaths: PendingDeaths,
}

impl Arena {
    /// Whether a robot had a new collision in the last step, with `on_collision: Pause`.
    pub fn has_crashed(&self) -> bool {
        self.crash.0 > 0 && self.crash.0 == self.time.step
    }
}

/// Marks a simulation in which all agents and moving objects are suspended.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suspended {}

/// The last step with a new collision under `on_collision: Pause`; 0 before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crash(pub u64);

impl Record for Crash {}

/// A world with an arena.
pub trait HasArena {
    /// The arena.
    fn arena(&self) -> &Arena;

    /// The arena, mutable.
    fn arena_mut(&mut self) -> &mut Arena;
}

impl HasArena for World {
    fn arena(&self) -> &Arena {
        self.resource::<CurrentArena>()
    }

    fn arena_mut(&mut self) -> &mut Arena {
        self.resource_mut::<CurrentArena>().into_inner()
    }
}

/// The row of the agent with a number, as in its stable id.
pub fn row_of_agent(world: &World, number: u32) -> Option<usize> {
    let id_of = |agent: &Entity| world.get::<StableId>(*agent).copied();
    world.arena().agents.binary_search_by_key(&Some(StableId::agent(number)), id_of).ok()
}

/// The agent with a number, as in its stable id.
pub fn find_agent(world: &World, number: u32) -> Option<Entity> {
    world.arena().agents.get(row_of_agent(world, number)?).copied()
}

/// The problem that there is no agent with a number.
pub fn unknown_agent(number: u32) -> Problem {
    Problem::of_file(format!("there is no agent {number}"))
}

macro_rules! parts {
    ($($field:ident: $part:ty),+) => {
        $(impl ResourcePart for $part {
            type Whole = CurrentArena;

            fn get(arena: &CurrentArena) -> Option<&Self> {
                Some(&arena.$field)
            }

            fn put(arena: &mut CurrentArena, value: Option<Self>) {
                arena.$field = value.unwrap_or_default();
            }
        })+
    };
}

parts!(time: SimTime, seed: Seed, crash: Crash, events: Events, without_room: WithoutRoom);

macro_rules! optional_parts {
    ($($field:ident: $part:ty),+) => {
        $(impl ResourcePart for $part {
            type Whole = CurrentArena;

            fn get(arena: &CurrentArena) -> Option<&Self> {
                arena.$field.as_ref()
            }

            fn put(arena: &mut CurrentArena, value: Option<Self>) {
                arena.$field = value;
            }
        })+
    };
}

optional_parts!(seed_chain: SeedChain, suspended: Suspended, trails: Trails);
