//! RobotSwarmSimulator worlds. Every file in YAML that is not a ROS map is read as one.

use swarmarium_base::problem::{Place, Problem, Problems, folded};
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::shown;
use swarmarium_robotswarmsimulator as worlds;

use super::{Imported, Options};
use crate::referenced_files::ros_map::{self, Entry};

/// The most fields that a message lists.
const MAX_LISTED: usize = 6;

/// Reads a world.
///
/// # Errors
/// Lists all problems of the file. A file that is neither a ROS map nor a world is refused with a message that says how
/// both begin.
pub fn import(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    let entries = ros_map::entries(text);
    if let Some(message) = neither(text, &entries) {
        let place = entries.first().map(|entry| Place::of(text, entry.at));
        let problem = Problem { place, ..Problem::of_file(message) };
        return Err(Problems { source_name: source_name.to_owned(), problems: vec![problem] });
    }
    let options = worlds::Options { variables: options.variables.clone(), allow_outside: options.allow_outside };
    let refuse = |Problems { source_name, problems }| Problems { source_name, problems: folded(problems) };
    let worlds::Imported { scene, warnings, included } =
        worlds::import(kinds, source_name, text, &options).map_err(refuse)?;
    Ok(Imported { scene, warnings: folded(warnings), included })
}

/// The message about a file that is neither; `None` if it can be a world.
fn neither(text: &str, entries: &[Entry]) -> Option<String> {
    let is_template = ["{%", "{{", "<%", "<{", "!include", "<<"].iter().any(|mark| text.contains(mark));
    let keys = entries.iter().map(|entry| entry.key);
    let can_be_world = entries.is_empty() || keys.clone().any(worlds::is_field);
    if is_template || can_be_world {
        return None;
    }
    let more = if entries.len() > MAX_LISTED { ", …" } else { "" };
    let keys: Vec<String> = keys.take(MAX_LISTED).map(|key| format!("`{}`", shown(key))).collect();
    let hint = match text.contains("ros__parameters") {
        true => ". These are parameters of ROS nodes: a map is the file that `yaml_filename` names",
        false => "",
    };
    Some(format!(
        "is neither a ROS map, which has `image`, `resolution` and `origin`, nor a RobotSwarmSimulator world, which has \
         `type: RectangularWorld`, `agents` or `spawners`: found {}{more}{hint}",
        keys.join(", ")
    ))
}
