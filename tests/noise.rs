//! Rates and noise: what every sensor and controller has besides its own parameters.

use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, path, reader};
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::edits::set;
use crate::support::{hashes, scene_of, simulation_of};

/// A robot that circles a post, so that what it sees changes.
fn scene_with(sensor: &str, controller: &str) -> String {
    format!(
        "(time: (dt_s: 0.1), groups: [
            (name: \"eye\", at: [(1.0, 1.0, 0.0)], sensors: [BinaryFov(half_angle_rad: 0.4, {sensor})],
                controller: Constant(turn_rad_per_s: 2.0, {controller})),
            (name: \"post\", at: [(2.0, 1.0, 0.0)]),
        ])"
    )
}

/// The reading of the eye after each step.
fn readings(simulation: &mut Simulation, steps: usize) -> Vec<f64> {
    let one = |_| {
        simulation.step(1);
        simulation.agent(0).unwrap().readings().next().unwrap()[0]
    };
    (0..steps).map(one).collect()
}

fn read_with(sensor: &str, steps: usize) -> Vec<f64> {
    readings(&mut simulation_of(&scene_with(sensor, "")), steps)
}

#[test]
fn common_fields_are_written_among_the_fields_of_the_kind() {
    let text = scene_with("rate_hz: 5.0, noise: [Flip(false_positive: 0.5), Delay()]", "phase_s: 0.25");
    let (scene, recipe) = (scene_of(&text), Recipe::standard());
    for style in [Style::Short, Style::Full] {
        let written = write(recipe.kinds(), &scene, style);
        let again: Scene = reader::read(recipe.kinds(), "again.ron", &written).unwrap();
        assert_eq!(write(recipe.kinds(), &again, Style::Full), write(recipe.kinds(), &scene, Style::Full));
    }
    let short = write(recipe.kinds(), &scene, Style::Short);
    assert!(short.contains("rate_hz: 5.0") && !short.contains("rate_hz: 0.0"), "{short}");
}

#[test]
fn paths_reach_common_fields() {
    let (mut scene, recipe) = (scene_of(&scene_with("rate_hz: 5.0, noise: [Delay()]", "")), Recipe::standard());
    let kinds = recipe.kinds();
    for (at, value) in [
        ("groups.eye.sensors.0.rate_hz", "2.5"),
        ("groups.eye.sensors.0.noise.0.readings", "7"),
        ("groups.eye.controller.phase_s", "0.25"),
        ("groups.eye.sensors.0.noise", "[Gaussian(std_dev: 0.5)]"),
    ] {
        path::set(kinds, &mut scene, at, value).unwrap();
        assert_eq!(write(kinds, path::get(kinds, &scene, at).unwrap(), Style::Short), value, "{at}");
    }
    let all: Vec<_> = path::leaves(kinds, &scene).into_iter().map(|leaf| leaf.path).collect();
    assert!(all.iter().any(|path| path == "groups.eye.sensors.0.noise.0.std_dev"), "{all:#?}");
}

#[test]
fn bad_rates_and_noise_are_refused_with_their_place() {
    let refused = |sensor: &str| {
        let text = scene_with(sensor, "");
        let read = reader::read::<Scene>(Recipe::standard().kinds(), "bad.ron", &text);
        read.err().map(|problems| problems.to_string()).unwrap_or_default()
    };
    let bad = ["rate_hz: -1.0", "rate_hs: 1.0", "noise: [Gausian()]", "noise: [Delay(readings: 20000)]"];
    insta::assert_snapshot!(bad.map(refused).join("\n"), @r"
    bad.ron:2:100: groups[0].sensors[0].rate_hz: expected a number from 0 to 1000000, found -1.0
    bad.ron:2:91: groups[0].sensors[0].rate_hs: BinaryFov has no field `rate_hs`; did you mean `rate_hz`?
    bad.ron:2:99: groups[0].sensors[0].noise[0]: unknown noise `Gausian`; did you mean `Gaussian`?
    bad.ron:2:115: groups[0].sensors[0].noise[0].readings: expected an integer from 0 to 10000, found 20000
    ");
}

#[test]
fn a_scene_whose_noise_would_fill_the_memory_is_refused() {
    let scene = scene_of(
        "(groups: [(name: \"many\", count: 100000, spawn: UniformBox(avoid_overlap: false),
            sensors: [Proximity(noise: [Delay(readings: 10000)])])])",
    );
    let problems = Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default();
    assert!(problems.contains("readings fit in a scene"), "{problems}");
}

