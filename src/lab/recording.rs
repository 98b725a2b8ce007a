//! Recording of videos and pictures of the view, with the painter of the recorder.
//!
//! A recording follows real time: play, pauses, changes and movements of the view appear in the video as they were
//! seen. The window only makes a list of shapes; threads paint and encode it. When the threads or the window are too
//! slow, the previous picture is repeated, so that the video lasts as long as the recording did. The message at the
//! end gives the number of repeated frames.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::Context as _;
use bevy::math::DVec2;
use swarmarium_base::files::{claim, partial, write_whole};
use swarmarium_core::draw::{Overlay, View};
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::{GroupColors, Theme};
use swarmarium_video::{Encoder, Rate, Recorder, SIDES_PX, Shot, Spec, Style, encoder, painter, png};

use super::Lab;
use super::notice::Notice;
use super::places::{recordings_folder, stem};
use super::progress::Progress;
use super::save::Export;
use super::settings::{RecordingOptions, VideoFormat};

mod panel;
mod rerecording;

pub use panel::ui;
use rerecording::Rerecording;

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
    running: Option<Recording>,
    /// The run that is recorded again.
    rerecording: Option<Rerecording>,
    works: Vec<Work>,
    /// Whether the window is closing: exports then stop simulating.
    closes: Arc<AtomicBool>,
}

/// A file that a thread writes.
struct Work {
    path: PathBuf,
    thread: JoinHandle<RecordingResult>,
}

impl Work {
    /// Waits for the thread and returns the message about the file.
    fn told(self) -> RecordingResult {
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

    fn stop(&mut self) {
        self.works.extend(self.running.take().map(Recording::stop));
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
        done.map(|work| (work.path.clone(), work.told())).collect()
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
        self.works.push(Work { path, thread: thread::Builder::new().name(name.into()).spawn(work)? });
        Ok(())
    }

    /// Whether a recording is running or a thread still writes a file.
    pub fn is_under_way(&self) -> bool {
        self.running.is_some() || self.rerecording.is_some() || !self.works.is_empty()
    }

    /// Returns the progress of the run that is recorded again.
    pub fn rerecording(&self) -> Option<Progress> {
        self.rerecording.as_ref().map(Rerecording::progress)
    }

    /// Cancels the recording of the run that is recorded again, without a video.
    pub fn cancel_rerecording(&self) {
        self.rerecording.iter().for_each(Rerecording::cancel);
    }

    /// Whether threads still write files.
    #[cfg(test)]
    pub fn works(&self) -> bool {
        !self.works.is_empty() || self.rerecording.is_some()
    }

    /// Ends the recording, waits for all files and returns their messages. Exports that still simulate fail.
    pub fn close(&mut self) -> Vec<RecordingResult> {
        self.closes.store(true, Ordering::Relaxed);
        self.stop();
        self.cancel_rerecording();
        self.works.extend(self.rerecording.take().map(Rerecording::into_work));
        self.works.drain(..).map(Work::told).collect()
    }
}

impl Drop for Recordings {
    fn drop(&mut self) {
        self.close();
    }
}

/// A recording.
struct Recording {
    path: PathBuf,
    spec: Spec,
    options: RecordingOptions,
    /// The time at which the window was last recorded, and the part of the time until then in the video, in seconds.
    seen_s: Option<f64>,
    recorded_s: f64,
    /// The number of frames handed to the thread, and how many of them are repeats.
    handed: u64,
    repeated: u64,
    shots: SyncSender<(Arc<Shot>, u64)>,
    /// The number of frames missing at the end.
    owed: Arc<AtomicU64>,
    thread: JoinHandle<RecordingResult>,
}

impl Recording {
    /// Creates a new file, and starts the thread that waits for pictures.
    fn start(lab: &Lab) -> anyhow::Result<Self> {
        let options = lab.settings.recording.clone();
        let Target { path, spec, recorder } = Target::open(lab, "")?;
        let rate = spec.rate;
        // Room for two seconds, because workers take about a second at once.
        let (shots, waiting) = sync_channel(2 * options.frames_per_s.max(15) as usize);
        let owed = Arc::new(AtomicU64::new(0));
        let missing = owed.clone();
        let work = move || write_frames(recorder, &waiting, &missing, rate);
        let thread = thread::Builder::new().name("recording".into()).spawn(work)?;
        let (seen_s, recorded_s, handed, repeated) = (None, 0.0, 0, 0);
        Ok(Self { path, spec, options, seen_s, recorded_s, handed, repeated, shots, owed, thread })
    }

