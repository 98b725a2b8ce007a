//! The notices in the lower right corner of the world. Good news fades; errors stay until they are closed.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use bevy_egui::egui::text::LayoutJob;
use bevy_egui::egui::{
    self, Align, Align2, Area, Color32, Id, Layout, Rect, RichText, ScrollArea, Sense, Stroke, TextFormat, TextStyle,
    Ui, Vec2,
};
use swarmarium_lab_state::action::{Action, WindowAction};
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::named;
use swarmarium_lab_state::notice::{Lifetime, Notice, Notices, Offer, OfferHint};
use swarmarium_lab_state::shell::keymap::Keymap;
use swarmarium_picture::palette::{Role, Theme};

/// The shortest time until good news disappears, in seconds.
const GOOD_S: f64 = 4.0;

/// The longest time, in seconds: the Messages panel keeps the text.
const LONGEST_S: f64 = 8.0;

/// The time to notice a message, and the time to read a character, in seconds.
const NOTICE_S: f64 = 2.0;

const CHARACTER_S: f64 = 0.05;

/// The shortest time until offers that are also found elsewhere disappear, in seconds.
const OFFERED_S: f64 = 7.0;

/// The largest number of notices at a time.
const MOST: usize = 2;

/// Duration of the fade of good news, in seconds.
const FADE_S: f64 = 0.5;

/// Widths of notices in points, the best first.
const WIDTHS_PX: [f32; 3] = [360.0, 290.0, 220.0];

/// Side of the close button, in points.
const CLOSE_PX: f32 = 20.0;

/// Height of the free strip at the top of the world, in points.
const TOP_PX: f32 = 44.0;

/// An available height that is enough for notices, in points.
const ENOUGH_PX: f32 = 120.0;

/// The smallest available height for notices, in points.
const LEAST_PX: f32 = 48.0;

/// The drawing of the notices: what the window knows about each of them.
#[derive(Default)]
pub struct NoticesPanel {
    shown: BTreeMap<u64, Shown>,
}

/// The state of a notice in the window.
#[derive(Clone, Copy)]
struct Shown {
    /// The time at which it was first shown, or last lay under the pointer, in egui's seconds.
    since_s: f64,
    /// Whether all lines are shown.
    is_open: bool,
}

impl Shown {
    /// Returns the opacity of a notice from 0 to 1: good news fades.
    fn opacity(&self, notice: &Notice, now_s: f64) -> f32 {
        let least_s = if notice.offers.is_empty() { GOOD_S } else { OFFERED_S };
        let characters: usize = notice.lines.iter().map(|line| line.chars().count()).sum();
        let goes_after_s = (NOTICE_S + CHARACTER_S * characters as f64).clamp(least_s, LONGEST_S);
        let left_s = self.since_s + goes_after_s - now_s;
        match notice.lifetime {
            Lifetime::UntilClosed => 1.0,
            Lifetime::Passing => (left_s / FADE_S).clamp(0.0, 1.0) as f32,
        }
    }
}

/// The notices of one frame.
struct Painter<'a> {
    theme: Theme,
    keymap: &'a Keymap,
    now_s: f64,
    /// The largest height of the lines of a notice, in points.
    highest: f32,
    wanted: Vec<Action>,
}

