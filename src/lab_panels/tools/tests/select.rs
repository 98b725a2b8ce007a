//! Selecting, moving and turning.

use std::f64::consts::FRAC_PI_2;

use bevy::math::DVec2;
use bevy_egui::egui::{self, Modifiers, PointerButton};
use swarmarium_draw::scale;
use swarmarium_lab_state::action::{Action, SelectionAction, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection;
use swarmarium_lab_testing::{do_steps, lab_of};
use swarmarium_simulation::edit::Edit;

use crate::dispatch::act;
use crate::tools::select::{Select, turned};
use crate::tools::tests::{A, B, REGION, SCENE, STONE, click, drag, edits, held, mouse, taken_back, with};
use crate::tools::{Act, Mouse, SNAP_RAD, ToolHandler, snapped, snapped_rad};

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

#[test]
fn a_click_selects_robots_before_regions() {
    let mut lab = lab_of(SCENE);
    let mut select = Select::default();
    for (at_m, item) in
        [((2.0, 2.1), Some(A)), ((7.0, 6.8), Some(STONE)), ((2.0, 7.5), Some(REGION)), ((9.0, 1.0), None)]
    {
        assert_eq!(click(&mut select, &lab, at_m), [Action::Selection(SelectionAction::Select(item))]);
    }
    let mut shift = |lab: &Lab, at_m| select.mouse(lab, &with(Modifiers::SHIFT, mouse(Act::Click, at_m)));
    lab.choose(vec![A]);
    assert_eq!(shift(&lab, (4.0, 2.0)), [Action::Selection(SelectionAction::Choose(vec![A, B]))]);
    assert_eq!(
        shift(&lab, (9.0, 1.0)),
        [Action::Selection(SelectionAction::Choose(vec![A]))],
        "beside everything, nothing is lost"
    );
    lab.choose(vec![A, B, STONE]);
    assert_eq!(shift(&lab, (4.0, 2.0)), [Action::Selection(SelectionAction::Choose(vec![A, STONE]))]);
}

#[test]
fn the_selection_moves_together_within_walls() {
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
    let position_m = lab.run.host.simulation().agent(1).unwrap().pose.position_m;
    assert!(position_m.distance(DVec2::new(5.0, 2.5)) < 1e-9, "{position_m}");
}

#[test]
fn a_drag_selects_its_object() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![A]);
    let mut select = Select::default();
    assert_eq!(
        select.mouse(&lab, &mouse(Act::Grasp, (4.0, 2.0))),
        [Action::Selection(SelectionAction::Choose(vec![B]))]
    );
    assert_near(&moves(&select.mouse(&lab, &mouse(Act::Drag, (4.0, 3.0)))), &[[1.0, 4.0, 3.0, 0.0]]);
    assert!(select.is_busy());
    assert_near(&moves(&select.cancel(&lab)), &[[1.0, 4.0, 2.0, 0.0]]);
}

#[test]
fn objects_that_lie_still_are_moved_by_their_parameters() {
    let mut lab = lab_of(SCENE);
    let actions = drag(&mut Select::default(), &lab, Modifiers::NONE, (7.0, 7.0), (6.0, 6.5));
    assert_eq!(actions[0], Action::Selection(SelectionAction::Choose(vec![STONE])));
    let value = "Disc(center_m: (6.0, 6.5), radius_m: 0.4, name: \"stone\")".into();
    assert_eq!(edits(&actions), [Edit::Set { path: "objects.0".into(), value }]);
    actions.into_iter().for_each(|action| act(&mut lab, &egui::Context::default(), action));
    do_steps(&mut lab, 1);
    assert_eq!(selection::obstacle_at(lab.run.host.simulation(), DVec2::new(6.0, 6.2)), Some(STONE));
    assert_eq!(selection::obstacle_at(lab.run.host.simulation(), DVec2::new(7.0, 7.0)), None);
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
    assert_eq!(
        select.mouse(&lab, &Mouse { by_px, ..mouse(Act::Drag, (2.0, 7.0)) }),
        [Action::View(ViewAction::Pan(by_px))]
    );
    assert!(!select.is_busy(), "Esc has other things to do");
    select.mouse(&lab, &mouse(Act::Drop, (2.0, 7.0)));
    lab.choose(vec![REGION]);
    let value = "Region(area: Disc(center_m: (3.0, 7.0), radius_m: 1.0))".into();
    let moved = drag(&mut select, &lab, Modifiers::NONE, (2.0, 7.0), (3.0, 7.0));
    assert_eq!(edits(&moved), [Edit::Set { path: "objects.1".into(), value }]);
}

