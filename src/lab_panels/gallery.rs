//! The gallery of shipped scenes and recent files, with thumbnails and tags.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bevy_egui::egui::text::LayoutJob;
use bevy_egui::egui::{
    Align, AtomExt as _, Button, Galley, Image, Layout, Rect, Response, RichText, ScrollArea, Stroke, StrokeKind,
    TextEdit, TextFormat, TextureHandle, Ui, WidgetInfo, WidgetText, WidgetType, pos2, vec2,
};
use swarmarium_core::kind::Kinds;
use swarmarium_formats::load::Source;
use swarmarium_formats::templates;
use swarmarium_lab_state::action::{Action, FileAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::matcher::{self, Query, Rank};
use swarmarium_lab_state::common::places::absolute;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::elided;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::{Scene, reader, shipped};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::{PlanText, resolved};

use crate::command_actions;
use crate::thumbnails::{self, Thumbnails};

/// Rows of text on a card: title and tags.
const CARD_ROWS: usize = 2;

/// The number of tags shown before the user asks for more.
const FEW_TAGS: usize = 6;

/// Below this height of the panel, in points, the tags scroll with the scenes.
const LOW_PX: f32 = 240.0;

/// Time between two checks whether the recent files exist, in seconds.
const LOOK_S: f64 = 2.0;

/// The gallery of shipped scenes and recent files.
#[derive(Default)]
pub struct Gallery {
    /// The shipped scenes, read when first needed.
    cards: Option<Vec<Card>>,
    /// The shipped sweeps.
    sweeps: Vec<SweepCard>,
    /// All tags, the most frequent first.
    tags: Vec<String>,
    shows_all_tags: bool,
    /// The chosen tags; a shown scene has all of them.
    wanted: BTreeSet<String>,
    search: String,
    /// The search of the last frame: another one begins at the top.
    searched: String,
    recent: Recent,
    pictures: Thumbnails,
}

/// A shipped scene.
pub struct Card {
    /// The name by which the scene is opened.
    pub name: &'static str,
    /// The title.
    pub title: String,
    /// The description.
    about: String,
    /// The tags, in lower case.
    pub tags: Vec<String>,
}

/// The recent files with whether they exist, and the time of the last check.
#[derive(Default)]
struct Recent {
    files: Vec<(String, bool)>,
    looked_s: f64,
}

impl Gallery {
    /// Draws the gallery. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.cards.is_none() {
            let cards = cards(lab.run.host.simulation().kinds());
            self.tags = by_frequency(&cards);
            self.sweeps = sweeps(&lab.run.recipe);
            self.cards = Some(cards);
        }
        ui.with_layout(Layout::top_down_justified(Align::Min), |ui| {
            ui.horizontal(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    actions.extend(open_file(ui, lab));
                    self.search_ui(ui);
                });
            });
            // In a low panel the tags would leave no room for scenes.
            let is_low = ui.available_height() < LOW_PX;
            if !is_low {
                self.tags_ui(ui);
            }
            let scroll = ScrollArea::vertical().id_salt("gallery").auto_shrink(false);
            let scroll = match self.searched == self.search {
                true => scroll,
                false => scroll.vertical_scroll_offset(0.0),
            };
            self.searched.clone_from(&self.search);
            scroll.show(ui, |ui| {
                if is_low {
                    self.tags_ui(ui);
                }
                if self.search.is_empty() && self.wanted.is_empty() {
                    actions.extend(new_scene(ui, lab));
                }
                actions.extend(self.cards_ui(ui, lab));
                actions.extend(self.sweeps_ui(ui, lab));
                // Files have no tags.
                if self.wanted.is_empty() {
                    actions.extend(self.recent.ui(ui, lab, &Query::new(&self.search), &mut self.pictures));
                }
            });
        });
        actions
    }

    fn search_ui(&mut self, ui: &mut Ui) {
        let field = TextEdit::singleline(&mut self.search).hint_text("Search scenes").desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.widget_info(|| {
            let mut info = WidgetInfo::text_edit(ui.is_enabled(), &self.search, &self.search, "");
            info.label = Some("Search scenes".into());
            info
        });
        response.on_hover_text("Shows only scenes with all these words in their name, title, description or tags");
    }

    /// Draws the tags that filter the scenes.
    fn tags_ui(&mut self, ui: &mut Ui) {
        let Self { tags, shows_all_tags, wanted, .. } = self;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(4.0, 2.0);
            ui.spacing_mut().button_padding = vec2(5.0, 1.0);
            ui.spacing_mut().interact_size.y = 18.0;
            let is_shown = |place: usize, tag: &String| *shows_all_tags || place < FEW_TAGS || wanted.contains(tag);
            let shown: Vec<&String> =
                tags.iter().enumerate().filter(|(place, tag)| is_shown(*place, tag)).map(|(_, tag)| tag).collect();
            for tag in shown {
                let is_wanted = wanted.contains(tag);
                // A check mark also shows that the tag is chosen.
                let text = if is_wanted { format!("✔ {tag}") } else { tag.clone() };
                let chip = ui.add(Button::selectable(is_wanted, RichText::new(text).small()).frame_when_inactive(true));
                chip.widget_info(|| {
                    let name = format!("Tag {tag}");
                    WidgetInfo::selected(WidgetType::SelectableLabel, ui.is_enabled(), is_wanted, name)
                });
                let hint = "Shows only scenes with all chosen tags; click again to clear this one";
                if chip.on_hover_text(hint).clicked() && !wanted.remove(tag) {
                    wanted.insert(tag.clone());
                }
            }
            if tags.len() > FEW_TAGS {
                let (text, hint) = match *shows_all_tags {
                    true => ("Fewer tags", "Shows the most frequent tags only"),
                    false => ("More tags", "Shows all tags"),
                };
                let more = ui.add(Button::new(RichText::new(text).small().weak()).frame(false));
                *shows_all_tags ^= more.on_hover_text(hint).clicked();
            }
        });
    }

    /// Draws the sweeps.
    fn sweeps_ui(&mut self, ui: &mut Ui, lab: &Lab) -> Option<Action> {
        let query = Query::new(&self.search);
        let is_wanted = |card: &SweepCard| {
            let text = format!("{} {} {} sweep", card.name, card.title, card.about);
            self.wanted.is_empty() && (query.is_empty() || query.is_in(&text))
        };
        let wanted: Vec<&SweepCard> = self.sweeps.iter().filter(|card| is_wanted(card)).collect();
        if wanted.is_empty() {
            return None;
        }
        ui.add_space(theme::SMALL_GAP);
        ui.label(RichText::new("Sweeps").small().weak());
        let pictures = &mut self.pictures;
        let mut asked = None;
        for card in wanted {
            let picture = in_sight(ui).then(|| pictures.get(ui.ctx(), lab, &card.scene)).flatten();
            let title = titled(ui, lab, &card.title, "", false);
            let shown = row(ui, lab, picture, false, title);
            shown.widget_info(|| WidgetInfo::labeled(WidgetType::Button, ui.is_enabled(), &card.title));
            if shown.on_hover_text(format!("Runs the sweep {} beside the window\n{}", card.name, card.about)).clicked()
            {
                asked = Some(Action::File(FileAction::Open(card.name.clone())));
            }
        }
        asked
    }

    fn cards_ui(&mut self, ui: &mut Ui, lab: &Lab) -> Option<Action> {
        let has_tags = |card: &&Card| self.wanted.iter().all(|tag| card.tags.contains(tag));
        let cards = self.cards.iter().flatten().filter(has_tags);
        let query = Query::new(&self.search);
        let mut wanted: Vec<(Rank, &Card)> = cards.filter_map(|card| Some((card.rank(&query)?, card))).collect();
        if wanted.is_empty() {
            ui.weak("No scene matches");
        }
        matcher::sort(&mut wanted, |(rank, _)| *rank);
        let pictures = &mut self.pictures;
        wanted.into_iter().filter_map(|(_, card)| card.ui(ui, lab, pictures)).last()
    }
}

