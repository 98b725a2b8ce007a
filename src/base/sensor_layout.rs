//! The sensors of a robot, as its controller names them.

/// The sensors of a robot by slot, as its controller names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SensorLayout {
    /// The name of each sensor, which no other sensor of the robot has, and whether its reading is always a single number.
    pub sensors: Vec<(String, bool)>,
}
