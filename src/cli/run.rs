//! `run`: headless runs with results in folders.

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::scene::constants;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::simulation::Recipe;

use super::common::{Seconds, Speed, workers};
use super::{Common, Exit, interrupt, load, tell};

mod batch;
mod folder;
mod manifest;
mod many;
mod one;
mod pacer;
mod seeds;
mod table;

pub(super) use folder::Folder;
pub(super) use manifest::safe_stem;
pub(super) use one::{Record, Status, run as once};
pub use seeds::Seeds;

/// Run a scene headless, into a folder with manifest.json, scene.ron (resolved), metrics.csv and what is asked for
///
/// Lasts 60 simulated seconds unless --steps or --duration say otherwise.
/// The folder is runs/NAME-SEED, numbered when it exists.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium run milling --steps 4000 --seed 3
  swarmarium run world.yaml --duration 2m --trace --hash -o out/world
  swarmarium run formation --trace --trace-radio             estimates and packet ages in trace.csv, too
  swarmarium run milling --edits runs/milling-7/edits.ron    the same run again, edits included
  swarmarium run milling --seeds 1..=20                      folders and results.csv in runs/milling-1..=20
  swarmarium run milling --seeds 1..=20 --resume             goes on with it where it was interrupted")]
pub struct Args {
    /// Scene file, file of another program, or name of a shipped scene
    #[arg(value_name = "FILE")]
    file: String,
    /// Number of steps; without it and --duration, what the scene's `stop` says, or 60 s
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    steps: Option<u64>,
    /// Simulated time: seconds, or such as 90s, 2m
    #[arg(long, value_name = "S")]
    duration: Option<Seconds>,
    /// Simulated seconds per second, or max
    #[arg(long, value_name = "X|MAX", default_value = "max")]
    speed: Speed,
    /// Folder to write into; refused if it exists
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace what an earlier run wrote into the folder, and nothing else in it
    #[arg(long)]
    overwrite: bool,
    /// Write trace.csv: pose and readings of every agent at every step, from step 0
    #[arg(long)]
    trace: bool,
    /// Add the estimates of robots and the ages of the packets that their radios hold to trace.csv
    #[arg(long, requires = "trace")]
    trace_radio: bool,
    /// Write hash.csv: the hash of the state at every step, from step 0
    #[arg(long)]
    hash: bool,
    /// Apply a log of edits, such as edits.ron of another run
    #[arg(long, value_name = "FILE")]
    edits: Option<PathBuf>,
    /// Run once for every seed: 3,17,99 or 1..11 (without 11) or 1..=10
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<Seeds>,
    /// Go on with an interrupted batch: the same command with this flag does the runs that are not done
    #[arg(long, requires = "seeds", conflicts_with = "overwrite")]
    resume: bool,
    /// How many runs go on at the same time; as many as there are cores without it
    #[arg(short, long, value_name = "N", value_parser = workers(), requires = "seeds")]
    jobs: Option<usize>,
}

/// The plan of a run, resolved from its arguments.
pub(super) struct Plan<'a> {
    recipe: &'a Recipe,
    command: &'a [String],
    /// The scene.
    pub(super) scene: Scene,
    file: String,
    /// The largest number of steps.
    pub(super) steps: u64,
    speed: Speed,
    tables: Vec<table::Format>,
    edits: Vec<LoggedEdit>,
    /// The file of the edits.
    edits_file: PathBuf,
    /// The folder to write into.
    pub(super) output: Option<PathBuf>,
    /// Whether the files of an earlier run are replaced.
    pub(super) overwrite: bool,
    threads: usize,
    quiet: bool,
}

impl Args {
    /// A file and defaults.
    pub(super) fn of_file(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            steps: None,
            duration: None,
            speed: Speed::Max,
            output: None,
            overwrite: false,
            trace: false,
            trace_radio: false,
            hash: false,
            edits: None,
            seeds: None,
            resume: false,
            jobs: None,
        }
    }

    /// Sets the number of steps or the duration.
    pub(super) fn with_length(self, steps: Option<u64>, duration: Option<Seconds>) -> Self {
        Self { steps, duration, ..self }
    }

    /// Sets the folder.
    pub(super) fn with_output(self, output: Option<PathBuf>, overwrite: bool) -> Self {
        Self { output, overwrite, ..self }
    }

    /// Adds tables.
    pub(super) fn with_tables(self, trace: bool, hash: bool) -> Self {
        Self { trace, hash, ..self }
    }

    /// The largest number of steps: from the arguments, or else from the scene.
    fn steps(&self, scene: &Scene) -> u64 {
        let steps_of = |seconds: f64| (seconds / scene.time.dt_s).round() as u64;
        let requested = self.steps.or(self.duration.map(|Seconds(seconds)| steps_of(seconds)));
        requested.unwrap_or_else(|| scene.stop.most_steps(scene.time.dt_s))
    }

    pub(super) fn resolve<'a>(self, common: &'a Common, recipe: &'a Recipe) -> anyhow::Result<Plan<'a>> {
        let loaded = load::scene(&self.file, common, recipe)?;
        let scene = loaded.scene;
        // A shared scene has its changes with it.
        let edits = self.edits.as_deref().map(load::edits).transpose()?.unwrap_or(loaded.edits);
        let steps = self.steps(&scene);
        let mut tables = vec![table::METRICS];
        let trace = if self.trace_radio { table::TRACE_WITH_RADIO } else { table::TRACE };
        tables.extend(self.trace.then_some(trace));
        tables.extend(self.hash.then_some(table::HASH));
        Ok(Plan {
            recipe,
            command: &common.command,
            scene,
            file: self.file,
            steps,
            speed: self.speed,
            tables,
            edits,
            edits_file: self.edits.unwrap_or_default(),
            output: self.output,
            overwrite: self.overwrite,
            threads: common.threads,
            quiet: common.quiet,
        })
    }
}

/// Runs a scene, once or for many seeds.
pub(super) fn run(mut args: Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let (seeds, jobs, resume) = (args.seeds.take(), common.jobs(args.jobs), args.resume);
    if seeds.is_some() && common.seed.is_some() {
        bail!("--seed and --seeds exclude each other");
    }
    interrupt::watch();
    let plan = args.resolve(common, recipe)?;
    plan.report_late_edits();
    match seeds {
        None => one::run(&plan),
        Some(seeds) => many::run(&plan, &seeds, jobs, resume),
    }
}

impl Plan<'_> {
    /// The scene with a seed. Fields with the value of the same constant get the same value.
    fn scene_of(&self, seed: u64) -> anyhow::Result<Scene> {
        let mut scene = self.scene.clone();
        let set = constants::set(self.recipe.kinds(), &mut scene, "seed", &seed.to_string());
        set.map(|_| scene).map_err(|problem| anyhow!("seed {seed}: {problem}"))
    }

    fn report_late_edits(&self) {
        let late = self.edits.iter().filter(|logged| logged.step > self.steps).count();
        if late > 0 && !self.quiet {
            tell(format_args!("{late} of {} edits come after the last step and are left out", self.edits.len()));
        }
    }
}
