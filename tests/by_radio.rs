//! Robots that know of each other by radio only, and what is measured of their radios.

use bevy::math::DVec2;
use swarmarium_base::math::direction;
use swarmarium_simulation::Simulation;

use crate::support::edits::set;
use crate::support::{hashes, metric, positions, simulation_of};

/// Robots in a row, half a metre apart, that hardly move and tell at every step of 0.1 s unless `radio` says otherwise.
fn row(robots: usize, radio: &str, rest: &str) -> Simulation {
    let turns = if radio.contains("schedule:") { "" } else { "schedule: Periodic(period_s: 0.1)," };
    let at: Vec<_> = (0..robots).map(|place| format!("({:?}, 1.0, 0.0)", 0.5 + 0.5 * place as f64)).collect();
    let at = at.join(", ");
    simulation_of(&format!(
        "(time: (dt_s: 0.1), {rest}
            metrics: [Packets(), DeliveryRatio(), DeliveryRatio(window_s: 10.0), PacketAge(), RadioLinks(fresh_s: 0.3),
                RadioConnectivity(), RadioConnectivity(fresh_s: 0.3), Packets(of: \"a\")],
            groups: [(name: \"a\", at: [{at}], body: Disc(radius_m: 0.1), motion: Holonomic(),
                controller: Rendezvous(max_speed_m_per_s: 1e-9), radio: ({turns} {radio}))])"
    ))
}

/// How many packets were sent, withheld, delivered and lost.
fn packets(simulation: &Simulation) -> [f64; 4] {
    ["sent", "withheld", "delivered", "lost"].map(|part| metric(simulation, &format!("packets.{part}")))
}

#[test]
fn packets_are_counted_for_each_radio_within_reach() {
    for order in ["Simultaneous", "Sequential"] {
        for delivery in ["NextStep", "SameStep"] {
            let rest = format!("order: {order}, delivery: {delivery},");
            let mut perfect = row(4, "loss: Perfect()", &rest);
            perfect.step(10);
            assert_eq!(packets(&perfect), [40.0, 0.0, 120.0, 0.0], "{rest}");
            assert_eq!(metric(&perfect, "delivery_ratio"), 1.0);
            let mut disc = row(4, "loss: Disc(range_m: 0.6)", &rest);
            disc.step(10);
            assert_eq!(packets(&disc), [40.0, 0.0, 60.0, 0.0], "{rest}: those out of reach are offered nothing");
            let links = "loss: Disc(range_m: 0.6), links: [(to: \"a-0\", loss: Disc(range_m: 5.0)),
                (from: \"a-3\", to: \"a-2\", loss: Bernoulli(probability: 1.0))]";
            let mut links = row(4, links, &rest);
            links.step(10);
            assert_eq!(packets(&links), [40.0, 0.0, 70.0, 10.0], "{rest}: a link has a reach of its own");
        }
    }
}

#[test]
fn losses_are_counted_as_often_as_they_happen() {
    for delivery in ["NextStep", "SameStep"] {
        let mut simulation = row(6, "loss: Bernoulli(probability: 0.3)", &format!("delivery: {delivery},"));
        simulation.step(1000);
        let [sent, withheld, delivered, lost] = packets(&simulation);
        assert_eq!([sent, withheld, delivered + lost], [6000.0, 0.0, 30000.0]);
        // Three standard deviations.
        let near = |found: f64, share: f64, of: f64| (found - share).abs() < 3.0 * (share * (1.0 - share) / of).sqrt();
        assert!(near(delivered / 30000.0, 0.7, 30000.0), "{delivered}");
        assert_eq!(metric(&simulation, "delivery_ratio"), delivered / 30000.0);
        assert!(near(metric(&simulation, "delivery_ratio_2"), 0.7, 3000.0));
        // The mean of a geometric distribution, as of the end of the step; older than 4 s is as good as never.
        let first_s = if delivery == "NextStep" { 0.1 } else { 0.0 };
        let expected = first_s + 0.1 * 0.3 / 0.7;
        let mean = |simulation: &mut Simulation| {
            let one = |_| {
                simulation.step(1);
                metric(simulation, "packet_age.mean_s")
            };
            (0..200).map(one).sum::<f64>() / 200.0
        };
        let found = mean(&mut simulation);
        assert!((found - expected).abs() < 0.005, "{delivery}: {found}, not {expected}");
    }
}

#[test]
fn delivery_ratio_over_a_window_sees_a_change_that_the_whole_run_hides() {
    let mut simulation = row(4, "loss: Perfect()", "");
    simulation.step(300);
    let set_loss = |value: &str| set("groups.a.radio.loss", value);
    simulation.apply(set_loss("Bernoulli(probability: 1.0)")).unwrap();
    simulation.step(100);
    assert_eq!(metric(&simulation, "delivery_ratio"), 0.75);
    assert_eq!(metric(&simulation, "delivery_ratio_2"), 0.0);
    for (path, value) in [("groups.a.controller", "Velocity()"), ("groups.a.radio", "None")] {
        simulation.apply(set(path, value)).unwrap();
    }
    simulation.step(1);
    assert_eq!(packets(&simulation), [1600.0, 0.0, 3600.0, 1200.0], "what was counted stays");
}

#[test]
fn collided_packets_count_as_lost_and_withheld_packets_do_not() {
    let mut collisions = row(3, "loss: Disc(range_m: 0.6), packet_collisions: true", "");
    collisions.step(10);
    assert_eq!(packets(&collisions), [30.0, 0.0, 20.0, 20.0], "the one in the middle hears nobody");
    let mut late = row(3, "loss: Disc(range_m: 0.6, delay_s: 0.2), packet_collisions: true", "");
    late.step(10);
    assert_eq!(packets(&late), [30.0, 0.0, 16.0, 20.0]);
    // Two numbers of 4 bytes, and 20 more.
    let mut budget = row(2, "loss: Perfect(), budget_bytes_per_s: 28.0, bytes_per_number: 4.0", "");
    budget.step(100);
    let [sent, withheld, delivered, lost] = packets(&budget);
    assert_eq!([sent + withheld, delivered, lost], [200.0, sent, 0.0]);
    assert!((18.0..=20.0).contains(&sent), "one a second: {sent}");
}

#[test]
fn delayed_packets_are_counted_when_they_arrive() {
    let mut late = row(2, "loss: Perfect(delay_s: 0.5)", "");
    late.step(5);
    assert_eq!(packets(&late), [10.0, 0.0, 0.0, 0.0]);
    assert!(metric(&late, "delivery_ratio").is_nan());
    late.step(5);
    assert_eq!(packets(&late), [20.0, 0.0, 10.0, 0.0]);
    let mut hidden = row(3, "loss: Perfect(line_of_sight: true)", "");
    hidden.step(10);
    assert_eq!(packets(&hidden), [30.0, 0.0, 40.0, 20.0], "what is in between stops packets within reach");
}

#[test]
fn links_are_fresh_or_stale_or_not_there() {
    let shares = |simulation: &Simulation| {
        ["fresh", "stale", "none"].map(|part| (metric(simulation, &format!("radio_links.{part}")) * 3.0).round())
    };
    let mut simulation = row(3, "loss: Disc(range_m: 0.6), max_age_s: 1.0", "");
    simulation.step(5);
    assert_eq!(shares(&simulation), [2.0, 0.0, 1.0]);
    let part = |simulation: &Simulation, name: &str| metric(simulation, &format!("radio_connectivity{name}"));
    assert!((part(&simulation, ".value") - 1.0).abs() < 1e-9, "a chain of three");
    assert_eq!([part(&simulation, ".connected"), part(&simulation, ".heard")], [1.0, 4.0 / 6.0]);
    // The one on the right hears, but is not heard.
    let set_links = |value: &str| set("groups.a.radio.links", value);
    simulation.apply(set_links("[(from: \"a-2\", loss: Bernoulli(probability: 1.0))]")).unwrap();
    simulation.step(8);
    assert_eq!(shares(&simulation), [2.0, 0.0, 1.0], "the newer of two packets counts");
    assert_eq!(part(&simulation, "_2.heard"), 3.0 / 6.0, "of the fresh ones");
    simulation.apply(set_links("[(loss: Bernoulli(probability: 1.0))]")).unwrap();
    simulation.step(8);
    assert_eq!(shares(&simulation), [0.0, 2.0, 1.0]);
    assert_eq!([part(&simulation, ".connected"), part(&simulation, "_2.connected")], [1.0, 0.0]);
    simulation.step(8);
    assert_eq!(shares(&simulation), [0.0, 0.0, 3.0]);
    assert!(metric(&simulation, "packet_age.mean_s").is_nan());
}

/// The largest distance between two.
fn width_m(simulation: &Simulation) -> f64 {
    let places = positions(simulation);
    let all = places.iter().flat_map(|one| places.iter().map(move |other| one.distance(*other)));
    all.fold(0.0, f64::max)
}

/// From each to its nearest neighbour.
fn nearest_m(places: &[DVec2]) -> Vec<f64> {
    let distance = |(one, at): (usize, &DVec2)| {
        let others = places.iter().enumerate().filter(|(other, _)| *other != one);
        others.map(|(_, other)| at.distance(*other)).fold(f64::INFINITY, f64::min)
    };
    places.iter().enumerate().map(distance).collect()
}

/// How far velocities are from their mean, in metres per second, root mean square.
fn mismatch_m_per_s(simulation: &Simulation) -> f64 {
    let velocities: Vec<_> = simulation.agents().map(|agent| agent.displacement_m() / simulation.time().dt_s).collect();
    let mean = velocities.iter().sum::<DVec2>() / velocities.len() as f64;
    (velocities.iter().map(|velocity| velocity.distance_squared(mean)).sum::<f64>() / velocities.len() as f64).sqrt()
}

#[test]
fn a_flock_forms_by_radio() {
    let (goes_any_way, must_turn) = ("Holonomic()", "DifferentialDrive(axle_m: 0.053, max_wheel_m_per_s: 0.25)");
    for (radio, motion, k1) in [
        ("loss: Disc(range_m: 1.0), schedule: Periodic(period_s: 0.05)", goes_any_way, 1.0),
        (
            "loss: Bernoulli(probability: 0.3, range_m: 1.5), schedule: Random(min_s: 0.05, max_s: 0.15)",
            goes_any_way,
            1.0,
        ),
        ("loss: Disc(range_m: 1.0), schedule: Random(min_s: 0.05, max_s: 0.15)", must_turn, 0.3),
    ] {
        let mut simulation = simulation_of(&format!(
            "(seed: 3, arena: (size_m: (6.0, 6.0), boundary: Open), time: (dt_s: 0.05), metrics: [TotalCollisions()],
              groups: [(name: \"birds\", count: 16, spawn: UniformDisc(center_m: (3.0, 3.0), radius_m: 0.8),
                body: Disc(radius_m: 0.037), motion: {motion}, radio: ({radio}),
                controller: Flocking(distance_m: 0.4, k1: {k1:?}, k2_per_s: 2.0,
                    goal: Line(from_m: (3.0, 3.0), velocity_m_per_s: (0.05, 0.02))))])"
        ));
        simulation.step(2);
        let before = mismatch_m_per_s(&simulation);
        assert!(before > 0.03, "{motion}: each its own way: {before}");
        simulation.step(120 * 20);
        let (after, nearest) = (mismatch_m_per_s(&simulation), nearest_m(&positions(&simulation)));
        let mean = nearest.iter().sum::<f64>() / 16.0;
        let moved = positions(&simulation).iter().sum::<DVec2>() / 16.0 - DVec2::splat(3.0);
        assert!(after < 0.002, "{motion}: {before} to {after} m/s");
        assert!(nearest.iter().all(|nearest| (0.3..0.45).contains(nearest)), "{motion}: {nearest:?}");
        assert!((mean - 0.4).abs() < 0.04, "{motion}: {mean}");
        assert_eq!(metric(&simulation, "total_collisions"), 0.0, "{motion}");
        assert!((moved - DVec2::new(6.0, 2.4)).length() < 0.2, "{motion}: with the goal: {moved}");
    }
}

#[test]
fn gossip_finds_the_exact_mean_though_packets_get_lost() {
    for rule in ["Pairwise", "Neighbourhood"] {
        for turns in ["Periodic(period_s: 0.2)", "Random(min_s: 0.1, max_s: 0.3)"] {
            let mut simulation = simulation_of(&format!(
                "(seed: 6, time: (dt_s: 0.05), metrics: [GossipEstimates()], groups: [
                    (name: \"a\", count: 12, spawn: UniformBox(min_m: (1.0, 1.0), max_m: (4.0, 4.0)),
                        controller: Gossip(of: X, rule: {rule}), radio: (loss: Bernoulli(probability: 0.3, range_m: 2.0),
                        schedule: {turns}, max_age_s: 20.0)),
                ])"
            ));
            let xs: Vec<_> = positions(&simulation).iter().map(|place| place.x).collect();
            simulation.step(20);
            assert!(metric(&simulation, "gossip_estimates.error") > 0.05);
            simulation.step(20 * 200);
            let part = |name: &str| metric(&simulation, &format!("gossip_estimates.{name}"));
            assert!((part("truth") - xs.iter().sum::<f64>() / 12.0).abs() < 1e-12);
            assert!(part("error") < 1e-6, "{rule}, {turns}: {}", part("error"));
            assert!(part("min") <= part("max") && (part("max") - part("truth")).abs() <= part("error"));
        }
    }
}

