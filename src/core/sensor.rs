//! Sensors, which turn the world into readings.

use std::any::Any;

use bevy::ecs::component::ComponentId;
use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::id::StableId;
use swarmarium_base::math::wrap_angle;
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Surroundings, Target};

use crate::agent::Row;
use crate::agent::attitude::Attitude;
use crate::agent::belief::Belief;
use crate::agent::contact::Dead;
use crate::agent::elsewhere::Elsewhere;
use crate::agent::failure::Blind;
use crate::kind::{Family, FamilyTable, KindRow, KindType, entities_with};
use crate::motion::Wheels;
use crate::noise::{Kept, NoiseBounds};
use crate::radio::Packet;
use crate::random::{Draws, Stream};
use crate::service::{About, Fields, Service, ServiceError, Value};
use crate::state::{Memory, RegisterState as _};
use crate::step::HasArena as _;
use crate::step::plan::{AddKernel as _, Duty};
use crate::text::wording::words;
use crate::time::SimTime;

mod gauge;
pub mod infrared;
pub mod marks;
pub mod names;
pub mod range_limits;
mod reading;
mod turn;

pub use crate::component::ComponentSettings;
pub use crate::state::NoMemory;
pub use gauge::Gauge;
pub use marks::{Cone, Mark};
pub use reading::{Reading, ReadingValues};

use turn::{sense, sense_with_radio};

/// Adds the sensors of the core and their state.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Mounted>("mounted")
        .register_state::<Reading>("reading")
        .register_parameters::<ComponentSettings>("sensor/common");
    // Queries for sensors of agents need the registered component, even if no agent has sensors.
    app.world_mut().register_component::<Sensors>();
    app.add_sensor::<infrared::Infrared>();
}

/// The kinds of sensors, which turn the world into readings.
#[derive(TypePath)]
pub struct SensorFamily;

impl Family for SensorFamily {
    const NAME: &'static str = "sensor";
    type Common = ComponentSettings;
    type Entry = SensorKind;
}

/// A sensor. One file: parameters, memory if it has any, [`read`](Sensor::read), drawing, tests.
///
/// The guide "Write a sensor" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// /// Counts all robots.
/// #[kind]
/// struct RobotCount {}
///
/// impl Sensor for RobotCount {
///     type Prepared = ();
///     type Memory = NoMemory;
///
///     fn prepare(&self) {}
///
///     fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
///         reading[0] = from.space.index().len() as f64;
///     }
/// }
/// ```
pub trait Sensor: KindType + PartialEq {
    /// Data computed from the parameters, shared by all sensors with equal parameters.
    type Prepared: Send + Sync + 'static;

    /// Memory from reading to reading; [`NoMemory`] for memoryless sensors.
    type Memory: Memory;

    /// Whether it counts turns of wheels: scenes that mount it on a robot without wheels are rejected.
    const COUNTS_TURNS: bool = false;

    /// Whether it counts the robots that its robot collides with: [`collided`](Sensor::collided).
    const COUNTS_COLLISIONS: bool = false;

    /// Whether it needs the robot's own state beyond its pose and body: [`Viewpoint::own`].
    const KNOWS_OWN: bool = false;

    /// Whether it requires a gripper: scenes that mount it on a robot without one are rejected.
    const NEEDS_GRIPPER: bool = false;

