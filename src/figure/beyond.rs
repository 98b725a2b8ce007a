//! Marks at the upper edge of a chart, for points whose values lie beyond the data.

use bevy::math::DVec2;
use swarmarium_picture::{Anchor, Layer, Role};

use super::frame::Frame;
use super::key::Style;
use super::page::{Page, SMALL_PX, text_width};

/// The height and half the width of a mark, in pixels.
const MARK_PX: [f64; 2] = [9.0, 5.2];
/// The gap between a mark and its text, in pixels.
const GAP_PX: f64 = 3.0;

/// A point whose value lies beyond the data, such as a median time that too few runs reach: an open triangle at the upper
/// edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beyond {
    /// The place of the series.
    pub series: usize,
    /// The place on the x axis: a number, or the place of a name from 0.
    pub x: f64,
    /// A short text beside the mark, such as `9/20`.
    pub label: String,
}

/// Draws marks at distances from the left edge of the page, each with its text where it has room.
pub fn draw(page: &mut Page, frame: &Frame, marks: &[(&Beyond, f64)]) {
    let [height, half] = MARK_PX;
    let top = frame.plot.top;
    for (mark, x) in marks {
        let style = Style::for_series(mark.series);
        let corners =
            [(0.0, 0.0), (half, height), (-half, height)].map(|(right, down)| DVec2::new(x + right, top + down));
        page.polygon(Layer::Agents, Role::Ground, corners.to_vec());
        page.line(Layer::Agents, style.color, corners.iter().chain(&corners[..2]).copied().collect(), 1.25, false);
        let width = text_width(&mark.label, SMALL_PX);
        let [left, right] = [x - half - GAP_PX, x + half + GAP_PX];
        let is_free = |from: f64, to: f64| {
            let others = marks.iter().map(|(_, other)| *other).filter(|other| other != x);
            from >= frame.plot.left
                && to <= frame.plot.right + 8.0
                && others.into_iter().all(|other| other + half < from || other - half > to)
        };
        let bottom = top + height + 1.0;
        // Marks of several series at one place have no room for texts.
        let is_alone = marks.iter().filter(|(_, other)| (other - x).abs() < 2.0 * half).count() == 1;
        if !is_alone || mark.label.is_empty() {
            continue;
        }
        if is_free(right, right + width) {
            page.text(Role::Text, DVec2::new(right, bottom), &mark.label, SMALL_PX, Anchor::Left);
        } else if is_free(left - width, left) {
            page.text(Role::Text, DVec2::new(left, bottom), &mark.label, SMALL_PX, Anchor::Right);
        }
    }
}
