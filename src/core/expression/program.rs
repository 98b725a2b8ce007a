//! The program of an expression: instructions for a stack machine, without names.

use smallvec::SmallVec;
use swarmarium_base::math;

use super::scope::{Scope, Slot};
use super::value::{Comparison, Fault, Operation, Value};

/// The number of values on the stack up to which an evaluation allocates no memory.
const USUAL_DEPTH: usize = 16;

/// An instruction. Jumps lead forward, by a number of instructions after the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instruction {
    /// Pushes a value.
    Constant(Value),
    /// Pushes the value of a name.
    Load(Slot),
    /// Replaces a value.
    Negate,
    /// Replaces a value.
    Not,
    /// Replaces two values by one.
    Calculate(Operation),
    /// Replaces two values by one.
    Compare(Comparison),
    /// Compares two values within a chain such as `1 < x < 2`: drops the left one and keeps the right one if the
    /// comparison holds; otherwise replaces both by false and jumps.
    CompareNext(Comparison, usize),
    /// Replaces the arguments of a function by its value.
    Call(Function),
    Jump(usize),
    /// Drops a value, and jumps if it is false.
    JumpIfFalse(usize),
    /// Jumps if a value is false, otherwise drops it.
    And(usize),
    /// Jumps if a value is true, otherwise drops it.
    Or(usize),
    /// Below a member of a list are the value that is searched in the list, and whether it was found: drops the member.
    Member,
    /// Drops the value below the last one.
    DropBelow,
}

/// A function, in the order of [`FUNCTIONS`](super::FUNCTIONS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Abs,
    Sqrt,
    Min,
    Max,
    Floor,
    Sin,
    Cos,
    Exp,
    Default,
}

impl Function {
    const ALL: [Self; super::FUNCTIONS.len()] =
        [Self::Abs, Self::Sqrt, Self::Min, Self::Max, Self::Floor, Self::Sin, Self::Cos, Self::Exp, Self::Default];

    pub fn named(name: &str) -> Option<Self> {
        Some(Self::ALL[super::FUNCTIONS.iter().position(|known| *known == name)?])
    }

    /// The number of arguments.
    pub fn arguments(self) -> usize {
        match self {
            Self::Min | Self::Max | Self::Default => 2,
            Self::Abs | Self::Sqrt | Self::Floor | Self::Sin | Self::Cos | Self::Exp => 1,
        }
    }
}

/// The values that are not used up yet, the newest at the end.
#[derive(Default)]
struct Stack(SmallVec<[Value; USUAL_DEPTH]>);

impl Stack {
    fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    /// The last value. The parser writes no program that takes more values than there are.
    fn pop(&mut self) -> Value {
        self.0.pop().unwrap_or(Value::Undefined)
    }

    fn is_true(&self) -> bool {
        self.0.last().is_some_and(|value| value.is_true())
    }

    fn call(&mut self, function: Function) -> Result<f64, Fault> {
        let last = self.pop().argument()?;
        Ok(match function {
            Function::Abs => last.abs(),
            Function::Sqrt => last.sqrt(),
            Function::Floor => last.floor(),
            Function::Sin => math::sin(last),
            Function::Cos => math::cos(last),
            Function::Exp => math::exp(last),
            Function::Min => self.pop().argument()?.min(last),
            Function::Max => self.pop().argument()?.max(last),
            Function::Default => {
                let first = self.pop().argument()?;
                if first.is_nan() { last } else { first }
            }
        })
    }
}

/// Runs a program.
///
/// # Errors
/// If a calculation has no value.
pub fn run(program: &[Instruction], scope: &Scope) -> Result<Value, Fault> {
    let mut stack = Stack::default();
    let mut next = 0;
    while let Some(instruction) = program.get(next) {
        next += 1;
        match *instruction {
            Instruction::Constant(value) => stack.push(value),
            Instruction::Load(slot) => stack.push(Value::Float(slot.value(scope))),
            Instruction::Negate => {
                let value = stack.pop().negated()?;
                stack.push(value);
            }
            Instruction::Not => {
                let holds = stack.pop().is_true();
                stack.push(Value::Truth(!holds));
            }
            Instruction::Calculate(operation) => {
                let (right, left) = (stack.pop(), stack.pop());
                stack.push(left.calculate(operation, right)?);
            }
            Instruction::Compare(comparison) => {
                let (right, left) = (stack.pop(), stack.pop());
                stack.push(Value::Truth(left.compare(comparison, right)));
            }
            Instruction::CompareNext(comparison, jump) => {
                let (right, left) = (stack.pop(), stack.pop());
                if left.compare(comparison, right) {
                    stack.push(right);
                } else {
                    stack.push(Value::Truth(false));
                    next += jump;
                }
            }
            Instruction::Call(function) => {
                let value = stack.call(function)?;
                stack.push(Value::Float(value));
            }
            Instruction::Jump(jump) => next += jump,
            Instruction::JumpIfFalse(jump) => {
                if !stack.pop().is_true() {
                    next += jump;
                }
            }
            Instruction::And(jump) => {
                if stack.is_true() {
                    stack.pop();
                } else {
                    next += jump;
                }
            }
            Instruction::Or(jump) => {
                if stack.is_true() {
                    next += jump;
                } else {
                    stack.pop();
                }
            }
            Instruction::Member => {
                let (member, found, searched) = (stack.pop(), stack.pop(), stack.pop());
                stack.push(searched);
                stack.push(Value::Truth(found.is_true() || member.equals(searched)));
            }
            Instruction::DropBelow => {
                let last = stack.pop();
                stack.pop();
                stack.push(last);
            }
        }
    }
    Ok(stack.pop())
}
