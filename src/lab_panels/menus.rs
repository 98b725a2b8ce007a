//! The menus, with all commands.

pub mod walk;

use bevy_egui::egui::containers::menu::SubMenuButton;
use bevy_egui::egui::{self, Atom, AtomExt as _, Button, Id, MenuBar, Response, RichText, Ui, WidgetInfo, WidgetType};
use swarmarium_lab_state::action::{Action, FileAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::{COMMANDS, Command, CommandId, Section};
use swarmarium_lab_state::common::theme;

use crate::tour::Landmark;
use crate::{command_actions, tour};

/// Width of the menu bar, in points.
pub const WIDTH: f32 = 330.0;

/// Width of the single button that replaces the menu bar, in points.
pub const FOLDED_WIDTH: f32 = 64.0;

/// Side of the mark before an entry that is on, in points.
const MARK_PX: f32 = 14.0;

/// A menu: name, tooltip and content.
type Menu = (&'static str, &'static str, &'static [Block]);

/// A block of entries of a menu.
enum Block {
    /// The commands of a section.
    Commands(Section),
    /// The commands of a section, in a submenu.
    Submenu(Section),
    /// Recently opened scenes.
    Recent,
    /// Some commands; their section omits them.
    Group(&'static [CommandId]),
}

impl Block {
    /// Whether it is one entry that opens another menu.
    const fn is_submenu(&self) -> bool {
        matches!(self, Self::Submenu(_) | Self::Recent)
    }
}

/// The menus, from left to right.
const MENUS: [Menu; 6] = [
    (
        "File",
        "Opens, saves, exports and records",
        &[
            Block::Group(&[
                CommandId::NewScene,
                CommandId::OpenFile,
                CommandId::ReloadFile,
                CommandId::ShowUnsavedWork,
            ]),
            Block::Recent,
            Block::Commands(Section::File),
            Block::Submenu(Section::Export),
            Block::Group(&[CommandId::Quit]),
        ],
    ),
    (
        "Edit",
        "Undoes, copies, selects, removes",
        &[
            Block::Group(&[
                CommandId::Undo,
                CommandId::Redo,
                CommandId::UndoAllChanges,
                CommandId::CancelUndoing,
                CommandId::MakeChangesAgain,
            ]),
            Block::Group(&[
                CommandId::Cut,
                CommandId::Copy,
                CommandId::Paste,
                CommandId::Duplicate,
                CommandId::RemoveTheSelection,
                CommandId::RemoveAllObjects,
            ]),
            Block::Group(&[
                CommandId::SelectAllRobots,
                CommandId::SelectAllObjects,
                CommandId::SelectTheNextRobot,
                CommandId::SelectThePreviousRobot,
                CommandId::CloseOrDeselect,
            ]),
            Block::Commands(Section::Edit),
            Block::Submenu(Section::Add),
            Block::Submenu(Section::Align),
            Block::Submenu(Section::Tools),
        ],
    ),
    (
        "View",
        "The camera, overlays and the window",
        &[Block::Commands(Section::View), Block::Submenu(Section::Overlays), Block::Submenu(Section::Window)],
    ),
    (
        "Simulation",
        "Time, moments, restarts, comparisons and sweeps",
        &[
            Block::Group(&[CommandId::PlayOrPause, CommandId::Step, CommandId::TenSteps]),
            Block::Group(&[
                CommandId::Slower,
                CommandId::Faster,
                CommandId::RealTime,
                CommandId::UnlimitedSpeed,
                CommandId::TimeAndStatistics,
            ]),
            Block::Group(&[
                CommandId::BestEffort,
                CommandId::FixedStep,
                CommandId::DrawEveryStep,
                CommandId::DrawWhenThereIsTime,
            ]),
            Block::Commands(Section::Simulation),
            Block::Group(&[CommandId::CompareWithAChangedParameter, CommandId::SweepAParameter]),
            Block::Submenu(Section::Timeline),
            Block::Submenu(Section::Compare),
            Block::Submenu(Section::Sweep),
        ],
    ),
    ("Panels", "Which panels are shown", &[Block::Commands(Section::Panels)]),
    ("Help", "Keys, tour and search for actions", &[Block::Commands(Section::Help)]),
];

/// Draws the menus side by side, or in one button if there is little room. Adds the requested actions.
pub fn ui(ui: &mut Ui, lab: &Lab, is_folded: bool, actions: &mut Vec<Action>) {
    if is_folded {
        let menu = ui.menu_button("Menu", |ui| {
            for (name, hint, parts) in MENUS {
                let menu = submenu(ui, name, |ui| entries(ui, lab, parts, actions));
                menu.on_hover_text(hint);
            }
        });
        tour::mark(ui.ctx(), Landmark::Menu, menu.response.rect);
        walk::menu(&menu.response, "Menu");
        menu.response.on_hover_text(hint(lab));
        return;
    }
    // The bar takes all the width that it gets.
    ui.allocate_ui(egui::vec2(WIDTH, ui.available_height()), |ui| {
        MenuBar::new().ui(ui, |ui| {
            ui.spacing_mut().button_padding.x = 8.0;
            ui.spacing_mut().item_spacing.x = 0.0;
            for (name, hint, parts) in MENUS {
                let menu = ui.menu_button(name, |ui| theme::entries(ui, |ui| entries(ui, lab, parts, actions)));
                if name == "Help" {
                    tour::mark(ui.ctx(), Landmark::Menu, menu.response.rect);
                }
                walk::menu(&menu.response, name);
                menu.response.on_hover_text(format!("{hint} (Alt + {})", name.get(..1).unwrap_or_default()));
            }
        });
    });
}

/// Draws an entry that opens another menu. Its name stands below the names of other entries.
fn submenu(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) -> Response {
    let mark = Atom::custom(Id::new("mark"), egui::Vec2::splat(MARK_PX));
    let button = Button::new((mark, name)).right_text(SubMenuButton::RIGHT_ARROW);
    let (response, _) =
        SubMenuButton::from_button(button).ui(ui, |ui| walk::deeper(ui, |ui| theme::entries(ui, content)));
    walk::entry(ui, &response, true);
    response
}

fn hint(lab: &Lab) -> String {
    match lab.shell.keymap.text_of(CommandId::FindAnAction).as_str() {
        "" => "All actions".into(),
        keys => format!("All actions; {keys} finds them by name"),
    }
}

fn entries(ui: &mut Ui, lab: &Lab, parts: &[Block], actions: &mut Vec<Action>) {
    for (place, part) in parts.iter().enumerate() {
        if place.checked_sub(1).is_some_and(|before| !(parts[before].is_submenu() && part.is_submenu())) {
            ui.separator();
        }
        match part {
            Block::Commands(section) => {
                let of_section = COMMANDS.iter().filter(|command| command.section == *section);
                of_section
                    .filter(|command| !stands_alone(command.id))
                    .for_each(|command| entry(ui, lab, command, actions));
            }
            Block::Submenu(section) => {
                submenu(ui, section.name(), |ui| entries(ui, lab, &[Block::Commands(*section)], actions));
            }
            Block::Recent => recent(ui, lab, actions),
            Block::Group(ids) => ids.iter().for_each(|id| entry(ui, lab, id.command(), actions)),
        }
    }
}

/// Whether a command has its own place in a menu.
fn stands_alone(id: CommandId) -> bool {
    let mut blocks = MENUS.iter().flat_map(|(_, _, blocks)| *blocks);
    blocks.any(|block| matches!(block, Block::Group(ids) if ids.contains(&id)))
}

fn recent(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let files = &lab.shell.settings.recent;
    let menu = |ui: &mut Ui| {
        for file in files {
            let button = ui.button(file);
            walk::entry(ui, &button, false);
            if button.on_hover_text("Opens this file").clicked() {
                actions.push(Action::File(FileAction::Open(file.clone())));
                ui.close();
            }
        }
    };
    ui.add_enabled_ui(!files.is_empty(), |ui| {
        let button = submenu(ui, "Open recent", menu);
        button.on_disabled_hover_text("No file has been opened yet");
    });
}

/// Draws a command. Adds its action when it is chosen.
pub fn entry(ui: &mut Ui, lab: &Lab, command: &Command, actions: &mut Vec<Action>) {
    let keys = RichText::new(command.keys_text(&lab.shell.keymap)).weak();
    let action = command_actions::action(command.id, lab);
    let on = command_actions::is_on(command, lab);
    let mark = (if on == Some(true) { "✔" } else { "" }).atom_size(egui::Vec2::splat(MARK_PX));
    let name =
        if on.is_some() { what(&command_actions::name(command, lab)) } else { command_actions::name(command, lab) };
    let button = Button::new((mark, name.as_str())).right_text(keys);
    let missing = command_actions::missing(command.id, lab);
    let button = ui.add_enabled(action.is_some() && missing.is_none(), button);
    button.widget_info(|| WidgetInfo::selected(WidgetType::Button, ui.is_enabled(), on.unwrap_or_default(), &name));
    walk::entry(ui, &button, false);
    let why = missing.map_or_else(|| command.hint.to_owned(), |missing| format!("{}. {missing}", command.hint));
    let button = button.on_hover_text(command.hint).on_disabled_hover_text(why);
    if button.clicked() {
        actions.extend(action);
        ui.close();
    }
}

/// Returns the object of a command that shows or hides something; the mark before it shows the state.
fn what(title: &str) -> String {
    let rest = ["Show or hide ", "Hide or show "].into_iter().find_map(|start| title.strip_prefix(start));
    let Some(rest) = rest else { return title.into() };
    let rest = rest.strip_prefix("the ").unwrap_or(rest);
    let mut letters = rest.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::{NodeT as _, Queryable as _};
    use swarmarium_lab_state::common::command::SECTIONS;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{click, lab_on, window};

    use super::*;

    #[test]
    fn each_section_stands_in_one_menu() {
        for (section, name) in SECTIONS {
            let is_in =
                |part: &&Block| matches!(part, Block::Commands(known) | Block::Submenu(known) if *known == section);
            assert_eq!(MENUS.iter().flat_map(|(_, _, parts)| *parts).filter(is_in).count(), 1, "{name}");
        }
    }

    #[test]
    fn panels_are_the_only_entries_of_the_menu_panels() {
        for command in COMMANDS.iter().filter(|command| command.section == Section::Panels) {
            let action = command_actions::action(command.id, &lab_on("milling"));
            let toggles = matches!(action, Some(Action::Panel(swarmarium_lab_state::action::PanelAction::Toggle(_))));
            assert!(toggles, "{}", command.title);
        }
    }

    #[test]
    fn menus_are_walked_by_keys() {
        let (mut window, lab) = window(lab_on("milling"));
        let press = |window: &mut Harness, modifiers: egui::Modifiers, keys: &[Key]| {
            for key in keys {
                window.key_press_modifiers(modifiers, *key);
                window.run_steps(3);
            }
        };
        let focused = |window: &Harness| {
            let focused = window.root().children_recursive().find(|node| node.accesskit_node().is_focused());
            focused.and_then(|node| node.accesskit_node().label()).unwrap_or_default()
        };
        let none = egui::Modifiers::NONE;
        press(&mut window, egui::Modifiers::ALT, &[Key::F]);
        assert_eq!(focused(&window), "New scene");
        press(&mut window, none, &[Key::ArrowDown]);
        assert_eq!(focused(&window), "Open file…");
        press(&mut window, none, &[Key::ArrowUp, Key::ArrowUp]);
        assert_eq!(focused(&window), "Quit", "the choice goes round");
        press(&mut window, none, &[Key::ArrowRight, Key::ArrowLeft]);
        assert_eq!(focused(&window), "New scene");
        press(&mut window, none, &[Key::Escape]);
        assert!(!walk::is_open(&window.ctx));
        // F10 opens the first menu, and arrows do not step the run.
        press(&mut window, none, &[Key::F10, Key::ArrowRight, Key::ArrowRight]);
        assert_eq!(focused(&window), "Show the whole arena");
        press(&mut window, none, &[Key::End]);
        assert_eq!(focused(&window), "Window ⏵");
        press(&mut window, none, &[Key::ArrowRight]);
        assert_eq!(focused(&window), "Full screen");
        press(&mut window, none, &[Key::ArrowLeft]);
        assert_eq!(focused(&window), "Window ⏵");
        press(&mut window, none, &[Key::ArrowRight, Key::ArrowDown, Key::ArrowDown, Key::ArrowDown, Key::Enter]);
        assert_eq!(lab.borrow().shell.settings.theme, swarmarium_picture::palette::Theme::Light);
        assert!(!walk::is_open(&window.ctx));
        assert_eq!(lab.borrow().run.host.simulation().steps(), 0);
    }

    #[test]
    fn entries_that_would_do_nothing_are_grey() {
        let (mut window, lab) = window(lab_on("milling"));
        let is_enabled = |window: &mut Harness, entry: &str| {
            click(window, "Edit");
            let is_enabled = !window.get_all_by_label(entry).last().unwrap().accesskit_node().is_disabled();
            window.key_press(Key::Escape);
            window.run_steps(3);
            is_enabled
        };
        for entry in ["Undo", "Redo", "Copy", "Paste"] {
            assert!(!is_enabled(&mut window, entry), "{entry}");
        }
        lab.borrow_mut().select(Some(swarmarium_lab_state::common::selection::Item::Agent(0)));
        lab.borrow_mut().edit(vec![swarmarium_simulation::edit::Edit::Set {
            path: "groups.millers.sensors.0.range_m".into(),
            value: "1.5".into(),
        }]);
        for entry in ["Undo", "Copy"] {
            assert!(is_enabled(&mut window, entry), "{entry}");
        }
    }

    #[test]
    fn the_comparison_menu_is_a_submenu() {
        let (mut window, lab) = window(lab_on("milling"));
        click(&mut window, "Simulation");
        click(&mut window, "Compare with a changed parameter…");
        assert!(lab.borrow().compare.is_open);
        click(&mut window, "Simulation");
        click(&mut window, "Compare ⏵");
        assert_eq!(window.query_all_by_label("Compare with a changed parameter…").count(), 1);
    }

    #[test]
    fn menus_fit_into_a_low_window() {
        for (size, folded, menu) in
            [((1280.0, 800.0), false, "View"), ((900.0, 400.0), false, "Edit"), ((640.0, 320.0), true, "View ⏵")]
        {
            let (mut window, _) = window(lab_on("milling"));
            window.set_size(size.into());
            window.run_steps(3);
            if folded {
                click(&mut window, "Menu");
            }
            click(&mut window, menu);
            window.run_steps(4);
            let popups = window.ctx.memory(|memory| {
                let areas = memory.areas();
                let is_over = |layer: &egui::LayerId| layer.order == egui::Order::Foreground;
                let layers: Vec<_> = areas.visible_layer_ids().into_iter().filter(is_over).collect();
                layers.iter().filter_map(|layer| memory.area_rect(layer.id)).collect::<Vec<_>>()
            });
            assert!(!popups.is_empty(), "{menu}");
            let screen = window.ctx.content_rect();
            assert!(popups.iter().all(|popup| screen.contains_rect(*popup)), "{menu} at {size:?}: {popups:?}");
        }
    }

    #[test]
    fn a_menu_entry_shows_its_state_and_its_name() {
        assert_eq!(what("Show or hide the grid"), "Grid");
        assert_eq!(what("Hide or show the interface"), "Interface");
        assert_eq!(what("Snap or not"), "Snap or not");
        let mut before = lab_on("milling");
        before.run.host.clock_mut().paused = false;
        let (mut window, lab) = window(before);
        let choose = |window: &mut Harness, menu: &[&str], entry: &str| {
            menu.iter().for_each(|name| click(window, name));
            let entry = window.get_all_by_label(entry).last().unwrap();
            let is_on = entry.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True);
            entry.click();
            window.run_steps(4);
            is_on
        };
        for expected in [true, false, true] {
            assert_eq!(lab.borrow().shell.shows_panel(Pane::Tree), expected);
            assert_eq!(choose(&mut window, &["Panels"], "World tree"), expected);
        }
        assert!(!choose(&mut window, &["Simulation"], "Ten steps"));
        assert!(lab.borrow().run.host.clock().paused);
        lab.borrow_mut().advance(0.0, || true);
        assert_eq!(lab.borrow().run.host.simulation().steps(), 10);
        assert!(!choose(&mut window, &["View", "Window ⏵"], "Light colours"));
        assert!(choose(&mut window, &["View", "Window ⏵"], "Light colours"));
    }
}
