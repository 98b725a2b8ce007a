//! Radio: who hears what of whom, and when.

use std::f64::consts::FRAC_PI_2 as QUARTER;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium::prelude::{AddController, Command, Controller, Loss, Recipe, Senses, kind};
use swarmarium_base::id::StableId;
use swarmarium_base::math::marcum_q1;
use swarmarium_core::agent::CommandForm;
use swarmarium_core::radio::loss::rice::Rice;
use swarmarium_core::radio::loss::rice_scatter::RiceScatter;
use swarmarium_core::radio::{Inbox, Packet};
use swarmarium_core::step::Workers;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, path, reader};
use swarmarium_simulation::Simulation;

use crate::support::edits::set;
use crate::support::{facts, hashes, numbers};

/// Tells who it is and the step at which it decided last, and notes what it hears.
#[kind(Copy)]
struct Teller {}

/// The packets that a [`Teller`] had at its last decision.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
struct Notes {
    decided: u64,
    turns: u64,
    /// Of each sender its number, the age of its packet, and the step at which it had decided when it told.
    heard: Vec<[u64; 3]>,
}

impl Controller for Teller {
    type Memory = Notes;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, notes: &mut Notes, senses: Senses) -> Command {
        notes.decided = senses.time.step;
        notes.turns += u64::from(senses.heard.turn.is_some());
        notes.heard.clear();
        notes.heard.extend(senses.heard.packets.iter().map(|packet| {
            assert_eq!(packet.numbers[0], f64::from(packet.sender));
            [u64::from(packet.sender), packet.age_steps(senses.time.step), packet.numbers[1] as u64]
        }));
        Command::default()
    }

    fn message(&self, notes: &mut Notes, senses: Senses, message: &mut Vec<f64>) {
        message.extend([f64::from(senses.owner.index()), notes.decided as f64]);
    }
}

fn recipe() -> Recipe {
    Recipe::standard().with(|app: &mut App| {
        app.add_controller::<Teller>();
    })
}

fn read(text: &str) -> Result<Scene, String> {
    reader::read(recipe().kinds(), "radio.ron", text).map_err(|problems| problems.to_string())
}

fn simulation(text: &str) -> Simulation {
    Simulation::with(&read(text).unwrap(), &recipe(), 1).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Robots in a row, half a metre apart, with radios that send at every step of 0.1 s unless `radio` says otherwise.
fn row(robots: usize, radio: &str, rest: &str) -> String {
    let turns = if radio.contains("schedule:") { "" } else { "schedule: Periodic(period_s: 0.1)," };
    let at: Vec<_> = (0..robots).map(|place| format!("({:?}, 1.0, 0.0)", 0.5 + 0.5 * place as f64)).collect();
    let at = at.join(", ");
    format!(
        "(time: (dt_s: 0.1), {rest} groups: [(name: \"a\", at: [{at}], body: Disc(radius_m: 0.1),
            controller: Teller(), radio: ({turns} {radio}))])"
    )
}

fn notes(simulation: &Simulation, agent: u32) -> &Notes {
    let mut query = simulation.world().try_query::<(&StableId, &Notes)>().unwrap();
    query.iter(simulation.world()).find(|(id, _)| **id == StableId::agent(agent)).unwrap().1
}

/// The senders that an agent has heard.
fn heard(simulation: &Simulation, agent: u32) -> Vec<u64> {
    notes(simulation, agent).heard.iter().map(|[sender, ..]| *sender).collect()
}

/// The age of the newest packet from a sender, when the agent decided last.
fn age(simulation: &Simulation, agent: u32, sender: u64) -> Option<u64> {
    notes(simulation, agent).heard.iter().find(|[from, ..]| *from == sender).map(|[_, age, _]| *age)
}

#[test]
fn packets_are_heard_by_all_in_the_next_step() {
    for order in ["Simultaneous", "Sequential"] {
        let mut simulation = simulation(&row(3, "loss: Perfect()", &format!("order: {order},")));
        for step in 1..=5 {
            simulation.step(1);
            for agent in 0..3 {
                let others = (0..3).filter(|other| *other != u64::from(agent));
                let expected: Vec<_> = others.map(|other| [other, 1, step - 1]).collect();
                assert_eq!(notes(&simulation, agent).heard, expected, "{order}, step {step}");
            }
        }
    }
}

