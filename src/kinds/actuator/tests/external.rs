//! The controller that clients drive through actuators.

use bevy::math::DVec2;
use swarmarium_core::controller::external::*;
use swarmarium_core::service::{Fields, Value};
use swarmarium_core::step::HasArena as _;
use swarmarium_scene::scene::reader;
use swarmarium_simulation::edit::{Edit, LoggedEdit, log};
use swarmarium_simulation::simulation::Simulation;

use super::{actuator, led, led_by};
use crate::testing;

fn feed(simulation: &mut Simulation, slot: u16, fields: &[(&str, f64)]) {
    let fields: Fields = fields.iter().map(|(name, value)| ((*name).to_owned(), Value::Number(*value))).collect();
    let edit = simulation.feed(actuator(slot), &fields).unwrap();
    simulation.apply(edit).unwrap();
}

fn x_m(simulation: &Simulation) -> f64 {
    simulation.agent(0).unwrap().pose.position_m.x
}

const LINKS: &str = "links: [Stream(), Services()]";

#[test]
fn external_controller_keeps_the_velocity_of_the_last_actuator() {
    let mut simulation = led(&format!("MotionVw({LINKS}), MotionXyw(rate_hz: 6.0, {LINKS})"));
    feed(&mut simulation, 0, &[("v", 1.0)]);
    simulation.step(1);
    assert_eq!(x_m(&simulation), 0.0, "both acted; the other one asks to stand still");
    simulation.step(8);
    assert!((x_m(&simulation) - 8.0 / 60.0).abs() < 1e-9, "it is not its turn");
    simulation
        .apply(Edit::Set { path: "agents.0.controller.actuators.0.active".into(), value: "false".into() })
        .unwrap();
    simulation
        .apply(Edit::Set { path: "agents.0.controller.actuators.1.active".into(), value: "false".into() })
        .unwrap();
    let before = x_m(&simulation);
    simulation.step(60);
    assert!((x_m(&simulation) - before - 1.0).abs() < 1e-9, "the last command holds");
}

#[test]
fn a_run_with_actuators_repeats_from_its_log_and_from_a_snapshot() {
    for scene in ["", "order: Sequential"] {
        let make =
            || led_by(&format!("Waypoint({LINKS}), Teleport({LINKS}), Light({LINKS})"), "motion: Holonomic()", scene);
        let mut simulation = make();
        feed(&mut simulation, 0, &[("x", 5.0), ("y", 3.0)]);
        simulation.step(30);
        let snapshot = simulation.snapshot();
        feed(&mut simulation, 1, &[("x", -1.0), ("z", 2.0)]);
        let goto = simulation.ask(actuator(0), "goto", &[1.0.into(), 1.0.into(), 0.0.into()], &[]).unwrap();
        simulation.apply(goto.edit.unwrap()).unwrap();
        simulation.step(60);
        let text = log::write(simulation.edits());
        let logged = log::read("edits.ron", &text).unwrap();
        assert_eq!(logged, simulation.edits());
        let replay = |again: &mut Simulation, from: u64| {
            for step in from + 1..=90 {
                for LoggedEdit { edit, .. } in logged.iter().filter(|logged| logged.step == step) {
                    again.apply(edit.clone()).unwrap();
                }
                again.step(1);
            }
            again.hash()
        };
        assert_eq!(replay(&mut make(), 0), simulation.hash());
        let expected = simulation.hash();
        simulation.restore(&snapshot).unwrap();
        assert_eq!(replay(&mut simulation, 30), expected);
    }
}

#[test]
fn pose_actuators_place_a_robot_at_once_through_obstacles() {
    for scene in ["on_collision: Stop", "on_collision: Stop, order: Sequential"] {
        let wall = "objects: [Polygon(corners_m: [(1.0, -5.0), (1.5, -5.0), (1.5, 5.0), (1.0, 5.0)])]";
        let mut simulation =
            led_by(&format!("Teleport({LINKS}), MotionVw({LINKS})"), "motion: Unicycle()", &format!("{scene}, {wall}"));
        feed(&mut simulation, 0, &[("x", 3.0)]);
        feed(&mut simulation, 1, &[("v", 0.6)]);
        let before = simulation.poses();
        simulation.step(1);
        assert_eq!(x_m(&simulation), 3.0);
        assert_eq!(simulation.agent(0).unwrap().displacement_m().x, 0.0, "it did not go there");
        assert_eq!(simulation.between(&before, 0.5).position_m(0).unwrap().x, x_m(&simulation));
    }
}

#[test]
fn actuator_noise_changes_messages_only() {
    let mut simulation = led(&format!("MotionXyw(noise: [Bias(offset: 0.5)], {LINKS})"));
    let told = |simulation: &Simulation| {
        let agent = simulation.agent(0).unwrap();
        agent.component::<Orders>().unwrap().actuators[0].values.clone()
    };
    feed(&mut simulation, 0, &[("x", 1.0)]);
    simulation.step(1);
    assert_eq!(told(&simulation), [1.5, 0.0, 0.0]);
    feed(&mut simulation, 0, &[("y", 1.0)]);
    simulation.step(1);
    assert_eq!(told(&simulation), [1.5, 1.5, 0.0]);
}

#[test]
fn missing_fields_keep_their_values_in_any_unit_of_the_stream() {
    let noise = "noise: [Feet(), Utm(x_offset_m: 123456789.0)]";
    let mut simulation = led(&format!("Teleport({noise}, {LINKS})"));
    let feet = |metres: f64| metres * 3.280_839_9;
    feed(&mut simulation, 0, &[("x", feet(123_456_789.0 + 4.0)), ("y", feet(3.0))]);
    simulation.step(1);
    let place = |simulation: &Simulation| simulation.agent(0).unwrap().pose.position_m;
    assert!((place(&simulation) - DVec2::new(4.0, 3.0)).length() < 1e-6, "{}", place(&simulation));
    let translate = simulation.ask(actuator(0), "translate", &[1.0.into()], &[]).unwrap();
    simulation.apply(translate.edit.unwrap()).unwrap();
    feed(&mut simulation, 0, &[("y", feet(-2.0))]);
    simulation.step(1);
    assert!((place(&simulation) - DVec2::new(5.0, -2.0)).length() < 1e-6, "{}", place(&simulation));
    let far = vec![("x".to_owned(), Value::Number(0.0))];
    let error = simulation.feed(actuator(0), &far).unwrap_err().to_string();
    assert!(error.contains("expected a number from -1000000 to 1000000"), "{error}");
}

#[test]
fn objects_have_actuators_too() {
    let text = r#"(time: (dt_s: 0.1), objects: [Disc(
        center_m: (3.0, 3.0), radius_m: 0.5, motion: Unicycle(),
        controller: External(actuators: [Keyboard(held: (ahead: 1.0, left: 0.0))]),
    )])"#;
    let scene = reader::read(testing::standard().kinds(), "test", text).unwrap();
    let mut simulation = testing::simulation(&scene).unwrap();
    simulation.step(10);
    assert!((simulation.world().arena().space.things[0].position.x - 4.0).abs() < 1e-9);
}