    /// Names of its numbers for display; empty if all numbers are alike.
    const NAMES: &'static [&'static str] = &[];

    /// Computes the data that [`read`](Sensor::read) needs from the parameters.
    fn prepare(&self) -> Self::Prepared;

    /// Number of numbers in a reading.
    fn channels(&self) -> usize {
        1
    }

    /// Sets the reading of a sensor that has not read yet: zeros, unless zero is a meaningful reading.
    fn blank(&self, reading: &mut [f64]) {
        reading.fill(0.0);
    }

    /// Reads the world from the viewpoint of one agent into `reading`, which has [`channels`](Sensor::channels)
    /// numbers.
    fn read(&self, prepared: &Self::Prepared, memory: &mut Self::Memory, from: Viewpoint, reading: &mut [f64]);

    /// Search distance (m) beyond the edge of its robot at each reading; 0 without a search.
    ///
    /// For short-range sensors that search around the centre of a robot ([`Space::look_around`], [`Space::gather`]):
    /// robots without neighbours are then found for all robots at once.
    fn near_m(&self) -> f64 {
        0.0
    }

    /// Number of other robots that its robot collides with, after a reading.
    fn collided(&self, _memory: &Self::Memory) -> u32 {
        0
    }

    /// Corrects a reading after its noise, for numbers that noise must not change.
    fn finish(&self, _memory: &mut Self::Memory, _reading: &mut [f64]) {}

    /// The effect that noise may have on one of its numbers.
    fn noise_bounds(&self, _channel: usize) -> NoiseBounds {
        NoiseBounds::Free
    }

    /// The nearest thing in its sight, agents first, for display; `None` for nothing, or if it cannot tell.
    ///
    /// The last reading may be older: agents may have moved since.
    fn sees(&self, _prepared: &Self::Prepared, _memory: &Self::Memory, _from: Viewpoint) -> Option<Target> {
        None
    }

    /// Names of its numbers with these parameters, for display, noise and clients.
    fn fields(&self) -> &'static [&'static str] {
        Self::NAMES
    }

    /// Units of its numbers with these parameters, for display; empty for numbers without a unit.
    fn units(&self) -> &'static [&'static str] {
        &[]
    }

    /// Name, in words, and unit of one of its numbers with these parameters.
    fn channel(&self, channel: usize) -> (String, &'static str) {
        let name = match self.fields().get(channel) {
            Some(name) => quantity(name),
            None if self.channels() == 1 => "Reading".into(),
            None => format!("Number {channel}"),
        };
        (name, self.units().get(channel).copied().unwrap_or_default())
    }

    /// The display that suits its readings with these parameters.
    fn gauge(&self) -> Gauge {
        Gauge::Numbers
    }

    /// Its description for clients.
    const ABOUT: About = About::NONE;

    /// Writes the message for clients about a reading into `message`, after the time. Returns whether there is a
    /// message.
    ///
    /// `who` returns the name of a robot from its number.
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

    /// Executes a service that does more than set a parameter.
    ///
    /// # Errors
    /// When the service is impossible; the error says why.
    fn call(&self, _memory: &mut Self::Memory, service: &str, _arguments: &[Value]) -> Result<Value, ServiceError> {
        Err(ServiceError::UnknownToSensor(service.to_owned()))
    }

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Its estimate of the pose of its robot; `None` if it has none.
    fn belief<'a>(&self, _memory: &'a Self::Memory) -> Option<Belief<'a>> {
        None
    }

    /// Draws its reading, for the agent in a row. Cannot change anything.
    fn draw(&self, _memory: &Self::Memory, _space: &Space, _row: usize, _reading: &[f64], _picture: &mut Picture) {}
}

/// The stems of short names of numbers along an axis, and their quantities.
const QUANTITIES: [(&str, &str); 6] = [
    ("a", "Acceleration"),
    ("angular_a", "Angular acceleration"),
    ("m", "Magnetic field"),
    ("v", "Velocity"),
    ("w", "Turn rate"),
    ("world_v", "Velocity in the world,"),
];

/// The names of poses, which have changes from reading to reading: `dx`.
const POSES: [&str; 6] = ["x", "y", "z", "yaw", "pitch", "roll"];

/// The quantity of a number in words, from its name: `Velocity x` for `vx`, `Change of yaw` for `dyaw`.
fn quantity(name: &str) -> String {
    match name.strip_prefix('d') {
        Some("S") => return "Distance driven".into(),
        Some(pose) if POSES.contains(&pose) => return format!("Change of {pose}"),
        _ => {}
    }
    let of_axis = |axis: &&str| {
        let stem = name.strip_suffix(axis)?;
        QUANTITIES.iter().find(|(short, _)| *short == stem).map(|(_, quantity)| format!("{quantity} {axis}"))
    };
    ["x", "y", "z"].iter().find_map(of_axis).unwrap_or_else(|| words(name).0)
}

/// A sensor that reads the packets that the radio of its robot has received: [`Own::packets`].
///
/// It is registered with [`AddSensor::add_radio_sensor`]. Scenes that mount it on a robot without a radio are rejected.
pub trait RadioSensor: Sensor {
    /// Whether the radio must measure the positions of senders: scenes in which it does not are rejected.
    const NEEDS_BEARINGS: bool = false;
}

