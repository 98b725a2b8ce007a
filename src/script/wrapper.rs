//! The generated function around `step`: it reads the input from a buffer, builds `self` and `senses`, calls `step`,
//! checks the results, and writes them into the buffer.
//!
//! One buffer and one call without arguments per step cost much less than tables that the host builds field by field.

use std::fmt::Write;
use std::sync::Arc;

use mlua::chunk::Compiler;
use mlua::{Buffer, Function, Lua, LuaString, Result, Table};

use crate::{Face, NamedSensor, SensorLayout, Value, api};
use swarmarium_base::problem::did_you_mean;

/// Largest number of numbers in a message.
const MAX_MESSAGE: usize = 256;
/// Largest number of numbers in a list of the state.
pub const MAX_LIST: usize = 4096;
/// Largest length of a text of the state (bytes).
pub const MAX_TEXT: usize = 65_536;
/// Largest number of sensors whose readings fit into local variables.
const MAX_LOCAL_SENSORS: usize = 100;

/// Names of `senses` that take precedence over names of sensors.
pub const SENSES: [&str; 5] = ["time_s", "dt_s", "step", "touched", "messages"];

/// Places in the buffer (bytes). Outputs come first.
pub const COMMAND_AT: usize = 0;
/// The colour of the LED.
pub const LED_AT: usize = 24;
/// The emission.
pub const EMISSION_AT: usize = 48;
/// The numbers of the message to send.
pub const MESSAGE_AT: usize = 56;
/// Start of the block that the host writes. The flags: count of the numbers to send + 1 (two bytes), LED, grip,
/// emission, new parameters, touched.
pub const FLAGS_AT: usize = MESSAGE_AT + 8 * MAX_MESSAGE;
/// Number of the robot, step, time and duration.
const CLOCK_AT: usize = FLAGS_AT + 8;
/// The first number or truth value of the state; the others follow. The results replace them.
pub const STATE_AT: usize = CLOCK_AT + 32;

/// Numbers and truth values have a fixed place in the buffer.
pub const fn is_fixed(value: &Value) -> bool {
    matches!(value, Value::Number(_) | Value::Flag(_))
}

/// A wrapper with its buffer.
pub struct Wrapper {
    pub layout: Arc<SensorLayout>,
    /// The buffer.
    pub buffer: Buffer,
    /// The size of the buffer (bytes).
    pub capacity: usize,
    /// The function that calls `step`.
    pub call: Function,
    /// The parameters of the last call that ended well.
    pub parameters: Vec<Value>,
}

impl Wrapper {
    /// Generates a wrapper.
    pub fn new(
        lua: &Lua,
        host: &Table,
        step: &Function,
        face: &Face,
        layout: &Arc<SensorLayout>,
        capacity: usize,
    ) -> Result<Self> {
        let code = Compiler::new().set_optimization_level(2).set_debug_level(1).compile(text(face, layout))?;
        let buffer = lua.create_buffer_with_capacity(capacity)?;
        let suggest = lua.create_function(|_, (name, known): (LuaString, Vec<LuaString>)| {
            let known: Vec<String> = known.iter().map(LuaString::to_string_lossy).collect();
            Ok(did_you_mean(&name.to_string_lossy(), known.iter().map(String::as_str)))
        })?;
        let call = lua.load(&code).set_name("=wrapper").call((&buffer, step, host, suggest))?;
        Ok(Self { layout: Arc::clone(layout), buffer, capacity, call, parameters: Vec::new() })
    }
}

/// The text of a wrapper.
fn text(face: &Face, layout: &SensorLayout) -> String {
    let mut text = String::from("local b, step, host, suggest = ...\n");
    constants(&mut text, face, layout);
    text += include_str!("wrapper.luau");
    text += "return function()\nlocal b = b\n";
    let mut fixed = STATE_AT + 8 * face.state.iter().filter(|field| is_fixed(&field.initial)).count();
    // Places of texts and lists follow from the lengths of the ones before.
    let fixed_parameters = face.parameters.iter().filter(|parameter| is_fixed(&parameter.default)).count();
    let singles = layout.sensors.iter().filter(|sensor| sensor.is_single).count();
    let _ = writeln!(text, "local at = {}", fixed + 8 * (fixed_parameters + singles));
    parameters(&mut text, face, &mut fixed);
    state(&mut text, face);
    senses(&mut text, layout, fixed);
    results(&mut text, face);
    text += "end\n";
    text
}

