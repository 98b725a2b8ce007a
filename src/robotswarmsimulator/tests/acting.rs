//! Controllers of agents.

use super::*;

const ACTING: &str = "\
time_step: 0.025
agents:
  - {type: MazeAgent, delay: 7, idiosyncrasies: {mean: [0.9, 0.8], sd: [0, 0.1]}, catastrophic_collisions: true,
     stop_on_collision: true, body_color: [255, 0, 16], trace_length: 40, trace_color: Random,
     controller: {type: LevyController, velocity: 0.2, angular_velocity: 1, levy_constant: 1.5, timeout_steps: 80}}
  - {type: UnicycleAgent, stop_on_collision: true, idiosyncrasies: false, body_filled: true,
     controller: {type: HumanController, joystick: 0, keys: ArrowKeys, speed_range: [-0.1, 0.5]}}
  - {type: DiffDriveAgent, wheel_radius: 0.02, agent_radius: 0.1,
     controller: {type: StaticController, output: [1, 0.5]}}
  - {type: DroneAgent, controller: {type: StaticController, output: [1, 2, 3]}}
  - {type: MazeAgent, controller: {type: WaypointPIDController, static_waypoint: [3, 4], speed_pid: {p: 1, max: 0.3},
     steer_pid: {p: 2, i: 1, imax: 0.5}}}
  - {type: MazeAgent, sensors: [{type: BinaryFOVSensor, theta: 1, distance: 1}],
     controller: {type: Controller, controller: [1, 2, 3, 4, 5, 6]}}
";

