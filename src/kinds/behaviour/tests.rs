//! Behaviours, compared with recorded results of pySimiam.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use serde_json::Value;
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::controller::Drive;
use swarmarium_core::controller::behaviour::*;
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::random::Draws;
use swarmarium_core::sensor::infrared::Infrared;
use swarmarium_space::{Boundary, Field, InfraredModel};

use super::avoid_obstacles::{AvoidObstacles, Weights};
use super::blend::{Blend, Mix};
use super::follow_wall::{FollowWall, SteeringRule};
use super::go_to_angle::GoToAngle;
use super::go_to_goal::GoToGoal;
use super::plugin;
use super::seek::{Direction, Seek};
use super::turn_on_spot::{Towards, TurnOnSpot};
use super::wander::Wander;

/// Results of pySimiam's branches master and coursera.
const MASTER: &str = include_str!("../../../tests/data/simiam/khepera3_master.json");
const COURSERA: &str = include_str!("../../../tests/data/simiam/quickbot_coursera.json");

fn cases(text: &str, group: &str) -> Vec<Value> {
    let groups: Value = serde_json::from_str(text).unwrap();
    groups[group].as_array().unwrap().clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn eyes(poses: &[(f64, f64, f64)], min_range_m: f64, range_m: f64) -> Infrared {
    let eye = |&(x_m, y_m, degrees): &(f64, f64, f64)| Placement { x_m, y_m, heading_rad: degrees / 180.0 * PI };
    Infrared { mounts: poses.iter().map(eye).collect(), min_range_m, range_m, ..Infrared::default() }
}

/// All kinds of behaviour that come with the program.
pub(crate) fn all() -> BehaviourKinds {
    let mut app = App::empty();
    plugin(&mut app);
    app.world().resource::<BehaviourKinds>().clone()
}

pub(crate) fn khepera() -> Infrared {
    let side = [(-0.038, 0.048, 128.0), (0.019, 0.064, 75.0), (0.05, 0.05, 42.0), (0.07, 0.017, 13.0)];
    let mut poses = side.to_vec();
    poses.extend(side.iter().rev().map(|(x, y, degrees)| (*x, -y, -degrees)));
    poses.push((-0.048, 0.0, 180.0));
    eyes(&poses, 0.02, 0.2)
}

fn quickbot() -> Infrared {
    let poses = [
        (-0.0474, 0.0534, 90.0),
        (0.0613, 0.0244, 45.0),
        (0.0636, 0.0, 0.0),
        (0.0461, -0.0396, -45.0),
        (-0.069, -0.0534, -90.0),
    ];
    eyes(&poses, 0.04, 0.3)
}

fn situation<'a>(pose: &[f64], goal: &[f64], infrared: Option<(&'a Infrared, &'a [f64])>) -> Situation<'a> {
    let position_m = DVec2::new(pose[0], pose[1]);
    let pose = Pose { position_m, heading_rad: pose[2] };
    Situation {
        pose,
        goal_m: DVec2::new(goal[0], goal[1]),
        v_m_per_s: 0.2,
        side: Side::Left,
        arena: Field::new(DVec2::ONE, Boundary::Open),
        infrared_model: InfraredModel::Classic,
        infrared,
        readings: &[],
        decision: Decision::default(),
    }
}

fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        // The results have twelve digits.
        assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{found} is not {expected}");
    }
}

fn angle(output: BehaviourOutput) -> f64 {
    match output {
        BehaviourOutput::Steer { angle_rad, .. } => angle_rad,
        BehaviourOutput::Drive(_) => panic!("{output:?}"),
    }
}

#[test]
fn go_to_goal_steers_as_in_simiam_but_turns_the_shorter_way() {
    let mut turned = 0;
    for (text, group) in [(MASTER, "gotogoal_master"), (COURSERA, "gotogoal_coursera")] {
        for case in cases(text, group) {
            let now = situation(&numbers(&case["pose"]), &numbers(&case["goal"]), None);
            let gains = case.get("gains").map_or(vec![4.0, 0.1, 0.0], numbers);
            let gains = Gains { kp: gains[0], ki: gains[1], kd: gains[2] };
            let wanted = case["heading_angle"].as_f64().unwrap();
            let found = angle(GoToGoal {}.act(&now, &mut Vec::new()));
            near(&[found], &[wrap_angle(wanted)]);
            // Defect 1 of pySimiam: angles beyond half a turn.
            if wanted.abs() > PI {
                turned += 1;
                continue;
            }
            let mut steering = Steering::default();
            for output in case["outputs"].as_array().unwrap() {
                near(&[0.2, steering.turn_rad_per_s(gains, found, 0.02)], &numbers(output));
            }
        }
    }
    assert_eq!(turned, 2);
}

