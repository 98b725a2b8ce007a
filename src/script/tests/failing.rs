//! Scripts whose step fails, with their messages.

use std::time::{Duration, Instant};

use super::*;

fn failure(text: &str) -> String {
    let start = Instant::now();
    let mut robot = Robot::new(text);
    let before = robot.state.clone();
    let mut machines = Machines::new();
    let message = match robot.step(&mut machines) {
        Ok(command) => return format!("{command:?} {:?} {}", robot.state, robot.output.printed),
        Err(error) => error.to_string(),
    };
    assert_eq!(robot.state, before, "{text}");
    assert_eq!(Output { printed: String::new(), ..robot.output.clone() }, Output::default());
    // The same call fails in the same way, and other robots are not affected.
    assert_eq!(robot.step(&mut machines).unwrap_err().to_string(), message, "{text}");
    let mut other = Robot::new("function step(self, senses) return senses.eye, #senses.rays end");
    assert_eq!(other.step(&mut machines).unwrap(), [0.75, 3.0, 0.0]);
    assert!(start.elapsed() < Duration::from_secs(10), "{text}");
    message
}

/// A step with one statement, on line 5.
fn of_statement(statement: &str) -> String {
    failure(&format!(
        "parameters = {{ turn = 0.5 }}\nstate = {{ n = 0, flag = true, text = 'a', list = {{ 1 }} }}\n\
         local shared = {{ n = 0, inner = {{}} }}\nfunction step(self, senses)\ndo {statement} end\nreturn 0, 0 end"
    ))
}

