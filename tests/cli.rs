//! The program as a user has it: the built binary, in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::files::program;

mod bad_files;
mod continued_runs;
#[cfg(target_os = "linux")]
mod faults;
mod figure;
mod import;
mod json;
mod listing;
mod mcap;
mod messages;
mod plugins;
#[cfg(feature = "video")]
mod record;
mod runs;
mod serve;
mod share;
mod simiam;
mod start;
mod sweep;
mod verify;

/// A folder to run the program in.
struct Place(TempDir);

/// The output of the program.
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The names in a folder, sorted.
    fn names(&self, folder: &str) -> Vec<String> {
        names_in(&self.path(folder))
    }

    /// The program, without a display.
    fn command(&self, arguments: &str) -> Command {
        program(self.0.path(), arguments)
    }

    /// The message of `check` about the text of a file that is refused.
    #[track_caller]
    fn refusal(&self, file: &str, text: impl AsRef<[u8]>) -> String {
        self.write(file, text);
        let said = self.expect(2, &format!("check {file}"));
        assert!(said.stdout.is_empty());
        unlabelled(&said.stderr)
    }

    fn run(&self, arguments: &str) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs the program and expects an exit code.
    #[track_caller]
    fn expect(&self, code: i32, arguments: &str) -> Said {
        let said = self.run(arguments);
        assert_eq!(said.code, Some(code), "{arguments}\n{}\n{}", said.stdout, said.stderr);
        said
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Errors without the word before each.
fn unlabelled(errors: &str) -> String {
    let line = |line: &str| format!("{}\n", line.strip_prefix("error: ").unwrap_or(line));
    errors.lines().map(line).collect()
}

/// The rows of a table, head included.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn usage_errors_exit_with_2() {
    let place = Place::new();
    for arguments in [
        "fly",
        "run",
        "run milling --steps x",
        "run milling --steps 1 --duration 1",
        "list ghosts",
        "bench --only fly/7",
    ] {
        let said = place.expect(2, arguments);
        assert!(said.stdout.is_empty() && !said.stderr.is_empty(), "{arguments}");
    }
    assert!(place.names(".").is_empty());
}

#[test]
fn help_goes_to_stdout_and_is_fine() {
    let place = Place::new();
    for verb in ["", "open", "run", "check", "convert", "verify", "list", "bench"] {
        let said = place.expect(0, &format!("{verb} --help"));
        assert!(said.stdout.contains("Usage:") && said.stdout.contains("--quiet"), "{verb}");
    }
    assert!(place.expect(0, "--version").stdout.starts_with("swarmarium "));
}

#[test]
fn bench_prints_nothing_when_a_scene_cannot_be_measured() {
    let said = Place::new().expect(2, "bench --only M/10,A/10 --set time.dt_s=0.0");
    assert!(said.stdout.is_empty() && said.stderr.contains("time.dt_s"), "{}", said.stderr);
}

#[test]
fn without_a_display_a_moving_scene_runs_headless() {
    let place = Place::new();
    let said = place.expect(0, "");
    assert!(said.stderr.contains("headless"), "{}", said.stderr);
    let folders = place.names("runs");
    assert_eq!(folders.len(), 1);
    assert_eq!(place.json(&format!("runs/{}/manifest.json", folders[0]))["steps"], 2400);
}

#[test]
fn open_without_a_display_says_what_to_do() {
    let said = Place::new().expect(2, "open milling");
    assert!(
        said.stderr.contains("`swarmarium run milling` runs it headless") && said.stdout.is_empty(),
        "{}",
        said.stderr
    );
}

#[test]
fn convert_writes_files_that_read_back() {
    let place = Place::new();
    place.expect(0, "convert milling -o short.ron --set groups.millers.count=9");
    place.expect(0, "convert milling -o full.ron --full --set groups.millers.count=9");
    assert!(place.read("short.ron").len() < place.read("full.ron").len());
    assert!(place.read("short.ron").contains("count: 9"));
    assert_eq!(place.expect(0, "convert short.ron -o - --full").stdout, place.read("full.ron"));
    assert_eq!(place.expect(0, "convert full.ron -o -").stdout, place.read("short.ron"));
}

#[test]
fn convert_copies_shipped_plans() {
    let place = Place::new();
    place.expect(0, "convert papers/gauci.sweep -o my.sweep.ron");
    place.expect(0, "convert milling.sweep -o mills.sweep.ron");
    assert!(place.read("my.sweep.ron").contains("scene: \"papers/gauci\""));
    let [own, shipped] =
        ["my.sweep.ron", "papers/gauci.sweep"].map(|plan| place.expect(0, &format!("sweep {plan} --dry-run")).stdout);
    let points =
        |text: &str| text.lines().filter(|line| line.starts_with("point ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(points(&own), points(&shipped));
    assert_eq!(points(&own).len(), 10);
    place.expect(0, "sweep mills.sweep.ron --dry-run");
    assert!(place.expect(2, "convert milling.sweep -o x.ron --seed 3").stderr.contains("edit the copy"));
    assert!(place.expect(2, "convert my.sweep.ron -o x.ron").stderr.contains("is a plan"));
}

#[test]
fn convert_overwrites_no_file_unless_asked() {
    let place = Place::new();
    place.write("mine.ron", "mine");
    assert!(place.expect(2, "convert milling -o mine.ron").stderr.contains("--overwrite"));
    assert_eq!(place.read("mine.ron"), "mine");
    place.expect(0, "convert milling -o mine.ron --overwrite");
    assert_eq!(place.names("."), ["mine.ron"]);
    place.expect(0, "check mine.ron");
    assert!(place.expect(2, "convert milling -o world.txt").stderr.contains(".ron"));
    assert!(!place.has("world.txt"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_on_stdout_is_no_failure() {
    let place = Place::new();
    for arguments in ["list kinds", "list kinds --json", "convert milling -o - --full"] {
        let mut command = place.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let said: Said = child.wait_with_output().unwrap().into();
        assert_eq!(said.code, Some(0), "{arguments}");
        assert_eq!(said.stderr.as_str(), "", "{arguments}");
    }
}
