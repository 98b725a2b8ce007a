//! Tests of `lab_state::app::opening`: changes that restart the run.

use swarmarium_lab_state::app::Lab;
use swarmarium_lab_testing::{do_steps, lab_of};
use swarmarium_simulation::edit::Edit;

const SCENE: &str = "(constants: [(name: \"N\", value: 3)],\
    groups: [(name: \"a\", count: N, controller: Constant(v_m_per_s: 0.2)), (name: \"b\", count: N)])";

fn changed(lab: &mut Lab, path: &str, value: &str) {
    lab.edit(vec![Edit::Set { path: path.into(), value: value.into() }]);
}

fn robots(lab: &Lab) -> usize {
    lab.run.host.simulation().count()
}

#[test]
fn a_drag_restarts_the_run_and_is_one_change_to_undo() {
    let mut lab = lab_of(SCENE);
    do_steps(&mut lab, 40);
    changed(&mut lab, "groups.a.controller.v_m_per_s", "0.3");
    do_steps(&mut lab, 10);
    let (hash, number) = (lab.run.host.simulation().hash(), lab.run.host.run_number());
    lab.edits.transaction = lab.run.host.new_transaction();
    for count in ["4", "5", "6"] {
        changed(&mut lab, "N", count);
        do_steps(&mut lab, 2);
    }
    lab.edits.transaction = 0;
    assert_eq!(robots(&lab), 12, "fields of a constant go together");
    assert_eq!(lab.run.host.simulation().steps(), 2);
    assert_eq!(lab.run.host.changes().iter().filter(|change| change.edits == 0).count(), 1, "one new start");
    assert!(lab.run.changes().iter().any(|edit| matches!(edit, Edit::Set { value, .. } if value == "6")));
    lab.undo();
    assert_eq!(robots(&lab), 6);
    assert_eq!(lab.run.host.run_number(), number);
    assert_eq!(lab.run.host.simulation().hash(), hash, "the run of before, with what was changed in it");
    lab.redo();
    assert_eq!(robots(&lab), 12);
    assert_eq!(lab.run.host.simulation().steps(), 2);
}

#[test]
fn live_edits_and_names_do_not_restart_the_run() {
    let mut lab = lab_of(SCENE);
    do_steps(&mut lab, 5);
    changed(&mut lab, "groups.a.controller.v_m_per_s", "0.3");
    changed(&mut lab, "groups.a.name", "\"c\"");
    changed(&mut lab, "about", "\"New words\"");
    lab.shell.settings.restart_on_change = false;
    changed(&mut lab, "N", "5");
    do_steps(&mut lab, 1);
    assert_eq!(robots(&lab), 6);
    assert_eq!(lab.run.host.simulation().steps(), 6);
    assert_eq!(lab.run.restarts, 0);
    lab.reset(None);
    assert_eq!(robots(&lab), 10, "it waited for the reset");
}

#[test]
fn an_invalid_value_does_not_restart_the_run() {
    let mut lab = lab_of(SCENE);
    do_steps(&mut lab, 5);
    changed(&mut lab, "time.dt_s", "-1.0");
    assert!(lab.notices.iter().any(|notice| notice.is_error));
    assert_eq!(robots(&lab), 6);
    assert_eq!(lab.run.host.simulation().steps(), 5);
    assert_eq!(lab.run.restarts, 0);
}
