//! The dock: the panels around the world, which can be dragged, tabbed, resized and closed, as tiles of egui.
//!
//! The [`Layout`] in the settings is authoritative. Each frame makes tiles from it, sized for the available room, and
//! reads it back only after the user dragged something. So a small window does not overwrite sizes.

#[cfg(test)]
mod tests;
pub mod tiles;

use bevy_egui::egui::{
    self, Color32, CursorIcon, Rangef, Rect, Response, Sense, Stroke, TextStyle, Ui, Vec2, Visuals, WidgetInfo,
    WidgetText, WidgetType,
};
use egui_tiles::{Behavior, EditAction, ResizeState, SimplificationOptions, TabState, Tabs, TileId, Tiles, UiResponse};
use swarmarium_lab_state::common::layout::{Arrangement, Layout, Pane};
use swarmarium_lab_state::common::{focus, theme};
use swarmarium_lab_state::shell::docked::{BETWEEN_PX, Content, Docked};
use swarmarium_picture::palette::{Role, Theme};

use crate::dock::tiles::{Reader, dragged, read, tree};

/// The smallest size of a dragged part, in points.
const LEAST_PX: f32 = 80.0;

/// With less width or height than this, in points, only the world is shown.
const LEAST_ROOM_PX: f32 = 60.0;

/// Side of the cross that closes a panel, in points.
const CROSS_PX: f32 = 8.0;

/// Draws the world and the panels around it in the remaining space. Returns the layout if the user changed it.
pub fn ui(
    ui: &mut Ui,
    docked: &mut Docked,
    layout: &Layout,
    theme: Theme,
    show: &mut dyn FnMut(&mut Ui, Content),
) -> Option<Layout> {
    let room_px = ui.available_rect_before_wrap().size();
    if room_px.min_elem() < LEAST_ROOM_PX {
        show(ui, Content::World);
        return None;
    }
    let arrangement = docked.arrange(layout, room_px);
    if !docked.crowded.is_empty() {
        docked.strip(ui);
    }
    let room_px = ui.available_rect_before_wrap().size();
    let mut tree = tree(&arrangement, room_px);
    let dragged = dragged(&tree, &arrangement, ui.ctx());
    if !dragged.is_empty() {
        // Esc only cancels the drag.
        focus::takes_escape(ui.ctx());
    }
    let mut dock =
        Dock { arrangement: &arrangement, theme, show, is_edited: false, closed: Vec::new(), places: Vec::new() };
    tree.ui(&mut dock, ui);
    let Dock { is_edited, closed, places, .. } = dock;
    docked.places = places;
    let edited = is_edited.then(|| read(&tree, &arrangement, dragged, layout.closed())).flatten();
    let edited = edited.map(|edited| {
        match read(&tiles::tree(&arrangement, room_px), &arrangement, Vec::new(), layout.closed()) {
            Some(shown) => edited.keep_grown(layout, &shown),
            None => edited,
        }
    });
    let closed: Vec<Pane> = closed.into_iter().filter(|pane| !docked.dismisses(*pane)).collect();
    if closed.is_empty() {
        return edited;
    }
    let mut layout = edited.unwrap_or_else(|| layout.clone());
    closed.into_iter().for_each(|pane| layout.close(pane));
    Some(layout)
}

/// The behaviour of tiles: appearance and actions.
struct Dock<'a> {
    arrangement: &'a Arrangement,
    theme: Theme,
    show: &'a mut dyn FnMut(&mut Ui, Content),
    /// Whether tiles were dragged, resized or brought to the front.
    is_edited: bool,
    /// The panels whose cross was pressed.
    closed: Vec<Pane>,
    /// The drawn content and its rectangles.
    places: Vec<(Content, Rect)>,
}

