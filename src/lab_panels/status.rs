//! The status line at the bottom: cursor, number of robots, step, seed, speed.

use std::collections::BTreeSet;

use bevy_egui::egui::{self, Align, Layout, Ui};
use swarmarium_core::text::wording::capital;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::kept_changes::gestures;
use swarmarium_lab_state::common::text::{counted, grouped};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::toolbox::Tool;
use swarmarium_lab_state::view::Follows;
use swarmarium_picture::camera::YAxis;
use swarmarium_scene::scene::description::Click;

use crate::tools;

/// Height of the status line in logical pixels, normally and in a low window.
const HEIGHT: f32 = 26.0;

const LOW_HEIGHT: f32 = 20.0;

/// Gap between two items in logical pixels; it is rounded up to characters.
const GAP: f32 = 20.0;

const GAP_CHARS: usize = 3;

/// The longest text of an item, in characters; its tooltip has the full text.
const MOST_CHARS: usize = 100;

/// The status line.
#[derive(Default)]
pub struct Status;

impl Status {
    /// Draws the status line. Returns the requested actions.
    pub fn ui(&self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let (frame, height) =
            if theme::is_low(ui.ctx()) { (theme::bar(0), LOW_HEIGHT) } else { (theme::bar(2), HEIGHT) };
        egui::Panel::bottom("status").exact_size(height).resizable(false).frame(frame).show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                let chars = chars(ui);
                let most = MOST_CHARS.min(chars.saturating_sub(GAP_CHARS));
                let (left, right) = fitting(items(lab), chars, most);
                left.iter().for_each(|item| show(ui, item));
                let layout = Layout::right_to_left(Align::Center);
                ui.with_layout(layout, |ui| right.iter().for_each(|item| show(ui, item)));
            });
        });
        Vec::new()
    }
}