#[test]
fn carries_controllers_over() {
    let scene = scene(&world(ACTING));
    let [levy, human, wheels, drone, waypoint, table] = &scene.groups[..] else { panic!() };
    let moving = levy.motion.common();
    let factor = |mean, std_dev| Factor { mean, std_dev };
    let variation = MotionVariation { variant: Variant::Classic, speed: factor(0.9, 0.0), turn: factor(0.8, 0.1) };
    assert_eq!(moving.delay_steps, 7);
    assert_eq!(moving.motion_variation, variation);
    assert!(moving.catastrophic_collisions);
    assert!(!moving.stop_on_collision && human.motion.common().stop_on_collision);
    let look = &levy.look;
    assert_eq!(look.color.as_str(), "#ff0010");
    assert_eq!(look.trail_s, 1.0);
    assert_eq!(look.trail_color.as_str(), "random");
    let walk: Levy = one(&levy.controller);
    assert_eq!(walk.exponent, Some(1.5));
    assert_eq!(walk.max_duration_s, 2.0);
    assert_eq!(walk.curve_s, 2.5);
    assert_eq!(walk.variant, Variant::Classic);
    let keys: Human = one(&human.controller);
    assert_eq!(keys.keys, Keys::Arrows);
    assert_eq!(keys.min_v_m_per_s, -0.1);
    assert_eq!(keys.max_v_m_per_s, 0.5);
    assert_eq!(keys.gamepad, 1);
    assert!((keys.v_ramp_m_per_s2 - 0.4).abs() < 1e-12 && (keys.turn_ramp_rad_per_s2 - 4.0).abs() < 1e-12);
    // v = R / 2 (l + r), ω = (l − r) / (2 r).
    let constant: Constant = one(&wheels.controller);
    assert!((constant.v_m_per_s - 0.015).abs() < 1e-15 && (constant.turn_rad_per_s - 2.5).abs() < 1e-15);
    assert_eq!(one::<_, DifferentialDrive>(&wheels.motion).axle_m, 0.2);
    let velocity: Velocity = one(&drone.controller);
    assert_eq!(velocity.x_m_per_s, 1.0);
    assert_eq!(velocity.y_m_per_s, 2.0);
    assert_eq!(velocity.turn_rad_per_s, 3.0);
    let way: Waypoint = one(&waypoint.controller);
    assert_eq!(way.points_m, vec![DVec2::new(3.0, 4.0)]);
    assert_eq!(way.within_m, 0.0);
    assert_eq!(way.variant, Variant::Classic);
    assert_eq!(way.speed.max, Some(0.3));
    assert_eq!(way.steering.i, 1.0);
    assert_eq!(way.steering.i_max, Some(0.5));
    let table: StateTable = one(&table.controller);
    let last = table.commands.last().map(|drive| (drive.v_m_per_s, drive.turn_rad_per_s));
    assert_eq!(table.commands.len(), 3);
    assert_eq!(last, Some((5.0, 6.0)));
    insta::assert_snapshot!(warnings(&world(ACTING)), @"
    w.yaml:6:6: agents[0].stop_on_collision: has no effect in RobotSwarmSimulator either
    w.yaml:7:18: agents[0].controller: its random numbers are our own: there they cannot be had again
    w.yaml:10:5: agents[2]: moves once per step here, and twice in RobotSwarmSimulator, first as a `MazeAgent`
    w.yaml:12:5: agents[3]: a `DroneAgent` crashes in RobotSwarmSimulator; its numbers are taken per second
    w.yaml:14:17: agents[4].controller.steer_pid: `i` and `d` have no effect in RobotSwarmSimulator; with `variant: Corrected` they have
    ");
    assert!(simulation(&scene).is_ok());
}

#[test]
fn reports_problems_of_controllers() {
    let refused = |agent: &str| problems(&world(&format!("agents: [{{type: {agent}}}]")));
    for (agent, message) in [
        ("MazeAgent, delay: 0.5", "delay: expected a whole number from 0 to 100000, found 0.5"),
        ("MazeAgent, idiosyncrasies: {mean: [1, 1, 1]}", "idiosyncrasies.mean: expected a list of two numbers"),
        ("MazeAgent, body_color: [1, 2]", "body_color: expected `[red, green, blue]` or `Random`"),
        ("StaticObject, body_color: Rnadom", "body_color: expected `[red, green, blue]` or `Random`"),
        ("StaticObject, body_color: [1, 2, 256]", "expected a whole number from 0 to 255, found 256"),
        ("MazeAgent, controller: {type: LevyController, velocity: 1}", "`angular_velocity` is missing"),
        ("MazeAgent, controller: {type: HumanController, keys: qwerty}", "expected `wasd`, `arrowkeys`"),
        ("MazeAgent, controller: {type: HumanController, speed_range: [1, 2]}", "must contain 0"),
        ("MazeAgent, controller: {type: WaypointPIDController}", "needs a `static_waypoint` or a `sensor_id`"),
        ("DiffDriveAgent, wheel_radius: 0", "wheel_radius: expected a number > 0"),
    ] {
        assert!(refused(agent).contains(message), "{agent}: {}", refused(agent));
    }
}

#[test]
fn reads_every_form_of_two_outputs() {
    let forms = [
        ("BinaryController, a: [1, 2], b: [3, 4]", [1.0, 2.0, 3.0, 4.0]),
        ("BinaryController, a: [[1, 2], [3, 4]]", [1.0, 2.0, 3.0, 4.0]),
        ("BinaryController, a: [1, 2, 3, 4]", [3.0, 4.0, 1.0, 2.0]),
        ("Controller, controller: !np [1, 2, 2 + 1, 2 * 2]", [1.0, 2.0, 3.0, 4.0]),
    ];
    for (form, [v0, w0, v1, w1]) in forms {
        let sensors = "sensors: [{type: BinaryFOVSensor, theta: 1, distance: 1}]";
        let agents = format!("agents: [{{type: MazeAgent, {sensors}, controller: {{type: {form}}}}}]");
        let Binary { clear, detected, .. } = one(&scene(&world(&agents)).groups[0].controller);
        assert_eq!(clear.v_m_per_s, v0, "{form}");
        assert_eq!(clear.turn_rad_per_s, w0, "{form}");
        assert_eq!(detected.v_m_per_s, v1, "{form}");
        assert_eq!(detected.turn_rad_per_s, w1, "{form}");
    }
    let constant = "agents: [{type: MazeAgent, controller: {type: StaticController, output: [1.5, 2.3]}}]";
    let constant: Constant = one(&scene(&world(constant)).groups[0].controller);
    assert_eq!(constant.v_m_per_s, 1.5);
    assert_eq!(constant.turn_rad_per_s, 2.3);
}

/// Two demo worlds have such numbers, which RobotSwarmSimulator refuses.
#[test]
fn takes_single_numbers_for_a_speed_and_a_turn_rate() {
    let agents = "agents:\n  - type: MazeAgent\n    sensors: [{type: BinaryFOVSensor, theta: 1, distance: 1}]\n    \
        controller: {type: BinaryController, a: 0.276, b: 0.602}\n";
    let text = world(&format!("size: !np [15, 15] / 2\n{agents}"));
    let scene = scene(&text);
    assert_eq!(scene.arena.size_m, DVec2::splat(7.5));
    let Binary { clear, detected, .. } = one(&scene.groups[0].controller);
    assert_eq!(clear.v_m_per_s, 0.276);
    assert_eq!(clear.turn_rad_per_s, -0.602);
    assert_eq!(detected.v_m_per_s, 0.276);
    assert_eq!(detected.turn_rad_per_s, 0.602);
    insta::assert_snapshot!(
        warnings(&text),
        @"w.yaml:7:45: agents[0].controller.a: `a` and `b` are single numbers, which RobotSwarmSimulator refuses: taken as a speed and a turn rate, [0.276, -0.602] without and [0.276, 0.602] with a detection"
    );
}

#[test]
fn controllers_of_several_bits_are_carried_over() {
    let sensor = "{type: BinaryFOVSensor, theta: 1, distance: 1}";
    let controller = |outputs: &str| {
        let controller = format!(
            "{{type: MultibitBinaryController, outputs: {outputs}, default_output: [0.5, 0.25], sensor_ids: [1, 0]}}"
        );
        world(&format!("agents: [{{type: MazeAgent, sensors: [{sensor}, {sensor}], controller: {controller}}}]"))
    };
    let entry = |bits, v_m_per_s| Entry { bits, drive: Drive { v_m_per_s, turn_rad_per_s: 1.0 } };
    for outputs in ["{0: [0, 1], 2: [2, 1]}", "{\"00\": [0, 1], 0b10: [2, 1]}", "{'0': [0, 1], '2': [2, 1]}"] {
        let bits: Bits = one(&scene(&controller(outputs)).groups[0].controller);
        assert_eq!(bits.table, [entry(0, 0.0), entry(2, 2.0)], "{outputs}");
        assert_eq!(bits.sensors, vec![1, 0]);
        assert_eq!(bits.otherwise.turn_rad_per_s, 0.25);
    }
    let bits: Bits = one(&scene(&controller("[[3, 1], [4, 1]]")).groups[0].controller);
    assert_eq!(bits.table, [entry(0, 3.0), entry(1, 4.0)]);
    // As in Python, a text is a number in base ten.
    insta::assert_snapshot!(
        warnings(&controller("{\"10\": [1, 2]}")),
        @r#"w.yaml:3:190: agents[0].controller.outputs: `"10"` is the number 10, as there: write `0b10` for bits"#
    );
    let refused = ["7", "{\"1x\": [1, 2]}", "{1: [1, 2, 3]}"].map(|outputs| problems(&controller(outputs)));
    insta::assert_snapshot!(refused.join("\n"), @r#"
    w.yaml:3:189: agents[0].controller.outputs: expected a map such as `{0: [v, w], 1: [v, w]}`, or a list
    w.yaml:3:189: agents[0].controller.outputs: expected bits as keys, such as 2 or 0b10, found `1x`
    w.yaml:3:193: agents[0].controller.outputs.1: expected `[v, w]`, found a list of 3
    "#);
}

#[test]
fn the_majority_of_the_readings_is_carried_over() {
    let text = world(
        "agents: [{type: MazeAgent, sensors: [{type: BinaryFOVSensor, theta: 1}], \
         controller: {type: BinaryController, a: [1, 2], b: [3, 4], sense_avg_time: 9}}]",
    );
    assert_eq!(one::<_, Binary>(&scene(&text).groups[0].controller).vote_readings, 9);
}