#[test]
fn same_step_delivery_reaches_later_turns_of_the_same_step() {
    for order in ["Simultaneous", "Sequential"] {
        let rest = format!("order: {order}, delivery: SameStep,");
        let mut simulation = simulation(&row(3, "loss: Perfect()", &rest));
        simulation.step(1);
        let first = [vec![], vec![[0, 0, 0]], vec![[0, 0, 0], [1, 0, 0]]];
        assert_eq!([0, 1, 2].map(|agent| notes(&simulation, agent).heard.clone()), first);
        for step in 2..=5 {
            simulation.step(1);
            let expected = [
                vec![[1, 1, step - 2], [2, 1, step - 2]],
                vec![[0, 0, step - 1], [2, 1, step - 2]],
                vec![[0, 0, step - 1], [1, 0, step - 1]],
            ];
            assert_eq!([0, 1, 2].map(|agent| notes(&simulation, agent).heard.clone()), expected, "{order}");
        }
    }
}

#[test]
fn packets_get_lost_for_each_receiver_on_its_own_and_grow_old() {
    let mut simulation = simulation(&row(3, "loss: Bernoulli(probability: 0.5), max_age_s: 0.4", ""));
    let (mut fresh, mut both, mut none) = (0, 0, 0);
    let steps = 4000;
    for _ in 0..steps {
        simulation.step(1);
        let ages = [1, 2].map(|agent| age(&simulation, agent, 0));
        assert!(ages.iter().flatten().all(|age| (1..=4).contains(age)));
        fresh += ages.iter().filter(|age| **age == Some(1)).count();
        both += usize::from(ages == [Some(1); 2]);
        none += ages.iter().filter(|age| age.is_none()).count();
    }
    let share = |count: usize, of: i32| count as f64 / f64::from(of);
    assert!((share(fresh, 2 * steps) - 0.5).abs() < 0.03, "{fresh}");
    assert!((share(both, steps) - 0.25).abs() < 0.03, "{both}");
    assert!((share(none, 2 * steps) - 1.0 / 16.0).abs() < 0.02, "four packets in a row are lost: {none}");
}

#[test]
fn random_radio_schedules_of_robots_differ() {
    let mut simulation = simulation(&row(3, "loss: Perfect(), schedule: Random(min_s: 0.5, max_s: 1.5)", ""));
    simulation.step(3000);
    let turns = [0, 1, 2].map(|agent| notes(&simulation, agent).turns);
    assert!(turns.iter().all(|turns| (270..=330).contains(turns)), "about every ten steps: {turns:?}");
    let ages: Vec<_> = (0..200)
        .map(|_| {
            simulation.step(1);
            [age(&simulation, 2, 0).unwrap(), age(&simulation, 2, 1).unwrap()]
        })
        .collect();
    assert!(ages.iter().flatten().all(|age| (1..=15).contains(age)));
    assert!(ages.iter().any(|[one, other]| one != other));
}

#[test]
fn radio_range_is_measured_between_centers_and_across_a_wrapping_border() {
    let disc = "loss: Disc(range_m: 0.5)";
    let mut open = simulation(&row(4, disc, "arena: (size_m: (2.0, 2.0)),"));
    open.step(1);
    assert_eq!([0, 1].map(|agent| heard(&open, agent)), [vec![1], vec![0, 2]]);
    let mut wrapping = simulation(&row(4, disc, "arena: (size_m: (2.0, 2.0), boundary: Periodic),"));
    wrapping.step(1);
    assert_eq!(heard(&wrapping, 0), [1, 3]);
}

