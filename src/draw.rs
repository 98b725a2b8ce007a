//! Drawing: each kind describes itself as shapes, and overlays show more of a simulation.
//!
//! Drawing reads the world and changes nothing.

pub mod aim;
mod beliefs;
mod caption;
pub mod chart;
mod color_by;
mod commands;
mod connections;
mod density;
mod ids;
mod legend;
mod links;
pub mod moment;
mod occupancy;
pub mod past;
pub mod scenery;
mod trails;
mod velocities;
pub mod view;
mod voronoi;

pub use aim::Aim;
pub use chart::Chart;
pub use moment::{Moment, Poses};
pub use past::Past;
pub use view::{ColorBy, Overlays, ShowSensors, TrailLength, View};
