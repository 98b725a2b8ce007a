//! Robots that run into things: they are pushed, they stop, or the run does.

use swarmarium::clock::Host;
use swarmarium::edit::Edit;
use swarmarium::step::Workers;
use swarmarium::{Recipe, Simulation};

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
        "(time: (dt_s: 0.1), on_collision: Stop, arena: (size_m: (4, 4), walls: Walled),
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
    half.restore(&kept);
    assert_eq!(hashes(&mut half, 150), expected[150..]);
}

#[test]
fn who_is_put_into_a_wall_may_leave_it() {
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
fn nobody_drives_through_a_thin_wall_in_a_long_step() {
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
fn two_that_were_put_into_one_place_drive_apart() {
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
                    "(time: (dt_s: 0.1), {settings}, arena: ({corner}size_m: (2, 2), walls: Wrapping),
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
        "(time: (dt_s: 0.1), on_collision: Stop, arena: (corner_m: (-3, 2), size_m: (4, 4), walls: Wrapping),
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
    let scene = scene_of("(order: Sequential, collisions: Classic, on_collision: Stop)");
    let why = Simulation::new(&scene).err().unwrap().to_string();
    assert!(why.contains("on_collision") && why.contains("collisions: Standard"), "{why}");
}
