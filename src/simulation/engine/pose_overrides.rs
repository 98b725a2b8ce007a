//! Pose overrides: agents take their poses from a source outside the simulation, such as a trace of another simulation
//! or camera tracking of real robots.

use bevy::prelude::*;
use swarmarium_core::agent::{Displacement, Pose};
use swarmarium_core::sensor::{Reading, Sensors};
use swarmarium_core::step::{HasArena as _, find_agent};

use super::caches;

/// Recorded pose and readings of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Number of the agent, as in its stable id.
    pub agent: u32,
    /// Its pose.
    pub pose: Pose,
    /// Readings of its sensors, concatenated by slot.
    pub readings: Vec<f64>,
}

/// Error for an agent that does not exist, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent {0}")]
pub struct UnknownAgent(pub u32);

/// Poses at which agents are placed in a step, after they have acted.
#[derive(Resource)]
pub(crate) struct PoseOverrides {
    placed: Vec<Placed>,
    /// Whether all agents were placed; the error names the first agent that does not exist.
    pub obeyed: Result<(), UnknownAgent>,
}

impl PoseOverrides {
    pub fn new(placed: Vec<Placed>) -> Self {
        Self { placed, obeyed: Ok(()) }
    }
}

/// Applies the overrides, if there are any.
pub(super) fn apply_pose_overrides(world: &mut World) {
    let Some(mut overrides) = world.get_resource_mut::<PoseOverrides>() else { return };
    let placed = std::mem::take(&mut overrides.placed);
    world.resource_mut::<PoseOverrides>().obeyed = place(world, &placed);
}

/// Places agents; an agent that is already at its pose is not touched.
pub(crate) fn place(world: &mut World, all: &[Placed]) -> Result<(), UnknownAgent> {
    let entities = all.iter().map(|placed| find_agent(world, placed.agent).ok_or(UnknownAgent(placed.agent)));
    let entities = entities.collect::<Result<Vec<Entity>, _>>()?;
    let mut has_moved = false;
    for (agent, Placed { pose, readings, .. }) in entities.into_iter().zip(all) {
        overwrite_readings(world, agent, readings);
        let arena = world.arena().space.arena;
        let mut agent = world.entity_mut(agent);
        if let Ok((mut at, mut moved)) = agent.get_components_mut::<(&mut Pose, &mut Displacement)>()
            && *at != *pose
        {
            let before = at.position_m - moved.0;
            // The shortest displacement, so that an agent that crossed a periodic boundary is not drawn in between.
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

/// Overwrites the readings of an agent's sensors, for as many numbers as are given.
fn overwrite_readings(world: &mut World, agent: Entity, readings: &[f64]) {
    let sensors = world.get::<Sensors>(agent).map(|sensors| sensors.slots().to_vec()).unwrap_or_default();
    let mut rest = readings.iter();
    for sensor in sensors {
        if let Some(mut reading) = world.get_mut::<Reading>(sensor) {
            reading.values.iter_mut().zip(&mut rest).for_each(|(value, read)| *value = *read);
        }
    }
}
