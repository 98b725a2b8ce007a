//! The strip: branches as lines that fork, with marks, bookmarks, the range and the playhead.

use bevy_egui::egui::{
    self, Align, Align2, Button, Color32, CursorIcon, Id, Key, Label, Layout, Painter, PointerButton, Popup, Pos2,
    Rect, Response, RichText, Sense, Stroke, TextEdit, Ui, pos2, vec2,
};
use strum::IntoEnumIterator as _;
use swarmarium_core::text::wording::capital;
use swarmarium_core::timeline::{BranchId, Moment};
use swarmarium_picture::cells::round_up;
use swarmarium_picture::palette::{Role, Theme};

use super::StepRange;
use super::icons::{self, Icon};
use super::rows::{Row, Shown, rows};
use crate::action::{RangeEnd, TimelineAction, TimelineItem};
use crate::command::by_title;
use crate::marks::MarkKind;
use crate::text::grouped;
use crate::widgets::{dots, named, select_all};
use crate::{Action, Lab, theme};

/// Height of the ruler with the times, in points; a low window has none.
const RULER_PX: f32 = 15.0;
/// Height of a row, in points.
const ROW_PX: f32 = 17.0;
/// Below the rows, in points.
const BELOW_PX: f32 = 3.0;
/// The most rows, by the height of the window in points. A low window has one.
const MOST_ROWS: [(f32, usize); 2] = [(640.0, 3), (f32::INFINITY, 6)];
/// Width of a button, in points.
const BUTTON_PX: f32 = 24.0;
/// Width of the time and the step beside the track, in points.
const TOLD_PX: f32 = 168.0;
/// The track is at least so wide, in points; for that the numbers and then the buttons go.
const LEAST_TRACK_PX: f32 = 220.0;
/// Marks of one kind are at least so far from each other, and tell what they are when the cursor is as near, in points.
const NEAR_PX: f32 = 4.0;
/// Wheel travel, in points, that zooms by a factor of e.
const WHEEL_PX: f32 = 250.0;
/// Distance of the labels of the ruler, in points.
const LABEL_PX: f32 = 84.0;
/// Radius of a mark, in points.
const MARK_PX: f32 = 3.0;

/// The strip.
#[derive(Default)]
pub struct Strip {
    shown: Shown,
    /// What is dragged on the track.
    drag: Option<Drag>,
    /// The run that is shown.
    opening: u64,
    /// The item whose name was typed in the last frame.
    named: Option<TimelineItem>,
    edits: EditSteps,
}

/// What is dragged on the track.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drag {
    Playhead,
    Range(RangeEnd),
    /// A range that begins or ends at a step.
    NewRange(u64),
    Pan,
}

/// The steps of the edits of a branch, which are looked through when there are others.
#[derive(Default)]
struct EditSteps {
    of: Option<(BranchId, u64)>,
    steps: Vec<u64>,
}

impl EditSteps {
    fn follow(&mut self, lab: &Lab) {
        let timeline = lab.host.timeline();
        let branch = timeline.present();
        let of = Some((branch.id(), timeline.revision()));
        if self.of != of {
            // An edit is made at the start of its step, when the step before has ended.
            let edits = branch.applied().filter(|logged| logged.edit.is_change());
            self.steps = edits.map(|logged| logged.step.saturating_sub(1)).collect();
            self.steps.dedup();
            self.of = of;
        }
    }
}

/// Where steps are on the screen.
#[derive(Clone, Copy)]
struct Scale {
    rect: Rect,
    range: [f64; 2],
}

impl Scale {
    fn x(self, step: f64) -> f32 {
        let [from, to] = self.range;
        self.rect.left() + ((step - from) / (to - from)) as f32 * self.rect.width()
    }

    fn step(self, x: f32) -> f64 {
        let [from, to] = self.range;
        from + f64::from((x - self.rect.left()) / self.rect.width()) * (to - from)
    }

    fn steps_per_px(self) -> f64 {
        (self.range[1] - self.range[0]) / f64::from(self.rect.width())
    }
}

