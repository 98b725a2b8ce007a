//! Contacts of an agent, and their consequences for it.

use bevy::prelude::*;

/// The consequence of running into something. No robot drives through a wall.
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
/// Only agents to which contacts matter have it. In sequential order, the agent whose turn it is gives way, so that it alone
/// is touched, unless it still overlaps others deeply after all turns.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched(pub bool);

/// An agent that did not survive a collision or a fault, and each of its sensors: it neither moves nor senses nor sends,
/// and is in the way.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[require(Anchored)]
pub struct Dead;

/// The bumps of an agent that stops where it would run into something. Agents without a bump do not have the component.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bumps {
    /// The number of bumps; an agent that pushes on is counted once.
    pub count: u32,
    /// The last step in which something was in its way.
    pub last_step: u64,
}

/// Marks robots that nothing pushes, because of their motion model.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchored;
