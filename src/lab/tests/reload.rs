//! Tests of `lab_state::app::opening`: files that change on disk.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::app::opening::are_made;
use swarmarium_lab_testing::{lab_on, until, window};
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::edit::Edit;

const GOOD: &str = "Scene(name: \"Two\", seed: 3, groups: [(name: \"a\", count: 2, body: Disc())])\n";

/// A window on a scene file in its own folder.
struct Bench {
    folder: tempfile::TempDir,
    window: Harness<'static>,
    lab: Rc<RefCell<Lab>>,
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("two.ron");
        fs::write(&file, GOOD).unwrap();
        let (window, lab) = window(lab_on(&file.display().to_string()));
        Self { folder, window, lab }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("two.ron")
    }

    fn write(&self, text: &str) {
        fs::write(self.file(), text).unwrap();
    }

    fn until(&mut self, what: &str, is_so: impl Fn(&Lab) -> bool) {
        until(&mut self.window, &self.lab, what, is_so);
    }

    fn set(&self, path: &str, value: &str) {
        let edit = Edit::Set { path: path.into(), value: value.into() };
        self.lab.borrow_mut().run.host.apply(edit).unwrap();
    }

    fn seed(&self) -> u64 {
        self.lab.borrow().run.host.simulation().scene_ahead().seed
    }
}

fn has_error(lab: &Lab) -> bool {
    lab.notices.iter().any(|notice| notice.is_error)
}

#[test]
fn a_broken_scene_file_is_reported_until_it_is_fixed() {
    let mut bench = Bench::new();
    let place = format!("{}:2:2", bench.file().display());
    bench.write("Scene(\n sed: 4,\n ordr: 1)");
    bench.until("broken", has_error);
    assert_eq!(bench.seed(), 3, "the last good one goes on");
    assert_eq!(bench.lab.borrow().run.restarts, 0, "the last good one goes on");
    bench.window.get_by_label(&place).click();
    // A new notice has its final place after some frames.
    bench.window.run_steps(4);
    bench.window.get_by_label("Copied");
    assert!(bench.window.query_by_label_contains("did you mean order").is_none());
    bench.window.get_by_label("Show all 2").click();
    bench.window.run_steps(3);
    bench.window.get_by_label_contains("did you mean order");
    bench.write(&GOOD.replace("seed: 3", "seed: 4"));
    bench.until("mended", |lab| !has_error(lab));
    assert_eq!(bench.seed(), 4);
    assert_eq!(bench.lab.borrow().run.restarts, 1);
    bench.window.get_by_label("two.ron was reloaded");
}

#[test]
fn a_scene_file_fixed_to_the_running_scene_does_not_restart_it() {
    let mut bench = Bench::new();
    bench.write("Scene(");
    bench.until("broken", has_error);
    bench.write(&GOOD.replace("seed", "// the same\nseed"));
    bench.until("mended", |lab| !has_error(lab));
    assert_eq!(bench.lab.borrow().run.restarts, 0);
}

#[test]
fn scene_files_may_be_replaced_or_removed_and_written_again() {
    let mut bench = Bench::new();
    let other = bench.folder.path().join("two.ron~");
    fs::write(&other, GOOD.replace("seed: 3", "seed: 5")).unwrap();
    fs::rename(&other, bench.file()).unwrap();
    bench.until("replaced", |lab| lab.run.restarts == 1);
    assert_eq!(bench.seed(), 5);
    fs::remove_file(bench.file()).unwrap();
    bench.until("gone", has_error);
    bench.write(&GOOD.replace("seed: 3", "seed: 6"));
    bench.until("back", |lab| lab.run.restarts == 2 && !has_error(lab));
    assert_eq!(bench.seed(), 6);
}

#[test]
fn changes_set_aside_by_a_reload_can_be_made_again() {
    let mut bench = Bench::new();
    bench.set("groups.a.body.radius_m", "0.2");
    bench.lab.borrow_mut().reset(None);
    bench.set("groups.a.body.radius_m", "0.3");
    bench.set("seed", "9");
    bench.set("groups.a.team", "red");
    let scale = Edit::TimeScale { scale: 2.0 };
    bench.lab.borrow_mut().run.host.apply(scale).unwrap();
    bench.lab.borrow_mut().reset(None);
    bench.write(&GOOD.replace("seed: 3", "seed: 9, about: \"new\""));
    bench.until("read", |lab| !lab.edits.set_aside.is_empty());
    bench.window.get_by_label("two.ron was reloaded; 3 changes made in the window are set aside");
    bench.window.get_by_label("Reapply my changes after reload").click();
    bench.window.run_steps(3);
    let lab = bench.lab.borrow();
    let scene = lab.run.host.simulation().scene_ahead();
    assert_eq!(scene.groups[0].body.radius_m(), 0.3);
    assert_eq!(scene.groups[0].team.as_str(), "red");
    assert_eq!(scene.about.as_str(), "new");
    assert_eq!(lab.edits.set_aside.len(), 0);
}

