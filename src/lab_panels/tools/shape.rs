//! The tools that draw obstacles, regions, goals and lights.

use bevy::math::DVec2;
use bevy_egui::egui::{PointerButton, Ui};
use swarmarium_core::kind::Slot;
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::light::Light;
use swarmarium_core::object::movable::Movable;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::region::{Area, Region};
use swarmarium_core::object::{ObjectFamily, Presence};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::toolbox::{ObstacleMobility, ObstacleShape, ToolOptions};
use swarmarium_lab_state::common::widgets::{choose, number};
use swarmarium_picture::palette::Role;

use crate::tools::{Act, Mouse, Sketch, ToolHandler, making, snapped};

/// The mouse gestures for obstacles and regions.
pub const MOUSE: &[(&str, &str)] = &[
    ("Drag", "Draw a disc from its centre, or a rectangle from corner to corner"),
    ("Click", "Add one of the set size"),
    ("Alt held", "Invert snapping"),
];

/// The mouse gestures for goals.
pub const GOAL_MOUSE: &[(&str, &str)] = &[
    ("Click", "Add a goal of the set radius"),
    ("Drag", "Draw a goal from its centre to its rim"),
    ("Alt held", "Invert snapping"),
];

/// The mouse gestures for lights.
pub const LIGHT_MOUSE: &[(&str, &str)] = &[("Click", "Add a light"), ("Alt held", "Invert snapping")];

/// Minimum length of a drag, in metres; a shorter one is a click.
const SHORTEST_M: f64 = 1e-3;

/// The type of the drawn objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// An obstacle.
    Obstacle,
    /// A region.
    Region,
    /// A goal.
    Goal,
    /// A light.
    Light,
}

/// Draws objects of one type.
pub struct Shape {
    what: ObjectKind,
    /// Start and present end of a drag, in metres.
    drag_m: Option<[DVec2; 2]>,
}

impl Shape {
    /// Creates a tool for a type of objects.
    pub fn new(what: ObjectKind) -> Self {
        Self { what, drag_m: None }
    }

    /// Whether a drag spans a rectangle.
    fn is_rectangle(&self, options: &ToolOptions) -> bool {
        matches!(self.what, ObjectKind::Obstacle | ObjectKind::Region) && options.form == ObstacleShape::Rectangle
    }

    /// Returns the area of a drag from one point to another (m).
    fn area(&self, options: &ToolOptions, [from_m, to_m]: [DVec2; 2]) -> Area {
        let is_click = (to_m - from_m).abs().min_element() < SHORTEST_M;
        let half_m = DVec2::splat(options.radius_m);
        match self.is_rectangle(options) {
            true if is_click => Area::Box { min_m: from_m - half_m, max_m: from_m + half_m },
            true => Area::Box { min_m: from_m.min(to_m), max_m: from_m.max(to_m) },
            false => {
                let drawn_m = Some(from_m.distance(to_m)).filter(|drawn_m| *drawn_m >= SHORTEST_M);
                Area::Disc { center_m: from_m, radius_m: drawn_m.unwrap_or(options.radius_m) }
            }
        }
    }

    /// Returns the actions that add an object of the set size at a point (m).
    pub fn placed(what: ObjectKind, lab: &Lab, at_m: DVec2) -> Vec<Action> {
        Self::new(what).made(lab, [at_m; 2])
    }

    fn made(&self, lab: &Lab, drag_m: [DVec2; 2]) -> Vec<Action> {
        let area = self.area(&lab.edits.toolbox.options, drag_m);
        let (name, object): (&str, Slot<ObjectFamily>) = match (self.what, area) {
            (ObjectKind::Light, _) => {
                ("light", Slot::new(Light { position_m: drag_m[0], intensity: lab.edits.toolbox.options.intensity }))
            }
            (ObjectKind::Region, area) => ("region", Slot::new(Region { area, ..Region::default() })),
            (ObjectKind::Goal, area) => ("goal", Slot::new(Goal { area, ..Goal::default() })),
            (ObjectKind::Obstacle, Area::Disc { center_m, radius_m }) => {
                ("obstacle", Slot::new(Disc { center_m, radius_m }))
            }
            (ObjectKind::Obstacle, Area::Box { min_m, max_m }) => {
                ("obstacle", Slot::new(Polygon { corners_m: corners_m(min_m, max_m).into() }))
            }
            (ObjectKind::Obstacle, Area::Polygon { corners_m }) => ("obstacle", Slot::new(Polygon { corners_m })),
        };
        let options = &lab.edits.toolbox.options;
        if self.what == ObjectKind::Obstacle && options.mobility == ObstacleMobility::Movable {
            let movable = Movable { mass_kg: options.mass_kg, ..Movable::default() };
            let presence = Presence { movable: Some(movable), ..Presence::default() };
            return making::add(lab, "block", vec![object.with(presence)]);
        }
        making::add(lab, name, vec![object])
    }
}

