//! Changes that outlast a restart of a run.

use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::agents::Address;

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
    for edit in all.filter(|edit| edit.is_change()).rev() {
        if !changes.iter().any(|later| edit.is_superseded_by(later)) {
            changes.push(edit);
        }
    }
    changes.into_iter().rev().cloned().collect()
}
