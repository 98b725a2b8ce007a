//! Thumbnails of scenes, painted by the program on a separate thread.
//!
//! A scene first runs for some simulated seconds, so that its thumbnail shows its behaviour. Thumbnails are cached in
//! the folder of the user, by version of the program and digest of the scene.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context as _, ensure};
use bevy::math::DVec2;
use bevy_egui::egui::{self, ColorImage, TextureHandle, TextureOptions};
use swarmarium_base::files::{read_at_most, write_whole};
use swarmarium_draw::{Overlay, View};
use swarmarium_formats::load::load;
use swarmarium_lab_state::app::Lab;
use swarmarium_picture::palette::Theme;
use swarmarium_scene::scene::current::digest;
use swarmarium_simulation::simulation::{Recipe, Simulation};
use swarmarium_video::{Painter, Style, png as encoder};

/// The size of a thumbnail, in points.
pub const SIZE_PX: egui::Vec2 = egui::Vec2::new(56.0, 42.0);

/// Pixels per point, for screens with a high resolution.
const FINE: u16 = 2;

/// Run time of a scene before its picture is taken: seconds of a window at the speed of the scene.
const RUN_S: f64 = 8.0;

/// The largest computing time for that.
const MOST: Duration = Duration::from_millis(250);

/// The largest cached file, in bytes.
const LARGEST: u64 = 16 << 20;

/// Frames before the first thumbnail is requested, so that the window appears first.
const FRAMES_BEFORE: u64 = 20;

/// The thumbnails so far.
#[derive(Default)]
pub struct Thumbnails {
    worker: Option<(Sender<ThumbnailRequest>, Done)>,
    /// The thumbnails by name of the scene and theme; `None` while one is painted, and when it failed.
    pictures: BTreeMap<(String, bool), Option<TextureHandle>>,
}

/// The thumbnails painted since the last check.
type Done = Arc<Mutex<Vec<Painted>>>;

/// A request for a thumbnail.
struct ThumbnailRequest {
    /// The name by which the scene is opened.
    name: String,
    theme: Theme,
}

/// A painted thumbnail.
struct Painted {
    name: String,
    theme: Theme,
    rgba: Vec<u8>,
}

impl Thumbnails {
    /// Returns the thumbnail of a scene, by the name by which it is opened; `None` until it is painted.
    pub fn get(&mut self, ctx: &egui::Context, lab: &Lab, name: &str) -> Option<&TextureHandle> {
        let folder = lab.files.places.pictures.as_ref()?;
        if ctx.cumulative_pass_nr() < FRAMES_BEFORE {
            return None;
        }
        self.take(ctx);
        let theme = lab.shell.settings.theme;
        let key = key(name, theme);
        if !self.pictures.contains_key(&key) {
            let (sender, _) =
                self.worker.get_or_insert_with(|| work(folder.clone(), lab.run.recipe.clone(), ctx.clone()));
            // Without the worker, no thumbnails are painted.
            let _ = sender.send(ThumbnailRequest { name: name.into(), theme });
            self.pictures.insert(key.clone(), None);
        }
        self.pictures.get(&key)?.as_ref()
    }

    /// Takes the newly painted thumbnails.
    fn take(&mut self, ctx: &egui::Context) {
        let Some((_, painted)) = &self.worker else { return };
        let painted = std::mem::take(&mut *painted.lock().unwrap_or_else(PoisonError::into_inner));
        for Painted { name, theme, rgba } in painted {
            let [width, height] = size();
            let image = ColorImage::from_rgba_unmultiplied([usize::from(width), usize::from(height)], &rgba);
            let texture = ctx.load_texture(&name, image, TextureOptions::LINEAR);
            self.pictures.insert(key(&name, theme), Some(texture));
        }
    }
}

fn key(name: &str, theme: Theme) -> (String, bool) {
    (name.into(), theme == Theme::Dark)
}

fn size() -> [u16; 2] {
    [SIZE_PX.x, SIZE_PX.y].map(|side| side as u16 * FINE)
}

