//! Configurations as scenes.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_core::actuator::ActuatorFamily;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::noise::NoiseFamily;
use swarmarium_core::sensor::SensorFamily;
use swarmarium_core::service::note::Note;
use swarmarium_core::service::{Link, StreamDirection, Value};
use swarmarium_scene::scene::description::{Base, Epoch, Group, Pacing, Scene, Sockets, Time};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{base, reader};
use swarmarium_space::arena::Arena;

use super::config::{self, Config, Direction, Modifier, Offsets, Options, Overlay, Stream};
use super::guess::{ANY_SENSOR, Guess, default_direction, direction, guess};
use super::literal::Literal;
use super::{OLD_SOCKET, SOCKET, SOCKET_SERVICES, SOCKET_STREAMS, literal, modifiers, notes};
use crate::import::report::Report;

/// The distance between robots, in metres. A configuration does not state their poses.
const SPACING_M: f64 = 2.0;
/// The ports of MORSE.
pub(super) const PORTS: Sockets = Sockets { services: 4000, streams: 60000, all: 0 };
/// The controller of robots that external programs control.
const EXTERNAL: &str = "External";

/// The names by which MORSE's own services are requested, which are not components.
const PSEUDO_COMPONENTS: [&str; 3] = ["simulation", "communication", "time"];

/// Builds a scene from a configuration.
pub struct SceneBuilder<'a> {
    /// The kinds that the scene can have.
    pub kinds: &'a Kinds,
    /// The byte offsets of the names of components.
    pub offsets: &'a Offsets,
    /// The problems and warnings about the configuration.
    pub report: &'a mut Report,
}

/// The components of a robot as texts of a scene.
#[derive(Default)]
struct RobotComponents {
    sensors: Vec<String>,
    actuators: Vec<String>,
}

