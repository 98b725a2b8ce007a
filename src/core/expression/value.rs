//! Values during an evaluation, and their arithmetic: that of Jinja, which is that of Python for these values.

use std::cmp::Ordering;
use std::fmt;

/// A value on the stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// The value of an `if` without `else` whose condition does not hold.
    Undefined,
    None,
    Truth(bool),
    /// A whole number. Names and functions have floating point values, so that whole numbers occur among constants only.
    Whole(i128),
    Float(f64),
}

/// The type of a value, in the order of values of different types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Undefined,
    None,
    Truth,
    Number,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undefined => "undefined",
            Self::None => "none",
            Self::Truth => "bool",
            Self::Number => "number",
        })
    }
}

/// An arithmetic operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The reason why a calculation has no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The calculation fails with these values: a division by zero, or a whole number that is too large.
    Impossible,
    /// The operands are not a numbers.
    Operands(Operation, Kind, Kind),
    /// The negated value is not a number.
    Negation,
    /// The argument of a function is not a number.
    Argument(Kind),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Impossible => f.write_str("unable to calculate"),
            Self::Operands(operation, left, right) => {
                write!(f, "tried to use {} operator on unsupported types {left} and {right}", operation.sign())
            }
            Self::Negation => f.write_str("invalid operation"),
            Self::Argument(kind) => write!(f, "cannot convert {kind} to f64"),
        }
    }
}

/// Two numbers of the same type.
enum Pair {
    Wholes(i128, i128),
    Floats(f64, f64),
}

impl Value {
    fn kind(self) -> Kind {
        match self {
            Self::Undefined => Kind::Undefined,
            Self::None => Kind::None,
            Self::Truth(_) => Kind::Truth,
            Self::Whole(_) | Self::Float(_) => Kind::Number,
        }
    }

    /// Whether a condition with this value holds.
    pub fn is_true(self) -> bool {
        match self {
            Self::Undefined | Self::None => false,
            Self::Truth(holds) => holds,
            Self::Whole(number) => number != 0,
            Self::Float(number) => number != 0.0,
        }
    }

    /// The value as the result of an expression: 1 and 0 for true and false, `NaN` if it is not a number.
    pub fn result(self) -> f64 {
        match self {
            Self::Undefined | Self::None => f64::NAN,
            Self::Truth(holds) => f64::from(u8::from(holds)),
            Self::Whole(number) => as_float(number),
            Self::Float(number) => number,
        }
    }

    /// The value as an argument of a function.
    pub fn argument(self) -> Result<f64, Fault> {
        match self {
            Self::Whole(number) => Ok(as_float(number)),
            Self::Float(number) => Ok(number),
            _ => Err(Fault::Argument(self.kind())),
        }
    }

    pub fn negated(self) -> Result<Self, Fault> {
        match self {
            Self::Whole(number) => number.checked_neg().map(Self::Whole).ok_or(Fault::Impossible),
            Self::Float(number) => Ok(Self::Float(-number)),
            _ => Err(Fault::Negation),
        }
    }

    pub fn calculate(self, operation: Operation, right: Self) -> Result<Self, Fault> {
        let result = match self.pair(right).ok_or(Fault::Operands(operation, self.kind(), right.kind()))? {
            Pair::Floats(left, right) => floats(operation, left, right).map(Self::Float),
            Pair::Wholes(left, right) if operation == Operation::Divide => {
                floats(operation, as_float(left), as_float(right)).map(Self::Float)
            }
            Pair::Wholes(left, right) => wholes(operation, left, right).map(Self::Whole),
        };
        result.ok_or(Fault::Impossible)
    }

    pub fn compare(self, comparison: Comparison, right: Self) -> bool {
        match comparison {
            Comparison::Equal => self.equals(right),
            Comparison::NotEqual => !self.equals(right),
            Comparison::Less => self.order(right).is_lt(),
            Comparison::LessOrEqual => self.order(right).is_le(),
            Comparison::Greater => self.order(right).is_gt(),
            Comparison::GreaterOrEqual => self.order(right).is_ge(),
        }
    }

