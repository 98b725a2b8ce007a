//! Faults of file systems: pipes and devices in place of files, and names that are not UTF-8.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{Place, Said};

/// The time limit of a command that refuses a file.
const SOON: Duration = Duration::from_secs(30);

impl Place {
    fn pipe(&self, name: &str) {
        assert!(Command::new("mkfifo").arg(self.path(name)).status().unwrap().success());
    }

    /// Runs a command that must be refused with an exit code of 2 and without waiting for a writer of a pipe.
    fn refused(&self, arguments: &str) -> String {
        let mut command = self.command(arguments);
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > SOON {
                child.kill().unwrap();
                panic!("{arguments} hangs");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(2), "{arguments}: {}", said.stderr);
        said.stderr
    }
}

#[test]
fn pipes_and_devices_are_not_read() {
    let place = Place::new();
    for extension in ["ron", "yaml", "yml", "xml", "svg", "py", "csv"] {
        place.pipe(&format!("pipe.{extension}"));
    }
    place.write("include.yaml", "type: RectangularWorld\nsize: [10, 10]\nagents: !include pipe.yaml\n");
    place.write("table.ron", "(groups: [(name: \"a\", spawn: Table(file: \"pipe.csv\"))])");
    place.write("drawing.ron", "(objects: [Drawing(file: \"pipe.svg\")])");
    place.write("body.ron", "(groups: [(name: \"a\", body: Polygon(file: \"pipe.svg\"))])");
    fs::create_dir(place.path("robots")).unwrap();
    place.pipe("robots/pipe.ron");
    place.write("robot.ron", "(groups: [(name: \"a\", robot: \"pipe\")])");
    let mut files: Vec<String> =
        ["ron", "yaml", "yml", "xml", "svg", "py"].map(|extension| format!("pipe.{extension}")).into();
    files.extend(["include.yaml", "table.ron", "drawing.ron", "body.ron", "robot.ron"].map(str::to_owned));
    files.extend(["/dev/zero", "/dev/null", "/dev/tty"].map(str::to_owned));
    let mut verbs = vec!["check", "run", "verify", "convert -o out.ron"];
    if cfg!(feature = "video") {
        verbs.push("record -o out.gif");
    }
    for file in &files {
        for verb in &verbs {
            let said = place.refused(&format!("{verb} {file}"));
            assert!(said.contains("is not a regular file") || said.contains("/dev/tty"), "{verb} {file}: {said}");
        }
    }
    for verb in ["run milling --edits pipe.ron", "verify milling --edits pipe.ron"] {
        assert!(place.refused(verb).contains("pipe.ron: is not a regular file"), "{verb}");
    }
}

#[cfg(feature = "video")]
#[test]
fn pipes_in_run_folders_are_not_read() {
    let place = Place::new();
    for name in ["scene.ron", "edits.ron", "trace.csv", "manifest.json"] {
        place.expect(0, "run milling --steps 5 --trace --quiet -o run --overwrite");
        if name == "manifest.json" {
            fs::remove_file(place.path("run/trace.csv")).unwrap();
        }
        let _ = fs::remove_file(place.path("run").join(name));
        place.pipe(&format!("run/{name}"));
        let said = place.refused("record run -o a.gif");
        assert!(said.contains(&format!("run/{name}: is not a regular file")), "{said}");
        fs::remove_dir_all(place.path("run")).unwrap();
    }
}

#[test]
fn pipes_in_batches_are_not_read() {
    let place = Place::new();
    place.expect(0, "run milling --steps 5 --quiet --seeds 1..=2 -o batch");
    fs::remove_file(place.path("batch/batch.json")).unwrap();
    place.pipe("batch/batch.json");
    assert!(place.refused("run milling --steps 5 --seeds 1..=2 -o batch --resume").contains("is not a regular file"));
}

#[test]
fn pipes_in_sweep_folders_are_not_read() {
    let place = Place::new();
    place.expect(0, "sweep milling --repeat 2 --steps 5 --keep all -q -o a");
    let resume = "sweep ./a --resume -q";
    let again = "sweep milling --repeat 2 --steps 5 -q -o a --resume";
    for (name, commands) in [
        ("logs/x.log", vec![resume, again, "sweep merge a -q", "sweep merge a -q -o b", "sweep status a"]),
        ("logs/1-of-1.log", vec![resume, "sweep merge a -q", "sweep status a"]),
        ("plan.ron", vec![resume, again, "sweep merge a -q", "sweep status a", "run a/runs/1-1"]),
        ("scene.ron", vec![resume, "sweep status a"]),
        ("manifest.json", vec![resume, again, "sweep merge a -q", "sweep status a"]),
        ("slurm/jobs.json", vec!["sweep status a", "sweep cancel a", "sweep collect a --dry-run"]),
        ("slurm/lock", vec!["sweep cancel a"]),
    ] {
        for is_device in [false, true] {
            let aside = place.path("aside");
            let _ = fs::rename(place.path("a").join(name), &aside);
            fs::create_dir_all(place.path("a").join(name).parent().unwrap()).unwrap();
            match is_device {
                false => place.pipe(&format!("a/{name}")),
                true => std::os::unix::fs::symlink("/dev/zero", place.path("a").join(name)).unwrap(),
            }
            for command in &commands {
                place.refused(command);
            }
            let _ = fs::remove_file(place.path("a").join(name));
            let _ = fs::rename(&aside, place.path("a").join(name));
        }
    }
    place.expect(0, again);
}

