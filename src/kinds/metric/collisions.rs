//! How many times agents ran into something.

use bevy::prelude::*;
use swarmarium_core::metric::{Metric, Swarm};

metric_kind! {
    /// How many times, since the start, an agent ran into another one, an obstacle or a wall: one that stays in touch
    /// counts once. In a periodic arena, contacts across the boundary count, and crossing the boundary does not.
    Collisions {}
}

/// The collisions so far, and the agents in contact at the end of the last step.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
pub struct CollisionCount {
    so_far: u64,
    /// The numbers of the agents.
    touching: Vec<u32>,
}

impl Metric for Collisions {
    type Memory = CollisionCount;

    fn label(&self) -> &'static str {
        "collisions"
    }

    fn observe(&self, CollisionCount { so_far, touching }: &mut CollisionCount, swarm: &Swarm, values: &mut [f64]) {
        let (pushed, owners) = (swarm.space.bodies.pushed(), swarm.space.bodies.owners());
        let mut now: Vec<u32> =
            pushed.iter().zip(owners).filter(|(pushed, _)| **pushed).map(|(_, owner)| owner.number).collect();
        now.sort_unstable();
        *so_far += now.iter().filter(|number| touching.binary_search(number).is_err()).count() as u64;
        *touching = now;
        values[0] = *so_far as f64;
    }
}
