//! Agents, groups and objects that come and go, and robots with which something goes wrong.

use swarmarium_core::agent::failure::Failure;
use swarmarium_formats::standard::FromScene as _;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::Simulation;
use swarmarium_simulation::edit::{Edit, parts};

use crate::support::edits::{add, fault, remove, set, spawn};
use crate::support::{hashes, scene_of, simulation_of};

const TWO: &str = "(name: \"a\", at: [(1.0, 1.0, 0.0), (3.0, 1.0, 0.0)], sensors: [BinaryFov(range_m: 5.0)])";

fn names(simulation: &Simulation) -> Vec<String> {
    simulation.agents().map(|agent| agent.name()).collect()
}

fn text(simulation: &Simulation, scene: &Scene) -> String {
    write(simulation.kinds(), scene, Style::Full)
}

fn refused(simulation: &mut Simulation, edit: Edit) -> String {
    let hash = simulation.hash();
    let message = simulation.apply(edit).unwrap_err().to_string();
    assert_eq!(simulation.hash(), hash);
    message
}

#[test]
fn a_spawned_agent_exists_at_once_and_after_a_reset() {
    for group in [TWO, "(name: \"a\", count: 2, spawn: UniformBox(), sensors: [BinaryFov()])"] {
        let mut simulation = simulation_of(&format!("(groups: [{group}])"));
        simulation.step(3);
        simulation.apply(spawn("a", 7.0)).unwrap();
        assert_eq!(names(&simulation), ["a-0", "a-1", "a-2"]);
        let newcomer = simulation.agent(2).unwrap();
        assert_eq!(newcomer.pose.position_m.x, 7.0);
        assert_eq!(newcomer.readings().count(), 1);
        assert!(newcomer.readings().all(|reading| reading.len() == 1), "it has read already");
        simulation.step(5);
        let again = Simulation::new(simulation.scene()).unwrap();
        assert_eq!(again.agents().count(), 3);
        assert!(again.agents().any(|agent| agent.pose.position_m.x == 7.0));
        let back = reader::read::<Scene>(simulation.kinds(), "t", &text(&simulation, simulation.scene())).unwrap();
        assert_eq!(text(&simulation, &back), text(&simulation, simulation.scene()));
    }
}

#[test]
fn explicit_poses_precede_those_of_a_spawner() {
    let simulation = simulation_of(
        "(groups: [(name: \"a\", count: 2, spawn: Point(position_m: (9.0, 9.0)), also_at: [(1.0, 2.0, 0.5)])])",
    );
    assert_eq!(simulation.agents().count(), 3);
    let first = simulation.agent(0).unwrap().pose;
    assert_eq!(first.position_m.x, 1.0);
    assert_eq!(first.position_m.y, 2.0);
    assert_eq!(first.heading_rad, 0.5);
}

#[test]
fn a_removed_agent_loses_its_pose_and_its_number_is_not_reused() {
    let mut simulation = simulation_of(&format!("(groups: [{TWO}])"));
    simulation.apply(spawn("a", 7.0)).unwrap();
    simulation.apply(remove("agents.1")).unwrap();
    assert_eq!(names(&simulation), ["a-0", "a-2"]);
    let at: Vec<f64> = simulation.scene().groups[0].at.iter().map(|pose| pose.x_m).collect();
    assert_eq!(at, [1.0, 7.0]);
    simulation.apply(spawn("a", 8.0)).unwrap();
    assert_eq!(simulation.agents().last().unwrap().id.index(), 3);
    simulation.step(2);
    simulation.apply(remove("agents[2]")).unwrap();
    let at: Vec<f64> = simulation.scene().groups[0].at.iter().map(|pose| pose.x_m).collect();
    assert_eq!(at, [1.0, 8.0]);
    for agent in [0, 3] {
        simulation.apply(remove(&format!("agents.{agent}"))).unwrap();
    }
    simulation.step(2);
    assert_eq!(simulation.agents().count(), 0);
    assert_eq!(Simulation::new(simulation.scene()).unwrap().agents().count(), 0, "the spawner is not back");
}

#[test]
fn removing_a_spawned_agent_lowers_the_count() {
    let mut simulation = simulation_of("(groups: [(name: \"a\", count: 3, spawn: UniformBox())])");
    simulation.apply(remove("agents.0")).unwrap();
    assert_eq!(simulation.agents().count(), 2);
    assert_eq!(simulation.scene().groups[0].count, 2);
    assert_eq!(names(&simulation), ["a-1", "a-2"]);
}

