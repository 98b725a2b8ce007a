//! Videos: pictures painted on the processor, encoded, and put into one file.
//!
//! A video needs no display, no driver, no GPU and no other program, and the same pictures give the same bytes on
//! every run, whatever the number of threads. That rests on three things:
//!
//! - a picture is a list of shapes, and painting one is a function of it and nothing else ([`Painter`]);
//! - a video is cut into [stretches](format::Format::stretch) by their number of frames alone; a stretch is painted and
//!   compressed by one worker that keeps nothing from other stretches;
//! - what comes out of the workers is put back in order and written by one thread ([`Recorder`]).
//!
//! A picture of a simulation:
//!
//! ```
//! use swarmarium_core::prelude::*;
//! use swarmarium_kinds::FromScene as _;
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
//! At any time the file that is written is one that plays up to there; it gets its name when it is whole.

mod changed;
pub mod encoder;
pub mod format;
mod growing;
pub mod painter;
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
pub use rate::Rate;
pub use recorder::{Recorded, Recorder, Shot};

/// The smallest and the largest side of a frame, in pixels.
pub const SIDES_PX: std::ops::RangeInclusive<u32> = 16..=8192;
