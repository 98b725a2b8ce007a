//! Changes that take effect only at a reset: they start the run again by themselves, so that no drag is without effect.

use swarmarium_core::edit::agents::Address;
use swarmarium_core::edit::{Edit, TakesEffect};
use swarmarium_core::scene::constants::{self, Change};

use super::{Lab, reload};

impl Lab {
    /// Whether a change of the parameter at a path starts the run again.
    pub(crate) fn restarts_on(&self, path: &str) -> bool {
        // A second world has its own start: there, the reset waits for the user.
        self.settings.restart_on_change
            && self.compare.other.is_none()
            && TakesEffect::of_path(path) == TakesEffect::AtReset
            && !is_name(path)
    }

    /// Makes changes by starting the run again with them, if some of them need that; whether it did.
    pub(super) fn restart_with(&mut self, edits: &[Edit], transaction: u64) -> bool {
        let Some(changes) = set(edits).filter(|changes| self.need_restart(changes)) else { return false };
        let carried = self.changes().into_iter().chain(edits.iter().cloned()).filter(reload::is_kept_by_reset);
        let carried = reload::condensed(carried.collect::<Vec<_>>().iter());
        self.keep_history();
        match self.host.restart_with(&changes, transaction) {
            Ok(()) => {
                self.host.carried = carried;
                self.restarted();
            }
            Err(problems) => self.tell_error(problems),
        }
        true
    }

    /// Whether one of some changes, or what follows it by a constant, needs a restart.
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

/// Edits that all set parameters of the scene, as changes of it.
fn set(edits: &[Edit]) -> Option<Vec<Change>> {
    let change = |edit: &Edit| match edit {
        Edit::Set { path, value } if matches!(Address::of(path), Ok(None)) => {
            Some(Change { path: path.clone(), value: value.clone() })
        }
        _ => None,
    };
    edits.iter().map(change).collect()
}

/// Whether a path leads to the name or the team of a group. Renaming one does not restart the run.
fn is_name(path: &str) -> bool {
    path.starts_with("groups") && (path.ends_with(".name") || path.ends_with(".team"))
}
