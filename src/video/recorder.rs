//! The recorder: pictures in, in order; a file out. Workers paint and compress in between.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::{Context as _, anyhow};
use swarmarium_base::files::{partial, shown};
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use xxhash_rust::xxh3::xxh3_64;

use super::encoder;
use super::format::{Compress, Format, Spec};
use super::painter::Painter;
use super::rate::Rate;

/// A picture as a camera sees it: what becomes a frame.
#[derive(Clone, Debug)]
pub struct Shot {
    /// What there is to see.
    pub picture: Picture,
    /// Where it is seen from.
    pub camera: Camera,
}

/// What came of a recording.
#[derive(Debug)]
pub struct Recorded {
    /// The file, or the folder of files; a file that could not be renamed still has its name [`partial`].
    pub path: PathBuf,
    /// The frames that are in it; 0 when there is no file.
    pub frames: u64,
    /// The hash of the pixels of each frame, if it was asked for.
    pub hashes: Vec<u64>,
    /// Why it is shorter than it should be, or not where it should be.
    pub error: Option<anyhow::Error>,
}

impl Recorded {
    /// What there is, in words: the name, the frames, how long they last and how large the file is.
    pub fn told(&self, rate: Rate) -> String {
        let (name, frames) = (shown(&self.path), self.frames);
        if frames == 0 {
            return format!("{name}: there is no video");
        }
        let bytes = self.path.metadata().ok().filter(|file| file.is_file()).map(|file| file.len() as f64 / 1e6);
        let size = bytes.map(|megabytes| format!(", {megabytes:.2} MB")).unwrap_or_default();
        format!("{name}: {frames} frames ({:.3} s){size}", rate.time_s(frames))
    }

    /// Whether it is as long as it should be, and where it should be.
    ///
    /// # Errors
    /// When it is not: why, and what there is.
    pub fn outcome(self) -> anyhow::Result<()> {
        let kept = match self.frames {
            0 => "there is no video".to_owned(),
            frames => format!("{}: there is a video of {frames} frames", shown(&self.path)),
        };
        self.error.map_or(Ok(()), |error| Err(error.context(kept)))
    }
}

/// Consecutive frames that one worker paints and compresses.
struct Stretch {
    first: u64,
    before: Option<Arc<Shot>>,
    shots: Vec<Arc<Shot>>,
}

/// What a worker made of a stretch.
struct Compressed {
    packets: Vec<Vec<u8>>,
    hashes: Vec<u64>,
}

/// What the threads tell each other.
#[derive(Default)]
struct Shared {
    written: AtomicU64,
    has_failed: AtomicBool,
}

/// Records a video.
///
/// Each worker has a lane; stretches are dealt to the lanes in turn and collected from them in turn. So frames stay in
/// order without a buffer for those that come too early, and whoever brings pictures waits when all lanes are busy:
/// memory does not grow with the length of the video.
pub struct Recorder {
    path: PathBuf,
    lanes: Vec<SyncSender<Stretch>>,
    next_lane: usize,
    /// Frames of a stretch.
    length: usize,
    collected: Vec<Arc<Shot>>,
    before: Option<Arc<Shot>>,
    dealt: u64,
    workers: Vec<JoinHandle<()>>,
    writer: Option<JoinHandle<Recorded>>,
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
    ) -> anyhow::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (mut lanes, mut results, mut handles) = (Vec::new(), Vec::new(), Vec::new());
        let length = format.stretch();
        for _ in 0..workers.max(1) {
            // Nothing waits in a lane: a stretch is handed from hand to hand.
            let (lane, stretches) = sync_channel::<Stretch>(0);
            let (done, result) = sync_channel(0);
            let (compressor, spec) = (format.compressor(), *spec);
            let work = move || Worker::new(&spec, compressor, hash_frames).work(&stretches, &done);
            handles.push(thread::Builder::new().name("video worker".into()).spawn(work).context("no worker")?);
            lanes.push(lane);
            results.push(result);
        }
        let (to, told) = (path.to_path_buf(), shared.clone());
        let write = move || write(to, format, &results, &told);
        let writer = thread::Builder::new().name("video writer".into()).spawn(write).context("no writer")?;
        Ok(Self {
            path: path.into(),
            lanes,
            next_lane: 0,
            length,
            collected: Vec::new(),
            before: None,
            dealt: 0,
            workers: handles,
            writer: Some(writer),
            shared,
        })
    }

    /// Adds a frame; waits while all workers are busy. After a failure nothing is added any more.
    ///
    /// The same shot many times in a row is painted once.
    pub fn add(&mut self, shot: impl Into<Arc<Shot>>) {
        self.collected.push(shot.into());
        if self.collected.len() == self.length {
            self.deal();
        }
    }

    fn deal(&mut self) {
        let shots = std::mem::take(&mut self.collected);
        let frames = shots.len() as u64;
        let last = shots.last().cloned();
        let stretch = Stretch { first: self.dealt, before: self.before.take(), shots };
        (self.before, self.dealt) = (last, self.dealt + frames);
        // A lane without a worker means that writing failed or the worker crashed; `finish` says why.
        if self.lanes[self.next_lane].send(stretch).is_err() {
            self.shared.has_failed.store(true, Ordering::Relaxed);
        }
        self.next_lane = (self.next_lane + 1) % self.lanes.len();
    }

    /// The frames that are in the file.
    pub fn written(&self) -> u64 {
        self.shared.written.load(Ordering::Relaxed)
    }

    /// Whether recording has come to an end before its time: no further frame will be written.
    pub fn has_failed(&self) -> bool {
        self.shared.has_failed.load(Ordering::Relaxed)
    }

    /// Waits until all frames are written, and gives the file its name.
    pub fn finish(mut self) -> Recorded {
        if !self.collected.is_empty() {
            self.deal();
        }
        // Workers end when nothing more can come, and the writer when they have.
        self.lanes.clear();
        let has_crashed = self.workers.drain(..).map(JoinHandle::join).filter(Result::is_err).count() > 0;
        let recorded = self.writer.take().and_then(|writer| writer.join().ok());
        let mut recorded = recorded.unwrap_or_else(|| Recorded {
            path: self.path.clone(),
            frames: self.written(),
            hashes: Vec::new(),
            error: Some(anyhow!("{}: the thread that writes it crashed", shown(&self.path))),
        });
        if has_crashed && recorded.error.is_none() {
            recorded.error = Some(anyhow!("{}: a thread that paints it crashed", shown(&self.path)));
        }
        recorded
    }
}

