//! RobotSwarmSimulator worlds (`swarmsim` 1.2.5), written in YAML 1.1.
//!
//! Positions, angles and the order of steps carry over exactly. A part of a file that does not carry over is a warning if the
//! file has nearly the same meaning without it, and otherwise a problem.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_scene::scene::description::Scene;

use self::fields::{Reader, Spot};
use self::sources::Sources;

mod agent;
mod controller;
mod expression;
mod external;
mod fields;
mod jinja;
mod language;
mod metric;
mod object;
mod saved;
mod scalar;
mod sensor;
mod sources;
mod spawner;
mod static_objects;
mod table;
mod term;
mod world;
mod yaml;

/// A scene made from a world.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scene.
    pub scene: Scene,
    /// Losses and assumptions, in the order of the text.
    pub warnings: Vec<Problem>,
    /// The files that the world includes, without links, each once.
    pub included: Vec<PathBuf>,
}

/// Options of the importer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Variables of templates with their values, in the order in which they were given.
    pub variables: Vec<(String, String)>,
    /// Whether files can include files outside the folder of the world.
    pub allow_outside: bool,
}

/// Whether worlds, agents, spawners or objects have a field of this name.
pub fn is_field(name: &str) -> bool {
    let keys = [world::WORLD_KEYS, agent::AGENT_KEYS, spawner::KEYS, object::OBJECT_KEYS];
    keys.into_iter().flatten().any(|key| key.name == name)
}

/// Reads a world as a scene. The name of the scene is that of the file.
///
/// # Errors
/// Lists all problems of the file.
pub fn import(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    let path = Path::new(source_name);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut sources = Sources::new(options);
    let text = sources.world(source_name, text.trim_start_matches('\u{feff}'));
    let root = text.and_then(|text| yaml::read(&mut sources, &text));
    let mut reader = Reader::new(kinds, sources, path.parent().unwrap_or(path));
    // Problems of the tree are reported before problems of the world.
    let root = root.filter(|_| reader.sources.problems.is_empty());
    let root = root.map(|root| saved::add_types(&mut reader, root));
    let scene = root.and_then(|root| world::world(&mut reader, &Spot { node: &root, path: String::new() }, &name));
    let included = reader.sources.included();
    let Sources { mut problems, mut warnings, missing_variables, .. } = reader.sources;
    match scene {
        Some(scene) if problems.is_empty() => {
            warnings.sort_by_key(|warning| warning.place);
            Ok(Imported { scene, warnings, included })
        }
        _ => {
            problems.sort_by_key(|problem| problem.place);
            // A variable that is written as nothing can be the cause of every other problem.
            problems.splice(0..0, missing_variables);
            Err(Problems { source_name: source_name.to_string(), problems })
        }
    }
}

#[cfg(test)]
mod tests;
