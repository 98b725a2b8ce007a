//! Selecting, moving and turning.

use std::collections::BTreeSet;

use bevy::math::DVec2;
use bevy_egui::egui::{CursorIcon, Modifiers, PointerButton, Rect, StrokeKind};
use swarmarium_base::math;
use swarmarium_core::agent::Pose;
use swarmarium_core::edit::Edit;
use swarmarium_core::object;
use swarmarium_core::scene::description::Click;
use swarmarium_core::step::CurrentSpace;
use swarmarium_picture::palette::Role;
use swarmarium_space::ThingKind;

use super::grip::{Grip, Held};
use super::{Act, Mouse, SNAP_RAD, Sketch, ToolHandler, snapped, snapped_rad, snaps, undone};
use crate::action::{SelectionAction, TimeAction, ViewAction};
use crate::selection::{self, Item};
use crate::{Action, Lab, theme};

/// What the mouse does.
pub const MOUSE: &[(&str, &str)] = &[
    ("Click", "Select a robot or object, or nothing"),
    ("Drag", "Move all that is selected; on empty ground, move the view"),
    ("Shift + drag", "On empty ground, selects a box: all robots and objects in it"),
    ("Shift+click", "Add it to what is selected, or take it away"),
    ("Double click", "Come closer to a robot or object, or to that place; with Shift, go back"),
    ("Right drag", "Turn what is selected towards the cursor; with Shift, all about their middle"),
    ("Ctrl+wheel", "Turn by 5 degrees a notch"),
    ("Alt held", "Snap, or not where it is on"),
];

/// How far a notch of the wheel turns, in radians; where headings snap, it is as far as they do.
const NOTCH_RAD: f64 = 5.0 * std::f64::consts::PI / 180.0;

/// A goal that reaches no farther than this from its middle is a mark on the ground, in points.
const MARK_PX: f64 = 50.0;

/// Selects, moves and turns.
#[derive(Default)]
pub struct Select {
    doing: Doing,
    /// Whether a box was selected: then the hint about boxes is not needed any more.
    has_framed: bool,
}

/// The hint about boxes, for those who expect that a drag on empty ground selects one.
pub const BOX_HINT: &str = "Shift + drag selects a box";

/// What a drag does.
#[derive(Default)]
enum Doing {
    #[default]
    Nothing,
    /// Moves the view.
    Pan,
    /// Selects by a box, between two points of the world in metres.
    Frame([DVec2; 2]),
    /// Moves what is held; the thing under the cursor leads, and this was sent last.
    Move { grip: Grip, leader: Item, sent: Vec<Edit> },
    /// Turns what is held; this was sent last.
    Turn { grip: Grip, sent: Vec<Edit> },
}

