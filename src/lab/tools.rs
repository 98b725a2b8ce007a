//! The tools: what the mouse does in the world.
//!
//! A tool is one file with a [`ToolHandler`]: from what the mouse does it makes [`Action`]s, and it draws what would come of
//! them. Nothing else is changed by it, so that all of it can be tested without a window.

use bevy::math::DVec2;
use bevy_egui::egui::{
    CursorIcon, Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Rect, Response, Ui, Vec2,
};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_core::draw::scale;
use swarmarium_core::simulation::Simulation;
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture};

use super::action::{HistoryAction, ViewAction};
use super::canvas::world_m;
use super::selection::{self, Item};
use super::toolbox::{Tool, ToolOptions};
use super::{Action, Lab, focus};

mod align;
pub mod bar;
mod copies;
mod erase;
mod fault;
pub(super) mod grip;
mod making;
mod measure;
mod menu;
mod select;
mod shape;
mod sketch;
mod spawn;
#[cfg(test)]
mod tests;
mod wall;

pub use copies::Clipboard;

use sketch::Sketch;

impl Tool {
    /// The gestures of the mouse, each with its effect.
    pub const fn mouse(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Select => select::MOUSE,
            Self::Spawn => spawn::MOUSE,
            Self::Wall => wall::MOUSE,
            Self::Obstacle | Self::Region => shape::MOUSE,
            Self::Goal => shape::GOAL_MOUSE,
            Self::Light => shape::LIGHT_MOUSE,
            Self::Erase => erase::MOUSE,
            Self::Fault => fault::MOUSE,
            Self::Measure => measure::MOUSE,
        }
    }

    /// The handler of this tool, at its start.
    fn handler(self) -> Box<dyn ToolHandler> {
        match self {
            Self::Select => Box::new(select::Select::default()),
            Self::Spawn => Box::new(spawn::Spawn::default()),
            Self::Wall => Box::new(wall::Wall::default()),
            Self::Obstacle => Box::new(shape::Shape::new(shape::ObjectKind::Obstacle)),
            Self::Region => Box::new(shape::Shape::new(shape::ObjectKind::Region)),
            Self::Goal => Box::new(shape::Shape::new(shape::ObjectKind::Goal)),
            Self::Light => Box::new(shape::Shape::new(shape::ObjectKind::Light)),
            Self::Erase => Box::new(erase::Erase::default()),
            Self::Fault => Box::new(fault::Breaker),
            Self::Measure => Box::new(measure::Measure::default()),
        }
    }
}

/// What the mouse does in the world with any tool; each tool [has more](Tool::mouse).
const GESTURES: [(&str, &str); 4] = [
    ("Middle drag", "Move the view"),
    ("Wheel, pinch", "Zoom at the cursor"),
    ("Right click", "What can be done with a robot or object"),
    ("Drop a file", "Open it"),
];

/// What the mouse does in the world with the tool at hand: what is most useful first.
pub fn gestures(lab: &Lab) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    lab.toolbox.tool.mouse().iter().chain(&GESTURES)
}

/// What a drag does at the cursor with the tool that selects; `None` with other tools, or outside the world.
pub fn drag_hint(lab: &Lab) -> Option<String> {
    let at_m = lab.viewport.cursor_m.filter(|_| lab.toolbox.tool == Tool::Select)?;
    Some(match select::held_at(lab, at_m) {
        Some(_) => "Drag moves it; right drag turns it".into(),
        None => format!("Drag moves the view; {}", select::BOX_HINT),
    })
}

/// What the mouse did. A press that moves, or lasts, is grasp, drags and drop; another one is a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Pressed and let go in one place.
    Click,
    /// The second of two clicks in one place, or the third of three.
    DoubleClick,
    /// Pressed, where the press was.
    Grasp,
    /// Moved, or held, while pressed.
    Drag,
    /// Let go after that.
    Drop,
}

/// A thing that the mouse did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouse {
    /// What it did.
    pub act: Act,
    /// With which button: the primary or the secondary one.
    pub button: PointerButton,
    /// The point of the world under the cursor, in metres.
    pub at_m: DVec2,
    /// How far the cursor moved on the screen, to the right and down, in points.
    pub by_px: DVec2,
    /// The keys that were held.
    pub modifiers: Modifiers,
}

/// What a tool does with the mouse.
pub trait ToolHandler: Send + Sync {
    /// What the mouse asks for.
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action>;

    /// Whether something is begun that Enter ends and Esc takes back.
    fn is_busy(&self) -> bool {
        false
    }

    /// What Enter asks for.
    fn finish(&mut self, _: &Lab) -> Vec<Action> {
        Vec::new()
    }

    /// What Esc asks for, to take back what was done since it was begun; the handler is a new one then.
    fn cancel(&self, _: &Lab) -> Vec<Action> {
        Vec::new()
    }

