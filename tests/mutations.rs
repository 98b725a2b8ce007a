//! Files of every format, damaged: the program reads or refuses them, soon, and nothing panics.
//!
//! A case is a folder with one file to damage and the commands that read it. `RANDOM_FILES=10000 cargo test --release
//! mutations` tries more of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::choices::{Choices, damaged, mixed, pieces, rounds, try_rounds};
use crate::support::files::{copy_folder, files_below, program};
use crate::support::path;

/// The longest time that a command may take.
const LIMIT: Duration = Duration::from_secs(30);

/// A file to damage.
struct Case {
    /// Its folder, which is copied first.
    folder: PathBuf,
    /// Its name in the folder.
    file: String,
    /// The commands that read it.
    commands: &'static [&'static str],
}

/// `F` is the damaged file.
const SCENE: &[&str] = &[
    "check F",
    "run F --steps 3 -o o",
    "convert F -o o.ron",
    "convert F -o o.xml",
    "convert F -o o.py",
    "share F -o o.swarm",
];
const WORLD: &[&str] =
    &["check F", "run F --steps 3 -o o", "convert F -o o.ron", "check F --lenient", "check F --all-groups"];
const STAGE_WORLD: &[&str] = &[
    "check F",
    "run F --steps 3 -o o",
    "convert F -o o.ron",
    "share F -o o.swarm",
    "run simple.world --steps 3 -o o",
    "check room.yaml",
];
const STAGE_PARTS: &[&str] =
    &["check simple.world", "run simple.world --steps 3 -o o", "convert simple.world -o o.ron"];
const PLAN: &[&str] = &["check F", "sweep F --dry-run"];
const COMPANY: &[&str] = &["check main.ron", "run main.ron --steps 3 -o o", "share main.ron -o o.swarm"];
const RUN: &[&str] = &[
    "run whole --steps 40 -o o",
    "run whole --at 12 --steps 3 -o o",
    "run whole --at here -o o",
    "run whole --branch other -o o",
    "run main.ron --edits whole/edits.ron --steps 40 -o o",
    "share main.ron --edits whole/edits.ron -o o.swarm",
];
const BATCH: &[&str] = &["run main.ron --seeds 1..3 --steps 5 -o batch --resume"];
const SWEEP: &[&str] =
    &["sweep PLAN --resume -o swept", "sweep merge swept", "run swept/runs/1-2 --steps 3 -o o", "check swept"];
const SHARED: &[&str] = &["check F", "run F --steps 3 -o o", "convert F -o o.ron"];

/// A scene whose parts are in files beside it.
const MAIN: &str = r#"(
    time: (dt_s: 0.05),
    groups: [
        (name: "rows", spawn: Table(file: "poses.csv"), robot: "own"),
        (name: "wide", at: [(3.0, 3.0, 0.0)], body: Polygon(file: "body.svg"), motion: DifferentialDrive()),
    ],
    objects: [Drawing(file: "walls.svg", m_per_unit: 0.01), Drawing(file: "map.pgm", size_m: Some((2.0, 1.0))), Disc(center_m: (1.0, 4.0), radius_m: 0.2)],
    metrics: [Scatter(), Formula(value: "scatter * 2", label: "twice")],
)"#;
const OWN: &str = "(body: Disc(radius_m: 0.1), sensors: [Proximity(rays: 4)], controller: Constant(v_m_per_s: 0.2))";
const POSES: &str = "x_m,y_m,heading_rad\n1.0,1.0,0.5\n2.0,1.5,0\n";
const WALLS: &str = "<svg viewBox=\"0 0 500 500\"><g><rect x=\"10\" y=\"10\" width=\"50\" height=\"5\"/>\
    <path d=\"M0 0L90 0L90 90z\"/><circle cx=\"200\" cy=\"200\" r=\"10\"/></g></svg>";
const MAP: &str = "P2\n# a map\n4 3\n255\n0 255 255 0\n255 255 255 254\n0 0 205 255\n";
const BODY: &str = "<svg><polygon points=\"0 0 20 0 20 10 0 10\"/></svg>";
const EDITS: &str = "[\n    (step: 5, edit: Move(agent: 0, x_m: 1.0, y_m: 2.0, heading_rad: 0.1)),\n    \
    (step: 9, edit: Set(path: \"groups.millers.controller.clear.v_m_per_s\", value: \"0.5\")),\n    \
    (step: 11, edit: Fault(agent: 1, failure: Motors, is_active: true)),\n]\n";
