//! One simulation with its clock, its past and its arrays.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use swarmarium_base::files::shown;
use swarmarium_base::math::decimal_product;
use swarmarium_core::agent::CommandForm;
use swarmarium_core::events::ScriptFailures;
use swarmarium_core::radio::Packet;
use swarmarium_core::state;
use swarmarium_core::step::order::Order;
use swarmarium_formats::export::mcap::{self, LogOptions, LogRate, RunLog, TopicList};
use swarmarium_formats::run_folder::{At, RunFiles, RunFolder};
use swarmarium_host::clock::Host;
use swarmarium_host::timeline::{Moment, SavedTimeline};
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{constants, current, path};
use swarmarium_simulation::column::{Column, ColumnContent, form_name};
use swarmarium_simulation::edit::agents;
use swarmarium_simulation::edit::live::TakesEffect;
use swarmarium_simulation::edit::{Edit, log};

use crate::error::{catch, error, poisoned};
use crate::picture::Request;
use crate::run::{NumberedLog, Run, State, next_run};
use crate::source::{Loading, Options, parameter, save};
use crate::table::Table;
use crate::turns::Program;
use crate::view::{self, View};

mod access;

/// A simulation that a Python program owns.
#[pyclass(frozen, module = "swarmarium._native")]
pub struct Simulation {
    state: Mutex<State>,
    /// The process that made it, and its threads.
    process: u32,
    threads: usize,
}

/// A copy of the state of a simulation.
#[pyclass(frozen, module = "swarmarium._native")]
pub struct Snapshot {
    state: state::Snapshot,
    start: u64,
    /// The run that it was taken from.
    run: u64,
    moment: Moment,
}

#[pymethods]
impl Snapshot {
    /// The step at whose end it was taken.
    #[getter]
    fn step(&self) -> u64 {
        self.moment.step
    }
}

/// A message: sender, age in seconds, numbers, and range with bearing if the radio measures them.
type Heard = (u32, f64, Vec<f64>, Option<(f64, f64)>);

/// The messages that the radio of an agent keeps.
fn heard_by(simulation: &swarmarium_simulation::Simulation, agent: u32) -> PyResult<Vec<Heard>> {
    if simulation.agent(agent).is_none() {
        return Err(error(format!("there is no agent {agent}")));
    }
    let (time, has_positions) = (simulation.time(), simulation.hears_positions(agent));
    let message = |packet: &Packet| {
        let age_s = decimal_product(packet.age_steps(time.step) as f64 * time.dt_s);
        let place = has_positions.then(|| (packet.range_m(), packet.bearing_rad()));
        (packet.sender, age_s, packet.numbers.to_vec(), place)
    };
    Ok(simulation.heard(agent).iter().map(message).collect())
}

