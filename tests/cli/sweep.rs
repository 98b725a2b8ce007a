//! `sweep`: tables that do not depend on how the runs were made, plans with mistakes, addresses of runs.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::Place;

mod controllers;
mod kept_runs;
mod plans;

/// A sweep of 24 runs that take some milliseconds each.
const PLAN: &str = r#"Plan(
    name: "Test",
    scene: "milling",
    factors: [
        (path: "groups.millers.count", values: List([4, 6])),
        (path: "groups.millers.sensors[0].half_angle_rad", values: Range(from: 0.3, to: 0.6, count: 3)),
    ],
    repetitions: 4,
    stop: (steps: 400),
    measures: [
        (name: "circliness", take: Mean, over: Last(5.0)),
        (name: "until_s", of: "circliness > 0.3", take: TimeUntil(hold_s: 0.5)),
        (name: "reached", of: "circliness > 0.3", take: Reached()),
    ],
    keep: (series_every_steps: 100),
)
"#;

/// The files whose bytes depend on the plan alone.
const TABLES: [&str; 4] = ["runs.csv", "summary.csv", "comparisons.csv", "series.csv"];

fn place() -> Place {
    let place = Place::new();
    place.write("a.sweep.ron", PLAN);
    place
}

fn tables(place: &Place, folder: &str) -> Vec<String> {
    TABLES.iter().map(|table| place.read(&format!("{folder}/{table}"))).collect()
}

/// The hash of the last state of a run folder.
fn hash_of(place: &Place, folder: &str) -> String {
    place.json(&format!("{folder}/manifest.json"))["final_state_hash"].as_str().unwrap().to_owned()
}

/// The hashes of the rows of a sweep, by address.
fn hashes(place: &Place, folder: &str) -> Vec<(String, String)> {
    let rows = super::rows(&place.read(&format!("{folder}/runs.csv")));
    let at = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let [point, repetition, hash] = ["point", "repetition", "final_state_hash"].map(at);
    let address = |row: &Vec<String>| format!("{folder}/runs/{}-{}", row[point], row[repetition]);
    rows[1..].iter().map(|row| (address(row), row[hash].clone())).collect()
}

/// Checks that each address leads to the hash of its row, and that no folder of a kept run has another one.
#[track_caller]
fn assert_addresses_are_rows(place: &Place, folder: &str) {
    for (address, hash) in hashes(place, folder) {
        if place.has(&address) {
            assert_eq!(hash_of(place, &address), hash, "{address}");
        }
        place.expect(0, &format!("run {address} -q -o again --overwrite"));
        assert_eq!(hash_of(place, "again"), hash, "{address}");
    }
}

#[track_caller]
fn assert_same(place: &Place, one: &str, other: &str) {
    for (table, (one, other)) in TABLES.iter().zip(tables(place, one).iter().zip(&tables(place, other))) {
        assert!(one == other, "{table} differs");
    }
}

#[test]
fn sweep_tables_have_a_row_for_each_run_and_each_point() {
    let place = place();
    let said = place.expect(0, "sweep a.sweep.ron");
    assert!(said.stderr.contains("sweeps/a: 6 points, 24 of 24 runs, 0 failed"), "{}", said.stderr);
    let runs = place.read("sweeps/a/runs.csv");
    let head = "point,count,half_angle_rad,repetition,seed,status,steps,final_state_hash,circliness,until_s,\
                until_s_reached,reached,error";
    assert_eq!(runs.lines().next(), Some(head));
    assert_eq!(runs.lines().count(), 1 + 24);
    assert!(runs.lines().nth(7).unwrap().starts_with("2,4,0.45,3,9,done,400,"), "{runs}");
    assert_eq!(place.read("sweeps/a/summary.csv").lines().count(), 1 + 6 * 3);
    assert_eq!(place.read("sweeps/a/comparisons.csv").lines().count(), 1 + 5);
    assert_eq!(place.read("sweeps/a/series.csv").lines().count(), 1 + 24 * 4);
    // The second one gets a name of its own.
    place.expect(0, "sweep a.sweep.ron -q");
    assert_same(&place, "sweeps/a", "sweeps/a-2");
}

