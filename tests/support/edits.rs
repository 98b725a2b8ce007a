//! Edits in one short call each.

use swarmarium::agent::CommandForm;
use swarmarium::edit::Edit;
use swarmarium_core::agent::failure::Failure;

/// Gives a field a value.
pub fn set(path: &str, value: &str) -> Edit {
    Edit::Set { path: path.into(), value: value.into() }
}

/// Adds a value to a list of the scene.
pub fn add(list: &str, value: &str) -> Edit {
    Edit::Add { list: list.into(), value: value.into() }
}

/// Removes an agent, a group, an object or another element of a list.
pub fn remove(path: &str) -> Edit {
    Edit::Remove { path: path.into() }
}

/// Adds an agent to a group, at `y = 1 m`.
pub fn spawn(group: &str, x_m: f64) -> Edit {
    Edit::Spawn { group: group.into(), x_m, y_m: 1.0, heading_rad: 0.0 }
}

/// Moves an agent and turns it to a heading of 0.5 rad.
pub fn moved(agent: u32, x_m: f64, y_m: f64) -> Edit {
    Edit::Move { agent, x_m, y_m, heading_rad: 0.5 }
}

/// Starts or ends a failure of an agent.
pub fn fault(agent: u32, failure: Failure, is_active: bool) -> Edit {
    Edit::Fault { agent, failure, is_active }
}

/// Commands agents from outside.
pub fn command(form: CommandForm, agents: &[u32], values: &[f64]) -> Edit {
    Edit::Command { form, agents: agents.into(), values: values.into() }
}
