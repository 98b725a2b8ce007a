//! Changes that outlast a restart of a run.

use swarmarium_simulation::edit::agents::Address;
use swarmarium_simulation::edit::{Edit, parts};

/// Whether a reset keeps a change. A reset makes agents again, so it drops their poses and own parameters.
pub fn is_kept_by_reset(edit: &Edit) -> bool {
    match edit {
        Edit::Set { path, .. } => matches!(Address::of(path), Ok(None)),
        Edit::Spawn { .. } | Edit::Add { .. } | Edit::Remove { .. } => true,
        _ => false,
    }
}

/// Returns the changes that are still in effect, without overwritten ones. The time scale, which is kept anyway, and
/// commands of clients are left out.
pub fn condensed<'a>(all: impl DoubleEndedIterator<Item = &'a Edit>) -> Vec<Edit> {
    let mut changes: Vec<&Edit> = Vec::new();
    // After the removal of a part, the same path may lead to another one.
    let mut renumbered = 0;
    for edit in all.filter(|edit| edit.is_change()).rev() {
        if !changes[renumbered..].iter().any(|later| edit.is_superseded_by(later)) {
            changes.push(edit);
        }
        if matches!(edit, Edit::Remove { path } if parts::is_in_list(path)) {
            renumbered = changes.len();
        }
    }
    changes.into_iter().rev().cloned().collect()
}