#[test]
fn population_edits_leave_constants_alone() {
    let mut simulation = simulation_of(
        "(constants: [(name: \"N\", value: 3)], groups: [(name: \"a\", count: N, spawn: UniformBox()),
            (name: \"b\", count: N, spawn: UniformBox())])",
    );
    simulation.apply(remove("agents.0")).unwrap();
    let counts: Vec<u32> = simulation.scene().groups.iter().map(|group| group.count).collect();
    assert_eq!(counts, [2, 3]);
}

#[test]
fn groups_and_objects_are_added_as_a_scene_writes_them() {
    let mut simulation = simulation_of(&format!("(groups: [{TWO}])"));
    simulation.step(4);
    simulation.apply(add("groups", "(name: \"b\", robot: \"epuck\", count: 3, spawn: UniformBox())")).unwrap();
    assert_eq!(simulation.agents().count(), 5);
    simulation.apply(spawn("b", 5.0)).unwrap();
    simulation.apply(set("groups.b.look.color", "orange")).unwrap();
    simulation.apply(Edit::Move { agent: 5, x_m: 2.0, y_m: 2.0, heading_rad: 0.0 }).unwrap();
    simulation.apply(remove("agents.2")).unwrap();
    simulation.apply(add("objects", "Disc(center_m: (4.0, 4.0), radius_m: 0.5)")).unwrap();
    simulation
        .apply(add("objects", "Disc(center_m: (6, 6), radius_m: 0.5, motion: Unicycle(), sensors: [Proximity()])"))
        .unwrap();
    simulation.apply(Edit::MoveObject { object: 1, x_m: 7.0, y_m: 7.0, heading_rad: 1.0 }).unwrap();
    simulation.step(3);
    assert_eq!(simulation.agents().count(), 5);
    assert_eq!(simulation.scene().objects.len(), 2);
    let snapshot = simulation.snapshot();
    let ahead = hashes(&mut simulation, 20);
    let mut other = simulation_of(&format!("(groups: [{TWO}])"));
    other.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut other, 20), ahead, "another simulation of the start goes on from there");
}

#[test]
fn a_removed_object_leaves_the_indices_of_the_others() {
    let objects = "Disc(center_m: (4.0, 4.0), radius_m: 0.5, motion: Unicycle(), sensors: [Proximity()]),
        Disc(center_m: (6.0, 4.0), radius_m: 0.5), Light(position_m: (1.0, 1.0))";
    let mut simulation = simulation_of(&format!("(groups: [{TWO}], objects: [{objects}])"));
    simulation.step(2);
    simulation.apply(remove("objects.0")).unwrap();
    simulation.apply(remove("objects.2")).unwrap();
    simulation.apply(set("objects.1.radius_m", "0.7")).unwrap();
    simulation.step(2);
    let scene = simulation.scene();
    assert_eq!(scene.objects.len(), 3);
    assert!(scene.is_gone(0));
    assert!(!scene.is_gone(1));
    assert!(scene.is_gone(2));
    assert_eq!(scene.clone().for_file().objects.len(), 1);
    assert_eq!(refused(&mut simulation, remove("objects.0")), "there is no object 0");
    assert!(
        refused(&mut simulation, Edit::MoveObject { object: 1, x_m: 0.0, y_m: 0.0, heading_rad: 0.0 })
            .contains("objects.1.center_m")
    );
    let snapshot = simulation.snapshot();
    let ahead = hashes(&mut simulation, 10);
    let mut other = Simulation::new(&scene_of(&format!("(groups: [{TWO}], objects: [{objects}])"))).unwrap();
    other.step(1);
    other.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut other, 10), ahead);
}

#[test]
fn a_frozen_robot_moves_again_after_repair() {
    for order in ["Simultaneous", "Sequential"] {
        let mut simulation = simulation_of(&format!(
            "(order: {order}, groups: [(name: \"a\", at: [(1.0, 1.0, 0.0)], controller: Constant(v_m_per_s: 1.0))])"
        ));
        let x = |simulation: &Simulation| simulation.agent(0).unwrap().pose.position_m.x;
        simulation.apply(fault(0, Failure::Motors, true)).unwrap();
        simulation.step(10);
        assert_eq!(x(&simulation), 1.0);
        simulation.apply(fault(0, Failure::Motors, false)).unwrap();
        simulation.step(10);
        assert!(x(&simulation) > 1.2);
        simulation.apply(fault(0, Failure::Total, true)).unwrap();
        simulation.step(1);
        let dead = x(&simulation);
        simulation.step(10);
        assert_eq!(x(&simulation), dead);
        simulation.apply(fault(0, Failure::Total, false)).unwrap();
        simulation.step(10);
        assert!(x(&simulation) > dead && !simulation.agent(0).unwrap().is_dead());
    }
}