/// The edits of a source, as branches of a timeline.
fn history(loading: &Loading) -> Option<SavedTimeline> {
    match &loading.folder {
        Some(folder) => Some(folder.timeline().clone()),
        None => {
            let edits = loading.loaded.edits.clone();
            let last = edits.last().map_or(0, |logged| logged.step);
            (!edits.is_empty()).then(|| SavedTimeline::of_run(last, edits))
        }
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(source: &str, options: Options, at: Option<&str>, branch: Option<&str>, py: Python) -> PyResult<Self> {
        if at.is_some() && options.changes_scene() {
            let message = "a run at a later moment has the seed and the values of its past: leave out `at`, or change values of the \
                           simulation";
            return Err(error(format!("{}: {message}", options.name_of(source))));
        }
        let loading = options.load(source)?;
        let made = py.detach(|| catch(|| Host::new(loading.scene(), &loading.recipe, loading.threads)));
        let mut host = made.map_err(|message| poisoned(&message))?.map_err(|problems| loading.refuse(problems))?;
        let history = history(&loading);
        if let Some(saved) = &history {
            host.keep_track();
            host.load_timeline(saved).map_err(error)?;
        }
        let (scene, dt_s) = (loading.scene(), host.simulation().time().dt_s);
        let start = current::digest(loading.recipe.kinds(), scene);
        let inner = Run {
            warnings: loading.warnings(),
            tracks: history.is_some(),
            begin: loading.loaded.begin,
            has_end: loading.folder.as_ref().is_some_and(RunFolder::has_end),
            ..Run::new(host, start, loading.title())
        };
        let made = Self::of_run(inner, loading.threads);
        if at.is_some() || branch.is_some() {
            let Some(folder) = &loading.folder else {
                return Err(error(format!("{}: is not a run folder: at and branch need one", options.name_of(source))));
            };
            let at = at.map(str::parse::<At>).transpose().map_err(|problem| error(format!("at: {problem}")))?;
            let moment = folder.moment(at.as_ref(), branch, dt_s).map_err(error)?;
            made.jump(py, |inner| {
                let branch = inner.host.timeline().named(&moment.branch).map_err(error)?.id();
                inner.host.switch(Moment { branch, step: moment.step }).map_err(error)
            })?;
        }
        Ok(made)
    }

    fn warnings(&self) -> PyResult<Vec<String>> {
        self.read(|inner| inner.warnings.clone())
    }

    /// The groups with robots that found no room so far, as lines of text.
    fn without_room(&self) -> PyResult<Vec<String>> {
        self.read(|inner| inner.simulation().without_room().iter().map(ToString::to_string).collect())
    }

    /// The warnings about the start of a run, as lines of text; empty later.
    fn start_warnings(&self) -> PyResult<Vec<String>> {
        self.read(|inner| inner.simulation().start_warnings().iter().map(ToString::to_string).collect())
    }

    /// The failures of scripts so far, equal ones once, as lines of text.
    fn failed_scripts(&self) -> PyResult<Vec<String>> {
        let first = |failures: &ScriptFailures| ScriptFailures { others: 0, ..*failures }.to_string();
        self.read(|inner| inner.simulation().events().script_failures().iter().map(first).collect())
    }

    fn title(&self) -> PyResult<String> {
        self.read(|inner| inner.title.clone())
    }

    fn step(&self, py: Python, steps: u64) -> PyResult<u64> {
        self.advance_to(py, |inner| inner.simulation().steps().saturating_add(steps), false)
    }

    /// As `step`, but ends early where the `stop.when` of the scene holds.
    fn run(&self, py: Python, steps: u64) -> PyResult<u64> {
        self.advance_to(py, |inner| inner.simulation().steps().saturating_add(steps), true)
    }

    /// One step in sequential order, in which a program acts in the turns of robots: `deciders` before they decide, and
    /// before the sensors in the listed slots read. `act(agent, slot)` returns numbers, or `None`; `slot` is `None` for a
    /// decision. Arrays show the state within the step. If the program fails, the simulation is at the step before.
    fn step_in_turns(
        &self,
        py: Python,
        act: Py<PyAny>,
        deciders: BTreeMap<u32, Vec<usize>>,
        form: Option<&str>,
    ) -> PyResult<()> {
        let form = view::form(form)?.unwrap_or(CommandForm::Drive);
        let mut used = self.in_use()?;
        let inner = used.inner()?;
        inner.send_written(py)?;
        let program = Program::new(act, deciders, form, std::mem::take(&mut inner.views));
        let turns = Box::new(program.clone());
        let done = used.detached(py, |inner| {
            let done = inner.host.step_in_turns(turns);
            if done.is_ok() {
                inner.tables.note_step(inner.host.simulation());
            }
            done
        });
        let inner = used.inner()?;
        let failure = program.give_back(&mut inner.views);
        used.refresh(py)?;
        match failure {
            Some(failure) => Err(failure),
            None => {
                done?.map_err(error)?;
                used.inner()?.tables.raise_log_error()
            }
        }
    }

    /// Whether robots act one after another, by number.
    fn is_sequential(&self) -> PyResult<bool> {
        self.read(|inner| inner.simulation().scene().order == Order::Sequential)
    }

    /// The state of the random numbers of `random_source: Classic`, as numpy has it: of an agent, or of the source of
    /// seeds. `None` in other scenes.
    fn chain(&self, agent: Option<u32>) -> PyResult<Option<(u128, u128, u32, bool)>> {
        self.read(|inner| inner.simulation().classic_random_state(agent))
    }

    /// The number of steps until the end of the scene.
    fn run_length(&self) -> PyResult<u64> {
        self.read(|inner| {
            let simulation = inner.simulation();
            let end = match inner.host.is_in_past() && inner.has_end {
                true => inner.host.live_end(),
                false => simulation.scene().stop.most_steps(simulation.time().dt_s),
            };
            end.saturating_sub(simulation.steps())
        })
    }

    /// Whether the `stop.when` of the scene holds.
    fn condition_holds(&self) -> PyResult<bool> {
        self.read(|inner| inner.begin <= inner.simulation().steps() && inner.simulation().condition_holds())
    }

    /// Applies the edits that wait for the next step.
    fn flush(&self, py: Python) -> PyResult<()> {
        self.change(py, |inner| {
            inner.host.flush_edits();
            Ok(())
        })
    }

    /// A hash of the identities of all agents: it changes when agents are added or removed.
    fn population(&self) -> PyResult<u64> {
        self.read(|inner| inner.simulation().population_tag())
    }

    /// The number of steps, the duration of a step (s), and whether the run has ended.
    fn time(&self) -> PyResult<(u64, f64, bool)> {
        self.read(|inner| {
            let (simulation, time) = (inner.simulation(), inner.simulation().time());
            (time.step, time.dt_s, simulation.is_at_end())
        })
    }

    fn end_reason(&self) -> PyResult<Option<String>> {
        self.read(|inner| inner.simulation().end_reason())
    }

    fn hash(&self, py: Python) -> PyResult<u64> {
        self.in_use()?.detached(py, |inner| inner.simulation().hash_of_step().0)
    }

    fn seed(&self) -> PyResult<u64> {
        self.read(|inner| inner.host.start().seed)
    }

    fn snapshot(&self, py: Python) -> PyResult<Snapshot> {
        let mut used = self.in_use()?;
        used.inner()?.send_written(py)?;
        used.detached(py, |inner| {
            inner.host.flush_edits();
            Snapshot {
                state: inner.simulation().snapshot(),
                start: inner.start,
                run: inner.id,
                moment: inner.host.moment(),
            }
        })
    }

    fn restore(&self, py: Python, snapshot: &Snapshot) -> PyResult<()> {
        let (start, run, tracks) = self.read(|inner| (inner.start, inner.id, inner.tracks))?;
        if start != snapshot.start {
            return Err(error("the snapshot is of another run: its scene or its seed differs"));
        }
        if tracks && run != snapshot.run {
            return Err(error("the snapshot is of another run, and the timeline of this one has no such moment"));
        }
        if tracks {
            return self.jump(py, |inner| inner.host.switch(snapshot.moment).map_err(error));
        }
        self.replace(py, |inner| {
            inner.tables.clear();
            inner.host.restore(&snapshot.state).map_err(error)
        })
    }

    /// Sets a parameter. Returns whether the change waits for a reset.
    fn set(&self, py: Python, path: &str, value: &str) -> PyResult<bool> {
        self.change(py, |inner| {
            let simulation = inner.host.simulation();
            let resolved = constants::resolve(simulation.kinds(), simulation.scene_ahead(), path);
            let waits = resolved.is_ok_and(|path| TakesEffect::of_path(&path) == TakesEffect::AtReset);
            let edit = Edit::Set { path: path.into(), value: value.into() };
            inner.host.apply(edit).map_err(error)?;
            Ok(waits)
        })
    }

    /// A parameter in the notation of scenes.
    fn get(&self, name: &str) -> PyResult<String> {
        self.read(|inner| {
            let simulation = inner.simulation();
            let kinds = simulation.kinds();
            let of_agent = name.strip_prefix("agents.").and_then(|rest| {
                let (number, rest) = rest.split_once('.').unwrap_or((rest, ""));
                Some((simulation.agent(number.parse().ok()?)?, rest))
            });
            if let Some((agent, rest)) = of_agent {
                let group = agents::description_ahead(&agent);
                let value = if rest.is_empty() { Ok(&group as _) } else { path::get(kinds, &group, rest) };
                return value.map(|value| write(kinds, value, Style::Short)).map_err(error);
            }
            parameter(kinds, simulation.scene_ahead(), name).map_err(error)
        })?
    }

    /// All parameters of the scene: paths, and values in the notation of scenes.
    fn parameters(&self) -> PyResult<Vec<(String, String)>> {
        self.read(|inner| {
            let simulation = inner.simulation();
            let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
            let leaves = path::leaves(kinds, scene).into_iter();
            leaves.map(|leaf| (leaf.path, write(kinds, leaf.value, Style::Short))).collect()
        })
    }

    /// Applies an edit in the notation of edit files.
    fn apply(&self, py: Python, text: &str) -> PyResult<()> {
        let logged = log::read("edit", &format!("[(step: 1, edit: {text})]")).map_err(error)?;
        self.change(py, |inner| logged.into_iter().try_for_each(|one| inner.host.apply(one.edit).map_err(error)))
    }

    /// The applied edits: the step, and the edit in the notation of edit files.
    fn edits(&self) -> PyResult<Vec<(u64, String)>> {
        self.read(|inner| {
            let text = |edit: &Edit| {
                let logged = swarmarium_simulation::edit::LoggedEdit::new(0, edit.clone());
                let line = log::write(std::slice::from_ref(&logged));
                let inside = line.trim().trim_start_matches('[').trim_end_matches(']').trim().trim_end_matches(',');
                inside
                    .strip_prefix("(step:0,edit:")
                    .and_then(|rest| rest.strip_suffix(')'))
                    .unwrap_or(inside)
                    .to_owned()
            };
            inner.simulation().edits().iter().map(|logged| (logged.step, text(&logged.edit))).collect()
        })
    }

    /// The scene at the start, or as edited, with all fields.
    fn scene_text(&self, is_start: bool, is_short: bool) -> PyResult<String> {
        self.read(|inner| {
            let simulation = inner.simulation();
            let scene = if is_start { inner.host.start() } else { simulation.scene_ahead() };
            write(
                simulation.kinds(),
                &scene.clone().without_placed(),
                if is_short { Style::Short } else { Style::Full },
            )
        })
    }

    /// Saves the run as a folder.
    fn save(&self, py: Python, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let mut used = self.in_use()?;
        used.inner()?.send_written(py)?;
        let inner = used.inner()?;
        let files = RunFiles::from_host(&inner.host, &inner.title, inner.host.moment()).map_err(error)?;
        save(&files, &path, overwrite).map_err(error)
    }

    /// Starts again with the edited scene, perhaps with another seed and other values.
    fn reset(&self, py: Python, seed: Option<u64>, values: Vec<(String, String)>) -> PyResult<()> {
        self.replace(py, |inner| {
            let mut scene = inner.host.simulation().scene_ahead().clone();
            let kinds = inner.host.simulation().kinds().clone();
            let seed = seed.map(|seed| ("seed".to_owned(), seed.to_string()));
            for (path, value) in seed.into_iter().chain(values) {
                constants::set(&kinds, &mut scene, &path, &value).map_err(error)?;
            }
            let start = current::digest(&kinds, &scene);
            inner.host.load(scene).map_err(error)?;
            (inner.start, inner.id) = (start, next_run());
            inner.tables.metrics = Table::of_metrics(inner.host.simulation());
            inner.tables.trace = inner.tables.trace.take().map(|_| Table::of_trace(inner.host.simulation()));
            Ok(())
        })
    }

    /// The number, the name and the group of each agent.
    fn agents(&self) -> PyResult<Vec<(u32, String, u32)>> {
        self.read(|inner| {
            inner.simulation().agents().map(|agent| (agent.id.index(), agent.name(), agent.member.group)).collect()
        })
    }

    /// The name and the kind of controller of each group.
    fn groups(&self) -> PyResult<Vec<(String, String)>> {
        self.read(|inner| {
            let groups = inner.simulation().scene().groups.iter();
            let controller = |group: &Group| group.controller.value().reflect_short_type_path().to_owned();
            groups.map(|group| (group.name.clone(), controller(group))).collect()
        })
    }

    /// Sends messages by the radios of agents, equally long ones, at their next turns.
    fn send(&self, agents: Vec<u32>, values: PyReadonlyArray1<f64>) -> PyResult<()> {
        let edit = Edit::Message { agents, values: values.as_slice()?.to_vec() };
        self.in_use()?.attached(|inner| inner.host.apply(edit).map_err(error))?
    }

    /// The messages that the radios of agents keep: sender, age in seconds, numbers, and range with bearing if the radio
    /// measures them.
    fn heard(&self, agents: Vec<u32>) -> PyResult<Vec<Vec<Heard>>> {
        self.read(|inner| agents.iter().map(|agent| heard_by(inner.simulation(), *agent)).collect::<PyResult<_>>())?
    }

    /// The notes on the scene: names and texts.
    fn notes(&self) -> PyResult<Vec<(String, String)>> {
        self.read(|inner| {
            let notes = inner.simulation().scene().metadata.iter();
            notes.map(|note| (note.name.clone(), note.text.clone())).collect()
        })
    }

    /// The sensors of an agent by slot: the name of the kind and the last reading.
    fn readings(&self, agent: u32) -> PyResult<Vec<(&'static str, Vec<f64>)>> {
        self.read(|inner| {
            let found = inner.simulation().agent(agent).ok_or_else(|| error(format!("there is no agent {agent}")))?;
            Ok(found.senses().iter().map(|sense| (sense.kind, sense.reading.to_vec())).collect())
        })?
    }

    /// The names of the metrics' columns, and the present values.
    fn metrics_now(&self) -> PyResult<(Vec<String>, Vec<f64>)> {
        self.read(|inner| (inner.simulation().metric_columns(), inner.simulation().metrics()))
    }

    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>)> {
        self.in_use()?.inner()?.tables.metrics.to_python(py)
    }

    /// Sets whether the metrics of steps are kept.
    fn keep_metrics(&self, are_kept: bool) -> PyResult<()> {
        self.in_use()?.attached(|inner| inner.tables.keeps_metrics = are_kept)
    }

    fn forget_tables(&self) -> PyResult<()> {
        self.in_use()?.attached(|inner| inner.tables.clear())
    }

    /// Begins a trace of poses and readings every so many steps from now on; 0 ends it and keeps its table.
    fn keep_trace(&self, every: u64) -> PyResult<()> {
        self.in_use()?.attached(|inner| {
            inner.tables.trace_every = every;
            if every > 0 {
                let simulation = inner.host.simulation();
                let mut table = Table::of_trace(simulation);
                table.add_trace(simulation);
                inner.tables.trace = Some(table);
            }
        })
    }

    /// The number of steps between two moments of the trace; 0 while nothing is added.
    fn trace_every(&self) -> PyResult<u64> {
        self.read(|inner| inner.tables.trace_every)
    }

    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Option<(Vec<String>, Bound<'py, PyArray2<f64>>)>> {
        let mut used = self.in_use()?;
        used.inner()?.tables.trace.as_ref().map(|table| table.to_python(py)).transpose()
    }

    /// Begins a log of messages of ROS 2 with the present state, in a file, and returns its number.
    fn begin_mcap(
        &self,
        py: Python,
        path: PathBuf,
        rate: Option<&str>,
        topics: Option<&str>,
        overwrite: bool,
    ) -> PyResult<u64> {
        let rate = rate.map(str::parse::<LogRate>).transpose().map_err(|problem| error(format!("rate: {problem}")))?;
        let topics =
            topics.map(str::parse::<TopicList>).transpose().map_err(|problem| error(format!("topics: {problem}")))?;
        let mut used = self.in_use()?;
        if let Some(NumberedLog { log, .. }) = &used.inner()?.tables.log {
            return Err(error(format!("{} is being written: close it first", shown(log.path()))));
        }
        mcap::check_path(&path, (!overwrite).then_some("overwrite=True")).map_err(error)?;
        let options = LogOptions { rate, topics };
        used.detached(py, |inner| {
            let log = RunLog::begin(&path, &options, inner.simulation()).map_err(error)?;
            let tables = &mut inner.tables;
            tables.logs += 1;
            tables.log = Some(NumberedLog { log, number: tables.logs });
            (tables.log_error, tables.log_counts) = (None, None);
            Ok(tables.logs)
        })?
    }

    /// Completes the log with a number, and returns the numbers of its messages and topics, and its size in bytes; `None` if an
    /// error has ended it.
    fn end_mcap(&self, py: Python, number: u64) -> PyResult<Option<(u64, usize, u64)>> {
        let mut used = self.in_use()?;
        let tables = &mut used.inner()?.tables;
        if tables.logs != number {
            return Ok(None);
        }
        let counts = match tables.log.take() {
            Some(NumberedLog { log, .. }) => Some(used.detached(py, |_| log.finish())?.map_err(error)?),
            None => tables.log_counts,
        };
        Ok(counts.map(|counts| (counts.messages, counts.topics, counts.bytes)))
    }

    /// The step, the simulated time, the agent and the text of each event in the log.
    fn events(&self) -> PyResult<Vec<(u64, f64, u32, String)>> {
        self.read(|inner| {
            let dt_s = inner.simulation().time().dt_s;
            let events = inner.simulation().events().since(0);
            events
                .map(|event| {
                    (event.step, decimal_product(event.step as f64 * dt_s), event.who.index(), event.text.to_string())
                })
                .collect()
        })
    }

    /// An array that shows a column.
    fn bind<'py>(&self, py: Python<'py>, name: &str, form: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let form = view::form(form)?;
        let mut used = self.in_use()?;
        let column = used.attached(|inner| Column::named(inner.simulation(), name, form))?.map_err(error)?;
        let inner = used.inner()?;
        if inner.views.iter().any(|view| view.is_earlier(name, &column)) {
            // Agents came or went: the earlier array stays as long as the user has it.
            inner.send_written(py)?;
            inner.views.iter_mut().filter(|view| view.is_earlier(name, &column)).for_each(View::release);
        }
        if let Some(array) = inner.views.iter().find(|view| view.is(name, &column)).and_then(|view| view.array(py)) {
            return array;
        }
        let (mut view, array) = View::new(py, name, column, None)?;
        let host = &inner.host;
        catch(|| view.refresh(py, host.simulation())).map_err(|message| poisoned(&message))??;
        inner.views.push(view);
        Ok(array)
    }

    /// The agents and the form of a column of commands.
    fn commanded(&self, name: &str, form: Option<&str>) -> PyResult<(Vec<u32>, &'static str)> {
        let form = view::form(form)?;
        let column = self.read(|inner| Column::named(inner.simulation(), name, form))?.map_err(error)?;
        match *column.content() {
            ColumnContent::Commands(form) => Ok((column.agents().to_vec(), form_name(form))),
            _ => Err(error(format!("`{name}`: is not a column of commands"))),
        }
    }

    /// A picture of the present state, as a PNG file.
    fn picture<'py>(&self, py: Python<'py>, size: [u64; 2], is_light: bool) -> PyResult<Bound<'py, PyBytes>> {
        let request = Request::new(size, is_light)?;
        let png = self.in_use()?.detached(py, |inner| request.png(inner.simulation()))?;
        Ok(PyBytes::new(py, &png.map_err(error)?))
    }

    /// Keeps the past from now on. The steps so far are a part of it, unless a snapshot was restored.
    fn keep_past(&self) -> PyResult<()> {
        self.in_use()?.attached(|inner| {
            if !inner.tracks {
                inner.host.keep_track();
                inner.tracks = true;
            }
        })
    }

    /// Goes to a moment: the end of a step, a time of the present branch, or a bookmark.
    fn seek(&self, py: Python, at: &str) -> PyResult<()> {
        let at: At = at.parse().map_err(|problem| error(format!("at: {problem}")))?;
        self.jump(py, |inner| {
            let sought = match &at {
                At::Step(step) => inner.host.seek(*step),
                At::Time(time_s) => inner.host.seek((time_s / inner.simulation().time().dt_s).round() as u64),
                At::Bookmark(name) => {
                    let moment = inner.host.timeline().bookmarked(name);
                    moment.and_then(|moment| inner.host.switch(moment))
                }
                _ => return Err(error("at: expected a step, a time or the name of a bookmark")),
            };
            sought.map_err(error)
        })
    }

    fn switch(&self, py: Python, branch: &str, step: Option<u64>) -> PyResult<()> {
        self.jump(py, |inner| {
            let (branch, end) = {
                let found = inner.host.timeline().named(branch).map_err(error)?;
                (found.id(), found.end())
            };
            inner.host.switch(Moment { branch, step: step.unwrap_or(end) }).map_err(error)
        })
    }

    fn fork(&self, py: Python, name: Option<&str>) -> PyResult<String> {
        self.change(py, |inner| {
            let id = inner.host.fork(name).map_err(error)?;
            let branch = inner.host.timeline().branch(id);
            Ok(branch.map_or_else(String::new, |branch| branch.name().to_owned()))
        })
    }

    /// The name, the parent with the step where it leaves it, and the last step of each branch; and the present one.
    fn branches(&self) -> PyResult<(Vec<(String, Option<(String, u64)>, u64)>, String)> {
        self.read(|inner| {
            let timeline = inner.host.timeline();
            let name = |id| timeline.branch(id).map_or_else(String::new, |branch| branch.name().to_owned());
            let branches = timeline.branches().map(|branch| {
                let parent = branch.parent().map(|parent| (name(parent.branch), parent.step));
                (branch.name().to_owned(), parent, branch.end())
            });
            (branches.collect(), timeline.present().name().to_owned())
        })
    }

    fn bookmark(&self, name: &str) -> PyResult<()> {
        self.in_use()?.attached(|inner| {
            let moment = inner.host.moment();
            inner.host.timeline_mut().bookmark(name, moment).map_err(error)
        })?
    }

    /// The name, the branch and the step of each bookmark.
    fn bookmarks(&self) -> PyResult<Vec<(String, String, u64)>> {
        self.read(|inner| {
            let timeline = inner.host.timeline();
            let name = |id| timeline.branch(id).map_or_else(String::new, |branch| branch.name().to_owned());
            let marks = timeline.bookmarks().iter();
            marks.map(|mark| (mark.name.clone(), name(mark.moment.branch), mark.moment.step)).collect()
        })
    }

    /// The last step of the present branch.
    fn live_end(&self) -> PyResult<u64> {
        self.read(|inner| inner.host.live_end())
    }

    /// The number of arrays that are filled, for tests.
    fn views(&self) -> PyResult<usize> {
        self.read(|inner| inner.views.len())
    }

    /// Panics, for tests.
    fn panic(&self, py: Python, message: &str) -> PyResult<()> {
        self.in_use()?.detached(py, |_| std::panic::panic_any(message.to_owned()))
    }
}
