//! Imports point down: a module uses only modules that stand below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The crates from the ground up, and the modules of each from the ground up. Modules of one line do not use each other.
///
/// Cargo keeps the order of the crates. The root of a crate holds the words that its modules share; it and they may use each
/// other, except in [`ROOT_ABOVE`].
const HOUSE: &[(&str, &[&str])] = &[
    ("base", &["date encoding files id limits names plain problem sensor_layout variant", "math xml"]),
    (
        "space",
        &[
            "cells color diffusion ellipse field helpers hit polygon",
            "arena bodies grid sector",
            "index",
            "ray_shapes",
            "ray_grid",
            "solid",
            "cell_grid collide overlap proximity_cache surroundings sweep thing",
            "scalar_field",
            "classic floor",
            "beam halt ray visibility",
            "grasp",
            "pushing",
        ],
    ),
    (
        "script",
        &[
            "error face input native",
            "library",
            "api",
            "analysis wrapper",
            "declarations",
            "machine",
            "machines program",
            "argos",
        ],
    ),
    ("svg", &["css error", "path", "element", "reader", "outline"]),
    ("picture", &["blend camera dashes fonts", "palette", "cells", "pdf svg"]),
    (
        "core",
        &[
            "driving kind reflected",
            "declared service text",
            "state",
            "events expression random",
            "noise spawner time",
            "agent component",
            "actuator step",
            "field leds metric motion radio",
            "sensor",
            "controller",
            "object",
            "gripper",
        ],
    ),
    ("scene", &["scene", "agent_view component", "check"]),
    (
        "draw",
        &[
            "placement view",
            "caption",
            "chart legend scale",
            "color_by density fields occupancy",
            "past scenery",
            "beliefs commands connections ids links trails velocities voronoi",
            "forecast",
            "moment",
        ],
    ),
    ("simulation", &["population read_view recipe", "engine", "edit", "simulation", "batch clients reads", "column"]),
    ("host", &["speed", "timeline", "aim clock"]),
    ("page", &["numbers series sketch", "items shapes", "recorder", "write"]),
    ("kinds", &["actuator behaviour motion noise sensor spawner", "controller", "metric"]),
    (
        "robotswarmsimulator",
        &[
            "scalar static_objects",
            "language",
            "expression jinja sources",
            "term yaml",
            "fields",
            "external object saved",
            "sensor",
            "controller",
            "agent",
            "table",
            "metric spawner",
            "world",
        ],
    ),
    ("formats", &["archive referenced_files standard templates", "import", "share", "export load"]),
    (
        "remote",
        &[
            "edit_queue ids json link token",
            "error line",
            "directory jobs",
            "request_handler server",
            "communication scenery streams sync time traffic",
            "supervision",
            "answer commands connections requests steps",
        ],
    ),
    (
        "video",
        &[
            "changed growing rate text",
            "painter",
            "panes",
            "format",
            "ffmpeg gif mp4 png",
            "apng",
            "encoder",
            "recorder",
        ],
    ),
    (
        "figure",
        &[
            "absence label outlines scripts ticks",
            "page",
            "axis key paper",
            "frame",
            "beyond plane topic",
            "bars boxes curves heat scatter",
            "csv layout",
        ],
    ),
    (
        "sweep",
        &[
            "controllers plan slurm stats",
            "sampling",
            "resolved",
            "driver",
            "run",
            "log",
            "folder summary",
            "identical results source",
            "address tables work",
            "charts",
            "report",
        ],
    ),
    (
        "python",
        &[
            "builder_script error table",
            "memory picture source view",
            "rows run turns",
            "batch simulation",
            "driver queries",
            "program",
        ],
    ),
    (
        "lab_state",
        &[
            "common",
            "action",
            "notice",
            "run",
            "view",
            "plots",
            "timeline",
            "edit",
            "compare",
            "files",
            "shell sweeps",
            "forecasts",
            "app",
        ],
    ),
    (
        "lab_panels",
        &[
            "begin changes clients command_actions dialogs dock driving drop group_color sheet",
            "figure_export notes notices parameters plots presets resolved script swatch thumbnails tour",
            "catalogue events gallery menus messages recording sweep timeline tools tree view",
            "compare help inspector keys status transport unsaved",
            "mark_legend palette timing",
            "world",
            "dispatch",
            "frame",
        ],
    ),
    ("lab", &["window"]),
];

/// The crates without a place in the order: the derive macro, helpers of tests, and the program that builds the book.
const WITHOUT_PLACE: [&str; 4] = ["book", "derive", "lab_testing", "testing"];

/// The crates whose root stands above all modules: these must not use it.
const ROOT_ABOVE: [&str; 3] = ["lab_state", "lab_panels", "lab"];

/// The modules of a crate: the text of each by its path without `.rs`, such as `scene/path`; the root of the crate is empty.
struct Modules(BTreeMap<String, String>);

