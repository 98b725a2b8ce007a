//! The table of all commands.

use bevy_egui::egui::Key;
use swarmarium_core::clock::UNLIMITED;
use swarmarium_core::time::Strategy;
use swarmarium_formats::templates;
use swarmarium_picture::palette::Theme;

use super::chord::{any, ctrl, ctrl_shift, key, shift};
use super::{Command, Section};
use crate::action::{CompareAction, FileRequest, GoesTo};
use crate::kit::{Kit, Tool};
use crate::layout::Pane;
use crate::selection::removals;
use crate::settings::{ANY_STEPS, RecordingOptions};
use crate::{Action, Lab, faults};

/// A factor between two zooms or sizes of the interface.
const ZOOM: f64 = 1.25;
const LARGER: f32 = 1.1;
/// How far a key moves the world, in points.
const PAN_PX: f64 = 80.0;

macro_rules! command {
    ($section:ident, $title:literal, $hint:literal, [$($key:expr),*], $action:expr) => {
        Command { title: $title, hint: $hint, keys: &[$($key),*], repeats: false, section: Section::$section,
                  action: $action }
    };
    (repeats $section:ident, $title:literal, $hint:literal, [$($key:expr),*], $action:expr) => {
        Command { repeats: true, ..command!($section, $title, $hint, [$($key),*], $action) }
    };
}

fn pan(x: f64, y: f64) -> Option<Action> {
    Some(Action::Pan(bevy::math::DVec2::new(x, y) * PAN_PX))
}

/// What is asked of a comparison, while there is one.
fn of_other(lab: &Lab, wish: CompareAction) -> Option<Action> {
    lab.compare.other.is_some().then_some(Action::Compare(wish))
}

fn zoom(factor: f64) -> Option<Action> {
    Some(Action::Zoom { at_px: None, factor })
}

