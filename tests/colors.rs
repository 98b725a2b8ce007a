//! Light, colours of floors and objects, and LEDs, in whole simulations.

use std::fs;

use swarmarium::prelude::*;
use swarmarium_core::agent::outputs::Output;
use swarmarium_core::step::Workers;

use crate::support::{hashes, metric, scene, scene_of, simulation_of};

/// A robot whose LEDs turn red after half a second and off after one, and a robot that watches it.
fn signals(order: &str) -> Simulation {
    simulation_of(&format!(
        "(order: {order}, arena: (size_m: (4.0, 2.0)), time: (dt_s: 0.1), groups: [ \
         (name: \"watcher\", at: [(1.0, 1.0, 0.0)], sensors: [ColorCamera(max_blobs: 1)], \
          controller: Constant()), \
         (name: \"lamp\", at: [(2.0, 1.0, 0.0)], leds: (color: \"#0000ff\"), motion: DifferentialDrive(), \
          controller: Supervisor(conditions: [(name: \"later\", test: After(time_s: 0.45))], states: [ \
          (name: \"blue\", behaviour: Hold(), transitions: [(to: \"red\", when: \"later\")]), \
          (name: \"red\", behaviour: Hold(), outputs: (led: Some(\"#ff0000\")), transitions: [(to: \"off\", when: \"later\")]), \
          (name: \"off\", behaviour: Hold(), outputs: (led: Some(\"off\")))]))], \
         metrics: [ColorShare(color: \"#ff0000\"), ColorShare(of: \"lamp\", label: \"on\")])"
    ))
}

/// Red and blue of what the first robot sees; `None` for nothing.
fn seen(simulation: &Simulation) -> Option<(f64, f64)> {
    let agent = simulation.agents().next()?;
    let reading = agent.readings().next()?;
    (reading[0] > 0.0).then(|| (reading[3], reading[5]))
}

#[test]
fn cameras_see_leds_at_the_end_of_the_step_in_which_they_change() {
    let mut simulation = signals("Simultaneous");
    assert_eq!(seen(&simulation), Some((0.0, 1.0)), "the initial colour");
    let mut changes = Vec::new();
    let mut last = seen(&simulation);
    for step in 1..=20 {
        simulation.step(1);
        let now = seen(&simulation);
        // The reading and the metric are of the same moment.
        assert_eq!(metric(&simulation, "color_share") > 0.0, now == Some((1.0, 0.0)), "{step}");
        assert_eq!(metric(&simulation, "on") > 0.0, now.is_some(), "{step}");
        if now != last {
            changes.push(now);
            last = now;
        }
    }
    assert_eq!(changes, [Some((1.0, 0.0)), None]);
}

#[test]
fn in_turn_the_older_robot_sees_leds_one_step_later() {
    let first = |order: &str, wanted: Option<(f64, f64)>| {
        let mut simulation = signals(order);
        (1..=20).find(|_| {
            simulation.step(1);
            seen(&simulation) == wanted
        })
    };
    for wanted in [Some((1.0, 0.0)), None] {
        let (at_once, in_turn) = (first("Simultaneous", wanted), first("Sequential", wanted));
        assert_eq!(in_turn, at_once.map(|step: i32| step + 1), "{wanted:?}");
    }
}

#[test]
fn programs_switch_leds() {
    let mut simulation = simulation_of(
        "(arena: (size_m: (4.0, 2.0)), groups: [(name: \"watcher\", at: [(1.0, 1.0, 0.0)], sensors: [ColorCamera()]), \
         (name: \"lamp\", at: [(2.0, 1.0, 0.0)], leds: (), controller: External())])",
    );
    simulation.step(1);
    assert_eq!(seen(&simulation), None);
    let edit = Edit::Output { output: Output::Led, agents: vec![1], values: vec![1.0, 0.0, 0.2] };
    simulation.apply(edit).unwrap();
    simulation.step(1);
    assert_eq!(seen(&simulation), Some((1.0, 0.2)));
}

#[test]
fn a_random_floor_follows_from_the_seed_and_survives_edits() {
    let text = |seed: u64| {
        format!(
            "(seed: {seed}, arena: (size_m: (4.0, 4.0)), groups: [(name: \"grid\", at: [{}], sensors: [GroundSensor()])], \
             objects: [Floor(max_m: (4.0, 4.0), columns: 4, lines: 4, pattern: Random(share: 0.5)), \
             Region(name: \"nest\", area: Disc(center_m: (0.5, 0.5), radius_m: 0.3), color: \"#ff0000\")])",
            (0..16).map(|k| format!("({}.5, {}.5, 0.0)", k % 4, k / 4)).collect::<Vec<_>>().join(", ")
        )
    };
    let read = |simulation: &Simulation| -> Vec<f64> {
        simulation.agents().flat_map(|agent| agent.readings().next().unwrap().to_vec()).collect()
    };
    let start = |seed: u64| {
        let mut simulation = simulation_of(&text(seed));
        simulation.step(1);
        simulation
    };
    let (mut one, other) = (start(1), start(2));
    let cells = read(&one);
    // The region covers the first cell.
    assert!((cells[0] - 0.299).abs() < 1e-12, "{cells:?}");
    assert_eq!(read(&start(1)), cells);
    assert_ne!(read(&other), cells);
    let black = cells[1..].iter().filter(|cell| **cell == 0.0).count();
    assert!((7..=8).contains(&black), "8 of 16, of which one may be covered: {cells:?}");
    // An edit that rebuilds the space leaves the floor as it is; one of the floor takes effect.
    let set = |path: &str, value: &str| Edit::Set { path: path.into(), value: value.into() };
    one.apply(set("objects.1.color", "\"#000000\"")).unwrap();
    one.step(1);
    assert_eq!((read(&one)[0], &read(&one)[1..]), (0.0, &cells[1..]));
    one.apply(set("objects.0.pattern", "Random(share: 0.0)")).unwrap();
    one.step(1);
    assert_eq!(read(&one)[1..], [1.0; 15]);
    one.apply(set("objects.0.pattern", "Checkered")).unwrap();
    one.step(1);
    assert_eq!(read(&one)[1..5], [0.0, 1.0, 0.0, 0.0]);
}

