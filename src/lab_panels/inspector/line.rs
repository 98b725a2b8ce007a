//! Lines of the inspector: a label, a drawing, a number with its unit, and a button that plots the number.

use bevy_egui::egui::{
    Align, Label, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2, WidgetInfo, WidgetType, pos2,
    vec2,
};
use swarmarium_lab_state::action::{Action, PlotAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::{Role, Theme};

use crate::parameters::Fold;

/// Height of a line, in points.
pub const HEIGHT: f32 = 18.0;

/// Gap between the cells of a line, in points.
const GAP: f32 = 4.0;

/// Width of the button that plots a number, in points.
const PIN: f32 = 16.0;

/// Width of a unit, in points.
const UNIT: f32 = 36.0;

/// Width of a number, in points.
const NUMBER: f32 = 70.0;

/// Width of a column in a list of numbers, in points.
const COLUMN: f32 = 60.0;

/// Minimum width of the drawing of a line, in points; narrower drawings are omitted.
const NARROWEST: f32 = 16.0;

/// Numbers from here on are shown as missing, since a memory can start with the largest number.
const NOTHING: f64 = 1e300;

/// One line of the inspector.
#[derive(Default)]
pub struct Line<'a> {
    /// The label.
    pub name: &'a str,
    /// Whether the label is a reading in words, which is not dimmed.
    pub is_reading: bool,
    /// The tooltip, one sentence.
    pub about: &'a str,
    /// The number as formatted by [`number_text`], or a word.
    pub value: &'a str,
    /// The unit.
    pub unit: &'a str,
    /// The path for plotting the number.
    pub pin: Option<String>,
}

/// The rectangles of the cells of a line.
pub struct Cells {
    /// The label.
    pub name: Rect,
    /// The drawing.
    pub drawing: Rect,
    /// The number.
    pub number: Rect,
    /// The unit.
    pub unit: Rect,
    /// The plot button.
    pub pin: Rect,
}

impl Cells {
    /// Returns the cells of the next line, which has the width of the panel.
    pub fn next(ui: &mut Ui) -> Self {
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), HEIGHT));
        Self::of(rect)
    }

    fn of(rect: Rect) -> Self {
        let mut right = rect.right();
        let mut take = |width: f32| {
            let cell = Rect::from_x_y_ranges(right - width..=right, rect.y_range());
            right -= width + GAP;
            cell
        };
        let (pin, unit, number) = (take(PIN), take(UNIT), take(NUMBER));
        let rest = (right - rect.left()).max(0.0);
        let middle = rect.left() + (rest * 0.66).clamp(rest.min(80.0), 150.0);
        let cell = |from: f32, to: f32| Rect::from_x_y_ranges(from..=to.max(from), rect.y_range());
        Self { name: cell(rect.left(), middle - GAP), drawing: cell(middle, right - GAP), number, unit, pin }
    }

    /// Extends the label over the cell of the drawing.
    pub fn without_drawing(self) -> Self {
        Self { name: self.name.with_max_x(self.drawing.right()), ..self }
    }
}

impl Line<'_> {
    /// Draws the line without a drawing.
    pub fn ui(self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let cells = Cells::next(ui).without_drawing();
        self.within(ui, lab, &cells, actions);
    }

    /// Draws the line with a drawing.
    pub fn with_drawing(self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>, draw: impl FnOnce(&Ui, Rect)) {
        let cells = Cells::next(ui);
        if cells.drawing.width() >= NARROWEST {
            draw(ui, cells.drawing);
        }
        self.within(ui, lab, &cells, actions);
    }

    /// Draws the line into the given cells.
    pub fn within(self, ui: &mut Ui, lab: &Lab, cells: &Cells, actions: &mut Vec<Action>) {
        let Self { name, is_reading, about, value, unit, pin } = self;
        let about = if about.is_empty() { name } else { about };
        cell(ui, cells.name, Align::Min, |ui| {
            let name = if is_reading { RichText::new(name) } else { RichText::new(name).weak() };
            ui.add(Label::new(name).truncate().show_tooltip_when_elided(false)).on_hover_text(about);
        });
        cell(ui, cells.number, Align::Max, |ui| {
            ui.add(Label::new(theme::number(value)).truncate().show_tooltip_when_elided(false)).on_hover_text(about);
        });
        cell(ui, cells.unit, Align::Min, |ui| ui.weak(RichText::new(unit).size(theme::SMALL_PX)));
        if let Some(path) = pin {
            pin_ui(ui, lab, cells.pin, path, actions);
        }
    }
}

