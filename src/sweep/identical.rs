//! Repetitions that do not differ: runs of a point that draw no random number are one run, however often it is repeated.

use swarmarium_core::text::wording::count;
use swarmarium_simulation::simulation::Simulation;

use crate::resolved::{Run, Sweep};
use crate::run::Outcome;
use crate::summary::PointRuns;

/// Finds points whose repetitions end in the same state.
pub(crate) struct Finder<'a> {
    sweep: &'a Sweep,
    /// A simulation that is restarted for each run.
    simulation: Option<Simulation>,
}

impl<'a> Finder<'a> {
    /// A finder for the runs of a sweep.
    pub fn new(sweep: &'a Sweep) -> Self {
        Self { sweep, simulation: None }
    }

    /// Whether the runs of a point are at least two, and equal in their measures and in everything else but the seed.
    pub fn is_identical(&mut self, point: usize, runs: &PointRuns) -> bool {
        let done = || (0..).zip(&runs.outcomes).filter_map(|(repetition, run)| Some((repetition, run.as_ref()?)));
        let Some((_, first)) = done().next() else { return false };
        // The values that edits give to factors are part of the last state alone.
        if self.sweep.begins_later() || done().count() < 2 || !done().all(|(_, run)| is_equal(first, run)) {
            return false;
        }
        let mut states = done().map(|(repetition, run)| self.state_without_seed(Run { point, repetition }, run));
        match states.next().flatten() {
            Some(state) => states.all(|other| other == Some(state)),
            None => false,
        }
    }

    /// The hash of the last state of a run, without the parts that its seed determines at the start.
    fn state_without_seed(&mut self, run: Run, outcome: &Outcome) -> Option<u64> {
        let scene = self.sweep.scene_of(run).ok()?;
        let simulation = match self.simulation.take() {
            Some(mut simulation) => simulation.restart(&scene).map(|()| simulation),
            None => Simulation::with(&scene, &self.sweep.recipe, 1),
        };
        let simulation = self.simulation.insert(simulation.ok()?);
        Some(outcome.hash.wrapping_sub(simulation.hash_of_seed().0))
    }
}

/// Whether two runs have the same measures.
fn is_equal(one: &Outcome, other: &Outcome) -> bool {
    let bits = |run: &Outcome| -> Vec<(u64, bool)> {
        run.measures.iter().map(|taken| (taken.value.to_bits(), taken.is_censored)).collect()
    };
    one.error.is_none() && other.error.is_none() && one.steps == other.steps && bits(one) == bits(other)
}

/// The message about points whose repetitions are identical, for people; `None` without such points. Points are counted from 0.
pub fn note(sweep: &Sweep, identical: &[usize]) -> Option<String> {
    const LISTED: usize = 10;
    let numbers: Vec<String> = identical.iter().take(LISTED).map(|point| (point + 1).to_string()).collect();
    let more = if identical.len() > LISTED { ", …" } else { "" };
    let points = match identical.len() {
        0 => return None,
        all if all == sweep.points.len() && all > 1 => format!("all {all} points"),
        number => format!("{} ({}{more})", count(number, "point"), numbers.join(", ")),
    };
    Some(format!(
        "The repetitions of {points} are identical but for their seeds: no random number affects these runs, so further \
         repetitions add nothing, and their n, SD and intervals say nothing about chance."
    ))
}
