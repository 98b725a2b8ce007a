//! Box plots: the distribution of the runs of each point.

use bevy::math::DVec2;
use swarmarium_picture::{Layer, Role};

use super::absence::{Absence, remarks};
use super::axis::{Axis, Range};
use super::beyond::{self, Beyond};
use super::frame::Frame;
use super::key::{Entry, Key, Style, Swatch};
use super::label::Label;
use super::page::{Area, Page, Placement};
use super::plane::Plane;

/// Points with at most this many runs show all of them as dots.
const DOTS: usize = 30;
/// Points with fewer runs than this have no box: its edges would be single runs.
const BOXED: usize = 5;
/// The radius of a dot of a point without a box, and with one, in pixels.
const DOT_PX: f64 = 2.6;
const SMALL_DOT_PX: f64 = 1.8;
/// Half the widest box, in pixels.
const WIDEST_PX: f64 = 26.0;

/// The runs of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The place on the x axis: a number, or the place of a name from 0.
    pub x: f64,
    /// The values of the runs, in any order. Values that are not finite are left out, and the caption says so.
    pub values: Vec<f64>,
}

/// A named series of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The label in the key.
    pub label: Label,
    /// The points.
    pub samples: Vec<Sample>,
}

/// A chart of box plots.
///
/// A box has the quartiles and the median; whiskers reach to the farthest runs within 1.5 interquartile ranges of the box
/// (Tukey: "Exploratory data analysis", 1977), and runs beyond are rings. A point with at most 30 runs shows all of them as
/// dots, and one with fewer than 5 has no box. A range of the y axis cuts boxes and changes none of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoxPlots {
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The series.
    pub groups: Vec<Group>,
    /// Values beyond the data.
    pub beyond: Vec<Beyond>,
    /// Whether a value is that of a point, such as a mean, and not that of a run.
    pub are_points: bool,
}

impl BoxPlots {
    /// A sentence for the caption.
    pub const NOTE: &str = "Box: quartiles and median; whiskers: farthest runs within 1.5 interquartile ranges.";

    fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.groups.iter().flat_map(|group| &group.samples).filter(|sample| self.x.shows(sample.x))
    }

    fn marks(&self) -> impl Iterator<Item = &Beyond> {
        self.beyond.iter().filter(|mark| self.x.shows(mark.x))
    }

    /// The values that the scale of the y axis can show, also those beyond its range, in ascending order: boxes are about all
    /// of them.
    fn values(&self, sample: &Sample) -> Vec<f64> {
        let has_place = |value: &f64| matches!(self.y.absence(*value), None | Some(Absence::Beyond));
        let mut values: Vec<f64> = sample.values.iter().copied().filter(has_place).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// Whether something of a point is drawn: of its runs, some are not below the axis, and some not above it.
    fn is_drawn(&self, sample: &Sample) -> bool {
        let values = self.values(sample);
        let (Some(least), Some(greatest)) = (values.first(), values.last()) else { return false };
        let is_met = |[low, high]: [f64; 2]| *least <= high && *greatest >= low;
        self.x.shows(sample.x) && self.y.fixed_range().is_none_or(is_met)
    }

    /// Whether no run has a place.
    pub(crate) fn is_empty(&self) -> bool {
        self.marks().next().is_none() && !self.samples().any(|sample| self.is_drawn(sample))
    }

    /// Remarks for the caption.
    pub(crate) fn notes(&self) -> Vec<String> {
        let absent = |sample: &Sample| {
            let of_value = |value: &f64| self.x.absence(sample.x).or(self.y.absence(*value));
            sample.values.iter().filter_map(of_value).collect::<Vec<_>>()
        };
        let absent: Vec<Absence> = self.groups.iter().flat_map(|group| &group.samples).flat_map(absent).collect();
        let mut notes = remarks(&absent, if self.are_points { "point" } else { "run" });
        let is_cut = |sample: &Sample| {
            let values = self.values(sample);
            values.len() >= BOXED && values.iter().any(|value| !self.y.shows(*value))
        };
        if self.samples().any(is_cut) {
            notes.push("Boxes and medians count them.".into());
        }
        notes
    }

    /// The key of the series that have a place; one series has none.
    pub(crate) fn key(&self, size_px: [f64; 2]) -> Key {
        let is_drawn = |(series, group): &(usize, &Group)| {
            group.samples.iter().any(|sample| self.is_drawn(sample)) || self.marks().any(|mark| mark.series == *series)
        };
        let groups = self.groups.iter().enumerate().filter(|group| self.groups.len() > 1 && is_drawn(group));
        let entries = groups.map(|(series, group)| Entry { series, label: &group.label, swatch: Swatch::Box });
        Key::new(&entries.collect::<Vec<_>>(), size_px)
    }

    /// The ranges of the axes, and the room of a place as a part of the x axis.
    fn ranges(&self) -> ([Range; 2], f64) {
        let mut x = self.x.range(self.samples().map(|sample| sample.x).chain(self.marks().map(|mark| mark.x)), false);
        let mut y = self.y.range(self.samples().flat_map(|sample| &sample.values).copied(), true);
        if self.marks().next().is_some() && self.y.fixed_range().is_none() {
            y.ends[1] = y.at(1.1);
        }
        let mut places: Vec<f64> = self.samples().map(|sample| x.part(sample.x)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let pitch = places.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min);
        let pitch = match self.x.names() {
            Some(names) => 1.0 / names.len().max(1) as f64,
            None => {
                // The boxes of the first and the last place need room beside it.
                let room = (pitch * 0.5).min(0.25);
                x = x.widened(room);
                pitch.min(2.0 * room) / (1.0 + 2.0 * room)
            }
        };
        ([x, y], pitch)
    }

    /// Draws the axes.
    pub(crate) fn frame(&self, page: &mut Page, placement: Placement) -> Frame {
        Frame::draw(page, placement, &self.x, &self.y, self.ranges().0)
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let (ranges, pitch) = self.ranges();
        let frame = Frame::draw(page, placement, &self.x, &self.y, ranges);
        let slot = (pitch * frame.plot.width() * 0.8 / self.groups.len().max(1) as f64).min(2.6 * WIDEST_PX);
        let center = |series: usize, x: f64| {
            frame.x_px(x) + (series as f64 - (self.groups.len() as f64 - 1.0).max(0.0) / 2.0) * slot
        };
        for (place, group) in self.groups.iter().enumerate() {
            for sample in group.samples.iter().filter(|sample| self.x.shows(sample.x)) {
                let half = (slot * 0.42).clamp(1.5, WIDEST_PX);
                let at = [center(place, sample.x), half];
                draw_sample(page, &frame, &self.values(sample), Style::for_series(place), at);
            }
        }
        let marks: Vec<(&Beyond, f64)> = self.marks().map(|mark| (mark, center(mark.series, mark.x))).collect();
        beyond::draw(page, &frame, &marks);
        Plane::Axes(frame)
    }
}

fn draw_sample(page: &mut Page, frame: &Frame, values: &[f64], style: Style, [center, half]: [f64; 2]) {
    let Some(Summary { quartiles, whiskers }) = Summary::from_sorted(values) else { return };
    let [lower, median, upper] = quartiles.map(|value| frame.y_px(value));
    // A range of the axis cuts the box and its whiskers.
    let within = |y: f64| if y < frame.plot.top { frame.plot.top } else { y.min(frame.plot.bottom) };
    let across = |page: &mut Page, y: f64, half: f64, width_px: f64| {
        if frame.has_y_px(y) {
            let ends = [DVec2::new(center - half, y), DVec2::new(center + half, y)];
            page.segment(Layer::Links, style.color, ends, width_px);
        }
    };
    let upright = |page: &mut Page, x: f64, [from, to]: [f64; 2]| {
        let [from, to] = [within(from), within(to)];
        if from != to {
            page.segment(Layer::Links, style.color, [from, to].map(|y| DVec2::new(x, y)), 1.25);
        }
    };
    // Dots are behind the box, whose edges and median they must not hide.
    let is_outlier = |value: f64| value < whiskers[0] || value > whiskers[1];
    let has_box = values.len() >= BOXED;
    let is_shown = |value: &f64| frame.has_y_px(frame.y_px(*value)) && (values.len() <= DOTS || is_outlier(*value));
    let shown: Vec<f64> = values.iter().copied().filter(is_shown).collect();
    let heights: Vec<f64> = shown.iter().map(|value| frame.y_px(*value)).collect();
    let dot = if has_box { SMALL_DOT_PX } else { DOT_PX }.min(half.max(1.5));
    let (layer, opacity) = if has_box { (Layer::Trails, 0.5) } else { (Layer::Agents, 0.75) };
    for ((value, y), offset) in shown.iter().zip(&heights).zip(side_by_side(&heights, 2.0 * dot, half - dot)) {
        let at = DVec2::new(center + offset, *y);
        if is_outlier(*value) && has_box {
            page.disc(Layer::Agents, style.color, at, DOT_PX);
            page.disc(Layer::Agents, Role::Ground, at, DOT_PX * 0.58);
        } else {
            page.disc(layer, style.color.faint(opacity), at, dot);
        }
    }
    if has_box {
        let area = Area { left: center - half, right: center + half, top: within(upper), bottom: within(lower) };
        if area.height() > 0.0 {
            page.polygon(Layer::Trails, style.color.faint(0.2), area.corners().to_vec());
        }
        if frame.has_y_px(lower) && frame.has_y_px(upper) {
            page.outline(Layer::Links, style.color, area, 1.25);
        } else {
            for (x, edge) in [(area.left, lower), (area.right, upper)] {
                upright(page, x, [lower, upper]);
                across(page, edge, half, 1.25);
            }
        }
        for (from, whisker) in [lower, upper].into_iter().zip(whiskers.map(|value| frame.y_px(value))) {
            upright(page, center, [from, whisker]);
            across(page, whisker, half * 0.5, 1.25);
        }
    }
    across(page, median, half, 2.75);
}