#[test]
fn situated_radios_measure_where_packets_come_from() {
    let text = |radio: &str, delivery: &str| {
        format!(
            "(time: (dt_s: 0.1), delivery: {delivery}, groups: [(name: \"a\", body: Disc(radius_m: 0.1),
                at: [(0.5, 1.0, 0.0), (1.0, 1.0, {QUARTER:?})], controller: Teller(),
                radio: (schedule: Periodic(period_s: 0.1), {radio}))])"
        )
    };
    let ways = |radio: &str, delivery: &str| {
        let mut simulation = simulation(&text(radio, delivery));
        simulation.step(5);
        [0, 1].map(|agent| packets(&simulation, StableId::agent(agent))[0].from_m)
    };
    for delivery in ["NextStep", "SameStep"] {
        for loss in ["Disc(line_of_sight: true)", "Bernoulli(probability: 0.0, jitter_s: 0.2)"] {
            let [ahead, left] = ways(&format!("situated: true, loss: {loss}"), delivery);
            assert!((ahead - DVec2::new(0.5, 0.0)).length() < 1e-15, "{delivery}, {loss}: {ahead}");
            // It looks along y, and the other one is on its left.
            assert!((left - DVec2::new(0.0, 0.5)).length() < 1e-15, "{delivery}, {loss}: {left}");
        }
        assert_eq!(ways("loss: Perfect()", delivery), [DVec2::ZERO; 2]);
    }
}

#[test]
fn robots_and_obstacles_block_line_of_sight_radios() {
    let sight = "loss: Perfect(line_of_sight: true)";
    let mut robots = simulation(&row(3, sight, ""));
    robots.step(1);
    assert_eq!([0, 1, 2].map(|agent| heard(&robots, agent)), [vec![1], vec![0, 2], vec![1]]);
    let mut post = simulation(&row(2, sight, "objects: [Disc(center_m: (0.75, 1.0), radius_m: 0.05)],"));
    post.step(1);
    assert!(heard(&post, 0).is_empty());
}

