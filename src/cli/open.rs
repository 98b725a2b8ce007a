//! `open`: the window; and the program without a verb.

use std::path::{Path, PathBuf};

use anyhow::bail;
use swarmarium_base::files::shown;
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_simulation::simulation::Recipe;

use super::common::{Speed, sides, whole};
use super::error::ArgumentError;
use super::messages::tell_warning;
use super::moment::MomentArgument;
use super::sweep::plan::is_plan;
use super::typed::quoted;
use super::{Common, Exit, load};

/// The scene of the program without a verb.
const DEFAULT_SCENE: &str = "milling";

/// Open the window on a scene or a file of another program
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  swarmarium open milling --speed 4
  swarmarium open my.ron --paused --size 1280x720
  # A moment of that run, with its past and its branches
  swarmarium open runs/milling-7 --at 2400
  swarmarium open milling --screenshot milling.png --at 20")]
pub struct Args {
    /// Scene file, file of another program, name of a shipped scene, folder of a run, or a sweep: its plan or folder
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    file: String,
    /// Save the window as a picture at the moment of --at, then exit
    #[arg(long, value_name = "F.PNG", conflicts_with_all = ["paused", "speed", "keyframes_mb"])]
    screenshot: Option<PathBuf>,
    /// Moment to show: of a run folder, a step, a time such as 35s, or a bookmark; of a scene with --screenshot, a
    /// simulated time such as 90, 90s, 2m or 1h
    #[arg(long, value_name = "MOMENT")]
    at: Option<MomentArgument>,
    /// Branch of the run folder [default: the branch of the bookmark or of edits.ron]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Simulated seconds per second, or max
    #[arg(long, value_name = "X|MAX")]
    speed: Option<Speed>,
    /// Start paused
    #[arg(long)]
    paused: bool,
    /// Memory for keyframes of the timeline, in MB [default: the last value, or 256]
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    keyframes_mb: Option<u32>,
    /// Size of the window in pixels [default: the last size, or 1280x800]
    #[arg(long, value_name = "WxH", value_parser = window_size)]
    size: Option<(u32, u32)>,
}

fn megabytes(text: &str) -> Result<u32, ArgumentError> {
    whole(text, 1..=65_536).map(|number| number as u32)
}

fn window_size(text: &str) -> Result<(u32, u32), ArgumentError> {
    sides(text, 64..=16_384)
}

/// Opens the window on a scene.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    load::check_exists(&args.file)?;
    if let Err(reason) = lab::available() {
        let file = shown(&args.file);
        match FolderKind::from_path(Path::new(&args.file)) {
            Some(FolderKind::Sweep) => bail!("{reason:#}\n`{file}/report.html` shows the results of the sweep"),
            _ => {
                let verb = if is_plan(&args.file).unwrap_or_default() { "sweep" } else { "run" };
                bail!("{reason:#}\n`{} {verb} {}` runs it headless", recipe.program_name(), quoted(&file))
            }
        }
    }
    lab::open(args, common, recipe)
}

/// Opens the window on the default scene; without a display, runs the scene headless. A program without a window refuses.
pub(super) fn default(common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let opened = lab::available().and_then(|()| lab::open(&Args::of_file(DEFAULT_SCENE), common, recipe));
    opened.or_else(|reason| {
        if cfg!(not(feature = "lab")) {
            // Such a program is used for its commands alone.
            let program = &common.program;
            bail!(
                "{reason:#}\n`{program} run {DEFAULT_SCENE}` runs a scene, and `{program} --help` lists all commands"
            );
        }
        tell_warning(format_args!("{reason:#}\nRunning the scene `{DEFAULT_SCENE}` headless instead."));
        super::run::run(super::run::Args::of_file(DEFAULT_SCENE), common, recipe)
    })
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.file]
    }

    fn of_file(file: impl Into<String>) -> Self {
        let file = file.into();
        Self {
            file,
            screenshot: None,
            at: None,
            branch: None,
            speed: None,
            paused: false,
            keyframes_mb: None,
            size: None,
        }
    }
}

#[cfg(not(feature = "lab"))]
mod lab {
    use anyhow::bail;

    use super::{Args, Common, Exit, Recipe};

    pub fn available() -> anyhow::Result<()> {
        bail!("this program has no window; the program of the archive with a window has one")
    }

    pub fn open(_: &Args, _: &Common, _: &Recipe) -> anyhow::Result<Exit> {
        available().map(|()| Exit::Fine)
    }
}

