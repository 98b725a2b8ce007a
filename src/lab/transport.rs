//! The transport at the top: play and pause, single steps, resets, the speed, the time.

use bevy_egui::egui::{
    self, Align, AtomExt as _, Button, DragValue, Layout, RichText, Slider, Ui, WidgetInfo, WidgetType,
};

use super::command::{COMMANDS, SECTIONS, by_title};
use super::{Action, Lab, theme};
use crate::clock::{SLOWEST, Strategy, UNLIMITED};
use crate::draw::{Role, Theme};

/// Height of the panel in logical pixels.
const HEIGHT: f32 = 44.0;
/// Where the slider stops: 1, 2 and 5 times a power of ten, and no limit.
const STOPS: [f64; 17] =
    [SLOWEST, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, UNLIMITED];
/// Below this part of the requested scale the machine does not keep up.
const KEEPS_UP: f64 = 0.95;

/// The transport.
#[derive(Default)]
pub struct Transport;

impl Transport {
    /// Draws it; what was asked for.
    pub fn ui(&self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        let frame = theme::panel(lab.settings.theme);
        egui::Panel::top("transport").exact_size(HEIGHT).resizable(false).frame(frame).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                menu(ui, lab, &mut actions);
                ui.label(RichText::new(lab.title()).strong().size(15.0)).on_hover_text(&lab.host.scene().about);
                ui.add_space(theme::PAD);
                buttons(ui, lab, &mut actions);
                ui.add_space(theme::PAD);
                speed(ui, lab, &mut actions);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| right(ui, lab, &mut actions));
            });
        });
        actions
    }
}

/// Everything that has no button, and what has one, by its name.
fn menu(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let menu = ui.menu_button("Menu", |ui| {
        for (section, name) in SECTIONS {
            ui.menu_button(name, |ui| {
                for command in COMMANDS.iter().filter(|command| command.section == section) {
                    let keys = RichText::new(command.keys_text()).weak();
                    let action = (command.action)(lab);
                    let is_on = command.is_on(lab).unwrap_or_default();
                    let mark = (if is_on { "✔" } else { "" }).atom_size(egui::Vec2::splat(14.0));
                    let button = Button::new((mark, command.title)).right_text(keys);
                    let button = ui.add_enabled(action.is_some(), button);
                    button.widget_info(|| {
                        WidgetInfo::selected(WidgetType::Button, ui.is_enabled(), is_on, command.title)
                    });
                    let button = button.on_hover_text(command.hint).on_disabled_hover_text(command.hint);
                    if button.clicked() {
                        actions.extend(action);
                        ui.close();
                    }
                }
            });
        }
    });
    menu.response.on_hover_text("All actions; Ctrl+P finds them by name");
}

fn buttons(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let mut button = |text: &str, width: f32, hint: &str, action: Action| {
        if ui.add(Button::new(text).min_size(egui::vec2(width, 0.0))).on_hover_text(hint).clicked() {
            actions.push(action);
        }
    };
    let play = if lab.host.clock().paused { "▶ Play" } else { "⏸ Pause" };
    button(play, 80.0, "Lets time run or stand still (Space or K)", Action::PlayOrPause);
    button("Step", 0.0, "Pauses and does one step (Period or Right, held to repeat)", Action::Step(1));
    for (text, title) in [("Reset", "Reset"), ("New seed", "Reset with new seed")] {
        if let Some(command) = by_title(title) {
            let hint = command.tooltip();
            actions.extend((command.action)(lab).filter(|_| ui.button(text).on_hover_text(hint).clicked()));
        }
    }
}

fn speed(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let clock = lab.host.clock();
    ui.weak("Speed");
    let mut stop = nearest_stop(clock.scale());
    ui.spacing_mut().slider_width = 150.0;
    let slider = Slider::new(&mut stop, 0..=STOPS.len() - 1).show_value(false);
    let hint = "Simulated seconds per second, from 0.01 to unlimited ([ halves, ] doubles, \\ is 1×, } is unlimited)";
    if ui.add(slider).on_hover_text(hint).changed() {
        actions.push(Action::Scale(STOPS[stop]));
    }
    let before = clock.scale();
    let mut scale = before;
    let field = DragValue::new(&mut scale)
        .range(SLOWEST..=UNLIMITED)
        .speed(before * 0.01)
        .update_while_editing(false)
        .custom_formatter(|scale, _| format!("{:>9}", scale_text(scale)))
        .custom_parser(parse_scale);
    let field = ui.scope(|ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Monospace);
        ui.add_sized([84.0, 24.0], field)
    });
    let hint = "Simulated seconds per second, exactly: a number from 0.01, or max for unlimited";
    if field.inner.on_hover_text(hint).changed() {
        actions.push(Action::Scale(scale));
    }
    strategy(ui, lab, actions);
    achieved(ui, lab);
}

fn strategy(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let strategy = lab.host.clock().strategy;
    let (text, other) = match strategy {
        Strategy::BestEffort => ("Best effort", Strategy::FixedStep),
        Strategy::FixedStep => ("Fixed step", Strategy::BestEffort),
    };
    let hint = "Best effort drops time that the machine is too slow for; fixed step does every step, however late";
    if ui.add(Button::new(text).min_size(egui::vec2(88.0, 0.0))).on_hover_text(hint).clicked() {
        actions.push(Action::Strategy(other));
    }
}

