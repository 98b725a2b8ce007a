//! Tests of `lab_state::files::recording`.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::thread;

use bevy::math::DVec2;
use bevy_egui::egui::{self, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_draw::Overlay;
use swarmarium_lab_state::action::{RangeEnd, VideoPart};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::settings::{RecordingOptions, VideoFormat};
use swarmarium_lab_state::files::recording::worlds::Place;
use swarmarium_lab_state::files::recording::{Recording, RecordingResult};
use swarmarium_lab_state::notice::Notices;
use swarmarium_lab_testing::{do_steps, lab_on, window};
use swarmarium_video::{Rate, Spec, Style};

mod band;
mod both;
mod plots;

/// A lab on milling that records small frames into a folder.
fn studio(place: &tempfile::TempDir, format: VideoFormat) -> Lab {
    let mut lab = lab_on("milling");
    let folder = Some(place.path().to_path_buf());
    lab.shell.settings.recording =
        RecordingOptions { format, folder, size_px: (64, 48), ..RecordingOptions::default() };
    lab
}

/// Returns the last message of a lab.
fn last_told(lab: &Lab) -> String {
    lab.notices.iter().last().map(|notice| notice.lines.join("\n")).unwrap_or_default()
}

/// Returns the error message of a lab, if there is one.
fn failure(lab: &Lab) -> Option<String> {
    lab.notices.iter().find(|notice| notice.is_error).map(|notice| notice.lines.join("\n"))
}

fn names(place: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns size and RGB pixels of a PNG file.
fn pixels(path: &Path) -> (u32, u32, Vec<u8>) {
    let mut reader = ::png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    (info.width, info.height, rgb)
}

/// Returns the number of frames of a GIF.
fn gif_frames(path: &Path) -> usize {
    let mut reader = gif::DecodeOptions::new().read_info(File::open(path).unwrap()).unwrap();
    std::iter::from_fn(|| reader.read_next_frame().unwrap().map(drop)).count()
}

#[test]
fn a_recording_has_the_frames_of_its_time_and_changes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (mut lab, mut other) = (studio(&place, VideoFormat::Png), lab_on("milling"));
    lab.run.host.clock_mut().paused = false;
    lab.record();
    for frame in 0..40_u32 {
        lab.view.painted = lab.view.current;
        lab.record_frames(f64::from(frame) / 60.0);
        do_steps(&mut lab, 2);
        do_steps(&mut other, 2);
    }
    assert_eq!(lab.files.recordings.running_s(), Some(0.7));
    lab.record();
    assert!(lab.files.recordings.running().is_none());
    let told: Vec<String> = lab.files.recordings.close().into_iter().map(Result::unwrap).collect();
    let folder = place.path().join("milling-7");
    assert_eq!(told, [format!("Saved {}: 21 frames (0.700 s)", folder.display())]);
    assert_eq!(names(&folder).len(), 21);
    let frames = [0, 1, 20].map(|frame| pixels(&folder.join(format!("frame_{frame:05}.png"))));
    assert!(frames.iter().all(|(width, height, _)| (*width, *height) == (64, 48)));
    assert!(frames[0] != frames[1] && frames[1] != frames[2]);
    assert_eq!(lab.run.host.simulation().hash(), other.run.host.simulation().hash());
}

#[test]
fn a_slow_window_repeats_frames_and_says_so() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Gif);
    lab.record();
    for now_s in [10.0, 10.1, 10.2] {
        lab.record_frames(now_s);
    }
    // Three and a half frames after the last look: the last frame is repeated as well.
    lab.record();
    let path = place.path().join("milling-7.gif");
    let told = lab.files.recordings.close().remove(0).unwrap();
    assert!(told.starts_with(&format!("Saved {}: 7 frames", path.display())), "{told}");
    assert!(told.ends_with("4 of the frames are duplicates because the machine was too slow"), "{told}");
    assert_eq!(gif_frames(&path), 7);
}

#[test]
fn a_recording_can_leave_out_pauses() {
    for (pauses, frames) in [(true, 31), (false, 16)] {
        let place = tempfile::tempdir().unwrap();
        let mut lab = studio(&place, VideoFormat::Gif);
        lab.shell.settings.recording.pauses = pauses;
        lab.record();
        for frame in 0..=30 {
            lab.run.host.clock_mut().paused = frame > 15;
            lab.record_frames(f64::from(frame) / 30.0);
        }
        lab.files.recordings.close();
        assert_eq!(gif_frames(&place.path().join("milling-7.gif")), frames, "{pauses}");
    }
}

