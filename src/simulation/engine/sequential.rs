//! Sequential orders: agents control, move, collide and sense one after the other.
//!
//! Imported RobotSwarmSimulator worlds use the order by number. The kernels are the same as in simultaneous order; the
//! first readings of a new simulation also use them.

use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::Pose;
use swarmarium_core::sensor::Sensors;
use swarmarium_core::step::order::{Delivery, Order};
use swarmarium_core::step::plan::{Duty, Plan};
use swarmarium_core::step::{AgentOrder, Arena, HasArena as _};

use super::caches;
use super::contact;

/// Acts in the turn of an agent, by its number: before it decides (`None`), and before the sensor in a slot reads.
pub(crate) type Act = dyn FnMut(&mut World, u32, Option<usize>) -> Result<(), Problem> + Send + Sync;

/// The duties of an agent in its turn, in order; radios can also send for all agents at once.
pub(super) const TURN: &[Duty] =
    &[Duty::Wake, Duty::Tell, Duty::Send, Duty::Follow, Duty::Control, Duty::Move, Duty::CollideInTurn, Duty::Sense];

/// As [`TURN`], for agents in a random order: an agent senses before it decides, not at the end of its turn.
pub(super) const RANDOM_TURN: &[Duty] =
    &[Duty::Wake, Duty::Tell, Duty::Send, Duty::Sense, Duty::Follow, Duty::Control, Duty::Move, Duty::CollideInTurn];

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

    /// Lets the program act in the world as it is between two steps.
    fn act(&mut self, world: &mut World, plan: &mut Plan, (agent, slot): (Entity, Option<usize>)) {
        let Some(number) = world.get::<StableId>(agent).map(|id| id.index()).filter(|_| self.outcome.is_ok()) else {
            return;
        };
        plan.return_arena(world);
        self.outcome = (self.act)(world, number, slot);
    }
}

/// Runs one step of all agents: by number, or in random order.
pub(super) fn take_turns(world: &mut World, plan: &mut Plan) {
    let mut in_turn = world.remove_resource::<InTurn>();
    let each_sends = begin_radios(world, plan);
    let some_follow = plan.has(world, Duty::Follow);
    let is_random = world.resource::<AgentOrder>().0 == Order::RandomSequential;
    let arena = plan.arena(world);
    arena.space.forget_bumps();
    let is_classic = arena.space.is_classic();
    let shuffled = if is_random { shuffled_rows(arena) } else { Vec::new() };
    for turn in 0.. {
        // Agents that appear during the step come last.
        let row = shuffled.get(turn).copied().unwrap_or(turn);
        let Some(&agent) = plan.arena(world).agents.get(row) else { break };
        // The position before its move, for the broad phase with boxes.
        if is_classic && let Some(pose) = world.get::<Pose>(agent).copied() {
            plan.arena(world).space.set_box(row, pose.position_m);
        }
        if !is_dead(world, plan, row) {
            if each_sends {
                send_for(world, plan, agent);
            }
            if is_random {
                sense_in_turn(world, plan, agent, &mut in_turn);
            }
            if some_follow {
                sense_agent(world, plan, Duty::Follow, agent, &mut |_, _, _| {});
            }
            if let Some(program) = &mut in_turn {
                program.act(world, plan, (agent, None));
            }
            plan.act_for(world, &[Duty::Control, Duty::Move, Duty::CollideInTurn], agent);
        } else {
            plan.act_for(world, &[Duty::CollideInTurn], agent);
        }
        // With classic collisions, agents die after they have sensed.
        if !is_classic {
            kill(world, plan);
        }
        if !is_random && !is_dead(world, plan, row) {
            sense_in_turn(world, plan, agent, &mut in_turn);
        }
        kill(world, plan);
    }
    if some_follow {
        plan.act_for_all(world, Duty::Follow);
    }
    if let Some(program) = in_turn {
        world.insert_resource(program);
    }
    if !plan.arena(world).bumped.is_empty() {
        plan.return_arena(world);
        contact::count_bumps(world);
    }
    if caches::settle(plan.context(world)) {
        plan.return_arena(world);
        caches::put_pushed(world);
    }
}