/// A shipped sweep.
struct SweepCard {
    /// The name by which the plan is opened.
    name: String,
    title: String,
    about: String,
    /// The name of its scene.
    scene: String,
}

/// Reads all shipped sweeps.
fn sweeps(recipe: &Recipe) -> Vec<SweepCard> {
    let card = |(name, text): (&str, &str)| {
        // A recipe may lack kinds of a shipped plan; opening the plan reports them.
        let plan = resolved::read(recipe, PlanText { name, text }).unwrap_or_default();
        let title = if plan.name.is_empty() { name.to_owned() } else { plan.name };
        // The scene of a plan in a folder is in the same folder.
        let beside = name.rsplit_once('/').map(|(folder, _)| format!("{folder}/{}", plan.scene));
        let scene = beside.filter(|scene| shipped::get(scene).is_some()).unwrap_or(plan.scene);
        SweepCard { name: format!("{name}.sweep"), title, about: plan.about.replace('\n', " "), scene }
    };
    shipped::plans().map(card).collect()
}

/// Reads all shipped scenes.
pub fn cards(kinds: &Kinds) -> Vec<Card> {
    shipped::all().map(|(name, text)| Card::new(kinds, name, text)).collect()
}

impl Card {
    /// Creates the card of a shipped scene, by its name and its text.
    pub fn new(kinds: &Kinds, name: &'static str, text: &str) -> Self {
        // A recipe may lack kinds of a shipped scene; opening the scene reports them.
        let scene: Scene = reader::read(kinds, name, text).unwrap_or_default();
        let tags: Vec<String> = scene.tags().map(Into::into).collect();
        let title = if scene.name.is_empty() { name.into() } else { scene.name };
        let about = scene.about.replace('\n', " ");
        Self { name, title, about, tags }
    }

