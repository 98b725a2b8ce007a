//! The tool bar, over the world at its lower edge: the tools, and above them what the one at hand can be set to.

use bevy_egui::egui::{
    Align2, Area, Button, Color32, Frame, Id, Margin, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, WidgetType, vec2,
};

use super::{Hand, Tool};
use crate::draw::Role;
use crate::lab::command::by_title;
use crate::lab::{Action, Lab, theme};

/// Side of a button, in points.
const SIDE_PX: f32 = 28.0;
/// Between the bar and the lower edge of the world, in points.
const MARGIN_PX: f32 = 16.0;
/// Height of the bar, in points.
const HEIGHT_PX: f32 = SIDE_PX + 8.0;

/// Draws the tools over the world; what was asked for.
pub fn ui(ui: &Ui, lab: &Lab, hand: &dyn Hand, world: Rect) -> Vec<Action> {
    let mut actions = Vec::new();
    let low = world.center_bottom() - vec2(0.0, MARGIN_PX);
    area(ui, lab, "tools", low, |ui| {
        Tool::ALL.into_iter().for_each(|tool| actions.extend(button(ui, lab, tool)));
        ui.separator();
        if let Some(command) = by_title("Snap or not") {
            let snap = Button::selectable(lab.kit.snaps, "Snap").min_size(Vec2::new(0.0, SIDE_PX));
            if ui.add(snap).on_hover_text(command.tooltip(&lab.keymap)).clicked() {
                actions.push(Action::Snap);
            }
        }
    });
    if hand.has_options() {
        let mut kit = lab.kit.clone();
        let above = low - vec2(0.0, HEIGHT_PX + 4.0);
        area(ui, lab, "tool options", above, |ui| hand.options(ui, lab, &mut kit));
        if kit != lab.kit {
            actions.push(Action::Kit(kit));
        }
    }
    actions
}

/// A row over the world, with the middle of its lower edge at a point.
fn area(ui: &Ui, lab: &Lab, id: &str, low: Pos2, row: impl FnOnce(&mut Ui)) {
    let theme = lab.settings.theme;
    let frame = Frame::new().fill(theme::paint(theme, Role::Ground.faint(0.92))).corner_radius(6.0);
    let frame = frame.stroke((1.0, theme::color(theme, Role::Grid))).inner_margin(Margin::symmetric(6, 4));
    let area = Area::new(Id::new(id)).fixed_pos(low).pivot(Align2::CENTER_BOTTOM).movable(false).fade_in(false);
    area.sense(Sense::click_and_drag()).constrain(false).show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.horizontal(row);
        });
    });
}

fn button(ui: &mut Ui, lab: &Lab, tool: Tool) -> Option<Action> {
    let command = by_title(tool.title())?;
    let is_active = lab.tool == tool;
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(SIDE_PX), Sense::click());
    let color = |role| theme::color(lab.settings.theme, role);
    // Not by colour alone: the one at hand has a frame.
    if is_active {
        ui.painter().rect_filled(rect, 4.0, color(Role::Accent).gamma_multiply(0.3));
        ui.painter().rect_stroke(rect, 4.0, (1.5, color(Role::Accent)), StrokeKind::Inside);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 4.0, color(Role::Grid));
    }
    icon(ui.painter(), rect, tool, color(if is_active { Role::Text } else { Role::Dim }));
    response.widget_info(|| WidgetInfo::selected(WidgetType::Button, ui.is_enabled(), is_active, tool.title()));
    response.on_hover_text(command.tooltip(&lab.keymap)).clicked().then_some(Action::Tool(tool))
}

/// Draws what stands for a tool.
fn icon(painter: &Painter, rect: Rect, tool: Tool, color: Color32) {
    let unit = rect.width() / 2.0;
    let at = |(x, y): (f32, f32)| rect.center() + vec2(x, y) * unit;
    let stroke = Stroke::new(1.5, color);
    let line = |points: &[(f32, f32)]| {
        painter.line(points.iter().copied().map(at).collect(), stroke);
    };
    let disc = |x: f32, y: f32, radius: f32| painter.circle_filled(at((x, y)), radius * unit, color);
    let ring = |x: f32, y: f32, radius: f32| painter.circle_stroke(at((x, y)), radius * unit, stroke);
    match tool {
        Tool::Select => {
            let arrow = [(-0.4, -0.6), (-0.4, 0.45), (-0.12, 0.2), (0.1, 0.6), (0.3, 0.5), (0.1, 0.12), (0.42, 0.08)];
            painter.add(Shape::closed_line(arrow.map(at).to_vec(), stroke));
        }
        Tool::Spawn => {
            ring(-0.15, 0.15, 0.4);
            line(&[(-0.15, 0.15), (0.25, 0.15)]);
            line(&[(0.4, -0.65), (0.4, -0.25)]);
            line(&[(0.2, -0.45), (0.6, -0.45)]);
        }
        Tool::Wall => {
            let points = [(-0.55, 0.5), (-0.55, -0.4), (0.55, -0.4)].map(at).to_vec();
            painter.line(points, Stroke::new(4.0, color));
        }
        Tool::Obstacle => {
            disc(0.0, 0.0, 0.45);
        }
        Tool::Region => {
            let corners = [(-0.55, -0.45), (0.55, -0.45), (0.55, 0.45), (-0.55, 0.45), (-0.55, -0.45)].map(at);
            painter.extend(Shape::dashed_line(&corners, stroke, 3.0, 2.0));
        }
        Tool::Goal => {
            ring(0.0, 0.0, 0.52);
            line(&[(-0.2, -0.2), (0.2, 0.2)]);
            line(&[(-0.2, 0.2), (0.2, -0.2)]);
        }
        Tool::Light => {
            disc(0.0, 0.0, 0.22);
            for (x, y) in [(1.0, 0.0), (0.7, 0.7), (0.0, 1.0), (-0.7, 0.7)] {
                for way in [-1.0, 1.0] {
                    line(&[(x * 0.38 * way, y * 0.38 * way), (x * 0.62 * way, y * 0.62 * way)]);
                }
            }
        }
        Tool::Erase => {
            let block = [(-0.6, 0.2), (0.15, -0.55), (0.6, -0.1), (-0.15, 0.6)];
            painter.add(Shape::closed_line(block.map(at).to_vec(), stroke));
            line(&[(-0.22, -0.18), (0.22, 0.26)]);
        }
        Tool::Fault => line(&[(0.25, -0.65), (-0.3, 0.05), (0.15, 0.05), (-0.2, 0.65)]),
        Tool::Measure => {
            line(&[(-0.6, 0.0), (0.6, 0.0)]);
            [-0.6, -0.2, 0.2, 0.6].into_iter().for_each(|x| line(&[(x, -0.25), (x, 0.25)]));
        }
    }
}
