//! The frame of a chart: two axes with a grid, ticks and labels, around the area of the data.

use bevy::math::DVec2;
use swarmarium_picture::{Anchor, Layer, Role};

use super::axis::{Axis, Range, name_rows};
use super::page::{Area, LINE, Page, Placement, TEXT_PX, text_width, wrapped};
use super::scripts::marked;
use super::ticks::Tick;

/// The length of a tick, in pixels.
const TICK_PX: f64 = 5.0;
/// Lines of the name of a category.
const NAME_LINES: usize = 3;
/// The height of the label of an axis in one line, in pixels.
pub const LABEL_PX: f64 = 27.0;
/// The height of the label of an axis in a low chart, whose data needs the room, in pixels.
const LOW_LABEL_PX: f64 = 18.0;
/// Charts that are lower than this are low ones, in pixels.
const LOW_PX: f64 = 200.0;

/// The most lines of the label of an axis: a low chart has one.
pub fn label_lines(area: Area) -> usize {
    if area.height() < LOW_PX { 1 } else { 3 }
}

/// A frame on the page.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The area of the data.
    pub plot: Area,
    pub(super) x: Range,
    y: Range,
}

impl Frame {
    /// Draws two axes with their ranges into an area of the page.
    pub fn draw(page: &mut Page, placement: Placement, x_axis: &Axis, y_axis: &Axis, [x, y]: [Range; 2]) -> Self {
        let Placement { area, has_x_texts, .. } = placement;
        let height_px = if area.height() < LOW_PX { LOW_LABEL_PX } else { LABEL_PX };
        let row_px = TEXT_PX * LINE;
        let [x_label, y_label] = [&x_axis.label, &y_axis.label]
            .map(|label| wrapped(&marked(label), area.width(), TEXT_PX, label_lines(area)));
        let label_px = |lines: &[String]| height_px + lines.len().saturating_sub(1) as f64 * row_px;
        let x_label = if has_x_texts { x_label } else { Vec::new() };
        let x_label_px = if x_label.is_empty() { 0.0 } else { label_px(&x_label) };
        let label_px = if y_label.is_empty() { 8.0 } else { label_px(&y_label) };
        let mut plot = Area { top: area.top + label_px, right: area.right - 10.0, ..area };
        let x_texts_px = if has_x_texts { row_px } else { 0.0 };
        plot.bottom -= x_label_px + x_texts_px + TICK_PX + 2.0;
        let count = ((plot.height() / 30.0) as usize).clamp(2, 8);
        let least = ((plot.height() / 22.0) as usize).clamp(2, 4);
        let y_ticks = y.scale_ticks(count, [least, (plot.height() / 16.0) as usize]);
        let widest = y_ticks.iter().map(|tick| text_width(&tick.label, TEXT_PX)).fold(0.0, f64::max);
        plot.left += (widest + TICK_PX + 5.0).max(24.0);
        plot = placement.aligned_sides(plot);
        let names = x_axis.names().map(|names| name_rows(names, plot.width() / names.len().max(1) as f64, NAME_LINES));
        let rows = names.iter().flatten().map(|(_, lines)| lines.len()).max().unwrap_or(1);
        if has_x_texts {
            plot.bottom -= rows.saturating_sub(1) as f64 * row_px;
        }
        let frame = Self { plot: placement.aligned_ends(plot), x, y };
        let plot = frame.plot;
        frame.y_axis(page, area, &y_label, &y_ticks);
        match names {
            Some(names) => frame.names(page, &names, has_x_texts),
            None => frame.x_ticks(page, &x_axis.levels, has_x_texts),
        }
        let corners = [(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)].map(DVec2::from);
        page.line(Layer::Objects, Role::Wall, corners.to_vec(), 1.0, false);
        // A label that is wider than the axis stays on the page.
        let half = x_label.iter().map(|line| text_width(line, TEXT_PX)).fold(0.0, f64::max) / 2.0;
        let center = ((plot.left + plot.right) / 2.0).min(area.right - half).max(area.left + half);
        // The label stays near its numbers where those of a neighbouring chart need more room.
        let below_px = TICK_PX + 2.0 + rows as f64 * row_px + x_label_px;
        let bottom = (plot.bottom + below_px).min(area.bottom);
        page.lines_above(DVec2::new(center, bottom), &x_label, TEXT_PX, Anchor::Middle);
        frame
    }

