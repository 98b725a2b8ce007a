//! Heat maps: a value for each pair of levels of two factors.

use bevy::math::DVec2;
use swarmarium_picture::palette::viridis;
use swarmarium_picture::{Anchor, Layer, Role, Theme};

use super::axis::{Axis, Range, name_rows, round_count};
use super::frame::{LABEL_PX, label_lines};
use super::page::{
    Area, LINE, Page, Placement, SMALL_PX, TEXT_PX, shortened, text_width, without_common_start, wrapped,
};
use super::plane::Plane;
use super::scripts::marked;
use super::ticks;

/// The width of the colour bar, in pixels.
const BAR_PX: f64 = 16.0;
/// The gap between the cells and the colour bar, in pixels.
const GAP_PX: f64 = 24.0;
/// The distance between the lines in cells without a value, in pixels.
const HATCH_PX: f64 = 6.0;
/// The widest text beside the cells, in pixels.
const NAME_PX: f64 = 160.0;

/// The levels of a factor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levels {
    /// The label of the axis, such as from [`axis_label`](super::axis_label).
    pub label: String,
    /// The text of each level.
    pub names: Vec<String>,
    /// The levels, if they are numbers.
    pub numbers: Vec<f64>,
}

impl Levels {
    /// Levels that are numbers.
    pub fn numbers(label: impl Into<String>, values: &[f64]) -> Self {
        Self { label: label.into(), names: ticks::levels(values), numbers: values.to_vec() }
    }
}

/// A heat map: cells of equal size in the colours of viridis. Cells without a value are hatched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// The factor to the right.
    pub x: Levels,
    /// The factor upwards.
    pub y: Levels,
    /// The label, the scale and the least range of the colours. Names are not possible.
    pub value: Axis,
    /// The values, row by row from the lower left corner; NaN for a missing one, and so is every value beyond the end.
    pub cells: Vec<f64>,
    /// Whether cells that are large enough show their values as texts.
    pub show_values: bool,
    /// Lines over the cells.
    pub lines: Vec<Line>,
}

/// A line over a heat map, such as a border that a formula predicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// The name in the caption.
    pub label: String,
    /// The points in units of cells, from the center of the lower left one; points outside the map are not shown.
    pub points: Vec<DVec2>,
}

