//! A map of obstacles: an SVG drawing, or a PNG or PGM image.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math;
use swarmarium_space::{Form, ThingKind, polygon};

use super::{Figure, Object};
use crate::kind::{SearchWords, SkipIfEmpty, kind};

pub mod dark;

use dark::{DarkPixels, DarkRectangle, MAX_RECTANGLES, MAX_SIDE};

/// The largest distance (m) between a curve and the lines that replace it.
pub const TOLERANCE_M: f64 = 1e-3;
/// The largest number of outlines of a drawing.
pub const MAX_OUTLINES: usize = 20_000;

/// Obstacles from a drawing or an image: each outline of the drawing, or each dark area of the image, is one.
///
/// Curves become lines with an error of at most a millimetre. Holes in an outline are filled; light pixels within dark
/// ones stay free.
#[kind(section = "Obstacles", words = "obstacle, map, svg, image, pgm, floor plan, occupancy grid, maze")]
pub struct Drawing {
    /// An `.svg` drawing, or a `.png` or `.pgm` image, in the folder of the scene or below it.
    ///
    /// The file is read when the scene is opened.
    pub file: String,
    /// Size of a unit of the drawing, or of a pixel of the image, in metres.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.01)]
    pub m_per_unit: f64,
    /// Width and height of the whole page or image, which replace `m_per_unit`: it is stretched to fit.
    #[reflect(@Limits::up_to(MAX_LENGTH_M), @SkipIfEmpty)]
    pub size_m: Option<DVec2>,
    /// Position of the lower left corner of the page or image.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub position_m: DVec2,
    /// Rotation about the lower left corner, anticlockwise.
    #[reflect(@SkipIfEmpty)]
    pub turn_rad: f64,
    /// Brightness below which pixels block: 0 is black, 1 is white.
    #[reflect(@Limits::between(0.0, 1.0))]
    #[default(0.5)]
    pub dark_below: f64,
    /// Whether the brightness of all pixels is inverted first, so that light ones block.
    #[reflect(@SkipIfEmpty)]
    pub light_blocks: bool,
    /// Width and height of the page in units, or of the image in pixels. The file sets it.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M), @SkipIfEmpty)]
    pub page: DVec2,
    /// The pixels of an image that block, as text. If there are any, the file is not read: a saved scene does not need it.
    ///
    /// It has the lengths of runs of pixels, line by line from the upper left corner: free ones first, then ones that
    /// block, in turn. The numbers are bytes with seven bits each, the lowest first, of which all but the last of a number
    /// have the highest bit set (LEB128), in Base64 (RFC 4648) without padding. Free pixels at the end are left out.
    #[reflect(@SkipIfEmpty)]
    pub pixels: String,
    /// The outlines, in units of the drawing from its lower left corner. If there are any, the file is not read: a
    /// saved scene does not need it.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub outlines: Vec<Vec<DVec2>>,
}

impl Drawing {
    /// Whether the file was read, or is not needed.
    pub fn is_read(&self) -> bool {
        self.file.is_empty() || !self.outlines.is_empty() || !self.pixels.is_empty()
    }

    /// Rectangles that cover exactly the pixels that block.
    ///
    /// # Errors
    /// With the problem of `pixels` or `page`, as a message for authors of scenes.
    pub fn rectangles(&self) -> Result<Vec<DarkRectangle>, String> {
        if self.pixels.is_empty() {
            return Ok(Vec::new());
        }
        let [columns, lines] = self.page.to_array();
        let is_side = |side: f64| side.fract() == 0.0 && (1.0..=f64::from(MAX_SIDE)).contains(&side);
        if !is_side(columns) || !is_side(lines) {
            return Err(format!("`page` is not the size of an image: expected whole numbers from 1 to {MAX_SIDE}"));
        }
        let dark = DarkPixels::of_text(&self.pixels, (columns * lines) as u64);
        let dark = dark.ok_or("`pixels` is not an image of the size `page`")?;
        let rectangles = dark.rectangles(columns as u32);
        rectangles.ok_or_else(|| format!("the pixels that block take more than {MAX_RECTANGLES} rectangles"))
    }

    /// Width and height of a unit (m).
    fn scale(&self) -> DVec2 {
        match self.size_m {
            Some(size_m) if self.page.cmpgt(DVec2::ZERO).all() => size_m / self.page,
            _ => DVec2::splat(self.m_per_unit),
        }
    }

    /// Visits the corners of each outline and each rectangle, in units.
    fn visit_outlines(&self, mut visit: impl FnMut(&[DVec2])) {
        self.outlines.iter().for_each(|outline| visit(outline));
        for DarkRectangle { columns: [left, right], lines: [top, bottom] } in self.rectangles().unwrap_or_default() {
            let [left, right] = [left, right].map(f64::from);
            let [top, bottom] = [top, bottom].map(|line| self.page.y - f64::from(line));
            visit(&[(left, bottom), (right, bottom), (right, top), (left, top)].map(DVec2::from));
        }
    }
}

