//! The threads of a sweep: one makes its runs, the other one its statistics and its figure.
//!
//! After a first curve, both have a low priority: they take the time that the window leaves. The window never waits for a
//! mutex that they have: it shows the state before.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use swarmarium_base::problem::Problems;
use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::scene::Scene;
use swarmarium_core::simulation::{Recipe, Simulation};
use swarmarium_core::state::Snapshot;
use swarmarium_figure::Figure;
use swarmarium_formats::import::Options;
use swarmarium_picture::palette::Theme;
use swarmarium_sweep::folder::REPORT;
use swarmarium_sweep::log::Index;
use swarmarium_sweep::results::Results;
use swarmarium_sweep::run::Runner;
use swarmarium_sweep::source::Source;
use swarmarium_sweep::summary::PointRuns;
use swarmarium_sweep::work::{Host, cores, work};
use swarmarium_sweep::{Folder, Outcome, Plan, PlanText, Run, Shard, Sweep, charts, report};
use thread_priority::{ThreadPriority, set_current_thread_priority};

use super::CLOSED;
use super::drawn::{Drawn, FigureRequest, draw};
use super::ends::{End, Ends};
use super::pictures::{self, Pictures};
use crate::sweep_setup::PLAN_NAME;

/// The shortest time between two statistics, at first and later: a figure that changes costs the window a moment.
const REFRESH: [Duration; 2] = [Duration::from_millis(80), Duration::from_millis(300)];
/// The time after the start in which the threads have the usual priority, so that a first curve appears soon.
const NORMAL_PRIORITY_TIME: Duration = Duration::from_millis(800);
/// The statistics thread rests for this many times the time that the statistics took.
const IDLE_FACTOR: u32 = 4;
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
    Plan(Source, PathBuf),
    /// The folder of an earlier sweep.
    Folder(PathBuf),
}

impl Origin {
    fn folder(&self) -> &Path {
        match self {
            Self::New { folder, .. } | Self::Plan(_, folder) | Self::Folder(folder) => folder,
        }
    }

