//! Received packets.

use bevy::math::DVec2;
use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::math::quick_angle_of;

/// Numbers of a packet; short packets need no heap allocation.
pub type Numbers = SmallVec<[f64; 2]>;

/// The packets that a radio has received and still keeps.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Inbox {
    /// The newest packet of each sender, sorted by sender.
    packets: Vec<Packet>,
    /// Delayed packets, in order of arrival.
    delayed: Vec<DelayedPacket>,
}

/// A packet: the numbers that an agent sent at one of its turns.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
pub struct Packet {
    /// Number of the sending agent, as in its stable id.
    pub sender: u32,
    /// The step of the transmission.
    pub sent_step: u64,
    /// Vector to the sender at the time of transmission (m), in the frame of the receiver's body, whose x axis is
    /// ahead. Zero if the radio is not [`situated`](super::Radio::situated).
    pub from_m: DVec2,
    /// The numbers of the message.
    pub numbers: Numbers,
}

/// A packet that arrives at a radio.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewPacket<'a> {
    pub sender: u32,
    pub sent_step: u64,
    pub from_m: DVec2,
    pub numbers: &'a [f64],
}

/// A delayed packet.
#[derive(Reflect, Clone, Debug, PartialEq)]
struct DelayedPacket {
    packet: Packet,
    /// The step of its arrival.
    at_step: u64,
}

/// Memory of the links of kinds of loss with memory, by sender.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub(super) struct Links(Vec<(u32, f64)>);

/// Message of an agent in this step. Not state: rewritten before it is sent.
#[derive(Component, Debug, Default)]
pub(crate) struct Outbox(pub Vec<f64>);

impl Packet {
    /// Age in steps, at a step.
    #[inline]
    pub fn age_steps(&self, step: u64) -> u64 {
        step.saturating_sub(self.sent_step)
    }

    /// Distance to the sender at the time of transmission (m).
    #[inline]
    pub fn range_m(&self) -> f64 {
        self.from_m.length()
    }

    /// Direction to the sender at the time of transmission, anticlockwise from the heading (rad, in (−π, π]).
    #[inline]
    pub fn bearing_rad(&self) -> f64 {
        quick_angle_of(self.from_m)
    }

    #[inline]
    fn as_new(&self) -> NewPacket<'_> {
        let Self { sender, sent_step, from_m, numbers } = self;
        NewPacket { sender: *sender, sent_step: *sent_step, from_m: *from_m, numbers }
    }
}

impl From<NewPacket<'_>> for Packet {
    fn from(NewPacket { sender, sent_step, from_m, numbers }: NewPacket) -> Self {
        Self { sender, sent_step, from_m, numbers: Numbers::from_slice(numbers) }
    }
}

impl Inbox {
    /// The newest packet of each sender, sorted by sender.
    pub fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// The newest packet of a sender, given by its number.
    pub fn of(&self, sender: u32) -> Option<&Packet> {
        let place = self.packets.binary_search_by_key(&sender, |packet| packet.sender).ok()?;
        Some(&self.packets[place])
    }

    /// Stores a packet, unless there is a newer one of the same sender.
    ///
    /// The index `next` is tried first and then advanced: packets mostly arrive in order of senders, from the same
    /// senders as before.
    #[inline]
    pub(super) fn keep(&mut self, new_packet: NewPacket, next: &mut usize) {
        let place = match self.packets.get(*next) {
            Some(packet) if packet.sender == new_packet.sender => Ok(*next),
            _ => self.packets.binary_search_by_key(&new_packet.sender, |packet| packet.sender),
        };
        *next = place.unwrap_or_else(|place| place) + 1;
        match place {
            Ok(place) => {
                let packet = &mut self.packets[place];
                if new_packet.sent_step >= packet.sent_step {
                    (packet.sent_step, packet.from_m) = (new_packet.sent_step, new_packet.from_m);
                    // Reuse the allocation.
                    packet.numbers.clear();
                    packet.numbers.extend_from_slice(new_packet.numbers);
                }
            }
            Err(place) => self.packets.insert(place, new_packet.into()),
        }
    }

    /// Stores a packet that arrives at a later step.
    pub(super) fn expect(&mut self, new_packet: NewPacket, at_step: u64) {
        let packet = Packet::from(new_packet);
        // A fixed order, independent of the order of calls.
        let key = (at_step, packet.sender, packet.sent_step);
        let place = self
            .delayed
            .partition_point(|DelayedPacket { packet, at_step }| (*at_step, packet.sender, packet.sent_step) < key);
        self.delayed.insert(place, DelayedPacket { packet, at_step });
    }

