//! The strip: the track of the timeline with the lane of moments, buttons, the present time, and the field for names.

pub mod lane;
pub mod lanes;
pub mod menu;
pub mod track;

use bevy_egui::egui::{
    self, Align, Align2, Button, Id, Key, Label, Layout, PointerButton, Pos2, Rect, Response, Sense, Stroke, TextEdit,
    Ui, pos2, vec2,
};
use swarmarium_host::timeline::BranchId;
use swarmarium_lab_state::action::{Action, RangeEnd, TimelineAction, TimelineItem};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{dots, named, select_all};
use swarmarium_lab_state::plots::edits;
use swarmarium_picture::palette::Role;

use crate::command_actions;
use crate::timeline::icons::Icon;
use crate::timeline::rows::{Row, Shown, rows};
use crate::timeline::strip::lane::LANE_PX;
use crate::timeline::strip::lanes::Lanes;
use crate::timeline::strip::track::{ROW_PX, Scale, Track};

/// Height of the ruler, in points; a low window has none.
const RULER_PX: f32 = 15.0;

/// Height of a window from which moments have a lane of their own, in points; in a lower one, they are above the present
/// branch.
const LEAST_HEIGHT_PX: f32 = 760.0;

/// Space below the rows, in points.
const BELOW_PX: f32 = 3.0;

/// Maximum number of rows by the height of the window, in points. A low window has one.
const MOST_ROWS: [(f32, usize); 2] = [(640.0, 3), (f32::INFINITY, 6)];

/// Width of a button, in points.
const BUTTON_PX: f32 = 24.0;

/// The rows that have room, also while there are fewer branches.
const USUAL_ROWS: usize = 2;

/// Width of the time beside the track, in points.
const TOLD_PX: f32 = 168.0;

/// Minimum width of the track, in points. If it does not fit, the time and then the buttons are hidden.
const LEAST_TRACK_PX: f32 = 220.0;

/// Wheel travel, in points, that zooms by a factor of e.
const WHEEL_PX: f32 = 250.0;

/// The strip.
#[derive(Default)]
pub struct Strip {
    shown: Shown,
    /// The present drag on the track.
    drag: Option<Drag>,
    /// The opening of the displayed run.
    opening: u64,
    /// The item whose name was edited in the last frame, and the text so far.
    naming: Option<(TimelineItem, String)>,
    /// The upper right corner, once the strip was drawn.
    corner_px: Option<Pos2>,
    edits: EditSteps,
    lanes: Lanes,
}

/// A drag on the track.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drag {
    Playhead,
    Range(RangeEnd),
    /// Selects a range from this step.
    NewRange(u64),
    Pan,
}

/// The cached steps of the edits of a branch.
#[derive(Default)]
struct EditSteps {
    of: Option<(BranchId, u64)>,
    steps: Vec<u64>,
}

impl EditSteps {
    fn follow(&mut self, lab: &Lab) {
        let timeline = lab.run.host.timeline();
        let branch = timeline.present();
        let of = Some((branch.id(), timeline.revision()));
        if self.of != of {
            // An edit is applied at the start of its step, which is the end of the step before.
            self.steps = edits::changes(branch.applied()).map(|logged| logged.step.saturating_sub(1)).collect();
            self.steps.dedup();
            self.of = of;
        }
    }
}

/// Returns the height of the strip with a number of rows below the ruler and the lane of moments, in points.
fn height_px(above_px: f32, rows: usize) -> f32 {
    (above_px + rows as f32 * ROW_PX + BELOW_PX).max(BUTTON_PX)
}

impl Strip {
    /// Returns the upper right corner in the window, once the strip was drawn.
    pub fn corner_px(&self) -> Option<Pos2> {
        self.corner_px
    }

