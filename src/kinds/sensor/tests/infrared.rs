//! Infrared sensors.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use serde_json::Value;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::motion::differential_drive::DifferentialDrive;
use swarmarium_core::sensor::Sensor as _;
use swarmarium_core::sensor::infrared::*;
use swarmarium_scene::scene::description::Group;
use swarmarium_space::{Boundary, Target};

use super::{read, sees, space_with};
use crate::sensor::encoders::Encoders;
use crate::sensor::odometry::Odometry;
use crate::testing;

/// A robot that comes with the program.
fn robot(name: &str) -> Group {
    let text = format!("(groups: [(name: \"g\", robot: \"{name}\")])");
    let kinds = testing::standard();
    let scene =
        swarmarium_scene::scene::reader::read::<swarmarium_scene::scene::Scene>(kinds.kinds(), "test.ron", &text)
            .unwrap();
    scene.groups[0].clone()
}

/// The infrared sensors of a robot that comes with the program.
fn of_robot(name: &str) -> Infrared {
    robot(name).sensors[0].value().downcast_ref::<Infrared>().unwrap().clone()
}

#[test]
fn infrared_responses_are_those_of_the_robots() {
    for (name, file) in [("khepera3", "khepera3_master"), ("quickbot", "quickbot_coursera")] {
        let (reads_distance, facts) = (of_robot(name), swarmarium_testing::facts(&format!("simiam/{file}.json")));
        let reads_raw = Infrared { reads: Reads::Raw, ..reads_distance.clone() };
        for case in facts[format!("{name}_ir_curve")].as_array().unwrap() {
            let number = |field: &str| case[field].as_f64().unwrap();
            let (raw, estimated) = (number("raw"), number("estimated"));
            let read = [reads_raw.reading(number("distance")), reads_distance.reading(number("distance"))];
            let back = reads_raw.distance_m(read[0]);
            // The facts have twelve digits.
            assert!((read[0] - raw).abs() < 1e-9 * raw.max(1.0), "{read:?} {case}");
            assert!((read[1] - estimated).abs() < 1e-9 && back == read[1], "{read:?} {case}");
        }
    }
}

#[test]
fn the_quickbot_follows_the_data_sheet_of_its_sensors() {
    let quickbot = Infrared { reads: Reads::Raw, ..of_robot("quickbot") };
    for case in swarmarium_testing::facts("simiam/quickbot_coursera.json")["datasheet_table"].as_array().unwrap() {
        let [distance_m, _, units] = [0, 1, 2].map(|place| case[place].as_f64().unwrap());
        assert!((quickbot.reading(distance_m) / units - 1.0).abs() < 0.0125, "{case}");
    }
}

#[test]
fn infrared_robots_have_the_recorded_facts() {
    let facts = swarmarium_testing::facts("simiam/robots.json");
    for (name, all) in [("khepera3", &facts["robots"][0]), ("quickbot", &facts["robots"][1])] {
        let (infrared, facts) = (of_robot(name), &all["ir"]);
        let number = |value: &Value| value.as_f64().unwrap();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(infrared.min_range_m, number(&facts["rmin"])) && near(infrared.range_m, number(&facts["rmax"])));
        assert!(near(infrared.cone_rad, number(&facts["spread_rad"])));
        let Body::Polygon { corners_m, .. } = robot(name).body else { panic!("{name} is a disc") };
        let outline = all["collision_outline"].as_array().unwrap();
        assert_eq!(corners_m.len(), outline.len());
        let is_corner =
            |(corner, fact): (&DVec2, &Value)| near(corner.x, number(&fact[0])) && near(corner.y, number(&fact[1]));
        assert!(corners_m.iter().zip(outline).all(is_corner), "{corners_m:?}");
        let motion = robot(name).motion;
        let drive = motion.value().downcast_ref::<DifferentialDrive>().unwrap();
        let [radius_m, axle_m, ticks] =
            ["wheel_radius", "base_length", "ticks_per_rev"].map(|field| number(&all[field]));
        assert!(near(drive.wheel_radius_m, radius_m) && near(drive.axle_m, axle_m));
        let most = |field: &str| all[field].as_f64().map(|speed| speed * radius_m);
        let quantum = all["speed_quantum_per_rad_s"].as_f64();
        let fastest = quantum.map(|quantum| 48_000.0 / quantum * radius_m).or(most("max_wheel_rad_s"));
        assert!(near(drive.max_wheel_m_per_s, fastest.unwrap()));
        assert!(near(drive.min_wheel_m_per_s, most("min_wheel_rad_s").unwrap_or(0.0)));
        assert!(near(drive.speed_step_rad_per_s, quantum.map_or(0.0, f64::recip)));
        let sensors = robot(name).sensors;
        let encoders = sensors[1].value().downcast_ref::<Encoders>().unwrap();
        let odometry = sensors[2].value().downcast_ref::<Odometry>().unwrap();
        assert_eq!(encoders.ticks_per_turn, ticks);
        assert_eq!(odometry.ticks_per_turn, ticks);
        assert_eq!(odometry.wheel_radius_m, drive.wheel_radius_m);
        assert_eq!(odometry.axle_m, drive.axle_m);
        let eyes = facts["poses_xy_deg"].as_array().unwrap();
        assert_eq!(infrared.mounts.len(), eyes.len());
        for (eye, fact) in infrared.mounts.iter().zip(eyes) {
            assert!(near(eye.x_m, number(&fact[0])) && near(eye.y_m, number(&fact[1])), "{eye:?} {fact}");
            assert!(near(eye.heading_rad, number(&fact[2]).to_radians()), "{eye:?} {fact}");
        }
    }
}

#[test]
fn infrared_parameters_that_contradict_are_refused() {
    let default = Infrared::default();
    assert_eq!(default.problem(), None);
    let wrong = |infrared: Infrared| infrared.problem().unwrap();
    assert!(wrong(Infrared { min_range_m: 0.3, ..default.clone() }).contains("below `range_m` (0.2), found 0.3"));
    let response = Response::Polynomial { near: 0.0, far: 0.0, raw: vec![1.0], distance_m: Vec::new() };
    assert!(wrong(Infrared { response, ..default }).contains("`distance_m` of the polynomial"));
    for name in ["khepera3", "quickbot"] {
        assert_eq!(of_robot(name).problem(), None);
    }
}

#[test]
fn each_infrared_eye_has_a_position_and_a_bearing() {
    let eye = |x_m, y_m, heading_rad| Placement { x_m, y_m, heading_rad };
    let mounts = vec![eye(0.1, 0.0, 0.0), eye(0.0, 0.1, TAU / 4.0)];
    let two = Infrared { mounts, range_m: 1.0, ..Infrared::default() };
    let center = DVec2::splat(5.0);
    let others = [(center, 0.1), (center + DVec2::new(0.6, 0.0), 0.2), (center + DVec2::new(0.0, 0.4), 0.1)];
    let reading = read(&two, &space_with(Boundary::Open, &others));
    assert!((reading[0] - 0.3).abs() < 1e-12 && (reading[1] - 0.2).abs() < 1e-12, "{reading:?}");
    assert_eq!(sees(&two, &space_with(Boundary::Open, &others)), Some(Target::Body(2)));
    assert_eq!(read(&two, &space_with(Boundary::Open, &others[..1])), [1.0, 1.0]);
    let touching = [(center, 0.1), (center + DVec2::new(0.3, 0.0), 0.2)];
    assert_eq!(read(&two, &space_with(Boundary::Open, &touching))[0], 0.02, "no nearer than it can tell");
}
