//! Resimulation: the way of a host to a state other than that of its present simulation.
//!
//! A jump or an undo runs on a second simulation, in slices. When the second simulation has reached the target, it
//! replaces the first one. A seek forward runs on the present simulation.

use std::sync::Arc;

use swarmarium_base::problem::Problems;
use swarmarium_core::state::Snapshot;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::{Edit, LoggedEdit};
use swarmarium_simulation::simulation::Simulation;

use super::Host;
use super::apart::{Seat, to_be_restored};
use crate::timeline::ledger::Ledger;
use crate::timeline::{Branch, BranchId, Moment};

/// The largest number of agents of a simulation that is kept for reuse.
const MOST_SPARE_AGENTS: usize = 100_000;

/// The progress of a resimulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Number of steps done.
    pub done: u64,
    /// Number of steps in total.
    pub steps: u64,
    /// Its purpose, in words.
    pub label: String,
}

/// A simulation that is kept for reuse, and the scene and recipe that it was made from.
pub(super) struct Spare {
    simulation: Simulation,
    start: Arc<Scene>,
}

/// The purpose of a resimulation.
pub(super) enum Purpose {
    /// Changes of the present branch were undone or redone: its states differ from the start of a step on.
    Changes {
        /// That step.
        first: u64,
        /// The keyframes on the way.
        keyframes: Vec<(u64, Snapshot)>,
    },
    /// Another moment is to be shown.
    Jump,
}

/// A resimulation in progress.
pub(super) struct Resimulation {
    pub(super) seat: Seat,
    pub(super) branch: BranchId,
    pub(super) purpose: Purpose,
    /// The edits to apply, by their indices in the ledger, and the number applied.
    due: Vec<usize>,
    next: usize,
    /// The edits that are no longer valid.
    pub(super) skipped: Vec<usize>,
    /// The first and the last step of the resimulation, both at their ends.
    pub(super) from: u64,
    to: u64,
    /// The last step whose edits are applied. After the last step of a branch, the edits of the next one are applied,
    /// too.
    last_edits: u64,
    label: String,
}

/// A seek forward of the present simulation.
pub(super) struct Forward {
    from: u64,
    to: u64,
}

impl Resimulation {
    /// Applies the edits of the next step.
    fn apply_due(&mut self, ledger: &Ledger) {
        let Seat::Here(simulation) = &mut self.seat else { return };
        let next_step = (simulation.steps() + 1).min(self.last_edits);
        let due = self.due.iter().skip(self.next).map_while(|place| Some((*place, ledger.edit(*place)?)));
        let due = due.take_while(|(_, logged)| logged.step <= next_step);
        let (places, edits): (Vec<usize>, Vec<LoggedEdit>) = due.map(|(place, logged)| (place, logged.clone())).unzip();
        self.next += places.len();
        let done = edits.chunk_by(LoggedEdit::goes_with).flat_map(|run| simulation.replay_run(run));
        self.skipped.extend(places.into_iter().zip(done).filter(|(_, done)| done.is_err()).map(|(place, _)| place));
    }

    fn is_there(&self) -> bool {
        self.seat.steps() >= self.to
    }
}

/// The time scale after the edits of a log.
pub(super) fn scale_of(start: &Scene, log: &[LoggedEdit]) -> f64 {
    let scale = |logged: &LoggedEdit| if let Edit::TimeScale { scale } = logged.edit { Some(scale) } else { None };
    log.iter().rev().find_map(scale).unwrap_or(start.time.scale)
}

impl Host {
    /// The progress of a resimulation after an undo, a redo or a seek; `None` if there is none.
    ///
    /// During a resimulation, [`advance`](Self::advance) continues it instead of running steps; edits wait for its end.
    pub fn resimulate(&self) -> Option<Progress> {
        if let Some(Forward { from, to }) = self.forward {
            let label = format!("Going to step {to}");
            return Some(Progress { done: self.simulation.steps() - from, steps: to - from, label });
        }
        let Resimulation { seat, from, to, label, .. } = self.resimulation.as_ref()?;
        Some(Progress { done: seat.steps() - from, steps: to - from, label: label.clone() })
    }

