//! The track: branches as forking lines, with moments, edits, bookmarks, the range and the playhead.

use bevy_egui::egui::{self, Color32, CursorIcon, Painter, Pos2, Rect, Response, Stroke, pos2};
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{RangeEnd, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::timeline::StepRange;
use swarmarium_picture::cells::round_up;
use swarmarium_picture::palette::{Role, Theme};

use crate::timeline::icons;
use crate::timeline::rows::Row;
use crate::timeline::strip::lane::{self, LaneMark};
use crate::timeline::strip::lanes;

/// The name of the lane of moments.
const NAME: &str = "Moments";

/// Height of a row, in points.
pub(super) const ROW_PX: f32 = 17.0;

/// Minimum distance between marks of one kind, and maximum distance of the cursor for their tooltips, in points.
const NEAR_PX: f32 = 4.0;

/// Distance between the labels of the ruler, in points.
const LABEL_PX: f32 = 84.0;

/// Radius of a mark, in points.
const MARK_PX: f32 = 3.0;

/// Radius of the tip of the playhead, in points.
const TIP_PX: f32 = 5.0;

/// The mapping from steps to the screen.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    /// The rectangle of the track.
    pub rect: Rect,
    /// The first and the last step.
    pub range: [f64; 2],
}

impl Scale {
    pub(super) fn x(self, step: f64) -> f32 {
        let [from, to] = self.range;
        self.rect.left() + ((step - from) / (to - from)) as f32 * self.rect.width()
    }

    pub(super) fn step(self, x: f32) -> f64 {
        let [from, to] = self.range;
        from + f64::from((x - self.rect.left()) / self.rect.width()) * (to - from)
    }

    pub(super) fn steps_per_px(self) -> f64 {
        (self.range[1] - self.range[0]) / f64::from(self.rect.width())
    }
}

/// The track in one frame: its content and its rectangles.
#[derive(Clone, Copy)]
pub(super) struct Track<'a> {
    pub lab: &'a Lab,
    pub scale: Scale,
    /// Height of the ruler, in points.
    pub ruler_px: f32,
    /// Height of the lane of moments, in points; 0 if there is none.
    pub lane_px: f32,
    /// The rectangle of the state lanes.
    pub lanes_rect: Rect,
    /// The moments in the lane.
    pub moments: &'a [LaneMark],
    pub rows: &'a [Row],
    pub theme: Theme,
    pub painter: &'a Painter,
}