#[test]
fn jobs_and_shards_do_not_change_the_tables_of_a_sweep() {
    let place = place();
    place.expect(0, "sweep a.sweep.ron -o one -j 1 -q");
    place.expect(0, "sweep a.sweep.ron -o eight -j 8 -q");
    assert_same(&place, "one", "eight");
    // Shards of one folder at the same time.
    let shards = (1..=4).map(|shard| {
        place
            .command(&format!("sweep a.sweep.ron -o four --shard {shard}/4 -j 1 -q"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    });
    for mut shard in shards.collect::<Vec<_>>() {
        assert!(shard.wait().unwrap().success());
    }
    place.expect(0, "sweep merge four -q");
    assert_same(&place, "one", "four");
    // Shards of folders of their own.
    for shard in 1..=7 {
        place.expect(0, &format!("sweep a.sweep.ron -o part{shard} --shard {shard}/7 -q"));
    }
    let parts: Vec<String> = (1..=7).map(|shard| format!("part{shard}")).collect();
    place.expect(0, &format!("sweep merge {} -o seven -q", parts.join(" ")));
    assert_same(&place, "one", "seven");
}

#[cfg(unix)]
#[test]
fn a_killed_sweep_resumes_where_it_stopped() {
    let place = place();
    place.expect(0, "sweep a.sweep.ron -o whole -q");
    for (round, signal) in ["-KILL", "-INT", "-KILL", "-TERM", "-KILL", "-KILL"].into_iter().enumerate() {
        let mut child =
            place.command("sweep a.sweep.ron -o killed --resume -q -j 2").stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(30 + 25 * round as u64));
        // The sweep may be done before.
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().unwrap();
    }
    place.expect(0, "sweep a.sweep.ron -o killed --resume -q");
    assert_same(&place, "whole", "killed");
    // A half-written line is a run that is not done.
    let log = place.path("killed/logs/1-of-1.log");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() * 2 / 3]).unwrap();
    fs::remove_file(place.path("killed/runs.csv")).unwrap();
    place.expect(0, "sweep killed --resume -q");
    assert_same(&place, "whole", "killed");
}

#[test]
fn a_sweep_refuses_the_folder_of_another_sweep() {
    let place = place();
    place.expect(0, "sweep a.sweep.ron -o out -q");
    let said = place.expect(2, "sweep a.sweep.ron -o out");
    assert!(said.stderr.contains("out: exists already; --resume continues it"), "{}", said.stderr);
    let said = place.expect(2, "sweep a.sweep.ron -o out --resume --set groups.millers.body.radius_m=0.2");
    assert!(said.stderr.contains("of another scene"), "{}", said.stderr);
    let other = ["sweep", "a.sweep.ron", "-o", "out", "--resume", "--measure", "final circliness"];
    let said: super::Said = place.command("").args(other).output().unwrap().into();
    assert!(said.code == Some(2) && said.stderr.contains("measure"), "{}", said.stderr);
    let manifest = place.read("out/manifest.json");
    let build = manifest.lines().find(|line| line.contains("\"build\"")).unwrap();
    place.write("out/manifest.json", manifest.replace(build, "  \"build\": \"0123456789abcdef\","));
    let said = place.expect(2, "sweep a.sweep.ron -o out --resume");
    assert!(said.stderr.contains("of another build of the program"), "{}", said.stderr);
}

#[test]
fn more_repetitions_use_the_runs_that_are_done() {
    let place = place();
    place.expect(0, "sweep a.sweep.ron -o out -q");
    let said = place.expect(0, "sweep a.sweep.ron -o out --repeat 6 --resume");
    assert!(said.stderr.contains("skipped 24 of 36 runs, which the logs have\n"), "{}", said.stderr);
    place.expect(0, "sweep a.sweep.ron -o fresh --repeat 6 -q");
    assert_same(&place, "out", "fresh");
}

#[test]
fn every_row_of_a_sweep_names_a_run_that_opens() {
    let place = place();
    place.expect(0, "sweep a.sweep.ron -o out -q");
    let runs = place.read("out/runs.csv");
    for (point, repetition) in [(1, 1), (5, 3)] {
        let row = runs.lines().find(|row| {
            row.starts_with(&format!("{point},")) && row.split(',').nth(3) == Some(&repetition.to_string())
        });
        let hash = row.unwrap().split(',').nth(7).unwrap();
        place.expect(0, &format!("run out/runs/{point}-{repetition} -o run-{point} -q"));
        assert_eq!(place.json(&format!("run-{point}/manifest.json"))["final_state_hash"], hash);
    }
    let said = place.expect(2, "run out/runs/7-1");
    assert!(said.stderr.contains("the sweep has 6 points and 4 repetitions"), "{}", said.stderr);
}

