//! Plots in a video: a band under the world with the plots of the panel, up to the filmed moment.

use bevy::math::DVec2;
use egui_plot::{GridInput, LineStyle, PlotPoint};
use swarmarium_figure::{Area, shortened, text_width};
use swarmarium_picture::palette::{Paint, Role};
use swarmarium_picture::{Anchor, Camera, Layer, Pen, Picture, Shape, Width, YAxis};
use swarmarium_simulation::simulation::Simulation;

use crate::common::settings::RobotPlot;
use crate::plots::axis::{self, Scale, ValueAxis, plain, time_text, value_text};
use crate::plots::curve::simplified;
use crate::plots::drawn::{Curve, Sources, line_paint, line_style};
use crate::plots::edits::marks;
use crate::plots::layout::{Card, CardLine};
use crate::plots::printed::Arrangement;
use crate::plots::robots::{Histogram, RobotValues, choices_of, title};
use crate::plots::span::Span;

/// The part of the height of a frame that the band takes, and the largest part with several rows of plots.
const PART: f64 = 0.3;
const MOST_PART: f64 = 0.45;

/// The smallest size of a plot with its margins, in logical pixels.
const LEAST_PX: DVec2 = DVec2::new(240.0, 104.0);

/// The margin of a plot, in logical pixels.
const MARGIN_PX: f64 = 10.0;

/// Sizes of titles, and of all other texts, in logical pixels.
const TITLE_PX: f64 = 13.0;
const SMALL_PX: f64 = 11.0;

/// Heights of the title, of a row of the legend and of the labels of the horizontal axis, in logical pixels.
const HEAD_PX: f64 = 20.0;
const ROW_PX: f64 = 15.0;
const BELOW_PX: f64 = 16.0;

/// Width of the labels of a value axis, in logical pixels.
const VALUES_PX: f64 = 44.0;

/// Length of the piece of a line before a name, and the gap between the entries of a legend, in logical pixels.
const SWATCH_PX: f64 = 16.0;
const GAP_PX: f64 = 12.0;

/// The most rows of a legend.
const MOST_ROWS: usize = 3;

/// Approximate distance between labels of time, and the smallest distance between marks of edits, in logical pixels.
const BETWEEN_TIMES_PX: f64 = 110.0;
const BETWEEN_EDITS_PX: f64 = 4.0;

/// The band of plots under the world of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Width and height in logical pixels.
    pub size_px: DVec2,
    /// The number of plots in the band. It is smaller than that of all plots if there is no room for more.
    pub shown: usize,
    /// The number of plots in a row.
    columns: usize,
}

/// The content of a band at one moment.
#[derive(Clone, Copy)]
pub struct Filmed<'a> {
    /// The arrangement of the plots.
    pub arrangement: &'a Arrangement,
    /// The numbers over time, which may go on after the moment: the axes then fit all of them.
    pub sources: Sources<'a>,
    /// World A at the moment.
    pub simulation: &'a Simulation,
    /// The moment, in seconds.
    pub now_s: f64,
    /// The times at both ends of a plot that shows the whole run, in seconds.
    pub whole_s: [f64; 2],
}

impl Filmed<'_> {
    /// Returns the times at both ends of a plot.
    fn range_s(&self, card: &Card) -> [f64; 2] {
        match self.arrangement.span_of(card) {
            Span::Whole => self.whole_s,
            span => span.range_s(self.now_s),
        }
    }

    /// Returns the value after the last step before the moment.
    fn value(&self, series: usize) -> f64 {
        let history = self.sources.history;
        // The times of steps are rounded.
        let until_s = self.now_s + 1e-9 * self.now_s.abs();
        let known = history.steps().partition_point(|step| history.time_s(*step) <= until_s);
        let value = known.checked_sub(1).and_then(|last| history.series(series).get(last));
        value.copied().unwrap_or(f64::NAN)
    }
}

impl Band {
    /// Returns the band of a number of plots in a frame of a size in logical pixels; `None` without plots, and in a frame
    /// that is too small.
    pub fn of(frame_px: DVec2, plots: usize) -> Option<Self> {
        let most = (frame_px * DVec2::new(1.0, MOST_PART) / LEAST_PX).floor().max(DVec2::ZERO);
        let [most_columns, most_rows] = [most.x as usize, most.y as usize];
        let shown = plots.min(most_columns.saturating_mul(most_rows));
        if shown == 0 {
            return None;
        }
        // All rows have about the same number of plots.
        let rows = shown.div_ceil(most_columns);
        let height = (PART * frame_px.y).max(rows as f64 * LEAST_PX.y);
        Some(Self { size_px: DVec2::new(frame_px.x, height), shown, columns: shown.div_ceil(rows) })
    }

