//! A map of obstacles: an SVG drawing or a PNG image.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math;
use swarmarium_space::{Form, ThingKind, polygon};

use super::{Figure, Object};
use crate::kind::{SearchWords, kind};

/// The largest distance (m) between a curve and the lines that replace it.
pub const TOLERANCE_M: f64 = 1e-3;
/// The largest number of outlines of a drawing, or of rectangles for an image.
pub const MAX_OUTLINES: usize = 20_000;

/// Obstacles from a drawing or an image: each outline of the drawing, or each dark area of the image, is one.
///
/// Curves become lines with an error of at most a millimetre. Holes in an outline are filled.
#[kind(section = "Obstacles", words = "obstacle, map, svg, image, floor plan, maze")]
pub struct Drawing {
    /// An `.svg` drawing or a `.png` image in the folder of the scene or below it.
    ///
    /// The file is read when the scene is opened.
    pub file: String,
    /// Size of a unit of the drawing, or of a pixel of the image, in metres.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.01)]
    pub m_per_unit: f64,
    /// Position of the lower left corner of the page or image.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub position_m: DVec2,
    /// Width and height.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    pub size_m: Option<DVec2>,
    /// Turn.
    pub turn_rad: f64,
    /// Inverts.
    pub light_blocks: bool,
    /// Size in pixels.
    pub page: DVec2,
    /// Pixels.
    pub pixels: String,
    /// Brightness below which pixels block: 0 is black, 1 is white.
    #[reflect(@Limits::between(0.0, 1.0))]
    #[default(0.5)]
    pub dark_below: f64,
    /// The outlines, in units of the drawing from its lower left corner. If there are any, the file is not read: a
    /// saved scene does not need it.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub outlines: Vec<Vec<DVec2>>,
}

impl Object for Drawing {
    fn figure(&self) -> Figure {
        let scale = self.size_m.map_or(DVec2::splat(self.m_per_unit), |size| size / self.page);
        let turn = math::direction(self.turn_rad);
        let at = |point: &DVec2| self.position_m + turn.rotate(*point * scale);
        let forms = self.outlines.iter().map(|outline| Form::Polygon(outline.iter().map(at).collect())).collect();
        let all: Vec<DVec2> = self.outlines.iter().flatten().map(at).collect();
        let (low, high) = polygon::bounds(&all);
        Figure { what: ThingKind::Thing, center_m: low.midpoint(high), forms, is_solid: true }
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        let mut moved = self.clone();
        if turn_rad != 0.0 {
            let facing = math::direction(turn_rad);
            moved.outlines.iter_mut().flatten().for_each(|corner| *corner = facing.rotate(*corner));
            // The bounding box changes: the shift keeps its centre in place.
            moved.position_m += self.figure().center_m - moved.figure().center_m;
        }
        moved.position_m += shift_m;
        moved
    }

    fn problem(&self) -> Option<String> {
        if self.outlines.len() > MAX_OUTLINES {
            return Some(format!("at most {MAX_OUTLINES} outlines fit in a drawing, found {}", self.outlines.len()));
        }
        (self.outlines.is_empty() && !self.file.is_empty())
            .then(|| format!("`{}` was not read: drawings are read when a scene is opened from its file", self.file))
    }
}
