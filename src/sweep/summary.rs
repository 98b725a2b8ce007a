//! From runs to statistics: a summary for each point and measure, and comparisons of points.
//!
//! The unit is a run. A run that failed has no measures and is counted apart; a time that is censored is not a number but an
//! observation of survival.

use swarmarium_base::id::StableId;
use swarmarium_core::random::Seed;

use crate::log::Index;
use crate::plan::{Expectation, Measure, Seeds, Statistic, Status, Take};
use crate::resolved::{Run, Sweep};
use crate::run::{MeasuredValue, Outcome};
use crate::stats::{self, Interval, Pair, SurvivalCurve, SurvivalTime};

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The runs of a point.
#[derive(Clone, Debug, Default)]
pub struct PointRuns {
    /// The outcome of each repetition; `None` for a run that is not done.
    pub outcomes: Vec<Option<Outcome>>,
}

impl PointRuns {
    /// The runs of a point that the logs have.
    pub fn read(sweep: &Sweep, index: &Index, point: usize) -> Self {
        let outcome = |repetition| index.get(sweep.key(Run { point, repetition }));
        Self { outcomes: (0..sweep.repetitions).map(outcome).collect() }
    }

    /// A measure of all runs that have it, with the number of the repetition.
    fn taken(&self, measure: usize) -> Vec<(u64, MeasuredValue)> {
        let outcomes = (0..).zip(&self.outcomes);
        let taken = outcomes.filter_map(|(repetition, outcome)| {
            let taken = outcome.as_ref()?.measures.get(measure)?;
            taken.value.is_finite().then_some((repetition, *taken))
        });
        taken.collect()
    }

    /// The number of runs that failed.
    pub fn failed(&self) -> usize {
        self.outcomes.iter().flatten().filter(|outcome| outcome.error.is_some()).count()
    }
}

/// The statistics of a measure at a point.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The values of the runs, with the number of the repetition.
    pub runs: Vec<(u64, MeasuredValue)>,
    /// The number of runs that failed.
    pub failed: usize,
    /// Mean, standard deviation and quartiles; `None` without values, and for times.
    pub values: Option<stats::Summary>,
    /// The 95 % interval: of the mean by bootstrap, of a share by Wilson, of the median time by Brookmeyer and Crowley.
    pub interval: Option<Interval>,
    /// The 95 % interval of the mean by Student's t.
    pub t_interval: Option<Interval>,
    /// The number of runs that reached the event of a time.
    pub reached: Option<usize>,
    /// The share of these runs, with its 95 % interval by Wilson.
    pub share: Option<(f64, Interval)>,
    /// The median time by Kaplan and Meier; `None` while more than half of the runs are censored.
    pub median_time: Option<f64>,
}

impl Summary {
    /// The number of runs with a value.
    pub fn n(&self) -> usize {
        self.runs.len()
    }

    /// The number that figures show: the mean, the share, or the median time.
    pub fn center(&self) -> f64 {
        match self.reached {
            Some(_) => self.median_time.unwrap_or(f64::NAN),
            None => self.values.map_or(f64::NAN, |values| values.mean),
        }
    }

    /// A statistic of the runs.
    pub fn statistic(&self, statistic: Statistic) -> Option<f64> {
        match (statistic, self.reached) {
            (Statistic::Median, Some(_)) => self.median_time,
            (Statistic::Share, _) => self.share.map(|(share, _)| share),
            // Times that are censored have neither a mean nor extremes.
            (_, Some(_)) => None,
            (Statistic::Mean, None) => Some(self.values?.mean),
            (Statistic::StdDev, None) => Some(self.values?.std_dev),
            (Statistic::Median, None) => Some(self.values?.median),
            (Statistic::Min, None) => Some(self.values?.min),
            (Statistic::Max, None) => Some(self.values?.max),
        }
    }
}

/// The summary of a measure at a point. Randomness depends on the values of the point alone.
pub fn summarize(sweep: &Sweep, runs: &PointRuns, point: usize, place: usize, measure: &Measure) -> Summary {
    let taken = runs.taken(place);
    let failed = runs.failed();
    let share = |count: usize| {
        let interval = stats::wilson_interval(count as u64, taken.len() as u64, CONFIDENCE)?;
        Some((count as f64 / taken.len() as f64, interval))
    };
    if measure.take.is_time() {
        let observation = |(_, MeasuredValue { value, is_censored }): &(u64, MeasuredValue)| SurvivalTime {
            time: *value,
            is_event: !is_censored,
        };
        let curve = SurvivalCurve::from_times(&taken.iter().map(observation).collect::<Vec<_>>());
        let reached = taken.iter().filter(|(_, taken)| !taken.is_censored).count();
        let (interval, median_time) = (curve.median_interval(CONFIDENCE), curve.median());
        return Summary {
            failed,
            interval,
            reached: Some(reached),
            share: share(reached),
            median_time,
            runs: taken,
            ..Summary::default()
        };
    }
    let values: Vec<f64> = taken.iter().map(|(_, taken)| taken.value).collect();
    let summary = stats::Summary::from_values(&values);
    if measure.take.is_share() {
        let share = share(values.iter().filter(|value| **value != 0.0).count());
        let interval = share.map(|(_, interval)| interval);
        return Summary { failed, values: summary, interval, share, runs: taken, ..Summary::default() };
    }
    let interval =
        stats::bootstrap_interval(&values, stats::mean, CONFIDENCE, stats::DEFAULT_RESAMPLES, &mut units(sweep, point));
    let t_interval = stats::mean_interval(&values, CONFIDENCE);
    Summary { failed, values: summary, interval, t_interval, runs: taken, ..Summary::default() }
}

