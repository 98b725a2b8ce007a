//! Flat arrays that a step works on, made from components and never state.

use bevy::math::DVec2;
use bevy::prelude::*;

use crate::agent::contact::{self, Dead, Touched, Wrecks};
use crate::agent::motion::Moving;
use crate::agent::{Displacement, Member, Pose, Row, Team};
use crate::history::snapshot::entities_by_id;
use crate::id::StableId;
use crate::metric::Roster;
use crate::object;
use crate::scene::description::{Arena, Body, Walls};
use crate::sensor::{Mounted, SensorOf};
use crate::space::{self, Border, Field, Space};
use crate::step::Workers;

/// The space that everything is in, as it is now.
#[derive(Resource, Deref, DerefMut)]
pub struct CurrentSpace(pub Space);

impl Default for CurrentSpace {
    fn default() -> Self {
        Self(Space::new(Field::new(DVec2::ONE, Border::Open)))
    }
}

/// The agents by row, that is by stable id.
#[derive(Resource, Default)]
pub struct Agents(pub Vec<Entity>);

/// How often overlaps are corrected in one step at most; each pass halves what a crowd still overlaps.
const COLLISION_PASSES: u32 = 4;
/// From this many bodies on, sharing the search for overlaps pays (measured: not yet at 10,000 on two cores).
const COLLISIONS_WORTH_IT: usize = 16_000;

/// Relates sensors to their agents again, after a snapshot was loaded.
pub(crate) fn relink(world: &mut World) {
    let entities = entities_by_id(world);
    // In the order of their ids, so that an agent has its sensors by slot.
    for entity in entities.values() {
        if let Some(owner) = world.get::<Mounted>(*entity).and_then(|mounted| entities.get(&mounted.owner)) {
            world.entity_mut(*entity).insert(SensorOf(*owner));
        }
    }
}

/// Lays out the arena, once for a simulation: edits of it wait for the next one.
pub(crate) fn lay_out(world: &mut World, arena: Arena) {
    let border = match arena.walls {
        Walls::Open => Border::Open,
        Walls::Walled => Border::Walled,
        Walls::Wrapping => Border::Wrapping,
    };
    world.resource_mut::<CurrentSpace>().arena = Field::new(arena.size_m, border);
}

/// Makes all caches anew: after agents came or went, after edits, after a snapshot was loaded.
pub(crate) fn rebuild(world: &mut World) {
    let mut agents: Vec<(StableId, Entity)> =
        world.query_filtered::<(&StableId, Entity), With<Pose>>().iter(world).map(|(id, agent)| (*id, agent)).collect();
    agents.sort_unstable();
    for (row, (_, agent)) in agents.iter().enumerate() {
        world.entity_mut(*agent).insert(Row(row as u32));
    }
    let mut sensors = world.query::<(&SensorOf, &mut Row)>();
    let rows: Vec<(Entity, Entity)> =
        world.query::<(Entity, &SensorOf)>().iter(world).map(|(sensor, of)| (sensor, of.0)).collect();
    for (sensor, agent) in rows {
        let row = world.get::<Row>(agent).copied().unwrap_or_default();
        if let Ok((_, mut mine)) = sensors.get_mut(world, sensor) {
            *mine = row;
        }
    }
    let solids = object::solids(world);
    let mut space = world.resource_mut::<CurrentSpace>();
    space.solids = solids;
    space.bodies.resize(agents.len());
    let group = |agent: &Entity| world.get::<Member>(*agent).map_or(u32::MAX, |member| member.group);
    let (numbers, groups) = agents.iter().map(|(id, agent)| (id.index(), group(agent))).unzip();
    let dead = agents.iter().map(|(_, agent)| world.get::<Dead>(*agent).is_some()).collect();
    world.insert_resource(Roster { numbers, groups, dead });
    world.insert_resource(Agents(agents.into_iter().map(|(_, agent)| agent).collect()));
    let mut bodies = world.query::<Gathered>();
    world.resource_scope(|world, mut space: Mut<CurrentSpace>| {
        for agent in bodies.iter(world) {
            gather_one(&mut space, agent);
        }
        space.update();
    });
}

