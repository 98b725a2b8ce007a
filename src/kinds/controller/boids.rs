//! Boids: cohesion, alignment and separation.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::angle_of;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Senses};
use swarmarium_core::kind::{SearchWords, SensorSlot, kind};

use super::turning::Decided;
use crate::sensor::zone::ZoneSums;

/// Moves with its neighbours: towards them, in their direction, and away from those that are too near (the three rules
/// of Reynolds: "Flocks, herds, and schools: a distributed behavioral model", SIGGRAPH 1987).
///
/// One sensor `Zone` reads the positions and headings of all neighbours, a second one the positions of those that are too
/// near. Without neighbours, the robot keeps its heading. It turns into the desired direction within the time between its
/// decisions, if `max_turn_rad_per_s` allows.
///
/// The default weights are those of the flock by which JuliaDynamics compares agent-based modelling frameworks
/// ("ABMFrameworksComparison", 2026). With zones of 5 m and 1 m, a speed of 1 m/s, steps of 1 s, `order: RandomSequential`
/// and the motion model `SelfPropelledPoint` with `turning: BeforeMoving`, this controller is that model.
///
/// # Formula
/// ```math
/// d = h + \frac{1}{N} \left( c \sum_{j} r_j + a \sum_{j} h_j - s \sum_{k} r_k \right)
/// ```
/// $d$ is the desired direction, $h$ the heading of the robot as a unit vector, $h_j$ the heading of neighbour $j$ and $r_j$
/// the vector to it in metres. The sums over $j$ are over all $N$ neighbours, that over $k$ is over those that are too near;
/// without neighbours, $N$ is 1.
/// $c$ is `cohesion_per_m`, $a$ `alignment` and $s$ `separation_per_m`.
#[kind(Copy, section = "Swarm", words = "flock, birds, fish, reynolds, school")]
pub struct Boids {
    /// Speed of the robot.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.1)]
    pub v_m_per_s: f64,
    /// Slot of the `Zone` of all neighbours; `None` without one.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Zone)]
    #[default(Some(0))]
    pub neighbours: Option<u32>,
    /// Slot of the `Zone` of those that are too near; `None` without one.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Zone)]
    pub too_near: Option<u32>,
    /// Weight of the mean vector to the neighbours.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.03)]
    pub cohesion_per_m: f64,
    /// Weight of the mean heading of the neighbours.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.05)]
    pub alignment: f64,
    /// Weight of the vectors to those that are too near.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.015)]
    pub separation_per_m: f64,
    /// Maximum turn rate; `None`: the robot can turn by any angle.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub max_turn_rad_per_s: Option<f64>,
}

impl Boids {
    /// The desired direction, anticlockwise from the heading (rad).
    fn desired_rad(&self, senses: Senses) -> f64 {
        let (all, too_near) = (ZoneSums::of(senses, self.neighbours), ZoneSums::of(senses, self.too_near));
        let pull = self.cohesion_per_m * all.offsets_m + self.alignment * all.headings
            - self.separation_per_m * too_near.offsets_m;
        let desired = DVec2::X + pull / all.count.max(1.0);
        if desired == DVec2::ZERO { 0.0 } else { angle_of(desired) }
    }
}

impl Controller for Boids {
    type Memory = Decided;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, memory: &mut Decided, senses: Senses) -> Command {
        memory.turn_by(self.desired_rad(senses), (self.v_m_per_s, self.max_turn_rad_per_s), senses)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    use swarmarium_base::math::atan2;

    use super::*;

    const BOIDS: Boids = Boids {
        v_m_per_s: 1.0,
        neighbours: Some(0),
        too_near: Some(1),
        cohesion_per_m: 0.25,
        alignment: 1.0,
        separation_per_m: 0.5,
        max_turn_rad_per_s: None,
    };

    fn desired_rad(readings: [[f64; 7]; 2]) -> f64 {
        BOIDS.desired_rad(Senses::of(&[&readings[0], &readings[1]]))
    }

    #[test]
    fn boids_turn_by_the_mean_of_their_neighbours() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        near(desired_rad([[0.0; 7]; 2]), 0.0);
        // A neighbour to the left that heads left: (1, 0) + 0.25 (0, 4) + (0, 1).
        let left = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 4.0];
        near(desired_rad([left, [0.0; 7]]), atan2(2.0, 1.0));
        // Two of them pull no more than one.
        near(desired_rad([left.map(|value| 2.0 * value), [0.0; 7]]), atan2(2.0, 1.0));
        // One ahead to the left that is too near, with no heading to follow: (1, 0) + (0.25 − 0.5) (4, 4).
        let close = [1.0, 0.0, 0.0, 0.0, 0.0, 4.0, 4.0];
        near(desired_rad([close, close]), -FRAC_PI_2);
        near(desired_rad([close, [0.0; 7]]), atan2(1.0, 2.0));
        near(desired_rad([[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0; 7]]), FRAC_PI_4);
    }
}
