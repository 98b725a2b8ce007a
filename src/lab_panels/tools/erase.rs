//! The tool that removes robots and objects.

use bevy::math::DVec2;
use bevy_egui::egui::PointerButton;
use swarmarium_lab_state::action::{Action, SelectionAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_picture::palette::Role;

use crate::tools::{Act, Mouse, Sketch, ToolHandler};

/// The mouse gestures of the tool.
pub const MOUSE: &[(&str, &str)] =
    &[("Click", "Remove the robot or object under the cursor"), ("Drag", "Remove all along the way except regions")];

/// Distance between tested points of a drag, in points.
const STEP_PX: f64 = 4.0;

/// Maximum number of tested points of a drag per frame.
const MOST: usize = 256;

/// Removes robots and objects.
#[derive(Default)]
pub struct Erase {
    /// The last point of the drag, in metres.
    last_m: Option<DVec2>,
    /// Items removed by this drag, which can still be drawn.
    gone: Vec<Item>,
}

impl ToolHandler for Erase {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        // A double click does not remove the item below the removed one.
        if mouse.button != PointerButton::Primary || mouse.act == Act::DoubleClick {
            return Vec::new();
        }
        if matches!(mouse.act, Act::Click | Act::Grasp) {
            self.gone.clear();
        }
        let from_m = match mouse.act {
            Act::Click | Act::DoubleClick | Act::Grasp => mouse.at_m,
            Act::Drag | Act::Drop => match self.last_m {
                Some(last_m) => last_m,
                None => return Vec::new(),
            },
        };
        self.last_m = matches!(mouse.act, Act::Grasp | Act::Drag).then_some(mouse.at_m);
        // A region can lie under everything, so only a click removes it.
        self.erased(lab, [from_m, mouse.at_m], mouse.act == Act::Click)
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let Some(at_m) = sketch.cursor_m else { return };
        let simulation = lab.run.host.simulation();
        let Some(item) = selection::thing_at(simulation, at_m, lab.view.painted.camera.pixels_per_m) else {
            return;
        };
        // Not by colour alone: the item to be removed is also crossed out.
        if let Some((center_m, reach_m)) = selection::extent(simulation, item) {
            let arm_m = reach_m.max(8.0 / lab.view.painted.camera.pixels_per_m);
            for arm in [DVec2::splat(arm_m), DVec2::new(arm_m, -arm_m)] {
                sketch.line([center_m - arm, center_m + arm], Role::Stale);
            }
        }
    }
}

impl Erase {
    /// Removes the items between two points (m).
    fn erased(&mut self, lab: &Lab, [from_m, to_m]: [DVec2; 2], takes_ground: bool) -> Vec<Action> {
        let (simulation, pixels_per_m) = (lab.run.host.simulation(), lab.view.painted.camera.pixels_per_m);
        let at = |at_m| match takes_ground {
            true => selection::thing_at(simulation, at_m, pixels_per_m),
            false => selection::small_at(simulation, at_m, pixels_per_m),
        };
        let parts = ((from_m.distance(to_m) * pixels_per_m / STEP_PX).ceil() as usize).clamp(1, MOST);
        let mut new: Vec<Item> = Vec::new();
        for part in 0..=parts {
            let item = at(from_m.lerp(to_m, part as f64 / parts as f64));
            new.extend(item.filter(|item| !self.gone.contains(item) && !new.contains(item)));
        }
        if new.is_empty() {
            return Vec::new();
        }
        let stay: Vec<Item> = lab.view.selection.items.iter().copied().filter(|item| !new.contains(item)).collect();
        let chosen =
            (stay.len() < lab.view.selection.items.len()).then_some(Action::Selection(SelectionAction::Choose(stay)));
        self.gone.extend(&new);
        [Action::Edits(selection::removals(new))].into_iter().chain(chosen).collect()
    }
}