impl Track<'_> {
    fn color(&self, role: Role) -> Color32 {
        theme::color(self.theme, role)
    }

    fn dt_s(&self) -> f64 {
        self.lab.run.host.simulation().time().dt_s
    }

    /// Returns the vertical position of a row.
    fn y(&self, row: usize) -> f32 {
        self.scale.rect.top() + self.ruler_px + self.lane_px + (row as f32 + 0.6) * ROW_PX
    }

    fn is_present(&self, row: &Row) -> bool {
        row.branch == self.lab.run.host.timeline().present().id()
    }

    /// Returns the index of the row of the present branch.
    fn present(&self) -> usize {
        self.rows.iter().position(|row| self.is_present(row)).unwrap_or_default()
    }

    /// Draws times at round numbers, except under the tip of the playhead at a step.
    pub(super) fn ruler(&self, playhead: u64) {
        let Scale { rect, range: [from, to] } = self.scale;
        let dt_s = self.dt_s();
        let wanted_s = (to - from) * dt_s * f64::from(LABEL_PX / rect.width());
        let step_s = round_up(wanted_s);
        let digits = if step_s >= 1.0 { 0 } else { (-libm::log10(step_s)).ceil().max(0.0) as usize };
        let first = (from * dt_s / step_s).ceil() as i64;
        for tick in (first..).take(1000) {
            let at_s = tick as f64 * step_s;
            let x = self.scale.x(at_s / dt_s);
            if x > rect.right() {
                break;
            }
            let line = Stroke::new(1.0, self.color(Role::Grid));
            self.painter.vline(x, rect.top() + 2.0..=rect.bottom(), line);
            let text = if digits == 0 { format!("{at_s:.0} s") } else { format!("{at_s:.digits$} s") };
            let at = pos2(x + 3.0, rect.top() + 1.0);
            let text = self.painter.layout_no_wrap(text, theme::font(theme::SMALL_PX), self.color(Role::Dim));
            let tip_px = self.scale.x(playhead as f64) - at.x;
            let is_under_tip = (-TIP_PX - 1.0..=text.size().x + TIP_PX + 1.0).contains(&tip_px);
            if x + 0.5 * LABEL_PX < rect.right() && !is_under_tip {
                self.painter.galley(at, text, self.color(Role::Dim));
            }
        }
    }

    /// Draws the range with handles at its ends.
    pub(super) fn range(&self) {
        let Some(StepRange { from, to }) = self.lab.timeline.range else { return };
        let rect = self.scale.rect;
        let [left, right] = [from, to].map(|step| self.scale.x(step as f64));
        let accent = self.color(Role::Accent);
        let area = Rect::from_x_y_ranges(left..=right, rect.top()..=rect.bottom()).intersect(rect);
        let opacity = if self.lab.timeline.loops { 0.25 } else { 0.12 };
        self.painter.rect_filled(area, 0.0, accent.gamma_multiply(opacity));
        for (x, side) in [(left, 1.0), (right, -1.0)] {
            let stroke = Stroke::new(theme::LINE_PX, accent);
            let [top, bottom] = [rect.top() + 1.0, rect.bottom() - 1.0];
            self.painter.line_segment([pos2(x, top), pos2(x, bottom)], stroke);
            self.painter.line_segment([pos2(x, top), pos2(x + 4.0 * side, top)], stroke);
            self.painter.line_segment([pos2(x, bottom), pos2(x + 4.0 * side, bottom)], stroke);
        }
    }

    /// Returns the end of the range at a point, if any.
    pub(super) fn range_end_at(&self, at: Pos2) -> Option<RangeEnd> {
        let StepRange { from, to } = self.lab.timeline.range?;
        let is_near = |step: u64| (self.scale.x(step as f64) - at.x).abs() <= NEAR_PX;
        // The playhead can be at the same place: below the ruler, the pointer refers to it.
        let is_on_ruler = at.y < self.scale.rect.top() + self.ruler_px.max(5.0);
        let ends = [(RangeEnd::From, from), (RangeEnd::To, to)];
        ends.into_iter().find(|(_, step)| is_on_ruler && is_near(*step)).map(|(end, _)| end)
    }

    /// Draws the lines of the branches with their forks.
    pub(super) fn branches(&self) {
        for (place, row) in self.rows.iter().enumerate() {
            let y = self.y(place);
            let is_present = self.is_present(row);
            let color = self.color(if is_present { Role::Accent } else { Role::Dim });
            let width = if is_present { 3.0 } else { 2.0 };
            let (first, end) = (row.leaves.map_or(0, |(_, step)| step), row.end);
            let [left, right] = [first, end].map(|step| self.scale.x(step as f64));
            if let Some((parent, _)) = row.leaves {
                let bend = 0.5 * ROW_PX;
                let points =
                    vec![pos2(left, self.y(parent)), pos2(left, y - bend), pos2(left + bend.min(right - left), y)];
                self.painter.line(points, Stroke::new(width, color));
                self.painter.hline(left + bend.min(right - left)..=right, y, Stroke::new(width, color));
            } else {
                self.painter.hline(left..=right, y, Stroke::new(width, color));
            }
            if is_present {
                // The part after the present step is fainter.
                let now = self.scale.x(self.lab.run.host.moment().step as f64);
                let ahead = Stroke::new(width, self.color(Role::Ground).gamma_multiply(0.5));
                self.painter.hline(now.max(left)..=right.max(now), y, ahead);
            }
            self.painter.circle_filled(pos2(right, y), 3.5, color);
            let text = match (is_present, self.rows.len() > 1) {
                (true, false) => "live".to_owned(),
                _ => row.name.clone(),
            };
            let font = theme::font(theme::SMALL_PX);
            let galley = self.painter.layout_no_wrap(text, font, color);
            let after = right + 7.0;
            // Without room after its end, the name is before it.
            let (x, lift) = match after + galley.size().x <= self.scale.rect.right() + theme::PAD {
                true => (after, 0.0),
                false => (right - 7.0 - galley.size().x, 0.45 * ROW_PX),
            };
            self.painter.galley(pos2(x, y - lift - galley.size().y / 2.0), galley, color);
        }
    }

    /// Calls `draw` with the x position of each visible step, from left to right; steps that would overlap are drawn
    /// once.
    fn spread(&self, steps: &[u64], mut draw: impl FnMut(f32)) {
        let [from, to] = self.scale.range;
        let mut rest = &steps[steps.partition_point(|step| (*step as f64) < from)..];
        while let Some(first) = rest.first().filter(|step| **step as f64 <= to) {
            let x = self.scale.x(*first as f64);
            draw(x);
            let next = self.scale.step(x + NEAR_PX);
            rest = &rest[rest.partition_point(|step| (*step as f64) < next).max(1)..];
        }
    }

    /// Draws the marks of edits on the present branch.
    pub(super) fn edits(&self, edits: &[u64]) {
        let y = self.y(self.present());
        self.spread(edits, |x| icons::diamond(self.painter, pos2(x, y), MARK_PX + 1.0, self.color(Role::Text)));
    }

    /// Draws the lane of moments, with its name where no mark is.
    pub(super) fn moments(&self) {
        let dim = theme::color(self.theme, Role::Dim);
        let name = self.painter.layout_no_wrap(NAME.into(), theme::font(theme::BADGE_PX), dim);
        let left = self.scale.rect.left() + theme::TINY_GAP;
        let is_free = self.moments.first().is_none_or(|mark| mark.x > left + name.size().x + theme::PAD);
        if self.lane_px > 0.0 && is_free {
            self.painter.galley(pos2(left, self.lane_y() - name.size().y / 2.0), name, dim);
        }
        lane::draw(self.painter, self.theme, self.lane_y(), self.moments);
    }

    /// Returns the vertical position of the lane of moments; without a lane, they are above the present branch.
    fn lane_y(&self) -> f32 {
        match self.lane_px {
            0.0 => self.y(self.present()) - 0.42 * ROW_PX,
            height => self.scale.rect.top() + self.ruler_px + 0.5 * height,
        }
    }

    /// Draws the bookmarks as flags at the top of the rows of their branches.
    pub(super) fn bookmarks(&self) {
        for bookmark in self.lab.run.host.timeline().bookmarks() {
            let Some(row) = self.rows.iter().position(|row| row.branch == bookmark.moment.branch) else { continue };
            let (x, y) = (self.scale.x(bookmark.moment.step as f64), self.y(row));
            if x < self.scale.rect.left() - 1.0 || x > self.scale.rect.right() + 1.0 {
                continue;
            }
            let color = self.color(Role::Text);
            let top = y - 0.6 * ROW_PX;
            self.painter.line_segment([pos2(x, y), pos2(x, top)], Stroke::new(theme::ICON_LINE_PX, color));
            let flag = vec![pos2(x, top), pos2(x + 6.0, top + 2.5), pos2(x, top + 5.0)];
            self.painter.add(egui::Shape::convex_polygon(flag, color, Stroke::NONE));
        }
    }

    pub(super) fn playhead(&self, step: u64) {
        let rect = self.scale.rect;
        let x = self.scale.x(step as f64);
        let color = self.color(Role::Text);
        self.painter.vline(x, rect.top() + 4.0..=rect.bottom(), Stroke::new(theme::LINE_PX, color));
        icons::triangle(self.painter, pos2(x, rect.top() + TIP_PX), TIP_PX, false, color);
    }

    /// Returns the row whose line is nearest to a point within the height of the row.
    pub(super) fn row_at(&self, at: Pos2) -> Option<&Row> {
        let row = self.rows.iter().enumerate().find(|(place, _)| (self.y(*place) - at.y).abs() <= 0.5 * ROW_PX);
        row.map(|(_, row)| row).filter(|row| {
            let first = row.leaves.map_or(0, |(_, step)| step);
            let [left, right] = [first, row.end].map(|step| self.scale.x(step as f64));
            (left - NEAR_PX..=right + LABEL_PX).contains(&at.x)
        })
    }

    /// Returns the action of a click: go to a bookmark, to a moment of the lane, to another branch, or to a step.
    pub(super) fn clicked(&self, at: Pos2, is_shifted: bool) -> Option<TimelineAction> {
        let step = self.scale.step(at.x).round().max(0.0) as u64;
        let present = self.lab.run.host.timeline().present();
        if let Some(bookmark) = self.bookmark_at(at) {
            return Some(TimelineAction::GoTo(bookmark));
        }
        if let Some(mark) = lane::mark_at(self.moments, self.lane_y(), at) {
            return Some(TimelineAction::GoTo(Moment { branch: present.id(), step: *mark.steps.start() }));
        }
        match self.row_at(at).filter(|row| row.branch != present.id()) {
            Some(row) if is_shifted => Some(TimelineAction::Compare(row.branch)),
            Some(row) => Some(TimelineAction::GoTo(Moment { branch: row.branch, step: step.min(row.end) })),
            None => Some(TimelineAction::GoTo(Moment { branch: present.id(), step: step.min(present.end()) })),
        }
    }

    fn bookmark_at(&self, at: Pos2) -> Option<Moment> {
        let found = self.lab.run.host.timeline().bookmarks().iter().find(|bookmark| {
            let row = self.rows.iter().position(|row| row.branch == bookmark.moment.branch);
            let x = self.scale.x(bookmark.moment.step as f64);
            row.is_some_and(|row| {
                (-6.0 - NEAR_PX..=2.0).contains(&(x - at.x)) && (0.0..=ROW_PX).contains(&(self.y(row) - at.y))
            })
        });
        found.map(|bookmark| bookmark.moment)
    }

    /// Shows a tooltip for the items under the cursor.
    pub(super) fn hover(&self, response: &Response, edits: &[u64]) {
        let Some(at) = response.hover_pos() else { return };
        let x = at.x.clamp(self.scale.rect.left(), self.scale.rect.right());
        self.painter.vline(x, self.scale.rect.y_range(), Stroke::new(1.0, self.color(Role::Dim)));
        if self.range_end_at(at).is_some() {
            response.ctx.set_cursor_icon(CursorIcon::ResizeHorizontal);
        }
        let step = self.scale.step(at.x).max(0.0);
        let lines = self.lines_at(at, step, edits);
        response.clone().on_hover_ui_at_pointer(|ui| {
            for (place, line) in lines.iter().enumerate() {
                match place {
                    0 => ui.label(theme::number(line)),
                    _ => ui.label(line),
                };
            }
        });
    }

    fn lines_at(&self, at: Pos2, step: f64, edits: &[u64]) -> Vec<String> {
        let mut lines = vec![format!("{:.2} s, step {}", step.round() * self.dt_s(), grouped(step.round() as u64))];
        let near = f64::from(NEAR_PX) * self.scale.steps_per_px();
        let count = |steps: &[u64]| {
            let from = steps.partition_point(|known| (*known as f64) < step - near);
            let to = steps.partition_point(|known| (*known as f64) <= step + near);
            to - from
        };
        if let Some(row) = self.row_at(at).filter(|row| !self.is_present(row)) {
            lines.push(format!("Branch {}: click to switch to it, Shift + click to compare", row.name));
        }
        let timeline = self.lab.run.host.timeline();
        for bookmark in timeline.bookmarks() {
            if (self.scale.x(bookmark.moment.step as f64) - at.x).abs() <= NEAR_PX + 2.0 {
                lines.push(format!("Bookmark {}", bookmark.name));
            }
        }
        if let Some(mark) = lane::mark_at(self.moments, self.lane_y(), at) {
            lines.extend(lane::lines(self.lab, mark));
            lines.push("Click: goes to the first of these".into());
        } else if self.lane_px > 0.0 && (at.y - self.lane_y()).abs() <= 0.5 * self.lane_px {
            lines.push(format!("{NAME}; the button \"Legend\" below the world shows the meaning of the signs"));
        }
        lines.extend(lanes::lines_at(self.lab, self.lanes_rect, at, step.round() as u64));
        if count(edits) > 0 {
            let changes = self.lab.run.host.changes();
            let is_near = |at: u64| ((at.saturating_sub(1)) as f64 - step).abs() <= near + 0.5;
            let near = changes.iter().filter(|change| !change.is_undone && change.edits > 0 && is_near(change.step));
            let labels: Vec<&str> = near.map(|change| change.label.as_str()).take(4).collect();
            lines.push(if labels.is_empty() { "An edit".into() } else { labels.join("\n") });
        }
        lines
    }
}
