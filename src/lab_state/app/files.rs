//! Files that the window writes: scenes, recordings, pictures, figures, tables and links.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bevy::math::DVec2;
use bevy_egui::egui::{self, ColorImage, Context};
use swarmarium_base::files::{claim, read_at_most, write_whole};
use swarmarium_draw::View;
use swarmarium_figure::{Look, Pixels, Print, sheet};
use swarmarium_formats::load::{Loaded, Source, fingerprint};
use swarmarium_host::timeline::{Branch, Moment};
use swarmarium_picture::camera::Camera;
use swarmarium_scene::scene::origins::Origins;
use swarmarium_scene::scene::reader::{MAX_BYTES, read_text};
use swarmarium_video::{Pane, Shot};

use crate::action::{FileRequest, VideoPart};
use crate::app::Lab;
use crate::common::command::CommandId;
use crate::common::places::absolute;
use crate::common::settings::{FigureContent, FigureFormat};
use crate::common::text::{counted, shell_word};
use crate::files::recording::rerecording::Rerecording;
use crate::files::recording::{Recording, RecordingSource, Seen, view_png};
use crate::files::save::{self, scene};
use crate::files::{run_log, share};
use crate::notice::Notice;
use crate::run::{output_folder, stem};
use crate::timeline::StepRange;

/// The reason why there is no figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// The scene has no metrics, and nothing is pinned.
    #[error("There is no plot to export: the scene has no metrics, and nothing is pinned")]
    NoPlots,
    /// All plots are left out.
    #[error("All plots are left out of the figure: choose some in \"Export figure\"")]
    AllLeftOut,
}

impl Lab {
    /// Returns the parts of the window that a recording needs.
    pub fn recording_source(&self) -> RecordingSource<'_> {
        RecordingSource {
            run: &self.run,
            view: &self.view,
            compare: &self.compare,
            plots: &self.plots,
            timeline: &self.timeline,
            settings: &self.shell.settings,
            places: &self.files.places,
        }
    }

    /// Records the view when a frame is due in real time, and reports finished files.
    pub fn record_frames(&mut self, now_s: f64) {
        let Self { files, run, view, compare, plots, notices, .. } = self;
        files.recordings.record_frames(Seen { run, view, compare, plots }, notices, now_s);
    }

    /// Returns what is seen as a frame for another thread, and its size in points: the run, and B beside it.
    fn seen_shot(&self) -> (Shot, DVec2) {
        let mut shot = self.view.view_shot(&self.run.host);
        let Some(other) = &self.compare.other else { return (shot, self.view.current.camera.screen_px) };
        let point = |at: egui::Vec2| DVec2::new(f64::from(at.x), f64::from(at.y));
        let shown = View { camera: other.camera, ..self.view.current };
        let corner_px = point(other.rect_px.min - self.view.rect_px.min);
        shot.panes.push(Pane { picture: other.picture_in(&shown), camera: other.camera, corner_px });
        (shot, point(other.rect_px.max - self.view.rect_px.min).max(DVec2::ONE))
    }

    /// Returns the figure with this content, in the size of the settings.
    ///
    /// # Errors
    /// Returns an error if there is no plot to show.
    pub fn figure(&self, content: FigureContent) -> Result<Print, FigureError> {
        let simulation = self.run.host.simulation();
        let seed = self.run.host.start().seed;
        let description = format!("Step {}, seed {seed}, {}", simulation.steps(), self.plots.history.sampling());
        match content {
            FigureContent::Plots => {
                let options = &self.shell.settings.figure;
                let time = simulation.time();
                let end_s = time.now_s().max(self.run.host.live_end() as f64 * time.dt_s);
                let visible_s = self.plots.arrangement.span.range_s(end_s);
                let range_s = options.time.range_s(visible_s, time.now_s(), end_s);
                let figures = self.plots.figures(simulation, range_s, &options.left_out);
                match figures.as_slice() {
                    [] if self.plots.count() == 0 => Err(FigureError::NoPlots),
                    [] => Err(FigureError::AllLeftOut),
                    figures => Ok(sheet(figures, options.paper(), &self.run.title(), &description)),
                }
            }
            FigureContent::World => Ok(self.world_figure()),
        }
    }

    /// Returns the visible part of the world on paper.
    fn world_figure(&self) -> Print {
        let paper = self.shell.settings.figure.paper();
        let shown = self.view.current;
        let screen_px = paper.size_px();
        let zoom = (screen_px / shown.camera.screen_px).min_element();
        let camera = Camera { screen_px, pixels_per_m: shown.camera.pixels_per_m * zoom, ..shown.camera };
        let picture = self.view.picture(&self.run.host, &View { camera, ..shown });
        let time = self.run.host.simulation().time();
        let description = format!("{:.3} s, step {}, seed {}", time.now_s(), time.step, self.run.host.start().seed);
        Print { title: self.run.title(), description, picture, camera, paper }
    }

    /// Saves a figure. A thread writes the file, because large PNG files take time.
    pub fn export_figure(&mut self, content: FigureContent, format: FigureFormat, path: PathBuf) {
        let print = match self.figure(content) {
            Ok(print) => print,
            Err(error) => return self.notices.say(&error.to_string()),
        };
        let options = self.shell.settings.figure.file();
        let started = self.files.recordings.work("figure", path.clone(), move || {
            write_whole(&path, print.file(format, &options)?)?;
            Ok(format!("Saved {}", path.display()))
        });
        self.notices.tell(started);
    }

    /// Copies the figure of the settings to the clipboard as an image.
    pub fn copy_figure(&mut self, ctx: &Context) {
        match self.figure(self.shell.settings.figure.content) {
            Ok(print) => {
                let pixels = print.pixels(self.shell.settings.figure.dots_per_inch, Look::default());
                let [width, height] = pixels.size;
                ctx.copy_image(image(&pixels));
                self.notices.say(&format!("Copied the figure as an image of {width} by {height} pixels"));
            }
            Err(error) => self.notices.say(&error.to_string()),
        }
    }
}

