//! The tour: five steps from a running swarm to a scene that is saved.
//!
//! It is never modal: each step points at a thing, and is over when the user does what it says, or wants the next one.

use bevy_egui::egui::{
    self, Align, Area, Id, LayerId, Layout, Order, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, Ui, Vec2,
};
use swarmarium_picture::palette::Role;

use super::action::{FileRequest, PanelAction};
use super::selection::Item;
use super::{Action, Lab, theme};

/// Width of the bubble in points.
const WIDTH: f32 = 300.0;
/// Its size before it was drawn.
const ABOUT: Vec2 = Vec2::new(WIDTH + 26.0, 140.0);
/// Between the bubble and what it is about, in points.
const GAP: f32 = 14.0;
/// Half a side of the square around a robot, in points.
const AROUND_ROBOT: f32 = 18.0;

/// Something that the tour points at. Panels say where theirs are, with [`mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landmark {
    /// The button that plays and pauses.
    Play,
    /// The parameters.
    Parameters,
    /// A robot in the world.
    Robot,
    /// The button that records.
    Record,
}

/// One step.
struct Step {
    title: &'static str,
    /// Where `{undo}` stands for the keys that undo.
    text: &'static str,
    at: Landmark,
    /// Whether the user did what it says.
    is_done: fn(now: &Seen, before: &Seen) -> bool,
}

const STEPS: [Step; 5] = [
    Step {
        title: "This is a running swarm",
        text: "Pause and resume the simulation.",
        at: Landmark::Play,
        is_done: |now, before| now.is_paused != before.is_paused,
    },
    Step {
        title: "Everything can be changed",
        text: "Drag the number of a parameter, such as the range of a sensor, and see the swarm change.",
        at: Landmark::Parameters,
        is_done: |now, before| now.changes > before.changes,
    },
    Step {
        title: "What does a robot see?",
        text: "Click a robot: its sensors are drawn, and the inspector tells what they read.",
        at: Landmark::Robot,
        is_done: |now, before| now.robot.is_some() && now.robot != before.robot,
    },
    Step {
        title: "Build while it runs",
        text: "Draw a wall, or drag a robot with the tools of the world. {undo} takes it back.",
        at: Landmark::Robot,
        is_done: |now, before| now.changes > before.changes,
    },
    Step {
        title: "Keep it",
        text: "Record a video here, or save the scene from the menu. All else is in the palette and in the list of keys.",
        at: Landmark::Record,
        is_done: |now, before| now.keeps && !before.keeps,
    },
];

/// What the steps look at.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    is_paused: bool,
    /// How many changes were made.
    changes: usize,
    /// The robot that is selected.
    robot: Option<u32>,
    /// Whether a video is recorded, or the scene is about to be saved.
    keeps: bool,
}

impl Seen {
    fn of(lab: &Lab) -> Self {
        let simulation = lab.host.simulation();
        let logged = simulation.edits().iter().map(|logged| &logged.edit);
        let robot = match lab.selection.item {
            Some(Item::Agent(number)) => Some(number),
            _ => None,
        };
        Self {
            is_paused: lab.host.clock().paused,
            changes: logged.chain(simulation.waiting_edits()).filter(|edit| edit.is_change()).count(),
            robot,
            keeps: lab.recordings.running().is_some()
                || matches!(lab.file_request, Some(FileRequest::SaveScene | FileRequest::SaveStanding)),
        }
    }
}

/// The tour, while it is taken.
#[derive(Debug, Default)]
pub struct Tour {
    /// The step at hand.
    step: Option<usize>,
    /// How things were when that began.
    before: Seen,
    /// The size of the bubble in the last frame.
    bubble: Option<Vec2>,
}

impl Tour {
    /// Whether it is taken now.
    pub fn is_open(&self) -> bool {
        self.step.is_some()
    }

    /// Ends it; whether there was one.
    pub fn close(&mut self) -> bool {
        self.step.take().is_some()
    }
}

impl Lab {
    /// Begins the tour, or ends it. Begun once, it does not come by itself again.
    pub(crate) fn take_tour(&mut self) {
        self.settings.toured = true;
        if !self.tour.close() {
            self.tour = Tour { step: Some(0), before: Seen::of(self), bubble: None };
        }
    }

    fn next_step(&mut self) {
        let next = self.tour.step.map(|step| step + 1).filter(|step| *step < STEPS.len());
        self.tour = Tour { step: next, before: Seen::of(self), bubble: None };
    }
}

/// Says where a landmark is in this frame.
pub fn mark(ctx: &egui::Context, landmark: Landmark, rect: Rect) {
    let pass = ctx.cumulative_pass_nr();
    ctx.data_mut(|data| data.insert_temp(Id::new(("landmark", landmark)), (pass, rect)));
}

/// Where a landmark is, if it was drawn of late.
fn marked(ctx: &egui::Context, landmark: Landmark) -> Option<Rect> {
    let pass = ctx.cumulative_pass_nr();
    let (marked, rect) = ctx.data(|data| data.get_temp::<(u64, Rect)>(Id::new(("landmark", landmark))))?;
    (pass.saturating_sub(marked) <= 1).then_some(rect)
}