#[test]
fn a_recording_overwrites_no_file() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("milling-7.mp4");
    fs::write(&path, "mine").unwrap();
    let mut lab = studio(&place, VideoFormat::Mp4);
    for _ in 0..2 {
        lab.record();
        lab.record_frames(0.0);
        lab.record();
        lab.take_picture(1.0);
    }
    assert!(lab.files.recordings.close().iter().all(Result::is_ok));
    let expected = ["milling-0-2.png", "milling-0.png", "milling-7-2.mp4", "milling-7-3.mp4", "milling-7.mp4"];
    assert_eq!(names(place.path()), expected);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn a_closed_lab_leaves_a_valid_video() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Mp4);
    lab.record();
    (0..10).for_each(|frame| {
        lab.record_frames(f64::from(frame) / 30.0);
    });
    assert_eq!(names(place.path()), ["milling-7.mp4.partial"]);
    drop(lab);
    assert_eq!(names(place.path()), ["milling-7.mp4"]);
    let bytes = fs::read(place.path().join("milling-7.mp4")).unwrap();
    assert_eq!(&bytes[4..8], b"ftyp");
    // The index is in front, instead of in fragments.
    assert!(bytes.windows(4).any(|kind| kind == b"stss") && !bytes.windows(4).any(|kind| kind == b"moof"));
}

#[test]
fn a_recording_that_cannot_be_written_is_reported_at_once() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Gif);
    lab.shell.settings.recording.frames_per_s = 60;
    lab.record();
    assert!(last_told(&lab).contains("GIF has at most 50 frames per second"), "{}", last_told(&lab));
    assert_eq!(names(place.path()), [""; 0]);
    lab.notices = Notices::default();
    lab.shell.settings.recording.folder = Some(place.path().join("none"));
    for ask in [Lab::record, Lab::take_screenshot, |lab: &mut Lab| lab.take_picture(1.0)] {
        ask(&mut lab);
        assert!(last_told(&lab).contains("cannot be written"), "{}", last_told(&lab));
        lab.notices = Notices::default();
    }
    assert!(lab.files.recordings.running().is_none() && lab.files.shots.waiting.is_empty());
}

/// A recording whose folder is removed has failed when it ends.
#[test]
fn a_failed_recording_is_reported_and_ends() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Png);
    lab.record();
    fs::remove_dir_all(place.path().join("milling-7")).unwrap();
    let mut now_s = 0.0;
    while lab.files.recordings.running().is_some() {
        lab.record_frames(now_s);
        now_s += 1.0 / 30.0;
        thread::yield_now();
    }
    let failed = loop {
        if let Some(failed) = failure(&lab) {
            break failed;
        }
        lab.record_frames(now_s);
        thread::yield_now();
    };
    assert!(failed.contains("there is no video"), "{failed}");
}

#[test]
fn a_video_shows_all_that_the_view_shows() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Png);
    lab.view.current.camera.center_m = DVec2::new(1.0, 2.0);
    lab.shell.settings.recording.size_px = (2560, 1440);
    let recording = Recording::start(lab.recording_source()).unwrap();
    let place_px = Place::of(&recording.spec, 1, None).next().unwrap();
    let view = place_px.view(&lab.shell.settings.recording, &lab.view.current);
    let [low, high] = view.camera.visible_m();
    let [shown_low, shown_high] = lab.view.current.camera.visible_m();
    assert!(low.cmple(shown_low + 1e-9).all() && high.cmpge(shown_high - 1e-9).all());
    assert_eq!(view.camera.center_m, DVec2::new(1.0, 2.0));
    // Texts are larger in large frames.
    assert_eq!(recording.spec.style.scale, 2.0);
    assert_eq!(view.camera.screen_px, DVec2::new(1280.0, 720.0));
    assert!(
        view.overlays.shows(Overlay::Clock)
            && !view.overlays.shows(Overlay::Title)
            && view.overlays.shows(Overlay::Grid)
    );
    drop(recording.stop().thread.join());
}

