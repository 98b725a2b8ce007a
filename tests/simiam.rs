//! Sim.I.Am: closed loops recorded on pySimiam, and what its courses asked for.

use std::fs;

use serde_json::Value;
use swarmarium::prelude::*;
use swarmarium_base::math::wrap_angle;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_kinds::controller::supervisor::{self, Mind, Supervisor};
use swarmarium_scene::scene::reader;

/// The name that pySimiam's logs have for a state.
fn class_of(state: &str) -> &'static str {
    match state {
        "go to goal" => "GoToGoal",
        "go to angle" => "GoToAngle",
        "avoid obstacles" => "AvoidObstacles",
        "blend" => "Blending",
        "follow wall" => "FollowWall",
        "hold" => "Hold",
        other => panic!("{other}"),
    }
}

/// The scene of a recorded world.
fn world(name: &str) -> Scene {
    let file = format!("tests/data/simiam/traces/worlds/{name}");
    let loaded = swarmarium_formats::load::load(Recipe::standard().kinds(), &file, &[]);
    loaded.unwrap_or_else(|problems| panic!("{problems}")).scene
}

fn scene(text: &str) -> Scene {
    reader::read(Recipe::standard().kinds(), "simiam.ron", &format!("({text})"))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn mind(simulation: &Simulation, agent: u32) -> &Mind {
    simulation.agent(agent).unwrap().component::<Mind>().unwrap()
}

/// Runs a world as long as it was recorded, without its last step where robots collided in that.
fn agrees(name: &str) {
    let text = fs::read_to_string(format!("tests/data/simiam/traces/{name}.json")).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let collides = recorded["stopped"].get("collision").is_some();
    let mut simulation = Simulation::new(&world(recorded["world"].as_str().unwrap())).unwrap();
    let entries = recorded["trace"].as_array().unwrap();
    let last = entries.last().unwrap()["step"].as_u64().unwrap();
    let robots = recorded["robots"].as_array().unwrap().len();
    let mut switches = Vec::new();
    let mut before = vec![String::new(); robots];
    for step in 1..=last {
        // Motion in a recorded step is motion in our step before it.
        let poses: Vec<_> = simulation.agents().map(|agent| agent.pose).collect();
        if collides && step == last {
            break;
        }
        simulation.step(1);
        for (robot, before) in before.iter_mut().enumerate() {
            let state = class_of(mind(&simulation, robot as u32).state()).to_owned();
            if step > 1 && state != *before {
                switches.push((step, robot as u64, before.clone(), state.clone()));
            }
            *before = state;
        }
        let Some(entry) = entries.iter().find(|entry| entry["step"] == step) else { continue };
        for (robot, pose) in poses.iter().enumerate() {
            let wanted = entry["robots"][robot]["pose"].as_array().unwrap();
            let wanted: Vec<f64> = wanted.iter().map(|number| number.as_f64().unwrap()).collect();
            let off = pose.position_m.distance(DVec2::new(wanted[0], wanted[1]));
            let turned = wrap_angle(pose.heading_rad - wanted[2]).abs();
            assert!(off < 1e-6 && turned < 1e-6, "{name}, step {step}: {pose:?} is not {wanted:?}");
        }
    }
    let wanted = recorded["events"].as_array().unwrap().iter().map(|event| {
        let text = |name: &str| event[name].as_str().unwrap().to_owned();
        (event["step"].as_u64().unwrap(), event["robot"].as_u64().unwrap(), text("from"), text("to"))
    });
    assert_eq!(switches, wanted.collect::<Vec<_>>(), "{name}");
}

#[test]
fn recorded_controller_loops_of_simiam_are_reproduced() {
    for entry in fs::read_dir("tests/data/simiam/traces").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            agrees(path.file_stem().unwrap().to_str().unwrap());
        }
    }
}

