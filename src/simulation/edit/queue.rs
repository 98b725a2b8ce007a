//! The queue of edits: how edits wait for the next step, replace each other, and are applied and logged.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::Kinds;
use swarmarium_core::state::{Record, StateHash, snapshot};
use swarmarium_core::step::HasArena as _;
use swarmarium_scene::check::number::NumberOwner;
use swarmarium_scene::scene::constants::SceneChange;
use swarmarium_scene::scene::current::{self, Description};
use swarmarium_scene::scene::path::Assignment;
use swarmarium_scene::scene::{Scene, constants};

use super::live::Rebuild;
use super::{Edit, EditEffect, LoggedEdit, agents, apply, check, live, merge, population};

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
    /// The new values, if the edit sets a parameter of one agent, or only numbers of the scene.
    new: Vec<Assignment>,
}

impl PendingEdit {
    fn is_of_agent(&self) -> bool {
        matches!(&self.edit, Edit::Set { path, .. } if agents::Address::of(path).is_ok_and(|address| address.is_some()))
    }
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
fn shape_ahead(world: &World) -> &Scene {
    world.resource::<EditQueue>().ahead.get().unwrap_or_else(|| world.resource::<Description>().scene())
}

/// Checks a new value of a parameter of the scene, to be set after the pending edits; returns its effect.
///
/// # Errors
/// If the value is not valid.
pub(super) fn check_set(world: &World, path: &str, value: &str) -> Result<EditEffect, Problem> {
    let (kinds, shape) = (world.resource::<Kinds>(), shape_ahead(world));
    let SceneChange { assignments, after: None } = constants::change(kinds, shape, path, value)? else {
        return scene_after(world, scene_ahead(world), path, value);
    };
    let mut owners: Vec<NumberOwner> = Vec::new();
    for new in &assignments {
        let known = owners.iter().position(|owner| owner.has(shape, new.trail()));
        let Some(place) = known.or_else(|| {
            let mut owner = NumberOwner::of(kinds, shape, new.trail())?;
            let pending = world.resource::<EditQueue>().numbers().filter(|new| owner.has(shape, new.trail()));
            pending.collect::<Vec<_>>().into_iter().for_each(|new| owner.put(kinds, new));
            owners.push(owner);
            Some(owners.len() - 1)
        }) else {
            return scene_after(world, scene_ahead(world), path, value);
        };
        owners[place].put(kinds, new);
    }
    let mut problems = owners.iter().flat_map(|owner| owner.problems(world, shape));
    problems.next().map_or(Ok(EditEffect::Numbers(assignments)), Err)
}

/// The scene after a new value of a parameter, as the effect of an edit.
///
/// # Errors
/// If the value is not valid.
fn scene_after(world: &World, scene: &Scene, path: &str, value: &str) -> Result<EditEffect, Problem> {
    let edit = Edit::Set { path: path.into(), value: value.into() };
    super::scene_after(world, scene, [&edit]).map(|after| EditEffect::Scene(Box::new(after)))
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
        EditEffect::Same => push(world, edit, source, Vec::new()),
        EditEffect::Agent(number, parts, new) => {
            push(world, edit, source, vec![new]);
            world.resource_mut::<EditQueue>().agents_ahead.set_parts(number, *parts);
        }
        EditEffect::Numbers(new) => queue_numbers(world, edit, source, new),
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
fn push(world: &mut World, edit: Edit, source: EditSource, new: Vec<Assignment>) {
    let mut queue = world.resource_mut::<EditQueue>();
    match queue.superseded(&edit, source) {
        Some(place) => (queue.waiting[place].edit, queue.waiting[place].new) = (edit, new),
        None => queue.append(PendingEdit { edit, source, new }),
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
    push(world, edit, source, new);
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
        let of_scene = self.waiting.iter().filter(|pending| !pending.is_of_agent());
        of_scene.flat_map(|pending| &pending.new)
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

/// Queues an edit of the scene; `ahead` is the scene after it.
fn queue_of_scene(world: &mut World, edit: Edit, source: EditSource, ahead: Scene) -> Result<(), Problem> {
    let Edit::Set { path, value } = edit else { return Ok(()) };
    let kinds = world.resource::<Kinds>();
    let edit = Edit::Set { path: constants::resolve(kinds, scene_ahead(world), &path)?, value };
    let scene = world.resource::<Description>().scene();
    let queue = world.resource::<EditQueue>();
    // It moves nothing, so that only the last edit can match.
    let before = queue.superseded(&edit, source).map(|place| queue.waiting[..place].iter().map(|known| &known.edit));
    // The effects of the last edit through a constant are removed with it.
    let without = before.clone().and_then(|before| super::scene_after(world, scene, before.chain([&edit])).ok());
    let agents_ahead = match before.filter(|_| without.is_some()) {
        Some(before) => agents::PendingAgents::by(world, before.chain([&edit])),
        None => {
            let Edit::Set { path, value } = &edit else { return Ok(()) };
            let mut agents_ahead = queue.agents_ahead.clone();
            agents_ahead.add(world, &constants::change(kinds, scene_ahead(world), path, value)?.assignments);
            agents_ahead
        }
    };
    let mut queue = world.resource_mut::<EditQueue>();
    if without.is_some() {
        queue.waiting.pop();
    }
    (queue.ahead, queue.agents_ahead) = (OnceLock::from(without.unwrap_or(ahead)), agents_ahead);
    queue.changes_scene = true;
    queue.append(PendingEdit { edit, source, new: Vec::new() });
    Ok(())
}

/// The pending edits.
pub(crate) fn waiting(world: &World) -> impl DoubleEndedIterator<Item = &Edit> + ExactSizeIterator + Clone {
    world.resource::<EditQueue>().waiting.iter().map(|pending| &pending.edit)
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
    for pending in waiting {
        if pending.edit.reads_caches() && stale > Rebuild::None {
            renew(world, edited.take(), std::mem::take(&mut stale));
        }
        let replaced = merge::replaced(world, &pending.edit, pending.source);
        stale = stale.max(match &pending.edit {
            Edit::Set { path, value } => {
                world.resource_mut::<EditQueue>().sets += 1;
                set(world, &kinds, &mut edited, (path, value, &pending))
            }
            edit => apply(world, (edit, pending.source), replaced.is_some()),
        });
        note(world, replaced, pending.edit, pending.source.transaction);
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

/// Sets a parameter; returns the caches that are stale then. Numbers are put into the present scene, other values into a
/// copy of it.
fn set(
    world: &mut World,
    kinds: &Kinds,
    edited: &mut Option<Scene>,
    (path, value, pending): (&str, &str, &PendingEdit),
) -> Rebuild {
    if pending.is_of_agent() {
        let new = pending.new.first();
        return new.map_or(Rebuild::None, |new| live::apply(world, kinds, &Scene::default(), path, new));
    }
    if let (None, [_, ..]) = (&edited, &pending.new[..]) {
        // It stays in the world otherwise: to change numbers, it is not copied.
        return world.resource_scope(|world, mut description: Mut<Description>| {
            set_all(world, kinds, description.scene_mut(), &pending.new)
        });
    }
    let scene = edited.get_or_insert_with(|| world.resource::<Description>().scene().clone());
    match &pending.new[..] {
        // The queued edit was checked with the same scene.
        [] => {
            let new = constants::set(kinds, scene, path, value).unwrap_or_default();
            live::apply_all(world, kinds, scene, &new)
        }
        new => set_all(world, kinds, scene, new),
    }
}

fn set_all(world: &mut World, kinds: &Kinds, scene: &mut Scene, new: &[Assignment]) -> Rebuild {
    new.iter().for_each(|new| _ = new.put(kinds, scene));
    live::apply_all(world, kinds, scene, new)
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