/// Draws the step at hand; what was asked for.
pub fn ui(ctx: &egui::Context, lab: &mut Lab) -> Vec<Action> {
    let Some(step) = lab.tour.step.and_then(|step| STEPS.get(step)) else { return Vec::new() };
    let now = Seen::of(lab);
    // What is held is not done yet: the bubble must not jump away under a drag.
    let is_held = ctx.input(|input| input.pointer.any_down());
    if (step.is_done)(&now, &lab.tour.before) && !is_held {
        lab.next_step();
        return Vec::new();
    }
    // After a reset there are fewer.
    lab.tour.before.changes = lab.tour.before.changes.min(now.changes);
    // Dialogs and the palette lie over all else.
    if lab.file_request.is_some() || lab.popups.palette {
        return Vec::new();
    }
    let target = match step.at {
        Landmark::Robot => marked(ctx, Landmark::Robot).or_else(|| robot(lab)),
        landmark => marked(ctx, landmark),
    };
    let accent = Stroke::new(2.0, theme::color(lab.settings.theme, Role::Accent));
    if let Some(target) = target {
        let painter = ctx.layer_painter(LayerId::new(Order::Foreground, Id::new("tour outline")));
        painter.rect_stroke(target.expand(3.0), 6.0, accent, StrokeKind::Inside);
    }
    let size = lab.tour.bubble.unwrap_or(ABOUT);
    let screen = ctx.content_rect().shrink(4.0);
    let place =
        target.map_or_else(|| beside_nothing(lab.viewport.rect_px, size), |target| beside(screen, target, size));
    let undo = match lab.keymap.text_of("Undo") {
        keys if keys.is_empty() => "Undo".into(),
        keys => keys,
    };
    let mut wanted = Vec::new();
    let area = Area::new(Id::new("tour")).fixed_pos(place.min).order(Order::Foreground).fade_in(false).movable(false);
    let shown = area.sense(Sense::click_and_drag()).show(ctx, |ui| {
        let frame = theme::panel(lab.settings.theme).stroke(accent).corner_radius(6);
        frame.show(ui, |ui| bubble(ui, step, &undo, lab.tour.step.unwrap_or_default(), &mut wanted)).inner
    });
    lab.tour.bubble = Some(shown.response.rect.size());
    if shown.inner {
        lab.next_step();
    }
    wanted
}

/// Draws what the bubble says; whether the next step is wanted.
fn bubble(ui: &mut Ui, step: &Step, undo: &str, place: usize, wanted: &mut Vec<Action>) -> bool {
    ui.set_width(WIDTH);
    ui.horizontal(|ui| {
        ui.strong(step.title);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let cross = ui.add(egui::Button::new("✖").frame(false));
            cross.ctx.accesskit_node_builder(cross.id, |node| node.set_label("Close the tour"));
            if cross.on_hover_text("Ends the tour (Esc)").clicked() {
                wanted.push(Action::Panel(PanelAction::Tour));
            }
        });
    });
    ui.label(step.text.replace("{undo}", undo));
    ui.add_space(4.0);
    let is_last = place + 1 == STEPS.len();
    let mut is_next = false;
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("{} of {}", place + 1, STEPS.len())).weak());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let (text, hint) = match is_last {
                true => ("Done", "Ends the tour; the menu has it again"),
                false => ("Next", "Goes on with the next step"),
            };
            is_next = ui.button(text).on_hover_text(hint).clicked();
            if !is_last && ui.button("Skip").on_hover_text("Ends the tour; the menu has it again (Esc)").clicked() {
                wanted.push(Action::Panel(PanelAction::Tour));
            }
        });
    });
    is_next
}

/// Where a robot is in the window: the first one that is in sight.
fn robot(lab: &Lab) -> Option<Rect> {
    let on_screen = |at_m| {
        let at = lab.viewport.painted.camera.screen_from_world(at_m);
        lab.viewport.rect_px.min + Vec2::new(at.x as f32, at.y as f32)
    };
    let inner = lab.viewport.rect_px.shrink(AROUND_ROBOT);
    let mut places = lab.host.simulation().agents().map(|agent| on_screen(agent.pose.position_m));
    let at = places.find(|at| inner.contains(*at))?;
    Some(Rect::from_center_size(at, Vec2::splat(2.0 * AROUND_ROBOT)))
}

/// A place for a bubble beside what it is about, on the screen if there is room: below, above, to the right or the left.
fn beside(screen: Rect, target: Rect, size: Vec2) -> Rect {
    let middle = target.center() - size / 2.0;
    let x = middle.x.clamp(screen.left(), (screen.right() - size.x).max(screen.left()));
    let y = middle.y.clamp(screen.top(), (screen.bottom() - size.y).max(screen.top()));
    let places = [
        Pos2::new(x, target.bottom() + GAP),
        Pos2::new(x, target.top() - GAP - size.y),
        Pos2::new(target.right() + GAP, y),
        Pos2::new(target.left() - GAP - size.x, y),
    ];
    let fits = |place: &Rect| screen.contains_rect(*place);
    let places = places.map(|place| Rect::from_min_size(place, size));
    places.into_iter().find(fits).unwrap_or_else(|| Rect::from_min_size(screen.min, size))
}