    /// Returns the rank of the scene: a match in the title ranks before one in name or tags, and that before the text.
    fn rank(&self, query: &Query) -> Option<Rank> {
        if query.is_empty() {
            return Some(Rank::Name);
        }
        let words: Vec<&str> = [self.name].into_iter().chain(self.tags.iter().map(String::as_str)).collect();
        let found = query.find(&self.title, &words, &self.about).map(|found| found.rank);
        let text = || format!("{} {} {} {}", self.name, self.title, self.tags.join(" "), self.about);
        found.or_else(|| query.is_in(&text()).then_some(Rank::Description))
    }

    fn ui(&self, ui: &mut Ui, lab: &Lab, pictures: &mut Thumbnails) -> Option<Action> {
        let is_open = lab.run.opened.source == Source::Shipped(self.name.into());
        let galley = titled(ui, lab, &self.title, &self.tags.join(", "), is_open);
        let picture = in_sight(ui).then(|| pictures.get(ui.ctx(), lab, self.name)).flatten();
        let card = row(ui, lab, picture, is_open, galley);
        card.widget_info(|| WidgetInfo::selected(WidgetType::SelectableLabel, ui.is_enabled(), is_open, &self.title));
        let now = if is_open { " again; it is already open" } else { "" };
        let card = card.on_hover_text(format!("Opens the scene {}{now}\n{}: {}", self.name, self.title, self.about));
        card.clicked().then(|| Action::File(FileAction::Open(self.name.into())))
    }
}

/// Lays out a title with a dim note below it. A long title takes the row of the note.
fn titled(ui: &Ui, lab: &Lab, title: &str, note: &str, is_open: bool) -> Arc<Galley> {
    let text = |role| theme::color(lab.shell.settings.theme, role);
    let width = ui.available_width() - 2.0 * ui.spacing().button_padding.x - beside_picture(ui, lab);
    let mut job = LayoutJob::default();
    if is_open {
        job.append("▶ ", 0.0, TextFormat::simple(theme::font(theme::SMALL_PX), text(Role::Accent)));
    }
    job.append(title, 0.0, TextFormat::simple(theme::font(theme::SECTION_PX), text(Role::Text)));
    job.wrap.max_width = width;
    job.wrap.max_rows = CARD_ROWS;
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job.clone()));
    if galley.rows.len() > 1 || note.is_empty() {
        return galley;
    }
    // Cut here: the wrapped text would be cut once more.
    let note = elided(ui, note, theme::font(theme::SMALL_PX), width - 1.0);
    job.append(&format!("\n{note}"), 0.0, TextFormat::simple(theme::font(theme::SMALL_PX), text(Role::Dim)));
    job.wrap.max_width = f32::INFINITY;
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

