//! Bodies with outlines, objects that notice, move and come from files.

use std::fs;

use swarmarium::prelude::DVec2;
use swarmarium_core::step::HasArena as _;
use swarmarium_core::step::order::Order;
use swarmarium_formats::load::load;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::{Recipe, Simulation};
use swarmarium_space::{Outline, Space, polygon};

use crate::support::{hashes, positions, scene, scene_of, simulation_of};

fn space(simulation: &Simulation) -> &Space {
    &simulation.world().arena().space
}

/// How deep (m) the centre of a disc is inside any solid that blocks.
fn deepest_m(space: &Space) -> f64 {
    let depth = |center: DVec2, solid: usize| match space.solids.outline(solid) {
        Outline::Disc { center: middle, radius } => (radius - center.distance(middle)).max(0.0),
        Outline::Polygon(corners) if polygon::contains(corners, center) => {
            polygon::closest_boundary_point(corners, center).map_or(0.0, |(nearest, _)| nearest.distance(center))
        }
        Outline::Polygon(_) => 0.0,
    };
    let discs = (0..space.bodies.len()).filter(|row| space.bodies.outline(*row).is_none());
    let solids = |center| {
        (0..space.solids.len())
            .filter(|solid| space.solids.properties(*solid).blocks)
            .map(move |solid| depth(center, solid))
    };
    discs.flat_map(|row| solids(space.bodies.positions()[row])).fold(0.0, f64::max)
}

#[test]
fn the_playground_keeps_robots_out_of_everything_in_both_orders() {
    for order in [Order::Simultaneous, Order::Sequential] {
        let mut simulation = Simulation::new(&scene_in(order)).unwrap();
        let (mut nested, mut farthest) = (0, 0.0_f64);
        let ball = space(&simulation).things[3].position;
        for _ in 0..1200 {
            simulation.step(1);
            let space = space(&simulation);
            assert!(deepest_m(space) < 1e-9, "{order:?}, step {}: {}", simulation.steps(), deepest_m(space));
            nested += usize::from(!space.things[0].inside.is_empty());
            farthest = farthest.max(space.things[3].position.distance(ball));
        }
        assert!(nested > 0, "{order:?}: nobody was in the nest");
        assert!((farthest - 1.0).abs() < 0.01, "{order:?}: the ball was {farthest} m away");
        assert_eq!(simulation.agents().count(), 18);
        assert!(simulation.metrics()[1] > 0.0);
    }
}

fn scene_in(order: Order) -> Scene {
    Scene { order, ..scene("scenes/playground.ron") }
}

#[test]
fn the_playground_keeps_the_promise_in_sequential_order_too() {
    let scene = scene_in(Order::Sequential);
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step(30);
    let snapshot = simulation.snapshot();
    let ahead = hashes(&mut simulation, 40);
    let mut fresh = Simulation::with(&scene, &Recipe::standard(), 3).unwrap();
    fresh.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut fresh, 40), ahead);
}

/// A robot at (1, 2) that looks along x, and a fork that opens towards it around (2, 2).
fn with_fork(sensor: &str) -> Simulation {
    simulation_of(&format!(
        "(groups: [(name: \"eye\", at: [(1.0, 2.0, 0.0)], sensors: [{sensor}]), (name: \"fork\", \
         at: [(2.0, 2.0, 3.141592653589793)], body: Polygon(corners_m: [(0.5, 0.3), (-0.5, 0.3), (-0.5, -0.3), \
         (0.5, -0.3), (0.5, -0.2), (-0.4, -0.2), (-0.4, 0.2), (0.5, 0.2)]))])"
    ))
}

