//! The table of all commands.

use bevy_egui::egui::Key;
use swarmarium_core::clock::UNLIMITED;
use swarmarium_core::draw::Overlay;
use swarmarium_core::time::Strategy;
use swarmarium_formats::templates;
use swarmarium_picture::palette::Theme;

use super::chord::{any, ctrl, ctrl_shift, key, shift};
use super::{Command, Section};
use crate::action::{
    CompareAction, FileAction, FileRequest, GoesTo, HistoryAction, PanelAction, ParameterAction, PlotAction,
    RecordingAction, SelectionAction, TimeAction, ToolAction, ViewAction, WindowAction,
};
use crate::layout::Pane;
use crate::selection::removals;
use crate::settings::{ANY_STEPS, RecordingOptions};
use crate::toolbox::{Tool, ToolOptions};
use crate::{Action, Lab, faults};

/// A factor between two zooms or sizes of the interface.
const ZOOM: f64 = 1.25;
const LARGER: f32 = 1.1;
/// How far a key moves the world, in points.
const PAN_PX: f64 = 80.0;

/// A command that asks for an action, for one that depends on the lab, or, with `try`, for one at some times only.
macro_rules! command {
    (repeats $section:ident, $($rest:tt)*) => {
        Command { repeats: true, ..command!($section, $($rest)*) }
    };
    ($section:ident, $title:literal, $hint:literal, [$($key:expr),*] => try |$lab:ident| $action:expr) => {
        Command { title: $title, hint: $hint, keys: &[$($key),*], repeats: false, section: Section::$section,
                  action: |$lab| $action }
    };
    ($section:ident, $title:literal, $hint:literal, [$($key:expr),*] => |$lab:ident| $action:expr) => {
        command!($section, $title, $hint, [$($key),*] => try |$lab| Some(Action::from($action)))
    };
    ($section:ident, $title:literal, $hint:literal, [$($key:expr),*] => $action:expr) => {
        command!($section, $title, $hint, [$($key),*] => |_lab| $action)
    };
}

fn pan(x: f64, y: f64) -> ViewAction {
    ViewAction::Pan(bevy::math::DVec2::new(x, y) * PAN_PX)
}

/// Half a time scale.
fn slower(scale: f64) -> TimeAction {
    // From unlimited, half the speed is none that one could mean: back to the slider's last stop.
    TimeAction::Scale(if scale >= UNLIMITED { 1000.0 } else { scale / 2.0 })
}

/// What is asked of a comparison, while there is one.
fn of_other(lab: &Lab, action: CompareAction) -> Option<Action> {
    lab.compare.other.is_some().then_some(Action::Compare(action))
}

fn zoom(factor: f64) -> ViewAction {
    ViewAction::Zoom { at_px: None, factor }
}