    /// What the cursor looks like at a point of the world.
    fn cursor(&self, _: &Lab, _: DVec2) -> CursorIcon {
        CursorIcon::Crosshair
    }

    /// Draws what would come of what is begun.
    fn draw(&self, lab: &Lab, sketch: &Sketch);

    /// Whether the tool can be set to anything.
    fn has_options(&self) -> bool {
        false
    }

    /// Draws what the tool can be set to.
    fn options(&self, _: &mut Ui, _: &Lab, _: &mut ToolOptions) {}
}

/// The tool at hand.
pub struct Tools {
    tool: Tool,
    handler: Box<dyn ToolHandler>,
    /// The button that is held down since the world was grasped.
    held: Option<PointerButton>,
    /// Where the cursor was last, in points.
    last: Pos2,
    menu: menu::Menu,
}

impl Default for Tools {
    fn default() -> Self {
        let tool = Tool::default();
        Self { tool, handler: tool.handler(), held: None, last: Pos2::ZERO, menu: menu::Menu::default() }
    }
}

/// The buttons, from the one that counts first.
const BUTTONS: [PointerButton; 3] = [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle];

impl Tools {
    /// Gives the tool what the mouse does in the world, and draws over it; what was asked for.
    pub fn ui(&mut self, ui: &Ui, lab: &Lab, response: &Response) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.tool != lab.toolbox.tool {
            self.take(lab.toolbox.tool);
        }
        actions.extend(self.keys(ui, lab));
        let had_menu = response.context_menu_opened();
        for mouse in self.mice(lab, response) {
            match mouse {
                // The click only closes the menu.
                Mouse { act: Act::Click | Act::DoubleClick, .. } if had_menu => {}
                Mouse { button: PointerButton::Middle, act: Act::Drag, by_px, .. } => {
                    actions.push(Action::View(ViewAction::Pan(by_px)));
                }
                Mouse { button: PointerButton::Middle, .. } => {}
                mouse => actions.extend(self.handler.mouse(lab, &mouse)),
            }
        }
        let cursor_m = response.hover_pos().map(|at| world_m(&lab.viewport.painted.camera, response.rect, at));
        actions.extend(cursor_m.map(|at_m| self.wheel(ui, lab, at_m)).unwrap_or_default());
        actions.extend(self.menu.ui(lab, response, cursor_m));
        if let Some(at_m) = cursor_m {
            ui.ctx().set_cursor_icon(self.handler.cursor(lab, at_m));
        }
        let painter = ui.painter_at(response.rect);
        let sketch =
            Sketch { lab, painter, rect: response.rect, cursor_m, modifiers: ui.input(|input| input.modifiers) };
        rings(lab, &sketch);
        self.handler.draw(lab, &sketch);
        actions
    }

    /// Draws what the tool at hand can be set to, over the world; what was asked for.
    pub fn options(&self, ui: &Ui, lab: &Lab, world: Rect) -> Option<Action> {
        bar::options(ui, lab, &*self.handler, world)
    }

    fn take(&mut self, tool: Tool) {
        (self.tool, self.handler, self.held) = (tool, tool.handler(), None);
    }

    /// Enter ends what is begun, Esc takes it back.
    fn keys(&mut self, ui: &Ui, lab: &Lab) -> Vec<Action> {
        if !self.handler.is_busy() {
            return Vec::new();
        }
        if focus::takes_escape(ui.ctx()) {
            let actions = self.handler.cancel(lab);
            self.take(self.tool);
            return actions;
        }
        let is_free = ui.memory(|memory| memory.focused().is_none());
        if is_free && ui.input(|input| input.key_pressed(Key::Enter)) { self.handler.finish(lab) } else { Vec::new() }
    }

    /// What the mouse did since the last frame.
    fn mice(&mut self, lab: &Lab, response: &Response) -> Vec<Mouse> {
        let pointer = response.interact_pointer_pos().or(response.hover_pos());
        self.last = pointer.unwrap_or(self.last);
        let modifiers = response.ctx.input(|input| input.modifiers);
        let mouse = |act, button, at, by: Vec2| Mouse {
            act,
            button,
            at_m: world_m(&lab.viewport.painted.camera, response.rect, at),
            by_px: DVec2::new(f64::from(by.x), f64::from(by.y)),
            modifiers,
        };
        let mut mice = Vec::new();
        if response.clicked_by(PointerButton::Primary) {
            // The third of three clicks goes with the second.
            let goes_on = response.double_clicked() || response.triple_clicked();
            let act = if goes_on { Act::DoubleClick } else { Act::Click };
            mice.push(mouse(act, PointerButton::Primary, self.last, Vec2::ZERO));
        }
        let mut by = response.drag_delta();
        if self.held.is_none() && response.drag_started() {
            self.held = BUTTONS.into_iter().find(|button| response.dragged_by(*button));
            by = response.total_drag_delta().unwrap_or(by);
            let from = response.ctx.input(|input| input.pointer.press_origin());
            let from = from.unwrap_or(self.last);
            mice.extend(self.held.map(|button| mouse(Act::Grasp, button, from, Vec2::ZERO)));
        }
        if let Some(button) = self.held {
            let is_down = response.dragged_by(button);
            mice.push(mouse(if is_down { Act::Drag } else { Act::Drop }, button, self.last, by));
            self.held = self.held.filter(|_| is_down);
        }
        mice
    }

    /// Ctrl and the wheel turn what is under the cursor; otherwise the wheel, or two fingers, zoom there.
    fn wheel(&self, ui: &Ui, lab: &Lab, at_m: DVec2) -> Option<Action> {
        let (modifiers, notches) = ui.input(|input| (input.modifiers, input.events.iter().map(notches).sum::<f64>()));
        if self.tool == Tool::Select && modifiers.command {
            let item = selection::thing_at(lab.host.simulation(), at_m, lab.viewport.painted.camera.pixels_per_m);
            if let Some(item) = item {
                return (notches != 0.0).then(|| select::turned(lab, item, notches, modifiers));
            }
        }
        zoom(ui, &lab.viewport.painted.camera, at_m)
    }
}

