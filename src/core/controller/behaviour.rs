//! Behaviours, which act in the states of a supervisor.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{angle_of, direction, wrap_angle};
use swarmarium_picture::palette::Role;
use swarmarium_space::{Field, InfraredModel};

use super::Drive;
use crate::agent::Pose;
use crate::agent::placement::Placement;
use crate::kind::{Family, FamilyTable, KindType, NothingCommon, Slot};
use crate::random::{Draws, Stream};
use crate::sensor::infrared::Infrared;

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<BehaviourKinds>();
}

/// The kinds of behaviours, which act in the states of a supervisor.
#[derive(TypePath)]
pub struct BehaviourFamily;

impl Family for BehaviourFamily {
    const NAME: &'static str = "behaviour";
    type Common = NothingCommon;
    type Entry = BehaviourKind;
}

/// A kind of behaviour. One file: parameters, [`act`](Behaviour::act), drawing, tests.
///
/// The guide "Write a behaviour" of the book has a complete program.
///
/// ```
/// # use bevy::prelude::ReflectDefault;
/// # use swarmarium_core::controller::behaviour::{Behaviour, BehaviourOutput, Situation};
/// # use swarmarium_core::kind::kind;
/// /// Drives away from the goal.
/// #[kind]
/// struct Flee {}
///
/// impl Behaviour for Flee {
///     fn act(&self, now: &Situation, _: &mut Vec<f64>) -> BehaviourOutput {
///         BehaviourOutput::Steer { angle_rad: -now.goal_angle_rad(), v_m_per_s: now.v_m_per_s }
///     }
/// }
/// ```
pub trait Behaviour: KindType {
    /// Computes the output until the next step.
    ///
    /// `kept` holds numbers from earlier steps in the same state; it is empty when the state is entered.
    fn act(&self, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput;

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Adds the arrows that explain its decision. Nothing is stored: `kept` is a copy.
    fn show(&self, _now: &Situation, _kept: &mut Vec<f64>, _arrows: &mut Vec<Arrow>) {}
}

/// Output of a behaviour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BehaviourOutput {
    /// Drive and turn with these values.
    Drive(Drive),
    /// Move in a direction. The PID controller of the supervisor turns the angle into a turn rate.
    Steer {
        /// Anticlockwise from the heading.
        angle_rad: f64,
        /// Speed.
        v_m_per_s: f64,
    },
}

impl From<Drive> for BehaviourOutput {
    fn from(drive: Drive) -> Self {
        Self::Drive(drive)
    }
}

impl BehaviourOutput {
    /// Steers along a vector in the frame of the robot, whose x axis is ahead.
    pub fn along(vector: DVec2, v_m_per_s: f64) -> Self {
        Self::Steer { angle_rad: angle_of(vector), v_m_per_s }
    }
}

/// An arrow that explains a decision, in the frame of the robot, whose x axis is ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Start point.
    pub from: DVec2,
    /// Vector from there. An arrow for a direction rather than a point has the length 1.
    pub way: DVec2,
    /// Its meaning.
    pub role: Role,
}

impl Arrow {
    /// An arrow for a direction.
    pub fn towards(angle_rad: f64, role: Role) -> Self {
        Self { from: DVec2::ZERO, way: direction(angle_rad), role }
    }
}

/// A side of a robot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Side {
    /// Left, where bearings are positive.
    #[default]
    Left,
    /// Right.
    Right,
}

impl Side {
    /// 1 for left, -1 for right.
    pub fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// Information available to a behaviour.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Estimated pose of the robot.
    pub pose: Pose,
    /// The goal.
    pub goal_m: DVec2,
    /// Commanded speed.
    pub v_m_per_s: f64,
    /// The side on which the robot follows a wall.
    pub side: Side,
    /// The arena; with a periodic boundary, the shortest vector to the goal may cross it.
    pub arena: Field,
    /// Model of infrared distances. With the model of pySimiam, behaviours are also those of pySimiam.
    pub infrared_model: InfraredModel,
    /// Its infrared sensors with their reading, if it has any.
    pub infrared: Option<(&'a Infrared, &'a [f64])>,
    /// The readings of all its sensors, by slot.
    pub readings: &'a [&'a [f64]],
    /// The decision that is due.
    pub decision: Decision,
}

