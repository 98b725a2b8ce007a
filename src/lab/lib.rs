//! The lab: the window in which a scene is watched and handled.
//!
//! It hosts one simulation and uses only its face; nothing in a simulation knows that there is a window.
//! A panel is a struct whose `ui` draws it and returns [`Action`]s; one system does them.

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
use timeline::TimelineState;
use toolbox::{Tool, Toolbox};
use tools::Clipboard;
use tour::Tour;
use undo::EditState;

/// How the lab opens.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Threads that the simulation may use; 0 for one.
    pub threads: usize,
    /// Simulated seconds per second to start with; what the scene asks for when there is none.
    pub speed: Option<f64>,
    /// Whether time stands still at first.
    pub paused: bool,
    /// Saves the window as PNG at a simulated time in seconds, and closes it.
    pub screenshot: Option<(PathBuf, f64)>,
    /// Size of the window in logical pixels; that of the last time when there is none.
    pub size_px: Option<(u32, u32)>,
    /// Dark or light; that of the last time when there is none.
    pub theme: Option<Theme>,
    /// The most memory that keyframes take, in MB; that of the last time when there is none.
    pub keyframes_mb: Option<u32>,
    /// The run whose scene is opened, with its past.
    pub run: Option<RunToOpen>,
}

/// How the lab ended.
#[derive(Debug)]
pub struct Ended {
    /// What ended it.
    pub outcome: Outcome,
    /// What there is to tell about recordings that ran until then.
    pub told: Vec<RecordingResult>,
}

/// What ended the lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The window was closed.
    Closed,
    /// The screenshot was saved.
    Saved(PathBuf),
    /// The terminal interrupted it.
    Interrupted,
    /// Another program destroyed the window.
    Destroyed,
}

/// Opens the window on a scene and runs until it is closed.
///
/// It starts with what [`display_available`] checks.
///
/// # Errors
/// When the simulation cannot be made, no window can be opened, or the screenshot cannot be saved.
pub fn open(loaded: impl Into<Loaded>, recipe: &Recipe, options: &Options) -> anyhow::Result<Ended> {
    // A screenshot is the same whoever takes it.
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

/// What the window holds: the host with its simulation, the view of it, and what is open.
///
/// It knows neither Bevy's window nor its painter, so that all of it can be tested without one.
pub struct Lab {
    pub(crate) host: Host,
    recipe: Recipe,
    /// Threads that a simulation may use.
    threads: usize,
    /// The second world beside it.
    pub(crate) compare: Comparison,
    /// The scene as it was opened, without the edits since.
    pub(crate) opened: Loaded,
    /// How often a scene was opened.
    pub(crate) openings: u64,
    /// How often a run began, and how often another state took the place of the present one.
    pub(crate) starts: u64,
    pub(crate) restarts: u64,
    pub(crate) settings: Settings,
    /// Where the files are that it reads and writes by itself.
    pub(crate) places: Places,
    /// Which keys do what.
    pub(crate) keymap: Keymap,
    /// What is kept of a scene that is not saved.
    pub(crate) autosave: Autosave,
    /// The tour, while it is taken.
    pub(crate) tour: Tour,
    /// How the world is looked at, and where it is in the window.
    pub(crate) viewport: Viewport,
    /// What is selected.
    pub(crate) selection: Selection,
    /// The tool at hand, and what the tools are set to.
    pub(crate) toolbox: Toolbox,
    /// What was copied in the world.
    pub(crate) clipboard: Clipboard,
    /// The robots that are driven with keys or a gamepad.
    pub(crate) driving: Driving,
    /// Changes and what undoes them.
    pub(crate) edits: EditState,
    /// Numbers over time.
    pub(crate) plots: PlotState,
    /// Where on the timeline the user wants to be, and what is marked there.
    pub(crate) timeline: TimelineState,
    /// How fast frames and steps are.
    pub(crate) frames: FrameStats,
    /// The sockets of the scene.
    pub(crate) clients: Clients,
    /// What is recorded.
    pub(crate) recordings: Recordings,
    /// Pictures of the window.
    pub(crate) shots: Shots,
    /// The presets of the scene.
    pub(crate) presets: Presets,
    /// How often the field that finds parameters was asked for.
    pub(crate) finds: u64,
    /// What the window has room for.
    pub(crate) docked: Docked,
    /// What lies over the world.
    pub(crate) popups: Popups,
    /// The file that was asked for and not yet named: while there is one, its dialog is open and has all keys.
    pub(crate) file_request: Option<FileRequest>,
    /// What there is to tell, over the world until it is closed.
    pub(crate) notices: Notices,
    pub(crate) full_screen: bool,
    pub(crate) quit: bool,
}

/// A budget of keyframes in bytes.
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
            // Nobody takes back what the command line asks for.
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
        if let Some(run) = &options.run {
            let done = lab.take_run(run);
            lab.tell(done);
        }
        Ok(lab)
    }

    /// The name of the scene, or where it came from.
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
        // A file goes by its name, which "Save scene as" changes.
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

    /// Where the open scene comes from: its file, or what it is instead.
    pub(crate) fn origin(&self) -> String {
        match &self.opened.source {
            Source::Code => "made by a program".into(),
            Source::Shipped(name) => format!("shipped scene {name}"),
            Source::File(path) => places::absolute(path),
            Source::Unsaved(what) => (*what).into(),
        }
    }

    /// How fast the selected agent turned in the last step; no number before it was watched for one.
    pub(crate) fn turn_rad_per_s(&self) -> f64 {
        self.plots
            .turning
            .as_ref()
            .map_or(f64::NAN, |turning| turning.value(self.plots.history.watched(self.host.simulation())))
    }

    /// Edits that give numbers values at random: those at some paths, or all of the groups that take effect at once.
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

    /// Tells what went wrong, if anything did.
    pub(crate) fn tell(&mut self, done: Result<(), impl Display>) {
        if let Err(error) = done {
            self.tell_error(error);
        }
    }

    /// Tells what went wrong, with its causes.
    pub(crate) fn tell_error(&mut self, error: impl Display) {
        self.notices.add(Notice::error(&format!("{error:#}")));
    }

    /// Tells something good, for some seconds.
    pub(crate) fn say(&mut self, text: &str) {
        self.notices.add(Notice::good(text));
    }

    /// Tells whether a file was saved.
    pub(crate) fn report(&mut self, saved: anyhow::Result<()>, path: &Path) {
        match saved {
            Ok(()) => self.say_saved(&format!("Saved {}", path.display()), path),
            Err(error) => self.tell_error(error),
        }
    }

    /// Tells that a file was saved, and offers to open its folder and to copy its path.
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

    /// Saves the numbers of all plots as a table; a thread does so if the run must be simulated again.
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

    /// Whether a panel can be seen.
    pub(crate) fn shows_panel(&self, pane: Pane) -> bool {
        self.settings.panels && self.settings.layout.is_shown(pane) && !self.docked.hides(pane)
    }

    /// Closes a panel that can be seen, and shows one that cannot.
    pub(crate) fn toggle_panel(&mut self, pane: Pane) {
        if !self.shows_panel(pane) {
            self.show_panel(pane);
        } else if !self.docked.dismisses(pane) {
            self.settings.layout.close(pane);
        }
    }

    /// Shows a panel, with all others.
    pub(crate) fn show_panel(&mut self, pane: Pane) {
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

    /// Selects several things; the last one is what the inspector is about.
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

    /// Closes what lies over the world, one thing at a time; then goes back to the tool that selects; then selects
    /// nothing.
    pub(crate) fn close(&mut self) {
        // B stays when its panel is closed: it may have taken minutes.
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
