//! Sketches: shapes in the frame of the body to which they belong, so that a page stores each once.

use bevy::math::DVec2;
use swarmarium_base::math::{angle_of, direction};
use swarmarium_core::agent::Pose;
use swarmarium_picture::{Anchor, Cells, Item, Layer, Paint, Pen, Shape, Width};

/// The kind of a sketch, which says what its numbers are: x and y of each point first.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A filled disc: x, y, radius.
    Disc,
    /// The outline of a disc: x, y, radius.
    Ring(Pen),
    /// A filled polygon: x and y of each corner.
    Polygon,
    /// A line: x and y of each point.
    Line {
        /// The style of the line.
        pen: Pen,
        /// Whether the last point is joined to the first.
        closed: bool,
    },
    /// A filled sector: x, y, radius, first and last bearing.
    Sector,
    /// A text: x, y.
    Text {
        /// The text.
        text: String,
        /// Height of the letters in logical pixels.
        size_px: f64,
        /// The anchor at the point.
        anchor: Anchor,
    },
    /// Coloured cells: x and y of the lower left corner, width and height of a cell.
    Cells {
        /// The number of cells in a line.
        columns: usize,
        /// The level of each cell.
        levels: Vec<u8>,
    },
}

/// A shape of a picture as numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    /// The layer.
    pub layer: Layer,
    /// The paint.
    pub paint: Paint,
    /// The kind of the shape.
    pub form: Form,
    /// The numbers of the form: metres and radians.
    pub numbers: Vec<f64>,
}

impl Sketch {
    /// The sketch of a shape, in the frame of the world.
    pub fn of(Item { layer, paint, shape }: &Item) -> Self {
        let flat = |points: &[DVec2]| points.iter().flat_map(|point| point.to_array()).collect::<Vec<_>>();
        let (form, numbers) = match shape {
            Shape::Disc { center, radius_m } => (Form::Disc, vec![center.x, center.y, *radius_m]),
            Shape::Triangle(corners) => (Form::Polygon, flat(corners)),
            Shape::Polygon(corners) => (Form::Polygon, flat(corners)),
            Shape::Sector { center, radius_m, from_rad, to_rad } => {
                (Form::Sector, vec![center.x, center.y, *radius_m, *from_rad, *to_rad])
            }
            Shape::Line { points, closed, pen } => match circle(points).filter(|_| *closed) {
                Some((center, radius_m)) => (Form::Ring(*pen), vec![center.x, center.y, radius_m]),
                None => (Form::Line { pen: *pen, closed: *closed }, flat(points)),
            },
            Shape::Segment { ends, pen } => (Form::Line { pen: *pen, closed: false }, flat(ends)),
            Shape::Cells(Cells { corner, cell_m, columns, levels }) => (
                Form::Cells { columns: *columns, levels: levels.clone() },
                vec![corner.x, corner.y, cell_m.x, cell_m.y],
            ),
            Shape::Text { at, text, size_px, anchor } => {
                (Form::Text { text: text.clone(), size_px: *size_px, anchor: *anchor }, vec![at.x, at.y])
            }
        };
        Self { layer: *layer, paint: *paint, form, numbers }
    }

    /// The number of points at the start of the numbers.
    fn points(&self) -> usize {
        match self.form {
            Form::Polygon | Form::Line { .. } => self.numbers.len() / 2,
            Form::Disc | Form::Ring(_) | Form::Sector | Form::Text { .. } | Form::Cells { .. } => 1,
        }
    }

    /// The mean of its points.
    pub fn center_m(&self) -> DVec2 {
        (0..self.points()).map(|place| self.point(place)).sum::<DVec2>() / self.points().max(1) as f64
    }

    fn point(&self, place: usize) -> DVec2 {
        DVec2::new(self.numbers[2 * place], self.numbers[2 * place + 1])
    }

    /// The sketch with each point moved by `move_point`, and each bearing turned by `turn_rad`.
    fn moved(&self, move_point: impl Fn(DVec2) -> DVec2, turn_rad: f64) -> Self {
        let mut moved = self.clone();
        for place in 0..self.points() {
            let point = move_point(self.point(place));
            (moved.numbers[2 * place], moved.numbers[2 * place + 1]) = (point.x, point.y);
        }
        if self.form == Form::Sector {
            moved.numbers[3..].iter_mut().for_each(|bearing| *bearing += turn_rad);
        }
        moved
    }

    /// The sketch of the world in the frame of a pose.
    pub fn within(&self, pose: &Pose) -> Self {
        let back = direction(-pose.heading_rad);
        self.moved(|point| back.rotate(point - pose.position_m), -pose.heading_rad)
    }

    /// The sketch of a frame in the world, where the frame is at a pose.
    pub fn at(&self, pose: &Pose) -> Self {
        let facing = direction(pose.heading_rad);
        self.moved(|point| pose.position_m + facing.rotate(point), pose.heading_rad)
    }

    /// Whether both have the same kind and paint, and numbers within `tolerance`.
    pub fn is_near(&self, other: &Self, tolerance: f64) -> bool {
        self.is_like(other)
            && self.numbers.iter().zip(&other.numbers).all(|(one, other)| (one - other).abs() <= tolerance)
    }

