//! The values of a pinned number from before it was pinned, from a second simulation of the run on a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use swarmarium_core::clock::host::TwinPlan;
use swarmarium_core::edit::LoggedEdit;
use swarmarium_core::step::Workers;
use swarmarium_core::timeline::{Moment, TimelineError};

use super::history::Observed;
use super::pin::{Pin, Watched};
use crate::Lab;

/// Maximum estimated duration (s) and number of steps of a run that is simulated again.
const MOST_S: f64 = 30.0;
const MOST_STEPS: u64 = 1_000_000;

/// The values of one number after each step, with its path.
type Values = (String, Vec<Observed>);

/// Numbers that wait for their earlier values, and the thread that simulates the run again.
#[derive(Default)]
pub struct Backfills {
    /// Paths that were pinned while the thread works.
    waiting: Vec<String>,
    running: Option<Backfill>,
}

/// A second simulation of a run for the earlier values of some numbers.
struct Backfill {
    /// The number of the run in the plots.
    run: u64,
    /// The edits of the run so far. The values are valid only while the run still has them.
    edits: Vec<LoggedEdit>,
    steps: u64,
    is_cancelled: Arc<AtomicBool>,
    /// `None` if the run cannot be simulated again, or the thread was cancelled.
    thread: Option<JoinHandle<Option<Vec<Values>>>>,
}

impl Drop for Backfill {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl Backfill {
    /// Starts to simulate the present branch again, up to its live end.
    fn start(lab: &Lab, paths: Vec<String>) -> anyhow::Result<Self> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let plan = lab.host.plan_twin(Moment { step: 0, ..lab.host.moment() })?;
        let (steps, threads, cancelled) = (lab.host.live_end(), lab.threads, is_cancelled.clone());
        let work = move || values(plan, (steps, threads), paths, &cancelled).ok().flatten();
        Ok(Self {
            run: lab.plots.history.run(),
            edits: edits_until(lab, steps),
            steps,
            is_cancelled,
            thread: Some(thread::Builder::new().name("earlier values".into()).spawn(work)?),
        })
    }
}

/// Returns the edits of the present branch up to the end of a step.
fn edits_until(lab: &Lab, step: u64) -> Vec<LoggedEdit> {
    lab.host.timeline().present().applied().take_while(|logged| logged.step <= step).cloned().collect()
}

/// Returns the values of some numbers after each step; `None` if cancelled.
fn values(
    plan: TwinPlan,
    (steps, threads): (u64, usize),
    paths: Vec<String>,
    is_cancelled: &AtomicBool,
) -> Result<Option<Vec<Values>>, TimelineError> {
    let mut twin = plan.make(Workers::new(threads))?;
    let watched = Watched { simulation: twin.simulation(), selected: None };
    // A turn rate in the first step needs the heading before it.
    let pin = |path: String| (Pin::new(watched, &path).ok(), (path, Vec::new()));
    let mut pins: Vec<(Option<Pin>, Values)> = paths.into_iter().map(pin).collect();
    let mut edits = 0;
    for step in 1..=steps {
        if is_cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        twin.step();
        let simulation = twin.simulation();
        let edited = std::mem::replace(&mut edits, simulation.edits().len()) != simulation.edits().len();
        let watched = Watched { simulation, selected: None };
        for (pin, (path, values)) in &mut pins {
            match pin {
                Some(pin) => pin.observe(watched, edited),
                // A path can lead to a robot that does not exist yet.
                None => *pin = Pin::new(watched, path).ok(),
            }
            let value = pin.as_ref().map_or(f64::NAN, |pin| pin.value(watched));
            values.push(Observed { step, value });
        }
    }
    Ok(Some(pins.into_iter().map(|(_, values)| values).collect()))
}

impl Lab {
    /// Simulates the run again for the values of a number before it was pinned. For numbers of the selected robot and
    /// for long runs it does nothing: their plots begin at the step at which they were pinned.
    pub(crate) fn backfill(&mut self, path: &str) {
        let steps = self.host.live_end();
        let takes_s = self.step_s().unwrap_or_default() * steps as f64;
        if steps == 0 || steps > MOST_STEPS || takes_s > MOST_S || path.contains("selected.") {
            return;
        }
        self.plots.backfills.waiting.push(path.into());
        self.finish_backfills();
    }

    /// Adds the values of a finished thread to the plots, and starts the next thread.
    pub(crate) fn finish_backfills(&mut self) {
        if let Some(mut done) = self
            .plots
            .backfills
            .running
            .take_if(|backfill| backfill.thread.as_ref().is_none_or(JoinHandle::is_finished))
        {
            let is_same_run = done.run == self.plots.history.run()
                && self.host.live_end() >= done.steps
                && edits_until(self, done.steps) == done.edits;
            let values = done.thread.take().and_then(|thread| thread.join().ok()).flatten();
            if let Some(values) = values.filter(|_| is_same_run) {
                values.iter().for_each(|(path, values)| self.plots.history.fill(path, values));
            }
        }
        let waits = self.plots.backfills.running.is_none() && !self.plots.backfills.waiting.is_empty();
        if waits && self.host.resimulate().is_none() {
            let paths = std::mem::take(&mut self.plots.backfills.waiting);
            // Without a thread, the plots begin when the numbers are pinned.
            self.plots.backfills.running = Backfill::start(self, paths).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::testing::{do_steps, lab_of, lab_on};

    fn wait(lab: &mut Lab) {
        let began = Instant::now();
        while lab.plots.backfills.running.is_some() {
            assert!(began.elapsed() < Duration::from_secs(60), "the thread ends");
            thread::sleep(Duration::from_millis(5));
            lab.finish_backfills();
        }
    }

    fn series(lab: &Lab, path: &str) -> Vec<f64> {
        let history = &lab.plots.history;
        let place = history.names().position(|name| name == path).unwrap();
        history.series(place).to_vec()
    }

    #[test]
    fn a_number_that_is_pinned_late_gets_its_earlier_values() {
        let path = "agents.2.x_m";
        let mut early = lab_on("milling");
        early.pin(path);
        do_steps(&mut early, 60);
        let mut late = lab_on("milling");
        do_steps(&mut late, 50);
        late.pin(path);
        do_steps(&mut late, 10);
        wait(&mut late);
        let begins = series(&early, path).len() - series(&late, path).len();
        assert_eq!(series(&late, path), series(&early, path)[begins..]);
        assert!(late.plots.history.is_complete(60) && late.plots.history.begins_late(1).is_none());
    }

    #[test]
    fn the_first_plot_of_a_scene_without_metrics_is_filled_too() {
        let mut lab = lab_of("(groups: [(name: \"g\", controller: Constant(v_m_per_s: 0.5))])");
        do_steps(&mut lab, 5_000);
        lab.pin("agents.0.x_m");
        wait(&mut lab);
        let history = &lab.plots.history;
        assert!(history.steps().first().is_some_and(|first| *first <= 2), "{:?}", history.steps().first());
        assert!(history.steps().windows(2).all(|pair| pair[0] < pair[1]) && history.stride() > 1);
        assert!(history.series(0).iter().all(|value| value.is_finite()));
    }

    #[test]
    fn another_run_and_the_selected_robot_get_no_earlier_values() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 50);
        lab.pin("selected.x_m");
        assert!(lab.plots.backfills.running.is_none());
        lab.pin("agents.0.x_m");
        lab.reset(None);
        wait(&mut lab);
        assert!(series(&lab, "agents.0.x_m").len() <= 1, "the run began again");
    }
}
