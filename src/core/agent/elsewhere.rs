//! Who is put elsewhere does not go there.

use bevy::prelude::*;
use swarmarium_base::math::Frame;

use super::Pose;
use super::attitude::Attitude;

/// How far a robot was put elsewhere, all together: what sensors of movement leave out. Robots that never were have none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Elsewhere {
    /// The frame of the world as it came along whenever the robot was put elsewhere.
    world: Frame,
    /// The turn about z of it all (rad), never wrapped.
    turn_rad: f64,
}

impl Elsewhere {
    /// Notes that a robot is put from one place and tilt to another.
    pub fn put(&mut self, from: (&Pose, &Attitude), to: (&Pose, &Attitude)) {
        let frame = |(pose, tilt): (&Pose, &Attitude)| {
            Frame::new(pose.position_m.extend(tilt.z_m), [pose.heading_rad, tilt.pitch_rad, tilt.roll_rad])
        };
        self.world = frame(to).holding(&frame(from).sees(&self.world));
        self.turn_rad += to.0.heading_rad - from.0.heading_rad;
    }

    /// Where what never was put elsewhere, and is there, would be had it come along.
    #[must_use]
    pub fn carry(&self, there: &Frame) -> Frame {
        self.world.holding(there)
    }

    /// A frame of the world as it would be had nobody been put elsewhere.
    #[must_use]
    pub fn without(&self, now: &Frame) -> Frame {
        self.world.sees(now)
    }

    /// A heading (rad) as it would be had nobody been put elsewhere.
    #[must_use]
    pub fn heading_without(&self, heading_rad: f64) -> f64 {
        heading_rad - self.turn_rad
    }
}

/// Puts an agent elsewhere in the plane.
pub(crate) fn put(agent: &mut EntityWorldMut, pose: Pose) {
    let Some(before) = agent.get::<Pose>().copied() else { return };
    let tilt = agent.get::<Attitude>().copied().unwrap_or_default();
    let mut elsewhere = agent.get::<Elsewhere>().copied().unwrap_or_default();
    elsewhere.put((&before, &tilt), (&pose, &tilt));
    agent.insert((pose, elsewhere));
}
