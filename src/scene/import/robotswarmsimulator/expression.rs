//! The expressions behind the `!np` tag: what Python, with numpy at hand, makes of a text.
//!
//! Numbers, truth values, texts, lists and arrays; `+ - * / // % **`, comparisons, `and or not`, `a if c else b`, and the
//! functions of [`call`]. All numbers are floats.

use std::f64::consts::{E, PI, TAU};

use crate::math;

/// The deepest nesting of an expression. Python's own limit is far beyond what people write.
const MAX_DEPTH: u32 = 128;
/// The most items that all lists of an expression may have together.
const MAX_ITEMS: usize = 100_000;
/// The longest expression, in bytes.
const MAX_LENGTH: usize = 100_000;

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A number.
    Number(f64),
    /// `True` or `False`.
    Truth(bool),
    /// A text in quotes.
    Text(String),
    /// A list or tuple, or an array, for which `+` and `*` go item by item.
    List {
        /// The items.
        items: Vec<Self>,
        /// Whether it is an array.
        is_array: bool,
    },
}

impl Data {
    /// About how much memory it takes, in numbers.
    fn weight(&self) -> f64 {
        match self {
            Self::Number(_) | Self::Truth(_) => 1.0,
            Self::Text(text) => 1.0 + text.len() as f64 / 16.0,
            Self::List { items, .. } => 1.0 + items.iter().map(Self::weight).sum::<f64>(),
        }
    }
}

/// Why an expression gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Python would raise an error: RobotSwarmSimulator then keeps the text.
    Senseless,
    /// It would take more time or memory than any world needs.
    TooLarge,
}

use Failure::{Senseless, TooLarge};

type Outcome<T = Data> = Result<T, Failure>;

/// The value of an expression such as `1 / 40`, `np.pi / 2` or `array([15, 15]) / 2`.
///
/// # Errors
/// When it has none.
pub fn evaluate(text: &str) -> Outcome {
    if text.len() > MAX_LENGTH {
        return Err(TooLarge);
    }
    let mut parser = Parser { rest: text, depth: 0, items: 0 };
    let value = parser.expression()?;
    parser.skip_space();
    if parser.rest.is_empty() { Ok(value) } else { Err(Senseless) }
}

/// The number that an expression gives, if it does.
pub fn number(text: &str) -> Option<f64> {
    match evaluate(text) {
        Ok(Data::Number(number)) => Some(number),
        _ => None,
    }
}

/// Puts quotes around expressions such as `!np [15, 15] / 2`: without, they are no YAML, and no file that stock reads.
pub fn quote_lists(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match list_expression(line) {
            Some((start, end)) => {
                let (before, rest) = line.split_at(start);
                let (list, after) = rest.split_at(end - start);
                quoted += &format!("{before}'{}'{after}", list.replace('\'', "''"));
            }
            None => quoted += line,
        }
    }
    quoted
}

/// Where on a line a list stands with an operator after it, the whole expression; `None` when there is none.
fn list_expression(line: &str) -> Option<(usize, usize)> {
    let tag = line.find("!np ")? + "!np ".len();
    // What is in a comment is no tag.
    if line[..tag].contains(" #") || line.starts_with('#') {
        return None;
    }
    let start = tag + line[tag..].find(|c: char| c != ' ')?;
    let mut depth = 0_u32;
    let mut list_end = None;
    let mut before = ' ';
    let mut end = line.trim_end().len();
    if !line[start..].starts_with('[') {
        return None;
    }
    for (at, c) in line[start..].char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' if depth > 1 => depth -= 1,
            ']' | ')' if depth == 1 => {
                depth = 0;
                list_end.get_or_insert(start + at + 1);
            }
            ']' | ')' | '}' | ',' if depth == 0 => {
                end = start + at;
                break;
            }
            '#' if depth == 0 && before == ' ' => {
                end = start + at;
                break;
            }
            _ => {}
        }
        before = c;
    }
    let rest = line.get(list_end?..end)?.trim_start();
    let is_operator = rest.starts_with(['+', '-', '*', '/', '%']);
    is_operator.then(|| (start, start + line[start..end].trim_end().len()))
}

