//! Tests of `lab_panels::dispatch::copies`.

use bevy::math::DVec2;
use swarmarium_lab_panels::dispatch::copies;
use swarmarium_lab_panels::parameters;
use swarmarium_lab_state::action::Alignment;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_testing::{do_steps, lab_of};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::agents;

const SCENE: &str = "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0), (3.0, 2.0, 1.0)], motion: Static())],\
    objects: [Disc(name: \"post-1\", center_m: (5.0, 5.0), radius_m: 0.5)])";

fn positions(lab: &Lab) -> Vec<DVec2> {
    lab.run.host.simulation().agents().map(|agent| agent.pose.position_m).collect()
}

#[test]
fn copies_are_pasted_about_a_point_and_have_names_of_their_own() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![Item::Agent(0), Item::Agent(1), Item::Object(0)]);
    assert!(copies::copy(&mut lab));
    copies::paste(&mut lab, Some(DVec2::new(6.0, 6.0)));
    do_steps(&mut lab, 1);
    let middle = (DVec2::new(1.0, 1.0) + DVec2::new(3.0, 2.0) + DVec2::new(5.0, 5.0)) / 3.0;
    let there = DVec2::new(1.0, 1.0) + DVec2::new(6.0, 6.0) - middle;
    assert!(positions(&lab).iter().any(|at| at.distance(there) < 1e-9), "{:?}", positions(&lab));
    let names: Vec<_> = lab.run.host.scene().objects.iter().map(|object| object.common().name.clone()).collect();
    assert_eq!(positions(&lab).len(), 4);
    assert_eq!(names, vec!["post-1".to_owned(), "post-2".to_owned()]);
    assert!(lab.run.host.undo().is_some(), "it is one change");
}

#[test]
fn copies_are_selected_and_have_the_parameters_of_their_originals() {
    let mut lab = lab_of(
        "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0), (3.0, 2.0, 1.0)], sensors: [BinaryFov(range_m: 2.0)],
        controller: Binary())], objects: [Disc(name: \"post\", center_m: (5.0, 5.0), radius_m: 0.5)])",
    );
    let path = "agents.1.sensors.0.range_m".into();
    lab.edit(vec![Edit::Set { path, value: "3.5".into() }]);
    do_steps(&mut lab, 1);
    lab.choose(vec![Item::Agent(0), Item::Agent(1), Item::Object(0)]);
    let changes = lab.run.host.changes().len();
    copies::duplicate(&mut lab);
    assert_eq!(lab.view.selection.items, [Item::Agent(2), Item::Agent(3), Item::Object(1)]);
    let told = lab.notices.iter().last().unwrap().lines.clone();
    assert_eq!(told, ["Duplicated 2 robots and 1 object"]);
    do_steps(&mut lab, 1);
    let own = |number| {
        let simulation = lab.run.host.simulation();
        let (agent, group) = (simulation.agent(number).unwrap(), &simulation.scene_ahead().groups[0]);
        parameters::own_of_agent(simulation.kinds(), &agents::description_ahead(&agent), group)
    };
    assert!(own(2).is_empty(), "{:?}", own(2));
    assert_eq!(own(3), [("sensors.0.range_m".to_owned(), "3.5".to_owned())]);
    assert_eq!(lab.run.host.changes().len(), changes + 1, "it is one change");
}

#[test]
fn cut_objects_are_removed_and_can_be_pasted() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![Item::Agent(1)]);
    assert!(copies::copy(&mut lab));
    copies::remove_selected(&mut lab);
    do_steps(&mut lab, 1);
    assert_eq!(positions(&lab).len(), 1);
    copies::paste(&mut lab, None);
    do_steps(&mut lab, 1);
    assert_eq!(positions(&lab).len(), 2);
}

#[test]
fn align_lines_up_edges_and_centers() {
    let of = |alignment| {
        let mut lab = lab_of(SCENE);
        lab.choose(vec![Item::Agent(0), Item::Object(0), Item::Agent(1)]);
        copies::align(&mut lab, alignment);
        do_steps(&mut lab, 1);
        positions(&lab)
    };
    let [first, second] = of(Alignment::Right)[..] else { panic!() };
    assert!((first.x - second.x).abs() < 1e-9 && first.x > 5.0 && first.y == 1.0);
    let [first, second] = of(Alignment::Row)[..] else { panic!() };
    assert!((first.y - 8.0 / 3.0).abs() < 1e-9 && first.y == second.y);
    assert_eq!(of(Alignment::DistributeHorizontally)[1].x, 3.0, "half way between 1 and 5");
}
