//! Everything that panels and keys can ask for, and the one place where it is done.

use std::hash::{BuildHasher as _, RandomState};

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::window::{MonitorSelection, WindowMode};

use super::Lab;
use crate::draw::Theme;

/// What panels and keys ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Pauses, or plays on.
    PlayOrPause,
    /// Pauses and does a number of steps.
    Step(u64),
    /// Asks for a time scale.
    Scale(f64),
    /// Starts again with the same seed.
    Reset,
    /// Starts again with another seed.
    ResetWithNewSeed,
    /// Shows the whole arena.
    Fit,
    /// Moves the world by logical pixels of the screen.
    Pan(DVec2),
    /// Zooms by a factor around a point.
    Zoom {
        /// What stays where it is, in logical pixels from the corner of the world's panel.
        at_px: DVec2,
        /// More than one comes closer.
        factor: f64,
    },
    /// Shows or hides the grid.
    Grid,
    /// Shows or hides what sensors see.
    Sensors,
    /// Takes other colours.
    Theme(Theme),
    /// Opens or closes the list of keys.
    Help,
    /// Closes what lies over the world.
    Close,
    /// Hides or shows all panels.
    Panels,
    /// Fills the screen, or goes back to a window.
    FullScreen,
}

/// The actions of this frame, in the order in which they came.
#[derive(Resource, Default)]
pub(super) struct Actions(pub Vec<Action>);

/// Does what was asked for.
pub(super) fn apply(mut actions: ResMut<Actions>, mut lab: NonSendMut<Lab>, mut window: Single<&mut Window>) {
    for action in std::mem::take(&mut actions.0) {
        match action {
            Action::FullScreen => toggle_full_screen(&mut window),
            action => act(&mut lab, action),
        }
    }
}

fn toggle_full_screen(window: &mut Window) {
    window.mode = match window.mode {
        WindowMode::Windowed => WindowMode::BorderlessFullscreen(MonitorSelection::Current),
        _ => WindowMode::Windowed,
    };
}

fn act(lab: &mut Lab, action: Action) {
    match action {
        Action::PlayOrPause => lab.host.clock_mut().paused ^= true,
        Action::Step(steps) => lab.host.clock_mut().step_once(steps),
        Action::Scale(scale) => {
            let done = lab.host.set_scale(scale);
            lab.tell(done.map_err(|problem| problem.message));
        }
        Action::Reset => lab.reset(None),
        Action::ResetWithNewSeed => lab.reset(Some(new_seed())),
        Action::Fit => lab.fit(),
        Action::Pan(by_px) => {
            lab.view.camera.pan(by_px);
            lab.fitted = false;
        }
        Action::Zoom { at_px, factor } => {
            lab.view.camera.zoom_at(at_px, factor);
            lab.fitted = false;
        }
        Action::Grid => lab.view.overlays.grid ^= true,
        Action::Sensors => lab.view.overlays.sensors ^= true,
        Action::Theme(theme) => lab.theme = theme,
        Action::Help => lab.help ^= true,
        Action::Close => {
            lab.help = false;
            lab.notice = None;
        }
        Action::Panels => lab.panels ^= true,
        Action::FullScreen => {}
    }
}

/// A seed of at most six digits, to be read out and typed in. Its only source is the keys of a new hasher.
fn new_seed() -> u64 {
    RandomState::new().hash_one(0) % 1_000_000
}
