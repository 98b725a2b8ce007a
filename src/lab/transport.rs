//! The transport at the top: play and pause, single steps, resets, the speed, the time.

use bevy_egui::egui::{
    self, Align, AtomExt as _, Button, Key, Label, Layout, RichText, Slider, TextEdit, Ui, WidgetInfo, WidgetType,
};
use swarmarium_core::clock::{SLOWEST, UNLIMITED};
use swarmarium_core::time::Strategy;
use swarmarium_picture::palette::{Role, Theme};

use super::action::{TimeAction, WindowAction};
use super::command::{COMMANDS, Command, SECTIONS, by_title};
use super::tour::{self, Landmark};
use super::widgets::select_all;
use super::{Action, Lab, theme};

/// Height of the panel in logical pixels.
const HEIGHT: f32 = 44.0;
/// Where the slider stops: 1, 2 and 5 times a power of ten, and no limit.
const STOPS: [f64; 17] =
    [SLOWEST, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, UNLIMITED];
/// Below this part of the requested scale the machine does not keep up.
const KEEPS_UP: f64 = 0.95;

/// What may be typed as a speed.
const ALLOWED: &str = "a number from 0.01 to 1000000, or max for unlimited";

/// The transport.
#[derive(Default)]
pub struct Transport {
    typed: Option<Typed>,
}

/// A speed that is typed.
struct Typed {
    text: String,
    /// Whether it was asked for and is none.
    is_refused: bool,
}

impl Transport {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        let frame = theme::panel(lab.settings.theme);
        egui::Panel::top("transport").exact_size(HEIGHT).resizable(false).frame(frame).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                let visible = VisibleControls::of(ui.available_width());
                menu(ui, lab, &mut actions);
                title(ui, lab, &visible);
                buttons(ui, lab, &visible, &mut actions);
                if visible.has(Control::Record) {
                    record(ui, lab, &mut actions);
                }
                self.speed(ui, lab, &visible, &mut actions);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| right(ui, lab, &visible, &mut actions));
            });
        });
        actions
    }

    fn speed(&mut self, ui: &mut Ui, lab: &Lab, visible: &VisibleControls, actions: &mut Vec<Action>) {
        if visible.has(Control::Slider) {
            ui.weak("Speed");
            self.slider(ui, lab, actions);
        }
        actions.extend(self.field(ui, lab).map(|scale| Action::Time(TimeAction::Scale(scale))));
        if self.typed.as_ref().is_some_and(|typed| typed.is_refused) {
            self.refusal(ui, lab, visible);
            return;
        }
        if visible.has(Control::Strategy) {
            strategy(ui, lab, actions);
        }
        if visible.has(Control::Achieved) {
            achieved(ui, lab);
        }
    }

    fn slider(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let mut stop = nearest_stop(lab.host.clock().scale());
        ui.spacing_mut().slider_width = 88.0;
        let slider = Slider::new(&mut stop, 0..=STOPS.len() - 1).show_value(false);
        let keys = |title, does| match lab.keymap.text_of(title).as_str() {
            "" => String::new(),
            keys => format!("; {keys} {does}"),
        };
        let hint = format!(
            "Simulated seconds per second, from 0.01 to unlimited{}{}{}{}",
            keys("Slower", "halves it"),
            keys("Faster", "doubles it"),
            keys("Real time", "makes it 1×"),
            keys("Unlimited speed", "takes the limit away"),
        );
        if ui.add(slider).on_hover_text(hint).changed() {
            self.typed = None;
            actions.push(Action::Time(TimeAction::Scale(STOPS[stop])));
        }
    }

    /// Draws the field: Enter or leaving it asks for the speed, Esc discards the typed text.
    fn field(&mut self, ui: &mut Ui, lab: &Lab) -> Option<f64> {
        let now = scale_text(lab.host.clock().scale());
        let mut text = self.typed.as_ref().map_or_else(|| now.clone(), |typed| typed.text.clone());
        let field = TextEdit::singleline(&mut text)
            .id_salt("speed")
            .font(egui::TextStyle::Monospace)
            .horizontal_align(Align::RIGHT)
            .vertical_align(Align::Center)
            .desired_width(84.0);
        let field = ui.add_sized([84.0, 24.0], field);
        field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Speed"));
        let field = field.on_hover_text(format!("Simulated seconds per second, exactly: {ALLOWED} (Enter)"));
        if field.gained_focus() {
            select_all(ui.ctx(), field.id);
        }
        if field.changed() {
            // A refusal goes as soon as it is mended.
            let was_refused = self.typed.as_ref().is_some_and(|typed| typed.is_refused);
            let is_refused = was_refused && parse_scale(&text).is_none();
            self.typed = Some(Typed { text: text.clone(), is_refused });
        }
        if !field.lost_focus() {
            return None;
        }
        self.typed = None;
        if text == now || ui.input(|input| input.key_pressed(Key::Escape)) {
            return None;
        }
        let scale = parse_scale(&text);
        self.typed = scale.is_none().then_some(Typed { text, is_refused: true });
        scale
    }

    /// Why what was typed is no speed, and a button that takes it back.
    fn refusal(&mut self, ui: &mut Ui, lab: &Lab, visible: &VisibleControls) {
        let button = ui.add(Button::new("✖").frame(false));
        button.ctx.accesskit_node_builder(button.id, |node| node.set_label("Discard the typed speed"));
        if button.on_hover_text("Discards the typed speed (Esc in the field)").clicked() {
            self.typed = None;
        }
        if visible.has(Control::Achieved) {
            let color = theme::color(lab.settings.theme, Role::Warning);
            ui.label(RichText::new(format!("expected {ALLOWED}")).color(color).size(theme::NUMBER_PX));
        }
    }
}

