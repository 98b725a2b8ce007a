//! Axes: marks at round numbers, ranges with a minimum width, values in a fixed width.

use egui_plot::{GridInput, GridMark};

use crate::common::quantity::without_trailing_zeros;

/// Minimum range of a plot as a fraction of the value; smaller fluctuations appear as steady.
const STEADY: f64 = 0.02;

/// Minimum length of a logarithmic axis, in powers of ten.
const LEAST_DECADES: f64 = 0.1;

/// Magnitude below which values are treated as rounding errors and do not scale a plot.
const ZERO: f64 = 1e-12;

/// Magnitude from which values are outside of every plot.
const FARTHEST: f64 = 1e307;

/// The scale of the value axis of a plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences.
    #[default]
    Linear,
    /// Equal distances are equal ratios. Values at or below zero are not drawn.
    Logarithmic,
}

impl Scale {
    /// Returns the position of a value on the axis; NaN if it has none.
    pub fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Logarithmic if value > 0.0 => libm::log10(value),
            Self::Logarithmic => f64::NAN,
        }
    }

    /// Formats the label of a mark at a position on an axis with two ends.
    pub fn text(self, place: f64, ends: [f64; 2]) -> String {
        match self {
            Self::Linear => mark_text(place, ends),
            Self::Logarithmic => {
                let value = libm::exp10(place);
                // The power of an exact logarithm is only almost round.
                if (1e-3..1e5).contains(&value) { plain((value * 1e4).round() / 1e4) } else { format!("{value:.0e}") }
            }
        }
    }

    /// Returns marks at round numbers, about as many as requested.
    pub fn marks(self, input: &GridInput, wanted: f64) -> Vec<GridMark> {
        let (low, high) = input.bounds;
        match self {
            // In less than one and a half decades, powers of ten are too few.
            Self::Logarithmic if high - low > 1.5 => {
                let step_size = round_step((high - low) / wanted).max(1.0);
                marks(&GridInput { bounds: input.bounds, base_step_size: step_size }, (high - low) / step_size)
            }
            Self::Logarithmic => {
                let decades = (low.floor() as i64)..=(high.floor() as i64);
                let digits = decades.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| power as f64 + libm::log10(digit)));
                let inside = digits.filter(|place| (low..=high).contains(place));
                inside.map(|value| GridMark { value, step_size: 1.0 }).collect()
            }
            Self::Linear => marks(input, wanted),
        }
    }
}

/// The values that a quantity can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest value; −∞ without one.
    pub low: f64,
    /// The largest value; ∞ without one.
    pub high: f64,
}

impl Bounds {
    /// Any number.
    pub const NONE: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Returns the bounds that contain both of two.
    pub fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether both bounds are finite.
    fn are_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
}

/// A value axis: the values at its ends, and the values that have marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueAxis {
    /// The values at the lower and the upper end.
    pub ends: [f64; 2],
    /// The range of the marks: there is none beyond what the quantity can have.
    marked: [f64; 2],
    /// Whether all values are whole numbers, so that no mark stands between two of them.
    is_whole: bool,
}

impl Default for ValueAxis {
    fn default() -> Self {
        Self::from_ends([0.0, 1.0])
    }
}

impl ValueAxis {
    /// Creates an axis between two values, with marks everywhere.
    pub fn from_ends(ends: [f64; 2]) -> Self {
        Self { ends, marked: [f64::NEG_INFINITY, f64::INFINITY], is_whole: false }
    }

    /// Returns the axis with other ends.
    pub fn with_ends(self, ends: [f64; 2]) -> Self {
        Self { ends, ..self }
    }

    /// As [`marks`](Self::marks) for a horizontal axis with a width in points, whose labels stand side by side.
    pub fn marks_across(&self, width_px: f64) -> Vec<GridMark> {
        self.marks(Scale::Linear, width_px * LABEL_PX / WIDE_LABEL_PX)
    }