impl HeatMap {
    fn value(&self, column: usize, row: usize) -> Option<f64> {
        let value = self.cells.get(row * self.x.names.len() + column).copied();
        value.filter(|value| self.value.shows(*value))
    }

    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let [columns, rows] = [&self.x, &self.y].map(|levels| levels.names.len());
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.places().filter_map(|(column, row)| self.value(column, row))
    }

    /// Whether no cell has a value.
    pub(crate) fn is_empty(&self) -> bool {
        self.values().next().is_none()
    }

    /// Remarks for the caption.
    pub(crate) fn notes(&self) -> Vec<String> {
        let missing = match self.places().count() - self.values().count() {
            0 => None,
            1 => Some("Hatched: 1 cell without a value.".into()),
            missing => Some(format!("Hatched: {missing} cells without a value.")),
        };
        let lines = self.lines.iter().map(|line| format!("Line: {}.", line.label));
        missing.into_iter().chain(lines).collect()
    }

    /// The range of the colours: from the least to the greatest value, without a margin.
    fn range(&self) -> Range {
        let at_least = self.value.at_least.into_iter().flatten().filter(|value| self.value.shows(*value));
        let values = || self.values().chain(at_least.clone());
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let padded = self.value.range(self.values(), false);
        if high - low > low.abs().max(high.abs()) * 1e-9 { Range { ends: [low, high], ..padded } } else { padded }
    }

    pub(crate) fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        let area = placement.area;
        let range = self.range();
        let bar_ticks = range.scale_ticks(((area.height() / 45.0) as usize).clamp(2, 8), [2, 12]);
        let widest = bar_ticks.iter().map(|tick| text_width(&tick.label, TEXT_PX)).fold(0.0, f64::max);
        let bar_px = GAP_PX + BAR_PX + 8.0 + widest;
        let widest_of = |names: &[String]| names.iter().map(|name| text_width(name, TEXT_PX)).fold(0.0, f64::max);
        let is_wide = widest_of(&self.y.names) > NAME_PX;
        let y_names = if is_wide { without_common_start(&self.y.names) } else { self.y.names.clone() };
        let row_px = TEXT_PX * LINE;
        // The labels of the rows and of the values share the line above; long ones have several lines.
        let [x_label, y_label, value_label] =
            [&self.x.label, &self.y.label, &self.value.label].map(|label| marked(label));
        let [left, right] = [&y_label, &value_label].map(|label| text_width(label, TEXT_PX));
        let room = area.width() - 24.0;
        let left = if left + right > room { left.min((room - right).max(room / 2.0)) } else { left };
        let [y_label, value_label] = [(&y_label, left), (&value_label, room - left)]
            .map(|(label, width)| wrapped(label, width, TEXT_PX, label_lines(area)));
        let x_label = wrapped(&x_label, area.width(), TEXT_PX, label_lines(area));
        let more = |lines: usize| lines.saturating_sub(1) as f64 * row_px;
        let mut plot = Area {
            left: area.left + widest_of(&y_names).min(NAME_PX) + 8.0,
            top: area.top + LABEL_PX + more(y_label.len().max(value_label.len())),
            right: area.right - bar_px,
            bottom: area.bottom - LABEL_PX - row_px - 2.0 - more(x_label.len()),
        };
        plot = placement.aligned_sides(plot);
        let columns = self.x.names.len().max(1) as f64;
        let x_names = name_rows(&self.x.names, plot.width() / columns, 3);
        let x_rows = x_names.iter().map(|(_, lines)| lines.len()).max().unwrap_or(1).max(1);
        plot.bottom -= more(x_rows);
        let plot = placement.aligned_ends(plot);
        let rows = self.y.names.len().max(1) as f64;
        let cell = DVec2::new(plot.width() / columns, plot.height() / rows);
        let cell_area = |column: usize, row: usize| Area {
            left: plot.left + cell.x * column as f64,
            right: plot.left + cell.x * (column + 1) as f64,
            top: plot.bottom - cell.y * (row + 1) as f64,
            bottom: plot.bottom - cell.y * row as f64,
        };
        let text = ticks::texts(&self.values().collect::<Vec<_>>());
        for (column, row) in self.places() {
            let area = cell_area(column, row).rounded();
            match self.value(column, row) {
                Some(value) => {
                    let color = viridis(range.part(value));
                    // The next cells cover the edges: where edges only meet, some viewers show a gap.
                    let more = |place: usize, count: usize| if place + 1 < count { 1.0 } else { 0.0 };
                    let right = area.right + more(column, self.x.names.len());
                    let top = area.top - more(row, self.y.names.len());
                    page.fill(Layer::Trails, color, Area { right, top, ..area });
                    if self.show_values {
                        value_text(page, area, &text(value), color);
                    }
                }
                None => hatched(page, area),
            }
        }
        self.lines(page, plot, cell);
        self.names(page, plot, (&x_names, &y_names));
        self.bar(
            page,
            Area { left: plot.right + GAP_PX, right: plot.right + GAP_PX + BAR_PX, ..plot },
            range,
            &bar_ticks,
        );
        let top = plot.top - 11.0;
        page.lines_above(DVec2::new(area.left, top), &y_label, TEXT_PX, Anchor::Left);
        page.lines_above(DVec2::new(area.right, top), &value_label, TEXT_PX, Anchor::Right);
        // The label stays near its names where those of a neighbouring chart need more room.
        let below_px = 2.0 + x_rows as f64 * row_px + LABEL_PX + more(x_label.len());
        let bottom = (plot.bottom + below_px).min(area.bottom);
        page.lines_above(DVec2::new((plot.left + plot.right) / 2.0, bottom), &x_label, TEXT_PX, Anchor::Middle);
        Plane::Cells { area: plot, counts: [self.x.names.len(), self.y.names.len()] }
    }

    /// Draws the lines, light with a dark core, so that they are visible on all colours.
    fn lines(&self, page: &mut Page, plot: Area, cell: DVec2) {
        for line in &self.lines {
            let place = |at: &DVec2| DVec2::new(plot.left + (at.x + 0.5) * cell.x, plot.bottom - (at.y + 0.5) * cell.y);
            let is_inside =
                |at: &DVec2| (plot.left..=plot.right).contains(&at.x) && (plot.top..=plot.bottom).contains(&at.y);
            let places: Vec<DVec2> = line.points.iter().map(place).collect();
            for part in places.split(|at| !is_inside(at)).filter(|part| part.len() > 1) {
                for (role, width_px) in [(Role::Ground, 5.0), (Role::Text, 2.0)] {
                    page.line(Layer::Objects, role, part.to_vec(), width_px, false);
                }
            }
        }
    }

    /// Draws the texts of the levels, with a small tick at each text.
    fn names(&self, page: &mut Page, plot: Area, (x_names, y_names): (&[(usize, Vec<String>)], &[String])) {
        let pitch = [plot.width() / self.x.names.len().max(1) as f64, plot.height() / self.y.names.len().max(1) as f64];
        for (column, lines) in x_names {
            let x = plot.left + pitch[0] * (*column as f64 + 0.5);
            page.segment(Layer::Objects, Role::Wall, [(x, plot.bottom), (x, plot.bottom + 4.0)].map(DVec2::from), 1.0);
            page.lines(Role::Text, [x, plot.bottom + 4.0], lines, TEXT_PX, Anchor::Middle);
        }
        let every = round_count(TEXT_PX * 1.4 / pitch[1]);
        for (row, name) in y_names.iter().enumerate().step_by(every) {
            let y = plot.bottom - pitch[1] * (row as f64 + 0.5);
            page.segment(Layer::Objects, Role::Wall, [(plot.left - 4.0, y), (plot.left, y)].map(DVec2::from), 1.0);
            let name = shortened(name, NAME_PX, TEXT_PX);
            page.text(Role::Text, DVec2::new(plot.left - 7.0, y + TEXT_PX * 0.55), &name, TEXT_PX, Anchor::Right);
        }
    }

    /// Draws the bar with the colours of the values.
    fn bar(&self, page: &mut Page, area: Area, range: Range, ticks: &[ticks::Tick]) {
        let strips = (area.height() / 2.0).round().max(1.0) as u32;
        for strip in 0..strips {
            let at = |strip: u32| area.bottom - area.height() * f64::from(strip) / f64::from(strips);
            let part = (f64::from(strip) + 0.5) / f64::from(strips);
            // The next strip covers the upper edge, as with cells.
            let top = if strip + 1 < strips { at(strip + 1) - 1.0 } else { area.top };
            page.fill(Layer::Trails, viridis(part), Area { top, bottom: at(strip), ..area });
        }
        for tick in ticks {
            let y = area.bottom - range.part(tick.value) * area.height();
            let length = if tick.label.is_empty() { 2.0 } else { 4.0 };
            let ends = [(area.right, y), (area.right + length, y)].map(DVec2::from);
            page.segment(Layer::Objects, Role::Wall, ends, 1.0);
            let at = DVec2::new(area.right + 7.0, y + TEXT_PX * 0.55);
            page.text(Role::Text, at, &tick.label, TEXT_PX, Anchor::Left);
        }
    }
}