/// Returns the corners of a rectangle (m), anticlockwise from the lower left one.
fn corners_m(min_m: DVec2, max_m: DVec2) -> [DVec2; 4] {
    [min_m, DVec2::new(max_m.x, min_m.y), max_m, DVec2::new(min_m.x, max_m.y)]
}

impl ToolHandler for Shape {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        if mouse.button != PointerButton::Primary {
            return Vec::new();
        }
        let at_m = snapped(lab, mouse.at_m, mouse.modifiers);
        match mouse.act {
            // A double click adds only one object.
            Act::DoubleClick => {}
            Act::Click => return self.made(lab, [at_m; 2]),
            Act::Grasp => self.drag_m = Some([at_m; 2]),
            Act::Drag => self.drag_m = self.drag_m.map(|[from_m, _]| [from_m, at_m]),
            Act::Drop => {
                if let Some([from_m, _]) = self.drag_m.take() {
                    return self.made(lab, [from_m, at_m]);
                }
            }
        }
        Vec::new()
    }

    fn is_busy(&self) -> bool {
        self.drag_m.is_some()
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let hovered_m = sketch.cursor_m.map(|at_m| [snapped(lab, at_m, sketch.modifiers); 2]);
        let Some(drag_m) = self.drag_m.or(hovered_m) else { return };
        if self.what == ObjectKind::Light {
            return sketch.disc(drag_m[0], 12.0 / lab.view.painted.camera.pixels_per_m, Role::Light);
        }
        match self.area(&lab.edits.toolbox.options, drag_m) {
            Area::Disc { center_m, radius_m } => {
                sketch.disc(center_m, radius_m, Role::Accent);
                if self.drag_m.is_some() {
                    sketch.words(drag_m[1], &format!("radius {radius_m:.2} m"));
                }
            }
            Area::Box { min_m, max_m } => {
                sketch.polygon(&corners_m(min_m, max_m), Role::Accent);
                let size_m = max_m - min_m;
                if self.drag_m.is_some() {
                    sketch.words(drag_m[1], &format!("{:.2} × {:.2} m", size_m.x, size_m.y));
                }
            }
            Area::Polygon { .. } => {}
        }
    }

    fn has_options(&self) -> bool {
        true
    }

    fn options(&self, ui: &mut Ui, _: &Lab, options: &mut ToolOptions) {
        if self.what == ObjectKind::Light {
            return number(ui, &mut options.intensity, "Intensity", "", 0.0..=1000.0);
        }
        if matches!(self.what, ObjectKind::Obstacle | ObjectKind::Region) {
            let forms = [
                (ObstacleShape::Disc, "Disc", "A drag draws a disc from its centre to its rim"),
                (ObstacleShape::Rectangle, "Rectangle", "A drag draws a rectangle from corner to corner"),
            ];
            choose(ui, &mut options.form, &forms);
        }
        if self.what == ObjectKind::Obstacle {
            let mobilities = [
                (ObstacleMobility::Fixed, "No", "Robots cannot push new obstacles; you can still drag them"),
                (ObstacleMobility::Movable, "Yes", "Robots push new obstacles, and grippers hold them"),
            ];
            ui.label("Robots can push it").on_hover_text("Whether robots can push new obstacles; you can drag all");
            choose(ui, &mut options.mobility, &mobilities);
            if options.mobility == ObstacleMobility::Movable {
                number(ui, &mut options.mass_kg, "Mass", " kg", 0.001..=1e6);
            }
        }
        number(ui, &mut options.radius_m, "Radius for clicks", " m", 0.01..=100.0);
    }
}
