//! Notices: messages in the lower right corner of the world. Good news fades; errors stay until they are closed.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use bevy_egui::egui::{self, Align, Align2, Area, Id, Layout, Rect, RichText, ScrollArea, Sense, Stroke, Ui, Vec2};
use swarmarium_picture::palette::{Role, Theme};

use super::action::{FileAction, HistoryAction, WindowAction};
use super::keymap::Keymap;
use super::widgets::named;
use super::{Action, command, theme};

/// Time until good news disappears, in seconds.
const GOOD_S: f64 = 5.0;
/// Time until offers that are also found elsewhere disappear, in seconds.
const OFFERED_S: f64 = 15.0;
/// Duration of the fade of good news, in seconds.
const FADE_S: f64 = 0.5;
/// The largest number of errors; older ones are removed.
const MOST_ERRORS: usize = 3;
/// The largest number of other passing notices; older ones are removed.
const MOST_PASSING: usize = 2;
/// Width of a notice in points, if the world is wide enough.
const WIDTH: f32 = 440.0;
/// Side of the close button, in points.
const CLOSE_PX: f32 = 20.0;
/// Height of the free strip at the top of the world, in points.
const TOP_PX: f32 = 44.0;
/// An available height that is enough for notices, in points.
const ENOUGH_PX: f32 = 200.0;
/// The smallest available height for notices, in points.
const LEAST_PX: f32 = 48.0;

/// A notice.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Whether it is an error.
    pub is_error: bool,
    /// The lines; the first one is the summary.
    pub lines: Vec<String>,
    /// Whether it concerns the scene file, so that it disappears when the file is correct again.
    is_of_file: bool,
    /// Whether it concerns the keymap file, so that it disappears when the file is correct again.
    is_of_keys: bool,
    /// Whether it stays when another scene is opened.
    outlasts: bool,
    /// The file that it reports as in progress; the message about the finished file replaces it.
    in_progress: Option<PathBuf>,
    /// The buttons, from left to right.
    offers: Vec<Offer>,
    /// A menu of further actions, with the number of items that they concern.
    more: (usize, Vec<Offer>),
    /// Whether it stays until it is closed; otherwise it disappears after some seconds, or when newer good news comes.
    stays: bool,
    /// Whether all lines are shown.
    is_open: bool,
    /// How often it was added.
    times: u32,
    /// The time at which it was first shown, in egui's seconds.
    since_s: Option<f64>,
}

/// A button of a notice.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The text of the button; without a hint, the title of a command.
    pub title: String,
    /// The hint, one sentence.
    pub hint: &'static str,
    /// The action.
    pub action: Action,
}

impl Offer {
    /// Whether it recovers or discards a kept scene; the notice disappears after that.
    fn is_of_kept(&self, path: Option<&Path>) -> bool {
        match &self.action {
            Action::File(FileAction::Recover(kept) | FileAction::Discard(kept)) => path.is_none_or(|path| kept == path),
            _ => false,
        }
    }
}

impl Notice {
    /// Creates an error, which stays until it is closed.
    pub fn error(text: &str) -> Self {
        Self { is_error: true, stays: true, ..Self::good(text) }
    }

    /// Creates an error about the scene file, which stays until the file is correct.
    pub fn of_file(text: &str) -> Self {
        Self { is_of_file: true, ..Self::error(text) }
    }

    /// Creates an error about the keymap file, which stays until the file is correct.
    pub fn of_keys(text: &str) -> Self {
        Self { is_of_keys: true, outlasts: true, ..Self::error(text) }
    }

    /// Creates a report about the scene, such as that of an importer, which stays until it is closed.
    pub fn of_scene(text: &str) -> Self {
        Self { is_of_file: true, stays: true, ..Self::good(text) }
    }

