//! The tree of an expression in Python or Jinja.

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Python, for `!np`.
    Python,
    /// Jinja, which has filters and tests, for templates and conditions.
    Jinja,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number in decimal digits.
    Number(String),
    /// A text in quotes.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// `none`.
    Nothing,
    /// A name.
    Name(String),
    /// `a.b`.
    Attribute(Box<Self>, String),
    /// `a[b]`.
    Item(Box<Self>, Box<Self>),
    /// `a:b:c` within an index.
    Slice([Option<Box<Self>>; 3]),
    /// `a(b, c)`.
    Call(Box<Self>, Vec<Self>),
    /// `name=value` in a call.
    Named(String, Box<Self>),
    /// `*a` in a call or a list.
    Star(Box<Self>),
    /// `a|b(c)`.
    Filter(Box<Self>, String, Vec<Self>),
    /// `a is b(c)`.
    Test(Box<Self>, String, Vec<Self>),
    /// `[a, b]`.
    List(Vec<Self>),
    /// `(a, b)`.
    Tuple(Vec<Self>),
    /// `{a: b}`.
    Dict(Vec<(Self, Self)>),
    /// `{a, b}`.
    Set(Vec<Self>),
    /// `a for b in c if d`, in a list or a call, with further clauses.
    Comprehension(Box<Self>, Vec<Clause>),
    /// `-a`, `+a` and `~a`.
    Signed(&'static str, Box<Self>),
    /// `not a`.
    Not(Box<Self>),
    /// `a + b`, and the other operators of numbers.
    Binary(&'static str, Box<Self>, Box<Self>),
    /// `a < b <= c`.
    Compare(Box<Self>, Vec<(&'static str, Self)>),
    /// `a and b`.
    And(Box<Self>, Box<Self>),
    /// `a or b`.
    Or(Box<Self>, Box<Self>),
    /// `a if c else b`, as condition, value and alternative.
    If(Box<Self>, Box<Self>, Box<Self>),
}

/// `for target in list if condition`.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The names that take the items.
    pub target: Expr,
    /// The list.
    pub list: Expr,
    /// The conditions.
    pub conditions: Vec<Expr>,
}
