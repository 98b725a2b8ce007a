use std::cell::RefCell;
use std::f64::consts::FRAC_PI_2;
use std::rc::Rc;

use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{self, Event};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use swarmarium_core::agent::failure::Failure;
use swarmarium_core::edit::Edit;
use swarmarium_core::kind::{KindType, Slot};
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::light::Light;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::region::{Area, Region};
use swarmarium_core::object::{ObjectFamily, Presence};
use swarmarium_core::scene::{Scene, reader};
use swarmarium_kinds::FromScene as _;
use swarmarium_kinds::controller::supervisor::Supervisor;

use super::select::{Select, turned};
use super::shape::{Shape, What};
use super::*;
use crate::command::by_title;
use crate::dispatch::act;
use crate::kit::{Facing, Form, Harm, Source};
use crate::selection::{Item, removals};
use crate::testing::{do_steps, lab_of, lab_on, window};

/// Two robots of radius 0.2, a stone, and a region on the ground.
const SCENE: &str = "(arena: (size_m: (10, 10), walls: Walled),
    groups: [(name: \"a\", at: [(2, 2, 0), (4, 2, 0)], body: Disc(radius_m: 0.2), controller: Constant())],
    objects: [Disc(name: \"stone\", center_m: (7, 7), radius_m: 0.4), Region(area: Disc(center_m: (2, 7), radius_m: 1))])";

const A: Item = Item::Agent(0);
const B: Item = Item::Agent(1);
const STONE: Item = Item::Object(0);
const REGION: Item = Item::Object(1);

/// What the primary button does at a point of the world, without other keys.
pub fn mouse(act: Act, at_m: (f64, f64)) -> Mouse {
    let (at_m, button) = (DVec2::from(at_m), PointerButton::Primary);
    Mouse { act, button, at_m, by_px: DVec2::ZERO, modifiers: Modifiers::NONE }
}

fn with(modifiers: Modifiers, mouse: Mouse) -> Mouse {
    Mouse { modifiers, ..mouse }
}

/// A press at one point that is let go at another one; what it asked for.
fn drag(hand: &mut dyn Hand, lab: &Lab, modifiers: Modifiers, from_m: (f64, f64), to_m: (f64, f64)) -> Vec<Action> {
    let acts = [(Act::Grasp, from_m), (Act::Drag, to_m), (Act::Drop, to_m)];
    acts.into_iter().flat_map(|(act, at_m)| hand.mouse(lab, &with(modifiers, mouse(act, at_m)))).collect()
}

fn click(hand: &mut dyn Hand, lab: &Lab, at_m: (f64, f64)) -> Vec<Action> {
    hand.mouse(lab, &mouse(Act::Click, at_m))
}

/// The edits that were asked for.
fn edits(actions: &[Action]) -> Vec<Edit> {
    let of = |action: &Action| match action {
        Action::Edits(edits) => edits.clone(),
        _ => Vec::new(),
    };
    actions.iter().flat_map(of).collect()
}

/// The moves of agents: number, x, y and heading.
fn moves(actions: &[Action]) -> Vec<[f64; 4]> {
    let of = |edit: Edit| match edit {
        Edit::Move { agent, x_m, y_m, heading_rad } => [f64::from(agent), x_m, y_m, heading_rad],
        edit => panic!("{edit:?}"),
    };
    edits(actions).into_iter().map(of).collect()
}

fn assert_near(found: &[[f64; 4]], expected: &[[f64; 4]]) {
    let is_near = |(one, other): (&[f64; 4], &[f64; 4])| one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(is_near), "{found:?} {expected:?}");
}

/// The objects that were asked for, as a scene file would have them.
fn added(lab: &Lab, actions: &[Action]) -> Vec<Slot<ObjectFamily>> {
    let of = |edit: Edit| match edit {
        Edit::Add { list, value } if list == "objects" => value,
        edit => panic!("{edit:?}"),
    };
    let values: Vec<String> = edits(actions).into_iter().map(of).collect();
    let text = format!("(objects: [{}])", values.join(", "));
    let scene: Scene = reader::read(lab.host.simulation().kinds(), "added", &text).unwrap();
    scene.objects
}

fn named(name: &str, object: impl KindType) -> Slot<ObjectFamily> {
    Slot::new(object).with(Presence { name: name.into(), ..Presence::default() })
}

#[test]
fn a_click_selects_what_stands_before_what_lies_on_the_ground() {
    let mut lab = lab_of(SCENE);
    let mut select = Select::default();
    for (at_m, item) in
        [((2.0, 2.1), Some(A)), ((7.0, 6.8), Some(STONE)), ((2.0, 7.5), Some(REGION)), ((9.0, 1.0), None)]
    {
        assert_eq!(click(&mut select, &lab, at_m), [Action::Select(item)]);
    }
    let mut shift = |lab: &Lab, at_m| select.mouse(lab, &with(Modifiers::SHIFT, mouse(Act::Click, at_m)));
    lab.choose(vec![A]);
    assert_eq!(shift(&lab, (4.0, 2.0)), [Action::Choose(vec![A, B])]);
    assert_eq!(shift(&lab, (9.0, 1.0)), [Action::Choose(vec![A])], "beside everything, nothing is lost");
    lab.choose(vec![A, B, STONE]);
    assert_eq!(shift(&lab, (4.0, 2.0)), [Action::Choose(vec![A, STONE])]);
}

#[test]
fn all_that_is_selected_moves_together_and_walls_hold_it() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![A, B]);
    let mut select = Select::default();
    let actions = drag(&mut select, &lab, Modifiers::NONE, (2.1, 2.0), (3.1, 2.5));
    assert_eq!(actions.len(), 1, "nothing is sent twice while time stands still: {actions:?}");
    assert_near(&moves(&actions), &[[0.0, 3.0, 2.5, 0.0], [1.0, 5.0, 2.5, 0.0]]);
    let out = drag(&mut select, &lab, Modifiers::NONE, (4.0, 2.0), (14.0, 2.0));
    assert_near(&moves(&out), &[[0.0, 9.8, 2.0, 0.0], [1.0, 9.8, 2.0, 0.0]]);
    actions.into_iter().for_each(|action| act(&mut lab, &egui::Context::default(), action));
    do_steps(&mut lab, 1);
    let position_m = lab.host.simulation().agent(1).unwrap().pose.position_m;
    assert!(position_m.distance(DVec2::new(5.0, 2.5)) < 1e-9, "{position_m}");
}

#[test]
fn what_is_dragged_and_was_not_selected_is_selected() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![A]);
    let mut select = Select::default();
    assert_eq!(select.mouse(&lab, &mouse(Act::Grasp, (4.0, 2.0))), [Action::Choose(vec![B])]);
    assert_near(&moves(&select.mouse(&lab, &mouse(Act::Drag, (4.0, 3.0)))), &[[1.0, 4.0, 3.0, 0.0]]);
    assert!(select.is_busy());
    assert_near(&moves(&select.cancel(&lab)), &[[1.0, 4.0, 2.0, 0.0]]);
}

