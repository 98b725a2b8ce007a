//! The two halves of the view: their rectangles, their headers, and the tools in B.

use bevy::math::DVec2;
use bevy_egui::egui::{
    Align, Button, Label, Layout, Rect, Response, RichText, Sense, Ui, UiBuilder, WidgetInfo, WidgetType,
};
use swarmarium_lab_state::action::{Action, Changed, CompareAction, GoesTo, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::canvas::{texts, world_m};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::compare::Other;
use swarmarium_picture::palette::Role;

use crate::compare::strip;

/// Height of the header of a half, in points.
const HEAD_PX: f32 = 26.0;

/// Gap between the halves, in points.
const GAP_PX: f32 = 2.0;

/// The rectangles of a comparison.
pub struct Halves {
    /// The world on the left.
    pub a: Rect,
    /// The world on the right.
    pub b: Rect,
    head_a: Rect,
    head_b: Rect,
    strip: Rect,
    content: strip::Content,
}

impl Halves {
    /// Splits a rectangle into two halves with headers above them and a strip below.
    pub fn of(rect: Rect, lab: &Lab, other: &Other) -> Self {
        let content = strip::Content::of(lab, other, rect.height());
        let strip_px = content.height_px(rect.height());
        let (above, strip) = rect.split_top_bottom_at_y(rect.bottom() - strip_px);
        let (left, right) = above.split_left_right_at_fraction(0.5);
        let (left, right) =
            (left.with_max_x(left.right() - GAP_PX / 2.0), right.with_min_x(right.left() + GAP_PX / 2.0));
        let y = (above.top() + HEAD_PX).min(above.bottom());
        let ((head_a, a), (head_b, b)) = (left.split_top_bottom_at_y(y), right.split_top_bottom_at_y(y));
        Self { a, b, head_a, head_b, strip, content }
    }
}

/// World B in a frame.
pub struct WorldB {
    /// The response to the mouse.
    pub response: Response,
    /// The point of B under the cursor, in metres.
    pub cursor_m: Option<DVec2>,
    /// Whether B uses the camera of A.
    is_linked: bool,
}

impl WorldB {
    /// Returns an action of a tool in B: it moves the camera of B, unless B uses that of A.
    pub fn action_in_b(&self, action: Action) -> Action {
        match action {
            Action::View(ViewAction::Pan(by_px)) if !self.is_linked => Action::Compare(CompareAction::Pan(by_px)),
            Action::View(ViewAction::Zoom { at_px: Some(at_px), factor }) if !self.is_linked => {
                Action::Compare(CompareAction::Zoom(at_px, factor))
            }
            action => action,
        }
    }
}

/// Draws world B, the headers and the strip, and adds the requested actions.
pub fn ui(ui: &mut Ui, halves: &Halves, lab: &Lab, other: &Other, actions: &mut Vec<Action>) -> WorldB {
    let world_b = world(ui, halves.b, lab, other);
    let [ground, line] = [Role::Ground, Role::Grid].map(|role| theme::color(lab.shell.settings.theme, role));
    let behind = ui.painter();
    for rect in [halves.head_a, halves.head_b, halves.strip] {
        behind.rect_filled(rect, 0.0, ground);
    }
    behind.rect_filled(Rect::from_min_max(halves.head_a.right_top(), halves.b.left_bottom()), 0.0, line);
    head(ui, halves.head_a, |ui| {
        let hint = match &other.branch {
            Some(_) => "The present branch".into(),
            None => paths(&other.differences.changed, "with the value of the run"),
        };
        let [text, _] = other.heads(&lab.run);
        title(ui, &text.text(lab.run.host.simulation()), &hint);
    });
    head(ui, halves.head_b, |ui| head_of_b(ui, lab, other, actions));
    let place = UiBuilder::new().id_salt("strip").max_rect(halves.strip.shrink2([theme::PAD, 2.0].into()));
    strip::ui(&mut ui.new_child(place), lab, other, halves.content, actions);
    world_b
}

/// Draws world B.
fn world(ui: &Ui, rect: Rect, lab: &Lab, other: &Other) -> WorldB {
    let response = ui.interact(rect, ui.id().with("world B"), Sense::click_and_drag());
    texts(&ui.painter_at(rect), rect, &other.camera, lab.shell.settings.theme, &other.picture);
    let cursor_m = response.hover_pos().map(|at| world_m(&other.camera, rect, at));
    WorldB { response, cursor_m, is_linked: other.is_linked }
}

fn head(ui: &mut Ui, rect: Rect, content: impl FnOnce(&mut Ui)) {
    let place = UiBuilder::new().max_rect(rect.shrink2([theme::PAD, 0.0].into()));
    let mut place = ui.new_child(place.id_salt(rect.left() as i64).layout(Layout::left_to_right(Align::Center)));
    place.set_clip_rect(rect.intersect(ui.clip_rect()));
    content(&mut place);
}

fn head_of_b(ui: &mut Ui, lab: &Lab, other: &Other, actions: &mut Vec<Action>) {
    let ([_, head], from) = (other.heads(&lab.run), other.begin_text(&lab.run));
    if let Some(branch) = &other.branch {
        let beyond = lab.run.host.timeline().branch(branch.id).is_some_and(|of| of.end() < other.simulation().steps());
        let text = format!("{}{}, {from}", head.text(other.simulation()), if beyond { ", past its end" } else { "" });
        let hint = "Another branch at the same step; changes go to A, and \"Keep B\" switches to this branch";
        title(ui, &text, hint);
        return;
    }
    // From the right, so that long values do not cover the button.
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let (changed, goes_to) = (&other.differences.changed, lab.compare.goes_to);
        let head = head.text(other.simulation());
        let titles = [format!("{head}, {from}"), format!("{head}, {}", other.begin_text_short()), head];
        let (name, full) = (goes_to.name(), &titles[0]);
        // The title matters more than the button, so that the text of the button is shortened first.
        let texts = [
            (full, format!("Changes go to {name}")),
            (full, format!("Changes: {name}")),
            (&titles[1], format!("Changes: {name}")),
            (&titles[1], name.to_owned()),
            (&titles[2], name.to_owned()),
        ];
        let gap_px = ui.spacing().item_spacing.x + theme::PAD;
        let room_px = ui.available_width() - gap_px;
        let px = |title: &str, text: &str| {
            strip::text_px(ui, RichText::new(title).strong()) + strip::text_px(ui, RichText::new(text))
        };
        let fitting = texts.iter().find(|(title, text)| px(title, text) <= room_px).or(texts.last());
        let Some((shown, text)) = fitting else { return };
        let text = RichText::new(text);
        let text = if goes_to == GoesTo::Both { text.weak() } else { text };
        let hint = "Changes in the window are made in both worlds, in A or in B; a compared parameter never changes in both. \
                    A click selects the next choice";
        if ui.add(Button::new(text).frame(false)).on_hover_text(hint).clicked() {
            actions.push(Action::Compare(CompareAction::GoTo(goes_to.next())));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let hint = format!("{full}\n{}", paths(changed, &format!("with this value {from}")));
            let label = Label::new(RichText::new(shown.as_str()).strong()).truncate();
            let label = ui.add(label.show_tooltip_when_elided(false)).on_hover_text(hint);
            label.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, full.as_str()));
        });
    });
}

/// Draws a title that is cut where the room ends, with one tooltip that has the whole title and the hint.
fn title(ui: &mut Ui, text: &str, hint: &str) {
    let label = Label::new(RichText::new(text).strong()).truncate().show_tooltip_when_elided(false);
    ui.add(label).on_hover_text(format!("{text}\n{hint}"));
}

fn paths(changed: &[Changed], how: &str) -> String {
    let paths: Vec<&str> = changed.iter().map(|changed| changed.path.as_str()).collect();
    format!("{}\n{how}", paths.join("\n"))
}
