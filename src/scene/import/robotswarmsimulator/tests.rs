use std::f64::consts::PI;

use bevy::math::DVec2;

use super::super::import;
use crate::agent::motion::differential_drive::DifferentialDrive;
use crate::agent::motion::moving::{Factor, Idiosyncrasy};
use crate::agent::motion::stationary::Static;
use crate::controller::Drive;
use crate::controller::binary::Binary;
use crate::controller::bits::{Bits, Entry};
use crate::controller::constant::Constant;
use crate::controller::human::{Human, Keys};
use crate::controller::levy::Levy;
use crate::controller::table::Table as StateTable;
use crate::controller::velocity::Velocity;
use crate::controller::waypoint::Waypoint;
use crate::kind::{Family, Kinds, Open};
use crate::metric::circliness::Circliness;
use crate::metric::scatter::Scatter;
use crate::noise::flip::Flip;
use crate::noise::invert::Invert;
use crate::object;
use crate::object::disc::Disc;
use crate::object::region::{Area, Region};
use crate::scene::description::{Collisions, Draws, FirstReadings, Order, Placement, Scene, Walls, YAxis};
use crate::scene::import::can_import;
use crate::scene::problem::{Problem, Problems};
use crate::sensor::binary_fov::BinaryFov;
use crate::spawner::Facing;
use crate::spawner::annulus::Annulus;
use crate::spawner::point::Point;
use crate::spawner::polygon::Polygon;
use crate::spawner::table::{Table, TableRow};
use crate::spawner::uniform_box::UniformBox;
use crate::spawner::uniform_disc::UniformDisc;
use crate::variant::Variant;

const TRACE02: &str = include_str!("../../../../tests/data/robotswarmsimulator/trace02_two_agents_fov.yaml");

fn kinds() -> Kinds {
    crate::Recipe::standard().kinds().clone()
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

fn one<F: Family, K: Clone + 'static>(slot: &Open<F>) -> K {
    slot.value().as_any().downcast_ref::<K>().unwrap().clone()
}

#[test]
fn carries_two_agents_over() {
    let imported = import(&kinds(), "dir/trace02_two_agents_fov.yaml", TRACE02).unwrap();
    let scene = imported.scene;
    assert_eq!(imported.warnings, []);
    assert_eq!((scene.name.as_str(), scene.seed), ("trace02_two_agents_fov", 1));
    assert_eq!(scene.time.dt_s, 1.0 / 40.0);
    assert_eq!((scene.arena.size_m, scene.arena.walls), (DVec2::splat(10.0), Walls::Open));
    assert_eq!((scene.order, scene.first_readings), (Order::Sequential, FirstReadings::Zero));
    assert_eq!((scene.draws, scene.collisions), (Draws::Classic, Collisions::Classic));
    assert_eq!(scene.view.y_axis, YAxis::Down);
    let [a0, a1] = &scene.groups[..] else { panic!() };
    assert_eq!((a0.name.as_str(), a1.name.as_str()), ("a0", "a1"));
    assert_eq!(a0.at, [Placement { x_m: 4.0, y_m: 5.0, heading_rad: 0.3 }]);
    assert_eq!(a1.at, [Placement { x_m: 5.2, y_m: 5.4, heading_rad: 2.4 }]);
    assert_eq!(a0.body.radius_m(), 0.1);
    let fov: BinaryFov = one(&a0.sensors[0]);
    assert_eq!((fov.range_m, fov.half_angle_rad, fov.bearing_rad, fov.sight.occlusion), (2.0, 0.45, 0.0, false));
    let binary: Binary = one(&a0.controller);
    assert_eq!((binary.sensor, binary.clear.v_m_per_s, binary.clear.turn_rad_per_s), (0, 0.27, -0.6));
    assert_eq!((binary.detected.v_m_per_s, binary.detected.turn_rad_per_s), (0.27, 0.6));
}

