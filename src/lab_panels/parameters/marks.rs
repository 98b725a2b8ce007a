//! Marks that detect changes of the scene, so that derived data is not computed in each frame.

use swarmarium_lab_state::app::Lab;
use swarmarium_simulation::edit::Edit;

/// The state of the scene with its pending edits; equal marks mean an equal scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// The numbers of openings and of created simulations, and the fingerprint of the scene as opened or saved.
    made: [u64; 3],
    /// The number of set parameters. In contrast to the length of the log, it grows when an edit of a drag replaces
    /// another.
    sets: u64,
    /// The number of edits in the log, for added or removed robots and objects.
    edits: usize,
    /// The number of pending edits, and the last one, since only that one is ever replaced.
    waiting: (usize, Option<Edit>),
}

impl Marks {
    /// Returns the marks of the scene.
    pub fn of(lab: &Lab) -> Self {
        let simulation = lab.run.host.simulation();
        let waiting = simulation.waiting_edits();
        Self {
            made: [lab.run.openings, lab.run.restarts, lab.run.opened.fingerprint],
            sets: simulation.sets(),
            edits: simulation.edits().len(),
            waiting: (waiting.len(), waiting.clone().next_back().cloned()),
        }
    }

    /// Returns the marks of parameters only; moved or added robots do not change them.
    pub fn of_sets(lab: &Lab) -> Self {
        let waiting = lab.run.host.simulation().waiting_edits();
        let sets = || waiting.clone().filter(|edit| matches!(edit, Edit::Set { .. }));
        Self { edits: 0, waiting: (sets().count(), sets().next_back().cloned()), ..Self::of(lab) }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::lab_of;

    use super::*;

    const RANGE: &str = "groups.g.sensors.0.range_m";

    #[test]
    fn change_marks_follow_a_drag_paused_or_running() {
        let scene = "(groups: [(name: \"g\", count: 3, sensors: [BinaryFov()], controller: Binary())])";
        let mut lab = lab_of(scene);
        let transaction = lab.edits.present_transaction(&mut lab.run.host);
        for settles in [false, true] {
            for range_m in ["1.0", "2.0", "3.0"] {
                let before = [Marks::of(&lab), Marks::of_sets(&lab)];
                lab.compare
                    .apply_in(&mut lab.run.host, Edit::Set { path: RANGE.into(), value: range_m.into() }, transaction)
                    .unwrap();
                if settles {
                    lab.run.host.flush_edits();
                }
                let now = [Marks::of(&lab), Marks::of_sets(&lab)];
                assert!(before[0] != now[0] && before[1] != now[1], "{range_m}");
                assert_eq!(now, [Marks::of(&lab), Marks::of_sets(&lab)]);
            }
        }
        assert_eq!(lab.run.host.simulation().edits().len(), 1, "the last of a drag is left");
        let (all, sets) = (Marks::of(&lab), Marks::of_sets(&lab));
        lab.compare
            .apply_in(&mut lab.run.host, Edit::Move { agent: 0, x_m: 2.0, y_m: 2.0, heading_rad: 0.0 }, 0)
            .unwrap();
        lab.run.host.flush_edits();
        assert!(all != Marks::of(&lab) && sets == Marks::of_sets(&lab));
    }
}
