//! The quantities that state lanes show.

/// The quantity that lanes show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneSource {
    /// The state of a supervisor, a behaviour or a script.
    State,
    /// The speed, in metres per second.
    Speed,
    /// The first number that the sensor in a slot read.
    Reading(u32),
}

impl LaneSource {
    /// Returns the name.
    pub fn name(self) -> String {
        match self {
            Self::State => "State".into(),
            Self::Speed => "Speed (m/s)".into(),
            Self::Reading(slot) => format!("Reading of sensor {slot}"),
        }
    }
}
