//! Pictures of runs at their ends: files in the folder of the sweep.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use bevy::math::DVec2;
use swarmarium_base::files::{read_at_most, shown, write_whole};
use swarmarium_draw::{Overlay, View};
use swarmarium_picture::palette::Theme;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_sweep::{Run, Sweep};
use swarmarium_video::{Painter, Style, png};

/// Width and height of a picture, in pixels.
pub const SIZE: [u16; 2] = [320, 240];

/// The folder of pictures in the folder of a sweep.
pub const FOLDER: &str = "pictures";

/// The most points whose first run has a picture.
const MOST: usize = 1000;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// The file of a picture in the folder of pictures.
pub fn path(folder: &Path, key: u64, theme: Theme) -> PathBuf {
    folder.join(format!("{key:016x}-{theme:?}.png").to_lowercase())
}

/// Writes a picture into the folder of a sweep. One that cannot be written is painted again the next time.
pub fn write(folder: &Path, key: u64, theme: Theme, png: &[u8]) {
    let folder = folder.join(FOLDER);
    let made = fs::create_dir_all(&folder).map_err(anyhow::Error::from);
    drop(made.and_then(|()| write_whole(&path(&folder, key, theme), png)));
}

/// The pictures of a sweep, by the keys of the runs.
pub struct Pictures {
    folder: PathBuf,
    /// `None` for a run that has no picture because it failed.
    known: BTreeMap<(u64, bool), Option<Arc<[u8]>>>,
}

/// Whether a run gets a picture: the first one of each point does.
pub fn is_wanted(sweep: &Sweep, run: Run) -> bool {
    run.repetition == 0 && sweep.points.len() <= MOST
}

/// Paints the present state of a simulation.
///
/// # Errors
/// When the encoder fails.
pub fn paint(simulation: &Simulation, theme: Theme) -> anyhow::Result<Vec<u8>> {
    let mut view = View::fit(simulation.scene(), DVec2::from(SIZE.map(f64::from)));
    view.overlays.set(Overlay::ScaleBar, false);
    let mut painter = Painter::new(SIZE[0], SIZE[1], Style { theme, ..Style::default() });
    let frame = painter.paint(&simulation.picture(&view), &view.camera);
    png::encode(frame.width, frame.height, frame.rgba, false)
}

impl Pictures {
    /// The pictures in the folder of a sweep.
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.join(FOLDER), known: BTreeMap::new() }
    }

    /// The picture of a run, if it was made or read before.
    pub fn known(&self, key: u64, theme: Theme) -> Option<Arc<[u8]>> {
        self.known.get(&(key, theme == Theme::Dark))?.clone()
    }

    /// Reads the picture of a run from its file, if it was made earlier.
    pub fn read(&mut self, key: u64, theme: Theme) -> Option<Arc<[u8]>> {
        let place = (key, theme == Theme::Dark);
        let picture: Arc<[u8]> = read_at_most(&path(&self.folder, key, theme), LARGEST).ok()?.into();
        self.known.insert(place, Some(picture.clone()));
        Some(picture)
    }

    /// Whether a run has a picture, or can have none.
    pub fn is_known(&mut self, key: u64, theme: Theme) -> bool {
        self.known.contains_key(&(key, theme == Theme::Dark)) || self.read(key, theme).is_some()
    }

    /// Keeps a picture.
    pub fn keep(&mut self, key: u64, theme: Theme, png: Arc<[u8]>) {
        self.known.insert((key, theme == Theme::Dark), Some(png));
    }

    /// Notes that a run has no picture.
    pub fn give_up(&mut self, key: u64, theme: Theme) {
        self.known.insert((key, theme == Theme::Dark), None);
    }
}

/// Copies the pictures of a sweep into another folder.
///
/// # Errors
/// When a file cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(from.join(FOLDER)) else { return Ok(()) };
    let to = to.join(FOLDER);
    fs::create_dir_all(&to).with_context(|| format!("{}: cannot be made", shown(&to)))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|ending| ending == "png")) {
            let picture = read_at_most(&path, LARGEST).with_context(|| shown(&path))?;
            write_whole(&to.join(name), picture)?;
        }
    }
    Ok(())
}
