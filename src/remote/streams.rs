//! Ports: those of services, of all data and of tokens, and one for each component, opened when somebody asks for it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::board::Board;
use super::server::{Door, Server};
use super::{Options, SERVICES_PORT, STREAMS_PORT, json};
use crate::component::{Component, ComponentId, Fields, Link, Part, Value};
use crate::scene::Scene;
use crate::simulation::Simulation;

/// How many ports are tried where there should be one, as in MORSE.
const TRIES: u16 = 10;

/// The class of MORSE that has sockets for streams.
pub const STREAMS_CLASS: &str = "morse.middleware.socket_datastream.SocketDatastreamManager";
/// The class of MORSE that has a socket for services.
pub const SERVICES_CLASS: &str = "morse.middleware.socket_request_manager.SocketRequestManager";

/// Whether a link goes by the sockets that are served here.
pub fn is_socket(via: &str) -> bool {
    ["", "socket", STREAMS_CLASS, SERVICES_CLASS].contains(&via)
}

/// The port that a component asks for, 0 for any, if it has a stream on a socket.
pub fn wanted_port(component: &Component) -> Option<u16> {
    component.links.iter().find_map(|link| match link {
        Link::Stream { via, port, .. } if is_socket(via) => u16::try_from(*port).ok(),
        _ => None,
    })
}

/// The sockets that a scene asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The port of services.
    services: Option<u16>,
    /// The first port of streams.
    streams: Option<u16>,
    /// The port of the stream of all data.
    all: Option<u16>,
    /// The port for tokens.
    sync: Option<u16>,
    /// Whether any free ports will do.
    any: bool,
}

impl Wanted {
    /// What a scene, or whoever opens it, asks for; `None` for nothing.
    pub fn of(scene: &Scene, options: &Options) -> Option<Self> {
        let port = |port: u32| u16::try_from(port).ok().filter(|port| *port > 0);
        let (mut services, mut streams) = (port(scene.sockets.services), port(scene.sockets.streams));
        let (all, sync) = (port(scene.sockets.all), scene.time.pacing.sync_port().and_then(port));
        let is_silent = services.is_none() && streams.is_none() && all.is_none();
        if is_silent && sync.is_none() && !options.always {
            return None;
        }
        if is_silent && options.always {
            (services, streams) = (Some(SERVICES_PORT), Some(STREAMS_PORT));
        }
        let any = options.port == Some(0);
        if let Some(port) = options.port.filter(|port| *port > 0) {
            services = Some(port);
        }
        Some(Self { services, streams, all, sync, any })
    }
}

/// The ports that are open.
pub struct Ports {
    /// What was asked for.
    pub wanted: Wanted,
    /// The port of services.
    pub services: Option<u16>,
    /// The port of the stream of all data.
    pub all: Option<u16>,
    /// The port for tokens.
    pub sync: Option<u16>,
    /// The ports of streams, by the name of the component.
    streams: BTreeMap<Arc<str>, u16>,
    /// The clients of the stream of each component.
    pub followers: BTreeMap<Arc<str>, Vec<u64>>,
    /// The clients of the stream of all data.
    pub followers_of_all: Vec<u64>,
}

impl Ports {
    /// Opens the ports that are open from the start.
    ///
    /// # Errors
    /// When one of them is taken, and so are the next ones.
    pub fn open(server: &Server, wanted: Wanted, board: &Board) -> io::Result<Self> {
        let open = |door: Door, port: Option<u16>, what: &str| {
            port.map(|port| open_near(server, door, if wanted.any { 0 } else { port }, what)).transpose()
        };
        let services = open(Door::Services, wanted.services, "services")?;
        let all = open(Door::All, wanted.all, "all data")?;
        let sync = open(Door::Sync, wanted.sync, "tokens")?;
        let (streams, followers) = Default::default();
        let mut ports = Self { wanted, services, all, sync, streams, followers, followers_of_all: Vec::new() };
        let named = board.components.iter().filter(|component| wanted_port(component).is_some_and(|port| port > 0));
        for component in named {
            ports.port_of(server, board, &component.name)?;
        }
        Ok(ports)
    }

