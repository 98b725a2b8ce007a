//! `figure`: figures of run folders and sweep folders for papers.

use std::fs;

use super::Place;

const PLAN: &str = r#"Plan(
    name: "Test",
    scene: "milling",
    factors: [(path: "groups.millers.count", values: List([4, 6]))],
    repetitions: 4,
    stop: (steps: 200),
    measures: [
        (name: "average_speed_m_per_s", take: Mean, over: Last(2.5)),
        (name: "time until mill (s)", of: "circliness > 0.1", take: TimeUntil()),
    ],
    keep: (series_every_steps: 50),
)
"#;

/// A sweep with one factor, in the folder `study`.
fn swept() -> Place {
    let place = Place::new();
    place.write("a.sweep.ron", PLAN);
    place.expect(0, "sweep a.sweep.ron -q -o study");
    place
}

fn text(place: &Place, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(place.path(name)).unwrap()).into_owned()
}

#[test]
fn a_sweep_has_a_figure_for_each_measure_and_kind() {
    let place = swept();
    let listed = place.expect(0, "figure study --list").stdout;
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let expected = [
        "average_speed_m_per_s-curve",
        "average_speed_m_per_s-boxes",
        "time_until_mill__s_-curve",
        "circliness-over-time",
        "average_speed_m_per_s-over-time",
    ];
    assert!(expected.iter().all(|name| names.contains(name)), "{listed}");
    assert!(listed.contains("Average speed by number of robots"), "{listed}");
    assert!(listed.contains("Median time until mill by number of robots"), "{listed}");
    let said = place.expect(0, "figure study");
    let caption = "Average speed, mean over the last 2.5 s. n = 4 runs at each point. Line: mean; bar: 95 %";
    assert!(said.stdout.contains(caption), "{}", said.stdout);
    let band = place.expect(0, "figure study --interval band -o band.pdf").stdout;
    assert!(band.contains("Line: mean; band: 95 %"), "{band}");
    let time = place.expect(0, "figure study time -o t.pdf").stdout;
    assert!(time.contains("Time until circliness > 0.1. n = 4 runs"), "{time}");
    assert!(said.stderr.contains("average_speed_m_per_s-curve.pdf: 85 × 60 mm"), "{}", said.stderr);
    assert!(said.stderr.contains("--list"), "{}", said.stderr);
    let file = text(&place, "average_speed_m_per_s-curve.pdf");
    // 85 by 60 mm in points, and embedded fonts.
    assert!(file.starts_with("%PDF") && file.contains("/MediaBox [0 0 240.945 170.079]"), "{}", &file[..600]);
    assert!(file.contains("/FontFile2") && file.contains("+Ubuntu-Light"));
}

#[test]
fn several_names_are_panels_of_one_figure_in_several_files() {
    let place = swept();
    let said = place.expect(
        0,
        "figure study average_speed_m_per_s time_until_mill__s_-curve --width-mm 170 --font-pt 9pt -o f.svg -o f.pdf",
    );
    assert!(said.stderr.contains("f.svg, f.pdf: 170 × 66 mm"), "{}", said.stderr);
    assert!(said.stdout.starts_with("(a) Average speed") && said.stdout.contains("(b) Median time until mill"));
    let svg = text(&place, "f.svg");
    assert!(svg.contains("width=\"170mm\" height=\"66mm\"") && !svg.contains("<text"));
    for label in ["(a)", "(b)", "Number of robots", "Average speed (m/s)", "Median time until mill (s)"] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "{label}");
    }
    place.expect(0, "figure study time_until_mill__s_-curve --editable-text --x-label N --y-label T -o t.svg -q");
    let editable = text(&place, "t.svg");
    assert!(editable.contains(">N</text>") && editable.contains(">T</text>") && !editable.contains("Count"));
    // Lowered letters are texts of their own, and plain names stay.
    place.expect(0, "figure study --editable-text --x-label range_m --y-label v_a --y-range 0..1 -o v.svg -q");
    let lowered = text(&place, "v.svg");
    assert!([">range_m</text>", ">v</text>", ">a</text>", ">1.0</text>"].iter().all(|text| lowered.contains(text)));
    let huge = place.expect(2, "figure study --y-range 0..1e200 -o h.svg").stderr;
    assert!(huge.contains("--y-range: expected numbers from -1e150 to 1e150"), "{huge}");
    let cut = place.expect(0, "figure study average_speed_m_per_s-boxes --x-range 3..5 -o c.svg").stdout;
    assert!(cut.contains("4 runs are beyond the axes."), "{cut}");
    let again = place.expect(2, "figure study -o f.pdf").stderr;
    assert!(again.contains("f.pdf: exists already; --overwrite replaces it"), "{again}");
    let quiet = place.expect(0, "figure study -o f.pdf --overwrite -q");
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
}

#[test]
fn all_figures_of_a_kind_are_written_to_a_folder() {
    let place = swept();
    place.expect(0, "figure study --all --kind over-time --format pdf,svg -o out -q");
    let names = place.names("out");
    assert!(names.len() >= 4 && names.iter().all(|name| name.contains("-over-time.")), "{names:?}");
    place.expect(0, "figure study --all --kind over-time --format pdf,svg -o again -q");
    for name in names {
        assert!(text(&place, &format!("out/{name}")) == text(&place, &format!("again/{name}")), "{name}");
    }
}

