//! The scripts that Slurm runs.

use std::fmt::Write as _;
use std::path::Path;

use super::job::{absolute, text};
use super::{FOLDER, Job, SlurmError};

/// The shortest time limit with a warning, in seconds. Slurm may warn a minute early: with a shorter limit, a task would
/// stop before it has done anything.
const SHORTEST_WARNED_S: u64 = 300;
/// The time from the warning to the limit, in seconds. A task finishes the runs that go on in this time.
const WARNING_S: u64 = 60;

/// The script of the tasks that run a sweep in a folder.
///
/// `sbatch` passes the number of tasks in earlier arrays to the script as its argument. The program replaces the shell,
/// so that signals reach it.
///
/// # Errors
/// When an option of the job, or a path, is invalid, the sweep has no runs, or there are too many tasks.
pub fn script(folder: &Path, program: &Path, runs: u64, job: &Job) -> Result<String, SlurmError> {
    let mut script = header(&job.name, job.cpus, job)?;
    if job.limit_s().is_some_and(|limit| limit >= SHORTEST_WARNED_S) {
        line(&mut script, format_args!("#SBATCH --signal=B:TERM@{WARNING_S}"));
    }
    let (program, folder) = (single_quoted(&text(program)?), single_quoted(&absolute(folder)?));
    let (tasks, cpus) = (job.tasks(runs)?, job.cpus);
    line(&mut script, format_args!("# The argument is the number of tasks in earlier arrays; shards count from 1."));
    line(&mut script, format_args!("shard=$((${{SLURM_ARRAY_TASK_ID:?}} + ${{1:?}} + 1))"));
    line(&mut script, format_args!("exec {program} sweep {folder} --resume --shard \"$shard/{tasks}\" -j {cpus}"));
    Ok(script)
}

/// The script of the job that merges the logs of a sweep.
///
/// # Errors
/// When an option of the job, or a path, is invalid.
pub fn collect_script(folder: &Path, program: &Path, job: &Job) -> Result<String, SlurmError> {
    let mut script = header(&job.name, 1, job)?;
    let (program, folder) = (single_quoted(&text(program)?), single_quoted(&absolute(folder)?));
    line(&mut script, format_args!("exec {program} sweep merge {folder}"));
    Ok(script)
}

/// The first lines of a script: the options of the job.
///
/// The log has a relative name: Slurm puts it into the working directory, which is the folder of the sweep.
fn header(name: &str, cpus: u32, job: &Job) -> Result<String, SlurmError> {
    job.check()?;
    let mut script = String::from("#!/bin/sh\n");
    line(&mut script, format_args!("#SBATCH --job-name={name}"));
    line(&mut script, format_args!("#SBATCH --nodes=1"));
    line(&mut script, format_args!("#SBATCH --ntasks=1"));
    line(&mut script, format_args!("#SBATCH --cpus-per-task={cpus}"));
    for (option, value) in
        [("partition", &job.partition), ("account", &job.account), ("time", &job.time), ("mem", &job.memory)]
    {
        if let Some(value) = value {
            line(&mut script, format_args!("#SBATCH --{option}={value}"));
        }
    }
    line(&mut script, format_args!("#SBATCH --requeue"));
    line(&mut script, format_args!("#SBATCH --open-mode=append"));
    line(&mut script, format_args!("#SBATCH --output=/dev/null"));
    line(&mut script, format_args!("#SBATCH --error={FOLDER}/errors.log"));
    Ok(script)
}

fn line(script: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(script, "{line}");
}

/// Text as one word of a POSIX shell: nothing is special within single quotes, except for a single quote.
pub(super) fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;

    const PROGRAM: &str = "/opt/swarm/swarmarium";

    #[test]
    fn a_script_has_the_options_of_the_job_and_replaces_its_shell_by_the_program() {
        let job = Job {
            name: "exp-1".into(),
            partition: Some("main".into()),
            time: Some("00:30:00".into()),
            memory: Some("1G".into()),
            account: Some("lab.7".into()),
            chunk: 10,
            max_parallel: Some(4),
            cpus: 2,
        };
        let text = script(Path::new("/data/it's here/"), Path::new(PROGRAM), 95, &job).unwrap();
        let expected = r#"#!/bin/sh
#SBATCH --job-name=exp-1
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --partition=main
#SBATCH --account=lab.7
#SBATCH --time=00:30:00
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=/dev/null
#SBATCH --error=slurm/errors.log
#SBATCH --signal=B:TERM@60
# The argument is the number of tasks in earlier arrays; shards count from 1.
shard=$((${SLURM_ARRAY_TASK_ID:?} + ${1:?} + 1))
exec '/opt/swarm/swarmarium' sweep '/data/it'\''s here' --resume --shard "$shard/10" -j 2
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn a_short_time_limit_has_no_warning() {
        for (time, has_warning) in [("1", false), ("04:59", false), ("05:00", true), ("1-0", true), ("0", false)] {
            let job = Job { time: Some(time.into()), ..Job::default() };
            let text = script(Path::new("/data"), Path::new(PROGRAM), 1, &job).unwrap();
            assert_eq!(text.contains("--signal"), has_warning, "{time}");
        }
    }

    #[test]
    fn a_script_calls_the_program_with_one_shard_whatever_the_names_of_folders_are() {
        let temporary = TempDir::new().unwrap();
        let folder = temporary.path().join("a 'b' \"c\" $(touch gone) `d` ; & é");
        fs::create_dir(&folder).unwrap();
        let echo = Path::new("/bin/echo");
        let text = script(&folder, echo, 40, &Job { chunk: 10, ..Job::default() }).unwrap();
        let output = Command::new("/bin/sh")
            .args(["-c", &text, "tasks.sbatch", "2"])
            .env("SLURM_ARRAY_TASK_ID", "1")
            .current_dir(temporary.path())
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, format!("sweep {} --resume --shard 4/4 -j 1\n", folder.display()));
        assert!(!temporary.path().join("gone").exists());
        let merging = collect_script(&folder, echo, &Job::default()).unwrap();
        assert!(merging.ends_with("é'\n") && merging.contains("exec '/bin/echo' sweep merge '/"), "{merging}");
    }

    #[test]
    fn a_script_without_its_array_fails() {
        let text = script(Path::new("/data"), Path::new("/bin/echo"), 40, &Job::default()).unwrap();
        let output = Command::new("/bin/sh").args(["-c", &text]).env_remove("SLURM_ARRAY_TASK_ID").output().unwrap();
        assert!(!output.status.success());
        assert!(output.stdout.is_empty());
    }

    #[test]
    fn paths_that_slurm_would_change_are_rejected() {
        for name in ["a%A", "a\\b", "a\nb"] {
            let error = script(&Path::new("/data").join(name), Path::new(PROGRAM), 1, &Job::default()).unwrap_err();
            assert!(matches!(error, SlurmError::Path { .. }), "{error}");
        }
        let error = script(Path::new("/data/a%A"), Path::new(PROGRAM), 1, &Job::default()).unwrap_err().to_string();
        assert_eq!(error, "/data/a%A: jobs of Slurm need a path without `%` and `\\`");
    }
}
