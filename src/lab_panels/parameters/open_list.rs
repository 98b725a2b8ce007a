//! The list of choices that is open in a row.

use std::collections::HashMap;

use crate::parameters::Marks;

/// One of several values with a name.
pub struct Choice {
    /// The name in the list.
    pub name: String,
    /// The tooltip; empty for none.
    pub about: String,
    /// The text in a scene file; a kind has its defaults.
    pub text: String,
}

/// The list of choices that is open, with the reasons why they do not fit. Both are derived when it opens and when the
/// scene changes, because each reason needs a check of the whole scene.
pub struct OpenList {
    /// The path of the value.
    pub path: String,
    /// The state of the scene from which it was derived.
    pub marks: Marks,
    /// The choices.
    pub options: Vec<Choice>,
    /// The reasons, by the places of the choices, as far as choices were drawn; `None` for those that fit.
    pub refusals: HashMap<usize, Option<String>>,
}

impl OpenList {
    /// Whether the list belongs to a value in a state of the scene.
    pub fn is_for(&self, path: &str, marks: &Marks) -> bool {
        self.path == path && self.marks == *marks
    }
}
