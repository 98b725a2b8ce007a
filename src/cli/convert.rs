//! `convert`: from one file format to another, by extension.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::{Common, Exit, load, stdout};
use crate::files;
use crate::scene::writer::{self, Style};
use crate::simulation::Recipe;

/// Convert between file formats, by extension
///
/// Reads scenes (.ron) and RobotSwarmSimulator worlds (.yaml, .yml); writes scenes.
/// What could not be carried over is said with line numbers.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// File to read
    #[arg(value_name = "IN")]
    input: String,
    /// File to write, or - for stdout
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT if it exists
    #[arg(long)]
    overwrite: bool,
    /// Write every field, also those at their default
    #[arg(long)]
    full: bool,
}

/// Converts one file.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let to_stdout = args.output == Path::new("-");
    if !to_stdout && !args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron")) {
        bail!("{}: cannot be written: expected a scene `.ron`, or - for stdout", args.output.display());
    }
    let scene = load::scene(&args.input, common, recipe.kinds())?.scene;
    let text = writer::write(recipe.kinds(), &scene, if args.full { Style::Full } else { Style::Short }) + "\n";
    if to_stdout {
        let mut out = stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
    } else {
        write_file(args, &text)?;
    }
    Ok(Exit::Fine)
}

fn write_file(args: &Args, text: &str) -> anyhow::Result<()> {
    if !args.overwrite && fs::symlink_metadata(&args.output).is_ok() {
        bail!("{}: exists already; --overwrite replaces it", args.output.display());
    }
    // A link stays one: what it leads to is replaced.
    files::write_whole(&fs::canonicalize(&args.output).unwrap_or_else(|_| args.output.clone()), text)
}
