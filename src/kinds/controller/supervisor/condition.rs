//! Named conditions: what a supervisor can tell apart.

use std::f64::consts::PI;

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

/// A condition with a name. Conditions that are made of others name those above them.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Condition {
    /// Its name, as in `when`.
    pub name: String,
    /// When it holds.
    pub test: Test,
}

impl Default for Condition {
    /// Half the axle of a Khepera III from the goal.
    fn default() -> Self {
        Self { name: "at goal".into(), test: Test::default() }
    }
}

/// When a condition holds.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Test {
    /// A length is below a limit.
    Nearer {
        /// Which length.
        of: Length,
        /// The limit.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        than_m: f64,
    },
    /// A length is above a limit.
    Farther {
        /// Which length.
        of: Length,
        /// The limit.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        than_m: f64,
    },
    /// An angle lies in a range, its ends included. The range goes anticlockwise from its first end.
    Within {
        /// Which angle.
        of: Angle,
        /// The first end.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        from_rad: f64,
        /// The last end.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        to_rad: f64,
    },
    /// The state has lasted for longer than a time.
    After {
        /// The time.
        #[reflect(@Limits::between(0.0, 1e9))]
        time_s: f64,
    },
    /// All of some conditions hold.
    All {
        /// Their names.
        of: Vec<String>,
    },
    /// At least one of some conditions holds.
    Any {
        /// Their names.
        of: Vec<String>,
    },
    /// A condition does not hold.
    Not {
        /// Its name.
        of: String,
    },
    /// An expression over numbers has a value that is not 0. It can say more than the others, and takes a hundred times as
    /// long.
    ///
    /// It can name `goal_m`, `reading_m`, `ahead_m`, `left_m`, `right_m`, `point_m`, `bearing_rad`, `entry_goal_m`,
    /// `best_goal_m`, `recorded_goal_m`, `state_s`, `x_m`, `y_m`, `heading_rad`, `step` and `t_s`.
    Expression {
        /// The expression, such as `goal_m < 0.05 and state_s > 2`.
        holds: String,
    },
    /// The way of one state leads off the wall that another state follows. Both angles are compared as numbers in [−π, π]
    /// (pySimiam `QBFullSupervisor.detach`).
    ///
    /// With the wall on the left this holds when the angle of the way is smaller than the angle along the wall, even across
    /// ±π. `Within` of `OffWall` compares by the shorter turn instead.
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
    /// The names of the conditions that it is made of.
    pub fn parts(&self) -> &[String] {
        match self {
            Self::All { of } | Self::Any { of } => of,
            Self::Not { of } => std::slice::from_ref(of),
            _ => &[],
        }
    }
}

/// A length that a supervisor knows.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Length {
    /// From where the robot believes to be to the goal.
    #[default]
    Goal,
    /// The least that an infrared sensor measured, wherever it looks.
    Reading,
    /// The least that was measured by infrared sensors that look between two bearings, anticlockwise from the first to the
    /// last.
    ReadingBetween {
        /// The first bearing.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        from_rad: f64,
        /// The last bearing.
        #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
        to_rad: f64,
    },
    /// From the middle of the robot to the nearest point that was measured by infrared sensors that look at most so far
    /// to the side.
    Point {
        /// The largest bearing, to both sides.
        #[reflect(@Limits::between(0.0, PI))]
        within_rad: f64,
    },
    /// How much nearer the goal is than when it was noted.
    Gained,
    /// How much nearer the goal is than when the robot came into the state.
    GainedInState,
    /// How much nearer the goal is than ever since the robot came into the state; 0 or less when it is not.
    GainedOnBest,
    /// The least distance to the goal from the first decision in this state to the previous one. The first decision uses its
    /// own distance.
    BestGoal,
}

/// An angle that a supervisor knows, in (−π, π].
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Angle {
    /// The way to the goal, anticlockwise from the heading.
    #[default]
    Goal,
    /// The bearing of the infrared sensor that measured least.
    NearestBearing,
    /// The way that another state would go, anticlockwise from the heading.
    Way {
        /// The name of the state.
        state: String,
    },
    /// How far the way that one state would go leads off the wall, compared with that of another state which follows it:
    /// above 0 away from the wall, below 0 into it.
    OffWall {
        /// The name of the state that follows the wall.
        along: String,
        /// The name of the other state.
        way: String,
    },
    /// As `OffWall`, but the way along the wall is the angle that the present state steered by at the previous decision
    /// (pySimiam `K3FullSupervisor.wall_cleared`).
    OffLastWay {
        /// The name of the other state.
        way: String,
    },
}
