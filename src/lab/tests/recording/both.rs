//! Recordings of a comparison, captions of changes, and the encoding after a recording.

use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{Changed, CompareAction, ComparisonStart, GoesTo};
use swarmarium_lab_state::files::recording::captions::Captions;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_video::{Painter, Style};

use super::*;

const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";

fn set_turn(value: &str) -> Edit {
    Edit::Set { path: TURN.into(), value: value.into() }
}

/// Compares the turn rate with another one from the present moment.
fn compare_here(lab: &mut Lab, value: &str) {
    lab.do_compare(CompareAction::SetStart(ComparisonStart::Here));
    lab.do_compare(CompareAction::Begin(vec![Changed { path: TURN.into(), value: value.into() }]));
    lab.advance(0.0, || true);
    assert!(lab.compare.other.is_some(), "{:?}", lab.notices);
}

/// Rows of a frame above the texts at its lower edge, from one column to another.
fn part((width, height, rgb): &(u32, u32, Vec<u8>), columns: std::ops::Range<usize>) -> Vec<u8> {
    let rows = rgb.chunks(3 * *width as usize).take(*height as usize / 2);
    rows.flat_map(|row| &row[3 * columns.start..3 * columns.end]).copied().collect()
}

/// A lab that records frames of 200 by 100 pixels without a clock.
fn wide_studio(place: &tempfile::TempDir, format: VideoFormat) -> Lab {
    let mut lab = studio(place, format);
    let options = &mut lab.shell.settings.recording;
    (options.size_px, options.clock) = ((200, 100), false);
    lab
}

#[test]
fn a_recording_of_a_comparison_shows_both_worlds() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = wide_studio(&place, VideoFormat::Png);
    do_steps(&mut lab, 200);
    compare_here(&mut lab, "1.8");
    lab.record();
    for frame in 0..3 {
        do_steps(&mut lab, 100);
        lab.paint();
        lab.record_frames(f64::from(frame) / 30.0);
    }
    lab.record();
    assert!(close_of(&mut lab).iter().all(Result::is_ok));
    // The worlds are painted again, each by itself.
    let other = lab.compare.other.as_ref().unwrap();
    let spec_px = |place: usize| Place::of(&spec(200, 100), 2, None).nth(place).unwrap();
    let half = |simulation: &Simulation, place: usize| {
        let view = spec_px(place).view(&lab.shell.settings.recording, &lab.view.painted);
        let mut painter = Painter::new(99, 100, Style::default());
        let frame = painter.paint(&simulation.picture(&view), &view.camera);
        let rgb = frame.rgba.as_chunks::<4>().0.iter().flat_map(|pixel| pixel[..3].to_vec()).collect();
        part(&(99, 100, rgb), 0..99)
    };
    let [a, b] = [half(lab.run.host.simulation(), 0), half(other.simulation(), 1)];
    assert_ne!(a, b, "the worlds differ by now");
    let folder = place.path().join("milling-7");
    let last = pixels(&folder.join("frame_00002.png"));
    assert_eq!((last.0, last.1), (200, 100));
    assert!(part(&last, 0..99) == a && part(&last, 101..200) == b);
    assert_ne!(part(&pixels(&folder.join("frame_00000.png")), 101..200), b, "B moves in the video");
}

#[test]
fn a_comparison_that_is_rendered_again_ends_as_it_was_seen() {
    for is_branch in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let mut lab = wide_studio(&place, VideoFormat::Png);
        lab.shell.settings.recording.frames_per_s = 10;
        do_steps(&mut lab, 40);
        let main = lab.run.host.moment().branch;
        match is_branch {
            false => compare_here(&mut lab, "1.8"),
            true => {
                lab.go_to(Moment { branch: main, step: 10 });
                while lab.run.host.resimulate().is_some() {
                    lab.advance(0.0, || true);
                }
                lab.edit(vec![set_turn("1.8")]);
                lab.advance(0.0, || true);
                lab.compare_branch(main);
                do_steps(&mut lab, 30);
            }
        }
        let steps = 200 - lab.run.host.simulation().steps();
        do_steps(&mut lab, steps);
        lab.paint();
        lab.rerecord(None);
        wait_for_rerecording(&mut lab);
        lab.record();
        lab.record_frames(0.0);
        lab.record();
        wait_for_rerecording(&mut lab);
        assert!(failure(&lab).is_none(), "{:?}", failure(&lab));
        let again = names(&place.path().join("milling-7-smooth"));
        let frame = |folder: &str, name: &str| pixels(&place.path().join(folder).join(name));
        let (again, live) = (frame("milling-7-smooth", again.last().unwrap()), frame("milling-7", "frame_00000.png"));
        assert!(again == live, "branch: {is_branch}");
        assert_ne!(part(&live, 0..99), part(&live, 101..200), "branch: {is_branch}");
    }
}

