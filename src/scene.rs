//! Scenes: what a file says, how it is read, checked and written, and how it becomes a simulation.

pub mod base;
mod beside;
pub(crate) mod check;
pub mod constants;
pub mod description;
pub mod export;
pub mod import;
pub mod load;
pub mod origins;
pub mod outline;
pub mod path;
pub mod presets;
pub mod reader;
pub mod shipped;
pub mod spawn;
pub mod templates;
pub mod writer;

pub use description::Scene;
