//! How often agents ran into something.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, Swarm};

metric_kind! {
    /// The number of agents and steps, since the start, in which an agent was pushed out of another one, an obstacle or
    /// a wall: one agent in touch for ten steps counts ten times (RobotSwarmSimulator `TotalCollisionsBehavior`). In a
    /// periodic arena, contacts across the boundary count, and crossing the boundary does not.
    TotalCollisions {}
}

/// The collisions so far.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollisionsSoFar(u64);

impl Metric for TotalCollisions {
    type Memory = CollisionsSoFar;

    fn label(&self) -> &'static str {
        "total_collisions"
    }

    fn observe(&self, CollisionsSoFar(so_far): &mut CollisionsSoFar, swarm: &Swarm, values: &mut [f64]) {
        *so_far += swarm.space.bodies.pushed().iter().filter(|pushed| **pushed).count() as u64;
        values[0] = *so_far as f64;
    }
}
