//! Ticks: round numbers on an axis, and their texts.
//!
//! A tick is a whole number times a power of ten. Its value and its text come from these digits, so that neither depends on
//! the rounding of sums.

use std::collections::BTreeSet;

/// Numbers beyond this are not drawn, so that sums and ratios of numbers on an axis are finite.
const GREATEST: f64 = 1e150;
/// Numbers below this have no place on a logarithmic axis.
pub const LEAST: f64 = 1e-150;
/// Texts up to this length are written without a power of ten.
const PLAIN: usize = 6;

/// Whether a chart can show a number.
pub fn is_drawable(value: f64) -> bool {
    value.abs() <= GREATEST
}

/// A whole number times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: i64,
    power: i32,
}

impl Decimal {
    fn value(self) -> f64 {
        let Self { digits, power } = self;
        // The text of a number is rounded once; a product of powers would be rounded twice.
        format!("{digits}e{power}").parse().unwrap_or(f64::NAN)
    }

    /// Such as `-2.5`.
    fn plain(self) -> String {
        let Self { digits, power } = self;
        let sign = if digits < 0 { "-" } else { "" };
        let digits = digits.unsigned_abs().to_string();
        let text = match power {
            0.. => digits + &"0".repeat(power as usize),
            _ => {
                let after = power.unsigned_abs() as usize;
                let digits = format!("{digits:0>width$}", width = after + 1);
                let (before, after) = digits.split_at(digits.len() - after);
                format!("{before}.{after}")
            }
        };
        format!("{sign}{text}")
    }

    /// Such as `-2.5e6`.
    fn scientific(self) -> String {
        let Self { mut digits, mut power } = self;
        if digits == 0 {
            return "0".into();
        }
        while digits % 10 == 0 {
            (digits, power) = (digits / 10, power + 1);
        }
        let after = digits.unsigned_abs().to_string().len() as i32 - 1;
        let mantissa = Self { digits, power: -after }.plain();
        match power + after {
            0 => mantissa,
            power => format!("{mantissa}e{power}"),
        }
    }

    /// The length of the plain text without its sign.
    fn length(self) -> usize {
        let digits = self.digits.unsigned_abs().to_string().len();
        let power = self.power.unsigned_abs() as usize;
        if self.power >= 0 { digits + power } else { digits.max(power + 1) + 1 }
    }
}

/// A place on an axis with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The number.
    pub value: f64,
    /// Its text; empty for a small tick between others.
    pub label: String,
}

/// Ticks with texts of one form: all without powers of ten, or all with them.
fn labelled(ticks: Vec<Decimal>) -> Vec<Tick> {
    let plain = ticks.iter().map(|tick| tick.length()).max().unwrap_or(0);
    let scientific = ticks.iter().map(|tick| tick.scientific().trim_start_matches('-').len()).max().unwrap_or(0);
    let text = |tick: &Decimal| match plain <= PLAIN.max(scientific) {
        _ if tick.digits == 0 => "0".into(),
        true => tick.plain(),
        false => tick.scientific(),
    };
    ticks.iter().map(|tick| Tick { value: tick.value(), label: typographic(&text(tick)) }).collect()
}

/// The digits of exponents.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// A text of a number as it is printed: with a minus sign instead of a hyphen, and `2×10⁻⁶` instead of `2e-6`.
fn typographic(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("\u{2212}", digits));
    let Some((mantissa, power)) = digits.split_once('e') else { return format!("{sign}{digits}") };
    let raised = |letter: char| letter.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    let factor = if mantissa == "1" { String::new() } else { format!("{mantissa}×") };
    format!("{sign}{factor}10{}", power.chars().map(raised).collect::<String>())
}

