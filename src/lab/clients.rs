//! The sockets of the scene and their clients.

use std::collections::VecDeque;

use swarmarium_core::clock::Host;
use swarmarium_remote as remote;
use swarmarium_remote::Remote;

use super::Lab;

mod panel;
mod snippet;

pub use panel::Panel;

/// The largest number of kept notes.
const MAX_NOTES: usize = 50;

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

impl Lab {
    /// Answers clients while no step may be done.
    pub(crate) fn serve(&mut self) {
        self.look_after_sockets();
        self.answer_clients();
    }

    /// Answers the requests of clients. While the past is shown, clients wait.
    pub(super) fn answer_clients(&mut self) {
        if let Some(remote) = self.clients.remote.as_mut().filter(|_| !shows_past(&self.host)) {
            remote.serve(&mut self.host);
        }
    }

    /// Whether connected clients wait because the past is shown.
    pub(crate) fn holds_clients(&self) -> bool {
        shows_past(&self.host) && self.clients.remote.as_ref().is_some_and(|remote| remote.clients() > 0)
    }

    /// Opens the sockets of the scene, and closes those of the previous one. After a reset or a reload, clients stay
    /// connected if the scene has the same ports.
    pub(super) fn look_after_sockets(&mut self) {
        let now = (self.openings, self.starts);
        if self.clients.remote.as_ref().is_some_and(Remote::has_quit) {
            self.quit = true;
        }
        if self.shots.target.is_none() && std::mem::replace(&mut self.clients.remote_of, now) != now {
            self.clients.error = None;
            let (simulation, options) = (self.host.simulation(), remote::Options::default());
            match &mut self.clients.remote {
                Some(remote) if remote.has_ports_for(simulation, &options) => remote.continue_with(simulation),
                _ => {
                    // Close the old sockets first: they may use the same ports.
                    self.clients.remote = None;
                    self.clients.notes.clear();
                    let thread = std::thread::current();
                    match Remote::open(simulation, &options, move || thread.unpark()) {
                        Ok(remote) => self.clients.remote = remote,
                        Err(error) => {
                            self.clients.error = Some(error.to_string());
                            self.tell_error(format!("The sockets of the scene cannot be opened: {error}"));
                        }
                    }
                }
            }
        }
        let notes = self.clients.remote.as_ref().map(Remote::notes).unwrap_or_default();
        notes.iter().for_each(|note| self.say(note));
        self.clients.notes.extend(notes);
        let excess = self.clients.notes.len().saturating_sub(MAX_NOTES);
        self.clients.notes.drain(..excess);
    }
}
