//! Where robots are, as numbers that can be dragged and typed.

use bevy::math::DVec2;
use bevy_egui::egui::{Align, DragValue, Id, Rect, Response, TextStyle, Ui, vec2};
use swarmarium_base::math::wrap_angle;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::edit::Edit;

use super::asked;
use super::line::{self, Cells, cell};
use crate::selection::{self, Item};
use crate::widgets::named;
use crate::{Action, Lab};

/// Width of a number with its unit, in points.
const WIDTH: f32 = 110.0;
/// Its height in points.
const HEIGHT: f32 = 18.0;
/// Stands for mixed values: what is typed is always another number.
const NOBODY: f64 = 1e300;

/// One number of a pose.
struct PoseField {
    label: &'static str,
    name: &'static str,
    /// The last part of the path under which it can be plotted.
    pin: &'static str,
    unit: &'static str,
    about: &'static str,
    /// What a point of the screen changes.
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
        about: "Position along x in metres; drag it or click to type",
        speed: 0.01,
        get: |pose| pose.position_m.x,
        set: |pose, x_m| pose.position_m.x = x_m,
    },
    PoseField {
        label: "Robot y",
        name: "y",
        pin: "y_m",
        unit: " m",
        about: "Position along y in metres; drag it or click to type",
        speed: 0.01,
        get: |pose| pose.position_m.y,
        set: |pose, y_m| pose.position_m.y = y_m,
    },
    PoseField {
        label: "Robot heading",
        name: "Heading",
        pin: "heading_rad",
        unit: "°",
        about: "Heading in degrees, anticlockwise from x; drag it or click to type",
        speed: 0.5,
        get: |pose| wrap_angle(pose.heading_rad).to_degrees(),
        set: |pose, heading_deg| pose.heading_rad = heading_deg.to_radians(),
    },
];

/// Draws the pose of one robot, or what the poses of several have in common; a number that is entered is for all of them.
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

/// Where a robot can be that is asked to be at a point (m): walls hold it inside, as they do while it is dragged.
fn confined_m(lab: &Lab, agent: &AgentView, point_m: DVec2) -> DVec2 {
    let simulation = lab.host.simulation();
    let radius_m = selection::extent(simulation, Item::Agent(agent.id.index())).map_or(0.0, |(_, radius_m)| radius_m);
    selection::confined_m(simulation, point_m, radius_m)
}

/// Draws one number; what it is to be.
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
            [agent] if part.unit == "°" => format!("{:.6} rad with all turns", agent.pose.heading_rad),
            [_] => return,
            _ if value.is_none() => format!("Mixed, from {low:.3} to {high:.3}; a typed number applies to all"),
            _ => "The same for all of them".into(),
        };
        ui.weak(more);
    });
    wanted
}

/// A number that can be dragged and typed.
pub(super) struct NumberField {
    /// What tells it from others.
    pub label: &'static str,
    /// What stands before the number.
    pub name: &'static str,
    /// What stands within it, after the number.
    pub unit: &'static str,
    /// What a point of the screen changes.
    pub speed: f64,
}

impl NumberField {
    /// Draws it on a line, without a value where several are mixed; what it is to be, if that is another one.
    pub fn within(&self, ui: &mut Ui, cells: &Cells, value: Option<f64>) -> (Response, Option<f64>) {
        cell(ui, cells.name, Align::Min, |ui| ui.weak(self.name));
        let right = cells.unit.right();
        let place = Rect::from_x_y_ranges(right - WIDTH..=right, cells.number.y_range());
        cell(ui, place, Align::Max, |ui| self.ui(ui, value))
    }

    fn ui(&self, ui: &mut Ui, value: Option<f64>) -> (Response, Option<f64>) {
        // While it is typed it stands still, though the robot may drive on: what is typed would be lost.
        let id = Id::new(("entry", self.label));
        let before = ui.data(|data| data.get_temp(id)).unwrap_or(value.unwrap_or(NOBODY));
        let mut wanted = before;
        let response = ui.scope(|ui| {
            ui.spacing_mut().button_padding = vec2(4.0, 0.0);
            ui.spacing_mut().interact_size.y = HEIGHT;
            ui.style_mut().drag_value_text_style = TextStyle::Monospace;
            // Dragged, a mixed value would pull all to one place: it is typed.
            let speed = if value.is_none() { 0.0 } else { self.speed };
            let field = DragValue::new(&mut wanted).speed(speed).update_while_editing(false).max_decimals(6);
            let field = field.suffix(self.unit).custom_formatter(|value, _| match value {
                NOBODY => format!("{:>8}", "mixed"),
                value => format!("{value:>8.3}"),
            });
            ui.add_sized(vec2(WIDTH, HEIGHT), field)
        });
        let response = response.inner;
        named(&response, self.label);
        let is_typed = response.has_focus();
        ui.data_mut(|data| match is_typed {
            true => drop(data.insert_temp(id, before)),
            false => data.remove::<f64>(id),
        });
        // A field that is only looked into rounds its number; nobody means that.
        let digits = |value: f64| (value * 1e3).round();
        let is_meant = response.changed() && wanted.is_finite() && digits(wanted) != digits(before);
        (response, Some(wanted).filter(|_| is_meant))
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::testing::{do_steps, lab_of, type_into, window};

    const SCENE: &str = "(groups: [(name: \"g\", at: [(1.0, 2.0, 0.0), (3.0, 2.0, 0.0), (5.0, 6.0, 0.0)],
        controller: Constant(v_m_per_s: 0.0))])";

    fn poses(lab: &mut Lab) -> Vec<(f64, f64, f64)> {
        do_steps(lab, 1);
        let rounded = |value: f64| (value * 1e3).round() / 1e3;
        let poses = lab.host.simulation().agents().map(|agent| agent.pose);
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
        assert_eq!((poses[1].0, poses[1].2), (3.0, 1.571));
    }

    #[test]
    fn walls_hold_inside_what_is_typed() {
        let walled = SCENE.replacen('(', "(arena: (size_m: (8, 8), boundary: Walls), ", 1);
        let mut lab = lab_of(&walled.replace("controller:", "body: Disc(radius_m: 0.25), controller:"));
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        type_into(&mut window, "Robot x", "50", Key::Enter);
        assert_eq!(poses(&mut lab.borrow_mut())[1], (7.75, 2.0, 0.0));
    }

    #[test]
    fn a_number_is_typed_for_all_that_are_selected() {
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
    fn a_field_that_is_only_looked_into_moves_nobody() {
        let mut lab = lab_of(&SCENE.replace("3.0, 2.0", "3.000123456, 2.0"));
        lab.select(Some(Item::Agent(1)));
        let (mut window, lab) = window(lab);
        window.get_by_label("Robot x").focus();
        window.run_steps(3);
        window.key_press(Key::Enter);
        window.run_steps(3);
        do_steps(&mut lab.borrow_mut(), 1);
        let lab = lab.borrow();
        assert!(lab.host.simulation().edits().is_empty());
        assert_eq!(lab.host.simulation().agent(1).unwrap().pose.position_m.x, 3.000123456);
    }
}
