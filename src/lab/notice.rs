//! What the window has to tell, over the world: good news that go away, and bad news that stay.

use std::path::Path;

use bevy_egui::egui::{self, Align, Area, Id, Layout, Rect, RichText, ScrollArea, Sense, Stroke, Ui, Vec2};
use swarmarium_picture::palette::{Role, Theme};

use super::action::{FileAction, HistoryAction, WindowAction};
use super::keymap::Keymap;
use super::{Action, command, theme};

/// Seconds after which good news go away.
const GOOD_S: f64 = 5.0;
/// Seconds after which offers go away that can be found elsewhere.
const OFFERED_S: f64 = 15.0;
/// The most errors at a time; older ones make room.
const MOST_ERRORS: usize = 3;
/// The widest that a notice gets, in points: longer lines are hard to read.
const WIDEST: f32 = 760.0;

/// One thing to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Whether something went wrong.
    pub is_error: bool,
    /// One line each; the first one says most.
    pub lines: Vec<String>,
    /// Whether it is about the file of the scene, so that it is over when the file is mended.
    is_of_file: bool,
    /// Whether it is about the file of keys, so that it is over when that is mended.
    is_of_keys: bool,
    /// Whether it is about more than the scene that is open, so that it outlasts that.
    outlasts: bool,
    /// What can be done about it, from left to right.
    offers: Vec<Offer>,
    /// Whether it stays until it is closed; otherwise it goes after some seconds, or when there is other good news.
    stays: bool,
    /// Whether all lines are shown.
    is_open: bool,
    /// When it was first shown, in egui's seconds.
    since_s: Option<f64>,
}

/// A button of a message.
#[derive(Clone, Debug, PartialEq)]
struct Offer {
    /// The text of the button; the title of a command where there is no hint.
    title: &'static str,
    /// One sentence on what it does.
    hint: &'static str,
    /// What it asks for.
    action: Action,
}

impl Notice {
    /// Something that went wrong: it stays until it is closed.
    pub fn error(text: &str) -> Self {
        Self { is_error: true, stays: true, ..Self::good(text) }
    }

    /// Something that is wrong with the file of the scene: it stays until that is mended.
    pub fn of_file(text: &str) -> Self {
        Self { is_of_file: true, ..Self::error(text) }
    }

    /// Something that is wrong with the file of keys: it stays until that is mended.
    pub fn of_keys(text: &str) -> Self {
        Self { is_of_keys: true, outlasts: true, ..Self::error(text) }
    }

    /// What an importer could not carry over from the file of the scene: it stays until it is closed.
    pub fn of_import(text: &str) -> Self {
        Self { is_of_file: true, stays: true, ..Self::good(text) }
    }

    /// Something that went well.
    pub fn good(text: &str) -> Self {
        let lines = text.lines().map(Into::into).collect();
        Self {
            is_error: false,
            lines,
            is_of_file: false,
            is_of_keys: false,
            outlasts: false,
            offers: Vec::new(),
            stays: false,
            is_open: false,
            since_s: None,
        }
    }

    /// Adds a button that does a command, by its title; the notice stays until it is pressed or closed.
    #[must_use]
    pub fn with_offer(self, title: &'static str, action: Action) -> Self {
        self.with_button(title, "", action)
    }

    /// Adds a button with a hint of its own; the notice stays until it is pressed or closed.
    #[must_use]
    pub fn with_button(mut self, title: &'static str, hint: &'static str, action: Action) -> Self {
        self.offers.push(Offer { title, hint, action });
        Self { stays: true, ..self }
    }

    /// Lets it go away by itself, whatever it offers.
    #[must_use]
    pub fn passing(self) -> Self {
        Self { stays: false, ..self }
    }

    /// Lets it stay when another scene is opened.
    #[must_use]
    pub fn outlasting(self) -> Self {
        Self { outlasts: true, ..self }
    }

    fn is_over(&mut self, now_s: f64) -> bool {
        let since_s = *self.since_s.get_or_insert(now_s);
        let goes_after_s = if self.offers.is_empty() { GOOD_S } else { OFFERED_S };
        !self.stays && now_s - since_s > goes_after_s
    }

    fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// All that there is to tell: some errors, what stays, and at most one of the good news that go.
#[derive(Debug, Default)]
pub struct Notices(Vec<Notice>);

impl Notices {
    /// Adds one, in place of what it makes old.
    pub fn add(&mut self, notice: Notice) {
        self.0.retain(|old| match notice.is_error {
            true => !(notice.is_of_file && old.is_of_file) && old.lines != notice.lines,
            false => old.stays,
        });
        // Errors stand above good news, so that they do not move when those come and go.
        let at = if notice.is_error { self.errors() } else { self.0.len() };
        self.0.insert(at, notice);
        if self.errors() > MOST_ERRORS {
            self.0.remove(0);
        }
    }

    /// All of them, errors first.
    pub fn iter(&self) -> impl Iterator<Item = &Notice> {
        self.0.iter()
    }

    /// The file of the scene is right again.
    pub fn clear_scene_errors(&mut self) {
        self.0.retain(|notice| !notice.is_of_file);
    }

