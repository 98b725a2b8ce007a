//! The tool that applies faults to robots and repairs them.

use bevy_egui::egui::{PointerButton, Ui};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::toolbox::{FaultEffect, ToolOptions};
use swarmarium_lab_state::common::widgets::choose;

use crate::tools::{Act, Mouse, Sketch, ToolHandler};

/// The mouse gestures of the tool.
pub const MOUSE: &[(&str, &str)] = &[("Click", "Apply a fault to the robot under the cursor, or repair it")];

/// Applies faults to robots and repairs them.
pub struct FaultTool;

impl ToolHandler for FaultTool {
    fn mouse(&mut self, lab: &Lab, mouse: &Mouse) -> Vec<Action> {
        let is_click = matches!(mouse.act, Act::Click | Act::DoubleClick);
        if !is_click || mouse.button != PointerButton::Primary {
            return Vec::new();
        }
        let simulation = lab.run.host.simulation();
        let id =
            selection::agent_at(simulation, mouse.at_m, lab.view.painted.camera.pixels_per_m).and_then(Item::agent);
        let agent = id.and_then(|id| simulation.agent(id.index()));
        agent.map(|agent| Action::Edits(lab.edits.toolbox.options.fault_effect.edits(agent))).into_iter().collect()
    }

    fn draw(&self, lab: &Lab, sketch: &Sketch) {
        let Some(at_m) = sketch.cursor_m else { return };
        let simulation = lab.run.host.simulation();
        let Some(item) = selection::agent_at(simulation, at_m, lab.view.painted.camera.pixels_per_m) else {
            return;
        };
        sketch.ring(simulation, item);
        let verb = FaultEffect::all()
            .find(|(fault_effect, ..)| *fault_effect == lab.edits.toolbox.options.fault_effect)
            .map_or("", |(_, name, _)| name);
        let name = selection::name(simulation, item).unwrap_or_default();
        sketch.words(at_m, &format!("{verb} {name}"));
    }

    fn has_options(&self) -> bool {
        true
    }

    fn options(&self, ui: &mut Ui, _: &Lab, options: &mut ToolOptions) {
        let all: Vec<_> = FaultEffect::all().collect();
        let choices: Vec<_> =
            all.iter().map(|(fault_effect, name, hint)| (*fault_effect, *name, hint.as_str())).collect();
        choose(ui, &mut options.fault_effect, &choices);
    }
}