#[test]
fn follows_the_defaults_of_the_original() {
    let scene = scene(&world("agents: [{type: MazeAgent}, {type: MazeAgent, agent_radius: 0, name: my agent}]"));
    assert_eq!(scene.time.dt_s, 1.0 / 60.0);
    assert_eq!(scene.arena.size_m, DVec2::splat(5.0));
    let [first, second] = &scene.groups[..] else { panic!() };
    assert_eq!((first.name.as_str(), second.name.as_str()), ("agent", "my_agent"));
    assert_eq!(first.at, [Placement::default()]);
    assert_eq!((first.body.radius_m(), second.body.radius_m()), (0.5, 0.5));
    let constant: Constant = one(&first.controller);
    assert_eq!((constant.v_m_per_s, constant.turn_rad_per_s), (0.0, 0.0));
}

#[test]
fn makes_names_unique() {
    let agents = "  - {type: MazeAgent, name: a}\n".repeat(3) + "  - {type: MazeAgent, name: a-2}\n";
    let names: Vec<_> = scene(&world(&format!("agents:\n{agents}"))).groups.into_iter().map(|g| g.name).collect();
    assert_eq!(names, ["a", "a-2", "a-3", "a-2-2"]);
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
        assert_eq!((clear.v_m_per_s, clear.turn_rad_per_s), (v0, w0), "{form}");
        assert_eq!((detected.v_m_per_s, detected.turn_rad_per_s), (v1, w1), "{form}");
    }
    let constant = "agents: [{type: MazeAgent, controller: {type: StaticController, output: [1.5, 2.3]}}]";
    let constant: Constant = one(&scene(&world(constant)).groups[0].controller);
    assert_eq!((constant.v_m_per_s, constant.turn_rad_per_s), (1.5, 2.3));
}

/// As two demo worlds have it that RobotSwarmSimulator refuses.
#[test]
fn takes_single_numbers_for_a_speed_and_a_turn_rate() {
    let agents = "agents:\n  - type: MazeAgent\n    sensors: [{type: BinaryFOVSensor, theta: 1, distance: 1}]\n    \
        controller: {type: BinaryController, a: 0.276, b: 0.602}\n";
    let text = world(&format!("size: !np [15, 15] / 2\n{agents}"));
    let scene = scene(&text);
    assert_eq!(scene.arena.size_m, DVec2::splat(7.5));
    let Binary { clear, detected, .. } = one(&scene.groups[0].controller);
    assert_eq!((clear.v_m_per_s, clear.turn_rad_per_s), (0.276, -0.602));
    assert_eq!((detected.v_m_per_s, detected.turn_rad_per_s), (0.276, 0.602));
    insta::assert_snapshot!(
        warnings(&text),
        @"w.yaml:7:45: agents[0].controller.a: `a` and `b` are single numbers, which RobotSwarmSimulator refuses: taken as a speed and a turn rate, [0.276, -0.602] without and [0.276, 0.602] with a detection"
    );
}

#[test]
fn converts_degrees() {
    let sensor = "{type: BinaryFOVSensor, theta: 45, distance: 1, bias: 90, degrees: yes}";
    let scene = scene(&world(&format!("agents: [{{type: MazeAgent, sensors: [{sensor}]}}]")));
    let fov: BinaryFov = one(&scene.groups[0].sensors[0]);
    assert_eq!((fov.half_angle_rad, fov.bearing_rad), (45f64.to_radians(), 90f64.to_radians()));
}

const SPAWNERS: &str = "\
x-robot: &robot {type: MazeAgent, name: r, position: [1, 2], angle: 0.5, agent_radius: 0.1}
spawners:
  - {type: UniformAgentSpawner, n: 6, facing: away, region: [[4, 3], [4, 5], [6, 5], [6, 3]], agent: *robot}
  - {type: UniformAgentSpawner, facing: [1, 1], region: [6, 5, 4, 3], agent: *robot}
  - {type: UniformCircleAgentSpawner, n: 3, center: [4, 4], radius: 1.5, facing: random, agent: *robot}
  - {type: PointAgentSpawner, n: 5, avoid_overlap: true, agent: {<<: *robot, name: s}}
