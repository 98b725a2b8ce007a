//! Measures proximity along a fan of short rays.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, SkipIfEmpty, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::range_limits::{Nothing, RangeLimits};
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint, in_direction};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::{Hit, Space, Target};

use super::fan_rad;

/// Casts rays from the edge of the body; each reads how near the first robot, obstacle or wall is.
///
/// The rays divide the fan into equal parts, each ray in the centre of its part: 24 rays all round point to 7.5°, 22.5°
/// and so on.
#[kind(Copy, section = "Distance", words = "distance, obstacle, avoid, near, whisker, bumper")]
pub struct Proximity {
    /// Number of rays in the fan.
    #[reflect(@Limits::between(1.0, 4096.0))]
    #[default(8)]
    pub rays: u32,
    /// Length of the rays beyond the edge of the body.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.1)]
    pub range_m: f64,
    /// Start of the fan, anticlockwise from the heading.
    #[reflect(@Limits::between(-TAU, TAU))]
    pub from_rad: f64,
    /// Opening angle of the fan, anticlockwise.
    #[reflect(@Limits::between(0.0, TAU))]
    #[default(TAU)]
    pub span_rad: f64,
    /// Reading as a function of the distance d from the edge of the body, in metres. `Linear`: 1 − d / `range_m`, and 0
    /// without a hit. `Binary`: 1 for a hit, else 0. `Distance`: d; without a hit as `limits.nothing` says.
    /// `Inverse(scale_m, offset_m)`: `scale_m` / (d + `offset_m`), at most 1, and 0 without a hit, as for infrared
    /// light (ARGoS foot-bot).
    pub response: Response,
    /// Readings of things that are too near and, with `response: Distance`, of nothing.
    #[reflect(@SkipIfEmpty)]
    pub limits: RangeLimits,
}

/// The reading of a ray as a function of the distance.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Response {
    /// Falls linearly from 1 at the edge of the body to 0 at the range and beyond.
    #[default]
    Linear,
    /// 1 for a hit, else 0.
    Binary,
    /// The distance itself, in metres; the range without a hit.
    Distance,
    /// `scale_m / (distance + offset_m)`, at most 1, as for infrared light; 0 without a hit (ARGoS foot-bot).
    Inverse {
        /// Sum of distance and offset below which the reading is 1.
        #[reflect(@Limits::up_to(MAX_LENGTH_M))]
        scale_m: f64,
        /// Added to the distance.
        #[reflect(@Limits::up_to(MAX_LENGTH_M))]
        offset_m: f64,
    },
}

impl Response {
    /// The reading for a distance in metres.
    pub fn reading(self, distance_m: f64, range_m: f64) -> f64 {
        match self {
            Self::Linear => (1.0 - distance_m / range_m).clamp(0.0, 1.0),
            Self::Binary => 1.0,
            Self::Distance => distance_m,
            Self::Inverse { scale_m, offset_m } => (scale_m / (distance_m + offset_m)).min(1.0),
        }
    }

    /// The distance (m) of a hit with a reading, from 0 to the range. A binary reading has no distance: the result is the range.
    fn distance_m(self, reading: f64, range_m: f64) -> f64 {
        let distance_m = match self {
            Self::Linear => (1.0 - reading) * range_m,
            Self::Binary => range_m,
            Self::Distance => reading,
            Self::Inverse { scale_m, offset_m } => scale_m / reading - offset_m,
        };
        // Noise can make a reading 0, or not a number.
        if distance_m >= 0.0 { distance_m.min(range_m) } else { 0.0 }
    }

    /// The reading without a hit.
    pub fn without_hit(self, range_m: f64) -> f64 {
        match self {
            Self::Distance => range_m,
            Self::Linear | Self::Binary | Self::Inverse { .. } => 0.0,
        }
    }
}

impl Proximity {
    /// The reading without a hit.
    fn nothing(&self) -> f64 {
        match self.response {
            Response::Distance => self.limits.nothing(self.range_m),
            response => response.without_hit(self.range_m),
        }
    }

    /// Keeps readings of things that are nearer than the smallest distance at that of the smallest distance.
    fn keep_in_limits(&self, reading: &mut [f64]) {
        if self.response == Response::Distance {
            return self.limits.raise(reading, self.range_m);
        }
        // All other responses fall with the distance.
        let most = self.response.reading(self.limits.min_range_m, self.range_m);
        reading.iter_mut().for_each(|reading| *reading = reading.min(most));
    }

