//! The tool that applies faults to robots and repairs them.

use bevy_egui::egui::{PointerButton, Ui};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::edit::Edit;

use crate::action::Action;
use crate::app::Lab;
use crate::common::faults::{self, Fault};
use crate::common::selection::{self, Item};
use crate::common::toolbox::{FaultEffect, ToolOptions};
use crate::common::widgets::choose;
use crate::panels::tools::{Act, Mouse, Sketch, ToolHandler};

/// The mouse gestures of the tool.
pub const MOUSE: &[(&str, &str)] = &[("Click", "Apply a fault to the robot under the cursor, or repair it")];

impl FaultEffect {
    /// Returns all effects with their names and descriptions.
    fn all() -> impl Iterator<Item = (Self, &'static str, String)> {
        let failure = |fault: Fault| {
            (Self::Failure(fault.failure), fault.verb, format!("For the clicked robot: {}", fault.about))
        };
        let repair = "A click repairs a robot".into();
        faults::all().map(failure).chain([(Self::Repair, faults::REPAIR, repair)])
    }

    /// Returns the edits that apply the effect to a robot.
    fn edits(self, agent: AgentView) -> Vec<Edit> {
        match self {
            Self::Failure(failure) => vec![Edit::Fault { agent: agent.id.index(), failure, is_active: true }],
            Self::Repair => faults::cures([agent]),
        }
    }
}

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