    /// The moment that becomes the present one at the end of the resimulation; `None` without one, or for an undo.
    pub fn target(&self) -> Option<Moment> {
        match (&self.forward, &self.resimulation) {
            (Some(Forward { to, .. }), _) => Some(Moment { step: *to, ..self.moment() }),
            (None, Some(Resimulation { branch, to, purpose: Purpose::Jump, .. })) => {
                Some(Moment { branch: *branch, step: *to })
            }
            _ => None,
        }
    }

    /// Whether the present simulation is seeking forward to a later moment of its branch.
    pub fn is_seeking_forward(&self) -> bool {
        self.forward.is_some()
    }

    /// Whether a resimulation or a long step is in progress, for whose end edits wait.
    pub(super) fn is_resimulating(&self) -> bool {
        self.resimulation.is_some() || self.forward.is_some() || self.live.is_some()
    }

    /// Cancels an undo, a redo or a seek that is still resimulated, and a long step: the run stays as it is. A seek forward
    /// ends at the step that it has reached.
    pub fn cancel_resimulation(&mut self) {
        self.next_seek = None;
        let (was_forward, was_long) = (self.end_forward(), self.live.take().is_some());
        if let Some(resimulation) = self.resimulation.take() {
            if let Purpose::Changes { .. } = resimulation.purpose {
                self.timeline.present_mut().ledger.revert();
            }
            self.keep_spare_of(resimulation.seat, resimulation.branch);
        } else if !was_forward && !was_long {
            return;
        }
        self.make_up();
    }

    /// Ends a seek forward at the step that it has reached. Returns whether there was one.
    pub(super) fn end_forward(&mut self) -> bool {
        let was_forward = self.forward.take().is_some();
        self.swaps += u64::from(was_forward);
        was_forward
    }

    /// Continues the resimulation as far as the budget allows; `on_step` is called after each step of it.
    pub fn continue_resimulation(&mut self, mut budget: impl FnMut() -> bool, mut on_step: impl FnMut(&Simulation)) {
        loop {
            if let Some(Forward { to, .. }) = self.forward {
                if self.simulation.steps() >= to {
                    return self.finish_forward();
                }
                if !self.runs_live_apart() {
                    self.do_step(&mut on_step);
                } else if self.run_apart(&mut on_step) == 0 {
                    return;
                }
            } else {
                let runs_apart = match &self.resimulation {
                    Some(Resimulation { seat: Seat::Here(simulation), .. }) => self.runs_apart(simulation.count()),
                    _ => false,
                };
                let Some(resimulation) = &mut self.resimulation else { return };
                let Some(branch) = self.timeline.branch(resimulation.branch) else {
                    self.resimulation = None;
                    return self.make_up();
                };
                let step_s = if let Seat::Away(work, _) = &resimulation.seat {
                    let Some(stepped) = work.poll() else { return };
                    resimulation.seat = Seat::Here(stepped.simulation);
                    Some(stepped.step_s)
                } else {
                    None
                };
                if step_s.is_none() {
                    resimulation.apply_due(&branch.ledger);
                }
                let is_there = resimulation.is_there();
                let Seat::Here(simulation) = &mut resimulation.seat else { return };
                match step_s {
                    Some(step_s) => {
                        on_step(simulation);
                        let agents = simulation.count();
                        self.note_cost(step_s, agents);
                    }
                    None if is_there => {
                        simulation.flush_edits();
                        return self.finish_resimulation();
                    }
                    None if runs_apart => return self.lend_resimulation(),
                    None => {
                        let (began_s, agents) = ((self.wall.steady_s)(), simulation.count());
                        simulation.step(1);
                        let step_s = (self.wall.steady_s)() - began_s;
                        on_step(simulation);
                        self.note_cost(step_s, agents);
                    }
                }
                self.keep_on_way();
            }
            if !budget() {
                return;
            }
        }
    }

