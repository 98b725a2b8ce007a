//! Many simulations of one source, with arrays over all of them.
//!
//! The simulations are stepped on several threads without the lock of the interpreter. Threads live for one call, so that
//! a process that was forked can use a batch.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use numpy::{PyArray1, PyArray3, PyArrayMethods as _};
use pyo3::prelude::*;
use swarmarium::agent::CommandForm;
use swarmarium::edit::{Edit, TakesEffect};
use swarmarium::formats::run_folder::RunFiles;
use swarmarium::problem::{Problem, Problems};
use swarmarium::scene::{Scene, constants};
use swarmarium::sensor::Gauge;
use swarmarium::simulation::{Recipe, Simulation};

use crate::column::{Column, Content};
use crate::error::{PoisonedError, catch, error, poisoned};
use crate::picture::Request;
use crate::source::{self, Options};
use crate::view::{self, View};

/// Steps of all simulations between two looks for signals such as Ctrl-C.
const SIGNAL_STEPS: u64 = 100;
/// Pieces of work for each thread: some take longer than others.
const PIECES: usize = 8;

/// The largest absolute value of usual commands, which no simulation refuses.
const USUAL_VALUE: f64 = 1e3;

/// Many simulations that a Python program owns.
#[pyclass(frozen, module = "swarmarium._native")]
pub struct Batch(Mutex<Inner>);

struct Inner {
    members: Vec<Member>,
    views: Vec<View>,
    recipe: Recipe,
    title: String,
    threads: usize,
    logs: bool,
    /// Whether all simulations took commands of all arrays, since an array was bound or a parameter was set.
    are_checked: bool,
    /// The losses and assumptions of an importer.
    warnings: Vec<String>,
}

/// One simulation of a batch.
struct Member {
    simulation: Simulation,
    /// The scene of the next start.
    scene: Scene,
    /// The scene of the present start.
    start: Scene,
    columns: Vec<MemberColumn>,
    /// The message of a panic.
    poison: Option<String>,
}

/// A column of an array, for one simulation.
struct MemberColumn {
    column: Column,
    /// The values to send before a step, if they are commands.
    commands: Vec<f64>,
    /// The present values.
    values: Vec<f64>,
}

impl Member {
    fn send_commands(&mut self, logs: bool) -> Result<(), String> {
        // A parameter that was set can be the controller.
        if self.simulation.waiting_edits().len() > 0 {
            self.simulation.flush_edits();
        }
        for MemberColumn { column, commands, values } in &mut self.columns {
            let Content::Commands(form) = column.content else { continue };
            if commands.iter().zip(values.iter()).all(|(new, old)| new.to_bits() == old.to_bits()) {
                continue;
            }
            let sent = send(&mut self.simulation, form, column, commands, logs);
            sent.map_err(|problem| problem.message)?;
        }
        Ok(())
    }

    /// Whether it has not begun yet.
    fn is_new(&self) -> bool {
        self.simulation.steps() == 0
    }

    fn fill(&mut self) {
        for MemberColumn { column, values, .. } in &mut self.columns {
            column.fill(&self.simulation, values);
        }
    }

    fn restart(&mut self, recipe: &Recipe) -> Result<(), Problems> {
        if self.poison.take().is_some() {
            self.simulation = Simulation::with(&self.scene, recipe, 1)?;
        } else {
            self.simulation.restart(&self.scene)?;
        }
        self.start.clone_from(&self.scene);
        Ok(())
    }
}

/// Commands the agents that are still there.
fn send(
    simulation: &mut Simulation,
    form: CommandForm,
    column: &Column,
    commands: &[f64],
    logs: bool,
) -> Result<(), Problem> {
    let is_gone = |place: &usize| column.is_gone(*place);
    if !logs && !(0..column.agents.len()).any(|place| is_gone(&place)) {
        return simulation.command(form, &column.agents, commands);
    }
    let there: Vec<usize> = (0..column.agents.len()).filter(|place| !is_gone(place)).collect();
    let agents: Vec<u32> = there.iter().map(|place| column.agents[*place]).collect();
    let row = |place: &usize| &commands[place * column.width..(place + 1) * column.width];
    let values: Vec<f64> = there.iter().flat_map(row).copied().collect();
    if logs {
        simulation.apply(Edit::Command { form, agents, values })
    } else {
        simulation.command(form, &agents, &values)
    }
}

