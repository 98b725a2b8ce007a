//! The dock: the panels around the world, which can be dragged, tabbed, resized and closed, as tiles of egui.
//!
//! The [`Layout`] in the settings is authoritative. Each frame makes tiles from it, sized for the available room, and
//! reads it back only after the user dragged something. So a small window does not overwrite sizes.

use std::collections::BTreeSet;

use bevy_egui::egui::scroll_area::ScrollBarVisibility::AlwaysHidden;
use bevy_egui::egui::{
    self, Button, Color32, CursorIcon, Panel, Rangef, Rect, Response, ScrollArea, Sense, Stroke, TextStyle, Ui, Vec2,
    Visuals, WidgetInfo, WidgetText, WidgetType,
};
use egui_tiles::{Behavior, EditAction, ResizeState, SimplificationOptions, TabState, Tabs, TileId, Tiles, UiResponse};
use swarmarium_picture::palette::{Role, Theme};

use super::layout::{Arrangement, Layout, Pane};
use super::{focus, theme};

mod tiles;

use tiles::{Reader, dragged, read, tree};

/// Gap between two parts, in points.
const BETWEEN_PX: f32 = 1.0;
/// The smallest size of a dragged part, in points.
const LEAST_PX: f32 = 80.0;
/// With less width or height than this, in points, only the world is shown.
const LEAST_ROOM_PX: f32 = 60.0;
/// Side of the cross that closes a panel, in points.
const CROSS_PX: f32 = 8.0;
/// Height of the strip of hidden panels, in points.
const STRIP_PX: f32 = 26.0;

/// The content of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The world.
    World,
    /// A panel.
    Panel(Pane),
    /// The only line of a folded panel.
    Line(Pane),
}

/// The panels that fit into the window at present; the layout itself does not change.
#[derive(Clone, Debug, Default)]
pub struct Docked {
    /// The panels that are folded to a line because they have no content.
    pub folded: BTreeSet<Pane>,
    /// The panels that do not fit into the window.
    hidden: BTreeSet<Pane>,
    /// The panels that do not fit unless the user calls one of them.
    crowded: BTreeSet<Pane>,
    /// The panel that the user called last; it stays where there is room for few.
    called: Option<Pane>,
    /// The rectangles of the world and the panels in the window.
    #[cfg(test)]
    pub places: Vec<(Content, Rect)>,
}

impl Docked {
    /// Whether there is no room for a panel.
    pub fn hides(&self, pane: Pane) -> bool {
        self.hidden.contains(&pane)
    }

    /// Gives a panel room before all others.
    pub fn call(&mut self, pane: Pane) {
        self.called = Some(pane);
    }

    /// Takes the room from the called panel, if it has none otherwise. Returns that panel.
    pub fn dismiss(&mut self) -> Option<Pane> {
        self.called.take_if(|pane| self.crowded.contains(pane))
    }

    /// Dismisses this panel if it is the called one. Returns whether it was.
    pub fn dismisses(&mut self, pane: Pane) -> bool {
        self.called == Some(pane) && self.dismiss().is_some()
    }

    /// Computes which panels of a layout fit.
    fn arrange(&mut self, layout: &Layout, room_px: Vec2) -> Arrangement {
        let all = Arrangement::new(layout, &self.folded, theme::HEADING_BAR_PX, BETWEEN_PX);
        let fitted = all.clone().fitted(room_px.into(), None);
        if fitted.hidden().is_empty() {
            (self.crowded, self.hidden) = Default::default();
            return fitted;
        }
        let room_px = [room_px.x, room_px.y - STRIP_PX];
        self.crowded.clone_from(all.clone().fitted(room_px, None).hidden());
        let fitted = all.fitted(room_px, self.called.filter(|pane| self.crowded.contains(pane)));
        self.hidden.clone_from(fitted.hidden());
        fitted
    }

