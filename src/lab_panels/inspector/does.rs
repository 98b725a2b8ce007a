//! The actions of a robot: its command, its motion, and its controller with the present state.

use std::collections::BTreeMap;

use bevy::reflect::ReflectRef;
use bevy_egui::egui::{Align, Label, Rect, Ui};
use swarmarium_core::agent::Command;
use swarmarium_core::agent::attitude::Attitude;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::kind::Family as _;
use swarmarium_core::text::wording::words;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_picture::cells::round_up;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::describe;

use crate::inspector::drawing;
use crate::inspector::line::{Cells, Line, cell, number_text};
use crate::parameters::Fold;

/// Speeds (m/s) and turn rates (rad/s) below this count as zero.
const STILL: f64 = 1e-6;

/// A robot below this fraction of its commanded speed is stuck.
const STUCK: f64 = 0.02;

/// The largest magnitudes since the robot was selected, by unit. They keep the scale of the bars constant.
#[derive(Debug, Default)]
pub struct Scales(BTreeMap<String, f64>);

impl Scales {
    /// Returns the number at the end of a bar: 1, 2 or 5 times a power of ten. It never decreases.
    fn full(&mut self, name: &str, value: f64) -> f64 {
        let largest = self.0.entry(name.to_owned()).or_insert(0.1);
        if value.is_finite() && value.abs() > *largest {
            *largest = round_up(value.abs()).max(value.abs());
        }
        *largest
    }
}

/// Draws the section.
pub fn ui(ui: &mut Ui, lab: &Lab, agent: &AgentView, scales: &mut Scales, actions: &mut Vec<Action>) {
    said(ui, &in_words(agent.command()), "Command of the controller in words");
    controller(ui, lab, agent);
    let number = agent.id.index();
    for (name, field, value) in parts(agent.command()) {
        let (_, unit) = words(field);
        signed(
            ui,
            lab,
            scales,
            actions,
            &Signed {
                name,
                about: "Command of the controller",
                value,
                unit,
                pin: format!("agents.{number}.command.{field}"),
            },
        );
    }
    let dt_s = lab.run.host.simulation().time().dt_s;
    let turned = lab.plots.turn_rad_per_s(&lab.run.host);
    let speed = agent.displacement_m().length() / dt_s;
    signed(
        ui,
        lab,
        scales,
        actions,
        &Signed {
            name: "Speed",
            about: "Speed over the ground in the last step, pushes included",
            value: speed,
            unit: "m/s",
            pin: format!("agents.{number}.speed_m_per_s"),
        },
    );
    signed(
        ui,
        lab,
        scales,
        actions,
        &Signed {
            name: "Turn rate",
            about: "Turn rate in the last step, anticlockwise; unknown where a jump in time has not simulated that step",
            value: turned,
            unit: "rad/s",
            pin: format!("agents.{number}.turn_rad_per_s"),
        },
    );
    last_step(ui, lab, agent, (speed, turned), actions);
}

/// A signed number that is drawn as a bar.
struct Signed<'a> {
    name: &'a str,
    about: &'a str,
    value: f64,
    unit: &'a str,
    pin: String,
}

fn signed(ui: &mut Ui, lab: &Lab, scales: &mut Scales, actions: &mut Vec<Action>, number: &Signed) {
    let &Signed { name, about, value, unit, ref pin } = number;
    let full = scales.full(unit, value);
    let about = format!("{about}; the bar ends at {full} {unit}");
    // A word has no unit.
    let unit = if value.is_nan() { "" } else { unit };
    let line = Line { name, about: &about, value: &known_text(value), unit, pin: Some(pin.clone()), ..Line::default() };
    line.with_drawing(ui, lab, actions, |ui, rect| {
        let part = if value.is_finite() { value / full } else { 0.0 };
        drawing::signed_bar(ui.painter(), lab.shell.settings.theme, rect, part);
    });
}

/// Formats a number, or "unknown" before the first step.
fn known_text(value: f64) -> String {
    if value.is_nan() { "unknown".into() } else { number_text(value) }
}

/// Draws a line of text, truncated to the width of the panel.
pub fn said(ui: &mut Ui, text: &str, about: &str) {
    let cells = Cells::next(ui);
    let whole = Rect::from_min_max(cells.name.min, cells.pin.max);
    cell(ui, whole, Align::Min, |ui| {
        ui.add(Label::new(text).truncate()).on_hover_text(about);
    });
}

