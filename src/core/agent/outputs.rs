//! Outputs of a robot: what its controller sets beside its command.

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

/// The outputs of a robot with parts such as LEDs, an emitter or a gripper. Its controller sets them, or a program that
/// runs the simulation; they hold until they are set again.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Outputs {
    /// Colour of its LEDs: red, green and blue, sRGB; `None` while they are off.
    pub led: Option<[u8; 3]>,
    /// Whether its gripper is closed.
    pub grips: bool,
    /// The fraction of the rate at which its emitter works, 0 to 1.
    pub emission: f64,
}

/// One of the outputs of a robot.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// Colour of the LEDs: red, green and blue, each 0 to 1; black switches them off.
    Led,
    /// Whether the gripper is closed: 1, or 0 to open it.
    Grip,
    /// Fraction of the rate of the emitter, 0 to 1.
    Emission,
}

impl Output {
    /// Number of values for each agent.
    pub const fn width(self) -> usize {
        match self {
            Self::Led => 3,
            Self::Grip | Self::Emission => 1,
        }
    }

    /// Its name in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Led => "LEDs",
            Self::Grip => "gripper",
            Self::Emission => "emitter",
        }
    }
}

impl Outputs {
    /// Sets an output to values that were checked.
    pub fn set(&mut self, output: Output, values: &[f64]) {
        match (output, values) {
            (Output::Led, &[red, green, blue]) => {
                let color = [red, green, blue].map(|part| (part * 255.0).round() as u8);
                self.led = (color != [0; 3]).then_some(color);
            }
            (Output::Grip, &[grips]) => self.grips = grips > 0.5,
            (Output::Emission, &[emission]) => self.emission = emission,
            _ => {}
        }
    }

    /// Number of values of all outputs.
    pub const WIDTH: usize = 5;

    /// The values of all outputs, in the order of [`Output`].
    pub fn all_values(&self) -> [f64; Self::WIDTH] {
        let [red, green, blue] = self.led.unwrap_or_default().map(|part| f64::from(part) / 255.0);
        [red, green, blue, f64::from(self.grips), self.emission]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_give_the_values_that_were_set() {
        let mut outputs = Outputs::default();
        assert_eq!(outputs.all_values(), [0.0; 5]);
        outputs.set(Output::Led, &[1.0, 0.0, 0.2]);
        outputs.set(Output::Grip, &[1.0]);
        outputs.set(Output::Emission, &[0.25]);
        assert_eq!(outputs.led, Some([255, 0, 51]));
        assert_eq!(outputs.all_values(), [1.0, 0.0, 0.2, 1.0, 0.25]);
        outputs.set(Output::Led, &[0.0; 3]);
        assert_eq!(outputs.led, None);
    }
}