#[test]
fn a_blind_robot_reads_nothing() {
    for order in ["Simultaneous", "Sequential"] {
        let mut simulation = simulation_of(&format!("(order: {order}, groups: [{TWO}])"));
        let reading = |simulation: &Simulation| simulation.agent(0).unwrap().readings().flatten().sum::<f64>();
        simulation.step(1);
        assert_eq!(reading(&simulation), 1.0, "it has the other one in sight");
        simulation.apply(fault(0, Failure::Sensors, true)).unwrap();
        simulation.step(2);
        assert_eq!(reading(&simulation), 0.0);
        simulation.apply(fault(0, Failure::Sensors, false)).unwrap();
        simulation.step(1);
        assert_eq!(reading(&simulation), 1.0);
    }
}

#[test]
fn a_deaf_robot_hears_nothing_and_is_still_heard() {
    let radio = "radio: (loss: Perfect(), schedule: Periodic(period_s: 0.1))";
    let mut simulation = simulation_of(&format!(
        "(groups: [(name: \"a\", at: [(1.0, 1.0, 0.0), (2.0, 1.0, 0.0)], motion: Holonomic(), controller: Formation(),
            {radio})], faults: [(at_s: 1.0, target: \"a-0\", failure: Receiver)])"
    ));
    let heard =
        |simulation: &Simulation, agent: u32| simulation.agent(agent).unwrap().radio().unwrap().2.packets().len();
    simulation.step(30);
    assert_eq!([heard(&simulation, 0), heard(&simulation, 1)], [1, 1]);
    simulation.step(30);
    assert_eq!([heard(&simulation, 0), heard(&simulation, 1)], [0, 1]);
    simulation.apply(fault(0, Failure::Receiver, false)).unwrap();
    simulation.step(30);
    assert_eq!(heard(&simulation, 0), 1);
}

#[test]
fn bad_spawns_removals_and_faults_are_refused() {
    let mut simulation = simulation_of(&format!("(groups: [{TWO}], objects: [Disc()])"));
    simulation.step(1);
    let mut refused = |edit| refused(&mut simulation, edit);
    assert_eq!(refused(spawn("aa", 1.0)), "there is no group `aa`");
    assert!(refused(spawn("a", f64::NAN)).contains("finite"));
    assert!(refused(spawn("a", 1e9)).contains("at most 1000000 m"));
    assert_eq!(refused(remove("agents.7")), "there is no agent 7");
    assert_eq!(refused(remove("agents.x")), "there is no agent x");
    assert_eq!(refused(remove("objects.3")), "there is no object 3");
    assert!(refused(remove("groups.a")).contains("with a restart"));
    assert!(refused(remove("groups.a.sensors.0")).contains("with a restart"));
    assert!(refused(remove("seed")).contains("agents.17, objects.3 or metrics.0"));
    assert!(refused(add("metrics", "Scater()")).contains("did you mean `Scatter`"));
    assert!(refused(add("groups", "(name: \"a\")")).contains("is taken by groups[0]"));
    assert!(refused(add("groups", "(name: \"c\", count: 2000000)")).contains("groups[1].count"));
    assert!(refused(add("groups", "(name: \"c\", count: 999999)")).contains("at most 1000000 agents"));
    assert!(refused(add("groups", "(name: \"c\", cuont: 1)")).contains("did you mean `count`"));
    assert!(refused(add("objects", "Disk()")).contains("did you mean `Disc`"));
    assert!(refused(add("objects", "Disc(radius_m: -1)")).starts_with("objects[1].radius_m"));
    assert!(refused(add("objects", "Disc(), Disc()")).contains("name one object"));
    assert!(refused(Edit::MoveObject { object: 5, x_m: 0.0, y_m: 0.0, heading_rad: 0.0 }).contains("no object 5"));
    assert_eq!(refused(fault(9, Failure::Total, true)), "there is no agent 9");
    assert_eq!(refused(fault(0, Failure::Receiver, true)), "agent 0 has no radio");
}