/// Draws the value of a cell, if it has room.
fn value_text(page: &mut Page, area: Area, text: &str, color: Role) {
    let has_room = area.width() > text_width(text, SMALL_PX) + 6.0 && area.height() > SMALL_PX + 6.0;
    if has_room {
        let [red, green, blue] = Theme::Light.rgb(color).map(f64::from);
        // The brightness of a colour (ITU-R BT.601): dark letters on bright cells.
        let is_bright = 0.299 * red + 0.587 * green + 0.114 * blue > 140.0;
        let ink = if is_bright { Role::Text } else { Role::Ground };
        let at = DVec2::new((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0 + SMALL_PX * 0.55);
        page.text(ink, at, text, SMALL_PX, Anchor::Middle);
    }
}

/// Draws a cell without a value: grey, with oblique lines that continue in the cells beside it.
fn hatched(page: &mut Page, area: Area) {
    page.fill(Layer::Trails, Role::Grid, area);
    let first = ((area.left + area.top) / HATCH_PX).ceil() as i64;
    let last = ((area.right + area.bottom) / HATCH_PX).floor() as i64;
    for line in first..=last {
        // The points of a line have one sum of their coordinates.
        let sum = line as f64 * HATCH_PX;
        let [left, right] = [(sum - area.bottom).max(area.left), (sum - area.top).min(area.right)];
        if left < right {
            page.segment(Layer::Trails, Role::Obstacle, [left, right].map(|x| DVec2::new(x, sum - x)), 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(cells: Vec<f64>) -> HeatMap {
        let [x, y] = ["x", "y"].map(|label| Levels::numbers(label, &[0.1, 0.2]));
        HeatMap { x, y, value: Axis::linear("value"), cells, show_values: true, lines: Vec::new() }
    }

    #[test]
    fn missing_cells_of_a_heat_map_are_counted() {
        assert_eq!(map(vec![1.0, f64::NAN, 3.0]).notes(), ["Hatched: 2 cells without a value."]);
        assert_eq!(map(vec![1.0, 2.0, 3.0, 4.0]).notes(), [""; 0]);
        assert!(map(Vec::new()).is_empty() && HeatMap::default().is_empty() && !map(vec![1.0]).is_empty());
        let log = HeatMap { value: Axis::log("value"), ..map(vec![0.0, -1.0]) };
        assert!(log.is_empty());
    }

    #[test]
    fn colours_of_a_heat_map_span_the_values() {
        assert_eq!(map(vec![1.0, 2.0, 3.0, 4.0]).range().ends, [1.0, 4.0]);
        let [low, high] = map(vec![2.0; 4]).range().ends;
        assert!(low < 2.0 && high > 2.0);
        let fixed = HeatMap { value: Axis::linear("").at_least([0.0, 1.0]), ..map(vec![0.5; 4]) };
        assert_eq!(fixed.range().ends, [0.0, 1.0]);
    }
}
