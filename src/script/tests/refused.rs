//! Texts that do not compile, with their messages.

use super::*;

const STEP: &str = "function step(self, senses) return 0, 0 end";

fn refused(text: &str) -> String {
    Program::compile(text).err().map_or_else(|| "compiles".into(), |error| error.to_string())
}

#[test]
fn texts_are_refused() {
    let mut wrong = Vec::new();
    for (text, message) in [
        ("", "the script needs a function `step(self, senses)`"),
        ("x = 1", "line 1: `x` is a global: declare it `local`, or in `state` to keep it from step to step"),
        ("\nfunction f() end", "line 2: `f` is a global: declare it with `local function f`"),
        (
            "local function f() f2 = 1 end",
            "line 1: `f2` is a global: declare it `local`, or in `state` to keep it from step to step",
        ),
        ("count += 1", "line 1: `count` is unknown: declare it with `local`"),
        (
            "local count = 0\nfunction step(self, senses)\n    count += 1\n    return 0, 0\nend",
            "line 3: `count` belongs to the function around: a script keeps numbers from step to step in `state` only",
        ),
        (
            "local count = 0\nfunction step()\n local function f()\n count, x.y = 1, 2 end\n end",
            "line 4: `count` belongs to the function around: a script keeps numbers from step to step in `state` only",
        ),
        (
            "local function f() end\nfunction step() function f() end end",
            "line 2: `f` belongs to the function around: a script keeps numbers from step to step in `state` only",
        ),
        ("function Step() end", "line 1: `Step` is a global; did you mean `step`?"),
        ("function make() end", "line 1: `make` is a global: declare it with `local function make`"),
        ("function step() state = {} end", "line 1: `state` is declared at the top level of the file only"),
        ("local state = {}", "line 1: `state` must be a global: write it without `local`"),
        ("local function step() end", "line 1: `step` must be a global: write it without `local`"),
        (
            "state = { n = 0 }\nfunction step(self) state.n += 1 return 0, 0 end",
            "line 2: `state` holds the declarations: functions use the fields of `self`",
        ),
        ("function step(self, senses) return sense.eye, 0 end", "line 1: `sense` is unknown; did you mean `senses`?"),
        ("local x = maths.sin(1)", "line 1: `maths` is unknown; did you mean `math`?"),
        ("local x = math.sqr(1)", "line 1: `math` has no `sqr`; did you mean `sqrt`?"),
        ("local x = frobnicate", "line 1: `frobnicate` is unknown: declare it with `local`"),
        (
            "local x = pcall(f)",
            "line 1: scripts have no `pcall`: an error ends the step, so check values with `if` instead",
        ),
        (
            "local co = coroutine.wrap(function() end)",
            "line 1: scripts have no `coroutine`: a script keeps values from step to step in `state`, not in a suspended function",
        ),
        (
            "local x = os.clock()",
            "line 1: scripts have no `os`: a script sees the time of the simulation only, as `senses.time_s`",
        ),
        ("local x = _G", "line 1: scripts have no `_G`: globals never change"),
        ("local b = buffer.create(8)", "line 1: scripts have no `buffer`: use a table of numbers"),
        (
            "math.randomseed(1)",
            "line 1: scripts have no `math.randomseed`: the random numbers of a robot follow from the seed of the scene",
        ),
        ("math.sin = nil", "line 1: the library `math` is read-only"),
        ("function math.sin() end", "line 1: the library `math` is read-only"),
        ("print('top')", "line 1: `print` works in `step` only"),
        ("local digits = string.gmatch('123', '%d')", "line 1: `gmatch` remembers its place: it works in `step` only"),
        ("print = 1", "line 1: `print` is a global: declare it `local`, or in `state` to keep it from step to step"),
        ("local x = __pow(1, 2)", "line 1: `__pow` is reserved, as all names with two underscores at the start"),
        ("local t = {}\nt[1] %= 2", "line 2: write it out as `place = place % value`: `%=` needs a plain name"),
        ("local x = (", "line 1: Expected identifier when parsing expression, got <eof>"),
        (
            "while true do end",
            "line 1: the top level took more than 1,000,000 loops and calls: is there an endless loop?",
        ),
        ("local x = math.random()", "line 1: random numbers are drawn in `step` only"),
        ("local s = string.rep('a', 20000000)", "the top level used more than 16 MiB of memory"),
        ("error('no')", "line 1: no"),
        ("step = 1", "the script needs a function `step(self, senses)`"),
    ] {
        wrong.extend(Some((text, refused(text), message)).filter(|(_, found, message)| found != message));
    }
    assert_eq!(wrong, []);
}

#[test]
fn habits_of_other_languages_have_hints() {
    for (line, told) in [
        ("if 1 = 2 then end", "line 2: Expected 'then' when parsing if statement, got '='; `==` compares"),
        (
            "if 1 == 2:",
            "line 2: Expected 'then' when parsing if statement, got ':'; a condition is written `if … then … end`",
        ),
        (
            "if 1 == 2 {",
            "line 2: Expected 'then' when parsing if statement, got '{'; blocks have no braces: `if … then … end`",
        ),
    ] {
        assert_eq!(refused(&format!("-- one\n{line}")), told);
    }
    let told = "line 2: `one` is unknown: declare it with `local`; comments begin with `--`";
    assert_eq!(refused("local x = 1\n// one"), told);
    assert_eq!(refused("local s = \"C++\" .. n"), "line 1: `n` is unknown: declare it with `local`");
    let told = "line 1: `self` is unknown: `step` takes both, as in `function step(self, senses)`";
    assert_eq!(refused("function step(senses) return self.v, 0 end"), told);
    assert!(refused("local n = 0\nn++").ends_with("; Luau has no `++`: write `n += 1`"));
    let told = refused("def step(self, senses):\n    return 0, 0");
    assert!(told.ends_with("; scripts are written in Luau: `function step(self, senses) … end`"), "{told}");
}