impl Object for Drawing {
    fn figure(&self) -> Figure {
        let (scale, facing) = (self.scale(), math::direction(self.turn_rad));
        let at = |point: &DVec2| match self.turn_rad == 0.0 {
            true => self.position_m + *point * scale,
            false => self.position_m + facing.rotate(*point * scale),
        };
        let mut forms = Vec::new();
        let mut bounds = None;
        self.visit_outlines(|outline| {
            let corners: Vec<DVec2> = outline.iter().map(at).collect();
            let (low, high) = polygon::bounds(&corners);
            let around = |(below, above): (DVec2, DVec2)| (low.min(below), high.max(above));
            bounds = Some(bounds.map_or((low, high), around));
            forms.push(Form::Polygon(corners));
        });
        let (low, high) = bounds.unwrap_or_else(|| polygon::bounds(&[]));
        Figure { what: ThingKind::Thing, center_m: low.midpoint(high), forms, is_solid: true }
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        let mut moved = Self { turn_rad: math::wrap_angle(self.turn_rad + turn_rad), ..self.clone() };
        if turn_rad != 0.0 {
            // The bounding box changes: the shift keeps its centre in place.
            moved.position_m += self.figure().center_m - moved.figure().center_m;
        } else {
            moved.turn_rad = self.turn_rad;
        }
        moved.position_m += shift_m;
        moved
    }

    fn problem(&self) -> Option<String> {
        if self.outlines.len() > MAX_OUTLINES {
            return Some(format!("at most {MAX_OUTLINES} outlines fit in a drawing, found {}", self.outlines.len()));
        }
        if !self.is_read() {
            return Some(format!(
                "`{}` was not read: drawings are read when a scene is opened from its file",
                self.file
            ));
        }
        if self.size_m.is_some() && !self.outlines.is_empty() && !self.page.cmpgt(DVec2::ZERO).all() {
            return Some(
                "`size_m` needs the size of the `page` that is stretched to it, such as `page: (100, 50)`".into(),
            );
        }
        self.rectangles().err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pixels in the lower left corner of an image of 4 × 3 pixels, and one in its upper right corner.
    fn image() -> Drawing {
        let mut dark = DarkPixels::default();
        #[rustfmt::skip]
        let pixels = [
            0, 0, 0, 1,
            0, 0, 0, 0,
            1, 1, 0, 0,
        ];
        pixels.iter().for_each(|pixel| dark.push(*pixel == 1));
        Drawing { pixels: dark.text(), page: DVec2::new(4.0, 3.0), m_per_unit: 0.5, ..Drawing::default() }
    }

    fn boxes(drawing: &Drawing) -> Vec<[f64; 4]> {
        let bounds = drawing.figure().forms.iter().map(|form| form.outline().bounds()).collect::<Vec<_>>();
        let round = |value: f64| (value * 1e9).round() / 1e9;
        bounds.iter().map(|(low, high)| [low.x, low.y, high.x, high.y].map(round)).collect()
    }

    #[test]
    fn pixels_stand_on_the_lower_left_corner_of_the_image() {
        assert_eq!(boxes(&image()), [[1.5, 1.0, 2.0, 1.5], [0.0, 0.0, 1.0, 0.5]]);
        let placed = Drawing { position_m: DVec2::new(10.0, -1.0), ..image() };
        assert_eq!(boxes(&placed)[1], [10.0, -1.0, 11.0, -0.5]);
        assert_eq!(placed.figure().center_m, DVec2::new(11.0, -0.25));
    }

    #[test]
    fn an_image_is_stretched_to_its_size_and_then_turned_about_its_lower_left_corner() {
        let stretched = Drawing { size_m: Some(DVec2::new(8.0, 9.0)), position_m: DVec2::ONE, ..image() };
        assert_eq!(boxes(&stretched), [[7.0, 7.0, 9.0, 10.0], [1.0, 1.0, 5.0, 4.0]]);
        let turned = Drawing { turn_rad: std::f64::consts::FRAC_PI_2, ..stretched };
        assert_eq!(boxes(&turned), [[-8.0, 7.0, -5.0, 9.0], [-2.0, 1.0, 1.0, 5.0]]);
    }

    #[test]
    fn a_turn_keeps_the_centre() {
        let turned = image().moved(DVec2::new(1.0, 2.0), 0.7);
        assert!(turned.figure().center_m.distance(image().figure().center_m + DVec2::new(1.0, 2.0)) < 1e-12);
        assert!((turned.turn_rad - 0.7).abs() < 1e-12);
    }

    #[test]
    fn problems_name_their_field() {
        let problems = [
            Drawing { file: "a.png".into(), ..Drawing::default() },
            Drawing { page: DVec2::new(4.5, 3.0), ..image() },
            Drawing { page: DVec2::new(1.0, 3.0), ..image() },
            Drawing { pixels: "?".into(), ..image() },
            Drawing { size_m: Some(DVec2::ONE), outlines: vec![vec![DVec2::ZERO; 3]], ..Drawing::default() },
        ];
        let problems: Vec<String> = problems.iter().map(|drawing| drawing.problem().unwrap_or_default()).collect();
        insta::assert_snapshot!(problems.join("
"), @r"
        `a.png` was not read: drawings are read when a scene is opened from its file
        `page` is not the size of an image: expected whole numbers from 1 to 8192
        `pixels` is not an image of the size `page`
        `pixels` is not an image of the size `page`
        `size_m` needs the size of the `page` that is stretched to it, such as `page: (100, 50)`
        ");
        assert_eq!(image().problem(), None);
    }
}
