//! Flat arrays for a step, built from components; they are never state.

use bevy::ecs::query::QueryFilter;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::contact::{Anchored, Dead, LastCollisions, OnCollision, Touched};
use swarmarium_core::agent::{Displacement, Member, Pose, Row, Team};
use swarmarium_core::controller::external;
use swarmarium_core::field;
use swarmarium_core::gripper;
use swarmarium_core::leds;
use swarmarium_core::metric;
use swarmarium_core::motion::Moving;
use swarmarium_core::object;
use swarmarium_core::object::movable::FrictionWork;
use swarmarium_core::random::{Chain, Stream};
use swarmarium_core::sensor::{Mounted, SensorOf, names};
use swarmarium_core::spawner::Pending;
use swarmarium_core::state::snapshot::entities_by_id;
use swarmarium_core::step::columns::{plain, tables};
use swarmarium_core::step::plan::StepContext;
use swarmarium_core::step::tables::BoxCenter;
use swarmarium_core::step::{ActsLater, Arena, CurrentArena, HasArena as _, Pushes, Workers};
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::current::Description;
use swarmarium_space as space;
use swarmarium_space::classic::SHAKE_M;
use swarmarium_space::{BodyOwner, BodyPose, Collides, Drawn, Field, Halting, SolidProperties, Solids, Space};

use super::contact;

/// Components of an agent that go into [`Space`].
type InSpace = (
    &'static Row,
    &'static Pose,
    &'static Body,
    &'static Team,
    &'static Displacement,
    Has<Anchored>,
    Option<&'static Collides>,
);

/// Components of an agent that collisions change or read.
type Arrived = (
    &'static Row,
    &'static mut Pose,
    &'static mut Displacement,
    Option<&'static mut Touched>,
    Option<&'static Moving>,
    Has<Dead>,
);

/// Number of passes that correct overlaps in one step; deep overlaps get more passes.
const COLLISION_PASSES: u32 = 4;

/// Restores the relation of sensors to their agents after a snapshot was loaded.
pub(crate) fn relink(world: &mut World) {
    let is_related = |sensor: EntityRef| {
        let owner = world.get::<StableId>(sensor.get::<SensorOf>()?.0);
        Some(owner == Some(&sensor.get::<Mounted>()?.owner))
    };
    let mut sensors = world.try_query_filtered::<EntityRef, With<Mounted>>();
    // Most snapshots contain exactly the current agents.
    if sensors.as_mut().is_none_or(|sensors| sensors.iter(world).all(|sensor| is_related(sensor) == Some(true))) {
        return;
    }
    let entities = entities_by_id(world);
    // In order of ids, so that an agent has its sensors by slot.
    for entity in entities.values() {
        if let Some(owner) = world.get::<Mounted>(*entity).and_then(|mounted| entities.get(&mounted.owner)) {
            world.entity_mut(*entity).insert(SensorOf(*owner));
        }
    }
}

/// Sets up the arena of a scene, once per simulation: edits of the arena take effect at the next start.
pub(crate) fn lay_out(world: &mut World, Scene { arena, infrared_model, fields, .. }: &Scene) {
    let space = &mut world.arena_mut().space;
    (space.arena, space.infrared_model) =
        (Field::new(arena.size_m, arena.boundary).at(arena.corner_m), *infrared_model);
    field::set_up(world, fields);
}

