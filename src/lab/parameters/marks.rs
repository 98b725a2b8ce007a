//! Signs that the scene has changed, so that what is made from it is not made in each frame.

use swarmarium_core::edit::Edit;

use crate::Lab;

/// What the scene, with the edits that wait, can be told by: while it stays the same, so does the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// How often a scene was opened, and a simulation made anew, and what the scene is compared with: a saved one has
    /// another text.
    made: [u64; 3],
    /// Parameters that were set: an edit of a drag may take the place of another one in the log, and counts here.
    sets: u64,
    /// Edits in the log, for robots and objects that were made or taken away.
    edits: usize,
    /// Edits that wait, and the last one of them: no other is ever replaced.
    waiting: (usize, Option<Edit>),
}

impl Marks {
    /// Those of the scene.
    pub fn of(lab: &Lab) -> Self {
        let simulation = lab.host.simulation();
        let waiting = simulation.waiting_edits();
        Self {
            made: [lab.openings, lab.restarts, lab.opened.fingerprint],
            sets: simulation.sets(),
            edits: simulation.edits().len(),
            waiting: (waiting.len(), waiting.clone().next_back().cloned()),
        }
    }

    /// Those of parameters alone: robots that are moved or made leave them the same.
    pub fn of_sets(lab: &Lab) -> Self {
        let waiting = lab.host.simulation().waiting_edits();
        let sets = || waiting.clone().filter(|edit| matches!(edit, Edit::Set { .. }));
        Self { edits: 0, waiting: (sets().count(), sets().next_back().cloned()), ..Self::of(lab) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lab_of;

    const RANGE: &str = "groups.g.sensors.0.range_m";

    #[test]
    fn a_drag_changes_them_each_time_whether_time_stands_still_or_not() {
        let scene = "(groups: [(name: \"g\", count: 3, sensors: [BinaryFov()], controller: Binary())])";
        let mut lab = lab_of(scene);
        let transaction = lab.present_transaction();
        for settles in [false, true] {
            for range_m in ["1.0", "2.0", "3.0"] {
                let before = [Marks::of(&lab), Marks::of_sets(&lab)];
                lab.apply_in(Edit::Set { path: RANGE.into(), value: range_m.into() }, transaction).unwrap();
                if settles {
                    lab.host.flush_edits();
                }
                let now = [Marks::of(&lab), Marks::of_sets(&lab)];
                assert!(before[0] != now[0] && before[1] != now[1], "{range_m}");
                assert_eq!(now, [Marks::of(&lab), Marks::of_sets(&lab)]);
            }
        }
        assert_eq!(lab.host.simulation().edits().len(), 1, "the last of a drag is left");
        let (all, sets) = (Marks::of(&lab), Marks::of_sets(&lab));
        lab.apply_in(Edit::Move { agent: 0, x_m: 2.0, y_m: 2.0, heading_rad: 0.0 }, 0).unwrap();
        lab.host.flush_edits();
        assert!(all != Marks::of(&lab) && sets == Marks::of_sets(&lab));
    }
}
