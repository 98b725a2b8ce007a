//! Branches, moments and bookmarks.

use std::fmt;
use std::sync::Arc;

use swarmarium_core::state::Snapshot;
use swarmarium_core::text::wording::suggestion;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::{Edit, LoggedEdit};

use super::ledger::{Change, Ledger};

/// The number of a branch: later ones have higher numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchId(pub u64);

/// The end of a step on a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The branch.
    pub branch: BranchId,
    /// The number of steps since the start; 0 is the start.
    pub step: u64,
}

/// A moment with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// The name. No two bookmarks have the same one.
    pub name: String,
    /// The moment.
    pub moment: Moment,
}

/// The reason why an operation on a timeline is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimelineError {
    /// The host keeps no past.
    #[error("this run keeps no past: only its present state is available")]
    NotKept,
    /// The run has begun already.
    #[error("the run is at step {0}: branches of a file can only be loaded at its start")]
    NotAtStart(u64),
    /// The branch ends before the step.
    #[error("branch `{branch}` has no step {step}: it has steps 0 to {end}")]
    NoStep {
        /// The name of the branch.
        branch: String,
        /// The step.
        step: u64,
        /// The last step of the branch.
        end: u64,
    },
    /// There is no such branch.
    #[error("there is no branch `{name}`{hint}")]
    NoBranch {
        /// The name or number.
        name: String,
        /// A similar name, or the names of all branches, as part of a message.
        hint: String,
    },
    /// There is no such bookmark.
    #[error("there is no bookmark `{name}`{hint}")]
    NoBookmark {
        /// The name.
        name: String,
        /// A similar name, or the names of all bookmarks, as part of a message.
        hint: String,
    },
    /// Another branch or bookmark has the name.
    #[error("the name `{0}` is taken")]
    NameTaken(String),
    /// A name is empty, or could be read as a number or a time.
    #[error("`{0}` is not a valid name: a name must not be empty, a number or a time")]
    NoName(String),
    /// The branches share so many edits that their logs do not fit into memory.
    #[error("the branches repeat more than {0} edits of those that they leave")]
    TooManyEdits(usize),
    /// The branch is the present one, or other branches leave it.
    #[error("branch `{0}` cannot be deleted: it is the present branch, or other branches start from it")]
    InUse(String),
    /// The simulation of the branch cannot be made.
    #[error("{0}")]
    Simulation(String),
}

/// The state of a branch when it was left, for a return without resimulation.
#[derive(Clone)]
pub(crate) struct Parked {
    /// The step of the last edits in it; the next step, if they were made while the clock was paused.
    pub edits_until: u64,
    /// The state.
    pub snapshot: Snapshot,
}

/// One possible course of a run.
#[derive(Clone)]
pub struct Branch {
    pub(super) id: BranchId,
    pub(super) name: String,
    pub(super) parent: Option<Moment>,
    pub(super) start: Arc<Scene>,
    /// All edits since the root.
    pub(crate) ledger: Ledger,
    pub(super) end: u64,
    /// The branch before the reset that began this one, and that reset.
    pub(crate) before: Option<(BranchId, Change)>,
    /// The branch after an undone reset.
    pub(crate) after: Option<BranchId>,
    pub(crate) parked: Option<Parked>,
    pub(crate) carried: Vec<Edit>,
    /// The time of the start for clients, in seconds.
    pub(crate) epoch_s: f64,
}

impl TimelineError {
    /// The error of a branch that is not among those with these names.
    pub(super) fn no_branch(name: &str, names: &[&str]) -> Self {
        Self::NoBranch { name: name.into(), hint: suggestion(name, names) }
    }

    /// The error of a bookmark that is not among those with these names.
    pub(super) fn no_bookmark(name: &str, names: &[&str]) -> Self {
        Self::NoBookmark { name: name.into(), hint: suggestion(name, names) }
    }
}

impl Branch {
    pub(super) fn root(id: BranchId, name: String, start: Arc<Scene>) -> Self {
        Self {
            id,
            name,
            parent: None,
            start,
            ledger: Ledger::default(),
            end: 0,
            before: None,
            after: None,
            parked: None,
            carried: Vec::new(),
            epoch_s: 0.0,
        }
    }

    /// The number.
    pub fn id(&self) -> BranchId {
        self.id
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last moment that the branch shares with its parent; `None` for a root.
    pub fn parent(&self) -> Option<Moment> {
        self.parent
    }

    /// The scene at the root.
    pub fn start(&self) -> &Scene {
        &self.start
    }

    pub(crate) fn shared_start(&self) -> &Arc<Scene> {
        &self.start
    }

    /// The last simulated step.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// All edits since the root that are not undone, with their steps: with the scene at the root, they reproduce the
    /// branch.
    pub fn edits(&self) -> Vec<LoggedEdit> {
        self.applied().cloned().collect()
    }

    /// As [`edits`](Self::edits), without a copy.
    pub fn applied(&self) -> impl Iterator<Item = &LoggedEdit> {
        self.ledger.applied()
    }
}

impl fmt::Debug for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, name, parent, end, .. } = self;
        write!(f, "Branch({}, {name}, parent {parent:?}, end {end})", id.0)
    }
}
