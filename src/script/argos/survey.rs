//! Collects the uses of the variables and functions of a file.

use std::collections::BTreeMap;

use full_moon::ast::punctuated::Punctuated;
use full_moon::ast::{
    Assignment, BinOp, Block, Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, FunctionDeclaration,
    If, Index, LastStmt, LocalAssignment, Parameter, Prefix, Stmt, Suffix, TableConstructor, UnOp, Var, VarExpression,
};
use full_moon::node::Node;
use full_moon::tokenizer::{Symbol, TokenReference, TokenType};

use crate::error::ScriptError;
use crate::library;

/// Stack of the thread that walks over the tree (bytes).
const STACK: usize = 256 << 20;
/// Names of the translation, which a controller cannot use for its own variables.
const RESERVED: [&str; 1] = ["self"];

/// Start and end of a piece of the text (bytes).
pub type Span = (usize, usize);

/// A use of a variable of the file.
#[derive(Clone, Debug)]
pub struct Use {
    /// Its name.
    pub name: String,
    /// The name in the text.
    pub span: Span,
    /// Its line.
    pub line: u32,
    /// Whether a function is around it.
    pub in_function: bool,
    /// The way in which it is used.
    pub way: Way,
}

/// A way to use a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    Read,
    /// Read where a variable without a value counts as false.
    Tested,
    /// Compared with `nil`.
    Compared,
    /// An element of it is assigned; with a name or not.
    Element {
        is_named: bool,
    },
    Assigned(Kind),
    /// Declared with `local` at the top level.
    Declared(Kind),
    /// Called: the place after its opening bracket, and whether it has arguments; brackets are missing if there is a second
    /// place, at which they end.
    Called {
        at: usize,
        has_arguments: bool,
        bare_end: Option<usize>,
    },
    /// A function is declared: the place after its opening bracket, and whether it has parameters.
    Function {
        at: usize,
        has_parameters: bool,
        local: Option<Span>,
    },
}

/// The kind of a value, as far as the text shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number,
    Text,
    Flag,
    /// A list of numbers, or an empty table.
    List,
    /// Another table.
    Record,
    Function,
    Nil,
    Unknown,
}

/// All uses in a file.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Uses of variables of the file, in the order of the walk.
    pub uses: Vec<Use>,
    /// Fields of `robot` with their lines.
    pub robot_paths: Vec<(Vec<String>, u32)>,
    /// Replacements of other names: `math.atan` with two values.
    pub renamed: Vec<(Span, String)>,
    /// Names that scripts do not have.
    pub missing: Vec<ScriptError>,
}

/// Surveys a text.
pub fn survey(text: &str) -> Result<Survey, ScriptError> {
    let failed = || ScriptError::of_script("the text is too complex");
    // Luau refuses deep nesting, which the other parser does not.
    mlua::chunk::Compiler::new()
        .set_optimization_level(0)
        .compile(text)
        .map_err(|error| crate::error::Failure::from(error).into_error())?;
    std::thread::scope(|scope| {
        let walk = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || walk(text));
        walk.map_err(|_| failed())?.join().map_err(|_| failed())?
    })
}

fn walk(text: &str) -> Result<Survey, ScriptError> {
    let tree = full_moon::parse(text).map_err(|errors| match errors.first() {
        Some(error) => ScriptError::at(error.range().0.line() as u32, &error.error_message()),
        None => ScriptError::of_script("the text is not a script"),
    })?;
    let mut walker = Walker::default();
    walker.statements(tree.nodes());
    let mut found = walker.found;
    found.missing.extend(unknown_names(&found.uses));
    Ok(found)
}

/// Names that neither the file nor the libraries have.
fn unknown_names(uses: &[Use]) -> Vec<ScriptError> {
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    for one in uses {
        let is_made = matches!(one.way, Way::Assigned(_) | Way::Declared(_) | Way::Function { .. });
        *known.entry(&one.name).or_default() |= is_made;
    }
    let unknown = |one: &&Use| known.get(one.name.as_str()) == Some(&false);
    let mut missing: Vec<ScriptError> = Vec::new();
    for one in uses.iter().filter(unknown) {
        let reason = library::reason_of_absence(&one.name).map(|reason| format!(": {reason}")).unwrap_or_default();
        missing.push(ScriptError::at(one.line, &format!("scripts have no `{}`{reason}", one.name)));
    }
    missing
}

