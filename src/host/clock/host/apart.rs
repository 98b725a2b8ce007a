//! Long steps, which run on a thread of their own while the present state stays readable.
//!
//! A step that is expected to be long runs on a copy of the present simulation. At its end, the copy takes the place of
//! the present simulation, which becomes the next copy. A cancelled step is dropped with its copy. The copy has all
//! registered state, so results are those of steps in place.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use swarmarium_base::problem::Problems;
use swarmarium_core::step::Workers;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::Host;
use super::twin::Twin;

/// The real duration from which on a step is long, in seconds.
const LONG_S: f64 = 0.025;
/// The real duration from which on one long step is enough to expect another one, in seconds. A shorter one can be due to
/// another program.
const VERY_LONG_S: f64 = 0.1;
/// The number of agents from which on a step of unknown duration is expected to be long.
pub(super) const MANY_AGENTS: usize = 2000;
/// The number of threads with steps, cancelled ones included, that run at the same time.
const MOST_THREADS: usize = 3;

/// A piece of work for a thread.
type Work = Box<dyn FnOnce() + Send>;

/// Work on a thread of its own. Dropping it abandons the work: its thread ends with it, and its result is lost.
pub struct Apart<T> {
    result: Receiver<thread::Result<T>>,
    began: Instant,
}

impl<T: Send + 'static> Apart<T> {
    /// Begins the work; at once, if the system cannot create a thread. At its end, the calling thread is woken if it is
    /// parked.
    pub fn begin(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let began = Instant::now();
        let (sender, result) = channel();
        let (caller, (give, given)) = (thread::current(), channel());
        let work = move || {
            // The receiver is gone if the work was abandoned.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
            caller.unpark();
        };
        let thread = thread::Builder::new().name("apart".into());
        // Without a thread, nobody receives the work.
        let _ = thread.spawn(move || given.recv().map(|work: Work| work()));
        if let Err(SendError(work)) = give.send(Box::new(work) as Work) {
            work();
        }
        Self { result, began }
    }

    /// The result, once; `None` while the work is in progress.
    ///
    /// # Panics
    /// If the work has panicked, with the same message.
    pub fn poll(&self) -> Option<T> {
        match self.result.try_recv() {
            Ok(Ok(done)) => Some(done),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => resume_unwind(Box::new("a thread was lost") as Box<dyn Any + Send>),
        }
    }

    /// The real time since the beginning.
    pub fn since(&self) -> Duration {
        self.began.elapsed()
    }
}

/// Real durations of the last two steps, in seconds, and the number of agents then.
#[derive(Clone, Copy)]
pub(super) struct StepCost {
    last_s: f64,
    before_s: f64,
    agents: usize,
}

impl StepCost {
    /// The cost after another step.
    fn after(cost: Option<Self>, step_s: f64, agents: usize) -> Self {
        Self { last_s: step_s, before_s: cost.map_or(0.0, |cost| cost.last_s), agents }
    }

    /// Whether the next step is expected to be long.
    fn expects_long(cost: Option<Self>, agents: usize) -> bool {
        match cost {
            Some(Self { last_s, before_s, agents: known }) if agents < MANY_AGENTS || agents <= known + known / 2 => {
                last_s > VERY_LONG_S || last_s.min(before_s) > LONG_S
            }
            _ => agents >= MANY_AGENTS,
        }
    }
}

/// A simulation after a long step, and the real duration of the step in seconds.
pub(super) struct Stepped {
    pub simulation: Box<Simulation>,
    pub step_s: f64,
}

impl Stepped {
    /// Runs a step.
    fn of(mut simulation: Box<Simulation>) -> Self {
        let began = Instant::now();
        simulation.step(1);
        Self { simulation, step_s: began.elapsed().as_secs_f64() }
    }
}

/// The simulation of a resimulation, which a thread may have for a long step.
pub(super) enum Seat {
    /// The simulation is here.
    Here(Box<Simulation>),
    /// A thread runs a step of it, from the end of a step on.
    Away(Apart<Stepped>, u64),
}

impl Seat {
    /// The number of completed steps.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Here(simulation) => simulation.steps(),
            Self::Away(_, steps) => *steps,
        }
    }
}

/// The place of a twin, which a thread may have for a long step.
pub(super) enum TwinPlace {
    /// The twin is here.
    Here(Box<Twin>),
    /// A thread runs a step of it.
    Away(Apart<Box<Twin>>),
    /// A thread with the twin has failed.
    Lost,
}

impl TwinPlace {
    /// Takes the twin; `None` while a thread has it.
    pub fn take(&mut self) -> Option<Box<Twin>> {
        match std::mem::replace(self, Self::Lost) {
            Self::Here(twin) => Some(twin),
            Self::Away(work) => {
                let twin = work.poll();
                if twin.is_none() {
                    *self = Self::Away(work);
                }
                twin
            }
            Self::Lost => None,
        }
    }
}