    /// Creates a message about a success.
    pub fn good(text: &str) -> Self {
        let lines = text.lines().map(Into::into).collect();
        Self {
            is_error: false,
            lines,
            is_of_file: false,
            is_of_keys: false,
            outlasts: false,
            in_progress: None,
            offers: Vec::new(),
            more: (0, Vec::new()),
            stays: false,
            is_open: false,
            times: 1,
            since_s: None,
        }
    }

    /// Adds a button for a command, by its title; the notice stays until it is pressed or closed.
    #[must_use]
    pub fn with_offer(self, title: &'static str, action: Action) -> Self {
        self.with_button(title, "", action)
    }

    /// Adds a button with its own hint; the notice stays until it is pressed or closed.
    #[must_use]
    pub fn with_button(mut self, title: &'static str, hint: &'static str, action: Action) -> Self {
        self.offers.push(Offer { title: title.into(), hint, action });
        Self { stays: true, ..self }
    }

    /// Adds a menu of actions for a number of other items.
    #[must_use]
    pub fn with_more(self, count: usize, offers: Vec<Offer>) -> Self {
        Self { more: (count, offers), ..self }
    }

    /// Makes the notice disappear by itself, even if it has buttons.
    #[must_use]
    pub fn passing(self) -> Self {
        Self { stays: false, ..self }
    }

    /// Makes the notice disappear when a file is complete.
    #[must_use]
    pub fn of_progress(self, path: &Path) -> Self {
        Self { in_progress: Some(path.into()), ..self }
    }

    /// Makes the notice stay when another scene is opened.
    #[must_use]
    pub fn outlasting(self) -> Self {
        Self { outlasts: true, ..self }
    }

    /// Returns the opacity from 0 to 1: good news fades.
    fn opacity(&mut self, now_s: f64) -> f32 {
        let since_s = *self.since_s.get_or_insert(now_s);
        let goes_after_s = if self.offers.is_empty() { GOOD_S } else { OFFERED_S };
        let left_s = since_s + goes_after_s - now_s;
        if self.stays { 1.0 } else { (left_s / FADE_S).clamp(0.0, 1.0) as f32 }
    }

    fn is_over(&mut self, now_s: f64) -> bool {
        self.opacity(now_s) <= 0.0
    }

    fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// All notices: errors, permanent ones, and a few passing ones.
#[derive(Debug, Default)]
pub struct Notices(Vec<Notice>);

impl Notices {
    /// Adds a notice. It replaces the ones that it supersedes; an equal one is counted.
    pub fn add(&mut self, mut notice: Notice) {
        let is_equal =
            |old: &Notice| (&old.lines, old.is_error, &old.offers) == (&notice.lines, notice.is_error, &notice.offers);
        if let Some(at) = self.0.iter().position(is_equal) {
            notice.times += self.0.remove(at).times;
        }
        self.0.retain(|old| !(notice.is_error && notice.is_of_file && old.is_error && old.is_of_file));
        // Errors come first, so that they do not move when good news comes and goes.
        let at = if notice.is_error { self.errors() } else { self.0.len() };
        self.0.insert(at, notice);
        self.drop_oldest(MOST_ERRORS, |notice| notice.is_error);
        self.drop_oldest(MOST_PASSING, |notice| !notice.stays);
    }

    /// Removes the oldest of some notices while there are too many.
    fn drop_oldest(&mut self, most: usize, counts: impl Fn(&Notice) -> bool) {
        if self.0.iter().filter(|notice| counts(notice)).count() > most
            && let Some(oldest) = self.0.iter().position(counts)
        {
            self.0.remove(oldest);
        }
    }

    /// Returns all notices, errors first.
    pub fn iter(&self) -> impl Iterator<Item = &Notice> {
        self.0.iter()
    }

    /// Removes the errors about the scene file.
    pub fn clear_scene_errors(&mut self) {
        self.0.retain(|notice| !notice.is_of_file);
    }

    /// Removes the errors about the keymap file.
    pub fn keys_mended(&mut self) {
        self.0.retain(|notice| !notice.is_of_keys);
    }