    /// Returns the number of frames due at a time.
    fn due(&mut self, now_s: f64, stands_still: bool) -> u64 {
        let passed_s = self.seen_s.replace(now_s).map_or(0.0, |seen_s| (now_s - seen_s).max(0.0));
        if !stands_still || self.options.pauses {
            self.recorded_s += passed_s;
        }
        // Round to the nearest frame.
        let frames = (self.recorded_s * self.spec.rate.per_second()).round() as u64 + 1;
        frames.saturating_sub(self.handed)
    }

    /// Returns the view for a frame of the video.
    fn view(&self, view: &View) -> View {
        recording_view(&self.spec, &self.options, view)
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
    fn stop(mut self) -> Work {
        let owed = self.seen_s.map_or(0, |now_s| self.due(now_s, true));
        self.owed.store(owed, Ordering::SeqCst);
        Work { path: self.path, thread: self.thread }
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
    fn open(lab: &Lab, suffix: &str) -> anyhow::Result<Self> {
        let options = &lab.settings.recording;
        let rate = Rate::new(options.frames_per_s, 1).context("the rate is out of range")?;
        let (wanted, is_folder) = (path_for(lab, options, suffix), options.format == VideoFormat::Png);
        let (width, height) = options.size_px;
        let spec = |(width, height): (u32, u32)| {
            let scale = painter::usual_scale(width, height);
            let style = Style { theme: lab.settings.theme, groups: GroupColors::default(), transparent: false, scale };
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

/// Encodes the view as a PNG file, with `scale` pixels per point of the interface.
///
/// # Errors
/// Returns an error if the encoder fails.
pub fn view_png(shot: &Shot, theme: Theme, scale: f64) -> anyhow::Result<Vec<u8>> {
    let [width, height] = (shot.camera.screen_px * scale).to_array().map(|side| side.round() as u32);
    let size_px = [width, height].map(|side| side.clamp(*SIDES_PX.start(), *SIDES_PX.end()) as u16);
    png::of_picture(&shot.picture, &shot.camera, size_px, Style { theme, scale, ..Style::default() })
}

/// Returns the view for a frame of a video.
fn recording_view(spec: &Spec, options: &RecordingOptions, view: &View) -> View {
    let Spec { width, height, style, .. } = *spec;
    let screen_px = DVec2::new(f64::from(width), f64::from(height)) / style.scale;
    let zoom = (screen_px / view.camera.screen_px).min_element();
    let camera = Camera { screen_px, pixels_per_m: view.camera.pixels_per_m * zoom, ..view.camera };
    let RecordingOptions { title, clock, seed, values, .. } = *options;
    let mut overlays = view.overlays;
    let words = [(Overlay::Title, title), (Overlay::Clock, clock), (Overlay::Seed, seed), (Overlay::Values, values)];
    words.into_iter().for_each(|(overlay, is_shown)| overlays.set(overlay, is_shown));
    View { camera, overlays, ..*view }
}

/// Returns a path to record to that does not exist yet.
fn path_for(lab: &Lab, options: &RecordingOptions, suffix: &str) -> PathBuf {
    let stem = format!("{}-{}{suffix}", stem(lab), lab.host.start().seed);
    recordings_folder(lab).join(options.format.file_name(&stem))
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
    rate: Rate,
) -> RecordingResult {
    let (mut last, mut repeated) = (None, 0);
    let mut add = |shot: &Arc<Shot>, frames: u64| {
        for _ in 0..frames {
            if recorder.has_failed() {
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
    recorded.outcome().map_err(RecordingError::Failed)?;
    Ok(match repeated {
        0 => format!("Saved {told}"),
        frames => format!("Saved {told}; {frames} of the frames are duplicates because the machine was too slow"),
    })
}

impl Lab {
    /// Starts a recording, or ends the running one.
    pub(crate) fn record(&mut self) {
        if self.recordings.running.is_some() {
            // The message follows when the file is complete.
            return self.recordings.stop();
        }
        match Recording::start(self) {
            Ok(recording) => {
                let text = format!("Recording {}", recording.path.display());
                let text = self.keymap.after(&text, "Start or stop recording", " ends it");
                self.notices.add(Notice::good(&text).of_progress(&recording.path));
                self.recordings.running = Some(recording);
            }
            Err(error) => self.tell_error(error),
        }
    }

    /// Records the run so far again by simulating it, or cancels that.
    pub(crate) fn rerecord(&mut self) {
        if self.recordings.rerecording.is_some() {
            return self.recordings.cancel_rerecording();
        }
        self.record_part((0, self.host.simulation().steps()), "-smooth");
    }

    /// Records the present branch between the ends of two steps by simulating it again.
    pub(crate) fn record_part(&mut self, (from, to): (u64, u64), suffix: &str) {
        if self.recordings.rerecording.is_some() {
            return self.tell_error("This run is already being recorded: cancel the recording, or wait for its end");
        }
        if from >= to {
            return self.tell_error("There is nothing to record: this part of the run has no step");
        }
        match Rerecording::start(self, (from, to), suffix) {
            Ok(rerecording) => {
                self.say("Recording the run again; the window stays usable");
                self.recordings.rerecording = Some(rerecording);
            }
            Err(error) => self.tell_error(error),
        }
    }

    /// Records the view when a frame is due in real time, and reports finished files.
    pub(crate) fn record_frames(&mut self, now_s: f64) {
        let stands_still = self.host.clock().paused;
        if let Some(recording) = &mut self.recordings.running {
            let due = recording.due(now_s, stands_still);
            if due > 0 {
                let view = recording.view(&self.viewport.painted);
                let picture = self.host.simulation().now().remembering(&self.viewport.past).picture(&view);
                recording.hand(Shot { picture, camera: view.camera }, due);
            }
        }
        for (path, told) in self.recordings.done() {
            match told {
                // A cancelled recording leaves no file.
                Ok(text) if path.exists() => {
                    self.notices.drop_progress(&path);
                    self.say_saved(&text, &path);
                }
                Ok(text) => self.say(&text),
                Err(error) => self.tell_error(error),
            }
        }
    }

    /// Returns the view as a picture for another thread.
    pub(crate) fn view_shot(&self) -> Shot {
        Shot { picture: self.picture(&self.viewport.view), camera: self.viewport.view.camera }
    }

    /// Saves a picture of the view with so many pixels per point of the interface.
    pub(crate) fn take_picture(&mut self, pixels_per_point: f32) {
        let shot = self.view_shot();
        let started = self.claim_picture().and_then(|path| {
            let file = path.clone();
            let (scale, theme) = (f64::from(pixels_per_point), self.settings.theme);
            let work = move || {
                write_whole(&path, view_png(&shot, theme, scale)?)?;
                Ok(format!("Saved {}", path.display()))
            };
            Ok(self.recordings.work("picture", file, work)?)
        });
        self.tell(started.map_err(|error| format!("{error:#}")));
    }

    /// Saves a picture of the whole window.
    pub(crate) fn take_screenshot(&mut self) {
        match self.claim_picture() {
            Ok(path) => self.take_shot(path),
            Err(error) => self.tell_error(error),
        }
    }

    /// Returns a path for a picture that does not exist yet.
    fn claim_picture(&self) -> anyhow::Result<PathBuf> {
        let name = format!("{}-{}.png", stem(self), self.host.simulation().steps());
        claim(&recordings_folder(self).join(name), false)
    }
}

#[cfg(test)]
mod tests;
