//! Edits of programs that act in the turns of agents, in sequential order.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::controller::{commanded, outputs};
use swarmarium_core::step::HasArena as _;

use super::queue::{EditQueue, note};
use super::{Edit, LoggedEdit, check, component};
use crate::engine::sequential::Act;
use crate::read_view::ReadView;

/// A program that acts in the turns of agents, such as controllers in Python. It sees the actions of earlier agents of the
/// same step.
///
/// Its edits are commands, calls or feeds of the agent whose turn it is. The log has them at the start of the step, with
/// the same effect, so that a run replays without the program. Commands of other agents are refused; a program must not
/// call or feed components of other agents, which is not checked.
pub trait Turns: Send + Sync + 'static {
    /// The edit before an agent, by its number, decides; `None` for none.
    ///
    /// # Errors
    /// If the program fails: it is not asked again in this step.
    fn decide(&mut self, now: ReadView, agent: u32) -> Result<Option<Edit>, Problem>;

    /// The edit before the sensor in a slot of an agent reads; `None` for none.
    ///
    /// # Errors
    /// As for [`decide`](Self::decide).
    fn sense(&mut self, now: ReadView, agent: u32, slot: usize) -> Result<Option<Edit>, Problem>;
}

/// Applies the edits of a program in the turns of agents.
pub(crate) fn acting(mut turns: Box<dyn Turns>) -> Box<Act> {
    Box::new(move |world, agent, slot| {
        let edit = match slot {
            None => turns.decide(ReadView::new(world), agent)?,
            Some(slot) => turns.sense(ReadView::new(world), agent, slot)?,
        };
        let Some(edit) = edit else { return Ok(()) };
        if let Edit::Command { agents, .. } | Edit::Output { agents, .. } = &edit
            && (slot.is_some() || *agents != [agent])
        {
            return Err(Problem::of_file("a program can command only the agent whose turn it is, before it decides"));
        }
        apply_in_turn(world, edit)
    })
}

/// Applies a command, call or feed within a step, in the turn of its agent, and logs it for the start of the step: there it
/// has the same effect, since only that agent reads it, in its turn.
///
/// # Errors
/// If the edit is not valid, or is another one; then nothing is changed.
fn apply_in_turn(world: &mut World, edit: Edit) -> Result<(), Problem> {
    if let Edit::Message { .. } = edit {
        // The log would have it at the start of the step, perhaps before the radio sends.
        return Err(Problem::of_file("a program sends messages between steps, not in the turns of agents"));
    }
    if !edit.is_command() {
        return Err(Problem::of_file("a program can only command, call and feed agents in their turns"));
    }
    check(world, &edit)?;
    match &edit {
        Edit::Command { form, agents, values } => commanded::apply(world, *form, agents, values),
        Edit::Output { output, agents, values } => outputs::apply(world, *output, agents, values),
        edit => component::apply(world, edit),
    }
    let step = world.arena().time.step;
    let log = &mut world.resource_mut::<EditQueue>().into_inner().log;
    if let Some(edit) = join(log, step, edit) {
        note(world, None, edit, 0);
    }
    Ok(())
}

/// Adds a command to an entry of the log for the same step: there is one entry for the commands of a step, if nothing
/// between them depends on the order. Returns an edit that needs an entry of its own.
fn join(log: &mut [LoggedEdit], step: u64, edit: Edit) -> Option<Edit> {
    let Edit::Command { form, agents, values } = &edit else { return Some(edit) };
    for logged in log.iter_mut().rev().take_while(|logged| logged.step == step && logged.edit.is_command()) {
        let Edit::Command { form: known, agents: others, values: before } = &mut logged.edit else { continue };
        if agents.iter().any(|agent| others.contains(agent)) {
            break;
        }
        if known == form {
            others.extend(agents);
            before.extend(values);
            return None;
        }
    }
    Some(edit)
}
