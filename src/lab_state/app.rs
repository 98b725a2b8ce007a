//! The content of the window: all of its state, and what concerns several parts of it.

pub mod changes;
pub mod files;
pub mod forecasts;
mod jumps;
pub mod key_file;
pub mod opening;
pub mod parts;
mod recovery;
pub mod scripts;
mod search;
mod starts;
pub mod sweeps;
pub mod time;
pub mod watcher;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use bevy::math::DVec2;
use bevy::prelude::*;
use bevy_egui::egui;
use swarmarium_base::files::claim;
use swarmarium_base::id::StableId;
use swarmarium_draw::{Overlay, Past, View};
use swarmarium_formats::import;
use swarmarium_formats::load::{Loaded, Source};
use swarmarium_host::clock::Host;
use swarmarium_picture::palette::Theme;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Recipe;

use crate::action::FileRequest;
use crate::common::frame::FrameStats;
use crate::common::layout::Pane;
use crate::common::selection::{self, Item};
use crate::common::settings::{self, Settings};
use crate::common::toolbox::Tool;
use crate::common::{places, text};
use crate::compare::Comparison;
use crate::edit::EditState;
use crate::files::FileState;
use crate::files::save::{self, Export};
use crate::files::shots::{self, Shots};
use crate::forecasts::ForecastState;
use crate::notice::{Notice, Notices};
use crate::plots::PlotState;
use crate::run::RunState;
use crate::run::clients::Clients;
use crate::shell::ShellState;
use crate::sweeps::SweepState;
use crate::timeline::{RunToOpen, TimelineState};
use crate::view::ViewState;

impl Lab {
    /// Selects all robots.
    pub fn select_all(&mut self) {
        let all = self.run.host.simulation().members().into_iter().map(|(number, _)| Item::Agent(number)).collect();
        self.choose(all);
    }
}

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

/// The content of the window: the run, the view, and the state of all panels, in one struct for each concern.
///
/// It depends neither on Bevy's window nor on its painter, so tests need no window.
pub struct Lab {
    /// The host with its simulation, the scene that it runs, and its clients.
    pub run: RunState,
    /// The view of the world, its place in the window, and the selection.
    pub view: ViewState,
    /// The state of changes and undo, and the tools that make changes.
    pub edits: EditState,
    /// The files that the lab reads and writes.
    pub files: FileState,
    /// The state of the plots.
    pub plots: PlotState,
    /// The state of the timeline in the window.
    pub timeline: TimelineState,
    /// The comparison with a second world.
    pub compare: Comparison,
    /// The sweep beside the run.
    pub sweep: SweepState,
    /// The forecasts of values under the pointer.
    pub forecasts: ForecastState,
    /// The settings and the state of the window around the world.
    pub shell: ShellState,
    /// Messages over the world.
    pub notices: Notices,
}

/// Returns the memory limit of keyframes in bytes.
fn budget_bytes(mb: u32) -> usize {
    (mb as usize) << 20
}