/// A long step of the present simulation.
pub(super) struct LiveStep {
    work: Apart<Result<Stepped, Problems>>,
    /// The present simulation when the step began. If it has changed since, the step counts for nothing.
    of: Stamp,
    began_s: f64,
    is_past: bool,
}

/// The identity of a state of the present simulation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    steps: u64,
    run: u64,
    swaps: u64,
    changes: u64,
}

/// A long step in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongStep {
    /// The number of the step.
    pub step: u64,
    /// The real time since its beginning, in seconds.
    pub since_s: f64,
    /// The real duration of the last step, in seconds; `None` if it is unknown.
    pub last_s: Option<f64>,
}

/// Everything that is needed to make the simulation of a new start, possibly on another thread.
pub struct StartPlan {
    scene: Scene,
    recipe: Recipe,
    workers: Workers,
}

/// The simulation of a new start, for [`Host::keep_prepared`].
pub struct PreparedStart {
    simulation: Box<Simulation>,
    text: String,
}

impl StartPlan {
    /// Makes the simulation.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make(self) -> Result<PreparedStart, Problems> {
        let Self { scene, recipe, workers } = self;
        let text = write(recipe.kinds(), &scene, Style::Full);
        let simulation = Simulation::with_workers(&scene, &recipe, workers)?;
        Ok(PreparedStart { simulation: Box::new(simulation), text })
    }
}

/// A simulation of a scene whose state a snapshot replaces: its spawners have not run yet.
pub(super) fn to_be_restored(scene: &Scene, recipe: &Recipe, workers: Workers) -> Result<Simulation, Problems> {
    Simulation::with_workers(&Scene { spawn_before_first_step: false, ..scene.clone() }, recipe, workers)
}

impl Host {
    /// The long step of the present simulation that is in progress; `None` if there is none.
    pub fn long_step(&self) -> Option<LongStep> {
        let live = self.live.as_ref()?;
        Some(LongStep {
            step: live.of.steps + 1,
            since_s: live.work.since().as_secs_f64(),
            last_s: self.cost.map(|cost| cost.last_s),
        })
    }

    /// Whether there is nothing to do before a thread has done a long step.
    pub fn waits_for_thread(&self) -> bool {
        let is_lent = self.resimulation.as_ref().is_some_and(|of| matches!(of.seat, Seat::Away(..)));
        // Cancelled steps may use all threads.
        is_lent || self.live.is_some() || (self.runs_live_apart() && !self.has_free_thread())
    }

    /// Cancels the long step of the present simulation and pauses. The present state stays, and so do edits that wait for
    /// the end of the step. Returns whether there was such a step.
    pub fn cancel_long_step(&mut self) -> bool {
        let was_running = self.live.take().is_some();
        if was_running {
            self.forward = None;
            self.clock.pause();
            self.make_up();
        }
        was_running
    }

    /// Takes the real time, in seconds, of the long steps of the present simulation since the last call.
    pub fn take_time_apart_s(&mut self) -> f64 {
        std::mem::take(&mut self.apart_s)
    }

    /// The plan to make the simulation of a new start with a scene.
    pub fn plan_start(&self, scene: Scene) -> StartPlan {
        StartPlan { scene, recipe: self.recipe.clone(), workers: (self.workers)() }
    }

    /// Keeps the simulation of a new start for the next start with its scene.
    pub fn keep_prepared(&mut self, prepared: PreparedStart) {
        self.prepared = Some(prepared);
    }

    /// Whether the simulation of a start with this scene is prepared.
    pub fn has_prepared(&self, scene: &Scene) -> bool {
        let is_of = |prepared: &PreparedStart| prepared.text == write(self.recipe.kinds(), scene, Style::Full);
        self.prepared.as_ref().is_some_and(is_of)
    }

    /// The simulation of a new start: the prepared one, if there is one.
    pub(super) fn simulation_to_start(&mut self, scene: &Scene) -> Result<Simulation, Problems> {
        let is_prepared = self.has_prepared(scene);
        match self.prepared.take().filter(|_| is_prepared) {
            Some(PreparedStart { simulation, .. }) => Ok(*simulation),
            None => Simulation::with_workers(scene, &self.recipe, (self.workers)()),
        }
    }

    /// Whether a step with this number of agents runs on a thread of its own.
    pub(super) fn runs_apart(&self, agents: usize) -> bool {
        self.long_steps_apart && StepCost::expects_long(self.cost, agents)
    }

