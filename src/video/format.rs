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
    /// The style of frames.
    pub style: Style,
    /// The number of frames, if it is known in advance.
    pub frames: Option<u64>,
}

/// A format of videos: makes compressors, which may work at the same time, and writes their packets in order.
pub trait Format: Send {
    /// The number of frames of a segment, which one compressor compresses in sequence.
    ///
    /// It depends on the format and never on threads, so that the same frames always give the same bytes.
    fn segment_length(&self) -> usize;

    /// A compressor for one worker.
    fn compressor(&self) -> Box<dyn Compress>;

    /// Writes the frames of a segment. After an error, the file is as it was before.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write(&mut self, packets: Vec<Vec<u8>>) -> anyhow::Result<()>;

    /// Gives the file its name. A file without frames is removed.
    ///
    /// # Errors
    /// When the file cannot be completed; the message names the remaining file.
    fn finish(self: Box<Self>) -> anyhow::Result<()>;
}

/// A compressor: turns frames into packets of bytes.
pub trait Compress: Send {
    /// Whether frames are compared with their predecessors.
    fn compares(&self) -> bool {
        false
    }

    /// Begins a segment. `before` is the last frame of the previous segment; the first segment has none.
    ///
    /// # Errors
    /// When the compressor cannot start.
    fn begin(&mut self, before: Option<Frame>) -> anyhow::Result<()>;

    /// The packet of the next frame. Frames are numbered from the start of the video.
    ///
    /// # Errors
    /// When it cannot be compressed.
    fn frame(&mut self, number: u64, frame: Frame) -> anyhow::Result<Vec<u8>>;
}
