//! Changes in words.

use std::collections::BTreeSet;

use crate::edit::Edit;

/// How many kinds of edits a text names; of more it says that there are more.
const NAMED: usize = 3;

/// The agent that an edit is about, by its number.
pub(super) fn agent_of(edit: &Edit) -> Option<u32> {
    match edit {
        Edit::Move { agent, .. } | Edit::Fault { agent, .. } => Some(*agent),
        Edit::Remove { path } => path.strip_prefix("agents.").and_then(|number| number.parse().ok()),
        _ => None,
    }
}

/// What the edits of one change do, in words; `name` tells what agents are called.
pub fn of(edits: &[&Edit], name: &dyn Fn(u32) -> String) -> String {
    let mut kinds: Vec<Vec<&Edit>> = Vec::new();
    for edit in edits {
        match kinds.iter_mut().find(|kind| kind.first().is_some_and(|first| are_alike(first, edit))) {
            Some(kind) => kind.push(edit),
            None => kinds.push(vec![edit]),
        }
    }
    let more = kinds.len().saturating_sub(NAMED);
    let mut texts: Vec<String> = kinds.iter().take(NAMED).map(|kind| of_kind(kind, name)).collect();
    if more > 0 {
        texts.push("and more".into());
    }
    texts.iter_mut().skip(1).for_each(|text| *text = lower(text));
    texts.join(", ")
}

/// A text within another one: without a capital at its start.
pub fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Whether two edits are told together.
fn are_alike(one: &Edit, other: &Edit) -> bool {
    match (one, other) {
        (Edit::Fault { failure, is_active, .. }, Edit::Fault { failure: other, is_active: is_other, .. }) => {
            (failure, is_active) == (other, is_other)
        }
        (Edit::Spawn { group, .. }, Edit::Spawn { group: other, .. }) => group == other,
        (Edit::Add { list, .. }, Edit::Add { list: other, .. }) => list == other,
        (Edit::Remove { .. }, Edit::Remove { .. }) => agent_of(one).is_some() == agent_of(other).is_some(),
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

fn of_kind(edits: &[&Edit], name: &dyn Fn(u32) -> String) -> String {
    let Some(last) = edits.last() else { return String::new() };
    match last {
        Edit::Set { path, value } => {
            match distinct(edits, |edit| if let Edit::Set { path, .. } = edit { path } else { "" }) {
                1 => format!("{path} = {value}"),
                count => format!("{count} parameters changed"),
            }
        }
        Edit::Move { .. } => format!("Moved {}", robots(edits, name)),
        Edit::MoveObject { object, .. } => {
            match distinct(edits, |edit| if let Edit::MoveObject { object, .. } = edit { *object } else { 0 }) {
                1 => format!("Moved object {object}"),
                count => format!("Moved {count} objects"),
            }
        }
        Edit::Spawn { group, .. } => format!("{group}: {} added", counted(edits.len(), "robot")),
        Edit::Add { list, .. } if list == "groups" => format!("{} added", counted(edits.len(), "group")),
        Edit::Add { value, .. } => match (edits.len(), value.split('(').next().map(str::trim)) {
            (1, Some(kind)) if !kind.is_empty() => format!("{kind} added"),
            (count, _) => format!("{} added", counted(count, "object")),
        },
        Edit::Remove { path } if agent_of(last).is_none() && edits.len() == 1 => {
            format!("Removed {}", path.replace("objects.", "object "))
        }
        Edit::Remove { .. } if agent_of(last).is_none() => format!("Removed {}", counted(edits.len(), "object")),
        Edit::Remove { .. } => format!("Removed {}", robots(edits, name)),
        Edit::Fault { failure, is_active, .. } => format!("{} {}", failure.verb(*is_active), robots(edits, name)),
        Edit::TimeScale { scale } => format!("Speed {}×", (scale * 1000.0).round() / 1000.0),
        Edit::Call { component, service, .. } => format!("Called {component}.{service}"),
        Edit::Feed { component, .. } => format!("Commanded {component}"),
        Edit::Suspend { is_suspended: true } => "Suspended motion".into(),
        Edit::Suspend { is_suspended: false } => "Resumed motion".into(),
    }
}

/// The robots that edits are about: the name of one, or how many there are.
fn robots(edits: &[&Edit], name: &dyn Fn(u32) -> String) -> String {
    match (distinct(edits, agent_of), edits.iter().find_map(|edit| agent_of(edit))) {
        (1, Some(number)) => name(number),
        (count, _) => counted(count, "robot"),
    }
}

fn distinct<'e, T: Ord>(edits: &[&'e Edit], key: impl Fn(&'e Edit) -> T) -> usize {
    edits.iter().copied().map(key).collect::<BTreeSet<T>>().len()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::failure::Failure;

    fn text(edits: &[Edit]) -> String {
        of(&edits.iter().collect::<Vec<_>>(), &|number| format!("miller-{number}"))
    }

    #[test]
    fn changes_are_told_in_words() {
        let moved = |agent, x_m| Edit::Move { agent, x_m, y_m: 0.0, heading_rad: 0.0 };
        let set = |path: &str, value: &str| Edit::Set { path: path.into(), value: value.into() };
        let fault = |agent, failure, is_active| Edit::Fault { agent, failure, is_active };
        let remove = |path: &str| Edit::Remove { path: path.into() };
        assert_eq!(text(&[moved(3, 1.0), moved(3, 2.0)]), "Moved miller-3");
        assert_eq!(text(&[moved(3, 1.0), moved(4, 2.0)]), "Moved 2 robots");
        assert_eq!(text(&[set("a.b", "0.1"), set("a.b", "0.3")]), "a.b = 0.3");
        assert_eq!(text(&[set("a.b", "0.1"), set("a.c", "0.3")]), "2 parameters changed");
        assert_eq!(text(&[fault(2, Failure::Total, true)]), "Killed miller-2");
        assert_eq!(text(&[fault(2, Failure::Total, true), remove("agents.2")]), "Killed miller-2, removed miller-2");
        assert_eq!(text(&[remove("objects.4")]), "Removed object 4");
        assert_eq!(text(&[Edit::TimeScale { scale: 4.0 }]), "Speed 4×");
        let disc = Edit::Add { list: "objects".into(), value: "Disc(radius_m: 1)".into() };
        assert_eq!(text(&[disc]), "Disc added");
        assert_eq!(lower("Moved"), "moved");
    }
}
