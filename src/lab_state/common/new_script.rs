//! New scripts: the text of a script that does what the controller of a group does, or a start for one.

use std::fmt::Write as _;
use std::path::Path;

use bevy::reflect::Reflect;
use swarmarium_core::agent::CommandForm;
use swarmarium_core::controller::{ControllerFamily, ControllerKinds};
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::sensor::names::layout;
use swarmarium_core::sensor::{SensorFamily, SensorKinds};
use swarmarium_core::text::values::number;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::path;
use swarmarium_script::SENSES;
use swarmarium_script::api::is_identifier;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::common::places::file_stem;
use crate::common::scripts;

/// The name of the kind of controllers that are scripts.
pub const KIND: &str = "Script";

/// The reason why there is no new script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NewScriptError {
    /// The scene has no such group.
    #[error("the group no longer exists")]
    NoGroup,
    /// The controller is a script.
    #[error("the controller of {0} is a script already")]
    IsScript(String),
}

/// A new script, with the edits that make it the controller of a group.
#[derive(Clone, Debug)]
pub struct NewScript {
    /// The name of its file.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The edits.
    pub edits: Vec<Edit>,
}

/// Makes a script of the controller of a group, by its place. Its file has a new name in a folder.
///
/// # Errors
/// Returns an error if there is no such group, or its controller is a script.
pub fn of_group(simulation: &Simulation, folder: Option<&Path>, place: usize) -> Result<NewScript, NewScriptError> {
    let scene = simulation.scene_ahead();
    let group = scene.groups.get(place).ok_or(NewScriptError::NoGroup)?;
    if kind_of(simulation.kinds(), group) == KIND {
        return Err(NewScriptError::IsScript(group.name.clone()));
    }
    let known: Vec<String> = scripts::all(scene).into_iter().map(|script| script.file).collect();
    let is_taken = |file: &String| known.contains(file) || folder.is_some_and(|folder| folder.join(file).exists());
    let stem = file_stem(&group.name).replace(' ', "_");
    let names = (1..).map(|number| if number == 1 { format!("{stem}.luau") } else { format!("{stem}-{number}.luau") });
    let file = names.into_iter().find(|file| !is_taken(file)).unwrap_or_default();
    let text = text(simulation, group);
    let [file_literal, source] = [&file, &text].map(|text| scripts::literal(text));
    let path = format!("groups.{place}.controller");
    let set = |path: String, value: String| Edit::Set { path, value };
    let mut edits = vec![set(path.clone(), format!("{KIND}(file: {file_literal}, source: {source})"))];
    // The controller decides as often as before.
    let acting = group.controller.common();
    let common = [("rate_hz", acting.rate_hz), ("phase_s", acting.phase_s)];
    edits.extend(
        common
            .iter()
            .filter(|(_, value)| *value != 0.0)
            .map(|(name, value)| set(format!("{path}.{name}"), format!("{value:?}"))),
    );
    Ok(NewScript { file, text, edits })
}

/// Returns the name of the kind of the controller of a group.
pub fn kind_of<'k>(kinds: &'k Kinds, group: &Group) -> &'k str {
    kinds.of_value(ControllerFamily::NAME, group.controller.value()).map_or("", |kind| kind.name)
}

/// A sensor of a group, as scripts name it.
struct Sensor {
    /// The expression for its reading.
    expression: String,
    /// The number of its numbers.
    channels: usize,
}

impl Sensor {
    /// Returns the condition that it detects something.
    fn detects(&self) -> String {
        match self.channels {
            1 => format!("{} > 0.5", self.expression),
            _ => format!("detects({})", self.expression),
        }
    }

    /// Returns its first number.
    fn first(&self) -> String {
        match self.channels {
            1 => self.expression.clone(),
            _ => format!("{}[1]", self.expression),
        }
    }
}

/// The function that tells whether one of several numbers is a detection.
const DETECTS: &str = "local function detects(reading)
    for _, value in reading do
        if value > 0.5 then
            return true
        end
    end
    return false
