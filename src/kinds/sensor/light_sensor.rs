//! Measures the light that arrives from the lights of the scene.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{acos, angle_of, cos, direction, exp};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint, in_direction};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::{Blockers, Space, Surroundings, Target, ThingKind};

use super::fan_rad;

/// Reads the light of all `Light` objects with receptors around the robot (ARGoS `footbot_light`).
///
/// A receptor reads the sum, over the lights, of the intensity at the centre of the robot times the response of the
/// receptor to the direction of the light. The receptors divide the fan into equal parts, each receptor in the centre of
/// its part. A light exactly at the centre of the robot counts as ahead of it.
#[kind(section = "Ground and field", words = "light, lamp, brightness, sun")]
pub struct LightSensor {
    /// Quantities of the reading. `Receptors`: one number for each receptor. `Brightest`: intensity and direction of
    /// the brightest light, anticlockwise from the heading, from −π to π rad; both are 0 without light. `Vector`: sum
    /// of the directions of all lights, each as long as its intensity, ahead and to the left.
    pub reads: LightReading,
    /// Number of receptors.
    #[reflect(@Limits::between(1.0, 4096.0))]
    #[default(8)]
    pub receptors: u32,
    /// Start of the fan, anticlockwise from the heading.
    #[reflect(@Limits::between(-TAU, TAU))]
    pub from_rad: f64,
    /// Opening angle of the fan, anticlockwise.
    #[reflect(@Limits::between(0.0, TAU))]
    #[default(TAU)]
    pub span_rad: f64,
    /// Opening angle of each receptor: light from outside does not count.
    #[reflect(@Limits::between(0.0, TAU))]
    #[default(PI)]
    pub aperture_rad: f64,
    /// Response of a receptor to a light at the angle α from its direction, within its aperture. `Cosine`: cos α, and 0
    /// beyond a right angle. `Uniform`: 1. `Linear`: 1 − α / (π / 2), and 0 from a right angle on (ARGoS foot-bot).
    pub response: DirectionResponse,
    /// Intensity as a function of the distance d in metres, for a light with the intensity I at 1 m.
    /// `InverseSquare(min_distance_m)`: I / d², where distances below `min_distance_m` count as `min_distance_m`.
    /// `Linear(range_m)`: I · (1 − d / `range_m`), and 0 at the range and beyond. `Constant`: I at any distance, as for
    /// the sun. `Exponential(rate_per_m, height_m)`: exp(−`rate_per_m` · √(d² + `height_m`²) / I), and 0 for I = 0;
    /// `height_m` is the height of the lights above the sensor (ARGoS foot-bot).
    pub law: DistanceLaw,
    /// Whether obstacles block the light.
    #[default(true)]
    pub obstacles_hide: bool,
    /// Whether other robots block the light.
    pub robots_hide: bool,
    /// Name of the lights that count; empty for all.
    pub light: String,
    /// Intensity at which a receptor is saturated: readings are divided by it, and at most 1. 0: intensities as they are.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub saturation: f64,
}

/// The numbers of a reading of a light sensor.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum LightReading {
    /// One number for each receptor.
    #[default]
    Receptors,
    /// Intensity and direction of the brightest light in any direction; the first one of equally bright ones. The
    /// direction is anticlockwise from the heading, from −π to π; both are 0 without light.
    Brightest,
    /// Sum of the directions of all lights, each as long as its intensity: ahead, and to the left.
    Vector,
}

/// The response of a receptor to the direction of a light, within its aperture.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum DirectionResponse {
    /// The cosine of the angle between the receptor and the light (Lambert); 0 beyond a right angle.
    #[default]
    Cosine,
    /// 1.
    Uniform,
    /// 1 ahead of the receptor, and in proportion to the angle less to the side; 0 from a right angle on (ARGoS foot-bot).
    Linear,
}

/// The smallest distance of the inverse square law, in metres.
const LEAST_M: f64 = 1e-6;

/// Intensity of a light as a function of the distance. The `intensity` of a `Light` is that at a distance of one metre.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum DistanceLaw {
    /// `intensity / distance²`, with the distance in metres.
    InverseSquare {
        /// Distances below this one count as this one.
        #[reflect(@Limits::up_to(MAX_LENGTH_M))]
        min_distance_m: f64,
    },
    /// `intensity · (1 − distance / range)`; 0 at the range and beyond.
    Linear {
        /// Range of the sensor.
        #[reflect(@Limits::up_to(MAX_LENGTH_M))]
        range_m: f64,
    },
    /// `intensity` at any distance, as for the sun.
    Constant,
    /// `exp(−rate · d / intensity)`, with the distance in space `d = √(distance² + height²)` (ARGoS foot-bot); 0 for a light
    /// without intensity.
    Exponential {
        /// Decrease with the distance, of a light with the intensity 1.
        #[reflect(@Limits::between(0.0, 1e6))]
        rate_per_m: f64,
        /// Height of the lights above the sensor.
        #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
        height_m: f64,
    },
}

