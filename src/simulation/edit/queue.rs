//! The queue of edits: how edits wait for the next step, replace each other, and are applied and logged.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::Kinds;
use swarmarium_core::state::{Record, StateHash, snapshot};
use swarmarium_core::step::HasArena as _;
use swarmarium_scene::check as scene_check;
use swarmarium_scene::check::number::NumberOwner;
use swarmarium_scene::scene::current::{self, Description};
use swarmarium_scene::scene::path::Assignment;
use swarmarium_scene::scene::{Scene, constants};

use super::live::{Parts, Rebuild};
use super::{Edit, EditEffect, LoggedEdit, agents, apply, check, live, merge, population, scene_after};

/// Edits that wait for the next step, and the applied ones.
#[derive(Resource, Clone, Debug, Default)]
pub struct EditQueue {
    /// Pending edits, in order.
    waiting: Vec<PendingEdit>,
    /// The indices of the moves at the end of the pending edits, if they belong to one transaction.
    moves: BTreeMap<StableId, usize>,
    /// Whether pending edits change the scene.
    changes_scene: bool,
    /// The scene after the pending edits, if they change it: built when it is asked for.
    ahead: OnceLock<Scene>,
    /// The effects of the pending edits on agents.
    pub(super) agents_ahead: agents::PendingAgents,
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

/// An edit that waits for the next step.
#[derive(Clone, Debug)]
struct PendingEdit {
    edit: Edit,
    source: EditSource,
    values: NewValues,
}

/// The new values that an edit was checked with.
#[derive(Clone, Debug)]
enum NewValues {
    /// None: the edit sets no parameter, or its text is read again.
    None,
    /// The value of a parameter of one agent.
    Agent(Assignment),
    /// Numbers of the scene.
    Numbers(Vec<Assignment>),
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
    let (queue, scene) = (world.resource::<EditQueue>(), world.resource::<Description>().scene());
    if !queue.changes_scene {
        return scene;
    }
    queue.ahead.get_or_init(|| {
        let (kinds, mut scene) = (world.resource::<Kinds>(), scene.clone());
        queue.numbers().for_each(|new| _ = new.put(kinds, &mut scene));
        scene
    })
}

/// A scene with the same parts as the one after the pending edits; numbers that they set may have their old values.
fn scene_with_pending_parts(world: &World) -> &Scene {
    let scene = world.resource::<Description>().scene();
    // A constant compares values.
    match world.resource::<EditQueue>().ahead.get() {
        None if scene.constants.is_empty() => scene,
        _ => scene_ahead(world),
    }
}

/// Checks a new value of a parameter of the scene, to be set after the pending edits; returns its effect.
///
/// # Errors
/// If the value is not valid.
pub(super) fn check_set(world: &World, path: &str, value: &str) -> Result<EditEffect, Problem> {
    let (kinds, parts) = (world.resource::<Kinds>(), scene_with_pending_parts(world));
    let mut change = constants::change(kinds, parts, path, value)?;
    if change.after.is_none() && check_numbers(world, parts, &change.assignments)? {
        return Ok(EditEffect::Numbers(change.assignments));
    }
    let scene = scene_ahead(world);
    if !std::ptr::eq(scene, parts) {
        change = constants::change(kinds, scene, path, value)?;
    }
    let after = change.after.unwrap_or_else(|| {
        let mut after = scene.clone();
        change.assignments.iter().for_each(|new| _ = new.put(kinds, &mut after));
        Box::new(after)
    });
    match scene_check::fit(world, &after).into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(EditEffect::Scene(after, change.assignments)),
    }
}

/// Checks new numbers with the groups and objects that they belong to; returns whether that is enough.
///
/// # Errors
/// If a group or object does not fit its scene with them.
fn check_numbers(world: &World, scene: &Scene, assignments: &[Assignment]) -> Result<bool, Problem> {
    let mut owners: Vec<NumberOwner> = Vec::new();
    for new in assignments {
        let place = match owners.iter().position(|owner| owner.contains(new.trail())) {
            Some(place) => place,
            None => {
                let Some(owner) = owner_ahead(world, scene, new) else { return Ok(false) };
                owners.push(owner);
                owners.len() - 1
            }
        };
        owners[place].put(world.resource::<Kinds>(), new);
    }
    if !owners.iter().all(|owner| owner.keeps_readings(world, scene)) {
        return Ok(false);
    }
    owners.sort_by_key(NumberOwner::order);
    owners.iter().flat_map(|owner| owner.problems(world, scene)).next().map_or(Ok(true), Err)
}

