//! The catalogue: one searchable list of everything that can be added at a place of the scene, with a picture, a name
//! and a description of each kind.

pub mod choices;
pub mod icon;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use bevy_egui::egui::{
    self, Align2, Button, ComboBox, Key, Modifiers, Rect, ScrollArea, Sense, TextEdit, Ui, Vec2, WidgetInfo, WidgetType,
};
use swarmarium_lab_state::action::{Action, PartAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::matcher::{self, Query};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{elided, named};
use swarmarium_picture::palette::{Role, Theme};

use crate::catalogue::choices::{Choice, group_of};
use crate::parameters::Marks;

/// Width of the catalogue, in points.
const WIDTH_PX: f32 = 600.0;

/// Height of an entry, in points.
const ENTRY_PX: f32 = 44.0;

/// Maximum height of the list, in points.
const LIST_PX: f32 = 396.0;

/// Side of a picture, in points.
const ICON_PX: f32 = 30.0;

/// The window with the catalogue.
#[derive(Default)]
pub struct Catalogue {
    query: String,
    /// The index of the chosen entry in the list.
    chosen: usize,
    /// The path and the state of the scene of the entries, while the catalogue is open.
    open: Option<(String, Marks)>,
    choices: Vec<Choice>,
    /// The reasons why entries do not fit, by their index, as far as entries were drawn; `None` for those that fit.
    refusals: HashMap<usize, Option<String>>,
    /// Whether the chosen entry is to be scrolled into view.
    follows: bool,
}

impl Catalogue {
    /// Draws the catalogue while it is open. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let Some(path) = &lab.shell.popups.catalogue else {
            *self = Self::default();
            return Vec::new();
        };
        let opens = self.follow(lab, path);
        let mut actions = Vec::new();
        let window = egui::Window::new("Catalogue").anchor(Align2::CENTER_TOP, [0.0, 60.0]);
        window.resizable(false).collapsible(false).title_bar(false).fade_in(false).show(ctx, |ui| {
            let room = ctx.content_rect();
            ui.set_width(WIDTH_PX.min(room.width() - 4.0 * theme::PAD));
            self.head(ui, lab, path, &mut actions);
            let enter = self.search(ui, opens);
            let found = self.found();
            self.chosen = self.chosen.min(found.len().saturating_sub(1));
            if found.is_empty() {
                ui.weak(format!("Nothing here is called \"{}\"", self.query.trim()));
            }
            let height = LIST_PX.min(room.height() - 200.0).max(2.0 * ENTRY_PX);
            self.list(ui, lab, (&found, height), enter, &mut actions);
        });
        actions
    }

    /// Reads the entries when the catalogue opens and when the scene changes. Returns whether it opens.
    fn follow(&mut self, lab: &Lab, path: &str) -> bool {
        let state = (path.to_owned(), Marks::of(lab));
        if self.open.as_ref() == Some(&state) {
            return false;
        }
        let opens = self.open.as_ref().is_none_or(|(known, _)| known != path);
        if opens {
            (self.query, self.chosen) = (String::new(), 0);
        }
        (self.choices, self.open) = (choices::at(lab, path), Some(state));
        self.refusals.clear();
        opens
    }

    /// Draws the title, the choice of the group, and the button that closes the catalogue.
    fn head(&self, ui: &mut Ui, lab: &Lab, path: &str, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.label(egui::RichText::new(choices::title(lab, path)).size(theme::NAME_PX).strong());
            let groups = &lab.run.host.simulation().scene_ahead().groups;
            if let Some(place) = group_of(path).filter(|place| groups.len() > 1 && *place < groups.len()) {
                let combo = ComboBox::from_id_salt("group of the catalogue").selected_text(&groups[place].name);
                let combo = combo.width(120.0).truncate().show_ui(ui, |ui| {
                    for (other, group) in groups.iter().enumerate() {
                        let button = ui.add(Button::selectable(other == place, &group.name));
                        if button.on_hover_text("Adds to this group").clicked() {
                            let path = path.replacen(&format!("groups.{place}"), &format!("groups.{other}"), 1);
                            actions.push(PartAction::Open(path).into());
                        }
                    }
                });
                named(&combo.response, "Group that gets the part");
                combo.response.on_hover_text("Group that gets the part");
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let close = ui.add(Button::new("✖").frame(false));
                named(&close, "Close the catalogue");
                if close.on_hover_text("Closes the catalogue (Esc)").clicked() {
                    actions.push(PartAction::Close.into());
                }
            });
        });
    }

    /// Draws the field of the search. Returns whether Enter was pressed.
    fn search(&mut self, ui: &mut Ui, opens: bool) -> bool {
        let pressed = |ui: &Ui, key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let before = self.chosen;
        if pressed(ui, Key::ArrowDown) {
            self.chosen += 1;
        }
        if pressed(ui, Key::ArrowUp) {
            self.chosen = self.chosen.saturating_sub(1);
        }
        self.follows = before != self.chosen;
        let field = TextEdit::singleline(&mut self.query).hint_text("Search by name or by everyday words");
        let hint = "Words of a name or a description, or everyday words such as \"speed\" or \"camera\"; the arrow keys \
                    choose, Enter adds";
        let field = ui.add(field.desired_width(f32::INFINITY)).on_hover_text(hint);
        named(&field, "Search the catalogue");
        if field.changed() {
            (self.chosen, self.follows) = (0, true);
        }
        let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        // Typed letters must not act as shortcuts while the catalogue is open.
        if opens || ui.memory(|memory| memory.focused().is_none()) {
            field.request_focus();
        }
        enter
    }

    /// Returns the indices of the entries that match the search, the best first.
    fn found(&self) -> Vec<usize> {
        let query = Query::new(&self.query);
        if query.is_empty() {
            return (0..self.choices.len()).collect();
        }
        let matching = |(place, choice): (usize, &Choice)| {
            let (ident, section) = (choice.ident.to_lowercase(), choice.section.to_lowercase());
            let synonyms: Vec<&str> =
                choice.synonyms.iter().copied().chain([ident.as_str(), section.as_str()]).collect();
            Some((place, query.find(&choice.name, &synonyms, &choice.about)?.rank))
        };
        let mut found: Vec<_> = self.choices.iter().enumerate().filter_map(matching).collect();
        matcher::sort(&mut found, |(_, rank)| *rank);
        found.into_iter().map(|(place, _)| place).collect()
    }

    fn list(
        &mut self,
        ui: &mut Ui,
        lab: &Lab,
        (found, height): (&[usize], f32),
        enter: bool,
        actions: &mut Vec<Action>,
    ) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut area = ScrollArea::vertical().id_salt("catalogue").max_height(height).auto_shrink([false, true]);
        if self.follows {
            area = area.vertical_scroll_offset((self.chosen as f32 + 0.5) * ENTRY_PX - height / 2.0);
        }
        let chosen = self.chosen;
        let mut wanted = enter.then(|| found.get(chosen).copied()).flatten();
        area.show_rows(ui, ENTRY_PX, found.len(), |ui, range| {
            for (row, place) in found.iter().enumerate().skip(range.start).take(range.len()) {
                let refusal = self.refusals.entry(*place);
                let refusal = refusal.or_insert_with(|| self.choices[*place].effect.refusal(lab)).clone();
                let theme = lab.shell.settings.theme;
                let entry =
                    Entry { choice: &self.choices[*place], refusal: refusal.as_deref(), is_chosen: row == chosen };
                if entry.ui(ui, theme) {
                    wanted = Some(*place);
                }
            }
        });
        let Some(choice) = wanted.and_then(|place| Some((place, self.choices.get(place)?))) else { return };
        let (place, choice) = choice;
        // An entry that does not fit shows the reason, and the catalogue stays open.
        let refusal = self.refusals.entry(place).or_insert_with(|| choice.effect.refusal(lab));
        if refusal.is_none() {
            actions.extend([PartAction::Close.into(), choice.effect.action(lab)]);
        }
    }
}

