//! The threads of a sweep: one makes its runs, the other one its statistics and its figure.
//!
//! After a first curve, both have a low priority: they take the time that the window leaves. The window never waits for a
//! mutex that they have: it shows the state before.

pub mod priority;
pub mod runs;
pub mod statistics;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use swarmarium_base::problem::Problems;
use swarmarium_core::state::Snapshot;
use swarmarium_figure::Figure;
use swarmarium_formats::import::Options;
use swarmarium_picture::palette::Theme;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::results::Results;
use swarmarium_sweep::source::Source;
use swarmarium_sweep::{Outcome, Plan, PlanText, Sweep};

use crate::common::sweep_setup::PLAN_NAME;
use crate::sweeps::drawn::{Drawn, FigureRequest};
use crate::sweeps::ends::Ends;
use crate::sweeps::pictures::Pictures;

/// The time after the start in which the threads have the usual priority, so that a first curve appears soon.
const NORMAL_PRIORITY_TIME: Duration = Duration::from_millis(800);

/// The time between two checks whether a pause has ended.
const PAUSE_POLL: Duration = Duration::from_millis(20);

/// The origin of a sweep.
pub enum Origin {
    /// A plan for a run in memory, for a new folder.
    New {
        /// The plan.
        plan: Box<Plan>,
        /// The scene that the run starts with.
        scene: Box<Scene>,
        /// The edits of the run.
        log: Vec<LoggedEdit>,
        /// The new folder.
        folder: PathBuf,
    },
    /// A plan by its name, for a new folder.
    Plan {
        /// The plan.
        source: Source,
        /// The options for a file of another program.
        imports: Options,
        /// The new folder.
        folder: PathBuf,
    },
    /// The folder of an earlier sweep.
    Folder(PathBuf),
}

impl Origin {
    fn folder(&self) -> &Path {
        match self {
            Self::New { folder, .. } | Self::Plan { folder, .. } | Self::Folder(folder) => folder,
        }
    }

    fn resolve(self, recipe: &Recipe) -> Result<Sweep, Problems> {
        match self {
            Self::New { plan, scene, log, .. } => {
                Sweep::of_run(recipe, *plan, (*scene, log), PlanText { name: PLAN_NAME, text: "" })
            }
            Self::Plan { source, imports, .. } => source.resolve(recipe, &imports),
            Self::Folder(path) => {
                let name = path.display().to_string();
                let unknown = || Problems::of_file(&name, "is not a sweep folder");
                Source::find(&name)?.ok_or_else(unknown)?.resolve(recipe, &Options::default())
            }
        }
    }
}

/// The stage of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The plan is checked.
    Preparing,
    /// Runs are made.
    Running,
    /// All runs that were asked for are done, or the user cancelled the others.
    Ended,
    /// The sweep cannot go on, for this reason.
    Failed(String),
}

/// The state of a sweep that the window shows.
#[derive(Clone)]
pub struct State {
    /// The sweep; `None` until its plan is checked.
    pub sweep: Option<Arc<Sweep>>,
    /// The stage.
    pub phase: Phase,
    /// The statistics.
    pub results: Arc<Results>,
    /// The figures, each with its name.
    pub figures: Arc<Vec<(String, Figure)>>,
    /// The number of statistics so far.
    pub version: u64,
    /// The runs of the chosen point.
    pub runs: Option<Arc<(usize, Vec<Option<Outcome>>)>>,
    /// The drawn figure.
    pub drawn: Option<Arc<Drawn>>,
    /// The time in seconds in which runs were made, and the number of runs made in it.
    pub made: (f64, u64),
    /// Whether the statistics are those of the sweep, and not of the plan before.
    pub is_shown: bool,
    /// Why the sweep did not take in a longer plan.
    pub refusal: Option<String>,
}

/// The part of a sweep that the window shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewRequest {
    /// The figure to draw.
    pub figure: Option<FigureRequest>,
    /// The point whose runs are listed.
    pub point: Option<usize>,
    /// The theme of the pictures.
    pub theme: Theme,
}

/// The plans that follow the first one.
#[derive(Default)]
struct Next {
    /// The plan that goes on with the runs. While there is one, no more runs begin.
    waiting: Option<Plan>,
    /// The last plan that the thread of the runs took. The window may not see its sweep yet.
    taken: Option<Plan>,
}

