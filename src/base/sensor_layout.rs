//! The sensors of a robot, as its controller names them.

/// The sensors of a robot by slot, as its controller names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SensorLayout {
    /// The sensors, by slot.
    pub sensors: Vec<NamedSensor>,
}

/// A sensor in a [`SensorLayout`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedSensor {
    /// Its name, which no other sensor of the robot has.
    pub name: String,
    /// Whether its reading is always a single number.
    pub is_single: bool,
}
