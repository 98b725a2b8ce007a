//! `share`: a scene with all of its files as one file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;
use swarmarium_base::files::{shown, write_whole};
use swarmarium_formats::load::{Loaded, Source};
use swarmarium_formats::run_folder::read_edits;
use swarmarium_formats::share::{EXTENSION, Shared, is_shared};
use swarmarium_simulation::simulation::Recipe;

use super::{Common, Exit, load};

/// Write a scene with all of its files as one file
///
/// The file contains the scene with every field, the edits of its run, the original files and a picture. Drop it on the
/// window to open it, or name it wherever a command takes a scene.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium share my.ron -o my.swarm
  swarmarium share runs/milling-7/scene.ron --edits runs/milling-7/edits.ron -o milling.swarm
  swarmarium open my.swarm
  swarmarium run my.swarm --steps 1000")]
pub struct Args {
    /// Scene file, file of another program, or name of a shipped scene
    #[arg(value_name = "SCENE")]
    scene: String,
    /// File to write, with the extension .swarm
    #[arg(short, long, value_name = "F.SWARM")]
    output: PathBuf,
    /// Log of edits to share with the scene, such as edits.ron of a run
    #[arg(long, value_name = "FILE")]
    edits: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    overwrite: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.scene]
    }
}

/// Writes the file.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let output = shown(&args.output);
    if !is_shared(&args.output) {
        bail!("{output}: cannot be written: expected a file `.{EXTENSION}`");
    }
    if !args.overwrite && fs::symlink_metadata(&args.output).is_ok() {
        bail!("{output}: exists already; --overwrite replaces it");
    }
    let Loaded { scene, source, edits, included, .. } = load::scene(&args.scene, common, recipe)?;
    let edits = args.edits.as_deref().map(read_edits).transpose()?.unwrap_or(edits);
    let title = if scene.name.is_empty() { args.scene.as_str() } else { scene.name.as_str() };
    let mut shared = Shared::new(recipe.kinds(), title, &scene, edits);
    match &source {
        Source::File(path) if is_shared(path) => shared.source = Shared::open(path)?.source,
        Source::File(path) => shared.add_source(Path::new(path), &scene, &included)?,
        _ => {}
    }
    shared.picture = picture(&scene, recipe)?;
    write_whole(&args.output, shared.write()?)?;
    if let Some(note) = shared.renaming_note().filter(|_| !common.quiet) {
        super::tell(format_args!("{output}: {note}"));
    }
    Ok(Exit::Fine)
}

/// A picture of the scene at its start.
#[cfg(feature = "video")]
fn picture(scene: &swarmarium_scene::scene::Scene, recipe: &Recipe) -> anyhow::Result<Option<Vec<u8>>> {
    use bevy::math::DVec2;
    use swarmarium_draw::View;
    use swarmarium_simulation::simulation::Simulation;
    use swarmarium_video::{Style, png};

    const WIDTH: u16 = 1280;
    const HEIGHT: u16 = 720;
    let view = View::fit(scene, DVec2::new(f64::from(WIDTH), f64::from(HEIGHT)));
    let simulation = Simulation::with(scene, recipe, 1)?;
    let picture = simulation.picture(&view);
    Ok(Some(png::of_picture(&picture, &view.camera, [WIDTH, HEIGHT], Style::default())?))
}

/// Without the painter, the program has no pictures.
#[cfg(not(feature = "video"))]
fn picture(_: &swarmarium_scene::scene::Scene, _: &Recipe) -> anyhow::Result<Option<Vec<u8>>> {
    Ok(None)
}
