//! Opening the folder of a run: branches, bookmarks, and one of its moments.

use std::collections::BTreeMap;

use swarmarium_core::simulation::Simulation;
use swarmarium_core::timeline::{BranchId, Moment, SavedTimeline, TimelineError};
use swarmarium_formats::load::load;
use swarmarium_formats::run_folder::{RunFolder, RunMoment};

use crate::Lab;

/// A run to open, with its past.
#[derive(Clone, Debug)]
pub struct RunToOpen {
    /// The folder.
    pub folder: RunFolder,
    /// The moment to show.
    pub moment: RunMoment,
    /// Whether the moment was requested explicitly; the run is then paused there.
    pub shows_moment: bool,
}

/// The known state hashes of a run. Another build or another machine can produce others.
pub struct KnownHashes {
    branch: BranchId,
    /// The hashes by step.
    hashes: BTreeMap<u64, u64>,
    /// The message about the first step whose state differs.
    message: Box<dyn Fn(u64) -> String + Send + Sync>,
    /// The first step with another hash.
    differs_at: Option<u64>,
}

impl KnownHashes {
    /// The hashes of a branch by step, and the message about the first step whose state differs.
    pub fn new(
        branch: BranchId,
        hashes: BTreeMap<u64, u64>,
        message: impl Fn(u64) -> String + Send + Sync + 'static,
    ) -> Self {
        Self { branch, hashes, message: Box::new(message), differs_at: None }
    }

    /// The hash of a step.
    pub fn hash_at(&self, step: u64) -> Option<u64> {
        self.hashes.get(&step).copied()
    }
}

impl super::TimelineState {
    /// Compares a state of a branch with its known hash.
    pub fn check_hash(&mut self, branch: Option<BranchId>, simulation: &Simulation) {
        let Some(known) = self.known_hashes.as_mut().filter(|known| Some(known.branch) == branch) else { return };
        let step = simulation.steps();
        let is_other = known.hashes.get(&step).is_some_and(|hash| *hash != simulation.hash().0);
        if is_other && known.differs_at.is_none_or(|first| step < first) {
            known.differs_at = Some(step);
        }
    }

    /// Discards the hashes after a step, since an undo changes the states there.
    pub fn forget_hashes_after(&mut self, step: u64) {
        if let Some(known) = &mut self.known_hashes {
            known.hashes.retain(|at, _| *at <= step);
        }
    }
}

impl Lab {
    /// Opens the folder of a run at its start.
    pub(crate) fn open_run(&mut self, folder: RunFolder) {
        let file = folder.scene_file();
        let loaded = load(self.recipe.kinds(), &file, &[]);
        let path = folder.path().to_path_buf();
        let dt_s = loaded.as_ref().map_or(0.0, |loaded| loaded.scene.time.dt_s);
        if self.open_loaded(&file, loaded) {
            self.settings.add_recent(&path);
            match folder.moment(None, None, dt_s) {
                Ok(moment) => {
                    let done = self.take_run(&RunToOpen { folder, moment, shows_moment: false });
                    self.tell(done);
                }
                Err(error) => self.tell_error(error),
            }
        }
    }

    /// Loads the branches and bookmarks of the run whose scene was just opened, and goes to one of its moments.
    ///
    /// # Errors
    /// When the branches do not belong to the scene.
    pub(crate) fn take_run(&mut self, run: &RunToOpen) -> Result<(), TimelineError> {
        let RunToOpen { folder, moment, shows_moment } = run;
        let saved = SavedTimeline { present: moment.branch.clone(), ..folder.timeline().clone() };
        self.host.load_timeline(&saved)?;
        self.timeline.saved_revision = Some(self.host.timeline().revision());
        // The present branch can differ from the one at the start.
        self.plots.run = self.host.run_number();
        let (branch, hashes) = (self.host.moment().branch, folder.hashes_of(&moment.branch));
        if !hashes.is_empty() {
            let folder = folder.clone();
            let message = move |step| folder.difference(step);
            self.timeline.known_hashes = Some(KnownHashes::new(branch, hashes, message));
        }
        if *shows_moment {
            self.host.clock_mut().paused = true;
            self.go_to(Moment { branch, step: moment.step });
        }
        Ok(())
    }

    /// Reports once the first step whose state differs from that of the opened run.
    pub(crate) fn tell_foreign_state(&mut self) {
        if let Some(KnownHashes { message, differs_at: Some(step), .. }) =
            self.timeline.known_hashes.take_if(|known| known.differs_at.is_some())
        {
            self.tell_error(message(step));
        }
    }
}
