//! Objects that robots push: laws of motion, edits, snapshots, metrics.

use std::f64::consts::FRAC_PI_2;

use swarmarium::prelude::*;
use swarmarium_core::object::movable::FrictionWork;
use swarmarium_core::step::HasArena as _;
use swarmarium_scene::check;

use crate::support::{hashes, positions, scene, scene_of, simulation_of};

/// Two robots side by side that drive along x into a box of 2 kg in front of them; more fields of the parts.
fn two_robots(settings: &str, movable: &str) -> Simulation {
    simulation_of(&format!(
        "(arena: (size_m: (6.0, 4.0), boundary: Walls), time: (dt_s: 0.05), groups: [(name: \"pushers\", \
         at: [(0.5, 1.8, 0.0), (0.5, 2.2, 0.0)], body: Disc(radius_m: 0.1), motion: Unicycle({settings}), \
         controller: Constant(v_m_per_s: 0.2))], objects: [Polygon(name: \"box\", \
         corners_m: [(0.6, 1.5), (1.0, 1.5), (1.0, 2.5), (0.6, 2.5)], movable: ({movable})), \
         Region(name: \"nest\", area: Box(min_m: (3.0, 1.0), max_m: (5.0, 3.0)))], \
         metrics: [ObjectDistance(object: \"box\", to: \"nest\"), ObjectsInRegion(region: \"nest\"), \
         ObjectsInRegion(region: \"nest\", wholly: true), PushingWork()])"
    ))
}

fn pose_of(simulation: &Simulation, object: usize) -> Pose {
    let arena = simulation.world().arena();
    let row = arena.space.things[object].row.unwrap();
    *simulation.world().get::<Pose>(arena.actors[row - arena.agents.len()]).unwrap()
}

#[test]
fn two_robots_push_a_box_at_their_speed_and_do_the_work_of_its_friction() {
    let mut simulation = two_robots("", "mass_kg: 2.0, friction: 0.3");
    for step in 1..=200 {
        simulation.step(1);
        let Pose { position_m, heading_rad } = pose_of(&simulation, 0);
        assert!((position_m.x - 0.8 - 0.01 * f64::from(step)).abs() < 1e-8, "{step}: {position_m}");
        assert!(heading_rad.abs() < 1e-9 && (position_m.y - 2.0).abs() < 1e-9, "{step}: {heading_rad}");
    }
    // Friction 0.3, 2 kg, 9.80665 m/s², 2 m.
    let [distance, inside, wholly, work] = simulation.metrics()[..] else { panic!() };
    assert!((work - 0.3 * 2.0 * 9.80665 * 2.0).abs() < 1e-6, "{work}");
    assert!((distance - 1.2).abs() < 1e-8, "{distance}");
    assert_eq!((inside, wholly), (0.0, 0.0));
    simulation.step(30);
    assert_eq!(simulation.metrics()[1..3], [1.0, 0.0]);
    simulation.step(30);
    assert_eq!(simulation.metrics()[1..3], [1.0, 1.0]);
}

#[test]
fn two_robots_move_a_box_only_if_their_forces_exceed_its_friction() {
    // 0.3 · 2 kg · 9.80665 m/s² = 5.88 N.
    for (force, moves) in [(2.9, false), (2.98, true)] {
        let mut simulation = two_robots(&format!("push_force_n: {force:?}"), "mass_kg: 2.0, friction: 0.3");
        simulation.step(100);
        let expected = if moves { 1.0 } else { 0.0 };
        assert!((pose_of(&simulation, 0).position_m.x - 0.8 - expected).abs() < 1e-6, "{force}");
        assert!(positions(&simulation).iter().all(|at| (at.x - 0.5 - expected).abs() < 1e-6), "{force}");
    }
}

#[test]
fn mass_per_area_replaces_the_mass_and_edits_take_effect_at_once() {
    // 0.4 m²: 5 kg/m² are 2 kg.
    let mut simulation = two_robots("push_force_n: 2.98", "density_kg_per_m2: 5.0, friction: 0.3");
    simulation.step(20);
    assert!((pose_of(&simulation, 0).position_m.x - 1.0).abs() < 1e-6);
    let set = |path: &str, value: &str| Edit::Set { path: path.into(), value: value.into() };
    simulation.apply(set("objects.0.movable.friction", "0.32")).unwrap();
    simulation.step(20);
    assert!((pose_of(&simulation, 0).position_m.x - 1.0).abs() < 1e-6);
    simulation.apply(set("objects.0.movable.density_kg_per_m2", "2.0")).unwrap();
    simulation.step(20);
    assert!((pose_of(&simulation, 0).position_m.x - 1.2).abs() < 1e-6);
    simulation.apply(Edit::MoveObject { object: 0, x_m: 3.0, y_m: 1.0, heading_rad: FRAC_PI_2 }).unwrap();
    simulation.step(1);
    let placed = pose_of(&simulation, 0);
    assert_eq!((placed.position_m, placed.heading_rad), (DVec2::new(3.0, 1.0), FRAC_PI_2));
    let space = &simulation.world().arena().space;
    let (low, high) = space.solids.outline(space.things[0].solids.start).bounds();
    assert!((low - DVec2::new(2.5, 0.8)).length() < 1e-12 && (high - DVec2::new(3.5, 1.2)).length() < 1e-12);
    let scene = simulation.scene().clone();
    simulation.restart(&scene).unwrap();
    assert_eq!(pose_of(&simulation, 0).position_m, DVec2::new(0.8, 2.0));
}

