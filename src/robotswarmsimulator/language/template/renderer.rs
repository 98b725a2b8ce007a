//! Running a template.

use std::rc::Rc;

use super::error::{TagFault, TemplateFault};
use super::node::{Filters, Loop, Macro, Node, Tag};
use crate::language::python::{Arguments, Callable, EvaluationError, Evaluator, Expr, Outcome, Value, items_of};

/// The longest output of a template, in bytes.
const MAX_OUTPUT: usize = 16 << 20;
/// The largest number of undefined variables that are reported.
const MAX_MISSING: usize = 20;
/// The levels of nesting that a call of a macro counts as.
const CALL_DEPTH: u32 = 20;
/// The levels of nesting that the nodes of a statement count as.
const NODES_DEPTH: u32 = 2;

/// How a part of a template ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// The state of a template that runs.
pub(super) struct Renderer<'e> {
    evaluator: &'e mut Evaluator,
    text: String,
    /// The line of the template for each line of the text that has begun.
    lines: Vec<usize>,
    missing: Vec<TagFault>,
}

impl<'e> Renderer<'e> {
    /// A renderer without output.
    pub fn new(evaluator: &'e mut Evaluator) -> Self {
        Self { evaluator, text: String::new(), lines: Vec::new(), missing: Vec::new() }
    }

    /// The output, the line of the template for each of its lines, and the variables without a value in it.
    pub fn finish(self) -> (String, Vec<usize>, Vec<TagFault>) {
        (self.text, self.lines, self.missing)
    }

    /// Runs a template.
    ///
    /// # Errors
    /// The first fault.
    pub fn run(&mut self, nodes: &[Node]) -> Result<(), TagFault> {
        self.nodes(nodes).map(drop)
    }

    /// Writes a text that begins in a line of the template.
    fn write(&mut self, text: &str, mut line: usize, is_template: bool) -> Result<(), TemplateFault> {
        self.evaluator.step(text.len() / 16)?;
        if self.text.len() + text.len() > MAX_OUTPUT {
            return Err(TemplateFault::OutputTooLong);
        }
        for part in text.split_inclusive('\n') {
            if self.text.is_empty() || self.text.ends_with('\n') {
                self.lines.push(line);
            }
            self.text += part;
            line += usize::from(is_template);
        }
        Ok(())
    }

    fn nodes(&mut self, nodes: &[Node]) -> Result<Flow, TagFault> {
        let entered = self.evaluator.enter(NODES_DEPTH).map_err(|error| TagFault::new(&(0..0), error));
        let flow = entered.and_then(|()| self.each_node(nodes));
        self.evaluator.leave(NODES_DEPTH);
        flow
    }