#[test]
fn links_may_have_a_loss_of_their_own() {
    let links = "loss: Disc(range_m: 0.6), links: [
        (from: \"a-0\", to: \"a-1\", loss: Bernoulli(probability: 1.0)),
        (from: \"a-0\", to: \"a-3\"),
        (to: \"a-2\", loss: Bernoulli(probability: 1.0)),
    ]";
    let mut simulation = simulation(&row(4, links, ""));
    simulation.step(1);
    assert_eq!([0, 1, 2, 3].map(|agent| heard(&simulation, agent)), [vec![1], vec![2], vec![], vec![0, 2]]);
}

#[test]
fn packet_latency_delays_delivery() {
    let mut late = simulation(&row(2, "loss: Perfect(delay_s: 0.3)", ""));
    late.step(3);
    assert!(heard(&late, 0).is_empty());
    late.step(5);
    assert_eq!(notes(&late, 0).heard, [[1, 4, 4]]);
    let mut too_late = simulation(&row(2, "loss: Perfect(delay_s: 0.5), max_age_s: 0.4", ""));
    for _ in 0..20 {
        too_late.step(1);
        assert!(heard(&too_late, 0).is_empty());
    }
    let mut jittery = simulation(&row(2, "loss: Perfect(delay_s: 0.1, jitter_s: 0.4)", ""));
    jittery.step(10);
    let ages: Vec<_> = (0..200)
        .map(|_| {
            jittery.step(1);
            age(&jittery, 0, 1).unwrap()
        })
        .collect();
    assert!(ages.iter().all(|age| (2..=6).contains(age)) && ages.contains(&2) && ages.iter().any(|age| *age > 2));
    assert!(ages.windows(2).all(|pair| pair[1] <= pair[0] + 1), "a late packet does not replace a newer one");
}

#[test]
fn the_packet_budget_limits_sending() {
    // 2 numbers of 4 bytes, and 20 more: a packet every 7 steps.
    let mut simulation = simulation(&row(2, "loss: Perfect(), budget_bytes_per_s: 40.0", ""));
    let mut sent = 0;
    for _ in 0..700 {
        simulation.step(1);
        sent += usize::from(age(&simulation, 0, 1) == Some(1));
    }
    assert!((99..=100).contains(&sent), "{sent}");
}

#[test]
fn packets_of_one_step_collide_where_both_would_be_heard() {
    let mut simulation = simulation(&row(4, "loss: Disc(range_m: 0.6), packet_collisions: true", ""));
    simulation.step(3);
    assert_eq!([0, 1, 2, 3].map(|agent| heard(&simulation, agent)), [vec![1], vec![], vec![], vec![2]]);
}

#[test]
fn old_packets_are_forgotten_and_a_radio_can_be_removed() {
    let mut simulation = simulation(&row(3, "loss: Perfect(), max_age_s: 0.5", ""));
    simulation.step(2);
    simulation.apply(set("groups.a.radio.loss", "Bernoulli(probability: 1.0)")).unwrap();
    simulation.step(4);
    assert_eq!(age(&simulation, 0, 1), Some(5), "what was sent before is as old as it may be");
    simulation.step(1);
    assert!(heard(&simulation, 0).is_empty());
    simulation.apply(set("groups.a.radio.loss.probability", "0.0")).unwrap();
    simulation.step(1);
    assert_eq!(heard(&simulation, 0), [1, 2]);
    simulation.apply(set("groups.a.radio", "None")).unwrap();
    simulation.step(1);
    assert!(heard(&simulation, 0).is_empty());
    simulation.apply(set("groups.a.radio", "(loss: Perfect(), schedule: Periodic(period_s: 0.1))")).unwrap();
    simulation.step(2);
    assert_eq!(heard(&simulation, 0), [1, 2]);
}

/// Every model at once, robots that move, and some that come later.
const BUSY: &str = "(time: (dt_s: 0.02), seed: 5, groups: [
    (name: \"a\", count: 6, spawn: UniformDisc(radius_m: 1.0), controller: Constant(v_m_per_s: 0.3, turn_rad_per_s: 1.0),
        radio: ()),
    (name: \"b\", count: 6, spawn: UniformDisc(radius_m: 1.0, interval_steps: 10, batch_size: 1), controller: Teller(),
        motion: Unicycle(catastrophic_collisions: true),
        radio: (loss: GilbertElliott(jitter_s: 0.2), links: [(to: \"a\", loss: LogDistance(correlation: 0.5))])),
    (name: \"c\", count: 6, spawn: UniformDisc(radius_m: 1.0), controller: Teller(),
        radio: (loss: RiceScatter(line_of_sight: true), schedule: Periodic(period_s: 0.06), budget_bytes_per_s: 200.0)),
    (name: \"d\", count: 4, spawn: UniformDisc(radius_m: 2.0), controller: Teller(),
        radio: (loss: Bernoulli(probability: 0.3, range_m: 1.5), COLLISIONS)),
], REST)";

#[test]
fn radio_keeps_the_promise() {
    for rest in [
        "",
        "order: Sequential,",
        "order: RandomSequential,",
        "delivery: SameStep,",
        "delivery: SameStep, order: RandomSequential,",
        "delivery: SameStep, order: Sequential,",
    ] {
        let collisions = if rest.contains("SameStep") { "" } else { "packet_collisions: true" };
        let scene = read(&BUSY.replace("COLLISIONS", collisions).replace("REST", rest)).unwrap();
        let recipe = recipe();
        let plain = hashes(&mut Simulation::with(&scene, &recipe, 1).unwrap(), 200);
        let shared = Simulation::with_workers(&scene, &recipe, Workers::eager(2));
        assert_eq!(hashes(&mut shared.unwrap(), 200), plain, "two threads, {rest}");
        let mut restored = Simulation::with(&scene, &recipe, 1).unwrap();
        restored.step(90);
        let snapshot = restored.snapshot();
        restored.step(37);
        restored.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut restored, 110), plain[90..], "restored, {rest}");
        let mut elsewhere = Simulation::with(&scene, &recipe, 1).unwrap();
        elsewhere.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut elsewhere, 110), plain[90..], "restored elsewhere, {rest}");
        let talkers = restored.agents().filter(|agent| !heard_by(&restored, agent.id).is_empty()).count();
        assert!(talkers > 8, "{talkers}");
    }
}

