//! Arrays that show a simulation.
//!
//! An array is memory of its own, which the simulation fills after each call that changes it: its address stays, and it
//! outlives the simulation. Commands are written into it by the user, and sent before the next step.

use std::ops::RangeInclusive;

use numpy::{IxDyn, PyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyWeakrefReference};
use swarmarium_core::agent::CommandForm;
use swarmarium_simulation::Simulation;
use swarmarium_simulation::column::{Column, ColumnContent};
use swarmarium_simulation::read_view::ReadView;

use crate::error::error;

/// An array that shows a column.
pub struct View {
    name: String,
    pub column: Column,
    /// The array: only the views of the user keep it alive.
    array: Py<PyWeakrefReference>,
    /// An array of commands, which is kept: what the user wrote counts, even if the user drops the array.
    kept: Option<Py<PyArray<f64, IxDyn>>>,
    /// The values that the array showed last, to find those that the user wrote.
    shown: Vec<f64>,
    /// The commands of the user, when they were [taken](Self::take_commands).
    commands: Vec<f64>,
}

/// The name of a column, and the form of its commands.
pub struct ViewColumn {
    pub name: String,
    pub form: Option<CommandForm>,
}

/// Commands that a user wrote.
pub struct Written {
    pub form: CommandForm,
    pub agents: Vec<u32>,
    pub values: Vec<f64>,
}

