//! The errors of job arrays.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a job cannot be submitted, found or cancelled.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// A command of Slurm is missing.
    #[error("{command} was not found: submit from a login node of the cluster, or run shards by hand with --shard")]
    NotInstalled {
        /// The command.
        command: &'static str,
    },
    /// A command of Slurm cannot be started.
    #[error("{command} cannot be run")]
    NotStarted {
        /// The command.
        command: &'static str,
        /// The reason.
        source: io::Error,
    },
    /// A command of Slurm fails.
    #[error("{command} failed: {message}{hint}")]
    Failed {
        /// The command.
        command: &'static str,
        /// The error output of the command.
        message: String,
        /// Advice, or nothing.
        hint: &'static str,
    },
    /// A command of Slurm prints something else than it should.
    #[error("{command} printed `{output}`, expected {expected}")]
    Output {
        /// The command.
        command: &'static str,
        /// The output, or its beginning.
        output: String,
        /// A description of the expected output.
        expected: &'static str,
    },
    /// An option of a job is invalid.
    #[error("{option} `{value}`: {source}")]
    Value {
        /// The option.
        option: &'static str,
        /// The value.
        value: String,
        /// The allowed values.
        #[source]
        source: ValueError,
    },
    /// A path cannot be used in a job.
    #[error("{path}: jobs of Slurm need a path {expected}")]
    Path {
        /// The path, escaped.
        path: String,
        /// The property that the path lacks.
        expected: &'static str,
    },
    /// A sweep has no runs.
    #[error("the sweep has no runs")]
    NoRuns,
    /// A sweep has too many tasks.
    #[error("{tasks} tasks are too many for a cluster (at most {max}): with --chunk {chunk}, there are fewer")]
    TooManyTasks {
        /// The number of tasks.
        tasks: u64,
        /// The largest number of tasks.
        max: u64,
        /// The smallest number of runs of a task that gives few enough tasks.
        chunk: u64,
    },
    /// A sweep has jobs that wait or run.
    #[error("earlier jobs are unfinished: {ids}; wait for them, or cancel them with `sweep cancel`")]
    Unfinished {
        /// The ids of the jobs.
        ids: String,
    },
    /// A sweep has a job already that merges its logs.
    #[error("job {id} collects the results already")]
    Collecting {
        /// The id of the job.
        id: u64,
    },
    /// A folder has no record of jobs.
    #[error("{}: no job was submitted from this folder (there is no slurm/jobs.json)", .folder.display())]
    NotSubmitted {
        /// The folder.
        folder: PathBuf,
    },
    /// The first arrays of a sweep are submitted, and a later one is refused.
    #[error("only some of {count} arrays were submitted ({ids}): submit again after they have ended")]
    Partial {
        /// The ids of the submitted arrays.
        ids: String,
        /// The number of arrays.
        count: usize,
        /// The reason.
        source: Box<Self>,
    },
    /// A job is submitted, and its id cannot be written down.
    #[error("job {id} was submitted but not recorded: cancel it with `scancel {id}`")]
    Unrecorded {
        /// The id of the job.
        id: u64,
        /// The reason.
        source: Box<Self>,
    },
    /// Another process submits or cancels jobs of the sweep.
    #[error("{}: another process submits or cancels jobs of this folder", .folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{}", .path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The record of jobs is damaged.
    #[error("{}: no record of jobs", .path.display())]
    Record {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
}

impl SlurmError {
    pub(super) fn not_submitted(folder: &Path) -> Self {
        Self::NotSubmitted { folder: folder.into() }
    }

    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { path: path.into(), source }
    }
}

/// The reason why the value of an option is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A name has characters that are not allowed, or too many.
    #[error("expected 1 to 64 letters, digits, `_`, `.` and `-`")]
    Name,
    /// A time limit does not have a format of Slurm.
    #[error("expected a time such as 30 (minutes), 30:00, 02:30:00, 1-12, 1-12:00 or 1-12:00:00")]
    Time,
    /// An amount of memory does not have Slurm's format.
    #[error("expected an amount such as 500M or 2G (units K, M, G, T; without unit, megabytes)")]
    Memory,
    /// A number that must be positive is 0.
    #[error("expected a number from 1 on")]
    Zero,
}

/// A list of ids for messages, shortened if it is long.
pub(super) fn list(ids: &[u64]) -> String {
    const SHOWN: usize = 8;
    let mut text: Vec<_> = ids.iter().take(SHOWN).map(u64::to_string).collect();
    if ids.len() > SHOWN {
        text.push(format!("and {} more", ids.len() - SHOWN));
    }
    text.join(", ")
}
