//! Axes: from numbers to places on the page, and the ticks between.

use swarmarium_base::math;
use swarmarium_core::text::wording;

use super::absence::Absence;
use super::page::{TEXT_PX, text_width, without_common_start, wrapped};
use super::ticks::{self, LEAST, Tick, is_drawable};

/// The gap between the texts of two ticks, in pixels.
const GAP_PX: f64 = 12.0;
/// The most levels with ticks of their own: among more of them, round numbers are easier to read.
const MOST_LEVELS: usize = 15;
/// Levels are evenly spaced if no distance is longer than the shortest one times this.
const EVEN: f64 = 1.5;
/// The part of its length that an axis continues beyond the numbers.
const MARGIN: f64 = 0.04;

/// The scale of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scale {
    /// Numbers at even distances.
    #[default]
    Linear,
    /// Whole numbers at even distances, such as numbers of robots: no tick stands between two of them.
    Whole,
    /// Numbers above 0; each power of ten has the same length.
    Log,
    /// Names at even distances; the number of a point is the place of its name, from 0.
    Categories(Vec<String>),
}

/// An axis of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The label, with the unit, such as from [`axis_label`].
    pub label: String,
    /// The scale.
    pub scale: Scale,
    /// A range that the axis shows even if the numbers need less; more if they need more.
    pub at_least: Option<[f64; 2]>,
    /// The range that the axis shows instead of that of the numbers. Numbers beyond it have no place.
    fixed: Option<[f64; 2]>,
    /// The values of a factor: ticks stand at them. Without any, ticks stand at round numbers.
    pub levels: Vec<f64>,
}

impl Axis {
    /// An axis with even distances.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// An axis of whole numbers.
    pub fn whole(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Whole, ..Self::default() }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log, ..Self::default() }
    }

    /// An axis of names.
    pub fn categories(label: impl Into<String>, names: Vec<String>) -> Self {
        Self { label: label.into(), scale: Scale::Categories(names), ..Self::default() }
    }

    /// The axis, with a range that it shows in any case.
    pub fn at_least(self, range: [f64; 2]) -> Self {
        Self { at_least: Some(range), ..self }
    }

    /// The axis, with ticks at the values of a factor.
    pub fn with_levels(self, levels: Vec<f64>) -> Self {
        Self { levels, ..self }
    }

    /// Shows a range in place of that of the numbers.
    ///
    /// # Errors
    /// When the axis cannot have the range.
    pub(crate) fn fix(&mut self, range: [f64; 2]) -> Result<(), RangeError> {
        self.check(range)?;
        self.fixed = Some(range);
        Ok(())
    }

    fn check(&self, [low, high]: [f64; 2]) -> Result<(), RangeError> {
        match &self.scale {
            Scale::Categories(_) => Err(RangeError::Names),
            Scale::Log if low <= 0.0 => Err(RangeError::Log),
            Scale::Log if low < LEAST => Err(RangeError::Size),
            _ if low < high && is_drawable(low) && is_drawable(high) => Ok(()),
            _ => Err(RangeError::Size),
        }
    }

    /// The range that the axis shows instead of that of the numbers.
    pub(crate) fn fixed_range(&self) -> Option<[f64; 2]> {
        self.fixed.filter(|range| self.check(*range).is_ok())
    }

    /// Whether the axis has a place for a number.
    pub(crate) fn shows(&self, value: f64) -> bool {
        self.absence(value).is_none()
    }

    /// The reason why the axis has no place for a number; `None` if it has one.
    pub(crate) fn absence(&self, value: f64) -> Option<Absence> {
        let is_beyond = || self.fixed_range().is_some_and(|[low, high]| !(low..=high).contains(&value));
        match &self.scale {
            Scale::Categories(names) => {
                let is_place = value >= 0.0 && value < names.len() as f64 && value.fract() == 0.0;
                (!is_place).then_some(Absence::NoValue)
            }
            _ if !is_drawable(value) => Some(Absence::NoValue),
            Scale::Log if value < LEAST => Some(Absence::NotPositive),
            _ => is_beyond().then_some(Absence::Beyond),
        }
    }

    /// The range of the axis for numbers; those without a place on it do not count.
    ///
    /// With `from_zero`, an axis of numbers that are all on one side of 0 begins at 0, unless they are far from it.
    pub(crate) fn range(&self, values: impl Iterator<Item = f64>, from_zero: bool) -> Range {
        if let Some(ends) = self.fixed_range() {
            return Range { ends, is_log: self.scale == Scale::Log, is_whole: self.scale == Scale::Whole };
        }
        let values = values.chain(self.at_least.into_iter().flatten()).filter(|value| self.shows(*value));
        let ends = values.fold(None, |ends: Option<[f64; 2]>, value| match ends {
            Some([low, high]) => Some([low.min(value), high.max(value)]),
            None => Some([value, value]),
        });
        match &self.scale {
            Scale::Categories(names) => Range { ends: [-0.5, names.len().max(1) as f64 - 0.5], ..Range::default() },
            Scale::Log => Range { ends: log_range(ends.unwrap_or([1.0, 10.0])), is_log: true, is_whole: false },
            scale => {
                let ends = linear_range(ends.unwrap_or([0.0, 1.0]), from_zero);
                Range { ends, is_log: false, is_whole: *scale == Scale::Whole }
            }
        }
    }

    /// The names of the axis, if it has names.
    pub(crate) fn names(&self) -> Option<&[String]> {
        if let Scale::Categories(names) = &self.scale { Some(names) } else { None }
    }
}

