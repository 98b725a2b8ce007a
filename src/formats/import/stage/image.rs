//! Images of models: their dark parts fill the size of the model.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::math::direction;
use swarmarium_core::object::Object as _;
use swarmarium_core::object::drawing::Drawing;
use swarmarium_space::{Form, polygon};

use super::values::Pose;
use crate::referenced_files::bitmap::Shade;
use crate::referenced_files::drawing::read_object_by;

/// The endings of images that are read.
pub const ENDINGS: [&str; 3] = ["png", "pgm", "pnm"];
/// The red below which a pixel is an obstacle: Stage compares the first byte of a pixel with 127.
const DARK_BELOW: f64 = 0.5;

/// An image with its dark parts.
#[derive(Clone)]
pub struct Image {
    /// The image as a drawing of one metre for each pixel.
    drawing: Drawing,
    /// The corners of the box around its dark parts, in pixels with y up.
    dark: (DVec2, DVec2),
    /// The number of rectangles of its dark parts.
    pub rectangles: usize,
}

impl Image {
    /// Reads an image. `name` is its name in the world.
    ///
    /// # Errors
    /// When it cannot be read, or has no dark pixels.
    pub fn read(name: &str, path: &Path) -> Result<Self, String> {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut drawing = Drawing { file, m_per_unit: 1.0, dark_below: DARK_BELOW, ..Drawing::default() };
        read_object_by(&mut drawing, path.parent().unwrap_or(path), Shade::Red).map_err(|error| error.to_string())?;
        name.clone_into(&mut drawing.file);
        let (dark, rectangles) = (bounds(&drawing), drawing.figure().forms.len());
        Ok(Self { drawing, dark, rectangles })
    }

    /// The width and height of a pixel if the dark parts together fill a size.
    fn pixel_m(&self, size_m: DVec2) -> DVec2 {
        let (low, high) = self.dark;
        size_m / (high - low).max(DVec2::splat(1e-9))
    }

    /// The width and height of the whole image if its dark parts together fill a size.
    pub fn page_m(&self, size_m: DVec2) -> DVec2 {
        self.drawing.page * self.pixel_m(size_m)
    }

    /// A drawing whose dark parts together fill a size about a pose, as Stage stretches them.
    pub fn filling(&self, size_m: DVec2, pose: Pose) -> Drawing {
        let Self { drawing, dark: (low, high), .. } = self.clone();
        let m_per_pixel = self.pixel_m(size_m);
        let corner = -low.midpoint(high) * m_per_pixel;
        let position_m = pose.at_m + direction(pose.heading_rad).rotate(corner);
        Drawing {
            position_m,
            size_m: Some(self.page_m(size_m)),
            turn_rad: pose.heading_rad,
            m_per_unit: Drawing::default().m_per_unit,
            ..drawing
        }
    }
}

/// The corners of the box around all outlines of a drawing.
pub fn bounds(drawing: &Drawing) -> (DVec2, DVec2) {
    let forms = drawing.figure().forms;
    let corners = forms.iter().filter_map(|form| if let Form::Polygon(corners) = form { Some(corners) } else { None });
    polygon::bounds(&corners.flatten().copied().collect::<Vec<DVec2>>())
}
