//! What a user begins with: a scene of one's own, help of shells, the version, and settings of the environment.

use super::{Place, Said};

/// The completions of the last of some words, as the script for Bash asks for them.
#[track_caller]
fn completed(place: &Place, words: &[&str]) -> Vec<String> {
    let mut command = place.command("");
    command.env("SWARMARIUM_COMPLETE", "bash").env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let said: Said = command.args(["--", "swarmarium"]).args(words).output().unwrap().into();
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{words:?}");
    said.stdout.lines().map(str::to_owned).collect()
}

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
    let completed = |words: &[&str]| completed(&place, words);
    assert_eq!(completed(&["ver"]), ["verify"]);
    assert_eq!(completed(&["run", "millin"]), ["milling", "milling2.ron"]);
    assert_eq!(completed(&["sweep", "milling-v"]), ["milling-view"]);
    assert_eq!(completed(&["list", "BinaryF"]), ["BinaryFov"]);
    assert_eq!(completed(&["list", "motio"]), ["motions"]);
    assert_eq!(completed(&["run", "--metric", "Circli"]), ["Circliness"]);
    assert_eq!(completed(&["record", "milling", "--overlay", "clock,tr"]), ["clock,trails"]);
    assert_eq!(completed(&["man", "sweep-m"]), ["sweep-merge"]);
    assert!(completed(&["run", "--seed", ""]).is_empty());
    // Options follow a dash.
    assert!(completed(&["run", ""]).contains(&"milling".to_owned()));
    assert!(!completed(&["run", ""]).iter().any(|word| word.starts_with('-')));
    assert!(completed(&["run", "milling", "-"]).contains(&"--steps".to_owned()));
    assert_eq!(
        completed(&["bench", "--only", "milling/10,A/10"]),
        ["milling/10,A/10", "milling/10,A/100", "milling/10,A/1000", "milling/10,A/10000", "milling/10,A/100000"]
    );
    assert_eq!(completed(&["record", "milling", "--camera", "fo"]), ["follow:millers"]);
    assert_eq!(completed(&["run", "milling", "--until", "step > 9 && circl"]), ["step > 9 && circliness"]);
    // Options without an effect on a verb are not named.
    assert!(completed(&["run", "--"]).contains(&"--lenient".to_owned()));
    assert!(!completed(&["list", "--"]).iter().any(|option| ["--lenient", "--seed"].contains(&option.as_str())));
    place.expect(2, "completions tcsh");
}

#[test]
fn lists_complete_the_kinds_of_their_family() {
    let place = Place::new();
    let completed = |words: &[&str]| completed(&place, words);
    let lists = completed(&["list", ""]);
    assert!(lists.contains(&"sensors".to_owned()) && !lists.contains(&"BinaryFov".to_owned()), "{lists:?}");
    assert_eq!(completed(&["list", "sensors", "Bi"]), ["BinaryFov"]);
    assert_eq!(completed(&["list", "metrics", "Circli"]), ["Circliness"]);
    assert_eq!(completed(&["list", "metrics", "circli"]), ["Circliness"]);
    assert!(completed(&["list", "sensors", "Circli"]).is_empty());
    assert!(completed(&["list", "scenes", "mill"]).is_empty());
    for all in ["kinds", "Circliness"] {
        assert_eq!(completed(&["list", all, "BinaryF"]), ["BinaryFov"]);
    }
    // The rule that finds the family of a list holds for all of them.
    for (list, kind) in [("losses", "Bernoulli"), ("behaviours", "GoToGoal"), ("noises", "Gaussian")] {
        assert_eq!(completed(&["list", list, kind]), [kind], "{list}");
        assert!(completed(&["list", list, "BinaryF"]).is_empty(), "{list}");
    }
}

