//! Tests of `lab_state::compare`.

use std::cell::RefCell;

use bevy::math::DVec2;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{self, Key};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, Queryable as _};
use swarmarium_core::state::StateHash;
use swarmarium_formats::standard::FromScene as _;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_panels::dispatch::act;
use swarmarium_lab_state::action::{Action, Changed, CompareAction, ComparisonStart, GoesTo};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::compare::Other;
use swarmarium_lab_testing::{click, click_at, compare_with_fork, do_steps, lab_of, lab_on, resimulate, window};
use swarmarium_scene::scene::path;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

mod in_window;

const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";
const CLEAR: &str = "groups.millers.controller.clear.turn_rad_per_s";

fn compare(lab: &mut Lab, action: CompareAction) {
    act(lab, &egui::Context::default(), Action::Compare(action));
}

fn set(lab: &mut Lab, path: &str, value: &str) {
    act(lab, &egui::Context::default(), Action::Edit(Edit::Set { path: path.into(), value: value.into() }));
}

fn changed(path: &str, value: &str) -> Changed {
    Changed { path: path.into(), value: value.into() }
}

fn begin(lab: &mut Lab, path: &str, value: &str) {
    compare(lab, CompareAction::Begin(vec![changed(path, value)]));
    assert!(lab.compare.other.is_some(), "{:?}", lab.notices);
}

fn other(lab: &Lab) -> &Other {
    lab.compare.other.as_ref().unwrap()
}

/// The hashes of A and B.
fn hashes(lab: &Lab) -> [StateHash; 2] {
    [lab.run.host.simulation().hash(), other(lab).simulation().hash()]
}

fn value(simulation: &Simulation, path: &str) -> f64 {
    let value = path::get(simulation.kinds(), simulation.scene_ahead(), path).unwrap();
    *value.downcast_ref::<f64>().unwrap()
}

/// Milling with another turn rate from the first step.
fn plain(value: &str, steps: u64) -> Simulation {
    let lab = lab_on("milling");
    let mut simulation = Simulation::new(lab.run.host.start()).unwrap();
    simulation.apply(changed(TURN, value).edit()).unwrap();
    simulation.step(steps);
    simulation
}

/// The first step after which the worlds differ.
fn first_difference(lab: &Lab, value: &str) -> u64 {
    let mut a = Simulation::new(lab.run.host.start()).unwrap();
    let mut b = plain(value, 0);
    while a.poses() == b.poses() {
        a.step(1);
        b.step(1);
        assert!(a.steps() < 1000);
    }
    a.steps()
}

#[test]
fn comparison_b_is_the_same_run_with_another_value_and_leaves_a_unchanged() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 300);
    let mut alone = lab_on("milling");
    do_steps(&mut alone, 300);
    assert_eq!(hashes(&lab), [alone.run.host.simulation().hash(), plain("1.2", 300).hash()]);
    assert_eq!(other(&lab).differs_at(), Some(first_difference(&lab, "1.2")));
    assert_eq!(other(&lab).history.steps(), lab.plots.history.steps());
}

#[test]
fn comparison_b_catches_up_and_finds_the_same_first_difference() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 20);
    set(&mut lab, CLEAR, "-0.5");
    do_steps(&mut lab, 280);
    begin(&mut lab, TURN, "1.2");
    assert_eq!(
        other(&lab).progress(lab.run.host.simulation()).map(|progress| (progress.done, progress.steps)),
        Some((0, 300))
    );
    let mut left = 100;
    let more = || {
        left -= 1;
        left > 0
    };
    assert_eq!(lab.advance(1.0, more), Some(0.0), "A waits");
    assert_eq!(lab.run.host.simulation().steps(), 300);
    assert_eq!(other(&lab).simulation().steps(), 100);
    lab.advance(0.0, || true);
    assert_eq!(other(&lab).progress(lab.run.host.simulation()), None);
    assert_eq!(value(other(&lab).simulation(), CLEAR), -0.5);
    let mut again = lab_on("milling");
    begin(&mut again, TURN, "1.2");
    do_steps(&mut again, 20);
    set(&mut again, CLEAR, "-0.5");
    do_steps(&mut again, 280);
    assert_eq!(hashes(&lab), hashes(&again));
    assert_eq!(other(&lab).differs_at(), other(&again).differs_at());
}

