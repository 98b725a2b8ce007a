//! Checks of the text of a script, and the rewriting of operators and loops.
//!
//! The walk over the syntax tree resolves every name. It reports assignments that would survive a step, and names that
//! scripts do not have. It also collects the edits of `edits`.

mod edits;
mod scope;

use full_moon::ast::{
    Assignment, Block, Call, CompoundAssignment, CompoundOp, Expression, Field, FunctionArgs, FunctionBody,
    FunctionCall, FunctionDeclaration, GenericFor, If, Index, LastStmt, Parameter, Prefix, Stmt, Suffix,
    TableConstructor, UnOp, Var, VarExpression,
};
use full_moon::ast::{BinOp, punctuated::Punctuated};
use full_moon::node::Node;
use full_moon::tokenizer::{TokenReference, TokenType};

use self::edits::Edits;
use self::scope::Scope;
use crate::error::ScriptError;
use crate::library;
use swarmarium_base::problem::did_you_mean;

/// Stack of the thread that walks over the tree (bytes). Luau refuses deeply nested texts before.
const STACK: usize = 256 << 20;
/// The globals that a script sets.
const DECLARATIONS: [&str; 4] = ["parameters", "state", "commands", "step"];

/// The result of the analysis.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The text to compile, with the lines of the original.
    pub text: String,
    /// Names and lines of the fields of `parameters`, in the order of the text.
    pub parameters: Vec<(String, u32)>,
    /// Names and lines of the fields of `state`, in the order of the text.
    pub state: Vec<(String, u32)>,
}

type Checked = Result<(), ScriptError>;

/// Checks and rewrites a text that Luau can parse.
pub fn analyse(text: &str) -> Result<Analysis, ScriptError> {
    let failed = || ScriptError::of_script("the text is too complex");
    std::thread::scope(|scope| {
        let walk = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || walk(text));
        walk.map_err(|_| failed())?.join().map_err(|_| failed())?
    })
}

fn walk(text: &str) -> Result<Analysis, ScriptError> {
    let tree = full_moon::parse(text).map_err(|errors| match errors.first() {
        Some(error) => ScriptError::at(error.range().0.line() as u32, &error.error_message()),
        None => ScriptError::of_script("the text is not a script"),
    })?;
    let mut walker = Walker::default();
    walker.block(tree.nodes())?;
    walker.found.text = walker.edits.apply(text);
    Ok(walker.found)
}

fn line_of(token: &TokenReference) -> u32 {
    token.token().start_position().line() as u32
}

fn error<T>(token: &TokenReference, message: &str) -> Result<T, ScriptError> {
    Err(ScriptError::at(line_of(token), message))
}

/// The text of a name.
fn name_of(token: &TokenReference) -> String {
    token.token().to_string()
}

#[derive(Default)]
struct Walker {
    scope: Scope,
    edits: Edits,
    found: Analysis,
}

impl Walker {
    fn scoped(&mut self, inner: impl FnOnce(&mut Self) -> Checked) -> Checked {
        let mark = self.scope.open();
        let result = inner(self);
        self.scope.close(mark);
        result
    }

    fn block(&mut self, block: &Block) -> Checked {
        self.scoped(|walker| walker.statements(block))
    }

    fn statements(&mut self, block: &Block) -> Checked {
        for statement in block.stmts() {
            self.statement(statement)?;
        }
        match block.last_stmt() {
            Some(LastStmt::Return(values)) => self.expressions(values.returns()),
            _ => Ok(()),
        }
    }

    fn statement(&mut self, statement: &Stmt) -> Checked {
        match statement {
            Stmt::Assignment(assignment) => self.assignment(assignment),
            Stmt::Do(inner) => self.block(inner.block()),
            Stmt::FunctionCall(call) => self.call(call),
            Stmt::FunctionDeclaration(declaration) => self.function_declaration(declaration),
            Stmt::GenericFor(generic) => self.generic_for(generic),
            Stmt::If(branches) => self.branches(branches),
            Stmt::LocalAssignment(local) => {
                self.expressions(local.expressions())?;
                local.names().iter().try_for_each(|name| self.declare(name))
            }
            Stmt::ConstAssignment(local) => {
                self.expressions(local.expressions())?;
                local.names().iter().try_for_each(|name| self.declare(name))
            }
            Stmt::LocalFunction(local) => {
                self.declare(local.name())?;
                self.function(local.body(), false)
            }
            Stmt::ConstFunction(local) => {
                self.declare(local.name())?;
                self.function(local.body(), false)
            }
            Stmt::NumericFor(numeric) => {
                self.expression(numeric.start())?;
                self.expression(numeric.end())?;
                numeric.step().map_or(Ok(()), |step| self.expression(step))?;
                self.scoped(|walker| {
                    walker.declare(numeric.index_variable())?;
                    walker.block(numeric.block())
                })
            }
            Stmt::Repeat(repeat) => self.scoped(|walker| {
                walker.statements(repeat.block())?;
                walker.expression(repeat.until())
            }),
            Stmt::While(repeat) => {
                self.expression(repeat.condition())?;
                self.block(repeat.block())
            }
            Stmt::CompoundAssignment(assignment) => self.compound_assignment(assignment),
            Stmt::TypeDeclaration(_) | Stmt::ExportedTypeDeclaration(_) => Ok(()),
            other => {
                let line = other.start_position().map(|position| position.line() as u32);
                Err(ScriptError { line, ..ScriptError::of_script("scripts do not have this kind of statement") })
            }
        }
    }