    /// Removes the offer of a kept scene that was recovered or discarded. Returns whether it offered other scenes, too.
    pub fn drop_recovery(&mut self, path: &Path) -> bool {
        let is_of_it =
            |notice: &mut Notice| notice.offers.iter().chain(&notice.more.1).any(|offer| offer.is_of_kept(Some(path)));
        let dropped: Vec<Notice> = self.0.extract_if(.., is_of_it).collect();
        dropped.iter().any(|notice| notice.more.0 > 0)
    }

    /// Removes the notice about a file in progress.
    pub fn drop_progress(&mut self, path: &Path) {
        self.0.retain(|notice| notice.in_progress.as_deref() != Some(path));
    }

    /// Removes the notices about the previous scene.
    pub fn scene_opened(&mut self) {
        self.0.retain(|notice| notice.outlasts);
    }

    /// Removes the offer to make changes again.
    pub fn drop_offers(&mut self) {
        let is_old = |offer: &Offer| offer.action == Action::History(HistoryAction::RestoreChanges);
        self.0.retain(|notice| !notice.offers.iter().any(is_old));
    }

    /// Closes the last notice. Returns whether there was one.
    pub fn close_last(&mut self) -> bool {
        self.0.pop().is_some()
    }

    fn errors(&self) -> usize {
        self.iter().filter(|notice| notice.is_error).count()
    }

    /// Draws the notices in the lower right corner of the world, or beside the dialogs there. Returns the requested
    /// actions.
    pub fn ui(&mut self, ctx: &egui::Context, world: Rect, theme: Theme, keymap: &Keymap) -> Vec<Action> {
        let now_s = ctx.input(|input| input.time);
        self.0.retain_mut(|notice| !notice.is_over(now_s));
        let mut wanted = Vec::new();
        if self.0.is_empty() {
            return wanted;
        }
        let width = WIDTH.min(world.width() - 2.0 * theme::PAD);
        let id = Id::new("notices");
        let height = ctx.memory(|memory| memory.area_rect(id)).map_or(0.0, |area| area.height()).max(ENOUGH_PX);
        let (corner, highest) = free_corner(&areas_over(ctx, id), world, egui::vec2(width, height));
        // The area takes clicks, so that the world beneath does not move.
        let area = Area::new(id).fixed_pos(corner).pivot(Align2::RIGHT_BOTTOM).fade_in(false);
        let shown = area.movable(false).sense(Sense::click_and_drag()).constrain(false).show(ctx, |ui| {
            ui.set_width(width);
            let scroll = ScrollArea::vertical().id_salt("notices").max_height(highest).min_scrolled_height(highest);
            let scroll = scroll.stick_to_bottom(true);
            scroll.show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = theme::SMALL_GAP;
                // From the corner upwards, so that errors keep their places.
                let mut kept = Vec::with_capacity(self.0.len());
                for mut notice in self.0.drain(..).rev() {
                    if notice.ui(ui, theme, keymap, (now_s, highest / 2.0), &mut wanted) {
                        kept.push(notice);
                    }
                }
                kept.reverse();
                self.0 = kept;
            });
        });
        // A notice does not disappear under the pointer.
        if shown.response.contains_pointer() {
            self.0.iter_mut().for_each(|notice| notice.since_s = Some(now_s));
        }
        wanted
    }
}

/// Returns the rectangles of tools and dialogs over the world, except one area.
fn areas_over(ctx: &egui::Context, but: Id) -> Vec<Rect> {
    ctx.memory(|memory| {
        let layers = memory.areas().visible_layer_ids().into_iter();
        let over = layers.filter(|layer| layer.order == egui::Order::Middle && layer.id != but);
        over.filter_map(|layer| memory.area_rect(layer.id)).collect()
    })
}

