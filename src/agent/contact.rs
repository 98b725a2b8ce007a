//! What touching something does to an agent: some feel it, and some do not survive it.

use bevy::prelude::*;

use super::Displacement;
use super::motion::{Anchored, Moving};
use crate::agent_view::AgentView;
use crate::events::Events;
use crate::id::StableId;
use crate::sensor::{Reading, Sensors};
use crate::space::{Bump, Space, TOLERANCE, Target};
use crate::state::RegisterState as _;
use crate::step::{Agents, CurrentSpace};
use crate::time::SimTime;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Touched>("touched").register_state::<Dead>("dead").register_state::<Bumps>("bumps");
    app.register_record::<Crash>("crash")
        .init_resource::<Crash>()
        .init_resource::<Wrecks>()
        .init_resource::<Bumped>()
        .init_resource::<OnCollision>();
}

/// What becomes of agents that run into something. Nobody ever drives through a wall.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum OnCollision {
    /// Discs are pushed out of each other, of obstacles and of walls. Robots with outlines push discs, and stop at what
    /// does not give way.
    #[default]
    Push,
    /// They stop where they would run into anything, and turn there if there is room.
    Stop,
    /// They stop, and so does the run when one of them runs into something anew: a window pauses, `run` ends.
    Pause,
}

/// Whether an agent ran into something in the last step: it was pushed out of an agent, an object or a wall.
///
/// Only agents have it that it matters to. In sequential order the agent whose turn it is gives way, so it alone feels it,
/// unless it is still deep in others after all turns.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched(pub bool);

/// An agent that did not survive a collision or a fault, and each of its sensors: it neither moves nor senses nor sends,
/// and is in the way.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[require(Anchored)]
pub struct Dead;

/// How often an agent that stops where it would run into something did so. Those that never did have none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bumps {
    /// How many times; one that pushes on is counted once.
    pub count: u32,
    /// The last step in which something was in its way.
    pub last_step: u64,
}

/// The last step in which an agent ran into something anew, with `on_collision: Pause`; 0 before the first.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crash(pub u64);

/// The agents that ran into something in this step; empty between steps.
#[derive(Resource, Debug, Default)]
pub(crate) struct Bumped(pub Vec<Bump>);

/// Counts who ran into something.
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
            world.resource_mut::<Events>().push(step, who, text);
            if *world.resource::<OnCollision>() == OnCollision::Pause {
                world.insert_resource(Crash(step));
            }
        }
    }
    // Its memory serves again.
    world.resource_mut::<Bumped>().0 = bumps;
}

/// What somebody ran into, in words.
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

/// The rows of agents that do not survive this step; empty between steps.
#[derive(Resource, Debug, Default)]
pub(crate) struct Wrecks(Vec<usize>);

impl Wrecks {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes a fragile agent, and whom it runs into, while they still overlap.
    pub fn note_overlaps(&mut self, space: &Space, row: usize) {
        let (position, radius) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        let before = self.0.len();
        // Below this overlap, collisions leave agents where they are.
        space.index().within_range(position, radius - TOLERANCE, Some(row), |other| {
            if space.touch(row, &other) {
                self.0.push(other.row);
            }
        });
        if self.0.len() > before {
            self.0.push(row);
        }
    }

    /// Notes a fragile agent that was pushed out of something.
    pub fn note_pushed(&mut self, space: &Space, row: usize) {
        if space.bodies.pushed()[row] {
            self.0.push(row);
        }
    }
}

/// Ends the lives of those that were noted, after all have moved.
pub(crate) fn perish(world: &mut World) {
    world.resource_scope(|world, agents: Mut<Agents>| perish_among(world, &agents.0));
}

/// Ends the lives of those that were noted, of agents by row.
pub(crate) fn perish_among(world: &mut World, agents: &[Entity]) {
    let mut rows = std::mem::take(&mut world.resource_mut::<Wrecks>().0);
    for row in rows.drain(..) {
        if let Some(agent) = agents.get(row) {
            die(world, row, *agent);
        }
    }
    // Its memory serves again.
    world.resource_mut::<Wrecks>().0 = rows;
}

/// Ends the life of the agent in a row.
pub(super) fn die(world: &mut World, row: usize, agent: Entity) {
    world.resource_mut::<CurrentSpace>().bodies.stop(row);
    let sensors = world.get::<Sensors>(agent).map(|sensors| sensors.slots().to_vec()).unwrap_or_default();
    for sensor in sensors {
        let mut sensor = world.entity_mut(sensor);
        if let Some(mut reading) = sensor.get_mut::<Reading>() {
            reading.values.fill(0.0);
        }
        sensor.insert(Dead);
    }
    world.entity_mut(agent).insert((Dead, Displacement::default()));
}

/// Whether an agent does not survive collisions.
pub(crate) fn is_fragile(moving: Option<&Moving>) -> bool {
    moving.is_some_and(|moving| moving.catastrophic_collisions)
}

/// Lets the agent whose turn it is feel what it touched.
pub(crate) fn feel_one(world: &mut World, row: usize, agent: Entity) {
    if world.entity(agent).contains::<Touched>() {
        let pushed = world.resource::<CurrentSpace>().bodies.pushed()[row];
        world.entity_mut(agent).insert(Touched(pushed));
    }
}
