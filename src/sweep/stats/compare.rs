//! Comparison of two configurations that ran with the same seeds, and of many configurations at once.

use std::collections::BTreeMap;

use super::{Interval, mean, mean_interval};

/// Two measurements with the same seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Seed of both runs.
    pub seed: u64,
    /// Measurement of the first configuration.
    pub first: f64,
    /// Measurement of the second configuration.
    pub second: f64,
}

impl Pair {
    /// First measurement less the second.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.first - self.second
    }
}

/// Pairs of measurements with the same seed, in ascending order of seeds.
///
/// Measurements are pairs of seed and value. Seeds that only one configuration has are left out. Where a configuration has
/// a seed twice, its last measurement counts.
#[must_use]
pub fn pair_by_seed(first: &[(u64, f64)], second: &[(u64, f64)]) -> Vec<Pair> {
    let [first, second] = [first, second].map(|values| values.iter().copied().collect::<BTreeMap<_, _>>());
    let pair = |(seed, first): (u64, f64)| second.get(&seed).map(|second| Pair { seed, first, second: *second });
    first.into_iter().filter_map(pair).collect()
}

/// Mean of paired differences with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedDifference {
    /// Number of pairs.
    pub n: usize,
    /// Mean of the first measurements less the second ones.
    pub mean: f64,
    /// Confidence interval of the mean, from Student's t distribution; `None` for a single pair.
    pub interval: Option<Interval>,
}

/// Mean difference of paired measurements under common random numbers (A. M. Law, "Simulation modeling and analysis", the
/// paired-t approach).
///
/// Common seeds make both measurements rise and fall together, so the interval is narrower than that of independent runs.
/// The result is `None` for no pairs; its interval is `None` for a single pair or for a confidence that is not between 0 and
/// 1.
#[must_use]
pub fn paired_difference(pairs: &[Pair], confidence: f64) -> Option<PairedDifference> {
    if pairs.is_empty() {
        return None;
    }
    let differences: Vec<f64> = pairs.iter().map(Pair::difference).collect();
    let interval = mean_interval(&differences, confidence);
    Some(PairedDifference { n: pairs.len(), mean: mean(&differences), interval })
}

/// p-values of a family of tests, adjusted so that the probability of any false rejection stays at the level of one test
/// (S. Holm, "A simple sequentially rejective multiple test procedure", 1979).
///
/// The result has the order of `p_values`. The tests may depend on each other. An adjusted value is at least the original
/// one and at most 1.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|first, second| p_values[*first].total_cmp(&p_values[*second]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        largest = largest.max((p_values.len() - rank) as f64 * p_values[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn measurements_pair_by_their_seeds() {
        let pairs = pair_by_seed(&[(7, 1.0), (3, 2.0), (5, 3.0), (7, 4.0)], &[(5, 10.0), (9, 20.0), (7, 30.0)]);
        let expected = [Pair { seed: 5, first: 3.0, second: 10.0 }, Pair { seed: 7, first: 4.0, second: 30.0 }];
        assert_eq!(pairs, expected);
        assert_eq!(pairs[0].difference(), -7.0);
    }

    /// Values by mpmath, 30 digits; `scipy.stats.ttest_rel` 1.17 agrees.
    #[test]
    fn the_mean_difference_has_the_interval_of_mpmath() {
        let first = [(1, 12.1), (2, 9.8), (3, 14.0), (4, 11.5), (5, 13.2), (6, 10.9)];
        let second = [(6, 10.1), (5, 12.0), (4, 11.9), (3, 12.2), (2, 9.1), (1, 11.0)];
        let result = paired_difference(&pair_by_seed(&first, &second), 0.95).unwrap();
        let interval = result.interval.unwrap();
        for (value, expected) in [
            (result.mean, 0.866_666_666_666_666_8),
            (interval.low, 0.099_309_835_220_051_39),
            (interval.high, 1.634_023_498_113_282_4),
        ] {
            assert!((value - expected).abs() < 1e-12 * expected.abs(), "{result:?}");
        }
        assert_eq!(result.n, 6);
    }

    #[test]
    fn few_pairs_have_no_interval() {
        assert_eq!(paired_difference(&[], 0.95), None);
        let single = paired_difference(&[Pair { seed: 0, first: 3.0, second: 1.0 }], 0.95);
        assert_eq!(single, Some(PairedDifference { n: 1, mean: 2.0, interval: None }));
    }

    /// Values by `statsmodels.stats.multitest.multipletests(…, method="holm")` 0.15.
    #[test]
    fn adjusted_p_values_are_those_of_statsmodels() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.5, 0.03]);
        for (value, expected) in adjusted.iter().zip([0.05, 0.12, 0.12, 0.03, 0.5, 0.12]) {
            assert!((value - expected).abs() < 1e-15, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn adjusted_p_values_keep_their_order_and_never_fall(p_values in prop::collection::vec(0.0..=1.0_f64, 1..20)) {
            let adjusted = holm(&p_values);
            for (first, p_first) in adjusted.iter().zip(&p_values) {
                prop_assert!(p_first <= first && *first <= 1.0);
                for (second, p_second) in adjusted.iter().zip(&p_values) {
                    prop_assert!(p_first > p_second || first <= second);
                }
            }
        }
    }
}