/// Returns the numbers of a command, with their labels and fields.
fn parts(command: Command) -> Vec<(&'static str, &'static str, f64)> {
    match command {
        Command::Drive { v_m_per_s, turn_rad_per_s } => {
            vec![("Desired speed", "v_m_per_s", v_m_per_s), ("Desired turn", "turn_rad_per_s", turn_rad_per_s)]
        }
        Command::Wheels { left_m_per_s, right_m_per_s } => {
            vec![("Left wheel", "left_m_per_s", left_m_per_s), ("Right wheel", "right_m_per_s", right_m_per_s)]
        }
        Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }
        | Command::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => {
            vec![
                ("Desired x", "x_m_per_s", x_m_per_s),
                ("Desired y", "y_m_per_s", y_m_per_s),
                ("Desired turn", "turn_rad_per_s", turn_rad_per_s),
            ]
        }
    }
}

/// Describes a command in words.
fn in_words(command: Command) -> String {
    let (moves, turn) = match command {
        Command::Drive { v_m_per_s, turn_rad_per_s } => (ahead(v_m_per_s), turn_rad_per_s),
        Command::Wheels { left_m_per_s, right_m_per_s } => {
            (ahead(left_m_per_s + right_m_per_s), right_m_per_s - left_m_per_s)
        }
        Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s }
        | Command::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => {
            let moves = libm::hypot(x_m_per_s, y_m_per_s) > STILL;
            (moves.then_some("move"), turn_rad_per_s)
        }
    };
    let turns = match turn {
        turn if turn > STILL => Some("turn left"),
        turn if turn < -STILL => Some("turn right"),
        _ => None,
    };
    let all: Vec<&str> = [moves, turns].into_iter().flatten().collect();
    if all.is_empty() { "wants to stand still".into() } else { format!("wants to {}", all.join(" and ")) }
}

fn ahead(speed_m_per_s: f64) -> Option<&'static str> {
    match speed_m_per_s {
        speed if speed > STILL => Some("drive forward"),
        speed if speed < -STILL => Some("drive backward"),
        _ => None,
    }
}

/// Whether the controller commands motion and the robot did not move in the last step.
pub fn is_stuck(lab: &Lab, agent: &AgentView) -> bool {
    let time = lab.run.host.simulation().time();
    let wanted_m_per_s = match agent.command() {
        Command::Drive { v_m_per_s, .. } => v_m_per_s.abs(),
        Command::Wheels { left_m_per_s, right_m_per_s } => (left_m_per_s + right_m_per_s).abs() / 2.0,
        Command::Velocity { x_m_per_s, y_m_per_s, .. } | Command::Course { x_m_per_s, y_m_per_s, .. } => {
            libm::hypot(x_m_per_s, y_m_per_s)
        }
    };
    let speed_m_per_s = agent.displacement_m().length() / time.dt_s;
    // The first command takes effect in the following step.
    time.step > 1 && wanted_m_per_s > 1e-3 && speed_m_per_s < STUCK * wanted_m_per_s
}

/// Returns the state of the controller: the one that its memory names, or else the parameter that equals its command.
pub fn state(agent: &AgentView) -> Option<String> {
    let memory = agent.memory().and_then(|memory| memory.reflect_ref().as_struct().ok());
    // The state of a script may contain a text that names it.
    let named = memory.and_then(|memory| {
        let state = memory.field("state")?;
        let first =
            || state.reflect_ref().as_struct().ok()?.iter_fields().find_map(|(_, field)| field.try_downcast_ref());
        state.try_downcast_ref::<String>().or_else(first)
    });
    if let Some(state) = named.filter(|state| !state.is_empty()) {
        return Some(state.clone());
    }
    let Command::Drive { v_m_per_s, turn_rad_per_s } = agent.command() else { return None };
    let controller = agent.controller()?.reflect_ref().as_struct().ok()?;
    let drives = controller.iter_fields().filter_map(|(name, field)| match field.reflect_ref() {
        ReflectRef::Struct(drive) => {
            let number = |name| drive.field(name).and_then(|number| number.try_downcast_ref::<f64>()).copied();
            Some((name, (number("v_m_per_s")?, number("turn_rad_per_s")?)))
        }
        _ => None,
    });
    let mut same = drives.filter(|(_, drive)| *drive == (v_m_per_s, turn_rad_per_s)).map(|(name, _)| name);
    let first = same.next()?;
    // The state is unknown if two parameters equal the command.
    same.next().is_none().then(|| first.replace('_', " "))
}

/// Draws the name of the controller and its state.
fn controller(ui: &mut Ui, lab: &Lab, agent: &AgentView) {
    let Some(controller) = agent.controller() else { return };
    let kind = lab.run.host.simulation().kinds().of_value(ControllerFamily::NAME, controller);
    let name = kind.map_or("", |kind| kind.name);
    let about = kind.map(describe::about).unwrap_or_default();
    let text = match state(agent) {
        Some(state) => format!("{name}, state {state}"),
        None => name.to_owned(),
    };
    said(ui, &format!("Controller {text}"), &about);
}

