//! A small bar chart of a list of numbers.

use bevy_egui::egui::{Rect, Sense, Ui, pos2, vec2};
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::{Role, Theme};

/// Height of the chart in points.
const HEIGHT: f32 = 36.0;

/// Draws a bar for each number, or a dot at the baseline where the value is missing.
pub fn bars(ui: &mut Ui, theme: Theme, numbers: &[f64]) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let (low, high) = range(numbers);
    let width = rect.width() / numbers.len().max(1) as f32;
    let y = |value: f64| rect.bottom() - HEIGHT * ((value - low) / (high - low)) as f32;
    let painter = ui.painter_at(rect);
    painter.hline(rect.x_range(), y(0.0), (1.0, theme::color(theme, Role::Grid)));
    for (place, number) in numbers.iter().enumerate() {
        let left = rect.left() + place as f32 * width;
        let gap = if width > 3.0 { 1.0 } else { 0.0 };
        if number.is_finite() {
            let bar = Rect::from_two_pos(pos2(left, y(0.0)), pos2(left + width - gap, y(*number)));
            painter.rect_filled(bar, 0.0, theme::color(theme, Role::Accent));
        } else {
            painter.circle_filled(pos2(left + width / 2.0, rect.bottom() - 2.0), 1.0, theme::color(theme, Role::Dim));
        }
    }
    response.on_hover_ui(|ui| {
        ui.label(format!("{} numbers from {low:.3} to {high:.3}, in order", numbers.len()));
    });
}

/// Returns the minimum and the maximum of zero and some numbers; the range is never empty.
fn range(numbers: &[f64]) -> (f64, f64) {
    let finite = numbers.iter().filter(|number| number.is_finite());
    let (low, high) = finite.fold((0.0_f64, 0.0_f64), |(low, high), number| (low.min(*number), high.max(*number)));
    let is_usable = high > low && (high - low).is_finite();
    if is_usable { (low, high) } else { (0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_an_inspector_chart_includes_zero_and_has_width() {
        assert_eq!(range(&[]), (0.0, 1.0));
        assert_eq!(range(&[f64::NAN, 0.0]), (0.0, 1.0));
        assert_eq!(range(&[2.0, f64::INFINITY, 5.0]), (0.0, 5.0));
        assert_eq!(range(&[-2.0, 1.0]), (-2.0, 1.0));
        assert_eq!(range(&[f64::MIN, f64::MAX]), (0.0, 1.0));
    }
}
