//! `run`: folders and what is in them.

use std::fs;

use super::{Place, rows};

#[test]
fn a_trace_has_estimates_and_packet_ages_where_they_are_asked_for() {
    let place = Place::new();
    place.expect(0, "run formation --steps 100 --trace --trace-radio --quiet -o run");
    let trace = rows(&place.read("run/trace.csv"));
    assert_eq!(trace[0][7..], ["readings", "estimate", "packets", "packet_ages_s"]);
    assert!(trace[1][8..].iter().all(String::is_empty), "before the first step: {:?}", trace[1]);
    let last = trace.last().unwrap();
    assert_eq!(last[8].split(';').filter(|number| number.parse::<f64>().is_ok()).count(), 5);
    // The numbers of a packet: estimate and integrator of the estimator, `v` and `w`.
    let packets: Vec<Vec<&str>> = last[9].split(';').map(|packet| packet.split(':').collect()).collect();
    assert!(packets.iter().all(|packet| packet.len() == 1 + 10), "{packets:?}");
    let ages: Vec<(u32, f64)> = last[10]
        .split(';')
        .map(|age| age.split_once(':').unwrap())
        .map(|(sender, age_s)| (sender.parse().unwrap(), age_s.parse().unwrap()))
        .collect();
    assert!(
        !ages.is_empty() && ages.iter().all(|(sender, age_s)| *sender < 7 && (0.0..=2.0).contains(age_s)),
        "{ages:?}"
    );
    // Robots without a radio have neither.
    place.expect(0, "run milling --steps 1 --trace --trace-radio --quiet -o milling");
    assert!(rows(&place.read("milling/trace.csv"))[1..].iter().all(|row| row[8..].iter().all(String::is_empty)));
    place.expect(2, "run formation --steps 1 --trace-radio -o none");
}

#[test]
fn each_reading_of_a_trace_has_a_column_with_the_name_of_its_sensor() {
    let place = Place::new();
    let scene = "(arena: (size_m: (4.0, 4.0), boundary: Open), groups: [
        (name: \"a\", at: [(1.0, 1.0, 0.0)], sensors: [Pose(name: \"true pose\"),
            BinaryFov(range_m: 3.0, half_angle_rad: 0.2)]),
        (name: \"b\", at: [(2.5, 1.0, 0.0)], sensors: [Proximity(rays: 2, range_m: 1.0, response: Distance),
            BinaryFov(range_m: 3.0, half_angle_rad: 0.2)]),
        (name: \"c\", at: [(3.0, 3.0, 0.0)], motion: DifferentialDrive(), sensors: [Proximity(rays: 2)]),
        (name: \"d\", at: [(3.0, 2.0, 0.0)]),
    ])";
    place.write("s.ron", scene);
    place.expect(0, "run s.ron --steps 2 --trace --quiet -o run");
    let trace = rows(&place.read("run/trace.csv"));
    let expected = [
        "0.true pose.x_m",
        "0.true pose.y_m",
        "0.true pose.z_m",
        "0.true pose.yaw_rad",
        "0.true pose.pitch_rad",
        "0.true pose.roll_rad",
        "0.Proximity.0",
        "0.Proximity.0_m",
        "0.Proximity.1",
        "0.Proximity.1_m",
        "1.BinaryFov",
        "readings",
    ];
    assert_eq!(trace[0][7..], expected);
    let of = |step: usize, agent: usize| trace[1 + 4 * step + agent][7..].to_vec();
    assert_eq!(of(1, 0)[..4], ["1", "1", "0", "0"]);
    assert_eq!(of(1, 0)[6..], ["", "", "", "", "1", ""]);
    assert_eq!(of(1, 1), ["", "", "", "", "", "", "", "1", "", "1", "0", ""]);
    assert_eq!(of(1, 2), ["", "", "", "", "", "", "0", "", "0", "", "", ""]);
    assert_eq!(of(1, 3), [""; 12]);
    // A sensor that comes later has no column; its readings and those behind it are in the last one.
    place.write("e.ron", "[(step: 1, edit: Set(path: \"groups.b.sensors.0\", value: \"Proximity(rays: 3)\"))]");
    place.expect(0, "run s.ron --steps 2 --trace --quiet --edits e.ron -o edited");
    let edited = rows(&place.read("edited/trace.csv"));
    assert_eq!(edited[0], trace[0]);
    assert_eq!(edited[6][7..], ["", "", "", "", "", "", "0", "", "0", "", "", "0;0"]);
    // A video finds the readings of either form.
    place.expect(0, "record edited -o a.gif --size 96x72 --fps 10 --quiet");
}

