//! Edits of one gesture that are applied while time stands still: the last of a drag takes the place of those before.
//!
//! A log without those before gives the very same state, or they stay in it.

use std::collections::BTreeMap;

use bevy::prelude::*;

use super::{Edit, EditQueue, Manner, live};
use crate::agent::Pose;
use crate::agent::elsewhere::Elsewhere;
use crate::id::StableId;
use crate::scene::spawn::Description;
use crate::step::SimTime;

/// Where what was moved since the last step has been before, by gesture. A cache: without it, nothing is replaced.
#[derive(Resource, Debug, Default)]
pub(crate) struct Origins {
    step: u64,
    of: BTreeMap<(u64, StableId), (Pose, Option<Elsewhere>)>,
}

/// The place in the log of the edit that another one, applied at the start of this step, is to replace.
pub(super) fn replaced(world: &World, edit: &Edit, manner: Manner) -> Option<usize> {
    if manner.gesture == 0 || manner.is_logged {
        return None;
    }
    let (queue, step) = (world.resource::<EditQueue>(), world.resource::<SimTime>().step);
    for (place, logged) in queue.log.iter().enumerate().rev() {
        if logged.step != step || logged.gesture != manner.gesture {
            return None;
        }
        if logged.edit.is_outdone_by(edit) {
            return leaves_nothing(world, &logged.edit, edit, manner.gesture).then_some(place);
        }
        // Several that are moved together do not care about each other.
        if moved(&logged.edit).is_none() || moved(edit).is_none() {
            return None;
        }
    }
    None
}

/// Whether an edit that another one outdoes leaves nothing at all, not even in memories.
fn leaves_nothing(world: &World, before: &Edit, edit: &Edit, gesture: u64) -> bool {
    let is_plain = |value: &str| value.trim().parse::<f64>().is_ok() || matches!(value.trim(), "true" | "false");
    match (before, edit) {
        (Edit::TimeScale { .. }, Edit::TimeScale { .. }) => true,
        (Edit::Set { path, value }, Edit::Set { path: again, value: other }) => {
            let has_constants = !world.resource::<Description>().scene().constants.is_empty();
            path == again && !has_constants && is_plain(value) && is_plain(other) && live::is_alone(path)
        }
        _ => {
            let origins = world.resource::<Origins>();
            let is_known = moved(edit).is_some_and(|id| origins.of.contains_key(&(gesture, id)));
            is_known && origins.step == world.resource::<SimTime>().step
        }
    }
}

/// Who is moved.
fn moved(edit: &Edit) -> Option<StableId> {
    match edit {
        Edit::Move { agent, .. } => Some(StableId::agent(*agent)),
        Edit::MoveObject { object, .. } => Some(StableId::object(*object)),
        _ => None,
    }
}

/// Takes note of where something is before it is moved, or puts it back there, when the move takes the place of another.
pub(super) fn begin_move(world: &mut World, entity: Entity, gesture: u64, replaces: bool) {
    let step = world.resource::<SimTime>().step;
    let (Some(id), Some(pose)) = (world.get::<StableId>(entity).copied(), world.get::<Pose>(entity).copied()) else {
        return;
    };
    let now = (pose, world.get::<Elsewhere>(entity).copied());
    let mut origins = world.resource_mut::<Origins>();
    if origins.step != step {
        *origins = Origins { step, ..Origins::default() };
    }
    if !replaces {
        origins.of.insert((gesture, id), now);
        return;
    }
    let Some((pose, elsewhere)) = origins.of.get(&(gesture, id)).copied() else { return };
    let mut entity = world.entity_mut(entity);
    entity.insert(pose);
    match elsewhere {
        Some(elsewhere) => drop(entity.insert(elsewhere)),
        None => drop(entity.remove::<Elsewhere>()),
    }
}

/// Forgets all of it, as after a snapshot was loaded.
pub(crate) fn forget(world: &mut World) {
    world.insert_resource(Origins::default());
}
