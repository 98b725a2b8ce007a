//! The range that a slider spans.

use crate::kind::Limits;

/// Limits this many times as wide as the values that the scene knows are spanned whole.
const WIDE: f64 = 20.0;
/// Limits above zero are spanned whole up to this ratio, on a logarithmic slider.
const RATIO: f64 = 1e4;
/// A slider over a larger ratio than this is logarithmic.
const LINEAR_RATIO: f64 = 100.0;

/// The range that a slider spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its left end.
    pub low: f64,
    /// Its right end.
    pub high: f64,
    /// Whether equal distances are equal ratios.
    pub is_logarithmic: bool,
}

impl Span {
    /// A range in which people look for values: the limits where they are near, else twice what is known.
    ///
    /// `known` are the default and what the scene was opened with; a value that is far beyond both widens the range.
    /// There is none for whole numbers without limits, such as seeds: all of them are alike.
    pub fn of(limits: Option<Limits>, known: [Option<f64>; 2], value: f64, is_whole: bool) -> Option<Self> {
        if limits.is_none() && is_whole {
            return None;
        }
        let Limits { min, max, above_min } = limits.unwrap_or(Limits::between(f64::NEG_INFINITY, f64::INFINITY));
        let largest = known.into_iter().flatten().map(f64::abs).fold(0.0, f64::max);
        let usual = if is_whole { 10.0 } else { 1.0 };
        let anchor = if largest > 0.0 { largest } else { usual };
        let anchor = if value.abs() > 2.0 * anchor { value.abs() } else { anchor };
        let is_positive = min > 0.0 && !above_min;
        let whole_limits = max - min <= WIDE * anchor || (is_positive && max / min <= RATIO);
        let (low, high) = match whole_limits {
            true => (min, max),
            false if min < 0.0 => ((-2.0 * anchor).max(min), (2.0 * anchor).min(max)),
            false => (min, (2.0 * anchor).min(max)),
        };
        let step = if is_whole { 1.0 } else { (high - low) / 1000.0 };
        let low = if above_min && low == min { low + step } else { low };
        let is_logarithmic = whole_limits && is_positive && high / low > LINEAR_RATIO;
        (low < high && low.is_finite() && high.is_finite()).then_some(Self { low, high, is_logarithmic })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn ends(limits: Option<Limits>, known: [Option<f64>; 2], value: f64) -> (f64, f64) {
        let span = Span::of(limits, known, value, false).unwrap();
        (span.low, span.high)
    }

    #[test]
    fn limits_that_are_near_are_spanned_whole() {
        assert_eq!(ends(Some(Limits::between(0.0, PI)), [Some(0.5), Some(0.45)], 0.45), (0.0, PI));
        assert_eq!(ends(Some(Limits::between(0.0, 1.0)), [Some(0.0), None], 0.0), (0.0, 1.0));
    }

    #[test]
    fn far_limits_give_way_to_twice_what_is_known() {
        let speed = Some(Limits::between(-1e3, 1e3));
        assert_eq!(ends(speed, [Some(0.3), Some(0.27)], 0.27), (-0.6, 0.6));
        let (low, high) = ends(Some(Limits::POSITIVE), [Some(2.0), Some(1.0)], 1.0);
        assert!(low > 0.0 && low < 0.01 && high == 4.0);
        assert_eq!(ends(None, [Some(0.0), Some(0.0)], 0.0), (-2.0, 2.0));
    }

    #[test]
    fn a_value_far_beyond_widens_the_range() {
        assert_eq!(ends(Some(Limits::between(-1e3, 1e3)), [Some(0.3), None], 50.0), (-100.0, 100.0));
        assert_eq!(ends(Some(Limits::between(-1e3, 1e3)), [Some(0.3), None], 900.0).1, 1e3, "never beyond the limits");
    }

    #[test]
    fn decades_are_logarithmic() {
        let rays = Span::of(Some(Limits::between(1.0, 4096.0)), [Some(24.0), None], 24.0, true).unwrap();
        assert_eq!((rays.low, rays.high, rays.is_logarithmic), (1.0, 4096.0, true));
        let count = Span::of(Some(Limits::between(0.0, 1e6)), [Some(1.0), Some(6.0)], 6.0, true).unwrap();
        assert_eq!((count.low, count.high, count.is_logarithmic), (0.0, 12.0, false));
    }

    #[test]
    fn some_numbers_have_no_slider() {
        assert_eq!(Span::of(None, [Some(1.0), Some(7.0)], 7.0, true), None, "a seed");
        assert_eq!(Span::of(Some(Limits::between(1.0, 1.0)), [Some(1.0), None], 1.0, true), None, "one value only");
    }
}
