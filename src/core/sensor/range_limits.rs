//! The limits of range sensors: one rule for all kinds.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use crate::noise::NoiseBounds;

/// What a range sensor reads of things that are nearer than it can measure, and of nothing in its range.
///
/// The rule is the same for all range sensors. A thing in range is read at its distance, but at least at `min_range_m`
/// and at most at the range. Noise does not lead out of these limits, and does not change the reading of nothing.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone, PartialEq)]
pub struct RangeLimits {
    /// Smallest distance that is measured; smaller distances read the same.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub min_range_m: f64,
    /// Reading where nothing is in range.
    pub nothing: Nothing,
}

/// The reading of a range sensor where nothing is in range.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone, PartialEq)]
pub enum Nothing {
    /// The range.
    #[default]
    Range,
    /// Infinity, as the convention of ROS for range sensors says (REP 117).
    Infinity,
    /// Zero; with `min_range_m: 0`, it cannot be told from a contact.
    Zero,
}

impl RangeLimits {
    /// The usual limits: from 0 to the range, which also stands for nothing.
    pub const USUAL: Self = Self { min_range_m: 0.0, nothing: Nothing::Range };

    /// The same limits from another smallest distance.
    #[must_use]
    pub const fn from_m(self, min_range_m: f64) -> Self {
        Self { min_range_m, ..self }
    }

    /// The reading of a distance in metres, or of nothing.
    #[inline]
    pub fn reading(self, distance_m: Option<f64>, range_m: f64) -> f64 {
        distance_m.map_or(self.nothing(range_m), |distance_m| distance_m.max(self.min_range_m).min(range_m))
    }

    /// The reading of nothing.
    #[inline]
    pub const fn nothing(self, range_m: f64) -> f64 {
        match self.nothing {
            Nothing::Range => range_m,
            Nothing::Infinity => f64::INFINITY,
            Nothing::Zero => 0.0,
        }
    }

    /// The distance that a reading shows: the range for nothing.
    pub fn shown_m(self, reading: f64, range_m: f64) -> f64 {
        if self.is_hit(reading, range_m) { reading } else { range_m }
    }

    /// Whether a reading is that of a thing.
    pub fn is_hit(self, reading: f64, range_m: f64) -> bool {
        reading < range_m && reading != self.nothing(range_m)
    }

    /// Raises readings of distances below the smallest one.
    pub fn raise(self, readings: &mut [f64], range_m: f64) {
        let nothing = self.nothing(range_m);
        let distances = readings.iter_mut().filter(|reading| **reading != nothing);
        distances.for_each(|reading| *reading = reading.max(self.min_range_m));
    }

    /// The limits for noise.
    pub const fn noise_bounds(self, range_m: f64) -> NoiseBounds {
        NoiseBounds::Within { low: self.min_range_m, high: range_m, nothing: Some(self.nothing(range_m)) }
    }

    /// The problem of the limits of a sensor with a range.
    pub fn problem(self, range_m: f64) -> Option<String> {
        let Self { min_range_m, .. } = self;
        (min_range_m >= range_m && min_range_m > 0.0)
            .then(|| format!("`min_range_m` must be below `range_m` ({range_m}), found {min_range_m}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_limits_are_one_rule() {
        for (nothing, of_nothing) in [(Nothing::Range, 4.0), (Nothing::Infinity, f64::INFINITY), (Nothing::Zero, 0.0)] {
            let limits = RangeLimits { min_range_m: 0.5, nothing };
            let read = |distance_m| limits.reading(distance_m, 4.0);
            assert_eq!([read(Some(0.0)), read(Some(0.5)), read(Some(2.0)), read(Some(4.0))], [0.5, 0.5, 2.0, 4.0]);
            assert_eq!(read(None), of_nothing);
            assert!(limits.is_hit(0.5, 4.0) && !limits.is_hit(of_nothing, 4.0));
            assert_eq!([limits.shown_m(2.0, 4.0), limits.shown_m(of_nothing, 4.0)], [2.0, 4.0]);
            let mut readings = [0.1, 2.0, of_nothing];
            limits.raise(&mut readings, 4.0);
            assert_eq!(readings, [0.5, 2.0, of_nothing]);
        }
        assert!(RangeLimits::USUAL.problem(4.0).is_none() && RangeLimits::USUAL.from_m(4.0).problem(4.0).is_some());
    }
}
