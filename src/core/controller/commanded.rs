//! Commands that a host gives to robots directly, in place of their actuators.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;

use super::ControllerFamily;
use super::external::External;
use crate::agent::{Command, CommandForm};
use crate::kind::{Kinds, Slot};
use crate::motion::{MotionFamily, MotionKinds};
use crate::state::RegisterState as _;
use crate::step::{HasArena as _, row_of_agent, unknown_agent};

/// The largest absolute value in a command (m/s and rad/s).
const MAX_VALUE: f64 = 1e3;

/// The command of a host for an agent with the controller [`External`]; `None` before the first one. It holds until the next
/// one and takes precedence over the actuators.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Commanded(pub Option<Command>);

pub(super) fn plugin(app: &mut App) {
    app.register_state_as::<Commanded>("commanded", |agent| {
        agent.get::<Commanded>()?.0.as_ref().map(PartialReflect::as_partial_reflect)
    });
}

/// The kinds of controller and motion model of an agent.
pub type Parts = (Slot<ControllerFamily>, Slot<MotionFamily>);

/// Checks that agents can be commanded in a form. `parts` gives the parts of an agent after the pending edits, if these
/// change any agent.
///
/// # Errors
/// If one cannot, or if the values do not fit, with the reason.
pub fn check(
    world: &World,
    (form, agents, values): (CommandForm, &[u32], &[f64]),
    parts: Option<&dyn Fn(Entity) -> Option<Parts>>,
) -> Result<(), Problem> {
    let width = form.width();
    if values.len() != width * agents.len() {
        let (found, count) = (values.len(), agents.len());
        return Err(Problem::of_file(format!(
            "a command of the form {form:?} has {width} numbers: expected {width} for each of {count} agents, found {found}"
        )));
    }
    if let Some(place) = values.iter().position(|value| value.is_nan() || value.abs() > MAX_VALUE) {
        let (agent, value) = (agents[place / width], values[place]);
        let message = format!("agent {agent} cannot be commanded {value}: expected -{MAX_VALUE} to {MAX_VALUE}");
        return Err(Problem::of_file(message));
    }
    find_all(world, agents).try_for_each(|(number, agent)| {
        let agent = agent.ok_or_else(|| unknown_agent(number))?;
        let is_known = || {
            let entity = world.entity(agent);
            entity.contains::<External>()
                && entity.get::<Commanded>().is_some_and(|known| known.0.is_some_and(|known| known.form() == form))
        };
        if parts.is_none() && is_known() {
            return Ok(());
        }
        let parts = parts.map_or_else(|| parts_of(world, agent), |parts| parts(agent));
        parts.map_or(Ok(()), |parts| check_parts(world, number, form, &parts))
    })
}

/// Finds agents by their numbers, fastest where they are in order.
pub(super) fn find_all(world: &World, numbers: &[u32]) -> impl Iterator<Item = (u32, Option<Entity>)> {
    let mut before = (0, 0);
    numbers.iter().map(move |number| (*number, find_next(world, *number, &mut before)))
}

/// Finds an agent after another one, whose row and number are `before`: without gaps in between, rows are as far apart as
/// numbers.
pub(super) fn find_next(world: &World, number: u32, before: &mut (usize, u32)) -> Option<Entity> {
    let (all, owners) = (&world.arena().agents, world.arena().space.bodies.owners());
    let mut row = before.0 + number.saturating_sub(before.1) as usize;
    if owners.get(row).is_none_or(|owner| owner.number != number) {
        row = row_of_agent(world, number).unwrap_or(all.len());
    }
    *before = (row, number);
    all.get(row).copied()
}

fn parts_of(world: &World, agent: Entity) -> Option<Parts> {
    let (kinds, entity) = (world.resource::<Kinds>(), world.entity(agent));
    kinds.on_entity(entity).zip(kinds.on_entity(entity))
}

fn check_parts(world: &World, number: u32, form: CommandForm, (controller, motion): &Parts) -> Result<(), Problem> {
    if !controller.value().is::<External>() {
        let name = controller.value().reflect_short_type_path();
        return Err(Problem::of_file(format!(
            "the controller {name} commands agent {number}: only the controller External takes commands"
        )));
    }
    match world.resource::<MotionKinds>().of_value(motion.value()) {
        Some(known) if !known.accepts.contains(&form) => Err(Problem::of_file(format!(
            "agent {number} has the motion {}, which takes commands of the form {:?}, not {form:?}",
            known.name, known.accepts
        ))),
        _ => Ok(()),
    }
}

/// The forms of commands that the motion model of an agent takes, its native form first.
pub fn forms(world: &World, agent: Entity) -> &[CommandForm] {
    let known = parts_of(world, agent).and_then(|(_, motion)| world.resource::<MotionKinds>().of_value(motion.value()));
    known.map_or(&[], |known| known.accepts)
}

/// Gives agents their commands, which were [checked](check).
pub fn apply(world: &mut World, form: CommandForm, agents: &[u32], values: &[f64]) {
    let mut before = (0, 0);
    for (number, values) in agents.iter().zip(values.chunks_exact(form.width())) {
        let Some(agent) = find_next(world, *number, &mut before) else { continue };
        if let Some(mut known) = world.get_mut::<Commanded>(agent) {
            known.0 = Some(form.command(values));
        }
    }
}
