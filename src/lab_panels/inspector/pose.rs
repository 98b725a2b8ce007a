//! The poses of robots as numbers that can be dragged and typed.

use bevy::math::DVec2;
use bevy_egui::egui::{Align, DragValue, Id, Rect, Response, TextStyle, Ui, vec2};
use swarmarium_base::math::wrap_angle;
use swarmarium_core::agent::Pose;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::quantity;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::common::widgets::{MIXED, named, quantity_field};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::edit::Edit;

use crate::inspector::asked;
use crate::inspector::line::{self, Cells, cell};

/// Width of a number with its unit, in points.
const WIDTH: f32 = 110.0;

/// Height of a number, in points.
const HEIGHT: f32 = 18.0;

/// Placeholder for mixed values; any typed number differs from it.
const NOBODY: f64 = 1e300;

/// One number of a pose.
struct PoseField {
    label: &'static str,
    name: &'static str,
    /// The last part of the path for plotting the number.
    pin: &'static str,
    unit: &'static str,
    about: &'static str,
    /// Change of the value per point of a drag.
    speed: f64,
    get: fn(&Pose) -> f64,
    set: fn(&mut Pose, f64),
}

const PARTS: [PoseField; 3] = [
    PoseField {
        label: "Robot x",
        name: "x",
        pin: "x_m",
        unit: " m",
        about: "Position along x, in metres; drag it or click to type: 1/3, 30 cm, *1.5",
        speed: 0.01,
        get: |pose| pose.position_m.x,
        set: |pose, x_m| pose.position_m.x = x_m,
    },
    PoseField {
        label: "Robot y",
        name: "y",
        pin: "y_m",
        unit: " m",
        about: "Position along y, in metres; drag it or click to type: 1/3, 30 cm, *1.5",
        speed: 0.01,
        get: |pose| pose.position_m.y,
        set: |pose, y_m| pose.position_m.y = y_m,
    },
    PoseField {
        label: "Robot heading",
        name: "Heading",
        pin: "heading_rad",
        unit: "°",
        about: "Heading in degrees, anticlockwise from x; drag it or click to type, also 1.57 rad",
        speed: 0.5,
        get: |pose| quantity::degrees(wrap_angle(pose.heading_rad)),
        set: |pose, heading_deg| pose.heading_rad = heading_deg.to_radians(),
    },
];

/// Draws the pose of one robot, or the common pose of several. An entered number applies to all of them.
pub fn ui(ui: &mut Ui, lab: &Lab, agents: &[AgentView], actions: &mut Vec<Action>) {
    for part in &PARTS {
        if let Some(wanted) = number(ui, lab, part, agents, actions) {
            let edit = |agent: &AgentView| {
                let mut pose = agent.pose;
                (part.set)(&mut pose, wanted);
                if pose.position_m != agent.pose.position_m {
                    pose.position_m = confined_m(lab, agent, pose.position_m);
                }
                let Pose { position_m, heading_rad } = pose;
                Edit::Move { agent: agent.id.index(), x_m: position_m.x, y_m: position_m.y, heading_rad }
            };
            actions.extend(asked(agents.iter().map(edit).collect()));
        }
    }
}

/// Returns the point (m) nearest to a requested one at which walls leave room for a robot, as in a drag.
fn confined_m(lab: &Lab, agent: &AgentView, point_m: DVec2) -> DVec2 {
    let simulation = lab.run.host.simulation();
    let radius_m = selection::extent(simulation, Item::Agent(agent.id.index())).map_or(0.0, |(_, radius_m)| radius_m);
    selection::confined_m(simulation, point_m, radius_m)
}

/// Draws one number. Returns its new value, if it was changed.
fn number(ui: &mut Ui, lab: &Lab, part: &PoseField, agents: &[AgentView], actions: &mut Vec<Action>) -> Option<f64> {
    let values = || agents.iter().map(|agent| (part.get)(&agent.pose));
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let value = values().next().filter(|_| low == high);
    let entry = NumberField { label: part.label, name: part.name, unit: part.unit, speed: part.speed };
    let cells = Cells::next(ui);
    if let [agent] = agents {
        let path = format!("agents.{}.{}", agent.id.index(), part.pin);
        line::pin_ui(ui, lab, cells.pin, path, actions);
    }
    let (response, wanted) = entry.within(ui, &cells, value);
    response.on_hover_ui(|ui| {
        ui.label(part.about);
        let more = match agents {
            [agent] if part.unit == "°" => format!("{} rad, full turns included", agent.pose.heading_rad),
            [agent] => format!("{} m", (part.get)(&agent.pose)),
            _ if value.is_none() => format!("Mixed, from {low:.3} to {high:.3}; an entered number applies to all"),
            _ => "The same for all selected robots".into(),
        };
        ui.weak(more);
    });
    wanted
}

/// A number field that can be dragged and typed into.
pub(super) struct NumberField {
    /// The accessible label, unique in the window.
    pub label: &'static str,
    /// The text before the number.
    pub name: &'static str,
    /// The unit after the number, in the field.
    pub unit: &'static str,
    /// Change of the value per point of a drag.
    pub speed: f64,
}

