//! `check`: reads and validates scenes and plans without running them.

use std::fmt::Write as _;
use std::io::Write as _;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::text::wording::count;
use swarmarium_formats::load::locate_problems;
use swarmarium_scene::scene::base;
use swarmarium_scene::scene::description::{InitialReadings, Scene};
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::sweep::plan;
use super::{Common, Exit, load, stdout, tell};

/// Validate scenes, plans of sweeps and files of other programs without running them
///
/// Every file is checked. For each valid file, a line `FILE: ok` goes to stdout, with the base frequency if the scene
/// derives it from its components. All problems go to stderr, and so do warnings of importers and of groups without
/// enough room for all robots. With `--plan`, the plan of the step follows each line of a scene.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium check scenes/*.ron
  swarmarium check --plan milling        the kinds that act in a step, in order")]
pub struct Args {
    /// Scene files, plans, files of other programs, or names of shipped scenes
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Print the plan of the step of each scene: what acts at the start, in order
    #[arg(long)]
    plan: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }
}

/// Checks all files.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let mut exit = Exit::Fine;
    for file in &args.files {
        match check(file, args.plan, common, recipe) {
            Ok(note) => writeln!(out, "{file}: ok{note}")?,
            Err(problems) => {
                tell(problems);
                exit = Exit::BadInput;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Checks a file, and returns the text after `ok`.
fn check(file: &str, shows_plan: bool, common: &Common, recipe: &Recipe) -> Result<String, Problems> {
    if let Some(sweep) = plan::named(file, common, recipe)? {
        if shows_plan {
            return Err(Problems::of_file(file.to_owned(), "a sweep has no step of its own; `--plan` takes scenes"));
        }
        let repetitions = usize::try_from(sweep.repetitions).unwrap_or(usize::MAX);
        return Ok(format!("; {} × {}", count(sweep.points.len(), "point"), count(repetitions, "repetition")));
    }
    let scene = load::scene(file, common, recipe)?.scene;
    let mut note =
        base::fastest(recipe.kinds(), &scene).map_or_else(String::new, |fastest| format!("; {}", fastest.message()));
    check_buildable(scene.clone(), recipe).map_err(|problems| locate_problems(file, problems))?;
    let without_room = without_room(scene.clone(), recipe).map_err(|problems| locate_problems(file, problems))?;
    if shows_plan {
        note.push_str(&plan_of(&scene, recipe)?);
    }
    if !common.quiet {
        load::warn_of_simulation(file, without_room);
    }
    Ok(note)
}

/// The plan of the step of a scene, as lines with numbers and places.
fn plan_of(scene: &Scene, recipe: &Recipe) -> Result<String, Problems> {
    let lines = Simulation::with(scene, recipe, 1)?.plan();
    let width = lines.iter().map(|line| line.place.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        // Writing to a string cannot fail.
        _ = write!(text, "\n{:4}  {:width$}  {line}", number + 1, line.place);
    }
    Ok(text)
}

/// The groups whose spawners find no room for all robots or objects at the start.
///
/// # Errors
/// If a group without room must have it.
fn without_room(scene: Scene, recipe: &Recipe) -> Result<Vec<Problem>, Problems> {
    let avoids = scene.groups.iter().any(|group| group.spawned() > 0 && group.spawn.common().avoid_overlap);
    if !avoids && scene.object_groups.is_empty() {
        return Ok(Vec::new());
    }
    // Sensors need not read for that.
    let scene = Scene { initial_readings: InitialReadings::Zero, ..scene };
    Simulation::with(&scene, recipe, 1).map(|simulation| simulation.without_room())
}

/// Checks that a simulation can be built from a scene. Spawners need not run for that.
pub(super) fn check_buildable(scene: Scene, recipe: &Recipe) -> Result<(), Problems> {
    Simulation::with(&Scene { spawn_before_first_step: false, ..scene }, recipe, 1).map(drop)
}