#[test]
fn statements_fail() {
    let endless = "line 5: the step took more than 100,000 loops and calls: is there an endless loop?";
    let memory = "the script used more than 16 MiB of memory in one step";
    let frozen = "line 5: this table is read-only: a script keeps values from step to step in `self` only";
    let mut wrong = Vec::new();
    for (statement, message) in [
        ("while true do end", endless),
        ("repeat until false", endless),
        ("for i = 1, math.huge do end", endless),
        ("local function f() return f() end f()", "line 5: stack overflow: functions call each other without end"),
        ("local s = 'a' for i = 1, 64 do s ..= s end", memory),
        ("local s = string.rep('a', 100000000)", memory),
        (
            "local s = string.rep('a', 1000) self.text = string.rep(s, 1000)",
            "state `text`: the text has 1000000 bytes, at most 65536 are kept",
        ),
        ("local t = {} while true do table.insert(t, table.create(100, 0)) end", memory),
        ("local t = table.create(10000000, 0)", memory),
        ("local x = string.rep('a', 100):find(string.rep('a*', 50) .. 'b')", endless),
        (
            "return 0 / 0, 0",
            "`step` must return v_m_per_s, turn_rad_per_s: expected a finite number for v_m_per_s, found nan",
        ),
        (
            "return 0, 1e999",
            "`step` must return v_m_per_s, turn_rad_per_s: expected a finite number for turn_rad_per_s, found inf",
        ),
        (
            "return",
            "`step` must return v_m_per_s, turn_rad_per_s: expected a finite number for v_m_per_s, found nothing",
        ),
        (
            "return 1",
            "`step` must return v_m_per_s, turn_rad_per_s: expected a finite number for turn_rad_per_s, found nothing",
        ),
        (
            "return 1, '2'",
            "`step` must return v_m_per_s, turn_rad_per_s: expected a finite number for turn_rad_per_s, found a text",
        ),
        ("return 1, 2, 3", "`step` must return v_m_per_s, turn_rad_per_s: found 3 after them"),
        ("self.n = { [{}] = 1 }", "state `n`: expected a number, found a table"),
        ("self.n = nil", "state `n`: expected a number, found nothing"),
        ("self.flag = 1", "state `flag`: expected a boolean, found 1"),
        ("self.text = 1", "state `text`: expected a string, found 1"),
        ("self.text = '\\255'", "state `text`: the text is not valid UTF-8"),
        ("self.list = { [{}] = 1 }", "state `list`: expected a list of numbers, found a table with other keys"),
        ("self.list = { 1, 'b' }", "state `list`: expected a list of numbers, found a text at place 2"),
        (
            "self.list = setmetatable({}, { __len = function() return 1e9 end })",
            "state `list`: expected a list of numbers, found a table with a metatable",
        ),
        ("self.list = table.create(5000, 0)", "state `list`: the list has 5000 numbers, at most 4096 are kept"),
        ("self.m = 1", "line 5: `self` has no `m`: values that it keeps are declared, as in `state = { m = 0 }`"),
        ("self.flags = 1", "line 5: `self` has no `flags`; did you mean `flag`?"),
        (
            "self.counter = 1",
            "line 5: `self` has no `counter`: values that it keeps are declared, as in `state = { counter = 0 }`",
        ),
        ("self.turn = 1", "line 5: `turn` is a parameter: a script only reads it"),
        ("self.id = 1", "line 5: `self.id` is read-only"),
        ("self.send = 1", "line 5: `self.send` is read-only"),
        ("self[{}] = 1", "line 5: `self` has no table"),
        ("local x = self.turm", "line 5: `self` has no `turm`; did you mean `turn`?"),
        ("local x = senses.eyes", "line 5: `senses` has no `eyes`; did you mean `eye`?"),
        ("local x = senses[3]", "line 5: `senses` has no 3: the robot has 2 sensors"),
        ("senses.x = 1", "line 5: `senses` is read-only: a script keeps values from step to step in `self`"),
        ("setmetatable(self, {})", "line 5: cannot change a protected metatable"),
        ("setmetatable(senses, nil)", "line 5: cannot change a protected metatable"),
        (
            "rawset(self, 'x', 1)",
            "line 5: `rawset` cannot change `self`, `senses` or a table with a protected metatable",
        ),
        (
            "setmetatable({}, { __mode = 'k' })",
            "line 5: weak tables (`__mode`) are absent: their content depends on the garbage collector",
        ),
        ("local m = {} setmetatable({}, m) m.__mode = 'k'", frozen),
        ("setmetatable({}, { __gc = print })", "line 5: finalizers (`__gc`) are absent"),
        ("getmetatable('').__index = {}", frozen),
        ("local s = string s.format = nil", frozen),
        ("shared.n += 1", frozen),
        ("shared.inner.n = 1", frozen),
        ("rawset(shared, 'n', 1)", frozen),
        ("table.insert(shared.inner, 1)", frozen),
        ("for key in { [{}] = 1 } do end", "line 5: a table with tables or functions as keys has no defined order"),
        (
            "for key in pairs({ [print] = 1 }) do end",
            "line 5: a table with tables or functions as keys has no defined order",
        ),
        (
            "for key in next, { [print] = 1 } do end",
            "line 5: a table with tables or functions as keys has no defined order",
        ),
        (
            "for key in { [print] = 1 }, nil do end",
            "line 5: a table with tables or functions as keys has no defined order",
        ),
        (
            "local n = next for key in n, { [print] = 1 } do end",
            "line 5: a table with tables or functions as keys has no defined order",
        ),
        (
            "for key in (next), { [print] = 1 } do end",
            "line 5: a table with tables or functions as keys has no defined order",
        ),
        ("local key = next({ [print] = 1 })", "line 5: a table with tables or functions as keys has no defined order"),
        (
            "local f = pairs for key in f({ [print] = 1 }) do end",
            "line 5: a table with tables or functions as keys has no defined order",
        ),
        (
            "for key in pairs(nil) do end",
            "line 5: attempt to iterate over a nil value; names and items that do not exist are nil; lists count from 1",
        ),
        (
            "local x = nil % 2",
            "line 5: attempt to perform arithmetic (mod) on nil and number; names and items that do not exist are nil; lists count from 1",
        ),
        (
            "local x = {} ^ 2",
            "line 5: attempt to perform arithmetic (pow) on table and number; a list is not a number: take one of its items, as in `list[1]`",
        ),
        (
            "local x = senses.rays > 2",
            "line 5: attempt to compare number < table; a list is not a number: take one of its items, as in `list[1]`",
        ),
        (
            "local x = senses.rays[0] + 2",
            "line 5: attempt to perform arithmetic (add) on nil and number; names and items that do not exist are nil; lists count from 1",
        ),
        (
            "local x = senses.rays[9].x",
            "line 5: attempt to index nil with 'x'; names and items that do not exist are nil; lists count from 1",
        ),
        ("local turn turn()", "line 5: attempt to call a nil value; there is no function of this name"),
        ("local x = math.sin()", "line 5: missing argument #1 to 'sin' (number expected)"),
        ("local x = string.format('%d', 'x')", "line 5: invalid argument #2 to 'format' (number expected, got string)"),
        ("error({})", "line 5: `error` expects a text, found a table"),
        ("error('a\\nb\\0c\\27')", "line 5: a\\nb"),
        ("error()", "line 5: `error` expects a text, found nil"),
        ("error('where?', 0)", "line 5: where?"),
        ("assert(false, {})", "line 5: invalid argument #2 to 'assert' (string expected, got table)"),
        ("assert(1 == 2)", "line 5: assertion failed!"),
        ("self:send(1, 0 / 0)", "line 5: `self:send` sends finite numbers, found nan at place 2"),
        ("self:send('a')", "line 5: `self:send` sends finite numbers, found a text at place 1"),
        ("self:send(unpack(table.create(257, 0)))", "line 5: `self:send` sends at most 256 numbers, found 257"),
        ("self.send(1)", "line 5: call it with a colon: `self:send(…)`"),
        ("self:led(1, 2, 3)", "line 5: `self:led` expects a number from 0 to 1 for green, found 2"),
        ("self:emit(0 / 0)", "line 5: `self:emit` expects a number from 0 to 1 for the emission, found nan"),
        ("self:grip(1)", "line 5: `self:grip` expects true or false, found 1"),
        ("self:random(0)", "line 5: `random` has nothing to choose from: 0 is less than 1"),
        ("self:random(1.5)", "line 5: `random` expects whole numbers, found 1.5 for the largest"),
    ] {
        wrong
            .extend(Some((statement, of_statement(statement), message)).filter(|(_, found, message)| found != message));
    }
    assert_eq!(wrong, []);
}

