//! Inputs and outputs of a call of `step`.

use std::sync::Arc;

use crate::Value;

pub use swarmarium_base::sensor_layout::{NamedSensor, SensorLayout};

/// The random numbers of a robot.
pub trait Random {
    /// The next number in [0, 1).
    fn unit(&mut self) -> f64;
}

/// The input of a call of `step`.
///
/// A machine holds the source of random numbers only during the call. Its clone repeats the call after a shortage of
/// memory.
#[derive(Clone, Debug)]
pub struct Input<'a, R> {
    /// The sensors of the robot.
    pub layout: &'a Arc<SensorLayout>,
    /// The reading of each sensor, in the order of the layout. A single number that is missing reads as NaN.
    pub readings: &'a [&'a [f64]],
    /// The values of the parameters, in the order of [`Face::parameters`](crate::Face::parameters).
    pub parameters: &'a [Value],
    /// The number of the robot.
    pub id: u32,
    /// The number of the step.
    pub step: u64,
    /// The time of the step (s).
    pub time_s: f64,
    /// The duration of a step (s).
    pub dt_s: f64,
    /// Whether the robot touches something.
    pub touched: bool,
    /// The messages received.
    pub messages: &'a [Message<'a>],
    /// The random numbers of the robot.
    pub random: R,
}

/// A received message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message<'a> {
    /// The number of the robot that sent it.
    pub sender: u32,
    /// Its age (s).
    pub age_s: f64,
    /// Distance (m) and bearing (rad) of the sender, if the radio measures them.
    pub from: Option<(f64, f64)>,
    /// Its numbers.
    pub numbers: &'a [f64],
}

/// The output of a call of `step`. After an error, only [`printed`](Self::printed) is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The command: values of the form of the script, then zeros.
    pub command: [f64; 3],
    /// The message to send.
    pub message: Option<Vec<f64>>,
    /// The colour of the LED: red, green and blue, each 0 … 1.
    pub led: Option<[f64; 3]>,
    /// Whether the gripper grips.
    pub grips: Option<bool>,
    /// The emission, 0 … 1.
    pub emission: Option<f64>,
    /// The printed text: lines without a newline at the end.
    pub printed: String,
}
