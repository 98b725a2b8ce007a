//! The panel Script: an editor for the scripts of the scene.

pub mod highlight;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_egui::egui::text::{CCursor, CCursorRange};
use bevy_egui::egui::text_edit::TextEditOutput;
use bevy_egui::egui::{
    self, Align, Align2, Button, ComboBox, Event, Galley, Key, Label, Layout, Modifiers, Rect, RichText, ScrollArea,
    Shape, TextBuffer, TextEdit, TextStyle, Ui, Vec2,
};
use swarmarium_core::events::EventKind;
use swarmarium_core::text::shared::SharedText;
use swarmarium_lab_state::action::{Action, ScriptAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::new_script;
use swarmarium_lab_state::common::scripts::{self, Script, line_of};
use swarmarium_lab_state::common::widgets::named;
use swarmarium_lab_state::common::{focus, theme};
use swarmarium_picture::palette::Role;
use swarmarium_simulation::edit::LoggedEdit;

use crate::script::highlight::Highlighter;

/// The indentation of a level, which Tab inserts.
const INDENT: &str = "    ";

/// The largest number of lines of an error below the editor.
const MOST_ERROR_LINES: usize = 3;

/// The panel Script.
#[derive(Default)]
pub struct ScriptPanel {
    /// The opening of the scene to which everything belongs.
    opening: u64,
    /// The name of the shown script.
    shown: Option<String>,
    /// The number of requests for a script that were handled.
    requests: u64,
    /// The line to scroll to, counted from 1.
    jump: Option<usize>,
    /// The typed texts by the names of their scripts.
    drafts: BTreeMap<String, Draft>,
    checked: Option<Checked>,
    failed: Option<Failed>,
    highlighter: Highlighter,
}

/// The typed text of a script.
struct Draft {
    /// The text of the script from which the typed text was made.
    base: SharedText,
    text: String,
}

/// The result of the check of a typed text.
struct Checked {
    name: String,
    text: String,
    error: Option<ScriptFault>,
}

/// The last failure of a script in the run, valid until the run goes on or changes.
struct Failed {
    /// The name, and the numbers of restarts, events and edits.
    key: (String, u64, u64, usize),
    fault: Option<ScriptFault>,
}

/// An error in a script.
#[derive(Clone, Debug, PartialEq)]
struct ScriptFault {
    message: String,
    /// The line, counted from 1.
    line: Option<usize>,
}

impl ScriptFault {
    fn new(message: &str, script: &Script) -> Self {
        Self { message: message.into(), line: line_of(message, &script.file) }
    }
}

/// The state of the shown script, in words.
fn state(has_changes: bool, fault: Option<&ScriptFault>) -> String {
    match fault {
        Some(ScriptFault { line: Some(line), .. }) => format!("Error in line {line}"),
        Some(_) => "Error".into(),
        None if has_changes => "Changed".into(),
        None => "Running".into(),
    }
}

impl ScriptPanel {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.opening != lab.run.openings {
            *self = Self { opening: lab.run.openings, requests: self.requests, ..Self::default() };
        }
        let scripts = ordered(lab);
        self.follow_request(lab);
        let shown = scripts.iter().find(|script| Some(&script.name) == self.shown.as_ref()).or(scripts.first());
        let Some(script) = shown else {
            nothing(ui, lab, &mut actions);
            return actions;
        };
        let is_conflict = self.follow_script(lab, script);
        let fault = self.fault(lab, script);
        let name = script.name.clone();
        let before = self.shown.replace(name.clone());
        self.bar(ui, lab, script, &scripts, fault.as_ref(), is_conflict, &mut actions);
        if is_conflict {
            self.ask(ui, lab, script);
        }
        if before.is_some() && self.shown.as_ref() != Some(&name) {
            // Another one was chosen just now.
            return actions;
        }
        let is_applied = self.editor(ui, lab, script, fault.as_ref());
        if is_applied && !is_conflict {
            actions.extend(self.apply(&name));
        }
        actions
    }

    /// Shows the script that another part of the window requests.
    fn follow_request(&mut self, lab: &Lab) {
        let wanted = &lab.files.scripts;
        if std::mem::replace(&mut self.requests, wanted.requests) == wanted.requests {
            return;
        }
        if let Some((name, line)) = &wanted.wanted {
            (self.shown, self.jump) = (Some(name.clone()), *line);
        }
    }

    /// Takes a new text of the script over, unless the user has typed another one. Returns whether that is so.
    fn follow_script(&mut self, lab: &Lab, script: &Script) -> bool {
        let refused = lab.files.scripts.refused.get(&script.name);
        let latest = refused.map_or(&script.source, |refused| &refused.text);
        let new = || Draft { base: latest.clone(), text: latest.as_str().into() };
        let draft = self.drafts.entry(script.name.clone()).or_insert_with(new);
        if draft.base.as_str() != latest.as_str() {
            if draft.text == draft.base.as_str() {
                *draft = new();
            } else if draft.text == latest.as_str() {
                draft.base = latest.clone();
            }
        }
        draft.base.as_str() != latest.as_str()
    }

    fn text(&self, name: &str) -> &str {
        self.drafts.get(name).map_or("", |draft| &draft.text)
    }

    /// Returns the error of the typed text, or else the failure of the running one.
    fn fault(&mut self, lab: &Lab, script: &Script) -> Option<ScriptFault> {
        let text = self.text(&script.name);
        if script.has(text) {
            return self.failure(lab, script);
        }
        let is_known = |checked: &&Checked| checked.name == script.name && checked.text == text;
        if let Some(checked) = self.checked.as_ref().filter(is_known) {
            return checked.error.clone();
        }
        let text = text.to_owned();
        let checks = lab.run.host.simulation().check_all(&script.edits(&text));
        let error = checks.into_iter().find_map(Result::err).map(|problem| ScriptFault::new(&problem.message, script));
        self.checked = Some(Checked { name: script.name.clone(), text, error: error.clone() });
        error
    }

    /// Returns the last failure of the running text.
    fn failure(&mut self, lab: &Lab, script: &Script) -> Option<ScriptFault> {
        let simulation = lab.run.host.simulation();
        let (events, edits) = (simulation.events(), simulation.edits());
        let key = (script.name.clone(), lab.run.restarts, events.count(), edits.len());
        if let Some(failed) = self.failed.as_ref().filter(|failed| failed.key == key) {
            return failed.fault.clone();
        }
        let is_change = |logged: &&LoggedEdit| scripts::is_source_of(simulation.scene_ahead(), &logged.edit, script);
        let since = edits.iter().rfind(is_change).map_or(0, |logged| logged.step);
        let start = format!("{}:", script.file);
        let mut recent = events.iter().rev().take_while(|event| event.step >= since);
        let failure = recent.find(|event| event.kind == EventKind::Script && event.text.starts_with(&start));
        let fault = failure.map(|event| ScriptFault::new(&event.text, script));
        self.failed = Some(Failed { key, fault: fault.clone() });
        fault
    }

    /// Draws the choice of the script, its state and the buttons.
    fn bar(
        &mut self,
        ui: &mut Ui,
        lab: &Lab,
        script: &Script,
        all: &[Script],
        fault: Option<&ScriptFault>,
        is_conflict: bool,
        actions: &mut Vec<Action>,
    ) {
        let has_changes = !script.has(self.text(&script.name));
        ui.horizontal_wrapped(|ui| {
            self.choice(ui, script, all);
            let text = RichText::new(state(has_changes, fault));
            let text = match (fault.is_some(), has_changes) {
                (true, _) => text.color(theme::color(lab.shell.settings.theme, Role::Warning)),
                (false, true) => text.strong(),
                (false, false) => text.weak(),
            };
            ui.label(text).on_hover_text(
                "Running: the robots use this text. Changed: this text is not applied. Error: this text cannot run, or a \
                 robot stopped because of it",
            );
            let apply = ui.add_enabled(has_changes && fault.is_none() && !is_conflict, Button::new("Apply"));
            let place = match lab.run.script_folder().filter(|_| !script.file.is_empty()) {
                Some(_) => format!("Saves {} and gives the text to the running robots", script.file),
                None => "Gives the text to the running robots; it is saved with the scene".into(),
            };
            let hint = format!("{place} (Ctrl+S or Ctrl+Enter in the editor)");
            let refusal = match (has_changes, is_conflict) {
                (false, _) => "The robots use this text",
                (true, true) => "First choose one of the two texts below",
                (true, false) => "A text with an error cannot be applied",
            };
            if apply.on_hover_text(hint).on_disabled_hover_text(refusal).clicked() {
                actions.extend(self.apply(&script.name));
            }
            let reset = ui.add_enabled(has_changes, Button::new("Reset"));
            let hint = "Resets the text to the one that the robots use";
            if reset.on_hover_text(hint).on_disabled_hover_text("The robots use this text").clicked()
                && let Some(draft) = self.drafts.get_mut(&script.name)
            {
                draft.text = script.source.as_str().into();
            }
            new_menu(ui, lab, actions);
        });
    }

    fn choice(&mut self, ui: &mut Ui, script: &Script, all: &[Script]) {
        let is_typed =
            |script: &Script| self.drafts.get(&script.name).is_some_and(|draft| draft.text != draft.base.as_str());
        let title = |script: &Script| match is_typed(script) {
            true => format!("• {}", script.name),
            false => script.name.clone(),
        };
        let mut chosen = None;
        let combo = ComboBox::from_id_salt("script").selected_text(title(script)).show_ui(ui, |ui| {
            for other in all {
                let users = other.paths.join(", ");
                let option = Button::selectable(other.name == script.name, title(other));
                if ui.add(option).on_hover_text(format!("Used by {users}")).clicked() {
                    chosen = Some(other.name.clone());
                }
            }
        });
        named(&combo.response, "Script to edit");
        combo.response.on_hover_text("The script in the editor; a dot marks a text that is not applied");
        if chosen.is_some() {
            self.shown = chosen;
        }
    }

    fn apply(&self, name: &str) -> Option<Action> {
        let draft = self.drafts.get(name)?;
        Some(ScriptAction::Apply(name.into(), draft.text.clone()).into())
    }

    /// Asks which text to keep after both the script and the typed text have changed.
    fn ask(&mut self, ui: &mut Ui, lab: &Lab, script: &Script) {
        let refused = lab.files.scripts.refused.get(&script.name);
        let latest = refused.map_or(&script.source, |refused| &refused.text).clone();
        let Some(draft) = self.drafts.get_mut(&script.name) else { return };
        ui.horizontal_wrapped(|ui| {
            let text = format!("⚠ {} has changed outside of this editor", script.name);
            ui.label(RichText::new(text).color(theme::color(lab.shell.settings.theme, Role::Warning)));
            let load = ui.button("Show the new text");
            if load.on_hover_text("Discards the typed text and shows the new one").clicked() {
                *draft = Draft { base: latest.clone(), text: latest.as_str().into() };
            }
            let keep = ui.button("Keep the typed text");
            if keep.on_hover_text("Keeps this text in the editor; \"Apply\" then replaces the new one").clicked() {
                draft.base = latest.clone();
            }
        });
    }

    /// Draws the editor with the error below it. Returns whether the text is to be applied.
    fn editor(&mut self, ui: &mut Ui, lab: &Lab, script: &Script, fault: Option<&ScriptFault>) -> bool {
        let theme = lab.shell.settings.theme;
        let Some(draft) = self.drafts.get_mut(&script.name) else { return false };
        let id = egui::Id::new(("text of script", &script.name));
        let mut is_applied = false;
        if ui.memory(|memory| memory.has_focus(id)) {
            is_applied = ui.input_mut(|input| {
                input.consume_key(Modifiers::COMMAND, Key::S) || input.consume_key(Modifiers::COMMAND, Key::Enter)
            });
            indent(ui, id, &draft.text);
        }
        let note_px = fault.map_or(0.0, |fault| note_height(ui, fault));
        let (font, jump) = (TextStyle::Monospace.resolve(ui.style()), self.jump.take());
        let line_px = ui.fonts_mut(|fonts| fonts.row_height(&font));
        let height_px = (ui.available_height() - note_px).max(2.0 * line_px);
        let scroll = ScrollArea::both().id_salt(("script", &script.name)).max_height(height_px).auto_shrink(false);
        let highlighter = &mut self.highlighter;
        scroll.show(ui, |ui| {
            ui.horizontal_top(|ui| {
                let lines = draft.text.lines().count().max(1) + 1;
                let digits = lines.to_string().len().max(2) as f32;
                let glyph_px = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
                let (gutter, _) = ui.allocate_exact_size(Vec2::new(digits * glyph_px, line_px), egui::Sense::hover());
                let ground = ui.painter().add(Shape::Noop);
                let mut layouter = |ui: &Ui, text: &dyn TextBuffer, _: f32| -> Arc<Galley> {
                    let job = highlighter.job(text.as_str(), theme, &font);
                    ui.fonts_mut(|fonts| fonts.layout_job(job))
                };
                let rows = (height_px / line_px).floor() as usize;
                let output = TextEdit::multiline(&mut draft.text)
                    .id(id)
                    .code_editor()
                    .desired_width(f32::INFINITY)
                    .desired_rows(rows.saturating_sub(1).max(1))
                    .layouter(&mut layouter)
                    .show(ui);
                named(&output.response, &format!("Text of {}", script.name));
                focus::mark_code_editor(ui.ctx(), id);
                let error_line = fault.and_then(|fault| fault.line);
                numbers(ui, lab, gutter, &output, error_line, ground);
                if let Some(line) = jump {
                    go_to_line(ui, id, &output, &draft.text, line);
                }
            });
        });
        if let Some(fault) = fault {
            note(ui, lab, fault);
        }
        is_applied
    }
}

