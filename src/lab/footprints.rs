//! The past that the view draws, at another moment: the trails of robots and how long they were where.
//!
//! Both are no part of the state, so they are rebuilt by resimulation. The occupancy needs a run from its start; maps of it are
//! kept on the way, to go on from there.

use std::collections::BTreeMap;

use swarmarium_core::draw::occupancy::Occupancy;
use swarmarium_core::draw::{Overlay, Past, TrailLength, View};
use swarmarium_core::simulation::Simulation;
use swarmarium_core::timeline::{Moment, Timeline};

/// The most maps of the occupancy that are kept; with more, their spacing doubles.
const MOST: usize = 128;
/// The first spacing of these maps, in steps.
const FIRST_SPACING: u64 = 64;
/// The steps that are simulated again for trails whose length is in metres.
const STEPS_OF_METERS: u64 = 2048;

/// Whether trails of all robots are drawn.
fn shows_trails(view: &View) -> bool {
    view.overlays.shows(Overlay::Trails) && view.overlays.shows(Overlay::AllTrails)
}

fn shows_occupancy(view: &View) -> bool {
    view.overlays.shows(Overlay::Occupancy)
}

/// The number of steps that a trail reaches back.
fn trail_steps(view: &View, dt_s: f64) -> u64 {
    match view.trail.within_reason() {
        TrailLength::Seconds(time_s) => (time_s / dt_s).ceil() as u64,
        TrailLength::Meters(_) => STEPS_OF_METERS,
    }
}

/// Maps of the occupancy of all branches, at some steps on the way.
#[derive(Debug)]
pub struct Occupancies {
    /// By the number of the branch, and the step.
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

    /// Forgets what came on a branch after a step: from there on it is another one.
    pub fn go_back(&mut self, branch: u64, step: u64) {
        self.kept.retain(|(of, at), _| *of != branch || *at <= step);
    }

    /// The last map at or before a moment, on its branch or on one that it left.
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

/// What is seen of a run that is simulated again.
#[derive(Debug, Default)]
pub struct Footprints {
    /// The step to begin after, and the occupancy until there; `None` where nothing is to be seen.
    begins: Option<(u64, Option<Occupancy>)>,
    past: Option<Past>,
}

impl Footprints {
    /// What there is to see on the way to a moment, for a view.
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

    /// What there is to see of a branch that is another one after a step.
    pub fn after(branch: u64, step: u64, view: &View, known: &Occupancies) -> Self {
        if !shows_trails(view) && !shows_occupancy(view) {
            return Self::default();
        }
        Self { begins: Some((step, known.kept.get(&(branch, step)).cloned())), past: None }
    }

    /// The step after which all steps are to be seen; `None` where that does not matter.
    pub fn begin_after(&self) -> Option<u64> {
        self.begins.as_ref().map(|(step, _)| *step)
    }

    /// Whether nothing is to be seen, and nothing was.
    pub fn is_empty(&self) -> bool {
        self.begins.is_none() && self.past.is_none()
    }

    /// Takes note of a step that was done again.
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

    /// What was seen so far.
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// The past to be drawn with the simulation when it is there.
    pub fn into_past(self, simulation: &Simulation, view: &View) -> Past {
        let step = simulation.steps();
        let occupancy = self.begins.and_then(|(at, occupancy)| occupancy.filter(|_| at == step));
        let mut past = self.past.unwrap_or_else(|| Past::after(simulation.world(), step, occupancy));
        past.show_trails(view.overlays.shows(Overlay::AllTrails));
        past
    }
}

/// Whether the view draws more of the past than was seen.
pub fn lacks_past(past: &Past, view: &View, dt_s: f64) -> bool {
    let Some(step) = past.last_step() else { return false };
    let lacks_trails = past.trails_from() > step.saturating_sub(trail_steps(view, dt_s));
    (shows_trails(view) && lacks_trails) || (shows_occupancy(view) && past.whole_occupancy().is_none())
}