metrics:
  - {type: AverageSpeedBehavior}
  - {type: GroupRotationBehavior}
  - {type: Circliness, avg_history_max: 450}
  - {type: Aggregation}
  - {type: ScatterBehavior, regularize: no}
";

#[test]
fn carries_spawners_and_metrics_over() {
    let scene = scene(&world(SPAWNERS));
    let groups: Vec<_> = scene.groups.iter().map(|group| (group.name.as_str(), group.count)).collect();
    assert_eq!(groups, [("r", 6), ("r-2", 1), ("r-3", 3), ("s", 5)]);
    assert!(scene.groups.iter().all(|group| group.at.is_empty()));
    let first: UniformBox = one(&scene.groups[0].spawn);
    assert_eq!((first.min_m, first.max_m), (DVec2::new(4.0, 3.0), DVec2::new(6.0, 5.0)));
    let second: UniformBox = one(&scene.groups[1].spawn);
    assert_eq!((second.min_m, second.max_m), (first.min_m, first.max_m));
    let disc: UniformDisc = one(&scene.groups[2].spawn);
    assert_eq!((disc.center_m, disc.radius_m), (DVec2::splat(4.0), 1.5));
    let point: Point = one(&scene.groups[3].spawn);
    assert_eq!(point.position_m, DVec2::new(1.0, 2.0));
    let common: Vec<_> =
        scene.groups.iter().map(|group| group.spawn.common()).map(|own| (own.facing, own.avoid_overlap)).collect();
    let facing = [Facing::Away, Facing::Point { at_m: DVec2::ONE }, Facing::Random, Facing::Heading { rad: 0.5 }];
    assert_eq!(common, facing.map(|facing| (facing, facing == Facing::Heading { rad: 0.5 })));
    let metrics: Vec<_> =
        scene.metrics.iter().map(|metric| metric.value().reflect_short_type_path().to_string()).collect();
    assert_eq!(metrics, ["AverageSpeed", "GroupRotation", "Circliness", "Aggregation", "Scatter"]);
    let (circliness, scatter): (Circliness, Scatter) = (one(&scene.metrics[2]), one(&scene.metrics[4]));
    assert_eq!((circliness.window_steps, scatter.regularized), (450, false));
    insta::assert_snapshot!(warnings(&world(SPAWNERS)), @"
    w.yaml:3:1: x-robot: unknown key, ignored
    w.yaml:10:5: metrics[0]: in metres per second here, in metres per step in RobotSwarmSimulator
    w.yaml:11:5: metrics[1]: in metres per second here, in metres per step in RobotSwarmSimulator
    w.yaml:13:5: metrics[3]: the mean over all agents here, that of the first agent in RobotSwarmSimulator
    ");
}

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
fn carries_over_how_agents_act() {
    let scene = scene(&world(ACTING));
    let [levy, human, wheels, drone, waypoint, table] = &scene.groups[..] else { panic!() };
    let moving = levy.motion.common();
    let factor = |mean, spread| Factor { mean, spread };
    let idiosyncrasy = Idiosyncrasy { variant: Variant::Classic, speed: factor(0.9, 0.0), turn: factor(0.8, 0.1) };
    assert_eq!((moving.delay_steps, moving.idiosyncrasy, moving.catastrophic_collisions), (7, idiosyncrasy, true));
    assert!(!moving.stop_on_collision && human.motion.common().stop_on_collision);
    let look = &levy.look;
    assert_eq!((look.color.as_str(), look.trail_s, look.trail_color.as_str()), ("#ff0010", 1.0, "random"));
    let walk: Levy = one(&levy.controller);
    assert_eq!((walk.exponent, walk.longest_s, walk.curve_s, walk.variant), (Some(1.5), 2.0, 2.5, Variant::Classic));
    let keys: Human = one(&human.controller);
    assert_eq!((keys.keys, keys.min_v_m_per_s, keys.max_v_m_per_s), (Keys::Arrows, -0.1, 0.5));
    assert_eq!(keys.gamepad, 1);
    assert!((keys.v_ramp_m_per_s2 - 0.4).abs() < 1e-12 && (keys.turn_ramp_rad_per_s2 - 4.0).abs() < 1e-12);
    // v = R / 2 (l + r), ω = (l − r) / (2 r).
    let constant: Constant = one(&wheels.controller);
    assert!((constant.v_m_per_s - 0.015).abs() < 1e-15 && (constant.turn_rad_per_s - 2.5).abs() < 1e-15);
    assert_eq!(one::<_, DifferentialDrive>(&wheels.motion).axle_m, 0.2);
    let velocity: Velocity = one(&drone.controller);
    assert_eq!((velocity.x_m_per_s, velocity.y_m_per_s, velocity.turn_rad_per_s), (1.0, 2.0, 3.0));
    let way: Waypoint = one(&waypoint.controller);
    assert_eq!((way.points_m, way.within_m, way.variant), (vec![DVec2::new(3.0, 4.0)], 0.0, Variant::Classic));
    assert_eq!((way.speed.max, way.steering.i, way.steering.i_max), (Some(0.3), 1.0, Some(0.5)));
    let table: StateTable = one(&table.controller);
    let last = table.commands.last().map(|drive| (drive.v_m_per_s, drive.turn_rad_per_s));
    assert_eq!((table.commands.len(), last), (3, Some((5.0, 6.0))));
    insta::assert_snapshot!(warnings(&world(ACTING)), @"
    w.yaml:6:6: agents[0].stop_on_collision: has no effect in RobotSwarmSimulator either
    w.yaml:7:18: agents[0].controller: its random numbers are our own: there they cannot be had again
    w.yaml:10:5: agents[2]: moves once per step here, and twice in RobotSwarmSimulator, first as a `MazeAgent`
    w.yaml:12:5: agents[3]: a `DroneAgent` crashes in RobotSwarmSimulator; its numbers are taken per second
    w.yaml:14:17: agents[4].controller.steer_pid: `i` and `d` have no effect in RobotSwarmSimulator; with `variant: Corrected` they have
    ");
    assert!(crate::Simulation::new(&scene).is_ok());
}

#[test]
fn says_what_is_wrong_with_how_agents_act() {
    let refused = |agent: &str| problems(&world(&format!("agents: [{{type: {agent}}}]")));
    for (agent, message) in [
        ("MazeAgent, delay: 0.5", "delay: expected a whole number from 0 to 100000, found 0.5"),
        ("MazeAgent, idiosyncrasies: {mean: [1, 1, 1]}", "idiosyncrasies.mean: expected a list of two numbers"),
        ("MazeAgent, body_color: [1, 2]", "body_color: expected `[red, green, blue]` or `Random`"),
        ("MazeAgent, controller: {type: LevyController, velocity: 1}", "`angular_velocity` is missing"),
        ("MazeAgent, controller: {type: HumanController, keys: qwerty}", "expected `wasd`, `arrowkeys`"),
        ("MazeAgent, controller: {type: HumanController, speed_range: [1, 2]}", "must contain 0"),
        ("MazeAgent, controller: {type: WaypointPIDController}", "needs a `static_waypoint` or a `sensor_id`"),
        ("DroneAgent, controller: {type: LevyController}", "unknown controller of a `DroneAgent` `LevyController`"),
        ("DiffDriveAgent, wheel_radius: 0", "wheel_radius: expected a number > 0"),
    ] {
        assert!(refused(agent).contains(message), "{agent}: {}", refused(agent));
    }
}

#[test]
fn warns_of_what_is_lost() {
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
    w.yaml:3:1: sed: unknown key, ignored, did you mean `seed`?
    w.yaml:4:1: padding: has no effect in RobotSwarmSimulator either
    w.yaml:5:1: show_walls: only changes how it is drawn, ignored
    w.yaml:10:5: agents[0].grounded: has no effect in RobotSwarmSimulator either
    w.yaml:11:5: agents[0].collides: cannot be imported yet, ignored
    w.yaml:17:56: agents[1].sensors[0].fp: has no effect in RobotSwarmSimulator either
    w.yaml:17:98: agents[1].sensors[0].thetta: unknown key, ignored, did you mean `theta`?
    w.yaml:17:109: agents[1].sensors[0].seed: ignored: seeds are drawn from that of the world, so that random numbers differ from those there
    w.yaml:18:45: agents[1].controller.a: the first half is for a detection, as in RobotSwarmSimulator; its documentation differs
    ");
    assert_eq!(scene(text).stop.steps, 1001);
    assert_eq!(scene(&world("stop_at: 'world.total_steps >= 5'")).stop.when, "step >= 5");
    insta::assert_snapshot!(
        warnings(&world("stop_at: 'world.spam >= 5'")),
        @"w.yaml:3:10: stop_at: cannot be imported, ignored: unknown name `world.spam`; there is step, t_s and count"
    );
}

#[test]
fn says_all_problems_at_once() {
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
  - {svg_to_static_objects: '<!DOCTYPE svg><svg/>'}
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
    w.yaml:11:16: agents[0].sensors[0]: unknown sensor `BinaryFOVSensr`, did you mean `BinaryFOVSensor`? (can be `BinaryFOVSensor`, `BinaryLOSSensor`, `PointCollisionSensor`, `RegionalSensor`, `Targeter`, `StaticSensor`)
    w.yaml:15:12: agents[2]: unknown agent `Walrus` (can be `MazeAgent`, `StaticAgent`, `Agent`, `UnicycleAgent`, `DiffDriveAgent`, `DifferentialDriveAgent`, `DroneAgent`)
    w.yaml:16:5: agents[3]: the `type` of the agent is missing: can be `MazeAgent`, `StaticAgent`, `Agent`, `UnicycleAgent`, `DiffDriveAgent`, `DifferentialDriveAgent`, `DroneAgent`
    w.yaml:17:5: agents[4]: expected a map, found 7
    w.yaml:18:30: agents[5].angle: expected a finite number, found the expression `np.foo(3)`, which has no value here
    w.yaml:18:56: agents[5].position[0]: expected a number from -1000000 to 1000000, found the quoted text `1`
    w.yaml:18:77: agents[5].controller: the controller needs a sensor, but the agent has none
    w.yaml:20:34: spawners[0].n: expected a whole number from 0 to 1000000, found 1000001
    w.yaml:20:77: spawners[0].facing: expected `random`, `towards`, `away`, a heading or a point `[x, y]`
    w.yaml:21:41: spawners[1].region: `holes_m[0]` is no simple polygon: it needs three corners, no edges may meet
    w.yaml:22:41: spawners[2].region: `corners_m` is no simple polygon: it needs three corners, no edges may meet
    w.yaml:23:5: spawners[3]: `inner_radius_m` must not be above `outer_radius_m`, found 7 and 6
    w.yaml:24:12: spawners[4]: the spawner `AgentSpawner` cannot be imported yet, only `PointAgentSpawner`, `UniformAgentSpawner`, `UniformCircleAgentSpawner`, `DonutAgentSpawner`, `ExcelSpawner`
    w.yaml:25:5: spawners[5]: `file_name` is missing
    w.yaml:26:37: spawners[6].file_name: `../poses.csv` is outside the folder of the scene
    w.yaml:27:18: metrics[0]: unknown metric `Circlines`, did you mean `Circliness`? (can be `Metric`, `AverageSpeedBehavior`, `AngularMomentumBehavior`, `ScatterBehavior`, `GroupRotationBehavior`, `EntityLen`, `AndMetrics`, `StepsUntil`, `AnyAgent`, `JinjaMetric`, `Circliness`, `TotalCollisionsBehavior`, `RadialVarianceMetric`, `Fatness`, `Fatness2`, `Tangentness`, `RoutRin`, `Aggregation`, `InstantLSQCircularity`, `InstantHyperLSQCircularity`, `InstantRiemannCircularity`, `InstantLMCircularity`, `InstantPrattSVDCircularity`, `InstantTaubinSVDCircularity`, `InstantHyperSVDCircularity`, `InstantKMHCircularity`, `DistanceSizeRatio`, `DelaunayDiffusion`, `InteragentDispersion`, `ExplodingDispersion`, `ConvexHull`, `InverseConvexHull`, `Centroid`, `Orbit`, `AlgebraicConn`, `CirclePacking`, `PersistentHomology`, `RandomBoxAggregation`, `RandomBoxSampling`, `SensorSignalBehavior`, `SensorRotation`, `GeneElementDifference`, `SubGroupBehavior`, `AgentsAtGoal`, `PercentageAtGoal`)
    w.yaml:29:12: objects[0]: unknown object `Rock` (can be `StaticObject`, `DetectionRegion`)
    w.yaml:30:29: objects[1].svg_to_static_objects: the drawing has a DTD (`<!DOCTYPE`), which is not read
    w.yaml:31:34: objects[2].points: expected a drawing of one outline, found 0
    w.yaml:32:34: objects[3].points: the outline is not a simple polygon
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
  - {type: StaticObject, position: [4, 4], agent_radius: 0.3, body_color: [255, 0, 1], team: blue}
  - {type: StaticObject, position: [5, 5], angle: 1.5707963267948966, points: [[0, 0], [2, 0], [0, 1]], body_filled: true}
  - svg_to_static_objects: '<svg><g id="wall"><rect x="1" y="2" width="3" height="4" fill="#008000"/></g><path d="M0 0"/></svg>'
"##,
    ));
    let block = &scene.groups[0];
    assert_eq!((block.motion.value().is::<Static>(), block.at[0].x_m, block.at[0].y_m), (true, 2.0, 3.0));
    assert_eq!(block.body.shift_m(), DVec2::splat(-1.0));
    assert_eq!((scene.groups.len(), scene.objects.len()), (1, 4));
    assert_eq!(scene.arena.background, "#102030");
    let notes: Vec<_> = scene.metadata.iter().map(|note| (note.name.as_str(), note.text.as_str())).collect();
    assert_eq!(notes, [("hash", "abc"), ("by.name", "K")]);
    let disc: Disc = one(&scene.objects[0]);
    assert_eq!(disc, Disc { center_m: DVec2::splat(4.0), radius_m: 0.3 });
    let presence = scene.objects[0].common();
    assert_eq!((presence.color.as_str(), presence.team.as_str(), presence.filled), ("#ff0001", "blue", false));
    assert!(!presence.blocks && !presence.sensed);
    let turned: object::polygon::Polygon = one(&scene.objects[1]);
    assert!(turned.corners_m[1].distance(DVec2::new(5.0, 7.0)) < 1e-12 && scene.objects[1].common().filled);
    let drawn: object::polygon::Polygon = one(&scene.objects[2]);
    assert_eq!(drawn.corners_m[2], DVec2::new(4.0, 6.0));
    assert_eq!(
        (scene.objects[2].common().team.as_str(), scene.objects[2].common().color.as_str()),
        ("wall", "#008000")
    );
    let gate: Region = one(&scene.objects[3]);
    assert_eq!(gate.area, Area::Disc { center_m: DVec2::splat(3.0), radius_m: 0.5 });
    assert_eq!((gate.teams, gate.group.as_str()), (vec!["red".to_owned()], "block"));
}