/// What the scene is about, and where it comes from.
fn about(lab: &Lab) -> String {
    [lab.host.scene().about.as_str(), &lab.origin()].join("\n").trim().into()
}

/// What a narrow window may leave out, the most wanted first. The menu has all of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    Step,
    Reset,
    Title,
    NewSeed,
    Record,
    Slider,
    Achieved,
    Strategy,
    Looks,
}

/// The parts with their widths in points, distances included.
const PARTS: [(Control, f32); 9] = [
    (Control::Step, 56.0),
    (Control::Reset, 60.0),
    (Control::Title, LEAST_TITLE),
    (Control::NewSeed, 85.0),
    (Control::Record, 82.0),
    (Control::Slider, 153.0),
    (Control::Achieved, 131.0),
    (Control::Strategy, 96.0),
    (Control::Looks, 125.0),
];
/// Width of the menu, play, the field of the speed and the time.
const ALWAYS: f32 = 370.0;
/// The narrowest title.
const LEAST_TITLE: f32 = 80.0;
/// The widest title.
const TITLE: f32 = 240.0;

/// What there is room for.
struct VisibleControls {
    controls: Vec<Control>,
    title: f32,
}

impl VisibleControls {
    fn of(width: f32) -> Self {
        let mut left = width - ALWAYS;
        let fits = |(part, width): &(Control, f32)| {
            left -= width;
            (left >= 0.0).then_some(*part)
        };
        let controls: Vec<_> = PARTS.iter().map_while(fits).collect();
        // What is over is for the title.
        let title = LEAST_TITLE + if controls.len() == PARTS.len() { left } else { 0.0 };
        Self { controls, title: title.min(TITLE) }
    }

    fn has(&self, part: Control) -> bool {
        self.controls.contains(&part)
    }
}

fn title(ui: &mut Ui, lab: &Lab, visible: &VisibleControls) {
    if visible.has(Control::Title) {
        let text = RichText::new(lab.title()).strong().size(theme::NAME_PX);
        ui.scope(|ui| {
            ui.set_max_width(visible.title - theme::PAD);
            ui.add(Label::new(text).truncate()).on_hover_text(about(lab));
        });
        ui.add_space(theme::PAD);
    }
}

/// Everything that has no button, and what has one, by its name.
fn menu(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let menu = ui.menu_button("Menu", |ui| {
        for (section, name) in SECTIONS {
            let commands = COMMANDS.iter().filter(|command| command.section == section);
            let entries = |ui: &mut Ui| commands.for_each(|command| entry(ui, lab, command, actions));
            ui.menu_button(name, |ui| theme::entries(ui, entries));
        }
    });
    menu.response.on_hover_text(match lab.keymap.text_of("Find an action").as_str() {
        "" => "All actions".into(),
        keys => format!("All actions; {keys} finds them by name"),
    });
}

