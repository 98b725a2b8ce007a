use std::f64::consts::PI;

use bevy::math::DVec2;
use swarmarium_base::problem::{Problem, Problems, folded};
use swarmarium_base::variant::Variant;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::controller::Drive;
use swarmarium_core::controller::constant::Constant;
use swarmarium_core::driving::Keys;
use swarmarium_core::kind::{Family, Kinds, Slot};
use swarmarium_core::motion::differential_drive::DifferentialDrive;
use swarmarium_core::motion::moving::{Factor, MotionVariation};
use swarmarium_core::motion::stationary::Static;
use swarmarium_core::object;
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::region::{Area, Region};
use swarmarium_core::spawner::Facing;
use swarmarium_core::spawner::point::Point;
use swarmarium_core::spawner::table::{Table, TableRow};
use swarmarium_core::step::order::Order;
use swarmarium_kinds::controller::binary::Binary;
use swarmarium_kinds::controller::bits::{Bits, Entry};
use swarmarium_kinds::controller::human::Human;
use swarmarium_kinds::controller::levy::Levy;
use swarmarium_kinds::controller::table::Table as StateTable;
use swarmarium_kinds::controller::velocity::Velocity;
use swarmarium_kinds::controller::waypoint::Waypoint;
use swarmarium_kinds::metric::circliness::Circliness;
use swarmarium_kinds::metric::scatter::Scatter;
use swarmarium_kinds::noise::flip::Flip;
use swarmarium_kinds::noise::invert::Invert;
use swarmarium_kinds::sensor::binary_fov::BinaryFov;
use swarmarium_kinds::sensor::overlap::Overlap;
use swarmarium_kinds::sensor::targeter::Targeter;
use swarmarium_kinds::spawner::annulus::Annulus;
use swarmarium_kinds::spawner::polygon::Polygon;
use swarmarium_kinds::spawner::uniform_box::UniformBox;
use swarmarium_kinds::spawner::uniform_disc::UniformDisc;
use swarmarium_picture::camera::YAxis;
use swarmarium_scene::scene::description::{InitialReadings, OverlapResolution, RandomSource, Scene};
use swarmarium_simulation::{Recipe, Simulation};
use swarmarium_space::Boundary;
use swarmarium_space::Collides;

use super::{Imported, Options};

mod acting;
mod conditions;
mod languages;
mod spawners;

const TRACE02: &str = include_str!("../../tests/data/robotswarmsimulator/trace02_two_agents_fov.yaml");

fn recipe() -> Recipe {
    Recipe::bare().with(swarmarium_kinds::plugin)
}

fn simulation(scene: &Scene) -> Result<Simulation, Problems> {
    Simulation::with(scene, &recipe(), 1)
}

fn kinds() -> Kinds {
    recipe().kinds().clone()
}

/// Reads a world as a user sees it, with equal messages folded.
fn import_with(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    match super::import(kinds, source_name, text, options) {
        Ok(imported) => Ok(Imported { warnings: folded(imported.warnings), ..imported }),
        Err(Problems { source_name, problems }) => Err(Problems { source_name, problems: folded(problems) }),
    }
}

fn import(kinds: &Kinds, source_name: &str, text: &str) -> Result<Imported, Problems> {
    import_with(kinds, source_name, text, &Options::default())
}

fn world(rest: &str) -> String {
    format!("type: RectangularWorld\nseed: 1\n{rest}")
}

fn scene(text: &str) -> Scene {
    import(&kinds(), "w.yaml", text).unwrap_or_else(|problems| panic!("{problems}")).scene
}

fn warnings(text: &str) -> String {
    let warnings = import(&kinds(), "w.yaml", text).unwrap_or_else(|problems| panic!("{problems}")).warnings;
    lines(warnings)
}

fn lines(problems: Vec<Problem>) -> String {
    Problems { source_name: "w.yaml".into(), problems }.to_string()
}