#[test]
fn giant_messages_are_cut() {
    let message = of_statement("error(string.rep('é', 1000000))");
    assert_eq!(message.chars().count(), "line 5: ".len() + 300);
    assert!(message.ends_with("é…"));
}

#[test]
fn giant_prints_are_cut() {
    let mut robot = Robot::new("function step() for i = 1, 1000 do print(string.rep('é', 1500)) end return 0, 0 end");
    robot.step(&mut Machines::new()).unwrap();
    assert_eq!(robot.output.printed.chars().count(), 2001);
    assert!(robot.output.printed.ends_with("é…"));
}

#[test]
fn prints_before_an_error_stay() {
    let mut robot = Robot::new("function step() print('\\255', {}, print) local x = nil + 1 end");
    let mut machines = Machines::new();
    assert!(robot.step(&mut machines).is_err());
    assert_eq!(robot.output.printed, "\u{fffd}\ttable\tfunction");
}

#[test]
fn functions_keep_nothing() {
    // Captured variables cannot be assigned, and captured tables are read-only, however they are hidden.
    for text in [
        "local function make() local memory = { n = 0 } return function() memory.n += 1 return memory.n end end\n\
         local count = make()\nfunction step() return count(), 0 end",
        "local memory = setmetatable({}, { __index = { n = {} } })\nfunction step() memory.n.x = 1 return 0, 0 end",
        "local memory = { [{}] = {}, f = (function() local t = {} return function() t.n = 1 end end)() }\n\
         function step() memory.f() return 0, 0 end",
    ] {
        assert!(failure(text).ends_with("in `self` only"), "{text}");
    }
}
