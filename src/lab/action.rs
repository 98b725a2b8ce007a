//! Everything that can be asked for in the window.

use std::path::PathBuf;

use bevy::math::DVec2;
use swarmarium_core::draw::{ColorBy, TrailLength};
use swarmarium_core::edit::Edit;
use swarmarium_core::time::Strategy;
use swarmarium_picture::palette::Theme;

use super::kit::{Kit, Tool};
use super::layout::Pane;
use super::selection::Item;
use super::settings::RecordingOptions;

mod compare;
mod file;
mod preset;

pub use compare::{Changed, CompareAction, GoesTo};
pub use file::FileRequest;
pub use preset::PresetAction;

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
    Ask(FileRequest),
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
    Recording(RecordingOptions),
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
    Preset(PresetAction),
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
    Compare(CompareAction),
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
