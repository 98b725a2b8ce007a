//! `record`: videos of runs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, anyhow, bail, ensure};
use bevy::math::DVec2;
use serde::Serialize;
use swarmarium_base::files::{Draft, cannot_write, shown};
use swarmarium_base::math;
use swarmarium_base::problem::did_you_mean;
use swarmarium_draw::{Chart, Overlay, View};
use swarmarium_host::aim::Operator;
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::{GroupColors, Theme};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_video::{Encoder, Rate, Recorder, Recording, SIDES_PX, Shot, Spec, Style, encoder, painter, png};

use super::common::{OneOf, Seconds, count, length, sides, workers};
use super::error::ArgumentError;
use super::json::{self, Written};
use super::messages::{LARGE, counted, tell_failure, tell_problems, tell_warning, warn_of_size};
use super::player::{self, Player};
use super::progress::Progress;
use super::run_log::{self, LogArguments, LogPlan, SharedLog};
use super::typed::{TypedCommand, rest_of};
use super::view::{PALETTES, ViewArguments};
use super::{Common, Exit, hex, interrupt, tell};

/// The default duration of a video, in simulated seconds.
const DEFAULT_S: f64 = 60.0;
/// The largest number of frames of a video without `--frames` and `--duration`.
const MAX_FRAMES: u64 = 1_000_000;

/// Record a video of a scene or of a run folder, without a display, a GPU or another program
///
/// The same scene, seed and flags give the same bytes on every run, for any number of threads.
/// The video lasts 60 simulated seconds unless --duration, --frames or the scene sets another length.
/// Ctrl-C ends it early; the file is complete up to that point.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  swarmarium record milling --duration 10 -o milling.mp4
  swarmarium record milling --speed 10 --trail 20 \\
      --overlay title,clock,scale,trails -o fast.mp4
  swarmarium record obstacles --size 480x270 --fps 15 --duration 6 -o loop.gif
  swarmarium record milling --duration 10 -o mcap.mp4 --mcap milling.mcap
  swarmarium record milling --transparent --overlay links -o overlay/
  swarmarium record milling --from 20 --frames 1 -o picture.png
  # A run for the next examples
  swarmarium run milling -o run
  swarmarium record run --camera follow:millers-0 --plot circliness -o run.mp4
  swarmarium record run --from 1400 --to 45s -o clip.mp4")]
