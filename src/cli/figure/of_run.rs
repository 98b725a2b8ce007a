//! The figures of a run folder: its metrics over time.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use swarmarium_base::files::{self, FileError, shown};
use swarmarium_core::metric::Quantity;
use swarmarium_core::text::wording;
use swarmarium_figure::{Axis, Chart, Curves, Figure, Point, Series, Topic, axis_text};
use swarmarium_formats::load::load;
use swarmarium_formats::run_folder::{MANIFEST, RunFolder};
use swarmarium_simulation::simulation::Recipe;

use super::Choice;

/// The table of the metrics.
const TABLE: &str = "metrics.csv";
/// The columns before those of the metrics.
const TIME: [&str; 2] = ["step", "t_s"];

/// The metrics of a run.
pub(super) struct RunFigures {
    folder: PathBuf,
    table: PathBuf,
    /// The columns of the metrics.
    columns: Vec<String>,
    /// The quantities in these columns.
    quantities: Vec<Quantity>,
}

/// A figure of a run: its lines, by name and column.
struct Lines {
    name: String,
    title: String,
    unit: &'static str,
    columns: Vec<(String, usize)>,
    is_part: bool,
}

impl RunFigures {
    /// Reads the head of the table of a run.
    ///
    /// # Errors
    /// When the folder has no such table, or it cannot be read.
    pub fn open(folder: &Path, recipe: &Recipe) -> anyhow::Result<Self> {
        let program = recipe.program_name();
        let table = [folder.join(TABLE), files::partial(&folder.join(TABLE))].into_iter().find(|table| table.exists());
        let table = table.unwrap_or_else(|| folder.join(TABLE));
        let head = reader(&table).and_then(|mut reader| reader.headers().cloned().map_err(Into::into));
        let head = head.map_err(|error| match error.downcast_ref() {
            Some(FileError::Missing) => anyhow!(
                "{0}: has no {TABLE}; `{program} run {0} -o NEW` makes a folder with one, and --at draws the world",
                shown(folder)
            ),
            _ => error.context(shown(&table)),
        })?;
        let mut names = head.iter().map(str::to_owned);
        if !TIME.iter().all(|time| names.next().as_deref() == Some(time)) {
            bail!(
                "{}: expected a table of metrics with the columns {} first, found {}",
                shown(&table),
                TIME.join(" and "),
                head.iter().take(TIME.len()).map(shown).collect::<Vec<_>>().join(" and ")
            );
        }
        let columns: Vec<String> = names.collect();
        Ok(Self { folder: folder.into(), quantities: quantities(folder, recipe, &columns), columns, table })
    }

    /// The figures: the metrics, and the columns of metrics that have several.
    fn all(&self) -> Vec<Lines> {
        let topics = Topic::of_columns(&self.columns, &self.quantities);
        let of_metric = |topic: &Topic| Lines {
            name: match topic.key.split_once('.') {
                // A metric with several units has a topic for each of them, which is named after its first column.
                Some((metric, _)) if topic.parts.len() > 1 => {
                    let ending = wording::UNITS.iter().find(|(_, unit)| *unit == topic.unit);
                    match ending {
                        Some((ending, _)) => format!("{metric}.{}", ending.trim_start_matches('_')),
                        None if topic.unit.is_empty() => metric.to_owned(),
                        None => format!("{metric}.{}", topic.unit.replace(|c: char| !c.is_alphanumeric(), "_")),
                    }
                }
                _ => topic.key.to_owned(),
            },
            title: topic.name.clone(),
            unit: topic.unit,
            columns: topic.parts.clone(),
            is_part: false,
        };
        let mut all: Vec<Lines> = topics.iter().map(of_metric).collect();
        let parts = topics.iter().filter(|topic| topic.parts.len() > 1).flat_map(|topic| &topic.parts);
        all.extend(parts.map(|(_, column)| {
            let (name, quantity) = (self.columns[*column].clone(), &self.quantities[*column]);
            let columns = vec![(String::new(), *column)];
            Lines { name, title: quantity.name.clone(), unit: quantity.unit, columns, is_part: true }
        }));
        all
    }

