//! The laws of the actuators of MORSE: the cases of its own tests, with their tolerances.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_8, PI};

use bevy::math::DVec2;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::actuator::*;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::service::{ComponentId, ComponentSlot, Value};
use swarmarium_scene::scene::reader;
use swarmarium_simulation::clients::Answer;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::testing;

mod clients;
mod external;
mod teleport;
mod waypoint;

/// Steps per second.
const HZ: f64 = 60.0;

/// A simulation with one robot, `robot`, at the origin.
pub(crate) fn led(actuators: &str) -> Simulation {
    led_by(actuators, "motion: Holonomic()", "")
}

/// As [`led`], for a robot with other parts, in a scene with other fields.
pub(crate) fn led_by(actuators: &str, robot: &str, scene: &str) -> Simulation {
    let text = format!(
        "(time: (dt_s: 0.016666666666666666), {scene}, groups: [(name: \"robot\", at: [(0.0, 0.0, 0.0)], {robot},
            controller: External(actuators: [{actuators}]))])"
    );
    let text = text.replace(", ,", ",");
    let scene =
        reader::read(testing::standard().kinds(), "test", &text).unwrap_or_else(|problems| panic!("{problems}"));
    testing::simulation(&scene).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The actuator in a slot of the robot.
pub(crate) fn actuator(slot: u16) -> ComponentId {
    ComponentId { agent: 0, slot: ComponentSlot::Actuator(slot) }
}

fn numbers(numbers: &[f64]) -> Vec<Value> {
    numbers.iter().copied().map(Value::Number).collect()
}

pub(crate) fn call(simulation: &mut Simulation, slot: u16, service: &str, arguments: &[f64]) -> Value {
    let waiting: Vec<Edit> = simulation.waiting_edits().cloned().collect();
    let Answer { value, edit } = simulation.ask(actuator(slot), service, &numbers(arguments), &waiting).unwrap();
    edit.into_iter().for_each(|edit| simulation.apply(edit).unwrap());
    value
}

pub(crate) fn feed(simulation: &mut Simulation, slot: u16, fields: &[(&str, f64)]) {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), Value::Number(*value))).collect();
    let edit = simulation.feed(actuator(slot), &fields).unwrap();
    simulation.apply(edit).unwrap();
}

pub(crate) fn pass(simulation: &mut Simulation, time_s: f64) {
    simulation.step((time_s * HZ).round() as u64);
}

fn pose(simulation: &Simulation) -> [f64; 3] {
    let Pose { position_m, heading_rad } = simulation.agent(0).unwrap().pose;
    [position_m.x, position_m.y, heading_rad]
}

fn attitude(simulation: &Simulation) -> Attitude {
    simulation.agent(0).unwrap().component::<Attitude>().copied().unwrap_or_default()
}

fn assert_at(simulation: &Simulation, expected: [f64; 3], tolerance: f64) {
    let [x, y, heading] = pose(simulation);
    let off = [x - expected[0], y - expected[1], wrap_angle(heading - expected[2])];
    assert!(off.iter().all(|off| off.abs() <= tolerance), "{:?} is not {expected:?}", [x, y, heading]);
}

fn set_active(simulation: &mut Simulation, slot: u16, is_active: bool) {
    let path = format!("agents.0.controller.actuators.{slot}.active");
    simulation.apply(Edit::Set { path, value: is_active.to_string() }).unwrap();
}

fn put(simulation: &mut Simulation, [x_m, y_m, heading_rad]: [f64; 3]) {
    simulation.apply(Edit::Move { agent: 0, x_m, y_m, heading_rad }).unwrap();
}

const SERVICES: &str = "links: [Stream(), Services()]";

/// `vw_testing.py` and `xyw_testing.py`: speeds v and w, duration and resulting pose.
const DRIVES: [([f64; 2], f64, [f64; 3]); 5] = [
    ([1.0, 0.0], 2.0, [2.0, 0.0, 0.0]),
    ([-1.0, 0.0], 2.0, [0.0, 0.0, 0.0]),
    ([1.0, -FRAC_PI_4], 2.0, [4.0 / PI, -4.0 / PI, -FRAC_PI_2]),
    ([0.5, -FRAC_PI_8], 12.0, [0.0, 0.0, 0.0]),
    ([-2.0, FRAC_PI_2], 3.0, [4.0 / PI, -4.0 / PI, -FRAC_PI_2]),
];

