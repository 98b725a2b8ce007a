//! The tools: the effect of the mouse in the world.
//!
//! A tool is a file with a [`ToolHandler`], which converts mouse input to [`Action`]s and draws a preview of their
//! effect. It changes nothing else, so tests need no window.

pub mod align;
pub mod bar;
pub mod erase;
pub mod fault;
pub mod grip;
pub mod making;
pub mod measure;
pub mod menu;
pub mod select;
pub mod shape;
pub mod sketch;
pub mod spawn;
#[cfg(test)]
mod tests;
pub mod wall;

use bevy::math::DVec2;
use bevy_egui::egui::{
    CursorIcon, Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Rect, Response, Ui, Vec2,
};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_draw::scale;
use swarmarium_lab_state::action::{Action, HistoryAction, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::canvas::world_m;
use swarmarium_lab_state::common::focus;
use swarmarium_lab_state::common::halos::MOST_RINGS;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::toolbox::{Tool, ToolOptions};
use swarmarium_picture::camera::Camera;

use crate::tools::sketch::Sketch;

/// Returns the mouse gestures of a tool, each with its effect.
const fn gestures_with(tool: Tool) -> &'static [(&'static str, &'static str)] {
    match tool {
        Tool::Select => select::MOUSE,
        Tool::Spawn => spawn::MOUSE,
        Tool::Wall => wall::MOUSE,
        Tool::Obstacle | Tool::Region => shape::MOUSE,
        Tool::Goal => shape::GOAL_MOUSE,
        Tool::Light => shape::LIGHT_MOUSE,
        Tool::Erase => erase::MOUSE,
        Tool::Fault => fault::MOUSE,
        Tool::Measure => measure::MOUSE,
    }
}

/// Creates the handler of a tool.
fn handler(tool: Tool) -> Box<dyn ToolHandler> {
    match tool {
        Tool::Select => Box::new(select::Select::default()),
        Tool::Spawn => Box::new(spawn::Spawn::default()),
        Tool::Wall => Box::new(wall::Wall::default()),
        Tool::Obstacle => Box::new(shape::Shape::new(shape::ObjectKind::Obstacle)),
        Tool::Region => Box::new(shape::Shape::new(shape::ObjectKind::Region)),
        Tool::Goal => Box::new(shape::Shape::new(shape::ObjectKind::Goal)),
        Tool::Light => Box::new(shape::Shape::new(shape::ObjectKind::Light)),
        Tool::Erase => Box::new(erase::Erase::default()),
        Tool::Fault => Box::new(fault::FaultTool),
        Tool::Measure => Box::new(measure::Measure::default()),
    }
}

/// Mouse gestures that work with any tool; each tool [has more](gestures_with).
const GESTURES: [(&str, &str); 4] = [
    ("Middle drag", "Move the view"),
    ("Wheel, pinch", "Zoom at the cursor"),
    ("Right click", "Open the menu of a robot or object"),
    ("Drop a file", "Open it"),
];

/// Returns the mouse gestures with the present tool, the most useful first.
pub fn gestures(lab: &Lab) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    gestures_with(lab.edits.toolbox.tool).iter().chain(&GESTURES)
}

/// Returns the effect of a drag at the cursor with the select tool; `None` with other tools, or outside of the world.
pub fn drag_hint(lab: &Lab) -> Option<String> {
    let at_m = lab.view.cursor_m.filter(|_| lab.edits.toolbox.tool == Tool::Select)?;
    Some(match select::held_at(lab, at_m) {
        Some(_) => "Drag moves it; right drag turns it".into(),
        None => format!("Drag moves the view; {}", select::BOX_HINT),
    })
}

/// A mouse action. A press that moves or lasts gives grasp, drags and drop; any other press gives a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Press and release in one place.
    Click,
    /// The second of two clicks in one place, or the third of three.
    DoubleClick,
    /// The start of a drag, at the position of the press.
    Grasp,
    /// Movement, or time, while pressed.
    Drag,
    /// The release after that.
    Drop,
}

/// A mouse event in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouse {
    /// The kind of the event.
    pub act: Act,
    /// The button: the primary or the secondary one.
    pub button: PointerButton,
    /// The point of the world under the cursor, in metres.
    pub at_m: DVec2,
    /// The movement of the cursor on the screen, to the right and down, in points.
    pub by_px: DVec2,
    /// The held modifier keys.
    pub modifiers: Modifiers,
}

/// The behaviour of a tool.
pub trait ToolHandler: Send + Sync {
    /// Handles a mouse event. Returns the requested actions.
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action>;

    /// Whether a drawing has begun that Enter completes and Esc cancels.
    fn is_busy(&self) -> bool {
        false
    }

    /// Returns the actions of Enter.
    fn finish(&mut self, _: &Lab) -> Vec<Action> {
        Vec::new()
    }

    /// Returns the actions of Esc, which undo the changes since the drawing began; the handler is then replaced.
    fn cancel(&self, _: &Lab) -> Vec<Action> {
        Vec::new()
    }

    /// Returns the cursor at a point of the world.
    fn cursor(&self, _: &Lab, _: DVec2) -> CursorIcon {
        CursorIcon::Crosshair
    }

    /// Draws a preview.
    fn draw(&self, lab: &Lab, sketch: &Sketch);

    /// Whether the tool has settings.
    fn has_options(&self) -> bool {
        false
    }

    /// Draws the settings of the tool.
    fn options(&self, _: &mut Ui, _: &Lab, _: &mut ToolOptions) {}
}

/// The present tool.
pub struct Tools {
    tool: Tool,
    handler: Box<dyn ToolHandler>,
    /// The button that is held since the world was grasped.
    held: Option<PointerButton>,
    /// The last position of the cursor, in points.
    last: Pos2,
    menu: menu::Menu,
}

