//! What a scene file says: the types behind `scenes/*.ron`.
//!
//! Every field has a default, so a scene states only what it is about.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_LENGTH_M};
use swarmarium_base::problem::did_you_mean;
use swarmarium_picture::camera::YAxis;
use swarmarium_space::arena::Arena;
use swarmarium_space::{Collides, InfraredModel};

use super::constants;
use super::controls::Control;
use crate::agent::attitude::Attitude;
use crate::agent::body::Body;
use crate::agent::contact::OnCollision;
use crate::agent::failure::Fault;
use crate::agent::look::Look;
use crate::agent::placement::Placement;
use crate::controller::ControllerFamily;
use crate::controller::constant::Constant;
use crate::kind::{Optional, Required, SkipIfEmpty, Slot};
use crate::metric::MetricFamily;
use crate::motion::MotionFamily;
use crate::motion::unicycle::Unicycle;
use crate::object::ObjectFamily;
use crate::object::gone::Gone;
use crate::radio::Radio;
use crate::sensor::SensorFamily;
use crate::service::note::Note;
use crate::spawner::SpawnerFamily;
use crate::spawner::point::Point;
use crate::spawner::table::Table;
use crate::step::order::{Delivery, Order};
use crate::time::Strategy;
use crate::time::robot::RobotClock;

/// The version of the scene format that this program writes and reads.
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
    /// Title shown in the window and in lists.
    pub name: String,
    /// One or two lines on what there is to see.
    pub about: String,
    /// Exercises, one text each. They change no result.
    #[reflect(@SkipIfEmpty)]
    pub tasks: Vec<String>,
    /// Values that have names of their own, in capitals.
    pub constants: Vec<constants::Constant>,
    /// The parameters that it is about, at most six: a window shows them first.
    #[reflect(@SkipIfEmpty)]
    pub controls: Vec<Control>,
    /// Seed of every random stream.
    pub seed: u64,
    /// The arena that the agents move in.
    pub arena: Arena,
    /// The clock.
    pub time: Time,
    /// The sockets by which programs outside lead robots and hear of them.
    pub sockets: Sockets,
    /// Whether all agents act at once or one after the other.
    pub order: Order,
    /// When messages are heard.
    pub delivery: Delivery,
    /// What sensors read before the first step.
    pub initial_readings: InitialReadings,
    /// Where random numbers come from.
    pub random_source: RandomSource,
    /// How agents that overlap part.
    pub overlap_resolution: OverlapResolution,
    /// What becomes of agents that run into something.
    pub on_collision: OnCollision,
    /// How near infrared sensors find things.
    pub infrared_model: InfraredModel,
    /// Whether spawners act once before the first step.
    pub spawn_before_first_step: bool,
    /// Agents, by the description that they share.
    pub groups: Vec<Group>,
    /// What is in the arena besides agents.
    pub objects: Vec<Slot<ObjectFamily>>,
    /// What is measured after each step.
    pub metrics: Vec<Slot<MetricFamily>>,
    /// What goes wrong with robots, and when.
    pub faults: Vec<Fault>,
    /// When a run has come to its end.
    pub stop: Stop,
    /// Notes on the scene that the program keeps and does not read, such as who made it.
    pub metadata: Vec<Note>,
    /// How it is looked at; it changes no result.
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
            metrics: Vec::new(),
            faults: Vec::new(),
            stop: Stop::default(),
            metadata: Vec::new(),
            view: Viewing::default(),
        }
    }
}

impl Scene {
    /// The words by which lists sort the scene: those of its note `tags`, with commas between them.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        let note = self.metadata.iter().find(|note| note.name == TAGS).map_or("", |note| note.text.as_str());
        note.split(',').map(str::trim).filter(|tag| !tag.is_empty())
    }

    /// The scene without objects that were taken away: all of them, or where constants name objects by their places, those
    /// at the end.
    #[must_use]
    pub fn without_gone(mut self) -> Self {
        let leads_to_object = |path: &String| path.starts_with("objects");
        let is_gone = |object: &Slot<ObjectFamily>| object.value().is::<Gone>();
        if self.constants.iter().any(|constant| constant.of.iter().any(leads_to_object)) {
            let kept = self.objects.iter().rposition(|object| !is_gone(object)).map_or(0, |last| last + 1);
            self.objects.truncate(kept);
        } else {
            self.objects.retain(|object| !is_gone(object));
        }
        self
    }

    /// Whether the object at this place was taken away.
    pub fn is_gone(&self, object: usize) -> bool {
        self.objects.get(object).is_some_and(|object| object.value().is::<Gone>())
    }

    /// What to say of a name that neither a robot nor a group has.
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

