//! Changes that outlast a restart of a run.

use std::collections::BTreeSet;

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
    in_effect(all.map(|edit| (edit, 0))).into_iter().map(|(edit, _)| edit.clone()).collect()
}

/// Returns the number of gestures that made those changes still in effect that count. Edits of one transaction, such as a
/// drag of several robots, are one gesture; each edit without a transaction is one of its own.
pub fn gestures<'a>(all: impl DoubleEndedIterator<Item = (&'a Edit, u64)>, counts: impl Fn(&Edit) -> bool) -> usize {
    let counted = in_effect(all).into_iter().filter(|(edit, _)| counts(edit)).map(|(_, transaction)| transaction);
    let (alone, together): (Vec<u64>, Vec<u64>) = counted.partition(|transaction| *transaction == 0);
    alone.len() + together.into_iter().collect::<BTreeSet<u64>>().len()
}

/// Returns the changes that are still in effect, with their transactions.
fn in_effect<'a>(all: impl DoubleEndedIterator<Item = (&'a Edit, u64)>) -> Vec<(&'a Edit, u64)> {
    let mut changes: Vec<(&Edit, u64)> = Vec::new();
    // After the removal of a part, the same path may lead to another one.
    let mut renumbered = 0;
    for (edit, transaction) in all.filter(|(edit, _)| edit.is_change()).rev() {
        if !changes[renumbered..].iter().any(|(later, _)| edit.is_superseded_by(later)) {
            changes.push((edit, transaction));
        }
        if matches!(edit, Edit::Remove { path } if parts::is_in_list(path)) {
            renumbered = changes.len();
        }
    }
    changes.reverse();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_of_several_robots_is_one_gesture() {
        let moved = |agent, x_m| Edit::Move { agent, x_m, y_m: 1.0, heading_rad: 0.0 };
        let set = Edit::Set { path: "groups.a.count".into(), value: "3".into() };
        let edits = [moved(0, 1.0), moved(1, 2.0), moved(0, 3.0), moved(1, 4.0), set, moved(2, 5.0), moved(3, 6.0)];
        let transactions = [7, 7, 7, 7, 8, 0, 0];
        let all = || edits.iter().zip(transactions);
        assert_eq!(condensed(edits.iter()).len(), 5);
        assert_eq!(gestures(all(), |_| true), 4, "a drag, a value, and two moves without a transaction");
        assert_eq!(gestures(all(), |edit| !is_kept_by_reset(edit)), 3);
    }
}
