//! Controllers of ARGoS in Lua, translated into scripts.
//!
//! A controller of ARGoS has the functions `init` and `step`, uses the table `robot`, and keeps values in global variables.
//! The translation changes names in the text and keeps all lines:
//!
//! - Variables of the file that functions assign are fields of `self`, and declared in `state`.
//! - Functions of the file have two more parameters, `self` and `robot`.
//! - `robot` is made anew for each step, from the readings of the robot; an adapter before the first line makes it.
//!
//! What scripts cannot do is listed with its lines, and nothing is translated then.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::{Program, ScriptError};

mod survey;
mod translate;

/// The adapter, which makes `robot`.
const ADAPTER: &str = include_str!("argos/adapter.luau");

/// The colours of ARGoS by name: red, green and blue from 0 to 255.
pub const COLORS: [(&str, [u8; 3]); 20] = [
    ("black", [0, 0, 0]),
    ("white", [255, 255, 255]),
    ("red", [255, 0, 0]),
    ("green", [0, 255, 0]),
    ("blue", [0, 0, 255]),
    ("magenta", [255, 0, 255]),
    ("cyan", [0, 255, 255]),
    ("yellow", [255, 255, 0]),
    ("orange", [255, 140, 0]),
    ("brown", [165, 42, 42]),
    ("purple", [160, 32, 240]),
    ("gray10", [26, 26, 26]),
    ("gray20", [51, 51, 51]),
    ("gray30", [77, 77, 77]),
    ("gray40", [102, 102, 102]),
    ("gray50", [128, 128, 128]),
    ("gray60", [153, 153, 153]),
    ("gray70", [179, 179, 179]),
    ("gray80", [204, 204, 204]),
    ("gray90", [230, 230, 230]),
];

/// The robot of a controller.
#[derive(Clone, Debug, Default)]
pub struct ArgosRobot {
    /// The fields of `robot` that its devices give, such as `wheels` and `proximity`. Sensors of the scene have these names.
    pub devices: Vec<String>,
    /// Those among them whose readings are numbers, and not tables with `value` and `angle`.
    pub plain: Vec<String>,
    /// The distance (cm) between the wheels.
    pub axis_cm: f64,
    /// The directions (rad) of its sensors of proximity and light.
    pub ring_rad: Vec<f64>,
    /// The formula that turns distances (m) of `proximity` into values.
    pub proximity: Curve,
    /// The range (m) of `proximity`.
    pub proximity_m: f64,
    /// The number of bytes of its messages.
    pub data_size: u32,
    /// The ids of the robots, and the number of the first one.
    pub ids: Vec<String>,
    /// The number of the first robot.
    pub first: u32,
    /// The parameters of the controller: names and texts.
    pub params: Vec<(String, String)>,
    /// The duration of a step (s).
    pub dt_s: f64,
}

/// Value of a sensor of proximity as a function of the distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curve {
    /// The reading is the value.
    #[default]
    Value,
    /// That of the e-puck.
    EPuck,
    /// That of the Khepera IV.
    KheperaIv,
    /// The generic sensor: `exp(−distance)`.
    Plain,
}

impl Curve {
    const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::EPuck => "epuck",
            Self::KheperaIv => "kheperaiv",
            Self::Plain => "plain",
        }
    }
}

/// Translates a controller.
///
/// # Errors
/// Lists everything that scripts do not have, in the order of the text.
pub fn translate(text: &str, robot: &ArgosRobot) -> Result<String, Vec<ScriptError>> {
    // A mark for programs that run scripts is not a comment in Lua here.
    let text = if text.starts_with("#!") { text.replacen("#!", "--", 1) } else { text.to_owned() };
    let survey = survey::survey(&text).map_err(|error| vec![error])?;
    let mut missing = survey.missing.clone();
    missing.extend(unknown_devices(&survey, robot));
    let has_id = survey.robot_paths.iter().any(|(path, _)| path.first().is_some_and(|field| field == "id"));
    let translated = translate::translate(&text, &survey, &preamble(robot, has_id), &mut missing);
    if !missing.is_empty() {
        missing.sort_by_key(|error| error.line);
        missing.dedup();
        return Err(missing);
    }
    match Program::compile(&translated) {
        Ok(_) => Ok(translated),
        Err(error) => Err(vec![error]),
    }
}

