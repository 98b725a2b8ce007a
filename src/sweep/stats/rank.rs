//! Rank tests: comparisons of two samples that assume no distribution.

use super::normal_cdf;

/// Largest number of pairs with an exact distribution of the signed ranks.
const MAX_EXACT_PAIRS: usize = 25;
/// Largest size of either sample with an exact distribution of U; the counts stay below 2¹²⁸.
const MAX_EXACT_VALUES: usize = 50;

/// Method that gives a p-value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestMethod {
    /// Count of all assignments of ranks.
    Exact,
    /// Normal distribution with corrections for ties and for continuity.
    NormalApproximation,
}

/// Result of a two-sided test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestResult {
    /// Statistic of the test, as the function that gives this result defines it.
    pub statistic: f64,
    /// Probability of a statistic at least this extreme where both samples have the same distribution.
    pub p_value: f64,
    /// Method that gives the p-value.
    pub method: TestMethod,
}

/// Signed-rank test of paired differences against a symmetric distribution about 0 (F. Wilcoxon, "Individual comparisons by
/// ranking methods", 1945), two-sided.
///
/// The statistic is the sum of the ranks of the positive or of the negative differences, whichever is smaller. Differences
/// of 0 are left out. The p-value is exact for up to 25 differences of different sizes, none of them 0; otherwise it is the
/// normal approximation. Differences that are all 0 have a p-value of 1. The result is `None` for no differences.
#[must_use]
pub fn wilcoxon_signed_rank(differences: &[f64]) -> Option<TestResult> {
    if differences.is_empty() {
        return None;
    }
    let nonzero: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    let sizes: Vec<f64> = nonzero.iter().map(|difference| difference.abs()).collect();
    let Ranks { ranks, ties } = Ranks::from_values(&sizes);
    let n = nonzero.len() as f64;
    let positive: f64 =
        nonzero.iter().zip(&ranks).filter(|(difference, _)| **difference > 0.0).map(|(_, rank)| rank).sum();
    let statistic = positive.min(n * (n + 1.0) / 2.0 - positive);

    if nonzero.len() == differences.len() && ties == 0.0 && nonzero.len() <= MAX_EXACT_PAIRS {
        let counts = signed_rank_counts(nonzero.len());
        let p_value = two_sided_exact(&counts, statistic);
        return Some(TestResult { statistic, p_value, method: TestMethod::Exact });
    }
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    let p_value = two_sided_normal(n * (n + 1.0) / 4.0 - statistic, variance);
    Some(TestResult { statistic, p_value, method: TestMethod::NormalApproximation })
}

/// U test of two independent samples (H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
/// stochastically larger than the other", 1947), two-sided.
///
/// The statistic is U of the first sample: the number of pairs in which the first value is larger, where ties count half.
/// The p-value is exact for samples of up to 50 values each without ties; otherwise it is the normal approximation. Samples
/// of which all values are equal have a p-value of 1. The result is `None` where a sample is empty.
#[must_use]
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<TestResult> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let (statistic, ties) = u_statistic(first, second);
    let (n, m) = (first.len() as f64, second.len() as f64);
    let smaller = statistic.min(n * m - statistic);
    if ties == 0.0 && first.len().max(second.len()) <= MAX_EXACT_VALUES {
        let p_value = two_sided_exact(&u_counts(first.len(), second.len()), smaller);
        return Some(TestResult { statistic, p_value, method: TestMethod::Exact });
    }
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    let p_value = two_sided_normal(n * m / 2.0 - smaller, variance);
    Some(TestResult { statistic, p_value, method: TestMethod::NormalApproximation })
}

/// Effect size A: the probability that a value of the first sample is larger than one of the second, where ties count half
/// (A. Vargha and H. D. Delaney, "A critique and improvement of the CL common language effect size statistics of McGraw and
/// Wong", 2000).
///
/// 0.5 means no effect; by convention, effects are small from 0.56, medium from 0.64 and large from 0.71 on, and below 0.5
/// likewise. The result is NaN where a sample is empty.
#[must_use]
pub fn vargha_delaney(first: &[f64], second: &[f64]) -> f64 {
    if first.is_empty() || second.is_empty() {
        return f64::NAN;
    }
    u_statistic(first, second).0 / (first.len() as f64 * second.len() as f64)
}

/// U of the first sample, and the sum of t³ − t over groups of t tied values.
fn u_statistic(first: &[f64], second: &[f64]) -> (f64, f64) {
    let Ranks { ranks, ties } = Ranks::from_values(&[first, second].concat());
    let n = first.len() as f64;
    // Ranks are multiples of a half, whose sums are exact.
    (ranks[..first.len()].iter().sum::<f64>() - n * (n + 1.0) / 2.0, ties)
}

/// Ranks of values, from 1 on.
struct Ranks {
    /// Rank of every value; tied values share their mean rank.
    ranks: Vec<f64>,
    /// Sum of t³ − t over groups of t tied values; 0 without ties.
    ties: f64,
}

