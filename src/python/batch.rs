//! Many simulations of one source, with arrays over all of them.
//!
//! The simulations share a few worlds ([`swarmarium_simulation::batch`]), and are stepped on several threads without the lock of the
//! interpreter. A process that was forked starts the threads of a batch again.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use numpy::{PyArray1, PyArray3, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::sensor::Gauge;
use swarmarium_formats::run_folder::RunFiles;
use swarmarium_scene::scene::path::Assignment;
use swarmarium_scene::scene::writer::{self, Style};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::batch::{self, Start};
use swarmarium_simulation::column::Column;
use swarmarium_simulation::edit::{Edit, TakesEffect};
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::error::{PoisonedError, catch, error, poisoned};
use crate::memory;
use crate::picture::Request;
use crate::rows::{Columns, Rows, ThreadRows, rows_of};
use crate::source::{self, Options};
use crate::view::{self, View, ViewColumn};

/// Steps of all simulations between two looks for signals such as Ctrl-C.
const SIGNAL_STEPS: u64 = 100;

/// The largest absolute value of usual commands, which no simulation refuses.
const USUAL_VALUE: f64 = 1e3;

/// Many simulations that a Python program owns.
#[pyclass(frozen, module = "swarmarium._native")]
pub struct Batch(Mutex<Inner>);

struct Inner {
    batch: batch::Batch,
    /// The process that has the threads of the batch.
    process: u32,
    /// The next start of each simulation.
    next: Vec<Start>,
    /// Whether the seed of a start stands for everything that a seed changes in the scene.
    seeds_alone: bool,
    views: Vec<View>,
    /// The columns of the views in the worlds of each thread.
    columns: Vec<Columns>,
    /// The message of a panic of each simulation.
    poison: Vec<Option<String>>,
    recipe: Recipe,
    title: String,
    threads: usize,
    logs: bool,
    /// Whether all robots of all arrays of commands take these, as of the last check since an array was bound or a parameter
    /// was set.
    take_any_commands: bool,
    /// The losses and assumptions of an importer.
    warnings: Vec<String>,
}

impl Inner {
    /// Does something with every simulation and its part of the arrays, on all threads. The first problem is returned, with
    /// the place of its simulation.
    fn each(
        &mut self,
        act: impl Fn(usize, &mut Simulation, &mut Rows) -> Result<(), String> + Sync,
    ) -> Result<(), (usize, String)> {
        let Self { batch, views, columns, poison, .. } = self;
        let parts: Vec<ViewColumn> = views.iter().map(View::part).collect();
        columns.resize_with(batch.threads(), Columns::default);
        let mut threads = rows_of(views, &parts, columns, (batch.per_thread(), batch.len()));
        batch.each_with(&mut threads, poison, &|thread: &mut ThreadRows, place, simulation, poison| {
            let done = catch(|| act(place, simulation, &mut thread.rows_of(place, simulation)?));
            done.unwrap_or_else(|message| {
                *poison = Some(message.clone());
                resume_unwind(Box::new(message))
            })
        })
    }

    fn refuse(&self, (place, message): (usize, String)) -> PyErr {
        match self.poison.get(place).is_some_and(Option::is_some) {
            true => PoisonedError::new_err(format!("simulation {place} panicked: {message}; reset it to go on")),
            false => error(format!("simulation {place}: {message}")),
        }
    }

    fn check_alive(&self) -> PyResult<()> {
        let dead = self.poison.iter().enumerate().find_map(|(place, poison)| Some((place, poison.as_ref()?)));
        match dead {
            Some((place, message)) => Err(self.refuse((place, message.clone()))),
            None => Ok(()),
        }
    }

    /// Takes the commands of the user out of the arrays. Returns whether all values are usual ones.
    fn take_commands(&mut self, py: Python) -> PyResult<bool> {
        let mut are_usual = true;
        for view in &mut self.views {
            are_usual &= view.take_commands(py)?.iter().all(|value| value.abs() <= USUAL_VALUE);
        }
        Ok(are_usual)
    }

    /// A number about each simulation.
    fn of_each<T: Send + Default>(&mut self, of: &(impl Fn(&Simulation) -> T + Sync)) -> PyResult<Vec<T>> {
        let mut found: Vec<T> = (0..self.batch.len()).map(|_| T::default()).collect();
        let mut threads = vec![(); self.batch.threads()];
        let done = self.batch.each_with(&mut threads, &mut found, &|(), _, simulation, found| {
            *found = of(simulation);
            Ok(())
        });
        done.map_err(|problem| self.refuse(problem)).map(|()| found)
    }

