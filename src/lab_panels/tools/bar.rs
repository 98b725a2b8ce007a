//! The toolbar below the world, and the options of the active tool over the lower edge of the world.

use bevy_egui::egui::{
    Align2, Area, Button, Color32, Frame, Id, Margin, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind,
    TextWrapMode, Ui, Vec2, WidgetInfo, WidgetType, vec2,
};
use swarmarium_lab_state::action::{Action, ToolAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_picture::palette::Role;

use crate::command_actions;
use crate::tools::{Tool, ToolHandler};

/// Width of the switches after the tools, including their gap, in points.
const SWITCHES_PX: f32 = 180.0;

/// The switches after the tools: command, text and name.
const SWITCHES: [(CommandId, &str, &str); 3] = [
    (CommandId::SnapOrNot, "Snap", "Snap"),
    (CommandId::ShowOrHideTheView, "View", "View panel"),
    (CommandId::ShowOrHideTheLegendOfMarks, "Legend", "Legend"),
];

/// Draws the tools, in several rows if necessary, and returns the requested actions.
pub fn ui(ui: &mut Ui, lab: &Lab) -> Vec<Action> {
    let mut actions = Vec::new();
    row_style(ui);
    ui.horizontal_wrapped(|ui| {
        Tool::ALL.into_iter().for_each(|tool| actions.extend(button(ui, lab, tool)));
        // All switches stay in one row.
        if ui.available_size_before_wrap().x < SWITCHES_PX {
            ui.end_row();
        }
        for (id, text, name) in SWITCHES {
            let command = id.command();
            let switch = Button::selectable(command_actions::is_on(command, lab).unwrap_or_default(), text);
            let switch = switch.frame_when_inactive(true).min_size(Vec2::new(0.0, theme::TOOL_PX));
            let switch = ui.add(switch);
            named(&switch, name);
            if switch.on_hover_text(command.tooltip(&lab.shell.keymap)).clicked() {
                actions.extend(command_actions::action(command.id, lab));
            }
        }
    });
    actions
}

/// Draws the options of the active tool over the lower edge of the world, and returns the requested action.
pub fn options(ui: &Ui, lab: &Lab, handler: &dyn ToolHandler, world: Rect) -> Option<Action> {
    if !handler.has_options() {
        return None;
    }
    let mut options = lab.edits.toolbox.options.clone();
    let low = world.center_bottom() - vec2(0.0, theme::GAP);
    let most_px = world.width() - 2.0 * theme::GAP;
    area(ui, lab, "tool options", (low, most_px), |ui| handler.options(ui, lab, &mut options));
    (options != lab.edits.toolbox.options).then_some(Action::Tool(ToolAction::SetUp(options)))
}

fn row_style(ui: &mut Ui) {
    ui.spacing_mut().item_spacing = Vec2::splat(theme::TINY_GAP);
    // Buttons wrap to the next row; their texts do not wrap.
    ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
}

/// Draws a row over the world. `low` is the centre of its lower edge, and `most_px` its maximum width, in points.
fn area(ui: &Ui, lab: &Lab, id: &str, (low, most_px): (Pos2, f32), row: impl FnOnce(&mut Ui)) {
    let theme = lab.shell.settings.theme;
    let frame = Frame::new().fill(theme::paint(theme, Role::Ground.faint(theme::DENSE_VEIL)));
    let frame = frame.corner_radius(theme::LARGE_CORNER_PX).stroke((1.0, theme::color(theme, Role::Grid)));
    let frame = frame.inner_margin(Margin::symmetric(theme::SMALL_GAP as i8, theme::TINY_GAP as i8));
    let area = Area::new(Id::new(id)).fixed_pos(low).pivot(Align2::CENTER_BOTTOM).movable(false).fade_in(false);
    area.sense(Sense::click_and_drag()).constrain(false).show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            row_style(ui);
            ui.set_max_width(most_px - 2.0 * theme::SMALL_GAP);
            ui.horizontal_wrapped(row);
        });
    });
}

fn button(ui: &mut Ui, lab: &Lab, tool: Tool) -> Option<Action> {
    let command = tool.command().command();
    let is_active = lab.edits.toolbox.tool == tool;
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(theme::TOOL_PX), Sense::click());
    let color = |role| theme::color(lab.shell.settings.theme, role);
    // Not by colour alone: the active tool has a frame.
    if is_active {
        ui.painter().rect_filled(rect, theme::CORNER_PX, color(Role::Accent).gamma_multiply(0.3));
        let frame = (theme::ICON_LINE_PX, color(Role::Accent));
        ui.painter().rect_stroke(rect, theme::CORNER_PX, frame, StrokeKind::Inside);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, theme::CORNER_PX, color(Role::Grid));
    }
    icon(ui.painter(), rect, tool, color(if is_active { Role::Text } else { Role::Dim }));
    response.widget_info(|| WidgetInfo::selected(WidgetType::Button, ui.is_enabled(), is_active, command.title));
    response.on_hover_text(command.tooltip(&lab.shell.keymap)).clicked().then_some(Action::Tool(ToolAction::Take(tool)))
}

/// Draws the icon of a tool.
fn icon(painter: &Painter, rect: Rect, tool: Tool, color: Color32) {
    let unit = rect.width() / 2.0;
    let at = |(x, y): (f32, f32)| rect.center() + vec2(x, y) * unit;
    let stroke = Stroke::new(theme::ICON_LINE_PX, color);
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
            painter.line(points, Stroke::new(theme::TINY_GAP, color));
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
