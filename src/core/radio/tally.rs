//! Tallies: how many packets came through.

use std::ops::{AddAssign, SubAssign};

use bevy::prelude::*;

/// What became of packets in the last step in which a radio was at work; metrics read it after each step.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    step: u64,
    counts: Counts,
}

/// Numbers of packets: what a radio told others, and what others told it.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Counts {
    /// Packets that it sent, each of them once, however many radios are within reach.
    pub sent: u64,
    /// Packets that it did not send since its budget forbade it.
    pub withheld: u64,
    /// Packets that came from others: also those that replace no newer one, and those that are too old when they come.
    pub delivered: u64,
    /// Packets from others that were sent within reach and got lost: by chance, behind something, or in a collision.
    pub lost: u64,
}

impl Tally {
    /// The counts of a step, which begin at 0.
    pub(super) fn at(&mut self, step: u64) -> &mut Counts {
        if self.step != step {
            *self = Self { step, counts: Counts::default() };
        }
        &mut self.counts
    }

    /// What became of packets in a step, if that was the last one.
    pub fn of(&self, step: u64) -> Counts {
        if self.step == step { self.counts } else { Counts::default() }
    }
}

impl Counts {
    /// The share of the packets within reach that came through; `NaN` when there was none.
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
    fn each_step_is_counted_anew() {
        let mut tally = Tally::default();
        tally.at(3).delivered += 3;
        tally.at(3).lost += 1;
        assert_eq!((tally.of(3).delivery_ratio(), tally.of(4)), (0.75, Counts::default()));
        tally.at(4).sent += 1;
        assert_eq!(tally.of(4), Counts { sent: 1, ..Counts::default() });
        assert!(tally.of(4).delivery_ratio().is_nan());
    }
}
