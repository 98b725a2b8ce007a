//! The files that the lab writes.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use swarmarium_base::files::{self, Draft, LookupError, cannot_write, write_whole};
use swarmarium_base::math;
use swarmarium_base::problem::Problems;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::kind::Family as _;
use swarmarium_core::step::Workers;
use swarmarium_formats::run_folder::RunFiles;
use swarmarium_host::clock::host::TwinPlan;
use swarmarium_host::timeline::{Moment, TimelineError};
use swarmarium_scene::scene::reader::read_text;
use swarmarium_scene::scene::scripts::{ScriptOf, scripts};
use swarmarium_scene::scene::writer::{Style, write, write_beside};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::common::settings::RobotPlot;
use crate::plots::PlotState;
use crate::plots::history::History;
use crate::plots::pin::{Pin, RobotNumber, Watched};
use crate::run::RunState;
use crate::timeline::TimelineState;

/// Saves the scene as it is now, with its edits. Returns its text.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn scene(run: &RunState, path: &Path) -> anyhow::Result<String> {
    let simulation = run.host.simulation();
    let scene = simulation.scene_ahead().clone().for_file();
    scripts(&scene)
        .filter(|script| !script.file.is_empty())
        .try_for_each(|script| missing_script(folder_of(path), &script))?;
    let text = write_beside(simulation.kinds(), &scene, folder_of(path)) + "\n";
    write_whole(path, &text).map(|()| text)
}

/// Writes a script that has no file in the folder of the scene yet, unless the program has it. A file with another text
/// stays as it is: the scene contains the text then.
fn missing_script(folder: &Path, found: &ScriptOf) -> anyhow::Result<()> {
    let is_written = found.is_missing(folder) && !found.is_shipped();
    if is_written { script(folder, &found.file, found.source.as_str()) } else { Ok(()) }
}

/// Saves a script into its file, which lies in a folder or below it.
///
/// # Errors
/// If the file lies elsewhere, or cannot be written.
pub fn script(folder: &Path, file: &str, text: &str) -> anyhow::Result<()> {
    match files::within(folder, file) {
        // A link keeps leading to the file.
        Ok(path) => write_whole(&path, text),
        Err(LookupError::Missing(_)) => {
            let path = folder.join(file);
            path.parent().map_or(Ok(()), fs::create_dir_all).with_context(|| cannot_write(&path))?;
            write_whole(&path, text)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Saves the run into a new folder: `swarmarium run FOLDER/scene.ron --edits FOLDER/edits.ron --steps N` repeats it,
/// with the steps and the hash of the manifest. `swarmarium open FOLDER` also restores branches and bookmarks.
///
/// Waiting edits belong to the next step: a run with N steps omits them, a longer one includes them.
///
/// # Errors
/// Returns an error if the folder cannot be written.
pub fn run(run: &RunState, timeline: &TimelineState, path: &Path) -> anyhow::Result<()> {
    // An existing folder is never overwritten.
    fs::create_dir(path).with_context(|| format!("{}: cannot be created", path.display()))?;
    Ok(run_files(run, timeline)?.write(path)?)
}

/// The files of the present run. During a jump, the run is restored at the target moment.
///
/// # Errors
/// Returns an error if a text cannot be serialized.
pub fn run_files(run: &RunState, timeline: &TimelineState) -> anyhow::Result<RunFiles> {
    Ok(RunFiles::from_host(&run.host, &run.title(), timeline.playhead(&run.host))?)
}

/// The reason why the controller of a group cannot be saved or loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControllerError {
    /// The scene no longer has the group.
    #[error("the group no longer exists")]
    NoGroup,
    /// The controller file is invalid.
    #[error("{}", .0.to_string().trim_end())]
    Unreadable(#[from] Problems),
}

/// Saves the controller of a group, by its place, as a scene writes it.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn controller(run: &RunState, group: usize, path: &Path) -> anyhow::Result<()> {
    let simulation = run.host.simulation();
    let group = simulation.scene_ahead().groups.get(group).ok_or(ControllerError::NoGroup)?;
    write_whole(path, &(write(simulation.kinds(), &group.controller, Style::Full) + "\n"))
}

/// Returns the edit that sets the controller of a group from a file, which holds a controller or only its fields.
///
/// # Errors
/// Returns an error if the file is invalid, or the group no longer exists.
pub fn controller_edit(run: &RunState, group: usize, path: &Path) -> Result<Edit, ControllerError> {
    let simulation = run.host.simulation();
    let known = simulation.scene_ahead().groups.get(group).ok_or(ControllerError::NoGroup)?;
    let text = read_text(path)?;
    // Files of shipped supervisors and similar ones hold only the fields.
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with("//");
    let head: usize = text.split_inclusive('\n').take_while(is_comment).map(str::len).sum();
    let value = text[head..].trim();
    let kind = simulation.kinds().of_value(ControllerFamily::NAME, known.controller.value());
    let kind = kind.filter(|_| value.starts_with('(')).map_or("", |kind| kind.name);
    Ok(Edit::Set { path: format!("groups.{group}.controller"), value: format!("{kind}{value}") })
}

/// Saves the numbers of plots over robots at the present moment, as a table with one row per robot.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn robots(simulation: &Simulation, plots: &[RobotPlot], path: &Path) -> anyhow::Result<()> {
    let mut paths: Vec<&str> = Vec::new();
    for path in plots.iter().flat_map(RobotPlot::paths) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let numbers: Vec<Option<RobotNumber>> = paths.iter().map(|path| RobotNumber::new(path).ok()).collect();
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["step", "t_s", "robot", "name"].iter().chain(&paths))?;
    let time = simulation.time();
    let (step, t_s) = (time.step.to_string(), time.shown_s().to_string());
    for agent in simulation.agents() {
        let value = |number: &Option<RobotNumber>| {
            number.as_ref().map_or(f64::NAN, |number| number.value(simulation, &agent)).to_string()
        };
        let known = [step.clone(), t_s.clone(), agent.id.index().to_string(), agent.name()];
        table.write_record(known.into_iter().chain(numbers.iter().map(value)))?;
    }
    let table = table.into_inner().map_err(|error| error.into_error())?;
    write_whole(path, table)
}

