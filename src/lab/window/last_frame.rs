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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use bevy_egui::egui::Shape;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    #[test]
    fn a_frame_without_the_lab_shows_the_last_one_and_a_sign() {
        let waits = Rc::new(Cell::new(false));
        let (shared, mut last) = (waits.clone(), LastFrame::default());
        let mut window = Harness::new_ui(move |ui| match shared.get() {
            true => last.show(&ui.ctx().clone()),
            false => {
                ui.label("step 7");
                last.keep(&ui.ctx().clone());
            }
        });
        waits.set(true);
        window.run_steps(2);
        assert!(window.query_by_label_contains("Busy: this step").is_some());
        let has_text = |text: &str| {
            let shapes = window.output().shapes.iter();
            let texts = shapes.filter_map(|clipped| match &clipped.shape {
                Shape::Text(shape) => Some(shape.galley.text().to_owned()),
                _ => None,
            });
            texts.filter(|shown| shown.contains(text)).count() == 1
        };
        assert!(has_text("step 7") && has_text("Busy"));
    }
}