impl SceneBuilder<'_> {
    /// The scene that a configuration describes.
    pub fn scene(mut self, name: &str, config: &Config) -> Scene {
        let mut kept_modifiers = config.modifiers.clone();
        let mut robots: BTreeMap<&str, RobotComponents> = BTreeMap::new();
        let all = components(config);
        for component in &all {
            let Some((robot, own)) = robot_and_own(component) else { continue };
            let streams = config.streams.get(*component).map_or(&[][..], Vec::as_slice);
            let guess = self.guess(component, own, streams);
            let Some(guess) = guess else { continue };
            let given = config.modifiers.get(*component).map_or(&[][..], Vec::as_slice);
            let (chain, is_complete) =
                self.noise_chain(component, (guess.kind, guess.is_sensor), given, &Options::new());
            if is_complete {
                kept_modifiers.remove(*component);
            }
            let text = self.component_text(own, &guess, &chain, &self.links(component, config, guess.is_sensor));
            let components = robots.entry(robot).or_default();
            if guess.is_sensor { &mut components.sensors } else { &mut components.actuators }.push(text);
        }
        // MORSE's own services and those of robots have the names of no component.
        let is_served = |name: &str| PSEUDO_COMPONENTS.contains(&name) || robots.contains_key(name);
        for component in all.iter().filter(|name| robot_and_own(name).is_none() && !is_served(name)) {
            let message = format!("`{component}` is outside any robot: its streams and services are kept for exports");
            self.report.warning(self.at(component), "", message);
        }
        for component in kept_modifiers.keys().filter(|name| !all.contains(name.as_str())) {
            let message = format!("`{component}` has neither streams nor services: its modifiers are kept for exports");
            self.report.warning(self.at(component), "component_modifier", message);
        }
        let is_old =
            |(name, all): &(&String, &Vec<Stream>)| robot_and_own(name).is_some() && all.iter().any(is_of_old_socket);
        if let Some((component, _)) = config.streams.iter().find(is_old) {
            let message = format!("`{OLD_SOCKET}` is an early name: exports have `{SOCKET}`");
            self.report.warning(self.at(component), "component_datastream", message);
        }
        let (pacing, kept_managers) = self.managers(&config.managers);
        let groups = self.groups(&robots);
        let width_m = (SPACING_M * groups.len() as f64).max(Arena::default().size_m.x);
        let arena = Arena { size_m: bevy::math::DVec2::new(width_m, Arena::default().size_m.y), ..Arena::default() };
        let time = Time { base: Base::Fastest, pacing, epoch: Epoch::Unix, ..Time::default() };
        let mut scene = Scene {
            name: name.into(),
            about: "Made from a configuration of MORSE".into(),
            arena,
            time,
            sockets: if uses_sockets(config) { PORTS } else { Sockets::default() },
            groups,
            metadata: kept_notes(config, &kept_modifiers, &kept_managers, |name| robot_and_own(name).is_none()),
            ..Scene::default()
        };
        base::resolve(self.kinds, &mut scene);
        scene
    }

    fn at(&self, name: &str) -> usize {
        self.offsets.get(name).copied().unwrap_or_default()
    }

    /// Guesses the kind of a component, and warns of the guess; `None` if the program lacks the kind.
    fn guess(&mut self, component: &str, own: &str, streams: &[Stream]) -> Option<Guess> {
        let name = own.rsplit('.').next().unwrap_or(own);
        let mut guess = guess(name, streams);
        let family = if guess.is_sensor { SensorFamily::NAME } else { ActuatorFamily::NAME };
        let is_known = self.kinds.get(family, guess.kind).is_some();
        if guess.is_sensor && !is_known {
            guess.kind = ANY_SENSOR;
        } else if !is_known || (!guess.is_sensor && self.kinds.get(ControllerFamily::NAME, EXTERNAL).is_none()) {
            let message = format!("`{component}` is left out: there is no {family} `{}`", guess.kind);
            self.report.problem(self.at(component), "", message);
            return None;
        }
        let rate_hz = guess.rate_hz;
        let message = format!("`{component}` is taken for {} at {rate_hz} Hz, {}", guess.kind, guess.reason);
        self.report.warning(self.at(component), "", message);
        Some(guess)
    }

    /// The noise for the modifiers of a component of a kind, and whether it expresses them completely. Arguments that a modifier
    /// does not have are those of the environment, and otherwise the defaults of MORSE.
    pub(super) fn noise_chain(
        &mut self,
        component: &str,
        (kind, is_sensor): (&str, bool),
        given: &[Modifier],
        environment: &Options,
    ) -> (Vec<Slot<NoiseFamily>>, bool) {
        let (mut chain, mut written) = (Vec::new(), Vec::new());
        let direction = default_direction(is_sensor);
        for modifier in given {
            let (noise, left_out) =
                modifiers::noise(self.kinds, &modifiers::with_environment(modifier, environment), kind);
            for message in left_out {
                self.report.warning(self.at(component), "component_modifier", format!("`{component}`: {message}"));
            }
            written.extend(noise.as_ref().and_then(|noise| modifiers::modifier(self.kinds, noise, kind, direction)));
            chain.extend(noise);
        }
        let is_complete = written == with_direction(given, direction);
        (chain, is_complete)
    }

    /// The links of a component: its streams, its services, and then its overlays.
    pub(super) fn links(&self, component: &str, config: &Config, is_sensor: bool) -> Vec<Link> {
        let streams = config.streams.get(component).into_iter().flatten().map(|stream| link(stream, is_sensor));
        let services = config.services.get(component).into_iter().flatten();
        let services = services.map(|manager| Link::Services { via: via(manager, SOCKET_SERVICES) });
        let overlays = config.overlays.iter().filter_map(|(manager, all)| {
            let Overlay { class, options } = all.get(component)?;
            Some(Link::Overlay {
                via: via(manager, SOCKET_SERVICES),
                class: class.clone(),
                name: String::new(),
                services: Vec::new(),
                options: as_notes(options),
            })
        });
        streams.chain(services).chain(overlays).collect()
    }

    /// A sensor or an actuator as a text of a scene.
    fn component_text(&self, own: &str, guess: &Guess, chain: &Vec<Slot<NoiseFamily>>, links: &Vec<Link>) -> String {
        let Guess { kind, rate_hz, .. } = guess;
        let name = write(self.kinds, &own.to_owned(), Style::Short);
        let links = write(self.kinds, links, Style::Short);
        let noise = match chain.is_empty() {
            true => String::new(),
            false => format!("noise: {}, ", write(self.kinds, chain, Style::Short)),
        };
        format!("{kind}(name: {name}, rate_hz: {rate_hz:?}, {noise}links: {links})")
    }

    /// The groups of robots, one robot each.
    fn groups(&mut self, robots: &BTreeMap<&str, RobotComponents>) -> Vec<Group> {
        let mut groups = Vec::new();
        let y_m = Arena::default().center_m().y;
        for (index, (robot, RobotComponents { sensors, actuators })) in robots.iter().enumerate() {
            let name = write(self.kinds, &(*robot).to_owned(), Style::Short);
            let x_m = SPACING_M * (index as f64 + 0.5);
            let control = match actuators.is_empty() {
                true => String::new(),
                false => format!("motion: Holonomic(), controller: {EXTERNAL}(actuators: [{}])", actuators.join(", ")),
            };
            let sensors = sensors.join(", ");
            let text = format!("(name: {name}, at: [({x_m:?}, {y_m:?}, 0.0)], sensors: [{sensors}], {control})");
            match reader::read::<Group>(self.kinds, robot, &text) {
                Ok(group) => groups.push(group),
                Err(problems) => {
                    for problem in problems.problems {
                        self.report.problem(0, robot, format!("{}: {}", problem.path, problem.message));
                    }
                }
            }
        }
        let assumed = "robots are small discs in a row, all components in their middle: poses, shapes and worlds are not in \
                       a configuration";
        self.report.warning(0, "", if groups.is_empty() { "there are no robots" } else { assumed });
        groups
    }

    /// The pacing of the simulation, and the arguments of managers of streams that a scene does not express.
    pub(super) fn managers(&mut self, managers: &BTreeMap<String, Options>) -> (Pacing, BTreeMap<String, Options>) {
        let (mut pacing, mut kept) = (Pacing::Internal, BTreeMap::new());
        for (manager, options) in managers {
            let mut left = options.clone();
            let is_socket = manager == SOCKET || manager == OLD_SOCKET;
            let is_paced = is_socket && left.get("time_sync") == Some(&Literal::Leaf(Value::Bool(true)));
            if is_paced {
                left.remove("time_sync");
                let port = match left.get("sync_port") {
                    Some(Literal::Leaf(Value::Int(port @ 1..=65535))) => u32::try_from(*port).unwrap_or_default(),
                    _ => 0,
                };
                if port > 0 {
                    left.remove("sync_port");
                }
                pacing = Pacing::External { port, min_clients: 0 };
            }
            if !left.is_empty() && is_socket {
                let names = left.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let message = format!("{names} of the sockets says nothing here: it is kept for exports");
                self.report.warning(self.at(manager), "stream_manager", message);
            }
            if !is_paced || !left.is_empty() {
                kept.insert(if is_socket { SOCKET.into() } else { manager.clone() }, left);
            }
        }
        (pacing, kept)
    }
}

