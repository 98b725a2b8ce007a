//! Packet counters.

use std::ops::{AddAssign, SubAssign};

use bevy::prelude::*;

/// Packet counts of the last step in which the radio was active; metrics read them after each step.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    step: u64,
    counts: Counts,
}

/// Numbers of packets of a radio.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Counts {
    /// Packets sent, each counted once, however many radios are within reach.
    pub sent: u64,
    /// Packets not sent because of the data rate limit.
    pub withheld: u64,
    /// Packets received, including those that do not replace a newer one and those that are too old on arrival.
    pub delivered: u64,
    /// Packets from senders within reach that were lost: at random, behind an obstacle, or in a packet collision.
    pub lost: u64,
}

impl Tally {
    /// The counts of a step, which start at 0.
    pub(super) fn at(&mut self, step: u64) -> &mut Counts {
        if self.step != step {
            *self = Self { step, counts: Counts::default() };
        }
        &mut self.counts
    }

    /// The packet counts of a step; zero if it is not the last recorded one.
    pub fn of(&self, step: u64) -> Counts {
        if self.step == step { self.counts } else { Counts::default() }
    }
}

impl Counts {
    /// Fraction of the packets within reach that were received; `NaN` without packets.
    pub fn delivery_ratio(&self) -> f64 {
        self.delivered as f64 / (self.delivered as f64 + self.lost as f64)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, Self { sent, withheld, delivered, lost }: Self) {
        self.sent = self.sent.saturating_add(sent);
        self.withheld = self.withheld.saturating_add(withheld);
        self.delivered = self.delivered.saturating_add(delivered);
        self.lost = self.lost.saturating_add(lost);
    }
}

impl SubAssign for Counts {
    fn sub_assign(&mut self, Self { sent, withheld, delivered, lost }: Self) {
        self.sent = self.sent.saturating_sub(sent);
        self.withheld = self.withheld.saturating_sub(withheld);
        self.delivered = self.delivered.saturating_sub(delivered);
        self.lost = self.lost.saturating_sub(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radio_tally_counts_each_step_separately() {
        let mut tally = Tally::default();
        tally.at(3).delivered += 3;
        tally.at(3).lost += 1;
        assert_eq!(tally.of(3).delivery_ratio(), 0.75);
        assert_eq!(tally.of(4), Counts::default());
        tally.at(4).sent += 1;
        assert_eq!(tally.of(4), Counts { sent: 1, ..Counts::default() });
        assert!(tally.of(4).delivery_ratio().is_nan());
    }
}