impl NumberField {
    /// Draws the field on a line, with "mixed" in place of a missing value. Returns the new value, if it was changed.
    pub fn within(&self, ui: &mut Ui, cells: &Cells, value: Option<f64>) -> (Response, Option<f64>) {
        cell(ui, cells.name, Align::Min, |ui| ui.weak(self.name));
        let right = cells.unit.right();
        let place = Rect::from_x_y_ranges(right - WIDTH..=right, cells.number.y_range());
        cell(ui, place, Align::Max, |ui| self.ui(ui, value))
    }

    fn ui(&self, ui: &mut Ui, value: Option<f64>) -> (Response, Option<f64>) {
        // The field keeps its value during typing, even if the robot moves; otherwise the input would be lost.
        let id = Id::new(("entry", self.label));
        let before = ui.data(|data| data.get_temp(id)).unwrap_or(value.unwrap_or(NOBODY));
        let mut wanted = before;
        let response = ui.scope(|ui| {
            ui.spacing_mut().button_padding = vec2(4.0, 0.0);
            ui.spacing_mut().interact_size.y = HEIGHT;
            ui.style_mut().drag_value_text_style = TextStyle::Monospace;
            // A mixed value can only be typed: a drag would move all robots to one place.
            let speed = if value.is_none() { 0.0 } else { self.speed };
            // The field has the next id. With the focus, it shows all digits, so that leaving it changes nothing.
            let next = ui.next_auto_id();
            let layer = ui.layer_id();
            let has_focus = ui.memory_mut(|memory| {
                // As the field does: the keyboard may give it the focus in this frame.
                memory.interested_in_focus(next, layer);
                memory.has_focus(next)
            });
            let field = DragValue::new(&mut wanted).speed(speed).max_decimals(15);
            let field = field.suffix(self.unit).custom_formatter(|value, _| match value {
                NOBODY => format!("{MIXED:>8}"),
                value if has_focus => value.to_string(),
                value => format!("{value:>8.3}"),
            });
            ui.spacing_mut().interact_size.x = WIDTH;
            quantity_field(ui, field, self.unit, Some(before).filter(|before| *before != NOBODY))
        });
        let response = response.inner;
        named(&response, self.label);
        let is_typed = response.has_focus();
        ui.data_mut(|data| match is_typed {
            true => drop(data.insert_temp(id, before)),
            false => data.remove::<f64>(id),
        });
        let is_meant = response.changed() && wanted.is_finite() && wanted != before;
        (response, Some(wanted).filter(|_| is_meant))
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_lab_testing::{do_steps, lab_of, type_into, window};

    use super::*;

    const SCENE: &str = "(groups: [(name: \"g\", at: [(1.0, 2.0, 0.0), (3.0, 2.0, 0.0), (5.0, 6.0, 0.0)],
        controller: Constant(v_m_per_s: 0.0))])";

    fn poses(lab: &mut Lab) -> Vec<(f64, f64, f64)> {
        do_steps(lab, 1);
        let rounded = |value: f64| (value * 1e3).round() / 1e3;
        let poses = lab.run.host.simulation().agents().map(|agent| agent.pose);
        poses.map(|pose| (rounded(pose.position_m.x), rounded(pose.position_m.y), rounded(pose.heading_rad))).collect()
    }

    #[test]
    fn a_robot_is_put_where_it_is_typed() {
        let mut lab = lab_of(SCENE);
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        type_into(&mut window, "Robot y", "4.25", Key::Enter);
        type_into(&mut window, "Robot heading", "90", Key::Enter);
        let poses = poses(&mut lab.borrow_mut());
        assert_eq!(poses[0], (1.0, 2.0, 0.0), "the others stay");
        assert_eq!(poses[1].0, 3.0);
        assert_eq!(poses[1].2, 1.571);
    }

    #[test]
    fn a_typed_position_is_kept_within_walls() {
        let walled = SCENE.replacen('(', "(arena: (size_m: (8, 8), boundary: Walls), ", 1);
        let mut lab = lab_of(&walled.replace("controller:", "body: Disc(radius_m: 0.25), controller:"));
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        type_into(&mut window, "Robot x", "50", Key::Enter);
        assert_eq!(poses(&mut lab.borrow_mut())[1], (7.75, 2.0, 0.0));
    }

    #[test]
    fn a_typed_pose_number_applies_to_all_selected_robots() {
        let mut lab = lab_of(SCENE);
        lab.choose(vec![Item::Agent(0), Item::Agent(2)]);
        let (mut window, lab) = window(lab);
        let shown = |window: &Harness| window.get_by_label("Robot x").value().unwrap_or_default();
        assert!(shown(&window).contains("mixed"), "{}", shown(&window));
        assert!(window.get_by_label("Robot heading").value().unwrap_or_default().contains("0.000"));
        type_into(&mut window, "Robot x", "7.5", Key::Enter);
        let all = poses(&mut lab.borrow_mut());
        assert_eq!(all, [(7.5, 2.0, 0.0), (3.0, 2.0, 0.0), (7.5, 6.0, 0.0)]);
        window.run_steps(3);
        assert!(!shown(&window).contains("mixed"));
    }

    #[test]
    fn focusing_a_pose_field_moves_no_robot() {
        let mut lab = lab_of(&SCENE.replace("3.0, 2.0", "3.000123456, 2.0"));
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        window.get_by_label("Robot x").focus();
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(3);
        do_steps(&mut lab.borrow_mut(), 1);
        let lab = lab.borrow();
        assert!(lab.run.host.simulation().edits().is_empty());
        assert_eq!(lab.run.host.simulation().agent(1).unwrap().pose.position_m.x, 3.000123456);
    }
}
