//! Actuators: what a robot that is led from outside does with what it is told (MORSE's actuators).
//!
//! The controller [`External`](crate::controller::external::External) has them. What comes from outside comes as edits.

use std::fmt;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::direction;
use swarmarium_picture::Picture;
use swarmarium_space::Space;

use crate::agent::Pose;
use crate::agent::attitude::Attitude;
use crate::kind::{Family, KindTable, KindType, Kinds, Slot};
use crate::noise::{Kept, NoiseFamily, NoiseKinds};
use crate::random::Seed;
use crate::service::tasks::Tasks;
use crate::service::{About, Fields, Link, Service, ServiceError, Value, ValueError, within_reach};
use crate::time::rate::MAX_RATE_HZ;

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Actuators>();
}

/// The service that interrupts what an actuator is at; clients do not see it, but cancel with it.
pub const INTERRUPT: &str = "interrupt";

/// The kinds of actuators, which carry out what clients ask of a robot.
#[derive(TypePath)]
pub struct ActuatorFamily;

impl Family for ActuatorFamily {
    const NAME: &'static str = "actuator";
    type Common = Actuating;
}

/// A kind of actuator. One file: parameters, [`act`](Actuator::act), its services, tests.
pub trait Actuator: KindType {
    /// What clients must know of it.
    const ABOUT: About;

    /// What its stream takes, in the order of MORSE: its [values](Memory::values).
    const FIELDS: &'static [Field];

    /// Whether it moves its robot to the side, which only some motion models can.
    const GOES_ANY_WAY: bool = false;

    /// Sets values whose defaults are those of its robot, or of its parameters.
    fn start(&self, _robot: &Robot, _values: &mut [f64]) {}

    /// Decides what to do until it acts again.
    fn act(&self, robot: &Robot, memory: &mut Memory) -> Actuation;

    /// Does a service; `arguments` are as many as it takes.
    ///
    /// # Errors
    /// Says why it cannot.
    fn call(
        &self,
        _robot: &Robot,
        _memory: &mut Memory,
        service: &Service,
        _arguments: &[Value],
    ) -> Result<Value, ServiceError> {
        Err(ServiceError::Unknown(service.name.into()))
    }

    /// Breaks off the task that it is at.
    fn interrupt(&self, _robot: &Robot, _memory: &mut Memory) {}

    /// What is wrong with its parameters taken together, for those who write scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Draws what it does; where it is about to go only if `shows_plan`. It cannot change anything.
    fn draw(&self, _memory: &Memory, _pose: &Pose, _shows_plan: bool, _picture: &mut Picture) {}
}

/// What all actuators have besides their own parameters.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Actuating {
    /// What clients outside call it; empty for the name of its kind in lower case.
    pub name: String,
    /// Whether it acts at all. What was commanded last holds while it does not.
    pub active: bool,
    /// How often it acts, in simulated time or by the clock of its robot: at the step nearest to each time that is due. 0 is
    /// at every step.
    #[reflect(@Limits::between(0.0, MAX_RATE_HZ))]
    pub rate_hz: f64,
    /// When it acts for the first time after the start, or with links, after the first step (as in MORSE).
    #[reflect(@Limits::between(0.0, 1e9))]
    pub phase_s: f64,
    /// What happens to what comes on its stream, one after the other. `Dropout` loses messages; with `Delay` they come through
    /// some acts later.
    pub noise: Vec<Slot<NoiseFamily>>,
    /// What connects it with clients outside.
    pub links: Vec<Link>,
}

impl Default for Actuating {
    fn default() -> Self {
        Self { name: String::new(), active: true, rate_hz: 0.0, phase_s: 0.0, noise: Vec::new(), links: Vec::new() }
    }
}

/// A field of what an actuator's stream takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its value before any was sent; a flag is 0 or 1.
    pub default: f64,
    /// Whether it is true or false.
    pub is_flag: bool,
}

impl Field {
    /// A number.
    pub const fn number(name: &'static str, default: f64) -> Self {
        Self { name, default, is_flag: false }
    }

    /// Something that is true or false, and true before anything was sent.
    pub const fn flag(name: &'static str) -> Self {
        Self { name, default: 1.0, is_flag: true }
    }

