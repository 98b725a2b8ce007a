//! Progress of long work: a bar on a terminal, a line from time to time elsewhere.

use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::embed::{self, Report};
use super::messages::{counted, part_of};
use super::tell;

/// The shortest time between two lines. The last line is always written: short work has it alone.
const LEAST_INTERVAL: Duration = Duration::from_secs(1);
/// The longest time without a line: at the start, and later.
const REPORT_INTERVALS: [Duration; 2] = [Duration::from_secs(6), Duration::from_secs(30)];
/// The time between two checks whether a report is due.
const CHECK: Duration = Duration::from_millis(200);

/// Progress towards a total. Threads may share it.
pub enum Progress {
    /// No output.
    Quiet,
    /// A bar.
    Bar(ProgressBar),
    /// A line per 10 %, at most one a second, and after a time without one.
    Lines(Arc<Lines>),
    /// The program that runs the verb gets the unit, the finished units and the total.
    Host(&'static str, Arc<Report>, Option<u64>),
}

/// Progress in lines.
pub struct Lines {
    /// The unit, in the plural.
    unit: &'static str,
    /// The total in units, if it is known.
    total: Option<u64>,
    /// The number of finished units.
    done: AtomicU64,
    /// The number of tenths that are already reported.
    reported: AtomicU64,
    /// The start, for an estimate of the time left.
    started: Instant,
    /// The time of the last line, in milliseconds since the start.
    last_report_ms: AtomicU64,
    is_over: AtomicBool,
}

impl Progress {
    /// Starts at zero; without a total, the progress has no end.
    pub fn new(unit: &'static str, total: impl Into<Option<u64>>, quiet: bool) -> Self {
        let bar = |bar: ProgressBar, template: &str| {
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            let rate = |state: &ProgressState, text: &mut dyn fmt::Write| _ = write!(text, "{:.0}/s", state.per_sec());
            let left = |state: &ProgressState, text: &mut dyn fmt::Write| {
                _ = text.write_str(&duration(state.eta().as_secs_f64()));
            };
            let bar = bar.with_style(style.with_key("rate", rate).with_key("left", left));
            // The first unit may take long.
            bar.tick();
            Self::Bar(bar)
        };
        let is_terminal = stderr().is_terminal();
        let total: Option<u64> = total.into();
        if let Some(report) = embed::report() {
            report(unit, 0, total);
            return Self::Host(unit, report, total);
        }
        match total {
            _ if quiet => Self::Quiet,
            None if is_terminal => {
                bar(ProgressBar::no_length(), &format!("{{spinner}} {{human_pos}} {unit}, {{rate}}"))
            }
            Some(0) => Self::Quiet,
            Some(total) if is_terminal => {
                let units = if total == 1 { singular(unit) } else { unit };
                let template = format!("{{bar:40}} {{human_pos}} of {{human_len}} {units}, {{rate}}, {{left}} left");
                bar(ProgressBar::new(total), &template)
            }
            total => Self::Lines(Lines::start(unit, total)),
        }
    }

    /// Reports the number of finished units.
    pub fn at(&self, done: u64) {
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => bar.set_position(done),
            Self::Lines(lines) => lines.at(done),
            Self::Host(unit, report, total) => report(unit, done, *total),
        }
    }

    /// Removes the bar, and ends the lines.
    pub fn finish(&self) {
        match self {
            Self::Quiet | Self::Host(..) => {}
            Self::Bar(bar) => bar.finish_and_clear(),
            Self::Lines(lines) => lines.is_over.store(true, Ordering::Relaxed),
        }
    }
}

impl Lines {
    fn start(unit: &'static str, total: Option<u64>) -> Arc<Self> {
        let lines = Arc::new(Self {
            unit,
            total,
            done: AtomicU64::new(0),
            reported: AtomicU64::new(0),
            started: Instant::now(),
            last_report_ms: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        });
        // A single step or run can take minutes, and `at` is not called during it.
        let watched = Arc::downgrade(&lines);
        thread::spawn(move || Self::report_periodically(&watched));
        lines
    }

    /// Writes a line after each long time without one, until the work is over.
    fn report_periodically(watched: &Weak<Self>) {
        let mut interval = REPORT_INTERVALS[0];
        loop {
            thread::sleep(CHECK);
            let Some(lines) = watched.upgrade().filter(|lines| !lines.is_over.load(Ordering::Relaxed)) else { return };
            if lines.without_line() >= interval {
                lines.tell(lines.done.load(Ordering::Relaxed));
                interval = REPORT_INTERVALS[1];
            }
        }
    }

    /// The time since the last line.
    fn without_line(&self) -> Duration {
        let last_report = Duration::from_millis(self.last_report_ms.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last_report)
    }

    fn at(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        let Some(total) = self.total else { return };
        let tenths = tenths(done, total);
        if tenths < 10 && self.without_line() < LEAST_INTERVAL {
            return;
        }
        if self.reported.load(Ordering::Relaxed) < tenths && self.reported.fetch_max(tenths, Ordering::Relaxed) < tenths
        {
            self.tell(done);
        }
    }

    fn tell(&self, done: u64) {
        let elapsed = self.started.elapsed();
        self.last_report_ms.store(elapsed.as_millis() as u64, Ordering::Relaxed);
        tell(self.line(done, elapsed.as_secs_f64()));
    }

    fn line(&self, done: u64, elapsed_s: f64) -> String {
        let unit = singular(self.unit);
        let Some(total) = self.total else { return counted(done, unit) };
        let left_s = elapsed_s * (total.saturating_sub(done) as f64 / done.max(1) as f64);
        // Nothing is known before the first unit.
        let left = if left_s >= 1.0 && done > 0 { format!(", {} left", duration(left_s)) } else { String::new() };
        format!("{} % ({}{left})", percent(done, total), part_of(done, total, unit))
    }
}

/// One of the units.
fn singular(unit: &str) -> &str {
    unit.trim_end_matches('s')
}

/// A duration in whole seconds, such as `2 min 5 s`.
pub fn duration(seconds: f64) -> String {
    if seconds < 1.0 {
        return "less than 1 s".into();
    }
    let seconds = seconds.min(1e12).round() as u64;
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}"));
    // The two largest units are enough.
    parts.take(2).collect::<Vec<_>>().join(" ")
}

fn tenths(done: u64, total: u64) -> u64 {
    percent(done, total) / 10
}

fn percent(done: u64, total: u64) -> u64 {
    (u128::from(done) * 100 / u128::from(total.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_in_tenths_is_whole_and_does_not_overflow() {
        assert_eq!([0, 9, 10, 99, 100].map(|done| tenths(done, 100)), [0, 0, 1, 9, 10]);
        assert_eq!(tenths(u64::MAX, u64::MAX), 10);
    }

    #[test]
    fn durations_have_units_of_the_si() {
        let told = [0.2, 5.4, 60.0, 125.0, 3600.0, 7325.0, 90_000.0].map(duration);
        assert_eq!(told, ["less than 1 s", "5 s", "1 min", "2 min 5 s", "1 h", "2 h 2 min", "1 d 1 h"]);
    }

    #[test]
    fn progress_lines_say_how_much_is_done_and_left() {
        let line = |total, done| Lines::start("steps", total).line(done, 6.0);
        assert_eq!(line(Some(1000), 300), "30 % (300 of 1000 steps, 14 s left)");
        assert_eq!(line(Some(1000), 0), "0 % (0 of 1000 steps)");
        assert_eq!(line(None, 12), "12 steps");
        assert_eq!(line(Some(1), 1), "100 % (1 of 1 step)");
    }
}