/// The reason why an axis cannot have a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeError {
    /// Its places are names.
    Names,
    /// It is logarithmic, and the range reaches 0.
    Log,
    /// A number is too large, or too small for a logarithmic axis, or the range does not go upwards.
    Size,
    /// The chart is a heat map, whose axes are rows and columns.
    HeatMap,
}

impl std::fmt::Display for RangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Names => "the axis has names in place of numbers",
            Self::Log => "the axis is logarithmic: expected numbers > 0",
            Self::Size => "expected numbers from -1e150 to 1e150, on a logarithmic axis from 1e-150 to 1e150",
            Self::HeatMap => "a heat map has rows and columns, which are not numbers",
        })
    }
}

/// A label for a field: the last part of its path in words, with the unit of its ending. `half_angle_rad` is
/// "Half angle (rad)".
pub fn axis_label(field: &str) -> String {
    let name = field.rsplit(['.', '/']).find(|part| !part.is_empty()).unwrap_or(field);
    let (words, unit) = wording::words(name);
    axis_text(&words, unit)
}

/// A label of a name and a unit, which may be empty.
pub fn axis_text(name: &str, unit: &str) -> String {
    if unit.is_empty() || name.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

fn linear_range([low, high]: [f64; 2], from_zero: bool) -> [f64; 2] {
    let size = low.abs().max(high.abs());
    if high - low <= size * 1e-9 {
        // Equal numbers, or numbers that differ by rounding only.
        let half = if size > 0.0 { (size * 0.1).max(f64::MIN_POSITIVE) } else { 1.0 };
        return [low - half, high + half];
    }
    let margin = (high - low) * MARGIN;
    let [low_end, high_end] = [low - margin, high + margin];
    // Numbers that use less than half of the axis from 0 would lose their differences on it.
    let is_near_zero = from_zero && high - low >= size * 0.5;
    match is_near_zero || low == 0.0 || high == 0.0 {
        true if low >= 0.0 => [0.0, high_end],
        true if high <= 0.0 => [low_end, 0.0],
        _ => [low_end, high_end],
    }
}

fn log_range([low, high]: [f64; 2]) -> [f64; 2] {
    if high <= low * (1.0 + 1e-9) {
        return [low / 2.0, high * 2.0];
    }
    let factor = math::exp((math::ln(high) - math::ln(low)) * MARGIN);
    [low / factor, high * factor]
}

/// The numbers at the ends of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The number at the start and at the end.
    pub ends: [f64; 2],
    /// Whether the axis is logarithmic.
    pub is_log: bool,
    /// Whether ticks are whole numbers.
    pub is_whole: bool,
}

impl Range {
    /// The number that grows evenly along the axis.
    fn along(&self, value: f64) -> f64 {
        if self.is_log { math::ln(value) } else { value }
    }

    /// The place of a number as a part of the way along the axis.
    pub fn part(&self, value: f64) -> f64 {
        let [low, high] = self.ends.map(|end| self.along(end));
        (self.along(value) - low) / (high - low)
    }

