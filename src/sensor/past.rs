//! What sensors of movement remember: where they were when they read last.

use bevy::math::DVec3;
use bevy::prelude::*;

use super::{Mount, Viewpoint};
use crate::math::Frame;

/// Where a sensor was when it read last, and how it moved then.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    /// `None` before the first reading.
    last: Option<Moment>,
}

/// A sensor at one of its readings.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
struct Moment {
    step: u64,
    at_m: [f64; 3],
    heading_rad: f64,
    velocity_m_per_s: [f64; 3],
    turn_rad_per_s: f64,
}

/// How a sensor moved since its last reading; not at all at the first one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Movement {
    /// Simulated time since then, in seconds.
    pub elapsed_s: f64,
    /// The way (m), the short one where the arena wraps.
    pub way: DVec3,
    /// The turn about z (rad).
    pub turn: f64,
    /// Mean velocity (m/s).
    pub velocity: DVec3,
    /// Mean turn rate about z (rad/s).
    pub spin: f64,
    /// Change of the mean velocity (m/s²).
    pub acceleration: DVec3,
    /// Change of the mean turn rate (rad/s²).
    pub spin_up: f64,
    /// Where it is now.
    pub now: Frame,
    /// The same, turned half the way back: on an arc, velocity is the same at all times as seen from there.
    pub halfway: Frame,
}

impl Past {
    /// How a sensor moved since its last reading, which this one takes the place of.
    pub fn movement(&mut self, mount: &Mount, from: &Viewpoint) -> Movement {
        let now = mount.frame(from);
        let heading_rad = from.space.bodies.headings()[from.row];
        let time = from.own.time;
        let first = Moment { step: time.step, at_m: now.at.to_array(), heading_rad, ..Moment::default() };
        let last = self.last.unwrap_or(first);
        let elapsed_s = time.step.saturating_sub(last.step) as f64 * time.dt_s;
        let before = DVec3::from(last.at_m);
        let way = from.space.arena.offset(before.truncate(), now.at.truncate()).extend(now.at.z - before.z);
        let turn = heading_rad - last.heading_rad;
        // Nobody moves in no time.
        let rate = if elapsed_s > 0.0 { 1.0 / elapsed_s } else { 0.0 };
        let (velocity, spin) = (way * rate, turn * rate);
        let acceleration = (velocity - DVec3::from(last.velocity_m_per_s)) * rate;
        let spin_up = (spin - last.turn_rad_per_s) * rate;
        self.last = Some(Moment { velocity_m_per_s: velocity.to_array(), turn_rad_per_s: spin, ..first });
        let halfway = now.turned(-0.5 * turn);
        Movement { elapsed_s, way, turn, velocity, spin, acceleration, spin_up, now, halfway }
    }
}
