//! Python's ways to write values into texts: `'%.2f' % x`, and `'{:.2f}'.format(x)`.

use super::EvaluationError;
use super::evaluate::{Outcome, size};
use super::operate::MAX_TEXT;
use super::value::{Value, float_text};

/// The largest width, and the most decimals.
const MAX_WIDTH: usize = 1000;

fn invalid<T>(message: &str) -> Outcome<T> {
    Err(EvaluationError::invalid(message))
}

/// How a value is written.
#[derive(Clone, Debug, Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    width: usize,
    grouping: bool,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Spec {
    /// Reads a specification such as `>8.3f`.
    fn parse(text: &str) -> Outcome<Self> {
        let characters: Vec<char> = text.chars().collect();
        let mut rest = &characters[..];
        let mut spec = Self::default();
        let is_align = |c: &char| matches!(c, '<' | '>' | '^' | '=');
        if let [fill, align, ..] = rest
            && is_align(align)
        {
            (spec.fill, spec.align) = (Some(*fill), Some(*align));
            rest = &rest[2..];
        } else if let [align, ..] = rest
            && is_align(align)
        {
            spec.align = Some(*align);
            rest = &rest[1..];
        }
        let mut take = |wanted: &[char]| {
            let found = rest.first().copied().filter(|c| wanted.contains(c));
            rest = &rest[usize::from(found.is_some())..];
            found
        };
        spec.sign = take(&['+', '-', ' ']);
        spec.alternate = take(&['#']).is_some();
        if take(&['0']).is_some() && spec.align.is_none() {
            (spec.fill, spec.align) = (Some('0'), Some('='));
        }
        spec.width = number(&mut rest)?.unwrap_or(0);
        let mut take = |wanted: &[char]| {
            let found = rest.first().copied().filter(|c| wanted.contains(c));
            rest = &rest[usize::from(found.is_some())..];
            found
        };
        spec.grouping = take(&[',', '_']).is_some();
        if take(&['.']).is_some() {
            spec.precision = Some(number(&mut rest)?.unwrap_or(0));
        }
        spec.kind = rest.first().copied();
        if rest.len() > 1 { invalid("unknown format of a text") } else { Ok(spec) }
    }

    /// Writes a value.
    fn apply(&self, value: &Value) -> Outcome<String> {
        let is_number = value.as_f64().is_some() && !(matches!(value, Value::Truth(_)) && self.kind.is_none());
        if !is_number || self.kind == Some('s') {
            if !matches!(self.kind, None | Some('s')) {
                return invalid("a number is needed for this format");
            }
            let text = value.to_string();
            let text: String = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
            return Ok(self.pad("", &text, '<'));
        }
        let float = value.as_f64().unwrap_or(f64::NAN);
        let is_negative = float < 0.0 || (float == 0.0 && float.is_sign_negative());
        let digits = match (self.kind, value.as_whole()) {
            (Some('d' | 'i' | 'u') | None, Some(whole)) => whole.unsigned_abs().to_string(),
            (Some('x'), Some(whole)) => format!("{:x}", whole.unsigned_abs()),
            (Some('X'), Some(whole)) => format!("{:X}", whole.unsigned_abs()),
            (Some('o'), Some(whole)) => format!("{:o}", whole.unsigned_abs()),
            (Some('b'), Some(whole)) => format!("{:b}", whole.unsigned_abs()),
            (Some('d' | 'i' | 'u' | 'x' | 'X' | 'o' | 'b'), None) => {
                return invalid("a whole number is needed for this format");
            }
            (Some('f' | 'F'), _) => fixed(float.abs(), self.precision.unwrap_or(6)),
            (Some('%'), _) => format!("{}%", fixed(float.abs() * 100.0, self.precision.unwrap_or(6))),
            (Some('e' | 'E'), _) => exponential(float.abs(), self.precision.unwrap_or(6)),
            (Some('g' | 'G'), _) => general(float.abs(), self.precision.unwrap_or(6)),
            (None, None) => match self.precision {
                Some(precision) => general(float.abs(), precision),
                None => float_text(float.abs()),
            },
            _ => return invalid("unknown format of a number"),
        };
        let digits =
            if self.kind.is_some_and(|kind| kind.is_ascii_uppercase()) { digits.to_uppercase() } else { digits };
        let digits = if self.grouping { grouped(&digits) } else { digits };
        let base = match self.kind {
            Some(kind @ ('x' | 'X' | 'o' | 'b')) if self.alternate => format!("0{kind}"),
            _ => String::new(),
        };
        let sign = match (is_negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        Ok(self.pad(&format!("{sign}{base}"), &digits, '>'))
    }

    /// Fills a text up to the width.
    fn pad(&self, sign: &str, text: &str, default: char) -> String {
        let missing = self.width.saturating_sub(sign.chars().count() + text.chars().count());
        let fill = |count: usize| self.fill.unwrap_or(' ').to_string().repeat(count);
        match self.align.unwrap_or(default) {
            '<' => format!("{sign}{text}{}", fill(missing)),
            '^' => format!("{}{sign}{text}{}", fill(missing / 2), fill(missing - missing / 2)),
            '=' => format!("{sign}{}{text}", fill(missing)),
            _ => format!("{}{sign}{text}", fill(missing)),
        }
    }
}

/// The whole number that begins the characters.
fn number(rest: &mut &[char]) -> Outcome<Option<usize>> {
    let digits: String = rest.iter().take_while(|c| c.is_ascii_digit()).collect();
    *rest = &rest[digits.len()..];
    if digits.is_empty() {
        return Ok(None);
    }
    digits.parse().ok().filter(|number| *number <= MAX_WIDTH).map(Some).ok_or(EvaluationError::TooLarge)
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let end = digits.find(['.', 'e', 'E', '%']).unwrap_or(digits.len());
    let (whole, rest) = digits.split_at(end);
    let mut result = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            result.push(',');
        }
        result.push(digit);
    }
    result + rest
}

