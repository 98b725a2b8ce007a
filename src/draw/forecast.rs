//! A forecast: the next part of the paths of robots, from a simulation that runs ahead of the present one.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::math::direction;
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::Form;

use crate::{Past, TrailLength, trails};

/// The next part of the paths of all robots.
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    /// The step at whose end the paths begin, and the last observed step.
    steps: [u64; 2],
    paths: Past,
    length: TrailLength,
    ends: Vec<End>,
}

/// A robot at the end of its path.
#[derive(Clone, Copy, Debug)]
struct End {
    number: u32,
    at_m: DVec2,
    heading_rad: f64,
    radius_m: f64,
    color: Role,
}

impl Forecast {
    /// Begins at the present moment of a simulation that runs ahead, for a number of simulated seconds.
    pub fn begin(world: &World, duration_s: f64) -> Self {
        let step = world.arena().time.step;
        let length = TrailLength::Seconds(duration_s);
        let mut forecast = Self { steps: [step; 2], paths: Past::for_world(world), length, ends: Vec::new() };
        // Paths begin with the present positions.
        forecast.paths.observe(world, length);
        forecast
    }

    /// Records the step that was just done.
    pub fn observe(&mut self, world: &World) {
        self.steps[1] = world.arena().time.step;
        self.paths.observe(world, self.length);
    }

    /// Records the robots at the end of the paths.
    pub fn conclude(&mut self, world: &World) {
        let bodies = &world.arena().space.bodies;
        let end = |row: usize| {
            Some(End {
                number: bodies.owners().get(row)?.number,
                at_m: *bodies.positions().get(row)?,
                heading_rad: *bodies.headings().get(row)?,
                radius_m: *bodies.radii().get(row)?,
                color: trails::color_of_row(world, row)?,
            })
        };
        self.ends = (0..bodies.len()).filter_map(end).collect();
    }

    /// The simulated steps of the forecast.
    pub fn steps(&self) -> u64 {
        self.steps[1] - self.steps[0]
    }

    /// The step at whose end the paths begin.
    pub fn from_step(&self) -> u64 {
        self.steps[0]
    }

    /// The path of a robot in pieces without jumps: points with their time, from 0 to 1. With a present step and position,
    /// the path begins there.
    pub fn pieces_of(&self, number: u32, now: Option<(u64, DVec2)>) -> Vec<Vec<(DVec2, f64)>> {
        let Some(trail) = self.paths.trail_of(number) else { return Vec::new() };
        let time = |step: u64| step.saturating_sub(self.steps[0]) as f64 / self.steps().max(1) as f64;
        let mut pieces: Vec<Vec<(DVec2, f64)>> = now.iter().map(|(step, at_m)| vec![(*at_m, time(*step))]).collect();
        // The last point is stored only if it is due.
        let last = Some(&trail.head).filter(|head| trail.marks.back().is_some_and(|mark| mark.step < head.step));
        for mark in trail.marks.iter().chain(last).filter(|mark| now.is_none_or(|(step, _)| mark.step > step)) {
            let point = (mark.at_m, time(mark.step));
            match pieces.last_mut() {
                Some(piece) if !mark.is_start => piece.push(point),
                _ => pieces.push(vec![point]),
            }
        }
        pieces
    }

    /// Draws the paths from the present positions of the robots on, which `position_m` gives by number, as dashed lines
    /// with a ring and a heading at their ends.
    pub(crate) fn draw(&self, step: u64, position_m: impl Fn(u32) -> Option<DVec2>, picture: &mut Picture) {
        let pen = Width::Pixels(trails::WIDTH_PX).dashed();
        // A forecast from the start does not begin at the present positions.
        let is_present = (self.steps[0]..=self.steps[1]).contains(&step);
        for end in &self.ends {
            let now = position_m(end.number).filter(|_| is_present).map(|at_m| (step, at_m));
            for piece in self.pieces_of(end.number, now) {
                trails::fading(&piece, end.color, pen, picture);
            }
            draw_end(end, picture);
        }
    }
}

/// Draws a robot at the end of its path: a ring with its heading.
fn draw_end(end: &End, picture: &mut Picture) {
    let (paint, width) = (trails::paint(end.color, trails::SHADES / 2), Width::Pixels(trails::WIDTH_PX));
    let rim = Form::Disc { center: end.at_m, radius: end.radius_m };
    picture.form(Layer::Trails, paint, &rim, Some(width));
    let tip_m = end.at_m + direction(end.heading_rad) * end.radius_m;
    picture.segment(Layer::Trails, paint, [end.at_m, tip_m], width);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A robot that goes along x by 1 m per step, from step 10 on, and jumps before step 16.
    fn forecast() -> Forecast {
        let mut trail = swarmarium_core::agent::trail::Trail::default();
        let length = swarmarium_core::agent::trail::Length::Steps(10);
        let at = |step: u64| DVec2::new(step as f64 + if step > 15 { 100.0 } else { 0.0 }, 0.0);
        (10..=20).for_each(|step| trail.follow((at(step), DVec2::X), step, length, 256.0));
        Forecast { steps: [10, 20], paths: Past::of_trails(vec![(3, trail)]), ..Forecast::default() }
    }

    #[test]
    fn a_path_begins_at_the_present_and_breaks_at_a_jump() {
        let forecast = forecast();
        let [before, after] = &forecast.pieces_of(3, None)[..] else { panic!() };
        assert_eq!((before.len(), after.len()), (6, 5));
        assert_eq!((before[0], after[4]), ((DVec2::new(10.0, 0.0), 0.0), (DVec2::new(120.0, 0.0), 1.0)));
        let [before, after] = &forecast.pieces_of(3, Some((13, DVec2::new(13.5, 0.0))))[..] else { panic!() };
        let places: Vec<f64> = before.iter().map(|(at_m, _)| at_m.x).collect();
        assert_eq!(places, [13.5, 14.0, 15.0], "the part that has passed is left out");
        assert_eq!(after.len(), 5);
        assert!(forecast.pieces_of(4, None).is_empty());
    }
}
