//! Where agents have been: what their trails are drawn from.
//!
//! It is a record that no result depends on. It lives in the simulation, so that every host draws the same trails, and
//! so that they go back with a snapshot; it is there only when a group has trails. However long a trail is, it has few
//! points.

use std::collections::{BTreeMap, VecDeque};

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Displacement, Member, Pose};
use crate::clock::rate;
use crate::history::RegisterState as _;
use crate::id::StableId;
use crate::scene::Scene;
use crate::scene::description::Look;
use crate::scene::spawn::Description;
use crate::step::{SimStep, SimTime, Step};

pub(crate) fn plugin(app: &mut App) {
    app.register_record::<Trails>();
    app.add_systems(SimStep, follow.in_set(Step::Publish).run_if(resource_exists::<Trails>));
}

/// The most points of a trail.
const MOST: u64 = 256;
/// An agent that is farther than this (m) from where its displacement has led was put there.
const JUMP_M: f64 = 1e-6;

/// The trails of agents.
#[derive(Resource, Clone, Debug, Default)]
pub struct Trails(BTreeMap<StableId, Trail>);

#[derive(Clone, Debug, Default)]
struct Trail {
    /// The oldest first.
    points: VecDeque<Mark>,
    /// Where the agent is.
    head_m: DVec2,
    /// How many steps it reaches back, and the last step.
    steps: u64,
    now: u64,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    at_m: DVec2,
    step: u64,
    /// Whether the agent was put here, and did not come from the point before.
    is_start: bool,
}

impl Trails {
    /// Keeps trails from now on, if a group of the scene has some.
    pub(crate) fn start(world: &mut World, scene: &Scene) {
        if scene.groups.iter().any(|group| group.look.trail_s > 0.0) {
            world.init_resource::<Self>();
        }
    }

    /// The trail of an agent up to where it is shown, in pieces without jumps: points with their age, from 1 to 0.
    ///
    /// That is where it is, or on its way there from the step before.
    pub fn pieces_of(&self, agent: EntityRef, shown_m: DVec2) -> Vec<Vec<(DVec2, f64)>> {
        let Some(trail) = agent.get::<StableId>().and_then(|id| self.0.get(id)) else { return Vec::new() };
        let mut pieces: Vec<Vec<(DVec2, f64)>> = Vec::new();
        for Mark { at_m, step, is_start } in &trail.points {
            let point = (*at_m, (trail.now - step) as f64 / trail.steps.max(1) as f64);
            match pieces.last_mut() {
                Some(piece) if !is_start => piece.push(point),
                _ => pieces.push(vec![point]),
            }
        }
        // Between two steps an edit may have put it elsewhere.
        let is_there = agent.get::<Pose>().is_some_and(|pose| pose.position_m == trail.head_m);
        if let Some(piece) = pieces.last_mut().filter(|_| is_there) {
            let ends_ahead = trail.points.back().is_some_and(|mark| mark.step == trail.now && mark.at_m != shown_m);
            if ends_ahead {
                piece.pop();
            }
            piece.push((shown_m, 0.0));
        }
        pieces
    }
}

impl Trail {
    fn follow(&mut self, position_m: DVec2, displacement_m: DVec2, steps: u64, now: u64) {
        let is_start = self.points.is_empty() || (position_m - displacement_m).distance(self.head_m) > JUMP_M;
        (self.head_m, self.steps, self.now) = (position_m, steps, now);
        if is_start || now.is_multiple_of(steps.div_ceil(MOST).max(1)) {
            self.points.push_back(Mark { at_m: position_m, step: now, is_start });
        }
        while self.points.front().is_some_and(|point| point.step + steps < now) {
            self.points.pop_front();
        }
    }
}

fn follow(
    mut trails: ResMut<Trails>,
    time: Res<SimTime>,
    scene: Res<Description>,
    agents: Query<(&StableId, &Member, &Pose, &Displacement)>,
) {
    let groups = &scene.scene().groups;
    for (id, member, pose, moved) in &agents {
        let Some(Look { trail_s, .. }) = groups.get(member.group as usize).map(|group| &group.look) else { continue };
        if *trail_s > 0.0 {
            let steps = rate::steps(*trail_s, time.dt_s).max(1);
            trails.0.entry(*id).or_default().follow(pose.position_m, moved.0, steps, time.step);
        } else {
            trails.0.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(steps: u64, trail: u64, speed: f64) -> Trail {
        let mut walked = Trail::default();
        let moved = DVec2::new(speed, 0.0);
        (1..=steps).for_each(|step| walked.follow(moved * step as f64, moved, trail, step));
        walked
    }

    #[test]
    fn a_trail_is_as_long_as_it_should_be_and_has_few_points() {
        let short = walked(100, 10, 0.1);
        assert_eq!((short.points.len(), short.points[0].step), (11, 90));
        let long = walked(100_000, 50_000, 0.1);
        assert!(long.points.len() as u64 <= MOST + 1 && long.points[0].step <= 50_200);
        assert!(long.points.iter().skip(1).all(|point| !point.is_start));
    }

    #[test]
    fn a_jump_begins_a_new_piece() {
        let mut trail = walked(10, 100, 0.1);
        trail.follow(DVec2::new(7.0, 7.0), DVec2::new(0.1, 0.0), 100, 11);
        let starts: Vec<u64> = trail.points.iter().filter(|point| point.is_start).map(|point| point.step).collect();
        assert_eq!(starts, [1, 11]);
    }
}
