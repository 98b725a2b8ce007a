//! Components: sensors and actuators that external clients access by name.
//!
//! The full name of a component is the name of its robot, a dot and its own name.

pub mod handle;
pub mod naming;
pub mod property;