#[test]
fn go_to_angle_turns_as_in_simiam() {
    for case in cases(COURSERA, "gotoangle") {
        let now = situation(&[0.0, 0.0, case["theta"].as_f64().unwrap()], &[0.0, 0.0], None);
        let heading_rad = case["goal_deg"].as_f64().unwrap().to_radians();
        let expected = numbers(&case["out"]);
        match (GoToAngle { heading_rad, gain_per_s: 3.0 }).act(&now, &mut Vec::new()) {
            BehaviourOutput::Drive(Drive { v_m_per_s, turn_rad_per_s }) => {
                near(&[v_m_per_s, turn_rad_per_s], &expected);
            }
            output => panic!("{output:?}"),
        }
    }
}

#[test]
fn avoid_obstacles_has_the_weights_and_directions_of_simiam() {
    let infrared = khepera();
    let all: Vec<f64> = infrared.mounts.iter().map(|eye| Weights::Front.of(0, eye.heading_rad)).collect();
    let sum: f64 = all.iter().sum();
    let groups: Value = serde_json::from_str(MASTER).unwrap();
    near(&all.iter().map(|weight| weight / sum).collect::<Vec<_>>(), &numbers(&groups["avoid_weights_khepera3"]));
    for case in cases(MASTER, "avoidobstacles_master") {
        let distances = numbers(&case["distances"]);
        let now = situation(&[0.0; 3], &[0.0; 2], Some((&infrared, &distances)));
        near(&Weights::Front.mean_m(&now).to_array(), &numbers(&case["heading"])[..2]);
        near(&[angle(AvoidObstacles::default().act(&now, &mut Vec::new()))], &[case["angle"].as_f64().unwrap()]);
    }
    let infrared = quickbot();
    let listed = Weights::Listed { weights: vec![1.0, 1.0, 0.5, 1.0, 1.0] };
    for case in cases(COURSERA, "avoidobstacles_coursera") {
        let distances = numbers(&case["distances"]);
        let now = situation(&[0.0; 3], &[1.0; 2], Some((&infrared, &distances)));
        near(&Weights::HalfAngle.mean_m(&now).to_array(), &numbers(&case["week4_heading"])[..2]);
        near(&listed.mean_m(&now).to_array(), &numbers(&case["heading"])[..2]);
        let avoid = AvoidObstacles { weights: listed.clone(), slows_down: true };
        let BehaviourOutput::Steer { angle_rad, v_m_per_s } = avoid.act(&now, &mut Vec::new()) else { panic!() };
        let turn = Steering::default().turn_rad_per_s(Gains::default(), angle_rad, 0.02);
        near(&[v_m_per_s, turn], &numbers(&case["execute"]));
        let blend = Blend { mix: Mix::Fixed { goal: 0.3 }, weights: listed.clone() };
        near(&[angle(blend.act(&now, &mut Vec::new()))], &[case["week5_blend_angle"].as_f64().unwrap()]);
    }
}

#[test]
fn avoid_obstacles_drives_on_beside_a_near_wall() {
    let infrared = quickbot();
    let avoid = AvoidObstacles { slows_down: true, ..AvoidObstacles::default() };
    let speed = |infrared_model, near_m: f64| {
        let distances = [0.3, 0.3, 0.3, 0.3, near_m];
        let now = situation(&[0.0; 3], &[1.0; 2], Some((&infrared, &distances)));
        match avoid.act(&Situation { infrared_model, ..now }, &mut Vec::new()) {
            BehaviourOutput::Steer { v_m_per_s, .. } => v_m_per_s,
            deed => panic!("{deed:?}"),
        }
    };
    assert_eq!(speed(InfraredModel::Classic, 0.04), 0.0);
    // The curve of the sensor gives 0.0399… m for all that is nearer than 0.04 m.
    for (near_m, part) in [(0.0399, -0.0001 / 0.26), (0.03, -0.01 / 0.26), (0.17, 0.5)] {
        near(&[speed(InfraredModel::Classic, near_m)], &[0.2 * part * part]);
        assert!(speed(InfraredModel::Classic, near_m) > 0.0);
    }
    assert!(speed(InfraredModel::Exact, 0.04) > 0.19);
}

#[test]
fn go_to_goal_turns_clockwise_to_a_goal_right_behind() {
    for (heading, goal) in [(0.0, [-1.0, 0.0]), (PI, [1.0, 0.0]), (-PI, [1.0, 0.0]), (PI / 2.0, [0.0, -1.0])] {
        assert_eq!(situation(&[0.0, 0.0, heading], &goal, None).goal_angle_rad(), -PI, "{heading}");
    }
}

