//! A strip chart over the picture: a number over time, with a moving cursor.

use bevy::math::DVec2;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Anchor, Layer, Picture};

use super::View;
use super::caption::{MARGIN_PX, line_at, number, text_at, veil};
use super::placement::ScreenBox;

/// Size of a chart in logical pixels.
const SIZE_PX: DVec2 = DVec2::new(320.0, 84.0);
/// Height of the text above the curve.
const HEAD_PX: f64 = 20.0;
/// Distance between charts.
const GAP_PX: f64 = 8.0;

/// A number over a time span, which doubles when time passes its end. It stores one value for each column, so its
/// memory is bounded.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    name: String,
    span_s: [f64; 2],
    columns: Vec<Option<f64>>,
    now: (f64, f64),
}

impl Chart {
    /// Creates an empty chart from one time to another.
    pub fn new(name: impl Into<String>, span_s: [f64; 2]) -> Self {
        let [from_s, to_s] = span_s;
        // A span without length has room for one value.
        let span_s = [from_s, to_s.max(from_s + 1e-9)];
        Self { name: name.into(), span_s, columns: vec![None; SIZE_PX.x as usize], now: (from_s, f64::NAN) }
    }

    /// Adds the value at a time.
    pub fn add(&mut self, now_s: f64, value: f64) {
        self.now = (now_s, value);
        while self.part(now_s) > 1.0 + 1e-9 {
            self.double();
        }
        let column = (self.part(now_s) * (self.columns.len() - 1) as f64).round() as usize;
        if value.is_finite()
            && let Some(column) = self.columns.get_mut(column)
        {
            *column = Some(value);
        }
    }

    /// Doubles the span of each column and keeps the later of two values.
    fn double(&mut self) {
        let [from_s, to_s] = self.span_s;
        self.span_s = [from_s, to_s + (to_s - from_s)];
        let pairs = self.columns.chunks(2).map(|pair| pair.iter().copied().rev().find_map(|value| value));
        let kept: Vec<_> = pairs.chain(std::iter::repeat(None)).take(self.columns.len()).collect();
        self.columns = kept;
    }

    /// The position of a time within the span: 0 at the start, 1 at the end.
    fn part(&self, now_s: f64) -> f64 {
        let [from_s, to_s] = self.span_s;
        (now_s - from_s) / (to_s - from_s)
    }

    /// The smallest and the largest value, kept apart even if all are equal.
    fn range(&self) -> Option<[f64; 2]> {
        let values = || self.columns.iter().flatten().copied();
        let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
        let apart = (high - low).max(1e-9 * high.abs()).max(1e-9);
        Some([low, low + apart])
    }

    /// Draws the chart in the lower right corner, above `below` other charts.
    pub fn draw(&self, below: usize, view: &View, picture: &mut Picture) {
        let corner = view.camera.screen_px - DVec2::splat(MARGIN_PX);
        let low = corner - DVec2::new(SIZE_PX.x, below as f64 * (SIZE_PX.y + HEAD_PX + GAP_PX));
        let high = low + DVec2::new(SIZE_PX.x, -SIZE_PX.y);
        let behind =
            ScreenBox { low: DVec2::new(low.x - 6.0, high.y - HEAD_PX), high: DVec2::new(high.x + 6.0, low.y + 6.0) };
        veil(view, Layer::Overlays, behind, picture);
        let head_px = high.y - 6.0;
        text_at(view, DVec2::new(low.x, head_px), self.name.clone(), 13.0, Anchor::Left, picture);
        text_at(view, DVec2::new(high.x, head_px), number(self.now.1), 13.0, Anchor::Right, picture);
        line_at(view, &[low, DVec2::new(high.x, low.y)], Role::Dim, 1.0, picture);
        let cursor_px = low.x + self.part(self.now.0) * SIZE_PX.x;
        line_at(view, &[DVec2::new(cursor_px, low.y), DVec2::new(cursor_px, high.y)], Role::Dim, 1.0, picture);
        let Some([least, most]) = self.range() else { return };
        let last = (self.columns.len() - 1) as f64;
        let point = |(column, value): (usize, &Option<f64>)| {
            value.map(|value| {
                let up = (value - least) / (most - least);
                DVec2::new(low.x + column as f64 / last * SIZE_PX.x, low.y - up * SIZE_PX.y)
            })
        };
        let points: Vec<DVec2> = self.columns.iter().enumerate().filter_map(point).collect();
        if points.len() > 1 {
            line_at(view, &points, Role::Accent, 1.5, picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::Shape;
    use swarmarium_scene::scene::Scene;

    use super::*;

    #[test]
    fn a_chart_has_the_length_of_its_span_and_no_more_points_than_columns() {
        let mut chart = Chart::new("speed", [10.0, 20.0]);
        for frame in 0..10_000 {
            let now_s = 10.0 + f64::from(frame) * 0.001;
            chart.add(now_s, now_s);
        }
        let view = View::fit(&Scene::default(), DVec2::new(1280.0, 720.0));
        let mut picture = Picture::default();
        chart.draw(0, &view, &mut picture);
        let longest = picture.items.iter().filter_map(|item| match &item.shape {
            Shape::Line { points, .. } => Some(points),
            _ => None,
        });
        let curve = longest.max_by_key(|points| points.len()).unwrap();
        assert_eq!(curve.len(), SIZE_PX.x as usize);
        let [first, last] = [curve[0], curve[curve.len() - 1]].map(|at| view.camera.screen_from_world(at));
        assert!((last - first - DVec2::new(SIZE_PX.x, -SIZE_PX.y)).length() < 1e-6, "{first} {last}");
    }

    #[test]
    fn a_chart_makes_room_for_what_comes_after_its_end() {
        let mut chart = Chart::new("speed", [10.0, 11.0]);
        for frame in 0..=100 {
            chart.add(10.0 + f64::from(frame), f64::from(frame));
        }
        assert_eq!(chart.span_s, [10.0, 138.0]);
        let known: Vec<f64> = chart.columns.iter().flatten().copied().collect();
        assert!(known.len() > 60 && known.is_sorted() && known.last() == Some(&100.0), "{known:?}");
    }

    #[test]
    fn a_chart_of_one_value_and_one_without_any_can_be_drawn() {
        let view = View::fit(&Scene::default(), DVec2::new(1280.0, 720.0));
        let mut chart = Chart::new("nothing", [0.0, 0.0]);
        for value in [f64::NAN, 3.0, 3.0] {
            chart.add(0.0, value);
            let mut picture = Picture::default();
            chart.draw(1, &view, &mut picture);
            assert!(picture.items.len() >= 5);
        }
    }
}
