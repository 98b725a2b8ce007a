//! The queue of edits: how they wait for the next step, one in the place of another, and how they are applied and logged.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;

use super::{Edit, EditEffect, LoggedEdit, agents, apply, check, merge, population, scene_after};
use crate::engine::{caches, fault};
use crate::kind::Kinds;
use crate::scene::current::{self, Description};
use crate::scene::{Scene, constants};
use crate::state::{Record, StateHash, snapshot};
use crate::time::SimTime;

/// Edits that wait for the next step, and those that were applied.
#[derive(Resource, Clone, Debug, Default)]
pub struct EditQueue {
    /// Waiting, in the order in which they came, with how they came.
    waiting: Vec<(Edit, EditSource)>,
    /// The places of those that move something, at the end of them, as far as they are of one transaction.
    moves: BTreeMap<StableId, usize>,
    /// The scene as it will be when those that wait are applied; `None` when they leave it as it is.
    ahead: Option<Scene>,
    /// What those that wait make of agents.
    pub(super) foreseen: agents::PendingScene,
    /// Applied, in the order in which they were.
    pub log: Vec<LoggedEdit>,
    /// How many parameters were set.
    pub sets: u64,
    /// How many edits took the place of others in the log.
    pub replaced: u64,
    /// The last step after which edits were applied without waiting for the next one, and the hash of its end, before them.
    settled: Option<(u64, StateHash)>,
}

impl Record for EditQueue {
    /// Without what waits: a snapshot at the end of a step has none of it.
    fn heap_bytes(&self) -> usize {
        let of = |logged: &LoggedEdit| size_of::<LoggedEdit>() + logged.edit.heap_bytes();
        self.log.iter().map(of).sum()
    }
}

/// How an edit comes.
#[derive(Clone, Copy, Debug)]
pub struct EditSource {
    /// The transaction that it is part of; 0 for none.
    pub transaction: u64,
    /// Whether it is read from a log, where nothing is replaced any more.
    pub is_logged: bool,
}

/// The scene as it will be when the edits that wait are applied.
pub(crate) fn scene_ahead(world: &World) -> &Scene {
    let ahead = world.resource::<EditQueue>().ahead.as_ref();
    ahead.unwrap_or_else(|| world.resource::<Description>().scene())
}

/// Queues an edit, if it makes sense after those that wait already. One that changes who is there is applied at once,
/// after them.
///
/// # Errors
/// Says what does not make sense; then nothing is queued.
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

/// Applies edits that [go together](Edit::goes_with) at once, after those that wait, exactly as if they were queued one
/// after the other; what came of each.
pub(crate) fn queue_run(world: &mut World, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
    flush_edits(world);
    population::apply(world, edits, transaction)
}

/// Lets an edit wait. A slider that is dragged while time stands still asks for many values; the last one counts.
fn push(world: &mut World, edit: Edit, source: EditSource) {
    let mut queue = world.resource_mut::<EditQueue>();
    match queue.outdone(&edit, source) {
        Some(place) => queue.waiting[place].0 = edit,
        None => queue.append(edit, source),
    }
}

impl EditQueue {
    /// The place of the edit that waits and of which another one leaves nothing: of the last one, or, where several are
    /// moved together, of the last move of the same.
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

    /// Whether an edit that comes like this belongs to the last one that waits.
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

/// Queues an edit of the scene, which is `ahead` with it.
fn queue_of_scene(world: &mut World, edit: Edit, source: EditSource, ahead: Scene) -> Result<(), Problem> {
    let Edit::Set { path, value } = edit else { return Ok(()) };
    let edit = Edit::Set { path: constants::resolve(world.resource::<Kinds>(), scene_ahead(world), &path)?, value };
    let scene = world.resource::<Description>().scene();
    let queue = world.resource::<EditQueue>();
    // It moves nothing, so that it can be the last one alone.
    let before = queue.outdone(&edit, source).map(|place| queue.waiting[..place].iter().map(|(edit, _)| edit));
    // What followed from the last one through a constant goes with it.
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

/// The edits that wait for the next step.
pub(crate) fn waiting(world: &World) -> impl DoubleEndedIterator<Item = &Edit> + ExactSizeIterator + Clone {
    world.resource::<EditQueue>().waiting.iter().map(|(edit, _)| edit)
}

/// The highest number of the transactions that edits are part of which wait; 0 for none.
pub(crate) fn latest_waiting_transaction(world: &World) -> u64 {
    world.resource::<EditQueue>().waiting.iter().map(|(_, source)| source.transaction).max().unwrap_or_default()
}

/// Begins a step: first what was asked for from outside, then what the scene says goes wrong.
pub(super) fn begin(world: &mut World) {
    if !world.resource::<EditQueue>().waiting.is_empty() {
        apply_waiting(world);
    }
    fault::strike(world);
}

/// Applies the edits that wait between two steps, exactly as the next step would; whether there were any.
pub(crate) fn flush_edits(world: &mut World) -> bool {
    if world.resource::<EditQueue>().waiting.is_empty() {
        return false;
    }
    note_hash(world);
    in_next_step(world, apply_waiting);
    true
}

/// Does between two steps what belongs to the start of the next one.
pub(super) fn in_next_step<T>(world: &mut World, act: impl FnOnce(&mut World) -> T) -> T {
    world.resource_mut::<SimTime>().step += 1;
    let done = act(world);
    world.resource_mut::<SimTime>().step -= 1;
    done
}

/// Keeps the hash of the end of the last step, before the first edit after it.
pub(super) fn note_hash(world: &mut World) {
    let step = world.resource::<SimTime>().step;
    if world.resource::<EditQueue>().settled.is_none_or(|(known, _)| known != step) {
        let hash = snapshot::hash(world);
        world.resource_mut::<EditQueue>().settled = Some((step, hash));
    }
}

/// The hash of the end of the last step, before edits that were applied since.
pub(crate) fn hash_of_step(world: &World) -> StateHash {
    let settled = world.resource::<EditQueue>().settled;
    let step = world.resource::<SimTime>().step;
    settled.filter(|(known, _)| *known == step).map_or_else(|| snapshot::hash(world), |(_, hash)| hash)
}

/// Forgets the edits that wait, and takes a log for that of all edits so far: of a simulation that goes back to a snapshot.
pub(crate) fn go_back_to(world: &mut World, log: Vec<LoggedEdit>) {
    let sets = log.iter().filter(|logged| matches!(logged.edit, Edit::Set { .. })).count() as u64;
    let settled = world.resource::<EditQueue>().settled;
    world.insert_resource(EditQueue { log, sets, settled, ..EditQueue::default() });
}

fn apply_waiting(world: &mut World) {
    let kinds = world.resource::<Kinds>().clone();
    let mut queue = world.resource_mut::<EditQueue>();
    queue.foreseen = agents::PendingScene::default();
    queue.moves.clear();
    let changes_scene = queue.ahead.take().is_some();
    let edits = std::mem::take(&mut queue.waiting);
    // Edits of other things do not look at it.
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
        // Other edits leave alone what caches are made of.
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

/// Logs an edit that was applied, in the place of another one or at the end.
pub(super) fn note(world: &mut World, place: Option<usize>, edit: Edit, transaction: u64) {
    let step = world.resource::<SimTime>().step;
    let mut queue = world.resource_mut::<EditQueue>();
    match place.and_then(|place| queue.log.get_mut(place)) {
        Some(logged) => {
            logged.edit = edit;
            queue.replaced += 1;
        }
        None => queue.log.push(LoggedEdit { step, edit, transaction }),
    }
}
