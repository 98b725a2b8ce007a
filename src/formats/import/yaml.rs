//! Files in YAML: maps of ROS, and worlds of RobotSwarmSimulator. Their content tells which of them they are.

#[cfg(feature = "robotswarmsimulator")]
use swarmarium_base::problem::folded;
use swarmarium_base::problem::{Place, Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::shown;

use super::{Imported, Options, ros, text_of};
use crate::referenced_files::ros_map::{self, Entry};

/// Fields of worlds of RobotSwarmSimulator and of their parts, of which each has at least one.
const WORLD_FIELDS: [&str; 21] = [
    "type",
    "size",
    "time_step",
    "seed",
    "agents",
    "spawners",
    "metrics",
    "objects",
    "metadata",
    "background_color",
    "stop_at",
    "goals",
    "flags",
    "position",
    "angle",
    "name",
    "controller",
    "sensors",
    "team",
    "points",
    "agent",
];
/// The most fields that a message lists.
const MAX_LISTED: usize = 6;

/// Whether a file is a map of ROS, by its content.
pub fn is_map(content: &[u8]) -> bool {
    ros_map::is_map(&ros_map::entries(&text_of(content)))
}

/// Reads a map of ROS or a world of RobotSwarmSimulator.
///
/// # Errors
/// Lists all problems of the file. A file that is neither is refused with a message that says how both begin.
pub fn import(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    let entries = ros_map::entries(text);
    if ros_map::is_map(&entries) {
        return ros::import_map(kinds, source_name, text);
    }
    match neither(text, &entries) {
        Some(message) => {
            let place = entries.first().map(|entry| Place::of(text, entry.at));
            let problem = Problem { place, ..Problem::of_file(message) };
            Err(Problems { source_name: source_name.to_owned(), problems: vec![problem] })
        }
        None => world(kinds, source_name, text, options),
    }
}

#[cfg(feature = "robotswarmsimulator")]
fn world(
    kinds: &Kinds,
    source_name: &str,
    text: &str,
    Options { variables, allow_outside, .. }: &Options,
) -> Result<Imported, Problems> {
    let (variables, allow_outside) = (variables.clone(), *allow_outside);
    let options = swarmarium_robotswarmsimulator::Options { variables, allow_outside };
    let refuse = |Problems { source_name, problems }| Problems { source_name, problems: folded(problems) };
    let swarmarium_robotswarmsimulator::Imported { scene, warnings, included } =
        swarmarium_robotswarmsimulator::import(kinds, source_name, text, &options).map_err(refuse)?;
    Ok(Imported { scene, warnings: folded(warnings), included })
}

#[cfg(not(feature = "robotswarmsimulator"))]
fn world(_: &Kinds, source_name: &str, _: &str, _: &Options) -> Result<Imported, Problems> {
    let message = "is not a ROS map, and this build has no importer for worlds of RobotSwarmSimulator; \
                   build with `--features robotswarmsimulator`";
    Err(Problems::of_file(source_name, message))
}

/// The message about a file that is neither; `None` if it can be a world.
fn neither(text: &str, entries: &[Entry]) -> Option<String> {
    let is_template = ["{%", "{{", "<%", "<{", "!include", "<<"].iter().any(|mark| text.contains(mark));
    let keys = entries.iter().map(|entry| entry.key);
    let can_be_world = entries.is_empty() || keys.clone().any(|key| WORLD_FIELDS.contains(&key));
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
