//! Checks of the components of a scene.

use std::collections::BTreeSet;

use bevy::prelude::*;
use swarmarium_base::problem::{Problem, did_you_mean};
use swarmarium_core::actuator::ActuatorKinds;
use swarmarium_core::agent::CommandForm;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::controller::external::External;
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::motion::holonomic::{Frame, Holonomic};
use swarmarium_core::motion::{MotionFamily, MotionKinds};
use swarmarium_core::noise::NoiseKinds;
use swarmarium_core::sensor::{SensorFamily, SensorKinds};
use swarmarium_core::service::{About, Alias, ComponentSlot, Link, StreamDirection};

use crate::component::{naming, property};
use crate::scene::Scene;

/// The problems of the components of a scene.
pub(crate) fn problems(world: &World, scene: &Scene) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, group) in scene.groups.iter().enumerate() {
        let owner = format!("groups[{index}]");
        let found = of_robot(
            world,
            (&owner, group.gripper.is_some()),
            (&group.sensors, &group.controller, &group.motion),
            &mut problems,
        );
        if found > 0
            && let Some(message) = unusable_name(&group.name)
        {
            problems.push(Problem::of_field(format!("{owner}.name"), message));
        }
    }
    for (index, object) in scene.objects.iter().enumerate() {
        let (owner, own) = (format!("objects[{index}]"), object.common());
        if of_robot(world, (&owner, false), (&own.sensors, &own.controller, &own.motion), &mut problems) > 0 {
            let message = "clients reach only robots: remove the `links` of sensors and actuators on objects";
            problems.push(Problem::of_field(owner, message));
        }
    }
    let kinds = world.resource::<Kinds>();
    let has_links = |index: usize| !naming::parts_of(kinds, &scene.groups[index]).is_empty();
    for (index, twin) in naming::clashes(scene) {
        if has_links(index) || has_links(twin) {
            let name = scene.groups[index].name.escape_debug();
            let message = format!("clients would know two robots as `{name}`: rename the group");
            problems.push(Problem::of_field(format!("groups[{index}].name"), message));
        }
    }
    problems.extend(unusable_overlays(kinds, scene));
    problems
}

/// The overlays whose own names refer to more than one component.
fn unusable_overlays(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut taken = BTreeSet::new();
    for (index, group) in scene.groups.iter().enumerate() {
        for (part, place, name) in naming::parts_of(kinds, group).iter().flat_map(names_of_overlays) {
            let copies = group.agents();
            let message = match naming::find_in(kinds, scene, name) {
                _ if copies > 1 => format!("`{name}` would be {copies} robots: leave the name out"),
                Some(known) if known != (index, part) => format!("there is a component `{name}`: rename the overlay"),
                _ if !taken.insert(name) => format!("two overlays are called `{name}`: rename one"),
                _ => continue,
            };
            let part = match part {
                ComponentSlot::Sensor(slot) => format!("sensors[{slot}]"),
                ComponentSlot::Actuator(slot) => format!("controller.actuators[{slot}]"),
            };
            problems.push(Problem::of_field(format!("groups[{index}].{part}.links[{place}].name"), message));
        }
    }
    problems
}

fn is_socket(via: &str) -> bool {
    matches!(via, "" | "socket") || via.ends_with(".SocketRequestManager")
}

