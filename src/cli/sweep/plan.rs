//! The plan of a sweep: from a file, from flags, or from both.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use swarmarium_base::problem::{Problem, Problems, did_you_mean};
use swarmarium_core::expression::arithmetic;
use swarmarium_core::text::outline::outline;
use swarmarium_core::text::wording::count;
use swarmarium_formats::load::{Override, near, with_ending};
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_scene::scene::shipped;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::plan::{
    ENDING, Factor, Folders, MAX_RUNS, Measure, MeasureError, Plan, Sampling, Seeds, Setting, Value, Values,
};
use swarmarium_sweep::run::Runner;
use swarmarium_sweep::source::Source;
use swarmarium_sweep::tables::Cell;
use swarmarium_sweep::{Folder, Run, Sweep, resolved};

use super::super::common::{OneOf, Seconds, any_whole, count as count_of, length, whole};
use super::super::error::ArgumentError;
use super::super::json::{self, Row};
use super::super::progress::duration;
use super::super::run::{self, safe_stem};
use super::super::{Common, Exit, load, stdout};
use super::result::DryRun;

/// The source of a plan in messages, if flags make the plan.
const FLAGS: &str = "command line";
/// The number of points that a description lists.
const LISTED: usize = 20;

/// The plan, and flags that complete it.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Plan, scene, name of a shipped plan or scene, folder of a sweep, or - for a plan from stdin. Without --vary, --repeat
    /// and --seeds, the name of a shipped scene stands for the shipped plan: milling for milling.sweep
    #[arg(value_name = "PLAN", required = true, value_hint = clap::ValueHint::AnyPath)]
    file: Option<String>,
    /// Vary a parameter: path=1,2,3, path=4..=8 (integers), path=0.1..2.0/8 (8 values) or path=log 0.01..10/7; repeatable
    #[arg(long, value_name = "PATH=VALUES", value_parser = factor)]
    vary: Vec<Factor>,
    /// Sampling of the points: grid, zip, latin-hypercube:N, sobol:N or random:N [default: that of the plan, or grid]
    #[arg(long, value_name = "SAMPLING", value_parser = sampling)]
    sampling: Option<Sampling>,
    /// Runs per point; their seeds count up from the seed of the scene or of --seed [default: that of the plan, or 1]
    #[arg(long, value_name = "N", conflicts_with = "seeds", value_parser = repetitions)]
    repeat: Option<u64>,
    /// Seeds of the repetitions: 3,17,99 or 1..=10
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<run::Seeds>,
    /// Measure: final, mean, min, max, median, time until, share or holds, then a metric or an expression; repeatable
    #[arg(long, value_name = "MEASURE", value_parser = measure)]
    measure: Vec<Measure>,
    /// Add a metric to those of the scene, such as 'LargestComponent(range_m: 0.5)', for --measure and --until; repeatable
    #[arg(long, value_name = "METRIC")]
    metric: Vec<String>,
    /// Number of steps of a run
    #[arg(long, value_name = "N", conflicts_with = "duration", value_parser = count_of)]
    steps: Option<u64>,
    /// Simulated time of a run, such as 90, 90s, 2m or 1h
    #[arg(long, value_name = "S", value_parser = length)]
    duration: Option<Seconds>,
    /// End a run as soon as this expression over metrics is true
    #[arg(long, value_name = "CONDITION")]
    until: Option<String>,
    /// Write series.csv, with the metrics at every N-th step
    #[arg(long, value_name = "N", value_parser = any_whole)]
    series: Option<u64>,
    /// Runs that keep a folder each: none, failed, first or all [default: that of the plan, or none]
    #[arg(long, value_name = "RUNS", value_parser = FOLDERS, hide_possible_values = true)]
    keep: Option<Folders>,
}

