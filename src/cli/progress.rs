//! Progress of long work: a bar on a terminal, a line per 10 % elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};

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
            Some(total) => Self::Lines { unit, total, reported: AtomicU64::new(0) },
        }
    }

    /// Reports the number of finished units.
    pub fn at(&self, done: u64) {
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => bar.set_position(done),
            Self::Lines { unit, total, reported } => {
                let tenths = tenths(done, *total);
                if reported.fetch_max(tenths, Ordering::Relaxed) < tenths {
                    tell(format_args!("{} % ({done} of {total} {unit})", 10 * tenths));
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
