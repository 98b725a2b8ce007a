//! Measures the position in the arena or on Earth.

use bevy::prelude::*;
use swarmarium_base::date::calendar_date;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::atan2;
use swarmarium_base::math::earth::{Origin, Place, Plane, positive_angle};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Value};

use super::{Mount, Past};

/// Reads the true position of the sensor, in the arena or on Earth. The Earth is an ellipsoid (WGS-84) that the plane
/// of the arena touches at the origin (MORSE `GPS`).
#[kind(Copy, section = "Own state", words = "position, location, where am i")]
pub struct Gps {
    /// The quantities of the reading.
    pub level: Level,
    /// Position of the origin of the arena on Earth.
    pub origin: Origin,
    /// Date and time at which its clock shows 0, in seconds since the start of 1970.
    #[reflect(@Limits::between(0.0, 1e11))]
    pub epoch_s: f64,
    /// Position and orientation on the robot.
    pub mount: Mount,
}

/// The quantities that a GPS reads.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Level {
    /// `x`, `y` and `z` in the arena, in metres.
    #[default]
    Simple,
    /// `longitude` and `latitude` in degrees, `altitude` in metres, and the mean velocity since the last reading along
    /// the axes of the arena, in m/s.
    Raw,
    /// All quantities of `Raw`; `heading`, the direction of motion in degrees clockwise from north, or −1 at rest
    /// (clients receive infinity); and `time`, in seconds since the start of 1970 (clients receive `date` as DDMMYY and
    /// `time` as HHMMSS).
    Extended,
}

/// Below this speed (m/s) it is at rest.
const STANDING: f64 = 1e-6;

/// Day, month and year, two digits each, from a number of days since the start of 1970.
fn date(days: u64) -> String {
    let (year, month, day) = calendar_date(days);
    format!("{day:02}{month:02}{:02}", year % 100)
}

/// Hour, minute and second from a number of seconds.
fn time_of_day(seconds: u64) -> String {
    let of_day = seconds % 86_400;
    format!("{:02}{:02}{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

impl Sensor for Gps {
    type Prepared = Plane;
    type Memory = Past;
    const KNOWS_OWN: bool = true;
    const ABOUT: About = About::of_class("GPS");

    fn prepare(&self) -> Plane {
        self.origin.plane()
    }

    fn fields(&self) -> &'static [&'static str] {
        match self.level {
            Level::Simple => &["x", "y", "z"],
            Level::Raw => &["longitude", "latitude", "altitude", "vx", "vy", "vz"],
            Level::Extended => &["longitude", "latitude", "altitude", "vx", "vy", "vz", "heading", "time"],
        }
    }

    fn units(&self) -> &'static [&'static str] {
        match self.level {
            Level::Simple => &["m", "m", "m"],
            Level::Raw | Level::Extended => &["°", "°", "m", "m/s", "m/s", "m/s", "°", "s"],
        }
    }

    fn channels(&self) -> usize {
        self.fields().len()
    }

    fn read(&self, plane: &Plane, past: &mut Past, from: Viewpoint, reading: &mut [f64]) {
        let moved = past.movement(&self.mount, &from);
        let mut numbers = [0.0; 8];
        if self.level == Level::Simple {
            numbers[..3].copy_from_slice(&moved.now.at.to_array());
        } else {
            let (place, velocity) = (Place::at(plane.to_earth(moved.now.at)).in_degrees(), moved.velocity);
            numbers[..3].copy_from_slice(&place.to_array());
            numbers[3..6].copy_from_slice(&velocity.to_array());
            let right_of_north = atan2(velocity.x, velocity.y) - self.origin.north_deg.to_radians();
            let stands = velocity.truncate().length() < STANDING;
            numbers[6] = if stands { -1.0 } else { positive_angle(right_of_north).to_degrees() };
            numbers[7] = self.epoch_s + from.own.clock_s;
        }
        reading.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }

    fn message(&self, _: &Past, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let numbers = self.fields().iter().zip(reading);
        message.extend(numbers.take(3).map(|(name, value)| ((*name).into(), (*value).into())));
        if let Some(velocity) = reading.get(3..6) {
            message.push(("velocity".into(), Value::numbers(velocity.iter().copied())));
        }
        if let Some(&[heading, time]) = reading.get(6..8) {
            let seconds = time.max(0.0) as u64;
            message.push(("date".into(), date(seconds / 86_400).into()));
            message.push(("time".into(), time_of_day(seconds).into()));
            let heading = if heading < 0.0 { f64::INFINITY } else { heading };
            message.push(("heading".into(), heading.into()));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Boundary, Space};

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, space_with};

    #[test]
    fn gps_positions_are_those_of_the_test_of_morse() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        put(&mut space, DVec2::new(10.0, 8.0), 0.0);
        let origin = Origin { longitude_deg: 43.6, latitude_deg: 1.4333, altitude_m: 135.0, ..Origin::default() };
        let read = |level, z_m: f64, space: &Space| {
            let gps = Gps { level, origin, ..Gps::default() };
            let mut looks = Looks::of(&gps);
            looks.own.attitude.z_m = z_m;
            looks.read(space)
        };
        assert_eq!(read(Level::Simple, 0.1, &space), [10.0, 8.0, 0.1]);
        let found = read(Level::Raw, 0.1, &space);
        assert!(near(&found[..2], &[43.6, 1.4333], 1e-4) && (found[2] - 135.1).abs() < 0.02, "{found:?}");
        put(&mut space, DVec2::new(100.0, 200.0), 0.0);
        let found = read(Level::Raw, 50.0, &space);
        assert!(near(&found[..2], &[43.6009, 1.4351], 1e-4) && (found[2] - 185.003).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn gps_has_a_heading_only_while_moving() {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.3)]);
        let gps = Gps { level: Level::Extended, epoch_s: 951_827_696.0, ..Gps::default() };
        let mut looks = Looks::of(&gps);
        let still = looks.read(&space);
        assert_eq!(still[6], -1.0);
        let message = looks.message(&still).unwrap();
        let names: Vec<&str> = message.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["longitude", "latitude", "altitude", "velocity", "date", "time", "heading"]);
        assert_eq!(message[6].1, f64::INFINITY.into());
        assert_eq!(&message[4].1, &"290200".into());
        assert_eq!(&message[5].1, &"123456".into());
        put(&mut space, DVec2::new(1.0, 0.0), 0.0);
        let found = looks.read_after(10, &space);
        assert!(near(&found[3..7], &[1.0, 0.0, 0.0, 90.0], 1e-9), "to the east: {found:?}");
        assert_eq!(date(0), "010170");
        assert_eq!(date(20_779), "221126");
    }
}
