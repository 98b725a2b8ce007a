//! The Marcum Q function, used by models of fading channels.

use super::{exp, ln, ln_gamma};

/// For arguments that differ by more than this, the smaller tail has a probability below 1e-300.
const FAR_APART: f64 = 40.0;

/// Marcum Q function of first order: the probability that a Rice-distributed envelope is at least `b`, with a direct
/// component `a` and scattered components of standard deviation 1. Both are 0 or more.
///
/// 1. With x = a²/2 and y = b²/2 it is the probability that a Poisson variable of mean y is at most another one of mean
///    x (series in J. G. Proakis, "Digital communications"; all terms are positive, so nothing cancels).
/// 2. The sum runs over the values of the variable of mean x, from 12 standard deviations below the mean to 12 above;
///    the distribution function of the variable of mean y is accumulated on the way.
#[must_use]
pub fn marcum_q1(a: f64, b: f64) -> f64 {
    if b <= 0.0 || a.is_infinite() || a - b > FAR_APART {
        return 1.0;
    }
    if b - a > FAR_APART {
        return 0.0;
    }
    let (x, y) = (a * a / 2.0, b * b / 2.0);
    let (mut numbers, mut others) = (Poisson::of(x), Poisson::of(y));
    let last = numbers.last();
    let (mut at_most, mut sum) = (0.0, 0.0);
    while numbers.number <= last {
        while others.number <= numbers.number {
            at_most += others.next();
        }
        sum += numbers.next() * at_most;
    }
    sum.clamp(0.0, 1.0)
}

/// Successive probabilities of a Poisson distribution.
struct Poisson {
    mean: f64,
    /// The next value; the first is 12 standard deviations below the mean.
    number: f64,
    probability: f64,
}

impl Poisson {
    fn of(mean: f64) -> Self {
        let number = (mean - Self::width(mean)).floor().max(0.0);
        let scale = if number > 0.0 { number * ln(mean) - ln_gamma(number + 1.0) } else { 0.0 };
        Self { mean, number, probability: exp(scale - mean) }
    }

    /// Half-width of the summed range; the probability beyond it is below 1e-17.
    fn width(mean: f64) -> f64 {
        12.0 * mean.sqrt() + 30.0
    }

    fn last(&self) -> f64 {
        self.mean + Self::width(self.mean)
    }

    fn next(&mut self) -> f64 {
        let probability = self.probability;
        self.number += 1.0;
        self.probability *= self.mean / self.number;
        probability
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rounding error of the gamma function at arguments in the thousands, where these sums begin.
    const ROUNDING: f64 = 1e-10;

    /// Values from `scipy.stats.ncx2.sf(b², 2, a²)`.
    #[test]
    fn marcum_q_has_the_known_values() {
        for (a, b, expected) in [
            (0.0, 1.0, 0.606_530_659_7),
            (1.0, 1.0, 0.732_879_803_8),
            (2.0, 1.0, 0.918_107_696_4),
            (1.0, 2.0, 0.269_012_060_0),
            (3.0, 3.0, 0.567_479_762_3),
            (5.0, 3.0, 0.983_383_670_4),
            (8.0, 10.0, 0.025_941_663_0),
        ] {
            assert!((marcum_q1(a, b) - expected).abs() < 1e-10, "Q({a}, {b}) is {}", marcum_q1(a, b));
        }
    }

    #[test]
    fn marcum_q_is_zero_or_one_at_its_limits() {
        assert_eq!(
            [marcum_q1(0.0, 0.0), marcum_q1(f64::INFINITY, 5.0), marcum_q1(5.0, f64::INFINITY)],
            [1.0, 1.0, 0.0]
        );
    }

    proptest! {
        #[test]
        fn marcum_q_rises_with_a_and_falls_with_b(a in 0.0..150.0_f64, by in -10.0..10.0_f64, more in 0.0..2.0_f64) {
            let b = (a + by).max(0.0);
            let q = marcum_q1(a, b);
            prop_assert!((0.0..=1.0).contains(&q));
            prop_assert!(marcum_q1(a + more, b) >= q - ROUNDING);
            prop_assert!(marcum_q1(a, b + more) <= q + ROUNDING);
        }

        #[test]
        fn marcum_q_with_a_of_zero_is_an_exponential(b in 0.0..20.0_f64) {
            prop_assert!((marcum_q1(0.0, b) - exp(-b * b / 2.0)).abs() < 1e-14);
        }

        /// Q(a, b) + Q(b, a) = 1 + e^(-(a² + b²) / 2) I₀(a b), whose last term is between 0 and 1.
        #[test]
        fn marcum_q_of_a_b_and_of_b_a_add_up_to_more_than_one(a in 0.0..100.0_f64, b in 0.0..100.0_f64) {
            let both = marcum_q1(a, b) + marcum_q1(b, a);
            prop_assert!((1.0 - ROUNDING..=2.0 + ROUNDING).contains(&both));
        }
    }
}
