//! Sensors in scenes: what they remember, see and show, and what metrics make of their readings.

use swarmarium_draw::View;
use swarmarium_formats::import;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_picture::Layer;
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::edits::set;
use crate::support::{hashes, scene_of, simulation_of};

/// One robot with all sensors, among others of two teams, obstacles, a region and a goal.
const ALL: &str = "(seed: 3, arena: (boundary: Walls), groups: [
    (name: \"eye\", at: [(5, 5, 0)], controller: Constant(v_m_per_s: 0.3, turn_rad_per_s: 0.8), sensors: [
        BinaryFov(range_m: 3, goal_reading: 2, goal_range_m: 4, wall_range_m: 1,
            sight: (obstacles: true, walls: true, goals: true, occlusion: true)),
        LineOfSight(width_m: 0.2, sight: (team: \"red\", occlusion: true)),
        PointProbe(distance_m: 1.5),
        InRegion(regions: [\"pond\", \"home\"]),
        Targeter(choice: Farthest, hold: HoldLost, range_m: 3, reads: [Found, X, Y, Distance, Bearing, Number],
            sight: (name: \"reds\", occlusion: true)),
        Constant(values: [4, 5]),
        Proximity(rays: 12, range_m: 1),
    ]),
    (name: \"reds\", team: \"red\", count: 8, spawn: UniformBox(min_m: (1, 1), max_m: (9, 9)),
        controller: Constant(v_m_per_s: 0.4, turn_rad_per_s: 0.3)),
    (name: \"blues\", team: \"blue\", count: 8, spawn: UniformBox(min_m: (1, 1), max_m: (9, 9)),
        controller: Constant(v_m_per_s: 0.5, turn_rad_per_s: -0.2)),
], objects: [
    Disc(center_m: (7, 5), radius_m: 0.4),
    Polygon(corners_m: [(2, 2), (3, 2), (3, 3)]),
    Region(name: \"pond\", area: Disc(center_m: (5, 5), radius_m: 0.5)),
    Goal(name: \"home\", area: Box(min_m: (4, 5.5), max_m: (6, 8))),
], metrics: [
    Reading(label: \"x\", slot: 4, channel: 1), Reading(label: \"nothing\", slot: 9), SensorSignal(slot: 3),
    Formula(value: \"x * 2\"), Parameter(path: \"sensors.1.width_m\"), AgentsAtGoal(), PercentageAtGoal(goal: \"home\"),
    ArrivalTime(), AgentsAtGoal(of: \"red\", label: \"reds_home\"),
])";

fn readings(simulation: &Simulation) -> Vec<Vec<f64>> {
    simulation.agent(0).unwrap().readings().map(<[f64]>::to_vec).collect()
}

#[test]
fn memories_of_sensors_are_part_of_a_snapshot() {
    let mut simulation = simulation_of(ALL);
    simulation.step(40);
    let snapshot = simulation.snapshot();
    let on = hashes(&mut simulation, 200);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut simulation, 200), on);
    let mut again = simulation_of(ALL);
    again.step(40);
    assert_eq!(hashes(&mut again, 200), on);
    for order in ["Sequential", "RandomSequential"] {
        let mut in_turns = simulation_of(&ALL.replace("seed: 3", &format!("seed: 3, order: {order}")));
        in_turns.step(40);
        let snapshot = in_turns.snapshot();
        let on = hashes(&mut in_turns, 100);
        in_turns.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut in_turns, 100), on, "{order}");
    }
}

/// The last target is kept when it cannot be seen any more; from another one it is told by its number.
#[test]
fn readings_change_and_metrics_follow_them() {
    let mut simulation = simulation_of(ALL);
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for _ in 0..600 {
        simulation.step(1);
        let read = readings(&simulation);
        assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 2, 6, 2, 12]);
        assert_eq!(read[5], [4.0, 5.0]);
        let metrics = simulation.metrics();
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        assert!(same(metrics[0], read[4][1]) && metrics[1].is_nan() && same(metrics[4], 2.0 * read[4][1]));
        let is_in = f64::from(read[3].iter().any(|value| *value > 0.5));
        assert!(metrics[2] == is_in && metrics[5] == 0.2, "{metrics:?}");
        seen.push(read.concat());
    }
    let changes = |channel: usize| {
        let mut values: Vec<u64> = seen.iter().map(|read| read[channel].to_bits()).collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    assert_eq!([0, 1, 2, 3, 4].map(|channel| changes(channel) > 1), [true; 5], "{:?}", [0, 1, 2, 3, 4].map(changes));
    assert!(changes(10) > 1, "the target changes");
    let columns = simulation.metric_columns();
    let of = |name: &str| simulation.metrics()[columns.iter().position(|column| column == name).unwrap()];
    let (arrived, first, last) = (of("agents_at_goal.arrived"), of("arrival_time.first_s"), of("arrival_time.last_s"));
    assert!(arrived >= 1.0 && first >= 0.0 && last >= first, "{arrived} {first} {last}");
    assert!((of("percentage_at_goal.arrived") - 100.0 * arrived / 17.0).abs() < 1e-9);
    assert!(of("reds_home.arrived") <= 8.0 && of("agents_at_goal.now") <= arrived);
}

#[test]
fn a_targeter_that_has_read_nothing_has_no_target() {
    let first = |initial_readings: &str| {
        simulation_of(&format!(
            "(initial_readings: {initial_readings}, groups: [(name: \"a\", at: [(5, 5, 0), (6, 5, 0)],
                sensors: [Targeter(reads: [Found, X], hold: HoldFirst)])])"
        ))
    };
    assert_eq!(readings(&first("Sensed")), [[1.0, 6.0]]);
    let mut blank = first("Zero");
    assert!(readings(&blank)[0][0] == 0.0 && readings(&blank)[0][1].is_nan());
    blank.apply(Edit::Move { agent: 1, x_m: 7.0, y_m: 5.0, heading_rad: 0.0 }).unwrap();
    blank.step(1);
    assert_eq!(readings(&blank), [[1.0, 7.0]]);
}

