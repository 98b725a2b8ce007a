//! The queue of edits: how edits wait for the next step, replace each other, and are applied and logged.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::Kinds;
use swarmarium_core::state::{Record, StateHash, snapshot};
use swarmarium_core::step::HasArena as _;
use swarmarium_scene::scene::current::{self, Description};
use swarmarium_scene::scene::{Scene, constants};

use super::{Edit, EditEffect, LoggedEdit, agents, apply, check, merge, population, scene_after};
use crate::engine::caches;

/// Edits that wait for the next step, and the applied ones.
#[derive(Resource, Clone, Debug, Default)]
pub struct EditQueue {
    /// Pending edits in order, each with its source.
    waiting: Vec<(Edit, EditSource)>,
    /// The indices of the moves at the end of the pending edits, if they belong to one transaction.
    moves: BTreeMap<StableId, usize>,
    /// The scene after the pending edits; `None` if they leave it as it is.
    ahead: Option<Scene>,
    /// The effects of the pending edits on agents.
    pub(super) foreseen: agents::PendingScene,
    /// The applied edits, in order.
    pub log: Vec<LoggedEdit>,
    /// The number of parameters set.
    pub sets: u64,
    /// The number of edits that replaced others in the log.
    pub replaced: u64,
    /// The last step after which edits were applied without waiting for the next one, and the hash of its end, before
    /// them.
    settled: Option<(u64, StateHash)>,
}

impl Record for EditQueue {
    /// Without pending edits: a snapshot at the end of a step has none.
    fn heap_bytes(&self) -> usize {
        let of = |logged: &LoggedEdit| size_of::<LoggedEdit>() + logged.edit.heap_bytes();
        self.log.iter().map(of).sum()
    }
}

/// The source of an edit.
#[derive(Clone, Copy, Debug)]
pub struct EditSource {
    /// The transaction that it belongs to; 0 for none.
    pub transaction: u64,
    /// Whether it is read from a log, where nothing is replaced any more.
    pub is_logged: bool,
}

/// The scene after the pending edits.
pub(crate) fn scene_ahead(world: &World) -> &Scene {
    let ahead = world.resource::<EditQueue>().ahead.as_ref();
    ahead.unwrap_or_else(|| world.resource::<Description>().scene())
}

/// Queues an edit if it is valid after the pending ones. An edit of the population is applied at once, after them.
///
/// # Errors
/// If the edit is not valid; then nothing is queued.
pub(crate) fn queue(world: &mut World, edit: Edit, source: EditSource) -> Result<(), Problem> {
    if edit.is_of_population() {
        return queue_run(world, &[edit], source.transaction).pop().unwrap_or(Ok(()));
    }
    match check(world, &edit)? {
        EditEffect::Same => push(world, edit, source),
        EditEffect::Agent(number, parts) => {
            push(world, edit, source);
            world.resource_mut::<EditQueue>().foreseen.see_agent(number, *parts);
        }
        EditEffect::Scene(ahead) => queue_of_scene(world, edit, source, *ahead)?,
    }
    Ok(())
}

/// Applies edits that [go together](Edit::goes_with) at once, after the pending ones, exactly as if they were queued
/// one by one; returns the result of each.
pub(crate) fn queue_run(world: &mut World, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
    flush_edits(world);
    population::apply(world, edits, transaction)
}

/// Adds a pending edit. A slider that is dragged while the clock is paused sends many values; the last one counts.
fn push(world: &mut World, edit: Edit, source: EditSource) {
    let mut queue = world.resource_mut::<EditQueue>();
    match queue.outdone(&edit, source) {
        Some(place) => queue.waiting[place].0 = edit,
        None => queue.append(edit, source),
    }
}

impl EditQueue {
    /// The index of the pending edit that another one replaces entirely: the last one, or, if several things are moved
    /// together, the last move of the same one.
    fn outdone(&self, edit: &Edit, source: EditSource) -> Option<usize> {
        if !self.goes_on_with(source) {
            return None;
        }
        let place = match merge::moved(edit) {
            Some(id) if !self.moves.is_empty() => *self.moves.get(&id)?,
            _ => self.waiting.len() - 1,
        };
        self.waiting.get(place)?.0.is_outdone_by(edit).then_some(place)
    }

    /// Whether an edit from this source belongs together with the last pending one.
    fn goes_on_with(&self, source: EditSource) -> bool {
        self.waiting
            .last()
            .is_some_and(|(_, how)| how.transaction == source.transaction && !how.is_logged && !source.is_logged)
    }

    fn append(&mut self, edit: Edit, source: EditSource) {
        let id = merge::moved(&edit).filter(|_| source.transaction > 0 && !source.is_logged);
        if id.is_none() || !self.goes_on_with(source) {
            self.moves.clear();
        }
        self.moves.extend(id.map(|id| (id, self.waiting.len())));
        self.waiting.push((edit, source));
    }
}

