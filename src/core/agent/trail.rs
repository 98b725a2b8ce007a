//! Trails: past positions of agents.
//!
//! No result depends on trails. Trails of groups are stored in the simulation, so that every host draws the same trails
//! and snapshots contain them; they exist only if a group of the scene has a trail. A trail has a limited number of
//! points, whatever its length.

use std::collections::{BTreeMap, VecDeque};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;

use super::Pose;
use crate::state::Record;
use crate::time::rate;

/// Approximate limit of the points of a trail; with many jumps, up to twice as many.
pub const POINTS: f64 = 256.0;
/// A robot at a larger distance (m) from its displaced position was teleported.
const JUMP_M: f64 = 1e-6;

/// The trails of agents.
#[derive(Clone, Debug, Default)]
pub struct Trails(BTreeMap<StableId, Trail>);

impl Record for Trails {
    fn heap_bytes(&self) -> usize {
        let of = |trail: &Trail| size_of::<(StableId, Trail)>() + trail.marks.capacity() * size_of::<Mark>();
        self.0.values().map(of).sum()
    }
}

/// Past positions of a robot.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// Points, oldest first.
    pub marks: VecDeque<Mark>,
    /// Current point of the robot.
    pub head: Mark,
    length: Length,
}

/// A point of a trail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// The position (m).
    pub at_m: DVec2,
    /// The step at which the robot was there.
    pub step: u64,
    /// Length of the path up to here (m).
    pub way_m: f64,
    /// Whether the robot was teleported here, so that no line leads to the previous point.
    pub is_start: bool,
}

/// Length of a trail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// Number of steps, at least one.
    Steps(u64),
    /// Length of the path (m), above 0.
    Meters(f64),
}

impl Default for Length {
    fn default() -> Self {
        Self::Steps(1)
    }
}

impl Length {
    /// A duration in seconds, rounded to steps.
    pub fn seconds(time_s: f64, dt_s: f64) -> Self {
        Self::Steps(rate::steps(time_s, dt_s).max(1))
    }

    /// The part of the length between two points, the older one first: 1 for all of it.
    fn part(self, from: &Mark, to: &Mark) -> f64 {
        match self {
            Self::Steps(steps) => (to.step - from.step) as f64 / steps as f64,
            Self::Meters(length_m) => (to.way_m - from.way_m) / length_m,
        }
    }

    /// Whether a point is stored, for a limit of `points`.
    fn is_due(self, last: &Mark, now: &Mark, points: f64) -> bool {
        match self {
            // At the same steps for all trails, whenever they began.
            Self::Steps(steps) => now.step.is_multiple_of((steps as f64 / points).ceil() as u64),
            // Rounding must not delay a point by a step.
            Self::Meters(_) => self.part(last, now) >= (1.0 - 1e-9) / points,
        }
    }
}

impl Trail {
    /// Extends the trail to the position of a robot at the end of a step. The robot arrived by a displacement, or was
    /// teleported. The trail has at most about `points` points, with many jumps up to twice as many.
    pub fn follow(&mut self, (at_m, moved_m): (DVec2, DVec2), step: u64, length: Length, points: f64) {
        if !at_m.is_finite() {
            return;
        }
        // After a gap of some steps, the trail continues from the last point.
        let is_next = step == self.head.step + 1;
        let has_jumped = is_next && (at_m - moved_m).distance(self.head.at_m) > JUMP_M;
        let is_start = self.marks.is_empty() || has_jumped;
        let way_m = self.head.way_m + if is_start { 0.0 } else { moved_m.length() };
        (self.head, self.length) = (Mark { at_m, step, way_m, is_start }, length);
        if is_start || self.marks.back().is_none_or(|last| length.is_due(last, &self.head, points)) {
            self.marks.push_back(self.head);
        }
        let is_over = |first: &Mark| length.part(first, &self.head) > 1.0;
        while self.marks.len() as f64 > 2.0 * points
            || (self.marks.len() > 1 && self.marks.front().is_some_and(is_over))
        {
            self.marks.pop_front();
        }
    }

