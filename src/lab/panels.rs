//! The panels of the window, and where each has its place.

use bevy::prelude::Resource;
use bevy_egui::egui::{self, Ui};

use super::{
    Lab, action, dialogs, drop, gallery, help, inspector, keys, palette, parameters, plots, reload, resolved, status,
    theme, transport, tree, world_view,
};
use crate::draw::{Picture, Theme};

/// The least height of the gallery, and of the tree below it, in points.
const LEAST_PX: f32 = 120.0;

/// The panels. Each is a struct whose `ui` draws it and returns what was asked for.
#[derive(Resource, Default)]
pub struct Panels {
    transport: transport::Transport,
    gallery: gallery::Gallery,
    tree: tree::Tree,
    inspector: inspector::Inspector,
    parameters: parameters::Parameters,
    plots: plots::Plots,
    status: status::Status,
    world: world_view::WorldView,
    resolved: resolved::Resolved,
    palette: palette::Palette,
    dialogs: dialogs::Dialogs,
    watcher: reload::Watcher,
    /// The theme that egui was given.
    theme: Option<Theme>,
}

impl Panels {
    /// Draws all of them over a picture of the world, and does what they ask for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &mut Lab, picture: &Picture) {
        let ctx = ui.ctx().clone();
        if self.theme != Some(lab.settings.theme) {
            theme::apply(&ctx, lab.settings.theme);
            self.theme = Some(lab.settings.theme);
        }
        ctx.set_zoom_factor(lab.settings.interface_scale);
        self.watcher.follow(lab, ctx.input(|input| input.time));
        let mut wanted = keys::actions(&ctx, lab);
        if lab.settings.panels {
            wanted.extend(self.transport.ui(ui, lab));
            wanted.extend(self.status.ui(ui, lab));
            wanted.extend(self.plots.ui(ui, lab));
            if let Some(rect) = self.plots.rect() {
                (lab.plots_px, lab.settings.plots_px) = (rect, rect.height());
            }
            self.left(ui, lab, &mut wanted);
            self.right(ui, lab, &mut wanted);
        }
        wanted.extend(self.world.ui(ui, lab, picture));
        lab.arrange(self.world.rect());
        lab.cursor_m = self.world.cursor_m();
        if lab.help {
            wanted.extend(help::ui(&ctx));
        }
        if lab.resolved {
            wanted.extend(self.resolved.ui(&ctx, lab));
        }
        if lab.palette {
            wanted.extend(self.palette.ui(&ctx, lab));
        }
        wanted.extend(self.dialogs.ui(&ctx, lab));
        wanted.extend(drop::ui(&ctx, lab));
        for wanted in wanted {
            action::act(lab, &ctx, wanted);
        }
    }

    /// Scenes to open, and what is in the world.
    fn left(&mut self, ui: &mut Ui, lab: &mut Lab, wanted: &mut Vec<super::Action>) {
        let panel = egui::Panel::left("left").default_size(lab.settings.left_px).size_range(160.0..=480.0);
        let shown = panel.frame(theme::panel(lab.settings.theme)).show(ui, |ui| {
            self.gallery_over_tree(ui, lab, wanted);
        });
        lab.settings.left_px = shown.response.rect.width();
    }

    /// Both open, each has its own height; one of them open, it has all of it.
    fn gallery_over_tree(&mut self, ui: &mut Ui, lab: &mut Lab, wanted: &mut Vec<super::Action>) {
        let frame = egui::Frame::new();
        match (lab.settings.gallery, lab.settings.tree) {
            (true, true) => {
                let most_px = (ui.available_height() - LEAST_PX).max(LEAST_PX);
                let panel = egui::Panel::top("gallery").resizable(true).frame(frame);
                let panel = panel.default_size(lab.settings.gallery_px).size_range(LEAST_PX..=most_px);
                let shown = panel.show(ui, |ui| wanted.extend(self.gallery.ui(ui, lab)));
                lab.settings.gallery_px = shown.response.rect.height();
                ui.add_space(6.0);
                wanted.extend(self.tree.ui(ui, lab));
            }
            (true, false) => {
                let panel = egui::Panel::bottom("tree").resizable(false).frame(frame);
                panel.show(ui, |ui| wanted.extend(self.tree.ui(ui, lab)));
                wanted.extend(self.gallery.ui(ui, lab));
            }
            (false, _) => {
                wanted.extend(self.gallery.ui(ui, lab));
                wanted.extend(self.tree.ui(ui, lab));
            }
        }
    }

    /// What is selected, and all parameters.
    fn right(&mut self, ui: &mut Ui, lab: &mut Lab, wanted: &mut Vec<super::Action>) {
        let panel = egui::Panel::right("right").default_size(lab.settings.right_px).size_range(280.0..=640.0);
        let shown = panel.frame(theme::panel(lab.settings.theme)).show(ui, |ui| {
            wanted.extend(self.inspector.ui(ui, lab));
            wanted.extend(self.parameters.ui(ui, lab));
        });
        lab.settings.right_px = shown.response.rect.width();
    }
}
