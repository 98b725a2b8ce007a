//! Agents: pose, body, command and group, and the movement that follows from commands.

use bevy::math::DVec2;
use bevy::prelude::*;
use serde::{Deserialize, Serialize};
use swarmarium_base::id::name_hash;
use swarmarium_space::Collides;

use crate::agent::body::Body;
use crate::agent::contact::{Bumps, Dead, LastCollisions, Touched};
use crate::agent::groups::Groups;
use crate::agent::placement::Placement;
use crate::state::RegisterState as _;
use crate::time::robot::RobotClock;

pub mod attitude;
pub mod belief;
pub mod body;
pub mod contact;
pub mod elsewhere;
pub mod failure;
pub mod groups;
pub mod look;
pub mod name;
pub mod outputs;
pub mod placement;
pub mod trail;

/// Registers the state that every agent has.
pub fn plugin(app: &mut App) {
    app.register_state::<Pose>("pose")
        .register_state::<attitude::Attitude>("attitude")
        .register_state::<elsewhere::Elsewhere>("elsewhere")
        .register_parameters::<RobotClock>("clock")
        .register_state::<Displacement>("displacement")
        .register_parameters::<Body>("body")
        .register_parameters::<Collides>("collides")
        .register_parameters::<Member>("member")
        .register_parameters::<Team>("team")
        .register_state::<Command>("command");
    app.register_state::<outputs::Outputs>("outputs");
    app.register_state::<Touched>("touched").register_state::<Dead>("dead");
    app.register_state_as::<Bumps>("bumps", |agent| {
        agent.get::<Bumps>().filter(|bumps| bumps.count > 0).map(PartialReflect::as_partial_reflect)
    });
    app.register_state::<LastCollisions>("last_collisions");
    app.init_resource::<Groups>();
    app.register_record::<Groups>("groups");
}

/// The turn rate up to which an arc is a straight line: below it, the quotient loses more digits than the line errs.
pub(crate) const STRAIGHT: f64 = 1e-9;

/// The position and heading of an agent.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position of the centre of the body, in metres.
    pub position_m: DVec2,
    /// Heading in radians, anticlockwise from x, never wrapped.
    pub heading_rad: f64,
}

impl From<Placement> for Pose {
    #[inline]
    fn from(Placement { x_m, y_m, heading_rad }: Placement) -> Self {
        Self { position_m: DVec2::new(x_m, y_m), heading_rad }
    }
}

/// How far an agent moved in the last step, pushes included, in metres.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement(pub DVec2);

/// The group that an agent belongs to.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Index of the group in the scene.
    pub group: u32,
    /// Number of the agent within its group, counted from 0.
    pub serial: u32,
    /// Whether the group started with this agent alone.
    pub alone: bool,
}

/// The team that an agent belongs to, as a number that never changes: a hash of the name, 0 without a team.
///
/// A step reads the team of an agent only when its caches are rebuilt: after edits and when agents are added. Change it
/// by an edit; a value that a system writes has no effect until the next rebuild.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Team(pub u32);

impl Team {
    /// The team with this name.
    pub fn named(name: &str) -> Self {
        if name.is_empty() { Self(0) } else { Self(name_hash(name) as u32 | 1) }
    }
}

/// The command of a controller to its robot, valid until the next step.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Drive along the heading and turn.
    Drive {
        /// Speed along the heading, in metres per second.
        v_m_per_s: f64,
        /// Turn rate, anticlockwise, in radians per second.
        turn_rad_per_s: f64,
    },
    /// Drive the two wheels.
    Wheels {
        /// Speed of the left wheel over the ground, in metres per second.
        left_m_per_s: f64,
        /// Speed of the right wheel over the ground, in metres per second.
        right_m_per_s: f64,
    },
    /// Move in any direction and turn.
    Velocity {
        /// Speed along x, in metres per second. The motion model says whether the axes are those of the body or of the
        /// world.
        x_m_per_s: f64,
        /// Speed along y, in metres per second.
        y_m_per_s: f64,
        /// Turn rate, anticlockwise, in radians per second.
        turn_rad_per_s: f64,
    },
    /// Move over the ground with a velocity that is independent of the heading.
    Course {
        /// Speed along x of the arena, in metres per second.
        x_m_per_s: f64,
        /// Speed along y of the arena, in metres per second.
        y_m_per_s: f64,
        /// Turn rate, anticlockwise, in radians per second; used by robots whose heading is independent of their
        /// course.
        turn_rad_per_s: f64,
    },
}

