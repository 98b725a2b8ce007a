//! The transport at the top: play, pause, single steps, resets, speed and time.

use bevy_egui::egui::{self, Align, Button, Key, Label, Layout, RichText, Slider, TextEdit, Ui};
use swarmarium_host::clock::{SLOWEST, UNLIMITED};
use swarmarium_lab_state::action::{Action, TimeAction, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::{Command, CommandId};
use swarmarium_lab_state::common::quantity;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{dots, named, select_all};
use swarmarium_picture::palette::{Role, Theme};

use crate::tour::Landmark;
use crate::{command_actions, menus, tour};

/// Height of the transport in logical pixels, normally and in a low window.
const HEIGHT: f32 = 44.0;

const LOW_HEIGHT: f32 = 36.0;

/// Width of the slider, in points.
const SLIDER_PX: f32 = 112.0;

/// The ticks of the slider: the speed and the label.
const TICKS: [(f64, &str); 4] = [(0.1, "0.1"), (1.0, "1×"), (10.0, "10"), (UNLIMITED, "max")];

/// Places on the slider from −1 to 1: up to the first one from the centre, the speed is 1×; the second one is the largest
/// limit, and from the third one on, the speed is unlimited.
const PLACES: [f64; 3] = [0.06, 0.88, 0.94];

/// The largest limit of the slider.
const FASTEST: f64 = 1000.0;

/// The exponent by which the slider is finer near 1×.
const FINER: f64 = 1.6;

/// Distance of the ticks below the centre of the slider, in points.
const TICK_PX: f32 = 7.0;

/// Size of icons on buttons, in points.
const ICON_PX: f32 = 16.0;

/// Below this part of the requested scale, the machine is too slow.
const KEEPS_UP: f64 = 0.95;

/// Description of valid speeds.
const ALLOWED: &str = "a number from 0.01 to 1000000, or max for unlimited";

/// The transport.
#[derive(Default)]
pub struct Transport {
    typed: Option<Typed>,
}

/// A typed speed.
struct Typed {
    text: String,
    /// Whether the text was entered and is invalid.
    is_refused: bool,
}

impl Transport {
    /// Draws the transport. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        let (margin, height) = match theme::is_low(ui.ctx()) {
            true => (theme::PANEL_MARGIN.y / 2.0, LOW_HEIGHT),
            false => (theme::PANEL_MARGIN.y, HEIGHT),
        };
        let frame = theme::bar(margin as i8);
        egui::Panel::top("transport").exact_size(height).resizable(false).frame(frame).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                let title = RichText::new(lab.header()).strong().size(theme::NAME_PX);
                let visible = VisibleControls::of(ui.available_width());
                menus::ui(ui, lab, visible.menus_are_folded, &mut actions);
                if visible.has(Control::Title) {
                    ui.scope(|ui| {
                        ui.set_width(visible.title_px - theme::PAD);
                        ui.add(Label::new(title).truncate()).on_hover_text(about(lab));
                    });
                }
                ui.add_space(theme::PAD);
                ui.spacing_mut().item_spacing.x = 2.0;
                for (control, icon, id) in ICONS {
                    if visible.has(control) {
                        actions.extend(button(ui, lab, icon, id));
                    }
                    if visible.has(control) && control == Control::Record {
                        recorded(ui, lab);
                    }
                }
                ui.spacing_mut().item_spacing.x = theme::GAP;
                self.speed(ui, lab, &visible, &mut actions);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| self.right(ui, lab, &visible, &mut actions));
            });
        });
        actions
    }

    fn speed(&mut self, ui: &mut Ui, lab: &Lab, visible: &VisibleControls, actions: &mut Vec<Action>) {
        if visible.has(Control::Slider) {
            self.slider(ui, lab, actions);
        }
        actions.extend(self.field(ui, lab).map(|scale| Action::Time(TimeAction::Scale(scale))));
        if self.typed.as_ref().is_some_and(|typed| typed.is_refused) {
            self.refusal(ui, lab, visible);
        } else if visible.has(Control::Achieved) {
            achieved(ui, lab, actions);
        }
    }

    fn slider(&mut self, ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
        let mut place = place_of(lab.run.host.clock().scale());
        ui.spacing_mut().slider_width = SLIDER_PX;
        let slider = Slider::new(&mut place, -1.0..=1.0).show_value(false);
        let keys = |title, does| match lab.shell.keymap.text_of(title).as_str() {
            "" => String::new(),
            keys => format!("; {keys} {does}"),
        };
        let hint = format!(
            "Simulated seconds per real second, from 0.01 to unlimited{}{}{}{}",
            keys(CommandId::Slower, "halves"),
            keys(CommandId::Faster, "doubles"),
            keys(CommandId::RealTime, "sets 1×"),
            keys(CommandId::UnlimitedSpeed, "removes the limit"),
        );
        let slider = ui.add(slider);
        named(&slider, "Speed slider");
        ticks(ui, slider.rect, lab.shell.settings.theme);
        if slider.on_hover_text(hint).changed() {
            self.typed = None;
            actions.push(Action::Time(TimeAction::Scale(scale_at(place))));
        }
    }

    /// Draws the speed field: Enter or leaving it sets the speed, Esc discards the typed text.
    fn field(&mut self, ui: &mut Ui, lab: &Lab) -> Option<f64> {
        let now = scale_text(lab.run.host.clock().scale());
        let mut text = self.typed.as_ref().map_or_else(|| now.clone(), |typed| typed.text.clone());
        let field = TextEdit::singleline(&mut text)
            .id_salt("speed")
            .font(egui::TextStyle::Monospace)
            .horizontal_align(Align::RIGHT)
            .vertical_align(Align::Center)
            .desired_width(84.0);
        let field = ui.add_sized([84.0, 24.0], field);
        field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Speed"));
        let field =
            field.on_hover_text(format!("Playback speed in simulated seconds per real second: {ALLOWED} (Enter)"));
        if field.gained_focus() {
            select_all(ui.ctx(), field.id);
        }
        if field.changed() {
            // The error disappears as soon as the text is valid.
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

    /// Draws the time and the theme switch at the right, and a menu of the controls that do not fit.
    fn right(&mut self, ui: &mut Ui, lab: &Lab, visible: &VisibleControls, actions: &mut Vec<Action>) {
        let theme = lab.shell.settings.theme;
        if visible.hidden(theme).next().is_some() {
            dots(ui, theme, (16.0, 28.0), "More controls", "Controls that do not fit into the bar", |ui| {
                visible.hidden(theme).for_each(|command| menus::entry(ui, lab, command, actions));
                if !visible.has(Control::Slider) {
                    ui.horizontal(|ui| {
                        ui.label("Speed");
                        self.slider(ui, lab, actions);
                    });
                }
            });
        }
        if visible.has(Control::Theme) {
            let (icon, id) = other_theme(theme);
            actions.extend(button(ui, lab, icon, id));
        }
        let time = theme::number(time_text(lab.run.host.simulation().time().now_s())).size(theme::NAME_PX);
        let time = ui.add(Label::new(time).sense(egui::Sense::click()));
        if time.on_hover_text("Simulated time: hours, minutes, seconds. Click to go to another time").clicked() {
            actions.push(TimelineAction::AskMoment.into());
        }
    }

    /// Draws the reason why the typed speed is invalid, and a button that discards it.
    fn refusal(&mut self, ui: &mut Ui, lab: &Lab, visible: &VisibleControls) {
        let button = ui.add(Button::new("✖").frame(false));
        button.ctx.accesskit_node_builder(button.id, |node| node.set_label("Discard the typed speed"));
        if button.on_hover_text("Discards the typed speed (Esc in the field)").clicked() {
            self.typed = None;
        }
        if visible.has(Control::Achieved) {
            let color = theme::color(lab.shell.settings.theme, Role::Warning);
            ui.label(RichText::new(format!("expected {ALLOWED}")).color(color).size(theme::NUMBER_PX));
        }
    }
}

/// Draws the ticks of the speed slider with their labels below it.
fn ticks(ui: &Ui, slider: egui::Rect, theme: Theme) {
    let radius_px = match ui.visuals().handle_shape {
        egui::style::HandleShape::Circle => slider.height() / 2.5,
        egui::style::HandleShape::Rect { aspect_ratio } => slider.height() / 2.5 * aspect_ratio,
    };
    let rail = slider.x_range().shrink(radius_px);
    let color = theme::color(theme, Role::Dim);
    for (scale, label) in TICKS {
        let x = egui::lerp(rail, 0.5 + 0.5 * place_of(scale) as f32);
        let top = slider.center().y + TICK_PX;
        ui.painter().vline(x, top..=top + 3.0, egui::Stroke::new(1.0, color));
        if !theme::is_low(ui.ctx()) {
            let at = egui::pos2(x, top + 2.0);
            ui.painter().text(at, egui::Align2::CENTER_TOP, label, theme::font(theme::BADGE_PX), color);
        }
    }
}

/// Returns the speed at a place on the slider, with two significant digits.
fn scale_at(place: f64) -> f64 {
    let [snap, top, unlimited] = PLACES;
    if place >= unlimited {
        return UNLIMITED;
    }
    let end = if place < 0.0 { (1.0, SLOWEST) } else { (top, FASTEST) };
    let part = ((place.abs() - snap) / (end.0 - snap)).clamp(0.0, 1.0);
    let scale = libm::exp10(libm::log10(end.1) * libm::pow(part, FINER));
    format!("{scale:.1e}").parse().unwrap_or(scale)
}

/// Returns the place of a speed on the slider.
fn place_of(scale: f64) -> f64 {
    let [snap, top, _] = PLACES;
    if scale >= UNLIMITED {
        return 1.0;
    }
    let (sign, end) = if scale < 1.0 { (-1.0, (1.0, SLOWEST)) } else { (1.0, (top, FASTEST)) };
    let part = (libm::log10(scale) / libm::log10(end.1)).clamp(0.0, 1.0);
    if part > 0.0 { sign * (snap + libm::pow(part, 1.0 / FINER) * (end.0 - snap)) } else { 0.0 }
}

/// Returns the name, the description and the origin of the scene.
fn about(lab: &Lab) -> String {
    let unsaved = if lab.files.autosave.is_unsaved() { "*: the scene has unsaved changes" } else { "" };
    let lines = [&lab.header(), lab.run.host.scene().about.as_str(), &lab.run.origin(), unsaved];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The controls that a narrow window may leave out; the menu at the end has their commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Play,
    Reset,
    Step,
    NewSeed,
    Undo,
    Redo,
    Record,
    Menus,
    Title,
    Slider,
    Achieved,
    Theme,
}

/// The buttons from left to right: icon and id of the command.
const ICONS: [(Control, &str, CommandId); 7] = [
    (Control::Reset, "⏮", CommandId::Reset),
    (Control::Play, "▶", CommandId::PlayOrPause),
    (Control::Step, "⏭", CommandId::Step),
    (Control::NewSeed, "🎲", CommandId::ResetWithNewSeed),
    (Control::Undo, "⟲", CommandId::Undo),
    (Control::Redo, "⟳", CommandId::Redo),
    (Control::Record, "⏺", CommandId::StartOrStopRecording),
];

/// Width of a button with its gap, in points.
const ICON: f32 = 34.0;

/// Width of the record button and of the duration beside it, in points.
const RECORDING: f32 = 72.0;

/// The controls by priority, with their widths in points, including gaps; the last ones are left out first.
const BY_PRIORITY: [(Control, f32); 12] = [
    (Control::Play, ICON),
    (Control::Reset, ICON),
    (Control::Step, ICON),
    (Control::Record, RECORDING),
    (Control::Menus, menus::WIDTH - menus::FOLDED_WIDTH),
    (Control::Title, LEAST_TITLE),
    (Control::Undo, ICON),
    (Control::Redo, ICON),
    (Control::NewSeed, ICON),
    (Control::Slider, SLIDER_PX + 12.0),
    (Control::Theme, ICON),
    (Control::Achieved, 131.0),
];

/// Width of the folded menus, the speed field, the time and the dots, in points.
const ALWAYS: f32 = menus::FOLDED_WIDTH + 84.0 + 118.0 + DOTS;

/// Width of the menu of hidden controls, in points.
const DOTS: f32 = 40.0;

/// The smallest width of the title, in points.
const LEAST_TITLE: f32 = 80.0;

/// The largest width of the title, in points.
const MOST_TITLE: f32 = 200.0;

/// The controls that fit.
struct VisibleControls {
    controls: Vec<Control>,
    menus_are_folded: bool,
    title_px: f32,
}

impl VisibleControls {
    /// Returns the controls for a bar with this width, in points. The room of the title does not depend on the scene, so that
    /// another scene moves nothing.
    fn of(width: f32) -> Self {
        let mut left = width - ALWAYS;
        let fits = |(control, width): &(Control, f32)| {
            left -= width;
            (left >= 0.0).then_some(*control)
        };
        let controls: Vec<_> = BY_PRIORITY.iter().map_while(fits).collect();
        // The remaining width goes to the title, and so does that of the dots if they are not needed.
        let over = if controls.len() == BY_PRIORITY.len() { left + DOTS } else { 0.0 };
        let menus_are_folded = !controls.contains(&Control::Menus);
        Self { controls, menus_are_folded, title_px: MOST_TITLE.min(LEAST_TITLE + over) }
    }

    fn has(&self, control: Control) -> bool {
        self.controls.contains(&control)
    }

    /// Returns the commands of the hidden controls.
    fn hidden(&self, theme: Theme) -> impl Iterator<Item = &'static Command> {
        let buttons = ICONS.iter().map(|(control, _, id)| (*control, *id));
        let others = [(Control::Theme, other_theme(theme).1), (Control::Achieved, CommandId::TimeAndStatistics)];
        let hidden = buttons.chain(others).filter(|(control, _)| !self.has(*control));
        hidden.map(|(_, id)| id.command())
    }
}

