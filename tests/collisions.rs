//! Robots that run into things: they are pushed, they stop, or the run does.

use swarmarium_base::math;
use swarmarium_core::step::Workers;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_host::clock::Host;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::edits::set;
use crate::support::{hashes, metric, scene_of, simulation_of};

const SQUARE: &str = "body: Polygon(corners_m: [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)])";
const DISC: &str = "body: Disc(radius_m: 0.1)";

/// Two robots that drive at each other, and one at an obstacle.
fn course(settings: &str, body: &str) -> Simulation {
    simulation_of(&format!(
        "(time: (dt_s: 0.1), {settings}, metrics: [Collisions(), TotalCollisions()],
            objects: [Polygon(name: \"block\", corners_m: [(8, 4), (9, 4), (9, 6), (8, 6)])],
            groups: [
                (name: \"pair\", at: [(1, 1, 0), (2, 1, 3.141592653589793)], {body}, controller: Constant(v_m_per_s: 0.5)),
                (name: \"lone\", at: [(7.5, 5, 0)], {body}, controller: Constant(v_m_per_s: 0.5)),
            ])"
    ))
}

fn x_m(simulation: &Simulation, agent: u32) -> f64 {
    simulation.agent(agent).unwrap().pose.position_m.x
}

fn events(simulation: &Simulation) -> Vec<String> {
    simulation.events().iter().map(|event| format!("{} {} {}", event.step, event.who.index(), event.text)).collect()
}

#[test]
fn robots_stop_at_each_other_and_at_obstacles() {
    for body in [SQUARE, DISC] {
        for order in ["Simultaneous", "Sequential"] {
            let mut simulation = course(&format!("on_collision: Stop, order: {order}"), body);
            simulation.step(40);
            // Half a metre a second, and 0.8 m between two of them.
            let gap = x_m(&simulation, 1) - x_m(&simulation, 0) - 0.2;
            assert!((-1e-9..0.11).contains(&gap), "{body} {order}: {gap}");
            let gap = 8.0 - x_m(&simulation, 2) - 0.1;
            assert!((-1e-9..0.06).contains(&gap), "{body} {order}: {gap}");
            assert_eq!(simulation.agent(2).unwrap().bumps().unwrap().count, 1, "it pushes on");
            assert_eq!(metric(&simulation, "collisions"), 3.0, "{body} {order}");
            assert!(metric(&simulation, "total_collisions") > 60.0);
            let mut told = events(&simulation);
            told.sort();
            assert!(told.iter().any(|event| event.ends_with("2 Ran into the object block")), "{told:?}");
            assert!(told.iter().any(|event| event.ends_with("0 Ran into pair-1")), "{told:?}");
            assert_eq!(told.len(), 3);
        }
    }
}

#[test]
fn outlines_stop_by_themselves_where_discs_push() {
    let mut simulation = course("on_collision: Push", SQUARE);
    simulation.step(40);
    assert!(x_m(&simulation, 2) <= 7.9 + 1e-9 && x_m(&simulation, 1) - x_m(&simulation, 0) >= 0.2 - 1e-9);
    let mut simulation = course("on_collision: Push", DISC);
    simulation.step(40);
    assert!((x_m(&simulation, 2) - 7.9).abs() < 1e-8, "pushed out exactly to the edge");
    assert_eq!(simulation.agent(2).unwrap().bumps(), None);
}

#[test]
fn a_run_pauses_at_each_new_collision() {
    for body in [SQUARE, DISC] {
        let mut simulation = course("on_collision: Pause", body);
        let mut ends = Vec::new();
        for _ in 0..40 {
            simulation.step(1);
            ends.extend(simulation.is_at_end().then_some(simulation.steps()));
        }
        let told: Vec<u64> = simulation.events().iter().map(|event| event.step).collect();
        let mut steps = told.clone();
        steps.dedup();
        assert_eq!(ends, steps, "{body}");
        assert_eq!(told.len(), 3);
    }
}

#[test]
fn a_window_pauses_at_each_new_collision() {
    // One after the other: in sequential order the first stops a step before the second.
    let scene = scene_of(&format!(
        "(time: (dt_s: 0.1), on_collision: Pause, order: Sequential, groups: [
            (name: \"a\", at: [(1, 1, 0)], {DISC}, controller: Constant(v_m_per_s: 0.5)),
            (name: \"b\", at: [(1.51, 1, 3.141592653589793)], {DISC}, controller: Constant(v_m_per_s: 0.2)),
        ])"
    ));
    let mut host = Host::new(&scene, &Recipe::standard(), 1).unwrap();
    host.stops = true;
    let mut pauses = Vec::new();
    for _ in 0..20 {
        host.clock_mut().paused = false;
        host.advance_to(host.simulation().steps() + 1, || true, |_| ());
        pauses.extend(host.clock().paused.then_some(host.simulation().steps()));
    }
    let told: Vec<u64> = host.simulation().events().iter().map(|event| event.step).collect();
    assert_eq!(pauses, told);
    assert_eq!(pauses.len(), 2);
}

#[test]
fn robots_that_stop_are_the_same_whatever_the_threads_and_after_a_restore() {
    let text = format!(
        "(time: (dt_s: 0.1), on_collision: Stop, arena: (size_m: (4, 4), boundary: Walls),
            objects: [Disc(center_m: (2, 2), radius_m: 0.5)],
            groups: [
                (name: \"squares\", count: 12, spawn: UniformBox(min_m: (0.3, 0.3), max_m: (1.4, 3.7), avoid_overlap: true),
                    {SQUARE}, motion: DifferentialDrive(axle_m: 0.1), sensors: [Proximity(rays: 8, range_m: 0.4)],
                    controller: Diffusion(wheel_m_per_s: 0.3)),
                (name: \"discs\", count: 12, spawn: UniformBox(min_m: (2.6, 0.3), max_m: (3.7, 3.7), avoid_overlap: true),
                    {DISC}, motion: DifferentialDrive(axle_m: 0.1), sensors: [Proximity(rays: 8, range_m: 0.4)],
                    controller: Diffusion(wheel_m_per_s: 0.3)),
            ])"
    );
    let scene = scene_of(&text);
    let with = |threads| Simulation::with_workers(&scene, &Recipe::standard(), Workers::eager(threads)).unwrap();
    let mut one = with(1);
    let expected = hashes(&mut one, 300);
    assert_eq!(hashes(&mut with(2), 300), expected);
    assert!(one.agents().any(|agent| agent.bumps().is_some()), "nobody ran into anything");
    let mut half = with(1);
    half.step(150);
    let kept = half.snapshot();
    half.step(50);
    half.restore(&kept).unwrap();
    assert_eq!(hashes(&mut half, 150), expected[150..]);
}

#[test]
fn a_robot_that_is_placed_in_a_wall_may_leave_it() {
    let mut simulation = course("on_collision: Stop", SQUARE);
    let into = |x_m: f64, heading_rad: f64| Edit::Move { agent: 2, x_m, y_m: 5.0, heading_rad };
    simulation.apply(into(8.05, 0.0)).unwrap();
    simulation.step(5);
    assert_eq!(x_m(&simulation, 2), 8.05, "no deeper");
    simulation.apply(into(8.05, std::f64::consts::PI)).unwrap();
    simulation.step(5);
    assert!(x_m(&simulation, 2) < 7.9);
}

#[test]
fn no_robot_drives_through_a_thin_wall_in_a_long_step() {
    for (body, on_collision) in [(DISC, "Stop"), (SQUARE, "Stop"), (SQUARE, "Push")] {
        for order in ["Simultaneous", "Sequential"] {
            let mut simulation = simulation_of(&format!(
                "(time: (dt_s: 0.5), on_collision: {on_collision}, order: {order},
                    objects: [Polygon(name: \"wall\", corners_m: [(5, 4), (5.01, 4), (5.01, 6), (5, 6)])],
                    groups: [(name: \"fast\", at: [(4.3, 5, 0)], {body}, controller: Constant(v_m_per_s: 2.0))])"
            ));
            simulation.step(10);
            assert!(x_m(&simulation, 0) <= 4.9 + 1e-8, "{body} {on_collision} {order}: {}", x_m(&simulation, 0));
        }
    }
}

#[test]
fn two_robots_at_one_position_drive_apart() {
    for body in [SQUARE, DISC] {
        for order in ["Simultaneous", "Sequential"] {
            let mut simulation = simulation_of(&format!(
                "(time: (dt_s: 0.1), on_collision: Stop, order: {order}, groups: [(name: \"pair\",
                    at: [(5, 5, 3.141592653589793), (5.03, 5, 0)], {body}, controller: Constant(v_m_per_s: 0.2))])"
            ));
            simulation.step(20);
            let apart = x_m(&simulation, 1) - x_m(&simulation, 0);
            assert!((apart - 0.83).abs() < 1e-6, "{body} {order}: {apart}");
        }
    }
}

#[test]
fn crossing_the_border_of_a_wrapping_arena_is_no_collision() {
    for (corner, at) in [("", "0.5, 1.2"), ("corner_m: (-3, 2), ", "-2, 3")] {
        for settings in ["on_collision: Push", "on_collision: Stop", "order: Sequential"] {
            for body in [SQUARE, DISC] {
                let mut simulation = simulation_of(&format!(
                    "(time: (dt_s: 0.1), {settings}, arena: ({corner}size_m: (2, 2), boundary: Periodic),
                        metrics: [Collisions(), TotalCollisions()],
                        groups: [(name: \"lone\", at: [({at}, 0.5)], {body}, controller: Constant(v_m_per_s: 0.7))])"
                ));
                for _ in 0..100 {
                    simulation.step(1);
                    assert_eq!(metric(&simulation, "collisions"), 0.0, "{corner} {settings} {body}");
                }
                assert_eq!(metric(&simulation, "total_collisions"), 0.0);
            }
        }
    }
}

#[test]
fn robots_stop_at_obstacles_across_a_wrapping_border() {
    let mut simulation = simulation_of(&format!(
        "(time: (dt_s: 0.1), on_collision: Stop, arena: (corner_m: (-3, 2), size_m: (4, 4), boundary: Periodic),
            objects: [Polygon(name: \"block\", corners_m: [(-2.9, 3), (-2.7, 3), (-2.7, 5), (-2.9, 5)])],
            groups: [(name: \"lone\", at: [(0.5, 4, 0)], {SQUARE}, controller: Constant(v_m_per_s: 0.3))])"
    ));
    simulation.step(100);
    // The block begins at 1.1, as seen from this side of the border.
    let x_m = x_m(&simulation, 0);
    let x_m = if x_m < -2.0 { x_m + 4.0 } else { x_m };
    assert!((0.97 - 1e-9..=1.0 + 1e-9).contains(&x_m), "{x_m}");
}

#[test]
fn classic_collisions_push() {
    let scene = scene_of("(order: Sequential, overlap_resolution: Classic, on_collision: Stop)");
    let why = Simulation::new(&scene).err().unwrap().to_string();
    assert!(why.contains("on_collision") && why.contains("overlap_resolution: Standard"), "{why}");
}

/// The positions of all robots.
fn places(simulation: &Simulation) -> Vec<(f64, f64)> {
    simulation.agents().map(|agent| (agent.pose.position_m.x, agent.pose.position_m.y)).collect()
}

/// The deepest overlap of two robots of a radius of 0.1 m, in units of their diameter.
fn deepest(simulation: &Simulation) -> f64 {
    let places = places(simulation);
    let depth = |(k, (x, y)): (usize, &(f64, f64))| {
        let apart = |(a, b): &(f64, f64)| math::hypot(x - a, y - b);
        places[..k].iter().map(|place| 1.0 - apart(place) / 0.2).fold(0.0, f64::max)
    };
    places.iter().enumerate().map(depth).fold(0.0, f64::max)
}

#[test]
fn robots_in_a_row_do_not_push_the_first_through_a_thin_wall() {
    for order in ["Simultaneous", "Sequential"] {
        for radii_per_step in [0.4, 0.9, 1.0, 5.0, 200.0] {
            let mut simulation = simulation_of(&format!(
                "(time: (dt_s: 0.1), order: {order},
                    objects: [Polygon(corners_m: [(5, 4), (5.01, 4), (5.01, 6), (5, 6)])],
                    groups: [(name: \"row\", at: [(4.5, 5, 0), (4.3, 5, 0), (4.1, 5, 0)], {DISC},
                        controller: Constant(v_m_per_s: {radii_per_step}))])"
            ));
            for step in 0..100 {
                simulation.step(1);
                for (x_m, y_m) in places(&simulation) {
                    assert!(x_m <= 4.9 + 1e-8, "{order} {radii_per_step}: ({x_m}, {y_m}) in step {step}");
                }
            }
        }
    }
}

#[test]
fn no_robot_of_a_crowd_leaves_a_corner() {
    for order in ["Simultaneous", "Sequential"] {
        for radii_per_step in [0.4, 1.0] {
            let mut simulation = simulation_of(&format!(
                "(time: (dt_s: 0.1), order: {order},
                    objects: [Polygon(corners_m: [(5, 0), (5.01, 0), (5.01, 5.01), (5, 5.01)]),
                        Polygon(corners_m: [(0, 5), (5.01, 5), (5.01, 5.01), (0, 5.01)])],
                    groups: [(name: \"crowd\", count: 50, {DISC},
                        spawn: UniformBox(min_m: (2, 2), max_m: (4.8, 4.8), facing: Heading(rad: 0.785)),
                        controller: Constant(v_m_per_s: {radii_per_step}))])"
            ));
            for step in 0..100 {
                simulation.step(1);
                for (x_m, y_m) in places(&simulation) {
                    assert!(x_m < 5.0 && y_m < 5.0, "{order} {radii_per_step}: ({x_m}, {y_m}) in step {step}");
                }
            }
            assert!(deepest(&simulation) <= 0.05, "{order} {radii_per_step}: {}", deepest(&simulation));
        }
    }
}

#[test]
fn a_jam_of_robots_comes_to_rest() {
    let scenes = [
        (
            "count: 30, spawn: UniformDisc(center_m: (5, 5), radius_m: 0.2, avoid_overlap: false)",
            "Constant(v_m_per_s: 0)",
        ),
        (
            "count: 100, spawn: UniformDisc(center_m: (5, 5), radius_m: 4)",
            "Waypoint(points_m: [(5, 5)], speed: (p: 1, max: 0.3))",
        ),
    ];
    for order in ["Simultaneous", "Sequential"] {
        for (robots, controller) in scenes {
            for dt_s in [0.1, 0.3] {
                let mut simulation = simulation_of(&format!(
                    "(time: (dt_s: {dt_s}), order: {order},
                        groups: [(name: \"crowd\", {robots}, {DISC}, motion: Unicycle(), controller: {controller})])"
                ));
                simulation.step(100);
                for _ in 0..20 {
                    simulation.step(1);
                    let deepest = deepest(&simulation);
                    assert!(deepest <= 0.05, "{order} {robots} {dt_s}: {deepest} in step {}", simulation.steps());
                }
            }
        }
    }
}

#[test]
fn jams_are_the_same_whatever_the_threads_and_after_a_restore() {
    for order in ["Simultaneous", "Sequential"] {
        let scene = scene_of(&format!(
            "(time: (dt_s: 0.3), order: {order}, arena: (size_m: (6, 6), boundary: Walls),
                objects: [Polygon(corners_m: [(3, 2), (3.01, 2), (3.01, 4), (3, 4)])],
                groups: [(name: \"crowd\", count: 80, {DISC}, spawn: UniformBox(min_m: (0.2, 0.2), max_m: (5.8, 5.8)),
                    controller: Waypoint(points_m: [(2.8, 3)], speed: (p: 1, max: 0.3)))])"
        ));
        let with = |threads| Simulation::with_workers(&scene, &Recipe::standard(), Workers::eager(threads)).unwrap();
        let expected = hashes(&mut with(1), 60);
        assert_eq!(hashes(&mut with(2), 60), expected, "{order}");
        let mut half = with(1);
        half.step(30);
        let kept = half.snapshot();
        half.step(10);
        half.restore(&kept).unwrap();
        assert_eq!(hashes(&mut half, 30), expected[30..], "{order}");
    }
}

/// Two robots that drive at each other and then at an obstacle, each with its own `collides`.
fn meeting(settings: &str, body: &str, [one, other]: [&str; 2]) -> Simulation {
    simulation_of(&format!(
        "(time: (dt_s: 0.1), {settings}, metrics: [TotalCollisions(), Count(label: \"inside\", inside: \"area\")],
            objects: [
                Polygon(corners_m: [(4, 0.5), (5, 0.5), (5, 1.5), (4, 1.5)]),
                Region(name: \"area\", area: Disc(center_m: (1.5, 1.0), radius_m: 0.2)),
            ],
            groups: [
                (name: \"a\", at: [(1, 1, 0)], collides: {one}, {body}, controller: Constant(v_m_per_s: 0.5)),
                (name: \"b\", at: [(2, 1, 3.141592653589793)], collides: {other}, {body},
                    controller: Constant(v_m_per_s: 0.5)),
            ])"
    ))
}

/// Only two robots with `Push` stop each other; regions do not detect robots with `Off`; obstacles stop all robots.
#[test]
fn robots_pass_through_those_that_do_not_push() {
    let pairs = [["Push", "Push"], ["Push", "Detect"], ["Detect", "Detect"], ["Push", "Off"], ["Off", "Off"]];
    for order in ["Simultaneous", "Sequential"] {
        for on_collision in ["Push", "Stop"] {
            for body in [DISC, SQUARE] {
                for pair in pairs {
                    let what = format!("{order} {on_collision} {body} {pair:?}");
                    let settings = format!("order: {order}, on_collision: {on_collision}");
                    let mut simulation = meeting(&settings, body, pair);
                    let mut most = 0.0_f64;
                    for _ in 0..20 {
                        simulation.step(1);
                        most = most.max(metric(&simulation, "inside"));
                    }
                    let passed = x_m(&simulation, 0) > x_m(&simulation, 1);
                    assert_eq!(passed, pair != ["Push", "Push"], "{what}");
                    assert_eq!(metric(&simulation, "total_collisions") == 0.0, passed, "{what}");
                    let detected = pair.iter().filter(|collides| **collides != "Off").count();
                    assert_eq!(most, detected as f64, "{what}");
                    simulation.step(200);
                    assert!(!passed || x_m(&simulation, 0) <= 3.9 + 1e-9, "an obstacle stops it: {what}");
                }
            }
        }
    }
}

/// With `overlap_resolution: Classic`, the `collides` of the other robot decides.
#[test]
fn robots_that_do_not_push_are_pushed_in_classic_collisions() {
    let pushed = |pair| {
        let mut simulation = meeting("order: Sequential, overlap_resolution: Classic", DISC, pair);
        simulation.step(20);
        metric(&simulation, "total_collisions") > 0.0
    };
    assert_eq!([["Push", "Off"], ["Off", "Push"], ["Off", "Detect"]].map(pushed), [true, true, false]);
}

#[test]
fn collides_can_be_edited_during_a_run() {
    let mut simulation = meeting("order: Sequential", DISC, ["Push", "Push"]);
    simulation.step(2);
    let before = simulation.hash();
    simulation.apply(set("groups.b.collides", "Off")).unwrap();
    simulation.step(20);
    assert!(x_m(&simulation, 0) > x_m(&simulation, 1));
    let mut plain = meeting("order: Sequential", DISC, ["Push", "Push"]);
    plain.step(2);
    assert_eq!(plain.hash(), before);
    let refused = simulation.apply(set("groups.b.collides", "Offf"));
    assert!(refused.unwrap_err().to_string().contains("did you mean `Off`"));
}

/// A region that is part of the swarm: it counts in metrics and collides; its reading is the number of robots in it.
#[test]
fn a_robot_that_counts_overlaps_is_a_region_in_the_swarm() {
    for order in ["order: Simultaneous", "order: Sequential", "order: Sequential, overlap_resolution: Classic"] {
        let text = format!(
            "(time: (dt_s: 0.1), {order}, metrics: [
                Count(label: \"inside\", inside: \"goal\"), Count(), TotalCollisions(),
                AnyAgent(label: \"who\", when: \"collided\"), Reading(agent: 0, slot: 0),
            ], groups: [
                (name: \"goal\", at: [(2, 1, 0)], collides: Detect, body: Disc(radius_m: 0.5), motion: Static(),
                    sensors: [Overlap(teams: [\"red\"])]),
                (name: \"a\", team: \"red\", at: [(1, 1, 0)], controller: Constant(v_m_per_s: 0.5)),
                (name: \"b\", team: \"blue\", at: [(2, 0.9, 0)], sensors: [BinaryFov(half_angle_rad: 0.1)]),
            ])"
        );
        let mut simulation = simulation_of(&text);
        simulation.step(4);
        let of = |simulation: &Simulation| ["inside", "agents", "who", "reading"].map(|name| metric(simulation, name));
        assert_eq!(of(&simulation), [0.0, 3.0, -1.0, 0.0], "{order}");
        let seen: Vec<f64> = simulation.agents().nth(2).unwrap().readings().flatten().copied().collect();
        assert_eq!(seen, [1.0], "it overlaps the region, and so it sees it: {order}");
        simulation.step(10);
        assert_eq!(of(&simulation), [1.0, 3.0, 0.0, 1.0], "{order}");
        assert_eq!(x_m(&simulation, 0), 2.0);
        let (snapshot, hash) = (simulation.snapshot(), simulation.hash());
        let after = hashes(&mut simulation, 30);
        simulation.restore(&snapshot).unwrap();
        assert_eq!(simulation.hash(), hash, "{order}");
        assert_eq!(hashes(&mut simulation, 30), after, "{order}");
    }
    let lost = simulation_problem("(metrics: [Count(inside: \"goal\")], groups: [(name: \"goal\", at: [(2, 1, 0)])])");
    assert!(lost.contains("`goal` counts no robots: it needs the sensor `Overlap`"), "{lost}");
}

fn simulation_problem(text: &str) -> String {
    Simulation::new(&scene_of(text)).err().map(|problems| problems.to_string()).unwrap_or_default()
}
