//! The timeline of a host: a tree of branches with keyframes and bookmarks.
//!
//! A root of the tree is a scene with its seed. A branch leaves its parent at the end of a step and has its own edits
//! from there on. Scene and edits reproduce every state of a branch, so keyframes only save time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use swarmarium_core::state::Snapshot;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Simulation;

mod branch;
pub mod file;
pub(crate) mod keyframes;
pub(crate) mod ledger;
mod words;

pub(crate) use branch::Parked;
pub use branch::{Bookmark, Branch, BranchId, Moment, TimelineError};
pub use file::SavedTimeline;
pub use keyframes::{DEFAULT_BUDGET_BYTES, KeyframeStats};
pub use ledger::Change;
pub use words::{Names, in_words, paths_of};

use keyframes::Keyframes;
use ledger::Ledger;

/// The largest number of edits in the logs of all branches of a file: each has the edits of those that it leaves.
const MOST_EDITS: usize = 4_000_000;
/// The largest number of branches with a parked state that undoing a reset restores.
const MOST_PARKED: usize = 16;

/// The branches of a host, their keyframes, and bookmarks.
///
/// ```
/// use swarmarium_host::clock::Host;
/// use swarmarium_simulation::prelude::*;
///
/// let mut host = Host::new(&Scene::default(), &Recipe::bare(), 1).unwrap();
/// host.keep_track();
/// host.advance_to(100, || true, |_| {});
/// let end = host.moment();
/// host.timeline_mut().bookmark("end", end)?;
/// host.fork(Some("other"))?;
/// assert_eq!(host.timeline().branches().len(), 2);
/// assert_eq!(host.timeline().bookmarked("end")?, end);
/// # Ok::<(), swarmarium_host::timeline::TimelineError>(())
/// ```
#[derive(Clone)]
pub struct Timeline {
    branches: BTreeMap<BranchId, Branch>,
    present: BranchId,
    /// The highest branch number so far.
    latest: BranchId,
    bookmarks: Vec<Bookmark>,
    pub(crate) keyframes: Keyframes,
    revision: u64,
}

impl Timeline {
    /// Creates a timeline with one branch, the root.
    pub(crate) fn new(start: Scene, id: BranchId) -> Self {
        let root = Branch::root(id, name_of(&BTreeSet::new(), "main"), start.into());
        Self {
            branches: BTreeMap::from([(id, root)]),
            present: id,
            latest: id,
            bookmarks: Vec::new(),
            keyframes: Keyframes::default(),
            revision: 0,
        }
    }

    /// Restarts with one branch, the root. The budget of the keyframes stays.
    pub(crate) fn restart(&mut self, start: Scene) {
        let budget = self.keyframes.stats().budget_bytes;
        let revision = self.revision + 1;
        *self = Self { revision, ..Self::new(start, BranchId(self.latest.0 + 1)) };
        self.keyframes.set_budget(budget);
    }

    /// The present branch.
    pub fn present(&self) -> &Branch {
        // The present branch is never removed.
        &self.branches[&self.present]
    }

    pub(crate) fn present_mut(&mut self) -> &mut Branch {
        let present = self.present;
        self.revision += 1;
        // The present branch is never removed, so it exists.
        self.branches.entry(present).or_insert_with(|| Branch::root(present, String::new(), Arc::default()))
    }

    /// All branches, oldest first.
    pub fn branches(&self) -> impl ExactSizeIterator<Item = &Branch> {
        self.branches.values()
    }

    /// A branch by its number.
    pub fn branch(&self, id: BranchId) -> Option<&Branch> {
        self.branches.get(&id)
    }

    /// The root from which a branch descends; the branch itself if it has no parent.
    pub fn root_of(&self, id: BranchId) -> BranchId {
        let parent = |id: &BranchId| Some(self.branch(*id)?.parent?.branch);
        std::iter::successors(Some(id), parent).last().unwrap_or(id)
    }

