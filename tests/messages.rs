//! Radio messages that programs send for robots, and the sensor that reads messages with range and bearing.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium::prelude::{
    AddController, Command, Controller, Edit, NoMemory, Recipe, Scene, Senses, Simulation, kind,
};
use swarmarium_base::math::{angle_of, direction, wrap_angle};
use swarmarium_core::agent::CommandForm;
use swarmarium_core::step::Workers;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::reader;

use crate::support::edits::{command, set};
use crate::support::{hashes, metric, positions, simulation_of};

/// Sends its number and the present step.
#[kind(Copy)]
struct Beacon {}

impl Controller for Beacon {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, _: Senses) -> Command {
        Command::default()
    }

    fn message(&self, _: &mut NoMemory, senses: Senses, message: &mut Vec<f64>) {
        message.extend([f64::from(senses.owner.index()), senses.time.step as f64]);
    }
}

/// Drives in a way that depends on everything that it has heard.
#[kind(Copy)]
struct Listener {}

impl Controller for Listener {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, senses: Senses) -> Command {
        let heard: Vec<f64> = senses.heard.packets.iter().map(|packet| packet.numbers.iter().sum()).collect();
        let turn_rad_per_s = 0.01 * heard.iter().sum::<f64>() - 0.5;
        Command::Drive { v_m_per_s: 0.1 * heard.len() as f64, turn_rad_per_s }
    }
}

fn recipe() -> Recipe {
    Recipe::standard().with(|app: &mut App| {
        app.add_controller::<Beacon>().add_controller::<Listener>();
    })
}

fn simulation(text: &str) -> Simulation {
    let scene: Scene = reader::read(recipe().kinds(), "messages.ron", text).unwrap_or_else(|error| panic!("{error}"));
    Simulation::with(&scene, &recipe(), 1).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Two robots that send, with this controller, and three that listen.
fn beacons(controller: &str, rest: &str) -> Simulation {
    simulation(&format!(
        "(seed: 4, time: (dt_s: 0.1), {rest} metrics: [Packets()], groups: [
            (name: \"beacons\", at: [(1.0, 1.0, 0.0), (2.0, 1.0, 0.0)], controller: {controller}(),
                radio: (loss: Bernoulli(probability: 0.3), schedule: Periodic(period_s: 0.3), max_age_s: 1.0)),
            (name: \"listeners\", at: [(3.0, 3.0, 0.0), (4.0, 3.0, 1.0), (5.0, 3.0, 2.0)], controller: Listener(),
                radio: (schedule: Random(min_s: 0.2, max_s: 0.5), max_age_s: 0.5))])"
    ))
}

fn message(agents: &[u32], values: &[f64]) -> Edit {
    Edit::Message { agents: agents.into(), values: values.into() }
}

#[test]
fn robots_hear_the_same_from_a_program_as_from_a_controller() {
    for rest in ["", "order: Sequential,", "delivery: SameStep,", "order: Sequential, delivery: SameStep,"] {
        let (mut native, mut led) = (beacons("Beacon", rest), beacons("External", rest));
        let mut moved = false;
        for step in 1..=60 {
            native.step(1);
            let now = f64::from(step);
            // One edit for both, or one for each.
            let edits = match step % 2 {
                0 => vec![message(&[0, 1], &[0.0, now, 1.0, now])],
                _ => vec![message(&[1], &[1.0, now]), message(&[0], &[0.0, now])],
            };
            edits.into_iter().for_each(|edit| led.apply(edit).unwrap());
            led.step(1);
            assert_eq!(positions(&led), positions(&native), "{rest} step {step}");
            assert_eq!(metric(&led, "packets.sent"), metric(&native, "packets.sent"));
            moved |= positions(&led)[2] != DVec2::new(3.0, 3.0);
        }
        assert!(moved && metric(&led, "packets.sent") > 30.0);
        // The run replays without the program, message by message.
        let mut replayed = beacons("External", rest);
        for step in 1..=60 {
            let due = led.edits().iter().filter(|logged| logged.step == step);
            due.for_each(|logged| replayed.replay(logged.clone()).unwrap());
            replayed.step(1);
        }
        assert_eq!(replayed.hash(), led.hash());
    }
}

