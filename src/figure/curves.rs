//! Curves: values with intervals, over a number, a name or time.

use bevy::math::DVec2;
use swarmarium_picture::Layer;

use super::absence::{Absence, remarks};
use super::axis::Axis;
use super::beyond::{self, Beyond};
use super::frame::Frame;
use super::key::{Entry, Key, Style, Swatch};
use super::label::{Label, Legend};
use super::page::{Page, Placement};
use super::plane::Plane;

/// Series with more points than this have no marks, and neither have charts with more than four times as many.
const MARKED: usize = 40;
/// The part of the height of a chart above the highest number, where an interval has no upper end; below likewise.
const OPEN: f64 = 0.1;
/// The length and half the width of the head of an arrow, in pixels.
const ARROW_PX: [f64; 2] = [7.0, 4.0];
/// The radius of a mark, in pixels.
const MARK_PX: f64 = 3.8;
/// Series with at most this many points have bars: a band between them would suggest data there.
const BARS: usize = 8;
/// So many series have bars side by side; bars of more that would hide each other are bands.
const SIDE_BY_SIDE: usize = 3;
/// The distance between the bars of two series at one place, and that of all of them, in pixels.
const APART_PX: f64 = 4.0;
const ALL_APART_PX: f64 = 20.0;

/// A value with an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The place on the x axis: a number, or the place of a name from 0.
    pub x: f64,
    /// The value, such as a mean; NaN if there is none, which interrupts the line.
    pub value: f64,
    /// The lower end of the interval; NaN if it is missing. An arrow shows −∞.
    pub low: f64,
    /// The upper end of the interval; NaN if it is missing. An arrow shows ∞.
    pub high: f64,
    /// The number of runs.
    pub n: usize,
}

impl Point {
    /// A point without an interval.
    pub fn bare(x: f64, value: f64) -> Self {
        Self { x, value, low: f64::NAN, high: f64::NAN, n: 1 }
    }
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// At a number on the axis.
    At(f64),
    /// Beyond the axis, such as at ∞.
    Open,
    /// Unknown.
    Missing,
}

/// The form of intervals over numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intervals {
    /// A bar at each point.
    Bars,
    /// A band along the line.
    Band,
}

/// A named series of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The label in the key.
    pub label: Label,
    /// The points, in any order.
    pub points: Vec<Point>,
}

/// A chart of one or more series.
///
/// Over numbers, a series is a line with bars or a band; over names, it is marks with bars. A hollow mark has fewer runs than
/// others, an arrow shows an interval that goes on beyond the axis, and an open triangle a value beyond the data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The series.
    pub series: Vec<Series>,
    /// Whether points are samples of one run over time: lines without marks, which gaps interrupt without a remark.
    pub are_samples: bool,
    /// The form of intervals over numbers; without it, bars for at most 8 points, and a band for more, and where bars of more
    /// than 3 series would hide each other.
    pub intervals: Option<Intervals>,
    /// The meaning of lines and intervals.
    pub legend: Legend,
    /// The places of series of expected values: hollow marks without a line, behind the others.
    pub expected: Vec<usize>,
    /// Values beyond the data, of points without a value.
    pub beyond: Vec<Beyond>,
}

impl Curves {
    /// Whether intervals are bars, and not bands.
    fn has_bars(&self) -> bool {
        let is_short = || self.longest() <= BARS && !self.has_crowded_bars();
        self.x.names().is_some() || self.intervals.map_or_else(is_short, |intervals| intervals == Intervals::Bars)
    }

    /// Whether the bars of many series at one place would hide each other.
    fn has_crowded_bars(&self) -> bool {
        let series = || self.series.iter().enumerate().filter(|(place, _)| !self.expected.contains(place));
        if series().count() <= SIDE_BY_SIDE {
            return false;
        }
        let points = series().flat_map(|(_, series)| &series.points).filter(|point| point.low < point.high);
        let mut bars: Vec<[f64; 3]> = points.map(|point| [point.x, point.low, point.high]).collect();
        bars.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        bars.windows(2).any(|pair| pair[0][0] == pair[1][0] && pair[1][1] < pair[0][2])
    }

    /// The number of points of the longest series.
    fn longest(&self) -> usize {
        self.series.iter().map(|series| series.points.len()).max().unwrap_or(0)
    }

    /// Whether a point without a value has a mark at the upper edge.
    fn is_beyond(&self, series: usize, point: &Point) -> bool {
        self.beyond.iter().any(|mark| mark.series == series && mark.x == point.x)
    }