/// Offsets of dots at heights in order, so that dots that would cover each other stand side by side. Dots that have no room
/// within `half` overlap.
fn side_by_side(heights: &[f64], size: f64, half: f64) -> Vec<f64> {
    let mut placed: Vec<(f64, f64)> = Vec::new();
    for y in heights {
        let sides = (half.max(0.0) / size).floor() as i32;
        let offsets = (0..=2 * sides).map(|step| f64::from((step + 1) / 2 * if step % 2 == 0 { 1 } else { -1 }) * size);
        let near = placed.iter().rev().take_while(|(other, _)| (other - y).abs() < size);
        let is_free = |offset: &f64| near.clone().all(|(_, taken)| (taken - offset).abs() > size * 0.5);
        let offset = offsets.clone().find(is_free).unwrap_or(0.0);
        placed.push((*y, offset));
    }
    placed.into_iter().map(|(_, offset)| offset).collect()
}

/// The numbers of a box.
struct Summary {
    /// The lower quartile, the median and the upper quartile.
    quartiles: [f64; 3],
    /// The farthest values within 1.5 interquartile ranges of the box.
    whiskers: [f64; 2],
}

impl Summary {
    /// The numbers for values in ascending order; `None` without values.
    fn from_sorted(values: &[f64]) -> Option<Self> {
        let quartiles @ [lower, _, upper] = [0.25, 0.5, 0.75].map(|part| quantile(values, part));
        let reach = 1.5 * (upper - lower);
        let low = values.iter().find(|value| **value >= lower - reach)?;
        let high = values.iter().rfind(|value| **value <= upper + reach)?;
        // A box between two distant values can have no value between it and its whisker.
        Some(Self { quartiles, whiskers: [low.min(lower), high.max(upper)] })
    }
}

