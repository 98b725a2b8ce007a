//! Sensors: what turns the world into a reading.

use std::any::Any;

use bevy::ecs::component::ComponentId;
use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::wrap_angle;
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Surroundings, Target};

use crate::agent::Row;
use crate::agent::attitude::Attitude;
use crate::agent::belief::Belief;
use crate::agent::contact::Dead;
use crate::agent::elsewhere::Elsewhere;
use crate::agent::failure::Blind;
use crate::kind::{Family, KindTable, KindType, Kinds, Slot, entities_with};
use crate::motion::Wheels;
use crate::noise::{Kept, NoiseFamily};
use crate::service::{About, Fields, Link, Service, ServiceError, Value, first_due_s};
use crate::state::{Memory, RegisterState as _};
use crate::step::CurrentSpace;
use crate::step::roster::Roster;
use crate::text::wording::words;
use crate::time::SimTime;
use crate::time::rate::MAX_RATE_HZ;
use crate::time::robot::{self, RobotClock};

mod any;
mod gauge;
pub mod infrared;
pub mod marks;
mod turn;

pub use crate::state::NoMemory;
pub use gauge::Gauge;
pub use marks::{Cone, Mark};

pub(crate) use any::AnySensor;
use turn::{Now, Prepared, sense};

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Mounted>("mounted")
        .register_state::<Reading>("reading")
        .register_state::<Sensing>("sensor/common");
    // Who asks for the sensors of an agent asks for what the world knows, also where no agent has any.
    app.world_mut().register_component::<Sensors>();
    app.add_sensor::<infrared::Infrared>();
}

/// The kinds of sensors, which turn the world into readings.
#[derive(TypePath)]
pub struct SensorFamily;

impl Family for SensorFamily {
    const NAME: &'static str = "sensor";
    type Common = Sensing;
}

/// A sensor. One file: parameters, memory if it has any, [`read`](Sensor::read), drawing, tests.
pub trait Sensor: KindType + PartialEq {
    /// What can be worked out from the parameters alone, once for all sensors that share them.
    type Prepared: Send + Sync + 'static;

    /// What it remembers from reading to reading; [`NoMemory`] when it only looks.
    type Memory: Memory;

    /// Whether it counts the turns of wheels: scenes that have it on a robot without wheels are refused.
    const COUNTS_TURNS: bool = false;

    /// Whether it counts the robots that its robot collides with: [`collided`](Sensor::collided).
    const COUNTS_COLLISIONS: bool = false;

    /// Whether it must know more of its robot than what can be seen of it: [`Viewpoint::own`].
    const KNOWS_OWN: bool = false;

