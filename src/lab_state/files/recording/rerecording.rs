//! Recording without dropped frames: a part of the branch is simulated again, at its own pace, for a video or a page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use anyhow::Context as _;
use bevy::math::DVec2;
use swarmarium_base::math::{angle_of, direction};
use swarmarium_core::step::Workers;
use swarmarium_draw::{Moment, Past, Poses, View};
use swarmarium_host::clock::host::{Twin, TwinPlan};
use swarmarium_host::timeline;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_video::{Pane, Recorder, Shot, Spec};

use crate::common::footprints::{Footprints, Occupancies};
use crate::common::progress::Progress;
use crate::common::selection::Item;
use crate::common::settings::VideoFormat;
use crate::compare::heads::Head;
use crate::files::recording::captions::Captions;
use crate::files::recording::worlds::{Place, band_pane, frame_px};
use crate::files::recording::{RecordingError, RecordingResult, RecordingSource, Target, Work, remove};
use crate::plots::axis::Bounds;
use crate::plots::band::{Band, Filmed};
use crate::plots::bounds;
use crate::plots::drawn::Sources;
use crate::plots::history::History;
use crate::plots::printed::Arrangement;
use crate::view::Follows;

/// A recording of a run that a thread simulates again.
pub struct Rerecording {
    /// The number of steps of all worlds.
    steps: u64,
    done: Arc<AtomicU64>,
    is_cancelled: Arc<AtomicBool>,
    path: PathBuf,
    thread: JoinHandle<RecordingResult>,
    kind: JobKind,
}

/// The kind of file for which a thread simulates a run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// A video without dropped frames.
    Video,
    /// A page for any browser.
    Page,
    /// An MCAP file.
    Log,
}

impl JobKind {
    /// Returns the label of the progress, which differs once the user has cancelled it.
    fn label(self, is_cancelled: bool) -> &'static str {
        match (self, is_cancelled) {
            (Self::Video, false) => "Re-rendering the video",
            (Self::Video, true) => "Cancelling the video",
            (Self::Page, false) => "Writing the page",
            (Self::Page, true) => "Cancelling the page",
            (Self::Log, false) => "Writing the MCAP file",
            (Self::Log, true) => "Cancelling the MCAP file",
        }
    }

    /// Returns the message of a request that has to wait for its end.
    pub fn is_busy(self) -> &'static str {
        match self {
            Self::Video => "A video is already being re-rendered: cancel it, or wait for its end",
            Self::Page => "A page of the run is already being written: cancel it, or wait for its end",
            Self::Log => "An MCAP file of the run is already being written: cancel it, or wait for its end",
        }
    }
}

/// The progress of a thread that simulates a run again: the thread counts the finished steps, and looks whether it is
/// cancelled.
#[derive(Clone, Default)]
pub struct Signals {
    /// The number of finished steps of all worlds.
    pub done: Arc<AtomicU64>,
    /// Whether the user cancelled the work.
    pub is_cancelled: Arc<AtomicBool>,
}

impl Rerecording {
    /// Starts a thread that simulates a number of steps again and writes a file.
    ///
    /// # Errors
    /// Returns an error if the system cannot create a thread.
    pub fn spawn(
        kind: JobKind,
        steps: u64,
        path: PathBuf,
        work: impl FnOnce(Signals) -> RecordingResult + Send + 'static,
    ) -> std::io::Result<Self> {
        let signals = Signals::default();
        let Signals { done, is_cancelled } = signals.clone();
        let thread = std::thread::Builder::new().name("simulating again".into()).spawn(move || work(signals))?;
        Ok(Self { steps, done, is_cancelled, path, thread, kind })
    }