#[derive(Default)]
struct Walker {
    locals: Vec<String>,
    /// Number of blocks and functions around the place.
    blocks: u32,
    functions: u32,
    found: Survey,
}

fn name_of(token: &TokenReference) -> String {
    token.token().to_string()
}

fn span_of(token: &TokenReference) -> Span {
    (token.token().start_position().bytes(), token.token().end_position().bytes())
}

fn line_of(token: &TokenReference) -> u32 {
    token.token().start_position().line() as u32
}

impl Walker {
    fn missing(&mut self, token: &TokenReference, message: &str) {
        self.found.missing.push(ScriptError::at(line_of(token), message));
    }

    fn note(&mut self, token: &TokenReference, way: Way) {
        let name = name_of(token);
        if self.locals.contains(&name) {
            return;
        }
        if RESERVED.contains(&name.as_str()) || name.starts_with("argos_") || name.starts_with("ARGOS_") {
            return self
                .missing(token, &format!("`{name}` is a name of the translation: the controller needs another one"));
        }
        if name == "robot" {
            return match way {
                Way::Read | Way::Tested => {}
                _ => self.missing(token, "`robot` cannot be assigned"),
            };
        }
        let is_library = library::globals().any(|known| known == name) || ["log", "logerr"].contains(&name.as_str());
        if is_library {
            return match way {
                Way::Read | Way::Tested | Way::Called { .. } => {}
                _ => self.missing(token, &format!("`{name}` belongs to the language and cannot be assigned")),
            };
        }
        let in_function = self.functions > 0;
        self.found.uses.push(Use { name, span: span_of(token), line: line_of(token), in_function, way });
    }

    fn declare(&mut self, token: &TokenReference) {
        let name = name_of(token);
        if RESERVED.contains(&name.as_str()) || name == "robot" {
            self.missing(token, &format!("`{name}` is a name of the translation: the controller needs another one"));
        }
        self.locals.push(name);
    }

    fn block(&mut self, block: &Block) {
        let mark = self.locals.len();
        self.blocks += 1;
        self.statements(block);
        self.blocks -= 1;
        self.locals.truncate(mark);
    }

    fn statements(&mut self, block: &Block) {
        block.stmts().for_each(|statement| self.statement(statement));
        if let Some(LastStmt::Return(values)) = block.last_stmt() {
            self.expressions(values.returns());
            if self.functions == 0 {
                self.missing(values.token(), "a controller returns nothing");
            }
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assignment(assignment) => self.assignment(assignment),
            Stmt::Do(inner) => self.block(inner.block()),
            Stmt::FunctionCall(call) => self.call(call),
            Stmt::FunctionDeclaration(declaration) => self.declaration(declaration),
            Stmt::GenericFor(generic) => {
                self.expressions(generic.expressions());
                let mark = self.locals.len();
                generic.names().iter().for_each(|name| self.declare(name));
                self.block(generic.block());
                self.locals.truncate(mark);
            }
            Stmt::If(branches) => self.branches(branches),
            Stmt::LocalAssignment(local) => self.local(local),
            Stmt::LocalFunction(local) => {
                let body = local.body();
                if self.is_top() {
                    let way = function_way(body, Some(span_of(local.local_token())));
                    self.note(local.name(), way);
                } else {
                    self.declare(local.name());
                }
                self.function(body);
            }
            Stmt::NumericFor(numeric) => {
                self.expression(numeric.start());
                self.expression(numeric.end());
                numeric.step().into_iter().for_each(|step| self.expression(step));
                let mark = self.locals.len();
                self.declare(numeric.index_variable());
                self.block(numeric.block());
                self.locals.truncate(mark);
            }
            Stmt::Repeat(repeat) => {
                let mark = self.locals.len();
                self.blocks += 1;
                self.statements(repeat.block());
                self.condition(repeat.until());
                self.blocks -= 1;
                self.locals.truncate(mark);
            }
            Stmt::While(repeat) => {
                self.condition(repeat.condition());
                self.block(repeat.block());
            }
            other => {
                let line = other.start_position().map(|position| position.line() as u32);
                let error = ScriptError::of_script("controllers do not have this kind of statement");
                self.found.missing.push(ScriptError { line, ..error });
            }
        }
    }