fn press(window: &mut Harness, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

fn close(lab: &RefCell<Lab>) -> Vec<RecordingResult> {
    close_of(&mut lab.borrow_mut())
}

fn close_of(lab: &mut Lab) -> Vec<RecordingResult> {
    lab.files.recordings.close()
}

/// The specification of frames of a size in pixels.
fn spec(width: u32, height: u32) -> Spec {
    Spec { width, height, rate: Rate::new(30, 1).unwrap(), style: Style::default(), frames: None }
}

#[test]
fn keys_record_and_take_pictures() {
    let place = tempfile::tempdir().unwrap();
    let (mut window, lab) = window(studio(&place, VideoFormat::Gif));
    press(&mut window, Modifiers::NONE, Key::F9);
    window.get_by_label_contains("Recording");
    assert!(last_told(&lab.borrow()).ends_with("milling-7.gif (F9 ends it)"));
    {
        let lab = &mut *lab.borrow_mut();
        lab.record_frames(0.0);
    };
    press(&mut window, Modifiers::NONE, Key::F9);
    press(&mut window, Modifiers::NONE, Key::F12);
    assert!(close(&lab).iter().all(Result::is_ok));
    assert_eq!(names(place.path()), ["milling-0.png", "milling-7.gif"]);
    let (width, height, rgb) = pixels(&place.path().join("milling-0.png"));
    let world_px = lab.borrow().view.current.camera.screen_px.round();
    assert_eq!((f64::from(width), f64::from(height)), (world_px.x, world_px.y));
    assert!(rgb.chunks(3).any(|pixel| pixel != &rgb[..3]));
    // The GPU takes the picture of the window.
    press(&mut window, Modifiers::SHIFT, Key::F12);
    assert_eq!(lab.borrow().files.shots.waiting.len(), 1);
    assert!(names(place.path()).contains(&"milling-0-2.png.partial".to_owned()));
}

#[test]
fn the_button_and_the_panel_record() {
    let place = tempfile::tempdir().unwrap();
    let (mut window, lab) = window(studio(&place, VideoFormat::Gif));
    press(&mut window, Modifiers::SHIFT, Key::F9);
    window.get_by_label("1080p").click();
    window.run_steps(2);
    assert_eq!(lab.borrow().shell.settings.recording.size_px, (1920, 1080));
    window.get_by_label("480p").click();
    window.get_by_label("title").click();
    window.run_steps(2);
    let options = lab.borrow().shell.settings.recording.clone();
    assert!(options.title && options.size_px == (854, 480));
    window.get_by_label("⏺ Start recording").click();
    window.run_steps(3);
    assert!(lab.borrow().files.recordings.running().is_some());
    {
        let lab = &mut *lab.borrow_mut();
        lab.record_frames(0.0);
    };
    window.get_by_role_and_label(egui::accesskit::Role::Button, "Stop recording").click();
    window.run_steps(3);
    assert!(lab.borrow().files.recordings.running().is_none());
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert!(!lab.borrow().shell.popups.recording);
    assert!(close(&lab).iter().all(Result::is_ok));
    assert_eq!(names(place.path()), ["milling-7.gif"]);
}

#[test]
fn recording_options_are_clamped() {
    let options =
        RecordingOptions { size_px: (0, 100_000), frames_per_s: 1000, ..RecordingOptions::default() }.within_reason();
    assert_eq!(options.size_px, (16, 8192));
    assert_eq!(options.frames_per_s, 60);
}

/// Waits for the run that is recorded again. Returns the message about it.
fn wait_for_rerecording(lab: &mut Lab) -> String {
    while lab.files.recordings.works() {
        thread::sleep(std::time::Duration::from_millis(1));
        lab.record_frames(0.0);
    }
    last_told(lab)
}

#[test]
fn a_run_that_is_recorded_again_has_all_its_frames() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Gif);
    lab.shell.settings.recording.frames_per_s = 10;
    lab.shell.settings.recording.speed = 2.0;
    lab.run
        .host
        .apply(swarmarium_simulation::edit::Edit::Set { path: "groups.millers.count".into(), value: "3".into() })
        .unwrap();
    do_steps(&mut lab, 80);
    let hash = lab.run.host.simulation().hash();
    lab.rerecord(None);
    let told = wait_for_rerecording(&mut lab);
    assert!(told.contains("Saved") && failure(&lab).is_none(), "{told} {:?}", failure(&lab));
    assert_eq!(names(place.path()), ["milling-7-smooth.gif"]);
    // 80 steps of 25 ms, 0.2 s from frame to frame.
    assert_eq!(gif_frames(&place.path().join("milling-7-smooth.gif")), 11);
    assert_eq!(lab.run.host.simulation().hash(), hash);
    lab.rerecord(None);
    assert_eq!(wait_for_rerecording(&mut lab).matches("smooth-2.gif").count(), 1);
}

