//! A bounded list of moments of one kind: the first ones and the latest ones.

use std::collections::VecDeque;

use crate::common::moments::Occurrence;

/// The number of first moments that are kept, and of latest ones.
pub const MOST: usize = 2048;

/// The first and the latest moments of one kind, in the order of their steps.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    first: Vec<Occurrence>,
    latest: VecDeque<Occurrence>,
    /// The number of moments between the first and the latest ones.
    forgotten: u64,
}

impl Kept {
    /// Adds the latest moment. Returns its number, counted from 0.
    pub fn push(&mut self, occurrence: Occurrence) -> u64 {
        if self.first.len() < MOST {
            self.first.push(occurrence);
        } else {
            if self.latest.len() == MOST {
                self.latest.pop_front();
                self.forgotten += 1;
            }
            self.latest.push_back(occurrence);
        }
        self.count() - 1
    }

    /// Returns the moment with a number, if it is kept.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut Occurrence> {
        match usize::try_from(number).ok().filter(|number| *number < self.first.len()) {
            Some(number) => self.first.get_mut(number),
            None => {
                let place = number.checked_sub(self.first.len() as u64 + self.forgotten)?;
                self.latest.get_mut(usize::try_from(place).ok()?)
            }
        }
    }

    /// Returns the total number of moments.
    pub fn count(&self) -> u64 {
        (self.first.len() + self.latest.len()) as u64 + self.forgotten
    }

    /// Returns the kept moments.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Occurrence> {
        self.first.iter().chain(&self.latest)
    }

    /// Returns the kept moments at a step.
    pub fn at(&self, step: u64) -> impl Iterator<Item = &Occurrence> {
        let first = self.first.partition_point(|known| known.step < step);
        let latest = self.latest.partition_point(|known| known.step < step);
        let near = self.first[first..].iter().chain(self.latest.range(latest..));
        near.filter(move |known| known.step == step).take(MOST)
    }

    /// Removes the moments after a step; contacts that go on then end there. `steps` has the remaining steps with such
    /// moments, as far as they are known.
    pub fn go_back(&mut self, step: u64, steps: &[u64]) {
        self.latest.truncate(self.latest.partition_point(|known| known.step <= step));
        self.first.truncate(self.first.partition_point(|known| known.step <= step));
        if self.latest.is_empty() {
            // Of the moments between, only the steps are kept.
            let last = self.first.last().map_or(u64::MAX, |last| last.step);
            let after = steps.len() - steps.partition_point(|known| *known <= last);
            self.forgotten = if self.first.len() < MOST { 0 } else { self.forgotten.min(after as u64) };
        }
        for known in self.first.iter_mut().chain(&mut self.latest) {
            known.last_step = known.last_step.min(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::moments::{Detail, MomentKind};

    fn at(step: u64) -> Occurrence {
        Occurrence::new(MomentKind::Collision, step, Some(0), Detail::None)
    }

    #[test]
    fn the_first_and_the_latest_moments_are_kept() {
        let mut kept = Kept::default();
        let all = 3 * MOST as u64;
        for step in 0..all {
            assert_eq!(kept.push(at(step)), step);
        }
        assert_eq!(kept.count(), all);
        assert_eq!(kept.iter().count(), 2 * MOST);
        assert_eq!(kept.iter().next().map(|known| known.step), Some(0));
        assert_eq!(kept.iter().next_back().map(|known| known.step), Some(all - 1));
        assert_eq!(kept.get_mut(all - 1).map(|known| known.step), Some(all - 1));
        assert_eq!(kept.get_mut(MOST as u64 + 1).map(|known| known.step), None, "it is forgotten");
        assert_eq!(kept.at(all - 1).count(), 1);
        let mut between = kept.clone();
        let steps: Vec<u64> = (0..all).collect();
        between.go_back(MOST as u64 + 9, &steps[..MOST + 10]);
        assert_eq!([between.count(), between.push(at(MOST as u64 + 10))], [MOST as u64 + 10; 2]);
        kept.go_back(5, &steps[..6]);
        assert_eq!([kept.count(), kept.push(at(6))], [6, 6]);
    }
}
