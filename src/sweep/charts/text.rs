//! Texts of figures and reports: numbers, labels with units, and names of files.

use swarmarium_core::text::wording::{capital, words};

use crate::plan::{Value, Window};
use crate::resolved::{Observable, Sweep};
use swarmarium_figure::axis_label;

/// Significant digits of a number in a text.
const DIGITS: i32 = 4;
/// Texts of values up to this length stay as the plan has them.
const SHORT: usize = 8;
/// The longest part of a file's name.
const LONGEST_NAME: usize = 60;

/// A number with four significant digits; a whole one is written out, and no number is a dash.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "–".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.into();
    }
    // Adding 0 makes −0 positive.
    let value = value + 0.0;
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value}");
    }
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
    match exponent {
        Some(exponent @ -4..6) => format!("{value:.*}", (DIGITS - 1 - exponent).max(0) as usize),
        _ => scientific,
    }
}

/// A number that may be missing.
pub fn optional(value: Option<f64>) -> String {
    number(value.unwrap_or(f64::NAN))
}

/// The value of a factor: short texts stay, other numbers are rounded.
pub fn value(value: &Value) -> String {
    match value.number() {
        Some(parsed) if value.shown().chars().count() > SHORT => number(parsed),
        _ => value.shown().to_owned(),
    }
}

/// A count with its noun: `1 run`, `3 runs`.
pub fn count(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The label of a factor with its unit. Labels that are written as text stay as they are.
pub fn factor_label(sweep: &Sweep, factor: usize) -> String {
    let name = |factor: &crate::resolved::ResolvedFactor| match factor.label.contains([' ', '(']) {
        true => factor.label.clone(),
        false => axis_label(&factor.label),
    };
    let own = name(&sweep.factors[factor]);
    let is_unique = sweep.factors.iter().filter(|other| name(other) == own).count() == 1;
    if is_unique { own } else { sweep.factors[factor].label.clone() }
}

/// A factor with its value: `Half angle = 0.2 rad`.
pub fn assignment(label: &str, value: &str, is_number: bool) -> String {
    let unit = label.rsplit_once(" (").and_then(|(words, unit)| Some((words, unit.strip_suffix(')')?)));
    match unit.filter(|_| is_number) {
        Some((words, unit)) => format!("{words} = {value} {unit}"),
        None => format!("{label} = {value}"),
    }
}

/// The words of a measure and its unit, which is empty if there is none.
pub fn measure_words(sweep: &Sweep, measure: usize) -> (String, String) {
    let Some(taken) = sweep.plan.measures.get(measure) else { return Default::default() };
    // A name such as `time until mill (s)` has its unit.
    if taken.name.ends_with(')') {
        return (capital(&taken.name.replace('_', " ")), String::new());
    }
    let (stripped, ending) = words(&taken.name);
    // A name such as `mean_speed_over_last_10_s` ends with a window of time, which is not a unit.
    let window = match taken.over {
        Window::Whole => None,
        Window::Last(to) | Window::Between(_, to) => Some(format!("{to}_s")),
    };
    let ending = if window.is_some_and(|window| taken.name.ends_with(&window)) { "" } else { ending };
    let unit = match sweep.observables.get(measure) {
        _ if taken.take.is_share() => "",
        _ if taken.take.is_time() => "s",
        Some(Observable::Column(column)) => words(&sweep.metric_columns[*column]).1,
        _ => ending,
    };
    match !unit.is_empty() && unit == ending {
        true => (stripped, unit.into()),
        false => (capital(&taken.name.replace('_', " ")), unit.into()),
    }
}

/// The label of an axis or of a column for a measure.
pub fn measure_label(sweep: &Sweep, measure: usize) -> String {
    let (words, unit) = measure_words(sweep, measure);
    let is_share = sweep.plan.measures.get(measure).is_some_and(|measure| measure.take.is_share());
    match (is_share, unit.as_str()) {
        (true, _) => format!("{words} (share of runs)"),
        (false, "") => words,
        (false, unit) => format!("{words} ({unit})"),
    }
}

/// A label within a sentence: without its unit, and with a small first letter unless it is an abbreviation or a symbol.
pub fn in_sentence(label: &str) -> String {
    let label = label.rsplit_once(" (").map_or(label, |(words, _)| words);
    let mut letters = label.chars();
    match (letters.next(), letters.next()) {
        (Some(first), second) if second.is_some_and(char::is_lowercase) => {
            first.to_lowercase().chain(label.chars().skip(1)).collect()
        }
        _ => label.to_owned(),
    }
}

/// Parts of file names for these names: letters, digits and `_`, all different on every file system.
pub fn file_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let base: String = letters.take(LONGEST_NAME).collect();
        let is_taken = |wanted: &str| taken.iter().any(|other| other.eq_ignore_ascii_case(wanted));
        let numbered = (2..).map(|number: u64| format!("{base}_{number}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|wanted| !is_taken(wanted));
        taken.extend(free);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_significant_digits() {
        let numbers = [0.5, 0.123_456, 12.345_6, 1234.56, 123_456.7, 1.0, -0.0, 42e6, 1.5e-7, 2.5e9 + 0.5, 0.001_953_1];
        let texts =
            ["0.5000", "0.1235", "12.35", "1235", "123457", "1", "0", "42000000", "1.500e-7", "2.500e9", "0.001953"];
        assert_eq!(numbers.map(number), texts);
        assert_eq!([f64::NAN, f64::INFINITY].map(number), ["–", "∞"]);
        assert_eq!(number(0.999_99), "1.000");
    }

    #[test]
    fn values_of_factors_keep_short_texts() {
        let texts = ["0.1", "\"orange\"", "0.30000000000000004", "Bernoulli(probability: 0.3)", "123456789012"];
        let shown = ["0.1", "orange", "0.3000", "Bernoulli(probability: 0.3)", "123456789012"];
        assert_eq!(texts.map(|text| value(&Value::new(text))), shown);
    }

    #[test]
    fn file_names_of_figures_differ() {
        let names = file_names(["speed", "Speed", "a/b", "a b", "ä", "../x"]);
        assert_eq!(names, ["speed", "Speed_2", "a_b", "a_b_2", "_", "___x"]);
    }

    #[test]
    fn labels_in_sentences_have_no_units() {
        assert_eq!(assignment("Half angle (rad)", "0.2", true), "Half angle = 0.2 rad");
        assert_eq!(assignment("Kind (of body)", "Disc", false), "Kind (of body) = Disc");
        assert_eq!(["Half angle (rad)", "PID gain", "N", ""].map(in_sentence), ["half angle", "PID gain", "N", ""]);
    }
}
