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
    assert!(said.stderr.contains("10 % (4 of 40 steps)") && said.stderr.contains("100 % (40 of 40 steps)"));
    let expected = ["hash.csv", "manifest.json", "metrics.csv", "scene.ron", "trace.csv"];
    assert_eq!(place.names("runs/milling-3"), expected);

    let metrics = rows(&place.read("runs/milling-3/metrics.csv"));
    assert_eq!(metrics[0][..2], ["step", "t_s"]);
    assert_eq!(metrics.len(), 1 + 40);
    assert_eq!(metrics[1][..2], ["1", "0.025"]);

    let trace = rows(&place.read("runs/milling-3/trace.csv"));
    assert_eq!(trace[0], ["step", "t_s", "agent", "name", "x_m", "y_m", "heading_rad", "readings"]);
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
    assert_eq!(place.names("runs"), ["milling-1..=2"]);
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
    assert!(said.stderr.contains("1 of 4 runs were done before"), "{}", said.stderr);
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
        assert!(said.starts_with("a/batch.json: ") && said.contains(difference), "{said}");
    }
    // One that has not begun, begins; without -o, the last of its name goes on.
    place.expect(0, "run milling --steps 5 --seeds 1..=2 --resume --quiet");
    place.expect(0, "run milling --steps 5 --seeds 1..=2 --quiet");
    fs::remove_dir_all(place.path("runs/milling-1..=2-2/milling-2")).unwrap();
    place.expect(0, "run milling --steps 5 --seeds 1..=2 --resume --quiet");
    assert_eq!(place.names("runs"), ["milling-1..=2", "milling-1..=2-2"]);
    assert_eq!(results(&place, "runs/milling-1..=2-2"), results(&place, "a"));
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
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let said: super::Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.code, Some(130));
    let manifest = place.json("a/manifest.json");
    let (step, all) = (manifest["steps"].as_u64().unwrap(), 40_000);
    let told = format!(
        "interrupted at step {step} of {all}; `swarmarium run a --at {step} --steps {} --trace` continues the run\n",
        all - step
    );
    assert!(said.stderr.ends_with(&told), "{}", said.stderr);
    // The command does what it says.
    place.expect(0, &format!("run a --at {step} --steps 5 --trace -o b --quiet"));
    assert_eq!(manifest["interrupted"], true);
    let trace = rows(&place.read("a/trace.csv"));
    assert_eq!(trace.last().unwrap()[0], manifest["steps"].to_string());
    assert_eq!(place.names("a"), ["manifest.json", "metrics.csv", "scene.ron", "trace.csv"]);
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
    let refused = |arguments: &str| place.expect(2, &format!("run run --at 20 {arguments} -o x")).stderr;
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
        @"--set: groups.milers.body.radius_m: `groups` has no `milers`, did you mean `millers`?"
    );
    insta::assert_snapshot!(
        refused("--set agents.3.fly=1"),
        @"--set: agents.3.fly: `fly` is not a part of an agent; there is body, motion, sensors, controller"
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
    assert!(told.starts_with("--seed: a run that continues keeps its seed"), "{told}");
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
    assert!(told.contains("there is no bookmark `wall`") && told.contains("there are none"), "{told}");
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
        assert!(said.contains("full.ron:3:") && said.contains("groups[0].spawn: warning: "), "{arguments}: {said}");
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
