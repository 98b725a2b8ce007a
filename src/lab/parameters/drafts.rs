//! What was typed and is not yet a value, and what asks for values.

use std::collections::{HashMap, HashSet};

use swarmarium_base::problem::Problem;
use swarmarium_core::edit::Edit;

use super::super::{Action, Lab};
use super::many::{Many, Spread};
use super::span::{SliderHints, SliderRange};

/// What was typed into fields and is not yet a value, by the path of the field, and the ranges of sliders.
///
/// Whoever draws rows keeps one from frame to frame.
#[derive(Default)]
pub struct Drafts {
    drafts: HashMap<String, Draft>,
    /// The field that was refused last, until the mouse is used: its refusal is shown without being asked for.
    told: Option<String>,
    /// The ranges of the sliders that were drawn, and what each was made from: they stay while the scene is open.
    spans: HashMap<String, (SliderHints, Option<SliderRange>)>,
    /// Which opening of a scene all of this belongs to.
    opening: u64,
}

/// What was typed into one field.
#[derive(Clone, Debug, Default)]
struct Draft {
    text: String,
    /// Why it cannot be the value, once that was asked for.
    refusal: Option<String>,
}

impl Drafts {
    /// Forgets everything when another scene was opened.
    pub(super) fn follow(&mut self, lab: &Lab) {
        if self.opening != lab.openings {
            *self = Self { opening: lab.openings, ..Self::default() };
        }
    }

    /// What was typed into a field.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.drafts.get(path).map(|draft| draft.text.as_str())
    }

    /// Why what was typed cannot be the value.
    pub(super) fn refusal(&self, path: &str) -> Option<&str> {
        self.drafts.get(path)?.refusal.as_deref()
    }

    /// Whether the refusal of a field is shown without being asked for.
    pub(super) fn is_told(&self, path: &str) -> bool {
        self.told.as_deref() == Some(path)
    }

    /// The refusal of a field was seen.
    pub(super) fn quiet(&mut self, path: &str) {
        self.told.take_if(|told| told == path);
    }

    /// Forgets what was typed for a value and for its parts.
    pub(super) fn discard(&mut self, path: &str) {
        let is_within =
            |typed: &str| typed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.drafts.retain(|typed, _| !is_within(typed));
    }

    /// The range of a slider: the one that it had, unless the value lies outside or the slider is for something else now.
    pub(super) fn span(&mut self, path: &str, known: SliderHints, value: f64) -> Option<SliderRange> {
        let (before, span) = self.spans.entry(path.into()).or_insert_with(|| (known, SliderRange::of(&known)));
        if !before.is_of_same(&known) {
            (*before, *span) = (known, SliderRange::of(&known));
        }
        *span = span.map(|span| span.with(value, &known));
        *span
    }
}

/// Why a value cannot be, in words that help to mend it.
pub fn reason(problem: &Problem, value: &str) -> String {
    let pointed = value.trim().replacen(',', ".", 1);
    match pointed != value.trim() && pointed.parse::<f64>().is_ok() {
        true => format!("expected a decimal point: {pointed}"),
        false => problem.message.clone(),
    }
}

/// What rows are drawn with: what they show, and where they put what was asked for.
pub(super) struct RowContext<'d> {
    pub lab: &'d Lab,
    pub drafts: &'d mut Drafts,
    pub actions: Vec<Action>,
    /// The paths of the rows that are looked for; `None` for all.
    pub find: Option<&'d HashSet<String>>,
    /// Those that are shown and changed as one.
    pub many: Option<&'d Many>,
}

impl RowContext<'_> {
    /// Whether a row, or one around those that are looked for, is shown.
    pub fn shows(&self, path: &str) -> bool {
        self.find.is_none_or(|found| found.contains(path)) && self.many.is_none_or(|many| many.has(path))
    }

    /// How several values differ that are shown as one; `None` when they do not.
    pub fn spread(&self, path: &str) -> Option<&Spread> {
        self.many.and_then(|many| many.spread(path))
    }

    /// Asks for a value; one that makes no sense is refused in place. Whether it was taken.
    pub fn set(&mut self, path: &str, value: &str) -> bool {
        match self.refusal(path, value) {
            None => {
                self.drafts.discard(path);
                self.actions.push(match self.many {
                    Some(many) => Action::Edits(many.paths(path).map(|path| edit(&path, value)).collect()),
                    None => Action::Edit(edit(path, value)),
                });
                true
            }
            refusal => {
                self.drafts.drafts.insert(path.into(), Draft { text: value.into(), refusal });
                self.drafts.told = Some(path.into());
                false
            }
        }
    }

    /// Takes note of what is being typed; a refusal goes as soon as it is mended.
    pub fn typed(&mut self, path: &str, text: String) {
        let refusal = self.drafts.refusal(path).and_then(|_| self.refusal(path, &text));
        self.drafts.drafts.insert(path.into(), Draft { text, refusal });
    }

    /// Why a value would be refused; `None` when it would be taken.
    pub fn refusal(&self, path: &str, value: &str) -> Option<String> {
        let problem = self.lab.host.simulation().check(&edit(path, value)).err()?;
        Some(reason(&problem, value))
    }
}

fn edit(path: &str, value: &str) -> Edit {
    Edit::Set { path: path.into(), value: value.into() }
}
