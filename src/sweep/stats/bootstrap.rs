//! Bootstrap intervals: confidence intervals without a formula for the distribution.
//!
//! Plain percentile and BCa intervals of small samples are too narrow: of 4,000 BCa intervals of the mean of five normal
//! values, 82.6 % contained the mean of the population instead of 95 %. Both functions here correct that.

use super::describe::{mean, quantile_of_sorted, range, std_dev_about, sum};
use super::interval::{is_confidence, tail};
use super::{Interval, normal_cdf, normal_quantile, student_t_quantile};

/// Number of resamples that leaves a standard error of some 1.5 % of the width at either limit of a 95 % interval.
pub const DEFAULT_RESAMPLES: usize = 2000;

/// Size of the smallest sample for bootstrap-t. Smaller samples have too few different resamples.
const MIN_VALUES_OF_BOOTSTRAP_T: usize = 5;

/// Bootstrap interval of any statistic, by BCa (B. Efron, "Better bootstrap confidence intervals", 1987), widened for small
/// samples.
///
/// 1. The bias is that of the resamples, where resamples equal to the estimate count half. The acceleration comes from the
///    jackknife.
/// 2. Distances of both limits from the estimate grow by √(n / (n − 1)) t / z, with the quantiles t of Student's
///    distribution of n − 1 degrees of freedom and z of the normal distribution. This is the correction of T. C.
///    Hesterberg, "What teachers should know about the bootstrap" (2015), applied to the distance instead of the level:
///    the corrected level of n = 5 would lie beyond most of the resamples.
/// 3. The interval always contains the estimate. A limit can lie beyond the range of the values.
///
/// Measured coverage of 95 % intervals of the mean, each from 20,000 experiments of 2,000 resamples, with a standard error
/// of up to 0.3 %:
///
/// | values | n = 5 | n = 10 | n = 30 |
/// |---|---|---|---|
/// | normal | 94.3 % | 94.5 % | 95.0 % |
/// | uniform | 94.2 % | 96.3 % | 96.0 % |
/// | exponential | 89.6 % | 92.5 % | 93.9 % |
/// | log-normal | 84.1 % | 88.0 % | 90.6 % |
///
/// Normal and uniform values have the coverage that the confidence promises. Exponential values of n below 30 and all
/// log-normal values have less: so few values seldom show the long tail.
///
/// `unit` gives uniform random numbers in [0, 1), of which every resample takes n. The statistic is evaluated
/// `resamples` + n + 1 times. The result is `None` for fewer than two values, no resamples or a confidence that is not
/// between 0 and 1. Equal values give an interval of width 0.
#[must_use]
pub fn bootstrap_interval(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    confidence: f64,
    resamples: usize,
    unit: &mut impl FnMut() -> f64,
) -> Option<Interval> {
    if values.len() < 2 || resamples == 0 || !is_confidence(confidence) {
        return None;
    }
    let estimate = statistic(values);
    let mut replicates = Vec::with_capacity(resamples);
    resample(values, resamples, unit, |sample| replicates.push(statistic(sample)));
    replicates.sort_unstable_by(f64::total_cmp);

    let n = values.len() as f64;
    let z = -normal_quantile(tail(confidence));
    let widening = (n / (n - 1.0)).sqrt() * -student_t_quantile(tail(confidence), n - 1.0) / z;
    let bias = bias(&replicates, estimate);
    let acceleration = acceleration(values, statistic);
    let limit = |z: f64| {
        let level = bca_level(z, bias, acceleration);
        estimate + widening * (quantile_of_sorted(&replicates, level) - estimate)
    };
    Some(Interval { low: limit(-z).min(estimate), high: limit(z).max(estimate) })
}

