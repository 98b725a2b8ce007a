//! Export of figures for papers and talks: the plots or the view of the world, on white paper.

use std::path::PathBuf;

use bevy_egui::egui::{ColorImage, Context};
use swarmarium_base::files::write_whole;
use swarmarium_core::draw::View;
use swarmarium_figure::{Pixels, Print, sheet};
use swarmarium_picture::camera::Camera;

use super::Lab;
use super::settings::{FigureContent, FigureFormat};

mod panel;

pub use panel::FigurePanel;

/// The reason why there is no figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// The scene has no metrics, and nothing is pinned.
    #[error("There is no plot to export: the scene has no metrics, and nothing is pinned")]
    NoPlots,
    /// All plots are left out.
    #[error("All plots are left out of the figure: choose some in \"Export figure\"")]
    AllLeftOut,
}

impl Lab {
    /// Returns the figure with this content, in the size of the settings.
    ///
    /// # Errors
    /// Returns an error if there is no plot to show.
    pub(crate) fn figure(&self, content: FigureContent) -> Result<Print, FigureError> {
        let simulation = self.host.simulation();
        let seed = self.host.start().seed;
        let description = format!("Step {}, seed {seed}, {}", simulation.steps(), self.plots.history.sampling());
        match content {
            FigureContent::Plots => {
                let options = &self.settings.figure;
                let latest = self.plots.history.latest(simulation);
                let figures = self.plots.figures(simulation.time().now_s(), &latest, &options.left_out);
                match figures.as_slice() {
                    [] if self.plots.titles().is_empty() => Err(FigureError::NoPlots),
                    [] => Err(FigureError::AllLeftOut),
                    figures => Ok(sheet(figures, options.paper(), &self.title(), &description)),
                }
            }
            FigureContent::World => Ok(self.world_figure()),
        }
    }

    /// Returns the visible part of the world on paper.
    fn world_figure(&self) -> Print {
        let paper = self.settings.figure.paper();
        let shown = self.viewport.view;
        let screen_px = paper.size_px();
        let zoom = (screen_px / shown.camera.screen_px).min_element();
        let camera = Camera { screen_px, pixels_per_m: shown.camera.pixels_per_m * zoom, ..shown.camera };
        let picture = self.picture(&View { camera, ..shown });
        let time = self.host.simulation().time();
        let description = format!("{:.3} s, step {}, seed {}", time.now_s(), time.step, self.host.start().seed);
        Print { title: self.title(), description, picture, camera, paper }
    }

    /// Saves a figure. A thread writes the file, because large PNG files take time.
    pub(crate) fn export_figure(&mut self, content: FigureContent, format: FigureFormat, path: PathBuf) {
        let print = match self.figure(content) {
            Ok(print) => print,
            Err(error) => return self.tell_error(error),
        };
        let dots_per_inch = self.settings.figure.dots_per_inch;
        let started = self.recordings.work("figure", path.clone(), move || {
            match format {
                FigureFormat::Svg => write_whole(&path, print.svg()),
                FigureFormat::Pdf => write_whole(&path, print.pdf()),
                FigureFormat::Png => print.png(dots_per_inch).and_then(|file| write_whole(&path, file)),
            }?;
            Ok(format!("Saved {}", path.display()))
        });
        self.tell(started);
    }

    /// Copies the figure of the settings to the clipboard as an image.
    pub(crate) fn copy_figure(&mut self, ctx: &Context) {
        match self.figure(self.settings.figure.content) {
            Ok(print) => {
                let pixels = print.pixels(self.settings.figure.dots_per_inch);
                let [width, height] = pixels.size;
                ctx.copy_image(image(&pixels));
                self.say(&format!("Copied the figure as an image of {width} by {height} pixels"));
            }
            Err(error) => self.tell_error(error),
        }
    }
}

/// Converts pixels to an image of egui.
fn image(pixels: &Pixels) -> ColorImage {
    ColorImage::from_rgba_unmultiplied(pixels.size.map(usize::from), &pixels.rgba)
}

#[cfg(test)]
mod tests;
