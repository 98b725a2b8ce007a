//! Everyday words for commands: people type what they mean, and the palette knows what it is called here.

/// Everyday words in small letters, by the title of the command.
pub static SYNONYMS: &[(&str, &[&str])] = &[
    (
        "Play or pause",
        &["play", "pause", "stop", "run", "start", "resume", "continue", "halt", "freeze", "go", "run simulation"],
    ),
    ("Step", &["single step", "one step", "advance", "next frame", "frame by frame"]),
    ("Ten steps", &["skip ahead"]),
    ("Slower", &["slow", "slow down", "slow motion", "decrease speed", "half speed"]),
    ("Faster", &["speed", "fast", "speed up", "fast forward", "accelerate", "increase speed", "double speed"]),
    ("Real time", &["normal speed", "realtime", "1x"]),
    ("Unlimited speed", &["maximum speed", "full speed", "turbo", "as fast as possible"]),
    ("Time and statistics", &["performance", "fps", "frame rate", "lag", "profiler", "real-time factor"]),
    ("Step back", &["rewind", "back one step", "previous frame", "reverse", "step backwards", "scrub"]),
    ("Ten steps back", &["jump back"]),
    ("Go to the start", &["beginning", "first frame", "rewind to the start"]),
    ("Go to the live end", &["live", "latest", "last frame", "present", "now"]),
    ("Back to when", &["find moment", "search timeline", "when did it happen", "time travel", "find collision"]),
    ("Export the clip", &["clip", "part of the video", "export range"]),
    ("Add a bookmark", &["bookmark", "mark moment", "marker", "remember this moment"]),
    ("Begin a branch here", &["branch", "fork", "what if", "alternative future"]),
    ("Copy a link to this moment", &["link", "share moment", "address"]),
    ("Loop the range", &["repeat", "loop"]),
    ("Reset", &["restart", "start again", "start over", "back to start", "begin again", "reload simulation"]),
    ("Reset with new seed", &["seed", "new seed", "random seed", "reroll", "shuffle", "another run"]),
    ("Revert all changes", &["discard changes", "original scene", "reset everything", "factory reset"]),
    ("Find a parameter", &["parameter", "search parameters", "find", "search", "change a value", "tune"]),
    ("Restore all parameters", &["default values", "defaults", "reset parameters", "original values"]),
    ("Randomise the parameters", &["random", "randomize", "mutate", "vary", "dice", "surprise me"]),
    ("Pause no more by itself", &["breakpoint", "stop condition"]),
    ("Show or hide the legend", &["key of plots", "line names"]),
    ("Undo", &["back", "revert", "take back", "oops"]),
    ("Redo", &["again"]),
    ("Undo all changes", &["undo everything"]),
    ("Repair all robots", &["fix robots", "heal", "revive", "mend"]),
    ("New scene", &["new", "new file", "empty scene", "create scene", "blank", "new world"]),
    ("Open file", &["load", "open", "import", "browse", "load scene", "open scene"]),
    ("Reload file", &["refresh", "reread"]),
    ("Save scene", &["save", "store", "write file", "keep scene"]),
    ("Save scene as", &["save copy", "rename"]),
    (
        "Save present positions as scene",
        &["save scene as it stands", "snapshot", "save state", "save positions", "checkpoint"],
    ),
    ("Save run as folder", &["save run", "replay", "save replay", "save edits"]),
    ("Export plots as CSV", &["export", "csv", "table", "spreadsheet", "excel", "data", "save data", "export data"]),
    ("Export plots as PNG", &["save chart", "export graph", "export chart"]),
    ("Start or stop recording", &["record", "video", "film", "movie", "animation", "gif", "mp4", "capture video"]),
    ("Recording settings", &["video settings", "resolution", "codec", "video size"]),
    ("Choose the folder of recordings", &["output folder", "video folder", "save location"]),
    (
        "Save a picture of the view",
        &["picture", "image", "photo", "png", "snap picture", "save image", "screenshot of the view"],
    ),
    (
        "Save a picture of the window",
        &["screenshot", "screen shot", "capture screen", "print screen", "screen capture"],
    ),
    ("Show the resolved scene", &["source", "scene text", "ron", "code", "show scene file"]),
    ("Compare with a changed parameter", &["compare", "side by side", "split screen", "a/b", "second world", "versus"]),
    ("Choose what is compared", &["comparison settings"]),
    (
        "Show the whole arena",
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
    ("Follow or stay", &["follow", "track", "camera", "chase", "lock camera", "keep in view"]),
    ("Zoom in", &["zoom", "magnify", "closer", "enlarge", "bigger view"]),
    ("Zoom out", &["farther", "further away", "shrink view"]),
    ("Move the view left", &["pan", "scroll", "pan left"]),
    ("Move the view right", &["pan right"]),
    ("Move the view up", &["pan up"]),
    ("Move the view down", &["pan down"]),
    ("Show or hide sensors", &["sensors", "field of view", "fov", "vision", "sight", "cones", "perception"]),
    ("Show or hide the grid", &["grid", "grid lines", "graph paper"]),
    ("Show or hide metrics", &["metrics", "hull", "measurements"]),
    ("Show or hide trails", &["trail", "path", "paths", "trajectory", "trajectories", "traces", "tracks", "tail"]),
    ("Show or hide links", &["lines between robots", "sees whom", "sight lines"]),
    ("Show or hide connections", &["radio", "network", "communication", "edges", "connectivity"]),
    ("Show or hide estimates", &["beliefs", "uncertainty", "localisation", "localization"]),
    ("Show or hide plans", &["goals of robots", "intent", "supervisor", "waypoints"]),
    ("Show or hide ids", &["id", "numbers", "labels", "identifiers", "label", "robot numbers"]),
    ("Show or hide velocities", &["velocity", "arrows", "vectors", "velocity vectors"]),
    ("Show or hide names", &["name", "robot names"]),
    ("Show or hide commands", &["wanted velocity", "control signals", "actuator commands"]),
    ("Show or hide the density", &["heatmap", "heat map", "density", "crowding", "concentration"]),
    ("Show or hide the occupancy", &["coverage", "visited", "occupancy", "time spent"]),
    ("Show or hide the Voronoi diagram", &["voronoi", "cells", "territories", "tessellation", "partition"]),
    ("Show or hide the Delaunay triangulation", &["delaunay", "triangles", "mesh", "neighbours", "neighbors"]),
    ("Show or hide grid labels", &["coordinates", "axes", "axis", "metre labels", "ticks"]),
    ("Show or hide the scale bar", &["scale", "map scale", "length scale"]),
    ("Colour by the next", &["colour", "color", "robot colour", "recolour", "colour by", "color by", "colormap"]),
    (
        "Show or hide the view panel",
        &[
            "settings",
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
        "Drive or stop driving",
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
    ("Select the next robot", &["next agent", "cycle"]),
    ("Select the previous robot", &["previous agent", "robot before"]),
    ("Close or deselect", &["deselect", "unselect", "cancel", "escape", "clear selection", "select nothing"]),
    ("Show the selection", &["zoom to selection", "focus", "find robot", "go to selection"]),
    ("Select and move", &["select", "pointer", "cursor", "move", "drag", "rotate", "turn", "arrow tool"]),
    (
        "Spawn robots",
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
    ("Draw walls", &["wall", "walls", "add wall", "barrier", "fence", "line"]),
    ("Draw obstacles", &["obstacle", "obstacles", "add obstacle", "box", "rock", "block"]),
    ("Draw regions", &["region", "zone", "area"]),
    ("Place goals", &["goal", "target", "destination", "add goal"]),
    ("Place lights", &["lamp", "light source", "beacon", "add light"]),
    ("Erase", &["eraser", "rubber"]),
    (
        "Break or repair robots",
        &["fault", "failure", "break", "failures", "faults", "kill", "damage", "fail", "defect", "disable robot"],
    ),
    ("Measure", &["ruler", "distance", "length", "tape", "bearing", "how far"]),
    ("Snap or not", &["snap", "align to grid", "snap to grid"]),
    ("Usual settings of the tools", &["reset tools"]),
    ("Select all robots", &["select all", "select everything", "all robots"]),
    ("Remove the selection", &["delete", "remove", "delete robot", "remove robot", "trash", "delete selection"]),
    ("Remove all objects", &["delete all", "clear", "remove walls", "clear arena"]),
    (
        "List keys",
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
        "Take the tour",
        &["help", "tour", "tutorial", "introduction", "getting started", "welcome", "first steps", "guide", "learn"],
    ),
    ("Edit the keys", &["change keys", "rebind", "customise keys", "customize keys", "remap", "keymap"]),
    ("Find an action", &["palette", "command palette", "command", "commands", "search actions"]),
    (
        "Hide or show panels",
        &["hide panels", "zen", "presentation", "hide everything", "only the world", "hide interface"],
    ),
    ("Show or hide the log", &["log", "events", "messages", "console", "what happened"]),
    ("Show or hide the changes", &["history", "edits", "edit history", "change log"]),
    ("Hide or show the gallery", &["gallery", "scenes", "examples", "demos", "samples"]),
    ("Hide or show the world tree", &["tree", "outline", "hierarchy", "world tree", "objects list"]),
    ("Hide or show the inspector", &["inspector", "details", "properties", "info", "robot state"]),
    ("Hide or show the parameters", &["parameters", "sliders", "controls"]),
    ("Hide or show the plots", &["plot", "plots", "graph", "chart", "graphs", "charts", "curves", "diagram"]),
    ("Restore layout", &["default layout", "reset layout", "layout", "reset windows", "reset panels", "arrange"]),
    ("Full screen", &["fullscreen", "full-screen", "maximise", "maximize", "kiosk"]),
    (
        "Light colours",
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
    ("Dark colours", &["dark mode", "dark", "night mode", "black", "dark theme", "theme", "appearance"]),
    (
        "Larger interface",
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
    ("Smaller interface", &["smaller text", "decrease font", "compact"]),
    ("Interface at its normal size", &["normal text size", "reset font", "reset zoom of interface"]),
    ("Wait for the screen or not", &["vsync", "v-sync", "vertical sync", "tearing"]),
    ("Draw every step", &["no skipped frames"]),
    ("Quit", &["exit", "close", "leave", "end program", "close window"]),
];

/// The everyday words for the command with a title; none for what has no such command.
pub fn of(title: &str) -> &'static [&'static str] {
    SYNONYMS.iter().find(|(command, _)| *command == title).map_or(&[], |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::by_title;
    use super::*;

    #[test]
    fn each_title_is_a_command_and_has_each_word_once() {
        let mut titles = BTreeSet::new();
        for (title, words) in SYNONYMS {
            let mut all = BTreeSet::new();
            assert!(by_title(title).is_some(), "no command is called {title:?}");
            assert!(titles.insert(title), "{title:?} stands here twice");
            for word in *words {
                assert_eq!(word.to_lowercase(), *word);
                assert!(all.insert(word), "{title:?}: {word:?} stands here twice");
            }
        }
    }
}
