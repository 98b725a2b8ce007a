//! Common style of sensor drawings: one style for sensors that detect something, another for those that do not.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use swarmarium_base::math::direction;
use swarmarium_picture::palette::{Paint, Role};
use swarmarium_picture::{Layer, Picture, Shape, Width};
use swarmarium_space::Space;

/// State of a sensor as shown by its lines and areas, not by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Whether it detects something.
    pub detects: bool,
}

impl Mark {
    /// Paint of its lines.
    pub fn line(self) -> Paint {
        if self.detects { Role::Detecting.faint(0.9) } else { Role::Clear.faint(0.5) }
    }

    /// Paint of its areas.
    pub fn area(self) -> Paint {
        if self.detects { Role::Detecting.faint(0.2) } else { Role::Clear.faint(0.1) }
    }

    /// Width of its lines.
    pub fn width(self) -> Width {
        Width::Pixels(if self.detects { 2.0 } else { 1.0 })
    }

    /// Draws a straight line.
    pub fn segment(self, ends: [DVec2; 2], picture: &mut Picture) {
        picture.segment(Layer::Sensors, self.line(), ends, self.width());
    }

    /// Draws an arc, anticlockwise from one bearing to another.
    pub fn arc(self, center: DVec2, radius_m: f64, [from_rad, to_rad]: [f64; 2], picture: &mut Picture) {
        let length_px = radius_m * (to_rad - from_rad) * picture.pixels_per_m;
        // Shorter arcs look like a point; corners every few pixels make an arc look round.
        if length_px < 4.0 {
            return;
        }
        let pieces = (length_px / 6.0).clamp(2.0, 64.0) as u32;
        let point = |piece: u32| {
            let bearing = from_rad + (to_rad - from_rad) * f64::from(piece) / f64::from(pieces);
            center + radius_m * direction(bearing)
        };
        let shape = Shape::Line { points: (0..=pieces).map(point).collect(), closed: false, pen: self.width().into() };
        picture.add(Layer::Sensors, self.line(), shape);
    }

    /// Draws a sector of a disc, anticlockwise from one bearing to another: area, edges and arc.
    pub fn sector(self, center: DVec2, radius_m: f64, bearings_rad: [f64; 2], picture: &mut Picture) {
        self.open_sector(center, radius_m, bearings_rad, picture);
        self.arc(center, radius_m, bearings_rad, picture);
    }

    /// As [`sector`](Self::sector), without the arc.
    fn open_sector(self, center: DVec2, radius_m: f64, [from_rad, to_rad]: [f64; 2], picture: &mut Picture) {
        picture.add(Layer::Sensors, self.area(), Shape::Sector { center, radius_m, from_rad, to_rad });
        if to_rad - from_rad < TAU {
            for edge in [from_rad, to_rad] {
                self.segment([center, center + radius_m * direction(edge)], picture);
            }
        }
    }

    /// Draws a circle.
    pub fn circle(self, center: DVec2, radius_m: f64, picture: &mut Picture) {
        self.arc(center, radius_m, [0.0, TAU], picture);
    }
}

/// The cone of view of a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Its range.
    pub range_m: f64,
    /// Half of its opening angle.
    pub half_angle_rad: f64,
    /// Direction of its centre line, from the heading.
    pub bearing_rad: f64,
}

impl Cone {
    /// Draws the cone for the robot in a row: area, edges, and the end of its range.
    pub fn draw(self, space: &Space, row: usize, detects: bool, picture: &mut Picture) {
        let mark = Mark { detects };
        let (center, bearings_rad) = (space.bodies.positions()[row], self.edges_rad(space, row));
        let radius_m = self.reach_m(space, row);
        if radius_m == self.range_m {
            mark.sector(center, radius_m, bearings_rad, picture);
        } else {
            mark.open_sector(center, radius_m, bearings_rad, picture);
        }
    }

    /// Draws only the end of its range.
    pub fn draw_end(self, space: &Space, row: usize, picture: &mut Picture) {
        let center = space.bodies.positions()[row];
        Mark { detects: false }.arc(center, self.range_m, self.edges_rad(space, row), picture);
    }

    fn edges_rad(self, space: &Space, row: usize) -> [f64; 2] {
        let middle = space.bodies.headings()[row] + self.bearing_rad;
        [middle - self.half_angle_rad, middle + self.half_angle_rad]
    }

    /// Length to draw: the area behind walls is not drawn.
    fn reach_m(self, space: &Space, row: usize) -> f64 {
        let middle = direction(space.bodies.headings()[row] + self.bearing_rad);
        self.range_m.min(space.arena.wall_distance(space.bodies.positions()[row], middle))
    }
}

/// Length (m) to draw for a range that may be unlimited (0): at most the size of the arena.
pub fn drawn_length_m(length_m: f64, space: &Space) -> f64 {
    if length_m > 0.0 { length_m } else { space.arena.size.length() }
}
