//! Counts collisions and kills agents that do not survive them.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_space::{Bump, Space, TOLERANCE, Target};

use crate::agent::Displacement;
use crate::agent::contact::{Anchored, Bumps, Dead, LastCollisions, OnCollision, Touched};
use crate::agent_view::AgentView;
use crate::events::{EventKind, Events};
use crate::motion::Moving;
use crate::sensor::{Reading, Sensors};
use crate::state::{Record, RegisterState as _};
use crate::step::{Agents, CurrentSpace};
use crate::time::SimTime;

pub(super) fn plugin(app: &mut App) {
    app.register_state::<Anchored>("anchored");
    app.register_record::<Crash>("crash")
        .init_resource::<Crash>()
        .init_resource::<PendingDeaths>()
        .init_resource::<Bumped>()
        .init_resource::<OnCollision>();
}

/// The last step with a new collision under `on_collision: Pause`; 0 before the first.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crash(pub u64);

impl Record for Crash {}

/// The agents that collided in this step; empty between steps.
#[derive(Resource, Debug, Default)]
pub(crate) struct Bumped(pub Vec<Bump>);

/// Counts the collisions of this step.
pub(crate) fn count_bumps(world: &mut World) {
    let step = world.resource::<SimTime>().step;
    let mut bumps = std::mem::take(&mut world.resource_mut::<Bumped>().0);
    for Bump { row, into } in bumps.drain(..) {
        let Some(&agent) = world.resource::<Agents>().0.get(row) else { continue };
        let before = world.get::<Bumps>(agent).copied();
        let is_new = before.is_none_or(|bumps| bumps.last_step + 1 < step);
        let count = before.map_or(0, |bumps| bumps.count) + u32::from(is_new);
        world.entity_mut(agent).insert(Bumps { count, last_step: step });
        if is_new {
            let text = format!("Ran into {}", obstacle(world, into));
            let who = world.get::<StableId>(agent).copied().unwrap_or(StableId::agent(0));
            world.resource_mut::<Events>().push(step, who, EventKind::Collision, text);
            if *world.resource::<OnCollision>() == OnCollision::Pause {
                world.insert_resource(Crash(step));
            }
        }
    }
    // Reuse the allocation.
    world.resource_mut::<Bumped>().0 = bumps;
}

/// Name of the obstacle of a collision, for the log.
fn obstacle(world: &World, target: Target) -> String {
    let space = world.resource::<CurrentSpace>();
    match target {
        Target::Wall => "a wall".into(),
        Target::Body(row) => {
            let agents = &world.resource::<Agents>().0;
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

/// Rows of the agents that die in this step; empty between steps.
#[derive(Resource, Debug, Default)]
pub(crate) struct PendingDeaths(Vec<usize>);

impl PendingDeaths {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Marks a fragile agent and the agents that it touches, while they still overlap.
    pub fn note_overlaps(&mut self, space: &Space, row: usize) {
        let (position, radius) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        let before = self.0.len();
        // Smaller overlaps are not corrected.
        space.index().within_range(position, radius - TOLERANCE, Some(row), |other| {
            if space.touch(row, &other) {
                self.0.push(other.row);
            }
        });
        if self.0.len() > before {
            self.0.push(row);
        }
    }

    /// Marks an agent.
    pub fn note(&mut self, row: usize) {
        self.0.push(row);
    }

    /// Marks a fragile agent that was pushed out of something.
    pub fn note_pushed(&mut self, space: &Space, row: usize) {
        if space.bodies.pushed()[row] {
            self.0.push(row);
        }
    }
}

/// Kills the marked agents, after all have moved.
pub(crate) fn kill_pending(world: &mut World) {
    world.resource_scope(|world, agents: Mut<Agents>| kill_pending_among(world, &agents.0));
}

/// Kills the marked agents among `agents`, by row.
pub(crate) fn kill_pending_among(world: &mut World, agents: &[Entity]) {
    let mut rows = std::mem::take(&mut world.resource_mut::<PendingDeaths>().0);
    let is_classic = !world.resource::<CurrentSpace>().boxes.is_empty();
    for row in rows.drain(..) {
        let Some(agent) = agents.get(row) else { continue };
        if !is_classic {
            die(world, row, *agent);
        } else if die_in_place(world, *agent) {
            world.resource_mut::<CurrentSpace>().bodies.fix(row);
        }
    }
    // Reuse the allocation.
    world.resource_mut::<PendingDeaths>().0 = rows;
}

/// Kills the agent in a row: its readings, its displacement and its collisions are zero.
pub(super) fn die(world: &mut World, row: usize, agent: Entity) {
    world.resource_mut::<CurrentSpace>().bodies.stop(row);
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

fn sensors_of(world: &World, agent: Entity) -> Vec<Entity> {
    world.get::<Sensors>(agent).map(|sensors| sensors.slots().to_vec()).unwrap_or_default()
}

/// Records the collisions of a living agent in its turn with classic collisions; a dead one keeps its last ones.
pub(super) fn keep_collisions(world: &mut World, row: usize, agent: Entity) {
    let is_dead = world.entity(agent).contains::<Dead>();
    let collisions = world.resource::<CurrentSpace>().bodies.collided()[row];
    let Some(mut last) = world.get_mut::<LastCollisions>(agent) else { return };
    if !is_dead {
        last.set_if_neq(LastCollisions(collisions));
        return;
    }
    let kept = last.0;
    world.resource_mut::<CurrentSpace>().bodies.set_collided(row, kept);
}

/// Whether collisions kill an agent.
pub(crate) fn is_fragile(moving: Option<&Moving>) -> bool {
    moving.is_some_and(|moving| moving.catastrophic_collisions)
}

/// Records the contacts of one agent.
pub(crate) fn feel_one(world: &mut World, row: usize, agent: Entity) {
    if world.entity(agent).contains::<Touched>() {
        let pushed = world.resource::<CurrentSpace>().bodies.pushed()[row];
        world.entity_mut(agent).insert(Touched(pushed));
    }
}
