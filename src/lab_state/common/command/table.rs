//! The table of all commands.

use bevy_egui::egui::Key;

use crate::common::command::chord::{any, ctrl, ctrl_shift, key, shift};
use crate::common::command::{Command, Section};

/// Defines the ids of the commands and their table, in the order of the list of keys.
macro_rules! commands {
    ($($id:ident: $section:ident, $title:literal, $hint:literal, [$($key:expr),*] $(, $repeats:ident)?;)*) => {
        /// The id of a command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum CommandId {
            $(#[doc = $title] $id,)*
        }

        /// All commands, in the order of the list of keys.
        pub static COMMANDS: &[Command] = &[$(Command {
            id: CommandId::$id,
            title: $title,
            hint: $hint,
            keys: &[$($key),*],
            repeats: commands!(@repeats $($repeats)?),
            section: Section::$section,
        }),*];

        impl CommandId {
            /// Returns the command with this id.
            pub fn command(self) -> &'static Command {
                // Ids and rows come from the same lines.
                &COMMANDS[self as usize]
            }
        }
    };
    (@repeats) => { false };
    (@repeats repeats) => { true };
}

commands! {
    PlayOrPause: Simulation, "Play or pause", "Runs or pauses the simulation", [key(Key::Space), key(Key::K)];
    Step: Simulation, "Step",
        "Pauses and does one step; repeats while held",
        [key(Key::Period), key(Key::ArrowRight)], repeats;
    TenSteps: Simulation, "Ten steps", "Pauses and does ten steps", [shift(Key::ArrowRight)], repeats;
    StepBack: Timeline, "Step back",
        "Pauses and goes back one step; repeats while held",
        [key(Key::Comma), key(Key::ArrowLeft)], repeats;
    TenStepsBack: Timeline, "Ten steps back", "Pauses and goes back ten steps", [shift(Key::ArrowLeft)], repeats;
    GoToTheStart: Timeline, "Go to the start", "Goes to the start of the run; later steps are kept", [key(Key::Home)];
    GoToTheLiveEnd: Timeline, "Go to the live end",
        "Goes to the last step of the branch, where the run continues live",
        [key(Key::End)];
    PreviousMark: Timeline, "Previous mark",
        "Goes back to the last edit, event or bookmark before this moment",
        [key(Key::PageUp)], repeats;
    NextMark: Timeline, "Next mark",
        "Goes to the next edit, event or bookmark after this moment",
        [key(Key::PageDown)], repeats;
    PreviousMoment: Timeline, "Previous moment",
        "Goes back to the last moment of the kind that was searched last, or of any kind, such as a collision",
        [shift(Key::PageUp)], repeats;
    NextMoment: Timeline, "Next moment",
        "Goes to the next moment of the kind that was searched last, or of any kind, such as a collision",
        [shift(Key::PageDown)], repeats;
    FindAMoment: Timeline, "Find a moment",
        "Opens or closes the search for the first, previous, next or last collision, arrival, change of state or other \
         event, or for the moment of a condition",
        [shift(Key::F)];
    ShowOrHideTheStateLanes: Timeline, "Show or hide the state lanes",
        "Shows or hides the state of each robot over time, as coloured lanes below the branches",
        [];
    FoldTheLanesByGroup: Timeline, "Fold the lanes by group",
        "Shows one lane for each group with the most frequent state of its robots, or one for each robot",
        [];
    GoToATimeOrStep: Timeline, "Go to a time or step",
        "Opens the palette to type a time, such as 27.5 s, or a step, such as step 1200",
        [];
    BeginTheRangeHere: Timeline, "Begin the range here",
        "Sets the start of the range of the timeline to this moment",
        [shift(Key::Comma)];
    EndTheRangeHere: Timeline, "End the range here",
        "Sets the end of the range of the timeline to this moment",
        [shift(Key::Period)];
    LoopTheRange: Timeline, "Loop the range",
        "Plays the range of the timeline in a loop, or stops that",
        [ctrl(Key::L)];
    ForgetTheRange: Timeline, "Forget the range", "Removes the range of the timeline", [];
    DefaultKeyframeMemory: Timeline, "Default keyframe memory",
        "Limits keyframes to 256 MB; with more memory, jumps take less time",
        [];
    ExportTheClip: Timeline, "Export the clip",
        "Records the range of the timeline, or the whole branch, as a video without dropped frames",
        [];
    BeginABranchHere: Timeline, "Begin a branch here",
        "Begins a new branch at this moment; the present one is kept",
        [];
    AddABookmark: Timeline, "Add a bookmark", "Adds a bookmark at this moment", [ctrl(Key::B)];
    CopyALinkToThisMoment: Timeline, "Copy a link to this moment",
        "Saves the run, and copies the command that opens it at this moment",
        [ctrl_shift(Key::L)];
    Slower: Simulation, "Slower", "Halves the speed", [key(Key::OpenBracket)];
    Faster: Simulation, "Faster", "Doubles the speed", [key(Key::CloseBracket)];
    RealTime: Simulation, "Real time", "Runs one simulated second per second", [key(Key::Backslash)];
    UnlimitedSpeed: Simulation, "Unlimited speed",
        "Runs as fast as the machine can",
        [any(Key::CloseCurlyBracket), shift(Key::CloseBracket)];
    BestEffort: Simulation, "Keep real time",
        "Drops simulated time when the machine is too slow, and shows how much",
        [];
    FixedStep: Simulation, "Never drop steps", "Does every step, even when the machine falls behind", [];
    TimeAndStatistics: Simulation, "Time and statistics",
        "Shows the requested and the achieved speed, the strategy, and the duration of steps",
        [shift(Key::S)];
    Reset: Simulation, "Restart",
        "Starts the scene again with the same seed; parameters stay as they are",
        [key(Key::R)];
    ResetWithNewSeed: Simulation, "Restart with new seed", "Starts the scene again with another seed", [shift(Key::R)];
    RestartAtTheCentreOfTheView: Simulation, "Restart at the centre of the view",
        "Starts the scene again with the same seed and its spawners around the centre of the view",
        [];
    RestartWithoutChanges: Simulation, "Restart without changes",
        "Starts the scene again as it was opened, without later changes",
        [];
    RestartOnChange: Simulation, "Restart on change",
        "Restarts the run when a parameter changes that takes effect at a restart; when off, the change waits for the restart",
        [];
    RemoveThePauseCondition: Simulation, "Remove the pause condition", "Removes the condition of \"Pause when\"", [];
    ShowOrHideTheLegend: Overlays, "Show or hide the legend", "Shows or hides the legend of all plots", [];
    ShowOrHideTheTableOfValues: Overlays, "Show or hide the table of values",
        "Shows or hides a table of the values of all plots at the cursor",
        [];
    PlotADistribution: Overlays, "Plot a distribution over robots",
        "Adds a plot of the distribution of the speeds of robots at the shown moment; its menu chooses another number",
        [];
    PlotAScatter: Overlays, "Plot robots as a scatter",
        "Adds a plot of one number of each robot over another at the shown moment; its menu chooses the numbers",
        [];
    Undo: Edit, "Undo", "Undoes the last change: the run is simulated again without it", [ctrl(Key::Z)], repeats;
    Redo: Edit, "Redo", "Redoes the change that was undone last", [ctrl(Key::Y), ctrl_shift(Key::Z)], repeats;
    UndoAllChanges: Edit, "Undo all changes", "Undoes all changes since the scene was opened, restarts included", [];
    CancelUndoing: Edit, "Cancel the running undo",
        "Cancels undo or redo while the run is simulated again; the run stays as it is",
        [];
    Cut: Edit, "Cut", "Copies the selected robots and objects, and removes them", [ctrl(Key::X)];
    Copy: Edit, "Copy", "Copies the selected robots and objects", [ctrl(Key::C)];
    Paste: Edit, "Paste",
        "Pastes the copied robots and objects at the cursor, or beside the originals",
        [ctrl(Key::V)];
    Duplicate: Edit, "Duplicate", "Adds copies of the selected robots and objects beside them", [ctrl(Key::D)];
    RemoveTheSelection: Edit, "Remove the selection",
        "Removes the selected robots and objects",
        [key(Key::Delete), key(Key::Backspace)];
    SelectAllRobots: Edit, "Select all robots", "Selects every robot", [ctrl(Key::A)];
    SelectAllObjects: Edit, "Select all objects", "Selects every object", [];
    AddAGroup: Add, "Add a group", "Opens the catalogue of new groups: simple robots and robot models", [];
    AddAMetric: Add, "Add a metric",
        "Opens the catalogue of metrics, which measure the swarm after each step and are plotted",
        [];
    AddAnObject: Add, "Add an object",
        "Opens the catalogue of objects, such as obstacles, goals, lights and floors",
        [];
    AddAnObjectGroup: Add, "Add an object group",
        "Opens the catalogue of groups of objects, which a spawner places at the start",
        [];
    AddAField: Add, "Add a field", "Opens the catalogue of scalar fields, such as pheromone", [];
    AddAControl: Add, "Add a control",
        "Opens the list of parameters, to show one of them at the top of the panel Parameters",
        [];
    AddAPlot: Add, "Add a plot", "Opens the catalogue of metrics and of numbers that can be plotted", [];
    AddASensor: Add, "Add a sensor", "Opens the catalogue of sensors, for the selected group or the first one", [];
    AddAPartOfAGroup: Add, "Add a part of a group",
        "Opens the catalogue of everything that the selected group, or the first one, can get",
        [];
    AddARadio: Add, "Add a radio", "Gives the robots of the selected group, or of the first one, a radio", [];
    AddAGripper: Add, "Add a gripper", "Gives the robots of the selected group, or of the first one, a gripper", [];
    AddAnEmitter: Add, "Add an emitter",
        "Gives the robots of the selected group, or of the first one, an emitter that adds to a scalar field",
        [];
    AddLeds: Add, "Add LEDs", "Gives the robots of the selected group, or of the first one, LEDs", [];
    ReplaceTheController: Add, "Replace the controller",
        "Opens the catalogue of controllers, for the selected group or the first one",
        [];
    ReplaceTheMotionModel: Add, "Replace the motion model",
        "Opens the catalogue of motion models, for the selected group or the first one",
        [];
    ReplaceTheSpawner: Add, "Replace the spawner",
        "Opens the catalogue of spawners, which place the robots of the selected group or of the first one",
        [];
    AlignLeft: Align, "Align left", "Aligns the left edges of the selection with the leftmost one", [];
    AlignRight: Align, "Align right", "Aligns the right edges of the selection with the rightmost one", [];
    AlignTop: Align, "Align top", "Aligns the upper edges of the selection with the uppermost one", [];
    AlignBottom: Align, "Align bottom", "Aligns the lower edges of the selection with the lowest one", [];
    AlignCentresInARow: Align, "Align centres in a row",
        "Aligns the centres of the selection in a horizontal row",
        [];
    AlignCentresInAColumn: Align, "Align centres in a column",
        "Aligns the centres of the selection in a vertical column",
        [];
    DistributeHorizontally: Align, "Distribute horizontally",
        "Spaces the centres of the selection evenly from left to right",
        [];
    DistributeVertically: Align, "Distribute vertically",
        "Spaces the centres of the selection evenly from top to bottom",
        [];
    FindAParameter: Edit, "Find a parameter", "Finds parameters by words", [ctrl(Key::F)];
    ResetAllParameters: Edit, "Reset all parameters",
        "Resets all parameters to their values when the scene was opened",
        [];
    RandomiseTheParameters: Edit, "Randomise the parameters",
        "Randomises the numbers of all groups that take effect at once, near their present values",
        [];
    NewScript: Edit, "New script from this robot's controller",
        "Makes a script of the controller of the selected robot's group, to change it in the editor",
        [];
    RepairAllRobots: Edit, "Repair all robots", "Clears the failures of all robots", [];
    NewScene: File, "New scene", "Opens an empty arena, to be filled with the tools and saved", [ctrl(Key::N)];
    OpenFile: File, "Open file", "Opens a scene, or a world of another program", [ctrl(Key::O)];
    ShowUnsavedWork: File, "Show or hide unsaved work",
        "Opens or closes the list of scenes with unsaved work, to recover or discard it",
        [];
    ReloadFile: File, "Reload file", "Reads the file of the scene again", [ctrl(Key::R)];
    MakeChangesAgain: Edit, "Reapply my changes after reload",
        "Makes the changes again that were set aside when the scene file was reloaded",
        [];
    SaveScene: File, "Save scene",
        "Saves the scene with its changes to the file that is open, or asks for a file",
        [ctrl(Key::S)];
    SaveSceneAs: File, "Save scene as",
        "Saves the scene with its changes to another file, which becomes the open one",
        [ctrl_shift(Key::S)];
    SavePresentPositionsAsScene: File, "Save current positions as scene",
        "Saves another scene, in which all robots and objects start where they are now; the open scene stays open",
        [];
    SaveRunAsFolder: File, "Save run as folder",
        "Saves the scene at its start and all changes since, to repeat the run",
        [];
    ShareAsOneFile: File, "Share as one file",
        "Saves the scene, its changes, its files and a picture as one file to send",
        [];
    ShareAsAPage: File, "Share as a page",
        "Saves the run so far as one HTML file that replays it in any browser, with plots and the changes",
        [];
    ExportTheRunAsMCAP: Export, "Export the run as MCAP",
        "Saves poses, scans, metrics and more of the run so far as messages of ROS 2, for Foxglove, Rerun and ROS 2",
        [];
    ExportPlotsAsCSV: Export, "Export plots as CSV", "Saves the values of the plots as a table", [];
    ExportFigure: Export, "Export figure",
        "Opens or closes the settings of figures: content, format, size, font and resolution",
        [];
    CopyFigure: Export, "Copy figure", "Copies the figure of \"Export figure\" to the clipboard as an image", [];
    ExportPlotsAsSVG: Export, "Export plots as SVG",
        "Saves the plots as vector graphics for the web and for drawing programs",
        [];
    ExportPlotsAsPDF: Export, "Export plots as PDF", "Saves the plots as vector graphics for papers", [];
    ExportPlotsAsPNG: Export, "Export plots as PNG", "Saves the plots as an image", [];
    ExportTheViewAsSVG: Export, "Export the view as SVG",
        "Saves the view of the world as vectors for the web and for drawing programs",
        [];
    ExportTheViewAsPDF: Export, "Export the view as PDF",
        "Saves the view of the world as vector graphics for papers",
        [];
    DefaultFigureSettings: Export, "Default figure settings",
        "Resets the settings of figures: PDF, 170 by 90 mm, 9 pt, 300 dpi",
        [];
    StartOrStopRecording: Export, "Start or stop recording",
        "Records a video of the view, including its movements",
        [key(Key::F9)];
    RerenderWithoutDroppedFrames: Export, "Re-render without dropped frames",
        "Simulates the range of the timeline, the last recording or the run so far again for a video with every frame; click again to cancel",
        [];
    RecordingSettings: Export, "Recording settings",
        "Opens or closes the settings of recordings: size, rate, labels and folder",
        [shift(Key::F9)];
    DefaultRecordingSettings: Export, "Default recording settings",
        "Resets the settings of recordings: MP4, 1280 by 720 pixels, 30 frames per second",
        [];
    ChooseTheFolderOfRecordings: Export, "Choose the folder of recordings",
        "Chooses the folder of recordings and pictures, instead of that of the scene",
        [];
    SaveAPictureOfTheWindow: Export, "Save a picture of the window",
        "Saves the whole window as a PNG file",
        [shift(Key::F12)];
    SaveAPictureOfTheView: Export, "Save a picture of the view", "Saves the view as a PNG file", [key(Key::F12)];
    ShowTheResolvedScene: File, "Show the scene with all defaults",
        "Shows the scene as text, with the origin of each value",
        [];
    CompareWithAChangedParameter: Compare, "Compare with a changed parameter",
        "Shows a second world beside this one, with the same seed and other values; a second time, ends the comparison",
        [shift(Key::C)];
    ChooseWhatIsCompared: Compare, "Choose what is compared",
        "Opens or closes the panel of the parameters that differ in B",
        [];
    LinkOrUnlinkTheCameras: Compare, "Link or unlink the cameras",
        "Moves the cameras of A and B together or separately",
        [];
    KeepB: Compare, "Keep B", "Drops A: the second world becomes the simulation", [];
    LetChangesGoToBoth: Compare, "Let changes go to both", "Applies changes in the window to both A and B", [];
    LetChangesGoToA: Compare, "Let changes go to A", "Applies changes in the window to A only", [];
    LetChangesGoToB: Compare, "Let changes go to B", "Applies changes in the window to B only", [];
    ShowTheWholeArena: View, "Show the whole arena", "Fits the arena into the window", [key(Key::Num0)];
    ShowTenMetres: View, "Show ten metres", "Zooms to a view that is ten metres wide", [];
    FollowOrStay: View, "Follow the selection",
        "Keeps the selected robot, robots or group in the centre of the view; then also turns the view; then stops",
        [key(Key::F)];
    ZoomIn: View, "Zoom in", "Zooms in at the centre of the view", [any(Key::Plus), any(Key::Equals)], repeats;
    ZoomOut: View, "Zoom out", "Zooms out from the centre of the view", [key(Key::Minus)], repeats;
    MoveTheViewLeft: View, "Move the view left", "Moves the view to the left", [];
    MoveTheViewRight: View, "Move the view right", "Moves the view to the right", [];
    MoveTheViewUp: View, "Move the view up", "Moves the view up", [];
    MoveTheViewDown: View, "Move the view down", "Moves the view down", [];
    ShowOrHideSensors: Overlays, "Show or hide sensors",
        "Shows all sensors, or only those of the selected robot",
        [key(Key::D)];
    ShowOrHideTheGrid: Overlays, "Show or hide the grid", "Shows or hides the grid lines", [key(Key::G)];
    ShowOrHideMetrics: Overlays, "Show or hide metrics",
        "Shows or hides drawings of metrics in the world, such as a hull",
        [shift(Key::M)];
    ShowOrHideTrails: Overlays, "Show or hide trails",
        "Shows the trails of groups whose look has trails, then those of all robots, then none",
        [key(Key::T)];
    ShowOrHideLinks: Overlays, "Show or hide links",
        "Shows or hides a line from each robot to the robot that its sensors detect",
        [key(Key::I)];
    ShowOrHideConnections: Overlays, "Show or hide connections",
        "Shows or hides a line between robots whose radios hear each other, dashed where the last packet is old",
        [key(Key::C)];
    ShowOrHideEstimates: Overlays, "Show or hide estimates",
        "Shows or hides the estimates of robots, such as the ellipse of their formation or their own pose",
        [shift(Key::E)];
    ShowOrHidePlans: Overlays, "Show or hide plans",
        "Shows or hides the plans of supervisors: arrows, measured points, states",
        [key(Key::J)];
    ShowOrHideIds: Overlays, "Show or hide robot IDs", "Shows or hides the number of each robot", [key(Key::N)];
    ShowOrHideVelocities: Overlays, "Show or hide velocities",
        "Shows or hides an arrow from each robot to its position in one second",
        [key(Key::A)];
    ShowOrHideNames: Overlays, "Show or hide names",
        "Shows or hides the name of each robot instead of its number",
        [shift(Key::N)];
    ShowOrHideCommands: Overlays, "Show or hide commands",
        "Shows or hides an arrow for the motion that the controller of each robot commands for one second",
        [shift(Key::A)];
    ShowOrHideFields: Overlays, "Show or hide fields",
        "Shows or hides the scalar fields of the scene, such as pheromone, as heat maps",
        [key(Key::U)];
    ShowOrHideForecasts: Overlays, "Show or hide forecasts",
        "Shows the next seconds as dashed paths while a slider is held, or pointed at with Ctrl, or hides them",
        [shift(Key::U)];
    ShowOrHideTheDensity: Overlays, "Show or hide the density",
        "Shows or hides the number of robots per square metre as a heat map",
        [key(Key::H)];
    ShowOrHideTheOccupancy: Overlays, "Show or hide the occupancy",
        "Shows or hides a heat map of the seconds that robots have spent at each place since the run began, or since an undo",
        [shift(Key::H)];
    ShowOrHideTheVoronoiDiagram: Overlays, "Show or hide the Voronoi diagram",
        "Shows or hides the borders of the Voronoi cells of robots",
        [key(Key::Y)];
    ShowOrHideTheDelaunayTriangulation: Overlays, "Show or hide the Delaunay triangulation",
        "Shows or hides a line between robots whose Voronoi cells share a border",
        [shift(Key::Y)];
    ShowOrHideGridLabels: Overlays, "Show or hide grid labels",
        "Shows or hides the coordinates of the grid lines, in metres",
        [ctrl(Key::G)];
    ShowOrHideTheScaleBar: Overlays, "Show or hide the scale bar", "Shows or hides the scale bar", [shift(Key::B)];
    ShowOrHideTheLegendOfMarks: Overlays, "Show or hide the legend of marks",
        "Shows or hides the meaning of the lines, areas and symbols that the world shows now",
        [];
    ColourByTheNextQuantity: Overlays, "Next colouring",
        "Colours robots by group, speed, state, reading, id or heading, one after the other, with a legend",
        [key(Key::Q)];
    MeasureTrailsInSecondsOrMetres: Overlays, "Trail length in seconds or metres",
        "Measures the trails of all robots in metres instead of seconds, or back; the number does not change",
        [];
    ShowOrHideTheView: Panels, "Show or hide the View panel",
        "Shows or hides the View panel: overlays, colours of robots, and camera",
        [shift(Key::V)];
    DriveOrStopDriving: Simulation, "Drive the selected robot",
        "Starts or stops driving the selected robot, if its controller is Human",
        [key(Key::X)];
    SelectTheNextRobot: Edit, "Select the next robot", "Selects the robot with the next number", [key(Key::Tab)];
    SelectThePreviousRobot: Edit, "Select the previous robot",
        "Selects the robot with the previous number",
        [shift(Key::Tab)];
    CloseOrDeselect: Edit, "Close or deselect",
        "Closes the topmost dialog or notice; then returns to the select tool; then clears the selection",
        [any(Key::Escape)];
    ShowTheSelection: View, "Show the selection", "Fits the selection into the window", [key(Key::Z)];
    SelectAndMove: Tools, "Select and move",
        "Selects with a click, moves with a drag, turns with the right button; on empty ground, Shift + drag selects a box",
        [key(Key::V)];
    SpawnRobots: Tools, "Spawn robots",
        "Adds a robot at a click, facing along a drag; with Ctrl held, a drag adds many",
        [key(Key::B)];
    DrawWalls: Tools, "Draw walls", "Draws a wall with a drag, or several from click to click", [key(Key::W)];
    DrawObstacles: Tools, "Draw obstacles", "Draws an obstacle with a drag", [key(Key::O)];
    DrawRegions: Tools, "Draw regions",
        "Draws a region, which detects the robots in it, with a drag",
        [shift(Key::O)];
    PlaceGoals: Tools, "Place goals", "Places a goal at a click; a drag sets its radius", [key(Key::L)];
    PlaceLights: Tools, "Place lights", "Places a light at a click", [shift(Key::L)];
    Erase: Tools, "Erase", "Removes the robots and objects under a click or a drag", [key(Key::E)];
    BreakOrRepairRobots: Tools, "Break or repair robots",
        "Applies the chosen failure to the clicked robot, or repairs it",
        [shift(Key::K)];
    Measure: Tools, "Measure", "Shows the distance in metres and the bearing in degrees along a drag", [key(Key::M)];
    SnapOrNot: Tools, "Snap or not",
        "Snaps positions to the grid and headings to 15 degrees; Alt held does the opposite",
        [shift(Key::G)];
    DefaultToolSettings: Tools, "Default tool settings", "Resets the settings of all tools", [];
    RemoveAllObjects: Edit, "Remove all objects", "Removes every object", [];
    ListKeys: Help, "List keys",
        "Opens or closes the list of keys",
        [any(Key::F1), any(Key::Questionmark), shift(Key::Slash)];
    TakeTheTour: Help, "Take the tour", "Introduces the window in six interactive steps", [];
    EditTheKeys: Help, "Edit the keys", "Creates the keymap file if there is none, and shows its path", [];
    FindAnAction: Help, "Find an action", "Opens the palette, which finds every action by its name", [ctrl(Key::P)];
    ShowOrHideTheEvents: Panels, "Show or hide the events",
        "Shows or hides contacts, arrivals and state changes of robots",
        [any(Key::F8)];
    ShowOrHideTheConsole: Panels, "Show or hide the console",
        "Shows or hides the texts that scripts print, and their errors",
        [any(Key::F3)];
    ShowOrHideTheScript: Panels, "Show or hide the script",
        "Shows or hides the editor of scripts",
        [any(Key::F4)];
    ShowOrHideTheChanges: Panels, "Show or hide the changes",
        "Shows or hides the changes of this run",
        [any(Key::F7)];
    ShowOrHideTheNotes: Panels, "Show or hide the notes",
        "Shows or hides the description of the scene and its tasks",
        [];
    ShowOrHideTheSweep: Panels, "Show or hide the sweep",
        "Shows or hides the Sweep panel: setup, figure and runs",
        [any(Key::F6)];
    SweepAParameter: Sweep, "Sweep a parameter",
        "Shows the setup of a sweep: many runs with other values and seeds beside the window",
        [ctrl_shift(Key::P)];
    SweepAMetric: Sweep, "Sweep a metric",
        "Shows the setup of a sweep that measures the first metric of the scene",
        [];
    StartTheSweep: Sweep, "Start the sweep", "Starts the sweep of the setup beside the window", [];
    PauseOrContinueTheSweep: Sweep, "Pause or continue the sweep",
        "Holds the runs of the sweep, or continues them",
        [];
    CancelTheSweep: Sweep, "Cancel the sweep", "Abandons the runs in progress; finished runs stay", [];
    ResumeTheSweep: Sweep, "Resume the sweep", "Makes the runs of the sweep that are not done", [];
    TenMoreRepetitions: Sweep, "Ten more repetitions", "Adds ten runs with new seeds to each point of the sweep", [];
    BackToTheSweep: Sweep, "Back to the sweep", "Shows the open sweep in place of the setup", [];
    OpenTheSceneOfTheSweep: Sweep, "Open the scene of the sweep",
        "Opens the scene that all runs of the sweep share",
        [];
    BackToMyScene: Sweep, "Back to my scene",
        "Shows the scene again from which a run of a sweep was opened, with its changes and its run",
        [];
    CloseTheSweep: Sweep, "Close the sweep", "Closes the sweep; its folder stays", [];
    OpenASweepFolder: Sweep, "Open a sweep folder", "Opens the folder of an earlier sweep", [];
    SaveThePlanOfTheSweep: Sweep, "Save the plan of the sweep",
        "Saves the plan, which \"swarmarium sweep\" runs, with its scene",
        [];
    SaveTheFolderOfTheSweep: Sweep, "Save the folder of the sweep",
        "Saves a copy of the folder, with tables, figures and the report",
        [];
    ExportTheSweepAsSVG: Sweep, "Export the sweep as SVG",
        "Saves the shown figure of the sweep as vector graphics",
        [];
    ExportTheSweepAsPNG: Sweep, "Export the sweep as PNG", "Saves the shown figure of the sweep as pixels", [];
    ExportTheSweepAsCSV: Sweep, "Export the sweep as CSV", "Saves the numbers of the shown figure of the sweep", [];
    ShowOrHideTheClients: Panels, "Show or hide the clients",
        "Shows or hides the sockets of the scene and their clients",
        [];
    ShowOrHideTheMessages: Panels, "Show or hide the messages",
        "Shows or hides the notes and errors of this window, also those that have disappeared",
        [];
    HideOrShowTheGallery: Panels, "Hide or show the gallery", "Hides or shows shipped scenes and recent files", [];
    HideOrShowTheWorldTree: Panels, "Hide or show the world tree",
        "Hides or shows the tree of all robots and objects",
        [];
    HideOrShowTheInspector: Panels, "Hide or show the inspector", "Hides or shows the details of the selection", [];
    HideOrShowTheParameters: Panels, "Hide or show the parameters", "Hides or shows all parameters of the scene", [];
    HideOrShowThePlots: Panels, "Hide or show the plots", "Hides or shows metrics and pinned numbers over time", [];
    FullScreen: Window, "Full screen", "Switches full screen on or off", [key(Key::F11)];
    HideOrShowPanels: Window, "Hide or show the interface",
        "Hides the bars and all panels, or shows them again; Esc shows them, too",
        [shift(Key::F11)];
    ResetLayout: Window, "Reset layout", "Resets the places and sizes of all panels", [];
    LightColours: Window, "Light colours", "Uses light colours, for print", [];
    DarkColours: Window, "Dark colours", "Uses dark colours, for the screen", [];
    LargerInterface: Window, "Larger interface",
        "Makes texts and panels larger",
        [ctrl(Key::Plus), ctrl(Key::Equals), ctrl_shift(Key::Plus), ctrl_shift(Key::Equals)];
    SmallerInterface: Window, "Smaller interface", "Makes texts and panels smaller", [ctrl(Key::Minus)];
    InterfaceAtItsNormalSize: Window, "Reset zoom",
        "Resets the size of texts and panels",
        [ctrl(Key::Num0)];
    ClearTheMessages: Window, "Clear the messages", "Removes all messages from the Messages panel", [];
    TurnVerticalSyncOnOrOff: Window, "Turn vertical sync on or off",
        "Switches vertical synchronisation on or off",
        [];
    DrawEveryStep: Simulation, "Show every step", "Draws a frame after every step", [];
    DrawWhenThereIsTime: Simulation, "Skip frames when busy",
        "Does as many steps between two frames as time allows",
        [];
    Quit: File, "Quit", "Closes the window", [ctrl(Key::Q)];
}
