//! Axes: marks at round numbers, ranges with a minimum width, values in a fixed width.

use egui_plot::{GridInput, GridMark};

/// Minimum range of a plot as a fraction of the value; smaller fluctuations appear as steady.
const STEADY: f64 = 0.02;

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

    /// Formats the label of a mark at a position.
    pub fn text(self, place: f64) -> String {
        match self {
            Self::Linear => plain(place),
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

/// Returns the minimum and the maximum of some values, widened if they are steady.
pub fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let finite = values.filter(|value| value.is_finite()).map(|value| value.clamp(-FARTHEST, FARTHEST));
    let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return [0.0, 1.0];
    }
    let largest = low.abs().max(high.abs());
    let least = if largest < ZERO { 1.0 } else { largest * STEADY };
    let missing = (least - (high - low)).max(0.0) / 2.0;
    // A margin, so that a line does not run along the edge.
    let room = missing + 0.1 * (high - low).max(least);
    [low - room, high + room]
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

/// Minimum distance between the centre of a label and the ends of a vertical axis, in points.
const EDGE_PX: f64 = 6.0;

/// Returns the marks of a vertical axis with a height in points: at round numbers, as many as their labels fit, and at
/// least two.
///
/// The step of each mark is the whole range, since the plot hides the labels of marks with small steps.
pub fn vertical(scale: Scale, input: &GridInput, height_px: f64) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let px = height_px / (high - low);
    let room = |mark: &GridMark| ((mark.value - low) * px).min((high - mark.value) * px) >= EDGE_PX;
    let apart = |mark: &GridMark, other: &GridMark| (mark.value - other.value).abs() * px >= LABEL_PX;
    let mut kept: Vec<GridMark> = Vec::new();
    for wanted in [3.0, 4.5, 6.0, 12.0, 24.0] {
        kept.clear();
        for mark in scale.marks(input, wanted).into_iter().filter(room) {
            if kept.last().is_none_or(|last| apart(&mark, last)) {
                kept.push(mark);
            }
        }
        if kept.len() >= 2 {
            break;
        }
    }
    if kept.len() < 2 {
        // Round numbers are too close to each other: mark both ends.
        let edge = (EDGE_PX / px).min(0.25 * (high - low));
        kept = [low + edge, high - edge].map(|value| GridMark { value, step_size: 0.0 }).into();
    }
    kept.into_iter().map(|mark| GridMark { step_size: high - low, ..mark }).collect()
}

/// Formats a time with as many decimals as a range of times needs. Its width is constant while time passes.
pub fn time_text(at_s: f64, [from_s, to_s]: [f64; 2]) -> String {
    let decimals = (2.0 - libm::log10((to_s - from_s).max(1e-6)).floor()).clamp(0.0, 6.0) as usize;
    format!("{at_s:.decimals$} s")
}

/// Returns the smallest 1, 2 or 5 times a power of ten that is not below a number.
fn round_step(at_least: f64) -> f64 {
    let power = libm::exp10(libm::log10(at_least.max(1e-300)).floor());
    [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= at_least).unwrap_or(10.0 * power)
}

/// Formats a mark without trailing zeros.
pub fn plain(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded.abs() >= 1e6 || (value != 0.0 && rounded == 0.0) { format!("{value:.0e}") } else { format!("{rounded}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_has_ticks_at_decades() {
        let texts = |low: f64, high: f64| {
            let input = GridInput { bounds: (low, high), base_step_size: 0.0 };
            let marks = Scale::Logarithmic.marks(&input, 3.0);
            marks.into_iter().map(|mark| Scale::Logarithmic.text(mark.value)).collect::<Vec<_>>()
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
            assert!(low < -0.5 && high > 0.5 && high < 1.0);
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
                let input = GridInput { bounds, base_step_size: 0.0 };
                let marks = vertical(Scale::Linear, &input, height_px);
                assert!(marks.len() >= 2, "{bounds:?} at {height_px}");
                let places: Vec<f64> =
                    marks.iter().map(|mark| (mark.value - bounds.0) / (bounds.1 - bounds.0) * height_px).collect();
                assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 14.0), "{bounds:?}: {places:?}");
                assert!(places.iter().all(|place| (0.0..=height_px).contains(place)), "{bounds:?}: {places:?}");
            }
        }
        let input = GridInput { bounds: (-0.1, 1.1), base_step_size: 0.0 };
        assert!(vertical(Scale::Logarithmic, &input, 40.0).len() >= 2);
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