#[test]
fn parameters_are_those_of_the_scene_on_the_command_line() {
    let place = Place::new();
    let completed = |words: &[&str]| completed(&place, words);
    assert_eq!(completed(&["run", "milling", "--set", "groups.millers.cou"]), ["groups.millers.count="]);
    assert_eq!(completed(&["run", "milling", "--set=groups.millers.cou"]), ["--set=groups.millers.count="]);
    // A path may name a group by its index.
    assert_eq!(completed(&["run", "milling", "--set", "groups.0.cou"]), ["groups.0.count="]);
    assert_eq!(completed(&["run", "milling", "--set", "groups[0].cou"]), ["groups[0].count="]);
    // The present value, and choices.
    assert_eq!(completed(&["run", "milling", "--set", "groups.millers.count="]), ["groups.millers.count=6"]);
    assert_eq!(completed(&["run", "milling", "--set", "on_collision=Pu"]), ["on_collision=Push"]);
    let choices = ["spawn_before_first_step=false", "spawn_before_first_step=true"];
    assert_eq!(completed(&["run", "milling", "--set", "spawn_before_first_step="]), choices);
    let binary = completed(&["run", "milling", "--set", "groups.millers.controller=Bi"]);
    assert_eq!(binary, ["groups.millers.controller=Binary", "groups.millers.controller=Bits"]);
    // Constants, and the scenes of plans.
    assert_eq!(completed(&["run", "formation", "--set", "PACKET_L"]), ["PACKET_LOSS="]);
    for plan in ["milling", "milling.sweep", "milling-view"] {
        assert_eq!(completed(&["sweep", plan, "--vary", "groups.millers.cou"]), ["groups.millers.count="], "{plan}");
    }
    assert_eq!(completed(&["sweep", "milling", "--measure", "median circ"]), ["median circliness"]);
    assert_eq!(completed(&["sweep", "milling", "--measure", "time until circ"]), ["time until circliness"]);
    // No scene, or an invalid one.
    place.write("broken.ron", "(");
    for words in [["run", "--set", "groups."].as_slice(), &["run", "broken.ron", "--set", "groups."]] {
        assert!(completed(words).is_empty(), "{words:?}");
    }
    // The command `run` is not the run folder of this name.
    place.expect(0, "run obstacles --steps 2 --quiet -o run");
    assert_eq!(completed(&["run", "milling", "--set", "groups.millers.cou"]), ["groups.millers.count="]);
    assert!(completed(&["run", "run", "--set", "groups.millers."]).is_empty());
}

#[test]
fn folders_complete_and_give_names() {
    let place = Place::new();
    place.expect(0, "run milling --steps 2 --quiet -o first");
    place.expect(0, "sweep milling --repeat 2 --steps 2 --quiet -o second");
    place.write("file", "");
    let bookmark = "(name: \"wall\", branch: \"main\", step: 1)";
    let timeline = format!("(present: \"main\", branches: [(name: \"main\", steps: 2)], bookmarks: [{bookmark}])");
    place.write("first/timeline.ron", timeline);
    let completed = |words: &[&str]| completed(&place, words);
    for words in [
        ["run", "milling", "-o", "fi"].as_slice(),
        &["run", "milling", "--output=fi"],
        &["serve", "milling", "-o", "fi"],
        &["sweep", "milling", "-o", "fi"],
        &["sweep", "submit", "milling", "-o", "fi"],
        &["sweep", "merge", "fi"],
        &["sweep", "merge", "second", "fi"],
        &["sweep", "status", "fi"],
        &["man", "-o", "fi"],
        &["figure", "fi"],
    ] {
        let prefix = if words.contains(&"--output=fi") { "--output=" } else { "" };
        assert_eq!(completed(words), [format!("{prefix}first/")], "{words:?}");
    }
    assert_eq!(completed(&["run", "milling", "--edits", "fi"]), ["file", "first/"]);
    // With a moment, `figure` draws a scene, too.
    assert!(completed(&["figure", "milling"]).is_empty());
    assert!(completed(&["figure", "--at", "1s", "milling"]).contains(&"milling".to_owned()));

    assert_eq!(completed(&["figure", "first", "circli"]), ["circliness"]);
    assert_eq!(completed(&["figure", "second", "circli"]), ["circliness-boxes"]);
    assert_eq!(completed(&["figure", "second", "--kind", "b"]), ["boxes"]);
    assert_eq!(completed(&["record", "milling", "--plot", "circli"]), ["circliness"]);
    assert_eq!(completed(&["run", "first", "--at", "wa"]), ["wall"]);
    assert_eq!(completed(&["record", "first", "--from", "wa"]), ["wall"]);
    assert_eq!(completed(&["figure", "first", "--branch", "m"]), ["main"]);
    assert!(completed(&["run", "second", "--at", "wa"]).is_empty());
}

