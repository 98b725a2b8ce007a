//! Base of Swarmarium, independent of simulations: ids, names, numbers, problems and files.
#![forbid(unsafe_code)]

pub mod date;
pub mod decimal;
pub mod encoding;
pub mod files;
pub mod id;
pub mod limits;
pub mod math;
pub mod names;
pub mod plain;
pub mod problem;
pub mod sensor_layout;
pub mod variant;
pub mod xml;