#[test]
fn a_message_is_sent_once_at_the_next_turn_of_the_radio() {
    let mut simulation = beacons("External", "");
    let sent = |simulation: &Simulation| metric(simulation, "packets.sent") as u64;
    simulation.apply(message(&[0], &[1.0])).unwrap();
    // A later message replaces it, in the same step and while it waits.
    simulation.apply(message(&[0], &[2.0, 3.0])).unwrap();
    simulation.step(1);
    assert_eq!(sent(&simulation), 1, "the first turn is before the first step");
    simulation.step(1);
    assert_eq!(sent(&simulation), 1, "the second turn is at the first step: nothing waits any more");
    simulation.apply(message(&[0, 1], &[4.0, 5.0])).unwrap();
    simulation.step(1);
    simulation.apply(message(&[1], &[])).unwrap();
    simulation.flush_edits();
    let (state, hash) = (simulation.snapshot(), simulation.hash());
    let rest = hashes(&mut simulation, 20);
    assert_eq!(sent(&simulation), 2, "the one of agent 0; that of agent 1 was taken back");
    simulation.restore(&state).unwrap();
    assert_eq!(simulation.hash(), hash, "the message that waits is a part of the state");
    assert_eq!(hashes(&mut simulation, 20), rest);
    let heard: Vec<f64> = simulation.heard(1).iter().flat_map(|packet| packet.numbers.to_vec()).collect();
    assert!(heard.is_empty(), "it is older than a second: {heard:?}");
    // Waiting messages make states differ.
    let mut waiting = beacons("External", "");
    let silent = beacons("External", "").hash();
    waiting.apply(message(&[0], &[1.0])).unwrap();
    waiting.flush_edits();
    assert_ne!(waiting.hash(), silent);
}

#[test]
fn messages_that_cannot_be_sent_are_refused_with_the_reason() {
    let text = "(groups: [
        (name: \"a\", at: [(1.0, 1.0, 0.0), (2.0, 1.0, 0.0)], controller: External(), radio: ()),
        (name: \"b\", at: [(3.0, 1.0, 0.0)], controller: External()),
        (name: \"c\", at: [(4.0, 1.0, 0.0)], controller: Gossip(), radio: ())])";
    let mut simulation = simulation_of(text);
    let mut refused = |agents: &[u32], values: &[f64]| simulation.apply(message(agents, values)).unwrap_err().message;
    assert_eq!(refused(&[0, 9], &[1.0, 2.0]), "there is no agent 9");
    assert_eq!(refused(&[2], &[1.0]), "agent 2 has no radio: its group needs a block `radio`");
    assert!(refused(&[3], &[1.0]).starts_with("the controller Gossip writes the messages of agent 3"));
    assert_eq!(refused(&[0, 1], &[1.0, f64::NAN]), "agent 1 cannot send NaN: expected finite numbers");
    assert!(refused(&[0, 1], &[1.0]).contains("expected a multiple of 2 for 2 agents, found 1"));
    assert!(refused(&[], &[1.0]).contains("expected a multiple of 0"));
    assert_eq!(refused(&[0], &[0.0; 257]), "a message has at most 256 numbers, found 257");
    simulation.apply(message(&[0], &[0.0; 256])).unwrap();
    // A controller that waits for the next step counts.
    simulation.apply(set("groups.c.controller", "External()")).unwrap();
    simulation.apply(message(&[3], &[1.0])).unwrap();
    simulation.apply(set("groups.a.controller", "Constant()")).unwrap();
    assert!(simulation.apply(message(&[0], &[1.0])).unwrap_err().message.contains("controller Constant"));
    simulation.step(3);
}

/// Robots that drive in circles and send their numbers at every step, in a periodic arena.
fn circling(sensor: &str, rest: &str) -> Simulation {
    simulation_of(&format!(
        "(seed: 9, time: (dt_s: 0.1), {rest} arena: (size_m: (4.0, 3.0), boundary: Periodic), groups: [(
            name: \"robots\", count: 30, spawn: UniformBox(min_m: (0.1, 0.1), max_m: (3.9, 2.9)), body: Disc(radius_m: 0.05),
            controller: External(), sensors: [{sensor}],
            radio: (loss: Disc(range_m: 0.9), schedule: Periodic(period_s: 0.1), max_age_s: 0.1, situated: true))])"
    ))
}

