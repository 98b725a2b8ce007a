//! Evaluation of expressions within bounds of time and memory.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::operate::{MAX_LIST, compare, operate, sign};
use super::tree::{Clause, Dialect, Expr};
use super::value::{Callable, Value};
use super::{EvaluationError, builtin, filter, method, numpy};
use crate::language::template;

/// The steps of an evaluation. Each item of a list that an operator or a function reads is one.
const FUEL: usize = 3_000_000;
/// The most items of all values that an evaluation makes.
const MAX_WEIGHT: usize = 4_000_000;
/// The deepest nesting of evaluations, calls of macros included.
const MAX_DEPTH: u32 = 400;
/// The most values within a value that count as steps.
const MAX_WORK: usize = 200_000;

/// The result of an evaluation.
pub type Outcome<T = Value> = Result<T, EvaluationError>;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Those without a name.
    pub positional: Vec<Value>,
    /// Those with a name.
    pub named: Vec<(String, Value)>,
}

impl Arguments {
    /// Arguments without names.
    pub fn from_positional(positional: Vec<Value>) -> Self {
        Self { positional, named: Vec::new() }
    }

    /// The argument at a place, or with a name.
    pub fn get(&self, place: usize, name: &str) -> Option<&Value> {
        let named = || self.named.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        self.positional.get(place).or_else(named).filter(|value| !matches!(value, Value::Nothing))
    }

    /// The argument at a place, or with a name, which must be there.
    ///
    /// # Errors
    /// When it is not there.
    pub fn need(&self, place: usize, name: &str) -> Outcome<&Value> {
        self.get(place, name).ok_or_else(|| EvaluationError::invalid(format!("the argument `{name}` is missing")))
    }

    /// The number at a place, or with a name.
    ///
    /// # Errors
    /// When it is not a number.
    pub fn number(&self, place: usize, name: &str) -> Outcome<Option<f64>> {
        let Some(value) = self.get(place, name) else { return Ok(None) };
        value.as_f64().map(Some).ok_or_else(|| EvaluationError::invalid(format!("`{name}` must be a number")))
    }

    /// The whole number at a place, or with a name.
    ///
    /// # Errors
    /// When it is not a whole number.
    pub fn whole(&self, place: usize, name: &str) -> Outcome<Option<i128>> {
        let Some(value) = self.get(place, name) else { return Ok(None) };
        value.as_whole().map(Some).ok_or_else(|| EvaluationError::invalid(format!("`{name}` must be a whole number")))
    }

    /// The text at a place, or with a name.
    pub fn text(&self, place: usize, name: &str) -> Option<String> {
        self.get(place, name).map(Value::to_string)
    }

    /// Whether the argument at a place, or with a name, is true.
    ///
    /// # Errors
    /// When it is an array of several items.
    pub fn is_on(&self, place: usize, name: &str, default: bool) -> Outcome<bool> {
        self.get(place, name).map_or(Ok(default), Value::is_true)
    }
}

/// The state of an evaluation: its variables, and the steps and items that are left.
pub struct Evaluator {
    /// The language.
    pub dialect: Dialect,
    /// Variables by name, the innermost scope last.
    scopes: Vec<BTreeMap<String, Value>>,
    fuel: usize,
    weight: usize,
    depth: u32,
}

impl Evaluator {
    /// An evaluator with variables.
    pub fn new(dialect: Dialect, variables: BTreeMap<String, Value>) -> Self {
        Self { dialect, scopes: vec![variables], fuel: FUEL, weight: MAX_WEIGHT, depth: 0 }
    }

    /// The variables of the outermost scope.
    pub fn into_variables(mut self) -> BTreeMap<String, Value> {
        self.scopes.truncate(1);
        self.scopes.pop().unwrap_or_default()
    }