impl ToolHandler for Select {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        match (mouse.act, mouse.button) {
            (Act::Click, PointerButton::Primary) => vec![clicked(lab, mouse)],
            (Act::DoubleClick, PointerButton::Primary) => zoomed(lab, mouse),
            (Act::Grasp, PointerButton::Primary) => self.grasp(lab, mouse),
            (Act::Grasp, PointerButton::Secondary) => self.grasp_to_turn(lab, mouse),
            (Act::Drag, _) => self.drag(lab, mouse),
            (Act::Drop, _) => {
                let mut actions = self.drag(lab, mouse);
                if let Doing::Frame(corners_m) = &self.doing {
                    actions.push(Action::Selection(SelectionAction::Choose(framed(lab, *corners_m))));
                    self.has_framed = true;
                }
                self.doing = Doing::Nothing;
                actions
            }
            _ => Vec::new(),
        }
    }

    fn is_busy(&self) -> bool {
        matches!(self.doing, Doing::Frame(_) | Doing::Move { .. } | Doing::Turn { .. })
    }

    fn cancel(&self, lab: &Lab) -> Vec<Action> {
        match &self.doing {
            Doing::Move { sent, .. } | Doing::Turn { sent, .. } if sent.is_empty() => Vec::new(),
            // Where that cannot be undone, as in a second world, it is another change.
            Doing::Move { grip, .. } | Doing::Turn { grip, .. } => {
                vec![undone(lab).unwrap_or_else(|| Action::Edits(grip.back(lab)))]
            }
            _ => Vec::new(),
        }
    }

    fn cursor(&self, lab: &Lab, at_m: DVec2) -> CursorIcon {
        match &self.doing {
            Doing::Pan | Doing::Move { .. } => CursorIcon::Grabbing,
            Doing::Turn { .. } => CursorIcon::Alias,
            Doing::Frame(_) => CursorIcon::Crosshair,
            Doing::Nothing if held_at(lab, at_m).is_some() => CursorIcon::Grab,
            Doing::Nothing => CursorIcon::Default,
        }
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        match &self.doing {
            Doing::Frame(corners_m) => {
                let frame = Rect::from_two_pos(sketch.at(corners_m[0]), sketch.at(corners_m[1]));
                let fill = theme::paint(lab.settings.theme, Role::Accent.faint(0.15));
                sketch.painter.rect(frame, 0.0, fill, (1.5, sketch.color(Role::Accent)), StrokeKind::Middle);
            }
            Doing::Turn { grip, sent } => {
                if let Some(at_m) = sketch.cursor_m {
                    sketch.dashed(&[grip.center_m(), at_m], Role::Accent);
                }
                ghosts(lab, sketch, sent);
            }
            Doing::Move { sent, .. } => ghosts(lab, sketch, sent),
            Doing::Pan if !self.has_framed => {
                if let Some(at_m) = sketch.cursor_m {
                    sketch.words(at_m, BOX_HINT);
                }
            }
            Doing::Nothing | Doing::Pan => {}
        }
    }
}

impl Select {
    fn grasp(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        let Some(leader) = held_at(lab, mouse.at_m) else {
            let frames = mouse.modifiers.shift;
            self.doing = if frames { Doing::Frame([mouse.at_m; 2]) } else { Doing::Pan };
            return Vec::new();
        };
        let (items, actions) = with_grasped(lab, leader, mouse.modifiers.shift);
        self.doing = Doing::Move { grip: Grip::of(lab, &items, mouse.at_m), leader, sent: Vec::new() };
        actions
    }

    fn grasp_to_turn(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        let Some(item) = held_at(lab, mouse.at_m) else { return Vec::new() };
        let (items, actions) = with_grasped(lab, item, false);
        self.doing = Doing::Turn { grip: Grip::of(lab, &items, mouse.at_m), sent: Vec::new() };
        actions
    }

    fn drag(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        let (edits, sent) = match &mut self.doing {
            Doing::Nothing => return Vec::new(),
            Doing::Pan if mouse.by_px == DVec2::ZERO => return Vec::new(),
            Doing::Pan => return vec![Action::View(ViewAction::Pan(mouse.by_px))],
            Doing::Frame(corners_m) => {
                corners_m[1] = mouse.at_m;
                return Vec::new();
            }
            Doing::Move { grip, leader, sent } => (shifted(lab, grip, *leader, mouse), sent),
            Doing::Turn { grip, sent } => (turned_to(lab, grip, mouse), sent),
        };
        // While time runs, what is held is held against its own will.
        if edits.is_empty() || (lab.host.clock().paused && edits == *sent) {
            return Vec::new();
        }
        sent.clone_from(&edits);
        vec![Action::Edits(edits)]
    }
}

