//! The promise of determinism, where the matrix of `verify` does not look.

use swarmarium_core::step::Workers;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::path;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::edits::set;
use crate::support::{hashes, scene, scene_of, shipped_scenes, simulation_of};

#[test]
fn the_same_scene_gives_the_same_hashes_and_another_seed_gives_others() {
    for file in shipped_scenes() {
        let scene = scene(&file);
        let mut first = Simulation::new(&scene).unwrap();
        let mut second = Simulation::new(&scene).unwrap();
        assert_eq!(first.hash(), second.hash(), "{file} at step 0");
        assert_eq!(hashes(&mut first, 50), hashes(&mut second, 50), "{file}");
        let mut other = scene.clone();
        other.seed += 1;
        assert_ne!(Simulation::new(&other).unwrap().hash(), Simulation::new(&scene).unwrap().hash(), "{file}");
    }
}

/// Enough agents that threads share the work.
const CROWD: &str = r#"(
    arena: (size_m: (40.0, 40.0), boundary: Periodic),
    groups: [(
        name: "crowd",
        count: 2500,
        spawn: UniformBox(min_m: (0.0, 0.0), max_m: (40.0, 40.0)),
        motion: DifferentialDrive(),
        sensors: [Proximity(rays: 8, range_m: 0.5), BinaryFov(sight: (occlusion: true))],
        controller: Diffusion(wheel_m_per_s: 0.5),
    )],
    metrics: [Scatter()],
)"#;

#[test]
fn the_number_of_threads_changes_no_hash() {
    let scene = scene_of(CROWD);
    let recipe = Recipe::standard();
    let run = |workers: Workers| {
        let mut simulation = Simulation::with_workers(&scene, &recipe, workers).unwrap();
        hashes(&mut simulation, 30)
    };
    let one = run(Workers::new(1));
    assert_eq!(one, run(Workers::new(2)));
    assert_eq!(one, run(Workers::new(5)));
    assert_eq!(one, run(Workers::eager(3)), "with overlaps looked for by several threads");
}

#[test]
fn a_snapshot_restores_the_whole_state() {
    for file in shipped_scenes() {
        let scene = scene(&file);
        let mut simulation = Simulation::new(&scene).unwrap();
        simulation.step(37);
        let (snapshot, hash) = (simulation.snapshot(), simulation.hash());
        let ahead = hashes(&mut simulation, 40);
        simulation.restore(&snapshot).unwrap();
        assert_eq!(simulation.hash(), hash, "{file}: right after restoring");
        assert_eq!(hashes(&mut simulation, 40), ahead, "{file}: the same simulation goes on the same way");
        let mut fresh = Simulation::new(&scene).unwrap();
        fresh.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut fresh, 40), ahead, "{file}: another simulation goes on the same way");
    }
}

#[test]
fn a_simulation_that_restarts_with_another_scene_is_a_new_one() {
    let mut scenes: Vec<_> = shipped_scenes().iter().map(|file| scene(file)).collect();
    // Each one after another neighbour, too.
    let backwards: Vec<_> = scenes.iter().rev().cloned().collect();
    scenes.extend(backwards);
    let mut restarted = Simulation::new(&scenes[0]).unwrap();
    for scene in &scenes {
        let mut fresh = Simulation::new(scene).unwrap();
        restarted.restart(scene).unwrap();
        let name = &scene.name;
        assert_eq!(restarted.hash(), fresh.hash(), "{name} at step 0");
        assert_eq!(hashes(&mut restarted, 40), hashes(&mut fresh, 40), "{name}");
        // A metric may have no number yet.
        let bits = |simulation: &Simulation| simulation.metrics().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert!(restarted.edits().is_empty() && bits(&restarted) == bits(&fresh), "{name}");
        let edit = Edit::Move { agent: 0, x_m: 0.5, y_m: 0.5, heading_rad: 0.0 };
        // Scenes without agents refuse it.
        let _ = restarted.apply(edit);
        restarted.step(3);
    }
}

