//! The runs of a point: seed, measure and status of each, with buttons that open it.

use bevy_egui::egui::{self, Align, Button, Image, Label, Layout, RichText, ScrollArea, TextureId, Ui};
use swarmarium_core::text::wording::count;
use swarmarium_lab_state::action::{Action, SweepAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::sweeps::point_text;
use swarmarium_lab_state::sweeps::worker::State;
use swarmarium_picture::palette::Role;
use swarmarium_sweep::charts::text;
use swarmarium_sweep::folder::hex;
use swarmarium_sweep::summary::Summary;
use swarmarium_sweep::{Outcome, Run, Sweep};

/// The size of the picture above the runs, in points.
const PICTURE_PX: egui::Vec2 = egui::Vec2::new(120.0, 90.0);

/// Draws the list.
pub fn ui(
    ui: &mut Ui,
    lab: &Lab,
    (sweep, state): (&Sweep, &State),
    point: usize,
    picture: Option<TextureId>,
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        if let Some(picture) = picture {
            ui.add(Image::from_texture((picture, PICTURE_PX)).alt_text("The first run at its end"));
        }
        ui.vertical(|ui| {
            ui.add(Label::new(RichText::new(point_text(sweep, point)).strong()).wrap());
            let summaries = state.results.summaries.get(point).into_iter().flatten();
            for (measure, summary) in summaries.enumerate() {
                ui.add(Label::new(summary_text(sweep, measure, summary)).wrap());
            }
        });
    });
    let Some(runs) = state.runs.as_ref().filter(|runs| runs.0 == point) else { return };
    let row_px = 20.0;
    let area = ScrollArea::vertical().id_salt("runs").auto_shrink([false, true]);
    area.show_rows(ui, row_px, runs.1.len(), |ui, shown| {
        for place in shown {
            let run = Run { point, repetition: place as u64 };
            row(ui, lab, sweep, run, runs.1.get(place).and_then(Option::as_ref), actions);
        }
    });
}

fn row(ui: &mut Ui, lab: &Lab, sweep: &Sweep, run: Run, outcome: Option<&Outcome>, actions: &mut Vec<Action>) {
    let seed = sweep.seed(run);
    let name = format!("run {} of point {}", run.repetition + 1, run.point + 1);
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = 18.0;
        ui.spacing_mut().button_padding = egui::vec2(5.0, 0.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            // Room for the scroll bar.
            ui.add_space(theme::GAP);
            let Some(outcome) = outcome else {
                ui.weak("not done yet");
                return left(ui, |ui| drop(ui.label(format!("seed {seed}"))));
            };
            let mut small = |ui: &mut Ui, text: &str, verb: &str, hint: &str, action: SweepAction| {
                let button = ui.add(Button::new(text));
                swarmarium_lab_state::common::widgets::named(&button, &format!("{verb} {name}"));
                if button.on_hover_text(hint).clicked() {
                    actions.push(action.into());
                }
            };
            small(ui, "Record", "Record", "Opens this run and records it as a video", SweepAction::RecordRun(run));
            let beside = "Shows this run as B beside the open run of the sweep";
            small(ui, "Beside", "Compare", beside, SweepAction::CompareRun(run));
            let is_open = lab.sweep.opened == Some((run, lab.run.openings));
            left(ui, |ui| {
                let values = match &outcome.error {
                    Some(_) => "failed".to_owned(),
                    None => outcome
                        .measures
                        .iter()
                        .map(|taken| {
                            let sign = if taken.is_censored { ">" } else { "" };
                            format!("{sign}{}", text::number(taken.value))
                        })
                        .collect::<Vec<_>>()
                        .join("  "),
                };
                let status = if outcome.error.is_some() { "" } else { "  done" };
                let shown = format!("seed {seed:<6} {values}{status}");
                let row =
                    ui.add(Button::selectable(is_open, theme::number(shown)).frame_when_inactive(true).truncate());
                swarmarium_lab_state::common::widgets::named(&row, &format!("Open {name}"));
                let status = outcome.error.clone().unwrap_or_else(|| "done".into());
                let hash = hex(outcome.hash);
                let hint = format!("Opens this run at its end, step {}, hash {hash}\nStatus: {status}", outcome.steps);
                if row.on_hover_text(hint).clicked() {
                    actions.push(SweepAction::OpenRun(run).into());
                }
                if outcome.error.is_some() {
                    ui.colored_label(theme::color(lab.shell.settings.theme, Role::Detecting), "⚠");
                }
            });
        });
    });
}

fn left(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    ui.with_layout(Layout::left_to_right(Align::Center), content);
}

/// Returns the statistics of a measure at a point: `Mean circliness: 0.93 (0.90 to 0.95), 10 runs`.
pub fn summary_text(sweep: &Sweep, measure: usize, summary: &Summary) -> String {
    let (words, unit) = text::measure_words(sweep, measure);
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let interval = summary.interval.map_or_else(String::new, |interval| {
        format!(" ({} to {})", text::number(interval.low), text::number(interval.high))
    });
    let failed = if summary.failed > 0 { format!(", {} failed", summary.failed) } else { String::new() };
    format!("{words}: {}{unit}{interval}, {}{failed}", text::number(summary.center()), count(summary.n(), "run"))
}

/// Returns a number with four digits.
pub fn value_text(value: f64) -> String {
    text::number(value)
}
