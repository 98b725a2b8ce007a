//! The tree of a template.

use std::ops::Range;
use std::rc::Rc;

use crate::language::python::Expr;

/// A part of a template: a text, or a tag with the bytes that it has there.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A text, and the number of its first line.
    Text(String, usize),
    /// A tag.
    Tag(Range<usize>, usize, Tag),
}

/// A tag.
#[derive(Clone, Debug)]
pub(super) enum Tag {
    /// `<{ value }>`.
    Output(Expr),
    /// `do value`.
    Do(Expr),
    /// `set target = value`.
    Set(Expr, Expr),
    /// `set target` up to `endset`, with the filters of its text.
    SetBlock(Expr, Filters, Vec<Node>),
    /// `if` with its `elif`, and the nodes of `else`.
    If(Vec<(Expr, Vec<Node>)>, Vec<Node>),
    /// `for`.
    For(Box<Loop>),
    /// `with target = value`.
    With(Vec<(Expr, Expr)>, Vec<Node>),
    /// `filter`.
    Filter(Filters, Vec<Node>),
    /// `macro`.
    Macro(Rc<Macro>),
    /// `call`, with the macro that `caller` stands for.
    Call(Expr, Rc<Macro>),
    /// `block`, or another group without a meaning of its own.
    Group(Vec<Node>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

/// Filters by name, each with its arguments.
pub(super) type Filters = Vec<(String, Vec<Expr>)>;

/// `for target in list if condition`.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// The names that take the items.
    pub target: Expr,
    /// The list.
    pub list: Expr,
    /// The condition of the items that count.
    pub condition: Option<Expr>,
    /// The nodes for each item.
    pub body: Vec<Node>,
    /// The nodes without items.
    pub otherwise: Vec<Node>,
}

/// A macro.
#[derive(Debug)]
pub struct Macro {
    /// Its name.
    pub(super) name: String,
    /// The names of its arguments, and their defaults.
    pub(super) parameters: Vec<(String, Option<Expr>)>,
    /// Its body.
    pub(super) body: Vec<Node>,
}
