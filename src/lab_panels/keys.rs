//! Keys: the actions of key presses, by the table of commands.

use bevy_egui::egui::text_selection::LabelSelectionState;
use bevy_egui::egui::{self, Event, FocusDirection, Key, Modifiers, Popup};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::{COMMANDS, Command, chord};
use swarmarium_lab_state::common::focus;
use swarmarium_lab_state::shell::keymap::Keymap;

use crate::menus::walk;
use crate::{command_actions, driving};

/// Returns the actions of the key presses of this frame.
pub fn actions(ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
    let is_wanted = focus::begin_frame(ctx);
    if lab.files.request.is_none() && lab.shell.settings.panels {
        walk::keys(ctx);
    }
    // An open dialog gets all keys.
    if lab.files.request.is_some() {
        return Vec::new();
    }
    // Letters belong to the focused field, or to a popup, which may have a field that takes the focus next.
    // Keys that write no text always work.
    let typing = focus::is_typing(ctx);
    let codes = focus::is_editing_code(ctx);
    focus::tab(ctx);
    // In a field, Esc discards the typed text; egui has already taken the focus away.
    let was_typing = ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default("typing".into()), typing));
    let closes_at_once =
        lab.shell.popups.palette.is_some() || lab.shell.popups.help || lab.shell.popups.find || lab.compare.is_open;
    let closes_at_once = closes_at_once || lab.shell.popups.catalogue.is_some();
    let is_of_field = was_typing && !closes_at_once;
    let lies_over = lab.shell.popups.any() || lab.compare.is_open || lab.progress().is_some();
    // A popup closes itself.
    let is_of_panel = is_of_field || Popup::is_any_open(ctx);
    let is_taken_back = is_wanted && !is_of_panel && !lies_over;
    if is_taken_back && ctx.input(|input| input.key_pressed(Key::Escape)) {
        focus::give_escape(ctx);
    }
    // Selected text of a panel is copied instead.
    let selects_text = ctx.with_plugin(|state: &mut LabelSelectionState| state.has_selection()).unwrap_or_default();
    let asked = |event: &Event| match *event {
        // An editor of code has shortcuts of its own.
        Event::Key { key, .. } if codes && !chord::any(key).is_function_key() => None,
        Event::Key { key: Key::Escape, .. } if is_of_panel || is_taken_back => None,
        Event::Key { key, modifiers, .. } if driving::owns(lab, key, modifiers) && !typing => None,
        Event::Key { key: Key::C | Key::X, modifiers, .. } if modifiers.command && selects_text => None,
        Event::Key { key, pressed: true, repeat, modifiers, .. } => {
            let command = find(&lab.shell.keymap, key, modifiers, repeat, typing)?;
            command_actions::action(command.id, lab)
        }
        _ => None,
    };
    let actions: Vec<Action> = ctx.input(|input| input.events.iter().filter_map(asked).collect());
    if !actions.is_empty() || (!typing && driving::is_steering(ctx, lab)) {
        leave_to_command(ctx, typing);
    }
    actions
}

/// Prevents a key that ran a command from also moving the focus or pressing the focused button.
fn leave_to_command(ctx: &egui::Context, typing: bool) {
    ctx.memory_mut(|memory| {
        memory.move_focus(FocusDirection::None);
        if let Some(focused) = memory.focused().filter(|_| !typing) {
            memory.surrender_focus(focused);
        }
    });
}