#[test]
fn a_run_has_its_metrics_over_time_and_its_world() {
    let place = Place::new();
    place.expect(0, "run milling --steps 200 -q -o run");
    let listed = place.expect(0, "figure run --list").stdout;
    assert!(listed.starts_with("circliness") && listed.contains("Average speed over time"), "{listed}");
    place.expect(0, "figure run circliness average_speed_m_per_s --from 1s -o plots.svg");
    let plots = text(&place, "plots.svg");
    assert!(plots.contains("aria-label=\"Time (s)\"") && plots.contains("aria-label=\"Average speed (m/s)\""));
    let said = place.expect(0, "figure run --at 2s --overlay scale -o world.pdf -o world.svg");
    assert!(said.stdout.contains("at 2 s, step 80, seed"), "{}", said.stdout);
    let world = text(&place, "world.svg");
    assert!(world.contains("width=\"85mm\"") && world.matches("<circle").count() >= 6);
    place.expect(0, "figure milling --at 2s --overlay scale -o scene.svg -q");
    assert_eq!(text(&place, "scene.svg").matches("<circle").count(), world.matches("<circle").count());
}

#[test]
fn mistakes_name_the_nearest_figure_and_write_nothing() {
    let place = swept();
    place.expect(0, "run milling --steps 40 -q -o run");
    let before = place.names(".");
    let refused = |arguments: &str, text: &str| {
        let said = place.expect(2, arguments).stderr;
        assert!(said.contains(text), "{arguments}: {said}");
    };
    refused("figure study average_speed_m_per_s-curv", "did you mean `average_speed_m_per_s-curve`?");
    refused(
        "figure study average_speed_m_per_s-boxes --kind curve",
        "no figure `average_speed_m_per_s-boxes` of the kind `curve`",
    );
    refused("figure study --kind curv", "did you mean `curve`?");
    refused("figure study --kind curv", "Its kinds are boxes, curve and over-time");
    refused("figure run circlines", "did you mean `circliness`?");
    refused("figure run --kind curve", "--kind");
    refused("figure study -o f.pfd", "f.pfd: expected the extension pdf, svg or png, found `pfd`; did you mean `pdf`?");
    refused("figure study -o f", "expected the extension pdf, svg or png, found none");
    refused("figure study -o f.pdf -o f.pdf", "f.pdf: is given twice");
    refused("figure study -o f.pdf -o ./f.pdf --overwrite", "f.pdf: is given twice");
    refused("figure study --format svg,svg", ".svg: is given twice");
    refused("figure study --all -o one -o two", "--output two: --all writes all files to one folder");
    refused(
        "figure study -o f.pdf -o f.svg --dpi 600",
        "--dpi: is for PNG files, which are pixels; it has no effect on f.pdf, f.svg",
    );
    refused("figure study -o f.png --editable-text", "--editable-text: is for SVG files");
    refused("figure run --at 0.5s --dpi 600", "no effect on world.pdf");
    refused("figure study -o f.pdf --format svg", "--format");
    refused("figure study --width-mm 8.5cm", "expected millimetres from 20 to 1000");
    refused("figure study --font-pt 100", "expected points from 4 to 36");
    refused("figure study --camera fit", "add --at");
    refused("figure study --from 2", "study is a sweep folder");
    refused("figure run --from 2", "metrics.csv: has no row with --from 2 s: its rows are from 0.025 s to 1 s");
    refused("figure study --y-label v\u{2090}", "--y-label: the font has no `\u{2090}`");
    refused(
        "figure study --x-label \u{7fa4} --editable-text -o f.svg -o f.pdf",
        "--x-label: the font has no `\u{7fa4}`",
    );
    refused("figure study --y-range 1..0", "such as 0..1");
    refused("figure study --interval bar", "did you mean `bars`?");
    refused("figure study --width 85", "--width: there is no such option of `figure`; did you mean `--width-mm`?");
    refused("figure a.sweep.ron", "a.sweep.ron: is a plan; `swarmarium sweep a.sweep.ron` runs it");
    refused("figure study/summary.csv", "give the folder: study");
    refused("figure study --seed 3", "--seed");
    refused("figure study --at 3", "is a sweep folder");
    refused("figure run --at 400", "has no step 400");
    refused("figure milling", "expected a run folder or a sweep folder");
    refused("figure stydy", "no such");
    refused("figure study/runs/1-1", "swarmarium run");
    assert_eq!(place.names("."), before);
}

/// Robots that go straight away from an open arena.
const AWAY: &str = r#"(
    arena: (size_m: (2.0, 2.0), boundary: Open),
    groups: [(name: "away", at: [(0.3, 0.3, 0.0), (0.3, 0.9, 0.3), (0.3, 1.5, 0.6)], controller: Constant(v_m_per_s: 0.3))],
)
"#;

#[test]
fn an_open_arena_is_shown_with_the_robots_that_left_it() {
    let place = Place::new();
    place.write("away.ron", AWAY);
    place.expect(0, "figure away.ron --at 30s -o fit.svg");
    let warned = place.expect(0, "figure away.ron --at 30s --camera 1,1,1 -o place.svg").stderr;
    assert!(warned.contains("no robot is in view"), "{warned}");
    let fitted = place.expect(0, "figure away.ron --at 30s --camera fit -o again.svg").stderr;
    assert!(!fitted.contains("no robot"), "{fitted}");
    let robots = |name: &str| text(&place, name).matches("<circle").count();
    assert!(robots("fit.svg") >= 3 && robots("again.svg") == robots("fit.svg"), "{}", robots("fit.svg"));
}