#[test]
fn captions_name_each_change_for_three_seconds() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 10);
    let mut captions = Captions::new(lab.run.host.simulation());
    let texts = |captions: &Captions| captions.texts().map(ToOwned::to_owned).collect::<Vec<_>>();
    lab.edit(vec![set_turn("0.8")]);
    do_steps(&mut lab, 1);
    captions.observe(lab.run.host.simulation(), 1.0);
    assert_eq!(texts(&captions), ["Turn rate, robot seen 0.6 → 0.8 rad/s"]);
    // A drag is one change, also while the run is paused.
    lab.edits.transaction = lab.run.host.new_transaction();
    for (value, is_paused) in [("0.85", true), ("0.9", true), ("1.0", false)] {
        lab.edit(vec![set_turn(value)]);
        match is_paused {
            true => drop(lab.advance(0.0, || true)),
            false => do_steps(&mut lab, 1),
        }
        captions.observe(lab.run.host.simulation(), 2.0);
    }
    lab.edits.transaction = 0;
    let drag = "Turn rate, robot seen 0.8 → 1 rad/s";
    assert_eq!(texts(&captions), ["Turn rate, robot seen 0.6 → 0.8 rad/s", drag]);
    captions.observe(lab.run.host.simulation(), 4.5);
    assert_eq!(texts(&captions), [drag]);
    captions.observe(lab.run.host.simulation(), 5.5);
    assert_eq!(texts(&captions), [""; 0]);
    // Other changes are named as in the panel Changes.
    lab.edit(vec![Edit::Move { agent: 3, x_m: 2.0, y_m: 3.0, heading_rad: 0.0 }]);
    do_steps(&mut lab, 1);
    captions.observe(lab.run.host.simulation(), 6.0);
    assert_eq!(texts(&captions), [lab.run.host.changes().last().unwrap().label.clone()]);
    // A jump names nothing again; what is seen again from there does.
    let branch = lab.run.host.moment().branch;
    lab.go_to(Moment { branch, step: 9 });
    while lab.run.host.resimulate().is_some() {
        lab.advance(0.0, || true);
    }
    captions.observe(lab.run.host.simulation(), 7.0);
    assert_eq!(texts(&captions), [""; 0]);
    do_steps(&mut lab, 2);
    captions.observe(lab.run.host.simulation(), 7.1);
    assert_eq!(texts(&captions), ["Turn rate, robot seen 0.6 → 0.8 rad/s"]);
}

#[test]
fn a_caption_is_in_the_world_that_changes() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = wide_studio(&place, VideoFormat::Png);
    compare_here(&mut lab, "0.6");
    do_steps(&mut lab, 5);
    lab.paint();
    lab.record();
    lab.record_frames(0.0);
    lab.do_compare(CompareAction::GoTo(GoesTo::B));
    let clear = "groups.millers.controller.clear.turn_rad_per_s";
    // The value stays, so only the caption differs.
    let value = swarmarium_scene::scene::constants::text_at(
        lab.run.recipe.kinds(),
        lab.run.host.simulation().scene_ahead(),
        clear,
    );
    lab.edit(vec![Edit::Set { path: clear.into(), value: value.unwrap() }]);
    lab.advance(0.0, || true);
    lab.advance(0.0, || true);
    lab.record_frames(1.0 / 30.0);
    lab.record();
    close_of(&mut lab);
    let frame = |number: u32| pixels(&place.path().join("milling-7").join(format!("frame_{number:05}.png"))).2;
    let sides = |number: u32| {
        let rows = frame(number);
        let rows = rows.chunks(600).map(|row| (row[..297].to_vec(), row[303..].to_vec()));
        rows.unzip::<_, _, Vec<_>, Vec<_>>()
    };
    let ((a, b), (a_after, b_after)) = (sides(0), sides(1));
    assert!(a == a_after && b != b_after);
}