    /// Lends the simulation of the resimulation to a thread for a long step.
    fn lend_resimulation(&mut self) {
        let Some(mut resimulation) = self.resimulation.take() else { return };
        if let Seat::Here(simulation) = resimulation.seat {
            resimulation.seat = self.lend(simulation);
        }
        self.resimulation = Some(resimulation);
    }

    /// Keeps a keyframe of the simulation that is moving to another state, if one is due.
    fn keep_on_way(&mut self) {
        let Some(Resimulation { seat: Seat::Here(simulation), branch, purpose, to, .. }) = &mut self.resimulation
        else {
            return;
        };
        let (step, keyframes) = (simulation.steps(), &mut self.timeline.keyframes);
        match purpose {
            Purpose::Changes { keyframes: kept, .. } => {
                if keyframes.is_due_on_way(step, *to) {
                    kept.push((step, simulation.keyframe()));
                }
            }
            Purpose::Jump => {
                if !keyframes.is_due_on_way(step, *to) {
                    return;
                }
                let owner = self.timeline.owner(Moment { branch: *branch, step });
                if !self.timeline.keyframes.has(owner.branch, step) {
                    self.timeline.keyframes.keep(owner.branch, step, simulation.keyframe());
                }
            }
        }
    }

    /// Begins a seek of the present simulation forward to the end of a step.
    pub(super) fn begin_forward(&mut self, to: u64) {
        self.forward = Some(Forward { from: self.simulation.steps(), to });
    }

    fn finish_forward(&mut self) {
        self.forward = None;
        self.on_simulation_replaced();
        self.make_up();
    }

    /// Begins the resimulation of a branch up to the end of a step, from the last keyframe before another step.
    ///
    /// # Errors
    /// If its simulation cannot be made.
    pub(super) fn begin_resimulation(
        &mut self,
        (branch, to): (BranchId, u64),
        before: u64,
        purpose: Purpose,
        label: String,
    ) -> Result<(), Problems> {
        let Some(of) = self.timeline.branch(branch) else { return Ok(()) };
        let (start, epoch_s, end) = (of.shared_start().clone(), of.epoch_s, of.end());
        let keyframe = self.timeline.keyframe_before(Moment { branch, step: before });
        let keyframe = keyframe.map(|(step, snapshot)| (step, snapshot.clone()));
        let mut simulation = self.simulation_of(&start, keyframe.is_none())?;
        simulation.begin_at(epoch_s);
        let Some(of) = self.timeline.branch(branch) else { return Ok(()) };
        let is_for_changes = matches!(purpose, Purpose::Changes { .. });
        let ledger = &of.ledger;
        let from = match &keyframe {
            Some((from, snapshot)) => {
                let log = if is_for_changes { ledger.log_until(*from) } else { ledger.applied_until(*from) };
                restore(&mut simulation, &start, snapshot, log)?;
                *from
            }
            None => 0,
        };
        let due = if is_for_changes { ledger.due_after(from) } else { ledger.applied_after(from) };
        let last_edits = if is_for_changes || to >= end { to + 1 } else { to };
        self.resimulation = Some(Resimulation {
            seat: Seat::Here(Box::new(simulation)),
            branch,
            purpose,
            due,
            next: 0,
            skipped: Vec::new(),
            from,
            to,
            last_edits,
            label,
        });
        if from == to {
            self.continue_resimulation(|| false, |_| {});
        }
        Ok(())
    }