fn find(keymap: &Keymap, key: Key, modifiers: Modifiers, repeat: bool, typing: bool) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| {
        let pressed = keymap.keys(command).iter().find(|chord| chord.matches(key, modifiers));
        pressed.is_some_and(|chord| (!repeat || command.repeats) && (!typing || chord.writes_nothing()))
    })
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::common::selection::Item;
    use swarmarium_lab_state::common::toolbox::Tool;
    use swarmarium_lab_testing::{click_at, lab_on, window};

    use super::*;

    fn find(key: Key, modifiers: Modifiers, repeat: bool, typing: bool) -> Option<&'static Command> {
        super::find(&Keymap::default(), key, modifiers, repeat, typing)
    }

    fn title(key: Key, modifiers: Modifiers) -> Option<&'static str> {
        find(key, modifiers, false, false).map(|command| command.title)
    }

    #[test]
    fn keys_do_what_the_list_says() {
        assert_eq!(title(Key::Space, Modifiers::NONE), Some("Play or pause"));
        assert_eq!(title(Key::OpenBracket, Modifiers::NONE), Some("Slower"));
        assert_eq!(title(Key::CloseBracket, Modifiers::SHIFT), Some("Unlimited speed"));
        assert_eq!(title(Key::R, Modifiers::SHIFT), Some("Restart with new seed"));
        assert_eq!(title(Key::R, Modifiers::COMMAND), Some("Reload file"));
        assert_eq!(title(Key::R, Modifiers::ALT), None);
    }

    #[test]
    fn only_some_keys_repeat() {
        let held = |key| find(key, Modifiers::NONE, true, false).map(|command| command.title);
        assert_eq!([held(Key::Period), held(Key::Space), held(Key::F11)], [Some("Step"), None, None]);
    }

    #[test]
    fn letter_keys_are_left_to_text_fields() {
        let typing = |key, modifiers| find(key, modifiers, false, true).map(|command| command.title);
        assert_eq!(typing(Key::Space, Modifiers::NONE), None);
        assert_eq!(typing(Key::F11, Modifiers::SHIFT), Some("Hide or show the interface"));
        assert_eq!(typing(Key::P, Modifiers::COMMAND), Some("Find an action"));
    }

    #[test]
    fn no_key_does_two_things() {
        for (index, command) in COMMANDS.iter().enumerate() {
            for chord in command.keys {
                let shifts = chord.shift.map_or(vec![false, true], |shift| vec![shift]);
                for shift in shifts {
                    let modifiers = Modifiers { shift, command: chord.command, ..Modifiers::NONE };
                    let first = COMMANDS
                        .iter()
                        .position(|other| other.keys.iter().any(|other| other.matches(chord.key, modifiers)));
                    assert_eq!(first, Some(index), "{}", command.title);
                }
            }
        }
    }

    fn press(window: &mut Harness, key: Key) {
        window.key_press(key);
        window.run_steps(3);
    }

    fn click(window: &mut Harness, label: &str) {
        let at = window.get_by_label(label).rect().center();
        click_at(window, at);
    }

    #[test]
    fn a_key_that_is_a_command_does_nothing_else() {
        let (mut window, lab) = window(lab_on("milling"));
        press(&mut window, Key::Tab);
        press(&mut window, Key::Tab);
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(1)));
        assert_eq!(window.ctx.memory(|memory| memory.focused()), None);
        press(&mut window, Key::Space);
        assert!(!lab.borrow().run.host.clock().paused);
        assert_eq!(lab.borrow().run.restarts, 0);
        // A screen reader, or Tab from a field, may focus a button.
        window.get_by_label("Restart").focus();
        window.run_steps(2);
        press(&mut window, Key::Space);
        assert!(lab.borrow().run.host.clock().paused);
        assert_eq!(lab.borrow().run.restarts, 0);
        let steps = lab.borrow().run.host.simulation().steps();
        window.get_by_label("Restart").focus();
        window.run_steps(2);
        press(&mut window, Key::ArrowRight);
        assert_eq!(window.ctx.memory(|memory| memory.focused()), None);
        do_waiting_steps(&lab);
        assert_eq!(lab.borrow().run.host.simulation().steps(), steps + 1);
    }

    fn do_waiting_steps(lab: &std::cell::RefCell<Lab>) {
        lab.borrow_mut().advance(0.0, || true);
    }

    #[test]
    fn a_button_that_was_clicked_is_not_pressed_by_keys() {
        let (mut window, lab) = window(lab_on("milling"));
        click(&mut window, "Restart");
        assert_eq!(lab.borrow().run.restarts, 1);
        press(&mut window, Key::Space);
        assert_eq!(lab.borrow().run.restarts, 1);
        assert!(!lab.borrow().run.host.clock().paused);
    }

    #[test]
    fn escape_closes_one_thing_at_a_time() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().select(Some(Item::Agent(0)));
        (lab.borrow_mut().shell.popups.help, lab.borrow_mut().shell.popups.resolved) = (true, true);
        lab.borrow_mut().shell.popups.palette = Some("");
        window.run_steps(3);
        let open = |lab: &std::cell::RefCell<Lab>| {
            let lab = lab.borrow();
            [
                lab.shell.popups.palette.is_some(),
                lab.shell.popups.help,
                lab.shell.popups.resolved,
                lab.view.selection.item.is_some(),
            ]
            .into_iter()
            .filter(|is| *is)
            .count()
        };
        for left in [3, 2, 1, 0] {
            press(&mut window, Key::Escape);
            assert_eq!(open(&lab), left);
        }
    }

    #[test]
    fn letter_keys_are_not_commands_while_a_popup_is_open() {
        for popup in ["Presets", "More", "File", "Menu of plot circliness"] {
            let (mut window, lab) = window(lab_on("milling"));
            click(&mut window, popup);
            assert!(Popup::is_any_open(&window.ctx), "{popup}");
            for key in [Key::R, Key::Space, Key::W, Key::Delete] {
                press(&mut window, key);
            }
            let lab = lab.borrow();
            assert_eq!(lab.run.restarts, 0, "{popup}");
            assert!(lab.run.host.clock().paused, "{popup}");
            assert_eq!(lab.edits.toolbox.tool, Tool::Select, "{popup}");
        }
    }

    #[test]
    fn letter_keys_go_to_the_field_of_an_opened_panel() {
        let (mut window, lab) = window(lab_on("milling"));
        click(&mut window, "Presets");
        window.event(Event::Text("r".into()));
        press(&mut window, Key::R);
        assert_eq!(window.get_by_label("Name of a preset").value().as_deref(), Some("r"));
        assert_eq!(lab.borrow().run.restarts, 0);
        press(&mut window, Key::Escape);
        press(&mut window, Key::F1);
        window.event(Event::Text("r".into()));
        press(&mut window, Key::R);
        assert_eq!(window.get_by_label("Search keys").value().as_deref(), Some("r"));
        assert_eq!(lab.borrow().run.restarts, 0);
        press(&mut window, Key::Escape);
        assert!(!lab.borrow().shell.popups.help, "Esc closes it at once");
    }

    #[test]
    fn escape_closes_a_menu_and_nothing_else() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().select(Some(Item::Agent(0)));
        click(&mut window, "File");
        assert!(Popup::is_any_open(&window.ctx));
        press(&mut window, Key::Escape);
        assert!(!Popup::is_any_open(&window.ctx));
        assert_eq!(lab.borrow().view.selection.item, Some(Item::Agent(0)));
        press(&mut window, Key::Escape);
        assert_eq!(lab.borrow().view.selection.item, None);
    }
}
