//! The command line, for the package: as the program `swarmarium`, and verb by verb.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use swarmarium::cli::embed::{self, Embedding};
use swarmarium::cli::list::{self, Listing};
use swarmarium::cli::{Build, Exit, interrupt, run_args, run_within};
use swarmarium::prelude::*;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::address;
use swarmarium_sweep::driver::Driver;

use crate::builder_script::take_interruption;
use crate::driver::{SweepDriver, triple};
use crate::error::{catch, error};

/// The time between two looks for signals while a verb runs.
const SIGNAL_TIME: Duration = Duration::from_millis(20);

/// Runs the program with arguments, the first one its name. Returns its exit status.
#[pyfunction]
pub fn program(py: Python, words: Vec<String>) -> u8 {
    let exit = py.detach(|| run_args(&Recipe::standard(), words));
    let exit = if take_interruption() { Exit::Interrupted } else { exit };
    exit as u8
}

/// The progress of a verb: the unit, the number of finished units, and the total if it is known.
type Progress = (&'static str, u64, Option<u64>);

/// Runs a verb of the program on a thread of its own, so that Ctrl-C ends it. Returns its exit status.
///
/// `tell(message)` gets its messages, and `report(unit, done, total)` its progress; both are called on this thread, and an
/// exception in them ends the verb. `drive` is a function, and the names of the controllers of a sweep by groups: see
/// [`SweepDriver`].
#[pyfunction]
pub fn verb(
    py: Python,
    words: Vec<String>,
    tell: Py<PyAny>,
    report: Py<PyAny>,
    drive: Option<(Py<PyAny>, BTreeMap<String, String>)>,
) -> PyResult<u8> {
    let progress: Arc<Mutex<Option<Progress>>> = Arc::default();
    let newest = progress.clone();
    let note =
        move |unit, done, total| *newest.lock().unwrap_or_else(PoisonError::into_inner) = Some((unit, done, total));
    let driver = drive.map(|(prepare, controllers)| Arc::new(SweepDriver { prepare, controllers }) as Arc<dyn Driver>);
    let embedding = Embedding { report: Some(Arc::new(note)), driver };
    let run = move || catch(|| embed::within(embedding, || run_within(&Recipe::standard(), words)));
    let thread = thread::Builder::new().name("swarmarium".into()).spawn(run);
    let thread = thread.map_err(error)?;
    let pass_on = || {
        embed::take_messages().into_iter().try_for_each(|message| tell.call1(py, (message,)).map(drop))?;
        let newest = progress.lock().unwrap_or_else(PoisonError::into_inner).take();
        newest.map_or(Ok(()), |newest| report.call1(py, newest).map(drop))
    };
    let mut interruption = None;
    while !thread.is_finished() {
        py.detach(|| thread::sleep(SIGNAL_TIME));
        if let Err(signal) = py.check_signals().and_then(|()| pass_on()) {
            interrupt::request();
            interruption.get_or_insert(signal);
        }
    }
    let done = thread.join().map_err(|_| error("the thread of the verb ended"))?;
    interrupt::clear();
    if let Err(signal) = pass_on() {
        interruption.get_or_insert(signal);
    }
    if let Some(signal) = interruption {
        return Err(signal);
    }
    let exit: Exit = done.map_err(error)?.map_err(error)?;
    Ok(exit as u8)
}

/// Whether the folder at an address of a sweep holds the run of its row.
#[pyfunction]
pub fn holds_run(path: PathBuf) -> PyResult<bool> {
    address::run_folder(&path, &Recipe::standard()).map(|folder| folder.is_some()).map_err(error)
}

/// The values of the parameters of controllers in the run at an address of a sweep: group, name, and value in the notation of
/// scenes.
#[pyfunction]
pub fn controller_values(path: &str) -> PyResult<Vec<(String, String, String)>> {
    let values = address::controller_values(path, &Recipe::standard()).map_err(error)?;
    Ok(values.iter().map(triple).collect())
}

/// A list of kinds, scenes, plans, robots, supervisors or fields, as JSON.
#[pyfunction]
pub fn listed(what: &str) -> PyResult<String> {
    use clap::ValueEnum as _;
    let listing = Listing::from_str(what, true).map_err(|_| {
        let names = Listing::value_variants().iter().filter_map(|known| known.to_possible_value());
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        let hint = swarmarium_base::problem::did_you_mean(what, names.iter().map(String::as_str));
        error(format!("there is no list `{what}`{hint}: expected {}", names.join(", ")))
    })?;
    let mut text = Vec::new();
    list::write(&mut text, &Recipe::standard(), listing, true, None).map_err(error)?;
    String::from_utf8(text).map_err(error)
}

/// The build of the package, as JSON.
#[pyfunction]
pub fn build_info() -> PyResult<String> {
    serde_json::to_string(&Build::this()).map_err(error)
}

/// The version of the package.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