struct Shared {
    recipe: Recipe,
    folder: PathBuf,
    began: Instant,
    /// The time after the start in which the threads have the usual priority.
    normal_priority_time: Duration,
    is_paused: AtomicBool,
    /// Runs in progress are abandoned.
    is_cancelled: AtomicBool,
    is_closed: AtomicBool,
    /// Missing pictures are being painted.
    is_painting: AtomicBool,
    state: Mutex<State>,
    view: Mutex<ViewRequest>,
    next: Mutex<Next>,
    /// The time in milliseconds in which the runs were held, and the beginning of a pause.
    held_ms: AtomicU64,
    paused_at: Mutex<Option<Instant>>,
    /// The number of changes of the requested view.
    changes: AtomicU64,
    /// Wakes a thread that waits.
    changed: Condvar,
    waiting: Mutex<()>,
    /// The number of runs made since the start.
    made: AtomicU64,
    pictures: Mutex<Pictures>,
    ends: Mutex<Ends>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex, unless another thread has it.
fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A sweep with its threads. Dropping it abandons the runs in progress; the finished ones stay in the folder.
pub struct Worker {
    shared: Arc<Shared>,
    /// The last state that the window has seen.
    seen: Mutex<State>,
    threads: Vec<JoinHandle<()>>,
}

impl Worker {
    /// Starts the threads, which first wait for those of the sweep before. The runs of a folder are shown, and made only
    /// with `resumes`.
    ///
    /// # Errors
    /// When the system cannot create a thread.
    pub fn start(
        origin: Origin,
        recipe: &Recipe,
        theme: Theme,
        resumes: bool,
        keeps_priority: bool,
        before: Vec<JoinHandle<()>>,
    ) -> std::io::Result<Self> {
        let state = State {
            sweep: None,
            phase: Phase::Preparing,
            results: Arc::default(),
            figures: Arc::default(),
            version: 0,
            runs: None,
            drawn: None,
            made: (0.0, 0),
            is_shown: false,
            refusal: None,
        };
        let shared = Arc::new(Shared {
            recipe: recipe.clone(),
            folder: origin.folder().into(),
            began: Instant::now(),
            normal_priority_time: if keeps_priority { Duration::MAX } else { NORMAL_PRIORITY_TIME },
            is_paused: AtomicBool::default(),
            is_cancelled: AtomicBool::default(),
            is_closed: AtomicBool::default(),
            is_painting: AtomicBool::default(),
            state: Mutex::new(state.clone()),
            view: Mutex::new(ViewRequest { theme, ..ViewRequest::default() }),
            next: Mutex::default(),
            held_ms: AtomicU64::default(),
            paused_at: Mutex::default(),
            changes: AtomicU64::default(),
            changed: Condvar::new(),
            waiting: Mutex::default(),
            made: AtomicU64::default(),
            pictures: Mutex::new(Pictures::in_folder(origin.folder())),
            ends: Mutex::default(),
        });
        let mut worker = Self { shared: shared.clone(), seen: Mutex::new(state), threads: Vec::new() };
        let (runs, figures) = (shared.clone(), shared);
        let make = move || {
            // A panic of a thread was reported when it happened.
            before.into_iter().for_each(|thread| drop(thread.join()));
            runs.make(origin, resumes);
        };
        worker.threads.push(thread::Builder::new().name("sweep".into()).spawn(make)?);
        let show = move || figures.show();
        worker.threads.push(thread::Builder::new().name("sweep figures".into()).spawn(show)?);
        Ok(worker)
    }

    /// The last published state, or the one before while a thread publishes one: a thread with a low priority may take
    /// long for that.
    pub fn state(&self) -> State {
        let mut seen = lock(&self.seen);
        if let Some(state) = try_lock(&self.shared.state) {
            *seen = state.clone();
        }
        seen.clone()
    }

    /// The folder of the sweep.
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }

    /// Whether the runs are paused.
    pub fn is_paused(&self) -> bool {
        self.shared.is_paused.load(Ordering::Relaxed)
    }

