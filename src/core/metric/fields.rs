//! The fields that all metrics have in common.

use bevy::prelude::*;

/// The common parameters of metrics.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Observing {
    /// Name of the group or team that the metric observes; empty for all agents.
    pub of: String,
    /// Name of its column: letters, digits and `_`; empty for the default name of the kind.
    pub label: String,
}