    /// The file of keys is right again.
    pub fn keys_mended(&mut self) {
        self.0.retain(|notice| !notice.is_of_keys);
    }

    /// A scene that was kept is open, or thrown away.
    pub fn drop_recovery(&mut self, path: &Path) {
        let is_of_it = |offer: &Offer| matches!(&offer.action, Action::File(FileAction::Recover(kept)) if kept == path);
        self.0.retain(|notice| !notice.offers.iter().any(is_of_it));
    }

    /// Another scene is open: what was about the one before is over.
    pub fn scene_opened(&mut self) {
        self.0.retain(|notice| notice.outlasts);
    }

    /// What was offered was done: the changes that were set aside were made again, or are older than others.
    pub fn drop_offers(&mut self) {
        let is_old = |offer: &Offer| offer.action == Action::History(HistoryAction::RestoreChanges);
        self.0.retain(|notice| !notice.offers.iter().any(is_old));
    }

    /// Closes the last one; whether there was any.
    pub fn close_last(&mut self) -> bool {
        self.0.pop().is_some()
    }

    fn errors(&self) -> usize {
        self.iter().filter(|notice| notice.is_error).count()
    }

    /// Draws them over the world; what was asked for.
    pub fn ui(&mut self, ctx: &egui::Context, world: Rect, theme: Theme, keymap: &Keymap) -> Vec<Action> {
        let now_s = ctx.input(|input| input.time);
        self.0.retain_mut(|notice| !notice.is_over(now_s));
        let mut wanted = Vec::new();
        if self.0.is_empty() {
            return wanted;
        }
        let height = world.height() / 3.0 / self.iter().filter(|notice| notice.is_open).count().max(1) as f32;
        // The area takes the mouse, so that the world beneath stays where it is.
        let area = Area::new(Id::new("notices")).fixed_pos(world.min + Vec2::splat(theme::PAD)).fade_in(false);
        area.movable(false).sense(Sense::click_and_drag()).constrain(false).show(ctx, |ui| {
            ui.set_width((world.width() - 2.0 * theme::PAD).clamp(160.0, WIDEST));
            self.0.retain_mut(|notice| notice.ui(ui, theme, keymap, height, &mut wanted));
        });
        wanted
    }
}

impl Notice {
    /// Draws it; whether it stays.
    fn ui(&mut self, ui: &mut Ui, theme: Theme, keymap: &Keymap, height: f32, wanted: &mut Vec<Action>) -> bool {
        let edge = theme::color(theme, if self.is_error { Role::Warning } else { Role::Grid });
        let frame = theme::panel(theme).stroke(Stroke::new(1.0, edge)).corner_radius(theme::LARGE_CORNER_PX);
        let mut stays = true;
        frame.show(ui, |ui| {
            let row = Vec2::new(ui.available_width(), ui.spacing().interact_size.y);
            ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Center), |ui| {
                stays = self.buttons(ui, keymap, wanted);
                ui.with_layout(Layout::left_to_right(Align::Center).with_main_wrap(true), |ui| match self.is_error {
                    true => drop(ui.label(RichText::new("⚠ Error").color(edge).strong())),
                    false => drop(ui.label(self.lines.first().map_or("", String::as_str))),
                });
            });
            let lines = if self.is_error { &self.lines[..] } else { self.lines.get(1..).unwrap_or_default() };
            let shown = if self.is_open { lines.len() } else { usize::from(self.is_error).min(lines.len()) };
            if shown > 0 {
                ScrollArea::vertical()
                    .id_salt(&self.lines)
                    .max_height(height)
                    .min_scrolled_height(height)
                    .auto_shrink([false, true])
                    .show(ui, |ui| {
                        lines[..shown].iter().for_each(|text| wanted.extend(line(ui, text)));
                    });
            }
        });
        stays
    }

    /// Draws its buttons, from right to left; whether it stays.
    fn buttons(&mut self, ui: &mut Ui, keymap: &Keymap, wanted: &mut Vec<Action>) -> bool {
        let hint = keymap.after("Closes this message", "Close or deselect", "");
        let mut stays = !ui.button("Close").on_hover_text(hint).clicked();
        if self.is_error && ui.button("Copy all").on_hover_text("Copies the whole message").clicked() {
            wanted.push(Action::Window(WindowAction::Copy(self.text())));
        }
        if self.lines.len() > 1 {
            let (text, hint) = match self.is_open {
                true => ("Show less".into(), "Shows the first line only"),
                false => (format!("Show all {}", self.lines.len()), "Shows all lines of this message"),
            };
            self.is_open ^= ui.button(text).on_hover_text(hint).clicked();
        }
        for Offer { title, hint, action } in self.offers.iter().rev() {
            let of_command = || command::by_title(title).map(|command| command.tooltip(keymap)).unwrap_or_default();
            let hint = if hint.is_empty() { of_command() } else { (*hint).into() };
            if ui.button(*title).on_hover_text(hint).clicked() {
                wanted.push(action.clone());
                stays = false;
            }
        }
        stays
    }
}