#[test]
fn comparison_b_has_reset_values_from_the_start() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 5);
    begin(&mut lab, "groups.millers.count", "9");
    do_steps(&mut lab, 5);
    assert_eq!(other(&lab).simulation().agents().count(), 9);
    assert_eq!(other(&lab).simulation().steps(), 10);
    assert_eq!(other(&lab).differs_at(), Some(0));
}

#[test]
fn changes_reach_both_runs_except_the_compared_parameter() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 10);
    set(&mut lab, CLEAR, "-0.4");
    // A group can be addressed by name or index.
    set(&mut lab, "groups.0.controller.detected.turn_rad_per_s", "0.9");
    do_steps(&mut lab, 10);
    assert_eq!(value(other(&lab).simulation(), CLEAR), -0.4);
    assert_eq!(value(lab.run.host.simulation(), TURN), 0.9);
    assert_eq!(value(other(&lab).simulation(), TURN), 1.2);
    set(&mut lab, "groups.millers.controller", "Binary(clear: (v_m_per_s: 0.1))");
    do_steps(&mut lab, 1);
    assert_eq!(value(other(&lab).simulation(), "groups.millers.controller.clear.v_m_per_s"), 0.1);
    assert_eq!(value(other(&lab).simulation(), TURN), 1.2, "it is compared also where the whole was replaced");
}

#[test]
fn changes_may_go_to_one_compared_run() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 3);
    compare(&mut lab, CompareAction::GoTo(GoesTo::A));
    set(&mut lab, CLEAR, "-0.4");
    do_steps(&mut lab, 3);
    compare(&mut lab, CompareAction::GoTo(GoesTo::B));
    set(&mut lab, CLEAR, "-0.3");
    do_steps(&mut lab, 3);
    let values = |lab: &Lab| [value(lab.run.host.simulation(), CLEAR), value(other(lab).simulation(), CLEAR)];
    assert_eq!(values(&lab), [-0.4, -0.3]);
    let before = hashes(&lab);
    lab.remake_other();
    lab.advance(0.0, || true);
    assert_eq!(hashes(&lab), before, "made again, it has the same past");
    lab.reset(None);
    do_steps(&mut lab, 1);
    assert_eq!(values(&lab), [-0.4, -0.3]);
}

#[test]
fn a_move_while_paused_is_seen_in_both_compared_runs() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 30);
    for x_m in [1.0, 2.0, 3.0] {
        let edit = Edit::Move { agent: 2, x_m, y_m: 1.5, heading_rad: 0.0 };
        act(&mut lab, &egui::Context::default(), Action::Edit(edit));
        // The first call applies the edit in A, the second one in B.
        lab.advance(0.0, || true);
        lab.advance(0.0, || true);
        let place = |simulation: &Simulation| simulation.agent(2).unwrap().pose.position_m;
        let there = DVec2::new(x_m, 1.5);
        assert_eq!([place(lab.run.host.simulation()), place(other(&lab).simulation())], [there; 2]);
        assert_eq!(other(&lab).simulation().steps(), 30);
    }
    do_steps(&mut lab, 30);
    let before = hashes(&lab);
    lab.remake_other();
    lab.advance(0.0, || true);
    assert_eq!(hashes(&lab), before, "made again, it has the same past");
}

#[test]
fn a_reset_and_a_new_seed_reach_both_compared_runs() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 50);
    lab.reset(Some(11));
    lab.advance(0.0, || true);
    assert_eq!(lab.run.host.simulation().steps(), 0);
    assert_eq!(other(&lab).simulation().steps(), 0);
    assert_eq!(lab.run.host.scene().seed, 11);
    assert_eq!(other(&lab).simulation().scene().seed, 11);
    assert_eq!(other(&lab).differs_at(), None);
    do_steps(&mut lab, 50);
    assert_eq!(other(&lab).simulation().steps(), 50);
    lab.open_source("aggregation");
    lab.advance(0.0, || true);
    assert!(lab.compare.other.is_none(), "another scene ends the comparison");
}

#[test]
fn invalid_comparisons_are_refused() {
    let mut lab = lab_on("milling");
    compare(&mut lab, CompareAction::Begin(vec![changed("groups.millers.nothing", "1")]));
    assert!(lab.compare.other.is_none() && lab.notices.iter().any(|notice| notice.is_error));
    let mut lab = lab_on("milling");
    begin(&mut lab, "groups.millers.count", "2");
    do_steps(&mut lab, 1);
    act(
        &mut lab,
        &egui::Context::default(),
        Action::Edit(Edit::Move { agent: 5, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }),
    );
    do_steps(&mut lab, 1);
    lab.advance(0.0, || true);
    assert!(lab.notices.iter().any(|notice| notice.lines.concat().contains("B cannot apply")), "{:?}", lab.notices);
}

