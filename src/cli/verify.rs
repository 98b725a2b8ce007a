//! `verify`: checks the determinism of a scene with a matrix of runs.
//!
//! The state after every step of a plain run is compared with the state of other runs at the same step: with more threads,
//! another host, after a reset, restored from a snapshot, without edits and with them.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::random::{Seed, Stream};
use swarmarium_core::state::ForeignSnapshot;
use swarmarium_formats::load::Loaded;
use swarmarium_formats::run_folder::read_edits;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::edit::LoggedEdit;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use super::common::count;
use super::json::{Message, messages};
use super::messages::counted;
use super::progress::Progress;
use super::{Common, Exit, check, interrupt, json, load, stdout, tell};

mod driver;
mod edits;

use driver::Driver;
use edits::RandomEdits;

/// Check that a scene is deterministic
///
/// The state hash after every step of a plain run is compared with that of other runs: with one thread and with two; by
/// `run` and by the engine of the window (without a window, with random frame times, time scales and pauses); new, reset,
/// and restored at a random step; without edits and with random edits.
/// Exits with status 4 if any hash differs.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  swarmarium verify milling
  swarmarium verify formation --steps 100
  # The steps at which states differ, for programs
  swarmarium verify milling --json")]
pub struct Args {
    /// Scene file, file of another program, name of a shipped scene, or - for a scene from stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    file: String,
    /// Number of steps
    #[arg(long, value_name = "N", default_value = "400", value_parser = count)]
    steps: u64,
    /// Log of edits to apply in addition to the random ones
    #[arg(long, value_name = "FILE")]
    edits: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.file]
    }
}

/// The results of a check as JSON.
#[derive(Serialize)]
struct Results<'a> {
    file: &'a str,
    seed: u64,
    steps: u64,
    /// Whether all cases have the same states.
    ok: bool,
    cases: Vec<CaseResult>,
    warnings: Vec<Message>,
}

/// A case with its result.
#[derive(Serialize)]
struct CaseResult {
    #[serde(flatten)]
    case: Case,
    /// The first step at which its state differs from that of the plain run.
    differs_at: Option<u64>,
}

/// Prints the matrix of a scene.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let name = load::name_of(&args.file);
    let Loaded { scene, edits: shared, mut warnings, .. } = load::scene(&args.file, common, recipe)?;
    check::check_scripts(&scene, recipe).map_err(|problems| load::locate(&args.file, problems))?;
    warnings.extend(check::warn_of_start(&args.file, &scene, common, recipe)?);
    let edits = args.edits.as_deref().map(read_edits).transpose()?.unwrap_or(shared);
    let progress = Progress::new("runs", Case::all().count() as u64, common.hides_progress());
    interrupt::watch();
    let _hold = interrupt::Hold::new();
    let interrupted = || {
        progress.finish();
        if !common.quiet {
            tell("interrupted: there is no result");
        }
        if args.json {
            json::print_interruption(name);
        }
        std::process::exit(Exit::Interrupted as i32);
    };
    let matrix = interrupt::guarded(
        || matrix(&scene, recipe, args.steps, &edits, &|done| progress.at(done as u64)),
        interrupted,
    );
    progress.finish();
    let matrix = matrix.map_err(|error| match error {
        VerifyError::Scene(problems) => anyhow::Error::from(Problems { source_name: name.to_owned(), ..problems }),
        VerifyError::Snapshot(error) => error.into(),
        VerifyError::Edit { logged, problem } => {
            load::invalid_edit(args.edits.as_deref().unwrap_or(args.file.as_ref()), &logged, problem).into()
        }
    })?;
    if args.json {
        let cases = matrix.cases.iter().map(|(case, differs_at)| CaseResult { case: *case, differs_at: *differs_at });
        let (seed, ok, cases, warnings) =
            (scene.seed, matrix.is_fine(), cases.collect(), messages(load::name_of(&args.file), &warnings));
        let results = Results { file: name, seed, steps: args.steps, ok, cases, warnings };
        json::print_results(if ok { "done" } else { "differs" }, &results)?;
    } else if !common.quiet || !matrix.is_fine() {
        let mut out = stdout();
        writeln!(out, "{name}, seed {}, {}\n\n{matrix}", scene.seed, counted(args.steps, "step"))?;
        writeln!(out, "{}", matrix.verdict())?;
        out.flush()?;
    }
    Ok(if matrix.is_fine() { Exit::Fine } else { Exit::Differs })
}

/// The host of a simulation, which does its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostKind {
    /// Single steps, as in `run`.
    Run,
    /// Frames, as in the lab.
    Lab,
}

/// The history of a simulation before it runs to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// None.
    New,
    /// The simulation ran for a while and was reset.
    Reset,
    /// The simulation ran on after a snapshot and was restored from it.
    Restored,
    /// The simulation was restored from a snapshot of another simulation of the same scene.
    Moved,
}

