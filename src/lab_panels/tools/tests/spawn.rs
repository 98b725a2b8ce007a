//! Adding robots.

use std::f64::consts::FRAC_PI_2;

use bevy_egui::egui::Modifiers;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::common::toolbox::{Facing, SpawnSource, Tool};
use swarmarium_lab_testing::lab_of;
use swarmarium_simulation::edit::Edit;

use crate::tools::tests::{SCENE, click, drag, edits, held, mouse, taken_back, with};
use crate::tools::{Act, handler};

#[test]
fn the_brush_spawns_one_at_a_click_and_aims_it_by_a_drag() {
    let mut lab = lab_of(SCENE);
    let mut spawn = handler(Tool::Spawn);
    let one = |heading_rad| Edit::Spawn { group: "a".into(), x_m: 5.0, y_m: 5.0, heading_rad };
    assert_eq!(edits(&click(&mut *spawn, &lab, (5.0, 5.0))), [one(0.0)]);
    let aimed = edits(&drag(&mut *spawn, &lab, Modifiers::NONE, (5.0, 5.0), (5.0, 7.0)));
    assert_eq!(aimed, [one(FRAC_PI_2)]);
    (lab.edits.toolbox.options.brush.facing, lab.edits.toolbox.options.brush.heading_deg) = (Facing::Fixed, 180.0);
    let fixed = edits(&drag(&mut *spawn, &lab, Modifiers::NONE, (5.0, 5.0), (5.0, 7.0)));
    assert_eq!(fixed, [one(180.0_f64.to_radians())]);
    lab.edits.toolbox.options.brush.facing = Facing::Random;
    let random = edits(&click(&mut *spawn, &lab, (5.0, 5.0)));
    assert_eq!(edits(&click(&mut *spawn, &lab, (5.0, 5.0))), random, "the same at the same place");
    assert_ne!(random, fixed);
}

/// The x coordinates at which robots are added, in metres.
fn spawns(actions: &[Action]) -> Vec<f64> {
    let of = |edit: Edit| match edit {
        Edit::Spawn { x_m, .. } => x_m,
        edit => panic!("{edit:?}"),
    };
    edits(actions).into_iter().map(of).collect()
}

#[test]
fn the_brush_spawns_at_its_spacing_and_not_on_others() {
    let mut lab = lab_of(SCENE);
    let mut spawn = handler(Tool::Spawn);
    let painted = spawns(&drag(&mut *spawn, &lab, Modifiers::COMMAND, (5.0, 5.0), (7.0, 5.0)));
    assert_eq!(painted, [5.0, 5.5, 6.0, 6.5, 7.0]);
    lab.edits.toolbox.options.brush.paints = true;
    lab.edits.toolbox.options.brush.spacing_m = 0.25;
    let painted = spawns(&drag(&mut *spawn, &lab, Modifiers::NONE, (1.0, 2.0), (3.0, 2.0)));
    assert!(painted.len() > 3 && painted.iter().all(|x_m| (x_m - 2.0).abs() >= 0.4), "{painted:?}");
    let out = drag(&mut *spawn, &lab, Modifiers::NONE, (5.0, -1.0), (5.0, -2.0));
    assert_eq!(out, [], "no robot is added outside of walls");
}

#[test]
fn the_brush_spawns_no_robot_in_obstacles() {
    let lab = lab_of(SCENE);
    let painted = spawns(&drag(&mut *handler(Tool::Spawn), &lab, Modifiers::COMMAND, (5.0, 7.0), (9.0, 7.0)));
    assert!(painted.len() > 4, "{painted:?}");
    assert!(painted.iter().all(|x_m| (x_m - 7.0).abs() > 0.6 - 1e-6), "{painted:?}");
    assert!(painted.iter().any(|x_m| *x_m > 7.0), "it goes on behind the stone: {painted:?}");
}

#[test]
fn a_group_whose_name_is_the_place_of_another_one_is_called_by_its_place() {
    let mut lab = lab_of(&SCENE.replace("groups: [", "groups: [(name: \"1\", count: 0), "));
    lab.edits.toolbox.options.brush.source = Some(SpawnSource::Group("1".into()));
    let made = edits(&click(&mut *handler(Tool::Spawn), &lab, (5.0, 5.0)));
    assert_eq!(made, [Edit::Spawn { group: "0".into(), x_m: 5.0, y_m: 5.0, heading_rad: 0.0 }]);
}

#[test]
fn undo_of_the_brush_removes_painted_robots_only() {
    let mut lab = lab_of(SCENE);
    held(&mut lab, vec![Action::Edit(Edit::Move { agent: 1, x_m: 6.0, y_m: 2.0, heading_rad: 0.0 })]);
    lab.edits.transaction = 0;
    let mut spawn = handler(Tool::Spawn);
    for (act, x_m) in [(Act::Grasp, 1.0), (Act::Drag, 3.0), (Act::Drag, 6.0)] {
        let actions = spawn.mouse(&lab, &with(Modifiers::COMMAND, mouse(act, (x_m, 8.5))));
        held(&mut lab, actions);
    }
    assert!(lab.run.host.simulation().count() > 6);
    let actions = spawn.cancel(&lab);
    taken_back(&mut lab, actions);
    assert_eq!(lab.run.host.simulation().count(), 2);
    assert_eq!(lab.run.host.simulation().edits().len(), 1);
    assert_eq!(spawn.cancel(&lab), [], "another change is the last one now");
}

#[test]
fn spawning_a_shipped_robot_adds_its_group() {
    let mut lab = lab_of(SCENE);
    lab.edits.toolbox.options.brush.source = Some(SpawnSource::Robot("epuck".into()));
    let made = edits(&click(&mut *handler(Tool::Spawn), &lab, (5.0, 5.0)));
    let value = "(name: \"epuck\", robot: \"epuck\", count: 0)".into();
    assert_eq!(made[0], Edit::Add { list: "groups".into(), value });
    assert_eq!(made[1], Edit::Spawn { group: "epuck".into(), x_m: 5.0, y_m: 5.0, heading_rad: 0.0 });
    lab.edits.toolbox.options.brush.source = Some(SpawnSource::Group("gone".into()));
    assert_eq!(spawns(&click(&mut *handler(Tool::Spawn), &lab, (5.0, 5.0))), [5.0], "it falls back to the first group");
}
