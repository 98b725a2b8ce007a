//! The sockets of a scene: MORSE's services and data streams, one stream for all data, and tokens for steps.
//!
//! A host owns a [`Remote`] beside its [`Host`] and gives both their time. One thread listens to the sockets. Requests are
//! answered on the thread of the host, between steps. Changes wait for the start of the next step: as edits, in the order of
//! clients, and of the requests of each client. So results do not depend on the relative speed of two clients.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use swarmarium_core::service::Value;
use swarmarium_host::clock::Host;
use swarmarium_simulation::simulation::Simulation;

mod answer;
mod commands;
mod communication;
mod connections;
mod directory;
mod edit_queue;
mod error;
mod ids;
mod jobs;
pub mod json;
pub mod line;
mod link;
mod request_handler;
mod requests;
mod scenery;
mod server;
mod steps;
mod streams;
mod supervision;
mod sync;
mod time;
mod token;
mod traffic;

use connections::Client;
use directory::Directory;
use edit_queue::EditQueue;
use jobs::Jobs;
pub use server::Endpoint;
use server::Server;
pub use streams::OpenError;
use streams::{Ports, RequestedPorts};
use sync::{Pace, TokenError, Tokens};
pub use traffic::{Messages, Socket};

/// The default port of services, as in MORSE.
pub const SERVICES_PORT: u16 = 4000;
/// The default first port of streams, as in MORSE.
pub const STREAMS_PORT: u16 = 60_000;
/// The largest number of events that are processed before the next step, and the longest time for that. The others are
/// processed after the step.
const MAX_EVENTS: usize = 4096;
const MAX_SERVING: Duration = Duration::from_millis(5);

/// The options of sockets.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen at. Unless it is a loopback address, clients must send a token first.
    pub listen: IpAddr,
    /// The token: the first line of every client must be `token` and this word. Without it, a random token is made where
    /// the address requires one.
    pub token: Option<String>,
    /// The port of services in place of that of the scene. With 0, all sockets get any free ports.
    pub port: Option<u16>,
    /// Whether services and streams are opened for a scene without sockets.
    pub always: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { listen: Ipv4Addr::LOCALHOST.into(), token: None, port: None, always: false }
    }
}

/// The sockets of a scene and their clients.
pub struct Remote {
    clients: BTreeMap<u64, Client>,
    /// The messages of clients that have left.
    messages_of_former: BTreeMap<Endpoint, Messages>,
    directory: Directory,
    ports: Ports,
    tokens: Tokens,
    jobs: Jobs,
    /// Edits for the next step.
    edits: EditQueue,
    /// Clients that shut down their side for writing and still wait for answers.
    half_closed: BTreeSet<u64>,
    has_quit: bool,
    /// Real seconds since the sockets were opened or the simulation was restarted, and the simulated time at that moment.
    real_s: f64,
    begin_s: f64,
    token: Option<String>,
    server: Server,
}

impl Remote {
    /// Opens the sockets that the scene of a simulation requests; `None` when it requests none. `wake` is called after each
    /// event of a client.
    ///
    /// ```
    /// use swarmarium_simulation::prelude::*;
    /// use swarmarium_remote::{Options, Remote};
    ///
    /// let simulation = Simulation::with(&Scene::default(), &Recipe::bare(), 1).unwrap();
    /// // Any free ports, for a scene that requests none.
    /// let options = Options { always: true, port: Some(0), ..Default::default() };
    /// let remote = Remote::open(&simulation, &options, || {}).unwrap();
    /// assert!(remote.is_some());
    /// ```
    ///
    /// # Errors
    /// When a port cannot be opened, or the system has no thread left.
    pub fn open(
        simulation: &Simulation,
        options: &Options,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Option<Self>, OpenError> {
        let scene = simulation.scene();
        let Some(requested) = RequestedPorts::new(scene, options) else { return Ok(None) };
        let token = match &options.token {
            None if !options.listen.is_loopback() => Some(token::random()?),
            token => token.clone(),
        };
        let server = Server::start(options.listen, token.clone(), wake)?;
        let directory = Directory::from_simulation(simulation);
        let ports = Ports::open(&server, requested, &directory)?;
        let tokens = Tokens::new(scene.time.pacing);
        Ok(Some(Self {
            clients: BTreeMap::new(),
            messages_of_former: BTreeMap::new(),
            directory,
            ports,
            tokens,
            jobs: Jobs::default(),
            edits: EditQueue::default(),
            half_closed: BTreeSet::new(),
            has_quit: false,
            real_s: 0.0,
            begin_s: simulation.time().now_s(),
            token,
            server,
        }))
    }

    /// Whether the sockets are those that the scene of a simulation requests, so that they can stay open for it.
    pub fn has_ports_for(&self, simulation: &Simulation, options: &Options) -> bool {
        RequestedPorts::new(simulation.scene(), options).is_some_and(|requested| self.ports.requested == requested)
    }

    /// Continues with another simulation, for example after a reset. Clients stay connected, their tasks are preempted, and
    /// the streams of components that no longer exist are closed.
    pub fn continue_with(&mut self, simulation: &Simulation) {
        self.edits.take();
        (self.real_s, self.begin_s) = (0.0, simulation.time().now_s());
        for (client, id) in self.jobs.take_all() {
            self.reply(client, &id, "PREEMPTED", &Value::Null, None);
        }
        // Without an answer, clients that count steps would wait for ever.
        for (client, permit) in self.tokens.restart(simulation.scene().time.pacing) {
            self.refuse_token(client, &TokenError::Restarted, permit);
        }
        self.directory = Directory::from_simulation(simulation);
        self.update_streams();
        self.drop_finished_clients();
    }

    /// Processes the events of clients.
    pub fn serve(&mut self, host: &mut Host) {
        let begin = Instant::now();
        for _ in 0..MAX_EVENTS {
            let Some(event) = self.server.next() else { break };
            self.process_event(event, host);
            if begin.elapsed() > MAX_SERVING {
                break;
            }
        }
    }

    /// Waits for an event of a client, at most for the given time.
    pub fn wait(&mut self, at_most: Duration) {
        self.server.wait(at_most);
    }

    /// Whether a client asked for the end of the program.
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// Takes the notes on clients for the user since the last call.
    pub fn notes(&self) -> Vec<String> {
        self.server.notes.take()
    }

    /// The token that all clients must send first.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether the next step waits for tokens of clients.
    pub fn waits_for_clients(&self) -> bool {
        self.tokens.pace() == Pace::Wait
    }

    /// The number of clients.
    pub fn clients(&self) -> usize {
        self.clients.len()
    }

    /// The number of components that clients can reach.
    pub fn components(&self) -> usize {
        self.directory.components.iter().filter(|component| !component.links.is_empty()).count()
    }

    /// The port of services.
    pub fn services_port(&self) -> Option<u16> {
        self.ports.services
    }

    /// The port of the stream of all data.
    pub fn all_port(&self) -> Option<u16> {
        self.ports.all
    }

    /// The port for tokens for steps.
    pub fn sync_port(&self) -> Option<u16> {
        self.ports.sync
    }

    /// A text for each open port or group of ports.
    pub fn open_ports(&self) -> Vec<String> {
        self.ports.descriptions()
    }
}