/// A decision of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    /// The source of its random numbers.
    pub draws: Draws,
    /// Time since the last decision.
    pub since_s: f64,
}

impl Decision {
    /// Random numbers of the robot for one purpose; different at every step.
    pub fn random(&self, purpose: &str) -> Stream {
        self.draws.random(purpose)
    }
}

/// One infrared sensor and its measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Position and direction on the robot.
    pub at: Placement,
    /// Measured distance to the nearest thing; the range of the sensor if there is none.
    pub distance_m: f64,
}

impl Eye {
    /// The measured point in the frame of the robot, whose x axis is ahead.
    pub fn point_m(&self) -> DVec2 {
        DVec2::new(self.at.x_m, self.at.y_m) + self.distance_m * direction(self.at.heading_rad)
    }

    /// Direction, in (−π, π].
    pub fn bearing_rad(&self) -> f64 {
        wrap_angle(self.at.heading_rad)
    }
}

impl<'a> Situation<'a> {
    /// A number of the reading of the sensor in a slot; `None` if there is no such number.
    pub fn number(&self, sensor: u32, channel: u32) -> Option<f64> {
        self.readings.get(sensor as usize)?.get(channel as usize).copied()
    }

    /// The infrared sensors, in order.
    pub fn eyes(&self) -> impl Iterator<Item = Eye> + Clone + use<'a> {
        let eyes = self.infrared.into_iter().flat_map(|(infrared, reading)| {
            let distance = |(at, value): (&Placement, &f64)| Eye { at: *at, distance_m: infrared.distance_m(*value) };
            infrared.mounts.iter().zip(reading).map(distance)
        });
        eyes.filter(|eye| eye.distance_m.is_finite())
    }

    /// The measuring range of the infrared sensors: smallest and largest distance.
    pub fn range_m(&self) -> [f64; 2] {
        self.infrared.map_or([0.0, f64::INFINITY], |(infrared, _)| [infrared.min_range_m, infrared.range_m])
    }

    /// The sensor with the smallest distance; the first of several.
    pub fn nearest(&self) -> Option<Eye> {
        self.eyes().reduce(|nearest, eye| if eye.distance_m < nearest.distance_m { eye } else { nearest })
    }

    /// The smallest measured distance.
    pub fn nearest_m(&self) -> f64 {
        self.nearest().map_or(f64::INFINITY, |eye| eye.distance_m)
    }

    /// Relative position of a distance in the measuring range: 0 at the near end, 1 at the far end, below 0 or above 1
    /// outside. An empty range gives 1, as if nothing were near.
    pub fn part_of_range(&self, distance_m: f64) -> f64 {
        let [min, max] = self.range_m();
        let part = (distance_m - min) / (max - min);
        if part.is_finite() { part } else { 1.0 }
    }

    /// Vector to the goal in the world frame, across a periodic boundary if that is shorter.
    fn way_to_goal_m(&self) -> DVec2 {
        self.arena.offset(self.pose.position_m, self.goal_m)
    }

    /// Distance to the goal.
    pub fn goal_distance_m(&self) -> f64 {
        self.way_to_goal_m().length()
    }

    /// Angle from the heading to the goal, anticlockwise, in [−π, π): a robot turns clockwise to a goal exactly behind
    /// it.
    pub fn goal_angle_rad(&self) -> f64 {
        let angle = wrap_angle(angle_of(self.way_to_goal_m()) - self.pose.heading_rad);
        if angle >= PI { -PI } else { angle }
    }
}