#[test]
fn the_edits_of_a_shared_scene_are_made_in_all_runs() {
    let place = Place::new();
    place.write(
        "s.ron",
        "(stop: (steps: 30), groups: [(name: \"a\", count: 3, controller: Levy())], metrics: [Count()])",
    );
    place.write(
        "e.ron",
        "[(step: 7, edit: Move(agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0)), (step: 20, edit: Remove(path: \"agents.1\"))]",
    );
    place.expect(0, "share s.ron --edits e.ron -o s.swarm -q");
    place.expect(0, "run s.swarm -q -o run");
    place.expect(0, "serve s.swarm --speed max --port 0 -q -o serve");
    assert_eq!(hash_of(&place, "serve"), hash_of(&place, "run"));
    assert_eq!(super::rows(&place.read("serve/metrics.csv")), super::rows(&place.read("run/metrics.csv")));
    // A run folder is served with its edits, too.
    place.expect(0, "serve run --speed max --port 0 -q -o of-run");
    assert_eq!(hash_of(&place, "of-run"), hash_of(&place, "run"));
    place.expect(0, "sweep s.swarm --repeat 2 --keep all -q -o out");
    assert_eq!(hashes(&place, "out")[0].1, hash_of(&place, "run"));
    assert_addresses_are_rows(&place, "out");
    place.expect(0, "sweep s.swarm --vary groups.a.count=3,5 --repeat 1 --steps 25 -q -o varied");
    place.expect(0, "run s.swarm --set groups.a.count=5 --steps 25 -q -o by-hand");
    assert_eq!(hashes(&place, "varied")[1].1, hash_of(&place, "by-hand"));
    assert_addresses_are_rows(&place, "varied");
    // The folder needs the file no longer.
    fs::remove_file(place.path("s.swarm")).unwrap();
    place.expect(0, "sweep out --repeat 3 --resume -q");
    assert_addresses_are_rows(&place, "out");
    // An edit that does not fit a run is the error of its row.
    place.expect(0, "share s.ron --edits e.ron -o s.swarm -q");
    place.expect(3, "sweep s.swarm --vary groups.a.count=1,3 --repeat 1 -q -o bad");
    assert!(place.read("bad/runs.csv").contains("step 20: invalid edit"), "{}", place.read("bad/runs.csv"));
    let said = place.expect(0, "convert s.swarm -o s2.ron");
    assert!(said.stderr.contains("2 edits left out"), "{}", said.stderr);
    // Edits after a later begin are left out, and a warning says so.
    place.write("later.sweep.ron", "Plan(scene: \"s.swarm\", begin: (step: 10), repetitions: 2, stop: (steps: 20))");
    let said = place.expect(0, "sweep later.sweep.ron -o later");
    assert!(said.stderr.contains("1 edit of the shared scene after the step"), "{}", said.stderr);
    assert_addresses_are_rows(&place, "later");
}

