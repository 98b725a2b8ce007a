//! Changes the names of a controller.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::survey::{Kind, Span, Survey, Use, Way};
use crate::error::ScriptError;

/// A variable of the file.
struct Variable<'s> {
    uses: Vec<&'s Use>,
}

impl Variable<'_> {
    fn is_function(&self) -> bool {
        self.uses.iter().any(|one| matches!(one.way, Way::Function { .. }))
    }

    /// Whether functions change it, so that it belongs to the state.
    fn is_state(&self) -> bool {
        let changes = |one: &&Use| matches!(one.way, Way::Assigned(_) | Way::Element { .. }) && one.in_function;
        self.uses.iter().any(changes)
    }

    /// The kinds of the values that it gets: at the top level, and in functions.
    fn kinds(&self, in_function: bool) -> impl Iterator<Item = Kind> {
        self.uses.iter().filter(move |one| one.in_function == in_function).filter_map(|one| match one.way {
            Way::Assigned(kind) | Way::Declared(kind) => Some(kind),
            _ => None,
        })
    }

    /// Whether the top level gives it a value.
    fn has_value(&self) -> bool {
        self.kinds(false).any(|kind| kind != Kind::Nil)
    }

    /// The first kind that the text shows.
    fn kind(&self) -> Kind {
        let is_shown = |kind: &Kind| !matches!(kind, Kind::Unknown | Kind::Nil);
        let shown = self.kinds(false).find(is_shown).or_else(|| self.kinds(true).find(is_shown));
        shown.unwrap_or(Kind::Number)
    }
}

/// The translated text, after a preamble in its first line. Everything that scripts cannot do joins `missing`.
pub fn translate(text: &str, survey: &Survey, preamble: &str, missing: &mut Vec<ScriptError>) -> String {
    let mut variables: BTreeMap<&str, Variable> = BTreeMap::new();
    for one in &survey.uses {
        variables.entry(&one.name).or_insert_with(|| Variable { uses: Vec::new() }).uses.push(one);
    }
    if !variables.get("step").is_some_and(Variable::is_function) {
        missing.push(ScriptError::of_script("there is no function `step`"));
    }
    let mut edits: Vec<(Span, String)> = survey.renamed.clone();
    let (mut forward, mut state) = (Vec::new(), String::new());
    for (name, variable) in &variables {
        if variable.is_function() {
            if variable.is_state() || variable.kinds(false).next().is_some() {
                let line = variable.uses.first().map(|one| one.line);
                let message = format!("`{name}` is a function and another value");
                missing.push(ScriptError { line, ..ScriptError::of_script(&message) });
            }
            let new = renamed(name);
            forward.push(new.clone());
            variable.uses.iter().for_each(|one| edit_function(one, &new, &mut edits));
        } else if variable.is_state() {
            check_state(name, variable, missing);
            edit_state(name, variable, (&mut edits, &mut forward, &mut state));
        } else {
            let new = renamed(name);
            if !variable.uses.iter().any(|one| matches!(one.way, Way::Declared(_))) {
                forward.push(new.clone());
            }
            if new != *name {
                edits.extend(variable.uses.iter().map(|one| (one.span, new.clone())));
            }
        }
    }
    let has_init = variables.get("init").is_some_and(Variable::is_function);
    let forward = if forward.is_empty() { String::new() } else { format!("local {} ", forward.join(", ")) };
    let body = apply(text, edits);
    let init = if has_init { "init(self, robot) " } else { "" };
    format!(
        "{preamble}{forward}{body}\n\
         commands = \"wheels\"\n\
         state = {{ argos_left = 0, argos_right = 0, argos_begun = false, argos_data = table.create(ARGOS_DATA, 0), {state}}}\n\
         function step(self, senses)\n    \
         local robot = argos_robot(self, senses)\n    \
         if not self.argos_begun then self.argos_begun = true {init}end\n    \
         argos_step(self, robot)\n    \
         return argos_finish(self)\n\
         end\n"
    )
}

