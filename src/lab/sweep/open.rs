//! Runs of a sweep in the window: at their ends, on a timeline, alone or side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::scene::description::Stop;
use swarmarium_core::timeline::file::{SavedBranch, SavedTimeline};
use swarmarium_core::timeline::{BranchId, Moment};
use swarmarium_formats::load::{Loaded, Source};
use swarmarium_sweep::{Run, Sweep};

use super::run_text;
use crate::Lab;
use crate::action::Changed;
use crate::timeline::KnownHashes;

/// The source of an opened run, as the title of the window shows it.
const SOURCE: &str = "run of a sweep";
/// The name of the branch of the other run.
const OTHER: &str = "other run";

/// A part of a timeline that is opened.
struct Opened<'a> {
    sweep: &'a Sweep,
    run: Run,
    steps: u64,
    hash: u64,
    /// The other run, as a branch.
    other: Option<(u64, Vec<LoggedEdit>)>,
}

impl Lab {
    /// Opens a run of the sweep at its end. Returns whether it could be opened.
    pub(crate) fn open_run_of_sweep(&mut self, run: Run) -> bool {
        let Some(sweep) = self.sweep.state().and_then(|state| state.sweep) else { return false };
        self.sweep.wanted = None;
        if !self.lists_runs_of(run.point) {
            // The threads list them soon.
            (self.sweep.point, self.sweep.wanted) = (Some(run.point), Some(run));
            return false;
        }
        let Some(outcome) = self.outcome_of(run) else {
            self.tell_error(format!("The run of {} is not done yet", run_text(run)));
            return false;
        };
        let opened = Opened { sweep: &sweep, run, steps: outcome.steps, hash: outcome.hash, other: None };
        match self.take_run_of_sweep(&opened) {
            Ok(()) => {
                self.sweep.opened = Some((run, self.openings));
                true
            }
            Err(error) => {
                self.tell_error(format!("The run of {} cannot be opened: {error}", run_text(run)));
                false
            }
        }
    }

    fn take_run_of_sweep(&mut self, opened: &Opened) -> Result<(), String> {
        let Opened { sweep, run, steps, hash, other } = opened;
        let problem = |problem: swarmarium_base::problem::Problem| problem.to_string();
        let (mut scene, edits) = (sweep.scene_of(*run).map_err(problem)?, sweep.edits_of(*run).map_err(problem)?);
        // The window goes on after the end of the run.
        scene.stop = Stop::default();
        let name = format!("{} of {}", run_text(*run), self.sweep_name());
        let loaded = Loaded { source: Source::Unsaved(SOURCE), ..scene.into() };
        if !self.open_loaded(&name, Ok(loaded)) {
            return Err("see the message above".into());
        }
        let mut saved = SavedTimeline::of_run(*steps, edits);
        if let Some((steps, edits)) = other {
            let begin = sweep.plan.begin.step;
            saved.branches.push(SavedBranch {
                name: OTHER.into(),
                parent: Some(saved.present.clone()),
                leaves_at: begin,
                steps: *steps,
                edits: edits.iter().filter(|logged| logged.step > begin).cloned().collect(),
            });
        }
        self.host.load_timeline(&saved).map_err(|error| error.to_string())?;
        self.plots.run = self.host.run_number();
        let moment = Moment { step: *steps, ..self.host.moment() };
        let hashes = BTreeMap::from([(*steps, *hash)]);
        self.timeline.known_hashes = Some(KnownHashes::new(moment.branch, hashes, move |step| {
            format!(
                "{name}: the state of step {step} differs from that of the sweep, which another build or machine made"
            )
        }));
        self.host.clock_mut().paused = true;
        let state = self.sweep.worker.as_ref().and_then(|worker| worker.end_of(sweep.key(*run), *steps));
        match state {
            // Simulating it again would take too long; the plots then begin at its end.
            Some(state) => {
                let kept = self.host.keep_state(moment, state);
                kept.and_then(|()| self.host.switch(moment)).map_err(|error| error.to_string())?;
                self.take_swap();
            }
            None => self.go_to(moment),
        }
        Ok(())
    }

    /// Opens the scene of the sweep, without the values of a point.
    pub(crate) fn open_scene_of_sweep(&mut self) {
        let Some(sweep) = self.sweep.state().and_then(|state| state.sweep) else { return };
        let name = self.sweep_name();
        let mut scene = sweep.scene.clone();
        scene.stop = Stop::default();
        let loaded = Loaded { source: Source::Unsaved("scene of a sweep"), ..scene.into() };
        self.open_loaded(&name, Ok(loaded));
        self.sweep.opened = None;
    }

    /// Shows a run beside the open run of the sweep; without one, opens it alone.
    pub(crate) fn compare_run_of_sweep(&mut self, other: Run) {
        let Some(sweep) = self.sweep.state().and_then(|state| state.sweep) else { return };
        let first = self.sweep.opened.filter(|(_, opening)| *opening == self.openings).map(|(run, _)| run);
        let Some(first) = first.filter(|first| *first != other) else {
            if self.open_run_of_sweep(other) {
                self.say("This run is A: \"Beside\" of another run shows that one as B");
            }
            return;
        };
        let done = match sweep.begins_later() {
            true => self.compare_as_branches(&sweep, first, other),
            false => self.compare_from_start(&sweep, first, other),
        };
        self.tell(done);
    }

    /// Compares two runs that differ from their start.
    fn compare_from_start(&mut self, sweep: &Arc<Sweep>, first: Run, other: Run) -> Result<(), String> {
        let values = |run| sweep.overrides(run).map_err(|problem| problem.to_string());
        let (own, others) = (values(first)?, values(other)?);
        let changed = others.into_iter().filter(|value| !own.contains(value));
        let changed = changed.map(|value| Changed { path: value.path, value: value.value }).collect();
        let mut scene = sweep.scene_of(other).map_err(|problem| problem.to_string())?;
        scene.stop = Stop::default();
        self.begin_comparison(changed, Some(scene));
        Ok(())
    }

    /// Compares two runs that leave a common past.
    fn compare_as_branches(&mut self, sweep: &Arc<Sweep>, first: Run, other: Run) -> Result<(), String> {
        if sweep.seed(first) != sweep.seed(other) {
            return Err("Runs that begin at a later moment can be compared if they have the same seed".into());
        }
        let steps = self.outcome_of(other).map(|outcome| outcome.steps).ok_or("That run is not done yet")?;
        let edits = sweep.edits_of(other).map_err(|problem| problem.to_string())?;
        let end = self.host.live_end();
        let known = self.timeline.known_hashes.as_ref().and_then(|known| known.hash_at(end));
        let opened =
            Opened { sweep, run: first, steps: end, hash: known.unwrap_or_default(), other: Some((steps, edits)) };
        self.take_run_of_sweep(&opened)?;
        if known.is_none() {
            self.timeline.known_hashes = None;
        }
        self.sweep.opened = Some((first, self.openings));
        let branch: Option<BranchId> = self.host.timeline().named(OTHER).ok().map(|branch| branch.id());
        if let Some(branch) = branch {
            self.compare_branch(branch);
        }
        Ok(())
    }

    /// Opens a run and records it from its start to its end.
    pub(crate) fn record_run_of_sweep(&mut self, run: Run) {
        if self.open_run_of_sweep(run) {
            let suffix = format!("-point-{}-run-{}", run.point + 1, run.repetition + 1);
            let from = self.sweep.state().and_then(|state| state.sweep).map_or(0, |sweep| sweep.plan.begin.step);
            self.record_part((from, self.host.live_end()), &suffix);
        }
    }
}
