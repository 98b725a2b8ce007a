//! The sockets of the scene and their clients.

use std::collections::VecDeque;

use swarmarium_host::clock::Host;
use swarmarium_remote::Remote;

/// The largest number of kept notes.
pub const MAX_NOTES: usize = 50;

/// The sockets of the scene.
#[derive(Default)]
pub struct Clients {
    /// The open sockets, if the scene has any.
    pub remote: Option<Remote>,
    /// The opening of the scene and the number of the simulation for which the sockets were last checked.
    pub remote_of: (u64, u64),
    /// The reason why the sockets could not be opened.
    pub error: Option<String>,
    /// Notes about sockets and clients, the latest last.
    pub notes: VecDeque<String>,
}

/// Whether the host shows, or goes to, a moment before the live end.
pub fn shows_past(host: &Host) -> bool {
    host.is_in_past() || host.target().is_some()
}