/// How high the strip is with so many rows below a ruler, in points.
fn height_px(ruler_px: f32, rows: usize) -> f32 {
    (ruler_px + rows as f32 * ROW_PX + BELOW_PX).max(BUTTON_PX)
}

impl Strip {
    /// Draws it at the lower edge of what is left of the window; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &mut Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.opening != lab.openings {
            *self = Self { opening: lab.openings, ..Self::default() };
        }
        let window_px = ui.ctx().content_rect().height();
        let is_low = theme::is_low(ui.ctx());
        let most = MOST_ROWS.into_iter().find(|(height_px, _)| !is_low && window_px < *height_px);
        let most = most.map_or(1, |(_, most)| most);
        let rows = rows(lab.host.timeline(), most);
        let ruler_px = if is_low { 0.0 } else { RULER_PX };
        let height = height_px(ruler_px, rows.len());
        let panel = egui::Panel::bottom("timeline").exact_size(height).resizable(false).frame(theme::bar(0));
        panel.show(ui, |ui| {
            let width = ui.available_width();
            let has_buttons = width >= LEAST_TRACK_PX + 8.0 * BUTTON_PX;
            let has_words = width >= 2.0 * LEAST_TRACK_PX + 8.0 * BUTTON_PX + TOLD_PX;
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.horizontal_top(|ui| {
                ui.set_height(height);
                if has_buttons {
                    buttons(ui, lab, &mut actions);
                }
                let right_px = 4.0 * BUTTON_PX + if has_words { TOLD_PX } else { 0.0 };
                let track_px = (ui.available_width() - right_px).max(40.0);
                let (rect, _) = ui.allocate_exact_size(vec2(track_px, height), Sense::hover());
                self.track(ui, lab, (rect, ruler_px), &rows, &mut actions);
                ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
                    right(ui, lab, &rows, has_words, &mut actions);
                });
            });
            self.name_field(ui, lab, &mut actions);
        });
        actions
    }

    /// Branches and marks, and what the mouse does with them.
    fn track(&mut self, ui: &Ui, lab: &Lab, (rect, ruler_px): (Rect, f32), rows: &[Row], actions: &mut Vec<Action>) {
        let rect = rect.shrink2(vec2(theme::PAD, 0.0));
        let response = ui.interact(rect, ui.id().with("track"), Sense::click_and_drag());
        named(&response, "Timeline");
        self.edits.follow(lab);
        let last = rows.iter().map(|row| row.end).max().unwrap_or_default();
        let now = lab.playhead();
        if self.drag.is_none() && response.hover_pos().is_none() {
            self.shown.reveal(now.step, last);
        }
        let scale = Scale { rect, range: self.shown.range(last) };
        let painter = ui.painter_at(rect.expand2(vec2(theme::PAD, 0.0)));
        let strip = Drawn { lab, scale, ruler_px, rows, theme: lab.settings.theme, painter: &painter };
        if ruler_px > 0.0 {
            strip.ruler();
        }
        strip.range();
        strip.branches();
        strip.marks(&self.edits.steps);
        strip.bookmarks();
        strip.playhead(now.step);
        self.handle(&response, &strip, last, actions);
        if self.drag.is_none() {
            strip.hover(&response, &self.edits.steps);
        }
        menu(&response, &strip, actions);
    }

    /// What the mouse asks for on the track.
    fn handle(&mut self, response: &Response, strip: &Drawn, last: u64, actions: &mut Vec<Action>) {
        let Drawn { lab, scale, .. } = *strip;
        let (modifiers, wheel, side) = response.ctx.input(|input| {
            let scroll = input.smooth_scroll_delta();
            (input.modifiers, (scroll.y / WHEEL_PX).exp() * input.zoom_delta(), scroll.x)
        });
        if let Some(at) = response.hover_pos() {
            if wheel != 1.0 {
                self.shown.zoom(scale.step(at.x), f64::from(wheel), last);
            }
            if side != 0.0 {
                self.shown.pan(-f64::from(side) * scale.steps_per_px(), last);
            }
        }
        if response.double_clicked() {
            self.shown = Shown::Whole;
        }
        let step_at = |x: f32| scale.step(x).round().clamp(0.0, lab.host.live_end() as f64) as u64;
        if response.drag_started() {
            let origin = response.ctx.input(|input| input.pointer.press_origin());
            self.drag = origin.map(|at| match () {
                () if response.drag_started_by(PointerButton::Middle) => Drag::Pan,
                () if modifiers.shift => Drag::NewRange(step_at(at.x)),
                () => strip.range_end_at(at).map_or(Drag::Playhead, Drag::Range),
            });
        }
        if let (Some(drag), Some(at)) = (self.drag, response.interact_pointer_pos()) {
            match drag {
                Drag::Pan => {
                    self.shown.pan(-f64::from(response.drag_delta().x) * scale.steps_per_px(), last);
                }
                Drag::Range(end) => actions.push(TimelineAction::SetRange(end, step_at(at.x)).into()),
                Drag::NewRange(anchor) => {
                    let step = step_at(at.x);
                    let ends = [(RangeEnd::From, anchor.min(step)), (RangeEnd::To, anchor.max(step))];
                    actions.extend(ends.map(|(end, step)| Action::from(TimelineAction::SetRange(end, step))));
                }
                Drag::Playhead if response.dragged() => {
                    let step = step_at(at.x);
                    actions.push(TimelineAction::Scrub(step).into());
                }
                Drag::Playhead => {}
            }
        }
        if response.drag_stopped() {
            self.drag = None;
        }
        if response.clicked()
            && !response.double_clicked()
            && let Some(at) = response.interact_pointer_pos()
        {
            actions.extend(strip.clicked(at, modifiers.shift).map(Action::from));
        }
    }

    /// The field for a name that is typed, over the strip.
    fn name_field(&mut self, ui: &Ui, lab: &mut Lab, actions: &mut Vec<Action>) {
        let Some((item, text)) = &mut lab.timeline.naming else {
            self.named = None;
            return;
        };
        let is_new = self.named.as_ref() != Some(&*item);
        self.named = Some(item.clone());
        let what = match item {
            TimelineItem::Branch(_) => "Name of the branch",
            TimelineItem::Bookmark(_) => "Name of the bookmark",
        };
        let theme = lab.settings.theme;
        let at = ui.max_rect().center_top() - vec2(0.0, theme::GAP);
        let area = egui::Area::new(Id::new("timeline name")).fixed_pos(at).pivot(Align2::CENTER_BOTTOM).fade_in(false);
        let mut done = None;
        area.show(ui.ctx(), |ui| {
            let frame = theme::panel(theme).stroke(Stroke::new(1.0, theme::color(theme, Role::Grid)));
            frame.corner_radius(theme::LARGE_CORNER_PX).show(ui, |ui| {
                ui.horizontal(|ui| {
                    let label = ui.label(what);
                    let field = ui.add(TextEdit::singleline(text).desired_width(180.0)).labelled_by(label.id);
                    let field =
                        field.on_hover_text("A name that is neither a number nor a time (Enter; Esc keeps the name)");
                    if is_new {
                        field.request_focus();
                        select_all(ui.ctx(), field.id);
                    }
                    let escaped = ui.input(|input| input.key_pressed(Key::Escape));
                    if field.lost_focus() && !is_new {
                        done = Some((!escaped).then(|| text.clone()));
                    }
                });
            });
        });
        if let Some(name) = done {
            let item = item.clone();
            lab.timeline.naming = None;
            actions.extend(name.map(|name| Action::from(TimelineAction::Rename(item, name))));
        }
    }
}

