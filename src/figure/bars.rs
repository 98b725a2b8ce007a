//! Bars: the distribution of a number.

use swarmarium_picture::{Layer, Role};

use super::axis::Axis;
use super::frame::Frame;
use super::page::{Area, Page, Placement};
use super::plane::Plane;

/// The gap between two bars, in pixels.
const GAP_PX: f64 = 1.0;

/// A histogram: bars of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The axis of the number.
    pub x: Axis,
    /// The axis of the counts.
    pub y: Axis,
    /// The lower end of the first bar.
    pub start: f64,
    /// The width of a bar.
    pub width: f64,
    /// The count of each bar.
    pub counts: Vec<usize>,
}

impl Bars {
    /// Both ends of each bar, with its count.
    pub(crate) fn bars(&self) -> impl Iterator<Item = ([f64; 2], usize)> {
        let edge = |bar: usize| self.start + bar as f64 * self.width;
        self.counts.iter().enumerate().map(move |(bar, count)| ([edge(bar), edge(bar + 1)], *count))
    }

    /// Whether nothing is counted.
    pub(crate) fn is_empty(&self) -> bool {
        !self.bars().any(|(ends, count)| count > 0 && ends.iter().any(|end| self.x.shows(*end)))
    }

    /// Draws the axes.
    pub(crate) fn frame(&self, page: &mut Page, placement: Placement) -> Frame {
        let x = self.x.range(self.bars().flat_map(|(ends, _)| ends), false);
        let y = self.y.range(self.counts.iter().map(|count| *count as f64).chain([0.0]), true);
        Frame::draw(page, placement, &self.x, &self.y, [x, y])
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let frame = self.frame(page, placement);
        for ([from, to], count) in self.bars().filter(|(_, count)| *count > 0) {
            let (low, high) = (frame.place(from, 0.0), frame.place(to, count as f64));
            let right = (high.x - GAP_PX).max(low.x + GAP_PX);
            // A range of the axes can cut a bar.
            if let Some(area) = (Area { left: low.x, top: high.y, right, bottom: low.y }).within(frame.plot) {
                page.fill(Layer::Trails, Role::Group(4), area);
            }
        }
        Plane::Axes(frame)
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_picture::Shape;

    use crate::{Chart, Figure, FileOptions, OnScreen};

    use super::*;

    #[test]
    fn the_heights_of_bars_are_their_counts() {
        let bars = Bars {
            x: Axis::linear("Speed (m/s)"),
            y: Axis::whole("Robots"),
            start: 0.5,
            width: 0.25,
            counts: vec![2, 0, 1],
        };
        let figure = Figure { title: String::new(), caption: String::new(), chart: Chart::Bars(bars) };
        let print = figure.print();
        let heights: Vec<f64> = print
            .picture
            .items
            .iter()
            .filter_map(|item| match &item.shape {
                Shape::Polygon(corners) if item.layer == Layer::Trails => Some(corners[2].y - corners[0].y),
                _ => None,
            })
            .collect();
        let [two, one] = heights[..] else { panic!("{heights:?}") };
        assert!((two - 2.0 * one).abs() <= 2.0, "{heights:?}");
        let svg = print.svg(&FileOptions { has_editable_text: true, ..FileOptions::default() });
        assert!(svg.contains(">Speed (m/s)<") && svg.contains(">Robots<"));
        assert_eq!(figure.csv(), "Speed (m/s) from,Speed (m/s) to,Robots\n0.5,0.75,2\n0.75,1,0\n1,1.25,1\n");
        let Chart::Bars(mut cut) = figure.chart else { panic!("another chart") };
        cut.x.fix([0.6, 0.9]).unwrap();
        cut.y.fix([1.5, 1.75]).unwrap();
        let cut = Figure { title: String::new(), caption: String::new(), chart: Chart::Bars(cut) };
        let OnScreen { picture, plane, .. } = cut.on_screen(DVec2::new(400.0, 300.0));
        let plot = plane.unwrap().area();
        let is_bar = |item: &&swarmarium_picture::Item| item.layer == Layer::Trails;
        let bars: Vec<&Shape> = picture.items.iter().filter(is_bar).map(|item| &item.shape).collect();
        let [Shape::Polygon(corners)] = bars[..] else { panic!("{bars:?}") };
        assert!(
            corners.iter().all(|at| (plot.top - 1.0..=plot.bottom + 1.0).contains(&at.y)),
            "{corners:?} in {plot:?}"
        );
        assert!(
            corners.iter().all(|at| (plot.left - 1.0..=plot.right + 1.0).contains(&at.x)),
            "{corners:?} in {plot:?}"
        );
        assert!(Bars::default().is_empty() && Bars { counts: vec![0], width: 1.0, ..Bars::default() }.is_empty());
    }
}
