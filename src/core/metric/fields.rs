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
