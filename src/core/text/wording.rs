//! The wording of messages: excerpts of a file, suggestions of names, and descriptions of expected values.

use std::any::TypeId;

use bevy::reflect::TypeInfo;
use swarmarium_base::limits::Limits;
use swarmarium_base::problem::did_you_mean;

use crate::text::outline::{Body, Node};
use crate::text::renamed::{known_name, new_name};
use crate::text::shared::SharedText;
use crate::text::values::{integer_range, type_ident};

/// The largest number of characters of a file in a message.
pub const MAX_SHOWN: usize = 40;
/// The largest number of characters of a path in a message.
const MAX_SHOWN_PATH: usize = 120;
/// The largest length of a name for which a similar one is searched, in characters.
const MAX_SUGGESTED: usize = 64;
/// The largest number of names in a message.
const MAX_LISTED: usize = 20;
/// The hint for a number with a decimal comma.
pub const DECIMAL_POINT: &str = "; decimals are written with a point";

/// An excerpt of a file for a message: short, and without control characters.
pub fn shown(text: &str) -> String {
    excerpt(text, MAX_SHOWN)
}

/// A path to a parameter for a message: whole, unless it is longer than any sensible one.
pub fn shown_path(path: &str) -> String {
    excerpt(path, MAX_SHOWN_PATH)
}

fn excerpt(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == most {
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

/// The nearest known name, or all known names if none is near, as an addition to a message.
pub fn suggestion(name: &str, known: &[&str]) -> String {
    let near = nearest(name, known);
    let more = known.len().saturating_sub(MAX_LISTED);
    match known {
        _ if !near.is_empty() => near,
        [] => "; there is none".into(),
        // One name takes no more room than its number.
        known if more <= 1 => format!("; known: {}", join(known, "and")),
        known => format!("; known: {} and {more} more", known[..MAX_LISTED].join(", ")),
    }
}

/// The nearest known name, or the present name of a renamed item, as an addition to a message. Very long names are not
/// compared.
pub fn nearest(name: &str, known: &[&str]) -> String {
    if let Some(new) = new_name(name, known) {
        return format!(", which is now called `{new}`");
    }
    if let Some(known) = known_name(name, known) {
        return format!("; did you mean `{known}`?");
    }
    match name.chars().nth(MAX_SUGGESTED) {
        None => did_you_mean(name, known.iter().copied()),
        Some(_) => String::new(),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub fn join(names: &[&str], last: &str) -> String {
    match names {
        [front @ .., end] if !front.is_empty() => format!("{} {last} {end}", front.join(", ")),
        names => names.concat(),
    }
}

/// The description of the value that a message expects of a leaf.
pub fn expected_leaf(info: &TypeInfo, limits: Option<Limits>) -> String {
    let type_id = info.type_id();
    match (integer_range(type_id), limits) {
        (Some(_), Some(limits)) => limits.to_string().replacen("a number", "an integer", 1),
        (Some((min, max)), None) => format!("an integer from {min} to {max}"),
        (None, Some(limits)) => limits.to_string(),
        (None, None) if type_id == TypeId::of::<f64>() || type_id == TypeId::of::<f32>() => "a number".into(),
        (None, None) if type_id == TypeId::of::<bool>() => "true or false".into(),
        (None, None) if [TypeId::of::<String>(), TypeId::of::<SharedText>()].contains(&type_id) => {
            "text in quotes".into()
        }
        (None, None) => type_ident(info.type_path_table()).into(),
    }
}

/// The description of the value that was found, for a message.
pub fn found(node: &Node) -> String {
    match &node.body {
        Body::Leaf(text) => found_text(text),
        Body::Struct { name: Some(name), .. } | Body::Tuple { name: Some(name), .. } => format!("`{}(…)`", shown(name)),
        Body::Struct { name: None, .. } => "fields in brackets".into(),
        Body::Tuple { name: None, items } if items.is_empty() => "empty brackets".into(),
        Body::Tuple { name: None, items } => format!("{} in round brackets", count(items.len(), "value")),
        Body::List(_) => "a list".into(),
    }
}

/// A text that was found in place of a value: a number or a quoted text as it is, anything else in backticks.
pub fn found_text(text: &str) -> String {
    let starts_plainly = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '"' | '\'');
    let is_word = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '.' | '_'));
    let is_quoted = text.starts_with(['"', '\'']) || text.starts_with("r\"") || text.starts_with("r#");
    match is_quoted || (is_word && text.starts_with(starts_plainly)) {
        true => shown(text),
        false => format!("`{}`", shown(text)),
    }
}

/// Units that users write after a number, each with the unit of the field and the factor from one to the other.
const WRITTEN_UNITS: [(&str, &str, f64); 11] = [
    ("deg", "rad", DEGREE),
    ("°", "rad", DEGREE),
    ("deg/s", "rad/s", DEGREE),
    ("°/s", "rad/s", DEGREE),
    ("mm", "m", 1e-3),
    ("cm", "m", 1e-2),
    ("km", "m", 1e3),
    ("cm/s", "m/s", 1e-2),
    ("ms", "s", 1e-3),
    ("min", "s", 60.0),
    ("h", "s", 3600.0),
];
/// A degree in radians.
const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// The names of units of fields.
const UNIT_NAMES: [(&str, &str); 5] = [
    ("rad", "radians"),
    ("rad/s", "radians per second"),
    ("m", "metres"),
    ("m/s", "metres per second"),
    ("s", "seconds"),
];

/// The message about a number with a unit for a field, whose unit is in its name: `expected radians; write 0.5236 for
/// 30deg`, or `expected radians, found 2m`. `None` if the text has no unit, or the field has none.
pub fn unit_message(field: &str, text: &str, limits: Option<Limits>) -> Option<String> {
    let of_field = Some(words(field).1).filter(|unit| !unit.is_empty())?;
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))).unwrap_or(text.len());
    let (number, unit) = (text[..end].parse::<f64>().ok()?, text[end..].trim());
    // `30deg` for a turn rate is per second, too.
    let is_of_field = |unit: &str| unit == of_field || of_field.strip_suffix("/s") == Some(unit);
    let written = WRITTEN_UNITS.iter().find(|(written, to, _)| *written == unit && is_of_field(to));
    let value = match written {
        Some((.., factor)) => Some(rounded(number * factor)),
        None => is_of_field(unit).then_some(number),
    };
    let named = UNIT_NAMES.iter().find(|(symbol, _)| *symbol == of_field);
    let unit_name = named.map_or_else(|| format!("a number in {of_field}"), |(_, name)| (*name).to_owned());
    let expected = match limits.filter(|limits| *limits != Limits::FINITE) {
        Some(limits) => limits.to_string().replacen("a number", &unit_name, 1),
        None => unit_name,
    };
    let is_unit = !unit.is_empty() && unit.starts_with(char::is_alphabetic) && !unit.contains(['(', ')', '*', ' ']);
    match value {
        Some(value) => Some(format!("expected {expected}; write {value} for {}", shown(text))),
        None => is_unit.then(|| format!("expected {expected}, found {}", shown(text))),
    }
}