#[test]
fn outlines_are_sensed_as_drawn() {
    let read = |sensor: &str| with_fork(sensor).agents().next().unwrap().readings().next().unwrap().to_vec();
    // Between the prongs there is nothing but the bottom, though the disc around the fork begins much nearer.
    let ray = read("Proximity(rays: 1, span_rad: 0.0, range_m: 3.0, response: Distance)");
    assert!((ray[0] - 1.3).abs() < 1e-9, "{ray:?}");
    let aside = read("Proximity(rays: 1, from_rad: 0.4, span_rad: 0.0, range_m: 3.0, response: Distance)");
    assert!((aside[0] - (0.5 / swarmarium_base::math::cos(0.4) - 0.1)).abs() < 0.02, "{aside:?}");
    assert_eq!(read("BinaryFov(range_m: 1.35, half_angle_rad: 0.05)"), [0.0]);
    assert_eq!(read("BinaryFov(range_m: 1.45, half_angle_rad: 0.05)"), [1.0]);
    assert_eq!(read("BinaryFov(range_m: 1.35, half_angle_rad: 0.5)"), [1.0]);
    let simulation = with_fork("BinaryFov(range_m: 2.0)");
    let senses = simulation.agents().next().unwrap().senses();
    assert_eq!(senses[0].sees.as_deref(), Some("fork"));
}

#[test]
fn no_robot_pushes_outlines_and_static_robots() {
    let mut simulation = simulation_of(
        "(time: (dt_s: 0.1), groups: [\
         (name: \"box\", at: [(1.0, 1.0, 0.0)], motion: Static(), body: Polygon(corners_m: [(-0.2, -0.2), (0.2, -0.2), \
         (0.2, 0.2), (-0.2, 0.2)])), (name: \"post\", at: [(1.0, 3.0, 0.0)], body: Disc(radius_m: 0.2), motion: Static()), \
         (name: \"runners\", at: [(0.0, 1.05, 0.0), (0.0, 3.05, 0.0)], body: Disc(radius_m: 0.1), \
         controller: Constant(v_m_per_s: 0.5))])",
    );
    simulation.step(100);
    let at: Vec<DVec2> = positions(&simulation);
    assert_eq!(at[..2], [DVec2::new(1.0, 1.0), DVec2::new(1.0, 3.0)]);
    // The one is held by the side of the box, the other slides round the post.
    assert!((at[2].x - 0.7).abs() < 1e-6, "{:?}", at[2]);
    assert!(at[3].x > 2.0, "{:?}", at[3]);
}

#[test]
fn drawings_beside_a_scene_are_read_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("hull.svg", "<svg><polygon points='0 0 1 0 0 -2'/></svg>");
    write("two.svg", "<svg><rect width='1' height='1'/><rect width='1' height='1'/></svg>");
    write("map.svg", "<svg viewBox='0 0 100 100'><circle cx='50' cy='10' r='5'/></svg>");
    let scene = |body: &str, map: &str| {
        format!("(groups: [(name: \"one\", body: Polygon(file: \"{body}\"))],\n objects: [Drawing(file: \"{map}\")])")
    };
    write("good.ron", &scene("hull.svg", "map.svg"));
    write("bad.ron", &scene("two.svg", "../map.svg"));
    let recipe = Recipe::standard();
    let name = |name: &str| folder.path().join(name).display().to_string();
    let loaded = load(recipe.kinds(), &name("good.ron"), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let corners = loaded.scene.groups[0].body.corners_m().unwrap();
    assert_eq!(corners, [DVec2::ZERO, DVec2::X, DVec2::new(0.0, 2.0)]);
    let simulation = Simulation::new(&loaded.scene).unwrap_or_else(|problems| panic!("{problems}"));
    let solid = space(&simulation).things[0].solids.start;
    let Outline::Polygon(circle) = space(&simulation).solids.outline(solid) else { panic!("a circle is a polygon") };
    assert!(polygon::centroid(circle).distance(DVec2::new(0.5, 0.9)) < 1e-9);
    // The scene as it was resolved needs the files no more.
    let written = swarmarium_scene::scene::writer::write(
        recipe.kinds(),
        &loaded.scene,
        swarmarium_scene::scene::writer::Style::Full,
    );
    assert!(Simulation::new(&scene_of(&written)).is_ok());
    let problems = load(recipe.kinds(), &name("bad.ron"), &[]).unwrap_err().problems;
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    1:45: groups[0].body.file: `two.svg`: expected a drawing of one outline, found 2
    2:26: objects[0].file: `../map.svg` is outside the folder of the scene
    ");
}

