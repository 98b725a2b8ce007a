//! A host of one simulation: it holds the simulation, runs its steps and restarts it.
//!
//! It knows no window: the lab drives it with frames, `verify` with random ones.

use std::sync::Arc;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::state::{ForeignSnapshot, Snapshot};
use swarmarium_core::step::Workers;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::edit::{Edit, LoggedEdit, Turns};
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::clock::Clock;
use crate::clock::wall::WallClock;
use crate::timeline::{BranchId, Timeline};

pub mod ahead;
pub mod apart;
mod difference;
mod resimulation;
mod restart;
mod search;
mod seek;
mod twin;
mod undo;

pub use crate::timeline::{Change, Names, in_words, paths_of};
pub use difference::{Difference, DifferenceSearch};
pub use resimulation::Progress;
pub use search::{Direction, MomentSearch, Seek};
pub use twin::{Twin, TwinPlan};

use apart::{LiveStep, PreparedStart, StepCost};
use resimulation::{Forward, Resimulation, Spare};

/// Holds a simulation and runs its steps.
pub struct Host {
    simulation: Simulation,
    clock: Clock,
    wall: WallClock,
    recipe: Recipe,
    workers: Box<dyn Fn() -> Workers + Send + Sync>,
    /// The last known time scale of the simulation, which an edit may change.
    seen_scale: f64,
    /// Whether the clock pauses at the end of the run, which the `stop` of the scene defines.
    pub stops: bool,
    /// Whether the run had ended at the last check; it may continue from there.
    ended: bool,
    /// Changes before a reset that the host still lists; undoing the reset restores those of that time.
    pub carried: Vec<Edit>,
    timeline: Timeline,
    /// Whether edits, keyframes and branches are kept on the timeline, so that the past can be shown and changed.
    keeps_past: bool,
    resimulation: Option<Resimulation>,
    /// The step that the present simulation is seeking forward to.
    forward: Option<Forward>,
    /// A step to seek to after an undo that is still resimulated.
    next_seek: Option<u64>,
    /// A simulation that is reused for the next jump.
    spare: Option<Spare>,
    /// Edits that wait for the end of the resimulation, with their transactions.
    later: Vec<(Edit, u64)>,
    transaction: u64,
    swaps: u64,
    /// The number of times that another ledger replaced the present one.
    revision: u64,
    notes: Vec<String>,
    /// Whether long steps run on threads of their own, so that the present state can be read meanwhile. It changes no
    /// result.
    pub long_steps_apart: bool,
    /// The cost of the last steps.
    cost: Option<StepCost>,
    /// The long step of the present simulation that is in progress.
    live: Option<LiveStep>,
    /// Shared by the threads of long steps, cancelled ones included.
    threads: Arc<()>,
    /// The real time of long steps that the owner does not know yet, in seconds.
    apart_s: f64,
    /// The simulation of the next start.
    prepared: Option<PreparedStart>,
}

impl Host {
    /// Creates a host with the simulation of a scene and the time scale of the scene.
    ///
    /// # Errors
    /// If the scene is not valid.
    pub fn new(scene: &Scene, recipe: &Recipe, threads: usize) -> Result<Self, Problems> {
        Self::with_workers(scene, recipe, move || Workers::new(threads))
    }

    /// As [`new`](Self::new), with threads from `workers` for each new simulation.
    ///
    /// # Errors
    /// See [`new`](Self::new).
    pub fn with_workers(
        scene: &Scene,
        recipe: &Recipe,
        workers: impl Fn() -> Workers + Send + Sync + 'static,
    ) -> Result<Self, Problems> {
        let mut simulation = Simulation::with_workers(scene, recipe, workers())?;
        simulation.begin_at((WallClock::default().unix_s)());
        Ok(Self::around(simulation, scene, recipe, workers))
    }