/// The digit before and the power in the scientific form of a number above 0: 2.5 and 3 for 2500.
fn mantissa(value: f64) -> (f64, i32) {
    let text = format!("{value:e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.parse().unwrap_or(1.0), power.parse().unwrap_or(0))
}

/// About `count` ticks in a range, at multiples of 1, 2 or 5 times a power of ten.
pub fn linear(range @ [low, high]: [f64; 2], count: usize) -> Vec<Tick> {
    let (digit, power) = mantissa((high - low) / count.max(1) as f64);
    let (digit, power) = match digit {
        digit if digit <= 1.0 => (1, power),
        digit if digit <= 2.0 => (2, power),
        digit if digit <= 5.0 => (5, power),
        _ => (1, power + 1),
    };
    stepped(range, Decimal { digits: digit, power }, count)
}

/// Ticks in a range at multiples of 2.5 times a power of ten, if their number is from `least` to `most`.
pub fn quarters(range @ [low, high]: [f64; 2], [least, most]: [usize; 2]) -> Option<Vec<Tick>> {
    let (_, power) = mantissa((high - low) / most.max(1) as f64);
    let ticks = |power: i32| stepped(range, Decimal { digits: 25, power }, most);
    [power - 1, power].map(ticks).into_iter().find(|ticks| (least..=most).contains(&ticks.len()))
}

/// Ticks in a range at the multiples of a step, about `count`.
fn stepped([low, high]: [f64; 2], step: Decimal, count: usize) -> Vec<Tick> {
    let Decimal { digits: digit, power } = step;
    // A tick just beyond an end of the range belongs to the end.
    let steps = (low / step.value() - 1e-9).ceil();
    let is_range = high > low && steps.abs() <= 1e15;
    if !is_range {
        return Vec::new();
    }
    let first = steps as i64;
    let tick = |place: i64| Decimal { digits: (first + place) * digit, power };
    let limit = high + (high - low) * 1e-9;
    labelled((0..=2 * count as i64 + 2).map(tick).take_while(|tick| tick.value() <= limit).collect())
}

/// Ticks in a range above 0 for a logarithmic axis: powers of ten, with 2 and 5 times them in a short range, and multiples
/// of a step in a range that is shorter still. Small ticks without a text stand at the other multiples.
pub fn logarithmic([low, high]: [f64; 2], count: usize) -> Vec<Tick> {
    let (_, first) = mantissa(low);
    let (_, last) = mantissa(high);
    let in_range = |tick: &Decimal| {
        let value = tick.value();
        value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9)
    };
    let at = |digits: &[i64], every: i32| -> Vec<Decimal> {
        let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
        let ticks = powers.flat_map(|power| digits.iter().map(move |digits| Decimal { digits: *digits, power }));
        ticks.filter(in_range).collect()
    };
    let decades = at(&[1], 1).len();
    let all = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let long = at(&[1, 2, 5], 1);
    let dense = at(&all, 1);
    let ticks = if decades >= 2 && long.len() > count || decades > count {
        let least = decades.div_ceil(count.max(1)) as i32;
        at(&[1], [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300].into_iter().find(|every| *every >= least).unwrap_or(500))
    } else if dense.len() <= count {
        dense.clone()
    } else {
        long
    };
    if ticks.len() < 3 && decades < 2 {
        return linear([low, high], count);
    }
    let small = match decades {
        0..=6 => dense,
        7..=40 => at(&[1], 1),
        _ => Vec::new(),
    };
    let small = small.into_iter().filter(|small| !ticks.contains(small)).collect::<Vec<_>>();
    let small = small.into_iter().map(|tick| Tick { value: tick.value(), label: String::new() });
    let mut ticks = labelled(ticks);
    ticks.extend(small);
    ticks
}

