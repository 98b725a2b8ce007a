//! Description of a sample: mean, standard deviation, quantiles.

/// Arithmetic mean of `values`; NaN for none.
///
/// A compensated sum (A. Neumaier, 1974) keeps the rounding error independent of the number of values. The mean lies
/// between the smallest and the largest value, so the mean of equal values is that value to the bit. The sum of the values
/// must not overflow.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let (low, high) = range(values);
    let mean = sum(values.iter().copied()) / values.len() as f64;
    if mean < low {
        low
    } else if mean > high {
        high
    } else {
        mean
    }
}

/// Standard deviation of the sample `values`, with the divisor n − 1; NaN for fewer than two values.
#[must_use]
pub fn std_dev(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::NAN;
    }
    std_dev_about(mean(values), values)
}

/// Quantile of `values` at the share `p`, by type 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical
/// packages" (1996); NaN for no values.
///
/// The quantile interpolates linearly between neighbouring values and never falls as `p` rises. Shares are clamped to
/// [0, 1].
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> f64 {
    quantile_of_sorted(&sorted(values), p)
}

/// Quantile of values that are already sorted in ascending order, as [`quantile`] defines it.
#[must_use]
pub fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let position = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let index = position.floor() as usize;
    let low = sorted[index];
    let high = sorted[(index + 1).min(sorted.len() - 1)];
    let weight = position - index as f64;
    if weight == 0.0 { low } else { (low + weight * (high - low)).min(high) }
}

/// Summary of a sample: its size, its location, its spread and its five numbers (J. W. Tukey, 1977).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Number of values.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with the divisor n − 1; NaN for a single value.
    pub std_dev: f64,
    /// Smallest value.
    pub min: f64,
    /// Quantile at 0.25.
    pub lower_quartile: f64,
    /// Quantile at 0.5.
    pub median: f64,
    /// Quantile at 0.75.
    pub upper_quartile: f64,
    /// Largest value.
    pub max: f64,
}

impl Summary {
    /// Summary of `values`; `None` for no values.
    #[must_use]
    pub fn from_values(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        Some(Self {
            n: values.len(),
            mean: mean(values),
            std_dev: std_dev(values),
            min,
            lower_quartile: quantile_of_sorted(&sorted, 0.25),
            median: quantile_of_sorted(&sorted, 0.5),
            upper_quartile: quantile_of_sorted(&sorted, 0.75),
            max,
        })
    }
}

/// Standard deviation of `values`, of which `mean` is the mean; NaN for fewer than two values.
pub(super) fn std_dev_about(mean: f64, values: &[f64]) -> f64 {
    let squares = sum(values.iter().map(|value| (value - mean) * (value - mean)));
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// Compensated sum of `values` (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen",
/// 1974).
pub(super) fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

/// `values` in ascending order.
pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Smallest and largest of `values`; (∞, −∞) for none.
pub(super) fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_small_sample_has_the_summary_of_numpy() {
        let summary = Summary::from_values(&[9.0, 2.0, 4.0, 7.0, 5.0, 11.0]).unwrap();
        assert_eq!(summary.n, 6);
        // Values by `numpy.mean`, `numpy.std(ddof=1)` and `numpy.percentile`.
        assert!((summary.mean - 6.333_333_333_333_333).abs() < 1e-14);
        assert!((summary.std_dev - 3.326_659_986_633_249_4).abs() < 1e-14);
        assert_eq!([summary.min, summary.lower_quartile, summary.median], [2.0, 4.25, 6.0]);
        assert_eq!([summary.upper_quartile, summary.max], [8.5, 11.0]);
    }

    #[test]
    fn large_values_do_not_swallow_small_ones() {
        assert_eq!(mean(&[1e16, 1.0, -1e16, 1.0]), 0.5);
        assert_eq!(std_dev(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]), 30.0_f64.sqrt());
    }

    #[test]
    fn empty_samples_have_no_numbers() {
        assert!(mean(&[]).is_nan() && std_dev(&[]).is_nan() && std_dev(&[1.0]).is_nan() && quantile(&[], 0.5).is_nan());
        assert_eq!(Summary::from_values(&[]), None);
    }

    #[test]
    fn a_single_value_is_its_own_quantile() {
        assert_eq!([quantile(&[3.0], 0.0), quantile(&[3.0], 0.3), quantile(&[3.0], 1.0)], [3.0; 3]);
    }

    proptest! {
        #[test]
        fn equal_values_have_that_mean_and_no_spread(value in -1e9..1e9_f64, n in 2..50_usize) {
            let values = vec![value; n];
            prop_assert_eq!(mean(&values), value);
            prop_assert_eq!(std_dev(&values), 0.0);
        }

        #[test]
        fn quantiles_rise_with_their_probability(
            values in prop::collection::vec(-1e3..1e3_f64, 1..20), p in 0.0..1.0_f64, more in 0.0..1.0_f64,
        ) {
            let (low, high) = range(&values);
            let (first, second) = (quantile(&values, p), quantile(&values, p + more));
            prop_assert!(low <= first && first <= second && second <= high);
        }

        #[test]
        fn the_mean_lies_between_the_extremes(values in prop::collection::vec(-1e3..1e3_f64, 1..20)) {
            let (low, high) = range(&values);
            prop_assert!((low..=high).contains(&mean(&values)));
        }
    }
}
