//! Measures distances along an arc of rays.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, SkipIfEmpty, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::range_limits::RangeLimits;
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint, in_direction};
use swarmarium_core::service::{About, Fields, Property, Value};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::{Hit, Space, Target};

use super::Mount;

/// Reads the distance to the first robot, obstacle or wall along each of several rays, in metres; without a hit, the
/// range, unless `limits` say otherwise. The rays go anticlockwise from the right end of the window to the left end, both included. The robot of the
/// sensor does not block them. They stay level: the tilt of robot and mount has no effect.
///
/// The defaults are those of a SICK scanner (181 rays). A Hokuyo has `window_deg: 270, resolution_deg: 0.25`, an
/// infrared scanner `window_deg: 20, range_m: 2` (MORSE). Clients also receive the points of the hits in the frame of
/// the sensor, and the origin for a ray without a hit.
#[kind(Copy, section = "Distance", words = "lidar, laser, scan, distance, range finder")]
pub struct LaserScanner {
    /// Opening angle of the window, which is centred on the direction of the sensor.
    #[reflect(@Limits::between(0.0, 360.0))]
    #[default(180.0)]
    pub window_deg: f64,
    /// Angle between neighbouring rays.
    #[reflect(@Limits::up_to(360.0))]
    #[default(1.0)]
    pub resolution_deg: f64,
    /// Length of the rays.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(30.0)]
    pub range_m: f64,
    /// Position and orientation on the robot.
    pub mount: Mount,
    /// Readings of nothing, and of things that are too near.
    #[reflect(@SkipIfEmpty)]
    pub limits: RangeLimits,
}

/// The maximum number of rays of a scanner.
const MOST: f64 = 8192.0;

impl LaserScanner {
    /// The directions of the rays, in the frame of the sensor.
    fn rays(&self) -> impl Iterator<Item = DVec2> + use<> {
        let scanner = *self;
        (0..self.channels()).map(move |ray| direction(scanner.bearing_rad(ray)))
    }

    /// The direction of a ray (rad), anticlockwise from that of the sensor.
    fn bearing_rad(&self, ray: usize) -> f64 {
        (self.resolution_deg * ray as f64 - 0.5 * self.window_deg).to_radians()
    }

    fn is_hit(&self, reading: f64) -> bool {
        self.limits.is_hit(reading, self.range_m)
    }
}

impl Sensor for LaserScanner {
    /// The directions of the rays, in the frame of the sensor.
    type Prepared = Vec<DVec2>;
    type Memory = NoMemory;
    const ABOUT: About = About {
        class: "LaserScanner",
        services: &[],
        properties: &[
            Property { name: "laser_range", field: "range_m", unit: 1.0, type_name: "float", attribute: "laser_range" },
            Property {
                name: "scan_window",
                field: "window_deg",
                unit: 1.0,
                type_name: "float",
                attribute: "scan_window",
            },
            Property {
                name: "resolution",
                field: "resolution_deg",
                unit: 1.0,
                type_name: "float",
                attribute: "resolution",
            },
        ],
    };

    fn prepare(&self) -> Vec<DVec2> {
        self.rays().collect()
    }

    fn channels(&self) -> usize {
        // A window whose width is a whole multiple of the resolution has all its rays, in spite of rounding.
        (self.window_deg / self.resolution_deg + 1e-9).min(MOST) as usize + 1
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        (in_direction("Ray", channel, self.bearing_rad(channel)), "m")
    }

    fn gauge(&self) -> Gauge {
        let bearings = (0..self.channels()).map(|ray| self.bearing_rad(ray) + self.mount.yaw_rad);
        Gauge::Rays { bearings_rad: bearings.collect(), blocked: 0.0, free: self.range_m }
    }

    fn blank(&self, reading: &mut [f64]) {
        reading.fill(self.limits.nothing(self.range_m));
    }

