//! The catalogue: one searchable list of everything that can be added at a place of the scene, with a picture, a name
//! and a description of each kind.

pub mod choices;
pub mod icon;
pub mod needs;
pub mod ready;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use bevy_egui::egui::{
    self, Align2, Button, ComboBox, Key, Modifiers, Rect, ScrollArea, Sense, TextEdit, Ui, Vec2, WidgetInfo, WidgetType,
};
use swarmarium_core::text::wording::with_article;
use swarmarium_lab_state::action::{Action, PartAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::matcher::{self, Query};
use swarmarium_lab_state::common::text::member_word;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{elided, named};
use swarmarium_picture::palette::{Role, Theme};

use crate::catalogue::choices::{Choice, group_of};
use crate::catalogue::needs::Need;
use crate::parameters::Marks;

/// Width of the catalogue, in points.
const WIDTH_PX: f32 = 600.0;

/// Height of an entry, in points.
const ENTRY_PX: f32 = 44.0;

/// Maximum height of the list, in points.
const LIST_PX: f32 = 352.0;

/// Height of the description below the list, in points.
const DETAIL_PX: f32 = 84.0;

/// Top of the catalogue, in points.
const TOP_PX: f32 = 60.0;

/// Room that the title, the search and the edges of the window need, in points.
const AROUND_PX: f32 = 200.0;

/// Places that are searched when nothing matches at the present one.
const PLACES: [&str; 5] = ["groups", "objects", "object_groups", "fields", "metrics"];

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
    refusals: HashMap<usize, Option<Refusal>>,
    /// The places with entries that match a search without a match at the present one.
    elsewhere: Option<(String, Vec<Elsewhere>)>,
    /// The search that the catalogue keeps when it opens at another place.
    kept_query: Option<String>,
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
        let room = ctx.content_rect();
        let width = WIDTH_PX.min(room.width() - 4.0 * theme::PAD);
        // Over the world, so that the inspector beside it stays visible.
        let half = width / 2.0 + 2.0 * theme::PAD;
        let center = lab.view.rect_px.center().x.min(room.right() - half).max(room.left() + half);
        let window = egui::Window::new("Catalogue").pivot(Align2::CENTER_TOP).fixed_pos([center, TOP_PX]);
        window.resizable(false).collapsible(false).title_bar(false).fade_in(false).show(ctx, |ui| {
            ui.set_width(width);
            self.head(ui, lab, path, &mut actions);
            let enter = self.search(ui, opens);
            let found = self.found();
            self.chosen = self.chosen.min(found.len().saturating_sub(1));
            if found.is_empty() {
                self.nothing(ui, lab, path, &mut actions);
            }
            let height = LIST_PX.min(room.height() - AROUND_PX - DETAIL_PX).max(2.0 * ENTRY_PX);
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
            (self.query, self.chosen) = (self.kept_query.take().unwrap_or_default(), 0);
        }
        (self.choices, self.open) = (choices::at(lab, path), Some(state));
        self.refusals.clear();
        self.elsewhere = None;
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
        let matching = |(place, choice): (usize, &Choice)| Some((place, rank(choice, &query)?));
        let mut found: Vec<_> = self.choices.iter().enumerate().filter_map(matching).collect();
        matcher::sort(&mut found, |(_, rank)| *rank);
        found.into_iter().map(|(place, _)| place).collect()
    }

    /// Says that nothing matches at the present place, and links to places where something does.
    fn nothing(&mut self, ui: &mut Ui, lab: &Lab, path: &str, actions: &mut Vec<Action>) {
        let query = self.query.trim().to_owned();
        let known = self.elsewhere.take().filter(|(known, _)| *known == query);
        let (query, elsewhere) = known.unwrap_or_else(|| (query.clone(), Elsewhere::all(lab, path, &query)));
        let word = member_word(path);
        ui.weak(match path.contains('.') {
            true => format!("Nothing here is called \"{query}\""),
            false => format!("No {word} is called \"{query}\""),
        });
        ui.horizontal_wrapped(|ui| {
            for other in &elsewhere {
                if ui.button(&other.text).on_hover_text(other.hint).clicked() {
                    self.kept_query = Some(query.clone());
                    actions.extend(other.actions.clone());
                }
            }
        });
        self.elsewhere = Some((query, elsewhere));
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
        let mut hovered = None;
        let mut wanted = enter.then(|| found.get(chosen).copied()).flatten();
        area.show_rows(ui, ENTRY_PX, found.len(), |ui, range| {
            for (row, place) in found.iter().enumerate().skip(range.start).take(range.len()) {
                let refusal = self.refusals.entry(*place);
                let refusal = refusal.or_insert_with(|| Refusal::of(lab, &self.choices[*place]));
                let entry =
                    Entry { choice: &self.choices[*place], refusal: refusal.as_ref(), is_chosen: row == chosen };
                let response = entry.ui(ui, lab.shell.settings.theme);
                if response.hovered() {
                    hovered = Some(*place);
                }
                if response.clicked() {
                    wanted = Some(*place);
                }
            }
        });
        if let Some(place) = hovered.or_else(|| found.get(chosen).copied()) {
            let refusal = self.refusals.entry(place).or_insert_with(|| Refusal::of(lab, &self.choices[place]));
            detail(ui, &self.choices[place], refusal.as_ref());
        }
        let Some(choice) = wanted.and_then(|place| Some((place, self.choices.get(place)?))) else { return };
        let (place, choice) = choice;
        // An entry that does not fit shows the reason, and the catalogue stays open.
        let action = match self.refusals.entry(place).or_insert_with(|| Refusal::of(lab, choice)) {
            None => choice.effect.action(lab),
            Some(Refusal { need: Some(need), .. }) => Action::Edits(need.edits.clone()),
            Some(_) => return,
        };
        actions.extend([PartAction::Close.into(), action]);
    }
}

