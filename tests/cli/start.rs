//! What a user begins with: a scene of one's own, help of shells, the version, and settings of the environment.

use super::Place;

#[test]
fn init_writes_a_scene_and_a_plan_that_work() {
    for template in ["sensors", "radio"] {
        let place = Place::new();
        let said = place.expect(0, &format!("init mine --template {template}"));
        assert!(said.stderr.contains("`swarmarium sweep mine.sweep.ron` runs it"), "{}", said.stderr);
        let scene = place.read("mine.ron");
        assert!(scene.contains("name: \"mine\"") && scene.contains("// ") && !scene.contains("template"), "{scene}");
        assert_eq!(place.expect(0, "check mine.ron mine.sweep.ron").stderr, "");
        place.expect(0, "run mine.ron --steps 20 --quiet");
        place.expect(0, "sweep mine.sweep.ron --repeat 2 --steps 20 --quiet -o sweep");
        assert!(place.has("sweep/report.html"));
        // A file of the user stays.
        let refused = place.expect(2, "init mine").stderr;
        assert_eq!(refused, "error: mine.ron: exists already; --overwrite replaces it\n");
        assert_eq!(place.read("mine.ron"), scene);
        place.expect(0, "init mine --overwrite --template empty --quiet");
        place.expect(0, "check mine.ron");
    }
    let place = Place::new();
    place.expect(0, "init --template empty");
    assert_eq!(place.names("."), ["swarm.ron"]);
    place.expect(0, "init new/folder/mine");
    assert!(place.has("new/folder/mine.ron"));
    place.expect(2, "init mine.sweep.ron");
}

#[test]
fn shells_complete_verbs_and_options() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.expect(0, &format!("completions {shell}")).stdout;
        assert!(script.contains("SWARMARIUM_COMPLETE") && !script.contains("\u{1b}["), "{shell}: {script}");
    }
    place.write("milling2.ron", "()");
    // As the script for bash asks.
    let completed = |words: &[&str]| {
        let mut command = place.command("");
        command.env("SWARMARIUM_COMPLETE", "bash").env("_CLAP_IFS", "\n");
        command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        let said: super::Said = command.args(["--", "swarmarium"]).args(words).output().unwrap().into();
        assert_eq!(said.code, Some(0), "{words:?}: {}", said.stderr);
        said.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed(&["ver"]), ["verify"]);
    assert_eq!(completed(&["run", "millin"]), ["milling", "milling2.ron"]);
    assert_eq!(completed(&["sweep", "milling-v"]), ["milling-view"]);
    assert_eq!(completed(&["list", "BinaryF"]), ["BinaryFov"]);
    assert_eq!(completed(&["list", "motio"]), ["motions"]);
    assert_eq!(completed(&["run", "--metric", "Circli"]), ["Circliness"]);
    assert_eq!(completed(&["record", "milling", "--overlay", "clock,tr"]), ["clock,trails"]);
    assert_eq!(completed(&["man", "sweep-m"]), ["sweep-merge"]);
    assert_eq!(completed(&["figure", "milling"]), ["milling2.ron"]);
    assert!(completed(&["run", "--seed", ""]).is_empty());
    // Options without an effect on a verb are not named.
    assert!(completed(&["run", "--"]).contains(&"--lenient".to_owned()));
    assert!(!completed(&["list", "--"]).iter().any(|option| ["--lenient", "--seed"].contains(&option.as_str())));
    place.expect(2, "completions tcsh");
}