    /// The bearings of the rays, anticlockwise from the heading, in radians.
    fn bearings_rad(&self) -> impl Iterator<Item = f64> {
        fan_rad(self.rays, self.from_rad, self.span_rad)
    }
}

impl Sensor for Proximity {
    /// The directions of the rays, in the frame of the body.
    type Prepared = Vec<DVec2>;
    type Memory = NoMemory;

    fn prepare(&self) -> Vec<DVec2> {
        self.bearings_rad().map(direction).collect()
    }

    fn channels(&self) -> usize {
        self.rays as usize
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let bearing_rad = self.bearings_rad().nth(channel).unwrap_or_default();
        let unit = if self.response == Response::Distance { "m" } else { "" };
        (in_direction("Ray", channel, bearing_rad), unit)
    }

    fn gauge(&self) -> Gauge {
        Gauge::Rays {
            bearings_rad: self.bearings_rad().collect(),
            blocked: self.response.reading(0.0, self.range_m),
            free: self.response.without_hit(self.range_m),
        }
    }

    fn blank(&self, reading: &mut [f64]) {
        reading.fill(self.nothing());
    }

    fn problem(&self) -> Option<String> {
        let is_distance = self.response == Response::Distance;
        let misfit = (!is_distance && self.limits.nothing != Nothing::Range).then(|| {
            format!(
                "`nothing: {:?}` needs `response: Distance`: other responses read 0 of nothing",
                self.limits.nothing
            )
        });
        misfit.or_else(|| self.limits.problem(self.range_m))
    }

    fn noise_bounds(&self, _: usize) -> NoiseBounds {
        match self.response {
            Response::Distance => self.limits.noise_bounds(self.range_m),
            Response::Linear | Response::Binary | Response::Inverse { .. } => {
                NoiseBounds::Within { low: 0.0, high: 1.0, nothing: None }
            }
        }
    }

    fn near_m(&self) -> f64 {
        self.range_m
    }

