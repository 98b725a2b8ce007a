//! The globals of scripts: libraries, their functions, and reasons why others are absent.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

use mlua::chunk::{ChunkMode, Compiler};
use mlua::{Function, Lua, LuaOptions, LuaString, Result, StdLib, Table, Value};

use crate::native;

/// Global functions.
pub const FUNCTIONS: [&str; 18] = [
    "assert",
    "error",
    "getmetatable",
    "ipairs",
    "next",
    "pairs",
    "print",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "select",
    "setmetatable",
    "tonumber",
    "tostring",
    "type",
    "typeof",
    "unpack",
];

/// Libraries and their members.
pub const LIBRARIES: [(&str, &[&str]); 5] = [
    (
        "math",
        &[
            "abs", "acos", "asin", "atan", "atan2", "ceil", "clamp", "cos", "cosh", "deg", "exp", "floor", "fmod",
            "frexp", "huge", "isfinite", "isinf", "isnan", "ldexp", "lerp", "log", "log10", "map", "max", "min",
            "modf", "pi", "pow", "rad", "random", "round", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
        ],
    ),
    (
        "string",
        &[
            "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack", "packsize", "rep",
            "reverse", "split", "sub", "unpack", "upper",
        ],
    ),
    (
        "table",
        &[
            "clear", "clone", "concat", "create", "find", "freeze", "insert", "isfrozen", "move", "pack", "remove",
            "sort", "unpack",
        ],
    ),
    (
        "bit32",
        &[
            "arshift", "band", "bnot", "bor", "btest", "bxor", "byteswap", "countlz", "countrz", "extract", "lrotate",
            "lshift", "replace", "rrotate", "rshift",
        ],
    ),
    ("utf8", &["char", "charpattern", "codepoint", "codes", "len", "offset"]),
];

/// Names of Luau that are absent, with the reasons.
pub const ABSENT: [(&str, &str); 28] = [
    ("pcall", "an error ends the step, so check values with `if` instead"),
    ("xpcall", "an error ends the step, so check values with `if` instead"),
    ("coroutine", "a script keeps values from step to step in `state`, not in a suspended function"),
    ("buffer", "use a table of numbers"),
    ("vector", "its numbers have 32 bits only; use two numbers"),
    ("integer", "use numbers"),
    ("os", "a script sees the time of the simulation only, as `senses.time_s`"),
    ("io", "a script reads and writes no files"),
    ("debug", "it shows addresses and the state of the machine"),
    ("require", "a script is one file"),
    ("dofile", "a script is one file"),
    ("loadstring", "the text of a script is checked before it runs"),
    ("load", "the text of a script is checked before it runs"),
    ("getfenv", "globals never change"),
    ("setfenv", "globals never change"),
    ("newproxy", "use a table with a metatable"),
    ("collectgarbage", "memory is not part of the simulation"),
    ("gcinfo", "memory is not part of the simulation"),
    ("_G", "globals never change"),
    ("_VERSION", "a script must not depend on the version of Luau"),
    ("math.randomseed", "the random numbers of a robot follow from the seed of the scene"),
    ("math.noise", "its numbers have 32 bits only"),
    ("table.foreach", "use `for key, value in values do`"),
    ("table.foreachi", "use `for place, value in values do`"),
    ("table.getn", "use `#values`"),
    ("table.maxn", "use `#values`"),
    ("math.nan", "use `0 / 0`"),
    ("string.gfind", "use `string.gmatch`"),
];

/// Functions whose fast calls and constant folding would bypass their replacements. They include everything that calls
/// the C library's inexact functions.
pub const DISABLED_BUILTINS: [&str; 28] = [
    "error",
    "math.acos",
    "math.asin",
    "math.atan",
    "math.atan2",
    "math.cos",
    "math.cosh",
    "math.exp",
    "math.lerp",
    "math.log",
    "math.log10",
    "math.map",
    "math.noise",
    "math.pow",
    "math.random",
    "math.randomseed",
    "math.sin",
    "math.sinh",
    "math.tan",
    "math.tanh",
    "next",
    "pairs",
    "print",
    "rawset",
    "setmetatable",
    "string.format",
    "string.pack",
    "tostring",
];

/// Globals of Luau's base library that scripts must not reach.
const REMOVED: [&str; 15] = [
    "pcall",
    "xpcall",
    "require",
    "loadstring",
    "getfenv",
    "setfenv",
    "newproxy",
    "collectgarbage",
    "gcinfo",
    "_G",
    "_VERSION",
    "coroutine",
    "vector",
    "integer",
    "debug",
];

/// Returns why a name of Luau is absent.
pub fn reason_of_absence(name: &str) -> Option<&'static str> {
    ABSENT.iter().find(|(absent, _)| *absent == name).map(|(_, reason)| *reason)
}

/// The members of a library.
pub fn members(library: &str) -> Option<&'static [&'static str]> {
    LIBRARIES.iter().find(|(name, _)| *name == library).map(|(_, members)| *members)
}

/// Names of all globals for reading.
pub fn globals() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.into_iter().chain(LIBRARIES.map(|(name, _)| name))
}

