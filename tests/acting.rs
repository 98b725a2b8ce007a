//! How agents act: delays, idiosyncrasies, collisions that matter, controllers with memory.

use swarmarium::prelude::*;
use swarmarium_core::agent::contact::Dead;
use swarmarium_simulation::Simulation;
use swarmarium_simulation::edit::Edit;

use crate::support::edits::set;
use crate::support::{hashes, scene_of, simulation_of};

fn poses(simulation: &Simulation) -> Vec<Pose> {
    simulation.agents().map(|agent| agent.pose).collect()
}

const ORDERS: [&str; 2] = ["Simultaneous", "Sequential"];

/// One of everything that this file is about.
fn zoo(order: &str) -> String {
    format!(
        r#"(
    seed: 11, order: {order}, arena: (size_m: (6.0, 6.0), boundary: Walls),
    groups: [
        (name: "walkers", count: 6, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (5.5, 5.5)),
            motion: Unicycle(stop_on_collision: true, motion_variation: (speed: (std_dev: 0.2), turn: (std_dev: 0.1))),
            controller: Levy(turn_rad_per_s: 3.0)),
        (name: "curvers", count: 4, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (5.5, 5.5)),
            motion: Unicycle(delay_steps: 7, delay_s: 0.1),
            controller: Levy(style: Curving, rate_hz: 10.0)),
        (name: "fragile", count: 5, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (5.5, 5.5)),
            motion: Unicycle(catastrophic_collisions: true), sensors: [BinaryFov()],
            controller: Table(commands: [(v_m_per_s: 0.3, turn_rad_per_s: 0.4), (v_m_per_s: 0.3, turn_rad_per_s: -0.4)])),
        (name: "patrol", count: 2, spawn: UniformBox(min_m: (0.5, 0.5), max_m: (5.5, 5.5)),
            motion: DifferentialDrive(motion_variation: (variant: Classic, speed: (mean: 0.9), turn: (mean: 0.8))),
            controller: Waypoint(points_m: [(1.0, 1.0), (5.0, 1.0), (3.0, 5.0)], repeat: true,
                steering: (p: 2.0, i: 0.5, d: 0.1, i_max: 0.2, min: -1.5, max: 1.5))),
        (name: "drone", at: [(3.0, 3.0, 0.5)], motion: Holonomic(frame: World),
            controller: Velocity(x_m_per_s: 0.1, y_m_per_s: 0.2, turn_rad_per_s: 1.0)),
        (name: "driven", at: [(1.0, 5.0, 0.0)], controller: Human(held: (ahead: 1.0, left: 0.3))),
    ],
    metrics: [Dead(), Count(), AverageSpeed(), TotalCollisions()],
)"#
    )
}

#[test]
fn controllers_and_motions_go_on_the_same_after_a_snapshot_in_both_orders() {
    for order in ORDERS {
        let scene = scene_of(&zoo(order));
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.step(333);
        let (snapshot, hash) = (simulation.snapshot(), simulation.hash());
        let ahead = hashes(&mut simulation, 300);
        simulation.restore(&snapshot).unwrap();
        assert_eq!(simulation.hash(), hash, "{order}");
        assert_eq!(hashes(&mut simulation, 300), ahead, "{order}: the same simulation");
        let mut fresh = Simulation::new(&scene).unwrap();
        fresh.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut fresh, 300), ahead, "{order}: another simulation");
        assert_eq!(hashes(&mut Simulation::new(&scene).unwrap(), 633)[333..], ahead, "{order}: from the start");
    }
}

#[test]
fn a_motion_delay_that_is_switched_off_forgets_its_commands() {
    for order in ORDERS {
        let mut simulation = simulation_of(&format!(
            "(order: {order}, time: (dt_s: 0.1), groups: [(name: \"one\", at: [(0.0, 0.0, 0.0)], \
             motion: Unicycle(delay_steps: 3), controller: Constant(v_m_per_s: 1.0))])"
        ));
        let mut way = |path: &str, value: &str| {
            let before = poses(&simulation)[0].position_m;
            simulation.apply(set(path, value)).unwrap();
            simulation.step(4);
            poses(&simulation)[0].position_m.distance(before)
        };
        let (delay, speed) = ("groups.one.motion.delay_steps", "groups.one.controller.v_m_per_s");
        way(delay, "0");
        way(speed, "3.0");
        // The commands from before the delay was switched off were slower.
        assert!((way(delay, "3") - 1.2).abs() < 1e-9, "{order}");
    }
}

#[test]
fn the_number_of_threads_changes_no_motion() {
    use swarmarium_core::step::Workers;
    let scene = scene_of(&zoo("Simultaneous"));
    let run = |workers| {
        let recipe = Recipe::standard();
        hashes(&mut Simulation::with_workers(&scene, &recipe, workers).unwrap(), 200)
    };
    assert_eq!(run(Workers::new(1)), run(Workers::eager(3)));
}