/// All commands, in the order of the list of keys.
pub static COMMANDS: &[Command] = &[
    command!(Time, "Play or pause", "Lets time run or stand still",
        [key(Key::Space), key(Key::K)] => TimeAction::PlayOrPause),
    command!(repeats Time, "Step", "Pauses and does one step; held, one after the other",
        [key(Key::Period), key(Key::ArrowRight)] => TimeAction::Step(1)),
    command!(repeats Time, "Ten steps", "Pauses and does ten steps", [shift(Key::ArrowRight)] => TimeAction::Step(10)),
    command!(Time, "Slower", "Halves the speed", [key(Key::OpenBracket)] => |lab| slower(lab.host.clock().scale())),
    command!(Time, "Faster", "Doubles the speed",
        [key(Key::CloseBracket)] => |lab| TimeAction::Scale(lab.host.clock().scale() * 2.0)),
    command!(Time, "Real time", "One simulated second per second", [key(Key::Backslash)] => TimeAction::Scale(1.0)),
    command!(Time, "Unlimited speed", "As fast as the machine can",
        [any(Key::CloseCurlyBracket), shift(Key::CloseBracket)] => TimeAction::Scale(UNLIMITED)),
    command!(Time, "Best effort", "Drops time that the machine is too slow for, and says how much",
        [] => TimeAction::Strategy(Strategy::BestEffort)),
    command!(Time, "Fixed step", "Does every step, however late", [] => TimeAction::Strategy(Strategy::FixedStep)),
    command!(Time, "Time and statistics",
        "Shows what scale and strategy were asked for, what comes of it, and how long steps take",
        [shift(Key::S)] => TimeAction::TogglePanel),
    command!(Time, "Reset", "Starts the scene again with the same seed; parameters stay as they are",
        [key(Key::R)] => TimeAction::Reset),
    command!(Time, "Reset with new seed", "Starts the scene again with another seed",
        [shift(Key::R)] => TimeAction::ResetWithNewSeed),
    command!(Time, "Restart in the middle of the view",
        "Starts the scene again with the same seed, with its spawners about what is in the middle of the view",
        [] => |lab| TimeAction::RestartAt(lab.viewport.view.camera.center_m)),
    command!(Time, "Revert all changes", "Starts the scene again as it was opened, without the changes since",
        [] => TimeAction::Revert),
    command!(Scene, "Find a parameter", "Finds parameters by words", [ctrl(Key::F)] => ParameterAction::Find),
    command!(Scene, "Restore all parameters",
        "Gives all parameters the values that they had when the scene was opened",
        [] => ParameterAction::PutAllBack),
    command!(Scene, "Randomise the parameters",
        "Randomises the numbers of all groups that take effect at once, near their present values",
        [] => ParameterAction::Randomise { paths: Vec::new(), part: 0.25 }),
    command!(Time, "Pause no more by itself", "Forgets the expression that time is paused by when it turns true",
        [] => TimeAction::PauseWhen(String::new())),
    command!(View, "Show or hide the legend", "Shows or hides which line of a plot is what", [] => PlotAction::Legend),
    command!(repeats Edit, "Undo", "Undoes the last change: the run is simulated again without it",
        [ctrl(Key::Z)] => HistoryAction::Undo),
    command!(repeats Edit, "Redo", "Does the change again that was undone last",
        [ctrl(Key::Y), ctrl_shift(Key::Z)] => HistoryAction::Redo),
    command!(Edit, "Undo all changes", "Undoes all changes since the scene was opened, resets included",
        [] => HistoryAction::GoToChange(0)),
    command!(Edit, "Cancel undoing", "Leaves the run as it is, while it is simulated again without a change",
        [] => HistoryAction::Cancel),
    command!(Edit, "Repair all robots", "Clears the failures of all robots",
        [] => |lab| Action::Edits(faults::cures(lab.host.simulation().agents()))),
    command!(Scene, "New scene", "Opens an empty arena, to be filled with the tools and saved",
        [ctrl(Key::N)] => FileAction::New(templates::EMPTY.into())),
    command!(Scene, "Open file", "Opens a scene, or a world of another program",
        [ctrl(Key::O)] => FileAction::Ask(FileRequest::Open)),
    command!(Scene, "Reload file", "Reads the file of the scene again",
        [ctrl(Key::R)] => FileAction::Reload),
    command!(Scene, "Make changes again",
        "Makes the changes again that were set aside when the scene file was reloaded",
        [] => HistoryAction::RestoreChanges),
    command!(Scene, "Save scene", "Saves the scene with its changes to the file that is open, or asks for one",
        [ctrl(Key::S)] => |lab| lab.saving()),
    command!(Scene, "Save scene as", "Saves the scene with its changes to another file, and goes on with that",
        [ctrl_shift(Key::S)] => FileAction::Ask(FileRequest::SaveScene)),
    command!(Scene, "Save scene as it stands", "Saves the scene with all robots and objects where they are now",
        [] => FileAction::Ask(FileRequest::SaveStanding)),
    command!(Scene, "Save run", "Saves the scene at its start and all changes since, to run it again",
        [] => FileAction::Ask(FileRequest::SaveRun)),
    command!(Scene, "Export plots as CSV", "Saves what the plots show as a table",
        [] => FileAction::Ask(FileRequest::ExportCsv)),
    command!(Scene, "Export plots as PNG", "Saves a picture of the plots",
        [] => FileAction::Ask(FileRequest::ExportPng)),
    command!(Scene, "Start or stop recording", "Records a video of what the view shows, pauses and movements included",
        [key(Key::F9)] => RecordingAction::Toggle),
    command!(Scene, "Recording settings", "Opens or closes size, rate, words and folder of recordings",
        [shift(Key::F9)] => RecordingAction::TogglePanel),
    command!(Scene, "Usual recording settings",
        "Makes recordings as at first: MP4, 1280 by 720 pixels, 30 frames per second",
        [] => RecordingAction::SetOptions(RecordingOptions::default())),
    command!(Scene, "Choose the folder of recordings",
        "Sends recordings and pictures into another folder than that of the scene",
        [] => FileAction::Ask(FileRequest::RecordingFolder)),
    command!(Scene, "Save a picture of the view", "Saves what the view shows as PNG",
        [key(Key::F12)] => RecordingAction::TakePicture),
    command!(Scene, "Save a picture of the window", "Saves the whole window as PNG",
        [shift(Key::F12)] => RecordingAction::TakeScreenshot),
    command!(Scene, "Show the resolved scene", "Shows the scene as text, and where each value comes from",
        [] => PanelAction::Resolved),
    command!(View, "Compare with a changed parameter",
        "Shows a second world beside this one, with the same seed and other values; again, drops it",
        [shift(Key::C)] => CompareAction::Toggle),
    command!(View, "Choose what is compared", "Opens or closes the panel of the parameters that are other in B",
        [] => CompareAction::Choose),
    command!(View, "Link or unlink the cameras", "Looks at B as at A, or at each of them by itself",
        [] => try |lab| of_other(lab, CompareAction::Link)),
    command!(View, "Keep B", "Drops A: the second world becomes the simulation",
        [] => try |lab| of_other(lab, CompareAction::Keep)),
    command!(View, "Let changes go to both", "Changes in the window are made in A and in B",
        [] => try |lab| of_other(lab, CompareAction::GoTo(GoesTo::Both))),
    command!(View, "Let changes go to A", "Changes in the window are made in A only",
        [] => try |lab| of_other(lab, CompareAction::GoTo(GoesTo::A))),
    command!(View, "Let changes go to B", "Changes in the window are made in B only",
        [] => try |lab| of_other(lab, CompareAction::GoTo(GoesTo::B))),
    command!(View, "Show the whole arena", "Fits the arena into the window",
        [key(Key::Num0)] => ViewAction::Fit),
    command!(View, "Show ten metres", "Zooms so that the view is ten metres wide",
        [] => ViewAction::Span(10.0)),
    command!(View, "Follow or stay",
        "Keeps the selected robot, robots or group in the middle of the view; again, turns the view; once more, stays",
        [key(Key::F)] => ViewAction::Follow),
    command!(repeats View, "Zoom in", "Comes closer to the middle of the view",
        [any(Key::Plus), any(Key::Equals)] => zoom(ZOOM)),
    command!(repeats View, "Zoom out", "Goes back from the middle of the view", [key(Key::Minus)] => zoom(1.0 / ZOOM)),
    command!(View, "Move the view left", "Moves the view to the left", [] => pan(1.0, 0.0)),
    command!(View, "Move the view right", "Moves the view to the right", [] => pan(-1.0, 0.0)),
    command!(View, "Move the view up", "Moves the view up", [] => pan(0.0, 1.0)),
    command!(View, "Move the view down", "Moves the view down", [] => pan(0.0, -1.0)),
    command!(View, "Show or hide sensors", "Shows what all sensors see, or only those of the selected agent",
        [key(Key::D)] => ViewAction::Sensors),
    command!(View, "Show or hide the grid", "Shows or hides the grid lines",
        [key(Key::G)] => ViewAction::Overlay(Overlay::Grid)),
    command!(View, "Show or hide metrics", "Shows or hides what metrics observe in the world, such as a hull",
        [shift(Key::M)] => ViewAction::Overlay(Overlay::Metrics)),
    command!(View, "Show or hide trails",
        "Shows where robots have been, of groups whose look has trails and then of all, or hides it",
        [key(Key::T)] => ViewAction::Trails),
    command!(View, "Show or hide links",
        "Shows or hides a line from each agent to the one that its sensors have in sight",
        [key(Key::I)] => ViewAction::Overlay(Overlay::Links)),
    command!(View, "Show or hide connections",
        "Shows or hides a line between robots whose radios hear each other, dashed where they have not of late",
        [key(Key::C)] => ViewAction::Connections),
    command!(View, "Show or hide estimates",
        "Shows or hides what each robot believes, such as the ellipse that it takes its formation for",
        [shift(Key::E)] => ViewAction::Overlay(Overlay::Estimates)),
    command!(View, "Show or hide plans",
        "Shows or hides what each robot with a supervisor goes by: arrows, the points that it measured, its state",
        [key(Key::J)] => ViewAction::Overlay(Overlay::Plans)),
    command!(View, "Show or hide ids", "Shows or hides the number of each agent", [key(Key::N)] => ViewAction::Overlay(Overlay::Ids)),
    command!(View, "Show or hide velocities",
        "Shows or hides an arrow from each agent to where it would be in a second",
        [key(Key::A)] => ViewAction::Overlay(Overlay::Velocities)),
    command!(View, "Show or hide names", "Shows or hides the name of each agent, in the place of its number",
        [shift(Key::N)] => ViewAction::Overlay(Overlay::Names)),
    command!(View, "Show or hide commands",
        "Shows or hides an arrow from each agent along the way that its controller wants it to go in a second",
        [shift(Key::A)] => ViewAction::Overlay(Overlay::Commands)),
    command!(View, "Show or hide the density",
        "Shows or hides how many robots there are to a square metre, as a field of colours",
        [key(Key::H)] => ViewAction::Overlay(Overlay::Density)),
    command!(View, "Show or hide the occupancy",
        "Shows or hides how many seconds robots have been where since the run began, or since it went back, as a field of colours",
        [shift(Key::H)] => ViewAction::Overlay(Overlay::Occupancy)),
    command!(View, "Show or hide the Voronoi diagram", "Shows or hides the borders of what is nearest to each robot",
        [key(Key::Y)] => ViewAction::Overlay(Overlay::Voronoi)),
    command!(View, "Show or hide the Delaunay triangulation",
        "Shows or hides a line between robots whose Voronoi cells share a border",
        [shift(Key::Y)] => ViewAction::Overlay(Overlay::Delaunay)),
    command!(View, "Show or hide grid labels", "Shows or hides where the grid lines are, in metres",
        [ctrl(Key::G)] => ViewAction::Overlay(Overlay::GridLabels)),
    command!(View, "Show or hide the scale bar", "Shows or hides the bar that tells the scale",
        [shift(Key::B)] => ViewAction::Overlay(Overlay::ScaleBar)),
    command!(View, "Colour by the next",
        "Colours robots by group, speed, state, reading, id or heading, one after the other, with a legend",
        [key(Key::Q)] => |lab| ViewAction::ColorBy(lab.viewport.view.color_by.next())),
    command!(View, "Measure trails in seconds or metres",
        "Makes the trails of all robots as many metres long as they had seconds, or the other way round",
        [] => |lab| ViewAction::TrailLength(lab.viewport.view.trail.other())),
    command!(View, "View settings", "Opens or closes what is drawn, what colours tell and how wide the view is",
        [shift(Key::V)] => ViewAction::TogglePanel),
    command!(View, "Drive or stop driving",
        "Drives the selected robot, whose controller is Human, or stops driving it",
        [key(Key::X)] => SelectionAction::Drive),
    command!(View, "Select the next agent", "Selects the agent with the next number",
        [key(Key::Tab)] => SelectionAction::SelectNext { back: false }),
    command!(View, "Select the agent before", "Selects the agent with the number before",
        [shift(Key::Tab)] => SelectionAction::SelectNext { back: true }),
    command!(View, "Close or deselect",
        "Closes what lies over the world, then goes back to selecting, then selects nothing",
        [any(Key::Escape)] => PanelAction::Close),
    command!(View, "Show the selection", "Fits what is selected into the window",
        [key(Key::Z)] => ViewAction::FitSelection),
    command!(Tools, "Select and move", "Selects with a click, moves with a drag, turns with the right button",
        [key(Key::V)] => ToolAction::Take(Tool::Select)),
    command!(Tools, "Spawn robots", "Makes a robot at a click, looking along the drag; with Ctrl held it paints many",
        [key(Key::B)] => ToolAction::Take(Tool::Spawn)),
    command!(Tools, "Draw walls", "Makes a wall by a drag, or several from click to click",
        [key(Key::W)] => ToolAction::Take(Tool::Wall)),
    command!(Tools, "Draw obstacles", "Makes an obstacle by a drag", [key(Key::O)] => ToolAction::Take(Tool::Obstacle)),
    command!(Tools, "Draw regions", "Makes a region, which knows who is in it, by a drag",
        [shift(Key::O)] => ToolAction::Take(Tool::Region)),
    command!(Tools, "Place goals", "Makes a goal at a click; a drag gives its radius",
        [key(Key::L)] => ToolAction::Take(Tool::Goal)),
    command!(Tools, "Place lights", "Makes a light at a click", [shift(Key::L)] => ToolAction::Take(Tool::Light)),
    command!(Tools, "Erase", "Takes away the robots and objects that are clicked or dragged over",
        [key(Key::E)] => ToolAction::Take(Tool::Erase)),
    command!(Tools, "Break or repair robots",
        "Applies the chosen failure to the clicked robot, or repairs it",
        [shift(Key::K)] => ToolAction::Take(Tool::Fault)),
    command!(Tools, "Measure", "Shows the distance in metres and the bearing in degrees along a drag",
        [key(Key::M)] => ToolAction::Take(Tool::Measure)),
    command!(Tools, "Snap or not",
        "Lets positions snap to the grid and headings to 15 degrees; Alt held turns it around",
        [shift(Key::G)] => ToolAction::Snap),
    command!(Tools, "Usual settings of the tools", "Sets all tools as they are at first",
        [] => ToolAction::SetUp(ToolOptions::default())),
    command!(Tools, "Select all robots", "Selects every robot",
        [ctrl(Key::A)] => SelectionAction::SelectAll),
    command!(Tools, "Select all objects", "Selects every object",
        [] => |lab| SelectionAction::Choose(lab.objects())),
    command!(Tools, "Remove the selection", "Takes away the robots and objects that are selected",
        [key(Key::Delete), key(Key::Backspace)] => SelectionAction::RemoveSelected),
    command!(Tools, "Remove all objects", "Takes away every object",
        [] => |lab| Action::Edits(removals(lab.objects()))),
    command!(Window, "List keys", "Opens or closes the list of keys",
        [any(Key::F1), any(Key::Questionmark), shift(Key::Slash)] => PanelAction::Help),
    command!(Window, "Take the tour", "Shows in five steps what the window can do",
        [] => PanelAction::Tour),
    command!(Window, "Edit the keys", "Makes the file of keys when there is none, and says where it is",
        [] => WindowAction::EditKeys),
    command!(Window, "Find an action", "Opens the palette, where everything can be found by its name",
        [ctrl(Key::P)] => PanelAction::Palette),
    command!(Panels, "Hide or show panels", "Gives the world the whole window, or brings the panels back",
        [any(Key::F10)] => PanelAction::ToggleAll),
    command!(Panels, "Show or hide the log", "Shows or hides what happened to whom",
        [any(Key::F8)] => PanelAction::Toggle(Pane::Events)),
    command!(Panels, "Show or hide the changes", "Shows or hides what was changed in this run",
        [any(Key::F7)] => PanelAction::Toggle(Pane::Changes)),
    command!(Panels, "Hide or show the gallery", "Hides or shows the scenes to open",
        [] => PanelAction::Toggle(Pane::Gallery)),
    command!(Panels, "Hide or show the world tree", "Hides or shows what is in the world",
        [] => PanelAction::Toggle(Pane::Tree)),
    command!(Panels, "Hide or show the inspector", "Hides or shows what is selected",
        [] => PanelAction::Toggle(Pane::Inspector)),
    command!(Panels, "Hide or show the parameters", "Hides or shows what the scene is made of",
        [] => PanelAction::Toggle(Pane::Parameters)),
    command!(Panels, "Hide or show the plots", "Hides or shows metrics and pinned numbers over time",
        [] => PanelAction::Toggle(Pane::Plots)),
    command!(Panels, "Restore layout", "Puts all panels where they were at first, in their first sizes",
        [] => PanelAction::RestoreLayout),
    command!(Window, "Full screen", "Fills the screen, or goes back to a window",
        [any(Key::F11)] => WindowAction::FullScreen),
    command!(Window, "Light colours", "Light, for print", [] => WindowAction::Theme(Theme::Light)),
    command!(Window, "Dark colours", "Dark, for the screen", [] => WindowAction::Theme(Theme::Dark)),
    command!(Window, "Larger interface", "Makes texts and panels larger",
        [ctrl(Key::Plus), ctrl(Key::Equals), ctrl_shift(Key::Plus), ctrl_shift(Key::Equals)]
            => |lab| WindowAction::InterfaceScale(lab.settings.interface_scale * LARGER)),
    command!(Window, "Smaller interface", "Makes texts and panels smaller",
        [ctrl(Key::Minus)] => |lab| WindowAction::InterfaceScale(lab.settings.interface_scale / LARGER)),
    command!(Window, "Interface at its normal size", "Gives texts and panels their normal size",
        [ctrl(Key::Num0)] => WindowAction::InterfaceScale(1.0)),
    command!(Window, "Wait for the screen or not", "Switches vertical synchronisation on or off",
        [] => WindowAction::Vsync),
    command!(Window, "Draw every step", "At most one step between two frames", [] => WindowAction::MaxStepsPerFrame(1)),
    command!(Window, "Draw when there is time", "Any number of steps between two frames",
        [] => WindowAction::MaxStepsPerFrame(ANY_STEPS)),
    command!(Window, "Quit", "Closes the window", [ctrl(Key::Q)] => WindowAction::Quit),
];