#[test]
fn every_sensor_is_drawn_and_its_state_can_be_read() {
    let view = View::fit(&scene_of(ALL), scene_of(ALL).arena.size_m * 80.0);
    let shapes = |simulation: &Simulation| {
        let picture = simulation.picture(&view);
        picture.items.into_iter().filter(|item| item.layer == Layer::Sensors).collect::<Vec<_>>()
    };
    for sensor in [
        "BinaryFov()",
        "LineOfSight(range_m: 2)",
        "PointProbe(distance_m: 0.25)",
        "InRegion()",
        "Targeter(range_m: 3)",
        "Proximity(range_m: 1)",
    ] {
        let of = |x: f64| {
            simulation_of(&format!(
                "(groups: [(name: \"a\", at: [(5, 5, 0)], sensors: [{sensor}]), (name: \"b\", at: [({x}, 5, 0)])],
                    objects: [Region(area: Disc(center_m: ({x}, 5), radius_m: 0.4))])"
            ))
        };
        let (seen, unseen) = (of(5.25), of(1e5));
        assert!(!shapes(&seen).is_empty(), "{sensor}");
        let marks = |simulation| shapes(simulation).into_iter().map(|item| item.paint.role).collect::<Vec<_>>();
        assert_ne!(marks(&seen), marks(&unseen), "{sensor}: {:?}", readings(&seen));
        let hash = seen.hash();
        shapes(&seen);
        assert_eq!(seen.hash(), hash);
    }
}

#[test]
fn parameters_are_measured_as_edits_change_them() {
    let mut simulation = simulation_of(ALL);
    simulation.step(1);
    simulation.apply(set("agents.0.sensors.1.width_m", "0.7")).unwrap();
    simulation.step(1);
    assert_eq!(simulation.metrics()[5], 0.7);
    for (metric, expected) in [
        ("Parameter(path: \"sensors.1.widht_m\")", "metrics[0].path: "),
        ("Parameter(path: \"sensors.1\")", "metrics[0].path: `sensors.1` is not a number"),
        ("AgentsAtGoal(goal: \"hume\")", "metrics[0].goal: unknown goal `hume`; did you mean `home`?"),
    ] {
        let start = ALL.split("metrics: [").next().unwrap();
        let scene = scene_of(&format!("{start}metrics: [{metric}])"));
        let problems = Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default();
        assert!(problems.contains(expected), "{metric}: {problems}");
    }
}

