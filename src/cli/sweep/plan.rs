//! The plan of a sweep: from a file, from flags, or from both.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use swarmarium_base::problem::{Problem, Problems, did_you_mean};
use swarmarium_core::scene::shipped;
use swarmarium_core::simulation::Recipe;
use swarmarium_core::text::wording::count;
use swarmarium_sweep::plan::{
    Factor, Folders, MAX_RUNS, Measure, MeasureError, Plan, Sampling, Seeds, Setting, Value, Values,
};
use swarmarium_sweep::run::Runner;
use swarmarium_sweep::source::{ENDING, Source};
use swarmarium_sweep::{Folder, Run, Sweep, resolved};

use super::super::common::Seconds;
use super::super::error::ArgumentError;
use super::super::progress::duration;
use super::super::run::{self, safe_stem};
use super::super::{Common, Exit, stdout};

/// The source of a plan in messages, if flags make the plan.
const FLAGS: &str = "command line";
/// The number of points that a description lists.
const LISTED: usize = 20;

/// The plan, and flags that complete it.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Plan, scene, name of a shipped plan or scene, or folder of a sweep
    #[arg(value_name = "PLAN", required = true)]
    file: Option<String>,
    /// Vary a parameter: path=1,2,3, path=0.1..2.0/8 (8 values) or path=log 0.01..10/7; repeatable
    #[arg(long, value_name = "PATH=VALUES", value_parser = factor)]
    vary: Vec<Factor>,
    /// Sampling of the points: grid, zip, latin-hypercube:N, sobol:N or random:N
    #[arg(long, value_name = "SAMPLING", value_parser = sampling)]
    sampling: Option<Sampling>,
    /// Runs per point; their seeds count up from the seed of the scene or of --seed
    #[arg(long, value_name = "N", conflicts_with = "seeds", value_parser = clap::value_parser!(u64).range(1..=MAX_RUNS))]
    repeat: Option<u64>,
    /// Seeds of the repetitions: 3,17,99 or 1..=10
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<run::Seeds>,
    /// Measure: final, mean, min, max, median, time until, share or holds, then a metric or an expression; repeatable
    #[arg(long, value_name = "MEASURE", value_parser = measure)]
    measure: Vec<Measure>,
    /// Number of steps of a run
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    steps: Option<u64>,
    /// Simulated time of a run, such as 90, 90s or 2m
    #[arg(long, value_name = "S")]
    duration: Option<Seconds>,
    /// End a run as soon as this expression over metrics is true
    #[arg(long, value_name = "CONDITION")]
    until: Option<String>,
    /// Write series.csv, with the metrics at every N-th step
    #[arg(long, value_name = "N")]
    series: Option<u64>,
    /// Runs that keep a folder each: none, failed, first or all
    #[arg(long, value_name = "RUNS", value_parser = folders)]
    keep: Option<Folders>,
}

fn factor(text: &str) -> Result<Factor, ArgumentError> {
    let (path, values) = text.split_once('=').ok_or(ArgumentError::Factor)?;
    let (path, values) = (path.trim(), values.trim());
    if path.is_empty() || values.is_empty() {
        return Err(ArgumentError::Factor);
    }
    Ok(Factor { path: path.into(), values: values_of(values)?, ..Factor::default() })
}

fn values_of(text: &str) -> Result<Values, ArgumentError> {
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let (is_log, range) = text.strip_prefix("log ").map_or((false, text), |rest| (true, rest));
    let ends = range.split_once("..").and_then(|(from, rest)| {
        let (to, count) = rest.split_once('/').unwrap_or((rest, "0"));
        Some((number(from)?, number(to)?, count.trim().parse::<u64>().ok()?))
    });
    match ends {
        Some((from, to, _)) if is_log && (from <= 0.0 || to <= 0.0) => Err(ArgumentError::Factor),
        Some((from, to, count)) if is_log => Ok(Values::LogRange { from, to, count }),
        Some((from, to, count)) => Ok(Values::Range { from, to, count }),
        None if is_log => Err(ArgumentError::Factor),
        None => Ok(Values::List(items(text).into_iter().map(Value::new).collect())),
    }
}

/// The parts between commas outside brackets and quotes.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut is_quoted, mut start) = (0_i32, false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' | '[' if !is_quoted => depth += 1,
            ')' | ']' if !is_quoted => depth -= 1,
            ',' if depth <= 0 && !is_quoted => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn sampling(text: &str) -> Result<Sampling, ArgumentError> {
    let (name, points) = text.split_once(':').map_or((text, None), |(name, points)| (name, points.parse().ok()));
    match (name, points) {
        ("grid", None) => Ok(Sampling::Grid),
        ("zip", None) => Ok(Sampling::Zip),
        ("latin-hypercube", Some(points)) if points > 0 => Ok(Sampling::LatinHypercube { points }),
        ("sobol", Some(points)) if points > 0 => Ok(Sampling::Sobol { points }),
        ("random", Some(points)) if points > 0 => Ok(Sampling::Random { points }),
        _ => Err(ArgumentError::Sampling),
    }
}