#[test]
fn a_snapshot_undoes_an_edit() {
    let mut simulation = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    simulation.step(5);
    let (snapshot, hash) = (simulation.snapshot(), simulation.hash());
    simulation.apply(set("groups.millers.controller", "Constant()")).unwrap();
    simulation.apply(Edit::Move { agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }).unwrap();
    simulation.step(5);
    assert_ne!(simulation.hash(), hash);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(simulation.hash(), hash);
    let mut untouched = Simulation::new(&scene("scenes/milling.ron")).unwrap();
    untouched.step(5);
    assert_eq!(hashes(&mut simulation, 20), hashes(&mut untouched, 20));
}

#[test]
fn a_simulation_can_move_to_another_thread() {
    let scene = scene("scenes/obstacles.ron");
    let mut here = Simulation::new(&scene).unwrap();
    here.step(20);
    let mut moved = Simulation::new(&scene).unwrap();
    moved.step(10);
    let moved = std::thread::spawn(move || {
        moved.step(10);
        moved.hash()
    });
    assert_eq!(moved.join().unwrap(), here.hash());
}

#[test]
fn an_additional_sensor_changes_no_other_random_numbers() {
    let place = |sensors: &str| {
        let simulation = simulation_of(&format!(
            "(groups: [
                (name: \"a\", count: 5, spawn: UniformDisc(), sensors: [{sensors}]),
                (name: \"b\", count: 5, spawn: UniformBox()),
            ])"
        ));
        simulation.agents().map(|agent| agent.pose).collect::<Vec<_>>()
    };
    assert_eq!(place(""), place("BinaryFov(), Proximity()"));
}

#[test]
fn drawing_changes_no_hash() {
    use bevy::math::DVec2;
    use swarmarium::prelude::View;

    let mut drawn = Simulation::new(&scene("scenes/obstacles.ron")).unwrap();
    let mut plain = Simulation::new(&scene("scenes/obstacles.ron")).unwrap();
    let view = View::fit(drawn.scene(), DVec2::new(800.0, 600.0));
    for _ in 0..20 {
        drawn.step(1);
        assert!(drawn.picture(&view).items.len() > 100);
    }
    assert_eq!(drawn.picture(&view), drawn.picture(&view));
    plain.step(20);
    assert_eq!(drawn.hash(), plain.hash());
}

#[test]
fn fields_that_influence_no_result_are_not_hashed() {
    let recipe = Recipe::standard();
    let hash = |path: &str, value: &str| {
        let mut scene = scene("scenes/milling.ron");
        path::set(recipe.kinds(), &mut scene, path, value).unwrap_or_else(|problem| panic!("{path}: {problem}"));
        let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
        simulation.step(3);
        simulation.hash()
    };
    let plain = hash("seed", "7");
    for (path, value) in [
        ("view.y_axis", "Down"),
        ("view", "(click: Restart)"),
        ("view", "(camera: [(at_s: 0.0)])"),
        ("view.movie_frames", "5"),
        ("view.fresh_s", "1.5"),
        ("view.connections", "true"),
        ("name", "\"another\""),
        ("about", "\"another\""),
        ("tasks", "[\"count them\"]"),
        ("metadata", "[(name: \"author\", text: \"nobody\")]"),
        ("controls", "[]"),
        ("arena.background", "\"#102030\""),
        ("groups.millers.look.trail_s", "3.0"),
        ("groups.millers.look.color", "\"#56b4e9\""),
        ("time.scale", "2.0"),
        ("time.max_steps_per_frame", "3"),
        ("stop.steps", "77"),
    ] {
        assert_eq!(hash(path, value), plain, "{path}: {value}");
    }
    for (path, value) in
        [("seed", "8"), ("time.dt_s", "0.03"), ("groups.millers.team", "\"a\""), ("order", "Sequential")]
    {
        assert_ne!(hash(path, value), plain, "{path}: {value}");
    }
}
