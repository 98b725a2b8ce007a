//! Behaviours: what a supervisor does in one of its states.

use std::any::TypeId;
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
use crate::kind::{Family, KindType, Kinds, NothingCommon, Slot};
use crate::sensor::infrared::Infrared;

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Behaviours>();
}

/// The kinds of behaviours, which act in the states of a supervisor.
#[derive(TypePath)]
pub struct BehaviourFamily;

impl Family for BehaviourFamily {
    const NAME: &'static str = "behaviour";
    type Common = NothingCommon;
}

/// A kind of behaviour. One file: parameters, [`act`](Behaviour::act), what it shows, tests.
pub trait Behaviour: KindType {
    /// Decides what to do until the next step.
    ///
    /// `kept` is what it kept from earlier steps in the same state, empty when the state is entered.
    fn act(&self, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput;

    /// Adds the arrows that it goes by, for people. It changes nothing that lasts: `kept` is a copy.
    fn show(&self, _now: &Situation, _kept: &mut Vec<f64>, _arrows: &mut Vec<Arrow>) {}
}

/// What a behaviour wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BehaviourOutput {
    /// To drive and turn just so.
    Drive(Drive),
    /// To go that way. The PID controller of the supervisor turns the angle into a turn rate.
    Steer {
        /// Anticlockwise from the heading.
        angle_rad: f64,
        /// How fast.
        v_m_per_s: f64,
    },
}

impl BehaviourOutput {
    /// Along a vector, as seen from a robot that looks along x.
    pub fn along(vector: DVec2, v_m_per_s: f64) -> Self {
        Self::Steer { angle_rad: angle_of(vector), v_m_per_s }
    }
}

/// An arrow that a behaviour goes by, as seen from a robot that looks along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Where it begins.
    pub from: DVec2,
    /// Where it goes from there. One that stands for no place, but for a direction, has the length 1.
    pub way: DVec2,
    /// What it stands for.
    pub role: Role,
}

impl Arrow {
    /// A direction.
    pub fn towards(angle_rad: f64, role: Role) -> Self {
        Self { from: DVec2::ZERO, way: direction(angle_rad), role }
    }
}

/// The side of a robot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Side {
    /// To the left, where bearings are above 0.
    #[default]
    Left,
    /// To the right.
    Right,
}

impl Side {
    /// 1 to the left, -1 to the right.
    pub fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// What a robot knows when its supervisor decides.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Where it believes to be.
    pub pose: Pose,
    /// Where it should go.
    pub goal_m: DVec2,
    /// How fast it should go.
    pub v_m_per_s: f64,
    /// On which side it has a wall.
    pub side: Side,
    /// The arena, across whose boundary the goal may be nearer.
    pub arena: Field,
    /// How near these sensors find things. Where that is as in pySimiam, behaviours are as there, too.
    pub infrared_model: InfraredModel,
    /// Its infrared sensors with what they read, if it has any.
    pub infrared: Option<(&'a Infrared, &'a [f64])>,
}

/// One infrared sensor, and what it measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Where it sits on the robot, and which way it looks.
    pub at: Placement,
    /// How far away the nearest thing seems to be; the range of the sensor when there is none.
    pub distance_m: f64,
}

impl Eye {
    /// The point that it measured, as seen from a robot that looks along x.
    pub fn point_m(&self) -> DVec2 {
        DVec2::new(self.at.x_m, self.at.y_m) + self.distance_m * direction(self.at.heading_rad)
    }

    /// Which way it looks, in (−π, π].
    pub fn bearing_rad(&self) -> f64 {
        wrap_angle(self.at.heading_rad)
    }
}

impl<'a> Situation<'a> {
    /// The infrared sensors, in their order.
    pub fn eyes(&self) -> impl Iterator<Item = Eye> + Clone + use<'a> {
        let eyes = self.infrared.into_iter().flat_map(|(infrared, reading)| {
            let distance = |(at, value): (&Placement, &f64)| Eye { at: *at, distance_m: infrared.distance_m(*value) };
            infrared.mounts.iter().zip(reading).map(distance)
        });
        eyes.filter(|eye| eye.distance_m.is_finite())
    }

    /// The nearest and the farthest distance that infrared sensors tell apart.
    pub fn range_m(&self) -> [f64; 2] {
        self.infrared.map_or([0.0, f64::INFINITY], |(infrared, _)| [infrared.min_range_m, infrared.range_m])
    }

    /// The sensor that measured least, the first one of several.
    pub fn nearest(&self) -> Option<Eye> {
        self.eyes().reduce(|nearest, eye| if eye.distance_m < nearest.distance_m { eye } else { nearest })
    }

    /// The least that was measured.
    pub fn nearest_m(&self) -> f64 {
        self.nearest().map_or(f64::INFINITY, |eye| eye.distance_m)
    }

    /// The place of a distance in the range of the infrared sensors: 0 at the near end, 1 at the far end, and below 0 or above
    /// 1 outside the range. Without a range, it is 1, as if nothing were near.
    pub fn part_of_range(&self, distance_m: f64) -> f64 {
        let [min, max] = self.range_m();
        let part = (distance_m - min) / (max - min);
        if part.is_finite() { part } else { 1.0 }
    }

    /// The way to the goal in the world, across the boundary where that wraps and is nearer.
    fn way_to_goal_m(&self) -> DVec2 {
        self.arena.offset(self.pose.position_m, self.goal_m)
    }

    /// How far it is to the goal.
    pub fn goal_distance_m(&self) -> f64 {
        self.way_to_goal_m().length()
    }

    /// The angle from the heading to the goal, anticlockwise, in [−π, π): a robot turns clockwise to a goal exactly behind it.
    pub fn goal_angle_rad(&self) -> f64 {
        let angle = wrap_angle(angle_of(self.way_to_goal_m()) - self.pose.heading_rad);
        if angle >= PI { -PI } else { angle }
    }
}

