//! The options of a job, and their grammar.
//!
//! Options become part of a script that a shell reads. Everything that is not in the grammar of an option is rejected, so
//! that no option needs to be quoted.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{SlurmError, ValueError};

/// The largest number of tasks of a sweep. Most clusters take far fewer jobs: larger chunks are the answer.
const MAX_TASKS: u64 = 100_000;
/// The largest number of characters of a name.
const MAX_NAME: usize = 64;

/// The options of the tasks of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name of the jobs.
    pub name: String,
    /// The partition; Slurm's default without it.
    pub partition: Option<String>,
    /// The time limit of a task, in a format of Slurm; the limit of the partition without it.
    pub time: Option<String>,
    /// The memory of a task, such as `1G`; Slurm's default without it.
    pub memory: Option<String>,
    /// The account that is charged; Slurm's default without it.
    pub account: Option<String>,
    /// The largest number of runs of a task. Starting a task costs Slurm about a second: a task should last half a minute
    /// or more.
    pub chunk: u64,
    /// The largest number of tasks that run at the same time; as many as the cluster allows without it.
    pub max_parallel: Option<u32>,
    /// The number of processors of a task: as many runs go on at the same time.
    pub cpus: u32,
}

impl Default for Job {
    fn default() -> Self {
        Self {
            name: "swarmarium".into(),
            partition: None,
            time: None,
            memory: None,
            account: None,
            chunk: 50,
            max_parallel: None,
            cpus: 1,
        }
    }
}

impl Job {
    /// Checks all options.
    ///
    /// # Errors
    /// When an option does not have its grammar, or a number is 0.
    pub fn check(&self) -> Result<(), SlurmError> {
        let check = |option, value: &str, parse: Parser| match parse(value) {
            Ok(_) => Ok(()),
            Err(source) => Err(SlurmError::Value { option, value: value.escape_debug().to_string(), source }),
        };
        check("--name", &self.name, name)?;
        for (option, value, parse) in [
            ("--partition", &self.partition, name as Parser),
            ("--time", &self.time, time_limit),
            ("--mem", &self.memory, memory),
            ("--account", &self.account, name),
        ] {
            value.as_deref().map_or(Ok(()), |value| check(option, value, parse))?;
        }
        for (option, is_zero) in
            [("--chunk", self.chunk == 0), ("--cpus", self.cpus == 0), ("--max-parallel", self.max_parallel == Some(0))]
        {
            if is_zero {
                return Err(SlurmError::Value { option, value: "0".into(), source: ValueError::Zero });
            }
        }
        Ok(())
    }

    /// The number of tasks for a number of runs.
    pub(super) fn tasks(&self, runs: u64) -> Result<u64, SlurmError> {
        if runs == 0 {
            return Err(SlurmError::NoRuns);
        }
        let tasks = runs.div_ceil(self.chunk.max(1));
        if tasks > MAX_TASKS {
            return Err(SlurmError::TooManyTasks { tasks, max: MAX_TASKS, chunk: runs.div_ceil(MAX_TASKS) });
        }
        Ok(tasks)
    }

    /// The time limit in seconds; none without a limit.
    pub(super) fn limit_s(&self) -> Option<u64> {
        self.time.as_deref().and_then(seconds).filter(|&seconds| seconds > 0)
    }
}

type Parser = fn(&str) -> Result<String, ValueError>;

/// A name of a job, partition or account, from text.
///
/// # Errors
/// When the name has other characters than letters and digits of ASCII, `_`, `.` and `-`, or more than 64.
pub fn name(text: &str) -> Result<String, ValueError> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let is_name = (1..=MAX_NAME).contains(&text.len()) && text.chars().all(is_allowed);
    if is_name { Ok(text.into()) } else { Err(ValueError::Name) }
}

/// A time limit, from text in one of Slurm's formats; 0 stands for no limit.
///
/// # Errors
/// When the text has none of the formats.
pub fn time_limit(text: &str) -> Result<String, ValueError> {
    seconds(text).map(|_| text.into()).ok_or(ValueError::Time)
}

