//! The record of submitted jobs, in the folder of a sweep.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, FileError};

use super::{Job, SlurmError};

/// The folder of the scripts, the record and the log, within the folder of a sweep.
pub const FOLDER: &str = "slurm";
/// The script of the tasks.
pub(super) const TASKS: &str = "tasks.sbatch";
/// The script of the job that merges logs.
pub(super) const COLLECT: &str = "collect.sbatch";
const JOBS: &str = "jobs.json";
/// The largest size of the record, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// All submissions of a sweep, the first one first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) submissions: Vec<Submitted>,
}

/// A submission of all runs of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Submitted {
    /// The folder of the sweep when the jobs were submitted. Slurm knows jobs by id and working directory: ids can occur
    /// again after a cluster was set up again.
    pub(super) folder: String,
    pub(super) job: Job,
    pub(super) runs: u64,
    pub(super) tasks: u64,
    pub(super) arrays: Vec<ArrayJob>,
    /// The job that merges logs.
    pub(super) collect: Option<CollectJob>,
}

/// A job that merges logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CollectJob {
    pub(super) id: u64,
    /// The folder of the sweep when the job was submitted.
    pub(super) folder: String,
}

/// A job array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayJob {
    /// The id of the job.
    pub id: u64,
    /// The number of tasks in earlier arrays.
    pub offset: u64,
    /// The number of tasks: their indices count from 0.
    pub tasks: u64,
}

impl Submitted {
    pub(super) fn new(folder: String, job: Job, runs: u64, tasks: u64) -> Self {
        Self { folder, job, runs, tasks, arrays: vec![], collect: None }
    }
}

impl Record {
    pub(super) fn set_arrays(&mut self, arrays: &[ArrayJob]) {
        if let Some(last) = self.submissions.last_mut() {
            last.arrays = arrays.to_vec();
        }
    }

    /// The ids of the arrays of the last submission.
    pub(super) fn ids_of_arrays(&self) -> Vec<u64> {
        self.submissions.last().map(|last| last.arrays.iter().map(|array| array.id).collect()).unwrap_or_default()
    }

    /// All jobs: id and folder.
    pub(super) fn jobs(&self) -> impl Iterator<Item = (u64, &str)> {
        self.submissions.iter().flat_map(|one| {
            let arrays = one.arrays.iter().map(|array| (array.id, &*one.folder));
            arrays.chain(one.collect.iter().map(|job| (job.id, &*job.folder)))
        })
    }
}

/// The folder `slurm` in the folder of a sweep.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The lock, while this process changes jobs.
    _lock: Option<File>,
}

impl Folder {
    /// The folder, for reading.
    pub(super) fn open(folder: &Path) -> Self {
        Self { path: folder.join(FOLDER), _lock: None }
    }

    /// The folder, made if it is missing, and locked against other processes that change jobs.
    pub(super) fn lock(folder: &Path) -> Result<Self, SlurmError> {
        // The folder of the sweep itself must be there: its plan is.
        fs::metadata(folder).map_err(SlurmError::file(folder))?;
        let path = folder.join(FOLDER);
        fs::create_dir_all(&path).map_err(SlurmError::file(&path))?;
        let name = path.join("lock");
        let lock = files::open_with(&name, File::options().write(true).create(true).truncate(false));
        let lock = lock.map_err(|error| SlurmError::file(&name)(error.into()))?;
        // Some network file systems have no locks: two people rarely submit one sweep at the same time.
        for patience in (0..10).rev() {
            match lock.try_lock() {
                Err(TryLockError::WouldBlock) if patience == 0 => {
                    return Err(SlurmError::Locked { folder: folder.into() });
                }
                // A command that this process has just started holds its files for a moment.
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
                _ => break,
            }
        }
        Ok(Self { path, _lock: Some(lock) })
    }

    /// The record; none if nothing was submitted.
    pub(super) fn read(&self) -> Result<Option<Record>, SlurmError> {
        let path = self.path.join(JOBS);
        match files::read_at_most(&path, MAX_BYTES) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|source| SlurmError::Record { path, source }),
            Err(FileError::Missing) => Ok(None),
            Err(error) => Err(SlurmError::File { path, source: error.into() }),
        }
    }

    pub(super) fn write(&self, record: &Record) -> Result<(), SlurmError> {
        let path = self.path.join(JOBS);
        let text = serde_json::to_string_pretty(record);
        let text = text.map_err(|source| SlurmError::Record { path: path.clone(), source })?;
        self.write_whole(JOBS, &(text + "\n"))
    }

    pub(super) fn write_script(&self, name: &str, script: &str) -> Result<(), SlurmError> {
        self.write_whole(name, script)
    }

    /// Writes a file beside and renames it: an interrupted process leaves the file before.
    fn write_whole(&self, name: &str, text: &str) -> Result<(), SlurmError> {
        let path = self.path.join(name);
        let beside = path.with_added_extension("partial");
        let write = || {
            let mut file = files::open_with(&beside, File::options().write(true).create(true).truncate(true))?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&beside, &path)
        };
        write().map_err(SlurmError::file(&path))
    }
}
