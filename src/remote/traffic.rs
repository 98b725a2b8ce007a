//! Open sockets, with their clients and the messages on them.

use std::collections::BTreeMap;

use swarmarium_core::service::ComponentSlot;

use super::Remote;
use super::server::Endpoint;

/// An open socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    /// Its purpose.
    pub endpoint: Endpoint,
    /// Its port.
    pub port: u16,
    /// Whether it is the stream of an actuator, which takes commands and sends nothing.
    pub is_command: bool,
    /// The number of connected clients.
    pub clients: usize,
    /// The messages on it since it was opened.
    pub messages: Messages,
}

/// Numbers of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// From clients.
    pub received: u64,
    /// To clients, those that still wait in a queue included.
    pub sent: u64,
}

impl Messages {
    /// Adds the messages of a client.
    pub(crate) fn add(&mut self, of_client: Self) {
        self.received += of_client.received;
        self.sent += of_client.sent;
    }
}

impl Remote {
    /// The open sockets: services, streams by name, all data, tokens. The stream of a component opens when a client asks for
    /// its port.
    pub fn sockets(&self) -> Vec<Socket> {
        let mut counts: BTreeMap<&Endpoint, (usize, Messages)> = BTreeMap::new();
        for client in self.clients.values() {
            let (clients, messages) = counts.entry(&client.endpoint).or_default();
            *clients += 1;
            messages.add(client.messages());
        }
        let socket = |(endpoint, port): (Endpoint, u16)| {
            let (clients, mut messages) = counts.get(&endpoint).copied().unwrap_or_default();
            messages.add(self.messages_of_former.get(&endpoint).copied().unwrap_or_default());
            let is_command = match &endpoint {
                Endpoint::Stream(name) => self
                    .directory
                    .find(name)
                    .is_some_and(|component| matches!(component.id.slot, ComponentSlot::Actuator(_))),
                _ => false,
            };
            Socket { endpoint, port, is_command, clients, messages }
        };
        self.ports.endpoints().map(socket).collect()
    }

    /// The number of components whose stream is not open yet; 0 where the scene has no streams.
    pub fn unopened_streams(&self) -> usize {
        self.ports.unopened_streams()
    }
}
