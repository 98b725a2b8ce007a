//! Ranges of sliders.

use swarmarium_base::limits::Limits;
use swarmarium_lab_state::action::SliderSpan;
use swarmarium_lab_state::common::quantity::Display;

/// Limits are used as the range if they are at most this many times as wide as the usual value.
const WIDE: f64 = 20.0;

/// Positive limits are used as the range up to this ratio, on a logarithmic slider.
const RATIO: f64 = 1e4;

/// A slider is logarithmic above this ratio of its limits.
const LINEAR_RATIO: f64 = 100.0;

/// Factor by which a slider extends above the usual value, and below it where zero is not allowed.
const BEYOND: f64 = 4.0;

const BELOW: f64 = 0.1;

/// The range of a slider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliderRange {
    /// The left end.
    pub low: f64,
    /// The right end.
    pub high: f64,
    /// Whether the slider is logarithmic.
    pub is_logarithmic: bool,
}

/// The facts from which the range of a slider is derived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliderHints {
    /// The limits of the value.
    pub limits: Option<Limits>,
    /// The default value.
    pub default: Option<f64>,
    /// The value when the scene was opened.
    pub before: Option<f64>,
    /// The ends of the slider that the scene sets.
    pub ends: [Option<f64>; 2],
    /// Whether the value is an integer.
    pub is_whole: bool,
    /// How the numbers are shown; the ends of the slider are round as they are shown.
    pub display: Display,
}

impl SliderHints {
    /// Whether both hints are for the same parameter, regardless of its former value.
    pub fn is_of_same(&self, other: &Self) -> bool {
        Self { before: None, ..*self } == Self { before: None, ..*other }
    }

    /// Returns the limits, or those of all numbers if there are none.
    fn limits(&self) -> Limits {
        self.limits.unwrap_or(Limits::between(f64::NEG_INFINITY, f64::INFINITY))
    }

    /// Rounds a number so that it has one digit as it is shown.
    fn rounded(&self, number: f64) -> f64 {
        self.display.stored(rounded(self.display.shown(number)))
    }

    /// Returns the magnitude of a usual value: the default, so that scenes are comparable, or else the value of the
    /// scene.
    fn usual(&self) -> f64 {
        let known = [self.default, self.before].into_iter().flatten().map(f64::abs).find(|size| *size > 0.0);
        known.unwrap_or(if self.is_whole { 10.0 } else { 1.0 })
    }
}

impl SliderRange {
    /// Derives the range of a slider: the limits if they are near; otherwise from zero, or a tenth of the usual value,
    /// up to four times the usual value.
    ///
    /// `None` for integers without limits, such as seeds, since all values are alike.
    pub fn of(known: &SliderHints) -> Option<Self> {
        if known.limits.is_none() && known.is_whole {
            return None;
        }
        let (Limits { min, max, above_min }, usual) = (known.limits(), known.usual());
        let is_positive = min > 0.0 && !above_min;
        let whole_limits = max - min <= WIDE * usual || (is_positive && max / min <= RATIO);
        let top = known.rounded(BEYOND * usual);
        let (low, high) = match whole_limits {
            true if above_min => (min + (max - min) / 1000.0, max),
            true => (min, max),
            false if min < 0.0 => ((-top).max(min), top.min(max)),
            false if min == 0.0 && !above_min => (min, top.min(max)),
            false => (known.rounded(BELOW * usual).max(min), top.min(max)),
        };
        let low = if known.is_whole { low.ceil() } else { low };
        let [low, high] = [known.ends[0].unwrap_or(low), known.ends[1].unwrap_or(high)];
        let is_logarithmic = whole_limits && is_positive && high / low > LINEAR_RATIO;
        let span = Self { low, high, is_logarithmic };
        let is_range = low < high && low.is_finite() && high.is_finite();
        is_range.then(|| known.before.map_or(span, |before| span.with(before, known)))
    }

