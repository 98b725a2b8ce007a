//! Pictures of the present state.

use bevy::math::DVec2;
use pyo3::prelude::*;
use swarmarium_draw::View;
use swarmarium_picture::palette::Theme;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_video::painter::Painter;
use swarmarium_video::{SIDES_PX, Style, png};

use crate::error::error;

/// The size of a picture in pixels, and its theme.
#[derive(Clone, Copy)]
pub struct Request {
    size: [u16; 2],
    theme: Theme,
}

impl Request {
    /// A request for a picture with a width and a height in pixels.
    ///
    /// # Errors
    /// If a side is too short or too long.
    pub fn new([width, height]: [u64; 2], is_light: bool) -> PyResult<Self> {
        let side = |name: &str, side: u64| {
            let (least, most) = (SIDES_PX.start(), SIDES_PX.end());
            let fitting = u16::try_from(side).ok().filter(|side| SIDES_PX.contains(&u32::from(*side)));
            fitting.ok_or_else(|| error(format!("{name}: expected {least} to {most} pixels, found {side}")))
        };
        let size = [side("width", width)?, side("height", height)?];
        Ok(Self { size, theme: if is_light { Theme::Light } else { Theme::Dark } })
    }

    /// Paints a simulation: the pixels, row by row, with red, green, blue and alpha.
    pub fn paint(self, simulation: &Simulation) -> Vec<u8> {
        let Self { size: [width, height], theme } = self;
        let view = View::fit(simulation.scene(), DVec2::new(f64::from(width), f64::from(height)));
        let mut painter = Painter::new(width, height, Style { theme, ..Style::default() });
        painter.paint(&simulation.picture(&view), &view.camera).rgba.to_vec()
    }

    /// A painted simulation as a PNG file.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn png(self, simulation: &Simulation) -> anyhow::Result<Vec<u8>> {
        png::encode(u32::from(self.size[0]), u32::from(self.size[1]), &self.paint(simulation), false)
    }

    /// Height, width and channels of the array of pixels.
    pub fn shape(self) -> [usize; 3] {
        [usize::from(self.size[1]), usize::from(self.size[0]), 4]
    }
}
