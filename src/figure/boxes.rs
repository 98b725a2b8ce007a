//! Box plots: the distribution of the runs of each point.

use bevy::math::DVec2;
use swarmarium_picture::{Layer, Role};

use super::axis::Axis;
use super::beyond::{self, Beyond};
use super::frame::Frame;
use super::key::{Entry, Key, Style, Swatch};
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
    /// The name in the key.
    pub label: String,
    /// The points.
    pub samples: Vec<Sample>,
}

/// A chart of box plots.
///
/// A box has the quartiles and the median; whiskers reach to the farthest runs within 1.5 interquartile ranges of the box
/// (Tukey: "Exploratory data analysis", 1977), and runs beyond are rings. A point with at most 30 runs shows all of them as
/// dots, and one with fewer than 5 has no box.
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
}

impl BoxPlots {
    /// A sentence for the caption.
    pub const NOTE: &str = "Box: quartiles and median; whiskers: farthest runs within 1.5 interquartile ranges.";

    fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.groups.iter().flat_map(|group| &group.samples).filter(|sample| self.x.shows(sample.x))
    }

    /// The values that the y axis shows, in ascending order.
    fn values(&self, sample: &Sample) -> Vec<f64> {
        let mut values: Vec<f64> = sample.values.iter().copied().filter(|value| self.y.shows(*value)).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// Whether no run has a place.
    pub(crate) fn is_empty(&self) -> bool {
        let is_beyond = self.beyond.iter().any(|mark| self.x.shows(mark.x));
        !is_beyond && self.samples().all(|sample| self.values(sample).is_empty())
    }

    /// Remarks for the caption.
    pub(crate) fn notes(&self) -> Vec<String> {
        let missing: usize = self.samples().map(|sample| sample.values.len() - self.values(sample).len()).sum();
        match missing {
            0 => Vec::new(),
            1 => vec!["1 run has no value on these axes.".into()],
            _ => vec![format!("{missing} runs have no value on these axes.")],
        }
    }

    /// The key of the series that have a place; one series has none.
    pub(crate) fn key(&self, size_px: [f64; 2]) -> Key {
        let is_drawn = |group: &Group| {
            group.samples.iter().any(|sample| self.x.shows(sample.x) && !self.values(sample).is_empty())
        };
        let groups = self.groups.iter().enumerate().filter(|(_, group)| self.groups.len() > 1 && is_drawn(group));
        let entries = groups.map(|(series, group)| Entry { series, name: &group.label, swatch: Swatch::Box });
        Key::new(&entries.collect::<Vec<_>>(), size_px)
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let marks = || self.beyond.iter().filter(|mark| self.x.shows(mark.x));
        let mut x = self.x.range(self.samples().map(|sample| sample.x).chain(marks().map(|mark| mark.x)), false);
        let mut y = self.y.range(self.samples().flat_map(|sample| &sample.values).copied(), true);
        if marks().next().is_some() && self.y.fixed.is_none() {
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
                (pitch / (1.0 + 2.0 * room)).min(2.0 * room)
            }
        };
        let frame = Frame::draw(page, placement, &self.x, &self.y, [x, y]);
        let slot = (pitch * frame.plot.width() * 0.8 / self.groups.len().max(1) as f64).min(2.6 * WIDEST_PX);
        for (place, group) in self.groups.iter().enumerate() {
            let offset = (place as f64 - (self.groups.len() as f64 - 1.0) / 2.0) * slot;
            for sample in group.samples.iter().filter(|sample| self.x.shows(sample.x)) {
                let center = frame.x_px(sample.x) + offset;
                let half = (slot * 0.42).clamp(1.5, WIDEST_PX);
                draw_sample(page, &frame, &self.values(sample), Style::for_series(place), [center, half]);
            }
        }
        let marks: Vec<(&Beyond, f64)> = marks().map(|mark| (mark, frame.x_px(mark.x))).collect();
        beyond::draw(page, &frame, &marks);
        Plane::Axes(frame)
    }
}

fn draw_sample(page: &mut Page, frame: &Frame, values: &[f64], style: Style, [center, half]: [f64; 2]) {
    let Some(Summary { quartiles, whiskers }) = Summary::from_sorted(values) else { return };
    let [lower, median, upper] = quartiles.map(|value| frame.y_px(value));
    let across = |y: f64, half: f64| [DVec2::new(center - half, y), DVec2::new(center + half, y)];
    // Dots are behind the box, whose edges and median they must not hide.
    let is_outlier = |value: f64| value < whiskers[0] || value > whiskers[1];
    let has_box = values.len() >= BOXED;
    let shown: Vec<f64> = values.iter().copied().filter(|value| values.len() <= DOTS || is_outlier(*value)).collect();
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
        let area = Area { left: center - half, right: center + half, top: upper, bottom: lower };
        page.polygon(Layer::Trails, style.color.faint(0.2), area.corners().to_vec());
        page.outline(Layer::Links, style.color, area, 1.25);
        for (from, whisker) in [lower, upper].into_iter().zip(whiskers.map(|value| frame.y_px(value))) {
            page.segment(Layer::Links, style.color, [from, whisker].map(|y| DVec2::new(center, y)), 1.25);
            page.segment(Layer::Links, style.color, across(whisker, half * 0.5), 1.25);
        }
    }
    page.segment(Layer::Links, style.color, across(median, half), 2.75);
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
        let groups = vec![Group { label: String::new(), samples: vec![sample] }];
        let mut boxes = BoxPlots { groups, ..BoxPlots::default() };
        assert_eq!(boxes.notes(), ["2 runs have no value on these axes."]);
        assert!(!boxes.is_empty() && BoxPlots::default().is_empty());
        boxes.y = Axis::log("y");
        boxes.groups[0].samples[0].values[0] = -1.0;
        assert!(boxes.is_empty());
    }
}