/// A crowd with all colours and sensors of them.
const CROWD: &str = r##"(
    seed: 4,
    arena: (size_m: (8.0, 8.0), boundary: Walls),
    time: (dt_s: 0.05),
    groups: [(
        name: "crowd",
        count: 300,
        spawn: UniformBox(min_m: (0.2, 0.2), max_m: (7.8, 7.8)),
        body: Disc(radius_m: 0.08),
        leds: (color: "orange"),
        sensors: [
            GroundSensor(points_m: [(0.05, 0.05), (0.05, -0.05)], reads: Rgb),
            LightSensor(receptors: 6, robots_hide: true, noise: [Gaussian(std_dev: 0.01)]),
            ColorCamera(range_m: 1.0, fov_rad: 4.0),
        ],
        controller: Supervisor(
            v_m_per_s: 0.3,
            conditions: [
                (name: "dark", test: Below(of: (sensor: 0, channel: 0), than: 0.5)),
                (name: "bright", test: Above(of: (sensor: 0, channel: 0), than: 0.5)),
            ],
            states: [
                (name: "on white", behaviour: Wander(), outputs: (led: Some("#ffffff")), transitions: [(to: "on black", when: "dark")]),
                (name: "on black", behaviour: Seek(sensor: 1, direction: Ring(first_rad: 0.5236)), outputs: (led: Some("#ff0000")), transitions: [(to: "on white", when: "bright")]),
            ],
        ),
    )],
    objects: [
        Floor(max_m: (8.0, 8.0), columns: 20, lines: 20, pattern: Random(share: 0.4)),
        Light(position_m: (4.0, 4.0), intensity: 3.0),
        Light(position_m: (1.0, 7.0), color: "#00ff00", motion: Unicycle(), controller: Constant(v_m_per_s: 0.2, turn_rad_per_s: 0.3)),
        Disc(center_m: (3.0, 3.0), radius_m: 0.4, color: "blue"),
        Disc(center_m: (6.0, 5.0), radius_m: 0.4),
    ],
    metrics: [ColorShare(color: "#ff0000")],
)"##;

#[test]
fn colours_keep_the_promise_of_threads_and_snapshots() {
    for order in ["Simultaneous", "Sequential"] {
        let scene = scene_of(&CROWD.replace("seed: 4,", &format!("seed: 4, order: {order},")));
        let recipe = Recipe::standard();
        let run = |workers: Workers| {
            let mut simulation = Simulation::with_workers(&scene, &recipe, workers).unwrap();
            simulation.step(20);
            let share = metric(&simulation, "color_share");
            assert!((0.1..0.8).contains(&share), "{order}: {share}");
            let snapshot = simulation.snapshot();
            (snapshot, hashes(&mut simulation, 20))
        };
        let (snapshot, one) = run(Workers::new(1));
        assert_eq!(one, run(Workers::eager(3)).1, "{order}");
        let mut fresh = Simulation::with(&scene, &recipe, 2).unwrap();
        fresh.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut fresh, 20), one, "{order}");
    }
}

#[test]
fn pictures_of_floors_are_in_the_saved_scene() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("floor.png"), swarmarium_testing::image(2, &[0, 255, 51, 102])).unwrap();
    let text = "(arena: (size_m: (2.0, 2.0)), groups: [(name: \"grid\", \
                at: [(0.5, 0.5, 0.0), (1.5, 0.5, 0.0), (0.5, 1.5, 0.0), (1.5, 1.5, 0.0)], sensors: [GroundSensor()])], \
                objects: [FloorPicture(file: \"floor.png\", max_m: (2.0, 2.0))])";
    let file = folder.path().join("picture.ron");
    fs::write(&file, text).unwrap();
    let kinds = Recipe::standard().kinds().clone();
    let loaded = swarmarium_formats::load::load(&kinds, &file.to_string_lossy(), &[]).unwrap().scene;
    let read = |scene: &Scene| -> Vec<f64> {
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.step(1);
        simulation.agents().map(|agent| (agent.readings().next().unwrap()[0] * 255.0).round()).collect()
    };
    assert_eq!(read(&loaded), [51.0, 102.0, 0.0, 255.0]);
    let saved = swarmarium_scene::scene::writer::write(&kinds, &loaded, swarmarium_scene::scene::writer::Style::Full);
    assert_eq!(read(&scene_of(&saved)), [51.0, 102.0, 0.0, 255.0]);
    assert_eq!(
        Simulation::new(&scene_of(text)).err().map(|problems| problems.to_string().contains("was not read")),
        Some(true)
    );
}

#[test]
fn bench_scenes_read_what_they_measure() {
    let sum = |file: &str, channel: usize| -> f64 {
        let mut simulation = Simulation::new(&scene(&format!("scenes/bench/{file}.ron"))).unwrap();
        simulation.step(2);
        simulation.agents().map(|agent| agent.readings().next().unwrap()[channel]).sum()
    };
    assert!(sum("light_1000", 0) > 0.0);
    let white = sum("ground_1000", 0) / 1000.0;
    assert!((0.55..0.65).contains(&white), "{white}");
    assert!(sum("camera_1000", 0) / 1000.0 > 5.0);
}
