//! Links of components to the sockets of this program.

/// The classes of MORSE for sockets of streams and of services.
pub use swarmarium_formats::import::morse::{SOCKET as STREAMS_CLASS, SOCKET_SERVICES as SERVICES_CLASS};

/// Whether a link uses the sockets of this program.
pub fn is_socket(via: &str) -> bool {
    ["", "socket", STREAMS_CLASS, SERVICES_CLASS].contains(&via)
}