fn constants(text: &mut String, face: &Face, layout: &SensorLayout) {
    for (name, value) in [
        ("MAX_MESSAGE", MAX_MESSAGE),
        ("MAX_LIST", MAX_LIST),
        ("MAX_TEXT", MAX_TEXT),
        ("LED_AT", LED_AT),
        ("EMISSION_AT", EMISSION_AT),
        ("MESSAGE_AT", MESSAGE_AT),
        ("FLAGS_AT", FLAGS_AT),
    ] {
        let _ = writeln!(text, "local {name} = {value}");
    }
    let values = face.commands.values().iter().copied();
    let names = |names: &mut dyn Iterator<Item = &str>| names.map(literal).collect::<Vec<_>>().join(", ");
    for (name, list) in [
        ("VALUES", names(&mut values.into_iter())),
        ("PARAMETER_NAMES", names(&mut face.parameters.iter().map(|parameter| parameter.name.as_str()))),
        ("STATE_NAMES", names(&mut face.state.iter().map(|field| field.name.as_str()))),
        ("SENSOR_NAMES", names(&mut layout.sensors.iter().map(|sensor| sensor.name.as_str()))),
    ] {
        let _ = writeln!(text, "local {name} = {{ {list} }}");
    }
}

/// Sets the number of the robot, and the parameters if they are new.
fn parameters(text: &mut String, face: &Face, fixed: &mut usize) {
    let _ = writeln!(text, "P.id = buffer.readf64(b, {CLOCK_AT})\nif buffer.readu8(b, {}) ~= 0 then", FLAGS_AT + 5);
    for parameter in &face.parameters {
        let name = literal(&parameter.name);
        let _ = match fixed_read(&parameter.default, *fixed) {
            Some(read) => writeln!(text, "P[{name}] = {read}"),
            None => writeln!(text, "P[{name}], at = {}(at)", dynamic_read(&parameter.default)),
        };
        *fixed += 8 * usize::from(is_fixed(&parameter.default));
    }
    *text += "end\n";
}

/// Builds `self`.
fn state(text: &mut String, face: &Face) {
    let mut fixed = STATE_AT;
    let mut fields = String::new();
    let mut dynamic = String::new();
    for field in &face.state {
        let name = literal(&field.name);
        match fixed_read(&field.initial, fixed) {
            Some(read) => {
                let _ = write!(fields, "{} = {read}, ", key(&field.name));
                fixed += 8;
            }
            None => {
                let _ = write!(fields, "{} = false, ", key(&field.name));
                let _ = writeln!(dynamic, "self[{name}], at = {}(at)", dynamic_read(&field.initial));
            }
        }
    }
    let _ = write!(text, "local self = setmetatable({{ {fields} }}, SELF)\n{dynamic}");
}

/// Builds `senses`: a fresh list of the readings. Their names and everything else are fields of `S`.
fn senses(text: &mut String, layout: &SensorLayout, mut fixed: usize) {
    let are_local = layout.sensors.len() <= MAX_LOCAL_SENSORS;
    let place_of = |index: usize| if are_local { format!("r{}", index + 1) } else { format!("senses[{}]", index + 1) };
    let mut readings = String::new();
    let mut names = String::new();
    for (index, NamedSensor { name, is_single }) in layout.sensors.iter().enumerate() {
        let place = place_of(index);
        if are_local {
            let _ = writeln!(readings, "local {place}");
        }
        if *is_single {
            let _ = writeln!(readings, "{place} = buffer.readf64(b, {fixed})");
            fixed += 8;
        } else {
            let _ = writeln!(readings, "{place}, at = read_list(at)");
        }
        if !SENSES.contains(&name.as_str()) {
            let _ = writeln!(names, "S[{}] = {place}", literal(name));
        }
    }
    if are_local {
        let all: Vec<String> = (0..layout.sensors.len()).map(place_of).collect();
        let _ = write!(text, "{readings}local senses = {{ {} }}\n{names}", all.join(", "));
    } else {
        let _ = write!(text, "local senses = table.create({})\n{readings}{names}", layout.sensors.len());
    }
    let (step, time, duration, touched) = (CLOCK_AT + 8, CLOCK_AT + 16, CLOCK_AT + 24, FLAGS_AT + 6);
    let _ = writeln!(
        text,
        "if buffer.readf64(b, at) == 0 then S.messages = {{}} else S.messages, at = read_messages(at) end\n\
         S.step = buffer.readf64(b, {step})\nS.time_s = buffer.readf64(b, {time})\n\
         S.dt_s = buffer.readf64(b, {duration})\nS.touched = buffer.readu8(b, {touched}) ~= 0\n\
         setmetatable(senses, SENSES)"
    );
}

