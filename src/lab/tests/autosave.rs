//! Tests of `lab_state::files::autosave`.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use egui_kittest::kittest::Queryable as _;
use swarmarium_lab_state::action::{Action, FileAction, FileRequest};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::files::autosave::roughly;
use swarmarium_lab_state::notice::Notice;
use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, resimulate, window};
use swarmarium_simulation::edit::Edit;

fn lab_in(place: &tempfile::TempDir) -> Lab {
    let mut lab = lab_on("milling");
    lab.files.places.unsaved = Some(place.path().join("new/autosave"));
    lab.files.begin_autosave(&mut lab.notices);
    lab
}

fn kept(place: &tempfile::TempDir) -> Vec<PathBuf> {
    let files = fs::read_dir(place.path().join("new/autosave")).into_iter().flatten().flatten();
    files.map(|entry| entry.path()).filter(|path| path.extension().unwrap() == "ron").collect()
}

fn change(lab: &mut Lab, count: &str) {
    lab.run.host.apply(Edit::Set { path: "groups.millers.count".into(), value: count.into() }).unwrap();
}

#[test]
fn autosave_writes_each_change_at_once_and_changed_scenes_only() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = lab_in(&place);
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 0.0);
    lab.reset(Some(99));
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 1.0);
    assert!(
        !lab.files.autosave.is_unsaved() && kept(&place).is_empty(),
        "another seed is another run of the same scene"
    );
    change(&mut lab, "4");
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 2.0);
    assert!(lab.files.autosave.is_unsaved());
    assert!(lab.window_title().starts_with("Milling* — "));
    let [file] = &kept(&place)[..] else { panic!("{:?}", kept(&place)) };
    let text = fs::read_to_string(file).unwrap();
    assert!(text.starts_with("// Kept without being saved: Milling\n") && text.contains("count: 4"), "{text}");
    change(&mut lab, "5");
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 10.0);
    assert!(fs::read_to_string(file).unwrap().contains("count: 5"));
    lab.revert();
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 24.0);
    assert!(!lab.files.autosave.is_unsaved() && kept(&place).is_empty());
}

#[test]
fn an_autosaved_scene_can_be_recovered() {
    let place = tempfile::tempdir().unwrap();
    let (mut window, lab) = window(lab_in(&place));
    change(&mut lab.borrow_mut(), "4");
    lab.borrow_mut().open_source("aggregation");
    window.run_steps(3);
    assert_eq!(lab.borrow().run.title(), "Aggregation");
    window.get_by_label("Your unsaved changes to \"Milling\" were kept");
    window.get_by_label("Recover").click();
    window.run_steps(3);
    {
        let mut lab = lab.borrow_mut();
        assert!(lab.files.autosave.found.is_empty(), "it is open");
        assert_eq!(lab.run.title(), "Milling");
        assert_eq!(lab.run.host.scene().groups[0].count, 4);
        assert!(lab.files.autosave.is_unsaved(), "no file of the user has it yet");
        assert!(window.query_by_label("Recover").is_none());
        do_steps(&mut lab, 1);
    }
    assert_eq!(kept(&place).len(), 1);
    let file = place.path().join("mine.ron");
    lab.borrow_mut().save_scene(&file);
    assert!(!lab.borrow().files.autosave.is_unsaved());
    {
        let lab = &mut *lab.borrow_mut();
        lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 1e6);
    };
    assert!(kept(&place).is_empty());
}

#[test]
fn recovery_is_offered_to_the_next_window_and_not_to_a_parallel_one() {
    let place = tempfile::tempdir().unwrap();
    let mut first = lab_in(&place);
    change(&mut first, "4");
    first.files.check_unsaved_changes(&first.run, &first.timeline, &mut first.notices, 0.0);
    assert_eq!(kept(&place).len(), 1);
    let beside = lab_in(&place);
    assert!(beside.files.autosave.found.is_empty());
    assert!(
        first
            .files
            .autosave
            .end_autosave(&first.run, &first.timeline)
            .unwrap()
            .unwrap()
            .starts_with("Milling has unsaved changes")
    );
    drop((first, beside));
    let (mut window, lab) = window(lab_in(&place));
    assert_eq!(lab.borrow().files.autosave.found.len(), 1);
    window.get_by_label_contains("Unsaved work was kept: Milling, a copy from ");
    let is_crash = |notice: &Notice| notice.lines.concat().contains("crash");
    assert!(!lab.borrow().notices.iter().any(is_crash), "it was closed");
    lab.borrow_mut().open_source("aggregation");
    window.run_steps(2);
    window.get_by_label("Discard").click();
    window.run_steps(3);
    assert!(kept(&place).is_empty() && lab.borrow().files.autosave.found.is_empty());
    assert!(window.query_by_label("Discard").is_none());
}

/// Runs a window that changes a scene, does some steps, and crashes some time after the last save.
fn crash(place: &tempfile::TempDir, count: &str, after: Duration) {
    let mut lab = lab_in(place);
    change(&mut lab, count);
    do_steps(&mut lab, 40);
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 0.0);
    let files = lab.files.autosave.files.take().unwrap();
    let lock = files.folder.join(&files.stem).with_extension("lock");
    let noted = fs::read(&lock).unwrap();
    drop((lab, files));
    fs::write(&lock, noted).unwrap();
    File::options().write(true).open(&lock).unwrap().set_modified(SystemTime::now() + after).unwrap();
}

