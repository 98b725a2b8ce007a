//! Counts collisions and kills agents that do not survive them.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::{Bump, Space, Target};

use swarmarium_core::agent::Displacement;
use swarmarium_core::agent::contact::{Anchored, Bumps, Dead, LastCollisions, OnCollision};
use swarmarium_core::events::EventKind;
use swarmarium_core::motion::Moving;
use swarmarium_core::sensor::{Reading, Sensors};
use swarmarium_core::state::RegisterState as _;
use swarmarium_core::step::HasArena as _;
use swarmarium_core::step::arena::Crash;
use swarmarium_scene::agent_view::AgentView;

pub(super) fn plugin(app: &mut App) {
    app.register_state::<Anchored>("anchored");
}

/// Counts the collisions of this step.
pub(crate) fn count_bumps(world: &mut World) {
    let step = world.arena().time.step;
    let mut bumps = std::mem::take(&mut world.arena_mut().bumped);
    for Bump { row, into } in bumps.drain(..) {
        let Some(&agent) = world.arena().agents.get(row) else { continue };
        let before = world.get::<Bumps>(agent).copied().filter(|bumps| bumps.count > 0);
        let is_new = before.is_none_or(|bumps| bumps.last_step + 1 < step);
        let count = before.map_or(0, |bumps| bumps.count) + u32::from(is_new);
        world.entity_mut(agent).insert(Bumps { count, last_step: step });
        if is_new {
            let text = format!("Ran into {}", obstacle(world, into));
            let who = world.get::<StableId>(agent).copied().unwrap_or(StableId::agent(0));
            world.arena_mut().events.push(step, who, EventKind::Collision, text);
            if world.arena().on_collision == OnCollision::Pause {
                world.arena_mut().crash = Crash(step);
            }
        }
    }
    // Reuse the allocation.
    world.arena_mut().bumped = bumps;
}

/// Name of the obstacle of a collision, for the log.
fn obstacle(world: &World, target: Target) -> String {
    let space = &world.arena().space;
    match target {
        Target::Wall => "a wall".into(),
        Target::Body(row) => {
            let agents = &world.arena().agents;
            let name = agents.get(row).and_then(|agent| AgentView::of(world, *agent)).map(|agent| agent.name());
            name.unwrap_or_else(|| "another robot".into())
        }
        Target::Solid(_) | Target::Thing(_) => {
            let place = match target {
                Target::Solid(solid) => space.owner_of(solid),
                _ => None,
            };
            match place.and_then(|place| Some((place, space.things.get(place)?))) {
                Some((_, thing)) if !thing.name.is_empty() => format!("the object {}", thing.name),
                Some((place, _)) => format!("object {place}"),
                None => "an object".into(),
            }
        }
    }
}

/// Kills the marked agents, after all have moved.
pub(crate) fn kill_pending(world: &mut World) {
    let arena = world.arena_mut();
    let rows = arena.deaths.take();
    let is_classic = arena.space.is_classic();
    for row in &rows {
        let Some(&agent) = world.arena().agents.get(*row) else { continue };
        if !is_classic {
            die(world, *row, agent);
        } else if die_in_place(world, agent) {
            world.arena_mut().space.bodies.fix(*row);
        }
    }
    world.arena_mut().deaths.give_back(rows);
}

/// Kills the agent in a row: its readings, its displacement and its collisions are zero.
pub(super) fn die(world: &mut World, row: usize, agent: Entity) {
    world.arena_mut().space.bodies.stop(row);
    for sensor in sensors_of(world, agent) {
        if let Some(mut reading) = world.get_mut::<Reading>(sensor) {
            reading.values.fill(0.0);
        }
    }
    mark_dead(world, agent);
    let mut agent = world.entity_mut(agent);
    agent.insert(Displacement::default());
    if let Some(mut last) = agent.get_mut::<LastCollisions>() {
        last.0 = 0;
    }
}

/// Kills an agent as RobotSwarmSimulator does: its readings, its displacement and its collisions stay. Returns whether it
/// died: regions among the agents go on.
pub(super) fn die_in_place(world: &mut World, agent: Entity) -> bool {
    let goes_on = world.get::<Anchored>(agent).is_some() && world.get::<Sensors>(agent).is_some();
    if !goes_on {
        mark_dead(world, agent);
    }
    !goes_on
}

fn mark_dead(world: &mut World, agent: Entity) {
    for sensor in sensors_of(world, agent) {
        world.entity_mut(sensor).insert(Dead);
    }
    world.entity_mut(agent).insert(Dead);
}

/// The sensors of an agent, by slot.
pub(super) fn sensors_of(world: &World, agent: Entity) -> Vec<Entity> {
    world.get::<Sensors>(agent).map(|sensors| sensors.slots().to_vec()).unwrap_or_default()
}

/// Records the collisions of a living agent in its turn with classic collisions; a dead one keeps its last ones.
pub(super) fn keep_collisions(space: &mut Space, row: usize, is_dead: bool, last: Option<Mut<LastCollisions>>) {
    let collisions = space.bodies.collided()[row];
    let Some(mut last) = last else { return };
    if is_dead {
        space.bodies.set_collided(row, last.0);
    } else {
        last.set_if_neq(LastCollisions(collisions));
    }
}

/// Whether collisions kill an agent.
pub(crate) fn is_fragile(moving: Option<&Moving>) -> bool {
    moving.is_some_and(|moving| moving.catastrophic_collisions)
}