/// The compiler for scripts.
pub fn compiler() -> Compiler {
    Compiler::new().set_optimization_level(2).set_debug_level(1).set_disabled_builtins(DISABLED_BUILTINS)
}

/// Text printed by a script: at most 2,000 characters per step.
#[derive(Default)]
pub struct Printed {
    text: String,
    characters: usize,
    has_lines: bool,
    is_full: bool,
}

/// Largest number of characters that a script prints in a step.
const MAX_PRINTED: usize = 2000;

impl Printed {
    /// Adds a line.
    fn write(&mut self, line: &[u8]) {
        if self.is_full {
            return;
        }
        // A character has at most four bytes.
        let line = &line[..line.len().min(4 * (MAX_PRINTED + 1))];
        let line = String::from_utf8_lossy(line);
        let gap = if self.has_lines { "\n" } else { "" };
        for character in gap.chars().chain(line.chars()) {
            if self.characters == MAX_PRINTED {
                self.text.push('…');
                self.is_full = true;
                return;
            }
            self.text.push(character);
            self.characters += 1;
        }
        self.has_lines = true;
    }

    /// Moves the text into a string, and forgets it.
    pub fn take_into(&mut self, text: &mut String) {
        text.clear();
        text.push_str(&self.text);
        self.text.clear();
        (self.characters, self.has_lines, self.is_full) = (0, false, false);
    }
}

/// A machine with the libraries of scripts, without a script, and the functions of the host.
///
/// `unit` draws a random number, or none while the script loads; `in_step` tells whether it has loaded.
pub fn new_machine(
    unit: impl Fn() -> Option<f64> + mlua::MaybeSend + 'static,
    in_step: impl Fn() -> bool + mlua::MaybeSend + 'static,
    printed: &Rc<RefCell<Printed>>,
) -> Result<(Lua, Table)> {
    let libraries = StdLib::MATH | StdLib::STRING | StdLib::TABLE | StdLib::BIT | StdLib::UTF8 | StdLib::BUFFER;
    let lua = Lua::new_with(libraries, LuaOptions::new().catch_rust_panics(false))?;
    let host = native::functions(&lua)?;
    host.raw_set("nan", f64::NAN)?;
    host.raw_set("unit", lua.create_function(move |_, ()| Ok(unit()))?)?;
    host.raw_set("in_step", lua.create_function(move |_, ()| Ok(in_step()))?)?;
    let printed = Rc::clone(printed);
    let write = lua.create_function(move |_, line: LuaString| {
        printed.borrow_mut().write(&line.as_bytes());
        Ok(())
    })?;
    host.raw_set("write", write)?;
    lua.load(prelude()?).set_name("=prelude").set_mode(ChunkMode::Binary).call::<()>(&host)?;
    remove_the_rest(&lua)?;
    lua.sandbox(true)?;
    Ok((lua, host))
}

/// The compiled prelude. Its own code uses the builtins that it replaces.
fn prelude() -> Result<&'static [u8]> {
    static PRELUDE: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(code) = PRELUDE.get() {
        return Ok(code);
    }
    let code = Compiler::new().set_optimization_level(2).set_debug_level(1).compile(include_str!("prelude.luau"))?;
    Ok(PRELUDE.get_or_init(|| code))
}

/// Removes globals and members that scripts must not reach.
fn remove_the_rest(lua: &Lua) -> Result<()> {
    let globals = lua.globals();
    for name in REMOVED {
        globals.raw_set(name, Value::Nil)?;
    }
    for (library, members) in LIBRARIES {
        let table: Table = globals.raw_get(library)?;
        let names: Vec<String> =
            table.pairs::<String, Value>().map(|pair| pair.map(|(name, _)| name)).collect::<Result<_>>()?;
        for name in names.iter().filter(|name| !members.contains(&name.as_str())) {
            table.raw_set(name.as_str(), Value::Nil)?;
        }
    }
    Ok(())
}

/// Makes everything read-only that a function or table reaches, so that nothing in it changes from call to call.
pub fn freeze(lua: &Lua, roots: Vec<Value>) -> Result<()> {
    let mut queue = roots;
    let mut seen = std::collections::HashSet::new();
    while let Some(value) = queue.pop() {
        if !matches!(value, Value::Table(_) | Value::Function(_)) || !seen.insert(value.to_pointer()) {
            continue;
        }
        match value {
            Value::Table(table) => freeze_table(&table, &mut queue)?,
            Value::Function(function) => captured(lua, &function, &mut queue)?,
            _ => {}
        }
    }
    Ok(())
}

fn freeze_table(table: &Table, queue: &mut Vec<Value>) -> Result<()> {
    table.set_readonly(true);
    queue.extend(table.metatable().map(Value::Table));
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        queue.extend([key, value]);
    }
    Ok(())
}

fn captured(lua: &Lua, function: &Function, queue: &mut Vec<Value>) -> Result<()> {
    let mut number = 1;
    while let Some(value) = native::upvalue(lua, function, number)? {
        queue.push(value);
        number += 1;
    }
    Ok(())
}
