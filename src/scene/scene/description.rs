//! The description of a scene: the types behind `scenes/*.ron`.
//!
//! Every field has a default, so a scene states only the fields that matter to it.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_LENGTH_M};
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::contact::OnCollision;
use swarmarium_core::agent::failure::Fault;
use swarmarium_core::agent::look::Look;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::controller::constant::Constant;
use swarmarium_core::field::Emitter;
use swarmarium_core::gripper::Gripper;
use swarmarium_core::kind::{Optional, Required, SkipIfEmpty, Slot};
use swarmarium_core::leds::Leds;
use swarmarium_core::metric::MetricFamily;
use swarmarium_core::motion::MotionFamily;
use swarmarium_core::motion::unicycle::Unicycle;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::gone::Gone;
use swarmarium_core::radio::Radio;
use swarmarium_core::sensor::SensorFamily;
use swarmarium_core::service::note::Note;
use swarmarium_core::spawner::SpawnerFamily;
use swarmarium_core::spawner::point::Point;
use swarmarium_core::spawner::table::Table;
use swarmarium_core::step::order::{Delivery, Order};
use swarmarium_core::time::Strategy;
use swarmarium_core::time::robot::RobotClock;
use swarmarium_picture::camera::YAxis;
use swarmarium_space::arena::Arena;
use swarmarium_space::{Collides, FieldSettings, InfraredModel};

use super::constants;
use super::controls::Control;
use super::path;

/// The version of the scene format of this program.
pub const FORMAT: u32 = 1;

/// The name of the note with the tags of a scene.
pub const TAGS: &str = "tags";

/// A whole scene.
#[derive(Reflect, Clone, Debug)]
#[reflect(Default)]
pub struct Scene {
    /// Version of the scene format.
    #[reflect(@Limits::between(1.0, FORMAT as f64))]
    pub format: u32,
    /// Title, shown in the window and in lists.
    pub name: String,
    /// Description in one or two lines.
    pub about: String,
    /// Exercises, one text each. They do not affect results.
    #[reflect(@SkipIfEmpty)]
    pub tasks: Vec<String>,
    /// Constants: values with names in capitals.
    pub constants: Vec<constants::Constant>,
    /// Main parameters of the scene, at most six, which a window shows first.
    #[reflect(@SkipIfEmpty)]
    pub controls: Vec<Control>,
    /// Seed of every random stream, 0 to 18,446,744,073,709,551,615.
    pub seed: u64,
    /// The arena in which the agents move.
    pub arena: Arena,
    /// Clock of the simulation.
    pub time: Time,
    /// Sockets through which external programs control and observe robots.
    pub sockets: Sockets,
    /// Whether all agents act simultaneously or one after the other.
    pub order: Order,
    /// The step in which messages are received.
    pub delivery: Delivery,
    /// Readings of sensors before the first step.
    pub initial_readings: InitialReadings,
    /// Source of random numbers.
    pub random_source: RandomSource,
    /// Separation of agents that overlap.
    pub overlap_resolution: OverlapResolution,
    /// Response of agents to a collision.
    pub on_collision: OnCollision,
    /// Distance model of infrared sensors.
    pub infrared_model: InfraredModel,
    /// Whether spawners act once before the first step.
    pub spawn_before_first_step: bool,
    /// Groups of agents; the agents of a group share one description.
    pub groups: Vec<Group>,
    /// Everything in the arena other than agents.
    pub objects: Vec<Slot<ObjectFamily>>,
    /// Groups of objects that spawners place at the start, in this order and before all robots that spawners place. They
    /// follow those of `objects`.
    #[reflect(@SkipIfEmpty)]
    pub object_groups: Vec<ObjectGroup>,
    /// Scalar fields on grids, such as pheromone, which robots sense and to which they add.
    #[reflect(@SkipIfEmpty)]
    pub fields: Vec<FieldSettings>,
    /// Metrics, observed after each step.
    pub metrics: Vec<Slot<MetricFamily>>,
    /// Failures of robots, each with its time.
    pub faults: Vec<Fault>,
    /// End of a run.
    pub stop: Stop,
    /// Notes on the scene, such as its author, which the program keeps but does not read.
    pub metadata: Vec<Note>,
    /// View of the scene; it does not affect results.
    pub view: Viewing,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            format: FORMAT,
            name: String::new(),
            about: String::new(),
            tasks: Vec::new(),
            constants: Vec::new(),
            controls: Vec::new(),
            seed: 1,
            arena: Arena::default(),
            time: Time::default(),
            sockets: Sockets::default(),
            order: Order::default(),
            delivery: Delivery::default(),
            initial_readings: InitialReadings::default(),
            random_source: RandomSource::default(),
            overlap_resolution: OverlapResolution::default(),
            on_collision: OnCollision::default(),
            infrared_model: InfraredModel::default(),
            spawn_before_first_step: true,
            groups: Vec::new(),
            objects: Vec::new(),
            object_groups: Vec::new(),
            fields: Vec::new(),
            metrics: Vec::new(),
            faults: Vec::new(),
            stop: Stop::default(),
            metadata: Vec::new(),
            view: Viewing::default(),
        }
    }
}