#[test]
fn objects_that_lie_still_are_moved_by_their_parameters() {
    let mut lab = lab_of(SCENE);
    let actions = drag(&mut Select::default(), &lab, Modifiers::NONE, (7.0, 7.0), (6.0, 6.5));
    assert_eq!(actions[0], Action::Choose(vec![STONE]));
    let value = "Disc(center_m: (6.0, 6.5), radius_m: 0.4, name: \"stone\")".into();
    assert_eq!(edits(&actions), [Edit::Set { path: "objects.0".into(), value }]);
    actions.into_iter().for_each(|action| act(&mut lab, &egui::Context::default(), action));
    do_steps(&mut lab, 1);
    assert_eq!(selection::obstacle_at(lab.host.simulation(), DVec2::new(6.0, 6.2)), Some(STONE));
    assert_eq!(selection::obstacle_at(lab.host.simulation(), DVec2::new(7.0, 7.0)), None);
}

#[test]
fn objects_that_act_are_moved_as_robots_are() {
    let moving = SCENE.replace("radius_m: 0.4", "radius_m: 0.4, motion: Unicycle(), heading_rad: 1.0");
    let lab = lab_of(&moving);
    let actions = drag(&mut Select::default(), &lab, Modifiers::NONE, (7.0, 7.0), (6.0, 6.5));
    assert_eq!(edits(&actions), [Edit::MoveObject { object: 0, x_m: 6.0, y_m: 6.5, heading_rad: 1.0 }]);
}

#[test]
fn a_drag_of_the_ground_moves_the_view_and_of_a_region_only_once_that_is_selected() {
    let mut lab = lab_of(SCENE);
    let mut select = Select::default();
    let by_px = DVec2::new(10.0, 5.0);
    assert_eq!(select.mouse(&lab, &mouse(Act::Grasp, (2.0, 7.0))), []);
    assert_eq!(select.mouse(&lab, &Mouse { by_px, ..mouse(Act::Drag, (2.0, 7.0)) }), [Action::Pan(by_px)]);
    assert!(!select.is_busy(), "Esc has other things to do");
    select.mouse(&lab, &mouse(Act::Drop, (2.0, 7.0)));
    lab.choose(vec![REGION]);
    let value = "Region(area: Disc(center_m: (3.0, 7.0), radius_m: 1.0))".into();
    let moved = drag(&mut select, &lab, Modifiers::NONE, (2.0, 7.0), (3.0, 7.0));
    assert_eq!(edits(&moved), [Edit::Set { path: "objects.1".into(), value }]);
}