/// Calls `step`, and writes the command and the state.
fn results(text: &mut String, face: &Face) {
    let count = face.commands.values().len();
    let names = &["c1", "c2", "c3", "c4"][..count + 1];
    let (values, extra) = (&names[..count], names[count]);
    let all = names.join(", ");
    // A finite number minus itself is zero; `type` tells numbers from everything else, which may have metamethods.
    let checks = values.iter().map(|name| format!("type({name}) ~= \"number\" or {name} - {name} ~= 0"));
    let checks = checks.collect::<Vec<_>>().join(" or ");
    let _ =
        writeln!(text, "local {all} = step(self, senses)\nif {checks} then wrong_command({}) end", values.join(", "));
    let _ = writeln!(text, "if {extra} ~= nil then too_many_values({extra}) end");
    *text += "if rawget(self, 1) ~= nil then undeclared() end\n";
    for (place, name) in values.iter().enumerate() {
        let _ = writeln!(text, "buffer.writef64(b, {}, {name})", COMMAND_AT + 8 * place);
    }
    let mut fixed = STATE_AT;
    for field in face.state.iter().filter(|field| is_fixed(&field.initial)) {
        let (name, kind) = (literal(&field.name), field.initial.kind());
        let write = match field.initial {
            Value::Flag(_) => format!("buffer.writeu8(b, {fixed}, if value then 1 else 0)"),
            _ => format!("buffer.writef64(b, {fixed}, value)"),
        };
        let _ = writeln!(
            text,
            "do local value = rawget(self, {name})\nif type(value) ~= \"{kind}\" then wrong_state({name}, \"{kind}\", \
             value) end\n{write} end"
        );
        fixed += 8;
    }
    dynamic_results(text, face);
}

/// Returns texts and lists of the state in a new buffer of their size.
fn dynamic_results(text: &mut String, face: &Face) {
    let dynamic: Vec<_> = face.state.iter().filter(|field| !is_fixed(&field.initial)).collect();
    if dynamic.is_empty() {
        return;
    }
    let mut writes = String::new();
    *text += "local values, size = {}, 0\n";
    for (index, field) in dynamic.iter().enumerate() {
        let (kind, bytes) = if matches!(field.initial, Value::Text(_)) { ("text", 1) } else { ("list", 8) };
        let (name, place) = (literal(&field.name), index + 1);
        let _ = writeln!(
            text,
            "do local value = {kind}_state({name}, rawget(self, {name}))\nvalues[{place}] = value size += 8 + {bytes} * #value end"
        );
        let _ = writeln!(writes, "place = write_{kind}(out, place, values[{place}])");
    }
    let _ = write!(text, "local out, place = buffer.create(size), 0\n{writes}return out\n");
}

/// The expression that reads a value with a fixed place.
fn fixed_read(value: &Value, at: usize) -> Option<String> {
    match value {
        Value::Number(_) => Some(format!("buffer.readf64(b, {at})")),
        Value::Flag(_) => Some(format!("buffer.readu8(b, {at}) ~= 0")),
        Value::Text(_) | Value::Numbers(_) => None,
    }
}

/// The function that reads a text or a list.
const fn dynamic_read(value: &Value) -> &'static str {
    if matches!(value, Value::Text(_)) { "read_text" } else { "read_list" }
}

/// A key of a table constructor. Only plain names let Luau copy a table of the same shape.
fn key(name: &str) -> String {
    if api::is_identifier(name) { name.to_owned() } else { format!("[{}]", literal(name)) }
}

/// A string literal of Luau.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            literal.push(char::from(byte));
        } else {
            let _ = write!(literal, "\\{byte:03}");
        }
    }
    literal + "\""
}