/// A hint for an unknown field whose number is in another unit than that of a known field: `; write half_angle_rad: 0.2967`.
pub fn field_in_unit(name: &str, number: &str, known: &[&str]) -> Option<String> {
    let number: f64 = number.parse().ok()?;
    let suffix = |unit: &str| format!("_{}", unit.replace('/', "_per_"));
    WRITTEN_UNITS.iter().find_map(|(written, unit, factor)| {
        let field = name.strip_suffix(&suffix(written))?.to_owned() + &suffix(unit);
        known.contains(&&*field).then(|| format!("; write {field}: {}", rounded(number * factor)))
    })
}

/// A number with four digits.
pub fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// A hint for a whole number beyond the limits of an angle that is within them in degrees: `; 45 degrees is 0.7854`.
pub fn degrees_hint(field: &str, number: f64, limits: Limits) -> Option<String> {
    let radians = number * DEGREE;
    let is_angle = words(field).1 == "rad" && number.fract() == 0.0 && limits.allow(radians);
    is_angle.then(|| format!("; {number} degrees is {}", rounded(radians)))
}

/// `1 value`, `2 values`.
pub fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The suffixes of field names and their units, longer ones first.
pub const UNITS: &[(&str, &str)] = &[
    ("_rad_per_s2", "rad/s²"),
    ("_rad_per_s", "rad/s"),
    ("_m_per_step", "m/step"),
    ("_kg_per_m2", "kg/m²"),
    ("_m2_per_s", "m²/s"),
    ("_m_per_s2", "m/s²"),
    ("_m_per_s", "m/s"),
    ("_bytes_per_s", "B/s"),
    ("_percent_per_s", "%/s"),
    ("_per_s", "1/s"),
    ("_per_m2", "1/m²"),
    ("_per_m", "1/m"),
    ("_rad", "rad"),
    ("_deg", "°"),
    ("_percent", "%"),
    ("_ppm", "ppm"),
    ("_celsius", "°C"),
    ("_ut", "µT"),
    ("_hz", "Hz"),
    ("_m2", "m²"),
    ("_kg", "kg"),
    ("_bytes", "B"),
    ("_dbm", "dBm"),
    ("_db", "dB"),
    ("_j", "J"),
    ("_m", "m"),
    ("_s", "s"),
];

/// The text with its first letter capitalized.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The name of a parameter from the steps of its path: `Detected turn` for `controller.detected.turn_rad_per_s`.
/// Indices in lists are left out.
pub fn parameter_name(steps: &[&str]) -> String {
    let steps: Vec<&str> = steps.iter().copied().filter(|step| step.parse::<usize>().is_err()).collect();
    // A script declares its numbers below `parameters`.
    let is_left_out = |step: &&str| matches!(*step, "controller" | "motion" | "parameters");
    let left_out = steps.iter().take_while(|step| is_left_out(step)).count();
    let named = steps.get(left_out..).filter(|rest| !rest.is_empty()).unwrap_or(&steps);
    let words: Vec<String> = named.iter().map(|step| words(step).0.to_lowercase()).collect();
    capital(&words.join(" ").replacen("sensors", "sensor", 1))
}

/// A noun with its indefinite article: `an object`. A plural has none.
pub fn with_article(noun: &str) -> String {
    let is_plural = noun.ends_with('s') && !noun.ends_with("ss") && !noun.ends_with("us");
    match noun.chars().next() {
        _ if is_plural => noun.to_owned(),
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}

/// A text for use within a sentence: without a capital at its start, unless it begins with a word in capitals.
pub fn lower(text: &str) -> String {
    let mut letters = text.chars();
    if text.chars().nth(1).is_some_and(|second| second.is_uppercase() || second == '_') {
        return text.into();
    }
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The plain form of a name in a file, and its unit: `turn_rad_per_s` is "Turn" in rad/s, `scatter_m-2` "Scatter 2".
pub fn words(name: &str) -> (String, &'static str) {
    let (stem, number) = name.split_once('-').unwrap_or((name, ""));
    let found = UNITS.iter().find_map(|(ending, unit)| Some((stem.strip_suffix(ending)?, *unit)));
    let (stem, unit) = found.unwrap_or((stem, ""));
    (format!("{} {number}", capital(&stem.replace('_', " "))).trim_end().to_owned(), unit)
}