#[test]
fn a_stop_condition_that_holds_at_a_later_start_ends_runs_there() {
    let place = Place::new();
    let plan = "Plan(scene: \"milling\", begin: (step: 40), repetitions: 2, stop: (steps: 30, when: \"step >= 40\"))";
    place.write("a.sweep.ron", plan);
    place.expect(0, "sweep a.sweep.ron -o out -q");
    assert_addresses_are_rows(&place, "out");
    // A collision before the begin ends no run.
    let plan = "Plan(scene: \"milling\", begin: (step: 60), repetitions: 2, stop: (steps: 30), set: [
        (path: \"on_collision\", value: Pause), (path: \"groups.millers.count\", value: 25)])";
    place.write("b.sweep.ron", plan);
    place.expect(0, "sweep b.sweep.ron -o crashed -q");
    assert_addresses_are_rows(&place, "crashed");
    assert!(hashes(&place, "crashed").len() == 2 && place.json("again/manifest.json")["steps"].as_u64() >= Some(60));
}

#[test]
fn folders_of_runs_batches_and_sweeps_are_told_apart() {
    let place = Place::new();
    place.expect(0, "sweep milling --vary groups.millers.count=4,6 --repeat 2 --steps 20 -q -o study");
    place.expect(0, "run milling --seeds 9..=10 --steps 5 -q -o batch");
    place.expect(0, "run milling --steps 5 -q -o run");
    let mut verbs = vec!["run", "serve", "verify", "check", "convert -o x.ron", "share -o x.swarm"];
    if cfg!(feature = "video") {
        verbs.push("record -o x.gif");
    }
    for verb in &verbs {
        for (folder, runs) in
            [("study", "its runs are study/runs/POINT-REPETITION"), ("batch", "batch/milling-9, batch/milling-10")]
        {
            if (*verb, folder) == ("check", "study") {
                continue;
            }
            let said = place.expect(2, &format!("{verb} {folder}"));
            assert!(said.stderr.contains(&format!("{folder}: is a ")), "{verb}: {}", said.stderr);
            assert!(said.stderr.contains(runs), "{verb}: {}", said.stderr);
        }
    }
    for verb in ["convert -o x.ron", "share -o x.swarm"] {
        let said = place.expect(2, &format!("{verb} run"));
        assert!(said.stderr.contains("run: is a run folder: its scene is run/scene.ron"), "{}", said.stderr);
    }
    for (folder, kind) in [("run", "run"), ("batch", "batch")] {
        let said = place.expect(2, &format!("sweep {folder} --repeat 2"));
        assert!(said.stderr.contains(&format!("{folder}: is a {kind} folder: its ")), "{}", said.stderr);
        for verb in ["merge", "status", "collect --dry-run"] {
            let said = place.expect(2, &format!("sweep {verb} {folder}"));
            let told = format!("{folder}: is a {kind} folder, not a sweep folder");
            assert!(said.stderr.contains(&told), "{verb}: {}", said.stderr);
        }
    }
    // A shipped scene comes before the folder of a sweep with its name.
    fs::rename(place.path("study"), place.path("milling")).unwrap();
    place.expect(0, "run milling --steps 5 -q -o shipped");
    assert_eq!(hash_of(&place, "shipped"), hash_of(&place, "run"));
    place.expect(2, "run ./milling");
    assert!(!place.has("runs") && !place.has("x.ron") && !place.has("x.swarm"));
}

#[test]
fn folders_of_newer_versions_are_refused() {
    let place = Place::new();
    place.expect(0, "run milling --steps 5 -q -o run");
    place.expect(0, "sweep milling --repeat 1 --steps 5 -q -o study");
    for folder in ["run", "study"] {
        let name = format!("{folder}/manifest.json");
        place.write(&name, place.read(&name).replace("\"format\": 1", "\"format\": 2"));
    }
    let mut commands = vec!["run run", "run run --at 2", "sweep ./study --resume", "sweep merge study"];
    if cfg!(feature = "video") {
        commands.push("record run -o x.gif");
    }
    for command in commands {
        let said = place.expect(2, command);
        assert!(said.stderr.contains("is of format 2, and this program reads up to 1"), "{command}: {}", said.stderr);
    }
}

#[test]
fn expectations_that_are_not_met_have_an_exit_status() {
    let place = place();
    let expecting = |value: f64| {
        PLAN.replace(
        "keep:",
        &format!(
            "expect: [(at: [4, 0.3], measure: \"circliness\", value: {value}, tolerance: 0.6, source: \"a test\")],\n    keep:"
        ),
    )
    };
    place.write("good.sweep.ron", expecting(0.5));
    place.write("bad.sweep.ron", expecting(5.0));
    place.expect(0, "sweep good.sweep.ron --check");
    let said = place.expect(4, "sweep bad.sweep.ron --check");
    assert!(said.stderr.contains("expected Mean of circliness to be 5 ± 0.6, found 0."), "{}", said.stderr);
    place.expect(0, "sweep bad.sweep.ron");
    let said = place.expect(2, "sweep a.sweep.ron --check");
    assert!(said.stderr.contains("the plan has no `expect`"), "{}", said.stderr);
}

#[test]
fn a_run_that_fails_is_a_row_with_its_error() {
    let place = Place::new();
    // Only the second robot has a second sensor to listen to.
    let plan = r#"Plan(
        scene: "milling",
        factors: [
            (path: "groups.millers.sensors", values: List([[BinaryFov()], [BinaryFov(), BinaryFov()]])),
            (path: "groups.millers.controller.sensor", values: List([0, 1])),
        ],
        stop: (steps: 10),
    )"#;
    place.write("a.sweep.ron", plan);
    let said = place.expect(3, "sweep a.sweep.ron -o out --keep failed");
    assert!(said.stderr.contains("point 2, repetition 1: "), "{}", said.stderr);
    assert!(said.stderr.contains("4 points, 4 of 4 runs, 1 failed"), "{}", said.stderr);
    let runs = place.read("out/runs.csv");
    assert!(runs.lines().nth(2).unwrap().contains(",failed,0,,,"), "{runs}");
    let summary = place.read("out/summary.csv");
    assert!(summary.contains(",circliness,0,1,,"), "{summary}");
    place.expect(3, "sweep a.sweep.ron -o shards --shard 2/4 -q");
    place.expect(0, "sweep a.sweep.ron -o shards --shard 1/4 -q");
}

