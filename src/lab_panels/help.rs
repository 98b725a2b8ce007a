//! The list of keys and of mouse gestures of the present tool, over the world.

use bevy_egui::egui::{self, Align2, Grid, Label, RichText, ScrollArea, TextEdit, Ui, WidgetInfo};
use swarmarium_lab_state::action::{Action, PanelAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::{COMMANDS, SECTIONS, synonyms};
use swarmarium_lab_state::common::matcher::Query;
use swarmarium_lab_state::common::theme;

use crate::tools;

/// Height of the title and the margins of the window, in points.
const MARGIN: f32 = 96.0;

/// Width of one of the two columns, in points.
const COLUMN: f32 = 420.0;

/// Gap between keys and their actions, in points.
const SPACING: f32 = 16.0;

/// The list of keys.
#[derive(Default)]
pub struct Help {
    search: String,
}

/// A section of the list.
struct KeyGroup {
    name: &'static str,
    /// Keys with their actions.
    rows: Vec<(String, &'static str)>,
}

impl Help {
    /// Draws the list. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let mut open = true;
        let most_px = (ctx.content_rect().height() - MARGIN).max(MARGIN);
        let width = (ctx.content_rect().width() - MARGIN).min(2.0 * COLUMN);
        egui::Window::new("Keys")
            .open(&mut open)
            .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
            .resizable(false)
            .collapsible(false)
            .fade_in(false)
            .default_height(most_px)
            .show(ctx, |ui| {
                ui.set_width(width);
                self.search_ui(ui, lab);
                ScrollArea::vertical().max_height(most_px - MARGIN).auto_shrink([false, true]).show(ui, |ui| {
                    list(ui, parts(lab, &self.search));
                });
            });
        if open { Vec::new() } else { vec![Action::Panel(PanelAction::Help)] }
    }

    fn search_ui(&mut self, ui: &mut Ui, lab: &Lab) {
        let field = TextEdit::singleline(&mut self.search).hint_text("Search keys and actions");
        let field = ui.add(field.desired_width(f32::INFINITY));
        field.widget_info(|| {
            let info = WidgetInfo::text_edit(ui.is_enabled(), &self.search, &self.search, "");
            WidgetInfo { label: Some("Search keys".into()), ..info }
        });
        if ui.memory(|memory| memory.focused().is_none()) {
            field.request_focus();
        }
        field.on_hover_text("Shows only entries with all these words, including actions without keys");
        if lab.files.places.keys.is_some() {
            ui.weak("To change keys, choose \"Edit the keys\" in the palette");
        }
    }
}

/// Returns the sections that match a search, in the order of the table; without a search, all entries with keys.
fn parts(lab: &Lab, search: &str) -> Vec<KeyGroup> {
    let query = Query::new(search);
    let has = |texts: &[&str]| query.is_in(&texts.join(" "));
    let mouse = tools::gestures(lab).filter(|(gesture, does)| has(&[gesture, does, "mouse"]));
    let mouse = KeyGroup { name: "Mouse", rows: mouse.map(|(gesture, does)| ((*gesture).into(), *does)).collect() };
    let sections = SECTIONS.iter().map(|(section, name)| {
        let commands = COMMANDS.iter().filter(|command| command.section == *section);
        let rows = commands.filter_map(|command| {
            let keys = command.keys_text(&lab.shell.keymap);
            let everyday = synonyms::of(command.title).join(" ");
            let is_wanted = has(&[&keys, command.title, command.hint, name, &everyday]);
            let is_wanted = is_wanted && !(query.is_empty() && keys.is_empty());
            let keys = if keys.is_empty() { "–".into() } else { keys };
            is_wanted.then_some((keys, command.title))
        });
        KeyGroup { name, rows: rows.collect() }
    });
    sections.chain([mouse]).filter(|part| !part.rows.is_empty()).collect()
}

/// Draws the sections in two columns of about the same height.
fn list(ui: &mut Ui, parts: Vec<KeyGroup>) {
    if parts.is_empty() {
        ui.weak("No action has these words");
        return;
    }
    let mut columns: [Vec<KeyGroup>; 2] = Default::default();
    let mut heights = [0; 2];
    for part in parts {
        let shorter = usize::from(heights[1] < heights[0]);
        // A heading takes about two rows.
        heights[shorter] += part.rows.len() + 2;
        columns[shorter].push(part);
    }
    let [left_parts, right_parts] = columns;
    ui.columns_const(|[left, right]| {
        left_parts.iter().for_each(|part| section(left, part));
        right_parts.iter().for_each(|part| section(right, part));
    });
}

fn section(ui: &mut Ui, KeyGroup { name, rows }: &KeyGroup) {
    ui.add_space(theme::GAP);
    ui.strong(*name);
    // Some actions have many keys, which take several lines.
    let half = (ui.available_width() - SPACING) / 2.0;
    let grid = Grid::new(name).num_columns(2).min_col_width(120.0).max_col_width(half.max(120.0));
    grid.spacing([SPACING, 4.0]).show(ui, |ui| {
        for (keys, does) in rows {
            ui.add(Label::new(RichText::new(keys).monospace()).wrap());
            ui.add(Label::new(RichText::new(*does).weak()).wrap());
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::accesskit::Role;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::shell::keymap::Keymap;
    use swarmarium_lab_testing::{lab_on, window};

    use super::*;

    fn titles(lab: &Lab, search: &str) -> Vec<&'static str> {
        parts(lab, search).into_iter().flat_map(|part| part.rows).map(|(_, does)| does).collect()
    }

    #[test]
    fn help_search_finds_keys_actions_and_mouse_gestures() {
        let lab = lab_on("milling");
        assert_eq!(titles(&lab, "dark COLOURS"), ["Dark colours"]);
        assert_eq!(titles(&lab, "pinch"), ["Zoom at the cursor"]);
        assert!(titles(&lab, "F9").contains(&"Start or stop recording"));
        assert!(!titles(&lab, "").contains(&"Dark colours"), "without a search, only what has keys");
        assert!(titles(&lab, "no such thing").is_empty());
    }

    #[test]
    fn help_shows_the_keys_of_the_user_and_fits_a_small_screen() {
        let mut lab = lab_on("milling");
        lab.shell.keymap = Keymap::read("[(\"Step\", [\"F5\"])]").0;
        lab.shell.popups.help = true;
        let (mut window, lab) = window(lab);
        window.set_size(egui::vec2(1280.0, 720.0));
        window.run_steps(4);
        window.get_by_label("F5");
        let field = window.get_by_role_and_label(Role::TextInput, "Search keys");
        assert!(field.rect().top() > 0.0 && field.rect().bottom() < 720.0);
        field.focus();
        field.type_text("whole arena");
        window.run_steps(3);
        window.get_by_label("Show the whole arena");
        assert!(window.query_by_label("F5").is_none());
        assert!(lab.borrow().shell.popups.help);
    }
}
