//! The state of a submission.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::error::list;
use super::queue::{Queue, State};
use super::record::Submitted;

/// The tasks of the last submission of a sweep, by state.
///
/// Tasks say nothing about runs: a task that failed can have done most of its runs, and one that was cancelled can have
/// had none left to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The ids of the arrays.
    pub arrays: Vec<u64>,
    /// The number of tasks.
    pub tasks: u64,
    /// The number of tasks that wait.
    pub pending: u64,
    /// The number of tasks that run, or are about to start or end.
    pub running: u64,
    /// The number of tasks that ended with success.
    pub completed: u64,
    /// The number of tasks that ended otherwise, by Slurm's word for it, such as `FAILED`, `TIMEOUT` or `CANCELLED`.
    pub failed: BTreeMap<String, u64>,
    /// The number of tasks that ended and are no longer listed.
    pub unlisted: u64,
    /// The number of tasks that wait, by Slurm's reason.
    pub reasons: BTreeMap<String, u64>,
    /// The job that merges logs, if it was submitted.
    pub collect: Option<Collecting>,
}

/// The job that merges logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collecting {
    /// The id of the job.
    pub id: u64,
    /// The state in a word: `pending`, `running`, `ended` or Slurm's word for a failure.
    pub state: String,
}

impl Status {
    pub(super) fn new(submitted: &Submitted, queue: &Queue) -> Self {
        let mut status = Self {
            arrays: submitted.arrays.iter().map(|array| array.id).collect(),
            tasks: submitted.arrays.iter().map(|array| array.tasks).sum(),
            collect: submitted.collect.as_ref().map(|job| Collecting { id: job.id, state: "ended".into() }),
            ..Self::default()
        };
        for task in &queue.tasks {
            if let Some(collect) = status.collect.as_mut().filter(|collect| collect.id == task.job) {
                collect.state = match &task.state {
                    State::Pending => "pending".into(),
                    State::Running => "running".into(),
                    State::Completed => "ended".into(),
                    State::Failed(word) => word.clone(),
                };
            }
            if !status.arrays.contains(&task.job) {
                continue;
            }
            match &task.state {
                State::Pending => {
                    status.pending += 1;
                    *status.reasons.entry(task.reason.clone()).or_default() += 1;
                }
                State::Running => status.running += 1,
                State::Completed => status.completed += 1,
                State::Failed(word) => *status.failed.entry(word.clone()).or_default() += 1,
            }
        }
        let listed = status.pending + status.running + status.completed + status.failed.values().sum::<u64>();
        status.unlisted = status.tasks.saturating_sub(listed);
        status
    }

    /// Whether tasks wait or run.
    pub fn is_unfinished(&self) -> bool {
        self.pending + self.running > 0
    }
}

impl Display for Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let failed = self.failed.values().sum();
        write!(f, "jobs {}: {} tasks", list(&self.arrays), self.tasks)?;
        for (name, count, parts) in [
            ("pending", self.pending, Some(&self.reasons)),
            ("running", self.running, None),
            ("completed", self.completed, None),
            ("failed", failed, Some(&self.failed)),
            ("ended and no longer listed", self.unlisted, None),
        ] {
            if count == 0 {
                continue;
            }
            write!(f, ", {count} {name}")?;
            if let Some(parts) = parts {
                let parts: Vec<_> = parts.iter().map(|(word, count)| format!("{word} {count}")).collect();
                write!(f, " ({})", parts.join(", "))?;
            }
        }
        if let Some(Collecting { id, state }) = &self.collect {
            write!(f, "; collect job {id}: {state}")?;
        }
        Ok(())
    }
}
