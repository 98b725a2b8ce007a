//! Ranges of seeds, in the syntax of ranges in Rust.

use std::fmt;
use std::str::FromStr;

use super::super::error::ArgumentError;

/// A range of seeds: `1..11` ends before 11, `1..=10` with 10. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    first: u64,
    last: u64,
}

impl Seeds {
    /// The seeds, in order.
    pub fn iter(self) -> impl Iterator<Item = u64> {
        self.first..=self.last
    }

    /// The number of seeds.
    pub fn count(self) -> u64 {
        (self.last - self.first).saturating_add(1)
    }
}

impl FromStr for Seeds {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let (first, end) = text.split_once("..").ok_or(ArgumentError::SeedRange)?;
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| ArgumentError::Seed(text.into()));
        let first = number(first)?;
        let last = match end.strip_prefix('=') {
            Some(last) => Some(number(last)?),
            None => number(end)?.checked_sub(1),
        };
        match last {
            Some(last) if first <= last => Ok(Self { first, last }),
            _ => Err(ArgumentError::NoSeed),
        }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.first, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Vec<u64> {
        text.parse::<Seeds>().unwrap().iter().collect()
    }

    #[test]
    fn ranges_are_those_of_rust() {
        assert_eq!(seeds("1..4"), [1, 2, 3]);
        assert_eq!(seeds("1..=4"), [1, 2, 3, 4]);
        assert_eq!(seeds("7..=7"), [7]);
        assert_eq!(format!("0..={}", u64::MAX).parse::<Seeds>().unwrap().count(), u64::MAX);
    }

    #[test]
    fn invalid_ranges_are_refused() {
        for bad in ["", "3", "1..", "..3", "3..3", "4..3", "4..=3", "0..0", "-1..2", "1...3", "a..b"] {
            assert!(bad.parse::<Seeds>().is_err(), "{bad}");
        }
    }
}