#[test]
fn the_end_of_a_run_starts_another_one() {
    let place = Place::new();
    place.expect(0, "run milling --steps 120 --seed 3 --trace --quiet -o runs/first");
    let end = rows(&place.read("runs/first/trace.csv"));
    let start_of = |table: &str, name: &str| {
        let scene = format!(
            "(arena: (size_m: (30.0, 30.0), boundary: Open), groups: [(name: \"{name}\", spawn: Table({table}, avoid_overlap: false))])"
        );
        place.write("next.ron", scene);
        place.expect(0, "run next.ron --steps 1 --trace --quiet --overwrite -o next");
        let poses = rows(&place.read("next/trace.csv"));
        poses[1..].iter().filter(|row| row[0] == "0").map(|row| row[4..7].to_vec()).collect::<Vec<_>>()
    };
    let of_step = |step: &str| {
        let rows = end[1..].iter().filter(|row| row[0] == step);
        rows.map(|row| row[4..7].to_vec()).collect::<Vec<_>>()
    };
    let last = start_of("file: \"runs/first/trace.csv\"", "again");
    assert!(last.len() > 5);
    assert_eq!(last, of_step("120"));
    assert_eq!(start_of("file: \"runs/first/trace.csv\", at: Step(step: 40)", "again"), of_step("40"));
    assert_eq!(start_of("file: \"runs/first/trace.csv\", at: Time(t_s: 1.01)", "again"), of_step("40"));
    let one = start_of("file: \"runs/first/trace.csv\", of: \"millers-2\"", "again");
    assert_eq!(one, of_step("120")[2..3]);
    // The resolved scene has the rows and needs the trace no longer.
    fs::remove_file(place.path("runs/first/trace.csv")).unwrap();
    place.expect(0, "run next/scene.ron --steps 1 --quiet -o alone");
    place.write("next.ron", "(groups: [(name: \"a\", spawn: Table(file: \"next/trace.csv\", at: Step(step: 9)))])");
    let said = place.expect(2, "run next.ron -o none").stderr;
    assert!(said.contains("`next/trace.csv`, there is no step 9: the trace has the steps 0 to 1"), "{said}");
}

#[test]
fn tables_print_times_as_decimals() {
    let place = Place::new();
    place.expect(0, "run milling --set time.dt_s=0.1 --steps 30 --trace --quiet -o run");
    let times =
        |table: &str| -> Vec<String> { rows(&place.read(table))[1..].iter().map(|row| row[1].clone()).collect() };
    let metrics = times("run/metrics.csv");
    assert_eq!([&metrics[2], &metrics[5], &metrics[9], &metrics[28]], ["0.3", "0.6", "1", "2.9"]);
    let mut trace = times("run/trace.csv");
    trace.dedup();
    assert_eq!(trace[1..], metrics[..]);
}

#[test]
fn a_scene_without_metrics_has_a_table_without_rows() {
    let place = Place::new();
    place.expect(0, "run milling --set metrics=[] --steps 5 --quiet -o run");
    assert_eq!(place.read("run/metrics.csv"), "step,t_s\n");
}

#[test]
fn a_run_folder_has_the_files_that_were_asked_for() {
    let place = Place::new();
    let said = place.expect(0, "run milling --steps 40 --seed 3 --trace --hash");
    assert!(said.stdout.is_empty());
    assert!(said.stderr.contains("runs/milling-3: 40 steps (1 s)"), "{}", said.stderr);
    assert!(said.stderr.contains("100 % (40 of 40 steps)"), "{}", said.stderr);
    let expected = ["hash.csv", "manifest.json", "metrics.csv", "scene.ron", "trace.csv"];
    assert_eq!(place.names("runs/milling-3"), expected);

    let metrics = rows(&place.read("runs/milling-3/metrics.csv"));
    assert_eq!(metrics[0][..2], ["step", "t_s"]);
    assert_eq!(metrics.len(), 1 + 40);
    assert_eq!(metrics[1][..2], ["1", "0.025"]);

    let trace = rows(&place.read("runs/milling-3/trace.csv"));
    assert_eq!(trace[0], ["step", "t_s", "agent", "name", "x_m", "y_m", "heading_rad", "0.BinaryFov", "readings"]);
    let agents = (trace.len() - 1) / 41;
    assert_eq!(trace.len(), 1 + 41 * agents);
    for (index, row) in trace[1..].iter().enumerate() {
        assert_eq!(&row[0], &(index / agents).to_string());
        assert_eq!(&row[2], &(index % agents).to_string());
        for number in row[4..7].iter().chain(row[7].split(';').map(str::to_owned).collect::<Vec<_>>().iter()) {
            assert_eq!(number.parse::<f64>().unwrap().to_string(), *number, "shortest round-trip form");
        }
    }

    let hashes = rows(&place.read("runs/milling-3/hash.csv"));
    assert_eq!(hashes.len(), 1 + 41);
    assert_eq!(hashes[0].as_slice(), ["step", "hash"].map(str::to_owned).as_slice());
    assert_eq!(hashes[41][0], "40");
    assert_eq!(hashes[41][1].len(), 16);

    let manifest = place.json("runs/milling-3/manifest.json");
    assert_eq!(manifest["program"], "swarmarium");
    assert_eq!(manifest["final_state_hash"], hashes[41][1].as_str());
    assert_eq!(manifest["seed"], 3);
    assert_eq!(manifest["steps"], 40);
    assert_eq!(manifest["simulated_s"], 1.0);
    assert_eq!(manifest["dt_s"], 0.025);
    assert_eq!(manifest["interrupted"], false);
    assert_eq!(manifest["error"], serde_json::Value::Null);
    assert!(manifest["started"].as_str().unwrap().ends_with('Z'));
    assert!(manifest["command"].as_array().unwrap().iter().any(|word| word == "--trace"));
}