fn repetitions(text: &str) -> Result<u64, ArgumentError> {
    whole(text, 1..=MAX_RUNS)
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
    let is_quoted = text.contains('"');
    if let Some((first, last)) = text.split_once("..=").filter(|_| !is_quoted) {
        return integers(first, last);
    }
    // The difference of a number and a larger one is rarely the one value that a sweep takes.
    let whole_ends = |(first, last): (&str, &str)| Some((whole_number(first)?, whole_number(last)?));
    if let Some((first, last)) = text.split_once('-').and_then(whole_ends)
        && first < last
    {
        return Err(ArgumentError::RangeMark { mark: '-', first, last });
    }
    let (is_log, range) = text.strip_prefix("log ").map_or((false, text), |rest| (true, rest));
    let ends = range.split_once("..").and_then(|(from, rest)| {
        // Both ends can be arithmetic, which has `/` as well: `0..pi/2/5`.
        let (to, count) = match rest.rsplit_once('/') {
            Some((to, count)) if arithmetic(to).is_some() && !count.trim().is_empty() => (to, Some(count)),
            _ => (rest, None),
        };
        Some((arithmetic(from)?, arithmetic(to)?, count, [from, to]))
    });
    let Some((from, to, count, [first, last])) = ends else {
        let with_colons = range.split(':').map(|end| end.trim().parse::<f64>().ok()).collect::<Option<Vec<_>>>();
        return match with_colons.as_deref() {
            _ if is_log => Err(ArgumentError::Factor),
            Some([first, .., last]) => Err(ArgumentError::RangeMark { mark: ':', first: *first, last: *last }),
            _ => Ok(Values::List(items(text).into_iter().map(value).collect())),
        };
    };
    if is_log && (from <= 0.0 || to <= 0.0) {
        return Err(ArgumentError::LogRange);
    }
    // Some samplings need no number of values; 0 stands for none.
    let count = match count.map(|count| whole(count, 1..=u64::MAX)) {
        None => 0,
        Some(Ok(count)) => count,
        Some(Err(_)) => {
            let log = if is_log { "log " } else { "" };
            return Err(ArgumentError::RangeCount { example: format!("{log}{}..{}/5", first.trim(), last.trim()) });
        }
    };
    Ok(if is_log { Values::LogRange { from, to, count } } else { Values::Range { from, to, count } })
}

/// A number that is written with digits alone.
fn whole_number(text: &str) -> Option<f64> {
    let text = text.trim();
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The integers from a first to a last one, as in `4..=8`.
fn integers(first: &str, last: &str) -> Result<Values, ArgumentError> {
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| ArgumentError::IntegerRange);
    let (first, last) = (number(first)?, number(last)?);
    match last.abs_diff(first) {
        _ if first > last => Err(ArgumentError::IntegerRange),
        difference if difference >= MAX_RUNS => Err(ArgumentError::ManyIntegers { most: MAX_RUNS }),
        _ => Ok(Values::List((first..=last).map(|number| Value::new(number.to_string())).collect())),
    }
}

