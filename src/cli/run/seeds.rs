//! Lists of seeds and of ranges of seeds.

use std::fmt;
use std::str::FromStr;

use super::super::error::ArgumentError;

/// The most seeds of a list.
const MOST: u64 = 1_000_000;

/// Seeds one by one and in ranges: `3,17,99`, `1..11` (without 11), `1..=10,50`. Never empty, and no seed twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds {
    text: String,
    seeds: Vec<u64>,
}

impl Seeds {
    /// The seeds, in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<'_> {
        self.seeds.iter().copied()
    }

    /// The end of the name of a folder for runs with these seeds, such as `seeds-1-20`: a long list would be too long.
    pub fn name(&self) -> String {
        match self.text.len() {
            ..=40 => format!("seeds-{}", self.text.replace("..=", "-").replace(',', "_")),
            _ => format!("{}-seeds", self.seeds.len()),
        }
    }

    /// The number of seeds.
    pub fn count(&self) -> u64 {
        self.seeds.len() as u64
    }
}

impl FromStr for Seeds {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let (mut seeds, mut written) = (Vec::new(), Vec::new());
        for part in text.split(',').map(str::trim) {
            let [first, last] = range(part)?;
            if (last - first).saturating_add(seeds.len() as u64) >= MOST {
                return Err(ArgumentError::TooManySeeds { most: MOST });
            }
            seeds.extend(first..=last);
            written.push(if first == last { first.to_string() } else { format!("{first}..={last}") });
        }
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(ArgumentError::SameSeed(pair[0])),
            None => Ok(Self { text: written.join(","), seeds }),
        }
    }
}

/// The first and the last seed of a range, or of a single seed.
fn range(text: &str) -> Result<[u64; 2], ArgumentError> {
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| ArgumentError::Seed(text.into()));
    let Some((first, end)) = text.split_once("..") else {
        let ends = text.split_once(['-', ':']).and_then(|(first, last)| number(first).ok().zip(number(last).ok()));
        let range = ends.filter(|(first, last)| first <= last);
        let hint = || range.map_or_else(String::new, |(first, last)| format!("; write {first}..={last}"));
        let seed = text.parse().map_err(|_| ArgumentError::SeedRange { hint: hint() })?;
        return Ok([seed, seed]);
    };
    let first = number(first)?;
    let last = match end.strip_prefix('=') {
        Some(last) => Some(number(last)?),
        None => number(end)?.checked_sub(1),
    };
    last.filter(|last| first <= *last).map(|last| [first, last]).ok_or(ArgumentError::NoSeed)
}

impl fmt::Display for Seeds {
    /// Ranges end with their last seed: `1..=10,50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Vec<u64> {
        text.parse::<Seeds>().unwrap().iter().collect()
    }

    #[test]
    fn seed_ranges_have_the_form_of_rust_ranges() {
        assert_eq!(seeds("1..4"), [1, 2, 3]);
        assert_eq!(seeds("1..=4"), [1, 2, 3, 4]);
        assert_eq!(seeds("7..=7"), [7]);
        assert_eq!(seeds(&format!("{0}..={0}", u64::MAX)), [u64::MAX]);
    }

    #[test]
    fn seed_lists_keep_their_order() {
        assert_eq!(seeds("3, 17,99"), [3, 17, 99]);
        assert_eq!(seeds("5,1..=3"), [5, 1, 2, 3]);
        assert_eq!("5,1..4".parse::<Seeds>().unwrap().to_string(), "5,1..=3");
        assert_eq!("5,1..4".parse::<Seeds>().unwrap().name(), "seeds-5_1-3");
    }

    #[test]
    fn other_marks_of_ranges_have_a_hint() {
        for text in ["1-20", "1:20", "4,1 - 20"] {
            let message = text.parse::<Seeds>().unwrap_err().to_string();
            assert!(message.ends_with("or 1..=10; write 1..=20"), "{message}");
        }
        for text in ["a-20", "20-1"] {
            assert!(text.parse::<Seeds>().unwrap_err().to_string().ends_with("or 1..=10"), "{text}");
        }
    }

    #[test]
    fn invalid_seed_lists_are_refused() {
        for bad in
            ["", "1..", "..3", "3..3", "4..3", "4..=3", "0..0", "-1..2", "1...3", "a..b", "3,", "1,1", "1..=5,3", "x"]
        {
            assert!(bad.parse::<Seeds>().is_err(), "{bad}");
        }
        assert!(format!("0..={}", u64::MAX).parse::<Seeds>().is_err());
    }
}
