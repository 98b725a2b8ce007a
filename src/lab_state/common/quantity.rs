//! Numbers as users type them into fields: arithmetic, units, and changes of the value shown.
//!
//! `1/3`, `2*pi` and `sqrt(2)` are calculated by [`arithmetic`]. A unit at the end applies to the whole text and is
//! converted to that of the field: `30 cm` is 0.3 in a field of metres. `+0.1`, `*1.5`, `/2` and `+10%` change the value
//! shown; `-0.1` is a value, and `-=0.1` subtracts.

use std::f64::consts::PI;

use bevy::reflect::NamedField;
use swarmarium_base::limits::Limits;
use swarmarium_core::expression::{Expression, arithmetic};
use swarmarium_core::text::wording::{join, shown};

use crate::common::text::unit_of_field;

/// Units of the same quantity, each as a fraction of the first one.
type Family = &'static [(&'static str, f64, f64)];

const FAMILIES: [Family; 8] = [
    &[("m", 1.0, 1.0), ("mm", 1.0, 1e3), ("cm", 1.0, 100.0), ("km", 1e3, 1.0)],
    &[("s", 1.0, 1.0), ("ms", 1.0, 1e3), ("min", 60.0, 1.0), ("h", 3600.0, 1.0)],
    &[("rad", 1.0, 1.0), ("deg", PI, 180.0), ("°", PI, 180.0), ("turn", 2.0 * PI, 1.0)],
    &[("Hz", 1.0, 1.0), ("kHz", 1e3, 1.0)],
    &[("kg", 1.0, 1.0), ("g", 1.0, 1e3)],
    &[("N", 1.0, 1.0), ("mN", 1.0, 1e3)],
    &[("B", 1.0, 1.0), ("kB", 1e3, 1.0), ("MB", 1e6, 1.0)],
    &[("m²", 1.0, 1.0), ("cm²", 1.0, 1e4)],
];

/// The largest number of characters of a text that is calculated.
const LONGEST: usize = 200;

/// The number π in expressions.
const PI_NAME: &str = "pi";

/// Reads a number as a user types it into a field with a unit. `present` is the value shown, in the unit of the field.
///
/// ```
/// use swarmarium_lab_state::common::quantity::read;
///
/// assert_eq!(read("30 cm", "m", None), Ok(0.3));
/// assert_eq!(read("*1.5", "m/s", Some(2.0)), Ok(3.0));
/// assert!(read("3 kg", "m", None).unwrap_err().contains("m, mm, cm or km"));
/// ```
///
/// # Errors
/// If the text is not a number, or its unit does not fit the field. The error names what is allowed.
pub fn read(text: &str, unit: &str, present: Option<f64>) -> Result<f64, String> {
    if text.chars().count() > LONGEST {
        return Err(format!("Enter a number of at most {LONGEST} characters"));
    }
    let plain = ascii(text);
    let value = match relative(&plain) {
        Some((operator, rest)) => {
            let present = present.ok_or_else(|| format!("{} needs a value to change", quoted(text)))?;
            change(present, operator, rest, unit, text)?
        }
        None => absolute(&plain, unit, text)?,
    };
    match value.is_finite() {
        true => Ok(value),
        false => Err(format!("{} is not a number: it has no finite value", quoted(text))),
    }
}

/// Reads a whole number as a user types it, as [`read`].
///
/// # Errors
/// As [`read`]; also if the result is not a whole number.
pub fn read_whole(text: &str, unit: &str, present: Option<f64>) -> Result<f64, String> {
    let value = read(text, unit, present)?;
    match value.fract() == 0.0 {
        true => Ok(value),
        false => Err(format!("{} is {value}: enter a whole number", quoted(text))),
    }
}

/// Returns the text of a scene file for a number as a user types it, as [`read`]. A plain number stays as it is typed,
/// with all its digits.
///
/// # Errors
/// As [`read`]; also if the field has whole numbers only and the text is a calculation with another result.
pub fn scene_text(text: &str, unit: &str, present: Option<f64>, is_whole: bool) -> Result<String, String> {
    let trimmed = text.trim();
    if trimmed.parse::<f64>().is_ok() && !trimmed.starts_with('+') {
        return Ok(trimmed.to_owned());
    }
    match is_whole {
        true => read_whole(text, unit, present).map(|value| format!("{value:.0}")),
        false => read(text, unit, present).map(|value| format!("{value:?}")),
    }
}