#[test]
fn a_box_selects_what_has_its_middle_in_it() {
    let mut lab = lab_of(SCENE);
    let mut select = Select::default();
    assert_eq!(drag(&mut select, &lab, Modifiers::SHIFT, (5.0, 3.0), (1.0, 1.0)), [Action::Choose(vec![A, B])]);
    lab.choose(vec![B]);
    assert_eq!(drag(&mut select, &lab, Modifiers::SHIFT, (6.0, 6.0), (8.0, 8.0)), [Action::Choose(vec![B, STONE])]);
    assert_eq!(drag(&mut select, &lab, Modifiers::SHIFT, (9.0, 1.0), (9.5, 1.5)), [Action::Choose(vec![B])]);
}

#[test]
fn the_right_button_turns_one_to_the_cursor_and_with_shift_all_about_their_middle() {
    let mut lab = lab_of(SCENE);
    let right = |act, at_m| Mouse { button: PointerButton::Secondary, ..mouse(act, at_m) };
    let mut select = Select::default();
    assert_eq!(select.mouse(&lab, &right(Act::Grasp, (2.0, 2.0))), [Action::Choose(vec![A])]);
    assert_near(&moves(&select.mouse(&lab, &right(Act::Drag, (2.0, 5.0)))), &[[0.0, 2.0, 2.0, FRAC_PI_2]]);
    select.mouse(&lab, &right(Act::Drop, (2.0, 5.0)));
    lab.choose(vec![A, B]);
    assert_eq!(select.mouse(&lab, &right(Act::Grasp, (4.0, 2.0))), []);
    let each = select.mouse(&lab, &right(Act::Drag, (4.0, 4.0)));
    assert_near(&moves(&each), &[[0.0, 2.0, 2.0, FRAC_PI_2 / 2.0], [1.0, 4.0, 2.0, FRAC_PI_2]]);
    let together = select.mouse(&lab, &with(Modifiers::SHIFT, right(Act::Drag, (3.0, 4.0))));
    assert_near(&moves(&together), &[[0.0, 3.0, 1.0, FRAC_PI_2], [1.0, 3.0, 3.0, FRAC_PI_2]]);
    assert_eq!(select.mouse(&lab, &right(Act::Click, (4.0, 2.0))), [], "the menu is for that");
}

#[test]
fn the_wheel_turns_by_5_degrees_a_notch_or_to_the_next_15() {
    let mut lab = lab_of(SCENE);
    let heading_deg = |lab: &Lab, notches| match turned(lab, A, notches, Modifiers::COMMAND) {
        Action::Edits(edits) => match edits[..] {
            [Edit::Move { agent: 0, heading_rad, .. }] => heading_rad.to_degrees(),
            _ => panic!("{edits:?}"),
        },
        action => panic!("{action:?}"),
    };
    assert!((heading_deg(&lab, 1.0) - 5.0).abs() < 1e-9 && (heading_deg(&lab, -2.0) + 10.0).abs() < 1e-9);
    lab.kit.snaps = true;
    assert!((heading_deg(&lab, 1.0) - 15.0).abs() < 1e-9);
    lab.choose(vec![A, B, STONE]);
    let Action::Edits(edits) = turned(&lab, B, 1.0, Modifiers::COMMAND) else { panic!() };
    assert_eq!(edits.len(), 3, "all that is selected turns");
}

#[test]
fn positions_snap_to_the_grid_and_alt_turns_that_around() {
    let mut lab = lab_of(SCENE);
    let grid_m = scenery::grid_m(&lab.painted.camera);
    let at_m = DVec2::new(3.3, 4.4);
    let is_on_grid = |point_m: DVec2| ((point_m / grid_m).round() * grid_m).distance(point_m) < 1e-9;
    assert_eq!(snapped(&lab, at_m, Modifiers::NONE), at_m);
    assert!(is_on_grid(snapped(&lab, at_m, Modifiers::ALT)));
    lab.kit.snaps = true;
    assert_eq!(snapped(&lab, at_m, Modifiers::ALT), at_m);
    // Taken hold of beside its middle, it is the middle that snaps.
    let moved = moves(&drag(&mut Select::default(), &lab, Modifiers::NONE, (2.1, 2.1), (3.3, 4.4)));
    assert!(is_on_grid(DVec2::new(moved[0][1], moved[0][2])), "{moved:?}");
    assert!((snapped_rad(&lab, 0.3, Modifiers::NONE) - SNAP_RAD).abs() < 1e-12);
}

