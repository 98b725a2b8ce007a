//! Statistics of a clock: durations of steps and achieved speed.

use swarmarium_core::time::Strategy;

/// The number of steps that the statistics cover.
const WINDOW: usize = 600;

/// The statistics of a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The strategy for steps that the machine cannot compute in time.
    pub strategy: Strategy,
    /// Steps since the start.
    pub steps: u64,
    /// Simulated time that was dropped since the start, in seconds.
    pub dropped_s: f64,
    /// Steps that were longer than the others. Always 0: MORSE stretches steps, whereas all steps of this program have
    /// the same length.
    pub stretched_steps: u64,
    /// Requested simulated seconds per second.
    pub requested_scale: f64,
    /// Achieved simulated seconds per second over about the last second.
    pub achieved_scale: f64,
    /// The mean real time from the start of a step to the start of the next one, over the last 600, in seconds; 0 for
    /// fewer than two steps. Pauses are left out.
    pub mean_tick_s: f64,
    /// The sample variance of that time, in square seconds; 0 for fewer than three steps.
    pub variance_tick_s: f64,
    /// The mean real time of the last 600 steps, in seconds; 0 without any.
    pub mean_step_s: f64,
    /// The sample variance of that time, in square seconds; 0 for fewer than two steps.
    pub variance_step_s: f64,
    /// The median real time of these steps, in seconds.
    pub p50_s: f64,
    /// The 95th percentile of the real time of these steps, in seconds.
    pub p95_s: f64,
    /// The 99th percentile of the real time of these steps, in seconds.
    pub p99_s: f64,
}

/// The last of many durations, in seconds.
#[derive(Clone, Debug, Default)]
struct Window {
    /// A ring buffer: once it is full, the oldest value is replaced.
    last_s: Vec<f64>,
    /// The total number of durations.
    count: u64,
}

impl Window {
    /// Adds a duration; a number that is not a duration counts as 0.
    fn add(&mut self, duration_s: f64) {
        let duration_s = if duration_s.is_finite() { duration_s.max(0.0) } else { 0.0 };
        match self.last_s.get_mut((self.count % WINDOW as u64) as usize) {
            Some(oldest) => *oldest = duration_s,
            None => self.last_s.push(duration_s),
        }
        self.count += 1;
    }

    /// The mean and the sample variance.
    fn mean_and_variance(&self) -> (f64, f64) {
        let count = self.last_s.len() as f64;
        let mean = self.last_s.iter().sum::<f64>() / count.max(1.0);
        let squares: f64 = self.last_s.iter().map(|last_s| (last_s - mean) * (last_s - mean)).sum();
        (mean, if count > 1.0 { squares / (count - 1.0) } else { 0.0 })
    }
}

/// The real times of the last steps.
#[derive(Clone, Debug, Default)]
pub(super) struct StepTimes {
    /// The durations of the steps.
    steps: Window,
    /// The times from the start of each step to the start of the next one.
    ticks: Window,
    /// The start of the last step; `None` before the first one and after a pause.
    began_s: Option<f64>,
}

impl StepTimes {
    /// Records the start and the duration of a step in real time.
    pub fn add(&mut self, began_s: f64, step_s: f64) {
        self.steps.add(step_s);
        if let Some(before_s) = self.began_s.replace(began_s) {
            self.ticks.add(began_s - before_s);
        }
    }

    /// Records a pause: the time until the next step does not count as time between steps.
    pub fn pause(&mut self) {
        self.began_s = None;
    }

    /// The statistics of the durations; the fields that only the clock knows keep their defaults.
    pub fn statistics(&self) -> Statistics {
        let count = self.steps.last_s.len();
        if count == 0 {
            return Statistics::default();
        }
        let ((mean_step_s, variance_step_s), (mean_tick_s, variance_tick_s)) =
            (self.steps.mean_and_variance(), self.ticks.mean_and_variance());
        let mut sorted = self.steps.last_s.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |percent: usize| sorted[(count * percent).div_ceil(100).clamp(1, count) - 1];
        Statistics {
            steps: self.steps.count,
            mean_tick_s,
            variance_tick_s,
            mean_step_s,
            variance_step_s,
            p50_s: at(50),
            p95_s: at(95),
            p99_s: at(99),
            ..Statistics::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(times_s: impl IntoIterator<Item = f64>) -> Statistics {
        let mut times = StepTimes::default();
        times_s.into_iter().for_each(|step_s| times.add(0.0, step_s));
        times.statistics()
    }

    #[test]
    fn statistics_of_no_step_and_one_step_are_defined() {
        assert_eq!(of([]), Statistics::default());
        let one = of([0.5]);
        assert_eq!(one.steps, 1);
        assert_eq!(one.mean_step_s, 0.5);
        assert_eq!(one.variance_step_s, 0.0);
        assert_eq!(one.p50_s, 0.5);
        assert_eq!(one.p95_s, 0.5);
        assert_eq!(one.p99_s, 0.5);
    }

    #[test]
    fn tick_times_exclude_pauses() {
        let mut times = StepTimes::default();
        [1.0, 1.5, 2.5].into_iter().for_each(|began_s| times.add(began_s, 0.01));
        times.pause();
        [70.0, 70.5].into_iter().for_each(|began_s| times.add(began_s, 0.01));
        let found = times.statistics();
        assert!((found.mean_tick_s - 2.0 / 3.0).abs() < 1e-12 && (found.mean_step_s - 0.01).abs() < 1e-12);
        assert!((found.variance_tick_s - 1.0 / 12.0).abs() < 1e-12, "{}", found.variance_tick_s);
    }

    #[test]
    fn percentiles_are_measured_step_times() {
        let hundred = of((1..=100).rev().map(f64::from));
        assert_eq!(hundred.p50_s, 50.0);
        assert_eq!(hundred.p95_s, 95.0);
        assert_eq!(hundred.p99_s, 99.0);
        assert_eq!(hundred.mean_step_s, 50.5);
        assert!((hundred.variance_step_s - 100.0 * 101.0 / 12.0).abs() < 1e-9, "{}", hundred.variance_step_s);
    }

    #[test]
    fn statistics_forget_old_steps() {
        let slow_then_fast = of((0..600).map(|_| 1.0).chain((0..600).map(|_| 0.25)));
        assert_eq!(slow_then_fast.steps, 1200);
        assert_eq!(slow_then_fast.mean_step_s, 0.25);
        assert_eq!(slow_then_fast.p99_s, 0.25);
        assert_eq!(slow_then_fast.variance_step_s, 0.0);
    }

    proptest! {
        #[test]
        fn statistics_equal_those_of_the_last_600_times(times_s in proptest::collection::vec(-1.0..10.0_f64, 1..1500)) {
            let last: Vec<f64> = times_s.iter().rev().take(WINDOW).map(|step_s| step_s.max(0.0)).collect();
            let found = of(times_s.iter().copied());
            let mean = last.iter().sum::<f64>() / last.len() as f64;
            prop_assert!((found.mean_step_s - mean).abs() < 1e-9);
            prop_assert!(found.p50_s <= found.p95_s && found.p95_s <= found.p99_s);
            prop_assert!(found.variance_step_s >= 0.0);
            for (percent, value) in [(0.5, found.p50_s), (0.95, found.p95_s), (0.99, found.p99_s)] {
                let within = last.iter().filter(|step_s| **step_s <= value).count();
                prop_assert!(within as f64 >= percent * last.len() as f64 - 1e-9);
            }
        }
    }
}