fn measure(text: &str) -> Result<Measure, MeasureError> {
    text.parse()
}

fn folders(text: &str) -> Result<Folders, ArgumentError> {
    match text {
        "none" => Ok(Folders::None),
        "failed" => Ok(Folders::Failed),
        "first" => Ok(Folders::First),
        "all" => Ok(Folders::All),
        _ => Err(ArgumentError::Folders),
    }
}

/// Whether a file, or the shipped file of a name, is a plan.
///
/// # Errors
/// When the file cannot be read.
pub(in crate::cli) fn is_plan(file: &str) -> Result<bool, Problems> {
    Source::find(file).map(|source| source.is_some())
}

/// The sweep of a plan by its name; `None` for a scene.
///
/// # Errors
/// All problems of the plan and its scene.
pub(in crate::cli) fn named(file: &str, common: &Common, recipe: &Recipe) -> Result<Option<Sweep>, Problems> {
    let Some(source) = Source::find(file)? else { return Ok(None) };
    source.resolve(recipe, &common.import_options()).map(Some)
}

impl Args {
    /// The folder of a sweep, if it stands in place of a plan.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let is_folder = |file: &&str| Folder::is_at(Path::new(file)) && shipped::get(file).is_none();
        self.file.as_deref().filter(is_folder).map(PathBuf::from)
    }

    /// The plan, resolved.
    ///
    /// # Errors
    /// All problems of the plan, its scene and its flags.
    pub(super) fn resolve(&self, common: &Common, recipe: &Recipe) -> Result<Sweep, Problems> {
        let file = self.file.clone().unwrap_or_default();
        let (mut plan, source) = match Source::find(&file)? {
            Some(source) => (resolved::read(recipe, source.text())?, source),
            // The flags make the plan: problems have no place in a text.
            None => {
                self.check_scene(&file)?;
                let plan = Plan { scene: file.clone(), ..Plan::default() };
                (plan, Source { name: FLAGS.into(), text: String::new() })
            }
        };
        self.complete(&mut plan, common)?;
        Sweep::resolve(recipe, plan, source.text(), &common.import_options())
    }

    /// Refuses a name that is neither a plan nor a scene, and a scene without flags that make a sweep of it.
    fn check_scene(&self, file: &str) -> Result<(), Problems> {
        let path = Path::new(file);
        let plans = || shipped::plans().map(|(name, _)| format!("{name}.sweep"));
        if shipped::get(file).is_none() && !path.exists() {
            let known: Vec<String> = plans().chain(shipped::all().map(|(name, _)| name.to_owned())).collect();
            let hint = did_you_mean(file, known.iter().map(String::as_str));
            return Err(Problems::of_file(
                file,
                format!("there is no such file, and no shipped plan or scene of this name{hint}"),
            ));
        }
        if self.vary.is_empty() && self.repeat.is_none() && self.seeds.is_none() {
            let plan = plans().find(|plan| plan.strip_suffix(".sweep") == Some(file));
            let plan = plan.map(|plan| format!("; the shipped plan is called `{plan}`")).unwrap_or_default();
            return Err(Problems::of_file(
                file,
                format!("is a scene: --vary, --repeat or --seeds make a sweep of it{plan}"),
            ));
        }
        Ok(())
    }

    /// Puts the flags into the plan.
    fn complete(&self, plan: &mut Plan, common: &Common) -> Result<(), Problems> {
        plan.factors.extend(self.vary.iter().cloned());
        plan.measures.extend(self.measure.iter().cloned());
        plan.sampling = self.sampling.clone().unwrap_or_else(|| plan.sampling.clone());
        plan.repetitions = self.repeat.unwrap_or(plan.repetitions);
        if let Some(seeds) = &self.seeds {
            (plan.seeds, plan.repetitions) = (Seeds::List(seeds.iter().collect()), seeds.count());
        }
        if self.seeds.is_some() && common.seed.is_some() {
            return Err(Problems::of_file(FLAGS, "--seed and --seeds exclude each other"));
        }
        plan.seed = common.seed.or(plan.seed);
        let setting = |one: &swarmarium_formats::load::Override| Setting {
            path: one.path.clone(),
            value: Value::new(one.value.clone()),
        };
        plan.set.extend(common.overrides.iter().map(setting));
        if self.steps.is_some() || self.duration.is_some() {
            plan.stop.steps = self.steps.unwrap_or_default();
            plan.stop.time_s = self.duration.map_or(0.0, |Seconds(seconds)| seconds);
        }
        if self.steps == Some(0) || self.duration.is_some_and(|Seconds(seconds)| seconds <= 0.0) {
            let problem = Problem::of_file("a run has at least one step");
            return Err(Problems { source_name: "--steps".into(), problems: vec![problem] });
        }
        if let Some(until) = &self.until {
            plan.stop.when.clone_from(until);
        }
        plan.keep.series_every_steps = self.series.unwrap_or(plan.keep.series_every_steps);
        plan.keep.folders = self.keep.unwrap_or(plan.keep.folders);
        Ok(())
    }
}