/// The names of the components with streams, services or overlays.
fn components(config: &Config) -> BTreeSet<&str> {
    let overlays = config.overlays.values().flat_map(BTreeMap::keys);
    config.streams.keys().chain(config.services.keys()).chain(overlays).map(String::as_str).collect()
}

/// The robot of a component, and the name of the component; `None` for a component outside any robot.
fn robot_and_own(component: &str) -> Option<(&str, &str)> {
    component.split_once('.').filter(|(robot, own)| !robot.is_empty() && !own.is_empty())
}

fn is_of_old_socket(stream: &Stream) -> bool {
    stream.manager == OLD_SOCKET
}

pub(super) fn uses_sockets(config: &Config) -> bool {
    let streams = config.streams.values().flatten().map(|stream| stream.manager.as_str());
    let services = config.services.values().flatten().map(String::as_str);
    streams.chain(services).any(|manager| [SOCKET, OLD_SOCKET, SOCKET_SERVICES].contains(&manager))
}

/// Gives modifiers without a direction a default one.
pub(crate) fn with_direction(modifiers: &[Modifier], default: Direction) -> Vec<Modifier> {
    let with = |modifier: &Modifier| Modifier { direction: modifier.direction.or(Some(default)), ..modifier.clone() };
    modifiers.iter().map(with).collect()
}

