//! `check`: reads and validates, runs nothing.

use std::io::Write as _;

use super::{Common, Exit, load, stdout, tell};
use crate::scene::description::Scene;
use crate::scene::load::located;
use crate::scene::problem::Problems;
use crate::simulation::{Recipe, Simulation};

/// Read and validate scenes or files of other programs, and run nothing
///
/// Every file is checked. A line `FILE: ok` for each good one goes to stdout, everything that is wrong to stderr.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Scene files, files of other programs, or names of shipped scenes
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

/// Checks all files.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let mut exit = Exit::Fine;
    for file in &args.files {
        match check(file, common, recipe) {
            Ok(()) => writeln!(out, "{file}: ok")?,
            Err(problems) => {
                tell(problems);
                exit = Exit::BadInput;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

fn check(file: &str, common: &Common, recipe: &Recipe) -> Result<(), Problems> {
    let scene = load::scene(file, common, recipe.kinds())?.scene;
    // Nobody needs to be born for a scene to be checked.
    let unborn = Scene { step_spawners: false, ..scene };
    Simulation::with(&unborn, recipe, common.threads).map(drop).map_err(|problems| located(file, problems))
}
