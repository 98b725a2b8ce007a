//! `run`: headless runs with results in folders.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{anyhow, bail, ensure};
use swarmarium_base::files::shown;
use swarmarium_formats::load::{KnownEnd, Loaded, Override};
use swarmarium_formats::run_folder::{At, RunFolder, read_edits};
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::simulation::Recipe;

use super::common::{Seconds, Speed, count, length, workers};
use super::messages::{part_of, tell_warning};
use super::moment::{continued, drop_later_edits};
use super::run_log::{LogArguments, LogPlan};
use super::{Common, Exit, hex, interrupt, load, tell};

mod batch;
mod folder;
mod manifest;
mod many;
mod one;
mod pacer;
mod record;
mod result;
mod seeds;
mod table;

pub(super) use folder::{Folder, check_is_folder_name};
pub(super) use manifest::safe_stem;
pub(super) use one::{End, Status, run as once};
pub(super) use record::{Record, SharedRecord};
pub use seeds::Seeds;

/// Run a scene headless, and write the results to a folder
///
/// The folder contains manifest.json, scene.ron (resolved), metrics.csv and the requested tables. Without --output it is
/// runs/NAME-SEED, with a number if that exists.
/// A run lasts 60 simulated seconds unless --steps, --duration or the scene sets another length.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  swarmarium run milling --steps 4000 --seed 3
  swarmarium run milling --duration 2m --trace --hash -o out/milling
  # Stop at the first step with circliness above 0.9
  swarmarium run milling --until 'circliness > 0.9'
  # Folders and results.csv in runs/milling-seeds-1-20
  swarmarium run milling --seeds 1..=20
  # Continue an interrupted batch
  swarmarium run milling --seeds 1..=20 --resume
  # A run for the next examples
  swarmarium run milling -o first
  # Go on from step 1,400 of it, or from there with another value
  swarmarium run first --at 1400 --steps 100
  swarmarium run first --at 1400 -o changed \\
      --set groups.millers.controller.detected.turn_rad_per_s=0.9
  # The changed run from the start, edits included
  swarmarium run milling --edits changed/edits.ron
  # Estimates and packets in trace.csv, too
  swarmarium run formation --trace --trace-radio
  # Messages for Foxglove, Rerun and ROS 2, too
  swarmarium run milling --mcap milling.mcap
  # A scene from another program
  swarmarium convert milling -o - | swarmarium run -
  # The folder, for a script
  dir=$(swarmarium run milling --json | jq -r .folder)")]