/// The uses of fields of `robot` that its devices do not give.
fn unknown_devices(survey: &survey::Survey, robot: &ArgosRobot) -> Vec<ScriptError> {
    let mut missing = Vec::new();
    let mut said = BTreeSet::new();
    for (path, line) in &survey.robot_paths {
        let Some(field) = path.first() else { continue };
        let is_device = robot.devices.iter().any(|known| known == field);
        let methods: &[&str] = match field.as_str() {
            "wheels" => {
                &["set_velocity", "axis_length", "velocity_left", "velocity_right", "distance_left", "distance_right"]
            }
            "leds" => &["set_all_colors", "set_single_color"],
            "range_and_bearing" => &["set_data", "clear_data"],
            "gripper" => &["lock_positive", "lock_negative", "unlock"],
            "random" => &["uniform", "uniform_int", "bernoulli", "exponential", "gaussian"],
            "colored_blob_omnidirectional_camera" => &["enable", "disable"],
            "positioning" => &["position", "orientation"],
            _ => &[],
        };
        let is_own = ["id", "params", "random"].contains(&field.as_str());
        let is_known = (is_device || is_own)
            && path.get(1).is_none_or(|method| (methods.is_empty() && is_own) || methods.contains(&method.as_str()));
        let shown = path.iter().take(2).fold("robot".to_owned(), |text, part| text + "." + part);
        if !is_known && said.insert((shown.clone(), *line)) {
            missing.push(ScriptError::at(*line, &format!("the robot has no `{shown}`")));
        }
    }
    missing
}

/// The adapter with the numbers of a robot, in one line. Only controllers that read ids need them.
fn preamble(robot: &ArgosRobot, has_id: bool) -> String {
    let list = |numbers: &[f64]| numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(", ");
    let texts = |texts: &[String]| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
    let set = |names: &[String]| names.iter().map(|name| format!("{name} = true")).collect::<Vec<_>>().join(", ");
    let params = robot.params.iter().map(|(name, text)| format!("[{}] = {}", quoted(name), quoted(text)));
    let params = params.collect::<Vec<_>>().join(", ");
    let colors = COLORS.map(|(name, [red, green, blue])| format!("{name} = {{ {red}, {green}, {blue} }}")).join(", ");
    let mut line = String::new();
    let _ = write!(
        line,
        "local ARGOS_DEVICES, ARGOS_PLAIN = {{ {} }}, {{ {} }} local ARGOS_RING, ARGOS_AXIS, ARGOS_CURVE = {{ {} }}, {:?}, {} \
         local ARGOS_DATA, ARGOS_IDS, ARGOS_FIRST, ARGOS_DT, ARGOS_RANGE = {}, {{ {} }}, {}, {:?}, {:?} local ARGOS_PARAMS = {{ {params} }} local ARGOS_COLORS = {{ {colors} }} ",
        set(&robot.devices),
        set(&robot.plain),
        list(&robot.ring_rad),
        robot.axis_cm,
        quoted(robot.proximity.name()),
        robot.data_size,
        texts(if has_id { &robot.ids } else { &[] }),
        robot.first,
        robot.dt_s,
        robot.proximity_m,
    );
    for part in ADAPTER.lines().map(str::trim).filter(|part| !part.starts_with("--") && !part.is_empty()) {
        line += part;
        line.push(' ');
    }
    line
}

/// A text as a literal of Lua.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => literal.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(literal, "\\u{{{:x}}}", letter as u32);
            }
            letter => literal.push(letter),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests;
