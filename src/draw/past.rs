//! The past: trails and occupancy, as the host of a simulation records them to draw them.
//!
//! A window or a recorder observes the simulation after each step, so no result can depend on this record. The more
//! robots there are, the fewer points a trail has, and trails are recorded only while they are shown.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::agent::trail::{Length, POINTS, Trail};
use swarmarium_core::step::HasArena as _;

use crate::TrailLength;
use crate::occupancy::Occupancy;

/// The smallest number of points of a trail, and the budget of points of all trails together, which larger swarms
/// exceed only with the smallest number.
const FEWEST: f64 = 16.0;
const ALL: f64 = 400_000.0;

/// The record of a run that its host keeps.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// The last observed step.
    pub step: Option<u64>,
    /// The numbers of the robots.
    numbers: Vec<u32>,
    /// The trails of the robots, in the order of their numbers.
    pub trails: Vec<Trail>,
    /// The step at whose end the trails begin.
    trails_from: u64,
    /// Whether trails are hidden.
    is_hidden: bool,
    /// The time of robots in each cell of the arena.
    pub occupancy: Occupancy,
}

impl Past {
    /// Creates an empty record for the world of a simulation.
    pub fn for_world(world: &World) -> Self {
        let space = &world.arena().space;
        Self { occupancy: Occupancy::new(&space.arena), ..Self::default() }
    }

    /// The last observed step; `None` before the first one.
    pub fn last_step(&self) -> Option<u64> {
        self.step
    }

    /// Sets whether trails are shown. Trails begin when they are shown, since recording them takes time in each step.
    pub fn show_trails(&mut self, are_shown: bool) {
        self.is_hidden = !are_shown;
    }

    /// Continues from the end of a step with the occupancy counted up to it; trails begin there.
    pub fn after(world: &World, step: u64, occupancy: Option<Occupancy>) -> Self {
        let mut past = Self { step: Some(step), trails_from: step, ..Self::for_world(world) };
        match occupancy {
            Some(occupancy) => past.occupancy = occupancy,
            None => past.occupancy.begin(step as f64 * world.arena().time.dt_s),
        }
        past
    }

    /// The step at whose end the trails begin.
    pub fn trails_from(&self) -> u64 {
        self.trails_from
    }

    /// The occupancy so far, to continue from later; `None` if it was not counted from the start.
    pub fn whole_occupancy(&self) -> Option<&Occupancy> {
        Some(&self.occupancy).filter(|occupancy| occupancy.is_whole())
    }

    /// Records the step that was just done; restarts if time went back.
    pub fn observe(&mut self, world: &World, length: TrailLength) {
        let time = world.arena().time;
        if self.step.is_none_or(|step| step > time.step) {
            *self = Self { is_hidden: self.is_hidden, ..Self::for_world(world) };
            self.trails_from = time.step.saturating_sub(1);
            self.occupancy.begin(self.trails_from as f64 * time.dt_s);
        } else if self.step == Some(time.step) {
            return;
        }
        self.step = Some(time.step);
        let bodies = &world.arena().space.bodies;
        let positions = &bodies.positions()[..bodies.len()];
        self.occupancy.add(positions, time.dt_s);
        if self.is_hidden {
            (self.numbers, self.trails, self.trails_from) = (Vec::new(), Vec::new(), time.step);
            return;
        }
        if !bodies.owners().iter().map(|owner| owner.number).eq(self.numbers.iter().copied()) {
            self.enlist(bodies.owners().iter().map(|owner| owner.number).collect());
        }
        let length = match length.within_reason() {
            TrailLength::Seconds(time_s) => Length::seconds(time_s, time.dt_s),
            TrailLength::Meters(length_m) => Length::Meters(length_m),
        };
        let points = (ALL / positions.len() as f64).clamp(FEWEST, POINTS);
        for ((trail, position), moved) in self.trails.iter_mut().zip(positions).zip(bodies.displacements()) {
            trail.follow((*position, *moved), time.step, length, points);
        }
    }

    /// Adds trails for new robots and drops those of removed ones; both by number.
    fn enlist(&mut self, numbers: Vec<u32>) {
        let mut before = std::mem::take(&mut self.numbers).into_iter().zip(std::mem::take(&mut self.trails)).peekable();
        self.trails = numbers
            .iter()
            .map(|number| {
                while before.next_if(|(known, _)| known < number).is_some() {}
                before.next_if(|(known, _)| known == number).map_or_else(Trail::default, |(_, trail)| trail)
            })
            .collect();
        self.numbers = numbers;
    }

    /// The trail of a robot that is at `pose_m` and shown at `shown_m`, in pieces without jumps: points with their age,
    /// from 1 to 0.
    pub fn pieces_of(&self, number: u32, pose_m: DVec2, shown_m: DVec2) -> Vec<Vec<(DVec2, f64)>> {
        self.trail_of(number).map_or_else(Vec::new, |trail| trail.pieces(pose_m, shown_m))
    }

    /// A record with these trails, by the numbers of their robots.
    #[cfg(test)]
    pub(crate) fn of_trails(trails: Vec<(u32, Trail)>) -> Self {
        let (numbers, trails) = trails.into_iter().unzip();
        Self { numbers, trails, ..Self::default() }
    }

    /// The trail of a robot, by its number.
    pub(crate) fn trail_of(&self, number: u32) -> Option<&Trail> {
        let place = self.numbers.binary_search(&number).ok()?;
        self.trails.get(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spawned_and_removed_agents_leave_other_trails_unchanged() {
        let mut past = Past { numbers: vec![1, 2, 4], trails: vec![Trail::default(); 3], ..Past::default() };
        for (place, trail) in past.trails.iter_mut().enumerate() {
            trail.head.way_m = place as f64;
        }
        past.enlist(vec![0, 2, 3, 4, 7]);
        let ways: Vec<f64> = past.trails.iter().map(|trail| trail.head.way_m).collect();
        assert_eq!(ways, [0.0, 1.0, 0.0, 2.0, 0.0]);
    }
}
