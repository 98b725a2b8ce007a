//! The lab: the window in which a scene is watched and edited.
//!
//! It hosts one simulation and uses only its public interface; no part of a simulation depends on the window.
//! A panel is a struct whose `ui` draws it and returns [`Action`]s, which one system executes.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, anyhow};
use bevy::app::AppExit;
use bevy::math::DVec2;
use bevy::prelude::*;
use bevy_egui::egui;
use swarmarium_base::id::StableId;
use swarmarium_core::clock::Host;
use swarmarium_core::draw::{Overlay, Past, View};
use swarmarium_core::edit::Edit;
use swarmarium_core::simulation::Recipe;
use swarmarium_formats::import;
use swarmarium_formats::load::{Loaded, Source};
use swarmarium_picture::palette::Theme;

pub mod action;
mod autosave;
mod camera;
mod canvas;
mod changes;
mod clients;
mod command;
mod compare;
mod dialogs;
mod dispatch;
mod display;
mod dock;
mod driving;
mod drop;
mod engine;
mod events;
mod faults;
mod figure_export;
mod figures;
mod focus;
mod footprints;
mod frame;
mod gallery;
mod gamepad;
mod group_color;
mod help;
mod input;
mod inspector;
mod kept_changes;
mod key_file;
mod keymap;
mod keys;
mod layout;
mod marks;
mod matcher;
mod menus;
mod notes;
mod notice;
mod opening;
mod painter;
#[cfg(test)]
mod painters;
mod palette;
mod panels;
mod parameters;
mod places;
mod plots;
mod popups;
mod presets;
mod progress;
mod recording;
mod reload;
mod resolved;
mod restart;
mod reveal;
mod save;
mod selection;
mod settings;
mod settings_file;
mod share;
mod shared_edits;
mod shot;
mod standing;
mod status;
mod stepping;
mod swatch;
mod sweep;
mod sweep_setup;
mod tessellate;
#[cfg(test)]
mod testing;
mod text;
mod theme;
mod thumbnails;
mod timeline;
mod timing;
mod toolbox;
mod tools;
mod tour;
mod transport;
mod tree;
mod undo;
mod view_panel;
mod widgets;
mod window;
mod world_view;

pub use action::Action;
pub use display::{DisplayError, display_available};
pub use keymap::{CommandDescription, describe_commands};
pub use recording::{RecordingError, RecordingResult};
pub use timeline::RunToOpen;

use action::{FileRequest, WindowAction};
use autosave::Autosave;
use camera::{Follows, Viewport};
use clients::Clients;
use compare::Comparison;
use dock::Docked;
use driving::Driving;
use engine::Engine;
use frame::FrameStats;
use keymap::Keymap;
use layout::Pane;
use notice::{Notice, Notices};
use places::Places;
use plots::{Pin, PlotState};
use popups::Popups;
use presets::Presets;
use recording::Recordings;
use save::Export;
use selection::{Item, Selection};
use settings::Settings;
use settings_file::SettingsFile;
use shot::Shots;
use sweep::SweepState;
use timeline::TimelineState;
use toolbox::{Tool, Toolbox};
use tools::Clipboard;
use tour::Tour;
use undo::EditState;

/// Options of the lab.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Threads that the simulation may use; 0 means one.
    pub threads: usize,
    /// Initial time scale in simulated seconds per second; `None` for that of the scene.
    pub speed: Option<f64>,
    /// Whether the run starts paused.
    pub paused: bool,
    /// Saves the window as a PNG file at a simulated time in seconds, then closes it.
    pub screenshot: Option<(PathBuf, f64)>,
    /// Size of the window in logical pixels; `None` for the last size.
    pub size_px: Option<(u32, u32)>,
    /// Dark or light theme; `None` for the last one.
    pub theme: Option<Theme>,
    /// The memory limit of keyframes in MB; `None` for the last one.
    pub keyframes_mb: Option<u32>,
    /// A run to open with its past.
    pub run: Option<RunToOpen>,
    /// The folder of a sweep, or a plan, to open in the panel.
    pub sweep: Option<String>,
    /// The options of importers for that plan.
    pub imports: import::Options,
}

