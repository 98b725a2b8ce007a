//! The shipped scenes do what they promise.

use swarmarium::scene::reader;
use swarmarium::scene::writer::{Style, write};
use swarmarium::scene::{Scene, shipped};
use swarmarium::{Recipe, Simulation};

use crate::support::{SHIPPED, scene, simulation_of};

#[test]
fn every_shipped_scene_reads_runs_and_round_trips() {
    let recipe = Recipe::standard();
    let mut scenes = 0;
    for (name, text) in shipped::all().chain(shipped::bench()) {
        let scene: Scene = reader::read(recipe.kinds(), name, text).unwrap_or_else(|problems| panic!("{problems}"));
        for style in [Style::Short, Style::Full] {
            let written = write(recipe.kinds(), &scene, style);
            let again: Scene = reader::read(recipe.kinds(), name, &written).unwrap();
            assert_eq!(
                write(recipe.kinds(), &again, Style::Full),
                write(recipe.kinds(), &scene, Style::Full),
                "{name}"
            );
        }
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.step(3);
        let poses = simulation.agents().map(|agent| agent.pose);
        assert!(poses.into_iter().all(|pose| pose.position_m.is_finite()), "{name}");
        scenes += 1;
    }
    assert!(scenes >= SHIPPED.len() + 6, "{scenes} scenes");
}

#[test]
fn six_robots_mill() {
    let good = (1..=10).filter(|seed| {
        let mut scene = scene("scenes/milling.ron");
        scene.seed = *seed;
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.step(4000);
        simulation.metrics()[0] > 0.9
    });
    let good = good.count();
    assert!(good >= 9, "only {good} of 10 seeds mill");
}

#[test]
fn robots_gather() {
    let mut simulation = Simulation::new(&scene("scenes/aggregation.ron")).unwrap();
    simulation.step(1);
    let before = simulation.metrics()[1];
    simulation.step(12_000);
    let after = simulation.metrics()[1];
    assert!(after < before / 4.0, "scatter went from {before} to {after}");
}

#[test]
fn nothing_gets_through_walls_and_obstacles() {
    let mut simulation = Simulation::new(&scene("scenes/obstacles.ron")).unwrap();
    for _ in 0..200 {
        simulation.step(20);
        let space = &simulation.world().resource::<swarmarium::step::CurrentSpace>().0;
        for (position, radius) in space.bodies.positions().iter().zip(space.bodies.radii()) {
            let low = position.min(space.arena.size - *position).min_element();
            assert!(low > radius - 1e-9, "an agent is in the wall");
            // Where a crowd pushes, a few passes leave a little overlap.
            assert!(!space.solids.overlap(&space.arena, *position, radius * 0.9), "an agent is in an obstacle");
        }
    }
}

#[test]
fn spawners_avoid_overlap_and_place_every_agent() {
    let simulation = simulation_of(
        "(groups: [
            (name: \"heap\", count: 200, spawn: Point(position_m: (5.0, 5.0))),
            (name: \"disc\", count: 100, spawn: UniformDisc(center_m: (5.0, 5.0), radius_m: 0.1)),
        ])",
    );
    let agents: Vec<_> = simulation.agents().map(|agent| agent.pose.position_m).collect();
    assert_eq!(agents.len(), 300);
    for (index, a) in agents.iter().enumerate() {
        assert!(agents[..index].iter().all(|b| a.distance(*b) >= 0.2), "agent {index} overlaps another");
    }
}

#[test]
fn first_readings_are_sensed_or_zero_and_spawners_can_wait() {
    let scene = |first: &str, step_spawners: bool| {
        simulation_of(&format!(
            "(first_readings: {first}, step_spawners: {step_spawners},
              groups: [(name: \"g\", at: [(1.0, 1.0, 0.0), (2.0, 1.0, 0.0)], sensors: [BinaryFov()]),
                       (name: \"late\", count: 3, spawn: UniformBox())])"
        ))
    };
    let sum = |simulation: &Simulation| simulation.agents().flat_map(|a| a.readings().flatten().copied()).sum::<f64>();
    assert!(sum(&scene("Sensed", true)) >= 1.0);
    assert_eq!(sum(&scene("Zero", true)), 0.0);
    let mut waiting = scene("Zero", false);
    assert_eq!(waiting.agents().count(), 2);
    waiting.step(1);
    assert_eq!(waiting.agents().count(), 5);
}

#[test]
fn a_wrapping_arena_leads_to_the_other_side() {
    let mut simulation = simulation_of(
        "(arena: (size_m: (2.0, 2.0), walls: Wrapping), time: (dt_s: 0.1),
          groups: [(name: \"g\", at: [(1.95, 1.0, 0.0)], controller: Constant(v_m_per_s: 1.0))],
          metrics: [AverageSpeed()])",
    );
    simulation.step(1);
    let pose = simulation.agents().next().unwrap().pose;
    assert!((pose.position_m.x - 0.05).abs() < 1e-12, "{pose:?}");
    assert!((simulation.metrics()[0] - 1.0).abs() < 1e-12, "crossing the border is no jump");
}
