//! Job arrays of Slurm that run the shards of a sweep.
//!
//! A task of an array is one process of the program, which does the runs of one shard. Slurm decides where and when a task
//! runs, and never what it computes: results are the same for every number of tasks. The logs of the sweep say which runs
//! are done; the queue says only which tasks can still do some.
//!
//! The folder of the sweep gets a folder `slurm` with
//! - `tasks.sbatch` and `collect.sbatch`, the scripts that Slurm runs,
//! - `jobs.json`, the ids of the jobs, with which other commands find them later,
//! - `errors.log`, the error output of all tasks: one file for each task would be thousands of files.

use std::path::Path;

mod command;
mod error;
mod job;
mod queue;
mod record;
mod script;
mod status;
#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use command::Slurm;
pub use error::{SlurmError, ValueError};
pub use job::{Job, memory, name, time_limit};
pub use record::{ArrayJob, FOLDER};
pub use script::{collect_script, script};
pub use status::{Collecting, Status};

use command::quoted;
use job::absolute;
use record::{CollectJob, Folder, Submitted};

/// The largest size of an array where Slurm's configuration has no other: indices from 0 to 1000.
const DEFAULT_MAX_ARRAY_SIZE: u64 = 1001;

/// The result of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The script of the tasks.
    pub script: String,
    /// The commands that submit the script, one for each array, quoted for a shell.
    pub commands: Vec<String>,
    /// The number of tasks.
    pub tasks: u64,
    /// The submitted arrays; none after a dry run.
    pub arrays: Vec<ArrayJob>,
}

/// The result of the submission of a job that merges the logs of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// The script of the job.
    pub script: String,
    /// The command that submits the script, quoted for a shell.
    pub command: String,
    /// The arrays that end before the job starts; none if all have ended.
    pub after: Vec<u64>,
    /// The id of the job; none after a dry run.
    pub id: Option<u64>,
}

impl Slurm {
    /// Submits the runs of a sweep as arrays of tasks. A dry run calls no command and writes no file.
    ///
    /// The sweep has a folder with its plan in it. `program` is this program, at a path that all nodes see. Runs that are
    /// done are skipped by their tasks, so that a second submission continues the first one.
    ///
    /// # Errors
    /// When an option of the job is invalid, jobs of an earlier submission are unfinished, or a command of Slurm fails.
    pub fn submit(
        &self,
        folder: &Path,
        program: &Path,
        runs: u64,
        job: &Job,
        dry_run: bool,
    ) -> Result<Submission, SlurmError> {
        let script = script(folder, program, runs, job)?;
        let tasks = job.tasks(runs)?;
        let place = absolute(folder)?;
        if dry_run {
            let arrays = split(tasks, DEFAULT_MAX_ARRAY_SIZE);
            let command = |array: &ArrayJob| {
                let before = (array.offset > 0).then(|| "ID_OF_THE_ARRAY_BEFORE".to_owned());
                quoted("sbatch", &array_arguments(&place, job, array, before))
            };
            return Ok(Submission { script, commands: arrays.iter().map(command).collect(), tasks, arrays: vec![] });
        }

        let folder = Folder::lock(folder)?;
        let mut record = folder.read()?.unwrap_or_default();
        self.refuse_unfinished(&record)?;
        let arrays = split(tasks, self.max_array_size()?);
        folder.write_script(record::TASKS, &script)?;
        record.submissions.push(Submitted::new(place.clone(), job.clone(), runs, tasks));
        let count = arrays.len();
        let mut commands = vec![];
        let mut submitted: Vec<ArrayJob> = vec![];
        for mut array in arrays {
            let before = submitted.last().map(|array| array.id.to_string());
            let arguments = array_arguments(&place, job, &array, before);
            array.id = self.sbatch(job, &arguments).map_err(|source| partial(&submitted, count, source))?;
            submitted.push(array);
            record.set_arrays(&submitted);
            folder.write(&record).map_err(|source| SlurmError::Unrecorded { id: array.id, source: source.into() })?;
            commands.push(quoted("sbatch", &arguments));
        }
        Ok(Submission { script, commands, tasks, arrays: submitted })
    }

    /// The tasks of the last submission, by state.
    ///
    /// # Errors
    /// When nothing was submitted, or a command of Slurm fails.
    pub fn status(&self, folder: &Path) -> Result<Status, SlurmError> {
        let record = Folder::open(folder).read()?.ok_or_else(|| SlurmError::not_submitted(folder))?;
        let last = record.submissions.last().ok_or_else(|| SlurmError::not_submitted(folder))?;
        Ok(Status::new(last, &self.queue(&record)?))
    }