#[test]
fn removed_robots_lose_their_faults() {
    let mut simulation = simulation_of(
        "(groups: [(name: \"a\", count: 3, spawn: UniformBox())],
          faults: [(at_s: 0.1, target: \"a-2\", failure: Motors), (at_s: 9.0, target: \"a\", failure: Total)])",
    );
    simulation.apply(remove("agents.0")).unwrap();
    let who: Vec<&str> = simulation.scene().faults.iter().map(|fault| fault.target.as_str()).collect();
    assert_eq!(who, ["a"]);
    assert_eq!(Simulation::new(simulation.scene()).unwrap().agents().count(), 2);
    simulation.step(20);
    assert!(simulation.agent(2).unwrap().has(Failure::Motors), "in this run, nothing else has changed");
}

#[test]
fn several_faults_in_one_step_equal_single_faults() {
    for order in ["Simultaneous", "Sequential"] {
        let group = "count: 8, spawn: UniformBox(), radio: (loss: Disc(range_m: 5.0)), sensors: [Proximity()]";
        let text = format!("(order: {order}, groups: [(name: \"a\", {group})])");
        let [mut together, mut alone] = [(); 2].map(|()| simulation_of(&text));
        together.step(10);
        alone.step(10);
        let mut edits = vec![fault(6, Failure::Total, true), fault(6, Failure::Total, false)];
        for agent in 0..4 {
            edits.push(Edit::Move { agent, x_m: 3.0 + f64::from(agent), y_m: 4.0, heading_rad: 1.0 });
            edits.push(fault(agent, Failure::Total, true));
            edits.push(fault(4, Failure::ALL[agent as usize], true));
        }
        edits.push(set("groups.a.body.radius_m", "0.2"));
        edits.push(fault(1, Failure::Total, false));
        for edit in edits {
            together.apply(edit.clone()).unwrap();
            alone.apply(edit).unwrap();
            alone.flush_edits();
        }
        assert_eq!(hashes(&mut together, 20), hashes(&mut alone, 20), "{order}");
    }
}

#[test]
fn removed_constants_and_controls_leave_the_others() {
    let mut simulation = simulation_of(
        "(constants: [(name: \"N\", value: 2), (name: \"M\", value: 3), (name: \"RANGE\", value: 2.5)],
          controls: [(of: \"N\"), (of: \"M\"), (of: \"groups.0.sensors.0.range_m\"), (of: \"groups.b.count\")],
          groups: [(name: \"a\", count: N, sensors: [BinaryFov(range_m: RANGE)]), (name: \"b\", count: M)])",
    );
    let of = |simulation: &Simulation| -> Vec<String> {
        simulation.scene().controls.iter().map(|control| control.of.clone()).collect()
    };
    simulation.apply(remove("controls.3")).unwrap();
    assert_eq!(of(&simulation), ["N", "M", "groups.0.sensors.0.range_m"]);
    simulation.apply(remove("controls.1")).unwrap();
    assert_eq!(of(&simulation), ["N", "groups.0.sensors.0.range_m"]);
    simulation.apply(remove("constants.0")).unwrap();
    let names: Vec<&str> = simulation.scene().constants.iter().map(|constant| constant.name.as_str()).collect();
    assert_eq!(names, ["M", "RANGE"]);
    assert_eq!(of(&simulation), ["groups.0.sensors.0.range_m"], "the control of the constant goes with it");
    assert_eq!(simulation.scene().groups[0].count, 2, "the parameter keeps its value");
}

#[test]
fn a_scene_has_at_most_six_controls() {
    let control = "(of: \"groups.a.count\")";
    let mut simulation = simulation_of(&format!("(controls: [{}], groups: [(name: \"a\")])", [control; 6].join(", ")));
    let refused = refused(&mut simulation, add("controls", control));
    assert!(refused.contains("at most 6 controls"), "{refused}");
    assert_eq!(simulation.scene_ahead().controls.len(), 6);
}

#[test]
fn sensors_and_metrics_are_removed_with_a_restart() {
    let mut simulation = simulation_of(
        "(groups: [(name: \"a\", sensors: [BinaryFov(), Proximity()])], metrics: [Scatter(), Collisions()],
          objects: [Disc(sensors: [Proximity()])])",
    );
    for path in ["groups.a.sensors.0", "groups.0.sensors.1", "metrics.0"] {
        let refused = refused(&mut simulation, remove(path));
        assert_eq!(refused, format!("`{path}` can only be removed with a restart"));
        let mut scene = simulation.scene().clone();
        parts::change(simulation.kinds(), &mut scene, &remove(path)).unwrap();
        assert_ne!(text(&simulation, &scene), text(&simulation, simulation.scene()));
    }
    // Sensors of objects take effect at a restart as a whole.
    simulation.apply(remove("objects.0.sensors.0")).unwrap();
    simulation.apply(set("groups.a.sensors.1.range_m", "0.7")).unwrap();
    simulation.step(1);
    assert_eq!(simulation.scene().groups[0].sensors.len(), 2);
}

#[test]
fn a_sensor_that_a_controller_needs_stays() {
    let simulation = simulation_of(
        "(groups: [(name: \"a\", sensors: [BinaryFov(), BinaryFov(), Proximity()], controller: Binary(sensor: 1))])",
    );
    let removed = |place: usize| {
        let mut scene = simulation.scene().clone();
        parts::change(simulation.kinds(), &mut scene, &remove(&format!("groups.a.sensors.{place}")))
            .map(|()| write(simulation.kinds(), &scene.groups[0].controller, Style::Full))
            .map_err(|problem| problem.to_string())
    };
    assert!(removed(2).unwrap().contains("sensor: 1"));
    assert!(removed(0).unwrap().contains("sensor: 0"));
    let refused = removed(1).unwrap_err();
    assert!(refused.contains("controller.sensor") && refused.contains("uses this sensor"), "{refused}");
}