/// Texts for numbers that a reader compares: with the same number of decimals, three digits for the greatest number. Numbers
/// of very different sizes have three digits each.
pub fn texts(values: &[f64]) -> impl Fn(f64) -> String + use<> {
    let (_, power) = mantissa(values.iter().map(|value| value.abs()).fold(0.0, f64::max));
    let least = values.iter().map(|value| value.abs()).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    let (_, least_power) = mantissa(least);
    let are_whole = values.iter().all(|value| value.fract() == 0.0);
    move |value| match power {
        // Signs of zeros, also of those from rounding, tell nothing.
        -3..6 if are_whole || (power >= 2 && power - least_power < 2) => {
            typographic(&format!("{:.0}", value.round() + 0.0))
        }
        -3..6 if power - least_power < 3 => {
            let text = format!("{value:.after$}", after = (2 - power).max(0) as usize);
            let is_zero = text.chars().all(|digit| "-0.".contains(digit));
            typographic(if is_zero { text.trim_start_matches('-') } else { &text })
        }
        _ => written(&format!("{value:.2e}")),
    }
}

/// The texts of numbers with as few digits, three at least, as tell them apart: for the levels of a factor.
pub fn levels(values: &[f64]) -> Vec<String> {
    let texts = |digits: usize| values.iter().map(|value| short(*value, digits)).collect::<Vec<_>>();
    let are_apart = |texts: &Vec<String>| texts.iter().collect::<BTreeSet<_>>().len() == texts.len();
    (2..=5).map(texts).find(are_apart).unwrap_or_else(|| texts(5))
}

/// The texts of levels at even distances: with the same number of decimals, unless they are rounded.
pub fn even_levels(values: &[f64]) -> Vec<String> {
    let texts = levels(values);
    let decimals = |text: &String| text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let most = texts.iter().map(decimals).max().unwrap_or(0);
    let is_plain = |text: &String| text.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '\u{2212}');
    let is_exact =
        |(text, value): (&String, &f64)| is_plain(text) && text.replace('\u{2212}', "-").parse() == Ok(*value);
    if most == 0 || !texts.iter().zip(values).all(is_exact) {
        return texts;
    }
    let padded = |text: &String| {
        let point = if text.contains('.') { "" } else { "." };
        format!("{text}{point}{}", "0".repeat(most - decimals(text)))
    };
    texts.iter().map(padded).collect()
}

/// A number that has at most so many digits after the first one. Short numbers stay as they are.
fn short(value: f64, digits: usize) -> String {
    const SHORT: usize = 9;
    let shortest = format!("{value:e}");
    if shortest.len() <= SHORT { written(&shortest) } else { written(&format!("{value:.digits$e}")) }
}

