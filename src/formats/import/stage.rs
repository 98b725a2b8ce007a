//! Stage worlds: worldfiles with models, macros and included files.
//!
//! Stage's own rules hold: the first definition of a macro counts, the last value of a property counts, blocks and the dark
//! parts of images fill the size of their model. Heights count for nothing.

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_scene::scene::description::Scene;

use super::{Imported, Options, scene_name};

use self::source::Sources;
use self::values::Reader;
use self::world::World;

mod color;
mod image;
mod object;
mod presets;
mod robot;
pub(crate) mod scene;
mod sensor;
mod shape;
mod source;
mod token;
mod values;
mod world;

/// Reads a world as a scene. The name of the scene is that of the world, or of its file.
///
/// # Errors
/// Lists all problems of the world.
pub fn import(kinds: &Kinds, source_name: &str, bytes: &[u8], options: &Options) -> Result<Imported, Problems> {
    let refuse = |problems: Vec<Problem>| Problems { source_name: source_name.to_owned(), problems };
    if let Some(message) = other_program(bytes) {
        return Err(Problems::of_file(source_name, message));
    }
    let mut sources = Sources::read(presets::TEXT, source_name, bytes, options);
    // The tokens before a syntax error are not a world.
    let world = if sources.has_no_problem() { Some(World::read(&mut sources)) } else { None };
    let scene = match world {
        Some(world) if sources.has_no_problem() => {
            scene::scene(kinds, &scene_name(source_name), &mut Reader::new(&world, &mut sources))
        }
        _ => Scene::default(),
    };
    let included = sources.included();
    let (text, report) = sources.finish();
    let warnings = report.finish(&text).map_err(refuse)?;
    Ok(Imported { scene, warnings, included })
}

/// The message about a world of another program with the same ending.
fn other_program(bytes: &[u8]) -> Option<&'static str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let is_xml = bytes.starts_with(b"<");
    is_xml.then_some("is XML, as worlds of Gazebo (SDF): this program reads Stage worlds, such as `floorplan ( … )`")
}

#[cfg(test)]
mod tests;
