//! The keys of maps, and how an import treats them.

use crate::scalar::Scalar;
use crate::yaml::{Node, Value};

/// A key of RobotSwarmSimulator.
pub struct Key {
    pub name: &'static str,
    support: Support,
}

/// How an import treats a key.
enum Support {
    /// The key is carried over.
    Carried,
    /// The key is ignored, with a warning unless it has one of the values, which `|` separates.
    Unless(&'static str, &'static str),
    /// The key is ignored, with a warning.
    Ignored(&'static str),
}

impl Key {
    /// The name of the key.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the key is ignored with any value.
    pub(super) fn is_ignored(&self) -> bool {
        matches!(self.support, Support::Ignored(_))
    }

    /// A key that is carried over.
    pub const fn carried(name: &'static str) -> Self {
        Self { name, support: Support::Carried }
    }

    /// A key without a counterpart, which is a warning unless it has its default. Without a default, any value that is off is
    /// allowed.
    pub const fn missing(name: &'static str, default: &'static str) -> Self {
        Self { name, support: Support::Unless(default, "cannot be imported yet, ignored") }
    }

    /// A key whose value is for readers of the file, or for programs in Python.
    pub const fn note(name: &'static str) -> Self {
        Self { name, support: Support::Unless("", "is for programs that read the file, ignored") }
    }

    /// A key of common files that RobotSwarmSimulator ignores as well.
    pub const fn dead(name: &'static str) -> Self {
        Self { name, support: Support::Ignored("has no effect in RobotSwarmSimulator either") }
    }

    /// A key that is ignored, with a warning.
    pub const fn ignored(name: &'static str, warning: &'static str) -> Self {
        Self { name, support: Support::Ignored(warning) }
    }

    /// A key that changes only the appearance.
    pub const fn looks(name: &'static str) -> Self {
        Self { name, support: Support::Ignored("only changes how it is drawn, ignored") }
    }

    /// A key that seeds a random stream of its own.
    pub const fn seed() -> Self {
        Self {
            name: "seed",
            support: Support::Ignored(
                "ignored: seeds are drawn from that of the world, so that random numbers differ from those there",
            ),
        }
    }

    /// The warning about the key with this value, if any.
    pub(super) fn warning(&self, value: &Node) -> Option<&'static str> {
        match self.support {
            Support::Carried => None,
            Support::Unless(default, warning) => (!is_default(value, default)).then_some(warning),
            Support::Ignored(warning) => Some(warning),
        }
    }
}

/// Whether a value is one of the defaults, or off when off is the default.
fn is_default(value: &Node, defaults: &str) -> bool {
    let is_off = match (&value.value, value.scalar()) {
        (Value::List(items), _) => items.is_empty(),
        (Value::Map(entries), _) => entries.is_empty(),
        (_, Scalar::Null) => return true,
        (_, Scalar::Bool(on)) => !on,
        (_, Scalar::Int(number)) => number == 0,
        (_, Scalar::Float(number)) => number == 0.0,
        (Value::Scalar { text, .. }, _) => text.is_empty(),
        (Value::Computed(_), _) => false,
    };
    if defaults.is_empty() { is_off } else { value.text().is_some_and(|text| defaults.split('|').any(|d| d == text)) }
}