#[test]
fn checks_defaults_of_the_original_too() {
    let text = world("agents: [{type: MazeAgent, sensors: [{type: BinaryFOVSensor, distance: 1}]}]");
    let fov: BinaryFov = one(&scene(&text).groups[0].sensors[0]);
    // An angle of 10 rad: the edges have changed sides, and only what is straight ahead is not seen.
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
        @"w.yaml:1:1: the `type` of the world is missing: can be `RectangularWorld`"
    );
    insta::assert_snapshot!(problems("[1, 2]"), @"w.yaml:1:1: expected a map, found a list of 2");
    let template = problems("# say <{ name }>\ntype: RectangularWorld\n");
    assert!(template.starts_with("w.yaml:1:1: template: a variable has no value"), "{template}");
    insta::assert_snapshot!(
        problems("type: RectangularWorld\nagents:\n  - !include a.yaml\n"),
        @"w.yaml:3:5: there is no file `a.yaml`"
    );
    insta::assert_snapshot!(import(&Kinds::default(), "w.yaml", TRACE02).unwrap_err(), @"
    w.yaml:6:5: agents[0]: this program was built without the motion `Unicycle`
    w.yaml:12:9: agents[0].sensors[0]: this program was built without the sensor `BinaryFov`
    w.yaml:19:5: agents[1]: this program was built without the motion `Unicycle`
    w.yaml:25:9: agents[1].sensors[0]: this program was built without the sensor `BinaryFov`
    ");
    assert!(can_import("a/b.YML".as_ref()) && !can_import("a/b.ron".as_ref()) && !can_import("yaml".as_ref()));
}

