//! The legend beside a plot: the colour, the name and the value of each line. A click hides a line, or shows it again.

use bevy_egui::egui::{
    self, Align2, Color32, FontId, Rect, ScrollArea, Sense, Shape, Stroke, Ui, WidgetInfo, WidgetType,
};
use egui_plot::LineStyle;
use swarmarium_lab_state::common::settings::PlotLayout;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::elided;
use swarmarium_lab_state::plots::drawn::line_style;
use swarmarium_lab_state::plots::layout::{Card, CardLine};
use swarmarium_picture::palette::Role;

use crate::plots::{Frame, line_color};

/// Height of a row, in points.
const ROW_PX: f32 = 17.0;

/// Length of the piece of a line before a name, in points.
const SWATCH_PX: f32 = 18.0;

/// Gap between the parts of a row, and before the legend, in points.
const GAP_PX: f32 = theme::SMALL_GAP;

/// The largest part of the width of a plot that its legend takes.
const MOST: f32 = 0.45;

/// Returns the text of the value of a line, with its unit if the plot has two.
fn value(card: &Card, frame: &Frame, line: &CardLine) -> String {
    let text = frame.value_text(card, line);
    let unit = if line.is_right { card.right_unit().unwrap_or_default() } else { card.unit() };
    if card.right_unit().is_some() && !unit.is_empty() { format!("{text} {unit}") } else { text }
}

fn width_of(ui: &Ui, text: String, font: FontId) -> f32 {
    ui.fonts_mut(|fonts| fonts.layout_no_wrap(text, font, Color32::PLACEHOLDER).size().x)
}

/// Returns the width that the legend of a plot needs, at most [`MOST`] of the width of the plot.
pub(super) fn width_px(ui: &Ui, card: &Card, frame: &Frame, plot_px: f32) -> f32 {
    let widths = card.lines().map(|line| {
        let value_px = width_of(ui, value(card, frame, &line), FontId::monospace(theme::SMALL_PX));
        width_of(ui, line.name, theme::font(theme::SMALL_PX)) + value_px
    });
    let needed = widths.fold(0.0, f32::max) + SWATCH_PX + 3.0 * GAP_PX;
    needed.min(MOST * plot_px)
}

/// Draws the legend beside a plot.
pub(super) fn legend(ui: &mut Ui, card: &Card, frame: &Frame, size_px: egui::Vec2, layout: &mut PlotLayout) {
    ui.allocate_ui_with_layout(size_px, egui::Layout::top_down(egui::Align::Min), |ui| {
        ScrollArea::vertical().id_salt(("legend", card.key())).auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (place, line) in card.lines().enumerate() {
                row(ui, card, frame, (place, &line), layout);
            }
        });
    });
}

fn row(ui: &mut Ui, card: &Card, frame: &Frame, (place, line): (usize, &CardLine), layout: &mut PlotLayout) {
    let theme = frame.lab.shell.settings.theme;
    let series = frame.names[line.series];
    let is_shown = frame.layout.shows(series);
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), ROW_PX), Sense::click());
    let value = value(card, frame, line);
    let name = format!("{} {}", value.trim_start(), line.name);
    response.widget_info(|| WidgetInfo::selected(WidgetType::Button, true, is_shown, &name));
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme::color(theme, Role::Grid));
    }
    let left = rect.left() + GAP_PX;
    let ends = [left, left + SWATCH_PX].map(|x| egui::pos2(x, rect.center().y));
    let color = line_color(theme, place);
    // A hidden line has no swatch, so that its state is not told by colour alone.
    if is_shown {
        let stroke = Stroke::new(2.0, color);
        ui.painter().extend(match line_style(place) {
            LineStyle::Solid => vec![Shape::line_segment(ends, stroke)],
            LineStyle::Dotted { .. } => Shape::dotted_line(&ends, color, 4.0, 1.0),
            LineStyle::Dashed { .. } => Shape::dashed_line(&ends, stroke, 5.0, 3.0),
        });
    }
    let role = if is_shown { Role::Text } else { Role::Dim };
    let (small, number) = (theme::font(theme::SMALL_PX), FontId::monospace(theme::SMALL_PX));
    let shown = if is_shown { value } else { "hidden".into() };
    let value_px = width_of(ui, shown.clone(), number.clone());
    let name_px = rect.right() - value_px - GAP_PX - (ends[1].x + GAP_PX);
    let text = elided(ui, &line.name, small.clone(), name_px);
    let at = |x: f32| egui::pos2(x, rect.center().y);
    let painter = ui.painter_at(Rect::from_min_max(rect.min, rect.max));
    painter.text(at(ends[1].x + GAP_PX), Align2::LEFT_CENTER, text, small, theme::color(theme, role));
    painter.text(at(rect.right()), Align2::RIGHT_CENTER, shown, number, theme::color(theme, role));
    let axis = match (card.right_unit(), line.is_right) {
        (None, _) => "",
        (_, true) => ", on the right axis",
        (_, false) => ", on the left axis",
    };
    let verb = if is_shown { "hides" } else { "shows" };
    if response.on_hover_text(format!("{}{axis}; a click {verb} the line", line.name)).clicked() {
        layout.toggle_line(series);
    }
}
