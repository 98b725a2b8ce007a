//! Components: sensors and actuators as clients outside know them, by name.
//!
//! The full name of a component is that of its robot, a dot and its own.

pub(crate) mod check;
pub mod face;
pub(crate) mod handle;
pub(crate) mod naming;
pub(crate) mod property;

pub use face::Answer;
