//! The fields that all metrics have in common.

use bevy::prelude::*;

/// What all metrics have besides their own parameters.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Observing {
    /// Name of the group or team that it looks at alone; empty for all agents.
    pub of: String,
    /// Name of its column, made of letters, digits and `_`; empty for that of the kind.
    pub label: String,
}

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

/// Describes a kind of metric: a component with the given fields and their defaults.
macro_rules! metric_kind {
    ($(#[$about:meta])* $kind:ident { $($(#[$field_about:meta])* $field:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Component, Reflect, Clone, Debug, PartialEq)]
        #[reflect(Default, Clone)]
        pub struct $kind {
            $($(#[$field_about])* pub $field: $type,)*
        }

        impl Default for $kind {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}
pub(super) use metric_kind;