    /// What its numbers are called, for people; nothing for numbers that are all alike.
    const NAMES: &'static [&'static str] = &[];

    /// Works out what [`read`](Sensor::read) needs from the parameters.
    fn prepare(&self) -> Self::Prepared;

    /// How many numbers a reading has.
    fn channels(&self) -> usize {
        1
    }

    /// What it reads where a scene wants that it has read nothing yet: zeros, unless these would mean something.
    fn blank(&self, reading: &mut [f64]) {
        reading.fill(0.0);
    }

    /// Reads the world as seen from one agent into `reading`, which has [`channels`](Sensor::channels) numbers.
    fn read(&self, prepared: &Self::Prepared, memory: &mut Self::Memory, from: Viewpoint, reading: &mut [f64]);

    /// How far (m) beyond the edge of its robot it looks around for all that is near, at each reading; 0 when it does not.
    ///
    /// For sensors that look around the middle of a robot ([`Space::look_around`], [`Space::gather`]), and not far: who has
    /// nobody near is then found out for all robots at once.
    fn near_m(&self) -> f64 {
        0.0
    }

    /// The number of other robots that its robot collides with, after a reading.
    fn collided(&self, _memory: &Self::Memory) -> u32 {
        0
    }

    /// Has the last word on a reading that went through its noise: what numbers that noise must not change are in the end.
    fn finish(&self, _reading: &mut [f64]) {}

    /// What is in its sight now, the nearest agent first, for people; `None` for nothing, or when it cannot tell.
    ///
    /// The last reading may be older: agents may have moved since.
    fn sees(&self, _prepared: &Self::Prepared, _memory: &Self::Memory, _from: Viewpoint) -> Option<Target> {
        None
    }

    /// What its numbers are called with these parameters, for people, noise and clients.
    fn fields(&self) -> &'static [&'static str] {
        Self::NAMES
    }

    /// The units of its numbers with these parameters, for display; empty for numbers without a unit.
    fn units(&self) -> &'static [&'static str] {
        &[]
    }

    /// The name of one of its numbers with these parameters, in words, and its unit.
    fn channel(&self, channel: usize) -> (String, &'static str) {
        let name = match self.fields().get(channel) {
            Some(name) => words(name).0,
            None if self.channels() == 1 => "Reading".into(),
            None => format!("Number {channel}"),
        };
        (name, self.units().get(channel).copied().unwrap_or_default())
    }

    /// The drawing that fits its readings with these parameters, for people.
    fn gauge(&self) -> Gauge {
        Gauge::Numbers
    }

    /// What clients must know of it.
    const ABOUT: About = About { class: "", services: &[], properties: &[] };

    /// Writes what clients are sent of a reading into `message`, after the time; whether there is anything to send.
    ///
    /// `who` tells the name of a robot by its number.
    fn message(
        &self,
        _memory: &Self::Memory,
        reading: &[f64],
        _who: &dyn Fn(u32) -> String,
        message: &mut Fields,
    ) -> bool {
        match self.fields() {
            [] => message.push(("values".into(), Value::numbers(reading.iter().copied()))),
            names => message.extend(names.iter().zip(reading).map(|(name, value)| ((*name).into(), (*value).into()))),
        }
        true
    }

    /// Does a service that sets more than a parameter.
    ///
    /// # Errors
    /// Says why it cannot.
    fn call(&self, _memory: &mut Self::Memory, service: &str, _arguments: &[Value]) -> Result<Value, ServiceError> {
        Err(ServiceError::UnknownToSensor(service.to_owned()))
    }

    /// What is wrong with its parameters taken together, for those who write scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Where it takes its robot to be; `None` when it has no idea.
    fn belief<'a>(&self, _memory: &'a Self::Memory) -> Option<Belief<'a>> {
        None
    }

    /// Draws what it reads, for the agent in a row. It cannot change anything.
    fn draw(&self, memory: &Self::Memory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture);
}

/// What all sensors have besides their own parameters.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
#[component(on_remove = Kept::forget)]
#[require(Kept)]
pub struct Sensing {
    /// What clients outside call it; empty for the name of its kind in lower case.
    pub name: String,
    /// Whether it reads at all; its last reading stands while it does not.
    pub active: bool,
    /// How often it reads, in simulated time or by the clock of its robot: at the step nearest to each time that is due.
    /// 0 is at every step.
    #[reflect(@Limits::between(0.0, MAX_RATE_HZ))]
    pub rate_hz: f64,
    /// When it reads for the first time after the start, or with links, after the first step (as in MORSE); what it reads
    /// before the first step stands until then.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub phase_s: f64,
    /// What happens to what it reads, one after the other.
    pub noise: Vec<Slot<NoiseFamily>>,
    /// What connects it with clients outside.
    pub links: Vec<Link>,
}

impl Default for Sensing {
    fn default() -> Self {
        Self { name: String::new(), active: true, rate_hz: 0.0, phase_s: 0.0, noise: Vec::new(), links: Vec::new() }
    }
}

impl Sensing {
    /// Whether a sensor reads at this step; one without settings of its own always does, and all do before the first.
    fn is_due<'a>(
        settings: Option<&Self>,
        now: &Now,
        clock: impl FnOnce() -> Option<(StableId, &'a RobotClock)>,
    ) -> bool {
        let time = &*now.time;
        let is_due = |Self { active, rate_hz, phase_s, links, .. }: &Self| {
            let first_s = first_due_s(*phase_s, links, time.dt_s);
            let clock = || clock().map(|(id, clock)| (clock, *now.seed, id));
            *active && robot::is_due(clock(), time, (*rate_hz, first_s))
        };
        time.step == 0 || settings.is_none_or(is_due)
    }
}