/// Rebuilds all caches: after agents were added or removed, after edits of whole kinds, after a snapshot was loaded.
pub(crate) fn rebuild(world: &mut World) {
    let agents = by_id::<With<Member>>(world);
    let actors = by_id::<(With<Pose>, Without<Member>)>(world);
    for (row, (_, entity)) in agents.iter().chain(&actors).enumerate() {
        world.entity_mut(*entity).insert(Row(row as u32));
    }
    for (_, actor) in &actors {
        world.entity_mut(*actor).insert(ActsLater);
    }
    // After a snapshot was loaded, some marked objects may not act.
    let mut idle = world.query_filtered::<Entity, (With<ActsLater>, Without<Pose>, Without<Mounted>)>();
    for object in idle.iter(world).collect::<Vec<_>>() {
        world.entity_mut(object).remove::<(ActsLater, Row)>();
    }
    let mut sensors = world.query::<(&SensorOf, &mut Row)>();
    let owned: Vec<(Entity, Entity)> =
        world.query::<(Entity, &SensorOf)>().iter(world).map(|(sensor, of)| (sensor, of.0)).collect();
    for (sensor, owner) in owned {
        let row = world.get::<Row>(owner).copied().unwrap_or_default();
        if let Ok((_, mut mine)) = sensors.get_mut(world, sensor) {
            *mine = row;
        }
        if world.get::<ActsLater>(owner).is_some() {
            world.entity_mut(sensor).insert(ActsLater);
        }
    }
    mark_pushing(world);
    let who: Vec<BodyOwner> = agents.iter().map(|(id, agent)| body_owner(world, *id, *agent)).collect();
    let bodies = &mut world.arena_mut().space.bodies;
    bodies.resize_with_objects(agents.len(), actors.len());
    for (row, who) in who.into_iter().enumerate() {
        bodies.identify(row, who);
    }
    let mut by_group: Vec<Vec<Entity>> = Vec::new();
    for (_, agent) in &agents {
        if let Some(member) = world.get::<Member>(*agent) {
            let group = member.group as usize;
            by_group.resize_with(by_group.len().max(group + 1), Vec::new);
            by_group[group].push(*agent);
        }
    }
    let entities = |found: Vec<(StableId, Entity)>| found.into_iter().map(|(_, entity)| entity).collect();
    let arena = world.arena_mut();
    (arena.by_group, arena.agents, arena.actors) = (by_group, entities(agents), entities(actors));
    rebuild_outlines(world);
    metric::list(world);
    let has_spawners = world.query::<&Pending>().iter(world).next().is_some();
    world.arena_mut().has_spawners = has_spawners;
}

/// Marks the agents of a world with movable objects.
fn mark_pushing(world: &mut World) {
    if world.query::<&FrictionWork>().iter(world).next().is_some() {
        let mut agents = world.query_filtered::<Entity, (With<Member>, Without<Pushes>)>();
        for agent in agents.iter(world).collect::<Vec<_>>() {
            world.entity_mut(agent).insert(Pushes);
        }
    }
}

/// Rebuilds the caches of shapes and poses, after edits of bodies and objects whose rows stay the same, and the marks of
/// robots with actuators, which a move releases.
pub(crate) fn rebuild_outlines(world: &mut World) {
    let (things, mut solids) = object::survey(world);
    let outlines = outlines(world, &mut solids);
    let movables = object::movable::all(world, &things);
    solids.sort();
    let space = &mut world.arena_mut().space;
    (space.things, space.solids) = (things, solids);
    space.list_colored();
    space.bodies.set_outlines(outlines);
    space.divide_fields();
    space.set_movables(movables);
    let mut bodies = world.query::<InSpace>();
    let mut viewpoints = world.query_filtered::<(&Row, &Pose, &Team), With<ActsLater>>();
    world.resource_scope(|world, mut arena: Mut<CurrentArena>| {
        let space = &mut arena.space;
        for agent in bodies.iter(world) {
            gather_one(space, agent);
        }
        for (row, pose, team) in viewpoints.iter(world) {
            let (position, heading, contact) = (pose.position_m, pose.heading_rad, space::Contact::Ghost);
            let body = space::Body { position, heading, group: team.0, contact, ..space::Body::default() };
            space.bodies.set(row.0 as usize, body);
        }
        space.update();
    });
    let mut boxes: Vec<_> = world.query::<(&Row, &BoxCenter)>().iter(world).map(|(row, at)| (row.0, at.0)).collect();
    boxes.sort_unstable_by_key(|(row, _)| *row);
    world.arena_mut().space.set_boxes(boxes.into_iter().map(|(_, center)| center).collect());
    leds::light_up_all(world);
    external::mark_actuators(world);
    names::name_all(world);
    gripper::list_grasps(world);
}