#[test]
fn follow_wall_compares_a_corner_with_the_last_measured_direction() {
    let infrared = khepera();
    let wall = FollowWall { distance_m: 0.2, law: SteeringRule::Contour };
    // The angle along the wall that is kept when these eyes measure 0.1 m.
    let along_rad = |kept: &mut Vec<f64>, eyes: &[usize]| {
        let distances: [f64; 9] = std::array::from_fn(|eye| if eyes.contains(&eye) { 0.1 } else { 0.2 });
        let now = situation(&[0.0; 3], &[1.0; 2], Some((&infrared, &distances)));
        wall.act(&now, kept);
        angle_of(DVec2::new(kept[0], kept[1]))
    };
    let mut kept = Vec::new();
    let along = along_rad(&mut kept, &[0, 1]);
    assert_eq!(along_rad(&mut kept, &[]), along, "a wall out of sight is not forgotten");
    let eye = Eye { at: infrared.mounts[3], distance_m: 0.1 };
    let turn = wrap_angle(angle_of(eye.point_m()) - PI / 2.0) - along;
    assert!(turn.abs() > 0.2, "{turn}");
    near(&[along_rad(&mut kept, &[3])], &[wrap_angle(along + 0.2 * turn.abs() * turn)]);
}

#[test]
fn turning_on_the_spot_is_toward_the_goal_or_away_from_the_wall() {
    let now = situation(&[0.0; 3], &[0.0, 2.0], None);
    let turn = |to, side| TurnOnSpot { to }.act(&Situation { side, ..now }, &mut Vec::new());
    for (to, side, angle_rad) in [
        (Towards::Goal, Side::Left, PI / 2.0),
        (Towards::OffWall, Side::Left, -PI / 2.0),
        (Towards::OffWall, Side::Right, PI / 2.0),
    ] {
        assert_eq!(turn(to, side), BehaviourOutput::Steer { angle_rad, v_m_per_s: 0.0 }, "{to:?} {side:?}");
    }
}

#[test]
fn blending_equals_that_of_simiam() {
    let infrared = khepera();
    for case in cases(MASTER, "blending_master") {
        let distances = numbers(&case["distances"]);
        let now = situation(&numbers(&case["pose"]), &numbers(&case["goal"]), Some((&infrared, &distances)));
        near(&[Mix::default().goal(now.nearest_m())], &[case["w_gtg"].as_f64().unwrap()]);
        near(&[angle(Blend::default().act(&now, &mut Vec::new()))], &[case["angle"].as_f64().unwrap()]);
    }
}

fn side_of(case: &Value) -> Side {
    if case["direction"] == "left" { Side::Left } else { Side::Right }
}

#[test]
fn follow_wall_follows_the_recorded_runs() {
    let infrared = khepera();
    for case in cases(MASTER, "followwall_master") {
        let (distances, distance_m) = (numbers(&case["distances"]), case["distance"].as_f64().unwrap());
        let now = situation(&[0.0; 3], &[1.0; 2], Some((&infrared, &distances)));
        let now = Situation { side: side_of(&case), ..now };
        let (wall, mut kept) = (FollowWall { distance_m, law: SteeringRule::Contour }, Vec::new());
        for heading in case["headings_two_calls"].as_array().unwrap() {
            let heading = numbers(heading);
            let expected = angle_of(DVec2::new(heading[0], heading[1]));
            near(&[angle(wall.act(&now, &mut kept))], &[expected]);
        }
    }
    let infrared = quickbot();
    for case in cases(COURSERA, "followwall_coursera") {
        let (distances, distance_m) = (numbers(&case["distances"]), case["distance"].as_f64().unwrap());
        let now = situation(&[0.0; 3], &[1.0; 2], Some((&infrared, &distances)));
        let now = Situation { side: side_of(&case), ..now };
        let heading = numbers(&case["heading"]);
        let expected = angle_of(DVec2::new(heading[0], heading[1]));
        near(&[angle(FollowWall { distance_m, law: SteeringRule::Pair }.act(&now, &mut Vec::new()))], &[expected]);
    }
}

