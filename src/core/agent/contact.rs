//! Contacts of an agent and their consequences.

use bevy::prelude::*;

/// The response of agents to a collision. No robot drives through a wall.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum OnCollision {
    /// Discs are pushed apart and out of obstacles and walls. Polygons push discs and stop at anything that does not
    /// give way.
    #[default]
    Push,
    /// Robots stop before they run into anything, and turn on the spot if there is room.
    Stop,
    /// Robots stop before they run into anything, and each new collision stops the run: a window pauses, `run` ends.
    Pause,
}

/// Whether an agent ran into something in the last step: it was pushed out of an agent, an object or a wall.
///
/// Only agents that react to contacts have the component. In sequential order, the agent whose turn it is gives way, so
/// that only this agent is touched, unless it still overlaps others deeply after all turns.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched(pub bool);

/// Marks an agent that did not survive a collision or a fault, and each of its sensors. The agent does not move, sense
/// or send, and stays as an obstacle.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[require(Anchored)]
pub struct Dead;

/// The bumps of an agent that stops before it runs into something.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bumps {
    /// The number of bumps; an agent that keeps pushing is counted once.
    pub count: u32,
    /// The last step in which something blocked the agent.
    pub last_step: u64,
}

/// Marks robots that nothing pushes because of their motion model.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchored;

/// Number of agents that pushed the agent when it last moved or was placed.
///
/// Agents have the component where it can matter: with `overlap_resolution: Classic` and `catastrophic_collisions`, since
/// dead agents keep their last collisions in RobotSwarmSimulator, and metrics count these at every step.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastCollisions(pub u32);
