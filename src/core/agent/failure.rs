//! Failures: what can go wrong with a robot.

use bevy::prelude::*;
use serde::{Deserialize, Serialize};
use swarmarium_base::limits::Limits;

use super::contact::Dead;
use crate::kind::Required;

/// The latest time of a fault, in seconds.
const MOST_S: f64 = 1e9;

/// Something that goes wrong with a robot, or with all of a group.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Fault {
    /// Simulated time, to the nearest step.
    #[reflect(@Limits::between(0.0, MOST_S))]
    pub at_s: f64,
    /// A group, or one robot such as `prey-3`.
    #[reflect(@Required)]
    pub target: String,
    /// The failure.
    pub failure: Failure,
}

/// What can go wrong with a robot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[reflect(Default, Clone)]
pub enum Failure {
    /// It neither moves nor senses nor sends any more, and is in the way.
    #[default]
    Total,
    /// It does not drive any more; all else goes on, and others can push it.
    Motors,
    /// Its radio hears nothing any more, and forgets what it has heard; it still sends.
    Receiver,
    /// Its sensors read what they read before anything is in sight.
    Sensors,
}

impl Failure {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Total, Self::Motors, Self::Receiver, Self::Sensors];

    /// The verb of an edit that begins or ends it.
    pub const fn verb(self, is_active: bool) -> &'static str {
        match (self, is_active) {
            (Self::Total, true) => "Killed",
            (Self::Total, false) => "Revived",
            (Self::Motors, true) => "Froze",
            (Self::Motors, false) => "Thawed",
            (Self::Receiver, true) => "Deafened",
            (Self::Sensors, true) => "Blinded",
            (Self::Receiver | Self::Sensors, false) => "Repaired",
        }
    }

    /// What the log of events says when it begins.
    pub const fn event(self) -> &'static str {
        match self {
            Self::Total => "Failed",
            Self::Motors => "Motors failed",
            Self::Receiver => "Receiver failed",
            Self::Sensors => "Sensors failed",
        }
    }

    /// Whether it has gone wrong with an agent.
    pub(crate) fn is_of(self, agent: EntityRef) -> bool {
        match self {
            Self::Total => agent.contains::<Dead>(),
            Self::Motors => agent.contains::<Frozen>(),
            Self::Receiver => agent.contains::<Deaf>(),
            Self::Sensors => agent.contains::<Blind>(),
        }
    }
}

/// On agents that do not drive any more.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frozen;

/// On agents whose radio hears nothing.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deaf;

/// On agents whose sensors see nothing, and on each of these sensors.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blind;
