//! Corrected and original versions of formulas of RobotSwarmSimulator.

use bevy::prelude::*;

/// Version of a formula whose original in RobotSwarmSimulator has mistakes.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Variant {
    /// Corrected formula in SI units.
    #[default]
    Corrected,
    /// As in RobotSwarmSimulator 1.2.5: lengths per step instead of per second, mistakes included.
    Classic,
}

impl Variant {
    /// Duration (s) of the unit of time of this version, for steps of `dt_s` seconds.
    pub fn time_unit_s(self, dt_s: f64) -> f64 {
        match self {
            Self::Corrected => dt_s,
            Self::Classic => 1.0,
        }
    }

    /// Selects one of two values.
    pub fn choose<T>(self, corrected: T, classic: T) -> T {
        match self {
            Self::Corrected => corrected,
            Self::Classic => classic,
        }
    }
}
