//! Connections: pairs of radios that receive each other's packets, with the age of the packets.

use bevy::prelude::*;
use swarmarium_space::{Bodies, Space};

use super::Radio;
use super::inbox::Inbox;
use crate::step::HasArena as _;
use crate::time::SimTime;
use crate::time::rate::steps;

/// The connections between all radios, at the end of a step.
pub struct Connections<'a> {
    time: SimTime,
    fresh_steps: Option<u64>,
    bodies: &'a Bodies,
    /// Radios by row.
    radios: Vec<Option<(&'a Radio, &'a Inbox)>>,
}

/// A pair of robots of which at least one holds a packet of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Their rows.
    pub rows: [usize; 2],
    /// Age (steps) of the packet of the first that the second holds, and vice versa.
    pub ages_steps: [Option<u64>; 2],
    /// Whether at least one packet is recent: no older than the longest time between two turns of its sender.
    pub is_fresh: bool,
}

impl Connection {
    /// Age (steps) of the newer of the two packets.
    pub fn age_steps(&self) -> u64 {
        self.ages_steps.into_iter().flatten().min().unwrap_or(u64::MAX)
    }
}

impl<'a> Connections<'a> {
    /// The connections of a world. Packets are fresh for `fresh_s` or, if that is 0, for the longest time between turns
    /// of their sender. Dead robots receive nothing, and their packets age.
    pub fn of(world: &'a World, space: &'a Space, fresh_s: f64) -> Self {
        let time = world.arena().time;
        let radio = |agent: &Entity| {
            let agent = world.get_entity(*agent).ok()?;
            Some((agent.get::<Radio>()?, agent.get::<Inbox>()?))
        };
        Self {
            time,
            fresh_steps: (fresh_s > 0.0).then(|| steps(fresh_s, time.dt_s)),
            bodies: &space.bodies,
            radios: world.arena().agents.iter().map(radio).collect(),
        }
    }

    /// All connections, each once and in a fixed order; takes time in proportion to the packets held.
    pub fn all(&self) -> impl Iterator<Item = Connection> {
        (0..self.radios.len()).flat_map(move |receiver| {
            let packets = self.inbox(receiver).map_or(&[][..], Inbox::packets);
            let senders = packets.iter().filter_map(|packet| self.bodies.row_of(packet.sender));
            // If both hold a packet, the pair is listed with the first.
            let is_told = move |sender: usize| sender < receiver && self.held(receiver, sender).is_some();
            senders.filter(move |sender| !is_told(*sender)).filter_map(move |sender| self.between(sender, receiver))
        })
    }

    /// The connections of the agent in a row.
    pub fn with(&self, row: usize) -> impl Iterator<Item = Connection> {
        let others = (0..self.radios.len()).filter(move |other| *other != row);
        others.filter_map(move |other| self.between(row, other))
    }

    /// The connection between the agents in two rows, if there is one.
    pub fn between(&self, one: usize, other: usize) -> Option<Connection> {
        let rows = [one.min(other), one.max(other)];
        let held = [self.held(rows[0], rows[1]), self.held(rows[1], rows[0])];
        let is_fresh = held.iter().flatten().any(|(_, is_fresh)| *is_fresh);
        let ages_steps = held.map(|held| held.map(|(age_steps, _)| age_steps));
        (ages_steps != [None; 2]).then_some(Connection { rows, ages_steps, is_fresh })
    }

    /// Age of the packet of one agent that another holds, and whether it is fresh.
    fn held(&self, sender: usize, receiver: usize) -> Option<(u64, bool)> {
        let packet = self.inbox(receiver)?.of(self.bodies.owners().get(sender)?.number)?;
        let age_steps = packet.age_steps(self.time.step);
        let longest = || self.radios[sender].map_or(0, |(radio, _)| radio.schedule.longest_steps(self.time.dt_s));
        Some((age_steps, age_steps <= self.fresh_steps.unwrap_or_else(longest)))
    }

    fn inbox(&self, row: usize) -> Option<&'a Inbox> {
        let (_, inbox) = (*self.radios.get(row)?)?;
        (!self.bodies.owners()[row].dead).then_some(inbox)
    }
}