#[test]
fn files_that_fit_complete() {
    let place = Place::new();
    for file in ["mine.ron", "mine.sweep.ron", "mine.mp4", "mine.luau", "mine.world", "mine.swarm"] {
        place.write(file, "");
    }
    let completed = |words: &[&str]| completed(&place, words);
    let (scenes, all) =
        (["mine.ron", "mine.swarm", "mine.world"], ["mine.ron", "mine.swarm", "mine.sweep.ron", "mine.world"]);
    assert_eq!(completed(&["run", "mine."]), scenes);
    assert_eq!(completed(&["record", "mine."]), scenes);
    assert_eq!(completed(&["sweep", "mine."]), all);
    assert_eq!(completed(&["open", "mine."]), all);
    // A file without a verb opens, unless a verb begins so.
    assert_eq!(completed(&["mine."]), all);
    assert_eq!(completed(&["sw"]), ["sweep"]);
    assert!(!completed(&[""]).iter().any(|word| word.starts_with("mine")));
}

#[test]
fn pages_of_the_manual_complete_in_one_word_and_in_two() {
    let place = Place::new();
    let completed = |words: &[&str]| completed(&place, words);
    assert_eq!(completed(&["man", "sweep-m"]), ["sweep-merge"]);
    assert_eq!(completed(&["man", "sweep", "m"]), ["merge"]);
    assert_eq!(completed(&["man", "rec"]), ["record"]);
    assert!(completed(&["man", "run", "m"]).is_empty());
}