    /// Creates an axis of a scale for the positions of some values, as [`of`](Self::of); on a logarithmic one, bounds are
    /// ignored.
    pub fn on(scale: Scale, values: impl Iterator<Item = f64> + Clone, bounds: Bounds, is_fitted: bool) -> Self {
        match scale {
            Scale::Linear => Self::of(values, bounds, is_fitted),
            Scale::Logarithmic => {
                let finite = values.filter(|place| place.is_finite());
                let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
                let ends = if low > high { [0.0, 1.0] } else { [low, high] };
                let missing = (LEAST_DECADES - (ends[1] - ends[0])).max(0.0) / 2.0;
                Self::with_room([ends[0] - missing, ends[1] + missing], [f64::NEG_INFINITY, f64::INFINITY], false)
            }
        }
    }

    /// Creates an axis for some values, which are widened if they are steady.
    ///
    /// If a quantity has a smallest and a largest value, both are on the axis, except with `is_fitted`. Values without a
    /// sign change get no marks on the other side of zero.
    pub fn of(values: impl Iterator<Item = f64> + Clone, bounds: Bounds, is_fitted: bool) -> Self {
        let finite = values.filter(|value| value.is_finite()).map(|value| value.clamp(-FARTHEST, FARTHEST));
        // Larger numbers have no digits after the point in any case.
        let is_whole = finite.clone().all(|value| value.fract() == 0.0 && value.abs() < 1e9);
        let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return match bounds.are_finite() {
                true => Self::with_room([bounds.low, bounds.high], [bounds.low, bounds.high], false),
                // Without a value and without bounds, any mark would be invented.
                false => Self { marked: [f64::INFINITY, f64::NEG_INFINITY], ..Self::default() },
            };
        }
        let largest = low.abs().max(high.abs());
        let least = match () {
            () if is_whole => (largest * STEADY).max(1.0),
            () if largest < ZERO => 1.0,
            () => largest * STEADY,
        };
        let missing = (least - (high - low)).max(0.0) / 2.0;
        let wide = [low - missing, high + missing];
        let [mut from, mut to] = if is_whole { [wide[0].floor(), wide[1].ceil()] } else { wide };
        let floor = if bounds.low.is_infinite() && low >= 0.0 { 0.0 } else { bounds.low.min(low) };
        let ceiling = if bounds.high.is_infinite() && low < 0.0 && high <= 0.0 { 0.0 } else { bounds.high.max(high) };
        if bounds.are_finite() && !is_fitted {
            [from, to] = [floor, ceiling];
        } else if !is_whole {
            // What would be beyond one end goes to the other one, so that the axis has a length.
            let by = (floor - from).max(0.0) - (to - ceiling).max(0.0);
            [from, to] = [from + by, to + by];
        }
        Self::with_room([from.max(floor), to.min(ceiling)], [floor, ceiling], is_whole)
    }

    /// Creates an axis with a margin, so that a line does not run along the edge.
    fn with_room([low, high]: [f64; 2], marked: [f64; 2], is_whole: bool) -> Self {
        let room = 0.12 * (high - low);
        Self { ends: [low - room, high + room], marked, is_whole }
    }

    /// Returns the marks for a height in points: at round numbers, as many as their labels fit, and at least two if the
    /// quantity has two values there.
    ///
    /// The step of each mark is the whole range, since the plot hides the labels of marks with small steps.
    pub fn marks(&self, scale: Scale, height_px: f64) -> Vec<GridMark> {
        if self.marked[0] > self.marked[1] {
            return Vec::new();
        }
        let [low, high] = self.ends;
        let input = GridInput { bounds: (low, high), base_step_size: 0.0 };
        let px = height_px / (high - low);
        let room = |mark: &GridMark| {
            ((mark.value - low) * px).min((high - mark.value) * px) >= EDGE_PX
                && (self.marked[0]..=self.marked[1]).contains(&mark.value)
                && (!self.is_whole || mark.value.fract() == 0.0)
        };
        let apart = |mark: &GridMark, other: &GridMark| (mark.value - other.value).abs() * px >= LABEL_PX;
        let mut kept: Vec<GridMark> = Vec::new();
        for wanted in [3.0, 4.5, 6.0, 12.0, 24.0] {
            kept.clear();
            for mark in scale.marks(&input, wanted).into_iter().filter(room) {
                if kept.last().is_none_or(|last| apart(&mark, last)) {
                    kept.push(mark);
                }
            }
            if kept.len() >= 2 {
                break;
            }
        }
        if kept.len() < 2 && !self.is_whole {
            // Round numbers are too close to each other: mark both ends.
            let edge = (EDGE_PX / px).min(0.25 * (high - low));
            let places = [(low + edge).max(self.marked[0]), (high - edge).min(self.marked[1])];
            kept = places.map(|value| GridMark { value, step_size: 0.0 }).into();
        }
        kept.into_iter().map(|mark| GridMark { step_size: high - low, ..mark }).collect()
    }
}

