//! Recording without dropped frames: a part of the branch is simulated again, at its own pace, for a video or a page.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use anyhow::Context as _;
use bevy::math::DVec2;
use swarmarium_base::math::{angle_of, direction};
use swarmarium_core::step::Workers;
use swarmarium_draw::{Moment, Past, View};
use swarmarium_host::clock::host::{Twin, TwinPlan};
use swarmarium_host::timeline;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_video::{Rate, Recorder, Shot};

use crate::common::footprints::Footprints;
use crate::common::progress::Progress;
use crate::common::selection::Item;
use crate::common::settings::VideoFormat;
use crate::files::recording::{RecordingError, RecordingResult, RecordingSource, Target, Work};
use crate::view::Follows;

/// A recording of a run that a thread simulates again.
pub struct Rerecording {
    /// The step at which the thread begins, and the last one.
    begins_at: u64,
    ends_at: u64,
    done: Arc<AtomicU64>,
    is_cancelled: Arc<AtomicBool>,
    path: PathBuf,
    thread: JoinHandle<RecordingResult>,
    labels: Labels,
}

/// The words for the progress of a thread that simulates a run again.
#[derive(Clone, Copy)]
pub struct Labels {
    /// While it runs.
    pub running: &'static str,
    /// After the user cancelled it.
    pub cancelling: &'static str,
}

/// The progress of a thread that simulates a run again: the thread stores the last finished step, and looks whether it is
/// cancelled.
#[derive(Clone, Default)]
pub struct Signals {
    /// The last finished step.
    pub done: Arc<AtomicU64>,
    /// Whether the user cancelled the work.
    pub is_cancelled: Arc<AtomicBool>,
}

impl Rerecording {
    /// Starts a thread that simulates the steps between two ends again and writes a file.
    ///
    /// # Errors
    /// Returns an error if the system cannot create a thread.
    pub fn spawn(
        labels: Labels,
        [begins_at, ends_at]: [u64; 2],
        path: PathBuf,
        work: impl FnOnce(Signals) -> RecordingResult + Send + 'static,
    ) -> std::io::Result<Self> {
        let signals = Signals::default();
        signals.done.store(begins_at, Ordering::Relaxed);
        let Signals { done, is_cancelled } = signals.clone();
        let thread = std::thread::Builder::new().name("simulating again".into()).spawn(move || work(signals))?;
        Ok(Self { begins_at, ends_at, done, is_cancelled, path, thread, labels })
    }

    /// Starts to record the present branch between the ends of two steps.
    pub fn start(source: RecordingSource, (from, to): (u64, u64), suffix: &str) -> anyhow::Result<Self> {
        let options = &source.settings.recording;
        let dt_s = source.run.host.simulation().time().dt_s;
        // If the view draws the past, it must be observed.
        let now = source.run.host.moment();
        let (view, known) = (&source.view.current, &source.timeline.occupancies);
        let footprints =
            Footprints::to(timeline::Moment { step: from, ..now }, view, dt_s, source.run.host.timeline(), known);
        let first = footprints.begin_after().unwrap_or(from);
        let plan = source.run.host.plan_twin(timeline::Moment { step: first, ..now })?;
        let target = Target::open(source, suffix)?;
        let view = crate::files::recording::recording_view(&target.spec, options, &source.view.current);
        let job = RerecordingJob {
            footprints,
            threads: source.run.threads,
            from,
            to,
            view,
            target: source
                .view
                .follows
                .map(|follows| CameraTarget { follows, items: source.view.selection.items.clone() }),
            speed: options.speed,
            rate: target.spec.rate,
            signals: Signals::default(),
        };
        let begins_at = plan.begins_at().step;
        let is_folder = options.format == VideoFormat::Png;
        let path = target.path.clone();
        let work =
            move |signals| RerecordingJob { signals, ..job }.record(plan, target.recorder, &target.path, is_folder);
        let labels = Labels { running: "Recording again", cancelling: "Cancelling the recording" };
        Ok(Self::spawn(labels, [begins_at, to], path, work)?)
    }

    /// Returns the progress in resimulated steps.
    pub fn progress(&self) -> Progress {
        let done = self.done.load(Ordering::Relaxed).saturating_sub(self.begins_at);
        // Frames in the queue are still written.
        let is_cancelled = self.is_cancelled.load(Ordering::Relaxed);
        let label = if is_cancelled { self.labels.cancelling } else { self.labels.running };
        Progress { done, steps: self.ends_at - self.begins_at, label: label.into() }
    }

