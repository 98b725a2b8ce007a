//! The sections of a report that are tables.

use minijinja::{Value, context};

use super::clean;
use crate::charts::text::{self, number, optional};
use crate::log::Index;
use crate::plan::{Measure, Seeds, Statistic};
use crate::resolved::{Run, Sweep};
use crate::results::Results;
use crate::stats::Interval;
use crate::summary::{Checked, Comparison, PointRuns, Summary};

/// The most rows of the tables of statistics together, and of the tables of failures.
const MOST_ROWS: usize = 500;
/// The least rows of a table of statistics, however many measures there are.
const LEAST_ROWS: usize = 5;
/// The most rows of the table of runs.
const MOST_RUNS: usize = 2_000;

/// The alignment and the look of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Code,
    /// The number of a run, shown as the command that opens it.
    Command,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Code => "code",
            Self::Command => "command",
        }
    }
}

/// A table of a section.
struct Table {
    title: String,
    caption: String,
    head: Vec<(String, Kind)>,
    rows: Vec<Vec<String>>,
    note: String,
}

impl Table {
    fn value(self) -> Value {
        let column = |(name, kind): &(String, Kind)| context! { name => clean(name), kind => kind.name() };
        let row = |row: Vec<String>| row.iter().map(|cell| clean(cell)).collect::<Value>();
        context! {
            title => clean(&self.title),
            caption => clean(&self.caption),
            head => self.head.iter().map(column).collect::<Value>(),
            rows => self.rows.into_iter().map(row).collect::<Value>(),
            note => self.note,
        }
    }
}

fn section(id: &str, title: &str, intro: &str, tables: Vec<Table>) -> Option<Value> {
    let tables: Vec<Value> = tables.into_iter().map(Table::value).collect();
    let is_empty = tables.is_empty();
    (!is_empty).then(|| context! { id, title, intro, tables => tables.into_iter().collect::<Value>() })
}

/// All sections that have something to show.
pub fn all(sweep: &Sweep, results: &Results, index: &Index, checked: &[Checked]) -> Value {
    let sections = [
        summary(sweep, results),
        comparisons(sweep, results),
        expectations(sweep, results, checked),
        failures(sweep, results),
        runs(sweep, results, index),
    ];
    sections.into_iter().flatten().collect()
}

/// The columns of a table about points: the number of the point, the factors, and more.
fn head(sweep: &Sweep, first: (&str, Kind), more: &[(&str, Kind)]) -> Vec<(String, Kind)> {
    let factor = |(place, factor): (usize, &crate::resolved::ResolvedFactor)| {
        let mut values = sweep.points.iter().filter_map(|point| point.get(place));
        let are_numbers = values.all(|value| value.number().is_some());
        let label = if factor.label.is_empty() { factor.path.clone() } else { text::factor_label(sweep, place) };
        (label, if are_numbers { Kind::Number } else { Kind::Text })
    };
    let owned = |(name, kind): (&str, Kind)| (name.to_owned(), kind);
    let factors = sweep.factors.iter().enumerate().map(factor);
    std::iter::once(owned(first)).chain(factors).chain(more.iter().copied().map(owned)).collect()
}

fn factor_values(sweep: &Sweep, point: usize) -> impl Iterator<Item = String> {
    sweep.points.get(point).into_iter().flatten().map(text::value)
}

fn interval(interval: Option<Interval>) -> String {
    interval.map_or_else(|| number(f64::NAN), |ends| format!("{} to {}", number(ends.low), number(ends.high)))
}

/// A note that a table is cut.
fn cut(shown: usize, all: usize, noun: &str, file: &str) -> String {
    match shown < all {
        true => format!("The first {shown} of {all} {noun}; {file} has all."),
        false => String::new(),
    }
}

/// The number of rows that each measure gets.
fn rows_of_measure(sweep: &Sweep) -> usize {
    (MOST_ROWS / sweep.plan.measures.len().max(1)).max(LEAST_ROWS)
}

fn measure_title(sweep: &Sweep, place: usize) -> (String, String) {
    (text::measure_label(sweep, place), text::measure_statement(sweep, place) + ".")
}

/// A header with the unit of a measure.
fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