/// A place for a bubble when what it is about is hidden.
fn beside_nothing(world: Rect, size: Vec2) -> Rect {
    Rect::from_min_size(Pos2::new(world.center().x - size.x / 2.0, world.top() + GAP), size)
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Key;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_core::edit::Edit;

    use super::*;
    use crate::testing::{lab_on, window};

    #[test]
    fn nobody_meets_it_unasked_in_a_lab_that_a_program_makes() {
        let (window, lab) = window(lab_on("milling"));
        assert!(!lab.borrow().tour.is_open() && !lab.borrow().settings.toured);
        assert!(window.query_by_label("Skip").is_none());
    }

    #[test]
    fn it_can_be_walked_through() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().take_tour();
        for (place, step) in STEPS.iter().enumerate() {
            window.run_steps(3);
            window.get_by_label(step.title);
            window.get_by_label(if place + 1 < STEPS.len() { "Next" } else { "Done" }).click();
        }
        window.run_steps(3);
        assert!(!lab.borrow().tour.is_open() && lab.borrow().settings.toured);
    }

    #[test]
    fn it_ends_with_escape_the_cross_and_a_button() {
        let (mut window, lab) = window(lab_on("milling"));
        for end in [None, Some("Skip"), Some("Close the tour")] {
            lab.borrow_mut().take_tour();
            window.run_steps(3);
            match end {
                Some(label) => window.get_by_label(label).click(),
                None => window.key_press(Key::Escape),
            }
            window.run_steps(3);
            assert!(!lab.borrow().tour.is_open(), "{end:?}");
        }
    }

    #[test]
    fn steps_are_over_when_they_are_done() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().take_tour();
        let step = || lab.borrow().tour.step;
        window.run_steps(2);
        window.key_press(Key::Space);
        window.run_steps(3);
        assert_eq!(step(), Some(1));
        let edit = |value: &str| Edit::Set { path: "groups.millers.sensors.0.range_m".into(), value: value.into() };
        lab.borrow_mut().host.apply(edit("1.5")).unwrap();
        window.run_steps(3);
        assert_eq!(step(), Some(2));
        lab.borrow_mut().select(Some(Item::Agent(3)));
        window.run_steps(3);
        assert_eq!(step(), Some(3));
        lab.borrow_mut().host.apply(Edit::Move { agent: 0, x_m: 5.0, y_m: 5.0, heading_rad: 0.0 }).unwrap();
        window.run_steps(3);
        assert_eq!(step(), Some(4));
        lab.borrow_mut().file_request = Some(FileRequest::SaveScene);
        window.run_steps(3);
        assert_eq!(step(), None);
    }

    #[test]
    fn the_bubble_never_covers_what_it_is_about() {
        let screen = Rect::from_min_size(Pos2::ZERO, Vec2::new(1280.0, 720.0));
        let size = Vec2::new(320.0, 150.0);
        let targets = [
            Rect::from_min_size(Pos2::new(60.0, 5.0), Vec2::new(80.0, 30.0)),
            Rect::from_min_size(Pos2::new(920.0, 300.0), Vec2::new(360.0, 420.0)),
            Rect::from_min_size(Pos2::new(920.0, 0.0), Vec2::new(360.0, 720.0)),
            Rect::from_min_size(Pos2::new(0.0, 0.0), Vec2::new(220.0, 720.0)),
            Rect::from_min_size(Pos2::new(0.0, 690.0), Vec2::new(1280.0, 30.0)),
            Rect::from_center_size(screen.center(), Vec2::splat(36.0)),
        ];
        for target in targets {
            let bubble = beside(screen, target, size);
            assert!(screen.contains_rect(bubble), "{target:?} {bubble:?}");
            assert!(!bubble.intersects(target), "{target:?} {bubble:?}");
        }
    }

    #[test]
    fn it_points_at_the_things_in_the_window() {
        let (mut window, lab) = window(lab_on("milling"));
        window.run_steps(1);
        let play = marked(&window.ctx, Landmark::Play).unwrap();
        assert!(play.contains(window.get_by_label("Play").rect().center()));
        assert!(marked(&window.ctx, Landmark::Record).is_some());
        assert!(marked(&window.ctx, Landmark::Parameters).unwrap().left() >= lab.borrow().viewport.rect_px.right());
        assert!(lab.borrow().viewport.rect_px.contains_rect(robot(&lab.borrow()).unwrap()));
        lab.borrow_mut().settings.panels = false;
        window.run_steps(3);
        assert_eq!(marked(&window.ctx, Landmark::Play), None);
    }
}
