//! The second world: how it is made, and how it follows the first one.

use std::sync::Arc;

use bevy_egui::egui::Rect;

use super::Changed;
use crate::clock::Host;
use crate::draw::{Camera, Past, Picture, TrailLength, View};
use crate::edit::{Edit, LoggedEdit, TakesEffect};
use crate::history::Snapshot;
use crate::lab::plots::History;
use crate::lab::progress::Progress;
use crate::lab::{Lab, reload};
use crate::scene::problem::Problem;
use crate::scene::{constants, path};
use crate::simulation::Simulation;

/// The second world.
pub struct Other {
    host: Host,
    /// Its metrics over time.
    pub history: History,
    /// Where its robots have been, and how long their trails are.
    past: Past,
    trail: TrailLength,
    /// What is other in it from the start.
    changed: Vec<Changed>,
    /// What was changed in it alone.
    own: Vec<LoggedEdit>,
    /// What was changed in A alone.
    kept_from: Vec<LoggedEdit>,
    /// How far it was told of A's log, and of its own one.
    heard: Heard,
    heard_own: Heard,
    /// What was changed since the last step.
    draft: Option<Draft>,
    /// The last change of A that it was told of.
    last: Option<LoggedEdit>,
    /// A again from its start, while B catches up and both are the same.
    twin: Option<Twin>,
    /// The first step after which somebody was elsewhere.
    differs_at: Option<u64>,
    /// A change of A that made no sense in B.
    refusal: Option<String>,
    /// Which opening of a scene it is of, and how often a simulation was made of it.
    of: (u64, u64),
    /// The run of A that it is of: a reset begins another one.
    run: u64,
    /// Whether it is looked at as A is.
    pub is_linked: bool,
    /// Where it is looked at from.
    pub camera: Camera,
    /// Where it is in the window, in points of the interface.
    pub rect_px: Rect,
    /// What there is to see of it.
    pub picture: Arc<Picture>,
}

/// How many edits of a log were made for good, for steps that are done.
#[derive(Clone, Copy, Default)]
struct Heard(usize);

impl Heard {
    /// The edits after those, for all steps until this one.
    fn due<'l>(&self, log: &'l [LoggedEdit], step: u64) -> &'l [LoggedEdit] {
        let log = &log[self.0.min(log.len())..];
        &log[..log.partition_point(|logged| logged.step <= step)]
    }
}

/// What was changed while time stands still: what is dragged then replaces what was there before.
struct Draft {
    /// B before that.
    before: Snapshot,
    edits: Vec<LoggedEdit>,
}

/// A simulation that does again what a log says.
struct Twin {
    simulation: Simulation,
    heard: Heard,
}

impl Twin {
    fn step(&mut self, log: &[LoggedEdit]) {
        let due = self.heard.due(log, self.simulation.steps() + 1);
        self.heard.0 += due.len();
        for logged in due {
            // What was done once makes sense again.
            let _ = self.simulation.replay(logged.clone());
        }
        self.simulation.step(1);
    }
}

