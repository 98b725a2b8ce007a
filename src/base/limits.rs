//! Limits of numbers: the allowed ranges of fields, and the largest and smallest values in scenes.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::fmt;

use bevy::prelude::*;

/// Largest number of agents in a group.
pub const MAX_AGENTS: f64 = 1e6;
/// Largest number of groups in a scene: each takes about 16 kB, however few agents it has.
pub const MAX_GROUPS: usize = 10_000;
/// Smallest radius of an agent (m). Far from the origin, floating-point positions cannot separate smaller agents.
pub const MIN_RADIUS_M: f64 = 1e-6;
/// Largest length in a scene (m).
pub const MAX_LENGTH_M: f64 = 1e6;
/// Largest speed in a scene (m/s).
pub const MAX_SPEED_M_PER_S: f64 = 1e6;
/// Largest absolute value in a scene of a number without a unit: products of a few of them are finite.
pub const MAX_NUMBER: f64 = 1e12;
/// Largest number of corners of a polygon: the check for crossing edges takes quadratic time.
pub const MAX_CORNERS: usize = 4096;

/// Allowed range of a number, given as a field attribute: `#[reflect(@Limits::POSITIVE)]`.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The smallest allowed value.
    pub min: f64,
    /// The largest allowed value.
    pub max: f64,
    /// Whether `min` itself is refused.
    pub above_min: bool,
}

impl Limits {
    /// Above zero.
    pub const POSITIVE: Self = Self { min: 0.0, max: f64::INFINITY, above_min: true };

    /// From `min` to `max`, both inclusive.
    pub const fn between(min: f64, max: f64) -> Self {
        Self { min, max, above_min: false }
    }

    /// Above zero, up to and including `max`.
    pub const fn up_to(max: f64) -> Self {
        Self { min: 0.0, max, above_min: true }
    }

    /// Any finite number.
    pub const FINITE: Self = Self::between(f64::MIN, f64::MAX);

    /// The range, as messages state it.
    pub fn expected(&self) -> String {
        if *self == Self::FINITE { "a finite number".into() } else { self.to_string() }
    }

    /// Whether a number is allowed. Infinities and NaN never are.
    pub fn allow(&self, number: f64) -> bool {
        number.is_finite() && number <= self.max && if self.above_min { number > self.min } else { number >= self.min }
    }
}

/// Limits of angles that are written with π, and their symbols.
const TURNS: [(f64, &str); 3] = [(FRAC_PI_2, "π/2"), (PI, "π"), (TAU, "2π")];

/// A limit as messages and tooltips write it: a part of a turn with π.
struct Limit(f64);

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(limit) = *self;
        match TURNS.iter().find(|(turn, _)| *turn == limit.abs()) {
            Some((_, symbol)) if limit < 0.0 => write!(f, "-{symbol}"),
            Some((_, symbol)) => f.write_str(symbol),
            None => write!(f, "{limit}"),
        }
    }
}

impl fmt::Display for Limits {
    /// The range in messages and tooltips: `a number > 0`, `a number from 0 to 1`, `a number from 0 to 2π`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { min, max, above_min } = *self;
        let (min, max) = (Limit(min), Limit(max));
        match (above_min, self.max.is_finite()) {
            (true, true) => write!(f, "a number > {min} and ≤ {max}"),
            (true, false) => write!(f, "a number > {min}"),
            (false, true) => write!(f, "a number from {min} to {max}"),
            (false, false) => write!(f, "a number ≥ {min}"),
        }
    }
}