/// Bootstrap interval of the mean, by bootstrap-t (B. Efron, "The jackknife, the bootstrap and other resampling plans",
/// 1982).
///
/// Bootstrap-t covers skewed values better than [`bootstrap_interval`], at the price of wider intervals: for five normal
/// values, the median width is 1.3 times and the 95th percentile of the width twice that of
/// [`mean_interval`](super::mean_interval). Resamples of equal values have no standard deviation and are left out. Fewer
/// than five values get the interval of [`bootstrap_interval`].
///
/// Measured coverage of 95 % intervals of the mean, each from 20,000 experiments of 2,000 resamples, with a standard error
/// of up to 0.3 %:
///
/// | values | n = 5 | n = 10 | n = 30 |
/// |---|---|---|---|
/// | normal | 94.6 % | 94.9 % | 95.0 % |
/// | uniform | 95.7 % | 97.2 % | 96.3 % |
/// | exponential | 93.0 % | 94.4 % | 94.8 % |
/// | log-normal | 89.1 % | 90.9 % | 92.2 % |
///
/// Uniform values are covered a little too often at n = 10.
///
/// `unit` gives uniform random numbers in [0, 1), of which every resample takes n. The result is `None` for fewer than two
/// values, no resamples or a confidence that is not between 0 and 1. Equal values give an interval of width 0.
#[must_use]
pub fn bootstrap_t_interval(
    values: &[f64],
    confidence: f64,
    resamples: usize,
    unit: &mut impl FnMut() -> f64,
) -> Option<Interval> {
    if values.len() < MIN_VALUES_OF_BOOTSTRAP_T {
        return bootstrap_interval(values, mean, confidence, resamples, unit);
    }
    if resamples == 0 || !is_confidence(confidence) {
        return None;
    }
    let estimate = mean(values);
    let spread = std_dev_about(estimate, values);
    if spread == 0.0 {
        return Some(Interval { low: estimate, high: estimate });
    }
    let mut ratios = Vec::with_capacity(resamples);
    resample(values, resamples, unit, |sample| {
        let center = mean(sample);
        let deviation = std_dev_about(center, sample);
        if deviation > 0.0 {
            ratios.push((center - estimate) / deviation);
        }
    });
    if ratios.is_empty() {
        return None;
    }
    ratios.sort_unstable_by(f64::total_cmp);
    // Factors √n of both standard errors cancel. The upper quantile of the ratios gives the lower limit.
    let limit = |level: f64| estimate - quantile_of_sorted(&ratios, level) * spread;
    let tail = tail(confidence);
    Some(Interval { low: limit(1.0 - tail).min(estimate), high: limit(tail).max(estimate) })
}

/// Calls `visit` with samples of the size of `values`, drawn from them with replacement.
fn resample(values: &[f64], resamples: usize, unit: &mut impl FnMut() -> f64, mut visit: impl FnMut(&[f64])) {
    let mut sample = values.to_vec();
    for _ in 0..resamples {
        for value in &mut sample {
            let index = (unit() * values.len() as f64) as usize;
            *value = values[index.min(values.len() - 1)];
        }
        visit(&sample);
    }
}

/// Normal quantile of the share of `replicates` below `estimate`, where equal ones count half.
fn bias(replicates: &[f64], estimate: f64) -> f64 {
    // Sums of the same values in another order differ by rounding.
    let (low, high) = range(replicates);
    let rounding = 1e-12 * (high - low);
    let below = replicates.iter().filter(|replicate| **replicate < estimate - rounding).count();
    let above = replicates.iter().filter(|replicate| **replicate > estimate + rounding).count();
    let total = replicates.len() as f64;
    let share = 0.5 + (below as f64 - above as f64) / (2.0 * total);
    normal_quantile(share.clamp(0.5 / total, 1.0 - 0.5 / total))
}

/// Acceleration of BCa from the jackknife: a sixth of the skewness of the statistic without each value in turn.
fn acceleration(values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> f64 {
    let mut others = values[1..].to_vec();
    let mut without = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        without.push(statistic(&others));
        if let Some(other) = others.get_mut(index) {
            *other = *value;
        }
    }
    let center = mean(&without);
    let squares = sum(without.iter().map(|value| (center - value) * (center - value)));
    let cubes = sum(without.iter().map(|value| (center - value) * (center - value) * (center - value)));
    let scale = squares * squares.sqrt();
    if scale > 0.0 { cubes / (6.0 * scale) } else { 0.0 }
}

