//! Numbers as text in tables.

use std::fmt::Write as _;

/// Appends a number as its [`Display`](std::fmt::Display) writes it: the shortest decimal number that reads back the same,
/// without an exponent.
///
/// Tables with a row per step have millions of numbers, and this function takes a quarter of the instructions.
///
/// ```
/// use swarmarium_base::decimal::push_number;
///
/// let mut text = String::new();
/// push_number(&mut text, 0.1 + 0.2);
/// assert_eq!(text, "0.30000000000000004");
/// ```
pub fn push_number(text: &mut String, value: f64) {
    // The buffer writes other sizes with an exponent.
    if value != 0.0 && (1e-4..1e15).contains(&value.abs()) {
        let mut buffer = zmij::Buffer::new();
        let digits = buffer.format_finite(value);
        // The point is among the first characters.
        let point = digits.bytes().position(|byte| byte == b'.').unwrap_or(digits.len());
        let (digits, decimals) = match &digits[point..] {
            "" | ".0" => (&digits[..point], 0),
            decimals => (digits, decimals.len() - 1),
        };
        // `Display` rounds a number halfway between two decimals up, and the buffer to the even digit.
        let halves = value * (2_u64 << decimals) as f64;
        let is_halfway = halves as i64 as f64 == halves && halves as i64 % 2 != 0;
        if !is_halfway {
            text.push_str(digits);
            return;
        }
    }
    // Writing to a string cannot fail.
    _ = write!(text, "{value}");
}

/// Appends a whole number, as [`push_number`] does.
pub fn push_whole(text: &mut String, value: u64) {
    let (mut digits, mut first, mut rest) = ([b'0'; 20], 20, value);
    while first == 20 || rest > 0 {
        first -= 1;
        digits[first] += (rest % 10) as u8;
        rest /= 10;
    }
    text.extend(digits[first..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pushed(value: f64) -> String {
        let mut text = "a,".to_owned();
        push_number(&mut text, value);
        text.split_off(2)
    }

    #[test]
    fn whole_numbers_at_the_ends_are_written_as_by_display() {
        for end in [0, 9, 10, u64::MAX] {
            let mut text = String::new();
            push_whole(&mut text, end);
            assert_eq!(text, end.to_string());
        }
    }

    #[test]
    fn numbers_at_the_ends_are_written_as_by_display() {
        let ends = [0.0, 1e-4, 1e-5, 1e15, 1e16, f64::EPSILON, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN];
        for end in ends.into_iter().flat_map(|end| [end, end.next_up(), end.next_down()]).flat_map(|end| [end, -end]) {
            assert_eq!(pushed(end), end.to_string());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn numbers_are_written_as_by_display(
            bits in any::<u64>(),
            small in -1e3..1e3,
            whole in -1_000_000_i32..1_000_000,
            long in -(1_i64 << 53)..1_i64 << 53,
            places in 0_u32..50,
        ) {
            let (whole, halfway) = (f64::from(whole), long as f64 / (1_u64 << places) as f64);
            let mut text = "a,".to_owned();
            push_whole(&mut text, bits);
            prop_assert_eq!(text, format!("a,{bits}"));
            for value in [f64::from_bits(bits), small, whole, whole / 1e3, whole * 0.025, halfway] {
                prop_assert_eq!(pushed(value), value.to_string());
            }
        }
    }
}
