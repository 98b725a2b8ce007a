//! Formulas that are not those of RobotSwarmSimulator, and those that are.

use bevy::prelude::*;

/// Which form of a formula to take, where that of RobotSwarmSimulator is not the one to want.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Variant {
    /// In SI units, and right.
    #[default]
    Corrected,
    /// As RobotSwarmSimulator 1.2.5 has it: lengths per step instead of per second, mistakes included.
    Classic,
}

impl Variant {
    /// Seconds in what the variant counts as a unit of time, when a step takes `dt_s` seconds.
    pub fn time_unit_s(self, dt_s: f64) -> f64 {
        match self {
            Self::Corrected => dt_s,
            Self::Classic => 1.0,
        }
    }

    /// One of two things.
    pub fn choose<T>(self, corrected: T, classic: T) -> T {
        match self {
            Self::Corrected => corrected,
            Self::Classic => classic,
        }
    }
}