impl NoticesPanel {
    /// Draws the newest notices in the lower right corner of the world, or beside the arena or the dialogs there. Returns
    /// the requested actions.
    pub fn ui(
        &mut self,
        ctx: &egui::Context,
        [world, arena]: [Rect; 2],
        theme: Theme,
        keymap: &Keymap,
        notices: &Notices,
    ) -> Vec<Action> {
        let now_s = ctx.input(|input| input.time);
        let new = Shown { since_s: now_s, is_open: false };
        self.shown =
            notices.iter().map(|notice| (notice.id, self.shown.get(&notice.id).copied().unwrap_or(new))).collect();
        let shown = &mut self.shown;
        let is_over = |notice: &&Notice| shown.get(&notice.id).is_some_and(|state| state.opacity(notice, now_s) <= 0.0);
        let (over, left): (Vec<&Notice>, Vec<&Notice>) = notices.iter().partition(is_over);
        let mut wanted: Vec<Action> = over.into_iter().map(closing).collect();
        if left.is_empty() {
            return wanted;
        }
        let id = Id::new("notices");
        let height = ctx.memory(|memory| memory.area_rect(id)).map_or(0.0, |area| area.height()).max(ENOUGH_PX);
        // The timeline is below the world.
        let above_timeline = ctx.content_rect().with_max_y(world.bottom());
        let areas = areas_over(ctx, id);
        let beside_arena = beside(&areas, arena, world, height);
        let (corner, width, highest) = beside_arena.unwrap_or_else(|| place(&areas, world, above_timeline, height));
        // Errors and what stays are shown before good news, of which the newest one always has a place.
        let (mut staying, passing): (Vec<&Notice>, Vec<&Notice>) =
            left.iter().partition(|notice| notice.lifetime == Lifetime::UntilClosed);
        staying.sort_by_key(|notice| notice.is_error);
        let all = left.len();
        let of_passing = passing.len().min(MOST - staying.len().min(MOST - 1));
        let of_staying = staying.len().min(MOST - of_passing);
        let left = [passing.split_at(passing.len() - of_passing).1, staying.split_at(staying.len() - of_staying).1];
        let left = left.concat();
        let hidden = all - left.len();
        let mut painter = Painter { theme, keymap, now_s, highest: highest / 2.0, wanted: Vec::new() };
        // The area takes clicks, so that the world beneath does not move.
        let area = Area::new(id).fixed_pos(corner).pivot(Align2::RIGHT_BOTTOM).fade_in(false);
        let drawn = area.movable(false).sense(Sense::click_and_drag()).constrain(false).show(ctx, |ui| {
            ui.set_width(width);
            let scroll = ScrollArea::vertical().id_salt("notices").max_height(highest).min_scrolled_height(highest);
            let scroll = scroll.stick_to_bottom(true);
            scroll.show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = theme::SMALL_GAP;
                // From the corner upwards, so that errors keep their places.
                for notice in left.into_iter().rev() {
                    let state = shown.entry(notice.id).or_insert(new);
                    if !painter.notice(ui, notice, state) {
                        painter.wanted.push(closing(notice));
                    }
                }
                if hidden > 0 {
                    ui.weak(format!("and {hidden} more in the panel Messages"));
                }
            });
        });
        // A notice does not disappear under the pointer.
        if drawn.response.contains_pointer() {
            shown.values_mut().for_each(|state| state.since_s = now_s);
        }
        wanted.extend(painter.wanted);
        wanted
    }
}

/// Returns the action that closes a notice.
fn closing(notice: &Notice) -> Action {
    Action::Window(WindowAction::CloseNotice(notice.id))
}

/// Returns the rectangles of tools and dialogs over the world, except one area.
fn areas_over(ctx: &egui::Context, but: Id) -> Vec<Rect> {
    ctx.memory(|memory| {
        let layers = memory.areas().visible_layer_ids().into_iter();
        let over = layers.filter(|layer| layer.order == egui::Order::Middle && layer.id != but);
        over.filter_map(|layer| memory.area_rect(layer.id)).collect()
    })
}

/// As [`place`] for a place over the world that covers no part of the arena; `None` if there is no such room.
fn beside(areas: &[Rect], arena: Rect, world: Rect, height: f32) -> Option<(egui::Pos2, f32, f32)> {
    let areas: Vec<Rect> = areas.iter().copied().chain([arena]).collect();
    WIDTHS_PX.iter().find_map(|width| {
        let (corner, room_px) = free_corner(&areas, world, egui::vec2(*width, height))?;
        (room_px >= height).then_some((corner, *width, room_px))
    })
}

/// Returns the lower right corner, the width and the available height for notices that need a height. They lie over the
/// world where they cover no tool and no dialog, or else over the panels. If there is no room at all, they cover other
/// areas, because errors must be visible.
fn place(areas: &[Rect], world: Rect, screen: Rect, height: f32) -> (egui::Pos2, f32, f32) {
    let widths = |within: Rect| WIDTHS_PX.map(|width| width.min(within.width() - 2.0 * theme::PAD));
    let places = [world, screen].into_iter().flat_map(|within| widths(within).map(|width| (within, width)));
    let found = places.into_iter().find_map(|(within, width)| {
        let (corner, room_px) = free_corner(areas, within, egui::vec2(width, height))?;
        Some((corner, width, room_px))
    });
    found.unwrap_or_else(|| {
        let own = world.right_bottom() - Vec2::splat(theme::PAD);
        (own, widths(world)[0], (own.y - world.top() - TOP_PX).max(0.0))
    })
}