impl Scene {
    /// The tags by which lists sort the scene: the comma-separated words of its note `tags`.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        let note = self.metadata.iter().find(|note| note.name == TAGS).map_or("", |note| note.text.as_str());
        note.split(',').map(str::trim).filter(|tag| !tag.is_empty())
    }

    /// The scene as a file has it: without the objects that object groups place at each start, and without removed
    /// objects: without all of them, or, if constants refer to objects by index, without those at the end of the list.
    #[must_use]
    pub fn for_file(self) -> Self {
        let mut scene = self.without_placed();
        let leads_to_object = |path: &String| path.starts_with("objects");
        let is_gone = |object: &Slot<ObjectFamily>| object.value().is::<Gone>();
        if scene.constants.iter().any(|constant| constant.of.iter().any(leads_to_object)) {
            let kept = scene.objects.iter().rposition(|object| !is_gone(object)).map_or(0, |last| last + 1);
            scene.objects.truncate(kept);
        } else {
            scene.objects.retain(|object| !is_gone(object));
        }
        scene
    }

    /// The scene without the objects that object groups have placed. Constants and controls of the other objects follow
    /// them; those of placed objects are left out.
    #[must_use]
    pub fn without_placed(mut self) -> Self {
        let is_placed = |object: &Slot<ObjectFamily>| object.common().placed;
        if !self.objects.iter().any(is_placed) {
            return self;
        }
        let mut next = 0;
        let places = self.objects.iter().map(|object| {
            let place = (!is_placed(object)).then_some(next);
            next += usize::from(place.is_some());
            place
        });
        let places: Vec<Option<usize>> = places.collect();
        let at = |path: &str| match path::steps(path).as_deref() {
            Some([(_, "objects"), (_, place), rest @ ..]) => {
                let place = place.parse().ok().and_then(|place: usize| *places.get(place)?)?;
                Some(rest.iter().fold(format!("objects.{place}"), |path, (_, step)| format!("{path}.{step}")))
            }
            _ => Some(path.to_owned()),
        };
        for constant in &mut self.constants {
            constant.of = constant.of.iter().filter_map(|path| at(path)).collect();
        }
        self.constants.retain(|constant| !constant.of.is_empty());
        self.controls.retain_mut(|control| at(&control.of).map(|path| control.of = path).is_some());
        self.objects.retain(|object| !is_placed(object));
        self
    }

    /// Whether the object at this index was removed.
    pub fn is_gone(&self, object: usize) -> bool {
        self.objects.get(object).is_some_and(|object| object.value().is::<Gone>())
    }

    /// The message about a name of neither a robot nor a group; `None` if the name exists.
    pub fn unknown_robot(&self, name: &str) -> Option<String> {
        let is_robot = |name: &str| {
            let (group, serial) = name.rsplit_once('-')?;
            let serial: u32 = serial.parse().ok()?;
            Some(self.groups.iter().any(|known| known.name == group && serial < known.agents()))
        };
        if self.groups.iter().any(|group| group.name == name) || is_robot(name) == Some(true) {
            return None;
        }
        let group = name.rsplit_once('-').map_or(name, |(group, _)| group);
        Some(match self.groups.iter().find(|known| known.name == group) {
            Some(known) if known.agents() == 0 => format!("there is no robot `{name}`: `{group}` has no robots"),
            Some(known) => format!("there is no robot `{name}`, only `{group}-0` to `{group}-{}`", known.agents() - 1),
            None => {
                let near = did_you_mean(name, self.groups.iter().map(|group| group.name.as_str()));
                format!("there is no robot or group `{name}`{near}")
            }
        })
    }
}