    /// Returns the picture of the plots at a moment, with the camera for which a metre is a logical pixel of the band.
    pub fn picture(&self, filmed: &Filmed) -> (Picture, Camera) {
        let mut sheet = Sheet { picture: Picture { pixels_per_m: 1.0, ..Picture::default() } };
        let cards = filmed.arrangement.layout.cards(filmed.sources.history.topics());
        let of_robots = &filmed.arrangement.layout.of_robots;
        let rows = self.shown.div_ceil(self.columns);
        let cell_px = self.size_px / DVec2::new(self.columns as f64, rows as f64);
        for place in 0..self.shown {
            let corner_px = cell_px * DVec2::new((place % self.columns) as f64, (place / self.columns) as f64);
            let [left, top] = corner_px.to_array();
            let area = Area {
                left: left + MARGIN_PX,
                top,
                right: left + cell_px.x - MARGIN_PX,
                bottom: top + cell_px.y - MARGIN_PX / 2.0,
            };
            if let Some(card) = cards.get(place) {
                sheet.card(area, card, filmed, place == 0);
            } else if let Some(plot) = of_robots.get(place - cards.len()) {
                sheet.robots(area, plot, filmed.simulation);
            }
        }
        let center_m = self.size_px / 2.0;
        let camera =
            Camera { center_m, pixels_per_m: 1.0, screen_px: self.size_px, y_axis: YAxis::Down, turn_rad: 0.0 };
        (sheet.picture, camera)
    }
}

/// The plane of a plot: its area between the axes, and the values at their ends.
#[derive(Clone, Copy)]
struct Plane {
    area: Area,
    x: [f64; 2],
    y: [f64; 2],
}

impl Plane {
    fn at(&self, x: f64, y: f64) -> DVec2 {
        let part = |value: f64, [low, high]: [f64; 2]| (value - low) / (high - low);
        let Area { left, bottom, .. } = self.area;
        DVec2::new(left + part(x, self.x) * self.area.width(), bottom - part(y, self.y) * self.area.height())
    }
}

/// The picture of the band, in logical pixels from its upper left corner.
struct Sheet {
    picture: Picture,
}

impl Sheet {
    /// Draws a text with the lower edge of its letters at a point.
    fn text(&mut self, role: Role, [x, y]: [f64; 2], text: impl Into<String>, size_px: f64, anchor: Anchor) {
        let shape = Shape::Text { at: DVec2::new(x, y), text: text.into(), size_px, anchor };
        self.picture.add(Layer::Labels, role, shape);
    }

    fn segment(&mut self, layer: Layer, paint: impl Into<Paint>, ends: [DVec2; 2], pen: impl Into<Pen>) {
        self.picture.segment(layer, paint, ends, pen);
    }

    /// Draws a title on the left, and a text on the right of it. Returns the lower edge.
    fn head(&mut self, area: Area, title: &str, right: &str) -> f64 {
        let bottom = area.top + HEAD_PX;
        let right_px = text_width(right, SMALL_PX);
        let title = shortened(title, area.width() - right_px - GAP_PX, TITLE_PX);
        self.text(Role::Text, [area.left, bottom - 2.0], title, TITLE_PX, Anchor::Left);
        self.text(Role::Text, [area.right, bottom - 2.0], right, SMALL_PX, Anchor::Right);
        bottom
    }

    /// Draws the labels of a value axis and, for the left one, its lines. Values are at the positions of a scale.
    fn values(&mut self, area: Area, scale: Scale, values: ValueAxis, is_right: bool) {
        let [low, high] = values.ends;
        for mark in values.marks(scale, area.height()) {
            let y = area.bottom - (mark.value - low) / (high - low) * area.height();
            let (x, anchor) =
                if is_right { (area.right + 4.0, Anchor::Left) } else { (area.left - 4.0, Anchor::Right) };
            let text = scale.text(mark.value, values.ends);
            self.text(Role::Dim, [x, y + 0.5 * SMALL_PX], text, SMALL_PX, anchor);
            if !is_right {
                let ends = [DVec2::new(area.left, y), DVec2::new(area.right, y)];
                self.segment(Layer::Field, Role::Grid, ends, Width::Pixels(1.0));
            }
        }
        let ends = [DVec2::new(area.left, area.bottom), DVec2::new(area.right, area.bottom)];
        self.segment(Layer::Field, Role::Dim, ends, Width::Pixels(1.0));
    }

