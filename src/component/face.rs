//! The components of a simulation, for those who serve them to clients.

use super::{Component, ComponentId, Fields, Value};
use crate::edit::Edit;
use crate::simulation::Simulation;

/// What a service answers, and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the client is told at once; of a task, nothing.
    pub value: Value,
    /// The edit that does it at the start of the next step; `None` when there is nothing to do.
    pub edit: Option<Edit>,
}

/// How far the tasks of an actuator are: such as to go somewhere. There is at most one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// How many were begun.
    pub begun: u32,
    /// The last one that came to its end by itself, counted from 1; 0 for none.
    pub done: u32,
}

impl Simulation {
    /// All components, robot by robot, each its sensors first, by slot.
    pub fn components(&self) -> Vec<Component> {
        Vec::new()
    }

    /// The name of a robot for clients: that of its group where it is alone, else with `_001` and so on from the second
    /// one of the group on (as MORSE names copies).
    pub fn robot_name(&self, _agent: u32) -> String {
        String::new()
    }

    /// What a sensor tells clients after its last reading, the time by the clock of its robot first; `None` when it has
    /// nothing to tell.
    pub fn message(&self, _id: ComponentId) -> Option<Fields> {
        None
    }

    /// The step at which a sensor read last.
    pub fn read_at(&self, _id: ComponentId) -> Option<u64> {
        None
    }

    /// The tasks of an actuator.
    pub fn tasks(&self, _id: ComponentId) -> Tasks {
        Tasks::default()
    }

    /// What a service of a component would answer and do, after edits that wait to be applied. Nothing is changed.
    ///
    /// # Errors
    /// Says why it cannot be done, in the words of MORSE.
    pub fn ask(
        &self,
        _id: ComponentId,
        _service: &str,
        _arguments: &[Value],
        _waiting: &[Edit],
    ) -> Result<Answer, String> {
        Err(String::new())
    }

    /// The edit that gives an actuator what came on its stream: the fields that it knows.
    ///
    /// # Errors
    /// Says what of it is not as it should be; fields that are missing keep their values.
    pub fn feed(&self, _id: ComponentId, _fields: &Fields) -> Result<Edit, String> {
        Err(String::new())
    }
}