/// Viewpoint of a sensor.
pub struct Viewpoint<'a> {
    /// The space with all bodies and obstacles.
    pub space: &'a Space,
    /// Row of the agent with the sensor.
    pub row: usize,
    /// Buffer for the surroundings, filled by [`Space::look_around`] or [`Space::gather`].
    pub around: &'a mut Surroundings,
    /// Row of the body to test first, for sensors that keep one. Readings must not depend on it.
    pub hint: Option<&'a mut Hint>,
    /// Wheels of the agent. Filled only for sensors with [`COUNTS_TURNS`](Sensor::COUNTS_TURNS).
    pub wheels: Option<Wheels>,
    /// Further state of the agent. Filled only for sensors with [`KNOWS_OWN`](Sensor::KNOWS_OWN), and its packets only for
    /// [`RadioSensor`]s.
    pub own: &'a Own<'a>,
    /// The source of the random numbers of the sensor.
    pub draws: Draws,
}

impl Viewpoint<'_> {
    /// Random numbers of the sensor for one purpose, a constant word such as `"miss"`; different at every step.
    ///
    /// Equal seeds give equal numbers. In [`Sensor::sees`], which only pictures ask, all sensors have the same numbers:
    /// those of [`Draws::default`].
    #[inline]
    pub fn random(&self, purpose: &str) -> Stream {
        self.draws.random(purpose)
    }
}

/// State of an agent that other robots cannot see, for its own sensors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own<'a> {
    /// Its height and tilt.
    pub attitude: Attitude,
    /// Its displacement by teleports.
    pub elsewhere: Elsewhere,
    /// Its clock (s); simulated time for robots without a clock of their own.
    pub clock_s: f64,
    /// The clock of the simulation.
    pub time: SimTime,
    /// The newest packet of each sender that its radio has received, sorted by sender.
    pub packets: &'a [Packet],
}

/// Row of the body that a sensor saw last, which is mostly still there. A cache, which no result depends on; required
/// by sensors that search for any robot.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Hint(pub u32);

/// Mounting of a sensor: agent and slot.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[require(Reading, Row)]
pub struct Mounted {
    /// The agent.
    pub owner: StableId,
    /// Index among the sensors of the agent, counted from 0.
    pub slot: u16,
}

/// Relation of a sensor to its agent; derived from [`Mounted`], which is authoritative.
#[derive(Component, Clone, Copy, Debug)]
#[relationship(relationship_target = Sensors)]
pub struct SensorOf(pub Entity);

/// The sensors of an agent, by slot. Most agents have one sensor, which needs no heap allocation.
#[derive(Component, Debug, Default)]
#[relationship_target(relationship = SensorOf, linked_spawn)]
pub struct Sensors(SmallVec<[Entity; 1]>);

impl Sensors {
    /// The sensors by slot.
    #[inline]
    pub fn slots(&self) -> &[Entity] {
        &self.0
    }
}

/// The kinds of sensors.
pub type SensorKinds = FamilyTable<SensorFamily>;

/// The entry of a kind of sensors in the table of its family. A memory must be that of its kind.
#[derive(Clone, Copy)]
pub struct SensorKind {
    /// As [`Sensor::ABOUT`].
    pub about: About,
    /// As [`Sensor::COUNTS_TURNS`].
    pub counts_turns: bool,
    /// Whether it requires a gripper.
    pub needs_gripper: bool,
    /// Whether it requires a radio.
    pub needs_radio: bool,
    /// Whether its radio must measure bearings.
    pub needs_bearings: bool,
    channels: fn(&dyn Reflect) -> usize,
    channel: fn(&dyn Reflect, usize) -> (String, &'static str),
    gauge: fn(&dyn Reflect) -> Gauge,
    fields: fn(&dyn Reflect) -> &'static [&'static str],
    blank: fn(&dyn Reflect, &mut [f64]),
    /// The memory of a sensor.
    memory: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn Reflect>,
    belief: for<'m> fn(&dyn Reflect, &'m dyn Reflect) -> Option<Belief<'m>>,
    draw: fn(&dyn Reflect, &dyn Reflect, &Space, usize, &[f64], &mut Picture),
    message: fn(&dyn Reflect, &dyn Reflect, &[f64], &dyn Fn(u32) -> String, &mut Fields) -> bool,
    sees: fn(&dyn Reflect, &dyn Reflect, &Space, usize) -> Option<Target>,
    call: fn(&mut EntityWorldMut, &str, &[Value]) -> Option<Result<Value, ServiceError>>,
    ask: fn(EntityRef, &mut MemoryAhead, (&str, &[Value])) -> Option<Result<Value, ServiceError>>,
}