/// Returns the lower right corner and the available height for notices of a width and a minimum height. It is the
/// nearest corner to that of the world where notices cover no other area, or else the one with most room above it. If
/// there is no room, notices cover other areas, because errors must be visible.
fn free_corner(areas: &[Rect], world: Rect, size: Vec2) -> (egui::Pos2, f32) {
    let own = world.right_bottom() - Vec2::splat(theme::PAD);
    let lefts = areas.iter().map(|area| area.left() - theme::GAP);
    let tops: Vec<f32> = areas.iter().map(|area| area.top() - theme::GAP).chain([own.y]).collect();
    let corners = lefts.chain([own.x]).flat_map(|x| tops.iter().map(move |y| egui::pos2(x, *y)));
    let corners = corners.filter(|corner| corner.x <= own.x && corner.y <= own.y && corner.x - size.x >= world.left());
    let room_px = |corner: egui::Pos2| {
        let covers = |area: &&Rect| area.left() < corner.x && area.right() > corner.x - size.x && area.top() < corner.y;
        let highest = areas.iter().filter(covers).map(|area| area.bottom() + theme::GAP);
        (corner.y - highest.fold(world.top() + TOP_PX, f32::max)).max(0.0)
    };
    let corners = corners.map(|corner| (corner, room_px(corner)));
    let rank = |(corner, room_px): &(egui::Pos2, f32)| (size.y.min(*room_px), -corner.distance_sq(own));
    let best = corners.max_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal));
    let whole_px = (own.y - world.top() - TOP_PX).max(0.0);
    best.filter(|(_, room_px)| *room_px >= LEAST_PX.min(whole_px)).unwrap_or((own, whole_px))
}