/// Returns the icon and the id of the command for the other theme.
fn other_theme(theme: Theme) -> (&'static str, CommandId) {
    match theme {
        Theme::Dark => ("☀", CommandId::LightColours),
        Theme::Light => ("🌙", CommandId::DarkColours),
    }
}

/// Draws the button of a command. Returns the requested actions.
fn button(ui: &mut Ui, lab: &Lab, icon: &str, id: CommandId) -> Vec<Action> {
    let command = id.command();
    let warning = theme::color(lab.shell.settings.theme, Role::Warning);
    let [can_undo, can_redo] = lab.run.host.can_undo_and_redo();
    let (icon, name, is_enabled) = match id {
        CommandId::PlayOrPause if lab.run.host.clock().paused => ("▶".into(), "Play", true),
        CommandId::PlayOrPause => ("⏸".into(), "Pause", true),
        CommandId::ResetWithNewSeed => (icon.to_owned(), "New seed", true),
        CommandId::Undo => (icon.to_owned(), command.title, can_undo),
        CommandId::Redo => (icon.to_owned(), command.title, can_redo),
        CommandId::StartOrStopRecording => match lab.files.recordings.running_s() {
            Some(_) => ("⏹".into(), "Stop recording", true),
            None => (icon.to_owned(), "Record", true),
        },
        _ => (icon.to_owned(), command.title, true),
    };
    let is_recording = id == CommandId::StartOrStopRecording && lab.files.recordings.running_s().is_some();
    let text = RichText::new(icon).size(ICON_PX);
    let text = if is_recording { text.color(warning) } else { text };
    let button = Button::new(text).frame_when_inactive(id == CommandId::PlayOrPause);
    // The size is the same for all icons and states, so that nothing beside it moves.
    let button = ui.scope(|ui| {
        ui.spacing_mut().button_padding.x = 0.0;
        if !is_enabled {
            ui.disable();
        }
        ui.add_sized([ICON - 2.0, 28.0], button)
    });
    let button = button.inner;
    named(&button, name);
    if id == CommandId::PlayOrPause {
        tour::mark(ui.ctx(), Landmark::Play, button.rect);
    }
    let settings = Some(CommandId::RecordingSettings.command()).filter(|_| id == CommandId::StartOrStopRecording);
    let more = settings.map(|settings| format!("; right click: {}", settings.tooltip(&lab.shell.keymap)));
    let button = button.on_hover_text(command.tooltip(&lab.shell.keymap) + &more.unwrap_or_default());
    let button = button.on_disabled_hover_text(command.tooltip(&lab.shell.keymap));
    let by_right = settings.filter(|_| button.secondary_clicked());
    let asked = [by_right, Some(command).filter(|_| button.clicked())];
    asked.into_iter().flatten().filter_map(|command| command_actions::action(command.id, lab)).collect()
}