pub struct Args {
    /// Scene file, file of another program, name of a shipped scene, folder of a run, or - for a scene from stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    file: String,
    /// Video to write: .mp4, .gif or .apng; NAME_%05d.png or a folder for PNG files
    #[arg(short, long, value_name = "F")]
    output: PathBuf,
    /// Replace F, and the MCAP file, if they exist
    #[arg(long)]
    overwrite: bool,
    /// Simulated time that the video shows, such as 90, 90s, 2m or 1h
    #[arg(long, value_name = "S", value_parser = length)]
    duration: Option<Seconds>,
    /// Number of frames, in place of --duration
    #[arg(long, value_name = "N", conflicts_with = "duration", value_parser = count)]
    frames: Option<u64>,
    #[command(flatten)]
    part: player::PartArguments,
    /// Frames per second: 30, 12.5, 30000/1001
    #[arg(long, value_name = "RATE", default_value = "30")]
    fps: Rate,
    /// Size of a frame in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = frame_size)]
    size: (u32, u32),
    /// Simulated seconds per second of video: 10 for a time-lapse, 0.1 for slow motion
    #[arg(long, value_name = "X", default_value = "1", value_parser = times)]
    speed: f64,
    #[command(flatten)]
    view: ViewArguments,
    /// Draw a chart of a metric over time, by the name of its column; repeatable
    #[arg(long, value_name = "METRIC")]
    plot: Vec<String>,
    /// Colours of groups: okabe-ito, tol or grey
    #[arg(long, value_name = "NAME", default_value = "okabe-ito", value_parser = PALETTES, hide_possible_values = true)]
    palette: GroupColors,
    /// Use a dark background, as in the window (the default)
    #[arg(long, conflicts_with = "light")]
    dark: bool,
    /// Use a light background, for print
    #[arg(long)]
    light: bool,
    /// Use a transparent background, to lay over other pictures; .png and .apng only
    #[arg(long)]
    transparent: bool,
    /// Write a table with the hash of the pixels of each frame
    #[arg(long, value_name = "F.CSV")]
    frame_hashes: Option<PathBuf>,
    #[command(flatten)]
    log: LogArguments,
    /// Encoder: own, or ffmpeg, which must be installed and supports more formats
    #[arg(long, value_name = "NAME", default_value = "own", value_parser = ENCODERS, hide_possible_values = true)]
    encoder: Encoder,
    /// Number of parts of the video that are painted and encoded concurrently [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = workers)]
    jobs: Option<usize>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// The results of a recording as JSON.
#[derive(Serialize)]
struct Results {
    /// The video, the table of hashes and the MCAP file.
    files: Vec<Written>,
    frames: u64,
    /// The duration of the video.
    video_s: f64,
    /// The failure; `null` without one.
    error: Option<String>,
}

fn frame_size(text: &str) -> Result<(u32, u32), ArgumentError> {
    sides(text, SIDES_PX)
}

fn times(text: &str) -> Result<f64, ArgumentError> {
    let times = text.trim_end_matches(['x', '×']).parse().ok();
    times.filter(|times| (1e-6..=1e6).contains(times)).ok_or(ArgumentError::VideoSpeed)
}

/// The encoders by their names.
const ENCODERS: OneOf<Encoder> = OneOf(&[("own", Encoder::Own), ("ffmpeg", Encoder::Ffmpeg)]);

/// The plan of a video, with all arguments checked.
struct Plan {
    player: Player,
    view: View,
    operator: Operator,
    /// The camera that shows the whole arena.
    fit: Camera,
    charts: Vec<(usize, Chart)>,
    spec: Spec,
    from_s: f64,
    speed: f64,
    jobs: usize,
    /// Whether the size of a sequence of pictures is estimated.
    warns_of_size: bool,
    log: Option<LogPlan>,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.file]
    }

    /// The command that records the rest of an interrupted video, from a time on, as another one.
    fn rest(&self, common: &Common, from_s: f64, frames: Option<u64>) -> TypedCommand {
        let mut command = TypedCommand::new(&common.program, &common.command).without("--output", Some('o'));
        for option in ["--from", "--to", "--duration", "--frames", "--frame-hashes"] {
            command = command.without(option, None);
        }
        command = command.with(["--from".to_owned(), format!("{from_s}s")]);
        if let Some(frames) = frames {
            command = command.with(["--frames".to_owned(), frames.to_string()]);
        }
        command = command.with(["-o".to_owned(), shown(rest_of(&self.output))]);
        match &self.frame_hashes {
            Some(table) => command.with(["--frame-hashes".to_owned(), shown(rest_of(table))]),
            None => command,
        }
    }

    /// Whether the output is a sequence of pictures.
    fn is_sequence(&self) -> bool {
        self.output.extension().is_none_or(|extension| extension.eq_ignore_ascii_case("png"))
    }

    fn style(&self) -> Style {
        let (width, height) = self.size;
        let scale = painter::usual_scale(width, height);
        let theme = if self.light { Theme::Light } else { Theme::Dark };
        Style { theme, groups: self.palette, transparent: self.transparent, scale }
    }

    /// The largest number of frames; `None` when only an expression ends the video.
    ///
    /// # Errors
    /// When there are more than [`MAX_FRAMES`] without `--frames` and `--duration`.
    fn frames(&self, player: &Player) -> anyhow::Result<Option<u64>> {
        let (scene, per_second) = (player.simulation().scene(), self.fps.per_second());
        let frames_of = |seconds: f64| ((seconds / self.speed * per_second).round() as u64).max(1);
        let dt_s = scene.time.dt_s;
        let to_stop =
            scene.stop.last_step(dt_s).map(|step| frames_of((step as f64 * dt_s - player.first_s()).max(0.0)));
        let without_end = scene.stop.when.is_empty().then(|| frames_of(DEFAULT_S));
        let of_scene = Some(scene.view.movie_frames).filter(|frames| *frames > 0);
        // The last frame shows the last moment.
        let to_last =
            player.to_s().map(|to_s| ((to_s - player.first_s()) / self.speed * per_second).round() as u64 + 1);
        let requested = self.frames.or(self.duration.map(|Seconds(seconds)| frames_of(seconds))).or(to_last);
        let of_run = player.last_s().map(|last_s| frames_of((last_s - player.first_s()).max(0.0)));
        let default = of_run.or(of_scene).or(to_stop).or(without_end);
        if let Some(frames) = default.filter(|frames| requested.is_none() && *frames > MAX_FRAMES) {
            let end = player.end().unwrap_or_else(|| shown(&self.file));
            bail!(
                "{end}: a video of all of it would have {frames} frames: expected at most {MAX_FRAMES}, or --frames or \
                 --duration for a part"
            );
        }
        Ok(requested.or(default))
    }

    /// Begins the table of hashes.
    fn begin_table(&self, table: &Path) -> anyhow::Result<Draft> {
        let name = shown(table);
        ensure!(!table.is_dir(), "{name}: is a folder; --frame-hashes expects a file");
        ensure!(!is_same_file(table, &self.output), "{name}: cannot be both the video and the table of its hashes");
        ensure!(self.overwrite || table.symlink_metadata().is_err(), "{name}: exists already; --overwrite replaces it");
        let folder = table.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        ensure!(folder.is_dir(), "{}: there is no folder {}", cannot_write(table), shown(folder));
        Draft::begin(table)
    }

    /// Checks that the output does not exist yet, or that `--overwrite` allows to replace it.
    fn check_output(&self, program: &str) -> anyhow::Result<()> {
        let is_log = self.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mcap"));
        ensure!(
            !is_log,
            "{0}: is not a video: `--mcap {0}` writes it beside one, and `{program} run --mcap {0}` without one",
            shown(&self.output)
        );
        match encoder::existing_file(&self.output).filter(|_| !self.overwrite) {
            Some(file) => bail!("{}: exists already; --overwrite replaces it", shown(file)),
            None => Ok(()),
        }
    }

    fn plan(&self, common: &Common, recipe: &Recipe) -> anyhow::Result<Plan> {
        self.check_output(&common.program)?;
        let log = self.log.clone().resolve(self.overwrite)?;
        if let Some(path) = log.as_ref().map(LogPlan::path) {
            let name = shown(path);
            let is_table = self.frame_hashes.as_ref().is_some_and(|table| is_same_file(path, table));
            ensure!(!is_table, "{name}: cannot be both the MCAP file and the table of hashes");
        }
        let mut player =
            Player::open(&self.file, &self.part, common, recipe, |scene| self.view.add_trails(recipe.kinds(), scene))?;
        let from_s = player.first_s();
        if self.view.asks_for(Overlay::Occupancy) {
            player.remember();
        }
        if let Some(last_s) = player.last_s() {
            ensure!(from_s <= last_s, "--from: the run ends at {} s", math::decimal_product(last_s));
        }
        player.check_reach("--from")?;
        let frames = self.frames(&player)?;
        if let Some((frames, last_s)) = frames.zip(player.last_s()).filter(|_| !common.quiet) {
            let end_s = from_s + self.fps.time_s(frames.saturating_sub(1)) * self.speed;
            let dt_s = player.simulation().time().dt_s;
            if end_s > last_s + dt_s {
                let last_s = math::decimal_product(last_s);
                tell_warning(format_args!("{}: the run ends at {last_s} s, and the video with it", shown(&self.file)));
            }
        }
        let (width, height) = self.size;
        let requested = Spec { width, height, rate: self.fps, style: self.style(), frames };
        let spec = encoder::fitted(&self.output, self.encoder, requested);
        if (spec.width, spec.height) != self.size && !common.quiet {
            let Spec { width, height, .. } = spec;
            tell(format_args!("frames have {width}x{height} pixels: the sides of this format are even"));
        }
        let simulation = player.simulation();
        let operator = self.view.operator(simulation)?;
        let screen_px = DVec2::new(f64::from(spec.width), f64::from(spec.height)) / spec.style.scale;
        let mut view = self.view.view(simulation.scene(), screen_px);
        view.overlays.set(Overlay::Floor, !self.transparent);
        // Charts show the whole duration from the start.
        let shown_s = frames.map_or(DEFAULT_S, |frames| self.fps.time_s(frames));
        let until_s = from_s + shown_s * self.speed;
        let columns = simulation.metric_columns();
        let chart = |name: &String| {
            let column = columns.iter().position(|column| column == name).with_context(|| {
                let known = columns.iter().map(String::as_str);
                let hint = match simulation.missing_metric(name) {
                    hint if hint.is_empty() => did_you_mean(name, known),
                    hint => hint,
                };
                format!("--plot: the metrics of the scene are {}, not `{name}`{hint}", listed(&columns))
            })?;
            anyhow::Ok((column, Chart::new(name, [from_s, until_s])))
        };
        let charts = self.plot.iter().map(chart).collect::<anyhow::Result<_>>()?;
        Ok(Plan {
            fit: view.camera,
            view,
            operator,
            charts,
            spec,
            from_s,
            speed: self.speed,
            jobs: common.jobs(self.jobs)?,
            warns_of_size: !common.quiet && self.is_sequence(),
            log,
            player,
        })
    }
}