/// Converts pixels to an image of egui.
pub fn image(pixels: &Pixels) -> ColorImage {
    ColorImage::from_rgba_unmultiplied(pixels.size.map(usize::from), &pixels.rgba)
}

impl Lab {
    /// Starts a recording, or ends the running one.
    pub fn record(&mut self) {
        if let Some(recording) = &self.files.recordings.running {
            // A bar shows the progress of the encoding; the message follows when the file is complete.
            self.notices.drop_progress(&recording.path);
            return self.files.recordings.stop();
        }
        match Recording::start(self.recording_source()) {
            Ok(recording) => {
                let text = format!("Recording {}", recording.path.display());
                let text = self.shell.keymap.after(&text, CommandId::StartOrStopRecording, " ends it");
                self.notices.add(Notice::good(&text).of_progress(&recording.path));
                self.files.recordings.running = Some(recording);
            }
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Returns the parts of the run that can be rendered again, each with its first and its last step.
    pub fn video_parts(&self) -> impl Iterator<Item = (VideoPart, (u64, u64))> {
        let range = self.timeline.range.map(|range| (VideoPart::Range, (range.from, range.to)));
        let run = self.run.host.run_number();
        let last = self.files.recordings.last.as_ref().map(|last| last.shown).filter(|(of, _)| *of == run);
        let last = last.map(|(_, steps)| (VideoPart::LastRecording, steps));
        let so_far = (VideoPart::RunSoFar, (0, self.run.host.simulation().steps()));
        [range, last, Some(so_far)].into_iter().flatten()
    }

    /// Returns the part that is rendered again: the chosen one, or else the first one.
    pub fn video_part(&self) -> Option<(VideoPart, (u64, u64))> {
        let chosen = self.video_parts().find(|(part, _)| Some(*part) == self.files.recordings.part);
        chosen.or_else(|| self.video_parts().next())
    }

    /// Renders a part of the run again by simulating it, or cancels that; `None` for the chosen part.
    pub fn rerecord(&mut self, part: Option<VideoPart>) {
        if self.files.recordings.rerecording().is_some() {
            return self.files.recordings.cancel_rerecording();
        }
        let wanted = part.and_then(|part| self.video_parts().find(|(known, _)| *known == part));
        if let Some((_, steps)) = wanted.or_else(|| self.video_part()) {
            self.record_part(steps, "-smooth");
        }
    }

    /// Records the present branch between the ends of two steps by simulating it again.
    pub(crate) fn record_part(&mut self, (from, to): (u64, u64), suffix: &str) {
        if let Some(running) = &self.files.recordings.rerecording {
            return self.notices.say(running.kind().is_busy());
        }
        if from >= to {
            return self.notices.say("There is nothing to record: this part of the run has no step");
        }
        match Rerecording::start(self.recording_source(), (from, to), suffix) {
            Ok(rerecording) => {
                let dt_s = self.run.host.simulation().time().dt_s;
                let [from_s, to_s] = [from, to].map(|step| step as f64 * dt_s);
                let is_short = self.compare.other.as_ref().is_some_and(|other| !other.is_known_until(to));
                let only_a = if is_short { " It shows only A: B has not been simulated that far." } else { "" };
                let text = format!("Re-rendering {from_s:.2} s to {to_s:.2} s; the window stays usable.{only_a}");
                self.notices.say(&text);
                self.files.recordings.rerecording = Some(rerecording);
            }
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Saves the run so far as a page, by simulating it again in a thread.
    pub fn share_page(&mut self, path: PathBuf) {
        if let Some(running) = &self.files.recordings.rerecording {
            return self.notices.say(running.kind().is_busy());
        }
        match share::start_page(&self.run, &self.view, path) {
            Ok(page) => {
                self.notices.say("Writing the page of the run; the window stays usable");
                self.files.recordings.rerecording = Some(page);
            }
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Saves messages of ROS 2 about the run so far, by simulating it again in a thread.
    pub fn export_mcap(&mut self, path: PathBuf) {
        if let Some(running) = &self.files.recordings.rerecording {
            return self.notices.say(running.kind().is_busy());
        }
        match run_log::start(&self.run, path) {
            Ok(log) => {
                self.notices.say("Writing the MCAP file of the run; the window stays usable");
                self.files.recordings.rerecording = Some(log);
            }
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Saves a picture of the view with so many pixels per point of the interface.
    pub fn take_picture(&mut self, pixels_per_point: f32) {
        let (shot, size_px) = self.seen_shot();
        let started = self.claim_picture().and_then(|path| {
            let file = path.clone();
            let (scale, theme) = (f64::from(pixels_per_point), self.shell.settings.theme);
            let work = move || {
                write_whole(&path, view_png(&shot, size_px, theme, scale)?)?;
                Ok(format!("Saved {}", path.display()))
            };
            Ok(self.files.recordings.work("picture", file, work)?)
        });
        self.notices.tell(started.map_err(|error| format!("{error:#}")));
    }

    /// Saves a picture of the whole window.
    pub fn take_screenshot(&mut self) {
        match self.claim_picture() {
            Ok(path) => self.files.take_shot(&mut self.notices, path),
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Returns the folder of recordings, pictures and the runs of links, which exists.
    fn make_output_folder(&self) -> anyhow::Result<PathBuf> {
        let places = &self.files.places;
        let folder = output_folder(&self.run, &self.shell.settings, places);
        places.make_output(&folder)?;
        Ok(folder)
    }

    /// Returns a path for a picture that does not exist yet.
    fn claim_picture(&self) -> anyhow::Result<PathBuf> {
        let name = format!("{}-{}.png", stem(&self.run), self.run.host.simulation().steps());
        claim(&self.make_output_folder()?.join(name), false)
    }
}

impl Lab {
    /// Saves the scene, makes that file the open one, and reports the changes that it cannot hold.
    pub fn save_scene(&mut self, path: &Path) {
        let aside = match keep_comments(path) {
            Ok(aside) => aside,
            Err(error) => return self.notices.tell_unsaved(error, FileRequest::SaveScene),
        };
        let text = match scene(&self.run, path) {
            Ok(text) => text,
            Err(error) => return self.notices.tell_unsaved(error, FileRequest::SaveScene),
        };
        let source = match &self.run.opened.source {
            Source::File(opened) if is_same(opened, path) => self.run.opened.source.clone(),
            _ => Source::File(path.into()),
        };
        // The file now contains the overrides; applying them again would undo later changes.
        let (origins, fingerprint) = (Origins::of_text(&text), fingerprint(&text));
        let scene = self.run.host.simulation().scene_ahead().clone();
        self.take_opened(Loaded { source, origins, fingerprint, ..scene.into() });
        self.shell.settings.add_recent(path);
        let without = match self.run.changes_of_single_robots() {
            0 => String::new(),
            changes => format!(" without {} of single robots, which \"Save run as folder\" includes", counted(changes)),
        };
        let aside = aside.map(|aside| format!("; the previous file with its comments is kept as {}", aside.display()));
        self.notices.say_saved(&format!("Saved {}{without}{}", path.display(), aside.unwrap_or_default()), path);
    }
}

/// Keeps a copy of a scene file with comments, because saved scenes have none. Returns its path.
fn keep_comments(path: &Path) -> anyhow::Result<Option<PathBuf>> {
    let has_comments = read_text(path).is_ok_and(|text| text.contains("//") || text.contains("/*"));
    if !has_comments {
        return Ok(None);
    }
    let aside = path.with_added_extension("bak");
    let content = read_at_most(path, MAX_BYTES).with_context(|| path.display().to_string())?;
    write_whole(&aside, content)?;
    Ok(Some(aside))
}

/// Whether two paths lead to the same file.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

impl Lab {
    /// Records the range, or the whole branch if there is none, as a video with all its frames.
    pub fn export_clip(&mut self) {
        let whole = StepRange { from: 0, to: self.run.host.live_end() };
        let StepRange { from, to } = self.timeline.range.unwrap_or(whole);
        self.record_part((from, to.min(whole.to)), "-clip");
    }
}

/// The folder within that of output which contains the folders of runs.
const RUNS: &str = "runs";

impl Lab {
    /// Saves the run, and copies the command that opens it at the present moment.
    pub fn copy_link(&mut self, ctx: &Context) {
        let timeline = self.run.host.timeline();
        let root = timeline.root_of(timeline.present().id());
        let folder = match &self.timeline.folder {
            // All links of a run use the same folder.
            Some((folder, opening, of)) if (*opening, *of) == (self.run.openings, root) && folder.is_dir() => {
                folder.clone()
            }
            _ => match self.new_run_folder() {
                Ok(folder) => folder,
                Err(error) => return self.notices.tell_error(error),
            },
        };
        self.timeline.folder = Some((folder.clone(), self.run.openings, root));
        if let Err(error) = save::run_files(&self.run, &self.timeline).and_then(|files| Ok(files.write(&folder)?)) {
            return self.notices.tell_error(error);
        }
        self.timeline.saved_revision = Some(self.run.host.timeline().revision());
        let link = self.link(&folder);
        ctx.copy_text(link.clone());
        self.notices.say_saved(
            &format!("Copied `{link}`\nTo open the run on another machine, copy this folder there"),
            &folder,
        );
    }

    /// Creates the folder of a run, with a number if the name is taken.
    fn new_run_folder(&self) -> anyhow::Result<PathBuf> {
        let runs = self.make_output_folder()?.join(RUNS);
        std::fs::create_dir_all(&runs).with_context(|| format!("{}: cannot be created", runs.display()))?;
        claim(&runs.join(format!("{}-{}", stem(&self.run), self.run.host.start().seed)), true)
    }

    /// Returns the command that opens the present moment of a run in a folder, from any working folder.
    fn link(&self, folder: &Path) -> String {
        let Moment { branch, step } = self.timeline.playhead(&self.run.host);
        let name = self.run.host.timeline().branch(branch).map_or("", Branch::name);
        // The branch is included, since a later link from another branch uses the same folder.
        format!("swarmarium open {} --at {step} --branch {}", shell_word(&absolute(folder)), shell_word(name))
    }
}