#[test]
fn the_brush_makes_one_at_a_click_and_aims_it_by_a_drag() {
    let mut lab = lab_of(SCENE);
    let mut spawn = Tool::Spawn.hand();
    let one = |heading_rad| Edit::Spawn { group: "a".into(), x_m: 5.0, y_m: 5.0, heading_rad };
    assert_eq!(edits(&click(&mut *spawn, &lab, (5.0, 5.0))), [one(0.0)]);
    let aimed = edits(&drag(&mut *spawn, &lab, Modifiers::NONE, (5.0, 5.0), (5.0, 7.0)));
    assert_eq!(aimed, [one(FRAC_PI_2)]);
    (lab.kit.brush.facing, lab.kit.brush.heading_deg) = (Facing::Fixed, 180.0);
    let fixed = edits(&drag(&mut *spawn, &lab, Modifiers::NONE, (5.0, 5.0), (5.0, 7.0)));
    assert_eq!(fixed, [one(180.0_f64.to_radians())]);
    lab.kit.brush.facing = Facing::Random;
    let random = edits(&click(&mut *spawn, &lab, (5.0, 5.0)));
    assert_eq!(edits(&click(&mut *spawn, &lab, (5.0, 5.0))), random, "the same at the same place");
    assert_ne!(random, fixed);
}

/// Where robots are to be made, in metres along x.
fn spawns(actions: &[Action]) -> Vec<f64> {
    let of = |edit: Edit| match edit {
        Edit::Spawn { x_m, .. } => x_m,
        edit => panic!("{edit:?}"),
    };
    edits(actions).into_iter().map(of).collect()
}

#[test]
fn the_brush_paints_at_its_spacing_and_not_upon_others() {
    let mut lab = lab_of(SCENE);
    let mut spawn = Tool::Spawn.hand();
    let painted = spawns(&drag(&mut *spawn, &lab, Modifiers::COMMAND, (5.0, 5.0), (7.0, 5.0)));
    assert_eq!(painted, [5.0, 5.5, 6.0, 6.5, 7.0]);
    lab.kit.brush.paints = true;
    lab.kit.brush.spacing_m = 0.25;
    let painted = spawns(&drag(&mut *spawn, &lab, Modifiers::NONE, (1.0, 2.0), (3.0, 2.0)));
    assert!(painted.len() > 3 && painted.iter().all(|x_m| (x_m - 2.0).abs() >= 0.4), "{painted:?}");
    let out = drag(&mut *spawn, &lab, Modifiers::NONE, (5.0, -1.0), (5.0, -2.0));
    assert_eq!(out, [], "nobody is made outside of walls");
}

#[test]
fn the_brush_paints_nobody_into_obstacles() {
    let lab = lab_of(SCENE);
    let painted = spawns(&drag(&mut *Tool::Spawn.hand(), &lab, Modifiers::COMMAND, (5.0, 7.0), (9.0, 7.0)));
    assert!(painted.len() > 4, "{painted:?}");
    assert!(painted.iter().all(|x_m| (x_m - 7.0).abs() > 0.6 - 1e-6), "{painted:?}");
    assert!(painted.iter().any(|x_m| *x_m > 7.0), "it goes on behind the stone: {painted:?}");
}

#[test]
fn a_group_whose_name_is_the_place_of_another_one_is_called_by_its_place() {
    let mut lab = lab_of(&SCENE.replace("groups: [", "groups: [(name: \"1\", count: 0), "));
    lab.kit.brush.source = Some(Source::Group("1".into()));
    let made = edits(&click(&mut *Tool::Spawn.hand(), &lab, (5.0, 5.0)));
    assert_eq!(made, [Edit::Spawn { group: "0".into(), x_m: 5.0, y_m: 5.0, heading_rad: 0.0 }]);
}

/// Does what was asked for while the mouse is held.
fn held(lab: &mut Lab, actions: Vec<Action>) {
    if lab.gesture == 0 {
        lab.gesture = lab.host.new_gesture();
    }
    actions.into_iter().for_each(|action| act(lab, &egui::Context::default(), action));
}

/// Undoes what is asked for, and simulates again.
fn taken_back(lab: &mut Lab, actions: Vec<Action>) {
    assert_eq!(actions, [Action::Undo]);
    held(lab, actions);
    while lab.host.resimulate().is_some() {
        lab.advance(0.0, || true);
    }
}

#[test]
fn a_drag_that_is_taken_back_leaves_nothing_whether_it_was_applied_or_waits() {
    for steps in [None, Some(0), Some(2)] {
        let mut lab = lab_of(SCENE);
        let mut select = Select::default();
        held(&mut lab, vec![Action::Edit(Edit::Move { agent: 1, x_m: 6.0, y_m: 2.0, heading_rad: 0.0 })]);
        lab.gesture = 0;
        select.mouse(&lab, &mouse(Act::Grasp, (2.0, 2.0)));
        for x_m in [3.0, 4.0] {
            let actions = select.mouse(&lab, &mouse(Act::Drag, (x_m, 3.0)));
            held(&mut lab, actions);
            steps.into_iter().for_each(|steps| do_steps(&mut lab, steps));
        }
        let actions = select.cancel(&lab);
        taken_back(&mut lab, actions);
        assert_eq!(lab.host.simulation().edits().len(), 1, "what was changed before stays");
        assert_eq!(lab.host.simulation().agent(0).unwrap().pose.position_m, DVec2::splat(2.0));
    }
}

