//! Tests of `lab_state::files::presets`.

use std::fs;

use swarmarium_lab_panels::dispatch::presets;
use swarmarium_lab_state::action::PresetAction;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::files::presets::Presets;
use swarmarium_lab_testing::{lab_on, resimulate};
use swarmarium_simulation::edit::Edit;

const RANGE: &str = "groups.millers.sensors.0.range_m";

fn lab_in(folder: &tempfile::TempDir) -> Lab {
    let mut lab = lab_on("milling");
    lab.files.presets = Presets::in_folder(Some(folder.path().join("new")));
    lab.files.presets.follow(&lab.run.title());
    lab
}

fn set(lab: &mut Lab, value: &str) {
    lab.run.host.apply(Edit::Set { path: RANGE.into(), value: value.into() }).unwrap();
}

fn range_m(lab: &Lab) -> f64 {
    let simulation = lab.run.host.simulation();
    let value = swarmarium_scene::scene::path::get(simulation.kinds(), simulation.scene_ahead(), RANGE).unwrap();
    *value.downcast_ref::<f64>().unwrap()
}

#[test]
fn a_saved_preset_can_be_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab_in(&folder);
    set(&mut lab, "1.25");
    presets::preset(&mut lab, &PresetAction::Save("near by".into()));
    assert_eq!(lab.files.presets.names(), ["near by"]);
    set(&mut lab, "7.5");
    assert_eq!(lab_in(&folder).files.presets.names(), ["near by"], "the next time, too");
    presets::preset(&mut lab, &PresetAction::Load("near by".into()));
    assert_eq!(range_m(&lab), 1.25);
    presets::preset(&mut lab, &PresetAction::Delete("near by".into()));
    assert!(lab.files.presets.names().is_empty());
    assert!(lab.notices.iter().all(|notice| !notice.is_error));
}

#[test]
fn a_preset_is_one_change_of_what_differs() {
    const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab_in(&folder);
    set(&mut lab, "1.25");
    lab.run.host.apply(Edit::Set { path: TURN.into(), value: "1.2".into() }).unwrap();
    presets::preset(&mut lab, &PresetAction::Save("two".into()));
    let mut lab = lab_in(&folder);
    let load = |lab: &mut Lab| {
        presets::preset(lab, &PresetAction::Load("two".into()));
        lab.run.host.flush_edits();
        (lab.run.host.changes().len(), lab.run.host.simulation().edits().len())
    };
    assert_eq!(load(&mut lab), (1, 2));
    assert_eq!(load(&mut lab), (1, 2), "all is so already");
    assert_eq!(range_m(&lab), 1.25);
    lab.undo();
    resimulate(&mut lab);
    assert!(lab.run.host.simulation().edits().is_empty());
}

#[test]
fn preset_values_that_no_longer_fit_are_reported_and_the_rest_applied() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab_in(&folder);
    let values = [("groups.nobody.count", "3"), (RANGE, "2.5")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    lab.files.presets.save("old", &values).unwrap();
    presets::preset(&mut lab, &PresetAction::Load("old".into()));
    assert_eq!(range_m(&lab), 2.5);
    let told = &lab.notices.iter().next().unwrap().lines;
    assert_eq!(told[0], "1 of 2 values of the preset old no longer fit");
    assert!(told[1].contains("nobody"), "{told:?}");
}

#[test]
fn preset_names_stay_in_their_folder_and_broken_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab_in(&folder);
    for name in ["", "../x", "a/b", " a", "a.b", "a\\b", "C:"] {
        presets::preset(&mut lab, &PresetAction::Save(name.into()));
        assert!(lab.notices.iter().next().unwrap().is_error, "{name}");
        assert!(lab.files.presets.names().is_empty(), "{name}");
    }
    lab.files.presets.save("odd", &[]).unwrap();
    fs::write(lab.files.presets.path("odd").unwrap(), "[(1, 2").unwrap();
    presets::preset(&mut lab, &PresetAction::Load("odd".into()));
    assert!(lab.notices.iter().any(|notice| notice.lines[0].contains("odd.ron")));
    lab.files.presets.follow("../../etc");
    assert_eq!(lab.files.presets.scene, "______etc");
}

#[test]
fn without_a_folder_no_preset_is_saved() {
    let mut lab = lab_on("milling");
    presets::preset(&mut lab, &PresetAction::Save("a".into()));
    assert!(lab.notices.iter().next().unwrap().lines[0].starts_with("Presets cannot be saved"));
}