/// Where a sensor looks from.
pub struct Viewpoint<'a> {
    /// Everything that can be sensed.
    pub space: &'a Space,
    /// The row of the agent that senses.
    pub row: usize,
    /// Room for what is near, to be filled by [`Space::look_around`] or [`Space::gather`].
    pub around: &'a mut Surroundings,
    /// The row of a body that it may look at first, of sensors that have it. What it reads must not depend on it.
    pub hint: Option<&'a mut Hint>,
    /// The wheels of the agent. Only sensors that ask for them are told: [`COUNTS_TURNS`](Sensor::COUNTS_TURNS).
    pub wheels: Option<Wheels>,
    /// What else it knows of the agent. Only sensors that ask for it are told: [`KNOWS_OWN`](Sensor::KNOWS_OWN).
    pub own: &'a Own,
}

/// What a sensor knows of its agent besides what can be seen of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own {
    /// How high it stands and how it is tilted.
    pub attitude: Attitude,
    /// How far it was put elsewhere.
    pub elsewhere: Elsewhere,
    /// What its clock shows, in seconds: simulated time, where it has none of its own.
    pub clock_s: f64,
    /// The clock of the simulation.
    pub time: SimTime,
}

/// The last reading of a sensor.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The numbers, as many as the sensor has channels.
    pub values: Vec<f64>,
}

/// The row of the body that a sensor saw last: mostly it is still there. A cache, which no result depends on; sensors that
/// look for anybody, whoever it is, require it.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Hint(pub u32);

/// Which agent a sensor is mounted on, and in which slot.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[require(Reading, Row)]
pub struct Mounted {
    /// The agent.
    pub owner: StableId,
    /// Place among the agent's sensors, counted from 0.
    pub slot: u16,
}

/// Relates a sensor to its agent; made from [`Mounted`], which is what counts.
#[derive(Component, Clone, Copy, Debug)]
#[relationship(relationship_target = Sensors)]
pub struct SensorOf(pub Entity);

/// The sensors of an agent, by slot. Most have one, which takes no memory of its own.
#[derive(Component, Debug, Default)]
#[relationship_target(relationship = SensorOf, linked_spawn)]
pub struct Sensors(SmallVec<[Entity; 1]>);

impl Sensors {
    /// The sensors by slot.
    pub fn slots(&self) -> &[Entity] {
        &self.0
    }
}

/// The kinds of sensors, in the order of registration.
pub(crate) type Registry = KindTable<SensorKind>;

/// How to reach a sensor of one kind where the kind is not known.
#[derive(Clone, Copy)]
pub(crate) struct SensorKind {
    of_value: fn(&dyn Reflect) -> Option<&dyn AnySensor>,
    on_entity: for<'w> fn(EntityRef<'w>) -> Option<WithMemory<'w>>,
    call: fn(&mut EntityWorldMut, &str, &[Value]) -> Option<Result<Value, ServiceError>>,
    ask: fn(EntityRef, &mut MemoryAhead, (&str, &[Value])) -> Option<Result<Value, ServiceError>>,
}

/// A sensor on an entity, and its memory.
type WithMemory<'w> = (&'w dyn AnySensor, &'w dyn Any);

impl Registry {
    /// A sensor by its value.
    pub fn of<'v>(&self, sensor: &'v dyn Reflect) -> Option<&'v dyn AnySensor> {
        (self.of_value(sensor)?.of_value)(sensor)
    }

    /// How many channels a sensor has, if its kind is known.
    pub fn channels(&self, sensor: &dyn Reflect) -> Option<usize> {
        self.of(sensor).map(AnySensor::channels)
    }

    /// What the numbers of a sensor are called; nothing where they are all alike.
    pub fn fields(&self, sensor: &dyn Reflect) -> &'static [&'static str] {
        self.of(sensor).map(AnySensor::fields).unwrap_or_default()
    }
}

/// The sensor on an entity.
fn mounted<'w>(world: &'w World, sensor: EntityRef<'w>) -> Option<WithMemory<'w>> {
    (world.get_resource::<Registry>()?.of_entity(sensor)?.on_entity)(sensor)
}

/// What a sensor sees; it looks anew, and changes nothing.
pub(crate) fn sees(world: &World, sensor: EntityRef) -> Option<Target> {
    let ((kind, memory), row) = (mounted(world, sensor)?, sensor.get::<Row>()?);
    kind.sees(memory, &world.resource::<CurrentSpace>().0, row.0 as usize)
}