#[test]
fn robots_without_infrared_sensors_and_with_strange_ones_do_not_fail() {
    let strange = Infrared { range_m: 0.0, min_range_m: 0.0, ..khepera() };
    let readings = [[f64::NAN; 9], [0.0; 9], [f64::INFINITY; 9]];
    let some = readings.iter().map(|reading| Some((&strange, reading.as_slice())));
    for infrared in some.chain([None]) {
        let now = situation(&[1.0, 1.0, 0.0], &[1.0, 1.0], infrared);
        let mut app = App::empty();
        plugin(&mut app);
        let kinds = app.world().resource::<Kinds>();
        for kind in kinds.family("behaviour") {
            let behaviour = Slot::<BehaviourFamily>::from_value((kind.default)());
            let output = app.world().resource::<BehaviourKinds>().act(&behaviour, &now, &mut vec![f64::NAN]);
            let is_number = match output {
                BehaviourOutput::Drive(drive) => drive.turn_rad_per_s.is_finite(),
                BehaviourOutput::Steer { angle_rad, v_m_per_s } => angle_rad.is_finite() && v_m_per_s.is_finite(),
            };
            assert!(is_number, "{}: {output:?}", kind.name);
        }
    }
}

#[test]
fn wander_keeps_the_distribution_of_its_turn_rate_whatever_the_time_step() {
    let wander = Wander { turn_rad_per_s: 0.8, correlation_s: 2.0 };
    for since_s in [0.1, 0.4] {
        let (mut kept, mut turns) = (Vec::new(), Vec::new());
        for step in 0..40_000 {
            let decision = Decision { draws: Draws { step, ..Draws::default() }, since_s };
            let now = Situation { decision, ..situation(&[0.0; 3], &[1.0, 0.0], None) };
            match wander.act(&now, &mut kept) {
                BehaviourOutput::Drive(drive) => turns.push(drive.turn_rad_per_s),
                steer @ BehaviourOutput::Steer { .. } => panic!("{steer:?}"),
            }
        }
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / turns.len() as f64;
        let variance = mean(&mut turns.iter().map(|turn| turn * turn));
        // The number of independent values is about the duration over twice the correlation time.
        let independent = 40_000.0 * since_s / 4.0;
        assert!((variance / 0.64 - 1.0).abs() < 4.0 * (2.0_f64 / independent).sqrt(), "{variance}");
        let lag = (2.0 / since_s).round() as usize;
        let covariance = mean(&mut turns.iter().zip(&turns[lag..]).map(|(turn, later)| turn * later));
        assert!((covariance / variance - swarmarium_base::math::exp(-1.0)).abs() < 0.12, "{}", covariance / variance);
    }
}

#[test]
fn wander_turns_away_from_an_obstacle_ahead() {
    let (khepera, mut reading) = (khepera(), [0.2; 9]);
    reading[3] = 0.03;
    let distances: Vec<f64> = reading.to_vec();
    let now = Situation {
        infrared_model: InfraredModel::Exact,
        ..situation(&[0.0; 3], &[1.0, 0.0], Some((&khepera, &distances)))
    };
    match Wander::default().act(&now, &mut Vec::new()) {
        BehaviourOutput::Steer { angle_rad, v_m_per_s } => assert_eq!((angle_rad, v_m_per_s), (-PI / 2.0, 0.0)),
        drive @ BehaviourOutput::Drive(_) => panic!("{drive:?}"),
    }
}

#[test]
fn seek_finds_the_direction_in_each_form_of_reading() {
    let readings: [&[f64]; 3] = [&[0.7, 0.3], &[0.0, -2.0, 2.0], &[0.0, 1.0, 0.0, 0.0]];
    let now = Situation { readings: &readings, ..situation(&[0.0; 3], &[1.0, 0.0], None) };
    let way = |sensor, direction| angle(Seek { sensor, direction, ..Seek::default() }.act(&now, &mut Vec::new()));
    assert_eq!(way(0, Direction::Bearing { channel: 1 }), 0.3);
    near(&[way(1, Direction::Vector { channel: 1 })], &[3.0 * PI / 4.0]);
    near(&[way(2, Direction::Ring { first_rad: 0.0 })], &[PI / 2.0]);
    near(&[way(2, Direction::Ring { first_rad: -PI / 4.0 })], &[PI / 4.0]);
    let away = Seek { offset_rad: PI, ..Seek::default() };
    near(&[angle(away.act(&now, &mut Vec::new()))], &[0.7 - PI]);
    // Nothing to follow: straight on.
    for direction in [Direction::Bearing { channel: 9 }, Direction::Vector { channel: 1 }] {
        assert_eq!(way(0, direction), 0.0, "{direction:?}");
    }
    let weak = Seek { strength: Some(0), threshold: 0.8, ..Seek::default() };
    assert_eq!(angle(weak.act(&now, &mut Vec::new())), 0.0);
    assert_eq!(angle(Seek { threshold: 0.6, ..weak }.act(&now, &mut Vec::new())), 0.7);
}
