//! The sockets of the scene, and the clients that come to them.

use swarmarium_remote as remote;
use swarmarium_remote::Remote;

use super::Lab;

/// The sockets of the scene.
#[derive(Default)]
pub struct Clients {
    /// The sockets, where the scene asks for any.
    pub remote: Option<Remote>,
    /// The scene and the simulation that they were last looked after for: how often one was opened, and made.
    pub remote_of: (u64, u64),
}

impl Lab {
    /// Answers clients while no step may be done.
    pub(crate) fn serve(&mut self) {
        self.look_after_sockets();
        self.answer_clients();
    }

    /// Tells clients what they ask for.
    pub(super) fn answer_clients(&mut self) {
        if let Some(remote) = &mut self.clients.remote {
            remote.serve(&mut self.host);
        }
    }

    /// Opens the sockets that the scene asks for, and closes those of the one before. A reset, or a file that is read
    /// again, keeps clients where the scene asks for the same ports.
    pub(super) fn look_after_sockets(&mut self) {
        let now = (self.openings, self.restarts);
        if self.clients.remote.as_ref().is_some_and(Remote::has_quit) {
            self.quit = true;
        }
        if self.shots.target.is_none() && std::mem::replace(&mut self.clients.remote_of, now) != now {
            let (simulation, options) = (self.host.simulation(), remote::Options::default());
            match &mut self.clients.remote {
                Some(remote) if remote.has_ports_for(simulation, &options) => remote.continue_with(simulation),
                _ => {
                    // The old ones first: they may have the same ports.
                    self.clients.remote = None;
                    let thread = std::thread::current();
                    match Remote::open(simulation, &options, move || thread.unpark()) {
                        Ok(remote) => self.clients.remote = remote,
                        Err(error) => self.tell_error(format!("The sockets of the scene cannot be opened: {error}")),
                    }
                }
            }
        }
        let notes = self.clients.remote.as_ref().map(Remote::notes).unwrap_or_default();
        notes.iter().for_each(|note| self.say(note));
    }
}
