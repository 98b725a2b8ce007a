//! The tour: six interactive steps from a running swarm to the palette.
//!
//! It is never modal, and time continues. Each step points at a part of the window and waits until the user has done
//! the task. The bubble stands beside that part, and not over robots if there is room elsewhere.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use bevy_egui::egui::{
    self, Align, Align2, Area, Id, LayerId, Layout, Order, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, Ui, Vec2,
};
use swarmarium_draw::Overlay;
use swarmarium_lab_state::action::{Action, PanelAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::COMMANDS;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::shell::keymap::Keymap;
use swarmarium_lab_state::shell::tour::{Seen, Tour};
use swarmarium_picture::palette::Role;

/// Width of the bubble in points.
const WIDTH: f32 = 300.0;

/// Size of the bubble before it was drawn.
const ABOUT: Vec2 = Vec2::new(WIDTH + 26.0, 120.0);

/// Gap between the bubble and its target, in points.
const GAP: f32 = 14.0;

/// Half a side of the square around a robot, in points.
const AROUND_ROBOT: f32 = 18.0;

/// Approximate range of sensors on the screen, in points: a bubble covers it only if there is no other room.
const AROUND_SENSORS: f32 = 90.0;

/// A zoom by less than this part does not count.
const ZOOM: f64 = 0.05;

/// A target of the tour. Panels report where their target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landmark {
    /// The button that plays and pauses.
    Play,
    /// The panel Parameters.
    Parameters,
    /// A robot in the world.
    Robot,
    /// All robots in the world.
    Robots,
    /// The menu Help, or the button of the folded menus.
    Menu,
    /// The palette, while it is open.
    Palette,
}

/// A step of the tour.
struct Step {
    title: &'static str,
    /// The task, with keys of commands in the form `{Undo}`.
    text: &'static str,
    at: Landmark,
    /// When the first half is done: the next task and its target.
    halfway: Option<(fn(now: &Seen) -> bool, &'static str, Landmark)>,
    /// Whether the user has done the task.
    is_done: fn(now: &Seen, before: &Seen) -> bool,
}

const STEPS: [Step; 6] = [
    Step {
        title: "A swarm is already running",
        text: "Its sectors are sensors: an orange one senses something, a grey one nothing. Pause the swarm: press this \
               button or {PlayOrPause}.",
        at: Landmark::Play,
        halfway: Some((|now| now.is_paused, "The run is paused. Press the button again to continue.", Landmark::Play)),
        is_done: |now, before| now.turns > before.turns && !now.is_paused,
    },
    Step {
        title: "Change it while it runs",
        text: "Drag a control or the number of a parameter, such as the range of a sensor. The swarm reacts at once.",
        at: Landmark::Parameters,
        halfway: None,
        is_done: |now, before| now.changes > before.changes,
    },
    Step {
        title: "Inspect a robot",
        text: "Click this robot or another one. The world shows its sensors, and the inspector shows their readings.",
        at: Landmark::Robot,
        halfway: None,
        is_done: |now, before| now.robot.is_some() && now.robot != before.robot,
    },
    Step {
        title: "Zoom in",
        text: "Turn the mouse wheel over the world. The view zooms at the pointer.",
        at: Landmark::Robots,
        halfway: None,
        is_done: |now, before| {
            !now.is_fitted && (now.pixels_per_m - before.pixels_per_m).abs() > ZOOM * before.pixels_per_m
        },
    },
    Step {
        title: "Find any action",
        text: "Press {FindAnAction}. The palette finds every action by its name or by a common word for it.",
        at: Landmark::Menu,
        halfway: Some((
            |now| now.has_palette,
            "Type ids and press Enter. This shows or hides the number of each robot.",
            Landmark::Palette,
        )),
        is_done: |now, before| now.shows_ids != before.shows_ids,
    },
    Step {
        title: "End of the tour",
        text: "The menus and the palette contain every action, including \"Take the tour\". Press {ListKeys} for the list \
               of keys, and {ShowTheWholeArena} to show the whole arena again.",
        at: Landmark::Menu,
        halfway: None,
        is_done: |_, _| false,
    },
];

/// Returns the state that the steps check.
fn seen(lab: &Lab) -> Seen {
    let simulation = lab.run.host.simulation();
    let logged = simulation.edits().iter().map(|logged| &logged.edit);
    let robot = match lab.view.selection.item {
        Some(Item::Agent(number)) => Some(number),
        _ => None,
    };
    Seen {
        is_paused: lab.run.host.clock().paused,
        turns: lab.shell.tour.turns,
        changes: logged.chain(simulation.waiting_edits()).filter(|edit| edit.is_change()).count()
            // Changes that restarted the run.
            + lab.run.host.carried.len(),
        robot,
        pixels_per_m: lab.view.current.camera.pixels_per_m,
        is_fitted: lab.view.is_fitted,
        has_palette: lab.shell.popups.palette.is_some(),
        shows_ids: lab.view.current.overlays.shows(Overlay::Ids),
    }
}

/// A button of the bubble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Next,
    Back,
    End,
}