/// Returns all tags, the most frequent first.
fn by_frequency(cards: &[Card]) -> Vec<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    cards.iter().flat_map(|card| &card.tags).for_each(|tag| *counts.entry(tag).or_default() += 1);
    let mut tags: Vec<_> = counts.into_iter().collect();
    tags.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    tags.into_iter().map(|(tag, _)| tag.clone()).collect()
}

/// Returns the width of a thumbnail in a row, in points.
fn beside_picture(ui: &Ui, lab: &Lab) -> f32 {
    if lab.files.places.pictures.is_some() { thumbnails::SIZE_PX.x + ui.spacing().icon_spacing } else { 0.0 }
}

/// Whether the next row is visible; thumbnails are painted for visible rows only.
fn in_sight(ui: &Ui) -> bool {
    let row = ui.available_rect_before_wrap();
    ui.clip_rect().y_range().intersection(row.y_range()).span() > 0.0
}

/// Draws a row with a thumbnail at its left, if there are thumbnails.
fn row(
    ui: &mut Ui,
    lab: &Lab,
    picture: Option<&TextureHandle>,
    is_open: bool,
    text: impl Into<WidgetText>,
) -> Response {
    let text = text.into();
    let button = match picture {
        _ if lab.files.places.pictures.is_none() => Button::selectable(is_open, text),
        Some(texture) => {
            let image = Image::new(texture).fit_to_exact_size(thumbnails::SIZE_PX).corner_radius(3);
            Button::selectable(is_open, (image.atom_size(thumbnails::SIZE_PX), text.atom_shrink(true)))
        }
        None => Button::selectable(is_open, ("".atom_size(thumbnails::SIZE_PX), text.atom_shrink(true))),
    };
    let has_picture = picture.is_some() || lab.files.places.pictures.is_none();
    let response = ui.add(button.truncate());
    if !has_picture {
        placeholder(ui, lab, response.rect);
    }
    response
}

/// Draws a frame with a robot in place of a thumbnail that is not painted yet.
fn placeholder(ui: &Ui, lab: &Lab, row: Rect) {
    let theme = lab.shell.settings.theme;
    let left = row.left() + ui.spacing().button_padding.x;
    let frame = Rect::from_center_size(pos2(left + thumbnails::SIZE_PX.x / 2.0, row.center().y), thumbnails::SIZE_PX);
    let painter = ui.painter_at(frame.intersect(ui.clip_rect()));
    painter.rect_filled(frame, 3.0, theme::color(theme, Role::Arena));
    painter.rect_stroke(frame, 3.0, Stroke::new(1.0, theme::color(theme, Role::Grid)), StrokeKind::Inside);
    painter.circle_filled(frame.center(), 5.0, theme::color(theme, Role::Grid));
}

/// Draws the menu that creates a scene from a template.
fn new_scene(ui: &mut Ui, lab: &Lab) -> Option<Action> {
    let mut asked = None;
    let menu = ui.menu_button("New scene…", |ui| {
        for (name, title, hint) in templates::ALL {
            if ui.button(title).on_hover_text(hint).clicked() {
                asked = Some(Action::File(FileAction::New(name.into())));
                ui.close();
            }
        }
    });
    let keys = lab.shell.keymap.text_of(CommandId::NewScene);
    let with = if keys.is_empty() { keys } else { format!(" ({keys} for an empty arena)") };
    menu.response.on_hover_text(format!("Creates a scene from a template{with}"));
    asked
}

