//! Supervisors of pySimiam as controllers, with their options.

use bevy::math::DVec2;
use serde_json::{Map, Value, json};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::controller::behaviour::{Gains, Side};
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::text::wording::{shown, suggestion};
use swarmarium_kinds::controller::human::Human;
use swarmarium_kinds::controller::supervisor::{self, Supervisor};

use super::classes::{self, Counterpart};

/// The supervisor that follows walls.
const WALL_FOLLOWER: &str = "quickbot-wall";

/// Why an option of a supervisor is ignored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OptionError {
    /// The supervisor does not have the option.
    #[error("the supervisor has no option `{}`{}: ignored", shown(.name), suggestion(.name, .known))]
    Unknown {
        /// The name of the option.
        name: String,
        /// The options that the supervisor has.
        known: Vec<&'static str>,
    },
    /// The option has a value that is not allowed.
    #[error("`{name}`: expected {expected}, found {}: ignored", shown(.found))]
    Value {
        /// The name of the option.
        name: String,
        /// The values that are allowed.
        expected: &'static str,
        /// The value.
        found: String,
    },
    /// The supervisor does not read the option, as an earlier one is missing.
    #[error("`{name}` counts only after `{missing}`, which is missing: ignored")]
    AfterMissing {
        /// The name of the option.
        name: String,
        /// The first option that is missing.
        missing: &'static str,
    },
}

/// An option of a supervisor, and the parameter that it sets.
struct Setting {
    name: &'static str,
    /// The values that are allowed, for messages.
    expected: &'static str,
    set: fn(&mut Supervisor, &Value) -> Option<()>,
    get: fn(&Supervisor) -> Value,
}

/// The options of the wall follower in the order in which pySimiam reads them. It stops at the first missing option.
const WALL_SETTINGS: &[Setting] = &[
    Setting {
        name: "direction",
        expected: "\"left\" or \"right\"",
        set: |supervisor, value| {
            supervisor.side = match value.as_str()? {
                "left" => Side::Left,
                "right" => Side::Right,
                _ => return None,
            };
            Some(())
        },
        get: |supervisor| json!(if supervisor.side == Side::Left { "left" } else { "right" }),
    },
    Setting {
        name: "velocity",
        expected: "a number",
        set: |supervisor, value| {
            // The dock of pySimiam writes a map, which can also be a number alone.
            supervisor.v_m_per_s = number(value.get("v").unwrap_or(value), 1e3)?;
            Some(())
        },
        get: |supervisor| json!(supervisor.v_m_per_s),
    },
    Setting {
        name: "gains",
        expected: "`{\"kp\": …, \"ki\": …, \"kd\": …}`",
        set: |supervisor, value| {
            let gain = |name| number(value.get(name)?, 1e4);
            supervisor.gains = Gains { kp: gain("kp")?, ki: gain("ki")?, kd: gain("kd")? };
            Some(())
        },
        get: |Supervisor { gains: Gains { kp, ki, kd }, .. }| json!({"kp": kp, "ki": ki, "kd": kd}),
    },
];

/// The options of the full supervisor of a QuickBot.
const GOAL_SETTINGS: &[Setting] = &[
    Setting {
        name: "x",
        expected: "a number",
        set: |supervisor, value| {
            supervisor.goal_m.x = number(value, MAX_LENGTH_M)?;
            Some(())
        },
        get: |supervisor| json!(supervisor.goal_m.x),
    },
    Setting {
        name: "y",
        expected: "a number",
        set: |supervisor, value| {
            supervisor.goal_m.y = number(value, MAX_LENGTH_M)?;
            Some(())
        },
        get: |supervisor| json!(supervisor.goal_m.y),
    },
];

/// The number of an option, up to a limit on its size.
fn number(value: &Value, max: f64) -> Option<f64> {
    value.as_f64().filter(|number| number.abs() <= max)
}

/// The options of a supervisor.
fn settings(supervisor: Counterpart) -> &'static [Setting] {
    match supervisor {
        Counterpart::Supervisor(WALL_FOLLOWER) => WALL_SETTINGS,
        Counterpart::Supervisor("quickbot-full") => GOAL_SETTINGS,
        _ => &[],
    }
}

/// The field of a group that gives it a supervisor, as a scene writes it.
pub fn group_field(supervisor: Counterpart) -> String {
    match supervisor {
        Counterpart::Supervisor(name) => format!("supervisor: \"{name}\""),
        Counterpart::Robot(_) | Counterpart::Human => "controller: Human()".into(),
        Counterpart::Own => "controller: External()".into(),
    }
}

