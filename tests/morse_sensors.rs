//! Sensors, modifiers and robot clocks as in MORSE, in scenes.

use swarmarium_core::time::robot::RobotClock;
use swarmarium_draw::View;
use swarmarium_formats::standard::FromScene as _;
use swarmarium_picture::{Layer, Shape};
use swarmarium_simulation::Simulation;
use swarmarium_simulation::edit::Edit;

use crate::support::edits::set;
use crate::support::{hashes, scene_of, simulation_of};

/// A robot with all sensors of MORSE and noise that fits them, among others and things, with clocks that run wrong.
const ALL: &str = "(seed: 5, time: (dt_s: 0.05), arena: (boundary: Walls), groups: [
    (name: \"eye\", at: [(5, 5, 0)], controller: Constant(v_m_per_s: 0.3, turn_rad_per_s: 0.8),
        attitude: (z_m: 0.1), clock: (offset_s: 0.2, drift_std_dev_ppm: 5000, jitter_std_dev_s: 0.001, resync_s: 3), sensors: [
        Pose(rate_hz: 7, noise: [PoseNoise(), Ned(angles: true), Utm(x_offset_m: 100), Feet(), Enu(north_deg: 30)]),
        MotionOdometry(noise: [OdometryNoise(factor_std_dev: 0.1, gyro_drift_std_dev_rad: 0.01)]),
        MotionOdometry(level: Differential), MotionOdometry(level: Raw, frame: World),
        Velocity(mount: (x_m: 0.2, yaw_rad: 1)), Neighbours(range_m: 3, most: 4),
        LaserScanner(resolution_deg: 10, range_m: 4, noise: [Gaussian(std_dev: 0.01)]), Collision(),
        Gps(noise: [Geodetic(origin: (longitude_deg: 1.5, latitude_deg: 43.6))]), Gps(level: Raw), Gps(level: Extended, rate_hz: 3),
        Gyroscope(noise: [Ned()]), Accelerometer(), Imu(noise: [ImuNoise()]), Compass(), Battery(rate_hz: 2), Clock(),
        Thermometer(), Attitude(noise: [Ned()]), Pose(noise: [Ecef(origin: (longitude_deg: 1.5, latitude_deg: 43.6, round_origin: true))]),
    ]),
    (name: \"others\", team: \"red\", count: 12, spawn: UniformBox(min_m: (1, 1), max_m: (9, 9)),
        controller: Constant(v_m_per_s: 0.4, turn_rad_per_s: 0.3, rate_hz: 5), clock: (offset_std_dev_s: 0.1)),
], objects: [
    Disc(name: \"Fire\", center_m: (7, 5), radius_m: 0.4),
    Region(name: \"Charging\", area: Disc(center_m: (5, 5), radius_m: 0.3)),
])";

#[test]
fn sensors_noise_and_clocks_are_part_of_a_snapshot() {
    for order in ["Simultaneous", "Sequential"] {
        let scene = ALL.replace("seed: 5", &format!("seed: 5, order: {order}"));
        let mut simulation = simulation_of(&scene);
        simulation.step(40);
        let snapshot = simulation.snapshot();
        let on = hashes(&mut simulation, 100);
        simulation.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut simulation, 100), on);
        let mut again = simulation_of(&scene);
        again.step(40);
        assert_eq!(hashes(&mut again, 100), on);
        let readings = simulation.agent(0).unwrap().readings();
        assert!(readings.flatten().all(|number| number.is_finite()));
    }
}

#[test]
fn drawing_changes_no_hash_and_shows_laser_scanners() {
    let simulation = simulation_of(ALL);
    let hash = simulation.hash();
    let picture = simulation.picture(&View::fit(&scene_of(ALL), scene_of(ALL).arena.size_m * 80.0));
    // The rays of the scanner, 19 of them, around its eye; the circles of the neighbours and of what it touches.
    let drawn: Vec<&Shape> =
        picture.items.iter().filter(|item| item.layer == Layer::Sensors).map(|item| &item.shape).collect();
    let is_scan = |shape: &&&Shape| matches!(shape, Shape::Line { points, closed: true, .. } if points.len() == 20);
    assert_eq!(drawn.iter().filter(is_scan).count(), 1);
    assert!(drawn.len() >= 3, "{}", drawn.len());
    assert_eq!(simulation.hash(), hash);
}

fn problems(sensor: &str) -> String {
    let scene = scene_of(&format!("(groups: [(name: \"g\", sensors: [{sensor}])])"));
    Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default()
}

