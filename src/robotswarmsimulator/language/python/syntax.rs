//! The grammars of Python's and of Jinja's expressions, which share one tree.

use super::SyntaxError;
use super::token::{Token, tokens};
use super::tree::{Clause, Dialect, Expr};

/// The deepest nesting of brackets and the like.
const MAX_DEPTH: u32 = 64;
/// The most operators, calls and attributes within each other.
const MAX_LINKS: u32 = 250;
/// The most tokens of an expression.
const MAX_TOKENS: usize = 200_000;

type Outcome<T = Expr> = Result<T, SyntaxError>;

/// Parses an expression. Without brackets, several values with commas between them are a tuple.
///
/// # Errors
/// Describes the syntax error.
pub fn parse(text: &str, dialect: Dialect) -> Outcome {
    let mut parser = Parser::new(text, dialect, MAX_TOKENS)?;
    let expression = parser.tuple()?;
    parser.end()?;
    Ok(expression)
}

/// A recursive-descent parser.
pub struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: u32,
    links: u32,
    dialect: Dialect,
}

impl Parser {
    /// A parser for a text of at most so many tokens.
    pub fn new(text: &str, dialect: Dialect, most: usize) -> Outcome<Self> {
        Ok(Self { tokens: tokens(text, most)?, next: 0, depth: 0, links: 0, dialect })
    }

    /// Checks that nothing follows.
    pub fn end(&self) -> Outcome<()> {
        match self.tokens.get(self.next) {
            None => Ok(()),
            Some(token) => Err(SyntaxError::Unexpected(token.to_string())),
        }
    }

    /// Whether nothing follows.
    pub fn is_at_end(&self) -> bool {
        self.next == self.tokens.len()
    }

    /// The error for a next token other than the expected one.
    fn expected<T>(&self, expected: impl Into<String>) -> Outcome<T> {
        let found = self.tokens.get(self.next).map_or_else(|| "end".to_owned(), Token::to_string);
        Err(SyntaxError::Expected { expected: expected.into(), found })
    }