/// The manager of a link: empty for the socket.
fn via(manager: &str, socket: &str) -> String {
    if manager == socket { String::new() } else { manager.into() }
}

/// The link for a stream.
fn link(stream: &Stream, is_sensor: bool) -> Link {
    let manager = if stream.manager == OLD_SOCKET { SOCKET } else { &stream.manager };
    let direction = direction(stream).unwrap_or_else(|| default_direction(is_sensor));
    let usual = SOCKET_STREAMS[usize::from(direction == Direction::In)];
    let is_usual = manager == SOCKET && stream.class == usual;
    let mut options = stream.options.clone();
    let port = match options.get("port") {
        Some(Literal::Leaf(Value::Int(port @ 1..=65535))) => u32::try_from(*port).unwrap_or_default(),
        _ => 0,
    };
    if port > 0 {
        options.remove("port");
    }
    Link::Stream {
        via: via(manager, SOCKET),
        class: if is_usual { String::new() } else { stream.class.clone() },
        way: match direction {
            direction if direction == default_direction(is_sensor) => StreamDirection::Natural,
            Direction::In => StreamDirection::In,
            Direction::Out => StreamDirection::Out,
        },
        port,
        options: as_notes(&options),
    }
}

/// Arguments as notes, with their values as literals.
fn as_notes(options: &Options) -> Vec<Note> {
    options.iter().map(|(name, value)| Note { name: name.clone(), text: literal::write(value) }).collect()
}

/// Notes for exports, with the parts of the configuration that the scene does not express: those of components that are not in
/// it, and the given modifiers and arguments of managers.
pub(super) fn kept_notes(
    config: &Config,
    modifiers: &BTreeMap<String, Vec<Modifier>>,
    managers: &BTreeMap<String, Options>,
    is_elsewhere: impl Fn(&String) -> bool,
) -> Vec<Note> {
    let streams = config.streams.iter().filter(|(name, _)| is_elsewhere(name));
    let streams: BTreeMap<_, _> = streams.map(|(name, all)| (name.clone(), all.clone())).collect();
    let services = config.services.iter().filter(|(name, _)| is_elsewhere(name));
    let services: BTreeMap<_, _> = services.map(|(name, all)| (name.clone(), all.clone())).collect();
    let mut overlays = BTreeMap::new();
    for (manager, all) in &config.overlays {
        let own = all.iter().filter(|(name, _)| is_elsewhere(name));
        let own: BTreeMap<_, _> = own.map(|(name, overlay)| (name.clone(), overlay.clone())).collect();
        if !own.is_empty() || all.is_empty() {
            overlays.insert(manager.clone(), own);
        }
    }
    let all = [
        (notes::STREAMS, config::streams_literal(&streams)),
        (notes::MODIFIERS, config::modifiers_literal(modifiers)),
        (notes::SERVICES, config::services_literal(&services)),
        (notes::OVERLAYS, config::overlays_literal(&overlays)),
        (notes::MANAGERS, config::map(managers, config::options_literal)),
    ];
    let all = all.into_iter().filter(|(_, literal)| *literal != Literal::Map(Vec::new()));
    all.map(|(name, literal)| Note { name: name.into(), text: literal::write(&literal) }).collect()
}