#[test]
fn rendezvous_by_radio_ends_in_one_place() {
    for rule in ["Circumcenter()", "Displacements(gain_per_s: 0.05)"] {
        for radio in ["loss: Perfect()", "loss: Bernoulli(probability: 0.5)"] {
            let mut simulation = simulation_of(&format!(
                "(seed: 2, time: (dt_s: 0.05), groups: [(name: \"a\", count: 15,
                    spawn: UniformBox(min_m: (0.0, 0.0), max_m: (5.0, 5.0)), body: Disc(radius_m: 0.0001),
                    motion: Holonomic(), controller: Rendezvous(rule: {rule}, max_speed_m_per_s: 5.0), radio: ({radio}))])"
            ));
            let middle = positions(&simulation).iter().sum::<DVec2>() / 15.0;
            simulation.step(20 * 120);
            assert!(width_m(&simulation) < 0.01, "{rule}, {radio}: {}", width_m(&simulation));
            if radio.contains("Perfect") && rule.contains("Displacements") {
                let off = positions(&simulation)[0].distance(middle);
                assert!(off < 0.2, "{rule}: {off}");
            }
        }
    }
}

#[test]
fn a_chain_of_robots_stays_connected_by_radio() {
    for radio in [
        "loss: Disc(range_m: 1.0), schedule: Periodic(period_s: 0.05)",
        "loss: Disc(range_m: 1.0), schedule: Periodic(period_s: 0.5)",
        "loss: Bernoulli(probability: 0.5, range_m: 1.0), schedule: Periodic(period_s: 0.1)",
    ] {
        // A bow, so that they do not only pull along one line.
        let at: Vec<_> = (0..12)
            .map(|place| {
                let at = DVec2::new(5.0, 2.0) + 3.6 * direction(0.25 * f64::from(place));
                format!("({:?}, {:?}, 0.0)", at.x, at.y)
            })
            .collect();
        let mut simulation = simulation_of(&format!(
            "(time: (dt_s: 0.05), groups: [(name: \"a\", at: [{}], body: Disc(radius_m: 0.0001),
                motion: Holonomic(), controller: Rendezvous(range_m: Some(1.0)),
                radio: ({radio}))])",
            at.join(", ")
        ));
        let apart = |places: &[DVec2]| {
            let pairs = places.windows(2).map(|pair| pair[0].distance(pair[1]));
            pairs.fold(0.0, f64::max)
        };
        assert!((0.8..1.0).contains(&apart(&positions(&simulation))));
        for _ in 0..20 * 600 {
            simulation.step(1);
            assert!(apart(&positions(&simulation)) <= 1.0, "{radio}: {}", apart(&positions(&simulation)));
        }
        assert!(width_m(&simulation) < 0.05, "{radio}: {}", width_m(&simulation));
    }
}