/// A recursive-descent parser that evaluates as it goes.
struct Parser<'t> {
    rest: &'t str,
    depth: u32,
    items: usize,
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

    /// Takes a word of the language, when it is the next one.
    fn take_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let after = self.rest.strip_prefix(word).filter(|rest| !rest.starts_with(is_in_name));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Takes the longest prefix of characters that all pass a test.
    fn take_while(&mut self, mut test: impl FnMut(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !test(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Goes one level deeper for a part.
    fn nested(&mut self, part: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TooLarge);
        }
        let value = part(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self, items: Vec<Data>, is_array: bool) -> Outcome {
        self.items += items.len();
        if self.items > MAX_ITEMS { Err(TooLarge) } else { Ok(Data::List { items, is_array }) }
    }

    fn expression(&mut self) -> Outcome {
        self.nested(|parser| {
            let value = parser.either()?;
            if !parser.take_word("if") {
                return Ok(value);
            }
            let condition = parser.either()?;
            if !parser.take_word("else") {
                return Err(Senseless);
            }
            let otherwise = parser.expression()?;
            Ok(if is_true(&condition)? { value } else { otherwise })
        })
    }

    fn either(&mut self) -> Outcome {
        let mut value = self.both()?;
        while self.take_word("or") {
            let other = self.both()?;
            value = if is_true(&value)? { value } else { other };
        }
        Ok(value)
    }

    fn both(&mut self) -> Outcome {
        let mut value = self.negation()?;
        while self.take_word("and") {
            let other = self.negation()?;
            value = if is_true(&value)? { other } else { value };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Outcome {
        if self.take_word("not") {
            let value = self.nested(Self::negation)?;
            return Ok(Data::Truth(!is_true(&value)?));
        }
        self.comparison()
    }

    /// Comparisons in a row, as `0 < x < 1`, hold when each does.
    fn comparison(&mut self) -> Outcome {
        let mut left = self.sum()?;
        let mut holds = None;
        while let Some(compare) = self.comparator() {
            let right = self.sum()?;
            holds = Some(holds.unwrap_or(true) && compare(&left, &right)?);
            left = right;
        }
        Ok(holds.map_or(left, Data::Truth))
    }

    fn comparator(&mut self) -> Option<fn(&Data, &Data) -> Outcome<bool>> {
        const ALL: [(&str, fn(&Data, &Data) -> Outcome<bool>); 6] = [
            ("==", |a, b| Ok(is_equal(a, b))),
            ("!=", |a, b| Ok(!is_equal(a, b))),
            ("<=", |a, b| Ok(as_number(a)? <= as_number(b)?)),
            (">=", |a, b| Ok(as_number(a)? >= as_number(b)?)),
            ("<", |a, b| Ok(as_number(a)? < as_number(b)?)),
            (">", |a, b| Ok(as_number(a)? > as_number(b)?)),
        ];
        ALL.iter().find(|(operator, _)| self.take(operator)).map(|(_, compare)| *compare)
    }

    fn sum(&mut self) -> Outcome {
        let mut value = self.product()?;
        loop {
            let operator = if self.take("+") {
                Operator::Add
            } else if self.take("-") {
                Operator::Subtract
            } else {
                return Ok(value);
            };
            let right = self.product()?;
            value = self.operate(operator, value, right)?;
        }
    }

    fn product(&mut self) -> Outcome {
        let mut value = self.signed()?;
        loop {
            let operator = if self.take("//") {
                Operator::FloorDivide
            } else if self.take("/") {
                Operator::Divide
            } else if self.take("%") {
                Operator::Modulo
            } else if self.take("*") {
                Operator::Multiply
            } else {
                return Ok(value);
            };
            let right = self.signed()?;
            value = self.operate(operator, value, right)?;
        }
    }

    /// A sign binds looser than a power on its right: `-2 ** 2` is −4.
    fn signed(&mut self) -> Outcome {
        self.nested(|parser| {
            let factor = if parser.take("-") {
                -1.0
            } else if parser.take("+") {
                1.0
            } else {
                return parser.power();
            };
            let value = parser.signed()?;
            each(&value, &|number| Ok(factor * number))
        })
    }

    fn power(&mut self) -> Outcome {
        let base = self.atom()?;
        if !self.take("**") {
            return Ok(base);
        }
        let exponent = self.signed()?;
        self.operate(Operator::Power, base, exponent)
    }

    fn atom(&mut self) -> Outcome {
        self.skip_space();
        if self.take("(") {
            return self.parenthesis();
        }
        if self.take("[") {
            let items = self.items_until("]")?;
            return self.list(items, false);
        }
        match self.rest.chars().next().ok_or(Senseless)? {
            quote @ ('"' | '\'') => self.quoted(quote),
            '0'..='9' | '.' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => self.named(),
            _ => Err(Senseless),
        }
    }

    /// A tuple when there is a comma, otherwise what is inside.
    fn parenthesis(&mut self) -> Outcome {
        if self.take(")") {
            return self.list(Vec::new(), false);
        }
        let first = self.expression()?;
        if self.take(")") {
            return Ok(first);
        }
        if !self.take(",") {
            return Err(Senseless);
        }
        let mut items = vec![first];
        items.extend(self.items_until(")")?);
        self.list(items, false)
    }

    /// Items with commas between them, up to and including what closes their list.
    fn items_until(&mut self, close: &str) -> Outcome<Vec<Data>> {
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(self.expression()?);
            if !self.take(",") {
                return if self.take(close) { Ok(items) } else { Err(Senseless) };
            }
        }
        Ok(items)
    }

    fn quoted(&mut self, quote: char) -> Outcome {
        let (text, rest) = self.rest[1..].split_once(quote).ok_or(Senseless)?;
        self.rest = rest;
        if text.contains('\\') { Err(Senseless) } else { Ok(Data::Text(text.to_string())) }
    }

    fn number(&mut self) -> Outcome {
        let radix = self.rest.get(..2).and_then(radix);
        let mut before = ' ';
        let token = self.take_while(|c| {
            let in_exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && radix.is_none();
            before = c;
            in_exponent || c.is_ascii_alphanumeric() || matches!(c, '.' | '_')
        });
        let digits = token.replace('_', "");
        let number = match radix {
            Some(radix) => u64::from_str_radix(&digits[2..], radix).ok().map(|whole| whole as f64),
            None if is_octal_like(&digits) => None,
            None => digits.parse().ok(),
        };
        number.map(Data::Number).ok_or(Senseless)
    }

    fn named(&mut self) -> Outcome {
        let name = self.take_while(|c| is_in_name(c) || c == '.');
        let name = ["np.", "numpy.", "math."].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        if self.take("(") {
            let arguments = self.arguments()?;
            let value = call(name, arguments)?;
            match value {
                Data::List { items, is_array } => self.list(items, is_array),
                other => Ok(other),
            }
        } else {
            constant(name).ok_or(Senseless)
        }
    }

    /// The arguments of a call, up to and including its closing parenthesis. All numbers are floats: `dtype=` is skipped.
    fn arguments(&mut self) -> Outcome<Vec<Data>> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            if self.take_word("dtype") {
                if !self.take("=") {
                    return Err(Senseless);
                }
                self.skip_space();
                self.take_while(|c| is_in_name(c) || c == '.');
            } else {
                arguments.push(self.expression()?);
            }
            if !self.take(",") {
                return if self.take(")") { Ok(arguments) } else { Err(Senseless) };
            }
        }
        Ok(arguments)
    }

    fn operate(&mut self, operator: Operator, left: Data, right: Data) -> Outcome {
        if let (Operator::Add, Data::Text(left), Data::Text(right)) = (operator, &left, &right) {
            return Ok(Data::Text(format!("{left}{right}")));
        }
        match (left, right) {
            (Data::List { items: mut left, is_array: false }, Data::List { items: right, is_array: false })
                if operator == Operator::Add =>
            {
                left.extend(right);
                self.list(left, false)
            }
            (Data::List { items, is_array: false }, Data::Number(times))
            | (Data::Number(times), Data::List { items, is_array: false })
                if operator == Operator::Multiply =>
            {
                self.repeat(items, times)
            }
            // Python has no such operators for lists; it is plain what is meant.
            (Data::List { items: left, .. }, Data::List { items: right, .. }) => {
                if left.len() != right.len() {
                    return Err(Senseless);
                }
                let pairs = left.into_iter().zip(right);
                let items = pairs.map(|(left, right)| self.operate(operator, left, right)).collect::<Outcome<_>>()?;
                self.list(items, true)
            }
            (Data::List { items, .. }, right) => {
                let items = items.into_iter().map(|left| self.operate(operator, left, right.clone()));
                let items = items.collect::<Outcome<_>>()?;
                self.list(items, true)
            }
            (left, Data::List { items, .. }) => {
                let items = items.into_iter().map(|right| self.operate(operator, left.clone(), right));
                let items = items.collect::<Outcome<_>>()?;
                self.list(items, true)
            }
            (left, right) => operator.of(as_number(&left)?, as_number(&right)?).map(Data::Number),
        }
    }

    fn repeat(&mut self, items: Vec<Data>, times: f64) -> Outcome {
        if times.fract() != 0.0 {
            return Err(Senseless);
        }
        let count = items.len() as f64 * times.max(0.0);
        let weight: f64 = items.iter().map(Data::weight).sum();
        if weight * times.max(0.0) > MAX_ITEMS as f64 {
            return Err(TooLarge);
        }
        let all = items.iter().cycle().take(count as usize).cloned().collect();
        self.list(all, false)
    }
}

