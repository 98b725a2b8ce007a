//! The steps with moments of one kind, in bounded memory, and the meter of packet loss.

use swarmarium_core::radio::Counts;

/// The largest number of kept steps of a kind; when there are more, close ones are merged.
const MOST: usize = 1 << 14;

/// Time over which the share of lost packets is averaged, in simulated seconds.
const LOSS_WINDOW_S: f64 = 1.0;

/// The average share of lost packets from which a mark is set.
pub const LOSS_SHARE: f64 = 0.5;

/// Another mark is made only after the share has fallen below this part of [`LOSS_SHARE`].
const LOSS_REARM: f64 = 0.8;

/// The steps with moments of one kind, each once and in order.
#[derive(Clone, Debug, Default)]
pub struct MarkSteps {
    steps: Vec<u64>,
    /// The smallest distance between two steps.
    gap: u64,
}

impl MarkSteps {
    /// Adds a step, which is not before the last one.
    pub fn push(&mut self, step: u64) {
        if self.steps.last().is_some_and(|last| step < last + self.gap.max(1)) {
            return;
        }
        self.steps.push(step);
        if self.steps.len() > MOST {
            self.gap = (2 * self.gap).max(2);
            let (gap, mut last) = (self.gap, None);
            self.steps.retain(|step| {
                let is_kept = last.is_none_or(|last: u64| *step >= last + gap);
                last = if is_kept { Some(*step) } else { last };
                is_kept
            });
        }
    }

    /// Returns the steps. If there are very many, close ones are merged.
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// Removes the steps after a step.
    pub fn go_back(&mut self, step: u64) {
        self.steps.truncate(self.steps.partition_point(|known| *known <= step));
        // There is room for closer steps again.
        let mut twice = 2 * self.steps.len().max(1);
        while self.gap > 0 && twice < MOST {
            (self.gap, twice) = (self.gap / 2, 2 * twice);
        }
    }
}

/// The recent share of lost packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct LossMeter {
    share: f64,
    is_high: bool,
}

impl LossMeter {
    /// Adds the packets of a step. Returns whether the share rises above the threshold.
    pub fn rises(&mut self, packets: Counts, dt_s: f64) -> bool {
        let all = packets.delivered + packets.lost;
        if all == 0 {
            return false;
        }
        let weight = (dt_s / LOSS_WINDOW_S).min(1.0);
        self.share += weight * (packets.lost as f64 / all as f64 - self.share);
        let was_high = self.is_high;
        self.is_high = self.share >= if was_high { LOSS_SHARE * LOSS_REARM } else { LOSS_SHARE };
        self.is_high && !was_high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeline_marks_are_bounded_and_keep_their_order() {
        let mut marks = MarkSteps::default();
        (1..=100_000).for_each(|step| marks.push(step));
        assert!(marks.steps.len() <= MOST && marks.steps.len() > MOST / 4, "{}", marks.steps.len());
        assert!(marks.steps.windows(2).all(|pair| pair[1] - pair[0] >= marks.gap));
        marks.go_back(50_000);
        assert!(marks.steps.last().is_some_and(|last| *last <= 50_000));
        marks.push(50_001 + marks.gap);
        assert_eq!(marks.steps.last(), Some(&(50_001 + marks.gap)));
        marks.go_back(10);
        let before = marks.steps.len();
        (11..=1000).for_each(|step| marks.push(step));
        assert_eq!(marks.steps.len(), before + 990, "all steps have room again");
    }

    #[test]
    fn a_rise_of_lost_packets_is_one_mark() {
        let mut meter = LossMeter::default();
        let lost = |lost: u64| Counts { delivered: 10 - lost, lost, ..Counts::default() };
        let mut rises = |packets: Counts, steps: u64| (0..steps).filter(|_| meter.rises(packets, 0.05)).count();
        assert_eq!(rises(lost(1), 100), 0);
        assert_eq!(rises(lost(9), 100), 1, "a rise");
        assert_eq!(rises(lost(5), 100), 0, "near the threshold nothing flickers");
        assert_eq!(rises(Counts::default(), 100), 0, "silence is not a loss");
        assert_eq!(rises(lost(0), 100), 0, "another one");
        assert_eq!(rises(lost(10), 100), 1, "another one");
    }
}