#[test]
fn only_solid_objects_that_stay_by_themselves_can_be_pushed() {
    let problem = |object: &str| {
        let world = Simulation::new(&scene_of("()")).unwrap();
        let scene = scene_of(&format!("(objects: [{object}])"));
        let problems = check::fit(world.world(), &scene);
        problems.into_iter().next().map(|problem| (problem.path, problem.message))
    };
    assert_eq!(problem("Disc(movable: ())"), None);
    for (object, about) in [
        ("Region(movable: ())", "solid"),
        ("Light(movable: ())", "solid"),
        ("Disc(blocks: false, movable: ())", "blocks"),
        ("Disc(motion: Unicycle(), movable: ())", "motion model"),
    ] {
        let (path, message) = problem(object).unwrap();
        assert!(path == "objects[0].movable" && message.contains(about), "{object}: {path}: {message}");
    }
}

/// The bench scene with fewer robots, in an order.
fn crowd(order: &str) -> String {
    let text = std::fs::read_to_string(crate::support::path("scenes/bench/push_100.ron")).unwrap();
    text.replace("seed: 3,", &format!("seed: 3,\n    order: {order},")).replace("count: 100", "count: 30")
}

#[test]
fn pushed_objects_keep_the_promise_of_snapshots_and_threads() {
    for order in ["Simultaneous", "Sequential"] {
        let scene = scene_of(&crowd(order));
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.step(150);
        let snapshot = simulation.snapshot();
        let ahead = hashes(&mut simulation, 100);
        let mut fresh = Simulation::with(&scene, &Recipe::standard(), 2).unwrap();
        fresh.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut fresh, 100), ahead, "{order}");
        let world = fresh.world();
        let works = world.arena().actors.iter().filter_map(|object| world.get::<FrictionWork>(*object));
        assert!(works.filter(|work| work.0 > 0.0).count() > 5, "{order}");
    }
}

#[test]
fn a_moving_object_pushes_others() {
    let mut simulation = simulation_of(
        "(arena: (size_m: (6.0, 4.0), boundary: Walls), time: (dt_s: 0.05), objects: [Disc(center_m: (1.0, 2.0), \
         radius_m: 0.2, motion: Unicycle(), controller: Constant(v_m_per_s: 0.2)), \
         Disc(center_m: (1.5, 2.0), radius_m: 0.2, movable: ()), Disc(center_m: (2.0, 2.0), radius_m: 0.2, movable: ())])",
    );
    simulation.step(200);
    assert!((pose_of(&simulation, 0).position_m.x - 3.0).abs() < 1e-9);
    assert!((pose_of(&simulation, 1).position_m.x - 3.4).abs() < 1e-6, "{:?}", pose_of(&simulation, 1));
    assert!((pose_of(&simulation, 2).position_m.x - 3.8).abs() < 1e-6, "{:?}", pose_of(&simulation, 2));
}

#[test]
fn a_heap_of_boxes_at_rest_does_not_move() {
    let boxes: Vec<String> = (0..9)
        .map(|k| {
            let (x, y) = (1.0 + 0.3 * f64::from(k % 3), 1.0 + 0.3 * f64::from(k / 3));
            format!("Disc(center_m: ({x:?}, {y:?}), radius_m: 0.151, movable: ())")
        })
        .collect();
    let mut simulation =
        simulation_of(&format!("(groups: [(name: \"idle\", at: [(4.0, 4.0, 0.0)])], objects: [{}])", boxes.join(", ")));
    let before: Vec<Pose> = (0..9).map(|object| pose_of(&simulation, object)).collect();
    simulation.step(100);
    assert_eq!((0..9).map(|object| pose_of(&simulation, object)).collect::<Vec<_>>(), before);
}

#[test]
fn heaps_that_robots_leave_overlap_by_at_most_a_twentieth_of_a_diameter() {
    let mut simulation = Simulation::new(&scene("scenes/bench/push_100.ron")).unwrap();
    simulation.step(600);
    simulation.apply(Edit::Suspend { is_suspended: true }).unwrap();
    simulation.step(100);
    let space = &simulation.world().arena().space;
    let outline = |object: usize| space.solids.outline(space.things[object].solids.start);
    let radius = |object: usize| space.things[object].reach();
    for one in 0..space.things.len() {
        for other in 0..one {
            // Without a common point once one of them is smaller by a twentieth of its diameter, or deeper by its corners.
            let (a, b) = (outline(one), outline(other));
            let least = radius(one).min(radius(other));
            let deep = |inner: DVec2, of: &swarmarium_space::Outline| match of {
                swarmarium_space::Outline::Disc { center, radius } => radius - center.distance(inner),
                swarmarium_space::Outline::Polygon(corners) if swarmarium_space::polygon::contains(corners, inner) => {
                    swarmarium_space::polygon::closest_boundary_point(corners, inner).unwrap().0.distance(inner)
                }
                swarmarium_space::Outline::Polygon(_) => 0.0,
            };
            let corners = |of: &swarmarium_space::Outline| match of {
                swarmarium_space::Outline::Polygon(corners) => corners.to_vec(),
                swarmarium_space::Outline::Disc { center, radius } => {
                    (0..64).map(|k| *center + *radius * swarmarium_base::math::direction(f64::from(k) / 10.0)).collect()
                }
            };
            let deepest = corners(&a).into_iter().map(|corner| deep(corner, &b));
            let deepest = deepest.chain(corners(&b).into_iter().map(|corner| deep(corner, &a))).fold(0.0, f64::max);
            assert!(deepest <= 0.05 * 2.0 * least, "objects {one} and {other} overlap by {deepest} m");
        }
    }
}