/// A sensor of an entity, with the entry of its kind and its memory.
#[derive(Clone, Copy)]
struct MountedSensor<'w> {
    kind: &'w SensorKind,
    sensor: &'w dyn Reflect,
    memory: &'w dyn Reflect,
}

impl SensorKinds {
    /// Number of channels of a sensor, if its kind is registered.
    pub fn channels(&self, sensor: &dyn Reflect) -> Option<usize> {
        Some((self.of_value(sensor)?.channels)(sensor))
    }

    /// Names of the numbers of a sensor; empty if all numbers are alike.
    pub fn fields(&self, sensor: &dyn Reflect) -> &'static [&'static str] {
        self.of_value(sensor).map(|kind| (kind.fields)(sensor)).unwrap_or_default()
    }

    /// The display that suits the readings of a sensor.
    pub fn gauge(&self, sensor: &dyn Reflect) -> Gauge {
        self.of_value(sensor).map(|kind| (kind.gauge)(sensor)).unwrap_or_default()
    }

    /// Name, in words, and unit of one of the numbers of a sensor.
    pub fn channel(&self, sensor: &dyn Reflect, channel: usize) -> (String, &'static str) {
        self.of_value(sensor).map(|kind| (kind.channel)(sensor, channel)).unwrap_or_default()
    }
}

/// The sensor on an entity.
fn mounted<'w>(world: &'w World, entity: EntityRef<'w>) -> Option<MountedSensor<'w>> {
    let (kind, sensor) = world.get_resource::<SensorKinds>()?.of_entity(entity)?;
    Some(MountedSensor { kind, sensor, memory: (kind.memory)(entity)? })
}

/// A sensor and its memory as those of a kind.
fn typed<'v, K: Sensor>(sensor: &'v dyn Reflect, memory: &'v dyn Reflect) -> Option<(&'v K, &'v K::Memory)> {
    Some((sensor.downcast_ref()?, memory.downcast_ref()?))
}

fn sees_as<K: Sensor>(sensor: &dyn Reflect, memory: &dyn Reflect, space: &Space, row: usize) -> Option<Target> {
    let (sensor, memory) = typed::<K>(sensor, memory)?;
    let (mut around, own) = (Surroundings::default(), Own::default());
    let from =
        Viewpoint { space, row, around: &mut around, hint: None, wheels: None, own: &own, draws: Draws::default() };
    sensor.sees(&sensor.prepare(), memory, from)
}

/// The thing that a sensor sees now; nothing is changed.
pub fn sees(world: &World, sensor: EntityRef) -> Option<Target> {
    let (MountedSensor { kind, sensor, memory }, row) = (mounted(world, sensor)?, sensor.get::<Row>()?);
    (kind.sees)(sensor, memory, &world.arena().space, row.0 as usize)
}

/// Name, in words, and unit of one of the numbers of a sensor.
pub fn channel(world: &World, sensor: EntityRef, channel: usize) -> (String, &'static str) {
    mounted(world, sensor).map(|mounted| (mounted.kind.channel)(mounted.sensor, channel)).unwrap_or_default()
}

/// The display that suits the readings of a sensor.
pub fn gauge(world: &World, sensor: EntityRef) -> Gauge {
    mounted(world, sensor).map(|mounted| (mounted.kind.gauge)(mounted.sensor)).unwrap_or_default()
}

/// Name of a number that is measured in a direction, anticlockwise from the heading: `Ray 3, 22.5°`.
pub fn in_direction(what: &str, channel: usize, bearing_rad: f64) -> String {
    let bearing_deg = (wrap_angle(bearing_rad).to_degrees() * 10.0).round() / 10.0;
    format!("{what} {channel}, {}°", bearing_deg + 0.0)
}

/// Description of the kind of a sensor for clients.
pub fn about(world: &World, sensor: EntityRef) -> About {
    mounted(world, sensor).map(|mounted| mounted.kind.about).unwrap_or_default()
}

/// The message for clients about the last reading of a sensor, without the time; `None` if there is none.
pub fn message(world: &World, sensor: EntityRef, who: &dyn Fn(u32) -> String) -> Option<Fields> {
    let reading = sensor.get::<Reading>()?;
    let MountedSensor { kind, sensor, memory } = mounted(world, sensor)?;
    let mut message = Fields::new();
    (kind.message)(sensor, memory, &reading.values, who, &mut message).then_some(message)
}

