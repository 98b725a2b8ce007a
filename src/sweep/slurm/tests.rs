//! Tests against fake commands.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

const PROGRAM: &str = "/opt/swarm/swarmarium";

/// A folder of a sweep, and a folder of fake commands.
struct Fixture {
    temporary: TempDir,
    folder: PathBuf,
    slurm: Slurm,
}

impl Fixture {
    fn new() -> Self {
        Self::named("sweep")
    }

    fn named(name: &str) -> Self {
        let temporary = TempDir::new().unwrap();
        let commands = temporary.path().join("bin");
        let folder = temporary.path().join(name);
        fs::create_dir(&commands).unwrap();
        fs::create_dir(&folder).unwrap();
        // Links, not copies: a file that one thread just wrote cannot be run while another thread starts a process.
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/slurm/fake");
        let fake = fake.canonicalize().unwrap();
        for command in ["sbatch", "squeue", "scancel", "scontrol"] {
            symlink(&fake, commands.join(command)).unwrap();
        }
        Self { slurm: Slurm::in_folder(&commands), temporary, folder }
    }

    fn set(&self, file: &str, content: &str) {
        fs::write(self.temporary.path().join("bin").join(file), content).unwrap();
    }

    /// Sets the list of `squeue`: job, index, state, reason.
    fn queue(&self, tasks: &[(u64, &str, &str, &str)]) {
        let folder = self.folder.display();
        let line = |&(job, index, state, reason): &_| format!("{job}|{index}|{state}|{reason}|{folder}\n");
        self.set("queue", &tasks.iter().map(line).collect::<String>());
    }

    /// The calls of commands so far, with `DIR` for the folder of the sweep.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.temporary.path().join("bin/calls")).unwrap_or_default();
        calls.lines().map(|line| line.replace(&*self.folder.to_string_lossy(), "DIR")).collect()
    }

    fn submit(&self, runs: u64, job: &Job) -> Result<Submission, SlurmError> {
        self.slurm.submit(&self.folder, Path::new(PROGRAM), runs, job, false)
    }

    fn collect(&self) -> Result<Collection, SlurmError> {
        self.slurm.collect(&self.folder, Path::new(PROGRAM), false)
    }
}

fn in_chunks_of(chunk: u64) -> Job {
    Job { chunk, ..Job::default() }
}

#[test]
fn a_submission_is_recorded() {
    let fixture = Fixture::new();
    let submission = fixture.submit(95, &in_chunks_of(10)).unwrap();
    assert_eq!(submission.tasks, 10);
    assert_eq!(submission.arrays, [ArrayJob { id: 100, offset: 0, tasks: 10 }]);
    let calls = ["scontrol show config", "sbatch --parsable --array=0-9 --chdir=DIR DIR/slurm/tasks.sbatch 0"];
    assert_eq!(fixture.calls(), calls);
    assert_eq!(fs::read_to_string(fixture.folder.join("slurm/tasks.sbatch")).unwrap(), submission.script);
    let record = fs::read_to_string(fixture.folder.join("slurm/jobs.json")).unwrap();
    assert!(record.contains("\"id\": 100"), "{record}");
}

#[test]
fn a_submission_larger_than_an_array_is_split() {
    let fixture = Fixture::new();
    fixture.set("config", "MailProg = /bin/mail\nMaxArraySize            = 4\nMaxJobCount = 10000\n");
    let submission = fixture.submit(10, &in_chunks_of(1)).unwrap();
    let sizes: Vec<_> = submission.arrays.iter().map(|array| (array.id, array.offset, array.tasks)).collect();
    assert_eq!(sizes, [(100, 0, 4), (101, 4, 4), (102, 8, 2)]);
    assert!(submission.script.contains("\"$shard/10\""));
    assert_eq!(fixture.calls()[3], "sbatch --parsable --array=0-1 --chdir=DIR DIR/slurm/tasks.sbatch 8");
}

#[test]
fn a_limit_of_parallel_tasks_holds_for_all_arrays_together() {
    let fixture = Fixture::new();
    fixture.set("config", "MaxArraySize = 4\n");
    fixture.submit(8, &Job { max_parallel: Some(2), ..in_chunks_of(1) }).unwrap();
    let expected = [
        "sbatch --parsable --array=0-3%2 --chdir=DIR DIR/slurm/tasks.sbatch 0",
        "sbatch --parsable --array=0-3%2 --chdir=DIR --dependency=afterany:100 DIR/slurm/tasks.sbatch 4",
    ];
    assert_eq!(fixture.calls()[1..], expected);
}

