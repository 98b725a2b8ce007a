//! The gallery of shipped scenes and recent files.

use std::path::Path;

use bevy_egui::egui::{
    Align, Button, Layout, RichText, ScrollArea, TextEdit, TextFormat, Ui, WidgetInfo, WidgetType, text::LayoutJob,
};

use super::settings::absolute;
use super::{Action, Lab, command, theme};
use crate::draw::Role;
use crate::kind::Kinds;
use crate::scene::load::Source;
use crate::scene::{Scene, reader, shipped};

/// A card shows the title, and two lines of what there is to see.
const CARD_ROWS: usize = 3;
/// Seconds between two looks at whether the recent files are still there.
const LOOK_S: f64 = 2.0;

/// The gallery of shipped scenes and recent files.
#[derive(Default)]
pub struct Gallery {
    /// The shipped scenes, once they were read.
    cards: Option<Vec<Card>>,
    search: String,
    recent: Recent,
}

/// A shipped scene.
struct Card {
    name: &'static str,
    title: String,
    about: String,
    /// What is searched, in small letters.
    words: String,
}

/// The recent files with whether they are there, and when that was found out.
#[derive(Default)]
struct Recent {
    files: Vec<(String, bool)>,
    looked_s: f64,
}

impl Gallery {
    /// Draws it; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        ui.with_layout(Layout::top_down_justified(Align::Min), |ui| {
            ui.horizontal(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    actions.extend(open_file(ui, lab));
                    self.search_ui(ui);
                });
            });
            ScrollArea::vertical().id_salt("gallery").auto_shrink(false).show(ui, |ui| {
                actions.extend(self.cards_ui(ui, lab));
                actions.extend(self.recent.ui(ui, lab));
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
        response.on_hover_text("Shows only scenes that have all these words in their name, title or text");
    }

    fn cards_ui(&mut self, ui: &mut Ui, lab: &Lab) -> Option<Action> {
        let cards = self.cards.get_or_insert_with(|| cards(lab.host.simulation().kinds()));
        let wanted: Vec<&Card> = cards.iter().filter(|card| card.matches(&self.search)).collect();
        if wanted.is_empty() {
            ui.weak("No scene matches");
        }
        wanted.into_iter().filter_map(|card| card.ui(ui, lab)).last()
    }
}

fn cards(kinds: &Kinds) -> Vec<Card> {
    shipped::all().map(|(name, text)| Card::new(kinds, name, text)).collect()
}

impl Card {
    fn new(kinds: &Kinds, name: &'static str, text: &str) -> Self {
        // A recipe may lack kinds that a shipped scene wants; opening it says which.
        let scene: Scene = reader::read(kinds, name, text).unwrap_or_default();
        let title = if scene.name.is_empty() { name.into() } else { scene.name };
        let about = scene.about.replace('\n', " ");
        let words = format!("{name} {title} {about}").to_lowercase();
        Self { name, title, about, words }
    }

    fn matches(&self, search: &str) -> bool {
        search.to_lowercase().split_whitespace().all(|word| self.words.contains(word))
    }

    fn ui(&self, ui: &mut Ui, lab: &Lab) -> Option<Action> {
        let is_open = lab.opened.source == Source::Shipped(self.name.into());
        let text = |role| theme::color(lab.settings.theme, role);
        let mut job = LayoutJob::default();
        if is_open {
            job.append("▶ ", 0.0, TextFormat::simple(theme::font(theme::SMALL_PX), text(Role::Accent)));
        }
        job.append(&self.title, 0.0, TextFormat::simple(theme::font(theme::SECTION_PX), text(Role::Text)));
        let about = format!("\n{}", self.about);
        job.append(&about, 0.0, TextFormat::simple(theme::font(theme::SMALL_PX), text(Role::Dim)));
        job.wrap.max_width = ui.available_width() - 2.0 * ui.spacing().button_padding.x;
        job.wrap.max_rows = CARD_ROWS;
        let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
        let card = ui.add(Button::selectable(is_open, galley));
        card.widget_info(|| WidgetInfo::selected(WidgetType::SelectableLabel, ui.is_enabled(), is_open, &self.title));
        let now = if is_open { " again; it is open now" } else { "" };
        let card = card.on_hover_text(format!("Opens the scene {}{now}\n{}", self.name, self.about));
        card.clicked().then(|| Action::Open(self.name.into()))
    }
}

impl Recent {
    fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Option<Action> {
        self.look(ui.input(|input| input.time), &lab.settings.recent);
        if self.files.is_empty() {
            return None;
        }
        ui.add_space(theme::SMALL_GAP);
        ui.label(RichText::new("Recent files").small().weak());
        let opened = match &lab.opened.source {
            Source::File(path) => absolute(path),
            _ => String::new(),
        };
        let mut asked = None;
        for (path, is_there) in &self.files {
            let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            let is_open = *path == opened;
            let text = if is_open { format!("▶ {name}") } else { name.clone().into() };
            let text = if *is_there { RichText::new(text) } else { RichText::new(text).weak().strikethrough() };
            let file = ui.add(Button::selectable(is_open, text).truncate());
            file.widget_info(|| WidgetInfo::selected(WidgetType::SelectableLabel, ui.is_enabled(), is_open, &name));
            let now = match (is_open, is_there) {
                (_, false) => "This file is gone",
                (true, _) => "Opens this file again; it is open now",
                (false, _) => "Opens this file",
            };
            if file.on_hover_text(format!("{now}\n{path}")).clicked() {
                asked = Some(Action::Open(path.clone()));
            }
        }
        asked
    }