/// Gains of the PID controller that all behaviours share: p e + i ∫e dt + d de/dt for the angle e.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Gains {
    /// Proportional gain, in 1/s.
    #[reflect(@Limits::between(-1e4, 1e4))]
    pub kp: f64,
    /// Integral gain, in 1/s².
    #[reflect(@Limits::between(-1e4, 1e4))]
    pub ki: f64,
    /// Derivative gain, without a unit.
    #[reflect(@Limits::between(-1e4, 1e4))]
    pub kd: f64,
}

impl Default for Gains {
    fn default() -> Self {
        Self { kp: 4.0, ki: 0.1, kd: 0.0 }
    }
}

/// Memory of the PID controller; reset in every state.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Steering {
    /// Integral of the angle over time, wrapped as angles are.
    sum_rad_s: f64,
    /// Last angle.
    last_rad: f64,
}

impl Steering {
    /// Angle at the last decision, anticlockwise from the heading at that time; 0 before the first decision.
    pub fn last_rad(&self) -> f64 {
        self.last_rad
    }

    /// The turn rate for an angle after a time step (pySimiam `PIDController`).
    pub fn turn_rad_per_s(&mut self, gains: Gains, angle_rad: f64, dt_s: f64) -> f64 {
        self.sum_rad_s = wrap_angle(self.sum_rad_s + angle_rad * dt_s);
        let change = if dt_s > 0.0 { (angle_rad - self.last_rad) / dt_s } else { 0.0 };
        self.last_rad = angle_rad;
        gains.kp * angle_rad + gains.ki * self.sum_rad_s + gains.kd * change
    }
}

/// The entry of a kind of behaviour in the table of its family.
#[derive(Clone, Copy)]
pub struct BehaviourKind {
    act: fn(&dyn Reflect, &Situation, &mut Vec<f64>) -> BehaviourOutput,
    show: fn(&dyn Reflect, &Situation, &mut Vec<f64>, &mut Vec<Arrow>),
}

/// The kinds of behaviours.
pub type BehaviourKinds = FamilyTable<BehaviourFamily>;

impl BehaviourKinds {
    /// No kinds; robots with only these stand still.
    pub const NONE: &'static Self = &Self::EMPTY;

    /// Output of a behaviour.
    pub fn act(&self, behaviour: &Slot<BehaviourFamily>, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput {
        let entry = self.find(behaviour);
        entry.map_or(BehaviourOutput::Drive(Drive::default()), |entry| (entry.act)(behaviour.value(), now, kept))
    }

    /// The arrows that explain the decision of a behaviour.
    pub fn arrows(&self, behaviour: &Slot<BehaviourFamily>, now: &Situation, kept: &[f64]) -> Vec<Arrow> {
        let mut arrows = Vec::new();
        if let Some(entry) = self.find(behaviour) {
            (entry.show)(behaviour.value(), now, &mut kept.to_vec(), &mut arrows);
        }
        arrows
    }

    fn find(&self, behaviour: &Slot<BehaviourFamily>) -> Option<&BehaviourKind> {
        self.of_value(behaviour.value())
    }
}

/// Registers kinds of behaviours.
pub trait AddBehaviour {
    /// Adds a kind of behaviour under its name in scenes.
    fn add_behaviour<K: Behaviour>(&mut self) -> &mut Self;
}

impl AddBehaviour for App {
    fn add_behaviour<K: Behaviour>(&mut self) -> &mut Self {
        let entry = BehaviourKind {
            act: |behaviour, now, kept| match behaviour.downcast_ref::<K>() {
                Some(behaviour) => behaviour.act(now, kept),
                None => BehaviourOutput::Drive(Drive::default()),
            },
            show: |behaviour, now, kept, arrows| {
                if let Some(behaviour) = behaviour.downcast_ref::<K>() {
                    behaviour.show(now, kept, arrows);
                }
            },
        };
        let problem = |behaviour: &dyn Reflect| behaviour.downcast_ref::<K>().and_then(Behaviour::problem);
        BehaviourKinds::add::<K>(self.world_mut(), problem, entry);
        self
    }
}