    /// Starts to record the present branch between the ends of two steps, with the compared world beside it as far as
    /// both are known.
    pub fn start(source: RecordingSource, (from, to): (u64, u64), suffix: &str) -> anyhow::Result<Self> {
        let options = &source.settings.recording;
        let now = source.run.host.moment();
        let other = source.compare.other.as_deref().filter(|other| other.is_known_until(to));
        let (head_a, head_b) = other.map(|other| other.heads(source.run)).map(|[a, b]| (a, b)).unzip();
        // If the view draws the past, it must be observed.
        let (view, dt_s) = (&source.view.current, source.run.host.simulation().time().dt_s);
        let footprints_to = |known: &Occupancies| {
            let footprints =
                Footprints::to(timeline::Moment { step: from, ..now }, view, dt_s, source.run.host.timeline(), known);
            (footprints.begin_after().unwrap_or(from), footprints)
        };
        let (first, footprints) = footprints_to(&source.timeline.occupancies);
        let plan = source.run.host.plan_twin(timeline::Moment { step: first, ..now })?;
        let mut plans = vec![(plan, footprints, view.camera, head_a)];
        if let Some(other) = other {
            let (first, footprints) = footprints_to(&Occupancies::default());
            plans.push((other.plan_twin(&source.run.host, first)?, footprints, other.camera, head_b));
        }
        let begins_at = plans.iter().map(|(plan, ..)| plan.begins_at().step);
        let steps = begins_at.map(|begins_at| to.saturating_sub(begins_at)).sum();
        let target = Target::open(source, suffix)?;
        let band = source.plots.band(options, frame_px(&target.spec));
        let places = Place::of(&target.spec, plans.len(), band.as_ref());
        let worlds = plans.into_iter().zip(places).map(|((plan, footprints, camera, head), place)| WorldPlan {
            plan,
            footprints,
            place,
            view: place.view(options, &View { camera, ..*view }),
            head,
        });
        let plots = band.map(|band| PlotsOfRun {
            band,
            arrangement: source.plots.arrangement.clone(),
            history: source.plots.history.clone(),
            of_b: other.map(|other| other.history.clone()),
            bounds: bounds::of_metrics(source.run.host.simulation()),
            whole_s: [from, to].map(|step| step as f64 * dt_s),
        });
        let led = source.view.follows;
        let led = led.map(|follows| CameraTarget { follows, items: source.view.selection.items.clone() });
        let job = RerecordingJob {
            threads: source.run.threads,
            from,
            to,
            target: led,
            is_linked: other.is_some_and(|other| other.is_linked),
            has_captions: options.captions,
            plots,
            speed: options.speed,
            spec: target.spec,
            signals: Signals::default(),
        };
        let worlds: Vec<WorldPlan> = worlds.collect();
        let is_folder = options.format == VideoFormat::Png;
        let path = target.path.clone();
        let work =
            move |signals| RerecordingJob { signals, ..job }.record(worlds, target.recorder, &target.path, is_folder);
        Ok(Self::spawn(JobKind::Video, steps, path, work)?)
    }

    /// Returns the kind of file that it writes.
    pub fn kind(&self) -> JobKind {
        self.kind
    }

