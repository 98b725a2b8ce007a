//! Contacts of an agent: what running into something does to it.

use bevy::prelude::*;

/// What becomes of agents that run into something. Nobody ever drives through a wall.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum OnCollision {
    /// Discs are pushed out of each other, of obstacles and of walls. Robots with outlines push discs, and stop at what
    /// does not give way.
    #[default]
    Push,
    /// They stop where they would run into anything, and turn there if there is room.
    Stop,
    /// They stop, and so does the run when one of them runs into something anew: a window pauses, `run` ends.
    Pause,
}

/// Whether an agent ran into something in the last step: it was pushed out of an agent, an object or a wall.
///
/// Only agents have it that it matters to. In sequential order the agent whose turn it is gives way, so it alone feels it,
/// unless it is still deep in others after all turns.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched(pub bool);

/// An agent that did not survive a collision or a fault, and each of its sensors: it neither moves nor senses nor sends,
/// and is in the way.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[require(Anchored)]
pub struct Dead;

/// How often an agent that stops where it would run into something did so. Those that never did have none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bumps {
    /// How many times; one that pushes on is counted once.
    pub count: u32,
    /// The last step in which something was in its way.
    pub last_step: u64,
}

/// On robots that nothing pushes, as their motion model has it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchored;
