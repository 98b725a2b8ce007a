//! Infrared distance sensors on the rim of a robot, each with a cone of view.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_NUMBER};
use swarmarium_base::math::{exp, ln};
use swarmarium_picture::Picture;
use swarmarium_space::{Beam, Space, Target};

use super::range_limits::RangeLimits;
use super::{Gauge, Mark, Sensor, Viewpoint, in_direction};
use crate::agent::placement::Placement;
use crate::kind::{SearchWords, kind};
use crate::noise::NoiseBounds;
use crate::state::NoMemory;

/// Infrared distance sensors with cones of view, such as those of the Khepera III and the QuickBot.
///
/// Each sensor finds the nearest robot, obstacle or wall in its cone; `infrared_model` of the scene selects the method.
/// The response of the sensor turns the distance into a raw reading, and the raw reading back into a distance, which
/// differs slightly from the true one. The reading has one number for each of the `mounts`: a distance in metres or a raw
/// reading, as `reads` says.
#[kind(section = "Distance", words = "ir, distance, obstacle, range, khepera")]
pub struct Infrared {
    /// Position and direction of each sensor on the robot.
    pub mounts: Vec<Placement>,
    /// Smallest distance that is measured; smaller distances read the same.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.02)]
    pub min_range_m: f64,
    /// Range of each sensor.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.2)]
    pub range_m: f64,
    /// Opening angle of each cone, from edge to edge.
    #[reflect(@Limits::between(0.0, TAU))]
    #[default(0.35)]
    pub cone_rad: f64,
    /// Conversion between distances and raw readings.
    pub response: Response,
    /// Quantity of the readings.
    pub reads: Reads,
}

/// Quantity of infrared readings.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Reads {
    /// The distance that corresponds to the raw reading, in metres.
    #[default]
    Distance,
    /// The raw reading of the converter, without a unit.
    Raw,
}

/// Conversion of a distance into a raw reading and back.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Response {
    /// The raw reading is the distance in metres, from `min_range_m` to `range_m`.
    #[default]
    Linear,
    /// `full · exp(−falloff (distance − min_range))`, `full` below `min_range_m`, and 0 if nothing is in range.
    /// Inverse: `(ln(1 + full) − ln(1 + raw)) / falloff + min_range`, from `min_range_m` to `range_m` (pySimiam,
    /// Khepera III).
    Exponential {
        /// The raw reading at `min_range_m`.
        #[reflect(@Limits::up_to(MAX_NUMBER))]
        full: f64,
        /// Rate of the exponential decrease, per metre.
        #[reflect(@Limits::up_to(MAX_NUMBER))]
        falloff_per_m: f64,
    },
    /// One polynomial for the raw reading, another one for the inverse (pySimiam, QuickBot).
    Polynomial {
        /// The raw reading below `min_range_m`.
        #[reflect(@Limits::between(-MAX_NUMBER, MAX_NUMBER))]
        near: f64,
        /// The raw reading beyond `range_m`.
        #[reflect(@Limits::between(-MAX_NUMBER, MAX_NUMBER))]
        far: f64,
        /// Coefficients of the raw reading as a function of the distance in metres, from the highest power down.
        #[reflect(@Limits::between(-MAX_NUMBER, MAX_NUMBER))]
        raw: Vec<f64>,
        /// Coefficients of the distance in metres as a function of the raw reading, from the highest power down.
        #[reflect(@Limits::between(-MAX_NUMBER, MAX_NUMBER))]
        distance_m: Vec<f64>,
    },
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

impl Infrared {
    /// The distance (m) that corresponds to a reading of one of the sensors.
    pub fn distance_m(&self, reading: f64) -> f64 {
        match self.reads {
            Reads::Distance => reading,
            Reads::Raw => self.distance_of_raw(reading),
        }
    }

    /// The reading at a distance (m), which is infinite if nothing is in range.
    pub fn reading(&self, distance_m: f64) -> f64 {
        let raw = self.raw(distance_m);
        match self.reads {
            Reads::Distance => self.distance_of_raw(raw),
            Reads::Raw => raw,
        }
    }

    fn raw(&self, distance_m: f64) -> f64 {
        let Self { min_range_m, range_m, response, .. } = self;
        match response {
            Response::Linear => RangeLimits::USUAL.from_m(*min_range_m).reading(Some(distance_m), *range_m),
            Response::Exponential { full, falloff_per_m } => {
                full * exp(-falloff_per_m * (distance_m - min_range_m).max(0.0))
            }
            Response::Polynomial { near, .. } if distance_m < *min_range_m => *near,
            Response::Polynomial { far, .. } if distance_m > *range_m => *far,
            Response::Polynomial { raw, .. } => polynomial(raw, distance_m),
        }
    }

    fn distance_of_raw(&self, raw: f64) -> f64 {
        let Self { min_range_m, range_m, response, .. } = self;
        match response {
            Response::Linear => raw,
            Response::Exponential { full, falloff_per_m } => {
                // Negative readings, which noise can cause, count as 0.
                let distance_m = (ln(1.0 + full) - ln(1.0 + raw.max(0.0))) / falloff_per_m + min_range_m;
                distance_m.max(*min_range_m).min(*range_m)
            }
            Response::Polynomial { distance_m, .. } => polynomial(distance_m, raw),
        }
    }
}