#[test]
fn a_motion_delay_shifts_the_path_in_time_only() {
    for order in ORDERS {
        let way = |delay: &str| {
            let mut simulation = simulation_of(&format!(
                r#"(order: {order}, groups: [(name: "a", at: [(1.0, 1.0, 0.3)], motion: Unicycle({delay}),
                    controller: Levy(turn_rad_per_s: 2.0))])"#
            ));
            let step = |_| {
                let before = simulation.agents().next().unwrap().pose;
                simulation.step(1);
                let after = simulation.agents().next().unwrap().pose;
                (before.position_m.distance(after.position_m), after.heading_rad - before.heading_rad)
            };
            (0..400).map(step).collect::<Vec<_>>()
        };
        let (now, late) = (way(""), way("delay_steps: 4, delay_s: 0.075"));
        for (step, ((v, turn), (late_v, late_turn))) in now.iter().zip(&late[7..]).enumerate() {
            assert!((v - late_v).abs() < 1e-12 && (turn - late_turn).abs() < 1e-12, "{order}: step {step}");
        }
        let first = late[0];
        assert!(late[..7].iter().all(|step| (step.0 - first.0).abs() < 1e-12), "the first command holds");
    }
}

/// Two that drive at each other, and one that drives away.
fn head_on(order: &str, left: &str, right: &str) -> Simulation {
    simulation_of(&format!(
        r#"(order: {order}, groups: [
            (name: "left", at: [(1.0, 1.0, 0.0)], body: Disc(radius_m: 0.1), motion: Unicycle({left}),
                sensors: [BinaryFov()], controller: Constant(v_m_per_s: 0.1)),
            (name: "right", at: [(1.5, 1.0, 3.141592653589793)], body: Disc(radius_m: 0.1), motion: Unicycle({right}),
                controller: Constant(v_m_per_s: 0.1)),
            (name: "other", at: [(1.0, 3.0, 0.0)], controller: Constant(v_m_per_s: 0.1)),
        ], metrics: [Dead(), Count(), TotalCollisions()])"#
    ))
}

#[test]
fn a_catastrophic_collision_disables_both_robots() {
    for order in ORDERS {
        for [left, right] in [["catastrophic_collisions: true", ""], ["", "catastrophic_collisions: true"]] {
            let mut simulation = head_on(order, left, right);
            simulation.step(50);
            assert_eq!(simulation.metrics()[0], 0.0, "{order}: they have not met");
            assert_eq!(simulation.agents().next().unwrap().readings().flatten().sum::<f64>(), 1.0);
            simulation.step(50);
            let (wreck, collisions) = (poses(&simulation), simulation.metrics()[2]);
            assert_eq!(simulation.metrics()[..2], [2.0, 3.0], "{order}");
            assert!(collisions > 0.0);
            assert_eq!(simulation.agents().next().unwrap().readings().flatten().sum::<f64>(), 0.0, "it is blind");
            simulation.step(50);
            assert_eq!(poses(&simulation)[..2], wreck[..2], "{order}: nobody moves");
            assert_eq!(simulation.metrics()[2], collisions, "{order}: nobody collides again");
            assert!(poses(&simulation)[2].position_m.x > wreck[2].position_m.x + 0.1, "{order}: life goes on");
            let of = |simulation: &Simulation| {
                simulation.world().iter_entities().filter(|entity| entity.contains::<Dead>()).count()
            };
            assert_eq!(of(&simulation), 3, "two agents and a sensor");
            // Somebody drives into the wreck, and has to go around.
            let edit = Edit::Move {
                agent: 2,
                x_m: wreck[0].position_m.x,
                y_m: 1.25,
                heading_rad: -std::f64::consts::FRAC_PI_2,
            };
            simulation.apply(edit).unwrap();
            simulation.step(100);
            assert_eq!(poses(&simulation)[..2], wreck[..2], "{order}: a wreck is not pushed");
            let gap = poses(&simulation)[2].position_m.distance(wreck[0].position_m);
            assert!(gap > 0.199, "{order}: {gap}");
        }
    }
}

#[test]
fn a_wall_is_a_catastrophic_collision_too() {
    for order in ORDERS {
        let mut simulation = simulation_of(&format!(
            r#"(order: {order}, arena: (size_m: (2.0, 2.0), boundary: Walls), groups: [(name: "a", at: [(1.0, 1.0, 0.0)],
                motion: Unicycle(catastrophic_collisions: true), controller: Constant(v_m_per_s: 0.5))],
                metrics: [Dead()])"#
        ));
        simulation.step(200);
        assert_eq!(simulation.metrics(), [1.0], "{order}");
    }
}