#[test]
fn changes_that_take_effect_at_a_reset_start_the_run_again() {
    let mut bench = Bench::new();
    bench.set("groups.a.count", "5");
    bench.set("groups.a.team", "red");
    bench.write(&GOOD.replace("seed: 3", "seed: 9"));
    bench.until("read", |lab| !lab.edits.set_aside.is_empty());
    let restarts = bench.lab.borrow().run.restarts;
    assert_eq!(bench.lab.borrow().run.host.simulation().count(), 2);
    bench.window.get_by_label("Reapply my changes after reload").click();
    bench.window.run_steps(3);
    let lab = bench.lab.borrow();
    assert_eq!(lab.run.host.simulation().count(), 5);
    assert_eq!(lab.run.restarts, restarts + 1);
    assert_eq!(lab.run.host.simulation().scene_ahead().groups[0].team, "red");
}

#[test]
fn robots_that_were_removed_before_a_reset_are_not_removed_again() {
    let mut bench = Bench::new();
    bench.set("groups.a.team", "red");
    let remove = Edit::Remove { path: "agents.0".into() };
    bench.lab.borrow_mut().run.host.apply(remove).unwrap();
    bench.lab.borrow_mut().reset(None);
    bench.write(&GOOD.replace("seed: 3", "seed: 4"));
    bench.until("read", |lab| !lab.edits.set_aside.is_empty());
    bench.window.get_by_label(
        "two.ron was reloaded; 1 change made in the window is set aside; \
         1 removed robot is back, as a restart gave the others new numbers",
    );
    bench.lab.borrow_mut().restore_changes();
    let lab = bench.lab.borrow();
    let simulation = lab.run.host.simulation();
    assert_eq!(simulation.agents().count(), 2);
    assert_eq!(simulation.scene_ahead().groups[0].team.as_str(), "red");
}

#[test]
fn a_new_seed_is_a_change() {
    let mut bench = Bench::new();
    bench.lab.borrow_mut().reset(Some(41));
    bench.write(&GOOD.replace("count: 2", "count: 3"));
    bench.until("read", |lab| !lab.edits.set_aside.is_empty());
    bench.lab.borrow_mut().restore_changes();
    assert_eq!(bench.seed(), 41);
}

#[test]
fn a_reload_that_cannot_start_changes_nothing() {
    let mut lab = lab_on("milling");
    lab.run.host.carried.push(Edit::Set { path: "seed".into(), value: "7".into() });
    lab.run.opened.scene.time.dt_s = -1.0;
    lab.revert();
    assert!(has_error(&lab));
    assert_eq!(lab.run.restarts, 0);
    assert_eq!(lab.run.host.carried.len(), 1);
}

#[test]
fn import_warnings_of_a_reload_stay_until_closed() {
    let mut bench = Bench::new();
    let world = bench.folder.path().join("w.yaml");
    let text = "type: RectangularWorld\nsize: [10, 10]\nmystery: 3\n";
    fs::write(&world, text).unwrap();
    bench.lab.borrow_mut().open_source(&world.display().to_string());
    bench.window.run_steps(3);
    let told = |lab: &Lab| lab.notices.iter().filter(|notice| notice.lines.concat().contains("mystery")).count();
    assert_eq!(told(&bench.lab.borrow()), 1, "{:?}", bench.lab.borrow().notices);
    bench.lab.borrow_mut().notices.say("Copied");
    bench.window.run_steps(2);
    bench.window.get_by_label_contains("not as in the imported file");
    fs::write(&world, text.replace("3", "4").replace("10, 10", "20, 10")).unwrap();
    bench.until("read", |lab| lab.run.host.scene().arena.size_m.x == 20.0);
    assert_eq!(told(&bench.lab.borrow()), 1, "reported once, also after a reload");
}

#[test]
fn changes_that_no_longer_fit_after_a_reload_are_reported() {
    let mut bench = Bench::new();
    bench.set("groups.a.count", "3");
    bench.set("seed", "8");
    bench.write(&GOOD.replace("\"a\"", "\"b\""));
    bench.until("read", |lab| lab.edits.set_aside.len() == 2);
    bench.lab.borrow_mut().restore_changes();
    bench.window.run_steps(3);
    assert_eq!(bench.seed(), 8);
    bench.window.get_by_label("1 change was made again");
    bench.window.get_by_label("1 change no longer fits");
}

