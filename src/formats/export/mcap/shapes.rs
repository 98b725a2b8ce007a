//! Shapes to draw, as `visualization_msgs/Marker`.

use bevy::math::DVec2;

use super::cdr::Cdr;
use super::definitions::marker::{ADD, CYLINDER, DELETE, LINE_LIST, LINE_STRIP};
use super::transforms::half_turn;

/// The height of flat shapes (m).
const HEIGHT_M: f64 = 0.02;

/// A colour: red, green, blue, and opacity from 0 to 1.
pub(super) type Color = ([u8; 3], f64);

/// A list of shapes, of which each has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum List {
    /// The bounds of the arena.
    Arena,
    /// Objects.
    Objects,
    /// Bodies of robots, which move with their frames.
    Robots,
    /// Lines from robots to those that they see.
    Sight,
    /// Lines between robots that hear each other.
    Radio,
}

impl List {
    fn name(self) -> &'static str {
        match self {
            Self::Arena => "arena",
            Self::Objects => "objects",
            Self::Robots => "robots",
            Self::Sight => "sight",
            Self::Radio => "radio",
        }
    }
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Geometry {
    /// A disc.
    Disc { center_m: DVec2, radius_m: f64 },
    /// An outline.
    Outline { corners_m: Vec<DVec2>, width_m: f64 },
    /// Lines between pairs of points.
    Lines { points_m: Vec<DVec2>, width_m: f64 },
}

/// A shape in a frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub frame: String,
    pub geometry: Geometry,
    pub color: Color,
}

/// A message with shapes: `None` removes a shape.
pub(super) fn message<'a>(
    time_ns: u64,
    shapes: impl ExactSizeIterator<Item = (List, u32, &'a str, Option<&'a Shape>)>,
) -> Vec<u8> {
    let mut message = Cdr::default();
    message.length(shapes.len());
    for (list, number, frame, shape) in shapes {
        add(&mut message, time_ns, (list, number), frame, shape);
    }
    message.into_bytes()
}

fn add(message: &mut Cdr, time_ns: u64, (list, number): (List, u32), frame: &str, shape: Option<&Shape>) {
    message.header(time_ns, frame);
    message.text(list.name());
    message.i32(i32::try_from(number).unwrap_or(i32::MAX));
    let (kind, center_m, scale, points) = match shape.map(|shape| &shape.geometry) {
        None => (CYLINDER, DVec2::ZERO, [0.0; 3], &[][..]),
        Some(Geometry::Disc { center_m, radius_m }) => {
            (CYLINDER, *center_m, [2.0 * radius_m, 2.0 * radius_m, HEIGHT_M], &[][..])
        }
        Some(Geometry::Outline { corners_m, width_m }) => {
            (LINE_STRIP, DVec2::ZERO, [*width_m, 0.0, 0.0], corners_m.as_slice())
        }
        Some(Geometry::Lines { points_m, width_m }) => {
            (LINE_LIST, DVec2::ZERO, [*width_m, 0.0, 0.0], points_m.as_slice())
        }
    };
    message.i32(kind);
    message.i32(if shape.is_some() { ADD } else { DELETE });
    let [sine, cosine] = half_turn(0.0);
    message.f64s(&[center_m.x, center_m.y, 0.0, 0.0, 0.0, sine, cosine]);
    message.f64s(&scale);
    let (rgb, opacity) = shape.map_or(([0; 3], 0.0), |shape| shape.color);
    rgb.iter().for_each(|part| message.f32(f64::from(*part) / 255.0));
    message.f32(opacity);
    // It stays until it is replaced.
    message.i32(0);
    message.u32(0);
    // Bodies move with their robots.
    message.u8(u8::from(list == List::Robots));
    // The outline is closed.
    let closing = points.first().filter(|_| kind == LINE_STRIP);
    message.length(points.len() + usize::from(closing.is_some()));
    points.iter().chain(closing).for_each(|point| message.f64s(&[point.x, point.y, 0.0]));
    // No colours of single points, and no texture: its name, its image with header, format and data, and its coordinates.
    message.length(0);
    message.text("");
    message.header(0, "");
    message.text("");
    message.bytes(&[]);
    message.length(0);
    // No text and no mesh: its name, its file with data, and whether its materials are used.
    message.text("");
    message.text("");
    message.text("");
    message.bytes(&[]);
    message.u8(0);
}
