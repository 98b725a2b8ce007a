//! Formatting of numbers and words for the window.

use std::time::{SystemTime, UNIX_EPOCH};

use bevy::reflect::NamedField;
use swarmarium_base::date::calendar_date;
use swarmarium_core::kind::Unit;
use swarmarium_core::text::wording::words;
use swarmarium_scene::scene::describe;

/// Words of names in scenes and their spelling in texts.
const SPELLINGS: [(&str, &str); 6] = [
    ("Color", "Colour"),
    ("color", "colour"),
    ("Center", "Centre"),
    ("center", "centre"),
    ("Gray", "Grey"),
    ("gray", "grey"),
];

/// Acronyms in the names of kinds.
const ACRONYMS: [&str; 6] = ["FOV", "GPS", "IMU", "LEDs", "VW", "XYW"];

/// Returns the name of a kind in words: `Average speed` for `AverageSpeed`.
pub fn kind_label(kind: &str) -> String {
    let letters: Vec<char> = kind.chars().collect();
    let mut text = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let starts = place > 0 && letter.is_uppercase() && !letters[place - 1].is_uppercase();
        if starts {
            text.push(' ');
        }
        let follows_capital = letters.get(place + 1).is_some_and(|next| next.is_uppercase());
        match starts && !follows_capital {
            true => text.extend(letter.to_lowercase()),
            false => text.push(*letter),
        }
    }
    let spelled = text.split(' ').map(|word| {
        let known = ACRONYMS.iter().find(|known| known.eq_ignore_ascii_case(word));
        known.map_or_else(|| word.to_owned(), |known| (*known).to_owned())
    });
    spelled.collect::<Vec<_>>().join(" ")
}

/// Returns the label of a field from its name, in the spelling of texts: `center_m` is "Centre".
pub fn label(name: &str) -> String {
    let label = words(name).0;
    let spelled = label.split(' ').map(|word| {
        let stem = word.strip_suffix('s').unwrap_or(word);
        let known = SPELLINGS.iter().find(|(known, _)| *known == stem);
        known.map_or_else(|| word.to_owned(), |(_, spelling)| format!("{spelling}{}", &word[stem.len()..]))
    });
    spelled.collect::<Vec<_>>().join(" ")
}

/// Returns the documentation of a field without the notation of files: a missing value is called off, and other names are
/// words.
pub fn plain_docs(docs: &str) -> String {
    let mut plain = String::new();
    let mut rest = docs;
    while let Some((before, after)) = rest.split_once("`None`") {
        plain.push_str(before);
        let begins = plain.trim_end().is_empty() || plain.trim_end().ends_with('.');
        plain.push_str(if begins { "Off" } else { "off" });
        rest = after;
    }
    plain_text(&(plain + rest))
}

/// Returns a text without backticks: names of fields in them become words, such as "situated" or "turn rate".
pub fn plain_text(text: &str) -> String {
    let is_field = |part: &str| {
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        part.contains('_') && part.chars().all(is_part)
    };
    let parts = text.split('`').enumerate().map(|(place, part)| match place % 2 == 1 && is_field(part) {
        true => label(part).to_lowercase(),
        false => part.to_owned(),
    });
    parts.collect()
}

/// Returns the word for a missing value from the documentation of its field, such as "unlimited"; otherwise "off".
pub fn word_for_none(docs: &str) -> String {
    let after = docs.split_once("`None`").map_or("", |(_, after)| after);
    let word = after.strip_prefix(": ").and_then(|after| after.split(['.', ';', ',']).next()).unwrap_or_default();
    if word.is_empty() { "off".into() } else { word.trim().into() }
}

/// Returns the unit of a field: that of its attribute, or else that of its name; empty if there is none.
pub fn unit_of_field(field: &NamedField) -> &'static str {
    let own = field.get_attribute::<Unit>().map(|Unit(unit)| *unit);
    own.or_else(|| describe::unit_of(field.name())).unwrap_or_default()
}

/// Formats a whole number with commas: `2,899`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats the day of a moment, in UTC: `2026-11-29`; empty for moments before 1970.
pub fn date(at: SystemTime) -> String {
    let Ok(since) = at.duration_since(UNIX_EPOCH) else { return String::new() };
    let (year, month, day) = calendar_date(since.as_secs() / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Formats a number of changes: `1 change`, `3 changes`.
pub fn counted(changes: usize) -> String {
    format!("{changes} change{}", if changes == 1 { "" } else { "s" })
}

/// Returns the word for a member of a list: `object group` for `object_groups`.
pub fn member_word(list: &str) -> String {
    let list = words(list.rsplit('.').next().unwrap_or_default()).0.to_lowercase();
    list.strip_suffix('s').map(Into::into).unwrap_or(list)
}

/// Shortens a text to a number of characters; a long text ends in an ellipsis.
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.into(),
        Some(_) => text.chars().take(chars.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Quotes a word of a command line if a POSIX shell needs that.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-+=/".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_day_in_utc() {
        let of = |days: u64| date(UNIX_EPOCH + std::time::Duration::from_secs(days * 86_400 + 3600));
        assert_eq!([0, 20_786].map(of), ["1970-01-01", "2026-11-29"]);
    }

    #[test]
    fn words_are_quoted_where_shells_need_it() {
        assert_eq!(
            ["runs/milling-7", "wider turn", "it's", ""].map(shell_word),
            ["runs/milling-7", "'wider turn'", r"'it'\''s'", "''"]
        );
    }

    #[test]
    fn long_texts_end_in_an_ellipsis() {
        assert_eq!(["", "four", "fives", "häuser"].map(|text| shortened(text, 4)), ["", "four", "fiv…", "häu…"]);
    }

    #[test]
    fn names_of_kinds_are_words() {
        assert_eq!(
            ["AverageSpeed", "Disc", "BinaryFov", "MotionVwDiff", "Fatness2", "Gps"].map(kind_label),
            ["Average speed", "Disc", "Binary FOV", "Motion VW diff", "Fatness2", "GPS"]
        );
    }

    #[test]
    fn labels_have_one_spelling() {
        assert_eq!(
            ["color", "center_m", "sensor_colors", "neighbours"].map(label),
            ["Colour", "Centre", "Sensor colours", "Neighbours"]
        );
    }

    #[test]
    fn missing_values_have_words() {
        let docs = "Largest output; `None`: unlimited.";
        assert_eq!(word_for_none(docs), "unlimited");
        assert_eq!(plain_docs(docs), "Largest output; off: unlimited.");
        assert_eq!(plain_text("The plot of `share_on_black`, by `Zone`"), "The plot of share on black, by Zone");
        assert_eq!(word_for_none("Slot of the `Zone`; `None` without one."), "off");
        assert_eq!(plain_docs("Centre. `None`: random, drawn once."), "Centre. Off: random, drawn once.");
        assert_eq!(word_for_none("Centre. `None`: random, drawn once."), "random");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 12, 999, 2899, 1_000_000].map(grouped), ["0", "12", "999", "2,899", "1,000,000"]);
    }
}