#[test]
fn noise_that_does_not_fit_a_sensor_is_refused() {
    let refused = problems("Battery(noise: [Delay(), Feet()])");
    let expected = "groups[0].sensors[0].noise[1]: Feet changes x, y, z, which Battery does not have: it fits Gps, \
                    MotionOdometry, Pose";
    assert!(refused.contains(expected), "{refused}");
    let refused = problems("MotionOdometry(level: Raw, noise: [PoseNoise()])");
    assert!(
        refused.contains("PoseNoise changes x, y, z or yaw, pitch, roll, which MotionOdometry does not have"),
        "{refused}"
    );
    assert_eq!(problems("MotionOdometry(level: Raw, noise: [OdometryNoise()])"), "");
    let scene =
        scene_of("(groups: [(name: \"g\", controller: External(actuators: [MotionVw(noise: [Delay(), Feet()])]))])");
    let refused = Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default();
    let expected = "groups[0].controller.actuators[0].noise[1]: Feet changes x, y, z, which MotionVw does not have";
    assert!(refused.contains(expected), "{refused}");
    let refused = problems("LaserScanner(resolution_deg: 0.0001)");
    assert!(refused.contains("at most 8192 rays fit in the window, found 1800001"), "{refused}");
}

/// The steps at which the first sensor of the first robot reads again.
fn reads_at(group: &str, sensor: &str, steps: u64) -> Vec<u64> {
    let mut simulation = simulation_of(&format!(
        "(time: (dt_s: 0.016666666666666666), groups: [(name: \"g\", at: [(5, 5, 0)], {group}
            controller: Constant(v_m_per_s: 0.1), sensors: [Pose({sensor})])])"
    ));
    let mut last = f64::NAN;
    let mut reads = |step: u64| {
        simulation.step(1);
        let x = simulation.agent(0).unwrap().readings().next().unwrap()[0];
        (std::mem::replace(&mut last, x) != x).then_some(step)
    };
    (1..=steps).filter_map(&mut reads).collect()
}

#[test]
fn sensors_with_links_read_at_the_steps_of_morse() {
    assert_eq!(reads_at("", "rate_hz: 12, links: [Stream()]", 20), [1, 6, 11, 16]);
    assert_eq!(reads_at("", "rate_hz: 25, links: [Stream()]", 20), [1, 3, 6, 8, 11, 13, 15, 18, 20]);
    assert_eq!(reads_at("", "rate_hz: 12", 20), [1, 5, 10, 15, 20], "without, time counts from the start");
}

#[test]
fn rates_follow_the_clock_of_the_robot() {
    assert_eq!(reads_at("clock: (drift_ppm: 1000000),", "rate_hz: 6", 20), [1, 5, 10, 15, 20], "twice as fast");
    for behind in ["0.05", "-5"] {
        let clock = format!("clock: (offset_s: {behind}),");
        assert_eq!(reads_at(&clock, "rate_hz: 6", 20), reads_at("", "rate_hz: 6", 20), "{behind}");
        assert_eq!(reads_at(&clock, "phase_s: 0.04", 5), [1, 2, 3, 4, 5], "{behind}");
    }
    assert_eq!(reads_at("clock: (jitter_std_dev_s: 0.5),", "rate_hz: 12", 20), reads_at("", "rate_hz: 12", 20));
}

#[test]
fn clock_sensors_have_the_offset_and_drift_of_their_robot() {
    let simulation = |clock: &str| {
        let mut simulation = simulation_of(&format!(
            "(time: (dt_s: 0.1), groups: [(name: \"g\", at: [(5, 5, 0), (6, 5, 0)], {clock} sensors: [Clock()])])"
        ));
        simulation.step(100);
        simulation
    };
    let shows = |simulation: &Simulation, agent| simulation.agent(agent).unwrap().readings().next().unwrap()[0];
    let plain = simulation("");
    assert_eq!([shows(&plain, 0), shows(&plain, 1)], [10.0, 10.0]);
    assert!(plain.agent(0).unwrap().component::<RobotClock>().is_none(), "no clock, no cost");
    let fast = simulation("clock: (offset_s: 1, drift_ppm: 1000),");
    assert!((shows(&fast, 0) - 11.01).abs() < 1e-9, "{}", shows(&fast, 0));
    let various = simulation("clock: (offset_std_dev_s: 1),");
    assert!(shows(&various, 0) != shows(&various, 1));
}

#[test]
fn a_battery_goes_on_when_its_rate_is_changed() {
    let mut simulation = simulation_of(
        "(time: (dt_s: 0.1), groups: [(name: \"g\", at: [(5, 5, 0)], sensors: [Battery(discharge_percent_per_s: 10)])])",
    );
    simulation.step(20);
    simulation.apply(set("agents.0.sensors.0.discharge_percent_per_s", "0")).unwrap();
    simulation.step(20);
    let charge = simulation.agent(0).unwrap().readings().next().unwrap()[0];
    assert!((charge - 80.0).abs() < 1e-9, "{charge}");
}

