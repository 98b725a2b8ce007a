//! Reports of small sweeps.

use std::collections::BTreeMap;

use super::*;
use crate::charts::tests::Made;
use crate::summary;

const PLAN: &str = r#"Plan(
    name: "<script>alert(1)</script> & more",
    about: "Does a < b?",
    scene: "x",
    stop: (steps: 20),
    repetitions: 3,
    factors: [(path: "groups[0].count", values: List([2, 4]))],
    measures: [(name: "speed_m_per_s", of: "average_speed_m_per_s", take: Mean), (name: "moved", of: "average_speed_m_per_s > 0.1", take: TimeUntil())],
    expect: [
        (measure: "speed_m_per_s", value: 0.27, tolerance: 0.1, source: "https://example.org/paper"),
        (measure: "speed_m_per_s", at: [2], value: 99),
    ],
    keep: (series_every_steps: 5),
)"#;

fn report(path: &Path, plan: &str, most: u64) -> Made {
    let made = Made::new(path, plan, most);
    let checked = summary::check(&made.sweep, &made.results.summaries);
    write(&made.sweep, &made.folder, &made.results, &made.charts(), &checked).unwrap();
    made
}

/// The bytes of the report and of all figures.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let figures = fs::read_dir(path.join(FIGURES)).unwrap().map(|entry| entry.unwrap().path());
    let paths = figures.chain([path.join(REPORT)]);
    paths.map(|path| (shown(path.file_name().unwrap()), fs::read(&path).unwrap())).collect()
}

#[test]
fn a_report_has_the_same_bytes_wherever_its_folder_lies() {
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let nested = other.path().join("a b");
    let made = report(one.path(), PLAN, u64::MAX);
    report(&nested, PLAN, u64::MAX);
    let found = files(one.path());
    assert_eq!(found, files(&nested));
    for (name, _) in made.charts() {
        assert!(found.contains_key(&format!("{name}.svg")), "{name}");
        assert_eq!(found.contains_key(&format!("{name}.png")), cfg!(feature = "video"), "{name}");
    }
}

#[test]
fn a_report_is_one_safe_file_with_the_command_of_each_run() {
    let folder = tempfile::tempdir().unwrap();
    report(folder.path(), PLAN, u64::MAX);
    let html = fs::read_to_string(folder.path().join(REPORT)).unwrap();
    assert!(!html.contains("<script>alert") && html.contains("&lt;script&gt;alert(1)"));
    for loads in ["src=", "href=\"h", "@import", "url("] {
        assert!(!html.contains(loads), "{loads}");
    }
    for run in ["1-1", "1-3", "2-3"] {
        assert!(html.contains(&format!("<code>swarmarium open runs/{run}</code>")), "{run}");
    }
    for text in [
        "2 points × 3 repetitions = 6 runs.",
        "All runs are done, and no run failed.",
        "2 of 3 expectations are met.",
        "✗ not met",
        "seeds, 7 to 9 (common",
        "Mean (m&#x2f;s)",
        "Plan(",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert_eq!(html.matches("<svg ").count(), 6);
}

#[test]
fn an_interrupted_sweep_has_a_report() {
    let folder = tempfile::tempdir().unwrap();
    report(folder.path(), PLAN, 4);
    let html = fs::read_to_string(folder.path().join(REPORT)).unwrap();
    assert!(html.contains("Incomplete: 4 of 6 runs are done") && !html.contains("runs/1-3<"));
    let empty = tempfile::tempdir().unwrap();
    let made = report(empty.path(), PLAN, 0);
    write(&made.sweep, &made.folder, &Results::default(), &[], &[]).unwrap();
    let html = fs::read_to_string(empty.path().join(REPORT)).unwrap();
    assert!(html.contains("Incomplete: 0 of 6 runs are done") && !html.contains("<table>"));
}

#[test]
fn runs_that_fail_are_listed_with_their_errors() {
    let folder = tempfile::tempdir().unwrap();
    let made = Made::new(folder.path(), PLAN, 5);
    let run = Run { point: 1, repetition: 2 };
    let error = "the pose of agent 3 (a & b) is not finite\u{1b}[0m".to_owned();
    let failed = crate::Outcome { error: Some(error), ..crate::Outcome::default() };
    made.folder.log(crate::Shard { index: 2, count: 2 }).unwrap().append(made.sweep.key(run), &failed).unwrap();
    let made = report(folder.path(), PLAN, u64::MAX);
    assert_eq!(made.results.failed.len(), 1);
    let html = fs::read_to_string(folder.path().join(REPORT)).unwrap();
    assert!(html.contains("(a &amp; b) is not finite\u{fffd}[0m") && html.contains("1 of them failed"));
    assert!(made.charts().iter().all(|(_, figure)| figure.full_caption().contains("1 run failed.")));
}

#[test]
fn figures_of_an_earlier_plan_are_deleted_and_other_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let pictures = folder.path().join(FIGURES);
    report(folder.path(), PLAN, u64::MAX);
    for name in ["moved-map.svg", "moved-by-range_m.png", "paper.svg", "moved-map.txt"] {
        fs::write(pictures.join(name), "").unwrap();
    }
    report(folder.path(), PLAN, u64::MAX);
    let found = files(folder.path());
    assert!(!found.contains_key("moved-map.svg") && !found.contains_key("moved-by-range_m.png"));
    assert!(found.contains_key("paper.svg") && found.contains_key("moved-map.txt"));
}

/// Writes reports to the folder that `REPORTS` names, for a person to look at.
#[test]
fn reports_are_written_for_inspection() {
    let Some(folder) = std::env::var_os("REPORTS").map(std::path::PathBuf::from) else { return };
    report(&folder.join("small"), PLAN, u64::MAX);
    let head = "Plan(name: \"Milling by field of view\", about: \"Which sensors and turn rates make robots mill?\\nA second \
                line.\", scene: \"milling\", stop: (time_s: 20), repetitions: 6";
    let measures = "measures: [(name: \"circliness\", of: \"circliness\", take: Mean, over: Last(5)), (name: \
                    \"time_to_mill_s\", of: \"circliness > 0.6\", take: TimeUntil(hold_s: 0.5)), (name: \"mills\", of: \
                    \"circliness > 0.6\", take: Reached())]";
    let angle = "(path: \"groups[0].sensors[0].half_angle_rad\", values: Range(from: 0.2, to: 1.2, count: 6))";
    let range = "(path: \"groups[0].sensors[0].range_m\", values: LogRange(from: 0.5, to: 8, count: 5))";
    let count = "(path: \"groups[0].count\", values: List([3, 6]))";
    let kinds = "(path: \"groups[0].body\", values: List([Disc(radius_m: 0.1), Disc(radius_m: 0.2)]))";
    for (name, more) in [
        ("grid", format!("factors: [{angle}, {range}], keep: (series_every_steps: 20)")),
        ("one", format!("factors: [{range}], seeds: Independent")),
        ("three", format!("factors: [{angle}, {range}, {count}]")),
        ("names", format!("factors: [{kinds}, {count}]")),
        ("sampled", format!("factors: [{angle}, {range}, {count}], sampling: Sobol(points: 64)")),
    ] {
        report(&folder.join(name), &format!("{head}, {measures}, {more})"), u64::MAX);
    }
}