fn body_owner(world: &World, id: StableId, agent: Entity) -> BodyOwner {
    let Some(&Member { group, serial, .. }) = world.get::<Member>(agent) else {
        return BodyOwner { number: id.index(), group: u32::MAX, ..BodyOwner::default() };
    };
    let known = world.get_resource::<Description>().and_then(|scene| scene.scene().groups.get(group as usize));
    let name = known.map_or(0, |group| Team::named(&group.name).0);
    let dead = world.entity(agent).contains::<Dead>();
    BodyOwner { number: id.index(), group, name, serial, dead }
}

fn by_id<F: QueryFilter>(world: &mut World) -> Vec<(StableId, Entity)> {
    let mut found: Vec<_> =
        world.query_filtered::<(&StableId, Entity), F>().iter(world).map(|(id, entity)| (*id, entity)).collect();
    found.sort_unstable();
    found
}

/// Adds the outlines of agents that are not discs to the solids; by row.
fn outlines(world: &mut World, solids: &mut Solids) -> Vec<Drawn> {
    let mut bodies = world.query_filtered::<(&Row, &Body), With<Member>>();
    let mut bodies: Vec<_> = bodies.iter(world).map(|(row, body)| (row.0 as usize, body)).collect();
    bodies.sort_unstable_by_key(|(row, _)| *row);
    // Each step sets their positions. Invalid outlines were rejected with the scene or the edit.
    let add = |(row, body): (usize, &Body)| {
        let solid = solids.add_polygon(body.corners_m()?).ok()?;
        solids.set_properties(solid, SolidProperties::body(row));
        let corners = body.corners_m()?.iter().map(|corner| *corner + body.shift_m()).collect();
        Some(Drawn { row, solid, corners })
    };
    bodies.into_iter().filter_map(add).collect()
}

fn gather_one(
    space: &mut Space,
    (row, pose, body, team, moved, is_anchored, collides): (
        &Row,
        &Pose,
        &Body,
        &Team,
        &Displacement,
        bool,
        Option<&Collides>,
    ),
) {
    let row = row.0 as usize;
    let contact = match body.corners_m() {
        Some(_) => space::Contact::Outlined,
        None if is_anchored => space::Contact::Fixed,
        None => space::Contact::Mobile,
    };
    let gathered = space::Body {
        position: pose.position_m,
        heading: pose.heading_rad,
        radius: body.radius_m(),
        displacement: moved.0,
        group: team.0,
        contact,
        collides: collides.copied().unwrap_or_default(),
    };
    space.bodies.set(row, gathered);
    if contact == space::Contact::Outlined {
        space.place_outline(row);
    }
}

/// Copies the new poses of agents; all other columns were filled by [`rebuild`]. Returns whether some agents have settings
/// of their motion, so that they may be fragile, and whether some feel contact.
fn gather(space: &mut Space, workers: &Workers, arrived: &mut Query<Arrived, With<Member>>) -> (bool, bool) {
    let (mut are_fragile, mut feel) = (false, false);
    for (rows, poses, moved, touched, moving, _) in tables(arrived) {
        (are_fragile, feel) = (are_fragile || moving.is_some(), feel || touched.is_some());
        let (poses, moved) = (&*plain(poses), &*plain(moved));
        let side_by_side = rows.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
        match rows.first() {
            Some(first) if side_by_side => {
                let first = first.0 as usize;
                let columns = (space.bodies.moving(first..first + rows.len()), poses, moved);
                workers.in_pieces(columns, rows.len(), &mut Vec::new(), |(mut bodies, poses, moved), (): &mut ()| {
                    let poses = poses.iter().zip(moved);
                    bodies.set_poses(poses.map(|(pose, moved)| (pose.position_m, pose.heading_rad, moved.0)));
                });
            }
            _ => {
                for ((row, pose), moved) in rows.iter().zip(poses).zip(moved) {
                    space.bodies.set_pose(row.0 as usize, pose.position_m, pose.heading_rad, moved.0);
                }
            }
        }
    }
    if !space.bodies.are_discs() {
        (0..space.bodies.len()).for_each(|row| space.place_outline(row));
    }
    (are_fragile, feel)
}

