//! A map of obstacles: an SVG drawing or a PNG image.

use std::path::Path;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::files::{self, FileError, LookupError};
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math;
use swarmarium_space::drawing::bitmap::{Bitmap, BitmapError, MAX_RECTANGLES};
use swarmarium_space::drawing::{self, DrawingError, svg_text};
use swarmarium_space::{Form, ThingKind, polygon};
use thiserror::Error;

use super::{Figure, Object};
use crate::kind::kind;

/// The reason why the drawing of an object or of a body cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawingFileError {
    /// The path leads to no file in the folder of the scene.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The file has no usable outlines.
    #[error("`{file}`: {error}")]
    Content {
        /// The name of the file.
        file: String,
        /// The reason.
        error: OutlinesError,
    },
}

/// The reason why a file has no usable outlines.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OutlinesError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The image cannot be used.
    #[error(transparent)]
    Bitmap(#[from] BitmapError),
    /// The drawing cannot be used.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// The image has no dark pixels.
    #[error("the image has no dark pixels")]
    NothingDark,
    /// The drawing has no areas.
    #[error("the drawing has no outline: a filled shape or a closed line")]
    NoOutline,
}

/// Obstacles from a drawing or an image: each outline of the drawing, or each dark area of the image, is one.
///
/// Curves become lines with an error of at most a millimetre. Holes in an outline are filled.
#[kind]
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
        let at = |point: &DVec2| self.position_m + *point * self.m_per_unit;
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
        if self.outlines.len() > MAX_RECTANGLES {
            return Some(format!("at most {MAX_RECTANGLES} outlines fit in a drawing, found {}", self.outlines.len()));
        }
        (self.outlines.is_empty() && !self.file.is_empty())
            .then(|| format!("`{}` was not read: drawings are read when a scene is opened from its file", self.file))
    }
}

/// The largest distance (m) between a curve and the lines that replace it.
pub const TOLERANCE_M: f64 = 1e-3;

/// The signature of PNG images.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

impl Drawing {
    /// Reads the file, if one is named and there are no outlines yet; its path is relative to `folder`.
    ///
    /// # Errors
    /// If the file is not usable, with the reason and the place.
    pub fn read(&mut self, folder: &Path) -> Result<(), DrawingFileError> {
        if self.outlines.is_empty() && !self.file.is_empty() {
            let path = files::within(folder, &self.file)?;
            let outlines = self.outlines_of(&path);
            self.outlines = outlines.map_err(|error| DrawingFileError::Content { file: self.file.clone(), error })?;
        }
        Ok(())
    }

    fn outlines_of(&self, path: &Path) -> Result<Vec<Vec<DVec2>>, OutlinesError> {
        let bytes = files::read_at_most(path, drawing::MAX_BYTES)?;
        if bytes.starts_with(PNG) {
            let Bitmap { size, dark } = Bitmap::read(&bytes, self.dark_below)?;
            let corners = |(low, high): &(DVec2, DVec2)| {
                let (bottom, top) = (size.y - high.y, size.y - low.y);
                [(low.x, bottom), (high.x, bottom), (high.x, top), (low.x, top)].map(DVec2::from).to_vec()
            };
            return match dark.as_slice() {
                [] => Err(OutlinesError::NothingDark),
                dark => Ok(dark.iter().map(corners).collect()),
            };
        }
        let drawing = drawing::Drawing::read(&svg_text(bytes)?, TOLERANCE_M / self.m_per_unit)?;
        let all: Vec<DVec2> = drawing.outlines().flat_map(|(_, outline)| outline.iter().copied()).collect();
        let bounds = polygon::bounds(&all);
        let (low, size) = drawing.page.unwrap_or((bounds.0, bounds.1 - bounds.0));
        let upright = |corner: &DVec2| DVec2::new(corner.x - low.x, low.y + size.y - corner.y);
        let outlines = drawing
            .outlines()
            .map(|(shape, outline)| Ok(drawing::usable(shape, outline)?.iter().map(upright).collect()));
        let outlines: Vec<Vec<DVec2>> = outlines.collect::<Result<_, DrawingError>>()?;
        if outlines.is_empty() { Err(OutlinesError::NoOutline) } else { Ok(outlines) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(name: &str, content: impl AsRef<[u8]>) -> Result<Drawing, DrawingFileError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        let mut drawing = Drawing { file: name.into(), m_per_unit: 0.1, position_m: DVec2::ONE, ..Drawing::default() };
        drawing.read(folder.path())?;
        Ok(drawing)
    }

    #[test]
    fn a_drawing_stands_on_its_lower_left_corner() {
        let svg = "<svg viewBox='0 0 30 20'><rect x='10' y='5' width='10' height='5'/></svg>";
        let drawing = read("map.svg", svg).unwrap();
        let expected = [(10.0, 15.0), (20.0, 15.0), (20.0, 10.0), (10.0, 10.0)].map(DVec2::from).to_vec();
        assert_eq!(drawing.outlines, [expected]);
        assert_eq!(drawing.figure().center_m, DVec2::new(2.5, 2.25));
    }

    #[test]
    fn dark_pixels_are_obstacles() {
        let drawing = read("map.png", swarmarium_testing::image(2, &[0, 255, 255, 255])).unwrap();
        let expected = [(0.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)].map(DVec2::from).to_vec();
        assert_eq!(drawing.outlines, [expected]);
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_file() {
        let read = |name: &str, content: &[u8]| read(name, content).unwrap_err().to_string();
        let problems = [
            read("a.svg", b"<svg><path d='M0 0L1 1'/></svg>"),
            read("a.svg", b"<svg>\n<polygon points='0 0 1 1 1 0 0 1'/></svg>"),
            read("a.svg", b"\x1f\x8b"),
            read("a.png", &swarmarium_testing::image(1, &[255])),
            Drawing { file: "../a.svg".into(), ..Drawing::default() }.read(Path::new(".")).unwrap_err().to_string(),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
        `a.svg`: the drawing has no outline: a filled shape or a closed line
        `a.svg`: line 2: the outline of `<polygon>` crosses or touches itself
        `a.svg`: is a compressed drawing: unpack it first
        `a.png`: the image has no dark pixels
        `../a.svg` is outside the folder of the scene
        ");
    }
}