    /// Opens a scope, whose variables end with it.
    pub fn open_scope(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    /// Ends the innermost scope.
    pub fn close_scope(&mut self) {
        self.scopes.pop();
    }

    /// Replaces all scopes but the outermost, and gives those that were there.
    pub fn replace_scopes(&mut self, scopes: Vec<BTreeMap<String, Value>>) -> Vec<BTreeMap<String, Value>> {
        let inner = self.scopes.split_off(1);
        self.scopes.extend(scopes);
        inner
    }

    /// Counts a step, with so many items that it reads.
    ///
    /// # Errors
    /// When no steps are left.
    pub fn step(&mut self, items: usize) -> Outcome<()> {
        self.fuel = self.fuel.checked_sub(items.saturating_add(1)).ok_or(EvaluationError::Endless)?;
        Ok(())
    }

    /// Counts the steps of comparing each of so many items with each other.
    ///
    /// # Errors
    /// When no steps are left.
    pub fn step_pairs(&mut self, items: usize) -> Outcome<()> {
        self.step(items.saturating_mul(items) / 16)
    }

    /// Counts the items of a new value, and those of arrays in a tuple.
    fn weigh(&mut self, value: Value) -> Outcome {
        let mut weight = size(&value);
        if let Value::Tuple(items) = &value {
            let items = items.borrow();
            weight += items.iter().filter(|item| matches!(item, Value::Array(_))).map(size).sum::<usize>();
        }
        self.weight = self.weight.checked_sub(weight).ok_or(EvaluationError::TooLarge)?;
        Ok(value)
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<Value> {
        let variable = self.scopes.iter().rev().find_map(|scope| scope.get(name)).cloned();
        variable.or_else(|| match self.dialect {
            Dialect::Python => numpy::name(name).or_else(|| builtin::name(name)),
            Dialect::Jinja => builtin::jinja_name(name),
        })
    }

    /// Sets a variable of the innermost scope, several of them, or an attribute of a namespace.
    ///
    /// # Errors
    /// When the values do not fit the names.
    pub fn assign(&mut self, target: &Expr, value: Value) -> Outcome<()> {
        match target {
            Expr::Name(name) => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(name.clone(), value);
                }
                Ok(())
            }
            Expr::Attribute(base, name) => match self.evaluate(base)? {
                Value::Dict(space) => space.borrow_mut().set(Value::text(name), value),
                _ => Err(EvaluationError::invalid("only a `namespace` has attributes that can be set")),
            },
            Expr::Tuple(targets) => {
                let items = value.items().filter(|items| items.len() == targets.len());
                let items = items
                    .ok_or_else(|| EvaluationError::invalid(format!("expected {} values to unpack", targets.len())))?;
                targets.iter().zip(items).try_for_each(|(target, item)| self.assign(target, item))
            }
            _ => Err(EvaluationError::invalid("cannot assign to this")),
        }
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// When it has none, or exceeds a limit.
    pub fn evaluate(&mut self, expression: &Expr) -> Outcome {
        self.step(0)?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(EvaluationError::TooLarge);
        }
        let value = self.value_of(expression);
        self.depth -= 1;
        value
    }

    /// Enters a macro or a statement, which counts as so many levels of nesting.
    ///
    /// # Errors
    /// When they are nested too deeply.
    pub fn enter(&mut self, levels: u32) -> Outcome<()> {
        self.depth += levels;
        if self.depth > MAX_DEPTH { Err(EvaluationError::TooLarge) } else { Ok(()) }
    }

    /// Leaves a macro or a statement.
    pub fn leave(&mut self, levels: u32) {
        self.depth = self.depth.saturating_sub(levels);
    }

    fn all(&mut self, expressions: &[Expr]) -> Outcome<Vec<Value>> {
        let mut values = Vec::new();
        for expression in expressions {
            match expression {
                Expr::Star(inner) => {
                    let inner = items_of(&self.evaluate(inner)?)?;
                    self.step(inner.len())?;
                    values.extend(inner);
                }
                expression => values.push(self.evaluate(expression)?),
            }
        }
        Ok(values)
    }

    /// The values of the arguments of a call.
    ///
    /// # Errors
    /// As those of their expressions.
    pub fn arguments(&mut self, expressions: &[Expr]) -> Outcome<Arguments> {
        let mut arguments = Arguments::default();
        for expression in expressions {
            match expression {
                Expr::Named(name, value) => arguments.named.push((name.clone(), self.evaluate(value)?)),
                expression => arguments.positional.extend(self.all(std::slice::from_ref(expression))?),
            }
        }
        Ok(arguments)
    }