/// Which agents stop before they run into something; `None` if no agent does.
fn halting(on_collision: OnCollision, space: &Space) -> Option<Halting> {
    match on_collision {
        OnCollision::Stop | OnCollision::Pause => Some(Halting::All),
        OnCollision::Push => (!space.bodies.are_discs()).then_some(Halting::Outlined),
    }
}

/// Copies the moved agents into flat arrays, resolves their overlaps and writes back the pushed ones.
pub(super) fn collide(
    InMut(StepContext { arena, workers, .. }): InMut<StepContext>,
    (mut before, mut fragile): (Local<Vec<BodyPose>>, Local<Vec<usize>>),
    mut arrived: Query<Arrived, With<Member>>,
) {
    let Arena { space, on_collision, bumped, deaths, agents, .. } = &mut **arena;
    let halting = halting(*on_collision, space);
    before.clear();
    if halting.is_some() {
        before.extend((0..space.bodies.len()).map(|row| space.stand(row)));
    }
    space.forget_bumps();
    let (may_be_fragile, feel) = gather(space, workers, &mut arrived);
    let helpers = workers.helpers();
    space.update_with(helpers);
    fragile.clear();
    if may_be_fragile {
        let alive = arrived.iter().filter(|(.., is_dead)| !is_dead);
        fragile.extend(alive.filter(|(.., moving, _)| contact::is_fragile(*moving)).map(|(row, ..)| row.0 as usize));
    }
    fragile.iter().for_each(|row| deaths.note_overlaps(space, *row));
    match halting {
        None => {
            space.resolve(COLLISION_PASSES, helpers);
            put_moved(space, agents, &mut arrived);
        }
        Some(who) => {
            bumped.extend(space.halt(who, &before));
            let moved = match who {
                Halting::All => space.wrap(),
                Halting::Outlined => space.resolve(COLLISION_PASSES, helpers),
            };
            if moved || !bumped.is_empty() {
                put_all(space, &mut arrived);
            }
        }
    }
    fragile.iter().for_each(|row| deaths.note_pushed(space, *row));
    if feel {
        for (row, _, _, touched, ..) in &mut arrived {
            if let Some(mut touched) = touched {
                touched.0 = space.bodies.pushed()[row.0 as usize];
            }
        }
    }
}

/// Writes the poses of all agents, and places their outlines, which walls may have stopped.
fn put_all(space: &mut Space, arrived: &mut Query<Arrived, With<Member>>) {
    for (row, mut pose, mut moved, ..) in arrived {
        (*pose, moved.0) = place_of(space, row.0 as usize);
        space.place_outline(row.0 as usize);
    }
}

/// Writes the poses of the pushed agents, mostly few.
fn put_moved(space: &Space, agents: &[Entity], arrived: &mut Query<Arrived, With<Member>>) {
    for row in space.moved_rows() {
        let row = *row as usize;
        if let Ok((_, mut pose, mut moved, ..)) = arrived.get_mut(agents[row]) {
            (*pose, moved.0) = place_of(space, row);
        }
    }
}

fn place_of(space: &Space, row: usize) -> (Pose, DVec2) {
    let bodies = &space.bodies;
    (Pose { position_m: bodies.positions()[row], heading_rad: bodies.headings()[row] }, bodies.displacements()[row])
}

/// Moves robots out of solids that moving objects have pushed into them. This counts as contact, and fragile robots die
/// of it.
pub(super) fn make_way(world: &mut World) {
    if world.arena_mut().space.make_way() {
        put_pushed(world);
    }
}

