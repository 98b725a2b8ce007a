//! Counts the ticks of the wheels of a robot.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;

/// Reads the ticks of the left and the right wheel since the start, positive forwards.
///
/// The counts are exact: a wheel also turns while it slips on the ground or pushes against an obstacle.
#[kind(Copy, section = "Own state", words = "wheels, ticks, wheel turns")]
pub struct Encoders {
    /// Number of ticks per turn of a wheel.
    #[reflect(@Limits::up_to(1e9))]
    #[default(1000.0)]
    pub ticks_per_turn: f64,
    /// How incomplete ticks are rounded.
    pub counts: Counts,
}

/// How incomplete ticks are rounded.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Counts {
    /// Towards zero: only complete ticks count (pySimiam).
    #[default]
    Whole,
    /// To the nearest tick: a tick that is half complete counts (Sim.I.Am).
    Nearest,
}

impl Counts {
    /// The number of ticks for a number of turns of a wheel.
    pub(super) fn ticks(self, turns: f64, ticks_per_turn: f64) -> f64 {
        match self {
            Self::Whole => (turns * ticks_per_turn).trunc(),
            Self::Nearest => (turns * ticks_per_turn).round(),
        }
    }
}

impl Sensor for Encoders {
    type Prepared = ();
    type Memory = NoMemory;
    const COUNTS_TURNS: bool = true;
    const NAMES: &'static [&'static str] = &["left", "right"];

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        2
    }

    fn units(&self) -> &'static [&'static str] {
        &["ticks", "ticks"]
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let wheels = from.wheels.unwrap_or_default();
        for (value, turns) in reading.iter_mut().zip([wheels.left_turns, wheels.right_turns]) {
            *value = self.counts.ticks(turns, self.ticks_per_turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_core::motion::Wheels;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::sensor::tests::{Looks, space_with};

    #[test]
    fn encoder_ticks_are_truncated_or_rounded() {
        let space = space_with(Boundary::Open, &[(DVec2::ONE, 0.1)]);
        let read = |counts| {
            let encoders = Encoders { ticks_per_turn: 16.0, counts };
            let mut looks = Looks::of(&encoders);
            looks.wheels = Wheels { left_turns: -0.24, right_turns: 0.11 };
            looks.read(&space)
        };
        assert_eq!(read(Counts::Whole), [-3.0, 1.0]);
        assert_eq!(read(Counts::Nearest), [-4.0, 2.0]);
    }
}