/// The time and the step, and what can be done at the present moment.
fn right(ui: &mut Ui, lab: &Lab, rows: &[Row], has_words: bool, actions: &mut Vec<Action>) {
    let theme = lab.settings.theme;
    dots(ui, theme, (BUTTON_PX, BUTTON_PX), "More of the timeline", "Range, clip, branches and bookmarks", |ui| {
        more(ui, lab, actions);
    });
    for (icon, title) in
        [(Icon::Link, "Copy a link to this moment"), (Icon::Find, "Back to when"), (Icon::Bookmark, "Add a bookmark")]
    {
        button(ui, lab, icon, title, actions);
    }
    if !has_words {
        return;
    }
    let now = lab.host.moment();
    let dt_s = lab.host.simulation().time().dt_s;
    let text = match lab.host.is_in_past() {
        true => format!("{:.2} s of {:.2} s", now.step as f64 * dt_s, lab.host.live_end() as f64 * dt_s),
        false => format!("{:.2} s, live", now.step as f64 * dt_s),
    };
    let name = if rows.len() > 1 { lab.host.timeline().present().name() } else { "" };
    ui.allocate_ui_with_layout(vec2(TOLD_PX, BUTTON_PX), Layout::right_to_left(Align::Center), |ui| {
        ui.set_min_size(vec2(TOLD_PX, BUTTON_PX));
        let role = if lab.host.is_in_past() { Role::Warning } else { Role::Dim };
        let hint = format!(
            "Step {} of {}{}",
            grouped(now.step),
            grouped(lab.host.live_end()),
            if name.is_empty() { String::new() } else { format!(" of the branch {name}") }
        );
        let label = Label::new(theme::number(text).color(theme::color(theme, role))).truncate();
        ui.add(label).on_hover_text(hint);
    });
}