#[test]
fn comparison_b_can_be_kept() {
    let mut lab = lab_on("milling");
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.0.x_m");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 40);
    compare(&mut lab, CompareAction::Keep);
    assert!(lab.compare.other.is_none());
    assert_eq!(lab.run.host.simulation().hash(), plain("1.2", 40).hash());
    assert_eq!(lab.plots.history.pins().collect::<Vec<_>>(), ["agents.0.x_m"]);
    do_steps(&mut lab, 10);
    assert_eq!(lab.run.host.simulation().hash(), plain("1.2", 50).hash());
    lab.reset(None);
    assert_eq!(value(lab.run.host.simulation(), TURN), 1.2);
}

pub fn edit(lab: &mut Lab, edit: Edit) {
    act(lab, &egui::Context::default(), Action::Edit(edit));
}

fn moved(agent: u32, x_m: f64) -> Edit {
    Edit::Move { agent, x_m, y_m: 1.5, heading_rad: 0.0 }
}

fn clear_of_both(lab: &Lab) -> [f64; 2] {
    [value(lab.run.host.simulation(), CLEAR), value(other(lab).simulation(), CLEAR)]
}

#[test]
fn keeping_comparison_b_is_undone_as_a_whole() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 20);
    compare(&mut lab, CompareAction::GoTo(GoesTo::B));
    set(&mut lab, CLEAR, "-0.3");
    do_steps(&mut lab, 20);
    let [a, b] = hashes(&lab);
    compare(&mut lab, CompareAction::Keep);
    let labels = |lab: &Lab| lab.run.host.changes().into_iter().map(|change| change.label).collect::<Vec<_>>();
    assert_eq!(lab.run.host.simulation().hash(), b);
    assert_eq!(labels(&lab), vec!["Kept B".to_owned()]);
    edit(&mut lab, moved(3, 2.0));
    lab.advance(0.0, || true);
    assert_ne!(lab.run.host.simulation().hash(), b);
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(lab.run.host.simulation().hash(), b, "simulated again from its own start, with its own changes");
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(lab.run.host.simulation().hash(), a);
    assert_eq!(lab.plots.history.steps().last(), Some(&40));
    lab.redo();
    resimulate(&mut lab);
    assert_eq!(lab.run.host.simulation().hash(), b);
}

#[test]
fn changes_of_comparison_b_only_are_undone_and_redone() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 3);
    let at_first = clear_of_both(&lab);
    set(&mut lab, CLEAR, "-0.4");
    do_steps(&mut lab, 3);
    compare(&mut lab, CompareAction::GoTo(GoesTo::B));
    set(&mut lab, CLEAR, "-0.3");
    do_steps(&mut lab, 3);
    let before = hashes(&lab);
    let changes = lab.compare.changes_of_both(&lab.run.host);
    assert_eq!(changes.iter().map(|change| change.label.starts_with("B: ")).collect::<Vec<_>>(), [false, true]);
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(clear_of_both(&lab), [-0.4; 2], "A stays as it is");
    assert_eq!(hashes(&lab)[0], before[0], "A stays as it is");
    lab.redo();
    resimulate(&mut lab);
    assert_eq!(hashes(&lab), before);
    lab.undo();
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(clear_of_both(&lab), at_first, "then the change of both");
    lab.go_to_change(changes[1].transaction);
    resimulate(&mut lab);
    assert_eq!(hashes(&lab), before);
}

#[test]
fn a_drag_in_comparison_b_while_paused_is_one_change() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 30);
    compare(&mut lab, CompareAction::GoTo(GoesTo::B));
    let places = |lab: &Lab| [2, 3].map(|number| other(lab).simulation().agent(number).unwrap().pose.position_m);
    let before = places(&lab);
    lab.edits.transaction = lab.run.host.new_transaction();
    for x_m in [1.0, 2.0, 3.0] {
        lab.edit(vec![moved(2, x_m), moved(3, x_m + 1.0)]);
        lab.advance(0.0, || true);
    }
    lab.edits.transaction = 0;
    assert_eq!(places(&lab), [DVec2::new(3.0, 1.5), DVec2::new(4.0, 1.5)]);
    let changes = lab.compare.changes_of_both(&lab.run.host);
    assert_eq!(changes.iter().map(|change| change.edits).collect::<Vec<_>>(), [2], "the last place of each counts");
    lab.undo();
    lab.advance(0.0, || true);
    assert_eq!(places(&lab), before);
}