#[test]
fn a_box_selects_objects_with_their_center_in_it() {
    let mut lab = lab_of(SCENE);
    let mut select = Select::default();
    assert_eq!(
        drag(&mut select, &lab, Modifiers::SHIFT, (5.0, 3.0), (1.0, 1.0)),
        [Action::Selection(SelectionAction::Choose(vec![A, B]))]
    );
    lab.choose(vec![B]);
    assert_eq!(
        drag(&mut select, &lab, Modifiers::SHIFT, (6.0, 6.0), (8.0, 8.0)),
        [Action::Selection(SelectionAction::Choose(vec![B, STONE]))]
    );
    assert_eq!(
        drag(&mut select, &lab, Modifiers::SHIFT, (9.0, 1.0), (9.5, 1.5)),
        [Action::Selection(SelectionAction::Choose(vec![B]))]
    );
}

#[test]
fn the_right_button_turns_one_object_and_with_shift_all_about_their_center() {
    let mut lab = lab_of(SCENE);
    let right = |act, at_m| Mouse { button: PointerButton::Secondary, ..mouse(act, at_m) };
    let mut select = Select::default();
    assert_eq!(
        select.mouse(&lab, &right(Act::Grasp, (2.0, 2.0))),
        [Action::Selection(SelectionAction::Choose(vec![A]))]
    );
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
    lab.edits.toolbox.options.snaps = true;
    assert!((heading_deg(&lab, 1.0) - 15.0).abs() < 1e-9);
    lab.choose(vec![A, B, STONE]);
    let Action::Edits(edits) = turned(&lab, B, 1.0, Modifiers::COMMAND) else { panic!() };
    assert_eq!(edits.len(), 3, "all that is selected turns");
}

#[test]
fn positions_snap_to_the_grid_and_alt_inverts_snapping() {
    let mut lab = lab_of(SCENE);
    let grid_m = scale::grid_m(&lab.view.painted.camera);
    let at_m = DVec2::new(3.3, 4.4);
    let is_on_grid = |point_m: DVec2| ((point_m / grid_m).round() * grid_m).distance(point_m) < 1e-9;
    assert_eq!(snapped(&lab, at_m, Modifiers::NONE), at_m);
    assert!(is_on_grid(snapped(&lab, at_m, Modifiers::ALT)));
    lab.edits.toolbox.options.snaps = true;
    assert_eq!(snapped(&lab, at_m, Modifiers::ALT), at_m);
    // If an item is grabbed beside its centre, its centre snaps.
    let moved = moves(&drag(&mut Select::default(), &lab, Modifiers::NONE, (2.1, 2.1), (3.3, 4.4)));
    assert!(is_on_grid(DVec2::new(moved[0][1], moved[0][2])), "{moved:?}");
    assert!((snapped_rad(&lab, 0.3, Modifiers::NONE) - SNAP_RAD).abs() < 1e-12);
}

#[test]
fn a_cancelled_drag_leaves_no_edit_paused_or_running() {
    for steps in [None, Some(0), Some(2)] {
        let mut lab = lab_of(SCENE);
        let mut select = Select::default();
        held(&mut lab, vec![Action::Edit(Edit::Move { agent: 1, x_m: 6.0, y_m: 2.0, heading_rad: 0.0 })]);
        lab.edits.transaction = 0;
        select.mouse(&lab, &mouse(Act::Grasp, (2.0, 2.0)));
        for x_m in [3.0, 4.0] {
            let actions = select.mouse(&lab, &mouse(Act::Drag, (x_m, 3.0)));
            held(&mut lab, actions);
            steps.into_iter().for_each(|steps| do_steps(&mut lab, steps));
        }
        let actions = select.cancel(&lab);
        taken_back(&mut lab, actions);
        assert_eq!(lab.run.host.simulation().edits().len(), 1, "earlier changes stay");
        assert_eq!(lab.run.host.simulation().agent(0).unwrap().pose.position_m, DVec2::splat(2.0));
    }
}

#[test]
fn a_drag_skips_removed_objects_and_keeps_new_names() {
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
