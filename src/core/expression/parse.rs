//! Parses expressions: the grammar of Jinja, reduced to numbers.
//!
//! The parser writes the program while it reads. Jumps are relative, so that parts of a program can move as a whole.

use std::ops::Range;

use super::program::{Function, Instruction, run};
use super::scope::{Scope, Slot};
use super::token::{Token, tokens};
use super::value::{Comparison, Operation, Value};
use super::{ExpressionError, LONGEST, MOST_NESTED};

const LIST: ExpressionError = ExpressionError::Unsupported("there are no lists, except after `in`");
const MEMBERS: ExpressionError =
    ExpressionError::Unsupported("`in` needs a list of numbers, such as `step in (10, 20)`, and parentheses around it");
const PART: ExpressionError = ExpressionError::Unsupported("a dot is part of a number or of a name");
const CALL: ExpressionError = ExpressionError::Unsupported("only functions can be called");
const ARGUMENT: ExpressionError =
    ExpressionError::Unsupported("arguments of functions are expressions, without names and asterisks");
const TEST: ExpressionError = ExpressionError::Unsupported("`is` is not supported");

/// The possible beginnings of a value.
const VALUE: &str = "a number, a name or `(`";
/// The largest number of characters before a mistake that a message shows.
const MOST_SHOWN: usize = 40;

/// A parsed expression.
pub struct Parsed {
    /// The program. The slot of each name is that of an additional name with its place in `names`.
    pub program: Vec<Instruction>,
    pub names: Vec<Name>,
    /// Why the program cannot run: a function does not exist or takes other arguments.
    pub problem: Option<ExpressionError>,
}

/// A name in an expression.
pub struct Name {
    /// The whole name: `circliness`, `centroid.x_m`.
    pub text: String,
    /// Whether the expression has no value if the name has none: it is not only in first arguments of `default`.
    pub is_required: bool,
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token<'t>, Range<usize>)>,
    /// The place of the next token.
    next: usize,
    /// The number of expressions and operands around the next token.
    depth: usize,
    /// The number of first arguments of `default` around the next token.
    defaults: usize,
    parsed: Parsed,
}