#[test]
fn painting_is_taken_back_and_nothing_else() {
    let mut lab = lab_of(SCENE);
    held(&mut lab, vec![Action::Edit(Edit::Move { agent: 1, x_m: 6.0, y_m: 2.0, heading_rad: 0.0 })]);
    lab.gesture = 0;
    let mut spawn = Tool::Spawn.hand();
    for (act, x_m) in [(Act::Grasp, 1.0), (Act::Drag, 3.0), (Act::Drag, 6.0)] {
        let actions = spawn.mouse(&lab, &with(Modifiers::COMMAND, mouse(act, (x_m, 8.5))));
        held(&mut lab, actions);
    }
    assert!(lab.host.simulation().count() > 6);
    let actions = spawn.cancel(&lab);
    taken_back(&mut lab, actions);
    assert_eq!((lab.host.simulation().count(), lab.host.simulation().edits().len()), (2, 1));
    assert_eq!(spawn.cancel(&lab), [], "another change is the last one now");
}

#[test]
fn what_is_gone_meanwhile_is_moved_no_more_and_what_is_renamed_keeps_its_name() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![A, B, STONE]);
    let mut select = Select::default();
    select.mouse(&lab, &mouse(Act::Grasp, (2.0, 2.0)));
    let gone = Edit::Remove { path: "agents.1".into() };
    let renamed = Edit::Set { path: "objects.0.name".into(), value: "\"rock\"".into() };
    held(&mut lab, vec![Action::Edits(vec![gone, renamed])]);
    let moved = edits(&select.mouse(&lab, &mouse(Act::Drag, (2.0, 3.0))));
    let value = "Disc(center_m: (7.0, 8.0), radius_m: 0.4, name: \"rock\")".into();
    let robot = Edit::Move { agent: 0, x_m: 2.0, y_m: 3.0, heading_rad: 0.0 };
    assert_eq!(moved, [robot, Edit::Set { path: "objects.0".into(), value }]);
}

#[test]
fn a_robot_of_the_program_brings_its_group() {
    let mut lab = lab_of(SCENE);
    lab.kit.brush.source = Some(Source::Robot("epuck".into()));
    let made = edits(&click(&mut *Tool::Spawn.hand(), &lab, (5.0, 5.0)));
    let value = "(name: \"epuck\", robot: \"epuck\", count: 0)".into();
    assert_eq!(made[0], Edit::Add { list: "groups".into(), value });
    assert_eq!(made[1], Edit::Spawn { group: "epuck".into(), x_m: 5.0, y_m: 5.0, heading_rad: 0.0 });
    lab.kit.brush.source = Some(Source::Group("gone".into()));
    assert_eq!(spawns(&click(&mut *Tool::Spawn.hand(), &lab, (5.0, 5.0))), [5.0], "it falls back to the first group");
}

#[test]
fn the_pen_makes_one_wall_by_a_drag_and_a_row_by_clicks() {
    let lab = lab_of(SCENE);
    let mut wall = Tool::Wall.hand();
    let polygon = |corners: [(f64, f64); 4]| Polygon { corners_m: corners.map(DVec2::from).to_vec() };
    let one = drag(&mut *wall, &lab, Modifiers::NONE, (1.0, 5.0), (4.0, 5.0));
    let expected = polygon([(1.0, 4.95), (4.0, 4.95), (4.0, 5.05), (1.0, 5.05)]);
    assert_eq!(added(&lab, &one), [named("wall-1", expected)]);
    assert!(!wall.is_busy());
    for at_m in [(1.0, 5.0), (4.0, 5.0), (4.0, 8.0)] {
        assert_eq!(click(&mut *wall, &lab, at_m), []);
    }
    assert!(wall.is_busy());
    let row = added(&lab, &wall.mouse(&lab, &mouse(Act::DoubleClick, (4.0, 8.0))));
    assert_eq!(row.len(), 2);
    assert_eq!(row[1].common().name, "wall-2");
    let corners = |wall: &Slot<ObjectFamily>| wall.value().downcast_ref::<Polygon>().unwrap().corners_m.clone();
    let reach = |corners: Vec<DVec2>| swarmarium_space::polygon::bounds(&corners);
    let ends = |wall| reach(corners(wall));
    assert!(ends(&row[0]).1.distance(DVec2::new(4.05, 5.05)) < 1e-9, "the corner is whole");
    assert!(ends(&row[1]).0.distance(DVec2::new(3.95, 4.95)) < 1e-9);
    assert!(ends(&row[1]).1.distance(DVec2::new(4.05, 8.0)) < 1e-9);
    click(&mut *wall, &lab, (1.0, 1.0));
    assert_eq!(wall.finish(&lab), [], "one corner is no wall");
    assert!(!wall.is_busy());
}