    fn steps(&mut self) -> PyResult<Vec<u64>> {
        self.of_each(&Simulation::steps)
    }

    /// Drops the unused arrays.
    fn forget_unused(&mut self, py: Python) {
        self.views.retain(|view| view.is_used(py));
        self.columns.clear();
    }

    /// Fills and shows the last array alone: the user may have written into the others.
    fn fill_last(&mut self, py: Python) -> PyResult<()> {
        let filled = py.detach(|| {
            self.each(|_, simulation, rows| {
                rows.fill_last(simulation);
                Ok(())
            })
        });
        filled.map_err(|problem| self.refuse(problem))?;
        self.views.last().map_or(Ok(()), |last| last.take_back(py))
    }

    /// Shows the present state of all simulations that have not panicked.
    fn fill(&mut self, py: Python) -> PyResult<()> {
        self.refill(py)?;
        self.show(py)
    }

    /// Reads the present state of all simulations that have not panicked, without showing it.
    fn refill(&mut self, py: Python) -> PyResult<()> {
        let is_alive: Vec<bool> = self.poison.iter().map(Option::is_none).collect();
        let filled = py.detach(|| {
            self.each(|place, simulation, rows| {
                if is_alive[place] {
                    rows.fill(simulation);
                }
                Ok(())
            })
        });
        filled.map_err(|problem| self.refuse(problem))
    }

    /// Shows the present state in all arrays.
    fn show(&self, py: Python) -> PyResult<()> {
        self.views.iter().try_for_each(|view| view.take_back(py))
    }

    fn places(&self, places: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
        let count = self.batch.len();
        let places = places.unwrap_or_else(|| (0..count).collect());
        match places.iter().find(|place| **place >= count) {
            Some(place) => Err(error(format!("there is no simulation {place}: the batch has {count}"))),
            None => Ok(places),
        }
    }

    /// A start with another seed.
    fn reseeded(&self, start: &Start, seed: u64) -> PyResult<Start> {
        if self.seeds_alone {
            return Ok(Start { scene: start.scene.clone(), seed });
        }
        let scene = with_seed(&self.recipe, &start.scene, seed)?;
        Ok(Start { seed: scene.seed, scene: Arc::new(scene) })
    }

    /// Starts some simulations again. If all start with one scene, they share worlds.
    fn restart(&mut self, starts: Vec<(usize, Start)>) -> Result<(), (usize, Problems)> {
        for (place, start) in &starts {
            self.next[*place] = start.clone();
            self.poison[*place] = None;
        }
        let first = self.next[0].scene.clone();
        let share = self.next.iter().all(|start| Arc::ptr_eq(&start.scene, &first));
        if starts.len() == self.batch.len() && share && !Arc::ptr_eq(&first, &self.batch.start(0).scene) {
            self.batch = batch::Batch::new(&self.recipe, self.next.clone(), self.threads)?;
            self.columns.clear();
        } else {
            self.batch.restart(starts)?;
        }
        if self.logs {
            (0..self.batch.len()).for_each(|place| _ = self.batch.own(place));
        }
        Ok(())
    }
}

fn with_seed(recipe: &Recipe, scene: &Scene, seed: u64) -> PyResult<Scene> {
    let mut scene = scene.clone();
    constants::set(recipe.kinds(), &mut scene, "seed", &seed.to_string()).map_err(error)?;
    Ok(scene)
}