#[test]
fn velocity_sensors_ignore_a_move_by_an_edit() {
    let mut simulation = simulation_of(
        "(time: (dt_s: 0.02), groups: [(name: \"g\", at: [(5, 5, 0)], motion: Holonomic(),
            controller: External(actuators: [Teleport(links: [Services()]), Orientation(links: [Stream()])]),
            sensors: [Velocity(), Velocity(rate_hz: 10), Imu(), MotionOdometry(), Pose()])])",
    );
    simulation.step(10);
    let arguments = vec![3.0.into(), (-1.0).into(), 0.5.into()];
    let translate = Edit::Call { component: "g.teleport".into(), service: "translate".into(), arguments };
    let rotate = Edit::Call {
        component: "g.teleport".into(),
        service: "rotate".into(),
        arguments: vec![0.2.into(), 0.1.into(), 1.0.into()],
    };
    let back = Edit::Move { agent: 0, x_m: 2.0, y_m: 3.0, heading_rad: -1.0 };
    for (edit, x) in [(translate, 8.0), (rotate, 8.0), (back, 2.0)] {
        simulation.apply(edit).unwrap();
        for _ in 0..12 {
            simulation.step(1);
            let agent = simulation.agent(0).unwrap();
            let readings: Vec<&[f64]> = agent.readings().collect();
            let [velocity, slow, imu, odometry, pose] = readings[..] else { panic!() };
            assert!((pose[0] - x).abs() < 1e-9, "{pose:?}");
            let still = [velocity, slow, &imu[..3], odometry].concat();
            assert!(still.iter().all(|number| number.abs() < 1e-6), "{still:?}");
            let felt = imu[3..6].iter().map(|number| number * number).sum::<f64>().sqrt();
            assert!((felt - 9.81).abs() < 1e-6, "{imu:?}");
        }
    }
    // Turning is not a leap.
    let fields = vec![("pitch".into(), 0.6.into()), ("yaw".into(), (-1.0).into()), ("roll".into(), 0.2.into())];
    simulation.apply(Edit::Feed { component: "g.orientation".into(), fields }).unwrap();
    simulation.step(1);
    let turn = simulation.agent(0).unwrap().readings().next().unwrap()[4];
    assert!((turn.abs() - 0.5 / 0.02).abs() < 1.0, "{turn}");
}

#[test]
fn collision_sensors_use_the_outline_of_the_body() {
    let touches = |at: &str, rest: &str| {
        let simulation = simulation_of(&format!(
            "(arena: (boundary: Walls), on_collision: Stop, groups: [
                (name: \"long\", at: [{at}], sensors: [Collision({rest})],
                    body: Polygon(corners_m: [(-0.5, -0.1), (0.5, -0.1), (0.5, 0.1), (-0.5, 0.1)])),
                (name: \"disc\", at: [(5, 5, 0)], body: Disc(radius_m: 0.1)),
                (name: \"square\", at: [(5, 7, 0)],
                    body: Polygon(corners_m: [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)])),
            ], objects: [Disc(name: \"pole\", center_m: (3, 3), radius_m: 0.1)])"
        ));
        simulation.agent(0).unwrap().readings().next().unwrap()[0] > 0.5
    };
    for (x, y) in [(5.0, 5.0), (5.0, 7.0), (3.0, 3.0)] {
        assert!(!touches(&format!("({x}, {}, 0)", y + 0.3), ""), "beside ({x}, {y}), within its bounding disc");
        assert!(touches(&format!("({x}, {}, 0)", y + 0.205), ""), "beside ({x}, {y})");
        assert!(touches(&format!("({}, {y}, 0)", x + 0.605), ""), "ahead of ({x}, {y})");
        assert!(touches(&format!("({x}, {}, 0)", y + 0.3), "radius_m: 0.5"), "a disc of its own");
    }
    assert!(!touches("(7, 0.3, 0)", "") && touches("(7, 0.105, 0)", ""), "a wall");
}

/// MORSE's `collision_testing.py`: two robots of the size of an ATRV.
#[test]
fn a_robot_with_an_outline_senses_the_object_that_stops_it() {
    const ATRV: &str = "motion: Holonomic(), attitude: (z_m: 0.1),
        body: Polygon(corners_m: [(0.57, 0.335), (-0.57, 0.335), (-0.57, -0.335), (0.57, -0.335)])";
    for order in ["Simultaneous", "Sequential"] {
        for (only, touches) in [("", true), ("obstacle", true), ("dala", true), ("wall", false)] {
            let mut simulation = simulation_of(&format!(
                "(order: {order}, time: (dt_s: 0.016666666666666666), arena: (corner_m: (-20, -20), size_m: (40, 40)), groups: [
                    (name: \"robot\", at: [(-3, 0, 0)], {ATRV}, controller: Constant(v_m_per_s: 1),
                        sensors: [Collision(only: \"{only}\", mount: (x_m: 0.7, z_m: 0.2))]),
                    (name: \"dala\", team: \"obstacle\", at: [(0, 0, 0)], {ATRV}),
                ])"
            ));
            let reads = |simulation: &Simulation| simulation.agent(0).unwrap().readings().next().unwrap()[0] > 0.5;
            for step in 1..=180 {
                simulation.step(1);
                let x = simulation.agent(0).unwrap().pose.position_m.x;
                // It is stopped at -1.14 m, up to a step of 17 mm before.
                if step != 111 {
                    assert_eq!(reads(&simulation), touches && step > 111, "{order}, only {only:?}, step {step}: {x}");
                }
            }
        }
    }
}