/// Returns how well an entry matches a search; `None` if it does not.
fn rank(choice: &Choice, query: &Query) -> Option<matcher::Rank> {
    let (ident, section) = (choice.ident.to_lowercase(), choice.section.to_lowercase());
    let synonyms: Vec<&str> = choice.synonyms.iter().copied().chain([ident.as_str(), section.as_str()]).collect();
    Some(query.find(&choice.name, &synonyms, &choice.about)?.rank)
}

/// The reason why an entry does not fit alone, and the part with which it fits, if there is one.
struct Refusal {
    reason: String,
    need: Option<Need>,
}

impl Refusal {
    fn of(lab: &Lab, choice: &Choice) -> Option<Self> {
        let reason = choice.effect.refusal(lab)?;
        Some(Self { reason, need: Need::of(lab, &choice.effect) })
    }

    /// Returns the line of the entry.
    fn text(&self) -> String {
        match &self.need {
            Some(need) => need.text(),
            None => format!("Does not fit: {}", self.reason),
        }
    }
}

/// A place other than the present one with entries that match the search.
struct Elsewhere {
    text: String,
    hint: &'static str,
    actions: Vec<Action>,
}

impl Elsewhere {
    /// Returns the places with entries that match a search, those of groups first.
    fn all(lab: &Lab, path: &str, text: &str) -> Vec<Self> {
        let query = Query::new(text);
        let count = |choices: &[Choice]| choices.iter().filter(|choice| rank(choice, &query).is_some()).count();
        let simulation = lab.run.host.simulation();
        let groups = &simulation.scene_ahead().groups;
        let is_other = |other: &str| !query.is_empty() && other != path;
        let of_groups = groups.iter().enumerate().filter_map(|(place, group)| {
            let other = format!("groups.{place}");
            let matching = count(&choices::at(lab, &other));
            (matching > 0 && is_other(&other)).then(|| Self {
                text: format!("Add to {}: {matching} match", group.name),
                hint: "Searches the sensors, controllers and other parts that this group can get",
                actions: vec![PartAction::Open(other).into()],
            })
        });
        let mut all: Vec<Self> = of_groups.collect();
        if groups.is_empty() {
            let parts = ["sensor", "controller", "motion", "spawner"];
            let parts =
                parts.iter().flat_map(|family| choices::kinds_of(simulation.kinds(), simulation.scene_ahead(), family));
            let matching: Vec<Choice> = parts.filter(|choice| rank(choice, &query).is_some()).collect();
            let robots = choices::at(lab, "groups").into_iter().find(|choice| choice.section == choices::SIMPLE);
            if let (Some(robots), false) = (robots, matching.is_empty()) {
                all.push(Self {
                    text: format!("Add a group, then search its parts: {} match", matching.len()),
                    hint: "Sensors and controllers belong to a group: adds robots that wander, and opens their + with this search",
                    actions: vec![robots.effect.action(lab), PartAction::Open("groups.0".into()).into()],
                });
            }
        }
        let of_scene = PLACES.iter().filter(|other| is_other(other)).filter_map(|other| {
            let matching = count(&choices::at(lab, other));
            (matching > 0).then(|| Self {
                text: format!("Add {}: {matching} match", with_article(&member_word(other))),
                hint: "Searches there",
                actions: vec![PartAction::Open((*other).into()).into()],
            })
        });
        all.extend(of_scene);
        all
    }
}

