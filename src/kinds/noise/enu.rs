//! Axes to the east, to the north and upwards.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{direction, wrap_angle};
use swarmarium_core::kind::kind;
use swarmarium_core::noise::{ANGLES, Noise, POSITION, change_position, places};
use swarmarium_core::random::Stream;

/// Converts poses into the axes east, north and up, if those of the arena are different; for an actuator, the
/// conversion is reversed.
#[kind(Copy)]
pub struct Enu {
    /// Direction of north, clockwise from the y axis of the arena.
    #[reflect(@Limits::between(-360.0, 360.0))]
    pub north_deg: f64,
}

impl Enu {
    fn turn(names: &[&str], values: &mut [f64], angle_rad: f64) {
        let turn = direction(angle_rad);
        change_position(names, values, |position| turn.rotate(DVec2::new(position.x, position.y)).extend(position.z));
        if let Some([yaw, ..]) = places(names, ANGLES) {
            values[yaw] = wrap_angle(values[yaw] + angle_rad);
        }
    }
}

impl Noise for Enu {
    const NEEDS: &'static [&'static [&'static str]] = &[&POSITION, &ANGLES];
    const IS_UNDONE: bool = true;
    const MIXES: &'static [&'static str] = &["x", "y"];

    fn apply_to(&self, names: &[&str], reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        Self::turn(names, reading, self.north_deg.to_radians());
    }

    fn undo(&self, names: &[&str], values: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
        Self::turn(names, values, -self.north_deg.to_radians());
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::tests::{near, out_and_in};

    use super::*;

    #[test]
    fn enu_allows_north_to_the_right() {
        let (out, back) = out_and_in(&Enu { north_deg: 90.0 }, [10.0, 8.0, 0.1]);
        assert!(near(&out, &[-8.0, 10.0, 0.1], 1e-12) && near(&back, &[10.0, 8.0, 0.1], 1e-12), "{out:?}");
    }
}