    /// Whether both differ by their numbers only.
    pub fn is_like(&self, other: &Self) -> bool {
        self.numbers.len() == other.numbers.len()
            && self.layer == other.layer
            && self.paint == other.paint
            && self.form == other.form
    }

    /// The pose of a rigid motion that takes this sketch to another one, within `tolerance`; `None` if none does.
    pub fn motion_to(&self, other: &Self, tolerance: f64) -> Option<Pose> {
        if !self.is_like(other) || self.numbers.len() < 2 || matches!(self.form, Form::Cells { .. }) {
            return None;
        }
        let (first, first_there) = (self.point(0), other.point(0));
        let farthest = (1..self.points()).max_by(|one, two| {
            let distance = |place: &usize| self.point(*place).distance_squared(first);
            distance(one).total_cmp(&distance(two))
        });
        let turn_rad = match farthest {
            Some(place) => angle_of(other.point(place) - first_there) - angle_of(self.point(place) - first),
            None if self.form == Form::Sector => other.numbers[3] - self.numbers[3],
            None => 0.0,
        };
        let turn_rad = swarmarium_base::math::wrap_angle(turn_rad);
        let pose = Pose { position_m: first_there - direction(turn_rad).rotate(first), heading_rad: turn_rad };
        self.at(&pose).is_near(other, tolerance).then_some(pose)
    }

    /// The size of its numbers, cells and letters in bytes.
    pub fn bytes(&self) -> usize {
        let own = match &self.form {
            Form::Cells { levels, .. } => levels.len(),
            Form::Text { text, .. } => text.len(),
            Form::Disc | Form::Ring(_) | Form::Polygon | Form::Line { .. } | Form::Sector => 0,
        };
        own + size_of::<f64>() * self.numbers.len()
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.numbers.iter().all(|number| number.is_finite())
    }

    /// The pen of a line.
    pub fn pen(&self) -> Option<Pen> {
        match self.form {
            Form::Ring(pen) | Form::Line { pen, .. } => Some(pen),
            Form::Disc | Form::Polygon | Form::Sector | Form::Text { .. } | Form::Cells { .. } => None,
        }
    }
}

/// The centre and the radius of a regular polygon of many corners, which stands for a circle.
fn circle(points: &[DVec2]) -> Option<(DVec2, f64)> {
    if points.len() < 24 {
        return None;
    }
    let center = points.iter().sum::<DVec2>() / points.len() as f64;
    let radius_m = points[0].distance(center);
    let is_round = |point: &DVec2| (point.distance(center) - radius_m).abs() <= 1e-6 * radius_m;
    points.iter().all(is_round).then_some((center, radius_m))
}

/// A width with its unit: metres, or logical pixels.
pub const fn width(width: Width) -> (f64, &'static str) {
    match width {
        Width::Meters(width) => (width, "m"),
        Width::Pixels(width) => (width, "px"),
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::Role;

    use super::*;

    fn sketch(shape: Shape) -> Sketch {
        Sketch::of(&Item { layer: Layer::Objects, paint: Role::Obstacle.into(), shape })
    }

    fn boxed(size: DVec2) -> Sketch {
        sketch(Shape::Polygon(vec![DVec2::ZERO, DVec2::X * size, size, DVec2::Y * size]))
    }

    #[test]
    fn a_rigid_motion_is_found_and_a_deformation_is_none() {
        let sector = Shape::Sector { center: DVec2::ONE, radius_m: 2.0, from_rad: 0.5, to_rad: 1.5 };
        let disc = Shape::Disc { center: DVec2::new(3.0, 1.0), radius_m: 0.5 };
        for start in [boxed(DVec2::new(2.0, 1.0)), sketch(sector)] {
            let pose = Pose { position_m: DVec2::new(-4.0, 7.0), heading_rad: 2.5 };
            let found = start.motion_to(&start.at(&pose), 1e-9).unwrap();
            assert!(found.position_m.distance(pose.position_m) < 1e-9, "{found:?}");
            assert!((found.heading_rad - pose.heading_rad).abs() < 1e-9, "{found:?}");
            assert!(start.at(&pose).within(&pose).is_near(&start, 1e-9));
        }
        let moved = Pose { position_m: DVec2::new(1.0, 2.0), heading_rad: 0.0 };
        let disc = sketch(disc);
        assert_eq!(disc.motion_to(&disc.at(&moved), 1e-9), Some(moved));
        assert_eq!(boxed(DVec2::ONE).motion_to(&boxed(DVec2::splat(2.0)), 1e-9), None);
    }

    #[test]
    fn polygons_for_circles_are_rings() {
        let points = |count: u32| {
            let bearing = move |corner: u32| f64::from(corner) / f64::from(count) * std::f64::consts::TAU;
            (0..count).map(move |corner| DVec2::ONE + 0.2 * direction(bearing(corner))).collect::<Vec<_>>()
        };
        let pen = Width::Pixels(2.0).into();
        let ring = sketch(Shape::Line { points: points(32), closed: true, pen });
        assert_eq!(ring.form, Form::Ring(pen));
        assert!((ring.numbers[2] - 0.2).abs() < 1e-12);
        let octagon = sketch(Shape::Line { points: points(8), closed: true, pen });
        assert_eq!(octagon.form, Form::Line { pen, closed: true });
    }
}