/// Replaces characters that keyboards and documents have in place of operators.
fn ascii(text: &str) -> String {
    let mut plain = String::new();
    for c in text.trim().chars() {
        match c {
            '−' | '–' => plain.push('-'),
            '×' | '·' => plain.push('*'),
            '÷' => plain.push('/'),
            'π' => plain.push_str(PI_NAME),
            c if c.is_whitespace() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

/// Splits a change such as `*1.5` or `-=0.1` into its operator and the rest; `None` for a value.
fn relative(text: &str) -> Option<(char, &str)> {
    let operator = text.chars().next().filter(|first| "+-*/".contains(*first))?;
    let rest = &text[1..];
    match rest.strip_prefix('=') {
        Some(rest) => Some((operator, rest)),
        None if operator == '-' => None,
        None => Some((operator, rest)),
    }
}

/// Applies a change to a value.
fn change(present: f64, operator: char, rest: &str, unit: &str, text: &str) -> Result<f64, String> {
    let part = rest.trim_end().strip_suffix('%').filter(|_| unit != "%");
    let number = match (part, operator) {
        (Some(part), '+' | '-') => present * calculated(part, text)? / 100.0,
        (Some(part), _) => calculated(part, text)? / 100.0,
        (None, '+' | '-') => absolute(rest, unit, text)?,
        (None, _) => calculated(rest, text)?,
    };
    Ok(match operator {
        '+' => present + number,
        '-' => present - number,
        '*' => present * number,
        _ => present / number,
    })
}

/// Reads a value with an optional unit at its end.
fn absolute(text: &str, unit: &str, typed: &str) -> Result<f64, String> {
    let Some((number, written)) = split_unit(text) else { return calculated(text, typed) };
    let (times, over) = factor(written, unit).ok_or_else(|| match allowed(unit) {
        units if units.is_empty() => format!("{} does not fit: the number has no unit", quoted(written)),
        units => {
            let units: Vec<&str> = units.iter().map(String::as_str).collect();
            format!("{} does not fit: use {}", quoted(written), join(&units, "or"))
        }
    })?;
    Ok(calculated(number, typed)? * times / over)
}

/// Splits a unit off the end of a text: the longest word after a number.
fn split_unit(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let mut place = None;
    for (at, c) in text.char_indices().rev() {
        let is_power = (c == '2' || c == '²') && text[..at].ends_with(['m', 's']);
        if !(c.is_alphabetic() || is_power || matches!(c, '°' | '%' | '/' | '²' | 'µ')) {
            break;
        }
        // `1/3` is a quotient: the unit begins with a letter, after a number.
        let before = text[..at].trim_end();
        let is_after_number = before.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')'))
            || before.strip_suffix(PI_NAME).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
        if c != '/' && !is_power && is_after_number {
            place = Some(at);
        }
    }
    let (number, unit) = text.split_at(place?);
    (unit != PI_NAME).then_some((number, unit))
}

/// Returns the factor from a written unit to that of a field, as a numerator and a denominator.
fn factor(written: &str, field: &str) -> Option<(f64, f64)> {
    let written = written.replace('2', "²");
    let within = |written: &str, field: &str| -> Option<(f64, f64)> {
        let of = |name: &str, family: Family| family.iter().find(|(known, ..)| *known == name).copied();
        FAMILIES.iter().find_map(|family| {
            let ((_, times, over), (_, field_times, field_over)) = (of(written, family)?, of(field, family)?);
            Some((times * field_over, over * field_times))
        })
    };
    if written == field {
        return Some((1.0, 1.0));
    }
    if written == "%" && field.is_empty() {
        return Some((1.0, 100.0));
    }
    if written == "rpm" && field == "rad/s" {
        return Some((2.0 * PI, 60.0));
    }
    let Some((field_top, field_bottom)) = field.split_once('/') else { return within(&written, field) };
    let (top, bottom) = written.split_once('/')?;
    let same = |written: &str, field: &str| (written == field).then_some((1.0, 1.0)).or_else(|| within(written, field));
    let ((times, over), (below, above)) = (same(top, field_top)?, same(bottom, field_bottom)?);
    Some((times * above, over * below))
}

/// Returns the units that a field with a unit accepts, its own one first.
fn allowed(field: &str) -> Vec<String> {
    let (top, bottom) = field.split_once('/').unwrap_or((field, ""));
    let family = FAMILIES.iter().find(|family| family.iter().any(|(known, ..)| *known == top));
    let mut units = vec![field.to_owned()];
    for (name, ..) in family.copied().unwrap_or_default() {
        let unit = if bottom.is_empty() { (*name).to_owned() } else { format!("{name}/{bottom}") };
        if unit != field {
            units.push(unit);
        }
    }
    match field {
        "m/s" => units.push("km/h".into()),
        "rad/s" => units.push("rpm".into()),
        "" => units = vec!["%".into()],
        _ => {}
    }
    units
}

/// Calculates a text without unit.
fn calculated(text: &str, typed: &str) -> Result<f64, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("Enter a number".into());
    }
    if let Ok(value) = text.parse::<f64>() {
        return Ok(value);
    }
    if let Some(value) = arithmetic(text) {
        return Ok(value);
    }
    let pointed = text.replacen(',', ".", 1);
    let reason = match Expression::check(text, &[PI_NAME]) {
        _ if pointed != text && pointed.parse::<f64>().is_ok() => format!("use a decimal point: {pointed}"),
        Err(error) => error.with_hint(|_| format!("; use numbers, + − * /, {PI_NAME} and functions such as sqrt")),
        Ok(()) => "it has no finite value".into(),
    };
    Err(format!("{} is not a number: {reason}", quoted(typed)))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", shown(text.trim()))
}