    /// Draws a label below an area.
    fn below(&mut self, area: Area, x: f64, text: String, anchor: Anchor) {
        self.text(Role::Dim, [x, area.bottom + 13.0], text, SMALL_PX, anchor);
    }

    /// Draws the labels of an axis of times.
    fn times(&mut self, area: Area, range_s: [f64; 2]) {
        let [from_s, to_s] = range_s;
        let ends = range_s.map(|at_s| time_text(at_s, range_s));
        // Both ends have labels, which need room of their own.
        let parts = [0, 1].map(|end| {
            let own_px = text_width(&ends[end], SMALL_PX) + 0.5 * text_width("0000 s", SMALL_PX);
            (own_px / area.width()).min(0.5)
        });
        let input = GridInput { bounds: (from_s, to_s), base_step_size: 0.0 };
        let wanted = (area.width() / BETWEEN_TIMES_PX).max(1.0);
        for mark in axis::inner(axis::marks(&input, wanted), &input, parts) {
            let x = area.left + (mark.value - from_s) / (to_s - from_s) * area.width();
            self.below(area, x, format!("{} s", plain(mark.value)), Anchor::Middle);
        }
        let [start, end] = ends;
        self.below(area, area.left, start, Anchor::Left);
        self.below(area, area.right, end, Anchor::Right);
    }

    /// Draws a plot of numbers over time.
    fn card(&mut self, area: Area, card: &Card, filmed: &Filmed, is_first: bool) {
        let sources = filmed.sources;
        let mut lines = card.lines();
        let only = lines.next().filter(|_| lines.next().is_none());
        let value = |line: &CardLine| value_text(filmed.value(line.series)).trim().to_owned();
        let with_unit = |text: String, line: &CardLine| {
            let unit = if line.is_right { card.right_unit().unwrap_or_default() } else { card.unit() };
            format!("{text} {unit}").trim_end().to_owned()
        };
        let right = match (&only, card.right_unit()) {
            (Some(line), _) => with_unit(value(line), line),
            (None, None) => card.unit().to_owned(),
            (None, Some(right)) => {
                [card.unit(), right].map(|unit| if unit.is_empty() { "no unit" } else { unit }).join(" | ")
            }
        };
        let note = if card.scale == Scale::Logarithmic { " (log)" } else { "" };
        let b = if is_first && sources.of_b.is_some() { "  dashed: B" } else { "" };
        let mut top = self.head(area, &format!("{}{note}{b}", card.title()), &right);
        if only.is_none() {
            let shown = card.lines().enumerate().filter(|(_, line)| sources.shows(card, line.series));
            let entries = shown.map(|(place, line)| {
                let value = if card.right_unit().is_some() { with_unit(value(&line), &line) } else { value(&line) };
                (place, format!("{} {value}", line.name))
            });
            top = self.legend(Area { top, ..area }, &entries.collect::<Vec<_>>());
        }
        let range_s = filmed.range_s(card);
        let [from_s, to_s] = range_s;
        let right_px = if card.right_unit().is_some() { VALUES_PX } else { 0.0 };
        let plot = Area {
            left: area.left + VALUES_PX,
            top: top + 4.0,
            right: area.right - right_px,
            bottom: (area.bottom - BELOW_PX).max(top + 8.0),
        };
        let curves = sources.curves(card, range_s, plot.width() as f32);
        let [left, right] = [false, true].map(|is_right| sources.value_axis(card, &curves, is_right));
        self.values(plot, card.scale, left, false);
        if right_px > 0.0 {
            self.values(plot, card.scale, right, true);
        }
        self.times(plot, range_s);
        let plane = |axis: ValueAxis| Plane { area: plot, x: range_s, y: axis.ends };
        let until_s = to_s.min(filmed.now_s);
        for Curve { paint, style, runs, is_right } in curves {
            let plane = plane(if is_right { right } else { left });
            let px_per_unit = [plot.width() / (plane.x[1] - plane.x[0]), plot.height() / (plane.y[1] - plane.y[0])];
            for run in &runs {
                let seen = simplified(&between(run, [from_s, until_s]), px_per_unit);
                let points: Vec<DVec2> = seen.iter().map(|point| plane.at(point.x, point.y)).collect();
                if points.len() > 1 {
                    let shape = Shape::Line { points, closed: false, pen: pen(style) };
                    self.picture.add(Layer::Links, paint, shape);
                }
            }
        }
        let upright = |x: f64| [DVec2::new(x, plot.top), DVec2::new(x, plot.bottom)];
        let simulation = filmed.simulation;
        let gap_s = (to_s - from_s) * BETWEEN_EDITS_PX / plot.width();
        for mark in marks(simulation.edits(), simulation.time().dt_s, [from_s, until_s], gap_s) {
            let x = plane(left).at(mark.at_s, 0.0).x;
            self.segment(Layer::Trails, Role::Dim.faint(0.6), upright(x), Width::Pixels(1.0).dashed());
        }
        // Times are rounded.
        let now_s = filmed.now_s.clamp(from_s, to_s);
        if (filmed.now_s - now_s).abs() <= 1e-9 * (to_s - from_s) {
            let x = plane(left).at(now_s, 0.0).x;
            self.segment(Layer::Sensors, Role::Text.faint(0.7), upright(x), Width::Pixels(1.0));
        }
    }

