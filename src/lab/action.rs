//! Everything that can be asked for in the window, and the one place where it is done.

use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;

use bevy::math::DVec2;
use bevy_egui::egui;
use swarmarium_core::draw::{ColorBy, TrailLength};
use swarmarium_core::edit::Edit;
use swarmarium_core::time::Strategy;
use swarmarium_picture::palette::Theme;

use super::compare::Wish as Comparing;
use super::dialogs::Ask;
use super::layout::{Layout, Pane};
use super::parameters::Found;
use super::presets::Preset;
use super::recording::Wish;
use super::selection::{Item, removals};
use super::tools::{Kit, Tool};
use super::{Lab, save};

/// What panels, keys and the palette ask for.
///
/// Each of these can be reached from the palette; a test walks them all.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum Action {
    /// Pauses, or plays on.
    PlayOrPause,
    /// Pauses and does a number of steps.
    Step(u64),
    /// Asks for a time scale.
    Scale(f64),
    /// Drops time that the machine is too slow for, or does every step.
    Strategy(Strategy),
    /// Starts again with the same seed.
    Reset,
    /// Starts again with another seed.
    ResetWithNewSeed,
    /// Starts again with this seed.
    ResetWithSeed(u64),
    /// Starts again with the scene as it was opened, without the edits since.
    Revert,
    /// Starts again with the same seed, the spawners about a point.
    RestartAt(DVec2),
    /// Opens a scene: a file, or the name of a shipped scene.
    Open(String),
    /// Begins a scene with a template, by its name.
    New(String),
    /// Opens a scene that was kept without being saved.
    Recover(PathBuf),
    /// Throws a scene away that was kept without being saved.
    Discard(PathBuf),
    /// Opens the first of the files that were dropped on the window.
    OpenFirst(Vec<String>),
    /// Reads the file of the scene again.
    Reload,
    /// Makes the changes again that were replaced when the file was read again.
    RestoreChanges,
    /// Asks for a file.
    Ask(Ask),
    /// Saves the scene as it is now, edits included.
    SaveScene(PathBuf),
    /// Saves the scene with all robots and objects where they are now.
    SaveStanding(PathBuf),
    /// Saves this run into a folder: scene at its start, log of edits, manifest.
    SaveRun(PathBuf),
    /// Saves what the plots show as a table.
    ExportCsv(PathBuf),
    /// Saves a picture of the plots.
    ExportPng(PathBuf),
    /// Starts a recording, or ends the one that runs.
    Record,
    /// Saves the controller of the group in a place.
    SaveController(usize, PathBuf),
    /// Gives the group in a place the controller in a file.
    LoadController(usize, PathBuf),
    /// Changes what recordings are like.
    Recording(Wish),
    /// Sends recordings and pictures into a folder.
    RecordInto(PathBuf),
    /// Opens or closes the panel of recordings.
    RecordingPanel,
    /// Opens or closes the panel of time.
    TimePanel,
    /// Opens or closes the panel of the view.
    ViewPanel,
    /// Saves a picture of what the view shows.
    Picture,
    /// Saves a picture of the whole window.
    Screenshot,
    /// Changes the simulation.
    Edit(Edit),
    /// Changes several things in it, as one change.
    Edits(Vec<Edit>),
    /// Undoes the last change.
    Undo,
    /// Does the change again that was undone last.
    Redo,
    /// Undoes or redoes changes so that the one with this gesture is the last that holds; 0 undoes all.
    GoToChange(u64),
    /// Leaves the run as it is, and what was to be undone or redone with it.
    CancelRework,
    /// Gives numbers values at random.
    Randomise {
        /// Their paths; empty for all of the groups that take effect at once.
        paths: Vec<String>,
        /// How far from what they are, as a part of their ranges.
        part: f64,
    },
    /// Gives all parameters the values that they had when the scene was opened.
    PutAllBack,
    /// Saves, takes or deletes parameters under a name.
    Preset(Preset),
    /// Puts the cursor into the field that finds parameters.
    FindParameter,
    /// Pauses whenever an expression turns true; never by itself when it is empty.
    PauseWhen(String),
    /// Shows or hides which line of a plot is what.
    Legend,
    /// Selects something, or nothing.
    Select(Option<Item>),
    /// Selects several things; the last one is what the inspector is about.
    Choose(Vec<Item>),
    /// Selects all robots.
    SelectAll,
    /// Takes away the robots and objects that are selected.
    RemoveSelected,
    /// Takes another tool.
    Tool(Tool),
    /// Sets the tools to something else.
    Kit(Kit),
    /// Lets positions and headings snap, or not.
    Snap,
    /// Selects the next agent, or the one before.
    SelectNext {
        /// The one before.
        back: bool,
    },
    /// Plots a number, by its path, or takes it out of the plots.
    Pin(String),
    /// Compares with a second world, and says how.
    Compare(Comparing),
    /// Shows the whole arena.
    Fit,
    /// Shows what is selected.
    FitSelection,
    /// Zooms so that the view is that wide, in metres.
    Span(f64),
    /// Goes with the selected robot; then turns with it, too; then stays.
    Follow,
    /// Moves the world by points of the screen.
    Pan(DVec2),
    /// Zooms by a factor around a point.
    Zoom {
        /// What stays where it is, in points from the corner of the world's panel; the middle without it.
        at_px: Option<DVec2>,
        /// More than one comes closer.
        factor: f64,
    },
    /// Shows or hides the grid.
    Grid,
    /// Shows or hides what metrics observe in the world.
    Metrics,
    /// Shows or hides the trails of robots.
    Trails,
    /// Shows or hides whom agents have in sight.
    Links,
    /// Shows or hides whose radios hear each other.
    Connections,
    /// Shows or hides what robots believe.
    Estimates,
    /// Shows or hides what supervisors go by.
    Plans,
    /// Shows or hides the numbers of agents.
    Ids,
    /// Shows or hides how fast agents are.
    Velocities,
    /// Shows or hides another overlay, by its name in `--overlay`.
    Overlay(&'static str),
    /// Makes the trails that the window keeps longer or shorter.
    TrailLength(TrailLength),
    /// Lets colours of robots tell something else.
    ColorBy(ColorBy),
    /// Takes the wheel of the selected robot, or lets go of it.
    Drive,
    /// Shows what all sensors see, or only those of what is selected.
    Sensors,
    /// Takes other colours.
    Theme(Theme),
    /// Makes texts and panels larger or smaller.
    InterfaceScale(f32),
    /// Waits for the screen before each frame, or not.
    Vsync,
    /// Limits the steps between two frames.
    MaxStepsPerFrame(u64),
    /// Opens or closes the list of keys.
    Help,
    /// Begins the tour, or ends it.
    Tour,
    /// Makes the file of keys, and says where it is.
    EditKeys,
    /// Opens or closes the palette.
    Palette,
    /// Opens or closes the scene as text.
    Resolved,
    /// Closes what lies over the world; then selects nothing.
    Close,
    /// Shows or hides the log of events.
    Events,
    /// Shows or hides the list of changes.
    Changes,
    /// Opens or closes the gallery.
    Gallery,
    /// Opens or closes the tree of the world.
    Tree,
    /// Shows or hides a panel.
    Panel(Pane),
    /// Hides or shows all panels.
    Panels,
    /// Puts all panels where they were at first.
    RestoreLayout,
    /// Fills the screen, or goes back to a window.
    FullScreen,
    /// Puts a text on the clipboard.
    Copy(String),
    /// Closes the window.
    Quit,
}