/// All rows in a random order. Each agent draws its own place, so the order of some agents does not depend on others.
fn shuffled_rows(arena: &Arena) -> Vec<usize> {
    let draw = |number: u32| arena.seed.stream(StableId::agent(number), "turn").at_step(arena.time.step).unit();
    let mut drawn: Vec<_> =
        arena.space.bodies.owners().iter().enumerate().map(|(row, owner)| (draw(owner.number), row)).collect();
    drawn.sort_unstable_by(|(one, row), (other, other_row)| one.total_cmp(other).then(row.cmp(other_row)));
    drawn.into_iter().map(|(_, row)| row).collect()
}

/// Reads the sensors of an agent in its turn; the program acts before each of them.
fn sense_in_turn(world: &mut World, plan: &mut Plan, agent: Entity, in_turn: &mut Option<InTurn>) {
    sense_agent(world, plan, Duty::Sense, agent, &mut |world, plan, slot| {
        if let Some(program) = in_turn {
            program.act(world, plan, (agent, Some(slot)));
        }
    });
}

fn is_dead(world: &mut World, plan: &mut Plan, row: usize) -> bool {
    plan.arena(world).space.bodies.owners()[row].dead
}

/// Kills the agents that a collision has marked.
fn kill(world: &mut World, plan: &mut Plan) {
    if !plan.arena(world).deaths.is_empty() {
        plan.return_arena(world);
        contact::kill_pending(world);
    }
}

/// In scenes with radios, begins their step; returns whether each agent sends by itself, just before it decides. Otherwise
/// all radios send at once.
fn begin_radios(world: &mut World, plan: &mut Plan) -> bool {
    if !plan.has(world, Duty::Wake) {
        return false;
    }
    plan.act_for_all(world, Duty::Wake);
    let each_sends = plan.arena(world).delivery == Delivery::SameStep;
    if !each_sends {
        plan.act_for_all(world, Duty::Tell);
        plan.act_for_all(world, Duty::Send);
    }
    each_sends
}

/// Lets one agent write and send its message, if it has a turn.
fn send_for(world: &mut World, plan: &mut Plan, agent: Entity) {
    plan.act_for(world, &[Duty::Tell, Duty::Send], agent);
}

/// All agents decide; with radios whose messages are received in the same step, one after the other.
pub(super) fn decide_in_turn(world: &mut World, plan: &mut Plan) {
    if !plan.has(world, Duty::Wake) {
        plan.act_for_all(world, Duty::Control);
        return;
    }
    let mut row = 0;
    while let Some(&agent) = plan.arena(world).agents.get(row) {
        if !is_dead(world, plan, row) {
            send_for(world, plan, agent);
            plan.act_for(world, &[Duty::Control], agent);
        }
        row += 1;
    }
}

/// Reads all sensors of all agents and active objects once.
pub(crate) fn sense_all(world: &mut World) {
    let arena = world.arena();
    let all: Vec<Entity> = arena.agents.iter().chain(&arena.actors).copied().collect();
    sense_some(world, &all);
}

/// Reads all sensors of some agents and objects once.
pub(crate) fn sense_some(world: &mut World, owners: &[Entity]) {
    Plan::with(world, |world, plan| {
        for owner in owners {
            sense_agent(world, plan, Duty::Sense, *owner, &mut |_, _, _| {});
        }
    });
}

/// Lets the sensors of one agent do a duty, by slot; `before` is called with the slot of each sensor before.
pub(super) fn sense_agent(
    world: &mut World,
    plan: &mut Plan,
    duty: Duty,
    agent: Entity,
    before: &mut dyn FnMut(&mut World, &mut Plan, usize),
) {
    let sensors = world.get::<Sensors>(agent).map(Sensors::slots).unwrap_or_default();
    let sensors = SmallVec::<[Entity; 4]>::from_slice(sensors);
    for (slot, sensor) in sensors.into_iter().enumerate() {
        before(world, plan, slot);
        plan.act_for(world, &[duty], sensor);
    }
}
