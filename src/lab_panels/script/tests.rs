//! Tests of the editor of scripts, of their files and of the console.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use bevy_egui::egui::{self, Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_base::id::StableId;
use swarmarium_lab_state::action::{Action, ScriptAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::scripts::{self, literal};
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::common::toolbox::Tool;
use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, until, window};
use swarmarium_simulation::edit::Edit;

use crate::dispatch;

const SLOW: &str = "-- Goes straight on.
parameters = { speed = { 0.1, unit = \"m/s\", min = 0, max = 1, doc = \"Speed.\" } }
state = { steps = 0 }

function step(self, senses)
    self.steps += 1
    return self.speed, 0
end
";

fn fast() -> String {
    SLOW.replace("return self.speed", "return 2 * self.speed")
}

const BROKEN: &str = "function step(self, senses)\n    return 0.1,\nend\n";

fn scene(controller: &str) -> String {
    format!(
        "(arena: (size_m: (40, 40)), time: (dt_s: 0.1),
          groups: [(name: \"walkers\", at: [(5, 5, 0), (5, 9, 0)], controller: {controller})])"
    )
}

/// Returns a lab on a scene that contains a script.
fn lab_with(source: &str) -> Lab {
    let mut lab = lab_of(&scene(&format!("Script(file: \"walk.luau\", source: {})", literal(source))));
    lab.shell.settings.layout.show(Pane::Script);
    lab
}

const TEXT: &str = "Text of walk.luau";

/// Replaces the text in the editor.
fn write(window: &mut Harness, text: &str) {
    window.get_by_label(TEXT).focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(1);
    window.event(Event::Text(text.into()));
    window.run_steps(3);
}

fn press(window: &mut Harness, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

fn source(lab: &RefCell<Lab>) -> String {
    let lab = lab.borrow();
    let all = scripts::all(lab.run.host.simulation().scene_ahead());
    all.first().map(|script| script.source.as_str().to_owned()).unwrap_or_default()
}

/// Returns how far the first robot goes in ten steps, in metres.
fn way_m(lab: &RefCell<Lab>) -> f64 {
    let mut lab = lab.borrow_mut();
    let x_m = |lab: &Lab| lab.run.host.simulation().agent(0).unwrap().pose.position_m.x;
    let before = x_m(&lab);
    do_steps(&mut lab, 10);
    ((x_m(&lab) - before) * 1e6).round() / 1e6
}

#[test]
fn a_script_that_is_applied_runs_and_can_be_undone() {
    let (mut window, lab) = window(lab_with(SLOW));
    window.get_by_label("Running");
    assert_eq!(way_m(&lab), 0.1);
    write(&mut window, &fast());
    window.get_by_label("Changed");
    assert_eq!(source(&lab), SLOW, "it is not applied yet");
    click(&mut window, "Apply");
    window.get_by_label("Running");
    assert_eq!(source(&lab), fast());
    assert_eq!(way_m(&lab), 0.2);
    assert!(lab.borrow().run.host.changes().len() == 1, "{:?}", lab.borrow().run.host.changes());
    lab.borrow_mut().undo();
    lab.borrow_mut().advance(0.0, || true);
    window.run_steps(3);
    assert_eq!(source(&lab), SLOW);
    assert_eq!(window.get_by_label(TEXT).value().as_deref(), Some(SLOW), "the editor follows");
}

#[test]
fn a_script_with_a_syntax_error_is_shown_at_its_line_and_not_applied() {
    let (mut window, lab) = window(lab_with(SLOW));
    write(&mut window, BROKEN);
    window.get_by_label_contains("Error in line");
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert_eq!(source(&lab), SLOW, "the last good one goes on");
    assert!(lab.borrow().notices.iter().any(|notice| notice.text().starts_with("Not applied: ")));
    assert_eq!(way_m(&lab), 0.1);
    click(&mut window, "Reset");
    window.get_by_label("Running");
    assert_eq!(window.get_by_label(TEXT).value().as_deref(), Some(SLOW));
}

#[test]
fn typing_in_the_editor_of_scripts_runs_no_commands() {
    let (mut window, lab) = window(lab_with(SLOW));
    window.get_by_label(TEXT).focus();
    window.run_steps(2);
    for (modifiers, key) in [
        (Modifiers::NONE, Key::Space),
        (Modifiers::NONE, Key::W),
        (Modifiers::NONE, Key::R),
        (Modifiers::NONE, Key::Tab),
        (Modifiers::NONE, Key::Delete),
        (Modifiers::COMMAND, Key::A),
        (Modifiers::COMMAND, Key::D),
        (Modifiers::COMMAND, Key::N),
        (Modifiers::COMMAND, Key::R),
        (Modifiers::COMMAND, Key::Z),
    ] {
        press(&mut window, modifiers, key);
    }
    let lab = lab.borrow();
    assert!(lab.run.host.clock().paused);
    assert_eq!((lab.run.restarts, lab.run.openings), (0, 1));
    assert_eq!(lab.edits.toolbox.tool, Tool::Select);
    assert_eq!(lab.view.selection.items, []);
    assert_eq!(lab.run.host.simulation().count(), 2);
}

#[test]
fn tab_indents_and_a_new_line_continues_the_indentation() {
    let (mut window, _lab) = window(lab_with(SLOW));
    write(&mut window, "function step(self, senses)");
    press(&mut window, Modifiers::NONE, Key::Enter);
    press(&mut window, Modifiers::NONE, Key::Tab);
    window.event(Event::Text("local a = 1".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.event(Event::Text("return a, 0".into()));
    window.run_steps(2);
    let text = "function step(self, senses)\n    local a = 1\n    return a, 0";
    assert_eq!(window.get_by_label(TEXT).value().as_deref(), Some(text));
}

#[test]
fn a_change_from_elsewhere_never_replaces_typed_text() {
    let (mut window, lab) = window(lab_with(SLOW));
    let typed = format!("-- Typed.\n{SLOW}");
    write(&mut window, &typed);
    let set = |text: &str| {
        let edits = scripts::all(lab.borrow().run.host.simulation().scene_ahead())[0].edits(text);
        lab.borrow_mut().edit(edits);
    };
    set(&fast());
    window.run_steps(3);
    assert_eq!(window.get_by_label(TEXT).value().as_ref(), Some(&typed));
    window.get_by_label("⚠ walk.luau has changed outside of this editor");
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert_eq!(source(&lab), fast(), "nothing is replaced without an answer");
    click(&mut window, "Keep the typed text");
    click(&mut window, "Apply");
    assert_eq!(source(&lab), typed);
    write(&mut window, SLOW);
    set(&fast());
    window.run_steps(3);
    click(&mut window, "Show the new text");
    assert_eq!(window.get_by_label(TEXT).value(), Some(fast()));
}

/// Returns the poses of all robots after some steps.
fn poses(lab: &mut Lab, steps: u64) -> Vec<[u64; 3]> {
    do_steps(lab, steps);
    let agents = lab.run.host.simulation().agents();
    agents
        .map(|agent| [agent.pose.position_m.x, agent.pose.position_m.y, agent.pose.heading_rad].map(f64::to_bits))
        .collect()
}

#[test]
fn a_script_made_of_a_controller_behaves_as_the_controller() {
    let sensors =
        "sensors: [BinaryFov(range_m: 2.0, half_angle_rad: 0.6), BinaryFov(name: \"short eye\", range_m: 1.0)]";
    let drives = "clear: (v_m_per_s: 0.3, turn_rad_per_s: 0.7), detected: (v_m_per_s: -0.1, turn_rad_per_s: -1.3)";
    let table = "table: [(bits: 1, drive: (v_m_per_s: 0.2, turn_rad_per_s: 1.1))], otherwise: (v_m_per_s: 0.4)";
    let commands =
        "commands: [(v_m_per_s: 0.2, turn_rad_per_s: 1.1), (turn_rad_per_s: -0.3)], otherwise: (v_m_per_s: 0.4)";
    for controller in [
        "Constant(v_m_per_s: 0.1, turn_rad_per_s: 0.3)".to_owned(),
        "Constant(v_m_per_s: 1e-7, turn_rad_per_s: -0.1, rate_hz: 3.0, phase_s: 0.4)".to_owned(),
        format!("Binary({drives})"),
        format!("Binary({drives}, vote_readings: 5)"),
        format!("Bits({table})"),
        format!("Bits({table}, sensors: [1, 0])"),
        format!("Table({commands})"),
        format!("Table({commands}, sensors: [(1, 3), (0, 2)])"),
    ] {
        let text = format!(
            "(arena: (size_m: (6, 6), boundary: Walls), seed: 3, time: (dt_s: 0.1), groups: [(name: \"all\", count: 12,
               spawn: UniformBox(min_m: (1, 1), max_m: (5, 5)), {sensors}, controller: {controller})])"
        );
        let (mut lab, mut other) = (lab_of(&text), lab_of(&text));
        dispatch::act(&mut other, &egui::Context::default(), Action::Script(ScriptAction::New(0)));
        let errors: Vec<String> =
            other.notices.iter().filter(|notice| notice.is_error).map(|notice| notice.text()).collect();
        assert_eq!(errors, [""; 0], "{controller}");
        let all = scripts::all(other.run.host.simulation().scene_ahead());
        assert_eq!((all.len(), all[0].file.as_str()), (1, "all.luau"), "{controller}");
        let [expected, found] = [&mut lab, &mut other].map(|lab| poses(lab, 200));
        let failed = other.run.host.simulation().failed_scripts();
        assert!(failed.is_empty(), "{controller}: {failed:?}");
        assert_eq!(expected, found, "{controller}");
        other.undo();
        other.advance(0.0, || true);
        assert!(scripts::all(other.run.host.simulation().scene_ahead()).is_empty(), "one step back");
    }
}

#[test]
fn every_controller_can_become_a_script() {
    for (controller, motion) in [("Levy()", "Unicycle()"), ("Human()", "Unicycle()"), ("Velocity()", "Holonomic()")] {
        let text = format!(
            "(arena: (size_m: (6, 6)), groups: [(name: \"my group\", at: [(1, 1, 0)], motion: {motion},
               sensors: [BinaryFov(), BinaryFov(name: \"left eye\")], controller: {controller})])"
        );
        let mut lab = lab_of(&text);
        dispatch::act(&mut lab, &egui::Context::default(), Action::Script(ScriptAction::New(0)));
        let errors: Vec<String> = lab.notices.iter().filter(|it| it.is_error).map(|notice| notice.text()).collect();
        assert_eq!(errors, [""; 0], "{controller}");
        do_steps(&mut lab, 50);
        let failed = lab.run.host.simulation().failed_scripts();
        assert!(failed.is_empty(), "{controller}: {failed:?}");
    }
}

#[test]
fn a_new_script_is_made_for_the_selected_robot() {
    let mut lab = lab_of(&scene("Constant(v_m_per_s: 0.1)"));
    lab.shell.settings.layout.show(Pane::Script);
    lab.select(Some(Item::Agent(1)));
    let (mut window, lab) = window(lab);
    click(&mut window, "New script from this robot's controller");
    window.get_by_label("Text of walkers.luau");
    let way_m = way_m(&lab);
    assert_eq!(way_m, 0.1, "{:?}", lab.borrow().run.host.simulation().failed_scripts());
    assert!(lab.borrow().group_for_new_script().is_none(), "it is a script already");
    assert!(source(&lab).contains("v = { 0.1, unit = \"m/s\""), "{}", source(&lab));
}

#[test]
fn parameters_of_a_script_have_rows_with_units_and_defaults() {
    let (mut window, lab) = window(lab_with(SLOW));
    window.set_size(egui::vec2(1600.0, 3000.0));
    window.run_steps(4);
    let path = "groups.walkers.controller.parameters.speed";
    window.get_by_label(&format!("Slide {path}"));
    lab.borrow_mut().edit(vec![Edit::Set { path: path.into(), value: "0.5".into() }]);
    assert_eq!(way_m(&lab), 0.5);
    window.run_steps(3);
    click(&mut window, &format!("Reset {path}"));
    assert_eq!(way_m(&lab), 0.1);
}

#[test]
fn the_row_of_a_script_opens_it_in_the_editor() {
    let mut before = lab_with(SLOW);
    before.shell.settings.layout.close(Pane::Script);
    let (mut window, lab) = window(before);
    window.set_size(egui::vec2(1600.0, 3000.0));
    window.run_steps(4);
    window.get_by_label(&format!("{} characters", SLOW.len()));
    click(&mut window, "groups.walkers.controller.source");
    assert!(lab.borrow().shell.shows_panel(Pane::Script));
    window.get_by_label(TEXT);
}

const NOISY: &str = "function step(self, senses)
    if senses.step == 3 then
        print(\"at\", self.id)
    end
    if senses.step == 5 then
        error(\"no more\")
    end
    return 0.1, 0
end
";

#[test]
fn the_console_shows_texts_and_errors_of_scripts() {
    let mut before = lab_with(NOISY);
    before.shell.settings.layout.show(Pane::Console);
    do_steps(&mut before, 8);
    let (mut window, lab) = window(before);
    assert_eq!(window.query_all_by_label_contains("no more").count(), 2, "in the console and below the editor");
    window.get_by_label("and 1 more");
    window.get_by_label_contains("Error in line 6");
    let prints = |window: &Harness| window.query_all_by_label_contains("at\t").count();
    assert_eq!(prints(&window), 2);
    click(&mut window, "Errors only");
    assert_eq!(prints(&window), 0);
    click(&mut window, "Errors only");
    lab.borrow_mut().select(Some(Item::Agent(1)));
    click(&mut window, "Only of the selected robot");
    assert_eq!(prints(&window), 1);
    window.get_by_label_contains("no more (step 5)");
    click(&mut window, "Clear view");
    assert_eq!(prints(&window), 0);
    let events = lab.borrow().run.host.simulation().events().iter().filter(|it| it.who == StableId::agent(1)).count();
    assert_eq!(events, 2, "they are kept");
}

#[test]
fn events_of_scripts_that_print_are_in_the_console_only() {
    let mut before = lab_with(NOISY);
    before.shell.settings.layout.show(Pane::Events);
    before.shell.settings.layout.close(Pane::Script);
    do_steps(&mut before, 8);
    let (window, _lab) = window(before);
    assert_eq!(window.query_all_by_label_contains("at\t").count(), 0);
    assert_eq!(window.query_all_by_label_contains("no more").count(), 2, "errors are events of each robot");
}

/// A window on a scene file with a script beside it.
struct Bench {
    folder: tempfile::TempDir,
    window: Harness<'static>,
    lab: Rc<RefCell<Lab>>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("walk.ron");
        fs::write(&file, scene("Script(file: \"walk.luau\")")).unwrap();
        fs::write(folder.path().join("walk.luau"), SLOW).unwrap();
        let mut lab = lab_on(&file.display().to_string());
        lab.shell.settings.layout.show(Pane::Script);
        let (window, lab) = window(lab);
        Self { folder, window, lab }
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("walk.luau")
    }

    fn save(&self, text: &str) {
        fs::write(self.script(), text).unwrap();
    }

    fn until(&mut self, what: &str, is_so: impl Fn(&Lab) -> bool) {
        until(&mut self.window, &self.lab, what, is_so);
    }
}

fn has(lab: &Lab, text: &str) -> bool {
    scripts::all(lab.run.host.simulation().scene_ahead())[0].has(text)
}

fn has_error(lab: &Lab) -> bool {
    lab.notices.iter().any(|notice| notice.is_error)
}

#[test]
fn a_saved_script_runs_at_once_and_a_broken_one_does_not() {
    let mut bench = Bench::new();
    assert_eq!(way_m(&bench.lab), 0.1);
    bench.save(&fast());
    bench.until("saved", |lab| has(lab, &fast()));
    assert_eq!(way_m(&bench.lab), 0.2);
    assert_eq!(bench.lab.borrow().run.restarts, 0, "the run goes on");
    assert!(!bench.lab.borrow().files.autosave.is_unsaved(), "the file has it");
    bench.save(BROKEN);
    bench.until("broken", has_error);
    assert_eq!(source(&bench.lab), fast(), "the last good one goes on");
    assert_eq!(bench.window.get_by_label(TEXT).value().as_deref(), Some(BROKEN), "the editor shows it");
    bench.window.get_by_label_contains("Error in line");
    bench.save(SLOW);
    bench.until("corrected", |lab| has(lab, SLOW) && !has_error(lab));
    fs::remove_file(bench.script()).unwrap();
    bench.until("gone", has_error);
    assert_eq!(way_m(&bench.lab), 0.1, "it goes on");
    bench.save(&fast());
    bench.until("back", |lab| has(lab, &fast()) && !has_error(lab));
    // Undo and the files do not fight.
    bench.lab.borrow_mut().undo();
    bench.lab.borrow_mut().advance(0.0, || true);
    bench.window.run_steps(20);
    assert_eq!(source(&bench.lab), SLOW);
}

#[test]
fn the_editor_saves_the_file_of_a_script() {
    let mut bench = Bench::new();
    write(&mut bench.window, &fast());
    press(&mut bench.window, Modifiers::COMMAND, Key::Enter);
    assert_eq!(fs::read_to_string(bench.script()).unwrap(), fast());
    assert_eq!(way_m(&bench.lab), 0.2);
    let file = bench.folder.path().join("walk.ron");
    bench.lab.borrow_mut().save_scene(&file);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("walk.luau") && !text.contains("source"), "the script stays in its file: {text}");
    let other = bench.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    bench.lab.borrow_mut().save_scene(&other.join("walk.ron"));
    let read = |name: &str| fs::read_to_string(other.join(name)).unwrap();
    assert!(!read("walk.ron").contains("source"), "{}", read("walk.ron"));
    assert_eq!(read("walk.luau"), fast(), "it has a copy");
}

#[test]
fn a_reload_of_the_scene_has_the_scripts_of_their_files() {
    let mut bench = Bench::new();
    bench.save(&fast());
    bench.until("saved", |lab| has(lab, &fast()));
    let file = bench.folder.path().join("walk.ron");
    let text = scene("Script(file: \"walk.luau\")").replacen("(arena", "(seed: 7, arena", 1);
    fs::write(&file, text).unwrap();
    bench.until("read", |lab| lab.run.host.simulation().scene_ahead().seed == 7);
    assert_eq!(source(&bench.lab), fast());
    assert_eq!(bench.lab.borrow().edits.set_aside, [], "the file has the change");
}

#[test]
fn a_new_script_of_a_scene_file_has_a_file_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walk.ron");
    fs::write(&file, scene("Constant(v_m_per_s: 0.1)")).unwrap();
    let (mut window, lab) = window(lab_on(&file.display().to_string()));
    dispatch::act(&mut lab.borrow_mut(), &window.ctx, Action::Script(ScriptAction::New(0)));
    window.run_steps(4);
    assert!(lab.borrow().shell.shows_panel(Pane::Script));
    let text = fs::read_to_string(folder.path().join("walkers.luau")).unwrap();
    assert_eq!(text, source(&lab));
    window.get_by_label("Text of walkers.luau");
}