impl Default for Command {
    #[inline]
    fn default() -> Self {
        Self::Drive { v_m_per_s: 0.0, turn_rad_per_s: 0.0 }
    }
}

impl Command {
    /// The form of the command.
    pub const fn form(self) -> CommandForm {
        match self {
            Self::Drive { .. } => CommandForm::Drive,
            Self::Wheels { .. } => CommandForm::Wheels,
            Self::Velocity { .. } => CommandForm::Velocity,
            Self::Course { .. } => CommandForm::Course,
        }
    }

    /// The values, in the order of the fields. Forms with two fields have 0 at the end.
    pub const fn values(self) -> [f64; 3] {
        match self {
            Self::Drive { v_m_per_s: a, turn_rad_per_s: b } | Self::Wheels { left_m_per_s: a, right_m_per_s: b } => {
                [a, b, 0.0]
            }
            Self::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }
            | Self::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => [x_m_per_s, y_m_per_s, turn_rad_per_s],
        }
    }

    /// The command of a robot whose speed and turn rate deviate by these factors.
    #[must_use]
    #[inline]
    pub fn scaled(self, speed: f64, turn: f64) -> Self {
        match self {
            Self::Drive { v_m_per_s, turn_rad_per_s } => {
                Self::Drive { v_m_per_s: speed * v_m_per_s, turn_rad_per_s: turn * turn_rad_per_s }
            }
            Self::Wheels { left_m_per_s: left, right_m_per_s: right } => {
                let (ahead, around) = (speed * (left + right) / 2.0, turn * (right - left) / 2.0);
                Self::Wheels { left_m_per_s: ahead - around, right_m_per_s: ahead + around }
            }
            Self::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s } => Self::Velocity {
                x_m_per_s: speed * x_m_per_s,
                y_m_per_s: speed * y_m_per_s,
                turn_rad_per_s: turn * turn_rad_per_s,
            },
            Self::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => Self::Course {
                x_m_per_s: speed * x_m_per_s,
                y_m_per_s: speed * y_m_per_s,
                turn_rad_per_s: turn * turn_rad_per_s,
            },
        }
    }

    /// Whether the turn rate is above [`STRAIGHT`]; below it, arcs are straight lines.
    #[inline]
    pub(crate) fn turns(self) -> bool {
        let turn = match self {
            Self::Drive { turn_rad_per_s, .. }
            | Self::Velocity { turn_rad_per_s, .. }
            | Self::Course { turn_rad_per_s, .. } => turn_rad_per_s,
            Self::Wheels { left_m_per_s, right_m_per_s } => right_m_per_s - left_m_per_s,
        };
        turn.abs() > STRAIGHT
    }
}

/// The forms of a command; a controller and its motion model must agree on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandForm {
    /// [`Command::Drive`].
    Drive,
    /// [`Command::Wheels`].
    Wheels,
    /// [`Command::Velocity`].
    Velocity,
    /// [`Command::Course`].
    Course,
}

impl CommandForm {
    /// The command in words: `a speed and a turn rate`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Drive => "a speed and a turn rate",
            Self::Wheels => "the speeds of two wheels",
            Self::Velocity => "a velocity in any direction",
            Self::Course => "a velocity over the ground",
        }
    }

    /// The number of values of a command.
    pub const fn width(self) -> usize {
        match self {
            Self::Drive | Self::Wheels => 2,
            Self::Velocity | Self::Course => 3,
        }
    }

    /// The command with these values, in the order of its fields. Missing values are 0.
    pub fn command(self, values: &[f64]) -> Command {
        let value = |place: usize| values.get(place).copied().unwrap_or_default();
        let [a, b, c] = [0, 1, 2].map(value);
        match self {
            Self::Drive => Command::Drive { v_m_per_s: a, turn_rad_per_s: b },
            Self::Wheels => Command::Wheels { left_m_per_s: a, right_m_per_s: b },
            Self::Velocity => Command::Velocity { x_m_per_s: a, y_m_per_s: b, turn_rad_per_s: c },
            Self::Course => Command::Course { x_m_per_s: a, y_m_per_s: b, turn_rad_per_s: c },
        }
    }
}

/// The row of an agent in the flat arrays of [`Space`](swarmarium_space::Space): its rank by stable id.
///
/// Sensors carry the row of their agent. The row is a cache that is rebuilt when agents are added or removed.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row(pub u32);