#[test]
fn every_shipped_supervisor_is_valid() {
    use swarmarium_scene::scene::presets::{SUPERVISORS, about};
    let kinds = Recipe::standard().kinds().clone();
    let mut names = Vec::new();
    for (name, text) in SUPERVISORS.all() {
        let supervisor = supervisor::shipped(&kinds, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(supervisor.problem(), None, "{name}");
        assert!(!about(text).is_empty(), "{name}");
        names.push(name);
    }
    assert_eq!(names.len(), 12);
    let error = supervisor::shipped(&kinds, "k3-defualt").unwrap_err().to_string();
    assert!(error.contains("did you mean `k3-default`?"), "{error}");
}

#[test]
fn fields_of_a_group_override_its_supervisor() {
    let scene = scene(
        "groups: [(name: \"r\", robot: \"khepera3\", supervisor: \"k3-full\",
            controller: Supervisor(goal_m: (2.0, 1.0)), at: [(0.0, 0.0, 0.0)])]",
    );
    let supervisor = scene.groups[0].controller.value().downcast_ref::<Supervisor>().unwrap();
    let shipped = supervisor::shipped(Recipe::standard().kinds(), "k3-full").unwrap();
    assert_eq!(*supervisor, Supervisor { goal_m: DVec2::new(2.0, 1.0), ..shipped });
}

/// A robot drives on until a time, or until its supervisor holds; whether it ran into something, and when it ended.
fn drive(simulation: &mut Simulation, until_s: f64, mut ends: impl FnMut(&Simulation) -> bool) -> (bool, f64) {
    while simulation.time().now_s() < until_s {
        simulation.step(1);
        if simulation.condition_holds() || ends(simulation) {
            break;
        }
    }
    (simulation.condition_holds(), simulation.time().now_s())
}

/// A scene that ships with the program, in which a collision is the end.
fn shipped_scene(name: &str, more: &[(&str, &str)]) -> Simulation {
    let kinds = Recipe::standard().kinds().clone();
    let text = swarmarium_scene::scene::shipped::get(name).unwrap();
    let mut scene: Scene = reader::read(&kinds, name, text).unwrap_or_else(|problems| panic!("{problems}"));
    for (path, value) in [("on_collision", "Pause")].iter().chain(more) {
        swarmarium_scene::scene::path::set(&kinds, &mut scene, path, value).unwrap();
    }
    Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"))
}

fn all_hold(simulation: &Simulation) -> bool {
    simulation.agents().all(|agent| agent.component::<Mind>().is_some_and(|mind| mind.state() == "hold"))
}

#[test]
fn go_to_goal_takes_no_longer_than_recorded() {
    // Course week 3: the speed gives way freely to the turn.
    let motion = "DifferentialDrive(axle_m: 0.09925, wheel_radius_m: 0.0325, max_wheel_m_per_s: 0.4424409653805625,
        saturation: KeepTurnRateAllowReverse)";
    for (goal, most_s) in [((1.0, 1.0), 6.90), ((0.0, -1.0), 4.92), ((-1.0, 0.5), 5.62), ((-1.0, -1.0), 7.14)] {
        let mut simulation = Simulation::new(&scene(&format!(
            "time: (dt_s: 0.02), groups: [(name: \"r\", robot: \"quickbot\", supervisor: \"quickbot-go-to-goal\",
                motion: {motion}, controller: Supervisor(goal_m: {goal:?}), at: [(0.0, 0.0, 0.0)])]"
        )))
        .unwrap();
        let there = |simulation: &Simulation| {
            simulation.agents().all(|agent| agent.pose.position_m.distance(DVec2::from(goal)) < 0.05)
        };
        let (_, took_s) = drive(&mut simulation, 30.0, there);
        assert!(took_s <= most_s + 1e-9, "{goal:?}: {took_s} s");
    }
}

#[test]
fn the_avoider_survives_a_minute_and_moves() {
    for v in ["0.1", "0.15", "0.2"] {
        let mut simulation = shipped_scene("simiam-week4", &[("groups.quickbot.controller.v_m_per_s", v)]);
        let mut farthest = 0.0_f64;
        let (collides, end_s) = drive(&mut simulation, 60.0, |simulation| {
            let at = simulation.agent(0).unwrap().pose.position_m;
            farthest = farthest.max(at.x.abs() + at.y.abs());
            false
        });
        assert!(!collides && farthest > 0.5, "{v} m/s: {end_s} s, {farthest} m");
    }
}