impl Notice {
    /// Draws the notice, with all lines up to a height. Returns whether it stays.
    fn ui(
        &mut self,
        ui: &mut Ui,
        theme: Theme,
        keymap: &Keymap,
        (now_s, highest): (f64, f32),
        wanted: &mut Vec<Action>,
    ) -> bool {
        let edge = theme::color(theme, if self.is_error { Role::Warning } else { Role::Grid });
        let frame = theme::panel(theme).stroke(Stroke::new(1.0, edge)).corner_radius(theme::LARGE_CORNER_PX);
        let opacity = self.opacity(now_s);
        let mut stays = true;
        ui.scope(|ui| {
            ui.multiply_opacity(opacity);
            frame.show(ui, |ui| {
                let row = Vec2::new(ui.available_width(), CLOSE_PX);
                ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Min), |ui| {
                    stays = self.close(ui, keymap);
                    if !self.is_error {
                        stays &= self.buttons(ui, keymap, wanted);
                    }
                    ui.with_layout(Layout::left_to_right(Align::Min).with_main_wrap(true), |ui| match self.is_error {
                        true => drop(ui.label(RichText::new(format!("⚠ Error{}", self.count())).color(edge).strong())),
                        false => {
                            let first = self.lines.first().map_or("", String::as_str);
                            ui.add(egui::Label::new(format!("{first}{}", self.count())).wrap());
                        }
                    });
                });
                self.rest(ui, highest, wanted);
                if self.is_error {
                    ui.horizontal(|ui| stays &= self.buttons(ui, keymap, wanted));
                }
            });
        });
        stays
    }

    /// Draws the lines below the heading.
    fn rest(&self, ui: &mut Ui, highest: f32, wanted: &mut Vec<Action>) {
        let lines = if self.is_error { &self.lines[..] } else { self.lines.get(1..).unwrap_or_default() };
        let shown = if self.is_open { lines.len() } else { usize::from(self.is_error).min(lines.len()) };
        if shown == 0 {
            return;
        }
        let scroll = ScrollArea::vertical().id_salt(&self.lines).max_height(highest);
        scroll.min_scrolled_height(highest).auto_shrink([false, true]).show(ui, |ui| {
            lines.iter().take(shown).for_each(|text| wanted.extend(line(ui, text)));
        });
    }

    /// Returns how often it was added, if more than once.
    fn count(&self) -> String {
        if self.times > 1 { format!(" ×{}", self.times) } else { String::new() }
    }

    /// Draws the close button. Returns whether the notice stays.
    fn close(&self, ui: &mut Ui, keymap: &Keymap) -> bool {
        let hint = keymap.after("Closes this message", "Close or deselect", "");
        let button = egui::Button::new(RichText::new("✖").weak()).frame(false).min_size(Vec2::splat(CLOSE_PX));
        let button = ui.add(button);
        named(&button, "Close");
        !button.on_hover_text(hint).clicked()
    }

    /// Draws the buttons. Returns whether the notice stays.
    fn buttons(&mut self, ui: &mut Ui, keymap: &Keymap, wanted: &mut Vec<Action>) -> bool {
        ui.spacing_mut().button_padding = egui::vec2(6.0, 1.0);
        ui.spacing_mut().interact_size.y = CLOSE_PX;
        let mut stays = true;
        self.menu(ui, wanted);
        // Beside the text, buttons are laid out from right to left.
        let mut offers: Vec<&Offer> = self.offers.iter().collect();
        if ui.layout().prefer_right_to_left() {
            offers.reverse();
        }
        for offer @ Offer { title, hint, action } in offers {
            let of_command = || command::by_title(title).map(|command| command.tooltip(keymap)).unwrap_or_default();
            let hint = if hint.is_empty() { of_command() } else { (*hint).into() };
            if ui.button(title).on_hover_text(hint).clicked() {
                wanted.push(action.clone());
                stays = offer.is_of_kept(None);
            }
        }
        if self.lines.len() > 1 {
            let (text, hint) = match self.is_open {
                true => ("Show less".into(), "Shows the first line only"),
                false => (format!("Show all {}", self.lines.len()), "Shows all lines of this message"),
            };
            self.is_open ^= ui.button(text).on_hover_text(hint).clicked();
        }
        if self.is_error && ui.button("Copy all").on_hover_text("Copies the whole message").clicked() {
            wanted.push(Action::Window(WindowAction::Copy(self.text())));
        }
        stays
    }

    /// Draws the menu of actions for other items.
    fn menu(&self, ui: &mut Ui, wanted: &mut Vec<Action>) {
        let (count, offers) = &self.more;
        if *count == 0 {
            return;
        }
        let menu = ui.menu_button(format!("{count} more"), |ui| {
            theme::entries(ui, |ui| {
                for Offer { title, hint, action } in offers {
                    if ui.button(title).on_hover_text(*hint).clicked() {
                        wanted.push(action.clone());
                        ui.close();
                    }
                }
            });
        });
        menu.response.on_hover_text("Lists the others");
    }
}

/// Draws a line; a position in a file can be clicked.
fn line(ui: &mut Ui, text: &str) -> Option<Action> {
    let (place, rest) = split_place(text);
    let response = ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().interact_size.y = 0.0;
        let link = place.map(|place| {
            let link = ui.link(RichText::new(place).monospace());
            link.on_hover_text("Copies file, line and column for an editor")
        });
        ui.label(rest);
        link
    });
    response.inner?.clicked().then(|| Action::Window(WindowAction::Copy(place.unwrap_or_default().into())))
}

