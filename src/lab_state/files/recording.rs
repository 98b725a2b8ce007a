//! Recording of videos and pictures of the view, with the painter of the recorder.
//!
//! A recording follows real time: play, pauses, changes and movements of the view appear in the video as they were
//! seen, and so do a compared world beside the run and the plots, which lie below. The window only makes a list of
//! shapes; threads paint and encode it. When the threads or the window are too slow, the previous picture is repeated,
//! so that the video lasts as long as the recording did. The message at the end gives the number of repeated frames.

pub mod captions;
pub mod rerecording;
pub mod worlds;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::Context as _;
use bevy::math::DVec2;
use swarmarium_base::files::{claim, partial};
use swarmarium_draw::View;
use swarmarium_host::clock::Host;
use swarmarium_picture::palette::{GroupColors, Theme};
use swarmarium_video::{
    Encoder, FrameCounter, FramePainter, Pane, Rate, Recorder, SIDES_PX, Shot, Spec, Style, encoder, painter, png,
};

use crate::action::{RecordingAction, VideoPart};
use crate::common::places::Places;
use crate::common::progress::Progress;
use crate::common::settings::{RecordingOptions, Settings, VideoFormat};
use crate::compare::Comparison;
use crate::files::recording::captions::Captions;
use crate::files::recording::rerecording::{JobKind, Rerecording};
use crate::files::recording::worlds::{Place, band_pane, frame_px};
use crate::files::save::Export;
use crate::notice::{Notice, Notices, saved};
use crate::plots::axis::Bounds;
use crate::plots::band::{Band, Filmed};
use crate::plots::drawn::Sources;
use crate::plots::span::Span;
use crate::plots::{PlotState, bounds};
use crate::run::{RunState, output_folder, stem};
use crate::timeline::TimelineState;
use crate::view::ViewState;

/// The message about a finished file.
pub type RecordingResult = Result<String, RecordingError>;

/// The reason why a recording or another file is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be created or written.
    #[error("{0:#}")]
    Failed(anyhow::Error),
    /// The thread that writes the file crashed.
    #[error("The thread that writes a recording crashed")]
    Crashed,
}

/// The running recording, and the files that threads still write.
///
/// Dropping it waits for the threads, so no recording is left incomplete.
#[derive(Default)]
pub struct Recordings {
    /// The running recording.
    pub running: Option<Recording>,
    /// The run that is simulated again for a video or a page.
    pub rerecording: Option<Rerecording>,
    /// The last recording of the window that has ended.
    pub last: Option<LastRecording>,
    /// The chosen part of the run that is rendered again; `None` for the first one that exists.
    pub part: Option<VideoPart>,
    works: Vec<Work>,
    /// Whether the window is closing: exports then stop simulating.
    closes: Arc<AtomicBool>,
}

/// A recording of the window that has ended.
#[derive(Clone, Debug)]
pub struct LastRecording {
    path: PathBuf,
    /// The number of the run, and the first and the last step in the video.
    pub shown: (u64, (u64, u64)),
    /// The number of repeated frames.
    repeated: u64,
}

/// A file that a thread writes.
pub struct Work {
    /// The file.
    pub path: PathBuf,
    /// The thread.
    pub thread: JoinHandle<RecordingResult>,
    /// The encoding of a video that was recorded in the window.
    pub encoding: Option<Encoding>,
}

impl Work {
    /// Waits for the thread and returns the message about the file.
    fn result(self) -> RecordingResult {
        self.thread.join().unwrap_or(Err(RecordingError::Crashed))
    }
}

impl Recordings {
    /// Returns the length of the running recording in seconds.
    pub fn running_s(&self) -> Option<f64> {
        self.running.as_ref().map(|recording| recording.spec.rate.time_s(recording.handed))
    }

    /// Returns the file of the running recording and the number of repeated frames.
    pub fn running(&self) -> Option<(&Path, u64)> {
        self.running.as_ref().map(|recording| (recording.path.as_path(), recording.repeated))
    }

