//! What was typed and is not yet a value, and what asks for values.

use std::collections::HashMap;

use super::super::{Action, Lab};
use super::span::Span;
use crate::edit::Edit;

/// What was typed into fields and is not yet a value, by the path of the field.
///
/// Whoever draws rows keeps one from frame to frame.
#[derive(Default)]
pub struct Drafts {
    drafts: HashMap<String, Draft>,
    /// The slider that is dragged, and its range: it must not change under the pointer.
    held: Option<(String, Span)>,
}

/// What was typed into one field.
#[derive(Clone, Debug, Default)]
struct Draft {
    text: String,
    /// Why it cannot be the value, once that was asked for.
    refusal: Option<String>,
}

impl Drafts {
    /// What was typed into a field.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.drafts.get(path).map(|draft| draft.text.as_str())
    }

    /// Why what was typed cannot be the value.
    pub(super) fn refusal(&self, path: &str) -> Option<&str> {
        self.drafts.get(path)?.refusal.as_deref()
    }

    /// Forgets what was typed.
    pub(super) fn discard(&mut self, path: &str) {
        self.drafts.remove(path);
    }

    /// The range of a slider: as it was when it was taken hold of, or a new one.
    pub(super) fn span(&self, path: &str, new: Option<Span>) -> Option<Span> {
        self.held.as_ref().filter(|(held, _)| held == path).map(|(_, span)| *span).or(new)
    }

    /// Keeps the range of a slider while it is dragged.
    pub(super) fn hold(&mut self, path: &str, span: Span, is_dragged: bool) {
        let is_held = self.held.as_ref().is_some_and(|(held, _)| held == path);
        match (is_dragged, is_held) {
            (true, false) => self.held = Some((path.into(), span)),
            (false, true) => self.held = None,
            _ => {}
        }
    }
}

/// What rows are drawn with: what they show, and where they put what was asked for.
pub(super) struct Desk<'d> {
    pub lab: &'d Lab,
    pub drafts: &'d mut Drafts,
    pub actions: Vec<Action>,
}

impl Desk<'_> {
    /// Asks for a value; one that makes no sense is refused in place.
    pub fn set(&mut self, path: &str, value: &str) {
        let edit = Edit::Set { path: path.into(), value: value.into() };
        match self.lab.host.simulation().check(&edit) {
            Ok(()) => {
                self.drafts.discard(path);
                self.actions.push(Action::Edit(edit));
            }
            Err(problem) => {
                let draft = Draft { text: value.into(), refusal: Some(problem.message) };
                self.drafts.drafts.insert(path.into(), draft);
            }
        }
    }

    /// Takes note of what is being typed; a refusal goes as soon as it is mended.
    pub fn typed(&mut self, path: &str, text: String) {
        let simulation = self.lab.host.simulation();
        let was_refused = self.drafts.refusal(path).is_some();
        let edit = was_refused.then(|| Edit::Set { path: path.into(), value: text.clone() });
        let refusal = edit.and_then(|edit| simulation.check(&edit).err()).map(|problem| problem.message);
        self.drafts.drafts.insert(path.into(), Draft { text, refusal });
    }
}