fn summary(sweep: &Sweep, results: &Results) -> Option<Value> {
    let most = rows_of_measure(sweep);
    let table = |(place, measure): (usize, &Measure)| {
        let (_, unit) = text::measure_words(sweep, place);
        let [mean, std_dev, median, ends] =
            ["Mean", "SD", "Median", "95 % interval"].map(|name| with_unit(name, &unit));
        use Kind::Number;
        let columns: Vec<(&str, Kind)> = match measure.take {
            take if take.is_time() => vec![("n", Number), ("Reached", Number), (&median, Number), (&ends, Number)],
            take if take.is_share() => vec![("n", Number), ("Share", Number), (&ends, Number)],
            _ => vec![("n", Number), (&mean, Number), (&std_dev, Number), (&median, Number), (&ends, Number)],
        };
        let columns: Vec<_> = columns.into_iter().chain([("Failed", Number)]).collect();
        let row = |(point, measures): (usize, &Vec<Summary>)| {
            let summary = measures.get(place)?;
            let mut row: Vec<String> =
                std::iter::once((point + 1).to_string()).chain(factor_values(sweep, point)).collect();
            row.push(summary.n().to_string());
            let value = |of: fn(&crate::stats::Summary) -> f64| optional(summary.values.as_ref().map(of));
            match summary.reached {
                Some(reached) => row.extend([reached.to_string(), optional(summary.median_time)]),
                None if measure.take.is_share() => row.push(optional(summary.share.map(|(share, _)| share))),
                None => row.extend([value(|v| v.mean), value(|v| v.std_dev), value(|v| v.median)]),
            }
            row.extend([interval(summary.interval), summary.failed.to_string()]);
            Some(row)
        };
        let rows: Vec<_> = results.summaries.iter().enumerate().take(most).filter_map(row).collect();
        let (title, caption) = measure_title(sweep, place);
        let note = cut(rows.len(), results.summaries.len(), "points", "summary.csv");
        Table { title, caption, head: head(sweep, ("Point", Number), &columns), rows, note }
    };
    let tables = sweep.plan.measures.iter().enumerate().map(table).filter(|table| !table.rows.is_empty());
    section("summary", "Summary", "", tables.collect())
}

fn comparisons(sweep: &Sweep, results: &Results) -> Option<Value> {
    let most = rows_of_measure(sweep);
    let is_paired = sweep.plan.seeds != Seeds::Independent;
    let table = |(place, (_, compared)): (usize, (&Measure, &Vec<Comparison>))| {
        use Kind::Number;
        let (_, unit) = text::measure_words(sweep, place);
        let [difference, ends] = ["Mean difference", "95 % interval"].map(|name| with_unit(name, &unit));
        let n = if is_paired { "n (pairs)" } else { "n (point, reference)" };
        let mut columns = vec![(n, Number), (difference.as_str(), Number)];
        if is_paired {
            columns.push((&ends, Number));
        }
        columns.extend([("p", Number), ("p (Holm)", Number), ("A", Number)]);
        let count = |point: usize| results.summaries.get(point).and_then(|all| all.get(place)).map_or(0, Summary::n);
        let row = |one: &Comparison| {
            let point = std::iter::once((one.point + 1).to_string());
            let mut row: Vec<String> = point.chain(factor_values(sweep, one.point)).collect();
            row.push(match is_paired {
                true => one.pairs.to_string(),
                false => format!("{}, {}", count(one.point), count(one.reference)),
            });
            row.push(number(one.difference));
            if is_paired {
                row.push(interval(one.interval));
            }
            row.extend([optional(one.p), optional(one.p_holm), number(one.a)]);
            row
        };
        let rows: Vec<_> = compared.iter().take(most).map(row).collect();
        let (title, caption) = measure_title(sweep, place);
        let note = cut(rows.len(), compared.len(), "comparisons", "comparisons.csv");
        Table { title, caption, head: head(sweep, ("Point", Number), &columns), rows, note }
    };
    let all = sweep.plan.measures.iter().zip(&results.comparisons).enumerate();
    let tables: Vec<Table> = all.map(table).filter(|table| !table.rows.is_empty()).collect();
    let reference = format!("point {}", sweep.reference() + 1);
    let how = match is_paired {
        true => {
            "by pairs of runs with the same seed: mean difference with its 95 % interval by Student’s t, and p by Wilcoxon’s \
             signed ranks"
        }
        false => "by the difference of the means, and p by Mann and Whitney’s U",
    };
    let intro = format!(
        "Each point is compared with {reference}, {how}. p (Holm) is corrected for all comparisons of the measure. A is the \
         probability that a run of the point has a larger value than one of {reference} (Vargha and Delaney): 0.5 means no \
         difference."
    );
    section("comparisons", &format!("Comparisons with {reference}"), &intro, tables)
}

