//! Runs of equal values of one robot.

/// The largest number of runs; when there are more, short ones are merged.
const MOST: usize = 4096;

/// Values over steps, as runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// The first step of each run; steps beyond 2³² count as the last of these.
    starts: Vec<u32>,
    values: Vec<u8>,
    /// The smallest number of steps of a run, except the last one.
    least: u32,
}

impl Runs {
    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Adds the value after a step, which is not before the last one.
    pub fn push(&mut self, step: u64, value: u8) {
        let step = u32::try_from(step).unwrap_or(u32::MAX);
        let Some((last, start)) = self.values.last().copied().zip(self.starts.last().copied()) else {
            return self.begin(step, value);
        };
        if last == value {
            return;
        }
        if step - start.min(step) < self.least {
            // The last run was too short.
            (_, _) = (self.starts.pop(), self.values.pop());
            if self.values.last() != Some(&value) {
                self.begin(start, value);
            }
            return;
        }
        self.begin(step, value);
        if self.starts.len() > MOST {
            self.thin();
        }
    }

    fn begin(&mut self, step: u32, value: u8) {
        self.starts.push(step);
        self.values.push(value);
    }

    /// Merges short runs into those before them.
    fn thin(&mut self) {
        while self.starts.len() > MOST / 2 {
            self.least = (2 * self.least).max(2);
            let before = Self { least: self.least, ..Self::default() };
            let all = std::mem::replace(self, before);
            // The next start tells the length of a run, so that the last value of a short time wins.
            all.iter().for_each(|(step, value)| self.push(step, value));
        }
    }

    /// Returns the runs: first step and value.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u8)> {
        self.starts.iter().map(|start| u64::from(*start)).zip(self.values.iter().copied())
    }

    /// Replaces all values.
    pub fn map(&mut self, value: impl Fn(u8) -> u8) {
        let all = std::mem::take(self);
        self.least = all.least;
        all.iter().for_each(|(step, old)| {
            let new = value(old);
            if self.values.last() != Some(&new) {
                self.begin(step as u32, new);
            }
        });
    }

    /// Removes the runs that begin after a step.
    pub fn go_back(&mut self, step: u64) {
        let kept = self.starts.partition_point(|start| u64::from(*start) <= step);
        self.starts.truncate(kept);
        self.values.truncate(kept);
        // There is room for shorter runs again.
        let mut twice = 2 * kept.max(1);
        while self.least > 0 && twice < MOST {
            (self.least, twice) = (self.least / 2, 2 * twice);
        }
    }

    /// Returns the run at a step: its value, its first step, and the first step of the next one.
    pub fn at(&self, step: u64) -> Option<(u8, u64, Option<u64>)> {
        let place = self.starts.partition_point(|start| u64::from(*start) <= step).checked_sub(1)?;
        let next = self.starts.get(place + 1).map(|next| u64::from(*next));
        Some((*self.values.get(place)?, u64::from(*self.starts.get(place)?), next))
    }

    /// Finds the value of the longest run in each column of steps, up to a last step; 0 beyond the runs. The columns begin
    /// at a step, and each has a number of steps.
    pub fn columns(&self, (from, steps_per_column): (f64, f64), last: u64, values: &mut [u8]) {
        let end = u32::try_from(last).unwrap_or(u32::MAX).saturating_add(1);
        let first_step = |column: usize| (from + column as f64 * steps_per_column).max(0.0) as u32;
        let (starts, runs) = (&self.starts[..], &self.values[..]);
        let mut begin = first_step(0);
        let mut place = starts.partition_point(|start| *start <= begin).saturating_sub(1);
        for (column, value) in values.iter_mut().enumerate() {
            let next = first_step(column + 1);
            let stop = next.max(begin.saturating_add(1)).min(end);
            let mut longest = 0;
            *value = 0;
            while let Some((start, run)) = starts.get(place).zip(runs.get(place)) {
                let until = starts.get(place + 1).copied().unwrap_or(end);
                let steps = until.min(stop).saturating_sub((*start).max(begin));
                if steps > longest {
                    (longest, *value) = (steps, *run);
                }
                // The run may go on in the next column.
                if until >= stop {
                    break;
                }
                place += 1;
            }
            begin = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_run_and_columns_show_the_longest() {
        let mut runs = Runs::default();
        for step in 0..100 {
            runs.push(step, if step < 30 { 1 } else { 2 + u8::from(step == 50) });
        }
        assert_eq!(runs.iter().collect::<Vec<_>>(), [(0, 1), (30, 2), (50, 3), (51, 2)]);
        assert_eq!(runs.at(50), Some((3, 50, Some(51))));
        let mut columns = [9; 12];
        runs.columns((0.0, 10.0), 99, &mut columns);
        assert_eq!(columns, [1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 0, 0]);
        runs.columns((49.0, 1.0), 99, &mut columns);
        assert_eq!(columns[..4], [2, 3, 2, 2]);
        runs.go_back(40);
        assert_eq!(runs.iter().collect::<Vec<_>>(), [(0, 1), (30, 2)]);
    }

    #[test]
    fn the_number_of_runs_is_bounded() {
        let mut runs = Runs::default();
        for step in 0..1_000_000_u64 {
            runs.push(step, if step < 500_000 { 1 + (step % 2) as u8 } else { 3 });
        }
        assert!(runs.len() <= MOST, "{}", runs.len());
        assert_eq!(runs.at(900_000).map(|(value, ..)| value), Some(3), "long runs stay");
        let mut again = runs.clone();
        again.go_back(0);
        (1..100_u64).for_each(|step| again.push(step, 1 + (step % 2) as u8));
        assert!(again.len() >= 99, "short runs have room again: {}", again.len());
        assert!(runs.iter().zip(runs.iter().skip(1)).all(|(one, next)| one.0 < next.0 && one.1 != next.1));
    }
}
