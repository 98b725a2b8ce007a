//! `check`: reads and validates scenes and plans without running them, apart from one step of scenes with scripts.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use swarmarium_base::files::shown;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::text::wording::count;
use swarmarium_formats::load::{Loaded, Source};
use swarmarium_kinds::controller::script::Script;
use swarmarium_scene::scene::base;
use swarmarium_scene::scene::description::{InitialReadings, Scene};
use swarmarium_scene::scene::scripts::scripts;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::json::{self, Message, messages};
use super::messages::tell_problems;
use super::sweep::plan;
use super::{Common, Exit, load, stdout};

/// Validate scenes, plans of sweeps and files of other programs without running them
///
/// Every file is checked. For a scene with scripts, the first step is run. For each valid file, a line `FILE: ok` goes to
/// stdout, with the base frequency if the scene derives it from its components, and with the scripts that come with the
/// program. All problems go to stderr, and so do warnings of importers and of groups without enough room for all robots.
/// With `--plan`, the plan of the step follows each line of a scene.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  swarmarium check milling milling.sweep
  # Problems and warnings with their lines, for programs
  swarmarium check milling formation --json
  # The kinds that act in a step, in order
  swarmarium check --plan milling
  swarmarium convert milling -o - | swarmarium check -")]
pub struct Args {
    /// Scene files, plans, files of other programs, names of shipped scenes, or - for stdin
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    files: Vec<String>,
    /// Print the plan of the step of each scene: what acts at the start, in order
    #[arg(long)]
    plan: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }
}

/// The results of a check as JSON.
#[derive(Serialize)]
struct Results {
    /// Whether all files are valid.
    ok: bool,
    files: Vec<Checked>,
}

/// A file that was checked.
#[derive(Default, Serialize)]
struct Checked {
    file: String,
    ok: bool,
    /// `scene` or `plan`; `null` for a file that is invalid.
    kind: Option<&'static str>,
    /// The source of the time step, where the scene derives it from its components.
    base: Option<String>,
    /// The scripts that come with the program, as the folder of the scene has no such files.
    shipped_scripts: Vec<String>,
    /// The points and repetitions of a plan.
    points: Option<usize>,
    repetitions: Option<u64>,
    /// The plan of the step, with `--plan`.
    step: Vec<PlanLine>,
    problems: Vec<Message>,
    warnings: Vec<Message>,
}

/// A line of the plan of a step: where in the step, and what acts.
#[derive(Serialize)]
struct PlanLine {
    place: String,
    acts: String,
}

/// Checks all files.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let mut results = Results { ok: true, files: Vec::new() };
    for file in &args.files {
        let name = shown(load::name_of(file));
        match check(file, args.plan, common, recipe) {
            Ok(checked) if args.json => results.files.push(checked),
            // Silence is success. The plan of a step was asked for.
            Ok(checked) if common.quiet && checked.step.is_empty() => {}
            Ok(checked) => writeln!(out, "{name}: ok{}", checked.note())?,
            Err(problems) => {
                tell_problems(&problems);
                results.ok = false;
                let problems = messages(&problems.source_name, &problems.problems);
                results.files.push(Checked { file: load::name_of(file).into(), problems, ..Checked::default() });
            }
        }
    }
    out.flush()?;
    drop(out);
    if args.json {
        json::print_results(if results.ok { "done" } else { "invalid" }, &results)?;
    }
    Ok(if results.ok { Exit::Fine } else { Exit::BadInput })
}

impl Checked {
    /// The text after `ok`.
    fn note(&self) -> String {
        if let Some((points, repetitions)) = self.points.zip(self.repetitions) {
            let repetitions = usize::try_from(repetitions).unwrap_or(usize::MAX);
            return format!("; {} × {}", count(points, "point"), count(repetitions, "repetition"));
        }
        let mut note = self.base.as_ref().map_or_else(String::new, |base| format!("; {base}"));
        for script in &self.shipped_scripts {
            _ = write!(note, "; {script} comes with the program");
        }
        let width = self.step.iter().map(|line| line.place.len()).max().unwrap_or_default();
        for (number, PlanLine { place, acts }) in self.step.iter().enumerate() {
            // Writing to a string cannot fail.
            _ = write!(note, "\n{:4}  {place:width$}  {acts}", number + 1);
        }
        note
    }
}

