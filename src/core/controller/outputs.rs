//! Outputs that a host sets for robots directly.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;

use super::external::{ControllersAhead, other_controller};
use crate::agent::outputs::{Output, Outputs};
use crate::step::{find_agent, unknown_agent};

/// Checks that a program can set an output of agents: their controller is [`External`](super::external::External), and they
/// have the part. `controllers` gives controllers after the pending edits, if these change any agent.
///
/// # Errors
/// If one cannot, or if the values do not fit, with the reason.
pub fn check(
    world: &World,
    output: Output,
    (agents, values): (&[u32], &[f64]),
    controllers: Option<&ControllersAhead>,
) -> Result<(), Problem> {
    let width = output.width();
    if values.len() != width * agents.len() {
        let (found, count) = (values.len(), agents.len());
        return Err(Problem::of_file(format!(
            "an output of the {} has {width} numbers: expected {width} for each of {count} agents, found {found}",
            output.name()
        )));
    }
    if let Some(place) = values.iter().position(|value| !(0.0..=1.0).contains(value)) {
        let (agent, value) = (agents[place / width], values[place]);
        let part = output.name();
        return Err(Problem::of_file(format!("the {part} of agent {agent} cannot be set to {value}: expected 0 to 1")));
    }
    agents.iter().try_for_each(|number| {
        let agent = find_agent(world, *number).ok_or_else(|| unknown_agent(*number))?;
        let part = output.name();
        if world.get::<Outputs>(agent).is_none() {
            return Err(Problem::of_file(format!("agent {number} has no {part}")));
        }
        match other_controller(world, agent, controllers) {
            Some(other) => Err(Problem::of_file(format!(
                "the controller {} sets the {part} of agent {number}: a program sets only those of the controller External",
                other.value().reflect_short_type_path()
            ))),
            None => Ok(()),
        }
    })
}

/// Sets an output of agents, which was [checked](check).
pub fn apply(world: &mut World, output: Output, agents: &[u32], values: &[f64]) {
    for (number, values) in agents.iter().zip(values.chunks_exact(output.width())) {
        let Some(agent) = find_agent(world, *number) else { continue };
        if let Some(mut outputs) = world.get_mut::<Outputs>(agent) {
            outputs.set(output, values);
        }
    }
}
