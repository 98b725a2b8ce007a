//! The changes of a shared scene: they are made again at their steps, in runs that begin as the shared one.

use std::collections::BTreeMap;

use swarmarium_base::problem::Problems;
use swarmarium_core::clock::Host;
use swarmarium_core::edit::log::Replay;
use swarmarium_core::edit::{Edit, LoggedEdit};
use swarmarium_core::scene::{Scene, constants};
use swarmarium_core::timeline::BranchId;

use super::{Lab, kept_changes};

/// The changes of the open shared scene.
#[derive(Default)]
pub struct SharedEdits {
    log: Vec<LoggedEdit>,
    /// The numbers of the runs to which they belong.
    runs: Vec<u64>,
    /// The number of the replayed run.
    run: Option<u64>,
    replay: Replay,
    /// The transactions of the log, with those of the host that represent them.
    transactions: BTreeMap<u64, u64>,
}

/// The start of a run in which the shared changes are made again: with the user's changes, without the shared ones.
pub struct OwnStart {
    /// The scene at its start.
    pub scene: Scene,
    /// The robots and objects of the user, added once the run has started.
    added: Vec<Edit>,
}

impl SharedEdits {
    /// Sets the changes of the present run, which begins as the shared scene.
    pub fn begin(&mut self, host: &Host, log: &[LoggedEdit]) {
        if self.log != log {
            *self = Self { log: log.to_vec(), ..Self::default() };
        }
        self.runs.push(host.run_number());
        // A restarted run may keep its number.
        self.run = None;
    }

    /// Whether the shared changes belong to the present run of a host.
    fn are_of(&self, host: &Host) -> bool {
        !self.log.is_empty() && self.runs.contains(&host.run_number())
    }

    /// Whether an edit of the present run is one of the shared changes.
    fn has_made(&self, logged: &LoggedEdit) -> bool {
        let is_in_log = || self.log.iter().any(|known| known.step == logged.step && known.edit == logged.edit);
        logged.transaction == 0 || self.transactions.values().any(|known| *known == logged.transaction) || is_in_log()
    }

    /// Returns the changes of the next step, with new transactions.
    pub fn due(&mut self, host: &mut Host) -> Vec<LoggedEdit> {
        self.follow(host);
        let due: Vec<LoggedEdit> = self.replay.due(host.simulation().steps() + 1).collect();
        let numbered = due.into_iter().map(|logged| {
            let transaction = match logged.transaction {
                0 => 0,
                known => *self.transactions.entry(known).or_insert_with(|| host.new_transaction()),
            };
            LoggedEdit { transaction, ..logged }
        });
        numbered.collect()
    }

    /// Returns the step of the next shared changes.
    pub fn next_step(&self) -> Option<u64> {
        self.replay.next_step()
    }

    /// Returns the remaining changes of the present run.
    pub fn to_come(&self) -> impl Iterator<Item = &LoggedEdit> {
        let from = self.next_step().unwrap_or(u64::MAX);
        self.log.iter().filter(move |logged| logged.step >= from)
    }

    /// Follows undo, redo or a reset to another run; a run that does not begin as the shared one has no shared changes.
    fn follow(&mut self, host: &Host) {
        let number = host.run_number();
        if self.run.replace(number) == Some(number) {
            return;
        }
        self.transactions.clear();
        self.replay = Replay::default();
        // A branch continues the run that it leaves.
        let timeline = host.timeline();
        let parent = |id: &BranchId| Some(timeline.branch(*id)?.parent()?.branch);
        let mut line = std::iter::successors(Some(BranchId(number)), parent);
        if line.any(|id| self.runs.contains(&id.0)) {
            // Changes made while paused belong to the next step.
            let last = |log: Option<&LoggedEdit>| log.map_or(0, |logged| logged.step);
            let of_branch = last(host.timeline().present().applied().last());
            self.replay = Replay::new(self.log.clone());
            self.replay.go_on_from(host.live_end().max(of_branch).max(last(host.simulation().edits().last())));
        }
    }
}

impl Lab {
    /// Returns the user's changes of the run, without overwritten ones and without shared ones.
    pub(super) fn own_changes(&self) -> Vec<Edit> {
        let (shared, simulation) = (&self.edits.shared, self.host.simulation());
        if !shared.are_of(&self.host) {
            return self.changes();
        }
        let logged = simulation.edits().iter().filter(|logged| !shared.has_made(logged)).map(|logged| &logged.edit);
        kept_changes::condensed(self.host.carried.iter().chain(logged).chain(simulation.waiting_edits()))
    }