/// Paints and compresses stretches.
struct Worker {
    painter: Painter,
    compressor: Box<dyn Compress>,
    hash_frames: bool,
}

impl Worker {
    fn new(spec: &Spec, compressor: Box<dyn Compress>, hash_frames: bool) -> Self {
        // Sides were checked when the format was opened.
        let side = |side: u32| u16::try_from(side).unwrap_or(u16::MAX);
        Self { painter: Painter::new(side(spec.width), side(spec.height), spec.style), compressor, hash_frames }
    }

    fn work(mut self, stretches: &Receiver<Stretch>, done: &SyncSender<anyhow::Result<Compressed>>) {
        for stretch in stretches {
            if done.send(self.compress(&stretch)).is_err() {
                return;
            }
        }
    }

    fn compress(&mut self, Stretch { first, before, shots }: &Stretch) -> anyhow::Result<Compressed> {
        let Self { painter, compressor, hash_frames } = self;
        let mut painted: Option<&Arc<Shot>> = None;
        let before = before.as_ref().filter(|_| compressor.compares());
        compressor.begin(before.map(|shot| painter.paint(&shot.picture, &shot.camera)))?;
        let mut compressed = Compressed { packets: Vec::new(), hashes: Vec::new() };
        for (number, shot) in (*first..).zip(shots) {
            let is_painted = painted.replace(shot).is_some_and(|painted| Arc::ptr_eq(painted, shot));
            let frame = if is_painted { painter.painted() } else { painter.paint(&shot.picture, &shot.camera) };
            compressed.hashes.extend(hash_frames.then(|| xxh3_64(frame.rgba)));
            compressed.packets.push(compressor.frame(number, frame)?);
        }
        Ok(compressed)
    }
}

/// Collects what workers made, in order, and writes it; what was written before an error is kept.
fn write(
    path: PathBuf,
    mut format: Box<dyn Format>,
    results: &[Receiver<anyhow::Result<Compressed>>],
    shared: &Shared,
) -> Recorded {
    let mut recorded = Recorded { path, frames: 0, hashes: Vec::new(), error: None };
    // The first lane without a result is where the video ends.
    for compressed in results.iter().cycle().map_while(|lane| lane.recv().ok()) {
        let written = compressed.and_then(|Compressed { packets, hashes }| {
            let frames = packets.len() as u64;
            format.write(packets).map(|()| (frames, hashes))
        });
        match written {
            Ok((frames, hashes)) => {
                recorded.frames += frames;
                recorded.hashes.extend(hashes);
                shared.written.store(recorded.frames, Ordering::Relaxed);
            }
            Err(error) => {
                shared.has_failed.store(true, Ordering::Relaxed);
                recorded.error = Some(error);
                break;
            }
        }
    }
    recorded.error = recorded.error.or(format.finish().err());
    // After a failure the file may still have the name that it had while it was written, or its folder may be gone.
    let beside = partial(&recorded.path);
    if recorded.error.is_some() && is_there(&beside) {
        recorded.path = beside;
    } else if recorded.error.is_some() && !is_there(&recorded.path) {
        (recorded.frames, recorded.hashes) = (0, Vec::new());
    }
    recorded
}

/// Whether there is a video of this name, or a picture of one that is a sequence.
fn is_there(path: &Path) -> bool {
    encoder::in_the_way(path).is_some()
}
