//! Sequential order: agents control, move, collide and sense one after the other.
//!
//! Imported RobotSwarmSimulator worlds use it. The systems are the same as in simultaneous order; the first readings of
//! a new simulation also use them.

use bevy::prelude::*;

use super::caches;
use super::contact;
use crate::agent::contact::Dead;
use crate::sensor::Sensors;
use crate::step::roster::{FamilySystems, Roster};
use crate::step::{Actors, Agents, CurrentSpace};

/// Runs one step of all agents, by age.
pub(super) fn take_turns(world: &mut World) {
    let mut agents = Vec::new();
    Roster::lend(world, |world, roster| {
        let each_sends = roster.radio.begin(world);
        agents = std::mem::take(&mut world.resource_mut::<Agents>().0);
        world.resource_mut::<CurrentSpace>().forget_bumps();
        for row in 0..agents.len() {
            let agent = agents[row];
            caches::box_one(world, row, agent);
            if !world.entity(agent).contains::<Dead>() {
                if each_sends {
                    // Radios look up other radios in this list.
                    std::mem::swap(&mut world.resource_mut::<Agents>().0, &mut agents);
                    roster.radio.send_for(world, agent);
                    std::mem::swap(&mut world.resource_mut::<Agents>().0, &mut agents);
                }
                roster.control.act_for(world, agent);
                roster.motion.act_for(world, agent);
            }
            caches::collide_one(world, row, &agents);
            // The agent may have died.
            if !world.entity(agent).contains::<Dead>() {
                sense_agent(world, &mut roster.sense, agent);
            }
        }
    });
    world.resource_mut::<Agents>().0 = agents;
    contact::count_bumps(world);
    caches::settle(world);
}

/// Reads all sensors of all agents and active objects once.
pub(crate) fn sense_all(world: &mut World) {
    let (agents, actors) = (world.resource::<Agents>(), world.resource::<Actors>());
    let all: Vec<Entity> = agents.0.iter().chain(&actors.0).copied().collect();
    sense_some(world, &all);
}

/// Reads all sensors of some agents and objects once.
pub(crate) fn sense_some(world: &mut World, owners: &[Entity]) {
    Roster::lend(world, |world, roster| {
        for owner in owners {
            sense_agent(world, &mut roster.sense, *owner);
        }
    });
}

pub(super) fn sense_agent(world: &mut World, sense: &mut FamilySystems, agent: Entity) {
    let mut slot = 0;
    while let Some(sensor) = world.get::<Sensors>(agent).and_then(|sensors| sensors.slots().get(slot).copied()) {
        sense.act_for(world, sensor);
        slot += 1;
    }
}