/// An item of the status line.
struct StatusItem {
    side: Side,
    /// The priority for removal in a narrow window: items with a larger number are left out first.
    spare: u32,
    text: String,
    hint: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Returns the number of characters that fit.
fn chars(ui: &Ui) -> usize {
    let font = egui::TextStyle::Monospace.resolve(ui.style());
    let width = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    (ui.available_width() / width) as usize
}

/// Returns the items of the left and of the right side that fit, the most important first.
/// Each needs at most a number of characters; a longer text gets those that are left.
fn fitting(items: Vec<StatusItem>, chars: usize, most: usize) -> (Vec<StatusItem>, Vec<StatusItem>) {
    let length = |item: &StatusItem| item.text.chars().count();
    let need = |(place, item): (usize, &StatusItem)| (item.spare, place, length(item).min(most) + GAP_CHARS);
    let mut by_need: Vec<_> = items.iter().enumerate().map(need).collect();
    by_need.sort_unstable();
    let mut left = chars;
    let fits = |(_, place, needs): (u32, usize, usize)| {
        left = left.checked_sub(needs)?;
        Some(place)
    };
    let kept: BTreeSet<usize> = by_need.into_iter().map_while(fits).collect();
    let shown = items.into_iter().enumerate().filter(|(place, _)| kept.contains(place));
    let shown = shown.map(|(_, item)| {
        let more = length(&item).saturating_sub(most).min(left);
        left -= more;
        item.shortened(most + more)
    });
    let shown: Vec<StatusItem> = shown.collect();
    shown.into_iter().partition(|item| item.side == Side::Left)
}

impl StatusItem {
    /// Shortens the text to a number of characters.
    fn shortened(self, chars: usize) -> Self {
        if self.text.chars().count() <= chars {
            return self;
        }
        let start: String = self.text.chars().take(chars.saturating_sub(1)).collect();
        Self { hint: format!("{}\n{}", self.text, self.hint), text: format!("{start}…"), ..self }
    }
}

fn items(lab: &Lab) -> Vec<StatusItem> {
    let mut items = Vec::new();
    let mut add = |side, spare, text, hint: &str| items.push(StatusItem { side, spare, text, hint: hint.into() });
    let simulation = lab.run.host.simulation();
    let (down, downward) = match simulation.scene_ahead().view.y_axis {
        YAxis::Down => (", y down", "; y points downward in this scene"),
        YAxis::Up => ("", ""),
    };
    let cursor = lab.view.cursor_m.map_or("–".into(), |at| format!("({:.2}, {:.2}) m", at.x, at.y));
    let cursor = format!("{cursor}{down}");
    add(Side::Left, 5, format!("{cursor:<20}"), &format!("Position of the cursor in the world, in metres{downward}"));
    let count = simulation.count() as u64;
    let word = if count == 1 { "robot" } else { "robots" };
    add(Side::Left, 4, format!("{:>6} {word}", grouped(count)), "Number of robots in the world");
    add(Side::Left, 1, format!("step {:>11}", grouped(simulation.steps())), "Steps done since the start");
    // The time scale takes effect at once.
    // A drag makes many edits.
    let waiting = gestures(simulation.waiting_changes(), |_| true);
    if waiting > 0 {
        let verb = if waiting == 1 { "waits" } else { "wait" };
        let text = format!("{} {verb} for the next step", counted(waiting));
        add(Side::Left, 0, text, "Changes take effect at the start of a step");
    }
    if let Some(end) = lab.run.end() {
        add(Side::Left, 0, end.short, &format!("{}. Restart starts again", end.sentence));
    }
    if lab.run.frames.left_out > 0 {
        let text = format!("{} shapes not drawn", grouped(lab.run.frames.left_out as u64));
        let hint = "The GPU has no room for more shapes: zoom in, or hide trails or sensors";
        add(Side::Left, 0, text, hint);
    }
    for (name, with) in lab.edits.driving.driven(&lab.run.host) {
        let text = format!("driving {name} with {with}");
        add(Side::Left, 0, text, "The keys that you hold drive this robot; Esc stops driving it");
    }
    if let Some((follows, name)) = lab.view.follows.zip(lab.view.led_name(&lab.run.host)) {
        let turning = if follows == Follows::Heading { ", rotating with it" } else { "" };
        let hint = "The view follows this robot; drag the world to stop following";
        let hint = lab.shell.keymap.after(hint, CommandId::FollowOrStay, ", too");
        add(Side::Left, 0, format!("following {name}{turning}"), &hint);
    }
    if let Some((path, repeated)) = lab.files.recordings.running() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let missing = if repeated > 0 { format!(", {} frames repeated", grouped(repeated)) } else { String::new() };
        let hint = "The video that is being recorded; frames are repeated when the machine is too slow";
        let hint = lab.shell.keymap.after(hint, CommandId::StartOrStopRecording, " ends it");
        add(Side::Left, 0, format!("recording {name}{missing}"), &hint);
    }
    if let Some(remote) = &lab.run.clients.remote {
        let clients = remote.clients();
        let word = if clients == 1 { "client" } else { "clients" };
        let port = remote.services_port().or(remote.all_port()).map_or(String::new(), |port| format!("port {port}, "));
        let hint = "The first socket of the scene, and the number of clients connected to any of its sockets";
        add(Side::Left, 1, format!("{port}{clients} {word}"), hint);
        if lab.run.holds_clients() {
            let hint = "Clients get no answer while the past is shown; they continue at the live end";
            add(Side::Left, 0, "clients wait while the past is shown".into(), hint);
        } else if remote.waits_for_clients() {
            let hint = "Paused until all clients of the token port allow the next step";
            add(Side::Left, 0, "waiting for clients".into(), hint);
        }
    }
    if simulation.scene_ahead().view.click == Click::Restart && lab.edits.toolbox.tool == Tool::Select {
        let hint =
            "A click on a robot or an obstacle selects it; elsewhere it starts the scene again around that point";
        add(Side::Left, 1, "Click on the ground to restart the swarm there".into(), hint);
    }
    let seed = format!("seed {}", lab.run.host.start().seed);
    add(Side::Left, 2, seed, "Seed of all random streams of this run");
    if let Some(hint) = tools::drag_hint(lab) {
        let more = "The effect of a drag at the cursor; the list of keys has all mouse gestures";
        add(Side::Left, 2, hint, more);
    }
    let mouse = tools::gestures(lab)
        .filter(|_| tools::drag_hint(lab).is_none())
        .filter(|(gesture, _)| !gesture.contains('+'))
        .take(2);
    let mouse: Vec<String> = mouse.map(|(gesture, does)| format!("{gesture}: {does}").to_lowercase()).collect();
    // Worth more than the hash and the time of a step: nothing else says how a tool is used.
    let hint = "Mouse gestures of the present tool; the list of keys has the rest";
    add(Side::Left, 5, capital(&mouse.join("; ")), hint);
    // Hashing takes time from steps.
    if lab.run.host.clock().paused && lab.files.shots.target.is_none() {
        let hash = format!("hash {:016x}", simulation.hash().0);
        let hint = "Hash of the whole state; runs with the same scene, seed and changes have the same hash";
        add(Side::Right, 6, hash, hint);
    }
    let step = lab.run.step_s().map_or("–".into(), |seconds| format!("{:.3}", seconds * 1000.0));
    let hint = "Mean duration of a step, in milliseconds";
    add(Side::Right, 7, format!("step time {step:>8} ms"), hint);
    add(Side::Right, 3, format!("{:>3.0} fps", lab.run.frames.per_second), "Frames per second, at most 60");
    items
}