#[test]
fn a_folder_that_is_not_a_sweep_is_left_unchanged() {
    let place = place();
    place.expect(0, "run milling --steps 10 -o run -q");
    let before = place.read("run/scene.ron");
    let said = place.expect(2, "sweep a.sweep.ron -o run --resume");
    assert!(said.stderr.contains("run: is a run folder, not a sweep folder"), "{}", said.stderr);
    fs::create_dir(place.path("mine")).unwrap();
    place.write("mine/plan.ron", "my own");
    for flag in ["--resume", "--shard 1/2", "--overwrite", ""] {
        let said = place.expect(2, &format!("sweep a.sweep.ron -o mine {flag}"));
        assert!(said.stderr.contains("mine: "), "{}", said.stderr);
    }
    assert_eq!(place.read("run/scene.ron"), before);
    assert_eq!(place.read("mine/plan.ron"), "my own");
    assert_eq!(place.names("mine"), ["plan.ron"]);
}

#[test]
fn overwriting_deletes_the_files_of_the_sweep_alone() {
    let place = place();
    place.expect(0, "sweep a.sweep.ron -o out --keep first -q");
    place.write("out/notes.txt", "mine");
    place.write("out/figures/photo.jpg", "mine");
    place.write("out/runs/1-1/notes.txt", "mine");
    place.expect(0, "sweep milling --vary groups.millers.count=3,4 --steps 20 -o out --overwrite -q");
    assert!(["out/notes.txt", "out/figures/photo.jpg", "out/runs/1-1/notes.txt"].iter().all(|name| place.has(name)));
    assert!(!place.has("out/runs/2-1") && !place.has("out/runs/1-1/manifest.json") && !place.has("out/series.csv"));
    assert_eq!(place.read("out/runs.csv").lines().count(), 3);
}

#[test]
fn runs_with_another_end_or_another_link_are_not_reused() {
    let place = Place::new();
    let vary = "sweep milling --vary groups.millers.count=3,4 -o out -q";
    place.expect(0, &format!("{vary} --steps 20"));
    let said = place.expect(2, &format!("{vary} --steps 40 --resume"));
    assert!(said.stderr.contains("end after 20 steps, and those of the plan after 40 steps"), "{}", said.stderr);
    let plan = |link: &str| {
        format!(
            "Plan(scene: \"milling\", stop: (steps: 20), factors: [(path: \"groups.millers.count\", values: List([3, 4]), \
             linked: [(path: \"groups.millers.body.radius_m\", value: \"{link}\")])])"
        )
    };
    place.write("l.sweep.ron", plan("x / 40"));
    place.expect(0, "sweep l.sweep.ron -o linked -q");
    let first = place.read("linked/runs.csv");
    place.write("l.sweep.ron", plan("x / 80"));
    let said = place.expect(0, "sweep l.sweep.ron -o linked --resume");
    assert!(said.stderr.contains("ignored 2 runs in the logs"), "{}", said.stderr);
    assert_ne!(place.read("linked/runs.csv"), first);
    // The runs of the first plan are still there.
    place.write("l.sweep.ron", plan("x / 40"));
    let said = place.expect(0, "sweep l.sweep.ron -o linked --resume");
    assert!(said.stderr.contains("skipped 2 of 2 runs, which the logs have\n"), "{}", said.stderr);
    assert_eq!(place.read("linked/runs.csv"), first);
}