/// Draws the collisions, the attitude, and the motion in the last step in a fold.
fn last_step(ui: &mut Ui, lab: &Lab, agent: &AgentView, (speed, turned): (f64, f64), actions: &mut Vec<Action>) {
    let number = agent.id.index();
    if let Some(bumps) = agent.bumps() {
        let line = Line {
            name: "Collisions",
            about: "Number of collisions; a lasting contact counts once",
            value: &bumps.count.to_string(),
            pin: Some(format!("agents.{number}.collisions")),
            ..Line::default()
        };
        line.ui(ui, lab, actions);
    }
    if let Some(attitude) = agent.component::<Attitude>() {
        let about = "Height and tilt";
        for (name, value, unit, field) in [
            ("Height", attitude.z_m, "m", "z_m"),
            ("Pitch", attitude.pitch_rad, "rad", "pitch_rad"),
            ("Roll", attitude.roll_rad, "rad", "roll_rad"),
        ] {
            let pin = Some(format!("agents.{number}.{field}"));
            Line { name, about, value: &number_text(value), unit, pin, ..Line::default() }.ui(ui, lab, actions);
        }
    }
    if !Fold::new("last step", "Last step", "").ui(ui, lab.shell.settings.theme, "Motion in the last step") {
        return;
    }
    let moved_m = agent.displacement_m();
    let dt_s = lab.run.host.simulation().time().dt_s;
    let diameter_m = (2.0 * speed / turned).abs();
    let diameter = if diameter_m.is_infinite() { "straight".into() } else { known_text(diameter_m) };
    for (name, about, value, unit) in [
        ("Moved x", "Distance along x in the last step", number_text(moved_m.x), "m"),
        ("Moved y", "Distance along y in the last step", number_text(moved_m.y), "m"),
        ("Turned", "Change of heading in the last step, anticlockwise", known_text((turned * dt_s).to_degrees()), "°"),
        ("Turn diameter", "Diameter of the circle along which the robot moves", diameter, "m"),
    ] {
        let unit = if value.parse::<f64>().is_ok() { unit } else { "" };
        Line { name, about, value: &value, unit, ..Line::default() }.ui(ui, lab, actions);
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::{do_steps, lab_of, lab_on};

    use super::*;

    #[test]
    fn the_inspector_describes_commands_in_words() {
        let drive = |v_m_per_s, turn_rad_per_s| Command::Drive { v_m_per_s, turn_rad_per_s };
        let wheels = Command::Wheels { left_m_per_s: -0.1, right_m_per_s: -0.2 };
        let course = Command::Course { x_m_per_s: 0.0, y_m_per_s: 0.3, turn_rad_per_s: 0.0 };
        let all = [drive(0.0, 0.0), drive(0.2, -1.0), wheels, course].map(in_words);
        assert_eq!(
            all,
            [
                "wants to stand still",
                "wants to drive forward and turn right",
                "wants to drive backward and turn right",
                "wants to move"
            ]
        );
    }

    #[test]
    fn inspector_bars_end_at_round_numbers_and_never_shrink() {
        let mut scales = Scales::default();
        let ends = [0.03, 0.27, -0.6, f64::NAN, 0.1, 3.0].map(|value| scales.full("m/s", value));
        assert_eq!(ends, [0.1, 0.5, 1.0, 1.0, 1.0, 5.0]);
    }

    #[test]
    fn the_state_of_a_controller_has_the_name_of_the_parameter_or_of_its_memory() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 1);
        let states =
            |lab: &Lab| lab.run.host.simulation().agents().filter_map(|agent| state(&agent)).collect::<Vec<_>>();
        assert!(states(&lab).iter().all(|state| ["clear", "detected"].contains(&state.as_str())), "{:?}", states(&lab));
        assert_eq!(states(&lab).len(), 6);
        let mut lab = lab_on("simiam-week3");
        do_steps(&mut lab, 5);
        assert_eq!(states(&lab).len(), 4);
    }

    #[test]
    fn the_inspector_shows_a_robot_at_a_wall_as_stuck() {
        let mut lab = lab_of(
            "(arena: (size_m: (2, 2), boundary: Walls), groups: [(name: \"g\", at: [(1.9, 1.0, 0.0), (0.5, 1.0, 0.0)],
                body: Disc(radius_m: 0.1), controller: Constant(v_m_per_s: 0.1, turn_rad_per_s: 0.0))])",
        );
        do_steps(&mut lab, 4);
        let stuck = lab.run.host.simulation().agents().map(|agent| is_stuck(&lab, &agent)).collect::<Vec<_>>();
        assert_eq!(stuck, [true, false]);
    }
}