#[test]
fn additions_to_one_compared_run_survive_a_reset_there() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    let count = |lab: &Lab| {
        let of = |simulation: &Simulation| (simulation.scene().objects.len(), simulation.agents().count());
        [of(lab.run.host.simulation()), of(other(lab).simulation())]
    };
    let disc = |x_m: f64| Edit::Add {
        list: "objects".into(),
        value: format!("Disc(center_m: ({x_m:?}, 0.5), radius_m: 0.1)"),
    };
    let [(objects, robots), _] = count(&lab);
    compare(&mut lab, CompareAction::GoTo(GoesTo::A));
    edit(&mut lab, disc(0.5));
    edit(&mut lab, disc(1.0));
    compare(&mut lab, CompareAction::GoTo(GoesTo::B));
    edit(&mut lab, disc(1.5));
    edit(&mut lab, Edit::Spawn { group: "millers".into(), x_m: 0.5, y_m: 1.0, heading_rad: 0.0 });
    do_steps(&mut lab, 2);
    let wanted = [(objects + 2, robots), (objects + 1, robots + 1)];
    assert_eq!(count(&lab), wanted);
    lab.reset(None);
    lab.advance(0.0, || true);
    assert_eq!(count(&lab), wanted);
    assert_eq!(lab.run.host.simulation().steps(), 0);
    do_steps(&mut lab, 2);
    lab.remake_other();
    lab.advance(0.0, || true);
    assert_eq!(count(&lab), wanted, "also when it is made again");
    lab.reset(Some(5));
    do_steps(&mut lab, 1);
    assert_eq!(count(&lab), wanted);
    assert_eq!(other(&lab).simulation().scene().seed, 5);
    lab.undo();
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(count(&lab), wanted, "before the resets");
    assert_eq!(lab.run.host.simulation().steps(), 2);
}

#[test]
fn parameters_of_added_groups_can_be_compared() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 4);
    let group = "(name: \"more\", count: 2, controller: Constant(v_m_per_s: 0.1), spawn: UniformDisc(radius_m: 0.5))";
    edit(&mut lab, Edit::Add { list: "groups".into(), value: group.into() });
    do_steps(&mut lab, 4);
    const SPEED: &str = "groups.more.controller.v_m_per_s";
    compare(&mut lab, CompareAction::Begin(vec![changed("groups.more.count", "5")]));
    assert!(lab.compare.other.is_none(), "it takes a reset");
    begin(&mut lab, SPEED, "0.5");
    do_steps(&mut lab, 4);
    assert_eq!([value(lab.run.host.simulation(), SPEED), value(other(&lab).simulation(), SPEED)], [0.1, 0.5]);
    assert!(other(&lab).differs_at().is_some_and(|step| step > 4), "{:?}", other(&lab).differs_at());
}

#[test]
fn a_step_that_fails_ends_the_comparison() {
    let mut lab = lab_on("milling");
    begin(&mut lab, TURN, "1.2");
    lab.step_failed();
    assert!(lab.compare.other.is_none() && lab.run.host.clock().paused);
}

fn begin_here(lab: &mut Lab, path: &str, value: &str) {
    compare(lab, CompareAction::SetStart(ComparisonStart::Here));
    begin(lab, path, value);
}

#[test]
fn a_comparison_from_a_moment_begins_with_the_same_state() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 300);
    begin_here(&mut lab, TURN, "1.2");
    lab.advance(0.0, || true);
    assert_eq!(other(&lab).begins_at(&lab.run.host), 300);
    assert_eq!(other(&lab).progress(lab.run.host.simulation()), None, "there is nothing to catch up");
    let poses = [lab.run.host.simulation().poses(), other(&lab).simulation().poses()];
    assert_eq!(poses[0], poses[1]);
    do_steps(&mut lab, 100);
    let mut alone = lab_on("milling");
    do_steps(&mut alone, 300);
    let mut b = Simulation::new(alone.run.host.start()).unwrap();
    b.step(300);
    b.apply(changed(TURN, "1.2").edit()).unwrap();
    b.step(100);
    do_steps(&mut alone, 100);
    assert_eq!(hashes(&lab), [alone.run.host.simulation().hash(), b.hash()]);
    assert!(other(&lab).differs_at().is_some_and(|step| step > 300), "{:?}", other(&lab).differs_at());
    assert_eq!(other(&lab).history.steps(), lab.plots.history.steps());
    // Made again, such as after a jump, B has the same past and the same first difference.
    let (before, differs_at) = (hashes(&lab), other(&lab).differs_at());
    lab.remake_other();
    lab.advance(0.0, || true);
    assert_eq!((hashes(&lab), other(&lab).differs_at()), (before, differs_at));
    compare(&mut lab, CompareAction::Keep);
    assert_eq!(lab.run.host.simulation().hash(), before[1]);
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(lab.run.host.simulation().hash(), before[0]);
}

