//! Curves: values with intervals, over a number, a name or time.

use bevy::math::DVec2;
use swarmarium_picture::Layer;

use super::axis::Axis;
use super::frame::Frame;
use super::key::{Key, Style, Swatch};
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

/// A named series of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name in the key.
    pub label: String,
    /// The points, in any order.
    pub points: Vec<Point>,
}

/// A chart of one or more series.
///
/// Over numbers, a series is a line with a band; over names, it is marks with bars. A hollow mark has fewer runs than others,
/// and an arrow shows an interval that goes on beyond the axis.
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
}

impl Curves {
    /// Samples of one run over a range of time, in seconds.
    pub fn over_time(y: Axis, range_s: [f64; 2], series: Vec<Series>) -> Self {
        Self { x: Axis::linear("Time (s)").at_least(range_s), y, series, are_samples: true }
    }

    fn shows(&self, point: &Point) -> bool {
        self.x.shows(point.x) && self.y.shows(point.value)
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    /// Whether no point has a place.
    pub(crate) fn is_empty(&self) -> bool {
        let has_end = |point: &Point| self.ends(point).iter().any(|end| matches!(end, End::At(_)));
        !self.points().any(|point| self.shows(point) || self.x.shows(point.x) && has_end(point))
    }

    /// The ends of the interval of a point. On a logarithmic axis, one that reaches 0 is open.
    fn ends(&self, point: &Point) -> [End; 2] {
        let end = |value: f64, is_beyond: bool| match self.y.shows(value) {
            true => End::At(value),
            false if is_beyond && self.y.names().is_none() => End::Open,
            false => End::Missing,
        };
        // Numbers around 0 that an axis does not show are too small for a logarithmic one.
        [end(point.low, point.low < 1.0), end(point.high, point.high > 1.0)]
    }

    /// Whether an interval has a lower end beyond the axis, and whether one has such an upper end.
    fn are_open(&self) -> [bool; 2] {
        let shown = || self.points().filter(|point| self.x.shows(point.x));
        [0, 1].map(|side| shown().any(|point| self.ends(point)[side] == End::Open))
    }

    fn are_marked(&self) -> bool {
        let longest = self.series.iter().map(|series| series.points.len()).max().unwrap_or(0);
        !self.are_samples && (self.x.names().is_some() || longest <= MARKED && self.points().count() <= 4 * MARKED)
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

    /// Remarks for the caption.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.are_marked() && self.points().any(|point| self.shows(point) && self.is_hollow(point)) {
            notes.push(format!("Hollow marks: fewer than {} runs.", self.most_runs()));
        }
        let missing = self.points().filter(|point| !self.shows(point)).count();
        if missing > 0 && !self.are_samples {
            let points = if missing == 1 { "1 point has" } else { &format!("{missing} points have") };
            notes.push(format!("{points} no value on these axes."));
        }
        match self.are_open() {
            [false, false] => {}
            [false, true] => notes.push("Arrow: the interval has no upper end.".into()),
            [true, false] => notes.push("Arrow: the interval goes on below the axis.".into()),
            [true, true] => notes.push("Arrows: the interval goes on beyond the axis.".into()),
        }
        let is_half = |point: &Point| self.ends(point).iter().filter(|end| **end == End::Missing).count() == 1;
        if self.points().any(is_half) {
            notes.push("Half a bar: the other end of the interval is unknown.".into());
        }
        notes
    }

    pub(crate) fn key(&self, width_px: f64) -> Key {
        let names: Vec<&str> = self.series.iter().map(|series| series.label.as_str()).collect();
        let swatch = match (self.x.names(), self.are_marked()) {
            (Some(_), _) => Swatch::Mark,
            (None, true) => Swatch::Marked,
            (None, false) => Swatch::Line,
        };
        Key::new(&names, swatch, width_px)
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let x = self.x.range(self.points().map(|point| point.x), false);
        let values = self.points().filter(|point| self.x.shows(point.x));
        let mut y = self.y.range(values.flat_map(|point| [point.value, point.low, point.high]), true);
        let [below, above] = self.are_open();
        y.ends = [if below { y.at(-OPEN) } else { y.ends[0] }, if above { y.at(1.0 + OPEN) } else { y.ends[1] }];
        let frame = Frame::draw(page, placement, &self.x, &self.y, [x, y]);
        for (place, series) in self.series.iter().enumerate() {
            let mut points: Vec<Point> = series.points.iter().copied().filter(|point| self.x.shows(point.x)).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let style = Style::for_series(place);
            match self.x.names() {
                Some(names) => {
                    // Series stand side by side at a name.
                    let pitch = frame.plot.width() / names.len().max(1) as f64;
                    let count = self.series.len() as f64;
                    let offset = (place as f64 - (count - 1.0) / 2.0) * (pitch * 0.7 / count).min(18.0);
                    points.iter().for_each(|point| self.bar(page, &frame, point, style, offset));
                }
                None => self.curve(page, &frame, &points, style),
            }
        }
        Plane::Axes(frame)
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
            // An interval with one end is no part of a band.
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
        let curves = Curves { x: Axis::linear("x"), y: Axis::linear("y"), series, are_samples: false };
        assert_eq!(curves.notes(), ["Hollow marks: fewer than 10 runs.", "1 point has no value on these axes."]);
        assert!(!curves.is_empty() && Curves::default().is_empty() && Curves::default().notes().is_empty());
    }
}
