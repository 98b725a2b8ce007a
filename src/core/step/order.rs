//! The order in which agents act, and the time at which their messages are received.

use bevy::prelude::*;

/// The order in which agents act within a step.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Order {
    /// All agents control, then all move, collide and sense.
    #[default]
    Simultaneous,
    /// One agent after the other goes through all four phases, by number.
    Sequential,
    /// One agent after the other senses and then goes through the other three phases, in a random order that is drawn at
    /// each step (`ask` of NetLogo, random sequential updating).
    RandomSequential,
}

impl Order {
    /// Whether agents act one after the other.
    pub fn takes_turns(self) -> bool {
        self != Self::Simultaneous
    }
}

/// Time at which radio messages are received.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Delivery {
    /// In the next step, by all radios at once: at the end of the step of its turn, a radio sends the message that its
    /// controller has just decided. Radios with a turn at the start also send before the first step.
    #[default]
    NextStep,
    /// In the same step, by agents with later turns: agents decide one after the other, in the order of their turns, and
    /// each sends just before it decides. So its message results from its previous turn (as in the Swarm Robot Project
    /// Simulator).
    SameStep,
}

impl Delivery {
    /// The step in which a message delivered at a step was sent.
    pub(crate) fn sent_step(self, step: u64) -> u64 {
        match self {
            Self::NextStep => step.saturating_sub(1),
            Self::SameStep => step,
        }
    }
}
