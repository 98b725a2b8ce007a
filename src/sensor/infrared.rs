//! Infrared sensors on the rim of a robot, each of which looks into a cone and tells how far the nearest thing is.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Mark, Sensor, Viewpoint, in_direction};
use crate::agent::placement::Placement;
use crate::limits::Limits;
use crate::math::{exp, ln};
use crate::picture::Picture;
use crate::space::{Beam, Space, Target};
use crate::state::NoMemory;

/// Infrared sensors that look into cones, as those of the Khepera III and the QuickBot.
///
/// Each one finds the nearest robot, obstacle or wall in its cone; `proximity` of the scene says how. Its distance makes a
/// raw reading by the response of the sensor, and that stands for a distance again, which is not quite the true one.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Infrared {
    /// Where each one sits on the robot, and which way it looks.
    pub eyes: Vec<Placement>,
    /// Nearest distance that can be told from those below it.
    #[reflect(@Limits::up_to(1e3))]
    pub min_range_m: f64,
    /// How far each one reaches.
    #[reflect(@Limits::up_to(1e3))]
    pub range_m: f64,
    /// How far the cone of each one opens, from edge to edge.
    #[reflect(@Limits::between(0.0, TAU))]
    pub cone_rad: f64,
    /// What a distance makes of the raw reading.
    pub response: Response,
    /// What a reading is.
    pub reads: Reads,
}

/// What an infrared sensor reads.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Reads {
    /// The distance, in metres, that the raw reading stands for.
    #[default]
    Distance,
    /// What the converter gives, without a unit.
    Raw,
}

/// How the raw reading follows from a distance, and a distance from that.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Response {
    /// The raw reading is the distance in metres, from `min_range_m` to `range_m`.
    #[default]
    Linear,
    /// `full · exp(−falloff (distance − min_range))`, and `full` below `min_range_m`; without anything in reach 0. Back:
    /// `(ln(1 + full) − ln(1 + raw)) / falloff + min_range`, from `min_range_m` to `range_m` (pySimiam, Khepera III).
    Exponential {
        /// The raw reading at `min_range_m`.
        #[reflect(@Limits::POSITIVE)]
        full: f64,
        /// How fast it falls, per metre.
        #[reflect(@Limits::POSITIVE)]
        falloff_per_m: f64,
    },
    /// A polynomial of the distance, and another one back (pySimiam, QuickBot).
    Polynomial {
        /// The raw reading below `min_range_m`.
        near: f64,
        /// The raw reading beyond `range_m`.
        far: f64,
        /// Coefficients of the raw reading by the distance in metres, from the highest power down.
        raw: Vec<f64>,
        /// Coefficients of the distance in metres by the raw reading, from the highest power down.
        distance_m: Vec<f64>,
    },
}

impl Default for Infrared {
    fn default() -> Self {
        let (eyes, response, reads) = Default::default();
        Self { eyes, min_range_m: 0.02, range_m: 0.2, cone_rad: 0.35, response, reads }
    }
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

impl Infrared {
    /// The distance (m) that a reading of one of them stands for.
    pub fn distance_m(&self, reading: f64) -> f64 {
        match self.reads {
            Reads::Distance => reading,
            Reads::Raw => self.distance_of_raw(reading),
        }
    }

    /// The reading at a distance (m), which is infinite where there is nothing.
    fn reading(&self, distance_m: f64) -> f64 {
        let raw = self.raw(distance_m);
        match self.reads {
            Reads::Distance => self.distance_of_raw(raw),
            Reads::Raw => raw,
        }
    }

