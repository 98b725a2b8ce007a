//! Results as JSON on stdout, for scripts.

use serde_json::{Value, json};

use super::Place;

#[track_caller]
fn document(place: &Place, code: i32, arguments: &str) -> Value {
    let said = place.expect(code, arguments);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{arguments}: {error}\n{}", said.stdout))
}

/// The names of the fields of an object, in their order in the text.
fn names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_run_prints_its_results() {
    let place = Place::new();
    let run = document(&place, 0, "run milling --steps 40 --seed 3 --json --quiet");
    let manifest = place.json("runs/milling-3/manifest.json");
    assert_eq!(run["folder"], "runs/milling-3");
    assert_eq!(run["status"], "done");
    assert_eq!((&run["steps"], &run["seed"], &run["simulated_s"]), (&json!(40), &json!(3), &json!(1.0)));
    assert_eq!(run["final_state_hash"], manifest["final_state_hash"]);
    let metrics = place.read("runs/milling-3/metrics.csv");
    let last: f64 = metrics.lines().last().unwrap().split(',').nth(2).unwrap().parse().unwrap();
    assert_eq!(run["metrics"]["circliness"].as_f64(), Some(last));
    let mut expected = [
        "collision",
        "differs_at",
        "end",
        "error",
        "final_state_hash",
        "folder",
        "from_step",
        "incomplete",
        "metrics",
        "script",
        "seed",
        "simulated_s",
        "status",
        "steps",
        "wall_s",
        "warnings",
    ];
    expected.sort_unstable();
    assert_eq!(names(&run), expected);

    // A run that is told in words prints nothing on stdout.
    assert_eq!(place.expect(0, "run milling --steps 2").stdout, "");
}