    /// Creates a host of a simulation that was made from a scene and a recipe.
    fn around(
        simulation: Simulation,
        scene: &Scene,
        recipe: &Recipe,
        workers: impl Fn() -> Workers + Send + Sync + 'static,
    ) -> Self {
        Self {
            seen_scale: simulation.time_scale(),
            simulation,
            timeline: Timeline::new(scene.clone(), BranchId(0)),
            clock: Clock::from_time(&scene.time),
            wall: WallClock::default(),
            recipe: recipe.clone(),
            workers: Box::new(workers),
            stops: false,
            ended: false,
            carried: Vec::new(),
            keeps_past: false,
            resimulation: None,
            forward: None,
            next_seek: None,
            spare: None,
            later: Vec::new(),
            transaction: 0,
            swaps: 0,
            revision: 0,
            notes: Vec::new(),
            long_steps_apart: false,
            cost: None,
            live: None,
            threads: Arc::default(),
            apart_s: 0.0,
            prepared: None,
        }
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The clock, to pause it, to request single steps, and to change its strategy or its time scale.
    ///
    /// A time scale that is set here is a setting of this host: it is not an edit, so it is neither logged nor undone, and it
    /// stays over jumps and resets. [`set_scale`](Self::set_scale) is for clients, whose requests are logged.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Replaces the clocks of the machine; the run begins at the time that they show.
    pub fn set_wall_clock(&mut self, wall: WallClock) {
        self.wall = wall;
        self.simulation.begin_at((self.wall.unix_s)());
    }

    /// The scene that the simulation was made from: together with the log of edits, it gives the same run again.
    pub fn start(&self) -> &Scene {
        self.timeline.present().start()
    }

    /// The present scene, including edits.
    pub fn scene(&self) -> &Scene {
        self.simulation.scene()
    }

    /// Queues an edit for the next step, as a transaction of its own.
    ///
    /// # Errors
    /// If the edit is not valid at this point; then nothing is queued.
    pub fn apply(&mut self, edit: Edit) -> Result<(), Problem> {
        let transaction = self.new_transaction();
        self.apply_in(edit, transaction)
    }

    /// As [`apply`](Self::apply), as part of a transaction. Calls and feeds of clients have none.
    ///
    /// # Errors
    /// See [`apply`](Self::apply).
    pub fn apply_in(&mut self, edit: Edit, transaction: u64) -> Result<(), Problem> {
        let transaction = if edit.can_be_undone() { transaction } else { 0 };
        if self.is_resimulating() {
            self.simulation.check(&edit)?;
            self.later.push((edit, transaction));
            return Ok(());
        }
        if self.is_in_past() {
            if let Edit::TimeScale { .. } = edit {
                // The replay speed of the past is not part of it.
                return self.simulation.check(&edit);
            }
            self.simulation.check(&edit)?;
            self.leave_branch();
        }
        if self.keeps_past {
            self.timeline.present_mut().ledger.note_name(&self.simulation, &edit);
        }
        let is_of_population = edit.is_of_population();
        self.simulation.apply_in(edit, transaction)?;
        if transaction > 0 {
            self.forget_redo();
        }
        // Other edits wait: there is nothing new in the log.
        if is_of_population {
            self.note_edits();
        }
        Ok(())
    }

    /// As [`apply_in`](Self::apply_in), for several edits in order. Returns the result of each; invalid edits are left
    /// out. Edits that add or remove many robots are checked together.
    pub fn apply_all(&mut self, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        edits.chunk_by(Edit::goes_with).flat_map(|run| self.apply_run(run, transaction)).collect()
    }

    fn apply_run(&mut self, run: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        if run.len() == 1 || self.is_resimulating() {
            return run.iter().map(|edit| self.apply_in(edit.clone(), transaction)).collect();
        }
        if self.is_in_past() {
            let checked = self.simulation.check_all(run);
            if checked.iter().all(Result::is_err) {
                return checked;
            }
            self.leave_branch();
        }
        if self.keeps_past {
            let ledger = &mut self.timeline.present_mut().ledger;
            run.iter().for_each(|edit| ledger.note_name(&self.simulation, edit));
        }
        let done = self.simulation.apply_run(run, transaction);
        if transaction > 0 && done.iter().any(Result::is_ok) {
            self.forget_redo();
        }
        self.note_edits();
        done
    }

    /// Queues consecutive edits of a log exactly as recorded; returns the problems of those that are not valid.
    pub fn replay_all(&mut self, log: &[LoggedEdit]) -> Vec<Problem> {
        if !log.is_empty() && self.is_in_past() {
            self.leave_branch();
        }
        let latest = log.iter().map(|logged| logged.transaction).max();
        self.transaction = self.transaction.max(latest.unwrap_or_default());
        let done = log.chunk_by(LoggedEdit::goes_with).flat_map(|run| self.simulation.replay_run(run));
        let problems = done.filter_map(Result::err).collect();
        self.note_edits();
        problems
    }

    /// Queues an edit of a log exactly as recorded.
    ///
    /// # Errors
    /// See [`apply`](Self::apply).
    pub fn replay(&mut self, logged: LoggedEdit) -> Result<(), Problem> {
        self.transaction = self.transaction.max(logged.transaction);
        if self.is_in_past() {
            self.simulation.check(&logged.edit)?;
            self.leave_branch();
        }
        self.simulation.replay(logged)?;
        self.note_edits();
        Ok(())
    }

    /// Applies the pending edits between two steps, exactly as the next step would.
    pub fn flush_edits(&mut self) {
        if self.simulation.flush_edits() {
            self.note_edits();
        }
    }

    /// Changes the time scale at once, through an edit, so that the change is logged. It cannot be undone.
    ///
    /// # Errors
    /// If the scale is not a number.
    pub fn set_scale(&mut self, scale: f64) -> Result<(), Problem> {
        let before = self.clock.scale();
        self.clock.set_scale(scale);
        let scale = self.clock.scale();
        if scale == before { Ok(()) } else { self.apply_in(Edit::TimeScale { scale }, 0) }
    }

    /// Runs a frame: as many steps as the clock requests and the budget allows. Returns the number of steps done.
    ///
    /// `real_s` is the real time since the last frame. The budget is asked after each step whether there is time for
    /// another one, so a frame with a step due runs at least one. `on_step` is called with the simulation after each
    /// step.
    ///
    /// During a [resimulation](Self::resimulate), the frame continues it and runs no step. In the past of a branch, the
    /// edits of the branch are applied again at their steps; after its last step, the branch continues.
    ///
    /// With [`long_steps_apart`](Self::long_steps_apart), a step that is expected to be long takes several calls.
    pub fn advance(&mut self, real_s: f64, budget: impl FnMut() -> bool, on_step: impl FnMut(&Simulation)) -> u64 {
        if self.resimulation.is_some() || self.forward.is_some() {
            self.continue_resimulation(budget, |_| {});
            return 0;
        }
        let wanted = self.clock.frame(real_s, self.simulation.time().dt_s);
        if wanted == 0 && self.clock.paused {
            // Changes made while the clock is paused are visible at once.
            self.flush_edits();
        }
        let steps = self.run_or_begin(wanted, budget, on_step);
        self.clock.ran(steps, real_s);
        self.follow_edits();
        steps
    }

    /// Runs steps that others request, such as clients, with `real_s` seconds of real time since the last frame.
    /// Returns the number of steps done.
    pub fn advance_by_clients(&mut self, steps: u64, real_s: f64, on_step: impl FnMut(&Simulation)) -> u64 {
        if self.resimulation.is_some() || self.forward.is_some() {
            self.continue_resimulation(|| false, |_| {});
            return 0;
        }
        // Clients wait for their steps.
        if self.live.take().is_some() {
            self.make_up();
        }
        if steps == 0 && self.clock.paused {
            self.flush_edits();
        }
        self.clock.follow(steps, self.simulation.time().dt_s);
        let steps = self.run(steps, || true, on_step);
        self.clock.ran(steps, real_s);
        self.follow_edits();
        steps
    }

    /// Takes the applied edits, for hosts that write them continuously.
    pub fn take_edits(&mut self) -> Vec<LoggedEdit> {
        self.simulation.take_edits()
    }

    /// Runs towards a step regardless of the clock, as far as the budget allows. Returns the number of steps done.
    ///
    /// With [`long_steps_apart`](Self::long_steps_apart), a step that is expected to be long takes several calls.
    pub fn advance_to(&mut self, step: u64, budget: impl FnMut() -> bool, on_step: impl FnMut(&Simulation)) -> u64 {
        self.run_or_begin(step.saturating_sub(self.simulation.steps()), budget, on_step)
    }

    /// Whether the run ended with the last step.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Restores a snapshot of this simulation, or of another one of the same scene and recipe.
    ///
    /// # Errors
    /// If the snapshot is of a simulation with other plugins; then nothing is changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ForeignSnapshot> {
        self.simulation.restore(snapshot)?;
        self.ended = self.stops && self.simulation.is_at_end();
        Ok(())
    }