    /// Takes a sign if it is next.
    pub fn sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.next += usize::from(found);
        found
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.next), Some(Token::Sign(next)) if *next == sign)
    }

    /// Takes the first of several signs that is next.
    fn one_of(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        signs.iter().copied().find(|sign| self.sign(sign))
    }

    /// Takes a word if it is next.
    pub fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.next), Some(Token::Word(next)) if next == word);
        self.next += usize::from(found);
        found
    }

    /// Takes a sign.
    ///
    /// # Errors
    /// When another token is next.
    pub fn expect(&mut self, sign: &'static str) -> Outcome<()> {
        if self.sign(sign) { Ok(()) } else { self.expected(format!("`{sign}`")) }
    }

    /// Takes a word.
    ///
    /// # Errors
    /// When another token is next.
    pub fn expect_word(&mut self, word: &str) -> Outcome<()> {
        if self.word(word) { Ok(()) } else { self.expected(format!("`{word}`")) }
    }

    /// Counts an operator that encloses what was parsed before.
    fn link(&mut self) -> Outcome<()> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(SyntaxError::TooDeep) } else { Ok(()) }
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(SyntaxError::TooDeep);
        }
        self.link()?;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// One or more expressions; a tuple if there is a comma.
    pub fn tuple(&mut self) -> Outcome {
        let first = self.expression()?;
        if !self.is_sign(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        let (links, mut most) = (self.links, self.links);
        while self.sign(",") {
            if self.is_at_end() || [")", "]", "}", "="].iter().any(|sign| self.is_sign(sign)) || self.is_word("in") {
                break;
            }
            self.links = links;
            items.push(self.expression()?);
            most = most.max(self.links);
        }
        self.links = most;
        Ok(Expr::Tuple(items))
    }

    /// The names that a `for` or a `set` assigns: `a`, `a, b`, `(a, b)` or `space.a`.
    pub fn target(&mut self) -> Outcome {
        let mut items = Vec::new();
        let mut is_tuple = false;
        loop {
            let item = if self.sign("(") {
                let inner = self.nested(Self::target)?;
                self.expect(")")?;
                inner
            } else {
                let name = Expr::Name(self.name()?);
                if self.sign(".") { Expr::Attribute(Box::new(name), self.name()?) } else { name }
            };
            items.push(item);
            if !self.sign(",") {
                break;
            }
            is_tuple = true;
            if !matches!(self.tokens.get(self.next), Some(Token::Word(word)) if word != "in") && !self.is_sign("(") {
                break;
            }
        }
        Ok(if is_tuple { Expr::Tuple(items) } else { items.remove(0) })
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.tokens.get(self.next), Some(Token::Word(next)) if next == word)
    }

    /// An expression without a comma.
    pub fn expression(&mut self) -> Outcome {
        self.nested(|parser| {
            let mut value = parser.either()?;
            while parser.word("if") {
                parser.link()?;
                let condition = parser.either()?;
                let otherwise = if parser.word("else") {
                    parser.expression()?
                } else if parser.dialect == Dialect::Jinja {
                    Expr::Nothing
                } else {
                    return parser.expected("`else`");
                };
                value = Expr::If(Box::new(condition), Box::new(value), Box::new(otherwise));
            }
            Ok(value)
        })
    }

    /// An expression without `if`, as in the list of a `for`.
    pub fn either(&mut self) -> Outcome {
        let mut left = self.both()?;
        while self.word("or") {
            self.link()?;
            left = Expr::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Outcome {
        let mut left = self.negation()?;
        while self.word("and") {
            self.link()?;
            left = Expr::And(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Outcome {
        if self.word("not") {
            return self.nested(|parser| Ok(Expr::Not(Box::new(parser.negation()?))));
        }
        let left = self.sum()?;
        let mut more = Vec::new();
        loop {
            let operator = match self.one_of(&["==", "!=", "<=", ">=", "<", ">"]) {
                Some(operator) => operator,
                None if self.word("in") => "in",
                None if self.word("not") => {
                    self.expect_word("in")?;
                    "not in"
                }
                None if self.dialect == Dialect::Python && self.word("is") => {
                    if self.word("not") {
                        "is not"
                    } else {
                        "is"
                    }
                }
                None => break,
            };
            self.link()?;
            more.push((operator, self.sum()?));
        }
        Ok(if more.is_empty() { left } else { Expr::Compare(Box::new(left), more) })
    }

    fn binary(&mut self, operators: &[&'static str], operand: fn(&mut Self) -> Outcome) -> Outcome {
        let mut left = operand(self)?;
        while let Some(operator) = self.one_of(operators) {
            self.link()?;
            left = Expr::Binary(operator, Box::new(left), Box::new(operand(self)?));
        }
        Ok(left)
    }

    /// The operators between two numbers. Those of bits bind looser, and Jinja lacks them.
    fn sum(&mut self) -> Outcome {
        match self.dialect {
            Dialect::Jinja => self.arithmetic(),
            Dialect::Python => self.binary(&["|"], |parser| {
                parser.binary(&["^"], |parser| {
                    parser.binary(&["&"], |parser| parser.binary(&["<<", ">>"], Self::arithmetic))
                })
            }),
        }
    }

    fn arithmetic(&mut self) -> Outcome {
        self.binary(&["+", "-"], |parser| match parser.dialect {
            Dialect::Jinja => parser.binary(&["~"], |parser| {
                parser.binary(&["*", "//", "/", "%"], |parser| parser.binary(&["**"], |parser| parser.signed(true)))
            }),
            Dialect::Python => parser.binary(&["*", "//", "/", "%", "@"], |parser| parser.signed(true)),
        })
    }

    /// A sign with its operand. In Python, it binds looser than a power on its right: `-2 ** 2` is −4. In Jinja, a filter
    /// applies to the sign before its operand, too: `-x|abs` is the absolute value of −x.
    fn signed(&mut self, with_filters: bool) -> Outcome {
        let signs: &[&'static str] = if self.dialect == Dialect::Python { &["-", "+", "~"] } else { &["-", "+"] };
        let value = match self.one_of(signs) {
            Some(sign) => Expr::Signed(sign, Box::new(self.nested(|parser| parser.signed(false))?)),
            None => {
                let value = self.primary()?;
                let value = self.postfix(value)?;
                if self.dialect == Dialect::Python && self.sign("**") {
                    // Powers group from the right.
                    let exponent = self.nested(|parser| parser.signed(false))?;
                    return Ok(Expr::Binary("**", Box::new(value), Box::new(exponent)));
                }
                value
            }
        };
        if self.dialect == Dialect::Python {
            return Ok(value);
        }
        let value = self.postfix(value)?;
        if with_filters { self.filters(value) } else { Ok(value) }
    }

    /// The attributes, indices and calls after a value.
    fn postfix(&mut self, mut value: Expr) -> Outcome {
        loop {
            value = if self.sign(".") {
                match self.tokens.get(self.next).cloned() {
                    Some(Token::Word(name)) => {
                        self.next += 1;
                        Expr::Attribute(Box::new(value), name)
                    }
                    Some(Token::Number(index)) if self.dialect == Dialect::Jinja => {
                        self.next += 1;
                        Expr::Item(Box::new(value), Box::new(Expr::Number(index)))
                    }
                    _ => return self.expected("a name"),
                }
            } else if self.sign("[") {
                let index = self.nested(Self::index)?;
                Expr::Item(Box::new(value), Box::new(index))
            } else if self.sign("(") {
                Expr::Call(Box::new(value), self.items(")")?)
            } else {
                return Ok(value);
            };
            self.link()?;
        }
    }

    /// The filters and tests after a value.
    fn filters(&mut self, mut value: Expr) -> Outcome {
        loop {
            value = if self.sign("|") {
                let name = self.name()?;
                let arguments = if self.sign("(") { self.items(")")? } else { Vec::new() };
                Expr::Filter(Box::new(value), name, arguments)
            } else if self.word("is") {
                let negated = self.word("not");
                let test = self.test(value)?;
                if negated { Expr::Not(Box::new(test)) } else { test }
            } else if self.sign("(") {
                Expr::Call(Box::new(value), self.items(")")?)
            } else {
                return Ok(value);
            };
            self.link()?;
        }
    }

    /// A test, whose only argument needs no brackets: `x is divisibleby 3`.
    fn test(&mut self, value: Expr) -> Outcome {
        let name = self.name()?;
        let arguments = if self.sign("(") {
            self.items(")")?
        } else {
            let begins = match self.tokens.get(self.next) {
                Some(Token::Number(_) | Token::Text(_) | Token::Sign("[" | "{")) => true,
                Some(Token::Word(word)) => !matches!(word.as_str(), "else" | "or" | "and" | "is" | "if" | "in" | "not"),
                _ => false,
            };
            if begins {
                let argument = self.primary()?;
                vec![self.postfix(argument)?]
            } else {
                Vec::new()
            }
        };
        Ok(Expr::Test(Box::new(value), name, arguments))
    }

    /// An index or a slice, or several of them, up to and including the bracket.
    fn index(&mut self) -> Outcome {
        let mut parts = Vec::new();
        let mut is_tuple = false;
        while !self.sign("]") {
            let mut bounds = [const { None }; 3];
            let mut place = 0;
            loop {
                if self.sign(":") {
                    place += 1;
                    if place > 2 {
                        return self.expected("`]`");
                    }
                } else if self.is_sign("]") || self.is_sign(",") || bounds[place].is_some() {
                    break;
                } else {
                    bounds[place] = Some(Box::new(self.expression()?));
                }
            }
            parts.push(match bounds {
                [Some(index), None, None] if place == 0 => *index,
                bounds if place > 0 => Expr::Slice(bounds),
                _ => return self.expected("an index"),
            });
            if !self.sign(",") {
                self.expect("]")?;
                break;
            }
            is_tuple = true;
        }
        match (parts.len(), is_tuple) {
            (0, _) => self.expected("an index"),
            (1, false) => Ok(parts.remove(0)),
            _ => Ok(Expr::Tuple(parts)),
        }
    }

    /// Takes a name.
    pub fn name(&mut self) -> Outcome<String> {
        match self.tokens.get(self.next).cloned() {
            Some(Token::Word(name)) => {
                self.next += 1;
                Ok(name)
            }
            _ => self.expected("a name"),
        }
    }

    /// The values of a list or a call, up to and including the closing mark.
    pub fn items(&mut self, close: &'static str) -> Outcome<Vec<Expr>> {
        let mut items = Vec::new();
        let (links, mut most) = (self.links, self.links);
        while !self.sign(close) {
            self.links = links;
            let named = match self.tokens.get(self.next..self.next + 2) {
                Some([Token::Word(name), Token::Sign("=")]) => Some(name.clone()),
                _ => None,
            };
            let item = if let Some(name) = named {
                self.next += 2;
                Expr::Named(name, Box::new(self.expression()?))
            } else if self.sign("*") {
                Expr::Star(Box::new(self.expression()?))
            } else {
                let item = self.expression()?;
                self.comprehension(item)?
            };
            items.push(item);
            most = most.max(self.links);
            if !self.sign(",") {
                self.expect(close)?;
                break;
            }
        }
        self.links = most;
        Ok(items)
    }

    /// The clauses after an item of a list, if it is a comprehension.
    fn comprehension(&mut self, item: Expr) -> Outcome {
        let mut clauses = Vec::new();
        while self.dialect == Dialect::Python && self.word("for") {
            self.link()?;
            let target = self.target()?;
            self.expect_word("in")?;
            let list = self.either()?;
            let mut conditions = Vec::new();
            while self.word("if") {
                conditions.push(self.either()?);
            }
            clauses.push(Clause { target, list, conditions });
        }
        Ok(if clauses.is_empty() { item } else { Expr::Comprehension(Box::new(item), clauses) })
    }

    fn primary(&mut self) -> Outcome {
        let Some(token) = self.tokens.get(self.next).cloned() else {
            return Err(SyntaxError::Unexpected("end".into()));
        };
        self.next += 1;
        match token {
            Token::Number(number) => Ok(Expr::Number(number)),
            Token::Text(mut text) => {
                // Texts in a row are one text.
                while let Some(Token::Text(more)) = self.tokens.get(self.next) {
                    text += more;
                    self.next += 1;
                }
                Ok(Expr::Text(text))
            }
            Token::Word(word) => self.of_word(word),
            Token::Sign("(") => {
                if self.sign(")") {
                    return Ok(Expr::Tuple(Vec::new()));
                }
                let inner = self.tuple()?;
                let inner = self.comprehension(inner)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Sign("[") => {
                let mut items = self.items("]")?;
                match items.first() {
                    Some(Expr::Comprehension(..)) if items.len() == 1 => Ok(items.remove(0)),
                    _ => Ok(Expr::List(items)),
                }
            }
            Token::Sign("{") => self.braces(),
            Token::Sign("...") if self.dialect == Dialect::Python => Ok(Expr::Name("Ellipsis".into())),
            Token::Sign(_) => Err(SyntaxError::Unexpected(token.to_string())),
        }
    }

    fn of_word(&self, word: String) -> Outcome {
        let is_jinja = self.dialect == Dialect::Jinja;
        match word.as_str() {
            "True" => Ok(Expr::Truth(true)),
            "False" => Ok(Expr::Truth(false)),
            "None" => Ok(Expr::Nothing),
            "true" if is_jinja => Ok(Expr::Truth(true)),
            "false" if is_jinja => Ok(Expr::Truth(false)),
            "none" if is_jinja => Ok(Expr::Nothing),
            "if" | "else" | "and" | "or" | "in" | "is" | "not" => Err(SyntaxError::Unexpected(format!("`{word}`"))),
            "for" | "lambda" if !is_jinja => Err(SyntaxError::Unexpected(format!("`{word}`"))),
            _ => Ok(Expr::Name(word)),
        }
    }

    /// A map or a set.
    fn braces(&mut self) -> Outcome {
        let (mut pairs, mut items) = (Vec::new(), Vec::new());
        let (links, mut most) = (self.links, self.links);
        while !self.sign("}") {
            self.links = links;
            let key = self.expression()?;
            if self.sign(":") {
                pairs.push((key, self.expression()?));
            } else {
                items.push(key);
            }
            most = most.max(self.links);
            if !self.sign(",") {
                self.expect("}")?;
                break;
            }
        }
        self.links = most;
        match (pairs.is_empty(), items.is_empty()) {
            (_, true) => Ok(Expr::Dict(pairs)),
            (true, false) => Ok(Expr::Set(items)),
            _ => self.expected("`:`"),
        }
    }
}
