//! The scripts of a scene, each with the controllers that use it.

use swarmarium_core::text::shared::SharedText;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::path::steps;
use swarmarium_scene::scene::scripts::{ScriptOf, scripts};
use swarmarium_simulation::edit::Edit;

/// A script of a scene.
#[derive(Clone, Debug)]
pub struct Script {
    /// The name: that of its file, or else the path of the controller.
    pub name: String,
    /// The file, relative to the folder of the scene; empty for a script without a file.
    pub file: String,
    /// The paths of the controllers that use it.
    pub paths: Vec<String>,
    /// The text of the first of them.
    pub source: SharedText,
    /// Whether all of them have this text.
    pub is_uniform: bool,
}

impl Script {
    /// Returns the edits that give all its controllers a text.
    pub fn edits(&self, text: &str) -> Vec<Edit> {
        self.paths.iter().map(|path| Edit::Set { path: format!("{path}.source"), value: literal(text) }).collect()
    }

    /// Whether all its controllers have this text.
    pub fn has(&self, text: &str) -> bool {
        self.is_uniform && self.source.as_str() == text
    }
}

/// Returns the scripts of a scene, in the order of their first controllers. Controllers with the same file share one.
pub fn all(scene: &Scene) -> Vec<Script> {
    let mut found: Vec<Script> = Vec::new();
    for ScriptOf { path, file, source } in scripts(scene) {
        let name = if file.is_empty() { path.clone() } else { file.clone() };
        match found.iter_mut().find(|script| script.name == name) {
            Some(script) => {
                script.is_uniform &= script.source.as_str() == source.as_str();
                script.paths.push(path);
            }
            None => found.push(Script { name, file, paths: vec![path], source, is_uniform: true }),
        }
    }
    found
}

/// Returns the script with a name, or the one whose controller or text is at a path.
pub fn find(scene: &Scene, name: &str) -> Option<Script> {
    let path = controller_at(scene, name);
    let is_it = |script: &Script| script.name == name || path.as_ref().is_some_and(|path| script.paths.contains(path));
    all(scene).into_iter().find(is_it)
}

/// Returns the path of the controller at a path or around it, with the index of its group or object.
fn controller_at(scene: &Scene, path: &str) -> Option<String> {
    let steps: Vec<&str> = steps(path)?.into_iter().map(|(_, step)| step).collect();
    let [list, member, "controller", ..] = steps[..] else { return None };
    let by_name = || scene.groups.iter().position(|group| list == "groups" && group.name == member);
    let place = member.parse().ok().or_else(by_name)?;
    Some(format!("{list}[{place}].controller"))
}

/// Whether an edit sets the text of a script.
pub fn is_source(edit: &Edit) -> bool {
    matches!(edit, Edit::Set { path, .. } if path.ends_with(".controller.source"))
}

/// Whether an edit gives a script another text, or makes it the controller of a group.
pub fn is_source_of(scene: &Scene, edit: &Edit, script: &Script) -> bool {
    let Edit::Set { path, .. } = edit else { return false };
    let controller = path.strip_suffix(".source").or_else(|| path.ends_with(".controller").then_some(path));
    controller.and_then(|path| controller_at(scene, path)).is_some_and(|path| script.paths.contains(&path))
}

/// Returns a text as a scene file writes it.
pub fn literal(text: &str) -> String {
    // A text can always be written.
    ron::to_string(text).unwrap_or_default()
}

/// Returns the line that a message about a script names, counted from 1: the number after the name of the file, or else
/// after the word "line".
pub fn line_of(message: &str, file: &str) -> Option<usize> {
    let number = |text: &str| {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..digits].parse().ok().filter(|line| *line > 0)
    };
    let after = |start: &str| message.match_indices(start).find_map(|(at, start)| number(&message[at + start.len()..]));
    let of_file = if file.is_empty() { None } else { after(&format!("{file}:")) };
    of_file.or_else(|| after("line "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_messages_about_scripts() {
        assert_eq!(line_of("orbit.luau:7: attempt to add", "orbit.luau"), Some(7));
        assert_eq!(line_of("line 12: expected `end`", "orbit.luau"), Some(12));
        assert_eq!(line_of("groups.a: orbit.luau:3: no line 9", "orbit.luau"), Some(3));
        assert_eq!(line_of("the script is too long", "orbit.luau"), None);
    }
}