    /// Ends the running recording.
    pub fn stop(&mut self) {
        let Some(running) = self.running.take() else { return };
        let (path, shown, repeated) = (running.path.clone(), running.shown, running.repeated);
        self.last = shown.map(|shown| LastRecording { path, shown, repeated });
        self.works.push(running.stop());
    }

    /// Returns the finished files with their messages.
    fn done(&mut self) -> Vec<(PathBuf, RecordingResult)> {
        // A recording that ends by itself has failed.
        if self.running.as_ref().is_some_and(|recording| recording.thread.is_finished()) {
            self.stop();
        }
        if let Some(rerecording) = self.rerecording.take_if(|rerecording| rerecording.is_finished()) {
            self.works.push(rerecording.into_work());
        }
        let done = self.works.extract_if(.., |work| work.thread.is_finished());
        done.map(|work| (work.path.clone(), work.result())).collect()
    }

    /// Saves an export in a thread.
    ///
    /// # Errors
    /// Returns an error if the system cannot create a thread.
    pub fn export(&mut self, export: Export, path: PathBuf) -> std::io::Result<()> {
        let closes = self.closes.clone();
        self.work("export", path.clone(), move || {
            export.save(&path, || !closes.load(Ordering::Relaxed))?;
            Ok(format!("Saved {}", path.display()))
        })
    }

    /// Writes a file in a thread, which returns the message for the user.
    ///
    /// # Errors
    /// Returns an error if the system cannot create a thread.
    pub fn work(
        &mut self,
        name: &str,
        path: PathBuf,
        work: impl FnOnce() -> anyhow::Result<String> + Send + 'static,
    ) -> std::io::Result<()> {
        let work = move || work().map_err(RecordingError::Failed);
        let thread = thread::Builder::new().name(name.into()).spawn(work)?;
        self.works.push(Work { path, thread, encoding: None });
        Ok(())
    }

    /// Whether a recording is running or a thread still writes a file.
    pub fn is_under_way(&self) -> bool {
        self.running.is_some() || self.rerecording.is_some() || !self.works.is_empty()
    }

    /// Returns the progress of the video that is written, and its unit: of the run that is recorded again, or of the
    /// encoding of a recording that has ended.
    pub fn progress(&self) -> Option<(Progress, &'static str)> {
        let encoding = self.works.iter().find_map(|work| work.encoding.as_ref());
        match &self.rerecording {
            Some(rerecording) => Some((rerecording.progress(), "steps")),
            None => encoding.map(|encoding| (encoding.progress(), "frames")),
        }
    }

    /// Returns the progress of the video of a run that is recorded again.
    pub fn rerecording(&self) -> Option<Progress> {
        let rerecording = self.rerecording.as_ref().filter(|rerecording| rerecording.kind() == JobKind::Video);
        rerecording.map(Rerecording::progress)
    }

    /// Cancels the video or the page of the run that is simulated again; there is then no file.
    pub fn cancel_rerecording(&self) {
        self.rerecording.iter().for_each(Rerecording::cancel);
    }

    /// Cancels the video of [`progress`](Self::progress); there is then no file.
    pub fn cancel(&self) {
        match &self.rerecording {
            Some(rerecording) => rerecording.cancel(),
            None => {
                let encodings = self.works.iter().find_map(|work| work.encoding.as_ref());
                encodings.into_iter().for_each(|encoding| encoding.is_cancelled.store(true, Ordering::Relaxed));
            }
        }
    }

    /// Whether threads still write files.
    pub fn works(&self) -> bool {
        !self.works.is_empty() || self.rerecording.is_some()
    }

    /// Ends the recording, waits for all files and returns their messages. Exports that still simulate fail.
    pub fn close(&mut self) -> Vec<RecordingResult> {
        self.closes.store(true, Ordering::Relaxed);
        self.stop();
        self.cancel_rerecording();
        self.works.extend(self.rerecording.take().map(Rerecording::into_work));
        self.works.drain(..).map(Work::result).collect()
    }
}