/// Draws the duration of the recording. Its place is always there.
fn recorded(ui: &mut Ui, lab: &Lab) {
    let (place, _) = ui.allocate_exact_size(egui::vec2(RECORDING - ICON, 28.0), egui::Sense::hover());
    if let Some(seconds) = lab.files.recordings.running_s() {
        let color = theme::color(lab.shell.settings.theme, Role::Warning);
        let text = format!("{}:{:02}", seconds as u64 / 60, seconds as u64 % 60);
        ui.painter().text(place.left_center(), egui::Align2::LEFT_CENTER, text, theme::number_font(), color);
    }
}

fn achieved(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let clock = lab.run.host.clock();
    let scale = clock.achieved_scale();
    let late = !clock.paused && !clock.is_unlimited() && scale < clock.scale() * KEEPS_UP;
    let text = match clock.paused {
        // A screenshot runs without pacing.
        _ if lab.files.shots.target.is_some() => return,
        true if lab.run.end().is_some_and(|end| !end.is_collision) => "ended".into(),
        true => "paused".into(),
        false => format!("{} achieved", achieved_text(scale)),
    };
    let role = if late { Role::Warning } else { Role::Dim };
    let hint = format!(
        "Real-time factor over the last second; {:.1} s were dropped because the machine was too slow. \
         Click for more",
        clock.dropped_s()
    );
    let text = theme::number(format!("{text:>14}")).color(theme::color(lab.shell.settings.theme, role));
    let label = ui.add(Label::new(text).sense(egui::Sense::click()));
    if label.on_hover_text(hint).clicked() {
        actions.push(Action::Time(TimeAction::TogglePanel));
    }
}