#[test]
fn a_comparison_from_the_past_shows_the_future_of_the_run_beside_another_one() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 150);
    set(&mut lab, CLEAR, "-0.4");
    // The compared parameter also changes later in A, and only there.
    do_steps(&mut lab, 10);
    set(&mut lab, TURN, "0.9");
    do_steps(&mut lab, 40);
    let (future, branch) = (lab.run.host.simulation().hash(), lab.run.host.moment().branch);
    lab.go_to(Moment { branch, step: 100 });
    resimulate(&mut lab);
    compare(&mut lab, CompareAction::ChooseOf(TURN.into()));
    assert_eq!(lab.compare.start, ComparisonStart::Here, "a moment of the past was chosen by the user");
    begin(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 100);
    assert_eq!(lab.run.host.timeline().branches().len(), 1);
    let mut b = Simulation::new(lab.run.host.start()).unwrap();
    for (steps, path, value) in [(100, TURN, "1.2"), (50, CLEAR, "-0.4")] {
        b.step(steps);
        b.apply(changed(path, value).edit()).unwrap();
    }
    b.step(50);
    assert_eq!(hashes(&lab)[0], future);
    assert_eq!(other(&lab).simulation().poses(), b.poses());
    // Before the moment, both are one run; after it, B differs again.
    for step in [60, 200] {
        lab.go_to(Moment { branch, step });
        resimulate(&mut lab);
        lab.advance(0.0, || true);
        let is_same = lab.run.host.simulation().poses() == other(&lab).simulation().poses();
        assert_eq!((lab.run.host.simulation().steps(), is_same), (step, step == 60));
    }
    assert_eq!(other(&lab).simulation().poses(), b.poses());
}

#[test]
fn another_value_is_compared_from_the_same_step_as_before() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 50);
    begin_here(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 30);
    compare(&mut lab, CompareAction::Choose);
    assert_eq!(lab.compare.start, ComparisonStart::AsBefore);
    begin(&mut lab, TURN, "0.1");
    do_steps(&mut lab, 1);
    assert_eq!(other(&lab).begins_at(&lab.run.host), 50);
    let mut b = Simulation::new(lab.run.host.start()).unwrap();
    b.step(50);
    b.apply(changed(TURN, "0.1").edit()).unwrap();
    b.step(31);
    assert_eq!(other(&lab).simulation().poses(), b.poses());
    compare(&mut lab, CompareAction::End);
    assert_eq!(lab.compare.first_step(81), None, "there is no earlier comparison");
}

#[test]
fn a_reset_continues_a_comparison_from_a_moment_at_the_start() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 50);
    begin_here(&mut lab, TURN, "1.2");
    do_steps(&mut lab, 5);
    lab.reset(None);
    do_steps(&mut lab, 60);
    assert_eq!(other(&lab).begins_at(&lab.run.host), 0);
    assert_eq!(other(&lab).simulation().poses(), plain("1.2", 60).poses());
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(other(&lab).begins_at(&lab.run.host), 50, "as before the reset");
}

#[test]
fn parameters_of_a_start_cannot_be_compared_from_a_moment() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 5);
    compare(&mut lab, CompareAction::SetStart(ComparisonStart::Here));
    compare(&mut lab, CompareAction::Begin(vec![changed("groups.millers.count", "9")]));
    assert!(lab.compare.other.is_none());
    let is_told = |text: &str| lab.notices.iter().any(|notice| notice.lines.join(" ").contains(text));
    assert!(is_told("begin the comparison at the start"), "{:?}", lab.notices);
}

#[test]
fn a_compared_branch_begins_at_its_fork() {
    let mut lab = lab_on("milling");
    compare_with_fork(&mut lab, 100, 40);
    assert_eq!(other(&lab).begins_at(&lab.run.host), 40);
}
