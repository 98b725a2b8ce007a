//! The panel Time: requested and achieved speed, and duration of steps.

use bevy_egui::egui::{self, DragValue, Grid, RichText, Slider, Ui};
use swarmarium_core::time::Strategy;
use swarmarium_host::clock::{SLOWEST, UNLIMITED};
use swarmarium_lab_state::action::{Action, TimeAction, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::settings::KEYFRAMES_MB;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::whole_field;
use swarmarium_scene::scene::base;
use swarmarium_scene::scene::description::{Epoch, Pacing};

use crate::sheet::{self, Sheet};
use crate::transport::{achieved_text, scale_text};

/// The width of the panel, in points.
const WIDTH_PX: f32 = 420.0;

/// Draws the panel. Returns the requested actions.
pub fn ui(ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
    let mut wanted = Vec::new();
    let mut is_open = true;
    let window = sheet::window("Time", &mut is_open);
    let window = window.default_pos(lab.view.rect_px.left_top() + egui::vec2(12.0, 12.0));
    window.show(ctx, |ui| {
        let sheet = Sheet::in_window(ui, WIDTH_PX);
        sheet.body(ui, |ui| {
            Grid::new("time").num_columns(2).spacing([16.0, 3.0]).show(ui, |ui| {
                speed_settings(ui, lab, &mut wanted);
                actual_speed(ui, lab);
            });
        });
        sheet.footer(ui, |ui| {
            ui.weak(
                "Step, base frequency, pacing and epoch are parameters of the scene; changes take effect at a restart.",
            )
        });
    });
    if !is_open {
        wanted.push(Action::Time(TimeAction::TogglePanel));
    }
    wanted
}

fn row(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    ui.weak(name);
    ui.horizontal_wrapped(content);
    ui.end_row();
}

/// Draws a value that is only shown.
fn fact_row(ui: &mut Ui, name: &str, text: impl Into<String>, hint: &str) {
    row(ui, name, |ui| {
        ui.label(theme::number(text.into())).on_hover_text(hint);
    });
}

/// Draws the settings and the values of the scene.
fn speed_settings(ui: &mut Ui, lab: &Lab, wanted: &mut Vec<Action>) {
    let clock = lab.run.host.clock();
    row(ui, "Strategy", |ui| {
        for (strategy, id) in
            [(Strategy::BestEffort, CommandId::BestEffort), (Strategy::FixedStep, CommandId::FixedStep)]
        {
            let (title, hint) = (id.command().title, id.command().hint);
            if ui.selectable_label(clock.strategy == strategy, title).on_hover_text(hint).clicked() {
                wanted.push(Action::Time(TimeAction::Strategy(strategy)));
            }
        }
    });
    row(ui, "Scale", |ui| {
        let mut scale = clock.scale();
        let slider = Slider::new(&mut scale, SLOWEST..=UNLIMITED).logarithmic(true).show_value(false);
        let slider = ui.add(slider);
        slider.ctx.accesskit_node_builder(slider.id, |node| node.set_label("Time scale"));
        let hint = "Requested playback speed in simulated seconds per real second, from 0.01 to unlimited";
        if slider.on_hover_text(hint).changed() {
            wanted.push(Action::Time(TimeAction::Scale(scale)));
        }
        ui.label(theme::number(scale_text(clock.scale()))).on_hover_text(hint);
    });
    row(ui, "Keyframes", |ui| {
        let (mut mb, stats) = (lab.shell.settings.keyframes_mb, lab.run.host.timeline().keyframe_stats());
        let present = mb;
        let field = whole_field(ui, DragValue::new(&mut mb).range(KEYFRAMES_MB).suffix(" MB"), "MB", present);
        field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Memory of keyframes"));
        let hint = format!(
            "Memory limit of the keyframes of the timeline, in MB, from {} to {}; more memory makes jumps faster",
            KEYFRAMES_MB.start(),
            KEYFRAMES_MB.end()
        );
        if field.on_hover_text(hint).changed() {
            wanted.push(TimelineAction::SetKeyframeBudget(mb).into());
        }
        let text = format!("{} in {:.1} MB", stats.count, stats.bytes as f64 / f64::from(1 << 20));
        let hint = format!("Snapshots of the run, from which jumps start; one every {} steps or less", stats.spacing);
        ui.label(theme::number(text)).on_hover_text(hint);
    });
    let time = lab.run.host.scene().time;
    let (pacing, hint) = match time.pacing.sync_port() {
        None => ("internal".to_owned(), "The clock of the window starts each step"),
        Some(port) => (format!("external, port {port}"), "Clients start each step with tokens sent to this port"),
    };
    fact_row(ui, "Pacing", pacing, hint);
    if let Pacing::External { min_clients: min_clients @ 1.., .. } = time.pacing {
        fact_row(
            ui,
            "Waits for",
            min_clients.to_string(),
            "Number of clients that must send a token before a step starts",
        );
    }
}

/// Draws the achieved values.
fn actual_speed(ui: &mut Ui, lab: &Lab) {
    let (simulation, found) = (lab.run.host.simulation(), lab.run.host.clock().statistics());
    let dt_s = simulation.time().dt_s;
    let hint = "Real-time factor: simulated seconds per second over the last second";
    fact_row(ui, "Achieved", achieved_text(found.achieved_scale), hint);
    fact_row(
        ui,
        "Dropped",
        format!("{:.3} s", found.dropped_s),
        "Simulated time that was dropped because the machine was too slow, in seconds",
    );
    // Rounded to a readable number of digits.
    let step_s = (dt_s * 1e9).round() / 1e9;
    fact_row(ui, "Step", format!("{step_s} s"), "Simulated time that one step takes, in seconds");
    let base_hint = match base::fastest(simulation.kinds(), lab.run.host.scene()) {
        Some(fastest) => fastest.message(),
        None => "Steps per simulated second, in hertz; set by time.dt_s of the scene".into(),
    };
    fact_row(ui, "Base frequency", format!("{:.3} Hz", 1.0 / dt_s), &base_hint);
    let epoch = match simulation.scene().time.epoch {
        Epoch::Zero => "0 s".to_owned(),
        _ => format!("{:.3} s", simulation.epoch_s()),
    };
    fact_row(ui, "Epoch", epoch, "Time of the start of the run for clients, in seconds since 1970 (UTC)");
    ui.separator();
    ui.end_row();
    ui.label(RichText::new("Real time of a step").strong());
    ui.end_row();
    let of_window = "over the last 600 steps, in milliseconds";
    let ms = |seconds: f64| format!("{:.3} ms", 1000.0 * seconds);
    fact_row(ui, "Mean", ms(found.mean_step_s), &format!("Mean real time of a step {of_window}"));
    fact_row(
        ui,
        "Standard deviation",
        ms(found.variance_step_s.sqrt()),
        &format!("Standard deviation of the real time of a step {of_window}"),
    );
    for (name, share, seconds) in
        [("Median", "50", found.p50_s), ("95 %", "95", found.p95_s), ("99 %", "99", found.p99_s)]
    {
        fact_row(ui, name, ms(seconds), &format!("{share} % of steps took no longer than this {of_window}"));
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_testing::{lab_of, type_into, window};

    use super::*;

    #[test]
    fn the_timing_panel_shows_the_values_of_scene_and_clock() {
        let text = r#"(time: (base: Fastest, strategy: FixedStep, epoch: At(unix_s: 12.5), pacing: External(port: 5000)),
            groups: [(name: "a", sensors: [Constant(rate_hz: 100)])])"#;
        let mut lab = lab_of(text);
        lab.shell.popups.time = true;
        let (window, _) = window(lab);
        for shown in ["0.01 s", "100.000 Hz", "12.500 s", "external, port 5000"] {
            assert!(window.query_all_by_label(shown).next().is_some(), "{shown}");
        }
    }

    #[test]
    fn whole_numbers_are_calculated_and_others_refused_with_a_reason() {
        let mut lab = lab_of("(groups: [(name: \"a\")])");
        lab.shell.popups.time = true;
        let (mut window, lab) = window(lab);
        type_into(&mut window, "Memory of keyframes", "2*60", egui::Key::Enter);
        assert_eq!(lab.borrow().shell.settings.keyframes_mb, 120);
        type_into(&mut window, "Memory of keyframes", "1/3", egui::Key::Enter);
        window.get_by_label_contains("enter a whole number");
        assert_eq!(lab.borrow().shell.settings.keyframes_mb, 120);
    }

    #[test]
    fn the_timing_panel_sets_the_strategy_and_closes() {
        let mut lab = lab_of("(groups: [(name: \"a\")])");
        lab.shell.popups.time = true;
        let (mut window, lab) = window(lab);
        // The transport shows the chosen one; it has no button of this name.
        window.get_by_label("Never drop steps").click();
        window.run_steps(3);
        assert_eq!(lab.borrow().run.host.clock().strategy, Strategy::FixedStep);
        window.key_press(egui::Key::Escape);
        window.run_steps(3);
        assert!(!lab.borrow().shell.popups.time);
    }
}