#[test]
fn recovery_says_how_much_is_missing() {
    let place = tempfile::tempdir().unwrap();
    crash(&place, "4", Duration::from_millis(12_200));
    let lab = lab_in(&place);
    let text = lab.files.autosave.found[0].copy_text();
    assert!(text.starts_with("from ") && text.contains(", 12 seconds before the crash"), "{text}");
    assert!(text.ends_with(", with its run up to 1.00 s"), "{text}");
}

#[test]
fn several_unsaved_scenes_are_in_a_list() {
    let place = tempfile::tempdir().unwrap();
    ["4", "5", "3"].into_iter().for_each(|count| crash(&place, count, Duration::ZERO));
    let (mut window, lab) = window(lab_in(&place));
    let count = |lab: &std::cell::RefCell<Lab>| lab.borrow().files.autosave.found.len();
    assert_eq!(count(&lab), 3);
    window.get_by_label_contains("Unsaved work in 3 scenes can be recovered; the newest is that in Milling from ");
    click(&mut window, "Show the list");
    window.query_all_by_label_contains("Discard Milling, autosaved ").next().unwrap().click();
    window.run_steps(4);
    assert_eq!(count(&lab), 2);
    click(&mut window, "Discard all…");
    click(&mut window, "Keep all");
    window.query_all_by_label_contains("Discard Milling, autosaved ").next().unwrap().click();
    window.run_steps(4);
    assert_eq!(count(&lab), 1);
    window.query_all_by_label_contains("Recover Milling, autosaved ").next().unwrap().click();
    window.run_steps(4);
    assert_eq!(count(&lab), 0);
    assert!(!lab.borrow().shell.popups.unsaved, "the list closes");
    assert_eq!(lab.borrow().run.title(), "Milling");
}

#[test]
fn all_unsaved_scenes_can_be_discarded_after_a_question() {
    let place = tempfile::tempdir().unwrap();
    ["4", "5"].into_iter().for_each(|count| crash(&place, count, Duration::ZERO));
    let (mut window, lab) = window(lab_in(&place));
    click(&mut window, "Show the list");
    click(&mut window, "Discard all…");
    click(&mut window, "Discard all");
    assert!(lab.borrow().files.autosave.found.is_empty() && kept(&place).is_empty());
    window.get_by_label("Everything is saved");
}

#[test]
fn a_recovered_scene_keeps_its_file_and_every_change() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("hot.ron");
    let mut lab = lab_in(&place);
    lab.save_scene(&file);
    do_steps(&mut lab, 20);
    change(&mut lab, "4");
    do_steps(&mut lab, 5);
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 0.0);
    // An obstacle that was drawn while the run is paused waits for the next step.
    let obstacle = "Disc(center_m: (2, 2), radius_m: 0.3)";
    lab.edit(vec![Edit::Add { list: "objects".into(), value: obstacle.into() }]);
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 10.0);
    let (steps, count) = (lab.run.host.simulation().steps(), lab.run.objects().len());
    // The process is killed at once.
    let files = lab.files.autosave.files.take().unwrap();
    drop((lab, files));
    let mut lab = lab_in(&place);
    let found = lab.files.autosave.found[0].clone();
    assert_eq!((found.name().as_str(), found.origin.as_deref()), ("hot.ron", Some(file.as_path())));
    lab.recover(&found.path);
    resimulate(&mut lab);
    assert!(lab.window_title().starts_with("hot.ron* — recovered changes — "), "{}", lab.window_title());
    assert_eq!(lab.run.host.simulation().steps(), steps);
    do_steps(&mut lab, 1);
    assert_eq!(lab.run.host.simulation().scene_ahead().groups[0].count, 4);
    assert_eq!(lab.run.objects().len(), count);
    let FileAction::SaveScene(path) = (match lab.run.saving() {
        Action::File(action) => action,
        other => panic!("{other:?}"),
    }) else {
        panic!("it asks for a name")
    };
    assert_eq!(path, file);
    lab.save_scene(&path);
    assert!(lab.window_title().starts_with("hot.ron — ") && !lab.window_title().contains("recovered"));
    assert!(fs::read_to_string(&file).unwrap().contains("count: 4"));
}

#[test]
fn a_scene_that_cannot_be_saved_can_be_saved_elsewhere() {
    let place = tempfile::tempdir().unwrap();
    let (mut window, lab) = window(lab_on("milling"));
    lab.borrow_mut().save_scene(&place.path().join("gone/hot.ron"));
    window.run_steps(3);
    click(&mut window, "Save as…");
    assert_eq!(lab.borrow().files.request, Some(FileRequest::SaveScene));
}

#[test]
fn an_unreadable_autosave_is_reported_and_kept() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = lab_in(&place);
    let path = place.path().join("new/autosave/1-2-3.ron");
    fs::write(&path, "Scene(groups: many)").unwrap();
    lab.recover(&path);
    assert!(path.exists() && lab.run.title() == "Milling");
    assert!(lab.notices.iter().any(|notice| notice.is_error));
}

#[test]
fn a_lab_without_a_folder_has_no_autosave() {
    let mut lab = lab_of("(groups: [(name: \"millers\", count: 2)])");
    change(&mut lab, "4");
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 0.0);
    assert!(lab.files.autosave.is_unsaved());
    lab.open_source("milling");
    assert_eq!(lab.notices.iter().count(), 0);
    assert!(lab.files.autosave.end_autosave(&lab.run, &lab.timeline).is_none());
}

#[test]
fn ages_of_autosaves_are_rounded() {
    let told = [0, 59, 61, 7200, 200_000].map(|seconds| roughly(Duration::from_secs(seconds)));
    assert_eq!(told, ["1 second", "59 seconds", "1 minute", "2 hours", "2 days"]);
}
