//! Tests of `lab_state::plots::trigger`.

use swarmarium_lab_state::app::Lab;
use swarmarium_lab_testing::{lab_of, lab_on};

fn run(lab: &mut Lab, frames: usize) {
    lab.run.host.clock_mut().paused = false;
    for _ in 0..frames {
        lab.run.frames.steps = 0;
        lab.advance(1.0, || true);
    }
}

fn steps(lab: &Lab) -> u64 {
    lab.run.host.simulation().steps()
}

#[test]
fn pause_condition_pauses_after_the_step_where_it_holds() {
    let mut lab = lab_of("(groups: [(name: \"g\", controller: Constant())], time: (dt_s: 0.1))");
    lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, "step > 3 and step < 6 or step == 12");
    run(&mut lab, 2);
    assert_eq!(steps(&lab), 4);
    assert!(lab.run.host.clock().paused);
    assert!(lab.notices.iter().any(|notice| notice.lines[0].starts_with("Paused after step 4:")));
    run(&mut lab, 3);
    assert_eq!(steps(&lab), 12, "once for each time that it turns true");
    assert!(lab.run.host.clock().paused, "once for each time that it turns true");
    lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, "");
    run(&mut lab, 3);
    assert!(steps(&lab) > 12 && !lab.run.host.clock().paused);
}

#[test]
fn the_example_of_a_pause_condition_is_valid_in_the_scene() {
    let group = "groups: [(name: \"prey-fish\", controller: Constant())]";
    let scenes = [
        (lab_on("milling"), "circliness > 0.5"),
        (lab_of(&format!("({group})")), "t_s > 10"),
        (lab_of(&format!("({group}, metrics: [AverageSpeed()])")), "average_speed_m_per_s > 0.5"),
    ];
    for (mut lab, example) in scenes {
        assert_eq!(swarmarium_lab_state::plots::trigger::Trigger::example(lab.run.host.simulation()), example);
        lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, example);
        assert!(lab.plots.pause_when.is_some(), "{example}: {:?}", lab.notices);
    }
}

#[test]
fn a_pause_condition_that_holds_already_is_reported() {
    let mut lab = lab_of("(groups: [(name: \"g\", controller: Constant())])");
    lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, "step >= 0 and step != 3");
    let text = "step >= 0 and step != 3 is true now: the run pauses the next time it becomes true";
    assert!(lab.notices.iter().any(|notice| notice.lines == [text]));
    run(&mut lab, 9);
    assert_eq!(steps(&lab), 4);
    assert!(lab.run.host.clock().paused);
}

#[test]
fn a_pause_condition_says_why_it_does_not_pause() {
    let mut lab = lab_on("milling");
    let obstacle = |lab: &mut Lab, text: &str| {
        lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, text);
        let watched = lab.plots.history.watched(lab.run.host.simulation());
        lab.plots.pause_when.as_ref().unwrap().obstacle(watched)
    };
    let found = obstacle(&mut lab, "circliness > 2");
    assert_eq!(found.as_deref(), Some("cannot be evaluated: circliness has no value before the first step"));
    let found = obstacle(&mut lab, "selected.x_m > 2");
    assert_eq!(found.as_deref(), Some("cannot be evaluated: selected.x_m: no robot is selected"));
    swarmarium_lab_testing::do_steps(&mut lab, 1);
    assert_eq!(obstacle(&mut lab, "circliness > 2"), None);
    let found = obstacle(&mut lab, "step > 0");
    assert_eq!(found.as_deref(), Some("is already true: the run pauses the next time it becomes true"));
}

#[test]
fn a_pause_condition_changes_no_hash_and_lasts_as_long_as_the_scene() {
    let mut lab = lab_on("milling");
    lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, "agents.0.x_m > 1e9 or circliness > 2");
    assert!(lab.notices.iter().next().is_none());
    swarmarium_lab_testing::do_steps(&mut lab, 50);
    let mut other = lab_on("milling");
    swarmarium_lab_testing::do_steps(&mut other, 50);
    assert_eq!(lab.run.host.simulation().hash(), other.run.host.simulation().hash());
    assert!(lab.run.host.simulation().edits().is_empty());
    lab.reset(None);
    assert!(lab.plots.pause_when.is_some());
    lab.open_source("aggregation");
    assert!(lab.plots.pause_when.is_none());
}

#[test]
fn a_bad_pause_condition_is_refused_and_the_old_one_stays() {
    let mut lab = lab_on("milling");
    lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, "circliness > 0.9");
    lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, "circlines > 0.9");
    assert!(lab.notices.iter().next().unwrap().is_error);
    assert_eq!(lab.plots.pause_when.as_ref().map(|trigger| trigger.text()), Some("circliness > 0.9"));
}
