//! Errors of pinned values.

use swarmarium_base::problem::Problem;
use swarmarium_core::expression::ExpressionError;

/// The reason why a text cannot be pinned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// The text is not a path.
    #[error("`{0}` is not a path, such as agents.0.x_m")]
    NotAPath(String),
    /// The path ends before a number.
    #[error("name {what}, such as {example}")]
    Incomplete {
        /// The missing part.
        what: &'static str,
        /// A path with that part.
        example: String,
    },
    /// The path has something else than a number for a robot.
    #[error("robots are named by number, such as agents.0; found `{0}`")]
    NotAnAgent(String),
    /// The path has something else than an index for a part of a robot.
    #[error("{what} are named by number, such as {example}; found `{found}`")]
    NotAnIndex {
        /// The parts, in the plural.
        what: &'static str,
        /// A valid index.
        example: u32,
        /// The text in place of the index.
        found: String,
    },
    /// The simulation has no robot with this number.
    #[error("there is no robot {number}, the last one is {last}")]
    NoSuchAgent {
        /// The requested number.
        number: u32,
        /// The largest number of a robot.
        last: u32,
    },
    /// The simulation has no robots.
    #[error("there are no robots")]
    NoAgents,
    /// The path continues below a number.
    #[error("`{0}` has no parts")]
    NothingBelow(String),
    /// A value has no part with this name.
    #[error("{owner} has no `{name}`{suggestion}")]
    NoSuchPart {
        /// The value.
        owner: String,
        /// The name of the part.
        name: String,
        /// The end of the message: the nearest known name, or all names.
        suggestion: String,
    },
    /// The controller of the robot has no memory.
    #[error("the controller of this robot has no memory")]
    NoMemory,
    /// The robot has no radio.
    #[error("this robot has no radio")]
    NoRadio,
    /// The robot holds no packet from the robot with this number.
    #[error("this robot has no packet from robot {0}")]
    NoPacket(u32),
    /// The command of the robot is not a structure.
    #[error("the command has no parts")]
    NoCommandParts,
    /// The robot has no sensors.
    #[error("this robot has no sensors")]
    NoSensors,
    /// The robot has no sensor in this slot.
    #[error("this robot has no sensor {slot}, the last one is {last}")]
    NoSuchSensor {
        /// The requested slot.
        slot: usize,
        /// The last slot.
        last: usize,
    },
    /// The sensor has several channels, and the path names none.
    #[error("sensor {slot} has {count} channels, name one, such as readings.{slot}.0")]
    SeveralChannels {
        /// The slot of the sensor.
        slot: usize,
        /// The number of channels.
        count: usize,
    },
    /// The sensor in this slot has no channels.
    #[error("sensor {0} has no channels")]
    NoChannels(usize),
    /// The sensor has no such channel.
    #[error("sensor {slot} has no channel {channel}, the last one is {last}")]
    NoSuchChannel {
        /// The slot of the sensor.
        slot: usize,
        /// The requested channel.
        channel: usize,
        /// The last channel.
        last: usize,
    },
    /// The text is a name that neither the scene nor its metrics nor its robots have.
    #[error(
        "there is no `{name}`{suggestion} A value is a number of a robot (agents.0.x_m, or selected.x_m for the \
             selected robot), a metric{metric} or a parameter (arena.size_m.x)"
    )]
    NoSuchValue {
        /// The name.
        name: String,
        /// The end of the message: the nearest names, or a full stop.
        suggestion: String,
        /// An example of a metric in brackets, or an empty text.
        metric: String,
    },
    /// The path leads to nothing in a description.
    #[error("{}", .0.message)]
    NoValue(Problem),
    /// The path leads to a value that is not a number.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// The path leads to a value whose parts are numbers.
    #[error("`{path}` is not a number: name one of its parts, such as {path}.{part}")]
    SeveralNumbers {
        /// The requested path.
        path: String,
        /// The path from there to a part that is a number.
        part: String,
    },
    /// The formula has an error.
    #[error(transparent)]
    Formula(#[from] ExpressionError),
    /// The text is the name of a metric.
    #[error("`{0}` is a metric, and metrics are always plotted")]
    Metric(String),
    /// The value is already pinned.
    #[error("`{0}` is already pinned")]
    AlreadyPinned(String),
    /// The maximum number of values is pinned.
    #[error("{0} values, the maximum, are pinned: unpin one first")]
    TooMany(usize),
}
