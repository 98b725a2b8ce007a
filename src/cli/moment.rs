//! Moments on the command line: `--at`, `--from` and `--to`.

use std::str::FromStr;

use anyhow::bail;
use swarmarium_formats::run_folder::{At, AtError};

use super::error::ArgumentError;

/// A moment of a run, or of a scene that is run for it.
#[derive(Clone, Debug, PartialEq)]
pub enum MomentArgument {
    /// A number: a step of a run folder, or seconds of a scene.
    Number(f64),
    /// A time, or a bookmark.
    At(At),
}

impl FromStr for MomentArgument {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(Self::Number(number)),
            Ok(_) => Err(ArgumentError::Moment),
            Err(_) => text.parse().map(Self::At).map_err(|AtError| ArgumentError::Moment),
        }
    }
}

impl MomentArgument {
    /// The moment in a run folder, where a number is a step.
    ///
    /// # Errors
    /// When the number is not whole.
    pub fn of_run(&self, flag: &str) -> anyhow::Result<At> {
        match self {
            Self::Number(number) if number.fract() != 0.0 || *number > 2f64.powi(53) => {
                bail!("{flag} {number}: a run folder has whole steps: {AtError}")
            }
            Self::Number(number) => Ok(At::Step(*number as u64)),
            Self::At(at) => Ok(at.clone()),
        }
    }

    /// The time in a scene in seconds, where a number is one.
    ///
    /// # Errors
    /// When it is a bookmark: scenes have none.
    pub fn seconds(&self, flag: &str) -> anyhow::Result<f64> {
        match self {
            Self::Number(seconds) | Self::At(At::Time(seconds)) => Ok(*seconds),
            Self::At(_) => {
                bail!("{flag}: expected seconds ≥ 0, such as 60, 90s or 2m; only folders of runs have bookmarks")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_step_of_a_run_and_a_time_of_a_scene() {
        let of = |text: &str| text.parse::<MomentArgument>().unwrap();
        assert_eq!((of("20").of_run("--at").unwrap(), of("20").seconds("--at").unwrap()), (At::Step(20), 20.0));
        assert_eq!((of("2.5").seconds("--at").unwrap(), of("2m").seconds("--at").unwrap()), (2.5, 120.0));
        assert_eq!(of("2m").of_run("--at").unwrap(), At::Time(120.0));
        assert!(of("2.5").of_run("--at").unwrap_err().to_string().contains("whole steps"));
        assert!(of("the wall").seconds("--from").unwrap_err().to_string().contains("bookmarks"));
        assert!(["", "-1", "nan", "inf"].iter().all(|bad| bad.parse::<MomentArgument>().is_err()));
    }
}
