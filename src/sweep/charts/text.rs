//! Texts of figures and reports: numbers, labels with units, and names of files.

use swarmarium_core::metric::Quantity;
use swarmarium_core::text::wording::{capital, words};

use crate::plan::{Measure, Take, Value, Window};
use crate::resolved::{Observable, ResolvedFactor, Sweep};
use swarmarium_figure::{axis_label, axis_text};

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
    let own = own_label(sweep, factor);
    let is_unique = (0..sweep.factors.len()).filter(|other| own_label(sweep, *other) == own).count() == 1;
    if is_unique { own } else { sweep.factors[factor].label.clone() }
}

/// The label of a factor, whether another one has it, too, or not.
fn own_label(sweep: &Sweep, factor: usize) -> String {
    let ResolvedFactor { path, label, .. } = &sweep.factors[factor];
    let of_group =
        || path.strip_prefix("groups")?.strip_suffix(".count").map(|group| group.trim_matches(['.', '[', ']']));
    match of_group() {
        // A symbol such as `N_{robots}`, `d (m)` or `r_r + d (m)` stays as it is.
        _ if label.contains(['{', '^']) => label.clone(),
        _ if label.contains([' ', '(']) => match label.split(' ').next() {
            Some(word) if word.chars().count() > 1 && !word.contains('_') => capital(label),
            _ => label.clone(),
        },
        Some(_) if label == "count" && sweep.scene.groups.len() == 1 => "Number of robots".into(),
        Some(group) if label == "count" && !group.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("Number of robots in {group}")
        }
        // A constant such as `PACKET_LOSS`.
        _ if label.len() > 2 && !label.contains(char::is_lowercase) => axis_label(&label.to_lowercase()),
        _ => axis_label(label),
    }
}

/// A factor and its value with the unit: `Half angle` and `0.2 rad`.
pub fn with_value(label: &str, value: &str, is_number: bool) -> (String, String) {
    let unit = label.rsplit_once(" (").and_then(|(words, unit)| Some((words, unit.strip_suffix(')')?)));
    match unit.filter(|_| is_number) {
        Some((words, unit)) => (words.into(), format!("{value} {unit}")),
        None => (label.into(), value.into()),
    }
}

/// A factor with its value: `Half angle = 0.2 rad`.
pub fn assignment(label: &str, value: &str, is_number: bool) -> String {
    let (label, value) = with_value(label, value, is_number);
    format!("{label} = {value}")
}

/// The quantity of a measure: that of its column, or its expression in words.
fn quantity(sweep: &Sweep, measure: usize, taken: &Measure) -> Quantity {
    match sweep.observables.get(measure) {
        Some(Observable::Column(column)) => sweep.quantities[*column].clone(),
        _ => Quantity::new(capital(&condition(sweep, &taken.of)), ""),
    }
}

/// The words of a measure and its unit, which is empty if there is none. A measure with a name of its own has the words of
/// this name, and others those of the quantity and of what is taken of it: `Radius of the fitted circle, mean over the last
/// 20 s`.
pub fn measure_words(sweep: &Sweep, measure: usize) -> (String, String) {
    let Some(taken) = sweep.plan.measures.get(measure) else { return Default::default() };
    let quantity = quantity(sweep, measure, taken);
    let unit = match taken.take {
        take if take.is_share() => "",
        take if take.is_time() => "s",
        _ => quantity.unit,
    };
    if !taken.has_own_name() {
        return (statement(sweep, taken, &quantity.name), unit.into());
    }
    // A name such as `time until mill (s)` has its unit.
    if taken.name.ends_with(')') {
        return (own_words(&taken.name), String::new());
    }
    let (stripped, ending) = words(&taken.name);
    // A name such as `mean_speed_over_last_10_s` ends with a window of time, which is not a unit.
    let window = match taken.over {
        Window::Whole => None,
        Window::Last(to) | Window::Between(_, to) => Some(format!("{to}_s")),
    };
    let ending = if window.is_some_and(|window| taken.name.ends_with(&window)) { "" } else { ending };
    let is_column = matches!(sweep.observables.get(measure), Some(Observable::Column(_)));
    let unit = if unit.is_empty() && !is_column && !taken.take.is_share() { ending } else { unit };
    match !unit.is_empty() && unit == ending {
        true => (with_symbol(&taken.name, stripped), unit.into()),
        false => (own_words(&taken.name), unit.into()),
    }
}

/// A measure in words, for captions: `Circliness, mean over the last 20 s`.
pub fn measure_statement(sweep: &Sweep, measure: usize) -> String {
    let Some(taken) = sweep.plan.measures.get(measure) else { return String::new() };
    statement(sweep, taken, &quantity(sweep, measure, taken).name)
}

/// The words of a name that a user gave, unless it is a symbol such as `v_{max}`.
fn own_words(name: &str) -> String {
    if name.contains(['{', '^']) { name.to_owned() } else { with_symbol(name, capital(&name.replace('_', " "))) }
}

