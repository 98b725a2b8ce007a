//! The clients of the host: connecting, disconnecting, and the order in which their lines are processed.

use std::collections::VecDeque;

use swarmarium_core::service::ComponentSlot;
use swarmarium_host::clock::Host;

use super::Remote;
use super::ids::RequestIds;
use super::server::{Endpoint, Event, EventKind, Outbox, Permit};
use super::sync::TokenError;
use super::traffic::Messages;

/// The largest number of half-closed clients that still read data.
const MAX_SILENT_READERS: usize = 256;

/// A connected client.
pub struct Client {
    /// The endpoint that the client connected to.
    pub endpoint: Endpoint,
    /// The messages to the client.
    pub outbox: Outbox,
    /// The number of messages of the client.
    received: u64,
    /// The number of edits that the client has queued.
    pub edit_count: u64,
    /// Events that wait until the client has read enough of its messages.
    deferred: VecDeque<(EventKind, Permit)>,
    /// The ids of requests that arrived or were cancelled.
    pub ids: RequestIds,
    /// Whether an error of the client was reported. Only the first one is.
    pub has_erred: bool,
    /// Whether the loss of messages to the client was reported.
    pub has_lost: bool,
}

impl Client {
    fn new(endpoint: Endpoint, outbox: Outbox) -> Self {
        let (received, edit_count, deferred, ids, has_erred, has_lost) = Default::default();
        Self { endpoint, outbox, received, edit_count, deferred, ids, has_erred, has_lost }
    }

    /// The messages from and to the client.
    pub fn messages(&self) -> Messages {
        Messages { received: self.received, sent: self.outbox.sent() }
    }

    /// Whether the backlog of the client is too large for another answer. Only the endpoint of services answers at length.
    fn is_behind(&self) -> bool {
        self.endpoint == Endpoint::Services && self.outbox.is_full()
    }
}

impl Remote {
    /// Processes an event of a client.
    pub(crate) fn process_event(&mut self, Event { client, kind, permit }: Event, host: &mut Host) {
        match kind {
            EventKind::Connected(endpoint, outbox) => self.connect(client, endpoint, outbox),
            EventKind::Disconnected => self.drop_client(client),
            EventKind::Drained => self.process_deferred(client, host),
            kind => self.process_or_defer(client, kind, permit, host),
        }
    }

    /// Processes input of a client, or defers it while the client does not read its messages. The permits of deferred lines
    /// are kept, so that no more lines are read.
    fn process_or_defer(&mut self, client: u64, kind: EventKind, permit: Permit, host: &mut Host) {
        match self.clients.get_mut(&client) {
            Some(known) if !known.deferred.is_empty() || known.is_behind() => known.deferred.push_back((kind, permit)),
            _ => self.process_input(client, kind, permit, host),
        }
    }

    /// Processes deferred input until the client is behind again.
    fn process_deferred(&mut self, client: u64, host: &mut Host) {
        while let Some(known) = self.clients.get_mut(&client).filter(|known| !known.is_behind()) {
            let Some((kind, permit)) = known.deferred.pop_front() else { break };
            self.process_input(client, kind, permit, host);
        }
    }

    fn process_input(&mut self, client: u64, kind: EventKind, permit: Permit, host: &mut Host) {
        if matches!(kind, EventKind::Token | EventKind::Line(_))
            && let Some(known) = self.clients.get_mut(&client)
        {
            known.received += 1;
        }
        match kind {
            EventKind::Connected(..) | EventKind::Disconnected | EventKind::Drained => {}
            EventKind::HalfClosed => {
                self.half_closed.insert(client);
                for permit in self.tokens.cancel_excess(client) {
                    self.refuse_token(client, &TokenError::HalfClosed, permit);
                }
                self.drop_finished_clients();
            }
            EventKind::Token => self.tokens.add_bare(client),
            EventKind::Line(line) => match self.clients.get(&client).map(|known| known.endpoint.clone()) {
                Some(Endpoint::Services) => self.process_request(client, &line, permit, host),
                Some(Endpoint::Stream(name)) => self.process_stream_line(client, &name, &line, host),
                Some(Endpoint::All) => self.process_line_for_all(client, &line, host),
                Some(Endpoint::Sync) => self.process_token_line(client, &line, permit, host),
                None => {}
            },
        }
    }

    fn connect(&mut self, client: u64, endpoint: Endpoint, outbox: Outbox) {
        match &endpoint {
            Endpoint::Stream(name) if self.directory.find(name).is_none() => return,
            Endpoint::Stream(name) => self.ports.subscribe(name, client),
            Endpoint::All => self.ports.subscribers_to_all.push(client),
            Endpoint::Sync => self.tokens.join(client),
            Endpoint::Services => {}
        }
        self.clients.insert(client, Client::new(endpoint, outbox));
    }

    /// Drops the clients that shut down their side for writing and whose steps and requests are done. Readers of data
    /// stay until they close the connection, except the oldest beyond [`MAX_SILENT_READERS`]: while no data are sent,
    /// the server does not notice a closed connection.
    pub(crate) fn drop_finished_clients(&mut self) {
        let half_closed = self.half_closed.iter().copied();
        let (readers, others): (Vec<u64>, Vec<u64>) = half_closed.partition(|client| self.reads_data(*client));
        let is_done = |client: &u64| !self.jobs.has_any(*client) && !self.tokens.has_any(*client);
        let done = others.into_iter().filter(is_done);
        let excess = readers.len().saturating_sub(MAX_SILENT_READERS);
        let finished: Vec<u64> = done.chain(readers.into_iter().take(excess)).collect();
        finished.into_iter().for_each(|client| self.drop_client(client));
    }

    /// Whether a client is sent data.
    fn reads_data(&self, client: u64) -> bool {
        match self.clients.get(&client).map(|known| &known.endpoint) {
            Some(Endpoint::All) => true,
            Some(Endpoint::Stream(name)) => {
                self.directory.find(name).is_some_and(|component| matches!(component.id.slot, ComponentSlot::Sensor(_)))
            }
            _ => false,
        }
    }

    fn drop_client(&mut self, client: u64) {
        self.half_closed.remove(&client);
        let Some(dropped) = self.clients.remove(&client) else { return };
        self.messages_of_former.entry(dropped.endpoint.clone()).or_default().add(dropped.messages());
        match &dropped.endpoint {
            Endpoint::Stream(name) => self.ports.unsubscribe(name, client),
            Endpoint::All => self.ports.subscribers_to_all.retain(|subscriber| *subscriber != client),
            Endpoint::Sync => self.tokens.leave(client),
            Endpoint::Services => self.jobs.forget(client),
        }
    }

    /// Closes the streams of components that no longer exist, and opens those that the scene requests by number.
    pub(crate) fn update_streams(&mut self) {
        for name in self.ports.update(&self.server, &self.directory) {
            let stream = Endpoint::Stream(name);
            self.clients.retain(|_, client| client.endpoint != stream);
        }
    }
}
