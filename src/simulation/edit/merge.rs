//! Merging of edits of one transaction while the clock is paused: the last edit of a drag replaces the earlier ones.
//!
//! An edit is replaced only if a log without it leads to the very same state; otherwise it stays in the log.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::elsewhere::Elsewhere;
use swarmarium_core::step::HasArena as _;
use swarmarium_scene::scene::current::Description;

use super::{Edit, EditQueue, EditSource, LoggedEdit, live};

/// The poses, before their moves, of everything moved since the last step, by transaction. A cache: without it, nothing
/// is replaced.
#[derive(Resource, Debug, Default)]
pub(crate) struct Origins {
    step: u64,
    of: BTreeMap<(u64, StableId), Origin>,
    /// The index in the log after which only moves of one transaction were applied.
    since: usize,
}

/// The pose of something before a move, and the index of that move in the log: thousands may be moved together.
#[derive(Clone, Copy, Debug)]
struct Origin {
    pose: Pose,
    elsewhere: Option<Elsewhere>,
    place: usize,
}

/// The index in the log of the edit that another one, applied at the start of this step, replaces.
pub(super) fn replaced(world: &World, edit: &Edit, source: EditSource) -> Option<usize> {
    if let Edit::Set { path, .. } = edit {
        return replaced_set(world, (edit, path), source);
    }
    if source.transaction == 0 || source.is_logged {
        return None;
    }
    let (log, step) = (&world.resource::<EditQueue>().log, world.arena().time.step);
    let is_of_both = |logged: &&LoggedEdit| logged.step == step && logged.transaction == source.transaction;
    let last = log.last().filter(is_of_both)?;
    let place = match moved(edit) {
        // Moves of several things together are independent of each other.
        Some(id) if moved(&last.edit).is_some() => {
            let origins = world.resource::<Origins>();
            origins
                .of
                .get(&(source.transaction, id))
                .map(|origin| origin.place)
                .filter(|place| *place >= origins.since)?
        }
        _ => log.len() - 1,
    };
    let logged = log.get(place).filter(is_of_both)?;
    (logged.edit.is_superseded_by(edit) && is_replaceable(world, &logged.edit, edit, source.transaction))
        .then_some(place)
}

/// As [`replaced`], for a parameter: changes of several objects or agents together are independent of each other.
fn replaced_set(world: &World, (edit, path): (&Edit, &str), source: EditSource) -> Option<usize> {
    if source.transaction == 0 || source.is_logged {
        return None;
    }
    let (log, step) = (&world.resource::<EditQueue>().log, world.arena().time.step);
    for (place, logged) in log.iter().enumerate().rev() {
        let Edit::Set { path: before, .. } = &logged.edit else { return None };
        if logged.step != step || logged.transaction != source.transaction {
            return None;
        }
        if before == path {
            return is_replaceable(world, &logged.edit, edit, source.transaction).then_some(place);
        }
        if !target_different_things(before, path) {
            return None;
        }
    }
    None
}

/// Whether two paths lead to two different objects, or to two different agents.
fn target_different_things(one: &str, other: &str) -> bool {
    let member = |path: &str| {
        let (list, rest) = path.split_once('.').filter(|(list, _)| matches!(*list, "objects" | "agents"))?;
        let number: u32 = rest.split(['.', '[']).next()?.parse().ok()?;
        Some((list == "agents", number))
    };
    member(one).zip(member(other)).is_some_and(|(one, other)| one.0 == other.0 && one.1 != other.1)
}

/// Whether a value is a number, a truth value, or a list of numbers, such as a point or corners.
fn is_plain(value: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_digit() || letter.is_whitespace() || "+-.eE,()[]".contains(letter);
    let value = value.trim();
    matches!(value, "true" | "false")
        || value.contains(|letter: char| letter.is_ascii_digit()) && value.chars().all(is_part)
}