/// Returns the minimum and the maximum of some values, widened if they are steady.
pub fn range(values: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
    ValueAxis::of(values, Bounds::NONE, true).ends
}

/// Formats a value in a fixed width, so that the layout does not jump.
pub fn value_text(value: f64) -> String {
    let text = match value.abs() {
        _ if value.is_nan() => "–".into(),
        size if size == 0.0 || (1e-3..1e4).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    };
    format!("{text:>9}")
}

/// Returns marks at round numbers, about as many as requested.
pub fn marks(input: &GridInput, wanted: f64) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let step_size = round_step((high - low) / wanted);
    let mark = |index: i64| GridMark { value: index as f64 * step_size, step_size };
    // An empty range has no marks, nor has a range so far from zero that adding its step changes nothing.
    let (first, last) = ((low / step_size).ceil(), (high / step_size).floor());
    if last - first > 100.0 || last.abs() > 1e15 {
        Vec::new()
    } else {
        (first as i64..=last as i64).map(mark).collect()
    }
}

/// Returns the marks whose labels fit: those too close to the ends, in fractions of the range, are omitted.
pub fn inner(mut marks: Vec<GridMark>, input: &GridInput, [after_low, before_high]: [f64; 2]) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let (first, last) = (low + after_low * (high - low), high - before_high * (high - low));
    marks.retain(|mark| (first..=last).contains(&mark.value));
    marks
}

/// Minimum distance between the centres of two labels of a vertical axis, in points.
const LABEL_PX: f64 = 15.0;

/// Minimum distance between the centres of two labels of a horizontal axis, in points.
const WIDE_LABEL_PX: f64 = 55.0;

/// Minimum distance between the centre of a label and the ends of a vertical axis, in points.
const EDGE_PX: f64 = 4.0;

/// Formats a time with as many decimals as a range of times needs. Its width is constant while time passes.
pub fn time_text(at_s: f64, [from_s, to_s]: [f64; 2]) -> String {
    let decimals = (2.0 - libm::log10((to_s - from_s).max(1e-6)).floor()).clamp(0.0, 6.0) as usize;
    format!("{at_s:.decimals$} s")
}

/// Returns the smallest 1, 2 or 5 times a power of ten that is not below a number.
pub fn round_step(at_least: f64) -> f64 {
    let power = libm::exp10(libm::log10(at_least.max(1e-300)).floor());
    [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= at_least).unwrap_or(10.0 * power)
}

/// Formats a mark without trailing zeros.
pub fn plain(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded.abs() >= 1e6 || (value != 0.0 && rounded == 0.0) { format!("{value:.0e}") } else { format!("{rounded}") }
}

/// The magnitude below which the numbers of an axis are written with powers of ten.
const TINY: f64 = 1e-3;

