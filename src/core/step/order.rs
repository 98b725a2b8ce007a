//! The order in which agents act, and when their messages are heard.

use bevy::prelude::*;

/// The order in which agents act within a step.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Order {
    /// All control, then all move, collide and sense.
    #[default]
    Simultaneous,
    /// One agent after the other does all four.
    Sequential,
}

/// When the messages that radios send are heard.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Delivery {
    /// In the next step, by everybody at once: a radio sends, at the end of the step of its turn, what its controller
    /// has just decided to tell. Radios whose first turn is due at the start send before the first step, too.
    #[default]
    NextStep,
    /// In the same step, by those whose turn comes after: agents decide one after the other, by age, and each sends just
    /// before, so that what it tells is that of its turn before (as in the Swarm Robot Project Simulator).
    SameStep,
}

impl Delivery {
    /// The step at which what is delivered in a step was sent.
    pub(crate) fn sent_step(self, step: u64) -> u64 {
        match self {
            Self::NextStep => step.saturating_sub(1),
            Self::SameStep => step,
        }
    }
}
