//! The progress bar over the world, with a button that cancels.

use bevy_egui::egui::{self, Align2, Area, Id, ProgressBar, Rect, Spinner};
pub use swarmarium_host::clock::host::Progress;
use swarmarium_picture::palette::{Role, Theme};

use crate::common::text::grouped;
use crate::common::theme;

/// Work that takes no longer than this, in seconds, gets no bar.
const SHORT_S: f64 = 0.3;

/// Distance from the lower edge of the world, in points, so that the tools stay visible.
const ABOVE_TOOLS_PX: f32 = 72.0;

/// Width of the bar, in points.
const WIDTH_PX: f32 = 320.0;

/// Returns the label: `Simulating B: 1,240 of 8,000 steps`. The unit is that of both numbers. Work of unknown length has no
/// steps.
pub fn text(progress: &Progress, unit: &str) -> String {
    if progress.steps == 0 {
        return progress.label.clone();
    }
    format!("{}: {} of {} {unit}", progress.label, grouped(progress.done), grouped(progress.steps))
}

/// Returns the completed part, from 0 to 1.
fn part(progress: &Progress) -> f32 {
    if progress.steps == 0 { 1.0 } else { (progress.done as f64 / progress.steps as f64).clamp(0.0, 1.0) as f32 }
}

/// The progress bar, which appears only for longer work.
#[derive(Default)]
pub struct Bar {
    /// The time at which the work started, in egui's seconds.
    since_s: Option<f64>,
}

impl Bar {
    /// Draws the bar over the world while work is in progress, with the unit of its numbers. Returns whether to cancel it;
    /// `cancel` is the tooltip.
    pub fn ui(
        &mut self,
        ctx: &egui::Context,
        world: Rect,
        theme: Theme,
        progress: Option<(&Progress, &str)>,
        cancel: &str,
    ) -> bool {
        let Some((progress, unit)) = progress else {
            self.since_s = None;
            return false;
        };
        let now_s = ctx.input(|input| input.time);
        if now_s - *self.since_s.get_or_insert(now_s) < SHORT_S {
            return false;
        }
        let area = Area::new(Id::new("progress")).fixed_pos(world.center_bottom() - egui::vec2(0.0, ABOVE_TOOLS_PX));
        let area = area.pivot(Align2::CENTER_BOTTOM).fade_in(false);
        let shown = area.show(ctx, |ui| {
            let frame = theme::panel(theme).stroke(egui::Stroke::new(1.0, theme::color(theme, Role::Grid)));
            frame.corner_radius(6).show(ui, |ui| {
                ui.set_width(WIDTH_PX.min(world.width() - 4.0 * theme::PAD).max(120.0));
                ui.label(text(progress, unit));
                ui.horizontal(|ui| {
                    let cancel_px = 70.0;
                    let width = (ui.available_width() - cancel_px).max(20.0);
                    let color = theme::color(theme, Role::Accent);
                    if progress.steps == 0 {
                        ui.add(Spinner::new().color(color));
                        ui.add_space((width - ui.spacing().interact_size.y).max(0.0));
                        return ui.button("Cancel").on_hover_text(cancel).clicked();
                    }
                    ui.add(ProgressBar::new(part(progress)).desired_width(width).desired_height(8.0).fill(color));
                    ui.button("Cancel").on_hover_text(cancel).clicked()
                })
                .inner
            })
        });
        shown.inner.inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_in_steps() {
        let progress = Progress { done: 1240, steps: 8000, label: "Simulating again".into() };
        assert_eq!(text(&progress, "steps").as_str(), "Simulating again: 1,240 of 8,000 steps");
        assert_eq!(part(&progress), 0.155);
        let busy = Progress { done: 0, steps: 0, label: "Busy".into() };
        assert_eq!(text(&busy, "steps").as_str(), "Busy");
        assert_eq!(part(&Progress { steps: 0, ..progress }), 1.0);
    }

    #[test]
    fn short_tasks_show_no_progress_bar() {
        let ctx = egui::Context::default();
        let progress = Progress { done: 1, steps: 2, label: "Simulating B".into() };
        let mut bar = Bar::default();
        assert!(!bar.ui(&ctx, Rect::EVERYTHING, Theme::Dark, Some((&progress, "steps")), ""));
        assert!(bar.since_s.is_some());
        bar.ui(&ctx, Rect::EVERYTHING, Theme::Dark, None, "");
        assert_eq!(bar.since_s, None);
    }
}
