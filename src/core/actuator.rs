//! Actuators, which carry out the commands of external programs (MORSE's actuators).
//!
//! They belong to the controller [`External`](crate::controller::external::External). Commands arrive as edits.

use std::fmt;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::math::direction;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

use crate::agent::Pose;
use crate::agent::attitude::Attitude;
pub use crate::component::ComponentSettings;
use crate::kind::{Family, FamilyTable, KindType, Slot, ident};
use crate::noise::{Kept, NoiseKinds};
use crate::random::Seed;
use crate::service::tasks::Tasks;
use crate::service::{About, Fields, Service, ServiceError, Value, ValueError, within_reach};

/// Adds the state of actuators.
pub fn plugin(app: &mut App) {
    app.init_resource::<ActuatorKinds>();
}

/// Service that interrupts the task of an actuator. Clients do not see it, but their cancel requests call it.
pub const INTERRUPT: &str = "interrupt";

/// The kinds of actuators, which carry out the commands of external programs.
#[derive(TypePath)]
pub struct ActuatorFamily;

impl Family for ActuatorFamily {
    const NAME: &'static str = "actuator";
    type Common = ComponentSettings;
    type Entry = ActuatorKind;
}

/// A kind of actuator. One file: parameters, [`act`](Actuator::act), its services, tests.
///
/// The guide "Write an actuator" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// # use swarmarium_core::actuator::{Actuation, Field, Memory, Robot, Velocity};
/// /// Drives at the commanded speed.
/// #[kind]
/// struct Throttle {}
///
/// impl Actuator for Throttle {
///     const FIELDS: &'static [Field] = &[Field::number("v", 0.0)];
///
///     fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
///         let [v_m_per_s] = memory.numbers();
///         Velocity::drive(v_m_per_s, 0.0).into()
///     }
/// }
/// ```
pub trait Actuator: KindType {
    /// Its description for clients.
    const ABOUT: About = About::NONE;

    /// Fields of its data stream, in the order of MORSE: its [values](Memory::values).
    const FIELDS: &'static [Field];

    /// Whether it moves its robot sideways, which only some motion models can do.
    const GOES_ANY_WAY: bool = false;

    /// Whether it requires a gripper: scenes that give it to a robot without one are rejected.
    const NEEDS_GRIPPER: bool = false;

    /// Sets initial values that depend on its robot or its parameters.
    fn start(&self, _robot: &Robot, _values: &mut [f64]) {}

    /// Decides on an action, which holds until the next call.
    fn act(&self, robot: &Robot, memory: &mut Memory) -> Actuation;

    /// Executes a service; `arguments` has as many values as the service takes.
    ///
    /// # Errors
    /// When the service is impossible; the error says why.
    fn call(
        &self,
        _robot: &Robot,
        _memory: &mut Memory,
        service: &Service,
        _arguments: &[Value],
    ) -> Result<Value, ServiceError> {
        Err(ServiceError::Unknown(service.name.into()))
    }

    /// Interrupts the current task.
    fn interrupt(&self, _robot: &Robot, _memory: &mut Memory) {}

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Draws its state, and its destination only if `shows_plan`. Cannot change anything.
    fn draw(&self, _memory: &Memory, _pose: &Pose, _shows_plan: bool, _picture: &mut Picture) {}
}

/// A field of the data stream of an actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its initial value; a flag is 0 or 1.
    pub default: f64,
    /// Whether the field is a flag.
    pub is_flag: bool,
}

impl Field {
    /// A number.
    pub const fn number(name: &'static str, default: f64) -> Self {
        Self { name, default, is_flag: false }
    }

    /// A flag, initially true.
    pub const fn flag(name: &'static str) -> Self {
        Self { name, default: 1.0, is_flag: true }
    }

    /// Converts a value to the number that is stored for it.
    fn read(&self, value: &Value) -> Result<f64, ValueError> {
        let number = match value {
            Value::Bool(flag) if self.is_flag => f64::from(u8::from(*flag)),
            value => value.number().ok_or_else(|| {
                let expected = if self.is_flag { "true or false" } else { "a number" };
                ValueError::Type { name: self.name.into(), expected, found: value.clone() }
            })?,
        };
        match number.is_finite() {
            true => Ok(number),
            false => Err(ValueError::Infinite { name: self.name.into(), found: number }),
        }
    }
}