#[test]
fn motion_vw_drives_arcs_by_services() {
    for robot in ["motion: Holonomic()", "motion: Unicycle()"] {
        let mut simulation = led_by(&format!("MotionVw({SERVICES})"), robot, "");
        for ([v, w], time_s, expected) in DRIVES {
            assert_eq!(call(&mut simulation, 0, "set_speed", &[v, w]), Value::Null);
            pass(&mut simulation, time_s);
            assert_at(&simulation, expected, 0.01);
            put(&mut simulation, expected);
        }
        call(&mut simulation, 0, "stop", &[]);
        pass(&mut simulation, 1.0);
        assert_at(&simulation, DRIVES[4].2, 1e-12);
    }
}

#[test]
fn motion_vw_diff_limits_wheels_and_stops_below_a_millimetre_per_second() {
    let mut simulation = led_by(
        &format!("MotionVwDiff({SERVICES})"),
        "motion: DifferentialDrive(axle_m: 0.342, max_wheel_m_per_s: 1.5, wheel_radius_m: 0.098)",
        "",
    );
    for ([v, w], time_s, expected) in &DRIVES[..4] {
        call(&mut simulation, 0, "set_speed", &[*v, *w]);
        pass(&mut simulation, *time_s);
        assert_at(&simulation, *expected, 0.01);
        put(&mut simulation, *expected);
    }
    call(&mut simulation, 0, "set_speed", &[9e-4, -9e-4]);
    simulation.step(1);
    let before = pose(&simulation);
    pass(&mut simulation, 10.0);
    assert_eq!(pose(&simulation), before);
    call(&mut simulation, 0, "set_speed", &[7.0, 0.0]);
    pass(&mut simulation, 1.0);
    assert!((pose(&simulation)[0] - before[0] - 1.5).abs() < 1e-9, "a wheel has a fastest speed");
}

#[test]
fn motion_xyw_moves_in_any_direction_by_stream() {
    let mut simulation = led(&format!("MotionXyw({SERVICES})"));
    let ways = [
        ([1.0, 0.0, 0.0], 2.0, [2.0, 0.0, 0.0]),
        ([0.0, -1.0, 0.0], 2.0, [2.0, -2.0, 0.0]),
        ([-1.0, 1.0, 0.0], 2.0, [0.0, 0.0, 0.0]),
    ];
    let drives = DRIVES.map(|([v, w], time_s, expected)| ([v, 0.0, w], time_s, expected));
    for ([x, y, w], time_s, expected) in ways.into_iter().chain(drives) {
        feed(&mut simulation, 0, &[("x", x), ("y", y), ("w", w)]);
        pass(&mut simulation, time_s);
        assert_at(&simulation, expected, 0.01);
        put(&mut simulation, expected);
    }
}

/// `destination_testing.py`.
#[test]
fn a_destination_is_reached_straight_without_turning() {
    for heading_rad in [0.0, 1.0] {
        let mut simulation =
            led(&format!("Destination(speed_m_per_s: 2.0, tolerance_m: 0.3, remain_at_destination: true, {SERVICES})"));
        put(&mut simulation, [0.0, 0.0, heading_rad]);
        feed(&mut simulation, 0, &[("x", 10.0), ("y", 0.0), ("z", 0.0)]);
        pass(&mut simulation, 3.0);
        assert_at(&simulation, [6.0, 0.0, heading_rad], 0.1);
        pass(&mut simulation, 2.0);
        assert_at(&simulation, [9.7, 0.0, heading_rad], 0.1);
        feed(&mut simulation, 0, &[("y", 10.0)]);
        pass(&mut simulation, 5.0);
        let [x, y, _] = pose(&simulation);
        assert!((y - 9.7).abs() <= 0.1 && (x - 10.0).abs() <= 0.3, "{x} {y}");
        feed(&mut simulation, 0, &[("z", 10.0)]);
        pass(&mut simulation, 5.0);
        assert!((attitude(&simulation).z_m - 9.7).abs() <= 0.1);
        feed(&mut simulation, 0, &[("x", 0.0), ("y", 0.0), ("z", 0.0)]);
        pass(&mut simulation, 10.0);
        let [x, y, _] = pose(&simulation);
        let z = attitude(&simulation).z_m;
        assert!((x * x + y * y + z * z).sqrt() <= 0.3 + 1e-9);
        assert!((pose(&simulation)[2] - heading_rad).abs() < 0.02);
    }
}

