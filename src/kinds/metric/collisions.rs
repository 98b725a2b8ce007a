//! Counts collisions.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, Swarm};

/// Number of times since the start that a robot ran into another robot, an obstacle or a wall. A robot that stays
/// in contact counts once. In a periodic arena, contacts across the boundary count, but crossing the boundary does
/// not.
///
/// # Formula
/// ```math
/// n(t) = \sum_{\tau \le t} \sum_{i=1}^{N} \max(0, \, k_i(\tau) - k_i(\tau - \Delta t))
/// ```
/// $k_i(\tau)$ is 1 if robot $i$ was pushed in the step that ends at time $\tau$, and 0 otherwise or before the
/// first step; $\Delta t$ is the step.
///
/// Source: Swarmarium.
///
/// Range: 0 to ∞.
#[kind(section = "Contacts", words = "crash, bump, hit, touch, contact, accident")]
pub struct Collisions {}

/// The collisions so far, and the robots in contact at the end of the last step.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
pub struct CollisionCount {
    so_far: u64,
    /// The numbers of the robots.
    touching: Vec<u32>,
}

impl Metric for Collisions {
    type Memory = CollisionCount;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("collisions", "Number of collisions")
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