    pub fn choices(&self) -> Vec<Choice> {
        let choice = |lines: Lines| Choice {
            // A metric with a single column is known by this, too.
            alias: match lines.columns.as_slice() {
                [(_, column)] => self.columns[*column].clone(),
                _ => String::new(),
            },
            name: lines.name,
            title: format!("{} over time", lines.title),
            kind: String::new(),
            is_part: lines.is_part,
        };
        self.all().into_iter().map(choice).collect()
    }

    /// Draws figures over the whole run, or from one time to another.
    ///
    /// # Errors
    /// When the table cannot be read, or has no row in this time.
    pub fn draw(&self, chosen: &[Choice], [from_s, to_s]: [Option<f64>; 2]) -> anyhow::Result<Vec<Figure>> {
        let all = self.all();
        let find = |choice: &Choice| all.iter().find(|lines| lines.name == choice.name);
        let lines: Vec<&Lines> = chosen.iter().filter_map(find).collect();
        let mut points: Vec<Vec<Vec<Point>>> =
            lines.iter().map(|lines| vec![Vec::new(); lines.columns.len()]).collect();
        let [mut whole, mut ends]: [Option<[f64; 2]>; 2] = [None; 2];
        let name = shown(&self.table);
        let mut reader = reader(&self.table).with_context(|| name.clone())?;
        let mut row = csv::StringRecord::new();
        while reader.read_record(&mut row).with_context(|| name.clone())? {
            let number = |place: usize| row.get(place).and_then(|cell| cell.parse::<f64>().ok()).unwrap_or(f64::NAN);
            let t_s = number(1);
            let is_outside = from_s.is_some_and(|from_s| t_s < from_s) || to_s.is_some_and(|to_s| t_s > to_s);
            if !t_s.is_finite() {
                continue;
            }
            whole = Some([whole.map_or(t_s, |[first_s, _]| first_s), t_s]);
            if is_outside {
                continue;
            }
            ends = Some([ends.map_or(t_s, |[first, _]| first), t_s]);
            for (points, lines) in points.iter_mut().zip(&lines) {
                for (points, (_, column)) in points.iter_mut().zip(&lines.columns) {
                    points.push(Point::bare(t_s, number(TIME.len() + column)));
                }
            }
        }
        let Some([first_s, last_s]) = ends else {
            let Some([first_s, last_s]) = whole else { bail!("{name}: has no rows: the run has no steps") };
            let limits = [("--from", from_s), ("--to", to_s)];
            let given = limits.iter().filter_map(|(flag, time_s)| Some(format!("{flag} {} s", (*time_s)?)));
            bail!(
                "{name}: has no row with {}: its rows are from {first_s} s to {last_s} s",
                given.collect::<Vec<_>>().join(" and ")
            );
        };
        // The table begins with the first step; the run begins at 0.
        let range_s = [from_s.unwrap_or(if first_s < 0.05 * last_s { 0.0 } else { first_s }), to_s.unwrap_or(last_s)];
        let caption = self.caption();
        let figure = |(lines, points): (&Lines, Vec<Vec<Point>>)| {
            let series = lines.columns.iter().zip(points);
            let series = series.map(|((label, _), points)| Series { label: label.as_str().into(), points }).collect();
            let y = Axis::linear(axis_text(&lines.title, lines.unit));
            let chart = Chart::Curves(Curves::over_time(y, range_s, series));
            Figure { title: format!("{} over time", lines.title), caption: caption.clone(), chart }
        };
        Ok(lines.into_iter().zip(points).map(figure).collect())
    }

    /// The run in a sentence, as far as its manifest tells it.
    fn caption(&self) -> String {
        let text = files::read_at_most(&self.folder.join(MANIFEST), 1 << 20).unwrap_or_default();
        let manifest: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let name = manifest.get("scene_name").and_then(serde_json::Value::as_str).filter(|name| !name.is_empty());
        let of = name.map(|name| format!(" of the scene {name:?}")).unwrap_or_default();
        let seed = manifest.get("seed").and_then(serde_json::Value::as_u64);
        let seed = seed.map(|seed| format!(" with the seed {seed}")).unwrap_or_default();
        format!("One run{of}{seed}.")
    }
}