impl Batch {
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        let mut inner = match self.0.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(error("another thread is using the batch")),
        };
        if inner.process != process::id() {
            inner.process = process::id();
            inner.batch.replace_threads();
        }
        Ok(inner)
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
            let name = options.name_of(source);
            return Err(error(format!("{name}: has edits, which a batch cannot replay: load it as a simulation")));
        }
        let (warnings, recipe, scene) = (loading.warnings(), loading.recipe.clone(), Arc::new(loading.scene().clone()));
        // A constant can hold the seed, too.
        let other = with_seed(&recipe, &scene, scene.seed.wrapping_add(1))?;
        let written = |scene: &Scene| writer::write(recipe.kinds(), scene, Style::Full);
        let seeds_alone = written(&other) == written(&Scene { seed: other.seed, ..(*scene).clone() });
        let start = |seed: u64| match seeds_alone {
            true => Ok(Start { scene: scene.clone(), seed }),
            false => with_seed(&recipe, &scene, seed).map(|scene| Start { seed: scene.seed, scene: Arc::new(scene) }),
        };
        let next = seeds.into_iter().map(start).collect::<PyResult<Vec<_>>>()?;
        let refuse = |(_, problems)| loading.refuse(problems);
        let made = py.detach(|| batch::Batch::new(&recipe, next[..next.len().min(1)].to_vec(), 1));
        let one = made.map_err(refuse)?;
        memory::check(next.len(), one.bytes_of_one(), !one.places_with_own_world().is_empty() || logs)?;
        drop(one);
        let mut batch = py.detach(|| batch::Batch::new(&recipe, next.clone(), threads)).map_err(refuse)?;
        if logs {
            (0..batch.len()).for_each(|place| _ = batch.own(place));
        }
        let (title, poison) = (loading.title(), vec![None; next.len()]);
        let (views, columns) = (Vec::new(), Vec::new());
        let own = Inner {
            batch,
            process: process::id(),
            next,
            seeds_alone,
            views,
            columns,
            poison,
            recipe,
            title,
            threads,
            logs,
            take_any_commands: false,
            warnings,
        };
        Ok(Self(Mutex::new(own)))
    }

    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.warnings.clone())
    }

    /// The seed with which each simulation starts.
    fn seeds(&self) -> PyResult<Vec<u64>> {
        Ok(self.inner()?.next.iter().map(|start| start.seed).collect())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.inner()?.batch.len())
    }

    /// Advances every simulation by a number of steps, with the commands in the arrays. If one of the commands is refused,
    /// no simulation advances.
    fn step(&self, py: Python, steps: u64) -> PyResult<()> {
        let mut inner = self.inner()?;
        inner.check_alive()?;
        if steps == 0 {
            return Ok(());
        }
        let inner = &mut *inner;
        let are_usual = inner.take_commands(py)?;
        let logs = inner.logs;
        // A second pass over all simulations costs as much as a step of small ones. Usual commands of robots that take
        // commands are not refused.
        let mut are_sent = !are_usual || !inner.take_any_commands;
        if are_sent {
            let take_any = AtomicBool::new(true);
            let sent = py.detach(|| {
                inner.each(|_, simulation, rows| {
                    take_any.fetch_and(rows.send_commands(simulation, logs)?, Ordering::Relaxed);
                    Ok(())
                })
            });
            sent.map_err(|problem| inner.refuse(problem))?;
            inner.take_any_commands = take_any.into_inner();
        }
        let mut left = steps;
        while left > 0 {
            let piece = left.min(SIGNAL_STEPS);
            left -= piece;
            let done = py.detach(|| {
                inner.each(|_, simulation, rows| {
                    match (are_sent, logs) {
                        (true, _) => {}
                        (false, true) => _ = rows.send_commands(simulation, logs)?,
                        (false, false) => rows.send_unchecked(simulation),
                    }
                    simulation.step(piece);
                    if left == 0 {
                        rows.fill(simulation);
                    }
                    Ok(())
                })
            });
            are_sent = true;
            let interruption = if left > 0 { py.check_signals().err() } else { None };
            if done.is_err() || interruption.is_some() {
                inner.fill(py)?;
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
        let inner = &mut *inner;
        let own = |simulation: &Simulation| Column::named(simulation, name, form);
        let column = inner.batch.view(0, own).map_err(error)?;
        if let Some(array) = inner.views.iter().find(|view| view.is(name, &column)).and_then(|view| view.array(py)) {
            return array;
        }
        inner.forget_unused(py);
        inner.take_any_commands = false;
        // Those that share a world have the same columns.
        for place in inner.batch.places_with_own_world() {
            let own = inner.batch.view(place, own).map_err(error)?;
            if own.shape() != column.shape() {
                let (own, first) = (own.shape(), column.shape());
                let message = format!("`{name}`: simulation {place} has the shape {own:?}, and simulation 0 {first:?}");
                return Err(error(message));
            }
        }
        let (view, array) = View::new(py, name, column, Some(inner.batch.len()))?;
        inner.views.push(view);
        inner.fill_last(py)?;
        Ok(array)
    }

    /// Starts some simulations again, each with its own seed if there are seeds.
    fn reset(&self, py: Python, places: Option<Vec<usize>>, seeds: Option<Vec<u64>>) -> PyResult<()> {
        let mut inner = self.inner()?;
        let places = inner.places(places)?;
        if let Some(seeds) = seeds.as_ref().filter(|seeds| seeds.len() != places.len()) {
            let message = format!("expected a seed for each of {} simulations, found {}", places.len(), seeds.len());
            return Err(error(message));
        }
        let inner = &mut *inner;
        let start = |(index, place): (usize, &usize)| {
            let start = &inner.next[*place];
            let seed = seeds.as_ref().map(|seeds| seeds[index]);
            seed.map_or_else(|| Ok(start.clone()), |seed| inner.reseeded(start, seed)).map(|start| (*place, start))
        };
        let starts = places.iter().enumerate().map(start).collect::<PyResult<Vec<_>>>()?;
        // The commands of the others stay in the arrays.
        inner.take_commands(py)?;
        let done = py.detach(|| inner.restart(starts));
        let mut is_reset = vec![false; inner.batch.len()];
        places.iter().for_each(|place| is_reset[*place] = true);
        py.detach(|| {
            inner.each(|place, simulation, rows| {
                if is_reset[place] {
                    rows.fill(simulation);
                }
                Ok(())
            })
        })
        .map_err(|problem| inner.refuse(problem))?;
        inner.show(py)?;
        inner.views.iter_mut().try_for_each(|view| view.put_commands_back(py, &is_reset))?;
        done.map_err(|(place, problems)| error(format!("simulation {place}: {problems}")))
    }

    /// Sets a parameter of some simulations, each to its own value. Returns whether the change waits for a reset.
    fn set(&self, py: Python, path: &str, values: Vec<String>, places: Option<Vec<usize>>) -> PyResult<bool> {
        let mut inner = self.inner()?;
        let places = inner.places(places)?;
        if values.len() != places.len() {
            let message = format!("expected a value for each of {} simulations, found {}", places.len(), values.len());
            return Err(error(message));
        }
        let inner = &mut *inner;
        inner.take_any_commands = false;
        let kinds = inner.recipe.kinds().clone();
        let mut waits = false;
        // All values are checked before the first one is set. Simulations with the same scene and value share the new one.
        let mut known: BTreeMap<(*const Scene, &str), Arc<Scene>> = BTreeMap::new();
        let mut starts = Vec::new();
        let steps = inner.steps()?;
        for (place, value) in places.iter().zip(&values) {
            let refuse = |problem: Problem| error(format!("simulation {place}: {problem}"));
            let Start { scene: before, seed } = inner.next[*place].clone();
            let mut scene = Scene { seed, ..(*before).clone() };
            let changes = constants::set(&kinds, &mut scene, path, value).map_err(refuse)?;
            let is_waiting = |change: &Assignment| TakesEffect::of_path(&change.path) == TakesEffect::AtReset;
            if inner.poison[*place].is_none() && steps[*place] > 0 {
                let edit = Edit::Set { path: path.into(), value: value.clone() };
                inner.batch.own(*place).check(&edit).map_err(refuse)?;
                waits |= changes.iter().any(is_waiting);
            }
            let seed = scene.seed;
            let shared = known.entry((Arc::as_ptr(&before), value)).or_insert_with(|| {
                scene.seed = before.seed;
                Arc::new(scene)
            });
            starts.push((*place, Start { scene: shared.clone(), seed }));
        }
        let (new, begun): (Vec<_>, Vec<_>) =
            starts.into_iter().zip(values).partition(|((place, _), _)| steps[*place] == 0);
        let before = inner.next.clone();
        // They start with the value, as if they had been loaded with it.
        let new: Vec<(usize, Start)> = new.into_iter().map(|(start, _)| start).collect();
        if !new.is_empty() {
            let again = new.iter().map(|(place, _)| (*place, before[*place].clone())).collect();
            if let Err((place, problems)) = py.detach(|| inner.restart(new)) {
                let _ = inner.restart(again);
                return Err(error(format!("simulation {place}: {problems}")));
            }
        }
        for ((place, start), value) in begun {
            inner.next[place] = start;
            if inner.poison[place].is_none() {
                let set = inner.batch.own(place).apply(Edit::Set { path: path.into(), value });
                set.map_err(|problem| error(format!("simulation {place}: {problem}")))?;
            }
        }
        // What the user wrote stays in the arrays of commands.
        inner.refill(py)?;
        inner.views.iter().filter(|view| !view.column.is_commands()).try_for_each(|view| view.take_back(py))?;
        Ok(waits)
    }

    /// Sends messages by the radios of agents of a simulation, equally long ones, at their next turns.
    fn send(&self, place: usize, agents: Vec<u32>, values: PyReadonlyArray1<f64>) -> PyResult<()> {
        let mut inner = self.inner()?;
        inner.check_alive()?;
        let edit = Edit::Message { agents, values: values.as_slice()?.to_vec() };
        let sent = inner.batch.own(place).apply(edit);
        sent.map_err(|problem| error(format!("simulation {place}: {problem}")))
    }

    /// The hash of each simulation.
    fn hashes(&self, py: Python) -> PyResult<Vec<u64>> {
        let mut inner = self.inner()?;
        inner.check_alive()?;
        let inner = &mut *inner;
        Ok(py.detach(|| inner.batch.view_each(&|_, simulation| simulation.hash_of_step().0)))
    }

    /// The number of steps of each simulation.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        // Signed, so that differences of steps are what they seem.
        let steps = self.inner()?.steps()?;
        Ok(PyArray1::from_iter(py, steps.into_iter().map(|step| step as i64)))
    }

    /// Whether each simulation has ended, according to the `stop` of its scene.
    fn ended<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        Ok(PyArray1::from_vec(py, self.inner()?.of_each(&Simulation::is_at_end)?))
    }

    /// The duration of a step (s).
    fn dt_s(&self) -> PyResult<f64> {
        Ok(self.inner()?.batch.view(0, |simulation| simulation.time().dt_s))
    }

    /// The names of the groups, with the numbers of their agents in the first simulation.
    fn groups(&self) -> PyResult<Vec<(String, Vec<u32>)>> {
        Ok(self.inner()?.batch.view(0, |first| {
            let members = first.members();
            let of = |group: usize| members.iter().filter(move |(_, member)| member.group as usize == group);
            let groups = first.scene().groups.iter().enumerate();
            groups.map(|(place, group)| (group.name.clone(), of(place).map(|(number, _)| *number).collect())).collect()
        }))
    }

    /// The names of the metrics' columns.
    fn metric_columns(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.batch.view(0, Simulation::metric_columns))
    }

    /// The smallest and largest reading of each channel of an agent, by the displays of its sensors; infinite for readings
    /// without a range.
    fn reading_ranges(&self, agent: u32) -> PyResult<Vec<(f64, f64)>> {
        let range = |gauge: Gauge| match gauge {
            Gauge::Numbers => (f64::NEG_INFINITY, f64::INFINITY),
            Gauge::Lamps | Gauge::Cone { .. } => (0.0, 1.0),
            Gauge::Bars { empty: one, full: other } | Gauge::Rays { blocked: one, free: other, .. } => {
                (one.min(other), one.max(other))
            }
        };
        self.inner()?.batch.view(0, |first| {
            let found = first.agent(agent).ok_or_else(|| error(format!("there is no agent {agent}")))?;
            let senses = found.senses();
            Ok(senses.iter().flat_map(|sense| vec![range(sense.gauge()); sense.reading.len()]).collect())
        })
    }

    /// A parameter of the scene, in its notation.
    fn get(&self, name: &str) -> PyResult<String> {
        let inner = self.inner()?;
        let Start { scene, seed } = &inner.next[0];
        let scene = Scene { seed: *seed, ..(**scene).clone() };
        source::parameter(inner.recipe.kinds(), &scene, name).map_err(error)
    }

    /// A picture of a simulation: an array of bytes with the axes height, width and channel (red, green, blue, alpha).
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        place: usize,
        size: [u64; 2],
        is_light: bool,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let request = Request::new(size, is_light)?;
        let mut inner = self.inner()?;
        inner.places(Some(vec![place]))?;
        let pixels = inner.batch.view(place, |simulation| catch(|| request.paint(simulation)));
        let pixels = pixels.map_err(|message| poisoned(&message))?;
        PyArray1::from_vec(py, pixels).reshape(request.shape())
    }

    /// The size of the arena (m).
    fn arena(&self) -> PyResult<[f64; 2]> {
        let size = self.inner()?.batch.start(0).scene.arena.size_m;
        Ok([size.x, size.y])
    }

    /// Saves the run of a simulation as a folder.
    fn save(&self, py: Python, place: usize, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let mut inner = self.inner()?;
        if !inner.logs {
            return Err(error("the batch logs no commands, so that its runs cannot be saved: make it with log=True"));
        }
        inner.places(Some(vec![place]))?;
        let inner = &mut *inner;
        inner.take_commands(py)?;
        let sent = inner.each(|at, simulation, rows| {
            if at == place {
                rows.send_commands(simulation, true)?;
            }
            Ok(())
        });
        sent.map_err(|problem| inner.refuse(problem))?;
        let Start { scene, seed } = inner.batch.start(place).clone();
        let start = Scene { seed, ..(*scene).clone() };
        let files = RunFiles::from_simulation(inner.batch.own(place), &start, &inner.title).map_err(error)?;
        source::save(&files, &path, overwrite).map_err(error)
    }
}