    /// Runs steps here, or begins or ends a long one on a thread. Returns the number of steps done.
    fn run_or_begin(&mut self, wanted: u64, budget: impl FnMut() -> bool, mut on_step: impl FnMut(&Simulation)) -> u64 {
        if self.live.is_none() && (wanted == 0 || !self.runs_live_apart()) {
            return self.run(wanted, budget, on_step);
        }
        let steps = self.run_apart(&mut on_step);
        if steps > 0 {
            self.comes_to_end();
        }
        steps
    }

    fn run(&mut self, wanted: u64, mut budget: impl FnMut() -> bool, mut on_step: impl FnMut(&Simulation)) -> u64 {
        let mut steps = 0;
        while steps < wanted {
            self.do_step(&mut on_step);
            steps += 1;
            if self.comes_to_end() || !budget() {
                break;
            }
        }
        steps
    }

    /// Runs one step of the present branch: a recorded one in its past, otherwise a new one. `on_step` is called at its
    /// end.
    fn do_step(&mut self, on_step: &mut impl FnMut(&Simulation)) {
        let is_past = self.is_in_past();
        if is_past {
            self.replay_next();
        }
        let began_s = (self.wall.steady_s)();
        self.simulation.step(1);
        self.note_step((began_s, (self.wall.steady_s)() - began_s), is_past);
        on_step(&self.simulation);
        if is_past {
            self.arrive();
        }
    }

