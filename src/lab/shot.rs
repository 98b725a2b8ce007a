//! Pictures of the window: at an exact simulated time, or on request.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{anyhow, ensure};
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use swarmarium_base::files::write_whole;
use swarmarium_video::png;

use super::Lab;
use super::engine::Engine;

/// Frames before the picture is taken: panels find their sizes, and the first frames are blank.
const SETTLE: u32 = 12;

/// The result of the screenshot of the command line.
pub type Report = Arc<Mutex<Option<anyhow::Result<PathBuf>>>>;

/// Pictures of the window.
#[derive(Debug, Default)]
pub struct Shots {
    /// The requested pictures.
    pub waiting: Vec<Shot>,
    /// The step at which to stop, while the window runs to a screenshot.
    pub target: Option<u64>,
}

/// A requested picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    path: PathBuf,
    /// The step to wait for; the window closes after this picture.
    at_step: Option<u64>,
    /// The number of frames to wait.
    settle: u32,
}

impl Shot {
    /// Creates a picture after the next frame.
    pub fn new(path: PathBuf) -> Self {
        Self { path, at_step: None, settle: 2 }
    }

    /// Creates the picture of the command line at a step, after which the window closes.
    pub fn of_target(path: PathBuf, step: u64) -> Self {
        Self { path, at_step: Some(step), settle: SETTLE }
    }
}

#[derive(Resource)]
struct Reported(Report);

/// The picture in progress.
#[derive(Component)]
struct Taken(Shot);

/// Checks before the run that the folder exists.
pub(super) fn check(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "cannot write {}: there is no folder {}", path.display(), folder.display());
    Ok(())
}

/// Adds the system that takes requested pictures.
pub(super) fn plugin(report: Report) -> impl Plugin {
    move |app: &mut App| {
        app.insert_resource(Reported(report.clone()));
    }
}

/// Takes a picture of the window when one is due.
pub(super) fn take(commands: &mut Commands, lab: &mut Lab) {
    let steps = lab.host.simulation().steps();
    let Some(shot) = lab.shots.waiting.first_mut() else { return };
    if shot.at_step.is_some_and(|step| steps < step) {
        return;
    }
    shot.settle = shot.settle.saturating_sub(1);
    if shot.settle == 0 {
        // One at a time: a window has one picture per frame.
        let shot = lab.shots.waiting.remove(0);
        commands.spawn((Screenshot::primary_window(), Taken(shot))).observe(save);
    }
}

fn save(
    captured: On<ScreenshotCaptured>,
    taken: Query<&Taken>,
    engine: Res<Engine>,
    reported: Res<Reported>,
    mut exit: MessageWriter<AppExit>,
) -> Result {
    let Taken(shot) = taken.get(captured.entity)?;
    let saved = write(&captured.image, &shot.path);
    if shot.at_step.is_some() {
        *reported.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved.map(|()| shot.path.clone()));
        exit.write(AppExit::Success);
    } else {
        engine.lab().report(saved, &shot.path);
    }
    Ok(())
}

fn write(image: &Image, path: &Path) -> anyhow::Result<()> {
    let picture = image.clone().try_into_dynamic().map_err(|error| anyhow!("{error}"))?.to_rgba8();
    write_whole(path, png::encode(picture.width(), picture.height(), picture.as_raw(), false)?)
}
