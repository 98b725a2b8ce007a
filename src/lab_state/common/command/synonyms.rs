//! Synonyms of commands: the palette also finds commands by common words.

use crate::common::command::CommandId;

/// Synonyms in lower case, by command.
pub static SYNONYMS: &[(CommandId, &[&str])] = &[
    (
        CommandId::PlayOrPause,
        &["play", "pause", "stop", "run", "start", "resume", "continue", "halt", "freeze", "go", "run simulation"],
    ),
    (CommandId::Step, &["single step", "one step", "advance", "next frame", "frame by frame"]),
    (CommandId::TenSteps, &["skip ahead"]),
    (CommandId::Slower, &["slow", "slow down", "slow motion", "decrease speed", "half speed"]),
    (CommandId::Faster, &["speed", "fast", "speed up", "fast forward", "accelerate", "increase speed", "double speed"]),
    (CommandId::RealTime, &["normal speed", "realtime", "1x"]),
    (CommandId::UnlimitedSpeed, &["maximum speed", "full speed", "turbo", "as fast as possible"]),
    (CommandId::TimeAndStatistics, &["performance", "fps", "frame rate", "lag", "profiler", "real-time factor"]),
    (CommandId::StepBack, &["rewind", "back one step", "previous frame", "reverse", "step backwards", "scrub"]),
    (CommandId::TenStepsBack, &["jump back"]),
    (CommandId::GoToTheStart, &["beginning", "first frame", "rewind to the start"]),
    (CommandId::GoToTheLiveEnd, &["live", "latest", "last frame", "present", "now"]),
    (
        CommandId::FindAMoment,
        &["back to when", "search timeline", "when did it happen", "time travel", "find collisions and events"],
    ),
    (
        CommandId::ShowOrHideTheStateLanes,
        &["gantt chart", "state timeline", "behaviours over time", "lanes", "swimlanes"],
    ),
    (CommandId::FoldTheLanesByGroup, &["one lane per group", "unfold lanes"]),
    (CommandId::PreviousMoment, &["find previous", "search backwards"]),
    (CommandId::NextMoment, &["find next", "search forwards"]),
    (CommandId::GoToATimeOrStep, &["seek", "jump to", "goto"]),
    (CommandId::ExportTheClip, &["clip", "part of the video", "export range"]),
    (CommandId::AddABookmark, &["bookmark", "mark moment", "marker", "remember this moment"]),
    (CommandId::BeginABranchHere, &["branch", "fork", "what if", "alternative future"]),
    (CommandId::CopyALinkToThisMoment, &["link", "share moment", "address"]),
    (CommandId::LoopTheRange, &["repeat", "loop"]),
    (CommandId::Reset, &["reset", "start again", "start over", "back to start", "begin again", "reset simulation"]),
    (
        CommandId::ResetWithNewSeed,
        &["seed", "reset with new seed", "new seed", "random seed", "reroll", "shuffle", "another run"],
    ),
    (
        CommandId::RevertAllChanges,
        &["discard changes", "revert all changes", "original scene", "reset everything", "factory reset"],
    ),
    (CommandId::FindAParameter, &["parameter", "search parameters", "find", "search", "change a value", "tune"]),
    (CommandId::RestoreAllParameters, &["default values", "defaults", "restore parameters", "original values"]),
    (CommandId::RandomiseTheParameters, &["random", "randomize", "mutate", "vary", "dice", "surprise me"]),
    (CommandId::RemoveThePauseCondition, &["breakpoint", "stop condition"]),
    (CommandId::ShowOrHideTheLegend, &["key of plots", "line names"]),
    (CommandId::Undo, &["back", "revert", "take back", "oops"]),
    (CommandId::Redo, &["again"]),
    (CommandId::UndoAllChanges, &["undo everything"]),
    (CommandId::RepairAllRobots, &["fix robots", "heal", "revive", "mend"]),
    (CommandId::NewScene, &["new", "new file", "empty scene", "create scene", "blank", "new world"]),
    (
        CommandId::SweepAParameter,
        &[
            "sweep",
            "experiment",
            "parameter study",
            "study",
            "behaviorspace",
            "behaviourspace",
            "batch",
            "vary",
            "grid search",
            "statistics over seeds",
            "many runs",
            "monte carlo",
        ],
    ),
    (CommandId::TenMoreRepetitions, &["more runs", "more seeds", "repeat runs"]),
    (CommandId::OpenASweepFolder, &["load sweep", "open results"]),
    (CommandId::ShowOrHideTheSweep, &["sweep results", "heat map of runs"]),
    (CommandId::OpenFile, &["load", "open", "import", "browse", "load scene", "open scene"]),
    (CommandId::ReloadFile, &["refresh", "reread"]),
    (CommandId::SaveScene, &["save", "store", "write file", "keep scene"]),
    (CommandId::SaveSceneAs, &["save copy", "rename"]),
    (
        CommandId::SavePresentPositionsAsScene,
        &["save scene as it stands", "snapshot", "save state", "save positions", "checkpoint"],
    ),
    (CommandId::SaveRunAsFolder, &["save run", "replay", "save replay", "save edits"]),
    (
        CommandId::ExportPlotsAsCSV,
        &["export", "csv", "table", "spreadsheet", "excel", "data", "save data", "export data"],
    ),
    (CommandId::ExportPlotsAsPNG, &["save chart", "export graph", "export chart"]),
    (
        CommandId::StartOrStopRecording,
        &["record", "video", "film", "movie", "animation", "gif", "mp4", "capture video"],
    ),
    (CommandId::RecordingSettings, &["video settings", "resolution", "codec", "video size"]),
    (CommandId::ChooseTheFolderOfRecordings, &["output folder", "video folder", "save location"]),
    (
        CommandId::SaveAPictureOfTheView,
        &["picture", "image", "photo", "png", "snap picture", "save image", "screenshot of the view"],
    ),
    (
        CommandId::SaveAPictureOfTheWindow,
        &["screenshot", "screen shot", "capture screen", "print screen", "screen capture"],
    ),
    (CommandId::ShowTheResolvedScene, &["source", "scene text", "ron", "code", "show scene file"]),
    (
        CommandId::CompareWithAChangedParameter,
        &["compare", "side by side", "split screen", "a/b", "second world", "versus"],
    ),
    (CommandId::ChooseWhatIsCompared, &["comparison settings"]),
    (
        CommandId::ShowTheWholeArena,
        &[
            "fit",
            "centre",
            "center",
            "home",
            "zoom to fit",
            "fit to window",
            "show all",
            "overview",
            "reset view",
            "zoom all",
            "recentre",
            "recenter",
        ],
    ),
    (CommandId::FollowOrStay, &["follow", "stay", "track", "camera", "chase", "lock camera", "keep in view"]),
    (CommandId::ZoomIn, &["zoom", "magnify", "closer", "enlarge", "bigger view"]),
    (CommandId::ZoomOut, &["farther", "further away", "shrink view"]),
    (CommandId::MoveTheViewLeft, &["pan", "scroll", "pan left"]),
    (CommandId::MoveTheViewRight, &["pan right"]),
    (CommandId::MoveTheViewUp, &["pan up"]),
    (CommandId::MoveTheViewDown, &["pan down"]),
    (CommandId::ShowOrHideSensors, &["sensors", "field of view", "fov", "vision", "sight", "cones", "perception"]),
    (CommandId::ShowOrHideTheGrid, &["grid", "grid lines", "graph paper"]),
    (CommandId::ShowOrHideMetrics, &["metrics", "hull", "measurements"]),
    (
        CommandId::ShowOrHideTrails,
        &["trail", "path", "paths", "trajectory", "trajectories", "traces", "tracks", "tail"],
    ),
    (CommandId::ShowOrHideLinks, &["lines between robots", "sees whom", "sight lines"]),
    (CommandId::ShowOrHideConnections, &["radio", "network", "communication", "edges", "connectivity"]),
    (CommandId::ShowOrHideEstimates, &["beliefs", "uncertainty", "localisation", "localization"]),
    (CommandId::ShowOrHidePlans, &["goals of robots", "intent", "supervisor", "waypoints"]),
    (
        CommandId::ShowOrHideTheLegendOfMarks,
        &["meaning of lines", "key to symbols", "what do the lines mean", "explain"],
    ),
    (CommandId::ShowOrHideIds, &["id", "ids", "numbers", "labels", "identifiers", "label", "robot numbers"]),
    (CommandId::ShowOrHideVelocities, &["velocity", "arrows", "vectors", "velocity vectors"]),
    (CommandId::ShowOrHideNames, &["name", "robot names"]),
    (CommandId::ShowOrHideCommands, &["wanted velocity", "control signals", "actuator commands"]),
    (CommandId::ShowOrHideFields, &["field", "pheromone", "scalar field", "temperature", "gradient"]),
    (CommandId::ShowOrHideTheDensity, &["heatmap", "heat map", "density", "crowding", "concentration"]),
    (CommandId::ShowOrHideTheOccupancy, &["coverage", "visited", "occupancy", "time spent"]),
    (CommandId::ShowOrHideTheVoronoiDiagram, &["voronoi", "cells", "territories", "tessellation", "partition"]),
    (CommandId::ShowOrHideTheDelaunayTriangulation, &["delaunay", "triangles", "mesh", "neighbours", "neighbors"]),
    (CommandId::ShowOrHideGridLabels, &["coordinates", "axes", "axis", "metre labels", "ticks"]),
    (CommandId::ShowOrHideTheScaleBar, &["scale", "map scale", "length scale"]),
    (CommandId::ColourByTheNextQuantity, &["colour", "color", "robot colour", "recolour", "color by", "colormap"]),
    (
        CommandId::ShowOrHideTheView,
        &[
            "settings",
            "view settings",
            "view panel",
            "preferences",
            "options",
            "overlays",
            "layers",
            "display options",
            "view options",
            "what is drawn",
        ],
    ),
    (
        CommandId::DriveOrStopDriving,
        &[
            "drive",
            "joystick",
            "gamepad",
            "steer",
            "control robot",
            "remote control",
            "teleoperate",
            "manual control",
            "wasd",
        ],
    ),
    (CommandId::SelectTheNextRobot, &["next agent", "cycle"]),
    (CommandId::SelectThePreviousRobot, &["previous agent", "robot before"]),
    (CommandId::CloseOrDeselect, &["deselect", "unselect", "cancel", "escape", "clear selection", "select nothing"]),
    (CommandId::ShowTheSelection, &["zoom to selection", "focus", "find robot", "go to selection"]),
    (CommandId::SelectAndMove, &["select", "pointer", "cursor", "move", "drag", "rotate", "turn", "arrow tool"]),
    (
        CommandId::SpawnRobots,
        &[
            "robot",
            "robots",
            "add",
            "spawn",
            "add robot",
            "new robot",
            "create robot",
            "insert",
            "place robot",
            "more robots",
        ],
    ),
    (CommandId::DrawWalls, &["wall", "walls", "add wall", "barrier", "fence", "line"]),
    (CommandId::DrawObstacles, &["obstacle", "obstacles", "add obstacle", "box", "rock", "block"]),
    (CommandId::DrawRegions, &["region", "zone", "area"]),
    (CommandId::PlaceGoals, &["goal", "target", "destination", "add goal"]),
    (CommandId::PlaceLights, &["lamp", "light source", "beacon", "add light"]),
    (CommandId::Erase, &["eraser", "rubber"]),
    (
        CommandId::BreakOrRepairRobots,
        &["fault", "failure", "break", "failures", "faults", "kill", "damage", "fail", "defect", "disable robot"],
    ),
    (CommandId::Measure, &["ruler", "distance", "length", "tape", "bearing", "how far"]),
    (CommandId::SnapOrNot, &["snap", "align to grid", "snap to grid"]),
    (CommandId::DefaultToolSettings, &["reset tools"]),
    (CommandId::SelectAllRobots, &["select all", "select everything", "all robots"]),
    (CommandId::RemoveTheSelection, &["delete", "remove", "delete robot", "remove robot", "trash", "delete selection"]),
    (CommandId::RemoveAllObjects, &["delete all", "clear", "remove walls", "clear arena"]),
    (
        CommandId::ListKeys,
        &[
            "help",
            "shortcuts",
            "shortcut",
            "hotkeys",
            "keyboard",
            "keyboard shortcuts",
            "keys",
            "manual",
            "f1",
            "key bindings",
            "cheat sheet",
        ],
    ),
    (
        CommandId::TakeTheTour,
        &["help", "tour", "tutorial", "introduction", "getting started", "welcome", "first steps", "guide", "learn"],
    ),
    (CommandId::EditTheKeys, &["change keys", "rebind", "customise keys", "customize keys", "remap", "keymap"]),
    (CommandId::FindAnAction, &["palette", "command palette", "command", "commands", "search actions"]),
    (
        CommandId::HideOrShowPanels,
        &["hide panels", "panels", "zen", "presentation", "hide everything", "only the world", "hide interface"],
    ),
    (CommandId::ShowOrHideTheEvents, &["log", "event log", "messages", "what happened"]),
    (CommandId::ShowOrHideTheConsole, &["console", "print", "output", "script errors", "debug"]),
    (
        CommandId::ShowOrHideTheScript,
        &["script", "scripts", "code", "code editor", "program", "luau", "lua", "edit script", "source code"],
    ),
    (CommandId::ShowOrHideTheMessages, &["notifications", "notices", "toasts", "errors", "message log"]),
    (CommandId::ShowUnsavedWork, &["recover", "recovery", "crash", "autosave", "lost work"]),
    (CommandId::ShowOrHideTheChanges, &["history", "edits", "edit history", "change log"]),
    (CommandId::HideOrShowTheGallery, &["gallery", "scenes", "examples", "demos", "samples"]),
    (CommandId::HideOrShowTheWorldTree, &["tree", "outline", "hierarchy", "world tree", "objects list"]),
    (CommandId::HideOrShowTheInspector, &["inspector", "details", "properties", "info", "robot state"]),
    (CommandId::HideOrShowTheParameters, &["parameters", "sliders", "controls"]),
    (CommandId::HideOrShowThePlots, &["plot", "plots", "graph", "chart", "graphs", "charts", "curves", "diagram"]),
    (
        CommandId::RestoreLayout,
        &["default layout", "reset layout", "layout", "reset windows", "reset panels", "arrange"],
    ),
    (CommandId::FullScreen, &["fullscreen", "full-screen", "maximise", "maximize", "kiosk"]),
    (
        CommandId::LightColours,
        &[
            "light",
            "light mode",
            "white",
            "bright",
            "day mode",
            "light theme",
            "theme",
            "appearance",
            "for print",
            "white background",
        ],
    ),
    (CommandId::DarkColours, &["dark mode", "dark", "night mode", "black", "dark theme", "theme", "appearance"]),
    (
        CommandId::LargerInterface,
        &[
            "font size",
            "ui scale",
            "text size",
            "bigger text",
            "larger text",
            "scale interface",
            "font",
            "increase font",
            "dpi",
            "accessibility",
        ],
    ),
    (CommandId::SmallerInterface, &["smaller text", "decrease font", "compact"]),
    (CommandId::InterfaceAtItsNormalSize, &["normal text size", "reset font", "reset zoom of interface"]),
    (CommandId::TurnVerticalSyncOnOrOff, &["vsync", "v-sync", "vertical sync", "tearing"]),
    (CommandId::DrawEveryStep, &["no skipped frames"]),
    (CommandId::Quit, &["exit", "close", "leave", "end program", "close window"]),
];

/// Returns the synonyms of the command with a title.
pub fn of(title: &str) -> &'static [&'static str] {
    SYNONYMS.iter().find(|(command, _)| command.command().title == title).map_or(&[], |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_command_has_each_synonym_once() {
        let mut ids = BTreeSet::new();
        for (id, words) in SYNONYMS {
            let mut all = BTreeSet::new();
            assert!(ids.insert(id), "{id:?} stands here twice");
            for word in *words {
                assert_eq!(word.to_lowercase(), *word);
                assert!(all.insert(word), "{id:?}: {word:?} stands here twice");
            }
        }
    }
}