/// Memory of an actuator; the same type for all kinds.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Kind of the actuator that this memory belongs to.
    kind: String,
    /// The last command: one number per field.
    pub values: Vec<f64>,
    /// Messages that take effect later, the next one first.
    late: Vec<Late>,
    /// Whether a command has arrived since the last action.
    pub fresh: bool,
    /// Whether a command arrived while the actuator was active and has not been carried out: the actuator then acts
    /// once more, even if deactivated.
    pub owes: bool,
    /// Progress of the actuator.
    pub status: Status,
    /// Further numbers that the kind stores.
    pub kept: Vec<f64>,
    /// Its tasks.
    pub tasks: Tasks,
    /// Whether the last task is in progress.
    pub is_busy: bool,
    /// Memory of the noise of its stream.
    noise: Kept,
}

/// A message that takes effect later.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
struct Late {
    /// Number of actions before it takes effect.
    acts: u32,
    /// Values of the message.
    values: Vec<f64>,
}

impl Memory {
    /// The first values.
    pub fn numbers<const N: usize>(&self) -> [f64; N] {
        std::array::from_fn(|place| self.values.get(place).copied().unwrap_or_default())
    }

    /// Replaces values, starting with the first.
    pub fn tell(&mut self, values: &[f64]) {
        self.values.iter_mut().zip(values).for_each(|(value, told)| *value = *told);
        self.fresh = true;
    }

    /// Stores values that take effect after this many actions. Queued messages that would take effect later are
    /// dropped.
    fn receive(&mut self, values: Vec<f64>, acts: u32) {
        self.late.retain(|late| late.acts < acts);
        match acts {
            0 => (self.values, self.fresh) = (values, true),
            acts => self.late.push(Late { acts, values }),
        }
    }

    /// Applies the queued message that is due before this action.
    fn take_late(&mut self) {
        if self.late.first().is_some_and(|late| late.acts == 0) {
            (self.values, self.fresh) = (self.late.remove(0).values, true);
        }
        self.late.iter_mut().for_each(|late| late.acts = late.acts.saturating_sub(1));
    }

    /// Begins a task; a task in progress is interrupted.
    pub fn begin_task(&mut self) {
        self.tasks.begun += 1;
        self.is_busy = true;
    }

    /// Ends the task in progress, if any.
    pub fn end_task(&mut self) {
        if std::mem::take(&mut self.is_busy) {
            self.tasks.done = self.tasks.begun;
        }
    }
}

/// Progress of an actuator.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// At its destination.
    #[default]
    Arrived,
    /// On its way.
    Transit,
    /// Stopped, or without a destination.
    Stop,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Arrived => "Arrived",
            Self::Transit => "Transit",
            Self::Stop => "Stop",
        })
    }
}

/// State of the robot of an actuator.
#[derive(Clone, Copy)]
pub struct Robot<'a> {
    /// Its pose.
    pub pose: Pose,
    /// Its height and tilt.
    pub attitude: Attitude,
    /// Time between two actions of the actuator.
    pub period_s: f64,
    /// The space around the robot.
    pub space: &'a Space,
    /// Row of the robot in `space`.
    pub row: usize,
    /// The object in reach of its gripper. Known only to services.
    pub graspable: Option<usize>,
}

impl Robot<'_> {
    /// Vector to a point, across a periodic boundary if that is shorter.
    pub fn way_to(&self, point_m: DVec2) -> DVec2 {
        self.space.arena.offset(self.pose.position_m, point_m)
    }

    /// Converts a velocity over ground to the frame of the body.
    pub fn seen_from_body(&self, velocity: DVec2) -> DVec2 {
        direction(-self.pose.heading_rad).rotate(velocity)
    }
}

/// A velocity in the frame of the body.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// Ahead.
    pub x_m_per_s: f64,
    /// To the left.
    pub y_m_per_s: f64,
    /// Anticlockwise.
    pub turn_rad_per_s: f64,
}

impl Velocity {
    /// Zero velocity.
    pub const ZERO: Self = Self::drive(0.0, 0.0);

    /// A velocity ahead and a turn rate.
    pub const fn drive(x_m_per_s: f64, turn_rad_per_s: f64) -> Self {
        Self { x_m_per_s, y_m_per_s: 0.0, turn_rad_per_s }
    }
}