    fn y_axis(&self, page: &mut Page, area: Area, label: &[String], ticks: &[Tick]) {
        let plot = self.plot;
        let above_px = if area.height() < LOW_PX { 6.0 } else { 11.0 };
        page.lines_above(DVec2::new(area.left, plot.top - above_px), label, TEXT_PX, Anchor::Left);
        for tick in ticks {
            let y = self.y_px(tick.value);
            if tick.label.is_empty() {
                page.segment(Layer::Objects, Role::Wall, [(plot.left - 3.0, y), (plot.left, y)].map(DVec2::from), 1.0);
                continue;
            }
            // Zero is a line of its own where numbers lie on both sides of it.
            let is_zero = tick.value == 0.0 && y < plot.bottom - 1.0 && y > plot.top + 1.0;
            let role = if is_zero { Role::Obstacle } else { Role::Grid };
            page.segment(Layer::Field, role, [(plot.left, y), (plot.right, y)].map(DVec2::from), 1.0);
            let ends = [(plot.left - TICK_PX, y), (plot.left, y)].map(DVec2::from);
            page.segment(Layer::Objects, Role::Wall, ends, 1.0);
            let at = DVec2::new(plot.left - TICK_PX - 4.0, y + TEXT_PX * 0.55);
            page.text(Role::Text, at, &tick.label, TEXT_PX, Anchor::Right);
        }
    }

    fn x_ticks(&self, page: &mut Page, levels: &[f64], has_texts: bool) {
        let plot = self.plot;
        for tick in self.x.ticks_at(levels, plot.width()).unwrap_or_else(|| self.x.ticks_within(plot.width(), 10)) {
            let x = self.x_px(tick.value);
            let length = if tick.label.is_empty() { 3.0 } else { TICK_PX };
            let ends = [(x, plot.bottom), (x, plot.bottom + length)].map(DVec2::from);
            page.segment(Layer::Objects, Role::Wall, ends, 1.0);
            if !tick.label.is_empty() {
                page.segment(Layer::Field, Role::Grid, [(x, plot.top), (x, plot.bottom)].map(DVec2::from), 1.0);
            }
            if !tick.label.is_empty() && has_texts {
                let at = DVec2::new(x, plot.bottom + TICK_PX + 2.0 + TEXT_PX * LINE);
                page.text(Role::Text, at, &tick.label, TEXT_PX, Anchor::Middle);
            }
        }
    }

    fn names(&self, page: &mut Page, names: &[(usize, Vec<String>)], have_texts: bool) {
        let plot = self.plot;
        for (place, lines) in names {
            let x = self.x_px(*place as f64);
            let ends = [(x, plot.bottom), (x, plot.bottom + TICK_PX)].map(DVec2::from);
            page.segment(Layer::Objects, Role::Wall, ends, 1.0);
            let lines = if have_texts { lines.as_slice() } else { &[] };
            page.lines(Role::Text, [x, plot.bottom + TICK_PX + 2.0], lines, TEXT_PX, Anchor::Middle);
        }
    }

    /// The distance of a number from the left edge of the page, in pixels.
    pub fn x_px(&self, value: f64) -> f64 {
        self.plot.left + self.x.part(value) * self.plot.width()
    }

    /// The distance of a number from the upper edge of the page, in pixels.
    pub fn y_px(&self, value: f64) -> f64 {
        self.plot.bottom - self.y.part(value) * self.plot.height()
    }

    /// The number at a part of the way along the x axis.
    pub fn x_at(&self, part: f64) -> f64 {
        self.x.at(part)
    }

    /// Whether a distance from the upper edge of the page lies within the area of the data.
    pub fn has_y_px(&self, y_px: f64) -> bool {
        (self.plot.top - 1e-6..=self.plot.bottom + 1e-6).contains(&y_px)
    }

    /// The place of a point on the page, in pixels.
    pub fn place(&self, x: f64, y: f64) -> DVec2 {
        DVec2::new(self.x_px(x), self.y_px(y))
    }
}