/// Starts or ends the tour. After that, it does not start by itself again.
pub fn take_tour(lab: &mut Lab) {
    lab.shell.settings.toured = true;
    if !lab.shell.tour.close() {
        lab.shell.tour = Tour { was_paused: lab.run.host.clock().paused, ..Tour::default() };
        begin_step(lab, Some(0));
    }
}

/// Shows a step of the tour; `None` or a number behind the last step ends it.
pub fn begin_step(lab: &mut Lab, step: Option<usize>) {
    lab.shell.tour.step = step.filter(|step| *step < STEPS.len());
    lab.shell.tour.before = seen(lab);
}

/// Reports the place of a landmark in this frame.
pub fn mark(ctx: &egui::Context, landmark: Landmark, rect: Rect) {
    let pass = ctx.cumulative_pass_nr();
    ctx.data_mut(|data| data.insert_temp(Id::new(("landmark", landmark)), (pass, rect)));
}

/// Returns the place of a landmark, if it was drawn recently.
pub fn marked(ctx: &egui::Context, landmark: Landmark) -> Option<Rect> {
    let pass = ctx.cumulative_pass_nr();
    let (marked, rect) = ctx.data(|data| data.get_temp::<(u64, Rect)>(Id::new(("landmark", landmark))))?;
    (pass.saturating_sub(marked) <= 1).then_some(rect)
}

/// Returns the present step with its number.
fn present_step(lab: &Lab) -> Option<(usize, &'static Step)> {
    lab.shell.tour.step.and_then(|place| Some((place, STEPS.get(place)?)))
}

/// Goes on to the next step when the user has done the present one. Called once per frame.
pub fn follow(lab: &mut Lab, is_held: bool) {
    let Some((place, step)) = present_step(lab) else { return };
    let is_paused = lab.run.host.clock().paused;
    lab.shell.tour.turns += u32::from(std::mem::replace(&mut lab.shell.tour.was_paused, is_paused) != is_paused);
    let now = seen(lab);
    // A drag must end first: the bubble must not move away during it.
    if (step.is_done)(&now, &lab.shell.tour.before) && !is_held {
        return begin_step(lab, Some(place + 1));
    }
    // After a reset there are fewer changes.
    lab.shell.tour.before.changes = lab.shell.tour.before.changes.min(now.changes);
}

/// The bubble that shows the present step.
#[derive(Default)]
pub struct Bubble {
    /// The rectangle in the last frame, with the step and its target.
    shown: Option<(usize, Landmark, Rect)>,
}

