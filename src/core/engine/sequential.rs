//! Sequential order: agents control, move, collide and sense one after the other.
//!
//! Imported RobotSwarmSimulator worlds use it. The systems are the same as in simultaneous order; the first readings of
//! a new simulation also use them.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;

use super::caches;
use super::contact;
use crate::agent::contact::Dead;
use crate::sensor::Sensors;
use crate::step::roster::{FamilySystems, Roster};
use crate::step::{Actors, Agents, CurrentSpace};

/// Acts in the turn of an agent, by its number: before it decides (`None`), and before the sensor in a slot reads.
pub(crate) type Act = dyn FnMut(&mut World, u32, Option<usize>) -> Result<(), Problem> + Send + Sync;

/// A program that acts in the turns of agents, during one step, and its failure.
#[derive(Resource)]
pub(crate) struct InTurn {
    act: Box<Act>,
    /// After a failure, the program is not asked again.
    pub outcome: Result<(), Problem>,
}

impl InTurn {
    pub fn new(act: Box<Act>) -> Self {
        Self { act, outcome: Ok(()) }
    }

    /// Lets the program act. `agents` replaces the list of agents, which the program sees complete.
    fn act(&mut self, world: &mut World, (agent, slot): (Entity, Option<usize>), agents: &mut Vec<Entity>) {
        let Some(number) = world.get::<StableId>(agent).map(|id| id.index()).filter(|_| self.outcome.is_ok()) else {
            return;
        };
        std::mem::swap(&mut world.resource_mut::<Agents>().0, agents);
        self.outcome = (self.act)(world, number, slot);
        std::mem::swap(&mut world.resource_mut::<Agents>().0, agents);
    }
}

/// Runs one step of all agents, by age.
pub(super) fn take_turns(world: &mut World) {
    let mut agents = Vec::new();
    let mut in_turn = world.remove_resource::<InTurn>();
    Roster::lend(world, |world, roster| {
        let each_sends = roster.radio.begin(world);
        let some_follow = roster.follow.is_present(world);
        agents = std::mem::take(&mut world.resource_mut::<Agents>().0);
        world.resource_mut::<CurrentSpace>().forget_bumps();
        // With classic collisions, agents die after they have sensed.
        let dies_late = !world.resource::<CurrentSpace>().boxes.is_empty();
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
                if some_follow {
                    sense_agent(world, &mut roster.follow, agent, &mut |_, _| {});
                }
                if let Some(program) = &mut in_turn {
                    program.act(world, (agent, None), &mut agents);
                }
                roster.control.act_for(world, agent);
                roster.motion.act_for(world, agent);
            }
            caches::collide_one(world, row, &agents);
            // The agent may have died.
            if !world.entity(agent).contains::<Dead>() {
                sense_agent(world, &mut roster.sense, agent, &mut |world, slot| {
                    if let Some(program) = &mut in_turn {
                        program.act(world, (agent, Some(slot)), &mut agents);
                    }
                });
            }
            if dies_late && !world.resource::<contact::PendingDeaths>().is_empty() {
                contact::kill_pending_among(world, &agents);
            }
        }
        if some_follow {
            roster.follow.act_for_all(world);
        }
    });
    if let Some(program) = in_turn {
        world.insert_resource(program);
    }
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
            sense_agent(world, &mut roster.sense, *owner, &mut |_, _| {});
        }
    });
}

/// Reads the sensors of one agent by slot; `before` is called with the slot of each sensor before it reads.
pub(super) fn sense_agent(
    world: &mut World,
    sense: &mut FamilySystems,
    agent: Entity,
    before: &mut dyn FnMut(&mut World, usize),
) {
    let mut slot = 0;
    while let Some(sensor) = world.get::<Sensors>(agent).and_then(|sensors| sensors.slots().get(slot).copied()) {
        before(world, slot);
        sense.act_for(world, sensor);
        slot += 1;
    }
}