#[test]
fn declarations_are_refused() {
    for (declarations, message) in [
        ("parameters = 1", "`parameters`: expected a table, found a number"),
        ("parameters = { 1 }", "`parameters`: expected a name for each value, found a number as a name"),
        (
            "parameters = {\n a = {} }",
            "line 2: parameter `a`: expected a number, a boolean or a string as its default, found nothing",
        ),
        ("parameters = { a = { 1, mim = 2 } }", "line 1: parameter `a`: it has no option `mim`; did you mean `min`?"),
        ("parameters = { a = { 1, unit = 2 } }", "line 1: parameter `a`: expected a string for `unit`, found a number"),
        ("parameters = { a = { 1, min = 2 } }", "line 1: parameter `a`: its default 1 is outside of its range 2 … inf"),
        ("parameters = { a = { 1, min = 2, max = 1 } }", "line 1: parameter `a`: `min` 2 is above `max` 1"),
        ("parameters = { a = { true, min = 2 } }", "line 1: parameter `a`: only numbers have `min` and `max`"),
        (
            "parameters = { a = 0 / 0 }",
            "line 1: parameter `a`: expected a number, a boolean or a string as its default, found NaN",
        ),
        ("parameters = { a = 1 / 0 }", "line 1: parameter `a`: its default is not finite"),
        (
            "parameters = { a = { 1, 2 } }",
            "line 1: parameter `a`: expected one default value, found a number as a name too",
        ),
        ("parameters = { id = 1 }", "line 1: `parameters`: `self` has a `id` already: use another name"),
        (
            "parameters = { ['a b'] = 1 }",
            "line 1: `parameters`: `a b` is not a name: it has letters, digits and underscores, at most 64, without a digit at the start",
        ),
        (
            "parameters = { a = 1 }\nstate = { a = 1 }",
            "line 2: `a` is a parameter and a field of the state: rename one of them",
        ),
        (
            "state = { a = print }",
            "line 1: state `a`: expected a number, a boolean, a string or a list of numbers, found a function",
        ),
        (
            "state = { a = { 1, 'b' } }",
            "line 1: state `a`: expected a number, a boolean, a string or a list of numbers, found a table",
        ),
        (
            "state = { a = '\\255' }",
            "line 1: state `a`: expected a number, a boolean, a string or a list of numbers, found a text that is not valid UTF-8",
        ),
        (
            "commands = 'drve'",
            "`commands`: expected one of \"drive\", \"wheels\", \"velocity\", \"course\", found \"drve\"; did you mean `drive`?",
        ),
        ("commands = 1", "`commands`: expected one of \"drive\", \"wheels\", \"velocity\", \"course\", found a number"),
    ] {
        assert_eq!(refused(&format!("{declarations}\n{STEP}")), message, "{declarations}");
    }
}

#[test]
fn large_and_deep_texts_are_refused() {
    assert_eq!(refused(&" ".repeat(300 << 10)), "the script has 300 KiB, at most 256 are allowed");
    for text in [
        format!("local x = {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("local x = {}1", "- ".repeat(100_000)),
        format!("local x = 1{}", " ^ 1".repeat(50_000)),
        format!("local x = 1{}", " + 1".repeat(60_000)),
        format!("local x = {}{}", "{".repeat(100_000), "}".repeat(100_000)),
        format!("{}{}", "do ".repeat(30_000), "end ".repeat(30_000)),
        format!("local x = a{}", ".b".repeat(100_000)),
        format!("if a then {}end", "elseif a then ".repeat(15_000)),
    ] {
        let message = refused(&text);
        assert!(message.len() < 400 && message.starts_with("line 1: "), "{message}");
    }
    let longest = format!("local x = 1{}\n{STEP}", " + 1".repeat(150));
    assert_eq!(refused(&longest), "compiles");
    let many = format!("{}{STEP}", "do local x = 5.3 % 0.7 ^ 2 end\n".repeat(8000));
    assert_eq!(refused(&many), "compiles");
}

#[test]
fn declarations_are_in_the_order_of_the_text() {
    let program = Program::compile(
        "--!strict\n--[[ No leading comment. ]]\nparameters = { zeta = 1, ['alpha'] = { true, doc = 'A.' }, mu = 'x' }\n\
         state = { z = 1, y = {}, x = 'é', a = false }\ncommands = 'course'\nfunction step() return 0, 0, 0 end",
    )
    .unwrap();
    let face = program.face();
    let names: Vec<&str> = face.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["zeta", "alpha", "mu"]);
    assert_eq!((&face.parameters[1].default, face.parameters[1].about.as_str()), (&Value::Flag(true), "A."));
    let names: Vec<&str> = face.state.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["z", "y", "x", "a"]);
    assert_eq!(face.state[1].initial, Value::Numbers(vec![]));
    assert_eq!(face.commands, crate::Form::Course);
}
