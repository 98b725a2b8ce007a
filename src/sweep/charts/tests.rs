//! Figures of small sweeps, which other tests use as well.

use std::path::Path;

use swarmarium_figure::FileOptions;
use swarmarium_formats::standard::Standard as _;
use swarmarium_scene::scene::reader;
use swarmarium_simulation::simulation::Recipe;

use super::*;
use crate::folder::{Folder, Shard};
use crate::resolved::{self, PlanText};
use crate::{tables, work};

const SCENE: &str = include_str!("../../../scenes/milling.ron");

/// A sweep that was made in a folder.
pub(crate) struct Made {
    pub sweep: Sweep,
    pub folder: Folder,
    pub results: Results,
}

impl Made {
    /// Makes the runs of a plan in a folder, and its tables; only the first ones with a limit.
    pub fn new(path: &Path, plan: &str, most: u64) -> Self {
        let sweep = Self::planned(plan).unwrap();
        let folder = Folder::join(path, &sweep).unwrap();
        let done = std::sync::atomic::AtomicU64::new(0);
        let is_stopped = || done.load(std::sync::atomic::Ordering::Relaxed) >= most;
        let finished = |_, _: &crate::Outcome, now| done.store(now, std::sync::atomic::Ordering::Relaxed);
        let host = work::Host { is_stopped: &is_stopped, finished: &finished, ..Default::default() };
        let log = folder.log(Shard::WHOLE).unwrap();
        work::work(&sweep, (folder.index().unwrap(), &log), Shard::WHOLE, 1, &host).unwrap();
        drop(log);
        let results = tables::write(&sweep, &folder, &folder.index().unwrap()).unwrap();
        Self { sweep, folder, results }
    }

    /// The sweep of a plan.
    pub fn planned(plan: &str) -> Result<Sweep, swarmarium_base::problem::Problems> {
        let recipe = Recipe::standard();
        let plan = resolved::read(&recipe, PlanText { name: "test", text: plan })?;
        let scene = reader::read(recipe.kinds(), "scene", SCENE)?;
        Sweep::of_scene(&recipe, plan, scene, PlanText { name: "test", text: "" })
    }

    pub fn charts(&self) -> Vec<(String, Figure)> {
        charts(&self.sweep, &self.results, &self.folder.index().unwrap())
    }
}

/// The text of an SVG file of a figure, with texts that are not outlines.
fn svg(figure: &Figure) -> String {
    figure.print().svg(&FileOptions { has_editable_text: true, ..FileOptions::default() })
}

/// The names of the figures of a plan with 20 steps, after a check of what every figure must have.
fn names(more: &str) -> Vec<String> {
    let path = tempfile::tempdir().unwrap();
    let made = Made::new(path.path(), &format!("Plan(scene: \"x\", stop: (steps: 20), {more})"), u64::MAX);
    let figures = made.charts();
    for (name, figure) in &figures {
        assert!(is_name(&made.sweep, name), "{name}");
        assert!(figure.caption.contains("n = "), "{name}: {}", figure.caption);
        assert!(!svg(figure).contains("No data"), "{name}");
    }
    figures.into_iter().map(|(name, _)| name).collect()
}

const ONE: &str = "measures: [(name: \"speed\", of: \"average_speed_m_per_s\", take: Mean)]";
const RANGE: &str = "(path: \"groups[0].sensors[0].range_m\", values: List([1, 2]))";
const COUNT: &str = "(path: \"groups[0].count\", values: List([2, 3, 4]))";
const TURN: &str = "(path: \"groups[0].controller.clear.turn_rad_per_s\", values: List([-0.6, -0.3]))";

#[test]
fn a_plan_without_factors_has_a_box_plot() {
    assert_eq!(names(&format!("{ONE}, repetitions: 6")), ["speed-boxes"]);
}

#[test]
fn a_factor_has_a_curve_and_box_plots() {
    assert_eq!(names(&format!("{ONE}, repetitions: 3, factors: [{RANGE}]")), ["speed-curve", "speed-boxes"]);
}

#[test]
fn ticks_stand_at_the_levels_of_a_factor() {
    let path = tempfile::tempdir().unwrap();
    let plan = |more: &str| format!("Plan(scene: \"x\", stop: (steps: 20), {ONE}, {more})");
    let axis = |name: &str, more: &str| {
        let made = Made::new(&path.path().join(name), &plan(more), 0);
        FactorAxis::all(&made.sweep)[0].axis()
    };
    assert_eq!(axis("list", &format!("factors: [{COUNT}]")).levels, [2.0, 3.0, 4.0]);
    let symbol = "(path: \"groups[0].count\", values: List([2, 3]), label: \"N_{robots}\")";
    assert_eq!(axis("symbol", &format!("factors: [{symbol}]")).label, "N_{robots}");
    let sampled = axis("sample", &format!("factors: [{COUNT}, {RANGE}], sampling: LatinHypercube(points: 3)"));
    assert!(sampled.levels.is_empty());
}

#[test]
fn two_factors_have_a_heat_map_and_curves() {
    assert_eq!(names(&format!("{ONE}, repetitions: 2, factors: [{RANGE}, {COUNT}]")), ["speed-map", "speed-curves"]);
}