    /// Returns the range of a heading in degrees: one turn, extended by whole turns to the value.
    pub fn of_heading(value_deg: f64) -> Option<Self> {
        let turns = ((value_deg.abs() - 180.0) / 360.0).ceil().max(0.0);
        let high = 180.0 + 360.0 * turns;
        high.is_finite().then_some(Self { low: -high, high, is_logarithmic: false })
    }

    /// Returns the range of the shown numbers.
    pub fn shown(self, display: Display) -> Self {
        Self { low: display.shown(self.low), high: display.shown(self.high), ..self }
    }

    /// Returns the range of a span.
    pub fn of_span(span: &SliderSpan) -> Self {
        Self { low: span.low, high: span.high, is_logarithmic: span.is_logarithmic }
    }

    /// Returns the value at a part of the slider, from 0 to 1.
    pub fn value_at(self, part: f64) -> f64 {
        match self.is_logarithmic {
            true => self.low * libm::pow(self.high / self.low, part),
            false => self.low + part * (self.high - self.low),
        }
    }

    /// Returns the part of the slider at a value, from 0 to 1.
    pub fn part_of(self, value: f64) -> f64 {
        let part = match self.is_logarithmic {
            true => libm::log(value / self.low) / libm::log(self.high / self.low),
            false => (value - self.low) / (self.high - self.low),
        };
        part.clamp(0.0, 1.0)
    }

    /// Extends the range to a value outside of it.
    pub fn with(self, value: f64, known: &SliderHints) -> Self {
        let Limits { min, max, .. } = known.limits();
        let Self { low, high, .. } = self;
        let wider = known.rounded(2.0 * value);
        // Rounding must not exclude the value, and only limits can be infinite.
        Self {
            low: match value < low {
                true if value > 0.0 => known.rounded(value / 2.0).max(min),
                true if wider.is_finite() => wider.max(min),
                _ => low,
            },
            high: if value > high && wider.is_finite() { wider.min(max) } else { high },
            ..self
        }
    }
}