#[test]
fn bad_sensors_are_refused_with_what_is_allowed() {
    for (sensor, expected) in [
        ("BinaryFov(sight: (teem: \"a\"))", "has no field `teem`; did you mean `team`?"),
        ("LineOfSight(range_m: -1)", "expected a number from 0 to 1000000, found -1"),
        ("Targeter(hold: HoldFast)", "HoldFast"),
        ("Targeter(reads: [Distanse])", "did you mean `Distance`?"),
        ("PointProbe(distance_m: nan)", "distance_m"),
        ("BinaryFov(occlusion: true)", "has no field `occlusion`"),
    ] {
        let text = format!("(groups: [(name: \"g\", sensors: [{sensor}])])");
        let read = reader::read::<Scene>(Recipe::standard().kinds(), "bad.ron", &text);
        let problems = read.unwrap_err().to_string();
        assert!(problems.contains(expected), "{sensor}: {problems}");
    }
}

#[test]
fn sensors_of_the_original_are_imported() {
    let world = "{type: RectangularWorld, size: [10, 10], seed: 1, time_step: 0.025, agents: [
        {type: MazeAgent, name: a, position: [5, 5], agent_radius: 0.1, sensors: [
            {type: BinaryLOSSensor, angle: 0.0}, {type: PointCollisionSensor, distance: 1.0, bias: 0.0},
            {type: Targeter, target_name: c, hold: holdfirst, attribute: position},
            {type: Targeter, target_mode: furthest, distance: 1.5}, {type: StaticSensor}]},
        {type: MazeAgent, name: b, position: [6, 5], agent_radius: 0.1},
        {type: MazeAgent, name: c, position: [2, 3], agent_radius: 0.1}],
      metrics: [{type: SensorSignalBehavior}, {type: SensorRotation, sensor_index: 1},
        {type: SubGroupBehavior, metric: {type: EntityLen}, group: b}, {type: AlgebraicConn, r_disk_size: 2}]}";
    let imported = import::import(Recipe::standard().kinds(), "world.yaml", world).unwrap();
    assert!(imported.warnings.iter().any(|warning| warning.to_string().contains("takes no notice of it")));
    let mut simulation = Simulation::new(&imported.scene).unwrap();
    simulation.step(1);
    assert_eq!(readings(&simulation), [vec![1.0], vec![1.0], vec![2.0, 3.0], vec![1.0, 1.0], vec![0.0]]);
    let columns = simulation.metric_columns();
    let of = |name: &str| simulation.metrics()[columns.iter().position(|column| column == name).unwrap()];
    assert_eq!([of("sensor_signal.now"), of("formula"), of("agents")], [1.0, 0.0, 1.0], "{columns:?}");
    assert_eq!(of("algebraic_connectivity.connected"), 0.0);
    let bad = world.replace("holdfirst", "holdfast");
    let problems = import::import(Recipe::standard().kinds(), "world.yaml", &bad).err().unwrap().to_string();
    assert!(
        problems.contains("expected one of `retargetonloss`, `alwaysretarget`, `holdlost`, `holdfirst`"),
        "{problems}"
    );
}

/// Khepera III between walls and others, some of them made while it runs, with wheels that are counted.
const WHEELED: &str =
    "(seed: 5, on_collision: Stop, time: (dt_s: 0.02), arena: (size_m: (2, 2), boundary: Walls), groups: [
    (name: \"robots\", count: 12, robot: \"khepera3\",
        spawn: UniformBox(min_m: (0.2, 0.2), max_m: (1.8, 1.8), interval_steps: 20, batch_size: 4)),
], objects: [Polygon(corners_m: [(0.9, 0.9), (1.1, 0.9), (1.1, 1.1)])])";

#[test]
fn wheel_encoders_count_in_both_orders_and_after_a_snapshot() {
    for order in ["Simultaneous", "Sequential"] {
        let text = WHEELED.replace("seed: 5", &format!("seed: 5, order: {order}"));
        let mut simulation = simulation_of(&text);
        simulation.step(70);
        let snapshot = simulation.snapshot();
        let on = hashes(&mut simulation, 60);
        let mut fresh = simulation_of(&text);
        fresh.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut fresh, 60), on, "{order}");
        // Without a collision, the only error is that of ticks.
        for agent in simulation.agents() {
            let [infrared, ticks, pose] = agent.readings().collect::<Vec<_>>().try_into().unwrap();
            assert_eq!(infrared.len(), 9);
            assert!(ticks.iter().all(|ticks| ticks.fract() == 0.0) && ticks[0] + ticks[1] > 1000.0, "{ticks:?}");
            let off = agent.pose.position_m.distance([pose[0], pose[1]].into());
            let ran_into_something = agent.bumps().is_some_and(|bumps| bumps.count > 0);
            assert!(off < 2e-3 || ran_into_something, "{order} {}: {off}", agent.name());
        }
    }
}

