//! Tasks: services of actuators that take some time.

use bevy::prelude::*;

/// The progress of the tasks of an actuator, such as going to a point. There is at most one at a time.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// The number of tasks begun.
    pub begun: u32,
    /// The last task that ended by itself, counted from 1; 0 for none.
    pub done: u32,
}
