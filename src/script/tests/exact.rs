//! Results that are the same on every computer.

use super::*;

/// The values of expressions, as the command of a course.
fn values(declarations: &str, expressions: [&str; 3]) -> [f64; 3] {
    let text = format!(
        "commands = 'course'\n{declarations}\nfunction step(self, senses) return {} end",
        expressions.join(", ")
    );
    step(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn assert_bits(found: f64, expected: f64, expression: &str) {
    assert_eq!(found.to_bits(), expected.to_bits(), "{expression}: {found}, expected {expected}");
}

#[test]
fn functions_are_those_of_libm() {
    let x = 0.577_215_664_901_532_9;
    for (expression, expected) in [
        ("math.sin(x)", libm::sin(x)),
        ("math.cos(x)", libm::cos(x)),
        ("math.tan(x)", libm::tan(x)),
        ("math.asin(x)", libm::asin(x)),
        ("math.acos(x)", libm::acos(x)),
        ("math.atan(x)", libm::atan(x)),
        ("math.atan2(x, 0.3)", libm::atan2(x, 0.3)),
        ("math.sinh(x)", libm::sinh(x)),
        ("math.cosh(x)", libm::cosh(x)),
        ("math.tanh(x)", libm::tanh(x)),
        ("math.exp(x)", libm::exp(x)),
        ("math.log(x)", libm::log(x)),
        ("math.log(x, 2)", libm::log2(x)),
        ("math.log(x, 10)", libm::log10(x)),
        ("math.log(x, 3)", libm::log(x) / libm::log(3.0)),
        ("math.log10(x)", libm::log10(x)),
        ("math.pow(x, 0.3)", libm::pow(x, 0.3)),
        ("x ^ 0.3", libm::pow(x, 0.3)),
        ("5.3 % x", 5.3 - (5.3 / x).floor() * x),
    ] {
        let constant = expression.replace('x', "0.5772156649015329").replace("e0.5772156649015329p", "exp");
        let found = values(&format!("local x = {x:?}"), [expression, &constant, "0"]);
        assert_bits(found[0], expected, expression);
        assert_bits(found[1], expected, &constant);
    }
}

#[test]
fn operators_keep_their_precedence() {
    let power = |a: f64, b: f64| libm::pow(a, b);
    let modulo = |a: f64, b: f64| a - (a / b).floor() * b;
    for (expression, expected) in [
        ("-2 ^ 2", -4.0),
        ("-2.5 ^ 0.5", -power(2.5, 0.5)),
        ("2 ^ 3 ^ 2", 512.0),
        ("2 ^ -3 ^ 2", power(2.0, -9.0)),
        ("2 ^ -1", 0.5),
        ("2 * 3 ^ 2", 18.0),
        ("2 ^ 2 * 3", 12.0),
        ("-x ^ 2", -9.0),
        ("-x % 2", modulo(-3.0, 2.0)),
        ("- -x % 2", 1.0),
        ("#'abc' % 2", 1.0),
        ("7 % 4 % 2", 1.0),
        ("7 - 5 % 3", 5.0),
        ("7 % 4 * 2", 6.0),
        ("2 * 7 % 4", 2.0),
        ("2 ^ 3 % 5", 3.0),
        ("5 % 2 ^ 3", 5.0),
        ("(5 % 2) ^ (3 % 2)", 1.0),
        ("2^3%5", 3.0),
        ("x %--[[ a ^ b ]] 2 -- é ^ 2\n + 1", 2.0),
        ("(x\n^\n-- π\n2)", 9.0),
        ("(if x % 2 == 1 then x ^ 2 else 0)", 9.0),
        ("tonumber(`{x ^ 2}{x % 2}`)", 91.0),
        ("tonumber('5' % 3)", 2.0),
        ("({ 2 ^ 2, [3 % 2 + 1] = 5 })[1]", 4.0),
        ("(select(2, 1, 7 % 4, 9))", 3.0),
        ("(function(a, b) return a % b end)(7, 4)", 3.0),
        ("-x ^ 2 + x % 2 :: number", -8.0),
        ("-5.3 % -0.7", modulo(-5.3, -0.7)),
        ("5.3 // 0.7", 7.0),
        ("(setmetatable({}, { __mod = function() return 11 end }) % 2)", 11.0),
        ("(2 ^ setmetatable({}, { __pow = function(a) return a + 11 end }))", 13.0),
    ] {
        let found = values("local x = 3 -- ä", [expression, "0", "0"]);
        assert_bits(found[0], expected, expression);
    }
}

#[test]
fn compound_assignments_are_rewritten() {
    let text = "state = { n = 7 }\nlocal function f(self)\n local x = 5.3 x %= 0.7\n\
                self.n %= 4\n self.n ^= -- ö\n 2 + 1\n return x\nend\nfunction step(self) return f(self), self.n end";
    assert_eq!(step(text).unwrap(), [5.3 - f64::floor(5.3 / 0.7) * 0.7, 27.0, 0.0]);
}

#[test]
fn lines_are_those_of_the_text() {
    let text = "-- ä\nlocal a = 2 ^ 3 % 5\nfunction step(self, senses)\n  local x = a ^\n 2 %\n 3\n  for k in pairs({}) do end\n return nil + 1 end";
    assert_eq!(step(text).unwrap_err().line, Some(8));
}

#[test]
fn texts_have_no_addresses() {
    let mut robot = Robot::new(
        "function step(self, senses)\nprint(tostring({}), tostring(print), `{self} {senses}`, string.format('%s %*', {}, step))\n\
         print(tostring(setmetatable({}, { __tostring = function() return 'mine' end })), 0 / 0, -(0 / 0))\n\
         print(string.format('%5.1f|%-5d|%s|%d%%', 0 / 0, -(0 / 0), {}, 3))\n\
         print(string.byte(string.pack('d', 0 / 0), 1, 8))\n\
         if tostring({}) < tostring({}) then return 1, 0 end return 0, 0 end",
    );
    assert_eq!(robot.step(&mut Machines::new()).unwrap(), [0.0; 3]);
    assert_eq!(
        robot.output.printed,
        "table\tfunction\ttable table\ttable function\nmine\tnan\tnan\n  nan|nan  |table|3%\n0\t0\t0\t0\t0\t0\t248\t127"
    );
}

#[test]
fn random_numbers_come_from_the_robot() {
    let found =
        values("", ["self:random() + math.random()", "self:random(8) * 10 + self:random(-1, 1)", "math.random(1, 2)"]);
    assert_eq!(found, [0.125, 30.0, 2.0]);
}

#[test]
fn loops_pass_on_iterators() {
    let text = "local function sum(...) local s = 0 for _, x in { ... } do s += x end return s end\n\
        function step(self, senses)\n local n = 0\n\
        for word in string.gmatch('1 2 3', '%d') do n += tonumber(word) end\n\
        for k, v in ipairs({ 1, 2, nil, 4 }) do n += v end\n\
        for k, v in pairs({ a = 10, [true] = 20 }) do n += v end\n\
        for k, v in next, { 100, 200 } do n += v end\n\
        for k, v in next, { 1000 }, nil do n += v end\n\
        for x in (function() local list = { 1, 2 } return function(_, i) i += 1 return list[i] end, nil, 0 end)() do n += x * 10000 end\n\
        for x in setmetatable({}, { __iter = function() return next, { 100000 } end }) do n += x * 100000 end\n\
        local next = ipairs for k, v in next({ 1000000 }) do n += v end\n\
        return n, sum(senses.eye, unpack(senses.rays)) end";
    assert_eq!(step(text).unwrap(), [6.0 + 3.0 + 30.0 + 300.0 + 1000.0 + 30000.0 + 100_000.0 + 1_000_000.0, 7.75, 0.0]);
}

#[test]
fn results_do_not_depend_on_the_past() {
    let text = "state = { n = 0, text = '' , list = {} }\nfunction step(self, senses)\n\
        local t = {} for i = 1, 500 do t['k' .. (i * 7919) % 1009] = { i } end\n\
        local order = {} for k in t do table.insert(order, k) end\n\
        self.text = table.concat(order)\n self.n += #self.text\n table.insert(self.list, self.n)\n\
        return math.sin(self.n), self:random() end";
    let mut used = Machines::new();
    for other in
        ["function step(self) error('x') end", "function step() local s = string.rep('a', 1000000) return #s, 0 end"]
    {
        let mut other = Robot::new(other);
        for _ in 0..50 {
            let _ = other.step(&mut used);
        }
    }
    let mut first = Robot::new(text);
    for _ in 0..100 {
        let _ = Robot { state: first.state.clone(), ..Robot::new(text) }.step(&mut used);
        first.state[0] = Value::Number(1.0);
        first.state[2] = Value::Numbers(vec![]);
        first.step(&mut used).unwrap();
    }
    let mut second = Robot::new(text);
    second.state = vec![Value::Number(1.0), Value::Text("x".into()), Value::Numbers(vec![])];
    second.step(&mut Machines::new()).unwrap();
    assert_eq!((first.state, first.output), (second.state, second.output));
}

#[test]
fn memory_is_counted_per_step() {
    // 15 MiB fit in every step, whatever earlier steps left.
    let mut robot = Robot::new("function step() local s = string.rep('a', 14 * 1024 * 1024) return #s, 0 end");
    let mut machines = Machines::new();
    for _ in 0..20 {
        robot.step(&mut machines).unwrap();
    }
}