/// Draws the whole description of an entry below the list.
fn detail(ui: &mut Ui, choice: &Choice, refusal: Option<&Refusal>) {
    ui.separator();
    let area = ScrollArea::vertical().id_salt("detail").max_height(DETAIL_PX).min_scrolled_height(DETAIL_PX);
    area.auto_shrink(false).show(ui, |ui| {
        if let Some(refusal) = refusal {
            ui.label(&refusal.reason);
        }
        ui.add(egui::Label::new(&choice.about).wrap());
        if !choice.ident.is_empty() && choice.ident != choice.name {
            ui.weak(format!("In scene files: {}", choice.ident));
        }
    });
}

/// An entry of the list.
struct Entry<'a> {
    choice: &'a Choice,
    /// The reason why it does not fit.
    refusal: Option<&'a Refusal>,
    is_chosen: bool,
}

impl Entry<'_> {
    /// Draws the entry.
    fn ui(&self, ui: &mut Ui, theme: Theme) -> egui::Response {
        let Self { choice, refusal, is_chosen } = self;
        let can_be_added = refusal.is_none_or(|refusal| refusal.need.is_some());
        let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ENTRY_PX), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, can_be_added, &choice.name));
        if !ui.is_rect_visible(rect) {
            return response;
        }
        if *is_chosen || response.hovered() {
            let fill = theme::color(theme, if *is_chosen { Role::Grid } else { Role::Arena });
            ui.painter().rect_filled(rect.shrink2(Vec2::new(0.0, 1.0)), theme::CORNER_PX, fill);
        }
        let role = if can_be_added { Role::Text } else { Role::Dim };
        let picture = Rect::from_min_size(rect.min + Vec2::new(theme::SMALL_GAP, 7.0), Vec2::splat(ICON_PX));
        icon::paint(ui.painter(), picture, choice.icon, theme, can_be_added);
        let (left, right) = (picture.right() + theme::PAD, rect.right() - theme::SMALL_GAP);
        let write = |at: egui::Pos2, align, text: &str, size, role| {
            ui.painter().text(at, align, text, theme::font(size), theme::color(theme, role))
        };
        let (first_y, second_y) = (rect.top() + 14.0, rect.top() + 31.0);
        let section =
            write(egui::pos2(right, first_y), Align2::RIGHT_CENTER, &choice.section, theme::SMALL_PX, Role::Dim);
        let name = elided(ui, &choice.name, theme::font(theme::TEXT_PX), section.left() - theme::GAP - left);
        write(egui::pos2(left, first_y), Align2::LEFT_CENTER, &name, theme::TEXT_PX, role);
        let (line, line_role) = match refusal {
            Some(refusal) => (refusal.text(), if can_be_added { Role::Accent } else { Role::Warning }),
            None => (choice.about.clone(), Role::Dim),
        };
        let line = elided(ui, &line, theme::font(theme::NUMBER_PX), right - left);
        write(egui::pos2(left, second_y), Align2::LEFT_CENTER, &line, theme::NUMBER_PX, line_role);
        // The description stands below the list, where it covers no entries.
        response.on_hover_text(match refusal {
            None => "A click adds it; undo removes it",
            Some(_) if can_be_added => "A click adds it with the part that it needs, in one change; undo removes both",
            Some(_) => "It does not fit; the reason stands below the list",
        })
    }
}