    /// The port of the stream of a component, which is opened if it was not; `None` if it has no stream.
    ///
    /// # Errors
    /// When the system has no port or file left.
    pub fn port_of(&mut self, server: &Server, board: &Board, name: &str) -> io::Result<Option<u16>> {
        let Some(first) = self.wanted.streams else { return Ok(None) };
        if let Some(port) = self.streams.get(name) {
            return Ok(Some(*port));
        }
        let with_streams = || board.components.iter().filter(|component| wanted_port(component).is_some());
        let Some(place) = with_streams().position(|component| component.name == name) else { return Ok(None) };
        let asked = board.find(name).and_then(wanted_port).filter(|port| *port > 0);
        // Each component has a port of its own, whoever is asked for first; then those after all of them, then any.
        let count = with_streams().count();
        let by_order = |place: usize| u16::try_from(usize::from(first) + place).ok();
        let mut candidates: Vec<u16> = asked.into_iter().chain(by_order(place)).collect();
        candidates.extend((0..usize::from(TRIES)).filter_map(|try_| by_order(count + try_)));
        let door = Door::Stream(name.into());
        let opened = match self.wanted.any {
            true => None,
            false => candidates.into_iter().find_map(|port| server.open(door.clone(), port).ok()),
        };
        let port = match opened {
            Some(port) => port,
            None => server.open(door, 0)?,
        };
        if let Some(asked) = asked.filter(|asked| *asked != port && !self.wanted.any) {
            server.notes.add(format!("the port {asked} of {name} is taken: its stream is on port {port}"));
        }
        self.streams.insert(name.into(), port);
        Ok(Some(port))
    }

    /// Closes the streams of components that there are no more; their names.
    pub fn close_unknown(&mut self, server: &Server, board: &Board) -> Vec<Arc<str>> {
        let is_gone = |name: &Arc<str>| board.find(name).and_then(wanted_port).is_none();
        let gone: Vec<Arc<str>> = self.streams.keys().filter(|name| is_gone(name)).cloned().collect();
        for name in &gone {
            self.streams.remove(name);
            self.followers.remove(name);
            server.close(Door::Stream(name.clone()));
        }
        gone
    }

    /// A client wants what a component sends.
    pub fn follow(&mut self, name: &Arc<str>, client: u64) {
        self.followers.entry(name.clone()).or_default().push(client);
    }

    /// A client left.
    pub fn unfollow(&mut self, name: &Arc<str>, client: u64) {
        if let Some(followers) = self.followers.get_mut(name) {
            followers.retain(|follower| *follower != client);
            if followers.is_empty() {
                self.followers.remove(name);
            }
        }
    }

    /// What is open, in words.
    pub fn told(&self) -> Vec<String> {
        let port = |what: &str, port: Option<u16>| port.map(|port| format!("{what} on port {port}"));
        let streams = self.wanted.streams.map(|first| match self.wanted.any {
            true => "a stream for each component on any free port".into(),
            false => format!("a stream for each component from port {first} on"),
        });
        [port("services", self.services), streams, port("all data", self.all), port("tokens", self.sync)]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Opens a port, or one of the next ones, and tells that.
fn open_near(server: &Server, door: Door, wanted: u16, what: &str) -> io::Result<u16> {
    let ports = if wanted == 0 { 0..=0 } else { wanted..=wanted.saturating_add(TRIES - 1) };
    let mut failed = None;
    for port in ports.clone() {
        match server.open(door.clone(), port) {
            Ok(port) => {
                if wanted != 0 && port != wanted {
                    server.notes.add(format!("port {wanted} is taken: {what} on port {port}"));
                }
                return Ok(port);
            }
            Err(error) => failed = Some(error),
        }
    }
    let why = failed.map_or(String::new(), |error| format!(": {error}"));
    let text = format!("no port from {} to {} can be opened for {what}{why}", ports.start(), ports.end());
    Err(io::Error::new(io::ErrorKind::AddrInUse, text))
}

/// What a component sends after the last step, if it read then.
pub fn message(simulation: &Simulation, component: ComponentId) -> Option<String> {
    let fields = reading(simulation, component)?;
    let mut text = String::new();
    json::write_fields(&fields, &mut text);
    Some(text)
}

fn reading(simulation: &Simulation, component: ComponentId) -> Option<Fields> {
    let is_sensor = matches!(component.part, Part::Sensor(_));
    (is_sensor && simulation.read_at(component) == Some(simulation.steps())).then(|| simulation.message(component))?
}

/// The line with all that components send after the last step.
pub fn message_of_all(simulation: &Simulation, board: &Board) -> String {
    let time = simulation.time();
    let mut text = format!("{{\"step\": {}, \"time\": ", time.step);
    json::write_number(simulation.epoch_s() + time.now_s(), &mut text);
    for component in board.components.iter().filter(|component| wanted_port(component).is_some()) {
        if let Some(message) = message(simulation, component.id) {
            text.push_str(", ");
            json::write(&Value::Text(component.name.clone()), &mut text);
            text.push_str(": ");
            text.push_str(&message);
        }
    }
    text.push_str("}\n");
    text
}
