//! A header that opens and closes the content below it.

use bevy_egui::egui::collapsing_header::{CollapsingState, paint_default_icon};
use bevy_egui::egui::{self, Align2, Rect, Sense, Ui, Vec2, WidgetInfo, WidgetType};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::plus;
use swarmarium_picture::palette::{Role, Theme};

use crate::parameters::cells::{INDENT, SIGN};

/// Height of a header, in points.
const HEIGHT: f32 = 22.0;

/// A header that opens and closes the content below it.
pub struct Fold<'a> {
    /// The id, unique in its parent.
    pub id: &'a str,
    /// The label.
    pub label: &'a str,
    /// A summary at the right.
    pub note: &'a str,
    /// Whether the content is open by default.
    pub is_open: bool,
    /// Whether to open the content in this frame.
    pub opens: bool,
    /// The indentation level.
    pub depth: usize,
    /// Whether it is the header of a main section.
    pub is_section: bool,
    /// The tooltip of a button that adds something to the content; `None` without such a button.
    pub adds: Option<&'a str>,
}

impl<'a> Fold<'a> {
    /// Creates a header whose content is closed by default.
    pub fn new(id: &'a str, label: &'a str, note: &'a str) -> Self {
        Self { id, label, note, is_open: false, opens: false, depth: 0, is_section: false, adds: None }
    }

    /// Draws the header. Returns whether the content is open.
    pub fn ui(&self, ui: &mut Ui, theme: Theme, about: &str) -> bool {
        self.show(ui, theme, about).0
    }

    /// Draws the header. Returns whether the content is open, and whether its button was clicked.
    pub fn show(&self, ui: &mut Ui, theme: Theme, about: &str) -> (bool, bool) {
        let id = ui.make_persistent_id(("fold", self.id));
        let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, self.is_open);
        let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), HEIGHT));
        let response = ui.interact(rect, id, Sense::click());
        if response.clicked() {
            state.toggle(ui);
        }
        if self.opens {
            state.set_open(true);
        }
        response.widget_info(|| WidgetInfo::selected(WidgetType::CollapsingHeader, true, state.is_open(), self.label));
        self.paint(ui, theme, rect, &response, &state);
        state.store(ui.ctx());
        response.on_hover_text(format!("{about}\nA click opens or closes it").trim_start());
        let wants_more = self.adds.is_some_and(|hint| {
            let button =
                Rect::from_center_size(egui::pos2(rect.right() - SIGN / 2.0, rect.center().y), Vec2::splat(SIGN));
            plus(ui, button, theme, &format!("Add to the section {}", self.label), hint)
        });
        (state.is_open(), wants_more)
    }

    fn paint(&self, ui: &mut Ui, theme: Theme, rect: Rect, response: &egui::Response, state: &CollapsingState) {
        if response.hovered() || response.has_focus() {
            ui.painter().rect_filled(rect, theme::CORNER_PX, theme::color(theme, Role::Arena));
        }
        if self.is_section {
            let line = egui::Stroke::new(1.0, theme::color(theme, Role::Grid));
            ui.painter().hline(rect.x_range(), rect.top() - 1.0, line);
        }
        let left = rect.left() + INDENT * self.depth.saturating_sub(1) as f32;
        let icon = Rect::from_center_size(egui::pos2(left + 5.0, rect.center().y), Vec2::splat(9.0));
        paint_default_icon(ui, state.openness(ui.ctx()), &response.clone().with_new_rect(icon));
        let text = theme::color(theme, Role::Text);
        let size = if self.is_section { theme::SECTION_PX } else { theme::TEXT_PX };
        let at = egui::pos2(left + 15.0, rect.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, self.label, theme::font(size), text);
        let note_right = if self.adds.is_some() { rect.right() - SIGN - 4.0 } else { rect.right() - 4.0 };
        let at = egui::pos2(note_right, rect.center().y);
        let dim = theme::color(theme, Role::Dim);
        ui.painter().text(at, Align2::RIGHT_CENTER, self.note, theme::font(theme::NUMBER_PX), dim);
    }
}
