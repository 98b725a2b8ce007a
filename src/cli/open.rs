//! `open`: the lab; and the program without a verb.

use std::path::PathBuf;

use anyhow::bail;
use swarmarium_core::simulation::Recipe;

use super::common::{Seconds, Speed, sides};
use super::error::ArgumentError;
use super::{Common, Exit, tell};

/// The scene of the program without a verb.
const DEFAULT_SCENE: &str = "milling";

/// Open the lab on a scene or a file of another program
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium open milling --speed 4
  swarmarium open my.ron --paused --size 1280x720
  swarmarium open milling --screenshot milling.png --at 20")]
pub struct Args {
    /// Scene file, file of another program, or name of a shipped scene
    #[arg(value_name = "FILE")]
    file: String,
    /// Save the window as a picture at the time of --at, and end
    #[arg(long, value_name = "F.PNG")]
    screenshot: Option<PathBuf>,
    /// Simulated time of the picture: seconds, or such as 90s, 2m
    #[arg(long, value_name = "S", requires = "screenshot", default_value = "0")]
    at: Seconds,
    /// Simulated seconds per second, or max
    #[arg(long, value_name = "X|MAX")]
    speed: Option<Speed>,
    /// Start with time standing still
    #[arg(long)]
    paused: bool,
    /// Size of the window in pixels; as it was the last time, or 1280x800
    #[arg(long, value_name = "WxH", value_parser = window_size)]
    size: Option<(u32, u32)>,
}

fn window_size(text: &str) -> Result<(u32, u32), ArgumentError> {
    sides(text, 64..=16_384)
}

/// Opens the lab on a scene.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    if let Err(reason) = lab::available() {
        bail!("{reason:#}\n`swarmarium run {}` runs it headless.", args.file);
    }
    lab::open(args, common, recipe)
}

/// Opens the lab on the default scene; without a display, runs the scene headless.
pub(super) fn default(common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let opened = lab::available().and_then(|()| lab::open(&Args::of_file(DEFAULT_SCENE), common, recipe));
    opened.or_else(|reason| {
        tell(format_args!("{reason:#}\nRunning the scene `{DEFAULT_SCENE}` headless instead."));
        super::run::run(super::run::Args::of_file(DEFAULT_SCENE), common, recipe)
    })
}

impl Args {
    fn of_file(file: impl Into<String>) -> Self {
        Self { file: file.into(), screenshot: None, at: Seconds(0.0), speed: None, paused: false, size: None }
    }
}

#[cfg(not(feature = "lab"))]
mod lab {
    use anyhow::bail;

    use super::{Args, Common, Exit, Recipe};

    pub fn available() -> anyhow::Result<()> {
        bail!("This program was built without the lab: build it with `--features lab`, or use `swarmarium run`.")
    }

    pub fn open(_: &Args, _: &Common, _: &Recipe) -> anyhow::Result<Exit> {
        available().map(|()| Exit::Fine)
    }
}

#[cfg(feature = "lab")]
mod lab {
    use swarmarium_base::files::shown;
    use swarmarium_core::clock::UNLIMITED;
    use swarmarium_lab as lab;
    use swarmarium_lab::{Ended, Options, Outcome};

    use super::{Args, Common, Exit, Recipe, Speed};
    use crate::cli::{load, tell};

    pub fn available() -> anyhow::Result<()> {
        Ok(lab::display_available()?)
    }

    pub fn open(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
        let loaded = load::scene(&args.file, common, recipe)?;
        let options = Options {
            threads: common.threads,
            speed: args.speed.map(|speed| match speed {
                Speed::Times(times) => times,
                Speed::Max => UNLIMITED,
            }),
            paused: args.paused,
            screenshot: args.screenshot.clone().map(|path| (path, args.at.0)),
            size_px: args.size,
            ..Options::default()
        };
        let Ended { outcome, told } = lab::open(loaded, recipe, &options)?;
        let has_failed = told.iter().any(Result::is_err);
        // `--quiet` hides messages of success.
        for text in told.into_iter().filter(|told| told.is_err() || !common.quiet) {
            tell(text.unwrap_or_else(|error| error.to_string()));
        }
        Ok(match outcome {
            _ if has_failed => Exit::RunFailed,
            Outcome::Closed => Exit::Fine,
            Outcome::Saved(path) => {
                if !common.quiet {
                    tell(shown(&path));
                }
                Exit::Fine
            }
            Outcome::Interrupted => Exit::Interrupted,
            Outcome::Destroyed => {
                tell("another program destroyed the window");
                Exit::WindowDestroyed
            }
        })
    }
}