impl Bubble {
    /// Draws the present step. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        let Some((place, step)) = present_step(lab) else {
            self.shown = None;
            return Vec::new();
        };
        let now = seen(lab);
        let shown = self.shown.filter(|(shown, ..)| *shown == place);
        // Dialogs cover everything else.
        if lab.files.request.is_some() {
            return Vec::new();
        }
        let (text, at) = match step.halfway {
            Some((is_reached, text, at)) if is_reached(&now) => (text, at),
            _ => (step.text, step.at),
        };
        let robots = robots(lab).map(|robots| robots.expand(AROUND_ROBOT).intersect(lab.view.rect_px));
        let target = match at {
            Landmark::Robot => robot(lab),
            Landmark::Robots => robots,
            landmark => marked(ctx, landmark),
        };
        let kept = shown.filter(|(_, about, _)| *about == at).map(|(.., bubble)| bubble);
        let avoided: Vec<Rect> = robots.into_iter().chain(marked(ctx, Landmark::Palette)).collect();
        let sensors = robots.map(|robots| robots.expand(AROUND_SENSORS));
        let (screen, world) = (ctx.content_rect().shrink(4.0), lab.view.rect_px);
        let surroundings = Surroundings { screen, target, avoided, sensors, world };
        let size = shown.map_or(ABOUT, |(.., bubble)| bubble.size());
        let bubble_px = kept.filter(|kept| surroundings.has_room(*kept)).unwrap_or_else(|| surroundings.place(size));
        let accent = Stroke::new(2.0, theme::color(lab.shell.settings.theme, Role::Accent));
        if let Some(target) = target {
            outline(ctx, target.expand(3.0), bubble_px, accent);
        }
        let mut asked = None;
        let area = Area::new(Id::new("tour")).fixed_pos(bubble_px.min).order(Order::Tooltip);
        let shown = area.fade_in(false).movable(false).sense(Sense::click_and_drag()).show(ctx, |ui| {
            let frame = theme::panel(lab.shell.settings.theme).stroke(accent).corner_radius(6);
            frame.show(ui, |ui| asked = bubble(ui, step.title, &with_keys(text, &lab.shell.keymap), place));
        });
        self.shown = Some((place, at, Rect::from_min_size(bubble_px.min, shown.response.rect.size())));
        match asked {
            Some(Asked::End) => vec![Action::Panel(PanelAction::Tour)],
            Some(Asked::Next) => vec![Action::Panel(PanelAction::TourStep(Some(place + 1)))],
            Some(Asked::Back) => vec![Action::Panel(PanelAction::TourStep(place.checked_sub(1)))],
            None => Vec::new(),
        }
    }
}

/// Replaces ids of commands in a text by their first keys, or by their titles.
pub fn with_keys(text: &str, keymap: &Keymap) -> String {
    let mut parts = text.split(['{', '}']);
    let mut said = parts.next().unwrap_or_default().to_owned();
    while let (Some(id), Some(rest)) = (parts.next(), parts.next()) {
        let id = COMMANDS.iter().map(|command| command.id).find(|known| format!("{known:?}") == id);
        match id.map(|id| keymap.first_of(id)).unwrap_or_default().as_str() {
            "" => said.push_str(&format!("\"{}\"", id.map_or("", |id| id.command().title))),
            keys => said.push_str(keys),
        }
        said.push_str(rest);
    }
    said
}

/// Draws a frame around the target, and a line from the bubble to it if they are apart.
fn outline(ctx: &egui::Context, target: Rect, bubble: Rect, accent: Stroke) {
    let painter = ctx.layer_painter(LayerId::new(Order::Tooltip, Id::new("tour outline")));
    painter.rect_stroke(target, 6.0, accent, StrokeKind::Inside);
    let from = bubble.clamp(target.center());
    let to = target.clamp(from);
    if from.distance(to) > 2.0 * GAP {
        painter.line_segment([from, to], Stroke::new(1.0, accent.color));
    }
}

/// Draws the bubble. Returns the requested action.
fn bubble(ui: &mut Ui, title: &str, text: &str, place: usize) -> Option<Asked> {
    ui.set_width(WIDTH);
    ui.strong(title);
    ui.label(text);
    ui.add_space(4.0);
    let (is_first, is_last) = (place == 0, place + 1 == STEPS.len());
    let mut asked = None;
    let mut button = |ui: &mut Ui, text: &str, hint: &str, asks: Asked| {
        if ui.button(text).on_hover_text(hint).clicked() {
            asked = Some(asks);
        }
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("{} of {}", place + 1, STEPS.len())).weak());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let end = "Ends the tour; the menu Help and the palette start it again (Esc)";
            // The buttons have the same places in all steps.
            match is_last {
                true => {
                    let size_px = skip_px(ui);
                    ui.allocate_space(size_px);
                }
                false => button(ui, "Skip", "Continues without doing this step", Asked::Next),
            }
            if !is_first {
                button(ui, "Back", "Goes back to the previous step", Asked::Back);
            }
            button(ui, "End", end, Asked::End);
        });
    });
    asked
}

/// Returns the size of the button that skips a step.
fn skip_px(ui: &Ui) -> Vec2 {
    let font = egui::TextStyle::Button.resolve(ui.style());
    let text_px = ui.fonts_mut(|fonts| fonts.layout_no_wrap("Skip".into(), font, egui::Color32::PLACEHOLDER).size());
    text_px + 2.0 * ui.spacing().button_padding
}

