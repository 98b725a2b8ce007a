//! Connections: which two radios hear each other, and how well of late.

use bevy::prelude::*;

use super::Radio;
use super::inbox::Inbox;
use crate::space::{Bodies, Space};
use crate::step::Agents;
use crate::time::SimTime;
use crate::time::rate::steps;

/// The connections between all radios, at the end of a step.
pub struct Connections<'a> {
    time: SimTime,
    fresh_steps: Option<u64>,
    bodies: &'a Bodies,
    /// By row.
    radios: Vec<Option<(&'a Radio, &'a Inbox)>>,
}

/// Two robots of which at least one holds a packet of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Their rows.
    pub rows: [usize; 2],
    /// Steps since the packets were sent that the second holds of the first, and the first of the second.
    pub ages_steps: [Option<u64>; 2],
    /// Whether one of them has heard the last that the other sent: its packet is no older than the longest time between
    /// two turns of its sender.
    pub is_fresh: bool,
}

impl Connection {
    /// Steps since the newer of the packets was sent that they hold of each other.
    pub fn age_steps(&self) -> u64 {
        self.ages_steps.into_iter().flatten().min().unwrap_or(u64::MAX)
    }
}

impl<'a> Connections<'a> {
    /// Those of a world; packets are fresh for `fresh_s`, or where that is 0 for the longest time between two turns of their
    /// sender. The dead hear nothing, and what others have heard of them grows old.
    pub fn of(world: &'a World, space: &'a Space, fresh_s: f64) -> Self {
        let time = *world.resource::<SimTime>();
        let radio = |agent: &Entity| {
            let agent = world.get_entity(*agent).ok()?;
            Some((agent.get::<Radio>()?, agent.get::<Inbox>()?))
        };
        Self {
            time,
            fresh_steps: (fresh_s > 0.0).then(|| steps(fresh_s, time.dt_s)),
            bodies: &space.bodies,
            radios: world.resource::<Agents>().0.iter().map(radio).collect(),
        }
    }

    /// All of them, each once, in one order; only what is held is gone over.
    pub fn all(&self) -> impl Iterator<Item = Connection> {
        (0..self.radios.len()).flat_map(move |receiver| {
            let packets = self.inbox(receiver).map_or(&[][..], Inbox::packets);
            let senders = packets.iter().filter_map(|packet| self.bodies.row_of(packet.sender));
            // Where both hold one, the pair is that of the first.
            let is_told = move |sender: usize| sender < receiver && self.held(receiver, sender).is_some();
            senders.filter(move |sender| !is_told(*sender)).filter_map(move |sender| self.between(sender, receiver))
        })
    }

    /// Those of the agent in a row.
    pub fn with(&self, row: usize) -> impl Iterator<Item = Connection> {
        let others = (0..self.radios.len()).filter(move |other| *other != row);
        others.filter_map(move |other| self.between(row, other))
    }

    /// That between the agents in two rows, if there is one.
    pub fn between(&self, one: usize, other: usize) -> Option<Connection> {
        let rows = [one.min(other), one.max(other)];
        let held = [self.held(rows[0], rows[1]), self.held(rows[1], rows[0])];
        let is_fresh = held.iter().flatten().any(|(_, is_fresh)| *is_fresh);
        let ages_steps = held.map(|held| held.map(|(age_steps, _)| age_steps));
        (ages_steps != [None; 2]).then_some(Connection { rows, ages_steps, is_fresh })
    }

    /// Age of the packet of one agent that another one holds, and whether it is fresh.
    fn held(&self, sender: usize, receiver: usize) -> Option<(u64, bool)> {
        let packet = self.inbox(receiver)?.of(self.bodies.who().get(sender)?.number)?;
        let age_steps = packet.age_steps(self.time.step);
        let turns = || self.radios[sender].map_or(0, |(radio, _)| radio.turns.longest_steps(self.time.dt_s));
        Some((age_steps, age_steps <= self.fresh_steps.unwrap_or_else(turns)))
    }

    fn inbox(&self, row: usize) -> Option<&'a Inbox> {
        let (_, inbox) = (*self.radios.get(row)?)?;
        (!self.bodies.who()[row].dead).then_some(inbox)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Edit;
    use crate::scene::reader;
    use crate::simulation::{Recipe, Simulation};
    use crate::step::CurrentSpace;

    fn simulation(group: &str) -> Simulation {
        let text = format!("(time: (dt_s: 0.1), delivery: SameStep, groups: [{group}])");
        let scene = reader::read(Recipe::standard().kinds(), "test", &text).unwrap();
        Simulation::new(&scene).unwrap()
    }

    fn speaker(name: &str, x_m: f64, radio: &str) -> String {
        format!(
            "(name: \"{name}\", at: [({x_m:?}, 5.0, 0.0)], motion: Holonomic(),
                controller: Formation(k1_per_s: 0.0), radio: ({radio}))"
        )
    }

    fn connections<T>(simulation: &Simulation, fresh_s: f64, look: impl Fn(&Connections) -> T) -> T {
        look(&Connections::of(simulation.world(), &simulation.world().resource::<CurrentSpace>().0, fresh_s))
    }

    #[test]
    fn a_pair_is_fresh_until_the_longest_wait_and_there_until_its_packets_are_forgotten() {
        let radio = "loss: Disc(range_m: 1.0), turns: Fixed(period_s: 0.3), max_age_s: 1.0";
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
    fn each_pair_is_there_once_also_where_only_one_hears_the_other() {
        let loud = "loss: Disc(range_m: 3.5), turns: Fixed(period_s: 0.1)";
        let low = "loss: Disc(range_m: 1.2), turns: Fixed(period_s: 0.1)";
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
    fn how_long_packets_are_fresh_can_be_said() {
        let radio = "loss: Perfect(), turns: Fixed(period_s: 1.0)";
        let mut simulation = simulation(&[speaker("a", 2.0, radio), speaker("b", 3.0, radio)].join(", "));
        simulation.step(15);
        let is_fresh = |fresh_s| connections(&simulation, fresh_s, |all| all.between(0, 1).unwrap().is_fresh);
        assert_eq!([is_fresh(0.0), is_fresh(0.4), is_fresh(0.5)], [true, false, true]);
    }
}