    /// Whether something of a series is drawn.
    fn is_drawn(&self, series: usize) -> bool {
        let has_end = |point: &Point| self.ends(point).iter().any(|end| matches!(end, End::At(_)));
        let points = self.series.get(series).map(|series| series.points.as_slice()).unwrap_or_default();
        points
            .iter()
            .filter(|point| self.x.shows(point.x))
            .any(|point| self.y.shows(point.value) || has_end(point) || self.is_beyond(series, point))
    }

    /// Samples of one run over a range of time, in seconds.
    pub fn over_time(y: Axis, range_s: [f64; 2], series: Vec<Series>) -> Self {
        Self { x: Axis::linear("Time (s)").at_least(range_s), y, series, are_samples: true, ..Self::default() }
    }

    /// The reason why a point has no place.
    fn absence(&self, point: &Point) -> Option<Absence> {
        self.x.absence(point.x).or(self.y.absence(point.value))
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    /// Whether no point has a place.
    pub(crate) fn is_empty(&self) -> bool {
        !(0..self.series.len()).any(|series| self.is_drawn(series))
    }

    /// The ends of the interval of a point. On a logarithmic axis, one that reaches 0 is open.
    fn ends(&self, point: &Point) -> [End; 2] {
        let end = |value: f64, is_beyond: bool| match self.y.shows(value) {
            true => End::At(value),
            false if is_beyond && self.y.names().is_none() => End::Open,
            false => End::Missing,
        };
        // Numbers around 0 that an axis does not show are too small for a logarithmic one.
        let [least, most] = self.y.fixed_range().unwrap_or([1.0; 2]);
        [end(point.low, point.low < least), end(point.high, point.high > most)]
    }

    /// Whether the interval of a point is drawn, at least in part.
    fn has_interval(&self, point: &Point) -> bool {
        let ends = self.ends(point);
        let missing = ends.iter().filter(|end| **end == End::Missing).count();
        self.x.shows(point.x) && (missing == 0 || missing == 1 && self.y.shows(point.value))
    }

    /// Whether an interval has a lower end beyond the axis, and whether one has such an upper end. Points with marks at the
    /// upper edge and expected values do not count.
    fn are_open(&self) -> [bool; 2] {
        let is_open = |place: usize, point: &Point, side: usize| {
            self.has_interval(point) && self.ends(point)[side] == End::Open && !self.is_beyond(place, point)
        };
        let of_series = |place: usize, side: usize| {
            !self.expected.contains(&place) && self.series[place].points.iter().any(|point| is_open(place, point, side))
        };
        [0, 1].map(|side| (0..self.series.len()).any(|place| of_series(place, side)))
    }

    fn are_marked(&self) -> bool {
        !self.are_samples
            && (self.x.names().is_some() || self.longest() <= MARKED && self.points().count() <= 4 * MARKED)
    }

    /// The opacity of bands: many bands lie over each other.
    fn band_opacity(&self) -> f32 {
        match self.series.len() {
            0..=4 => 0.3,
            5..=8 => 0.2,
            _ => 0.12,
        }
    }

    /// The width of lines, in pixels: dense or many lines are thinner.
    fn line_px(&self) -> f64 {
        if self.are_marked() && self.series.len() <= 8 { 2.0 } else { 1.5 }
    }

    /// The largest number of runs of a point.
    fn most_runs(&self) -> usize {
        self.points().map(|point| point.n).max().unwrap_or(0)
    }

    fn is_hollow(&self, point: &Point) -> bool {
        point.n < self.most_runs()
    }

    /// The meaning of lines and intervals, in sentences.
    pub(crate) fn legend_text(&self) -> Option<String> {
        let mark = if self.x.names().is_some() { "Mark" } else { "Line" };
        let form = if self.has_bars() { "bar" } else { "band" };
        self.legend.text([mark, form])
    }

    /// Remarks for the caption: the legend first.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.legend_text().into_iter().collect();
        if self.are_marked() && self.points().any(|point| self.absence(point).is_none() && self.is_hollow(point)) {
            notes.push(format!("Hollow marks: fewer than {} runs.", self.most_runs()));
        }
        if !self.are_samples {
            let absent = |(place, series): (usize, &Series)| {
                let points = series.points.iter().filter(|point| !self.is_beyond(place, point));
                points.filter_map(|point| self.absence(point)).collect::<Vec<_>>()
            };
            notes.extend(remarks(&self.series.iter().enumerate().flat_map(absent).collect::<Vec<_>>(), "point"));
        }
        match self.are_open() {
            [false, false] => {}
            [false, true] if self.y.fixed_range().is_some() => {
                notes.push("Arrow: the interval goes on above the axis.".into());
            }
            [false, true] => notes.push("Arrow: the interval has no upper end.".into()),
            [true, false] => notes.push("Arrow: the interval goes on below the axis.".into()),
            [true, true] => notes.push("Arrows: the interval goes on beyond the axis.".into()),
        }
        let is_half = |point: &Point| self.has_interval(point) && point.low.is_nan() != point.high.is_nan();
        if self.points().any(is_half) {
            notes.push("Half a bar: the other end of the interval is unknown.".into());
        }
        notes
    }