/// A number with at most a number of decimals, without zeros at its end: `14.32` for 14.32394 and two decimals.
pub fn with_decimals(value: f64, most: usize) -> String {
    without_trailing_zeros(format!("{value:.most$}"))
}

/// A decimal number without zeros at the end of its decimals.
pub fn without_trailing_zeros(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Formats a number with as many digits as fit into a number of characters, and with at least one. All digits are
/// shown where they fit. Powers of ten are written only where they are nearer to the number.
pub fn fitting(exact: &str, most: usize) -> String {
    let Some(value) = exact.parse::<f64>().ok().filter(|value| value.is_finite()) else { return exact.to_owned() };
    if exact.chars().count() <= most {
        return exact.to_owned();
    }
    let scientific = |digits: usize| {
        let text = format!("{value:.digits$e}");
        match text.split_once('e') {
            Some((number, exponent)) => format!("{}e{exponent}", without_trailing_zeros(number.to_owned())),
            None => text,
        }
    };
    let fits = |text: &String| text.chars().count() <= most;
    let error = |text: &String| (text.parse::<f64>().unwrap_or_default() - value).abs();
    let is_plain = value.abs() < 1e15;
    let plain = (0..=15)
        .rev()
        .filter(|_| is_plain)
        .map(|digits| without_trailing_zeros(format!("{value:.digits$}")))
        .find(fits);
    let power = (0..=15).rev().map(scientific).find(fits);
    match (plain, power) {
        (Some(plain), Some(power)) => {
            if error(&power) < error(&plain) {
                power
            } else {
                plain
            }
        }
        (plain, power) => plain.or(power).unwrap_or_else(|| scientific(0)),
    }
}

/// The unit in which a number is shown: that of the scene, or one that is easier to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Display {
    /// As in the scene.
    #[default]
    Plain,
    /// An angle in degrees, which the scene has in radians.
    Degrees,
    /// A probability in percent, which the scene has as a fraction.
    Percent,
}

impl Display {
    /// Returns the display of a field, by its unit: angles are in degrees. Probabilities, which have no unit, are in percent.
    pub fn of(field: &NamedField) -> Self {
        match (field.name(), unit_of_field(field)) {
            (_, "rad") => Self::Degrees,
            (name, "") if name.ends_with("probability") => Self::Percent,
            _ => Self::Plain,
        }
    }

    /// Returns the unit of the shown number, given that of the scene.
    pub fn unit(self, unit: &'static str) -> &'static str {
        match self {
            Self::Plain => unit,
            Self::Degrees => "°",
            Self::Percent => "%",
        }
    }

    /// Returns the number to show, without the noise of the conversion in the last digits.
    pub fn shown(self, value: f64) -> f64 {
        let shown = match self {
            Self::Plain => return value,
            Self::Degrees => value.to_degrees(),
            Self::Percent => value * 100.0,
        };
        let short = short(shown);
        if is_same(self.converted(short), value) { short } else { shown }
    }

    /// Returns the number of the scene for a shown one, without the noise of the conversion in the last digits: `0.5 rad`,
    /// which is typed into a field in degrees, is 0.5 in the scene.
    pub fn stored(self, shown: f64) -> f64 {
        let value = self.converted(shown);
        let short = short(value);
        if is_same(short, value) { short } else { value }
    }

    /// Returns the limits of the shown number, given those of the one in the scene.
    pub fn limits(self, limits: Limits) -> Limits {
        Limits { min: self.shown(limits.min), max: self.shown(limits.max), ..limits }
    }

    fn converted(self, shown: f64) -> f64 {
        match self {
            Self::Plain => shown,
            Self::Degrees => shown.to_radians(),
            Self::Percent => shown / 100.0,
        }
    }
}

/// Returns a number with at most ten decimals.
fn short(number: f64) -> f64 {
    format!("{number:.10}").parse().unwrap_or(number)
}

/// Whether two numbers differ by no more than the noise of a conversion.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 4.0 * f64::EPSILON * other.abs()
}

