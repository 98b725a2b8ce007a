//! The mouse and the keys in a whole window.

use std::cell::RefCell;
use std::rc::Rc;

use bevy::math::DVec2;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{self, Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use swarmarium_formats::standard::FromScene as _;
use swarmarium_kinds::controller::supervisor::Supervisor;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::toolbox::{Facing, Tool};
use swarmarium_lab_testing::{do_steps, lab_of, lab_on, window};
use swarmarium_simulation::simulation::Simulation;

use crate::tools::tests::{A, SCENE};

/// The position of a point of the world in the window.
fn at(lab: &Rc<RefCell<Lab>>, at_m: (f64, f64)) -> Pos2 {
    let lab = lab.borrow();
    let at = lab.view.painted.camera.screen_from_world(DVec2::from(at_m));
    lab.view.rect_px.min + egui::vec2(at.x as f32, at.y as f32)
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
    assert_eq!(lab.borrow().view.selection.items, [A]);
    do_steps(&mut lab.borrow_mut(), 1);
    let position_m = lab.borrow().run.host.simulation().agent(0).unwrap().pose.position_m;
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
        let heading_rad = lab.borrow().run.host.simulation().agent(0).unwrap().pose.heading_rad;
        assert!((heading_rad.to_degrees() - degrees).abs() < 1e-6, "{degrees}: {}", heading_rad.to_degrees());
    }
}

#[test]
fn the_goal_of_a_course_scene_is_dragged_and_the_robot_goes_there() {
    for name in ["simiam-week1", "simiam-week7", "simiam-slalom", "simiam-labyrinth", "simiam-week3", "simiam-week5"] {
        let lab = lab_on(name);
        let groups = lab.run.host.scene().groups.iter();
        let supervisors = groups.filter_map(|group| group.controller.value().downcast_ref::<Supervisor>());
        let names: Vec<&str> =
            lab.run.host.scene().objects.iter().map(|object| object.common().name.as_str()).collect();
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
    let position_m = |lab: &Lab| lab.run.host.simulation().agent(0).unwrap().pose.position_m;
    assert!(position_m(&lab.borrow()).distance(DVec2::new(-0.5, 0.8)) < 0.15, "{}", position_m(&lab.borrow()));
    // A reset keeps the goal, and so does the scene when it is saved.
    let scene = lab.borrow().run.host.simulation().scene_ahead().clone();
    let mut again = Simulation::new(&scene).unwrap();
    again.step(1500);
    let at_m = again.agent(0).unwrap().pose.position_m;
    assert!(at_m.distance(DVec2::new(-0.5, 0.8)) < 0.15, "{at_m}");
}

#[test]
fn the_ground_is_dragged_in_the_window_and_the_world_goes_with_the_cursor() {
    let (mut window, lab) = window(lab_of(SCENE));
    for button in [PointerButton::Primary, PointerButton::Middle] {
        let before_m = lab.borrow().view.current.camera.center_m;
        let (from, to) = (at(&lab, (6.0, 4.0)), at(&lab, (7.0, 5.0)));
        let event = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
        window.event(event(from, true));
        window.hover_at(from.lerp(to, 0.5));
        window.hover_at(to);
        window.event(event(to, false));
        window.run_steps(2);
        let by_m = lab.borrow().view.current.camera.center_m - before_m;
        assert!((by_m + DVec2::ONE).length() < 0.05, "{button:?}: {by_m}");
        assert_eq!(lab.borrow().view.selection.items, []);
    }
}

#[test]
fn escape_cancels_the_drag_and_then_the_tool() {
    let (mut window, lab) = window(lab_of(SCENE));
    press(&mut window, Key::W);
    assert_eq!(lab.borrow().edits.toolbox.tool, Tool::Wall);
    let corner = at(&lab, (5.0, 5.0));
    window.drag_at(corner);
    window.run_steps(1);
    window.drop_at(corner);
    window.run_steps(2);
    press(&mut window, Key::Escape);
    assert_eq!(lab.borrow().edits.toolbox.tool, Tool::Wall, "the row is taken back first");
    press(&mut window, Key::Escape);
    assert_eq!(lab.borrow().edits.toolbox.tool, Tool::Select);
    window.get_by_label("Measure").click();
    window.run_steps(3);
    assert_eq!(lab.borrow().edits.toolbox.tool, Tool::Measure);
}

#[test]
fn a_right_click_opens_the_context_menu() {
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
    assert!(lab.borrow().plots.history.pins().any(|pin| pin == "agents.1.speed_m_per_s"));
}

#[test]
fn every_option_has_a_tooltip() {
    for tool in Tool::ALL {
        let mut before = lab_of(SCENE);
        before.edits.toolbox.tool = tool;
        before.edits.toolbox.options.brush.facing = Facing::Fixed;
        let (mut window, lab) = window(before);
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        window.run_steps(2);
        // The tools are below the world.
        let world = lab.borrow().view.rect_px;
        let world = world.with_max_y(world.bottom() + 36.0);
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