    /// Returns the start from which the shared changes can be made again at their steps; `None` if there are none.
    pub(super) fn before_shared(&mut self) -> Option<OwnStart> {
        // A second world has its own start.
        if !self.edits.shared.are_of(&self.host) || self.compare.other.is_some() {
            return None;
        }
        self.host.flush_edits();
        let mut own = OwnStart { scene: self.host.start().clone(), added: Vec::new() };
        for edit in self.own_changes().into_iter().filter(kept_changes::is_kept_by_reset) {
            match &edit {
                // If it changes something that a shared edit adds later, it cannot be applied at the start.
                Edit::Set { path, value } => {
                    _ = constants::set(self.recipe.kinds(), &mut own.scene, path, value);
                }
                _ => own.added.push(edit),
            }
        }
        Some(own)
    }

    /// Restarts the present run as a reset does, from a scene without the shared changes.
    pub(super) fn reset_shared(&mut self, mut scene: Scene, seed: Option<u64>) -> Result<(), Problems> {
        if let Some(seed) = seed {
            constants::set(self.recipe.kinds(), &mut scene, "seed", &seed.to_string())
                .map_err(|problem| Problems { source_name: scene.name.clone(), problems: vec![problem] })?;
        }
        self.host.start_again(scene, if seed.is_some() { "Reset with another seed" } else { "Reset" })
    }

    /// Continues with the shared changes in a restarted run.
    pub(super) fn go_on_shared(&mut self, start: Option<OwnStart>) {
        let Some(OwnStart { added, .. }) = start else { return };
        // Robots and objects of the shared run do not exist yet, so changes of them are left out.
        let transaction = self.host.new_transaction();
        self.host.apply_all(&added, transaction);
        // These are in the log of the new run.
        self.host.carried.retain(|edit| matches!(edit, Edit::Set { .. }));
        self.edits.shared.begin(&self.host, &self.opened.edits);
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::scene::path;

    use super::*;
    use crate::testing::{do_steps, lab_on};

    const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";
    const RANGE: &str = "groups.millers.sensors.0.range_m";

    fn set(path: &str, value: &str) -> Edit {
        Edit::Set { path: path.into(), value: value.into() }
    }

    fn number(lab: &Lab, at: &str) -> f64 {
        let simulation = lab.host.simulation();
        *path::get(simulation.kinds(), simulation.scene_ahead(), at).unwrap().downcast_ref::<f64>().unwrap()
    }

    /// A lab on a scene that was shared with a change at step 20.
    fn shared() -> Lab {
        let mut lab = lab_on("milling");
        lab.opened.edits = vec![LoggedEdit { step: 20, edit: set(TURN, "0.9"), transaction: 4 }];
        lab.edits.shared.begin(&lab.host, &lab.opened.edits);
        lab
    }

    fn run(lab: &mut Lab, steps: u64) {
        (0..steps).for_each(|_| do_steps(lab, 1));
    }

    #[test]
    fn a_reset_makes_the_shared_changes_again_at_their_steps() {
        for steps in [0, 5, 40] {
            let mut lab = shared();
            run(&mut lab, steps);
            lab.reset(None);
            assert_eq!((lab.host.simulation().steps(), number(&lab, TURN)), (0, 0.6), "after {steps} steps");
            run(&mut lab, 40);
            assert_eq!(number(&lab, TURN), 0.9, "after {steps} steps");
            assert_eq!(lab.host.simulation().edits()[0].step, 20);
        }
    }

    #[test]
    fn a_reset_keeps_what_the_user_changed_and_a_reversion_does_not() {
        let mut lab = shared();
        run(&mut lab, 10);
        lab.edit(vec![set(RANGE, "1.5")]);
        lab.edit(vec![Edit::Spawn { group: "millers".into(), x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }]);
        run(&mut lab, 20);
        lab.reset(Some(99));
        let robots = |lab: &Lab| lab.host.simulation().count();
        assert_eq!((number(&lab, RANGE), robots(&lab), lab.host.start().seed), (1.5, 7, 99));
        run(&mut lab, 30);
        assert_eq!((number(&lab, TURN), number(&lab, RANGE), robots(&lab)), (0.9, 1.5, 7));
        lab.reset(None);
        assert_eq!((number(&lab, TURN), robots(&lab)), (0.6, 7), "also the second time");
        lab.revert();
        assert_eq!((number(&lab, TURN), number(&lab, RANGE), robots(&lab)), (0.6, 2.0, 6));
        run(&mut lab, 30);
        assert_eq!(number(&lab, TURN), 0.9);
    }

    #[test]
    fn a_change_that_restarts_the_run_leaves_the_shared_changes_to_come() {
        let mut lab = shared();
        run(&mut lab, 30);
        lab.edits.transaction = lab.host.new_transaction();
        for count in ["7", "8"] {
            lab.edit(vec![set("groups.millers.count", count)]);
            run(&mut lab, 3);
        }
        lab.edits.transaction = 0;
        assert_eq!((lab.host.simulation().count(), number(&lab, TURN)), (8, 0.6));
        run(&mut lab, 30);
        assert_eq!(number(&lab, TURN), 0.9);
    }
}