/// Checks a file.
fn check(file: &str, shows_plan: bool, common: &Common, recipe: &Recipe) -> Result<Checked, Problems> {
    let valid = Checked { file: load::name_of(file).into(), ok: true, ..Checked::default() };
    if let Some(sweep) = plan::named(file, common, recipe)? {
        if shows_plan {
            return Err(Problems::of_file(file.to_owned(), "a sweep has no step of its own; `--plan` takes scenes"));
        }
        let (points, repetitions) = (Some(sweep.points.len()), Some(sweep.repetitions));
        if !common.quiet {
            load::warn(&sweep.plan.scene, sweep.warnings.clone());
            load::warn(load::name_of(file), sweep.plan_warnings.clone());
        }
        let of_plan = messages(load::name_of(file), &sweep.plan_warnings);
        let warnings = [messages(&sweep.plan.scene, &sweep.warnings), of_plan].concat();
        return Ok(Checked { kind: Some("plan"), points, repetitions, warnings, ..valid });
    }
    let Loaded { scene, source, mut warnings, .. } = load::scene(file, common, recipe)?;
    let base = base::fastest(recipe.kinds(), &scene).map(|fastest| fastest.message());
    let locate = |problems| load::locate(file, problems);
    check_buildable(scene.clone(), recipe).map_err(locate)?;
    check_scripts(&scene, recipe).map_err(locate)?;
    warnings.extend(warn_of_start(file, &scene, common, recipe)?);
    let step = if shows_plan { plan_of(&scene, recipe)? } else { Vec::new() };
    let shipped_scripts = shipped_scripts(&scene, &source);
    Ok(Checked {
        kind: Some("scene"),
        base,
        shipped_scripts,
        step,
        warnings: messages(load::name_of(file), &warnings),
        ..valid
    })
}

/// The scripts of a scene in a file that come with the program, each once.
fn shipped_scripts(scene: &Scene, source: &Source) -> Vec<String> {
    let Source::File(path) = source else { return Vec::new() };
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let shipped = scripts(scene).filter(|script| script.is_shipped() && script.is_missing(folder));
    let mut files: Vec<String> = shipped.map(|script| script.file).collect();
    files.sort();
    files.dedup();
    files
}

/// The plan of the step of a scene.
fn plan_of(scene: &Scene, recipe: &Recipe) -> Result<Vec<PlanLine>, Problems> {
    let lines = Simulation::with(scene, recipe, 1)?.plan();
    Ok(lines.iter().map(|line| PlanLine { place: line.place.to_string(), acts: line.to_string() }).collect())
}

/// Warns of values that are mostly mistakes, and of groups whose spawners find no room. Returns the warnings, with their
/// places in the file.
///
/// # Errors
/// If a group without room must have it.
pub(super) fn warn_of_start(
    file: &str,
    scene: &Scene,
    common: &Common,
    recipe: &Recipe,
) -> Result<Vec<Problem>, Problems> {
    let warnings = start_warnings(scene.clone(), recipe).map_err(|problems| load::locate(file, problems))?;
    let warnings = load::located(file, warnings);
    if !common.quiet {
        load::warn(load::name_of(file), warnings.clone());
    }
    Ok(warnings)
}

/// The warnings about the start of a scene.
///
/// # Errors
/// If a group without room must have it.
fn start_warnings(scene: Scene, recipe: &Recipe) -> Result<Vec<Problem>, Problems> {
    // Sensors need not read for that.
    let scene = Scene { initial_readings: InitialReadings::Zero, ..scene };
    let simulation = Simulation::with(&scene, recipe, 1)?;
    Ok([simulation.without_room(), simulation.start_warnings()].concat())
}

/// Checks that scripts do not fail in their first step, such as for a name that does not exist.
///
/// # Errors
/// With the failures.
pub(super) fn check_scripts(scene: &Scene, recipe: &Recipe) -> Result<(), Problems> {
    if !scene.groups.iter().any(|group| group.controller.value().is::<Script>()) {
        return Ok(());
    }
    let mut simulation = Simulation::with(scene, recipe, 1)?;
    simulation.step(1);
    match simulation.failed_scripts() {
        failures if failures.is_empty() => Ok(()),
        problems => Err(Problems { source_name: String::new(), problems }),
    }
}

/// Checks that a simulation can be built from a scene. Spawners need not run for that.
pub(super) fn check_buildable(scene: Scene, recipe: &Recipe) -> Result<(), Problems> {
    Simulation::with(&Scene { spawn_before_first_step: false, ..scene }, recipe, 1).map(drop)
}
