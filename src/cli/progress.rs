//! Progress of long work: a bar on a terminal, a line per 10 % elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::tell;

/// Progress towards a total. Threads may share it.
pub enum Progress {
    /// No output.
    Quiet,
    /// A bar.
    Bar(ProgressBar),
    /// A line per 10 %.
    Lines {
        /// The unit, in the plural.
        unit: &'static str,
        /// The total in units.
        total: u64,
        /// The number of tenths that are already reported.
        reported: AtomicU64,
        /// The start, for an estimate of the time left.
        started: Instant,
    },
}

impl Progress {
    /// Starts at zero; without a total, the progress has no end.
    pub fn new(unit: &'static str, total: impl Into<Option<u64>>, quiet: bool) -> Self {
        let bar = |bar: ProgressBar, template: &str| {
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            Self::Bar(bar.with_style(style))
        };
        let is_terminal = stderr().is_terminal();
        match total.into() {
            _ if quiet => Self::Quiet,
            None if is_terminal => {
                bar(ProgressBar::no_length(), &format!("{{spinner}} {{human_pos}} {unit}, {{per_sec}}"))
            }
            None | Some(0) => Self::Quiet,
            Some(total) if is_terminal => {
                let template = format!("{{bar:40}} {{human_pos}} of {{human_len}} {unit}, {{per_sec}}, {{eta}} left");
                bar(ProgressBar::new(total), &template)
            }
            Some(total) => Self::Lines { unit, total, reported: AtomicU64::new(0), started: Instant::now() },
        }
    }

    /// Reports the number of finished units.
    pub fn at(&self, done: u64) {
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => bar.set_position(done),
            Self::Lines { unit, total, reported, started } => {
                let tenths = tenths(done, *total);
                if reported.fetch_max(tenths, Ordering::Relaxed) < tenths {
                    let left_s =
                        started.elapsed().as_secs_f64() * (total.saturating_sub(done) as f64 / done.max(1) as f64);
                    let left = if left_s >= 1.0 { format!(", {} left", duration(left_s)) } else { String::new() };
                    tell(format_args!("{} % ({done} of {total} {unit}{left})", 10 * tenths));
                }
            }
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// A duration in whole seconds, such as `2m 5s`.
pub fn duration(seconds: f64) -> String {
    if seconds < 1.0 {
        return "less than 1s".into();
    }
    humantime::format_duration(Duration::from_secs(seconds.clamp(0.0, 1e9).round() as u64)).to_string()
}

fn tenths(done: u64, total: u64) -> u64 {
    (u128::from(done) * 10 / u128::from(total.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::tenths;

    #[test]
    fn tenths_are_whole_and_do_not_overflow() {
        assert_eq!([0, 9, 10, 99, 100].map(|done| tenths(done, 100)), [0, 0, 1, 9, 10]);
        assert_eq!(tenths(u64::MAX, u64::MAX), 10);
    }
}