/// Queues an edit of the scene; `ahead` is the scene after it.
fn queue_of_scene(world: &mut World, edit: Edit, source: EditSource, ahead: Scene) -> Result<(), Problem> {
    let Edit::Set { path, value } = edit else { return Ok(()) };
    let edit = Edit::Set { path: constants::resolve(world.resource::<Kinds>(), scene_ahead(world), &path)?, value };
    let scene = world.resource::<Description>().scene();
    let queue = world.resource::<EditQueue>();
    // It moves nothing, so that only the last edit can match.
    let before = queue.outdone(&edit, source).map(|place| queue.waiting[..place].iter().map(|(edit, _)| edit));
    // The effects of the last edit through a constant are removed with it.
    let without = before.clone().and_then(|before| scene_after(world, scene, before.chain([&edit])).ok());
    let foreseen = match before.filter(|_| without.is_some()) {
        Some(before) => agents::PendingScene::by(world, before.chain([&edit])),
        None => {
            let mut foreseen = world.resource::<EditQueue>().foreseen.clone();
            foreseen.see(world, &mut scene_ahead(world).clone(), &edit);
            foreseen
        }
    };
    let mut queue = world.resource_mut::<EditQueue>();
    if without.is_some() {
        queue.waiting.pop();
    }
    (queue.ahead, queue.foreseen) = (Some(without.unwrap_or(ahead)), foreseen);
    queue.append(edit, source);
    Ok(())
}

/// The pending edits.
pub(crate) fn waiting(world: &World) -> impl DoubleEndedIterator<Item = &Edit> + ExactSizeIterator + Clone {
    world.resource::<EditQueue>().waiting.iter().map(|(edit, _)| edit)
}

/// The highest transaction of the pending edits; 0 for none.
pub(crate) fn latest_waiting_transaction(world: &World) -> u64 {
    world.resource::<EditQueue>().waiting.iter().map(|(_, source)| source.transaction).max().unwrap_or_default()
}

/// Applies the pending edits between two steps, exactly as the next step would; returns whether there were any.
pub(crate) fn flush_edits(world: &mut World) -> bool {
    if world.resource::<EditQueue>().waiting.is_empty() {
        return false;
    }
    note_hash(world);
    in_next_step(world, apply_waiting);
    true
}

/// Does between two steps something that belongs to the start of the next one.
pub(super) fn in_next_step<T>(world: &mut World, act: impl FnOnce(&mut World) -> T) -> T {
    world.arena_mut().time.step += 1;
    let done = act(world);
    world.arena_mut().time.step -= 1;
    done
}

/// Keeps the hash of the end of the last step, before the first edit after it.
pub(super) fn note_hash(world: &mut World) {
    let step = world.arena().time.step;
    if world.resource::<EditQueue>().settled.is_none_or(|(known, _)| known != step) {
        let hash = snapshot::hash(world);
        world.resource_mut::<EditQueue>().settled = Some((step, hash));
    }
}

/// The hash of the end of the last step, before edits that were applied since.
pub(crate) fn hash_of_step(world: &World) -> StateHash {
    let settled = world.resource::<EditQueue>().settled;
    let step = world.arena().time.step;
    settled.filter(|(known, _)| *known == step).map_or_else(|| snapshot::hash(world), |(_, hash)| hash)
}

/// Drops the pending edits and replaces the log of all edits so far, for a simulation that goes back to a snapshot.
pub(crate) fn go_back_to(world: &mut World, log: Vec<LoggedEdit>) {
    let sets = log.iter().filter(|logged| matches!(logged.edit, Edit::Set { .. })).count() as u64;
    let settled = world.resource::<EditQueue>().settled;
    world.insert_resource(EditQueue { log, sets, settled, ..EditQueue::default() });
}

pub(super) fn apply_waiting(world: &mut World) {
    let kinds = world.resource::<Kinds>().clone();
    let mut queue = world.resource_mut::<EditQueue>();
    queue.foreseen = agents::PendingScene::default();
    queue.moves.clear();
    let changes_scene = queue.ahead.take().is_some();
    let edits = std::mem::take(&mut queue.waiting);
    // Other edits do not read it.
    let mut scene = if changes_scene { world.resource::<Description>().scene().clone() } else { Scene::default() };
    let mut is_stale = false;
    let renew = |world: &mut World, scene: &Scene| {
        if changes_scene {
            current::set(world, scene.clone());
        }
        caches::rebuild(world);
    };
    for (edit, source) in edits {
        if edit.looks_around() && std::mem::take(&mut is_stale) {
            renew(world, &scene);
        }
        // Other edits leave the inputs of caches as they are.
        is_stale |= edit.is_change();
        let replaced = merge::replaced(world, &edit, source);
        apply(world, &kinds, &mut scene, (&edit, source), replaced.is_some());
        world.resource_mut::<EditQueue>().sets += u64::from(matches!(edit, Edit::Set { .. }));
        note(world, replaced, edit, source.transaction);
    }
    if is_stale {
        renew(world, &scene);
    }
}

/// Logs an applied edit, in place of another one or at the end.
pub(super) fn note(world: &mut World, place: Option<usize>, edit: Edit, transaction: u64) {
    let step = world.arena().time.step;
    let mut queue = world.resource_mut::<EditQueue>();
    match place.and_then(|place| queue.log.get_mut(place)) {
        Some(logged) => {
            logged.edit = edit;
            queue.replaced += 1;
        }
        None => queue.log.push(LoggedEdit { step, edit, transaction }),
    }
}
