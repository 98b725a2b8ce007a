//! Ports: of services, of all data, of tokens, and of the stream of each component. The ports of many streams, and any free
//! ports, are opened when clients ask for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use swarmarium_core::service::{Component, ComponentId, ComponentSlot, Fields, Link, Value};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::simulation::Simulation;

use super::directory::Directory;
use super::link::is_socket;
use super::server::{Endpoint, Server};
use super::{Options, SERVICES_PORT, STREAMS_PORT, json};

/// The number of ports that are tried from a requested one on, as in MORSE.
const TRIES: u16 = 10;

/// The largest number of streams whose ports are opened before a client asks for them.
const MAX_OPEN_AT_START: usize = 1000;

/// The port that a component requests for its stream, 0 for any; `None` if the component has no stream on a socket.
pub fn requested_port(component: &Component) -> Option<u16> {
    component.links.iter().find_map(|link| match link {
        Link::Stream { via, port, .. } if is_socket(via) => u16::try_from(*port).ok(),
        _ => None,
    })
}

/// The reason why the sockets of a scene cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Neither a requested port nor one of the next ones can be opened.
    #[error("no port from {first} to {last} can be opened for {purpose}: {error}")]
    Ports {
        /// The requested port.
        first: u16,
        /// The last port that was tried.
        last: u16,
        /// The purpose of the port.
        purpose: &'static str,
        /// The error for the last port.
        error: io::Error,
    },
    /// The system has no thread, file or source of randomness left.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// The ports that a scene and the options request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedPorts {
    /// The port of services.
    services: Option<u16>,
    /// The first port of streams.
    streams: Option<u16>,
    /// The port of the stream of all data.
    all: Option<u16>,
    /// The port for tokens.
    sync: Option<u16>,
    /// Whether all ports are any free ones.
    any: bool,
}

