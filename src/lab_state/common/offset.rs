//! Distances from a moment in words: "3 s before".

/// Words for a moment before another one.
const EARLIER: &[&str] = &["before", "earlier", "back", "ago"];

/// Words for a moment after another one.
const LATER: &[&str] = &["after", "later", "ahead", "forward"];

/// Units of time in words, each with its seconds.
const UNITS_S: &[(&str, f64)] = &[
    ("ms", 0.001),
    ("s", 1.0),
    ("sec", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("min", 60.0),
    ("minute", 60.0),
    ("minutes", 60.0),
];

/// A distance from a moment, negative towards the start of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Offset {
    /// Seconds of simulated time.
    Time(f64),
    /// Steps.
    Steps(f64),
}

impl Offset {
    /// Returns the number of steps of a duration in seconds.
    pub fn steps(self, dt_s: f64) -> f64 {
        match self {
            Self::Time(time_s) => (time_s / dt_s).round(),
            Self::Steps(steps) => steps,
        }
    }
}

/// Reads a distance from a moment: `-3 s`, `+3 s`, `3 s before`, `3 s earlier`, `10 steps later`; `None` for other texts.
pub fn read(text: &str) -> Option<Offset> {
    let text = text.trim().to_lowercase().replace('\u{2212}', "-");
    let (signed, text) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
        (Some(rest), _) => (Some(-1.0), rest),
        (_, Some(rest)) => (Some(1.0), rest),
        _ => (None, text.as_str()),
    };
    let direction = |words: &[&str]| words.iter().find_map(|word| text.trim_end().strip_suffix(word));
    let (named, text) = match (direction(EARLIER), direction(LATER)) {
        (Some(rest), _) => (Some(-1.0), rest),
        (_, Some(rest)) => (Some(1.0), rest),
        _ => (None, text),
    };
    // A number alone is not a distance, and two directions contradict each other.
    let sign = signed.xor(named)?;
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number = text[..digits].parse::<f64>().ok()? * sign;
    let unit = text[digits..].trim();
    if matches!(unit, "step" | "steps") {
        return (number.fract() == 0.0).then_some(Offset::Steps(number));
    }
    let (_, seconds) = UNITS_S.iter().find(|(name, _)| *name == unit)?;
    Some(Offset::Time(number * seconds))
}

/// Splits a text such as `3 s before the first collision` into the distance and the moment.
pub fn split(text: &str) -> Option<(Offset, &str)> {
    text.match_indices(' ').find_map(|(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at..)?.trim());
        let last = before.rsplit(' ').next()?;
        let is_direction = EARLIER.contains(&last) || LATER.contains(&last);
        Some((read(before).filter(|_| is_direction && !after.is_empty())?, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_a_moment_are_read_from_words() {
        for text in ["-3 s", "-3s", "\u{2212}3 s", "3 s before", "3 s earlier", "3 seconds ago", "3000 ms back"] {
            assert_eq!(read(text), Some(Offset::Time(-3.0)), "{text}");
        }
        assert_eq!(read("+0.5 min"), Some(Offset::Time(30.0)));
        assert_eq!(read("10 steps later"), Some(Offset::Steps(10.0)));
        for text in ["3 s", "-3", "before", "-3 s before", "- s", "-3 m", "1.5 steps back", "millers-3"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