#[test]
fn three_factors_and_samples_have_a_figure_for_each_factor() {
    let of_grid = names(&format!("{ONE}, factors: [{RANGE}, {COUNT}, {TURN}]"));
    assert_eq!(of_grid, ["speed-by-range_m", "speed-by-count", "speed-by-turn_rad_per_s"]);
    let sampled = names(&format!("{ONE}, factors: [{RANGE}, {COUNT}], sampling: LatinHypercube(points: 3)"));
    assert_eq!(sampled, ["speed-by-range_m", "speed-by-count"]);
}

#[test]
fn measures_of_conditions_have_no_box_plots() {
    let measures = "measures: [(name: \"a b\", of: \"average_speed_m_per_s > 0.1\", take: Reached()), \
                    (name: \"A_B\", of: \"average_speed_m_per_s > 0.1\", take: TimeUntil())]";
    assert_eq!(names(&format!("{measures}, repetitions: 3, factors: [{COUNT}]")), ["a_b-curve", "A_B_2-curve"]);
    assert_eq!(names(&format!("{measures}, repetitions: 3")), ["a_b-curve", "A_B_2-curve"]);
}

#[test]
fn series_have_a_figure_over_time_for_each_metric() {
    let found = names(&format!("{ONE}, repetitions: 3, factors: [{COUNT}], keep: (series_every_steps: 5)"));
    let over_time: Vec<_> = found.iter().filter(|name| name.ends_with("-over-time")).collect();
    assert_eq!(over_time.len(), 3, "{found:?}");
    assert_eq!(over_time[1], "average_speed_m_per_s-over-time");
}

#[test]
fn captions_tell_how_many_runs_are_missing_and_what_the_band_is() {
    let path = tempfile::tempdir().unwrap();
    let plan = format!("Plan(scene: \"x\", stop: (steps: 20), {ONE}, repetitions: 4, factors: [{COUNT}])");
    let made = Made::new(path.path(), &plan, 8);
    let (_, figure) = &made.charts()[0];
    for text in
        ["n = 2 to 3 runs at each point", "incomplete: 8 of 12 runs", "95 % bootstrap interval", "No run failed"]
    {
        assert!(figure.full_caption().contains(text), "{}", figure.full_caption());
    }
}

const UNTIL: &str = "measures: [(name: \"until fast (s)\", of: \"average_speed_m_per_s > 0.1\", take: TimeUntil()), \
                     (name: \"until never (s)\", of: \"average_speed_m_per_s > 100\", take: TimeUntil())]";

#[test]
fn points_without_a_median_have_marks_at_the_upper_edge() {
    let path = tempfile::tempdir().unwrap();
    let plan = format!("Plan(scene: \"x\", stop: (steps: 20), {UNTIL}, repetitions: 3, factors: [{COUNT}])");
    let charts = Made::new(path.path(), &plan, u64::MAX).charts();
    let Chart::Curves(reached) = &charts[0].1.chart else { panic!("another chart") };
    assert!(reached.beyond.is_empty() && reached.y.at_least == Some([0.0, 0.0]));
    let (name, figure) = &charts[1];
    let Chart::Curves(never) = &figure.chart else { panic!("another chart") };
    assert_eq!(name, "until_never__s_-curve");
    let marks: Vec<(f64, &str)> = never.beyond.iter().map(|mark| (mark.x, mark.label.as_str())).collect();
    assert_eq!(marks, [(2.0, "0/3"), (3.0, "0/3"), (4.0, "0/3")]);
    // Without a median, the axis has the length of the runs.
    assert!(never.y.at_least.is_some_and(|[low, high]| low == 0.0 && (0.45..0.55).contains(&high)));
    assert_eq!(never.y.label, "Median until never (s)");
    let caption = figure.full_caption();
    assert!(caption.starts_with("Time until average speed > 100 m/s. n = 3 runs at each point"), "{caption}");
    assert!(
        caption.contains("Open triangle: no median, as too few runs reached the event; 0/3: 0 of 3 runs."),
        "{caption}"
    );
    assert!(!caption.contains("no value") && !caption.contains("Arrow"), "{caption}");
    assert!(svg(figure).contains(">0/3</text>"));
}

#[test]
fn expected_values_are_marks_without_a_line() {
    let path = tempfile::tempdir().unwrap();
    let expect = "expect: [(at: [3], measure: \"speed\", value: 0.1, tolerance: 0.05, source: \"Doe\")]";
    let plan = format!("Plan(scene: \"x\", stop: (steps: 20), {ONE}, repetitions: 3, factors: [{COUNT}], {expect})");
    let (_, figure) = &Made::new(path.path(), &plan, u64::MAX).charts()[0];
    let Chart::Curves(curves) = &figure.chart else { panic!("another chart") };
    assert_eq!((curves.series.len(), curves.expected.as_slice()), (2, &[1][..]));
    let caption = figure.full_caption();
    assert!(caption.contains("; bar: 95 % bootstrap interval of the mean."), "{caption}");
    assert!(caption.contains("Hollow marks without a line: expected values"), "{caption}");
    let labels: Vec<String> = curves.series.iter().map(|series| series.label.to_string()).collect();
    assert_eq!(labels, ["found", "Doe"]);
}