/// The buttons at the left.
fn buttons(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    for (icon, title) in [
        (Icon::Start, "Go to the start"),
        (Icon::Back, "Step back"),
        (Icon::Forward, "Step"),
        (Icon::LiveEnd, "Go to the live end"),
    ] {
        button(ui, lab, icon, title, actions);
    }
}

/// A button with a sign that does a command.
fn button(ui: &mut Ui, lab: &Lab, icon: Icon, title: &str, actions: &mut Vec<Action>) {
    let Some(command) = by_title(title) else { return };
    let button = ui.add(Button::new("").frame(false).min_size(vec2(BUTTON_PX, BUTTON_PX)));
    named(&button, if title == "Step" { "Step forward" } else { title });
    let role = if button.hovered() || button.has_focus() { Role::Text } else { Role::Dim };
    icon.paint(ui.painter(), button.rect, theme::color(lab.settings.theme, role));
    if button.on_hover_text(command.tooltip(&lab.keymap)).clicked() {
        actions.extend((command.action)(lab));
    }
}

/// An entry of a menu that does a command.
fn entry(ui: &mut Ui, lab: &Lab, title: &str, actions: &mut Vec<Action>) {
    let Some(command) = by_title(title) else { return };
    let is_on = command.is_on(lab).unwrap_or_default();
    let keys = command.keys_text(&lab.keymap);
    let button = Button::selectable(is_on, command.name(lab)).shortcut_text(keys);
    let action = (command.action)(lab);
    let hint = command.tooltip(&lab.keymap);
    let button = ui.add_enabled(action.is_some(), button).on_hover_text(&hint).on_disabled_hover_text(hint);
    if button.clicked() {
        actions.extend(action);
        ui.close();
    }
}

