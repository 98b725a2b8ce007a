//! Teleporting, which does not count as movement.

use bevy::prelude::*;
use swarmarium_base::math::Frame;

use super::Pose;
use super::attitude::Attitude;

/// The sum of all teleports of a robot, which motion sensors leave out. Robots that were never teleported do not have
/// the component.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Elsewhere {
    /// The world frame, moved along with the robot by each teleport.
    world: Frame,
    /// Its total turn about z, in radians, never wrapped.
    turn_rad: f64,
}

impl Elsewhere {
    /// Records a teleport from one pose and attitude to another.
    pub fn put(&mut self, from: (&Pose, &Attitude), to: (&Pose, &Attitude)) {
        let frame = |(pose, tilt): (&Pose, &Attitude)| {
            Frame::new(pose.position_m.extend(tilt.z_m), [pose.heading_rad, tilt.pitch_rad, tilt.roll_rad])
        };
        self.world = frame(to).holding(&frame(from).sees(&self.world));
        self.turn_rad += to.0.heading_rad - from.0.heading_rad;
    }

    /// The place of something that was never teleported and is at `there`, had it been moved along with the robot.
    #[must_use]
    pub fn carry(&self, there: &Frame) -> Frame {
        self.world.holding(there)
    }

    /// A frame of the world, as it would be without the teleports.
    #[must_use]
    pub fn without(&self, now: &Frame) -> Frame {
        self.world.sees(now)
    }

    /// A heading in radians, as it would be without the teleports.
    #[must_use]
    pub fn heading_without(&self, heading_rad: f64) -> f64 {
        heading_rad - self.turn_rad
    }
}

/// Teleports an agent in the plane.
pub fn put(agent: &mut EntityWorldMut, pose: Pose) {
    let Some(before) = agent.get::<Pose>().copied() else { return };
    let tilt = agent.get::<Attitude>().copied().unwrap_or_default();
    let mut elsewhere = agent.get::<Elsewhere>().copied().unwrap_or_default();
    elsewhere.put((&before, &tilt), (&pose, &tilt));
    agent.insert((pose, elsewhere));
}