fn fixed(number: f64, decimals: usize) -> String {
    if number.is_finite() { format!("{number:.decimals$}") } else { float_text(number) }
}

fn exponential(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return float_text(number);
    }
    let text = format!("{number:.decimals$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

fn general(number: f64, precision: usize) -> String {
    if !number.is_finite() {
        return float_text(number);
    }
    let precision = precision.max(1);
    let text = exponential(number, precision - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default();
    let without_zeros = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let decimals = usize::try_from(precision as i32 - 1 - exponent).unwrap_or(0);
    without_zeros(&fixed(number, decimals))
}

/// Counts the text of a value to all that is read, of which some is left out where a format has a precision.
fn count(read: &mut usize, value: &Value) -> Outcome<()> {
    *read = read.saturating_add(16 * value.count_within(MAX_TEXT / 16));
    if *read > MAX_TEXT { Err(EvaluationError::TooLarge) } else { Ok(()) }
}

/// The text for `text % values`.
///
/// # Errors
/// When the values do not fit the text.
pub fn percent(text: &str, values: &Value) -> Outcome<String> {
    let mut left = match values {
        Value::Tuple(items) => items.borrow().clone(),
        other => vec![other.clone()],
    };
    left.reverse();
    let mut output = String::new();
    let mut read = 0;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        output += before;
        let (key, after) = match after.strip_prefix('(').and_then(|after| after.split_once(')')) {
            Some((key, after)) => (Some(key), after),
            None => (None, after),
        };
        let end = after.find(|c: char| c.is_ascii_alphabetic() || c == '%');
        let Some(end) = end else { return invalid("incomplete format") };
        let (flags, kind) = (&after[..end], after[end..].chars().next().unwrap_or('s'));
        rest = &after[end + 1..];
        if kind == '%' {
            output.push('%');
            continue;
        }
        let value = match (key, values) {
            (Some(key), Value::Dict(dict)) => {
                read += size(values);
                dict.borrow().get(&Value::text(key)).cloned()
            }
            (Some(_), _) => return invalid("format requires a mapping"),
            (None, _) => left.pop(),
        };
        let Some(value) = value else { return invalid("not enough arguments for format string") };
        count(&mut read, &value)?;
        // Left alignment is `-` here and `<` in a specification; numbers and texts are aligned to the right.
        let is_left = flags.contains('-');
        let flags = flags.trim_start_matches('-');
        let spec = Spec::parse(&format!("{}{flags}", if is_left { "<" } else { "" }))?;
        let text = match kind {
            's' | 'r' => {
                let text = if kind == 'r' { value.repr() } else { value.to_string() };
                let align = Some(if is_left { '<' } else { '>' });
                Spec { kind: Some('s'), align, ..spec }.apply(&Value::text(text))?
            }
            'd' | 'i' | 'u' => {
                let Some(number) = value.as_f64() else { return invalid("%d format: a real number is required") };
                let whole = value.as_whole().unwrap_or(number.trunc() as i128);
                Spec { kind: Some('d'), ..spec }.apply(&Value::Whole(whole))?
            }
            kind => Spec { kind: Some(kind), ..spec }.apply(&value)?,
        };
        output += &text;
        if output.len() > MAX_TEXT {
            return Err(EvaluationError::TooLarge);
        }
    }
    // A map or a list needs not be written whole.
    if !left.is_empty() && !matches!(values, Value::Dict(_) | Value::List(_)) {
        return invalid("not all arguments converted during string formatting");
    }
    Ok(output + rest)
}

/// The text for `text.format(…)`.
///
/// # Errors
/// When the values do not fit the text.
pub fn braces(text: &str, values: &[Value], named: &[(String, Value)]) -> Outcome<String> {
    let mut output = String::new();
    let (mut next, mut read) = (0, 0);
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        output += &rest[..at];
        let mark = &rest[at..at + 1];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(mark) {
            output += mark;
            rest = after;
            continue;
        }
        let Some((field, after)) = rest.split_once('}').filter(|_| mark == "{") else {
            return invalid("single brace in format string");
        };
        rest = after;
        let (name, spec) = field.split_once(':').unwrap_or((field, ""));
        let (name, conversion) = name.split_once('!').unwrap_or((name, ""));
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (name, path) = name.split_at(end);
        let value = match name.parse::<usize>() {
            _ if name.is_empty() => {
                next += 1;
                values.get(next - 1)
            }
            Ok(place) => values.get(place),
            Err(_) => named.iter().find(|(known, _)| known == name).map(|(_, value)| value),
        };
        let mut value = value.cloned().ok_or_else(|| EvaluationError::invalid("replacement index out of range"))?;
        for index in path.split(['[', ']']).filter(|index| !index.is_empty()) {
            let index = index.parse().map_or_else(|_| Value::text(index), Value::Whole);
            read += 16 * size(&value);
            if read > MAX_TEXT {
                return Err(EvaluationError::TooLarge);
            }
            value = super::method::item(&value, &index)?;
        }
        count(&mut read, &value)?;
        let value = if conversion == "r" { Value::text(value.repr()) } else { value };
        output += &Spec::parse(spec)?.apply(&value)?;
        if output.len() > MAX_TEXT {
            return Err(EvaluationError::TooLarge);
        }
    }
    Ok(output + rest)
}

/// A number with so many decimals, as Python's `round` gives it.
pub fn rounded(number: f64, decimals: i128) -> f64 {
    match usize::try_from(decimals) {
        Ok(decimals) => fixed(number, decimals.min(MAX_WIDTH)).parse().unwrap_or(number),
        Err(_) => {
            let unit = libm::pow(10.0, decimals.unsigned_abs().min(400) as f64);
            libm::rint(number / unit) * unit
        }
    }
}