    fn is_top(&self) -> bool {
        self.blocks == 0 && self.functions == 0
    }

    fn branches(&mut self, branches: &If) {
        self.condition(branches.condition());
        self.block(branches.block());
        for branch in branches.else_if().into_iter().flatten() {
            self.condition(branch.condition());
            self.block(branch.block());
        }
        branches.else_block().into_iter().for_each(|block| self.block(block));
    }

    fn local(&mut self, local: &LocalAssignment) {
        self.expressions(local.expressions());
        let values: Vec<Kind> = local.expressions().iter().map(kind_of).collect();
        let values_left = values.last() == Some(&Kind::Unknown);
        for (place, name) in local.names().iter().enumerate() {
            if self.is_top() {
                let absent = if values_left { Kind::Unknown } else { Kind::Nil };
                let value = local.expressions().iter().nth(place);
                let way = match value {
                    Some(Expression::Function(function)) => function_way(function.body(), None),
                    _ => Way::Declared(values.get(place).copied().unwrap_or(absent)),
                };
                self.note(name, way);
            } else {
                self.declare(name);
            }
        }
    }

    fn function(&mut self, body: &FunctionBody) {
        let mark = self.locals.len();
        self.functions += 1;
        for parameter in body.parameters() {
            if let Parameter::Name(name) = parameter {
                self.declare(name);
            }
        }
        self.statements(body.block());
        self.functions -= 1;
        self.locals.truncate(mark);
    }

    fn declaration(&mut self, declaration: &FunctionDeclaration) {
        let path = declaration.name();
        if let Some(first) = path.names().iter().next() {
            if path.names().len() == 1 && path.method_name().is_none() {
                if self.is_top() {
                    self.note(first, function_way(declaration.body(), None));
                } else {
                    self.missing(first, "functions are declared at the top level of the file");
                }
            } else {
                self.missing(first, "functions in tables are not translated");
            }
        }
        self.function(declaration.body());
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.expressions(assignment.expressions());
        for (place, variable) in assignment.variables().iter().enumerate() {
            let value = assignment.expressions().iter().nth(place);
            match variable {
                Var::Name(name) => {
                    let way = match value {
                        Some(Expression::Function(function)) if self.is_top() => function_way(function.body(), None),
                        Some(value) => Way::Assigned(kind_of(value)),
                        None => Way::Assigned(Kind::Unknown),
                    };
                    self.note(name, way);
                }
                Var::Expression(path) => {
                    if let Prefix::Name(name) = path.prefix() {
                        let is_named = path.suffixes().any(|suffix| matches!(suffix, Suffix::Index(Index::Dot { .. })));
                        let is_deep = path.suffixes().count() > 1;
                        self.note(name, Way::Element { is_named: is_named || is_deep });
                        self.suffixes(name, &mut path.suffixes());
                    } else {
                        self.path(path);
                    }
                }
                _ => {}
            }
        }
    }

    /// An expression whose value counts as true or false.
    fn condition(&mut self, expression: &Expression) {
        match expression {
            Expression::Var(Var::Name(name)) => self.note(name, Way::Tested),
            Expression::Parentheses { expression, .. } => self.condition(expression),
            other => self.expression(other),
        }
    }