    /// Records a step that is done, given its beginning by the steady clock and its duration, in seconds.
    fn note_step(&mut self, (began_s, step_s): (f64, f64), is_past: bool) {
        self.note_cost(step_s, self.simulation.count());
        self.clock.took(began_s, step_s);
        if self.keeps_past && !is_past {
            self.timeline.follow(&self.simulation);
            self.timeline.keyframes.note_step(step_s);
            self.keep_keyframe();
        }
    }

    /// Runs one new step in which a program acts in the turns of agents. In the past, it begins a branch.
    ///
    /// # Errors
    /// The failure of the program, or the problem of its edit; then the simulation is at the step before, and a branch
    /// that was begun stays.
    pub fn step_in_turns(&mut self, turns: Box<dyn Turns>) -> Result<(), Problem> {
        if self.is_in_past() {
            self.leave_branch();
        }
        self.flush_edits();
        let (edits, scale) = (self.simulation.edits().len(), self.simulation.time_scale());
        let before = self.simulation.keyframe();
        let began_s = (self.wall.steady_s)();
        if let Err(problem) = self.simulation.step_in_turns(turns) {
            let mut log = self.simulation.take_edits();
            log.truncate(edits);
            self.simulation.go_back_to(&before, log, scale).map_err(|error| Problem::of_file(error.to_string()))?;
            return Err(problem);
        }
        self.note_step((began_s, (self.wall.steady_s)() - began_s), false);
        self.comes_to_end();
        Ok(())
    }

    /// Pauses the clock when the run ends, once.
    fn comes_to_end(&mut self) -> bool {
        let ended = self.stops && self.simulation.is_at_end();
        // Each collision counts; a run that continues beyond its end is not paused again.
        let now = ended && (!self.ended || self.simulation.has_crashed());
        self.ended = ended;
        self.clock.paused |= now;
        now
    }

    /// Adopts the time scale that edits from elsewhere, such as a log, may have set.
    fn follow_edits(&mut self) {
        let scale = self.simulation.time_scale();
        if scale != self.seen_scale {
            self.seen_scale = scale;
            self.clock.set_scale(scale);
        }
    }
}
