//! Scenes as MORSE configurations: the five dictionaries of `component_config.py`.
//!
//! They have only the streams, modifiers, services and overlays of components.

use bevy::reflect::{PartialReflect, Reflect, ReflectRef};
use swarmarium_base::problem::Problem;
use swarmarium_core::actuator::ActuatorFamily;
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::noise::NoiseFamily;
use swarmarium_core::sensor::SensorFamily;
use swarmarium_core::service::note::Note;
use swarmarium_core::service::{self, Link, StreamDirection, Value};
use swarmarium_scene::component::naming::{self, Named};
use swarmarium_scene::scene::description::{Group, Pacing, Scene};
use swarmarium_scene::scene::path;
use swarmarium_simulation::simulation::Recipe;

use super::Exported;
use crate::import::morse::config::{Config, Direction, Modifier, Options, Overlay, Stream};
use crate::import::morse::guess::default_direction;
use crate::import::morse::literal::Literal;
use crate::import::morse::scene::with_direction;
use crate::import::morse::{SOCKET, SOCKET_SERVICES, SOCKET_STREAMS, literal, modifiers, notes};

/// The lists of components of a group, and whether they are sensors.
const COMPONENT_LISTS: [(&str, bool); 2] = [("sensors", true), ("controller.actuators", false)];

/// Writes a scene as a configuration.
///
/// # Errors
/// Never: parts without an equivalent are warnings.
pub fn export(recipe: &Recipe, scene: &Scene) -> Result<Exported, Vec<Problem>> {
    let mut builder = ConfigBuilder {
        kinds: recipe.kinds(),
        kept: kept(scene),
        environment: environment(scene),
        config: Config::default(),
        warnings: Vec::new(),
    };
    for (index, group) in scene.groups.iter().enumerate() {
        builder.add_group(index, group);
    }
    builder.add_scene(scene);
    let ConfigBuilder { config, mut warnings, .. } = builder;
    let all =
        "robots, kinds of components, their places and parameters are not in a configuration: MORSE's builder has them";
    warnings.push(Problem::of_file(all));
    Ok(Exported { text: config.text(), warnings })
}

/// The configuration in the notes of a scene, which an import kept there. Malformed notes do not count.
fn kept(scene: &Scene) -> Config {
    let named = |name: &str| scene.metadata.iter().find(|note| note.name == name).map(|note| note.text.as_str());
    let all = [notes::STREAMS, notes::MODIFIERS, notes::SERVICES, notes::OVERLAYS, notes::MANAGERS];
    let texts = all.iter().filter_map(|note| {
        let name = note.trim_start_matches("morse.");
        Some(format!("{name} = {}\n", named(note)?))
    });
    let read = |text: String| Config::read(&text, &mut crate::import::Report::default()).ok();
    texts.filter_map(read).fold(Config::default(), |all, (one, _)| Config {
        streams: all.streams.into_iter().chain(one.streams).collect(),
        modifiers: all.modifiers.into_iter().chain(one.modifiers).collect(),
        services: all.services.into_iter().chain(one.services).collect(),
        overlays: all.overlays.into_iter().chain(one.overlays).collect(),
        managers: all.managers.into_iter().chain(one.managers).collect(),
    })
}

/// The numbers of the environment of a builder script, which an import kept.
fn environment(scene: &Scene) -> Options {
    let text = scene.metadata.iter().find(|note| note.name == notes::ENVIRONMENT).map(|note| note.text.as_str());
    match text.and_then(|text| literal::value(text).ok()).map(|node| node.plain()) {
        Some(Literal::Map(entries)) => entries.into_iter().map(|(_, name, value)| (name, value.literal)).collect(),
        _ => Options::new(),
    }
}

/// Builds a configuration from a scene.
struct ConfigBuilder<'a> {
    kinds: &'a Kinds,
    kept: Config,
    environment: Options,
    config: Config,
    warnings: Vec<Problem>,
}

