//! Read access to agents.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::contact::{Bumps, Dead};
use swarmarium_core::agent::failure::Failure;
use swarmarium_core::agent::{Command, CommandForm, Displacement, Member, Pose};
use swarmarium_core::controller::commanded;
use swarmarium_core::controller::{ControllerFamily, ControllerKinds};
use swarmarium_core::kind::{Family as _, Kinds};
use swarmarium_core::metric::Census;
use swarmarium_core::radio::{Inbox, Packet, Radio, Turn};
use swarmarium_core::sensor::{self, ComponentSettings, Gauge, Reading, SensorFamily, SensorKinds, Sensors};
use swarmarium_core::step::HasArena as _;
use swarmarium_core::time::SimTime;
use swarmarium_space::Target;

use crate::scene::current::Description;
use crate::scene::description::Group;

/// Read access to one agent.
#[derive(Clone, Copy)]
pub struct AgentView<'w> {
    /// The world of the agent, for the other crates of the program.
    #[doc(hidden)]
    pub world: &'w World,
    entity: Entity,
    /// The stable id.
    pub id: StableId,
    /// The pose.
    pub pose: Pose,
    /// The group and the number in it.
    pub member: Member,
}

/// The last reading of a sensor of an agent, and its present target.
#[derive(Clone)]
pub struct Sense<'w> {
    /// The name of the kind of the sensor.
    pub kind: &'static str,
    /// The numbers of the last reading.
    pub reading: &'w [f64],
    /// The name of the agent or object that is in sight, if the sensor can identify it.
    ///
    /// It is looked up after the step, so it can disagree with the older reading.
    pub sees: Option<String>,
    world: &'w World,
    sensor: EntityRef<'w>,
}

impl Sense<'_> {
    /// The name of one of the numbers as words, and its unit.
    pub fn channel(&self, channel: usize) -> (String, &'static str) {
        sensor::channel(self.world, self.sensor, channel)
    }

    /// The names of the numbers as columns of tables: the name of the sensor, or of its kind, then the name or the place
    /// of the number, and its unit, as in `Pose.x_m`.
    #[doc(hidden)]
    pub fn column_names(&self) -> Vec<String> {
        let settings = self.sensor.get::<ComponentSettings>().filter(|settings| !settings.name.is_empty());
        let sensor = settings.map_or(self.kind, |settings| &settings.name);
        let kinds = self.world.resource::<Kinds>();
        let mut kind = kinds.family(SensorFamily::NAME).filter_map(|kind| (kind.component)(self.sensor));
        let fields = kind.next().map_or(&[][..], |kind| self.world.resource::<SensorKinds>().fields(kind));
        let name = |place: usize| {
            let mut name = sensor.to_owned();
            match fields.get(place) {
                Some(field) => name = format!("{name}.{field}"),
                None if self.reading.len() > 1 => name = format!("{name}.{place}"),
                None => {}
            }
            match unit_in_name(self.channel(place).1) {
                unit if unit.is_empty() => name,
                unit => format!("{name}_{unit}"),
            }
        };
        (0..self.reading.len()).map(name).collect()
    }

    /// The drawing for the reading.
    pub fn gauge(&self) -> Gauge {
        sensor::gauge(self.world, self.sensor)
    }
}

/// A unit as a part of a name: `m_per_s2` for m/s².
fn unit_in_name(unit: &str) -> String {
    let parts = [("/", "_per_"), ("²", "2"), ("°", "deg"), ("%", "percent")];
    parts.iter().fold(unit.to_owned(), |unit, (sign, word)| unit.replace(sign, word))
}

impl<'w> AgentView<'w> {
    /// The agent that an entity is; `None` if it is none.
    pub fn of(world: &'w World, entity: Entity) -> Option<Self> {
        let agent = world.get_entity(entity).ok()?;
        let (id, pose, member) = (*agent.get()?, *agent.get()?, *agent.get()?);
        Some(Self { world, entity, id, pose, member })
    }

    /// The agent with a number among those that a metric observes.
    pub fn seen(census: Census<'w>, number: u32) -> Option<Self> {
        Self::of(census.world(), census.agent(number)?)
    }

    /// The agents that a metric observes, in the order of their stable ids.
    pub fn all_seen(census: Census<'w>) -> impl Iterator<Item = Self> {
        census.agents().filter_map(move |agent| Self::of(census.world(), agent))
    }

    /// The entity of the agent.
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// The name of the group, with the number within it if the group started with several agents.
    pub fn name(&self) -> String {
        let Member { group, serial, alone } = self.member;
        match self.world.resource::<Description>().scene().groups.get(group as usize) {
            Some(group) if alone => group.name.clone(),
            Some(group) => format!("{}-{serial}", group.name),
            None => format!("agent-{}", self.id.index()),
        }
    }

    /// The command of the controller.
    pub fn command(&self) -> Command {
        self.get().unwrap_or_default()
    }

