//! A screenshot of the whole window at an exact simulated time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, anyhow, ensure};
use bevy::image::ImageFormat;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};

use super::Lab;

/// Frames between arriving and taking the picture: the panels find their sizes and the first frames are blank.
const SETTLE: u32 = 12;

/// Where the screenshot tells how it went.
pub type Report = Arc<Mutex<Option<anyhow::Result<PathBuf>>>>;

#[derive(Resource)]
struct Shot {
    path: PathBuf,
    report: Report,
    frames: u32,
}

/// Tells at once when there is no folder to save to, and not after the run.
pub(super) fn check(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "cannot write {}: there is no folder {}", path.display(), folder.display());
    Ok(())
}

/// Takes a screenshot when the lab has reached its target, and closes the window.
pub(super) fn plugin(app: &mut App, path: PathBuf, report: Report) {
    app.insert_resource(Shot { path, report, frames: 0 }).add_systems(Update, take.after(super::advance));
}

fn take(mut commands: Commands, mut shot: ResMut<Shot>, lab: NonSend<Lab>) {
    if lab.target.is_some_and(|target| lab.host.simulation().steps() < target) {
        return;
    }
    shot.frames += 1;
    if shot.frames == SETTLE {
        commands.spawn(Screenshot::primary_window()).observe(save);
    }
}

fn save(captured: On<ScreenshotCaptured>, shot: Res<Shot>, mut exit: MessageWriter<AppExit>) {
    let saved = write(&captured.image, &shot.path).map(|()| shot.path.clone());
    *shot.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
    exit.write(AppExit::Success);
}

/// Writes beside and renames, so that whoever waits for the file never sees half of it.
fn write(image: &Image, path: &Path) -> anyhow::Result<()> {
    let name = path.file_name().ok_or_else(|| anyhow!("{} is no file name", path.display()))?;
    let mut beside = name.to_owned();
    beside.push(".partial");
    let beside = path.with_file_name(beside);
    let picture = image.clone().try_into_dynamic().map_err(|error| anyhow!("{error}"))?.to_rgb8();
    let mut file = std::fs::File::create(&beside).with_context(|| format!("cannot write {}", path.display()))?;
    picture.write_to(&mut file, ImageFormat::Png.as_image_crate_format().ok_or_else(|| anyhow!("no PNG"))?)?;
    file.sync_all()?;
    std::fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}
