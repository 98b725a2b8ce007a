//! Sim.I.Am: closed loops recorded on pySimiam, and what its courses asked for.

use std::fs;

use roxmltree::{Document, Node};
use serde_json::Value;
use swarmarium::controller::supervisor::{Mind, Supervisor, shipped};
use swarmarium::prelude::*;
use swarmarium::scene::reader;

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

fn attribute(node: Node, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Node<'a, 'a> {
    node.children().find(|child| child.has_tag_name(name)).unwrap()
}

/// The scene of a recorded world.
fn world(name: &str) -> Scene {
    let text = fs::read_to_string(format!("tests/data/simiam/traces/worlds/{name}")).unwrap();
    let document = Document::parse(&text).unwrap();
    let all = |name: &'static str| document.root_element().children().filter(move |child| child.has_tag_name(name));
    let pose = |node: Node| ["x", "y", "theta"].map(|name| attribute(node, name));
    let mut groups = String::new();
    for (index, robot) in all("robot").enumerate() {
        let class = child(robot, "supervisor").attribute("type").unwrap();
        let (supervisor, more) = match class {
            "K3DefaultSupervisor" => ("k3-default", ""),
            "K3BlendingSupervisor" => ("k3-blending", ""),
            "K3FullSupervisor" => ("k3-full", ""),
            "QuickBotDefaultSupervisor" => ("quickbot-default", ""),
            // The only one that does not see to it that wheels turn fast enough.
            "week2_solved.QuickBotSupervisor2" => (
                "quickbot-go-to-angle",
                "motion: DifferentialDrive(axle_m: 0.09925, max_wheel_m_per_s: 0.4424409653805625, wheel_radius_m: 0.0325),",
            ),
            "week4.QBAvoidSupervisor" => ("quickbot-avoid", ""),
            "week6.QBWallSupervisor" => ("quickbot-wall", ""),
            other => panic!("{other}"),
        };
        let kind = robot.attribute("type").unwrap().to_lowercase();
        let [x, y, theta] = pose(child(robot, "pose"));
        groups += &format!(
            "(name: \"r{index}\", robot: \"{kind}\", supervisor: \"{supervisor}\", {more} at: [({x:?}, {y:?}, {theta:?})]),"
        );
    }
    let mut objects = String::new();
    for obstacle in all("obstacle") {
        let [x, y, theta] = pose(child(obstacle, "pose"));
        let corners = child(obstacle, "geometry").children().filter(|point| point.has_tag_name("point")).map(|point| {
            let corner = DVec2::new(attribute(point, "x"), attribute(point, "y"));
            let DVec2 { x, y } = DVec2::new(x, y) + DVec2::new(theta.cos(), theta.sin()).rotate(corner);
            format!("({x:?}, {y:?})")
        });
        objects += &format!("Polygon(corners_m: [{}]),", corners.collect::<Vec<_>>().join(", "));
    }
    scene(&format!("time: (dt_s: 0.02), proximity: Classic, groups: [{groups}], objects: [{objects}]"))
}

fn scene(text: &str) -> Scene {
    reader::read(Recipe::standard().kinds(), "simiam.ron", &format!("({text})"))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn mind<'a>(simulation: &'a Simulation, agent: u32) -> &'a Mind {
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
        // What moved in the recorded step moves in ours of the step before.
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
            let turned = (pose.heading_rad - wanted[2]).sin().abs();
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
fn recorded_loops_come_again() {
    for entry in fs::read_dir("tests/data/simiam/traces").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            agrees(path.file_stem().unwrap().to_str().unwrap());
        }
    }
}

#[test]
fn every_supervisor_that_comes_with_the_program_is_sound() {
    use swarmarium::scene::presets::{SUPERVISORS, about};
    let kinds = Recipe::standard().kinds().clone();
    let mut names = Vec::new();
    for (name, text) in SUPERVISORS.all() {
        let supervisor = shipped(&kinds, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(supervisor.problem(), None, "{name}");
        assert!(!about(text).is_empty(), "{name}");
        names.push(name);
    }
    assert_eq!(names.len(), 11);
    assert!(shipped(&kinds, "k3-defualt").unwrap_err().contains("did you mean `k3-default`?"));
}

#[test]
fn a_group_changes_what_it_writes_of_its_supervisor() {
    let scene = scene(
        "groups: [(name: \"r\", robot: \"khepera3\", supervisor: \"k3-full\",
            controller: Supervisor(goal_m: (2.0, 1.0)), at: [(0.0, 0.0, 0.0)])]",
    );
    let supervisor = scene.groups[0].controller.value().downcast_ref::<Supervisor>().unwrap();
    let shipped = shipped(Recipe::standard().kinds(), "k3-full").unwrap();
    assert_eq!(*supervisor, Supervisor { goal_m: DVec2::new(2.0, 1.0), ..shipped });
}
