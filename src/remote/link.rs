//! Links that go by the sockets that are served here.

/// The classes of MORSE that have sockets for streams and for services.
pub use swarmarium_formats::import::morse::{SOCKET as STREAMS_CLASS, SOCKET_SERVICES as SERVICES_CLASS};

/// Whether a link goes by the sockets that are served here.
pub fn is_socket(via: &str) -> bool {
    ["", "socket", STREAMS_CLASS, SERVICES_CLASS].contains(&via)
}