/// One way to run a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The host of the simulation.
    pub host: HostKind,
    /// The history of the simulation.
    pub state: State,
    /// The number of threads.
    pub threads: usize,
    /// Whether edits are applied.
    pub edits: bool,
}

impl Case {
    /// All cases, in the order of the matrix: row by row.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::rows()
            .flat_map(|(host, state)| Self::columns().map(move |(threads, edits)| Self { host, state, threads, edits }))
    }

    fn rows() -> impl Iterator<Item = (HostKind, State)> {
        let states = [State::New, State::Reset, State::Restored, State::Moved];
        [HostKind::Run, HostKind::Lab].into_iter().flat_map(move |host| states.map(|state| (host, state)))
    }

    fn columns() -> impl Iterator<Item = (usize, bool)> {
        [false, true].into_iter().flat_map(|edits| [1, 2].map(|threads| (threads, edits)))
    }
}

impl fmt::Display for HostKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Run => "run",
            Self::Lab => "lab",
        })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::New => "new",
            Self::Reset => "reset",
            Self::Restored => "restored",
            Self::Moved => "restored elsewhere",
        })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, state, threads, edits } = self;
        write!(f, "{host}, {state}, {}", column_name(*threads, *edits))
    }
}

fn column_name(threads: usize, edits: bool) -> String {
    let threads = if threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
    if edits { threads + ", edits" } else { threads }
}

/// The reason why a scene cannot be verified.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// The scene is invalid.
    #[error(transparent)]
    Scene(#[from] Problems),
    /// A snapshot belongs to another simulation.
    #[error(transparent)]
    Snapshot(#[from] ForeignSnapshot),
    /// A given edit is invalid at its step.
    #[error("edit of step {}: {problem}", logged.step)]
    Edit {
        /// The edit.
        logged: Box<LoggedEdit>,
        /// The reason.
        problem: Problem,
    },
}

/// The results of all cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Each case, and the first step at which its state differs from that of the plain run.
    pub cases: Vec<(Case, Option<u64>)>,
}

impl Matrix {
    /// Whether all cases have the same states.
    pub fn is_fine(&self) -> bool {
        self.cases.iter().all(|(_, differs_at)| differs_at.is_none())
    }

    /// The result in words.
    fn verdict(&self) -> String {
        let (runs, different) = (self.cases.len(), self.cases.iter().filter(|(_, differs_at)| differs_at.is_some()));
        match different.count() {
            0 => format!("all {runs} runs have the same states"),
            1 => format!("1 of {runs} runs differs from the first one"),
            different => format!("{different} of {runs} runs differ from the first one"),
        }
    }
}

impl fmt::Display for Matrix {
    /// An aligned table, and the differences below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WIDTH: usize = 22;
        let columns: String =
            Case::columns().map(|(threads, edits)| format!("{:WIDTH$}", column_name(threads, edits))).collect();
        writeln!(f, "{:6}{:20}{}", "host", "state", columns.trim_end())?;
        for row in self.cases.chunks(Case::columns().count()) {
            let Some((Case { host, state, .. }, _)) = row.first() else { continue };
            let cells: String = row.iter().map(|(_, differs_at)| format!("{:WIDTH$}", cell(*differs_at))).collect();
            writeln!(f, "{host:6}{state:20}{}", cells.trim_end())?;
        }
        let different = self.cases.iter().filter_map(|(case, differs_at)| Some((case, (*differs_at)?)));
        for (index, (case, step)) in different.enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            writeln!(f, "{gap}{case}: differs at step {step} from run, new, 1 thread")?;
        }
        Ok(())
    }
}

fn cell(differs_at: Option<u64>) -> String {
    differs_at.map_or_else(|| "ok".into(), |step| format!("differs at step {step}"))
}

/// Runs a scene in all cases, and compares every state with that of a plain run.
///
/// `given` are edits in addition to the random ones. `on_case` is called after each case with the number of finished cases.
///
/// # Errors
/// When the scene or a given edit is invalid.
pub fn matrix(
    scene: &Scene,
    recipe: &Recipe,
    steps: u64,
    given: &[LoggedEdit],
    on_case: &dyn Fn(usize),
) -> Result<Matrix, VerifyError> {
    let plain = Plan::new(scene, recipe, steps, &[], None)?;
    let edited = Plan::new(scene, recipe, steps, given, Some(RandomEdits::new(scene, steps)))?;
    let plans = [plain, edited];
    let mut cases = Vec::new();
    for case in Case::all() {
        cases.push((case, plans[usize::from(case.edits)].first_difference(case)?));
        on_case(cases.len());
    }
    Ok(Matrix { cases })
}