/// Returns the scripts of the scene, that of the selected robot first.
fn ordered(lab: &Lab) -> Vec<Script> {
    let mut all = scripts::all(lab.run.host.simulation().scene_ahead());
    if let Some(group) = lab.selected_group() {
        let path = format!("groups[{group}].controller");
        all.sort_by_key(|script| !script.paths.contains(&path));
    }
    all
}

/// Draws the panel of a scene without scripts.
fn nothing(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    ui.weak("This scene has no scripts: a script is a controller that you write and change while the robots run");
    ui.add_space(theme::GAP);
    ui.horizontal(|ui| new_menu(ui, lab, actions));
}

/// Draws the button that makes a script of the controller of the selection, or else a menu of all groups.
fn new_menu(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let simulation = lab.run.host.simulation();
    let kind = |place: usize| {
        let group = simulation.scene_ahead().groups.get(place);
        group.map_or("", |group| new_script::kind_of(simulation.kinds(), group))
    };
    let is_of_selection = lab.selected_group().is_some();
    if let Some(place) = lab.group_for_new_script().filter(|_| is_of_selection) {
        let button = ui.button("New script from this robot's controller");
        let hint = format!("Makes a script of {}, for all robots of the group", kind(place));
        if button.on_hover_text(hint).clicked() {
            actions.push(ScriptAction::New(place).into());
        }
        return;
    }
    let menu = ui.menu_button("New script", |ui| {
        let groups = simulation.scene_ahead().groups.iter().enumerate();
        let mut others = groups.filter(|(place, _)| kind(*place) != new_script::KIND).peekable();
        if others.peek().is_none() {
            let has_groups = !simulation.scene_ahead().groups.is_empty();
            ui.weak(if has_groups { "All groups have scripts" } else { "Add robots first: there is no group yet" });
        }
        for (place, group) in others {
            let hint = format!("Makes a script of {}, for all robots of this group", kind(place));
            if ui.button(format!("From the controller of {}", group.name)).on_hover_text(hint).clicked() {
                actions.push(ScriptAction::New(place).into());
            }
        }
    });
    menu.response.on_hover_text(lab.shell.keymap.after(
        "Makes a script of the controller of a group; select a robot to take that of its group",
        CommandId::NewScript,
        "",
    ));
}

