//! A program in Python that acts in the turns of robots, within a step.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::prelude::World;
use pyo3::prelude::*;
use swarmarium::agent::{CommandForm, Member};
use swarmarium::component::naming;
use swarmarium::controller::commanded::Commanded;
use swarmarium::edit::{Edit, Turns};
use swarmarium::problem::Problem;
use swarmarium::scene::current::Description;
use swarmarium::sensor::{ComponentSettings, Reading, Sensors};
use swarmarium::service::Value;
use swarmarium::step::{find_agent, row_of_agent};

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
    fn ask(&mut self, world: &World, agent: u32, slot: Option<usize>) -> Result<Option<Vec<f64>>, Problem> {
        let row = row_of_agent(world, agent).unwrap_or_default();
        let acted = std::mem::replace(&mut self.acted, row)..=row;
        let asked = Python::attach(|py| {
            self.views.iter_mut().try_for_each(|view| view.follow(py, world, acted.clone()))?;
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
    fn decide(&mut self, world: &World, agent: u32) -> Result<Option<Edit>, Problem> {
        let mut inner = self.lock();
        if !inner.robots.contains_key(&agent) {
            return Ok(None);
        }
        let Some(values) = inner.ask(world, agent, None)? else { return Ok(None) };
        let form = inner.form;
        // A robot keeps its command.
        let known = find_agent(world, agent).and_then(|agent| world.get::<Commanded>(agent));
        let is_known =
            values.len() == form.width() && known.is_some_and(|known| known.0 == Some(form.command(&values)));
        Ok((!is_known).then(|| Edit::Command { form, agents: vec![agent], values }))
    }

    fn sense(&mut self, world: &World, agent: u32, slot: usize) -> Result<Option<Edit>, Problem> {
        let mut inner = self.lock();
        if !inner.robots.get(&agent).is_some_and(|slots| slots.contains(&slot)) {
            return Ok(None);
        }
        let Some(values) = inner.ask(world, agent, Some(slot))? else { return Ok(None) };
        Ok(write(world, agent, slot, &values))
    }
}

/// The call that writes a reading; `None` if the sensor has it already, or reads another number of values.
fn write(world: &World, agent: u32, slot: usize, values: &[f64]) -> Option<Edit> {
    let agent = find_agent(world, agent)?;
    let sensor = *world.get::<Sensors>(agent)?.slots().get(slot)?;
    let known = world.get::<Reading>(sensor)?.values.as_slice();
    if known.len() != values.len() || known == values {
        return None;
    }
    let own =
        world.get::<ComponentSettings>(sensor).map(|sensing| sensing.name.as_str()).filter(|name| !name.is_empty())?;
    let Member { group, serial, .. } = *world.get(agent)?;
    let group = &world.resource::<Description>().scene().groups.get(group as usize)?.name;
    let component = format!("{}.{own}", naming::of_robot(group, serial));
    Some(Edit::Call { component, service: WRITE.into(), arguments: vec![Value::numbers(values.iter().copied())] })
}
