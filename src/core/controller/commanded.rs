//! Commands that a host gives to robots directly, in place of their actuators.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;

use super::Acting;
use super::external::External;
use crate::agent::contact::Dead;
use crate::agent::{Command, CommandForm};
use crate::kind::Kinds;
use crate::motion::{KnownMotion, KnownMotions, MotionFamily};
use crate::random::Seed;
use crate::state::RegisterState as _;
use crate::step::roster::{OneOrAll, Roster};
use crate::step::{ActsLater, Agents};
use crate::time::SimTime;
use crate::time::robot::{self, RobotClock};

/// The largest absolute value in a command (m/s and rad/s).
const MAX_VALUE: f64 = 1e3;

/// The command of a host for an agent with the controller [`External`]. It holds until the next one and takes precedence
/// over the actuators.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Commanded(pub Command);

pub(super) fn plugin(app: &mut App) {
    app.register_state::<Commanded>("commanded");
    let commanded = app.world_mut().register_component::<Commanded>();
    // After the controller itself has decided.
    app.world_mut().get_resource_or_init::<Roster>().control.add(commanded, obey);
}

/// Replaces the commands of controllers by those of the host: that of one agent, or all.
fn obey(
    In(turn): OneOrAll,
    (time, seed): (Res<SimTime>, Res<Seed>),
    mut agents: Query<
        (&Commanded, &mut Command, Option<&Acting>, &StableId, Option<&RobotClock>, Has<ActsLater>, Has<Dead>),
        With<External>,
    >,
) {
    let is_due = |settings: Option<&Acting>, id: &StableId, clock: Option<&RobotClock>| {
        let clock = clock.map(|clock| (clock, *seed, *id));
        settings.is_none_or(|Acting { rate_hz, phase_s }| robot::is_due(clock, &time, (*rate_hz, *phase_s)))
    };
    match turn {
        Some(agent) => {
            let Ok((commanded, mut command, settings, id, clock, ..)) = agents.get_mut(agent) else { return };
            if is_due(settings, id, clock) {
                *command = commanded.0;
            }
        }
        None => {
            for (commanded, mut command, settings, id, clock, acts_later, is_dead) in &mut agents {
                if !acts_later && !is_dead && is_due(settings, id, clock) {
                    *command = commanded.0;
                }
            }
        }
    }
}

/// Checks that agents can be commanded in a form.
///
/// # Errors
/// If one cannot, or if the values do not fit, with the reason.
pub(crate) fn check(world: &World, form: CommandForm, agents: &[u32], values: &[f64]) -> Result<(), Problem> {
    let width = form.width();
    if values.len() != width * agents.len() {
        let (found, count) = (values.len(), agents.len());
        let message = format!(
            "a command of the form {form:?} has {width} numbers: expected {width} for each of {count} \
            agents, found {found}"
        );
        return Err(Problem::of_file(message));
    }
    if let Some(place) = values.iter().position(|value| value.is_nan() || value.abs() > MAX_VALUE) {
        let (agent, value) = (agents[place / width], values[place]);
        let message = format!("agent {agent} cannot be commanded {value}: expected -{MAX_VALUE} to {MAX_VALUE}");
        return Err(Problem::of_file(message));
    }
    agents.iter().try_for_each(|agent| check_agent(world, *agent, form))
}

fn check_agent(world: &World, number: u32, form: CommandForm) -> Result<(), Problem> {
    let agent = Agents::find(world, number).ok_or_else(|| Agents::unknown(number))?;
    let entity = world.entity(agent);
    let is_external = entity.contains::<External>();
    if is_external && entity.get::<Commanded>().is_some_and(|known| known.0.form() == form) {
        return Ok(());
    }
    let kinds = world.resource::<Kinds>();
    if !is_external {
        let name = kinds
            .on_entity::<super::ControllerFamily>(entity)
            .map(|kind| kind.value().reflect_short_type_path().to_owned());
        let name = name.unwrap_or_default();
        let message =
            format!("the controller {name} commands agent {number}: only the controller External takes commands");
        return Err(Problem::of_file(message));
    }
    match motion(world, agent) {
        Some(known) if !known.accepts.contains(&form) => Err(Problem::of_file(format!(
            "agent {number} has the motion {}, which takes commands of the form {:?}, not {form:?}",
            known.name, known.accepts
        ))),
        _ => Ok(()),
    }
}

/// The motion model of an agent.
fn motion(world: &World, agent: Entity) -> Option<&KnownMotion> {
    let motion = world.resource::<Kinds>().on_entity::<MotionFamily>(world.entity(agent))?;
    world.resource::<KnownMotions>().of_value(motion.value())
}

/// The forms of commands that the motion model of an agent takes, its native form first.
pub(crate) fn forms(world: &World, agent: Entity) -> &[CommandForm] {
    motion(world, agent).map_or(&[], |known| known.accepts)
}

/// Gives agents their commands, which were [checked](check).
pub(crate) fn apply(world: &mut World, form: CommandForm, agents: &[u32], values: &[f64]) {
    for (number, values) in agents.iter().zip(values.chunks_exact(form.width())) {
        let Some(agent) = Agents::find(world, *number) else { continue };
        let command = Commanded(form.command(values));
        match world.get_mut::<Commanded>(agent) {
            Some(mut known) => *known = command,
            None => drop(world.entity_mut(agent).insert(command)),
        }
    }
}
