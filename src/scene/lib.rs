//! Scenes of Swarmarium: their text, their checks, and the names of their parts.
#![forbid(unsafe_code)]

pub mod agent_view;
pub mod check;
pub mod component;
pub mod scene;
