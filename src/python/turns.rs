//! A program in Python that acts in the turns of robots, within a step.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::CommandForm;
use swarmarium_core::service::Value;
use swarmarium_simulation::edit::{Edit, Turns};
use swarmarium_simulation::read_view::ReadView;

use crate::view::View;

/// The service of a sensor `External` that writes its reading.
const WRITE: &str = "write";

/// A program in Python, and the arrays that show it the state within a step.
#[derive(Clone)]
pub struct Program(Arc<Mutex<Inner>>);

struct Inner {
    act: Py<PyAny>,
    /// The robots that it commands, each with the slots of the sensors that it reads for them.
    robots: BTreeMap<u32, Vec<usize>>,
    form: CommandForm,
    views: Vec<View>,
    /// The row of the robot that acted last.
    acted: usize,
    failure: Option<PyErr>,
}

impl Program {
    pub fn new(act: Py<PyAny>, robots: BTreeMap<u32, Vec<usize>>, form: CommandForm, views: Vec<View>) -> Self {
        Self(Arc::new(Mutex::new(Inner { act, robots, form, views, acted: 0, failure: None })))
    }

    /// Gives the arrays back; returns the exception of the program.
    pub fn give_back(&self, views: &mut Vec<View>) -> Option<PyErr> {
        let mut inner = self.lock();
        *views = std::mem::take(&mut inner.views);
        inner.failure.take()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// The numbers that the program returns for a robot or for one of its sensors.
    fn ask(&mut self, now: ReadView, agent: u32, slot: Option<usize>) -> Result<Option<Vec<f64>>, Problem> {
        let row = now.row_of(agent).unwrap_or_default();
        let acted = std::mem::replace(&mut self.acted, row)..=row;
        let asked = Python::attach(|py| {
            self.views.iter_mut().try_for_each(|view| view.follow(py, now, acted.clone()))?;
            self.act.call1(py, (agent, slot))?.extract(py)
        });
        asked.map_err(|error: PyErr| {
            let problem = Problem::of_file(error.to_string());
            self.failure = Some(error);
            problem
        })
    }
}

impl Turns for Program {
    fn decide(&mut self, now: ReadView, agent: u32) -> Result<Option<Edit>, Problem> {
        let mut inner = self.lock();
        if !inner.robots.contains_key(&agent) {
            return Ok(None);
        }
        let Some(values) = inner.ask(now, agent, None)? else { return Ok(None) };
        let form = inner.form;
        // A robot keeps its command.
        let is_known = values.len() == form.width() && now.given_command(agent) == Some(form.command(&values));
        Ok((!is_known).then(|| Edit::Command { form, agents: vec![agent], values }))
    }

    fn sense(&mut self, now: ReadView, agent: u32, slot: usize) -> Result<Option<Edit>, Problem> {
        let mut inner = self.lock();
        if !inner.robots.get(&agent).is_some_and(|slots| slots.contains(&slot)) {
            return Ok(None);
        }
        let Some(values) = inner.ask(now, agent, Some(slot))? else { return Ok(None) };
        Ok(write(now, agent, slot, &values))
    }
}

/// The call that writes a reading; `None` if the sensor has it already, or reads another number of values.
fn write(now: ReadView, agent: u32, slot: usize, values: &[f64]) -> Option<Edit> {
    let known = now.reading(agent, slot)?;
    if known.len() != values.len() || known == values {
        return None;
    }
    let component = now.sensor_component(agent, slot)?;
    Some(Edit::Call { component, service: WRITE.into(), arguments: vec![Value::numbers(values.iter().copied())] })
}