/// The words of a name, without a capital if it begins with the symbol of a quantity, as `v_max` does.
fn with_symbol(name: &str, words: String) -> String {
    let is_symbol = name.chars().nth(1).is_some_and(|second| matches!(second, '_' | ' '));
    match name.chars().next().filter(|_| is_symbol) {
        Some(symbol) => std::iter::once(symbol).chain(words.chars().skip(1)).collect(),
        None => words,
    }
}

/// The number of a measure that a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// That of each run.
    Runs,
    /// The mean of the runs, their share, or their median time.
    Center,
}

/// The words of a measure for titles, and its unit: the statistic and the quantity. The part of the run is in the caption.
pub fn title_words(sweep: &Sweep, measure: usize, shown: Shown) -> (String, String) {
    /// Beginnings of names that have a statistic.
    const STATISTICS: [&str; 11] =
        ["mean", "average", "median", "minimum", "maximum", "least", "greatest", "min", "max", "share", "fraction"];
    let Some(taken) = sweep.plan.measures.get(measure) else { return Default::default() };
    let (own, unit) = measure_words(sweep, measure);
    let words = if taken.has_own_name() {
        own
    } else if taken.take.is_condition() {
        statement(sweep, &Measure { over: Window::Whole, ..taken.clone() }, "")
    } else {
        let name = quantity(sweep, measure, taken).name;
        match taken.take {
            Take::Min => format!("Minimum {}", small(&name)),
            Take::Max => format!("Maximum {}", small(&name)),
            Take::Quantile { share: 0.5 } => format!("Median {}", small(&name)),
            Take::Quantile { share } => format!("{} % quantile of {}", share * 100.0, small(&name)),
            _ => name,
        }
    };
    let first = words.split(' ').next().unwrap_or_default().to_lowercase();
    let has_statistic = STATISTICS.contains(&first.as_str()) || words.contains(" % quantile ");
    let words = match (shown, taken.take) {
        (Shown::Runs, _) => words,
        (Shown::Center, take) if take.is_share() || has_statistic => words,
        (Shown::Center, take) if take.is_time() => format!("Median {}", small(&words)),
        (Shown::Center, _) => format!("Mean {}", small(&words)),
    };
    (words, unit)
}

/// The title of the axis of a measure: `Median time until circliness ≥ 0.9 (s)`.
pub fn axis_title(sweep: &Sweep, measure: usize, shown: Shown) -> String {
    with_unit(sweep, measure, title_words(sweep, measure, shown))
}

/// The words of a measure with its unit. The name of a share does not tell that it is one.
fn with_unit(sweep: &Sweep, measure: usize, (words, unit): (String, String)) -> String {
    let taken = sweep.plan.measures.get(measure);
    match taken.is_some_and(|taken| taken.take.is_share() && taken.has_own_name()) {
        true => format!("{words} (share of runs)"),
        false => axis_text(&words, &unit),
    }
}

/// A measure of a quantity in words: `Circliness, mean over the last 20 s`.
fn statement(sweep: &Sweep, measure: &Measure, name: &str) -> String {
    let over = match measure.over {
        Window::Whole => "over the run".to_owned(),
        Window::Last(seconds) => format!("over the last {seconds} s"),
        Window::Between(from, to) => format!("from {from} s to {to} s"),
    };
    // A condition is looked for in the whole run, unless the measure says otherwise.
    let within = match measure.over {
        Window::Whole => String::new(),
        Window::Last(seconds) => format!(" within the last {seconds} s"),
        Window::Between(from, to) => format!(" from {from} s to {to} s"),
    };
    let held = |hold_s: f64| if hold_s > 0.0 { format!(" for {hold_s} s") } else { String::new() };
    let condition = || condition(sweep, &measure.of);
    match measure.take {
        Take::Final => match measure.over {
            Window::Between(_, to) => format!("{name}, at {to} s"),
            Window::Whole | Window::Last(_) => format!("{name}, at the end"),
        },
        Take::Mean => format!("{name}, mean {over}"),
        Take::Min => format!("{name}, minimum {over}"),
        Take::Max => format!("{name}, maximum {over}"),
        Take::Quantile { share: 0.5 } => format!("{name}, median {over}"),
        Take::Quantile { share } => format!("{name}, {} % quantile {over}", share * 100.0),
        Take::TimeUntil { hold_s } => format!("Time until {}{}{within}", condition(), held(hold_s)),
        Take::Reached { hold_s } => format!("Share of runs that reach {}{}{within}", condition(), held(hold_s)),
        Take::Holds => format!("Share of runs that end with {}", condition()),
    }
}

