//! Failures of robots.

use bevy::prelude::*;
use serde::{Deserialize, Serialize};
use swarmarium_base::limits::Limits;

use super::contact::Dead;
use crate::kind::Required;

/// The latest time of a fault, in seconds.
const MOST_S: f64 = 1e9;

/// A failure of one robot or of all robots of a group.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Fault {
    /// Simulated time of the failure, rounded to the nearest step.
    #[reflect(@Limits::between(0.0, MOST_S))]
    pub at_s: f64,
    /// A group, or one robot such as `prey-3`.
    #[reflect(@Required)]
    pub target: String,
    /// Functions of the robot that fail.
    pub failure: Failure,
}

/// The kinds of failure of a robot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[reflect(Default, Clone)]
pub enum Failure {
    /// The robot does not move, sense or send any more, and stays as an obstacle.
    #[default]
    Total,
    /// The robot does not drive any more. Everything else works, and others can push it.
    Motors,
    /// The radio receives nothing any more and forgets what it has received; it still sends.
    Receiver,
    /// The sensors read the value that they have when nothing is in sight.
    Sensors,
}

impl Failure {
    /// All failures.
    pub const ALL: [Self; 4] = [Self::Total, Self::Motors, Self::Receiver, Self::Sensors];

    /// The verb of an edit that begins or ends the failure.
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

    /// The text of the event that the failure begins.
    pub const fn event(self) -> &'static str {
        match self {
            Self::Total => "Failed",
            Self::Motors => "Motors failed",
            Self::Receiver => "Receiver failed",
            Self::Sensors => "Sensors failed",
        }
    }

    /// Whether an agent has this failure.
    pub fn is_of(self, agent: EntityRef) -> bool {
        match self {
            Self::Total => agent.contains::<Dead>(),
            Self::Motors => agent.contains::<Frozen>(),
            Self::Receiver => agent.contains::<Deaf>(),
            Self::Sensors => agent.contains::<Blind>(),
        }
    }
}

/// Marks agents whose motors failed.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frozen;

/// Marks agents whose receiver failed.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deaf;

/// Marks agents whose sensors failed, and each of these sensors.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blind;