impl Default for DistanceLaw {
    fn default() -> Self {
        Self::InverseSquare { min_distance_m: 0.01 }
    }
}

impl DistanceLaw {
    /// The intensity at a distance (m) of a light with this intensity at one metre.
    pub fn intensity(self, at_1_m: f64, distance_m: f64) -> f64 {
        match self {
            Self::InverseSquare { min_distance_m } => at_1_m / distance_m.max(min_distance_m).max(LEAST_M).powi(2),
            Self::Linear { range_m } => at_1_m * (1.0 - distance_m / range_m).max(0.0),
            Self::Constant => at_1_m,
            Self::Exponential { rate_per_m, height_m } if at_1_m > 0.0 => {
                exp(-rate_per_m * DVec2::new(distance_m, height_m).length() / at_1_m)
            }
            Self::Exponential { .. } => 0.0,
        }
    }
}

/// Light that arrives at the centre of a robot.
struct Arriving {
    intensity: f64,
    /// The direction of the light, a unit vector in the frame of the robot.
    bearing: DVec2,
    /// The vector to the light (m), in the frame of the world.
    offset: DVec2,
    /// The place of the light in the scene.
    place: usize,
}

impl LightSensor {
    fn bearings_rad(&self) -> impl Iterator<Item = f64> {
        fan_rad(self.receptors, self.from_rad, self.span_rad)
    }

    /// Visits the light that arrives at the centre of a robot.
    fn visit(&self, space: &Space, row: usize, around: &mut Surroundings, mut visit: impl FnMut(Arriving)) {
        let (eye, facing) = (space.bodies.positions()[row], space.bodies.facings()[row]);
        let blockers = Blockers { bodies: self.robots_hide, solids: self.obstacles_hide };
        for &place in space.lights() {
            let place = place as usize;
            let thing = &space.things[place];
            let ThingKind::Light { intensity } = thing.what else { continue };
            if (!self.light.is_empty() && self.light != thing.name) || thing.row == Some(row) {
                continue;
            }
            let offset = space.arena.offset(eye, thing.position);
            let distance = offset.length();
            let intensity = self.law.intensity(intensity, distance);
            let is_dark = intensity <= 0.0;
            if is_dark || !(blockers.are_none() || space.is_lit(row, (offset, Target::Thing(place)), blockers, around))
            {
                continue;
            }
            // The conjugate of the heading turns back into the frame of the robot.
            let back = facing * DVec2::new(1.0, -1.0);
            let bearing = if distance > 0.0 { back.rotate(offset / distance) } else { DVec2::X };
            visit(Arriving { intensity, bearing, offset, place });
        }
    }

    fn brightest(&self, space: &Space, row: usize, around: &mut Surroundings) -> Option<Arriving> {
        let mut brightest: Option<Arriving> = None;
        self.visit(space, row, around, |light| {
            if brightest.as_ref().is_none_or(|before| light.intensity > before.intensity) {
                brightest = Some(light);
            }
        });
        brightest
    }

    /// The reading for an intensity.
    fn saturated(&self, intensity: f64) -> f64 {
        if self.saturation > 0.0 { (intensity / self.saturation).min(1.0) } else { intensity }
    }
}

/// The receptors, prepared for readings.
pub struct Receptors {
    /// Their directions in the frame of the robot.
    directions: Vec<DVec2>,
    /// The cosine of half of their aperture; below −1 for all directions.
    least_cosine: f64,
}

impl Sensor for LightSensor {
    type Prepared = Receptors;
    type Memory = NoMemory;

    fn prepare(&self) -> Receptors {
        // Rounding must not make a full circle open.
        let least_cosine = if self.aperture_rad >= TAU { -2.0 } else { cos(self.aperture_rad / 2.0) };
        Receptors { directions: self.bearings_rad().map(direction).collect(), least_cosine }
    }

    fn channels(&self) -> usize {
        match self.reads {
            LightReading::Receptors => self.receptors as usize,
            LightReading::Brightest | LightReading::Vector => 2,
        }
    }