#[test]
fn a_sensor_keeps_its_reading_until_it_is_due() {
    let always = read_with("", 60);
    let seldom = read_with("rate_hz: 2.0, phase_s: 0.3", 60);
    assert!(always.contains(&0.0) && always.contains(&1.0));
    let mut held = 0.0;
    for (step, (now, value)) in (1..).zip(always.iter().zip(&seldom)) {
        if step % 5 == 3 {
            held = *now;
        } else if step < 3 {
            // The reading before the first step.
            held = 1.0;
        }
        assert_eq!(*value, held, "step {step}");
    }
}

#[test]
fn a_controller_decides_when_it_is_due() {
    let mut simulation = simulation_of(&scene_with("", "phase_s: 0.4"));
    let mut headings = Vec::new();
    for _ in 0..6 {
        simulation.step(1);
        headings.push(simulation.agent(0).unwrap().pose.heading_rad);
    }
    assert_eq!(headings[..3], [0.0; 3]);
    assert!(headings[3] > 0.0);
}

#[test]
fn noise_links_act_one_after_the_other() {
    let plain = read_with("", 40);
    let inverted: Vec<f64> = plain.iter().map(|value| 1.0 - value).collect();
    assert_eq!(read_with("noise: [Invert()]", 40), inverted);
    assert_eq!(read_with("noise: [Invert(), Invert()]", 40), plain);
    let late = read_with("noise: [Delay(readings: 3)]", 40);
    // The reading before the first step is the first that comes late.
    assert_eq!(late[..3], [0.0, 0.0, 1.0]);
    assert_eq!(late[3..], plain[..37]);
    assert_eq!(read_with("noise: [Bias(offset: 0.25), Quantise(step: 0.5)]", 1), [1.5]);
}

#[test]
fn each_noise_link_has_its_own_random_numbers() {
    let alone = read_with("noise: [Gaussian(std_dev: 0.1)]", 30);
    let first = read_with("noise: [Gaussian(std_dev: 0.1), Bias()]", 30);
    let both = read_with("noise: [Gaussian(std_dev: 0.1), Gaussian(std_dev: 0.1)]", 30);
    assert_eq!(alone, first);
    assert!(alone.iter().zip(&both).all(|(one, two)| one != two));
}

const NOISY: &str = "rate_hz: 5.0, noise: [Gaussian(std_dev: 0.3), Dropout(probability: 0.3), Delay(readings: 3)]";

#[test]
fn noise_is_the_same_in_both_orders_and_after_a_snapshot() {
    let text = scene_with(NOISY, "rate_hz: 3.0");
    let mut simulation = simulation_of(&text);
    let expected = readings(&mut simulation, 50);
    let sequential = text.replace("(time:", "(order: Sequential, time:");
    assert_eq!(readings(&mut simulation_of(&sequential), 50), expected);

    let snapshot = simulation.snapshot();
    let ahead = hashes(&mut simulation, 30);
    simulation.apply(set("groups.eye.sensors.0.noise", "[]")).unwrap();
    simulation.step(5);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut simulation, 30), ahead);
    let mut elsewhere = simulation_of(&text);
    elsewhere.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut elsewhere, 30), ahead);
}

#[test]
fn rates_and_noise_change_while_it_runs() {
    let mut simulation = simulation_of(&scene_with("", ""));
    let set_and_read = |simulation: &mut Simulation, path: &str, value: &str| {
        simulation.apply(set(path, value)).unwrap();
        simulation.step(1);
        simulation.agent(0).unwrap().readings().next().unwrap()[0]
    };
    assert_eq!(set_and_read(&mut simulation, "groups.eye.sensors.0.noise", "[Bias(offset: 5.0)]"), 6.0);
    assert_eq!(set_and_read(&mut simulation, "groups.eye.sensors.0.noise.0.offset", "7.0"), 8.0);
    assert_eq!(set_and_read(&mut simulation, "agents.0.sensors.0.noise", "[]"), 0.0);
    assert_eq!(set_and_read(&mut simulation, "groups.eye.sensors.0.range_m", "3.0"), 0.0, "the noise is still off");
    assert_eq!(set_and_read(&mut simulation, "groups.eye.controller.rate_hz", "1.0"), 0.0);
    assert_eq!(simulation.agent(0).unwrap().description().sensors[0].common().noise.len(), 0);
}