    /// The key of the series that are drawn; one series has none: the title and the labels of the axes name it.
    pub(crate) fn key(&self, size_px: [f64; 2]) -> Key {
        let swatch = |series: usize| match (self.x.names(), self.are_marked()) {
            _ if self.expected.contains(&series) => Swatch::Hollow,
            (Some(_), _) => Swatch::Mark,
            (None, true) => Swatch::Marked,
            (None, false) => Swatch::Line,
        };
        let drawn = (0..self.series.len()).filter(|series| self.series.len() > 1 && self.is_drawn(*series));
        let entry = |series: usize| Entry { series, label: &self.series[series].label, swatch: swatch(series) };
        Key::new(&drawn.map(entry).collect::<Vec<_>>(), size_px)
    }

    /// The distance of a series to the right of its places, in pixels: bars of several series stand side by side.
    fn offset_px(&self, series: usize) -> f64 {
        let side_by_side: Vec<usize> = (0..self.series.len()).filter(|place| !self.expected.contains(place)).collect();
        let Some(place) = side_by_side.iter().position(|place| *place == series) else { return 0.0 };
        let gaps = side_by_side.len() as f64 - 1.0;
        if gaps == 0.0 || !self.has_bars() || self.are_samples || !self.has_intervals() {
            return 0.0;
        }
        (place as f64 - gaps / 2.0) * APART_PX.min(ALL_APART_PX / gaps)
    }

    /// Whether a point has an interval with a length.
    fn has_intervals(&self) -> bool {
        self.points().any(|point| self.ends(point) != [End::Missing; 2] && point.low != point.high)
    }

    /// Draws the axes.
    pub(crate) fn frame(&self, page: &mut Page, placement: Placement) -> Frame {
        let mut x = self.x.range(self.points().map(|point| point.x), false);
        if self.x.names().is_none() && self.x.fixed_range().is_none() && self.offset_px(0) != 0.0 {
            // Bars beside the first and the last place stay within the axes.
            x = x.widened(0.02);
        }
        let values = self.points().filter(|point| self.x.shows(point.x));
        let mut y = self.y.range(values.flat_map(|point| [point.value, point.low, point.high]), true);
        if self.y.fixed_range().is_none() {
            let [below, above] = self.are_open();
            let above = above || !self.beyond.is_empty();
            y.ends = [if below { y.at(-OPEN) } else { y.ends[0] }, if above { y.at(1.0 + OPEN) } else { y.ends[1] }];
        }
        Frame::draw(page, placement, &self.x, &self.y, [x, y])
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let frame = self.frame(page, placement);
        let is_expected = |place: &usize| self.expected.contains(place);
        let behind = (0..self.series.len()).filter(is_expected);
        let mut marks: Vec<(&Beyond, f64)> = Vec::new();
        for place in behind.chain((0..self.series.len()).filter(|place| !is_expected(place))) {
            let series = &self.series[place];
            let mut points: Vec<Point> = series.points.iter().copied().filter(|point| self.x.shows(point.x)).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let style = Style::for_series(place);
            let offset = match self.x.names() {
                Some(names) => {
                    // Series stand side by side at a name.
                    let pitch = frame.plot.width() / names.len().max(1) as f64;
                    let count = self.series.len() as f64;
                    (place as f64 - (count - 1.0) / 2.0) * (pitch * 0.7 / count).min(18.0)
                }
                None => self.offset_px(place),
            };
            let own = self.beyond.iter().filter(|mark| mark.series == place && self.x.shows(mark.x));
            marks.extend(own.map(|mark| (mark, frame.x_px(mark.x) + offset)));
            if is_expected(&place) {
                points.iter().for_each(|point| self.expected(page, &frame, point, style, offset));
            } else if self.x.names().is_some() {
                points.iter().for_each(|point| self.bar(page, &frame, point, style, offset));
            } else if self.has_bars() && !self.are_samples {
                self.line_with_bars(page, &frame, &points, style, offset);
            } else {
                self.curve(page, &frame, &points, style);
            }
        }
        beyond::draw(page, &frame, &marks);
        Plane::Axes(frame)
    }

