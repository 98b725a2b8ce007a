//! Tests of `lab_state::plots::backfill`.

use std::thread;
use std::time::{Duration, Instant};

use swarmarium_formats::load::load;
use swarmarium_formats::run_folder::{At, RunFolder};
use swarmarium_lab_state::app::{Lab, Options};
use swarmarium_lab_state::common::settings::Settings;
use swarmarium_lab_state::timeline::RunToOpen;
use swarmarium_lab_testing::{do_steps, lab_of, lab_on};

fn wait(lab: &mut Lab) {
    let began = Instant::now();
    while lab.plots.backfills.running.is_some() {
        assert!(began.elapsed() < Duration::from_secs(60), "the thread ends");
        thread::sleep(Duration::from_millis(5));
        lab.plots.finish_backfills(&lab.run);
    }
}

fn series(lab: &Lab, path: &str) -> Vec<f64> {
    let history = &lab.plots.history;
    let place = history.names().position(|name| name == path).unwrap();
    history.series(place).to_vec()
}

#[test]
fn a_number_that_is_pinned_late_gets_its_earlier_values() {
    let path = "agents.2.x_m";
    let mut early = lab_on("milling");
    early.plots.pin(&early.run, &mut early.notices, path);
    do_steps(&mut early, 60);
    let mut late = lab_on("milling");
    do_steps(&mut late, 50);
    late.plots.pin(&late.run, &mut late.notices, path);
    do_steps(&mut late, 10);
    wait(&mut late);
    let begins = series(&early, path).len() - series(&late, path).len();
    assert_eq!(series(&late, path), series(&early, path)[begins..]);
    assert!(late.plots.history.is_complete(60) && late.plots.history.begins_late(1).is_none());
}

#[test]
fn the_first_plot_of_a_scene_without_metrics_is_filled_too() {
    let mut lab = lab_of("(groups: [(name: \"g\", controller: Constant(v_m_per_s: 0.5))])");
    do_steps(&mut lab, 5_000);
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.0.x_m");
    wait(&mut lab);
    let history = &lab.plots.history;
    assert!(history.steps().first().is_some_and(|first| *first <= 2), "{:?}", history.steps().first());
    assert!(history.steps().windows(2).all(|pair| pair[0] < pair[1]) && history.stride() > 1);
    assert!(history.series(0).iter().all(|value| value.is_finite()));
}

#[test]
fn another_run_and_the_selected_robot_get_no_earlier_values() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 50);
    lab.plots.pin(&lab.run, &mut lab.notices, "selected.x_m");
    assert!(lab.plots.backfills.running.is_none());
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.0.x_m");
    lab.reset(None);
    wait(&mut lab);
    assert!(series(&lab, "agents.0.x_m").len() <= 1, "the run began again");
}

#[test]
fn a_run_opened_at_a_moment_is_plotted_up_to_the_end_of_its_timeline() {
    let path = "agents.2.x_m";
    let mut whole = lab_on("milling");
    whole.plots.pin(&whole.run, &mut whole.notices, path);
    do_steps(&mut whole, 300);
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    swarmarium_lab_state::files::save::run(&whole.run, &whole.timeline, &run).unwrap();
    let folder = RunFolder::open(&run).unwrap().unwrap();
    let loaded = load(whole.run.recipe.kinds(), &folder.scene_file(), &[]).unwrap();
    let dt_s = loaded.scene.time.dt_s;
    let moment = folder.moment(Some(&At::Step(100)), None, dt_s).unwrap();
    let opened = RunToOpen { folder, moment, shows_moment: true };
    let options = Options { paused: true, run: Some(opened), ..Options::default() };
    let mut lab = Lab::new(loaded, &whole.run.recipe, &options, Settings::default()).unwrap();
    lab.plots.pin(&lab.run, &mut lab.notices, path);
    let began = Instant::now();
    while lab.plots.history.last_step() < 300 || lab.plots.backfills.running.is_some() {
        assert!(began.elapsed() < Duration::from_secs(60), "at step {}", lab.plots.history.last_step());
        _ = lab.advance(0.0, || true);
        thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(lab.run.host.simulation().steps(), 100, "the moment is still shown");
    assert_eq!(lab.plots.history.steps(), whole.plots.history.steps());
    let circliness = whole.plots.history.names().next().unwrap().to_owned();
    // Metrics have no value before the first step.
    assert_eq!(series(&lab, &circliness)[1..], series(&whole, &circliness)[1..]);
    assert_eq!(series(&lab, path), series(&whole, path));
}
