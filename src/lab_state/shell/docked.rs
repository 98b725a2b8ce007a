//! The panels that fit into the window.

use std::collections::BTreeSet;

use bevy_egui::egui::scroll_area::ScrollBarVisibility::AlwaysHidden;
use bevy_egui::egui::{Button, Panel, Rect, ScrollArea, Ui, Vec2};

use crate::common::layout::{Arrangement, Layout, Pane};
use crate::common::theme;

/// Gap between two parts, in points.
pub const BETWEEN_PX: f32 = 1.0;
/// Height of the strip of hidden panels, in points.
pub const STRIP_PX: f32 = 26.0;

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
    pub crowded: BTreeSet<Pane>,
    /// The panel that the user called last; it stays where there is room for few.
    called: Option<Pane>,
    /// The rectangles of the world and the panels in the last frame.
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
    pub fn arrange(&mut self, layout: &Layout, room_px: Vec2) -> Arrangement {
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
    pub fn strip(&mut self, ui: &mut Ui) {
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
