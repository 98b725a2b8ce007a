//! The components of a simulation, for servers of clients.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::actuator::{ActuatorFamily, ActuatorKind, ActuatorKinds, Field, INTERRUPT, Memory};
use swarmarium_core::agent::Member;
use swarmarium_core::controller::external::{External, Orders};
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::noise::Kept;
use swarmarium_core::sensor::{self, MemoryAhead, SensorFamily};
use swarmarium_core::service::{
    About, Component, ComponentId, ComponentSlot, Fields, Link, ServiceError, Tasks, Value,
};
use swarmarium_core::step::{HasArena as _, find_agent};
use swarmarium_core::time::SimTime;
use swarmarium_core::time::robot::RobotClock;
use swarmarium_scene::component::handle::{self, Handle};
use swarmarium_scene::component::{naming, property};
use swarmarium_scene::scene::current::Description;

use crate::edit::Edit;
use crate::simulation::Simulation;

/// The answer of a service and its effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The value for the client; empty for a task.
    pub value: Value,
    /// The edit that takes effect at the start of the next step; `None` if there is nothing to do.
    pub edit: Option<Edit>,
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self { value, edit: None }
    }
}

/// The memory that a component will have after the pending edits. It starts without pending edits.
#[derive(Debug, Default)]
pub struct PendingMemory {
    actuator: Option<Memory>,
    sensor: MemoryAhead,
}

impl PendingMemory {
    /// Sends something to an actuator after all pending edits; returns whether it changes the memory.
    fn attempt<T>(
        &mut self,
        handle: &Handle,
        tell: impl FnOnce(&mut Memory) -> Result<T, ServiceError>,
    ) -> Result<(T, bool), ServiceError> {
        let before = self.actuator.take().unwrap_or_else(|| handle.memory());
        let mut memory = before.clone();
        let told = tell(&mut memory);
        let changes = told.is_ok() && memory != before;
        self.actuator = Some(if told.is_ok() { memory } else { before });
        told.map(|told| (told, changes))
    }
}

/// A component as it is.
enum Owned {
    Sensor(Slot<SensorFamily>),
    Actuator(Slot<ActuatorFamily>),
}

impl Owned {
    fn value(&self) -> &dyn Reflect {
        match self {
            Self::Sensor(slot) => slot,
            Self::Actuator(slot) => slot,
        }
    }

    fn links(&self) -> &[Link] {
        match self {
            Self::Sensor(slot) => &slot.common().links,
            Self::Actuator(slot) => &slot.common().links,
        }
    }
}

impl Simulation {
    /// All components, ordered by robot; the sensors of a robot come first, by slot.
    pub fn components(&self) -> Vec<Component> {
        let world = self.world();
        let mut all = Vec::new();
        for &agent in &world.arena().agents {
            let parts = naming::parts(world, agent);
            if parts.is_empty() {
                continue;
            }
            let Some(number) = world.get::<StableId>(agent).map(|id| id.index()) else { continue };
            let robot = name_of(world, agent);
            for (part, name) in parts.iter().zip(naming::give(&parts)) {
                let id = ComponentId { agent: number, slot: part.slot };
                all.push(Component {
                    id,
                    name: format!("{robot}.{name}"),
                    kind: part.kind,
                    about: about(world, agent, part.slot),
                    links: part.links.to_vec(),
                });
            }
        }
        all
    }

    /// The name of a robot for clients: the name of its group if it is alone, otherwise with `_001` and so on from the
    /// second robot of the group on (as MORSE names copies).
    pub fn robot_name(&self, agent: u32) -> String {
        let world = self.world();
        find_agent(world, agent).map(|agent| name_of(world, agent)).unwrap_or_default()
    }

    /// The message of a sensor to clients after its last reading, starting with the time by the clock of its robot;
    /// `None` if there is none.
    pub fn message(&self, id: ComponentId) -> Option<Fields> {
        let sensor = self.world().get_entity(self.sensor_of(id)?).ok()?;
        let told = sensor::message(self.world(), sensor, &|number| self.robot_name(number))?;
        let mut message = Vec::with_capacity(told.len() + 1);
        message.push(("timestamp".into(), self.timestamp_s(id).into()));
        message.extend(told);
        Some(message)
    }

    /// The time of the last reading of a sensor by the clock of its robot, counted from the epoch.
    fn timestamp_s(&self, id: ComponentId) -> f64 {
        let world = self.world();
        let time = SimTime { step: self.read_at(id).unwrap_or(self.steps()), ..self.time() };
        let clock = find_agent(world, id.agent).and_then(|agent| world.get::<RobotClock>(agent));
        let shows = |clock: &RobotClock| clock.now_s(world.arena().seed, StableId::agent(id.agent), &time);
        self.epoch_s() + clock.map_or_else(|| time.now_s(), shows)
    }

    /// The step of the last reading of a sensor.
    pub fn read_at(&self, id: ComponentId) -> Option<u64> {
        self.world().get::<Kept>(self.sensor_of(id)?)?.read_at()
    }