impl Dock<'_> {
    fn color(&self, role: Role) -> Color32 {
        theme::color(self.theme, role)
    }

    /// Draws the heading of a panel, by which it is dragged.
    fn heading(&self, ui: &mut Ui, id: egui::Id, pane: Pane, state: &TabState) -> Response {
        let about = pane.about();
        let role = if state.active { Role::Text } else { Role::Dim };
        let font = TextStyle::Button.resolve(ui.style());
        let title = ui.painter().layout_no_wrap(about.title.into(), font, self.color(role));
        let width_px = theme::PAD + title.size().x + 2.0 * theme::GAP + CROSS_PX + theme::GAP;
        let (_, rect) = ui.allocate_space(Vec2::new(width_px, ui.available_height()));
        let response = ui.interact(rect, id, Sense::click_and_drag()).on_hover_cursor(CursorIcon::Grab);
        response.widget_info(|| WidgetInfo::selected(WidgetType::Button, ui.is_enabled(), state.active, about.title));
        // While a tab is dragged, its old place is empty.
        if !state.is_being_dragged {
            let at = egui::pos2(rect.left() + theme::PAD, rect.center().y - title.size().y / 2.0);
            ui.painter().galley(at, title, self.color(role));
            if state.active && self.arrangement.shown().tabs_beside(pane) > 1 {
                let under = Rangef::new(rect.left() + theme::PAD, rect.right() - CROSS_PX - 2.0 * theme::GAP);
                ui.painter().hline(under, rect.bottom() - 1.0, Stroke::new(2.0, self.color(Role::Accent)));
            }
        }
        response.on_hover_text(format!("{}; drag the title to move the panel", about.hint))
    }

    /// Draws the cross at the right of a heading. Returns whether it was pressed.
    fn cross(&self, ui: &Ui, heading: &Response, pane: Pane) -> bool {
        let middle = egui::pos2(heading.rect.right() - theme::GAP - CROSS_PX / 2.0, heading.rect.center().y);
        let cross = Rect::from_center_size(middle, Vec2::splat(CROSS_PX));
        let response = ui.interact(cross.expand(theme::GAP / 2.0), heading.id.with("close"), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, ui.is_enabled(), pane.about().close));
        let stroke = Stroke::new(1.0, self.color(if response.hovered() { Role::Text } else { Role::Dim }));
        ui.painter().line_segment([cross.left_top(), cross.right_bottom()], stroke);
        ui.painter().line_segment([cross.right_top(), cross.left_bottom()], stroke);
        response.on_hover_text("Closes this panel; the menu Panels shows it again").clicked()
    }
}

impl Behavior<Content> for Dock<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, content: &mut Content) -> UiResponse {
        if !matches!(content, Content::Panel(pane) if self.arrangement.is_folded(*pane)) {
            self.places.push((*content, ui.max_rect()));
            (self.show)(ui, *content);
        }
        UiResponse::None
    }

    fn tab_bar_trailing_ui(&mut self, tiles: &Tiles<Content>, ui: &mut Ui, _: TileId, tabs: &Tabs) {
        if let Some(Content::Panel(pane)) = tabs.active.and_then(|tab| tiles.get_pane(&tab))
            && self.arrangement.is_folded(*pane)
        {
            (self.show)(ui, Content::Line(*pane));
        }
    }

    fn tab_title_for_pane(&mut self, content: &Content) -> WidgetText {
        match content {
            Content::World => "".into(),
            Content::Panel(pane) | Content::Line(pane) => pane.about().title.into(),
        }
    }

    fn tab_title_for_tile(&mut self, tiles: &Tiles<Content>, id: TileId) -> WidgetText {
        let reader = Reader { tiles, arrangement: self.arrangement, dragged: Vec::new() };
        let panes = reader.node(id).map(|node| node.panes()).unwrap_or_default();
        let open = panes.into_iter().filter(|pane| !self.arrangement.shown().closed().contains(pane));
        open.map(|pane| pane.about().title).collect::<Vec<_>>().join(", ").into()
    }

    fn tab_ui(
        &mut self,
        tiles: &mut Tiles<Content>,
        ui: &mut Ui,
        id: egui::Id,
        tile: TileId,
        state: &TabState,
    ) -> Response {
        let Some(Content::Panel(pane)) = tiles.get_pane(&tile).copied() else {
            return ui.allocate_response(Vec2::ZERO, Sense::hover());
        };
        let heading = self.heading(ui, id, pane, state);
        if self.cross(ui, &heading, pane) || heading.middle_clicked() {
            self.closed.push(pane);
        }
        heading
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        theme::HEADING_BAR_PX
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        BETWEEN_PX
    }

    fn min_size(&self) -> f32 {
        LEAST_PX
    }

    /// Disables simplification: the layout is normalized when it is read back.
    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions::OFF
    }

    fn resize_stroke(&self, _: &egui::Style, state: ResizeState) -> Stroke {
        match state {
            ResizeState::Idle => Stroke::new(BETWEEN_PX, self.color(Role::Grid)),
            ResizeState::Hovering => Stroke::new(2.0, self.color(Role::Dim)),
            ResizeState::Dragging => Stroke::new(2.0, self.color(Role::Accent)),
        }
    }

    fn tab_bar_color(&self, _: &Visuals) -> Color32 {
        Color32::TRANSPARENT
    }

    fn drag_preview_stroke(&self, _: &Visuals) -> Stroke {
        Stroke::new(1.0, self.color(Role::Accent))
    }

    fn drag_preview_color(&self, _: &Visuals) -> Color32 {
        theme::paint(self.theme, Role::Accent.faint(0.2))
    }

    fn on_edit(&mut self, edit: EditAction) {
        // Nothing has changed yet when a drag begins.
        self.is_edited |= edit != EditAction::TileDragged;
    }
}