    fn expressions(&mut self, expressions: &Punctuated<Expression>) {
        expressions.iter().for_each(|expression| self.expression(expression));
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::BinaryOperator { lhs, binop: BinOp::And(_) | BinOp::Or(_), rhs } => {
                self.condition(lhs);
                self.condition(rhs);
            }
            Expression::BinaryOperator { lhs, binop: BinOp::TwoEqual(_) | BinOp::TildeEqual(_), rhs } => {
                for (side, other) in [(lhs, rhs), (rhs, lhs)] {
                    match &**side {
                        Expression::Var(Var::Name(name)) if kind_of(other) == Kind::Nil => {
                            self.note(name, Way::Compared);
                        }
                        side => self.expression(side),
                    }
                }
            }
            Expression::BinaryOperator { lhs, rhs, .. } => {
                self.expression(lhs);
                self.expression(rhs);
            }
            Expression::UnaryOperator { unop: UnOp::Not(_), expression } => self.condition(expression),
            Expression::UnaryOperator { expression, .. }
            | Expression::Parentheses { expression, .. }
            | Expression::TypeAssertion { expression, .. } => self.expression(expression),
            Expression::Function(function) => self.function(function.body()),
            Expression::FunctionCall(call) => self.call(call),
            Expression::TableConstructor(table) => self.table(table),
            Expression::Var(Var::Name(name)) => self.note(name, Way::Read),
            Expression::Var(Var::Expression(path)) => self.path(path),
            _ => {}
        }
    }

    fn table(&mut self, table: &TableConstructor) {
        for field in table.fields() {
            match field {
                Field::ExpressionKey { key, value, .. } => {
                    self.expression(key);
                    self.expression(value);
                }
                Field::NameKey { value, .. } | Field::NoKey(value) => self.expression(value),
                _ => {}
            }
        }
    }

    fn call(&mut self, call: &FunctionCall) {
        let Prefix::Name(name) = call.prefix() else {
            if let Prefix::Expression(expression) = call.prefix() {
                self.expression(expression);
            }
            return call.suffixes().for_each(|suffix| self.suffix(suffix));
        };
        match call.suffixes().next() {
            Some(Suffix::Call(Call::AnonymousCall(arguments))) => self.note(name, call_way(arguments)),
            _ => self.note(name, Way::Read),
        }
        self.note_library(name, call);
        self.suffixes(name, &mut call.suffixes());
    }

    /// Notes calls of libraries that change their first value, and functions with other names.
    fn note_library(&mut self, prefix: &TokenReference, call: &FunctionCall) {
        let library = name_of(prefix);
        if self.locals.contains(&library) {
            return;
        }
        let mut suffixes = call.suffixes();
        let (Some(Suffix::Index(Index::Dot { name, .. })), Some(Suffix::Call(Call::AnonymousCall(arguments)))) =
            (suffixes.next(), suffixes.next())
        else {
            return;
        };
        let FunctionArgs::Parentheses { arguments, .. } = arguments else { return };
        let member = name_of(name);
        if library == "math" && member == "atan" && arguments.len() == 2 {
            self.found.renamed.push((span_of(name), "atan2".into()));
        }
        if library == "table"
            && ["insert", "remove", "sort", "clear"].contains(&member.as_str())
            && let Some(Expression::Var(Var::Name(list))) = arguments.iter().next()
        {
            let is_named = member == "insert" && arguments.iter().skip(1).any(|value| !is_number(value));
            self.note(list, Way::Element { is_named });
        }
    }

    fn path(&mut self, path: &VarExpression) {
        match path.prefix() {
            Prefix::Name(name) => {
                self.note(name, Way::Read);
                self.suffixes(name, &mut path.suffixes());
            }
            Prefix::Expression(expression) => {
                self.expression(expression);
                path.suffixes().for_each(|suffix| self.suffix(suffix));
            }
            _ => {}
        }
    }

    /// Walks over what follows a name.
    fn suffixes(&mut self, prefix: &TokenReference, suffixes: &mut dyn Iterator<Item = &Suffix>) {
        let name = name_of(prefix);
        let is_global = !self.locals.contains(&name);
        let (mut path, mut goes_on) = (Vec::new(), is_global && name == "robot");
        for (place, suffix) in suffixes.enumerate() {
            match suffix {
                Suffix::Index(Index::Dot { name, .. }) if goes_on => path.push(name_of(name)),
                _ => goes_on = false,
            }
            if let (0, true, Suffix::Index(Index::Dot { name: member, .. })) = (place, is_global, suffix)
                && let Some(members) = library::members(&name)
                && !members.contains(&name_of(member).as_str())
            {
                let full = format!("{name}.{}", name_of(member));
                let reason = library::reason_of_absence(&full).map(|reason| format!(": {reason}")).unwrap_or_default();
                self.missing(member, &format!("scripts have no `{full}`{reason}"));
            }
            self.suffix(suffix);
        }
        if !path.is_empty() {
            self.found.robot_paths.push((path, line_of(prefix)));
        }
    }

    fn suffix(&mut self, suffix: &Suffix) {
        match suffix {
            Suffix::Index(Index::Brackets { expression, .. }) => self.expression(expression),
            Suffix::Call(Call::AnonymousCall(arguments)) => self.arguments(arguments),
            Suffix::Call(Call::MethodCall(call)) => self.arguments(call.args()),
            _ => {}
        }
    }

    fn arguments(&mut self, arguments: &FunctionArgs) {
        match arguments {
            FunctionArgs::Parentheses { arguments, .. } => self.expressions(arguments),
            FunctionArgs::TableConstructor(table) => self.table(table),
            _ => {}
        }
    }
}