    fn branches(&mut self, branches: &If) -> Checked {
        self.expression(branches.condition())?;
        self.block(branches.block())?;
        for branch in branches.else_if().into_iter().flatten() {
            self.expression(branch.condition())?;
            self.block(branch.block())?;
        }
        branches.else_block().map_or(Ok(()), |block| self.block(block))
    }

    /// Declares a local variable.
    fn declare(&mut self, token: &TokenReference) -> Checked {
        let name = name_of(token);
        check_reserved(token, &name)?;
        if self.scope.is_top_level() && DECLARATIONS.contains(&name.as_str()) {
            return error(token, &format!("`{name}` must be a global: write it without `local`"));
        }
        self.scope.declare(name);
        Ok(())
    }

    fn function(&mut self, body: &FunctionBody, is_method: bool) -> Checked {
        self.scope.enter_function();
        let result = self.scoped(|walker| {
            if is_method {
                walker.scope.declare("self".into());
            }
            for parameter in body.parameters() {
                if let Parameter::Name(name) = parameter {
                    walker.declare(name)?;
                }
            }
            walker.statements(body.block())
        });
        self.scope.leave_function();
        result
    }

    fn function_declaration(&mut self, declaration: &FunctionDeclaration) -> Checked {
        let path = declaration.name();
        if let Some(first) = path.names().iter().next() {
            if path.names().len() == 1 && path.method_name().is_none() {
                self.assign(first, true)?;
            } else {
                self.read(first)?;
                self.check_library_target(first)?;
            }
        }
        self.function(declaration.body(), path.method_name().is_some())
    }