#[test]
fn sensors_keep_their_period_and_their_errors() {
    let sensor = "{type: BinaryFOVSensor, theta: 1, distance: 1, time_step_between_sensing: 4, false_positive: 0.1, \
                  false_negative: 0.2, invert: yes}";
    let scene = scene(&world(&format!("time_step: 0.05\nagents: [{{type: MazeAgent, sensors: [{sensor}]}}]")));
    let sensing = scene.groups[0].sensors[0].common();
    assert_eq!((sensing.rate_hz, sensing.phase_s), (5.0, 0.2));
    let [flip, invert] = &sensing.noise[..] else { panic!() };
    assert_eq!(one::<_, Flip>(flip), Flip { false_positive: 0.1, false_negative: 0.2 });
    assert_eq!(one::<_, Invert>(invert), Invert {});
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
        assert_eq!((bits.sensors, bits.otherwise.turn_rad_per_s), (vec![1, 0], 0.25));
    }
    let bits: Bits = one(&scene(&controller("[[3, 1], [4, 1]]")).groups[0].controller);
    assert_eq!(bits.table, [entry(0, 3.0), entry(1, 4.0)]);
    // As in Python, which takes a text for a number in base ten.
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
    assert_eq!(one::<_, Binary>(&scene(&text).groups[0].controller).majority_of, 9);
}

