//! Drives towards or away from what a sensor perceives.

use std::f64::consts::{FRAC_PI_2, PI};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Situation};
use swarmarium_core::kind::{SensorSlot, kind};
use swarmarium_picture::palette::Role;

use super::reflex;

/// Drives in a direction that a sensor reads: towards a light, along the gradient of a field, away from a neighbour.
///
/// Without a direction, it drives straight on. A robot with infrared sensors turns away from obstacles ahead.
#[kind]
pub struct Seek {
    /// Slot of the sensor that reads the direction.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Any)]
    pub sensor: u32,
    /// The numbers of its reading that give the direction. `Bearing(channel)`: one number, a bearing in rad,
    /// anticlockwise from the heading. `Vector(channel)`: two numbers from `channel` on, a vector ahead and to the
    /// left; a zero vector gives no direction. `Ring(first_rad)`: all numbers, as those of receptors around the robot:
    /// the sum of their directions, weighted by the numbers; the first receptor has the bearing `first_rad`, and the
    /// others follow anticlockwise at equal angles. Channels are counted from 0.
    pub direction: Direction,
    /// Angle from that direction to the way of the robot, anticlockwise: π moves away.
    #[reflect(@Limits::between(-PI, PI))]
    pub offset_rad: f64,
    /// Number of the reading that shows whether there is a direction: it must be above `threshold`. `None`: there always
    /// is one.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub strength: Option<u32>,
    /// The value above which there is a direction.
    #[reflect(@Limits::between(-1e12, 1e12))]
    pub threshold: f64,
}

/// The direction in a reading.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Direction {
    /// A bearing, anticlockwise from the heading.
    Bearing {
        /// Number of the reading.
        #[reflect(@Limits::between(0.0, 65535.0))]
        channel: u32,
    },
    /// A vector in the frame of the robot, whose x axis is ahead. A zero vector gives no direction.
    Vector {
        /// Number of the reading with its first part; the second part follows.
        #[reflect(@Limits::between(0.0, 65534.0))]
        channel: u32,
    },
    /// All numbers are those of receptors around the robot: the sum of their directions, weighted by the numbers.
    Ring {
        /// Bearing of the first receptor, anticlockwise from the heading; the others follow anticlockwise at equal angles.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        first_rad: f64,
    },
}

impl Default for Direction {
    fn default() -> Self {
        Self::Bearing { channel: 0 }
    }
}

impl Seek {
    /// The way of the robot, anticlockwise from its heading; `None` without a direction.
    fn way_rad(&self, now: &Situation) -> Option<f64> {
        if let Some(channel) = self.strength {
            now.number(self.sensor, channel).filter(|strength| *strength > self.threshold)?;
        }
        let along = |vector: DVec2| (vector != DVec2::ZERO && vector.is_finite()).then(|| angle_of(vector));
        let angle_rad = match self.direction {
            Direction::Bearing { channel } => now.number(self.sensor, channel).filter(|angle| angle.is_finite())?,
            Direction::Vector { channel } => {
                along(DVec2::new(now.number(self.sensor, channel)?, now.number(self.sensor, channel + 1)?))?
            }
            Direction::Ring { first_rad } => {
                let reading = now.readings.get(self.sensor as usize)?;
                let apart_rad = 2.0 * PI / reading.len().max(1) as f64;
                let bearing = |place: usize| first_rad + place as f64 * apart_rad;
                let parts = reading.iter().enumerate();
                along(parts.map(|(place, value)| *value * swarmarium_base::math::direction(bearing(place))).sum())?
            }
        };
        Some(wrap_angle(angle_rad + self.offset_rad))
    }
}

impl Behaviour for Seek {
    fn act(&self, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput {
        let angle_rad = self.way_rad(now).unwrap_or_default();
        // A direction behind the robot needs a turn on the spot rather than a wide arc.
        let v_m_per_s = if angle_rad.abs() > FRAC_PI_2 { 0.0 } else { now.v_m_per_s };
        reflex::spare(now, kept, BehaviourOutput::Steer { angle_rad, v_m_per_s })
    }

    fn show(&self, now: &Situation, _: &mut Vec<f64>, arrows: &mut Vec<Arrow>) {
        arrows.extend(self.way_rad(now).map(|angle_rad| Arrow::towards(angle_rad, Role::Goal)));
    }
}