    fn raw(&self, distance_m: f64) -> f64 {
        let Self { min_range_m, range_m, response, .. } = self;
        match response {
            Response::Linear => distance_m.max(*min_range_m).min(*range_m),
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
                // What noise takes below 0 is 0.
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
    /// How far (m) from the middle of the robot anything can be seen.
    reach_m: f64,
    /// The reading without anything in the cone.
    nothing: f64,
}

impl Sensor for Infrared {
    type Prepared = Cones;
    type Memory = NoMemory;

    fn prepare(&self) -> Cones {
        let beam = |eye: &Placement| {
            Beam::new(DVec2::new(eye.x_m, eye.y_m), eye.heading_rad, self.cone_rad / 2.0, self.range_m)
        };
        let beams: Vec<Beam> = self.eyes.iter().map(beam).collect();
        Cones { beams, reach_m: self.near_m(), nothing: self.reading(f64::INFINITY) }
    }

    fn channels(&self) -> usize {
        self.eyes.len()
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let bearing_rad = self.eyes.get(channel).map_or(0.0, |eye| eye.heading_rad);
        let unit = if self.reads == Reads::Distance { "m" } else { "" };
        (in_direction("Sensor", channel, bearing_rad), unit)
    }

    fn near_m(&self) -> f64 {
        let tips_m = self.eyes.iter().map(|eye| DVec2::new(eye.x_m, eye.y_m).length());
        self.range_m + tips_m.fold(0.0, f64::max)
    }

    fn problem(&self) -> Option<String> {
        let Self { min_range_m, range_m, .. } = self;
        if min_range_m >= range_m {
            return Some(format!("`min_range_m` must be below `range_m`, {range_m}, found {min_range_m}"));
        }
        let Response::Polynomial { raw, distance_m, .. } = &self.response else { return None };
        let empty = [("raw", raw), ("distance_m", distance_m)].into_iter().find(|(_, terms)| terms.is_empty());
        empty.map(|(name, _)| format!("`{name}` of the polynomial has no coefficients: give at least one"))
    }

    /// A distance of 0 would mean something.
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
        // Robots first, which can be told apart.
        let is_body = |target: Target| matches!(target, Target::Body(_));
        let order = |(near, one): &(f64, Target), (far, other): &(f64, Target)| {
            is_body(*other).cmp(&is_body(*one)).then(near.total_cmp(far))
        };
        found.min_by(order).map(|(_, target)| target)
    }

    /// Each cone is as long as what it reads.
    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        // Shorter cones cannot be told apart.
        if self.range_m * picture.pixels_per_m < 2.0 {
            return;
        }
        let (middle, facing) = (space.bodies.positions()[row], space.bodies.facings()[row]);
        let nothing_m = self.distance_m(self.reading(f64::INFINITY));
        for (eye, value) in self.eyes.iter().zip(reading) {
            let center = middle + facing.rotate(DVec2::new(eye.x_m, eye.y_m));
            let bearing = space.bodies.headings()[row] + eye.heading_rad;
            let distance_m = self.distance_m(*value);
            let mark = Mark { detects: distance_m < nothing_m };
            let radius_m = if mark.detects { distance_m.max(0.0) } else { self.range_m };
            mark.sector(center, radius_m, [bearing - self.cone_rad / 2.0, bearing + self.cone_rad / 2.0], picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::agent::body::Body;
    use crate::agent::motion::differential_drive::DifferentialDrive;
    use crate::scene::description::Group;
    use crate::sensor::encoders::Encoders;
    use crate::sensor::odometry::Odometry;
    use crate::sensor::tests::{read, sees, space_with};
    use crate::space::Border;

    /// A robot that comes with the program.
    fn robot(name: &str) -> Group {
        let text = format!("(groups: [(name: \"g\", robot: \"{name}\")])");
        let kinds = crate::simulation::Recipe::standard();
        let scene = crate::scene::reader::read::<crate::scene::Scene>(kinds.kinds(), "test.ron", &text).unwrap();
        scene.groups[0].clone()
    }

    /// The infrared sensors of a robot that comes with the program.
    fn of_robot(name: &str) -> Infrared {
        robot(name).sensors[0].value().downcast_ref::<Infrared>().unwrap().clone()
    }

    #[test]
    fn responses_are_those_of_the_robots() {
        for (name, file) in [("khepera3", "khepera3_master"), ("quickbot", "quickbot_coursera")] {
            let (reads_distance, facts) = (of_robot(name), crate::tests::facts(&format!("simiam/{file}.json")));
            let reads_raw = Infrared { reads: Reads::Raw, ..reads_distance.clone() };
            for case in facts[format!("{name}_ir_curve")].as_array().unwrap() {
                let number = |field: &str| case[field].as_f64().unwrap();
                let (raw, estimated) = (number("raw"), number("estimated"));
                let read = [reads_raw.reading(number("distance")), reads_distance.reading(number("distance"))];
                let back = reads_raw.distance_m(read[0]);
                // The facts have twelve digits.
                assert!((read[0] - raw).abs() < 1e-9 * raw.max(1.0), "{read:?} {case}");
                assert!((read[1] - estimated).abs() < 1e-9 && back == read[1], "{read:?} {case}");
            }
        }
    }

    #[test]
    fn the_quickbot_follows_the_data_sheet_of_its_sensors() {
        let quickbot = Infrared { reads: Reads::Raw, ..of_robot("quickbot") };
        for case in crate::tests::facts("simiam/quickbot_coursera.json")["datasheet_table"].as_array().unwrap() {
            let [distance_m, _, units] = [0, 1, 2].map(|place| case[place].as_f64().unwrap());
            assert!((quickbot.reading(distance_m) / units - 1.0).abs() < 0.0125, "{case}");
        }
    }

    #[test]
    fn robots_are_as_in_the_facts() {
        let facts = crate::tests::facts("simiam/robots.json");
        for (name, all) in [("khepera3", &facts["robots"][0]), ("quickbot", &facts["robots"][1])] {
            let (infrared, facts) = (of_robot(name), &all["ir"]);
            let number = |value: &Value| value.as_f64().unwrap();
            let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
            assert!(
                near(infrared.min_range_m, number(&facts["rmin"])) && near(infrared.range_m, number(&facts["rmax"]))
            );
            assert!(near(infrared.cone_rad, number(&facts["spread_rad"])));
            let Body::Polygon { corners_m, .. } = robot(name).body else { panic!("{name} is a disc") };
            let outline = all["collision_outline"].as_array().unwrap();
            assert_eq!(corners_m.len(), outline.len());
            let is_corner =
                |(corner, fact): (&DVec2, &Value)| near(corner.x, number(&fact[0])) && near(corner.y, number(&fact[1]));
            assert!(corners_m.iter().zip(outline).all(is_corner), "{corners_m:?}");
            let motion = robot(name).motion;
            let drive = motion.value().downcast_ref::<DifferentialDrive>().unwrap();
            let [radius_m, axle_m, ticks] =
                ["wheel_radius", "base_length", "ticks_per_rev"].map(|field| number(&all[field]));
            assert!(near(drive.wheel_radius_m, radius_m) && near(drive.axle_m, axle_m));
            let most = |field: &str| all[field].as_f64().map(|speed| speed * radius_m);
            let quantum = all["speed_quantum_per_rad_s"].as_f64();
            let fastest = quantum.map(|quantum| 48_000.0 / quantum * radius_m).or(most("max_wheel_rad_s"));
            assert!(near(drive.max_wheel_m_per_s, fastest.unwrap()));
            assert!(near(drive.min_wheel_m_per_s, most("min_wheel_rad_s").unwrap_or(0.0)));
            assert!(near(drive.speed_step_rad_per_s, quantum.map_or(0.0, f64::recip)));
            let sensors = robot(name).sensors;
            let encoders = sensors[1].value().downcast_ref::<Encoders>().unwrap();
            let odometry = sensors[2].value().downcast_ref::<Odometry>().unwrap();
            assert_eq!((encoders.ticks_per_turn, odometry.ticks_per_turn), (ticks, ticks));
            assert_eq!((odometry.wheel_radius_m, odometry.axle_m), (drive.wheel_radius_m, drive.axle_m));
            let eyes = facts["poses_xy_deg"].as_array().unwrap();
            assert_eq!(infrared.eyes.len(), eyes.len());
            for (eye, fact) in infrared.eyes.iter().zip(eyes) {
                assert!(near(eye.x_m, number(&fact[0])) && near(eye.y_m, number(&fact[1])), "{eye:?} {fact}");
                assert!(near(eye.heading_rad, number(&fact[2]).to_radians()), "{eye:?} {fact}");
            }
        }
    }

    #[test]
    fn parameters_that_do_not_fit_together_are_refused() {
        let default = Infrared::default();
        assert_eq!(default.problem(), None);
        let wrong = |infrared: Infrared| infrared.problem().unwrap();
        assert!(wrong(Infrared { min_range_m: 0.3, ..default.clone() }).contains("below `range_m`, 0.2, found 0.3"));
        let response = Response::Polynomial { near: 0.0, far: 0.0, raw: vec![1.0], distance_m: Vec::new() };
        assert!(wrong(Infrared { response, ..default }).contains("`distance_m` of the polynomial"));
        for name in ["khepera3", "quickbot"] {
            assert_eq!(of_robot(name).problem(), None);
        }
    }

    #[test]
    fn each_eye_has_its_place_and_its_bearing() {
        let eye = |x_m, y_m, heading_rad| Placement { x_m, y_m, heading_rad };
        let eyes = vec![eye(0.1, 0.0, 0.0), eye(0.0, 0.1, TAU / 4.0)];
        let two = Infrared { eyes, range_m: 1.0, ..Infrared::default() };
        let middle = DVec2::splat(5.0);
        let others = [(middle, 0.1), (middle + DVec2::new(0.6, 0.0), 0.2), (middle + DVec2::new(0.0, 0.4), 0.1)];
        let reading = read(&two, &space_with(Border::Open, &others));
        assert!((reading[0] - 0.3).abs() < 1e-12 && (reading[1] - 0.2).abs() < 1e-12, "{reading:?}");
        assert_eq!(sees(&two, &space_with(Border::Open, &others)), Some(Target::Body(2)));
        assert_eq!(read(&two, &space_with(Border::Open, &others[..1])), [1.0, 1.0]);
        let touching = [(middle, 0.1), (middle + DVec2::new(0.3, 0.0), 0.2)];
        assert_eq!(read(&two, &space_with(Border::Open, &touching))[0], 0.02, "no nearer than it can tell");
    }
}