/// Whether two paths are those of one file, which need not exist.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| {
        let in_folder = || {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        };
        path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
    };
    resolved(one) == resolved(other)
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// A recorder that another thread completes if a step does not end.
struct SharedRecorder(Mutex<Option<Recorder>>);

impl SharedRecorder {
    fn new(recorder: Recorder) -> Self {
        Self(Mutex::new(Some(recorder)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Recorder>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Recorder> {
        self.lock().take()
    }
}

/// Records a video.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    interrupt::watch();
    let mut plan = args.plan(common, recipe)?;
    let _hold = interrupt::Hold::new();
    let table = args.frame_hashes.as_deref().map(|table| args.begin_table(table)).transpose()?;
    let format = encoder::create(&args.output, args.encoder, &plan.spec)?;
    // Another process may have completed the same file before the format locked it.
    if let Err(refused) = args.check_output(&common.program) {
        // A video without frames is removed.
        let _ = format.finish();
        return Err(refused);
    }
    let hash_frames = table.is_some();
    let recorder = SharedRecorder::new(Recorder::start(&args.output, format, &plan.spec, plan.jobs, hash_frames)?);
    let clock = Instant::now();
    let progress = Progress::new("frames", plan.spec.frames, common.hides_progress());
    let (table, quiet, log) = (Mutex::new(table), common.quiet, SharedLog::default());
    let (rate, planned, time_s) = (plan.spec.rate, plan.spec.frames, plan.times_s());
    // Completes the files; gives the number of frames, what the video is, and whether all is written.
    let complete = |recorded: Recording, is_interrupted: bool| {
        progress.at(recorded.frames);
        progress.finish();
        let table = table.lock().unwrap_or_else(PoisonError::into_inner).take();
        let listed = table.map_or(Ok(()), |table| table.complete(hash_table(&recorded.hashes, time_s).as_bytes()));
        let summary = recorded.summary(rate);
        if !quiet && recorded.frames > 0 && !is_interrupted {
            let wall_s = clock.elapsed().as_secs_f64();
            let speed = recorded.frames as f64 / wall_s.max(1e-9);
            tell(format_args!("{summary}, recorded in {wall_s:.2} s, {speed:.1} frames/s"));
        }
        let logged = log.take().map(run_log::finish).transpose();
        if let (Ok(Some(text)), false) = (&logged, quiet) {
            tell(text);
        }
        let kept = match recorded.frames {
            0 => "there is no video".to_owned(),
            _ => summary.replacen(": ", " has ", 1),
        };
        (recorded.frames, kept, recorded.outcome().map_err(anyhow::Error::from).and(listed).and(logged.map(|_| ())))
    };
    let log_path = plan.log.as_ref().map(|log| log.path().to_owned());
    let print = |exit: Exit, frames: u64, error: Option<String>| match args.json {
        true => {
            let video = (frames > 0).then_some(&args.output);
            let files = video.into_iter().chain(&args.frame_hashes).chain(&log_path);
            let files = files.map(|path| Written::new(path)).collect();
            json::print_results(json::status_of(exit), &Results { files, frames, video_s: rate.time_s(frames), error })
        }
        false => Ok(()),
    };
    let tell_interrupted = |frames: u64, kept: &str| {
        if !quiet {
            let of = planned.map(|planned| format!(" of {planned}")).unwrap_or_default();
            let rest = args.rest(
                common,
                math::decimal_product(time_s(frames)),
                planned.map(|all| all.saturating_sub(frames).max(1)),
            );
            let rest = match &log_path {
                Some(path) => rest.without("--mcap", None).with(["--mcap".to_owned(), shown(rest_of(path))]),
                None => rest,
            };
            tell(format_args!("interrupted after frame {frames}{of}: {kept}; `{rest}` records the rest"));
        }
    };
    // The video ends with the last frame before a step that does not end.
    let abandon = || {
        let Some(recorder) = recorder.take() else { return };
        let (frames, kept, written) = complete(recorder.finish(), true);
        tell_interrupted(frames, &kept);
        let exit = match written {
            Ok(()) => Exit::Interrupted,
            Err(error) => {
                tell_failure(&error);
                Exit::RunFailed
            }
        };
        // The exit code tells the same if stdout is gone.
        _ = print(exit, frames, None);
        std::process::exit(exit as i32);
    };
    let played = interrupt::guarded(|| plan.play(&recorder, &log, &progress), abandon);
    let recorded = recorder.take().context("the recording was interrupted within a step")?.finish();
    let is_interrupted = matches!(played, Ok(Exit::Interrupted));
    let (frames, kept, written) = complete(recorded, is_interrupted);
    let nothing = || anyhow!("{}: the run ended before {} s", shown(&args.output), math::decimal_product(plan.from_s));
    let has_frames = if frames > 0 { Ok(()) } else { Err(nothing()) };
    if is_interrupted {
        tell_interrupted(frames, &kept);
    }
    let ended = match played.and_then(|exit| written.map(|()| exit)) {
        Ok(Exit::Fine) => match plan.player.conclude() {
            Exit::Fine => has_frames.map(|()| Exit::Fine)?,
            exit => exit,
        },
        Ok(exit) => exit,
        Err(error) => {
            tell_failure(&error);
            print(Exit::RunFailed, frames, Some(format!("{error:#}")))?;
            return Ok(Exit::RunFailed);
        }
    };
    print(ended, frames, None)?;
    Ok(ended)
}

impl Plan {
    /// Warns if a sequence of pictures like the first one will be large.
    fn warn_of_size(&self, first: &Picture) -> anyhow::Result<()> {
        let Spec { width, height, frames, style, .. } = self.spec;
        let Some(frames) = frames.filter(|_| self.warns_of_size) else { return Ok(()) };
        let pixels = f64::from(width) * f64::from(height) * frames as f64;
        // No picture has more than four bytes per pixel.
        if pixels * 4.0 > LARGE {
            let size = [width, height].map(|side| u16::try_from(side).unwrap_or(u16::MAX));
            let bytes = png::of_picture(first, &self.view.camera, size, style)?.len();
            warn_of_size(&counted(frames, "picture"), bytes as f64 * frames as f64, true);
        }
        Ok(())
    }

    /// The simulated time of each frame.
    fn times_s(&self) -> impl Fn(u64) -> f64 + Copy + use<> {
        let (from_s, speed, rate) = (self.from_s, self.speed, self.spec.rate);
        move |frame| from_s + speed * rate.time_s(frame)
    }

    /// Sends all frames to the recorder.
    fn play(&mut self, recorder: &SharedRecorder, log: &SharedLog, progress: &Progress) -> anyhow::Result<Exit> {
        let times_s = self.times_s();
        for frame in 0..self.spec.frames.unwrap_or(MAX_FRAMES) {
            if recorder.lock().as_ref().is_none_or(Recorder::has_failed) {
                break;
            }
            let time_s = times_s(frame);
            match self.player.advance_to(time_s)? {
                player::Playback::Reached => {}
                player::Playback::Ended => break,
                player::Playback::Interrupted => return Ok(Exit::Interrupted),
                player::Playback::InvalidEdit(problems) => {
                    tell_problems(&problems);
                    return Ok(Exit::BadInput);
                }
            }
            if let Some(plan) = self.log.take() {
                self.player.begin_log(&plan, log)?;
            }
            let moment = self.player.moment(time_s);
            self.view.camera = self.operator.camera(&moment, &self.fit);
            let mut picture = moment.picture(&self.view);
            let values = if self.charts.is_empty() { Vec::new() } else { self.player.simulation().metrics() };
            for (index, (column, chart)) in self.charts.iter_mut().enumerate() {
                chart.add(time_s, values.get(*column).copied().unwrap_or(f64::NAN));
                chart.draw(index, &self.view, &mut picture);
            }
            if frame == 0 {
                self.warn_of_size(&picture)?;
            }
            let Some(recorder) = &mut *recorder.lock() else { break };
            recorder.add(Shot::new(picture, self.view.camera));
            progress.at(recorder.written());
        }
        Ok(Exit::Fine)
    }
}

/// The table of the hashes of frames, at their simulated times.
fn hash_table(hashes: &[u64], time_s: impl Fn(u64) -> f64) -> String {
    let time_s = |frame: usize| math::decimal_product(time_s(frame as u64));
    let row = |(frame, hash): (usize, &u64)| format!("{frame},{},{}\n", time_s(frame), hex(*hash));
    let rows = hashes.iter().enumerate().map(row);
    ["frame,t_s,hash\n".into()].into_iter().chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_file_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, dotted] = ["a.mcap", "./a.mcap"].map(|name| folder.path().join(name));
        std::fs::create_dir(folder.path().join("b")).unwrap();
        assert!(is_same_file(&plain, &dotted) && is_same_file(&plain, &folder.path().join("b/../a.mcap")));
        std::fs::write(&plain, "x").unwrap();
        assert!(is_same_file(&plain, &dotted) && !is_same_file(&plain, &folder.path().join("b/a.mcap")));
        assert!(is_same_file(Path::new("new.mcap"), Path::new("./new.mcap")));
    }

    #[test]
    fn sizes_and_speeds_are_checked() {
        assert_eq!(frame_size("640x360"), Ok((640, 360)));
        for bad in ["0x0", "100000x100000", "640", "x", "-640x360"] {
            assert!(frame_size(bad).is_err(), "{bad}");
        }
        assert_eq!(times("10x"), Ok(10.0));
        assert_eq!(times("0.1"), Ok(0.1));
        assert!(["0", "-1", "NaN", "max"].into_iter().all(|bad| times(bad).is_err()));
    }
}
