//! Drafts: typed text that is not yet applied; and the context with which rows are drawn.

use std::collections::{HashMap, HashSet};

use swarmarium_base::problem::Problem;
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_scene::scene::origins::Step;
use swarmarium_scene::scene::path;
use swarmarium_simulation::edit::Edit;

use crate::parameters::many::Spread;
use crate::parameters::open_list::OpenList;
use crate::parameters::rows::Node;
use crate::parameters::span::{SliderHints, SliderRange};
use crate::parameters::{Many, controls, number};

/// Typed text that is not yet applied, by the path of the field, and the ranges of sliders.
///
/// The owner of the rows keeps it from frame to frame.
#[derive(Default)]
pub struct Drafts {
    drafts: HashMap<String, Draft>,
    /// The last refused field, until the mouse is used. Its error is shown without a hover.
    told: Option<String>,
    /// The ranges of the drawn sliders and the hints from which each was made. They persist while the scene is open.
    spans: HashMap<String, (SliderHints, Option<SliderRange>)>,
    /// The last values of optional parameters before they were switched off, as in a scene file.
    switched_off: HashMap<String, String>,
    /// The list of choices that is open.
    pub(super) open_list: Option<OpenList>,
    /// The controls with ends of their own: the trails of their parameters, and the ends.
    ends: Vec<(Vec<Step>, [Option<f64>; 2])>,
    /// The opening of a scene to which the drafts belong.
    opening: u64,
}

/// Typed text of one field.
#[derive(Clone, Debug, Default)]
struct Draft {
    text: String,
    /// The error, once the value was requested.
    refusal: Option<String>,
}

impl Drafts {
    /// Clears the drafts when another scene was opened.
    pub(super) fn follow(&mut self, lab: &Lab) {
        if self.opening != lab.run.openings {
            *self = Self { opening: lab.run.openings, ..Self::default() };
        }
        let simulation = lab.run.host.simulation();
        let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
        let with_ends = scene.controls.iter().filter(|control| control.min.is_some() || control.max.is_some());
        self.ends.clear();
        self.ends.extend(with_ends.filter_map(|control| {
            let leaf = control.leaf(kinds, scene).ok()?;
            Some((path::trail(kinds, scene, &leaf.path).ok()?, [control.min, control.max]))
        }));
    }

    /// Returns the facts from which the range of a slider is derived. They are the same for a control and for the row of its
    /// parameter, so that equal values have their knobs in equal places.
    pub(super) fn hints(&self, lab: &Lab, node: &Node, is_whole: bool) -> SliderHints {
        let simulation = lab.run.host.simulation();
        let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
        let mut hints = number::known(node, is_whole);
        if hints.default.is_none() {
            hints.default = controls::default_of_number(kinds, scene, &node.leaf.path);
        }
        if hints.ends == [None; 2] && !self.ends.is_empty() {
            let own = path::trail(kinds, scene, &node.leaf.path).ok();
            let control = self.ends.iter().find(|(trail, _)| own.as_ref() == Some(trail));
            hints.ends = control.map_or([None; 2], |(_, ends)| *ends);
        }
        hints
    }

    /// Returns the typed text of a field.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.drafts.get(path).map(|draft| draft.text.as_str())
    }

    /// Returns the error of the typed text.
    pub(super) fn refusal(&self, path: &str) -> Option<&str> {
        self.drafts.get(path)?.refusal.as_deref()
    }

    /// Whether the typed text of a value is refused, or with its parts, that of one of its numbers.
    pub(super) fn is_refused(&self, path: &str, with_parts: bool) -> bool {
        let is_part = |typed: &str| typed.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        let is_own = |typed: &str| typed == path || (with_parts && is_part(typed));
        self.drafts.iter().any(|(typed, draft)| draft.refusal.is_some() && is_own(typed))
    }

    /// Whether the error of a field is shown without a hover.
    pub(super) fn is_told(&self, path: &str) -> bool {
        self.told.as_deref() == Some(path)
    }

    /// Stops showing the error of a field without a hover.
    pub(super) fn quiet(&mut self, path: &str) {
        self.told.take_if(|told| told == path);
    }

    /// Discards the typed text of a value and of its parts.
    pub(super) fn discard(&mut self, path: &str) {
        let is_within =
            |typed: &str| typed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.drafts.retain(|typed, _| !is_within(typed));
    }

    /// Keeps the value of an optional parameter that is switched off.
    pub(super) fn keep(&mut self, path: &str, value: String) {
        self.switched_off.insert(path.into(), value);
    }

    /// Returns the value that an optional parameter had before it was switched off.
    pub(super) fn kept(&self, path: &str) -> Option<&str> {
        self.switched_off.get(path).map(String::as_str)
    }

    /// Returns the range of a slider. It is kept unless the value lies outside or the hints are for another parameter.
    pub(super) fn span(&mut self, path: &str, known: SliderHints, value: f64) -> Option<SliderRange> {
        let (before, span) = self.spans.entry(path.into()).or_insert_with(|| (known, SliderRange::of(&known)));
        if !before.is_of_same(&known) {
            (*before, *span) = (known, SliderRange::of(&known));
        }
        *span = span.map(|span| span.with(value, &known));
        *span
    }
}

