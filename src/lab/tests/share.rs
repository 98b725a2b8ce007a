//! Tests of `lab_state::files::share`.

use std::fs;
use std::thread;
use std::time::Duration;

use swarmarium_lab_panels::dispatch::act;
use swarmarium_lab_state::action::{Action, FileAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_testing::{do_steps, lab_on, window};
use swarmarium_simulation::edit::Edit;

#[test]
fn a_shared_run_opens_and_repeats_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.swarm");
    let (window, lab) = window(lab_on("milling"));
    do_steps(&mut lab.borrow_mut(), 30);
    let path = "groups.millers.controller.detected.turn_rad_per_s".into();
    act(&mut lab.borrow_mut(), &window.ctx, Action::Edit(Edit::Set { path, value: "0.9".into() }));
    do_steps(&mut lab.borrow_mut(), 30);
    let hash = lab.borrow().run.host.simulation().hash();
    act(&mut lab.borrow_mut(), &window.ctx, Action::File(FileAction::Share(file.clone())));
    let shared = swarmarium_formats::share::Shared::open(&file).unwrap();
    assert_eq!(shared.manifest.final_state_hash, format!("{:016x}", hash.0));
    assert!(shared.picture.is_some_and(|picture| picture.starts_with(b"\x89PNG")));
    act(&mut lab.borrow_mut(), &window.ctx, Action::File(FileAction::OpenFirst(vec![file.display().to_string()])));
    lab.borrow_mut().run.host.clock_mut().paused = true;
    // As it was opened, and after a second sharing.
    for _ in 0..2 {
        assert_eq!(lab.borrow().run.host.simulation().steps(), 0);
        (0..60).for_each(|_| do_steps(&mut lab.borrow_mut(), 1));
        assert_eq!(lab.borrow().run.host.simulation().hash(), hash);
        lab.borrow_mut().revert();
    }
    // When a revert is undone, shared changes are not made twice.
    (0..60).for_each(|_| do_steps(&mut lab.borrow_mut(), 1));
    lab.borrow_mut().revert();
    lab.borrow_mut().undo();
    do_steps(&mut lab.borrow_mut(), 1);
    assert_eq!(lab.borrow().run.host.simulation().edits().len(), 1);
    // A shared file is not a scene to overwrite.
    assert_ne!(lab.borrow().run.saving(), Action::File(FileAction::SaveScene(file.clone())));
    fs::write(&file, "PK nonsense").unwrap();
    act(&mut lab.borrow_mut(), &window.ctx, Action::File(FileAction::Open(file.display().to_string())));
    let lab = lab.borrow();
    let mut told = lab.notices.iter().map(|notice| notice.lines.join(" "));
    assert!(told.any(|told| told.contains("is not an archive")), "the scene stays");
}

/// Waits for the page and returns the messages.
fn wait_for_page(lab: &mut Lab) -> String {
    while lab.files.recordings.works() {
        thread::sleep(Duration::from_millis(1));
        lab.record_frames(0.0);
    }
    lab.notices.iter().map(|notice| notice.lines.join(" ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_page_of_the_run_has_its_last_state_and_its_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.html");
    let (window, lab) = window(lab_on("milling"));
    let mut lab = lab.borrow_mut();
    let share = |lab: &mut Lab| act(lab, &window.ctx, Action::File(FileAction::SharePage(file.clone())));
    share(&mut lab);
    assert!(wait_for_page(&mut lab).contains("the run has no step yet") && !file.exists());
    do_steps(&mut lab, 30);
    let path = "groups.millers.controller.detected.turn_rad_per_s".into();
    act(&mut lab, &window.ctx, Action::Edit(Edit::Set { path, value: "0.9".into() }));
    do_steps(&mut lab, 30);
    let hash = lab.run.host.simulation().hash();
    share(&mut lab);
    let (progress, _) = lab.files.recordings.progress().unwrap();
    assert_eq!((progress.label.as_str(), progress.steps), ("Writing the page", 60));
    // A page is not a video: the command for videos neither cancels it nor shows its progress.
    assert!(lab.files.recordings.rerecording().is_none());
    lab.rerecord(None);
    assert!(lab.notices.iter().any(|notice| notice.lines[0].starts_with("A page of the run is already being written")));
    let told = wait_for_page(&mut lab);
    assert!(told.contains("Saved") && told.contains("MB for any browser"), "{told}");
    assert_eq!(lab.run.host.simulation().hash(), hash, "the run stays as it is");
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.contains("swarmarium open milling.swarm"), "a run with changes opens as a shared scene");
}

#[test]
fn a_cancelled_page_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.html");
    let (window, lab) = window(lab_on("milling"));
    let mut lab = lab.borrow_mut();
    do_steps(&mut lab, 2000);
    act(&mut lab, &window.ctx, Action::File(FileAction::SharePage(file.clone())));
    lab.files.recordings.cancel_rerecording();
    let told = wait_for_page(&mut lab);
    assert!(told.contains("Cancelled the page") && !file.exists(), "{told}");
}

#[test]
fn the_run_so_far_is_exported_as_mcap() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.mcap");
    let (window, lab) = window(lab_on("milling"));
    let mut lab = lab.borrow_mut();
    let export = |lab: &mut Lab| act(lab, &window.ctx, Action::File(FileAction::ExportMcap(file.clone())));
    export(&mut lab);
    assert!(wait_for_page(&mut lab).contains("the run has no step yet") && !file.exists());
    do_steps(&mut lab, 40);
    export(&mut lab);
    let (progress, _) = lab.files.recordings.progress().unwrap();
    assert_eq!((progress.label.as_str(), progress.steps), ("Writing the MCAP file", 40));
    let told = wait_for_page(&mut lab);
    // 31 messages with poses, 30 for each of three metrics, and the bodies.
    assert!(told.contains("122 messages on 5 topics"), "{told}");
    assert!(fs::read(&file).unwrap().ends_with(b"MCAP0\r\n"));
    fs::remove_file(&file).unwrap();
    do_steps(&mut lab, 2000);
    export(&mut lab);
    lab.files.recordings.cancel_rerecording();
    let told = wait_for_page(&mut lab);
    assert!(told.contains("Cancelled the MCAP file"), "{told}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