    fn problem(&self) -> Option<String> {
        let rays = (self.window_deg / self.resolution_deg).floor() + 1.0;
        let too_many = (rays > MOST).then(|| format!("at most {MOST} rays fit in the window, found {rays}"));
        too_many.or_else(|| self.limits.problem(self.range_m))
    }

    fn read(&self, rays: &Vec<DVec2>, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, around, .. } = from;
        let (eye, ahead) = self.mount.eye(space, row);
        let nothing = self.limits.nothing(self.range_m);
        if !space.look_around(eye, self.range_m, Some(row), around) {
            reading.fill(nothing);
            return;
        }
        for (value, ray) in reading.iter_mut().zip(rays) {
            *value = around.cast(ahead.rotate(*ray), 0.0, self.range_m).map_or(nothing, |hit| hit.distance);
        }
        if self.limits.min_range_m > 0.0 {
            self.limits.raise(reading, self.range_m);
        }
    }

    fn noise_bounds(&self, _: usize) -> NoiseBounds {
        self.limits.noise_bounds(self.range_m)
    }

    fn sees(&self, rays: &Vec<DVec2>, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        let Viewpoint { space, row, around, .. } = from;
        let (eye, ahead) = self.mount.eye(space, row);
        space.look_around(eye, self.range_m, Some(row), around);
        let hits = rays.iter().filter_map(|ray| around.cast(ahead.rotate(*ray), 0.0, self.range_m));
        // Robots first, as they can be told apart.
        let is_body = |hit: &Hit| matches!(hit.target, Target::Body(_));
        let order = |a: &Hit, b: &Hit| is_body(b).cmp(&is_body(a)).then(a.distance.total_cmp(&b.distance));
        hits.min_by(order).map(|hit| hit.target)
    }

    fn message(&self, _: &NoMemory, reading: &[f64], _: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let point = |(ray, distance_m): (DVec2, &f64)| {
            let point = if self.is_hit(*distance_m) { *distance_m * ray } else { DVec2::ZERO };
            Value::numbers([point.x, point.y, 0.0])
        };
        let points = self.rays().zip(reading).map(point).collect();
        message.push(("point_list".into(), Value::List(points)));
        message.push(("range_list".into(), Value::numbers(reading.iter().copied())));
        true
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        // A shorter arc looks like a point.
        if self.range_m * picture.pixels_per_m < 2.0 {
            return;
        }
        let (eye, ahead) = self.mount.eye(space, row);
        let shown_m = |reading: &f64| self.limits.shown_m(*reading, self.range_m);
        let ends = self.rays().zip(reading).map(|(ray, reading)| eye + shown_m(reading) * ahead.rotate(ray));
        let points: Vec<DVec2> = std::iter::once(eye).chain(ends).collect();
        let mark = Mark { detects: reading.iter().any(|reading| self.is_hit(*reading)) };
        picture.add(Layer::Sensors, mark.line(), Shape::Line { points, closed: true, pen: mark.width().into() });
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use swarmarium_core::sensor::range_limits::Nothing;
    use swarmarium_space::Boundary;

    use super::*;
    use crate::noise::tests::near;
    use crate::sensor::tests::{Looks, put, read, sees, space_with};

    /// The boxes of MORSE's `indoors-1/boxes`, and the robot of `sick_testing.py`.
    fn boxes() -> Space {
        let mut space = space_with(Boundary::Open, &[(DVec2::ZERO, 0.6)]);
        for (x, y) in [(-7.5, 0.0), (-6.5, 6.0), (-3.5, -3.0)] {
            let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
            let corners = corners.map(|corner| DVec2::new(x, y) + DVec2::from(corner));
            space.solids.add_polygon(&corners).unwrap();
        }
        put(&mut space, DVec2::new(-4.5, 0.0), PI);
        space
    }

    #[test]
    fn laser_scanner_distances_are_those_of_the_sick_of_morse() {
        let sick = LaserScanner { range_m: 10.0, ..LaserScanner::default() };
        let mut looks = Looks::of(&sick);
        let space = boxes();
        let ranges = looks.read(&space);
        assert_eq!(ranges.len(), 181);
        assert!(ranges[80..=99].iter().all(|range| (range - 2.5).abs() < 0.05), "{:?}", &ranges[80..=99]);
        let message = looks.message(&ranges).unwrap();
        let Value::List(points) = &message[0].1 else { panic!() };
        let point = |ray: usize| match &points[ray] {
            Value::List(numbers) => numbers.iter().map(|number| number.number().unwrap()).collect::<Vec<_>>(),
            _ => panic!(),
        };
        let aside = 2.5 * swarmarium_base::math::tan(5.0_f64.to_radians());
        assert!(near(&point(90), &[2.5, 0.0, 0.0], 1e-9) && near(&point(85), &[2.5, -aside, 0.0], 1e-9));
        assert!(near(&point(95), &[2.5, aside, 0.0], 1e-9), "anticlockwise");
        assert_eq!(point(120), vec![0.0; 3]);
        assert_eq!(ranges[120], 10.0, "nothing there");
        assert_eq!(message[1], ("range_list".into(), Value::numbers(ranges.iter().copied())));
        assert!(matches!(sees(&sick, &space), Some(Target::Solid(_))));
    }

    #[test]
    fn laser_scanner_windows_include_both_ends() {
        let rays = |window_deg, resolution_deg| {
            LaserScanner { window_deg, resolution_deg, ..LaserScanner::default() }.channels()
        };
        assert_eq!(rays(270.0, 0.25), 1081);
        assert_eq!(rays(20.0, 1.0), 21);
        assert_eq!(rays(0.3, 0.1), 4);
        assert_eq!(rays(0.0, 1.0), 1);
        let fine = LaserScanner { resolution_deg: 1e-6, ..LaserScanner::default() };
        assert!(fine.problem().is_some_and(|text| text.starts_with("at most 8192 rays")));
    }

    #[test]
    fn laser_scanner_readings_have_limits() {
        let limits = RangeLimits { min_range_m: 3.0, nothing: Nothing::Infinity };
        let scanner =
            LaserScanner { window_deg: 180.0, resolution_deg: 90.0, range_m: 10.0, limits, ..LaserScanner::default() };
        // A box is 2.5 m ahead; to both sides there is nothing.
        let reading = read(&scanner, &boxes());
        assert_eq!(reading, [f64::INFINITY, 3.0, f64::INFINITY]);
        let Value::List(points) = &Looks::of(&scanner).message(&reading).unwrap()[0].1 else { panic!() };
        assert_eq!(points[0], Value::numbers([0.0; 3]));
        let zero = LaserScanner { limits: RangeLimits { nothing: Nothing::Zero, ..limits }, ..scanner };
        assert_eq!(read(&zero, &boxes()), [0.0, 3.0, 0.0]);
        let mut blank = [1.0; 3];
        scanner.blank(&mut blank);
        assert_eq!(blank, [f64::INFINITY; 3]);
        assert_eq!(scanner.noise_bounds(0), NoiseBounds::Within { low: 3.0, high: 10.0, nothing: Some(f64::INFINITY) });
        let wrong = LaserScanner { limits: RangeLimits { min_range_m: 10.0, ..limits }, ..scanner };
        assert_eq!(wrong.problem().unwrap(), "`min_range_m` must be below `range_m` (10), found 10");
    }

    #[test]
    fn laser_scanner_rays_start_at_the_mount() {
        let ahead = Mount { x_m: 1.0, yaw_rad: PI, ..Mount::default() };
        let one = LaserScanner { window_deg: 0.0, range_m: 10.0, mount: ahead, ..LaserScanner::default() };
        let mut space = boxes();
        put(&mut space, DVec2::new(-4.5, 0.0), 0.0);
        // It looks back over its own robot.
        assert!(near(&Looks::of(&one).read(&space), &[3.5], 1e-9));
    }
}