/// All commands, in the order of the list of keys.
pub static COMMANDS: &[Command] = &[
    command!(Time, "Play or pause", "Lets time run or stand still", [key(Key::Space), key(Key::K)], |_| {
        Some(Action::PlayOrPause)
    }),
    command!(repeats Time, "Step", "Pauses and does one step; held, one after the other",
        [key(Key::Period), key(Key::ArrowRight)], |_| Some(Action::Step(1))),
    command!(repeats Time, "Ten steps", "Pauses and does ten steps", [shift(Key::ArrowRight)],
        |_| Some(Action::Step(10))),
    command!(Time, "Slower", "Halves the speed", [key(Key::OpenBracket)], |lab| {
        let scale = lab.host.clock().scale();
        // From unlimited, half the speed is none that one could mean: back to the slider's last stop.
        Some(Action::Scale(if scale >= UNLIMITED { 1000.0 } else { scale / 2.0 }))
    }),
    command!(Time, "Faster", "Doubles the speed", [key(Key::CloseBracket)], |lab| {
        Some(Action::Scale(lab.host.clock().scale() * 2.0))
    }),
    command!(Time, "Real time", "One simulated second per second", [key(Key::Backslash)], |_| {
        Some(Action::Scale(1.0))
    }),
    command!(
        Time,
        "Unlimited speed",
        "As fast as the machine can",
        [any(Key::CloseCurlyBracket), shift(Key::CloseBracket)],
        |_| Some(Action::Scale(UNLIMITED))
    ),
    command!(Time, "Best effort", "Drops time that the machine is too slow for, and says how much", [], |_| {
        Some(Action::Strategy(Strategy::BestEffort))
    }),
    command!(Time, "Fixed step", "Does every step, however late", [], |_| {
        Some(Action::Strategy(Strategy::FixedStep))
    }),
    command!(
        Time,
        "Time and statistics",
        "Shows what scale and strategy were asked for, what comes of it, and how long steps take",
        [shift(Key::S)],
        |_| Some(Action::TimePanel)
    ),
    command!(
        Time,
        "Reset",
        "Starts the scene again with the same seed; parameters stay as they are",
        [key(Key::R)],
        |_| Some(Action::Reset)
    ),
    command!(Time, "Reset with new seed", "Starts the scene again with another seed", [shift(Key::R)], |_| {
        Some(Action::ResetWithNewSeed)
    }),
    command!(
        Time,
        "Restart in the middle of the view",
        "Starts the scene again with the same seed, with its spawners about what is in the middle of the view",
        [],
        |lab| Some(Action::RestartAt(lab.view.camera.center_m))
    ),
    command!(
        Time,
        "Revert all changes",
        "Starts the scene again as it was opened, without the changes since",
        [],
        |_| Some(Action::Revert)
    ),
    command!(Scene, "Find a parameter", "Finds parameters by words", [ctrl(Key::F)], |_| {
        Some(Action::FindParameter)
    }),
    command!(
        Scene,
        "Put all parameters back",
        "Gives all parameters the values that they had when the scene was opened",
        [],
        |_| Some(Action::PutAllBack)
    ),
    command!(
        Scene,
        "Randomise the parameters",
        "Draws anew the numbers of all groups that take effect at once, near to what they are",
        [],
        |_| Some(Action::Randomise { paths: Vec::new(), part: 0.25 })
    ),
    command!(
        Time,
        "Pause no more by itself",
        "Forgets the expression that time is paused by when it turns true",
        [],
        |_| Some(Action::PauseWhen(String::new()))
    ),
    command!(View, "Show or hide the legend", "Shows or hides which line of a plot is what", [], |_| {
        Some(Action::Legend)
    }),
    command!(repeats Edit, "Undo", "Undoes the last change: the run is simulated again without it", [ctrl(Key::Z)],
        |_| Some(Action::Undo)),
    command!(
        repeats Edit,
        "Redo",
        "Does the change again that was undone last",
        [ctrl(Key::Y), ctrl_shift(Key::Z)],
        |_| Some(Action::Redo)
    ),
    command!(Edit, "Undo all changes", "Undoes all changes since the scene was opened, resets included", [], |_| {
        Some(Action::GoToChange(0))
    }),
    command!(
        Edit,
        "Cancel undoing",
        "Leaves the run as it is, while it is simulated again without a change",
        [],
        |_| Some(Action::CancelRework)
    ),
    command!(Edit, "Set all faults right", "Lets all robots live, drive, hear and see again", [], |lab| {
        Some(Action::Edits(faults::cures(lab.host.simulation().agents())))
    }),
    command!(Scene, "New scene", "Opens an empty arena, to be filled with the tools and saved", [ctrl(Key::N)], |_| {
        Some(Action::New(templates::EMPTY.into()))
    }),
    command!(Scene, "Open file", "Opens a scene, or a world of another program", [ctrl(Key::O)], |_| {
        Some(Action::Ask(FileRequest::Open))
    }),
    command!(Scene, "Reload file", "Reads the file of the scene again", [ctrl(Key::R)], |_| Some(Action::Reload)),
    command!(
        Scene,
        "Make changes again",
        "Makes the changes again that were replaced when the file of the scene was read again",
        [],
        |_| Some(Action::RestoreChanges)
    ),
    command!(
        Scene,
        "Save scene",
        "Saves the scene with its changes to the file that is open, or asks for one",
        [ctrl(Key::S)],
        |lab| Some(lab.saving())
    ),
    command!(
        Scene,
        "Save scene as",
        "Saves the scene with its changes to another file, and goes on with that",
        [ctrl_shift(Key::S)],
        |_| Some(Action::Ask(FileRequest::SaveScene))
    ),
    command!(
        Scene,
        "Save scene as it stands",
        "Saves the scene with all robots and objects where they are now",
        [],
        |_| Some(Action::Ask(FileRequest::SaveStanding))
    ),
    command!(Scene, "Save run", "Saves the scene at its start and all changes since, to run it again", [], |_| {
        Some(Action::Ask(FileRequest::SaveRun))
    }),
    command!(Scene, "Export plots as CSV", "Saves what the plots show as a table", [], |_| {
        Some(Action::Ask(FileRequest::ExportCsv))
    }),
    command!(Scene, "Export plots as PNG", "Saves a picture of the plots", [], |_| {
        Some(Action::Ask(FileRequest::ExportPng))
    }),
    command!(
        Scene,
        "Start or stop recording",
        "Records a video of what the view shows, pauses and movements included",
        [key(Key::F9)],
        |_| Some(Action::Record)
    ),
    command!(
        Scene,
        "Recording settings",
        "Opens or closes size, rate, words and folder of recordings",
        [shift(Key::F9)],
        |_| Some(Action::RecordingPanel)
    ),
    command!(
        Scene,
        "Usual recording settings",
        "Makes recordings as at first: MP4, 1280 by 720 pixels, 30 frames per second",
        [],
        |_| Some(Action::Recording(RecordingOptions::default()))
    ),
    command!(
        Scene,
        "Choose the folder of recordings",
        "Sends recordings and pictures into another folder than that of the scene",
        [],
        |_| Some(Action::Ask(FileRequest::RecordingFolder))
    ),
    command!(Scene, "Save a picture of the view", "Saves what the view shows as PNG", [key(Key::F12)], |_| {
        Some(Action::Picture)
    }),
    command!(Scene, "Save a picture of the window", "Saves the whole window as PNG", [shift(Key::F12)], |_| {
        Some(Action::Screenshot)
    }),
    command!(Scene, "Show the resolved scene", "Shows the scene as text, and where each value comes from", [], |_| {
        Some(Action::Resolved)
    }),
    command!(
        View,
        "Compare with a changed parameter",
        "Shows a second world beside this one, with the same seed and other values; again, drops it",
        [shift(Key::C)],
        |_| Some(Action::Compare(CompareAction::Toggle))
    ),
    command!(
        View,
        "Choose what is compared",
        "Opens or closes the panel of the parameters that are other in B",
        [],
        |_| Some(Action::Compare(CompareAction::Choose))
    ),
    command!(View, "Link or unlink the cameras", "Looks at B as at A, or at each of them by itself", [], |lab| {
        of_other(lab, CompareAction::Link)
    }),
    command!(View, "Keep B", "Drops A: the second world becomes the simulation", [], |lab| {
        of_other(lab, CompareAction::Keep)
    }),
    command!(View, "Let changes go to both", "Changes in the window are made in A and in B", [], |lab| {
        of_other(lab, CompareAction::GoTo(GoesTo::Both))
    }),
    command!(View, "Let changes go to A", "Changes in the window are made in A only", [], |lab| {
        of_other(lab, CompareAction::GoTo(GoesTo::A))
    }),
    command!(View, "Let changes go to B", "Changes in the window are made in B only", [], |lab| {
        of_other(lab, CompareAction::GoTo(GoesTo::B))
    }),
    command!(View, "Show the whole arena", "Fits the arena into the window", [key(Key::Num0)], |_| Some(Action::Fit)),
    command!(View, "Show ten metres", "Zooms so that the view is ten metres wide", [], |_| Some(Action::Span(10.0))),
    command!(
        View,
        "Follow or stay",
        "Keeps the selected robot, robots or group in the middle of the view; again, turns the view; once more, stays",
        [key(Key::F)],
        |_| Some(Action::Follow)
    ),
    command!(repeats View, "Zoom in", "Comes closer to the middle of the view",
        [any(Key::Plus), any(Key::Equals)], |_| zoom(ZOOM)),
    command!(repeats View, "Zoom out", "Goes back from the middle of the view", [key(Key::Minus)], |_| {
        zoom(1.0 / ZOOM)
    }),
    command!(View, "Move the view left", "Moves the view to the left", [], |_| pan(1.0, 0.0)),
    command!(View, "Move the view right", "Moves the view to the right", [], |_| pan(-1.0, 0.0)),
    command!(View, "Move the view up", "Moves the view up", [], |_| pan(0.0, 1.0)),
    command!(View, "Move the view down", "Moves the view down", [], |_| pan(0.0, -1.0)),
    command!(
        View,
        "Show or hide sensors",
        "Shows what all sensors see, or only those of the selected agent",
        [key(Key::D)],
        |_| Some(Action::Sensors)
    ),
    command!(View, "Show or hide the grid", "Shows or hides the grid lines", [key(Key::G)], |_| Some(Action::Grid)),
    command!(
        View,
        "Show or hide metrics",
        "Shows or hides what metrics observe in the world, such as a hull",
        [shift(Key::M)],
        |_| Some(Action::Metrics)
    ),
    command!(
        View,
        "Show or hide trails",
        "Shows where robots have been, of groups whose look has trails and then of all, or hides it",
        [key(Key::T)],
        |_| Some(Action::Trails)
    ),
    command!(
        View,
        "Show or hide links",
        "Shows or hides a line from each agent to the one that its sensors have in sight",
        [key(Key::I)],
        |_| Some(Action::Links)
    ),
    command!(
        View,
        "Show or hide connections",
        "Shows or hides a line between robots whose radios hear each other, dashed where they have not of late",
        [key(Key::C)],
        |_| Some(Action::Connections)
    ),
    command!(
        View,
        "Show or hide estimates",
        "Shows or hides what each robot believes, such as the ellipse that it takes its formation for",
        [shift(Key::E)],
        |_| Some(Action::Estimates)
    ),
    command!(
        View,
        "Show or hide plans",
        "Shows or hides what each robot with a supervisor goes by: arrows, the points that it measured, its state",
        [key(Key::J)],
        |_| Some(Action::Plans)
    ),
    command!(View, "Show or hide ids", "Shows or hides the number of each agent", [key(Key::N)], |_| Some(Action::Ids)),
    command!(
        View,
        "Show or hide velocities",
        "Shows or hides an arrow from each agent to where it would be in a second",
        [key(Key::A)],
        |_| Some(Action::Velocities)
    ),
    command!(
        View,
        "Show or hide names",
        "Shows or hides the name of each agent, in the place of its number",
        [shift(Key::N)],
        |_| { Some(Action::Overlay("names")) }
    ),
    command!(
        View,
        "Show or hide commands",
        "Shows or hides an arrow from each agent along the way that its controller wants it to go in a second",
        [shift(Key::A)],
        |_| Some(Action::Overlay("commands"))
    ),
    command!(
        View,
        "Show or hide the density",
        "Shows or hides how many robots there are to a square metre, as a field of colours",
        [key(Key::H)],
        |_| Some(Action::Overlay("density"))
    ),
    command!(
        View,
        "Show or hide the occupancy",
        "Shows or hides how many seconds robots have been where since the run began, or since it went back, as a field of colours",
        [shift(Key::H)],
        |_| Some(Action::Overlay("occupancy"))
    ),
    command!(
        View,
        "Show or hide the Voronoi diagram",
        "Shows or hides the borders of what is nearest to each robot",
        [key(Key::Y)],
        |_| Some(Action::Overlay("voronoi"))
    ),
    command!(
        View,
        "Show or hide the Delaunay triangulation",
        "Shows or hides a line between robots whose Voronoi cells share a border",
        [shift(Key::Y)],
        |_| Some(Action::Overlay("delaunay"))
    ),
    command!(
        View,
        "Show or hide grid labels",
        "Shows or hides where the grid lines are, in metres",
        [ctrl(Key::G)],
        |_| Some(Action::Overlay("grid-labels"))
    ),
    command!(
        View,
        "Show or hide the scale bar",
        "Shows or hides the bar that tells the scale",
        [shift(Key::B)],
        |_| Some(Action::Overlay("scale"))
    ),
    command!(
        View,
        "Colour by the next",
        "Colours robots by group, speed, state, reading, id or heading, one after the other, with a legend",
        [key(Key::Q)],
        |lab| Some(Action::ColorBy(lab.view.color_by.next()))
    ),
    command!(
        View,
        "Measure trails in seconds or metres",
        "Makes the trails of all robots as many metres long as they had seconds, or the other way round",
        [],
        |lab| Some(Action::TrailLength(lab.view.trail.other()))
    ),
    command!(
        View,
        "View settings",
        "Opens or closes what is drawn, what colours tell and how wide the view is",
        [shift(Key::V)],
        |_| Some(Action::ViewPanel)
    ),
    command!(
        View,
        "Drive or let go",
        "Takes the wheel of the selected robot, whose controller is Human, or lets go of it",
        [key(Key::X)],
        |_| Some(Action::Drive)
    ),
    command!(View, "Select the next agent", "Selects the agent with the next number", [key(Key::Tab)], |_| {
        Some(Action::SelectNext { back: false })
    }),
    command!(View, "Select the agent before", "Selects the agent with the number before", [shift(Key::Tab)], |_| {
        Some(Action::SelectNext { back: true })
    }),
    command!(
        View,
        "Close or deselect",
        "Closes what lies over the world, then goes back to selecting, then selects nothing",
        [any(Key::Escape)],
        |_| Some(Action::Close)
    ),
    command!(View, "Show the selection", "Fits what is selected into the window", [key(Key::Z)], |_| Some(
        Action::FitSelection
    )),
    command!(
        Tools,
        "Select and move",
        "Selects with a click, moves with a drag, turns with the right button",
        [key(Key::V)],
        |_| Some(Action::Tool(Tool::Select))
    ),
    command!(
        Tools,
        "Spawn robots",
        "Makes a robot at a click, looking along the drag; with Ctrl held it paints many",
        [key(Key::B)],
        |_| Some(Action::Tool(Tool::Spawn))
    ),
    command!(Tools, "Draw walls", "Makes a wall by a drag, or several from click to click", [key(Key::W)], |_| Some(
        Action::Tool(Tool::Wall)
    )),
    command!(Tools, "Draw obstacles", "Makes an obstacle by a drag", [key(Key::O)], |_| {
        Some(Action::Tool(Tool::Obstacle))
    }),
    command!(Tools, "Draw regions", "Makes a region, which knows who is in it, by a drag", [shift(Key::O)], |_| Some(
        Action::Tool(Tool::Region)
    )),
    command!(Tools, "Place goals", "Makes a goal at a click; a drag gives its radius", [key(Key::L)], |_| {
        Some(Action::Tool(Tool::Goal))
    }),
    command!(Tools, "Place lights", "Makes a light at a click", [shift(Key::L)], |_| {
        Some(Action::Tool(Tool::Light))
    }),
    command!(
        Tools,
        "Erase",
        "Takes away the robots and objects that are clicked or dragged over",
        [key(Key::E)],
        |_| { Some(Action::Tool(Tool::Erase)) }
    ),
    command!(
        Tools,
        "Break or repair robots",
        "Lets something go wrong with the robot that is clicked, or sets it right",
        [shift(Key::K)],
        |_| Some(Action::Tool(Tool::Fault))
    ),
    command!(
        Tools,
        "Measure",
        "Shows the distance in metres and the bearing in degrees along a drag",
        [key(Key::M)],
        |_| Some(Action::Tool(Tool::Measure))
    ),
    command!(
        Tools,
        "Snap or not",
        "Lets positions snap to the grid and headings to 15 degrees; Alt held turns it around",
        [shift(Key::G)],
        |_| Some(Action::Snap)
    ),
    command!(Tools, "Usual settings of the tools", "Sets all tools as they are at first", [], |_| Some(Action::Kit(
        Kit::default()
    ))),
    command!(Tools, "Select all robots", "Selects every robot", [ctrl(Key::A)], |_| Some(Action::SelectAll)),
    command!(Tools, "Select all objects", "Selects every object", [], |lab| Some(Action::Choose(lab.objects()))),
    command!(
        Tools,
        "Remove the selection",
        "Takes away the robots and objects that are selected",
        [key(Key::Delete), key(Key::Backspace)],
        |_| Some(Action::RemoveSelected)
    ),
    command!(Tools, "Remove all objects", "Takes away every object", [], |lab| {
        Some(Action::Edits(removals(lab.objects())))
    }),
    command!(
        Window,
        "List keys",
        "Opens or closes the list of keys",
        [any(Key::F1), any(Key::Questionmark), shift(Key::Slash)],
        |_| Some(Action::Help)
    ),
    command!(Window, "Take the tour", "Shows in five steps what the window can do", [], |_| Some(Action::Tour)),
    command!(Window, "Edit the keys", "Makes the file of keys when there is none, and says where it is", [], |_| Some(
        Action::EditKeys
    )),
    command!(
        Window,
        "Find an action",
        "Opens the palette, where everything can be found by its name",
        [ctrl(Key::P)],
        |_| Some(Action::Palette)
    ),
    command!(
        Panels,
        "Hide or show panels",
        "Gives the world the whole window, or brings the panels back",
        [any(Key::F10)],
        |_| Some(Action::Panels)
    ),
    command!(Panels, "Show or hide the log", "Shows or hides what happened to whom", [any(Key::F8)], |_| {
        Some(Action::Events)
    }),
    command!(Panels, "Show or hide the changes", "Shows or hides what was changed in this run", [any(Key::F7)], |_| {
        Some(Action::Changes)
    }),
    command!(Panels, "Hide or show the gallery", "Hides or shows the scenes to open", [], |_| {
        Some(Action::Gallery)
    }),
    command!(Panels, "Hide or show the world tree", "Hides or shows what is in the world", [], |_| {
        Some(Action::Tree)
    }),
    command!(Panels, "Hide or show the inspector", "Hides or shows what is selected", [], |_| {
        Some(Action::Panel(Pane::Inspector))
    }),
    command!(Panels, "Hide or show the parameters", "Hides or shows what the scene is made of", [], |_| {
        Some(Action::Panel(Pane::Parameters))
    }),
    command!(Panels, "Hide or show the plots", "Hides or shows metrics and pinned numbers over time", [], |_| {
        Some(Action::Panel(Pane::Plots))
    }),
    command!(Panels, "Restore layout", "Puts all panels where they were at first, in their first sizes", [], |_| {
        Some(Action::RestoreLayout)
    }),
    command!(Window, "Full screen", "Fills the screen, or goes back to a window", [any(Key::F11)], |_| {
        Some(Action::FullScreen)
    }),
    command!(Window, "Light colours", "Light, for print", [], |_| Some(Action::Theme(Theme::Light))),
    command!(Window, "Dark colours", "Dark, for the screen", [], |_| Some(Action::Theme(Theme::Dark))),
    command!(
        Window,
        "Larger interface",
        "Makes texts and panels larger",
        [ctrl(Key::Plus), ctrl(Key::Equals), ctrl_shift(Key::Plus), ctrl_shift(Key::Equals)],
        |lab| { Some(Action::InterfaceScale(lab.settings.interface_scale * LARGER)) }
    ),
    command!(Window, "Smaller interface", "Makes texts and panels smaller", [ctrl(Key::Minus)], |lab| {
        Some(Action::InterfaceScale(lab.settings.interface_scale / LARGER))
    }),
    command!(
        Window,
        "Interface at its normal size",
        "Gives texts and panels their normal size",
        [ctrl(Key::Num0)],
        |_| Some(Action::InterfaceScale(1.0))
    ),
    command!(Window, "Wait for the screen or not", "Switches vertical synchronisation on or off", [], |_| {
        Some(Action::Vsync)
    }),
    command!(Window, "Draw every step", "At most one step between two frames", [], |_| {
        Some(Action::MaxStepsPerFrame(1))
    }),
    command!(Window, "Draw when there is time", "Any number of steps between two frames", [], |_| {
        Some(Action::MaxStepsPerFrame(ANY_STEPS))
    }),
    command!(Window, "Quit", "Closes the window", [ctrl(Key::Q)], |_| Some(Action::Quit)),
];
