//! The differences between worlds A and B.

use std::collections::BTreeMap;

use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::lower;
use swarmarium_host::clock::host::{Change, Names, in_words, paths_of};
use swarmarium_scene::scene::{Scene, constants, path};
use swarmarium_simulation::edit::agents::Address;
use swarmarium_simulation::edit::{Edit, LoggedEdit, TakesEffect};
use swarmarium_simulation::simulation::Simulation;

use crate::action::Changed;
use crate::common::kept_changes::is_kept_by_reset;
use crate::common::selection;
use crate::run::RunState;

/// The differences between worlds A and B in one run of A.
#[derive(Clone, Default)]
pub struct Differences {
    /// The scene from which B starts; `None` if it is that of A.
    pub start: Option<Scene>,
    /// The step at whose end B begins to differ; `None` if it differs from the start of the run.
    pub from: Option<u64>,
    /// Values that differ in B from then on.
    pub changed: Vec<Changed>,
    /// Edits of B alone, ordered by step.
    pub own: Vec<LoggedEdit>,
    /// Undone edits of B alone.
    undone: Vec<LoggedEdit>,
    /// Edits of A alone.
    pub kept_from: Vec<LoggedEdit>,
    /// Edits of B alone from before the last reset; the scene from which B starts contains them.
    carried: Vec<Edit>,
}

impl Differences {
    /// Creates differences that consist of values set in B from the start.
    pub fn of(changed: Vec<Changed>) -> Self {
        Self { changed, ..Self::default() }
    }

    /// Creates differences that consist of values set in B at the end of a step.
    pub fn at(step: u64, changed: Vec<Changed>) -> Self {
        let own = changed.iter().map(|changed| LoggedEdit::new(step + 1, changed.edit())).collect();
        Self { from: Some(step), changed, own, ..Self::default() }
    }

    /// Whether an edit of A of a step comes after the moment from which B differs.
    pub fn holds_at(&self, step: u64) -> bool {
        self.from.is_none_or(|from| step > from)
    }

    /// Returns the differences after a reset. A value that was set in only one world is compared from then on.
    ///
    /// `start` is the scene from which B restarts, if it has its own; `scene` is the scene of B before the reset.
    pub fn after_reset(&self, run: &RunState, start: Option<Scene>, scene: &Scene) -> Self {
        let kinds = run.recipe.kinds();
        let scene = start.as_ref().unwrap_or(scene);
        let Self { mut changed, own, kept_from, mut carried, .. } = self.clone();
        let is_kept = |logged: &LoggedEdit| is_kept_by_reset(&logged.edit);
        let of_run = run.host.changes();
        let holds = |logged: &LoggedEdit| {
            logged.transaction == 0
                || of_run.iter().any(|change| change.transaction == logged.transaction && !change.is_undone)
        };
        // A has a new value, and B has the old value of A.
        let of_a = kept_from.into_iter().filter(|logged| is_kept(logged) && holds(logged)).filter_map(|logged| {
            let Changed { path, .. } = changed_by(logged.edit)?;
            Some(Changed { value: constants::text_at(kinds, scene, &path)?, path })
        });
        let own: Vec<Edit> = own.into_iter().filter(is_kept).map(|logged| logged.edit).collect();
        // A path that exists only in B cannot be compared.
        let is_in_a = |changed: &Changed| !is_late(kinds, run.host.start(), &changed.path);
        let kept: Vec<Changed> = of_a.chain(own.iter().cloned().filter_map(changed_by)).filter(is_in_a).collect();
        for kept in kept {
            let place = place_of(run, &kept.path);
            changed.retain(|changed| place_of(run, &changed.path) != place);
            changed.push(kept);
        }
        match start {
            Some(_) => carried.extend(own),
            None => carried.clear(),
        }
        Self { start, changed, carried, ..Self::default() }
    }

    /// Whether robots or objects were added or removed in only one of the worlds.
    pub fn has_others_there(&self) -> bool {
        let Self { start, own, kept_from, .. } = self;
        start.is_some() || own.iter().chain(kept_from).any(|logged| logged.edit.is_of_population())
    }

    /// Logs an edit of B alone. It replaces an earlier edit that it makes redundant.
    pub fn give(&mut self, change: LoggedEdit) {
        let own = &mut self.own;
        match outdone(own, &change) {
            Some(place) => own[place] = change,
            None => own.push(change),
        }
    }

