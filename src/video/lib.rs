//! Videos: pictures painted on the processor, encoded, and put into one file.
//!
//! A video needs no display, no driver, no GPU and no other program, and the same pictures give the same bytes on
//! every run, whatever the number of threads. That rests on three things:
//!
//! - a picture is a list of shapes, and painting is a function of the picture alone ([`Painter`]);
//! - a video is cut into [segments](format::Format::segment_length) by their number of frames alone; a segment is painted
//!   and compressed by one worker that keeps nothing from other segments;
//! - one thread puts the results of the workers back in order and writes them ([`Recorder`]).
//!
//! A picture of a simulation:
//!
//! ```
//! use swarmarium_simulation::prelude::*;
//! use swarmarium_formats::standard::FromScene as _;
//! use swarmarium_video::{Painter, Style, png};
//!
//! let simulation = Simulation::new(&Scene::default())?;
//! let view = View::fit(simulation.scene(), DVec2::new(320.0, 180.0));
//! let mut painter = Painter::new(320, 180, Style::default());
//! let frame = painter.paint(&simulation.picture(&view), &view.camera);
//! let file = png::encode(frame.width, frame.height, frame.rgba, false).unwrap();
//! assert!(file.starts_with(b"\x89PNG"));
//! # Ok::<(), swarmarium_base::problem::Problems>(())
//! ```
//!
//! The file can be played at any time during the recording, up to the last segment. It gets its name when it is complete.

mod changed;
pub mod encoder;
pub mod format;
mod growing;
pub mod painter;
pub mod panes;
pub mod rate;
pub mod recorder;
mod text;

pub mod apng;
pub mod ffmpeg;
pub mod gif;
pub mod mp4;
pub mod png;

pub use encoder::Encoder;
pub use format::{Format, Spec};
pub use painter::{Frame, Painter, Style};
pub use panes::{FramePainter, Pane, Shot};
pub use rate::{Rate, RateError};
pub use recorder::{FrameCounter, Recorder, Recording};

/// The smallest and the largest side of a frame, in pixels.
pub const SIDES_PX: std::ops::RangeInclusive<u32> = 16..=8192;