impl Other {
    /// Makes B from the start of A; it has yet to catch up.
    ///
    /// # Errors
    /// Says which value makes no sense.
    pub fn new(lab: &Lab, changed: Vec<Changed>) -> Result<Self, String> {
        let (a, recipe) = (&lab.host, &lab.recipe);
        let kinds = recipe.kinds();
        let mut scene = a.start().clone();
        let mut live = Vec::new();
        let mut resolved = Vec::new();
        for Changed { path, value } in changed {
            let path = constants::resolve(kinds, &scene, &path).map_err(|problem| problem.to_string())?;
            let changed = Changed { path, value };
            if is_live(lab, &changed) {
                live.push(changed.edit());
            } else {
                let set = constants::set(kinds, &mut scene, &changed.path, &changed.value);
                set.map_err(|problem| problem.to_string())?;
            }
            resolved.push(changed);
        }
        let mut host = Host::new(&scene, recipe, lab.threads).map_err(|problems| problems.to_string())?;
        for edit in live {
            host.apply(edit).map_err(|problem| problem.to_string())?;
        }
        let simulation = host.simulation();
        let mut other = Self {
            history: History::of(simulation),
            past: Past::of(simulation),
            trail: TrailLength::default(),
            changed: resolved,
            own: Vec::new(),
            kept_from: Vec::new(),
            heard: Heard::default(),
            heard_own: Heard::default(),
            draft: None,
            last: None,
            twin: None,
            differs_at: None,
            refusal: None,
            of: (lab.openings, lab.restarts),
            run: a.run_number(),
            is_linked: true,
            camera: lab.view.camera,
            rect_px: lab.world_px,
            picture: Arc::default(),
            host,
        };
        if a.simulation().steps() == 0 {
            other.look_for_difference(a.simulation());
        } else {
            let twin = Simulation::with(a.start(), recipe, lab.threads).map_err(|problems| problems.to_string())?;
            other.look_for_difference(&twin);
            other.twin = Some(Twin { simulation: twin, heard: Heard::default() });
        }
        Ok(other)
    }