#[test]
fn the_manual_has_a_page_for_each_verb() {
    let place = Place::new();
    let page = place.expect(0, "man").stdout;
    assert!(page.contains(".TH swarmarium 1") && page.contains("swarmarium\\-run(1)"), "{page}");
    for section in ["EXAMPLES", "ENVIRONMENT", "\"EXIT STATUS\""] {
        assert!(page.contains(&format!(".SH {section}\n.nf")), "{section}: {page}");
    }
    let run = place.expect(0, "man run").stdout;
    assert!(run.contains("Length of a unit of a drawing"), "{run}");
    assert!(run.contains(".TH swarmarium-run 1") && run.contains("SEE ALSO"), "{run}");
    let place_of = |heading: &str| run.find(&format!(".SH {heading}\n")).unwrap_or_else(|| panic!("{heading}: {run}"));
    assert!(place_of("ARGUMENTS") < place_of("OPTIONS"), "{run}");
    assert!(run.contains("SWARMARIUM_RUNS") && !run.contains("SWARMARIUM_SWEEPS"), "{run}");
    let sweep = place.expect(0, "man sweep").stdout;
    assert!(sweep.contains(r"swarmarium(1), swarmarium\-sweep\-merge(1), "), "{sweep}");
    assert!(place.expect(0, "man sweep-merge").stdout.contains("swarmarium sweep merge [OPTIONS] <DIR>"));
    assert!(place.expect(2, "man rum").stderr.contains("did you mean `run`"));
    std::fs::create_dir(place.path("man1")).unwrap();
    place.expect(0, "man -o man1");
    let names = place.names("man1");
    for verb in ["", "-run", "-sweep", "-list", "-sweep-merge", "-completions", "-man"] {
        assert!(names.contains(&format!("swarmarium{verb}.1")), "{names:?}");
    }
}

#[test]
fn the_version_names_the_build() {
    let place = Place::new();
    let said = place.expect(0, "--version").stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with(concat!("swarmarium ", env!("CARGO_PKG_VERSION"))), "{said}");
    assert!(lines[1].starts_with("features: ") && lines[1].contains("robotswarmsimulator"), "{said}");
    assert!(lines[2].starts_with("target: "), "{said}");
    assert_eq!(place.expect(0, "-V").stdout, format!("{}\n", lines[0]));
    place.expect(0, "run milling --steps 2 --quiet -o run");
    let manifest = place.json("run/manifest.json");
    assert_eq!((&manifest["program"], &manifest["version"]), (&"swarmarium".into(), &env!("CARGO_PKG_VERSION").into()));
    match manifest["commit"].as_str() {
        // The line shows the beginning of the commit.
        Some(commit) => assert!(lines[0].contains(&commit[..10]), "{said}"),
        None => assert!(!lines[0].contains("commit"), "{said}"),
    }
}

#[test]
fn the_environment_sets_jobs_folders_and_progress() {
    let place = Place::new();
    let with = |variable: &str, value: &str, arguments: &str| -> super::Said {
        place.command(arguments).env(variable, value).output().unwrap().into()
    };
    assert_eq!(with("SWARMARIUM_RUNS", "results/runs", "run milling --steps 2 --quiet").code, Some(0));
    assert!(place.has("results/runs/milling-7/manifest.json"));
    let sweep = "sweep milling --repeat 2 --steps 2";
    assert_eq!(with("SWARMARIUM_SWEEPS", "studies", &format!("{sweep} --quiet")).code, Some(0));
    assert!(place.has("studies/milling/summary.csv"));
    let dry = format!("{sweep} --dry-run");
    assert!(with("SWARMARIUM_JOBS", "3", &dry).stdout.contains("with 3 jobs"));
    assert!(with("SWARMARIUM_JOBS", "3", &format!("{dry} -j 1")).stdout.contains("with 1 job"));
    let refused = with("SWARMARIUM_JOBS", "many", &dry).stderr;
    assert_eq!(refused, "error: SWARMARIUM_JOBS: expected an integer from 1 to 256, found `many`\n");
    // A run has no jobs.
    assert_eq!(with("SWARMARIUM_JOBS", "3", "run milling --steps 2 --quiet -o run").code, Some(0));

    let progress = |said: super::Said| said.stderr.contains('%');
    assert!(progress(place.expect(0, "run milling --steps 20 -o a")));
    assert!(!progress(place.expect(0, "run milling --steps 20 -o b --no-progress")));
    assert!(!progress(with("SWARMARIUM_NO_PROGRESS", "1", "run milling --steps 20 -o c")));
}
