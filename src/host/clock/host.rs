//! A host of one simulation: it holds the simulation, runs its steps and restarts it.
//!
//! It knows no window: the lab drives it with frames, `verify` with random ones.

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::state::{ForeignSnapshot, Snapshot};
use swarmarium_core::step::Workers;
use swarmarium_core::time::Strategy;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::description::{Scene, Time};
use swarmarium_simulation::edit::{Edit, LoggedEdit, Turns};
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::clock::wall::WallClock;
use crate::clock::{Clock, MAX_STEPS_PER_FRAME};
use crate::timeline::{BranchId, Timeline};

mod difference;
mod resimulation;
mod search;
mod seek;
mod twin;
mod undo;

pub use crate::timeline::{Change, Names, in_words, lower, paths_of};
pub use difference::{Difference, DifferenceSearch};
pub use resimulation::Progress;
pub use search::{Direction, MomentSearch};
pub use twin::{Twin, TwinPlan};

use resimulation::{Forward, Resimulation, Spare};

/// The earlier runs that a new start keeps.
enum KeptRuns {
    /// Nothing.
    Nothing,
    /// The runs before the replaced one. The replaced run is dropped: it is unchanged since its start, or belongs to
    /// the same change.
    Same,
    /// The runs before the replaced one, and the replaced run, which undoing the change with this name restores.
    Before {
        /// The name.
        label: String,
        /// The parameters that the change sets, by their paths.
        paths: String,
        /// The transaction of the change.
        transaction: u64,
    },
}

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

    /// The clock, to pause it, to request single steps and to change its strategy. Change the time scale with
    /// [`set_scale`](Self::set_scale), which logs it.
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

    /// Changes the time scale at once, through an edit, so that the change is logged.
    ///
    /// # Errors
    /// If the scale is not a number.
    pub fn set_scale(&mut self, scale: f64) -> Result<(), Problem> {
        let transaction = self.new_transaction();
        self.set_scale_in(scale, transaction)
    }

    /// As [`set_scale`](Self::set_scale), as part of a transaction.
    ///
    /// # Errors
    /// See [`set_scale`](Self::set_scale).
    pub fn set_scale_in(&mut self, scale: f64, transaction: u64) -> Result<(), Problem> {
        let before = self.clock.scale();
        self.clock.set_scale(scale);
        let scale = self.clock.scale();
        if scale == before { Ok(()) } else { self.apply_in(Edit::TimeScale { scale }, transaction) }
    }

    /// Runs a frame: as many steps as the clock requests and the budget allows. Returns the number of steps done.
    ///
    /// `real_s` is the real time since the last frame. The budget is asked after each step whether there is time for
    /// another one, so a frame with a step due runs at least one. `on_step` is called with the simulation after each
    /// step.
    ///
    /// During a [resimulation](Self::resimulate), the frame continues it and runs no step. In the past of a branch, the
    /// edits of the branch are applied again at their steps; after its last step, the branch continues.
    pub fn advance(&mut self, real_s: f64, budget: impl FnMut() -> bool, on_step: impl FnMut(&Simulation)) -> u64 {
        if self.is_resimulating() {
            self.continue_resimulation(budget, |_| {});
            return 0;
        }
        let wanted = self.clock.frame(real_s, self.simulation.time().dt_s);
        if wanted == 0 && self.clock.paused {
            // Changes made while the clock is paused are visible at once.
            self.flush_edits();
        }
        let steps = self.run(wanted, budget, on_step);
        self.clock.ran(steps, real_s);
        self.follow_edits();
        steps
    }

    /// Runs steps that others request, such as clients, with `real_s` seconds of real time since the last frame.
    /// Returns the number of steps done.
    pub fn advance_by_clients(&mut self, steps: u64, real_s: f64, on_step: impl FnMut(&Simulation)) -> u64 {
        if self.is_resimulating() {
            self.continue_resimulation(|| false, |_| {});
            return 0;
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
    pub fn advance_to(&mut self, step: u64, budget: impl FnMut() -> bool, on_step: impl FnMut(&Simulation)) -> u64 {
        self.run(step.saturating_sub(self.simulation.steps()), budget, on_step)
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
        self.note_step(began_s, is_past);
        on_step(&self.simulation);
        if is_past {
            self.arrive();
        }
    }

    fn note_step(&mut self, began_s: f64, is_past: bool) {
        let step_s = (self.wall.steady_s)() - began_s;
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
        self.note_step(began_s, false);
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

    /// Restarts with the edited scene, pending edits included, so that edits of counts, spawners, arena, clock and seed
    /// take effect in a new simulation. Pause stays as it is, and so does the time scale unless it was edited as a
    /// parameter of the scene.
    ///
    /// To restart without the edits, [`load`](Self::load) the earlier scene.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn reset(&mut self) -> Result<(), Problems> {
        self.cancel_rework();
        self.flush_edits();
        let (scene, is_fresh) = (self.simulation.scene().clone(), self.is_fresh());
        let kept = if is_fresh { KeptRuns::Same } else { self.kept_before("Reset") };
        self.start_as(scene, kept)
    }

    /// Keeps the run before a new start; undoing a change with this name restores it.
    fn kept_before(&mut self, label: &str) -> KeptRuns {
        KeptRuns::Before { label: label.into(), paths: String::new(), transaction: self.new_transaction() }
    }

    /// Restarts with other values of parameters, as one undoable change of this transaction.
    ///
    /// Further calls with the same transaction, such as those of one drag, are part of that change: undoing it restores
    /// the run before the first of them.
    ///
    /// # Errors
    /// If a value is not valid or the simulation cannot be made; then the old one stays.
    pub fn restart_with(&mut self, changes: &[constants::Change], transaction: u64) -> Result<(), Problems> {
        self.cancel_rework();
        self.flush_edits();
        let scene = self.simulation.scene().clone();
        self.restart_from(scene, changes, transaction)
    }

    /// As [`restart_with`](Self::restart_with), applied to a given scene instead of the present one.
    ///
    /// # Errors
    /// See [`restart_with`](Self::restart_with).
    pub fn restart_from(
        &mut self,
        mut scene: Scene,
        changes: &[constants::Change],
        transaction: u64,
    ) -> Result<(), Problems> {
        self.cancel_rework();
        self.flush_edits();
        for constants::Change { path, value } in changes {
            constants::set(self.recipe.kinds(), &mut scene, path, value)
                .map_err(|problem| Problems { source_name: scene.name.clone(), problems: vec![problem] })?;
        }
        let edits = changes.iter().map(|change| Edit::Set { path: change.path.clone(), value: change.value.clone() });
        let edits: Vec<Edit> = edits.collect();
        let edits: Vec<&Edit> = edits.iter().collect();
        let ledger = &self.timeline.present().ledger;
        let (label, paths) = (ledger.words_of(&edits, &self.simulation), paths_of(&edits));
        if ledger.has_changes() || !self.last_start_is_of(transaction) {
            return self.start_as(scene, KeptRuns::Before { label, paths, transaction });
        }
        self.start_as(scene, KeptRuns::Same)?;
        self.rename_last_start(label, paths);
        Ok(())
    }

    /// Whether the run is unchanged since its start, so that a reset changes nothing.
    fn is_fresh(&self) -> bool {
        let branch = self.timeline.present();
        self.simulation.steps() == 0 && self.live_end() == 0 && branch.ledger.count() == 0
    }

    /// Restarts with the edited scene and another seed.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn reset_with_seed(&mut self, seed: u64) -> Result<(), Problems> {
        self.cancel_rework();
        self.flush_edits();
        let mut scene = self.simulation.scene().clone();
        constants::set(self.recipe.kinds(), &mut scene, "seed", &seed.to_string())
            .map_err(|problem| Problems { source_name: scene.name.clone(), problems: vec![problem] })?;
        let kept = self.kept_before("Reset with another seed");
        self.start_as(scene, kept)
    }

    /// Restarts with a given scene, as an undoable reset.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn revert(&mut self, scene: Scene) -> Result<(), Problems> {
        self.start_again(scene, "Reverted all changes")
    }

    /// As [`revert`](Self::revert), with a name for the change.
    ///
    /// # Errors
    /// See [`revert`](Self::revert).
    pub fn start_again(&mut self, scene: Scene, label: &str) -> Result<(), Problems> {
        let kept = self.kept_before(label);
        self.start_as(scene, kept)
    }

    /// Starts with a given scene; earlier changes cannot be undone any more. Pause stays as it is, and so do time scale
    /// and strategy if the scene requests the same ones as before.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn load(&mut self, scene: Scene) -> Result<(), Problems> {
        self.start_as(scene, KeptRuns::Nothing)
    }

    fn start_as(&mut self, scene: Scene, kept: KeptRuns) -> Result<(), Problems> {
        let (wanted, before) = (scene.time, self.start().time);
        let scale = if wanted.scale == before.scale { self.clock.scale() } else { wanted.scale };
        let strategy = if wanted.strategy == before.strategy { self.clock.strategy } else { wanted.strategy };
        self.start_at(scene, (scale, strategy), kept)
    }

    /// Starts with another scene and its time scale and strategy. Pause stays as it is.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn open(&mut self, scene: Scene) -> Result<(), Problems> {
        let Time { scale, strategy, .. } = scene.time;
        self.start_at(scene, (scale, strategy), KeptRuns::Nothing)
    }

    fn start_at(&mut self, scene: Scene, (scale, strategy): (f64, Strategy), kept: KeptRuns) -> Result<(), Problems> {
        let simulation = Simulation::with_workers(&scene, &self.recipe, (self.workers)())?;
        self.cancel_rework();
        match kept {
            KeptRuns::Before { label, paths, transaction } if self.keeps_past => {
                self.begin_branch(scene, (label, paths), transaction);
            }
            KeptRuns::Same if self.keeps_past => {
                self.timeline.begin_again(scene);
                self.revision += 1;
            }
            _ => self.forget_changes(scene),
        }
        (self.simulation, self.spare) = (simulation, None);
        let scene = self.timeline.present().start();
        self.clock.max_steps_per_frame = scene.time.steps_per_frame(MAX_STEPS_PER_FRAME);
        self.simulation.begin_at((self.wall.unix_s)());
        self.keep_start();
        self.clock.strategy = strategy;
        self.ended = false;
        self.seen_scale = self.simulation.time_scale();
        self.clock.restart();
        self.clock.set_scale(scale);
        let scale = self.clock.scale();
        if scale != self.seen_scale {
            // The new log contains the settings that hold from its first step on; a scale in its range is never
            // refused.
            let _ = self.simulation.apply(Edit::TimeScale { scale });
        }
        Ok(())
    }
}