end

";

/// Returns the sensors of a group by slot.
fn sensors(simulation: &Simulation, group: &Group) -> Vec<Sensor> {
    let Some(kinds) = simulation.world().get_resource::<SensorKinds>() else { return Vec::new() };
    let named = group.sensors.iter().map(|sensor| (sensor.value(), sensor.common().name.as_str()));
    let names = layout(kinds, named).sensors.into_iter().map(|sensor| sensor.name);
    let sensor = |(place, (name, slot)): (usize, (String, &Slot<SensorFamily>))| {
        let expression = match is_identifier(&name) && !SENSES.contains(&name.as_str()) {
            true => format!("senses.{name}"),
            false => format!("senses[{}]", place + 1),
        };
        Sensor { expression, channels: kinds.channels(slot.value()).unwrap_or(1) }
    };
    names.zip(&group.sensors).enumerate().map(sensor).collect()
}

/// Reads parameters of a controller by their paths.
struct Read<'a> {
    kinds: &'a Kinds,
    controller: &'a dyn Reflect,
}

impl<'a> Read<'a> {
    fn value(&self, path: &str) -> Option<&'a dyn Reflect> {
        path::get(self.kinds, self.controller, path).ok()
    }

    /// Returns a number as a script writes it.
    fn number(&self, path: &str) -> String {
        luau(self.value(path).and_then(number).unwrap_or_default())
    }

    fn slot(&self, path: &str) -> usize {
        self.value(path).and_then(|value| value.downcast_ref::<u32>()).map_or(0, |slot| *slot as usize)
    }

    fn len(&self, path: &str) -> usize {
        self.value(path).and_then(|value| value.reflect_ref().as_list().ok()).map_or(0, |list| list.len())
    }

    /// Returns a speed and a turn rate.
    fn drive(&self, path: &str) -> String {
        format!("{}, {}", self.number(&format!("{path}.v_m_per_s")), self.number(&format!("{path}.turn_rad_per_s")))
    }
}

/// Formats a number so that a script reads the same number.
fn luau(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").map(Into::into).unwrap_or(text)
}

/// Returns the text of the script in place of the controller of a group.
fn text(simulation: &Simulation, group: &Group) -> String {
    let kinds = simulation.kinds();
    let sensors = sensors(simulation, group);
    let read = Read { kinds, controller: group.controller.value() };
    match kind_of(kinds, group) {
        "Constant" => constant(&read),
        "Binary" => binary(&read, &sensors),
        "Bits" => bits(&read, &sensors),
        "Table" => table(&read, &sensors),
        "Levy" => walk(&read),
        kind => {
            let table = simulation.world().get_resource::<ControllerKinds>();
            let form = table.and_then(|table| table.command_form(group.controller.value()));
            start(kind, form.unwrap_or(CommandForm::Drive), &sensors)
        }
    }
}