    /// A simulation of a scene: the spare one, or a new one. With `at_start`, it is at its start; otherwise a snapshot must
    /// be restored into it.
    pub(super) fn simulation_of(&mut self, start: &Arc<Scene>, at_start: bool) -> Result<Simulation, Problems> {
        match self.spare.take().filter(|spare| Arc::ptr_eq(&spare.start, start)) {
            Some(Spare { mut simulation, .. }) => {
                if at_start {
                    simulation.restart(start)?;
                }
                Ok(simulation)
            }
            None if at_start => Simulation::with_workers(start, &self.recipe, (self.workers)()),
            None => to_be_restored(start, &self.recipe, (self.workers)()),
        }
    }

    /// Takes the spare simulation, if it is one of this start.
    pub(super) fn spare_of(&mut self, start: &Arc<Scene>) -> Option<Simulation> {
        let spare = self.spare.take_if(|spare| Arc::ptr_eq(&spare.start, start))?;
        Some(spare.simulation)
    }

    /// Keeps the simulation of a resimulation for reuse; a thread that has it drops it.
    pub(super) fn keep_spare_of(&mut self, seat: Seat, branch: BranchId) {
        if let Seat::Here(simulation) = seat {
            self.keep_spare(*simulation, branch);
        }
    }

    /// Keeps a simulation of a branch for reuse.
    pub(super) fn keep_spare(&mut self, simulation: Simulation, branch: BranchId) {
        let start = self.timeline.branch(branch).map(Branch::shared_start).cloned();
        self.spare = start.filter(|_| simulation.count() <= MOST_SPARE_AGENTS).map(|start| Spare { simulation, start });
    }

    fn finish_resimulation(&mut self) {
        let Some(Resimulation { seat: Seat::Here(simulation), branch, purpose, skipped, from, to, .. }) =
            self.resimulation.take()
        else {
            return;
        };
        let left = self.timeline.present().id();
        let is_for_changes = matches!(purpose, Purpose::Changes { .. });
        match purpose {
            Purpose::Changes { first, keyframes } => {
                let skipped = self.timeline.present_mut().ledger.confirm(from, &skipped);
                if skipped > 0 {
                    let later =
                        if skipped == 1 { "1 later edit makes".into() } else { format!("{skipped} later edits make") };
                    self.notes.push(format!("{later} no sense without it, and is left out"));
                }
                self.timeline.rewrite(first);
                for (step, snapshot) in keyframes.into_iter().filter(|(step, _)| *step >= first) {
                    self.timeline.keyframes.keep(branch, step, snapshot);
                }
            }
            Purpose::Jump => {
                if left != branch {
                    self.park();
                    self.timeline.switch_to(branch);
                    self.carried = std::mem::take(&mut self.timeline.present_mut().carried);
                }
                let Moment { branch, step } = self.timeline.owner(Moment { branch, step: to });
                self.timeline.keyframes.move_playhead(branch, step);
            }
        }
        let before = std::mem::replace(&mut self.simulation, *simulation);
        self.keep_spare(before, left);
        if is_for_changes {
            self.follow_edits();
        }
        self.on_simulation_replaced();
        if let Some(step) = self.next_seek.take()
            && let Err(error) = self.seek(step)
        {
            self.notes.push(error.to_string());
        }
        if !self.is_resimulating() {
            self.make_up();
        }
    }

    /// Handles the replacement of the present simulation. The clock keeps its time scale.
    pub(super) fn on_simulation_replaced(&mut self) {
        self.swaps += 1;
        self.ended = self.stops && self.simulation.is_at_end();
        self.seen_scale = self.simulation.time_scale();
    }

    /// The number of times that another state replaced the present one: by undo, redo and seek.
    pub fn swaps(&self) -> u64 {
        self.swaps
    }
}

/// Restores a snapshot with the log that led to it.
pub(super) fn restore(
    simulation: &mut Simulation,
    start: &Scene,
    snapshot: &Snapshot,
    log: Vec<LoggedEdit>,
) -> Result<(), Problems> {
    let scale = scale_of(start, &log);
    let restored = simulation.go_back_to(snapshot, log, scale);
    restored.map_err(|error| Problems::of_file("snapshot", error.to_string()))
}