/// A command in the menu.
fn entry(ui: &mut Ui, lab: &Lab, command: &Command, actions: &mut Vec<Action>) {
    let keys = RichText::new(command.keys_text(&lab.keymap)).weak();
    let action = (command.action)(lab);
    let is_on = command.is_on(lab).unwrap_or_default();
    let mark = (if is_on { "✔" } else { "" }).atom_size(egui::Vec2::splat(14.0));
    let button = Button::new((mark, command.title)).right_text(keys);
    let button = ui.add_enabled(action.is_some(), button);
    button.widget_info(|| WidgetInfo::selected(WidgetType::Button, ui.is_enabled(), is_on, command.title));
    let button = button.on_hover_text(command.hint).on_disabled_hover_text(command.hint);
    if button.clicked() {
        actions.extend(action);
        ui.close();
    }
}

fn buttons(ui: &mut Ui, lab: &Lab, visible: &VisibleControls, actions: &mut Vec<Action>) {
    let play = if lab.host.clock().paused { "▶ Play" } else { "⏸ Pause" };
    let buttons = [
        (None, play, 80.0, "Play or pause"),
        (Some(Control::Step), "Step", 0.0, "Step"),
        (Some(Control::Reset), "Reset", 0.0, "Reset"),
        (Some(Control::NewSeed), "New seed", 0.0, "Reset with new seed"),
    ];
    for (part, text, width, title) in buttons {
        if part.is_none_or(|part| visible.has(part)) {
            actions.extend(button(ui, lab, text, width, title).and_then(|command| (command.action)(lab)));
        }
    }
}

/// Starts and stops a recording, and shows how long it is.
fn record(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let (Some(start), Some(settings)) = (by_title("Start or stop recording"), by_title("Recording settings")) else {
        return;
    };
    let text = match lab.recordings.running_s() {
        Some(seconds) => RichText::new(format!("⏹ {}:{:02}", seconds as u64 / 60, seconds as u64 % 60))
            .color(theme::color(lab.settings.theme, Role::Warning)),
        None => RichText::new("⏺ Record"),
    };
    let button = ui.add(Button::new(text).min_size(egui::vec2(74.0, 0.0)));
    let button =
        button.on_hover_text(format!("{}; right click: {}", start.tooltip(&lab.keymap), settings.tooltip(&lab.keymap)));
    tour::mark(ui.ctx(), Landmark::Record, button.rect);
    let asked = [(button.clicked(), start), (button.secondary_clicked(), settings)];
    actions.extend(asked.iter().filter(|(is_asked, _)| *is_asked).filter_map(|(_, command)| (command.action)(lab)));
}

/// Draws a button of a command; the command, when it was pressed.
fn button(ui: &mut Ui, lab: &Lab, text: &str, width: f32, title: &str) -> Option<&'static Command> {
    let command = by_title(title)?;
    let button = ui.add(Button::new(text).min_size(egui::vec2(width, 0.0)));
    let button = button.on_hover_text(command.tooltip(&lab.keymap));
    if title == "Play or pause" {
        tour::mark(ui.ctx(), Landmark::Play, button.rect);
    }
    button.clicked().then_some(command)
}

fn strategy(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let strategy = lab.host.clock().strategy;
    let (text, other) = match strategy {
        Strategy::BestEffort => ("Best effort", Strategy::FixedStep),
        Strategy::FixedStep => ("Fixed step", Strategy::BestEffort),
    };
    let hint = "Best effort drops time that the machine is too slow for; fixed step does every step, however late";
    if ui.add(Button::new(text).min_size(egui::vec2(88.0, 0.0))).on_hover_text(hint).clicked() {
        actions.push(Action::Time(TimeAction::Strategy(other)));
    }
}

fn achieved(ui: &mut Ui, lab: &Lab) {
    let clock = lab.host.clock();
    let scale = clock.achieved_scale();
    let late = !clock.paused && !clock.is_unlimited() && scale < clock.scale() * KEEPS_UP;
    let text = match clock.paused {
        // A screenshot runs without a pace.
        _ if lab.shots.target.is_some() => return,
        true if lab.host.has_ended() => "ended".into(),
        true => "paused".into(),
        false => format!("{} achieved", achieved_text(scale)),
    };
    let role = if late { Role::Warning } else { Role::Dim };
    let hint = format!(
        "Real-time factor over the last second; {:.1} s were dropped because the machine was too slow",
        clock.dropped_s()
    );
    let text = theme::number(format!("{text:>17}")).color(theme::color(lab.settings.theme, role));
    ui.label(text).on_hover_text(hint);
}