    pub fn equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Float(left), Self::Whole(right)) | (Self::Whole(right), Self::Float(left)) => {
                order_mixed(left, right).is_eq()
            }
            (left, right) => match left.pair(right) {
                Some(Pair::Wholes(left, right)) => left == right,
                Some(Pair::Floats(left, right)) => left == right,
                None => left.kind() == right.kind(),
            },
        }
    }

    /// The order of two values. Values of different types have the order of the types, so that `true < 1`.
    fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Float(left), Self::Float(right)) => order_floats(left, right),
            (Self::Float(left), Self::Whole(right)) => order_mixed(left, right),
            (Self::Whole(left), Self::Float(right)) => order_mixed(right, left).reverse(),
            (Self::Whole(left), Self::Whole(right)) => left.cmp(&right),
            (Self::Truth(left), Self::Truth(right)) => left.cmp(&right),
            (left, right) => left.kind().cmp(&right.kind()),
        }
    }

    fn pair(self, other: Self) -> Option<Pair> {
        Some(match (self, other) {
            (Self::Float(left), Self::Float(right)) => Pair::Floats(left, right),
            (Self::Float(left), right) => Pair::Floats(left, as_float(right.whole()?)),
            (left, Self::Float(right)) => Pair::Floats(as_float(left.whole()?), right),
            (left, right) => Pair::Wholes(left.whole()?, right.whole()?),
        })
    }

    fn whole(self) -> Option<i128> {
        match self {
            Self::Truth(holds) => Some(i128::from(holds)),
            Self::Whole(number) => Some(number),
            _ => None,
        }
    }
}

impl Operation {
    fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Remainder => "%",
        }
    }
}

/// The nearest floating point number.
fn as_float(number: i128) -> f64 {
    // Almost all numbers are small, and their conversion takes one instruction.
    i64::try_from(number).map_or(number as f64, |number| number as f64)
}

fn floats(operation: Operation, left: f64, right: f64) -> Option<f64> {
    match operation {
        Operation::Add => Some(left + right),
        Operation::Subtract => Some(left - right),
        Operation::Multiply => Some(left * right),
        Operation::Divide => (right != 0.0).then(|| left / right),
        Operation::FloorDivide => (right != 0.0).then(|| floor_divide(left, right)[0]),
        Operation::Remainder => (right != 0.0).then(|| floor_divide(left, right)[1]),
    }
}

/// The quotient, rounded down, and the remainder, which has the sign of the divisor.
fn floor_divide(dividend: f64, divisor: f64) -> [f64; 2] {
    let mut remainder = dividend % divisor;
    let mut quotient = (dividend - remainder) / divisor;
    if remainder == 0.0 {
        remainder = 0.0_f64.copysign(divisor);
    } else if (remainder < 0.0) != (divisor < 0.0) {
        remainder += divisor;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return [0.0_f64.copysign(dividend / divisor), remainder];
    }
    let floor = quotient.floor();
    // The division was inexact.
    let is_one_less = quotient - floor > 0.5;
    [if is_one_less { floor + 1.0 } else { floor }, remainder]
}

fn wholes(operation: Operation, left: i128, right: i128) -> Option<i128> {
    match operation {
        Operation::Add => left.checked_add(right),
        Operation::Subtract => left.checked_sub(right),
        Operation::Multiply => left.checked_mul(right),
        Operation::Divide | Operation::FloorDivide => {
            let quotient = left.checked_div(right)?;
            if has_other_sign(left % right, right) { quotient.checked_sub(1) } else { Some(quotient) }
        }
        Operation::Remainder if right == 0 => None,
        Operation::Remainder => {
            let remainder = left.wrapping_rem(right);
            if has_other_sign(remainder, right) { remainder.checked_add(right) } else { Some(remainder) }
        }
    }
}

fn has_other_sign(remainder: i128, divisor: i128) -> bool {
    remainder != 0 && (remainder < 0) != (divisor < 0)
}

/// The order of two floating point numbers, in which negative `NaN` is the smallest and positive `NaN` the largest one.
fn order_floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or_else(|| left.total_cmp(&right))
}

/// The order of a floating point number and a whole number, without rounding.
fn order_mixed(left: f64, right: i128) -> Ordering {
    let order = order_floats(left, as_float(right));
    if order.is_ne() || !left.is_finite() {
        return order;
    }
    // 2^127 is the smallest floating point number beyond all whole ones.
    if left >= i128::MAX as f64 { Ordering::Greater } else { (left as i128).cmp(&right) }
}