fn problems(text: &str) -> String {
    import(&kinds(), "w.yaml", text).unwrap_err().to_string()
}

fn one<F: Family, K: Clone + 'static>(slot: &Slot<F>) -> K {
    slot.value().as_any().downcast_ref::<K>().unwrap().clone()
}

#[test]
fn carries_two_agents_over() {
    let imported = import(&kinds(), "dir/trace02_two_agents_fov.yaml", TRACE02).unwrap();
    let scene = imported.scene;
    assert_eq!(imported.warnings, []);
    assert_eq!(scene.name.as_str(), "trace02_two_agents_fov");
    assert_eq!(scene.seed, 1);
    assert_eq!(scene.time.dt_s, 1.0 / 40.0);
    assert_eq!(scene.arena.size_m, DVec2::splat(10.0));
    assert_eq!(scene.arena.boundary, Boundary::Open);
    assert_eq!(scene.order, Order::Sequential);
    assert_eq!(scene.initial_readings, InitialReadings::Zero);
    assert_eq!(scene.random_source, RandomSource::Classic);
    assert_eq!(scene.overlap_resolution, OverlapResolution::Classic);
    assert_eq!(scene.view.y_axis, YAxis::Down);
    let [a0, a1] = &scene.groups[..] else { panic!() };
    assert_eq!(a0.name.as_str(), "a0");
    assert_eq!(a1.name.as_str(), "a1");
    assert_eq!(a0.at, [Placement { x_m: 4.0, y_m: 5.0, heading_rad: 0.3 }]);
    assert_eq!(a1.at, [Placement { x_m: 5.2, y_m: 5.4, heading_rad: 2.4 }]);
    assert_eq!(a0.body.radius_m(), 0.1);
    let fov: BinaryFov = one(&a0.sensors[0]);
    assert_eq!(fov.range_m, 2.0);
    assert_eq!(fov.half_angle_rad, 0.45);
    assert_eq!(fov.bearing_rad, 0.0);
    assert!(!fov.sight.occlusion);
    let binary: Binary = one(&a0.controller);
    assert_eq!(binary.sensor, 0);
    assert_eq!(binary.clear.v_m_per_s, 0.27);
    assert_eq!(binary.clear.turn_rad_per_s, -0.6);
    assert_eq!(binary.detected.v_m_per_s, 0.27);
    assert_eq!(binary.detected.turn_rad_per_s, 0.6);
}

#[test]
fn follows_the_defaults_of_the_original() {
    let scene = scene(&world("agents: [{type: MazeAgent}, {type: MazeAgent, agent_radius: 0, name: my agent}]"));
    assert_eq!(scene.time.dt_s, 1.0 / 60.0);
    assert_eq!(scene.arena.size_m, DVec2::splat(5.0));
    let [first, second] = &scene.groups[..] else { panic!() };
    assert_eq!(first.name.as_str(), "agent");
    assert_eq!(second.name.as_str(), "my_agent");
    assert_eq!(first.at, [Placement::default()]);
    assert_eq!(first.body.radius_m(), 0.5);
    assert_eq!(second.body.radius_m(), 0.5);
    let constant: Constant = one(&first.controller);
    assert_eq!(constant.v_m_per_s, 0.0);
    assert_eq!(constant.turn_rad_per_s, 0.0);
}

#[test]
fn makes_names_unique() {
    let agents = "  - {type: MazeAgent, name: a}\n".repeat(3) + "  - {type: MazeAgent, name: a-2}\n";
    let names: Vec<_> = scene(&world(&format!("agents:\n{agents}"))).groups.into_iter().map(|g| g.name).collect();
    assert_eq!(names, ["a", "a-2", "a-3", "a-2-2"]);
}