/// Returns an angle in degrees for one in radians, without the noise of the conversion in the last digits.
pub fn degrees(radians: f64) -> f64 {
    Display::Degrees.shown(radians)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, unit: &str) -> f64 {
        read(text, unit, None).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn error(text: &str, unit: &str) -> String {
        read(text, unit, None).expect_err(text)
    }

    #[test]
    fn expressions_are_calculated() {
        assert_eq!(value("1/3", "m"), 1.0 / 3.0);
        assert_eq!(value("2*pi", "rad"), 2.0 * PI);
        assert_eq!(value("2 × π", "rad"), 2.0 * PI);
        assert_eq!(value("sqrt(2)", ""), 2.0_f64.sqrt());
        assert_eq!(value(" -0.1 ", "m"), -0.1);
        assert_eq!(value("−0.1", "m"), -0.1);
        assert_eq!(value("1e-3", "m"), 1e-3);
        assert_eq!(value("(1 + 2) * 3", "m"), 9.0);
    }

    #[test]
    fn units_are_converted_to_that_of_the_field() {
        for (text, unit, wanted) in [
            ("90 deg", "rad", PI / 2.0),
            ("90°", "rad", PI / 2.0),
            ("0.5 turn", "rad", PI),
            ("pi/2 rad", "°", 90.0),
            ("2*pi rad", "rad", 2.0 * PI),
            ("30 cm", "m", 0.3),
            ("57cm", "m", 0.57),
            ("1/2 km", "m", 500.0),
            ("2 min", "s", 120.0),
            ("50 ms", "s", 0.05),
            ("36 km/h", "m/s", 10.0),
            ("30 cm/s", "m/s", 0.3),
            ("60 rpm", "rad/s", 2.0 * PI),
            ("180 deg/s", "rad/s", PI),
            ("3 m/s2", "m/s²", 3.0),
            ("3 m", "m", 3.0),
            ("30 %", "", 0.3),
            ("30 %", "%", 30.0),
            ("2 kHz", "Hz", 2000.0),
        ] {
            assert!((value(text, unit) - wanted).abs() < 1e-12, "{text} in {unit}: {}", value(text, unit));
        }
    }

    #[test]
    fn changes_are_relative_to_the_value_shown() {
        let changed = |text: &str| read(text, "m", Some(2.0)).unwrap();
        assert_eq!(["*1.5", "/2", "+0.5", "+50 cm", "-=0.5", "+=1"].map(changed), [3.0, 1.0, 2.5, 2.5, 1.5, 3.0]);
        assert_eq!(["+10%", "*50%", "-=25%"].map(changed), [2.2, 1.0, 1.5]);
        assert_eq!(changed("-0.1"), -0.1, "a minus begins a value");
        assert!(error("*2", "m").contains("needs a value"));
    }

    #[test]
    fn errors_name_the_text_and_what_is_allowed() {
        assert_eq!(error("", "m"), "Enter a number");
        assert_eq!(error("  ", "m"), "Enter a number");
        assert!(error("1/x", "m").starts_with("\"1/x\" is not a number: unknown name `x`"), "{}", error("1/x", "m"));
        assert_eq!(error("3 kg", "m"), "\"kg\" does not fit: use m, mm, cm or km");
        assert_eq!(error("3 m", "rad/s"), "\"m\" does not fit: use rad/s, deg/s, °/s, turn/s or rpm");
        assert_eq!(error("3 m", "s"), "\"m\" does not fit: use s, ms, min or h");
        assert!(error("1/0", "m").contains("no finite value"));
        assert!(error("0,3", "m").contains("decimal point: 0.3"));
        assert!(error("2 > 1", "m").contains("is not a number"));
        assert!(error(&"1".repeat(1000), "m").contains("at most 200 characters"));
    }

    #[test]
    fn the_text_of_a_scene_keeps_typed_digits_and_whole_numbers() {
        let text = |text: &str, is_whole| scene_text(text, "", Some(3.0), is_whole);
        assert_eq!(text("1.2345678901234567890", false).as_deref(), Ok("1.2345678901234567890"));
        assert_eq!(text("18446744073709551615", true).as_deref(), Ok("18446744073709551615"));
        assert_eq!(text("*2", true).as_deref(), Ok("6"));
        assert_eq!(text("+0.5", false).as_deref(), Ok("3.5"));
        assert!(text("1/2", true).unwrap_err().contains("is 0.5: enter a whole number"));
        assert_eq!(read_whole("2*3 points", "points", None), Ok(6.0));
        assert!(read_whole("1/3", "points", None).unwrap_err().contains("enter a whole number"));
    }

    #[test]
    fn numbers_have_at_most_some_decimals() {
        assert_eq!([14.32394, 25.0, -0.5, 90.996].map(|value| with_decimals(value, 2)), ["14.32", "25", "-0.5", "91"]);
        assert_eq!(with_decimals(120.0, 0), "120");
    }

    #[test]
    fn numbers_lose_digits_only_where_the_room_is_small() {
        let short = |exact: &str| fitting(exact, 6);
        assert_eq!(short("0.25"), "0.25");
        assert_eq!(short("-0.10812345"), "-0.108");
        assert_eq!(short("8.424021234"), "8.424");
        assert_eq!(short("123456.789"), "123457");
        assert_eq!(short("0.0000123456"), "1.2e-5");
        assert_eq!(short("1000000"), "1e6");
        assert_eq!(short("1234567"), "1.23e6");
        assert_eq!(short("0.0012345678"), "0.0012");
        assert_eq!([fitting("12.5", 3), fitting("-0.75", 3)], ["12", "-1"]);
        assert_eq!(short("mixed up"), "mixed up");
    }

    #[test]
    fn degrees_have_no_noise_of_the_conversion() {
        for degrees_wanted in [0.0, 30.0, 45.0, 90.0, -90.0, 179.5, 12.345] {
            assert_eq!(degrees(f64::to_radians(degrees_wanted)), degrees_wanted);
        }
        let odd = 0.123_456_789_012_345_68;
        assert!((degrees(odd).to_radians() - odd).abs() < 1e-16);
        for fraction in [0.0, 0.07, 0.3, 0.57, 1.0] {
            let shown = Display::Percent.shown(fraction);
            assert!(shown.to_string().len() <= 3, "{shown}");
            assert_eq!(Display::Percent.stored(shown), fraction);
        }
    }

    /// A sequence of numbers that look random, the same in each run of the test.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 16
        }

        fn of<T: Copy>(&mut self, choices: &[T]) -> T {
            choices[self.next() as usize % choices.len()]
        }
    }

    const UNITS: [&str; 8] = ["m", "rad/s", "°", "%", "", "1/s", "m/s²", "Hz"];

    #[test]
    fn any_text_is_read_without_a_panic() {
        let signs: Vec<char> = "-+*/=()0123456789.,e% °²pimscdgrahk−π×\n\u{301}\u{1f600}ß_\"\\<>".chars().collect();
        let mut noise = Noise(7);
        let mut numbers = 0;
        for _ in 0..20_000 {
            let length = noise.next() % 12;
            let text: String = (0..length).map(|_| noise.of(&signs)).collect();
            let unit = noise.of(&UNITS);
            for present in [None, Some(2.5), Some(f64::MAX), Some(f64::NAN)] {
                if let Ok(value) = read(&text, unit, present) {
                    assert!(value.is_finite(), "{text}");
                    numbers += 1;
                }
                let _ = scene_text(&text, unit, present, true);
            }
            let _ = fitting(&text, 5);
        }
        assert!(numbers > 1000, "many of the texts are numbers: {numbers}");
    }

    #[test]
    fn the_shown_text_of_a_number_is_read_back() {
        let mut noise = Noise(11);
        for _ in 0..20_000 {
            let value = f64::from_bits(noise.next() << 16 ^ noise.next());
            if !value.is_finite() {
                continue;
            }
            let exact = format!("{value:?}");
            assert_eq!(read(&exact, "m", None), Ok(value));
            assert_eq!(scene_text(&exact, "m", None, false), Ok(exact.clone()));
            let value = value % 1e9;
            if value.abs() < 1e-9 {
                continue;
            }
            let exact = format!("{value:?}");
            for most in 7..20 {
                let shown = fitting(&exact, most);
                let near: f64 = shown.parse().unwrap();
                assert!((near - value).abs() <= 0.1 * value.abs(), "{shown} for {value} in {most}");
            }
        }
    }
}