    /// Cancels the unfinished jobs of a sweep and returns their ids. Tasks that run finish cleanly: what is done is kept.
    ///
    /// # Errors
    /// When nothing was submitted, another command changes the jobs, or a command of Slurm fails.
    pub fn cancel(&self, folder: &Path) -> Result<Vec<u64>, SlurmError> {
        let not_submitted = || SlurmError::not_submitted(folder);
        // The lock would make a folder.
        Folder::open(folder).read()?.ok_or_else(not_submitted)?;
        let folder = Folder::lock(folder)?;
        let record = folder.read()?.ok_or_else(not_submitted)?;
        let ids = self.queue(&record)?.unfinished();
        if let Err(error) = self.scancel(&ids) {
            // A job that ended between the two commands is not a failure.
            if !self.queue(&record)?.unfinished().is_empty() {
                return Err(error);
            }
        }
        Ok(ids)
    }

    /// Submits a job that merges the logs of a sweep after its tasks have ended, however they ended.
    ///
    /// # Errors
    /// When nothing was submitted, such a job is unfinished already, or a command of Slurm fails.
    pub fn collect(&self, folder: &Path, program: &Path, dry_run: bool) -> Result<Collection, SlurmError> {
        let not_submitted = || SlurmError::not_submitted(folder);
        let place = absolute(folder)?;
        let recorded = Folder::open(folder).read()?.ok_or_else(not_submitted)?;
        let job = recorded.submissions.last().ok_or_else(not_submitted)?.job.clone();
        let script = collect_script(folder, program, &job)?;
        if dry_run {
            let after = recorded.ids_of_arrays();
            let command = quoted("sbatch", &collect_arguments(&place, &after));
            return Ok(Collection { script, command, after, id: None });
        }

        let folder = Folder::lock(folder)?;
        let mut record = folder.read()?.unwrap_or_default();
        let unfinished = self.queue(&record)?.unfinished();
        let mut collecting = record.submissions.iter().filter_map(|one| one.collect.as_ref());
        if let Some(job) = collecting.find(|job| unfinished.contains(&job.id)) {
            return Err(SlurmError::Collecting { id: job.id });
        }
        folder.write_script(record::COLLECT, &script)?;
        let arguments = collect_arguments(&place, &unfinished);
        let id = self.sbatch(&job, &arguments)?;
        if let Some(last) = record.submissions.last_mut() {
            last.collect = Some(CollectJob { id, folder: place });
        }
        folder.write(&record).map_err(|source| SlurmError::Unrecorded { id, source: source.into() })?;
        Ok(Collection { script, command: quoted("sbatch", &arguments), after: unfinished, id: Some(id) })
    }

    fn refuse_unfinished(&self, record: &record::Record) -> Result<(), SlurmError> {
        let ids = self.queue(record)?.unfinished();
        if ids.is_empty() { Ok(()) } else { Err(SlurmError::Unfinished { ids: error::list(&ids) }) }
    }
}

/// Arrays of at most `max` tasks, still without ids.
fn split(tasks: u64, max: u64) -> Vec<ArrayJob> {
    let mut arrays = vec![];
    let mut offset = 0;
    while offset < tasks {
        let size = max.clamp(1, tasks - offset);
        arrays.push(ArrayJob { id: 0, offset, tasks: size });
        offset += size;
    }
    arrays
}

/// The arguments of `sbatch` for an array. `before` is the id of the array before it.
fn array_arguments(place: &str, job: &Job, array: &ArrayJob, before: Option<String>) -> Vec<String> {
    let last = array.tasks - 1;
    let limit = job.max_parallel.map(|limit| format!("%{limit}")).unwrap_or_default();
    let mut arguments = vec!["--parsable".into(), format!("--array=0-{last}{limit}"), format!("--chdir={place}")];
    // Slurm limits the tasks of one array only: with a limit, arrays run one after another.
    if let Some(id) = before.filter(|_| job.max_parallel.is_some()) {
        arguments.push(format!("--dependency=afterany:{id}"));
    }
    arguments.extend([format!("{place}/{FOLDER}/{}", record::TASKS), array.offset.to_string()]);
    arguments
}

fn collect_arguments(place: &str, after: &[u64]) -> Vec<String> {
    let mut arguments = vec!["--parsable".into(), format!("--chdir={place}")];
    if !after.is_empty() {
        let ids: Vec<_> = after.iter().map(u64::to_string).collect();
        arguments.push(format!("--dependency=afterany:{}", ids.join(":")));
    }
    arguments.push(format!("{place}/{FOLDER}/{}", record::COLLECT));
    arguments
}

fn partial(submitted: &[ArrayJob], count: usize, source: SlurmError) -> SlurmError {
    if submitted.is_empty() {
        return source;
    }
    let ids: Vec<_> = submitted.iter().map(|array| array.id).collect();
    SlurmError::Partial { ids: error::list(&ids), count, source: source.into() }
}