/// Splits a message that starts with a position in a file, such as `milling.ron:12:38`, from the rest.
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
    use crate::popups::Popups;
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
        assert_eq!(texts(&notices), ["worse", "bad", "Saved", "Copied"]);
        assert_eq!(notices.0[1].times, 2, "it was told twice");
        notices.add(Notice::good("Undone"));
        assert_eq!(texts(&notices), ["worse", "bad", "Copied", "Undone"]);
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
        assert_eq!(texts(&notices), ["bad", "read again", "Saved", "Copied"]);
        notices.drop_offers();
        assert_eq!(texts(&notices), ["bad", "Saved", "Copied"]);
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
        let within = window.ctx.memory(|memory| memory.area_rect(Id::new("notices"))).unwrap().center();
        drag(&mut window, within);
        assert!(lab.borrow().viewport.is_fitted);
        let above = lab.borrow().viewport.rect_px.center_top() + Vec2::new(0.0, 30.0);
        drag(&mut window, above);
        assert!(!lab.borrow().viewport.is_fitted, "above the message, the world is dragged");
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

    #[test]
    fn notices_cover_neither_the_tools_nor_the_overlays() {
        let (mut window, lab) = window(lab_on("milling"));
        for size in [Vec2::new(1280.0, 800.0), Vec2::new(1024.0, 640.0)] {
            window.set_size(size);
            lab.borrow_mut().notices = Notices::default();
            (0..3).for_each(|number| lab.borrow_mut().tell_error(format!("bad {number}\nworse")));
            window.run_steps(4);
            let area = |id: &str| window.ctx.memory(|memory| memory.area_rect(Id::new(id))).unwrap();
            let notices = area("notices");
            assert!(!notices.intersects(window.get_by_label("View panel").rect()), "{size}: {notices}");
            assert!(lab.borrow().viewport.rect_px.contains_rect(notices), "{size}: {notices}");
        }
    }

    #[test]
    fn notices_stand_beside_what_lies_over_the_world() {
        let world = Rect::from_min_max(Pos2::ZERO, Pos2::new(900.0, 600.0));
        let size = Vec2::new(400.0, 200.0);
        let place = |areas: &[Rect]| {
            let (corner, room_px) = free_corner(areas, world, size);
            let notices = Rect::from_min_max(corner - Vec2::new(size.x, size.y.min(room_px)), corner);
            assert!(!areas.iter().any(|area| area.intersects(notices)), "{areas:?}: {notices}");
            (corner.x > 800.0, corner.y > 500.0, room_px >= size.y)
        };
        let area = |left, top, right, bottom| Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, bottom));
        assert_eq!(place(&[]), (true, true, true));
        assert_eq!(place(&[area(300.0, 560.0, 700.0, 590.0)]), (true, true, true), "above a bar");
        assert_eq!(place(&[area(600.0, 100.0, 880.0, 580.0)]), (false, true, true), "beside a dialog");
        assert_eq!(place(&[area(100.0, 300.0, 880.0, 700.0)]), (true, false, true), "above a dialog");
        assert!(!place(&[area(50.0, 150.0, 850.0, 550.0)]).2, "a dialog that leaves little room");
        let (corner, room_px) = free_corner(&[world], world, size);
        assert!(corner.y > 500.0 && room_px > size.y, "errors are seen also over a dialog that covers all");
    }

    #[test]
    fn notices_keep_off_open_dialogs() {
        let (mut window, lab) = window(lab_on("milling"));
        window.set_size(Vec2::new(1600.0, 1200.0));
        let dialogs: [fn(&mut Popups); 2] = [|popups| popups.find = true, |popups| popups.recording = true];
        for open in dialogs {
            lab.borrow_mut().popups = Popups::default();
            open(&mut lab.borrow_mut().popups);
            lab.borrow_mut().tell_error("bad\nworse");
            window.run_steps(6);
            let area = |id: Id| window.ctx.memory(|memory| memory.area_rect(id)).unwrap();
            let notices = Id::new("notices");
            assert!(areas_over(&window.ctx, notices).iter().all(|over| !over.intersects(area(notices))));
        }
    }

    #[test]
    fn good_news_fades_and_errors_do_not() {
        let (mut good, mut bad) = (Notice::good("Saved"), Notice::error("bad"));
        assert_eq!([good.opacity(0.0), bad.opacity(0.0)], [1.0, 1.0]);
        assert_eq!([good.opacity(GOOD_S - FADE_S / 2.0), bad.opacity(100.0)], [0.5, 1.0]);
        assert!(good.is_over(GOOD_S));
    }
}