#[test]
fn range_and_bearing_reads_what_geometry_says() {
    let mut simulation = circling("RangeAndBearing(max_neighbours: 6, numbers: 2)", "");
    let all: Vec<u32> = (0..30).collect();
    let commands: Vec<f64> = all.iter().flat_map(|number| [0.2, 0.1 * f64::from(*number) - 1.5]).collect();
    simulation.apply(command(CommandForm::Drive, &all, &commands)).unwrap();
    let mut crowds = 0;
    for step in 1..=40 {
        let poses: Vec<(DVec2, f64)> =
            simulation.agents().map(|agent| (agent.pose.position_m, agent.pose.heading_rad)).collect();
        // Only two robots of three send.
        let senders: Vec<u32> = all.iter().copied().filter(|number| (number + step) % 3 != 0).collect();
        let values: Vec<f64> =
            senders.iter().flat_map(|number| [f64::from(*number), f64::from(number * step)]).collect();
        simulation.apply(message(&senders, &values)).unwrap();
        simulation.step(1);
        let arena = simulation.space().arena;
        for (own, (here, heading)) in poses.iter().enumerate() {
            let others = senders.iter().filter(|other| **other != own as u32);
            let mut expected: Vec<(f64, f64, f64)> = others
                .map(|other| {
                    let way = arena.offset(*here, poses[*other as usize].0);
                    (way.length(), wrap_angle(angle_of(way) - heading), f64::from(*other))
                })
                .filter(|(range_m, ..)| *range_m <= 0.9)
                .collect();
            expected.sort_by(|one, other| one.0.total_cmp(&other.0));
            crowds += usize::from(expected.len() > 6);
            expected.truncate(6);
            let reading = simulation.readings(own as u32).next().unwrap();
            assert_eq!(reading[0], expected.len() as f64);
            for (found, (range_m, bearing_rad, number)) in reading[1..].chunks_exact(4).zip(&expected) {
                assert_eq!(found[2..], [*number, number * f64::from(step)]);
                assert!((found[0] - range_m).abs() < 1e-12, "{found:?}");
                assert!((direction(found[1]) - direction(*bearing_rad)).length() < 1e-12, "{found:?}");
            }
            assert!(reading[1 + 4 * expected.len()..].iter().all(|unused| *unused == 0.0));
        }
    }
    assert!(crowds > 20, "{crowds} readings with more neighbours than fit");
}

#[test]
fn range_and_bearing_is_the_same_in_all_ways_of_running() {
    let sensor = "RangeAndBearing(noise: [Gaussian(std_dev: 0.05)])";
    for rest in ["", "order: Sequential,", "delivery: SameStep,"] {
        let run = |workers: Option<Workers>| {
            let mut simulation = circling(sensor, rest);
            if let Some(workers) = workers {
                let scene = simulation.scene().clone();
                simulation = Simulation::with_workers(&scene, &Recipe::standard(), workers).unwrap();
            }
            let all: Vec<u32> = (0..30).collect();
            let mut found = Vec::new();
            for step in 0..20 {
                let values: Vec<f64> = all.iter().map(|number| f64::from(number + step)).collect();
                simulation.apply(message(&all, &values)).unwrap();
                found.extend(hashes(&mut simulation, 1));
            }
            // Noise leaves the number of senders and the unused places alone.
            let reading = simulation.readings(3).next().unwrap().to_vec();
            assert_eq!(reading[0].fract(), 0.0);
            assert!(reading[1 + 3 * reading[0] as usize..].iter().all(|unused| *unused == 0.0), "{reading:?}");
            found
        };
        assert_eq!(run(None), run(Some(Workers::eager(3))), "{rest}");
    }
}

#[test]
fn range_and_bearing_needs_a_situated_radio() {
    let problems = |radio: &str| {
        let text = format!(
            "(groups: [(name: \"a\", at: [(1.0, 1.0, 0.0)], sensors: [Proximity(), RangeAndBearing()], {radio})],
                objects: [Disc(radius_m: 0.1, sensors: [RangeAndBearing()])])"
        );
        let scene = reader::read(Recipe::standard().kinds(), "test.ron", &text);
        scene
            .map_err(|problems| problems.to_string())
            .and_then(|scene: Scene| Simulation::new(&scene).map(drop).map_err(|problems| problems.to_string()))
    };
    let error = problems("").unwrap_err();
    assert!(error.contains("groups[0].sensors[1]: RangeAndBearing needs a radio, and there is none"), "{error}");
    assert!(error.contains("objects[0].sensors[0]: RangeAndBearing needs a radio, and there is none"), "{error}");
    let error = problems("radio: ()").unwrap_err();
    assert!(error.contains("RangeAndBearing needs the positions of senders: set `situated: true`"), "{error}");
    let mut simulation = circling("RangeAndBearing()", "");
    let error = simulation.apply(set("groups.robots.radio.situated", "false")).unwrap_err();
    assert!(error.to_string().contains("needs the positions of senders"), "{error}");
}
