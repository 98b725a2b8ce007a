//! Pictures of the window: at an exact simulated time, or on request.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use swarmarium_base::files::write_whole;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::files::shots::Shot;
use swarmarium_video::png;

use crate::window::engine::Engine;

/// The result of the screenshot of the command line.
pub type Report = Arc<Mutex<Option<anyhow::Result<PathBuf>>>>;

#[derive(Resource)]
struct Reported(Report);

/// The picture in progress.
#[derive(Component)]
struct Taken(Shot);

/// Adds the system that takes requested pictures.
pub(super) fn plugin(report: Report) -> impl Plugin {
    move |app: &mut App| {
        app.insert_resource(Reported(report.clone()));
    }
}

/// Takes a picture of the window when one is due.
pub(super) fn take(commands: &mut Commands, lab: &mut Lab) {
    let steps = lab.run.host.simulation().steps();
    let Some(shot) = lab.files.shots.waiting.first_mut() else { return };
    if shot.at_step.is_some_and(|step| steps < step) {
        return;
    }
    shot.settle = shot.settle.saturating_sub(1);
    if shot.settle == 0 {
        // One at a time: a window has one picture per frame.
        let shot = lab.files.shots.waiting.remove(0);
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
        engine.lab().notices.report(saved, &shot.path, None);
    }
    Ok(())
}

pub fn write(image: &Image, path: &Path) -> anyhow::Result<()> {
    let picture = image.clone().try_into_dynamic().map_err(|error| anyhow!("{error}"))?.to_rgba8();
    write_whole(path, png::encode(picture.width(), picture.height(), picture.as_raw(), false)?)
}