/// The cones of infrared sensors.
pub struct Cones {
    beams: Vec<Beam>,
    /// Largest distance (m) from the centre of the robot at which anything is visible.
    reach_m: f64,
    /// The reading of an empty cone.
    nothing: f64,
}

impl Sensor for Infrared {
    type Prepared = Cones;
    type Memory = NoMemory;

    fn prepare(&self) -> Cones {
        let beam = |eye: &Placement| {
            Beam::new(DVec2::new(eye.x_m, eye.y_m), eye.heading_rad, self.cone_rad / 2.0, self.range_m)
        };
        let beams: Vec<Beam> = self.mounts.iter().map(beam).collect();
        Cones { beams, reach_m: self.near_m(), nothing: self.reading(f64::INFINITY) }
    }

    fn channels(&self) -> usize {
        self.mounts.len()
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let bearing_rad = self.mounts.get(channel).map_or(0.0, |eye| eye.heading_rad);
        let unit = if self.reads == Reads::Distance { "m" } else { "" };
        (in_direction("Sensor", channel, bearing_rad), unit)
    }

    fn gauge(&self) -> Gauge {
        Gauge::Rays {
            bearings_rad: self.mounts.iter().map(|eye| eye.heading_rad).collect(),
            blocked: self.reading(0.0),
            free: self.reading(f64::INFINITY),
        }
    }

    fn near_m(&self) -> f64 {
        let tips_m = self.mounts.iter().map(|eye| DVec2::new(eye.x_m, eye.y_m).length());
        self.range_m + tips_m.fold(0.0, f64::max)
    }

    fn problem(&self) -> Option<String> {
        let Self { min_range_m, range_m, .. } = self;
        if min_range_m >= range_m {
            return Some(format!("`min_range_m` must be below `range_m` ({range_m}), found {min_range_m}"));
        }
        let Response::Polynomial { raw, distance_m, .. } = &self.response else { return None };
        let empty = [("raw", raw), ("distance_m", distance_m)].into_iter().find(|(_, terms)| terms.is_empty());
        empty.map(|(name, _)| format!("`{name}` of the polynomial has no coefficients: give at least one"))
    }

    /// Distances stay in the range of the sensor. Raw readings of a polynomial can be any.
    fn noise_bounds(&self, _: usize) -> NoiseBounds {
        let (low, high) = (self.min_range_m, self.range_m);
        let nothing = self.reading(f64::INFINITY);
        match (&self.response, self.reads) {
            (Response::Linear, _) => RangeLimits::USUAL.from_m(low).noise_bounds(high),
            (Response::Exponential { .. }, Reads::Distance) => {
                NoiseBounds::Within { low, high, nothing: Some(nothing) }
            }
            (Response::Exponential { full, .. }, Reads::Raw) => {
                NoiseBounds::Within { low: 0.0, high: *full, nothing: None }
            }
            (Response::Polynomial { .. }, Reads::Distance) => {
                // The polynomial of the distance need not meet the ends of the range.
                let high = high.max(nothing).max(self.reading(high));
                NoiseBounds::Within { low: 0.0, high, nothing: Some(nothing) }
            }
            (Response::Polynomial { .. }, Reads::Raw) => NoiseBounds::Free,
        }
    }

    /// A distance of 0 is a meaningful reading.
    fn blank(&self, reading: &mut [f64]) {
        reading.fill(self.reading(f64::INFINITY));
    }

    fn read(&self, cones: &Cones, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, around, .. } = from;
        if !space.gather(row, cones.reach_m, around) {
            reading.fill(cones.nothing);
            return;
        }
        for (value, beam) in reading.iter_mut().zip(&cones.beams) {
            let found = space.nearest_in_beam(row, beam, around);
            *value = found.map_or(cones.nothing, |(distance_m, _)| self.reading(distance_m));
        }
    }

    fn sees(&self, cones: &Cones, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        let Viewpoint { space, row, around, .. } = from;
        space.gather(row, cones.reach_m, around);
        let found = cones.beams.iter().filter_map(|beam| space.nearest_in_beam(row, beam, around));
        // Robots first, because they can be identified.
        let is_body = |target: Target| matches!(target, Target::Body(_));
        let order = |(near, one): &(f64, Target), (far, other): &(f64, Target)| {
            is_body(*other).cmp(&is_body(*one)).then(near.total_cmp(far))
        };
        found.min_by(order).map(|(_, target)| target)
    }

    /// Each cone is as long as its reading.
    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        // Shorter cones are not distinguishable.
        if self.range_m * picture.pixels_per_m < 2.0 {
            return;
        }
        let (middle, facing) = (space.bodies.positions()[row], space.bodies.facings()[row]);
        let nothing_m = self.distance_m(self.reading(f64::INFINITY));
        for (eye, value) in self.mounts.iter().zip(reading) {
            let center = middle + facing.rotate(DVec2::new(eye.x_m, eye.y_m));
            let bearing = space.bodies.headings()[row] + eye.heading_rad;
            let distance_m = self.distance_m(*value);
            let mark = Mark { detects: distance_m < nothing_m };
            let radius_m = if mark.detects { distance_m.max(0.0) } else { self.range_m };
            mark.sector(center, radius_m, [bearing - self.cone_rad / 2.0, bearing + self.cone_rad / 2.0], picture);
        }
    }
}