/// Formats the mark of an axis between two values, with as many digits as tell it from its neighbours.
pub fn mark_text(value: f64, [low, high]: [f64; 2]) -> String {
    let resolution = (high - low) / 1000.0;
    let largest = low.abs().max(high.abs());
    if value.abs() < resolution {
        return "0".into();
    }
    if (TINY..1e5).contains(&largest) {
        let decimals = (-libm::log10(resolution).floor()).clamp(0.0, 12.0) as usize;
        return without_trailing_zeros(format!("{value:.decimals$}"));
    }
    let digits = (libm::log10(value.abs()) - libm::log10(resolution)).clamp(0.0, 12.0) as usize;
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, power)) => format!("{}e{power}", without_trailing_zeros(mantissa.to_owned())),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_has_ticks_at_decades() {
        let texts = |low: f64, high: f64| {
            let input = GridInput { bounds: (low, high), base_step_size: 0.0 };
            let marks = Scale::Logarithmic.marks(&input, 3.0);
            marks.into_iter().map(|mark| Scale::Logarithmic.text(mark.value, [low, high])).collect::<Vec<_>>()
        };
        assert_eq!(texts(-2.1, 2.1), ["0.01", "1", "100"]);
        assert_eq!(texts(0.0, 1.0), ["1", "2", "5", "10"]);
        let places = [1000.0, 0.0, -3.0].map(|value| Scale::Logarithmic.place(value));
        assert!((places[0] - 3.0).abs() < 1e-12 && places[1].is_nan() && places[2].is_nan());
    }

    #[test]
    fn an_axis_of_constant_values_is_not_magnified() {
        let [low, high] = range([100.0, 100.000_001].into_iter());
        assert!(low < 99.1 && high > 100.9);
        for zero in [0.0, 1e-17] {
            let [low, high] = range([0.0, zero].into_iter());
            assert!(low > -0.2 && low < 0.0 && high > 0.9 && high < 1.2, "{low} to {high}");
        }
        assert_eq!(range(std::iter::empty()), [0.0, 1.0]);
        assert_eq!(range([f64::NAN, f64::INFINITY].into_iter()), [0.0, 1.0]);
    }

    #[test]
    fn an_axis_of_extreme_values_has_a_finite_range() {
        for values in [[f64::MIN, f64::MAX], [1e300; 2], [0.0; 2], [f64::MIN_POSITIVE; 2], [-1e300, 1.0]] {
            let [low, high] = range(values.into_iter());
            assert!(low < high && (high - low).is_finite(), "{values:?}");
            assert!(marks(&GridInput { bounds: (low, high), base_step_size: 0.0 }, 3.0).len() < 10, "{values:?}");
        }
    }

    #[test]
    fn axis_ticks_are_at_round_numbers() {
        let at = |bounds, wanted| {
            let marks = marks(&GridInput { bounds, base_step_size: 0.0 }, wanted);
            marks.into_iter().map(|mark| mark.value).collect::<Vec<_>>()
        };
        assert_eq!(at((0.0, 20.0), 4.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(at((-0.3, 0.7), 3.0), [0.0, 0.5]);
        assert_eq!(at((1.0, 1.0), 3.0).len(), 0);
    }

    #[test]
    fn axis_ticks_at_the_ends_are_left_out() {
        let input = GridInput { bounds: (0.0, 20.0), base_step_size: 0.0 };
        let left =
            |ends| inner(marks(&input, 4.0), &input, ends).into_iter().map(|mark| mark.value).collect::<Vec<_>>();
        assert_eq!(left([0.0, 0.06]), [0.0, 5.0, 10.0, 15.0]);
        assert_eq!(left([0.07, 0.0]), [5.0, 10.0, 15.0, 20.0]);
    }

    #[test]
    fn a_vertical_axis_has_two_labels_at_every_height() {
        let ranges = [(0.0, 1.0), (0.29, 1.12), (99.0, 101.0), (-3e-7, 2e-7), (-1e9, 7e12), (0.981, 1.019)];
        for bounds in ranges {
            for height_px in [28.0, 40.0, 62.0, 150.0, 600.0] {
                let marks = ValueAxis::from_ends([bounds.0, bounds.1]).marks(Scale::Linear, height_px);
                assert!(marks.len() >= 2, "{bounds:?} at {height_px}");
                let places: Vec<f64> =
                    marks.iter().map(|mark| (mark.value - bounds.0) / (bounds.1 - bounds.0) * height_px).collect();
                assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 14.0), "{bounds:?}: {places:?}");
                assert!(places.iter().all(|place| (0.0..=height_px).contains(place)), "{bounds:?}: {places:?}");
            }
        }
        assert!(ValueAxis::from_ends([-0.1, 1.1]).marks(Scale::Logarithmic, 40.0).len() >= 2);
    }

    /// Returns the labels of an axis for some values, 60 points high.
    fn labels(values: &[f64], bounds: Bounds, is_fitted: bool) -> Vec<String> {
        let axis = ValueAxis::of(values.iter().copied(), bounds, is_fitted);
        assert!(values.iter().all(|value| (axis.ends[0]..=axis.ends[1]).contains(value)), "{values:?}: {axis:?}");
        axis.marks(Scale::Linear, 60.0).iter().map(|mark| Scale::Linear.text(mark.value, axis.ends)).collect()
    }

    #[test]
    fn the_axis_of_a_count_has_whole_numbers_and_none_below_zero() {
        let count = Bounds { low: 0.0, high: f64::INFINITY };
        for bounds in [count, Bounds::NONE] {
            assert_eq!(labels(&[0.0], bounds, false), ["0", "1"]);
            assert_eq!(labels(&[0.0, 1.0], bounds, false), ["0", "1"]);
            assert_eq!(labels(&[0.0, 6.0], bounds, false), ["0", "5"]);
        }
        assert_eq!(labels(&[3.0], count, false), ["2", "3", "4"]);
        assert_eq!(labels(&[-1.0, 1.0], Bounds::NONE, false), ["-1", "0", "1"]);
        assert_eq!(labels(&[-4.0, 0.0], Bounds::NONE, false), ["-4", "-2", "0"]);
    }

    #[test]
    fn the_axis_of_a_bounded_quantity_shows_its_range_unless_it_fits_the_values() {
        let share = Bounds { low: 0.0, high: 1.0 };
        assert_eq!(labels(&[0.94, 0.96], share, false), ["0", "0.5", "1"]);
        assert_eq!(labels(&[], share, false), ["0", "0.5", "1"]);
        assert_eq!(labels(&[0.94, 0.96], share, true), ["0.94", "0.95", "0.96"]);
        assert_eq!(labels(&[0.999_9], share, true).last().map(String::as_str), Some("1"));
        let negative = Bounds { low: f64::NEG_INFINITY, high: 0.0 };
        assert_eq!(labels(&[-0.7, -0.2], negative, false), ["-0.6", "-0.4", "-0.2"]);
    }

    #[test]
    fn tiny_and_large_marks_have_different_texts() {
        assert_eq!(labels(&[1e-6, 3e-6], Bounds::NONE, false), ["1e-6", "2e-6", "3e-6"]);
        assert_eq!(labels(&[0.0, 2.5e-6], Bounds::NONE, false), ["0", "2e-6"]);
        assert_eq!(labels(&[0.0, 2e6], Bounds::NONE, false), ["0", "1e6", "2e6"]);
        for largest in [1e-300, 1e-9, 3e-6, 0.004, 7.0, 123.4, 98_765.0, 4e12, 1e300] {
            let texts = labels(&[0.3 * largest, largest], Bounds::NONE, false);
            let unique: std::collections::BTreeSet<&String> = texts.iter().collect();
            assert!(unique.len() == texts.len() && texts.iter().all(|text| text.len() <= 7), "{texts:?}");
        }
    }

    #[test]
    fn axis_times_have_the_decimals_of_their_range() {
        assert_eq!(time_text(12.345_6, [0.0, 12.345_6]), "12.3 s");
        assert_eq!(time_text(1234.5, [0.0, 1234.5]), "1234 s");
        assert_eq!(time_text(0.5, [0.5, 0.52]), "0.5000 s");
    }

    #[test]
    fn axis_values_keep_their_width() {
        for value in [0.0, -0.5, 0.123_456, 1234.5, -1.5e-7, 2.5e12, -1e300, f64::NAN, f64::INFINITY] {
            assert_eq!(value_text(value).chars().count(), 9, "{value}");
        }
        assert_eq!([0.0, 0.5, 20.0, -0.1].map(plain), ["0", "0.5", "20", "-0.1"]);
    }
}
