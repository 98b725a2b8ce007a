//! The statistics of all points as a table.

use bevy_egui::egui::{Grid, RichText, ScrollArea, Ui};
use swarmarium_lab_state::action::{Action, SweepAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::sweeps::worker::State;
use swarmarium_sweep::Sweep;
use swarmarium_sweep::charts::text;

/// The height of a row, in points.
const ROW_PX: f32 = 20.0;

/// Draws the table.
pub fn ui(ui: &mut Ui, lab: &Lab, sweep: &Sweep, state: &State, actions: &mut Vec<Action>) {
    let area = ScrollArea::both().id_salt("points").auto_shrink(false);
    area.show_rows(ui, ROW_PX, sweep.points.len(), |ui, shown| {
        Grid::new("points").striped(true).spacing([18.0, 2.0]).show(ui, |ui| {
            let factors = (0..sweep.factors.len()).map(|factor| text::factor_label(sweep, factor));
            ui.weak("Point");
            factors.for_each(|label| drop(ui.weak(label)));
            ui.weak("Runs");
            for measure in 0..sweep.plan.measures.len() {
                ui.weak(text::measure_label(sweep, measure));
                ui.weak("95 % interval");
            }
            ui.end_row();
            for point in shown {
                row(ui, lab, sweep, state, point, actions);
                ui.end_row();
            }
        });
    });
}

fn row(ui: &mut Ui, lab: &Lab, sweep: &Sweep, state: &State, point: usize, actions: &mut Vec<Action>) {
    let is_chosen = lab.sweep.point == Some(point);
    let label = RichText::new((point + 1).to_string());
    if ui.selectable_label(is_chosen, label).on_hover_text("Lists the runs of this point").clicked() {
        actions.push(SweepAction::Choose(Some(point)).into());
    }
    for value in &sweep.points[point] {
        ui.label(theme::number(text::value(value)));
    }
    let done = state.results.done_of_points.get(point).copied().unwrap_or_default();
    ui.label(theme::number(done.to_string()));
    for summary in state.results.summaries.get(point).into_iter().flatten() {
        ui.label(theme::number(text::number(summary.center())));
        let interval = summary.interval.map_or_else(
            || "–".to_owned(),
            |interval| format!("{} to {}", text::number(interval.low), text::number(interval.high)),
        );
        ui.label(theme::number(interval));
    }
}
