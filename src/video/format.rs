//! The trait that the formats of videos implement.

use super::painter::{Frame, Style};
use super::rate::Rate;

/// The properties of a video that do not depend on its format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Width of a frame in pixels.
    pub width: u32,
    /// Height of a frame in pixels.
    pub height: u32,
    /// Frames per second.
    pub rate: Rate,
    /// How frames look.
    pub style: Style,
    /// How many frames there will be, if that is known.
    pub frames: Option<u64>,
}

/// A format of videos: makes compressors, which may work at the same time, and writes what they give, in order.
pub trait Format: Send {
    /// How many frames one compressor takes one after the other, before another one may go on.
    ///
    /// It is a matter of the format and never of threads: the same frames always give the same bytes.
    fn stretch(&self) -> usize;

    /// A compressor for one worker.
    fn compressor(&self) -> Box<dyn Compress>;

    /// Writes the frames of a stretch. When that fails, the file is as it was before.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write(&mut self, packets: Vec<Vec<u8>>) -> anyhow::Result<()>;

    /// Gives the file its name. A file without frames is removed.
    ///
    /// # Errors
    /// When that fails; the message names the file that is left.
    fn finish(self: Box<Self>) -> anyhow::Result<()>;
}

/// Turns frames into bytes.
pub trait Compress: Send {
    /// Whether frames are compared with the ones before.
    fn compares(&self) -> bool {
        false
    }

    /// Begins a stretch. All that is known of the ones before is the last frame; the first stretch has none.
    ///
    /// # Errors
    /// When there is no way to begin.
    fn begin(&mut self, before: Option<Frame>) -> anyhow::Result<()>;

    /// The bytes of the next frame, whose number is counted from the start of the video.
    ///
    /// # Errors
    /// When it cannot be compressed.
    fn frame(&mut self, number: u64, frame: Frame) -> anyhow::Result<Vec<u8>>;
}