/// Draws into a rectangle without moving other widgets.
pub fn cell<R>(ui: &mut Ui, rect: Rect, align: Align, content: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = match align {
        Align::Max => Layout::right_to_left(Align::Center),
        Align::Min | Align::Center => Layout::left_to_right(Align::Center),
    };
    content(&mut ui.new_child(UiBuilder::new().max_rect(rect).layout(layout)))
}

/// Draws the button that plots a number or removes it from the plots.
pub fn pin_ui(ui: &Ui, lab: &Lab, rect: Rect, path: String, actions: &mut Vec<Action>) {
    let is_pinned = lab.plots.history.pins().any(|known| known == path);
    let rect = Rect::from_center_size(rect.center(), Vec2::splat(PIN));
    let response = ui.interact(rect, ui.id().with(("pin", &path)), Sense::click());
    let role = match (is_pinned, response.hovered() || response.has_focus()) {
        (true, _) => Role::Accent,
        (false, true) => Role::Text,
        (false, false) => Role::Dim,
    };
    let color = theme::color(lab.shell.settings.theme, role);
    let inner = rect.shrink(3.0);
    let at = |x: f32, y: f32| pos2(inner.left() + x * inner.width(), inner.bottom() - y * inner.height());
    // Not by colour alone: the icon of a plotted number has a frame.
    if is_pinned {
        let frame = Stroke::new(1.0, color);
        ui.painter().rect_stroke(rect, 2.0, frame, StrokeKind::Inside);
    } else {
        ui.painter().line(vec![at(0.0, 1.0), at(0.0, 0.0), at(1.0, 0.0)], Stroke::new(1.0, color));
    }
    let curve = vec![at(0.15, 0.2), at(0.4, 0.65), at(0.65, 0.4), at(1.0, 0.9)];
    ui.painter().line(curve, Stroke::new(theme::ICON_LINE_PX, color));
    let word = if is_pinned { "Unpin" } else { "Pin" };
    response
        .widget_info(|| WidgetInfo::selected(WidgetType::Button, ui.is_enabled(), is_pinned, format!("{word} {path}")));
    let about = if is_pinned { "Removes this number from the plots" } else { "Plots this number" };
    if response.on_hover_text(format!("{about}; its path is {path}")).clicked() {
        actions.push(Action::Plot(PlotAction::Pin(path)));
    }
}

/// Draws the heading of a section, which opens and closes it. Returns whether the section is open.
pub fn section(ui: &mut Ui, theme: Theme, name: &str, note: &str, about: &str) -> bool {
    ui.add_space(theme::TINY_GAP);
    let fold = Fold { is_open: true, is_section: true, ..Fold::new(name, name, note) };
    fold.ui(ui, theme, about)
}

/// Draws a long text with the width of the panel; numbers form columns.
pub fn block(ui: &mut Ui, text: &str, about: &str) {
    let are_numbers = text.split_whitespace().all(|part| part.parse::<f64>().is_ok());
    if !are_numbers {
        ui.add(Label::new(theme::number(text)).wrap()).on_hover_text(about);
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for part in text.split_whitespace() {
            let (rect, response) = ui.allocate_exact_size(vec2(COLUMN, HEIGHT - GAP), Sense::hover());
            cell(ui, rect, Align::Max, |ui| ui.label(theme::number(part)));
            response.on_hover_text(about);
        }
    });
}

/// Formats a number with three decimals, fewer if it is large; `none` if it is missing.
pub fn number_text(value: f64) -> String {
    match value {
        value if value.is_nan() || value.abs() >= NOTHING => "none".into(),
        value if value.abs() >= 1e7 => format!("{value:.2e}"),
        value if value.abs() >= 1e4 => format!("{value:.0}"),
        // No sign for a value that is rounded to 0.
        value => format!("{:.3}", if value.abs() < 5e-4 { 0.0 } else { value }),
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Pos2;

    use super::*;

    #[test]
    fn inspector_cells_keep_their_order_in_narrow_and_wide_panels() {
        for width in [256.0, 336.0, 616.0] {
            let rect = Rect::from_min_size(Pos2::ZERO, vec2(width, HEIGHT));
            let Cells { name, drawing, number, unit, pin } = Cells::of(rect);
            assert!(name.width() >= 76.0 && drawing.width() >= NARROWEST, "{width}: {name} {drawing}");
            assert!(name.right() < drawing.left() && drawing.right() < number.left());
            assert!(number.right() < unit.left() && unit.right() < pin.left() && pin.right() == rect.right());
        }
    }

    #[test]
    fn inspector_numbers_are_short_and_missing_ones_are_words() {
        let texts = [1.0 / 3.0, -1e-9, 12_345.6, 3.5e8, f64::NAN, f64::MAX].map(number_text);
        assert_eq!(texts, ["0.333", "0.000", "12346", "3.50e8", "none", "none"]);
    }
}
