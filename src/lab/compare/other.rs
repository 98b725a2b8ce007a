//! The second world: how it is made, and how it follows the first one.

use std::sync::Arc;

use bevy_egui::egui::Rect;

use super::Changed;
use crate::clock::Host;
use crate::draw::{Camera, Picture, View};
use crate::edit::{Edit, LoggedEdit, TakesEffect};
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
    /// What is other in it from the start.
    changed: Vec<Changed>,
    /// What was changed in it alone.
    own: Vec<LoggedEdit>,
    /// What was changed in A alone.
    kept_from: Vec<LoggedEdit>,
    /// How far it was told of A's log, and of its own one.
    heard: Heard,
    heard_own: Heard,
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
    /// Whether it is looked at as A is.
    pub is_linked: bool,
    /// Where it is looked at from.
    pub camera: Camera,
    /// Where it is in the window, in points of the interface.
    pub rect_px: Rect,
    /// What there is to see of it.
    pub picture: Arc<Picture>,
}

/// How many edits of a log were taken already.
#[derive(Clone, Copy, Default)]
struct Heard(usize);

impl Heard {
    /// The edits for all steps until this one that were not taken yet.
    fn due<'l>(&mut self, log: &'l [LoggedEdit], step: u64) -> &'l [LoggedEdit] {
        let from = self.0.min(log.len());
        self.0 = from + log[from..].partition_point(|logged| logged.step <= step);
        &log[from..self.0]
    }
}

/// A simulation that does again what a log says.
struct Twin {
    simulation: Simulation,
    heard: Heard,
}

impl Twin {
    fn step(&mut self, log: &[LoggedEdit]) {
        for logged in self.heard.due(log, self.simulation.steps() + 1) {
            // What was done once makes sense again.
            let _ = self.simulation.apply(logged.edit.clone());
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
            changed: resolved,
            own: Vec::new(),
            kept_from: Vec::new(),
            heard: Heard::default(),
            heard_own: Heard::default(),
            last: None,
            twin: None,
            differs_at: None,
            refusal: None,
            of: (lab.openings, lab.restarts),
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
        let was_reset = self.of != (lab.openings, lab.restarts);
        if was_reset {
            self.keep_what_a_reset_keeps(lab);
        }
        let Self { changed, own, kept_from, is_linked, camera, rect_px, picture, .. } = self;
        Ok(Self { own, kept_from, is_linked, camera, rect_px, picture, ..Self::new(lab, changed)? })
    }

    /// Values that only one of both was given are compared from the reset on.
    fn keep_what_a_reset_keeps(&mut self, lab: &Lab) {
        let (kinds, scene) = (lab.recipe.kinds(), self.host.simulation().scene_ahead());
        let changes = std::mem::take(&mut self.own).into_iter().chain(std::mem::take(&mut self.kept_from));
        let kept = changes.filter(|logged| reload::is_kept_by_reset(&logged.edit));
        for path in kept.filter_map(|logged| path_of(&logged.edit)) {
            let Some(value) = constants::text_at(kinds, scene, &path) else { continue };
            let place = place_of(lab, &path);
            self.changed.retain(|changed| place_of(lab, &changed.path) != place);
            self.changed.push(Changed { path, value });
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
        // What waits is applied with the step; what is changed while time stands still is seen at once.
        self.host.clock_mut().paused = false;
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
        self.hand_on(log);
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
        self.hand_on(log);
        let next = self.simulation().steps() + 1;
        self.host.advance_to(next, || true, |_| {});
        self.history.observe(self.host.simulation());
    }

    /// Makes the changes that A's log, and its own one, say for the next step.
    fn hand_on(&mut self, log: &[LoggedEdit]) {
        let next = self.simulation().steps() + 1;
        for logged in self.heard.due(log, next) {
            self.take(logged);
            self.last = Some(logged.clone());
        }
        for logged in self.heard_own.due(&self.own, next) {
            if let Err(problem) = self.host.apply(logged.edit.clone()) {
                self.refusal = Some(problem.to_string());
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
        let again: Vec<Edit> = self.changed.iter().filter(outer).map(Changed::edit).collect();
        for edit in std::iter::once(logged.edit.clone()).chain(again) {
            if let Err(problem) = self.host.apply(edit) {
                self.refusal = Some(problem.to_string());
            }
        }
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

    /// Changes it alone.
    ///
    /// # Errors
    /// When the change makes no sense here.
    pub fn give(&mut self, edit: Edit) -> Result<(), Problem> {
        self.host.apply(edit.clone())?;
        self.own.push(LoggedEdit::new(self.simulation().steps() + 1, edit));
        self.heard_own = Heard(self.own.len());
        Ok(())
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

    /// Becomes what the host holds; the clock goes on.
    pub fn take_the_place_of(self, host: &mut Host, history: &mut History) {
        let Self { host: mut own, history: own_history, .. } = self;
        own.stops = host.stops;
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
        self.picture = Arc::new(self.simulation().picture(&View { camera: self.camera, ..*view }));
    }
}

fn path_of(edit: &Edit) -> Option<String> {
    match edit {
        Edit::Set { path, .. } => Some(path.clone()),
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