impl Recent {
    fn ui(&mut self, ui: &mut Ui, lab: &Lab, query: &Query, pictures: &mut Thumbnails) -> Option<Action> {
        self.look(ui.input(|input| input.time), &lab.shell.settings.recent);
        let found: Vec<&(String, bool)> =
            self.files.iter().filter(|(path, _)| query.is_empty() || query.is_in(path)).collect();
        if found.is_empty() {
            return None;
        }
        ui.add_space(theme::SMALL_GAP);
        ui.label(RichText::new("Recent files").small().weak());
        let opened = match &lab.run.opened.source {
            Source::File(path) => absolute(path),
            _ => String::new(),
        };
        let mut asked = None;
        for (path, is_there) in found {
            let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            let is_open = *path == opened;
            let text = if is_open { format!("▶ {name}") } else { name.clone().into() };
            let text = if *is_there { RichText::new(text) } else { RichText::new(text).weak().strikethrough() };
            let picture = (*is_there && in_sight(ui)).then(|| pictures.get(ui.ctx(), lab, path)).flatten();
            let file = row(ui, lab, picture, is_open, text);
            file.widget_info(|| WidgetInfo::selected(WidgetType::SelectableLabel, ui.is_enabled(), is_open, &name));
            let now = match (is_open, is_there) {
                (_, false) => "This file no longer exists",
                (true, _) => "Opens this file again; it is already open",
                (false, _) => "Opens this file",
            };
            if file.on_hover_text(format!("{now}\n{path}")).clicked() {
                asked = Some(Action::File(FileAction::Open(path.clone())));
            }
        }
        asked
    }

    /// Checks from time to time whether the files exist; their folder may be on a slow network.
    fn look(&mut self, now_s: f64, paths: &[String]) {
        let same = self.files.iter().map(|(path, _)| path).eq(paths);
        if !same || now_s - self.looked_s > LOOK_S {
            self.files = paths.iter().map(|path| (path.clone(), Path::new(path).exists())).collect();
            self.looked_s = now_s;
        }
    }
}