/// Every name of a metric that there is a kind for, and composite ones that name others.
#[test]
fn carries_all_metrics_over() {
    let simple =
        "AverageSpeedBehavior AngularMomentumBehavior ScatterBehavior GroupRotationBehavior EntityLen Circliness
        TotalCollisionsBehavior RadialVarianceMetric Fatness Fatness2 Tangentness RoutRin Aggregation
        InstantLSQCircularity InstantHyperLSQCircularity InstantRiemannCircularity InstantLMCircularity
        InstantPrattSVDCircularity InstantTaubinSVDCircularity InstantHyperSVDCircularity InstantKMHCircularity
        DistanceSizeRatio DelaunayDiffusion InteragentDispersion ExplodingDispersion ConvexHull InverseConvexHull
        Centroid Orbit AlgebraicConn CirclePacking";
    let list: String = simple.split_whitespace().map(|name| format!("  - {{type: {name}}}\n")).collect();
    let text = format!(
        "metrics:\n{list}
  - {{type: Fatness, name: my fat, scale: 0.5}}
  - {{type: AndMetrics, metrics: [{{type: EntityLen}}, {{type: Fatness}}]}}
  - {{type: StepsUntil, metric: {{type: EntityLen}}, sentinel: 3}}
  - {{type: StepsUntil, metric: {{type: Circliness}}, until_expression: metric.value > 0.5}}
  - {{type: JinjaMetric, metrics: [{{type: Tangentness}}], expression: '{{{{ metrics[0].value + world.metrics[8].value }}}}'}}
  - {{type: AnyAgent, expression: 'agent.pos[0] > 5 and not agent.collided', value_on_found: 3}}
"
    );
    let scene = scene(&world(&text));
    assert_eq!(scene.metrics.len(), simple.split_whitespace().count() + 1 + 3 + 2 + 2 + 2 + 1);
    let fatness: crate::metric::fatness::Fatness = one(&scene.metrics[31]);
    assert_eq!((fatness.scale, scene.metrics[31].common().label.as_str()), (0.5, "my_fat"));
    let all: crate::metric::all_of::AllOf = one(&scene.metrics[34]);
    assert_eq!(all.conditions, ["agents_2", "fatness_2"]);
    let until: crate::metric::steps_until::StepsUntil = one(&scene.metrics[36]);
    assert_eq!(until.until, "agents_3 == 3.0");
    let formula: crate::metric::formula::Formula = one(&scene.metrics[40]);
    assert_eq!(formula.value, "tangentness_2 + fatness");
    let any: crate::metric::any_agent::AnyAgent = one(&scene.metrics[41]);
    assert_eq!((any.when.as_str(), any.value.as_str()), ("x_m > 5 and not collided", "3.0"));
    // The names are those that the simulation gives them, too.
    let mut simulation = crate::Simulation::new(&scene).unwrap();
    simulation.step(2);
    assert!(simulation.metric_names().iter().any(|name| name == "agents_3"));
}

