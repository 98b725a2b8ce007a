//! The memory of the controller of the selected robot, by reflection.

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bevy_egui::egui::Ui;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::text::wording::words;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::describe::trim;

use crate::inspector::line::{self, Line, number_text};
use crate::inspector::listed;

/// Values with more characters than this have a line of their own.
const LONG: usize = 10;

/// One value of a memory.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: String,
    value: String,
    unit: &'static str,
    about: String,
    /// The path for plotting the value, if it is a number.
    pin: Option<String>,
}

/// Draws the section.
pub fn ui(ui: &mut Ui, lab: &Lab, agent: &AgentView, actions: &mut Vec<Action>) {
    let mut rows = Vec::new();
    if let Some(memory) = agent.memory() {
        let path = format!("agents.{}.memory", agent.id.index());
        match state_of_script(memory) {
            Some(state) => {
                add_fields("", &format!("{path}.state"), "", state, &mut rows);
            }
            None => add_fields("", &path, "", memory.as_partial_reflect(), &mut rows),
        }
    }
    if rows.is_empty() {
        ui.weak("Nothing: the controller has no memory");
    }
    for Row { name, value, unit, about, pin } in rows {
        let is_long = value.len() > LONG;
        let short = if is_long { "" } else { value.trim_start() };
        Line { name: &name, about: &about, value: short, unit, pin, ..Line::default() }.ui(ui, lab, actions);
        // Long values have the width of the panel.
        if is_long {
            line::block(ui, &value, &about);
        }
    }
}

/// Returns the declared state in the memory of a script; `None` for other memories.
fn state_of_script(memory: &dyn Reflect) -> Option<&dyn PartialReflect> {
    let fields = memory.reflect_ref().as_struct().ok()?;
    fields.field("state").filter(|state| state.try_downcast_ref::<DeclaredValues>().is_some())
}

/// Returns the failure in the memory of a script, with its step; `None` if the script runs.
pub fn failure(memory: &dyn Reflect) -> Option<(u64, String)> {
    state_of_script(memory)?;
    let failure = memory.reflect_ref().as_struct().ok()?.field("failure")?;
    let failure = failure.reflect_ref().as_enum().ok()?.field_at(0)?.reflect_ref().as_struct().ok()?;
    let step = failure.field("step")?.try_downcast_ref::<u64>()?;
    Some((*step, failure.field("text")?.try_downcast_ref::<String>()?.clone()))
}

/// Adds a row for each field of a struct and of nested structs.
fn add_fields(prefix: &str, path: &str, about: &str, value: &dyn PartialReflect, rows: &mut Vec<Row>) {
    let ReflectRef::Struct(fields) = value.reflect_ref() else { return };
    let info = fields.get_represented_struct_info();
    for (place, (name, field)) in fields.iter_fields().enumerate() {
        let docs = trim(info.and_then(|info| info.field_at(place)).and_then(|field| field.docs()));
        let about = [about, &docs].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        let path = format!("{path}.{name}");
        let (name, unit) = words(&format!("{prefix}{name}"));
        let pin = field.try_downcast_ref::<f64>().map(|_| path.clone());
        match plain(field) {
            Some(value) => rows.push(Row { name, value, unit, about, pin }),
            None if matches!(field.reflect_ref(), ReflectRef::Struct(_)) => {
                add_fields(&format!("{} ", name.to_lowercase()), &path, &about, field, rows);
            }
            None => rows.push(Row { name, value: format!("{field:?}"), unit, about, pin: None }),
        }
    }
}

/// Formats a text, a number, a vector or a list of numbers; `None` for anything else.
fn plain(value: &dyn PartialReflect) -> Option<String> {
    if let Some(list) = value.try_downcast_ref::<Vec<f64>>() {
        return Some(listed(list));
    }
    if let Some(text) = value.try_downcast_ref::<String>() {
        return Some(if text.is_empty() { "none".into() } else { text.clone() });
    }
    if let Some(point) = value.try_downcast_ref::<DVec2>() {
        return Some(listed(&point.to_array()));
    }
    if let Some(number) = value.try_downcast_ref::<f64>() {
        return Some(number_text(*number));
    }
    // An option is shown as its value.
    match value.reflect_ref() {
        ReflectRef::Enum(option) if option.variant_name() == "Some" => {
            let inner = option.field_at(0)?;
            Some(plain(inner).unwrap_or_else(|| format!("{inner:?}")))
        }
        ReflectRef::Enum(option) if option.variant_name() == "None" => Some("none".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Reflect, Default)]
    struct Remembered {
        /// Distance that is left.
        way_m: f64,
        is_lost: bool,
        goal: DVec2,
        side: Option<u8>,
        /// Nested values.
        inner: Inner,
    }

    #[derive(Reflect, Default)]
    struct Inner {
        /// Some numbers.
        values: Vec<f64>,
    }

    #[test]
    fn every_memory_field_is_a_row_with_rounded_numbers() {
        let inner = Inner { values: vec![0.123_456, 2.0] };
        let value = Remembered { way_m: 1.0 / 3.0, is_lost: true, goal: DVec2::new(1.0, -2.0), side: Some(3), inner };
        let mut rows = Vec::new();
        add_fields("", "agents.0.memory", "", &value, &mut rows);
        assert_eq!(rows[0].pin.as_deref(), Some("agents.0.memory.way_m"));
        assert!(rows[1..].iter().all(|row| row.pin.is_none()), "no other is one number");
        let found: Vec<_> = rows.iter().map(|row| [&row.name, &row.value, row.unit, row.about.as_str()]).collect();
        assert_eq!(
            found,
            [
                ["Way", "0.333", "m", "Distance that is left."],
                ["Is lost", "true", "", ""],
                ["Goal", "  1.000  -2.000", "", ""],
                ["Side", "3", "", ""],
                ["Inner values", "  0.123   2.000", "", "Nested values. Some numbers."],
            ]
        );
    }
}
