//! `share`: a scene with all of its files as one file, or its run as a page.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;
use swarmarium_base::files::{shown, write_whole};
use swarmarium_draw::ColorBy;
use swarmarium_formats::load::{Loaded, Source};
use swarmarium_formats::run_folder::read_edits;
use swarmarium_formats::share::{EXTENSION, Shared, is_shared};
use swarmarium_simulation::simulation::Recipe;

use super::common::{Seconds, length};
use super::json::{self, Written};
use super::{Common, Exit, load};

mod page;

/// Write a scene with all of its files as one file, or its run as a page for any browser
///
/// The file .swarm contains the scene with every field, the edits of its run, the original files and a picture. Drop it on
/// the window to open it, or name it wherever a command takes a scene.
/// The page .html replays the run without a network or this program, with its metrics, its changes and the scene file. The
/// same run gives the same bytes. It lasts 60 simulated seconds unless --duration, the scene or the run folder sets
/// another length; Ctrl-C ends it early, with the page complete up to that point.
#[derive(clap::Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("written").required(true).multiple(true))]
#[command(after_long_help = "\
Examples:
  swarmarium share milling -o milling.swarm
  swarmarium open milling.swarm
  swarmarium run milling.swarm --steps 1000
  swarmarium share milling --seed 7 --duration 60 --html milling.html
  # A run, from its folder
  swarmarium run milling --duration 30 -o run
  swarmarium share run --html run.html")]
pub struct Args {
    /// Scene file, file of another program, name of a shipped scene, folder of a run for a page, or - for a scene from stdin
    #[arg(value_name = "SCENE", value_hint = clap::ValueHint::AnyPath)]
    scene: String,
    /// File to write, with the extension .swarm
    #[arg(short, long, group = "written", value_name = "F.SWARM")]
    output: Option<PathBuf>,
    /// Page to write, with the extension .html
    #[arg(long, group = "written", value_name = "F.HTML")]
    html: Option<PathBuf>,
    /// Log of edits to share with the scene, such as edits.ron of a run; a page takes the folder of the run instead
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    edits: Option<PathBuf>,
    /// Simulated time that the page shows, such as 90, 90s, 2m or 1h
    #[arg(long, value_name = "S", value_parser = length, requires = "html")]
    duration: Option<Seconds>,
    /// Frames of the page per simulated second, 0.01 to 1000; the page interpolates between them
    #[arg(long, value_name = "HZ", default_value = "10", requires = "html")]
    rate: f64,
    /// Length of the trails on the page in simulated seconds, for all groups [default: that of each group]
    #[arg(long, value_name = "S", value_parser = length, requires = "html")]
    trail: Option<Seconds>,
    /// Property that the colours of robots on the page show: group or state
    #[arg(long, value_name = "QUANTITY", default_value = "group", requires = "html")]
    color_by: ColorBy,
    /// Replace the files if they exist
    #[arg(long)]
    overwrite: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.scene]
    }

    /// Checks the extension of a file to write, and that it does not exist yet or may be replaced.
    fn check(&self, path: &Path, is_fine: bool, extension: &str) -> anyhow::Result<()> {
        let name = shown(path);
        if !is_fine {
            let hint = match extension {
                EXTENSION if is_html(path) => "; --html writes a page",
                _ if is_shared(path) => "; --output writes a shared scene",
                _ => "",
            };
            bail!("{name}: cannot be written: expected a file `.{extension}`{hint}");
        }
        if !self.overwrite && fs::symlink_metadata(path).is_ok() {
            bail!("{name}: exists already; --overwrite replaces it");
        }
        Ok(())
    }
}

/// Whether a file has the extension of a page.
fn is_html(path: &Path) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case("html") || found.eq_ignore_ascii_case("htm"))
}

/// Writes the files.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    if let Some(output) = &args.output {
        args.check(output, is_shared(output), EXTENSION)?;
    }
    if let Some(html) = &args.html {
        args.check(html, is_html(html), "html")?;
    }
    if args.html.is_some() {
        // Nothing is written if the page cannot be.
        page::options(args).check().map_err(|error| page::of_flag(&error))?;
    }
    if let Some(output) = &args.output {
        write_shared(args, output, common, recipe)?;
    }
    let exit = match &args.html {
        Some(html) => page::write(args, html, common, recipe)?,
        None => Exit::Fine,
    };
    if args.json {
        let files = args.output.iter().chain(&args.html);
        json::print_files(json::status_of(exit), files.map(|path| Written::new(path)).collect())?;
    }
    Ok(exit)
}

/// Writes the scene with all of its files as one file.
fn write_shared(args: &Args, output: &Path, common: &Common, recipe: &Recipe) -> anyhow::Result<()> {
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
    let bytes = shared.write()?;
    let kilobytes = bytes.len() as f64 / 1e3;
    write_whole(output, bytes)?;
    if !common.quiet {
        super::tell(format_args!("{}: written, {kilobytes:.1} kB", shown(output)));
    }
    if let Some(note) = shared.renaming_note().filter(|_| !common.quiet) {
        super::tell(format_args!("{}: {note}", shown(output)));
    }
    Ok(())
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