/// The wheel, or two fingers, zoom at a point of the world.
pub fn zoom(ui: &Ui, camera: &Camera, at_m: DVec2) -> Option<Action> {
    let factor = ui.input(|input| (input.smooth_scroll_delta().y / WHEEL).exp() * input.zoom_delta());
    let at_px = camera.screen_from_world(at_m);
    (factor != 1.0).then_some(Action::View(ViewAction::Zoom { at_px: Some(at_px), factor: f64::from(factor) }))
}

/// Wheel travel, in points, that zooms by a factor of e.
const WHEEL: f32 = 250.0;
/// Wheel travel, in points, that counts as a notch where the wheel has none.
const NOTCH_PX: f64 = 40.0;

/// By how many notches a wheel was turned, upwards.
fn notches(event: &Event) -> f64 {
    match event {
        Event::MouseWheel { unit: MouseWheelUnit::Point, delta, .. } => f64::from(delta.y) / NOTCH_PX,
        Event::MouseWheel { delta, .. } => f64::from(delta.y),
        _ => 0.0,
    }
}

/// What takes back all that was changed since something was begun: nothing, where the last change is another one.
fn undone(lab: &Lab) -> Option<Action> {
    lab.host.is_last_change(lab.edits.last).then_some(Action::History(HistoryAction::Undo))
}

/// Whether positions and headings snap now: Alt held turns it around.
fn snaps(lab: &Lab, modifiers: Modifiers) -> bool {
    lab.toolbox.options.snaps != modifiers.alt
}

/// The angle (rad) between two headings that snap.
const SNAP_RAD: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// A point (m) of the grid that is shown, the nearest one, where positions snap; otherwise the point itself.
fn snapped(lab: &Lab, point_m: DVec2, modifiers: Modifiers) -> DVec2 {
    let most = DVec2::splat(MAX_LENGTH_M);
    let grid_m = scale::grid_m(&lab.viewport.painted.camera);
    let at_m = if snaps(lab, modifiers) { (point_m / grid_m).round() * grid_m } else { point_m };
    at_m.clamp(-most, most)
}

/// A heading (rad) of a multiple of 15 degrees, the nearest one, where headings snap; otherwise the heading itself.
fn snapped_rad(lab: &Lab, heading_rad: f64, modifiers: Modifiers) -> f64 {
    if snaps(lab, modifiers) { (heading_rad / SNAP_RAD).round() * SNAP_RAD } else { heading_rad }
}

/// The most things that are selected with a ring each: the interface makes each of many triangles in each frame.
const MOST_RINGS: usize = 200;
/// How far a halo reaches beyond a robot, in points.
const HALO_PX: f64 = 3.0;

/// Discs that show behind selected robots, where there are too many of them for rings.
pub fn halos(simulation: &Simulation, chosen: &[Item], picture: &mut Picture) {
    if chosen.len() <= MOST_RINGS {
        return;
    }
    for item in chosen.iter().filter(|item| item.agent().is_some()) {
        if let Some((center_m, radius_m)) = selection::extent(simulation, *item) {
            picture.disc(Layer::Sensors, Role::Accent, center_m, radius_m + HALO_PX / picture.pixels_per_m);
        }
    }
}

/// Rings around all that is selected. The robot that was selected last has one already, and those of a crowd have
/// [`halos`].
fn rings(lab: &Lab, sketch: &Sketch) {
    let simulation = lab.host.simulation();
    let has_ring = |item: &Item| match item.agent() {
        Some(agent) => lab.selection.items.len() <= MOST_RINGS && lab.viewport.view.selected != Some(agent),
        None => true,
    };
    for item in lab.selection.items.iter().filter(|item| has_ring(item)) {
        sketch.ring(simulation, *item);
    }
}