/// A quantile of values in ascending order: type 7 of Hyndman and Fan ("Sample quantiles in statistical packages", 1996), as
/// in R and NumPy. NaN without values.
fn quantile(values: &[f64], part: f64) -> f64 {
    let place = part * values.len().saturating_sub(1) as f64;
    let [below, above] =
        [place.floor(), place.ceil()].map(|place| values.get(place as usize).copied().unwrap_or(f64::NAN));
    below + (above - below) * (place - place.floor())
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::{Shape, Width};

    use crate::{Chart, Figure, OnScreen};

    use super::*;

    #[test]
    fn box_plots_have_quartiles_and_whiskers() {
        let mut values: Vec<f64> = (1..=9).map(f64::from).collect();
        values.push(100.0);
        let Summary { quartiles, whiskers } = Summary::from_sorted(&values).unwrap();
        // As `quantile(c(1:9, 100))` of R.
        assert_eq!(quartiles, [3.25, 5.5, 7.75]);
        assert_eq!(whiskers, [1.0, 9.0]);
        assert!(Summary::from_sorted(&[]).is_none());
        assert_eq!(Summary::from_sorted(&[2.0]).unwrap().quartiles, [2.0; 3]);
    }

    #[test]
    fn points_of_equal_runs_stand_side_by_side() {
        assert_eq!(side_by_side(&[5.0, 5.0, 5.0, 50.0], 4.0, 10.0), [0.0, -4.0, 4.0, 0.0]);
        assert_eq!(side_by_side(&[5.0; 4], 4.0, 1.0), [0.0; 4]);
    }

    #[test]
    fn the_caption_of_box_plots_counts_missing_values() {
        let sample = Sample { x: 0.0, values: vec![1.0, f64::NAN, f64::INFINITY] };
        let groups = vec![Group { samples: vec![sample], ..Group::default() }];
        let mut boxes = BoxPlots { groups, ..BoxPlots::default() };
        assert_eq!(boxes.notes(), ["2 runs have no value."]);
        assert!(!boxes.is_empty() && BoxPlots::default().is_empty());
        boxes.y = Axis::log("y");
        boxes.groups[0].samples[0].values[0] = -1.0;
        assert!(boxes.is_empty());
        boxes.are_points = true;
        assert_eq!(boxes.notes(), ["2 points have no value.", "1 point has no place on a logarithmic axis."]);
    }

    /// The lowest and the highest edge of what is drawn of a box, and the height of its median, in pixels, with the plot.
    fn drawn(boxes: &BoxPlots) -> (Vec<[f64; 2]>, Vec<f64>, Area) {
        let figure = Figure { title: String::new(), caption: String::new(), chart: Chart::BoxPlots(boxes.clone()) };
        let OnScreen { picture, plane, .. } = figure.on_screen(DVec2::new(400.0, 300.0));
        let (mut edges, mut medians) = (Vec::new(), Vec::new());
        for item in picture.items {
            match item.shape {
                Shape::Polygon(corners) if item.layer == Layer::Trails => edges.push([corners[2].y, corners[0].y]),
                Shape::Segment { ends, pen } if pen.width == Width::Pixels(2.75) => medians.push(ends[0].y),
                _ => {}
            }
        }
        (edges, medians, plane.unwrap().area())
    }

    #[test]
    fn a_range_of_the_axis_cuts_boxes_and_changes_no_statistics() {
        let values: Vec<f64> = [0.1, 0.15, 0.2, 0.24, 0.27, 0.28, 0.3, 0.33, 0.4, 0.5].to_vec();
        let sample = Sample { x: 0.0, values };
        let groups = vec![Group { samples: vec![sample], ..Group::default() }];
        let mut boxes = BoxPlots { groups, ..BoxPlots::default() };
        boxes.y.fix([0.0, 0.3]).unwrap();
        let (edges, medians, plot) = drawn(&boxes);
        // The quartiles are 0.21, 0.275 and 0.3225.
        let y_px = |value: f64| plot.bottom - value / 0.3 * plot.height();
        assert!((edges[0][0] - y_px(0.21)).abs() < 0.5 && edges[0][1] == plot.top, "{edges:?} in {plot:?}");
        assert!((medians[0] - y_px(0.275)).abs() < 0.5, "{medians:?} in {plot:?}");
        assert_eq!(boxes.notes(), ["3 runs are beyond the axes.", "Boxes and medians count them."]);
        boxes.y.fix([0.0, 0.25]).unwrap();
        let (edges, medians, _) = drawn(&boxes);
        assert!(edges.len() == 1 && medians.is_empty(), "{edges:?} {medians:?}");
        boxes.y.fix([0.0, 0.05]).unwrap();
        assert!(boxes.is_empty());
        // An axis that ends within the box shows it, also where no run is.
        boxes.y.fix([0.25, 0.26]).unwrap();
        assert!(!boxes.is_empty());
    }

    #[test]
    fn marks_of_a_group_are_those_of_its_series() {
        let group =
            |label: &str, values: Vec<f64>| Group { label: label.into(), samples: vec![Sample { x: 1.0, values }] };
        let mark = |series: usize| Beyond { series, x: 1.0, label: format!("{series}") };
        let groups = vec![group("a", vec![1.0, 2.0]), group("b", Vec::new())];
        let boxes = BoxPlots { groups, beyond: vec![mark(0), mark(1)], ..BoxPlots::default() };
        assert_eq!(boxes.key([600.0, 400.0]).names(), ["a", "b"]);
        let figure = Figure { title: String::new(), caption: String::new(), chart: Chart::BoxPlots(boxes) };
        let triangle = |item: &swarmarium_picture::Item| match &item.shape {
            Shape::Polygon(corners) if corners.len() == 3 && item.layer == Layer::Agents => Some(corners[0].x),
            _ => None,
        };
        let places: Vec<f64> =
            figure.on_screen(DVec2::new(400.0, 300.0)).picture.items.iter().filter_map(triangle).collect();
        let [one, other] = places[..] else { panic!("{places:?}") };
        assert!(one < other, "{places:?}");
    }
}