#[test]
fn converts_degrees_of_theta_alone() {
    let sensor = |bias: &str| format!("{{type: BinaryFOVSensor, theta: 45, distance: 1, bias: {bias}, degrees: yes}}");
    let world = |bias: &str| world(&format!("agents: [{{type: MazeAgent, sensors: [{}]}}]", sensor(bias)));
    for (bias, bearing_rad) in [("1.5", 1.5), ("90", 90.0 - 28.0 * PI)] {
        let fov: BinaryFov = one(&scene(&world(bias)).groups[0].sensors[0]);
        assert_eq!(fov.half_angle_rad, 45f64.to_radians());
        assert!((fov.bearing_rad - bearing_rad).abs() < 1e-12, "{}", fov.bearing_rad);
    }
    assert!(warnings(&world("1.5")).is_empty() && warnings(&world("90")).contains("in radians"));
}

#[test]
fn targeters_find_names_as_python_compares_them() {
    let text = world(
        "agents:
- {type: MazeAgent, name: 1, sensors: [{type: Targeter, target_name: '1'}, {type: Targeter, target_name: 1}]}
- {type: MazeAgent, sensors: [{type: Targeter, target_name: agent}, {type: Targeter, target_name: a b}]}
- {type: MazeAgent, name: a b}
spawners:
- {type: PointAgentSpawner, n: 2, agent: {type: MazeAgent}}
- {type: PointAgentSpawner, n: 2, agent: {type: MazeAgent}}
",
    );
    let scene = scene(&text);
    let names = |group: usize, sensor: usize| {
        let targeter: Targeter = one(&scene.groups[group].sensors[sensor]);
        if targeter.names.is_empty() { vec![targeter.sight.name] } else { targeter.names }
    };
    assert_eq!(names(0, 0), ["spawned-1", "spawned-2-1"]);
    assert_eq!(names(0, 1), ["1"]);
    assert_eq!(names(1, 0), ["nothing called agent"]);
    assert_eq!(names(1, 1), ["a_b"]);
}

