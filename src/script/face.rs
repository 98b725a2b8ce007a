//! The declarations of a script: its parameters, its state and its form of commands.

/// A value of a parameter or of a field of the state.
pub use swarmarium_base::plain::PlainValue as Value;

/// The part of a script that scenes and users see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face {
    /// The form of the commands that `step` returns.
    pub commands: Form,
    /// The parameters, in the order of the text.
    pub parameters: Vec<Parameter>,
    /// The fields of the state, in the order of the text.
    pub state: Vec<StateField>,
}

/// A form of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Forward speed and turn rate.
    #[default]
    Drive,
    /// Speeds of the left and the right wheel.
    Wheels,
    /// Velocity in the frame of the robot, and turn rate.
    Velocity,
    /// Velocity in the frame of the world, and turn rate.
    Course,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 4] = [Self::Drive, Self::Wheels, Self::Velocity, Self::Course];

    /// Its name in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drive => "drive",
            Self::Wheels => "wheels",
            Self::Velocity => "velocity",
            Self::Course => "course",
        }
    }

    /// The names of the values that `step` returns.
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            Self::Drive => &["v_m_per_s", "turn_rad_per_s"],
            Self::Wheels => &["left_m_per_s", "right_m_per_s"],
            Self::Velocity | Self::Course => &["x_m_per_s", "y_m_per_s", "turn_rad_per_s"],
        }
    }
}

/// A parameter of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value unless a scene sets another one.
    pub default: Value,
    /// Its unit; empty if the script states none.
    pub unit: String,
    /// Its least value; −∞ if the script states none.
    pub min: f64,
    /// Its largest value; ∞ if the script states none.
    pub max: f64,
    /// Its description.
    pub about: String,
}

/// A field of the state that a robot keeps from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct StateField {
    /// Its name.
    pub name: String,
    /// Its value at the start. Its type never changes.
    pub initial: Value,
}