impl Inner {
    /// Does something with every member, on all threads. The first problem is returned, with the place of its simulation.
    fn each(&mut self, act: impl Fn(usize, &mut Member) -> Result<(), String> + Sync) -> Result<(), (usize, String)> {
        let Self { members, threads, .. } = self;
        let size = (members.len() / (*threads * PIECES)).max(1);
        let pieces = Mutex::new(members.chunks_mut(size).enumerate());
        let first: Mutex<Option<(usize, String)>> = Mutex::new(None);
        let work = || {
            loop {
                let piece = pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((piece, members)) = piece else { return };
                for (place, member) in members.iter_mut().enumerate() {
                    let place = piece * size + place;
                    let done = catch(|| act(place, member)).unwrap_or_else(|message| {
                        member.poison = Some(message.clone());
                        Err(message)
                    });
                    if let Err(message) = done {
                        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                        if first.as_ref().is_none_or(|(known, _)| place < *known) {
                            *first = Some((place, message));
                        }
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..*threads {
                scope.spawn(work);
            }
            work();
        });
        first.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn refuse(&self, (place, message): (usize, String)) -> PyErr {
        match self.members.get(place).is_some_and(|member| member.poison.is_some()) {
            true => PoisonedError::new_err(format!("simulation {place} panicked: {message}; reset it to go on")),
            false => error(format!("simulation {place}: {message}")),
        }
    }

    fn check_alive(&self) -> PyResult<()> {
        let dead = self.members.iter().enumerate().find_map(|(place, member)| Some((place, member.poison.as_ref()?)));
        match dead {
            Some((place, message)) => Err(self.refuse((place, message.clone()))),
            None => Ok(()),
        }
    }

    /// Copies the commands of the user to the simulations. Returns whether all values are usual ones.
    fn take_commands(&mut self, py: Python) -> PyResult<bool> {
        let (mut all, mut are_usual) = (Vec::new(), true);
        for (index, view) in self.views.iter().enumerate() {
            if !matches!(view.column.content, Content::Commands(_)) {
                continue;
            }
            view.read(py, &mut all)?;
            are_usual &= all.iter().all(|value| value.abs() <= USUAL_VALUE);
            let length = view.column.len().max(1);
            for (member, values) in self.members.iter_mut().zip(all.chunks_exact(length)) {
                member.columns[index].commands.copy_from_slice(values);
            }
        }
        Ok(are_usual)
    }

    /// Drops the unused arrays.
    fn forget_unused(&mut self, py: Python) {
        for index in (0..self.views.len()).rev() {
            if !self.views[index].is_used(py) {
                self.views.remove(index);
                self.members.iter_mut().for_each(|member| drop(member.columns.remove(index)));
            }
        }
    }

    /// Shows the present state in all arrays.
    fn show(&mut self, py: Python) -> PyResult<()> {
        self.show_from(py, 0)
    }

    /// Shows the present state in the arrays from a place on.
    fn show_from(&mut self, py: Python, first: usize) -> PyResult<()> {
        for (index, view) in self.views.iter_mut().enumerate().skip(first) {
            let length = view.column.len();
            for (place, member) in self.members.iter().enumerate() {
                view.show(place * length, &member.columns[index].values);
            }
            view.take_back(py)?;
        }
        Ok(())
    }

    fn places(&self, places: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
        let count = self.members.len();
        let places = places.unwrap_or_else(|| (0..count).collect());
        match places.iter().find(|place| **place >= count) {
            Some(place) => Err(error(format!("there is no simulation {place}: the batch has {count}"))),
            None => Ok(places),
        }
    }
}

impl Batch {
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.0.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(error("another thread is using the batch")),
        }
    }
}

#[pymethods]
impl Batch {
    /// Makes a simulation for each seed.
    #[new]
    fn new(source: &str, options: Options, seeds: Vec<u64>, threads: usize, logs: bool, py: Python) -> PyResult<Self> {
        let loading = options.load(source)?;
        let branches = loading.folder.iter().flat_map(|folder| &folder.timeline().branches);
        if !loading.loaded.edits.is_empty() || branches.into_iter().any(|branch| !branch.edits.is_empty()) {
            return Err(error(format!("{source}: has edits, which a batch cannot replay: load it as a simulation")));
        }
        let warnings = loading.warnings();
        let kinds = loading.recipe.kinds();
        let scene_of = |seed: u64| {
            let mut scene = loading.scene().clone();
            constants::set(kinds, &mut scene, "seed", &seed.to_string()).map_err(error)?;
            PyResult::Ok(scene)
        };
        let scenes = seeds.into_iter().map(scene_of).collect::<PyResult<Vec<_>>>()?;
        let recipe = loading.recipe.clone();
        let make = |scene: Scene| {
            let simulation = Simulation::with(&scene, &recipe, 1)?;
            Ok(Member { simulation, start: scene.clone(), scene, columns: Vec::new(), poison: None })
        };
        let made = py.detach(|| {
            let size = scenes.len().div_ceil(threads).max(1);
            let parts: Vec<Vec<Scene>> = scenes.chunks(size).map(<[Scene]>::to_vec).collect();
            thread::scope(|scope| {
                let handles: Vec<_> = parts
                    .into_iter()
                    .map(|part| scope.spawn(|| part.into_iter().map(make).collect::<Result<Vec<_>, _>>()))
                    .collect();
                handles.into_iter().map(|handle| handle.join()).collect::<Vec<_>>()
            })
        });
        let mut members = Vec::new();
        for part in made {
            let part = part.map_err(|_| poisoned("it could not start"))?;
            members.extend(part.map_err(|problems| loading.refuse(problems))?);
        }
        Ok(Self(Mutex::new(Inner {
            members,
            views: Vec::new(),
            title: loading.title(),
            recipe: loading.recipe,
            threads,
            logs,
            are_checked: false,
            warnings,
        })))
    }

    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.warnings.clone())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.inner()?.members.len())
    }

    /// Advances every simulation by a number of steps, with the commands in the arrays. If one of the commands is refused,
    /// no simulation advances.
    fn step(&self, py: Python, steps: u64) -> PyResult<()> {
        let mut inner = self.inner()?;
        inner.check_alive()?;
        if steps == 0 {
            return Ok(());
        }
        let are_usual = inner.take_commands(py)?;
        let inner = &mut *inner;
        let logs = inner.logs;
        // A second pass over all simulations costs as much as a step of small ones. Usual commands of robots that took
        // commands before are not refused.
        let mut are_sent = !are_usual || !inner.are_checked;
        if are_sent {
            let sent = py.detach(|| inner.each(|_, member| member.send_commands(logs)));
            sent.map_err(|problem| inner.refuse(problem))?;
            inner.are_checked = true;
        }
        let mut left = steps;
        while left > 0 {
            let piece = left.min(SIGNAL_STEPS);
            left -= piece;
            let done = py.detach(|| {
                inner.each(|_, member| {
                    if !are_sent {
                        member.send_commands(logs)?;
                    }
                    member.simulation.step(piece);
                    if left == 0 {
                        member.fill();
                    }
                    Ok(())
                })
            });
            are_sent = true;
            let interruption = if left > 0 { py.check_signals().err() } else { None };
            if done.is_err() || interruption.is_some() {
                inner.members.iter_mut().filter(|member| member.poison.is_none()).for_each(Member::fill);
                inner.show(py)?;
                done.map_err(|problem| inner.refuse(problem))?;
                return interruption.map_or(Ok(()), Err);
            }
        }
        inner.show(py)
    }

    /// An array that shows a column of all simulations; the first axis is that of the simulations.
    fn bind<'py>(&self, py: Python<'py>, name: &str, form: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let form = view::form(form)?;
        let mut inner = self.inner()?;
        inner.check_alive()?;
        let Some(first) = inner.members.first() else { return Err(error("the batch is empty")) };
        let column = Column::named(&first.simulation, name, form).map_err(error)?;
        if let Some(array) = inner.views.iter().find(|view| view.is(name, &column)).and_then(|view| view.array(py)) {
            return array;
        }
        inner.forget_unused(py);
        inner.are_checked = false;
        let mut columns = Vec::new();
        for (place, member) in inner.members.iter().enumerate() {
            let own = Column::named(&member.simulation, name, form).map_err(error)?;
            if own.shape() != column.shape() {
                let (own, first) = (own.shape(), column.shape());
                let message = format!("`{name}`: simulation {place} has the shape {own:?}, and simulation 0 {first:?}");
                return Err(error(message));
            }
            columns.push(own);
        }
        let inner = &mut *inner;
        let (view, array) = View::new(py, name, column, Some(inner.members.len()))?;
        for (member, column) in inner.members.iter_mut().zip(columns) {
            let zeros = vec![0.0; column.len()];
            let mut own = MemberColumn { column, commands: zeros.clone(), values: zeros };
            own.column.fill(&member.simulation, &mut own.values);
            member.columns.push(own);
        }
        inner.views.push(view);
        inner.show_from(py, inner.views.len() - 1)?;
        Ok(array)
    }

    /// Starts some simulations again, each with its own seed if there are seeds.
    fn reset(&self, py: Python, places: Option<Vec<usize>>, seeds: Option<Vec<u64>>) -> PyResult<()> {
        let mut inner = self.inner()?;
        let places = inner.places(places)?;
        if let Some(seeds) = &seeds {
            if seeds.len() != places.len() {
                return Err(error(format!(
                    "expected a seed for each of {} simulations, found {}",
                    places.len(),
                    seeds.len()
                )));
            }
            let kinds = inner.recipe.kinds().clone();
            for (place, seed) in places.iter().zip(seeds) {
                let scene = &mut inner.members[*place].scene;
                constants::set(&kinds, scene, "seed", &seed.to_string()).map_err(error)?;
            }
        }
        let mut wanted = vec![false; inner.members.len()];
        places.iter().for_each(|place| wanted[*place] = true);
        // The commands of the others stay in the arrays.
        inner.take_commands(py)?;
        let inner = &mut *inner;
        let recipe = inner.recipe.clone();
        let done = py.detach(|| {
            inner.each(|place, member| {
                if wanted[place] {
                    member.restart(&recipe).map_err(|problems| problems.to_string())?;
                    member.fill();
                    for own in &mut member.columns {
                        own.commands.clone_from(&own.values);
                    }
                }
                Ok(())
            })
        });
        inner.show(py)?;
        for (index, view) in inner.views.iter().enumerate() {
            if matches!(view.column.content, Content::Commands(_)) {
                let all: Vec<f64> =
                    inner.members.iter().flat_map(|member| member.columns[index].commands.iter().copied()).collect();
                view.write(py, &all)?;
            }
        }
        done.map_err(|problem| inner.refuse(problem))
    }

    /// Sets a parameter of some simulations, each to its own value. Returns whether the change waits for a reset.
    fn set(&self, path: &str, values: Vec<String>, places: Option<Vec<usize>>) -> PyResult<bool> {
        let mut inner = self.inner()?;
        let places = inner.places(places)?;
        if values.len() != places.len() {
            return Err(error(format!(
                "expected a value for each of {} simulations, found {}",
                places.len(),
                values.len()
            )));
        }
        inner.are_checked = false;
        let kinds = inner.recipe.kinds().clone();
        let mut waits = false;
        // All values are checked before the first one is set.
        let mut scenes = Vec::new();
        for (place, value) in places.iter().zip(&values) {
            let member = &inner.members[*place];
            let refuse = |problem: Problem| error(format!("simulation {place}: {problem}"));
            let mut scene = member.scene.clone();
            let changes = constants::set(&kinds, &mut scene, path, value).map_err(refuse)?;
            let is_waiting = |change: &constants::Change| TakesEffect::of_path(&change.path) == TakesEffect::AtReset;
            if member.poison.is_none() && !member.is_new() {
                member.simulation.check(&Edit::Set { path: path.into(), value: value.clone() }).map_err(refuse)?;
                waits |= changes.iter().any(is_waiting);
            }
            scenes.push(scene);
        }
        let recipe = inner.recipe.clone();
        for ((place, value), scene) in places.into_iter().zip(values).zip(scenes) {
            let member = &mut inner.members[place];
            let before = std::mem::replace(&mut member.scene, scene);
            if member.poison.is_none() && member.is_new() {
                // It starts with the value, as if it had been loaded with it.
                if let Err(problems) = member.restart(&recipe) {
                    member.scene = before;
                    let _ = member.restart(&recipe);
                    return Err(error(format!("simulation {place}: {problems}")));
                }
                member.fill();
            } else if member.poison.is_none() {
                let set = member.simulation.apply(Edit::Set { path: path.into(), value });
                set.map_err(|problem| error(format!("simulation {place}: {problem}")))?;
            }
        }
        Ok(waits)
    }

    /// The hash of each simulation.
    fn hashes(&self, py: Python) -> PyResult<Vec<u64>> {
        let mut inner = self.inner()?;
        inner.check_alive()?;
        let hashes: Vec<_> = inner.members.iter().map(|_| AtomicU64::new(0)).collect();
        let inner = &mut *inner;
        let done = py.detach(|| {
            inner.each(|place, member| {
                let hash = member.simulation.hash_of_step().0;
                hashes[place].store(hash, Ordering::Relaxed);
                Ok(())
            })
        });
        done.map_err(|problem| inner.refuse(problem))?;
        Ok(hashes.into_iter().map(AtomicU64::into_inner).collect())
    }

    /// The number of steps of each simulation.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let steps: Vec<u64> = self.inner()?.members.iter().map(|member| member.simulation.steps()).collect();
        Ok(PyArray1::from_vec(py, steps))
    }

    /// Whether each simulation has ended, according to the `stop` of its scene.
    fn ended<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let ended: Vec<bool> = self.inner()?.members.iter().map(|member| member.simulation.is_at_end()).collect();
        Ok(PyArray1::from_vec(py, ended))
    }

    /// The duration of a step (s).
    fn dt_s(&self) -> PyResult<f64> {
        Ok(self.inner()?.members.first().map_or(0.0, |member| member.simulation.time().dt_s))
    }

    /// The names of the groups, with the numbers of their agents in the first simulation.
    fn groups(&self) -> PyResult<Vec<(String, Vec<u32>)>> {
        let inner = self.inner()?;
        let Some(first) = inner.members.first() else { return Ok(Vec::new()) };
        let members = first.simulation.members();
        let of = |group: usize| members.iter().filter(move |(_, member)| member.group as usize == group);
        let groups = first.simulation.scene().groups.iter().enumerate();
        Ok(groups.map(|(place, group)| (group.name.clone(), of(place).map(|(number, _)| *number).collect())).collect())
    }

    /// The names of the metrics' columns.
    fn metric_columns(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.members.first().map_or_else(Vec::new, |member| member.simulation.metric_columns()))
    }

    /// The smallest and largest reading of each channel of an agent, by the displays of its sensors; infinite for readings
    /// without a range.
    fn reading_ranges(&self, agent: u32) -> PyResult<Vec<(f64, f64)>> {
        let inner = self.inner()?;
        let Some(first) = inner.members.first() else { return Ok(Vec::new()) };
        let found = first.simulation.agent(agent).ok_or_else(|| error(format!("there is no agent {agent}")))?;
        let range = |gauge: Gauge| match gauge {
            Gauge::Numbers => (f64::NEG_INFINITY, f64::INFINITY),
            Gauge::Lamps | Gauge::Cone { .. } => (0.0, 1.0),
            Gauge::Bars { empty: one, full: other } | Gauge::Rays { blocked: one, free: other, .. } => {
                (one.min(other), one.max(other))
            }
        };
        let senses = found.senses();
        Ok(senses.iter().flat_map(|sense| vec![range(sense.gauge()); sense.reading.len()]).collect())
    }

    /// A parameter of the scene, in its notation; `None` if there is none at the path.
    fn get(&self, name: &str) -> PyResult<Option<String>> {
        let inner = self.inner()?;
        let Some(first) = inner.members.first() else { return Ok(None) };
        Ok(source::parameter(inner.recipe.kinds(), &first.scene, name).ok())
    }

    /// A picture of a simulation: an array of bytes with the axes height, width and channel (red, green, blue, alpha).
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        place: usize,
        size: [u16; 2],
        is_light: bool,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let request = Request::new(size, is_light)?;
        let inner = self.inner()?;
        inner.places(Some(vec![place]))?;
        let pixels = catch(|| request.paint(&inner.members[place].simulation)).map_err(|message| poisoned(&message))?;
        PyArray1::from_vec(py, pixels).reshape(request.shape())
    }

    /// The size of the arena (m).
    fn arena(&self) -> PyResult<[f64; 2]> {
        let size = self.inner()?.members.first().map(|member| member.start.arena.size_m);
        Ok(size.map_or([0.0; 2], |size| [size.x, size.y]))
    }

    /// Saves the run of a simulation as a folder.
    fn save(&self, py: Python, place: usize, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let mut inner = self.inner()?;
        if !inner.logs {
            return Err(error("the batch logs no commands, so that its runs cannot be saved: make it with log=True"));
        }
        inner.places(Some(vec![place]))?;
        inner.take_commands(py)?;
        let sent = inner.members[place].send_commands(true);
        sent.map_err(|message| inner.refuse((place, message)))?;
        let Member { simulation, start, .. } = &inner.members[place];
        let files = RunFiles::of_simulation(simulation, start, &inner.title).map_err(error)?;
        source::save(&files, &path, overwrite).map_err(error)
    }
}
