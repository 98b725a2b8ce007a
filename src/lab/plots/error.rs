//! Why a text leads to no number that can be plotted.

use swarmarium_base::problem::Problem;
use swarmarium_core::expression::ExpressionError;

/// Why a text leads to no number that can be plotted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// The text is no path.
    #[error("`{0}` is not a path, such as agents.0.x_m")]
    NotAPath(String),
    /// The path ends before a number.
    #[error("name {what}, such as {example}")]
    Incomplete {
        /// What is missing.
        what: &'static str,
        /// A path that has it.
        example: String,
    },
    /// An agent is named by something else than its number.
    #[error("robots are named by number, such as agents.0; found `{0}`")]
    NotAnAgent(String),
    /// Something of an agent is named by something else than its number.
    #[error("{what} are named by number, such as {example}; found `{found}`")]
    NotAnIndex {
        /// Such things.
        what: &'static str,
        /// A number.
        example: u32,
        /// What stands in its place.
        found: String,
    },
    /// The simulation has no agent with this number.
    #[error("there is no robot {number}, the last one is {last}")]
    NoSuchAgent {
        /// The number.
        number: u32,
        /// The largest number of an agent.
        last: u32,
    },
    /// The simulation has no agents.
    #[error("there are no robots")]
    NoAgents,
    /// The path goes on below a number.
    #[error("`{0}` has no parts")]
    NothingBelow(String),
    /// Something has no part with this name.
    #[error("{owner} has no `{name}`{suggestion}")]
    NoSuchPart {
        /// What has no such part.
        owner: String,
        /// The name of the part.
        name: String,
        /// What to add to the message: the nearest known name, or all names.
        suggestion: String,
    },
    /// The controller of the agent has no memory.
    #[error("the controller of this robot has no memory")]
    NoMemory,
    /// The agent has no radio.
    #[error("this robot has no radio")]
    NoRadio,
    /// The agent has no packet of another agent, by its number.
    #[error("this robot has no packet from robot {0} now")]
    NoPacket(u32),
    /// The command of the agent is no structure.
    #[error("the command has no parts")]
    NoCommandParts,
    /// The agent has no sensors.
    #[error("this robot has no sensors")]
    NoSensors,
    /// The agent has fewer sensors.
    #[error("this robot has no sensor {slot}, the last one is {last}")]
    NoSuchSensor {
        /// The slot.
        slot: usize,
        /// The last slot.
        last: usize,
    },
    /// The sensor has several channels, and the path names none.
    #[error("sensor {slot} has {count} channels, name one, such as readings.{slot}.0")]
    SeveralChannels {
        /// The slot of the sensor.
        slot: usize,
        /// The number of its channels.
        count: usize,
    },
    /// The sensor in a slot has no channels.
    #[error("sensor {0} has no channels")]
    NoChannels(usize),
    /// The sensor has fewer channels.
    #[error("sensor {slot} has no channel {channel}, the last one is {last}")]
    NoSuchChannel {
        /// The slot of the sensor.
        slot: usize,
        /// The channel.
        channel: usize,
        /// Its last channel.
        last: usize,
    },
    /// The text is a name that neither the scene, nor its metrics, nor its robots have.
    #[error(
        "there is no `{name}`{suggestion} A value is a number of a robot (agents.0.x_m, or selected.x_m for the \
             selected robot), a metric{metric} or a parameter (arena.size_m.x)"
    )]
    NoSuchValue {
        /// The name.
        name: String,
        /// What to add to the message: the nearest names, or a full stop.
        suggestion: String,
        /// An example of a metric in brackets, if there is one.
        metric: String,
    },
    /// The path leads to nothing in a description.
    #[error("{}", .0.message)]
    NoValue(Problem),
    /// The path leads to a value that is no number.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// The path leads to a value that has numbers as its parts.
    #[error("`{path}` is not a number: name one of its parts, such as {path}.{part}")]
    SeveralNumbers {
        /// The path.
        path: String,
        /// The path of a part that is a number, from there.
        part: String,
    },
    /// The formula has an error.
    #[error(transparent)]
    Formula(#[from] ExpressionError),
    /// The text is the name of a metric.
    #[error("`{0}` is a metric, and metrics are always plotted")]
    Metric(String),
    /// The number is plotted already.
    #[error("`{0}` is already pinned")]
    AlreadyPinned(String),
    /// As many numbers are plotted as there can be.
    #[error("{0} values are pinned, the maximum: unpin one first")]
    TooMany(usize),
}
