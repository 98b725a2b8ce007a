//! The lab without a window, for the tests of its crates: panels are operated by their labels.
#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected fails")]

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Once;
use std::thread::sleep;
use std::time::{Duration, Instant};

use bevy_egui::egui::{Event, Key, Pos2, Rect};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_formats::load::{Loaded, load};
use swarmarium_formats::standard::Standard as _;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_panels::frame::Panels;
use swarmarium_lab_state::app::{Lab, Options};
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::settings::Settings;
use swarmarium_lab_state::shell::docked::Content;
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::simulation::Recipe;

/// The time after which a test that waits has failed, however busy the machine is.
pub const LIMIT: Duration = Duration::from_secs(900);

/// Creates a lab on a scene given as text.
pub fn lab_of(text: &str) -> Lab {
    lab_with(&Recipe::standard(), text)
}

/// Creates a lab on a scene with the kinds of a recipe.
pub fn lab_with(recipe: &Recipe, text: &str) -> Lab {
    let scene: Scene = reader::read(recipe.kinds(), "test.ron", text).unwrap();
    lab(scene.into(), recipe)
}

/// Creates a lab on a shipped scene or a file.
pub fn lab_on(name: &str) -> Lab {
    // Paths are relative to the root of the project, as for a user in that folder.
    static AT_ROOT: Once = Once::new();
    AT_ROOT.call_once(|| std::env::set_current_dir(swarmarium_testing::file("")).unwrap());
    let recipe = Recipe::standard();
    lab(load(recipe.kinds(), name, &[]).unwrap(), &recipe)
}

/// Creates a lab on a scene file.
pub fn lab_on_file(path: &Path) -> Lab {
    let recipe = Recipe::standard();
    lab(load(recipe.kinds(), path.to_str().unwrap(), &[]).unwrap(), &recipe)
}

fn lab(loaded: Loaded, recipe: &Recipe) -> Lab {
    let options = Options { paused: true, ..Options::default() };
    let mut lab = Lab::new(loaded, recipe, &options, Settings::default()).unwrap();
    // On a busy machine, threads with a low priority may wait for minutes.
    lab.sweep.keeps_priority = true;
    // On a busy machine, a short step may take long.
    lab.run.host.long_steps_apart = false;
    lab
}

/// Does some steps at once, as the stepping thread would.
pub fn do_steps(lab: &mut Lab, steps: u64) {
    let wanted = lab.run.host.simulation().steps() + steps;
    lab.run.host.clock_mut().step_once(steps);
    lab.advance(0.0, || true);
    assert_eq!(lab.run.host.simulation().steps(), wanted);
}

/// Simulates again the steps that a jump or a changed past needs, and lets everything follow that depends on them, such
/// as a comparison.
pub fn resimulate(lab: &mut Lab) {
    while lab.run.host.resimulate().is_some() {
        lab.advance(0.0, || true);
    }
    lab.advance(0.0, || true);
}

/// Lets all background work finish.
pub fn settle(lab: &mut Lab) {
    let began = Instant::now();
    // The first frame begins what was asked for.
    lab.advance(0.0, || true);
    while lab.progress().is_some() || lab.timeline.wanted.is_some() || lab.run.host.resimulate().is_some() {
        lab.advance(0.0, || true);
        assert!(began.elapsed() < LIMIT, "the lab does not settle: {:?}", lab.progress());
    }
    lab.advance(0.0, || true);
}

/// Does some steps, goes back, begins a branch there, and compares it with the branch before it.
pub fn compare_with_fork(lab: &mut Lab, steps: u64, fork: u64) {
    do_steps(lab, steps);
    let main = lab.run.host.moment().branch;
    lab.go_to(Moment { branch: main, step: fork });
    resimulate(lab);
    lab.fork();
    lab.compare_branch(main);
}

/// Draws frames until a condition holds; the system reports changes of files with a delay.
pub fn until(window: &mut Harness, lab: &RefCell<Lab>, what: &str, is_so: impl Fn(&Lab) -> bool) {
    let start = Instant::now();
    while !is_so(&lab.borrow()) {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}: {:?}", lab.borrow().notices);
        sleep(Duration::from_millis(10));
        window.run_steps(1);
    }
    window.run_steps(2);
}

/// Creates the whole window of a lab, 1280 by 800 points. The lab can be read and changed between frames.
pub fn window(lab: Lab) -> (Harness<'static>, Rc<RefCell<Lab>>) {
    let lab = Rc::new(RefCell::new(lab));
    let (shared, mut panels) = (lab.clone(), Panels::default());
    let mut harness = Harness::builder().with_size([1280.0, 800.0]).build_ui(move |ui| {
        let mut lab = shared.borrow_mut();
        let picture = lab.paint();
        panels.ui(ui, &mut lab, &picture);
    });
    harness.run_steps(3);
    (harness, lab)
}

/// Returns the rectangle of a panel in the last frame, in points.
pub fn place_of(lab: &Lab, pane: Pane) -> Rect {
    let mut places = lab.shell.docked.places.iter();
    places.find(|(content, _)| *content == Content::Panel(pane)).map_or(Rect::NOTHING, |(_, rect)| *rect)
}

/// Clicks on the only widget with this label.
pub fn click(window: &mut Harness, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(4);
}

/// Clicks at a point of the window.
pub fn click_at(window: &mut Harness, at: Pos2) {
    window.drag_at(at);
    window.run_steps(1);
    window.drop_at(at);
    window.run_steps(3);
}

/// Replaces the text of the field with this label, and presses a key.
pub fn type_into(window: &mut Harness, label: &str, text: &str, key: Key) {
    window.get_by_label(label).focus();
    window.run_steps(2);
    window.event(Event::Text(text.into()));
    window.run_steps(2);
    window.key_press(key);
    window.run_steps(3);
}
