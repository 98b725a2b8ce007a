//! What messages say of a text and of what was expected in it.

use std::any::TypeId;

use bevy::reflect::TypeInfo;

use super::{integer_range, type_ident};
use crate::limits::Limits;
use crate::problem::did_you_mean;
use crate::scene::outline::{Body, Node};

/// The most characters of a file that a message repeats.
pub(super) const MAX_SHOWN: usize = 40;
/// The most characters of a name for which a similar one is searched.
const MAX_SUGGESTED: usize = 64;
/// The most names that a message lists.
const MAX_LISTED: usize = 20;

/// A piece of a file for a message: short, and without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == MAX_SHOWN {
            shown.push('…');
            break;
        }
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

/// Adds the nearest known name, or all known names when none is near.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    let near = nearest(name, known);
    let more = known.len().saturating_sub(MAX_LISTED);
    match known {
        _ if !near.is_empty() => near,
        [] => "; there is none".into(),
        known if more == 0 => format!("; there is {}", join(known, "and")),
        known => format!("; there is {} and {more} more", known[..MAX_LISTED].join(", ")),
    }
}

/// Adds the nearest known name. Names of absurd length are not compared.
pub(super) fn nearest(name: &str, known: &[&str]) -> String {
    match name.chars().nth(MAX_SUGGESTED) {
        None => did_you_mean(name, known.iter().copied()),
        Some(_) => String::new(),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn join(names: &[&str], last: &str) -> String {
    match names {
        [front @ .., end] if !front.is_empty() => format!("{} {last} {end}", front.join(", ")),
        names => names.concat(),
    }
}

/// What a message says that a leaf should be.
pub(super) fn expected_leaf(info: &TypeInfo, limits: Option<Limits>) -> String {
    let type_id = info.type_id();
    match (integer_range(type_id), limits) {
        (Some(_), Some(limits)) => limits.to_string().replacen("a number", "an integer", 1),
        (Some((min, max)), None) => format!("an integer from {min} to {max}"),
        (None, Some(limits)) => limits.to_string(),
        (None, None) if type_id == TypeId::of::<f64>() || type_id == TypeId::of::<f32>() => "a number".into(),
        (None, None) if type_id == TypeId::of::<bool>() => "true or false".into(),
        (None, None) if type_id == TypeId::of::<String>() => "text in quotes".into(),
        (None, None) => type_ident(info.type_path_table()).into(),
    }
}

/// What a message says that stands there.
pub(super) fn found(node: &Node) -> String {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '"' | '\'');
    match &node.body {
        Body::Leaf(text) if text.starts_with(plain) || text.starts_with("r\"") || text.starts_with("r#") => shown(text),
        Body::Leaf(text) => format!("`{}`", shown(text)),
        Body::Struct { name: Some(name), .. } | Body::Tuple { name: Some(name), .. } => format!("`{}(…)`", shown(name)),
        Body::Struct { name: None, .. } => "fields in brackets".into(),
        Body::Tuple { name: None, items } if items.is_empty() => "empty brackets".into(),
        Body::Tuple { name: None, items } => format!("{} in round brackets", count(items.len(), "value")),
        Body::List(_) => "a list".into(),
    }
}

/// `1 value`, `2 values`.
pub(super) fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