/// The view of a scene.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Viewing {
    /// Direction of the y axis on the screen.
    pub y_axis: YAxis,
    /// Keyframes of the camera of a video; without any, it shows the whole arena.
    pub camera: Vec<CameraKeyframe>,
    /// Time for which a radio connection is drawn as fresh after a packet was sent; 0 for the longest transmission
    /// interval of its sender.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub fresh_s: f64,
    /// Whether radio connections are shown at first.
    pub connections: bool,
    /// Default number of frames of a video; 0 for the usual number.
    pub movie_frames: u64,
    /// Effect of a click on the ground.
    pub click: Click,
}

/// The effect of a click on the ground of the window. A click on a robot or an obstacle selects it.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Click {
    /// Clears the selection.
    #[default]
    Select,
    /// Restarts the scene with its spawners centred on that point.
    Restart,
}

/// A keyframe of the camera of a video. The camera moves smoothly from one keyframe to the next.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct CameraKeyframe {
    /// Simulated time.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub at_s: f64,
    /// Target at the centre of the picture.
    pub look_at: LookAt,
    /// Zoom relative to the view of the whole arena.
    #[reflect(@Limits::between(1e-3, 1e4))]
    pub zoom: f64,
}

impl Default for CameraKeyframe {
    fn default() -> Self {
        Self { at_s: 0.0, look_at: LookAt::default(), zoom: 1.0 }
    }
}

/// The target at the centre of a camera.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum LookAt {
    /// The centre of the arena, with the whole arena in view.
    #[default]
    Fit,
    /// A fixed point.
    Place {
        /// The point.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        center_m: DVec2,
    },
    /// An agent, by number or name, or the centre of a group, by name.
    Follow {
        /// Number or name of the agent, or name of the group.
        target: String,
    },
}

/// The clock of a scene. Only `dt_s` affects results; the other fields decide when steps run and which times clients
/// receive.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Time {
    /// Simulated time of one step.
    #[reflect(@Limits::between(1e-6, 10.0))]
    pub dt_s: f64,
    /// Source of `dt_s`.
    pub base: Base,
    /// Initial time scale of a window: simulated seconds per real second.
    #[reflect(@Limits::between(0.01, 1e6))]
    pub scale: f64,
    /// Handling of steps that the machine cannot compute in time.
    pub strategy: Strategy,
    /// Pacing of steps: by the host or by clients.
    pub pacing: Pacing,
    /// Time of the start of the run for clients.
    pub epoch: Epoch,
    /// Maximum number of steps between two frames of a window; 0 for the limit of the window.
    pub max_steps_per_frame: u64,
}

impl Default for Time {
    fn default() -> Self {
        Self {
            dt_s: 0.025,
            base: Base::default(),
            scale: 1.0,
            strategy: Strategy::default(),
            pacing: Pacing::default(),
            epoch: Epoch::default(),
            max_steps_per_frame: 0,
        }
    }
}

impl Time {
    /// The maximum number of steps between two frames, for a window with the limit `most`.
    pub fn steps_per_frame(&self, most: u64) -> u64 {
        if self.max_steps_per_frame == 0 { most } else { self.max_steps_per_frame.min(most) }
    }

    /// The fields that affect results, with all others at their defaults.
    pub(crate) fn of_results(&self) -> Self {
        Self { dt_s: self.dt_s, ..Self::default() }
    }
}

/// The source of the time of a step.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Base {
    /// `dt_s`.
    #[default]
    Step,
    /// The fastest sensor, actuator or controller with a rate, and at least 60 Hz, as MORSE tunes itself; `dt_s` is
    /// replaced when the scene is read.
    Fastest,
}

/// The pacing of steps.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Pacing {
    /// The clock of the host decides when a step runs.
    #[default]
    Internal,
    /// Clients that send tokens to a socket decide when a step is done.
    External {
        /// Port of the socket; 0 for that of MORSE, 6000.
        #[reflect(@Limits::between(0.0, 65535.0), @Optional)]
        port: u32,
        /// Number of connections required before the first step. With 0, steps wait only for the clients that are
        /// connected, and run freely while there are none.
        #[reflect(@Limits::between(0.0, 1000.0), @Optional)]
        min_clients: u32,
    },
}

impl Pacing {
    /// The default port for tokens, as in MORSE.
    pub const PORT: u32 = 6000;

