//! Connections: which two radios hear each other, and how well of late.

use bevy::prelude::*;
use swarmarium_core::radio::connections::*;
use swarmarium_core::step::HasArena as _;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::support::simulation_of;

fn simulation(group: &str) -> Simulation {
    let text = format!("(time: (dt_s: 0.1), delivery: SameStep, groups: [{group}])");
    simulation_of(&text)
}

fn speaker(name: &str, x_m: f64, radio: &str) -> String {
    format!(
        "(name: \"{name}\", at: [({x_m:?}, 5.0, 0.0)], motion: Holonomic(),
            controller: Formation(k1_per_s: 0.0), radio: ({radio}))"
    )
}

fn connections<T>(simulation: &Simulation, fresh_s: f64, look: impl Fn(&Connections) -> T) -> T {
    look(&Connections::of(simulation.world(), &simulation.world().arena().space, fresh_s))
}

#[test]
fn a_connection_is_fresh_for_the_longest_wait_and_ends_with_its_packets() {
    let radio = "loss: Disc(range_m: 1.0), schedule: Periodic(period_s: 0.3), max_age_s: 1.0";
    let mut simulation = simulation(&[speaker("a", 4.0, radio), speaker("b", 4.5, radio)].join(", "));
    simulation.step(20);
    let all = |simulation: &Simulation| connections(simulation, 0.0, |all| all.all().collect::<Vec<_>>());
    let found = all(&simulation);
    assert!(matches!(found[..], [Connection { rows: [0, 1], is_fresh: true, .. }]), "{found:?}");
    assert!(found[0].age_steps() <= 2, "{found:?}");
    simulation.apply(Edit::Move { agent: 1, x_m: 9.0, y_m: 9.0, heading_rad: 0.0 }).unwrap();
    let (mut fresh, mut stale) = (0, 0);
    for _ in 0..20 {
        simulation.step(1);
        match all(&simulation)[..] {
            [one] if one.is_fresh && one.age_steps() <= 3 => fresh += 1,
            [one] if !one.is_fresh && one.age_steps() > 3 => stale += 1,
            [] => {}
            ref other => panic!("{other:?}"),
        }
    }
    assert!((1..=3).contains(&fresh) && stale == 7 && all(&simulation).is_empty(), "{fresh} {stale}");
}

#[test]
fn each_connection_exists_once_even_if_only_one_robot_hears() {
    let loud = "loss: Disc(range_m: 3.5), schedule: Periodic(period_s: 0.1)";
    let low = "loss: Disc(range_m: 1.2), schedule: Periodic(period_s: 0.1)";
    let three = [speaker("a", 2.0, low), speaker("b", 3.0, low), speaker("c", 5.0, loud)].join(", ");
    let mut simulation = simulation(&three);
    simulation.step(3);
    connections(&simulation, 0.0, |all| {
        let mut pairs: Vec<_> = all.all().map(|connection| connection.rows).collect();
        assert_eq!(pairs.len(), 3, "{pairs:?}");
        pairs.sort_unstable();
        assert_eq!(pairs, [[0, 1], [0, 2], [1, 2]]);
        for row in 0..3 {
            let with: Vec<_> = all.with(row).collect();
            let of: Vec<_> = all.all().filter(|found| found.rows.contains(&row)).collect();
            assert_eq!(with.len(), of.len());
            assert!(of.iter().all(|found| with.contains(found)));
        }
        assert_eq!(all.between(0, 2), all.between(2, 0));
        assert_eq!(all.between(1, 1), None);
    });
}

#[test]
fn the_freshness_limit_of_connections_can_be_set() {
    let radio = "loss: Perfect(), schedule: Periodic(period_s: 1.0)";
    let mut simulation = simulation(&[speaker("a", 2.0, radio), speaker("b", 3.0, radio)].join(", "));
    simulation.step(15);
    let is_fresh = |fresh_s| connections(&simulation, fresh_s, |all| all.between(0, 1).unwrap().is_fresh);
    assert_eq!([is_fresh(0.0), is_fresh(0.4), is_fresh(0.5)], [true, false, true]);
}
