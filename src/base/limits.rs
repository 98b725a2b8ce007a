//! Limits of numbers: allowed ranges of fields, and the largest and smallest values that scenes may have.

use std::fmt;

use bevy::prelude::*;

/// The most agents that one group may have.
pub const MAX_AGENTS: f64 = 1e6;
/// The most groups of a scene: each takes some 16 kB, however few agents it has.
pub const MAX_GROUPS: usize = 10_000;
/// The smallest radius of an agent, in metres: below it, positions far from the origin could not tell two apart.
pub const MIN_RADIUS_M: f64 = 1e-6;
/// The largest length in a scene, in metres.
pub const MAX_LENGTH_M: f64 = 1e6;
/// The most corners of a polygon: whether edges cross takes time with their square.
pub const MAX_CORNERS: usize = 4096;

/// The allowed range of a number, given as a field attribute: `#[reflect(@Limits::POSITIVE)]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed.
    pub max: f64,
    /// Whether `min` itself is refused.
    pub above_min: bool,
}

impl Limits {
    /// Above zero.
    pub const POSITIVE: Self = Self { min: 0.0, max: f64::INFINITY, above_min: true };

    /// From `min` to `max`, both included.
    pub const fn between(min: f64, max: f64) -> Self {
        Self { min, max, above_min: false }
    }

    /// Above zero, up to and including `max`.
    pub const fn up_to(max: f64) -> Self {
        Self { min: 0.0, max, above_min: true }
    }

    /// Any number that is finite.
    pub const FINITE: Self = Self::between(f64::MIN, f64::MAX);

    /// The range, as messages state it.
    pub fn expected(&self) -> String {
        if *self == Self::FINITE { "a finite number".into() } else { self.to_string() }
    }

    /// Whether a number is allowed. Numbers that are not finite never are.
    pub fn allow(&self, number: f64) -> bool {
        number.is_finite() && number <= self.max && if self.above_min { number > self.min } else { number >= self.min }
    }
}

impl fmt::Display for Limits {
    /// The range in messages and tooltips: `a number > 0`, `a number from 0 to 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { min, max, above_min } = *self;
        match (above_min, max.is_finite()) {
            (true, true) => write!(f, "a number > {min} and ≤ {max}"),
            (true, false) => write!(f, "a number > {min}"),
            (false, true) => write!(f, "a number from {min} to {max}"),
            (false, false) => write!(f, "a number ≥ {min}"),
        }
    }
}