fn open_file(ui: &mut Ui, lab: &Lab) -> Option<Action> {
    let command = CommandId::OpenFile.command();
    let clicked = ui.add(Button::new("Open file…").small()).on_hover_text(command.tooltip(&lab.shell.keymap)).clicked();
    clicked.then(|| command_actions::action(command.id, lab)).flatten()
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui;
    use bevy_egui::egui::accesskit::Role as AccessRole;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_formats::standard::Standard as _;
    use swarmarium_lab_state::action::PanelAction;
    use swarmarium_lab_state::common::layout::Pane;
    use swarmarium_lab_testing::{lab_on, place_of, window};

    use crate::gallery::{Action, Query, matcher};

    /// Returns whether cards or files with these labels are shown.
    fn shown(window: &Harness, titles: &[&str]) -> Vec<bool> {
        titles.iter().map(|title| window.query_by_role_and_label(AccessRole::Button, title).is_some()).collect()
    }

    fn search(window: &mut Harness, text: &str) {
        let field = window.get_by_role_and_label(AccessRole::TextInput, "Search scenes");
        field.focus();
        field.type_text(text);
        window.run_steps(3);
    }

    #[test]
    fn gallery_search_finds_all_words_in_any_case() {
        let mut lab = lab_on("template");
        lab.shell.settings.layout.close(Pane::Tree);
        let (mut window, _) = window(lab);
        assert_eq!(shown(&window, &["Milling", "Aggregation", "Obstacles"]), [true, true, true]);
        search(&mut window, "another SEES mill");
        assert_eq!(shown(&window, &["Milling", "Aggregation", "Obstacles"]), [true, false, false]);
        search(&mut window, " nothing-such");
        assert_eq!(shown(&window, &["Milling"]), [false]);
        window.get_by_label("No scene matches");
    }

    #[test]
    fn another_search_begins_at_the_top_and_filters_recent_files() {
        let mut lab = lab_on("template");
        lab.shell.settings.layout.close(Pane::Tree);
        lab.shell.settings.add_recent("folder/of-flocks.ron".as_ref());
        lab.shell.settings.add_recent("folder/other.ron".as_ref());
        let (mut window, lab) = window(lab);
        let at = place_of(&lab.borrow(), Pane::Gallery).center();
        window.hover_at(at);
        for _ in 0..20 {
            window.event(egui::Event::MouseWheel {
                unit: egui::MouseWheelUnit::Point,
                delta: egui::vec2(0.0, -400.0),
                phase: egui::TouchPhase::Move,
                modifiers: egui::Modifiers::NONE,
            });
            window.run_steps(3);
        }
        window.run_steps(30);
        assert!(shown(&window, &["other.ron"])[0]);
        search(&mut window, "flock");
        window.run_steps(3);
        let first = window.get_by_role_and_label(AccessRole::Button, "Flocking by radio").rect();
        assert!(first.top() > place_of(&lab.borrow(), Pane::Gallery).top(), "{first}");
        assert_eq!(shown(&window, &["other.ron"]), [false]);
        window.get_by_role_and_label(AccessRole::TextInput, "Search scenes").focus();
    }

    #[test]
    fn gallery_search_covers_card_texts_and_tolerates_a_typo() {
        let kinds = swarmarium_simulation::simulation::Recipe::standard();
        let cards = super::cards(kinds.kinds());
        for card in &cards {
            let shown = format!("{} {} {} {}", card.name, card.title, card.about, card.tags.join(" ")).to_lowercase();
            let rank = card.rank(&Query::new("bsta"));
            assert_eq!(rank.is_some(), shown.contains("bsta"), "{}", card.name);
        }
        let first = |search: &str| {
            let query = Query::new(search);
            let mut found: Vec<_> = cards.iter().filter_map(|card| Some((card.rank(&query)?, card.name))).collect();
            matcher::sort(&mut found, |(rank, _)| *rank);
            found.first().map(|(_, name)| *name)
        };
        assert_eq!(first("milling"), Some("milling"));
        assert_eq!(first("agregation"), Some("aggregation"));
    }

    #[test]
    fn every_shipped_scene_has_tags() {
        let kinds = swarmarium_simulation::simulation::Recipe::standard();
        let cards = super::cards(kinds.kinds());
        for card in &cards {
            assert!((1..=4).contains(&card.tags.len()), "{}: {:?}", card.name, card.tags);
        }
        let tags = super::by_frequency(&cards);
        assert!(tags.len() < 20, "a small vocabulary: {tags:?}");
        assert_eq!(tags[0], "sensors");
    }

    #[test]
    fn tags_filter_the_gallery() {
        let mut lab = lab_on("milling");
        lab.shell.settings.layout.close(Pane::Tree);
        let (mut window, _) = window(lab);
        assert!(window.query_by_label("Tag template").is_none());
        window.get_by_label("More tags").click();
        window.run_steps(3);
        window.get_by_label("Tag template");
        window.get_by_label("Tag radio").click();
        window.run_steps(3);
        assert_eq!(shown(&window, &["Formation", "Rendezvous", "Aggregation"]), [true, true, false]);
        window.get_by_label("Tag formation").click();
        window.run_steps(3);
        assert_eq!(shown(&window, &["Formation", "Rendezvous"]), [true, false]);
        for tag in ["Tag radio", "Tag formation"] {
            window.get_by_label(tag).click();
            window.run_steps(3);
        }
        assert_eq!(shown(&window, &["Aggregation"]), [true]);
    }

    #[test]
    fn a_new_scene_begins_with_a_template() {
        let (mut window, lab) = window(lab_on("milling"));
        window.get_by_label("New scene…").click();
        window.run_steps(3);
        window.get_by_label("Robots with radios").click();
        window.run_steps(3);
        assert_eq!(lab.borrow().run.title(), "Untitled");
        assert_eq!(lab.borrow().run.host.simulation().agents().count(), 20);
        assert!(!lab.borrow().files.autosave.is_unsaved(), "nothing was done yet");
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::N);
        window.run_steps(3);
        let lab = lab.borrow();
        assert_eq!(lab.run.origin(), "new scene");
        assert_eq!(lab.run.host.simulation().agents().count(), 0);
    }

    /// Drags from one point by a distance.
    fn drag(window: &mut Harness, from: egui::Pos2, by: egui::Vec2) {
        window.drag_at(from);
        window.run_steps(1);
        for part in 1..=4 {
            window.hover_at(from + by * (part as f32 / 4.0));
            window.run_steps(1);
        }
        window.drop_at(from + by);
        window.run_steps(3);
    }

    #[test]
    fn panels_have_the_size_that_they_were_dragged_to_when_there_is_room_again() {
        let (mut window, lab) = window(lab_on("milling"));
        let sizes = |lab: &std::cell::RefCell<swarmarium_lab_state::app::Lab>| {
            let layout = lab.borrow().shell.settings.layout.clone();
            [Pane::Gallery, Pane::Inspector, Pane::Plots].map(|pane| layout.size_px(pane).unwrap())
        };
        let [left, right, plots] = sizes(&lab);
        let world = lab.borrow().view.rect_px;
        drag(&mut window, world.left_center() - egui::vec2(1.0, 0.0), egui::vec2(60.0, 0.0));
        drag(&mut window, world.right_center() + egui::vec2(1.0, 0.0), egui::vec2(-60.0, 0.0));
        let above_plots = place_of(&lab.borrow(), Pane::Plots).top() - super::theme::HEADING_BAR_PX - 0.5;
        drag(&mut window, egui::pos2(world.center().x, above_plots), egui::vec2(0.0, -60.0));
        let dragged = sizes(&lab);
        for (before, after) in [(left, dragged[0]), (right, dragged[1]), (plots, dragged[2])] {
            assert!((after - before - 60.0).abs() < 5.0, "{before} {after}");
        }
        let shown = |lab: &std::cell::RefCell<swarmarium_lab_state::app::Lab>| {
            let lab = lab.borrow();
            [lab.view.rect_px.left(), lab.view.rect_px.right(), place_of(&lab, Pane::Plots).height()]
        };
        let before = shown(&lab);
        window.set_size(egui::vec2(500.0, 320.0));
        window.run_steps(5);
        assert_ne!(shown(&lab)[1], before[1]);
        window.set_size(egui::vec2(1280.0, 800.0));
        window.run_steps(5);
        assert_eq!(sizes(&lab), dragged);
        assert_eq!(shown(&lab), before);
    }

    #[test]
    fn a_click_in_the_gallery_opens_a_scene() {
        let (mut window, lab) = window(lab_on("milling"));
        window.get_by_label("Aggregation").click();
        window.run_steps(2);
        assert_eq!(lab.borrow().run.title(), "Aggregation");
        assert_eq!(lab.borrow().run.host.simulation().scene().name, "Aggregation");
    }

    #[test]
    fn recent_files_open_and_a_broken_one_leaves_the_scene() {
        let place = tempfile::tempdir().unwrap();
        let good = place.path().join("good.ron");
        std::fs::write(&good, swarmarium_scene::scene::shipped::get("obstacles").unwrap()).unwrap();
        let broken = place.path().join("broken.ron");
        std::fs::write(&broken, "Scene(groups: [(count: many)])").unwrap();
        let mut lab = lab_on("milling");
        // The clicked row must be visible.
        lab.shell.settings.layout.close(Pane::Tree);
        let (mut window, lab) = window(lab);
        window.set_size(egui::vec2(1280.0, 5000.0));
        for path in [&good, &broken, &place.path().join("gone.ron")] {
            lab.borrow_mut().shell.settings.add_recent(path);
        }
        window.run_steps(2);
        window.get_by_label("good.ron").click();
        window.run_steps(2);
        assert_eq!(lab.borrow().run.title(), "Obstacles");
        for bad in ["broken.ron", "gone.ron"] {
            window.get_by_label(bad).click();
            window.run_steps(2);
            let mut lab = lab.borrow_mut();
            assert_eq!(lab.run.title(), "Obstacles");
            assert!(
                std::mem::take(&mut lab.notices)
                    .iter()
                    .last()
                    .is_some_and(|notice| notice.is_error && notice.lines.concat().contains(bad))
            );
        }
    }

    #[test]
    fn the_gallery_closes_and_opens() {
        let (mut window, lab) = window(lab_on("milling"));
        window.get_by_label("Close the gallery").click();
        window.run_steps(3);
        assert!(!lab.borrow().shell.shows_panel(Pane::Gallery));
        assert_eq!(shown(&window, &["Aggregation", "Gallery"]), [false, false]);
        crate::dispatch::act(&mut lab.borrow_mut(), &window.ctx, Action::Panel(PanelAction::Toggle(Pane::Gallery)));
        window.run_steps(3);
        assert_eq!(shown(&window, &["Aggregation", "Gallery"]), [true, true]);
    }
}
