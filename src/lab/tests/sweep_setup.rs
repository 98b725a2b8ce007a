//! Tests of `lab_state::common::sweep_setup`.

use swarmarium_lab_state::common::sweep_setup::{Setup, TakeKind};
use swarmarium_lab_testing::{lab_of, lab_on};
use swarmarium_sweep::plan::Window;

const RANGE: &str = "groups.millers.sensors.0.range_m";

#[test]
fn the_first_control_and_the_first_metric_are_suggested() {
    let lab = lab_on("milling");
    let setup = Setup::default().for_scene(lab.run.host.simulation());
    assert_eq!(setup.factors.len(), 1);
    assert_eq!(setup.of.as_str(), lab.run.host.simulation().metric_columns()[0].as_str());
    let two = setup.with_factor(lab.run.host.simulation(), RANGE, true);
    assert_eq!(two.factors.len(), 2);
    assert_eq!(two.points(), 25);
    assert_eq!(two.with_factor(lab.run.host.simulation(), "arena.size_m.x", false).factors.len(), 1);
}

#[test]
fn a_scene_without_numbers_to_vary_has_no_factor() {
    let setup = Setup::default().for_scene(lab_of("Scene()").run.host.simulation());
    assert!(setup.factors.is_empty() && setup.of.is_empty());
}

#[test]
fn measures_have_names_of_their_own() {
    let setup = Setup { of: "circliness".into(), ..Setup::default() };
    let name = |take| Setup { take, ..setup.clone() }.measure().name;
    assert_eq!(name(TakeKind::Mean), "mean_circliness");
    assert_eq!(name(TakeKind::Final), "circliness");
    let until = Setup { take: TakeKind::TimeUntil, of: "circliness > 0.9".into(), ..setup }.measure();
    assert_eq!(until.name.as_str(), "time_until_circliness_above_0.9");
    assert_eq!(until.over, Window::Whole);
}