/// All of it at once.
const BUSY: &str = "(time: (dt_s: 0.05), REST
    metrics: [Packets(window_s: 1.0), DeliveryRatio(), PacketAge(), RadioLinks(), RadioConnectivity(), GossipEstimates()],
    groups: [
        (name: \"flock\", count: 6, spawn: UniformDisc(radius_m: 1.0), motion: DifferentialDrive(),
            controller: Flocking(goal: Circle(center_m: (5.0, 5.0), radius_m: 1.0, turn_rad_per_s: 0.1)),
            radio: (links: [(to: \"gossips\", loss: Bernoulli(probability: 1.0))])),
        (name: \"gossips\", count: 6, spawn: UniformDisc(radius_m: 1.0), controller: Gossip(drive: (v_m_per_s: 0.1)),
            radio: (loss: Bernoulli(probability: 0.3, jitter_s: 0.2), max_age_s: 0.6)),
        (name: \"lovers\", count: 6, spawn: UniformDisc(radius_m: 2.0, interval_steps: 10, batch_size: 1),
            motion: Holonomic(catastrophic_collisions: true), controller: Rendezvous(range_m: Some(1.5)),
            radio: (loss: Disc(), COLLISIONS)),
    ])";

#[test]
fn controllers_that_use_the_radio_keep_the_promise() {
    for rest in ["", "order: Sequential,", "delivery: SameStep,"] {
        let collisions = if rest.contains("SameStep") { "" } else { "packet_collisions: true" };
        let text = BUSY.replace("COLLISIONS", collisions).replace("REST", rest);
        let mut simulation = simulation_of(&text);
        let plain = hashes(&mut simulation, 150);
        let seen = simulation.metrics();
        let mut restored = simulation_of(&text);
        restored.step(70);
        let snapshot = restored.snapshot();
        restored.step(31);
        restored.restore(&snapshot).unwrap();
        assert_eq!(hashes(&mut restored, 80), plain[70..], "restored, {rest}");
        assert_eq!(restored.metrics(), seen, "{rest}");
        assert!(seen.iter().all(|value| !value.is_nan()), "{seen:?}");
    }
}