#[test]
fn a_batch_prints_its_runs() {
    let place = Place::new();
    let batch = document(&place, 0, "run milling --seeds 1..=3 --steps 20 --json --quiet");
    assert_eq!((&batch["folder"], &batch["status"]), (&json!("runs/milling-seeds-1-3"), &json!("done")));
    assert_eq!((&batch["seeds"], &batch["failed"]), (&json!(3), &json!(0)));
    let runs = batch["runs"].as_array().unwrap();
    assert_eq!(runs.iter().map(|run| run["seed"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(runs.iter().all(|run| place.has(run["folder"].as_str().unwrap())));
    assert!(place.has(batch["results"].as_str().unwrap()));
    // A batch that is resumed has the same results.
    let again = document(&place, 0, "run milling --seeds 1..=3 --steps 20 --json --quiet --resume");
    assert_eq!(again["runs"][2]["final_state_hash"], runs[2]["final_state_hash"]);
}

#[test]
fn a_sweep_prints_its_summary() {
    let place = Place::new();
    let vary = "sweep milling --vary groups.millers.count=4,6 --repeat 2 --steps 20 --json --quiet";
    let sweep = document(&place, 0, &format!("{vary} -o a"));
    assert_eq!((&sweep["status"], &sweep["folder"]), (&json!("done"), &json!("a")));
    assert_eq!((&sweep["points"], &sweep["runs"], &sweep["done"]), (&json!(2), &json!(4), &json!(4)));
    let rows = sweep["summary"].as_array().unwrap();
    assert_eq!(rows[0]["count"], 4);
    assert_eq!(rows[0]["n"], 2);
    assert!(rows[0]["mean"].is_f64());
    let shard = document(&place, 0, &format!("{vary} -o b --shard 1/2"));
    assert_eq!((&shard["status"], &shard["done"], &shard["summary"]), (&json!("incomplete"), &json!(2), &json!([])));
    let dry = document(&place, 0, &format!("{vary} --dry-run"));
    assert_eq!((&dry["runs"], &dry["values"][1]["count"]), (&json!(4), &json!(6)));
    assert!(dry["estimated_s"].as_f64().is_some_and(|seconds| seconds > 0.0));
}

#[test]
fn check_names_the_scripts_that_come_with_the_program() {
    let (place, script) = (Place::new(), "scripts/milling.luau");
    place.write("my.ron", std::fs::read_to_string("scenes/script-milling.ron").unwrap());
    let told = place.expect(0, "check my.ron").stdout;
    assert_eq!(told, format!("my.ron: ok; {script} comes with the program\n"));
    let checked = document(&place, 0, "check my.ron --json");
    assert_eq!(checked["files"][0]["shipped_scripts"], json!([script]));
    std::fs::create_dir(place.path("scripts")).unwrap();
    place.write(script, std::fs::read_to_string(format!("scenes/{script}")).unwrap());
    assert_eq!(place.expect(0, "check my.ron").stdout, "my.ron: ok\n");
}

#[test]
fn checks_and_conversions_print_what_they_found() {
    let place = Place::new();
    place.write("bad.ron", "Scene(\n    sed: 1,\n)");
    let checked = document(&place, 2, "check milling milling.sweep bad.ron --json --quiet");
    assert_eq!((&checked["ok"], &checked["status"]), (&json!(false), &json!("invalid")));
    let files = checked["files"].as_array().unwrap();
    assert_eq!(
        files.iter().map(|file| &file["kind"]).collect::<Vec<_>>(),
        [&json!("scene"), &json!("plan"), &json!(null)]
    );
    assert_eq!((&files[1]["points"], &files[1]["repetitions"]), (&json!(400), &json!(10)));
    let problem = &files[2]["problems"][0];
    assert_eq!((&problem["line"], &problem["column"], &problem["path"]), (&json!(2), &json!(5), &json!("sed")));
    let step = &document(&place, 0, "check milling --plan --json")["files"][0]["step"];
    assert_eq!(step[0], json!({ "place": "Edits", "acts": "clock" }));

    let converted = document(&place, 0, "convert milling -o my.ron --json --quiet");
    assert_eq!((&converted["output"], &converted["comments_left_out"]), (&json!("my.ron"), &json!(0)));
    assert_eq!(converted["bytes"].as_u64(), Some(place.read("my.ron").len() as u64));
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- a --><g><path d=\"M0,0 L9,0 L9,9 Z\"/></g></svg>";
    place.write("a.svg", svg);
    let drawing = document(&place, 0, "convert a.svg -o a.ron --json --quiet");
    assert_eq!((&drawing["comments"], &drawing["comments_left_out"]), (&json!(null), &json!(null)));
    assert!(place.expect(0, "convert a.svg -o b.ron").stderr.ends_with("b.ron: written; comments are left out\n"));
    assert!(place.expect(2, "convert milling -o - --json").stderr.contains("--json"));
}

#[test]
fn scenes_are_read_from_stdin() {
    use std::io::Write as _;
    use std::process::Stdio;

    let place = Place::new();
    let piped = |arguments: &str, text: &str| -> super::Said {
        let mut command = place.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    };
    let scene = place.expect(0, "convert milling -o -").stdout;
    let run: Value = serde_json::from_str(&piped("run - --steps 20 --json --quiet", &scene).stdout).unwrap();
    let named = document(&place, 0, "run milling --steps 20 --json --quiet");
    assert_eq!(run["folder"], "runs/stdin-7");
    assert_eq!(run["final_state_hash"], named["final_state_hash"]);
    assert_eq!(place.json("runs/stdin-7/manifest.json")["scene_file"], "<stdin>");
    assert_eq!(piped("check -", &scene).stdout, "<stdin>: ok\n");
    let told = piped("check -", "Scene(\n    sed: 1,\n)");
    assert_eq!(told.stderr, "error: <stdin>:2:5: sed: Scene has no field `sed`; did you mean `seed`?\n");
    assert_eq!(piped("convert - -o -", &scene).stdout, scene);
    let plan = "Plan(scene: \"milling\", repetitions: 2, stop: (steps: 3))";
    assert_eq!(piped("check -", plan).stdout, "<stdin>: ok; 1 point × 2 repetitions\n");
    assert_eq!(piped("sweep - --quiet", plan).code, Some(0));
    assert!(place.has("sweeps/stdin/summary.csv"));
    assert_eq!(piped("sweep - --repeat 2", &scene).code, Some(2));
}

#[test]
fn a_command_without_a_result_prints_its_failure() {
    let place = Place::new();
    let failure = document(&place, 2, "run nofile.ron --json");
    assert_eq!((&failure["status"], failure["problems"].as_array().map(Vec::len)), (&json!("error"), Some(1)));
    assert!(failure["error"].as_str().unwrap().starts_with("nofile.ron: there is no such file"), "{failure}");
    let failure = document(&place, 2, "sweep milling --vary x --json");
    assert!(failure["error"].as_str().unwrap().starts_with("--vary: expected path="), "{failure}");
}

#[test]
fn runs_have_the_warnings_about_their_start() {
    let place = Place::new();
    place.write(
        "full.ron",
        "(groups: [(name: \"a\", count: 200, spawn: UniformDisc(radius_m: 0.2, avoid_overlap: true, center_m: (5.0, 5.0)))])",
    );
    for command in ["check full.ron --json", "run full.ron --steps 30 --json -o run"] {
        let found = document(&place, 0, command);
        let warnings = if command.starts_with("check") { &found["files"][0]["warnings"] } else { &found["warnings"] };
        let text = warnings[0]["message"].as_str().unwrap_or_default();
        assert!(text.contains("found no room in the area of the spawner"), "{command}: {found}");
        assert!(warnings[0]["line"].is_u64() && warnings[0]["column"].is_u64(), "{command}: {found}");
        assert_eq!(warnings[0]["file"], "full.ron", "{command}: {found}");
    }
    let told = place.expect(0, "run milling --set groups=[] --steps 2 -o none").stderr;
    assert!(told.contains("the scene has no robots"), "{told}");
}

#[test]
fn commands_print_the_files_that_they_write() {
    let place = Place::new();
    let files = |arguments: &str| {
        let found = document(&place, 0, arguments);
        assert_eq!(found["status"], "done", "{arguments}: {found}");
        let files = found["files"].as_array().unwrap().clone();
        let size = |file: &Value| std::fs::metadata(place.path(file["file"].as_str().unwrap())).unwrap().len();
        assert!(files.iter().all(|file| file["bytes"].as_u64() == Some(size(file))), "{arguments}: {found}");
        (files.iter().map(|file| file["file"].as_str().unwrap().to_owned()).collect::<Vec<_>>(), found)
    };
    assert_eq!(files("init mine --json --quiet").0, ["mine.ron", "mine.sweep.ron"]);
    let shared = files("share mine.ron -o mine.swarm --html mine.html --duration 1 --json --quiet").0;
    assert_eq!(shared, ["mine.swarm", "mine.html"]);
    let planned = document(&place, 0, "sweep submit mine.sweep.ron --slurm --dry-run --json -o study");
    assert_eq!(
        (&planned["status"], &planned["folder"], &planned["arrays"]),
        (&json!("planned"), &json!("study"), &json!([]))
    );
    assert!(planned["script"].as_str().unwrap().starts_with("#!") && planned["tasks"].as_u64() > Some(0), "{planned}");
    if cfg!(feature = "video") {
        let (names, found) =
            files("record milling --frames 3 --size 64x48 -o a.gif --frame-hashes a.csv --mcap a.mcap --json --quiet");
        assert_eq!(names, ["a.gif", "a.csv", "a.mcap"]);
        assert_eq!((&found["frames"], &found["video_s"], &found["error"]), (&json!(3), &json!(0.1), &json!(null)));
    }
}

#[test]
fn failures_of_scripts_have_their_place() {
    let place = Place::new();
    place.write("s.ron", "(groups: [(name: \"a\", controller: Script(file: \"s.luau\"))])");
    place.write("s.luau", "function step(self, senses)\n    self:nothing()\nend");
    let checked = document(&place, 2, "check s.ron --json --quiet");
    let problem = &checked["files"][0]["problems"][0];
    assert_eq!(problem["script"], json!({ "file": "s.luau", "line": 2 }), "{checked}");
    let run = document(&place, 3, "run s.ron --steps 3 --json --quiet -o run");
    assert_eq!(run["script"], json!({ "file": "s.luau", "line": 2 }), "{run}");
    let plan = "(scene: \"s.ron\", stop: (steps: 3), measures: [(name: \"n\", of: \"count\", take: Final)])";
    place.write("p.sweep.ron", plan);
    let swept = document(&place, 3, "sweep p.sweep.ron --json --quiet -o sweep");
    let error = &swept["errors"][0];
    assert_eq!((&error["point"], &error["repetition"]), (&json!(1), &json!(1)), "{swept}");
    assert_eq!(error["script"], json!({ "file": "s.luau", "line": 2 }), "{swept}");
}

#[test]
fn scripts_are_written_beside_a_converted_scene() {
    let place = Place::new();
    let converted = document(&place, 0, "convert script-fireflies -o my.ron --json --quiet");
    let script = converted["scripts"][0].as_str().unwrap().to_owned();
    assert!(place.read(&script).contains("function step("), "{converted}");
    assert!(!place.read("my.ron").contains("source:"));
    let hash = |scene: &str| {
        document(&place, 0, &format!("run {scene} --steps 20 --json -o {scene}-run"))["final_state_hash"].clone()
    };
    assert_eq!(hash("my.ron"), hash("script-fireflies"));
    place.write(&script, "function step() return 0, 0 end");
    let told = place.expect(2, "convert script-fireflies -o other.ron").stderr;
    assert!(told.contains(&format!("{script}: exists already")), "{told}");
}

#[test]
fn figures_and_checks_of_determinism_are_documents() {
    let place = Place::new();
    place.expect(0, "run milling --steps 40 --quiet -o run");
    let listed = document(&place, 0, "figure run --list --json");
    let first = &listed["figures"][0];
    assert_eq!(
        (&listed["folder"], &first["name"], &first["caption"]),
        (&json!("run"), &json!("circliness"), &json!(null))
    );
    let drawn = document(&place, 0, "figure run circliness average_speed_m_per_s -o a.svg -o a.pdf --json --quiet");
    let figures = drawn["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 2);
    assert_eq!(figures[1]["files"], json!(["a.svg", "a.pdf"]));
    assert!(!figures[1]["caption"].as_str().unwrap().is_empty());

    let verified = document(&place, 0, "verify milling --steps 20 --json --quiet");
    assert_eq!((&verified["ok"], &verified["steps"]), (&json!(true), &json!(20)));
    assert_eq!((&verified["status"], &verified["warnings"]), (&json!("done"), &json!([])));
    let first = json!({ "host": "run", "state": "new", "threads": 1, "edits": false, "differs_at": null });
    assert_eq!(verified["cases"][0], first);
    assert_eq!(verified["cases"].as_array().unwrap().len(), 32);

    let failure = document(&place, 2, "check nowhere.ron --json");
    assert_eq!(failure["files"][0]["problems"][0].get("path"), Some(&Value::Null));
    place.write("bad.ron", "(groups: [(title: \"a\")])");
    assert_eq!(document(&place, 2, "run bad.ron --json")["source"], json!("bad.ron"));
    assert_eq!(document(&place, 2, "run milling --steps x --json")["source"], json!("--steps"));
    let never = document(&place, 0, "run milling --steps 3 --until circliness>2 --json -o never -q");
    assert!(never["warnings"][0]["message"].as_str().unwrap().contains("was not true in 3 steps"), "{never}");
    // A log that cannot be written leaves no files in the folder.
    let unwritable = document(&place, 2, "run milling --steps 3 --mcap none/x.mcap --json -o new");
    assert!(unwritable["error"].as_str().unwrap().contains("none/x.mcap"), "{unwritable}");
    place.expect(0, "run milling --steps 3 -o new -q -q");
}

#[test]
fn results_of_a_sweep_are_a_short_table() {
    let place = Place::new();
    let sweep = "sweep milling --vary groups.millers.count=4,6 --repeat 3 --steps 40";
    let said = place.expect(0, &format!("{sweep} --metric Collisions -o means"));
    let table = place.expect(0, "sweep show means").stdout;
    assert!(said.stderr.contains(&table), "{}", said.stderr);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("count  measure") && lines[0].ends_with("n  mean    95 % interval"), "{table}");
    assert!(lines.len() == 9 && lines[1].starts_with("4      circliness") && lines[1].contains(" to "), "{table}");
    let shown = document(&place, 0, "sweep show means --json");
    assert_eq!(
        (&shown["status"], &shown["done"], &shown["report"]),
        (&json!("done"), &json!(6), &json!("means/report.html"))
    );
    assert_eq!(shown["summary"].as_array().map(Vec::len), Some(8), "{shown}");
    // Times have medians, and long values of factors the numbers of their points.
    let times = "Plan(scene: \"milling\", factors: [(path: \"groups.millers.sensors\", values: List([[BinaryFov(range_m: 1.0)], \
                 [BinaryFov(range_m: 2.0)]]))], repetitions: 2, stop: (steps: 9), measures: [(name: \"t\", of: \"step > 4\", take: \
                 TimeUntil())])";
    place.write("t.sweep.ron", times);
    place.expect(0, "sweep t.sweep.ron -o times -q");
    let table = place.expect(0, "sweep show times").stdout;
    assert!(table.starts_with("point  n    median") && table.contains("\n1      2/2  "), "{table}");
    // A folder is not a file.
    let refused = place.expect(2, &format!("{sweep} -o a.csv")).stderr;
    assert!(
        refused.contains("a.csv: results are a folder with several files; name one without `.csv`, such as a"),
        "{refused}"
    );
    assert!(place.expect(2, "run milling --steps 3 -o b.json").stderr.contains("such as b"));
    assert_eq!(place.names(".").iter().filter(|name| name.contains(".csv") || name.contains(".json")).count(), 0);
}