    fn resolve(self, recipe: &Recipe) -> Result<Sweep, Problems> {
        match self {
            Self::New { plan, scene, log, .. } => {
                Sweep::of_run(recipe, *plan, (*scene, log), PlanText { name: PLAN_NAME, text: "" })
            }
            Self::Plan(source, _) => source.resolve(recipe, &Options::default()),
            Self::Folder(path) => {
                let name = path.display().to_string();
                let unknown = || Problems::of_file(&name, "is no folder of a sweep");
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

/// The wishes of the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// The figure to draw.
    pub figure: Option<FigureRequest>,
    /// The point whose runs are listed.
    pub point: Option<usize>,
    /// The theme of the pictures.
    pub theme: Theme,
}

struct Shared {
    recipe: Recipe,
    folder: PathBuf,
    began: Instant,
    is_paused: AtomicBool,
    /// Runs in progress are abandoned.
    is_cancelled: AtomicBool,
    is_closed: AtomicBool,
    /// Missing pictures are being painted.
    is_painting: AtomicBool,
    state: Mutex<State>,
    wishes: Mutex<Wishes>,
    /// The plan that goes on with the runs. While there is one, no more runs begin.
    next: Mutex<Option<Plan>>,
    /// The time in milliseconds in which the runs were held, and the beginning of a pause.
    held_ms: AtomicU64,
    paused_at: Mutex<Option<Instant>>,
    /// The number of changes of the wishes.
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
            is_paused: AtomicBool::default(),
            is_cancelled: AtomicBool::default(),
            is_closed: AtomicBool::default(),
            is_painting: AtomicBool::default(),
            state: Mutex::new(state.clone()),
            wishes: Mutex::new(Wishes { theme, ..Wishes::default() }),
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
        *lock(&self.shared.next) = None;
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
        self.pause(false);
    }

    /// Goes on with a changed plan that has the same scene and measures: other points, or more repetitions. A plan that
    /// waits is changed, too.
    pub fn go_on(&self, sweep: &Sweep, change: impl FnOnce(Plan) -> Plan) {
        let mut next = lock(&self.shared.next);
        let plan = next.take().unwrap_or_else(|| sweep.plan.clone());
        *next = Some(change(plan));
        drop(next);
        self.pause(false);
        self.shared.wake();
    }

    /// Whether a longer plan waits for the runs in progress.
    pub fn has_next(&self) -> bool {
        self.shared.has_next()
    }

    /// Tells the threads what the window shows.
    pub fn wish(&self, wishes: Wishes) {
        // The next frame tells them again.
        let Some(mut known) = try_lock(&self.shared.wishes) else { return };
        if *known != wishes {
            *known = wishes;
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

thread_local! {
    /// Whether the thread has a low priority.
    static IS_LOW: Cell<bool> = const { Cell::new(false) };
}

/// Leaves the time of the processor to other threads. A system that refuses it runs the thread as any other.
fn lower_priority() {
    if !IS_LOW.replace(true) && !runs_when_idle() {
        let _ = set_current_thread_priority(ThreadPriority::Min);
    }
}

/// Lets this thread run only while no other one wants its core, where the system can do that. Returns whether it can.
#[cfg(target_os = "linux")]
fn runs_when_idle() -> bool {
    use thread_priority::unix::{
        NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
    };
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn runs_when_idle() -> bool {
    false
}

impl Shared {
    /// Lowers the priority of this thread after the time in which the user waits for the first curve.
    fn yield_when_due(&self) {
        if !IS_LOW.get() && self.began.elapsed() > NORMAL_PRIORITY_TIME {
            lower_priority();
        }
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.wake();
    }

    fn has_next(&self) -> bool {
        lock(&self.next).is_some()
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn wake(&self) {
        // The window does not wait for a thread that is about to wait.
        let _waiting = try_lock(&self.waiting);
        self.changed.notify_all();
    }

    /// Waits until something changes, at most for a time; not at all if the wishes have changed since `changes`.
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

    /// Makes the runs of the plan, and of the plans that follow it.
    fn make(&self, origin: Origin, resumes: bool) {
        let is_new = !matches!(origin, Origin::Folder(_));
        let mut sweep = match origin.resolve(&self.recipe) {
            Ok(sweep) => Arc::new(sweep),
            Err(problems) => {
                if is_new {
                    // The folder was reserved for this sweep and is empty.
                    drop(fs::remove_dir(&self.folder));
                }
                return self.set_phase(Phase::Failed(problems.to_string()));
            }
        };
        let mut makes = is_new || resumes;
        while !self.is_closed() {
            self.publish(&sweep);
            let done = if makes { self.make_runs(&sweep) } else { Ok(()) };
            self.set_phase(match done {
                Ok(()) => Phase::Ended,
                Err(error) => Phase::Failed(format!("{error:#}")),
            });
            let Some(next) = self.next_plan(&sweep) else { return };
            self.set_phase(Phase::Preparing);
            let was_cancelled = self.is_cancelled.swap(false, Ordering::Relaxed);
            let run = (sweep.scene.clone(), sweep.log.clone());
            match Sweep::of_run(&self.recipe, next, run, PlanText { name: PLAN_NAME, text: "" }) {
                Ok(longer) => (sweep, makes) = (Arc::new(longer), true),
                Err(problems) => {
                    // The runs that the longer plan held up go on.
                    makes &= !was_cancelled;
                    lock(&self.state).refusal = Some(problems.to_string());
                }
            }
        }
    }

    fn publish(&self, sweep: &Arc<Sweep>) {
        let mut state = lock(&self.state);
        if !state.sweep.as_ref().is_some_and(|known| Arc::ptr_eq(known, sweep)) {
            (state.sweep, state.is_shown, state.refusal) = (Some(sweep.clone()), false, None);
        }
    }

    /// Waits for a longer plan, and paints missing pictures meanwhile; `None` if the sweep is closed.
    fn next_plan(&self, sweep: &Sweep) -> Option<Plan> {
        while !self.is_closed() {
            if let Some(plan) = lock(&self.next).take() {
                return Some(plan);
            }
            self.yield_when_due();
            if self.make_picture(sweep) {
                self.is_painting.store(true, Ordering::Relaxed);
            } else {
                // The window has a moment to show the last one.
                self.wait(Duration::from_secs(1), self.changes.load(Ordering::Relaxed));
                self.is_painting.store(false, Ordering::Relaxed);
            }
        }
        None
    }

    /// Makes the runs that are not done, then the tables and the report.
    fn make_runs(&self, sweep: &Sweep) -> anyhow::Result<()> {
        let folder = Folder::join(&self.folder, sweep)?;
        // Without a report, the sweep counts as interrupted until it is complete.
        drop(fs::remove_file(self.folder.join(REPORT)));
        drop(fs::remove_file(self.folder.join(CLOSED)));
        self.set_phase(Phase::Running);
        let log = folder.log(Shard::WHOLE)?;
        let (began, before) = (Instant::now(), lock(&self.state).made);
        let (first, held_ms) = (self.made.load(Ordering::Relaxed), self.held_ms.load(Ordering::Relaxed));
        let ended =
            |run: Run, outcome: &Outcome, simulation: &Simulation| self.keep_end(sweep, run, outcome, simulation);
        let finished = |_: Run, _: &Outcome, _: u64| {
            let made = self.made.fetch_add(1, Ordering::Relaxed) + 1 - first;
            let held_s = (self.held_ms.load(Ordering::Relaxed) - held_ms) as f64 / 1e3;
            let made_s = (began.elapsed().as_secs_f64() - held_s).max(0.0);
            lock(&self.state).made = (before.0 + made_s, before.1 + made);
        };
        let is_ending = || {
            self.yield_when_due();
            self.has_next()
        };
        let is_stopped = || self.is_stopped();
        let host =
            Host { threads: 1, is_stopped: &is_stopped, is_ending: &is_ending, ended: &ended, finished: &finished };
        // One core is left to the window.
        work(sweep, (folder.index()?, &log), Shard::WHOLE, cores().saturating_sub(1).max(1), &host)?;
        drop(log);
        if !self.is_closed() && !self.has_next() {
            let _lock = folder.lock_tables(&|| self.is_closed())?;
            report::conclude(sweep, &folder).context("the tables cannot be written")?;
            folder.compact(sweep)?;
        }
        Ok(())
    }

    /// Keeps the picture of a run, and its last state if the run takes long.
    fn keep_end(&self, sweep: &Sweep, run: Run, outcome: &Outcome, simulation: &Simulation) {
        let key = sweep.key(run);
        if let Some(end) = End::of(outcome, simulation) {
            lock(&self.ends).keep(key, end);
        }
        if pictures::is_wanted(sweep, run) {
            let theme = lock(&self.wishes).theme;
            // Without a picture, the figure is as good.
            if let Ok(png) = pictures::paint(simulation, theme) {
                pictures::write(&self.folder, key, theme, &png);
                lock(&self.pictures).keep(key, theme, png.into());
            }
        }
    }

    /// Makes a picture that is missing by repeating its run. Returns whether there was one.
    fn make_picture(&self, sweep: &Sweep) -> bool {
        let theme = lock(&self.wishes).theme;
        let done = lock(&self.state).results.done_of_points.clone();
        let runs = (0..sweep.points.len()).map(|point| Run { point, repetition: 0 });
        let mut wanted = runs.filter(|run| done.get(run.point).is_some_and(|done| *done > 0));
        let Some(run) = wanted
            .find(|run| pictures::is_wanted(sweep, *run) && !lock(&self.pictures).is_known(sweep.key(*run), theme))
        else {
            return false;
        };
        let is_stopped = || self.is_stopped() || self.has_next();
        let mut runner = Runner::new(sweep, 1, &is_stopped);
        let Some(outcome) = runner.run(run) else { return false };
        let simulation = runner.simulation().filter(|_| outcome.error.is_none());
        match simulation.map(|simulation| pictures::paint(simulation, theme)) {
            Some(Ok(png)) => {
                pictures::write(&self.folder, sweep.key(run), theme, &png);
                lock(&self.pictures).keep(sweep.key(run), theme, png.into());
            }
            _ => lock(&self.pictures).give_up(sweep.key(run), theme),
        }
        true
    }

    /// Keeps the statistics and the figure up to date.
    fn show(&self) {
        let mut shown: Option<Shown> = None;
        while !self.is_closed() {
            self.yield_when_due();
            let (began, changes) = (Instant::now(), self.changes.load(Ordering::Relaxed));
            let sweep = lock(&self.state).sweep.clone();
            if let Some(sweep) = sweep.filter(|_| Folder::is_at(&self.folder)) {
                let known = shown.take().filter(|shown| Arc::ptr_eq(&shown.sweep, &sweep));
                let is_new = known.is_none();
                match known.map_or_else(|| Shown::new(&self.folder, sweep), Ok) {
                    Ok(mut known) => {
                        known.refresh(self, is_new);
                        shown = Some(known);
                    }
                    Err(error) => self.set_phase(Phase::Failed(format!("{error:#}"))),
                }
            }
            let shortest = REFRESH[usize::from(self.began.elapsed() > NORMAL_PRIORITY_TIME)];
            self.wait(shortest.max(began.elapsed() * IDLE_FACTOR), changes);
        }
    }
}

/// The statistics of a sweep that is shown.
struct Shown {
    sweep: Arc<Sweep>,
    index: Index,
    results: Results,
    /// The point of each run, by its key.
    points: BTreeMap<u64, usize>,
    drawn: Option<(FigureRequest, u64)>,
}

impl Shown {
    fn new(folder: &Path, sweep: Arc<Sweep>) -> anyhow::Result<Self> {
        let index = Folder::open(folder)?.index()?;
        let results = Results::read(&sweep, &index);
        let points = sweep.runs().map(|run| (sweep.key(run), run.point)).collect();
        Ok(Self { sweep, index, results, points, drawn: None })
    }

    /// Takes in new runs and publishes what changed.
    fn refresh(&mut self, shared: &Shared, is_new: bool) {
        let found = match self.index.refresh() {
            Ok(found) => found,
            Err(error) => return shared.set_phase(Phase::Failed(format!("{error:#}"))),
        };
        let changed: BTreeSet<usize> = found.iter().filter_map(|key| self.points.get(key).copied()).collect();
        for point in &changed {
            self.results.set_point(&self.sweep, *point, &PointRuns::read(&self.sweep, &self.index, *point));
        }
        let wishes = lock(&shared.wishes).clone();
        let mut state = lock(&shared.state).clone();
        if is_new || !changed.is_empty() {
            state.version += 1;
            state.results = Arc::new(self.results.clone());
            state.figures = Arc::new(charts::of_measures(&self.sweep, &self.results));
        }
        let is_listed = state.runs.as_ref().map(|runs| runs.0) == wishes.point;
        if !is_listed || is_new || wishes.point.is_some_and(|point| changed.contains(&point)) {
            state.runs = wishes
                .point
                .filter(|point| *point < self.sweep.points.len())
                .map(|point| Arc::new((point, PointRuns::read(&self.sweep, &self.index, point).outcomes)));
        }
        let wanted = wishes.figure.map(|request| (request, state.version));
        if let Some((request, _)) = wanted.as_ref().filter(|wanted| self.drawn.as_ref() != Some(*wanted)) {
            let figure = match request.is_over_time() {
                true => {
                    let figures = charts::over_time(&self.sweep, &self.results, &self.index);
                    figures.into_iter().find(|(name, _)| *name == request.name).map(|(_, figure)| figure)
                }
                false => state.figures.iter().find(|(name, _)| *name == request.name).map(|(_, figure)| figure.clone()),
            };
            state.drawn = figure.map(|figure| Arc::new(draw(figure, request)));
        }
        self.drawn = wanted;
        // The other thread may have changed the rest in the meantime.
        let mut published = lock(&shared.state);
        (published.version, published.results, published.figures) = (state.version, state.results, state.figures);
        (published.runs, published.drawn) = (state.runs, state.drawn);
        published.is_shown = published.sweep.as_ref().is_some_and(|sweep| Arc::ptr_eq(sweep, &self.sweep));
    }
}