impl View {
    /// An array for a column of a simulation, and its view for the user. `copies` is the number of simulations of a batch.
    pub fn new<'py>(
        py: Python<'py>,
        name: &str,
        column: Column,
        copies: Option<usize>,
    ) -> PyResult<(Self, Bound<'py, PyAny>)> {
        let shape: Vec<usize> = copies.into_iter().chain(column.shape()).collect();
        let shown = vec![0.0; shape.iter().product()];
        let array = PyArray::<f64, _>::zeros(py, IxDyn(&shape), false);
        let is_written = matches!(column.content(), ColumnContent::Commands(_));
        let view = Self {
            name: name.into(),
            column,
            array: PyWeakrefReference::new(&array)?.unbind(),
            kept: is_written.then(|| array.clone().unbind()),
            shown,
            commands: Vec::new(),
        };
        let of_user = view.of_user(&array)?;
        Ok((view, of_user))
    }

    /// Whether it is the array of this name for the same agents.
    pub fn is(&self, name: &str, column: &Column) -> bool {
        self.name == name && self.column.content() == column.content() && self.column.agents() == column.agents()
    }

    /// Whether the user still has the array, or a part of it.
    pub fn is_used(&self, py: Python) -> bool {
        self.own(py).is_some()
    }

    fn own<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray<f64, IxDyn>>> {
        self.array.bind(py).upgrade()?.cast_into().ok()
    }

    /// The array for the user; `None` if it is unused.
    pub fn array<'py>(&self, py: Python<'py>) -> Option<PyResult<Bound<'py, PyAny>>> {
        self.own(py).map(|array| self.of_user(&array))
    }

    /// A view of the array, which keeps it alive: only commands can be written.
    fn of_user<'py>(&self, array: &Bound<'py, PyArray<f64, IxDyn>>) -> PyResult<Bound<'py, PyAny>> {
        let view = array.call_method0("view")?;
        if !matches!(self.column.content(), ColumnContent::Commands(_)) {
            let flags = PyDict::new(array.py());
            flags.set_item("write", false)?;
            view.call_method("setflags", (), Some(&flags))?;
        }
        Ok(view)
    }

    /// The commands that the user changed since the array was filled.
    pub fn written(&self, py: Python) -> PyResult<Option<Written>> {
        let (ColumnContent::Commands(form), Some(array)) = (self.column.content(), self.own(py)) else {
            return Ok(None);
        };
        let (form, array) = (*form, array.readonly());
        let (values, width) = (array.as_slice()?, self.column.width());
        let rows = values.chunks_exact(width).zip(self.shown.chunks_exact(width)).zip(self.column.agents());
        let is_changed = |place: usize, new: &[f64], old: &[f64]| {
            new.iter().zip(old).any(|(new, old)| new.to_bits() != old.to_bits()) && !self.column.is_gone(place)
        };
        let changed: Vec<(&[f64], u32)> = rows
            .enumerate()
            .filter(|(place, ((new, old), _))| is_changed(*place, new, old))
            .map(|(_, ((new, _), agent))| (new, *agent))
            .collect();
        if changed.is_empty() {
            return Ok(None);
        }
        // The log keeps them: they take no more memory than they need.
        let mut written = Written {
            form,
            agents: Vec::with_capacity(changed.len()),
            values: Vec::with_capacity(width * changed.len()),
        };
        for (new, agent) in changed {
            written.agents.push(agent);
            written.values.extend_from_slice(new);
        }
        Ok(Some(written))
    }

    /// Shows again what it showed before the user wrote into it.
    pub fn take_back(&self, py: Python) -> PyResult<()> {
        self.write(py, &self.shown)
    }

    /// Whether it is an earlier array of this name, for other agents.
    pub fn is_earlier(&self, name: &str, column: &Column) -> bool {
        self.name == name && !self.is(name, column)
    }

    /// Keeps the array no longer than the user does.
    pub fn release(&mut self) {
        self.kept = None;
    }

    /// Shows the present state of a simulation.
    pub fn refresh(&mut self, py: Python, simulation: &Simulation) -> PyResult<()> {
        self.column.fill(simulation.read(), &mut self.shown);
        self.take_back(py)
    }

    /// Shows the state within a step, in which the agents in these rows have acted since the last time. Commands of the
    /// user and metrics stay as they are.
    pub fn follow(&mut self, py: Python, now: ReadView, acted: RangeInclusive<usize>) -> PyResult<()> {
        let is_live = !matches!(self.column.content(), ColumnContent::Commands(_) | ColumnContent::Metrics);
        if !is_live || !(*acted.start() == 0 || self.column.has_any_of(acted)) {
            return Ok(());
        }
        self.column.fill(now, &mut self.shown);
        self.take_back(py)
    }

    /// Takes the commands in the array, as the user left them.
    pub fn take_commands(&mut self, py: Python) -> PyResult<&[f64]> {
        self.commands.clear();
        if self.column.is_commands() {
            match self.own(py) {
                Some(array) => self.commands.extend_from_slice(array.readonly().as_slice()?),
                None => self.commands.extend_from_slice(&self.shown),
            }
        }
        Ok(&self.commands)
    }

    /// Writes the commands that were taken into the array again, except for those of some simulations of a batch, which are
    /// shown.
    pub fn put_commands_back(&mut self, py: Python, is_shown: &[bool]) -> PyResult<()> {
        let length = self.column.len().max(1);
        let rows = self.commands.chunks_exact_mut(length).zip(self.shown.chunks_exact(length)).zip(is_shown);
        rows.filter(|(_, is_shown)| **is_shown).for_each(|((commands, shown), _)| commands.copy_from_slice(shown));
        if self.column.is_commands() { self.write(py, &self.commands) } else { Ok(()) }
    }

    /// Writes values as the user would.
    pub fn write(&self, py: Python, values: &[f64]) -> PyResult<()> {
        if let Some(array) = self.own(py) {
            array.readwrite().as_slice_mut()?.copy_from_slice(values);
        }
        Ok(())
    }

    /// The values that the array showed last, to change them, and the commands that were taken.
    /// [`take_back`](Self::take_back) shows the values.
    pub fn shown_and_commands(&mut self) -> (&mut [f64], &[f64]) {
        (&mut self.shown, &self.commands)
    }

    /// The part that threads need.
    pub fn part(&self) -> ViewColumn {
        let form = match *self.column.content() {
            ColumnContent::Commands(form) => Some(form),
            _ => None,
        };
        ViewColumn { name: self.name.clone(), form }
    }
}

/// The form of commands with a name in lower case.
pub fn form(name: Option<&str>) -> PyResult<Option<CommandForm>> {
    let Some(name) = name else { return Ok(None) };
    match name {
        "drive" => Ok(Some(CommandForm::Drive)),
        "wheels" => Ok(Some(CommandForm::Wheels)),
        "velocity" => Ok(Some(CommandForm::Velocity)),
        "course" => Ok(Some(CommandForm::Course)),
        _ => {
            let hint = swarmarium_base::problem::did_you_mean(name, ["drive", "wheels", "velocity", "course"]);
            Err(error(format!("form: expected drive, wheels, velocity or course, found `{name}`{hint}")))
        }
    }
}