#[test]
fn the_resolved_scene_gives_the_same_run() {
    let place = Place::new();
    place.expect(0, "run milling --steps 30 --seed 3 --set groups.millers.count=9 -o a --quiet");
    place.expect(0, "run a/scene.ron --steps 30 -o b --quiet");
    let hash = |folder: &str| place.json(&format!("{folder}/manifest.json"))["final_state_hash"].clone();
    assert_eq!(hash("a"), hash("b"));
    assert!(place.read("a/scene.ron").contains("count: 9"));
    assert_eq!(place.read("a/scene.ron"), place.read("b/scene.ron"));
}

#[test]
fn edits_can_be_replayed() {
    let place = Place::new();
    let log = "[
        (step: 9, edit: Set(path: \"groups.millers.controller.clear.turn_rad_per_s\", value: \"0.2\")),
        (step: 4, edit: Move(agent: 2, x_m: 1.5, y_m: 5.0, heading_rad: 1.0)),
        (step: 99, edit: TimeScale(scale: 2.0)),
    ]";
    place.write("edits.ron", log);
    let said = place.expect(0, "run milling --steps 50 -o a --edits edits.ron --hash");
    assert!(said.stderr.contains("1 of 3 edits"), "{}", said.stderr);
    place.expect(0, "run milling --steps 50 -o b --edits a/edits.ron --hash --threads 2");
    place.expect(0, "run milling --steps 50 -o plain --hash");
    assert_eq!(place.read("a/edits.ron"), place.read("b/edits.ron"));
    assert_eq!(place.read("a/hash.csv"), place.read("b/hash.csv"));
    let (edited, plain) = (rows(&place.read("a/hash.csv")), rows(&place.read("plain/hash.csv")));
    assert_eq!(edited[..5], plain[..5], "steps 0 to 3 come before the first edit");
    assert_ne!(edited[5], plain[5]);
    assert!(!place.has("plain/edits.ron"));
}

#[cfg(unix)]
#[test]
fn a_killed_run_has_its_edits_and_repeats_itself() {
    let place = Place::new();
    place.write("s.ron", "(stop: (steps: 300), groups: [(name: \"a\", count: 3, controller: Levy())])");
    let edit = |step, x_m| format!("(step: {step}, edit: Move(agent: 0, x_m: {x_m}, y_m: 1.0, heading_rad: 0.0))");
    place.write("e.ron", format!("[{}, {}]", edit(20, 1.0), edit(290, 2.0)));
    let mut child = place.command("run s.ron --edits e.ron --speed 1 -q -o killed").spawn().unwrap();
    let start = std::time::Instant::now();
    while !place.has("killed/edits.ron") {
        assert!(start.elapsed().as_secs() < 60 && child.try_wait().unwrap().is_none(), "the edit was not written");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.has("killed/manifest.json"));
    assert!(place.read("killed/edits.ron").contains("step:20"), "{}", place.read("killed/edits.ron"));
    // Its end is not known: the scene says how long it lasts.
    place.expect(0, "run killed --hash -q -o again");
    place.expect(0, "run s.ron --edits e.ron --hash -q -o whole");
    let until = |name: &str| place.read(name).lines().take(1 + 290).collect::<Vec<_>>().join("\n");
    assert_eq!(until("again/hash.csv"), until("whole/hash.csv"));
    assert_eq!(place.json("again/manifest.json")["steps"], 300);
    place.expect(0, "run killed --at 30 --steps 10 --hash -q -o part");
}

#[test]
fn an_edit_that_makes_no_sense_is_a_bad_file_and_the_data_before_it_is_kept() {
    let place = Place::new();
    place.write("edits.ron", "[(step: 7, edit: Move(agent: 77, x_m: 0.0, y_m: 0.0, heading_rad: 0.0))]");
    let said = place.expect(2, "run milling --steps 50 -o a --edits edits.ron");
    assert!(said.stderr.contains("edits.ron:1:2: edit of step 7: there is no agent 77"), "{}", said.stderr);
    let verified = place.expect(2, "verify milling --steps 50 --quiet --edits edits.ron").stderr;
    assert!(said.stderr.ends_with(&verified), "{verified}");
    place.expect(2, "run milling --steps 50 -o many --edits edits.ron --seeds 1..=2 --quiet");
    assert_eq!(rows(&place.read("a/metrics.csv")).len(), 1 + 6);
    assert!(place.json("a/manifest.json")["error"].as_str().unwrap().contains("agent 77"));
    place.write("edits.ron", "[(step: 3, edit: Set(path: \"groups.millers.controller.fly\", value: \"1\"))]");
    for verb in ["run milling --steps 5 -o b", "verify milling --steps 5"] {
        let told = place.expect(2, &format!("{verb} --edits edits.ron")).stderr;
        assert!(told.contains("edits.ron:1:2: edit of step 3: groups.millers.controller.fly: "), "{verb}: {told}");
    }
    place.write("edits.ron", "[(step: 0, edit: TimeScale(scale: 1.0))]");
    place.expect(2, "run milling --edits edits.ron");
}

#[test]
fn folders_are_numbered_when_they_exist() {
    let place = Place::new();
    for _ in 0..3 {
        place.expect(0, "run milling --steps 1 --seed 5 --quiet");
    }
    assert_eq!(place.names("runs"), ["milling-5", "milling-5-2", "milling-5-3"]);
}

#[test]
fn an_existing_folder_is_refused_and_never_emptied() {
    let place = Place::new();
    fs::create_dir(place.path("out")).unwrap();
    place.write("out/notes.txt", "mine");
    let said = place.expect(2, "run milling --steps 1 -o out");
    assert!(said.stderr.contains("--overwrite"), "{}", said.stderr);
    assert_eq!(place.names("out"), ["notes.txt"]);
    place.expect(0, "run milling --steps 1 -o out --overwrite --trace");
    place.expect(0, "run milling --steps 1 -o out --overwrite");
    assert_eq!(place.names("out"), ["manifest.json", "metrics.csv", "notes.txt", "scene.ron"]);
    assert_eq!(place.read("out/notes.txt"), "mine");
    place.expect(2, "run milling --steps 1 -o out/notes.txt --overwrite");
}

#[test]
fn quiet_runs_say_nothing() {
    let said = Place::new().expect(0, "run milling --steps 10 --quiet");
    assert_eq!(said.stdout.as_str(), "");
    assert_eq!(said.stderr.as_str(), "");
}

#[test]
fn a_run_lasts_60_s_unless_told_otherwise() {
    let place = Place::new();
    place.expect(0, "run milling -o a --quiet");
    place.expect(0, "run milling -o b --duration 0.5 --quiet");
    assert_eq!(place.json("a/manifest.json")["steps"], 2400);
    assert_eq!(place.json("b/manifest.json")["steps"], 20);
}

#[test]
fn real_time_speed_is_kept() {
    let place = Place::new();
    place.expect(0, "run milling -o a --duration 1 --speed 4 --quiet");
    let wall_s = place.json("a/manifest.json")["wall_s"].as_f64().unwrap();
    assert!((0.25..2.0).contains(&wall_s), "{wall_s}");
}

#[test]
fn many_seeds_give_a_folder_each_and_one_table() {
    let place = Place::new();
    place.expect(0, "run milling --steps 20 --seeds 3..6 -j 2 -o many");
    assert_eq!(place.names("many"), ["batch.json", "milling-3", "milling-4", "milling-5", "results.csv"]);
    let results = rows(&place.read("many/results.csv"));
    assert_eq!(results[0][..5], ["seed", "status", "steps", "wall_s", "final_state_hash"]);
    for (row, seed) in results[1..].iter().zip(["3", "4", "5"]) {
        assert_eq!(row[..3], [seed, "done", "20"]);
        let folder = format!("many/milling-{seed}");
        assert_eq!(place.json(&format!("{folder}/manifest.json"))["final_state_hash"], row[4].as_str());
        assert_eq!(row[5..], rows(&place.read(&format!("{folder}/metrics.csv"))).last().unwrap()[2..]);
    }
    place.expect(0, "run milling --steps 20 --seed 4 -o one");
    assert_eq!(place.json("one/manifest.json")["final_state_hash"], results[2][4].as_str());
    place.expect(0, "run milling --steps 2 --seeds 1..=2");
    assert_eq!(place.names("runs"), ["milling-seeds-1-2"]);
    place.expect(2, "run milling --seeds 1..3 --seed 4");
    place.expect(2, "run milling --seeds 3..3");
    for jobs in ["0", "257", "x"] {
        place.expect(2, &format!("run milling --seeds 1..3 -j {jobs}"));
    }
}

#[test]
fn fields_with_the_constant_of_the_seed_follow_each_seed() {
    let place = Place::new();
    place.write(
        "s.ron",
        "(constants: [(name: \"S\", value: 1)], seed: S, groups: [(name: \"a\", count: S, spawn: UniformBox())])",
    );
    place.expect(0, "run s.ron --quiet --steps 2 --seeds 1..4 -o many");
    assert!(results(&place, "many")[1..].iter().all(|row| row[1] == "done"));
    assert!(place.read("many/s-3/scene.ron").contains("value: 3,"));
    place.expect(0, "run many/s-3/scene.ron --quiet --steps 2 -o again");
    place.expect(0, "run s.ron --quiet --steps 2 --seeds 1..4 -o many --resume");
}

/// The table of a batch, without what the clock says.
fn results(place: &Place, folder: &str) -> Vec<Vec<String>> {
    let mut table = rows(&place.read(&format!("{folder}/results.csv")));
    for row in &mut table {
        row.remove(3);
    }
    table
}

#[test]
fn an_interrupted_batch_resumes_where_it_stopped() {
    let place = Place::new();
    let batch = "run milling --steps 50 --seeds 1..=4 --trace -j 2";
    place.expect(0, &format!("{batch} -o whole --quiet"));
    place.expect(0, &format!("{batch} -o half --quiet"));
    let started = |seed: &str| place.json(&format!("half/milling-{seed}/manifest.json"))["started"].clone();
    let (first, third) = (started("1"), started("3"));
    // As a kill leaves it: a run without a manifest, one not begun, half a row.
    fs::remove_file(place.path("half/milling-2/manifest.json")).unwrap();
    fs::rename(place.path("half/milling-2/trace.csv"), place.path("half/milling-2/trace.csv.partial")).unwrap();
    fs::remove_dir_all(place.path("half/milling-4")).unwrap();
    let table = place.read("half/results.csv");
    place.write("half/results.csv", &table[..table.len() / 2]);
    // As Ctrl-C leaves it.
    let manifest = place.read("half/milling-3/manifest.json");
    place.write("half/milling-3/manifest.json", manifest.replace("\"interrupted\": false", "\"interrupted\": true"));
    let said = place.expect(0, &format!("{batch} -o half --resume"));
    assert!(said.stderr.contains("skipped 1 of 4 runs, which the folder has\n"), "{}", said.stderr);
    assert_eq!(results(&place, "half"), results(&place, "whole"));
    assert_eq!(place.names("half/milling-2"), place.names("whole/milling-2"));
    assert_eq!(started("1"), first);
    assert_ne!(started("3"), third);
    // With nothing left to do, nothing is done.
    place.expect(0, &format!("{batch} -o half --resume --quiet"));
    assert_eq!(results(&place, "half"), results(&place, "whole"));
    assert_eq!(started("1"), first);
}

#[test]
fn a_batch_resumes_only_with_the_same_arguments() {
    let place = Place::new();
    place.expect(0, "run milling --steps 5 --seeds 1..=2 -o a --quiet");
    for (other, difference) in [
        ("run milling --steps 6 --seeds 1..=2", "the number of steps: 5 then, 6 now"),
        ("run milling --steps 5 --seeds 1..=3", "the seeds: 1..=2 then, 1..=3 now"),
        ("run milling --steps 5 --seeds 1..=2 --hash", "the files of each run: metrics.csv then, "),
        ("run milling --steps 5 --seeds 1..=2 --set groups.millers.count=3", "the scene has changed since its start"),
    ] {
        let said = place.expect(2, &format!("{other} -o a --resume")).stderr;
        assert!(said.starts_with("error: a/batch.json: ") && said.contains(difference), "{said}");
    }
    // One that has not begun, begins; without -o, the last of its name goes on.
    place.expect(0, "run milling --steps 5 --seeds 1..=2 --resume --quiet");
    place.expect(0, "run milling --steps 5 --seeds 1..=2 --quiet");
    fs::remove_dir_all(place.path("runs/milling-seeds-1-2-2/milling-2")).unwrap();
    place.expect(0, "run milling --steps 5 --seeds 1..=2 --resume --quiet");
    assert_eq!(place.names("runs"), ["milling-seeds-1-2", "milling-seeds-1-2-2"]);
    assert_eq!(results(&place, "runs/milling-seeds-1-2-2"), results(&place, "a"));
    place.expect(2, "run milling --steps 5 --resume");
    fs::create_dir(place.path("empty")).unwrap();
    let said = place.expect(2, "run milling --seeds 1..=2 -o empty --resume").stderr;
    assert!(said.contains("there is no batch to resume"), "{said}");
}

#[test]
fn runs_that_fail_do_not_stop_the_others() {
    let place = Place::new();
    fs::create_dir_all(place.path("many/milling-2")).unwrap();
    place.write("many/milling-2/metrics.csv", "x");
    fs::create_dir(place.path("many/milling-2/manifest.json")).unwrap();
    let said = place.expect(3, "run milling --steps 5 --seeds 1..=3 -o many --overwrite");
    assert!(said.stderr.contains("seed 2: "), "{}", said.stderr);
    let statuses: Vec<_> = rows(&place.read("many/results.csv"))[1..].iter().map(|row| row[1].clone()).collect();
    assert_eq!(statuses, ["done", "failed", "done"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_with_valid_data() {
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::Duration;

    let place = Place::new();
    let mut command = place.command("run milling --duration 1000 --speed 1 -o a --trace");
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    while !place.has("a/trace.csv.partial") {
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(300));
    // `timeout` at times sends the signal twice.
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id, &id]).status().unwrap();
    let said: super::Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.code, Some(130));
    let manifest = place.json("a/manifest.json");
    let (step, all) = (manifest["steps"].as_u64().unwrap(), 40_000);
    let told = format!(
        "interrupted: a has {step} of {all} steps; `swarmarium run a --at {step} --steps {} --trace` continues the run\n",
        all - step
    );
    assert!(said.stderr.ends_with(&told), "{}", said.stderr);
    assert_eq!(said.stderr.lines().filter(|line| !line.contains(" % (")).count(), 1, "{}", said.stderr);
    // The command does what it says.
    place.expect(0, &format!("run a --at {step} --steps 5 --trace -o b --quiet"));
    assert_eq!(manifest["interrupted"], true);
    let trace = rows(&place.read("a/trace.csv"));
    assert_eq!(trace.last().unwrap()[0], manifest["steps"].to_string());
    assert_eq!(place.names("a"), ["manifest.json", "metrics.csv", "scene.ron", "trace.csv"]);
}

/// What a command says that gets Ctrl-C, twice at once, when a file exists and 300 ms have passed.
#[cfg(unix)]
fn interrupted(place: &Place, command: &str, file: &str) -> String {
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::Duration;

    let mut child = place.command(command).stderr(Stdio::piped()).spawn().unwrap();
    while !place.has(file) {
        assert_eq!(child.try_wait().unwrap(), None, "{command}");
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(300));
    // `timeout` at times sends the signal twice.
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id, &id]).status().unwrap();
    let said: super::Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.code, Some(130), "{command}: {}", said.stderr);
    said.stderr
}

