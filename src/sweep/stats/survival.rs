//! Survival: times until an event, some of which are only known to be longer than the observation.

use libm::{exp, log};

use super::interval::{is_confidence, tail};
use super::{Interval, normal_quantile};

/// Survival of this much more than 0.5 is still a half, because products of shares round.
const ROUNDING: f64 = 1e-9;

/// Time of one subject: until its event, or until the observation ended without one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurvivalTime {
    /// Time since the start of the observation, in any unit.
    pub time: f64,
    /// True where the event happened at this time; false where the time is right-censored.
    pub is_event: bool,
}

impl SurvivalTime {
    /// Time of a subject that has its event then.
    #[must_use]
    pub fn event(time: f64) -> Self {
        Self { time, is_event: true }
    }

    /// Time of a subject whose observation ends then without an event.
    #[must_use]
    pub fn censored(time: f64) -> Self {
        Self { time, is_event: false }
    }
}

/// Step of a survival curve at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurvivalPoint {
    /// Time of events or of censoring, in the unit of the survival times.
    pub time: f64,
    /// Number of subjects under observation just before this time.
    pub at_risk: usize,
    /// Number of events at this time.
    pub events: usize,
    /// Number of subjects that are censored at this time, after the events.
    pub censored: usize,
    /// Estimated probability of no event up to and including this time.
    pub survival: f64,
    /// Variance of the survival, by the formula of M. Greenwood (1926).
    pub variance: f64,
}

impl SurvivalPoint {
    /// Pointwise confidence interval of the survival, by the log-log transform (J. D. Kalbfleisch and R. L. Prentice, "The
    /// statistical analysis of failure time data", 1980).
    ///
    /// The interval is [1, 1] before the first event. The result is `None` where the survival is 0, whose variance is not
    /// known, or where the confidence is not between 0 and 1.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        if !is_confidence(confidence) || self.survival <= 0.0 {
            return None;
        }
        if self.survival >= 1.0 {
            return Some(Interval { low: 1.0, high: 1.0 });
        }
        // The limits are S^e^(±z σ), where σ is the standard error of ln(−ln S).
        let log_survival = log(self.survival);
        let error = self.variance.sqrt() / (self.survival * -log_survival);
        let z = -normal_quantile(tail(confidence));
        let limit = |z: f64| exp(log_survival * exp(z * error));
        Some(Interval { low: limit(z), high: limit(-z) })
    }
}

/// Survival curve of right-censored times (E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete
/// observations", 1958).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurvivalCurve {
    /// Steps at every different time, in ascending order; none for no times.
    pub points: Vec<SurvivalPoint>,
}

impl SurvivalCurve {
    /// Survival curve of `times`. A subject that is censored at the time of an event counts as at risk there.
    #[must_use]
    pub fn from_times(times: &[SurvivalTime]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(|first, second| first.time.total_cmp(&second.time));
        let mut points = Vec::new();
        let (mut at_risk, mut survival, mut greenwood) = (sorted.len(), 1.0, 0.0);
        for tied in sorted.chunk_by(|first, second| first.time == second.time) {
            let events = tied.iter().filter(|time| time.is_event).count();
            let survivors = (at_risk - events) as f64;
            survival *= survivors / at_risk as f64;
            if survivors > 0.0 {
                greenwood += events as f64 / (at_risk as f64 * survivors);
            }
            points.push(SurvivalPoint {
                time: tied[0].time,
                at_risk,
                events,
                censored: tied.len() - events,
                survival,
                variance: survival * survival * greenwood,
            });
            at_risk -= tied.len();
        }
        Self { points }
    }

    /// Median time: the first time at which the survival is at most 0.5; `None` where the curve stays above.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        self.points.iter().find(|point| is_at_most_half(point.survival)).map(|point| point.time)
    }

    /// Confidence interval of the median time (R. Brookmeyer and J. Crowley, "A confidence interval for the median survival
    /// time", 1982), with the log-log transform.
    ///
    /// The interval reaches from the first time at which the lower limit of the survival is at most 0.5 to the first time at
    /// which the upper limit is. Its upper limit is ∞ where the upper limit of the survival stays above 0.5. The result is
    /// `None` where the curve itself stays above 0.5 or where the confidence is not between 0 and 1.
    #[must_use]
    pub fn median_interval(&self, confidence: f64) -> Option<Interval> {
        let median = self.median()?;
        if !is_confidence(confidence) {
            return None;
        }
        let first_time = |limit: fn(Interval) -> f64| {
            let is_below = |point: &&SurvivalPoint| point.interval(confidence).map(limit).is_some_and(is_at_most_half);
            self.points.iter().find(is_below).map(|point| point.time)
        };
        // Survival of 0 has no interval: where only the last step passes 0.5, it is the lower limit.
        let low = first_time(|interval| interval.low).unwrap_or(median);
        let high = first_time(|interval| interval.high).unwrap_or(f64::INFINITY);
        Some(Interval { low, high })
    }
}

