//! Scenes: what a file says, how it is read, checked and written, and how it becomes a simulation.

pub mod base;
pub mod constants;
pub mod controls;
pub mod current;
pub mod describe;
pub mod description;
pub mod origins;
pub mod path;
pub mod presets;
pub mod reader;
pub mod shipped;
pub mod writer;

pub use description::Scene;