#[cfg(feature = "lab")]
mod lab {
    use anyhow::ensure;
    use swarmarium_base::files::shown;
    use swarmarium_formats::load::Loaded;
    use swarmarium_formats::load::Source::Unsaved;
    use swarmarium_formats::run_folder::RunFolder;
    use swarmarium_host::clock::UNLIMITED;
    use swarmarium_lab as lab;
    use swarmarium_lab::{Ended, Options, Outcome, RunToOpen};
    use swarmarium_scene::scene::description::{Scene, Stop};

    use swarmarium_sweep::source::Source;

    use super::{Args, Common, Exit, Recipe, Speed};
    use crate::cli::messages::tell_error;
    use crate::cli::{load, tell};

    pub fn available() -> anyhow::Result<()> {
        Ok(lab::display_available()?)
    }

    pub fn open(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
        if let Some(source) = Source::find(&args.file)? {
            return open_sweep(args, &source, common, recipe);
        }
        let folder = load::run_folder(&args.file, recipe)?;
        let file = folder.as_ref().map_or_else(|| args.file.clone(), RunFolder::scene_file);
        let mut loaded = load::scene(&file, common, recipe)?;
        let dt_s = loaded.scene.time.dt_s;
        let (at_s, run) = match folder {
            Some(folder) => {
                ensure!(
                    common.overrides().is_empty(),
                    "{0}: is a run folder, whose past has the values of its run: change them in the window, or `{1} run \
                     {0} --at STEP --set …` continues it with another value",
                    shown(&args.file),
                    common.program
                );
                let at = args.at.as_ref().map(|at| at.of_run("--at")).transpose()?;
                let moment = folder.moment(at.as_ref(), args.branch.as_deref(), dt_s)?;
                if args.screenshot.is_some() {
                    // A picture needs no past, but the edits until then.
                    loaded.edits.clone_from(&moment.edits);
                }
                (moment.step as f64 * dt_s, Some(RunToOpen { folder, moment, shows_moment: at.is_some() }))
            }
            None => {
                ensure!(args.branch.is_none(), "{}: is not a run folder: --branch needs one", shown(&args.file));
                let is_picture = args.screenshot.is_some();
                ensure!(
                    is_picture || args.at.is_none(),
                    "{}: is not a run folder: --at needs one, or --screenshot",
                    shown(&args.file)
                );
                (args.at.as_ref().map_or(Ok(0.0), |at| at.seconds("--at"))?, None)
            }
        };
        let options = Options {
            run: run.filter(|_| args.screenshot.is_none()),
            threads: common.threads,
            speed: args.speed.map(|speed| match speed {
                Speed::Times(times) => times,
                Speed::Max => UNLIMITED,
            }),
            paused: args.paused,
            screenshot: args.screenshot.clone().map(|path| (path, at_s)),
            keyframes_mb: args.keyframes_mb,
            size_px: args.size,
            ..Options::default()
        };
        show(loaded, &options, common, recipe)
    }

    /// Opens the window on the scene of a sweep, with the sweep in its panel.
    fn open_sweep(args: &Args, source: &Source, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
        ensure!(
            args.screenshot.is_none() && args.at.is_none() && args.branch.is_none(),
            "{}: is a sweep: --at, --branch and --screenshot need a scene or a run",
            shown(&args.file)
        );
        ensure!(
            common.overrides.is_empty() && common.seed.is_none() && args.speed.is_none() && args.keyframes_mb.is_none(),
            "{}: is a sweep: its plan has all values, so --set, --seed, --speed and --keyframes-mb are not possible",
            shown(&args.file)
        );
        let imports = common.import_options();
        let sweep = source.resolve(recipe, &imports)?;
        // The run in the window goes on after the end of those of the sweep.
        let scene = Scene { stop: Stop::default(), ..sweep.scene };
        let loaded = Loaded { source: Unsaved("scene of a sweep"), ..scene.into() };
        let options = Options {
            threads: common.threads,
            paused: args.paused,
            size_px: args.size,
            sweep: Some(args.file.clone()),
            imports,
            ..Options::default()
        };
        show(loaded, &options, common, recipe)
    }

    fn show(loaded: Loaded, options: &Options, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
        let Ended { outcome, told } = lab::open(loaded, recipe, options)?;
        let has_failed = told.iter().any(Result::is_err);
        // `--quiet` hides messages of success.
        for told in told {
            match told {
                Ok(text) if !common.quiet => tell(text),
                Ok(_) => {}
                Err(error) => tell_error(error),
            }
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
                tell_error("the window was closed from outside");
                Exit::WindowDestroyed
            }
        })
    }
}