fn expectations(sweep: &Sweep, results: &Results, checked: &[Checked]) -> Option<Value> {
    use Kind::{Number, Text};
    let row = |one: &Checked| {
        let expected = sweep.plan.expect.get(one.expectation)?;
        let place = sweep.plan.measures.iter().position(|measure| measure.name == expected.measure)?;
        let n = results.summaries.get(one.point).and_then(|measures| measures.get(place)).map_or(0, Summary::n);
        let take = sweep.plan.measures[place].take;
        let statistic = match expected.statistic {
            Statistic::Share if take.is_time() => "share of runs that reach it",
            Statistic::Share => "share of runs",
            Statistic::Mean => "mean",
            Statistic::StdDev => "standard deviation",
            Statistic::Median => "median",
            Statistic::Min => "least value",
            Statistic::Max => "greatest value",
        };
        let result = match (one.is_met, one.is_missed(sweep)) {
            (true, _) => "✓ met",
            (false, true) => "✗ not met",
            (false, false) => "✗ disputed, not met",
        };
        let mut row = vec![result.to_owned(), (one.point + 1).to_string()];
        row.extend(factor_values(sweep, one.point));
        row.extend([text::measure_label(sweep, place), statistic.into(), n.to_string(), optional(one.found)]);
        row.push(format!("{} ± {}", number(expected.value), number(expected.tolerance)));
        row.extend([format!("{:?}", expected.status).to_lowercase(), expected.source.clone()]);
        Some(row)
    };
    let rows: Vec<_> = checked.iter().take(MOST_ROWS).filter_map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let columns = [
        ("Measure", Text),
        ("Statistic", Text),
        ("n", Number),
        ("Found", Number),
        ("Expected", Number),
        ("Status", Text),
        ("Source", Text),
    ];
    let mut head = head(sweep, ("Point", Number), &columns);
    head.insert(0, ("Result".into(), Text));
    let note = match rows.len() < checked.len() {
        true => format!("The first {} of {} expectations.", rows.len(), checked.len()),
        false => String::new(),
    };
    section("expectations", "Expectations", "", vec![untitled(head, rows, note)])
}

fn untitled(head: Vec<(String, Kind)>, rows: Vec<Vec<String>>, note: String) -> Table {
    Table { title: String::new(), caption: String::new(), head, rows, note }
}

/// The number of a run, as in the name of its folder.
fn run_name(run: Run) -> String {
    format!("{}-{}", run.point + 1, run.repetition + 1)
}

fn failures(sweep: &Sweep, results: &Results) -> Option<Value> {
    let row = |(run, error): &(Run, String)| {
        let mut row: Vec<String> = std::iter::once(run_name(*run)).chain(factor_values(sweep, run.point)).collect();
        row.extend([sweep.seed(*run).to_string(), error.clone(), run_name(*run)]);
        row
    };
    let rows: Vec<_> = results.failed.iter().take(MOST_ROWS).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let columns = [("Seed", Kind::Number), ("Error", Kind::Text), ("Command", Kind::Command)];
    let note = cut(rows.len(), results.failed.len(), "failed runs", "runs.csv");
    let table = untitled(head(sweep, ("Run", Kind::Text), &columns), rows, note);
    section("failed", "Failed runs", "Statistics leave these runs out.", vec![table])
}

fn runs(sweep: &Sweep, results: &Results, index: &Index) -> Option<Value> {
    use Kind::{Code, Command, Number, Text};
    let mut rows = Vec::new();
    for point in 0..sweep.points.len() {
        if rows.len() >= MOST_RUNS {
            break;
        }
        for (repetition, outcome) in (0..).zip(PointRuns::read(sweep, index, point).outcomes) {
            let (Some(outcome), run) = (outcome, Run { point, repetition }) else { continue };
            let mut row: Vec<String> = std::iter::once(run_name(run)).chain(factor_values(sweep, point)).collect();
            let status = if outcome.error.is_some() { "failed" } else { "done" };
            row.extend([sweep.seed(run).to_string(), status.into(), outcome.steps.to_string()]);
            row.extend((0..sweep.plan.measures.len()).map(|place| match outcome.measures.get(place) {
                Some(taken) if taken.is_censored => format!("> {}", number(taken.value)),
                taken => optional(taken.map(|taken| taken.value)),
            }));
            row.extend([crate::folder::hex(outcome.hash), run_name(run)]);
            rows.push(row);
        }
    }
    rows.truncate(MOST_RUNS);
    if rows.is_empty() {
        return None;
    }
    let labels: Vec<String> = (0..sweep.plan.measures.len()).map(|place| text::measure_label(sweep, place)).collect();
    let mut columns = vec![("Seed", Number), ("Status", Text), ("Steps", Number)];
    columns.extend(labels.iter().map(|label| (label.as_str(), Number)));
    columns.extend([("Final state hash", Code), ("Command", Command)]);
    let note = cut(rows.len(), usize::try_from(results.done).unwrap_or(usize::MAX), "runs", "runs.csv");
    let table = untitled(head(sweep, ("Run", Text), &columns), rows, note);
    let intro = "A run is named by its point and its repetition. The commands run in the folder of this report. A time with > is \
                 censored: the run ended before the event.";
    section("runs", "Runs", intro, vec![table])
}