#[command(group(clap::ArgGroup::new("files").args(["output", "mcap"]).multiple(true)))]
pub struct Args {
    /// Scene file, file of another program, name of a shipped scene, folder of a run, or - for a scene from stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    file: String,
    /// Number of steps [default: the `stop` of the scene, or 60 s; for a run folder, to its end]
    #[arg(long, help_heading = "Length and end", value_name = "N", conflicts_with = "duration", value_parser = count)]
    steps: Option<u64>,
    /// Simulated time, such as 90, 90s, 2m or 1h
    #[arg(long, help_heading = "Length and end", value_name = "S", value_parser = length)]
    duration: Option<Seconds>,
    /// Stop when this condition on metrics holds, such as 'circliness > 0.9'; it replaces that of the scene
    #[arg(long, help_heading = "Length and end", value_name = "CONDITION", conflicts_with = "at")]
    until: Option<String>,
    /// Add a metric to those of the scene, such as 'LargestComponent(range_m: 0.5)'; repeatable
    #[arg(long, help_heading = "Length and end", value_name = "METRIC", conflicts_with = "at")]
    metric: Vec<String>,
    /// Simulated seconds per second, or max
    #[arg(long, help_heading = "Length and end", value_name = "X|MAX", default_value = "max")]
    speed: Speed,
    /// Folder to write to; it must not exist
    #[arg(short, long, help_heading = "Results", value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace the files of an earlier run in the folder, and the MCAP file; other files stay
    #[arg(long, help_heading = "Results", requires = "files")]
    overwrite: bool,
    /// Write trace.csv, with the pose and readings of every agent at every step, from step 0
    #[arg(long, help_heading = "Results")]
    trace: bool,
    /// Add to trace.csv the estimates of robots, and the packets that their radios hold with their ages
    #[arg(long, help_heading = "Results", requires = "trace")]
    trace_radio: bool,
    /// Write hash.csv, with the hash of the state at every step, from step 0
    #[arg(long, help_heading = "Results")]
    hash: bool,
    #[command(flatten, next_help_heading = "Results")]
    log: LogArguments,
    /// Print the results as JSON
    #[arg(long, help_heading = "Results")]
    json: bool,
    /// Run once for every seed: 3,17,99, 1..11 (without 11) or 1..=10
    #[arg(long, help_heading = "Several runs", value_name = "SEEDS", conflicts_with = "mcap")]
    seeds: Option<Seeds>,
    /// Resume an interrupted batch: repeat its command with this flag to do the runs that are not finished
    #[arg(long, help_heading = "Several runs", requires = "seeds", conflicts_with = "overwrite")]
    resume: bool,
    /// Number of concurrent runs [default: the number of cores]
    #[arg(short, long, help_heading = "Several runs", value_name = "N", value_parser = workers, requires = "seeds")]
    jobs: Option<usize>,
    /// Continue from this moment of a run folder: a step, a time such as 35s, or a bookmark; --steps counts from there, and
    /// values of --set take effect at the next step
    #[arg(long, help_heading = "Earlier runs", value_name = "MOMENT", conflicts_with = "seeds")]
    at: Option<At>,
    /// Branch of the run folder [default: the branch of the bookmark or of edits.ron]
    #[arg(long, help_heading = "Earlier runs", value_name = "NAME", conflicts_with = "seeds")]
    branch: Option<String>,
    /// Apply a log of edits, such as edits.ron of another run
    #[arg(long, help_heading = "Earlier runs", value_name = "FILE")]
    edits: Option<PathBuf>,
    /// The end of the run that it repeats.
    #[arg(skip)]
    ending: Option<Ending>,
}

/// The end of a run that is repeated without the program that drove it.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    /// The number of steps.
    pub(super) steps: u64,
    /// The error of the program that ended the run.
    pub(super) error: Option<String>,
}