#[test]
fn logs_that_are_deleted_during_a_sweep_end_it() {
    let place = Place::new();
    let sweep = "sweep milling --vary groups.millers.count=20,30 --repeat 10 --steps 400 -q -o b -j1";
    let mut child = place.command(sweep).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !fs::metadata(place.path("b/logs/1-of-1.log")).is_ok_and(|log| log.len() > 0) {
        assert!(start.elapsed() < SOON && child.try_wait().unwrap().is_none(), "no run was done");
        std::thread::sleep(Duration::from_millis(5));
    }
    fs::remove_dir_all(place.path("b/logs")).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("1-of-1.log: was deleted or replaced during the sweep"), "{}", said.stderr);
    place.expect(0, &format!("{sweep} --resume"));
    assert_eq!(place.read("b/runs.csv").lines().count(), 1 + 20);
}

#[test]
fn a_limit_of_file_sizes_ends_a_run_as_a_full_disk_does() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_swarmarium");
    let script = format!("ulimit -f 100; exec {program} run milling --steps 4000 --trace -q -o run");
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.path(".")).output().unwrap();
    let said = Said::from(output);
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("trace.csv: cannot be written: File too large"), "{}", said.stderr);
    assert!(place.read("run/trace.csv.partial").ends_with('\n'));
    assert!(place.json("run/manifest.json")["incomplete"].to_string().contains("trace.csv"));
}

#[test]
fn pipes_and_devices_are_not_written() {
    let place = Place::new();
    for name in ["a.ron", "a.gif", "a.csv", "b.ron.partial", "b.gif.partial"] {
        place.pipe(name);
    }
    for arguments in [
        "convert milling -o a.ron",
        "convert milling -o a.ron --overwrite",
        "convert milling -o b.ron",
        "record milling --frames 2 -o a.gif --overwrite",
        "record milling --frames 2 -o b.gif",
        "record milling --frames 2 -o c.gif --frame-hashes a.csv --overwrite",
        "run milling --steps 2 -o a.csv --overwrite",
    ] {
        place.refused(arguments);
    }
    assert_eq!(place.names("."), ["a.csv", "a.gif", "a.ron", "b.gif.partial", "b.ron.partial"]);
}

#[test]
fn file_names_that_are_not_utf8_are_shown_escaped() {
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.ron");
    fs::write(place.path(".").join(name), "[").unwrap();
    for (arguments, code) in [("run milling --edits", 2), ("convert milling -o", 2), ("run milling --steps 1 -o", 2)] {
        let output = place.command(arguments).arg(name).output().unwrap();
        let said = Said::from(output);
        assert_eq!(said.code, Some(code), "{}", said.stderr);
        assert!(said.stderr.contains(r"caf\xe9.ron"), "{}", said.stderr);
    }
    let folder = std::ffi::OsStr::from_bytes(b"caf\xe9");
    let said = Said::from(place.command("run milling --steps 1 -o").arg(folder).output().unwrap());
    assert!(said.code == Some(0) && said.stderr.contains(r"caf\xe9: 1 step ("), "{}", said.stderr);
    let manifest = fs::read_to_string(place.path(".").join(Path::new(folder)).join("manifest.json")).unwrap();
    assert!(manifest.contains(r#""caf\\xe9""#), "{manifest}");
}

#[test]
fn long_messages_are_cut() {
    let place = Place::new();
    let long = "x".repeat(100_000);
    place.write("a.ron", format!("(groups: [(name: \"{long}\"), (name: \"{long}\"), (spawn: {long}())])"));
    place.write("a.yaml", format!("type: {long}\n{long}: 1\n"));
    place.write("a.xml", format!("<simulation><robot type='{long}'/></simulation>"));
    place.write("a.py", format!("component_datastream = {{'{long}': [1]}}\n{long} = 3\n"));
    place.write("edits.ron", format!("[(step: 1, edit: Set(path: \"{long}\", value: \"{long}\"))]"));
    for file in ["a.ron", "a.yaml", "a.xml", "a.py"] {
        let said = place.refused(&format!("check {file}"));
        assert!(said.len() < 20_000, "{file}: {} bytes", said.len());
    }
    assert!(place.refused("run milling --edits edits.ron -o run").len() < 20_000);
    for arguments in [format!("run milling --set {long}=1"), format!("run milling --steps {long}"), long] {
        let said = place.refused(&arguments);
        assert!(said.len() < 20_000, "{} bytes", said.len());
    }
}
