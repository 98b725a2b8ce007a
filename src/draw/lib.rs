//! Drawing: each kind describes itself as shapes, and overlays show more of a simulation.
//!
//! Drawing reads the world and changes nothing.
#![forbid(unsafe_code)]

pub mod beliefs;
pub mod caption;
pub mod chart;
pub mod color_by;
pub mod commands;
pub mod connections;
pub mod density;
mod fields;
pub mod forecast;
pub mod ids;
pub mod legend;
pub mod links;
pub mod moment;
pub mod occupancy;
pub mod past;
mod placement;
pub mod scale;
pub mod scenery;
pub mod trails;
pub mod velocities;
pub mod view;
pub mod voronoi;

pub use caption::banner;
pub use chart::Chart;
pub use forecast::Forecast;
pub use moment::{Moment, Poses};
pub use past::Past;
pub use view::{ColorBy, Overlay, Overlays, ShowSensors, TrailLength, View};