#[test]
fn stop_on_collision_moves_at_every_other_step_at_a_wall() {
    for order in ORDERS {
        let mut simulation = simulation_of(&format!(
            r#"(order: {order}, arena: (size_m: (2.0, 2.0), boundary: Walls), groups: [(name: "a", at: [(1.0, 1.0, 0.5)],
                motion: Unicycle(stop_on_collision: true), controller: Constant(v_m_per_s: 0.5))])"#
        ));
        simulation.step(100);
        let y = |simulation: &Simulation| poses(simulation)[0].position_m.y;
        let moves: Vec<bool> = (0..6)
            .map(|_| {
                let before = y(&simulation);
                simulation.step(1);
                y(&simulation) != before
            })
            .collect();
        assert!(moves == [true, false, true, false, true, false] || moves == [false, true, false, true, false, true]);
    }
}

#[test]
fn held_keys_are_edits_that_replay_to_the_same_hash() {
    let text = r#"(groups: [(name: "a", at: [(1.0, 1.0, 0.5)], controller: Human())])"#;
    let edits = [(3, "(ahead: 1.0, left: 0.0)"), (40, "(ahead: 1.0, left: 1.0)"), (90, "(ahead: 0.0, left: 0.0)")];
    let run = || {
        let mut simulation = simulation_of(text);
        for step in 0..150 {
            for (_, value) in edits.iter().filter(|(at, _)| *at == step) {
                simulation.apply(set("agents.0.controller.held", value)).unwrap();
            }
            simulation.step(1);
        }
        simulation
    };
    let simulation = run();
    assert_eq!(simulation.hash(), run().hash());
    let pose = poses(&simulation)[0];
    assert!(pose.heading_rad > 1.5 && pose.position_m.distance(DVec2::ONE) > 0.2, "{pose:?}");
    let mut at_rest = simulation.agents().map(|agent| agent.displacement_m());
    assert!(at_rest.all(|moved| moved == DVec2::ZERO));
}

#[test]
fn too_many_delayed_commands_are_refused() {
    let scene =
        scene_of(r#"(time: (dt_s: 0.001), groups: [(name: "a", count: 1000, motion: Unicycle(delay_s: 3600.0))])"#);
    let error = Simulation::new(&scene).err().unwrap().to_string();
    assert!(error.contains("at most 50000000 commands can be delayed"), "{error}");
}

#[test]
fn a_waypoint_patrol_comes_by_its_points_and_a_sensor_slot_is_checked() {
    let mut simulation = simulation_of(
        r#"(groups: [(name: "a", at: [(1.0, 1.0, 3.0)], controller: Waypoint(points_m: [(3.0, 1.0), (1.0, 3.0)],
            repeat: true))])"#,
    );
    let mut passed = Vec::new();
    for _ in 0..4000 {
        simulation.step(1);
        let at = poses(&simulation)[0].position_m;
        let point = [DVec2::new(3.0, 1.0), DVec2::new(1.0, 3.0)].into_iter().position(|point| point.distance(at) < 0.1);
        if point.is_some() && passed.last() != Some(&point) {
            passed.push(point);
        }
    }
    assert!(passed.len() >= 4 && passed[0] == Some(0), "{passed:?}");
    let text = r#"(groups: [(name: "a", sensors: [BinaryFov()], controller: Waypoint(sensor: 3))])"#;
    let error = Simulation::new(&scene_of(text)).err().unwrap().to_string();
    assert!(error.contains("listens to sensor 3"), "{error}");
    let text = r#"(groups: [(name: "a", sensors: [BinaryFov()], controller: Table(sensors: [(4, 2)]))])"#;
    let error = Simulation::new(&scene_of(text)).err().unwrap().to_string();
    assert!(error.contains("listens to sensor 4"), "{error}");
}

#[test]
fn stop_at_goal_stops_a_robot_at_its_own_goal() {
    for order in ORDERS {
        let mut simulation = simulation_of(&format!(
            r#"(order: {order}, groups: [
                (name: "a", team: "red", at: [(1.0, 1.0, 0.0)], motion: Unicycle(stop_at_goal: true),
                    controller: Constant(v_m_per_s: 0.5)),
                (name: "b", team: "blue", at: [(1.0, 3.0, 0.0)], motion: Unicycle(stop_at_goal: true),
                    controller: Constant(v_m_per_s: 0.5)),
            ], objects: [
                Goal(area: Disc(center_m: (3.0, 1.0), radius_m: 0.3), teams: ["red"]),
                Goal(area: Disc(center_m: (3.0, 3.0), radius_m: 0.3), teams: ["red"]),
            ])"#
        ));
        simulation.step(300);
        let [a, b] = poses(&simulation)[..] else { panic!() };
        assert!(a.position_m.distance(DVec2::new(3.0, 1.0)) < 0.3, "{order}: {a:?}");
        assert!(b.position_m.x > 4.0, "{order}: it is not its goal");
        simulation.step(10);
        assert_eq!(poses(&simulation)[0], a, "{order}");
    }
}
