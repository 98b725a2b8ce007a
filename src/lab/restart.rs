//! Changes that take effect only at a reset: the lab restarts the run, so that every drag has an effect.

use swarmarium_base::problem::Problems;
use swarmarium_core::edit::agents::Address;
use swarmarium_core::edit::{Edit, TakesEffect};
use swarmarium_core::scene::constants::{self, Change};

use super::{Lab, kept_changes};

impl Lab {
    /// Whether a change of a parameter restarts the run.
    pub(crate) fn restarts_on(&self, path: &str) -> bool {
        // A second world has its own start: there, the reset waits for the user.
        self.settings.restart_on_change
            && self.compare.other.is_none()
            && TakesEffect::of_path(path) == TakesEffect::AtReset
            && !is_name(path)
    }

    /// Makes changes by restarting the run, if some of them need that. Returns whether it did.
    pub(super) fn restart_with(&mut self, edits: &[Edit], transaction: u64) -> bool {
        let Some(changes) = set(edits).filter(|changes| self.need_restart(changes)) else { return false };
        let carried =
            self.own_changes().into_iter().chain(edits.iter().cloned()).filter(kept_changes::is_kept_by_reset);
        let carried = kept_changes::condensed(carried.collect::<Vec<_>>().iter());
        self.keep_history();
        let had_timeline = self.has_timeline();
        let shared = self.before_shared();
        let done = match &shared {
            Some(own) => self.host.restart_from(own.scene.clone(), &changes, transaction),
            None => self.host.restart_with(&changes, transaction),
        };
        match done {
            Ok(()) => {
                self.host.carried = carried;
                self.go_on_shared(shared);
                self.restarted();
                let knows_restarts = std::mem::replace(&mut self.edits.knows_restarts, true);
                if had_timeline {
                    self.say("The run restarts with this change; undo brings back the run before it, with its branches and bookmarks");
                } else if !knows_restarts {
                    self.say("The run restarts with this change; undo brings back the run before it");
                }
            }
            Err(Problems { problems, .. }) => {
                let texts: Vec<String> = problems.iter().map(|problem| self.problem_text(problem)).collect();
                self.tell_error(texts.join("\n"));
            }
        }
        true
    }

    /// Restarts the run with those of some changes that set parameters of the present scene, if some of them need that.
    /// Returns the remaining changes.
    pub(super) fn restart_with_fitting(&mut self, changes: Vec<Edit>, transaction: u64) -> Vec<Edit> {
        let simulation = self.host.simulation();
        let mut scene = simulation.scene_ahead().clone();
        let mut fits = |edit: &Edit| match edit {
            Edit::Set { path, value } if matches!(Address::of(path), Ok(None)) => {
                constants::set(simulation.kinds(), &mut scene, path, value).is_ok()
            }
            _ => false,
        };
        let (fitting, rest): (Vec<Edit>, Vec<Edit>) = changes.iter().cloned().partition(|edit| fits(edit));
        if self.restart_with(&fitting, transaction) { rest } else { changes }
    }

    /// Whether a change, or a parameter that follows it through a constant, needs a restart.
    fn need_restart(&self, changes: &[Change]) -> bool {
        let simulation = self.host.simulation();
        let needs = |change: &Change| {
            let mut scene = simulation.scene_ahead().clone();
            let set = constants::set(simulation.kinds(), &mut scene, &change.path, &change.value);
            set.unwrap_or_default().iter().any(|set| self.restarts_on(&set.path))
        };
        changes.iter().any(needs)
    }
}

/// Converts edits to changes of the scene, if all of them set its parameters.
fn set(edits: &[Edit]) -> Option<Vec<Change>> {
    let change = |edit: &Edit| match edit {
        Edit::Set { path, value } if matches!(Address::of(path), Ok(None)) => {
            Some(Change { path: path.clone(), value: value.clone() })
        }
        _ => None,
    };
    edits.iter().map(change).collect()
}

/// Whether a path leads to the name or team of a group. Renaming one does not restart the run.
fn is_name(path: &str) -> bool {
    path.starts_with("groups") && (path.ends_with(".name") || path.ends_with(".team"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{do_steps, lab_of};

    const SCENE: &str = "(constants: [(name: \"N\", value: 3)],\
        groups: [(name: \"a\", count: N, controller: Constant(v_m_per_s: 0.2)), (name: \"b\", count: N)])";

    fn changed(lab: &mut Lab, path: &str, value: &str) {
        lab.edit(vec![Edit::Set { path: path.into(), value: value.into() }]);
    }

    fn robots(lab: &Lab) -> usize {
        lab.host.simulation().count()
    }

    #[test]
    fn a_drag_restarts_the_run_and_is_one_change_to_undo() {
        let mut lab = lab_of(SCENE);
        do_steps(&mut lab, 40);
        changed(&mut lab, "groups.a.controller.v_m_per_s", "0.3");
        do_steps(&mut lab, 10);
        let (hash, number) = (lab.host.simulation().hash(), lab.host.run_number());
        lab.edits.transaction = lab.host.new_transaction();
        for count in ["4", "5", "6"] {
            changed(&mut lab, "N", count);
            do_steps(&mut lab, 2);
        }
        lab.edits.transaction = 0;
        assert_eq!((robots(&lab), lab.host.simulation().steps()), (12, 2), "fields of a constant go together");
        assert_eq!(lab.host.changes().iter().filter(|change| change.edits == 0).count(), 1, "one new start");
        assert!(lab.changes().iter().any(|edit| matches!(edit, Edit::Set { value, .. } if value == "6")));
        lab.undo();
        assert_eq!((robots(&lab), lab.host.run_number()), (6, number));
        assert_eq!(lab.host.simulation().hash(), hash, "the run of before, with what was changed in it");
        lab.redo();
        assert_eq!((robots(&lab), lab.host.simulation().steps()), (12, 2));
    }

    #[test]
    fn what_takes_effect_at_once_or_is_a_name_restarts_nothing() {
        let mut lab = lab_of(SCENE);
        do_steps(&mut lab, 5);
        changed(&mut lab, "groups.a.controller.v_m_per_s", "0.3");
        changed(&mut lab, "groups.a.name", "\"c\"");
        changed(&mut lab, "about", "\"New words\"");
        lab.settings.restart_on_change = false;
        changed(&mut lab, "N", "5");
        do_steps(&mut lab, 1);
        assert_eq!((robots(&lab), lab.host.simulation().steps(), lab.restarts), (6, 6, 0));
        lab.reset(None);
        assert_eq!(robots(&lab), 10, "it waited for the reset");
    }

    #[test]
    fn a_value_that_makes_no_sense_leaves_the_run() {
        let mut lab = lab_of(SCENE);
        do_steps(&mut lab, 5);
        changed(&mut lab, "time.dt_s", "-1.0");
        assert!(lab.notices.iter().any(|notice| notice.is_error));
        assert_eq!((robots(&lab), lab.host.simulation().steps(), lab.restarts), (6, 5, 0));
    }
}