#[test]
fn every_task_is_in_one_array() {
    for tasks in [1, 2, 999, 1000, 1001, 1002, 5000] {
        for max in [1, 2, 1001] {
            let arrays = split(tasks, max);
            let mut next = 0;
            for array in &arrays {
                assert_eq!(array.offset, next);
                assert!((1..=max).contains(&array.tasks));
                next += array.tasks;
            }
            assert_eq!(next, tasks);
        }
    }
}

#[test]
fn a_dry_run_calls_no_command_and_writes_no_file() {
    let fixture = Fixture::named("two words");
    let job = Job { max_parallel: Some(7), ..in_chunks_of(1) };
    let submission = fixture.slurm.submit(&fixture.folder, Path::new(PROGRAM), 1500, &job, true).unwrap();
    assert_eq!(fixture.calls(), Vec::<String>::new());
    assert_eq!(fs::read_dir(&fixture.folder).unwrap().count(), 0);
    assert!(submission.arrays.is_empty());
    let place = fixture.folder.display();
    let expected = format!(
        "sbatch --parsable --array=0-498%7 '--chdir={place}' --dependency=afterany:ID_OF_THE_ARRAY_BEFORE \
         '{place}/slurm/tasks.sbatch' 1001"
    );
    assert_eq!(submission.commands[1], expected);
}

#[test]
fn unfinished_jobs_are_not_submitted_again() {
    let fixture = Fixture::new();
    fixture.submit(20, &in_chunks_of(10)).unwrap();
    fixture.queue(&[(100, "0", "COMPLETED", "None"), (100, "1", "PENDING", "BeginTime")]);
    let error = fixture.submit(20, &in_chunks_of(10)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "earlier jobs are unfinished: 100; wait for them, or cancel them with `sweep cancel`"
    );
    fixture.queue(&[(100, "0", "COMPLETED", "None"), (100, "1", "TIMEOUT", "TimeLimit")]);
    let again = fixture.submit(20, &in_chunks_of(5)).unwrap();
    assert_eq!(again.arrays, [ArrayJob { id: 101, offset: 0, tasks: 4 }]);
    assert!(fixture.calls().iter().any(|call| call.ends_with("-j 100")));
}

#[test]
fn the_status_combines_the_queue_with_the_record() {
    let fixture = Fixture::new();
    fixture.set("config", "MaxArraySize = 4\n");
    fixture.submit(10, &in_chunks_of(1)).unwrap();
    fixture.queue(&[
        (100, "0", "COMPLETED", "None"),
        (100, "1", "FAILED", "NonZeroExitCode"),
        (100, "2", "COMPLETING", "None"),
        (100, "3", "NEW_STATE", "None"),
        (101, "0", "PENDING", "Resources"),
        (101, "1", "PENDING", "Priority"),
        (101, "2", "PENDING", "Priority"),
    ]);
    let status = fixture.slurm.status(&fixture.folder).unwrap();
    assert!(status.is_unfinished());
    assert_eq!(
        status.to_string(),
        "jobs 100, 101, 102: 10 tasks, 3 pending (Priority 2, Resources 1), 2 running, 1 completed, \
         1 failed (FAILED 1), 3 ended and no longer listed"
    );
}

#[test]
fn jobs_that_slurm_has_forgotten_have_ended() {
    let fixture = Fixture::new();
    fixture.submit(10, &in_chunks_of(1)).unwrap();
    fixture.set("squeue.fails", "slurm_load_jobs error: Invalid job id specified\n");
    let status = fixture.slurm.status(&fixture.folder).unwrap();
    assert!(!status.is_unfinished());
    assert_eq!(status.unlisted, 10);
    fixture.submit(10, &in_chunks_of(1)).unwrap();
}

#[test]
fn jobs_with_the_same_id_in_another_folder_are_strangers() {
    let fixture = Fixture::new();
    fixture.submit(10, &in_chunks_of(10)).unwrap();
    fixture.set("queue", "100|0|RUNNING|None|/home/somebody|else\n");
    assert_eq!(fixture.slurm.cancel(&fixture.folder).unwrap(), [0_u64; 0]);
    assert!(!fixture.calls().iter().any(|call| call.starts_with("scancel")));
}

