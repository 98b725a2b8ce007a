//! Ports: those of services, of all data and of tokens, and one for each component, opened when somebody asks for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use swarmarium_core::scene::Scene;
use swarmarium_core::service::{Component, ComponentId, Fields, Link, Part, Value};
use swarmarium_core::simulation::Simulation;

use super::board::Board;
use super::link::is_socket;
use super::server::{Endpoint, Server};
use super::{Options, SERVICES_PORT, STREAMS_PORT, json};

/// How many ports are tried where there should be one, as in MORSE.
const TRIES: u16 = 10;

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
    /// The streams that are open, by the name of the component.
    streams: BTreeMap<Arc<str>, Opened>,
    /// The ports that components should have, by name.
    planned: HashMap<String, u16>,
    /// The first port after them.
    after: u32,
    /// The clients of the stream of each component.
    pub followers: BTreeMap<Arc<str>, Vec<u64>>,
    /// The clients of the stream of all data.
    pub followers_of_all: Vec<u64>,
}

/// The port of a stream.
struct Opened {
    port: u16,
    /// The one that the scene asked for, 0 for any.
    asked: u16,
}

/// The ports that components should have, by name, from a first one on: those that the scene gives are kept for theirs,
/// and the others are counted around them, in the order of components. And the first port after all.
fn plan(first: u16, components: &[Component]) -> (HashMap<String, u16>, u32) {
    let with_streams = || components.iter().filter_map(|component| Some((component, wanted_port(component)?)));
    let given: BTreeSet<u16> = with_streams().map(|(_, port)| port).filter(|port| *port > 0).collect();
    let mut next = u32::from(first);
    let mut planned = HashMap::new();
    for (component, asked) in with_streams() {
        if asked > 0 {
            planned.insert(component.name.clone(), asked);
            continue;
        }
        while u16::try_from(next).is_ok_and(|port| given.contains(&port)) {
            next += 1;
        }
        if let Ok(port) = u16::try_from(next) {
            planned.insert(component.name.clone(), port);
            next += 1;
        }
    }
    let after = given.last().map_or(next, |last| next.max(u32::from(*last) + 1));
    (planned, after)
}

impl Ports {
    /// Opens the ports that are open from the start.
    ///
    /// # Errors
    /// When one of them is taken, and so are the next ones.
    pub fn open(server: &Server, wanted: Wanted, board: &Board) -> io::Result<Self> {
        let open = |door: Endpoint, port: Option<u16>, what: &str| {
            port.map(|port| open_near(server, door, if wanted.any { 0 } else { port }, what)).transpose()
        };
        let services = open(Endpoint::Services, wanted.services, "services")?;
        let all = open(Endpoint::All, wanted.all, "all data")?;
        let sync = open(Endpoint::Sync, wanted.sync, "tokens")?;
        let (streams, planned, followers, followers_of_all) = Default::default();
        let mut ports = Self { wanted, services, all, sync, streams, planned, after: 0, followers, followers_of_all };
        ports.follow_board(server, board);
        Ok(ports)
    }

    /// The port of the stream of a component, which is opened if it was not; `None` if it has no stream.
    ///
    /// # Errors
    /// When the system has no port or file left.
    pub fn port_of(&mut self, server: &Server, board: &Board, name: &str) -> io::Result<Option<u16>> {
        if self.wanted.streams.is_none() {
            return Ok(None);
        }
        if let Some(opened) = self.streams.get(name) {
            return Ok(Some(opened.port));
        }
        let Some(asked) = board.find(name).and_then(wanted_port) else { return Ok(None) };
        // Each component has a port of its own, whoever is asked for first; then those after all of them, then any.
        let next = (0..u32::from(TRIES)).filter_map(|place| u16::try_from(self.after + place).ok());
        let candidates: Vec<u16> = self.planned.get(name).copied().into_iter().chain(next).collect();
        let door = Endpoint::Stream(name.into());
        let opened = match self.wanted.any {
            true => None,
            false => candidates.into_iter().find_map(|port| server.open(door.clone(), port).ok()),
        };
        let port = match opened {
            Some(port) => port,
            None => server.open(door, 0)?,
        };
        if asked > 0 && asked != port && !self.wanted.any {
            server.notes.add(format!("the port {asked} of {name} is taken: its stream is on port {port}"));
        }
        self.streams.insert(name.into(), Opened { port, asked });
        Ok(Some(port))
    }

    /// Closes the streams of components that there are no more, or that are to be on another port, and opens those whose
    /// port the scene gives; the names of those that were closed.
    pub fn follow_board(&mut self, server: &Server, board: &Board) -> Vec<Arc<str>> {
        let Some(first) = self.wanted.streams else { return Vec::new() };
        (self.planned, self.after) = plan(first, &board.components);
        let is_gone = |(name, opened): &(&Arc<str>, &Opened)| {
            board.find(name).and_then(wanted_port).is_none_or(|asked| asked != opened.asked)
        };
        let gone: Vec<Arc<str>> = self.streams.iter().filter(is_gone).map(|(name, _)| name.clone()).collect();
        for name in &gone {
            self.streams.remove(name);
            self.followers.remove(name);
            server.close(Endpoint::Stream(name.clone()));
        }
        for component in board.components.iter().filter(|component| wanted_port(component) > Some(0)) {
            if let Err(error) = self.port_of(server, board, &component.name) {
                server.notes.add(format!("no port can be opened for the stream of {}: {error}", component.name));
            }
        }
        gone
    }

    /// A client wants what a component sends.
    pub fn follow(&mut self, name: &Arc<str>, client: u64) {
        self.followers.entry(name.clone()).or_default().push(client);
    }

    /// Whether any client reads data.
    pub fn has_followers(&self) -> bool {
        !self.followers.is_empty() || !self.followers_of_all.is_empty()
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
fn open_near(server: &Server, door: Endpoint, wanted: u16, what: &str) -> io::Result<u16> {
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

#[cfg(test)]
mod tests {
    use swarmarium_core::scene::{Scene, reader};
    use swarmarium_core::simulation::Recipe;
    use swarmarium_kinds::{FromScene as _, Standard as _};

    use super::*;

    #[test]
    fn ports_are_counted_around_those_that_are_given() {
        let text = r#"(groups: [(name: "a", sensors: [
            Constant(name: "pose", values: [1.0], links: [Stream()]),
            Constant(name: "motion", values: [1.0], links: [Stream(port: 60001)]),
            Constant(name: "battery", values: [1.0], links: [Stream()]),
            Constant(name: "silent", values: [1.0], links: [Services()]),
            Constant(name: "vw", values: [1.0], links: [Stream(port: 60003)]),
            Constant(name: "odo", values: [1.0], links: [Stream()]),
        ])])"#;
        let simulation =
            Simulation::new(&reader::read::<Scene>(Recipe::standard().kinds(), "test", text).unwrap()).unwrap();
        let (planned, after) = plan(60_000, &simulation.components());
        let ports = ["pose", "motion", "battery", "silent", "vw", "odo"];
        let ports = ports.map(|name| planned.get(&format!("a.{name}")).copied().unwrap_or(0));
        assert_eq!((ports, after), ([60_000, 60_001, 60_002, 0, 60_003, 60_004], 60_005));
    }
}