    /// Draws the entries of a legend in rows, each with the place of its line. Returns the lower edge.
    fn legend(&mut self, area: Area, entries: &[(usize, String)]) -> f64 {
        let (mut left, mut bottom, mut rows) = (area.left, area.top + ROW_PX, 1);
        for (entry, (place, text)) in entries.iter().enumerate() {
            let text = shortened(text, area.width() - SWATCH_PX - 4.0, SMALL_PX);
            let width = SWATCH_PX + 4.0 + text_width(&text, SMALL_PX);
            if left > area.left && left + width > area.right {
                if rows == MOST_ROWS {
                    let text = format!("and {} more", entries.len() - entry);
                    self.text(Role::Dim, [area.right, bottom - 2.0], text, SMALL_PX, Anchor::Right);
                    break;
                }
                (left, bottom, rows) = (area.left, bottom + ROW_PX, rows + 1);
            }
            let y = bottom - 0.5 * ROW_PX;
            let shape = Shape::Line {
                points: vec![DVec2::new(left, y), DVec2::new(left + SWATCH_PX, y)],
                closed: false,
                pen: pen(line_style(*place)),
            };
            self.picture.add(Layer::Links, line_paint(*place), shape);
            self.text(Role::Text, [left + SWATCH_PX + 4.0, bottom - 2.0], text, SMALL_PX, Anchor::Left);
            left += width + GAP_PX;
        }
        bottom
    }

    /// Draws a plot over robots.
    fn robots(&mut self, area: Area, plot: &RobotPlot, simulation: &Simulation) {
        let (numbers, values) = (choices_of(simulation, plot), RobotValues::of(simulation, plot));
        let top = self.head(area, &title(plot, &numbers), &values.count_text());
        let plot_area = Area {
            left: area.left + VALUES_PX,
            top: top + 4.0,
            right: area.right,
            bottom: (area.bottom - BELOW_PX).max(top + 8.0),
        };
        let histogram = Histogram::of(&values);
        let axes = match (plot, &histogram) {
            (_, None) => {
                let center = [(area.left + area.right) / 2.0, (top + area.bottom) / 2.0];
                return self.text(Role::Dim, center, "No robot has this value", SMALL_PX, Anchor::Middle);
            }
            (RobotPlot::Distribution(_), Some(histogram)) => histogram.axes(&values),
            (RobotPlot::Scatter(..), _) => [values.axis(0), values.axis(1)],
        };
        let [x, y] = axes;
        let plane = Plane { area: plot_area, x: x.ends, y: y.ends };
        self.values(plot_area, Scale::Linear, y, false);
        for mark in x.marks_across(plot_area.width()) {
            let at = plane.at(mark.value, y.ends[0]).x;
            self.below(plot_area, at, Scale::Linear.text(mark.value, x.ends), Anchor::Middle);
        }
        let units: Vec<&str> = numbers.iter().map(|number| number.unit).collect();
        if let Some(unit) = units.first() {
            self.text(Role::Dim, [plot_area.right, plot_area.bottom - 2.0], *unit, SMALL_PX, Anchor::Right);
        }
        if let Some(unit) = units.get(1) {
            let at = [plot_area.left + 4.0, plot_area.top + SMALL_PX];
            self.text(Role::Dim, at, *unit, SMALL_PX, Anchor::Left);
        }
        match (plot, histogram) {
            (RobotPlot::Distribution(_), Some(histogram)) => {
                for (bar, robots) in histogram.bars.iter().enumerate().filter(|(_, robots)| !robots.is_empty()) {
                    let [left, right] = histogram.ends(bar);
                    let (low, high) = (plane.at(left, 0.0), plane.at(right, robots.len() as f64));
                    let right = (high.x - 1.0).max(low.x + 1.0);
                    let corners =
                        vec![low, DVec2::new(right, low.y), DVec2::new(right, high.y), DVec2::new(low.x, high.y)];
                    self.picture.add(Layer::Objects, Role::Accent.faint(0.55), Shape::Polygon(corners));
                }
            }
            _ => {
                for (_, [x, y]) in values.robots.iter().step_by(values.every()) {
                    self.picture.disc(Layer::Objects, Role::Accent.faint(0.8), plane.at(*x, *y), 2.5);
                }
            }
        }
    }
}