fn function_way(body: &FunctionBody, local: Option<Span>) -> Way {
    let at = span_of(body.parameters_parentheses().tokens().0).1;
    Way::Function { at, has_parameters: !body.parameters().is_empty(), local }
}

fn call_way(arguments: &FunctionArgs) -> Way {
    match arguments {
        FunctionArgs::Parentheses { parentheses, arguments } => {
            Way::Called { at: span_of(parentheses.tokens().0).1, has_arguments: !arguments.is_empty(), bare_end: None }
        }
        other => {
            let place =
                |position: Option<full_moon::tokenizer::Position>| position.map_or(0, |position| position.bytes());
            let (at, end) = (place(other.start_position()), place(other.end_position()));
            Way::Called { at, has_arguments: true, bare_end: Some(end) }
        }
    }
}

/// Whether an expression can be a number.
fn is_number(expression: &Expression) -> bool {
    matches!(kind_of(expression), Kind::Number | Kind::Unknown)
}

/// The kind of the value of an expression.
fn kind_of(expression: &Expression) -> Kind {
    match expression {
        Expression::String(_) => Kind::Text,
        Expression::Symbol(token) => match token.token_type() {
            TokenType::Symbol { symbol: Symbol::True | Symbol::False } => Kind::Flag,
            TokenType::Symbol { symbol: Symbol::Nil } => Kind::Nil,
            _ => Kind::Unknown,
        },
        Expression::Function(_) => Kind::Function,
        Expression::Parentheses { expression, .. } => kind_of(expression),
        Expression::UnaryOperator { unop: UnOp::Not(_), .. } => Kind::Flag,
        Expression::Number(_) | Expression::UnaryOperator { .. } => Kind::Number,
        Expression::BinaryOperator { binop, lhs, rhs } => match binop {
            BinOp::TwoDots(_) => Kind::Text,
            BinOp::And(_) | BinOp::Or(_) => {
                if kind_of(lhs) == kind_of(rhs) || kind_of(lhs) == Kind::Unknown {
                    kind_of(rhs)
                } else {
                    Kind::Unknown
                }
            }
            BinOp::TwoEqual(_)
            | BinOp::TildeEqual(_)
            | BinOp::LessThan(_)
            | BinOp::LessThanEqual(_)
            | BinOp::GreaterThan(_)
            | BinOp::GreaterThanEqual(_) => Kind::Flag,
            _ => Kind::Number,
        },
        Expression::TableConstructor(table) => {
            let is_list = |field: &Field| matches!(field, Field::NoKey(value) if is_number(value));
            if table.fields().iter().all(is_list) { Kind::List } else { Kind::Record }
        }
        _ => Kind::Unknown,
    }
}
