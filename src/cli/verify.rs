//! `verify`: the promise of the same result, as a matrix that anybody can run on a scene.
//!
//! The state after every step of a plain run is compared with that of every other way to the same step:
//! more threads, another host, a simulation that was reset or restored, without edits and with them.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::edit::log::Replay;
use swarmarium_core::random::{Seed, Stream};
use swarmarium_core::scene::description::Scene;
use swarmarium_core::simulation::{Recipe, Simulation};
use swarmarium_core::state::ForeignSnapshot;

use super::progress::Progress;
use super::{Common, Exit, load, stdout};

mod driver;
mod edits;

use driver::Driver;
use edits::MadeUp;

/// Check that a scene gives the same states however it is run
///
/// The hash of the state after every step of a plain run is compared with that of runs with one thread and two,
/// by the verb `run` and by the lab (without a window, with random frame times, time scales and pauses),
/// new, reset and restored at a random step, without edits and with edits made up on the way.
/// Exit code 4 when any differs.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Scene file, file of another program, or name of a shipped scene
    #[arg(value_name = "FILE")]
    file: String,
    /// Number of steps
    #[arg(long, value_name = "N", default_value_t = 400)]
    steps: u64,
    /// A log of edits to apply besides those made up
    #[arg(long, value_name = "FILE")]
    edits: Option<PathBuf>,
}

/// Prints the matrix of a scene.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let scene = load::scene(&args.file, common, recipe.kinds())?.scene;
    let edits = args.edits.as_deref().map(load::edits).transpose()?.unwrap_or_default();
    let progress = Progress::new("runs", Case::all().count() as u64, common.quiet);
    let matrix = matrix(&scene, recipe, args.steps, &edits, &|done| progress.at(done as u64));
    progress.finish();
    let matrix = matrix.map_err(|refused| match refused {
        Refused::Scene(problems) => anyhow::Error::from(Problems { source_name: args.file.clone(), ..problems }),
        Refused::Snapshot(error) => error.into(),
        Refused::Edit { logged, problem } => {
            load::senseless(args.edits.as_deref().unwrap_or_else(|| "".as_ref()), &logged, problem).into()
        }
    })?;
    let mut out = stdout();
    writeln!(out, "{}, seed {}, {} steps\n\n{matrix}", args.file, scene.seed, args.steps)?;
    out.flush()?;
    Ok(if matrix.is_fine() { Exit::Fine } else { Exit::Differs })
}

/// What gives a simulation its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hosting {
    /// One step after the other, as `run` does.
    Run,
    /// Frames, as the lab does.
    Lab,
}

/// What a simulation went through before it runs to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    New,
    /// It ran for a while and was reset.
    Reset,
    /// It ran on after a snapshot and went back to it.
    Restored,
    /// It took over a snapshot of another simulation of the same scene.
    Moved,
}

/// One way to run a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// What gives it its steps.
    pub host: Hosting,
    /// What it went through before.
    pub state: State,
    /// The number of its threads.
    pub threads: usize,
    /// Whether edits are applied.
    pub edits: bool,
}

impl Case {
    /// Every way, in the order of the matrix: row by row.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::rows()
            .flat_map(|(host, state)| Self::columns().map(move |(threads, edits)| Self { host, state, threads, edits }))
    }

    fn rows() -> impl Iterator<Item = (Hosting, State)> {
        let states = [State::New, State::Reset, State::Restored, State::Moved];
        [Hosting::Run, Hosting::Lab].into_iter().flat_map(move |host| states.map(|state| (host, state)))
    }

    fn columns() -> impl Iterator<Item = (usize, bool)> {
        [false, true].into_iter().flat_map(|edits| [1, 2].map(|threads| (threads, edits)))
    }
}

