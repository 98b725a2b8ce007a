//! Edits of one gesture that are applied while time stands still: the last of a drag takes the place of those before.
//!
//! A log without those before gives the very same state, or they stay in it.

use std::collections::BTreeMap;

use bevy::prelude::*;

use super::{Edit, EditQueue, LoggedEdit, Manner, live};
use crate::agent::Pose;
use crate::agent::elsewhere::Elsewhere;
use crate::id::StableId;
use crate::scene::spawn::Description;
use crate::step::SimTime;

/// Where what was moved since the last step has been before, by gesture. A cache: without it, nothing is replaced.
#[derive(Resource, Debug, Default)]
pub(crate) struct Origins {
    step: u64,
    of: BTreeMap<(u64, StableId), Origin>,
    /// The place in the log from which on nothing but moves of one gesture were applied.
    since: usize,
}

/// Where something was before a move, and the place of that move in the log: thousands may be moved together.
#[derive(Clone, Copy, Debug)]
struct Origin {
    pose: Pose,
    elsewhere: Option<Elsewhere>,
    place: usize,
}

/// The place in the log of the edit that another one, applied at the start of this step, is to replace.
pub(super) fn replaced(world: &World, edit: &Edit, manner: Manner) -> Option<usize> {
    if manner.gesture == 0 || manner.is_logged {
        return None;
    }
    let (log, step) = (&world.resource::<EditQueue>().log, world.resource::<SimTime>().step);
    let is_of_both = |logged: &&LoggedEdit| logged.step == step && logged.gesture == manner.gesture;
    let last = log.last().filter(is_of_both)?;
    let place = match moved(edit) {
        // Several that are moved together do not care about each other.
        Some(id) if moved(&last.edit).is_some() => {
            let origins = world.resource::<Origins>();
            origins.of.get(&(manner.gesture, id)).map(|origin| origin.place).filter(|place| *place >= origins.since)?
        }
        _ => log.len() - 1,
    };
    let logged = log.get(place).filter(is_of_both)?;
    (logged.edit.is_outdone_by(edit) && leaves_nothing(world, &logged.edit, edit, manner.gesture)).then_some(place)
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
pub(super) fn moved(edit: &Edit) -> Option<StableId> {
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
    let elsewhere = world.get::<Elsewhere>(entity).copied();
    let log = &world.resource::<EditQueue>().log;
    // Once it is applied, it is logged at the end.
    let place = log.len();
    let goes_on =
        log.last().is_some_and(|last| last.step == step && last.gesture == gesture && moved(&last.edit).is_some());
    let mut origins = world.resource_mut::<Origins>();
    if origins.step != step {
        *origins = Origins { step, ..Origins::default() };
    }
    if !replaces {
        if !goes_on {
            origins.since = place;
        }
        origins.of.insert((gesture, id), Origin { pose, elsewhere, place });
        return;
    }
    let Some(Origin { pose, elsewhere, .. }) = origins.of.get(&(gesture, id)).copied() else { return };
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