impl Ranks {
    fn from_values(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|first, second| values[*first].total_cmp(&values[*second]));
        let (mut ranks, mut ties, mut before) = (vec![0.0; values.len()], 0.0, 0);
        for tied in order.chunk_by(|first, second| values[*first] == values[*second]) {
            let size = tied.len() as f64;
            for index in tied {
                ranks[*index] = before as f64 + (size + 1.0) / 2.0;
            }
            ties += size * size * size - size;
            before += tied.len();
        }
        Self { ranks, ties }
    }
}

/// Number of subsets of the ranks 1 to n with each sum.
fn signed_rank_counts(n: usize) -> Vec<u128> {
    let mut counts = vec![0; n * (n + 1) / 2 + 1];
    counts[0] = 1;
    for rank in 1..=n {
        for sum in (rank..counts.len()).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    counts
}

/// Number of orders of n and m values with each U: the coefficients of the Gaussian binomial, the product of
/// (1 − q^(m + i)) / (1 − q^i) for i from 1 to n. Intermediate counts wrap around and come back.
fn u_counts(n: usize, m: usize) -> Vec<u128> {
    let mut counts = vec![0_u128; n * m + 1];
    counts[0] = 1;
    for i in 1..=n {
        for u in (m + i..counts.len()).rev() {
            counts[u] = counts[u].wrapping_sub(counts[u - m - i]);
        }
        for u in i..counts.len() {
            counts[u] = counts[u].wrapping_add(counts[u - i]);
        }
    }
    counts
}

/// Two-sided p-value: twice the share of the counts up to the smaller of both statistics, at most 1.
fn two_sided_exact(counts: &[u128], smaller: f64) -> f64 {
    let below: u128 = counts[..=smaller as usize].iter().sum();
    let total: u128 = counts.iter().sum();
    (2.0 * below as f64 / total as f64).min(1.0)
}

/// Two-sided p-value of a normal statistic at a distance from its mean, less a half for continuity.
fn two_sided_normal(distance: f64, variance: f64) -> f64 {
    if variance <= 0.0 {
        return 1.0;
    }
    (2.0 * normal_cdf(-(distance - 0.5).max(0.0) / variance.sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_result(result: Option<TestResult>, statistic: f64, p_value: f64, method: TestMethod) {
        let result = result.unwrap();
        assert_eq!(result.statistic, statistic);
        assert_eq!(result.method, method);
        assert!((result.p_value - p_value).abs() <= 1e-12 * p_value, "{} is not {p_value}", result.p_value);
    }

    /// Values by `scipy.stats.wilcoxon(method="exact")` 1.17.
    #[test]
    fn few_differences_have_the_exact_p_value_of_scipy() {
        let pairs = |n: i32| (0..n).map(|i| f64::from(i * 37 % 61 - 20) + f64::from(i) * 0.01).collect::<Vec<_>>();
        for (differences, statistic, p_value) in [
            (vec![15.0, -7.0, 5.0, 20.0, 0.5, -9.0, 17.0, -12.0, 6.0, -10.0], 22.0, 0.625),
            (vec![1.5, 2.25, -0.5, 3.0, 4.0], 1.0, 0.125),
            (vec![0.3, -0.1, 0.7, 1.1, -2.3, 0.9, 1.7, 2.9, -0.4, 1.3, 3.1, 0.2], 15.0, 0.063_964_843_75),
            (pairs(25), 79.0, 0.023_649_930_953_979_492),
        ] {
            assert_result(wilcoxon_signed_rank(&differences), statistic, p_value, TestMethod::Exact);
        }
    }

    /// Values by `scipy.stats.wilcoxon(method="asymptotic", correction=True)` 1.17.
    #[test]
    fn many_or_tied_differences_have_the_normal_p_value_of_scipy() {
        let pairs = |n: i32| (0..n).map(|i| f64::from(i * 37 % 61 - 20) + f64::from(i) * 0.01).collect::<Vec<_>>();
        for (differences, statistic, p_value) in [
            (vec![15.0, -7.0, 5.0, 20.0, 0.0, -9.0, 17.0, -12.0, 5.0, -10.0], 18.0, 0.635_289_318_835_206_9),
            (vec![1.0, 1.0, 1.0, -1.0, 2.0, 3.0, 0.0, 0.0], 2.5, 0.105_772_207_850_752_59),
            (vec![2.0; 4], 0.0, 0.071_860_638_225_851_58),
            (pairs(30), 102.0, 0.007_497_835_555_429_903),
        ] {
            assert_result(wilcoxon_signed_rank(&differences), statistic, p_value, TestMethod::NormalApproximation);
        }
    }

    /// Values by `scipy.stats.mannwhitneyu(method="exact")` 1.17.
    #[test]
    fn small_samples_have_the_exact_p_value_of_scipy() {
        let long: [Vec<f64>; 2] =
            [(0..50).map(f64::from).collect(), (0..50).map(|i| f64::from(i) * 0.9 - 3.05).collect()];
        for (first, second, statistic, p_value) in [
            (&[19.0, 22.0, 16.0, 29.0, 24.0][..], &[20.0, 11.0, 17.0, 12.0][..], 17.0, 1.0 / 9.0),
            (
                &[0.1, 0.5, 0.9, 1.3, 2.2, 3.1, 4.5],
                &[0.3, 0.4, 0.2, 0.6, 1.0, 1.1, 0.7, 5.0],
                36.0,
                0.396_891_996_891_996_95,
            ),
            (&long[0], &long[1], 1519.0, 0.063_996_953_740_721_7),
        ] {
            assert_result(mann_whitney(first, second), statistic, p_value, TestMethod::Exact);
        }
    }

    /// Values by `scipy.stats.mannwhitneyu(method="asymptotic")` 1.17.
    #[test]
    fn large_or_tied_samples_have_the_normal_p_value_of_scipy() {
        let first = [1.0, 2.0, 2.0, 3.0, 5.0, 5.0];
        let second = [2.0, 4.0, 4.0, 6.0, 7.0];
        let (method, p_value) = (TestMethod::NormalApproximation, 0.228_878_184_462_567_36);
        assert_result(mann_whitney(&first, &second), 8.0, p_value, method);
        assert_result(mann_whitney(&second, &first), 22.0, p_value, method);
        let long: Vec<f64> = (0..60).map(f64::from).collect();
        let short: Vec<f64> = (0..20).map(|i| f64::from(i) * 0.9 - 9.05).collect();
        assert_result(mann_whitney(&long, &short), 1155.0, 7.223_628_180_777_225e-10, method);
    }

    #[test]
    fn samples_without_a_difference_have_a_p_value_of_one() {
        for result in [wilcoxon_signed_rank(&[0.0; 4]), mann_whitney(&[3.0; 4], &[3.0; 5])] {
            assert_eq!(result.unwrap().p_value, 1.0);
        }
        assert_eq!([wilcoxon_signed_rank(&[]), mann_whitney(&[], &[1.0]), mann_whitney(&[1.0], &[])], [None; 3]);
    }

    #[test]
    fn counts_sum_to_all_assignments() {
        assert_eq!(signed_rank_counts(25).iter().sum::<u128>(), 1 << 25);
        assert_eq!(u_counts(2, 3), [1, 1, 2, 2, 2, 1, 1]);
        // 100 over 50.
        assert_eq!(u_counts(50, 50).iter().sum::<u128>(), 100_891_344_545_564_193_334_812_497_256);
    }

    #[test]
    fn the_effect_size_counts_pairs() {
        assert_eq!(vargha_delaney(&[1.0, 2.0, 3.0], &[2.0, 0.0]), 4.5 / 6.0);
        assert_eq!([vargha_delaney(&[5.0, 6.0], &[1.0]), vargha_delaney(&[1.0], &[5.0, 6.0])], [1.0, 0.0]);
        assert!(vargha_delaney(&[], &[1.0]).is_nan() && vargha_delaney(&[1.0], &[]).is_nan());
    }

    proptest! {
        #[test]
        fn effect_sizes_of_both_directions_sum_to_one(
            first in prop::collection::vec(0..9_u8, 1..30), second in prop::collection::vec(0..9_u8, 1..30),
        ) {
            let [first, second] = [first, second].map(|values| values.into_iter().map(f64::from).collect::<Vec<_>>());
            let both = vargha_delaney(&first, &second) + vargha_delaney(&second, &first);
            prop_assert!((both - 1.0).abs() < 1e-15);
            let pairs = first.iter().flat_map(|first| second.iter().map(move |second| (first, second)));
            let wins: f64 = pairs.map(|(first, second)| match first.total_cmp(second) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            }).sum();
            prop_assert_eq!(wins, mann_whitney(&first, &second).unwrap().statistic);
        }

        #[test]
        fn p_values_are_probabilities_whatever_the_order(
            first in prop::collection::vec(-1.0..1.0_f64, 1..40), second in prop::collection::vec(-1.0..1.0_f64, 1..60),
        ) {
            let p_value = mann_whitney(&first, &second).unwrap().p_value;
            prop_assert!((0.0..=1.0).contains(&p_value));
            prop_assert_eq!(p_value, mann_whitney(&second, &first).unwrap().p_value);
            let opposite: Vec<f64> = first.iter().map(|value| -value).collect();
            let p_value = wilcoxon_signed_rank(&first).unwrap().p_value;
            prop_assert!((0.0..=1.0).contains(&p_value));
            prop_assert_eq!(p_value, wilcoxon_signed_rank(&opposite).unwrap().p_value);
        }
    }
}