    fn value_of(&mut self, expression: &Expr) -> Outcome {
        match expression {
            Expr::Number(text) => Ok(match text.parse() {
                Ok(whole) => Value::Whole(whole),
                Err(_) => Value::Float(text.parse().map_err(|_| EvaluationError::invalid("not a number"))?),
            }),
            Expr::Text(text) => {
                self.step(text.len() / 16)?;
                self.weigh(Value::text(text))
            }
            Expr::Truth(truth) => Ok(Value::Truth(*truth)),
            Expr::Nothing => Ok(Value::Nothing),
            Expr::Name(name) => match (self.get(name), self.dialect) {
                (Some(value), _) => Ok(value),
                (None, Dialect::Jinja) => Ok(Value::Undefined(name.as_str().into())),
                (None, Dialect::Python) => Err(EvaluationError::invalid(format!("name `{name}` is not defined"))),
            },
            Expr::Attribute(base, name) => {
                let value = self.evaluate(base)?;
                let found = method::attribute(&value, name);
                let found = if self.dialect == Dialect::Jinja && found.is_err() && !is_undefined(&value) {
                    method::item(&value, &Value::text(name))
                } else {
                    found
                };
                let found = self.or_undefined(found, expression)?;
                if matches!(found, Value::Array(_)) {
                    self.step(size(&found))?;
                    return self.weigh(found);
                }
                Ok(found)
            }
            Expr::Item(base, index) => {
                let (value, index) = (self.evaluate(base)?, self.evaluate(index)?);
                if matches!(index, Value::Slice(_) | Value::Tuple(_))
                    || matches!(value, Value::Array(_) | Value::Dict(_))
                {
                    self.step(size(&value))?;
                }
                let found = method::item(&value, &index);
                let found = match (&found, index.as_text()) {
                    (Err(_), Some(name)) if self.dialect == Dialect::Jinja && !is_undefined(&value) => {
                        method::attribute(&value, name)
                    }
                    _ => found,
                };
                let found = self.or_undefined(found, expression)?;
                self.weigh(found)
            }
            Expr::Slice(bounds) => {
                let mut values = [Value::Nothing, Value::Nothing, Value::Nothing];
                for (value, bound) in values.iter_mut().zip(bounds) {
                    if let Some(bound) = bound {
                        *value = self.evaluate(bound)?;
                    }
                }
                Ok(Value::Slice(Rc::new(values)))
            }
            Expr::Call(callee, arguments) => {
                let function = self.evaluate(callee)?;
                let arguments = self.arguments(arguments)?;
                self.call(&function, arguments)
            }
            Expr::Named(_, value) | Expr::Star(value) => self.evaluate(value),
            Expr::Filter(base, name, arguments) => {
                let value = self.evaluate(base)?;
                let arguments = self.arguments(arguments)?;
                self.filter(name, value, arguments)
            }
            Expr::Test(base, name, arguments) => {
                let value = self.evaluate(base)?;
                let arguments = self.arguments(arguments)?;
                self.step(if arguments.positional.is_empty() { size(&value) } else { work(&value) })?;
                self.step(arguments.positional.iter().map(work).sum())?;
                filter::test(name, &value, &arguments).map(Value::Truth)
            }
            Expr::List(items) => {
                let items = self.all(items)?;
                self.weigh(Value::list(items))
            }
            Expr::Tuple(items) | Expr::Set(items) => {
                let mut items = self.all(items)?;
                if matches!(expression, Expr::Set(_)) {
                    self.step_pairs(items.len())?;
                    items = filter::distinct(items);
                }
                self.weigh(Value::tuple(items))
            }
            Expr::Dict(pairs) => {
                let mut entries = Vec::new();
                for (key, value) in pairs {
                    entries.push((self.evaluate(key)?, self.evaluate(value)?));
                }
                self.step(entries.len() * entries.len())?;
                self.weigh(Value::dict(entries)?)
            }
            Expr::Comprehension(item, clauses) => {
                self.open_scope();
                let mut items = Vec::new();
                let done = self.comprehend(item, clauses, &mut items);
                self.close_scope();
                done?;
                self.weigh(Value::list(items))
            }
            Expr::Signed(mark, inner) => {
                let value = self.evaluate(inner)?;
                self.step(size(&value))?;
                sign(self.dialect, mark, &value)
            }
            Expr::Not(inner) => Ok(Value::Truth(!self.evaluate(inner)?.is_true()?)),
            Expr::Binary(operator, left, right) => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                match (&left, &right) {
                    _ if matches!(*operator, "~" | "%") => self.step(work(&left) + work(&right))?,
                    (Value::Dict(_), Value::Dict(_)) => self.step_pairs(size(&left) + size(&right))?,
                    _ => self.step(size(&left) + size(&right))?,
                }
                let value = operate(self.dialect, operator, &left, &right)?;
                self.weigh(value)
            }
            Expr::Compare(first, more) => {
                let value = self.compare(first, more)?;
                self.weigh(value)
            }
            Expr::And(left, right) => {
                let left = self.evaluate(left)?;
                if left.is_true()? { self.evaluate(right) } else { Ok(left) }
            }
            Expr::Or(left, right) => {
                let left = self.evaluate(left)?;
                if left.is_true()? { Ok(left) } else { self.evaluate(right) }
            }
            Expr::If(condition, value, otherwise) => {
                let chosen = if self.evaluate(condition)?.is_true()? { value } else { otherwise };
                match **chosen {
                    // Without `else`, the value in Jinja is a variable without a value, which is written as nothing.
                    Expr::Nothing if self.dialect == Dialect::Jinja && std::ptr::eq(chosen, otherwise) => {
                        Ok(Value::Undefined("".into()))
                    }
                    _ => self.evaluate(chosen),
                }
            }
        }
    }

    /// Chained comparisons such as `0 < x < 1` hold when each of them holds.
    fn compare(&mut self, first: &Expr, more: &[(&'static str, Expr)]) -> Outcome {
        let mut left = self.evaluate(first)?;
        let mut result = Value::Truth(true);
        for (index, (operator, right)) in more.iter().enumerate() {
            let right = self.evaluate(right)?;
            self.step(work(&left) + work(&right))?;
            if let (Value::Dict(_), Value::Dict(_)) = (&left, &right) {
                self.step_pairs(size(&left).min(size(&right)))?;
            }
            result = compare(operator, &left, &right)?;
            if index + 1 < more.len() && !result.is_true()? {
                break;
            }
            left = right;
        }
        Ok(result)
    }

    /// In Jinja, an attribute or an item that is not there has no value, which is an error only where a value is needed.
    fn or_undefined(&self, found: Outcome, expression: &Expr) -> Outcome {
        match found {
            Err(EvaluationError::Invalid(_)) if self.dialect == Dialect::Jinja => {
                Ok(Value::Undefined(path(expression).unwrap_or_default().into()))
            }
            found => found,
        }
    }

    fn comprehend(&mut self, item: &Expr, clauses: &[Clause], items: &mut Vec<Value>) -> Outcome<()> {
        let Some((clause, rest)) = clauses.split_first() else {
            items.push(self.evaluate(item)?);
            return Ok(());
        };
        let list = self.evaluate(&clause.list)?;
        for value in items_of(&list)? {
            self.step(1)?;
            self.assign(&clause.target, value)?;
            let mut holds = true;
            for condition in &clause.conditions {
                holds = holds && self.evaluate(condition)?.is_true()?;
            }
            if holds {
                self.comprehend(item, rest, items)?;
            }
        }
        Ok(())
    }

    /// Calls a function.
    ///
    /// # Errors
    /// As those of the function.
    pub fn call(&mut self, function: &Value, arguments: Arguments) -> Outcome {
        let items = arguments.positional.iter().chain(arguments.named.iter().map(|(_, value)| value));
        // Macros and the methods of lists and maps take values as they are; others read all of them.
        let reads_all = match function {
            Value::Function(Callable::Named(..)) => true,
            Value::Function(Callable::Method(value, name)) => {
                matches!(**value, Value::Text(_)) || matches!(&**name, "index" | "count" | "remove" | "sort")
            }
            _ => false,
        };
        let cost = if reads_all { work } else { size };
        self.step(items.map(cost).sum())?;
        let first = || arguments.positional.first().and_then(Value::length).unwrap_or(0) + arguments.named.len();
        match function {
            Value::Function(Callable::Named("", name)) if matches!(&**name, "set" | "dict" | "namespace") => {
                self.step_pairs(first())?;
            }
            Value::Function(Callable::Method(value, name))
                if matches!(**value, Value::Dict(_)) && **name == *"update" =>
            {
                self.step_pairs(size(value) + first())?;
            }
            _ => {}
        }
        let value = match function {
            Value::Function(Callable::Named("np", name)) => numpy::call(name, &arguments),
            Value::Function(Callable::Named(module, name)) => builtin::call(module, name, arguments),
            Value::Function(Callable::Method(value, name)) => {
                self.step(cost(value))?;
                method::call(value, name, &arguments)
            }
            Value::Function(Callable::Macro(called)) => template::call(self, called, &arguments),
            Value::Undefined(path) => Err(EvaluationError::Undefined(path.to_string())),
            other => Err(EvaluationError::invalid(format!("a `{}` cannot be called", other.type_name()))),
        }?;
        self.weigh(value)
    }

    /// Applies a filter.
    ///
    /// # Errors
    /// As those of the filter.
    pub fn filter(&mut self, name: &str, value: Value, arguments: Arguments) -> Outcome {
        self.step(if filter::reads_all(name) { work(&value) } else { size(&value) })?;
        let value = filter::apply(self, name, value, arguments)?;
        self.weigh(value)
    }
}

fn is_undefined(value: &Value) -> bool {
    matches!(value, Value::Undefined(_))
}

/// The items of a value that has some.
///
/// # Errors
/// When it has none, or too many.
pub fn items_of(value: &Value) -> Outcome<Vec<Value>> {
    if matches!(value, Value::Text(text) if text.len() > MAX_LIST) && value.length() > Some(MAX_LIST) {
        return Err(EvaluationError::TooLarge);
    }
    value.items().ok_or_else(|| EvaluationError::invalid(format!("a `{}` has no items", value.type_name())))
}

/// The approximate memory of a value, without the values in it.
pub fn size(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len() / 16,
        Value::List(items) | Value::Tuple(items) => items.borrow().len(),
        Value::Dict(dict) => dict.borrow().entries.len(),
        Value::Array(array) => array.data.len(),
        _ => 0,
    }
}

