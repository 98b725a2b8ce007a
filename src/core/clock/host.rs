//! A host of one simulation: it holds it, gives it time, and makes it anew.
//!
//! It knows no window: the lab drives it with frames, `verify` with random ones.

use swarmarium_base::problem::{Problem, Problems};

use crate::clock::wall::WallClock;
use crate::clock::{Clock, MAX_STEPS_PER_FRAME};
use crate::edit::{Edit, LoggedEdit};
use crate::scene::constants;
use crate::scene::description::{Scene, Time};
use crate::simulation::{Recipe, Simulation};
use crate::state::{ForeignSnapshot, Snapshot};
use crate::step::Workers;
use crate::time::Strategy;
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

/// What of the changes a new start keeps.
enum Kept {
    /// Nothing.
    Nothing,
    /// The runs of before. The run that is replaced is dropped: it was as it starts again, or belongs to the same change.
    Same,
    /// The run before it, too, which undoing the change with this name brings back.
    Before {
        /// The name.
        label: String,
        /// The parameters that it sets, by their paths.
        paths: String,
        /// The transaction of the change.
        transaction: u64,
    },
}

/// Holds a simulation and gives it time.
pub struct Host {
    simulation: Simulation,
    clock: Clock,
    wall: WallClock,
    recipe: Recipe,
    workers: Box<dyn Fn() -> Workers + Send + Sync>,
    /// The time scale of the simulation when it was last looked at: an edit may change it.
    seen_scale: f64,
    /// Whether time stands still when the run comes to its end, as the scene's `stop` has it.
    pub stops: bool,
    /// Whether the run had come to its end when it was last looked at: it may be led on from there.
    ended: bool,
    /// Changes of before a reset that its host tells of; undoing the reset brings back those of then.
    pub carried: Vec<Edit>,
    timeline: Timeline,
    /// Whether edits, keyframes and branches are kept on the timeline, so that the past can be seen and changed.
    keeps_past: bool,
    resimulation: Option<Resimulation>,
    /// The step that the present simulation goes on to.
    forward: Option<Forward>,
    /// A step to go to after an undo that is still simulated.
    next_seek: Option<u64>,
    /// A simulation that is used again for the next jump.
    spare: Option<Spare>,
    /// Edits that wait for the end of it, with their transactions.
    later: Vec<(Edit, u64)>,
    transaction: u64,
    swaps: u64,
    /// How often another ledger took the place of the present one.
    revision: u64,
    notes: Vec<String>,
}

impl Host {
    /// Makes the simulation of a scene, with the time scale that the scene asks for.
    ///
    /// # Errors
    /// When the scene asks for what cannot be.
    pub fn new(scene: &Scene, recipe: &Recipe, threads: usize) -> Result<Self, Problems> {
        Self::with_workers(scene, recipe, move || Workers::new(threads))
    }

    /// As [`new`](Self::new), with the threads that `workers` makes for each new simulation.
    ///
    /// # Errors
    /// As there.
    pub fn with_workers(
        scene: &Scene,
        recipe: &Recipe,
        workers: impl Fn() -> Workers + Send + Sync + 'static,
    ) -> Result<Self, Problems> {
        let mut simulation = Simulation::with_workers(scene, recipe, workers())?;
        simulation.begin_at((WallClock::default().unix_s)());
        Ok(Self::around(simulation, scene, recipe, workers))
    }

    /// Holds a simulation that was made of a scene and a recipe.
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
            clock: Clock::of(&scene.time),
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

    /// The clock, to pause it, to ask it for single steps and to change its strategy;
    /// the time scale is changed by [`set_scale`](Self::set_scale), so that it is logged.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Takes other clocks for those of the machine; the run begins at the time that they tell.
    pub fn read_clocks(&mut self, wall: WallClock) {
        self.wall = wall;
        self.simulation.begin_at((self.wall.unix_s)());
    }

    /// The scene that the simulation was made from: with it, the log of edits gives the same run again.
    pub fn start(&self) -> &Scene {
        self.timeline.present().start()
    }

    /// The scene as it is now, edits included.
    pub fn scene(&self) -> &Scene {
        self.simulation.scene()
    }

    /// Queues an edit for the next step, as a transaction of its own.
    ///
    /// # Errors
    /// When the change makes no sense now; then nothing is queued.
    pub fn apply(&mut self, edit: Edit) -> Result<(), Problem> {
        let transaction = self.new_transaction();
        self.apply_in(edit, transaction)
    }