/// The numbers of all plots, as a table with one row per step: the columns of `metrics.csv`, then pinned numbers.
pub enum Export {
    /// The plots have all values.
    Complete(Box<History>),
    /// The run is simulated again for the values.
    Resimulated(Box<Tabulation>),
}

/// A run that is simulated again for its numbers.
pub struct Tabulation {
    plan: TwinPlan,
    steps: u64,
    threads: usize,
    pins: Vec<String>,
    selected: Option<u32>,
}

type Table<'a> = csv::Writer<&'a mut Draft>;

impl Export {
    /// Creates the export of the run up to now.
    ///
    /// # Errors
    /// Returns an error if the plots lack values and the host keeps no past.
    pub fn of(run: &RunState, plots: &PlotState) -> Result<Self, TimelineError> {
        let (now, history) = (run.host.moment(), &plots.history);
        if history.is_complete(now.step) {
            return Ok(Self::Complete(Box::new(history.clone())));
        }
        let (pins, selected) = (history.pins().map(Into::into).collect(), history.selected());
        let plan = run.host.plan_twin(Moment { step: 0, ..now })?;
        let tabulation = Tabulation { plan, steps: now.step, threads: run.threads, pins, selected };
        Ok(Self::Resimulated(Box::new(tabulation)))
    }

    /// Returns the number of steps that are simulated again.
    pub fn resimulated_steps(&self) -> u64 {
        match self {
            Self::Complete(_) => 0,
            Self::Resimulated(tabulation) => tabulation.steps,
        }
    }

    /// Saves the table, as long as `goes_on` returns true.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, another process is writing it, the run cannot be simulated
    /// again, or `goes_on` returned false.
    pub fn save(self, path: &Path, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        let mut draft = Draft::begin(path)?;
        let written = self.write(csv::Writer::from_writer(&mut draft), goes_on);
        match written {
            Ok(()) => draft.finish(),
            Err(error) => {
                // A partial table is useless.
                draft.discard();
                Err(error.context(cannot_write(path)))
            }
        }
    }

    fn write(self, mut table: Table<'_>, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        match self {
            Self::Complete(history) => complete(&history, &mut table)?,
            Self::Resimulated(tabulation) => tabulation.tabulate(&mut table, goes_on)?,
        }
        table.flush()?;
        Ok(())
    }
}

fn head(table: &mut Table<'_>, mut names: impl Iterator<Item = impl AsRef<[u8]>>) -> csv::Result<()> {
    table.write_field("step")?;
    table.write_field("t_s")?;
    names.try_for_each(|name| table.write_field(name))?;
    table.write_record(None::<&[u8]>)
}

fn row(table: &mut Table<'_>, step: u64, t_s: f64, values: impl Iterator<Item = f64>) -> csv::Result<()> {
    let t_s = math::decimal_product(t_s);
    table.write_record([step.to_string(), t_s.to_string()].into_iter().chain(values.map(|value| value.to_string())))
}

fn complete(history: &History, table: &mut Table<'_>) -> csv::Result<()> {
    head(table, history.names())?;
    for (place, step) in history.steps().iter().enumerate().filter(|(_, step)| **step > 0) {
        let values = (0..history.names().count()).map(|series| history.series(series)[place]);
        row(table, *step, history.time_s(*step), values)?;
    }
    Ok(())
}

impl Tabulation {
    fn tabulate(self, table: &mut Table<'_>, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        let steps = self.steps;
        let mut twin = self.plan.make(Workers::new(self.threads))?;
        let simulation = twin.simulation();
        head(table, simulation.metric_columns().iter().chain(&self.pins))?;
        // A path may lead to a robot that does not exist yet; turn rates need the heading before the first step.
        let watched = Watched { simulation, selected: self.selected };
        let pin = |path: &String| Pin::new(watched, path).ok();
        let mut pins: Vec<(&str, Option<Pin>)> = self.pins.iter().map(|path| (path.as_str(), pin(path))).collect();
        let mut edits = 0;
        for step in 1..=steps {
            ensure!(goes_on(), "{} of {steps} steps had been simulated again when the window closed", step - 1);
            twin.step();
            let simulation = twin.simulation();
            let edited = std::mem::replace(&mut edits, simulation.edits().len()) != simulation.edits().len();
            let watched = Watched { simulation, selected: self.selected };
            for (path, pin) in &mut pins {
                match pin {
                    Some(pin) => pin.observe(watched, edited),
                    None => *pin = Pin::new(watched, path).ok(),
                }
            }
            let of_pins = pins.iter().map(|(_, pin)| pin.as_ref().map_or(f64::NAN, |pin| pin.value(watched)));
            row(table, step, simulation.time().shown_s(), simulation.metrics().into_iter().chain(of_pins))?;
        }
        Ok(())
    }
}
