//! The look of the world on the command line: camera, overlays and colours.

use std::str::FromStr;

use anyhow::anyhow;
use bevy::math::DVec2;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::kind::Kinds;
use swarmarium_draw::{ColorBy, Overlay, Overlays, ShowSensors, View};
use swarmarium_host::aim::{Aim, Operator};
use swarmarium_picture::palette::GroupColors;
use swarmarium_scene::scene::description::{CameraKeyframe, LookAt};
use swarmarium_scene::scene::{Scene, constants};
use swarmarium_simulation::simulation::Simulation;

use super::common::{OneOf, Seconds};
use super::error::ArgumentError;

/// The default length of trails, in simulated seconds.
const TRAIL_S: f64 = 5.0;

/// The look of the world.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct ViewArguments {
    /// Camera: fit, X,Y,ZOOM, follow:AGENT or follow:GROUP, the last two with an optional ,ZOOM [default: the camera of the
    /// scene, or fit]
    #[arg(long, value_name = "AIM", allow_hyphen_values = true)]
    camera: Option<Aim>,
    /// Overlays to draw, separated by commas: grid, grid-labels, scale, sensors, title, clock, seed, metrics, links,
    /// connections, estimates, plans, trails, ids, names, velocities, commands, density, occupancy, voronoi, delaunay, fields;
    /// or none [default: those of the window]
    #[arg(long, value_name = "LIST")]
    overlay: Option<OverlayList>,
    /// Property that the colours of robots show: group, speed, state, reading, reading:SLOT, id or heading
    #[arg(long, value_name = "QUANTITY", default_value = "group")]
    color_by: ColorBy,
    /// Draw trails of this length, in simulated seconds
    #[arg(long, value_name = "S")]
    trail: Option<Seconds>,
}

impl ViewArguments {
    /// Whether an overlay is asked for by its name.
    pub fn asks_for(&self, overlay: Overlay) -> bool {
        self.overlay.is_some_and(|OverlayList(overlays)| overlays.shows(overlay))
    }

    /// Gives groups their trails: all groups with `--trail`, or else those without trails if the overlay is on.
    ///
    /// Other fields with the value of the same constant keep it.
    pub fn add_trails(&self, kinds: &Kinds, scene: &mut Scene) {
        let is_requested = self.asks_for(Overlay::Trails);
        for index in 0..scene.groups.len() {
            let trail_s = scene.groups[index].look.trail_s;
            let new_trail_s = match self.trail {
                Some(Seconds(length_s)) => length_s,
                None if is_requested && trail_s == 0.0 => TRAIL_S,
                None => trail_s,
            };
            if new_trail_s != trail_s {
                constants::release(kinds, scene, &format!("groups.{index}.look.trail_s"));
                scene.groups[index].look.trail_s = new_trail_s;
            }
        }
    }

    /// Whether the camera shows the whole arena all the time.
    pub fn is_fit(&self, scene: &Scene) -> bool {
        let is_fit = |keyframe: &CameraKeyframe| keyframe.look_at == LookAt::Fit && keyframe.zoom == 1.0;
        match &self.camera {
            Some(aim) => is_fit(&aim.0),
            None => scene.view.camera.iter().all(is_fit),
        }
    }

    /// The operator of the camera.
    ///
    /// # Errors
    /// When the camera follows something that the scene does not have.
    pub fn operator(&self, simulation: &Simulation) -> anyhow::Result<Operator> {
        let keyframes = match &self.camera {
            Some(aim) => vec![aim.0.clone()],
            None => simulation.scene().view.camera.clone(),
        };
        Operator::new(&keyframes, simulation).map_err(|problem| anyhow!("--camera: {problem}"))
    }

    /// The view of a scene on a screen of this size, in logical pixels.
    pub fn view(&self, scene: &Scene, screen_px: DVec2) -> View {
        let mut view = View::fit(scene, screen_px);
        view.overlays = self.overlay.map_or(view.overlays, |OverlayList(overlays)| overlays);
        let has_trails = view.overlays.shows(Overlay::Trails) || self.trail.is_some();
        view.overlays.set(Overlay::Floor, true);
        view.overlays.set(Overlay::Trails, has_trails);
        view.color_by = self.color_by;
        view
    }

    /// Whether a flag is given that differs from its default.
    pub fn is_given(&self) -> bool {
        let Self { camera, overlay, color_by, trail } = self;
        camera.is_some() || overlay.is_some() || *color_by != ColorBy::default() || trail.is_some()
    }
}

/// The palettes by their names.
pub(super) const PALETTES: OneOf<GroupColors> = OneOf(&[
    ("okabe-ito", GroupColors::OkabeIto),
    ("tol", GroupColors::Tol),
    ("grey", GroupColors::Grey),
    ("gray", GroupColors::Grey),
]);

/// The names of overlays that `--overlay` knows, apart from `none`.
pub(super) fn overlay_names() -> impl Iterator<Item = &'static str> {
    Overlay::NAMED.into_iter().map(|(_, name)| name).chain(["sensors", "metrics"])
}

/// The overlays of `--overlay`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OverlayList(Overlays);

impl FromStr for OverlayList {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let mut overlays = Overlays::NONE;
        for name in text.split(',').map(str::trim).filter(|name| !["", "none"].contains(name)) {
            match (name, Overlay::named(name)) {
                (_, Some(overlay)) => overlays.set(overlay, true),
                ("sensors", None) => overlays.sensors = ShowSensors::All,
                ("metrics", None) => overlays = overlays.with(Overlay::Metrics).with(Overlay::Values),
                _ => {
                    let known = overlay_names().collect::<Vec<_>>().join(", ");
                    return Err(ArgumentError::Overlay { known, hint: did_you_mean(name, overlay_names()) });
                }
            }
        }
        Ok(Self(overlays))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlays_are_read_by_name() {
        let of = |text: &str| text.parse::<OverlayList>();
        let list = of("title, clock,trails").unwrap();
        assert_eq!(list.0, Overlays::NONE.with(Overlay::Title).with(Overlay::Clock).with(Overlay::Trails));
        let list = of("sensors,metrics,density,grid-labels").unwrap();
        let metrics = Overlays::NONE.with(Overlay::Metrics).with(Overlay::Values);
        let mut sensors = metrics.with(Overlay::Density).with(Overlay::GridLabels);
        sensors.sensors = ShowSensors::All;
        assert_eq!(list.0, sensors);
        assert_eq!(of("none"), Ok(OverlayList(Overlays::NONE)));
        assert!(of("titel").unwrap_err().to_string().contains("did you mean `title`"));
    }
}