/// What stands between two numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
}

impl Operator {
    fn of(self, left: f64, right: f64) -> Outcome<f64> {
        let divides = matches!(self, Self::Divide | Self::FloorDivide | Self::Modulo);
        if divides && right == 0.0 {
            return Err(Senseless);
        }
        let value = match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
            Self::FloorDivide => floor_divide(left, right),
            Self::Modulo => modulo(left, right),
            Self::Power if left == 0.0 && right < 0.0 => return Err(Senseless),
            Self::Power => libm::pow(left, right),
        };
        // A negative base with a broken exponent is complex in Python.
        if value.is_nan() && !left.is_nan() && !right.is_nan() && self == Self::Power {
            return Err(Senseless);
        }
        if value.is_infinite() && left.is_finite() && right.is_finite() {
            return Err(TooLarge);
        }
        Ok(value)
    }
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_true(data: &Data) -> Outcome<bool> {
    match data {
        Data::Truth(truth) => Ok(*truth),
        Data::Number(number) => Ok(*number != 0.0),
        Data::Text(text) => Ok(!text.is_empty()),
        Data::List { items, is_array: false } => Ok(!items.is_empty()),
        Data::List { is_array: true, .. } => Err(Senseless),
    }
}

fn is_equal(left: &Data, right: &Data) -> bool {
    match (as_number(left), as_number(right)) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

fn as_number(data: &Data) -> Outcome<f64> {
    match data {
        Data::Number(number) => Ok(*number),
        Data::Truth(truth) => Ok(f64::from(*truth)),
        Data::Text(_) | Data::List { .. } => Err(Senseless),
    }
}

/// A function of a number; of a list or an array it gives the array of its values.
fn each(data: &Data, function: &dyn Fn(f64) -> Outcome<f64>) -> Outcome {
    match data {
        Data::List { items, .. } => {
            let items = items.iter().map(|item| each(item, function)).collect::<Outcome<_>>()?;
            Ok(Data::List { items, is_array: true })
        }
        number => function(as_number(number)?).map(Data::Number),
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

fn constant(name: &str) -> Option<Data> {
    Some(match name {
        "pi" | "PI" => Data::Number(PI),
        "e" => Data::Number(E),
        "tau" => Data::Number(TAU),
        "inf" => Data::Number(f64::INFINITY),
        "nan" => Data::Number(f64::NAN),
        "True" => Data::Truth(true),
        "False" => Data::Truth(false),
        _ => return None,
    })
}

fn call(name: &str, mut arguments: Vec<Data>) -> Outcome {
    if let ([argument], Some(function)) = (&arguments[..], function(name)) {
        return each(argument, &|number| {
            let value = function(number);
            // What is not defined raises an error in Python.
            if value.is_nan() && !number.is_nan() { Err(Senseless) } else { Ok(value) }
        });
    }
    let numbers: Outcome<Vec<f64>> = arguments.iter().map(as_number).collect();
    match (name, numbers.as_deref()) {
        ("arctan2" | "atan2", Ok([y, x])) => return Ok(Data::Number(math::atan2(*y, *x))),
        ("hypot", Ok([x, y])) => return Ok(Data::Number(math::hypot(*x, *y))),
        ("pow" | "power", Ok([base, exponent])) => return Operator::Power.of(*base, *exponent).map(Data::Number),
        ("round", Ok([number, places])) => {
            let unit = Operator::Power.of(10.0, *places)?;
            return Ok(Data::Number(libm::rint(number * unit) / unit));
        }
        ("range" | "arange", Ok([stop])) => return steps(0.0, *stop, 1.0),
        ("range" | "arange", Ok([start, stop])) => return steps(*start, *stop, 1.0),
        ("range" | "arange", Ok([start, stop, step])) => return steps(*start, *stop, *step),
        ("linspace", Ok([start, stop, count])) => return linspace(*start, *stop, *count),
        ("zeros", Ok([count])) => return linspace(0.0, 0.0, *count),
        ("ones", Ok([count])) => return linspace(1.0, 1.0, *count),
        ("min" | "max" | "minimum" | "maximum", Ok([_, _, ..])) => return extreme(name, &arguments),
        _ => {}
    }
    let (1, Some(argument)) = (arguments.len(), arguments.pop()) else { return Err(Senseless) };
    match (name, argument) {
        ("bool", data) => is_true(&data).map(Data::Truth),
        ("array" | "asarray", Data::List { items, .. }) => Ok(Data::List { items, is_array: true }),
        ("list" | "tuple", Data::List { items, .. }) => Ok(Data::List { items, is_array: false }),
        ("len", Data::List { items, .. }) => Ok(Data::Number(items.len() as f64)),
        ("min" | "max" | "amin" | "amax", Data::List { items, .. }) if !items.is_empty() => extreme(name, &items),
        ("sum", Data::List { items, .. }) => total(&items).map(Data::Number),
        ("mean" | "average", Data::List { items, .. }) if !items.is_empty() => {
            Ok(Data::Number(total(&items)? / items.len() as f64))
        }
        ("float" | "int", Data::Text(text)) => text.trim().parse().map(Data::Number).map_err(|_| Senseless),
        _ => Err(Senseless),
    }
}

/// The functions of one number.
pub fn function(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "radians" | "deg2rad" => |x| x * (PI / 180.0),
        "degrees" | "rad2deg" => |x| x * (180.0 / PI),
        "cos" => math::cos,
        "sin" => math::sin,
        "tan" => math::tan,
        "arcsin" | "asin" => libm::asin,
        "arccos" | "acos" => math::acos,
        "arctan" | "atan" => libm::atan,
        "sqrt" => f64::sqrt,
        "exp" => math::exp,
        "log" => math::ln,
        "log2" => libm::log2,
        "log10" => libm::log10,
        "abs" | "absolute" | "fabs" => f64::abs,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "round" | "rint" => libm::rint,
        "int" | "trunc" => f64::trunc,
        "float" | "float64" => |x| x,
        _ => return None,
    })
}

fn total(items: &[Data]) -> Outcome<f64> {
    items.iter().try_fold(0.0, |sum, item| Ok(sum + as_number(item)?))
}

fn extreme(name: &str, items: &[Data]) -> Outcome {
    let largest = name.contains("max");
    let mut numbers = items.iter().map(as_number);
    let first = numbers.next().ok_or(Senseless)??;
    let found = numbers.try_fold(first, |best, number| {
        let number = number?;
        Ok(if (number > best) == largest && number != best { number } else { best })
    });
    found.map(Data::Number)
}

fn steps(start: f64, stop: f64, step: f64) -> Outcome {
    if step == 0.0 || !(start.is_finite() && stop.is_finite() && step.is_finite()) {
        return Err(Senseless);
    }
    let count = ((stop - start) / step).ceil().max(0.0);
    if count > MAX_ITEMS as f64 {
        return Err(TooLarge);
    }
    let items = (0..count as u32).map(|index| Data::Number(start + f64::from(index) * step)).collect();
    Ok(Data::List { items, is_array: false })
}

fn linspace(start: f64, stop: f64, count: f64) -> Outcome {
    if count < 0.0 || count.fract() != 0.0 {
        return Err(Senseless);
    }
    if count > MAX_ITEMS as f64 {
        return Err(TooLarge);
    }
    let step = if count > 1.0 { (stop - start) / (count - 1.0) } else { 0.0 };
    let items = (0..count as u32).map(|index| Data::Number(start + f64::from(index) * step)).collect();
    Ok(Data::List { items, is_array: true })
}

#[cfg(test)]
mod tests {
    use super::{Data, Failure, evaluate, number, quote_lists};
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
            ("np.sum([1, 2, 3]) + len([1, 2]) + math.floor(2.5)", 10.0),
            ("max([1, 5, 2]) - min(range(3, 9))", 2.0),
            ("1 if 2 ** 2 == 4 and not 1 > 2 else 0", 1.0),
            ("(0 < 1 < 2) + (1 < 1)", 1.0),
            ("2 * -3 ** 2", -18.0),
            ("10 - 2 ** -1 * 2", 9.0),
            ("round(2.345, 2)", 2.35),
            ("True + 1", 2.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
    }

    #[test]
    fn gives_up_where_python_raises_an_error() {
        for text in ["", "foo + 1", "1 +", "1 / 0", "1 % 0", "0 ** -1", "(-8) ** 0.5", "017", "(1", "1)", "1 2"] {
            assert_eq!(evaluate(text), Err(Failure::Senseless), "{text}");
        }
        for text in [
            "sin()",
            "sin(1, 2)",
            "max(1)",
            "radians 45",
            "1.2.3",
            "1j",
            "__import__('os')",
            "é",
            "0x",
            "1e",
            "sqrt(-1)",
            "array([1, 2]) + [1, 2, 3]",
            "[1, 2] * 1.5",
            "lambda x: x",
            "x := 1",
            "[1",
            "'a",
            "1 if 2",
            "np",
        ] {
            assert_eq!(evaluate(text), Err(Failure::Senseless), "{text}");
        }
    }

    fn list(text: &str) -> Vec<f64> {
        let Ok(Data::List { items, .. }) = evaluate(text) else { panic!("{text}: {:?}", evaluate(text)) };
        let number = |item: &Data| if let Data::Number(number) = item { *number } else { panic!("{text}: {item:?}") };
        items.iter().map(number).collect()
    }

    #[test]
    fn lists_and_arrays_go_item_by_item() {
        assert_eq!(list("array([15, 15]) / 2"), [7.5, 7.5]);
        assert_eq!(list("[15, 15] / 2"), [7.5, 7.5]);
        assert_eq!(list("[1, 2] + [3]"), [1.0, 2.0, 3.0]);
        assert_eq!(list("array([1, 2]) + (3, 4)"), [4.0, 6.0]);
        assert_eq!(list("2 * [1, 2]"), [1.0, 2.0, 1.0, 2.0]);
        assert_eq!(list("2 * array([1, 2])"), [2.0, 4.0]);
        assert_eq!(list("array(list(range(4)), dtype=float) ** 2"), [0.0, 1.0, 4.0, 9.0]);
        assert_eq!(list("-np.radians([180, 0])"), [-std::f64::consts::PI, -0.0]);
        assert_eq!(list("linspace(0, 1, 3)"), [0.0, 0.5, 1.0]);
        assert_eq!(list("(1,)"), [1.0]);
        assert_eq!(evaluate("'a' + \"b\""), Ok(Data::Text("ab".into())));
        assert_eq!(evaluate("1 <= 2"), Ok(Data::Truth(true)));
    }

    #[test]
    fn quotes_lists_that_are_part_of_an_expression() {
        for (text, quoted) in [
            ("a: !np [15, 15] / 2\n", "a: !np '[15, 15] / 2'\n"),
            ("a: !np [1, 2] * 2 # two\nb: 3", "a: !np '[1, 2] * 2' # two\nb: 3"),
            ("{a: !np [1, 2] / 2, b: 1}", "{a: !np '[1, 2] / 2', b: 1}"),
            ("- [!np [[1], [2]] + ['x'], 3]", "- [!np '[[1], [2]] + [''x'']', 3]"),
        ] {
            assert_eq!(quote_lists(text), quoted);
        }
        for text in
            ["a: !np [1, 2]\n", "a: !np [1, 2] # / 2\n", "# !np [1] / 2", "a: !np 1 / 2", "a: !np [1, 2", "!np "]
        {
            assert_eq!(quote_lists(text), text);
        }
    }

    #[test]
    fn bounds_its_time_and_memory() {
        for text in ["(", "-", "2**", "[", "not ", "1 if 1 else "] {
            assert_eq!(evaluate(&text.repeat(5000)), Err(Failure::TooLarge), "{text}");
        }
        for text in [
            "range(10 ** 12)",
            "[range(50000)] * 40000",
            "[0] * 10 ** 9",
            "10 ** 10 ** 10",
            "zeros(10 ** 9)",
            "1e300 * 1e300",
        ] {
            assert_eq!(evaluate(text), Err(Failure::TooLarge), "{text}");
        }
        let doubling = format!("{}[0]{}", "list(2 * ".repeat(30), ")".repeat(30));
        assert_eq!(evaluate(&doubling), Err(Failure::TooLarge));
        assert_eq!(evaluate(&"1+".repeat(100_000)), Err(Failure::TooLarge));
        assert_eq!(number(&format!("{}1{}", "(".repeat(20), ")".repeat(20))), Some(1.0));
    }
}