#[test]
fn a_queue_that_cannot_be_read_is_an_error() {
    let fixture = Fixture::new();
    fixture.submit(10, &in_chunks_of(10)).unwrap();
    fixture.set("queue", "JOBID PARTITION\n");
    let error = fixture.slurm.status(&fixture.folder).unwrap_err().to_string();
    assert_eq!(error, "squeue printed `JOBID PARTITION`, expected job, index, state, reason and folder");
    fixture.set("squeue.fails", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n");
    let error = fixture.submit(10, &in_chunks_of(10)).unwrap_err().to_string();
    assert!(error.ends_with("(connect failure) (is this a login node of the cluster?)"), "{error}");
}

#[test]
fn unfinished_jobs_are_cancelled() {
    let fixture = Fixture::new();
    fixture.set("config", "MaxArraySize = 5\n");
    fixture.submit(10, &in_chunks_of(1)).unwrap();
    fixture.queue(&[(100, "0", "COMPLETED", "None"), (101, "0", "RUNNING", "None"), (101, "1", "PENDING", "None")]);
    assert_eq!(fixture.slurm.cancel(&fixture.folder).unwrap(), [101]);
    assert_eq!(fixture.calls().last().unwrap(), "scancel 101");
    assert_eq!(fixture.slurm.cancel(&fixture.folder).unwrap(), [0_u64; 0]);
}

#[test]
fn a_failed_cancellation_is_an_error_while_jobs_are_unfinished() {
    let fixture = Fixture::new();
    fixture.submit(10, &in_chunks_of(10)).unwrap();
    fixture.queue(&[(100, "0", "RUNNING", "None")]);
    fixture.set("scancel.fails", "scancel: error: Access denied\n");
    let error = fixture.slurm.cancel(&fixture.folder).unwrap_err().to_string();
    assert_eq!(error, "scancel failed: scancel: error: Access denied");
}

#[test]
fn results_are_collected_after_unfinished_jobs() {
    let fixture = Fixture::new();
    fixture.submit(10, &Job { partition: Some("main".into()), ..in_chunks_of(10) }).unwrap();
    fixture.queue(&[(100, "0", "RUNNING", "None")]);
    let collection = fixture.collect().unwrap();
    assert_eq!(collection.id, Some(101));
    assert_eq!(&*collection.after, &[100][..]);
    assert!(collection.script.contains("#SBATCH --partition=main\n"));
    let expected = "sbatch --parsable --chdir=DIR --dependency=afterany:100 DIR/slurm/collect.sbatch";
    assert_eq!(fixture.calls().last().unwrap(), expected);

    fixture.queue(&[(100, "0", "COMPLETED", "None"), (101, "N/A", "PENDING", "Dependency")]);
    assert_eq!(fixture.collect().unwrap_err().to_string(), "job 101 collects the results already");
    let status = fixture.slurm.status(&fixture.folder).unwrap().to_string();
    assert_eq!(status, "jobs 100: 1 tasks, 1 completed; collect job 101: pending");
    let error = fixture.submit(10, &in_chunks_of(10)).unwrap_err();
    assert!(matches!(error, SlurmError::Unfinished { ids } if ids == "101"));
}

#[test]
fn results_of_ended_jobs_are_collected_at_once() {
    let fixture = Fixture::new();
    fixture.submit(10, &in_chunks_of(10)).unwrap();
    assert!(fixture.collect().unwrap().after.is_empty());
    assert_eq!(fixture.calls().last().unwrap(), "sbatch --parsable --chdir=DIR DIR/slurm/collect.sbatch");
}

#[test]
fn a_refused_array_leaves_the_arrays_before_it_recorded() {
    let fixture = Fixture::new();
    fixture.set("config", "MaxArraySize = 4\n");
    fixture.set("left", "2");
    let error = fixture.submit(10, &in_chunks_of(1)).unwrap_err();
    let expected = "only some of 3 arrays were submitted (100, 101): submit again after they have ended";
    assert_eq!(error.to_string(), expected);
    let SlurmError::Partial { source, .. } = error else { panic!("{error}") };
    let expected = "sbatch failed: sbatch: error: QOSMaxSubmitJobPerUserLimit (a larger --chunk gives fewer tasks)";
    assert_eq!(source.to_string(), expected);
    assert_eq!(fixture.slurm.status(&fixture.folder).unwrap().arrays, [100, 101]);
}

#[test]
fn a_refused_first_array_leaves_no_record() {
    let fixture = Fixture::new();
    fixture.set("sbatch.fails", "sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job failed\n");
    let error = fixture.submit(10, &in_chunks_of(10)).unwrap_err().to_string();
    let expected = "sbatch failed: sbatch: error: invalid partition specified: nope; sbatch: error: Batch job failed";
    assert_eq!(error, expected);
    let error = fixture.slurm.status(&fixture.folder).unwrap_err();
    assert!(matches!(error, SlurmError::NotSubmitted { .. }), "{error}");
}

#[test]
fn the_id_of_a_job_may_be_followed_by_a_cluster() {
    let fixture = Fixture::new();
    fixture.set("cluster", ";north");
    assert_eq!(fixture.submit(10, &in_chunks_of(10)).unwrap().arrays[0].id, 100);
    fixture.set("cluster", " is submitted");
    let error = fixture.submit(10, &in_chunks_of(10)).unwrap_err().to_string();
    assert_eq!(error, "sbatch printed `101 is submitted`, expected the id of a job");
}

#[test]
fn without_slurm_the_message_names_another_way() {
    let temporary = TempDir::new().unwrap();
    let slurm = Slurm::in_folder(temporary.path().join("nothing"));
    let submitted = slurm.submit(temporary.path(), Path::new(PROGRAM), 10, &Job::default(), false);
    let expected =
        "scontrol was not found: submit from a login node of the cluster, or run shards by hand with --shard";
    assert_eq!(submitted.unwrap_err().to_string(), expected);
    let fixture = Fixture::new();
    fs::remove_file(fixture.temporary.path().join("bin/sbatch")).unwrap();
    let error = fixture.submit(10, &Job::default()).unwrap_err().to_string();
    assert!(error.starts_with("sbatch was not found"), "{error}");
}

#[test]
fn two_processes_do_not_submit_one_sweep_at_the_same_time() {
    let fixture = Fixture::new();
    let lock = Folder::lock(&fixture.folder).unwrap();
    assert!(matches!(fixture.submit(10, &Job::default()), Err(SlurmError::Locked { .. })));
    drop(lock);
    fixture.submit(10, &Job::default()).unwrap();
}

#[test]
fn a_folder_without_jobs_has_no_status() {
    let fixture = Fixture::new();
    assert!(matches!(fixture.slurm.status(&fixture.folder), Err(SlurmError::NotSubmitted { .. })));
    assert!(matches!(fixture.slurm.cancel(&fixture.folder), Err(SlurmError::NotSubmitted { .. })));
    assert!(matches!(fixture.collect(), Err(SlurmError::NotSubmitted { .. })));
    assert_eq!(fs::read_dir(&fixture.folder).unwrap().count(), 0);
    fs::create_dir(fixture.folder.join("slurm")).unwrap();
    fs::write(fixture.folder.join("slurm/jobs.json"), "{").unwrap();
    assert!(matches!(fixture.submit(1, &Job::default()), Err(SlurmError::Record { .. })));
}

#[test]
fn options_that_a_shell_would_read_are_rejected() {
    let fixture = Fixture::new();
    let some = |text: &str| Some(text.to_owned());
    for (job, message) in [
        (Job { partition: some("a;b"), ..Job::default() }, "--partition `a;b`: expected 1 to 64 letters, digits"),
        (Job { account: some("a\nb"), ..Job::default() }, "--account `a\\nb`: expected 1 to 64 letters, digits"),
        (Job { name: String::new(), ..Job::default() }, "--name ``: expected 1 to 64 letters, digits"),
        (Job { time: some("1h"), ..Job::default() }, "--time `1h`: expected a time such as 30 (minutes)"),
        (Job { memory: some("1GB"), ..Job::default() }, "--mem `1GB`: expected an amount such as 500M or 2G"),
        (Job { chunk: 0, ..Job::default() }, "--chunk `0`: expected a number from 1 on"),
        (Job { cpus: 0, ..Job::default() }, "--cpus `0`: expected a number from 1 on"),
        (Job { max_parallel: Some(0), ..Job::default() }, "--max-parallel `0`: expected a number from 1 on"),
    ] {
        let error = fixture.submit(10, &job).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(fixture.calls(), Vec::<String>::new());
}

#[test]
fn a_number_of_tasks_that_no_cluster_takes_is_rejected_with_a_better_chunk() {
    let fixture = Fixture::new();
    let error = fixture.submit(1_000_001, &in_chunks_of(1)).unwrap_err().to_string();
    let expected = "1000001 tasks are too many for a cluster (at most 100000): with --chunk 11, there are fewer";
    assert_eq!(error, expected);
    assert!(in_chunks_of(11).tasks(1_000_001).is_ok());
    assert!(matches!(fixture.submit(0, &Job::default()), Err(SlurmError::NoRuns)));
    assert_eq!(in_chunks_of(u64::MAX).tasks(u64::MAX).unwrap(), 1);
}