/// `orientation_testing.py` and `orientation_speed_testing.py`.
#[test]
fn orientation_actuator_turns_at_once_or_with_a_speed_the_short_way() {
    let mut simulation = led(&format!("Orientation({SERVICES})"));
    put(&mut simulation, [3.0, -2.0, 0.0]);
    for [yaw, pitch, roll] in [[1.0, 0.2, -0.3], [-2.5, 0.0, 0.1], [3.0, 0.5, 0.5]] {
        feed(&mut simulation, 0, &[("yaw", yaw), ("pitch", pitch), ("roll", roll)]);
        pass(&mut simulation, 0.2);
        assert_at(&simulation, [3.0, -2.0, yaw], 0.02);
        let Attitude { pitch_rad, roll_rad, .. } = attitude(&simulation);
        assert!((pitch_rad - pitch).abs() <= 0.02 && (roll_rad - roll).abs() <= 0.02);
    }
    let mut slow = led(&format!("Orientation(speed_rad_per_s: 0.5, {SERVICES})"));
    let turned = |simulation: &mut Simulation, yaw: f64, time_s: f64, expected: f64| {
        feed(simulation, 0, &[("yaw", yaw)]);
        pass(simulation, time_s);
        assert_at(simulation, [0.0, 0.0, expected], 0.05);
    };
    turned(&mut slow, 3.0, 1.0, 0.5);
    turned(&mut slow, 3.0, 6.0, 3.0);
    turned(&mut slow, -3.0, 1.0, -3.0);
    turned(&mut slow, 2.0, 1.0, 2.0 * PI - 3.5);
    turned(&mut slow, 2.0, 2.0, 2.0);
}

