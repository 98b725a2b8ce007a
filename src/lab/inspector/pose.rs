//! Where robots are, as numbers that can be dragged and typed.

use bevy_egui::egui::{DragValue, Ui, vec2};

use super::asked;
use crate::agent::Pose;
use crate::edit::Edit;
use crate::lab::Action;
use crate::lab::parameters::named;
use crate::math::wrap_angle;
use crate::simulation::AgentView;

/// Width of a number with its name and unit, in points.
const WIDTH: f32 = 98.0;

/// One number of a pose.
struct Part {
    label: &'static str,
    prefix: &'static str,
    unit: &'static str,
    about: &'static str,
    /// What a point of the screen changes.
    speed: f64,
    get: fn(&Pose) -> f64,
    set: fn(&mut Pose, f64),
}

const PARTS: [Part; 3] = [
    Part {
        label: "Robot x",
        prefix: "x ",
        unit: " m",
        about: "Position along x in metres; drag it or click to type",
        speed: 0.01,
        get: |pose| pose.position_m.x,
        set: |pose, x_m| pose.position_m.x = x_m,
    },
    Part {
        label: "Robot y",
        prefix: "y ",
        unit: " m",
        about: "Position along y in metres; drag it or click to type",
        speed: 0.01,
        get: |pose| pose.position_m.y,
        set: |pose, y_m| pose.position_m.y = y_m,
    },
    Part {
        label: "Robot heading",
        prefix: "",
        unit: "°",
        about: "Heading in degrees, anticlockwise from x; drag it or click to type",
        speed: 0.5,
        get: |pose| wrap_angle(pose.heading_rad).to_degrees(),
        set: |pose, heading_deg| pose.heading_rad = heading_deg.to_radians(),
    },
];

/// Draws the pose of one robot, or what the poses of several have in common; a number that is entered is for all of them.
pub fn ui(ui: &mut Ui, agents: &[AgentView], actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        for part in &PARTS {
            if let Some(wanted) = number(ui, part, agents) {
                let edit = |agent: &AgentView| {
                    let mut pose = agent.pose;
                    (part.set)(&mut pose, wanted);
                    let Pose { position_m, heading_rad } = pose;
                    Edit::Move { agent: agent.id.index(), x_m: position_m.x, y_m: position_m.y, heading_rad }
                };
                actions.extend(asked(agents.iter().map(edit).collect()));
            }
        }
    });
}

/// Draws one number; what it is to be.
fn number(ui: &mut Ui, part: &Part, agents: &[AgentView]) -> Option<f64> {
    let values = || agents.iter().map(|agent| (part.get)(&agent.pose));
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let is_mixed = low != high;
    let mut value = values().next()?;
    // Dragged, a mixed value would pull all to one place: it is typed.
    let speed = if is_mixed { 0.0 } else { part.speed };
    let mut field = DragValue::new(&mut value).speed(speed).update_while_editing(false).max_decimals(6);
    field = field.prefix(part.prefix).suffix(part.unit);
    field = if is_mixed {
        field.custom_formatter(|_, _| "mixed".into())
    } else {
        field.custom_formatter(|value, _| format!("{value:>8.3}"))
    };
    let response = ui.add_sized(vec2(WIDTH, 20.0), field);
    named(&response, part.label);
    let is_changed = response.changed();
    response.on_hover_ui(|ui| {
        ui.label(part.about);
        let exact = |pose: &Pose| format!("{:.6} rad with all turns", pose.heading_rad);
        match agents {
            [agent] if part.unit == "°" => drop(ui.weak(exact(&agent.pose))),
            [_] => {}
            _ if is_mixed => drop(ui.weak(format!("Mixed, from {low:.3} to {high:.3}; type a number for all"))),
            _ => drop(ui.weak("The same for all of them")),
        }
    });
    Some(value).filter(|value| is_changed && value.is_finite())
}