impl Drop for Recordings {
    fn drop(&mut self) {
        self.close();
    }
}

/// A recording.
pub struct Recording {
    /// The file.
    pub path: PathBuf,
    /// The size, the rate and the format.
    pub spec: Spec,
    options: RecordingOptions,
    /// The time at which the window was last recorded, and the part of the time until then in the video, in seconds.
    seen_s: Option<f64>,
    recorded_s: f64,
    /// The number of frames handed to the thread, and how many of them are repeats.
    handed: u64,
    repeated: u64,
    /// The number of the run, and the first and the last step in the video; `None` before the first frame.
    shown: Option<(u64, (u64, u64))>,
    /// The captions of A and of B.
    captions: [Option<Captions>; 2],
    /// The bounds of the metrics of a run in the plots.
    bounds: Option<(u64, BTreeMap<String, Bounds>)>,
    shots: SyncSender<(Arc<Shot>, u64)>,
    /// The number of frames missing at the end.
    owed: Arc<AtomicU64>,
    encoding: Encoding,
    thread: JoinHandle<RecordingResult>,
}

/// The parts of the window that a recording needs.
#[derive(Clone, Copy)]
pub struct RecordingSource<'a> {
    /// The run.
    pub run: &'a RunState,
    /// The view.
    pub view: &'a ViewState,
    /// The compared world.
    pub compare: &'a Comparison,
    /// The plots.
    pub plots: &'a PlotState,
    /// The timeline.
    pub timeline: &'a TimelineState,
    /// The settings.
    pub settings: &'a Settings,
    /// The folders of the user.
    pub places: &'a Places,
}

impl Recording {
    /// Creates a new file, and starts the thread that waits for pictures.
    pub fn start(source: RecordingSource) -> anyhow::Result<Self> {
        let options = source.settings.recording.clone();
        let Target { path, spec, recorder } = Target::open(source, "")?;
        let rate = spec.rate;
        // Room for two seconds, because workers take about a second at once.
        let (shots, waiting) = sync_channel(2 * options.frames_per_s.max(15) as usize);
        let owed = Arc::new(AtomicU64::new(0));
        let missing = owed.clone();
        let encoding = Encoding { counter: Some(recorder.counter()), ..Encoding::default() };
        let is_folder = options.format == VideoFormat::Png;
        let (is_cancelled, file) = (encoding.is_cancelled.clone(), path.clone());
        let work = move || {
            let written = write_frames(recorder, &waiting, &missing, &is_cancelled, rate);
            match is_cancelled.load(Ordering::Relaxed) {
                true => {
                    remove(&file, is_folder);
                    Ok(format!("Cancelled the video {}", file.display()))
                }
                false => written,
            }
        };
        let thread = thread::Builder::new().name("recording".into()).spawn(work)?;
        let (seen_s, recorded_s, handed, repeated) = (None, 0.0, 0, 0);
        let (captions, bounds) = ([None, None], None);
        Ok(Self {
            path,
            spec,
            options,
            seen_s,
            recorded_s,
            handed,
            repeated,
            shown: None,
            captions,
            bounds,
            shots,
            owed,
            encoding,
            thread,
        })
    }

    /// Returns the number of frames due at a time.
    fn due(&mut self, now_s: f64, stands_still: bool) -> u64 {
        let passed_s = self.seen_s.replace(now_s).map_or(0.0, |seen_s| (now_s - seen_s).max(0.0));
        if !stands_still || self.options.pauses {
            self.recorded_s += passed_s;
        }
        self.frames().min(self.most_frames()).saturating_sub(self.handed)
    }

    /// Returns the number of frames for the recorded time, rounded to the nearest frame.
    fn frames(&self) -> u64 {
        (self.recorded_s * self.spec.rate.per_second()).round() as u64 + 1
    }