    /// Draws an expected value: a hollow mark, with its tolerance as a thin bar.
    fn expected(&self, page: &mut Page, frame: &Frame, point: &Point, style: Style, offset_px: f64) {
        let x = frame.x_px(point.x) + offset_px;
        let ends = self.ends(point);
        if let [Some(low), Some(high)] = [0, 1].map(|side| end_px(frame, ends[side], side)) {
            page.segment(Layer::Trails, style.color.faint(0.6), [low, high].map(|y| DVec2::new(x, y)), 1.0);
        }
        if self.y.shows(point.value) {
            style.mark_on(page, Layer::Trails, DVec2::new(x, frame.y_px(point.value)), MARK_PX * 1.2, true);
        }
    }

    /// Draws a line with a bar at each point, interrupted where a value is missing.
    fn line_with_bars(&self, page: &mut Page, frame: &Frame, points: &[Point], style: Style, offset_px: f64) {
        for part in points.split(|point| !self.y.shows(point.value)).filter(|part| part.len() > 1) {
            let places = part.iter().map(|point| frame.place(point.x, point.value) + DVec2::new(offset_px, 0.0));
            page.line(Layer::Links, style.color, places.collect(), self.line_px(), style.dashed);
        }
        points.iter().for_each(|point| self.bar(page, frame, point, style, offset_px));
    }

    /// Draws a line with a band, interrupted where a value is missing.
    fn curve(&self, page: &mut Page, frame: &Frame, points: &[Point], style: Style) {
        for part in points.split(|point| !self.y.shows(point.value)).filter(|part| !part.is_empty()) {
            for band in part.split(|point| self.ends(point).contains(&End::Missing)) {
                let along = |side: usize| {
                    let place = move |point: &Point| {
                        Some(DVec2::new(frame.x_px(point.x), end_px(frame, self.ends(point)[side], side)?))
                    };
                    thinned(band.iter().filter_map(place))
                };
                if let [point] = band {
                    self.bar(page, frame, point, style, 0.0);
                } else if !band.is_empty() {
                    let corners = along(1).into_iter().chain(along(0).into_iter().rev()).collect();
                    page.polygon(Layer::Trails, style.color.faint(self.band_opacity()), corners);
                    let arrows = band.iter().filter(|_| self.are_marked());
                    arrows.for_each(|point| self.arrows(page, frame, point, style, frame.x_px(point.x)));
                }
            }
            // An interval with one end is not part of a band.
            part.iter().filter(|point| self.ends(point).contains(&End::Missing)).for_each(|point| {
                self.interval(page, frame, point, style, frame.x_px(point.x));
            });
            let places = thinned(part.iter().map(|point| frame.place(point.x, point.value)));
            if places.len() > 1 {
                page.line(Layer::Links, style.color, places, self.line_px(), style.dashed);
            }
            if self.are_marked() || part.len() == 1 {
                for point in part {
                    style.mark(page, frame.place(point.x, point.value), MARK_PX, self.is_hollow(point));
                }
            }
        }
        let missing = points.iter().filter(|point| !self.y.shows(point.value));
        missing.for_each(|point| self.bar(page, frame, point, style, 0.0));
    }

    /// Draws a mark with the interval as a bar.
    fn bar(&self, page: &mut Page, frame: &Frame, point: &Point, style: Style, offset_px: f64) {
        let x = frame.x_px(point.x) + offset_px;
        self.interval(page, frame, point, style, x);
        if self.y.shows(point.value) {
            style.mark(page, DVec2::new(x, frame.y_px(point.value)), MARK_PX, self.is_hollow(point));
        }
    }