#[test]
fn carries_rings_and_polygons_over() {
    let scene = scene(&world(
        "\
x-robot: &robot {type: MazeAgent}
spawners:
  - {type: DonutAgentSpawner, n: 4, agent: *robot}
  - {type: UniformAgentSpawner, region: [[0, 0], [4, 0], [0, 4]], agent: *robot}
  - {type: UniformAgentSpawner, region: [[0, 0], [4, 4]], holes: [[[1, 1], [2, 1], [1, 2]]], agent: *robot}
  - {type: UniformAgentSpawner, region: [[0, 0], [4, 4]], holes: [[1, 1], [2, 1], [1, 2]], agent: *robot}
",
    ));
    let ring: Annulus = one(&scene.groups[0].spawn);
    assert_eq!((ring.center_m, ring.inner_radius_m, ring.outer_radius_m), (DVec2::splat(5.0), 4.0, 6.0));
    assert!(ring.classic && scene.groups[0].count == 4);
    let polygon: Polygon = one(&scene.groups[1].spawn);
    assert_eq!((polygon.corners_m.len(), polygon.holes_m.len()), (3, 0));
    let [one_hole, the_same]: [Polygon; 2] = [one(&scene.groups[2].spawn), one(&scene.groups[3].spawn)];
    assert_eq!((one_hole.corners_m.len(), one_hole.holes_m.len()), (4, 1));
    assert_eq!(one_hole, the_same);
}

