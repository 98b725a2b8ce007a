//! Trails and occupancy at another moment of the run.
//!
//! Neither is part of the state, so resimulation rebuilds them. Occupancy needs the run from its start; intermediate
//! maps are kept to shorten the way.

use std::collections::BTreeMap;

use swarmarium_draw::occupancy::Occupancy;
use swarmarium_draw::{Overlay, Past, TrailLength, View};
use swarmarium_host::timeline::{Moment, Timeline};
use swarmarium_simulation::simulation::Simulation;

/// The largest number of kept maps; when there are more, their spacing doubles.
const MOST: usize = 128;

/// The first spacing of maps, in steps.
const FIRST_SPACING: u64 = 64;

/// The number of steps that are resimulated for trails with a length in metres.
const STEPS_OF_METERS: u64 = 2048;

/// Whether trails of all robots are drawn.
fn shows_trails(view: &View) -> bool {
    view.overlays.shows(Overlay::Trails) && view.overlays.shows(Overlay::AllTrails)
}

fn shows_occupancy(view: &View) -> bool {
    view.overlays.shows(Overlay::Occupancy)
}

/// Returns the length of trails in steps.
fn trail_steps(view: &View, dt_s: f64) -> u64 {
    match view.trail.within_reason() {
        TrailLength::Seconds(time_s) => (time_s / dt_s).ceil() as u64,
        TrailLength::Meters(_) => STEPS_OF_METERS,
    }
}

/// Occupancy maps of all branches at some steps.
#[derive(Debug)]
pub struct Occupancies {
    /// The maps by branch number and step.
    kept: BTreeMap<(u64, u64), Occupancy>,
    spacing: u64,
}

impl Default for Occupancies {
    fn default() -> Self {
        Self { kept: BTreeMap::new(), spacing: FIRST_SPACING }
    }
}

impl Occupancies {
    /// Keeps the map of the present step of a branch, if one is due.
    pub fn note(&mut self, branch: u64, past: &Past) {
        let Some(step) = past.last_step().filter(|step| step.is_multiple_of(self.spacing)) else { return };
        let Some(occupancy) = past.whole_occupancy().filter(|_| !self.kept.contains_key(&(branch, step))) else {
            return;
        };
        self.kept.insert((branch, step), occupancy.clone());
        while self.kept.len() > MOST {
            self.spacing *= 2;
            let spacing = self.spacing;
            self.kept.retain(|(_, step), _| step.is_multiple_of(spacing));
        }
    }

    /// Removes the maps of a branch after a step, from which the branch changes.
    pub fn go_back(&mut self, branch: u64, step: u64) {
        self.kept.retain(|(of, at), _| *of != branch || *at <= step);
    }

    /// Returns the last map at or before a moment, on its branch or on an ancestor.
    fn before(&self, timeline: &Timeline, moment: Moment) -> Option<(u64, &Occupancy)> {
        let mut moment = moment;
        loop {
            let branch = moment.branch.0;
            let own = self.kept.range((branch, 0)..=(branch, moment.step)).next_back();
            let parent = timeline.branch(moment.branch).and_then(|branch| branch.parent());
            match (own, parent) {
                (Some(((_, step), map)), parent) if parent.is_none_or(|parent| *step > parent.step) => {
                    return Some((*step, map));
                }
                (_, Some(parent)) => moment = Moment { step: parent.step.min(moment.step), ..parent },
                (_, None) => return None,
            }
        }
    }
}

/// The trails and occupancy that a resimulation collects.
#[derive(Debug, Default)]
pub struct Footprints {
    /// The step after which collection starts, and the occupancy at that step; `None` if nothing is collected.
    begins: Option<(u64, Option<Occupancy>)>,
    past: Option<Past>,
}

impl Footprints {
    /// Collects the past of a moment for a view.
    pub fn to(moment: Moment, view: &View, dt_s: f64, timeline: &Timeline, known: &Occupancies) -> Self {
        if !shows_trails(view) && !shows_occupancy(view) {
            return Self::default();
        }
        let steps = if shows_trails(view) { trail_steps(view, dt_s) } else { 0 };
        let first = Moment { step: moment.step.saturating_sub(steps), ..moment };
        let begins = match shows_occupancy(view) {
            true => known.before(timeline, first).map_or((0, None), |(step, map)| (step, Some(map.clone()))),
            false => (first.step, None),
        };
        Self { begins: Some(begins), past: None }
    }

    /// Collects the past of a branch that changes after a step.
    pub fn after(branch: u64, step: u64, view: &View, known: &Occupancies) -> Self {
        if !shows_trails(view) && !shows_occupancy(view) {
            return Self::default();
        }
        Self { begins: Some((step, known.kept.get(&(branch, step)).cloned())), past: None }
    }

    /// Returns the step after which every step must be observed; `None` if there is none.
    pub fn begin_after(&self) -> Option<u64> {
        self.begins.as_ref().map(|(step, _)| *step)
    }

    /// Whether nothing is to be collected and nothing was.
    pub fn is_empty(&self) -> bool {
        self.begins.is_none() && self.past.is_none()
    }

    /// Observes a resimulated step.
    pub fn observe(&mut self, simulation: &Simulation, view: &View) {
        let Some((step, occupancy)) = &self.begins else { return };
        if simulation.steps() <= *step {
            return;
        }
        let begin = || {
            let mut past = Past::after(simulation.world(), *step, occupancy.clone());
            past.show_trails(view.overlays.shows(Overlay::AllTrails));
            past
        };
        self.past.get_or_insert_with(begin).observe(simulation.world(), view.trail);
    }

    /// Returns the collected past.
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// Returns the past to draw with a simulation.
    pub fn into_past(self, simulation: &Simulation, view: &View) -> Past {
        let step = simulation.steps();
        let occupancy = self.begins.and_then(|(at, occupancy)| occupancy.filter(|_| at == step));
        let mut past = self.past.unwrap_or_else(|| Past::after(simulation.world(), step, occupancy));
        past.show_trails(view.overlays.shows(Overlay::AllTrails));
        past
    }
}

/// Whether the view draws more of the past than was collected.
pub fn lacks_past(past: &Past, view: &View, dt_s: f64) -> bool {
    let Some(step) = past.last_step() else { return false };
    let lacks_trails = past.trails_from() > step.saturating_sub(trail_steps(view, dt_s));
    (shows_trails(view) && lacks_trails) || (shows_occupancy(view) && past.whole_occupancy().is_none())
}