/// Bash splits words at the marks `=` and `:`.
#[test]
#[cfg(unix)]
fn bash_completes_words_with_marks() {
    let place = Place::new();
    place.write("script.bash", place.expect(0, "completions bash").stdout);
    std::fs::create_dir(place.path("my dir")).unwrap();
    std::fs::create_dir(place.path("o$(1)")).unwrap();
    let registered = place.command("").env("SWARMARIUM_COMPLETE", "bash").output().unwrap();
    assert_eq!(String::from_utf8(registered.stdout).unwrap(), place.read("script.bash"));
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_swarmarium")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    // Bash calls the registered function with the program and the last part of the line.
    let completed = |line: &str, parts: &str, last: &str| {
        let script = format!(
            "source script.bash\n\
             registered=$(complete -p swarmarium); registered=${{registered#*-F }}\n\
             COMP_LINE='{line}'; COMP_WORDS=({parts}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             ${{registered% *}} swarmarium '{last}' ''\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        bash.args(["--norc", "-c", &script]).env("PATH", &path).current_dir(place.path("."));
        let said: Said = bash.output().unwrap().into();
        said.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for (line, parts, last, expected) in [
        ("--color al", "--color al", "al", ["always"].as_slice()),
        ("--color=al", "--color = al", "al", &["always"]),
        ("--color=", "--color =", "", &["auto", "always", "never"]),
        ("--set=groups.millers.cou", "--set = groups.millers.cou", "groups.millers.cou", &["groups.millers.count="]),
        ("--set groups.millers.count=", "--set groups.millers.count =", "", &["6"]),
        // Words before the last one are joined, too, unless there are blanks.
        ("--set a=b:c --color=al", "--set a = b : c --color = al", "al", &["always"]),
        ("--metric = --color al", "--metric = --color al", "al", &["always"]),
        // A blank of a name has a backslash, or is in quotes, of which Bash leaves out the first one.
        (r"-o my\ d", r"-o 'my\ d'", r"my\ d", &[r"my\ dir/"]),
        ("-o \"my d", "-o '\"my d'", "my d", &["my dir/"]),
        (r"-o o$", r"-o 'o$'", "o$", &[r"o\$\(1\)/"]),
        // Words before the last one can be in quotes.
        ("--set \"a=b\" --color al", "--set '\"a=b\"' --color al", "al", &["always"]),
    ] {
        let [line, parts] = [line, parts].map(|rest| format!("swarmarium run milling {rest}"));
        assert_eq!(completed(&line, &parts, last), expected, "{line}");
    }
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
    assert!(run.contains("swarmarium\\-sweep(1)") && run.contains("swarmarium\\-verify(1)"), "{run}");
    let sweep = place.expect(0, "man sweep").stdout;
    assert!(sweep.contains(r"swarmarium(1), swarmarium\-sweep\-merge(1), "), "{sweep}");
    assert!(place.expect(0, "man sweep-merge").stdout.contains("swarmarium sweep merge [OPTIONS] <DIR>"));
    assert!(place.expect(2, "man rum").stderr.contains("did you mean `run`"));
    // Words of code are bold, and only the program as a whole lists its files.
    assert!(!page.contains('`') && page.contains("opens the window on the scene \\fBmilling\\fR"), "{page}");
    assert!(page.contains(".SH FILES\n") && !run.contains("FILES\n"), "{page}");
    std::fs::create_dir(place.path("man1")).unwrap();
    place.expect(0, "man -o man1");
    let names = place.names("man1");
    for verb in ["", "-run", "-sweep", "-list", "-sweep-merge", "-completions", "-man"] {
        assert!(names.contains(&format!("swarmarium{verb}.1")), "{names:?}");
    }
}

#[test]
fn pages_of_the_manual_describe_a_command_once() {
    let place = Place::new();
    let page = |verb: &str| {
        let said = place.expect(0, &format!("man {verb}"));
        assert_eq!(said.stderr, "", "stdout is not a terminal");
        said.stdout
    };
    let run = page("run");
    assert_eq!(run.matches("Run a scene headless").count(), 1, "{run}");
    assert!(run.contains(".SH DESCRIPTION\nThe folder contains manifest.json"), "{run}");
    let program = page("");
    assert_eq!(program.matches("Simulate swarms of robots").count(), 1, "{program}");
    assert!(program.contains(".SH DESCRIPTION\nWithout a command"), "{program}");
    // The short text says all.
    assert!(!page("sweep merge").contains("DESCRIPTION"));
}

#[test]
fn pages_of_the_manual_have_the_exit_statuses_of_their_command() {
    let place = Place::new();
    for (verb, statuses) in [
        ("", "0 1 2 3 4 130"),
        ("run", "0 2 3 4 130"),
        ("sweep merge", "0 2 3 4 130"),
        ("sweep status", "0 2"),
        ("figure", "0 2 3 4 130"),
        ("share", "0 2 3 4 130"),
        ("verify", "0 2 4 130"),
        ("check", "0 2"),
        ("list", "0 2"),
    ] {
        let page = place.expect(0, &format!("man {verb}")).stdout;
        let section = page.split(".SH ").find(|section| section.starts_with("\"EXIT STATUS\"")).unwrap();
        let words = section.lines().filter_map(|line| line.split_whitespace().next());
        let found: Vec<&str> = words.filter(|word| word.parse::<u8>().is_ok()).collect();
        assert_eq!(found.join(" "), statuses, "{verb}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_manual_on_a_terminal_is_shown_by_the_viewer_of_the_system() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::new();
    std::fs::create_dir(place.path("bin")).unwrap();
    let shows_after = |script: &str| {
        place.write("bin/man", script);
        std::fs::set_permissions(place.path("bin/man"), std::fs::Permissions::from_mode(0o755)).unwrap();
        on_terminal(&place, 0, "man run")
    };
    let Some(shown) = shows_after("#!/bin/sh\necho viewer \"$@\"\ngrep -c '^.TH '\n") else { return };
    assert_eq!(shown.replace('\r', ""), "viewer -l -\n1\n");
    let source = shows_after("#!/bin/sh\nexit 1\n").unwrap();
    assert!(source.contains(".TH swarmarium-run 1"), "{source}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_shows_the_line_of_a_problem() {
    let place = Place::new();
    place.write("s.ron", "(\n  seed: -1,\n)");
    let Some(told) = on_terminal(&place, 2, "check --color never s.ron") else { return };
    let (message, excerpt) = told.split_once("\r\n").unwrap();
    assert!(message.starts_with("error: s.ron:2:9: seed: expected an integer"), "{told}");
    assert_eq!(excerpt, "  2 |   seed: -1,\r\n    |         ^\r\n");
}

/// What a command prints on a terminal. `script` gives it one; a system without `script` cannot test this: `None`.
#[cfg(target_os = "linux")]
fn on_terminal(place: &Place, code: i32, arguments: &str) -> Option<String> {
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let command = format!("'{}' {arguments}", env!("CARGO_BIN_EXE_swarmarium"));
    let mut script = std::process::Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .env("PATH", path)
        .current_dir(place.path("."))
        .stdin(std::process::Stdio::null());
    let said = Said::from(script.output().ok()?);
    assert_eq!(said.code, Some(code), "{arguments}: {}", said.stdout);
    Some(said.stdout)
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
    let with = |variable: &str, value: &str, arguments: &str| -> Said {
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

    let progress = |said: Said| said.stderr.contains('%');
    assert!(progress(place.expect(0, "run milling --steps 20 -o a")));
    assert!(!progress(place.expect(0, "run milling --steps 20 -o b --no-progress")));
    assert!(!progress(with("SWARMARIUM_NO_PROGRESS", "1", "run milling --steps 20 -o c")));
}
