//! The thread that makes runs.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_sweep::folder::REPORT;
use swarmarium_sweep::run::Runner;
use swarmarium_sweep::work::{Host, cores, work};
use swarmarium_sweep::{Controllers, Folder, Outcome, Plan, PlanText, Run, Shard, Sweep, report};

use crate::common::sweep_setup::PLAN_NAME;
use crate::sweeps::ends::End;
use crate::sweeps::worker::{Origin, Phase, Shared, lock};
use crate::sweeps::{CLOSED, pictures};

impl Shared {
    /// Makes the runs of the plan, and of the plans that follow it.
    pub(super) fn make(&self, origin: Origin, resumes: bool) {
        let is_new = !matches!(origin, Origin::Folder(_));
        let mut sweep = match origin.resolve(&self.recipe) {
            Ok(sweep) => Arc::new(sweep),
            Err(problems) => {
                if is_new {
                    // The folder was reserved for this sweep and is empty.
                    drop(fs::remove_dir(&self.folder));
                }
                return self.set_phase(Phase::Failed(problems.to_string()));
            }
        };
        let mut makes = is_new || resumes;
        while !self.is_closed() {
            self.publish(&sweep);
            let done = if makes { self.make_runs(&sweep) } else { Ok(()) };
            self.set_phase(match done {
                Ok(()) => Phase::Ended,
                Err(error) => Phase::Failed(format!("{error:#}")),
            });
            // The statistics of the last runs appear at once.
            self.changes.fetch_add(1, Ordering::Relaxed);
            self.wake();
            let Some(next) = self.next_plan(&sweep) else { return };
            let was_cancelled = self.is_cancelled.swap(false, Ordering::Relaxed);
            let run = (sweep.scene.clone(), sweep.log.clone());
            match Sweep::of_run(&self.recipe, next, run, PlanText { name: PLAN_NAME, text: "" }) {
                Ok(longer) => (sweep, makes) = (Arc::new(longer), true),
                Err(problems) => {
                    // The runs that the longer plan held up go on.
                    makes &= !was_cancelled;
                    lock(&self.next).taken = Some(sweep.plan.clone());
                    lock(&self.state).refusal = Some(problems.to_string());
                }
            }
        }
    }

    fn publish(&self, sweep: &Arc<Sweep>) {
        let mut state = lock(&self.state);
        if !state.sweep.as_ref().is_some_and(|known| Arc::ptr_eq(known, sweep)) {
            (state.sweep, state.is_shown, state.refusal) = (Some(sweep.clone()), false, None);
        }
    }

    /// Waits for a longer plan, and paints missing pictures meanwhile; `None` if the sweep is closed.
    fn next_plan(&self, sweep: &Sweep) -> Option<Plan> {
        while !self.is_closed() {
            let mut next = lock(&self.next);
            if let Some(plan) = next.waiting.take() {
                next.taken = Some(plan.clone());
                self.set_phase(Phase::Preparing);
                return Some(plan);
            }
            drop(next);
            self.yield_when_due();
            if self.make_picture(sweep) {
                self.is_painting.store(true, Ordering::Relaxed);
            } else {
                // The window has a moment to show the last one.
                self.wait(Duration::from_secs(1), self.changes.load(Ordering::Relaxed));
                self.is_painting.store(false, Ordering::Relaxed);
            }
        }
        None
    }

    /// Makes the runs that are not done, then the tables and the report.
    fn make_runs(&self, sweep: &Sweep) -> anyhow::Result<()> {
        let folder = Folder::join(&self.folder, sweep)?;
        // Without a report, the sweep counts as interrupted until it is complete.
        drop(fs::remove_file(self.folder.join(REPORT)));
        drop(fs::remove_file(self.folder.join(CLOSED)));
        self.set_phase(Phase::Running);
        let log = folder.log(Shard::WHOLE)?;
        let (began, before) = (Instant::now(), lock(&self.state).made);
        let (first, held_ms) = (self.made.load(Ordering::Relaxed), self.held_ms.load(Ordering::Relaxed));
        let ended =
            |run: Run, outcome: &Outcome, simulation: &Simulation| self.keep_end(sweep, run, outcome, simulation);
        let finished = |_: Run, _: &Outcome, _: u64| {
            let made = self.made.fetch_add(1, Ordering::Relaxed) + 1 - first;
            let held_s = (self.held_ms.load(Ordering::Relaxed) - held_ms) as f64 / 1e3;
            let made_s = (began.elapsed().as_secs_f64() - held_s).max(0.0);
            lock(&self.state).made = (before.0 + made_s, before.1 + made);
        };
        let is_ending = || {
            self.yield_when_due();
            self.has_next()
        };
        let is_stopped = || self.is_stopped();
        let host = Host {
            is_stopped: &is_stopped,
            is_ending: &is_ending,
            ended: &ended,
            finished: &finished,
            ..Host::default()
        };
        // One core is left to the window.
        work(sweep, (folder.index()?, &log), Shard::WHOLE, cores().saturating_sub(1).max(1), &host)?;
        drop(log);
        if !self.is_closed() && !self.has_next() {
            let _lock = folder.lock_tables(&|| self.is_closed())?;
            report::conclude(sweep, &folder, &folder.index()?).context("the tables cannot be written")?;
            folder.compact(sweep)?;
        }
        Ok(())
    }

    /// Keeps the picture of a run, and its last state if the run takes long.
    fn keep_end(&self, sweep: &Sweep, run: Run, outcome: &Outcome, simulation: &Simulation) {
        let key = sweep.key(run);
        if let Some(end) = End::of(outcome, simulation) {
            lock(&self.ends).keep(key, end);
        }
        if pictures::is_wanted(sweep, run) {
            let theme = lock(&self.view).theme;
            // Without a picture, the figure is as good.
            if let Ok(png) = pictures::paint(simulation, theme) {
                pictures::write(&self.folder, key, theme, &png);
                lock(&self.pictures).keep(key, theme, png.into());
            }
        }
    }

    /// Makes a picture that is missing by repeating its run. Returns whether there was one.
    fn make_picture(&self, sweep: &Sweep) -> bool {
        let theme = lock(&self.view).theme;
        let done = lock(&self.state).results.done_of_points.clone();
        let runs = (0..sweep.points.len()).map(|point| Run { point, repetition: 0 });
        let mut wanted = runs.filter(|run| done.get(run.point).is_some_and(|done| *done > 0));
        let Some(run) = wanted
            .find(|run| pictures::is_wanted(sweep, *run) && !lock(&self.pictures).is_known(sweep.key(*run), theme))
        else {
            return false;
        };
        if Controllers::check_none(&self.folder).is_err() {
            // Only a program with these controllers can repeat the run.
            lock(&self.pictures).give_up(sweep.key(run), theme);
            return true;
        }
        let is_stopped = || self.is_stopped() || self.has_next();
        let mut runner = Runner::new(sweep, 1, &is_stopped);
        let Some(outcome) = runner.run(run) else { return false };
        let simulation = runner.simulation().filter(|_| outcome.error.is_none());
        match simulation.map(|simulation| pictures::paint(simulation, theme)) {
            Some(Ok(png)) => {
                pictures::write(&self.folder, sweep.key(run), theme, &png);
                lock(&self.pictures).keep(sweep.key(run), theme, png.into());
            }
            _ => lock(&self.pictures).give_up(sweep.key(run), theme),
        }
        true
    }
}