/// Writes the figures of some sweeps to the folder that `FIGURES` names, for a person to look at.
#[test]
fn figures_of_sweeps_are_written_for_inspection() {
    let Some(folder) = std::env::var_os("FIGURES").map(std::path::PathBuf::from) else { return };
    let series = "keep: (series_every_steps: 10), stop: (steps: 200)";
    let until = "measures: [(name: \"time until mill (s)\", of: \"circliness > 0.55\", take: TimeUntil())]";
    let many = "(path: \"groups[0].count\", values: List([2, 4, 8, 16]), label: \"N_{robots}\")";
    let expect = "expect: [(at: [4], measure: \"speed\", value: 0.1, tolerance: 0.05, source: \"Doe\")]";
    let plans = [
        ("two", format!("{ONE}, repetitions: 6, factors: [{RANGE}, {COUNT}], {series}")),
        ("one", format!("{ONE}, repetitions: 8, factors: [{many}], stop: (steps: 100), {expect}")),
        ("until", format!("{until}, repetitions: 9, factors: [{many}], stop: (steps: 800)")),
        ("three", format!("{until}, repetitions: 3, factors: [{RANGE}, {COUNT}, {TURN}], stop: (steps: 400)")),
    ];
    for (plan_name, plan) in plans {
        let path = tempfile::tempdir().unwrap();
        for (name, figure) in Made::new(path.path(), &format!("Plan(scene: \"x\", {plan})"), u64::MAX).charts() {
            let print = swarmarium_figure::Layout { has_titles: true, has_captions: true, ..Default::default() }
                .print(&[figure]);
            std::fs::write(folder.join(format!("{plan_name}-{name}.pdf")), print.pdf(Default::default())).unwrap();
        }
    }
}

#[test]
fn triangles_of_several_points_are_counted() {
    let path = tempfile::tempdir().unwrap();
    let until = "measures: [(name: \"until never (s)\", of: \"average_speed_m_per_s > 100\", take: TimeUntil())]";
    let plan = format!("Plan(scene: \"x\", stop: (steps: 20), {until}, factors: [{RANGE}, {COUNT}, {TURN}])");
    let (_, figure) = &Made::new(path.path(), &plan, u64::MAX).charts()[0];
    let caption = figure.full_caption();
    let legend = "Open triangle: points without a median, with their number, as too few runs reached the event.";
    assert!(caption.contains(legend), "{caption}");
    let Chart::BoxPlots(boxes) = &figure.chart else { panic!("another chart") };
    assert!(boxes.beyond.iter().all(|mark| mark.label == "6 points"), "{:?}", boxes.beyond);
}

#[test]
fn titles_have_lowered_letters() {
    let path = tempfile::tempdir().unwrap();
    let many = "(path: \"groups[0].count\", values: List([2, 4]), label: \"N_{robots}\")";
    let speed = "measures: [(name: \"v_{mean}\", of: \"average_speed_m_per_s\", take: Mean)]";
    let plan = format!("Plan(scene: \"x\", stop: (steps: 20), {speed}, factors: [{many}])");
    let (_, figure) = &Made::new(path.path(), &plan, u64::MAX).charts()[0];
    assert_eq!(figure.title, "Mean v_{mean} by N_{robots}");
    let drawn = svg(figure);
    let texts = drawn.split_once("</desc>").map_or(drawn.as_str(), |(_, texts)| texts);
    assert!(!texts.contains("_{") && texts.matches(">robots<").count() == 2, "{texts}");
}

#[test]
fn no_runs_have_figures_without_data() {
    let path = tempfile::tempdir().unwrap();
    let made = Made::new(path.path(), &format!("Plan(scene: \"x\", {ONE}, factors: [{COUNT}])"), 0);
    assert!(made.charts().iter().all(|(_, figure)| svg(figure).contains("No data")));
    assert!(made.charts().iter().all(|(_, figure)| figure.full_caption().contains("0 of 3 runs")));
    let empty = charts(&made.sweep, &Results::default(), &made.folder.index().unwrap());
    assert_eq!(empty.len(), 2);
}

#[test]
fn positions_of_labels_are_chosen_evenly() {
    assert_eq!(evenly(3, 7), [0, 1, 2]);
    assert_eq!(evenly(13, 7), [0, 2, 4, 6, 8, 10, 12]);
    assert!(evenly(0, 7).is_empty());
    assert_eq!(evenly(5, 1), vec![0]);
}

#[test]
fn names_of_other_files_are_not_figures() {
    let path = tempfile::tempdir().unwrap();
    let sweep = Made::new(path.path(), &format!("Plan(scene: \"x\", {ONE})"), 0).sweep;
    for name in ["speed-map", "speed-by-x_m", "average_speed_m_per_s-over-time"] {
        assert!(is_name(&sweep, name), "{name}");
    }
    for name in ["speed", "speed-map-2", "paper-map", "speed-by-", "speed-by-x y", "speed-over-time", ""] {
        assert!(!is_name(&sweep, name), "{name}");
    }
}
