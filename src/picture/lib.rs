//! The picture: what there is to see, as a list of shapes in world coordinates.
//!
//! Painters turn the list into pixels; they know shapes and roles, never kinds.

use bevy::math::DVec2;
use swarmarium_space::{Ellipse, Form};

pub mod camera;
pub mod cells;
pub mod dashes;
pub mod palette;

pub use camera::{Camera, YAxis};
pub use cells::Cells;
pub use palette::{GroupColors, Paint, Role, Theme};

/// Length and half the width of the head of an arrow, in logical pixels.
pub const ARROW_PX: DVec2 = DVec2::new(7.0, 3.0);

/// The layers of a picture, from the back to the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The arena, its grid and its walls.
    Field,
    /// Where robots have been.
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
    /// Words and charts over everything.
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

/// A width: of the world, or of the screen whatever the zoom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// Metres of the world.
    Meters(f64),
    /// Logical pixels of the screen.
    Pixels(f64),
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// How wide.
    pub width: Width,
    /// Whether in dashes, which have the same length on the screen whatever the zoom.
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

/// How a text stands to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Left end at the point, standing on it.
    Left,
    /// Middle at the point, standing on it.
    Middle,
    /// Right end at the point, standing on it.
    Right,
}

/// One shape, in metres of the world, x to the right and y up.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled disc.
    Disc {
        /// Its middle.
        center: DVec2,
        /// Its radius in metres.
        radius_m: f64,
    },
    /// A filled triangle.
    Triangle([DVec2; 3]),
    /// A filled polygon, also a concave one.
    Polygon(Vec<DVec2>),
    /// A filled piece of a disc, anticlockwise from one bearing to the other.
    Sector {
        /// Where the disc has its middle.
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
        /// How it is drawn.
        pen: Pen,
    },
    /// A straight line.
    Segment {
        /// Its ends.
        ends: [DVec2; 2],
        /// How it is drawn.
        pen: Pen,
    },
    /// A grid of filled squares in the colours of a field; the paint says how much shows through.
    Cells(Cells),
    /// A text; its size is the screen's, whatever the zoom.
    Text {
        /// The point that it stands on.
        at: DVec2,
        /// The text.
        text: String,
        /// Height of the letters in logical pixels.
        size_px: f64,
        /// How it stands to the point.
        anchor: Anchor,
    },
}

/// A shape, with its layer and paint.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The layer that it lies in.
    pub layer: Layer,
    /// Its colour.
    pub paint: Paint,
    /// Its form.
    pub shape: Shape,
}

/// A list of shapes. Within a layer, later shapes lie over earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The shapes, in the order in which they were drawn.
    pub items: Vec<Item>,
    /// How many logical pixels a metre has, for kinds that leave out what is too small to see.
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

    /// Adds a form, filled or as its rim.
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

    /// Adds an ellipse, filled or as its rim.
    pub fn ellipse(&mut self, layer: Layer, paint: impl Into<Paint>, ellipse: &Ellipse, rim: Option<Pen>) {
        let points: Vec<_> = ellipse.rim(96).collect();
        let shape = match rim {
            None => Shape::Polygon(points),
            Some(pen) => Shape::Line { points, closed: true, pen },
        };
        self.add(layer, paint, shape);
    }

    /// Adds an arrow. Its head has a size on the screen, and is left out where the arrow is shorter.
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