/// The name of one of the numbers of a sensor, in words, and its unit.
pub(crate) fn channel(world: &World, sensor: EntityRef, channel: usize) -> (String, &'static str) {
    mounted(world, sensor).map(|(kind, _)| kind.channel(channel)).unwrap_or_default()
}

/// The drawing that fits the readings of a sensor.
pub(crate) fn gauge(world: &World, sensor: EntityRef) -> Gauge {
    mounted(world, sensor).map(|(kind, _)| kind.gauge()).unwrap_or_default()
}

/// The name of a number that is measured in a direction, anticlockwise from the heading: `Ray 3, 22.5°`.
pub fn in_direction(what: &str, channel: usize, bearing_rad: f64) -> String {
    let bearing_deg = (wrap_angle(bearing_rad).to_degrees() * 10.0).round() / 10.0;
    format!("{what} {channel}, {}°", bearing_deg + 0.0)
}

/// What clients must know of the kind of a sensor.
pub(crate) fn about(world: &World, sensor: EntityRef) -> About {
    mounted(world, sensor).map(|(kind, _)| kind.about()).unwrap_or_default()
}

/// What clients are sent of the last reading of a sensor, the time left out; `None` when there is nothing to send.
pub(crate) fn message(world: &World, sensor: EntityRef, who: &dyn Fn(u32) -> String) -> Option<Fields> {
    let ((kind, memory), reading) = (mounted(world, sensor)?, sensor.get::<Reading>()?);
    let mut message = Fields::new();
    kind.message(memory, &reading.values, who, &mut message).then_some(message)
}

/// Does a service of a sensor that sets more than a parameter.
pub(crate) fn call(
    world: &mut World,
    sensor: Entity,
    service: &str,
    arguments: &[Value],
) -> Result<Value, ServiceError> {
    let entry = |world: &World| world.get_resource::<Registry>()?.of_entity(world.get_entity(sensor).ok()?).copied();
    let done = entry(world).and_then(|entry| (entry.call)(&mut world.entity_mut(sensor), service, arguments));
    let answer = done.unwrap_or_else(|| Err(ServiceError::UnknownToSensor(service.to_owned())))?;
    // What noise remembers is not the sensor's own.
    if service == RESET_NOISE.name
        && let Some(mut kept) = world.get_mut::<Kept>(sensor)
    {
        kept.start_anew();
    }
    Ok(answer)
}

/// What a sensor will remember when services that wait are done; nothing when none wait.
pub type MemoryAhead = Option<Box<dyn Any + Send + Sync>>;

/// What a service of a sensor would answer after those that wait, and is one of them then; nothing of the sensor is changed.
pub(crate) fn ask(
    world: &World,
    sensor: EntityRef,
    ahead: &mut MemoryAhead,
    call: (&str, &[Value]),
) -> Result<Value, ServiceError> {
    let entry = world.get_resource::<Registry>().and_then(|registry| registry.of_entity(sensor));
    let answer = entry.and_then(|entry| (entry.ask)(sensor, ahead, call));
    answer.unwrap_or(Ok(Value::Null))
}

/// The service that makes the noise of a sensor begin anew, as after a loop was closed.
pub const RESET_NOISE: Service = Service { name: "reset_noise", parameters: &[], sets: None, is_task: false };

fn call_as<K: Sensor>(
    sensor: &mut EntityWorldMut,
    service: &str,
    arguments: &[Value],
) -> Option<Result<Value, ServiceError>> {
    let kind = sensor.get::<K>()?.clone();
    let mut memory = sensor.get_mut::<K::Memory>()?;
    Some(kind.call(&mut memory, service, arguments))
}

fn ask_as<K: Sensor>(
    sensor: EntityRef,
    ahead: &mut MemoryAhead,
    (service, arguments): (&str, &[Value]),
) -> Option<Result<Value, ServiceError>> {
    let (kind, now) = sensor.get_components::<(&K, &K::Memory)>().ok()?;
    let mut memory = ahead.as_ref().and_then(|ahead| ahead.downcast_ref()).unwrap_or(now).clone();
    let answer = kind.call(&mut memory, service, arguments);
    if answer.is_ok() {
        *ahead = Some(Box::new(memory));
    }
    Some(answer)
}