#[test]
fn the_encoding_after_a_recording_shows_progress_and_can_be_cancelled() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Mp4);
    lab.shell.settings.recording.size_px = (1920, 1080);
    let (mut window, lab) = window(lab);
    let record = |frames: u32| {
        let lab = &mut *lab.borrow_mut();
        lab.record();
        for frame in 0..frames {
            do_steps(lab, 1);
            lab.record_frames(f64::from(frame) / 30.0);
        }
        lab.record();
    };
    record(60);
    let progress = lab.borrow().files.recordings.progress();
    let (progress, unit) = progress.expect("the video is not complete at once");
    assert_eq!((progress.label.as_str(), progress.steps, unit), ("Encoding the video", 60, "frames"));
    window.run_steps(25);
    window.get_by_label_contains("Encoding the video: ");
    assert!(window.query_by_label_contains("Recording ").is_none(), "the recording has ended");
    window.get_by_label("Cancel").click();
    window.run_steps(3);
    let told = wait_for_rerecording(&mut lab.borrow_mut());
    assert!(told.starts_with("Cancelled the video"), "{told}");
    assert_eq!(names(place.path()), [""; 0]);
    lab.borrow_mut().shell.settings.recording.size_px = (64, 48);
    record(3);
    let told = wait_for_rerecording(&mut lab.borrow_mut());
    let path = place.path().join("milling-7.mp4");
    assert!(told.starts_with(&format!("Saved {}", path.display())), "the message has the full path: {told}");
    assert!(path.is_absolute() && path.is_file());
}

#[test]
fn the_panel_tells_what_a_recording_films() {
    let place = tempfile::tempdir().unwrap();
    let (mut window, lab) = window(studio(&place, VideoFormat::Gif));
    press(&mut window, Modifiers::SHIFT, Key::F9);
    window.get_by_label(
        "The world, no plots because the size is too small for them, captions, the overlays of the window",
    );
    window.get_by_label("720p").click();
    window.run_steps(3);
    window.get_by_label("The world, 3 plots under the world, captions, the overlays of the window");
    window.get_by_label("captions").click();
    compare_here(&mut lab.borrow_mut(), "1.8");
    window.run_steps(3);
    window.get_by_label("World A and B, 3 plots under the world, the overlays of the window");
    window.get_by_label("Include plots").click();
    window.run_steps(3);
    window.get_by_label("World A and B, the overlays of the window");
    assert!(!lab.borrow().shell.settings.recording.plots);
}

#[test]
fn captions_know_the_values_before_also_after_parts_were_added() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 2);
    let mut captions = Captions::new(lab.run.host.simulation());
    let add = Edit::Add { list: "groups".into(), value: "(name: \"late\", count: 1)".into() };
    lab.run.host.apply(add).unwrap();
    do_steps(&mut lab, 1);
    captions.observe(lab.run.host.simulation(), 1.0);
    let set = |value: &str| Edit::Set { path: "groups.late.body.radius_m".into(), value: value.into() };
    lab.run.host.apply(set("0.25")).unwrap();
    do_steps(&mut lab, 1);
    captions.observe(lab.run.host.simulation(), 9.0);
    let text = captions.texts().next().unwrap_or_default().to_owned();
    assert!(text.contains(" → 0.25 m"), "{text}");
    lab.run.host.apply(Edit::Remove { path: "agents.0".into() }).unwrap();
    lab.run.host.apply(set("0.3")).unwrap();
    do_steps(&mut lab, 1);
    captions.observe(lab.run.host.simulation(), 19.0);
    assert!(captions.texts().any(|text| text.contains("0.25 → 0.3 m")), "{:?}", captions.texts().collect::<Vec<_>>());
}