    /// Pieces of the trail without jumps, for a robot at `pose_m` that is drawn at `shown_m`: there, or on its way from
    /// the step before. Points have an age from 1 to 0.
    pub fn pieces(&self, pose_m: DVec2, shown_m: DVec2) -> Vec<Vec<(DVec2, f64)>> {
        let mut pieces: Vec<Vec<(DVec2, f64)>> = Vec::new();
        for mark in &self.marks {
            let point = (mark.at_m, self.length.part(mark, &self.head).clamp(0.0, 1.0));
            match pieces.last_mut() {
                Some(piece) if !mark.is_start => piece.push(point),
                _ => pieces.push(vec![point]),
            }
        }
        // An edit between two steps may have moved the robot.
        if let Some(piece) = pieces.last_mut().filter(|_| pose_m == self.head.at_m) {
            let ends_ahead = self.marks.back().is_some_and(|mark| mark.step == self.head.step && mark.at_m != shown_m);
            if ends_ahead {
                piece.pop();
            }
            piece.push((shown_m, 0.0));
        }
        pieces
    }
}

impl Trails {
    /// The trail of an agent, which begins if it has none.
    pub fn begun(&mut self, id: StableId) -> &mut Trail {
        self.0.entry(id).or_default()
    }

    /// Removes the trail of an agent.
    pub fn remove(&mut self, id: StableId) {
        self.0.remove(&id);
    }

    /// The size in bytes of a trail of full length without jumps.
    pub fn bytes_of_one(length: Length) -> usize {
        let marks = match length {
            Length::Steps(steps) => steps.min(POINTS as u64) as usize,
            Length::Meters(_) => POINTS as usize,
        };
        // The memory of a list doubles when the list grows.
        size_of::<(StableId, Trail)>() + (marks + 2).next_power_of_two() * size_of::<Mark>()
    }

    /// The trail of an agent up to its drawn position, in pieces without jumps: points with their age, from 1 to 0.
    ///
    /// The drawn position is that of the agent, or on its way there from the step before.
    pub fn pieces_of(&self, agent: EntityRef, shown_m: DVec2) -> Vec<Vec<(DVec2, f64)>> {
        let trail = agent.get::<StableId>().and_then(|id| self.0.get(id));
        trail.zip(agent.get::<Pose>()).map_or_else(Vec::new, |(trail, pose)| trail.pieces(pose.position_m, shown_m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(steps: u64, trail: u64, speed: f64) -> Trail {
        let mut walked = Trail::default();
        let moved = DVec2::new(speed, 0.0);
        let length = Length::Steps(trail);
        (1..=steps).for_each(|step| walked.follow((moved * step as f64, moved), step, length, POINTS));
        walked
    }

    #[test]
    fn a_trail_keeps_its_length_with_few_points() {
        let short = walked(100, 10, 0.1);
        assert_eq!(short.marks.len(), 11);
        assert_eq!(short.marks[0].step, 90);
        let long = walked(100_000, 50_000, 0.1);
        assert!(long.marks.len() as f64 <= POINTS + 1.0 && long.marks[0].step <= 50_200);
        assert!(long.marks.iter().skip(1).all(|mark| !mark.is_start));
    }

    #[test]
    fn a_jump_starts_a_new_piece_of_a_trail() {
        let mut trail = walked(10, 100, 0.1);
        trail.follow((DVec2::new(7.0, 7.0), DVec2::new(0.1, 0.0)), 11, Length::Steps(100), POINTS);
        let starts: Vec<u64> = trail.marks.iter().filter(|mark| mark.is_start).map(|mark| mark.step).collect();
        assert_eq!(starts, [1, 11]);
    }

    #[test]
    fn trails_have_points_at_the_same_steps_for_any_start() {
        let (mut trail, moved) = (Trail::default(), DVec2::new(0.1, 0.0));
        let length = Length::Steps(2 * POINTS as u64);
        (7..=12).for_each(|step| trail.follow((moved * step as f64, moved), step, length, POINTS));
        let steps: Vec<u64> = trail.marks.iter().map(|mark| mark.step).collect();
        assert_eq!(steps, [7, 8, 10, 12]);
    }

    #[test]
    fn a_trail_of_metres_is_as_long_whatever_the_speed() {
        for speed in [0.001, 0.01, 0.1] {
            let (mut trail, moved) = (Trail::default(), DVec2::new(speed, 0.0));
            let walk = |step: u64| trail.follow((moved * step as f64, moved), step, Length::Meters(1.0), POINTS);
            (1..=3000).for_each(walk);
            let way_m = trail.head.way_m - trail.marks[0].way_m;
            assert!(way_m <= 1.0 && way_m > 0.89, "{way_m}");
            assert!(trail.marks.len() as f64 <= POINTS + 2.0);
        }
    }
}
