//! Named conditions of supervisors.

use std::f64::consts::PI;

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::SensorSlot;

/// A named condition. Conditions that combine others can name those above them.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Condition {
    /// Name of the condition, as in `when`.
    pub name: String,
    /// Test that must pass for the condition to hold.
    pub test: Test,
}

impl Default for Condition {
    /// Half the axle of a Khepera III from the goal.
    fn default() -> Self {
        Self { name: "at goal".into(), test: Test::default() }
    }
}

/// The test of a condition.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Test {
    /// A length is below a limit.
    Nearer {
        /// The length.
        of: Length,
        /// The limit.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        than_m: f64,
    },
    /// A length is above a limit.
    Farther {
        /// The length.
        of: Length,
        /// The limit.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        than_m: f64,
    },
    /// An angle lies in a range, its ends included. The range goes anticlockwise from its first end.
    Within {
        /// The angle.
        of: Angle,
        /// First end of the range.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        from_rad: f64,
        /// Last end of the range.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        to_rad: f64,
    },
    /// The state has lasted for longer than a time.
    After {
        /// The time.
        #[reflect(@Limits::between(0.0, 1e9))]
        time_s: f64,
    },
    /// A number of a reading is above a limit. It does not hold if there is no such number.
    Above {
        /// The number.
        of: Number,
        /// The limit.
        #[reflect(@Limits::between(-1e12, 1e12))]
        than: f64,
    },
    /// A number of a reading is below a limit. It does not hold if there is no such number.
    Below {
        /// The number.
        of: Number,
        /// The limit.
        #[reflect(@Limits::between(-1e12, 1e12))]
        than: f64,
    },
    /// All of several conditions hold.
    All {
        /// Names of the conditions.
        of: Vec<String>,
    },
    /// At least one of several conditions holds.
    Any {
        /// Names of the conditions.
        of: Vec<String>,
    },
    /// A condition does not hold.
    Not {
        /// Name of the condition.
        of: String,
    },
    /// An expression over numbers is not 0. It is more general than the other tests, and takes about a hundred times as
    /// long.
    ///
    /// It can name `goal_m`, `reading_m`, `ahead_m`, `left_m`, `right_m`, `point_m`, `bearing_rad`, `entry_goal_m`,
    /// `best_goal_m`, `recorded_goal_m`, `state_s`, `x_m`, `y_m`, `heading_rad`, `step` and `t_s`.
    Expression {
        /// The expression, such as `goal_m < 0.05 and state_s > 2`.
        holds: String,
    },
    /// The direction of one state leads away from the wall that another state follows. Both angles are compared as
    /// numbers in [−π, π] (pySimiam `QBFullSupervisor.detach`).
    ///
    /// With the wall on the left, the test passes when the angle of the direction is smaller than the angle along the
    /// wall, even across ±π. `Within` of `OffWall` compares by the shorter turn instead.
    RawOffWall {
        /// The name of the state that follows the wall.
        along: String,
        /// The name of the other state.
        way: String,
    },
}

impl Default for Test {
    fn default() -> Self {
        Self::Nearer { of: Length::Goal, than_m: 0.044_25 }
    }
}

impl Test {
    /// The names of the conditions that it combines.
    pub fn parts(&self) -> &[String] {
        match self {
            Self::All { of } | Self::Any { of } => of,
            Self::Not { of } => std::slice::from_ref(of),
            _ => &[],
        }
    }
}

/// A number of the reading of a sensor.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Number {
    /// Slot of the sensor that is tested.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Any)]
    pub sensor: u32,
    /// Number of its reading, counted from 0.
    #[reflect(@Limits::between(0.0, 65535.0))]
    pub channel: u32,
}

/// A length that a test can use.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Length {
    /// Distance from the estimated position of the robot to the goal.
    #[default]
    Goal,
    /// The smallest distance that any infrared sensor measures.
    Reading,
    /// The smallest distance that infrared sensors measure whose bearings lie between two bearings, anticlockwise from
    /// the first to the last.
    ReadingBetween {
        /// The first bearing.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        from_rad: f64,
        /// The last bearing.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        to_rad: f64,
    },
    /// Distance from the centre of the robot to the nearest point measured by infrared sensors whose bearing does not
    /// exceed a limit.
    Point {
        /// Largest bearing, to both sides.
        #[reflect(@Limits::between(0.0, PI))]
        within_rad: f64,
    },
    /// Reduction of the distance to the goal since it was recorded.
    Gained,
    /// Reduction of the distance to the goal since the state was entered.
    GainedInState,
    /// Reduction of the distance to the goal below its minimum since the state was entered; 0 or negative without a new
    /// minimum.
    GainedOnBest,
    /// The smallest distance to the goal from the first decision in this state to the previous one. The first decision
    /// uses its own distance.
    BestGoal,
}

/// An angle that a test can use, in (−π, π].
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Angle {
    /// Direction of the goal, anticlockwise from the heading.
    #[default]
    Goal,
    /// Bearing of the infrared sensor with the smallest distance.
    NearestBearing,
    /// Direction in which another state would drive, anticlockwise from the heading.
    Way {
        /// The name of the state.
        state: String,
    },
    /// Angle by which the direction of one state leads off the wall that another state follows: positive away from the
    /// wall, negative into it.
    OffWall {
        /// The name of the state that follows the wall.
        along: String,
        /// The name of the other state.
        way: String,
    },
    /// As `OffWall`, but the direction along the wall is the angle by which the present state steered at the previous
    /// decision (pySimiam `K3FullSupervisor.wall_cleared`).
    OffLastWay {
        /// The name of the other state.
        way: String,
    },
}