/// `attitude_testing.py`.
#[test]
fn orientation_actuator_turns_about_the_axes_of_the_body() {
    let robot = "motion: Holonomic(), sensors: [Attitude()]";
    let mut simulation = led_by(&format!("Orientation(speed_rad_per_s: 0.5, {SERVICES})"), robot, "");
    let mut turned = |goal: [f64; 3], time_s: f64, expected: [f64; 6]| {
        let [yaw, pitch, roll] = goal;
        feed(&mut simulation, 0, &[("yaw", yaw), ("pitch", pitch), ("roll", roll)]);
        pass(&mut simulation, time_s);
        let found: Vec<f64> = simulation.agent(0).unwrap().readings().flatten().copied().collect();
        let [yaw, pitch, roll, wx, wy, wz] = expected;
        let off =
            [roll, pitch, yaw].map(|angle| (angle, 0.05)).into_iter().chain([wx, wy, wz].map(|rate| (rate, 0.003)));
        let is_near = off.zip(&found).all(|((expected, delta), found)| wrap_angle(found - expected).abs() <= delta);
        assert!(is_near, "{found:?} is not {expected:?}");
    };
    turned([3.0, 0.0, 0.0], 1.0, [0.5, 0.0, 0.0, 0.0, 0.0, 0.5]);
    turned([3.0, 0.0, 0.0], 6.0, [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    turned([-3.0, 0.0, 0.0], 1.0, [-3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    turned([2.0, 0.0, 0.0], 1.0, [2.8, 0.0, 0.0, 0.0, 0.0, -0.5]);
    turned([2.0, 0.0, 0.0], 2.0, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    // A client reads within some steps of the half second.
    turned([3.0, 1.0, 0.0], 28.0 / HZ, [2.25, 0.25, 0.0, 0.0, 0.5, 0.5]);
    for _ in 28..32 {
        turned([3.0, 1.0, 0.0], 1.0 / HZ, [2.25, 0.25, 0.0, 0.0, 0.5, 0.5]);
    }
    // It gets there.
    turned([3.0, 1.0, 0.0], 9.0, [3.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}

/// A command and a deactivation in one packet.
#[test]
fn a_deactivated_actuator_continues_its_last_command() {
    for rate in ["", "rate_hz: 2.0,"] {
        let mut simulation = led(&format!("Waypoint({rate} {SERVICES})"));
        feed(&mut simulation, 0, &[("x", 50.0)]);
        pass(&mut simulation, 1.0);
        call(&mut simulation, 0, "stop", &[]);
        set_active(&mut simulation, 0, false);
        simulation.step(1);
        let stopped = pose(&simulation);
        pass(&mut simulation, 2.0);
        assert_at(&simulation, stopped, 1e-12);
        // A command to an inactive actuator waits.
        feed(&mut simulation, 0, &[("x", 60.0)]);
        pass(&mut simulation, 1.0);
        assert_at(&simulation, stopped, 1e-12);
        set_active(&mut simulation, 0, true);
        pass(&mut simulation, 2.0);
        assert!(pose(&simulation)[0] > stopped[0] + 0.5, "{rate}");
    }
    let mut simulation = led(&format!("MotionVw({SERVICES})"));
    feed(&mut simulation, 0, &[("v", 1.0)]);
    set_active(&mut simulation, 0, false);
    pass(&mut simulation, 1.0);
    assert_at(&simulation, [1.0, 0.0, 0.0], 1e-9);
}

#[test]
fn a_light_is_switched_and_drawn() {
    let mut simulation = led(&format!("Light({SERVICES})"));
    let view = swarmarium_draw::View::fit(simulation.scene(), DVec2::splat(500.0));
    let lit = |simulation: &Simulation| {
        let is_light = |item: &swarmarium_picture::Item| item.paint.role == swarmarium_picture::palette::Role::Light;
        simulation.picture(&view).items.iter().any(is_light)
    };
    assert!(lit(&simulation));
    let mut toggle = |arguments: &[Value]| {
        let waiting: Vec<Edit> = simulation.waiting_edits().cloned().collect();
        let edit = simulation.ask(actuator(0), "toggle", arguments, &waiting).unwrap().edit;
        edit.into_iter().for_each(|edit| simulation.apply(edit).unwrap());
        simulation.step(1);
        lit(&simulation)
    };
    assert!(!toggle(&[]) && toggle(&[]));
    assert!(!toggle(&[false.into()]), "false is off");
    assert!(!toggle(&[false.into()]) && toggle(&[true.into()]));
}

#[test]
fn keyboard_actuator_drives_while_keys_are_held_and_then_yields() {
    let mut simulation = led(&format!("MotionVw(rate_hz: 1.0, phase_s: 5.0, {SERVICES}), Keyboard()"));
    let hold = |simulation: &mut Simulation, held: &str| {
        let path = "agents.0.controller.actuators.1.held".to_owned();
        simulation.apply(Edit::Set { path, value: held.into() }).unwrap();
        pass(simulation, 1.0);
    };
    hold(&mut simulation, "(ahead: 1.0, left: 0.0)");
    assert_at(&simulation, [1.0, 0.0, 0.0], 1e-9);
    hold(&mut simulation, "(ahead: 0.0, left: 1.0)");
    assert_at(&simulation, [1.0, 0.0, 0.5], 1e-9);
    hold(&mut simulation, "(ahead: 0.0, left: 0.0)");
    assert_at(&simulation, [1.0, 0.0, 0.5], 1e-9);
    call(&mut simulation, 0, "set_speed", &[0.0, -0.5]);
    pass(&mut simulation, 3.0);
    let heading = pose(&simulation)[2];
    assert!(heading < 0.4, "{heading}");
}

#[test]
fn suspended_actuators_act_after_the_suspension() {
    for order in ["", "order: Sequential"] {
        let mut simulation = led_by(
            &format!("Orientation(speed_rad_per_s: 1.0, {SERVICES}), Destination({SERVICES})"),
            "motion: Holonomic()",
            order,
        );
        feed(&mut simulation, 0, &[("yaw", 1.0)]);
        feed(&mut simulation, 1, &[("z", 3.0)]);
        simulation.step(1);
        let before = (pose(&simulation), attitude(&simulation));
        simulation.apply(Edit::Suspend { is_suspended: true }).unwrap();
        pass(&mut simulation, 1.0);
        assert_eq!((pose(&simulation), attitude(&simulation)), before);
        simulation.apply(Edit::Suspend { is_suspended: false }).unwrap();
        pass(&mut simulation, 3.0);
        assert!((pose(&simulation)[2] - 1.0).abs() < 0.03 && attitude(&simulation).z_m > 2.0);
    }
}

#[test]
fn an_actuator_with_a_rate_near_zero_has_a_rate() {
    let mut simulation = led(&format!("Orientation(rate_hz: 1e-310, speed_rad_per_s: 0.0, {SERVICES})"));
    feed(&mut simulation, 0, &[("yaw", 1.0)]);
    simulation.step(10);
    assert_eq!(pose(&simulation)[2], 0.0);
}

#[test]
fn an_edit_of_the_light_parameter_switches_the_light() {
    let mut simulation = led(&format!("Light({SERVICES})"));
    let lit = |simulation: &Simulation| {
        let orders = simulation.agent(0).unwrap().component::<swarmarium_core::controller::external::Orders>().unwrap();
        orders.actuator(0).unwrap().values[0] == 1.0
    };
    simulation.step(1);
    for on in [false, true] {
        let arguments = ["emit".into(), on.into()];
        let edit = simulation.ask(actuator(0), "set_property", &arguments, &[]).unwrap().edit.unwrap();
        simulation.apply(edit).unwrap();
        simulation.step(1);
        assert_eq!(lit(&simulation), on);
    }
    call(&mut simulation, 0, "toggle", &[]);
    simulation.step(5);
    assert!(!lit(&simulation), "the last command holds");
}