/// The command in a message, without the name of the program.
#[cfg(unix)]
fn command_in(message: &str) -> String {
    message.split('`').nth(1).and_then(|command| command.strip_prefix("swarmarium ")).unwrap_or_default().to_owned()
}

#[cfg(unix)]
#[test]
fn interrupted_batches_sweeps_and_videos_name_the_command_that_goes_on() {
    let place = Place::new();
    let told =
        interrupted(&place, "run milling --seeds 1..=3 --speed 40 --duration 40 --jobs 1 -o many", "many/batch.json");
    let command = command_in(&told);
    assert!(told.contains("interrupted: many has ") && told.contains(" of 3 runs; "), "{told}");
    assert_eq!(command, "run milling --seeds 1..=3 --speed 40 --duration 40 --jobs 1 -o many --resume");
    place.expect(0, &format!("{command} --quiet"));

    let sweep = "sweep milling --repeat 400 --steps 4000 --jobs 1 -o all";
    let told = interrupted(&place, sweep, "all/logs");
    let command = command_in(&told);
    assert!(told.contains("interrupted: all has ") && told.contains(" of 400 runs; "), "{told}");
    assert_eq!(command, "sweep all --resume");
    place.expect(0, &format!("{command} --shard 1/400 --quiet"));

    #[cfg(feature = "video")]
    {
        let record = "record milling --duration 2000 --size 64x48 -o a.gif --frame-hashes=a.csv";
        let told = interrupted(&place, record, "a.gif.partial");
        let command = command_in(&told);
        assert!(told.contains("interrupted after frame ") && told.contains(": a.gif has "), "{told}");
        assert!(command.starts_with("record milling --size 64x48 --from "), "{command}");
        assert!(command.ends_with(" -o a-rest.gif --frame-hashes a-rest.csv"), "{command}");
        let of = told.split("interrupted after frame ").nth(1).unwrap().split([' ', ':']).collect::<Vec<_>>();
        let (done, all): (u64, u64) = (of[0].parse().unwrap(), of[2].parse().unwrap());
        assert!(command.contains(&format!(" --frames {} ", all - done)), "{told}");
        let short = command.replace(&format!("--frames {}", all - done), "--frames 2");
        place.expect(0, &format!("{short} --quiet"));
        assert!(place.has("a-rest.gif") && place.has("a-rest.csv"));
    }
}