fn is_at_most_half(survival: f64) -> bool {
    survival <= 0.5 + ROUNDING
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Probability of no event up to and including a time.
    fn survival_at(curve: &SurvivalCurve, time: f64) -> f64 {
        let passed = curve.points.partition_point(|point| point.time <= time);
        curve.points[..passed].last().map_or(1.0, |point| point.survival)
    }

    /// Weeks of remission of 21 patients with leukaemia under 6-mercaptopurine (E. J. Freireich et al., 1963).
    fn remissions() -> SurvivalCurve {
        let events = [6, 6, 6, 7, 10, 13, 16, 22, 23];
        let censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35];
        let events = events.into_iter().map(|time| SurvivalTime::event(f64::from(time)));
        let censored = censored.into_iter().map(|time| SurvivalTime::censored(f64::from(time)));
        SurvivalCurve::from_times(&events.chain(censored).collect::<Vec<_>>())
    }

    fn is_near(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-12 * expected.abs()
    }

    /// Values by `lifelines.KaplanMeierFitter` 0.30, except the variance at 6 weeks, by hand: (6/7)² · 3 / (21 · 18).
    #[test]
    fn remissions_of_leukaemia_have_a_known_curve() {
        let curve = remissions();
        for (time, survival, low, high) in [
            (6.0, 0.857_142_857_142_857, 0.619_717_955_265_983_8, 0.951_551_747_646_996_9),
            (7.0, 0.806_722_689_075_629_9, 0.563_146_564_622_233_3, 0.922_809_019_202_880_2),
            (10.0, 0.752_941_176_470_587_8, 0.503_199_510_799_956_4, 0.889_361_835_169_265_1),
            (13.0, 0.690_196_078_431_372_2, 0.431_610_222_486_183_9, 0.849_065_963_349_450_5),
            (16.0, 0.627_450_980_392_156_6, 0.367_510_855_987_501_94, 0.804_912_189_471_841_1),
            (22.0, 0.537_815_126_050_419_9, 0.267_778_936_767_134_93, 0.746_790_717_635_394_3),
            (23.0, 0.448_179_271_708_683_27, 0.188_052_005_959_232_33, 0.680_142_628_495_241_2),
        ] {
            let point = curve.points.iter().find(|point| point.time == time).unwrap();
            let interval = point.interval(0.95).unwrap();
            assert!(is_near(point.survival, survival), "{point:?}");
            assert!(is_near(interval.low, low) && is_near(interval.high, high), "{interval:?}");
        }
        assert!(is_near(curve.points[0].variance, 36.0 / 49.0 * 3.0 / (21.0 * 18.0)));
        assert_eq!([curve.points[0].at_risk, curve.points[0].events, curve.points[0].censored], [21, 3, 1]);
    }

    #[test]
    fn remissions_of_leukaemia_last_23_weeks_in_the_median() {
        assert_eq!(remissions().median(), Some(23.0));
        assert_eq!(remissions().median_interval(0.95), Some(Interval { low: 13.0, high: f64::INFINITY }));
    }

    /// Weeks of remission under the placebo of the same study; the interval is that of lifelines 0.30.
    #[test]
    fn without_censoring_the_median_has_two_limits() {
        let times = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23];
        let curve = SurvivalCurve::from_times(&times.map(|time| SurvivalTime::event(f64::from(time))));
        assert_eq!(curve.median(), Some(8.0));
        assert_eq!(curve.median_interval(0.95), Some(Interval { low: 4.0, high: 11.0 }));
    }

    #[test]
    fn a_survival_of_exactly_half_is_the_median() {
        for n in [2, 4, 10, 30, 98] {
            let times: Vec<_> = (1..=n).map(|time| SurvivalTime::event(f64::from(time))).collect();
            assert_eq!(SurvivalCurve::from_times(&times).median(), Some(f64::from(n / 2)));
        }
    }

    #[test]
    fn curves_that_stay_above_half_have_no_median() {
        let curve = SurvivalCurve::from_times(&[
            SurvivalTime::event(1.0),
            SurvivalTime::censored(2.0),
            SurvivalTime::censored(3.0),
        ]);
        assert_eq!(curve.median(), None);
        assert_eq!(curve.median_interval(0.95), None);
        assert_eq!(SurvivalCurve::from_times(&[]).median(), None);
        assert_eq!(survival_at(&SurvivalCurve::from_times(&[]), 1.0), 1.0);
    }

    #[test]
    fn a_single_event_is_the_lower_limit() {
        let curve = SurvivalCurve::from_times(&[SurvivalTime::event(4.0)]);
        assert_eq!(curve.median_interval(0.95), Some(Interval { low: 4.0, high: f64::INFINITY }));
        assert_eq!([survival_at(&curve, 3.9), survival_at(&curve, 4.0)], [1.0, 0.0]);
    }

    proptest! {
        #[test]
        fn survival_falls_from_one_to_zero_or_more(
            times in prop::collection::vec((0..30_u32, any::<bool>()), 1..40), confidence in 0.05..0.99_f64,
        ) {
            let subjects: Vec<_> = times
                .iter()
                .map(|(time, is_event)| SurvivalTime { time: f64::from(*time), is_event: *is_event })
                .collect();
            let curve = SurvivalCurve::from_times(&subjects);
            prop_assert!(curve.points.windows(2).all(|pair| pair[0].survival >= pair[1].survival));
            for point in &curve.points {
                prop_assert!((0.0..=1.0).contains(&point.survival) && point.variance >= 0.0);
                prop_assert!(point.interval(confidence).is_none_or(|interval| interval.contains(point.survival)));
            }
            if let Some(median) = curve.median() {
                prop_assert!(curve.median_interval(confidence).is_some_and(|interval| interval.contains(median)));
            }
        }

        #[test]
        fn without_censoring_survival_is_the_share_of_longer_times(times in prop::collection::vec(0..30_u32, 1..40)) {
            let subjects: Vec<_> = times.iter().map(|time| SurvivalTime::event(f64::from(*time))).collect();
            let curve = SurvivalCurve::from_times(&subjects);
            for time in 0..30 {
                let longer = times.iter().filter(|other| **other > time).count() as f64 / times.len() as f64;
                prop_assert!((survival_at(&curve, f64::from(time)) - longer).abs() < 1e-12);
            }
        }
    }
}
