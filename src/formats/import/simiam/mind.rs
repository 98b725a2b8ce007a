//! Supervisors of pySimiam as controllers, with the options that it has for them.

use bevy::math::DVec2;
use serde_json::{Map, Value, json};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::controller::behaviour::{Gains, Side};
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::text::wording::{shown, suggestion};
use swarmarium_kinds::controller::human::Human;
use swarmarium_kinds::controller::supervisor::{self, Supervisor};

use super::classes::{self, Ours};

/// What follows walls, here.
const FOLLOWER: &str = "quickbot-wall";

/// An option of a supervisor, and the parameter that it sets.
struct Setting {
    name: &'static str,
    /// What is allowed, for messages.
    expected: &'static str,
    set: fn(&mut Supervisor, &Value) -> Option<()>,
    get: fn(&Supervisor) -> Value,
}

/// Of the follower of walls, in the order in which pySimiam reads them: it stops at the first one that is missing.
const OF_WALL: &[Setting] = &[
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
            // As the dock has it, or alone.
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

/// Of the full supervisor of a QuickBot.
const OF_GOAL: &[Setting] = &[
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

fn number(value: &Value, most: f64) -> Option<f64> {
    value.as_f64().filter(|number| number.abs() <= most)
}

fn settings(ours: Ours) -> &'static [Setting] {
    match ours {
        Ours::Supervisor(FOLLOWER) => OF_WALL,
        Ours::Supervisor("quickbot-full") => OF_GOAL,
        _ => &[],
    }
}

/// What a group writes to be led so.
pub fn text(ours: Ours) -> String {
    match ours {
        Ours::Supervisor(name) => format!("supervisor: \"{name}\""),
        Ours::Robot(_) | Ours::Human => "controller: Human()".into(),
    }
}

/// Sets options of a supervisor; gives what is wrong with them.
pub fn set(controller: &mut Slot<ControllerFamily>, ours: Ours, options: &Map<String, Value>) -> Vec<String> {
    let settings = settings(ours);
    // The first that is missing ends those of the follower of walls.
    let is_missing = |setting: &Setting| ours == Ours::Supervisor(FOLLOWER) && !options.contains_key(setting.name);
    let read = settings.iter().position(is_missing).unwrap_or(settings.len());
    let set = |(name, value): (&String, &Value)| match settings[read..].iter().find(|setting| setting.name == name) {
        Some(_) => Err(format!("`{name}` counts only after `{}`, which is missing: ignored", settings[read].name)),
        None => set_one(controller, settings, name, value),
    };
    options.iter().map(set).filter_map(Result::err).collect()
}

/// Sets an option of a supervisor.
///
/// # Errors
/// When it has no such option, or not of this value.
fn set_one(
    controller: &mut Slot<ControllerFamily>,
    settings: &[Setting],
    name: &str,
    value: &Value,
) -> Result<(), String> {
    let Some(setting) = settings.iter().find(|setting| setting.name == name) else {
        let known: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
        let near = suggestion(name, &known);
        return Err(format!("the supervisor has no option `{}`{near}: ignored", shown(name)));
    };
    let supervisor = controller.value_mut().downcast_mut::<Supervisor>();
    supervisor.and_then(|supervisor| (setting.set)(supervisor, value)).ok_or_else(|| {
        let found = shown(&value.to_string());
        format!("`{name}`: expected {}, found {found}: ignored", setting.expected)
    })
}

/// Where a supervisor is to go.
pub fn goal_m(controller: &Slot<ControllerFamily>) -> Option<DVec2> {
    controller.value().downcast_ref().map(|Supervisor { goal_m, .. }| *goal_m)
}

/// A supervisor of pySimiam that decides as a controller of ours does.
pub struct Led {
    /// Which one.
    pub by: Ours,
    /// Its options.
    pub options: Map<String, Value>,
    /// The parameters that are others there.
    pub lost: Vec<&'static str>,
}

impl Led {
    /// Finds the one that differs least; `None` when all have other states or conditions.
    pub fn of(kinds: &Kinds, controller: &Slot<ControllerFamily>) -> Option<Self> {
        if controller.value().is::<Human>() {
            return Some(Self { by: Ours::Human, options: Map::new(), lost: Vec::new() });
        }
        let supervisor: &Supervisor = controller.value().downcast_ref()?;
        let all = classes::all(false).filter_map(|known| Self::by(kinds, supervisor, known.ours));
        all.min_by_key(|led| led.lost.len())
    }

    fn by(kinds: &Kinds, supervisor: &Supervisor, by: Ours) -> Option<Self> {
        let Ours::Supervisor(name) = by else { return None };
        let mut there = supervisor::shipped(kinds, name).ok()?;
        let mut options = Map::new();
        for setting in settings(by).iter().rev() {
            let own = (setting.get)(supervisor);
            // What comes before one that is told must be told, too.
            if own != (setting.get)(&there) || !options.is_empty() {
                (setting.set)(&mut there, &own)?;
                options.insert(setting.name.to_owned(), own);
            }
        }
        let is_same = there.conditions == supervisor.conditions && there.states == supervisor.states;
        let parameters = [
            ("goal", there.goal == supervisor.goal),
            ("goal_m", there.goal_m == supervisor.goal_m),
            ("v_m_per_s", there.v_m_per_s == supervisor.v_m_per_s),
            ("gains", there.gains == supervisor.gains),
            ("side", there.side == supervisor.side),
            ("infrared", there.infrared == supervisor.infrared),
            ("odometry", there.odometry == supervisor.odometry),
        ];
        let lost = parameters.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name).collect();
        is_same.then_some(Self { by, options, lost })
    }
}