/// Few that send and many, near each other and far, in sight of each other and not.
const CROWD: &str = "(time: (dt_s: 0.1), seed: 3, arena: (size_m: (4.0, 3.0), boundary: WALLS), OBJECTS groups: [
    (name: \"a\", count: 30, spawn: UniformBox(max_m: (4.0, 3.0)), body: Disc(radius_m: 0.07), controller: Teller(),
        motion: Unicycle(), radio: (loss: LOSS, schedule: TURNS, situated: true, max_age_s: 0.3)),
    (name: \"b\", count: 10, spawn: UniformBox(max_m: (4.0, 3.0)), body: Disc(radius_m: 0.05),
        controller: Constant(v_m_per_s: 0.3, turn_rad_per_s: 1.0)),
    (name: \"c\", count: 30, spawn: UniformBox(max_m: (4.0, 3.0)), body: Disc(radius_m: 0.03), controller: Teller(),
        radio: (loss: Disc(range_m: 0.8), schedule: TURNS, packet_collisions: true,
            links: [(from: \"c-3\", loss: Bernoulli(probability: 0.5, range_m: 2.0, line_of_sight: true))])),
    BASES
])";

/// Objects in between.
const OBJECTS: &str = "objects: [Polygon(corners_m: [(1.0, 1.0), (2.5, 1.1), (1.5, 1.4)])],";

/// Few that are heard much farther than most: one by all, and two, on a channel of their own, by each other.
const BASES: &str = "
    (name: \"d\", count: 1, spawn: UniformBox(max_m: (4.0, 3.0)), body: Disc(radius_m: 0.03), controller: Teller(),
        radio: (loss: Perfect(), schedule: Periodic(period_s: 0.1))),
    (name: \"e\", count: 2, spawn: UniformBox(max_m: (4.0, 3.0)), body: Disc(radius_m: 0.03), controller: Teller(),
        radio: (loss: Disc(range_m: 3.5, line_of_sight: true), schedule: Periodic(period_s: 0.1), channel: 1,
            situated: true)),
";

/// With two threads that share all work, receivers look for packets where one robot in eight sends; with one thread, where
/// one in four does, else senders look for receivers. Bases look for receivers, unless many
/// reach as far.
#[test]
fn the_search_order_of_receivers_changes_no_hash() {
    let recipe = recipe();
    for walls in ["Walls", "Periodic", "Open"] {
        for loss in ["Disc(range_m: 1.0, line_of_sight: true)", "Perfect(line_of_sight: true)", "Rice(range_m: 0.5)"] {
            for turns in ["Periodic(period_s: 0.1)", "Random(min_s: 0.2, max_s: 0.9)"] {
                for (objects, bases) in [("", ""), (OBJECTS, ""), ("", BASES), (OBJECTS, BASES)] {
                    let text = CROWD.replace("WALLS", walls).replace("LOSS", loss).replace("TURNS", turns);
                    let scene = read(&text.replace("OBJECTS", objects).replace("BASES", bases)).unwrap();
                    let plain = hashes(&mut Simulation::with(&scene, &recipe, 1).unwrap(), 30);
                    let mut shared = Simulation::with_workers(&scene, &recipe, Workers::eager(2)).unwrap();
                    assert_eq!(hashes(&mut shared, 30), plain, "{walls}, {loss}, {turns}, {objects} {bases}");
                }
            }
        }
    }
}

fn packets(simulation: &Simulation, id: StableId) -> Vec<Packet> {
    let mut query = simulation.world().try_query::<(&StableId, &Inbox)>().unwrap();
    let inbox = query.iter(simulation.world()).find(|(own, _)| **own == id).map(|(_, inbox)| inbox);
    inbox.map(|inbox| inbox.packets().to_vec()).unwrap_or_default()
}

fn heard_by(simulation: &Simulation, id: StableId) -> Vec<u32> {
    packets(simulation, id).iter().map(|packet| packet.sender).collect()
}

#[test]
fn another_radio_changes_no_other_random_losses() {
    let ages = |robots| {
        let mut simulation = simulation(&row(robots, "loss: Bernoulli(probability: 0.5)", ""));
        let one = |_| {
            simulation.step(1);
            [age(&simulation, 0, 1), age(&simulation, 1, 0)]
        };
        (0..100).map(one).collect::<Vec<_>>()
    };
    assert_eq!(ages(2), ages(5));
}

#[test]
fn radios_are_written_and_read_again_and_have_paths() {
    let recipe = recipe();
    let kinds = recipe.kinds();
    let mut scene =
        read(&row(2, "loss: Rice(k: 2.0, delay_s: 0.1), links: [(to: \"a-1\", loss: Disc())]", "")).unwrap();
    for style in [Style::Short, Style::Full] {
        let again: Scene = reader::read(kinds, "again.ron", &write(kinds, &scene, style)).unwrap();
        assert_eq!(write(kinds, &again, Style::Full), write(kinds, &scene, Style::Full));
    }
    for (at, value) in [
        ("groups.a.radio.loss.k", "3.5"),
        ("groups.a.radio.loss.jitter_s", "0.25"),
        ("groups.a.radio.links.0.loss.range_m", "2.0"),
        ("groups.a.radio.max_age_s", "7.0"),
    ] {
        path::set(kinds, &mut scene, at, value).unwrap();
        assert_eq!(write(kinds, path::get(kinds, &scene, at).unwrap(), Style::Short), value, "{at}");
        assert!(path::leaves(kinds, &scene).iter().any(|leaf| leaf.path == at), "{at}");
    }
}

#[test]
fn bad_radios_are_refused() {
    let refused = |radio: &str| {
        let made = read(&row(2, radio, "")).and_then(|scene| {
            Simulation::with(&scene, &recipe(), 1).map(drop).map_err(|problems| problems.to_string())
        });
        made.unwrap_err()
    };
    let bad = [
        "loss: Bernoulli(probability: -0.1)",
        "loss: Rician()",
        "max_age_s: 0.0",
        "max_age_s: 0.05",
        "schedule: Periodic(period_s: 0.02)",
        "schedule: Random(min_s: 0.01, max_s: 0.3)",
        "schedule: Random(min_s: 0.3, max_s: 0.2)",
        "links: [(from: \"a-7\", to: \"b\")]",
    ];
    let crowd = "(groups: [(name: \"a\", count: 4000, radio: (loss: Perfect()))])";
    let crowd = Simulation::new(&read(crowd).unwrap()).err().unwrap().to_string();
    assert!(crowd.contains("can hear each other, found 16000000: use a shorter range"), "{crowd}");
    let told = bad.map(refused).join("\n");
    for part in [
        "groups[0].radio.loss.probability: expected a number from 0 to 1, found -0.1",
        "unknown loss `Rician`",
        "groups[0].radio.max_age_s: expected a number > 0",
        "groups[0].radio.max_age_s: expected at least the 0.1 s of a step, found 0.05",
        "groups[0].radio.schedule.period_s: expected at least the 0.1 s of a step, found 0.02",
        "groups[0].radio.schedule.min_s: expected at least the 0.1 s of a step, found 0.01",
        "groups[0].radio.schedule.max_s: expected at least `min_s`, which is 0.3, found 0.2",
        "groups[0].radio.links[0].from: there is no robot `a-7`, only `a-0` to `a-1`",
        "groups[0].radio.links[0].to: there is no robot or group `b`",
    ] {
        assert!(told.contains(part), "{part}\nis not in\n{told}");
    }
}

#[test]
fn rice_loss_agrees_with_the_recorded_tables() {
    let facts = facts("swarm_robot_project/rice_table.json");
    let near = |found: f64, expected: f64, what: &str| assert!((found - expected).abs() < 1e-9, "{what}: {found}");
    let constant = &facts["constant_K"];
    let distances = numbers(&constant["d_over_R"]);
    let mut compared = 0;
    for (column, exponent) in [("n2", 2.0), ("n3", 3.0)] {
        for (k, expected) in constant[column].as_object().unwrap() {
            let rice = Rice { range_m: 1.5, k: k.parse().unwrap(), exponent };
            for (distance, expected) in distances.iter().zip(numbers(expected)) {
                near(rice.reception(1.5 * distance), expected, &format!("K {k}, {column}, {distance}"));
                compared += 1;
            }
        }
    }
    let fixed = &facts["fixed_sigma"];
    let field = |name: &str| fixed[name].as_f64().unwrap();
    let (direct, threshold) = (field("nu0_over_sigma"), field("th_over_sigma"));
    let scatter = RiceScatter { direct, threshold, reference_m: field("d0"), exponent: field("n") };
    for (distance, expected) in numbers(&fixed["d"]).into_iter().zip(numbers(&fixed["p"])) {
        near(scatter.reception(distance), expected, &format!("fixed scatter, {distance}"));
        compared += 1;
    }
    for row in facts["marcum_q1"].as_array().unwrap() {
        let of = |name: &str| row[name].as_f64().unwrap();
        near(marcum_q1(of("a"), of("b")), of("q"), &row.to_string());
        compared += 1;
    }
    assert!(compared > 900, "{compared}");
}