impl fmt::Display for Hosting {
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

/// Why there is no matrix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// The scene cannot be made.
    #[error(transparent)]
    Scene(#[from] Problems),
    /// A snapshot does not fit.
    #[error(transparent)]
    Snapshot(#[from] ForeignSnapshot),
    /// A given edit makes no sense at its step.
    #[error("edit of step {}: {problem}", logged.step)]
    Edit {
        /// The edit.
        logged: Box<LoggedEdit>,
        /// The reason.
        problem: Problem,
    },
}

/// What came of every way to run a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Every way, and the first step at which its state differs from that of the plain run.
    pub cases: Vec<(Case, Option<u64>)>,
}

impl Matrix {
    /// Whether nothing differs.
    pub fn is_fine(&self) -> bool {
        self.cases.iter().all(|(_, differs_at)| differs_at.is_none())
    }
}

impl fmt::Display for Matrix {
    /// An aligned table, and below it what differs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WIDTH: usize = 22;
        let columns: String =
            Case::columns().map(|(threads, edits)| format!("{:WIDTH$}", column_name(threads, edits))).collect();
        writeln!(f, "{:6}{:20}{}", "host", "state", columns.trim_end())?;
        for row in self.cases.chunks(Case::columns().count()) {
            let Some((Case { host, state, .. }, _)) = row.first() else { continue };
            let cells: String = row.iter().map(|(_, differs_at)| format!("{:WIDTH$}", verdict(*differs_at))).collect();
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

fn verdict(differs_at: Option<u64>) -> String {
    differs_at.map_or_else(|| "ok".into(), |step| format!("differs at step {step}"))
}

/// Runs a scene in every way and compares every state with that of a plain run.
///
/// `given` are edits to apply besides those that are made up on the way.
/// `on_case` is told how many ways are done.
///
/// # Errors
/// When the scene cannot be made, or a given edit makes no sense.
pub fn matrix(
    scene: &Scene,
    recipe: &Recipe,
    steps: u64,
    given: &[LoggedEdit],
    on_case: &dyn Fn(usize),
) -> Result<Matrix, Refused> {
    let plain = Plan::new(scene, recipe, steps, &[], None)?;
    let edited = Plan::new(scene, recipe, steps, given, Some(MadeUp::new(scene, steps)))?;
    let plans = [plain, edited];
    let mut cases = Vec::new();
    for case in Case::all() {
        cases.push((case, plans[usize::from(case.edits)].first_difference(case)?));
        on_case(cases.len());
    }
    Ok(Matrix { cases })
}

/// A scene with its edits, and the states that a plain run of it goes through.
struct Plan<'a> {
    scene: &'a Scene,
    recipe: &'a Recipe,
    steps: u64,
    edits: Vec<LoggedEdit>,
    /// The hash of the state after each step, from step 0.
    hashes: Vec<u64>,
}

impl<'a> Plan<'a> {
    /// Runs plainly. The edits of the plan are those that this run logged.
    fn new(
        scene: &'a Scene,
        recipe: &'a Recipe,
        steps: u64,
        given: &[LoggedEdit],
        mut made_up: Option<MadeUp>,
    ) -> Result<Self, Refused> {
        let mut simulation = Simulation::with(scene, recipe, 1)?;
        let mut hashes = vec![simulation.hash().0];
        let mut given = Replay::new(given.to_vec());
        for step in 1..=steps {
            for logged in given.due(step) {
                let replayed = simulation.replay(logged.clone());
                replayed.map_err(|problem| Refused::Edit { logged: logged.into(), problem })?;
            }
            if let Some(made_up) = &mut made_up {
                made_up.queue(&mut simulation);
            }
            simulation.step(1);
            hashes.push(simulation.hash().0);
        }
        Ok(Self { scene, recipe, steps, edits: simulation.edits().to_vec(), hashes })
    }

    fn driver(&self, case: Case, purpose: &str) -> Result<Driver<'_>, Problems> {
        Driver::new(case.host, self.scene, self.recipe, case.threads, random(self.scene, purpose))
    }

    /// The first step at which one way of running leads to another state.
    fn first_difference(&self, case: Case) -> Result<Option<u64>, Refused> {
        let mut choices = random(self.scene, "moments");
        let (early, late) = (part(&mut choices, self.steps / 2), part(&mut choices, self.steps));
        let mut edits = Replay::new(self.edits.clone());
        let mut driver = self.driver(case, "frames")?;
        let mut seen = Comparison { expected: &self.hashes, differs_at: None };
        match case.state {
            State::New => {}
            State::Reset => {
                // Edits of the scene would outlive the reset.
                driver.run_to(late, &mut Replay::default(), |_| ());
                driver.reset()?;
            }
            State::Restored => {
                driver.run_to(early, &mut edits, |simulation| seen.look(simulation));
                let snapshot = driver.simulation().snapshot();
                driver.run_to(late.max(early), &mut edits, |simulation| seen.look(simulation));
                driver.restore(&snapshot)?;
            }
            State::Moved => {
                driver.run_to(early, &mut edits, |simulation| seen.look(simulation));
                let snapshot = driver.simulation().snapshot();
                driver = self.driver(case, "other frames")?;
                edits.go_on_from(0);
                driver.run_to(late, &mut edits, |simulation| seen.look(simulation));
                driver.restore(&snapshot)?;
            }
        }
        seen.look(driver.simulation());
        edits.go_on_from(driver.simulation().steps());
        driver.run_to(self.steps, &mut edits, |simulation| seen.look(simulation));
        Ok(seen.differs_at)
    }
}

/// Random numbers of our own: those of the simulation are part of what is checked.
fn random(scene: &Scene, purpose: &str) -> Stream {
    Seed(!scene.seed).stream(swarmarium_base::id::StableId::agent(0), purpose)
}

/// A step from 0 to `steps`, at random.
fn part(random: &mut Stream, steps: u64) -> u64 {
    (random.unit() * (steps as f64 + 1.0)) as u64
}

/// Compares states with those of a plain run.
struct Comparison<'a> {
    expected: &'a [u64],
    differs_at: Option<u64>,
}

impl Comparison<'_> {
    /// Looks at the state after a step, whichever it is.
    fn look(&mut self, simulation: &Simulation) {
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
    fn the_matrix_is_aligned_and_names_what_differs() {
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
