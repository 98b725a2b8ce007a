//! The tool that draws walls.

use bevy::math::DVec2;
use bevy_egui::egui::{PointerButton, Ui};
use swarmarium_core::kind::Slot;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::toolbox::ToolOptions;
use swarmarium_lab_state::common::widgets::number;
use swarmarium_picture::palette::Role;

use crate::tools::{Act, Mouse, Sketch, ToolHandler, making, snapped};

/// The mouse gestures of the tool.
pub const MOUSE: &[(&str, &str)] = &[
    ("Drag", "Draw one wall from end to end"),
    ("Click", "Add a corner to a row of walls"),
    ("Double click, Enter", "Finish the row"),
    ("Esc", "Cancel the row"),
    ("Alt held", "Invert snapping"),
];

/// Minimum length of a wall, in metres.
const SHORTEST_M: f64 = 1e-3;

/// Draws walls.
#[derive(Default)]
pub struct Wall {
    /// The corners of the row so far, in metres.
    corners_m: Vec<DVec2>,
    /// The present end of a drag, in metres.
    to_m: Option<DVec2>,
}

impl ToolHandler for Wall {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        if mouse.button != PointerButton::Primary {
            return Vec::new();
        }
        let at_m = snapped(lab, mouse.at_m, mouse.modifiers);
        match mouse.act {
            Act::Click => self.corner(at_m),
            // The first click of the double click has added the corner.
            Act::DoubleClick => return self.finish(lab),
            Act::Grasp => {
                // A drag continues a row.
                if self.corners_m.is_empty() {
                    self.corner(at_m);
                }
                self.to_m = Some(at_m);
            }
            Act::Drag => self.to_m = self.to_m.map(|_| at_m),
            Act::Drop if self.to_m.take().is_some() => {
                let is_single = self.corners_m.len() == 1;
                self.corner(at_m);
                if is_single {
                    return self.finish(lab);
                }
            }
            Act::Drop => {}
        }
        Vec::new()
    }

    fn is_busy(&self) -> bool {
        !self.corners_m.is_empty()
    }

    fn finish(&mut self, lab: &Lab) -> Vec<Action> {
        let corners_m = std::mem::take(self).corners_m;
        let walls = pieces(&corners_m, lab.edits.toolbox.options.thickness_m);
        making::add(lab, "wall", walls.into_iter().map(|corners_m| Slot::new(Polygon { corners_m })).collect())
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let cursor_m = sketch.cursor_m.map(|at_m| snapped(lab, at_m, sketch.modifiers));
        let next_m = self.to_m.or(cursor_m);
        let corners_m: Vec<DVec2> = self.corners_m.iter().copied().chain(next_m).collect();
        pieces(&corners_m, lab.edits.toolbox.options.thickness_m)
            .iter()
            .for_each(|piece| sketch.polygon(piece, Role::Accent));
        match (self.corners_m.last(), next_m) {
            (Some(from_m), Some(to_m)) => sketch.words(to_m, &format!("{:.2} m", from_m.distance(to_m))),
            (None, Some(at_m)) => sketch.disc(at_m, lab.edits.toolbox.options.thickness_m / 2.0, Role::Accent),
            _ => {}
        }
    }

    fn has_options(&self) -> bool {
        true
    }

    fn options(&self, ui: &mut Ui, _: &Lab, options: &mut ToolOptions) {
        number(ui, &mut options.thickness_m, "Thickness", " m", 0.005..=10.0);
    }
}

impl Wall {
    fn corner(&mut self, at_m: DVec2) {
        if self.corners_m.last().is_none_or(|last| last.distance(at_m) >= SHORTEST_M) {
            self.corners_m.push(at_m);
        }
    }
}

/// Returns the corners (m) of each wall of a row. Where two walls meet, both are extended by half of their thickness
/// (m), so that the corner is filled.
fn pieces(corners_m: &[DVec2], thickness_m: f64) -> Vec<Vec<DVec2>> {
    let ends: Vec<_> = corners_m.windows(2).map(|ends| [ends[0], ends[1]]).collect();
    let last = ends.len().saturating_sub(1);
    let half_m = thickness_m / 2.0;
    let piece = |(place, [from, to]): (usize, &[DVec2; 2])| {
        let ahead = (to - from).try_normalize()?;
        let from = if place == 0 { *from } else { from - ahead * half_m };
        let to = if place == last { *to } else { to + ahead * half_m };
        let aside = ahead.perp() * half_m;
        Some(vec![from - aside, to - aside, to + aside, from + aside])
    };
    ends.iter().enumerate().filter_map(piece).collect()
}