/// Whether values are those of a still object as a whole, of the same kind: it has no memory, and no part of the
/// earlier one is left.
fn are_of_still_object(world: &World, path: &str, values: [&str; 2]) -> bool {
    let number = path.strip_prefix("objects.").and_then(|number| number.parse().ok());
    let [kind, other] = values.map(|value| value.split('(').next().unwrap_or_default().trim());
    let acts = |value: &&str| live::ACTING_FIELDS.iter().any(|field| value.contains(field));
    let is_still = number.is_some_and(|number| super::actor(world, number).is_none());
    is_still && !kind.is_empty() && kind == other && !values.iter().any(acts)
}

/// Whether an edit that another one replaces leaves no trace, not even in memories.
fn is_replaceable(world: &World, before: &Edit, edit: &Edit, transaction: u64) -> bool {
    match (before, edit) {
        (Edit::TimeScale { .. }, Edit::TimeScale { .. }) => true,
        (Edit::Set { path, value }, Edit::Set { path: again, value: other }) => {
            let has_constants = !world.resource::<Description>().scene().constants.is_empty();
            let is_alone = || is_plain(value) && is_plain(other) && live::is_alone(path);
            path == again && !has_constants && (is_alone() || are_of_still_object(world, path, [value, other]))
        }
        _ => {
            let origins = world.resource::<Origins>();
            let is_known = moved(edit).is_some_and(|id| origins.of.contains_key(&(transaction, id)));
            is_known && origins.step == world.arena().time.step
        }
    }
}

/// The agent or object that an edit moves.
pub(super) fn moved(edit: &Edit) -> Option<StableId> {
    match edit {
        Edit::Move { agent, .. } => Some(StableId::agent(*agent)),
        Edit::MoveObject { object, .. } => Some(StableId::object(*object)),
        _ => None,
    }
}

/// Records the pose of something before it is moved, or restores it if the move replaces another one.
pub(super) fn begin_move(world: &mut World, entity: Entity, transaction: u64, replaces: bool) {
    let step = world.arena().time.step;
    let (Some(id), Some(pose)) = (world.get::<StableId>(entity).copied(), world.get::<Pose>(entity).copied()) else {
        return;
    };
    let elsewhere = world.get::<Elsewhere>(entity).copied();
    let log = &world.resource::<EditQueue>().log;
    // Once applied, the move is logged at the end.
    let place = log.len();
    let goes_on = log
        .last()
        .is_some_and(|last| last.step == step && last.transaction == transaction && moved(&last.edit).is_some());
    let mut origins = world.resource_mut::<Origins>();
    if origins.step != step {
        *origins = Origins { step, ..Origins::default() };
    }
    if !replaces {
        if !goes_on {
            origins.since = place;
        }
        origins.of.insert((transaction, id), Origin { pose, elsewhere, place });
        return;
    }
    let Some(Origin { pose, elsewhere, .. }) = origins.of.get(&(transaction, id)).copied() else { return };
    let mut entity = world.entity_mut(entity);
    entity.insert(pose);
    match elsewhere {
        Some(elsewhere) => drop(entity.insert(elsewhere)),
        None => drop(entity.remove::<Elsewhere>()),
    }
}

/// Forgets all records, as after a snapshot was loaded.
pub(crate) fn forget(world: &mut World) {
    world.insert_resource(Origins::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_points_and_corners_are_plain() {
        for value in ["1", " -2.5e3 ", "true", "(1.0, 2)", "[(0, 1), (2.5, -3)]"] {
            assert!(is_plain(value), "{value}");
        }
        for value in ["", "()", "e", "Disc()", "\"1\"", "Some(1)", "inf"] {
            assert!(!is_plain(value), "{value}");
        }
    }

    #[test]
    fn edits_of_two_objects_or_agents_are_independent() {
        assert!(
            target_different_things("objects.1", "objects.2.center_m")
                && target_different_things("agents.1.body.radius_m", "agents.12.body")
        );
        assert!(
            !target_different_things("objects.1", "objects.1.center_m")
                && !target_different_things("objects.1", "agents.2.body")
        );
        assert!(
            !target_different_things("groups.0.count", "groups.a.count")
                && !target_different_things("seed", "objects.1")
        );
    }
}
