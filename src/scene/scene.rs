//! Scenes: their description, reading, checking and writing, and the simulation made from them.

pub mod base;
pub mod comments;
pub mod constants;
pub mod controls;
pub mod current;
pub mod describe;
pub mod description;
pub mod origins;
pub mod path;
pub mod presets;
pub mod reader;
pub mod scripts;
pub mod shipped;
pub mod writer;

pub use description::Scene;