/// Gives all sensors the readings of those that have read nothing yet.
pub(crate) fn blank_all(world: &mut World) {
    let kinds: Vec<ComponentId> = world.resource::<Registry>().iter().map(|(kind, _)| kind).collect();
    for kind in kinds {
        let sensors: Vec<Entity> = entities_with(world, kind).map(|sensor| sensor.id()).collect();
        sensors.into_iter().for_each(|sensor| blank(world, sensor));
    }
}

/// Gives a sensor the reading of one that has read nothing yet.
pub(crate) fn blank(world: &mut World, sensor: Entity) {
    let Some((kind, _)) = mounted(world, world.entity(sensor)) else { return };
    let mut values = world.get::<Reading>(sensor).map(|reading| reading.values.clone()).unwrap_or_default();
    values.resize(kind.channels(), 0.0);
    kind.blank(&mut values);
    if let Some(mut reading) = world.get_mut::<Reading>(sensor) {
        reading.values = values;
    }
}

/// Makes sensors known.
pub trait AddSensor {
    /// Adds a sensor: its system, its place after those added before, its drawing and its name in scenes.
    fn add_sensor<K: Sensor>(&mut self) -> &mut Self;
}

impl AddSensor for App {
    fn add_sensor<K: Sensor>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<SensorFamily, K>();
        let entry = SensorKind {
            of_value: |sensor| sensor.downcast_ref::<K>().map(|sensor| sensor as _),
            on_entity: |sensor| Some((sensor.get::<K>()?, sensor.get::<K::Memory>()?)),
            call: call_as::<K>,
            ask: ask_as::<K>,
        };
        let kind = Registry::add::<K>(world, entry);
        self.init_resource::<Prepared<K>>();
        self.world_mut().register_required_components::<K, K::Memory>();
        self.register_kind::<SensorFamily, K>().register_memory::<K::Memory>();
        self.world_mut().get_resource_or_init::<Roster>().sense.add(kind, sense::<K>);
        self
    }
}

/// The sensors of a kind that read, of robots that are wanted, by robot and slot. The dead and the blind sense nothing.
fn seeing<'w>(world: &'w World, kind: ComponentId, wanted: &dyn Fn(StableId) -> bool) -> Vec<EntityRef<'w>> {
    let sensors = entities_with(world, kind).filter(|sensor| !sensor.contains::<Dead>() && !sensor.contains::<Blind>());
    let sensors = sensors.filter_map(|sensor| Some((sensor.get::<Mounted>()?, sensor)));
    let mut sensors: Vec<_> = sensors.filter(|(mounted, _)| wanted(mounted.owner)).collect();
    sensors.sort_unstable_by_key(|(mounted, _)| (mounted.owner, mounted.slot));
    sensors.into_iter().map(|(_, sensor)| sensor).collect()
}

/// Draws the sensors of robots that are wanted, kind by kind.
pub(crate) fn draw_all(world: &World, space: &Space, wanted: &dyn Fn(StableId) -> bool, picture: &mut Picture) {
    each_seeing(world, wanted, &mut |sensor, (kind, memory)| {
        if let (Some(row), Some(reading)) = (sensor.get::<Row>(), sensor.get::<Reading>()) {
            kind.draw(memory, space, row.0 as usize, &reading.values, picture);
        }
    });
}

/// Hands out where the sensors of robots that are wanted take their robots to be, kind by kind, by age.
pub(crate) fn beliefs(world: &World, wanted: &dyn Fn(StableId) -> bool, draw: &mut dyn FnMut(Entity, Belief)) {
    each_seeing(world, wanted, &mut |sensor, (kind, memory)| {
        if let (Some(owner), Some(belief)) = (sensor.get::<SensorOf>(), kind.belief(memory)) {
            draw(owner.0, belief);
        }
    });
}

/// Visits the sensors that read, of robots that are wanted, kind by kind.
fn each_seeing(world: &World, wanted: &dyn Fn(StableId) -> bool, visit: &mut dyn FnMut(EntityRef, WithMemory)) {
    for (kind, entry) in world.get_resource::<Registry>().into_iter().flat_map(KindTable::iter) {
        for sensor in seeing(world, kind, wanted) {
            if let Some(found) = (entry.on_entity)(sensor) {
                visit(sensor, found);
            }
        }
    }
}