/// A line of a message; its place in a file can be clicked.
fn line(ui: &mut Ui, text: &str) -> Option<Action> {
    let (place, rest) = split_place(text);
    let response = ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().interact_size.y = 0.0;
        let link = place.map(|place| {
            let link = ui.link(RichText::new(place).monospace());
            link.on_hover_text("Copies file, line and column, for your editor")
        });
        ui.label(rest);
        link
    });
    response.inner?.clicked().then(|| Action::Window(WindowAction::Copy(place.unwrap_or_default().into())))
}

/// The place in a file that a message begins with, such as `milling.ron:12:38`, and the rest.
fn split_place(text: &str) -> (Option<&str>, &str) {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = |place: &str| {
        let mut parts = place.rsplitn(3, ':');
        parts.by_ref().take(2).all(is_number) && parts.next().is_some_and(|name| !name.is_empty())
    };
    let end = text.match_indices(": ").map(|(at, _)| at).find(|at| is_place(&text[..*at]));
    end.map_or((None, text), |end| (Some(&text[..end]), &text[end..]))
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{Key, Pos2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::testing::{lab_on, window};

    fn texts(notices: &Notices) -> Vec<String> {
        notices.iter().map(Notice::text).collect()
    }

    #[test]
    fn errors_stay_while_good_news_come_and_go() {
        let mut notices = Notices::default();
        notices.add(Notice::error("bad"));
        notices.add(Notice::good("Saved"));
        notices.add(Notice::good("Copied"));
        notices.add(Notice::error("worse"));
        notices.add(Notice::error("bad"));
        assert_eq!(texts(&notices), ["worse", "bad", "Copied"]);
        notices.0.retain_mut(|notice| !notice.is_over(1.0));
        notices.0.retain_mut(|notice| !notice.is_over(6.5));
        assert_eq!(texts(&notices), ["worse", "bad"]);
        ["a", "b", "c"].into_iter().for_each(|text| notices.add(Notice::error(text)));
        assert_eq!(texts(&notices), ["a", "b", "c"]);
        assert!(notices.close_last());
        assert_eq!(texts(&notices), ["a", "b"]);
    }

    #[test]
    fn an_offer_stays_while_good_news_come_and_go() {
        let mut notices = Notices::default();
        notices.add(
            Notice::good("read again").with_offer("Make changes again", Action::History(HistoryAction::RestoreChanges)),
        );
        notices.add(Notice::good("Saved"));
        notices.add(Notice::error("bad"));
        notices.add(Notice::good("Copied"));
        assert_eq!(texts(&notices), ["bad", "read again", "Copied"]);
        notices.drop_offers();
        assert_eq!(texts(&notices), ["bad", "Copied"]);
    }

    #[test]
    fn a_file_has_one_message_until_it_is_mended() {
        let mut notices = Notices::default();
        notices.add(Notice::error("else"));
        notices.add(Notice::of_file("one"));
        notices.add(Notice::of_file("two"));
        assert_eq!(texts(&notices), ["else", "two"]);
        notices.clear_scene_errors();
        assert_eq!(texts(&notices), ["else"]);
    }

    #[test]
    fn the_world_stays_where_it_is_beneath_a_message() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().tell_error("bad\n".repeat(30));
        window.run_steps(3);
        let beside = window.get_by_label("⚠ Error").rect().center() + Vec2::new(60.0, 0.0);
        let drag = |window: &mut Harness, from: Pos2| {
            window.drag_at(from);
            window.run_steps(2);
            window.hover_at(from + Vec2::new(40.0, 0.0));
            window.run_steps(2);
            window.drop_at(from + Vec2::new(40.0, 0.0));
            window.run_steps(2);
        };
        drag(&mut window, beside);
        assert!(lab.borrow().viewport.is_fitted);
        window.get_by_label("Show all 30").click();
        window.run_steps(4);
        assert!(window.get_by_label("Show less").rect().top() < beside.y + 20.0);
        drag(&mut window, beside + Vec2::new(0.0, 80.0));
        assert!(lab.borrow().viewport.is_fitted);
        let below =
            lab.borrow().viewport.rect_px.min + Vec2::new(300.0, lab.borrow().viewport.rect_px.height() / 3.0 + 90.0);
        drag(&mut window, below);
        assert!(!lab.borrow().viewport.is_fitted, "below the message, the world is dragged");
        window.key_press(Key::Escape);
        window.run_steps(2);
        assert!(lab.borrow().notices.iter().next().is_none());
    }

    #[test]
    fn places_are_told_from_messages() {
        let split = |text| split_place(text).0;
        assert_eq!(split("a b/milling.ron:12:38: seed: expected 1"), Some("a b/milling.ron:12:38"));
        assert_eq!(split("C:\\x.ron:1:2: no"), Some("C:\\x.ron:1:2"));
        for none in ["milling.ron: is gone", "--set: a:1:2", ":1:2: x", "a:1: b", "", ": ", "x::2: y"] {
            assert_eq!(split(none), None, "{none}");
        }
    }
}