#[test]
fn carries_tables_over() {
    let folder = tempfile::tempdir().unwrap();
    let csv = "name,position,angle\na,\"[1, 2 / 4]\",pi / 2\nb,\"(3, 4)\",\nc,\"[5, 6]\",1\n";
    std::fs::write(folder.path().join("poses.csv"), csv).unwrap();
    std::fs::write(folder.path().join("bad.csv"), "position\n\"[1, x]\"\n").unwrap();
    let read = |spawner: &str| {
        let text =
            world(&format!("spawners: [{{type: ExcelSpawner, agent: {{type: MazeAgent, angle: 3}}, {spawner}}}]"));
        let name = folder.path().join("w.yaml");
        import(&kinds(), &name.display().to_string(), &text)
    };
    let scene = read("file_name: poses.csv, n: 2").unwrap().scene;
    let Table { rows, .. } = one(&scene.groups[0].spawn);
    let row = |x_m, y_m, heading_rad| TableRow { x_m, y_m, heading_rad: Some(heading_rad) };
    assert_eq!(rows, [row(1.0, 0.5, std::f64::consts::FRAC_PI_2), row(3.0, 4.0, 3.0)]);
    assert_eq!(scene.groups[0].agents(), 2);
    let problems = read("file_name: bad.csv").unwrap_err().problems;
    assert_eq!(problems[0].message, "`bad.csv`, row 2, `position`: expected a point such as `[1, 2]`, found `[1, x]`");
}