    /// Removes all packets sent at a step if there are several; returns their number.
    pub(super) fn collide(&mut self, sent_step: u64) -> usize {
        let is_of = |delayed: &DelayedPacket| delayed.packet.sent_step == sent_step;
        let sent = self.delayed.iter().filter(|delayed| is_of(delayed)).count();
        if sent < 2 {
            return 0;
        }
        self.delayed.retain(|delayed| !is_of(delayed));
        sent
    }

    /// Stores the packets that arrive at a step, unless there are newer ones; returns the number of arrivals.
    pub(super) fn take_in(&mut self, step: u64) -> usize {
        let there = self.delayed.partition_point(|delayed| delayed.at_step <= step);
        if there == 0 {
            return 0;
        }
        let (mut delayed, mut next) = (std::mem::take(&mut self.delayed), 0);
        for DelayedPacket { packet, .. } in delayed.drain(..there) {
            self.keep(packet.as_new(), &mut next);
        }
        self.delayed = delayed;
        there
    }

    /// Removes packets that are older than a number of steps.
    pub(super) fn forget(&mut self, step: u64, max_age_steps: u64) {
        self.packets.retain(|packet| packet.age_steps(step) <= max_age_steps);
    }
}

impl Links {
    /// Updates the memory of a link.
    pub(super) fn update<T>(&mut self, sender: u32, act: impl FnOnce(&mut Option<f64>) -> T) -> T {
        let place = self.0.binary_search_by_key(&sender, |(sender, _)| *sender);
        let mut memory = place.ok().map(|place| self.0[place].1);
        let done = act(&mut memory);
        match (place, memory) {
            (Ok(place), Some(memory)) => self.0[place].1 = memory,
            (Err(place), Some(memory)) => self.0.insert(place, (sender, memory)),
            (Ok(place), None) => drop(self.0.remove(place)),
            (Err(_), None) => {}
        }
        done
    }
}

/// Packets and turn of an agent when its controller decides. Both are empty for an agent without a radio.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heard<'a> {
    /// The newest packet of each sender, sorted by sender, unless it is too old.
    pub packets: &'a [Packet],
    /// Steps since the last turn of the radio, if it has a turn in this step.
    pub turn: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_packet(sender: u32, sent_step: u64, numbers: &[f64]) -> NewPacket<'_> {
        NewPacket { sender, sent_step, from_m: DVec2::new(0.5, f64::from(sender)), numbers }
    }

    #[test]
    fn the_newest_packet_of_each_sender_is_kept_until_it_is_too_old() {
        let mut inbox = Inbox::default();
        inbox.keep(new_packet(3, 5, &[1.0]), &mut 0);
        inbox.keep(new_packet(1, 6, &[2.0, 3.0]), &mut 0);
        inbox.keep(new_packet(3, 4, &[9.0]), &mut 0);
        inbox.keep(new_packet(1, 8, &[4.0]), &mut 0);
        let found: Vec<_> = inbox.packets().iter().map(|packet| (packet.sender, packet.age_steps(9))).collect();
        assert_eq!(found, [(1, 1), (3, 4)]);
        assert_eq!(inbox.packets()[0].numbers.as_slice(), [4.0]);
        assert_eq!(inbox.packets()[1].from_m, DVec2::new(0.5, 3.0));
        inbox.forget(9, 4);
        assert_eq!(inbox.packets().len(), 2, "as old as it may be");
        inbox.forget(10, 4);
        assert_eq!(inbox.packets().len(), 1);
    }

    #[test]
    fn packets_that_are_late_do_not_replace_newer_ones() {
        let mut inbox = Inbox::default();
        inbox.expect(new_packet(0, 1, &[1.0]), 9);
        inbox.expect(new_packet(0, 2, &[2.0]), 4);
        inbox.take_in(3);
        assert!(inbox.packets().is_empty());
        inbox.take_in(4);
        assert_eq!(inbox.packets()[0].numbers.as_slice(), [2.0]);
        inbox.take_in(9);
        assert_eq!(inbox.packets()[0].numbers.as_slice(), &[2.0][..]);
        assert_eq!(inbox.delayed.len(), 0);
    }

    #[test]
    fn packets_of_one_step_destroy_each_other() {
        let mut inbox = Inbox::default();
        inbox.expect(new_packet(0, 1, &[1.0]), 2);
        assert_eq!(inbox.collide(1), 0);
        inbox.expect(new_packet(1, 2, &[2.0]), 3);
        inbox.expect(new_packet(2, 2, &[3.0]), 5);
        assert_eq!(inbox.collide(2), 2);
        assert_eq!(inbox.take_in(9), 1);
        assert_eq!(inbox.packets().iter().map(|packet| packet.sender).collect::<Vec<_>>(), [0]);
    }
}