    /// The port for tokens, if clients decide when a step is done.
    pub fn sync_port(self) -> Option<u32> {
        match self {
            Self::Internal => None,
            Self::External { port: 0, .. } => Some(Self::PORT),
            Self::External { port, .. } => Some(port),
        }
    }
}

/// The time of the start of the run for clients, which is added to simulated time in messages to them.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Epoch {
    /// 0: clients receive simulated time.
    #[default]
    Zero,
    /// The time in UTC at which the host starts, in seconds since 1970.
    Unix,
    /// A fixed time.
    At {
        /// Seconds since 1970, or since another origin that clients use.
        #[reflect(@Limits::between(-1e12, 1e12))]
        unix_s: f64,
    },
}

impl Epoch {
    /// The time of the start in seconds, if it is `now_s` in seconds since 1970.
    pub fn at_s(self, now_s: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Zero => 0.0,
            Self::Unix => now_s(),
            Self::At { unix_s } => unix_s,
        }
    }
}

/// The ports of the sockets of a scene on this machine; 0 for none. `serve` and the window open them.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Sockets {
    /// Port for requests of services; in MORSE it is 4000.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub services: u32,
    /// First of the ports for the data streams of components; in MORSE it is 60000.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub streams: u32,
    /// Port of one stream with the data of all components.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub all: u32,
}

/// The end of a run: the first condition that is met. A window pauses there; `run` ends.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Stop {
    /// Number of steps; 0 for no limit.
    pub steps: u64,
    /// Simulated time, in seconds; 0 for no limit.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub time_s: f64,
    /// An expression over the metrics, `step`, `t_s` and `count`, such as `circliness > 0.9`; empty for none.
    pub when: String,
}

/// The duration of a run whose scene sets no end, in simulated seconds.
const DEFAULT_S: f64 = 60.0;
/// The largest number of steps of a run that only an expression ends: the expression may never be true.
const MAX_CONDITIONAL_STEPS: u64 = 1_000_000;

impl Stop {
    /// The maximum number of steps of a headless run, if a step takes `dt_s` seconds: 60 s for a scene without an end,
    /// and a million steps for one that only an expression ends.
    pub fn most_steps(&self, dt_s: f64) -> u64 {
        let without_end = || match self.when.is_empty() {
            true => (DEFAULT_S / dt_s).round() as u64,
            false => MAX_CONDITIONAL_STEPS,
        };
        self.last_step(dt_s).unwrap_or_else(without_end)
    }

    /// The step at which the run stops regardless of metrics, if a step takes `dt_s` seconds.
    pub fn last_step(&self, dt_s: f64) -> Option<u64> {
        let by_time = (self.time_s > 0.0).then(|| ((self.time_s / dt_s).round() as u64).max(1));
        let by_steps = (self.steps > 0).then_some(self.steps);
        by_steps.into_iter().chain(by_time).min()
    }
}

/// The readings of sensors before the first step.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum InitialReadings {
    /// The readings at the initial state.
    #[default]
    Sensed,
    /// Zero.
    Zero,
}

/// The source of random numbers.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum RandomSource {
    /// Each owner and purpose has its own stream: adding a sensor changes no other random numbers.
    #[default]
    Streams,
    /// As in RobotSwarmSimulator: seeds are passed from the world to agents, spawners and sensors in order, and
    /// `avoid_overlap` works by pushes.
    Classic,
}

/// The separation of agents that overlap.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum OverlapResolution {
    /// By the present positions, completely: each agent moves by half, or only the agent whose turn it is.
    #[default]
    Standard,
    /// As in RobotSwarmSimulator, defects included: only agents whose boxes of the step before touch are separated, and
    /// not completely. It needs sequential order.
    Classic,
}