/// The steps of reading a value and all values in it.
pub fn work(value: &Value) -> usize {
    value.count_within(MAX_WORK)
}

/// The path of an expression that is nothing else, such as `m.b[0]`.
pub fn path(expression: &Expr) -> Option<String> {
    Some(match expression {
        Expr::Name(name) => name.clone(),
        Expr::Attribute(base, name) => format!("{}.{name}", path(base)?),
        Expr::Item(base, index) => match &**index {
            Expr::Text(name) => format!("{}['{name}']", path(base)?),
            Expr::Number(number) => format!("{}[{number}]", path(base)?),
            Expr::Name(name) => format!("{}[{name}]", path(base)?),
            _ => return None,
        },
        _ => return None,
    })
}

/// Calls a function with each name in an expression.
pub fn visit_names(expression: &Expr, visit: &mut dyn FnMut(&str)) {
    let all = |parts: &[Expr], visit: &mut dyn FnMut(&str)| parts.iter().for_each(|part| visit_names(part, visit));
    match expression {
        Expr::Number(_) | Expr::Text(_) | Expr::Truth(_) | Expr::Nothing => {}
        Expr::Name(name) => visit(name),
        Expr::Attribute(inner, _)
        | Expr::Named(_, inner)
        | Expr::Star(inner)
        | Expr::Signed(_, inner)
        | Expr::Not(inner) => visit_names(inner, visit),
        Expr::Slice(bounds) => bounds.iter().flatten().for_each(|bound| visit_names(bound, visit)),
        Expr::Item(one, other) | Expr::Binary(_, one, other) | Expr::And(one, other) | Expr::Or(one, other) => {
            visit_names(one, visit);
            visit_names(other, visit);
        }
        Expr::Call(inner, parts) | Expr::Filter(inner, _, parts) | Expr::Test(inner, _, parts) => {
            visit_names(inner, visit);
            all(parts, visit);
        }
        Expr::List(parts) | Expr::Tuple(parts) | Expr::Set(parts) => all(parts, visit),
        Expr::Dict(pairs) => pairs.iter().for_each(|(key, value)| {
            visit_names(key, visit);
            visit_names(value, visit);
        }),
        Expr::Comprehension(item, clauses) => {
            visit_names(item, visit);
            for clause in clauses {
                visit_names(&clause.target, visit);
                visit_names(&clause.list, visit);
                all(&clause.conditions, visit);
            }
        }
        Expr::Compare(first, more) => {
            visit_names(first, visit);
            more.iter().for_each(|(_, part)| visit_names(part, visit));
        }
        Expr::If(condition, value, otherwise) => {
            [condition, value, otherwise].iter().for_each(|part| visit_names(part, visit));
        }
    }
}
