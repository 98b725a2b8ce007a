//! "Find a moment": the search for the first, previous, next or last moment of a kind, or of a condition.

use std::ops::RangeInclusive;

use bevy_egui::egui::{self, Align2, DragValue, Key, Label, Pos2, TextEdit, Ui};
use strum::IntoEnumIterator as _;
use swarmarium_host::clock::host::Seek;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{Action, MomentCondition, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::moments::MomentKind;
use swarmarium_lab_state::common::offset::Offset;
use swarmarium_lab_state::common::selection::robot_name;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{named, quantity_field, select_all};
use swarmarium_lab_state::plots::extremes;
use swarmarium_lab_state::plots::trigger::Trigger;
use swarmarium_lab_state::timeline::words;

use crate::sheet;

/// Width of the panel, in points.
const WIDTH_PX: f32 = 380.0;

/// The tooltip of the field.
const HELP: &str = "An event, such as collision, arrival, fault or change of state; or a condition that becomes true, \
     such as t_s > 10 or agents.0.x_m < 1, with metrics, paths, step, t_s and count as in \"Pause when\". Enter goes to \
     the first such moment, or to the one that the words name, as in last collision or 3 s before the first collision";

/// The range of the seconds before a found moment.
const LEAD_RANGE_S: RangeInclusive<f64> = 0.1..=1000.0;

/// The buttons: name, hint, the command with the same effect, and the moment.
const BUTTONS: [(&str, &str, Option<CommandId>, Seek); 4] = [
    ("First", "Goes to the first such moment of the run (Enter)", None, Seek::First),
    (
        "Previous",
        "Goes to the last such moment before the present one",
        Some(CommandId::PreviousMoment),
        Seek::Previous,
    ),
    ("Next", "Goes to the next such moment after the present one", Some(CommandId::NextMoment), Seek::Next),
    ("Last", "Goes to the last such moment of the run", None, Seek::Last),
];

/// The kinds that have a button even before such a moment is found.
const USUAL: [MomentKind; 4] = [MomentKind::Collision, MomentKind::Arrival, MomentKind::Switch, MomentKind::Fault];

/// The panel "Find a moment".
pub struct FindPanel {
    /// The typed words or condition.
    text: String,
    of_selected: bool,
    was_open: bool,
}

impl Default for FindPanel {
    fn default() -> Self {
        Self { text: MomentKind::Collision.name().into(), of_selected: false, was_open: false }
    }
}

impl FindPanel {
    /// Draws the panel while it is open, at first near its icon in the upper right corner of the strip. Returns the
    /// requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab, corner_px: Option<Pos2>) -> Vec<Action> {
        let mut actions = Vec::new();
        let opens = lab.shell.popups.find && !self.was_open;
        self.was_open = lab.shell.popups.find;
        if !lab.shell.popups.find {
            return actions;
        }
        let mut is_open = true;
        let window = egui::Window::new("Find a moment").open(&mut is_open).pivot(Align2::RIGHT_BOTTOM);
        let corner = corner_px.unwrap_or(lab.view.rect_px.right_bottom());
        let window = window.default_pos(corner - egui::vec2(theme::PAD, theme::GAP));
        window.resizable(false).collapsible(false).fade_in(false).show(ctx, |ui| {
            ui.set_width(WIDTH_PX.min(sheet::most_px(ctx).x));
            self.content(ui, lab, opens, &mut actions);
        });
        if !is_open {
            actions.push(TimelineAction::FindPanel.into());
        }
        actions
    }

    fn content(&mut self, ui: &mut Ui, lab: &Lab, opens: bool, actions: &mut Vec<Action>) {
        let simulation = lab.run.host.simulation();
        let example = format!("collision, arrival, or {}", Trigger::example(simulation));
        let field = ui.add(TextEdit::singleline(&mut self.text).hint_text(example).desired_width(f32::INFINITY));
        named(&field, "Moment to find");
        if opens {
            // Without the focus, typed letters would be shortcuts.
            field.request_focus();
            select_all(ui.ctx(), field.id);
        }
        let enters = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        field.on_hover_text(HELP);
        let phrase = words::read(&self.text, simulation);
        self.kinds(ui, lab, phrase.as_ref().map(|phrase| &phrase.condition));
        let mut condition = match &phrase {
            Some(phrase) => phrase.condition.clone(),
            None => MomentCondition::Expression(self.text.trim().into()),
        };
        if let MomentCondition::Kind(kind, robot @ None) = &mut condition
            && kind.has_robots()
        {
            let selected = lab.plots.history.selected();
            let name = selected.map(|robot| robot_name(simulation, robot));
            let text = name.map_or("Only of the selected robot".into(), |name| format!("Only of {name}"));
            let hint = "Searches only moments of the selected robot; select a robot first";
            ui.add_enabled_ui(selected.is_some(), |ui| {
                ui.checkbox(&mut self.of_selected, text).on_hover_text(hint).on_disabled_hover_text(hint);
            });
            *robot = selected.filter(|_| self.of_selected);
        }
        let offset = phrase.as_ref().and_then(|phrase| phrase.offset);
        let named_seek = phrase.and_then(|phrase| phrase.seek).unwrap_or(Seek::First);
        ui.horizontal(|ui| {
            for (name, hint, command, seek) in BUTTONS {
                let keys = command.map_or_else(String::new, |id| lab.shell.keymap.first_of(id));
                let hint = if keys.is_empty() { hint.into() } else { format!("{hint} ({keys})") };
                let is_clicked = ui.button(name).on_hover_text(hint).clicked();
                if is_clicked || (enters && seek == named_seek) {
                    actions.push(match offset {
                        Some(offset) => TimelineAction::FindAt(condition.clone(), seek, offset).into(),
                        None => TimelineAction::Find(condition.clone(), seek).into(),
                    });
                }
            }
        });
        found(ui, lab, actions);
    }

    /// Draws a button for each usual kind of moment and for each kind that the run has.
    fn kinds(&mut self, ui: &mut Ui, lab: &Lab, condition: Option<&MomentCondition>) {
        let moments = lab.plots.history.moments();
        let of_plots = extremes::moments(&lab.plots.history);
        let count = |kind: MomentKind| {
            moments.count(kind) + of_plots.iter().filter(|occurrence| occurrence.kind == kind).count() as u64
        };
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(theme::TINY_GAP, theme::TINY_GAP);
            for kind in MomentKind::iter().filter(|kind| USUAL.contains(kind) || count(*kind) > 0) {
                let is_chosen = matches!(condition, Some(MomentCondition::Kind(chosen, _)) if *chosen == kind);
                let (known, name) = (count(kind), kind.name());
                let button = ui.selectable_label(is_chosen, format!("{name} {}", grouped(known)));
                named(&button, name);
                let plural = if known == 1 { name } else { kind.plural() };
                let hint = format!("Searches for this; the run has {} {plural} so far", grouped(known));
                if button.on_hover_text(hint).clicked() {
                    self.text = name.into();
                }
            }
        });
    }
}

