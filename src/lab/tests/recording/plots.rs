//! Recordings with plots under the world.

use swarmarium_lab_state::action::{Changed, CompareAction};
use swarmarium_lab_state::common::settings::RobotPlot;

use super::*;

/// A lab that records frames with room for three plots under the world.
fn tall_studio(place: &tempfile::TempDir) -> Lab {
    let mut lab = studio(place, VideoFormat::Png);
    let options = &mut lab.shell.settings.recording;
    (options.size_px, options.clock, options.frames_per_s) = ((720, 400), false, 10);
    lab
}

/// The height of the world and of the gap below it in these frames.
const WORLD_ROWS: usize = 280;

/// Returns the pixels of the world, and those of the plots.
fn halves((width, height, rgb): &(u32, u32, Vec<u8>)) -> (Vec<u8>, Vec<u8>) {
    assert_eq!((*width, *height), (720, 400));
    let (world, plots) = rgb.split_at(3 * 720 * WORLD_ROWS);
    (world.to_vec(), plots.to_vec())
}

/// Returns the number of pixels in the blue of curves.
fn curve_pixels(pixels: &[u8]) -> usize {
    pixels.chunks(3).filter(|pixel| pixel[2].saturating_sub(pixel[0]) > 60).count()
}

fn compare(lab: &mut Lab) {
    let path = "groups.millers.controller.detected.turn_rad_per_s".into();
    lab.do_compare(CompareAction::Begin(vec![Changed { path, value: "1.8".into() }]));
    (0..50).for_each(|_| _ = lab.advance(0.0, || true));
    assert!(lab.compare.other.is_some(), "{:?}", lab.notices);
}

#[test]
fn plots_move_under_the_world_up_to_the_moment() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = tall_studio(&place);
    do_steps(&mut lab, 100);
    for has_plots in [true, false] {
        lab.shell.settings.recording.plots = has_plots;
        lab.record();
        for frame in 0..2 {
            do_steps(&mut lab, 100);
            lab.view.painted = lab.view.current;
            lab.record_frames(f64::from(frame) / 10.0);
        }
        lab.record();
    }
    assert!(close_of(&mut lab).iter().all(Result::is_ok));
    let frame =
        |folder: &str, number: u32| halves(&pixels(&place.path().join(folder).join(format!("frame_{number:05}.png"))));
    let ((world, plots), (later_world, later_plots)) = (frame("milling-7", 0), frame("milling-7", 1));
    assert!(world != later_world && plots != later_plots);
    assert!(curve_pixels(&plots) > 200 && curve_pixels(&later_plots) > 200);
    // The line between world and plots.
    let gap = Style::default().rgb(swarmarium_picture::palette::Role::Grid);
    let has_gap = |world: &[u8]| world.chunks(3).rev().take(2 * 720).all(|pixel| *pixel == gap);
    assert!(has_gap(&world) && !has_gap(&frame("milling-7-2", 1).0), "no band without the option");
}

#[test]
fn plots_that_are_rendered_again_end_as_they_were_seen() {
    for has_b in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let mut lab = tall_studio(&place);
        lab.plots.arrangement.layout.add_of_robots(RobotPlot::scatter());
        // Two rows of plots.
        lab.shell.settings.recording.size_px = (720, 520);
        if has_b {
            compare(&mut lab);
        }
        do_steps(&mut lab, 200);
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
        let last = frame("milling-7-smooth", again.last().unwrap());
        assert!(last == frame("milling-7", "frame_00000.png"), "B: {has_b}");
        assert_ne!(last, frame("milling-7-smooth", &again[again.len() / 2]), "B: {has_b}");
    }
}

#[test]
fn a_comparison_has_the_curves_of_both_worlds() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = tall_studio(&place);
    do_steps(&mut lab, 200);
    let mut films = Vec::new();
    for has_b in [false, true] {
        if has_b {
            compare(&mut lab);
        }
        lab.paint();
        lab.record();
        lab.record_frames(0.0);
        lab.record();
        assert!(close_of(&mut lab).iter().all(Result::is_ok));
        let folder = if has_b { "milling-7-2" } else { "milling-7" };
        films.push(halves(&pixels(&place.path().join(folder).join("frame_00000.png"))).1);
    }
    let [alone, both] = [0, 1].map(|film: usize| curve_pixels(&films[film]));
    assert!(both > alone + alone / 10, "{alone} {both}");
}

#[test]
fn a_clip_shows_the_plots_of_its_part() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = tall_studio(&place);
    do_steps(&mut lab, 200);
    lab.timeline.range = Some(swarmarium_lab_state::timeline::StepRange { from: 100, to: 140 });
    lab.export_clip();
    wait_for_rerecording(&mut lab);
    assert!(failure(&lab).is_none(), "{:?}", failure(&lab));
    let folder = place.path().join("milling-7-clip");
    let frames = names(&folder);
    assert_eq!(frames.len(), 11);
    let plots = |frame: usize| halves(&pixels(&folder.join(&frames[frame]))).1;
    assert!(plots(0) != plots(5) && plots(5) != plots(10));
}
