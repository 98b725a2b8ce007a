//! A run as one HTML file that replays it in any browser, without a network or another file.
//!
//! A [`PageRecorder`] observes a simulation after each step. It takes the shapes of the painter of pictures
//! ([`swarmarium_draw`]), stores each shape once, and the poses of robots and moving objects at a constant rate. The page
//! interpolates between them. The same run gives the same bytes on every machine, for any number of threads.
#![forbid(unsafe_code)]

mod items;
mod numbers;
mod recorder;
mod series;
mod shapes;
mod sketch;
mod write;

#[cfg(test)]
mod tests;

pub use recorder::{Options, PageError, PageRecorder, RATES_HZ};
pub use write::{About, Page, SceneFile};