    /// The number at a part of the way along the axis.
    pub fn at(&self, part: f64) -> f64 {
        let [low, high] = self.ends.map(|end| self.along(end));
        let at = low + (high - low) * part;
        if self.is_log { math::exp(at) } else { at }
    }

    /// The range with a part of its length more at both ends.
    pub fn widened(&self, part: f64) -> Self {
        Self { ends: [-part, 1.0 + part].map(|part| self.at(part)), ..*self }
    }

    /// About `count` ticks.
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        if self.is_log {
            return ticks::logarithmic(self.ends, count);
        }
        let are_whole = |ticks: &Vec<Tick>| !self.is_whole || ticks.iter().all(|tick| tick.value.fract() == 0.0);
        let found = (1..=count).rev().map(|count| ticks::linear(self.ends, count)).find(are_whole);
        found.unwrap_or_else(|| ticks::linear(self.ends, count))
    }

    /// About `count` ticks, and more if fewer than `least` of them have texts, unless more than `most` would have some. A
    /// single one would tell no scale.
    pub fn scale_ticks(&self, count: usize, [least, most]: [usize; 2]) -> Vec<Tick> {
        let texts = |ticks: &Vec<Tick>| ticks.iter().filter(|tick| !tick.label.is_empty()).count();
        let all = || (count..count + 6).map(|count| self.ticks(count));
        let found = all().find(|ticks| (least..=most.max(least)).contains(&texts(ticks)));
        let quarters = || ticks::quarters(self.ends, [least, most]).filter(|_| !self.is_log && !self.is_whole);
        let several = || all().find(|ticks| texts(ticks) > 1);
        found.or_else(quarters).or_else(several).unwrap_or_else(|| self.ticks(count))
    }

    /// As many ticks as have room for their texts side by side on an axis of this length, and at most `most`.
    pub fn ticks_within(&self, length_px: f64, most: usize) -> Vec<Tick> {
        let ticks = |count: usize| self.ticks(count);
        (2..=most).rev().map(ticks).find(|ticks| self.have_room(ticks, length_px)).unwrap_or_else(|| self.ticks(1))
    }

    /// A tick at each of some levels, with texts where they have room on an axis of this length; `None` where round numbers
    /// are better.
    pub fn ticks_at(&self, levels: &[f64], length_px: f64) -> Option<Vec<Tick>> {
        let is_on_axis = |level: &f64| (-1e-9..=1.0 + 1e-9).contains(&self.part(*level));
        let mut levels: Vec<f64> = levels.iter().copied().filter(is_on_axis).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        if levels.is_empty() || levels.len() > MOST_LEVELS {
            return None;
        }
        let places: Vec<f64> = levels.iter().map(|level| self.part(*level)).collect();
        let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
        let (shortest, longest) = (gaps.clone().fold(f64::INFINITY, f64::min), gaps.fold(0.0, f64::max));
        let are_even = longest <= shortest * EVEN;
        let texts = if are_even && !self.is_log { ticks::even_levels(&levels) } else { ticks::levels(&levels) };
        let all: Vec<Tick> = levels.iter().zip(texts).map(|(value, label)| Tick { value: *value, label }).collect();
        let only = |is_shown: &dyn Fn(usize) -> bool| -> Vec<Tick> {
            let text = |(place, tick): (usize, &Tick)| if is_shown(place) { tick.label.clone() } else { String::new() };
            all.iter().enumerate().map(|tick| Tick { value: tick.1.value, label: text(tick) }).collect()
        };
        if are_even {
            let mut every = (1..=levels.len()).map(|every| only(&|place| place % every == 0));
            return every.find(|ticks| self.have_room(ticks, length_px));
        }
        // The greatest levels are the farthest apart where levels are uneven.
        let mut shown: Vec<usize> = Vec::new();
        for place in (0..levels.len()).rev() {
            let pair = shown.last().map(|next| [all[place].clone(), all[*next].clone()]);
            if pair.is_none_or(|pair| self.have_room(&pair, length_px)) {
                shown.push(place);
            }
        }
        Some(only(&|place| shown.contains(&place)))
    }

    /// Whether the texts of ticks have room side by side on an axis of a length.
    fn have_room(&self, ticks: &[Tick], length_px: f64) -> bool {
        let labelled: Vec<&Tick> = ticks.iter().filter(|tick| !tick.label.is_empty()).collect();
        labelled.windows(2).all(|pair| {
            let distance = (self.part(pair[1].value) - self.part(pair[0].value)) * length_px;
            let widths = pair.iter().map(|tick| text_width(&tick.label, TEXT_PX)).sum::<f64>();
            distance >= widths / 2.0 + GAP_PX
        })
    }
}