#[test]
fn new_objects_have_names_that_nobody_has() {
    let lab = lab_of("(objects: [Disc(name: \"light-1\"), Disc(name: \"light-3\")])");
    let name = |actions: &[Action]| added(&lab, actions)[0].common().name.clone();
    assert_eq!(name(&click(&mut Shape::new(What::Light), &lab, (5.0, 5.0))), "light-2");
    assert_eq!(name(&click(&mut Shape::new(What::Goal), &lab, (5.0, 5.0))), "goal-1");
}

#[test]
fn obstacles_regions_goals_and_lights_are_drawn_in_their_forms() {
    let mut lab = lab_of(SCENE);
    let drawn = |lab: &Lab, what, to_m| {
        let actions = drag(&mut Shape::new(what), lab, Modifiers::NONE, (5.0, 5.0), to_m);
        added(lab, &actions)
    };
    let center_m = DVec2::splat(5.0);
    let disc = |radius_m| Area::Disc { center_m, radius_m };
    assert_eq!(drawn(&lab, What::Obstacle, (5.0, 6.0)), [named("obstacle-1", Disc { center_m, radius_m: 1.0 })]);
    let goal = |radius_m| named("goal-1", Goal { area: disc(radius_m), ..Goal::default() });
    assert_eq!(drawn(&lab, What::Goal, (7.0, 5.0)), [goal(2.0)]);
    assert_eq!(added(&lab, &click(&mut Shape::new(What::Goal), &lab, (5.0, 5.0))), [goal(0.3)]);
    let light = Light { position_m: center_m, intensity: 1.0 };
    assert_eq!(added(&lab, &click(&mut Shape::new(What::Light), &lab, (5.0, 5.0))), [named("light-1", light)]);
    lab.kit.form = Form::Rectangle;
    let corners_m = [(4.0, 5.0), (5.0, 5.0), (5.0, 7.0), (4.0, 7.0)].map(DVec2::from).to_vec();
    assert_eq!(drawn(&lab, What::Obstacle, (4.0, 7.0)), [named("obstacle-1", Polygon { corners_m })]);
    let area = Area::Box { min_m: DVec2::new(4.0, 5.0), max_m: DVec2::new(5.0, 7.0) };
    let region = named("region-1", Region { area, ..Region::default() });
    assert_eq!(drawn(&lab, What::Region, (4.0, 7.0)), [region]);
    // A drag along one axis has no area: it counts as a click.
    let area = Area::Box { min_m: DVec2::splat(4.7), max_m: DVec2::splat(5.3) };
    let found = drawn(&lab, What::Region, (5.0, 7.0));
    assert_eq!(found, [named("region-1", Region { area, ..Region::default() })]);
    assert_eq!(drawn(&lab, What::Goal, (7.0, 5.0)), [goal(2.0)], "goals are discs");
}

#[test]
fn the_eraser_takes_each_thing_away_once() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![A, STONE]);
    let gone = |path: &str| Edit::Remove { path: path.into() };
    let mut erase = Tool::Erase.hand();
    let clicked = click(&mut *erase, &lab, (2.0, 2.0));
    assert_eq!(clicked, [Action::Edits(vec![gone("agents.0")]), Action::Choose(vec![STONE])]);
    lab.choose(Vec::new());
    let mut erase = Tool::Erase.hand();
    let dragged = drag(&mut *erase, &lab, Modifiers::NONE, (1.5, 2.0), (4.5, 2.0));
    assert_eq!(dragged, [Action::Edits(vec![gone("agents.1"), gone("agents.0")])]);
    let lit = lab_of(&SCENE.replace(
        "objects: [",
        "objects: [Light(position_m: (8, 2)), Goal(area: Disc(center_m: (9, 2), radius_m: 0.2)), ",
    ));
    let dragged = drag(&mut *Tool::Erase.hand(), &lit, Modifiers::NONE, (7.5, 2.0), (9.5, 2.0));
    assert_eq!(dragged, [Action::Edits(vec![gone("objects.1"), gone("objects.0")])], "lights and goals, too");
    let region = |erase: &mut dyn Hand| edits(&click(erase, &lab, (2.0, 7.0)));
    assert_eq!(region(&mut *Tool::Erase.hand()), [gone("objects.1")]);
    assert_eq!(drag(&mut *Tool::Erase.hand(), &lab, Modifiers::NONE, (1.5, 7.0), (2.5, 7.0)), []);
    let twice = erase.mouse(&lab, &mouse(Act::DoubleClick, (2.0, 7.0)));
    assert_eq!(twice, [], "what lies below is not meant");
}

#[test]
fn several_things_go_from_the_last_to_the_first() {
    let paths = [Item::Object(0), Item::Agent(3), Item::Scene, Item::Object(12)];
    let gone = |path: &str| Edit::Remove { path: path.into() };
    assert_eq!(removals(paths), [gone("objects.12"), gone("objects.0"), gone("agents.3")]);
}