#[test]
fn seeds_are_a_factor_a_list_or_follow_each_other() {
    let place = Place::new();
    let seeds = |folder: &str, column: usize| -> Vec<String> {
        let runs = place.read(&format!("{folder}/runs.csv"));
        runs.lines().skip(1).map(|row| row.split(',').nth(column).unwrap().to_owned()).collect()
    };
    place.expect(0, "sweep milling --repeat 3 --steps 5 -o follow -q");
    assert_eq!(seeds("follow", 2), ["7", "8", "9"]);
    place.expect(0, "sweep milling --seeds 3,17,99 --steps 5 -o list -q");
    assert_eq!(seeds("list", 2), ["3", "17", "99"]);
    place.expect(0, "sweep milling --vary seed=3,17,99 --steps 5 -o factor -q");
    assert_eq!(seeds("factor", 1), seeds("list", 2));
    assert_eq!(seeds("factor", 3), seeds("list", 2));
    assert_eq!(seeds("factor", 6), seeds("list", 5), "the hashes are the same");
    place.expect(2, "sweep milling --vary seed=1,2 --repeat 2 --steps 5");
    place.expect(2, "sweep milling --seeds 1,2 --seed 3 --steps 5");
}

#[test]
fn sweep_dry_run_writes_nothing() {
    let place = place();
    let said = place.expect(0, "sweep a.sweep.ron --dry-run");
    assert!(said.stdout.starts_with("6 points × 4 repetitions = 24 runs\n"), "{}", said.stdout);
    assert!(said.stdout.contains("estimated time: "), "{}", said.stdout);
    assert!(!place.has("sweeps"));
}