/// Returns the positions of visible robots in the window.
fn in_sight(lab: &Lab, margin: f32) -> impl Iterator<Item = Pos2> {
    let camera = &lab.view.painted.camera;
    let world = lab.view.rect_px;
    let places = lab.run.host.simulation().agents().map(move |agent| {
        let at = camera.screen_from_world(agent.pose.position_m);
        world.min + Vec2::new(at.x as f32, at.y as f32)
    });
    places.filter(move |at| world.shrink(margin).contains(*at))
}

/// Returns the place of the first visible robot in the window.
pub fn robot(lab: &Lab) -> Option<Rect> {
    in_sight(lab, AROUND_ROBOT).next().map(|at| Rect::from_center_size(at, Vec2::splat(2.0 * AROUND_ROBOT)))
}

/// Returns the bounding box of all visible robots.
pub fn robots(lab: &Lab) -> Option<Rect> {
    in_sight(lab, 0.0).fold(None, |all: Option<Rect>, at| {
        let one = Rect::from_min_max(at, at);
        Some(all.map_or(one, |all| all.union(one)))
    })
}

/// The surroundings of a bubble.
pub struct Surroundings {
    screen: Rect,
    /// The target, which the bubble does not cover.
    target: Option<Rect>,
    /// Rectangles that it covers only if there is no other room.
    avoided: Vec<Rect>,
    /// The area of sensors, which it covers before the avoided ones.
    sensors: Option<Rect>,
    /// The world: a bubble over it hides no panel.
    world: Rect,
}

impl Surroundings {
    /// Whether a bubble at this place covers nothing.
    fn has_room(&self, bubble: Rect) -> bool {
        let all = self.target.iter().chain(&self.avoided);
        self.screen.contains_rect(bubble) && all.into_iter().all(|other| !covers(bubble, *other))
    }

    /// Returns the place that covers least and is nearest to the target: beside it, beside an avoided rectangle, or
    /// in a corner.
    fn place(&self, size: Vec2) -> Rect {
        let screen = self.screen;
        let room = Rect::from_min_max(screen.min, (screen.max - size).max(screen.min));
        let mut places =
            vec![room.center_top(), room.left_top(), room.right_top(), room.left_bottom(), room.right_bottom()];
        let within = self.world.shrink(theme::TINY_GAP);
        let corners = [Align2::LEFT_TOP, Align2::RIGHT_TOP, Align2::LEFT_BOTTOM, Align2::RIGHT_BOTTOM];
        places.extend(corners.map(|corner| corner.align_size_within_rect(size, within).min));
        for near in self.target.iter().chain(&self.avoided).chain(&self.sensors) {
            let middle = self.target.unwrap_or(*near).center() - size / 2.0;
            for x in [near.left() - GAP - size.x, near.right() + GAP] {
                places.extend([near.top(), middle.y, near.bottom() - size.y].map(|y| Pos2::new(x, y)));
            }
            for y in [near.bottom() + GAP, near.top() - GAP - size.y] {
                places.extend([near.left(), middle.x, near.right() - size.x].map(|x| Pos2::new(x, y)));
            }
        }
        let about = self.target.unwrap_or(Rect::from_min_max(room.center_top(), room.center_top()));
        let cost = |bubble: &Rect| {
            let covered = |others: &[Rect]| others.iter().map(|other| shared(*bubble, *other)).sum::<f32>();
            let distance = bubble.clamp(about.center()).distance(about.clamp(bubble.center()));
            // Covering sensors or panels a little is better than a bubble far away.
            let of_panels = bubble.area() - shared(*bubble, self.world);
            let apart = distance + (3.0 * covered(self.sensors.as_slice()) + 6.0 * of_panels) / WIDTH;
            [covered(self.target.as_slice()), covered(&self.avoided), apart]
        };
        let cheaper = |a: &Rect, b: &Rect| {
            let costs = cost(a).into_iter().zip(cost(b));
            costs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let places = places.into_iter().map(|place| Rect::from_min_size(room.clamp(place), size));
        places.min_by(cheaper).unwrap_or_else(|| Rect::from_min_size(screen.min, size))
    }
}

/// Returns the common area of two rectangles.
fn shared(a: Rect, b: Rect) -> f32 {
    let both = a.intersect(b);
    both.width().max(0.0) * both.height().max(0.0)
}

/// Whether two rectangles overlap.
pub fn covers(a: Rect, b: Rect) -> bool {
    shared(a, b) > 0.0
}