/// An amount of memory, from text: a number, and K, M, G or T.
///
/// # Errors
/// When the text is something else, or 0: for Slurm, that is all memory of a node.
pub fn memory(text: &str) -> Result<String, ValueError> {
    let number = text.strip_suffix(['K', 'M', 'G', 'T', 'k', 'm', 'g', 't']).unwrap_or(text);
    digits(number).filter(|&number| number > 0).map(|_| text.into()).ok_or(ValueError::Memory)
}

/// The seconds of a time limit: `M`, `M:S`, `H:M:S`, `D-H`, `D-H:M` or `D-H:M:S`.
fn seconds(text: &str) -> Option<u64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(digits(days)?), rest),
        None => (None, text),
    };
    let parts = rest.split(':').map(digits).collect::<Option<Vec<_>>>()?;
    let (hours, minutes, seconds) = match (days, &parts[..]) {
        (None, &[minutes]) => (0, minutes, 0),
        (None, &[minutes, seconds]) => (0, minutes, seconds),
        (Some(_), &[hours]) => (hours, 0, 0),
        (Some(_), &[hours, minutes]) => (hours, minutes, 0),
        (_, &[hours, minutes, seconds]) => (hours, minutes, seconds),
        _ => return None,
    };
    Some(((days.unwrap_or(0) * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// A number of 1 to 9 digits: a larger one is neither a time nor a size of memory.
fn digits(text: &str) -> Option<u64> {
    let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// The absolute path of the folder of a sweep, as text.
///
/// # Errors
/// When Slurm would read the path as something else.
pub(super) fn absolute(folder: &Path) -> Result<String, SlurmError> {
    let text = text(folder)?;
    // Slurm replaces patterns such as %A also in the folder of a log, and removes backslashes from it.
    if text.contains(['%', '\\']) {
        return Err(SlurmError::Path { path: text, expected: "without `%` and `\\`" });
    }
    Ok(text)
}

/// An absolute path as text that a line of a script can hold. Links are kept: a cluster may mount their targets elsewhere.
pub(super) fn text(path: &Path) -> Result<String, SlurmError> {
    let absolute = std::path::absolute(path).map_err(SlurmError::file(path))?;
    let refused = |expected| SlurmError::Path { path: absolute.to_string_lossy().escape_debug().to_string(), expected };
    let text = absolute.to_str().ok_or_else(|| refused("in UTF-8"))?;
    if text.chars().any(char::is_control) {
        return Err(refused("without control characters"));
    }
    let trimmed = text.trim_end_matches('/');
    Ok(if trimmed.is_empty() { text } else { trimmed }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limits_have_the_formats_of_slurm() {
        for (text, seconds) in [
            ("30", 1800),
            ("30:15", 1815),
            ("01:02:03", 3723),
            ("1-2", 93_600),
            ("1-2:3", 93_780),
            ("1-02:03:04", 93_784),
        ] {
            let job = Job { time: Some(text.into()), ..Job::default() };
            assert_eq!(time_limit(text), Ok(text.into()));
            assert_eq!(job.limit_s(), Some(seconds));
        }
        for text in ["", ":", "1:", "-1", "1-", "1-2-3", "1:2:3:4", "1.5", " 1", "1h", "+1", "1234567890", "\u{661}"] {
            assert_eq!(time_limit(text), Err(ValueError::Time), "{text}");
        }
    }

    #[test]
    fn amounts_of_memory_have_the_format_of_slurm() {
        for text in ["1", "500M", "2g", "16T"] {
            assert_eq!(memory(text), Ok(text.into()));
        }
        for text in ["", "M", "0", "0G", "1.5G", "1GB", "-1", "1 G", "G1"] {
            assert_eq!(memory(text), Err(ValueError::Memory), "{text}");
        }
    }
}