/// The plan of a run, resolved from its arguments.
pub(super) struct Plan<'a> {
    recipe: &'a Recipe,
    command: &'a [String],
    /// The scene.
    pub(super) scene: Scene,
    file: String,
    /// The name of the scene, in names of folders.
    stem: String,
    /// The step that the results begin with; those before are simulated only.
    from: u64,
    /// The step before which no condition ends the run.
    pub(super) begin: u64,
    /// The run that goes on, and its known hashes.
    origin: Option<(RunFolder, BTreeMap<u64, u64>)>,
    /// The end of the run in the tables of its sweep, if it repeats one.
    known_end: Option<KnownEnd>,
    /// The largest number of steps, from the start.
    pub(super) steps: u64,
    /// The error with which the run ends after its last step.
    error: Option<String>,
    speed: Speed,
    tables: Vec<table::Format>,
    /// The log, beside the folder.
    log: Option<LogPlan>,
    /// The edits, with their steps.
    pub(super) edits: Vec<LoggedEdit>,
    /// The values that are edits of a run that continues.
    sets: &'a [Override],
    /// Whether the condition of the scene is that of `--until`.
    has_until: bool,
    /// The file of the edits.
    edits_file: PathBuf,
    /// The folder to write into.
    pub(super) output: Option<PathBuf>,
    /// Whether the files of an earlier run are replaced.
    pub(super) overwrite: bool,
    threads: usize,
    quiet: bool,
    /// Whether progress is not reported.
    hides_progress: bool,
    /// Whether the results are printed as JSON.
    json: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.file]
    }

    /// A file and defaults.
    pub(super) fn of_file(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            at: None,
            branch: None,
            steps: None,
            duration: None,
            speed: Speed::Max,
            output: None,
            overwrite: false,
            trace: false,
            trace_radio: false,
            hash: false,
            log: LogArguments::default(),
            metric: Vec::new(),
            until: None,
            edits: None,
            seeds: None,
            resume: false,
            jobs: None,
            json: false,
            ending: None,
        }
    }

    /// Sets the end of the run that it repeats.
    pub(super) fn with_ending(self, ending: Option<Ending>) -> Self {
        Self { steps: ending.as_ref().map(|ending| ending.steps), ending, ..self }
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

    /// The number of steps from the arguments, if they say any.
    ///
    /// # Errors
    /// When the duration is shorter than a step.
    fn requested_steps(&self, scene: &Scene) -> anyhow::Result<Option<u64>> {
        let Some(Seconds(seconds)) = self.duration else { return Ok(self.steps) };
        let (dt_s, steps) = (scene.time.dt_s, (seconds / scene.time.dt_s).round() as u64);
        ensure!(steps > 0, "--duration: {seconds} s are shorter than a step: a step of this scene takes {dt_s} s");
        Ok(Some(steps))
    }

    pub(super) fn resolve<'a>(mut self, common: &'a Common, recipe: &'a Recipe) -> anyhow::Result<Plan<'a>> {
        if load::is_stdin(&self.file) {
            self.file = load::STDIN.into();
        }
        let folder = load::run_folder(&self.file, recipe)?;
        if let Some(folder) = &folder {
            self.file = folder.scene_file();
        } else if self.at.is_some() || self.branch.is_some() {
            bail!("{}: is not a run folder: --at and --branch need one", shown(&self.file));
        }
        // From a moment on, the values of `--set` are edits.
        let continues = self.at.is_some() && !common.overrides().is_empty();
        let loaded = match continues {
            true => load::scene(&self.file, &common.without_overrides(), recipe)?,
            false => load::scene(&self.file, common, recipe)?,
        };
        self.resolve_loaded(loaded, folder, common, recipe)
    }

    /// The plan of a run of a loaded scene, perhaps that of a run folder.
    pub(super) fn resolve_loaded<'a>(
        self,
        loaded: Loaded,
        folder: Option<RunFolder>,
        common: &'a Common,
        recipe: &'a Recipe,
    ) -> anyhow::Result<Plan<'a>> {
        let continues = self.at.is_some() && !common.overrides().is_empty();
        let mut scene = loaded.scene;
        for text in &self.metric {
            scene.metrics.push(load::metric(text, recipe.kinds())?);
        }
        if let Some(until) = &self.until {
            load::check_condition(until, common)?;
            scene.stop.when.clone_from(until);
        }
        let stem = match &folder {
            Some(folder) => manifest::stem_of_run(folder.path(), &scene.name),
            None => safe_stem(&self.file),
        };
        let requested = self.requested_steps(&scene)?;
        // A shared scene contains its edits.
        let given = self.edits.as_deref().map(read_edits).transpose()?;
        let (from, steps, edits, origin) = match folder {
            Some(folder) => {
                let moment = folder.moment(self.at.as_ref(), self.branch.as_deref(), scene.time.dt_s)?;
                if let Some(end) = moment.end {
                    ensure!(
                        requested.is_some() || self.at.is_none() || moment.step < end,
                        "{}: the run ends with step {end}: --steps or --duration continues it",
                        shown(folder.path()),
                    );
                }
                if folder::was_killed(folder.path()) && self.at.is_none() && !common.quiet {
                    tell_warning(format_args!(
                        "{}: the run did not end; this one ends as its scene says",
                        shown(folder.path())
                    ));
                }
                // The end of a run that was killed is not known.
                let end = || moment.end.unwrap_or_else(|| scene.stop.most_steps(scene.time.dt_s));
                let steps = requested.map_or_else(end, |steps| moment.step.saturating_add(steps));
                let mut hashes = folder.hashes_of(&moment.branch);
                let is_other = !loaded.overrides.is_empty() || !self.metric.is_empty() || self.until.is_some();
                if self.at.is_none() && (given.is_some() || is_other) {
                    // With other edits, values or metrics, it is another run.
                    hashes.clear();
                } else if given.is_some() || continues {
                    // Only the states up to the moment are those of the run.
                    hashes.retain(|step, _| *step <= moment.step);
                }
                let mut edits = moment.edits;
                if continues {
                    drop_later_edits(&mut edits, moment.step);
                }
                let mut edits = given.unwrap_or(edits);
                if continues {
                    edits = continued(common, recipe.kinds(), &scene, (moment.step, &edits))?;
                }
                (moment.step, steps, edits, Some((folder, hashes)))
            }
            None => {
                let steps = requested.unwrap_or_else(|| scene.stop.most_steps(scene.time.dt_s));
                (0, steps, given.unwrap_or(loaded.edits), None)
            }
        };
        // With other edits, metrics or another end, it is another run.
        let is_other = self.edits.is_some() || !self.metric.is_empty() || self.until.is_some();
        let known_end = loaded.known_end.filter(|end| !is_other && end.steps <= steps);
        let mut tables = vec![table::METRICS];
        let trace = if self.trace_radio { table::TRACE_WITH_RADIO } else { table::TRACE };
        tables.extend(self.trace.then_some(trace));
        tables.extend(self.hash.then_some(table::HASH));
        let log = self.log.resolve(self.overwrite)?;
        Ok(Plan {
            recipe,
            command: &common.command,
            scene,
            file: self.file,
            stem,
            has_until: self.until.is_some(),
            from,
            begin: loaded.begin,
            origin,
            known_end,
            steps,
            error: self.ending.and_then(|ending| ending.error),
            speed: self.speed,
            tables,
            log,
            edits,
            sets: if continues { &common.overrides } else { &[] },
            edits_file: self.edits.unwrap_or_default(),
            output: self.output,
            overwrite: self.overwrite,
            threads: common.threads,
            quiet: common.quiet,
            hides_progress: common.hides_progress(),
            json: self.json,
        })
    }
}

