//! Taking robots and objects away.

use bevy::math::DVec2;
use bevy_egui::egui::PointerButton;
use swarmarium_picture::palette::Role;

use super::{Act, Mouse, Sketch, ToolHandler};
use crate::action::SelectionAction;
use crate::selection::{self, Item};
use crate::{Action, Lab};

/// What the mouse does.
pub const MOUSE: &[(&str, &str)] =
    &[("Click", "Take away what is under the cursor"), ("Drag", "Take away all on the way but regions")];

/// How far apart two points of a drag are looked at, in points.
const STEP_PX: f64 = 4.0;
/// The most points of a drag that are looked at in a frame.
const MOST: usize = 256;

/// Takes robots and objects away.
#[derive(Default)]
pub struct Erase {
    /// Where the drag was last, in metres.
    last_m: Option<DVec2>,
    /// What was taken away by this drag: it may still be drawn.
    gone: Vec<Item>,
}

impl ToolHandler for Erase {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        // What lies under what went is not meant by the second of two clicks.
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
        // A region may lie under everything: only a click means it.
        self.erased(lab, [from_m, mouse.at_m], mouse.act == Act::Click)
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let Some(at_m) = sketch.cursor_m else { return };
        let simulation = lab.host.simulation();
        let Some(item) = selection::thing_at(simulation, at_m, lab.viewport.painted.camera.pixels_per_m) else {
            return;
        };
        // Not by colour alone: what will go is also crossed.
        if let Some((center_m, reach_m)) = selection::extent(simulation, item) {
            let arm_m = reach_m.max(8.0 / lab.viewport.painted.camera.pixels_per_m);
            for arm in [DVec2::splat(arm_m), DVec2::new(arm_m, -arm_m)] {
                sketch.line([center_m - arm, center_m + arm], Role::Stale);
            }
        }
    }
}

impl Erase {
    /// Takes away what is between two points (m).
    fn erased(&mut self, lab: &Lab, [from_m, to_m]: [DVec2; 2], takes_ground: bool) -> Vec<Action> {
        let (simulation, pixels_per_m) = (lab.host.simulation(), lab.viewport.painted.camera.pixels_per_m);
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
        let stay: Vec<Item> = lab.selection.items.iter().copied().filter(|item| !new.contains(item)).collect();
        let chosen =
            (stay.len() < lab.selection.items.len()).then_some(Action::Selection(SelectionAction::Choose(stay)));
        self.gone.extend(&new);
        [Action::Edits(selection::removals(new))].into_iter().chain(chosen).collect()
    }
}
