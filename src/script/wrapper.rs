//! The generated function around `step`: it reads the input from a buffer, builds `self` and `senses`, calls `step`,
//! checks the results, and writes them into the buffer.
//!
//! One buffer and one call without arguments per step cost much less than tables that the host builds field by field.

use std::fmt::Write;
use std::sync::Arc;

use mlua::chunk::Compiler;
use mlua::{Buffer, Function, Lua, LuaString, Result, Table};

use crate::names::did_you_mean;
use crate::{Face, SensorLayout, Value};

/// Largest number of numbers in a message.
const MAX_MESSAGE: usize = 256;
/// Largest number of numbers in a list of the state.
pub const MAX_LIST: usize = 4096;
/// Largest length of a text of the state (bytes).
pub const MAX_TEXT: usize = 65_536;
/// Largest number of sensors whose readings fit into local variables.
const MAX_LOCAL_SENSORS: usize = 100;

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
    text += "return function()\n";
    let mut fixed = STATE_AT + 8 * face.state.iter().filter(|field| is_fixed(&field.initial)).count();
    // Places of texts and lists follow from the lengths of the ones before.
    let fixed_parameters = face.parameters.iter().filter(|parameter| is_fixed(&parameter.default)).count();
    let singles = layout.sensors.iter().filter(|(_, is_single)| *is_single).count();
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
        ("SENSOR_NAMES", names(&mut layout.sensors.iter().map(|(name, _)| name.as_str()))),
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
                let _ = write!(fields, "[{name}] = {read}, ");
                fixed += 8;
            }
            None => {
                let _ = write!(fields, "[{name}] = false, ");
                let _ = writeln!(dynamic, "self[{name}], at = {}(at)", dynamic_read(&field.initial));
            }
        }
    }
    let _ = write!(text, "local self = setmetatable({{ {fields} }}, SELF)\n{dynamic}");
}

/// Builds `senses`.
fn senses(text: &mut String, layout: &SensorLayout, mut fixed: usize) {
    let are_local = layout.sensors.len() <= MAX_LOCAL_SENSORS;
    if !are_local {
        let _ = writeln!(text, "local readings = table.create({})", layout.sensors.len());
    }
    let place_of =
        |index: usize| if are_local { format!("r{}", index + 1) } else { format!("readings[{}]", index + 1) };
    let local = if are_local { "local " } else { "" };
    for (index, (_, is_single)) in layout.sensors.iter().enumerate() {
        let place = place_of(index);
        if *is_single {
            let _ = writeln!(text, "{local}{place} = buffer.readf64(b, {fixed})");
            fixed += 8;
        } else if are_local {
            let _ = writeln!(text, "local {place}\n{place}, at = read_list(at)");
        } else {
            let _ = writeln!(text, "{place}, at = read_list(at)");
        }
    }
    *text +=
        "local messages\nif buffer.readf64(b, at) == 0 then messages = {} else messages, at = read_messages(at) end\n";
    let mut fields = String::new();
    if are_local {
        for index in 0..layout.sensors.len() {
            let _ = write!(fields, "{}, ", place_of(index));
        }
        for (index, (name, _)) in layout.sensors.iter().enumerate() {
            let _ = write!(fields, "[{}] = {}, ", literal(name), place_of(index));
        }
    }
    let touched = FLAGS_AT + 6;
    let (step, time, duration) = (CLOCK_AT + 8, CLOCK_AT + 16, CLOCK_AT + 24);
    let _ = writeln!(
        fields,
        "step = buffer.readf64(b, {step}), time_s = buffer.readf64(b, {time}), dt_s = buffer.readf64(b, {duration}), \
         touched = buffer.readu8(b, {touched}) ~= 0, messages = messages"
    );
    let _ = writeln!(text, "local senses = {{ {fields} }}");
    if !are_local {
        *text += "for place, reading in readings do\nsenses[place] = reading\n";
        *text += "local name = SENSOR_NAMES[place]\nif senses[name] == nil then senses[name] = reading end\nend\n";
    }
    *text += "setmetatable(senses, SENSES)\n";
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