/// What the flat arrays take of an agent.
type Gathered = (&'static Row, &'static Pose, &'static Body, &'static Team, &'static Displacement, Has<Dead>);

fn gather_one(
    space: &mut Space,
    (row, pose, body, team, moved, is_dead): (&Row, &Pose, &Body, &Team, &Displacement, bool),
) {
    let body = space::Body {
        position: pose.position_m,
        heading: pose.heading_rad,
        radius: body.radius_m(),
        displacement: moved.0,
        group: team.0,
        contact: if is_dead { space::Contact::Fixed } else { space::Contact::Mobile },
    };
    space.bodies.set(row.0 as usize, body);
}

/// Gathers the moved agents into flat arrays, resolves their overlaps and writes back what was pushed.
pub(super) fn collide(
    workers: Res<Workers>,
    mut space: ResMut<CurrentSpace>,
    mut wrecks: ResMut<Wrecks>,
    mut agents: Query<(&Row, &mut Pose, &Body, &Team, &mut Displacement, Has<Dead>)>,
    fragile: Query<(&Row, &Moving), Without<Dead>>,
    mut feeling: Query<(&Row, &mut Touched)>,
) {
    for (row, pose, body, team, moved, is_dead) in &agents {
        gather_one(&mut space, (row, pose, body, team, moved, is_dead));
    }
    let space = &mut space.0;
    let rows = space.bodies.len();
    space.update();
    let fragile = || fragile.iter().filter(|(_, moving)| moving.catastrophic_collisions);
    fragile().for_each(|(row, _)| wrecks.note_overlaps(space, row.0 as usize));
    if space.resolve(COLLISION_PASSES, workers.pool_for(rows, COLLISIONS_WORTH_IT)) {
        for (row, mut pose, _, _, mut moved, _) in &mut agents {
            pose.position_m = space.bodies.positions()[row.0 as usize];
            moved.0 = space.bodies.displacements()[row.0 as usize];
        }
    }
    fragile().for_each(|(row, _)| wrecks.note_pushed(space, row.0 as usize));
    for (row, mut touched) in &mut feeling {
        touched.0 = space.bodies.pushed()[row.0 as usize];
    }
}

/// As [`collide`], for the agent whose turn it is: it alone gives way.
pub(super) fn collide_one(world: &mut World, row: usize, agent: Entity) {
    let (Some(pose), Some(moved)) = (world.get::<Pose>(agent).copied(), world.get::<Displacement>(agent).copied())
    else {
        return;
    };
    let is_fragile = contact::is_fragile(world.get::<Moving>(agent)) && !world.entity(agent).contains::<Dead>();
    let mut wrecks = is_fragile.then(|| std::mem::take(&mut *world.resource_mut::<Wrecks>()));
    let mut space = world.resource_mut::<CurrentSpace>();
    space.place_body(row, pose.position_m, pose.heading_rad, moved.0);
    wrecks.iter_mut().for_each(|wrecks| wrecks.note_overlaps(&space, row));
    space.resolve_one(row);
    wrecks.iter_mut().for_each(|wrecks| wrecks.note_pushed(&space, row));
    let (position_m, moved) = (space.bodies.positions()[row], space.bodies.displacements()[row]);
    world.entity_mut(agent).insert((Pose { position_m, ..pose }, Displacement(moved)));
    contact::feel_one(world, row, agent);
    if let Some(wrecks) = wrecks {
        world.insert_resource(wrecks);
        contact::perish(world);
    }
}

/// Brings the index up to date after all turns.
pub(super) fn settle(world: &mut World) {
    world.resource_mut::<CurrentSpace>().refresh();
}
