//! The list of jobs that Slurm prints.

use super::SlurmError;
use super::record::Record;

/// The format of a line for `squeue`: job, index, state, reason, working directory. Only the last one can contain `|`.
pub(super) const FORMAT: &str = "%F|%K|%T|%r|%Z";

/// The tasks of the jobs of a sweep that Slurm lists. Slurm forgets ended jobs after some minutes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    pub(super) tasks: Vec<Task>,
}

/// A task in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// The id of the job, which all tasks of an array share.
    pub(super) job: u64,
    pub(super) state: State,
    /// The reason why a task waits, in Slurm's words.
    pub(super) reason: String,
}

/// The state of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    Running,
    Completed,
    /// Ended without success, with Slurm's word for it.
    Failed(String),
}

impl State {
    fn from_word(word: &str) -> Self {
        match word {
            "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "RESV_DEL_HOLD" | "SPECIAL_EXIT" => Self::Pending,
            "COMPLETED" => Self::Completed,
            "BOOT_FAIL" | "CANCELLED" | "DEADLINE" | "FAILED" | "LAUNCH_FAILED" | "NODE_FAIL" | "OUT_OF_MEMORY"
            | "PREEMPTED" | "RECONFIG_FAIL" | "REVOKED" | "TIMEOUT" => Self::Failed(word.into()),
            // RUNNING, COMPLETING, CONFIGURING, SUSPENDED and more. A state that is unknown here counts as unfinished: two
            // processes would otherwise do the same runs.
            _ => Self::Running,
        }
    }
}

impl Queue {
    /// Reads the output of `squeue`, without tasks of other folders.
    pub(super) fn parse(output: &str, record: &Record) -> Result<Self, SlurmError> {
        let mut tasks = vec![];
        for line in output.lines().filter(|line| !line.trim().is_empty()) {
            let parts: Vec<_> = line.trim_end().splitn(5, '|').collect();
            let unexpected = || SlurmError::Output {
                command: "squeue",
                output: line.escape_debug().to_string(),
                expected: "job, index, state, reason and folder",
            };
            let [job, _, state, reason, folder] = parts[..] else { return Err(unexpected()) };
            let job: u64 = job.parse().map_err(|_| unexpected())?;
            if record.jobs().any(|known| known == (job, folder)) {
                tasks.push(Task { job, state: State::from_word(state), reason: reason.into() });
            }
        }
        Ok(Self { tasks })
    }

    /// The ids of jobs with tasks that wait or run, in order.
    pub(super) fn unfinished(&self) -> Vec<u64> {
        let is_unfinished = |task: &&Task| matches!(task.state, State::Pending | State::Running);
        let mut ids: Vec<_> = self.tasks.iter().filter(is_unfinished).map(|task| task.job).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}