/// Parses a text.
///
/// # Errors
/// If the text is not an expression of numbers.
pub fn parse(text: &str) -> Result<Parsed, ExpressionError> {
    if text.chars().nth(LONGEST).is_some() {
        return Err(ExpressionError::TooLong);
    }
    if let Some(odd) = text.chars().find(|c| !(c.is_ascii_alphanumeric() || "_ .,+-*/%()<>=!".contains(*c))) {
        return Err(ExpressionError::Character(odd));
    }
    if text.contains("**") {
        return Err(ExpressionError::Power);
    }
    let parsed = Parsed { program: Vec::new(), names: Vec::new(), problem: None };
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, depth: 0, defaults: 0, parsed };
    parser.expression()?;
    match parser.peek() {
        None => Ok(parser.parsed),
        Some(Token::Sign("=")) => Err(ExpressionError::Syntax("`=` is not a comparison: write `==`".into())),
        Some(_) => Err(parser.left_over()),
    }
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).map(|(token, _)| *token)
    }

    fn take(&mut self, token: Token) -> bool {
        let is_next = self.peek() == Some(token);
        self.next += usize::from(is_next);
        is_next
    }

    fn take_sign(&mut self, sign: &'static str) -> bool {
        self.take(Token::Sign(sign))
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.take(Token::Name(word))
    }

    /// The error that the next token, or the end of the text, is not what is expected.
    fn unexpected(&self, expected: &str) -> ExpressionError {
        let (after, found) = (self.after(self.next), self.shown(self.next));
        let found = if found.is_empty() { found } else { format!(", found {found}") };
        ExpressionError::Syntax(format!("expected {expected}{after}{found}"))
    }

    /// The error that a whole expression is followed by something.
    fn left_over(&self) -> ExpressionError {
        let (after, found) = (self.after(self.next), self.shown(self.next));
        let around = [self.next.checked_sub(1), Some(self.next), Some(self.next + 1)];
        let hint = match around.map(|place| Some(self.tokens.get(place?)?.0)) {
            [Some(Token::Whole(_)), Some(Token::Sign(",")), Some(Token::Whole(_))] => ": write decimals with a point",
            [_, Some(Token::Sign(")")), _] => ": there is no `(` for it",
            [_, Some(Token::Sign(_)), _] => "",
            _ => ": expected an operator, such as `and`, between two values",
        };
        ExpressionError::Syntax(format!("unexpected {found}{after}{hint}"))
    }

    /// A token as it is in the text; nothing at the end.
    fn shown(&self, place: usize) -> String {
        self.tokens.get(place).map_or_else(String::new, |(_, span)| format!("`{}`", &self.text[span.clone()]))
    }

    /// The text before a token, as an addition to a message: its end, if it is long.
    fn after(&self, place: usize) -> String {
        let Some((_, last)) = place.checked_sub(1).and_then(|last| self.tokens.get(last)) else { return String::new() };
        let before = self.text[..last.end].trim_start();
        match before.char_indices().nth_back(MOST_SHOWN) {
            Some((at, _)) => format!(" after `…{}`", &before[at..]),
            None => format!(" after `{before}`"),
        }
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), ExpressionError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// The length of the program so far.
    fn here(&self) -> usize {
        self.parsed.program.len()
    }

    fn push(&mut self, instruction: Instruction) {
        self.parsed.program.push(instruction);
    }

    /// Appends an instruction that replaces all values that were pushed since a place by one. If they are constants,
    /// the result is calculated now.
    fn reduce(&mut self, instruction: Instruction, since: usize) {
        self.push(instruction);
        let program = &mut self.parsed.program;
        let operands = &program[since..program.len() - 1];
        if operands.iter().all(|operand| matches!(operand, Instruction::Constant(_)))
            && let Ok(value) = run(&program[since..], &Scope::default())
        {
            program.truncate(since);
            program.push(Instruction::Constant(value));
        }
    }

    /// Lets a jump that was written before lead here.
    fn land(&mut self, place: usize) {
        let end = self.here() - place - 1;
        if let Instruction::Jump(jump)
        | Instruction::JumpIfFalse(jump)
        | Instruction::And(jump)
        | Instruction::Or(jump)
        | Instruction::CompareNext(_, jump) = &mut self.parsed.program[place]
        {
            *jump = end;
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, ExpressionError>) -> Result<T, ExpressionError> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return Err(ExpressionError::TooDeep);
        }
        let parsed = parse(self)?;
        self.depth -= 1;
        Ok(parsed)
    }

    fn expression(&mut self) -> Result<(), ExpressionError> {
        self.deeper(Self::choice)
    }

    /// `a if b else c`
    fn choice(&mut self) -> Result<(), ExpressionError> {
        let start = self.here();
        self.disjunction()?;
        while self.take_word("if") {
            let length = self.here() - start;
            self.disjunction()?;
            // The condition comes first in the program.
            self.parsed.program[start..].rotate_left(length);
            let end_of_condition = self.here() - length;
            self.parsed.program.insert(end_of_condition, Instruction::JumpIfFalse(0));
            let end_of_value = self.here();
            self.push(Instruction::Jump(0));
            self.land(end_of_condition);
            if self.take_word("else") {
                self.choice()?;
            } else {
                self.push(Instruction::Constant(Value::Undefined));
            }
            self.land(end_of_value);
        }
        Ok(())
    }

    fn disjunction(&mut self) -> Result<(), ExpressionError> {
        self.conjunction()?;
        while self.take_word("or") {
            let jump = self.here();
            self.push(Instruction::Or(0));
            self.conjunction()?;
            self.land(jump);
        }
        Ok(())
    }

    fn conjunction(&mut self) -> Result<(), ExpressionError> {
        self.negation()?;
        while self.take_word("and") {
            let jump = self.here();
            self.push(Instruction::And(0));
            self.negation()?;
            self.land(jump);
        }
        Ok(())
    }

    fn negation(&mut self) -> Result<(), ExpressionError> {
        if !self.take_word("not") {
            return self.comparison();
        }
        let start = self.here();
        self.negation()?;
        self.reduce(Instruction::Not, start);
        Ok(())
    }

    /// `a < b`, or a chain of comparisons such as `a < b < c`.
    fn comparison(&mut self) -> Result<(), ExpressionError> {
        let start = self.here();
        self.sum()?;
        if self.is_membership() {
            return self.membership();
        }
        let mut jumps = Vec::new();
        let mut last = None;
        while let Some(comparison) = self.take_comparison() {
            if let Some(previous) = last.replace(comparison) {
                jumps.push(self.here());
                self.push(Instruction::CompareNext(previous, 0));
            }
            self.sum()?;
        }
        if self.is_membership() {
            return Err(MEMBERS);
        }
        if let Some(last) = last {
            self.reduce(Instruction::Compare(last), start);
        }
        jumps.into_iter().for_each(|jump| self.land(jump));
        Ok(())
    }

    fn take_comparison(&mut self) -> Option<Comparison> {
        let Some(Token::Sign(sign)) = self.peek() else { return None };
        let comparison = match sign {
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        };
        self.next += 1;
        Some(comparison)
    }

    fn is_membership(&self) -> bool {
        matches!(self.peek(), Some(Token::Name("in" | "not")))
    }

    /// `in (a, b)` or `not in (a, b)` after a value.
    fn membership(&mut self) -> Result<(), ExpressionError> {
        let is_negated = self.take_word("not");
        if !self.take_word("in") {
            return Err(self.unexpected("`in`"));
        }
        if !self.take_sign("(") {
            return Err(MEMBERS);
        }
        self.push(Instruction::Constant(Value::Truth(false)));
        self.deeper(Self::members)?;
        self.push(Instruction::DropBelow);
        if is_negated {
            self.push(Instruction::Not);
        }
        // Whatever follows would apply to the list.
        let ends = match self.peek() {
            None => true,
            Some(Token::Sign(sign)) => matches!(sign, ")" | ","),
            Some(Token::Name(word)) => matches!(word, "and" | "or" | "if" | "else"),
            Some(_) => false,
        };
        if ends { Ok(()) } else { Err(MEMBERS) }
    }

    /// The members of a list, and the parenthesis at its end. A list of one member has a comma: `(a,)`.
    fn members(&mut self) -> Result<(), ExpressionError> {
        let mut is_list = false;
        while !self.take_sign(")") {
            self.expression()?;
            self.push(Instruction::Member);
            if self.take_sign(",") {
                is_list = true;
            } else {
                self.expect(")")?;
                return if is_list { Ok(()) } else { Err(MEMBERS) };
            }
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), ExpressionError> {
        let start = self.here();
        self.product()?;
        loop {
            let operation = match self.peek() {
                Some(Token::Sign("+")) => Operation::Add,
                Some(Token::Sign("-")) => Operation::Subtract,
                _ => return Ok(()),
            };
            self.next += 1;
            self.product()?;
            self.reduce(Instruction::Calculate(operation), start);
        }
    }

    fn product(&mut self) -> Result<(), ExpressionError> {
        let start = self.here();
        self.factor()?;
        loop {
            let operation = match self.peek() {
                Some(Token::Sign("*")) => Operation::Multiply,
                Some(Token::Sign("/")) => Operation::Divide,
                Some(Token::Sign("//")) => Operation::FloorDivide,
                Some(Token::Sign("%")) => Operation::Remainder,
                _ => return Ok(()),
            };
            self.next += 1;
            self.factor()?;
            self.reduce(Instruction::Calculate(operation), start);
        }
    }

    fn factor(&mut self) -> Result<(), ExpressionError> {
        self.signed()?;
        if self.peek() == Some(Token::Name("is")) { Err(TEST) } else { Ok(()) }
    }

    /// An operand with any number of minus signs.
    fn signed(&mut self) -> Result<(), ExpressionError> {
        if !self.take_sign("-") {
            return self.operand();
        }
        let start = self.here();
        self.signed()?;
        self.reduce(Instruction::Negate, start);
        Ok(())
    }

    /// A number, a name, a call of a function, or an expression in parentheses.
    fn operand(&mut self) -> Result<(), ExpressionError> {
        if let Some(name) = self.deeper(Self::primary)? {
            self.name(name)?;
        }
        match self.peek() {
            Some(Token::Sign(".")) => Err(PART),
            Some(Token::Sign("(")) => Err(CALL),
            _ => Ok(()),
        }
    }

    /// A number, an expression in parentheses, or the first word of a name or a call, which is returned.
    fn primary(&mut self) -> Result<Option<&'t str>, ExpressionError> {
        let Some(token) = self.peek() else { return Err(self.unexpected(VALUE)) };
        self.next += 1;
        let constant = match token {
            Token::Whole(number) => Value::Whole(number),
            Token::Float(number) => Value::Float(number),
            Token::Name("true" | "True") => Value::Truth(true),
            Token::Name("false" | "False") => Value::Truth(false),
            Token::Name("none" | "None") => Value::None,
            Token::Name(name) => return Ok(Some(name)),
            Token::Sign("(") => return self.parentheses().map(|()| None),
            Token::Sign(_) => {
                self.next -= 1;
                return Err(self.unexpected(VALUE));
            }
        };
        self.push(Instruction::Constant(constant));
        Ok(None)
    }

    /// An expression and the parenthesis after it.
    fn parentheses(&mut self) -> Result<(), ExpressionError> {
        if self.take_sign(")") {
            return Err(LIST);
        }
        self.expression()?;
        if self.peek() == Some(Token::Sign(",")) {
            return Err(LIST);
        }
        self.expect(")")
    }

    /// A name or a call that begins with a word.
    fn name(&mut self, first: &str) -> Result<(), ExpressionError> {
        let mut name = first.to_owned();
        while self.take_sign(".") {
            match self.peek() {
                Some(Token::Name(part)) => name.extend([".", part]),
                Some(Token::Whole(_) | Token::Float(_)) => return Err(PART),
                _ => return Err(self.unexpected("a name")),
            }
            self.next += 1;
        }
        let function = Function::named(&name);
        if self.take_sign("(") {
            return self.call(&name, function);
        }
        match function {
            Some(_) => self.note(format!("`{name}` is a function: write its arguments in parentheses")),
            None => {
                let place = self.place_of(name);
                self.push(Instruction::Load(Slot::More(place)));
            }
        }
        Ok(())
    }

    /// The place of a name among all names.
    fn place_of(&mut self, text: String) -> usize {
        let (names, is_required) = (&mut self.parsed.names, self.defaults == 0);
        if let Some(place) = names.iter().position(|name| name.text == text) {
            names[place].is_required |= is_required;
            return place;
        }
        names.push(Name { text, is_required });
        names.len() - 1
    }

    /// Remembers why the program cannot run. Unknown names are reported first.
    fn note(&mut self, problem: String) {
        self.parsed.problem.get_or_insert(ExpressionError::Evaluation(problem));
    }

    /// The arguments of a function, after the opening parenthesis.
    fn call(&mut self, name: &str, function: Option<Function>) -> Result<(), ExpressionError> {
        let start = self.here();
        let is_default = function == Some(Function::Default);
        let mut count = 0;
        while !self.take_sign(")") {
            if count > 0 {
                self.expect(",")?;
                if self.take_sign(")") {
                    break;
                }
            }
            if self.peek() == Some(Token::Sign("*")) {
                return Err(ARGUMENT);
            }
            let is_optional = is_default && count == 0;
            self.defaults += usize::from(is_optional);
            self.expression()?;
            self.defaults -= usize::from(is_optional);
            if self.peek() == Some(Token::Sign("=")) {
                return Err(ARGUMENT);
            }
            count += 1;
        }
        match function {
            Some(function) if count > function.arguments() => self.note("too many arguments".into()),
            Some(function) if count < function.arguments() => self.note("missing argument".into()),
            Some(function) => self.reduce(Instruction::Call(function), start),
            None => {
                self.place_of(name.to_owned());
                self.note(format!("`{name}` is not a function"));
            }
        }
        Ok(())
    }
}