    /// Returns the number of frames of the wanted length. After a long pause of the window, more are due at once.
    fn most_frames(&self) -> u64 {
        let frames = |length_s: f64| (length_s * self.spec.rate.per_second()).round().max(1.0) as u64;
        self.options.length_s.map_or(u64::MAX, frames)
    }

    /// Returns the frame that shows what is seen now: the run, a compared world beside it, and the plots below.
    fn frame(&mut self, seen: &Seen) -> Shot {
        let Seen { run, view, compare, plots } = seen;
        let band = plots.band(&self.options, frame_px(&self.spec));
        let (simulation, other) = (run.host.simulation(), compare.other.as_deref());
        let heads = other.map(|other| other.heads(run));
        let mut places = Place::of(&self.spec, if other.is_some() { 2 } else { 1 }, band.as_ref());
        let [captions_a, captions_b] = &self.captions;
        let mut panes = Vec::new();
        if let Some(place) = places.next() {
            let shown = place.view(&self.options, &view.painted);
            let picture = simulation.now().remembering(&view.past).picture(&shown);
            let head = heads.as_ref().map(|[head, _]| head);
            panes.push(place.pane(picture, &shown, simulation, head, captions_a.as_ref()));
        }
        if let (Some(place), Some(other)) = (places.next(), other) {
            let shown = place.view(&self.options, &View { camera: other.camera, ..view.painted });
            let head = heads.as_ref().map(|[_, head]| head);
            panes.push(place.pane(other.picture_in(&shown), &shown, other.simulation(), head, captions_b.as_ref()));
        }
        if let Some(band) = band {
            panes.push(self.plots_pane(seen, &band));
        }
        Shot { panes }
    }

    /// Returns the pane of the plots up to now.
    fn plots_pane(&mut self, seen: &Seen, band: &Band) -> Pane {
        let (history, simulation) = (&seen.plots.history, seen.run.host.simulation());
        let known = self.bounds.take_if(|(run, _)| *run == history.run());
        let (_, bounds) = self.bounds.insert(known.unwrap_or_else(|| (history.run(), bounds::of_metrics(simulation))));
        let arrangement = &seen.plots.arrangement;
        let time = simulation.time();
        let end_s = time.now_s().max(seen.run.host.live_end() as f64 * time.dt_s);
        let filmed = Filmed {
            arrangement,
            sources: Sources {
                layout: &arrangement.layout,
                history,
                of_b: seen.compare.other.as_deref().map(|other| &other.history),
                bounds,
                now: (time.now_s(), &[]),
            },
            simulation,
            now_s: time.now_s(),
            whole_s: Span::Whole.range_s(end_s),
        };
        band_pane(&self.spec, band, &filmed)
    }

    /// Records the shown step; another branch begins anew.
    fn observe_step(&mut self, host: &Host) {
        let (run, step) = (host.run_number(), host.simulation().steps());
        let before = self.shown.filter(|(known, _)| *known == run).map_or((step, step), |(_, steps)| steps);
        self.shown = Some((run, (before.0.min(step), before.1.max(step))));
    }

    /// Whether the video is as long as wanted.
    fn is_complete(&self) -> bool {
        self.frames() >= self.most_frames()
    }

    /// Reads the changes of both worlds for their captions.
    fn observe_changes(&mut self, seen: &Seen) {
        if !self.options.captions {
            return;
        }
        let other = seen.compare.other.as_ref().map(|other| other.simulation());
        for (captions, simulation) in self.captions.iter_mut().zip([Some(seen.run.host.simulation()), other]) {
            match simulation {
                Some(simulation) => {
                    let captions = captions.get_or_insert_with(|| Captions::new(simulation));
                    captions.observe(simulation, self.recorded_s);
                }
                None => *captions = None,
            }
        }
    }