    /// The root of each branch, and the number of branches between.
    pub(crate) fn places(&self) -> BTreeMap<BranchId, (BranchId, usize)> {
        let mut places: BTreeMap<BranchId, (BranchId, usize)> = BTreeMap::new();
        let mut chain = Vec::new();
        for branch in self.branches.keys() {
            let mut next = Some(*branch);
            while let Some(id) = next.filter(|id| !places.contains_key(id)) {
                chain.push(id);
                next = self.branch(id).and_then(|branch| branch.parent).map(|parent| parent.branch);
            }
            let mut place = next.and_then(|id| places.get(&id).copied());
            while let Some(id) = chain.pop() {
                let own = place.map_or((id, 0), |(root, depth)| (root, depth + 1));
                places.insert(id, own);
                place = Some(own);
            }
        }
        places
    }

    /// A branch by its name.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn named(&self, name: &str) -> Result<&Branch, TimelineError> {
        self.branches.values().find(|branch| branch.name == name).ok_or_else(|| self.no_branch(name))
    }

    pub(crate) fn no_branch(&self, name: &str) -> TimelineError {
        let names: Vec<&str> = self.branches.values().map(Branch::name).collect();
        TimelineError::no_branch(name, &names)
    }

    /// All bookmarks, oldest first.
    pub fn bookmarks(&self) -> &[Bookmark] {
        &self.bookmarks
    }

    /// The moment of a bookmark.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn bookmarked(&self, name: &str) -> Result<Moment, TimelineError> {
        let found = self.bookmarks.iter().find(|bookmark| bookmark.name == name);
        found.map(|bookmark| bookmark.moment).ok_or_else(|| {
            let names: Vec<&str> = self.bookmarks.iter().map(|bookmark| bookmark.name.as_str()).collect();
            TimelineError::no_bookmark(name, &names)
        })
    }

    /// A number that changes whenever branches, bookmarks or edits change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The number and the size of the keyframes.
    pub fn keyframe_stats(&self) -> KeyframeStats {
        self.keyframes.stats()
    }

    /// Adds a bookmark at a moment.
    ///
    /// # Errors
    /// If the moment does not exist, or the name is empty, a number, or taken.
    pub fn bookmark(&mut self, name: &str, moment: Moment) -> Result<(), TimelineError> {
        let taken = self.bookmarks.iter().map(|bookmark| bookmark.name.as_str());
        let name = usable(name, taken)?;
        self.check(moment)?;
        // The part that both branches share stays if one of them is removed.
        let moment = self.owner(moment);
        self.bookmarks.push(Bookmark { name, moment });
        self.revision += 1;
        Ok(())
    }

    /// Removes a bookmark; returns whether there was one with this name.
    pub fn remove_bookmark(&mut self, name: &str) -> bool {
        let before = self.bookmarks.len();
        self.bookmarks.retain(|bookmark| bookmark.name != name);
        self.revision += 1;
        self.bookmarks.len() < before
    }

    /// Renames a branch.
    ///
    /// # Errors
    /// If there is no such branch, or the name is empty, a number, or taken.
    pub fn rename(&mut self, id: BranchId, name: &str) -> Result<(), TimelineError> {
        let others = self.branches.values().filter(|branch| branch.id != id).map(|branch| branch.name.as_str());
        let name = usable(name, others)?;
        let Some(branch) = self.branches.get_mut(&id) else { return Err(self.no_branch(&id.0.to_string())) };
        branch.name = name;
        self.revision += 1;
        Ok(())
    }

    /// Removes a branch with its bookmarks.
    ///
    /// # Errors
    /// If there is no such branch, it is the present one, or other branches leave it.
    pub fn remove(&mut self, id: BranchId) -> Result<(), TimelineError> {
        let Some(branch) = self.branches.get(&id) else { return Err(self.no_branch(&id.0.to_string())) };
        let is_left = self.branches.values().any(|other| other.parent.is_some_and(|parent| parent.branch == id));
        if id == self.present || is_left {
            return Err(TimelineError::InUse(branch.name.clone()));
        }
        self.drop_branch(id);
        Ok(())
    }

    fn drop_branch(&mut self, id: BranchId) {
        self.branches.remove(&id);
        self.keyframes.drop_branch(id);
        self.bookmarks.retain(|bookmark| bookmark.moment.branch != id);
        for branch in self.branches.values_mut() {
            branch.before.take_if(|(before, _)| *before == id);
            branch.after.take_if(|after| *after == id);
        }
        self.revision += 1;
    }

    /// Checks that a moment exists.
    ///
    /// # Errors
    /// If there is no such branch, or it ends before the step.
    pub fn check(&self, moment: Moment) -> Result<&Branch, TimelineError> {
        let branch = self.branch(moment.branch).ok_or_else(|| self.no_branch(&moment.branch.0.to_string()))?;
        if moment.step > branch.end {
            let (name, end) = (branch.name.clone(), branch.end);
            return Err(TimelineError::NoStep { branch: name, step: moment.step, end });
        }
        Ok(branch)
    }

    /// Records a new step of the present branch, with its edits.
    pub(crate) fn follow(&mut self, simulation: &Simulation) {
        let Some(branch) = self.branches.get_mut(&self.present) else { return };
        let step = simulation.steps();
        branch.end = branch.end.max(step);
        if simulation.edits().last().is_some_and(|last| last.step == step) {
            branch.ledger.take_in(simulation);
            self.revision += 1;
        }
    }

    /// Records that the present branch continues to a step.
    pub(crate) fn extend(&mut self, step: u64) {
        if let Some(branch) = self.branches.get_mut(&self.present) {
            branch.end = branch.end.max(step);
        }
    }

    /// The same moment on the branch that owns it: before a branch leaves its parent, that is the parent.
    pub(crate) fn owner(&self, moment: Moment) -> Moment {
        let mut moment = moment;
        while let Some(parent) = self.branch(moment.branch).and_then(|branch| branch.parent) {
            if moment.step > parent.step {
                break;
            }
            moment.branch = parent.branch;
        }
        moment
    }

    /// The step from which a jump to a moment simulates again: that of the last keyframe at or before it.
    pub fn begin_of_jump(&self, moment: Moment) -> u64 {
        self.keyframe_before(moment).map_or(0, |(step, _)| step)
    }

    /// The last keyframe at or before a moment, on its branch or on an ancestor.
    pub(crate) fn keyframe_before(&self, moment: Moment) -> Option<(u64, &Snapshot)> {
        let mut moment = moment;
        loop {
            let own = self.keyframes.at_or_before(moment.branch, moment.step);
            let parent = self.branch(moment.branch).and_then(|branch| branch.parent);
            match (own, parent) {
                (Some(own), None) => return Some(own),
                // Before the branch left its parent, the keyframes of the parent count.
                (Some(own), Some(parent)) if own.0 > parent.step => return Some(own),
                (_, Some(parent)) => {
                    moment = Moment { branch: parent.branch, step: parent.step.min(moment.step) };
                }
                (None, None) => return None,
            }
        }
    }

    /// Creates a branch that leaves the present one at the end of a step, and makes it the present one. If the clock is
    /// paused at the live end, the branch includes the edits of the next step.
    pub(crate) fn fork(&mut self, step: u64, edits_until: u64) -> BranchId {
        let id = self.next_id();
        let names: BTreeSet<&str> = self.branches.values().map(Branch::name).collect();
        let name = name_of(&names, "branch");
        let leaves = self.owner(Moment { branch: self.present, step });
        let present = self.present();
        let branch = Branch {
            id,
            name,
            parent: Some(leaves),
            start: present.start.clone(),
            ledger: present.ledger.until(edits_until),
            end: step,
            before: present.before.clone(),
            after: None,
            parked: None,
            carried: present.carried.clone(),
            epoch_s: present.epoch_s,
        };
        self.branches.insert(id, branch);
        self.present = id;
        self.revision += 1;
        id
    }

    /// Creates a new root after a reset of the present branch, and makes it the present one.
    pub(crate) fn begin(&mut self, start: Scene, reset: Change) -> BranchId {
        let id = self.next_id();
        let names: BTreeSet<&str> = self.branches.values().map(Branch::name).collect();
        let mut root = Branch::root(id, name_of(&names, "run"), start.into());
        root.before = Some((self.present, reset));
        self.branches.insert(id, root);
        self.present = id;
        self.forget_oldest_parked();
        self.revision += 1;
        id
    }

    /// Restarts the present branch with another scene; branches that leave it stay, as branches of their own root.
    pub(crate) fn begin_again(&mut self, start: Scene) {
        let id = self.present;
        let leaves_it = |branch: &Branch| Some((branch.id, branch.parent.filter(|parent| parent.branch == id)?.step));
        if let Some((heir, left)) = self.branches.values().find_map(leaves_it) {
            self.hand_over(id, heir, left);
        }
        self.keyframes.drop_branch(id);
        self.bookmarks.retain(|bookmark| bookmark.moment.branch != id);
        let branch = self.present_mut();
        let root = Branch::root(id, std::mem::take(&mut branch.name), start.into());
        *branch = Branch { before: branch.before.take(), ..root };
    }

    /// Transfers a branch to an heir that leaves it: the heir takes over the steps up to there, and the other branches
    /// that leave it then leave the heir.
    fn hand_over(&mut self, from: BranchId, heir: BranchId, left: u64) {
        let parent = self.branch(from).and_then(|branch| branch.parent);
        self.keyframes.copy(from, heir, 0, left);
        for branch in self.branches.values_mut() {
            match branch.parent {
                _ if branch.id == heir => branch.parent = parent,
                Some(of) if of.branch == from => {
                    // Their logs are complete: only the shared part gets shorter.
                    branch.parent = Some(Moment { branch: heir, step: 0 });
                }
                _ => {}
            }
        }
    }

    /// Records that the past of the present branch changed from a step on, as after undo: later keyframes are dropped,
    /// and branches that left it later leave it before that step.
    pub(crate) fn rewrite(&mut self, first: u64) {
        let id = self.present;
        let shared = first.saturating_sub(1);
        let later = |branch: &Branch| {
            let parent = branch.parent.filter(|parent| parent.branch == id && parent.step > shared)?;
            Some((branch.id, parent.step))
        };
        let leaving: Vec<(BranchId, u64)> = self.branches.values().filter_map(later).collect();
        for (child, left) in leaving {
            self.keyframes.copy(id, child, shared, left);
            if let Some(branch) = self.branches.get_mut(&child) {
                branch.parent = Some(Moment { branch: id, step: shared });
            }
        }
        self.keyframes.drop_after(id, shared);
        let parent = self.present().parent;
        if let Some(parent) = parent.filter(|parent| parent.step > shared) {
            let parent = self.owner(Moment { step: shared, ..parent });
            self.present_mut().parent = Some(parent);
        }
        self.present_mut().parked = None;
    }

    /// Adds the branches and bookmarks of a file to the present root, which has no others.
    ///
    /// # Errors
    /// If the logs of the branches have more than [`MOST_EDITS`] edits together; then nothing changes.
    pub(crate) fn adopt(&mut self, saved: &SavedTimeline) -> Result<(), TimelineError> {
        let logs = logs_of(saved)?;
        let mut known: BTreeMap<&str, BranchId> = BTreeMap::new();
        let (present, start, epoch_s) = (self.present, self.present().start.clone(), self.present().epoch_s);
        for (of, log) in saved.branches.iter().zip(logs) {
            let id = if known.is_empty() { present } else { self.next_id() };
            let mut branch = Branch::root(id, of.name.clone(), start.clone());
            let parent = of.parent.as_ref().and_then(|parent| known.get(parent.as_str()));
            branch.parent = parent.map(|parent| Moment { branch: *parent, step: of.leaves_at });
            branch.ledger = Ledger::from_log(log);
            (branch.end, branch.epoch_s) = (of.steps, epoch_s);
            self.branches.insert(id, branch);
            known.insert(&of.name, id);
        }
        let bookmark = |of: &file::SavedBookmark| {
            let moment = Moment { branch: *known.get(of.branch.as_str())?, step: of.step };
            Some(Bookmark { name: of.name.clone(), moment })
        };
        self.bookmarks = saved.bookmarks.iter().filter_map(bookmark).collect();
        self.present = known.get(saved.present.as_str()).copied().unwrap_or(present);
        self.revision += 1;
        Ok(())
    }

    /// Switches to another branch.
    pub(crate) fn switch_to(&mut self, id: BranchId) {
        if self.branches.contains_key(&id) {
            self.present = id;
            self.revision += 1;
        }
    }

    /// The branches before the resets that led to the present one, last one first.
    pub(crate) fn past(&self) -> impl Iterator<Item = (&Branch, &Change)> {
        let before = |branch: &Branch| {
            let (before, _) = branch.before.as_ref()?;
            self.branch(*before)
        };
        let chain = std::iter::successors(Some(self.present()), move |branch| before(branch));
        chain.filter_map(|branch| {
            let (before, reset) = branch.before.as_ref()?;
            Some((self.branch(*before)?, reset))
        })
    }

    /// The branches after undone resets, next one first.
    pub(crate) fn future(&self) -> impl Iterator<Item = (&Branch, &Change)> {
        let after = |branch: &Branch| self.branch(branch.after?);
        let chain = std::iter::successors(after(self.present()), move |branch| after(branch));
        chain.filter_map(|branch| Some((branch, &branch.before.as_ref()?.1)))
    }

    /// Discards undone resets at a new change: they cannot be redone any more. Their branches stay.
    pub(crate) fn forget_redo(&mut self) {
        if self.present().after.is_some() || self.present().ledger.first_undone().is_some() {
            let present = self.present_mut();
            present.after = None;
            present.ledger.forget_undone();
        }
    }

    /// Drops the oldest parked states: their resets cannot be undone any more.
    fn forget_oldest_parked(&mut self) {
        let parked: Vec<BranchId> =
            self.branches.values().filter(|branch| branch.parked.is_some()).map(Branch::id).collect();
        let budget = self.keyframes.stats().budget_bytes;
        let size = |id: &BranchId| {
            let parked = self.branch(*id).and_then(|branch| branch.parked.as_ref());
            parked.map_or(0, |parked| parked.snapshot.parts().map(|part| part.bytes).sum())
        };
        let (mut bytes, mut count): (usize, usize) = (parked.iter().map(size).sum(), parked.len());
        let mut gone = Vec::new();
        for id in parked {
            if count <= MOST_PARKED && bytes <= budget {
                break;
            }
            (bytes, count) = (bytes - size(&id), count - 1);
            gone.push(id);
        }
        for branch in self.branches.values_mut() {
            if gone.contains(&branch.id) {
                branch.parked = None;
            }
            branch.before.take_if(|(before, _)| gone.contains(before));
        }
    }

    fn next_id(&mut self) -> BranchId {
        self.latest.0 += 1;
        self.latest
    }
}

impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.branches.values()).finish()
    }
}

/// The edits of each branch since the root.
fn logs_of(saved: &SavedTimeline) -> Result<Vec<Vec<LoggedEdit>>, TimelineError> {
    let mut logs: Vec<Vec<LoggedEdit>> = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = 0;
    for branch in &saved.branches {
        let parent = branch.parent.as_deref().and_then(|parent| known.get(parent)).and_then(|place| logs.get(*place));
        let shared = parent.into_iter().flatten().filter(|logged| logged.step <= branch.leaves_at);
        let log: Vec<LoggedEdit> = shared.chain(&branch.edits).cloned().collect();
        count += log.len();
        if count > MOST_EDITS {
            return Err(TimelineError::TooManyEdits(MOST_EDITS));
        }
        known.insert(&branch.name, logs.len());
        logs.push(log);
    }
    Ok(logs)
}

/// The first free name of `main`, `branch-2`, `branch-3` …
fn name_of(taken: &BTreeSet<&str>, word: &str) -> String {
    if taken.is_empty() {
        return word.into();
    }
    let names = (2..).map(|number: u64| format!("{word}-{number}"));
    names.into_iter().find(|name| !taken.contains(name.as_str())).unwrap_or_else(|| word.into())
}

/// Whether a name could be read as a number or a time, such as `35s`, where moments are named.
fn is_number(name: &str) -> bool {
    let units = ["", "s", "ms", "m", "min", "h"];
    units.iter().any(|unit| name.strip_suffix(unit).is_some_and(|number| number.trim().parse::<f64>().is_ok()))
}

/// Checks that a name is neither empty, a number, a time, nor taken.
fn usable<'n>(name: &str, mut taken: impl Iterator<Item = &'n str>) -> Result<String, TimelineError> {
    let name = name.trim();
    if name.is_empty() || is_number(name) {
        return Err(TimelineError::NoName(name.into()));
    }
    if taken.any(|known| known == name) { Err(TimelineError::NameTaken(name.into())) } else { Ok(name.into()) }
}
