//! The layout of dialogs over the world and of forms in panels: a body, which scrolls where there is little room, and a
//! footer with the buttons below it, which is always visible.

use bevy_egui::egui::{self, Id, ScrollArea, Ui, Vec2};
use swarmarium_lab_state::common::theme;

/// Width and height of the parts of a dialog around its content, and of the free edge around it, in points.
const AROUND_PX: Vec2 = egui::vec2(32.0, 64.0);

/// The smallest height of a body, in points: some of it is visible in any window.
const LEAST_PX: f32 = 40.0;

/// The assumed height of a footer until it has been drawn, in points.
const USUAL_FOOTER_PX: f32 = 26.0;

/// Returns the window of a dialog with a close button.
pub fn window<'open>(title: &str, is_open: &'open mut bool) -> egui::Window<'open> {
    egui::Window::new(title).open(is_open).resizable(false).collapsible(false).fade_in(false)
}

/// Returns the largest size of the content of a dialog in points: as much as fits into the window of the program.
pub fn most_px(ctx: &egui::Context) -> Vec2 {
    (ctx.content_rect().size() - AROUND_PX).max(Vec2::splat(LEAST_PX))
}

/// The layout of a dialog or a form.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    footer: Id,
    room_px: f32,
}

impl Sheet {
    /// Begins a dialog in a window of its own. Its content is `width_px` points wide if there is room.
    pub fn in_window(ui: &mut Ui, width_px: f32) -> Self {
        let most_px = most_px(ui.ctx());
        ui.set_width(width_px.min(most_px.x));
        Self { footer: ui.id().with("footer"), room_px: most_px.y }
    }

    /// Begins a form in a panel, at most as high as the remaining room.
    pub fn in_panel(ui: &Ui) -> Self {
        Self { footer: ui.id().with("footer"), room_px: ui.available_height() }
    }

    /// Draws the body. It scrolls if body and footer do not fit.
    pub fn body<R>(&self, ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
        let footer_px = ui.data(|data| data.get_temp(self.footer)).unwrap_or(USUAL_FOOTER_PX);
        let most_px = (self.room_px - footer_px - theme::GAP - ui.spacing().item_spacing.y).max(LEAST_PX);
        // With more height than its content has, a window that opens would be moved up, over the bar.
        let id = self.footer.with("body");
        let content_px: f32 = ui.data(|data| data.get_temp(id)).unwrap_or(LEAST_PX);
        let drawn = ui.scope(|ui| {
            // A permanent scroll bar shows that there is more.
            ui.spacing_mut().scroll.floating = false;
            let area = ScrollArea::vertical().id_salt("body").auto_shrink([false, true]);
            area.max_height(most_px).min_scrolled_height(content_px.min(most_px)).show(ui, content)
        });
        let height_px = drawn.inner.content_size.y;
        // The height is known only after drawing.
        if content_px != height_px {
            ui.data_mut(|data| data.insert_temp(id, height_px));
            ui.ctx().request_repaint();
        }
        drawn.inner.inner
    }

    /// Draws the footer below the body.
    pub fn footer<R>(&self, ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
        ui.add_space(theme::GAP);
        let drawn = ui.vertical(content);
        let height_px = drawn.response.rect.height();
        // The height is known only after drawing.
        if ui.data(|data| data.get_temp(self.footer)) != Some(height_px) {
            ui.data_mut(|data| data.insert_temp(self.footer, height_px));
            ui.ctx().request_repaint();
        }
        drawn.inner
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::accesskit::Role;
    use egui_kittest::Harness;
    use egui_kittest::kittest::NodeT as _;
    use swarmarium_lab_state::action::CompareAction;
    use swarmarium_lab_state::app::Lab;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{lab_on, window};

    use super::*;

    /// Sizes of the window in pixels, with scales of the interface.
    const SIZES: [([f32; 2], f32); 6] = [
        ([1024.0, 640.0], 1.0),
        ([1280.0, 800.0], 1.0),
        ([1920.0, 1080.0], 1.0),
        ([1024.0, 640.0], 2.6),
        ([1280.0, 800.0], 2.6),
        ([1920.0, 1080.0], 2.6),
    ];

    fn buttons_outside(window: &Harness, names: &[&str]) -> Vec<String> {
        let screen = window.ctx.content_rect();
        let places = window.root().children_recursive().filter(|node| {
            let node = node.accesskit_node();
            node.role() == Role::Button && node.label().is_some_and(|label| names.contains(&label.as_str()))
        });
        let places: Vec<_> = places.map(|node| (node.accesskit_node().label(), node.rect())).collect();
        assert_eq!(places.len(), names.len(), "{places:?}");
        let visible = window.ctx.viewport(|viewport| {
            let widgets = viewport.prev_pass.widgets.layers().flat_map(|(_, widgets)| widgets);
            widgets.map(|widget| widget.interact_rect).collect::<Vec<_>>()
        });
        let is_whole = |rect: egui::Rect| {
            screen.contains_rect(rect) && visible.iter().any(|seen| seen.expand(1.0).contains_rect(rect))
        };
        places.into_iter().filter(|(_, rect)| !is_whole(*rect)).map(|place| format!("{place:?}")).collect()
    }

    #[test]
    fn the_palette_fits_into_any_window_and_repeats_no_long_text() {
        for query in ["", &"x".repeat(2000), &format!("{} = 3", "path".repeat(500))] {
            let mut before = lab_on("milling");
            before.shell.popups.palette = Some("");
            let (mut window, _) = window(before);
            window.event(egui::Event::Text(query.into()));
            for ([width, height], scale) in SIZES {
                window.set_size(egui::vec2(width, height) / scale);
                window.run_steps(4);
                let place = crate::tour::marked(&window.ctx, crate::tour::Landmark::Palette).unwrap();
                let screen = window.ctx.content_rect();
                assert!(screen.contains_rect(place), "{width} × {height} at {scale}: {place}");
                let most_px = if query.is_empty() { f32::INFINITY } else { 140.0 };
                assert!(place.height() < most_px, "{width} × {height} at {scale}: {place}");
            }
        }
    }

    #[test]
    fn the_buttons_of_every_dialog_are_visible_in_any_window_size() {
        const RANGE: &str = "groups.millers.sensors.0.range_m";
        let dialogs: [(fn(&mut Lab), &[&str]); 4] = [
            (|lab| lab.shell.popups.figure = true, &["Save…", "Copy figure"]),
            (|lab| lab.shell.popups.recording = true, &["⏺ Start recording", "Save a picture"]),
            (|lab| lab.do_compare(CompareAction::ChooseOf(RANGE.into())), &["Compare"]),
            (|lab| lab.show_panel(Pane::Sweep), &["Start sweep"]),
        ];
        for (open, names) in dialogs {
            let mut before = lab_on("milling");
            open(&mut before);
            let (mut window, _) = window(before);
            for ([width, height], scale) in SIZES {
                window.set_size(egui::vec2(width, height) / scale);
                window.run_steps(6);
                let outside = buttons_outside(&window, names);
                assert!(outside.is_empty(), "{width} × {height} at {scale}: {outside:?}");
            }
        }
    }
}