    /// Hands a picture to the thread for some frames; if the queue is full, they are due later.
    fn hand(&mut self, shot: Shot, frames: u64) {
        match self.shots.try_send((Arc::new(shot), frames)) {
            Ok(()) => {
                self.handed += frames;
                self.repeated += frames - 1;
            }
            // After a failure the thread has ended and takes no frames.
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }

    /// Ends the recording; the thread finishes the file.
    pub fn stop(mut self) -> Work {
        let owed = self.seen_s.map_or(0, |now_s| self.due(now_s, true));
        self.owed.store(owed, Ordering::SeqCst);
        self.encoding.frames.store(self.handed + owed, Ordering::Relaxed);
        Work { path: self.path, thread: self.thread, encoding: Some(self.encoding) }
    }
}

/// The encoding of a video after its recording.
#[derive(Clone, Default)]
pub struct Encoding {
    /// The number of frames of the whole video.
    frames: Arc<AtomicU64>,
    counter: Option<FrameCounter>,
    is_cancelled: Arc<AtomicBool>,
}

impl Encoding {
    fn progress(&self) -> Progress {
        let steps = self.frames.load(Ordering::Relaxed);
        let written = self.counter.as_ref().map_or(0, FrameCounter::written);
        let is_cancelled = self.is_cancelled.load(Ordering::Relaxed);
        let label = if is_cancelled { "Cancelling the video" } else { "Encoding the video" };
        Progress { done: written.min(steps), steps, label: label.into() }
    }
}

/// The file of a video.
struct Target {
    path: PathBuf,
    spec: Spec,
    recorder: Recorder,
}

impl Target {
    /// Creates a new file whose name ends in a suffix.
    fn open(source: RecordingSource, suffix: &str) -> anyhow::Result<Self> {
        let options = &source.settings.recording;
        let rate = Rate::new(options.frames_per_s, 1).context("the rate is out of range")?;
        let folder = output_folder(source.run, source.settings, source.places);
        source.places.make_output(&folder)?;
        let wanted = folder.join(file_name(source, suffix));
        let is_folder = options.format == VideoFormat::Png;
        let (width, height) = options.size_px;
        let spec = |(width, height): (u32, u32)| {
            let scale = painter::usual_scale(width, height);
            let style =
                Style { theme: source.settings.theme, groups: GroupColors::default(), transparent: false, scale };
            Spec { width, height, rate, style, frames: None }
        };
        let fitted = encoder::fitted(&wanted, Encoder::Own, spec((width, height)));
        let spec = spec((fitted.width, fitted.height));
        let path = claim(&wanted, is_folder)?;
        let recorder = encoder::create(&path, Encoder::Own, &spec)
            .and_then(|format| Recorder::start(&path, format, &spec, workers(), false));
        let recorder = recorder.inspect_err(|_| give_up(&path, is_folder))?;
        Ok(Self { path, spec, recorder })
    }
}

/// Encodes a frame of this size in points as a PNG file, with `scale` pixels per point of the interface.
///
/// # Errors
/// Returns an error if the encoder fails.
pub fn view_png(shot: &Shot, size_px: DVec2, theme: Theme, scale: f64) -> anyhow::Result<Vec<u8>> {
    let [width, height] = (size_px * scale).to_array().map(|side| side.round() as u32);
    let [width, height] = [width, height].map(|side| side.clamp(*SIDES_PX.start(), *SIDES_PX.end()) as u16);
    let mut painter = FramePainter::new(width, height, Style { theme, scale, ..Style::default() });
    let frame = painter.paint(shot);
    png::encode(frame.width, frame.height, frame.rgba, false)
}

/// Returns the name of a video.
fn file_name(source: RecordingSource, suffix: &str) -> String {
    let stem = format!("{}-{}{suffix}", stem(source.run), source.run.host.start().seed);
    source.settings.recording.format.file_name(&stem)
}

/// Returns the number of threads for painting and encoding; the others are for steps and the window.
fn workers() -> usize {
    thread::available_parallelism().map_or(1, |all| (all.get() / 2).clamp(1, 4))
}

/// Removes the placeholder of a file that will not be written.
fn give_up(path: &Path, is_folder: bool) {
    // A failure here does no harm.
    let _ = if is_folder { fs::remove_dir(path) } else { fs::remove_file(partial(path)) };
}

/// Passes pictures to the recorder, each for some frames, until the queue ends.
fn write_frames(
    mut recorder: Recorder,
    shots: &Receiver<(Arc<Shot>, u64)>,
    owed: &AtomicU64,
    is_cancelled: &AtomicBool,
    rate: Rate,
) -> RecordingResult {
    let (mut last, mut repeated) = (None, 0);
    let mut add = |shot: &Arc<Shot>, frames: u64| {
        for _ in 0..frames {
            if recorder.has_failed() || is_cancelled.load(Ordering::Relaxed) {
                return false;
            }
            recorder.add(shot.clone());
        }
        true
    };
    for (shot, frames) in shots {
        repeated += frames - 1;
        if !add(&shot, frames) {
            break;
        }
        last = Some(shot);
    }
    if let Some(last) = last {
        let owed = owed.load(Ordering::SeqCst);
        repeated += owed;
        add(&last, owed);
    }
    let recorded = recorder.finish();
    let told = recorded.summary(rate);
    recorded.outcome().map_err(|problems| RecordingError::Failed(problems.into()))?;
    Ok(match repeated {
        0 => format!("Saved {told}"),
        frames => format!("Saved {told}; {frames} of the frames are duplicates because the machine was too slow"),
    })
}

/// Adds a button that renders the last recording again.
fn rerendered(notice: Notice) -> Notice {
    let again = RecordingAction::Rerecord(Some(VideoPart::LastRecording));
    let hint = "Simulates the recorded part of the run again for a video with every frame";
    notice.with_button("Re-render smoothly", hint, again.into())
}

/// The visible parts of the window, apart from its panels.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The run.
    pub run: &'a RunState,
    /// The view.
    pub view: &'a ViewState,
    /// The compared world.
    pub compare: &'a Comparison,
    /// The plots.
    pub plots: &'a PlotState,
}