    /// The number that stands for a value.
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

/// What an actuator remembers; the same for all kinds.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The kind that remembers.
    kind: String,
    /// What it was told last, one number for each of its fields.
    pub values: Vec<f64>,
    /// What its stream sent and comes through later, the next one first.
    late: Vec<Late>,
    /// Whether it received a command since it acted last.
    pub fresh: bool,
    /// Whether it received a command while it was active and has not acted since: it acts once more, even if deactivated.
    pub owes: bool,
    /// How far it is.
    pub status: Status,
    /// What else it keeps.
    pub kept: Vec<f64>,
    /// Its tasks.
    pub tasks: Tasks,
    /// Whether it is at the last one.
    pub is_busy: bool,
    /// What the noise of its stream keeps.
    noise: Kept,
}

/// What comes through to an actuator later.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
struct Late {
    /// How many acts come before that.
    acts: u32,
    /// What it is told then.
    values: Vec<f64>,
}

impl Memory {
    /// The first values.
    pub fn numbers<const N: usize>(&self) -> [f64; N] {
        std::array::from_fn(|place| self.values.get(place).copied().unwrap_or_default())
    }

    /// Takes other values, from the first on.
    pub fn tell(&mut self, values: &[f64]) {
        self.values.iter_mut().zip(values).for_each(|(value, told)| *value = *told);
        self.fresh = true;
    }

    /// Takes what its stream sent, once it has acted so many times; what would come later than that does not come any more.
    fn receive(&mut self, values: Vec<f64>, acts: u32) {
        self.late.retain(|late| late.acts < acts);
        match acts {
            0 => (self.values, self.fresh) = (values, true),
            acts => self.late.push(Late { acts, values }),
        }
    }

    /// Takes what comes through before it acts.
    fn take_late(&mut self) {
        if self.late.first().is_some_and(|late| late.acts == 0) {
            (self.values, self.fresh) = (self.late.remove(0).values, true);
        }
        self.late.iter_mut().for_each(|late| late.acts = late.acts.saturating_sub(1));
    }

    /// Begins a task; one that it is at is broken off.
    pub fn begin_task(&mut self) {
        self.tasks.begun += 1;
        self.is_busy = true;
    }

    /// Comes to the end of the task that it is at, if it is at one.
    pub fn end_task(&mut self) {
        if std::mem::take(&mut self.is_busy) {
            self.tasks.done = self.tasks.begun;
        }
    }
}

/// How far an actuator is on its way.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It is where it should be.
    #[default]
    Arrived,
    /// It is on its way.
    Transit,
    /// It was stopped, or has nowhere to go.
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

/// What an actuator knows of its robot.
#[derive(Clone, Copy)]
pub struct Robot<'a> {
    /// Where it is.
    pub pose: Pose,
    /// How high it is and how it is tilted.
    pub attitude: Attitude,
    /// The time from one act to the next.
    pub period_s: f64,
    /// What there is around it.
    pub space: &'a Space,
    /// Its row there.
    pub row: usize,
}

impl Robot<'_> {
    /// The way to a point, across the boundary where that wraps and is nearer.
    pub fn way_to(&self, point_m: DVec2) -> DVec2 {
        self.space.arena.offset(self.pose.position_m, point_m)
    }

    /// A velocity over the ground as its body has it.
    pub fn seen_from_body(&self, velocity: DVec2) -> DVec2 {
        direction(-self.pose.heading_rad).rotate(velocity)
    }
}

/// A velocity of the body: along its axes, and turning.
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
    /// Of a body that stands still.
    pub const ZERO: Self = Self::drive(0.0, 0.0);

    /// Of a body that drives ahead and turns.
    pub const fn drive(x_m_per_s: f64, turn_rad_per_s: f64) -> Self {
        Self { x_m_per_s, y_m_per_s: 0.0, turn_rad_per_s }
    }
}

/// What an actuator does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Actuation {
    /// How the robot should move from now on; as before when there is none.
    pub velocity: Option<Velocity>,
    /// Where the robot is put.
    pub pose: Option<Pose>,
    /// How high the robot is put, and how it is tilted.
    pub attitude: Option<Attitude>,
    /// Whether the robot leaps there, so that no sensor of movement notices, and is held there from then on.
    pub leaps: bool,
}

impl From<Velocity> for Actuation {
    fn from(velocity: Velocity) -> Self {
        Self { velocity: Some(velocity), ..Self::default() }
    }
}