    /// Draws the interval of a point as a bar: with a line across each end, and an arrow at an open one. Where an end is
    /// unknown, the bar begins at the value.
    fn interval(&self, page: &mut Page, frame: &Frame, point: &Point, style: Style, x: f64) {
        let ends = self.ends(point);
        let value = self.y.shows(point.value).then(|| frame.y_px(point.value));
        let [low, high] = [0, 1].map(|side| end_px(frame, ends[side], side).or(value));
        let (Some(low), Some(high)) = (low, high) else { return };
        if ends == [End::Missing; 2] {
            return;
        }
        page.segment(Layer::Links, style.color, [low, high].map(|y| DVec2::new(x, y)), 1.5);
        for (_, y) in ends.into_iter().zip([low, high]).filter(|(end, _)| matches!(end, End::At(_))) {
            let (at, half) = (DVec2::new(x, y), DVec2::new(4.0, 0.0));
            page.segment(Layer::Links, style.color, [at - half, at + half], 1.5);
        }
        self.arrows(page, frame, point, style, x);
    }

    /// Draws arrows from the value to the open ends of an interval.
    fn arrows(&self, page: &mut Page, frame: &Frame, point: &Point, style: Style, x: f64) {
        for (side, end) in self.ends(point).into_iter().enumerate().filter(|(_, end)| *end == End::Open) {
            let Some(y) = end_px(frame, end, side) else { continue };
            let inwards = if side == 0 { -ARROW_PX[0] } else { ARROW_PX[0] };
            let corners = [(0.0, 0.0), (ARROW_PX[1], inwards), (-ARROW_PX[1], inwards)];
            let at = DVec2::new(x, y);
            if self.y.shows(point.value) {
                page.segment(Layer::Links, style.color, [DVec2::new(x, frame.y_px(point.value)), at], 1.5);
            }
            page.polygon(Layer::Links, style.color, corners.map(|corner| at + DVec2::from(corner)).to_vec());
        }
    }
}

/// The distance of an end of an interval from the upper edge of the page: open ends are those of the axis. `side` is 0 for the
/// lower end, and 1 for the upper one.
fn end_px(frame: &Frame, end: End, side: usize) -> Option<f64> {
    match end {
        End::At(value) => Some(frame.y_px(value)),
        End::Open if side == 0 => Some(frame.plot.bottom),
        End::Open => Some(frame.plot.top),
        End::Missing => None,
    }
}

