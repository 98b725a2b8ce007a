//! The shipped scenes do what they promise.

use swarmarium_core::step::HasArena as _;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, reader, shipped};
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::{positions, scene, shipped_scenes, simulation_of};

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
    assert!(scenes >= shipped_scenes().len() + 6, "{scenes} scenes");
}

#[test]
fn nothing_gets_through_walls_and_obstacles() {
    let mut simulation = Simulation::new(&scene("scenes/obstacles.ron")).unwrap();
    for _ in 0..200 {
        simulation.step(20);
        let space = &simulation.world().arena().space;
        for (position, radius) in space.bodies.positions().iter().zip(space.bodies.radii()) {
            let low = position.min(space.arena.size - *position).min_element();
            assert!(low > radius - 1e-9, "an agent is in the wall");
            // Where a crowd pushes, a few passes leave a little overlap.
            assert!(!space.solids.overlap(&space.arena, *position, radius * 0.9), "an agent is in an obstacle");
        }
    }
}

#[test]
fn cars_park() {
    let mut simulation = Simulation::new(&scene("scenes/parking_cars.ron")).unwrap();
    simulation.step(1200);
    let cars: Vec<_> = simulation.agents().map(|agent| agent.pose).collect();
    for (car, bay_m) in cars.iter().zip([2.4, 3.8, 5.2, 6.6]) {
        let off = car.position_m - bevy::math::DVec2::new(bay_m, 4.3);
        assert!(off.length() < 0.12, "{car:?}");
        assert!((car.heading_rad - std::f64::consts::FRAC_PI_2).abs() < 0.4, "{car:?}");
    }
    assert_eq!(cars[4].position_m.x, 7.2, "nobody drives it");
}

#[test]
fn spawners_avoid_overlap_and_place_every_agent() {
    let simulation = simulation_of(
        "(groups: [
            (name: \"heap\", count: 200, spawn: Point(position_m: (5.0, 5.0))),
            (name: \"disc\", count: 100, spawn: UniformDisc(center_m: (5.0, 5.0), radius_m: 0.1)),
        ])",
    );
    let agents: Vec<_> = positions(&simulation);
    assert_eq!(agents.len(), 300);
    for (index, a) in agents.iter().enumerate() {
        assert!(agents[..index].iter().all(|b| a.distance(*b) >= 0.2), "agent {index} overlaps another");
    }
}

#[test]
fn first_readings_are_sensed_or_zero_and_spawners_can_wait() {
    let scene = |first: &str, spawn_before_first_step: bool| {
        simulation_of(&format!(
            "(initial_readings: {first}, spawn_before_first_step: {spawn_before_first_step},
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
        "(arena: (size_m: (2.0, 2.0), boundary: Periodic), time: (dt_s: 0.1),
          groups: [(name: \"g\", at: [(1.95, 1.0, 0.0)], controller: Constant(v_m_per_s: 1.0))],
          metrics: [AverageSpeed()])",
    );
    simulation.step(1);
    let pose = simulation.agents().next().unwrap().pose;
    assert!((pose.position_m.x - 0.05).abs() < 1e-12, "{pose:?}");
    assert!((simulation.metrics()[0] - 1.0).abs() < 1e-12, "crossing the border is not a jump");
}

#[test]
fn no_agent_is_spawned_in_an_obstacle_a_wall_or_a_neighbour() {
    for boundary in ["Open", "Walls", "Periodic"] {
        let simulation = simulation_of(&format!(
            "(arena: (size_m: (4.0, 4.0), boundary: {boundary}),
              groups: [(name: \"g\", count: 100, spawn: UniformBox(min_m: (0.0, 0.0), max_m: (4.0, 4.0)))],
              objects: [Disc(center_m: (2.0, 2.0), radius_m: 1.0)])"
        ));
        let space = &simulation.world().arena().space;
        let places: Vec<_> = positions(&simulation);
        assert_eq!(places.len(), 100);
        for (index, place) in places.iter().enumerate() {
            assert!(!space.solids.overlap(&space.arena, *place, 0.0999), "{boundary}: in the obstacle");
            assert_eq!(space.arena.confine(*place, 0.1), *place, "{boundary}: in the wall");
            let near = places[..index].iter().find(|other| space.arena.offset(*place, **other).length() < 0.1999);
            assert_eq!(near, None, "{boundary}: in a neighbour");
        }
    }
}

#[test]
fn a_spawner_without_room_ends() {
    let simulation = simulation_of(
        "(arena: (size_m: (1.0, 1.0), boundary: Walls),
          groups: [(name: \"g\", count: 200, spawn: Point(position_m: (0.5, 0.5))),
                   (name: \"tiny\", count: 3, body: Disc(radius_m: 1e-6), spawn: Point(position_m: (0.5, 0.5)))])",
    );
    assert_eq!(simulation.agents().count(), 203);
}

#[test]
fn a_scene_from_code_has_the_limits_of_one_from_a_file() {
    use swarmarium::prelude::{Body, Group, Slot};
    use swarmarium_core::motion::differential_drive::DifferentialDrive;

    let group = Group {
        name: "g".into(),
        body: Body::Disc { radius_m: f64::NAN },
        motion: Slot::new(DifferentialDrive { max_wheel_m_per_s: -1.0, ..Default::default() }),
        ..Group::default()
    };
    let problems = Simulation::new(&Scene { groups: vec![group], ..Scene::default() }).err().unwrap();
    insta::assert_snapshot!(problems, @r"
    scene: groups.g.body.radius_m: expected a number from 0.000001 to 1000000, found NaN
    scene: groups.g.motion.max_wheel_m_per_s: expected a number > 0 and ≤ 1000000, found -1
    ");
}

#[test]
fn scenes_beyond_limits_and_crossed_outlines_are_refused() {
    let polygon = |corners: &str| format!("(objects: [Polygon(corners_m: [{corners}])])");
    let problem = |text: &str| {
        let scene = crate::support::scene_of(text);
        Simulation::new(&scene).err().unwrap().problems[0].to_string()
    };
    insta::assert_snapshot!(
        problem(&polygon("(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)")),
        @"objects[0]: the outline is not a simple polygon: its edges cross or touch"
    );
    insta::assert_snapshot!(
        problem(&polygon(&"(0.0, 0.0), ".repeat(5000))),
        @"objects[0]: at most 4096 corners fit in a polygon, found 5000"
    );
    insta::assert_snapshot!(
        problem("(groups: [(name: \"a\", count: 600000), (name: \"b\", count: 600000)])"),
        @"groups: at most 1000000 agents fit in a scene, found 1200000"
    );
    insta::assert_snapshot!(
        problem("(groups: [(name: \"a\", count: 100000, sensors: [Proximity(rays: 4096)])])"),
        @"groups: at most 50000000 readings fit in a scene, found 409600000"
    );
}