/// How a scene is looked at.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Viewing {
    /// Where the y axis points on the screen.
    pub y_axis: YAxis,
    /// Where the camera of a video is over time; without any it shows the whole arena.
    pub camera: Vec<CameraKeyframe>,
    /// How long a connection by radio is drawn as fresh after a packet was sent; 0 for the longest transmission
    /// interval of its sender.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub fresh_s: f64,
    /// Whether connections by radio are shown at first.
    pub connections: bool,
    /// How many frames a video has when nothing else is said; 0 for as many as usual.
    pub movie_frames: u64,
    /// What a click on the ground does.
    pub click: Click,
}

/// What a click on the ground of the window does. On a robot or an obstacle it selects that.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Click {
    /// Nothing is selected any more.
    #[default]
    Select,
    /// The scene starts again, with its spawners about that point.
    Restart,
}

/// Where the camera of a video is at a time. It glides from one keyframe to the next.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct CameraKeyframe {
    /// Simulated time.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub at_s: f64,
    /// What is in the middle.
    pub look_at: LookAt,
    /// How much closer than the whole arena.
    #[reflect(@Limits::between(1e-3, 1e4))]
    pub zoom: f64,
}

impl Default for CameraKeyframe {
    fn default() -> Self {
        Self { at_s: 0.0, look_at: LookAt::default(), zoom: 1.0 }
    }
}

/// What a camera has in its middle.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum LookAt {
    /// The middle of the arena.
    #[default]
    Fit,
    /// A place.
    Place {
        /// The place.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        center_m: DVec2,
    },
    /// An agent, by number or name, or the middle of a group, by name.
    Follow {
        /// Whom.
        target: String,
    },
}

/// The clock of a scene. Only `dt_s` changes results; the rest says when steps happen and what clients are told.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Time {
    /// Simulated time that one step advances.
    #[reflect(@Limits::between(1e-6, 10.0))]
    pub dt_s: f64,
    /// What that follows from.
    pub base: Base,
    /// Simulated seconds per second that a window starts with.
    #[reflect(@Limits::between(0.01, 1e6))]
    pub scale: f64,
    /// What becomes of time that the machine is too slow for.
    pub strategy: Strategy,
    /// Who says when a step is done.
    pub pacing: Pacing,
    /// What time the start of the run is for clients.
    pub epoch: Epoch,
    /// The most steps between two frames of a window; 0 for as many as the window allows.
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
    /// The most steps between two frames, where a window allows `most`.
    pub fn steps_per_frame(&self, most: u64) -> u64 {
        if self.max_steps_per_frame == 0 { most } else { self.max_steps_per_frame.min(most) }
    }

    /// What of it results depend on, the rest at its default.
    pub(crate) fn of_results(&self) -> Self {
        Self { dt_s: self.dt_s, ..Self::default() }
    }
}

/// What the time of a step follows from.
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

/// Who says when a step is done.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Pacing {
    /// The clock of the host.
    #[default]
    Internal,
    /// Clients that send tokens to a socket: a step is done when they say so.
    External {
        /// The port of the socket; 0 for that of MORSE, 6000.
        #[reflect(@Limits::between(0.0, 65535.0), @Optional)]
        port: u32,
        /// How many connections there must be before the first step; 0 for whoever is connected, and freely while nobody is.
        #[reflect(@Limits::between(0.0, 1000.0), @Optional)]
        min_clients: u32,
    },
}

impl Pacing {
    /// The port that tokens are sent to when nothing else is said, as in MORSE.
    pub const PORT: u32 = 6000;

    /// The port that tokens are sent to, where clients say when a step is done.
    pub fn sync_port(self) -> Option<u32> {
        match self {
            Self::Internal => None,
            Self::External { port: 0, .. } => Some(Self::PORT),
            Self::External { port, .. } => Some(port),
        }
    }
}

/// What time the start of the run is for clients: it is added to simulated time where that is told them.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Epoch {
    /// 0: they are told simulated time.
    #[default]
    Zero,
    /// The time in UTC at which the host starts, in seconds since 1970.
    Unix,
    /// This time.
    At {
        /// In seconds since 1970, or since whatever clients take for the start of time.
        #[reflect(@Limits::between(-1e12, 1e12))]
        unix_s: f64,
    },
}

impl Epoch {
    /// The time of the start, in seconds, when it is `now_s` in seconds since 1970.
    pub fn at_s(self, now_s: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Zero => 0.0,
            Self::Unix => now_s(),
            Self::At { unix_s } => unix_s,
        }
    }
}

/// The ports of the sockets that a scene asks for, on this machine; 0 for none. `serve` and the window open them.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Sockets {
    /// Services, as MORSE has them; there the port is 4000.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub services: u32,
    /// The first of the ports for the data streams of components; in MORSE it is 60000.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub streams: u32,
    /// One stream for the data of all components.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub all: u32,
}

