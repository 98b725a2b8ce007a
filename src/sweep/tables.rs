//! The tables of a sweep. Their bytes depend on the plan and the program alone.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use swarmarium_base::files::{Draft, cannot_write};

use crate::folder::{EXPECTATIONS, Folder, hex};
use crate::identical::Finder;
use crate::log::Index;
use crate::plan::Value;
use crate::resolved::{Run, Sweep};
use crate::results::Results;
use crate::run::cell;
use crate::stats::Interval;
use crate::summary::{Checked, Comparison, PointRuns, Summary, compare};

/// A table that is being written.
struct Table<'a> {
    path: std::path::PathBuf,
    writer: csv::Writer<Draft>,
    sweep: &'a Sweep,
}

impl<'a> Table<'a> {
    fn begin(folder: &Path, name: &str, sweep: &'a Sweep) -> anyhow::Result<Self> {
        let path = folder.join(name);
        let writer =
            csv::WriterBuilder::new().flexible(true).buffer_capacity(1 << 16).from_writer(Draft::begin(&path)?);
        Ok(Self { path, writer, sweep })
    }

    fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<[u8]>>) -> anyhow::Result<()> {
        self.writer.write_record(cells).with_context(|| cannot_write(&self.path))
    }

    /// The cells of a point: its number, and the values of the factors.
    fn point(&self, point: usize) -> Vec<String> {
        let values = self.sweep.points[point].iter().map(|value| value.shown().to_owned());
        std::iter::once((point + 1).to_string()).chain(values).collect()
    }

    fn finish(self) -> anyhow::Result<()> {
        let draft = self.writer.into_inner().map_err(csv::IntoInnerError::into_error);
        draft.with_context(|| cannot_write(&self.path))?.finish()
    }
}

fn head(sweep: &Sweep, before: &[&str], after: impl IntoIterator<Item = String>) -> Vec<String> {
    let before = before.iter().map(ToString::to_string);
    let factors = sweep.factors.iter().map(|factor| factor.label.clone());
    before.chain(factors).chain(after).collect()
}

fn optional(value: Option<f64>) -> String {
    value.map(cell).unwrap_or_default()
}

fn ends(interval: Option<Interval>) -> [String; 2] {
    [optional(interval.map(|interval| interval.low)), optional(interval.map(|interval| interval.high))]
}

/// A cell of a table: a value, and not its text.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Nothing,
    /// A count.
    Count(u64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// The value of a factor.
    Value(Value),
}

impl Cell {
    /// The cell of a number that may be missing.
    fn of_number(number: Option<f64>) -> Self {
        number.filter(|number| !number.is_nan()).map_or(Self::Nothing, Self::Number)
    }

    fn of_ends(interval: Option<Interval>) -> [Self; 2] {
        [interval.map(|interval| interval.low), interval.map(|interval| interval.high)].map(Self::of_number)
    }

    /// The text in a CSV file.
    fn text(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => cell(*number),
            Self::Text(text) => text.clone(),
            Self::Value(value) => value.shown().to_owned(),
        }
    }
}

/// Writes all tables from the logs, and gives the statistics in them.
///
/// # Errors
/// When a table cannot be written.
pub fn write(sweep: &Sweep, folder: &Folder, index: &Index) -> anyhow::Result<Results> {
    let mut results = Results::empty(sweep);
    let measures = &sweep.plan.measures;
    let path = folder.path();
    let mut runs = Table::begin(path, "runs.csv", sweep)?;
    let names = measures.iter().flat_map(|measure| {
        let reached = measure.take.is_time().then(|| format!("{}_reached", measure.name));
        std::iter::once(measure.name.clone()).chain(reached)
    });
    let status = ["repetition", "seed", "status", "steps", "final_state_hash"].map(String::from);
    let after = status.into_iter().chain(names).chain(["error".to_owned()]);
    runs.row(head(sweep, &["point"], after))?;
    let mut series = match sweep.plan.keep.series_every_steps {
        0 => None,
        _ => Some(Table::begin(path, "series.csv", sweep)?),
    };
    if let Some(series) = &mut series {
        let columns = ["repetition", "step", "t_s"].map(String::from).into_iter().chain(sweep.metric_columns.clone());
        series.row(["point".to_owned()].into_iter().chain(columns))?;
    }
    let mut identical = Finder::new(sweep);
    for point in 0..sweep.points.len() {
        let of_point = PointRuns::read(sweep, index, point);
        for (repetition, outcome) in (0..).zip(&of_point.outcomes) {
            let (Some(outcome), run) = (outcome, Run { point, repetition }) else { continue };
            let mut row = runs.point(point);
            let status = if outcome.error.is_some() { "failed" } else { "done" };
            row.extend([(repetition + 1).to_string(), sweep.seed(run).to_string(), status.into()]);
            // A run that could not start has no state.
            let has_state = outcome.error.is_none() || outcome.steps > 0;
            row.extend([outcome.steps.to_string(), if has_state { hex(outcome.hash) } else { String::new() }]);
            for (place, measure) in measures.iter().enumerate() {
                let taken = outcome.measures.get(place);
                row.push(optional(taken.map(|taken| taken.value)));
                if measure.take.is_time() {
                    row.push(taken.map(|taken| (!taken.is_censored).to_string()).unwrap_or_default());
                }
            }
            row.push(outcome.error.clone().unwrap_or_default());
            runs.row(row)?;
            if let Some(series) = &mut series {
                let prefix = [(point + 1).to_string(), (repetition + 1).to_string()];
                for line in &outcome.series {
                    series.row(prefix.iter().map(String::as_str).chain(line.split(',')))?;
                }
            }
        }
        results.set_point(sweep, point, &of_point);
        results.identical.extend(identical.is_identical(point, &of_point).then_some(point));
    }
    runs.finish()?;
    series.map_or(Ok(()), Table::finish)?;
    write_summaries(sweep, path, &results)?;
    results.comparisons = write_comparisons(sweep, path, &results)?;
    Ok(results)
}