/// The name of a function or constant of the file: scripts declare some names themselves.
fn renamed(name: &str) -> String {
    let is_taken = ["step", "state", "commands", "parameters"].contains(&name);
    if is_taken { format!("argos_{name}") } else { name.to_owned() }
}

fn edit_function(one: &Use, new: &str, edits: &mut Vec<(Span, String)>) {
    let comma = |has_more: bool| if has_more { "self, robot, " } else { "self, robot" };
    match one.way {
        Way::Function { at, has_parameters, local } => {
            edits.push((one.span, new.to_owned()));
            edits.push(((at, at), comma(has_parameters).to_owned()));
            edits.extend(local.map(|local| (local, String::new())));
        }
        Way::Called { at, has_arguments, bare_end } => {
            edits.push((one.span, new.to_owned()));
            let open = if bare_end.is_some() { "(" } else { "" };
            // At the top level, no robot is there yet: Luau reports the call.
            let comma = if one.in_function {
                comma(has_arguments).to_owned()
            } else {
                String::from("nil, nil") + if has_arguments { ", " } else { "" }
            };
            edits.push(((at, at), format!("{open}{comma}")));
            edits.extend(bare_end.map(|end| ((end, end), ")".to_owned())));
        }
        _ if one.in_function => {
            edits.push((one.span, format!("(function(...) return {new}(self, robot, ...) end)")));
        }
        _ => edits.push((one.span, new.to_owned())),
    }
}

/// Reports a variable whose values the state does not keep.
fn check_state(name: &str, variable: &Variable, missing: &mut Vec<ScriptError>) {
    let mut report = |one: &Use, message: String| missing.push(ScriptError::at(one.line, &message));
    let kind = variable.kind();
    for one in &variable.uses {
        match one.way {
            Way::Assigned(Kind::Record) | Way::Declared(Kind::Record) | Way::Element { is_named: true } => {
                report(
                    one,
                    format!(
                        "`{name}` keeps a table from step to step: a script keeps numbers, texts and lists of numbers"
                    ),
                );
            }
            Way::Assigned(Kind::Nil) | Way::Compared => {
                report(one, format!("`{name}` can be `nil` from step to step: a script keeps values only"));
            }
            Way::Assigned(Kind::Function) => {
                report(one, format!("`{name}` keeps a function from step to step: a script keeps values only"));
            }
            Way::Assigned(other) | Way::Declared(other)
                if other != kind && !matches!(other, Kind::Unknown | Kind::Nil) =>
            {
                report(one, format!("`{name}` changes the type of its value: a script keeps one type"));
            }
            Way::Tested if !variable.has_value() && kind != Kind::Flag => {
                report(
                    one,
                    format!("`{name}` is tested and may have no value yet: give it one at the top of the file"),
                );
            }
            _ => {}
        }
    }
}

fn edit_state(
    name: &str,
    variable: &Variable,
    (edits, forward, state): (&mut Vec<(Span, String)>, &mut Vec<String>, &mut String),
) {
    let start = format!("argos_start_{name}");
    let is_declared = variable.uses.iter().any(|one| matches!(one.way, Way::Declared(_)));
    let is_at_top = variable.uses.iter().any(|one| !one.in_function);
    if is_at_top && !is_declared {
        forward.push(start.clone());
    }
    for one in &variable.uses {
        let new = if one.in_function { format!("self.var_{name}") } else { start.clone() };
        edits.push((one.span, new));
    }
    let default = match variable.kind() {
        Kind::Text => "\"\"",
        Kind::Flag => "false",
        Kind::List => "{}",
        _ => "0",
    };
    let value = if variable.has_value() { &start } else { default };
    let _ = write!(state, "var_{name} = {value}, ");
}

/// The text with edits. Of edits at one place, insertions come first.
fn apply(text: &str, mut edits: Vec<(Span, String)>) -> String {
    edits.sort_by_key(|(span, _)| *span);
    let mut edited = String::with_capacity(text.len() + 16 * edits.len());
    let mut at = 0;
    for ((start, end), new) in &edits {
        edited += text.get(at..*start).unwrap_or_default();
        edited += new;
        at = (*end).max(at);
    }
    edited + text.get(at..).unwrap_or_default()
}