/// A component of a group.
struct Component<'a> {
    /// Its path in the scene.
    path: String,
    /// Its name.
    name: String,
    kind: String,
    is_sensor: bool,
    links: &'a [Link],
    noise: &'a [Slot<NoiseFamily>],
}

impl ConfigBuilder<'_> {
    fn add_group(&mut self, index: usize, group: &Group) {
        let components = self.components(index, group);
        if components.is_empty() {
            return;
        }
        for number in 0..group.agents() {
            let robot = naming::of_robot(&group.name, number);
            for component in &components {
                self.add_component(&format!("{robot}.{}", component.name), component, number == 0);
            }
        }
    }

    /// The sensors and actuators of a group that have links.
    fn components<'g>(&self, index: usize, group: &'g Group) -> Vec<Component<'g>> {
        let mut components = Vec::new();
        let mut named = Vec::new();
        for (within, is_sensor) in COMPONENT_LISTS {
            for place in 0..count(self.kinds, group, within) {
                let at = format!("{within}.{place}");
                let Some(kind) = path::get(self.kinds, group, &at).ok() else { continue };
                let kind = self.kinds.see_through(kind).reflect_short_type_path().to_owned();
                let family = if is_sensor { SensorFamily::NAME } else { ActuatorFamily::NAME };
                let known = self.kinds.family(family).find(|known| known.name == kind).map_or("", |known| known.name);
                let links = get::<Vec<Link>>(self.kinds, group, &format!("{at}.links")).map_or(&[][..], Vec::as_slice);
                if links.is_empty() {
                    continue;
                }
                let noise = get::<Vec<Slot<NoiseFamily>>>(self.kinds, group, &format!("{at}.noise"));
                let name = get::<String>(self.kinds, group, &format!("{at}.name")).map_or("", String::as_str);
                let slot = if is_sensor { service::ComponentSlot::Sensor } else { service::ComponentSlot::Actuator };
                named.push(Named { slot: slot(place as u16), kind: known, name, links });
                let (path, noise) =
                    (format!("groups[{index}].{within}[{place}]"), noise.map_or(&[][..], Vec::as_slice));
                components.push(Component { path, name: String::new(), kind, is_sensor, links, noise });
            }
        }
        for (component, name) in components.iter_mut().zip(naming::give(&named)) {
            component.name = name;
        }
        components
    }

    /// Adds a component under a name. Only the first robot of a group `warns` of parts without an equivalent.
    fn add_component(&mut self, name: &str, component: &Component, warns: bool) {
        for link in component.links {
            match link {
                Link::Stream { via, class, way, port, options } => {
                    let direction = match way {
                        StreamDirection::Natural => default_direction(component.is_sensor),
                        StreamDirection::In => Direction::In,
                        StreamDirection::Out => Direction::Out,
                    };
                    let usual = SOCKET_STREAMS[usize::from(direction == Direction::In)];
                    let class = if class.is_empty() { usual.to_owned() } else { class.clone() };
                    let mut options = as_options(options);
                    if *port > 0 {
                        options.insert("port".into(), Literal::Leaf(Value::Int(i64::from(*port))));
                    }
                    let stream = Stream { manager: manager(via, SOCKET), class, direction: Some(direction), options };
                    self.config.streams.entry(name.into()).or_default().push(stream);
                }
                Link::Services { via } => {
                    self.config.services.entry(name.into()).or_default().push(manager(via, SOCKET_SERVICES));
                }
                Link::Overlay { via, class, name: own_name, services, options } => {
                    if warns && (class.is_empty() || !own_name.is_empty() || !services.is_empty()) {
                        let message =
                            "names of services are not in a configuration: in MORSE the class of an overlay has them";
                        self.warn(&component.path, message);
                    }
                    let overlay = Overlay { class: class.clone(), options: as_options(options) };
                    let of_manager = self.config.overlays.entry(manager(via, SOCKET_SERVICES)).or_default();
                    of_manager.insert(name.into(), overlay);
                }
            }
        }
        let modifiers = self.modifiers(name, component, warns);
        if !modifiers.is_empty() {
            self.config.modifiers.insert(name.into(), modifiers);
        }
    }

    /// The modifiers of a component: those that an import kept, if they still express the noise of the component.
    fn modifiers(&mut self, name: &str, component: &Component, warns: bool) -> Vec<Modifier> {
        let direction = default_direction(component.is_sensor);
        if let Some(kept) = self.kept.modifiers.remove(name) {
            let noise = |modifier| {
                let modifier = modifiers::with_environment(modifier, &self.environment);
                modifiers::noise(self.kinds, &modifier, &component.kind).0
            };
            let expressed: Vec<_> = kept.iter().filter_map(noise).collect();
            if expressed == component.noise {
                return with_direction(&kept, direction);
            }
        }
        let mut all = Vec::new();
        for (place, noise) in component.noise.iter().enumerate() {
            match modifiers::modifier(self.kinds, noise, &component.kind, direction) {
                Some(modifier) => all.push(modifier),
                None if warns => {
                    let kind = noise.value().reflect_short_type_path();
                    self.warn(
                        &format!("{}.noise[{place}]", component.path),
                        &format!("MORSE has no modifier for {kind}"),
                    );
                }
                None => {}
            }
        }
        all
    }

    /// Adds the pacing of the scene, and the parts that an import kept.
    fn add_scene(&mut self, scene: &Scene) {
        if let Pacing::External { port, min_clients } = scene.time.pacing {
            let options = self.config.managers.entry(SOCKET.into()).or_default();
            options.insert("time_sync".into(), Literal::Leaf(Value::Bool(true)));
            if port > 0 {
                options.insert("sync_port".into(), Literal::Leaf(Value::Int(i64::from(port))));
            }
            if min_clients > 0 {
                self.warn("time.pacing.min_clients", "MORSE waits for one client");
            }
        }
        let Config { streams, modifiers, services, overlays, managers } = std::mem::take(&mut self.kept);
        for (component, all) in streams {
            self.config.streams.entry(component).or_insert(all);
        }
        for (component, all) in modifiers {
            self.config.modifiers.entry(component).or_insert(all);
        }
        for (name, all) in services {
            self.config.services.entry(name).or_insert(all);
        }
        for (manager, all) in overlays {
            let known = self.config.overlays.entry(manager).or_default();
            all.into_iter().for_each(|(name, overlay)| {
                known.entry(name).or_insert(overlay);
            });
        }
        for (manager, all) in managers {
            let known = self.config.managers.entry(manager).or_default();
            all.into_iter().for_each(|(name, value)| {
                known.entry(name).or_insert(value);
            });
        }
    }

    fn warn(&mut self, path: &str, message: &str) {
        self.warnings.push(Problem::of_field(path, message));
    }
}

fn get<'v, T: Reflect>(kinds: &Kinds, root: &'v dyn Reflect, path: &str) -> Option<&'v T> {
    path::get(kinds, root, path).ok()?.downcast_ref()
}

/// The number of items of a list.
fn count(kinds: &Kinds, group: &Group, path: &str) -> usize {
    match path::get(kinds, group, path).ok().map(PartialReflect::reflect_ref) {
        Some(ReflectRef::List(list)) => list.len(),
        _ => 0,
    }
}

fn manager(via: &str, socket: &str) -> String {
    if via.is_empty() || via == "socket" { socket.into() } else { via.into() }
}

/// Arguments from notes. A note that is not a literal is a text.
fn as_options(notes: &[Note]) -> Options {
    let value = |text: &str| literal::value(text).map_or_else(|_| Literal::from(text), |node| node.plain());
    notes.iter().map(|Note { name, text }| (name.clone(), value(text))).collect()
}

#[cfg(test)]
mod tests;
