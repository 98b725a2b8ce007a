//! Trails: where agents came from, remembered by whoever looks and never by the simulation.

use std::collections::{BTreeMap, VecDeque};

use bevy::math::DVec2;

use super::{Layer, Picture, Role, Shape, Width};
use crate::id::StableId;
use crate::simulation::Simulation;

/// Points of a trail, whatever its length: long trails cost no more than short ones.
const POINTS: u64 = 64;
/// A trail fades in so many pieces.
const PIECES: usize = 4;
/// Opacity of the newest piece.
const NEWEST: f32 = 0.6;

/// The trails of all agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Trails {
    length_s: f64,
    paths: BTreeMap<StableId, Path>,
}

/// Where one agent was, the oldest place first; a place that it came to by a leap begins a new line.
#[derive(Clone, Debug, Default, PartialEq)]
struct Path {
    group: u32,
    places: VecDeque<Place>,
    last: DVec2,
    has_leapt: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    step: u64,
    at: DVec2,
    after_leap: bool,
}

impl Trails {
    /// Trails of this length in simulated seconds.
    pub fn new(length_s: f64) -> Self {
        Self { length_s, paths: BTreeMap::new() }
    }

    /// Remembers where everybody is. To be called at every step, so that leaps are seen.
    pub fn observe(&mut self, simulation: &Simulation) {
        let time = simulation.time();
        let steps = (self.length_s / time.dt_s).ceil() as u64;
        let spacing = steps.div_ceil(POINTS).max(1);
        let mut gone = std::mem::take(&mut self.paths);
        for agent in simulation.agents() {
            let (at, moved) = (agent.pose.position_m, agent.displacement_m());
            let mut path = gone.remove(&agent.id).unwrap_or(Path { last: at, ..Path::default() });
            path.group = agent.member.group;
            // Who came from elsewhere than it moved was put there, or left on one side and entered on the other.
            path.has_leapt |= (at - moved - path.last).length() > 1e-6 * (1.0 + at.length());
            path.last = at;
            if time.step.is_multiple_of(spacing) || path.has_leapt {
                path.places.push_back(Place { step: time.step, at, after_leap: path.has_leapt });
                path.has_leapt = false;
            }
            while path.places.front().is_some_and(|place| place.step + steps < time.step) {
                path.places.pop_front();
            }
            self.paths.insert(agent.id, path);
        }
    }

    /// Draws all trails, up to where agents were at the end of a step.
    pub fn draw(&self, picture: &mut Picture) {
        for path in self.paths.values() {
            let Some(newest) = path.places.back() else { continue };
            let here = Place { at: path.last, after_leap: path.has_leapt, ..*newest };
            let places: Vec<Place> = path.places.iter().copied().chain([here]).collect();
            let piece = places.len().div_ceil(PIECES).max(1);
            for (index, start) in (0..places.len()).step_by(piece).enumerate() {
                // A piece begins where the one before ends.
                let end = (start + piece + 1).min(places.len());
                let opacity = NEWEST * (index + 1) as f32 / PIECES as f32;
                for line in places[start..end].chunk_by(|_, next| !next.after_leap).filter(|line| line.len() > 1) {
                    let points = line.iter().map(|place| place.at).collect();
                    let shape = Shape::Line { points, closed: false, width: Width::Pixels(1.5) };
                    picture.add(Layer::Trails, Role::Group(path.group).faint(opacity), shape);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::constant::Constant;
    use crate::edit::Edit;
    use crate::prelude::{Group, Open, Placement, Scene};

    fn driving() -> Simulation {
        let group = Group {
            name: "one".into(),
            at: vec![Placement::default()],
            controller: Open::new(Constant { v_m_per_s: 1.0, ..Constant::default() }),
            ..Group::default()
        };
        Simulation::new(&Scene { groups: vec![group], ..Scene::default() }).unwrap()
    }

    fn lines(trails: &Trails) -> Vec<Vec<DVec2>> {
        let mut picture = Picture::default();
        trails.draw(&mut picture);
        let points = |item: super::super::Item| match item.shape {
            Shape::Line { points, .. } => points,
            _ => Vec::new(),
        };
        picture.items.into_iter().map(points).collect()
    }

    #[test]
    fn a_trail_has_its_length_and_no_more_points_than_it_may() {
        let mut simulation = driving();
        let mut trails = Trails::new(10.0);
        for _ in 0..2_000 {
            simulation.step(1);
            trails.observe(&simulation);
        }
        let lines = lines(&trails);
        let (first, last) = (lines[0][0], *lines[lines.len() - 1].last().unwrap());
        assert!(((last - first).length() - 10.0).abs() < 0.2, "{first} {last}");
        assert!(lines.iter().map(Vec::len).sum::<usize>() <= POINTS as usize + 2 * PIECES);
    }

    #[test]
    fn a_trail_does_not_cross_a_leap() {
        let mut simulation = driving();
        let mut trails = Trails::new(1.0);
        for step in 0..20 {
            if step == 10 {
                simulation.apply(Edit::Move { agent: 0, x_m: 5.0, y_m: 5.0, heading_rad: 0.0 }).unwrap();
            }
            simulation.step(1);
            trails.observe(&simulation);
        }
        let longest = lines(&trails)
            .into_iter()
            .flat_map(|line| line.windows(2).map(|pair| (pair[1] - pair[0]).length()).collect::<Vec<_>>());
        assert!(longest.fold(0.0, f64::max) < 0.1);
    }
}
