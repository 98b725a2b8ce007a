//! Builder scripts of MORSE, and the configurations that its builder makes: `component_config.py`, with five dictionaries.
//!
//! The Python package runs scripts; other programs refuse them. Configurations are read as data and never run. They state
//! the streams, modifiers, services and overlays of components, but not the kinds of components: each kind is guessed, with a
//! warning. The notes of the scene keep the parts that a scene does not express.

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_scene::scene::description::Scene;

use super::report::Report;
use super::{Imported, Options, scene_name, text_of};

use self::builder::Script;
use self::config::Config;
use self::content::{Content, content};

pub mod builder;
pub mod config;
mod content;
pub(crate) mod guess;
pub mod literal;
pub(crate) mod modifiers;
mod pretty;
pub(crate) mod scene;

/// The class of the manager of streams by socket.
pub const SOCKET: &str = "morse.middleware.socket_datastream.SocketDatastreamManager";
/// The class of the manager of requests by socket.
pub const SOCKET_SERVICES: &str = "morse.middleware.socket_request_manager.SocketRequestManager";
/// The classes of streams by socket, out and in.
pub const SOCKET_STREAMS: [&str; 2] =
    ["morse.middleware.socket_datastream.SocketPublisher", "morse.middleware.socket_datastream.SocketReader"];
/// The manager of streams by socket in early versions.
pub(crate) const OLD_SOCKET: &str = "morse.middleware.socket_datastream.Socket";

/// The message about configurations of early versions.
const OLD_CONFIGURATION: &str = "this is a configuration of MORSE 0.1 to 0.6, whose classes of streams are not those of later versions: MORSE 1.0 and later \
     write `component_datastream` instead. Load the builder script of the configuration, or run it in MORSE 1.0 or later";

/// The notes of a scene with the parts of a configuration that exports need and the scene does not express. Each is a literal.
pub mod notes {
    /// Streams of components outside robots.
    pub const STREAMS: &str = "morse.component_datastream";
    /// Modifiers of components that the kinds of noise do not express completely.
    pub const MODIFIERS: &str = "morse.component_modifier";
    /// Services of components other than sensors and actuators.
    pub const SERVICES: &str = "morse.component_service";
    /// Overlays of components other than sensors and actuators.
    pub const OVERLAYS: &str = "morse.overlays";
    /// Arguments of managers of streams.
    pub const MANAGERS: &str = "morse.stream_manager";
    /// Numbers of the environment, which are defaults of the arguments of modifiers.
    pub const ENVIRONMENT: &str = "morse.environment";
}

/// Whether a file is a builder script, by its content.
pub(super) fn is_builder_script(bytes: &[u8]) -> bool {
    matches!(content(&text_of(bytes)), Content::BuilderScript(_))
}

/// Reads a builder script as a scene. The name of the scene is that of the file.
///
/// # Errors
/// Lists all problems of the script.
pub fn import_script(kinds: &Kinds, source_name: &str, text: &str, _: &Options) -> Result<Imported, Problems> {
    let text = text.trim_start_matches('\u{feff}');
    let import_at = match content(text) {
        Content::BuilderScript(at) => at,
        Content::Configuration | Content::OldConfiguration(_) => 0,
    };
    imported(source_name, text, |name, report| {
        Ok(builder::import(&Script { kinds, source_name, name, text, import_at }, report))
    })
}

/// Reads a configuration as a scene. The name of the scene is that of the file.
///
/// # Errors
/// Lists all problems of the file.
pub fn import_configuration(kinds: &Kinds, source_name: &str, text: &str, _: &Options) -> Result<Imported, Problems> {
    let text = text.trim_start_matches('\u{feff}');
    imported(source_name, text, |name, report| {
        if let Content::OldConfiguration(at) = content(text) {
            report.problem(at, "component_mw", OLD_CONFIGURATION);
            return Ok(Scene::default());
        }
        let (config, offsets) = Config::read(text, report)?;
        Ok(scene::SceneBuilder { kinds, offsets: &offsets, report }.scene(name, &config))
    })
}

/// A scene with the name of its file, and the notes about it.
fn imported(
    source_name: &str,
    text: &str,
    read: impl FnOnce(&str, &mut Report) -> Result<Scene, Problem>,
) -> Result<Imported, Problems> {
    let refuse = |problems: Vec<Problem>| Problems { source_name: source_name.to_owned(), problems };
    let mut report = Report::default();
    let scene = read(&scene_name(source_name), &mut report).map_err(|problem| refuse(vec![problem]))?;
    let warnings = report.finish(text).map_err(refuse)?;
    Ok(Imported { scene, warnings, included: Vec::new() })
}

#[cfg(test)]
mod tests;
