//! Scatter plots: one number over another.

use bevy::math::DVec2;

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
    fn shows(&self, point: &DVec2) -> bool {
        self.x.shows(point.x) && self.y.shows(point.y)
    }

    /// Whether no point has a place.
    pub(crate) fn is_empty(&self) -> bool {
        !self.points.iter().any(|point| self.shows(point))
    }

    /// Remarks for the caption.
    pub(crate) fn notes(&self) -> Vec<String> {
        match self.points.iter().filter(|point| !self.shows(point)).count() {
            0 => Vec::new(),
            1 => vec!["1 point has no value on these axes.".into()],
            missing => vec![format!("{missing} points have no value on these axes.")],
        }
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let shown = || self.points.iter().filter(|point| self.shows(point));
        let x = self.x.range(shown().map(|point| point.x), false);
        let y = self.y.range(shown().map(|point| point.y), false);
        let frame = Frame::draw(page, placement, &self.x, &self.y, [x, y]);
        let radius = if self.points.len() < MANY { MARK_PX } else { SMALL_MARK_PX };
        let style = Style::for_series(0);
        for point in shown() {
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
        assert_eq!(figure.full_caption(), "3 robots. 1 point has no value on these axes.");
        assert_eq!(figure.csv(), "X (m),Y (m)\n1,2\n3,1\n,1\n");
        assert!(Scatter::default().is_empty());
    }
}