/// Moves agents to their positions after a push. The push counts as contact, and fragile agents die of it.
pub(super) fn put_pushed(world: &mut World) {
    let mut agents = world.query_filtered::<Arrived, With<Member>>();
    world.resource_scope(|world, mut arena: Mut<CurrentArena>| {
        let Arena { space, deaths, .. } = &mut **arena;
        for (row, mut pose, mut moved, touched, moving, is_dead) in agents.iter_mut(world) {
            let row = row.0 as usize;
            pose.position_m = space.bodies.positions()[row];
            moved.0 = space.bodies.displacements()[row];
            if let Some(mut touched) = touched {
                touched.0 = space.bodies.pushed()[row];
            }
            if contact::is_fragile(moving) && !is_dead {
                deaths.note_pushed(space, row);
            }
        }
    });
    contact::kill_pending(world);
}

/// Components of an agent that collides in its turn.
type Turning = (
    (&'static StableId, &'static Row, Option<&'static Moving>, Has<Dead>),
    (&'static mut Pose, &'static mut Displacement),
    (Option<&'static mut Touched>, Option<&'static mut LastCollisions>),
    (Option<&'static mut BoxCenter>, Option<&'static mut Chain>),
);

/// As [`collide`], for the agent whose turn it is; only this agent is moved.
pub(super) fn collide_in_turn(
    InMut(StepContext { arena, turn, .. }): InMut<StepContext>,
    mut agents: Query<Turning, With<Member>>,
) {
    let Some(((id, row, moving, is_dead), (mut pose, mut moved), (touched, last), (center, chain))) =
        turn.and_then(|agent| agents.get_mut(agent).ok())
    else {
        return;
    };
    let Arena { space, on_collision, bumped, deaths, seed, time, .. } = &mut **arena;
    let row = row.0 as usize;
    let is_fragile = contact::is_fragile(moving) && !is_dead;
    let is_classic = space.is_classic();
    let before = space.stand(row);
    let halting = halting(*on_collision, space).filter(|_| !is_classic);
    space.place_body(row, pose.position_m, pose.heading_rad, moved.0);
    if is_fragile && !is_classic {
        space.place_outline(row);
        deaths.note_overlaps(space, row);
    }
    if let Some(who) = halting {
        space.place_outline(row);
        bumped.extend(space.halt_one(row, who, before));
    }
    match halting {
        _ if is_classic => {
            let stream = seed.stream(*id, "collide").at_step(time.step);
            resolve_classic(space, row, (chain, stream), |other| {
                if is_fragile {
                    deaths.note(other);
                }
            });
            contact::keep_collisions(space, row, is_dead, last);
        }
        Some(Halting::All) => drop(space.wrap_one(row)),
        _ => drop(space.resolve_one(row)),
    }
    if is_fragile {
        deaths.note_pushed(space, row);
    }
    space.place_outline(row);
    (*pose, moved.0) = place_of(space, row);
    if let Some(mut touched) = touched {
        touched.0 = space.bodies.pushed()[row];
    }
    if let Some((mut center, at)) = center.zip(space.box_center(row)) {
        center.0 = at;
    }
}

fn resolve_classic(
    space: &mut Space,
    row: usize,
    (chain, mut stream): (Option<Mut<Chain>>, Stream),
    pushed: impl FnMut(usize),
) {
    let mut own = chain.as_deref().copied();
    let both = |random: &mut Stream| DVec2::new(random.between(-SHAKE_M, SHAKE_M), random.between(-SHAKE_M, SHAKE_M));
    let shake = || match &mut own {
        Some(chain) => chain.draw(both),
        None => both(&mut stream),
    };
    space.resolve_classic(row, shake, pushed);
    if let Some((own, mut kept)) = own.zip(chain) {
        kept.set_if_neq(own);
    }
}

/// Separates agents that still overlap deeply after all turns, and updates the index. Returns whether any has moved.
pub(super) fn settle(StepContext { arena, workers, .. }: &mut StepContext) -> bool {
    arena.space.resolve_crowded(COLLISION_PASSES, workers.helpers())
}