#[cfg(unix)]
#[test]
fn large_outputs_have_a_warning_before_they_are_written() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    let place = Place::new();
    let first_line = |command: &str| {
        let mut child = place.command(command).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        child.wait().unwrap();
        line
    };
    for (command, begin) in [
        ("run milling --steps 10000000 --trace --speed 1 -o a", "warning: trace.csv: about "),
        ("run milling --steps 10000000 --trace --seeds 1..=2 --speed 1 -o b", "warning: trace.csv of 2 runs: about "),
        #[cfg(feature = "video")]
        ("record milling --frames 900000 --size 640x480 -o c/", "warning: 900000 pictures: about "),
    ] {
        let line = first_line(command);
        assert!(line.starts_with(begin) && line.ends_with(" GB to write\n"), "{command}: {line}");
    }
    let said = place.expect(0, "run milling --steps 10 --trace -o d").stderr;
    assert!(!said.contains("warning"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_long_run_prints_progress_without_a_terminal() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    use std::time::Instant;

    let place = Place::new();
    for command in ["run milling --steps 10000000000000 -o a", "sweep milling --repeat 2 --steps 10000000000000 -o b"] {
        let started = Instant::now();
        let mut child = place.command(command).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("0 % (") && started.elapsed().as_secs() < 10, "{line} {:?}", started.elapsed());
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_at_once_while_a_scene_is_set_up() {
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    // Making this many robots takes long, and the arena has no room for them.
    let scene = "(groups: [(name: \"crowd\", count: 100000, spawn: UniformBox())])";
    for signal in ["-INT", "-TERM"] {
        for (options, begun) in [("", "crowd.ron"), ("--seeds 1..=2 -j 2", "a/batch.json")] {
            let place = Place::new();
            place.write("crowd.ron", scene);
            let run = format!("run crowd.ron --steps 1 -o a --quiet {options}");
            let mut child = place.command(&run).spawn().unwrap();
            while !place.has(begun) {
                assert_eq!(child.try_wait().unwrap(), None);
                thread::sleep(Duration::from_millis(10));
            }
            thread::sleep(Duration::from_millis(200));
            let start = Instant::now();
            Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(130), "{signal} {options}");
            // It takes 0.2 s at most where nothing else keeps the machine busy.
            assert!(start.elapsed() < Duration::from_secs(3), "{signal} {options}: {:?}", start.elapsed());
            assert!(!place.has("a/manifest.json") && !place.has("a/crowd-1"));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_run_and_leaves_whole_rows() {
    use std::process::Command;

    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_swarmarium");
    // A limit on the size of files, in blocks of 512 bytes, stands for a full disk.
    let run = |arguments: &str| {
        let limited =
            format!("trap '' XFSZ; ulimit -f 400; exec {program} run milling --steps 4000 --quiet {arguments}");
        let output = Command::new("sh").args(["-c", &limited]).current_dir(place.path(".")).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{stderr}");
        assert!(stderr.contains("trace.csv: cannot be written"), "{stderr}");
    };
    run("--trace -o a");
    run("--trace -o many --seeds 1..=2 -j 2");
    for folder in ["a", "many/milling-1", "many/milling-2"] {
        let names = ["manifest.json", "metrics.csv", "scene.ron", "trace.csv.partial"];
        assert_eq!(place.names(folder), names, "a file that is not whole has a name that says so");
        let trace = place.read(&format!("{folder}/trace.csv.partial"));
        assert!(trace.ends_with('\n') && rows(&trace).len() > 100);
        let manifest = place.json(&format!("{folder}/manifest.json"));
        assert!(manifest["error"].as_str().unwrap().contains("trace.csv"));
        assert_eq!(manifest["incomplete"], serde_json::json!(["trace.csv"]));
    }
    assert!(rows(&place.read("many/results.csv"))[1..].iter().all(|row| row[1] == "failed"));
    // With room again, the batch goes on, and whole files take the place of the others.
    let resumed = "run milling --steps 4000 --quiet --trace -o many --seeds 1..=2 -j 2 --resume";
    place.expect(0, resumed);
    assert_eq!(place.names("many/milling-1"), ["manifest.json", "metrics.csv", "scene.ron", "trace.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn two_processes_never_write_into_one_folder() {
    use std::thread;
    use std::time::Duration;

    let place = Place::new();
    for (flags, names) in [("", "a/trace.csv.partial"), ("--seeds 1..=2", "b/milling-1/trace.csv.partial")] {
        let folder = &names[..1];
        let run = format!("run milling --duration 1000 --speed 1 --trace --quiet {flags} -o {folder}");
        let mut child = place.command(&run).spawn().unwrap();
        while !place.has(names) {
            thread::sleep(Duration::from_millis(10));
        }
        for (other, reason) in [("", "exists already"), ("--overwrite", "another process is writing it")] {
            let said = place.expect(2, &format!("{run} {other}"));
            assert!(said.stderr.contains(reason), "{}", said.stderr);
        }
        if !flags.is_empty() {
            let said = place.expect(2, &format!("{run} --resume"));
            assert!(said.stderr.contains("another process is writing it"), "{}", said.stderr);
        }
        assert!(place.has(names), "the files of the first one stay");
        std::process::Command::new("kill").args(["-KILL", &child.id().to_string()]).status().unwrap();
        child.wait().unwrap();
        assert!(
            place.names(folder).iter().all(|name| name != "manifest.json"),
            "a run that was killed has no manifest"
        );
        place.expect(0, &format!("run milling --steps 2 --quiet {flags} -o {folder} --overwrite"));
    }
}

/// A step that takes far longer than anybody waits: every robot measures the distance of every other one.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_within_a_long_step() {
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    let place = Place::new();
    place.write(
        "slow.ron",
        "(arena: (size_m: (100.0, 100.0)), initial_readings: Zero, metrics: [Count()], groups: [(name: \"r\", count: 60000,
            spawn: UniformBox(min_m: (0, 0), max_m: (100, 100), avoid_overlap: false), motion: Static(),
            sensors: [Neighbours(range_m: 300.0, most: 1)])])",
    );
    for (arguments, folder) in [("-o a --trace", "a"), ("--seeds 1..=2 -o b", "b/slow-1")] {
        let mut command = place.command(&format!("run slow.ron --steps 100000 {arguments} --quiet"));
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        while !place.has(&format!("{folder}/metrics.csv.partial")) {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(200));
        let sent = Instant::now();
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{arguments}");
        // The pieces of work are shorter; the machine of a test is busy.
        assert!(sent.elapsed() < Duration::from_secs(3), "{:?}", sent.elapsed());
        let manifest = place.json(&format!("{folder}/manifest.json"));
        assert_eq!(manifest["interrupted"], true);
        assert_eq!(manifest["final_state_hash"], serde_json::Value::Null);
        let metrics = rows(&place.read(&format!("{folder}/metrics.csv")));
        assert_eq!((metrics.len() - 1).to_string(), manifest["steps"].to_string());
    }
    let results = rows(&place.read("b/results.csv"));
    assert!(results.len() > 1 && results[1..].iter().all(|row| row[1] == "interrupted"), "{results:?}");
    // The second run may not have begun its step.
    assert_eq!(results[1][4], "", "{results:?}");
}

#[test]
fn check_and_run_warn_of_robots_without_room() {
    let place = Place::new();
    let scene = |count: u32| {
        format!(
            "(arena: (size_m: (2.0, 2.0), boundary: Walls), groups: [\n(name: \"crowd\", count: {count},\n\
             spawn: UniformBox(max_m: (2, 2)))])"
        )
    };
    place.write("full.ron", scene(300));
    place.write("free.ron", scene(10));
    for arguments in ["check full.ron", "run full.ron --steps 1 -o a", "run full.ron --steps 1 --seeds 1..=1 -o b"] {
        let said = place.expect(0, arguments).stderr;
        assert!(said.contains("warning: full.ron:3:") && said.contains("groups[0].spawn: "), "{arguments}: {said}");
        assert!(said.contains(" of 300 robots found no room and overlap others"), "{arguments}: {said}");
    }
    let events = rows(&place.read("a/events.csv"));
    assert!(events.len() == 2 && events[1][0] == "0" && events[1][4].starts_with("Found no room, with "), "{events:?}");
    for arguments in ["check free.ron", "run free.ron --steps 1 -o c"] {
        assert!(!place.expect(0, arguments).stderr.contains("room"), "{arguments}");
    }
    assert!(!place.has("c/events.csv"));
    assert!(place.expect(0, "check full.ron --quiet").stderr.is_empty());
}

#[test]
fn a_run_whose_script_fails_keeps_its_data_and_says_so() {
    let place = Place::new();
    let scene = |script: &str| {
        format!("(groups: [(name: \"a\", count: 2, controller: Script(source: \"{script}\"))], metrics: [Centroid()])")
    };
    place.write(
        "late.ron",
        scene("function step(self, senses) return if senses.time_s > 1 then senses.neer[1] else 0, 0 end"),
    );
    // Its first step is fine.
    place.expect(0, "check late.ron");
    let said = place.expect(3, "run late.ron --duration 2 --json -o run");
    let result: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((&result["status"], &result["end"]), (&"failed".into(), &"last-step".into()));
    assert!(result["error"].as_str().unwrap().contains("`neer`"), "{result}");
    assert_eq!(said.stderr.matches("`neer`").count(), 1, "{}", said.stderr);
    assert_eq!(rows(&place.read("run/metrics.csv")).len() as u64, 1 + result["steps"].as_u64().unwrap());
    place.expect(3, "run late.ron --seeds 1..=2 --duration 2 -o batch --quiet");
    let mut verbs = vec!["figure late.ron --at 2s -o f.pdf", "share late.ron --html f.html --duration 2"];
    if cfg!(feature = "video") {
        verbs.push("record late.ron --duration 2 --size 64x64 -o f.gif");
    }
    for verb in verbs {
        let said = place.expect(3, &format!("{verb} --quiet"));
        assert_eq!(said.stderr.matches("`neer`").count(), 1, "{verb}: {}", said.stderr);
    }
    assert!(place.has("f.pdf") && place.has("f.html"));

    place.write("early.ron", scene("function step(self, senses) return senses.neer[1], 0 end"));
    place.expect(2, "verify early.ron --steps 5");
    let said = place.expect(2, "check early.ron").stderr;
    assert!(said.starts_with("error: early.ron: ") && said.contains("`neer`"), "{said}");
}

#[test]
fn the_error_of_a_script_is_the_only_one() {
    let place = Place::new();
    place.expect(0, "convert script-milling -o s.ron --quiet");
    assert!(place.read("s.ron").contains("controls: ["));
    let script = place.read("scripts/milling.luau");
    place.write("scripts/milling.luau", script.replacen("\nend", "\nen", 1));
    let said = place.expect(2, "check s.ron").stderr;
    assert!(said.contains("milling.luau:") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_condition_that_was_never_true_has_a_warning() {
    let place = Place::new();
    let never = "warning: --until: `circliness>2` was not true in 10 steps";
    let said = place.expect(0, "run milling --until circliness>2 --steps 10 -o run").stderr;
    assert!(said.contains(never), "{said}");
    let said = place.expect(0, "run milling --until circliness>2 --steps 10 --seeds 1..=2 -o batch").stderr;
    assert!(said.contains("warning: --until: `circliness>2` was not true in 2 of 2 runs"), "{said}");
    let said = place.expect(0, "run milling --until circliness>=0 --steps 10 --json -o soon");
    assert!(said.stdout.contains("\"end\": \"condition\"") && !said.stderr.contains("--until"), "{}", said.stderr);
}