    /// Looks whether the files are there, now and then: a folder may be on a slow network.
    fn look(&mut self, now_s: f64, paths: &[String]) {
        let same = self.files.iter().map(|(path, _)| path).eq(paths);
        if !same || now_s - self.looked_s > LOOK_S {
            self.files = paths.iter().map(|path| (path.clone(), Path::new(path).exists())).collect();
            self.looked_s = now_s;
        }
    }
}

fn open_file(ui: &mut Ui, lab: &Lab) -> Option<Action> {
    let command = command::by_title("Open file")?;
    let clicked = ui.add(Button::new("Open file…").small()).on_hover_text(command.tooltip()).clicked();
    clicked.then(|| (command.action)(lab)).flatten()
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{self, accesskit::Role as AccessRole};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::super::layout::Pane;
    use super::super::testing::{lab_on, window};
    use super::Action;

    /// The cards and files of the gallery, by their labels.
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
    fn the_search_finds_all_words_in_any_case() {
        let mut lab = lab_on("template");
        lab.settings.layout.close(Pane::Tree);
        let (mut window, _) = window(lab);
        assert_eq!(shown(&window, &["Milling", "Aggregation", "Obstacles"]), [true, true, true]);
        search(&mut window, "another SEES mill");
        assert_eq!(shown(&window, &["Milling", "Aggregation", "Obstacles"]), [true, false, false]);
        search(&mut window, " nothing-such");
        assert_eq!(shown(&window, &["Milling"]), [false]);
        window.get_by_label("No scene matches");
    }

    #[test]
    fn the_search_sees_what_a_card_shows() {
        let kinds = crate::simulation::Recipe::standard();
        for card in super::cards(kinds.kinds()) {
            let shown = format!("{} {} {}", card.name, card.title, card.about).to_lowercase();
            assert_eq!(card.matches("obst"), shown.contains("obst"), "{}", card.name);
        }
    }

    /// Drags from one point to another.
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
        let sizes = |lab: &std::cell::RefCell<crate::lab::Lab>| {
            let layout = lab.borrow().settings.layout.clone();
            [Pane::Gallery, Pane::Inspector, Pane::Plots].map(|pane| layout.size_px(pane))
        };
        let [left, right, plots] = sizes(&lab);
        let world = lab.borrow().world_px;
        drag(&mut window, world.left_center() - egui::vec2(1.0, 0.0), egui::vec2(60.0, 0.0));
        drag(&mut window, world.right_center() + egui::vec2(1.0, 0.0), egui::vec2(-60.0, 0.0));
        drag(&mut window, world.center_bottom() + egui::vec2(0.0, 1.0), egui::vec2(0.0, -60.0));
        let dragged = sizes(&lab);
        for (before, after) in [(left, dragged[0]), (right, dragged[1]), (plots, dragged[2])] {
            assert!((after - before - 60.0).abs() < 5.0, "{before} {after}");
        }
        let shown = |lab: &std::cell::RefCell<crate::lab::Lab>| {
            let lab = lab.borrow();
            [lab.world_px.left(), lab.world_px.right(), lab.plots_px.height()]
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
    fn a_click_opens_a_scene() {
        let (mut window, lab) = window(lab_on("milling"));
        window.get_by_label("Aggregation").click();
        window.run_steps(2);
        assert_eq!(lab.borrow().title(), "Aggregation");
        assert_eq!(lab.borrow().host.simulation().scene().name, "Aggregation");
    }

    #[test]
    fn recent_files_open_and_a_broken_one_leaves_the_scene() {
        let place = tempfile::tempdir().unwrap();
        let good = place.path().join("good.ron");
        std::fs::write(&good, crate::scene::shipped::get("obstacles").unwrap()).unwrap();
        let broken = place.path().join("broken.ron");
        std::fs::write(&broken, "Scene(groups: [(count: many)])").unwrap();
        let mut lab = lab_on("milling");
        // What is clicked must be in sight.
        lab.settings.layout.close(Pane::Tree);
        let (mut window, lab) = window(lab);
        window.set_size(egui::vec2(1280.0, 2400.0));
        for path in [&good, &broken, &place.path().join("gone.ron")] {
            lab.borrow_mut().settings.add_recent(path);
        }
        window.run_steps(2);
        window.get_by_label("good.ron").click();
        window.run_steps(2);
        assert_eq!(lab.borrow().title(), "Obstacles");
        for bad in ["broken.ron", "gone.ron"] {
            window.get_by_label(bad).click();
            window.run_steps(2);
            let mut lab = lab.borrow_mut();
            assert_eq!(lab.title(), "Obstacles");
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
        assert!(!lab.borrow().shows_panel(Pane::Gallery));
        assert_eq!(shown(&window, &["Aggregation", "Gallery"]), [false, false]);
        crate::lab::action::act(&mut lab.borrow_mut(), &window.ctx, Action::Gallery);
        window.run_steps(3);
        assert_eq!(shown(&window, &["Aggregation", "Gallery"]), [true, true]);
    }
}
