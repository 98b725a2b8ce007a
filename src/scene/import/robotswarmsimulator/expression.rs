//! The arithmetic behind the `!np` tag: Python expressions of numbers.

use std::f64::consts::{E, PI, TAU};

/// The deepest nesting of an expression. Python's own limit is far beyond what people write.
const MAX_DEPTH: u32 = 64;

/// The value of an expression such as `1 / 40` or `np.pi / 2`.
///
/// All numbers are floats. `None` is what an exception is in Python: RobotSwarmSimulator then keeps the text.
pub fn evaluate(text: &str) -> Option<f64> {
    let mut parser = Parser { rest: text, depth: 0 };
    let value = parser.sum()?;
    parser.skip_space();
    parser.rest.is_empty().then_some(value)
}

/// A recursive-descent parser that evaluates as it goes.
struct Parser<'t> {
    rest: &'t str,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes an operator, when it is the next one.
    fn take(&mut self, operator: &str) -> bool {
        self.skip_space();
        let taken = self.rest.strip_prefix(operator);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    /// Takes the longest prefix of characters that all pass a test.
    fn take_while(&mut self, mut test: impl FnMut(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !test(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.take("+") {
                value += self.product()?;
            } else if self.take("-") {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.signed()?;
        loop {
            if self.take("//") {
                value = floor_divide(value, self.divisor()?);
            } else if self.take("/") {
                value /= self.divisor()?;
            } else if self.take("%") {
                value = modulo(value, self.divisor()?);
            } else if self.take("*") {
                value *= self.signed()?;
            } else {
                return Some(value);
            }
        }
    }

    /// A right-hand side that must not be zero: Python raises an error there.
    fn divisor(&mut self) -> Option<f64> {
        self.signed().filter(|divisor| *divisor != 0.0)
    }

    /// A sign binds looser than a power on its right: `-2 ** 2` is −4.
    fn signed(&mut self) -> Option<f64> {
        self.depth += 1;
        let value = if self.depth > MAX_DEPTH {
            None
        } else if self.take("-") {
            self.signed().map(|value| -value)
        } else if self.take("+") {
            self.signed()
        } else {
            self.power()
        };
        self.depth -= 1;
        value
    }

    fn power(&mut self) -> Option<f64> {
        let base = self.atom()?;
        if !self.take("**") {
            return Some(base);
        }
        let exponent = self.signed()?;
        if base == 0.0 && exponent < 0.0 {
            return None;
        }
        // A negative base with a broken exponent is complex in Python.
        Some(libm::pow(base, exponent)).filter(|power| !power.is_nan() || base.is_nan() || exponent.is_nan())
    }

    fn atom(&mut self) -> Option<f64> {
        if self.take("(") {
            let value = self.sum()?;
            return self.take(")").then_some(value);
        }
        match self.rest.chars().next()? {
            '0'..='9' | '.' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => self.named(),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<f64> {
        let radix = self.rest.get(..2).and_then(radix);
        let mut before = ' ';
        let token = self.take_while(|c| {
            let in_exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && radix.is_none();
            before = c;
            in_exponent || c.is_ascii_alphanumeric() || matches!(c, '.' | '_')
        });
        let digits = token.replace('_', "");
        match radix {
            Some(radix) => u64::from_str_radix(&digits[2..], radix).ok().map(|whole| whole as f64),
            None if is_octal_like(&digits) => None,
            None => digits.parse().ok(),
        }
    }

    fn named(&mut self) -> Option<f64> {
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
        let name = name.strip_prefix("np.").unwrap_or(name);
        if self.take("(") { call(name, &self.arguments()?) } else { constant(name) }
    }

    /// The arguments of a call, up to and including its closing parenthesis.
    fn arguments(&mut self) -> Option<Vec<f64>> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() && !self.take(",") {
                return None;
            }
            arguments.push(self.sum()?);
        }
        Some(arguments)
    }
}

/// The base that a prefix such as `0x` announces.
fn radix(prefix: &str) -> Option<u32> {
    match prefix {
        "0x" | "0X" => Some(16),
        "0o" | "0O" => Some(8),
        "0b" | "0B" => Some(2),
        _ => None,
    }
}

/// Python refuses `017`, which looks like an old octal number.
fn is_octal_like(digits: &str) -> bool {
    digits.starts_with('0') && digits.bytes().all(|c| c.is_ascii_digit()) && digits.bytes().any(|c| c != b'0')
}

/// Python's `%`: the remainder has the sign of the divisor.
fn modulo(value: f64, divisor: f64) -> f64 {
    let rest = value % divisor;
    if rest != 0.0 && (rest < 0.0) != (divisor < 0.0) { rest + divisor } else { rest }
}

/// Python's `//`, rounded so that it agrees with [`modulo`].
fn floor_divide(value: f64, divisor: f64) -> f64 {
    libm::rint((value - modulo(value, divisor)) / divisor)
}

fn constant(name: &str) -> Option<f64> {
    Some(match name {
        "pi" | "PI" => PI,
        "e" => E,
        "tau" => TAU,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    })
}

fn call(name: &str, arguments: &[f64]) -> Option<f64> {
    Some(match (name, arguments) {
        ("radians" | "deg2rad", [x]) => x * (PI / 180.0),
        ("degrees" | "rad2deg", [x]) => x * (180.0 / PI),
        ("cos", [x]) => libm::cos(*x),
        ("sin", [x]) => libm::sin(*x),
        ("tan", [x]) => libm::tan(*x),
        ("arctan2" | "atan2", [y, x]) => libm::atan2(*y, *x),
        ("sqrt", [x]) => libm::sqrt(*x),
        ("exp", [x]) => libm::exp(*x),
        ("log", [x]) => libm::log(*x),
        ("abs", [x]) => x.abs(),
        ("round", [x]) => libm::rint(*x),
        ("int", [x]) => x.trunc(),
        ("float", [x]) => *x,
        ("min", [first, rest @ ..]) if !rest.is_empty() => rest.iter().fold(*first, |a, b| if *b < a { *b } else { a }),
        ("max", [first, rest @ ..]) if !rest.is_empty() => rest.iter().fold(*first, |a, b| if *b > a { *b } else { a }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::evaluate;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    #[test]
    fn follows_python() {
        for (text, value) in [
            ("1 / 40", 1.0 / 40.0),
            ("2 ** 3 ** 2", 512.0),
            ("-2 ** 2", -4.0),
            ("2 ** -1", 0.5),
            ("7 // 2", 3.0),
            ("-7 // 2", -4.0),
            ("7 // -2", -4.0),
            ("-7 % 3", 2.0),
            ("7 % -3", -2.0),
            ("1 // 0.1", 9.0),
            ("np.pi / 2", FRAC_PI_2),
            ("PI/2", FRAC_PI_2),
            ("radians(45)", FRAC_PI_4),
            ("np.deg2rad(45)", FRAC_PI_4),
            ("(1 + 2) * 3 - 4", 5.0),
            ("1 - 2 - 3", -4.0),
            ("--1", 1.0),
            ("1_000", 1000.0),
            ("1e-3", 0.001),
            (".5 + 1.", 1.5),
            ("0x1e-3", 27.0),
            ("2-1", 1.0),
            ("max(1, 3, 2) + min(4, 5)", 7.0),
            ("round(2.5) + round(3.5) + int(-1.5)", 5.0),
            ("sqrt(16) + abs(-1) + exp(0) + log(1)", 6.0),
            ("atan2(0, 1) + sin(0) + cos(0) + tan(0)", 1.0),
        ] {
            assert_eq!(evaluate(text), Some(value), "{text}");
        }
    }

    #[test]
    fn gives_up_where_python_raises_an_error() {
        for text in ["", "foo + 1", "1 +", "1 / 0", "1 % 0", "0 ** -1", "(-8) ** 0.5", "017", "(1", "1)", "1 2"] {
            assert_eq!(evaluate(text), None, "{text}");
        }
        for text in ["sin()", "sin(1, 2)", "max(1)", "radians 45", "1.2.3", "1j", "__import__('os')", "é", "0x", "1e"]
        {
            assert_eq!(evaluate(text), None, "{text}");
        }
    }

    #[test]
    fn bounds_its_depth() {
        assert_eq!(evaluate(&"(".repeat(100_000)), None);
        assert_eq!(evaluate(&"-".repeat(100_000)), None);
        assert_eq!(evaluate(&"2**".repeat(100_000)), None);
        assert_eq!(evaluate(&format!("{}1{}", "(".repeat(40), ")".repeat(40))), Some(1.0));
    }
}
