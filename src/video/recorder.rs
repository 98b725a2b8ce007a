//! The recorder: takes pictures in order, and writes a file. Workers paint and compress in between.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::Context as _;
use swarmarium_base::files::{partial, shown};
use swarmarium_base::problem::Problems;
use xxhash_rust::xxh3::xxh3_64;

use super::encoder;
use super::format::{Compress, Format, Spec};
use super::panes::{FramePainter, Shot};
use super::rate::Rate;

/// A finished recording.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recording {
    /// The file, or the folder of files; a file that could not be renamed still has its name [`partial`].
    pub path: PathBuf,
    /// The number of frames in the file; 0 without a file.
    pub frames: u64,
    /// The hash of the pixels of each frame, if hashes were requested.
    pub hashes: Vec<u64>,
    /// The reason why the video is incomplete, or not at its path.
    pub error: Option<Problems>,
}

impl Recording {
    /// A summary for the user: the name, the number of frames, their duration and the size of the file.
    pub fn summary(&self, rate: Rate) -> String {
        let (name, frames) = (shown(&self.path), self.frames);
        if frames == 0 {
            return format!("{name}: there is no video");
        }
        let bytes = self.path.metadata().ok().filter(|file| file.is_file()).map(|file| file.len() as f64 / 1e6);
        let size = bytes.map(|megabytes| format!(", {megabytes:.2} MB")).unwrap_or_default();
        format!("{name}: {} ({:.3} s){size}", counted(frames), rate.time_s(frames))
    }

    /// Whether the video is complete and at its path.
    ///
    /// # Errors
    /// The [`error`](Self::error), with the remaining video as context.
    pub fn outcome(self) -> Result<(), Problems> {
        let kept = match self.frames {
            0 => "there is no video".to_owned(),
            frames => format!("{}: there is a video of {}", shown(&self.path), counted(frames)),
        };
        self.error.map_or(Ok(()), |error| Err(Problems::of_file(kept, error.to_string())))
    }
}

/// A number of frames, in words.
fn counted(frames: u64) -> String {
    format!("{frames} frame{}", if frames == 1 { "" } else { "s" })
}

/// A segment: consecutive frames that one worker paints and compresses.
struct Segment {
    first: u64,
    before: Option<Arc<Shot>>,
    shots: Vec<Arc<Shot>>,
}

/// A compressed segment.
struct Compressed {
    packets: Vec<Vec<u8>>,
    hashes: Vec<u64>,
}

/// The state that the threads share.
#[derive(Default)]
struct Shared {
    written: AtomicU64,
    has_failed: AtomicBool,
}

/// The number of frames that a recorder has written.
#[derive(Clone)]
pub struct FrameCounter(Arc<Shared>);

impl FrameCounter {
    /// The number of frames in the file.
    pub fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }
}

/// Records a video.
///
/// Each worker has a channel; segments are sent to the channels in turn, and their results are received in turn. So frames
/// stay in order without a reorder buffer, and [`add`](Self::add) waits while all workers are busy: memory does not grow with
/// the length of the video.
///
/// ```
/// use swarmarium_simulation::prelude::*;
/// use swarmarium_formats::standard::FromScene as _;
/// # use swarmarium_video::{Encoder, Rate, Recorder, Shot, Spec, Style, encoder};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("film.gif");
/// let mut simulation = Simulation::new(&Scene::default())?;
/// let view = View::fit(simulation.scene(), DVec2::new(64.0, 48.0));
/// let spec = Spec { width: 64, height: 48, rate: Rate::new(10, 1).unwrap(), style: Style::default(), frames: None };
/// let mut recorder = Recorder::start(&path, encoder::create(&path, Encoder::Own, &spec)?, &spec, 1, false)?;
/// for _ in 0..3 {
///     simulation.step(1);
///     recorder.add(Shot::new(simulation.picture(&view), view.camera));
/// }
/// recorder.finish().outcome()?;
/// # assert!(path.is_file());
/// # Ok::<(), anyhow::Error>(())
/// ```
pub struct Recorder {
    path: PathBuf,
    channels: Vec<SyncSender<Segment>>,
    next_channel: usize,
    /// The number of frames of a segment.
    length: usize,
    collected: Vec<Arc<Shot>>,
    before: Option<Arc<Shot>>,
    sent: u64,
    workers: Vec<JoinHandle<()>>,
    writer: Option<JoinHandle<Recording>>,
    shared: Arc<Shared>,
}

impl Recorder {
    /// Starts to record into an opened format.
    ///
    /// # Errors
    /// When threads cannot be started.
    pub fn start(
        path: &Path,
        format: Box<dyn Format>,
        spec: &Spec,
        workers: usize,
        hash_frames: bool,
    ) -> Result<Self, Problems> {
        let shared = Arc::new(Shared::default());
        let (mut channels, mut results, mut handles) = (Vec::new(), Vec::new(), Vec::new());
        let length = format.segment_length();
        for _ in 0..workers.max(1) {
            // A channel has no buffer: sending a segment waits for its worker.
            let (channel, segments) = sync_channel::<Segment>(0);
            let (done, result) = sync_channel(0);
            let (compressor, spec) = (format.compressor(), *spec);
            let work = move || Worker::new(&spec, compressor, hash_frames).work(&segments, &done);
            handles.push(thread::Builder::new().name("video worker".into()).spawn(work).context("no worker")?);
            channels.push(channel);
            results.push(result);
        }
        let (to, state) = (path.to_path_buf(), shared.clone());
        let write = move || write(to, format, &results, &state);
        let writer = thread::Builder::new().name("video writer".into()).spawn(write).context("no writer")?;
        Ok(Self {
            path: path.into(),
            channels,
            next_channel: 0,
            length,
            collected: Vec::new(),
            before: None,
            sent: 0,
            workers: handles,
            writer: Some(writer),
            shared,
        })
    }