/// Replaces Tab by spaces, and lets a new line begin below the text of the line before.
fn indent(ui: &Ui, id: egui::Id, text: &str) {
    let cursor = TextEdit::load_state(ui.ctx(), id).and_then(|state| state.cursor.char_range());
    let before: String = cursor.map_or_else(String::new, |range| {
        let first = range.as_sorted_char_range().start;
        text.chars().take(first.into()).collect()
    });
    let line = before.rsplit('\n').next().unwrap_or_default();
    let space = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    ui.input_mut(|input| {
        for event in &mut input.events {
            let Event::Key { key, pressed: true, modifiers, .. } = event else { continue };
            match key {
                Key::Tab if modifiers.is_none() => *event = Event::Text(INDENT.into()),
                Key::Enter if modifiers.is_none() && !space.is_empty() => *event = Event::Text(format!("\n{space}")),
                _ => {}
            }
        }
    });
}

/// Draws the numbers of the lines, and marks the line of an error.
fn numbers(
    ui: &Ui,
    lab: &Lab,
    gutter: Rect,
    output: &TextEditOutput,
    error: Option<usize>,
    ground: egui::layers::ShapeIdx,
) {
    let theme = lab.shell.settings.theme;
    let clip = ui.clip_rect();
    let mut is_start = true;
    let mut number = 0;
    for row in &output.galley.rows {
        number += usize::from(std::mem::replace(&mut is_start, row.ends_with_newline));
        let (top, bottom) = (output.galley_pos.y + row.min_y(), output.galley_pos.y + row.max_y());
        if bottom < clip.top() || top > clip.bottom() {
            continue;
        }
        let is_error = error == Some(number);
        let role = if is_error { Role::Warning } else { Role::Dim };
        let at = egui::pos2(gutter.right(), (top + bottom) / 2.0);
        ui.painter().text(at, Align2::RIGHT_CENTER, number, theme::number_font(), theme::color(theme, role));
        if is_error {
            let line = Rect::from_min_max(egui::pos2(gutter.left(), top), egui::pos2(clip.right(), bottom));
            ui.painter().set(ground, Shape::rect_filled(line, 0.0, theme::paint(theme, Role::Warning.faint(0.25))));
        }
    }
}

