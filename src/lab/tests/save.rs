//! Tests of `lab_state::files::save`.

use std::fs;

use swarmarium_formats::standard::FromScene as _;
use swarmarium_lab_panels::dispatch;
use swarmarium_lab_state::action::{Action, FileAction, FileRequest};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::settings::RobotPlot;
use swarmarium_lab_state::files::save::{Export, run};
use swarmarium_lab_testing::{do_steps, lab_on};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::log::{self, Replay};
use swarmarium_simulation::simulation::Simulation;

#[test]
fn a_controller_is_saved_and_loaded() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("c.ron");
    let mut lab = lab_on("milling");
    let ctx = bevy_egui::egui::Context::default();
    let turn = |lab: &Lab| {
        let simulation = lab.run.host.simulation();
        let value = swarmarium_scene::scene::path::get(
            simulation.kinds(),
            simulation.scene_ahead(),
            "groups.0.controller.detected.turn_rad_per_s",
        );
        *value.unwrap().downcast_ref::<f64>().unwrap()
    };
    set(&mut lab, "groups.0.controller.detected.turn_rad_per_s", "0.123");
    dispatch::act(&mut lab, &ctx, Action::File(FileAction::SaveController(0, file.clone())));
    set(&mut lab, "groups.0.controller.detected.turn_rad_per_s", "0.5");
    do_steps(&mut lab, 1);
    dispatch::act(&mut lab, &ctx, Action::File(FileAction::LoadController(0, file.clone())));
    do_steps(&mut lab, 1);
    assert_eq!(turn(&lab), 0.123);
    fs::write(&file, "// Of another hand (mine).\n\n(detected: (turn_rad_per_s: 0.25))").unwrap();
    dispatch::act(&mut lab, &ctx, Action::File(FileAction::LoadController(0, file.clone())));
    do_steps(&mut lab, 1);
    assert_eq!(turn(&lab), 0.25);
    fs::write(&file, "Binnary()").unwrap();
    dispatch::act(&mut lab, &ctx, Action::File(FileAction::LoadController(0, file)));
    do_steps(&mut lab, 1);
    assert_eq!(turn(&lab), 0.25, "an invalid file changes nothing");
}

fn set(lab: &mut Lab, path: &str, value: &str) {
    lab.run.host.apply(Edit::Set { path: path.into(), value: value.into() }).unwrap();
}

#[test]
fn waiting_edits_are_part_of_a_saved_run() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 3);
    set(&mut lab, "groups.millers.sensors.0.range_m", "0.5");
    run(&lab.run, &lab.timeline, &place.path().join("run")).unwrap();
    let read = |name: &str| fs::read_to_string(place.path().join("run").join(name)).unwrap();
    let edits = log::read("edits.ron", &read("edits.ron")).unwrap();
    assert_eq!(edits.iter().map(|logged| logged.step).collect::<Vec<_>>(), [4]);
    let mut replay = Replay::new(edits);
    let mut again = Simulation::new(lab.run.host.start()).unwrap();
    for step in 1..=4 {
        if step == 4 {
            assert!(read("manifest.json").contains(&format!("{:016x}", again.hash().0)));
            do_steps(&mut lab, 1);
        }
        replay.due(step).for_each(|logged| again.replay(logged).unwrap());
        again.step(1);
    }
    assert_eq!(again.hash(), lab.run.host.simulation().hash());
}

#[test]
fn a_saved_scene_reports_what_it_leaves_out() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ron");
    let mut lab = lab_on("milling");
    set(&mut lab, "groups.millers.count", "4");
    lab.save_scene(&path);
    let told = |lab: &mut Lab| std::mem::take(&mut lab.notices).iter().last().unwrap().lines.clone();
    assert_eq!(told(&mut lab), [format!("Saved {}", path.display())]);
    set(&mut lab, "agents.2.sensors.0.range_m", "0.5");
    do_steps(&mut lab, 1);
    set(&mut lab, "agents.2.sensors.0.range_m", "0.6");
    lab.save_scene(&path);
    let left_out = "without 1 change of single robots, which \"Save run as folder\" includes";
    assert_eq!(told(&mut lab), [format!("Saved {} {left_out}", path.display())]);
    let of_three = |value: &str| {
        let set = |number| Edit::Set { path: format!("agents.{number}.sensors.0.range_m"), value: value.into() };
        (1..4).map(set).collect()
    };
    lab.edit(of_three("0.7"));
    lab.save_scene(&path);
    assert_eq!(told(&mut lab), [format!("Saved {} {left_out}", path.display())], "one change of three robots");
    lab.save_scene(place.path());
    assert!(lab.notices.iter().last().unwrap().is_error);
}

#[test]
fn a_scene_that_was_saved_is_the_file_that_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ron");
    let mut lab = lab_on("milling");
    assert_eq!(lab.run.saving(), Action::File(FileAction::Ask(FileRequest::SaveScene)), "a shipped scene has no file");
    set(&mut lab, "groups.millers.count", "4");
    lab.save_scene(&path);
    assert_eq!(lab.run.saving(), Action::File(FileAction::SaveScene(path.clone())));
    assert_eq!(&lab.shell.settings.recent[..], &[path.display().to_string()][..]);
    set(&mut lab, "groups.millers.count", "5");
    lab.revert();
    assert_eq!(lab.run.host.simulation().agents().count(), 4, "it goes back to what was saved");
    let other = place.path().join("b.ron");
    lab.save_scene(&other);
    assert_eq!(lab.run.saving(), Action::File(FileAction::SaveScene(other)));
}