/// The points of a line without those that nobody can see: of each column of half a pixel, the first, the lowest, the
/// highest and the last point stay (Jugel et al.: "M4: a visualization-oriented time series data aggregation", 2014).
fn thinned(points: impl Iterator<Item = DVec2>) -> Vec<DVec2> {
    let points: Vec<DVec2> = points.collect();
    let column = |point: &DVec2| (point.x * 2.0).floor();
    let columns = points.chunk_by(|a, b| column(a) == column(b));
    let kept = columns.flat_map(|chunk| {
        let by_height = |a: &usize, b: &usize| chunk[*a].y.total_cmp(&chunk[*b].y);
        let (lowest, highest) = ((0..chunk.len()).min_by(by_height), (0..chunk.len()).max_by(by_height));
        let mut places: Vec<usize> = [Some(0), lowest, highest, Some(chunk.len() - 1)].into_iter().flatten().collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| chunk[place])
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simplified_dense_curves_look_the_same() {
        let dense: Vec<DVec2> = (0..10_000).map(|at| DVec2::new(f64::from(at) / 100.0, f64::from(at % 7))).collect();
        let kept = thinned(dense.iter().copied());
        assert!(kept.len() <= 4 * 200 && kept.first() == dense.first() && kept.last() == dense.last());
        assert!(kept.iter().any(|point| point.y == 6.0) && kept.is_sorted_by(|a, b| a.x <= b.x));
        let sparse = [DVec2::ZERO, DVec2::X, DVec2::Y + DVec2::X * 2.0];
        assert_eq!(thinned(sparse.into_iter()), sparse);
    }

    #[test]
    fn the_caption_of_curves_counts_missing_values() {
        let point = |x: f64, value: f64, n: usize| Point { x, value, low: value, high: value, n };
        let points = vec![point(1.0, 2.0, 10), point(2.0, f64::NAN, 10), point(3.0, 1.0, 9)];
        let series = vec![Series { label: "a".into(), points }];
        let curves = Curves { x: Axis::linear("x"), y: Axis::linear("y"), series, ..Curves::default() };
        assert_eq!(curves.notes(), ["Hollow marks: fewer than 10 runs.", "1 point has no value."]);
        assert!(!curves.is_empty() && Curves::default().is_empty() && Curves::default().notes().is_empty());
    }

    fn series(label: &str, count: u32) -> Series {
        let point = |x: u32| Point { x: x.into(), value: 1.0, low: 0.5, high: 1.5, n: 3 };
        Series { label: label.into(), points: (0..count).map(point).collect() }
    }

    #[test]
    fn few_points_have_bars() {
        let curves = |count: u32, intervals: Option<Intervals>| Curves {
            series: vec![series("", count)],
            intervals,
            ..Curves::default()
        };
        assert!(curves(8, None).has_bars() && !curves(9, None).has_bars());
        assert!(!curves(8, Some(Intervals::Band)).has_bars() && curves(9, Some(Intervals::Bars)).has_bars());
        // Bars of several series stand side by side, those of one at their places.
        let two = Curves { series: vec![series("a", 3), series("b", 3)], ..Curves::default() };
        assert_eq!([0, 1].map(|place| two.offset_px(place)), [-2.0, 2.0]);
        assert_eq!(curves(3, None).offset_px(0), 0.0);
        let one = Curves { expected: vec![1], ..two };
        assert_eq!([0, 1].map(|place| one.offset_px(place)), [0.0; 2]);
    }

    #[test]
    fn bars_of_many_series_that_would_hide_each_other_are_bands() {
        let apart = |count: u32, distance: f64| {
            let shifted = |place: u32| {
                let mut series = series("", 3);
                let shift = f64::from(place) * distance;
                series.points.iter_mut().for_each(|point| {
                    (point.value, point.low, point.high) = (point.value + shift, point.low + shift, point.high + shift);
                });
                series
            };
            Curves { series: (0..count).map(shifted).collect(), ..Curves::default() }
        };
        assert!(apart(3, 0.1).has_bars() && !apart(4, 0.1).has_bars() && apart(4, 1.5).has_bars());
        assert!(Curves { intervals: Some(Intervals::Bars), ..apart(4, 0.1) }.has_bars());
        assert!(Curves { expected: vec![3], ..apart(4, 0.1) }.has_bars());
        let legend = Legend { value: "mean".into(), interval: "95 % interval".into(), more: " No run failed.".into() };
        let notes = |curves: Curves| Curves { legend: legend.clone(), ..curves }.notes();
        assert_eq!(notes(apart(3, 0.1)), ["Line: mean; bar: 95 % interval. No run failed."]);
        assert_eq!(notes(apart(4, 0.1)), ["Line: mean; band: 95 % interval. No run failed."]);
    }

    #[test]
    fn numbers_beyond_a_range_are_not_unknown() {
        let point = |x: f64, shift: f64| Point { x, value: 1.0 + shift, low: 0.5 + shift, high: 1.5 + shift, n: 3 };
        let points =
            vec![point(1.0, 0.0), point(2.0, 0.1), point(3.0, 8.0), Point { low: f64::NAN, ..point(4.0, 0.0) }];
        let series = vec![Series { label: "a".into(), points }];
        let mut curves = Curves { series, ..Curves::default() };
        curves.y.fix([0.0, 2.0]).unwrap();
        curves.x.fix([0.0, 3.5]).unwrap();
        // The third interval is above the axis as a whole, and the fourth beside it.
        assert_eq!(curves.notes(), ["2 points are beyond the axes."]);
        curves.x.fix([0.0, 5.0]).unwrap();
        let half = "Half a bar: the other end of the interval is unknown.";
        assert_eq!(curves.notes(), ["1 point is beyond the axes.", half]);
        curves.y.fix([0.0, 1.2]).unwrap();
        assert!(
            curves.notes().contains(&"Arrow: the interval goes on above the axis.".to_owned()),
            "{:?}",
            curves.notes()
        );
    }

    #[test]
    fn the_key_has_the_series_that_are_drawn() {
        let mut curves = Curves { series: vec![series("a", 3), series("b", 3), series("c", 0)], ..Curves::default() };
        curves.series[1].points.iter_mut().for_each(|point| *point = Point::bare(point.x, f64::NAN));
        let size_px = [600.0, 400.0];
        assert_eq!(curves.key(size_px).names(), ["a"]);
        curves.beyond = vec![Beyond { series: 1, x: 2.0, label: "2/5".into() }];
        assert_eq!(curves.key(size_px).names(), ["a", "b"]);
        assert_eq!(curves.notes(), ["2 points have no value."]);
        curves.series.truncate(1);
        assert_eq!(curves.key(size_px).height(), 0.0);
    }
}