/// Level at which BCa takes the quantile of the replicates, for the normal quantile `z` of the nominal level.
fn bca_level(z: f64, bias: f64, acceleration: f64) -> f64 {
    let shifted = bias + z;
    let scale = 1.0 - acceleration * shifted;
    if scale > 0.0 {
        normal_cdf(bias + shifted / scale)
    } else if shifted > 0.0 {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::quantile;

    /// Uniform random numbers in [0, 1), by SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, 2014).
    fn generator(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            (mixed >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    type Draw = fn(f64) -> f64;

    const NORMAL: (Draw, f64) = (|unit| normal_quantile(unit.max(1e-17)), 0.0);
    const UNIFORM: (Draw, f64) = (|unit| unit, 0.5);
    const EXPONENTIAL: (Draw, f64) = (|unit| -libm::log(unit.max(1e-17)), 1.0);
    const LOG_NORMAL: (Draw, f64) = (|unit| libm::exp(normal_quantile(unit.max(1e-17))), 1.648_721_270_700_128_2);

    /// Share (%) of experiments whose 95 % interval contains the mean of the population, for BCa and bootstrap-t.
    fn coverage((draw, truth): (Draw, f64), n: usize, experiments: usize, resamples: usize) -> [f64; 2] {
        let mut unit = generator(truth.to_bits() ^ n as u64);
        let mut hits = [0; 2];
        for _ in 0..experiments {
            let values: Vec<f64> = (0..n).map(|_| draw(unit())).collect();
            let bca = bootstrap_interval(&values, mean, 0.95, resamples, &mut unit).unwrap();
            let bootstrap_t = bootstrap_t_interval(&values, 0.95, resamples, &mut unit).unwrap();
            for (hits, interval) in hits.iter_mut().zip([bca, bootstrap_t]) {
                *hits += usize::from(interval.contains(truth));
            }
        }
        hits.map(|hits| 100.0 * hits as f64 / experiments as f64)
    }

    /// 2,000 experiments, but 100 to 300 resamples each instead of [`DEFAULT_RESAMPLES`], because an unoptimised build is
    /// slow. Exponential values fall short of 93 %, as the documentation of the functions says.
    #[track_caller]
    fn assert_coverage(n: usize, resamples: usize) {
        for population in [NORMAL, UNIFORM] {
            let [bca, bootstrap_t] = coverage(population, n, 2000, resamples);
            assert!((93.0..=97.0).contains(&bca), "BCa: {bca} %");
            // Bootstrap-t covers uniform values a little too often.
            assert!((93.0..=98.0).contains(&bootstrap_t), "bootstrap-t: {bootstrap_t} %");
        }
        let [bca, bootstrap_t] = coverage(EXPONENTIAL, n, 2000, resamples);
        assert!((88.0..=97.0).contains(&bca), "BCa: {bca} %");
        assert!((91.0..=97.0).contains(&bootstrap_t), "bootstrap-t: {bootstrap_t} %");
    }

    #[test]
    fn from_93_to_97_of_100_intervals_of_five_values_contain_the_mean() {
        assert_coverage(5, 300);
    }

    #[test]
    fn from_93_to_97_of_100_intervals_of_ten_values_contain_the_mean() {
        assert_coverage(10, 200);
    }

    #[test]
    fn from_93_to_97_of_100_intervals_of_thirty_values_contain_the_mean() {
        assert_coverage(30, 100);
    }

    /// Prints the tables of the documentation, in an optimised build within a few minutes.
    #[test]
    #[ignore = "takes minutes; run it to measure the tables of the documentation"]
    fn bootstrap_coverage_tables_are_printed() {
        for (name, population) in
            [("normal", NORMAL), ("uniform", UNIFORM), ("exponential", EXPONENTIAL), ("log-normal", LOG_NORMAL)]
        {
            let shares = [5, 10, 30].map(|n| coverage(population, n, 20_000, DEFAULT_RESAMPLES));
            for (method, at) in [("BCa", 0), ("bootstrap-t", 1)] {
                println!(
                    "{method} | {name} | {:.1} % | {:.1} % | {:.1} % |",
                    shares[0][at], shares[1][at], shares[2][at]
                );
            }
        }
    }

    #[test]
    fn a_bootstrap_of_equal_values_has_width_zero() {
        for n in [2, 5, 9] {
            let values = vec![0.1; n];
            let point = Some(Interval { low: 0.1, high: 0.1 });
            assert_eq!(bootstrap_interval(&values, mean, 0.95, 100, &mut generator(1)), point);
            assert_eq!(bootstrap_t_interval(&values, 0.95, 100, &mut generator(1)), point);
        }
    }

    #[test]
    fn a_single_value_has_no_interval() {
        assert_eq!(bootstrap_interval(&[1.0], mean, 0.95, 100, &mut generator(1)), None);
        assert_eq!(bootstrap_t_interval(&[1.0], 0.95, 100, &mut generator(1)), None);
        assert_eq!(bootstrap_interval(&[1.0, 2.0], mean, 0.95, 0, &mut generator(1)), None);
        assert_eq!(bootstrap_t_interval(&[1.0; 9], 1.0, 100, &mut generator(1)), None);
    }

    #[test]
    fn the_longer_arm_of_an_interval_is_on_the_side_of_the_longer_tail() {
        let values = [1.0, 1.1, 1.3, 1.4, 1.6, 2.0, 2.9, 5.5];
        let bca = bootstrap_interval(&values, mean, 0.95, 2000, &mut generator(1)).unwrap();
        let bootstrap_t = bootstrap_t_interval(&values, 0.95, 2000, &mut generator(1)).unwrap();
        for interval in [bca, bootstrap_t] {
            assert!(interval.high - mean(&values) > 1.2 * (mean(&values) - interval.low), "{interval:?}");
        }
    }

    #[test]
    fn other_statistics_have_intervals_too() {
        let values: Vec<f64> = (0..21).map(f64::from).collect();
        let interval =
            bootstrap_interval(&values, |sample| quantile(sample, 0.5), 0.9, 500, &mut generator(1)).unwrap();
        assert!(interval.contains(10.0) && interval.low > 3.0 && interval.high < 17.0, "{interval:?}");
    }

    /// The acceleration of the mean is Σ(x − x̄)³ / (6 (Σ(x − x̄)²)^1.5): 18 / (6 · 14^1.5) here.
    #[test]
    fn the_acceleration_of_the_mean_is_its_skewness() {
        let expected = 18.0 / (6.0 * 14.0 * 14.0_f64.sqrt());
        assert!((acceleration(&[1.0, 2.0, 3.0, 6.0], mean) - expected).abs() < 1e-15);
        assert_eq!(acceleration(&[1.0, 2.0, 3.0], mean), 0.0);
    }

    proptest! {
        #[test]
        fn an_interval_contains_its_estimate(
            values in prop::collection::vec(-1e3..1e3_f64, 2..12), seed in any::<u64>(), confidence in 0.05..0.99_f64,
        ) {
            let estimate = mean(&values);
            let bca = bootstrap_interval(&values, mean, confidence, 50, &mut generator(seed)).unwrap();
            let bootstrap_t = bootstrap_t_interval(&values, confidence, 50, &mut generator(seed)).unwrap();
            prop_assert!(bca.contains(estimate) && bootstrap_t.contains(estimate));
        }

        #[test]
        fn an_interval_moves_with_its_values(
            values in prop::collection::vec(-1e3..1e3_f64, 2..12), seed in any::<u64>(), by in -1e3..1e3_f64,
        ) {
            let moved: Vec<f64> = values.iter().map(|value| value + by).collect();
            let first = bootstrap_t_interval(&values, 0.9, 50, &mut generator(seed)).unwrap();
            let second = bootstrap_t_interval(&moved, 0.9, 50, &mut generator(seed)).unwrap();
            prop_assert!((first.low + by - second.low).abs() < 1e-6 * (1.0 + first.width()));
        }
    }
}