/// Result of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Actuation {
    /// New velocity of the robot; `None` to keep the current one.
    pub velocity: Option<Velocity>,
    /// New pose of the robot.
    pub pose: Option<Pose>,
    /// New height and tilt of the robot.
    pub attitude: Option<Attitude>,
    /// Whether the robot is teleported to the pose, unnoticed by odometry and similar sensors, and held there.
    pub leaps: bool,
}

impl From<Velocity> for Actuation {
    fn from(velocity: Velocity) -> Self {
        Self { velocity: Some(velocity), ..Self::default() }
    }
}

/// The entry of a kind of actuator in the table of its family.
#[derive(Clone, Copy)]
pub struct ActuatorKind {
    name: &'static str,
    /// Its description for clients.
    pub about: About,
    /// Fields of its data stream.
    pub fields: &'static [Field],
    /// Whether it moves its robot sideways.
    pub goes_any_way: bool,
    /// Whether it requires a gripper.
    pub needs_gripper: bool,
    start: fn(&dyn Reflect, &Robot, &mut [f64]),
    act: fn(&dyn Reflect, &Robot, &mut Memory) -> Actuation,
    call: Call,
    interrupt: fn(&dyn Reflect, &Robot, &mut Memory),
    draw: fn(&dyn Reflect, &Memory, &Pose, bool, &mut Picture),
}

/// Source of random numbers for the noise of a stream.
#[derive(Clone, Copy)]
pub struct StreamNoise<'a> {
    /// The kinds of noise.
    pub kinds: &'a NoiseKinds,
    /// Id that identifies the random stream.
    pub owner: StableId,
    /// Seed of the run, and the step.
    pub now: (Seed, u64),
}

/// Executes a service of a kind.
type Call = fn(&dyn Reflect, &Robot, &mut Memory, &Service, &[Value]) -> Result<Value, ServiceError>;

/// The kinds of actuators.
pub type ActuatorKinds = FamilyTable<ActuatorFamily>;

impl ActuatorKinds {
    /// The registered kind of an actuator.
    pub fn find(&self, actuator: &Slot<ActuatorFamily>) -> Option<&ActuatorKind> {
        self.of_value(actuator.value())
    }

    /// Executes an action of an actuator.
    pub fn act(&self, actuator: &Slot<ActuatorFamily>, robot: &Robot, memory: &mut Memory) -> Actuation {
        let Some(entry) = self.ready(actuator, robot, memory) else { return Actuation::default() };
        memory.take_late();
        let actuation = (entry.act)(actuator.value(), robot, memory);
        (memory.fresh, memory.owes) = (false, false);
        actuation
    }

    /// Executes a service of an actuator.
    ///
    /// # Errors
    /// When the service is unknown or impossible.
    pub fn call(
        &self,
        actuator: &Slot<ActuatorFamily>,
        robot: &Robot,
        memory: &mut Memory,
        (service, arguments): (&str, &[Value]),
    ) -> Result<Value, ServiceError> {
        let entry = self.ready(actuator, robot, memory).ok_or_else(|| ServiceError::Unknown(service.into()))?;
        if service == INTERRUPT && entry.about.services.iter().any(|service| service.is_task) {
            memory.is_busy = false;
            (entry.interrupt)(actuator.value(), robot, memory);
            return Ok(Value::Null);
        }
        let known = entry.about.services.iter().find(|known| known.name == service);
        let known = known.ok_or_else(|| ServiceError::Unknown(service.into()))?;
        known.check_count(arguments.len())?;
        (entry.call)(actuator.value(), robot, memory, known, arguments)
    }

    /// Passes a message of its stream to an actuator; missing fields keep their values.
    ///
    /// # Errors
    /// When a field has a wrong type or value; the actuator then stays unchanged.
    pub fn feed(
        &self,
        actuator: &Slot<ActuatorFamily>,
        robot: &Robot,
        memory: &mut Memory,
        fields: &Fields,
        StreamNoise { kinds, owner, now }: StreamNoise,
    ) -> Result<(), ServiceError> {
        let entry = self.ready(actuator, robot, memory).ok_or(ServiceError::TakesNothing)?;
        let told = entry.read(fields)?;
        let chain = &actuator.common().noise;
        let names = entry.names();
        // Values at the time when the message takes effect.
        let mut values = memory.late.last().map_or(&memory.values, |late| &late.values).clone();
        let mut is_told = vec![false; values.len()];
        // The message that would produce these values.
        let mut sent = values.clone();
        kinds.apply_once(&kinds.backwards(chain), &names, owner, now, &mut sent);
        for (place, number) in told {
            if let (Some(value), Some(mark)) = (sent.get_mut(place), is_told.get_mut(place)) {
                (*value, *mark) = (number, true);
            }
        }
        kinds.mark_mixed(chain, &names, &mut is_told);
        let comes_through = kinds.apply_in(chain, &names, owner, now, &mut memory.noise, &mut sent);
        let all = values.iter_mut().zip(sent).zip(is_told);
        all.filter(|(_, is_told)| *is_told).for_each(|((value, sent), _)| *value = sent);
        for (field, value) in entry.fields.iter().zip(&values) {
            within_reach(field.name, *value)?;
        }
        if comes_through {
            memory.receive(values, kinds.acts_late(chain));
        }
        Ok(())
    }