fn show(ui: &mut Ui, item: &StatusItem) {
    ui.label(theme::number(&item.text).weak()).on_hover_text(&item.hint);
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_state::action::{TimeAction, WindowAction};
    use swarmarium_lab_testing::{lab_on, window};
    use swarmarium_simulation::edit::Edit;

    use super::*;
    use crate::dispatch;
    use crate::palette;

    #[test]
    fn a_narrow_status_bar_leaves_out_the_least_needed_items() {
        let lab = lab_on("milling");
        let shown = |chars| {
            let (left, right) = fitting(items(&lab), chars, MOST_CHARS);
            left.iter().chain(&right).map(|item| item.spare).collect::<Vec<_>>()
        };
        assert_eq!(shown(400), [5, 4, 1, 2, 5, 6, 7, 3]);
        assert_eq!(shown(60), [4, 1, 2, 3]);
        assert!(shown(10).is_empty());
    }

    #[test]
    fn a_long_item_is_shortened_and_its_tooltip_has_it_all() {
        let long = "x".repeat(100);
        let item = |text: &str| StatusItem { side: Side::Left, spare: 0, text: text.into(), hint: "About".into() };
        let short = item(&long).shortened(20);
        assert_eq!(short.text.chars().count(), 20);
        assert_eq!(short.text.chars().last(), Some('…'));
        assert!(short.hint.starts_with(&long) && short.hint.ends_with("About"));
        assert_eq!(item("short").shortened(20).hint, "About");
        let (left, _) = fitting(vec![item("one"), item("two"), item(&long)], 20, 100);
        let (long_one, _) = fitting(vec![item(&long)], 60, 20);
        assert_eq!(long_one[0].text.chars().count(), 57, "a long text uses the room that is left");
        assert_eq!(left.len(), 2, "of items that are needed as much, those fit that stand first");
    }

    #[test]
    fn the_status_bar_says_that_a_picture_is_cut() {
        let (mut window, lab) = window(lab_on("milling"));
        assert!(window.query_by_label_contains("not drawn").is_none());
        lab.borrow_mut().run.frames.left_out = 1234;
        window.run_steps(2);
        window.get_by_label("1,234 shapes not drawn");
    }

    #[test]
    fn the_status_bar_counts_waiting_changes_without_the_speed() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().run.host.set_scale(7.0).unwrap();
        lab.borrow_mut().open_source("aggregation");
        dispatch::act(&mut lab.borrow_mut(), &egui::Context::default(), Action::Time(TimeAction::Scale(3.0)));
        window.run_steps(2);
        assert!(window.query_by_label_contains("for the next step").is_none());
        for (seed, text) in [("5", "1 change waits for the next step"), ("6", "2 changes wait for the next step")] {
            lab.borrow_mut().run.host.apply(Edit::Set { path: "seed".into(), value: seed.into() }).unwrap();
            let about = Edit::Set { path: "about".into(), value: seed.into() };
            if seed == "6" {
                lab.borrow_mut().run.host.apply(about).unwrap();
            }
            window.run_steps(2);
            window.get_by_label(text);
        }
    }

    #[test]
    fn the_status_bar_shows_the_seed_of_this_run() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().run.host.apply(Edit::Set { path: "seed".into(), value: "500".into() }).unwrap();
        swarmarium_lab_testing::do_steps(&mut lab.borrow_mut(), 1);
        window.run_steps(2);
        window.get_by_label("seed 7");
        let copies = |seed: &str| {
            let wanted = Action::Window(WindowAction::Copy(seed.into()));
            palette::entries(&lab.borrow()).any(|entry| entry.action.as_ref() == Some(&wanted))
        };
        assert!(copies("7") && !copies("500"));
        lab.borrow_mut().reset(None);
        window.run_steps(2);
        window.get_by_label("seed 500");
        assert!(copies("500"));
    }
}
