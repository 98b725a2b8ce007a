//! Supervisors of pySimiam as controllers.

use bevy::math::DVec2;
use serde_json::{Map, Value};

use super::classes::Ours;
use crate::controller::human::Human;
use crate::kind::{ControllerFamily, Kinds, Open};

/// What a group writes to be led so.
pub fn text(ours: Ours) -> String {
    match ours {
        Ours::Human => "controller: Human()".into(),
        Ours::Robot(_) | Ours::Supervisor(_) => "controller: Constant()".into(),
    }
}

/// Sets an option of a supervisor.
///
/// # Errors
/// When it has no such option, or not of this value.
pub fn set(_controller: &mut Open<ControllerFamily>, _ours: Ours, name: &str, _value: &Value) -> Result<(), String> {
    Err(format!("`{name}` is not an option of this supervisor: ignored"))
}

/// Where a supervisor is to go.
pub fn goal_m(_controller: &Open<ControllerFamily>) -> Option<DVec2> {
    None
}

/// The supervisor that decides as a controller does, its options, and the fields of the controller that it has not.
pub fn read(_kinds: &Kinds, controller: &Open<ControllerFamily>) -> Option<(Ours, Map<String, Value>, Vec<String>)> {
    controller.value().is::<Human>().then(|| (Ours::Human, Map::new(), Vec::new()))
}