#[test]
fn changes_of_before_an_earlier_reload_are_kept() {
    let mut bench = Bench::new();
    bench.set("groups.a.body.radius_m", "0.3");
    bench.set("groups.a.team", "red");
    bench.write(&GOOD.replace("seed: 3", "seed: 4"));
    bench.until("read", |lab| lab.run.restarts == 1);
    bench.set("groups.a.team", "blue");
    bench.lab.borrow_mut().notices.say("Copied");
    bench.window.run_steps(2);
    bench.window.get_by_label("Reapply my changes after reload");
    bench.write(&GOOD.replace("seed: 3", "seed: 5"));
    bench.until("read again", |lab| lab.run.restarts == 2);
    bench.window.get_by_label("two.ron was reloaded; 2 changes made in the window are set aside");
    bench.window.get_by_label("Reapply my changes after reload").click();
    bench.window.run_steps(3);
    let lab = bench.lab.borrow();
    let scene = lab.run.host.simulation().scene_ahead();
    assert_eq!(scene.groups[0].body.radius_m(), 0.3);
    assert_eq!(scene.groups[0].team.as_str(), "blue");
}

#[test]
fn changes_that_the_file_has_meanwhile_are_no_longer_offered() {
    let mut bench = Bench::new();
    bench.set("groups.a.team", "red");
    bench.write(&GOOD.replace("seed: 3", "seed: 4"));
    bench.until("read", |lab| !lab.edits.set_aside.is_empty());
    bench.write(&GOOD.replace("count: 2", "count: 2, team: \"red\""));
    bench.until("read again", |lab| lab.run.restarts == 2);
    assert_eq!(bench.lab.borrow().edits.set_aside, []);
    assert!(bench.window.query_by_label("Reapply my changes after reload").is_none());
}

#[test]
fn changes_of_a_reload_are_checked_together() {
    let lab = lab_on("milling");
    let kinds = lab.run.recipe.kinds();
    let set = |path: &str, value: &str| Edit::Set { path: path.into(), value: value.into() };
    let scene = |value: &str| {
        let text = format!("(groups: [(name: \"a\", body: Disc(), controller: Constant(v_m_per_s: {value}))])");
        reader::read::<Scene>(kinds, "a.ron", &text).unwrap()
    };
    let changes = [set("groups.a.controller", "Constant()"), set("groups.a.controller.v_m_per_s", "1")];
    assert!(are_made(kinds, &scene("1"), &changes), "the first alone would not be");
    // In the other order, the last change reverts the first one.
    let back = [set("groups.a.controller.v_m_per_s", "1"), set("groups.a.controller", "Constant()")];
    assert!(!are_made(kinds, &scene("1"), &back));
    assert!(!are_made(kinds, &scene("1"), &[Edit::Move { agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }]));
}

#[test]
fn saving_to_the_open_file_does_not_restart_the_run() {
    let mut bench = Bench::new();
    bench.set("seed", "12");
    swarmarium_lab_state::files::save::scene(&bench.lab.borrow().run, &bench.file()).unwrap();
    bench.until("saved", |lab| lab.run.opened.scene.seed == 12);
    assert_eq!(bench.lab.borrow().run.restarts, 0);
}

#[test]
fn saving_takes_overrides_along() {
    let mut bench = Bench::new();
    let wanted = swarmarium_formats::load::Override { path: "seed".into(), value: "77".into() };
    bench.lab.borrow_mut().run.opened.overrides.push(wanted);
    bench.set("seed", "12");
    bench.lab.borrow_mut().save_scene(&bench.file());
    bench.until("saved", |lab| lab.run.opened.scene.seed == 12 && lab.run.opened.overrides.is_empty());
    assert_eq!(bench.seed(), 12);
    assert_eq!(bench.lab.borrow().run.restarts, 0);
}

#[test]
fn overrides_are_applied_again() {
    let mut bench = Bench::new();
    let wanted = swarmarium_formats::load::Override { path: "seed".into(), value: "77".into() };
    bench.lab.borrow_mut().run.opened.overrides.push(wanted);
    bench.write(&GOOD.replace("count: 2", "count: 4"));
    bench.until("read", |lab| lab.run.restarts == 1);
    assert_eq!(bench.seed(), 77);
    assert_eq!(bench.lab.borrow().run.host.simulation().agents().count(), 4);
}

#[test]
fn values_that_are_mostly_mistakes_are_told() {
    let mut bench = Bench::new();
    let told = |lab: &Lab| lab.notices.iter().any(|notice| notice.lines.concat().contains("there are no sensors"));
    assert!(!told(&bench.lab.borrow()));
    bench.write("Scene(groups: [(name: \"a\", controller: Binary())])\n");
    bench.until("the warning", told);
    assert!(!has_error(&bench.lab.borrow()));
    // It names the parameter as panels do, and a scene without mistakes has none.
    let texts: String = bench.lab.borrow().notices.iter().flat_map(|notice| notice.lines.clone()).collect();
    assert!(texts.contains("Binary listens to sensor 0") && !texts.contains("groups[0]"), "{texts}");
    bench.write(GOOD);
    bench.until("the end of the warning", |lab| !told(lab));
}