/// Explains why a value is invalid and how to correct it.
pub fn reason(problem: &Problem, value: &str) -> String {
    let pointed = value.trim().replacen(',', ".", 1);
    match pointed != value.trim() && pointed.parse::<f64>().is_ok() {
        true => format!("expected a decimal point: {pointed}"),
        false => problem.message.clone(),
    }
}

/// The context for drawing rows: the lab, the drafts, the filter and the requested actions.
pub struct RowContext<'d> {
    /// The lab.
    pub lab: &'d Lab,
    /// The texts that the user is typing.
    pub drafts: &'d mut Drafts,
    /// The requested actions.
    pub actions: Vec<Action>,
    /// The paths of the rows that match the search; `None` for all.
    pub find: Option<&'d HashSet<String>>,
    /// The robots whose parameters are shown and changed together.
    pub many: Option<&'d Many>,
}

impl RowContext<'_> {
    /// Whether a row matches the search or contains a match.
    pub fn shows(&self, path: &str) -> bool {
        self.find.is_none_or(|found| found.contains(path)) && self.many.is_none_or(|many| many.has(path))
    }

    /// Returns how the values of several robots differ; `None` if they do not.
    pub fn spread(&self, path: &str) -> Option<&Spread> {
        self.many.and_then(|many| many.spread(path))
    }

    /// Requests a value. An invalid value is refused in place. Returns whether the value was accepted.
    pub fn set(&mut self, path: &str, value: &str) -> bool {
        self.set_typed(path, value, Ok(value))
    }

    /// Requests the value for a typed text, or refuses the text in place. Returns whether the value was accepted.
    pub fn set_typed(&mut self, path: &str, typed: &str, value: Result<&str, String>) -> bool {
        let value = match value {
            Ok(value) => value,
            Err(refusal) => return self.refuse(path, typed, refusal),
        };
        match self.refusal(path, value) {
            None => {
                self.drafts.discard(path);
                self.actions.push(match self.many {
                    Some(many) => Action::Edits(many.paths(path).map(|path| edit(&path, value)).collect()),
                    None => Action::Edit(edit(path, value)),
                });
                true
            }
            Some(refusal) => self.refuse(path, typed, refusal),
        }
    }

    fn refuse(&mut self, path: &str, typed: &str, refusal: String) -> bool {
        self.drafts.drafts.insert(path.into(), Draft { text: typed.into(), refusal: Some(refusal) });
        self.drafts.told = Some(path.into());
        false
    }

    /// Stores typed text with the value that it stands for; its error is cleared as soon as the text is valid.
    pub fn typed(&mut self, path: &str, text: String, value: Result<String, String>) {
        let is_refused = self.drafts.refusal(path).is_some();
        let refusal = is_refused.then(|| value.map_or_else(Some, |value| self.refusal(path, &value))).flatten();
        self.drafts.drafts.insert(path.into(), Draft { text, refusal });
    }

    /// Returns the error of a value; `None` if it is valid.
    pub fn refusal(&self, path: &str, value: &str) -> Option<String> {
        let problem = self.lab.run.host.simulation().check(&edit(path, value)).err()?;
        Some(reason(&problem, value))
    }
}

/// Returns the edit that sets a parameter.
pub fn edit(path: &str, value: &str) -> Edit {
    Edit::Set { path: path.into(), value: value.into() }
}
