//! The grammar of expressions.

use super::EvaluationError::{Invalid, TooLarge};
use super::functions::{call, constant, each};
use super::operator::Operator;
use super::{Data, MAX_DEPTH, MAX_ITEMS, Outcome, as_number, is_equal, is_true};

/// A recursive-descent parser that evaluates as it goes.
pub(super) struct Parser<'t> {
    rest: &'t str,
    depth: u32,
    items: usize,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { rest: text, depth: 0, items: 0 }
    }

    /// The value of the whole text.
    pub fn whole(mut self) -> Outcome {
        let value = self.expression()?;
        self.skip_space();
        if self.rest.is_empty() { Ok(value) } else { Err(Invalid) }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes an operator if it is next.
    fn take(&mut self, operator: &str) -> bool {
        self.skip_space();
        let taken = self.rest.strip_prefix(operator);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    /// Takes a keyword if it is next.
    fn take_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let after = self.rest.strip_prefix(word).filter(|rest| !rest.starts_with(is_in_name));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Takes the longest prefix whose characters all pass a test.
    fn take_while(&mut self, mut test: impl FnMut(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !test(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Evaluates a part one level deeper.
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
                return Err(Invalid);
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

    /// Chained comparisons such as `0 < x < 1` hold when each of them holds.
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

    /// Operands with left-associative operators between them.
    fn binary(&mut self, operators: &[(&str, Operator)], operand: impl Fn(&mut Self) -> Outcome) -> Outcome {
        let mut value = operand(self)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| self.take(sign)) {
            let right = operand(self)?;
            value = self.operate(*operator, value, right)?;
        }
        Ok(value)
    }

    fn sum(&mut self) -> Outcome {
        self.binary(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Outcome {
        let operators = [
            ("//", Operator::FloorDivide),
            ("/", Operator::Divide),
            ("%", Operator::Modulo),
            ("*", Operator::Multiply),
        ];
        self.binary(&operators, Self::signed)
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
        match self.rest.chars().next().ok_or(Invalid)? {
            quote @ ('"' | '\'') => self.quoted(quote),
            '0'..='9' | '.' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => self.named(),
            _ => Err(Invalid),
        }
    }

    /// A tuple if it has a comma, otherwise the value within.
    fn parenthesis(&mut self) -> Outcome {
        if self.take(")") {
            return self.list(Vec::new(), false);
        }
        let first = self.expression()?;
        if self.take(")") {
            return Ok(first);
        }
        if !self.take(",") {
            return Err(Invalid);
        }
        let mut items = vec![first];
        items.extend(self.items_until(")")?);
        self.list(items, false)
    }

    /// Items with commas between them, up to and including the mark that closes their list.
    fn items_until(&mut self, close: &str) -> Outcome<Vec<Data>> {
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(self.expression()?);
            if !self.take(",") {
                return if self.take(close) { Ok(items) } else { Err(Invalid) };
            }
        }
        Ok(items)
    }

    fn quoted(&mut self, quote: char) -> Outcome {
        let (text, rest) = self.rest[1..].split_once(quote).ok_or(Invalid)?;
        self.rest = rest;
        if text.contains('\\') { Err(Invalid) } else { Ok(Data::Text(text.to_string())) }
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
        number.map(Data::Number).ok_or(Invalid)
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
            constant(name).ok_or(Invalid)
        }
    }

    /// The arguments of a call, up to and including its closing parenthesis. All numbers are floats: `dtype=` is skipped.
    fn arguments(&mut self) -> Outcome<Vec<Data>> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            if self.take_word("dtype") {
                if !self.take("=") {
                    return Err(Invalid);
                }
                self.skip_space();
                self.take_while(|c| is_in_name(c) || c == '.');
            } else {
                arguments.push(self.expression()?);
            }
            if !self.take(",") {
                return if self.take(")") { Ok(arguments) } else { Err(Invalid) };
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
            // Python has no such operators for lists; here they apply to the items, as those of arrays.
            (Data::List { items: left, .. }, Data::List { items: right, .. }) => {
                if left.len() != right.len() {
                    return Err(Invalid);
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
            (left, right) => operator.apply(as_number(&left)?, as_number(&right)?).map(Data::Number),
        }
    }

    fn repeat(&mut self, items: Vec<Data>, times: f64) -> Outcome {
        if times.fract() != 0.0 {
            return Err(Invalid);
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

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
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