    fn assignment(&mut self, assignment: &Assignment) -> Checked {
        self.expressions(assignment.expressions())?;
        for variable in assignment.variables() {
            match variable {
                Var::Name(name) => self.assign(name, false)?,
                other => self.target(other)?,
            }
        }
        for (variable, value) in assignment.variables().iter().zip(assignment.expressions()) {
            if let (Var::Name(name), Expression::TableConstructor(table)) = (variable, value)
                && self.scope.depth_of(&name_of(name)).is_none()
            {
                match name_of(name).as_str() {
                    "parameters" => self.found.parameters = keys(table),
                    "state" => self.found.state = keys(table),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn compound_assignment(&mut self, assignment: &CompoundAssignment) -> Checked {
        let operator = match assignment.compound_operator() {
            CompoundOp::CaretEqual(token) => Some((token, "__pow", "^")),
            CompoundOp::PercentEqual(token) => Some((token, "__mod", "%")),
            _ => None,
        };
        match assignment.lhs() {
            Var::Name(name) => {
                self.read(name)?;
                self.assign(name, false)?;
            }
            other => self.target(other)?,
        }
        if let Some((token, function, sign)) = operator {
            let Some(target) = plain_path(assignment.lhs()) else {
                let message = format!("write it out as `place = place {sign} value`: `{sign}=` needs a plain name");
                return error(token, &message);
            };
            self.edits.replace(token, format!("= {function}({target}, "));
            self.edits.close(assignment.rhs());
        }
        self.expression(assignment.rhs())
    }

    /// Checks the assignment of a name.
    fn assign(&self, token: &TokenReference, is_function: bool) -> Checked {
        let name = name_of(token);
        check_reserved(token, &name)?;
        let Some(depth) = self.scope.depth_of(&name) else { return self.assign_global(token, &name, is_function) };
        if depth == self.scope.depth() {
            return Ok(());
        }
        let remedy = "a script keeps numbers from step to step in `state` only";
        error(token, &format!("`{name}` belongs to the function around: {remedy}"))
    }

    fn assign_global(&self, token: &TokenReference, name: &str, is_function: bool) -> Checked {
        if DECLARATIONS.contains(&name) {
            if self.scope.is_top_level() {
                return Ok(());
            }
            return error(token, &format!("`{name}` is declared at the top level of the file only"));
        }
        if is_function {
            let remedy = match did_you_mean(name, DECLARATIONS) {
                near if near.is_empty() => format!(": declare it with `local function {name}`"),
                near => near,
            };
            return error(token, &format!("`{name}` is a global{remedy}"));
        }
        let remedy = "declare it `local`, or in `state` to keep it from step to step";
        error(token, &format!("`{name}` is a global: {remedy}"))
    }

    /// Checks the target of an assignment that is not a name.
    fn target(&mut self, variable: &Var) -> Checked {
        if let Var::Expression(path) = variable {
            if let Prefix::Name(name) = path.prefix() {
                self.check_library_target(name)?;
            }
            return self.path(path);
        }
        Ok(())
    }

    fn check_library_target(&self, token: &TokenReference) -> Checked {
        let name = name_of(token);
        if self.scope.depth_of(&name).is_none() && library::members(&name).is_some() {
            return error(token, &format!("the library `{name}` is read-only"));
        }
        Ok(())
    }

    /// Checks the use of a name.
    fn read(&self, token: &TokenReference) -> Checked {
        let name = name_of(token);
        check_reserved(token, &name)?;
        if self.scope.depth_of(&name).is_some() || library::globals().any(|known| known == name) {
            return Ok(());
        }
        if DECLARATIONS.contains(&name.as_str()) {
            return match name.as_str() {
                "parameters" | "state" if !self.scope.is_top_level() => {
                    error(token, &format!("`{name}` holds the declarations: functions use the fields of `self`"))
                }
                _ => Ok(()),
            };
        }
        if let Some(reason) = library::reason_of_absence(&name) {
            return error(token, &format!("scripts have no `{name}`: {reason}"));
        }
        let known: Vec<&str> = self.scope.names().chain(library::globals().map(|name| name as &str)).collect();
        let near = did_you_mean(&name, known);
        let remedy = match near.as_str() {
            _ if ["self", "senses"].contains(&name.as_str()) => {
                ": `step` takes both, as in `function step(self, senses)`"
            }
            "" => ": declare it with `local`",
            near => near,
        };
        error(token, &format!("`{name}` is unknown{remedy}"))
    }

    /// Checks a member of a library.
    fn member(&self, prefix: &TokenReference, index: &Index) -> Checked {
        let Index::Dot { name: token, .. } = index else { return Ok(()) };
        let library_name = name_of(prefix);
        let Some(members) = library::members(&library_name).filter(|_| self.scope.depth_of(&library_name).is_none())
        else {
            return Ok(());
        };
        let name = name_of(token);
        if members.contains(&name.as_str()) {
            return Ok(());
        }
        if let Some(reason) = library::reason_of_absence(&format!("{library_name}.{name}")) {
            return error(token, &format!("scripts have no `{library_name}.{name}`: {reason}"));
        }
        let near = did_you_mean(&name, members.iter().copied());
        error(token, &format!("`{library_name}` has no `{name}`{near}"))
    }

    fn expressions(&mut self, expressions: &Punctuated<Expression>) -> Checked {
        expressions.iter().try_for_each(|expression| self.expression(expression))
    }

    fn expression(&mut self, expression: &Expression) -> Checked {
        match expression {
            Expression::BinaryOperator { lhs, binop, rhs } => {
                match binop {
                    BinOp::Caret(token) => self.edits.binary("__pow", lhs, token, rhs),
                    BinOp::Percent(token) => self.edits.binary("__mod", lhs, token, rhs),
                    _ => {}
                }
                self.expression(lhs)?;
                self.expression(rhs)
            }
            Expression::Parentheses { expression, .. }
            | Expression::TypeAssertion { expression, .. }
            | Expression::UnaryOperator { expression, unop: UnOp::Minus(_) | UnOp::Not(_) | UnOp::Hash(_) } => {
                self.expression(expression)
            }
            Expression::Function(function) => self.function(function.body(), false),
            Expression::FunctionCall(call) => self.call(call),
            Expression::IfExpression(branches) => {
                self.expression(branches.condition())?;
                self.expression(branches.if_expression())?;
                for branch in branches.else_if_expressions().into_iter().flatten() {
                    self.expression(branch.condition())?;
                    self.expression(branch.expression())?;
                }
                self.expression(branches.else_expression())
            }
            Expression::InterpolatedString(text) => {
                text.expressions().try_for_each(|expression| self.expression(expression))
            }
            Expression::TableConstructor(table) => self.table(table),
            Expression::Number(_) | Expression::String(_) | Expression::Symbol(_) => Ok(()),
            Expression::Var(Var::Name(name)) => self.read(name),
            Expression::Var(Var::Expression(path)) => self.path(path),
            other => {
                let line = other.start_position().map(|position| position.line() as u32);
                Err(ScriptError { line, ..ScriptError::of_script("scripts do not have this kind of expression") })
            }
        }
    }

    fn table(&mut self, table: &TableConstructor) -> Checked {
        for field in table.fields() {
            match field {
                Field::ExpressionKey { key, value, .. } => {
                    self.expression(key)?;
                    self.expression(value)?;
                }
                Field::NameKey { value, .. } | Field::NoKey(value) => self.expression(value)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn call(&mut self, call: &FunctionCall) -> Checked {
        self.chain(call.prefix(), &mut call.suffixes())
    }

    fn path(&mut self, path: &VarExpression) -> Checked {
        self.chain(path.prefix(), &mut path.suffixes())
    }

    fn chain(&mut self, prefix: &Prefix, suffixes: &mut dyn Iterator<Item = &Suffix>) -> Checked {
        match prefix {
            Prefix::Name(name) => self.read(name)?,
            Prefix::Expression(expression) => self.expression(expression)?,
            _ => {}
        }
        for (place, suffix) in suffixes.enumerate() {
            if let (0, Prefix::Name(name), Suffix::Index(index)) = (place, prefix, suffix) {
                self.member(name, index)?;
            }
            match suffix {
                Suffix::Index(Index::Brackets { expression, .. }) => self.expression(expression)?,
                Suffix::Call(Call::AnonymousCall(arguments)) => self.arguments(arguments)?,
                Suffix::Call(Call::MethodCall(call)) => self.arguments(call.args())?,
                _ => {}
            }
        }
        Ok(())
    }

    fn arguments(&mut self, arguments: &FunctionArgs) -> Checked {
        match arguments {
            FunctionArgs::Parentheses { arguments, .. } => self.expressions(arguments),
            FunctionArgs::TableConstructor(table) => self.table(table),
            _ => Ok(()),
        }
    }

    fn generic_for(&mut self, generic: &GenericFor) -> Checked {
        self.check_order(generic.expressions());
        self.expressions(generic.expressions())?;
        self.scoped(|walker| {
            generic.names().iter().try_for_each(|name| walker.declare(name))?;
            walker.block(generic.block())
        })
    }

    /// Makes a loop check that its order is defined. `__each` passes on everything but tables unchanged.
    fn check_order(&mut self, expressions: &Punctuated<Expression>) {
        let mut pairs = expressions.pairs();
        let (first, last) = match (pairs.next(), expressions.last()) {
            (Some(first), Some(last)) => (first, last.value()),
            _ => return,
        };
        match (first.value(), first.punctuation()) {
            (first, Some(_)) => {
                self.edits.open("__each", first);
                self.edits.close(last);
            }
            (Expression::FunctionCall(call), None) => match (call.prefix(), call.suffixes().count()) {
                (Prefix::Name(name), 1) if self.is_global(name, "ipairs") => {}
                (Prefix::Name(name), 1) if self.is_global(name, "pairs") => self.edits.replace(name, "__each".into()),
                _ => self.edits.wrap("__each", last),
            },
            (_, None) => self.edits.wrap("__each", last),
        }
    }

    fn is_global(&self, token: &TokenReference, name: &str) -> bool {
        name_of(token) == name && self.scope.depth_of(name).is_none()
    }
}

fn check_reserved(token: &TokenReference, name: &str) -> Checked {
    if name.starts_with("__") {
        return error(token, &format!("`{name}` is reserved, as all names with two underscores at the start"));
    }
    Ok(())
}

/// The text of a name or of names with dots, which can be evaluated twice.
fn plain_path(variable: &Var) -> Option<String> {
    match variable {
        Var::Name(name) => Some(name_of(name)),
        Var::Expression(path) => {
            let Prefix::Name(first) = path.prefix() else { return None };
            path.suffixes().try_fold(name_of(first), |text, suffix| match suffix {
                Suffix::Index(Index::Dot { name, .. }) => Some(format!("{text}.{}", name_of(name))),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Names and lines of the keys of a table.
fn keys(table: &TableConstructor) -> Vec<(String, u32)> {
    let key = |field: &Field| match field {
        Field::NameKey { key, .. } => Some((name_of(key), line_of(key))),
        Field::ExpressionKey { key: Expression::String(key), .. } => match key.token_type() {
            TokenType::StringLiteral { literal, .. } => Some((literal.to_string(), line_of(key))),
            _ => None,
        },
        _ => None,
    };
    table.fields().iter().filter_map(key).collect()
}