/// A value of a list. Arithmetic becomes its number, as it is not a value of a scene file.
fn value(text: &str) -> Value {
    let is_number = text.parse::<f64>().is_ok();
    arithmetic(text).filter(|_| !is_number).map_or_else(|| Value::new(text), Value::from)
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

/// The choices of runs by their names.
const FOLDERS: OneOf<Folders> =
    OneOf(&[("none", Folders::None), ("failed", Folders::Failed), ("first", Folders::First), ("all", Folders::All)]);

/// Whether a file, or the shipped file of a name, is a plan.
///
/// # Errors
/// When the file cannot be read.
pub(in crate::cli) fn is_plan(file: &str) -> Result<bool, Problems> {
    find(file).map(|source| source.is_some())
}

/// The text of a shipped plan, for a copy of it in any folder: its scene has its whole name. `None` for other files.
///
/// # Errors
/// When the file cannot be read.
pub(in crate::cli) fn text_of_shipped(file: &str) -> Result<Option<String>, Problems> {
    let Some(source) = find(file)?.filter(|source| source.is_shipped) else { return Ok(None) };
    Ok(Some(match source.name.rsplit_once('/') {
        Some((folder, _)) => source.text.replacen("scene: \"", &format!("scene: \"{folder}/"), 1),
        None => source.text,
    }))
}

/// The plan of a name, as [`Source::find`] gives it, or that on stdin.
fn find(file: &str) -> Result<Option<Source>, Problems> {
    if !load::is_stdin(file) {
        return Source::find(file);
    }
    let text = load::stdin_text()?;
    let is_plan = outline(text).is_ok_and(|node| node.name() == Some("Plan"));
    Ok(is_plan.then(|| Source { name: load::STDIN.into(), text: text.into(), is_shipped: false }))
}

/// The sweep of a plan by its name; `None` for a scene.
///
/// # Errors
/// All problems of the plan and its scene.
pub(in crate::cli) fn named(file: &str, common: &Common, recipe: &Recipe) -> Result<Option<Sweep>, Problems> {
    let Some(source) = find(file)? else { return Ok(None) };
    let mut plan = resolved::read(recipe, source.text())?;
    let own = Own::of(&plan);
    set_common(&mut plan, common)?;
    let sweep = source.complete(recipe, plan, &common.import_options());
    sweep.map(Some).map_err(|problems| own.of_flags(problems, &[]))
}

/// The numbers of factors, measures and settings that a plan has before flags add theirs.
struct Own {
    factors: usize,
    measures: usize,
    set: usize,
}

impl Own {
    fn of(plan: &Plan) -> Self {
        Self { factors: plan.factors.len(), measures: plan.measures.len(), set: plan.set.len() }
    }

    /// Problems with the parts of a plan that flags made, under the names of the flags.
    fn of_flags(&self, mut problems: Problems, vary: &[Factor]) -> Problems {
        let flag_of = |path: &str| {
            let at = |list: &str, own: usize| {
                let (index, rest) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
                Some((index.parse::<usize>().ok()?.checked_sub(own)?, rest))
            };
            if let Some((place, rest)) = at("factors", self.factors) {
                let factor = vary.get(place).filter(|_| rest.starts_with(".values"));
                return Some(("--vary", factor.map_or("", |factor| factor.path.as_str())));
            }
            let measure = at("measures", self.measures).map(|_| ("--measure", ""));
            measure.or_else(|| at("set", self.set).map(|_| ("--set", "")))
        };
        let flags: Vec<_> = problems.problems.iter().map(|problem| flag_of(&problem.path)).collect();
        if flags.iter().all(Option::is_some) {
            problems.source_name = String::new();
        }
        for (problem, flag) in problems.problems.iter_mut().zip(flags) {
            if let Some((flag, parameter)) = flag {
                // The message may name the parameter, too.
                let message = problem.message.replacen(&format!(": {parameter}: "), ": ", 1);
                let path = if parameter.is_empty() { flag.to_owned() } else { format!("{flag}: {parameter}") };
                *problem = Problem { place: None, path, message, ..std::mem::take(problem) };
            }
        }
        problems
    }
}

/// Puts the values of `--seed` and `--set` into a plan.
///
/// # Errors
/// When the seed has no effect.
fn set_common(plan: &mut Plan, common: &Common) -> Result<(), Problems> {
    let draws =
        matches!(plan.sampling, Sampling::LatinHypercube { .. } | Sampling::Sobol { .. } | Sampling::Random { .. });
    if common.seed.is_some() && matches!(plan.seeds, Seeds::List(_)) && !draws {
        return Err(Problems::of_file("--seed", "has no effect: the plan lists its seeds; --seeds replaces them"));
    }
    plan.seed = common.seed.or(plan.seed);
    let varied = common.overrides.iter().find(|one| plan.factors.iter().any(|factor| factor.path == one.path));
    if let Some(one) = varied {
        return Err(Problems::of_file("--set", format!("{}: the plan varies it", one.path)));
    }
    let setting = |one: &Override| Setting { path: one.path.clone(), value: Value::new(one.value.clone()) };
    plan.set.extend(common.overrides.iter().map(setting));
    Ok(())
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
        let (mut plan, source) = match self.source(&file)? {
            Some(source) => (resolved::read(recipe, source.text())?, source),
            // The flags make the plan: problems have no place in a text.
            None => {
                self.check_scene(&file)?;
                let plan = Plan { scene: file.clone(), ..Plan::default() };
                (plan, Source { name: FLAGS.into(), ..Source::default() })
            }
        };
        let own = Own::of(&plan);
        self.complete(&mut plan, common)?;
        for text in &self.metric {
            plan.metrics.push(load::metric(text, recipe.kinds())?);
        }
        let sweep = source.complete(recipe, plan, &common.import_options());
        let mut sweep =
            sweep.map_err(|problems| own.of_flags(load::of_flags(problems, self.until.is_some()), &self.vary))?;
        let warnings = Problems { source_name: String::new(), problems: std::mem::take(&mut sweep.plan_warnings) };
        sweep.plan_warnings = own.of_flags(warnings, &self.vary).problems;
        Ok(sweep)
    }

    /// The plan of a name; `None` for a scene that flags make a sweep of. Without such flags, the name stands for the
    /// shipped plan: `papers/vicsek` for `papers/vicsek.sweep`.
    fn source(&self, file: &str) -> Result<Option<Source>, Problems> {
        let is_scene = self.makes_sweep() && shipped::get(file).is_some();
        match find(file)? {
            None if load::is_stdin(file) => {
                Err(Problems::of_file(load::STDIN, "is not a plan: a sweep of a scene needs its file"))
            }
            None if !is_scene && !Path::new(file).exists() => Source::find(&format!("{file}.sweep")),
            found => Ok(found),
        }
    }

    /// The shipped plan whose name was given without its ending, if a shipped scene has the short name, too.
    pub(super) fn plan_of_short_name<'s>(&self, sweep: &'s Sweep) -> Option<&'s str> {
        let name = sweep.source_name.trim_end_matches(".ron");
        let is_short = |file: &str| name.strip_suffix(".sweep") == Some(file) && shipped::get(file).is_some();
        self.file.as_deref().is_some_and(is_short).then_some(name)
    }

    /// Whether flags make a sweep of a scene.
    fn makes_sweep(&self) -> bool {
        !self.vary.is_empty() || self.repeat.is_some() || self.seeds.is_some()
    }

    /// Refuses a name that is neither a plan nor a scene, and a scene without flags that make a sweep of it.
    fn check_scene(&self, file: &str) -> Result<(), Problems> {
        let path = Path::new(file);
        let plans = || shipped::plans().map(|(name, _)| format!("{name}.sweep"));
        if shipped::get(file).is_none() && !path.exists() {
            let known: Vec<String> = plans().chain(shipped::all().map(|(name, _)| name.to_owned())).collect();
            let plan_or_scene = with_ending(&format!("{file}.sweep")).or_else(|| with_ending(file));
            let hint = match (plan_or_scene, did_you_mean(file, known.iter().map(String::as_str))) {
                (Some(file), _) => format!("; did you mean `{file}`?"),
                (None, hint) if hint.is_empty() => near(file),
                (None, hint) => hint,
            };
            return Err(Problems::of_file(
                file,
                format!("there is no such file, and no shipped plan or scene of this name{hint}"),
            ));
        }
        if let Some(kind) = FolderKind::from_path(path).filter(|_| shipped::get(file).is_none()) {
            return Err(Problems::of_file(file, kind.refusal(path)));
        }
        if path.is_dir() && shipped::get(file).is_none() {
            return Err(Problems::of_file(file, "is a folder, but neither a sweep folder nor a run folder".to_owned()));
        }
        if self.makes_sweep() {
            return Ok(());
        }
        Err(Problems::of_file(file, "is a scene: --vary, --repeat or --seeds make a sweep of it".to_owned()))
    }

    /// Refuses ranges without their number of values, if the sampling needs it.
    fn check_counts(&self, sampling: &Sampling) -> Result<(), Problems> {
        let needs_counts = matches!(sampling, Sampling::Grid | Sampling::Zip);
        let problems: Vec<Problem> = self
            .vary
            .iter()
            .filter(|_| needs_counts)
            .filter_map(|factor| {
                let (log, [from, to]) = match factor.values {
                    Values::Range { from, to, count: 0 } => ("", [from, to]),
                    Values::LogRange { from, to, count: 0 } => ("log ", [from, to]),
                    _ => return None,
                };
                let message =
                    format!("a range needs its number of values: --vary '{}={log}{from}..{to}/5' has 5", factor.path);
                Some(Problem { path: factor.path.clone(), ..Problem::of_file(message) })
            })
            .collect();
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Problems { source_name: "--vary".into(), problems }),
        }
    }

    /// Puts the flags into the plan.
    fn complete(&self, plan: &mut Plan, common: &Common) -> Result<(), Problems> {
        if let Some(factor) = self.vary.iter().find(|factor| common.overrides.iter().any(|one| one.path == factor.path))
        {
            let message = format!("{}: --set sets it as well; leave one of them out", factor.path);
            return Err(Problems::of_file("--vary", message));
        }
        plan.factors.extend(self.vary.iter().cloned());
        plan.measures.extend(self.measure.iter().cloned());
        plan.sampling = self.sampling.clone().unwrap_or_else(|| plan.sampling.clone());
        plan.repetitions = self.repeat.unwrap_or(plan.repetitions);
        self.check_counts(&plan.sampling)?;
        if let Some(seeds) = &self.seeds {
            (plan.seeds, plan.repetitions) = (Seeds::List(seeds.iter().collect()), seeds.count());
        }
        if self.seeds.is_some() && common.seed.is_some() {
            return Err(Problems::of_file(FLAGS, "--seed and --seeds exclude each other"));
        }
        set_common(plan, common)?;
        if self.steps.is_some() || self.duration.is_some() {
            plan.stop.steps = self.steps.unwrap_or_default();
            plan.stop.time_s = self.duration.map_or(0.0, |Seconds(seconds)| seconds);
        }
        if let Some(until) = &self.until {
            load::check_condition(until, common)?;
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

/// The file of a plan, for messages; empty for one that flags make.
pub(super) fn source_of(sweep: &Sweep) -> &str {
    if sweep.source_name == FLAGS { "" } else { &sweep.source_name }
}

/// Prints the points, the number of runs and an estimate of the time.
pub(super) fn describe(sweep: &Sweep, jobs: usize, threads: usize, is_json: bool) -> anyhow::Result<Exit> {
    let run_s = run_s(sweep, threads);
    let estimated_s = run_s.map(|run_s| run_s * sweep.run_count() as f64 / jobs as f64);
    if is_json {
        let row = |values: &Vec<Value>| {
            let cell =
                |(place, value): (usize, &Value)| (sweep.factors[place].label.clone(), Cell::Value(value.clone()));
            Row(values.iter().enumerate().map(cell).collect())
        };
        json::print_results(
            "planned",
            &DryRun {
                points: sweep.points.len(),
                repetitions: sweep.repetitions,
                runs: sweep.run_count(),
                measures: sweep.plan.measures.iter().map(|measure| measure.name.clone()).collect(),
                values: sweep.points.iter().map(row).collect(),
                estimated_s,
                jobs,
            },
        )?;
        return Ok(Exit::Fine);
    }
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
    _ = match (run_s, estimated_s) {
        (Some(run_s), Some(estimated_s)) => writeln!(
            text,
            "estimated time: {} with {}, {:.1} ms a run",
            duration(estimated_s),
            count(jobs, "job"),
            run_s * 1e3
        ),
        _ => writeln!(text, "a run takes longer than {} s: there is no estimate of the time", PATIENCE.as_secs()),
    };
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Fine)
}

/// The longest time for an estimate.
const PATIENCE: Duration = Duration::from_secs(3);

/// The duration of a run in seconds, from runs of some points; `None` if a run takes too long.
fn run_s(sweep: &Sweep, threads: usize) -> Option<f64> {
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
    (runs > 0).then(|| done_s / f64::from(runs))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

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
        assert_eq!(texts("a=\"1..=3\",\"u\""), ["\"1..=3\"", "\"u\""]);
        assert!(factor("a=4-8").unwrap_err().to_string().contains("4..=8"));
        assert_eq!(factor("a=0.1..2.0/8").unwrap().values, Values::Range { from: 0.1, to: 2.0, count: 8 });
        assert_eq!(factor("a=log 1e-3..10/5").unwrap().values, Values::LogRange { from: 1e-3, to: 10.0, count: 5 });
        assert_eq!(factor("a=-1..1").unwrap().values, Values::Range { from: -1.0, to: 1.0, count: 0 });
        assert_eq!(factor("a=-pi..2 * pi/5").unwrap().values, Values::Range { from: -PI, to: 2.0 * PI, count: 5 });
        assert_eq!(texts("a=pi/6,1 / 4,\"1/4\",Box(1/4)"), ["0.5235987755982988", "0.25", "\"1/4\"", "\"Box(1/4)\""]);
        let told = factor("a=4..8/x").unwrap_err().to_string();
        assert_eq!(told, "expected a whole number of values after `/`, such as 4..8/5");
        for bad in ["", "a", "a=", "=1", "a=log 0..1/3", "a=log 1,2", "a=1..2/0", "a=1..2/1e1"] {
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