/// Draws where all that is held was asked to be, while time runs: only the next step brings it there.
fn ghosts(lab: &Lab, sketch: &Sketch, sent: &[Edit]) {
    if lab.host.clock().paused {
        return;
    }
    let simulation = lab.host.simulation();
    for edit in sent {
        match edit {
            Edit::Move { agent: number, x_m, y_m, heading_rad }
            | Edit::MoveObject { object: number, x_m, y_m, heading_rad } => {
                let is_agent = matches!(edit, Edit::Move { .. });
                let item = if is_agent { Item::Agent(*number) } else { Item::Object(*number as usize) };
                if let Some((_, reach_m)) = selection::extent(simulation, item) {
                    sketch.outline(DVec2::new(*x_m, *y_m), reach_m, *heading_rad);
                }
            }
            Edit::Set { path, .. } => {
                let place = path.strip_prefix("objects.").and_then(|place| place.parse::<usize>().ok());
                let object = place.and_then(|place| simulation.scene_ahead().objects.get(place));
                if let Some(figure) = object.and_then(|object| object::figure_of(simulation.world(), object)) {
                    sketch.forms(figure.center_m, 0.0, &figure.forms);
                }
            }
            _ => {}
        }
    }
}

/// How much closer a double click on the ground comes.
const CLOSER: f64 = 2.0;

/// What a double click asks for: to come closer, so that a robot or an object fills the view, or to the ground there.
fn zoomed(lab: &Lab, mouse: &Mouse) -> Vec<Action> {
    let camera = &lab.viewport.painted.camera;
    let item = selection::standing_at(lab.host.simulation(), mouse.at_m, camera.pixels_per_m);
    match item {
        Some(item) => {
            let select = SelectionAction::Select(Some(item));
            vec![Action::Selection(select), Action::View(ViewAction::FitSelection)]
        }
        // There, the first click has started the scene again.
        None if lab.host.simulation().scene_ahead().view.click == Click::Restart => Vec::new(),
        None => {
            let at_px = Some(camera.screen_from_world(mouse.at_m));
            let factor = if mouse.modifiers.shift { 1.0 / CLOSER } else { CLOSER };
            vec![Action::View(ViewAction::Zoom { at_px, factor })]
        }
    }
}

/// What a click asks for.
fn clicked(lab: &Lab, mouse: &Mouse) -> Action {
    let simulation = lab.host.simulation();
    let pixels_per_m = lab.viewport.painted.camera.pixels_per_m;
    let item = selection::standing_at(simulation, mouse.at_m, pixels_per_m);
    // What lies on the ground is ground.
    if simulation.scene_ahead().view.click == Click::Restart && item.is_none() && !mouse.modifiers.shift {
        return Action::Time(TimeAction::RestartAt(mouse.at_m));
    }
    let item = item.or_else(|| selection::lying_at(simulation, mouse.at_m, pixels_per_m));
    match item {
        Some(item) if mouse.modifiers.shift => {
            let mut chosen: Vec<Item> = lab.selection.items.iter().copied().filter(|known| *known != item).collect();
            if chosen.len() == lab.selection.items.len() {
                chosen.push(item);
            }
            Action::Selection(SelectionAction::Choose(chosen))
        }
        None if mouse.modifiers.shift => Action::Selection(SelectionAction::Choose(lab.selection.items.clone())),
        item => Action::Selection(SelectionAction::Select(item)),
    }
}

/// The item that a press at a point takes hold of: one that stands there, or a light, or a small goal. A region or another
/// goal may be as large as the arena, so that it is held only when it is selected.
pub fn held_at(lab: &Lab, at_m: DVec2) -> Option<Item> {
    let (simulation, pixels_per_m) = (lab.host.simulation(), lab.viewport.painted.camera.pixels_per_m);
    let lies = || {
        let item = selection::lying_at(simulation, at_m, pixels_per_m)?;
        let things = &simulation.world().resource::<CurrentSpace>().0.things;
        let thing = item.entry().and_then(|(_, place)| things.get(place))?;
        let is_mark = match thing.what {
            ThingKind::Light { .. } => true,
            ThingKind::Goal => thing.reach() * pixels_per_m <= MARK_PX,
            _ => false,
        };
        (is_mark || lab.selection.items.contains(&item)).then_some(item)
    };
    selection::standing_at(simulation, at_m, pixels_per_m).or_else(lies)
}