/// The quantities in columns: those of the metrics of the run's scene. A column of a metric that this program does not have
/// gets the words of its name.
fn quantities(folder: &Path, recipe: &Recipe, columns: &[String]) -> Vec<Quantity> {
    let scene =
        RunFolder::open(folder).ok().flatten().and_then(|run| load(recipe.kinds(), &run.scene_file(), &[]).ok());
    let known = scene.map(|loaded| recipe.metric_kinds().columns(&loaded.scene.metrics)).unwrap_or_default();
    let of_column = |column: &String| {
        let found = known.iter().find(|(name, _)| name == column);
        found.map_or_else(|| Quantity::of_words(column), |(_, quantity)| quantity.clone())
    };
    columns.iter().map(of_column).collect()
}

fn reader(table: &Path) -> anyhow::Result<csv::Reader<std::fs::File>> {
    Ok(csv::ReaderBuilder::new().from_reader(files::open(table)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe() -> Recipe {
        Recipe::bare().named("near", "1.0.0")
    }

    fn run(folder: &Path) -> RunFigures {
        let table = "step,t_s,circliness,centroid.x_m,centroid.y_m\n1,0.5,,1,2\n2,1,0.5,1.5,2\n3,1.5,0.75,2,2.5\n";
        std::fs::write(folder.join(TABLE), table).unwrap();
        RunFigures::open(folder, &recipe()).unwrap()
    }

    #[test]
    fn a_run_has_a_figure_for_each_metric_and_each_part() {
        let folder = tempfile::tempdir().unwrap();
        let run = run(folder.path());
        let names: Vec<(String, bool)> =
            run.choices().into_iter().map(|choice| (choice.name, choice.is_part)).collect();
        let expected = [("circliness", false), ("centroid", false), ("centroid.x_m", true), ("centroid.y_m", true)];
        assert_eq!(names, expected.map(|(name, is_part)| (name.to_owned(), is_part)));
        let figures = run.draw(&run.choices(), [None, Some(1.0)]).unwrap();
        let Chart::Curves(centroid) = &figures[1].chart else { panic!("another chart") };
        assert_eq!(centroid.y.label, "Centroid (m)");
        assert_eq!(centroid.series.iter().map(|series| series.label.name.as_str()).collect::<Vec<_>>(), ["x", "y"]);
        let points: Vec<(f64, f64)> = centroid.series[0].points.iter().map(|point| (point.x, point.value)).collect();
        assert_eq!(points, [(0.5, 1.0), (1.0, 1.5)]);
        assert_eq!(centroid.x.at_least, Some([0.5, 1.0]));
        let error = run.draw(&run.choices(), [Some(2.0), None]).unwrap_err().to_string();
        assert!(
            error.ends_with("metrics.csv: has no row with --from 2 s: its rows are from 0.5 s to 1.5 s"),
            "{error}"
        );
    }

    #[test]
    fn figures_of_metrics_with_several_units_are_named_after_them() {
        let folder = tempfile::tempdir().unwrap();
        let table = "step,t_s,found.pieces,found.joined_m,found.holes,found.filled_m,a.b_percent,a.c_percent,a.d_m2,a.e_m2\n\
                     1,0.5,1,1,1,1,1,1,1,1\n";
        std::fs::write(folder.path().join(TABLE), table).unwrap();
        let choices = RunFigures::open(folder.path(), &recipe()).unwrap().choices();
        let names: Vec<&str> =
            choices.iter().filter(|choice| !choice.is_part).map(|choice| choice.name.as_str()).collect();
        assert_eq!(names, ["found", "found.m", "a.percent", "a.m2"]);
    }

    #[test]
    fn a_folder_without_a_table_says_what_makes_one() {
        let folder = tempfile::tempdir().unwrap();
        let error = RunFigures::open(folder.path(), &recipe()).err().unwrap().to_string();
        assert!(error.contains("has no metrics.csv; `near run"), "{error}");
        std::fs::write(folder.path().join(TABLE), "a,b\n").unwrap();
        let error = RunFigures::open(folder.path(), &recipe()).err().unwrap().to_string();
        assert!(
            error.ends_with("expected a table of metrics with the columns step and t_s first, found a and b"),
            "{error}"
        );
    }
}