#[test]
fn a_delay_noise_that_is_switched_off_forgets_its_readings() {
    // With a rate of its own the sensor keeps its settings while it has no noise.
    for more in ["", "rate_hz: 10.0, "] {
        let mut simulation =
            simulation_of(&scene_with(&format!("{more}noise: [Bias(offset: 5.0), Delay(readings: 3)]"), ""));
        readings(&mut simulation, 6);
        let mut set = |noise: &str| {
            let path = "groups.eye.sensors.0.noise".to_owned();
            simulation.apply(set(&path, noise)).unwrap();
            readings(&mut simulation, 4)
        };
        set("[]");
        let again = set("[Bias(offset: 5.0), Delay(readings: 3)]");
        assert!(again[..3] == [0.0; 3] && again[3] >= 5.0, "{more}{again:?}");
    }
}

/// The four sensors that measure distances, before a wall and far from it, with strong noise of every kind.
#[test]
fn noise_leaves_distances_in_the_range_and_numbers_of_robots_alone() {
    let noises = [
        "Gaussian(std_dev: 0.3)",
        "Bias(offset: -5.0)",
        "Bias(offset: 5.0)",
        "Quantise(step: 0.3)",
        "Invert()",
        "Flip(false_positive: 0.5, false_negative: 0.5)",
        "Gaussian(std_dev: 0.3), Delay(readings: 3)",
        "Gaussian(std_dev: 0.3), Dropout(probability: 0.5)",
        "Delay(readings: 2), Gaussian(std_dev: 0.3)",
    ];
    let ends = [(1.0, 0.0, 1.0), (0.5, 0.0, 0.5), (0.2, 0.02, 0.2)];
    for noise in noises {
        for x in [0.12, 2.0] {
            let mut simulation = simulation_of(&format!(
                "(arena: (size_m: (4.0, 4.0), boundary: Walls), time: (dt_s: 0.1), groups: [
                    (name: \"r\", at: [({x}, 2.0, 3.141592653589793)], body: Disc(radius_m: 0.1), motion: Static(), sensors: [
                        LaserScanner(window_deg: 0.0, range_m: 1.0, noise: [{noise}]),
                        Proximity(rays: 1, span_rad: 0.0, range_m: 0.5, response: Distance, noise: [{noise}]),
                        Infrared(mounts: [(0.1, 0.0, 0.0)], noise: [{noise}]),
                        Proximity(rays: 1, span_rad: 0.0, range_m: 0.5, noise: [{noise}]),
                        Neighbours(range_m: 1.0, most: 2, noise: [{noise}]),
                        Targeter(range_m: 1.0, reads: [Number, Distance], noise: [{noise}]),
                    ]),
                    (name: \"other\", at: [({x}, 2.9, 0.0)], motion: Static()),
                ])"
            ));
            for step in 0..200 {
                let agent = simulation.agent(0).unwrap();
                let read: Vec<Vec<f64>> = agent.readings().map(<[f64]>::to_vec).collect();
                for (reading, (nothing, low, high)) in read.iter().zip(ends) {
                    assert!((low..=high).contains(&reading[0]), "{noise}: {reading:?}");
                    // Nothing is there: the reading is the range, whatever the noise.
                    assert!(x < 1.0 || reading[0] == nothing, "{noise}: {reading:?}");
                }
                assert!((0.0..=1.0).contains(&read[3][0]), "{noise}: {read:?}");
                assert!([-1.0, 1.0].contains(&read[4][0]) && (0.0..=1.0).contains(&read[4][1]), "{noise}: {read:?}");
                assert_eq!(read[4][2..], [-1.0, 1.0], "{noise}: nobody else is there");
                let [number, distance_m] = read[5][..] else { panic!() };
                assert!(number.is_nan() || number == 1.0, "{noise}: {number}");
                assert!(distance_m.is_nan() || (0.0..=1.0).contains(&distance_m), "{noise}: {distance_m}");
                assert!(step < 5 || read[4][0] == 1.0, "{noise}: {read:?}");
                simulation.step(1);
            }
        }
    }
}