    /// Draws the strip of hidden panels, with a button for each.
    fn strip(&mut self, ui: &mut Ui) {
        let frame = theme::bar(0);
        Panel::bottom("hidden panels").exact_size(STRIP_PX).resizable(false).frame(frame).show(ui, |ui| {
            ScrollArea::horizontal().auto_shrink(false).scroll_bar_visibility(AlwaysHidden).show(ui, |ui| {
                ui.horizontal_centered(|ui| {
                    ui.spacing_mut().item_spacing.x = theme::TINY_GAP;
                    ui.spacing_mut().button_padding = Vec2::new(theme::GAP, 1.0);
                    ui.spacing_mut().interact_size.y = STRIP_PX - theme::SMALL_GAP;
                    let panes: BTreeSet<Pane> = self.crowded.union(&self.hidden).copied().collect();
                    for pane in panes {
                        let is_shown = !self.hides(pane);
                        let button = Button::selectable(is_shown, pane.about().title).frame_when_inactive(true);
                        let does =
                            if is_shown { "Hides this panel again" } else { "Shows this panel in place of others" };
                        let hint = format!("{}. {does}: the window has no room for all panels", pane.about().hint);
                        if ui.add(button).on_hover_text(hint).clicked() && !self.dismisses(pane) {
                            self.call(pane);
                        }
                    }
                });
            });
        });
    }
}

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
    let mut tree = tree(&arrangement, ui.available_rect_before_wrap().size());
    let dragged = dragged(&tree, &arrangement, ui.ctx());
    if !dragged.is_empty() {
        // Esc only cancels the drag.
        focus::takes_escape(ui.ctx());
    }
    let mut dock = Dock {
        arrangement: &arrangement,
        theme,
        show,
        is_edited: false,
        closed: Vec::new(),
        #[cfg(test)]
        places: Vec::new(),
    };
    tree.ui(&mut dock, ui);
    #[cfg(test)]
    docked.places.clone_from(&dock.places);
    let Dock { is_edited, closed, .. } = dock;
    let edited = is_edited.then(|| read(&tree, &arrangement, dragged, layout.closed())).flatten();
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
    #[cfg(test)]
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
            #[cfg(test)]
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use bevy_egui::egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use strum::IntoEnumIterator as _;

    use super::super::testing::{lab_on, window};
    use super::super::{Action, Lab, dispatch};
    use super::*;
    use crate::action::PanelAction;
    use crate::layout::Node;

    fn arrangement(layout: &Layout) -> Arrangement {
        Arrangement::new(layout, &BTreeSet::new(), theme::HEADING_BAR_PX, BETWEEN_PX)
    }

    fn panel(tiles: &mut Tiles<Content>, pane: Pane) -> TileId {
        tiles.insert_pane(Content::Panel(pane))
    }

    fn tabs(panes: &[Pane], front: Pane) -> Node {
        Node::Tabs { panes: panes.to_vec(), front }
    }

    /// Returns the directions and panels of a node, without sizes.
    fn shape(node: &Node) -> String {
        match node {
            Node::World => "world".into(),
            Node::Tabs { panes, front } => format!("{panes:?} {front:?}"),
            Node::Split(direction, parts) => {
                let parts: Vec<String> = parts.iter().map(|part| shape(&part.node)).collect();
                format!("{direction:?}({})", parts.join(" | "))
            }
        }
    }

    fn frames(window: &mut Harness) {
        window.run_steps(4);
    }

    #[test]
    fn tiles_are_read_back_as_the_layout_that_they_were_made_of() {
        let layout = Layout::default();
        for room_px in [Vec2::new(1280.0, 730.0), Vec2::new(2560.0, 1370.0)] {
            let all = arrangement(&layout);
            let read = read(&tree(&all, room_px), &all, Vec::new(), layout.closed()).unwrap();
            assert_eq!(shape(read.root()), shape(layout.root()));
            assert_eq!(read.closed(), layout.closed());
            for pane in [Pane::Gallery, Pane::Inspector, Pane::Plots] {
                assert_eq!(read.size_px(pane), layout.size_px(pane), "{pane:?} in {room_px}");
            }
        }
    }

    #[test]
    fn a_panel_that_is_dropped_beside_a_tab_splits_the_place_and_not_the_tab() {
        let mut tiles = Tiles::default();
        let [gallery, tree, plots] = [Pane::Gallery, Pane::Tree, Pane::Plots].map(|pane| panel(&mut tiles, pane));
        let both = tiles.insert_horizontal_tile(vec![gallery, tree]);
        let place = tiles.insert_tab_tile(vec![both, plots]);
        let all = arrangement(&Layout::default());
        let read = |dragged| {
            Reader { tiles: &tiles, arrangement: &all, dragged: vec![dragged] }.node(place).map(|node| shape(&node))
        };
        assert_eq!(read(Pane::Tree).as_deref(), Some("Row([Gallery, Plots] Gallery | [Tree] Tree)"));
        assert_eq!(read(Pane::Gallery).as_deref(), Some("Row([Gallery] Gallery | [Tree, Plots] Tree)"));
    }

    #[test]
    fn a_place_that_is_dropped_on_tabs_joins_them() {
        let mut tiles = Tiles::default();
        let [gallery, tree, plots] = [Pane::Gallery, Pane::Tree, Pane::Plots].map(|pane| panel(&mut tiles, pane));
        let dropped = tiles.insert_tab_tile(vec![tree, plots]);
        let mut place = Tabs::new(vec![gallery, dropped]);
        place.set_active(dropped);
        let place = tiles.insert_container(place);
        let all = arrangement(&Layout::default());
        let dragged = vec![Pane::Tree, Pane::Plots];
        let node = Reader { tiles: &tiles, arrangement: &all, dragged }.node(place);
        assert_eq!(node, Some(tabs(&[Pane::Gallery, Pane::Tree, Pane::Plots], Pane::Tree)));
    }

    #[test]
    fn what_is_dropped_onto_the_world_comes_below_it() {
        let mut tiles = Tiles::default();
        let world = tiles.insert_pane(Content::World);
        let events = panel(&mut tiles, Pane::Events);
        let place = tiles.insert_tab_tile(vec![world, events]);
        let all = arrangement(&Layout::default());
        let dragged = vec![Pane::Events];
        let node = Reader { tiles: &tiles, arrangement: &all, dragged }.node(place).unwrap();
        assert_eq!(shape(&node), "Column(world | [Events] Events)");
    }

    #[test]
    fn a_heading_that_is_dragged_onto_another_panel_joins_its_place() {
        let (mut window, lab) = window(lab_on("milling"));
        let heading =
            |window: &Harness, title| window.get_by_role_and_label(egui::accesskit::Role::Button, title).rect();
        let [gallery, tree] = ["Gallery", "World"].map(|title| heading(&window, title));
        let width_px = lab.borrow().settings.layout.size_px(Pane::Gallery);
        let below_bar = (gallery.bottom() + tree.top()) / 2.0;
        let to = egui::pos2(gallery.left() + width_px / 2.0, below_bar);
        window.drag_at(tree.left_center() + egui::vec2(theme::PAD + 4.0, 0.0));
        window.run_steps(2);
        for part in [0.3, 0.6, 1.0] {
            window.hover_at(tree.left_center() + (to - tree.left_center()) * part);
            window.run_steps(2);
        }
        window.drop_at(to);
        frames(&mut window);
        let layout = lab.borrow().settings.layout.clone();
        assert_eq!(layout.tabs_beside(Pane::Gallery), 3, "{}", shape(layout.root()));
        assert!(layout.is_shown(Pane::Tree) && !layout.is_shown(Pane::Gallery));
        heading(&window, "Gallery");
        assert!(window.query_by_label("Search scenes").is_none());
        window.get_by_role_and_label(egui::accesskit::Role::Button, "Gallery").click();
        frames(&mut window);
        window.get_by_label("Search scenes");
        assert!(lab.borrow().shows_panel(Pane::Gallery));
    }

    #[test]
    fn every_panel_is_drawn_when_it_is_shown() {
        let (mut window, lab) = window(lab_on("milling"));
        let act = |lab: &RefCell<Lab>, window: &Harness, asked| {
            dispatch::act(&mut lab.borrow_mut(), &window.ctx, asked);
        };
        for pane in Pane::iter() {
            let words = match pane {
                Pane::Gallery => "Search scenes",
                Pane::Tree => "Show robots of millers",
                Pane::Inspector => "Nothing is selected",
                Pane::Parameters => "groups.millers.sensors.0.range_m",
                Pane::Plots => "Pin a value",
                Pane::Events => "Only of the selected robot",
                // The title of this panel depends on the changes.
                Pane::Changes => pane.about().close,
                Pane::Notes => "Shipped scene milling",
                Pane::Clients => "This scene opens no sockets",
                Pane::View => "Colour by",
                Pane::Sweep => "Start sweep",
            };
            let is_seen = |window: &Harness| window.query_all_by_label_contains(words).count() > 0;
            if !lab.borrow().shows_panel(pane) {
                act(&lab, &window, Action::Panel(PanelAction::Toggle(pane)));
                frames(&mut window);
            }
            assert!(is_seen(&window), "{pane:?} is shown");
            window.get_by_label(pane.about().close).click();
            frames(&mut window);
            assert!(!lab.borrow().shows_panel(pane) && !is_seen(&window), "{pane:?} is closed");
        }
        // The world takes the room of all panels.
        assert!(lab.borrow().viewport.rect_px.width() > 1200.0, "{}", lab.borrow().viewport.rect_px);
        act(&lab, &window, Action::Panel(PanelAction::RestoreLayout));
        frames(&mut window);
        assert_eq!(lab.borrow().settings.layout, Layout::default());
        window.get_by_label("Search scenes");
    }

    #[test]
    fn all_panels_hide_at_a_key_and_come_back_as_they_were() {
        let (mut window, lab) = window(lab_on("milling"));
        let before = (lab.borrow().viewport.rect_px, lab.borrow().settings.layout.clone());
        window.key_press(Key::F10);
        frames(&mut window);
        assert!(window.query_by_label("Search scenes").is_none());
        assert!(lab.borrow().viewport.rect_px.width() > before.0.width() + 500.0);
        assert!(!lab.borrow().shows_panel(Pane::Gallery));
        window.key_press(Key::F10);
        frames(&mut window);
        assert_eq!((lab.borrow().viewport.rect_px, lab.borrow().settings.layout.clone()), before);
    }

    #[test]
    fn a_panel_that_is_asked_for_brings_all_back() {
        let mut before = lab_on("milling");
        before.settings.panels = false;
        let (mut window, lab) = window(before);
        window.key_press(Key::F8);
        frames(&mut window);
        assert!(lab.borrow().shows_panel(Pane::Events) && lab.borrow().shows_panel(Pane::Gallery));
        window.get_by_label("Only of the selected robot");
    }

    #[test]
    fn the_world_keeps_a_place_in_any_window_at_any_size_of_the_interface() {
        let (mut window, lab) = window(lab_on("milling"));
        for scale in [1.0, 2.0, 0.5, 1.0] {
            lab.borrow_mut().settings.set_interface_scale(scale);
            // For one frame, egui uses the previous size.
            frames(&mut window);
            for size in [[2560.0, 1440.0], [1280.0, 720.0], [1024.0, 600.0], [120.0, 90.0], [1280.0, 800.0]] {
                window.set_size(size.into());
                frames(&mut window);
                let world_px = lab.borrow().viewport.rect_px;
                if size[0] >= 1000.0 && scale == 1.0 {
                    assert!(world_px.width() >= 0.4 * size[0], "{size:?}: {world_px}");
                    assert!(world_px.height() >= 0.36 * size[1], "{size:?}: {world_px}");
                }
            }
            assert_eq!(lab.borrow().settings.layout, Layout::default(), "a size of the window changes no layout");
        }
    }
}