impl RequestedPorts {
    /// The ports that a scene and the options request; `None` for none.
    pub fn new(scene: &Scene, options: &Options) -> Option<Self> {
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
    /// The requested ports.
    pub requested: RequestedPorts,
    /// The port of services.
    pub services: Option<u16>,
    /// The port of the stream of all data.
    pub all: Option<u16>,
    /// The port for tokens.
    pub sync: Option<u16>,
    /// The open streams, by the name of the component.
    streams: BTreeMap<Arc<str>, StreamPort>,
    /// The ports of components with streams, by name: open ones, and those to try first.
    planned: HashMap<String, u16>,
    /// The first port after the planned ones.
    after: u32,
    /// The clients of the stream of each component.
    pub subscribers: BTreeMap<Arc<str>, Vec<u64>>,
    /// The clients of the stream of all data.
    pub subscribers_to_all: Vec<u64>,
}

/// The port of a stream.
struct StreamPort {
    port: u16,
    /// The port that the scene requests, 0 for any.
    requested: u16,
}

/// Plans the ports of components, by name, and returns the first port after them. Components keep the ports that the scene
/// requests for them; the others get the remaining ports from `first` on, in the order of components.
fn plan(first: u16, components: &[Component]) -> (HashMap<String, u16>, u32) {
    let with_streams = || components.iter().filter_map(|component| Some((component, requested_port(component)?)));
    let given: BTreeSet<u16> = with_streams().map(|(_, port)| port).filter(|port| *port > 0).collect();
    let mut next = u32::from(first);
    let mut planned = HashMap::new();
    for (component, requested) in with_streams() {
        if requested > 0 {
            planned.insert(component.name.clone(), requested);
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
    /// Opens the ports of services, of all data and of tokens, and the requested ports of streams.
    ///
    /// # Errors
    /// When neither a port nor one of the next ones can be opened.
    pub fn open(server: &Server, requested: RequestedPorts, directory: &Directory) -> Result<Self, OpenError> {
        let open = |endpoint: Endpoint, port: Option<u16>, purpose: &'static str| {
            port.map(|port| open_near(server, endpoint, if requested.any { 0 } else { port }, purpose)).transpose()
        };
        let services = open(Endpoint::Services, requested.services, "services")?;
        let all = open(Endpoint::All, requested.all, "all data")?;
        let sync = open(Endpoint::Sync, requested.sync, "tokens")?;
        let (streams, planned, subscribers, subscribers_to_all) = Default::default();
        let mut ports =
            Self { requested, services, all, sync, streams, planned, after: 0, subscribers, subscribers_to_all };
        ports.update(server, directory);
        Ok(ports)
    }

    /// The port of the stream of a component, which is opened on the first call; `None` if the component has no stream.
    ///
    /// # Errors
    /// When the system has no port or file left.
    pub fn port_of(&mut self, server: &Server, directory: &Directory, name: &str) -> io::Result<Option<u16>> {
        if self.requested.streams.is_none() {
            return Ok(None);
        }
        if let Some(stream) = self.streams.get(name) {
            return Ok(Some(stream.port));
        }
        let Some(requested) = directory.find(name).and_then(requested_port) else { return Ok(None) };
        // The planned port, then those after all planned ones, then any: so ports do not depend on the order of requests.
        let next = (0..u32::from(TRIES)).filter_map(|place| u16::try_from(self.after + place).ok());
        let candidates: Vec<u16> = self.planned.get(name).copied().into_iter().chain(next).collect();
        let endpoint = Endpoint::Stream(name.into());
        let opened = match self.requested.any {
            true => None,
            false => candidates.into_iter().find_map(|port| server.open(endpoint.clone(), port).ok()),
        };
        let port = match opened {
            Some(port) => port,
            None => server.open(endpoint, 0)?,
        };
        let expected = self.planned.get(name).copied().unwrap_or(port);
        if expected != port && !self.requested.any {
            server.notes.add(format!("the port {expected} of {name} is taken: its stream is on port {port}"));
        }
        self.streams.insert(name.into(), StreamPort { port, requested });
        Ok(Some(port))
    }

    /// Closes the streams of components that no longer exist or request another port, opens those with a requested port and
    /// those whose ports are announced, and returns the names of the closed ones.
    pub fn update(&mut self, server: &Server, directory: &Directory) -> Vec<Arc<str>> {
        let Some(first) = self.requested.streams else { return Vec::new() };
        (self.planned, self.after) = plan(first, &directory.components);
        let is_stale = |(name, stream): &(&Arc<str>, &StreamPort)| {
            directory.find(name).and_then(requested_port).is_none_or(|requested| requested != stream.requested)
        };
        let stale: Vec<Arc<str>> = self.streams.iter().filter(is_stale).map(|(name, _)| name.clone()).collect();
        for name in &stale {
            self.streams.remove(name);
            self.subscribers.remove(name);
            server.close(Endpoint::Stream(name.clone()));
        }
        let opens_all = self.opens_all();
        let is_opened = |component: &&Component| requested_port(component).is_some_and(|port| port > 0 || opens_all);
        for component in directory.components.iter().filter(is_opened) {
            if let Err(error) = self.port_of(server, directory, &component.name) {
                server.notes.add(format!("no port can be opened for the stream of {}: {error}", component.name));
            }
        }
        stale
    }

    /// Whether the ports of all streams are open, and not only those that clients asked for.
    fn opens_all(&self) -> bool {
        !self.requested.any && self.planned.len() <= MAX_OPEN_AT_START
    }

    /// The open ports, by endpoint.
    pub fn endpoints(&self) -> impl Iterator<Item = (Endpoint, u16)> {
        let streams = self.streams.iter().map(|(name, stream)| (Endpoint::Stream(name.clone()), stream.port));
        let port = |endpoint: Endpoint, port: Option<u16>| port.map(|port| (endpoint, port));
        let after = [port(Endpoint::All, self.all), port(Endpoint::Sync, self.sync)];
        port(Endpoint::Services, self.services).into_iter().chain(streams).chain(after.into_iter().flatten())
    }

    /// The number of components whose stream is not open yet.
    pub fn unopened_streams(&self) -> usize {
        self.planned.len().saturating_sub(self.streams.len())
    }

    /// Adds a client to the stream of a component.
    pub fn subscribe(&mut self, name: &Arc<str>, client: u64) {
        self.subscribers.entry(name.clone()).or_default().push(client);
    }

    /// Whether any client reads data.
    pub fn has_subscribers(&self) -> bool {
        !self.subscribers.is_empty() || !self.subscribers_to_all.is_empty()
    }

    /// Removes a client from the stream of a component.
    pub fn unsubscribe(&mut self, name: &Arc<str>, client: u64) {
        if let Some(subscribers) = self.subscribers.get_mut(name) {
            subscribers.retain(|subscriber| *subscriber != client);
            if subscribers.is_empty() {
                self.subscribers.remove(name);
            }
        }
    }

    /// A text for each open port, and one for all streams.
    pub fn descriptions(&self) -> Vec<String> {
        let port = |purpose: &str, port: Option<u16>| port.map(|port| format!("{purpose} on port {port}"));
        let streams = self.requested.streams.map(|first| match self.requested.any {
            true => "a stream for each component on any free port".into(),
            false if self.opens_all() => format!("a stream for each component from port {first} on"),
            false => format!("a stream for each component from port {first} on, opened when a client asks for it"),
        });
        [port("services", self.services), streams, port("all data", self.all), port("tokens", self.sync)]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Opens a port, or one of the next ones, and notes the difference for the user.
fn open_near(server: &Server, endpoint: Endpoint, requested: u16, purpose: &'static str) -> Result<u16, OpenError> {
    let last = if requested == 0 { 0 } else { requested.saturating_add(TRIES - 1) };
    let mut port = requested;
    loop {
        match server.open(endpoint.clone(), port) {
            Ok(opened) => {
                if requested != 0 && opened != requested {
                    server.notes.add(format!("port {requested} is taken: {purpose} on port {opened}"));
                }
                return Ok(opened);
            }
            Err(error) if port == last => return Err(OpenError::Ports { first: requested, last, purpose, error }),
            Err(_) => port += 1,
        }
    }
}

/// The message of a component after the last step; `None` if it took no reading in that step.
pub fn message(simulation: &Simulation, component: ComponentId) -> Option<String> {
    let fields = reading(simulation, component)?;
    let mut text = String::new();
    json::write_fields(&fields, &mut text);
    Some(text)
}

fn reading(simulation: &Simulation, component: ComponentId) -> Option<Fields> {
    let is_sensor = matches!(component.slot, ComponentSlot::Sensor(_));
    (is_sensor && simulation.read_at(component) == Some(simulation.steps())).then(|| simulation.message(component))?
}

/// The line with the messages of all components after the last step.
pub fn message_of_all(simulation: &Simulation, directory: &Directory) -> String {
    let time = simulation.time();
    let mut text = format!("{{\"step\": {}, \"time\": ", time.step);
    json::write_number(simulation.epoch_s() + time.now_s(), &mut text);
    for component in directory.components.iter().filter(|component| requested_port(component).is_some()) {
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
    use swarmarium_formats::standard::{FromScene as _, Standard as _};
    use swarmarium_scene::scene::{Scene, reader};
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    #[test]
    fn planned_ports_leave_out_requested_ones() {
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
        assert_eq!(ports, [60_000, 60_001, 60_002, 0, 60_003, 60_004]);
        assert_eq!(after, 60_005);
    }
}