#[test]
fn a_map_is_saved_without_its_image_and_runs_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // Walls of one pixel around 40 × 40 pixels, and dark pixels within.
    let pixel =
        |x: u32, y: u32| match x.is_multiple_of(39) || y.is_multiple_of(39) || (x * 7 + y * 11).is_multiple_of(23) {
            true => 0_u8,
            false => 254,
        };
    let pixels: Vec<u8> = (0..1600).map(|k| pixel(k % 40, k / 40)).collect();
    fs::write(folder.path().join("map.pgm"), [b"P5\n# a map\n40 40\n255\n".as_slice(), &pixels].concat()).unwrap();
    let scene = "(arena: (size_m: (10.0, 10.0)), \
        objects: [Drawing(file: \"map.pgm\", m_per_unit: 0.2, position_m: (2.0, 0.5), turn_rad: 0.2)], \
        groups: [(name: \"g\", count: 6, spawn: UniformBox(min_m: (3.0, 2.0), max_m: (6.0, 6.0)), body: Disc(radius_m: 0.05), \
        sensors: [LaserScanner(range_m: 8.0), Proximity(range_m: 0.4)], controller: Constant(v_m_per_s: 0.3, turn_rad_per_s: 0.2))])";
    fs::write(folder.path().join("scene.ron"), scene).unwrap();
    let recipe = Recipe::standard();
    let loaded = load(recipe.kinds(), &folder.path().join("scene.ron").display().to_string(), &[]);
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}"));
    let style = swarmarium_scene::scene::writer::Style::Full;
    let written = swarmarium_scene::scene::writer::write(recipe.kinds(), &loaded.scene, style);
    let [mut one, mut other] = [loaded.scene, scene_of(&written)]
        .map(|scene| Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}")));
    assert!(space(&one).things[0].solids.len() > 64, "enough for a grid");
    for _ in 0..5 {
        one.step(10);
        other.step(10);
        assert_eq!(one.hash(), other.hash());
    }
}

#[test]
fn bad_objects_are_refused_with_their_place() {
    let bad = [
        "groups: [(name: \"a\", body: Polygon(corners_m: [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]))]",
        "groups: [(name: \"a\", body: Polygon())]",
        "groups: [(name: \"a\", body: Polygon(file: \"a.svg\"))]",
        "objects: [Drawing(file: \"a.svg\")]",
        "objects: [Disc(color: \"red\")]",
        "objects: [Goal(area: Box(min_m: (1.0, 1.0), max_m: (0.0, 2.0)))]",
        "objects: [Disc(motion: Unicycle(), controller: Diffusion())]",
        "arena: (background: \"#12345g\")",
    ];
    let refusal = |text: &&str| {
        let Err(problems) = Simulation::new(&scene_of(&format!("({text})"))) else { panic!("{text} is fine") };
        problems.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    insta::assert_snapshot!(bad.iter().map(refusal).collect::<Vec<_>>().join("\n"), @r"
    groups[0].body: the outline is not a simple polygon: its edges cross or touch
    groups[0].body: the outline needs at least 3 corners, found 0
    groups[0].body: `a.svg` was not read: drawings are read when a scene is opened from its file
    objects[0]: `a.svg` was not read: drawings are read when a scene is opened from its file
    objects[0]: `red` is not a colour of the palette: write `#ff0000`, or one of sky blue, orange, green, purple, blue, vermilion, yellow, text, dim and accent
    objects[0]: `min_m` of the box must be below and left of `max_m`
    objects[0].controller: Diffusion commands the speeds of two wheels, but the motion model Unicycle takes a speed and a turn rate or a velocity over the ground
    arena.background: `#12345g` is not a colour: expected `#rrggbb`, such as `#56b4e9`, or a name: sky blue, orange, green, purple, blue, vermilion, yellow, text, dim or accent
    ");
}

#[test]
fn an_object_that_only_senses_changes_nothing_for_robots() {
    let poses = |objects: &str| {
        let mut simulation = simulation_of(&format!(
            "(order: Sequential, overlap_resolution: Classic, objects: [{objects}], groups: [(name: \"g\", at: [(1.0, 1.0, 0.0),
                (1.15, 1.0, 3.0), (1.1, 1.1, 4.0)], controller: Constant(v_m_per_s: 0.2))])"
        ));
        simulation.step(50);
        positions(&simulation)
    };
    assert_eq!(poses(""), poses("Disc(center_m: (8.0, 8.0), sensors: [Constant()])"));
}