#[test]
fn a_recording_ends_after_its_length_and_its_part_is_rendered_again() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Gif);
    lab.shell.settings.recording.length_s = Some(0.5);
    do_steps(&mut lab, 30);
    lab.run.host.clock_mut().paused = false;
    assert_eq!(lab.video_part(), Some((VideoPart::RunSoFar, (0, 30))));
    lab.record();
    let mut frames = 0;
    while lab.files.recordings.running().is_some() {
        lab.record_frames(f64::from(frames) / 30.0);
        do_steps(&mut lab, 2);
        frames += 1;
        assert!(frames < 100);
    }
    assert_eq!(lab.video_part(), Some((VideoPart::LastRecording, (30, 58))));
    assert!(wait_for_rerecording(&mut lab).contains("15 frames"));
    assert_eq!(gif_frames(&place.path().join("milling-7.gif")), 15);
    lab.rerecord(None);
    assert!(wait_for_rerecording(&mut lab).contains("smooth"));
    // 28 steps of 25 ms.
    assert_eq!(gif_frames(&place.path().join("milling-7-smooth.gif")), 22);
    lab.timeline.set_range(RangeEnd::From, 10, 88);
    lab.timeline.set_range(RangeEnd::To, 20, 88);
    assert_eq!(lab.video_part(), Some((VideoPart::Range, (10, 20))));
    lab.files.recordings.part = Some(VideoPart::RunSoFar);
    let steps = lab.run.host.simulation().steps();
    assert_eq!(lab.video_part(), Some((VideoPart::RunSoFar, (0, steps))));
}

#[test]
fn a_window_that_stands_still_makes_no_recording_longer() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Gif);
    lab.shell.settings.recording.length_s = Some(0.5);
    lab.run.host.clock_mut().paused = false;
    lab.record();
    lab.record_frames(0.0);
    do_steps(&mut lab, 2);
    lab.record_frames(3.0);
    assert!(lab.files.recordings.running().is_none());
    assert!(wait_for_rerecording(&mut lab).contains("15 frames"));
    assert_eq!(gif_frames(&place.path().join("milling-7.gif")), 15);
}

#[test]
fn the_last_frame_shows_the_world_as_the_window_does() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Png);
    lab.shell.settings.recording.frames_per_s = 10;
    do_steps(&mut lab, 40);
    lab.rerecord(None);
    wait_for_rerecording(&mut lab);
    lab.view.painted = lab.view.current;
    lab.record();
    lab.record_frames(0.0);
    lab.record();
    wait_for_rerecording(&mut lab);
    let frames = |folder: &str| names(&place.path().join(folder));
    let (again, live) = (frames("milling-7-smooth"), frames("milling-7"));
    let frame = |folder: &str, name: &str| pixels(&place.path().join(folder).join(name));
    assert_eq!(again.len(), 11);
    assert_eq!(live.len(), 1);
    assert_eq!(frame("milling-7-smooth", again.last().unwrap()), frame("milling-7", &live[0]));
}

#[test]
fn a_recording_that_is_cancelled_leaves_no_file() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = studio(&place, VideoFormat::Gif);
    lab.rerecord(None);
    assert!(lab.notices.iter().any(|notice| notice.lines.concat().contains("no step")));
    do_steps(&mut lab, 2000);
    lab.rerecord(None);
    assert!(lab.files.recordings.rerecording().is_some_and(|progress| progress.steps == 2000));
    lab.rerecord(None);
    let told = wait_for_rerecording(&mut lab);
    assert!(told.contains("Cancelled"), "{told}");
    assert_eq!(names(place.path()), Vec::<String>::new());
    for format in [VideoFormat::Png, VideoFormat::Mp4] {
        lab.shell.settings.recording.format = format;
        lab.rerecord(None);
        lab.files.recordings.close();
        assert_eq!(names(place.path()), Vec::<String>::new(), "{format:?}");
    }
}
