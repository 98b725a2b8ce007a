//! Sequential order: one agent after the other controls, moves, collides and senses.
//!
//! Imported RobotSwarmSimulator worlds use it.
//! The same plain functions serve as in simultaneous order; the first readings of a new simulation use them too.

use bevy::prelude::*;

use super::{Actors, Agents, Phase, caches};
use crate::agent::contact::Dead;
use crate::sensor::Sensors;

/// What one kind does for one agent (controllers, motion models) or for one sensor of it (sensors).
///
/// It does nothing when the entity is not of the kind.
pub type Turn = fn(&mut World, Entity);

/// What the kinds do in an agent's turn, in the order of their registration.
#[derive(Resource, Clone, Default)]
pub struct Turns {
    pub(super) control: Vec<Turn>,
    pub(super) motion: Vec<Turn>,
    pub(super) sense: Vec<Turn>,
}

impl Turns {
    /// Adds what a kind does. Collisions are no kind's matter.
    pub(crate) fn add(&mut self, phase: Phase, turn: Turn) {
        match phase {
            Phase::Control => self.control.push(turn),
            Phase::Move => self.motion.push(turn),
            Phase::Sense => self.sense.push(turn),
            Phase::Collide => {}
        }
    }
}

/// Runs one step of all agents, by age.
pub(super) fn take_turns(world: &mut World) {
    world.resource_scope(|world, turns: Mut<Turns>| {
        world.resource_scope(|world, agents: Mut<Agents>| {
            for (row, &agent) in agents.0.iter().enumerate() {
                caches::box_one(world, row, agent);
                if !world.entity(agent).contains::<Dead>() {
                    turns.control.iter().chain(&turns.motion).for_each(|act| act(world, agent));
                }
                caches::collide_one(world, row, &agents.0);
                // It may not have survived.
                if !world.entity(agent).contains::<Dead>() {
                    sense_agent(world, &turns.sense, agent);
                }
            }
        });
    });
    caches::settle(world);
}

/// Lets every sensor of every agent, and of every object that acts, read once.
pub(crate) fn sense_all(world: &mut World) {
    let turns = world.resource::<Turns>().sense.clone();
    let (agents, actors) = (world.resource::<Agents>(), world.resource::<Actors>());
    for agent in agents.0.iter().chain(&actors.0).copied().collect::<Vec<_>>() {
        sense_agent(world, &turns, agent);
    }
}

pub(super) fn sense_agent(world: &mut World, sense: &[Turn], agent: Entity) {
    let mut slot = 0;
    while let Some(sensor) = world.get::<Sensors>(agent).and_then(|sensors| sensors.slots().get(slot).copied()) {
        sense.iter().for_each(|act| act(world, sensor));
        slot += 1;
    }
}