/// The name of the folder of a sweep.
pub(super) fn folder_name(sweep: &Sweep) -> String {
    let file = if sweep.source_name == FLAGS { &sweep.plan.scene } else { &sweep.source_name };
    safe_stem(file.strip_suffix(ENDING).unwrap_or(file))
}

/// Prints the points, the number of runs and an estimate of the time.
pub(super) fn describe(sweep: &Sweep, jobs: usize, threads: usize) -> anyhow::Result<Exit> {
    let mut text = String::new();
    let (points, repetitions) = (sweep.points.len(), sweep.repetitions);
    let runs = count(usize::try_from(sweep.run_count()).unwrap_or(usize::MAX), "run");
    _ = writeln!(text, "{} × {} = {runs}", count(points, "point"), count(repetitions as usize, "repetition"));
    for measure in &sweep.plan.measures {
        _ = writeln!(text, "measure {}: {measure}", measure.name);
    }
    for (point, values) in sweep.points.iter().enumerate().take(LISTED) {
        let values = sweep.factors.iter().zip(values).map(|(factor, value)| format!("{}={value}", factor.path));
        _ = writeln!(text, "point {}: {}", point + 1, values.collect::<Vec<_>>().join(" "));
    }
    if points > LISTED {
        _ = writeln!(text, "… and {} more points", points - LISTED);
    }
    _ = writeln!(text, "{}", estimate(sweep, jobs, threads));
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Fine)
}

/// An estimate from runs of some points, which takes a few seconds at most.
fn estimate(sweep: &Sweep, jobs: usize, threads: usize) -> String {
    const PATIENCE: Duration = Duration::from_secs(3);
    let started = Instant::now();
    let is_stopped = || started.elapsed() > PATIENCE;
    let mut runner = Runner::new(sweep, threads, &is_stopped);
    let last = sweep.points.len() - 1;
    let (mut runs, mut done_s) = (0, 0.0);
    // The first point, the last one and one between them: their runs may take unequal times.
    for point in [0, last, last / 2] {
        if runner.run(Run { point, repetition: 0 }).is_none() {
            break;
        }
        (runs, done_s) = (runs + 1, started.elapsed().as_secs_f64());
    }
    if runs == 0 {
        return format!("a run takes longer than {} s: there is no estimate of the time", PATIENCE.as_secs());
    }
    let run_s = done_s / f64::from(runs);
    let total_s = run_s * sweep.run_count() as f64 / jobs as f64;
    format!("estimated time: {} with {}, {:.1} ms a run", duration(total_s), count(jobs, "job"), run_s * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        match factor(text).unwrap().values {
            Values::List(values) => values.iter().map(|value| value.text().to_owned()).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn factors_of_the_command_line_are_lists_and_ranges() {
        assert_eq!(texts("a.b=1, 2,3"), ["1", "2", "3"]);
        assert_eq!(texts("a=Disc(radius_m: 0.1),Polygon([(0, 0), (1, 0)])").len(), 2);
        assert_eq!(texts("a=\"x,y\",z"), ["\"x,y\"", "z"]);
        assert_eq!(factor("a=0.1..2.0/8").unwrap().values, Values::Range { from: 0.1, to: 2.0, count: 8 });
        assert_eq!(factor("a=log 1e-3..10/5").unwrap().values, Values::LogRange { from: 1e-3, to: 10.0, count: 5 });
        assert_eq!(factor("a=-1..1").unwrap().values, Values::Range { from: -1.0, to: 1.0, count: 0 });
        for bad in ["", "a", "a=", "=1", "a=log 0..1/3", "a=log 1,2"] {
            assert!(factor(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn samplings_have_names_and_numbers_of_points() {
        assert_eq!(sampling("zip"), Ok(Sampling::Zip));
        assert_eq!(sampling("sobol:64"), Ok(Sampling::Sobol { points: 64 }));
        for bad in ["", "sobol", "sobol:0", "grid:3", "random:x", "halton:3"] {
            assert_eq!(sampling(bad), Err(ArgumentError::Sampling), "{bad}");
        }
    }
}