/// Runs a wall follower until it has done two laps through a gate in the middle.
fn laps(side: &str, v: f64, heading_rad: f64) -> Result<f64, String> {
    let kinds = Recipe::standard().kinds().clone();
    let text = swarmarium_scene::scene::shipped::get("simiam-week6").unwrap();
    let mut scene: Scene = reader::read(&kinds, "simiam-week6", text).unwrap();
    scene.groups.truncate(1);
    for (path, value) in [
        ("on_collision", "Pause".to_owned()),
        ("groups.0.controller.side", side.to_owned()),
        ("groups.0.controller.v_m_per_s", v.to_string()),
        ("groups.0.at", format!("[(0.0, 0.0, {heading_rad:?})]")),
    ] {
        swarmarium_scene::scene::path::set(&kinds, &mut scene, path, &value).unwrap();
    }
    let mut simulation = Simulation::new(&scene).unwrap();
    let (mut laps, mut is_out) = (0, false);
    let (collides, end_s) = drive(&mut simulation, 90.0, |simulation| {
        let at = simulation.agent(0).unwrap().pose.position_m;
        is_out |= at.length() > 0.4;
        if is_out && at.x.abs() < 0.05 && at.y.abs() < 0.3 {
            (laps, is_out) = (laps + 1, false);
        }
        laps == 2
    });
    let pose = simulation.agent(0).unwrap().pose;
    match (collides, laps) {
        (false, 2) => Ok(end_s),
        _ => {
            Err(format!("{side}, {v} m/s, {heading_rad} rad: {laps} laps, collides {collides} at {end_s} s, {pose:?}"))
        }
    }
}

#[test]
fn the_wall_follower_does_its_laps_from_everywhere() {
    let starts = [0.1, 0.15, 0.2, 0.25].into_iter().flat_map(|v| [0.0, 1.0, 2.5, -1.2].map(|heading| (v, heading)));
    let runs = starts.flat_map(|(v, heading)| ["Left", "Right"].map(|side| laps(side, v, heading)));
    let failed: Vec<String> = runs.filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The number of goals that a QuickBot reaches in a recorded world, and the number of all goals. To reach a goal, it holds
/// within 60 s and 6 cm of the goal, without a collision. Goals are half a metre apart, with 0.25 m of room around them.
fn reached(name: &str, supervisor: &str) -> (usize, usize) {
    let shipped = supervisor::shipped(Recipe::standard().kinds(), supervisor).unwrap();
    let mut scene = world(name);
    let polygons = scene.objects.iter().filter_map(|object| object.value().downcast_ref::<Polygon>());
    let walls: Vec<Vec<DVec2>> = polygons.map(|polygon| polygon.corners_m.clone()).collect();
    let has_room = |goal: DVec2| {
        walls.iter().all(|wall| {
            let low = wall.iter().copied().reduce(DVec2::min).unwrap();
            let high = wall.iter().copied().reduce(DVec2::max).unwrap();
            goal.distance(goal.clamp(low, high)) >= 0.25 && goal.length() > 0.25
        })
    };
    let grid = (-3..=3).flat_map(|x| (-3..=3).map(move |y| 0.5 * DVec2::new(f64::from(x), f64::from(y))));
    let goals: Vec<DVec2> = grid.filter(|goal| has_room(*goal)).collect();
    let reaches = |goal_m: &&DVec2| {
        scene.groups[0].controller = Slot::new(Supervisor { goal_m: **goal_m, ..shipped.clone() });
        let mut simulation = Simulation::new(&scene).unwrap();
        let (collides, end_s) = drive(&mut simulation, 60.0, all_hold);
        !collides && end_s < 60.0 && simulation.agent(0).unwrap().pose.position_m.distance(**goal_m) <= 0.06
    };
    (goals.iter().filter(reaches).count(), goals.len())
}

#[test]
fn the_robust_supervisor_reaches_goals_that_the_full_one_does_not() {
    for (name, goals) in [("qb_full_boxes.xml", 38), ("qb_full_walls.xml", 31)] {
        let [full, robust] = ["quickbot-full", "quickbot-full-robust"].map(|supervisor| reached(name, supervisor));
        assert_eq!(robust, (goals, goals), "{name}");
        assert!(full.0 < goals && full.0 > goals * 3 / 4, "{name}: {full:?}");
    }
}

#[test]
fn the_full_supervisor_leaves_the_labyrinth() {
    let mut simulation = shipped_scene("simiam-labyrinth", &[]);
    let (collides, end_s) = drive(&mut simulation, 150.0, all_hold);
    assert!(!collides && end_s < 150.0, "{end_s} s");
    let off_m = simulation.agent(0).unwrap().pose.position_m.distance(DVec2::ONE);
    assert!(off_m < 0.15, "{off_m} m from the goal");
}

#[test]
fn the_slalom_and_the_playground_end_without_a_crash() {
    let mut slalom = shipped_scene("simiam-slalom", &[]);
    let (collides, end_s) = drive(&mut slalom, 90.0, all_hold);
    assert!(!collides && end_s < 90.0, "slalom: {end_s} s");

    let wall = |x: f64, y: f64, wide: f64, high: f64| {
        format!(
            "Polygon(corners_m: [({x:?}, {y:?}), ({0:?}, {y:?}), ({0:?}, {1:?}), ({x:?}, {1:?})])",
            x + wide,
            y + high
        )
    };
    let walls =
        [wall(-1.1, -1.1, 0.1, 2.2), wall(1.0, -1.1, 0.1, 2.2), wall(-1.0, -1.1, 2.0, 0.1), wall(-1.0, 1.0, 2.0, 0.1)];
    let mut playground = Simulation::new(&scene(&format!(
        "time: (dt_s: 0.02), on_collision: Pause, objects: [{}, {}], groups: [
            (name: \"a\", robot: \"khepera3\", supervisor: \"k3-default\",
             controller: Supervisor(goal_m: (0.6, 0.6)), at: [(-0.5, -0.5, 0.0)]),
            (name: \"b\", robot: \"khepera3\", supervisor: \"k3-blending\",
             controller: Supervisor(goal_m: (-0.6, 0.6)), at: [(0.5, -0.5, 0.0)])]",
        walls.join(", "),
        wall(-0.15, -0.1, 0.3, 0.3),
    )))
    .unwrap();
    let (collides, end_s) = drive(&mut playground, 60.0, all_hold);
    assert!(!collides, "playground: {end_s} s");
}