/// Executes a service of a sensor that does more than set a parameter.
pub fn call(world: &mut World, sensor: Entity, service: &str, arguments: &[Value]) -> Result<Value, ServiceError> {
    let kind = |world: &World| Some(mounted(world, world.get_entity(sensor).ok()?)?.kind.call);
    let done = kind(world).and_then(|call| call(&mut world.entity_mut(sensor), service, arguments));
    let answer = done.unwrap_or_else(|| Err(ServiceError::UnknownToSensor(service.to_owned())))?;
    // The memory of noise is not part of the sensor's memory.
    if service == RESET_NOISE.name
        && let Some(mut kept) = world.get_mut::<Kept>(sensor)
    {
        kept.start_anew();
    }
    Ok(answer)
}

/// Memory of a sensor after all pending services; `None` without pending services.
pub type MemoryAhead = Option<Box<dyn Any + Send + Sync>>;

/// Answer of a service of a sensor after the pending ones; the service then counts as pending. The sensor itself is
/// unchanged.
pub fn ask(
    world: &World,
    sensor: EntityRef,
    ahead: &mut MemoryAhead,
    call: (&str, &[Value]),
) -> Result<Value, ServiceError> {
    let answer = mounted(world, sensor).and_then(|mounted| (mounted.kind.ask)(sensor, ahead, call));
    answer.unwrap_or(Ok(Value::Null))
}

/// Service that resets the noise of a sensor, as after a loop closure.
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

/// Sets the readings of all sensors to those before the first reading.
pub fn blank_all(world: &mut World) {
    let kinds: Vec<ComponentId> = world.resource::<SensorKinds>().iter().map(|kind| kind.component).collect();
    for kind in kinds {
        let sensors: Vec<Entity> = entities_with(world, kind).map(|sensor| sensor.id()).collect();
        sensors.into_iter().for_each(|sensor| blank(world, sensor));
    }
}

/// Whether the last reading of a sensor has another number of numbers than the next one, after its parameters have
/// changed.
pub fn has_other_size(world: &World, sensor: Entity) -> bool {
    let size = mounted(world, world.entity(sensor)).map(|mounted| (mounted.kind.channels)(mounted.sensor));
    size.zip(world.get::<Reading>(sensor)).is_some_and(|(size, reading)| size != reading.values.len())
}

/// Sets the reading of a sensor to that before the first reading.
pub fn blank(world: &mut World, sensor: Entity) {
    let Some(mounted) = mounted(world, world.entity(sensor)) else { return };
    let mut values = world.get::<Reading>(sensor).map(|reading| reading.values.to_vec()).unwrap_or_default();
    values.resize((mounted.kind.channels)(mounted.sensor), 0.0);
    (mounted.kind.blank)(mounted.sensor, &mut values);
    if let Some(mut reading) = world.get_mut::<Reading>(sensor) {
        reading.values = values.into();
    }
}

/// Registers sensors.
pub trait AddSensor {
    /// Adds a sensor: its system, in order of registration, its drawing and its name in scenes.
    fn add_sensor<K: Sensor>(&mut self) -> &mut Self;

    /// As [`add_sensor`](Self::add_sensor), for a sensor that reads packets of a radio.
    fn add_radio_sensor<K: RadioSensor>(&mut self) -> &mut Self;
}

impl AddSensor for App {
    fn add_sensor<K: Sensor>(&mut self) -> &mut Self {
        let kind = add_kind::<K>(self, SensorKind::new::<K>());
        self.add_kernel(Duty::Sense, kind, sense::<K>)
    }

    fn add_radio_sensor<K: RadioSensor>(&mut self) -> &mut Self {
        let entry = SensorKind { needs_radio: true, needs_bearings: K::NEEDS_BEARINGS, ..SensorKind::new::<K>() };
        let kind = add_kind::<K>(self, entry);
        self.add_kernel(Duty::Sense, kind, sense_with_radio::<K>)
    }
}

/// Adds a kind of sensors to the table of its family.
fn add_kind<K: Sensor>(app: &mut App, entry: SensorKind) -> ComponentId {
    let problem = |sensor: &dyn Reflect| sensor.downcast_ref::<K>().and_then(Sensor::problem);
    let kind = SensorKinds::add::<K>(app.world_mut(), problem, entry);
    app.world_mut().register_required_components::<K, K::Memory>();
    app.register_kind::<SensorFamily, K>().register_memory::<K::Memory>();
    kind
}