/// Starts the painting thread, which ends when there are no more requests.
fn work(folder: PathBuf, recipe: Recipe, ctx: egui::Context) -> (Sender<ThumbnailRequest>, Done) {
    let (wanted, asked) = channel::<ThumbnailRequest>();
    let painted = Done::default();
    let done = painted.clone();
    let paint_all = move || {
        for ThumbnailRequest { name, theme } in asked {
            // An invalid scene has no thumbnail; opening the scene reports the error.
            let Ok(rgba) = picture(&folder, &recipe, &name, theme) else { continue };
            done.lock().unwrap_or_else(PoisonError::into_inner).push(Painted { name, theme, rgba });
            ctx.request_repaint();
        }
    };
    // Without a thread there are no thumbnails.
    let _ = thread::Builder::new().name("pictures".into()).spawn(paint_all);
    (wanted, painted)
}

/// Returns the pixels of a thumbnail, cached or new.
fn picture(folder: &Path, recipe: &Recipe, name: &str, theme: Theme) -> anyhow::Result<Vec<u8>> {
    let scene = load(recipe.kinds(), name, &[])?.scene;
    let (version, digest) = (env!("CARGO_PKG_VERSION"), digest(recipe.kinds(), &scene));
    let file = folder.join(format!("{version}-{digest:016x}-{theme:?}.png").to_lowercase());
    if let Ok(rgba) = read_at_most(&file, LARGEST).map_err(anyhow::Error::msg).and_then(|bytes| decode(&bytes, size()))
    {
        return Ok(rgba);
    }
    let [width, height] = size();
    let mut view = View::fit(&scene, DVec2::new(f64::from(width), f64::from(height)));
    view.overlays.set(Overlay::ScaleBar, false);
    let mut simulation = Simulation::with(&scene, recipe, 1)?;
    let steps = (RUN_S * scene.time.scale.min(20.0) / scene.time.dt_s).ceil() as u64;
    let began = Instant::now();
    for _ in 0..steps {
        if began.elapsed() > MOST || simulation.is_at_end() {
            break;
        }
        simulation.step(1);
    }
    let mut painter = Painter::new(width, height, Style { theme, ..Style::default() });
    let frame = painter.paint(&simulation.picture(&view), &view.camera);
    let png = encoder::encode(frame.width, frame.height, frame.rgba, false)?;
    // A thumbnail that cannot be cached is painted again the next time.
    let _ = fs::create_dir_all(folder).map_err(anyhow::Error::from).and_then(|()| write_whole(&file, &png));
    // Decoded, to give the same pixels as the cached file.
    decode(&png, size())
}

/// Decodes the pixels of a file; returns an error if it is not a cached thumbnail.
pub fn decode(bytes: &[u8], size: [u16; 2]) -> anyhow::Result<Vec<u8>> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info()?;
    let [width, height] = size.map(u32::from);
    let info = reader.info();
    ensure!((info.width, info.height) == (width, height), "another size");
    let mut rgba = vec![0; reader.output_buffer_size().context("too large")?];
    let frame = reader.next_frame(&mut rgba)?;
    rgba.truncate(frame.buffer_size());
    ensure!(rgba.len() == (width * height * 4) as usize, "other colours");
    Ok(rgba)
}

#[cfg(test)]
mod tests {
    use swarmarium_formats::standard::Standard as _;

    use super::*;

    #[test]
    fn a_thumbnail_is_painted_once_and_is_not_blank() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("new");
        let recipe = Recipe::standard();
        let first = picture(&folder, &recipe, "milling", Theme::Dark).unwrap();
        let [width, height] = size();
        assert_eq!(first.len(), usize::from(width) * usize::from(height) * 4);
        assert!(first.as_chunks::<4>().0.iter().any(|pixel| pixel != &first.as_chunks::<4>().0[0]), "it is not blank");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_eq!(picture(&folder, &recipe, "milling", Theme::Dark).unwrap(), first);
        picture(&folder, &recipe, "milling", Theme::Light).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        assert!(picture(&folder, &recipe, "no such scene", Theme::Dark).is_err());
    }

    #[test]
    fn the_thumbnail_of_a_broken_file_is_painted_again() {
        let place = tempfile::tempdir().unwrap();
        let recipe = Recipe::standard();
        let first = picture(place.path(), &recipe, "obstacles", Theme::Dark).unwrap();
        let file = fs::read_dir(place.path()).unwrap().next().unwrap().unwrap().path();
        for broken in [&b""[..], b"\x89PNG", &fs::read(&file).unwrap()[..40]] {
            fs::write(&file, broken).unwrap();
            assert_eq!(picture(place.path(), &recipe, "obstacles", Theme::Dark).unwrap().len(), first.len());
        }
    }
}
