//! The meaning of a plain YAML 1.1 scalar, exactly as in PyYAML's `FullLoader`.

/// The meaning of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `null`, `~` or nothing.
    Null,
    /// `yes`, `off` and the like.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number with a dot.
    Float(f64),
    /// Anything else.
    Text,
}

/// Resolves a scalar without quotes and tag.
pub fn resolve(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        _ => number(text).unwrap_or(Scalar::Text),
    }
}

fn number(text: &str) -> Option<Scalar> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let signed = |value: f64| if negative { -value } else { value };
    if matches!(body, ".inf" | ".Inf" | ".INF") {
        return Some(Scalar::Float(signed(f64::INFINITY)));
    }
    // PyYAML reads `.5` as a number, but not `-.5` or `+.5`.
    let may_start = |c: u8| c.is_ascii_digit() || (c == b'.' && body.len() == text.len());
    if !body.bytes().next().is_some_and(may_start) {
        return None;
    }
    let whole = |value: i128| Scalar::Int(if negative { -value } else { value });
    int(body).map(whole).or_else(|| float(body).map(|value| Scalar::Float(signed(value))))
}

/// A whole number without its sign: decimal, `017`, `0x1F`, `0b11` or `1:30`.
fn int(body: &str) -> Option<i128> {
    if body.contains(':') {
        return sexagesimal(body.strip_prefix(|c| matches!(c, '1'..='9')).map(|_| body)?);
    }
    let digits = body.replace('_', "");
    let (digits, radix) = match body.as_bytes() {
        [b'0', b'x', ..] => (&digits[2..], 16),
        [b'0', b'b', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (&digits[..], 10),
    };
    // `0_` is zero.
    if digits.is_empty() && radix == 8 {
        return Some(0);
    }
    let all_digits = digits.chars().all(|c| c.is_digit(radix));
    (all_digits && !digits.is_empty()).then(|| i128::from_str_radix(digits, radix).unwrap_or(i128::MAX))
}

/// A number to base sixty, as in `1:30` minutes.
fn sexagesimal(body: &str) -> Option<i128> {
    let mut parts = body.split(':');
    let first = parts.next()?.replace('_', "");
    parts.try_fold(first.parse().ok()?, |value: i128, part| {
        let digits = (1..=2).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
        let part: i128 = part.parse().ok().filter(|part| digits && *part < 60)?;
        value.checked_mul(60)?.checked_add(part)
    })
}

/// A number with a dot, and with a sign in its exponent if it has one. `1e-3` is a text.
fn float(body: &str) -> Option<f64> {
    let (base, fraction) = body.split_once('.')?;
    let (decimals, exponent) = match fraction.split_once(['e', 'E']) {
        Some((decimals, exponent)) => (decimals, Some(exponent)),
        None => (fraction, None),
    };
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit() || c == b'_');
    if !is_digits(decimals) || !exponent.is_none_or(is_exponent) {
        return None;
    }
    if base.contains(':') {
        let minutes = sexagesimal(base).filter(|_| exponent.is_none())?;
        let seconds: f64 = format!("0.{}0", decimals.replace('_', "")).parse().ok()?;
        return Some(minutes as f64 + seconds);
    }
    let has_digits = if base.is_empty() { decimals.starts_with(|c: char| c.is_ascii_digit()) } else { is_digits(base) };
    has_digits.then(|| body.replace('_', "").parse().ok())?
}

fn is_exponent(exponent: &str) -> bool {
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Scalar, resolve};

    #[test]
    fn scalars_resolve_as_in_pyyaml() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(resolve(text), Scalar::Null, "{text}");
        }
        for (text, value) in [("yes", true), ("On", true), ("TRUE", true), ("no", false), ("off", false)] {
            assert_eq!(resolve(text), Scalar::Bool(value), "{text}");
        }
        for (text, value) in INTS {
            assert_eq!(resolve(text), Scalar::Int(value), "{text}");
        }
        for (text, value) in FLOATS {
            assert_eq!(resolve(text), Scalar::Float(value), "{text}");
        }
        assert!(matches!(resolve(".NaN"), Scalar::Float(value) if value.is_nan()));
        for text in TEXTS.split_whitespace() {
            assert_eq!(resolve(text), Scalar::Text, "{text}");
        }
    }

    // All expected values were printed by PyYAML 6.0.3.
    const INTS: [(&str, i128); 18] = [
        ("0", 0),
        ("-0", 0),
        ("00", 0),
        ("0_", 0),
        ("6", 6),
        ("06", 6),
        ("017", 15),
        ("0x1F", 31),
        ("-0x10", -16),
        ("0b101", 5),
        ("+12", 12),
        ("1_000", 1000),
        ("1__2", 12),
        ("1:30", 90),
        ("-1:30", -90),
        ("190:20:30", 685_230),
        ("9999999999999999999", 9_999_999_999_999_999_999),
        ("1:5", 65),
    ];
    const FLOATS: [(&str, f64); 13] = [
        ("1.0e-3", 0.001),
        ("1.e+3", 1000.0),
        (".5", 0.5),
        (".5e+2", 50.0),
        ("5.", 5.0),
        ("09.5", 9.5),
        ("-2.25", -2.25),
        ("1_0.5_0", 10.5),
        ("1:30.5", 90.5),
        ("-190:20:30.15", -685_230.15),
        (".inf", f64::INFINITY),
        ("+.inf", f64::INFINITY),
        ("-.INF", f64::NEG_INFINITY),
    ];
    const TEXTS: &str = "nUll yEs y n 08 0o17 0:30 1:60 1e-3 1.5e3 -.5 +.5 -.nan _1 . - + 1.2.3 1,5 0x_ 0b_ 0x \
        0X1F 0b2 1: :30 1:300 1:30.5e+1 ._ ._5 1.5e+ --1 1:3_0 é";
}
