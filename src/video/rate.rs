//! Frame rates, exactly.

use std::fmt;
use std::str::FromStr;

/// A text or a number that is not a frame rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected frames per second from 0.1 to 240, such as 30, 12.5 or 30000/1001")]
pub struct RateError;

/// Frames per second, as a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    frames: u32,
    seconds: u32,
}

impl Rate {
    /// The rate of a number of frames in a number of seconds; `None` when it is not from 0.1 to 240 frames per second.
    pub fn new(frames: u32, seconds: u32) -> Option<Self> {
        let divisor = greatest_common_divisor(frames, seconds);
        let (frames, seconds) = (frames.checked_div(divisor)?, seconds.checked_div(divisor)?);
        // Image formats keep both in 16 bits.
        let fits = frames <= u32::from(u16::MAX) && seconds <= u32::from(u16::MAX);
        let is_sound = u64::from(frames) * 10 >= u64::from(seconds) && frames <= seconds.saturating_mul(240);
        (fits && is_sound).then_some(Self { frames, seconds })
    }

    /// The whole number of frames in [`seconds`](Self::seconds).
    pub fn frames(self) -> u32 {
        self.frames
    }

    /// The whole number of seconds that [`frames`](Self::frames) last.
    pub fn seconds(self) -> u32 {
        self.seconds
    }

    /// Frames per second.
    pub fn per_second(self) -> f64 {
        f64::from(self.frames) / f64::from(self.seconds)
    }

    /// The time at which a frame is shown, in seconds after the first frame.
    pub fn time_s(self, frame: u64) -> f64 {
        frame as f64 * f64::from(self.seconds) / f64::from(self.frames)
    }

    /// The time at which a frame is shown, in whole hundredths of a second, so that the durations of frames add up.
    pub fn centiseconds(self, frame: u64) -> u64 {
        let exact = u128::from(frame) * 100 * u128::from(self.seconds);
        ((exact + u128::from(self.frames) / 2) / u128::from(self.frames)) as u64
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

impl FromStr for Rate {
    type Err = RateError;

    /// Reads `30`, `29.97` and `30000/1001`.
    fn from_str(text: &str) -> Result<Self, RateError> {
        let fraction = match text.split_once('/') {
            Some((frames, seconds)) => frames.parse().ok().zip(seconds.parse().ok()),
            None => {
                let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
                let is_number = decimals.len() <= 3 && format!("{whole}{decimals}").bytes().all(|c| c.is_ascii_digit());
                let frames = is_number.then(|| format!("{whole}{decimals}").parse().ok()).flatten();
                frames.zip(10_u32.checked_pow(decimals.len() as u32))
            }
        };
        fraction.and_then(|(frames, seconds)| Self::new(frames, seconds)).ok_or(RateError)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds {
            1 => write!(f, "{}", self.frames),
            seconds => write!(f, "{}/{seconds}", self.frames),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_rates_are_exact_fractions() {
        let texts = ["30", "29.97", "30000/1001", "12.5", "60/2", "0.1"].map(|text| text.parse::<Rate>().unwrap());
        assert_eq!(texts.map(|rate| rate.to_string()), ["30", "2997/100", "30000/1001", "25/2", "30", "1/10"]);
        for bad in ["", "0", "-30", "241", "0.01", "fast", "30/0", "1/0.5", ".", "1e3", "29.97003"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }

    #[test]
    fn gif_centiseconds_add_up_to_the_duration() {
        let rate: Rate = "30".parse().unwrap();
        let times: Vec<u64> = (0..=6).map(|frame| rate.centiseconds(frame)).collect();
        assert_eq!(times, [0, 3, 7, 10, 13, 17, 20]);
        assert_eq!(rate.centiseconds(30_000), 100_000);
    }
}