/// `EDITS` is put in the place of the mark.
const TIMELINE: &str = "(\n    present: \"main\",\n    branches: [\n        (name: \"main\", steps: 20, edits: EDITS),\n        \
    (name: \"other\", parent: Some(\"main\"), leaves_at: 10, steps: 18),\n    ],\n    \
    bookmarks: [(name: \"here\", branch: \"main\", step: 8)],\n)\n";
const PLAN_TEXT: &str = "(name: \"p\", scene: \"milling\", repetitions: 2, stop: (steps: 5), \
    factors: [(path: \"groups.millers.count\", values: List([4, 5]))], \
    keep: (series_every_steps: 2, folders: All, trace: true, hash: true))";

/// A world of Stage with an included file and an image, and a map of ROS with the same image.
const STAGE: &[(&str, &str)] = &[
    (
        "own.inc",
        "define wall model ( color \"gray30\" size [1 0.2 1] boundary 1 )\ndefine bot position\n(\n  size [0.3 0.2 0.2]\n  \
        block( points 4 point[0] [0 0] point[1] [2 0] point[2] [2 1] point[3] [0 1] z [0 1] )\n  \
        ranger( sensor( range [0 2] fov 180 samples 9 noise [0.01 0 0] ) sensor( range [0 1] pose [0.1 0 0 90] ) )\n  \
        fiducial( range_max 3 ) gripper( ) drive \"diff\" velocity_bounds [-1 1 0 0 0 0 -90 90]\n)\n",
    ),
    (
        "simple.world",
        "include \"own.inc\"\ninterval_sim 50 # ms\nunit_angle \"degrees\"\nwindow( size [ 600 400 ] )\n\
        wall( pose [1 2 0 45] bitmap \"room.pgm\" size [4 3 1] name \"room\" )\nwall( pose [0 3 0 0] gripper_return 1 )\n\
        bot( pose [0 0 0 90] name \"r0\" ctrl \"wander\" )\nbot( pose [-1 0.5 0 0] localization \"odom\" color \"red\" )\n",
    ),
    (
        "room.yaml",
        "image: room.pgm\nresolution: 0.5\norigin: [-2.0, -1.5, 0.1]\nnegate: 0\noccupied_thresh: 0.65\n\
        free_thresh: 0.25\nmode: trinary\n",
    ),
    ("room.pgm", "P2 # a room\n6 4 255\n0 0 0 0 0 0\n0 254 254 205 254 0\n0 254 254 254 254 0\n0 0 0 0 0 0\n"),
];