/// Returns the lower right corner and the available height for notices of a width and a minimum height. It is the
/// nearest corner to that of a rectangle where notices cover no other area, or else the one with most room above it;
/// `None` if there is no room.
fn free_corner(areas: &[Rect], world: Rect, size: Vec2) -> Option<(egui::Pos2, f32)> {
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
    best.filter(|(_, room_px)| *room_px >= LEAST_PX)
}

impl Painter<'_> {
    /// Draws a notice. Returns whether it stays.
    fn notice(&mut self, ui: &mut Ui, notice: &Notice, state: &mut Shown) -> bool {
        let theme = self.theme;
        let edge = theme::color(theme, if notice.is_error { Role::Warning } else { Role::Grid });
        let frame = theme::panel(theme).stroke(Stroke::new(1.0, edge)).corner_radius(theme::LARGE_CORNER_PX);
        let opacity = state.opacity(notice, self.now_s);
        let mut stays = true;
        ui.scope(|ui| {
            ui.multiply_opacity(opacity);
            frame.show(ui, |ui| {
                let row = Vec2::new(ui.available_width(), CLOSE_PX);
                ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Min), |ui| {
                    stays = self.close(ui);
                    ui.with_layout(Layout::left_to_right(Align::Min).with_main_wrap(true), |ui| {
                        match notice.is_error {
                            true => {
                                drop(ui.label(RichText::new(format!("⚠ Error{}", count(notice))).color(edge).strong()));
                            }
                            false => {
                                let first = notice.lines.first().map_or("", String::as_str);
                                let text = formatted(ui, &format!("{first}{}", count(notice)));
                                ui.add(egui::Label::new(text).wrap());
                            }
                        }
                    });
                });
                self.rest(ui, notice, state.is_open);
                if notice.is_error || notice.lines.len() > 1 || !notice.offers.is_empty() {
                    ui.horizontal_wrapped(|ui| stays &= self.buttons(ui, notice, state));
                }
            });
        });
        stays
    }

    /// Draws the lines below the heading.
    fn rest(&mut self, ui: &mut Ui, notice: &Notice, is_open: bool) {
        let highest = self.highest;
        let lines = if notice.is_error { &notice.lines[..] } else { notice.lines.get(1..).unwrap_or_default() };
        let shown = if is_open { lines.len() } else { usize::from(notice.is_error).min(lines.len()) };
        if shown == 0 {
            return;
        }
        let scroll = ScrollArea::vertical().id_salt(&notice.lines).max_height(highest);
        scroll.min_scrolled_height(highest).auto_shrink([false, true]).show(ui, |ui| {
            lines.iter().take(shown).for_each(|text| self.wanted.extend(line(ui, text)));
        });
    }

    /// Draws the close button. Returns whether the notice stays.
    fn close(&self, ui: &mut Ui) -> bool {
        let hint =
            self.keymap.after("Closes this message, which the Messages panel keeps", CommandId::CloseOrDeselect, "");
        let button = egui::Button::new(RichText::new("✖").weak()).frame(false).min_size(Vec2::splat(CLOSE_PX));
        let button = ui.add(button);
        named(&button, "Close");
        !button.on_hover_text(hint).clicked()
    }

    /// Draws the buttons. Returns whether the notice stays.
    fn buttons(&mut self, ui: &mut Ui, notice: &Notice, state: &mut Shown) -> bool {
        ui.spacing_mut().button_padding = egui::vec2(6.0, 1.0);
        ui.spacing_mut().interact_size.y = CLOSE_PX;
        let mut stays = true;
        for offer @ Offer { title, hint, action } in &notice.offers {
            if ui.button(title).on_hover_text(hint_text(*hint, self.keymap)).clicked() {
                self.wanted.push(action.clone());
                stays = offer.is_of_kept(None);
            }
        }
        if notice.lines.len() > 1 {
            let (text, hint) = match state.is_open {
                true => ("Show less".into(), "Shows the first line only"),
                false => {
                    // The heading of other messages is not an item of the list.
                    let items = notice.lines.len() - usize::from(!notice.is_error);
                    (format!("Show all {items}"), "Shows all lines of this message")
                }
            };
            state.is_open ^= ui.button(text).on_hover_text(hint).clicked();
        }
        if notice.is_error && ui.button("Copy all").on_hover_text("Copies the whole message").clicked() {
            self.wanted.push(Action::Window(WindowAction::Copy(notice.text())));
        }
        stays
    }
}