/// The own names of a component from the overlays on its sockets, each with the index of the link.
fn names_of_overlays<'a>(part: &naming::Named<'a>) -> impl Iterator<Item = (ComponentSlot, usize, &'a str)> + use<'a> {
    let (part, links) = (part.slot, part.links);
    let name = move |(place, link): (usize, &'a Link)| match link {
        Link::Overlay { via, name, .. } if is_socket(via) && !name.is_empty() => Some((part, place, name.as_str())),
        _ => None,
    };
    links.iter().enumerate().filter_map(name)
}

/// Adds the problems of one robot; returns the number of its components.
fn of_robot(
    world: &World,
    (owner, has_gripper): (&str, bool),
    (sensors, controller, motion): (&[Slot<SensorFamily>], &Slot<ControllerFamily>, &Slot<MotionFamily>),
    problems: &mut Vec<Problem>,
) -> usize {
    let (sensor_kinds, kinds) = (world.resource::<SensorKinds>(), world.resource::<ActuatorKinds>());
    let external = controller.value().downcast_ref::<External>();
    let actuators = external.map_or(&[][..], |external| &external.actuators);
    let mut add = |path: &str, message: String| problems.push(Problem::of_field(path, message));
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut count = 0;
    let mut named = |path: &str, name: &'_ str, links: &[Link], add: &mut dyn FnMut(&str, String)| {
        if links.is_empty() {
            return false;
        }
        count += 1;
        if let Some(message) = unusable_name_of_part(name).filter(|_| !name.is_empty()) {
            add(&format!("{path}.name"), message);
        }
        true
    };
    for (slot, sensor) in sensors.iter().enumerate() {
        let (path, own) = (format!("{owner}.sensors[{slot}]"), sensor.common());
        if named(&path, &own.name, &own.links, &mut add) {
            if !own.name.is_empty() && !names.insert(&own.name) {
                add(&format!("{path}.name"), twin(&own.name));
            }
            let about = sensor_kinds.of_value(sensor.value()).map(|kind| kind.about).unwrap_or_default();
            for (place, message) in unusable_links(&own.links, ComponentSlot::Sensor(0), &about, true) {
                add(&format!("{path}.links[{place}]"), message);
            }
        }
    }
    if actuators.len() > usize::from(u16::MAX) {
        add(&format!("{owner}.controller"), format!("at most {} actuators fit on a robot", u16::MAX));
    }
    for (slot, actuator) in actuators.iter().enumerate() {
        let (path, own) = (format!("{owner}.controller.actuators[{slot}]"), actuator.common());
        let Some(kind) = kinds.find(actuator) else { continue };
        if named(&path, &own.name, &own.links, &mut add) {
            if !own.name.is_empty() && !names.insert(&own.name) {
                add(&format!("{path}.name"), twin(&own.name));
            }
            let takes_any = !kind.fields.is_empty();
            for (place, message) in unusable_links(&own.links, ComponentSlot::Actuator(0), &kind.about, takes_any) {
                add(&format!("{path}.links[{place}]"), message);
            }
        }
        let name = actuator.value().reflect_short_type_path();
        let misfits = world.resource::<NoiseKinds>().misfits(&own.noise, (name, &kind.names()), || kinds.all_names());
        for (place, message) in misfits {
            add(&format!("{path}.noise[{place}]"), message);
        }
        if let Some(message) = world.resource::<Kinds>().problem(actuator) {
            add(&path, message);
        }
        if kind.needs_gripper && !has_gripper {
            add(&path, format!("{name} needs a gripper, and there is none"));
        }
        if kind.goes_any_way
            && let Some(message) = goes_one_way(world, motion)
        {
            add(&path, format!("{name} also moves its robot sideways, {message}"));
        }
    }
    count
}

fn twin(name: &str) -> String {
    format!("two components of this robot are called `{name}`: rename one")
}

/// The reason why clients could not use a name.
fn unusable_name(name: &str) -> Option<String> {
    let is_fine = |letter: char| letter != '.' && !letter.is_whitespace() && !letter.is_control();
    (!name.chars().all(is_fine)).then(|| {
        let name = name.escape_debug();
        format!("`{name}` cannot be a name for clients: dots and blanks separate names")
    })
}

/// The reason why clients could not use the name of a component. Inner dots are allowed: they separate MORSE's
/// components within components.
fn unusable_name_of_part(name: &str) -> Option<String> {
    let unusable = name.split('.').find_map(unusable_name);
    let is_empty = name.split('.').any(str::is_empty);
    unusable.or_else(|| is_empty.then(|| format!("`{name}` cannot be a name for clients: dots separate names")))
}

/// The reason why a motion model cannot move its robot sideways.
fn goes_one_way(world: &World, motion: &Slot<MotionFamily>) -> Option<String> {
    let motion = motion.value();
    let known = world.resource::<MotionKinds>().of_value(motion)?;
    if !known.accepts.contains(&CommandForm::Velocity) {
        return Some(format!("but motion {} does not: use Holonomic", known.name));
    }
    let is_of_world = motion.downcast_ref::<Holonomic>().is_some_and(|motion| motion.frame == Frame::World);
    is_of_world.then(|| "along the axes of its body: motion Holonomic must have `frame: Body`".into())
}

/// The links, by index, that are not valid.
fn unusable_links(links: &[Link], part: ComponentSlot, about: &About, takes_any: bool) -> Vec<(usize, String)> {
    let is_sensor = matches!(part, ComponentSlot::Sensor(_));
    let problem = |link: &Link| match link {
        _ if !takes_any && about.services.is_empty() => Some("clients cannot reach it: it has no links".to_owned()),
        Link::Stream { way: StreamDirection::In, .. } if is_sensor => {
            Some("a sensor takes no commands: its stream goes out".into())
        }
        Link::Stream { way: StreamDirection::Out, .. } if !is_sensor => {
            Some("an actuator has no data to send: its stream goes in".into())
        }
        Link::Stream { .. } | Link::Services { .. } => None,
        Link::Overlay { name, services, .. } => {
            let common = property::common_services(part).iter();
            let known: Vec<&str> = common.chain(about.services).map(|service| service.name).collect();
            let is_unknown = |alias: &&Alias| !known.contains(&&*alias.calls);
            let unknown = services.iter().find(is_unknown).map(|Alias { calls, .. }| {
                let hint = did_you_mean(calls, known.iter().copied());
                let hint = if hint.is_empty() { format!("; known: {}", known.join(", ")) } else { hint };
                format!("there is no service `{calls}`{hint}")
            });
            // The name of an overlay is a full name, which may contain dots.
            unknown.or_else(|| unusable_name(&name.replace('.', "")))
        }
    };
    links.iter().map(problem).enumerate().filter_map(|(place, problem)| Some((place, problem?))).collect()
}