impl Action {
    /// Whether it asks for edits that belong to a gesture.
    pub fn is_edit(&self) -> bool {
        matches!(self, Self::Edit(_) | Self::Edits(_) | Self::Scale(_) | Self::Connections | Self::LoadController(..))
    }
}

/// Does what was asked for.
pub fn act(lab: &mut Lab, ctx: &egui::Context, action: Action) {
    match action {
        Action::PlayOrPause => lab.host.clock_mut().paused ^= true,
        Action::Step(steps) => lab.host.clock_mut().step_once(steps),
        Action::Scale(scale) => lab.set_scale(scale),
        Action::Strategy(strategy) => lab.host.clock_mut().strategy = strategy,
        Action::Reset => lab.reset(None),
        Action::ResetWithNewSeed => lab.reset(Some(new_seed())),
        Action::ResetWithSeed(seed) => lab.reset(Some(seed)),
        Action::Revert => lab.revert(),
        Action::RestartAt(point_m) => lab.restart_at(point_m),
        Action::Open(source) => lab.open_source(&source),
        Action::New(template) => lab.open_template(&template),
        Action::Recover(path) => lab.recover(&path),
        Action::Discard(path) => lab.discard(&path),
        Action::OpenFirst(files) => lab.open_first(&files),
        Action::Reload => lab.reload(),
        Action::RestoreChanges => lab.restore_changes(),
        Action::Ask(ask) => lab.asked = Some(ask),
        Action::SaveScene(path) => lab.save_scene(&path),
        Action::SaveStanding(path) => lab.save_standing(&path),
        Action::SaveRun(path) => lab.report(save::run(lab, &path), &path),
        Action::ExportCsv(path) => lab.export_csv(&path),
        Action::ExportPng(path) => lab.export_png(path),
        Action::SaveController(group, path) => lab.report(save::controller(lab, group, &path), &path),
        Action::LoadController(group, path) => match save::controller_edit(lab, group, &path) {
            Ok(edit) => act(lab, ctx, Action::Edit(edit)),
            Err(message) => lab.tell(Err(message)),
        },
        Action::Record => lab.record(),
        Action::Recording(wish) => lab.settings.recording = wish,
        Action::RecordInto(folder) => lab.settings.recording.folder = Some(folder),
        Action::RecordingPanel => lab.recording_panel ^= true,
        Action::TimePanel => lab.time_panel ^= true,
        Action::ViewPanel => lab.view_panel ^= true,
        Action::Picture => lab.take_picture(ctx.pixels_per_point()),
        Action::Screenshot => lab.take_screenshot(),
        Action::Randomise { paths, part } => {
            let edits = lab.randomised(paths, part);
            act(lab, ctx, Action::Edits(edits));
        }
        Action::PutAllBack => {
            let edits = Found::of(lab, "", false).put_back();
            act(lab, ctx, Action::Edits(edits));
        }
        Action::Preset(preset) => lab.preset(&preset),
        Action::FindParameter => {
            lab.settings.panels = true;
            lab.finds += 1;
        }
        Action::PauseWhen(text) => lab.set_pause_when(&text),
        Action::Legend => lab.settings.legend ^= true,
        Action::Edit(edit) => lab.edit(vec![edit]),
        Action::Edits(edits) => lab.edit(edits),
        Action::Undo => lab.undo(),
        Action::Redo => lab.redo(),
        Action::GoToChange(gesture) => lab.go_to_change(gesture),
        Action::CancelRework => lab.cancel_rework(),
        Action::Compare(wish) => lab.do_compare(wish),
        Action::Select(item) => lab.select(item),
        Action::Choose(items) => lab.choose(items),
        Action::SelectAll => lab.select_all(),
        Action::RemoveSelected => {
            let removals = removals(lab.chosen.iter().copied());
            let can_go = removals.first().is_some_and(|first| lab.host.simulation().check(first).is_ok());
            act(lab, ctx, Action::Edits(removals));
            if can_go {
                lab.select(None);
            }
        }
        Action::Tool(tool) => lab.tool = tool,
        Action::Kit(kit) => lab.kit = kit,
        Action::Snap => lab.kit.snaps ^= true,
        Action::SelectNext { back } => lab.select_next(back),
        Action::Pin(path) => lab.pin(&path),
        Action::Fit => lab.fit(),
        Action::FitSelection => lab.fit_selection(),
        Action::Span(span_m) => lab.show_span(span_m),
        Action::Follow => lab.follow(),
        Action::Pan(by_px) => {
            lab.stay();
            lab.view.camera.pan(by_px);
            lab.fitted = false;
        }
        Action::Zoom { at_px, factor } => {
            let at_px = at_px.unwrap_or(lab.view.camera.screen_px / 2.0);
            lab.view.camera.zoom_at(at_px, factor);
            lab.fitted = false;
        }
        Action::Grid => lab.view.overlays.grid ^= true,
        Action::Metrics => lab.view.overlays.metrics ^= true,
        Action::Trails => lab.toggle_trails(),
        Action::Links => lab.view.overlays.links ^= true,
        // A parameter of the scene, which may be a constant: both say the same.
        Action::Connections => {
            let value = (!lab.view.overlays.connections).to_string();
            act(lab, ctx, Action::Edit(Edit::Set { path: "view.connections".into(), value }));
        }
        Action::Estimates => lab.view.overlays.estimates ^= true,
        Action::Plans => lab.view.overlays.plans ^= true,
        Action::Ids => lab.view.overlays.ids ^= true,
        Action::Velocities => lab.view.overlays.velocities ^= true,
        Action::Overlay(name) => {
            if let Some(is_on) = lab.view.overlays.by_name(name) {
                *is_on ^= true;
            }
        }
        Action::TrailLength(length) => lab.view.trail = length.within_reason(),
        Action::ColorBy(color_by) => lab.view.color_by = color_by,
        Action::Drive => lab.drive(),
        Action::Sensors => lab.view.toggle_sensors(lab.host.simulation().count()),
        Action::Theme(theme) => lab.settings.theme = theme,
        Action::InterfaceScale(scale) => lab.settings.set_interface_scale(scale),
        Action::Vsync => lab.settings.vsync ^= true,
        Action::MaxStepsPerFrame(steps) => lab.settings.max_steps_per_frame = steps.max(1),
        Action::Help => lab.help ^= true,
        Action::Tour => lab.take_tour(),
        Action::EditKeys => lab.edit_keys(),
        Action::Palette => lab.palette ^= true,
        Action::Resolved => lab.resolved ^= true,
        Action::Events => lab.toggle_panel(Pane::Events),
        Action::Changes => lab.toggle_panel(Pane::Changes),
        Action::Close => lab.close(),
        Action::Gallery => lab.toggle_panel(Pane::Gallery),
        Action::Tree => lab.toggle_panel(Pane::Tree),
        Action::Panel(pane) => lab.toggle_panel(pane),
        Action::Panels => lab.settings.panels ^= true,
        Action::RestoreLayout => {
            lab.settings.layout = Layout::default();
            lab.settings.panels = true;
        }
        Action::FullScreen => lab.full_screen ^= true,
        Action::Copy(text) => {
            ctx.copy_text(text);
            lab.say("Copied");
        }
        Action::Quit => lab.quit = true,
    }
}

/// A seed of at most six digits, to be read out and typed in. Its only source is the keys of a new hasher.
fn new_seed() -> u64 {
    RandomState::new().hash_one(0) % 1_000_000
}
