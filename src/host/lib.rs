//! Hosts of a simulation of Swarmarium: the clock, the timeline with its branches, undo, and the target of a camera.
#![forbid(unsafe_code)]

pub mod aim;
pub mod clock;
pub mod speed;
pub mod timeline;