    /// Adds a frame; waits while all workers are busy. After a failure, frames are ignored.
    ///
    /// The same shot many times in a row is painted once.
    pub fn add(&mut self, shot: impl Into<Arc<Shot>>) {
        self.collected.push(shot.into());
        if self.collected.len() == self.length {
            self.send_segment();
        }
    }

    fn send_segment(&mut self) {
        let shots = std::mem::take(&mut self.collected);
        let frames = shots.len() as u64;
        let last = shots.last().cloned();
        let segment = Segment { first: self.sent, before: self.before.take(), shots };
        (self.before, self.sent) = (last, self.sent + frames);
        // A channel without a worker means that writing failed or the worker crashed; `finish` returns the reason.
        if self.channels[self.next_channel].send(segment).is_err() {
            self.shared.has_failed.store(true, Ordering::Relaxed);
        }
        self.next_channel = (self.next_channel + 1) % self.channels.len();
    }

    /// A handle that tells the number of frames in the file, also while [`finish`](Self::finish) waits.
    pub fn counter(&self) -> FrameCounter {
        FrameCounter(self.shared.clone())
    }

    /// The number of frames in the file.
    pub fn written(&self) -> u64 {
        self.shared.written.load(Ordering::Relaxed)
    }

    /// Whether the recording has failed: no further frame will be written.
    pub fn has_failed(&self) -> bool {
        self.shared.has_failed.load(Ordering::Relaxed)
    }

    /// Waits until all frames are written, and gives the file its name.
    pub fn finish(mut self) -> Recording {
        if !self.collected.is_empty() {
            self.send_segment();
        }
        // Workers end when their channels are closed, and the writer ends after them.
        self.channels.clear();
        let has_crashed = self.workers.drain(..).map(JoinHandle::join).filter(Result::is_err).count() > 0;
        let recording = self.writer.take().and_then(|writer| writer.join().ok());
        let mut recording = recording.unwrap_or_else(|| Recording {
            path: self.path.clone(),
            frames: self.written(),
            hashes: Vec::new(),
            error: Some(Problems::of_file(shown(&self.path), "the thread that writes it crashed")),
        });
        if has_crashed && recording.error.is_none() {
            recording.error = Some(Problems::of_file(shown(&self.path), "a thread that paints it crashed"));
        }
        recording
    }
}

/// A worker: paints and compresses segments.
struct Worker {
    painter: FramePainter,
    compressor: Box<dyn Compress>,
    hash_frames: bool,
}

impl Worker {
    fn new(spec: &Spec, compressor: Box<dyn Compress>, hash_frames: bool) -> Self {
        // Sides were checked when the format was opened.
        let side = |side: u32| u16::try_from(side).unwrap_or(u16::MAX);
        Self { painter: FramePainter::new(side(spec.width), side(spec.height), spec.style), compressor, hash_frames }
    }

    fn work(mut self, segments: &Receiver<Segment>, done: &SyncSender<anyhow::Result<Compressed>>) {
        for segment in segments {
            if done.send(self.compress(&segment)).is_err() {
                return;
            }
        }
    }

    fn compress(&mut self, Segment { first, before, shots }: &Segment) -> anyhow::Result<Compressed> {
        let Self { painter, compressor, hash_frames } = self;
        let mut painted: Option<&Arc<Shot>> = None;
        let before = before.as_ref().filter(|_| compressor.compares());
        compressor.begin(before.map(|shot| painter.paint(shot)))?;
        let mut compressed = Compressed { packets: Vec::new(), hashes: Vec::new() };
        for (number, shot) in (*first..).zip(shots) {
            let is_painted = painted.replace(shot).is_some_and(|painted| Arc::ptr_eq(painted, shot));
            let frame = if is_painted { painter.painted() } else { painter.paint(shot) };
            compressed.hashes.extend(hash_frames.then(|| xxh3_64(frame.rgba)));
            compressed.packets.push(compressor.frame(number, frame)?);
        }
        Ok(compressed)
    }
}

/// Receives the results of workers in order and writes them. Frames before an error are kept.
fn write(
    path: PathBuf,
    mut format: Box<dyn Format>,
    results: &[Receiver<anyhow::Result<Compressed>>],
    shared: &Shared,
) -> Recording {
    let mut recording = Recording { path, frames: 0, hashes: Vec::new(), error: None };
    // The first channel without a result is the end of the video.
    for compressed in results.iter().cycle().map_while(|channel| channel.recv().ok()) {
        let written = compressed.and_then(|Compressed { packets, hashes }| {
            let frames = packets.len() as u64;
            format.write(packets).map(|()| (frames, hashes))
        });
        match written {
            Ok((frames, hashes)) => {
                recording.frames += frames;
                recording.hashes.extend(hashes);
                shared.written.store(recording.frames, Ordering::Relaxed);
            }
            Err(error) => {
                shared.has_failed.store(true, Ordering::Relaxed);
                recording.error = Some(error.into());
                break;
            }
        }
    }
    recording.error = recording.error.or(format.finish().err().map(Problems::from));
    // After a failure, the file may still have its temporary name, or its folder may be gone.
    let temporary = partial(&recording.path);
    if recording.error.is_some() && exists(&temporary) {
        recording.path = temporary;
    } else if recording.error.is_some() && !exists(&recording.path) {
        (recording.frames, recording.hashes) = (0, Vec::new());
    }
    recording
}

/// Whether a video, or a picture of a sequence, exists at a path.
fn exists(path: &Path) -> bool {
    encoder::existing_file(path).is_some()
}
