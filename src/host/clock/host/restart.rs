//! Restarts of a host: a reset, other values, another scene.

use swarmarium_base::problem::Problems;
use swarmarium_core::time::Strategy;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::description::{Scene, Time};
use swarmarium_simulation::edit::{Edit, parts};

use super::{Host, paths_of};
use crate::clock::MAX_STEPS_PER_FRAME;

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

/// The settings of the clock at a start.
struct ClockSettings {
    /// The time scale of the clock.
    scale: f64,
    /// The time scale after the edits of scene and clients.
    logged_scale: f64,
    strategy: Strategy,
}

impl Host {
    /// Restarts with the edited scene, pending edits included, so that edits of counts, spawners, arena, clock and seed
    /// take effect in a new simulation. Pause stays as it is, and so does the time scale unless it was edited as a
    /// parameter of the scene.
    ///
    /// To restart without the edits, [`load`](Self::load) the earlier scene.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn reset(&mut self) -> Result<(), Problems> {
        let scene = self.edited_scene();
        let is_fresh = self.is_fresh();
        let kept = if is_fresh { KeptRuns::Same } else { self.kept_before("Restarted") };
        self.start_as(scene, kept)
    }

    /// The scene with all edits, after the end of any undo in progress.
    fn edited_scene(&mut self) -> Scene {
        self.cancel_resimulation();
        self.flush_edits();
        self.simulation.scene().clone()
    }

    /// Keeps the run before a new start; undoing a change with this name restores it.
    fn kept_before(&mut self, label: &str) -> KeptRuns {
        KeptRuns::Before { label: label.into(), paths: String::new(), transaction: self.new_transaction() }
    }

    /// Restarts with changes of the scene, such as other values of parameters or added parts, as one undoable change of
    /// this transaction.
    ///
    /// Further calls with the same transaction, such as those of one drag, are part of that change: undoing it restores
    /// the run before the first of them.
    ///
    /// # Errors
    /// If a change is not valid or the simulation cannot be made; then the old one stays.
    pub fn restart_with(&mut self, changes: &[Edit], transaction: u64) -> Result<(), Problems> {
        let scene = self.edited_scene();
        self.start_changed(scene, changes, transaction)
    }

    /// As [`restart_with`](Self::restart_with), applied to a given scene instead of the present one.
    ///
    /// # Errors
    /// See [`restart_with`](Self::restart_with).
    pub fn restart_from(&mut self, scene: Scene, changes: &[Edit], transaction: u64) -> Result<(), Problems> {
        self.cancel_resimulation();
        self.flush_edits();
        self.start_changed(scene, changes, transaction)
    }

    fn start_changed(&mut self, mut scene: Scene, changes: &[Edit], transaction: u64) -> Result<(), Problems> {
        let edits: Vec<&Edit> = changes.iter().collect();
        // A removed part has its name in the scene before.
        let ledger = &self.timeline.present().ledger;
        let (label, paths) = (ledger.words_of(&edits, &self.simulation), paths_of(&edits));
        self.change(&mut scene, changes)?;
        if ledger.has_changes() || !self.last_start_is_of(transaction) {
            return self.start_as(scene, KeptRuns::Before { label, paths, transaction });
        }
        self.start_as(scene, KeptRuns::Same)?;
        self.rename_last_start(label, paths);
        Ok(())
    }

    fn change(&self, scene: &mut Scene, changes: &[Edit]) -> Result<(), Problems> {
        for edit in changes {
            parts::change(self.recipe.kinds(), scene, edit)
                .map_err(|problem| Problems { source_name: scene.name.clone(), problems: vec![problem] })?;
        }
        Ok(())
    }

    /// The scene with all edits, pending ones included, and further changes: the one that
    /// [`restart_with`](Self::restart_with) starts.
    ///
    /// # Errors
    /// If a change is not valid.
    pub fn scene_with(&self, changes: &[Edit]) -> Result<Scene, Problems> {
        let mut scene = self.simulation.scene_ahead().clone();
        self.change(&mut scene, changes)?;
        Ok(scene)
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
        let mut scene = self.edited_scene();
        constants::set(self.recipe.kinds(), &mut scene, "seed", &seed.to_string())
            .map_err(|problem| Problems { source_name: scene.name.clone(), problems: vec![problem] })?;
        let kept = self.kept_before("Restarted with another seed");
        self.start_as(scene, kept)
    }

    /// Restarts with a given scene, as an undoable reset.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn revert(&mut self, scene: Scene) -> Result<(), Problems> {
        self.start_again(scene, "Restarted without changes")
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
        // An edit of the scale of the scene takes effect at this start; later ones keep the scale of the clock.
        let is_same = wanted.scale == before.scale;
        let scale = if is_same { self.clock.scale() } else { wanted.scale };
        let logged_scale = if is_same { self.simulation.time_scale() } else { wanted.scale };
        let strategy = if wanted.strategy == before.strategy { self.clock.strategy } else { wanted.strategy };
        self.start_at(scene, ClockSettings { scale, logged_scale, strategy }, kept)
    }

    /// Starts with another scene and its time scale and strategy. Pause stays as it is.
    ///
    /// # Errors
    /// If the simulation cannot be made; then the old one stays.
    pub fn open(&mut self, scene: Scene) -> Result<(), Problems> {
        let Time { scale, strategy, .. } = scene.time;
        self.start_at(scene, ClockSettings { scale, logged_scale: scale, strategy }, KeptRuns::Nothing)
    }

    fn start_at(&mut self, scene: Scene, clock: ClockSettings, kept: KeptRuns) -> Result<(), Problems> {
        let simulation = self.simulation_to_start(&scene)?;
        self.cancel_resimulation();
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
        let ClockSettings { scale, logged_scale, strategy } = clock;
        self.clock.strategy = strategy;
        self.ended = false;
        self.seen_scale = self.simulation.time_scale();
        self.clock.restart();
        self.clock.set_scale(scale);
        if logged_scale != self.seen_scale {
            // The new log contains the scale that clients have requested; one that was valid before is valid now.
            let _ = self.simulation.apply(Edit::TimeScale { scale: logged_scale });
            self.seen_scale = logged_scale;
        }
        Ok(())
    }
}