    /// Returns the progress in resimulated steps.
    pub fn progress(&self) -> Progress {
        let done = self.done.load(Ordering::Relaxed);
        // Frames in the queue are still written.
        let is_cancelled = self.is_cancelled.load(Ordering::Relaxed);
        Progress { done, steps: self.steps, label: self.kind.label(is_cancelled).into() }
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
        Work { path: self.path, thread: self.thread, encoding: None }
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

/// The plan of a world that the thread records.
struct WorldPlan {
    plan: TwinPlan,
    footprints: Footprints,
    place: Place,
    view: View,
    head: Option<Head>,
}

/// A world that the thread records.
struct World {
    twin: Twin,
    /// The poses before the last step.
    before: Poses,
    footprints: Footprints,
    place: Place,
    view: View,
    head: Option<Head>,
    captions: Option<Captions>,
}

impl World {
    fn new(plan: WorldPlan, threads: usize) -> anyhow::Result<Self> {
        let WorldPlan { plan, footprints, place, view, head } = plan;
        let twin = plan.make(Workers::new(threads)).context("the run cannot be simulated again")?;
        let before = twin.simulation().poses();
        Ok(Self { twin, before, footprints, place, view, head, captions: None })
    }

    fn step(&mut self) {
        self.before = self.twin.simulation().poses();
        self.twin.step();
        self.footprints.observe(self.twin.simulation(), &self.view);
    }

    /// Returns the pane for a time between the last two steps. `shown_s` is the time in the video. The camera follows the
    /// robots of `target`.
    fn pane(&mut self, time_s: f64, shown_s: f64, target: Option<&CameraTarget>, job: &RerecordingJob) -> Pane {
        let simulation = self.twin.simulation();
        if job.has_captions {
            let captions = self.captions.get_or_insert_with(|| Captions::new(simulation));
            captions.observe(simulation, shown_s);
        }
        let time = simulation.time();
        let part = 1.0 - (time.now_s() - time_s) / time.dt_s;
        let part = if part > 1.0 - 1e-6 { 1.0 } else { part.max(0.0) };
        let none = Past::default();
        let past = self.footprints.past().unwrap_or(&none);
        let moment = simulation.between(&self.before, part).remembering(past);
        if let Some(target) = target {
            target.aim(simulation, &moment, &mut self.view);
        }
        let picture = moment.picture(&self.view);
        self.place.pane(picture, &self.view, simulation, self.head.as_ref(), self.captions.as_ref())
    }
}

/// The plots under the worlds that the thread records, with all numbers that were known at the start.
struct PlotsOfRun {
    band: Band,
    arrangement: Arrangement,
    history: History,
    of_b: Option<History>,
    bounds: BTreeMap<String, Bounds>,
    /// The times of the first and of the last frame, in seconds.
    whole_s: [f64; 2],
}

impl PlotsOfRun {
    /// Returns the pane of the plots up to a time.
    fn pane(&self, spec: &Spec, simulation: &Simulation, time_s: f64) -> Pane {
        let Self { band, arrangement, history, of_b, bounds, whole_s } = self;
        let (layout, of_b) = (&arrangement.layout, of_b.as_ref());
        let sources = Sources { layout, history, of_b, bounds, now: (time_s, &[]) };
        let filmed = Filmed { arrangement, sources, simulation, now_s: time_s, whole_s: *whole_s };
        band_pane(spec, band, &filmed)
    }
}

/// The run and the settings that the thread records.
struct RerecordingJob {
    threads: usize,
    /// The steps of the first and of the last frame.
    from: u64,
    to: u64,
    target: Option<CameraTarget>,
    /// Whether B has the camera of A.
    is_linked: bool,
    has_captions: bool,
    plots: Option<PlotsOfRun>,
    /// Simulated seconds per second of video.
    speed: f64,
    spec: Spec,
    signals: Signals,
}

impl RerecordingJob {
    fn record(self, plans: Vec<WorldPlan>, mut recorder: Recorder, path: &Path, is_folder: bool) -> RecordingResult {
        let completed = self.record_frames(plans, &mut recorder);
        let recording = recorder.finish();
        match completed {
            Ok(true) => {
                let summary = recording.summary(self.spec.rate);
                recording.outcome().map_err(|problems| RecordingError::Failed(problems.into()))?;
                Ok(format!("Saved {summary}"))
            }
            unfinished => {
                remove(&recording.path, is_folder);
                unfinished.map_err(RecordingError::Failed)?;
                Ok(format!("Cancelled the video {}", path.display()))
            }
        }
    }

    /// Records all frames. Returns false if the user cancelled the recording.
    fn record_frames(&self, plans: Vec<WorldPlan>, recorder: &mut Recorder) -> anyhow::Result<bool> {
        let worlds = plans.into_iter().map(|plan| World::new(plan, self.threads));
        let mut worlds: Vec<World> = worlds.collect::<anyhow::Result<_>>()?;
        let Some(dt_s) = worlds.first().map(|world| world.twin.simulation().time().dt_s) else { return Ok(true) };
        for frame in 0_u64.. {
            let shown_s = self.spec.rate.time_s(frame);
            let time_s = self.from as f64 * dt_s + self.speed * shown_s;
            // The tolerance absorbs rounding errors of times at steps.
            let target = (time_s / dt_s - 1e-6).ceil().max(0.0) as u64;
            if target > self.to {
                break;
            }
            for world in &mut worlds {
                while world.twin.simulation().steps() < target {
                    if self.signals.is_cancelled.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                    world.step();
                    self.signals.done.fetch_add(1, Ordering::Relaxed);
                }
            }
            if self.signals.is_cancelled.load(Ordering::Relaxed) {
                return Ok(false);
            }
            recorder.add(Shot { panes: self.panes(&mut worlds, time_s, shown_s) });
            if recorder.has_failed() {
                break;
            }
        }
        Ok(true)
    }

    /// Returns the panes of a frame. The camera of A follows robots, and that of B the camera of A if both are linked.
    fn panes(&self, worlds: &mut [World], time_s: f64, shown_s: f64) -> Vec<Pane> {
        let Some((a, others)) = worlds.split_first_mut() else { return Vec::new() };
        let mut panes = vec![a.pane(time_s, shown_s, self.target.as_ref(), self)];
        for world in others {
            if self.is_linked {
                // Both places have one size.
                world.view.camera = a.view.camera;
            }
            panes.push(world.pane(time_s, shown_s, None, self));
        }
        panes.extend(self.plots.as_ref().map(|plots| plots.pane(&self.spec, a.twin.simulation(), time_s)));
        panes
    }
}