/// The result of [`open`].
#[derive(Debug)]
pub struct Ended {
    /// The cause of the end.
    pub outcome: Outcome,
    /// Messages about recordings that were running.
    pub told: Vec<RecordingResult>,
}

/// The cause of the end of the lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The window was closed.
    Closed,
    /// The screenshot was saved.
    Saved(PathBuf),
    /// The terminal interrupted the program.
    Interrupted,
    /// Another program destroyed the window.
    Destroyed,
}

/// Opens the window on a scene and runs until it is closed.
///
/// Checks [`display_available`] first.
///
/// # Errors
/// Returns an error if the simulation cannot be built, no window can be opened, or the screenshot cannot be saved.
pub fn open(loaded: impl Into<Loaded>, recipe: &Recipe, options: &Options) -> anyhow::Result<Ended> {
    // A screenshot must not depend on settings of the user.
    let mut memory = if options.screenshot.is_some() { SettingsFile::default() } else { SettingsFile::of_user() };
    let (settings, told) = memory.recall();
    let mut lab = Lab::new(loaded.into(), recipe, options, settings)?;
    lab.tell(told);
    lab.presets = Presets::in_folder(memory.presets_folder());
    lab.presets.follow(&lab.title());
    if options.screenshot.is_none() {
        lab.places = Places::of_user();
        lab.read_keys();
        lab.begin_autosave();
        lab.offer_unfinished_sweeps();
        if let Some(source) = &options.sweep {
            lab.open_sweep(source, &options.imports);
        }
        if !lab.settings.toured {
            lab.take_tour();
        }
    }
    if let Some((path, _)) = &options.screenshot {
        shot::check(path)?;
    }
    display_available()?;
    let report: shot::Report = Arc::new(Mutex::new(None));
    let window = window::window(&lab);
    let engine = Engine::start(lab)?;
    let after = engine.after();
    let built = display::quietly(|| window::app(engine, window, options, report.clone(), memory));
    let exit = built.map_err(|error| anyhow!("cannot open a window: {error}"))?.run();
    let saved = report.lock().unwrap_or_else(PoisonError::into_inner).take();
    let told = after.close();
    let outcome = match (saved, exit) {
        (Some(saved), _) => saved.map(Outcome::Saved),
        (None, AppExit::Success) if options.screenshot.is_some() => Err(anyhow!("closed before the picture was taken")),
        (None, AppExit::Success) => Ok(Outcome::Closed),
        (None, AppExit::Error(code)) if code.get() == 130 => Ok(Outcome::Interrupted),
        (None, AppExit::Error(code)) if code.get() == window::DESTROYED => Ok(Outcome::Destroyed),
        (None, AppExit::Error(_)) => Err(anyhow!("the window failed")),
    };
    outcome.map(|outcome| Ended { outcome, told })
}

/// The content of the window: the host with its simulation, the view, and the state of all panels.
///
/// It depends neither on Bevy's window nor on its painter, so tests need no window.
pub struct Lab {
    pub(crate) host: Host,
    recipe: Recipe,
    /// Threads that a simulation may use.
    threads: usize,
    /// The comparison with a second world.
    pub(crate) compare: Comparison,
    /// The scene as it was opened, without later edits.
    pub(crate) opened: Loaded,
    /// The number of opened scenes.
    pub(crate) openings: u64,
    /// The number of starts of runs and changes to another state.
    pub(crate) starts: u64,
    pub(crate) restarts: u64,
    pub(crate) settings: Settings,
    /// The paths of the files that the lab reads and writes by itself.
    pub(crate) places: Places,
    /// The keymap.
    pub(crate) keymap: Keymap,
    /// The autosave of the open scene.
    pub(crate) autosave: Autosave,
    /// The tour.
    pub(crate) tour: Tour,
    /// The view of the world and its place in the window.
    pub(crate) viewport: Viewport,
    /// The selection.
    pub(crate) selection: Selection,
    /// The present tool and the settings of tools.
    pub(crate) toolbox: Toolbox,
    /// Copied robots and objects.
    pub(crate) clipboard: Clipboard,
    /// The robots that are driven with keys or a gamepad.
    pub(crate) driving: Driving,
    /// The state of changes and undo.
    pub(crate) edits: EditState,
    /// The state of the plots.
    pub(crate) plots: PlotState,
    /// The state of the timeline in the window.
    pub(crate) timeline: TimelineState,
    /// The sweep beside the run.
    pub(crate) sweep: SweepState,
    /// Frame rate and step time.
    pub(crate) frames: FrameStats,
    /// The sockets of the scene.
    pub(crate) clients: Clients,
    /// Recordings.
    pub(crate) recordings: Recordings,
    /// Pictures of the window.
    pub(crate) shots: Shots,
    /// The presets of the scene.
    pub(crate) presets: Presets,
    /// The number of requests to focus the field that finds parameters.
    pub(crate) finds: u64,
    /// The panels that fit into the window.
    pub(crate) docked: Docked,
    /// The open windows over the world.
    pub(crate) popups: Popups,
    /// The request for a file, until the user has chosen one. Its dialog is open and gets all keys.
    pub(crate) file_request: Option<FileRequest>,
    /// Messages over the world.
    pub(crate) notices: Notices,
    pub(crate) full_screen: bool,
    pub(crate) quit: bool,
}

