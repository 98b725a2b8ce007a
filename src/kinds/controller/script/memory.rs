//! The memory of a robot with a script.

use std::sync::Arc;

use bevy::prelude::*;
use swarmarium_core::declared::{Declaration, DeclaredValues};
use swarmarium_script::Output;

/// Memory of a [`Script`](super::Script).
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct ScriptMemory {
    /// The state that the script declares.
    pub state: DeclaredValues,
    /// The message that waits for the next turn of the radio; empty for none.
    pub message: Vec<f64>,
    /// The colour that the script has set its LEDs to: red, green and blue, 0 to 1.
    pub led: Option<[f64; 3]>,
    /// Whether the script has closed its gripper.
    pub grips: Option<bool>,
    /// The fraction of its rate that the script has set the emitter to.
    pub emission: Option<f64>,
    /// The text that the script printed when it ran last.
    pub printed: String,
    /// The failure that stopped the robot.
    pub failure: Option<ScriptFailure>,
    /// The step in which the script ran last.
    pub ran_at: u64,
    /// A hash of the script that ran last.
    script: u64,
}

/// The failure of a script.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptFailure {
    /// The step.
    pub step: u64,
    /// The reason, with the file and the line.
    pub text: String,
}

impl ScriptMemory {
    /// Begins a step with a script, which is identified by a hash. Another script begins anew, except for state with the
    /// same names.
    pub(super) fn begin(&mut self, script: u64, state: &Arc<Declaration>, step: u64) {
        if self.script != script {
            (self.script, self.failure) = (script, None);
            self.state.migrate(state);
        }
        self.ran_at = step;
        self.printed.clear();
    }

    /// Takes over what the script has set.
    pub(super) fn take(&mut self, output: Output) {
        if let Some(message) = output.message {
            self.message = message;
        }
        self.led = output.led.or(self.led);
        self.grips = output.grips.or(self.grips);
        self.emission = output.emission.or(self.emission);
    }
}
