//! The names of robots and components for clients.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::names::Names;
use swarmarium_core::actuator::ActuatorFamily;
use swarmarium_core::agent::Member;
use swarmarium_core::controller::external::External;
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::sensor::{ComponentSettings, SensorFamily, Sensors};
use swarmarium_core::service::{ComponentId, ComponentSlot, Link};
use swarmarium_core::step::HasArena as _;

use crate::scene::Scene;
use crate::scene::current::Description;
use crate::scene::description::Group;

/// The name of the robot with this number in its group, counted from 0 (as MORSE names copies).
pub fn of_robot(group: &str, serial: u32) -> String {
    match serial {
        0 => group.to_owned(),
        serial => format!("{group}_{serial:03}"),
    }
}

/// A part of a robot that clients know.
pub struct Named<'w> {
    /// The slot on the robot.
    pub slot: ComponentSlot,
    /// The name of the kind.
    pub kind: &'static str,
    /// The name in the scene; empty for the name of the kind.
    pub name: &'w str,
    /// The links.
    pub links: &'w [Link],
}

/// Names all parts of one robot: first those with a name in the scene, then the others with free names.
pub fn give(parts: &[Named]) -> Vec<String> {
    let mut names = Names::default();
    parts.iter().filter(|part| !part.name.is_empty()).for_each(|part| drop(names.unique(part.name, '_')));
    let name = |part: &Named| match part.name {
        "" => names.unique(&part.kind.to_lowercase(), '_'),
        name => name.to_owned(),
    };
    parts.iter().map(name).collect()
}

/// The parts of a robot that clients know: sensors first, by slot.
pub fn parts(world: &World, agent: Entity) -> Vec<Named<'_>> {
    let kinds = world.resource::<Kinds>();
    let sensors = world.get::<Sensors>(agent).map_or(&[][..], Sensors::slots).iter().enumerate();
    let sensor = |(slot, sensor): (usize, &Entity)| {
        let sensor = world.get_entity(*sensor).ok()?;
        let ComponentSettings { name, links, .. } =
            sensor.get::<ComponentSettings>().filter(|own| !own.links.is_empty())?;
        let kind = kinds.family(SensorFamily::NAME).find(|kind| (kind.component)(sensor).is_some())?;
        Some(Named { slot: ComponentSlot::Sensor(slot as u16), kind: kind.name, name, links })
    };
    let actuators = world.get::<External>(agent).map_or(&[][..], |external| &external.actuators[..]);
    let mut parts: Vec<_> = sensors.filter_map(sensor).collect();
    for (slot, actuator) in actuators.iter().enumerate() {
        let ComponentSettings { name, links, .. } = actuator.common();
        if let Some(kind) = kinds.of_value(ActuatorFamily::NAME, actuator.value()).filter(|_| !links.is_empty()) {
            parts.push(Named { slot: ComponentSlot::Actuator(slot as u16), kind: kind.name, name, links });
        }
    }
    parts
}

/// The robot with a name.
pub(crate) fn robot(world: &World, name: &str) -> Option<Entity> {
    let scene = world.resource::<Description>().scene();
    let nth = |group: &str, serial: u32| {
        let place = scene.groups.iter().position(|known| known.name == group)?;
        let agents = world.arena().by_group.get(place)?;
        let serial_of = |agent: &Entity| world.get::<Member>(*agent).map(|member| member.serial);
        Some(agents[agents.binary_search_by_key(&Some(serial), serial_of).ok()?])
    };
    let copy = || {
        let (group, serial) = numbered(name)?;
        nth(group, serial)
    };
    nth(name, 0).or_else(copy)
}

/// The group and the number of a copy, from its name.
fn numbered(name: &str) -> Option<(&str, u32)> {
    let (group, serial) = name.rsplit_once('_')?;
    let number: u32 = serial.parse().ok()?;
    (number > 0 && of_robot(group, number) == name).then_some((group, number))
}

/// The component with a full name, and the entity of its robot.
pub fn find(world: &World, name: &str) -> Option<(ComponentId, Entity)> {
    let (robot, own) = name.split_once('.')?;
    let agent = self::robot(world, robot)?;
    let parts = parts(world, agent);
    let place = give(&parts).iter().position(|name| name == own)?;
    let number = world.get::<StableId>(agent)?.index();
    Some((ComponentId { agent: number, slot: parts[place].slot }, agent))
}

/// The groups with a robot that would have the same name as one of another group, each with that group.
pub(crate) fn clashes(scene: &Scene) -> Vec<(usize, usize)> {
    let mut first = BTreeMap::new();
    for (index, group) in scene.groups.iter().enumerate() {
        first.entry(group.name.as_str()).or_insert(index);
    }
    let clash = |(index, group): (usize, &Group)| {
        let twin = first.get(group.name.as_str()).copied().filter(|twin| *twin != index);
        let of_copies = || {
            let (base, serial) = numbered(&group.name)?;
            first.get(base).copied().filter(|base| serial < scene.groups[*base].agents())
        };
        Some((index, twin.or_else(of_copies)?))
    };
    scene.groups.iter().enumerate().filter_map(clash).collect()
}

/// The component of a scene with a full name, as its group and slot.
pub(crate) fn find_in(kinds: &Kinds, scene: &Scene, name: &str) -> Option<(usize, ComponentSlot)> {
    let (robot, own) = name.split_once('.')?;
    let is = |name: &str, serial: u32| {
        scene.groups.iter().position(|known| known.name == name).filter(|place| serial < scene.groups[*place].agents())
    };
    let place = is(robot, 0).or_else(|| numbered(robot).and_then(|(group, serial)| is(group, serial)))?;
    let parts = parts_of(kinds, &scene.groups[place]);
    let part = give(&parts).iter().position(|name| name == own)?;
    Some((place, parts[part].slot))
}

/// As [`parts`], for the robots of a group.
pub(crate) fn parts_of<'a>(kinds: &Kinds, group: &'a Group) -> Vec<Named<'a>> {
    let sensor = |(slot, sensor): (usize, &'a Slot<SensorFamily>)| {
        let ComponentSettings { name, links, .. } = sensor.common();
        let kind = kinds.of_value(SensorFamily::NAME, sensor.value())?;
        Some(Named { slot: ComponentSlot::Sensor(slot as u16), kind: kind.name, name, links })
    };
    let actuator = |(slot, actuator): (usize, &'a Slot<ActuatorFamily>)| {
        let ComponentSettings { name, links, .. } = actuator.common();
        let kind = kinds.of_value(ActuatorFamily::NAME, actuator.value())?;
        Some(Named { slot: ComponentSlot::Actuator(slot as u16), kind: kind.name, name, links })
    };
    let external = group.controller.value().downcast_ref::<External>();
    let actuators = external.map_or(&[][..], |external| &external.actuators).iter().enumerate();
    let all = group.sensors.iter().enumerate().filter_map(sensor).chain(actuators.filter_map(actuator));
    all.filter(|part| !part.links.is_empty()).collect()
}