/// An entry of the list.
struct Entry<'a> {
    choice: &'a Choice,
    /// The reason why it does not fit.
    refusal: Option<&'a str>,
    is_chosen: bool,
}

impl Entry<'_> {
    /// Draws the entry. Returns whether it was clicked.
    fn ui(&self, ui: &mut Ui, theme: Theme) -> bool {
        let Self { choice, refusal, is_chosen } = self;
        let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ENTRY_PX), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, refusal.is_none(), &choice.name));
        if !ui.is_rect_visible(rect) {
            return response.clicked();
        }
        if *is_chosen || response.hovered() {
            let fill = theme::color(theme, if *is_chosen { Role::Grid } else { Role::Arena });
            ui.painter().rect_filled(rect.shrink2(Vec2::new(0.0, 1.0)), theme::CORNER_PX, fill);
        }
        let role = if refusal.is_some() { Role::Dim } else { Role::Text };
        let picture = Rect::from_min_size(rect.min + Vec2::new(theme::SMALL_GAP, 7.0), Vec2::splat(ICON_PX));
        icon::paint(ui.painter(), picture, choice.icon, theme, refusal.is_none());
        let (left, right) = (picture.right() + theme::PAD, rect.right() - theme::SMALL_GAP);
        let write = |at: egui::Pos2, align, text: &str, size, role| {
            ui.painter().text(at, align, text, theme::font(size), theme::color(theme, role))
        };
        let (first_y, second_y) = (rect.top() + 14.0, rect.top() + 31.0);
        let section =
            write(egui::pos2(right, first_y), Align2::RIGHT_CENTER, &choice.section, theme::SMALL_PX, Role::Dim);
        let name = write(egui::pos2(left, first_y), Align2::LEFT_CENTER, &choice.name, theme::TEXT_PX, role);
        let ident_left = name.right() + theme::GAP;
        if !choice.ident.is_empty() && choice.ident != choice.name {
            let room = section.left() - theme::GAP - ident_left;
            let ident = elided(ui, &choice.ident, theme::font(theme::SMALL_PX), room);
            write(egui::pos2(ident_left, first_y), Align2::LEFT_CENTER, &ident, theme::SMALL_PX, Role::Dim);
        }
        let (line, line_role) = match refusal {
            Some(reason) => (format!("Does not fit: {reason}"), Role::Warning),
            None => (choice.about.clone(), Role::Dim),
        };
        let line = elided(ui, &line, theme::font(theme::NUMBER_PX), right - left);
        write(egui::pos2(left, second_y), Align2::LEFT_CENTER, &line, theme::NUMBER_PX, line_role);
        let clicked = response.clicked();
        response.on_hover_ui(|ui| {
            ui.set_max_width(420.0);
            ui.label(&choice.about);
            match refusal {
                Some(reason) => ui.label(format!("Does not fit: {reason}")),
                None => ui.weak("A click adds it; undo removes it"),
            };
        });
        clicked
    }
}
