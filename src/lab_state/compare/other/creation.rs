//! How world B is created, and created again.

use std::sync::Arc;

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_draw::{Overlay, Past};
use swarmarium_host::clock::Host;
use swarmarium_host::timeline::{BranchId, Moment, TimelineError};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::edit::TakesEffect;
use swarmarium_simulation::simulation::Simulation;

use super::{BranchSide, Other, WorldA, is_past_drawn};
use crate::action::Changed;
use crate::compare::differences::{Differences, is_late, is_live};
use crate::compare::twin::{LogCursor, Twin};
use crate::plots::history::History;

/// Maximum number of runs, before and after resets, whose differences are kept.
const MOST_RUNS: usize = 8;

/// The reason why B cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// A value is invalid.
    #[error("{0}")]
    Value(Problem),
    /// The scene cannot be simulated.
    #[error(transparent)]
    Scene(#[from] Problems),
    /// A parameter of an item that was added in this run takes effect only at a start. The field is its path.
    #[error("{0} belongs to something added in this run and takes effect only at a start: restart, then compare")]
    AddedLate(String),
    /// A parameter takes effect only at a start, so it cannot change at a moment of the run. The field is its path.
    #[error("{0} takes effect only at a start: begin the comparison at the start of the scene")]
    NotLive(String),
    /// The branch cannot be shown.
    #[error(transparent)]
    Branch(#[from] TimelineError),
}

impl From<Problem> for CompareError {
    fn from(problem: Problem) -> Self {
        Self::Value(problem)
    }
}

impl Other {
    /// Creates B at the start of A. B then has to catch up.
    ///
    /// # Errors
    /// When a value is invalid, or when the scene cannot be simulated.
    pub fn new(world: WorldA, changed: Vec<Changed>, start: Option<Scene>) -> Result<Self, CompareError> {
        let late =
            changed.iter().filter(|changed| is_late(world.run.recipe.kinds(), world.run.host.start(), &changed.path));
        for changed in late {
            world.run.host.simulation().check(&changed.edit())?;
            if TakesEffect::of_path(&changed.path) != TakesEffect::Live {
                return Err(CompareError::AddedLate(changed.path.clone()));
            }
        }
        let mut differences = Differences::of(changed);
        differences.start = start;
        Self::made(world, differences)
    }

    /// Creates B at the end of a step of A: B has the state of A, and other values from then on. If A is at another step,
    /// B then has to catch up.
    ///
    /// # Errors
    /// When a value is invalid or cannot change while a simulation runs, or when the scene cannot be simulated.
    pub fn at_step(world: WorldA, mut changed: Vec<Changed>, step: u64) -> Result<Self, CompareError> {
        let simulation = world.run.host.simulation();
        let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
        for changed in &mut changed {
            changed.path = constants::resolve(kinds, scene, &changed.path)?;
            simulation.check(&changed.edit())?;
            if !is_live(kinds, scene, changed) {
                return Err(CompareError::NotLive(changed.path.clone()));
            }
        }
        Self::made(world, Differences::at(step, changed))
    }

    fn made(world: WorldA, differences: Differences) -> Result<Self, CompareError> {
        match differences.from {
            Some(step) => Self::made_at(world, differences, step),
            None => Self::made_at_start(world, differences),
        }
    }

    /// Creates B from a keyframe of A at or before the step from which B differs.
    fn made_at(world: WorldA, differences: Differences, step: u64) -> Result<Self, CompareError> {
        let (a, log) = (&world.run.host, world.run.host.simulation().edits());
        let shows_occupancy = world.view.current.overlays.shows(Overlay::Occupancy);
        let is_here = a.simulation().steps() == step && world.view.past.last_step() == Some(step);
        // The occupancy map needs the whole run.
        let first = if shows_occupancy { 0 } else { step.min(a.simulation().steps()) };
        let moment = Moment { step: first, ..a.moment() };
        let (host, _) = a.twin(moment)?.into_host(a, world.run.threads);
        let begins_at = host.simulation().steps();
        let cursor = LogCursor::after(log, begins_at);
        let mut history = world.plots.history.clone();
        history.go_back(begins_at);
        let past = match is_here && begins_at == step {
            true => world.view.past.clone(),
            false => Past::after(host.simulation().world(), begins_at, None),
        };
        let twin = match a.simulation().steps() > step {
            true => Some(Twin::new(a.twin(moment)?.into_simulation(), cursor)),
            // Up to there, B is identical.
            false => None,
        };
        let last = cursor.0.checked_sub(1).and_then(|place| log.get(place)).cloned();
        let is_all_watched = begins_at == 0 || (is_here && begins_at == step);
        Ok(Self { past, cursor, last, twin, is_all_watched, ..Self::around(world, host, history, differences) })
    }

    fn made_at_start(world: WorldA, mut differences: Differences) -> Result<Self, CompareError> {
        let (a, recipe) = (&world.run.host, &world.run.recipe);
        let kinds = recipe.kinds();
        let mut scene = differences.start.clone().unwrap_or_else(|| a.start().clone());
        let mut live = Vec::new();
        for changed in &mut differences.changed {
            changed.path = constants::resolve(kinds, &scene, &changed.path)?;
            let has_value = differences.start.is_some()
                && constants::text_at(kinds, &scene, &changed.path).is_some_and(|text| is_same(&text, &changed.value));
            if has_value {
                // The scene of B starts with it.
            } else if is_late(kinds, &scene, &changed.path) {
                // The value is set when the item is added.
            } else if is_live(kinds, &scene, changed) {
                live.push(changed.edit());
            } else {
                constants::set(kinds, &mut scene, &changed.path, &changed.value)?;
            }
        }
        let mut host = Host::new(&scene, recipe, world.run.threads)?;
        for edit in live {
            host.apply_in(edit, 0)?;
        }
        let history = History::of(host.simulation());
        let mut other = Self::around(world, host, history, differences);
        if a.simulation().steps() == 0 {
            other.look_for_difference(a.simulation());
        } else {
            let twin = Simulation::with(a.start(), recipe, world.run.threads)?;
            other.look_for_difference(&twin);
            other.twin = Some(Twin::new(twin, LogCursor::default()));
        }
        Ok(other)
    }

    /// Creates B from another branch at the step of A, or at the keyframe before it. B then has to catch up.
    ///
    /// # Errors
    /// When there is no such branch, or when its simulation cannot be created.
    pub fn of_branch(world: WorldA, id: BranchId) -> Result<Self, CompareError> {
        Self::beside(world, BranchSide::new(world, id)?)
    }

    /// As [`of_branch`](Self::of_branch), with a search that runs or has ended.
    fn beside(world: WorldA, branch: BranchSide) -> Result<Self, CompareError> {
        let (now, id) = (world.run.host.moment(), branch.id);
        let end = world.run.host.timeline().check(Moment { branch: id, step: 0 })?.end();
        let twin = world.run.host.twin(Moment { branch: id, step: now.step.min(end) })?;
        let (host, own) = twin.into_host(&world.run.host, world.run.threads);
        let steps = host.simulation().steps();
        let own_cursor = LogCursor::after(&own, steps);
        let mut differences = Differences::default();
        differences.own = own;
        let other = Self::around(world, host, world.plots.history_of(&world.run.host, id), differences);
        Ok(Self { own_cursor, branch: Some(branch), ..other })
    }

    /// Creates B from a host.
    fn around(world: WorldA, host: Host, history: History, differences: Differences) -> Self {
        let simulation = host.simulation();
        Self {
            branch: None,
            history,
            past: Past::for_world(simulation.world()),
            trail: world.view.current.trail,
            is_watched: is_past_drawn(&world.view.current),
            is_all_watched: true,
            differences,
            runs: Vec::new(),
            resets_as: None,
            cursor: LogCursor::default(),
            own_cursor: LogCursor::default(),
            draft: None,
            last: None,
            twin: None,
            differs_at: None,
            refusal: None,
            of: (world.run.openings, world.run.restarts),
            run: world.run.host.run_number(),
            is_linked: true,
            camera: world.view.current.camera,
            rect_px: world.view.rect_px,
            picture: Arc::default(),
            host,
        }
    }

    /// Creates B again from the start of A, and keeps its camera.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn again(mut self, world: WorldA) -> Result<Self, CompareError> {
        let run = world.run.host.run_number();
        if let Some(branch) = self.branch {
            let Self { is_linked, camera, rect_px, picture, .. } = self;
            // The result of a search does not depend on the moment that A shows.
            let is_known = branch.starts == world.run.starts && self.of.0 == world.run.openings;
            let branch = if is_known { branch } else { BranchSide::new(world, branch.id)? };
            return Ok(Self { is_linked, camera, rect_px, picture, ..Self::beside(world, branch)? });
        }
        if self.run != run {
            let differences = match self.runs.iter().position(|(known, _)| *known == run) {
                Some(place) => self.runs.remove(place).1,
                // A branch goes on from the same run.
                None if is_branch_of(&world.run.host, run, self.run) => self.differences.clone(),
                None => self.differences.after_reset(world.run, self.resets_as.take(), self.simulation().scene_ahead()),
            };
            self.runs.push((self.run, std::mem::replace(&mut self.differences, differences)));
            if self.runs.len() > MOST_RUNS {
                self.runs.remove(0);
            }
        }
        let Self { differences, runs, is_linked, camera, rect_px, picture, .. } = self;
        Ok(Self { runs, is_linked, camera, rect_px, picture, ..Self::made(world, differences)? })
    }
}

/// Whether two runs are branches of one run, by their numbers.
fn is_branch_of(host: &Host, run: u64, of: u64) -> bool {
    let root = |run: u64| host.timeline().root_of(BranchId(run));
    host.timeline().branch(BranchId(of)).is_some() && root(run) == root(of)
}

/// Whether two texts are the same value.
fn is_same(one: &str, other: &str) -> bool {
    let numbers = one.parse::<f64>().ok().zip(other.parse::<f64>().ok());
    one == other || numbers.is_some_and(|(one, other)| one == other)
}