impl Modules {
    fn of(source: &Path) -> Self {
        let mut modules = BTreeMap::new();
        let mut folders = vec![source.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let name = path.strip_prefix(source).unwrap().with_extension("");
                    let name = name.to_str().unwrap().replace('\\', "/");
                    let name = if name == "lib" { String::new() } else { name };
                    modules.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
        Self(modules)
    }

    /// The module in which the item of a path is, as seen from a module; `None` for paths to other crates and to the root.
    fn target(&self, from: &str, path: &str) -> Option<String> {
        let mut segments = path.split("::").map(str::trim).peekable();
        let mut at: Vec<&str> = match *segments.peek()? {
            "crate" => Vec::new(),
            "self" | "super" => from.split('/').collect(),
            _ => return None,
        };
        while let Some(segment) = segments.next_if(|segment| ["crate", "self", "super"].contains(segment)) {
            if segment == "super" {
                at.pop();
            }
        }
        let mut found = None;
        for segment in segments {
            at.push(segment);
            found = Some(at.join("/")).filter(|name| self.0.contains_key(name)).or(found);
        }
        found
    }

    /// Whether a path leads to an item of the root, as seen from a module.
    fn is_in_root(&self, from: &str, path: &str) -> bool {
        let depth = from.split('/').count();
        let segments: Vec<&str> = path.split("::").map(str::trim).collect();
        let climbs = segments.iter().take_while(|segment| ["self", "super"].contains(segment)).count();
        let supers = segments.iter().take(climbs).filter(|segment| **segment == "super").count();
        let rest = match segments[0] {
            "crate" => &segments[1..],
            "super" if supers == depth => &segments[climbs..],
            _ => return false,
        };
        rest.first().is_some_and(|first| !self.0.contains_key(*first))
    }

    /// The imports between different modules that do not point down, with the file and the line of the first one: one for
    /// each pair of modules of the crate. With `root_above`, the root may use all modules, and no module the root.
    fn pointing_up(&self, order: &[&str], root_above: bool) -> BTreeMap<(String, String), (String, usize)> {
        let mut up = BTreeMap::new();
        for (name, text) in &self.0 {
            if name.is_empty() || name.split('/').any(|part| ["tests", "testing", "fixture"].contains(&part)) {
                continue;
            }
            // Tests may use everything; they are the last item of a file.
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let text = text.split("#[cfg(test)]\npub(super) mod fixture {").next().unwrap_or_default();
            for (line, path) in imports(text) {
                if root_above && self.is_in_root(name, &path) {
                    up.entry((top(name).to_owned(), "the root".into())).or_insert_with(|| (name.clone(), line));
                }
                let Some(target) = self.target(name, &path) else { continue };
                let [from, to] = [name, &target].map(|name| top(name).to_owned());
                if from != to && rank(order, &to) >= rank(order, &from) {
                    up.entry((from, to)).or_insert_with(|| (name.clone(), line));
                }
            }
        }
        up
    }
}

/// The module of a crate that another one belongs to: `scene` for `scene/path`.
fn top(module: &str) -> &str {
    module.split('/').next().unwrap_or_default()
}

/// The place of a module in the order of a crate.
fn rank(order: &[&str], module: &str) -> usize {
    let rank = order.iter().position(|line| line.split_whitespace().any(|entry| entry == module));
    rank.unwrap_or_else(|| panic!("`{module}` has no place in the order of modules: add it to {}", file!()))
}

/// The paths that a text imports or names from the root of the crate, with their lines.
fn imports(text: &str) -> Vec<(usize, String)> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let line_of = |at: usize| code[..at].matches('\n').count() + 1;
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let begins_item = code[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || before == ')');
        let Some(end) = code[at..].find(';').filter(|_| begins_item) else { continue };
        let mut paths = Vec::new();
        expand("", &code[at + "use ".len()..at + end], &mut paths);
        found.extend(paths.into_iter().map(|path| (line_of(at), path)));
    }
    for (at, _) in code.match_indices("crate::") {
        let path =
            code[at..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next().unwrap_or_default();
        found.push((line_of(at), path.trim_end_matches(':').to_owned()));
    }
    found
}

/// Takes the braces of an import apart.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('{') {
            Some((head, rest)) => {
                let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
                expand(&format!("{prefix}{head}"), inside, paths);
            }
            None => paths.push(format!("{prefix}{}", part.split(" as ").next().unwrap_or(part))),
        }
    }
}

#[test]
fn imports_point_down() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut list = String::new();
    for (name, order) in HOUSE {
        for ((from, to), (file, line)) in Modules::of(&source.join(name)).pointing_up(order, ROOT_ABOVE.contains(name))
        {
            _ = writeln!(list, "src/{name}/{file}.rs:{line}: {from} uses {to}");
        }
    }
    assert!(list.is_empty(), "imports point up:\n{list}");
}

#[test]
fn crates_use_only_crates_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (place, (name, _)) in HOUSE.iter().enumerate() {
        let manifest = fs::read_to_string(source.join(name).join("Cargo.toml")).unwrap();
        let own = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        for (above, _) in &HOUSE[place..] {
            assert!(!depends_on(own, above), "src/{name}/Cargo.toml names swarmarium_{above}");
        }
    }
    // The kinds reach these by the recipe alone.
    for name in ["core", "lab", "lab_panels", "lab_state", "remote", "video"] {
        let manifest = fs::read_to_string(source.join(name).join("Cargo.toml")).unwrap();
        let own = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        assert!(!own.contains("swarmarium_kinds"), "src/{name}/Cargo.toml names the kinds");
    }
}

