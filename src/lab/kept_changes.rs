//! Changes that outlast a new start of a run.

use swarmarium_core::edit::Edit;
use swarmarium_core::edit::agents::Address;

/// Whether a reset keeps a change: it makes agents anew, and their poses and own parameters with them.
pub fn is_kept_by_reset(edit: &Edit) -> bool {
    match edit {
        Edit::Set { path, .. } => matches!(Address::of(path), Ok(None)),
        Edit::Spawn { .. } | Edit::Add { .. } | Edit::Remove { .. } => true,
        _ => false,
    }
}

/// Changes without those that later ones leave nothing of; the time scale is none, for it is kept, and neither is what
/// clients told.
pub fn condensed<'a>(all: impl DoubleEndedIterator<Item = &'a Edit>) -> Vec<Edit> {
    let mut changes: Vec<&Edit> = Vec::new();
    for edit in all.filter(|edit| edit.is_change()).rev() {
        if !changes.iter().any(|later| edit.is_outdone_by(later)) {
            changes.push(edit);
        }
    }
    changes.into_iter().rev().cloned().collect()
}
