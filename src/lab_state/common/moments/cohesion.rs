//! The cohesion of the swarm: whether most robots are connected by short distances.
//!
//! It is observed for scenes without the metric `LargestComponent`, whose range the user chooses.

use bevy::math::DVec2;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::Space;

/// Two robots are connected if their centres are within this multiple of the mean diameter of the robots. Lengths of a body
/// fit scenes of every scale.
pub const BODY_LENGTHS: f64 = 5.0;

/// A swarm in one part comes apart only beyond this multiple of that distance, so that robots near it make no moments.
const LOOSE: f64 = 1.25;

/// The share of the robots in the largest part from which on the swarm is in one part.
const WHOLE: f64 = 0.9;

/// The share of the robots in the largest part below which the swarm has split.
const APART: f64 = 0.75;

/// The largest number of observed robots: for more, the search takes too long.
pub const MOST_ROBOTS: usize = 300;

/// Time between two observations, in simulated seconds.
const EVERY_S: f64 = 0.1;

/// A change of the cohesion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whether the swarm is in one part now, or has split.
    pub is_whole: bool,
    /// The number of robots in the largest part.
    pub largest: u64,
    /// The number of robots.
    pub all: u64,
}

/// The cohesion of the swarm in the last observed step.
#[derive(Clone, Debug, Default)]
pub struct Cohesion {
    /// Whether the swarm is in one part; `None` before the first observation.
    is_whole: Option<bool>,
    /// As `is_whole`, at the first observation.
    first: Option<bool>,
    /// The number of robots in the last observed step; `None` after a jump.
    robots: Option<usize>,
    /// The robots that the search has seen, and those whose neighbours it still visits; kept for their memory.
    seen: Vec<bool>,
    open: Vec<usize>,
}

impl Cohesion {
    /// Observes a step. Returns the change, if there is one.
    ///
    /// Added and removed robots are not a change of the cohesion.
    pub fn observe(&mut self, simulation: &Simulation) -> Option<Change> {
        let every = ((EVERY_S / simulation.time().dt_s).round() as u64).max(1);
        if !simulation.steps().is_multiple_of(every) {
            return None;
        }
        let space = simulation.space();
        let robots = space.bodies.owners().len();
        let is_same = self.robots.replace(robots).is_none_or(|before| before == robots);
        if !(2..=MOST_ROBOTS).contains(&robots) {
            self.is_whole = None;
            return None;
        }
        let range_m = BODY_LENGTHS * mean_diameter_m(space, robots);
        let known = self.is_whole.filter(|_| is_same);
        let largest = self.largest(space, robots, if known == Some(true) { LOOSE * range_m } else { range_m });
        let share = largest as f64 / robots as f64;
        let is_whole = match known {
            Some(true) => share >= APART,
            _ => share >= WHOLE,
        };
        self.is_whole = Some(is_whole);
        self.first = self.first.or(self.is_whole);
        let has_changed = known.is_some_and(|before| before != is_whole);
        has_changed.then_some(Change { is_whole, largest: largest as u64, all: robots as u64 })
    }

    /// Goes back to a step after which the swarm was in one part, or not; `None` before the first change.
    pub fn go_back(&mut self, is_whole: Option<bool>) {
        (self.is_whole, self.robots) = (is_whole.or(self.first), None);
    }

    /// Returns the number of robots in the largest part.
    fn largest(&mut self, space: &Space, robots: usize, range_m: f64) -> usize {
        let positions = space.bodies.positions();
        self.seen.clear();
        self.seen.resize(robots, false);
        let (seen, open) = (&mut self.seen, &mut self.open);
        let mut largest = 0;
        for start in 0..robots {
            // The rest cannot be larger.
            if seen[start] || 2 * largest >= robots {
                continue;
            }
            seen[start] = true;
            open.push(start);
            let mut size = 0;
            while let Some(row) = open.pop() {
                size += 1;
                let at: DVec2 = positions[row];
                space.index().centers_within_range(at, range_m, Some(row), |other| {
                    if other.row < robots && !std::mem::replace(&mut seen[other.row], true) {
                        open.push(other.row);
                    }
                });
            }
            largest = largest.max(size);
        }
        largest
    }
}

/// Returns the mean diameter of the robots.
fn mean_diameter_m(space: &Space, robots: usize) -> f64 {
    let radii = space.bodies.radii().iter().take(robots);
    2.0 * radii.sum::<f64>() / robots as f64
}
