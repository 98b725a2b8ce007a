//! The cells of a row, their sizes and their style.

use bevy_egui::egui::{self, Align, Layout, Rect, Ui, UiBuilder};

/// Indentation of parts, in points.
pub const INDENT: f32 = 10.0;

/// Height of a row, in points.
pub(super) const HEIGHT: f32 = 22.0;

/// Height of a control with a slider, which has two lines, in points.
pub(super) const CONTROL: f32 = 42.0;

/// Gap between the cells of a row, in points.
pub(super) const GAP: f32 = 4.0;

/// Width of the badge cell, in points.
const BADGE: f32 = 36.0;

/// Width of a cell with one icon, in points.
pub(super) const SIGN: f32 = 16.0;

/// Sets the style of rows, which are denser than other panels.
pub fn style(ui: &mut Ui) {
    let spacing = ui.spacing_mut();
    spacing.item_spacing = egui::vec2(GAP, 3.0);
    spacing.interact_size.y = 20.0;
    spacing.button_padding = egui::vec2(6.0, 1.0);
    spacing.icon_width = 14.0;
}

/// The rectangles of the cells of a row.
pub(super) struct Cells {
    pub name: Rect,
    pub editor: Rect,
    pub badge: Rect,
    pub reset: Rect,
    pub menu: Rect,
}

impl Cells {
    /// Returns the cells of a row. Controls and the rows below them are aligned.
    pub fn of(rect: Rect, depth: usize) -> Self {
        let left = rect.left() + INDENT * depth.saturating_sub(1) as f32;
        let middle = rect.left() + (rect.width() * 0.33).clamp(72.0, 150.0);
        let mut right = rect.right();
        let mut take = |width: f32| {
            let cell = Rect::from_x_y_ranges(right - width..=right, rect.y_range());
            right -= width + GAP;
            cell
        };
        let (menu, reset, badge) = (take(SIGN), take(SIGN), take(BADGE));
        let cell = |from: f32, to: f32| Rect::from_x_y_ranges(from..=to.max(from), rect.y_range());
        Self { name: cell(left, middle - GAP), editor: cell(middle, right), badge, reset, menu }
    }

    /// Returns the cells of a control with a slider below its name: the editor has the whole width, and the name ends before
    /// the field at its right end.
    pub fn of_control(rect: Rect, field_px: f32) -> Self {
        let (first, below) = rect.split_top_bottom_at_y(rect.top() + HEIGHT);
        let Self { name, editor, badge, reset, menu } = Self::of(first, 0);
        let editor = Rect::from_min_max(name.min, egui::pos2(editor.right(), below.bottom()));
        let name = name.with_max_x((editor.right() - field_px - GAP).max(name.left()));
        Self { name, editor, badge, reset, menu }
    }
}

/// Draws into a rectangle of the row without moving other widgets.
pub(super) fn cell<R>(ui: &mut Ui, id: &str, rect: Rect, content: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = Layout::left_to_right(Align::Center);
    content(&mut ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect).layout(layout)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_parameter_row_keep_their_order_at_any_width() {
        for width in [256.0, 336.0, 616.0] {
            let rect = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, HEIGHT));
            let Cells { name, editor, badge, reset, menu } = Cells::of(rect, 3);
            assert!(name.right() < editor.left() && editor.right() < badge.left() && badge.right() < reset.left());
            assert!(reset.right() < menu.left() && menu.right() == rect.right() && editor.width() > 90.0);
            assert_eq!(Cells::of(rect, 1).editor, editor, "the depth moves only the label");
        }
    }
}
