//! Opening the folder of a run: branches, bookmarks, and one of its moments.

use std::collections::BTreeMap;

use swarmarium_formats::run_folder::{RunFolder, RunMoment};
use swarmarium_host::timeline::BranchId;

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
    /// The branch of the run.
    pub branch: BranchId,
    /// The hashes by step.
    pub hashes: BTreeMap<u64, u64>,
    /// The message about the first step whose state differs.
    pub message: Box<dyn Fn(u64) -> String + Send + Sync>,
    /// The first step with another hash.
    pub differs_at: Option<u64>,
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
