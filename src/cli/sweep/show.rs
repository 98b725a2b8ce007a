//! The results of a sweep as a short table: for each point and measure a mean or a median, with its 95 % interval.

use swarmarium_core::text::wording::rounded;
use swarmarium_sweep::Sweep;
use swarmarium_sweep::results::Results;
use swarmarium_sweep::stats::Interval;
use swarmarium_sweep::summary::Summary;

use super::super::table::table_text;

/// The sign for a number that does not exist.
const NOTHING: &str = "–";

/// The length of the longest value of a factor in a table.
const LONGEST_VALUE: usize = 24;

/// The table as text, with columns for the factors, for the measure if there are several, for the number of runs, and for the
/// result.
///
/// Times have a median, and the number of runs that reached the event; other measures have a mean.
pub fn table(sweep: &Sweep, results: &Results) -> String {
    let measures = &sweep.plan.measures;
    let has_times = results.summaries.iter().flatten().any(is_of_times);
    let has_means = results.summaries.iter().flatten().any(|summary| !is_of_times(summary));
    let center = match (has_means, has_times) {
        (true, true) => "mean or median",
        (false, true) => "median",
        _ => "mean",
    };
    // A long value, such as a list, would widen the table: the number of its point stands for it.
    let value_of = |point: usize, factor: usize| sweep.points[point][factor].shown();
    let is_short =
        |factor: &usize| (0..sweep.points.len()).all(|point| value_of(point, *factor).len() <= LONGEST_VALUE);
    let factors: Vec<usize> = (0..sweep.factors.len()).filter(is_short).collect();
    let has_points = factors.len() < sweep.factors.len();
    let mut head: Vec<String> = Vec::new();
    head.extend(has_points.then(|| "point".to_owned()));
    head.extend(factors.iter().map(|factor| sweep.factors[*factor].label.clone()));
    head.extend((measures.len() > 1).then(|| "measure".to_owned()));
    head.extend(["n", center, "95 % interval"].map(str::to_owned));
    let mut rows = vec![head];
    for (point, summaries) in results.summaries.iter().enumerate() {
        for (measure, summary) in measures.iter().zip(summaries) {
            let mut row: Vec<String> = Vec::new();
            row.extend(has_points.then(|| (point + 1).to_string()));
            row.extend(factors.iter().map(|factor| value_of(point, *factor).to_owned()));
            row.extend((measures.len() > 1).then(|| measure.name.clone()));
            row.extend([runs(summary), number(summary.center()), interval(summary.interval)]);
            rows.push(row);
        }
    }
    table_text(&rows)
}

fn is_of_times(summary: &Summary) -> bool {
    summary.reached.is_some()
}

/// The number of runs with a value; of times, those that reached the event, and all.
fn runs(summary: &Summary) -> String {
    match summary.reached {
        Some(reached) => format!("{reached}/{}", summary.n()),
        None => summary.n().to_string(),
    }
}

fn number(value: f64) -> String {
    if value.is_finite() { rounded(value).to_string() } else { NOTHING.into() }
}

/// `0.38 to 0.47`; an end that the runs do not bound is `∞`.
fn interval(interval: Option<Interval>) -> String {
    let end = |value: f64| if value == f64::INFINITY { "∞".into() } else { number(value) };
    match interval {
        Some(Interval { low, high }) if !low.is_nan() => format!("{} to {}", number(low), end(high)),
        _ => NOTHING.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_short_numbers_and_open_ends() {
        assert_eq!(number(0.421_345_9), "0.4213");
        assert_eq!((number(f64::NAN), interval(None)), (NOTHING.to_owned(), NOTHING.to_owned()));
        assert_eq!(interval(Some(Interval { low: 61.24, high: f64::INFINITY })), "61.24 to ∞");
    }
}