/// The columns of the table of summaries after those of the factors.
const SUMMARY: [&str; 18] = [
    "measure",
    "n",
    "failed",
    "mean",
    "std_dev",
    "min",
    "lower_quartile",
    "median",
    "upper_quartile",
    "max",
    "ci95_low",
    "ci95_high",
    "t95_low",
    "t95_high",
    "reached",
    "share",
    "share95_low",
    "share95_high",
];

/// The columns of the table of summaries.
pub fn summary_columns(sweep: &Sweep) -> Vec<String> {
    head(sweep, &["point"], SUMMARY.map(String::from))
}

/// The rows of the table of summaries: for each point, one for each measure.
pub fn summary_rows<'a>(sweep: &'a Sweep, results: &'a Results) -> impl Iterator<Item = Vec<Cell>> + 'a {
    results.summaries.iter().enumerate().flat_map(move |(point, summaries)| {
        sweep.plan.measures.iter().zip(summaries).map(move |(measure, summary)| {
            let value = |of: fn(&crate::stats::Summary) -> f64| Cell::of_number(summary.values.as_ref().map(of));
            let mut row = vec![Cell::Count(point as u64 + 1)];
            row.extend(sweep.points[point].iter().cloned().map(Cell::Value));
            row.extend([Cell::Text(measure.name.clone()), Cell::Count(summary.n() as u64)]);
            row.push(Cell::Count(summary.failed as u64));
            row.extend([value(|v| v.mean), value(|v| v.std_dev), value(|v| v.min), value(|v| v.lower_quartile)]);
            let is_of_times = summary.reached.is_some();
            row.push(if is_of_times { Cell::of_number(summary.median_time) } else { value(|v| v.median) });
            row.extend([value(|v| v.upper_quartile), value(|v| v.max)]);
            row.extend(Cell::of_ends(summary.interval));
            row.extend(Cell::of_ends(summary.t_interval));
            row.push(summary.reached.map_or(Cell::Nothing, |count| Cell::Count(count as u64)));
            row.push(Cell::of_number(summary.share.map(|(share, _)| share)));
            row.extend(Cell::of_ends(summary.share.map(|(_, interval)| interval)));
            row
        })
    })
}

fn write_summaries(sweep: &Sweep, path: &Path, results: &Results) -> anyhow::Result<()> {
    let mut table = Table::begin(path, "summary.csv", sweep)?;
    table.row(summary_columns(sweep))?;
    summary_rows(sweep, results).try_for_each(|row| table.row(row.iter().map(Cell::text)))?;
    table.finish()
}

/// Writes the table of expected results. If the plan expects none any more, the table is removed.
///
/// # Errors
/// When the table cannot be written or removed.
pub fn write_expectations(sweep: &Sweep, folder: &Folder, checked: &[Checked]) -> anyhow::Result<()> {
    const COLUMNS: [&str; 8] = ["measure", "statistic", "found", "expected", "tolerance", "status", "met", "source"];
    if checked.is_empty() {
        let path = folder.path().join(EXPECTATIONS);
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error).context(cannot_write(&path)),
            _ => Ok(()),
        };
    }
    let mut table = Table::begin(folder.path(), EXPECTATIONS, sweep)?;
    table.row(head(sweep, &["point"], COLUMNS.map(String::from)))?;
    for one in checked {
        let expected = &sweep.plan.expect[one.expectation];
        let mut row = table.point(one.point);
        row.extend([expected.measure.clone(), format!("{:?}", expected.statistic), optional(one.found)]);
        row.extend([cell(expected.value), cell(expected.tolerance), format!("{:?}", expected.status)]);
        row.extend([one.is_met.to_string(), expected.source.clone()]);
        table.row(row)?;
    }
    table.finish()
}

fn write_comparisons(sweep: &Sweep, path: &Path, results: &Results) -> anyhow::Result<Vec<Vec<Comparison>>> {
    const COLUMNS: [&str; 11] = [
        "measure",
        "reference",
        "n",
        "n_reference",
        "pairs",
        "difference",
        "difference95_low",
        "difference95_high",
        "p",
        "p_holm",
        "vargha_delaney_a",
    ];
    let mut table = Table::begin(path, "comparisons.csv", sweep)?;
    table.row(head(sweep, &["point"], COLUMNS.map(String::from)))?;
    let mut all = Vec::new();
    for (place, measure) in sweep.plan.measures.iter().enumerate() {
        let summaries: Vec<&Summary> = results.summaries.iter().filter_map(|measures| measures.get(place)).collect();
        let compared = compare(sweep, &summaries, measure.take);
        for one in &compared {
            let mut row = table.point(one.point);
            row.extend([measure.name.clone(), (one.reference + 1).to_string()]);
            row.extend([summaries[one.point].n().to_string(), summaries[one.reference].n().to_string()]);
            row.extend([one.pairs.to_string(), cell(one.difference)]);
            row.extend(ends(one.interval));
            row.extend([optional(one.p), optional(one.p_holm), cell(one.a)]);
            table.row(row)?;
        }
        all.push(compared);
    }
    table.finish()?;
    Ok(all)
}
