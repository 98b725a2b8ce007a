//! Numbers as texts of the window.

/// A whole number with commas: `2,899`.
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

/// A number of changes in words: `1 change`, `3 changes`.
pub fn counted(changes: usize) -> String {
    format!("{changes} change{}", if changes == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 12, 999, 2899, 1_000_000].map(grouped), ["0", "12", "999", "2,899", "1,000,000"]);
    }
}