    fn read(&self, rays: &Vec<DVec2>, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, around, .. } = from;
        let (facing, radius) = (space.bodies.facings()[row], space.bodies.radii()[row]);
        let nothing = self.nothing();
        if !space.look_around(space.bodies.positions()[row], radius + self.range_m, Some(row), around) {
            reading.fill(nothing);
            return;
        }
        for (value, ray) in reading.iter_mut().zip(rays) {
            let hit = around.cast(facing.rotate(*ray), radius, self.range_m);
            *value = hit.map_or(nothing, |hit| self.response.reading(hit.distance, self.range_m));
        }
        if self.limits.min_range_m > 0.0 {
            self.keep_in_limits(reading);
        }
    }

    fn sees(&self, rays: &Vec<DVec2>, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        let Viewpoint { space, row, around, .. } = from;
        let (facing, radius) = (space.bodies.facings()[row], space.bodies.radii()[row]);
        space.look_around(space.bodies.positions()[row], radius + self.range_m, Some(row), around);
        let hits = rays.iter().filter_map(|ray| around.cast(facing.rotate(*ray), radius, self.range_m));
        // Robots first, as they can be told apart.
        let is_body = |hit: &Hit| matches!(hit.target, Target::Body(_));
        let order = |a: &Hit, b: &Hit| is_body(b).cmp(&is_body(a)).then(a.distance.total_cmp(&b.distance));
        hits.min_by(order).map(|hit| hit.target)
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        // Shorter rays are not visible.
        if self.range_m * picture.pixels_per_m < 2.0 {
            return;
        }
        let (center, heading, radius) =
            (space.bodies.positions()[row], space.bodies.headings()[row], space.bodies.radii()[row]);
        let nothing = self.nothing();
        for (bearing, value) in self.bearings_rad().zip(reading) {
            let ray = direction(heading + bearing);
            let detects = *value != nothing;
            // A ray ends at the object that it hits.
            let length_m = if detects { self.response.distance_m(*value, self.range_m) } else { self.range_m };
            let ends = [center + radius * ray, center + (radius + length_m) * ray];
            Mark { detects }.segment(ends, picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use swarmarium_space::Boundary;

    use super::*;
    use crate::sensor::tests::{read, space_with};

    /// Four rays: ahead left, behind left, behind right, ahead right, each at 45° to the heading.
    const FOUR: Proximity = Proximity {
        rays: 4,
        range_m: 1.0,
        from_rad: 0.0,
        span_rad: TAU,
        response: Response::Distance,
        limits: RangeLimits::USUAL,
    };

    #[test]
    fn proximity_reads_robots_obstacles_and_walls_from_the_edge() {
        let eye = DVec2::splat(5.0);
        let ahead_left = eye + direction(PI / 4.0);
        let mut space = space_with(Boundary::Walls, &[(eye, 0.1), (ahead_left, 0.2)]);
        let reading = read(&FOUR, &space);
        assert!((reading[0] - 0.7).abs() < 1e-12, "{reading:?}");
        assert_eq!(reading[1..], [1.0; 3]);

        space.solids.add_disc(eye + direction(3.0 * PI / 4.0), 0.5).unwrap();
        let reading = read(&FOUR, &space);
        assert!((reading[1] - 0.4).abs() < 1e-12, "{reading:?}");

        let near_wall = space_with(Boundary::Walls, &[(DVec2::new(5.0, 9.5), 0.1)]);
        let reading = read(&FOUR, &near_wall);
        let expected = 0.5 * 2.0_f64.sqrt() - 0.1;
        assert!((reading[0] - expected).abs() < 1e-12 && (reading[1] - expected).abs() < 1e-12, "{reading:?}");
        assert_eq!(read(&FOUR, &space_with(Boundary::Open, &[(DVec2::new(5.0, 9.5), 0.1)])), [1.0; 4]);
    }

    #[test]
    fn proximity_readings_have_limits() {
        let eye = DVec2::splat(5.0);
        let space = space_with(Boundary::Open, &[(eye, 0.1), (eye + direction(PI / 4.0), 0.7)]);
        let near = |response, nothing| {
            let limits = RangeLimits { min_range_m: 0.5, nothing };
            read(&Proximity { response, limits, ..FOUR }, &space)[..2].to_vec()
        };
        // The robot ahead to the left is 0.2 m away.
        assert_eq!(near(Response::Distance, Nothing::Range), [0.5, 1.0]);
        assert_eq!(near(Response::Distance, Nothing::Infinity), [0.5, f64::INFINITY]);
        assert_eq!(near(Response::Distance, Nothing::Zero), [0.5, 0.0]);
        assert_eq!(near(Response::Linear, Nothing::Range), [0.5, 0.0]);
        assert_eq!(near(Response::Binary, Nothing::Range), [1.0, 0.0]);
        assert_eq!(near(Response::Inverse { scale_m: 0.1, offset_m: 0.0 }, Nothing::Range), [0.2, 0.0]);
        let limits = RangeLimits { min_range_m: 0.0, nothing: Nothing::Infinity };
        let wrong = Proximity { response: Response::Linear, limits, ..FOUR };
        assert!(wrong.problem().unwrap().starts_with("`nothing: Infinity` needs `response: Distance`"));
    }

    #[test]
    fn proximity_responses_are_limited() {
        let foot_bot = Response::Inverse { scale_m: 0.010_052_7, offset_m: 0.000_163_144 };
        assert_eq!(foot_bot.reading(0.0, 0.1), 1.0);
        assert!((foot_bot.reading(0.009_889_556, 0.1) - 1.0).abs() < 1e-9);
        assert!((foot_bot.reading(0.1, 0.1) - 0.100_363).abs() < 1e-6);
        assert_eq!(Response::Linear.reading(0.0, 0.1), 1.0);
        assert_eq!(Response::Linear.reading(0.1, 0.1), 0.0);
        assert_eq!(Response::Binary.reading(0.05, 0.1), 1.0);
    }

    #[test]
    fn distances_follow_from_readings() {
        let foot_bot = Response::Inverse { scale_m: 0.010_052_7, offset_m: 0.000_163_144 };
        for response in [Response::Linear, Response::Distance, foot_bot] {
            for distance_m in [0.02, 0.05, 0.1] {
                let back_m = response.distance_m(response.reading(distance_m, 0.1), 0.1);
                assert!((back_m - distance_m).abs() < 1e-12, "{response:?}: {distance_m} m, {back_m} m");
            }
            for reading in [-1.0, 0.0, 1e-9, f64::NAN, f64::INFINITY] {
                let drawn_m = response.distance_m(reading, 0.1);
                assert!((0.0..=0.1).contains(&drawn_m), "{response:?}: {reading}, {drawn_m} m");
            }
        }
        assert_eq!(Response::Binary.distance_m(1.0, 0.1), 0.1);
    }

    #[test]
    fn a_proximity_ring_points_between_its_sectors() {
        let ring = Proximity { rays: 24, ..Proximity::default() };
        let bearings: Vec<f64> = ring.bearings_rad().map(f64::to_degrees).collect();
        assert!((bearings[0] - 7.5).abs() < 1e-12 && (bearings[23] - 352.5).abs() < 1e-12);
    }
}