#[test]
fn comments_of_a_file_are_kept_beside_it() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ron");
    let text = "// Mine.\nScene(groups: [(name: \"a\", count: 2)])\n";
    fs::write(&path, text).unwrap();
    let mut lab = lab_on(&path.display().to_string());
    set(&mut lab, "groups.a.count", "3");
    lab.save_scene(&path);
    let aside = place.path().join("a.ron.bak");
    assert_eq!(fs::read_to_string(&aside).unwrap(), text);
    assert!(lab.notices.iter().last().unwrap().lines[0].contains("a.ron.bak"));
    fs::remove_file(&aside).unwrap();
    lab.save_scene(&path);
    assert!(!aside.exists(), "there are none any more");
}

/// Exports to a file, as the window does. Returns its text.
fn exported(lab: &mut Lab) -> String {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("plots.csv");
    lab.export_csv(&path);
    while lab.files.recordings.works() {
        lab.record_frames(0.0);
    }
    let told = std::mem::take(&mut lab.notices).iter().last().unwrap().lines.clone();
    assert_eq!(told, [format!("Saved {}", path.display())]);
    fs::read_to_string(&path).unwrap()
}

/// Returns the text of `metrics.csv` of the run.
fn metrics_csv(lab: &Lab) -> String {
    let mut again = Simulation::new(lab.run.host.start()).unwrap();
    let mut replay = Replay::new(lab.run.host.simulation().edits().to_vec());
    let mut text = format!("step,t_s,{}\n", again.metric_columns().join(","));
    for step in 1..=lab.run.host.simulation().steps() {
        replay.due(step).for_each(|logged| again.replay(logged).unwrap());
        again.step(1);
        let values: Vec<String> = again.metrics().iter().map(f64::to_string).collect();
        text += &format!("{step},{},{}\n", again.time().shown_s(), values.join(","));
    }
    text
}

#[test]
fn an_export_has_every_step_of_a_run_of_any_length_as_metrics_csv() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 100);
    set(&mut lab, "groups.millers.sensors.0.range_m", "0.5");
    do_steps(&mut lab, 100);
    assert!(lab.plots.history.is_complete(200));
    assert_eq!(exported(&mut lab), metrics_csv(&lab));
    set(&mut lab, "agents.2.sensors.0.range_m", "3.5");
    do_steps(&mut lab, 5000);
    assert!(lab.plots.history.stride() > 1);
    assert_eq!(exported(&mut lab), metrics_csv(&lab), "the plots do not have all steps any more");
    // Waiting changes belong to the next step.
    set(&mut lab, "groups.millers.sensors.0.range_m", "2.5");
    assert_eq!(exported(&mut lab), metrics_csv(&lab));
}

#[test]
fn an_export_has_pinned_numbers_from_the_start_on() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 2);
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.1.turn_rad_per_s");
    lab.plots.pin(&lab.run, &mut lab.notices, "groups.0.count");
    do_steps(&mut lab, 1);
    lab.edit(vec![Edit::Spawn { group: "millers".into(), x_m: 1.25, y_m: 2.0, heading_rad: 0.0 }]);
    do_steps(&mut lab, 1);
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.6.y_m");
    insta::assert_snapshot!(exported(&mut lab), @r"
    step,t_s,circliness,average_speed_m_per_s,group_rotation_m_per_s,agents.1.turn_rad_per_s,groups.0.count,agents.6.y_m
    1,0.025,0.13892327438689878,0.2699974687571278,0.011782799478137594,-0.5999999999999961,6,NaN
    2,0.05,0.13943684569450898,0.26999746875711716,0.014896308509261396,-0.5999999999999961,6,NaN
    3,0.075,0.1399990580387338,0.2699974687571156,0.01799953882739661,-0.5999999999999961,6,NaN
    4,0.1,0.15022821388371288,0.269997468757124,-0.03701877142370666,-0.5999999999999961,6,1.9999493759492117
    ");
}

#[test]
fn plots_over_robots_have_a_table_of_their_own() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 3);
    let layout = &mut lab.plots.arrangement.layout;
    layout.add_of_robots(RobotPlot::scatter());
    layout.add_of_robots(RobotPlot::Distribution("x_m".into()));
    layout.add_of_robots(RobotPlot::Distribution("readings.9".into()));
    for _ in 0..2 {
        lab.export_csv(&place.path().join("plots.csv"));
    }
    let text = fs::read_to_string(place.path().join("plots-robots.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("step,t_s,robot,name,x_m,y_m,readings.9", 7));
    let first = lab.run.host.simulation().agent(0).unwrap();
    let [x_m, y_m] = first.pose.position_m.to_array();
    assert_eq!(lines[1], format!("3,0.075,0,{},{x_m},{y_m},NaN", first.name()));
    assert!(place.path().join("plots-robots-2.csv").exists(), "no table is replaced");
    assert!(lab.notices.iter().any(|notice| notice.lines[0].contains("plots-robots-2.csv")));
}

#[test]
fn a_failed_export_is_reported() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 5000);
    lab.export_csv(&place.path().join("no such folder/plots.csv"));
    while lab.files.recordings.works() {
        lab.record_frames(0.0);
    }
    let is_told = lab.notices.iter().any(|notice| notice.is_error && notice.lines[0].contains("plots.csv"));
    assert!(is_told, "{:?}", lab.notices.iter().map(|notice| &notice.lines).collect::<Vec<_>>());
    // A closing window does not wait for the run.
    let path = place.path().join("plots.csv");
    assert!(Export::of(&lab.run, &lab.plots).unwrap().save(&path, || false).is_err());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}