/// What is selected once a thing was grasped, and what that asks for.
fn with_grasped(lab: &Lab, item: Item, adds: bool) -> (Vec<Item>, Vec<Action>) {
    if lab.selection.items.contains(&item) {
        return (lab.selection.items.clone(), Vec::new());
    }
    let before = lab.selection.items.iter().copied().filter(|_| adds);
    let items: Vec<Item> = before.chain([item]).collect();
    (items.clone(), vec![Action::Selection(SelectionAction::Choose(items))])
}

/// The robots and objects whose middles are in a box of the screen, between two points of the world, after those that
/// are selected already.
fn framed(lab: &Lab, corners_m: [DVec2; 2]) -> Vec<Item> {
    let camera = &lab.viewport.painted.camera;
    let [one, other] = corners_m.map(|corner| camera.screen_from_world(corner));
    let (low, high) = (one.min(other), one.max(other));
    let is_inside = |center_m: DVec2| {
        let at = camera.screen_from_world(center_m);
        at.cmpge(low).all() && at.cmple(high).all()
    };
    let inside = selection::middles(lab.host.simulation()).filter(|(_, center_m)| is_inside(*center_m));
    let known: BTreeSet<Item> = lab.selection.items.iter().copied().collect();
    let new = inside.map(|(item, _)| item).filter(|item| !known.contains(item));
    lab.selection.items.iter().copied().chain(new).collect()
}

/// The edits that move all that is held as far as the mouse went; the leader snaps.
fn shifted(lab: &Lab, grip: &Grip, leader: Item, mouse: &Mouse) -> Vec<Edit> {
    let start_m = grip.position_m(leader).unwrap_or(grip.from_m);
    let shift_m = snapped(lab, start_m + mouse.at_m - grip.from_m, mouse.modifiers) - start_m;
    grip.moved(lab, |held| Pose { position_m: held.pose.position_m + shift_m, ..held.pose })
}

/// The edits that turn all that is held towards the mouse: each about its own middle or, with Shift, all about theirs.
fn turned_to(lab: &Lab, grip: &Grip, mouse: &Mouse) -> Vec<Edit> {
    let round_rad = |center_m: DVec2| {
        let [from, to] = [grip.from_m, mouse.at_m].map(|at_m| math::angle_of(at_m - center_m));
        snapped_rad(lab, math::wrap_angle(to - from), mouse.modifiers)
    };
    if mouse.modifiers.shift && grip.held.len() > 1 {
        let center_m = grip.center_m();
        let turn_rad = round_rad(center_m);
        let facing = math::direction(turn_rad);
        return grip.moved(lab, |Held { pose, .. }| Pose {
            position_m: center_m + facing.rotate(pose.position_m - center_m),
            heading_rad: math::wrap_angle(pose.heading_rad + turn_rad),
        });
    }
    grip.moved(lab, |held| {
        let position_m = held.pose.position_m;
        let heading_rad = match held.lies_still() {
            true => held.pose.heading_rad + round_rad(position_m),
            false if position_m == mouse.at_m => held.pose.heading_rad,
            false => snapped_rad(lab, math::angle_of(mouse.at_m - position_m), mouse.modifiers),
        };
        Pose { position_m, heading_rad }
    })
}

/// Turns a thing, and all that is selected with it, by notches of the wheel, each about its own middle.
pub fn turned(lab: &Lab, item: Item, notches: f64, modifiers: Modifiers) -> Action {
    let items = if lab.selection.items.contains(&item) { lab.selection.items.clone() } else { vec![item] };
    let notch_rad = if snaps(lab, modifiers) { SNAP_RAD } else { NOTCH_RAD };
    let grip = Grip::of(lab, &items, DVec2::ZERO);
    Action::Edits(grip.moved(lab, |held| {
        let heading_rad = held.pose.heading_rad + notches * notch_rad;
        let heading_rad = if held.lies_still() { heading_rad } else { snapped_rad(lab, heading_rad, modifiers) };
        Pose { heading_rad, ..held.pose }
    }))
}