    /// Cancels the work without a file.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the thread has ended.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Returns the file and the thread that writes it.
    pub fn into_work(self) -> Work {
        Work { path: self.path, thread: self.thread }
    }
}

/// The robots that the camera follows.
struct CameraTarget {
    follows: Follows,
    items: Vec<Item>,
}

impl CameraTarget {
    /// Centres the view on the robots; without any of them, the view stays as it is.
    fn aim(&self, simulation: &Simulation, moment: &Moment, view: &mut View) {
        let is_followed = |number: u32, group: u32| {
            self.items.iter().any(|item| match *item {
                Item::Agent(followed) => followed == number,
                Item::Group(place) => place == group as usize,
                _ => false,
            })
        };
        let agents = simulation.agents().filter(|agent| is_followed(agent.id.index(), agent.member.group));
        let (mut sum_m, mut facing, mut count) = (DVec2::ZERO, DVec2::ZERO, 0.0);
        for agent in agents {
            sum_m += moment.position_m(agent.id.index()).unwrap_or(agent.pose.position_m);
            facing += direction(agent.pose.heading_rad);
            count += 1.0;
        }
        if count > 0.0 {
            view.camera.center_m = sum_m / count;
            if self.follows == Follows::Heading && facing.length() > 1e-9 * count {
                view.camera.turn_up(angle_of(facing));
            }
        }
    }
}

/// The simulation and the view that the thread records.
struct RerecordingJob {
    footprints: Footprints,
    threads: usize,
    /// The steps of the first and of the last frame.
    from: u64,
    to: u64,
    view: View,
    target: Option<CameraTarget>,
    /// Simulated seconds per second of video.
    speed: f64,
    rate: Rate,
    signals: Signals,
}

impl RerecordingJob {
    fn record(mut self, plan: TwinPlan, mut recorder: Recorder, path: &Path, is_folder: bool) -> RecordingResult {
        let completed = self.record_frames(plan, &mut recorder);
        let recording = recorder.finish();
        match completed {
            Ok(true) => {
                let summary = recording.summary(self.rate);
                recording.outcome().map_err(|problems| RecordingError::Failed(problems.into()))?;
                Ok(format!("Saved {summary}"))
            }
            unfinished => {
                remove(&recording.path, is_folder);
                unfinished.map_err(RecordingError::Failed)?;
                Ok(format!("Cancelled the recording {}", path.display()))
            }
        }
    }

    /// Records all frames. Returns false if the user cancelled the recording.
    fn record_frames(&mut self, plan: TwinPlan, recorder: &mut Recorder) -> anyhow::Result<bool> {
        let mut twin = plan.make(Workers::new(self.threads)).context("the run cannot be simulated again")?;
        let dt_s = twin.simulation().time().dt_s;
        let mut before = twin.simulation().poses();
        for frame in 0_u64.. {
            let time_s = self.from as f64 * dt_s + self.speed * self.rate.time_s(frame);
            // The tolerance absorbs rounding errors of times at steps.
            let target = (time_s / dt_s - 1e-6).ceil().max(0.0) as u64;
            if target > self.to {
                break;
            }
            while twin.simulation().steps() < target {
                if self.signals.is_cancelled.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                before = twin.simulation().poses();
                self.step(&mut twin);
            }
            if self.signals.is_cancelled.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let simulation = twin.simulation();
            let part = 1.0 - (simulation.time().now_s() - time_s) / dt_s;
            let part = if part > 1.0 - 1e-6 { 1.0 } else { part.max(0.0) };
            let none = Past::default();
            let moment = simulation.between(&before, part).remembering(self.footprints.past().unwrap_or(&none));
            if let Some(target) = &self.target {
                target.aim(simulation, &moment, &mut self.view);
            }
            let picture = moment.picture(&self.view);
            recorder.add(Shot { picture, camera: self.view.camera });
            if recorder.has_failed() {
                break;
            }
        }
        Ok(true)
    }

    fn step(&mut self, twin: &mut Twin) {
        twin.step();
        self.footprints.observe(twin.simulation(), &self.view);
        self.signals.done.store(twin.simulation().steps(), Ordering::Relaxed);
    }
}

/// Removes an incomplete video.
fn remove(path: &Path, is_folder: bool) {
    // The name of a remaining file says that it is partial; nothing more can be done here.
    let _ = if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}
