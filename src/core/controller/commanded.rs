//! Commands that a host gives to robots directly, in place of their actuators.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;

use super::ControllerFamily;
use super::external::External;
use crate::agent::{Command, CommandForm};
use crate::kind::{Kinds, Slot};
use crate::motion::{MotionFamily, MotionKinds};
use crate::state::RegisterState as _;
use crate::step::{Arena, HasArena as _, row_of_agent, unknown_agent};

/// The largest absolute value in a command (m/s and rad/s).
const MAX_VALUE: f64 = 1e3;

/// The command of a host for an agent with the controller [`External`]; `None` before the first one. It holds until the next
/// one and takes precedence over the actuators.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Commanded(pub Option<Command>);

/// The queries for the commands of many agents. A cache; `None` while it is in use.
#[derive(Resource)]
struct CommandQueries(Option<Box<Queries>>);

struct Queries {
    /// The commands of the agents with the controller `External`.
    known: QueryState<&'static Commanded, With<External>>,
    given: QueryState<&'static mut Commanded>,
}

impl Queries {
    fn new(world: &mut World) -> Box<Self> {
        Box::new(Self { known: world.query_filtered(), given: world.query() })
    }
}

impl FromWorld for CommandQueries {
    fn from_world(world: &mut World) -> Self {
        Self(Some(Queries::new(world)))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<CommandQueries>();
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
    let known = world.resource::<CommandQueries>().0.as_ref().map(|queries| queries.known.query_manual(world));
    find_all(world, agents).try_for_each(|(number, agent)| {
        let agent = agent.ok_or_else(|| unknown_agent(number))?;
        let given = || known.as_ref()?.get(agent).ok()?.0;
        if parts.is_none() && given().is_some_and(|given| given.form() == form) {
            return Ok(());
        }
        let parts = parts.map_or_else(|| parts_of(world, agent), |parts| parts(agent));
        parts.map_or(Ok(()), |parts| check_parts(world, number, form, &parts))
    })
}

/// Finds agents by their numbers, fastest where they are in order.
pub(super) fn find_all(world: &World, numbers: &[u32]) -> impl Iterator<Item = (u32, Option<Entity>)> {
    let Arena { agents, space, .. } = world.arena();
    let owners = space.bodies.owners();
    let mut before = (0, 0);
    numbers.iter().map(move |number| {
        // Without gaps in between, rows are as far apart as numbers.
        let mut row = before.0 + number.saturating_sub(before.1) as usize;
        if owners.get(row).is_none_or(|owner| owner.number != *number) {
            row = row_of_agent(world, *number).unwrap_or(agents.len());
        }
        before = (row, *number);
        (*number, agents.get(row).copied())
    })
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
    let found: Vec<_> = find_all(world, agents).collect();
    let queries = world.resource_mut::<CommandQueries>().0.take();
    let mut queries = queries.unwrap_or_else(|| Queries::new(world));
    queries.known.update_archetypes(world);
    let mut all = queries.given.query_mut(world);
    for ((_, agent), values) in found.into_iter().zip(values.chunks_exact(form.width())) {
        if let Some(mut given) = agent.and_then(|agent| all.get_mut(agent).ok()) {
            given.0 = Some(form.command(values));
        }
    }
    world.resource_mut::<CommandQueries>().0 = Some(queries);
}
