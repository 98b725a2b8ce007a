//! The tool that selects, moves and rotates.

use std::collections::BTreeSet;

use bevy::math::DVec2;
use bevy_egui::egui::{CursorIcon, Modifiers, PointerButton, Rect, StrokeKind};
use swarmarium_base::math;
use swarmarium_core::agent::Pose;
use swarmarium_core::object;
use swarmarium_core::step::HasArena as _;
use swarmarium_lab_state::action::{Action, SelectionAction, TimeAction, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::description::Click;
use swarmarium_simulation::edit::Edit;
use swarmarium_space::ThingKind;

use crate::tools::grip::{Grip, Held};
use crate::tools::{Act, Mouse, SNAP_RAD, Sketch, ToolHandler, snapped, snapped_rad, snaps, undone};

/// The mouse gestures of the tool.
pub const MOUSE: &[(&str, &str)] = &[
    ("Click", "Select a robot or object; on empty ground, clear the selection"),
    ("Drag", "Move the selection; on empty ground, move the view"),
    ("Shift + drag", "On empty ground, select all robots and objects in a box"),
    ("Shift+click", "Add a robot or object to the selection, or remove it"),
    ("Double click", "Zoom in on a robot, an object or a place; with Shift, zoom out"),
    ("Right drag", "Turn the selected items towards the cursor; with Shift, turn all about their centre"),
    ("Ctrl+wheel", "Turn by 5 degrees per notch"),
    ("Alt held", "Invert snapping"),
];

/// Rotation per notch of the wheel, in radians; with snapping, the snapping angle.
const NOTCH_RAD: f64 = 5.0 * std::f64::consts::PI / 180.0;

/// Radius up to which a goal can be dragged like a mark on the ground, in points.
const MARK_PX: f64 = 50.0;

/// Selects, moves and rotates.
#[derive(Default)]
pub struct Select {
    doing: Doing,
    /// Whether a box was selected; the hint about boxes is then hidden.
    has_framed: bool,
}

/// The hint about boxes, for users who expect that a drag on empty ground selects one.
pub const BOX_HINT: &str = "Shift + drag selects a box";

/// The present drag.
#[derive(Default)]
enum Doing {
    #[default]
    Nothing,
    /// The view moves.
    Pan,
    /// A box is selected, between two points of the world in metres.
    Frame([DVec2; 2]),
    /// Items move. `leader` is the item under the cursor, `sent` the last edits.
    Move { grip: Grip, leader: Item, sent: Vec<Edit> },
    /// Items rotate. `sent` contains the last edits.
    Turn { grip: Grip, sent: Vec<Edit> },
}

impl ToolHandler for Select {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        match (mouse.act, mouse.button) {
            (Act::Click, PointerButton::Primary) => vec![clicked(lab, mouse)],
            (Act::DoubleClick, PointerButton::Primary) => zoomed(lab, mouse),
            (Act::Grasp, PointerButton::Primary) => self.start_drag(lab, mouse),
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
            // Where undo is not possible, as in world B, the cancellation is another change.
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
                let fill = theme::paint(lab.shell.settings.theme, Role::Accent.faint(0.15));
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
    fn start_drag(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
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
        // While time runs, held items are moved back in every step.
        if edits.is_empty() || (lab.run.host.clock().paused && edits == *sent) {
            return Vec::new();
        }
        sent.clone_from(&edits);
        vec![Action::Edits(edits)]
    }
}

/// Draws the requested poses of the held items while time runs, since they change only with the next step.
fn ghosts(lab: &Lab, sketch: &Sketch, sent: &[Edit]) {
    if lab.run.host.clock().paused {
        return;
    }
    let simulation = lab.run.host.simulation();
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

/// Zoom factor of a double click on the ground.
const CLOSER: f64 = 2.0;

/// Returns the actions of a double click: zoom to a robot or an object so that it fills the view, or in on the ground.
fn zoomed(lab: &Lab, mouse: &Mouse) -> Vec<Action> {
    let camera = &lab.view.painted.camera;
    let item = selection::standing_at(lab.run.host.simulation(), mouse.at_m, camera.pixels_per_m);
    match item {
        Some(item) => {
            let select = SelectionAction::Select(Some(item));
            vec![Action::Selection(select), Action::View(ViewAction::FitSelection)]
        }
        // The first click on the ground has restarted the scene.
        None if lab.run.host.simulation().scene_ahead().view.click == Click::Restart => Vec::new(),
        None => {
            let at_px = Some(camera.screen_from_world(mouse.at_m));
            let factor = if mouse.modifiers.shift { 1.0 / CLOSER } else { CLOSER };
            vec![Action::View(ViewAction::Zoom { at_px, factor })]
        }
    }
}

/// Returns the action of a click.
fn clicked(lab: &Lab, mouse: &Mouse) -> Action {
    let simulation = lab.run.host.simulation();
    let pixels_per_m = lab.view.painted.camera.pixels_per_m;
    let item = selection::standing_at(simulation, mouse.at_m, pixels_per_m);
    // Regions and other items on the ground count as ground.
    if simulation.scene_ahead().view.click == Click::Restart && item.is_none() && !mouse.modifiers.shift {
        return Action::Time(TimeAction::RestartAt(mouse.at_m));
    }
    let item = item.or_else(|| selection::lying_at(simulation, mouse.at_m, pixels_per_m));
    match item {
        Some(item) if mouse.modifiers.shift => {
            let mut chosen: Vec<Item> =
                lab.view.selection.items.iter().copied().filter(|known| *known != item).collect();
            if chosen.len() == lab.view.selection.items.len() {
                chosen.push(item);
            }
            Action::Selection(SelectionAction::Choose(chosen))
        }
        None if mouse.modifiers.shift => Action::Selection(SelectionAction::Choose(lab.view.selection.items.clone())),
        item => Action::Selection(SelectionAction::Select(item)),
    }
}

/// Returns the item that a press at a point grabs: one that stands there, a light or a small goal. A region or a large
/// goal can fill the arena, so it is grabbed only if it is selected.
pub fn held_at(lab: &Lab, at_m: DVec2) -> Option<Item> {
    let (simulation, pixels_per_m) = (lab.run.host.simulation(), lab.view.painted.camera.pixels_per_m);
    let lies = || {
        let item = selection::lying_at(simulation, at_m, pixels_per_m)?;
        let things = &simulation.world().arena().space.things;
        let thing = item.entry().and_then(|(_, place)| things.get(place))?;
        let is_mark = match thing.what {
            ThingKind::Light { .. } => true,
            ThingKind::Goal => thing.reach() * pixels_per_m <= MARK_PX,
            _ => false,
        };
        (is_mark || lab.view.selection.items.contains(&item)).then_some(item)
    };
    selection::standing_at(simulation, at_m, pixels_per_m).or_else(lies)
}

/// Returns the selection after an item was grabbed, and the actions for it.
fn with_grasped(lab: &Lab, item: Item, adds: bool) -> (Vec<Item>, Vec<Action>) {
    if lab.view.selection.items.contains(&item) {
        return (lab.view.selection.items.clone(), Vec::new());
    }
    let before = lab.view.selection.items.iter().copied().filter(|_| adds);
    let items: Vec<Item> = before.chain([item]).collect();
    (items.clone(), vec![Action::Selection(SelectionAction::Choose(items))])
}

/// Returns the selected robots and objects, then those with their centres in a box of the screen, given by two points
/// of the world.
fn framed(lab: &Lab, corners_m: [DVec2; 2]) -> Vec<Item> {
    let camera = &lab.view.painted.camera;
    let [one, other] = corners_m.map(|corner| camera.screen_from_world(corner));
    let (low, high) = (one.min(other), one.max(other));
    let is_inside = |center_m: DVec2| {
        let at = camera.screen_from_world(center_m);
        at.cmpge(low).all() && at.cmple(high).all()
    };
    let inside = selection::middles(lab.run.host.simulation()).filter(|(_, center_m)| is_inside(*center_m));
    let known: BTreeSet<Item> = lab.view.selection.items.iter().copied().collect();
    let new = inside.map(|(item, _)| item).filter(|item| !known.contains(item));
    lab.view.selection.items.iter().copied().chain(new).collect()
}

/// Returns the edits that move the held items by the displacement of the mouse; the leader snaps.
fn shifted(lab: &Lab, grip: &Grip, leader: Item, mouse: &Mouse) -> Vec<Edit> {
    let start_m = grip.position_m(leader).unwrap_or(grip.from_m);
    let shift_m = snapped(lab, start_m + mouse.at_m - grip.from_m, mouse.modifiers) - start_m;
    grip.moved(lab, |held| Pose { position_m: held.pose.position_m + shift_m, ..held.pose })
}

/// Returns the edits that turn the held items towards the mouse: each about its own centre or, with Shift, all about
/// their common centre.
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

/// Turns an item, and the rest of the selection if it belongs to it, by notches of the wheel, each about its own
/// centre.
pub fn turned(lab: &Lab, item: Item, notches: f64, modifiers: Modifiers) -> Action {
    let items = if lab.view.selection.items.contains(&item) { lab.view.selection.items.clone() } else { vec![item] };
    let notch_rad = if snaps(lab, modifiers) { SNAP_RAD } else { NOTCH_RAD };
    let grip = Grip::of(lab, &items, DVec2::ZERO);
    Action::Edits(grip.moved(lab, |held| {
        let heading_rad = held.pose.heading_rad + notches * notch_rad;
        let heading_rad = if held.lies_still() { heading_rad } else { snapped_rad(lab, heading_rad, modifiers) };
        Pose { heading_rad, ..held.pose }
    }))
}