    /// Draws the strip at the lower edge of the remaining window, and returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.opening != lab.run.openings {
            *self = Self { opening: lab.run.openings, corner_px: self.corner_px, ..Self::default() };
        }
        let window_px = ui.ctx().content_rect().height();
        let is_low = theme::is_low(ui.ctx());
        let most = MOST_ROWS.into_iter().find(|(height_px, _)| !is_low && window_px < *height_px);
        let most = most.map_or(1, |(_, most)| most);
        let rows = rows(lab.run.host.timeline(), most);
        let ruler_px = if is_low { 0.0 } else { RULER_PX };
        let lane_px = if window_px < LEAST_HEIGHT_PX { 0.0 } else { LANE_PX };
        let lanes_px = if is_low { 0.0 } else { lanes::height_px(lab) };
        // A branch that begins does not move the panels above.
        let usual_rows = if window_px < LEAST_HEIGHT_PX { 1 } else { USUAL_ROWS };
        let height = height_px(ruler_px + lane_px, rows.len().max(most.min(usual_rows))) + lanes_px;
        let panel = egui::Panel::bottom("timeline").exact_size(height).resizable(false).frame(theme::bar(0));
        let shown = panel.show(ui, |ui| {
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
                self.track(ui, lab, (rect, ruler_px, lane_px, lanes_px), &rows, &mut actions);
                ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
                    right(ui, lab, &rows, has_words, &mut actions);
                });
            });
            self.name_field(ui, lab, &mut actions);
        });
        self.corner_px = Some(shown.response.rect.right_top());
        actions
    }

    /// Draws branches and marks, and handles the mouse on them.
    fn track(
        &mut self,
        ui: &Ui,
        lab: &Lab,
        (rect, ruler_px, lane_px, lanes_px): (Rect, f32, f32, f32),
        rows: &[Row],
        actions: &mut Vec<Action>,
    ) {
        let rect = rect.shrink2(vec2(theme::PAD, 0.0));
        let response = ui.interact(rect, ui.id().with("track"), Sense::click_and_drag());
        named(&response, "Timeline");
        self.edits.follow(lab);
        let last = rows.iter().map(|row| row.end).max().unwrap_or_default();
        let now = lab.timeline.playhead(&lab.run.host);
        if self.drag.is_none() && response.hover_pos().is_none() {
            self.shown.reveal(now.step, last);
        }
        let scale = Scale { rect, range: self.shown.range(last) };
        let painter = ui.painter_at(rect.expand2(vec2(theme::PAD, 0.0)));
        let theme = lab.shell.settings.theme;
        let moments = &lane::marks(lab, scale);
        let lanes_rect = Rect::from_min_max(pos2(rect.left(), rect.bottom() - lanes_px), rect.right_bottom());
        let track = Track { lab, scale, lanes_rect, ruler_px, lane_px, moments, rows, theme, painter: &painter };
        if ruler_px > 0.0 {
            track.ruler(now.step);
        }
        track.range();
        track.branches();
        track.edits(&self.edits.steps);
        track.moments();
        self.lanes.draw(ui, lab, (lanes_rect, scale));
        track.bookmarks();
        track.playhead(now.step);
        self.handle(&response, &track, last, actions);
        if self.drag.is_none() {
            track.hover(&response, &self.edits.steps);
        }
        menu::of_place(&response, &track, actions);
    }

    /// Handles the mouse on the track.
    fn handle(&mut self, response: &Response, track: &Track, last: u64, actions: &mut Vec<Action>) {
        let Track { lab, scale, .. } = *track;
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
        let step_at = |x: f32| scale.step(x).round().clamp(0.0, lab.run.host.live_end() as f64) as u64;
        if response.drag_started() {
            let origin = response.ctx.input(|input| input.pointer.press_origin());
            self.drag = origin.map(|at| match () {
                () if response.drag_started_by(PointerButton::Middle) => Drag::Pan,
                () if modifiers.shift => Drag::NewRange(step_at(at.x)),
                () => track.range_end_at(at).map_or(Drag::Playhead, Drag::Range),
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
            actions.extend(track.clicked(at, modifiers.shift).map(Action::from));
        }
    }

    /// Draws the field for an edited name, over the strip.
    fn name_field(&mut self, ui: &Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let Some((item, name)) = &lab.timeline.naming else {
            self.naming = None;
            return;
        };
        let draft = self.naming.take().filter(|(named, _)| named == item);
        let is_new = draft.is_none();
        let (_, text) = self.naming.insert(draft.unwrap_or_else(|| (item.clone(), name.clone())));
        let what = match item {
            TimelineItem::Branch(_) => "Name of the branch",
            TimelineItem::Bookmark(_) => "Name of the bookmark",
        };
        let theme = lab.shell.settings.theme;
        let at = ui.max_rect().center_top() - vec2(0.0, theme::GAP);
        let area = egui::Area::new(Id::new("timeline name")).fixed_pos(at).pivot(Align2::CENTER_BOTTOM).fade_in(false);
        let mut done = None;
        area.show(ui.ctx(), |ui| {
            let frame = theme::panel(theme).stroke(Stroke::new(1.0, theme::color(theme, Role::Grid)));
            frame.corner_radius(theme::LARGE_CORNER_PX).show(ui, |ui| {
                ui.horizontal(|ui| {
                    let label = ui.label(what);
                    let field = ui.add(TextEdit::singleline(text).desired_width(180.0)).labelled_by(label.id);
                    let field = field.on_hover_text("A name that is neither a number nor a time (Enter; Esc cancels)");
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
        actions.extend(done.map(|name| match name {
            Some(name) => Action::from(TimelineAction::Rename(item.clone(), name)),
            None => Action::from(TimelineAction::CancelRename(item.clone())),
        }));
    }
}

/// Draws the time and the buttons for the present moment.
fn right(ui: &mut Ui, lab: &Lab, rows: &[Row], has_words: bool, actions: &mut Vec<Action>) {
    let theme = lab.shell.settings.theme;
    dots(ui, theme, (BUTTON_PX, BUTTON_PX), "More of the timeline", "Range, clip, branches and bookmarks", |ui| {
        menu::of_timeline(ui, lab, actions);
    });
    for (icon, title) in [
        (Icon::Link, CommandId::CopyALinkToThisMoment),
        (Icon::Find, CommandId::FindAMoment),
        (Icon::Bookmark, CommandId::AddABookmark),
    ] {
        button(ui, lab, icon, title, actions);
    }
    if !has_words {
        return;
    }
    let now = lab.run.host.moment();
    let dt_s = lab.run.host.simulation().time().dt_s;
    let text = match lab.run.host.is_in_past() {
        true => format!("{:.2} s of {:.2} s", now.step as f64 * dt_s, lab.run.host.live_end() as f64 * dt_s),
        false => format!("{:.2} s, live", now.step as f64 * dt_s),
    };
    let name = if rows.len() > 1 { lab.run.host.timeline().present().name() } else { "" };
    ui.allocate_ui_with_layout(vec2(TOLD_PX, BUTTON_PX), Layout::right_to_left(Align::Center), |ui| {
        ui.set_min_size(vec2(TOLD_PX, BUTTON_PX));
        let role = if lab.run.host.is_in_past() { Role::Warning } else { Role::Dim };
        let hint = format!(
            "Step {} of {}{}",
            grouped(now.step),
            grouped(lab.run.host.live_end()),
            if name.is_empty() { String::new() } else { format!(" of branch {name}") }
        );
        let label = Label::new(theme::number(text).color(theme::color(theme, role))).truncate();
        ui.add(label).on_hover_text(hint);
    });
}

/// Draws the buttons at the left.
fn buttons(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    for (icon, title) in [
        (Icon::Start, CommandId::GoToTheStart),
        (Icon::Back, CommandId::StepBack),
        (Icon::Forward, CommandId::Step),
        (Icon::LiveEnd, CommandId::GoToTheLiveEnd),
    ] {
        button(ui, lab, icon, title, actions);
    }
}

/// Draws an icon button for a command.
fn button(ui: &mut Ui, lab: &Lab, icon: Icon, id: CommandId, actions: &mut Vec<Action>) {
    let command = id.command();
    let button = ui.add(Button::new("").frame(false).min_size(vec2(BUTTON_PX, BUTTON_PX)));
    named(&button, if id == CommandId::Step { "Step forward" } else { command.title });
    let role = if button.hovered() || button.has_focus() { Role::Text } else { Role::Dim };
    icon.paint(ui.painter(), button.rect, theme::color(lab.shell.settings.theme, role));
    if button.on_hover_text(command.tooltip(&lab.shell.keymap)).clicked() {
        actions.extend(command_actions::action(id, lab));
    }
}
