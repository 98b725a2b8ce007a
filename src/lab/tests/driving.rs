//! Tests of `lab_state::edit::driving`.

use bevy_egui::egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_testing::{do_steps, lab_of, window};

const TWO: &str = r#"(groups: [
    (name: "left", at: [(2.0, 5.0, 0.0)], controller: Human()),
    (name: "right", at: [(7.0, 5.0, 0.0)], controller: Human(keys: Arrows)),
    (name: "other", at: [(5.0, 8.0, 0.0)]),
])"#;

fn press(window: &mut Harness, key: Key) {
    window.key_press(key);
    window.run_steps(2);
}

fn speed(lab: &Lab, agent: u32) -> f64 {
    lab.run.host.simulation().agent(agent).unwrap().displacement_m().length()
}

#[test]
fn held_driving_keys_are_not_commands() {
    let (mut window, lab) = window(lab_of(TWO));
    lab.borrow_mut().select(Some(Item::Agent(0)));
    window.run_steps(2);
    press(&mut window, Key::X);
    assert_eq!(
        lab.borrow().edits.driving.driven(&lab.borrow().run.host),
        [("left".to_owned(), "W, A, S and D".to_owned())]
    );
    window.get_by_label_contains("W, A, S and D");
    let shows = |lab: &Lab| lab.view.current.shows_all_sensors(lab.run.host.simulation().count());
    let before = shows(&lab.borrow());
    window.key_down(Key::W);
    window.key_down(Key::D);
    window.run_steps(2);
    assert_eq!(shows(&lab.borrow()), before, "D does not show sensors now");
    do_steps(&mut lab.borrow_mut(), 20);
    assert!(speed(&lab.borrow(), 0) > 0.0);
    assert!(lab.borrow().run.host.simulation().agent(0).unwrap().pose.heading_rad < 0.0, "to the right");
    window.key_up(Key::W);
    window.key_up(Key::D);
    window.run_steps(2);
    do_steps(&mut lab.borrow_mut(), 60);
    assert_eq!(speed(&lab.borrow(), 0), 0.0);
    let edits = lab.borrow().run.host.simulation().edits().len();
    window.run_steps(5);
    assert_eq!(edits, 4, "an edit for each change");
    assert_eq!(lab.borrow().run.host.simulation().waiting_edits().len(), 0);
}

#[test]
fn two_robots_are_driven_with_different_keys_and_escape_releases_them() {
    let (mut window, lab) = window(lab_of(TWO));
    for agent in [0, 1] {
        lab.borrow_mut().select(Some(Item::Agent(agent)));
        window.run_steps(2);
        press(&mut window, Key::X);
    }
    assert_eq!(lab.borrow().edits.driving.driven(&lab.borrow().run.host).len(), 2);
    window.key_down(Key::W);
    window.key_down(Key::ArrowUp);
    window.run_steps(2);
    do_steps(&mut lab.borrow_mut(), 20);
    assert!(speed(&lab.borrow(), 0) > 0.0 && speed(&lab.borrow(), 1) > 0.0);
    press(&mut window, Key::Escape);
    assert!(
        lab.borrow().edits.driving.driven(&lab.borrow().run.host).is_empty()
            && lab.borrow().view.selection.item.is_some()
    );
    do_steps(&mut lab.borrow_mut(), 60);
    assert_eq!(speed(&lab.borrow(), 0) + speed(&lab.borrow(), 1), 0.0, "released robots stop");
}

#[test]
fn a_gamepad_drives_besides_keys_or_the_reason_is_shown() {
    let text = TWO.replace("Human()", "Human(gamepad: 1)");
    let (mut window, lab) = window(lab_of(&text));
    lab.borrow_mut().select(Some(Item::Agent(0)));
    window.run_steps(2);
    press(&mut window, Key::X);
    if cfg!(feature = "gamepad") {
        assert_eq!(lab.borrow().edits.driving.driven(&lab.borrow().run.host)[0].1, "W, A, S and D and gamepad 1");
    } else {
        assert_eq!(lab.borrow().edits.driving.driven(&lab.borrow().run.host)[0].1, "W, A, S and D");
        window.get_by_label_contains("built without support for gamepads");
    }
}

#[test]
fn a_keyboard_drives_beside_other_actuators() {
    let text = TWO.replace("Human()", "External(actuators: [Waypoint(), Keyboard(keys: Wasd)])");
    let (mut window, lab) = window(lab_of(&text));
    lab.borrow_mut().select(Some(Item::Agent(0)));
    window.run_steps(2);
    press(&mut window, Key::X);
    window.key_down(Key::W);
    window.run_steps(2);
    do_steps(&mut lab.borrow_mut(), 5);
    assert!(speed(&lab.borrow(), 0) > 0.0);
}

#[test]
fn only_human_controllers_can_be_driven() {
    let (mut window, lab) = window(lab_of(TWO));
    lab.borrow_mut().select(Some(Item::Agent(2)));
    window.run_steps(2);
    press(&mut window, Key::X);
    assert!(lab.borrow().edits.driving.driven(&lab.borrow().run.host).is_empty());
    window.get_by_label_contains("Only robots with the controller Human");
}