    /// The tasks of an actuator.
    pub fn tasks(&self, id: ComponentId) -> Tasks {
        let ComponentSlot::Actuator(slot) = id.slot else { return Tasks::default() };
        let agent = find_agent(self.world(), id.agent);
        let orders = agent.and_then(|agent| self.world().get::<Orders>(agent));
        orders.and_then(|orders| orders.actuator(usize::from(slot))).map(|memory| memory.tasks).unwrap_or_default()
    }

    /// The answer and effect of a service of a component, after the pending edits. Nothing is changed.
    ///
    /// The service `interrupt` of an actuator with tasks cancels its current task.
    ///
    /// # Errors
    /// If the service fails, with the message of MORSE.
    pub fn ask(
        &self,
        id: ComponentId,
        service: &str,
        arguments: &[Value],
        waiting: &[Edit],
    ) -> Result<Answer, ServiceError> {
        let mut ahead = PendingMemory::default();
        waiting.iter().for_each(|edit| self.predict(id, edit, &mut ahead));
        self.ask_after(id, service, arguments, &mut ahead)
    }

    /// The answer and effect of a service of a component, after its pending memory; the effect is added to that memory.
    /// The simulation is not changed.
    ///
    /// # Errors
    /// If the service fails; then the pending memory stays as it is.
    #[doc(hidden)]
    pub fn ask_after(
        &self,
        id: ComponentId,
        service: &str,
        arguments: &[Value],
        ahead: &mut PendingMemory,
    ) -> Result<Answer, ServiceError> {
        let world = self.world();
        let unknown = || ServiceError::Unknown(service.to_owned());
        let agent = find_agent(world, id.agent).ok_or_else(unknown)?;
        let slot = slot_of(world, agent, id.slot).ok_or_else(unknown)?;
        let has_services = |link: &Link| !matches!(link, Link::Stream { .. });
        if !slot.links().iter().any(has_services) {
            return Err(unknown());
        }
        let (about, name) = (about(world, agent, id.slot), full_name(world, agent, id.slot).ok_or_else(unknown)?);
        if let Some(common) = property::common_services(id.slot).iter().find(|common| common.name == service) {
            common.check_count(arguments.len())?;
            return self.ask_common(id, (service, arguments), (&about, &name), slot.value());
        }
        let known = about.services.iter().find(|known| known.name == service);
        if known.is_none() && service != INTERRUPT {
            return Err(unknown());
        }
        if let Some(known) = known {
            known.check_count(arguments.len())?;
            if let (Some(field), [value, ..]) = (known.sets, arguments) {
                let unit = about.properties.iter().find(|property| property.field == field);
                let edit = self.setting(id, field, value, unit.map_or(1.0, |property| property.unit), slot.value())?;
                return Ok(Answer { value: Value::Null, edit: Some(edit) });
            }
        }
        let (value, does_something) = match id.slot {
            ComponentSlot::Sensor(_) => (self.ask_sensor(id, (service, arguments), ahead)?, true),
            ComponentSlot::Actuator(slot) => {
                let handle = Handle::of(world, agent, slot).ok_or(ServiceError::Gone)?;
                ahead.attempt(&handle, |memory| handle.call(memory, service, arguments))?
            }
        };
        let edit = || Edit::Call { component: name, service: service.to_owned(), arguments: arguments.to_vec() };
        Ok(Answer { value, edit: does_something.then(edit) })
    }

    /// Adds a pending edit to the pending memory of a component. Only calls and feeds of this component have an effect.
    #[doc(hidden)]
    pub fn predict(&self, id: ComponentId, edit: &Edit, ahead: &mut PendingMemory) {
        let (Edit::Call { component, .. } | Edit::Feed { component, .. }) = edit else { return };
        let Some((known, agent)) = naming::find(self.world(), component) else { return };
        if known != id {
            return;
        }
        // Invalid edits are not applied.
        match (id.slot, edit) {
            (ComponentSlot::Actuator(slot), edit) => {
                let Some(handle) = Handle::of(self.world(), agent, slot) else { return };
                _ = ahead.attempt(&handle, |memory| match edit {
                    Edit::Call { service, arguments, .. } => handle.call(memory, service, arguments).map(drop),
                    Edit::Feed { fields, .. } => handle.feed(memory, fields),
                    _ => Ok(()),
                });
            }
            (ComponentSlot::Sensor(_), Edit::Call { service, arguments, .. }) => {
                _ = self.ask_sensor(id, (service, arguments), ahead);
            }
            (ComponentSlot::Sensor(_), _) => {}
        }
    }

    fn ask_common(
        &self,
        id: ComponentId,
        (service, arguments): (&str, &[Value]),
        (about, component): (&About, &str),
        slot: &dyn Reflect,
    ) -> Result<Answer, ServiceError> {
        let kinds = self.kinds();
        match (service, arguments) {
            ("get_properties", _) => Ok(property::all(kinds, about, slot).into()),
            ("get_configurations", _) => Ok(property::configurations(kinds, about, slot).into()),
            ("set_property", [name, value, ..]) => {
                let property = property::find(about, component, name)?;
                let edit = self.setting(id, property.field, value, property.unit, slot)?;
                Ok(Answer { value: Value::Null, edit: Some(edit) })
            }
            _ => {
                let nothing = || vec![("timestamp".into(), self.timestamp_s(id).into())];
                Ok(Value::Map(self.message(id).unwrap_or_else(nothing)).into())
            }
        }
    }

