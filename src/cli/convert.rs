//! `convert`: conversion of files, with formats by extension.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};
use swarmarium_base::files::{Draft, shown};
use swarmarium_base::problem::Problem;
use swarmarium_core::text::wording::count;
use swarmarium_formats::export::{self, Exported, can_export};
use swarmarium_formats::import::simiam;
use swarmarium_formats::load::Loaded;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::reader::read_text;
use swarmarium_scene::scene::writer::{self, Style};
use swarmarium_simulation::simulation::Recipe;

use super::{Common, Exit, load, stdout};

/// Convert between file formats, by their extensions
///
/// Reads scenes (.ron) and the files of other programs that `swarmarium list importers` names; writes scenes, pySimiam
/// worlds (.xml) and configurations of MORSE (.py).
/// The program reports everything that cannot be converted, with line numbers or names of fields.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium convert world.yaml -o scene.ron
  swarmarium convert drawing.svg -o world.xml       as svg2world does
  swarmarium convert drawing.svg -o scene.ron --all-groups
  swarmarium convert plan.svg -o world.xml --scale 1   a drawing whose unit is a metre
  swarmarium convert maze.svg -o world.xml --strokes 0.02   lines as walls of 2 cm
  swarmarium convert world.xml -o scene.ron --lenient
  swarmarium convert scene.ron -o world.xml         the parts that pySimiam can express
  swarmarium convert simple.world -o scene.ron      a world of Stage
  swarmarium convert map.yaml -o scene.ron          a map of ROS
  swarmarium convert component_config.py -o scene.ron
  swarmarium convert scene.ron -o component_config.py   the five dictionaries of MORSE")]
pub struct Args {
    /// File to read
    #[arg(value_name = "IN")]
    input: String,
    /// File to write: .ron, .xml or .py, or - to write a scene to stdout
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT if it exists
    #[arg(long)]
    overwrite: bool,
    /// Write every field, including those with their default
    #[arg(long)]
    full: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.input]
    }
}

/// Converts one file.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let to_stdout = args.output == Path::new("-");
    ensure!(!to_stdout || !args.overwrite, "--overwrite: has no effect: stdout is not a file");
    let to_scene = to_stdout || args.output.extension().is_some_and(|found| found.eq_ignore_ascii_case("ron"));
    if !to_scene && !can_export(&args.output) {
        let output = shown(&args.output);
        bail!("{output}: cannot be written: expected a scene `.ron`, {}, or - for stdout", export::expected());
    }
    ensure!(to_scene || !args.full, "--full: has no effect: only scenes have fields that can be left out");
    let text = if to_scene {
        let scene = scene_of(args, common, recipe)?;
        let folder = args.output.parent().filter(|_| !to_stdout);
        let text = match args.full {
            true => writer::write(recipe.kinds(), &scene, Style::Full),
            false => writer::write_named(recipe.kinds(), &scene, folder),
        };
        text + "\n"
    } else {
        let Exported { text, warnings, .. } = exported(args, common, recipe)?;
        if !common.quiet {
            load::warn(&args.input, warnings);
        }
        text
    };
    if to_stdout {
        let mut out = stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
    } else {
        write_file(args, &text)?;
    }
    Ok(Exit::Fine)
}

/// The scene of the input. Edits of a shared scene are left out, with a warning.
fn scene_of(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Scene> {
    let Loaded { scene, edits, .. } = load::scene(&args.input, common, recipe)?;
    if !edits.is_empty() && !common.quiet {
        let message = format!("a scene file has no edits: {} left out", count(edits.len(), "edit"));
        load::warn(&args.input, vec![Problem::of_file(message)]);
    }
    Ok(scene)
}

/// The input as a file of another program. A drawing becomes a world directly; with overrides, it becomes a scene first.
fn exported(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exported> {
    let Args { input, output, .. } = args;
    if simiam::is_drawing(input) && simiam::is_world(&output.to_string_lossy()) && common.overrides().is_empty() {
        let text = read_text(Path::new(input))?;
        return Ok(export::simiam::translate(input, &text, &common.import_options())?);
    }
    let scene = scene_of(args, common, recipe)?;
    Ok(export::export(recipe, output, input, &scene)?)
}

fn write_file(args: &Args, text: &str) -> anyhow::Result<()> {
    let check = || match !args.overwrite && fs::symlink_metadata(&args.output).is_ok() {
        true => Err(anyhow!("{}: exists already; --overwrite replaces it", shown(&args.output))),
        false => Ok(()),
    };
    check()?;
    // For a symbolic link, its target is replaced.
    let draft = Draft::begin(&fs::canonicalize(&args.output).unwrap_or_else(|_| args.output.clone()))?;
    // Another process may have written the file before the draft locked it.
    check()?;
    draft.complete(text.as_bytes())
}