fn achieved(ui: &mut Ui, lab: &Lab) {
    let clock = lab.host.clock();
    let scale = clock.achieved_scale();
    let late = !clock.paused && !clock.is_unlimited() && scale < clock.scale() * KEEPS_UP;
    let text = match clock.paused {
        // A screenshot runs without a pace.
        _ if lab.target.is_some() => return,
        true => "paused".into(),
        false => format!("{} achieved", achieved_text(scale)),
    };
    let role = if late { Role::Detecting } else { Role::Dim };
    let hint = format!(
        "Simulated seconds per second over the last second; {:.1} s were dropped because the machine was too slow",
        clock.dropped_s()
    );
    let text = theme::number(format!("{text:>17}")).color(theme::color(lab.settings.theme, role));
    ui.label(text).on_hover_text(hint);
}

fn right(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    if ui.button("Keys").on_hover_text("Lists all keys (F1 or ?)").clicked() {
        actions.push(Action::Help);
    }
    let (name, other) = match lab.settings.theme {
        Theme::Dark => ("Light", Theme::Light),
        Theme::Light => ("Dark", Theme::Dark),
    };
    let hint = "Changes the colours: dark for the screen, light for print";
    if ui.add(Button::new(name).min_size(egui::vec2(52.0, 0.0))).on_hover_text(hint).clicked() {
        actions.push(Action::Theme(other));
    }
    ui.add_space(theme::PAD);
    let time = theme::number(time_text(lab.host.simulation().time().now_s())).size(15.0);
    ui.label(time).on_hover_text("Simulated time, in hours, minutes and seconds");
}

/// Hours, minutes, seconds and milliseconds.
fn time_text(seconds: f64) -> String {
    let ms = (seconds * 1000.0).round() as u64;
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

fn scale_text(scale: f64) -> String {
    if scale >= UNLIMITED {
        return "unlimited".into();
    }
    // Three significant digits at least, and no trailing zeros: 0.01×, 0.125×, 4×.
    let text = format!("{scale:.3}");
    format!("{}×", text.trim_end_matches('0').trim_end_matches('.'))
}

fn achieved_text(scale: f64) -> String {
    match scale {
        ..9.995 => format!("{scale:.2}×"),
        ..99.95 => format!("{scale:.1}×"),
        _ => format!("{scale:.0}×"),
    }
}

fn parse_scale(text: &str) -> Option<f64> {
    match text.trim() {
        "max" | "unlimited" => Some(UNLIMITED),
        number => number.trim_end_matches(['×', 'x']).trim_end().parse().ok(),
    }
}

fn nearest_stop(scale: f64) -> usize {
    let distance = |stop: f64| (libm::log(stop) - libm::log(scale)).abs();
    let nearer = |a: &usize, b: &usize| distance(STOPS[*a]).total_cmp(&distance(STOPS[*b]));
    (0..STOPS.len()).min_by(nearer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::{NodeT as _, Queryable as _};

    use super::super::testing::{lab_on, window};
    use super::*;

    #[test]
    fn the_menu_marks_what_is_on_and_always_steps() {
        let mut before = lab_on("milling");
        before.host.clock_mut().paused = false;
        let (mut window, lab) = window(before);
        let is_on = |window: &mut egui_kittest::Harness, section: &str, entry: &str| {
            window.get_by_label("Menu").click();
            window.run_steps(4);
            window.get_by_label_contains(section).click();
            window.run_steps(4);
            let entry = window.get_by_label(entry);
            let is_on = entry.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True);
            entry.click();
            window.run_steps(4);
            is_on
        };
        for expected in [true, false, true] {
            assert_eq!(lab.borrow().settings.gallery, expected);
            assert_eq!(is_on(&mut window, "Window", "Hide or show the gallery"), expected);
        }
        assert!(!is_on(&mut window, "Time", "Ten steps"));
        assert!(lab.borrow().host.clock().paused);
        lab.borrow_mut().advance(0.0, || true);
        assert_eq!(lab.borrow().host.simulation().steps(), 10);
        assert!(!is_on(&mut window, "Window", "Light colours"));
        assert!(is_on(&mut window, "Window", "Light colours"));
    }

    #[test]
    fn time_has_hours_to_milliseconds() {
        assert_eq!(time_text(72.475), "00:01:12.475");
        assert_eq!(time_text(3.0 * 0.025), "00:00:00.075");
        assert_eq!(time_text(360_000.0), "100:00:00.000");
    }

    #[test]
    fn scales_are_written_and_read() {
        let written = [0.01, 0.125, 4.0, 1000.0, UNLIMITED].map(scale_text);
        assert_eq!(written, ["0.01×", "0.125×", "4×", "1000×", "unlimited"]);
        assert_eq!(
            ["max", " 4 x", "0.5×", "unlimited", "fast"].map(parse_scale),
            [Some(UNLIMITED), Some(4.0), Some(0.5), Some(UNLIMITED), None]
        );
        assert_eq!([3.9, 12.34, 12_345.6].map(achieved_text), ["3.90×", "12.3×", "12346×"]);
    }

    #[test]
    fn the_slider_stands_at_the_nearest_stop() {
        assert_eq!(STOPS.map(nearest_stop), std::array::from_fn(|index| index));
        assert_eq!(STOPS[nearest_stop(4.0)], 5.0);
    }
}