    /// The edit that sets a parameter of a component to the value that a client sent.
    fn setting(
        &self,
        id: ComponentId,
        field: &str,
        value: &Value,
        unit: f64,
        slot: &dyn Reflect,
    ) -> Result<Edit, ServiceError> {
        let current = swarmarium_scene::scene::path::get(self.kinds(), slot, field)?;
        let edit = Edit::Set { path: property::path_of(id, field), value: property::written(current, value, unit)? };
        self.check(&edit)?;
        Ok(edit)
    }

    fn ask_sensor(
        &self,
        id: ComponentId,
        call: (&str, &[Value]),
        ahead: &mut PendingMemory,
    ) -> Result<Value, ServiceError> {
        let sensor = self.sensor_of(id).and_then(|sensor| self.world().get_entity(sensor).ok());
        sensor::ask(self.world(), sensor.ok_or(ServiceError::Gone)?, &mut ahead.sensor, call)
    }

    /// The fields that the stream of an actuator accepts.
    pub fn takes(&self, id: ComponentId) -> &'static [Field] {
        let agent = find_agent(self.world(), id.agent);
        agent.and_then(|agent| kind_of(self.world(), agent, id.slot)).map_or(&[], |kind| kind.fields)
    }

    /// The edit that passes a message of its stream to an actuator: the fields that it knows.
    ///
    /// # Errors
    /// If a field is not valid; missing fields keep their values.
    pub fn feed(&self, id: ComponentId, fields: &Fields) -> Result<Edit, ServiceError> {
        let world = self.world();
        let agent = find_agent(world, id.agent).ok_or(ServiceError::NoActuator)?;
        let kind = kind_of(world, agent, id.slot).ok_or(ServiceError::NoActuator)?;
        let is_known = |(name, _): &&(String, Value)| kind.fields.iter().any(|field| field.name == name);
        let fields: Fields = fields.iter().filter(is_known).cloned().collect();
        let ComponentSlot::Actuator(slot) = id.slot else { return Err(ServiceError::NoActuator) };
        let handle = Handle::of(world, agent, slot).ok_or(ServiceError::NoActuator)?;
        handle.feed(&mut handle.memory(), &fields)?;
        Ok(Edit::Feed { component: full_name(world, agent, id.slot).ok_or(ServiceError::NoActuator)?, fields })
    }

    fn sensor_of(&self, id: ComponentId) -> Option<Entity> {
        let ComponentSlot::Sensor(slot) = id.slot else { return None };
        handle::sensor(self.world(), find_agent(self.world(), id.agent)?, slot)
    }
}

fn name_of(world: &World, agent: Entity) -> String {
    let Some(member) = world.get::<Member>(agent) else { return String::new() };
    let group = world.resource::<Description>().scene().groups.get(member.group as usize);
    group.map(|group| naming::of_robot(&group.name, member.serial)).unwrap_or_default()
}

fn full_name(world: &World, agent: Entity, slot: ComponentSlot) -> Option<String> {
    let parts = naming::parts(world, agent);
    let place = parts.iter().position(|known| known.slot == slot)?;
    Some(format!("{}.{}", name_of(world, agent), naming::give(&parts).swap_remove(place)))
}

fn about(world: &World, agent: Entity, slot: ComponentSlot) -> About {
    match slot {
        ComponentSlot::Sensor(slot) => {
            let sensor = handle::sensor(world, agent, slot).and_then(|sensor| world.get_entity(sensor).ok());
            sensor.map(|sensor| sensor::about(world, sensor)).unwrap_or_default()
        }
        ComponentSlot::Actuator(_) => kind_of(world, agent, slot).map(|kind| kind.about).unwrap_or_default(),
    }
}

/// The kind of an actuator.
fn kind_of(world: &World, agent: Entity, slot: ComponentSlot) -> Option<&ActuatorKind> {
    let ComponentSlot::Actuator(slot) = slot else { return None };
    let actuator = world.get::<External>(agent)?.actuators.get(usize::from(slot))?;
    world.resource::<ActuatorKinds>().find(actuator)
}

fn slot_of(world: &World, agent: Entity, slot: ComponentSlot) -> Option<Owned> {
    match slot {
        ComponentSlot::Sensor(slot) => {
            let sensor = world.get_entity(handle::sensor(world, agent, slot)?).ok()?;
            world.resource::<Kinds>().on_entity(sensor).map(Owned::Sensor)
        }
        ComponentSlot::Actuator(slot) => {
            let actuator = world.get::<External>(agent)?.actuators.get(usize::from(slot))?;
            Some(Owned::Actuator(actuator.clone()))
        }
    }
}

#[cfg(test)]
mod tests;
