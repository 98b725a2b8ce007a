//! Plain values: what a file outside the program declares with a name, such as the parameters of a script.

/// A number, a truth value, a text or a list of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum PlainValue {
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A text.
    Text(String),
    /// A list of numbers, of any length.
    Numbers(Vec<f64>),
}

impl PlainValue {
    /// The name of the type in scripts.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "number",
            Self::Flag(_) => "boolean",
            Self::Text(_) => "string",
            Self::Numbers(_) => "list of numbers",
        }
    }

    /// The type of the value, as messages state it.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Text(_) => "a text",
            Self::Numbers(_) => "a list of numbers",
        }
    }

    /// Whether both values have the same type.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}