/// Whether a manifest has a line for a crate of the workspace: `swarmarium_base.workspace = true`, or one with braces.
fn depends_on(manifest: &str, name: &str) -> bool {
    let rest = |line: &'_ str| {
        line.strip_prefix("swarmarium_")?.strip_prefix(name).map(|rest| rest.starts_with(['.', ' ', '=']))
    };
    manifest.lines().any(|line| rest(line) == Some(true))
}

#[test]
fn every_crate_has_a_place_in_the_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = manifest.lines().find(|line| line.starts_with("members = ")).unwrap();
    let members: BTreeSet<&str> = members.split('"').filter_map(|member| member.strip_prefix("src/")).collect();
    let ordered: BTreeSet<&str> = HOUSE.iter().map(|(name, _)| *name).chain(WITHOUT_PLACE).collect();
    assert_eq!(members, ordered);
}

#[test]
fn dependencies_are_found_in_all_their_forms() {
    let manifest = "swarmarium_sweep = { workspace = true }\nswarmarium_lab_state.workspace = true\n";
    assert!(depends_on(manifest, "sweep"));
    assert!(depends_on(manifest, "lab_state"));
    assert!(!depends_on(manifest, "lab"));
}

#[test]
fn imports_are_found_in_all_their_forms() {
    let text =
        "pub use crate::a::{B, c::{D as E, self}};\n// use crate::f;\nlet x = crate::g::h(1);\nuse super::i::*;\n";
    let found = [
        (1, "crate::a::B"),
        (1, "crate::a::c::D"),
        (1, "crate::a::c::self"),
        (4, "super::i::*"),
        (1, "crate::a"),
        (3, "crate::g::h"),
    ];
    assert_eq!(imports(text), found.map(|(line, path)| (line, path.to_owned())));
    let modules = ["a", "a/c", "g", "g/h", "i"].map(|name| (name.to_owned(), String::new()));
    let modules = Modules(modules.into());
    let target = |from, path| modules.target(from, path).unwrap_or_default();
    assert_eq!(target("g", "crate::a::c::D"), "a/c");
    assert_eq!(target("g/h", "super::super::i::*"), "i");
    assert_eq!(target("g", "self::h::X"), "g/h");
    assert_eq!(target("g", "bevy::prelude"), "");
    let texts = [("a", "use crate::b::X;\n"), ("b", "\nuse super::a::Y;\n"), ("c", "")];
    let modules = Modules(texts.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    let pair = |from: &str, to: &str, line: usize| ((from.to_owned(), to.to_owned()), (from.to_owned(), line));
    assert_eq!(modules.pointing_up(&["a", "b c"], false), [pair("a", "b", 1)].into());
    assert_eq!(modules.pointing_up(&["a b c"], false), [pair("a", "b", 1), pair("b", "a", 2)].into());
    let texts = [("a", "use super::X;\n"), ("a/b", "use super::Y;\nuse crate::Z;\n"), ("c", "use crate::a::X;\n")];
    let modules = Modules(texts.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    assert_eq!(modules.pointing_up(&["a", "c"], false), [].into());
    let to_root = |file: &str, line: usize| (("a".to_owned(), "the root".to_owned()), (file.to_owned(), line));
    assert_eq!(modules.pointing_up(&["a", "c"], true), [to_root("a", 1)].into());
}

/// The calls that open files, which block for a pipe, and never end for some devices.
const OPENING: [&str; 8] = [
    "File::open(",
    "File::create(",
    "File::options(",
    "OpenOptions::new(",
    "fs::read(",
    "fs::read_to_string(",
    "fs::write(",
    "fs::copy(",
];

/// The modules that open files themselves: the one that all others use, a file of the system, and tools of the repository.
const MAY_OPEN: [&str; 3] = ["base/files", "cli/bench/measure", "testing/"];

#[test]
fn files_are_opened_in_one_place() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = String::new();
    for (name, text) in Modules::of(&source).0 {
        let is_test = name.ends_with("/tests") || name.contains("/tests/");
        if is_test || name.starts_with("book/") || MAY_OPEN.iter().any(|module| name.starts_with(module)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let opens = |line: &str| {
            let line = line.trim_start().replace("GrowingFile::", "");
            // Options are passed to the one function that opens.
            let passes_options = line.contains("open_with(");
            !line.starts_with("//") && !passes_options && OPENING.iter().any(|call| line.contains(call))
        };
        for (number, line) in code.lines().enumerate().filter(|(_, line)| opens(line)) {
            _ = writeln!(found, "src/{name}.rs:{}: {}", number + 1, line.trim());
        }
    }
    assert!(
        found.is_empty(),
        "use `swarmarium_base::files` (`open`, `open_with`, `read_at_most`, `write_whole`):\n{found}"
    );
}
