//! Confidence intervals with closed formulas.

use super::{describe, normal_quantile, student_t_quantile};

/// Interval between two numbers, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Interval {
    /// True where `value` is between the limits.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Distance from the lower to the upper limit.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// Confidence interval of the mean of a normal population, from Student's t distribution (Student, "The probable error
/// of a mean", 1908).
///
/// The confidence is between 0 and 1, for example 0.95. The result is `None` for fewer than two values or for another
/// confidence. Equal values give an interval of width 0.
#[must_use]
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    if values.len() < 2 || !is_confidence(confidence) {
        return None;
    }
    let n = values.len() as f64;
    let mean = describe::mean(values);
    let half = -student_t_quantile(tail(confidence), n - 1.0) * describe::std_dev(values) / n.sqrt();
    Some(Interval { low: mean - half, high: mean + half })
}

/// Confidence interval of a share, of which a sample of `trials` has `successes` (E. B. Wilson, "Probable inference, the
/// law of succession, and statistical inference", 1927).
///
/// The interval has no continuity correction and lies inside [0, 1]. The result is `None` for no trials, for more
/// successes than trials or for a confidence that is not between 0 and 1.
#[must_use]
pub fn wilson_interval(successes: u64, trials: u64, confidence: f64) -> Option<Interval> {
    if trials == 0 || successes > trials || !is_confidence(confidence) {
        return None;
    }
    let n = trials as f64;
    let z = -normal_quantile(tail(confidence));
    let share = successes as f64 / n;
    // The limits are the roots of a x² − 2 b x + share² = 0, each in the form in which nothing cancels.
    let a = 1.0 + z * z / n;
    let b = share + z * z / (2.0 * n);
    let larger = b + z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Some(Interval { low: (share * share / larger).min(share), high: (larger / a).clamp(share, 1.0) })
}

/// True where `confidence` is between 0 and 1, both excluded.
pub(super) fn is_confidence(confidence: f64) -> bool {
    confidence > 0.0 && confidence < 1.0
}

/// Probability of each of the two tails that an interval of this confidence leaves.
pub(super) fn tail(confidence: f64) -> f64 {
    (1.0 - confidence) / 2.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_near(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-12 * expected.abs().max(1e-3)
    }

    /// Values by mpmath, 30 digits.
    #[test]
    fn means_have_known_intervals() {
        for (values, confidence, low, high) in [
            (&[2.1, 3.4, 1.9, 5.6, 4.4][..], 0.95, 1.541_651_539_694_431_5, 5.418_348_460_305_569),
            (&[1.0, 2.0], 0.9, -1.656_875_757_337_521_5, 4.656_875_757_337_522),
            (&[10.0, 12.0, 9.5, 11.0, 10.2, 8.8, 13.1], 0.99, 8.569_512_458_303_409, 12.744_773_255_982_305),
        ] {
            let interval = mean_interval(values, confidence).unwrap();
            assert!(is_near(interval.low, low) && is_near(interval.high, high), "{interval:?}");
        }
    }

    /// Values by mpmath, 30 digits.
    #[test]
    fn shares_have_known_intervals() {
        for (successes, trials, confidence, low, high) in [
            (0, 10, 0.95, 0.0, 0.277_532_799_862_889_25),
            (3, 10, 0.95, 0.107_791_267_406_301_02, 0.603_221_852_538_854_7),
            (10, 10, 0.95, 0.722_467_200_137_110_7, 1.0),
            (997, 1000, 0.99, 0.988_206_483_317_075_1, 0.999_241_898_768_938_5),
            (1, 3, 0.5, 0.182_817_250_158_613_2, 0.527_741_823_140_608_9),
        ] {
            let interval = wilson_interval(successes, trials, confidence).unwrap();
            assert!(is_near(interval.low, low) && is_near(interval.high, high), "{interval:?}");
        }
    }

    #[test]
    fn too_few_values_have_no_interval() {
        assert_eq!(mean_interval(&[], 0.95), None);
        assert_eq!(mean_interval(&[1.0], 0.95), None);
        assert_eq!(wilson_interval(0, 0, 0.95), None);
        assert_eq!(wilson_interval(3, 2, 0.95), None);
    }

    #[test]
    fn a_confidence_outside_zero_to_one_gives_no_interval() {
        for confidence in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
            assert_eq!(mean_interval(&[1.0, 2.0], confidence), None);
            assert_eq!(wilson_interval(1, 2, confidence), None);
        }
    }

    #[test]
    fn equal_values_have_an_interval_of_width_zero() {
        assert_eq!(mean_interval(&[0.1; 7], 0.95), Some(Interval { low: 0.1, high: 0.1 }));
    }

    proptest! {
        #[test]
        fn an_interval_contains_its_estimate_and_grows_with_confidence(
            values in prop::collection::vec(-1e3..1e3_f64, 2..20), confidence in 0.01..0.98_f64,
        ) {
            let narrow = mean_interval(&values, confidence).unwrap();
            let wide = mean_interval(&values, confidence + 0.01).unwrap();
            prop_assert!(narrow.contains(describe::mean(&values)));
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
        }

        #[test]
        fn an_interval_contains_its_share_and_lies_within_zero_and_one(trials in 1..1000_u64, part in 0.0..=1.0_f64) {
            let successes = (part * trials as f64) as u64;
            let interval = wilson_interval(successes, trials, 0.95).unwrap();
            prop_assert!(interval.low >= 0.0 && interval.high <= 1.0);
            prop_assert!(interval.contains(successes as f64 / trials as f64));
        }
    }
}
