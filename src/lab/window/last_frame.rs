//! The last frame of the panels, for frames in which a step keeps the lab longer than expected.

use std::time::Instant;

use bevy::prelude::Resource;
use bevy_egui::egui::layers::GraphicLayers;
use bevy_egui::egui::{self, Align2, Area, Frame, Id, Order, Spinner, Vec2};

/// Distance of the sign from the upper edge of the window, in points.
const TOP_PX: f32 = 72.0;

/// The shapes of the last frame with the lab.
#[derive(Resource, Default)]
pub struct LastFrame {
    shapes: GraphicLayers,
    since: Option<Instant>,
}

impl LastFrame {
    /// Keeps the shapes of a frame with the lab.
    pub fn keep(&mut self, ctx: &egui::Context) {
        self.shapes = ctx.graphics(GraphicLayers::clone);
        self.since = None;
    }

    /// Draws the kept shapes, and says over them that the window waits for a step.
    pub fn show(&mut self, ctx: &egui::Context) {
        let waits_s = self.since.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
        ctx.graphics_mut(|graphics| graphics.clone_from(&self.shapes));
        let area = Area::new(Id::new("waits for a step")).order(Order::Tooltip).interactable(false).fade_in(false);
        area.anchor(Align2::CENTER_TOP, Vec2::new(0.0, TOP_PX)).show(ctx, |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.add(Spinner::new());
                    ui.label(format!("Busy: this step takes longer than expected ({waits_s:.1} s)"));
                });
            });
        });
        ctx.request_repaint();
    }
}
