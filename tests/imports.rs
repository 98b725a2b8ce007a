//! Imports point down: a module uses only modules that stand below it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The modules from the ground up; modules of one line are of equal rank and may use each other. The entry with the longest
/// path counts for a module: `scene/path` stands below the rest of `scene`.
const ORDER: &[&str] = &[
    "limits math names files encoding id problem xml variant",
    "arena drawing space",
    "picture",
    "kind scene/outline scene/reader/wording scene/path scene/writer scene/reader",
    "state",
    "events random",
    "time service agent/body agent/look agent/placement step/order",
    "step",
    "agent noise radio",
    "draw",
    "sensor controller actuator object spawner metric",
    "scene",
    "step/caches step/guide step/sequential step/objects scene/spawn agent/fault agent/trail \
     agent_view",
    "draw/view draw/scenery draw/beliefs draw/moment draw/voronoi draw/density draw/occupancy \
     draw/caption draw/color_by draw/commands draw/connections draw/ids draw/links draw/trails draw/velocities draw/chart \
     draw/legend",
    "component edit",
    "simulation",
    "clock component/face draw/aim draw/past",
    "scene/import scene/export scene/load",
    "video remote",
    "lab",
    "bench",
    "cli",
];

/// The number of imports that still point up. It may only fall.
const POINTING_UP: usize = 39;

/// The modules of a crate: the text of each by its path without `.rs`, such as `scene/problem`.
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
                    modules.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
        Self(modules)
    }

    /// The module in which the item of a path is, as seen from a module; `None` for paths to other crates.
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

    /// The imports that point up, each as `src/FILE:LINE: FROM uses TO`.
    fn pointing_up(&self) -> Vec<String> {
        let mut up = Vec::new();
        for (name, text) in &self.0 {
            if ["lib", "main"].contains(&name.as_str())
                || name.split('/').any(|part| ["tests", "testing"].contains(&part))
            {
                continue;
            }
            // Tests may use everything; they are the last item of a file.
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let text = text.split("#[cfg(test)]\npub(crate) mod tests {").next().unwrap_or_default();
            let mut targets = BTreeMap::new();
            for (line, path) in imports(text) {
                if let Some(target) = self.target(name, &path).filter(|target| rank(target) > rank(name)) {
                    targets.entry(target).or_insert(line);
                }
            }
            let shown = |(target, line): (String, usize)| format!("src/{name}.rs:{line}: {name} uses {target}");
            up.extend(targets.into_iter().map(shown));
        }
        up
    }
}

/// The rank of a module: the number of the line of [`ORDER`] that has it.
fn rank(module: &str) -> usize {
    let rank_of = |name: &str| ORDER.iter().position(|line| line.split_whitespace().any(|entry| entry == name));
    let mut name = module;
    loop {
        if let Some(rank) = rank_of(name) {
            return rank;
        }
        name = name.rsplit_once('/').unwrap_or_else(|| panic!("`{module}` has no place in the order of modules")).0;
    }
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
    let up = Modules::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).pointing_up();
    let mut list = String::new();
    up.iter().for_each(|line| _ = writeln!(list, "{line}"));
    assert!(up.len() <= POINTING_UP, "{} imports point up, {POINTING_UP} are allowed:\n{list}", up.len());
    assert!(up.len() == POINTING_UP, "only {} imports point up: lower POINTING_UP in {}", up.len(), file!());
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
}