#[test]
fn odometry_does_not_notice_a_move_by_an_edit() {
    let mut simulation = simulation_of(
        "(groups: [(name: \"one\", at: [(5, 5, 1)], robot: \"khepera3\", controller: Constant(v_m_per_s: 0.1))])",
    );
    assert_eq!(readings(&simulation)[1..], [vec![0.0, 0.0], vec![5.0, 5.0, 1.0]]);
    simulation.apply(Edit::Move { agent: 0, x_m: 8.0, y_m: 5.0, heading_rad: 0.0 }).unwrap();
    simulation.step(40);
    let pose = &readings(&simulation)[2];
    let ahead = swarmarium_base::math::direction(1.0);
    let expected = [5.0 + 0.1 * ahead.x, 5.0 + 0.1 * ahead.y, 1.0];
    assert!(pose.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-3), "{pose:?}");
    simulation.apply(set("groups.one.sensors.1.ticks_per_turn", "10")).unwrap();
    simulation.apply(set("groups.one.motion.wheel_radius_m", "0.01")).unwrap();
    simulation.step(1);
    let before = readings(&simulation)[1][0];
    simulation.step(40);
    assert_eq!(before, 7.0);
    assert_eq!(readings(&simulation)[1][0], 23.0, "smaller wheels turn faster");
    let error = simulation.apply(set("groups.one.motion", "Unicycle()")).unwrap_err();
    assert!(error.to_string().contains("Encoders counts the turns of wheels"), "{error}");
}

#[test]
fn sensors_that_count_turns_need_wheels() {
    let scene = scene_of(
        "(groups: [(name: \"g\", sensors: [Infrared(), Odometry()])],
            objects: [Disc(radius_m: 0.1, sensors: [Encoders()])])",
    );
    insta::assert_snapshot!(Simulation::new(&scene).err().unwrap(), @r"
    scene: groups[0].sensors[1]: Odometry counts the turns of wheels, but motion Unicycle has none: it can be DifferentialDrive
    scene: objects[0].sensors[0]: Encoders counts the turns of wheels, but motion Static has none: it can be DifferentialDrive
    ");
}

#[test]
fn infrared_model_of_the_scene_changes_readings() {
    let text = "(PROXIMITY groups: [(name: \"g\", robot: \"khepera3\", at: [(1, 1, 0)], controller: Constant())],
        objects: [Polygon(corners_m: [(1.17, 1.03), (1.18, 1.03), (1.18, 1.04), (1.17, 1.04)])])";
    let ahead_left = |proximity: &str| readings(&simulation_of(&text.replace("PROXIMITY", proximity)))[0][3];
    let [truly, classically] = ["", "infrared_model: Classic,"].map(ahead_left);
    assert!((truly - 0.1008).abs() < 1e-3 && classically == 0.2, "{truly} {classically}");
}

#[test]
fn cones_are_drawn_as_long_as_their_readings_and_odometry_as_a_ghost() {
    use swarmarium_draw::{Overlay, Overlays};
    use swarmarium_picture::Shape;
    let simulation = simulation_of(
        "(arena: (size_m: (2, 2), boundary: Walls), groups: [(name: \"g\", robot: \"quickbot\", at: [(1.8, 1, 0)])])",
    );
    let reading = readings(&simulation)[0][2];
    assert!((reading - 0.1364).abs() < 1e-3, "{reading}");
    let view = |overlays| View { overlays, ..View::fit(simulation.scene(), [800.0; 2].into()) };
    let lengths: Vec<f64> = simulation
        .picture(&view(Overlays::default()))
        .items
        .iter()
        .filter(|item| item.layer == Layer::Sensors)
        .filter_map(|item| if let Shape::Sector { radius_m, .. } = item.shape { Some(radius_m) } else { None })
        .collect();
    assert_eq!(lengths.len(), 5);
    assert_eq!(lengths[0], 0.3);
    assert_eq!(lengths[2], reading);
    let dashed = |overlays| {
        let is_dashed = |shape: &Shape| matches!(shape, Shape::Line { pen, .. } if pen.dashed);
        simulation.picture(&view(overlays)).items.iter().filter(|item| is_dashed(&item.shape)).count()
    };
    assert_eq!(dashed(Overlays::default()), 0);
    assert_eq!(dashed(Overlays::default().with(Overlay::Estimates)), 2, "outline and path");
}