/// Uniform random numbers for the bootstrap of the measures of a point.
fn units(sweep: &Sweep, point: usize) -> impl FnMut() -> f64 {
    let seed = sweep.key(Run { point, repetition: 0 });
    let mut stream = Seed(seed).stream(StableId::metric(0), "sweep/bootstrap");
    move || stream.unit()
}

/// A point compared with another one.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The point.
    pub point: usize,
    /// The point that it is compared with.
    pub reference: usize,
    /// The number of pairs of runs with the same seed, or 0 where seeds are independent.
    pub pairs: usize,
    /// The mean difference to the reference, with its 95 % interval by Student's t where runs are paired.
    pub difference: f64,
    /// That interval.
    pub interval: Option<Interval>,
    /// The p-value: by Wilcoxon's signed ranks where runs are paired, and else by Mann and Whitney's U.
    pub p: Option<f64>,
    /// The p-value corrected for all comparisons of the measure, by Holm.
    pub p_holm: Option<f64>,
    /// The probability that a run of the point has a larger value than one of the reference (Vargha and Delaney).
    pub a: f64,
}

/// Compares all points with the reference. Times that may be censored, and shares, are not compared.
pub fn compare(sweep: &Sweep, summaries: &[&Summary], take: Take) -> Vec<Comparison> {
    let place = sweep.reference();
    // A point whose seed is a factor has a single run.
    let is_compared = !take.is_condition() && !sweep.has_seed_factor();
    let Some(reference) = summaries.get(place).filter(|_| is_compared) else { return Vec::new() };
    let others = summaries.iter().enumerate().filter(|(point, _)| *point != place);
    let values = |summary: &Summary| -> Vec<f64> { summary.runs.iter().map(|(_, taken)| taken.value).collect() };
    let of_reference = values(reference);
    let is_paired = sweep.plan.seeds != Seeds::Independent;
    let compared = others.map(|(point, summary)| {
        let own = values(summary);
        let a = stats::vargha_delaney(&own, &of_reference);
        let difference = stats::mean(&own) - stats::mean(&of_reference);
        let comparison = Comparison { point, reference: place, difference, a, ..Comparison::default() };
        if !is_paired {
            return Comparison { p: stats::mann_whitney(&own, &of_reference).map(|test| test.p_value), ..comparison };
        }
        let pairs = pairs(&summary.runs, &reference.runs);
        let differences: Vec<f64> = pairs.iter().map(Pair::difference).collect();
        let paired = stats::paired_difference(&pairs, CONFIDENCE);
        Comparison {
            pairs: pairs.len(),
            difference: paired.as_ref().map_or(f64::NAN, |paired| paired.mean),
            interval: paired.and_then(|paired| paired.interval),
            p: stats::wilcoxon_signed_rank(&differences).map(|test| test.p_value),
            ..comparison
        }
    });
    let mut compared: Vec<Comparison> = compared.collect();
    let known: Vec<usize> = (0..compared.len()).filter(|place| compared[*place].p.is_some()).collect();
    let p: Vec<f64> = known.iter().filter_map(|place| compared[*place].p).collect();
    for (place, corrected) in known.into_iter().zip(stats::holm(&p)) {
        compared[place].p_holm = Some(corrected);
    }
    compared
}

/// Runs of two points with the same seed. The difference is that of the first minus that of the second.
fn pairs(own: &[(u64, MeasuredValue)], reference: &[(u64, MeasuredValue)]) -> Vec<Pair> {
    let numbers = |runs: &[(u64, MeasuredValue)]| -> Vec<(u64, f64)> {
        runs.iter().map(|(repetition, taken)| (*repetition, taken.value)).collect()
    };
    stats::pair_by_seed(&numbers(own), &numbers(reference))
}

/// An expectation that was compared with the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The place of the expectation in the plan.
    pub expectation: usize,
    /// The point.
    pub point: usize,
    /// The value of the statistic; `None` if the runs have none.
    pub found: Option<f64>,
    /// Whether the value is as expected.
    pub is_met: bool,
}

impl Checked {
    /// Whether the check fails: there is no value, or it differs from one that is not disputed.
    pub fn is_missed(&self, sweep: &Sweep) -> bool {
        let is_disputed = |expected: &Expectation| expected.status == Status::Disputed;
        let may_differ = self.found.is_some() && sweep.plan.expect.get(self.expectation).is_some_and(is_disputed);
        !self.is_met && !may_differ
    }
}

/// Compares the expectations of a plan with its runs: by point, then by measure.
pub fn check(sweep: &Sweep, summaries: &[Vec<Summary>]) -> Vec<Checked> {
    let mut checked = Vec::new();
    for (index, expected) in sweep.plan.expect.iter().enumerate() {
        let Some(measure) = sweep.plan.measures.iter().position(|measure| measure.name == expected.measure) else {
            continue;
        };
        for (point, values) in sweep.points.iter().enumerate() {
            if !expected.at.is_empty() && !crate::resolved::is_at(values, &expected.at) {
                continue;
            }
            let summary = summaries.get(point).and_then(|measures| measures.get(measure));
            let found = summary.and_then(|summary| summary.statistic(expected.statistic));
            let is_met = found.is_some_and(|found| (found - expected.value).abs() <= expected.tolerance);
            checked.push(Checked { expectation: index, point, found, is_met });
        }
    }
    checked
}