/// Formats hours, minutes, seconds and milliseconds.
fn time_text(seconds: f64) -> String {
    let ms = (seconds * 1000.0).round() as u64;
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

pub(super) fn scale_text(scale: f64) -> String {
    if scale >= UNLIMITED {
        return "unlimited".into();
    }
    // At least three significant digits, without trailing zeros: 0.01×, 0.125×, 4×.
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
            let number = number.trim_end_matches(['×', 'x']).trim_end();
            let scale = quantity::read(number, "", None).ok();
            scale.filter(|scale| (SLOWEST..=UNLIMITED).contains(scale))
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Event;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, window};

    use super::*;

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
    fn nothing_in_the_bar_moves_with_its_state_or_with_another_scene() {
        let (mut window, lab) = window(lab_on("milling"));
        let places = |window: &Harness| ["Speed slider", "Undo", "Step"].map(|it| window.get_by_label(it).rect());
        let before = places(&window);
        lab.borrow_mut().run.host.clock_mut().paused ^= true;
        window.run_steps(2);
        assert_eq!(places(&window), before, "play and pause");
        window.hover_at(window.get_by_label("Record").rect().center());
        window.run_steps(3);
        assert_eq!(places(&window), before, "a pointer over a button");
        let world_px = lab.borrow().view.rect_px;
        do_steps(&mut lab.borrow_mut(), 5);
        lab.borrow_mut().fork();
        window.run_steps(3);
        assert_eq!(lab.borrow().view.rect_px, world_px, "a branch");
        lab.borrow_mut().open_source("random_obstacle_course");
        window.run_steps(3);
        assert_eq!(places(&window), before, "a longer name");
    }

    #[test]
    fn a_run_ended_by_its_stop_condition_says_so() {
        let (mut window, lab) = window(lab_of("(groups: [(name: \"g\", controller: Constant())], stop: (steps: 3))"));
        lab.borrow_mut().run.host.clock_mut().paused = false;
        lab.borrow_mut().advance(1.0, || true);
        window.run_steps(3);
        assert!(lab.borrow().run.host.clock().paused);
        window.get_by_label_contains("ended after 3 steps");
        window.get_by_label(&format!("{:>14}", "ended"));
        lab.borrow_mut().reset(None);
        window.run_steps(3);
        assert!(window.query_by_label_contains("ended after").is_none());
    }

    #[test]
    fn a_wrong_speed_is_refused_in_place_until_corrected() {
        let (mut window, lab) = window(lab_on("milling"));
        let scale = || lab.borrow().run.host.clock().scale();
        let before = scale();
        type_speed(&mut window, "fast", Key::Enter);
        window.get_by_label_contains("expected a number from 0.01");
        assert_eq!(scale(), before);
        assert_eq!(speed(&window).value().as_deref(), Some("fast"));
        type_speed(&mut window, "2.5", Key::Enter);
        assert!(window.query_by_label_contains("expected").is_none());
        assert_eq!(scale(), 2.5);
        assert_eq!(speed(&window).value().as_deref(), Some("2.5×"));
        type_speed(&mut window, "0", Key::Tab);
        window.get_by_label("Discard the typed speed").click();
        window.run_steps(3);
        assert!(window.query_by_label_contains("expected").is_none());
        type_speed(&mut window, "7", Key::Escape);
        assert_eq!(scale(), 2.5);
        assert_eq!(speed(&window).value().as_deref(), Some("2.5×"));
        type_speed(&mut window, "max", Key::Enter);
        assert_eq!(scale(), UNLIMITED);
    }

    #[test]
    fn buttons_say_what_the_table_of_commands_says() {
        let (mut window, lab) = window(lab_on("milling"));
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        for (text, id) in
            [("Play", CommandId::PlayOrPause), ("Step", CommandId::Step), ("New seed", CommandId::ResetWithNewSeed)]
        {
            window.get_by_label(text).hover();
            window.run_steps(4);
            window.get_by_label(&id.command().tooltip(&lab.borrow().shell.keymap));
        }
        lab.borrow_mut().run.host.clock_mut().paused = false;
        window.get_by_label("Step").click();
        window.run_steps(2);
        assert!(lab.borrow().run.host.clock().paused, "the button pauses, too");
    }

    #[test]
    fn the_title_shows_the_origin_of_the_scene() {
        let (mut window, lab) = window(lab_on("milling"));
        assert_eq!(lab.borrow().window_title(), "Milling — shipped scene milling — Swarmarium");
        assert!(about(&lab.borrow()).ends_with("\nshipped scene milling"));
        let path = std::path::absolute("scenes/aggregation.ron").unwrap().display().to_string();
        lab.borrow_mut().open_source("scenes/aggregation.ron");
        assert_eq!(
            lab.borrow().window_title(),
            format!("aggregation.ron — {} — Swarmarium", path.trim_end_matches("/aggregation.ron"))
        );
        window.ctx.all_styles_mut(|style| style.interaction.tooltip_delay = 0.0);
        window.run_steps(2);
        let title = window.get_all_by_label("aggregation.ron").min_by(|a, b| a.rect().top().total_cmp(&b.rect().top()));
        window.hover_at(title.unwrap().rect().center());
        window.run_steps(4);
        window.get_by_label_contains(&path);
    }

    #[test]
    fn a_narrow_transport_bar_leaves_out_the_least_needed_buttons() {
        let names = |width| VisibleControls::of(width).controls.len();
        assert_eq!([200.0, 400.0, 500.0, 800.0, 1256.0, 4000.0].map(names), [0, 2, 4, 5, 12, 12]);
        let hidden = |width| VisibleControls::of(width).hidden(Theme::Dark).count();
        assert_eq!([400.0, 1000.0, 4000.0].map(hidden), [7, 2, 0], "the dots have what is left out");
        assert_eq!(VisibleControls::of(4000.0).title_px, MOST_TITLE, "a wide bar has room for a long title");
    }

    #[test]
    fn the_overflow_menu_has_the_buttons_left_out() {
        let (mut window, lab) = window(lab_on("milling"));
        assert!(window.query_by_label("More controls").is_none());
        window.set_size([1024.0, 640.0].into());
        window.run_steps(3);
        assert!(window.query_by_label("Speed slider").is_none());
        click(&mut window, "More controls");
        window.get_by_label("Speed slider");
        window.get_by_label_contains("Time and statistics");
        click(&mut window, "Light colours");
        assert_eq!(lab.borrow().shell.settings.theme, Theme::Light);
    }

    #[test]
    fn a_click_on_the_clock_asks_for_a_time() {
        let (mut window, lab) = window(lab_on("milling"));
        do_steps(&mut lab.borrow_mut(), 20);
        window.run_steps(2);
        click(&mut window, "00:00:00.500");
        window.event(Event::Text("0.25 s".into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
        assert_eq!(lab.borrow().timeline.playhead(&lab.borrow().run.host).step, 10);
    }

    #[test]
    fn time_has_hours_to_milliseconds() {
        assert_eq!(time_text(72.475), "00:01:12.475");
        assert_eq!(time_text(3.0 * 0.025), "00:00:00.075");
        assert_eq!(time_text(360_000.0), "100:00:00.000");
    }

    #[test]
    fn time_scales_round_trip() {
        let written = [0.01, 0.125, 4.0, 1000.0, UNLIMITED].map(scale_text);
        assert_eq!(written, ["0.01×", "0.125×", "4×", "1000×", "unlimited"]);
        assert_eq!(
            ["max", " 4 x", "1/2×", "unlimited"].map(parse_scale),
            [Some(UNLIMITED), Some(4.0), Some(0.5), Some(UNLIMITED)]
        );
        assert_eq!(["fast", "", "-1", "0", "0.001", "1e7", "nan", "inf"].map(parse_scale), [None; 8]);
        assert_eq!([3.9, 12.34, 12_345.6].map(achieved_text), ["3.90×", "12.3×", "12346×"]);
    }

    #[test]
    fn the_speed_slider_is_finer_near_real_time_and_snaps_to_it() {
        for scale in [SLOWEST, 0.02, 0.1, 0.5, 1.0, 1.3, 2.0, 4.0, 10.0, 250.0, 1000.0, UNLIMITED] {
            let again = scale_at(place_of(scale));
            assert!((again / scale - 1.0).abs() < 0.03, "{scale} {again}");
        }
        assert_eq!([-1.0, -0.05, 0.0, 0.05, 1.0].map(scale_at), [SLOWEST, 1.0, 1.0, 1.0, UNLIMITED]);
        assert_eq!([0.1, 1e6, 2000.0].map(place_of).map(|place| place.abs() <= 1.0), [true; 3]);
        // A drag by 30 points from 4× stays far above the slowest speed.
        let by = 2.0 * 30.0 / f64::from(SLIDER_PX);
        assert!(scale_at(place_of(4.0) - by) > 0.5);
        assert!((0..200).map(|place| scale_at(f64::from(place) / 100.0 - 1.0)).is_sorted());
    }
}