/// Returns the text of the hint of a button.
pub fn hint_text(hint: OfferHint, keymap: &Keymap) -> String {
    match hint {
        OfferHint::Text(text) => text.into(),
        OfferHint::Command(id) => id.command().tooltip(keymap),
    }
}

/// Formats a text with parts in backquotes, such as commands, in the font of code; there, two hyphens remain two.
pub fn formatted(ui: &Ui, text: &str) -> LayoutJob {
    let mut job = LayoutJob::default();
    let closed = text.matches('`').count() / 2 * 2;
    for (place, part) in text.splitn(closed + 1, '`').enumerate() {
        let style = if place % 2 == 1 { TextStyle::Monospace } else { TextStyle::Body };
        let color = if place % 2 == 1 { ui.visuals().text_color() } else { Color32::PLACEHOLDER };
        job.append(part, 0.0, TextFormat::simple(style.resolve(ui.style()), color));
    }
    job
}

/// Returns how often a notice was added, if more than once.
pub fn count(notice: &Notice) -> String {
    if notice.times > 1 { format!(" ×{}", notice.times) } else { String::new() }
}

/// Draws a line; a position in a file can be clicked.
pub fn line(ui: &mut Ui, text: &str) -> Option<Action> {
    let (place, rest) = split_place(text);
    let response = ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().interact_size.y = 0.0;
        let link = place.map(|place| {
            let link = ui.link(RichText::new(place).monospace());
            link.on_hover_text("Copies file, line and column for an editor")
        });
        let rest = formatted(ui, rest);
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
    use swarmarium_lab_state::common::popups::Popups;
    use swarmarium_lab_testing::{lab_on, window};

    use super::*;

    #[test]
    fn a_notice_does_not_move_the_world() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().notices.tell_error("bad\n".repeat(30));
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
        assert!(lab.borrow().view.is_fitted);
        window.get_by_label("Show all 30").click();
        window.run_steps(4);
        let within = window.ctx.memory(|memory| memory.area_rect(Id::new("notices"))).unwrap().center();
        drag(&mut window, within);
        assert!(lab.borrow().view.is_fitted);
        let above = lab.borrow().view.rect_px.center_top() + Vec2::new(0.0, 30.0);
        drag(&mut window, above);
        assert!(!lab.borrow().view.is_fitted, "above the message, the world is dragged");
        window.key_press(Key::Escape);
        window.run_steps(2);
        assert!(lab.borrow().notices.iter().next().is_none());
    }

    #[test]
    fn the_text_of_a_notice_uses_its_whole_width() {
        let (mut window, lab) = window(lab_on("milling"));
        let path = std::path::Path::new("/home/somebody/a/long/path/to/some/folder");
        lab.borrow_mut().notices.say_saved("Copied `swarmarium open runs/milling-7 --at 2400 --branch run`", path);
        window.run_steps(3);
        let text = window.get_by_label("Copied swarmarium open runs/milling-7 --at 2400 --branch run").rect();
        let button = window.get_by_label("Open folder").rect();
        assert!(button.top() >= text.bottom() && text.width() > 0.7 * WIDTHS_PX[0], "{text} {button}");
        assert!(text.height() < 45.0, "two lines at most: {text}");
    }

    #[test]
    fn notices_separate_places_from_messages() {
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
            (0..3).for_each(|number| lab.borrow_mut().notices.tell_error(format!("bad {number}\nworse")));
            window.run_steps(4);
            let area = |id: &str| window.ctx.memory(|memory| memory.area_rect(Id::new(id))).unwrap();
            let notices = area("notices");
            assert!(!notices.intersects(window.get_by_label("View panel").rect()), "{size}: {notices}");
            assert!(lab.borrow().view.rect_px.contains_rect(notices), "{size}: {notices}");
        }
    }

    #[test]
    fn notices_are_placed_beside_overlays_of_the_world() {
        let world = Rect::from_min_max(Pos2::ZERO, Pos2::new(900.0, 600.0));
        let screen = world.expand2(Vec2::new(250.0, 100.0));
        let height = 200.0;
        let placed = |areas: &[Rect]| {
            let (corner, width, room_px) = place(areas, world, screen, height);
            let notices = Rect::from_min_max(corner - Vec2::new(width, height.min(room_px)), corner);
            assert!(!areas.iter().any(|area| area.intersects(notices)), "{areas:?}: {notices}");
            assert!(screen.contains_rect(notices));
            (width, world.contains_rect(notices), room_px >= height)
        };
        let area = |left, top, right, bottom| Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, bottom));
        let [wide, middle, narrow] = WIDTHS_PX;
        assert_eq!(placed(&[]), (wide, true, true));
        assert_eq!(placed(&[area(300.0, 560.0, 700.0, 590.0)]), (wide, true, true), "above a bar");
        assert_eq!(placed(&[area(600.0, 100.0, 880.0, 580.0)]), (wide, true, true), "beside a dialog");
        assert_eq!(placed(&[area(100.0, 300.0, 880.0, 700.0)]), (wide, true, true), "above a dialog");
        assert_eq!(placed(&[area(350.0, 20.0, 850.0, 700.0)]), (middle, true, true), "narrow, beside a dialog");
        assert!(!placed(&[area(20.0, 20.0, 880.0, 590.0)]).1, "over the panels");
        assert_eq!(placed(&[area(0.0, -90.0, 900.0, 690.0)]), (narrow, false, true), "narrow, over the panels");
        let (corner, _, room_px) = place(&[screen], world, screen, height);
        assert!(corner.y > 500.0 && room_px > height, "errors are seen also over a dialog that covers all");
    }

    #[test]
    fn notices_keep_off_open_dialogs() {
        let (mut window, lab) = window(lab_on("milling"));
        window.set_size(Vec2::new(1600.0, 1200.0));
        let dialogs: [fn(&mut Popups); 2] = [|popups| popups.find = true, |popups| popups.recording = true];
        for open in dialogs {
            lab.borrow_mut().shell.popups = Popups::default();
            open(&mut lab.borrow_mut().shell.popups);
            lab.borrow_mut().notices.tell_error("bad\nworse");
            window.run_steps(6);
            let area = |id: Id| window.ctx.memory(|memory| memory.area_rect(id)).unwrap();
            let notices = Id::new("notices");
            assert!(areas_over(&window.ctx, notices).iter().all(|over| !over.intersects(area(notices))));
        }
    }

    #[test]
    fn success_notices_fade_and_errors_do_not() {
        let (good, bad) = (Notice::good("Saved"), Notice::error("bad"));
        let shown = Shown { since_s: 0.0, is_open: false };
        assert_eq!([shown.opacity(&good, 0.0), shown.opacity(&bad, 0.0)], [1.0, 1.0]);
        assert_eq!([shown.opacity(&good, GOOD_S - FADE_S / 2.0), shown.opacity(&bad, 100.0)], [0.5, 1.0]);
        assert_eq!(shown.opacity(&good, GOOD_S), 0.0);
        let long = Notice::good(&"word ".repeat(40));
        assert_eq!(shown.opacity(&long, GOOD_S), 1.0, "there is time to read it");
        assert_eq!(shown.opacity(&long, LONGEST_S), 0.0);
    }

    #[test]
    fn at_most_two_notices_are_shown_and_errors_before_good_news() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().notices.tell_error("bad");
        ["one", "two", "three"].into_iter().for_each(|text| lab.borrow_mut().notices.say(text));
        window.run_steps(4);
        let is_shown = |text: &str| window.query_by_label(text).is_some();
        assert_eq!(["⚠ Error", "one", "two", "three"].map(is_shown), [true, false, false, true]);
        window.get_by_label("and 1 more in the panel Messages");
        let notices = window.ctx.memory(|memory| memory.area_rect(Id::new("notices"))).unwrap();
        let timeline = window.get_by_label("Timeline").rect();
        assert!(notices.bottom() < timeline.top(), "{notices} {timeline}");
    }

    #[test]
    fn notices_stand_beside_the_arena_where_there_is_room() {
        let world = Rect::from_min_max(Pos2::ZERO, Pos2::new(1500.0, 600.0));
        let arena = Rect::from_center_size(world.center(), Vec2::splat(560.0));
        let (corner, width, _) = beside(&[], arena, world, 120.0).unwrap();
        let notices = Rect::from_min_max(corner - Vec2::new(width, 120.0), corner);
        assert!(!notices.intersects(arena) && notices.right() > arena.right(), "{notices}");
        assert_eq!(beside(&[], world, world, 120.0), None);
    }
}
