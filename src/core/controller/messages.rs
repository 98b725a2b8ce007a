//! Radio messages that a host sends for robots, in place of their controller.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;

use super::commanded::find_all;
use super::external::{ControllersAhead, other_controller};
use crate::agent::contact::Dead;
use crate::radio::inbox::Outbox;
use crate::radio::{Radio, Turn};
use crate::state::RegisterState as _;
use crate::step::columns::{plain, tables};
use crate::step::plan::{AddKernel as _, Duty, StepContext};
use crate::step::unknown_agent;

/// The largest number of numbers in a message of a host.
pub const MAX_NUMBERS: usize = 256;

/// The message of a host for the radio of a robot with the controller [`External`](super::external::External); empty for none. It waits for the next
/// turn of the radio, which sends it once. Another message replaces it until then.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct WaitingMessage(pub Vec<f64>);

pub(super) fn plugin(app: &mut App) {
    app.register_state_as::<WaitingMessage>("radio/message", |agent| {
        agent.get::<WaitingMessage>().filter(|message| !message.0.is_empty()).map(PartialReflect::as_partial_reflect)
    });
    // Robots get the component with their first message, so that other scenes have no such kernel. It comes after those of
    // controllers, which empty the outbox.
    let message = app.world_mut().register_component::<WaitingMessage>();
    app.add_kernel(Duty::Tell, message, hand_over);
}

/// Checks that agents can send messages, which have the same number of numbers: their controller is [`External`](super::external::External), and they
/// have a radio. `controllers` gives the controller of an agent after the pending edits, if these change any agent.
///
/// # Errors
/// If one cannot, or if a message is not valid, with the reason.
pub fn check(
    world: &World,
    agents: &[u32],
    values: &[f64],
    controllers: Option<&ControllersAhead>,
) -> Result<(), Problem> {
    let (count, found) = (agents.len(), values.len());
    if count == 0 && found > 0 || count > 0 && !found.is_multiple_of(count) {
        return Err(Problem::of_file(format!(
            "all messages of an edit have the same number of numbers: expected a multiple of {count} for {count} agents, \
             found {found}"
        )));
    }
    let width = found.checked_div(count).unwrap_or_default();
    if width > MAX_NUMBERS {
        return Err(Problem::of_file(format!("a message has at most {MAX_NUMBERS} numbers, found {width}")));
    }
    if let Some(place) = values.iter().position(|value| !value.is_finite()) {
        let (agent, value) = (agents[place / width], values[place]);
        return Err(Problem::of_file(format!("agent {agent} cannot send {value}: expected finite numbers")));
    }
    find_all(world, agents).try_for_each(|(number, agent)| {
        let agent = agent.ok_or_else(|| unknown_agent(number))?;
        if world.get::<Radio>(agent).is_none() {
            return Err(Problem::of_file(format!("agent {number} has no radio: its group needs a block `radio`")));
        }
        match other_controller(world, agent, controllers) {
            Some(other) => Err(Problem::of_file(format!(
                "the controller {} writes the messages of agent {number}: a program sends only those of the controller \
                 External",
                other.value().reflect_short_type_path()
            ))),
            None => Ok(()),
        }
    })
}

/// Gives agents their messages, which were [checked](check); an empty message takes back the one that waits.
pub fn apply(world: &mut World, agents: &[u32], values: &[f64]) {
    let width = values.len().checked_div(agents.len()).unwrap_or_default();
    let found: Vec<_> = find_all(world, agents).collect();
    for (place, (_, agent)) in found.into_iter().enumerate() {
        let Some(agent) = agent else { continue };
        let numbers = values.get(place * width..(place + 1) * width).unwrap_or_default();
        match world.get_mut::<WaitingMessage>(agent) {
            Some(mut message) => {
                message.0.clear();
                message.0.extend_from_slice(numbers);
            }
            None => drop(world.entity_mut(agent).insert(WaitingMessage(numbers.to_vec()))),
        }
    }
}

/// Hands the messages of a host to the radios that send in this step: to that of one agent, or to all.
fn hand_over(
    InMut(StepContext { turn, .. }): InMut<StepContext>,
    mut agents: Query<(&Turn, &mut Outbox, &mut WaitingMessage), Without<Dead>>,
) {
    if let Some(agent) = *turn {
        if let Ok((turn, mut outbox, mut message)) = agents.get_mut(agent) {
            hand_over_one(turn, &mut outbox, &mut message);
        }
        return;
    }
    for (turns, outboxes, messages) in tables(&mut agents) {
        for ((turn, outbox), message) in turns.iter().zip(plain(outboxes)).zip(plain(messages)) {
            hand_over_one(turn, outbox, message);
        }
    }
}

fn hand_over_one(turn: &Turn, outbox: &mut Outbox, WaitingMessage(numbers): &mut WaitingMessage) {
    if turn.sends() && !numbers.is_empty() {
        outbox.0.clear();
        outbox.0.append(numbers);
    }
}