fn right(ui: &mut Ui, lab: &Lab, visible: &VisibleControls, actions: &mut Vec<Action>) {
    if visible.has(Control::Looks) {
        looks(ui, lab, actions);
        ui.add_space(theme::PAD);
    }
    let time = theme::number(time_text(lab.host.simulation().time().now_s())).size(theme::NAME_PX);
    ui.label(time).on_hover_text("Simulated time, in hours, minutes and seconds");
}

fn looks(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    actions.extend(button(ui, lab, "Keys", 0.0, "List keys").and_then(|command| (command.action)(lab)));
    let (name, other) = match lab.settings.theme {
        Theme::Dark => ("Light", Theme::Light),
        Theme::Light => ("Dark", Theme::Dark),
    };
    let hint = "Changes the colours: dark for the screen, light for print";
    if ui.add(Button::new(name).min_size(egui::vec2(52.0, 0.0))).on_hover_text(hint).clicked() {
        actions.push(Action::Window(WindowAction::Theme(other)));
    }
}

/// Hours, minutes, seconds and milliseconds.
fn time_text(seconds: f64) -> String {
    let ms = (seconds * 1000.0).round() as u64;
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

pub(super) fn scale_text(scale: f64) -> String {
    if scale >= UNLIMITED {
        return "unlimited".into();
    }
    // Three significant digits at least, and no trailing zeros: 0.01×, 0.125×, 4×.
    let text = format!("{scale:.3}");
    format!("{}×", text.trim_end_matches('0').trim_end_matches('.'))
}

pub(super) fn achieved_text(scale: f64) -> String {
    match scale {
        ..9.995 => format!("{scale:.2}×"),
        ..99.95 => format!("{scale:.1}×"),
        _ => format!("{scale:.0}×"),
    }
}

fn parse_scale(text: &str) -> Option<f64> {
    match text.trim() {
        "max" | "unlimited" => Some(UNLIMITED),
        number => {
            let scale = number.trim_end_matches(['×', 'x']).trim_end().parse().ok();
            scale.filter(|scale| (SLOWEST..=UNLIMITED).contains(scale))
        }
    }
}

fn nearest_stop(scale: f64) -> usize {
    let distance = |stop: f64| (libm::log(stop) - libm::log(scale)).abs();
    let nearer = |a: &usize, b: &usize| distance(STOPS[*a]).total_cmp(&distance(STOPS[*b]));
    (0..STOPS.len()).min_by(nearer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Event;
    use egui_kittest::Harness;
    use egui_kittest::kittest::{NodeT as _, Queryable as _};

    use super::*;
    use crate::layout::Pane;
    use crate::testing::{lab_of, lab_on, window};

    fn speed<'h>(window: &'h Harness) -> egui_kittest::Node<'h> {
        window.get_by_role_and_label(egui::accesskit::Role::TextInput, "Speed")
    }

    fn type_speed(window: &mut Harness, text: &str, key: Key) {
        speed(window).focus();
        window.run_steps(2);
        window.event(Event::Text(text.into()));
        window.run_steps(2);
        window.key_press(key);
        window.run_steps(2);
    }

    #[test]
    fn menus_fit_into_a_low_window() {
        for (size, menu) in [((1280.0, 800.0), "View"), ((900.0, 400.0), "View"), ((900.0, 400.0), "Tools")] {
            let (mut window, _) = window(lab_on("milling"));
            window.set_size(size.into());
            window.run_steps(3);
            crate::testing::click(&mut window, "Menu");
            crate::testing::click(&mut window, &format!("{menu} ⏵"));
            window.run_steps(4);
            let popups = window.ctx.memory(|memory| {
                let areas = memory.areas();
                let is_over = |layer: &egui::LayerId| layer.order == egui::Order::Foreground;
                let layers: Vec<_> = areas.visible_layer_ids().into_iter().filter(is_over).collect();
                layers.iter().filter_map(|layer| memory.area_rect(layer.id)).collect::<Vec<_>>()
            });
            assert!(popups.len() > 1, "{menu}");
            let screen = window.ctx.content_rect();
            assert!(popups.iter().all(|popup| screen.contains_rect(*popup)), "{menu} at {size:?}: {popups:?}");
        }
    }

    #[test]
    fn a_run_that_stop_ended_says_so() {
        let (mut window, lab) = window(lab_of("(groups: [(name: \"g\", controller: Constant())], stop: (steps: 3))"));
        lab.borrow_mut().host.clock_mut().paused = false;
        lab.borrow_mut().advance(1.0, || true);
        window.run_steps(3);
        assert!(lab.borrow().host.clock().paused);
        window.get_by_label_contains("ended by stop.steps: 3");
        window.get_by_label(&format!("{:>17}", "ended"));
        lab.borrow_mut().reset(None);
        window.run_steps(3);
        assert!(window.query_by_label_contains("ended by").is_none());
    }

    #[test]
    fn a_wrong_speed_is_refused_in_place_until_it_is_mended() {
        let (mut window, lab) = window(lab_on("milling"));
        let scale = || lab.borrow().host.clock().scale();
        let before = scale();
        type_speed(&mut window, "fast", Key::Enter);
        window.get_by_label_contains("expected a number from 0.01");
        assert_eq!((scale(), speed(&window).value().as_deref()), (before, Some("fast")));
        type_speed(&mut window, "2.5", Key::Enter);
        assert!(window.query_by_label_contains("expected").is_none());
        assert_eq!((scale(), speed(&window).value().as_deref()), (2.5, Some("2.5×")));
        type_speed(&mut window, "0", Key::Tab);
        window.get_by_label("Discard the typed speed").click();
        window.run_steps(3);
        assert!(window.query_by_label_contains("expected").is_none());
        type_speed(&mut window, "7", Key::Escape);
        assert_eq!((scale(), speed(&window).value().as_deref()), (2.5, Some("2.5×")));
        type_speed(&mut window, "max", Key::Enter);
        assert_eq!(scale(), UNLIMITED);
    }

    #[test]
    fn buttons_say_what_the_table_of_commands_says() {
        let (mut window, lab) = window(lab_on("milling"));
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        for (text, title) in [("▶ Play", "Play or pause"), ("Step", "Step"), ("Keys", "List keys")] {
            window.get_by_label(text).hover();
            window.run_steps(4);
            window.get_by_label(&by_title(title).unwrap().tooltip(&lab.borrow().keymap));
        }
        lab.borrow_mut().host.clock_mut().paused = false;
        window.get_by_label("Step").click();
        window.run_steps(2);
        assert!(lab.borrow().host.clock().paused, "the button pauses, too");
    }

    #[test]
    fn the_title_tells_where_the_scene_comes_from() {
        let (mut window, lab) = window(lab_on("milling"));
        assert_eq!(lab.borrow().window_title(), "Milling — shipped scene milling — Swarmarium");
        assert!(about(&lab.borrow()).ends_with("\nshipped scene milling"));
        let path = std::path::absolute("scenes/aggregation.ron").unwrap().display().to_string();
        lab.borrow_mut().open_source("scenes/aggregation.ron");
        assert_eq!(lab.borrow().window_title(), format!("Aggregation — {path} — Swarmarium"));
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        window.run_steps(2);
        let title = window.get_all_by_label("Aggregation").min_by(|a, b| a.rect().top().total_cmp(&b.rect().top()));
        window.hover_at(title.unwrap().rect().center());
        window.run_steps(4);
        window.get_by_label_contains(&path);
    }

    #[test]
    fn a_narrow_window_leaves_out_what_is_least_wanted() {
        let names = |width| VisibleControls::of(width).controls.len();
        assert_eq!([200.0, 560.0, 800.0, 1256.0, 4000.0].map(names), [0, 2, 5, 9, 9]);
        assert!(VisibleControls::of(4000.0).title <= TITLE);
    }

    #[test]
    fn the_menu_marks_what_is_on_and_always_steps() {
        let mut before = lab_on("milling");
        before.host.clock_mut().paused = false;
        let (mut window, lab) = window(before);
        let is_on = |window: &mut Harness, section: &str, entry: &str| {
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
            assert_eq!(lab.borrow().shows_panel(Pane::Gallery), expected);
            assert_eq!(is_on(&mut window, "Panels", "Hide or show the gallery"), expected);
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
            ["max", " 4 x", "0.5×", "unlimited"].map(parse_scale),
            [Some(UNLIMITED), Some(4.0), Some(0.5), Some(UNLIMITED)]
        );
        assert_eq!(["fast", "", "-1", "0", "0.001", "1e7", "nan", "inf"].map(parse_scale), [None; 8]);
        assert_eq!([3.9, 12.34, 12_345.6].map(achieved_text), ["3.90×", "12.3×", "12346×"]);
    }

    #[test]
    fn the_slider_stands_at_the_nearest_stop() {
        assert_eq!(STOPS.map(nearest_stop), std::array::from_fn(|index| index));
        assert_eq!(STOPS[nearest_stop(4.0)], 5.0);
    }
}
