//! Messages about names of kinds and fields that do not exist.

use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::{join, nearest, shown, suggestion, with_article, words};

/// The message about a kind that a family does not have: the nearest name, the kinds that everyday words describe so, the
/// family that has this kind, or all kinds.
pub(super) fn unknown_kind(kinds: &Kinds, family: &str, name: &str) -> String {
    let known: Vec<&str> = kinds.family(family).map(|kind| kind.name).collect();
    let plain = name.to_lowercase();
    let is_described =
        |known: &&str| kinds.get(family, known).is_some_and(|kind| kind.words().any(|word| word == plain));
    let near = match nearest(name, &known) {
        near if !near.is_empty() => near,
        _ if known.iter().any(is_described) => {
            let described: Vec<String> =
                known.iter().copied().filter(is_described).map(|name| format!("`{name}`")).collect();
            let described: Vec<&str> = described.iter().map(String::as_str).collect();
            format!("; did you mean {}?", join(&described, "or"))
        }
        _ => match kinds.family_names().iter().find(|other| kinds.get(other, name).is_some()) {
            Some(other) => format!(", which is {}{}", with_article(other), suggestion(name, &known)),
            None => suggestion(name, &known),
        },
    };
    format!("unknown {family} `{}`{near}", shown(name))
}

/// The nearest known field, the only one with the same unit, or all fields, as an addition to a message.
pub(super) fn unknown_field(name: &str, known: &[&str]) -> String {
    let unit = words(name).1;
    let mut of_unit = known.iter().filter(|known| !unit.is_empty() && words(known).1 == unit);
    match (nearest(name, known), of_unit.next(), of_unit.next()) {
        (near, Some(only), None) if near.is_empty() => format!("; did you mean `{only}`?"),
        _ => suggestion(name, known),
    }
}
