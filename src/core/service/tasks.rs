//! Tasks: services of actuators that go on for some time.

use bevy::prelude::*;

/// How far the tasks of an actuator are: such as to go somewhere. There is at most one at a time.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// How many were begun.
    pub begun: u32,
    /// The last one that came to its end by itself, counted from 1; 0 for none.
    pub done: u32,
}