/// An expression with the names of quantities in place of those of columns, and with signs in place of operators:
/// `share of robots in the largest component ≥ 0.9`.
fn condition(sweep: &Sweep, expression: &str) -> String {
    const SIGNS: [(&str, &str); 4] = [(">=", "≥"), ("<=", "≤"), ("==", "="), ("!=", "≠")];
    let is_in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let mut text = String::new();
    let mut units = Vec::new();
    for part in expression.trim().split_inclusive(|c| !is_in_name(c)) {
        let end = part.find(|c| !is_in_name(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        match name {
            "count" => {
                text.push_str("number of robots");
                units.push("");
            }
            "t_s" => {
                text.push_str("time");
                units.push("s");
            }
            other => match sweep.metric_columns.iter().position(|column| column == other) {
                Some(column) => {
                    let Quantity { name, unit, .. } = &sweep.quantities[column];
                    text.push_str(&small(name));
                    units.push(*unit);
                }
                None => text.push_str(other),
            },
        }
        text.push_str(rest);
    }
    let text = SIGNS.iter().fold(text, |text, (sign, shown)| text.replace(sign, shown));
    // The number at the end of a single comparison has the unit of the quantity.
    match units[..] {
        [unit] if !unit.is_empty() && text.ends_with(|c: char| c.is_ascii_digit()) => format!("{text} {unit}"),
        _ => text,
    }
}

/// The label of an axis or of a column for a measure.
pub fn measure_label(sweep: &Sweep, measure: usize) -> String {
    with_unit(sweep, measure, measure_words(sweep, measure))
}

/// A label within a sentence: without its unit, and with a small first letter.
pub fn in_sentence(label: &str) -> String {
    small(label.rsplit_once(" (").map_or(label, |(words, _)| words))
}

/// Words with a small first letter, unless they begin with an abbreviation or a symbol.
fn small(words: &str) -> String {
    let mut letters = words.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(words.chars().skip(1)).collect()
        }
        _ => words.to_owned(),
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
    fn axes_have_titles_in_words() {
        let path = tempfile::tempdir().unwrap();
        let measure = |text: &str| {
            let Measure { name, of, take, over } = text.parse().unwrap();
            let take = format!("{take:?}").replace(" { ", "(").replace(" }", ")");
            format!("(name: {name:?}, of: {of:?}, take: {take}, over: {over:?}), ")
        };
        let texts = [
            ("mean average_speed_m_per_s over last 20", "Average speed, mean over the last 20 s (m/s)"),
            ("final circliness", "Circliness, at the end"),
            ("max circliness", "Circliness, maximum over the run"),
            ("median circliness over 5 to 20", "Circliness, median from 5 s to 20 s"),
            ("time until circliness >= 0.9 for 5", "Time until circliness ≥ 0.9 for 5 s (s)"),
            ("share average_speed_m_per_s > 0.1", "Share of runs that reach average speed > 0.1 m/s"),
            ("holds count == 3", "Share of runs that end with number of robots = 3"),
            ("mean circliness * 2", "Circliness * 2, mean over the run"),
            ("speed = mean average_speed_m_per_s", "Speed (m/s)"),
            ("gathered = holds circliness > 0.9", "Gathered (share of runs)"),
        ];
        let measures: String = texts.iter().map(|(text, _)| measure(text)).collect();
        let factors = "(path: \"groups[0].count\", values: List([2, 3])), (path: \"groups[0].sensors[0].range_m\", \
                       values: List([1, 2]), label: \"range of sight (m)\"), (path: \"groups[0].sensors[0].half_angle_rad\", \
                       values: List([0.2, 0.3]), label: \"r_r + d (m)\")";
        let plan = format!("Plan(scene: \"x\", measures: [{measures}], factors: [{factors}])");
        let sweep = super::super::tests::Made::new(path.path(), &plan, 0).sweep;
        for (place, (text, label)) in texts.iter().enumerate() {
            assert_eq!(measure_label(&sweep, place), *label, "{text}");
        }
        let titles = (0..texts.len()).map(|place| axis_title(&sweep, place, Shown::Center)).collect::<Vec<_>>();
        let expected = [
            "Average speed (m/s)",
            "Mean circliness",
            "Maximum circliness",
            "Median circliness",
            "Median time until circliness ≥ 0.9 for 5 s (s)",
            "Share of runs that reach average speed > 0.1 m/s",
            "Share of runs that end with number of robots = 3",
            "Mean circliness * 2",
            "Mean speed (m/s)",
            "Gathered (share of runs)",
        ];
        assert_eq!(titles, expected);
        assert_eq!([1, 8].map(|place| axis_title(&sweep, place, Shown::Runs)), ["Circliness", "Speed (m/s)"]);
        assert_eq!(measure_statement(&sweep, 8), "Average speed, mean over the run");
        let labels = [0, 1, 2].map(|factor| factor_label(&sweep, factor));
        assert_eq!(labels, ["Number of robots", "Range of sight (m)", "r_r + d (m)"]);
    }

    #[test]
    fn labels_in_sentences_have_no_units() {
        assert_eq!(assignment("Half angle (rad)", "0.2", true), "Half angle = 0.2 rad");
        assert_eq!(assignment("Kind (of body)", "Disc", false), "Kind (of body) = Disc");
        assert_eq!(["Half angle (rad)", "PID gain", "N", ""].map(in_sentence), ["half angle", "PID gain", "N", ""]);
        assert_eq!(["N found", "S₊ of all", "Speed (m/s)"].map(small), ["N found", "S₊ of all", "speed (m/s)"]);
        assert_eq!(["v_{max} (m/s)", "my_speed", "v_max"].map(own_words), ["v_{max} (m/s)", "My speed", "v max"]);
    }
}