impl SensorKind {
    fn new<K: Sensor>() -> Self {
        Self {
            about: K::ABOUT,
            counts_turns: K::COUNTS_TURNS,
            needs_gripper: K::NEEDS_GRIPPER,
            needs_radio: false,
            needs_bearings: false,
            channels: |sensor| sensor.downcast_ref::<K>().map_or(0, Sensor::channels),
            channel: |sensor, channel| {
                sensor.downcast_ref::<K>().map(|sensor| sensor.channel(channel)).unwrap_or_default()
            },
            gauge: |sensor| sensor.downcast_ref::<K>().map(Sensor::gauge).unwrap_or_default(),
            fields: |sensor| sensor.downcast_ref::<K>().map(Sensor::fields).unwrap_or_default(),
            blank: |sensor, reading| {
                if let Some(sensor) = sensor.downcast_ref::<K>() {
                    sensor.blank(reading);
                }
            },
            memory: |sensor| sensor.get::<K::Memory>().map(|memory| memory as _),
            belief: |sensor, memory| sensor.downcast_ref::<K>()?.belief(memory.downcast_ref()?),
            draw: |sensor, memory, space, row, reading, picture| {
                if let Some((sensor, memory)) = typed::<K>(sensor, memory) {
                    sensor.draw(memory, space, row, reading, picture);
                }
            },
            message: |sensor, memory, reading, who, message| {
                typed::<K>(sensor, memory).is_some_and(|(sensor, memory)| sensor.message(memory, reading, who, message))
            },
            sees: sees_as::<K>,
            call: call_as::<K>,
            ask: ask_as::<K>,
        }
    }
}

/// The active sensors of a kind on selected robots, by robot and slot, without those of dead or blind robots.
fn seeing<'w>(world: &'w World, kind: ComponentId, wanted: &dyn Fn(StableId) -> bool) -> Vec<EntityRef<'w>> {
    let sensors = entities_with(world, kind).filter(|sensor| !sensor.contains::<Dead>() && !sensor.contains::<Blind>());
    let sensors = sensors.filter_map(|sensor| Some((sensor.get::<Mounted>()?, sensor)));
    let mut sensors: Vec<_> = sensors.filter(|(mounted, _)| wanted(mounted.owner)).collect();
    sensors.sort_unstable_by_key(|(mounted, _)| (mounted.owner, mounted.slot));
    sensors.into_iter().map(|(_, sensor)| sensor).collect()
}

/// Draws the sensors of selected robots, kind by kind.
pub fn draw_all(world: &World, space: &Space, wanted: &dyn Fn(StableId) -> bool, picture: &mut Picture) {
    each_seeing(world, wanted, &mut |entity, MountedSensor { kind, sensor, memory }| {
        if let (Some(row), Some(reading)) = (entity.get::<Row>(), entity.get::<Reading>()) {
            (kind.draw)(sensor, memory, space, row.0 as usize, &reading.values, picture);
        }
    });
}

/// Passes on the pose estimates of sensors of selected robots, kind by kind, by age.
pub fn beliefs(world: &World, wanted: &dyn Fn(StableId) -> bool, draw: &mut dyn FnMut(Entity, Belief)) {
    each_seeing(world, wanted, &mut |entity, MountedSensor { kind, sensor, memory }| {
        if let (Some(owner), Some(belief)) = (entity.get::<SensorOf>(), (kind.belief)(sensor, memory)) {
            draw(owner.0, belief);
        }
    });
}

/// Visits the active sensors of selected robots, kind by kind.
fn each_seeing(world: &World, wanted: &dyn Fn(StableId) -> bool, visit: &mut dyn FnMut(EntityRef, MountedSensor)) {
    for KindRow { component, on_entity, entry: kind, .. } in
        world.get_resource::<SensorKinds>().into_iter().flat_map(FamilyTable::iter)
    {
        for entity in seeing(world, *component, wanted) {
            if let (Some(sensor), Some(memory)) = (on_entity(entity), (kind.memory)(entity)) {
                visit(entity, MountedSensor { kind, sensor, memory });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_of_numbers_have_quantities() {
        for (name, expected) in [
            ("vx", "Velocity x"),
            ("angular_az", "Angular acceleration z"),
            ("world_vy", "Velocity in the world, y"),
            ("dyaw", "Change of yaw"),
            ("dS", "Distance driven"),
            ("x", "X"),
            ("direction_x", "Direction x"),
            ("distance", "Distance"),
            ("max", "Max"),
        ] {
            assert_eq!(quantity(name), expected, "{name}");
        }
    }
}
