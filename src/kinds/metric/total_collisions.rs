//! Counts the agents in contact over all steps.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, Swarm};

/// Number of robots pushed out of another robot, an obstacle or a wall, summed over all steps since the start: a
/// robot that stays in contact for ten steps counts ten times. In a periodic arena, contacts across the boundary
/// count, but crossing the boundary does not.
///
/// # Formula
/// ```math
/// n(t) = \sum_{\tau \le t} \sum_{i=1}^{N} k_i(\tau)
/// ```
/// $k_i(\tau)$ is 1 if robot $i$ was pushed in the step that ends at time $\tau$, and 0 otherwise; $N$ is the
/// number of robots.
///
/// Source: RobotSwarmSimulator `TotalCollisionsBehavior`.
///
/// Range: 0 to ∞.
#[kind(section = "Contacts", words = "crash, bump, hit, touch, contact")]
pub struct TotalCollisions {}

/// The collisions so far.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollisionsSoFar(u64);

impl Metric for TotalCollisions {
    type Memory = CollisionsSoFar;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("total_collisions", "Total collisions")
    }

    fn observe(&self, CollisionsSoFar(so_far): &mut CollisionsSoFar, swarm: &Swarm, values: &mut [f64]) {
        *so_far += swarm.space.bodies.pushed().iter().filter(|pushed| **pushed).count() as u64;
        values[0] = *so_far as f64;
    }
}
