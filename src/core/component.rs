//! Components: sensors and actuators as clients outside know them, by name.
//!
//! The full name of a component is that of its robot, a dot and its own.

pub mod handle;
pub mod naming;
pub mod property;