/// All cases, in folders below `root`.
fn cases(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut number = 0;
    let mut folder = || {
        number += 1;
        let folder = root.join(number.to_string());
        fs::create_dir(&folder).unwrap();
        folder
    };
    // Scenes, plans and worlds of this checkout. Small files beside a world may belong to it.
    let examples = fs::read_dir(path("docs/examples/kinds")).unwrap().map(|folder| folder.unwrap().path());
    let folders = ["scenes", "docs/examples", "tests/data/robotswarmsimulator", "tests/data/morse"].map(path);
    for from in folders.into_iter().chain(examples) {
        let folder = folder();
        let small = |entry: &fs::DirEntry| entry.metadata().unwrap().len() < 100_000;
        for entry in fs::read_dir(&from).unwrap().map(Result::unwrap).filter(small) {
            let file = entry.file_name().into_string().unwrap();
            let commands = match Path::new(&file).extension().and_then(|ending| ending.to_str()) {
                Some("ron") if file.ends_with(".sweep.ron") => PLAN,
                Some("ron") => SCENE,
                Some("yaml" | "xml" | "py") => WORLD,
                Some("csv" | "svg" | "png") => &[],
                _ => continue,
            };
            fs::copy(entry.path(), folder.join(&file)).unwrap();
            if !commands.is_empty() {
                cases.push(Case { folder: folder.clone(), file, commands });
            }
        }
    }
    for (from, ending) in [("world_xml", "xml"), ("drawing", "svg")] {
        let folder = folder();
        for entry in fs::read_dir(path("tests/data/fuzz").join(from)).unwrap().map(Result::unwrap) {
            let file = format!("{}.{ending}", entry.file_name().to_str().unwrap());
            fs::copy(entry.path(), folder.join(&file)).unwrap();
            cases.push(Case { folder: folder.clone(), file, commands: WORLD });
        }
    }
    // A scene with its company.
    let parts = folder();
    fs::create_dir(parts.join("robots")).unwrap();
    let company = [
        ("main.ron", MAIN),
        ("robots/own.ron", OWN),
        ("poses.csv", POSES),
        ("walls.svg", WALLS),
        ("map.pgm", MAP),
        ("body.svg", BODY),
    ];
    for (file, text) in company {
        fs::write(parts.join(file), text).unwrap();
        cases.push(Case { folder: parts.clone(), file: file.into(), commands: COMPANY });
    }
    // Files of Stage and ROS: each damaged file is opened itself, and through those that name it.
    let stage = folder();
    for (file, text) in STAGE {
        fs::write(stage.join(file), text).unwrap();
        let commands = if *file == "own.inc" { STAGE_PARTS } else { STAGE_WORLD };
        cases.push(Case { folder: stage.clone(), file: (*file).into(), commands });
    }
    // Files that the program writes: a run, a batch, a sweep, a shared scene, and worlds.
    let written = [
        ("run milling --steps 20 --edits edits.ron --trace --hash -o whole", "whole", RUN),
        ("run main.ron --seeds 1..3 --steps 5 -o batch", "batch", BATCH),
        ("sweep plan.sweep.ron -o swept", "swept", SWEEP),
        ("share milling -o shared.swarm", "shared.swarm", SHARED),
        ("convert simiam-week7 -o week7.xml", "week7.xml", WORLD),
        ("convert morse-reference -o reference.py", "reference.py", WORLD),
    ];
    for (command, output, commands) in written {
        let folder = folder();
        let milling = fs::read(path("scenes/milling.ron")).unwrap();
        fs::write(folder.join("main.ron"), milling).unwrap();
        fs::write(folder.join("edits.ron"), EDITS).unwrap();
        fs::write(folder.join("plan.sweep.ron"), PLAN_TEXT).unwrap();
        let said = program(&folder, command).output().unwrap();
        assert!(said.status.success(), "{command}: {}", String::from_utf8_lossy(&said.stderr));
        if output == "whole" {
            fs::write(folder.join("whole/timeline.ron"), TIMELINE.replace("EDITS", EDITS.trim())).unwrap();
        }
        let is_output = |file: &String| Path::new(file).starts_with(output);
        for file in files_below(&folder).into_iter().filter(is_output) {
            if !file.ends_with(".html") && !file.contains("/figures/") {
                cases.push(Case { folder: folder.clone(), file, commands });
            }
        }
    }
    cases
}

/// Damages the file of a case: bytes, or pieces of a text that come from another file, too.
fn damage(choices: &mut Choices, case: &Case, other: &Case) -> Vec<u8> {
    let bytes = fs::read(case.folder.join(&case.file)).unwrap();
    let other = fs::read(other.folder.join(&other.file)).unwrap();
    match (String::from_utf8(bytes), String::from_utf8(other)) {
        (Ok(text), Ok(other)) if choices.below(4) > 0 => mixed(choices, &pieces(&text), &pieces(&other)).into_bytes(),
        (Ok(text), _) => damaged(choices, text.as_bytes()),
        (Err(error), _) => damaged(choices, error.as_bytes()),
    }
}

/// The fault in the exit of a command; `None` after a normal exit.
fn fault(mut child: Child, log: &Path) -> Option<String> {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            return Some(format!("does not end within {LIMIT:?}"));
        }
        thread::sleep(Duration::from_millis(2));
    };
    let said = String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned();
    let is_fine = matches!(status.code(), Some(0 | 2 | 3 | 4)) && !said.contains("panicked");
    (!is_fine).then(|| format!("ends with {status}: {said}"))
}

#[test]
fn damaged_files_are_read_or_refused() {
    let root = tempfile::tempdir().unwrap();
    let cases = cases(root.path());
    try_rounds(rounds("RANDOM_FILES", 120), |round| {
        let mut choices = Choices::new(round as u64);
        // The first rounds meet every kind of file.
        let case = &cases[round * 7 % cases.len()];
        let other = &cases[choices.below(cases.len())];
        let command = choices.one(case.commands).replace('F', &case.file).replace("PLAN", "plan.sweep.ron");
        let place = TempDir::new().unwrap();
        copy_folder(&case.folder, place.path());
        fs::write(place.path().join(&case.file), damage(&mut choices, case, other)).unwrap();
        let log = place.path().join("said");
        let mut child = program(place.path(), &command);
        child.stdout(Stdio::null()).stderr(fs::File::create(&log).unwrap());
        let fault = fault(child.spawn().unwrap(), &log)?;
        // The files of a failure can be looked at.
        Some(format!("`{command}` {fault}\nin {}", place.keep().display()))
    });
}
