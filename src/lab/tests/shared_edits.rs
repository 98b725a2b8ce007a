//! Tests of `lab_state::edit::shared_edits`.

use swarmarium_lab_state::app::Lab;
use swarmarium_lab_testing::{do_steps, lab_on};
use swarmarium_scene::scene::path;
use swarmarium_simulation::edit::{Edit, LoggedEdit};

const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";

const RANGE: &str = "groups.millers.sensors.0.range_m";

fn set(path: &str, value: &str) -> Edit {
    Edit::Set { path: path.into(), value: value.into() }
}

fn number(lab: &Lab, at: &str) -> f64 {
    let simulation = lab.run.host.simulation();
    *path::get(simulation.kinds(), simulation.scene_ahead(), at).unwrap().downcast_ref::<f64>().unwrap()
}

/// A lab on a scene that was shared with a change at step 20.
fn shared() -> Lab {
    let mut lab = lab_on("milling");
    lab.run.opened.edits = vec![LoggedEdit { step: 20, edit: set(TURN, "0.9"), transaction: 4 }];
    lab.edits.shared.begin(&lab.run.host, &lab.run.opened.edits);
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
        assert_eq!(lab.run.host.simulation().steps(), 0, "after {steps} steps");
        assert_eq!(number(&lab, TURN), 0.6, "after {steps} steps");
        run(&mut lab, 40);
        assert_eq!(number(&lab, TURN), 0.9, "after {steps} steps");
        assert_eq!(lab.run.host.simulation().edits()[0].step, 20);
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
    let robots = |lab: &Lab| lab.run.host.simulation().count();
    assert_eq!(number(&lab, RANGE), 1.5);
    assert_eq!(robots(&lab), 7);
    assert_eq!(lab.run.host.start().seed, 99);
    run(&mut lab, 30);
    assert_eq!(number(&lab, TURN), 0.9);
    assert_eq!(number(&lab, RANGE), 1.5);
    assert_eq!(robots(&lab), 7);
    lab.reset(None);
    assert_eq!(number(&lab, TURN), 0.6, "also the second time");
    assert_eq!(robots(&lab), 7, "also the second time");
    lab.revert();
    assert_eq!(number(&lab, TURN), 0.6);
    assert_eq!(number(&lab, RANGE), 2.0);
    assert_eq!(robots(&lab), 6);
    run(&mut lab, 30);
    assert_eq!(number(&lab, TURN), 0.9);
}

#[test]
fn a_change_that_restarts_the_run_leaves_the_shared_changes_to_come() {
    let mut lab = shared();
    run(&mut lab, 30);
    lab.edits.transaction = lab.run.host.new_transaction();
    for count in ["7", "8"] {
        lab.edit(vec![set("groups.millers.count", count)]);
        run(&mut lab, 3);
    }
    lab.edits.transaction = 0;
    assert_eq!(lab.run.host.simulation().count(), 8);
    assert_eq!(number(&lab, TURN), 0.6);
    run(&mut lab, 30);
    assert_eq!(number(&lab, TURN), 0.9);
}
