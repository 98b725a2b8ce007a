//! `run --at` and `run --branch`: runs that go on from a moment of another run.

use super::{Place, rows};

#[test]
fn a_run_goes_on_from_a_moment_to_the_hashes_of_the_uninterrupted_run() {
    let place = Place::new();
    let log = "[(step: 9, edit: Move(agent: 2, x_m: 1.5, y_m: 5.0, heading_rad: 1.0)),
        (step: 31, edit: Set(path: \"groups.millers.controller.clear.turn_rad_per_s\", value: \"0.2\"))]";
    place.write("edits.ron", log);
    place.expect(0, "run milling --steps 60 --seed 3 --edits edits.ron --hash -o whole --quiet");
    let whole = rows(&place.read("whole/hash.csv"));
    place.expect(0, "run whole --at 20 --steps 25 --hash -o part --quiet");
    let part = rows(&place.read("part/hash.csv"));
    assert_eq!(part.len(), 1 + 26);
    assert_eq!(&part[1][0], &"20".to_owned());
    assert_eq!(part[1..], whole[21..=46]);
    assert_eq!(rows(&place.read("part/metrics.csv"))[1..], rows(&place.read("whole/metrics.csv"))[20..=45]);
    assert_eq!(place.json("part/manifest.json")["steps"], 45);
    // The written run has moments again, from its start.
    place.expect(0, "run part --at 1s --hash -o again --quiet");
    assert_eq!(rows(&place.read("again/hash.csv"))[1..], whole[41..=46]);
    place.expect(0, "run whole --at 55 --duration 1s --hash -o beyond --quiet");
    assert_eq!(rows(&place.read("beyond/hash.csv"))[1..7], whole[56..=61]);
    assert_eq!(rows(&place.read("beyond/hash.csv")).len(), 1 + 41);
}

#[test]
fn a_run_that_goes_on_counts_from_its_moment_and_keeps_its_name() {
    let place = Place::new();
    let whole = place.expect(0, "run milling --steps 40 --seed 3").stderr;
    assert!(whole.contains("runs/milling-3: 40 steps (1 s) in "), "{whole}");
    let part = place.expect(0, "run runs/milling-3 --at 20").stderr;
    assert!(part.contains("runs/milling-3-2: steps 20 to 40 (0.5 s) in "), "{part}");
    let again = place.expect(0, "run runs/milling-3-2 --at 39 --json --quiet").stdout;
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!(
        (&again["folder"], &again["from_step"], &again["steps"]),
        (&"runs/milling-3-3".into(), &39.into(), &40.into())
    );
    place.expect(0, "run runs/milling-3-2 --seeds 1..=2 --steps 2 --quiet");
    assert!(place.has("runs/milling-seeds-1-2/milling-1"), "{:?}", place.names("runs"));
    let one = place.expect(0, "run milling --steps 1 --seed 4").stderr;
    assert!(one.contains("runs/milling-4: 1 step (0.025 s) in "), "{one}");
}

#[test]
fn a_run_goes_on_from_a_moment_with_another_value() {
    let place = Place::new();
    let log = "[(step: 9, edit: Move(agent: 2, x_m: 1.5, y_m: 5.0, heading_rad: 1.0)),
        (step: 31, edit: Set(path: \"groups.millers.controller.clear.turn_rad_per_s\", value: \"0.2\"))]";
    place.write("edits.ron", log);
    place.expect(0, "run milling --steps 60 --seed 3 --edits edits.ron --hash -o whole --quiet");
    let whole = rows(&place.read("whole/hash.csv"));
    let path = "groups.millers.controller.detected.turn_rad_per_s";
    place.expect(0, &format!("run whole --at 20 --steps 25 --hash --trace --set {path}=2*0.45 -o part --quiet"));
    let part = rows(&place.read("part/hash.csv"));
    assert_eq!(part.len(), 1 + 26);
    assert_eq!(&part[1], &whole[21]);
    assert_ne!(part[2..], whole[22..=46]);
    // The edit of step 31 belongs to the future that is left.
    let edits = place.read("part/edits.ron");
    let edit = format!("(step:21,edit:Set(path:\"{path}\",value:\"2*0.45\"),transaction:1)");
    assert!(edits.contains(&edit) && edits.contains("(step:9,") && !edits.contains("step:31"), "{edits}");
    // The written run replays, and so does the same edit of the whole run.
    place.expect(0, "run part --hash -o again --quiet");
    let again = rows(&place.read("again/hash.csv"));
    assert_eq!(&again[1..=21], &whole[1..=21]);
    assert_eq!(&again[21..], &part[1..]);
    // Its trace has the new value from step 21 on.
    place.expect(0, "run whole --at 20 --steps 25 --trace -o unchanged --quiet");
    let [part, whole] = ["part/trace.csv", "unchanged/trace.csv"].map(|table| rows(&place.read(table)));
    assert_eq!(part[1..=6], whole[1..=6]);
    assert_ne!(part, whole);
}

#[test]
fn continuing_a_run_refuses_overrides_that_cannot_be_edits() {
    let place = Place::new();
    place.expect(0, "run milling --steps 40 --seed 3 -o run --hash --quiet");
    let refused =
        |arguments: &str| super::unlabelled(&place.expect(2, &format!("run run --at 20 {arguments} -o x")).stderr);
    insta::assert_snapshot!(
        refused("--seed 5"),
        @"--seed: a run that continues keeps its seed, which acts from the first step; without a moment, the flag makes another run"
    );
    insta::assert_snapshot!(
        refused("--set groups.millers.count=9 --set seed=4"),
        @"
    --set: groups.millers.count: takes effect at a start only, and a run that continues has none: leave out the moment
    --set: seed: takes effect at a start only, and a run that continues has none: leave out the moment
    "
    );
    insta::assert_snapshot!(
        refused("--set groups.milers.body.radius_m=1"),
        @"--set: groups.milers.body.radius_m: `groups` has no `milers`; did you mean `millers`?"
    );
    insta::assert_snapshot!(
        refused("--set agents.3.fly=1"),
        @"--set: agents.3.fly: `fly` is not a part of an agent; known: body, motion, sensors, controller"
    );
    assert!(!place.has("x"));
    assert!(refused("--set agents.99.body.radius_m=0.3").contains("--set: there is no agent 99"));
    let told = place.expect(2, "run run --at 40 -o y").stderr;
    assert!(told.contains("run: the run ends with step 40: --steps or --duration continues it"), "{told}");
    place.expect(0, "run run --at 20 --set agents.3.controller.clear.v_m_per_s=0.1 -o one --quiet");
    assert!(place.read("one/edits.ron").contains("step:21"));
    // Without a moment, both make another run.
    place.expect(0, "run run --seed 5 --set groups.millers.count=9 -o other --quiet");
    assert_eq!(place.json("other/manifest.json")["seed"], 5);
}

#[test]
fn a_resimulated_past_that_differs_has_its_own_exit_status() {
    let place = Place::new();
    place.expect(0, "run milling --steps 40 --seed 3 -o run --hash --quiet");
    let hashes = place.read("run/hash.csv");
    let mut lines: Vec<String> = hashes.lines().map(str::to_owned).collect();
    lines[1 + 15] = "15,0000000000000000".into();
    place.write("run/hash.csv", lines.join("\n") + "\n");
    let set = "--set groups.millers.controller.clear.turn_rad_per_s=0.2";
    let said = place.expect(4, &format!("run run --at 20 {set} -o x --quiet"));
    assert!(said.stderr.contains("the state of step 15 is the first one that differs"), "{}", said.stderr);
    place.expect(0, &format!("run run --at 10 {set} -o y --quiet"));
    place.write("edits.ron", "[(step: 12, edit: Remove(path: \"agents.0\"))]");
    let said = place.expect(4, "run run --at 14 --steps 2 --edits edits.ron -o z --quiet");
    assert!(said.stderr.contains("the state of step 12 is the first one"), "{}", said.stderr);
    #[cfg(feature = "video")]
    {
        let record = format!("record run --from 20 {set} --frames 2 --size 160x90 --quiet -o");
        let said = place.expect(4, &format!("{record} x.gif"));
        assert!(said.stderr.contains("the state of step 15 is the first one"), "{}", said.stderr);
        place.write("run/hash.csv", hashes);
        place.expect(0, &format!("{record} y.gif"));
    }
}

#[test]
#[cfg(feature = "video")]
fn a_changed_run_is_recorded_from_its_moment_on() {
    let place = Place::new();
    place.expect(0, "run milling --steps 80 --seed 3 -o run --trace --hash --quiet");
    let set = "--set groups.millers.controller.clear.v_m_per_s=0.6";
    let record = |flags: &str, to: &str| {
        let flags =
            format!("record run {flags} --frames 20 --size 160x90 --fps 20 -o {to}.gif --frame-hashes {to}.csv");
        place.expect(0, &format!("{flags} --quiet"));
        rows(&place.read(&format!("{to}.csv")))
    };
    let (plain, changed) = (record("--from 20", "plain"), record(&format!("--from 20 {set}"), "changed"));
    assert_eq!(plain[1], changed[1]);
    assert_ne!(plain[20], changed[20]);
    // From the start, it is another run, although the folder has a trace.
    assert_ne!(record("", "whole")[20], record(set, "other")[20]);
    let told = place.expect(2, "record run --from 20 --seed 4 -o x.gif").stderr;
    assert!(told.starts_with("error: --seed: a run that continues keeps its seed"), "{told}");
    #[cfg(feature = "lab")]
    assert!(!place.expect(2, &format!("open run {set}")).stderr.is_empty());
}

#[test]
fn unknown_moments_of_a_run_are_refused_with_the_known_ones() {
    let place = Place::new();
    place.expect(0, "run milling --steps 40 --seed 3 -o run --quiet");
    let refused = |arguments: &str| place.expect(2, arguments).stderr;
    let told = refused("run run --at 41 -o x");
    assert!(told.contains("run: branch `main` has no step 41: it has steps 0 to 40 (1 s)"), "{told}");
    let told = refused("run run --at wall -o x");
    assert!(told.contains("there is no bookmark `wall`") && told.contains("there is none"), "{told}");
    let told = refused("run run --at 3 --branch man -o x");
    assert!(told.contains("there is no branch `man`: did you mean `main`") || told.contains("`main`"), "{told}");
    let told = refused("run milling --at 3 -o x");
    assert!(told.contains("milling: is not a run folder"), "{told}");
    assert!(refused("run run --at 1.5 -o x").contains("expected a step, such as 1400"));
    assert!(!place.has("x"));
}

#[test]
fn branches_and_bookmarks_of_a_folder_are_moments() {
    let place = Place::new();
    place.expect(0, "run milling --steps 40 --seed 3 -o run --hash --quiet");
    let edit = "(step: 21, edit: Move(agent: 2, x_m: 1.5, y_m: 5.0, heading_rad: 1.0))";
    let branch = format!("(name: \"other\", parent: Some(\"main\"), leaves_at: 20, steps: 30, edits: [{edit}])");
    let bookmark = "(name: \"wall\", branch: \"other\", step: 25)";
    let main = "(name: \"main\", steps: 40)";
    place.write(
        "run/timeline.ron",
        format!("(present: \"main\", branches: [{main}, {branch}], bookmarks: [{bookmark}])"),
    );
    place.write("edits.ron", format!("[{edit}]"));
    place.expect(0, "run milling --steps 30 --seed 3 --edits edits.ron -o plain --hash --quiet");
    let plain = rows(&place.read("plain/hash.csv"));
    place.expect(0, "run run --at wall --hash -o at --quiet");
    assert_eq!(rows(&place.read("at/hash.csv"))[1..], plain[26..]);
    place.expect(0, "run run --branch other --hash -o branch --quiet");
    assert_eq!(place.read("branch/hash.csv"), place.read("plain/hash.csv"));
    let told = place.expect(2, "run run --at wall --branch main -o x").stderr;
    assert!(told.contains("the bookmark `wall` is on the branch `other`"), "{told}");
}

#[test]
#[cfg(feature = "video")]
fn a_part_of_a_branch_is_recorded_as_it_was() {
    let place = Place::new();
    place.expect(0, "run milling --steps 80 --seed 3 -o run --quiet");
    let edit = "(step: 21, edit: Move(agent: 2, x_m: 1.5, y_m: 5.0, heading_rad: 1.0))";
    let branch = format!("(name: \"other\", parent: Some(\"main\"), leaves_at: 20, steps: 60, edits: [{edit}])");
    let bookmark = "(name: \"wall\", branch: \"other\", step: 20)";
    let timeline =
        format!("(present: \"main\", branches: [(name: \"main\", steps: 80), {branch}], bookmarks: [{bookmark}])");
    place.write("run/timeline.ron", timeline);
    place.write("edits.ron", format!("[{edit}]"));
    place.expect(0, "run milling --steps 60 --seed 3 --edits edits.ron -o plain --quiet");
    let usual = "--size 64x48 --quiet -o";
    place.expect(0, &format!("record run --from wall --to 60 --frame-hashes a.csv {usual} a.apng"));
    place.expect(0, &format!("record plain --from 20 --to 1.5s --frame-hashes b.csv {usual} b.apng"));
    place.expect(0, &format!("record run --from 20 --to 60 --frame-hashes c.csv {usual} c.apng"));
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
    assert_ne!(place.read("a.csv"), place.read("c.csv"), "the main branch has no such edit");
    for (arguments, wanted) in [
        ("--from 81", "has no step 81"),
        ("--from 3 --to 99", "has no step 99"),
        ("--from 30 --to 20", "comes before the first one"),
        ("--from nowhere", "there is no bookmark `nowhere`"),
        ("--from 1.5", "whole steps"),
        ("--branch man", "there is no branch `man`"),
    ] {
        let told = place.expect(2, &format!("record run {arguments} {usual} x.apng")).stderr;
        assert!(told.contains(wanted), "{arguments}: {told}");
    }
    let told = place.expect(2, &format!("record milling --branch other {usual} x.apng")).stderr;
    assert!(told.contains("only folders of runs have branches"), "{told}");
    assert!(!place.has("x.apng"));
}

#[test]
fn a_folder_of_another_build_names_the_first_step_that_differs() {
    let place = Place::new();
    place.expect(0, "run milling --steps 40 --seed 3 -o run --hash --quiet");
    let table = place.read("run/hash.csv");
    let other: Vec<String> = (table.lines())
        .map(|line| match line.split_once(',') {
            Some((step, hash)) if step.parse::<u64>().is_ok_and(|step| step >= 12) => {
                format!("{step},{}", hash.chars().rev().collect::<String>())
            }
            _ => line.to_owned(),
        })
        .collect();
    place.write("run/hash.csv", other.join("\n"));
    let told = place.expect(4, "run run --at 20 --steps 5 -o part --quiet").stderr;
    assert!(told.contains("the state of step 12 is the first one that differs"), "{told}");
    assert_eq!(rows(&place.read("part/metrics.csv")).len(), 1 + 6);
}
