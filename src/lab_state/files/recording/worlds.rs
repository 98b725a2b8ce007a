//! The parts of a frame: the world, or A and B of a comparison side by side, with heads and captions; and plots below.

use bevy::math::DVec2;
use swarmarium_draw::{Overlay, View, banner};
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_video::{Pane, Spec};

use crate::common::settings::RecordingOptions;
use crate::compare::heads::Head;
use crate::files::recording::captions::Captions;
use crate::plots::band::{Band, Filmed};

/// Gap between two parts of a frame, in logical pixels.
const GAP_PX: f64 = 2.0;

/// Returns the size of a frame in logical pixels.
pub fn frame_px(spec: &Spec) -> DVec2 {
    DVec2::new(f64::from(spec.width), f64::from(spec.height)) / spec.style.scale
}

/// Returns the pane of a band of plots at the lower edge of a frame.
pub fn band_pane(spec: &Spec, band: &Band, filmed: &Filmed) -> Pane {
    let (picture, camera) = band.picture(filmed);
    Pane { picture, camera, corner_px: DVec2::new(0.0, frame_px(spec).y - band.size_px.y) }
}

/// The place of a world in a frame, in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The upper left corner.
    pub corner_px: DVec2,
    /// The size.
    pub size_px: DVec2,
    /// Whether it is the first world, which has the title.
    is_first: bool,
}

impl Place {
    /// Returns the places of so many worlds, from left to right, above a band of plots.
    pub fn of(spec: &Spec, worlds: usize, band: Option<&Band>) -> impl Iterator<Item = Self> + use<> {
        let frame_px = frame_px(spec);
        let count = worlds.max(1);
        let width = ((frame_px.x - GAP_PX * (count - 1) as f64) / count as f64).max(1.0);
        let height = frame_px.y - band.map_or(0.0, |band| band.size_px.y + GAP_PX);
        (0..count).map(move |index| Self {
            corner_px: DVec2::new(index as f64 * (width + GAP_PX), 0.0),
            size_px: DVec2::new(width, height),
            is_first: index == 0,
        })
    }

    /// Returns the view of the window for this place.
    pub fn view(&self, options: &RecordingOptions, view: &View) -> View {
        let zoom = (self.size_px / view.camera.screen_px).min_element();
        let pixels_per_m = view.camera.pixels_per_m * zoom;
        let camera = Camera { screen_px: self.size_px, pixels_per_m, ..view.camera };
        let RecordingOptions { title, clock, seed, values, .. } = *options;
        let mut overlays = view.overlays;
        let title = title && self.is_first;
        let words =
            [(Overlay::Title, title), (Overlay::Clock, clock), (Overlay::Seed, seed), (Overlay::Values, values)];
        words.into_iter().for_each(|(overlay, is_shown)| overlays.set(overlay, is_shown));
        View { camera, overlays, ..*view }
    }

    /// Returns the pane with a picture of this place: its head lies at the lower edge, and captions above it.
    pub fn pane(
        &self,
        mut picture: Picture,
        view: &View,
        simulation: &Simulation,
        head: Option<&Head>,
        captions: Option<&Captions>,
    ) -> Pane {
        let head = head.map(|head| head.text(simulation));
        let captions = captions.into_iter().flat_map(|captions| captions.texts().rev());
        for (row, text) in head.as_deref().into_iter().chain(captions).enumerate() {
            banner(text, row, view, &mut picture);
        }
        Pane { picture, camera: view.camera, corner_px: self.corner_px }
    }
}