#[test]
fn supervisors_report_their_state_and_events() {
    let mut simulation = shipped_scene("simiam-week1", &[]);
    drive(&mut simulation, 10.0, all_hold);
    let events: Vec<_> = simulation.events().iter().collect();
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert!(event.text.starts_with("go to goal -> hold: at goal (goal distance 0.0"), "{}", event.text);
    assert_eq!(event.step, simulation.steps());
    let snapshot = simulation.snapshot();
    simulation.step(1);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(simulation.events().count(), 1);
}

#[test]
fn mistakes_in_supervisors_are_refused_with_their_path() {
    let read = |text: &str| {
        let text = format!("(groups: [(name: \"r\", robot: \"khepera3\", at: [(0.0, 0.0, 0.0)], {text})])");
        let scene: Scene =
            reader::read(Recipe::standard().kinds(), "s.ron", &text).map_err(|error| error.to_string())?;
        Simulation::new(&scene).map(drop).map_err(|problems| problems.to_string())
    };
    let error = read("supervisor: \"k3-ful\"").unwrap_err();
    assert!(
        error.contains("groups[0].supervisor: there is no supervisor `k3-ful`") && error.contains("`k3-full`"),
        "{error}"
    );
    let error = read("supervisor: \"k3-full\", supervisor: \"k3-full\"").unwrap_err();
    assert!(error.contains("the field `supervisor` is written twice"), "{error}");
    let error = read("supervisor: \"k3-full\", controller: Supervisor(states: [(name: \"follow wall\", record_when: \"at gaol\"), (name: \"go to goal\")])")
        .unwrap_err();
    assert!(
        error.contains("groups[0].controller")
            && error.contains("states[0].record_when: there is no condition `at gaol`"),
        "{error}"
    );
    let error = read("controller: Supervisor(infrared: 7)").unwrap_err();
    assert!(error.contains("listens to sensor 7"), "{error}");
    let error = read("controller: Supervisor(infrared: 1)").unwrap_err();
    let path = "groups[0].controller.infrared: the controller listens to sensor 1, which is Encoders";
    assert!(error.contains(path) && error.contains("must be Infrared"), "{error}");
    let error = read("controller: Supervisor(odometry: 0)").unwrap_err();
    assert!(error.contains("groups[0].controller.odometry") && error.contains("must read three numbers"), "{error}");
    assert_eq!(read("controller: Supervisor(odometry: 2)"), Ok(()));
    assert_eq!(read("controller: Supervisor()"), Ok(()));
}