impl Default for Tools {
    fn default() -> Self {
        let tool = Tool::default();
        Self { tool, handler: handler(tool), held: None, last: Pos2::ZERO, menu: menu::Menu::default() }
    }
}

/// The buttons by priority.
const BUTTONS: [PointerButton; 3] = [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle];

impl Tools {
    /// Passes mouse input in the world to the tool, and draws over the world. Returns the requested actions.
    pub fn ui(&mut self, ui: &Ui, lab: &Lab, response: &Response) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.tool != lab.edits.toolbox.tool {
            self.take(lab.edits.toolbox.tool);
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
        let cursor_m = response.hover_pos().map(|at| world_m(&lab.view.painted.camera, response.rect, at));
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

    /// Draws the settings of the present tool over the world. Returns the requested action.
    pub fn options(&self, ui: &Ui, lab: &Lab, world: Rect) -> Option<Action> {
        bar::options(ui, lab, &*self.handler, world)
    }

    fn take(&mut self, tool: Tool) {
        (self.tool, self.handler, self.held) = (tool, handler(tool), None);
    }

    /// Handles Enter and Esc while a drawing has begun.
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

    /// Returns the mouse events since the last frame.
    fn mice(&mut self, lab: &Lab, response: &Response) -> Vec<Mouse> {
        let pointer = response.interact_pointer_pos().or(response.hover_pos());
        self.last = pointer.unwrap_or(self.last);
        let modifiers = response.ctx.input(|input| input.modifiers);
        let mouse = |act, button, at, by: Vec2| Mouse {
            act,
            button,
            at_m: world_m(&lab.view.painted.camera, response.rect, at),
            by_px: DVec2::new(f64::from(by.x), f64::from(by.y)),
            modifiers,
        };
        let mut mice = Vec::new();
        if response.clicked_by(PointerButton::Primary) {
            // The third of three clicks counts with the second.
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

    /// Handles the wheel: with Ctrl it turns the item under the cursor; otherwise the wheel or two fingers zoom there.
    fn wheel(&self, ui: &Ui, lab: &Lab, at_m: DVec2) -> Option<Action> {
        let (modifiers, notches) = ui.input(|input| (input.modifiers, input.events.iter().map(notches).sum::<f64>()));
        if self.tool == Tool::Select && modifiers.command {
            let item = selection::thing_at(lab.run.host.simulation(), at_m, lab.view.painted.camera.pixels_per_m);
            if let Some(item) = item {
                return (notches != 0.0).then(|| select::turned(lab, item, notches, modifiers));
            }
        }
        zoom(ui, &lab.view.painted.camera, at_m)
    }
}

/// Returns the zoom by the wheel or two fingers at a point of the world.
pub fn zoom(ui: &Ui, camera: &Camera, at_m: DVec2) -> Option<Action> {
    let factor = ui.input(|input| (input.smooth_scroll_delta().y / WHEEL).exp() * input.zoom_delta());
    let at_px = camera.screen_from_world(at_m);
    (factor != 1.0).then_some(Action::View(ViewAction::Zoom { at_px: Some(at_px), factor: f64::from(factor) }))
}

/// Wheel travel, in points, that zooms by a factor of e.
const WHEEL: f32 = 250.0;

/// Wheel travel, in points, that counts as a notch if the wheel has none.
const NOTCH_PX: f64 = 40.0;

/// Returns the number of notches by which the wheel was turned, upwards.
pub fn notches(event: &Event) -> f64 {
    match event {
        Event::MouseWheel { unit: MouseWheelUnit::Point, delta, .. } => f64::from(delta.y) / NOTCH_PX,
        Event::MouseWheel { delta, .. } => f64::from(delta.y),
        _ => 0.0,
    }
}

/// Returns the undo of all changes since a drawing began; `None` if the last change is another one.
fn undone(lab: &Lab) -> Option<Action> {
    lab.run.host.is_last_change(lab.edits.last).then_some(Action::History(HistoryAction::Undo))
}

/// Whether positions and headings snap now; Alt inverts the setting.
pub fn snaps(lab: &Lab, modifiers: Modifiers) -> bool {
    lab.edits.toolbox.options.snaps != modifiers.alt
}

/// The angle between two snapped headings, in radians.
pub const SNAP_RAD: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// Returns the nearest point of the shown grid (m) if positions snap; otherwise the point itself.
pub fn snapped(lab: &Lab, point_m: DVec2, modifiers: Modifiers) -> DVec2 {
    let most = DVec2::splat(MAX_LENGTH_M);
    let grid_m = scale::grid_m(&lab.view.painted.camera);
    let at_m = if snaps(lab, modifiers) { (point_m / grid_m).round() * grid_m } else { point_m };
    at_m.clamp(-most, most)
}

/// Returns the nearest multiple of 15 degrees (rad) if headings snap; otherwise the heading itself.
pub fn snapped_rad(lab: &Lab, heading_rad: f64, modifiers: Modifiers) -> f64 {
    if snaps(lab, modifiers) { (heading_rad / SNAP_RAD).round() * SNAP_RAD } else { heading_rad }
}

/// Draws rings around the selection. The robot that was selected last already has one, and a crowd has [`halos`].
fn rings(lab: &Lab, sketch: &Sketch) {
    let simulation = lab.run.host.simulation();
    let has_ring = |item: &Item| match item.agent() {
        Some(agent) => lab.view.selection.items.len() <= MOST_RINGS && lab.view.current.selected != Some(agent),
        None => true,
    };
    for item in lab.view.selection.items.iter().filter(|item| has_ring(item)) {
        sketch.ring(simulation, *item);
    }
}