/// A scene with its edits, and the states of its plain run.
struct Plan<'a> {
    scene: &'a Scene,
    recipe: &'a Recipe,
    steps: u64,
    edits: Vec<LoggedEdit>,
    /// The hash of the state after each step, from step 0.
    hashes: Vec<u64>,
}

impl<'a> Plan<'a> {
    /// Does the plain run. The edits of the plan are those in its log.
    fn new(
        scene: &'a Scene,
        recipe: &'a Recipe,
        steps: u64,
        given: &[LoggedEdit],
        mut random_edits: Option<RandomEdits>,
    ) -> Result<Self, VerifyError> {
        let mut simulation = Simulation::with(scene, recipe, 1)?;
        let mut hashes = vec![simulation.hash().0];
        let mut given = Replay::new(given.to_vec());
        for step in 1..=steps {
            for logged in given.due(step) {
                let replayed = simulation.replay(logged.clone());
                replayed.map_err(|problem| VerifyError::Edit { logged: logged.into(), problem })?;
            }
            if let Some(random_edits) = &mut random_edits {
                random_edits.queue(&mut simulation);
            }
            simulation.step(1);
            hashes.push(simulation.hash().0);
        }
        Ok(Self { scene, recipe, steps, edits: simulation.edits().to_vec(), hashes })
    }

    fn driver(&self, case: Case, purpose: &str) -> Result<Driver<'_>, Problems> {
        Driver::new(case.host, self.scene, self.recipe, case.threads, random(self.scene, purpose))
    }

    /// The first step at which the state of a case differs from that of the plain run.
    fn first_difference(&self, case: Case) -> Result<Option<u64>, VerifyError> {
        let mut choices = random(self.scene, "moments");
        let (early, late) = (random_step(&mut choices, self.steps / 2), random_step(&mut choices, self.steps));
        let mut edits = Replay::new(self.edits.clone());
        let mut driver = self.driver(case, "frames")?;
        let mut comparison = Comparison { expected: &self.hashes, differs_at: None };
        match case.state {
            State::New => {}
            State::Reset => {
                // Edits of the scene would survive the reset.
                driver.run_to(late, &mut Replay::default(), |_| ());
                driver.reset()?;
            }
            State::Restored => {
                driver.run_to(early, &mut edits, |simulation| comparison.compare(simulation));
                let snapshot = driver.simulation().snapshot();
                driver.run_to(late.max(early), &mut edits, |simulation| comparison.compare(simulation));
                driver.restore(&snapshot)?;
            }
            State::Moved => {
                driver.run_to(early, &mut edits, |simulation| comparison.compare(simulation));
                let snapshot = driver.simulation().snapshot();
                driver = self.driver(case, "other frames")?;
                edits.go_on_from(0);
                driver.run_to(late, &mut edits, |simulation| comparison.compare(simulation));
                driver.restore(&snapshot)?;
            }
        }
        comparison.compare(driver.simulation());
        edits.go_on_from(driver.simulation().steps());
        driver.run_to(self.steps, &mut edits, |simulation| comparison.compare(simulation));
        Ok(comparison.differs_at)
    }
}

/// A random stream that is independent of those of the simulation.
fn random(scene: &Scene, purpose: &str) -> Stream {
    Seed(!scene.seed).stream(swarmarium_base::id::StableId::agent(0), purpose)
}

/// A random step from 0 to `steps`.
fn random_step(random: &mut Stream, steps: u64) -> u64 {
    (random.unit() * (steps as f64 + 1.0)) as u64
}

/// Compares states with those of a plain run.
struct Comparison<'a> {
    expected: &'a [u64],
    differs_at: Option<u64>,
}

impl Comparison<'_> {
    /// Compares the present state.
    fn compare(&mut self, simulation: &Simulation) {
        let step = simulation.steps();
        if self.differs_at.is_none() && self.expected.get(step as usize) != Some(&simulation.hash().0) {
            self.differs_at = Some(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verify_matrix_is_aligned_and_lists_differences() {
        let mut matrix = Matrix { cases: Case::all().map(|case| (case, None)).collect() };
        assert!(matrix.is_fine());
        matrix.cases[5].1 = Some(17);
        assert!(!matrix.is_fine());
        insta::assert_snapshot!(matrix, @r"
        host  state               1 thread              2 threads             1 thread, edits       2 threads, edits
        run   new                 ok                    ok                    ok                    ok
        run   reset               ok                    differs at step 17    ok                    ok
        run   restored            ok                    ok                    ok                    ok
        run   restored elsewhere  ok                    ok                    ok                    ok
        lab   new                 ok                    ok                    ok                    ok
        lab   reset               ok                    ok                    ok                    ok
        lab   restored            ok                    ok                    ok                    ok
        lab   restored elsewhere  ok                    ok                    ok                    ok

        run, reset, 2 threads: differs at step 17 from run, new, 1 thread
        ");
    }
}