    /// The forms of commands that the motion model takes, its native form first.
    pub fn command_forms(&self) -> &'w [CommandForm] {
        commanded::forms(self.world, self.entity)
    }

    /// The controller.
    pub fn controller(&self) -> Option<&'w dyn Reflect> {
        let (kinds, agent) = (self.world.resource::<Kinds>(), self.world.entity(self.entity));
        let mut controllers = kinds.family(ControllerFamily::NAME).filter_map(|kind| (kind.component)(agent));
        controllers.next().map(|controller| controller as _)
    }

    /// The memory of the controller.
    pub fn memory(&self) -> Option<&'w dyn Reflect> {
        self.world.resource::<ControllerKinds>().memory(self.world.entity(self.entity))
    }

    /// The radio, its turn and its inbox.
    pub fn radio(&self) -> Option<(&'w Radio, &'w Turn, &'w Inbox)> {
        let agent = self.world.entity(self.entity);
        Some((agent.get()?, agent.get()?, agent.get()?))
    }

    /// The shape of the body.
    pub fn body(&self) -> Body {
        self.world.get(self.entity).cloned().unwrap_or_default()
    }

    /// The displacement in the last step, pushes included, in metres.
    pub fn displacement_m(&self) -> DVec2 {
        self.get().map(|Displacement(moved)| moved).unwrap_or_default()
    }

    /// Body, motion model, sensors and controller of this agent, as a group of one agent.
    ///
    /// They are those of its group unless an edit changed this agent only.
    pub fn description(&self) -> Group {
        let group = self.world.resource::<Description>().scene().groups.get(self.member.group as usize);
        let Group { body, motion, controller, sensors, .. } = self.parts();
        Group { body, motion, controller, sensors, ..group.cloned().unwrap_or_default() }
    }

    /// As [`description`](Self::description), but with body, motion model, sensors and controller only.
    pub fn parts(&self) -> Group {
        let (kinds, entity) = (self.world.resource::<Kinds>(), self.world.entity(self.entity));
        let default = Group::default();
        Group {
            body: self.world.get(self.entity).cloned().unwrap_or(default.body),
            motion: kinds.on_entity(entity).unwrap_or(default.motion),
            controller: kinds.on_entity(entity).unwrap_or(default.controller),
            sensors: self.sensors().filter_map(|sensor| kinds.on_entity(sensor)).collect(),
            ..default
        }
    }

    /// The estimate of the mean over all robots that the controller has; empty for controllers without one.
    pub fn estimate(&self) -> &'w [f64] {
        self.world.resource::<ControllerKinds>().estimate(self.world.entity(self.entity))
    }

    /// The packets in the inbox, by sender.
    pub fn packets(&self) -> std::slice::Iter<'w, Packet> {
        self.component::<Inbox>().map_or(&[][..], Inbox::packets).iter()
    }

    /// The numbers of the senders of the packets in the inbox, and the ages of the packets for tables, in seconds.
    pub fn packet_ages_s(&self) -> impl Iterator<Item = (u32, f64)> + Clone + use<'w> {
        let SimTime { step, dt_s } = self.world.arena().time;
        let age_s = move |packet: &Packet| SimTime { step: packet.age_steps(step), dt_s }.shown_s();
        self.packets().map(move |packet| (packet.sender, age_s(packet)))
    }

    /// A component of the agent, such as its controller.
    pub fn component<T: Component>(&self) -> Option<&'w T> {
        self.world.get(self.entity)
    }

    /// The number of bumps, if the agent stops at contacts; `None` before the first one.
    pub fn bumps(&self) -> Option<Bumps> {
        self.get::<Bumps>().filter(|bumps| bumps.count > 0)
    }

    /// Whether the agent has a failure.
    pub fn has(&self, what: Failure) -> bool {
        what.is_of(self.world.entity(self.entity))
    }

    /// Whether the agent is dead: it does not move or sense any more.
    pub fn is_dead(&self) -> bool {
        self.component::<Dead>().is_some()
    }

    fn get<T: Component + Copy>(&self) -> Option<T> {
        self.world.get(self.entity).copied()
    }

    /// The sensors, by slot.
    fn sensors(&self) -> impl Iterator<Item = EntityRef<'w>> + Clone + use<'w> {
        let world = self.world;
        let sensors = world.get::<Sensors>(self.entity).map_or(&[][..], Sensors::slots).iter();
        sensors.filter_map(move |sensor| world.get_entity(*sensor).ok())
    }

    /// The last reading and the present target of each sensor, by slot.
    pub fn senses(&self) -> Vec<Sense<'w>> {
        let kinds = self.world.resource::<Kinds>();
        let agents = &self.world.arena().agents;
        let sense = |sensor: EntityRef<'w>| {
            let kind = kinds.family(SensorFamily::NAME).find(|kind| (kind.component)(sensor).is_some());
            let thing = |place: usize| {
                let name = self.world.arena().space.things.get(place).map_or("", |thing| &thing.name);
                if name.is_empty() { format!("object {place}") } else { name.to_owned() }
            };
            let name = |seen: Target| match seen {
                Target::Body(row) => Some(Self::of(self.world, *agents.get(row)?)?.name()),
                Target::Solid(solid) => Some(thing(self.world.arena().space.owner_of(solid)?)),
                Target::Wall => Some("wall".into()),
                Target::Thing(place) => Some(thing(place)),
            };
            Sense {
                kind: kind.map_or("", |kind| kind.name),
                reading: sensor.get::<Reading>().map_or(&[], |reading| reading.values.as_slice()),
                sees: sensor::sees(self.world, sensor).and_then(name),
                world: self.world,
                sensor,
            }
        };
        self.sensors().map(sense).collect()
    }

    /// The readings, by slot, each with a number that tells sensors of different kinds apart.
    #[doc(hidden)]
    pub fn readings_of_kinds(&self) -> impl Iterator<Item = (usize, &'w [f64])> + use<'w> {
        let reading = |sensor: EntityRef<'w>| {
            let reading = sensor.get::<Reading>()?;
            Some((sensor.archetype().id().index(), reading.values.as_slice()))
        };
        self.sensors().filter_map(reading)
    }

    /// The numbers of all readings, by slot.
    pub fn readings(&self) -> impl Iterator<Item = &'w [f64]> + Clone + use<'w> {
        self.sensors().filter_map(|sensor| sensor.get::<Reading>()).map(|reading| reading.values.as_slice())
    }
}