/// Sets options of a supervisor. Gives the errors of those that are ignored.
pub fn set_options(
    controller: &mut Slot<ControllerFamily>,
    supervisor: Counterpart,
    options: &Map<String, Value>,
) -> Vec<OptionError> {
    let settings = settings(supervisor);
    // The wall follower does not read past the first missing option.
    let stops_at_missing = supervisor == Counterpart::Supervisor(WALL_FOLLOWER);
    let is_missing = |setting: &Setting| stops_at_missing && !options.contains_key(setting.name);
    let read = settings.iter().position(is_missing).unwrap_or(settings.len());
    let set = |(name, value): (&String, &Value)| match settings[read..].iter().find(|setting| setting.name == name) {
        Some(_) => Err(OptionError::AfterMissing { name: name.clone(), missing: settings[read].name }),
        None => set_option(controller, settings, name, value),
    };
    options.iter().map(set).filter_map(Result::err).collect()
}

/// Sets an option of a supervisor.
///
/// # Errors
/// When the supervisor does not have the option, or the value is not allowed.
fn set_option(
    controller: &mut Slot<ControllerFamily>,
    settings: &[Setting],
    name: &str,
    value: &Value,
) -> Result<(), OptionError> {
    let Some(setting) = settings.iter().find(|setting| setting.name == name) else {
        let known = settings.iter().map(|setting| setting.name).collect();
        return Err(OptionError::Unknown { name: name.to_owned(), known });
    };
    let supervisor = controller.value_mut().downcast_mut::<Supervisor>();
    supervisor.and_then(|supervisor| (setting.set)(supervisor, value)).ok_or_else(|| OptionError::Value {
        name: name.to_owned(),
        expected: setting.expected,
        found: value.to_string(),
    })
}

/// The goal of a supervisor.
pub fn goal_m(controller: &Slot<ControllerFamily>) -> Option<DVec2> {
    controller.value().downcast_ref().map(|Supervisor { goal_m, .. }| *goal_m)
}

/// A supervisor of pySimiam with the states and conditions of a controller.
pub struct SupervisorMatch {
    /// The supervisor.
    pub supervisor: Counterpart,
    /// Its options.
    pub options: Map<String, Value>,
    /// The parameters of the controller that differ from those of the supervisor.
    pub differing: Vec<&'static str>,
}

impl SupervisorMatch {
    /// Finds the supervisor with the fewest differing parameters; `None` if all have other states or conditions.
    pub fn find(kinds: &Kinds, controller: &Slot<ControllerFamily>) -> Option<Self> {
        if controller.value().is::<Human>() {
            return Some(Self { supervisor: Counterpart::Human, options: Map::new(), differing: Vec::new() });
        }
        let controller: &Supervisor = controller.value().downcast_ref()?;
        let all = classes::all(false).filter_map(|class| Self::compare(kinds, controller, class.counterpart));
        all.min_by_key(|found| found.differing.len())
    }

    /// Compares a controller with a supervisor; `None` if their states or conditions differ.
    fn compare(kinds: &Kinds, controller: &Supervisor, supervisor: Counterpart) -> Option<Self> {
        let Counterpart::Supervisor(name) = supervisor else { return None };
        let mut shipped = supervisor::shipped(kinds, name).ok()?;
        let mut options = Map::new();
        for setting in settings(supervisor).iter().rev() {
            let own = (setting.get)(controller);
            // An option needs those before it.
            if own != (setting.get)(&shipped) || !options.is_empty() {
                (setting.set)(&mut shipped, &own)?;
                options.insert(setting.name.to_owned(), own);
            }
        }
        let is_same = shipped.conditions == controller.conditions && shipped.states == controller.states;
        let parameters = [
            ("goal", shipped.goal == controller.goal),
            ("goal_m", shipped.goal_m == controller.goal_m),
            ("v_m_per_s", shipped.v_m_per_s == controller.v_m_per_s),
            ("gains", shipped.gains == controller.gains),
            ("side", shipped.side == controller.side),
            ("infrared", shipped.infrared == controller.infrared),
            ("odometry", shipped.odometry == controller.odometry),
        ];
        let differing = parameters.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name).collect();
        is_same.then_some(Self { supervisor, options, differing })
    }
}
