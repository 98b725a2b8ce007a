//! The ground that Swarmarium stands on: names, numbers, problems and files, which know nothing of simulations.
#![forbid(unsafe_code)]

pub mod encoding;
pub mod files;
pub mod id;
pub mod limits;
pub mod math;
pub mod names;
pub mod problem;
pub mod variant;
pub mod xml;