/// A group of agents with one description.
#[derive(Reflect, Clone, Debug)]
#[reflect(Default)]
pub struct Group {
    /// Name of the group, as in `groups.NAME`.
    #[reflect(@Required)]
    pub name: String,
    /// Team, for sensors that look for one team only; several groups may share a team.
    pub team: String,
    /// Number of robots that the spawner creates; a `Table` creates one for each row.
    #[reflect(@Limits::between(0.0, MAX_AGENTS))]
    pub count: u32,
    /// Initial positions.
    pub spawn: Slot<SpawnerFamily>,
    /// Poses that replace `count` and `spawn`, one agent each.
    pub at: Vec<Placement>,
    /// Poses of additional agents, besides those of `at` or of the spawner.
    #[reflect(@SkipIfEmpty)]
    pub also_at: Vec<Placement>,
    /// Height and tilt, for sensors that report them.
    pub attitude: Attitude,
    /// Clock of its robots, for their times and rates.
    pub clock: RobotClock,
    /// Appearance.
    pub look: Look,
    /// Shape of the body.
    pub body: Body,
    /// Response to overlaps with other agents. With `overlap_resolution: Classic`, only the value of the other agent
    /// counts.
    #[reflect(@SkipIfEmpty)]
    pub collides: Collides,
    /// Motion model, which turns commands into movement.
    pub motion: Slot<MotionFamily>,
    /// Sensors, in the order of their slots.
    pub sensors: Vec<Slot<SensorFamily>>,
    /// The controller, which turns readings and messages into commands.
    pub controller: Slot<ControllerFamily>,
    /// The radio; `None` for no radio.
    pub radio: Option<Radio>,
    /// The gripper; `None` for no gripper.
    #[reflect(@SkipIfEmpty)]
    pub gripper: Option<Gripper>,
    /// The emitter, which adds to a scalar field; `None` for no emitter.
    #[reflect(@SkipIfEmpty)]
    pub emitter: Option<Emitter>,
    /// The LEDs; `None` for no LEDs.
    #[reflect(@SkipIfEmpty)]
    pub leds: Option<Leds>,
}

impl Default for Group {
    fn default() -> Self {
        Self {
            name: String::new(),
            team: String::new(),
            count: 1,
            spawn: Slot::new(Point::default()),
            at: Vec::new(),
            also_at: Vec::new(),
            attitude: Attitude::default(),
            clock: RobotClock::default(),
            look: Look::default(),
            body: Body::default(),
            collides: Collides::default(),
            motion: Slot::new(Unicycle::default()),
            sensors: Vec::new(),
            controller: Slot::new(Constant::default()),
            radio: None,
            gripper: None,
            emitter: None,
            leds: None,
        }
    }
}

/// A group of objects that a spawner places at the start.
///
/// ```
/// # use swarmarium_scene::scene::description::ObjectGroup;
/// let rocks = ObjectGroup { name: "rocks".into(), count: 20, ..ObjectGroup::default() };
/// assert_eq!(rocks.name_of(3), "rocks-3");
/// ```
#[derive(Reflect, Clone, Debug)]
#[reflect(Default)]
pub struct ObjectGroup {
    /// Name of the group, as in `object_groups.NAME`. Objects without a name get `NAME-0`, `NAME-1` and so on.
    #[reflect(@Required)]
    pub name: String,
    /// Number of objects; a `Table` places one for each row.
    #[reflect(@Limits::between(0.0, MAX_PLACED))]
    pub count: u32,
    /// The object, which the group has `count` times. Its place in the scene does not matter.
    pub object: Slot<ObjectFamily>,
    /// The places. `facing` turns the objects; `start_step` and batches do not apply.
    pub spawn: Slot<SpawnerFamily>,
}

/// The largest number of objects of an object group.
const MAX_PLACED: f64 = 10_000.0;

impl Default for ObjectGroup {
    fn default() -> Self {
        Self { name: String::new(), count: 1, object: Slot::new(Disc::default()), spawn: Slot::new(Point::default()) }
    }
}

impl ObjectGroup {
    /// The number of objects that the spawner places.
    pub fn placed(&self) -> u32 {
        self.spawn.value().downcast_ref::<Table>().map_or(self.count, |table| table.rows.len() as u32)
    }

    /// The name of the object with this number: that of the object of the group if it has one.
    pub fn name_of(&self, number: u32) -> String {
        match self.object.common().name.as_str() {
            "" => format!("{}-{number}", self.name),
            name => name.to_owned(),
        }
    }
}

impl Group {
    /// The number of agents of the group after all of them are spawned.
    pub fn agents(&self) -> u32 {
        self.spawned().saturating_add(self.placements().count() as u32)
    }

    /// The number of agents that the spawner creates.
    pub fn spawned(&self) -> u32 {
        match self.spawn.value().downcast_ref::<Table>() {
            _ if !self.at.is_empty() => 0,
            Some(table) => table.rows.len() as u32,
            None => self.count,
        }
    }

    /// The written poses, one agent each; these agents are created before those of the spawner.
    pub fn placements(&self) -> impl Iterator<Item = Placement> {
        self.at.iter().chain(&self.also_at).copied()
    }
}