    fn each_node(&mut self, nodes: &[Node]) -> Result<Flow, TagFault> {
        for node in nodes {
            let flow = match node {
                Node::Text(text, line) => {
                    self.evaluator.step(0).map_err(|error| TagFault::new(&(0..0), error))?;
                    self.write(text, *line, true).map_err(|fault| TagFault::new(&(0..0), fault))?;
                    Flow::Next
                }
                Node::Tag(range, line, tag) => self.tag(tag, *line).map_err(|fault| match fault {
                    Fault::Inner(fault) => fault,
                    Fault::Own(fault) => TagFault::new(range, fault),
                })?,
            };
            if let (Node::Tag(range, ..), Some(missing)) = (node, self.missing.last_mut())
                && missing.tag.is_empty()
            {
                missing.tag = range.clone();
            }
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn tag(&mut self, tag: &Tag, line: usize) -> Result<Flow, Fault> {
        match tag {
            Tag::Output(expression) => {
                let value = self.evaluator.evaluate(expression)?;
                if let Value::Undefined(path) = &value {
                    self.note_missing(path);
                }
                self.write(&value.to_string(), line, false)?;
            }
            Tag::Do(expression) => drop(self.evaluator.evaluate(expression)?),
            Tag::Set(target, expression) => {
                let value = self.evaluator.evaluate(expression)?;
                self.evaluator.assign(target, value)?;
            }
            Tag::SetBlock(target, filters, body) => {
                let text = self.captured(body)?;
                let value = self.filtered(text, filters)?;
                self.evaluator.assign(target, value)?;
            }
            Tag::If(branches, otherwise) => {
                for (condition, body) in branches {
                    if self.evaluator.evaluate(condition)?.is_true()? {
                        return Ok(self.nodes(body)?);
                    }
                }
                return Ok(self.nodes(otherwise)?);
            }
            Tag::For(all) => self.for_loop(all)?,
            Tag::With(values, body) => {
                let mut assigned = Vec::new();
                for (target, value) in values {
                    assigned.push((target, self.evaluator.evaluate(value)?));
                }
                self.evaluator.open_scope();
                for (target, value) in assigned {
                    self.evaluator.assign(target, value)?;
                }
                let flow = self.nodes(body);
                self.evaluator.close_scope();
                return Ok(flow?);
            }
            Tag::Filter(filters, body) => {
                let text = self.captured(body)?;
                let value = self.filtered(text, filters)?;
                self.write(&value.to_string(), line, false)?;
            }
            Tag::Macro(made) => {
                let value = Value::Function(Callable::Macro(Rc::clone(made)));
                self.evaluator.assign(&Expr::Name(made.name.clone()), value)?;
            }
            Tag::Call(expression, caller) => {
                self.evaluator.open_scope();
                let caller = Value::Function(Callable::Macro(Rc::clone(caller)));
                let assigned = self.evaluator.assign(&Expr::Name(CALLER.into()), caller);
                let value = assigned.and_then(|()| self.evaluator.evaluate(expression));
                self.evaluator.close_scope();
                self.write(&value?.to_string(), line, false)?;
            }
            Tag::Group(body) => return Ok(self.nodes(body)?),
            Tag::Break => return Ok(Flow::Break),
            Tag::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    /// Notes a variable without a value that is written. The place of its tag is filled in later.
    fn note_missing(&mut self, path: &str) {
        let fault = TemplateFault::from(EvaluationError::Undefined(path.to_owned()));
        let is_known = self.missing.iter().any(|missing| missing.fault == fault);
        if !path.is_empty() && !is_known && self.missing.len() < MAX_MISSING {
            self.missing.push(TagFault::new(&(0..0), fault));
        }
    }

    fn for_loop(&mut self, all: &Loop) -> Result<(), Fault> {
        let list = self.evaluator.evaluate(&all.list)?;
        let mut items = items_of(&list)?;
        self.evaluator.step(items.len())?;
        if let Some(condition) = &all.condition {
            let mut chosen = Vec::new();
            for item in items {
                self.evaluator.open_scope();
                let assigned = self.evaluator.assign(&all.target, item.clone());
                let holds =
                    assigned.and_then(|()| self.evaluator.evaluate(condition)).and_then(|value| value.is_true());
                self.evaluator.close_scope();
                if holds? {
                    chosen.push(item);
                }
            }
            items = chosen;
        }
        if items.is_empty() {
            self.nodes(&all.otherwise)?;
            return Ok(());
        }
        for (index, item) in items.iter().enumerate() {
            self.evaluator.step(10)?;
            self.evaluator.open_scope();
            let result = self.one_round(all, &items, index, item);
            self.evaluator.close_scope();
            if result? == Flow::Break {
                break;
            }
        }
        Ok(())
    }

    fn one_round(&mut self, all: &Loop, items: &[Value], index: usize, item: &Value) -> Result<Flow, Fault> {
        let count = items.len();
        let number = |number: usize| Value::Whole(number as i128);
        let neighbour = |place: Option<usize>| {
            place
                .and_then(|place| items.get(place))
                .cloned()
                .unwrap_or_else(|| Value::Undefined("loop.nextitem".into()))
        };
        let cycle = Value::Function(Callable::Named("cycle", index.to_string().into()));
        let entries = [
            ("index", number(index + 1)),
            ("index0", number(index)),
            ("revindex", number(count - index)),
            ("revindex0", number(count - index - 1)),
            ("first", Value::Truth(index == 0)),
            ("last", Value::Truth(index + 1 == count)),
            ("length", number(count)),
            ("previtem", neighbour(index.checked_sub(1))),
            ("nextitem", neighbour(Some(index + 1))),
            ("cycle", cycle),
            ("depth", number(1)),
        ];
        let entries = entries.into_iter().map(|(name, value)| (Value::text(name), value)).collect();
        self.evaluator.assign(&Expr::Name("loop".into()), Value::dict(entries)?)?;
        self.evaluator.assign(&all.target, item.clone())?;
        Ok(self.nodes(&all.body)?)
    }

    /// The output of nodes as a text of its own. Variables that they set end with them.
    fn captured(&mut self, body: &[Node]) -> Result<Value, Fault> {
        self.evaluator.open_scope();
        let mut inner = Renderer::new(self.evaluator);
        let result = inner.run(body);
        let (text, _, missing) = inner.finish();
        self.evaluator.close_scope();
        for fault in missing {
            if self.missing.len() < MAX_MISSING && !self.missing.iter().any(|known| known.fault == fault.fault) {
                self.missing.push(fault);
            }
        }
        result?;
        Ok(Value::text(text))
    }

    fn filtered(&mut self, mut value: Value, filters: &Filters) -> Result<Value, Fault> {
        for (name, arguments) in filters {
            let arguments = self.evaluator.arguments(arguments)?;
            value = self.evaluator.filter(name, value, arguments)?;
        }
        Ok(value)
    }
}

/// A fault in a tag, or in a tag within it.
enum Fault {
    Own(TemplateFault),
    Inner(TagFault),
}

impl From<EvaluationError> for Fault {
    fn from(error: EvaluationError) -> Self {
        Self::Own(error.into())
    }
}

impl From<TemplateFault> for Fault {
    fn from(fault: TemplateFault) -> Self {
        Self::Own(fault)
    }
}

impl From<TagFault> for Fault {
    fn from(fault: TagFault) -> Self {
        Self::Inner(fault)
    }
}

/// The name of the macro that a `call` hands over.
const CALLER: &str = "caller";

/// Calls a macro.
///
/// # Errors
/// When an argument is missing, or the body has a fault.
pub fn call(evaluator: &mut Evaluator, called: &Macro, arguments: &Arguments) -> Outcome {
    let mut scope = super::Variables::new();
    scope.extend(evaluator.get(CALLER).map(|caller| (CALLER.to_owned(), caller)));
    for (place, (name, default)) in called.parameters.iter().enumerate() {
        let value = match (arguments.get(place, name), default) {
            (Some(value), _) => value.clone(),
            (None, Some(default)) => evaluator.evaluate(default)?,
            (None, None) => Value::Undefined(name.as_str().into()),
        };
        scope.insert(name.clone(), value);
    }
    // A macro sees the variables of the template, but not those where it is called.
    let scopes = evaluator.replace_scopes(vec![scope]);
    let mut renderer = Renderer::new(evaluator);
    let depth = renderer.evaluator.enter(CALL_DEPTH);
    let result = depth.map_err(Into::into).and_then(|()| renderer.run(&called.body).map_err(|fault| fault.fault));
    let (text, ..) = renderer.finish();
    evaluator.leave(CALL_DEPTH);
    evaluator.replace_scopes(scopes);
    match result {
        Ok(()) => Ok(Value::text(text)),
        Err(TemplateFault::Evaluation(error)) => Err(error),
        Err(other) => Err(EvaluationError::invalid(other.to_string())),
    }
}
