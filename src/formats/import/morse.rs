//! Configurations of MORSE: `component_config.py`, which its builder makes, with five dictionaries.
//!
//! They are read as data and never run. They state the streams, modifiers, services and overlays of components, but not the
//! kinds of components: each kind is guessed, with a warning. The notes of the scene keep the parts that a scene does not
//! express.

use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;

use super::report::Report;
use super::{Imported, Options, scene_name};

use self::config::Config;

pub mod config;
pub(crate) mod guess;
pub mod literal;
pub(crate) mod modifiers;
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
}

/// Reads a configuration as a scene. The name of the scene is that of the file.
///
/// # Errors
/// Lists all problems of the file.
pub fn import(kinds: &Kinds, source_name: &str, text: &str, _options: &Options) -> Result<Imported, Problems> {
    let refuse = |problems: Vec<Problem>| Problems { source_name: source_name.to_owned(), problems };
    let text = text.trim_start_matches('\u{feff}');
    let mut report = Report::default();
    let (config, offsets) = Config::read(text, &mut report).map_err(|problem| refuse(vec![problem]))?;
    let name = scene_name(source_name);
    let scene = scene::SceneBuilder { kinds, offsets: &offsets, report: &mut report }.scene(&name, &config);
    let warnings = report.finish(text).map_err(refuse)?;
    Ok(Imported { scene, warnings, included: Vec::new() })
}

#[cfg(test)]
mod tests;