impl Lab {
    /// Creates the lab on a loaded scene.
    ///
    /// # Errors
    /// Returns an error if the simulation cannot be built, or the options ask for an impossible time scale.
    pub fn new(loaded: Loaded, recipe: &Recipe, options: &Options, mut settings: Settings) -> anyhow::Result<Self> {
        let mut host = Host::new(&loaded.scene, recipe, options.threads.max(1))?;
        if let Some(speed) = options.speed {
            let edit = Edit::TimeScale { scale: speed };
            host.simulation().check(&edit).map_err(|problem| anyhow!("{}", problem.message)).context("--speed")?;
            host.clock_mut().set_scale(speed);
        }
        host.clock_mut().paused = options.paused;
        host.stops = options.screenshot.is_none();
        host.keep_track();
        host.long_steps_apart = options.screenshot.is_none();
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
            Shots { waiting: vec![shots::Shot::of_target(path.clone(), step)], target: Some(step) }
        });
        let world_px = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width as f32, height as f32));
        let mut lab = Self {
            view: ViewState::new(view, world_px, Past::for_world(host.simulation().world())),
            edits: EditState::default(),
            files: FileState { shots: shots.unwrap_or_default(), ..FileState::default() },
            plots: PlotState::of(host.simulation()),
            timeline: TimelineState::default(),
            compare: Comparison::default(),
            sweep: SweepState::default(),
            forecasts: ForecastState::default(),
            shell: ShellState { settings, ..ShellState::default() },
            notices: Notices::default(),
            run: RunState {
                host,
                recipe: recipe.clone(),
                threads: options.threads.max(1),
                opened: Loaded::default(),
                openings: 1,
                starts: 0,
                restarts: 0,
                clients: Clients::default(),
                frames: FrameStats::default(),
            },
        };
        let refused = lab.shell.settings.layout.take_refused();
        lab.notices.tell(refused.map_or(Ok(()), Err));
        lab.take_opened(loaded);
        lab.edits.shared.begin(&lab.run.host, &lab.run.opened.edits);
        lab.remember_recent();
        lab.suggest_sweep();
        match &options.run {
            Some(run) => {
                let done = lab.take_run(run);
                lab.notices.tell(done);
            }
            None => lab.tell_start_warnings(),
        }
        Ok(lab)
    }

    /// Returns the name of the open scene for the header: that of its file, with a mark of unsaved changes, or that of the
    /// scene. A run of a sweep has its seed and its values.
    pub fn header(&self) -> String {
        let name = match &self.run.opened.source {
            Source::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            _ => self.run.title(),
        };
        match self.sweep.shown_run(self.run.openings) {
            Some(run) => format!("{name}, sweep run: {run}"),
            None if self.files.autosave.is_unsaved() => format!("{name} *"),
            None => name,
        }
    }

    /// Returns the title of the window.
    pub fn window_title(&self) -> String {
        let mark = if self.files.autosave.is_unsaved() { "*" } else { "" };
        // A file is named by its file name, which "Save scene as" changes.
        let (name, place) = match &self.run.opened.source {
            Source::File(path) => {
                let path = PathBuf::from(places::absolute(path));
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let place = path.parent().unwrap_or(&path).display().to_string();
                let place = match self.files.autosave.is_recovered {
                    true => format!("recovered changes — {place}"),
                    false => place,
                };
                (name, place)
            }
            _ => (self.run.title(), self.run.origin()),
        };
        format!("{name}{mark} — {place} — Swarmarium")
    }

    /// Limits the memory of keyframes.
    pub fn set_keyframe_budget(&mut self, mb: u32) {
        self.shell.settings.keyframes_mb = mb.clamp(*settings::KEYFRAMES_MB.start(), *settings::KEYFRAMES_MB.end());
        self.run.host.set_keyframe_budget(budget_bytes(self.shell.settings.keyframes_mb));
    }

    /// Saves the numbers of all plots as a table; in a thread if the run must be simulated again. The numbers of plots over
    /// robots at the present moment go to a table beside it.
    pub fn export_csv(&mut self, path: &Path) {
        self.export_robots(path);
        let export = match Export::of(&self.run, &self.plots) {
            Ok(export) => export,
            Err(error) => return self.notices.tell_error(error),
        };
        match export.resimulated_steps() {
            0 => {
                let saved = export.save(path, || true);
                self.notices.report(saved, path, FileRequest::ExportCsv);
            }
            steps => {
                let text = format!("Simulating {} steps again for {}", text::grouped(steps), path.display());
                self.notices.add(Notice::good(&text).of_progress(path));
                let started = self.files.recordings.export(export, path.into());
                self.notices.tell(started.map_err(|error| format!("{}: {error}", path.display())));
            }
        }
    }

    /// Saves the numbers of plots over robots, if there are some, in a new file `NAME-robots.csv` beside another one.
    fn export_robots(&mut self, beside: &Path) {
        let plots = &self.plots.arrangement.layout.of_robots;
        if plots.is_empty() {
            return;
        }
        let stem = beside.file_stem().unwrap_or_default().display();
        let saved = claim(&beside.with_file_name(format!("{stem}-robots.csv")), false).and_then(|path| {
            save::robots(self.run.host.simulation(), plots, &path)?;
            Ok(path)
        });
        match saved {
            Ok(path) => self.notices.say_saved(&format!("Saved {}", path.display()), &path),
            Err(error) => self.notices.tell_error(format!("{error:#}")),
        }
    }

    /// Closes a visible panel, or shows a hidden one.
    pub fn toggle_panel(&mut self, pane: Pane) {
        if !self.shell.shows_panel(pane) {
            self.show_panel(pane);
        } else if !self.shell.docked.dismisses(pane) {
            self.shell.settings.layout.close(pane);
        }
    }

    /// Shows a panel, and all open panels.
    pub fn show_panel(&mut self, pane: Pane) {
        if pane == Pane::Sweep {
            self.suggest_sweep();
        }
        self.shell.settings.panels = true;
        self.shell.settings.layout.show(pane);
        self.shell.docked.call(pane);
    }

    /// Selects one item, or nothing.
    pub fn select(&mut self, item: Option<Item>) {
        let agent = item.and_then(Item::agent);
        self.plots.history.select(agent.map(StableId::index));
        if item.is_some() && item != self.view.selection.item {
            self.shell.settings.layout.bring_forward(Pane::Inspector);
        }
        self.view.selection.item = item;
        self.view.selection.items = item.into_iter().collect();
        self.view.selection.changes += 1;
        self.view.current.selected = agent;
    }

    /// Selects several items; the inspector shows the last one.
    pub fn choose(&mut self, items: Vec<Item>) {
        self.select(items.last().copied());
        self.view.selection.items = items;
    }

    /// Selects the next robot, or the previous one.
    pub fn select_next(&mut self, back: bool) {
        let after = match self.view.selection.item {
            Some(Item::Agent(number)) => Some(number),
            _ => None,
        };
        self.select(selection::next_agent(self.run.host.simulation(), after, back));
    }

    /// Closes the topmost window over the world, or shows the hidden interface; then returns to the select tool; then clears the selection.
    pub fn close(&mut self) {
        // B stays when its panel is closed, because it may have taken minutes to simulate.
        if self.files.request.take().is_some()
            || self.shell.popups.close_one()
            || std::mem::take(&mut self.compare.is_open)
            || self.cancel_progress()
            || self.shell.tour.close()
            || !std::mem::replace(&mut self.shell.settings.panels, true)
            || self.notices.close_last()
            || self.shell.docked.dismiss().is_some()
        {
            return;
        }
        if self.edits.toolbox.tool != Tool::Select {
            self.edits.toolbox.tool = Tool::Select;
        } else if self.edits.driving.drivers.is_empty() {
            self.select(None);
        } else {
            self.edits.driving.release(&mut self.run.host, &mut self.notices, |_| true);
        }
    }
}
