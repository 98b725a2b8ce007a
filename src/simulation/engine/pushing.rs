//! Agents and moving objects push other objects.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::{Displacement, Member, Pose, Row};
use swarmarium_core::motion::Moving;
use swarmarium_core::object::movable::FrictionWork;
use swarmarium_core::step::plan::StepContext;
use swarmarium_core::step::{Arena, HasArena as _};
use swarmarium_space::{BodyPose, Pushed, Pusher};

/// Components of an agent that pushes.
type Driven = (&'static Row, &'static mut Pose, &'static mut Displacement, Option<&'static Moving>);

/// Components of an object that is pushed.
type Slid = (&'static mut Pose, &'static mut Displacement, &'static mut FrictionWork);

/// Ends the motion of objects in the last step.
pub(super) fn rest(world: &mut World) {
    let mut objects = world.query_filtered::<&mut Displacement, With<FrictionWork>>();
    for mut moved in objects.iter_mut(world) {
        moved.set_if_neq(Displacement::default());
    }
}

/// Moves objects out of the way of all agents, or of the agent whose turn it is. The agents have moved, but are at their
/// earlier poses in the space.
pub(super) fn push(
    InMut(StepContext { arena, turn, .. }): InMut<StepContext>,
    mut agents: Query<Driven, With<Member>>,
    mut objects: Query<Slid, Without<Member>>,
    mut pushers: Local<Vec<Pusher>>,
) {
    let Arena { space, agents: rows, actors, .. } = &mut **arena;
    let pusher = |row: usize, pose: &Pose, moving: Option<&Moving>| Pusher {
        before: space.stand(row),
        after: of(pose),
        force_n: Moving::force_n(moving),
    };
    if let Some(agent) = *turn {
        let Ok((row, pose, _, moving)) = agents.get(agent) else { return };
        let row = row.0 as usize;
        if space.held_by(row).is_none() && !space.may_push(row, &pusher(row, pose, moving)) {
            return;
        }
    }
    pushers.clear();
    pushers.resize(rows.len(), Pusher::default());
    for (row, pose, _, moving) in &agents {
        let row = row.0 as usize;
        pushers[row] = pusher(row, pose, moving);
    }
    let first = rows.len();
    for pushed in space.push(&pushers, None) {
        if let Some(Ok(object)) = actors.get(pushed.row - first).map(|object| objects.get_mut(*object)) {
            put(object, pushed);
        }
    }
    // Robots stay at the objects that they hold.
    for number in 0..space.grasps.len() {
        let Some(&holder) = rows.get(space.grasps[number].row) else { continue };
        if turn.is_some_and(|turn| turn != holder) {
            continue;
        }
        let Ok((_, mut pose, mut moved, _)) = agents.get_mut(holder) else { continue };
        if let Some(BodyPose { position, heading }) = space.pose_at_grasp(number, of(&pose)) {
            moved.0 += space.arena.offset(pose.position_m, position);
            *pose = Pose { position_m: position, heading_rad: heading };
        }
    }
}

/// Moves objects out of the way of one that moves by itself, from one pose to another, and is there already.
pub(super) fn push_by_object(world: &mut World, actor: Entity, (before, after): (Pose, Pose)) {
    let Some(place) = world.get::<StableId>(actor).map(|id| id.index() as usize) else { return };
    let force_n = Moving::force_n(world.get::<Moving>(actor));
    let pusher = Pusher { before: of(&before), after: of(&after), force_n };
    if !world.arena().space.object_may_push(place, &pusher) {
        return;
    }
    let mut agents = world.query_filtered::<(&Row, Option<&Moving>), With<Member>>();
    let space = &world.arena().space;
    let mut pushers = vec![Pusher::default(); space.bodies.len()];
    for (row, moving) in agents.iter(world) {
        let row = row.0 as usize;
        pushers[row] = Pusher::at(space.stand(row), Moving::force_n(moving));
    }
    let all = world.arena_mut().space.push(&pushers, Some((place, pusher))).to_vec();
    for pushed in &all {
        let arena = world.arena();
        let Some(&object) = arena.actors.get(pushed.row - arena.agents.len()) else { continue };
        if let Ok(object) =
            world.entity_mut(object).get_components_mut::<(&mut Pose, &mut Displacement, &mut FrictionWork)>()
        {
            put(object, pushed);
        }
    }
}

fn of(pose: &Pose) -> BodyPose {
    BodyPose { position: pose.position_m, heading: pose.heading_rad }
}

fn put((mut pose, mut moved, mut work): (Mut<Pose>, Mut<Displacement>, Mut<FrictionWork>), pushed: &Pushed) {
    *pose = Pose { position_m: pushed.pose.position, heading_rad: pushed.pose.heading };
    moved.0 += pushed.displacement;
    work.0 += pushed.work_j;
}