/// The menu of the strip.
fn more(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    ui.set_min_width(240.0);
    for title in ["Previous mark", "Next mark", "Back to when"] {
        entry(ui, lab, title, actions);
    }
    ui.separator();
    for title in ["Begin the range here", "End the range here", "Loop the range", "Forget the range", "Export the clip"]
    {
        entry(ui, lab, title, actions);
    }
    ui.separator();
    for title in ["Begin a branch here", "Add a bookmark", "Copy a link to this moment"] {
        entry(ui, lab, title, actions);
    }
    let timeline = lab.host.timeline();
    ui.menu_button("Branches", |ui| {
        theme::entries(ui, |ui| {
            let present = timeline.present().id();
            for branch in timeline.branches() {
                let end = branch.end() as f64 * lab.host.simulation().time().dt_s;
                let text = format!("{} (to {end:.2} s)", branch.name());
                let text = if branch.id() == present { RichText::new(text).strong() } else { RichText::new(text) };
                ui.menu_button(text, |ui| branch_menu(ui, lab, branch.id(), actions));
            }
        });
    });
    if !timeline.bookmarks().is_empty() {
        ui.menu_button("Bookmarks", |ui| {
            theme::entries(ui, |ui| {
                for bookmark in timeline.bookmarks() {
                    let (name, step) = (&bookmark.name, grouped(bookmark.moment.step));
                    ui.menu_button(format!("{name} (step {step})"), |ui| {
                        bookmark_menu(ui, name, bookmark.moment, actions);
                    });
                }
            });
        });
    }
}

fn choice(ui: &mut Ui, name: &str, hint: &str, action: TimelineAction, actions: &mut Vec<Action>) {
    if ui.button(name).on_hover_text(hint).clicked() {
        actions.push(action.into());
        ui.close();
    }
}

/// What can be done with a branch.
fn branch_menu(ui: &mut Ui, lab: &Lab, branch: BranchId, actions: &mut Vec<Action>) {
    let timeline = lab.host.timeline();
    let Some(of) = timeline.branch(branch) else { return };
    if branch != timeline.present().id() {
        // The step at which one is, if the branch has it.
        let step = lab.host.moment().step.min(of.end());
        choice(ui, "Switch to it", "Shows this branch", TimelineAction::GoTo(Moment { branch, step }), actions);
        let hint = "Shows this branch beside the present one, at the same step";
        choice(ui, "Compare with it", hint, TimelineAction::Compare(branch), actions);
        let item = TimelineItem::Branch(branch);
        choice(ui, "Delete", "Removes the branch with its bookmarks", TimelineAction::Remove(item), actions);
    }
    let item = TimelineItem::Branch(branch);
    choice(ui, "Rename…", "Gives the branch another name", TimelineAction::AskName(item), actions);
}

fn bookmark_menu(ui: &mut Ui, name: &str, moment: Moment, actions: &mut Vec<Action>) {
    let item = || TimelineItem::Bookmark(name.into());
    choice(ui, "Go to it", "Shows this moment", TimelineAction::GoTo(moment), actions);
    choice(ui, "Rename…", "Gives the bookmark another name", TimelineAction::AskName(item()), actions);
    choice(ui, "Delete", "Removes the bookmark; the moment stays", TimelineAction::Remove(item()), actions);
}

/// The menu of a place on the track: what it offers is about that place.
fn menu(response: &Response, strip: &Drawn, actions: &mut Vec<Action>) {
    let id = response.id.with("place");
    if response.secondary_clicked() {
        let at = response.interact_pointer_pos();
        response.ctx.data_mut(|data| data.insert_temp(id, at));
    }
    Popup::context_menu(response).show(|ui| {
        let at: Option<Pos2> = ui.ctx().data(|data| data.get_temp(id)).flatten();
        let Some(at) = at else { return };
        let present = strip.lab.host.timeline().present();
        let branch = strip.row_at(at).map_or(present.id(), |row| row.branch);
        if branch != present.id() {
            branch_menu(ui, strip.lab, branch, actions);
            ui.separator();
        }
        let step = strip.scale.step(at.x).round().clamp(0.0, present.end() as f64) as u64;
        let moment = Moment { branch: present.id(), step };
        choice(ui, "Go to this moment", "Shows the moment under the cursor", TimelineAction::GoTo(moment), actions);
        let ends = [("Begin the range at this moment", RangeEnd::From), ("End the range at this moment", RangeEnd::To)];
        for (name, end) in ends {
            let hint = "Moves an end of the range to the moment under the cursor";
            choice(ui, name, hint, TimelineAction::SetRange(end, step), actions);
        }
        for title in ["Loop the range", "Forget the range", "Export the clip"] {
            entry(ui, strip.lab, title, actions);
        }
    });
}