/// Draws the moment that was found last, and a button that goes to some seconds before it.
fn found(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let host = &lab.run.host;
    let is_here = |moment: &Moment| moment.branch == host.moment().branch;
    let Some((moment, text)) = lab.timeline.found.as_ref().filter(|(moment, _)| is_here(moment)) else { return };
    ui.separator();
    ui.add(Label::new(format!("Found at {text}")).truncate());
    ui.horizontal(|ui| {
        let lead_s = lab.timeline.lead_s;
        let mut typed_s = lead_s;
        let field = DragValue::new(&mut typed_s).range(LEAD_RANGE_S).speed(0.05).max_decimals(3).suffix(" s");
        let field = quantity_field(ui, field, "s", Some(lead_s));
        named(&field, "Seconds before the found moment");
        field.on_hover_text("Seconds of simulated time before the found moment, from 0.1 to 1000 s");
        if typed_s != lead_s {
            actions.push(TimelineAction::SetLead(typed_s).into());
        }
        let lead = Offset::Time(lead_s).steps(host.simulation().time().dt_s) as u64;
        let early = Moment { step: moment.step.saturating_sub(lead), ..*moment };
        for (name, hint, to) in [
            ("before", "Goes to this many seconds before the found moment, or to the start of the run", early),
            ("Found moment", "Goes back to the moment that was found", *moment),
        ] {
            if ui.button(name).on_hover_text(hint).clicked() {
                actions.push(TimelineAction::GoTo(to).into());
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Event, Modifiers};
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_testing::{do_steps, lab_on, window};

    use super::*;

    #[test]
    fn words_are_typed_at_once_and_run_no_commands() {
        let mut lab = lab_on("cyclic_pursuit");
        do_steps(&mut lab, 200);
        let (mut window, lab) = window(lab);
        window.key_press_modifiers(Modifiers::SHIFT, Key::F);
        window.run_steps(3);
        window.key_press(Key::R);
        window.event(Event::Text("first collision".into()));
        window.run_steps(3);
        assert_eq!(window.get_by_label("Moment to find").value().as_deref(), Some("first collision"));
        assert_eq!(lab.borrow().run.host.simulation().steps(), 200, "no restart");
        window.key_press(Key::Enter);
        window.run_steps(3);
        let lab = lab.borrow();
        assert!(lab.notices.iter().any(|notice| notice.lines[0].contains("ran into")), "{:?}", lab.notices);
    }

    #[test]
    fn a_button_goes_to_some_seconds_before_the_found_moment() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 400);
        let dt_s = lab.run.host.simulation().time().dt_s;
        let (mut window, lab) = window(lab);
        window.key_press_modifiers(Modifiers::SHIFT, Key::F);
        window.run_steps(3);
        window.event(Event::Text("t_s > 5".into()));
        window.run_steps(3);
        window.key_press(Key::Enter);
        for _ in 0..20 {
            window.run_steps(1);
            lab.borrow_mut().advance(0.0, || true);
        }
        let (found, text) = lab.borrow().timeline.found.clone().unwrap();
        assert!(text.contains("t_s > 5"), "{text}");
        window.get_by_label("before").click();
        window.run_steps(20);
        let step = lab.borrow().timeline.playhead(&lab.borrow().run.host).step;
        assert_eq!(step, found.step - (3.0 / dt_s).round() as u64);
    }
}