    fn fields(&self) -> &'static [&'static str] {
        match self.reads {
            LightReading::Receptors => &[],
            LightReading::Brightest => &["intensity", "bearing"],
            LightReading::Vector => &["ahead", "left"],
        }
    }

    fn units(&self) -> &'static [&'static str] {
        if self.reads == LightReading::Brightest { &["", "rad"] } else { &[] }
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        match (self.reads, channel) {
            (LightReading::Receptors, _) => {
                let bearing_rad = self.bearings_rad().nth(channel).unwrap_or_default();
                (in_direction("Receptor", channel, bearing_rad), "")
            }
            (LightReading::Brightest, 0) => ("Intensity".into(), ""),
            (LightReading::Brightest, _) => ("Bearing".into(), "rad"),
            (LightReading::Vector, 0) => ("Ahead".into(), ""),
            (LightReading::Vector, _) => ("Left".into(), ""),
        }
    }

    fn gauge(&self) -> Gauge {
        if self.reads == LightReading::Receptors && self.saturation > 0.0 {
            return Gauge::Bars { empty: 0.0, full: 1.0 };
        }
        Gauge::Numbers
    }

    fn noise_bounds(&self, channel: usize) -> NoiseBounds {
        let is_intensity = match self.reads {
            LightReading::Receptors => true,
            LightReading::Brightest => channel == 0,
            LightReading::Vector => false,
        };
        let high = if self.saturation > 0.0 { 1.0 } else { f64::INFINITY };
        if is_intensity { NoiseBounds::Within { low: 0.0, high, nothing: None } } else { NoiseBounds::Free }
    }

    fn read(&self, receptors: &Receptors, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, around, .. } = from;
        reading.fill(0.0);
        match self.reads {
            LightReading::Receptors => {
                let Receptors { directions, least_cosine } = receptors;
                self.visit(space, row, around, |light| {
                    for (value, direction) in reading.iter_mut().zip(directions) {
                        let cosine = light.bearing.dot(*direction);
                        let response = match self.response {
                            DirectionResponse::Cosine => cosine.max(0.0),
                            DirectionResponse::Uniform => 1.0,
                            DirectionResponse::Linear => (1.0 - acos(cosine.clamp(-1.0, 1.0)) / FRAC_PI_2).max(0.0),
                        };
                        if cosine >= *least_cosine {
                            *value += light.intensity * response;
                        }
                    }
                });
                reading.iter_mut().for_each(|value| *value = self.saturated(*value));
            }
            LightReading::Brightest => {
                if let Some(light) = self.brightest(space, row, around) {
                    reading[0] = self.saturated(light.intensity);
                    reading[1] = angle_of(light.bearing);
                }
            }
            LightReading::Vector => {
                let mut sum = DVec2::ZERO;
                self.visit(space, row, around, |light| sum += light.intensity * light.bearing);
                if self.saturation > 0.0 {
                    sum = (sum / self.saturation).clamp_length_max(1.0);
                }
                reading.copy_from_slice(&sum.to_array());
            }
        }
    }

    fn sees(&self, _: &Receptors, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        self.brightest(from.space, from.row, from.around).map(|light| Target::Thing(light.place))
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let (eye, radius) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        if self.reads == LightReading::Receptors {
            let heading = space.bodies.headings()[row];
            let brightest = reading.iter().copied().fold(0.0, f64::max);
            for (bearing, value) in self.bearings_rad().zip(reading) {
                let (ray, part) =
                    (direction(heading + bearing), if brightest > 0.0 { *value / brightest } else { 0.0 });
                let ends = [eye + radius * ray, eye + (radius + (2.0 + 14.0 * part) / picture.pixels_per_m) * ray];
                Mark { detects: *value > 0.0 }.segment(ends, picture);
            }
            return;
        }
        if let Some(light) = self.brightest(space, row, &mut Surroundings::default()) {
            Mark { detects: true }.segment([eye, eye + light.offset], picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_4;

    use proptest::prelude::*;
    use swarmarium_base::math::{atan2, hypot};
    use swarmarium_space::{Boundary, Form, Thing};

    use super::*;
    use crate::sensor::tests::{put, read, sees, space_with};

    fn light(position: DVec2, intensity: f64) -> Thing {
        Thing { what: ThingKind::Light { intensity }, position, ..Thing::default() }
    }

    fn lit(bodies: &[(DVec2, f64)], lights: &[(DVec2, f64)]) -> Space {
        let mut space = space_with(Boundary::Open, bodies);
        space.things.extend(lights.iter().map(|(position, intensity)| light(*position, *intensity)));
        space.list_colored();
        space
    }

    const EYE: DVec2 = DVec2::splat(5.0);

    fn near(reading: &[f64], expected: &[f64]) {
        let is_near =
            reading.len() == expected.len() && reading.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(is_near, "{reading:?} instead of {expected:?}");
    }

    #[test]
    fn receptors_read_by_distance_and_direction() {
        // Receptors at 45°, 135°, 225°, 315°; a light of 8 at 2 m to the left.
        let sensor = LightSensor { receptors: 4, ..Default::default() };
        let mut space = lit(&[(EYE, 0.1)], &[(EYE + 2.0 * DVec2::Y, 8.0)]);
        let root = cos(FRAC_PI_4);
        near(&read(&sensor, &space), &[2.0 * root, 2.0 * root, 0.0, 0.0]);
        let uniform = LightSensor { response: DirectionResponse::Uniform, ..sensor.clone() };
        near(&read(&uniform, &space), &[2.0, 2.0, 0.0, 0.0]);
        near(&read(&LightSensor { aperture_rad: TAU, ..uniform.clone() }, &space), &[2.0; 4]);
        near(&read(&LightSensor { aperture_rad: FRAC_PI_2 - 0.01, ..uniform }, &space), &[0.0; 4]);
        let linear = LightSensor { law: DistanceLaw::Linear { range_m: 4.0 }, ..sensor.clone() };
        near(&read(&linear, &space), &[4.0 * root, 4.0 * root, 0.0, 0.0]);
        near(&read(&LightSensor { law: DistanceLaw::Linear { range_m: 2.0 }, ..sensor.clone() }, &space), &[0.0; 4]);
        near(&read(&LightSensor { law: DistanceLaw::Constant, ..sensor.clone() }, &space)[..1], &[8.0 * root]);
        near(&read(&LightSensor { saturation: 4.0, ..sensor.clone() }, &space)[..1], &[0.5 * root]);
        near(&read(&LightSensor { saturation: 1.0, ..sensor.clone() }, &space), &[1.0, 1.0, 0.0, 0.0]);
        put(&mut space, EYE, FRAC_PI_2);
        near(&read(&sensor, &space), &[2.0 * root, 0.0, 0.0, 2.0 * root]);
    }

    #[test]
    fn the_light_sensor_of_a_foot_bot_reads_as_in_argos() {
        // Receptors at 45°, 135°, 225°, 315°; a lamp 3 m to the left and 4 m above the floor.
        let law = DistanceLaw::Exponential { rate_per_m: 2.0, height_m: 4.0 };
        let sensor = LightSensor { receptors: 4, response: DirectionResponse::Linear, law, ..Default::default() };
        let space = lit(&[(EYE, 0.1)], &[(EYE + 3.0 * DVec2::Y, 4.0), (EYE, 0.0)]);
        let half = exp(-2.0 * 5.0 / 4.0) / 2.0;
        near(&read(&sensor, &space), &[half, half, 0.0, 0.0]);
    }

    #[test]
    fn a_light_at_the_centre_is_ahead_and_its_intensity_is_finite() {
        let sensor = LightSensor { receptors: 4, from_rad: -FRAC_PI_4, ..Default::default() };
        let space = lit(&[(EYE, 0.1)], &[(EYE, 1.0)]);
        near(&read(&sensor, &space), &[1e4, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_brightest_light_and_the_sum_have_a_direction() {
        let mut space = lit(&[(EYE, 0.1)], &[(EYE + DVec2::X, 1.0), (EYE - 2.0 * DVec2::Y, 12.0)]);
        let brightest = LightSensor { reads: LightReading::Brightest, ..Default::default() };
        near(&read(&brightest, &space), &[3.0, -FRAC_PI_2]);
        assert_eq!(sees(&brightest, &space), Some(Target::Thing(1)));
        let vector = LightSensor { reads: LightReading::Vector, ..Default::default() };
        near(&read(&vector, &space), &[1.0, -3.0]);
        near(
            &read(&LightSensor { saturation: 1.0, ..vector.clone() }, &space),
            &(DVec2::new(1.0, -3.0) / 10.0_f64.sqrt()).to_array(),
        );
        space.things[0].name = "lamp".into();
        near(&read(&LightSensor { light: "lamp".into(), ..brightest.clone() }, &space), &[1.0, 0.0]);
        near(&read(&LightSensor { light: "none".into(), ..brightest }, &space), &[0.0, 0.0]);
    }

    #[test]
    fn obstacles_and_robots_block_light_by_choice() {
        let mut space =
            lit(&[(EYE, 0.1), (EYE + DVec2::Y, 0.2)], &[(EYE + 2.0 * DVec2::X, 4.0), (EYE + 2.0 * DVec2::Y, 4.0)]);
        let center = EYE + DVec2::X;
        let solid = space.solids.add_disc(center, 0.2).unwrap();
        space.things.push(Thing {
            forms: vec![Form::Disc { center, radius: 0.2 }],
            solids: solid..solid + 1,
            ..Thing::default()
        });
        space.list_colored();
        let vector = |obstacles_hide, robots_hide| {
            let sensor = LightSensor { reads: LightReading::Vector, obstacles_hide, robots_hide, ..Default::default() };
            read(&sensor, &space)
        };
        near(&vector(false, false), &[1.0, 1.0]);
        near(&vector(true, false), &[0.0, 1.0]);
        near(&vector(false, true), &[1.0, 0.0]);
        near(&vector(true, true), &[0.0, 0.0]);
    }

    /// Whether a disc covers a point of the segment between two points, by the angles and distances alone.
    fn blocks(from: DVec2, to: DVec2, (center, radius): (DVec2, f64)) -> bool {
        (0..=4000).any(|part| from.lerp(to, f64::from(part) / 4000.0).distance(center) < radius)
    }

    proptest! {
        #[test]
        fn receptors_equal_a_calculation_with_angles(
            others in prop::collection::vec(((0.0..10.0, 0.0..10.0), 0.1..0.8), 0..6),
            pillars in prop::collection::vec(((0.0..10.0, 0.0..10.0), 0.1..0.8), 0..6),
            lights in prop::collection::vec(((0.0..10.0, 0.0..10.0), 0.1..9.0), 0..4),
            (heading, from_rad, aperture_rad) in (-4.0..4.0, -3.0..3.0, 0.5..6.0),
            (receptors, uniform, linear, robots_hide, obstacles_hide) in (1_u32..7, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        ) {
            let disc = |((x, y), radius): &((f64, f64), f64)| (DVec2::new(*x, *y), *radius);
            let (others, pillars): (Vec<_>, Vec<_>) = (others.iter().map(disc).collect(), pillars.iter().map(disc).collect());
            let lights: Vec<_> = lights.iter().map(disc).collect();
            let mut space = lit(&[&[(EYE, 0.1)], others.as_slice()].concat(), &lights);
            put(&mut space, EYE, heading);
            for (center, radius) in &pillars {
                space.solids.add_disc(*center, *radius).unwrap();
            }
            space.solids.sort();
            let sensor = LightSensor {
                receptors, from_rad, aperture_rad, robots_hide, obstacles_hide,
                response: if uniform { DirectionResponse::Uniform } else { DirectionResponse::Cosine },
                law: if linear { DistanceLaw::Linear { range_m: 6.0 } } else { DistanceLaw::default() },
                ..Default::default()
            };
            let reading = read(&sensor, &space);
            let mut expected = vec![0.0; receptors as usize];
            for (at, intensity) in lights {
                let hidden = |discs: &[(DVec2, f64)]| discs.iter().map(|disc| blocks(EYE, at, *disc)).collect::<Vec<_>>();
                let grown = |discs: &[(DVec2, f64)]| discs.iter().map(|(center, radius)| blocks(EYE, at, (*center, radius + 0.01))).collect::<Vec<_>>();
                // Lines that almost touch a disc are left out: the samples may miss it.
                prop_assume!(hidden(&others) == grown(&others) && hidden(&pillars) == grown(&pillars));
                if (robots_hide && hidden(&others).contains(&true)) || (obstacles_hide && hidden(&pillars).contains(&true)) {
                    continue;
                }
                let (dx, dy) = (at.x - EYE.x, at.y - EYE.y);
                let distance = hypot(dx, dy);
                let arriving = if linear { intensity * (1.0 - distance / 6.0).max(0.0) } else { intensity / distance.max(0.01).powi(2) };
                for (place, value) in expected.iter_mut().enumerate() {
                    let bearing = from_rad + (place as f64 + 0.5) * TAU / f64::from(receptors);
                    let angle = (atan2(dy, dx) - heading - bearing).rem_euclid(TAU);
                    let angle = angle.min(TAU - angle);
                    prop_assume!((angle - aperture_rad / 2.0).abs() > 1e-9);
                    if angle < aperture_rad / 2.0 {
                        *value += arriving * if uniform { 1.0 } else { cos(angle).max(0.0) };
                    }
                }
            }
            for (value, expected) in reading.iter().zip(&expected) {
                prop_assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{:?} instead of {:?}", reading, expected);
            }
        }
    }
}