/// The difference of a run from its row in the tables of a sweep, in words: it ended before the last step of the row, or
/// the hash there is another one.
pub(super) fn other_end(file: &str, end: KnownEnd, steps: u64, hash: Option<u64>) -> Option<String> {
    let KnownEnd { steps: last, hash: recorded } = end;
    let found = match hash {
        Some(hash) if hash == recorded => return None,
        Some(hash) => format!("the hash of the state after step {last} is {}", hex(hash)),
        None => format!("the run ended at step {steps}, before step {last}"),
    };
    let recorded = hex(recorded);
    Some(format!(
        "{}: {found}, and its row in runs.csv has the hash {recorded}: this is not the run of the sweep; another build of \
         the program may have made it",
        shown(file)
    ))
}

/// Runs a scene, once or for many seeds.
pub(super) fn run(mut args: Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let (seeds, jobs, resume) = (args.seeds.take(), common.jobs(args.jobs)?, args.resume);
    if seeds.is_some() && common.seed.is_some() {
        bail!("--seed and --seeds exclude each other");
    }
    common.check_one_seed("--seeds", seeds.is_some())?;
    interrupt::watch();
    let mut plan = args.resolve(common, recipe)?;
    plan.report_late_edits();
    match seeds {
        None => one::run(&plan),
        Some(seeds) => {
            // Other seeds make other runs.
            (plan.origin, plan.known_end) = (None, None);
            many::run(&plan, &seeds, jobs, resume)
        }
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
            let late = part_of(late as u64, self.edits.len() as u64, "edit");
            tell(format_args!("left out {late}, after the last step"));
        }
    }
}