/// Rounds a number to one digit, so that the ends of ranges are easy to read.
fn rounded(number: f64) -> f64 {
    format!("{number:.0e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn known(limits: Option<Limits>, default: f64, before: f64) -> SliderHints {
        SliderHints {
            limits,
            default: Some(default),
            before: Some(before),
            ends: [None; 2],
            is_whole: false,
            display: Display::Plain,
        }
    }

    fn ends(known: SliderHints) -> (f64, f64) {
        let span = SliderRange::of(&known).unwrap();
        (span.low, span.high)
    }

    #[test]
    fn a_control_of_the_scene_sets_the_range_of_its_slider() {
        let plain = known(Some(Limits::between(-1e3, 1e3)), 1.0, 4.0);
        assert_eq!(ends(SliderHints { ends: [Some(0.0), Some(10.0)], ..plain }), (0.0, 10.0));
        let (low, _) = ends(plain);
        assert_eq!(ends(SliderHints { ends: [None, Some(5.0)], ..plain }), (low, 5.0));
        assert_eq!(
            ends(SliderHints { ends: [Some(0.0), Some(2.0)], ..plain }).1,
            8.0,
            "wider where the value lies outside"
        );
    }

    #[test]
    fn sliders_span_narrow_limits_entirely() {
        assert_eq!(ends(known(Some(Limits::between(0.0, PI)), 0.5, 0.45)), (0.0, PI));
        assert_eq!(ends(known(Some(Limits::between(0.0, 1.0)), 0.0, 0.0)), (0.0, 1.0));
    }

    #[test]
    fn sliders_of_wide_limits_span_the_usual_range() {
        let speed = Some(Limits::between(-1e3, 1e3));
        assert_eq!(ends(known(speed, 0.0, 0.27)), (-1.0, 1.0));
        let radius = Some(Limits::between(1e-6, 1e6));
        assert_eq!(ends(known(radius, 0.1, 0.2)), (0.01, 0.4));
        assert_eq!(ends(known(Some(Limits::POSITIVE), 2.0, 1.0)), (0.2, 8.0));
        assert_eq!(ends(known(None, 0.0, 0.0)), (-4.0, 4.0));
    }

    #[test]
    fn a_slider_has_the_same_range_in_all_scenes() {
        let radius = Some(Limits::between(1e-6, 1e6));
        for before in [0.01, 0.1, 0.25, 0.4] {
            assert_eq!(ends(known(radius, 0.1, before)), (0.01, 0.4));
        }
    }

    #[test]
    fn a_slider_range_grows_only_for_values_outside() {
        let speed = known(Some(Limits::between(-1e3, 1e3)), 0.3, 0.3);
        let span = SliderRange::of(&speed).unwrap();
        for value in [span.low, 0.0, 0.1, span.high] {
            assert_eq!(span.with(value, &speed), span);
        }
        let span = span.with(50.0, &speed);
        assert_eq!((span.low, span.high), (-1.0, 100.0));
        assert_eq!(span.with(80.0, &speed), span, "it stays");
        assert_eq!(span.with(900.0, &speed).high, 1e3, "never beyond the limits");
        assert_eq!(span.with(-7.0, &speed).low, -10.0);
        let radius = known(Some(Limits::between(1e-6, 1e6)), 0.1, 0.1);
        let span = SliderRange::of(&radius).unwrap().with(0.001, &radius);
        assert!(span.low > 0.0 && span.low <= 0.001, "{span:?}");
    }

    #[test]
    fn a_slider_range_always_contains_its_value() {
        let any = known(None, 1.0, 1.0);
        for value in [f64::MAX, f64::MIN, 1e300, 5e-324, 1.4999, -1.4999, 0.0] {
            let SliderRange { low, high, .. } = SliderRange::of(&any).unwrap().with(value, &any);
            assert!(low <= value && value <= high || value.abs() > 1e307, "{low} {value} {high}");
            assert!(low.is_finite() && high.is_finite());
        }
    }

    #[test]
    fn sliders_over_decades_are_logarithmic() {
        let whole = |limits, default, before| SliderHints { is_whole: true, ..known(Some(limits), default, before) };
        let rays = SliderRange::of(&whole(Limits::between(1.0, 4096.0), 24.0, 24.0)).unwrap();
        assert_eq!(rays.low, 1.0);
        assert_eq!(rays.high, 4096.0);
        assert!(rays.is_logarithmic);
        let count = SliderRange::of(&whole(Limits::between(0.0, 1e6), 1.0, 6.0)).unwrap();
        assert_eq!(count.low, 0.0);
        assert_eq!(count.high, 10.0);
        assert!(!count.is_logarithmic);
    }

    #[test]
    fn the_slider_of_a_heading_spans_a_turn() {
        let ends = |value_deg| SliderRange::of_heading(value_deg).map(|span| (span.low, span.high));
        assert_eq!(
            [0.0, -180.0, 200.0].map(ends),
            [Some((-180.0, 180.0)), Some((-180.0, 180.0)), Some((-540.0, 540.0))]
        );
        assert_eq!(ends(f64::INFINITY), None);
    }

    #[test]
    fn sliders_of_angles_end_at_round_degrees() {
        let tolerance = SliderHints { display: Display::Degrees, ..known(Some(Limits::POSITIVE), 0.1, 0.1) };
        let span = SliderRange::of(&tolerance).unwrap().shown(Display::Degrees);
        assert_eq!((span.low, span.high), (0.6, 20.0));
        let aperture = SliderHints { display: Display::Degrees, ..known(Some(Limits::between(0.0, PI)), 0.5, 0.4) };
        let span = SliderRange::of(&aperture).unwrap().shown(Display::Degrees);
        assert_eq!((span.low, span.high), (0.0, 180.0));
    }

    #[test]
    fn some_parameters_have_no_slider() {
        assert_eq!(SliderRange::of(&SliderHints { is_whole: true, ..known(None, 1.0, 7.0) }), None, "a seed");
        assert_eq!(SliderRange::of(&known(Some(Limits::between(1.0, 1.0)), 1.0, 1.0)), None, "one value only");
    }
}