/// The gains of the PID controller that all behaviours steer with: p e + i ∫e dt + d de/dt of the angle e.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Gains {
    /// Proportional gain, in 1/s.
    #[reflect(@Limits::between(-1e4, 1e4))]
    pub kp: f64,
    /// Integral gain, in 1/s².
    #[reflect(@Limits::between(-1e4, 1e4))]
    pub ki: f64,
    /// Derivative gain.
    #[reflect(@Limits::between(-1e4, 1e4))]
    pub kd: f64,
}

impl Default for Gains {
    fn default() -> Self {
        Self { kp: 4.0, ki: 0.1, kd: 0.0 }
    }
}

/// What the PID controller remembers; it starts anew in every state.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Steering {
    /// The sum of angles over time, brought into one turn as angles are.
    sum_rad_s: f64,
    /// The last angle.
    last_rad: f64,
}

impl Steering {
    /// The angle of the last decision, anticlockwise from the heading at that time; 0 before the first decision.
    pub fn last_rad(&self) -> f64 {
        self.last_rad
    }

    /// The turn rate for an angle that lasts for some time (pySimiam `PIDController`).
    pub fn turn_rad_per_s(&mut self, gains: Gains, angle_rad: f64, dt_s: f64) -> f64 {
        self.sum_rad_s = wrap_angle(self.sum_rad_s + angle_rad * dt_s);
        let change = if dt_s > 0.0 { (angle_rad - self.last_rad) / dt_s } else { 0.0 };
        self.last_rad = angle_rad;
        gains.kp * angle_rad + gains.ki * self.sum_rad_s + gains.kd * change
    }
}

/// The functions of one kind of behaviour, for callers that do not know its type.
#[derive(Clone, Copy, Debug)]
struct BehaviourKind {
    kind: TypeId,
    act: fn(&dyn Reflect, &Situation, &mut Vec<f64>) -> BehaviourOutput,
    show: fn(&dyn Reflect, &Situation, &mut Vec<f64>, &mut Vec<Arrow>),
}

/// The kinds of behaviour.
#[derive(Resource, Clone, Debug, Default)]
pub struct Behaviours(Vec<BehaviourKind>);

impl Behaviours {
    /// None at all: whoever has only these stands still.
    pub const NONE: &'static Self = &Self(Vec::new());

    /// What a behaviour wants.
    pub fn act(&self, behaviour: &Slot<BehaviourFamily>, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput {
        let entry = self.find(behaviour);
        entry.map_or(BehaviourOutput::Drive(Drive::default()), |entry| (entry.act)(behaviour.value(), now, kept))
    }

    /// The arrows that a behaviour goes by.
    pub fn arrows(&self, behaviour: &Slot<BehaviourFamily>, now: &Situation, kept: &[f64]) -> Vec<Arrow> {
        let mut arrows = Vec::new();
        if let Some(entry) = self.find(behaviour) {
            (entry.show)(behaviour.value(), now, &mut kept.to_vec(), &mut arrows);
        }
        arrows
    }

    fn find(&self, behaviour: &Slot<BehaviourFamily>) -> Option<&BehaviourKind> {
        let kind = behaviour.value().as_any().type_id();
        self.0.iter().find(|entry| entry.kind == kind)
    }
}

/// Makes kinds of behaviour known.
pub trait AddBehaviour {
    /// Adds a kind of behaviour and its name in scenes.
    fn add_behaviour<K: Behaviour>(&mut self) -> &mut Self;
}

impl AddBehaviour for App {
    fn add_behaviour<K: Behaviour>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<BehaviourFamily, K>();
        world.get_resource_or_init::<Behaviours>().0.push(BehaviourKind {
            kind: TypeId::of::<K>(),
            act: |behaviour, now, kept| match behaviour.downcast_ref::<K>() {
                Some(behaviour) => behaviour.act(now, kept),
                None => BehaviourOutput::Drive(Drive::default()),
            },
            show: |behaviour, now, kept, arrows| {
                if let Some(behaviour) = behaviour.downcast_ref::<K>() {
                    behaviour.show(now, kept, arrows);
                }
            },
        });
        self
    }
}