#[test]
fn a_click_breaks_or_repairs_a_robot() {
    let mut lab = lab_of(SCENE);
    let mut breaker = Tool::Fault.hand();
    let kill = |is_on| Edit::Fault { agent: 1, what: Failure::Dies, is_on };
    let broken = click(&mut *breaker, &lab, (4.0, 2.0));
    assert_eq!(edits(&broken), [kill(true)]);
    assert_eq!(click(&mut *breaker, &lab, (7.0, 7.0)), []);
    broken.into_iter().for_each(|action| act(&mut lab, &egui::Context::default(), action));
    do_steps(&mut lab, 1);
    lab.kit.harm = Harm::Repair;
    assert_eq!(edits(&click(&mut *breaker, &lab, (4.0, 2.0))), [kill(false)], "nothing else is wrong");
}

#[test]
fn every_tool_has_a_command_and_tells_what_the_mouse_does() {
    let lab = lab_of(SCENE);
    for tool in Tool::ALL {
        let command = by_title(tool.title()).unwrap();
        assert_eq!((command.action)(&lab), Some(Action::Tool(tool)));
        assert!(!command.keys.is_empty() && !tool.mouse().is_empty(), "{tool:?}");
    }
    assert!(by_title("Snap or not").is_some());
}

#[test]
fn the_view_comes_close_to_what_is_selected() {
    let mut lab = lab_of(SCENE);
    let before = lab.view.camera;
    lab.fit_selection();
    assert!(lab.view.camera == before && lab.notices.iter().next().is_some(), "nothing is selected");
    lab.choose(vec![A, B]);
    act(&mut lab, &egui::Context::default(), Action::FitSelection);
    assert!(lab.view.camera.center_m.distance(DVec2::new(3.0, 2.0)) < 1e-9);
    assert!(lab.view.camera.pixels_per_m > before.pixels_per_m && !lab.fitted);
    act(&mut lab, &egui::Context::default(), Action::SelectAll);
    assert_eq!((lab.chosen.clone(), lab.selected), (vec![A, B], Some(B)));
}

/// Where a point of the world is in the window.
fn at(lab: &Rc<RefCell<Lab>>, at_m: (f64, f64)) -> Pos2 {
    let lab = lab.borrow();
    let at = lab.painted.camera.screen_from_world(DVec2::from(at_m));
    lab.world_px.min + egui::vec2(at.x as f32, at.y as f32)
}

fn press(window: &mut Harness, key: Key) {
    window.key_press(key);
    window.run_steps(3);
}

#[test]
fn a_robot_is_dragged_in_the_window() {
    let (mut window, lab) = window(lab_of(SCENE));
    let (from, to) = (at(&lab, (2.0, 2.0)), at(&lab, (3.0, 4.0)));
    window.drag_at(from);
    window.hover_at(from.lerp(to, 0.5));
    window.hover_at(to);
    window.run_steps(1);
    window.drop_at(to);
    window.run_steps(2);
    assert_eq!(lab.borrow().chosen, [A]);
    do_steps(&mut lab.borrow_mut(), 1);
    let position_m = lab.borrow().host.simulation().agent(0).unwrap().pose.position_m;
    assert!(position_m.distance(DVec2::new(3.0, 4.0)) < 0.05, "{position_m}");
}

#[test]
fn a_notch_of_the_wheel_turns_by_5_degrees_in_the_window() {
    let (mut window, lab) = window(lab_of(SCENE));
    window.hover_at(at(&lab, (2.0, 2.0)));
    window.run_steps(2);
    let (unit, phase, modifiers) = (MouseWheelUnit::Line, egui::TouchPhase::Move, Modifiers::COMMAND);
    let notch = |y| Event::MouseWheel { unit, delta: egui::vec2(0.0, y), phase, modifiers };
    for (y, degrees) in [(1.0, 5.0), (1.0, 10.0), (-1.0, 5.0)] {
        window.event_modifiers(notch(y), modifiers);
        window.run_steps(20);
        do_steps(&mut lab.borrow_mut(), 1);
        let heading_rad = lab.borrow().host.simulation().agent(0).unwrap().pose.heading_rad;
        assert!((heading_rad.to_degrees() - degrees).abs() < 1e-6, "{degrees}: {}", heading_rad.to_degrees());
    }
}