/// The least of 1, 2, 5, 10, 20, 50 … that is not below a number: levels of a factor are often round at these distances.
pub fn round_count(least: f64) -> usize {
    let powers = [1, 10, 100, 1000, 10_000].iter();
    let mut counts = powers.flat_map(|power| [1, 2, 5].map(|digit| digit * power));
    counts.find(|count| f64::from(*count) >= least).map_or(usize::MAX, |count| count as usize)
}

/// The texts below places at even distances, in lines, each with its place. Texts that have no room are left out evenly.
pub fn name_rows(names: &[String], pitch_px: f64, lines: usize) -> Vec<(usize, Vec<String>)> {
    let widest = names.iter().map(|name| text_width(name, TEXT_PX) + GAP_PX / 2.0).fold(0.0, f64::max);
    let needed = if lines > 1 { widest.min(56.0) } else { widest.min(120.0) };
    let every = round_count(needed / pitch_px);
    let width = pitch_px * every.min(names.len()) as f64 - GAP_PX / 2.0;
    let rows = |names: &[String]| -> Vec<(usize, Vec<String>)> {
        let shown = names.iter().enumerate().step_by(every);
        shown.map(|(place, name)| (place, wrapped(name, width, TEXT_PX, lines))).collect()
    };
    let whole = rows(names);
    let is_cut = whole.iter().flat_map(|(_, lines)| lines).any(|line| line.contains('…'));
    if is_cut { rows(&without_common_start(names)) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(axis: &Axis, values: &[f64]) -> [f64; 2] {
        axis.range(values.iter().copied(), true).ends
    }

    #[test]
    fn labels_have_words_and_units() {
        let labels = ["half_angle_rad", "turn_rad_per_s", "range_m", "count", "robots.sensors.0.range_m", ""];
        let expected = ["Half angle (rad)", "Turn (rad/s)", "Range (m)", "Count", "Range (m)", ""];
        assert_eq!(labels.map(axis_label), expected);
    }

    #[test]
    fn axes_start_at_zero_for_values_near_it() {
        let axis = Axis::linear("");
        assert_eq!(range(&axis, &[1.0, 10.0])[0], 0.0);
        assert_eq!(range(&axis, &[-1.0, -10.0])[1], 0.0);
        assert!(range(&axis, &[9.0, 10.0])[0] > 8.0 && range(&axis, &[-1.0, 1.0])[0] < -1.0);
        let shown = range(&axis.at_least([0.0, 1.0]), &[0.4, 0.5]);
        assert!(shown[0] == 0.0 && shown[1] > 1.0 && shown[1] < 1.1);
    }

    #[test]
    fn every_range_has_a_length() {
        let odd = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e308];
        for values in [&[][..], &[5.0], &[0.0], &[-3.0, -3.0], &odd, &[1e12, 1e12], &[-1e300, 1e300], &[5e-324]] {
            for axis in [Axis::linear(""), Axis::log(""), Axis::categories("", Vec::new())] {
                let [low, high] = range(&axis, values);
                assert!(low < high && (high - low).is_finite(), "{values:?}: {low} to {high}");
            }
        }
        assert_eq!(range(&Axis::categories("", vec!["a".into(), "b".into()]), &[0.0, 1.0]), [-0.5, 1.5]);
    }

    #[test]
    fn axes_have_four_ticks_where_they_have_room() {
        let ticks = |ends: [f64; 2]| Range { ends, ..Range::default() }.scale_ticks(4, [4, 8]).len();
        for high in 10..100 {
            let high = f64::from(high) / 10.0;
            assert!((4..=8).contains(&ticks([0.0, high])), "{high}: {}", ticks([0.0, high]));
            assert!((4..=8).contains(&ticks([-0.3 * high, high])), "{high}");
        }
        let whole = Range { ends: [0.0, 2.2], is_whole: true, ..Range::default() };
        assert_eq!(whole.scale_ticks(4, [4, 8]).len(), 3);
    }

    #[test]
    fn a_fixed_range_leaves_numbers_beyond_it_out() {
        let mut axis = Axis::linear("").at_least([0.0, 9.0]);
        axis.fix([0.5, 1.0]).unwrap();
        assert_eq!(range(&axis, &[0.1, 7.0]), [0.5, 1.0]);
        assert!(axis.shows(0.5) && axis.shows(1.0) && !axis.shows(0.4) && !axis.shows(1.1));
        assert_eq!([0.4, f64::NAN].map(|value| axis.absence(value)), [Some(Absence::Beyond), Some(Absence::NoValue)]);
        // The range is that of another scale.
        axis.fix([-1.0, 1.0]).unwrap();
        axis.scale = Scale::Log;
        assert!(range(&axis, &[1.0, 10.0])[1] > 10.0 && axis.shows(10.0));
        assert_eq!(axis.absence(0.0), Some(Absence::NotPositive));
    }

    #[test]
    fn ranges_that_an_axis_cannot_have_are_refused() {
        let cases = [
            (Axis::linear(""), [0.0, 1e200], RangeError::Size),
            (Axis::linear(""), [-1e200, 0.0], RangeError::Size),
            (Axis::linear(""), [1.0, 1.0], RangeError::Size),
            (Axis::log(""), [1e-200, 1.0], RangeError::Size),
            (Axis::log(""), [0.0, 1.0], RangeError::Log),
            (Axis::categories("", Vec::new()), [0.0, 1.0], RangeError::Names),
        ];
        for (mut axis, range, error) in cases {
            assert_eq!(axis.fix(range), Err(error), "{range:?}");
            assert_eq!(axis.fixed_range(), None);
        }
    }

    #[test]
    fn positions_lie_along_the_axis() {
        let range = Range { ends: [1.0, 100.0], is_log: true, is_whole: false };
        assert!((range.part(10.0) - 0.5).abs() < 1e-12);
        assert_eq!(Range { ends: [0.0, 4.0], ..Range::default() }.part(1.0), 0.25);
        assert!(!Axis::log("").shows(0.0) && !Axis::linear("").shows(f64::NAN) && Axis::linear("").shows(-2.0));
    }

    #[test]
    fn tick_labels_have_room() {
        let range = Range { ends: [0.0, 2.0e6], ..Range::default() };
        let whole = Range { ends: [3.8, 8.2], is_whole: true, ..Range::default() };
        assert!(whole.ticks(9).iter().all(|tick| tick.value.fract() == 0.0) && whole.ticks(9).len() > 3);
        assert!(range.ticks_within(100.0, 8).len() < range.ticks_within(600.0, 8).len());
        let names: Vec<String> = (0..40).map(|name| format!("name {name}")).collect();
        let rows = name_rows(&names, 15.0, 1);
        assert!(rows.len() > 5 && rows.len() < 15 && rows[0] == (0, vec!["name 0".into()]), "{rows:?}");
        assert_eq!(name_rows(&names[..3], 200.0, 1).len(), 3);
    }

    #[test]
    fn ticks_stand_at_the_levels_of_a_factor() {
        let range = Range { ends: [0.0, 110.0], ..Range::default() };
        let texts = |levels: &[f64], length_px: f64| -> Vec<String> {
            let ticks = range.ticks_at(levels, length_px).unwrap();
            assert_eq!(ticks.iter().map(|tick| tick.value).collect::<Vec<_>>(), levels);
            ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(texts(&[10.0, 25.0, 50.0, 100.0], 300.0), ["10", "25", "50", "100"]);
        assert_eq!(texts(&[1.0, 2.0, 50.0, 100.0], 300.0), ["", "2", "50", "100"]);
        assert_eq!(texts(&[20.0, 40.0, 60.0, 80.0, 100.0], 90.0), ["20", "", "60", "", "100"]);
        assert_eq!(texts(&[25.0], 90.0), ["25"]);
        let many: Vec<f64> = (0..30).map(f64::from).collect();
        assert!(range.ticks_at(&many, 300.0).is_none() && range.ticks_at(&[], 300.0).is_none());
    }
}