    /// Whether the threads change what the window shows.
    pub fn is_busy(&self) -> bool {
        let state = self.state();
        let is_running = matches!(state.phase, Phase::Preparing | Phase::Running) && !self.is_paused();
        let is_late = state.sweep.is_some() && !state.is_shown && !matches!(state.phase, Phase::Failed(_));
        is_running || is_late || self.has_next() || self.shared.is_painting.load(Ordering::Relaxed)
    }

    /// Pauses the runs, or continues them.
    pub fn pause(&self, is_paused: bool) {
        let mut paused_at = lock(&self.shared.paused_at);
        if let Some(began) = paused_at.take() {
            self.shared.held_ms.fetch_add(began.elapsed().as_millis() as u64, Ordering::Relaxed);
        }
        *paused_at = is_paused.then(Instant::now);
        self.shared.is_paused.store(is_paused, Ordering::Relaxed);
    }

    /// Abandons the runs in progress and begins no more.
    pub fn cancel(&self) {
        lock(&self.shared.next).waiting = None;
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
        self.pause(false);
    }

    /// Goes on with a changed plan that has the same scene and measures: other points, or more repetitions. The change is
    /// made to the last plan that was asked for, even if `sweep` is an earlier one.
    pub fn go_on(&self, sweep: &Sweep, change: impl FnOnce(Plan) -> Plan) {
        let mut next = lock(&self.shared.next);
        let plan = next.waiting.take().or_else(|| next.taken.clone()).unwrap_or_else(|| sweep.plan.clone());
        next.waiting = Some(change(plan));
        drop(next);
        self.pause(false);
        self.shared.wake();
    }

    /// Whether a longer plan waits for the runs in progress.
    pub fn has_next(&self) -> bool {
        self.shared.has_next()
    }

    /// Tells the threads what the window shows.
    pub fn request_view(&self, view: ViewRequest) {
        // The next frame tells them again.
        let Some(mut known) = try_lock(&self.shared.view) else { return };
        if *known != view {
            *known = view;
            drop(known);
            self.shared.changes.fetch_add(1, Ordering::Relaxed);
            self.shared.wake();
        }
    }

    /// The picture of a run at its end, as a PNG file; `None` if there is none yet.
    pub fn picture(&self, key: u64, theme: Theme) -> Option<Arc<[u8]>> {
        try_lock(&self.shared.pictures)?.known(key, theme)
    }

    /// The state at the end of a long run after so many steps, if it is kept.
    pub fn end_of(&self, key: u64, steps: u64) -> Option<Snapshot> {
        try_lock(&self.shared.ends)?.get(key, steps)
    }

    /// Abandons the runs in progress. Returns the threads, which end soon.
    pub fn close(mut self) -> Vec<JoinHandle<()>> {
        self.shared.close();
        std::mem::take(&mut self.threads)
    }
}

impl Drop for Worker {
    /// Abandons the runs in progress without waiting for the threads: the window goes on at once.
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl Shared {
    /// Lowers the priority of this thread after the time in which the user waits for the first curve.
    fn yield_when_due(&self) {
        if !priority::is_low() && self.began.elapsed() > self.normal_priority_time {
            priority::lower();
        }
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.wake();
    }

    fn has_next(&self) -> bool {
        lock(&self.next).waiting.is_some()
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn wake(&self) {
        // The window does not wait for a thread that is about to wait.
        let _waiting = try_lock(&self.waiting);
        self.changed.notify_all();
    }

    /// Waits until something changes, at most for a time; not at all if another view was requested since `changes`.
    fn wait(&self, time: Duration, changes: u64) {
        let waiting = lock(&self.waiting);
        if !self.is_closed() && self.changes.load(Ordering::Relaxed) == changes {
            drop(self.changed.wait_timeout(waiting, time));
        }
    }

    fn set_phase(&self, phase: Phase) {
        lock(&self.state).phase = phase;
    }

    /// Whether runs in progress are abandoned. Holds them while the sweep is paused.
    fn is_stopped(&self) -> bool {
        self.yield_when_due();
        while self.is_paused.load(Ordering::Relaxed) && !self.is_closed() {
            if self.is_cancelled.load(Ordering::Relaxed) || self.has_next() {
                break;
            }
            thread::sleep(PAUSE_POLL);
        }
        self.is_closed() || self.is_cancelled.load(Ordering::Relaxed)
    }
}