#[test]
fn the_goal_of_a_course_scene_is_dragged_and_the_robot_goes_there() {
    for name in ["simiam-week1", "simiam-week7", "simiam-slalom", "simiam-labyrinth", "simiam-week3", "simiam-week5"] {
        let lab = lab_on(name);
        let groups = lab.host.scene().groups.iter();
        let supervisors = groups.filter_map(|group| group.controller.value().downcast_ref::<Supervisor>());
        let names: Vec<&str> = lab.host.scene().objects.iter().map(|object| object.common().name.as_str()).collect();
        assert!(supervisors.into_iter().all(|supervisor| names.contains(&supervisor.goal.as_str())), "{name}");
    }
    let (mut window, lab) = window(lab_on("simiam-week1"));
    let (from, to) = (at(&lab, (1.0, 1.0)), at(&lab, (-0.5, 0.8)));
    window.drag_at(from);
    window.hover_at(from.lerp(to, 0.5));
    window.hover_at(to);
    window.run_steps(1);
    window.drop_at(to);
    window.run_steps(2);
    do_steps(&mut lab.borrow_mut(), 1500);
    let position_m = |lab: &Lab| lab.host.simulation().agent(0).unwrap().pose.position_m;
    assert!(position_m(&lab.borrow()).distance(DVec2::new(-0.5, 0.8)) < 0.15, "{}", position_m(&lab.borrow()));
    // A reset keeps the goal, and so does the scene when it is saved.
    let scene = lab.borrow().host.simulation().scene_ahead().clone();
    let mut again = Simulation::new(&scene).unwrap();
    again.step(1500);
    let at_m = again.agent(0).unwrap().pose.position_m;
    assert!(at_m.distance(DVec2::new(-0.5, 0.8)) < 0.15, "{at_m}");
}

#[test]
fn the_ground_is_dragged_in_the_window_and_the_world_goes_with_the_cursor() {
    let (mut window, lab) = window(lab_of(SCENE));
    for button in [PointerButton::Primary, PointerButton::Middle] {
        let before_m = lab.borrow().view.camera.center_m;
        let (from, to) = (at(&lab, (6.0, 4.0)), at(&lab, (7.0, 5.0)));
        let event = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
        window.event(event(from, true));
        window.hover_at(from.lerp(to, 0.5));
        window.hover_at(to);
        window.event(event(to, false));
        window.run_steps(2);
        let by_m = lab.borrow().view.camera.center_m - before_m;
        assert!((by_m + DVec2::ONE).length() < 0.05, "{button:?}: {by_m}");
        assert_eq!(lab.borrow().chosen, []);
    }
}

#[test]
fn escape_takes_back_what_is_begun_and_then_the_tool() {
    let (mut window, lab) = window(lab_of(SCENE));
    press(&mut window, Key::W);
    assert_eq!(lab.borrow().tool, Tool::Wall);
    let corner = at(&lab, (5.0, 5.0));
    window.drag_at(corner);
    window.run_steps(1);
    window.drop_at(corner);
    window.run_steps(2);
    press(&mut window, Key::Escape);
    assert_eq!(lab.borrow().tool, Tool::Wall, "the row is taken back first");
    press(&mut window, Key::Escape);
    assert_eq!(lab.borrow().tool, Tool::Select);
    window.get_by_label("Measure").click();
    window.run_steps(3);
    assert_eq!(lab.borrow().tool, Tool::Measure);
}

#[test]
fn a_right_click_opens_what_can_be_done() {
    let (mut window, lab) = window(lab_of(SCENE));
    let pos = at(&lab, (4.0, 2.0));
    for pressed in [true, false] {
        let button = PointerButton::Secondary;
        window.event(Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
    }
    window.run_steps(3);
    window.get_by_label("Copy path");
    window.get_by_label("Plot speed").click();
    window.run_steps(3);
    assert!(lab.borrow().history.pins().any(|pin| pin == "agents.1.speed_m_per_s"));
}

#[test]
fn every_option_has_a_tooltip() {
    for tool in Tool::ALL {
        let mut before = lab_of(SCENE);
        before.tool = tool;
        before.kit.brush.facing = Facing::Fixed;
        let (mut window, lab) = window(before);
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        window.run_steps(2);
        let world = lab.borrow().world_px;
        let is_control = |role| matches!(role, Role::Button | Role::SpinButton | Role::ComboBox);
        let controls: Vec<(String, Pos2)> = window
            .root()
            .children_recursive()
            .filter(|node| is_control(node.accesskit_node().role()) && world.contains(node.rect().center()))
            .map(|node| (format!("{:?}", node.accesskit_node().label()), node.rect().center()))
            .collect();
        assert!(controls.len() > Tool::ALL.len(), "{tool:?}: {controls:?}");
        for (name, at) in controls {
            window.hover_at(at);
            window.run_steps(3);
            let layers = |memory: &egui::Memory| {
                memory.areas().visible_layer_ids().iter().any(|layer| layer.order == egui::Order::Tooltip)
            };
            assert!(window.ctx.memory(layers), "{tool:?}: {name}");
        }
    }
}

#[test]
fn crowds_that_are_selected_have_halos_in_the_place_of_rings() {
    let mut lab = lab_of(SCENE);
    let halos = |lab: &mut Lab, chosen: Vec<Item>| {
        lab.chosen = chosen;
        let plain = lab.picture(&lab.view).items.len();
        lab.paint().items.len() - plain
    };
    let many = [[A; MOST_RINGS].to_vec(), vec![STONE]].concat();
    assert_eq!([vec![A; MOST_RINGS], many].map(|chosen| halos(&mut lab, chosen)), [0, MOST_RINGS]);
}