    /// Makes it again from the start of A, looked at as it was.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn again(mut self, lab: &Lab) -> Result<Self, String> {
        if self.run != lab.host.run_number() {
            self.keep_what_a_reset_keeps(lab);
        }
        let Self { changed, own, kept_from, is_linked, camera, rect_px, picture, .. } = self;
        Ok(Self { own, kept_from, is_linked, camera, rect_px, picture, ..Self::new(lab, changed)? })
    }

    /// Values that only one of both was given are compared from the reset on.
    fn keep_what_a_reset_keeps(&mut self, lab: &Lab) {
        let (kinds, scene) = (lab.recipe.kinds(), self.host.simulation().scene_ahead());
        let is_kept = |logged: &LoggedEdit| reload::is_kept_by_reset(&logged.edit);
        // A was given another value, B has the one that it had.
        let of_a = std::mem::take(&mut self.kept_from).into_iter().filter(is_kept).filter_map(|logged| {
            let Changed { path, .. } = changed_by(logged.edit)?;
            Some(Changed { value: constants::text_at(kinds, scene, &path)?, path })
        });
        let own =
            std::mem::take(&mut self.own).into_iter().filter(is_kept).filter_map(|logged| changed_by(logged.edit));
        let kept: Vec<Changed> = of_a.chain(own).collect();
        for kept in kept {
            let place = place_of(lab, &kept.path);
            self.changed.retain(|changed| place_of(lab, &changed.path) != place);
            self.changed.push(kept);
        }
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        self.host.simulation()
    }

    /// What is other in it from the start.
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }

    /// Which opening of a scene it is of.
    pub fn opening(&self) -> u64 {
        self.of.0
    }

    /// The first step after which somebody was elsewhere than in A.
    pub fn differs_at(&self) -> Option<u64> {
        self.differs_at
    }

    /// The last change of A that it did not take, once.
    pub fn take_refusal(&mut self) -> Option<String> {
        self.refusal.take()
    }

    /// How far it came on the way to A; `None` when it is there.
    pub fn progress(&self, a: &Simulation) -> Option<Progress> {
        let (done, steps) = (self.simulation().steps(), a.steps());
        (done < steps).then(|| Progress { done, steps, label: "Simulating B".into() })
    }

    /// Whether A was started again, or has another past than B was told of.
    pub fn is_outdated(&self, lab: &Lab) -> bool {
        let (a, log) = (lab.host.simulation(), lab.host.simulation().edits());
        let is_other_past = self.heard.0 > 0 && log.get(self.heard.0 - 1) != self.last.as_ref();
        self.of != (lab.openings, lab.restarts) || self.simulation().steps() > a.steps() || is_other_past
    }

    /// Steps towards A for as long as there is time; whether it is there.
    pub fn catch_up(&mut self, a: &Host, more: &mut impl FnMut() -> bool) -> bool {
        let log = a.simulation().edits();
        while self.simulation().steps() < a.simulation().steps() {
            self.step(log);
            if let Some(mut twin) = self.twin.take() {
                twin.step(log);
                self.look_for_difference(&twin.simulation);
                self.twin = Some(twin).filter(|_| self.differs_at.is_none());
            }
            if !more() {
                break;
            }
        }
        if self.simulation().steps() < a.simulation().steps() {
            return false;
        }
        self.twin = None;
        self.host.clock_mut().paused = a.clock().paused;
        self.make_changes(log, true);
        true
    }

    /// Does the step that A has just done.
    pub fn follow(&mut self, a: &Simulation) {
        while self.simulation().steps() < a.steps() {
            self.step(a.edits());
        }
        self.look_for_difference(a);
    }

    fn step(&mut self, log: &[LoggedEdit]) {
        let next = self.simulation().steps() + 1;
        self.make_changes(log, false);
        self.draft = None;
        let due = self.heard.due(log, next);
        self.heard.0 += due.len();
        self.last = due.last().cloned().or_else(|| self.last.take());
        self.heard_own.0 += self.heard_own.due(&self.own, next).len();
        self.host.advance_to(next, || true, |_| {});
        self.history.observe(self.host.simulation());
        self.past.observe(self.host.simulation(), self.trail);
    }

    /// Makes the changes that A's log, and its own one, have for the next step; as a draft they can be replaced.
    fn make_changes(&mut self, log: &[LoggedEdit], is_draft: bool) {
        let next = self.simulation().steps() + 1;
        let of_a = self.heard.due(log, next);
        let own = self.heard_own.due(&self.own, next).to_vec();
        if of_a.is_empty() && own.is_empty() && self.draft.is_none() {
            return;
        }
        let edits: Vec<LoggedEdit> = of_a.iter().chain(&own).cloned().collect();
        let before = match self.draft.take() {
            Some(draft) if draft.edits == edits => return self.draft = Some(draft),
            Some(draft) => {
                self.host.restore(&draft.before);
                Some(draft.before)
            }
            None => is_draft.then(|| self.simulation().snapshot()),
        };
        of_a.chunk_by(LoggedEdit::goes_with).for_each(|run| self.take_run(run));
        self.make(&own);
        if is_draft {
            self.host.settle();
        }
        self.draft = before.map(|before| Draft { before, edits });
    }

    /// Makes changes exactly as a log has them.
    fn make(&mut self, log: &[LoggedEdit]) {
        let problem = self.host.replay_all(log).pop();
        self.refusal = problem.map(|problem| problem.to_string()).or_else(|| self.refusal.take());
    }

    /// Makes changes of A that go together. Robots that come or go are not compared.
    fn take_run(&mut self, run: &[LoggedEdit]) {
        match run {
            [logged] => self.take(logged),
            run => {
                let is_kept = |logged: &LoggedEdit| {
                    self.kept_from.iter().any(|kept| kept.step == logged.step && kept.edit == logged.edit)
                };
                let taken: Vec<LoggedEdit> = run.iter().filter(|logged| !is_kept(logged)).cloned().collect();
                self.make(&taken);
            }
        }
    }

    /// Makes a change of A, unless it is about what is compared.
    fn take(&mut self, logged: &LoggedEdit) {
        let edit = self.by_places(&logged.edit);
        let is_compared = |changed: &Changed| edit.is_outdone_by(&self.by_places(&changed.edit()));
        let is_kept = |kept: &LoggedEdit| kept.step == logged.step && self.by_places(&kept.edit) == edit;
        if self.changed.iter().any(is_compared) || self.kept_from.iter().any(is_kept) {
            return;
        }
        // What is compared may be a part of what was changed.
        let outer = |changed: &&Changed| self.by_places(&changed.edit()).is_outdone_by(&edit);
        let again = |changed: &Changed| LoggedEdit { edit: changed.edit(), ..logged.clone() };
        let again: Vec<LoggedEdit> = self.changed.iter().filter(outer).map(again).collect();
        self.make(std::slice::from_ref(logged));
        self.make(&again);
    }

    /// An edit with its path by places: groups have names, too.
    fn by_places(&self, edit: &Edit) -> Edit {
        let (kinds, scene) = (self.simulation().kinds(), self.simulation().scene_ahead());
        match edit {
            Edit::Set { path, value } => match path::trail(kinds, scene, path) {
                Ok(trail) => Edit::Set { path: constants::by_places(&trail), value: value.clone() },
                Err(_) => edit.clone(),
            },
            edit => edit.clone(),
        }
    }

    /// Changes it alone; what came of each change.
    pub fn give_all(&mut self, edits: &[Edit]) -> Vec<Result<(), Problem>> {
        edits.chunk_by(Edit::goes_with).flat_map(|run| self.give_run(run)).collect()
    }

    fn give_run(&mut self, run: &[Edit]) -> Vec<Result<(), Problem>> {
        let checked = self.simulation().check_run(run);
        for (edit, _) in run.iter().zip(&checked).filter(|(_, checked)| checked.is_ok()) {
            self.give(edit.clone());
        }
        checked
    }

    fn give(&mut self, edit: Edit) {
        let change = LoggedEdit::new(self.simulation().steps() + 1, edit);
        // A slider that is dragged asks for many values; the last one counts.
        let is_outdone = |last: &LoggedEdit| last.step == change.step && last.edit.is_outdone_by(&change.edit);
        if self.own.last().is_some_and(is_outdone) {
            self.own.pop();
        }
        self.own.push(change);
    }

    /// Takes note of a change that A alone is to have.
    pub fn keep_from(&mut self, change: LoggedEdit) {
        self.kept_from.push(change);
    }

    fn look_for_difference(&mut self, a: &Simulation) {
        if self.differs_at.is_none() && a.poses() != self.simulation().poses() {
            self.differs_at = Some(a.steps());
        }
    }

    /// Stands where A does, or goes back.
    pub fn trade_places(&mut self, host: &mut Host, camera: &mut Camera) {
        std::mem::swap(&mut self.host, host);
        std::mem::swap(&mut self.camera, camera);
    }

    /// Becomes what the host holds; the clock goes on.
    pub fn take_the_place_of(self, host: &mut Host, history: &mut History) {
        let Self { host: mut own, history: own_history, .. } = self;
        own.stops = host.stops;
        own.carried = std::mem::take(&mut host.carried);
        own.keep_track();
        *own.clock_mut() = host.clock().clone();
        *host = own;
        history.go_on_as(own_history, host.simulation());
    }

    /// Draws it with what A is drawn with.
    pub fn paint(&mut self, view: &View) {
        if self.is_linked {
            self.camera = view.camera;
        }
        self.camera.y_axis = view.camera.y_axis;
        self.trail = view.trail;
        let view = View { camera: self.camera, ..*view };
        self.picture = Arc::new(self.simulation().now().remembering(&self.past).picture(&view));
    }
}

fn changed_by(edit: Edit) -> Option<Changed> {
    match edit {
        Edit::Set { path, value } => Some(Changed { path, value }),
        _ => None,
    }
}

fn place_of(lab: &Lab, path: &str) -> String {
    let trail = path::trail(lab.recipe.kinds(), lab.host.scene(), path);
    trail.map_or_else(|_| path.into(), |trail| constants::by_places(&trail))
}

/// Whether a value takes effect while a simulation runs, with all that follow from it.
fn is_live(lab: &Lab, changed: &Changed) -> bool {
    let mut scene = lab.host.start().clone();
    let followed = constants::set(lab.recipe.kinds(), &mut scene, &changed.path, &changed.value).unwrap_or_default();
    let mut paths = followed.iter().map(|change| &change.path).chain([&changed.path]);
    paths.all(|path| TakesEffect::of_path(path) == TakesEffect::Live)
}
