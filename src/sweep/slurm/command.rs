//! The commands of Slurm.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::queue::{FORMAT, Queue};
use super::record::Record;
use super::script::single_quoted;
use super::{DEFAULT_MAX_ARRAY_SIZE, Job, SlurmError};

/// The largest number of characters of a command's output in a message.
const MAX_MESSAGE: usize = 600;

/// The commands of Slurm on this machine.
#[derive(Clone, Debug, Default)]
pub struct Slurm {
    /// The folder of the commands; the search path without it.
    folder: Option<PathBuf>,
}

impl Slurm {
    /// The commands in a folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// Whether Slurm answers on this machine.
    ///
    /// # Errors
    /// When its commands are missing, or it does not answer.
    pub fn check(&self) -> Result<(), SlurmError> {
        self.max_array_size().map(drop)
    }

    /// The largest size of an array, from Slurm's configuration.
    pub(super) fn max_array_size(&self) -> Result<u64, SlurmError> {
        let output = self.call("scontrol", &["show", "config"], |_| {})?;
        let value = output.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "MaxArraySize").then(|| value.trim().to_owned())
        });
        let Some(value) = value else { return Ok(DEFAULT_MAX_ARRAY_SIZE) };
        value.parse().ok().filter(|&size| size > 0).ok_or(SlurmError::Output {
            command: "scontrol",
            output: value,
            expected: "a MaxArraySize > 0: without job arrays, run shards by hand with --shard",
        })
    }

    /// Submits a job and returns its id.
    pub(super) fn sbatch(&self, job: &Job, arguments: &[String]) -> Result<u64, SlurmError> {
        let output = self.call("sbatch", arguments, |command| {
            // Variables take precedence over the options in a script. Those that contradict the job are removed.
            let always = ["SBATCH_JOB_NAME", "SBATCH_OPEN_MODE", "SBATCH_SIGNAL", "SBATCH_NO_REQUEUE", "SBATCH_WAIT"];
            let given = [
                ("SBATCH_PARTITION", &job.partition),
                ("SBATCH_ACCOUNT", &job.account),
                ("SBATCH_TIMELIMIT", &job.time),
                ("SBATCH_MEM_PER_NODE", &job.memory),
                ("SBATCH_MEM_PER_CPU", &job.memory),
            ];
            let given = given.into_iter().filter(|(_, value)| value.is_some()).map(|(variable, _)| variable);
            always.into_iter().chain(given).for_each(|variable| {
                command.env_remove(variable);
            });
        })?;
        // On several clusters, a semicolon and the name of the cluster follow the id.
        let id = output.trim().split(';').next().and_then(|id| id.parse().ok());
        id.ok_or(SlurmError::Output { command: "sbatch", output: shortened(&output), expected: "the id of a job" })
    }

    /// The tasks of all recorded jobs that Slurm still lists.
    pub(super) fn queue(&self, record: &Record) -> Result<Queue, SlurmError> {
        let ids: Vec<_> = record.jobs().map(|(id, _)| id.to_string()).collect();
        if ids.is_empty() {
            return Ok(Queue::default());
        }
        let arguments = ["--all", "-h", "-r", "-t", "all", "-o", FORMAT, "-j", &ids.join(",")];
        match self.call("squeue", &arguments, |_| {}) {
            Ok(output) => Queue::parse(&output, record),
            // Slurm answers so if it has forgotten the only job that is asked for.
            Err(SlurmError::Failed { message, .. }) if message.contains("Invalid job id") => Ok(Queue::default()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn scancel(&self, ids: &[u64]) -> Result<(), SlurmError> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids: Vec<_> = ids.iter().map(u64::to_string).collect();
        self.call("scancel", &ids, |_| {}).map(drop)
    }

    /// Calls a command and returns its output.
    fn call(
        &self,
        command: &'static str,
        arguments: &[impl AsRef<OsStr>],
        prepare: impl FnOnce(&mut Command),
    ) -> Result<String, SlurmError> {
        let path = self.folder.as_ref().map_or_else(|| command.into(), |folder| folder.join(command));
        let mut process = Command::new(path);
        process.args(arguments).stdin(Stdio::null());
        // These variables filter the listed jobs, or let scancel ask questions.
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            if name.starts_with("SQUEUE_") || name.starts_with("SCANCEL_") {
                process.env_remove(&variable);
            }
        }
        prepare(&mut process);
        let output = process.output().map_err(|source| match source.kind() {
            ErrorKind::NotFound => SlurmError::NotInstalled { command },
            _ => SlurmError::NotStarted { command, source },
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let message = shortened(&String::from_utf8_lossy(&output.stderr));
        let message = if message.is_empty() { output.status.to_string() } else { message };
        let hint = hint(&message);
        Err(SlurmError::Failed { command, message, hint })
    }
}

/// Advice on an error message of Slurm.
fn hint(message: &str) -> &'static str {
    if ["MaxSubmit", "MaxJobs", "job limit"].iter().any(|limit| message.contains(limit)) {
        " (a larger --chunk gives fewer tasks)"
    } else if message.contains("Unable to contact slurm controller") {
        " (is this a login node of the cluster?)"
    } else {
        ""
    }
}

/// One line of output for a message.
fn shortened(output: &str) -> String {
    let lines: Vec<_> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let line = lines.join("; ").escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\"");
    if line.chars().count() <= MAX_MESSAGE { line } else { line.chars().take(MAX_MESSAGE).chain(['…']).collect() }
}

/// A command as a line for a POSIX shell.
pub(super) fn quoted(command: &str, arguments: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-/=:%,".contains(c);
    arguments.iter().fold(command.to_owned(), |line, argument| {
        let plain = argument.chars().all(is_plain);
        line + " " + &if plain { argument.clone() } else { single_quoted(argument) }
    })
}