    /// Returns the changes of B alone, undone ones included, grouped by transaction.
    pub fn changes(&self, b: &Simulation) -> Vec<Change> {
        let mut places: BTreeMap<u64, (Vec<&LoggedEdit>, bool)> = BTreeMap::new();
        for (logged, is_undone) in [(&self.own, false), (&self.undone, true)] {
            for logged in logged.iter().filter(|logged| logged.transaction > 0) {
                places.entry(logged.transaction).or_insert((Vec::new(), is_undone)).0.push(logged);
            }
        }
        let name = |number: u32| selection::robot_name(b, number);
        let names = Names { robot: &name, kinds: b.kinds(), scene: b.scene_ahead() };
        let change = |(transaction, (logged, is_undone)): (u64, (Vec<&LoggedEdit>, bool))| Change {
            transaction,
            step: logged.first().map_or(0, |first| first.step),
            label: format!("B: {}", lower(&in_words(&edits_of(&logged), &names))),
            paths: paths_of(&edits_of(&logged)),
            edits: logged.len(),
            is_undone,
        };
        places.into_iter().map(change).collect()
    }

    /// Undoes the edits of B alone after a transaction and redoes the undone ones up to it. `done` is the number of
    /// steps of B.
    ///
    /// Returns whether B must be simulated again.
    pub fn hold_until(&mut self, transaction: u64, done: u64) -> bool {
        let Self { own, undone, .. } = self;
        let is_other = own.iter().any(|logged| logged.transaction > transaction && logged.step <= done)
            || undone.iter().any(|logged| logged.transaction <= transaction && logged.step <= done);
        let mut all: Vec<LoggedEdit> = own.drain(..).chain(undone.drain(..)).collect();
        all.sort_by_key(|logged| logged.step);
        (*undone, *own) = all.into_iter().partition(|logged| logged.transaction > transaction);
        is_other
    }

    /// Discards the undone edits.
    pub fn forget_undone(&mut self) {
        self.undone.clear();
    }

    /// Returns the edits of B that are in the scene from which B started and in none of the logs.
    pub fn carried(&self) -> Vec<Edit> {
        // Values that were set later than at the start are in the log of B.
        let changed = self.changed.iter().filter(|_| self.from.is_none());
        self.carried.iter().cloned().chain(changed.map(Changed::edit).filter(is_kept_by_reset)).collect()
    }
}

fn edits_of<'e>(logged: &[&'e LoggedEdit]) -> Vec<&'e Edit> {
    logged.iter().map(|logged| &logged.edit).collect()
}

fn changed_by(edit: Edit) -> Option<Changed> {
    match edit {
        Edit::Set { path, value } => Some(Changed { path, value }),
        _ => None,
    }
}

fn place_of(run: &RunState, path: &str) -> String {
    let trail = path::trail(run.recipe.kinds(), run.host.scene(), path);
    trail.map_or_else(|_| path.into(), |trail| constants::by_places(&trail))
}

/// Whether a value and all values that follow from it can be changed while a simulation runs.
pub fn is_live(kinds: &Kinds, scene: &Scene, changed: &Changed) -> bool {
    let followed = constants::set(kinds, &mut scene.clone(), &changed.path, &changed.value).unwrap_or_default();
    let mut paths = followed.iter().map(|change| &change.path).chain([&changed.path]);
    paths.all(|path| TakesEffect::of_path(path) == TakesEffect::Live)
}

/// Whether a path leads to nothing in a scene, such as the path of an object that is added later.
pub fn is_late(kinds: &Kinds, scene: &Scene, path: &str) -> bool {
    let is_of_agent = matches!(Address::of(path), Ok(Some(_)));
    !is_of_agent && constants::resolve(kinds, scene, path).is_ok_and(|path| path::trail(kinds, scene, &path).is_err())
}

/// Returns the index of an earlier edit of the same step and transaction that a new edit makes redundant.
fn outdone(own: &[LoggedEdit], change: &LoggedEdit) -> Option<usize> {
    let is_move = |edit: &Edit| matches!(edit, Edit::Move { .. } | Edit::MoveObject { .. });
    for (place, known) in own.iter().enumerate().rev() {
        if known.step != change.step || known.transaction != change.transaction {
            return None;
        }
        if known.edit.is_superseded_by(&change.edit) {
            return Some(place);
        }
        // Moves of several items in one drag are independent.
        if !is_move(&known.edit) || !is_move(&change.edit) {
            return None;
        }
    }
    None
}
