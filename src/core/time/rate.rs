//! Rates: periodic actions take place at the steps nearest to their due times.

use crate::time::SimTime;

/// Highest rate (Hz); a rate above that of the steps means every step.
pub const MAX_RATE_HZ: f64 = 1e6;

/// Whether an action with a rate and a phase is due at the current step.
///
/// It is due at the times `phase_s + k / rate_hz`, each rounded to the nearest step; steps are counted from 1, and no
/// due time is before the first step. A rate of 0 means every step from the phase on. With a phase of one step, the
/// action is due at the same steps as in MORSE, which counts from the first step. The result depends only on the number
/// of the step, so that nothing must be stored.
pub fn is_due(time: &SimTime, rate_hz: f64, phase_s: f64) -> bool {
    let (step, first) = (time.step as f64, nearest_step(phase_s, time.dt_s));
    if rate_hz <= 0.0 || rate_hz * time.dt_s >= 1.0 {
        return step >= first;
    }
    // Rounding errors can be one step either way.
    let about = ((step * time.dt_s - phase_s) * rate_hz).round();
    [about - 1.0, about, about + 1.0]
        .into_iter()
        .any(|turn| turn >= 0.0 && nearest_step(phase_s + turn / rate_hz, time.dt_s) == step)
}

/// The duration in steps, rounded to the nearest.
pub fn steps(time_s: f64, dt_s: f64) -> u64 {
    (time_s / dt_s).round() as u64
}

/// The step nearest to a time, at least 1.
pub fn nearest_step(at_s: f64, dt_s: f64) -> f64 {
    (at_s / dt_s).round().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(rate_hz: f64, phase_s: f64, dt_s: f64) -> Vec<u64> {
        (1..=12).filter(|step| is_due(&SimTime { step: *step, dt_s }, rate_hz, phase_s)).collect()
    }

    #[test]
    fn times_are_rounded_to_the_nearest_step() {
        assert_eq!(steps(0.0, 0.0, 0.1), (1..=12).collect::<Vec<_>>());
        assert_eq!(steps(1000.0, 0.5, 0.1), (5..=12).collect::<Vec<_>>());
        assert_eq!(steps(5.0, 0.2, 0.1), [2, 4, 6, 8, 10, 12]);
        assert_eq!(steps(4.0, 0.25, 0.1), [3, 5, 8, 10], "0.25, 0.5, 0.75, 1.0 s");
        assert_eq!(steps(2.5, 0.0, 0.1), [1, 4, 8, 12], "never before the first step");
        assert_eq!(steps(1.0 / (3.0 * 0.025), 3.0 * 0.025, 0.025), [3, 6, 9, 12], "every third step");
    }

    #[test]
    fn after_the_first_step_rates_are_those_of_morse() {
        let due = |rate_hz: f64, steps: u64| -> Vec<u64> {
            let is_due = |step: &u64| is_due(&SimTime { step: *step, dt_s: 1.0 / 60.0 }, rate_hz, 1.0 / 60.0);
            (1..=steps).filter(is_due).collect()
        };
        assert_eq!(due(12.0, 20), [1, 6, 11, 16]);
        assert_eq!(due(25.0, 27), [1, 3, 6, 8, 11, 13, 15, 18, 20, 23, 25, 27]);
        assert_eq!(due(7.0, 61), [1, 10, 18, 27, 35, 44, 52, 61]);
        assert_eq!(due(2.5, 60), [1, 25, 49]);
        assert_eq!(due(0.5, 250), [1, 121, 241]);
        assert_eq!([60.0, 90.0].map(|rate_hz| due(rate_hz, 60).len()), [60, 60]);
    }

    #[test]
    fn a_rate_is_kept_over_a_long_time() {
        let due = |step| is_due(&SimTime { step, dt_s: 0.025 }, 7.0, 0.01);
        let count = (1..=400_000).filter(|step| due(*step)).count();
        assert_eq!(count, 70_001, "from 0.01 s to 10,000.01 s");
    }
}