impl PlotState {
    /// Returns the band of the plots in a frame of a size in logical pixels; `None` if the options leave it out, without
    /// plots, and if the frame is too small.
    pub fn band(&self, options: &RecordingOptions, frame_px: DVec2) -> Option<Band> {
        if options.plots { Band::of(frame_px, self.count()) } else { None }
    }
}

impl Recordings {
    /// Records the view when a frame is due in real time, and reports finished files.
    pub fn record_frames(&mut self, seen: Seen, notices: &mut Notices, now_s: f64) {
        let stands_still = seen.run.host.clock().paused;
        if let Some(recording) = &mut self.running {
            let due = recording.due(now_s, stands_still);
            recording.observe_changes(&seen);
            if due > 0 {
                let shot = recording.frame(&seen);
                recording.hand(shot, due);
                recording.observe_step(&seen.run.host);
            }
            if recording.is_complete() {
                notices.drop_progress(&recording.path);
                self.stop();
            }
        }
        for (path, told) in self.done() {
            notices.drop_progress(&path);
            match told {
                // A cancelled recording leaves no file.
                Ok(text) if path.exists() => {
                    let has_repeats = self.last.as_ref().is_some_and(|last| last.path == path && last.repeated > 0);
                    notices.add(if has_repeats { rerendered(saved(&text, &path)) } else { saved(&text, &path) });
                }
                Ok(text) => notices.say(&text),
                Err(error) => notices.tell_error(error),
            }
        }
    }
}

/// Removes an incomplete video.
fn remove(path: &Path, is_folder: bool) {
    // The name of a remaining file says that it is partial; nothing more can be done here.
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}