#[test]
fn warns_of_losses() {
    let text = "\
type: RectangularWorld
size: [10, 10]
sed: 4
padding: 15
show_walls: true
stop_at: 1000
metadata: {}
agents:
  - type: MazeAgent
    grounded: true
    collides: no
    delay: 2
  - type: MazeAgent
    collides: DetectAndCorrect
    delay: 0
    sensors:
      - {type: BinaryFOVSensor, theta: 1, distance: 1, fp: 0.1, false_negative: 0.1, invert: no, thetta: 3, seed: 5}
    controller: {type: BinaryController, a: [1, 2, 3, 4], sense_avg_time: 1}
";
    insta::assert_snapshot!(warnings(text), @"
    w.yaml:1:1: no `seed`: RobotSwarmSimulator takes a new one for every run; the scene has 1
    w.yaml:3:1: sed: unknown key, ignored; did you mean `seed`?
    w.yaml:4:1: padding: has no effect in RobotSwarmSimulator either
    w.yaml:5:1: show_walls: only changes how it is drawn, ignored
    w.yaml:10:5: agents[0].grounded: has no effect in RobotSwarmSimulator either
    w.yaml:17:56: agents[1].sensors[0].fp: has no effect in RobotSwarmSimulator either
    w.yaml:17:98: agents[1].sensors[0].thetta: unknown key, ignored; did you mean `theta`?
    w.yaml:17:109: agents[1].sensors[0].seed: ignored: seeds are drawn from that of the world, so that random numbers differ from those there
    w.yaml:18:45: agents[1].controller.a: the first half is for a detection, as in RobotSwarmSimulator; its documentation differs
    ");
    assert_eq!(scene(text).stop.steps, 1001);
    assert_eq!(scene(&world("stop_at: 'world.total_steps >= 5'")).stop.when, "(step >= 5)");
    insta::assert_snapshot!(
        warnings(&world("stop_at: 'world.spam >= 5'")),
        @"
    w.yaml:1:1: a world without agents: nothing in it moves
    w.yaml:3:10: stop_at: cannot be imported, ignored: `world.spam` has no counterpart
    "
    );
}

#[test]
fn import_reports_all_problems_at_once() {
    let text = "\
type: RectangularWorld
size: [10, -10]
time_step: 1e-3
seed: -1
agents:
  - type: MazeAgent
    position: [.nan, 0]
    angle: .inf
    agent_radius: -1
    sensors:
      - {type: BinaryFOVSensr}
      - {type: Targeter}
    controller: {type: BinaryController, a: 0.276, b: 0.602}
  - {type: DiffDriveAgent}
  - {type: Walrus}
  - {name: nobody}
  - 7
  - {type: MazeAgent, angle: !np np.foo(3), position: ['1', 0], controller: {type: Controller, controller: self}}
  - {type: MazeAgent, collides: Detects}
  - {type: MazeAgent, collides: 2}
spawners:
  - {type: PointAgentSpawner, n: 1000001, agent: {type: MazeAgent}, facing: sideways}
  - {type: UniformAgentSpawner, region: [[0, 0], [1, 1], [1, 0], [0, 1]], holes: [[2, 2]], agent: {type: MazeAgent}}
  - {type: UniformAgentSpawner, region: [[0, 0], [4, 0], [0, 4], [1, 0]], agent: {type: MazeAgent}}
  - {type: DonutAgentSpawner, inner_radius: 7, agent: {type: MazeAgent}}
  - {type: AgentSpawner}
  - {type: ExcelSpawner, agent: {type: MazeAgent}}
  - {type: ExcelSpawner, file_name: ../poses.csv, agent: {type: MazeAgent}}
metrics: [{type: Circlines}, {type: SensorRotation}]
objects:
  - {type: Rock}
  - {svg_to_static_objects: '<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>'}
  - {type: StaticObject, points: '<svg/>'}
  - {type: StaticObject, points: [[0, 0], [1, 1], [1, 0], [0, 1]]}
";
    insta::assert_snapshot!(problems(text), @"
    w.yaml:2:12: size[1]: expected a number > 0 and ≤ 1000000, found -10
    w.yaml:3:12: time_step: expected a number from 0.000001 to 10, found `1e-3`, which is a text in YAML 1.1: write `0.001`
    w.yaml:4:7: seed: expected a whole number from 0 to 18446744073709551615, found -1
    w.yaml:7:16: agents[0].position[0]: expected a number from -1000000 to 1000000, found .nan
    w.yaml:8:12: agents[0].angle: expected a finite number, found .inf
    w.yaml:9:19: agents[0].agent_radius: expected a number from 0 to 1000000, found -1
    w.yaml:16:5: agents[3]: the `type` of the agent is missing: can be `MazeAgent`, `StaticAgent`, `Agent`, `UnicycleAgent`, `DiffDriveAgent`, `DifferentialDriveAgent`, `DroneAgent`, `StaticObject`, `DetectionRegion`
    w.yaml:17:5: agents[4]: expected a map, found 7
    w.yaml:18:30: agents[5].angle: expected a finite number, found the expression `np.foo(3)`, which has no value here
    w.yaml:18:77: agents[5].controller: the controller needs a sensor, but the agent has none
    w.yaml:19:33: agents[6].collides: expected `Disabled` (0, false), `Detect` (1, true) or `DetectAndCorrect` (3); did you mean `Detect`?
    w.yaml:20:33: agents[7].collides: expected `Disabled` (0, false), `Detect` (1, true) or `DetectAndCorrect` (3)
    w.yaml:22:34: spawners[0].n: expected a whole number from 0 to 1000000, found 1000001
    w.yaml:22:77: spawners[0].facing: expected `random`, `towards`, `away`, a heading or a point `[x, y]`
    w.yaml:23:41: spawners[1].region: `holes_m[0]` is not a simple polygon: it needs at least three corners, and edges must not meet
    w.yaml:24:41: spawners[2].region: `corners_m` is not a simple polygon: it needs at least three corners, and edges must not meet
    w.yaml:25:5: spawners[3]: `inner_radius_m` must not be above `outer_radius_m`, found 7 and 6
    w.yaml:27:5: spawners[5]: `file_name` is missing
    w.yaml:28:37: spawners[6].file_name: there is no file `../poses.csv`
    w.yaml:33:34: objects[2].points: expected a drawing of one outline, found 0
    w.yaml:34:34: objects[3].points: the outline is not a simple polygon: its edges cross or touch
    ");
}

#[test]
fn carries_objects_and_hulls_over() {
    let scene = scene(&world(
        r##"
metadata: {hash: abc, by: {name: K}}
background_color: [16, 32, 48]
agents:
  - {type: StaticAgent, name: block, position: [1, 2], points: [[0, 0], [2, 0], [2, 2], [0, 2]], anchor_point: centroid inplace}
  - {type: DetectionRegion, name: gate, position: [3, 3], target_teams: [red], target_name: block}
objects:
  - {type: DetectionRegion, name: gate, position: [3, 3], target_teams: [red], target_name: block}
  - {type: StaticObject, position: [4, 4], agent_radius: 0.3, body_color: [255, 0, 1], team: blue}
  - {type: StaticObject, position: [5, 5], angle: 1.5707963267948966, points: [[0, 0], [2, 0], [0, 1]], body_filled: true, body_color: Random}
  - svg_to_static_objects: '<svg><g id="wall"><rect x="1" y="2" width="3" height="4" fill="#008000"/></g><path d="M0 0"/></svg>'
"##,
    ));
    let [block, gate] = &scene.groups[..] else { panic!() };
    assert!(block.motion.value().is::<Static>());
    assert_eq!(block.at[0].x_m, 2.0);
    assert_eq!(block.at[0].y_m, 3.0);
    assert_eq!(block.body.shift_m(), DVec2::splat(-1.0));
    assert_eq!(scene.objects.len(), 4);
    assert_eq!(scene.arena.background, "#102030");
    let notes: Vec<_> = scene.metadata.iter().map(|note| (note.name.as_str(), note.text.as_str())).collect();
    assert_eq!(notes, [("hash", "abc"), ("by.name", "K")]);
    let disc: Disc = one(&scene.objects[1]);
    assert_eq!(disc, Disc { center_m: DVec2::splat(4.0), radius_m: 0.3 });
    let presence = scene.objects[1].common();
    assert_eq!(presence.color.as_str(), "#ff0001");
    assert_eq!(presence.team.as_str(), "blue");
    assert!(!presence.filled);
    assert!(!presence.blocks && !presence.sensed);
    let turned: object::polygon::Polygon = one(&scene.objects[2]);
    assert!(turned.corners_m[1].distance(DVec2::new(5.0, 7.0)) < 1e-12 && scene.objects[2].common().filled);
    assert_eq!(scene.objects[2].common().color, "random");
    let drawn: object::polygon::Polygon = one(&scene.objects[3]);
    assert_eq!(drawn.corners_m[2], DVec2::new(4.0, 6.0));
    assert_eq!(scene.objects[3].common().team.as_str(), "wall");
    assert_eq!(scene.objects[3].common().color.as_str(), "#008000");
    assert_eq!(gate.collides, Collides::Detect);
    assert_eq!(gate.body.radius_m(), 0.5);
    let overlap: Overlap = one(&gate.sensors[0]);
    assert_eq!(overlap.teams, vec!["red".to_owned()]);
    assert_eq!(overlap.names, vec!["block".to_owned()]);
    let gate: Region = one(&scene.objects[0]);
    assert_eq!(gate.area, Area::Disc { center_m: DVec2::splat(3.0), radius_m: 0.5 });
    assert_eq!(gate.teams, vec!["red".to_owned()]);
    assert_eq!(gate.group.as_str(), "block");
}

#[test]
fn collision_modes_carry_over() {
    let values = ["DetectAndCorrect", "3", "Detect", "[1]", "true", "Disabled", "0", "no", "~"];
    let agents = values.map(|value| format!("  - {{type: MazeAgent, collides: {value}}}\n")).concat();
    let classes =
        ["StaticAgent", "StaticObject", "DetectionRegion"].map(|class| format!("  - {{type: {class}}}\n")).concat();
    let found = scene(&world(&format!("agents:\n{agents}{classes}")))
        .groups
        .iter()
        .map(|group| group.collides)
        .collect::<Vec<_>>();
    use Collides::{Detect, Off, Push};
    assert_eq!(found, [Push, Push, Detect, Detect, Detect, Off, Off, Off, Push, Push, Detect, Detect]);
}

#[test]
fn regions_look_for_names_of_the_file() {
    let text = world(
        "agents:
  - {type: MazeAgent, name: my robot}
  - {type: MazeAgent, name: my robot}
  - {type: MazeAgent}
  - {type: DetectionRegion, target_name: my robot, target_teams: ab}
  - {type: DetectionRegion, target_name: '2'}
spawners:
  - {type: PointAgentSpawner, n: 3, agent: {type: MazeAgent}}
  - {type: PointAgentSpawner, n: 2, avoid_overlap: true, agent: {type: DetectionRegion, name: zone}}
",
    );
    let scene = scene(&text);
    let [shared, numbered] = [3, 4].map(|group: usize| one::<_, Overlap>(&scene.groups[group].sensors[0]));
    assert_eq!(shared.names, ["my_robot", "my_robot-2"]);
    assert_eq!(shared.teams, vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(numbered.names, vec!["spawned-2".to_owned()]);
    let zone = &scene.groups[6];
    assert_eq!(zone.name.as_str(), "zone");
    assert_eq!(zone.count, 2);
    assert!(!zone.spawn.common().avoid_overlap);
}

#[test]
fn external_programs_replace_the_classes_of_users() {
    let text = world(
        "agents:
  - {type: MazeAgent, name: a, sensors: [{type: Echo, range: {far: 2}}, {type: BinaryFOVSensor, theta: 1, distance: 1}], controller: {type: Swerve, gain: [1, 2]}}
  - {type: Walrus, name: b, position: [1, 2], tusks: 2, controller: {type: StaticController, output: [1, 0]}}
  - {type: DroneAgent, name: c, controller: {type: BinaryControler}}
",
    );
    insta::assert_snapshot!(warnings(&text), @"
    w.yaml:4:49: agents[0].sensors[0]: RobotSwarmSimulator has no sensor `Echo`. It is read as a Python class: an external program writes its reading with the service `write`; its parameters are in `metadata`
    w.yaml:4:141: agents[0].controller: RobotSwarmSimulator has no controller `Swerve`. It is read as a Python class: an external program controls the agent through its component `controller`; its parameters are in `metadata`
    w.yaml:5:12: agents[1]: RobotSwarmSimulator has no agent `Walrus`. It is read as a Python class: it moves as a `MazeAgent` that an external program controls through its component `controller`; its other parameters are in `metadata`
    w.yaml:6:5: agents[2]: a `DroneAgent` crashes in RobotSwarmSimulator; its numbers are taken per second
    w.yaml:6:52: agents[2].controller: RobotSwarmSimulator has no controller `BinaryControler`; did you mean `BinaryController`? It is read as a Python class: an external program controls the agent through its component `controller`; its parameters are in `metadata`
    ");
    let scene = scene(&text);
    assert_eq!(scene.sockets.services, 4000);
    assert_eq!(scene.sockets.all, 4001);
    assert_eq!(scene.time.pacing.sync_port(), Some(6000));
    let notes: Vec<_> = scene.metadata.iter().map(|note| format!("{}: {}", note.name, note.text)).collect();
    insta::assert_snapshot!(notes.join("\n"), @"
    a.controller.type: Swerve
    a.controller.gain.0: 1
    a.controller.gain.1: 2
    a.sensor_0.type: Echo
    a.sensor_0.range.far: 2
    a.config.type: MazeAgent
    a.config.name: a
    b.type: Walrus
    b.tusks: 2
    b.controller.type: StaticController
    b.controller.output.0: 1
    b.controller.output.1: 0
    b.config.type: Walrus
    b.config.name: b
    b.config.position.0: 1
    b.config.position.1: 2
    b.config.tusks: 2
    c.controller.type: BinaryControler
    c.config.type: DroneAgent
    c.config.name: c
    ");
    let components = simulation(&scene).unwrap().components();
    let names: Vec<_> = components.iter().map(|component| format!("{} {}", component.name, component.kind)).collect();
    assert_eq!(
        names,
        [
            "a.sensor_0 External",
            "a.sensor_1 BinaryFov",
            "a.pose Pose",
            "a.controller MotionVw",
            "b.pose Pose",
            "b.controller MotionVw",
            "c.pose Pose",
            "c.controller MotionXyw",
        ]
    );
}

#[test]
fn checks_defaults_of_the_original_too() {
    let text = world("agents: [{type: MazeAgent, sensors: [{type: BinaryFOVSensor, distance: 1}]}]");
    let fov: BinaryFov = one(&scene(&text).groups[0].sensors[0]);
    // At an angle of 10 rad, the edges have changed sides, and only the direction straight ahead is not seen.
    assert!((fov.half_angle_rad - (4.0 * PI - 10.0)).abs() < 1e-12 && fov.bearing_rad == PI);
    insta::assert_snapshot!(
        warnings(&text),
        @"w.yaml:3:38: agents[0].sensors[0]: `theta` is 10, more than half a turn: taken as what that sees there, 2.566 to each side of 3.142; the edges differ by a radius"
    );
}

#[test]
fn refuses_other_files() {
    insta::assert_snapshot!(
        problems("services: {web: {image: x}}"),
        @"w.yaml:1:1: the `type` of the world is missing: a file with `services` can only be a part of one that includes it"
    );
    insta::assert_snapshot!(problems("[1, 2]"), @"w.yaml:1:1: not a world: expected a map with `type: RectangularWorld`");
    let template = problems("# say <{ name.x }>\ntype: RectangularWorld\n");
    assert!(template.starts_with("w.yaml:1:10: template: the variable `name` has no value"), "{template}");
    insta::assert_snapshot!(
        problems("type: RectangularWorld\nagents:\n  - !include a.yaml\n"),
        @"w.yaml:3:5: there is no file `a.yaml`"
    );
    insta::assert_snapshot!(import(&Kinds::default(), "w.yaml", TRACE02).unwrap_err(), @"
    w.yaml:6:5: agents[0]: this program was built without the motion `Unicycle` (and 1 more like this)
    w.yaml:12:9: agents[0].sensors[0]: this program was built without the sensor `BinaryFov` (and 1 more like this)
    ");
}

#[test]
fn sensors_keep_their_period_and_their_errors() {
    let sensor = "{type: BinaryFOVSensor, theta: 1, distance: 1, time_step_between_sensing: 4, false_positive: 0.1, \
                  false_negative: 0.2, invert: yes}";
    let scene = scene(&world(&format!("time_step: 0.05\nagents: [{{type: MazeAgent, sensors: [{sensor}]}}]")));
    let sensing = scene.groups[0].sensors[0].common();
    assert_eq!(sensing.rate_hz, 5.0);
    assert_eq!(sensing.phase_s, 0.2);
    let [flip, invert] = &sensing.noise[..] else { panic!() };
    assert_eq!(one::<_, Flip>(flip), Flip { false_positive: 0.1, false_negative: 0.2 });
    assert_eq!(one::<_, Invert>(invert), Invert {});
}