fn constant(read: &Read) -> String {
    format!(
        "-- Drives with a constant speed and turn rate.
parameters = {{
    v = {{ {v}, unit = \"m/s\", doc = \"Speed along the heading.\" }},
    turn = {{ {turn}, unit = \"rad/s\", doc = \"Turn rate, anticlockwise.\" }},
}}

function step(self, senses)
    return self.v, self.turn
end
",
        v = read.number("v_m_per_s"),
        turn = read.number("turn_rad_per_s"),
    )
}

fn binary(read: &Read, sensors: &[Sensor]) -> String {
    let sensor = sensors.get(read.slot("sensor"));
    let detects = sensor.map_or_else(|| "false".into(), Sensor::detects);
    let helper = if sensor.is_some_and(|sensor| sensor.channels != 1) { DETECTS } else { "" };
    let mut text = String::from(
        "-- Drives with one speed and turn rate while its sensor detects something, and with others while the view is clear.
parameters = {
",
    );
    for (name, when) in [("clear", "nothing is detected"), ("detected", "something is detected")] {
        let [v, turn] = ["v_m_per_s", "turn_rad_per_s"].map(|field| read.number(&format!("{name}.{field}")));
        _ = write!(
            text,
            "    {name}_v = {{ {v}, unit = \"m/s\", doc = \"Speed while {when}.\" }},
    {name}_turn = {{ {turn}, unit = \"rad/s\", doc = \"Turn rate while {when}.\" }},
"
        );
    }
    let votes = read.slot("vote_readings");
    if votes > 1 {
        _ = write!(
            text,
            "    votes = {{ {votes}, min = 1, doc = \"Number of the latest readings that vote.\" }},
}}
state = {{ last = {{}} }}

{helper}function step(self, senses)
    local last = self.last
    table.insert(last, if {detects} then 1 else 0)
    while #last > self.votes do
        table.remove(last, 1)
    end
    self.last = last
    local count = 0
    for _, detected in last do
        count += detected
    end
    if 2 * count > #last then
"
        );
    } else {
        _ = write!(text, "}}\n\n{helper}function step(self, senses)\n    if {detects} then\n");
    }
    text + "        return self.detected_v, self.detected_turn
    end
    return self.clear_v, self.clear_turn
end
"
}

fn bits(read: &Read, sensors: &[Sensor]) -> String {
    let slots: Vec<usize> = match read.len("sensors") {
        0 => (0..sensors.len()).collect(),
        len => (0..len).map(|place| read.slot(&format!("sensors.{place}"))).collect(),
    };
    let used: Vec<Option<&Sensor>> = slots.iter().take(32).map(|slot| sensors.get(*slot)).collect();
    let helper = if used.iter().flatten().any(|sensor| sensor.channels != 1) { DETECTS } else { "" };
    let mut text = String::from(
        "-- Looks up its command in a table by the detections of its sensors.\n\
         -- Each command is { speed in m/s, turn rate in rad/s }, by the sum of the bits.\nlocal motions = {\n",
    );
    let mut seen = Vec::new();
    for place in 0..read.len("table") {
        let bits = read.slot(&format!("table.{place}.bits"));
        // The first entry for a sum is the one that counts.
        if !seen.contains(&bits) {
            seen.push(bits);
            _ = writeln!(text, "    [{bits}] = {{ {} }},", read.drive(&format!("table.{place}.drive")));
        }
    }
    _ = write!(
        text,
        "}}
local otherwise = {{ {} }}

{helper}function step(self, senses)
    local bits = 0
",
        read.drive("otherwise")
    );
    for (place, sensor) in used.iter().enumerate() {
        if let Some(sensor) = sensor {
            _ = write!(text, "    if {} then\n        bits += {}\n    end\n", sensor.detects(), 1_u64 << place);
        }
    }
    text + "    local command = motions[bits] or otherwise
    return command[1], command[2]
end
"
}

fn table(read: &Read, sensors: &[Sensor]) -> String {
    let digits: Vec<(usize, usize)> = match read.len("sensors") {
        0 => vec![(0, read.len("commands"))],
        len => (0..len)
            .map(|place| (read.slot(&format!("sensors.{place}.sensor")), read.slot(&format!("sensors.{place}.states"))))
            .collect(),
    };
    let mut text = String::from(
        "-- Looks up its command in a list by the states of its sensors.\n\
         -- Each command is { speed in m/s, turn rate in rad/s }.\nlocal motions = {\n",
    );
    for place in 0..read.len("commands") {
        _ = writeln!(text, "    {{ {} }},", read.drive(&format!("commands.{place}")));
    }
    _ = write!(
        text,
        "}}
local otherwise = {{ {} }}

function step(self, senses)
",
        read.drive("otherwise")
    );
    if digits.iter().any(|(slot, _)| sensors.get(*slot).is_none()) {
        // A sensor that is not there has no state.
        return text + "    return otherwise[1], otherwise[2]\nend\n";
    }
    text += "    local place, unit = 1, 1\n";
    for (sensor, states) in digits.iter().filter_map(|(slot, states)| Some((sensors.get(*slot)?, states))) {
        _ = write!(
            text,
            "    local reading = math.round({})
    if not (reading >= 0 and reading < {states}) then
        return otherwise[1], otherwise[2]
    end
    place += unit * reading
    unit *= {states}
",
            sensor.first()
        );
    }
    text + "    local command = motions[place] or otherwise
    return command[1], command[2]
end
"
}

fn walk(read: &Read) -> String {
    format!(
        "-- Alternates straight walks and turns on the spot, both of random length. A collision ends a walk or a turn.
-- It replaces a Lévy walk, and has shorter walks.
parameters = {{
    v = {{ {v}, unit = \"m/s\", doc = \"Speed of walks.\" }},
    turn = {{ {turn}, unit = \"rad/s\", min = 0, doc = \"Turn rate of turns.\" }},
    walk_s = {{ 5, unit = \"s\", min = 0, doc = \"Mean duration of a walk.\" }},
}}
state = {{ turning = true, until_s = 0, rate = 0 }}

function step(self, senses)
    if senses.time_s >= self.until_s or senses.touched then
        self.turning = not self.turning
        if self.turning then
            local angle = (2 * self:random() - 1) * math.pi
            self.rate = if angle < 0 then -self.turn else self.turn
            self.until_s = senses.time_s + math.abs(angle) / math.max(self.turn, 0.001)
        else
            self.until_s = senses.time_s - self.walk_s * math.log(1 - self:random())
        end
    end
    if self.turning then
        return 0, self.rate
    end
    return self.v, 0
end
",
        v = read.number("v_m_per_s"),
        turn = read.number("turn_rad_per_s"),
    )
}

/// Returns a start for the script of another kind.
fn start(kind: &str, form: CommandForm, sensors: &[Sensor]) -> String {
    let (name, values) = match form {
        CommandForm::Wheels => ("wheels", "speeds of the left and the right wheel in m/s"),
        CommandForm::Velocity => ("velocity", "velocity along and across the heading in m/s, and turn rate in rad/s"),
        CommandForm::Course => ("course", "velocity in the arena along x and y in m/s, and turn rate in rad/s"),
        _ => ("drive", "speed in m/s and turn rate in rad/s"),
    };
    let mut text = format!("-- A start for a script in place of {kind}: moves without looking.\n");
    for Sensor { expression, channels } in sensors {
        _ = match channels {
            1 => writeln!(text, "-- {expression} is a number."),
            channels => {
                writeln!(text, "-- {expression} is a list of {channels} numbers: {expression}[1] is the first.")
            }
        };
    }
    text += "parameters = {
    speed = { 0.1, unit = \"m/s\", doc = \"Speed.\" },
    turn = { 0, unit = \"rad/s\", doc = \"Turn rate, anticlockwise.\" },
}
";
    if name != "drive" {
        _ = writeln!(text, "commands = \"{name}\"");
    }
    let condition = sensors
        .iter()
        .find(|sensor| sensor.channels == 1)
        .map_or_else(|| "senses.touched".to_owned(), |sensor| format!("{} > 0.5", sensor.expression));
    let (away, result) = match name {
        "wheels" => ("-self.speed, self.speed", "self.speed, self.speed"),
        "drive" => ("0, 1", "self.speed, self.turn"),
        _ => ("0, self.speed, 0", "self.speed, 0, self.turn"),
    };
    _ = write!(
        text,
        "
-- Returns {values}.
function step(self, senses)
    -- if {condition} then
    --     return {away}
    -- end
    return {result}
end
"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_scripts_read_them() {
        assert_eq!([0.1, -2.0, 1e-7, 1e21].map(luau), ["0.1", "-2", "1e-7", "1e21"]);
    }
}