/// Returns the pen of a style; videos have one kind of dashes.
fn pen(style: LineStyle) -> Pen {
    let width = Width::Pixels(1.5);
    if style == LineStyle::Solid { width.into() } else { width.dashed() }
}

/// Returns the part of a line between two times; at both ends, its values are interpolated.
fn between(run: &[PlotPoint], [from_s, to_s]: [f64; 2]) -> Vec<PlotPoint> {
    let first = run.partition_point(|point| point.x < from_s);
    let last = run.partition_point(|point| point.x <= to_s);
    let at = |before: usize, at_s: f64| {
        let (a, b) = (run.get(before)?, run.get(before + 1)?);
        let part = (at_s - a.x) / (b.x - a.x);
        (part > 0.0 && part < 1.0).then(|| PlotPoint::new(at_s, a.y + part * (b.y - a.y)))
    };
    let start = first.checked_sub(1).and_then(|before| at(before, from_s));
    let end = last.checked_sub(1).filter(|_| to_s > from_s).and_then(|before| at(before, to_s));
    start.into_iter().chain(run.get(first..last).unwrap_or_default().iter().copied()).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_takes_a_part_of_the_frame_and_has_room_for_its_plots() {
        let of = |x: f64, y: f64, plots: usize| Band::of(DVec2::new(x, y), plots);
        for plots in 1..=5 {
            let band = of(1280.0, 720.0, plots).unwrap();
            assert_eq!((band.size_px, band.shown, band.columns), (DVec2::new(1280.0, 0.3 * 720.0), plots, plots));
        }
        let two_rows = of(1280.0, 720.0, 8).unwrap();
        assert_eq!((two_rows.shown, two_rows.columns), (8, 4));
        assert!((0.28..=MOST_PART).contains(&(two_rows.size_px.y / 720.0)));
        let many = of(1280.0, 720.0, 99).unwrap();
        assert!(many.shown == 15 && many.size_px.y <= MOST_PART * 720.0, "{many:?}");
        assert_eq!(of(854.0, 480.0, 4).unwrap().shown, 4);
        for (x, y, plots) in [(1280.0, 720.0, 0), (200.0, 720.0, 3), (1280.0, 200.0, 3), (16.0, 16.0, 1)] {
            assert_eq!(of(x, y, plots), None, "{x} {y} {plots}");
        }
    }

    #[test]
    fn lines_are_cut_between_their_points() {
        let run: Vec<PlotPoint> = (0..5).map(|at| PlotPoint::new(f64::from(at), 10.0 * f64::from(at))).collect();
        let cut = |ends: [f64; 2]| between(&run, ends).iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
        assert_eq!(cut([0.5, 2.25]), [(0.5, 5.0), (1.0, 10.0), (2.0, 20.0), (2.25, 22.5)]);
        assert_eq!(cut([1.0, 3.0]), [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]);
        assert_eq!(cut([-5.0, 99.0]).len(), 5);
        assert!(cut([6.0, 9.0]).is_empty() && cut([-3.0, -1.0]).is_empty() && cut([3.0, 1.0]).len() < 2);
        assert!(between(&[], [0.0, 1.0]).is_empty());
    }
}