/// The functions of one kind of actuators, and its description for clients.
#[derive(Clone, Copy)]
pub struct ActuatorKind {
    name: &'static str,
    /// What clients must know of it.
    pub about: About,
    /// What its stream takes.
    pub fields: &'static [Field],
    /// Whether it moves its robot to the side.
    pub goes_any_way: bool,
    start: fn(&dyn Reflect, &Robot, &mut [f64]),
    act: fn(&dyn Reflect, &Robot, &mut Memory) -> Actuation,
    call: Call,
    interrupt: fn(&dyn Reflect, &Robot, &mut Memory),
    /// As [`Actuator::problem`].
    pub problem: fn(&dyn Reflect) -> Option<String>,
    draw: fn(&dyn Reflect, &Memory, &Pose, bool, &mut Picture),
}

/// The source of the random numbers that the noise of a stream draws.
#[derive(Clone, Copy)]
pub struct StreamNoise<'a> {
    /// The kinds of noise.
    pub kinds: &'a NoiseKinds,
    /// The id that the stream draws under.
    pub owner: StableId,
    /// The seed of the run, and the step.
    pub now: (Seed, u64),
}

/// Does a service of a kind.
type Call = fn(&dyn Reflect, &Robot, &mut Memory, &Service, &[Value]) -> Result<Value, ServiceError>;

/// The kinds of actuators.
pub type Actuators = KindTable<ActuatorKind>;

impl Actuators {
    /// What is known of the kind of an actuator.
    pub fn find(&self, actuator: &Slot<ActuatorFamily>) -> Option<&ActuatorKind> {
        self.of_value(actuator.value())
    }

    /// Lets an actuator act.
    pub fn act(&self, actuator: &Slot<ActuatorFamily>, robot: &Robot, memory: &mut Memory) -> Actuation {
        let Some(entry) = self.ready(actuator, robot, memory) else { return Actuation::default() };
        memory.take_late();
        let actuation = (entry.act)(actuator.value(), robot, memory);
        (memory.fresh, memory.owes) = (false, false);
        actuation
    }

    /// Does a service of an actuator.
    ///
    /// # Errors
    /// Says why it cannot.
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

    /// Tells an actuator what came on its stream; what is missing stays as it is.
    ///
    /// # Errors
    /// Says what is not as it should be; then it is told nothing.
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
        // What it will have been told by then.
        let mut values = memory.late.last().map_or(&memory.values, |late| &late.values).clone();
        let mut is_told = vec![false; values.len()];
        // What would have to be sent for that.
        let mut sent = values.clone();
        kinds.apply(&kinds.backwards(chain), &names, owner, now, &mut Kept::default(), &mut sent);
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

    /// Draws what an actuator does.
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

    /// Sees to it that what an actuator remembers is of its kind.
    pub fn ready(&self, actuator: &Slot<ActuatorFamily>, robot: &Robot, memory: &mut Memory) -> Option<&ActuatorKind> {
        let entry = self.find(actuator)?;
        if memory.kind != entry.name {
            let values = entry.fields.iter().map(|field| field.default).collect();
            *memory = Memory { kind: entry.name.into(), values, ..Memory::default() };
            (entry.start)(actuator.value(), robot, &mut memory.values);
        }
        Some(entry)
    }
}

impl Actuators {
    /// All kinds, each with the names of its fields.
    pub fn all_names(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        self.iter().map(|(_, entry)| (entry.name, entry.names())).collect()
    }
}

impl ActuatorKind {
    /// What its fields are called.
    pub fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|field| field.name).collect()
    }

    /// The numbers that fields stand for, each with its place; those that the actuator does not have are left out.
    ///
    /// # Errors
    /// Says what is not as it should be.
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

/// Makes kinds of actuators known.
pub trait AddActuator {
    /// Adds a kind of actuator and its name in scenes.
    fn add_actuator<K: Actuator>(&mut self) -> &mut Self;
}

impl AddActuator for App {
    fn add_actuator<K: Actuator>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<ActuatorFamily, K>();
        let entry = ActuatorKind {
            name: K::type_ident().unwrap_or_else(K::short_type_path),
            about: K::ABOUT,
            fields: K::FIELDS,
            goes_any_way: K::GOES_ANY_WAY,
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
            problem: |actuator| actuator.downcast_ref::<K>().and_then(Actuator::problem),
            draw: |actuator, memory, pose, shows_plan, picture| {
                if let Some(actuator) = actuator.downcast_ref::<K>() {
                    actuator.draw(memory, pose, shows_plan, picture);
                }
            },
        };
        Actuators::add::<K>(world, entry);
        self
    }
}