/// The end of a run: whatever comes first. A window pauses there; `run` ends.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Stop {
    /// Number of steps; 0 for any number.
    pub steps: u64,
    /// Simulated time, in seconds; 0 for any time.
    #[reflect(@Limits::between(0.0, 1e12))]
    pub time_s: f64,
    /// An expression over the metrics, `step`, `t_s` and `count`, such as `circliness > 0.9`; empty for none.
    pub when: String,
}

/// The duration of a run whose scene names no end, in simulated seconds.
const DEFAULT_S: f64 = 60.0;
/// The largest number of steps of a run that only an expression ends: the expression may never be true.
const MAX_CONDITIONAL_STEPS: u64 = 1_000_000;

impl Stop {
    /// The largest number of steps of a headless run, when a step takes `dt_s` seconds: 60 s for a scene without an end, and
    /// a million steps for one that only an expression ends.
    pub fn most_steps(&self, dt_s: f64) -> u64 {
        let without_end = || match self.when.is_empty() {
            true => (DEFAULT_S / dt_s).round() as u64,
            false => MAX_CONDITIONAL_STEPS,
        };
        self.last_step(dt_s).unwrap_or_else(without_end)
    }

    /// The step at which it stops whatever is observed, when a step takes `dt_s` seconds.
    pub fn last_step(&self, dt_s: f64) -> Option<u64> {
        let by_time = (self.time_s > 0.0).then(|| ((self.time_s / dt_s).round() as u64).max(1));
        let by_steps = (self.steps > 0).then_some(self.steps);
        by_steps.into_iter().chain(by_time).min()
    }
}

/// What sensors read before the first step.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum InitialReadings {
    /// What there is to sense.
    #[default]
    Sensed,
    /// Zero.
    Zero,
}

/// Where random numbers come from.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum RandomSource {
    /// Each owner and purpose has a stream of its own: another sensor changes no one else's numbers.
    #[default]
    Streams,
    /// As in RobotSwarmSimulator: seeds handed on from the world to agents, spawners and sensors in their order,
    /// `avoid_overlap` by pushes.
    Classic,
}

/// How agents that overlap part.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum OverlapResolution {
    /// By their present positions, wholly: each by half, or the one alone whose turn it is.
    #[default]
    Standard,
    /// As in RobotSwarmSimulator, defects included: only agents whose boxes of the step before touch, and not quite
    /// apart. Needs sequential order.
    Classic,
}

/// Agents made from one description.
#[derive(Reflect, Clone, Debug)]
#[reflect(Default)]
pub struct Group {
    /// Name of the group, as in `groups.NAME`.
    #[reflect(@Required)]
    pub name: String,
    /// Team that sensors can single out; robots of several groups may share one.
    pub team: String,
    /// Number of agents that the spawner makes; a `Table` makes one for each row.
    #[reflect(@Limits::between(0.0, MAX_AGENTS))]
    pub count: u32,
    /// Where they stand at first.
    pub spawn: Slot<SpawnerFamily>,
    /// Poses that take the place of `count` and `spawn`, one agent each.
    pub at: Vec<Placement>,
    /// Poses of further agents, besides those of `at` or of the spawner.
    #[reflect(@SkipIfEmpty)]
    pub also_at: Vec<Placement>,
    /// Height and tilt, for sensors that report them.
    pub attitude: Attitude,
    /// The clock by which its robots tell the time and keep their rates.
    pub clock: RobotClock,
    /// What it looks like.
    pub look: Look,
    /// Shape of the body.
    pub body: Body,
    /// How it interacts with agents that it overlaps. With `overlap_resolution: Classic`, only the value of the other one counts.
    #[reflect(@SkipIfEmpty)]
    pub collides: Collides,
    /// How a command becomes movement.
    pub motion: Slot<MotionFamily>,
    /// Sensors, in the order of their slots.
    pub sensors: Vec<Slot<SensorFamily>>,
    /// The controller.
    pub controller: Slot<ControllerFamily>,
    /// The radio; `None` for no radio.
    pub radio: Option<Radio>,
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
        }
    }
}

impl Group {
    /// How many agents the group has when its spawner is spent.
    pub fn agents(&self) -> u32 {
        self.spawned().saturating_add(self.placements().count() as u32)
    }

    /// How many of them its spawner makes.
    pub fn spawned(&self) -> u32 {
        match self.spawn.value().downcast_ref::<Table>() {
            _ if !self.at.is_empty() => 0,
            Some(table) => table.rows.len() as u32,
            None => self.count,
        }
    }

    /// The poses that are written, one agent each; they are made before those of the spawner.
    pub fn placements(&self) -> impl Iterator<Item = Placement> {
        self.at.iter().chain(&self.also_at).copied()
    }
}