    fn stamp(&self) -> Stamp {
        let (simulation, run) = (&self.simulation, self.run_number());
        Stamp { steps: simulation.steps(), run, swaps: self.swaps, changes: simulation.changes_outside_arena() }
    }

    /// Whether the next step of the present simulation runs on a thread of its own.
    pub(super) fn runs_live_apart(&self) -> bool {
        self.live.is_some() || self.runs_apart(self.simulation.count())
    }

    /// Begins a long step, or ends the one that is done. Returns the number of completed steps.
    pub(super) fn run_apart(&mut self, on_step: &mut impl FnMut(&Simulation)) -> u64 {
        let Some(live) = self.live.take() else {
            if self.has_free_thread() {
                self.live = Some(self.begin_live());
            }
            return 0;
        };
        let Some(done) = live.work.poll() else {
            self.live = Some(live);
            return 0;
        };
        let steps = match done {
            // Something else has changed the simulation, such as a client: the step is done again.
            _ if live.of != self.stamp() => 0,
            Ok(stepped) => {
                self.adopt(stepped, &live, on_step);
                1
            }
            Err(problems) => {
                // The copy cannot be made, although the simulation could.
                self.notes.push(problems.to_string());
                self.clock.pause();
                0
            }
        };
        if self.forward.is_none() {
            self.make_up();
        }
        steps
    }

    /// Begins the next step on a copy of the present simulation.
    fn begin_live(&mut self) -> LiveStep {
        let is_past = self.is_in_past();
        let due: Vec<LoggedEdit> = if is_past {
            self.timeline.present().ledger.applied_at(self.simulation.steps() + 1)
        } else {
            self.flush_edits();
            Vec::new()
        };
        let snapshot = self.simulation.keyframe();
        let (log, scale) = (self.simulation.edits().to_vec(), self.simulation.time_scale());
        let (start, recipe) = (self.timeline.present().shared_start().clone(), self.recipe.clone());
        let copy = self.spare_of(&start);
        let workers = if copy.is_none() { (self.workers)() } else { Workers::default() };
        let (epoch_s, thread) = (self.simulation.epoch_s(), self.threads.clone());
        let work = move || {
            let _thread = thread;
            let made = copy.map_or_else(|| to_be_restored(&start, &recipe, workers), Ok);
            let mut simulation = Box::new(made?);
            simulation.begin_at(epoch_s);
            let restored = simulation.go_back_to(&snapshot, log, scale);
            restored.map_err(|error| Problems::of_file("snapshot", error.to_string()))?;
            for run in due.chunk_by(LoggedEdit::goes_with) {
                // An edit that was valid once is valid again.
                drop(simulation.replay_run(run));
            }
            Ok(Stepped::of(simulation))
        };
        LiveStep { work: Apart::begin(work), of: self.stamp(), began_s: (self.wall.steady_s)(), is_past }
    }

    /// Replaces the present simulation by its copy, which is one step ahead.
    fn adopt(
        &mut self,
        Stepped { simulation, step_s }: Stepped,
        live: &LiveStep,
        on_step: &mut impl FnMut(&Simulation),
    ) {
        let before = std::mem::replace(&mut self.simulation, *simulation);
        self.keep_spare(before, self.timeline.present().id());
        self.apart_s += step_s;
        self.note_step((live.began_s, step_s), live.is_past);
        on_step(&self.simulation);
        if live.is_past {
            self.arrive();
        }
    }

    /// Lends a simulation to a thread for a step; returns it if cancelled steps still use the threads.
    pub(super) fn lend(&self, simulation: Box<Simulation>) -> Seat {
        if !self.has_free_thread() {
            return Seat::Here(simulation);
        }
        let (steps, thread) = (simulation.steps(), self.threads.clone());
        let work = move || {
            let _thread = thread;
            Stepped::of(simulation)
        };
        Seat::Away(Apart::begin(work), steps)
    }

    /// Runs a step of a twin, on a thread of its own if it is expected to be long.
    pub(super) fn step_twin(&self, mut twin: Box<Twin>) -> TwinPlace {
        if !self.runs_apart(twin.simulation().count()) || !self.has_free_thread() {
            twin.step();
            return TwinPlace::Here(twin);
        }
        let thread = self.threads.clone();
        TwinPlace::Away(Apart::begin(move || {
            let _thread = thread;
            twin.step();
            twin
        }))
    }

    /// Whether a thread may begin a step; those of cancelled steps may still run.
    fn has_free_thread(&self) -> bool {
        Arc::strong_count(&self.threads) <= MOST_THREADS
    }

    /// Records the cost of a step.
    pub(super) fn note_cost(&mut self, step_s: f64, agents: usize) {
        self.cost = Some(StepCost::after(self.cost, step_s, agents));
    }
}