/// Moves the cursor to the start of a line, counted from 1, and scrolls there.
fn go_to_line(ui: &Ui, id: egui::Id, output: &TextEditOutput, text: &str, line: usize) {
    let first: usize = text.split_inclusive('\n').take(line - 1).map(|line| line.chars().count()).sum();
    let mut state = output.state.clone();
    state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(first))));
    TextEdit::store_state(ui.ctx(), id, state);
    output.response.request_focus();
    let place = output.galley.pos_from_cursor(CCursor::new(first)).translate(output.galley_pos.to_vec2());
    ui.scroll_to_rect(place, Some(Align::Center));
}

/// Returns the height of the error below the editor, in points.
fn note_height(ui: &Ui, fault: &ScriptFault) -> f32 {
    let lines = fault.message.lines().count().clamp(1, MOST_ERROR_LINES);
    // A long line wraps once.
    let lines = if fault.message.len() > 50 { (lines + 1).min(MOST_ERROR_LINES) } else { lines };
    lines as f32 * ui.text_style_height(&TextStyle::Body) + theme::SMALL_GAP
}

/// Draws an error.
fn note(ui: &mut Ui, lab: &Lab, fault: &ScriptFault) {
    let text = RichText::new(&fault.message).color(theme::color(lab.shell.settings.theme, Role::Warning));
    ui.with_layout(Layout::top_down(Align::Min), |ui| {
        ui.add(Label::new(text).wrap().selectable(true)).on_hover_text(&fault.message);
    });
}