/// The group or object that a new number belongs to, after the pending edits.
fn owner_ahead(world: &World, scene: &Scene, new: &Assignment) -> Option<NumberOwner> {
    let (kinds, queue) = (world.resource::<Kinds>(), world.resource::<EditQueue>());
    let mut owner = NumberOwner::of(kinds, scene, new.trail())?;
    if queue.ahead.get().is_none() {
        for pending in queue.numbers() {
            if owner.contains(pending.trail()) {
                owner.put(kinds, pending);
            }
        }
    }
    Some(owner)
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
        EditEffect::Same => push(world, edit, source, NewValues::None),
        EditEffect::Agent(number, parts, new) => {
            push(world, edit, source, NewValues::Agent(new));
            world.resource_mut::<EditQueue>().agents_ahead.set_parts(number, *parts);
        }
        EditEffect::Numbers(new) => queue_numbers(world, edit, source, new),
        EditEffect::Scene(ahead, new) => queue_of_scene(world, edit, source, (*ahead, &new)),
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
fn push(world: &mut World, edit: Edit, source: EditSource, values: NewValues) {
    let mut queue = world.resource_mut::<EditQueue>();
    match queue.superseded(&edit, source) {
        Some(place) => (queue.waiting[place].edit, queue.waiting[place].values) = (edit, values),
        None => queue.append(PendingEdit { edit, source, values }),
    }
}

/// Queues an edit that sets numbers of the scene.
fn queue_numbers(world: &mut World, edit: Edit, source: EditSource, new: Vec<Assignment>) {
    let (Edit::Set { value, .. }, Some(first)) = (edit, new.first()) else { return };
    let edit = Edit::Set { path: first.path.clone(), value };
    let kinds = world.resource::<Kinds>().clone();
    let mut queue = world.resource_mut::<EditQueue>();
    queue.changes_scene = true;
    if let Some(ahead) = queue.ahead.get_mut() {
        new.iter().for_each(|new| _ = new.put(&kinds, ahead));
    }
    let mut agents_ahead = std::mem::take(&mut queue.agents_ahead);
    agents_ahead.add(world, &new);
    world.resource_mut::<EditQueue>().agents_ahead = agents_ahead;
    push(world, edit, source, NewValues::Numbers(new));
}

impl EditQueue {
    /// The index of the pending edit that another one replaces entirely: the last one, or, if several things are moved
    /// together, the last move of the same one.
    fn superseded(&self, edit: &Edit, source: EditSource) -> Option<usize> {
        if !self.continues(source) {
            return None;
        }
        let place = match merge::moved(edit) {
            Some(id) if !self.moves.is_empty() => *self.moves.get(&id)?,
            _ => self.waiting.len() - 1,
        };
        self.waiting.get(place)?.edit.is_superseded_by(edit).then_some(place)
    }

    /// Whether an edit from this source belongs together with the last pending one.
    fn continues(&self, source: EditSource) -> bool {
        self.waiting.last().is_some_and(|PendingEdit { source: own, .. }| {
            own.transaction == source.transaction && !own.is_logged && !source.is_logged
        })
    }

    /// The numbers of the scene that pending edits set, in order.
    fn numbers(&self) -> impl Iterator<Item = &Assignment> {
        let of_scene = self.waiting.iter().filter_map(|pending| match &pending.values {
            NewValues::Numbers(new) => Some(new),
            NewValues::None | NewValues::Agent(_) => None,
        });
        of_scene.flatten()
    }

    fn append(&mut self, pending: PendingEdit) {
        let PendingEdit { edit, source, .. } = &pending;
        let id = merge::moved(edit).filter(|_| source.transaction > 0 && !source.is_logged);
        if id.is_none() || !self.continues(*source) {
            self.moves.clear();
        }
        self.moves.extend(id.map(|id| (id, self.waiting.len())));
        self.waiting.push(pending);
    }
}

/// Queues an edit of the scene; `ahead` is the scene after it, with these new values.
fn queue_of_scene(world: &mut World, edit: Edit, source: EditSource, (ahead, new): (Scene, &[Assignment])) {
    let (Edit::Set { value, .. }, Some(first)) = (edit, new.first()) else { return };
    let edit = Edit::Set { path: first.path.clone(), value };
    let scene = world.resource::<Description>().scene();
    let queue = world.resource::<EditQueue>();
    // It moves nothing, so that only the last edit can match.
    let before = queue.superseded(&edit, source).map(|place| queue.waiting[..place].iter().map(|known| &known.edit));
    // The effects of the last edit through a constant are removed with it.
    let without = before.clone().and_then(|before| scene_after(world, scene, before.chain([&edit])).ok());
    let agents_ahead = match before.filter(|_| without.is_some()) {
        Some(before) => agents::PendingAgents::by(world, before.chain([&edit])),
        None => {
            let mut agents_ahead = queue.agents_ahead.clone();
            agents_ahead.add(world, new);
            agents_ahead
        }
    };
    let mut queue = world.resource_mut::<EditQueue>();
    if without.is_some() {
        queue.waiting.pop();
    }
    (queue.ahead, queue.agents_ahead) = (OnceLock::from(without.unwrap_or(ahead)), agents_ahead);
    queue.changes_scene = true;
    queue.append(PendingEdit { edit, source, values: NewValues::None });
}

/// The pending edits.
pub(crate) fn waiting(world: &World) -> impl DoubleEndedIterator<Item = &Edit> + ExactSizeIterator + Clone {
    world.resource::<EditQueue>().waiting.iter().map(|pending| &pending.edit)
}

/// The edits that wait for the next step, each with its transaction; 0 for none.
pub(crate) fn waiting_changes(world: &World) -> impl DoubleEndedIterator<Item = (&Edit, u64)> {
    world.resource::<EditQueue>().waiting.iter().map(|pending| (&pending.edit, pending.source.transaction))
}

/// The highest transaction of the pending edits; 0 for none.
pub(crate) fn latest_waiting_transaction(world: &World) -> u64 {
    world.resource::<EditQueue>().waiting.iter().map(|pending| pending.source.transaction).max().unwrap_or_default()
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
    queue.agents_ahead = agents::PendingAgents::default();
    queue.moves.clear();
    (queue.changes_scene, queue.ahead) = (false, OnceLock::new());
    let waiting = std::mem::take(&mut queue.waiting);
    let (mut edited, mut stale) = (None, Rebuild::None);
    for PendingEdit { edit, source, values } in waiting {
        if edit.reads_caches() && (edited.is_some() || stale > Rebuild::None) {
            renew(world, edited.take(), std::mem::take(&mut stale));
        }
        let replaced = merge::replaced(world, &edit, source);
        stale = stale.max(match &edit {
            Edit::Set { path, value } => {
                world.resource_mut::<EditQueue>().sets += 1;
                match values {
                    NewValues::None => set_text(world, &kinds, &mut edited, path, value),
                    NewValues::Agent(new) => live::apply(world, &kinds, &Parts::None, path, &new),
                    NewValues::Numbers(new) => set_numbers(world, &kinds, &mut edited, &new),
                }
            }
            edit => apply(world, edit, source, replaced.is_some()),
        });
        note(world, replaced, edit, source.transaction);
    }
    renew(world, edited, stale);
}

/// Makes a changed scene the present one, and builds stale caches again.
fn renew(world: &mut World, edited: Option<Scene>, stale: Rebuild) {
    if let Some(scene) = edited {
        current::set(world, scene);
    }
    stale.run(world);
}

/// Sets a parameter in a copy of the scene, and where running entities have copies; returns the caches that are stale then.
fn set_text(world: &mut World, kinds: &Kinds, edited: &mut Option<Scene>, path: &str, value: &str) -> Rebuild {
    let scene = edited.get_or_insert_with(|| world.resource::<Description>().scene().clone());
    // The queued edit was checked with the same scene.
    let new = constants::set(kinds, scene, path, value).unwrap_or_default();
    let stale = new.iter().map(|new| live::apply(world, kinds, &Parts::new(scene, &new.path), &new.path, new));
    stale.max().unwrap_or_default()
}

/// Sets numbers in the present scene, which is not copied for them, or in the copy that is edited already; and where
/// running entities have copies. Returns the caches that are stale then.
fn set_numbers(world: &mut World, kinds: &Kinds, edited: &mut Option<Scene>, new: &[Assignment]) -> Rebuild {
    let mut stale = Rebuild::None;
    for new in new {
        let parts = match edited {
            Some(scene) => {
                new.put(kinds, scene);
                Parts::new(scene, &new.path)
            }
            None => {
                let mut description = world.resource_mut::<Description>();
                new.put(kinds, description.scene_mut());
                Parts::new(description.scene(), &new.path)
            }
        };
        stale = stale.max(live::apply(world, kinds, &parts, &new.path, new));
    }
    stale
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