/// Returns the memory limit of keyframes in bytes.
fn budget_bytes(mb: u32) -> usize {
    (mb as usize) << 20
}

impl Lab {
    pub(crate) fn new(
        loaded: Loaded,
        recipe: &Recipe,
        options: &Options,
        mut settings: Settings,
    ) -> anyhow::Result<Self> {
        let mut host = Host::new(&loaded.scene, recipe, options.threads.max(1))?;
        if let Some(speed) = options.speed {
            // A speed of the command line is no change that can be undone.
            host.set_scale_in(speed, 0).map_err(|problem| anyhow!("{}", problem.message)).context("--speed")?;
        }
        host.clock_mut().paused = options.paused;
        host.stops = options.screenshot.is_none();
        if options.screenshot.is_none() {
            host.keep_track();
        }
        settings.window_px = options.size_px.unwrap_or(settings.window_px);
        settings.theme = options.theme.unwrap_or(settings.theme);
        settings.keyframes_mb = options.keyframes_mb.unwrap_or(settings.keyframes_mb);
        host.set_keyframe_budget(budget_bytes(settings.keyframes_mb));
        let (width, height) = settings.window_px;
        let mut view = View::fit(&loaded.scene, DVec2::new(f64::from(width), f64::from(height)));
        view.overlays.set(Overlay::GridLabels, true);
        let dt_s = host.simulation().time().dt_s;
        let shots = options.screenshot.as_ref().map(|(path, at_s)| {
            let step = (at_s / dt_s).round() as u64;
            Shots { waiting: vec![shot::Shot::of_target(path.clone(), step)], target: Some(step) }
        });
        let world_px = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width as f32, height as f32));
        let mut lab = Self {
            recipe: recipe.clone(),
            threads: options.threads.max(1),
            compare: Comparison::default(),
            opened: Loaded::default(),
            openings: 1,
            starts: 0,
            restarts: 0,
            settings,
            places: Places::default(),
            keymap: Keymap::default(),
            autosave: Autosave::default(),
            tour: Tour::default(),
            viewport: Viewport::new(view, world_px, Past::of(host.simulation().world())),
            selection: Selection::default(),
            toolbox: Toolbox::default(),
            clipboard: Clipboard::default(),
            driving: Driving::default(),
            edits: EditState::default(),
            plots: PlotState::of(host.simulation()),
            timeline: TimelineState::default(),
            sweep: SweepState::default(),
            frames: FrameStats::default(),
            clients: Clients::default(),
            recordings: Recordings::default(),
            shots: shots.unwrap_or_default(),
            presets: Presets::default(),
            finds: 0,
            docked: Docked::default(),
            popups: Popups::default(),
            file_request: None,
            notices: Notices::default(),
            full_screen: false,
            quit: false,
            host,
        };
        let refused = lab.settings.layout.take_refused();
        lab.tell(refused.map_or(Ok(()), Err));
        lab.take_opened(loaded);
        lab.edits.shared.begin(&lab.host, &lab.opened.edits);
        lab.remember_recent();
        lab.suggest_sweep();
        if let Some(run) = &options.run {
            let done = lab.take_run(run);
            lab.tell(done);
        }
        Ok(lab)
    }

    /// Returns the name of the scene, or that of its source.
    pub(crate) fn title(&self) -> String {
        match (self.host.scene().name.as_str(), &self.opened.source) {
            ("", Source::File(path)) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            ("", Source::Unsaved(_)) => "Untitled".into(),
            ("", source) => source.name().unwrap_or_else(|| "Scene".into()),
            (name, _) => name.into(),
        }
    }

    fn window_title(&self) -> String {
        let mark = if self.is_unsaved() { "*" } else { "" };
        // A file is named by its file name, which "Save scene as" changes.
        let (name, place) = match &self.opened.source {
            Source::File(path) => {
                let path = PathBuf::from(places::absolute(path));
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (name, path.parent().unwrap_or(&path).display().to_string())
            }
            _ => (self.title(), self.origin()),
        };
        format!("{name}{mark} — {place} — Swarmarium")
    }

    /// Returns the source of the open scene: its file, or a description.
    pub(crate) fn origin(&self) -> String {
        match &self.opened.source {
            Source::Code => "made by a program".into(),
            Source::Shipped(name) => format!("shipped scene {name}"),
            Source::File(path) => places::absolute(path),
            Source::Unsaved(what) => (*what).into(),
        }
    }

    /// Returns the turn rate of the selected robot in the last step; NaN before it was observed for one step.
    pub(crate) fn turn_rad_per_s(&self) -> f64 {
        self.plots
            .turning
            .as_ref()
            .map_or(f64::NAN, |turning| turning.value(self.plots.history.watched(self.host.simulation())))
    }

    /// Returns edits that randomise numbers: those at some paths, or all numbers of groups that take effect at once.
    fn randomised(&mut self, mut paths: Vec<String>, part: f64) -> Vec<Edit> {
        if paths.is_empty() {
            paths = parameters::ParameterMatches::of(self, "", false).numbers;
        }
        let Settings { dice_seed, throws, .. } = self.settings;
        self.settings.throws = throws.wrapping_add(1);
        parameters::randomise::edits(self, &paths, part, dice_seed, throws)
    }

    /// Limits the memory of keyframes.
    pub(crate) fn set_keyframe_budget(&mut self, mb: u32) {
        self.settings.keyframes_mb = mb.clamp(*settings::KEYFRAMES_MB.start(), *settings::KEYFRAMES_MB.end());
        self.host.set_keyframe_budget(budget_bytes(self.settings.keyframes_mb));
    }

    /// Shows an error, if there is one.
    pub(crate) fn tell(&mut self, done: Result<(), impl Display>) {
        if let Err(error) = done {
            self.tell_error(error);
        }
    }

    /// Shows an error with its causes.
    pub(crate) fn tell_error(&mut self, error: impl Display) {
        self.notices.add(Notice::error(&format!("{error:#}")));
    }

    /// Shows a message for some seconds.
    pub(crate) fn say(&mut self, text: &str) {
        self.notices.add(Notice::good(text));
    }

    /// Shows whether a file was saved.
    pub(crate) fn report(&mut self, saved: anyhow::Result<()>, path: &Path) {
        match saved {
            Ok(()) => self.say_saved(&format!("Saved {}", path.display()), path),
            Err(error) => self.tell_error(error),
        }
    }

    /// Shows that a file was saved, with buttons that open its folder and copy its path.
    pub(crate) fn say_saved(&mut self, text: &str, path: &Path) {
        let path = PathBuf::from(places::absolute(path));
        let copy = Action::Window(WindowAction::Copy(path.display().to_string()));
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(&path).to_path_buf() };
        let open = Action::Window(WindowAction::OpenFolder(folder));
        let notice = Notice::good(text)
            .with_button("Open folder", "Opens the folder of the file in the file manager", open)
            .with_button("Copy path", "Copies the path of the file", copy);
        self.notices.add(notice.passing());
    }

    /// Takes a picture of the window after the next frame.
    pub(crate) fn take_shot(&mut self, path: PathBuf) {
        match shot::check(&path) {
            Ok(()) => self.shots.waiting.push(shot::Shot::new(path)),
            Err(error) => self.tell_error(error),
        }
    }

    /// Saves the numbers of all plots as a table; in a thread if the run must be simulated again.
    pub(crate) fn export_csv(&mut self, path: &Path) {
        let export = match Export::of(self) {
            Ok(export) => export,
            Err(error) => return self.tell_error(error),
        };
        match export.resimulated_steps() {
            0 => {
                let saved = export.save(path, || true);
                self.report(saved, path);
            }
            steps => {
                let text = format!("Simulating {} steps again for {}", text::grouped(steps), path.display());
                self.notices.add(Notice::good(&text).of_progress(path));
                let started = self.recordings.export(export, path.into());
                self.tell(started.map_err(|error| format!("{}: {error}", path.display())));
            }
        }
    }

    /// Whether a panel is visible.
    pub(crate) fn shows_panel(&self, pane: Pane) -> bool {
        self.settings.panels && self.settings.layout.is_shown(pane) && !self.docked.hides(pane)
    }

    /// Closes a visible panel, or shows a hidden one.
    pub(crate) fn toggle_panel(&mut self, pane: Pane) {
        if !self.shows_panel(pane) {
            self.show_panel(pane);
        } else if !self.docked.dismisses(pane) {
            self.settings.layout.close(pane);
        }
    }

    /// Shows a panel, and all open panels.
    pub(crate) fn show_panel(&mut self, pane: Pane) {
        if pane == Pane::Sweep {
            self.suggest_sweep();
        }
        self.settings.panels = true;
        self.settings.layout.show(pane);
        self.docked.call(pane);
    }

    pub(crate) fn select(&mut self, item: Option<Item>) {
        let agent = item.and_then(Item::agent);
        self.plots.history.select(agent.map(StableId::index));
        if item != self.selection.item || self.plots.turning.is_none() {
            let watched = self.plots.history.watched(self.host.simulation());
            self.plots.turning = agent.and_then(|_| Pin::new(watched, "selected.turn_rad_per_s").ok());
        }
        if item.is_some() && item != self.selection.item {
            self.settings.layout.bring_forward(Pane::Inspector);
        }
        self.selection.item = item;
        self.selection.items = item.into_iter().collect();
        self.selection.changes += 1;
        self.viewport.view.selected = agent;
    }

    /// Selects several items; the inspector shows the last one.
    pub(crate) fn choose(&mut self, items: Vec<Item>) {
        self.select(items.last().copied());
        self.selection.items = items;
    }

    pub(crate) fn select_next(&mut self, back: bool) {
        let after = match self.selection.item {
            Some(Item::Agent(number)) => Some(number),
            _ => None,
        };
        self.select(selection::next_agent(self.host.simulation(), after, back));
    }

    /// Plots a number, or removes it from the plots.
    pub(crate) fn pin(&mut self, path: &str) {
        let before = self.plots.history.pins().count();
        let done = self.plots.history.pin_or_unpin(self.host.simulation(), path);
        self.tell(done);
        if self.plots.history.pins().count() > before
            && let Some(path) = self.plots.history.pins().last().map(str::to_owned)
        {
            self.backfill(&path);
        }
    }

    /// Closes the topmost window over the world; then returns to the select tool; then clears the selection.
    pub(crate) fn close(&mut self) {
        // B stays when its panel is closed, because it may have taken minutes to simulate.
        if self.file_request.take().is_some()
            || self.popups.close_one()
            || std::mem::take(&mut self.compare.is_open)
            || self.cancel_progress()
            || self.tour.close()
            || self.notices.close_last()
            || self.docked.dismiss().is_some()
        {
            return;
        }
        if self.toolbox.tool != Tool::Select {
            self.toolbox.tool = Tool::Select;
        } else if self.driving.drivers.is_empty() {
            self.select(None);
        } else {
            self.let_go(|_| true);
        }
    }
}
