//! The lab: the window in which a scene is watched and edited.
//!
//! It hosts one simulation and uses only its public interface; no part of a simulation depends on the window.
//! A panel is a struct whose `ui` draws it and returns [`Action`]s, which one system executes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use bevy::app::AppExit;
use swarmarium_formats::load::Loaded;
use swarmarium_simulation::simulation::Recipe;

#[cfg(test)]
mod tests;
mod window;

pub use swarmarium_lab_state::action::{self, Action};
pub use swarmarium_lab_state::app::Options;
pub use swarmarium_lab_state::files::recording::{RecordingError, RecordingResult};
pub use swarmarium_lab_state::shell::keymap::{CommandDescription, describe_commands};
pub use swarmarium_lab_state::timeline::open_run::RunToOpen;
pub use window::display::{DisplayError, display_available};

use swarmarium_lab_panels::tour;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::places::Places;
use swarmarium_lab_state::files::presets::Presets;
use swarmarium_lab_state::files::shots;
use window::engine::Engine;
use window::settings_file::SettingsFile;

/// The result of [`open`].
#[derive(Debug)]
pub struct Ended {
    /// The cause of the end.
    pub outcome: Outcome,
    /// Messages about recordings that were running.
    pub told: Vec<RecordingResult>,
}

/// The cause of the end of the lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The window was closed.
    Closed,
    /// The screenshot was saved.
    Saved(PathBuf),
    /// The terminal interrupted the program.
    Interrupted,
    /// Another program destroyed the window.
    Destroyed,
}

/// Opens the window on a scene and runs until it is closed.
///
/// Checks [`display_available`] first.
///
/// # Errors
/// Returns an error if the simulation cannot be built, no window can be opened, or the screenshot cannot be saved.
pub fn open(loaded: impl Into<Loaded>, recipe: &Recipe, options: &Options) -> anyhow::Result<Ended> {
    // A screenshot must not depend on settings of the user.
    let mut memory = if options.screenshot.is_some() { SettingsFile::default() } else { SettingsFile::of_user() };
    let (settings, told) = memory.recall();
    let mut lab = Lab::new(loaded.into(), recipe, options, settings)?;
    lab.notices.tell(told);
    lab.files.presets = Presets::in_folder(memory.presets_folder());
    lab.files.presets.follow(&lab.run.title());
    if options.screenshot.is_none() {
        lab.files.places = Places::of_user();
        lab.shell.read_keys(&lab.files.places, &mut lab.notices);
        lab.files.begin_autosave(&mut lab.notices);
        lab.offer_unfinished_sweeps();
        if let Some(source) = &options.sweep {
            lab.open_sweep(source, &options.imports);
        }
        if !lab.shell.settings.toured {
            tour::take_tour(&mut lab);
        }
    }
    if let Some((path, _)) = &options.screenshot {
        shots::check(path)?;
    }
    display_available()?;
    let report: window::shot::Report = Arc::new(Mutex::new(None));
    let window = window::window(&lab);
    let engine = Engine::start(lab)?;
    let after = engine.after();
    let built = window::display::quietly(|| window::app(engine, window, options, report.clone(), memory));
    let exit = built.map_err(|error| anyhow!("cannot open a window: {error}"))?.run();
    let saved = report.lock().unwrap_or_else(PoisonError::into_inner).take();
    let told = after.close();
    let outcome = match (saved, exit) {
        (Some(saved), _) => saved.map(Outcome::Saved),
        (None, AppExit::Success) if options.screenshot.is_some() => Err(anyhow!("closed before the picture was taken")),
        (None, AppExit::Success) => Ok(Outcome::Closed),
        (None, AppExit::Error(code)) if code.get() == 130 => Ok(Outcome::Interrupted),
        (None, AppExit::Error(code)) if code.get() == window::DESTROYED => Ok(Outcome::Destroyed),
        (None, AppExit::Error(_)) => Err(anyhow!("the window failed")),
    };
    outcome.map(|outcome| Ended { outcome, told })
}