    /// Draws the state of an actuator.
    pub fn draw(
        &self,
        actuator: &Slot<ActuatorFamily>,
        memory: &Memory,
        pose: &Pose,
        shows_plan: bool,
        picture: &mut Picture,
    ) {
        if let Some(entry) = self.find(actuator) {
            (entry.draw)(actuator.value(), memory, pose, shows_plan, picture);
        }
    }

    /// Resets the memory of an actuator if it belongs to another kind.
    pub fn ready(&self, actuator: &Slot<ActuatorFamily>, robot: &Robot, memory: &mut Memory) -> Option<&ActuatorKind> {
        let entry = self.find(actuator)?;
        if memory.kind != entry.name {
            let values = entry.fields.iter().map(|field| field.default).collect();
            *memory = Memory { kind: entry.name.into(), values, ..Memory::default() };
            (entry.start)(actuator.value(), robot, &mut memory.values);
        }
        Some(entry)
    }

    /// All kinds, with the names of their fields.
    pub fn all_names(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        self.iter().map(|kind| (kind.entry.name, kind.entry.names())).collect()
    }
}

impl ActuatorKind {
    /// Names of the fields.
    pub fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name).collect()
    }

    /// The numbers of known fields, with their indices; unknown fields are ignored.
    ///
    /// # Errors
    /// When a value has a wrong type, or all fields are unknown.
    pub fn read(&self, fields: &Fields) -> Result<Vec<(usize, f64)>, ServiceError> {
        let mut told = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            if let Some(place) = self.fields.iter().position(|field| field.name == name) {
                told.push((place, self.fields[place].read(value)?));
            }
        }
        if told.is_empty() {
            return Err(ServiceError::UnknownFields(self.names()));
        }
        Ok(told)
    }
}

/// Registers kinds of actuators.
pub trait AddActuator {
    /// Adds a kind of actuator under its name in scenes.
    fn add_actuator<K: Actuator>(&mut self) -> &mut Self;
}

impl AddActuator for App {
    fn add_actuator<K: Actuator>(&mut self) -> &mut Self {
        let entry = ActuatorKind {
            name: ident::<K>(),
            about: K::ABOUT,
            fields: K::FIELDS,
            goes_any_way: K::GOES_ANY_WAY,
            needs_gripper: K::NEEDS_GRIPPER,
            start: |actuator, robot, values| {
                if let Some(actuator) = actuator.downcast_ref::<K>() {
                    actuator.start(robot, values);
                }
            },
            act: |actuator, robot, memory| match actuator.downcast_ref::<K>() {
                Some(actuator) => actuator.act(robot, memory),
                None => Actuation::default(),
            },
            call: |actuator, robot, memory, service, arguments| match actuator.downcast_ref::<K>() {
                Some(actuator) => actuator.call(robot, memory, service, arguments),
                None => Err(ServiceError::Unknown(service.name.into())),
            },
            interrupt: |actuator, robot, memory| {
                if let Some(actuator) = actuator.downcast_ref::<K>() {
                    actuator.interrupt(robot, memory);
                }
            },
            draw: |actuator, memory, pose, shows_plan, picture| {
                if let Some(actuator) = actuator.downcast_ref::<K>() {
                    actuator.draw(memory, pose, shows_plan, picture);
                }
            },
        };
        let problem = |actuator: &dyn Reflect| actuator.downcast_ref::<K>().and_then(Actuator::problem);
        ActuatorKinds::add::<K>(self.world_mut(), problem, entry);
        self
    }
}