/// The shortest text of a number in the scientific form.
fn written(scientific: &str) -> String {
    let decimal = scientific.split_once('e').and_then(|(mantissa, power)| {
        let after = mantissa.split_once('.').map_or(0, |(_, after)| after.len() as i32);
        let (mut digits, mut power) =
            (mantissa.replace('.', "").parse::<i64>().ok()?, power.parse::<i32>().ok()? - after);
        while digits % 10 == 0 && digits != 0 {
            (digits, power) = (digits / 10, power + 1);
        }
        Some(Decimal { digits, power })
    });
    let Some(decimal) = decimal else { return "no value".into() };
    let scientific = decimal.scientific();
    let is_plain = decimal.length() <= PLAIN.max(scientific.trim_start_matches('-').len());
    match decimal.digits {
        0 => "0".into(),
        _ => typographic(if is_plain { decimal.plain() } else { scientific }.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).filter(|label| !label.is_empty()).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(&linear([0.0, 1.0], 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(&linear([-7.0, 12.0], 4)), ["\u{2212}5", "0", "5", "10"]);
        assert_eq!(texts(&linear([0.0, 2.5e6], 5)), ["0", "5×10⁵", "10⁶", "1.5×10⁶", "2×10⁶", "2.5×10⁶"]);
        assert_eq!(texts(&linear([0.0, 2.1e-9], 2)), ["0", "2×10⁻⁹"]);
        assert_eq!(texts(&quarters([-0.1, 1.1], [4, 8]).unwrap()), ["0", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(quarters([0.0, 1.0], [6, 8]), None);
        assert_eq!(texts(&linear([1e12, 1e12 + 4.0], 4))[0], "1000000000000");
        let ticks = linear([0.0, 0.3], 3);
        assert_eq!(ticks.last().map(|tick| tick.value), Some(0.3), "not 0.30000000000000004");
    }

    #[test]
    fn ticks_exist_for_any_range() {
        assert!(linear([1.0, 1.0], 5).is_empty() && linear([f64::NAN, 1.0], 5).is_empty());
        assert!(linear([1e16, 1e16 + 4.0], 500).len() < 1100);
        for range in [[-1e300, 1e300], [5e-324, 1e-323], [1e-300, 1e300], [-1e-9, 1e12]] {
            let ticks = linear(range, 6);
            assert!(ticks.len() <= 14 && ticks.iter().all(|tick| tick.value.is_finite()), "{ticks:?}");
        }
    }

    #[test]
    fn logarithmic_ticks_fit_their_range() {
        assert_eq!(texts(&logarithmic([1e-9, 1e12], 8)), ["10⁻⁹", "10⁻⁶", "10⁻³", "1", "10³", "10⁶", "10⁹", "10¹²"]);
        assert_eq!(texts(&logarithmic([1.0, 1000.0], 5)), ["1", "10", "100", "1000"]);
        assert_eq!(texts(&logarithmic([1.0, 20.0], 7)), ["1", "2", "5", "10", "20"]);
        assert_eq!(texts(&logarithmic([2.0, 7.0], 6)), ["2", "3", "4", "5", "6", "7"]);
        assert_eq!(texts(&logarithmic([10.5, 11.0], 6)), ["10.5", "10.6", "10.7", "10.8", "10.9", "11.0"]);
        assert_eq!(logarithmic([1.0, 1000.0], 5).len(), 28);
        assert_eq!(texts(&logarithmic([1e-150, 1e150], 8)).len(), 7);
        assert_eq!(texts(&linear([0.3, 0.7], 4)), ["0.3", "0.4", "0.5", "0.6", "0.7"]);
    }

    #[test]
    fn numbers_in_texts_are_short() {
        let written = |numbers: [f64; 3]| numbers.map(super::texts(&numbers));
        assert_eq!(written([0.5, -0.123_456, -0.001_6]), ["0.500", "\u{2212}0.123", "\u{2212}0.002"]);
        assert_eq!(written([1.0, 20.0, -0.0]), ["1", "20", "0"]);
        assert_eq!(written([1.0, 2.25, 0.0]), ["1.00", "2.25", "0.00"]);
        assert_eq!(written([1234.7, 123.5, 999.0]), ["1235", "124", "999"]);
        assert_eq!(written([1234.7, 99.6, 12.0]), ["1235", "100", "12"]);
        assert_eq!(written([1234.0, 0.25, -3.0]), ["1230", "0.25", "\u{2212}3"]);
        assert_eq!(written([1e9, 2.5e-7, -1.0]), ["10⁹", "2.5×10⁻⁷", "\u{2212}1"]);
        assert_eq!(levels(&[0.1 + 0.2, 1234.5, 1.0 / 3.0]), ["0.3", "1234.5", "0.333"]);
        assert_eq!(levels(&[0.333_31, 0.333_34]), ["0.33331", "0.33334"]);
        assert_eq!(even_levels(&[-1.0, 0.0, 1.5]), ["\u{2212}1.0", "0.0", "1.5"]);
        assert_eq!(even_levels(&[10.0, 20.0]), ["10", "20"]);
        assert_eq!(even_levels(&[0.052_36, 0.104_72, 0.157_08]), ["0.05236", "0.10472", "0.15708"]);
        assert_eq!(even_levels(&[0.052_359_877_5, 0.104_719_755, 0.2]), ["0.0524", "0.105", "0.2"]);
    }
}
