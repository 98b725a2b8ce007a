//! Worlds of RobotSwarmSimulator (`swarmsim` 1.2.5), written in YAML 1.1.
//!
//! Positions, angles and the order of steps carry over exactly. What does not carry over is either a warning,
//! when the file means much the same without it, or a problem.

use std::path::Path;

use self::fields::{Reader, Spot};
use super::Imported;
use crate::kind::Kinds;
use crate::scene::problem::{Place, Problem, Problems};

mod agent;
mod expression;
mod fields;
mod metric;
mod scalar;
mod sensor;
mod spawner;
mod table;
mod world;
mod yaml;

/// Reads a world as a scene. The name of the scene is that of the file.
pub fn import(kinds: &Kinds, source_name: &str, text: &str) -> Result<Imported, Problems> {
    let fail = |mut problems: Vec<Problem>| {
        problems.sort_by_key(|problem| problem.place);
        Problems { source_name: source_name.to_string(), problems }
    };
    let text = text.trim_start_matches('\u{feff}');
    if let Some(problem) = template(text) {
        return Err(fail(vec![problem]));
    }
    let root = yaml::read(text).map_err(fail)?;
    let path = Path::new(source_name);
    let mut reader = Reader::new(kinds, path.parent().unwrap_or(path));
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let scene = world::world(&mut reader, &Spot { node: &root, path: String::new() }, &name);
    let Reader { problems, mut warnings, .. } = reader;
    match scene {
        Some(scene) if problems.is_empty() => {
            warnings.sort_by_key(|warning| warning.place);
            Ok(Imported { scene, warnings })
        }
        _ => Err(fail(problems)),
    }
}

/// RobotSwarmSimulator runs a file through Jinja first, comments included.
fn template(text: &str) -> Option<Problem> {
    let delimiter = ["<%", "<{"].into_iter().filter_map(|delimiter| Some((text.find(delimiter)?, delimiter)));
    let statement = text.match_indices("#%>").find(|(at, _)| {
        let line = text[..*at].rfind('\n').map_or(0, |newline| newline + 1);
        text[line..*at].trim().is_empty()
    });
    let (at, delimiter) = delimiter.chain(statement).min()?;
    let message = format!("templates are not supported yet: `{delimiter}` begins one");
    Some(Problem { place: Some(Place::of(text, at)), path: String::new(), message })
}

#[cfg(test)]
mod tests;
