//! Pose overrides: agents take their poses from outside, such as from the trace of another simulation or from cameras that
//! tracked real robots.

use bevy::prelude::*;

use super::caches;
use crate::agent::{Displacement, Pose};
use crate::sensor::{Reading, Sensors};
use crate::step::{Agents, CurrentSpace};

/// Where an agent was, and what its sensors read there.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The number of the agent, as in its stable id.
    pub agent: u32,
    /// Where it was.
    pub pose: Pose,
    /// The numbers that its sensors read, by slot.
    pub readings: Vec<f64>,
}

/// The error of an agent that does not exist: its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent {0}")]
pub struct UnknownAgent(pub u32);

/// Where agents are put in a step, after they have acted.
#[derive(Resource)]
pub(crate) struct PoseOverrides {
    placed: Vec<Placed>,
    /// Whether all agents were put there; the error names the first agent that does not exist.
    pub obeyed: Result<(), UnknownAgent>,
}

impl PoseOverrides {
    pub fn new(placed: Vec<Placed>) -> Self {
        Self { placed, obeyed: Ok(()) }
    }
}

/// Puts agents at the poses of the overrides.
pub(super) fn apply_pose_overrides(world: &mut World) {
    let placed = std::mem::take(&mut world.resource_mut::<PoseOverrides>().placed);
    world.resource_mut::<PoseOverrides>().obeyed = place(world, &placed);
}

/// Puts agents at poses; an agent that is at its pose already is left alone.
pub(crate) fn place(world: &mut World, all: &[Placed]) -> Result<(), UnknownAgent> {
    let entities = all.iter().map(|placed| Agents::find(world, placed.agent).ok_or(UnknownAgent(placed.agent)));
    let entities = entities.collect::<Result<Vec<Entity>, _>>()?;
    let mut has_moved = false;
    for (agent, Placed { pose, readings, .. }) in entities.into_iter().zip(all) {
        overwrite_readings(world, agent, readings);
        let arena = world.resource::<CurrentSpace>().arena;
        let mut agent = world.entity_mut(agent);
        if let Ok((mut at, mut moved)) = agent.get_components_mut::<(&mut Pose, &mut Displacement)>()
            && *at != *pose
        {
            let before = at.position_m - moved.0;
            // The short way, so that whoever left on one side and entered on the other is not seen in between.
            moved.0 = arena.offset(before, pose.position_m);
            *at = *pose;
            has_moved = true;
        }
    }
    if has_moved {
        caches::rebuild(world);
    }
    Ok(())
}

/// Gives an agent's sensors what they read, as far as numbers go.
fn overwrite_readings(world: &mut World, agent: Entity, readings: &[f64]) {
    let sensors = world.get::<Sensors>(agent).map(|sensors| sensors.slots().to_vec()).unwrap_or_default();
    let mut rest = readings.iter();
    for sensor in sensors {
        if let Some(mut reading) = world.get_mut::<Reading>(sensor) {
            reading.values.iter_mut().zip(&mut rest).for_each(|(value, read)| *value = *read);
        }
    }
}
