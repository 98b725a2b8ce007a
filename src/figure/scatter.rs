//! Scatter plots: one number over another.

use bevy::math::DVec2;

use super::absence::{Absence, remarks};
use super::axis::Axis;
use super::frame::Frame;
use super::key::Style;
use super::page::{Page, Placement};
use super::plane::Plane;

/// The radius of a mark with few points, and with many, in pixels.
const MARK_PX: f64 = 3.2;
const SMALL_MARK_PX: f64 = 1.6;

/// The number of points from which marks are small.
const MANY: usize = 300;

/// A scatter plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The points.
    pub points: Vec<DVec2>,
}

impl Scatter {
    fn absence(&self, point: &DVec2) -> Option<Absence> {
        self.x.absence(point.x).or(self.y.absence(point.y))
    }

    fn shown(&self) -> impl Iterator<Item = &DVec2> {
        self.points.iter().filter(|point| self.absence(point).is_none())
    }

    /// Whether no point has a place.
    pub(crate) fn is_empty(&self) -> bool {
        self.shown().next().is_none()
    }

    /// Remarks for the caption.
    pub(crate) fn notes(&self) -> Vec<String> {
        remarks(&self.points.iter().filter_map(|point| self.absence(point)).collect::<Vec<_>>(), "point")
    }

    /// Draws the axes.
    pub(crate) fn frame(&self, page: &mut Page, placement: Placement) -> Frame {
        let x = self.x.range(self.shown().map(|point| point.x), false);
        let y = self.y.range(self.shown().map(|point| point.y), false);
        Frame::draw(page, placement, &self.x, &self.y, [x, y])
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let frame = self.frame(page, placement);
        let radius = if self.points.len() < MANY { MARK_PX } else { SMALL_MARK_PX };
        let style = Style::for_series(0);
        for point in self.shown() {
            style.mark(page, frame.place(point.x, point.y), radius, false);
        }
        Plane::Axes(frame)
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::Shape;

    use crate::{Chart, Figure};

    use super::*;

    #[test]
    fn every_point_has_a_mark_at_its_place() {
        let points = vec![DVec2::new(1.0, 2.0), DVec2::new(3.0, 1.0), DVec2::new(f64::NAN, 1.0)];
        let scatter = Scatter { x: Axis::linear("X (m)"), y: Axis::linear("Y (m)"), points };
        let figure = Figure { title: String::new(), caption: "3 robots".into(), chart: Chart::Scatter(scatter) };
        let marks: Vec<DVec2> = figure
            .print()
            .picture
            .items
            .iter()
            .filter_map(|item| match item.shape {
                Shape::Disc { center, .. } => Some(center),
                _ => None,
            })
            .collect();
        let [one, other] = marks[..] else { panic!("{marks:?}") };
        assert!(one.x < other.x && one.y > 0.0 && one.y < other.y, "y points down on a page: {marks:?}");
        assert_eq!(figure.full_caption(), "3 robots. 1 point has no value.");
        assert_eq!(figure.csv(), "X (m),Y (m)\n1,2\n3,1\n,1\n");
        assert!(Scatter::default().is_empty());
    }
}