#[test]
fn a_sweep_begins_at_a_later_moment_of_a_run() {
    let place = Place::new();
    let turn = "groups.millers.controller.clear.turn_rad_per_s";
    place.write("changes.ron", format!("[(step: 21, edit: Set(path: \"{turn}\", value: \"-0.5\"))]"));
    let plan = |path: &str, more: &str| {
        format!(
            "Plan(scene: \"milling\", begin: (step: 40, edits: \"changes.ron\"), repetitions: 2, stop: (steps: 30),
                factors: [(path: \"{path}\", values: List([1, 2]))], measures: [(name: \"circliness\"){more}])"
        )
    };
    let until = r#", (name: "until_s", of: "step >= 50", take: TimeUntil())"#;
    place.write("a.sweep.ron", plan("groups.millers.sensors[0].range_m", until));
    place.expect(0, "sweep a.sweep.ron -o out -q");
    assert!(place.has("out/edits.ron"));
    let runs = place.read("out/runs.csv");
    let rows: Vec<Vec<&str>> = runs.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        // Steps count from the start of the scene, times of measures from the moment.
        assert_eq!(row[5], "70", "{row:?}");
        assert_eq!(row[8], "0.25", "{row:?}");
        let name = format!("run-{}-{}", row[0], row[2]);
        place.expect(0, &format!("run out/runs/{}-{} -o {name} -q", row[0], row[2]));
        assert_eq!(place.json(&format!("{name}/manifest.json"))["final_state_hash"], row[6]);
    }
    // The first repetition of a value goes on exactly as a run with the same changes does.
    let set = r#"(step: 41, edit: Set(path: "groups.millers.sensors[0].range_m", value: "1"))"#;
    place.write("all.ron", place.read("changes.ron").replace("))]", &format!(")), {set}]")));
    place.expect(0, "run milling --steps 70 --edits all.ron -o by-hand -q");
    let by_hand = place.json("by-hand/manifest.json")["final_state_hash"].clone();
    assert_eq!(by_hand, place.json("run-1-1/manifest.json")["final_state_hash"]);
    place.expect(0, "sweep out --repeat 3 --resume -q");
    // What takes effect at a start only cannot vary from a later moment.
    place.write("b.sweep.ron", plan("groups.millers.count", ""));
    let said = place.expect(2, "sweep b.sweep.ron -q");
    assert!(said.stderr.contains("takes effect only at a start"), "{}", said.stderr);
}

/// A swarm whose start the seed of the scene does not affect.
const SCATTERED: &str = "(
    seed: 1, arena: (size_m: (10.0, 10.0)), time: (dt_s: 0.1),
    groups: [(name: \"r\", count: 6, spawn: Scattered(min_m: (1.0, 1.0), max_m: (9.0, 9.0)), controller: Constant(v_m_per_s: 0.2))],
    metrics: [Scatter()],
)";

#[test]
fn repetitions_that_cannot_differ_are_named() {
    const NOTE: &str = "identical but for their seeds: no random number affects these runs";
    let place = Place::new();
    place.write("same.ron", SCATTERED);
    let sweep =
        |scene: &str, flags: &str| place.expect(0, &format!("sweep {scene} --repeat 3 --duration 2 {flags}")).stderr;
    let told = sweep("same.ron", "-o one");
    assert!(told.contains(&format!("warning: The repetitions of 1 point (1) are {NOTE}")), "{told}");
    assert!(place.read("one/report.html").contains(NOTE));
    let told = sweep("same.ron", "--vary groups.r.spawn=Scattered(),UniformBox(),Scattered(seed:5) -o two");
    assert!(told.contains(&format!("The repetitions of 2 points (1, 3) are {NOTE}")), "{told}");
    let told = sweep("same.ron", "--vary groups.r.count=3,4 -o all");
    assert!(told.contains(&format!("The repetitions of all 2 points are {NOTE}")), "{told}");
    // Equal measures of runs that differ are not a reason.
    place.write("turning.ron", SCATTERED.replace("Constant(v_m_per_s: 0.2)", "Levy()"));
    for told in [sweep("turning.ron", "--set metrics=[Count()] -o levy"), sweep("milling", "-o milling")] {
        assert!(!told.contains(NOTE), "{told}");
    }
    assert!(!place.read("milling/report.html").contains(NOTE));
    // One run has no repetitions.
    assert!(!place.expect(0, "sweep same.ron --vary groups.r.count=3,4 --steps 5 -o single").stderr.contains(NOTE));
}

#[test]
fn a_run_whose_script_fails_is_a_failed_run() {
    let place = Place::new();
    let script = "function step(self, senses) return senses.neer[1], 0 end";
    place.write(
        "s.ron",
        format!("(groups: [(name: \"a\", count: 2, controller: Script(source: \"{script}\"))], metrics: [Centroid()])"),
    );
    let said = place.expect(3, "sweep s.ron --vary seed=1,2 --steps 10 -o out");
    assert!(said.stderr.contains("2 failed"), "{}", said.stderr);
    assert!(said.stderr.contains("point 1, repetition 1: ") && said.stderr.contains("`neer`"), "{}", said.stderr);
    let runs = super::rows(&place.read("out/runs.csv"));
    assert!(runs[1..].iter().all(|row| row.iter().any(|cell| cell.contains("neer"))), "{runs:?}");
}

#[test]
fn points_without_room_and_integers_are_understood() {
    let place = Place::new();
    place.write(
        "s.ron",
        "(arena: (size_m: (1, 1), boundary: Walls), groups: [(name: \"a\", body: Disc(radius_m: 0.2), \
         spawn: UniformBox(max_m: (1, 1), avoid_overlap: true))], metrics: [Centroid()])",
    );
    let said = place.expect(0, "sweep s.ron --vary groups.a.count=29..=36 --repeat 2 --steps 2 -o out").stderr;
    let warnings: Vec<&str> = said.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 6, "{said}");
    assert!(
        warnings[0].starts_with("warning: groups[0].spawn: point 1: ") && warnings[0].contains("no room"),
        "{said}"
    );
    assert_eq!(warnings[5], "warning: robots or objects find no room at 3 more points");
    let said = place.expect(0, "sweep s.ron --vary groups.a.count=1,36 --repeat 2 --steps 2 -o json --json --quiet");
    let result: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let warnings = result["warnings"].as_array().unwrap();
    assert!(warnings.len() == 1 && warnings[0]["message"].as_str().unwrap().starts_with("point 2: "), "{result}");
    for bad in ["8..=4", "0.5..=2"] {
        let said = place.expect(2, &format!("sweep s.ron --vary groups.a.count={bad} --dry-run")).stderr;
        assert!(said.contains("expects two integers, the smaller one first, such as 4..=8"), "{said}");
    }
    let said = place.expect(2, "sweep s.ron --vary groups.a.count=4:8 --dry-run").stderr;
    assert!(said.contains("`:` makes no range: 4..=8 has the integers, and 4..8/5 has 5 values"), "{said}");
    let said = place.expect(2, "sweep s.ron --vary groups.a.count=1..=99999999 --dry-run").stderr;
    assert!(said.contains("expected at most 1000000 integers in a range"), "{said}");
}