    /// As [`apply`](Self::apply), as part of a transaction. What clients tell components has none.
    ///
    /// # Errors
    /// As there.
    pub fn apply_in(&mut self, edit: Edit, transaction: u64) -> Result<(), Problem> {
        let transaction = if edit.can_be_undone() { transaction } else { 0 };
        if self.is_resimulating() {
            self.simulation.check(&edit)?;
            self.later.push((edit, transaction));
            return Ok(());
        }
        if self.is_in_past() {
            if let Edit::TimeScale { .. } = edit {
                // How fast the past is shown is no part of it.
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
        // Others wait: there is nothing new in the log.
        if is_of_population {
            self.note_edits();
        }
        Ok(())
    }

    /// As [`apply_in`](Self::apply_in), for several edits one after the other; what came of each, for
    /// those that make no sense are left out. Where many robots come or go, all of them are looked at once.
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

    /// Queues edits that a log has one after the other, exactly as they are there; why some make no sense.
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

    /// Queues an edit that a log has, exactly as it is there.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
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

    /// Applies the edits that wait now, between two steps, exactly as the next step would.
    pub fn flush_edits(&mut self) {
        if self.simulation.flush_edits() {
            self.note_edits();
        }
    }

    /// Changes the time scale at once, and by an edit, so that it is logged.
    ///
    /// # Errors
    /// When the scale is no number.
    pub fn set_scale(&mut self, scale: f64) -> Result<(), Problem> {
        let transaction = self.new_transaction();
        self.set_scale_in(scale, transaction)
    }

    /// As [`set_scale`](Self::set_scale), as part of a transaction.
    ///
    /// # Errors
    /// As there.
    pub fn set_scale_in(&mut self, scale: f64, transaction: u64) -> Result<(), Problem> {
        let before = self.clock.scale();
        self.clock.set_scale(scale);
        let scale = self.clock.scale();
        if scale == before { Ok(()) } else { self.apply_in(Edit::TimeScale { scale }, transaction) }
    }

    /// Gives the simulation a frame: as many steps as the clock wants and the budget allows; the steps done.
    ///
    /// `real_s` is the real time since the last frame. The budget is asked after each step whether there is time for
    /// another one, so a frame that wants a step gets at least one. `on_step` sees the simulation after each step.
    ///
    /// While a run is [simulated again](Self::resimulate), it goes on with that, and does no step. In the past of a branch,
    /// its edits are made again at their steps; after its last step, the branch goes on.
    pub fn advance(&mut self, real_s: f64, budget: impl FnMut() -> bool, on_step: impl FnMut(&Simulation)) -> u64 {
        if self.is_resimulating() {
            self.advance_rework(budget, |_| {});
            return 0;
        }
        let wanted = self.clock.frame(real_s, self.simulation.time().dt_s);
        if wanted == 0 && self.clock.paused {
            // What is changed while time stands still is seen at once.
            self.flush_edits();
        }
        let steps = self.run(wanted, budget, on_step);
        self.clock.ran(steps, real_s);
        self.follow_edits();
        steps
    }

    /// Does steps that others ask for, such as clients, with `real_s` seconds of real time since the last frame; the steps
    /// done.
    pub fn advance_led(&mut self, steps: u64, real_s: f64, on_step: impl FnMut(&Simulation)) -> u64 {
        if self.is_resimulating() {
            self.advance_rework(|| false, |_| {});
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

    /// Takes the edits that were applied, for hosts that write them as they come.
    pub fn take_edits(&mut self) -> Vec<LoggedEdit> {
        self.simulation.take_edits()
    }

    /// Runs towards a step whatever the clock says, as far as the budget allows; the steps done.
    pub fn advance_to(&mut self, step: u64, budget: impl FnMut() -> bool, on_step: impl FnMut(&Simulation)) -> u64 {
        self.run(step.saturating_sub(self.simulation.steps()), budget, on_step)
    }

    /// Whether the run came to its end with the last step.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Goes to a snapshot of this simulation, or of another one of the same scene and recipe.
    ///
    /// # Errors
    /// When the snapshot is of a simulation with other plugins; then nothing is changed.
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

    /// Does a step of the present branch: in its past as it was, then as a new one. `on_step` sees its end.
    fn do_step(&mut self, on_step: &mut impl FnMut(&Simulation)) {
        let is_past = self.is_in_past();
        if is_past {
            self.replay_next();
        }
        let began_s = (self.wall.steady_s)();
        self.simulation.step(1);
        let step_s = (self.wall.steady_s)() - began_s;
        self.clock.took(began_s, step_s);
        if self.keeps_past && !is_past {
            self.timeline.follow(&self.simulation);
            self.timeline.keyframes.note_step(step_s);
            self.keep_keyframe();
        }
        on_step(&self.simulation);
        if is_past {
            self.arrive();
        }
    }

    /// Lets time stand still when the run comes to its end, once.
    fn comes_to_end(&mut self) -> bool {
        let ended = self.stops && self.simulation.is_at_end();
        // Each collision counts; whoever goes on beyond the end of a run does so.
        let now = ended && (!self.ended || self.simulation.has_crashed());
        self.ended = ended;
        self.clock.paused |= now;
        now
    }

    /// Edits from elsewhere, such as a log, may ask for another time scale.
    fn follow_edits(&mut self) {
        let scale = self.simulation.time_scale();
        if scale != self.seen_scale {
            self.seen_scale = scale;
            self.clock.set_scale(scale);
        }
    }

    /// Starts again with the scene as edited, by edits that still wait too, so that edits of counts, spawners, arena, clock and seed take effect:
    /// a new simulation. Pause stays as it is, and the time scale unless it was edited as a parameter of the scene.
    ///
    /// To start again without the edits, [`load`](Self::load) the scene of before.
    ///
    /// # Errors
    /// When the simulation cannot be made; then the old one stays.
    pub fn reset(&mut self) -> Result<(), Problems> {
        self.cancel_rework();
        self.flush_edits();
        let (scene, is_fresh) = (self.simulation.scene().clone(), self.is_fresh());
        let kept = if is_fresh { Kept::Same } else { self.kept_before("Reset") };
        self.start_as(scene, kept)
    }

    /// Keeps the run before a new start, which undoing a change with this name brings back.
    fn kept_before(&mut self, label: &str) -> Kept {
        Kept::Before { label: label.into(), paths: String::new(), transaction: self.new_transaction() }
    }

    /// Starts again with other values of parameters, as one change of this transaction that can be undone.
    ///
    /// Further calls with the same transaction, such as those of one drag, are part of that change: undoing it brings back
    /// the run before the first of them.
    ///
    /// # Errors
    /// When a value makes no sense, or the simulation cannot be made; then the old one stays.
    pub fn restart_with(&mut self, changes: &[constants::Change], transaction: u64) -> Result<(), Problems> {
        self.cancel_rework();
        self.flush_edits();
        let scene = self.simulation.scene().clone();
        self.restart_from(scene, changes, transaction)
    }

    /// As [`restart_with`](Self::restart_with), with the changes made to a given scene instead of the present one.
    ///
    /// # Errors
    /// As there.
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
            return self.start_as(scene, Kept::Before { label, paths, transaction });
        }
        self.start_as(scene, Kept::Same)?;
        self.rename_last_start(label, paths);
        Ok(())
    }

    /// Whether the run is as it started, so that a reset changes nothing.
    fn is_fresh(&self) -> bool {
        let branch = self.timeline.present();
        self.simulation.steps() == 0 && self.live_end() == 0 && branch.ledger.count() == 0
    }

    /// Starts again with the scene as edited and another seed.
    ///
    /// # Errors
    /// When the simulation cannot be made; then the old one stays.
    pub fn reset_with_seed(&mut self, seed: u64) -> Result<(), Problems> {
        self.cancel_rework();
        self.flush_edits();
        let mut scene = self.simulation.scene().clone();
        constants::set(self.recipe.kinds(), &mut scene, "seed", &seed.to_string())
            .map_err(|problem| Problems { source_name: scene.name.clone(), problems: vec![problem] })?;
        let kept = self.kept_before("Reset with another seed");
        self.start_as(scene, kept)
    }

    /// Starts with a given scene, as a reset that can be undone.
    ///
    /// # Errors
    /// When the simulation cannot be made; then the old one stays.
    pub fn revert(&mut self, scene: Scene) -> Result<(), Problems> {
        self.start_again(scene, "Reverted all changes")
    }

    /// As [`revert`](Self::revert), with a name for the change.
    ///
    /// # Errors
    /// As there.
    pub fn start_again(&mut self, scene: Scene, label: &str) -> Result<(), Problems> {
        let kept = self.kept_before(label);
        self.start_as(scene, kept)
    }

    /// Starts with a given scene; what was changed before cannot be undone any more. Pause stays as it is; time scale and
    /// strategy, too, as long as the scene asks for the same.
    ///
    /// # Errors
    /// When the simulation cannot be made; then the old one stays.
    pub fn load(&mut self, scene: Scene) -> Result<(), Problems> {
        self.start_as(scene, Kept::Nothing)
    }

    fn start_as(&mut self, scene: Scene, kept: Kept) -> Result<(), Problems> {
        let (wanted, before) = (scene.time, self.start().time);
        let scale = if wanted.scale == before.scale { self.clock.scale() } else { wanted.scale };
        let strategy = if wanted.strategy == before.strategy { self.clock.strategy } else { wanted.strategy };
        self.start_at(scene, (scale, strategy), kept)
    }

    /// Starts with another scene, with the time scale and the strategy that it asks for. Pause stays as it is.
    ///
    /// # Errors
    /// When the simulation cannot be made; then the old one stays.
    pub fn open(&mut self, scene: Scene) -> Result<(), Problems> {
        let Time { scale, strategy, .. } = scene.time;
        self.start_at(scene, (scale, strategy), Kept::Nothing)
    }

    fn start_at(&mut self, scene: Scene, (scale, strategy): (f64, Strategy), kept: Kept) -> Result<(), Problems> {
        let simulation = Simulation::with_workers(&scene, &self.recipe, (self.workers)())?;
        self.cancel_rework();
        match kept {
            Kept::Before { label, paths, transaction } if self.keeps_past => {
                self.begin_branch(scene, (label, paths), transaction);
            }
            Kept::Same if self.keeps_past => {
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
            // The new log says what holds from its first step on; a scale in its range is never refused.
            let _ = self.simulation.apply(Edit::TimeScale { scale });
        }
        Ok(())
    }
}
