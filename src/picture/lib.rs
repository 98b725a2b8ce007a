//! The picture: a list of shapes in world coordinates.
//!
//! Painters turn the list into pixels. They know shapes and roles, but no kinds.

use bevy::math::DVec2;
use swarmarium_space::{Ellipse, Form};

pub mod blend;
pub mod camera;
pub mod cells;
pub mod dashes;
pub mod fonts;
pub mod palette;
pub mod pdf;
pub mod svg;

pub use camera::{Camera, YAxis};
pub use cells::Cells;
pub use palette::{GroupColors, Paint, Role, Theme};
pub use pdf::Pdf;
pub use svg::Svg;

/// Length and half the width of the head of an arrow, in logical pixels.
pub const ARROW_PX: DVec2 = DVec2::new(7.0, 3.0);

/// The thinnest line of all painters, in logical pixels: thinner lines flicker.
pub const THINNEST_PX: f64 = 0.75;
/// Painters leave shapes out that are farther out than this, in pixels: 32-bit arithmetic is not exact enough for them.
pub const FARTHEST_PX: f64 = 1e6;

/// Whether painters draw a shape at a place in pixels; not at one that is not a number.
pub fn is_near(at: DVec2) -> bool {
    at.abs().max_element() <= FARTHEST_PX
}

/// The layers of a picture, from the back to the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The arena, its grid and its walls.
    Field,
    /// The paths of robots.
    Trails,
    /// Obstacles and other objects.
    Objects,
    /// Lines from sensors to their targets.
    Links,
    /// Fields of view of sensors.
    Sensors,
    /// Robots.
    Agents,
    /// Texts and scales.
    Labels,
    /// Texts and charts above all other layers.
    Overlays,
}

impl Layer {
    /// All layers, from the back to the front.
    pub const ALL: [Self; 8] = [
        Self::Field,
        Self::Trails,
        Self::Objects,
        Self::Links,
        Self::Sensors,
        Self::Agents,
        Self::Labels,
        Self::Overlays,
    ];
}

/// A width: in the world, or on the screen independent of the zoom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// Metres of the world.
    Meters(f64),
    /// Logical pixels of the screen.
    Pixels(f64),
}

/// The style of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// The width of the line.
    pub width: Width,
    /// Whether the line is dashed. Dashes have the same length on the screen at any zoom.
    pub dashed: bool,
}

impl From<Width> for Pen {
    fn from(width: Width) -> Self {
        Self { width, dashed: false }
    }
}

impl Width {
    /// A pen of this width that draws dashes.
    pub const fn dashed(self) -> Pen {
        Pen { width: self, dashed: true }
    }
}

/// The anchor of a text at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end of the baseline is at the point.
    Left,
    /// The middle of the baseline is at the point.
    Middle,
    /// The right end of the baseline is at the point.
    Right,
}

/// One shape, in metres of the world, x to the right and y up.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled disc.
    Disc {
        /// The center.
        center: DVec2,
        /// Its radius in metres.
        radius_m: f64,
    },
    /// A filled triangle.
    Triangle([DVec2; 3]),
    /// A filled polygon, also a concave one.
    Polygon(Vec<DVec2>),
    /// A filled sector of a disc, anticlockwise from one bearing to the other.
    Sector {
        /// The center of the disc.
        center: DVec2,
        /// The radius of the disc in metres.
        radius_m: f64,
        /// Bearing of the first edge, in radians.
        from_rad: f64,
        /// Bearing of the last edge, in radians; at most a turn beyond the first.
        to_rad: f64,
    },
    /// A line through points.
    Line {
        /// The points.
        points: Vec<DVec2>,
        /// Whether the last point is joined to the first.
        closed: bool,
        /// The style of the line.
        pen: Pen,
    },
    /// A straight line.
    Segment {
        /// Its ends.
        ends: [DVec2; 2],
        /// The style of the line.
        pen: Pen,
    },
    /// A grid of filled cells in the colours of a field. The paint gives their opacity.
    Cells(Cells),
    /// A text. Its size on the screen does not depend on the zoom.
    Text {
        /// The point of the anchor.
        at: DVec2,
        /// The text.
        text: String,
        /// Height of the letters in logical pixels.
        size_px: f64,
        /// The anchor at the point.
        anchor: Anchor,
    },
}

/// A shape, with its layer and paint.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The layer of the shape.
    pub layer: Layer,
    /// The colour of the shape.
    pub paint: Paint,
    /// The shape.
    pub shape: Shape,
}

/// A list of shapes. Within a layer, later shapes lie over earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The shapes, in the order in which they were drawn.
    pub items: Vec<Item>,
    /// Logical pixels per metre, for kinds that leave out details that are too small to see.
    pub pixels_per_m: f64,
}

impl Picture {
    /// Adds a shape.
    pub fn add(&mut self, layer: Layer, paint: impl Into<Paint>, shape: Shape) {
        self.items.push(Item { layer, paint: paint.into(), shape });
    }

    /// Adds a filled disc.
    pub fn disc(&mut self, layer: Layer, paint: impl Into<Paint>, center: DVec2, radius_m: f64) {
        self.add(layer, paint, Shape::Disc { center, radius_m });
    }

    /// Adds a form, filled or as its outline.
    pub fn form(&mut self, layer: Layer, paint: impl Into<Paint>, form: &Form, rim: Option<Width>) {
        let shape = match (form, rim) {
            (&Form::Disc { center, radius }, None) => Shape::Disc { center, radius_m: radius },
            (Form::Polygon(corners), None) => Shape::Polygon(corners.clone()),
            (Form::Polygon(corners), Some(width)) => {
                Shape::Line { points: corners.clone(), closed: true, pen: width.into() }
            }
            (&Form::Disc { center, radius }, Some(width)) => {
                let bearing = |corner: u32| f64::from(corner) / 64.0 * std::f64::consts::TAU;
                let points =
                    (0..64).map(|corner| center + radius * swarmarium_base::math::direction(bearing(corner))).collect();
                Shape::Line { points, closed: true, pen: width.into() }
            }
        };
        self.add(layer, paint, shape);
    }

    /// Adds an ellipse, filled or as its outline.
    pub fn ellipse(&mut self, layer: Layer, paint: impl Into<Paint>, ellipse: &Ellipse, rim: Option<Pen>) {
        let points: Vec<_> = ellipse.rim(96).collect();
        let shape = match rim {
            None => Shape::Polygon(points),
            Some(pen) => Shape::Line { points, closed: true, pen },
        };
        self.add(layer, paint, shape);
    }

    /// Adds an arrow. The head has a fixed size on the screen, and is left out if the arrow is shorter than the head.
    pub fn arrow(&mut self, layer: Layer, paint: impl Into<Paint>, [from, to]: [DVec2; 2], width_px: f64) {
        let paint = paint.into();
        let (head_m, px) = (ARROW_PX / self.pixels_per_m, Width::Pixels(width_px));
        match (to - from).try_normalize().filter(|_| from.distance(to) > head_m.x) {
            Some(ahead) => {
                let (neck, aside) = (to - ahead * head_m.x, ahead.perp() * head_m.y);
                self.segment(layer, paint, [from, neck], px);
                self.add(layer, paint, Shape::Triangle([to, neck + aside, neck - aside]));
            }
            None => self.segment(layer, paint, [from, to], px),
        }
    }

    /// Adds a straight line.
    pub fn segment(&mut self, layer: Layer, paint: impl Into<Paint>, ends: [DVec2; 2], pen: impl Into<Pen>) {
        self.add(layer, paint, Shape::Segment { ends, pen: pen.into() });
    }
}