/// What is drawn of the strip in a frame.
#[derive(Clone, Copy)]
struct Drawn<'a> {
    lab: &'a Lab,
    scale: Scale,
    ruler_px: f32,
    rows: &'a [Row],
    theme: Theme,
    painter: &'a Painter,
}

impl Drawn<'_> {
    fn color(&self, role: Role) -> Color32 {
        theme::color(self.theme, role)
    }

    fn dt_s(&self) -> f64 {
        self.lab.host.simulation().time().dt_s
    }

    /// The height of the line of a row.
    fn y(&self, row: usize) -> f32 {
        self.scale.rect.top() + self.ruler_px + (row as f32 + 0.6) * ROW_PX
    }

    fn is_present(&self, row: &Row) -> bool {
        row.branch == self.lab.host.timeline().present().id()
    }

    /// The place of the row of the present branch.
    fn present(&self) -> usize {
        self.rows.iter().position(|row| self.is_present(row)).unwrap_or_default()
    }

    /// Times at round numbers.
    fn ruler(&self) {
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
            if x + 0.5 * LABEL_PX < rect.right() {
                self.painter.text(at, Align2::LEFT_TOP, text, theme::font(theme::SMALL_PX), self.color(Role::Dim));
            }
        }
    }

    /// The range, with handles at its ends.
    fn range(&self) {
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

    /// The end of the range at a point, if one is there.
    fn range_end_at(&self, at: Pos2) -> Option<RangeEnd> {
        let StepRange { from, to } = self.lab.timeline.range?;
        let is_near = |step: u64| (self.scale.x(step as f64) - at.x).abs() <= NEAR_PX;
        // The playhead may stand there: below the ruler it is what is meant.
        let is_on_ruler = at.y < self.scale.rect.top() + self.ruler_px.max(5.0);
        let ends = [(RangeEnd::From, from), (RangeEnd::To, to)];
        ends.into_iter().find(|(_, step)| is_on_ruler && is_near(*step)).map(|(end, _)| end)
    }

    /// The lines of the branches, and where they fork.
    fn branches(&self) {
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
                // What is still to come of it is fainter.
                let now = self.scale.x(self.lab.host.moment().step as f64);
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
            // Where there is no room behind its end, the name stands before it.
            let (x, lift) = match after + galley.size().x <= self.scale.rect.right() + theme::PAD {
                true => (after, 0.0),
                false => (right - 7.0 - galley.size().x, 0.45 * ROW_PX),
            };
            self.painter.galley(pos2(x, y - lift - galley.size().y / 2.0), galley, color);
        }
    }

    /// Calls `draw` with the x of each step in view, from left to right; steps that would overlap are drawn once.
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

    /// Marks of events and edits on the present branch.
    fn marks(&self, edits: &[u64]) {
        let y = self.y(self.present());
        let above = y - 0.42 * ROW_PX;
        for kind in MarkKind::iter() {
            let steps = self.lab.plots.history.marks().steps(kind);
            let color = self.mark_color(kind);
            self.spread(steps, |x| {
                let at = pos2(x, above);
                match kind {
                    MarkKind::Collision => icons::triangle(self.painter, at, MARK_PX, true, color),
                    MarkKind::Loss => icons::triangle(self.painter, at, MARK_PX, false, color),
                    MarkKind::Fault => icons::cross(self.painter, at, MARK_PX, color),
                    MarkKind::Switch => _ = self.painter.circle_filled(at, MARK_PX - 0.5, color),
                }
            });
        }
        self.spread(edits, |x| icons::diamond(self.painter, pos2(x, y), MARK_PX + 1.0, self.color(Role::Text)));
    }

    fn mark_color(&self, kind: MarkKind) -> Color32 {
        match kind {
            MarkKind::Collision => self.color(Role::Detecting),
            MarkKind::Fault => self.color(Role::Warning),
            MarkKind::Switch => theme::paint(self.theme, Role::Group(2).faint(1.0).legible()),
            MarkKind::Loss => theme::paint(self.theme, Role::Group(3).faint(1.0).legible()),
        }
    }

    /// The bookmarks: flags at the top of the rows of their branches.
    fn bookmarks(&self) {
        for bookmark in self.lab.host.timeline().bookmarks() {
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

    fn playhead(&self, step: u64) {
        let rect = self.scale.rect;
        let x = self.scale.x(step as f64);
        let color = self.color(Role::Text);
        self.painter.vline(x, rect.top() + 4.0..=rect.bottom(), Stroke::new(theme::LINE_PX, color));
        icons::triangle(self.painter, pos2(x, rect.top() + 5.0), 5.0, false, color);
    }

    /// The row whose line is nearest to a point, if it is within its row.
    fn row_at(&self, at: Pos2) -> Option<&Row> {
        let row = self.rows.iter().enumerate().find(|(place, _)| (self.y(*place) - at.y).abs() <= 0.5 * ROW_PX);
        row.map(|(_, row)| row).filter(|row| {
            let first = row.leaves.map_or(0, |(_, step)| step);
            let [left, right] = [first, row.end].map(|step| self.scale.x(step as f64));
            (left - NEAR_PX..=right + LABEL_PX).contains(&at.x)
        })
    }

    /// What a click at a point asks for: a bookmark, another branch, or a step.
    fn clicked(&self, at: Pos2, is_shifted: bool) -> Option<TimelineAction> {
        let step = self.scale.step(at.x).round().max(0.0) as u64;
        let present = self.lab.host.timeline().present();
        if let Some(bookmark) = self.bookmark_at(at) {
            return Some(TimelineAction::GoTo(bookmark));
        }
        match self.row_at(at).filter(|row| row.branch != present.id()) {
            Some(row) if is_shifted => Some(TimelineAction::Compare(row.branch)),
            Some(row) => Some(TimelineAction::GoTo(Moment { branch: row.branch, step: step.min(row.end) })),
            None => Some(TimelineAction::GoTo(Moment { branch: present.id(), step: step.min(present.end()) })),
        }
    }

    fn bookmark_at(&self, at: Pos2) -> Option<Moment> {
        let found = self.lab.host.timeline().bookmarks().iter().find(|bookmark| {
            let row = self.rows.iter().position(|row| row.branch == bookmark.moment.branch);
            let x = self.scale.x(bookmark.moment.step as f64);
            row.is_some_and(|row| {
                (-6.0 - NEAR_PX..=2.0).contains(&(x - at.x)) && (0.0..=ROW_PX).contains(&(self.y(row) - at.y))
            })
        });
        found.map(|bookmark| bookmark.moment)
    }

    /// What is under the cursor, in words.
    fn hover(&self, response: &Response, edits: &[u64]) {
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
            lines.push(format!("Branch {}: a click switches to it, Shift + click compares", row.name));
        }
        let timeline = self.lab.host.timeline();
        for bookmark in timeline.bookmarks() {
            if (self.scale.x(bookmark.moment.step as f64) - at.x).abs() <= NEAR_PX + 2.0 {
                lines.push(format!("Bookmark {}", bookmark.name));
            }
        }
        for kind in MarkKind::iter() {
            match count(self.lab.plots.history.marks().steps(kind)) {
                0 => {}
                1 => lines.push(capital(kind.name())),
                many => lines.push(format!("{many} steps with: {}", kind.name())),
            }
        }
        if count(edits) > 0 {
            let changes = self.lab.host.changes();
            let is_near = |at: u64| ((at.saturating_sub(1)) as f64 - step).abs() <= near + 0.5;
            let near = changes.iter().filter(|change| !change.is_undone && change.edits > 0 && is_near(change.step));
            let labels: Vec<&str> = near.map(|change| change.label.as_str()).take(4).collect();
            lines.push(if labels.is_empty() { "An edit".into() } else { labels.join("\n") });
        }
        lines
    }
}
