//! Tests of `lab_state::app::changes`: undo and redo.

use bevy_egui::egui::{self, Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use swarmarium_core::agent::failure::Failure;
use swarmarium_draw::Overlay;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_host::clock::UNLIMITED;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_panels::dispatch::act;
use swarmarium_lab_state::action::{Action, TimeAction};
use swarmarium_lab_state::app::{Lab, Options};
use swarmarium_lab_state::common::faults::cures;
use swarmarium_lab_state::common::settings::Settings;
use swarmarium_lab_state::files::save;
use swarmarium_lab_testing::{do_steps, lab_on, resimulate, window};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Recipe;

fn moved(agent: u32, x_m: f64) -> Edit {
    Edit::Move { agent, x_m, y_m: 3.0, heading_rad: 0.0 }
}

#[test]
fn refused_changes_are_reported_with_the_names_of_panels() {
    let mut lab = lab_on("milling");
    let control = lab.run.host.scene().controls[0].clone();
    let told = |lab: &mut Lab, path: &str, value: &str| {
        lab.notices = swarmarium_lab_state::notice::Notices::default();
        lab.edit(vec![Edit::Set { path: path.into(), value: value.into() }]);
        lab.notices.iter().next().unwrap().lines.join("\n")
    };
    let text = told(&mut lab, &control.of, "\"no number\"");
    assert!(text.starts_with(&format!("{}: ", control.label)), "{text}");
    let text = told(&mut lab, "groups.millers.count", "-1");
    assert!(!text.contains("groups."), "{text}");
    let text = told(&mut lab, "groups.nobody.count", "1");
    assert!(text.contains("nobody"), "{text}");
}

#[test]
fn undo_and_redo_keys_show_a_notice() {
    let (mut window, lab) = window(lab_on("milling"));
    do_steps(&mut lab.borrow_mut(), 20);
    let hash = lab.borrow().run.host.simulation().hash();
    lab.borrow_mut().edit(vec![moved(3, 2.0), moved(4, 3.0)]);
    lab.borrow_mut().advance(0.0, || true);
    let changed = lab.borrow().run.host.simulation().hash();
    assert_ne!(changed, hash, "seen at once, while time stands still");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
    resimulate(&mut lab.borrow_mut());
    window.run_steps(3);
    window.get_by_label("Undone: moved 2 robots");
    assert_eq!(lab.borrow().run.host.simulation().hash(), hash);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    window.run_steps(3);
    resimulate(&mut lab.borrow_mut());
    assert_eq!(lab.borrow().run.host.simulation().edits().len(), 2);
    assert_eq!(lab.borrow().run.host.simulation().hash(), changed, "as it was before");
}

#[test]
fn plots_follow_a_resimulation_with_an_edit_and_its_undo() {
    let mut lab = lab_on("milling");
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.3.x_m");
    do_steps(&mut lab, 40);
    lab.edit(vec![moved(3, 2.0)]);
    do_steps(&mut lab, 60);
    lab.undo();
    for _ in 0..20 {
        lab.advance(0.0, || false);
    }
    lab.edit(vec![moved(4, 3.0)]);
    lab.undo();
    assert!(lab.run.host.resimulate().is_some_and(|progress| progress.done > 0), "it goes on");
    resimulate(&mut lab);
    let mut untouched = lab_on("milling");
    untouched.plots.pin(&untouched.run, &mut untouched.notices, "agents.3.x_m");
    do_steps(&mut untouched, 100);
    let series = |lab: &Lab| lab.plots.history.series(lab.plots.history.names().count() - 1)[1..].to_vec();
    assert_eq!(lab.plots.history.steps(), untouched.plots.history.steps());
    assert_eq!(series(&lab), series(&untouched));
    assert_eq!(lab.run.host.simulation().hash(), untouched.run.host.simulation().hash());
}

#[test]
fn the_playback_speed_stays_over_jumps_and_resets_and_is_no_change() {
    let mut lab = lab_on("milling");
    let ctx = egui::Context::default();
    let speed = |lab: &Lab| lab.run.host.clock().scale();
    do_steps(&mut lab, 60);
    lab.edit(vec![moved(3, 2.0)]);
    do_steps(&mut lab, 40);
    let branch = lab.run.host.moment().branch;
    act(&mut lab, &ctx, Action::Time(TimeAction::Scale(0.25)));
    do_steps(&mut lab, 1);
    // Into the past, at another speed there, and back.
    for (step, scale) in [(20, None), (20, Some(0.125)), (101, None)] {
        lab.go_to(Moment { branch, step });
        resimulate(&mut lab);
        if let Some(scale) = scale {
            act(&mut lab, &ctx, Action::Time(TimeAction::Scale(scale)));
        }
    }
    assert_eq!(speed(&lab), 0.125);
    assert_eq!(lab.run.host.timeline().branches().len(), 1, "a speed in the past starts no branch");
    act(&mut lab, &ctx, Action::Time(TimeAction::Scale(UNLIMITED)));
    assert_eq!(lab.run.host.simulation().edits().len(), 1);
    assert_eq!(lab.run.host.changes().len(), 1);
    let before = lab.run.fingerprint_of_scene();
    act(&mut lab, &ctx, Action::Time(TimeAction::Scale(0.5)));
    assert_eq!(lab.run.fingerprint_of_scene(), before, "the scene does not change");
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(lab.run.host.simulation().edits().len(), 0, "undo takes back the last edit, not the speed");
    lab.reset(None);
    do_steps(&mut lab, 5);
    assert_eq!(speed(&lab), 0.5);
    assert_eq!(lab.run.host.simulation().edits().len(), 0);
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(speed(&lab), 0.5);
    lab.open_source("aggregation");
    assert_eq!(speed(&lab), lab.run.host.start().time.scale, "a scene opens at its own speed");
}

#[test]
fn the_speed_of_the_command_line_is_not_undoable() {
    let loaded = swarmarium_formats::load::load(Recipe::standard().kinds(), "milling", &[]).unwrap();
    let options = Options { speed: Some(4.0), paused: true, ..Options::default() };
    let mut lab = Lab::new(loaded, &Recipe::standard(), &options, Settings::default()).unwrap();
    do_steps(&mut lab, 2);
    assert_eq!(lab.run.host.clock().scale(), 4.0);
    assert_eq!(lab.run.host.changes().len(), 0);
    assert_eq!(lab.run.host.undo(), None);
}

#[test]
fn undo_keys_in_a_text_field_belong_to_the_field() {
    let (mut window, lab) = window(lab_on("milling"));
    lab.borrow_mut().edit(vec![moved(3, 2.0)]);
    lab.borrow_mut().advance(0.0, || true);
    assert_eq!(lab.borrow().run.host.changes().len(), 1);
    lab.borrow_mut().shell.popups.palette = Some("");
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
    assert!(lab.borrow().run.host.changes().iter().all(|change| !change.is_undone));
}

#[test]
fn plots_follow_an_undo() {
    let mut lab = lab_on("milling");
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.3.x_m");
    do_steps(&mut lab, 40);
    lab.edit(vec![moved(3, 2.0)]);
    do_steps(&mut lab, 40);
    lab.undo();
    resimulate(&mut lab);
    let mut untouched = lab_on("milling");
    untouched.plots.pin(&untouched.run, &mut untouched.notices, "agents.3.x_m");
    do_steps(&mut untouched, 80);
    assert_eq!(lab.plots.history.steps(), untouched.plots.history.steps());
    let series = |lab: &Lab| lab.plots.history.series(lab.plots.history.names().count() - 1)[1..].to_vec();
    assert_eq!(series(&lab), series(&untouched));
    assert_eq!(lab.run.host.simulation().hash(), untouched.run.host.simulation().hash());
}

#[test]
fn trails_follow_an_undo_and_occupancy_says_since_when() {
    let mut lab = lab_on("milling");
    lab.view.current.overlays.set(Overlay::AllTrails, true);
    do_steps(&mut lab, 40);
    lab.edit(vec![moved(3, 2.0)]);
    do_steps(&mut lab, 40);
    lab.undo();
    resimulate(&mut lab);
    // The shown past is resimulated while the run is paused.
    lab.advance(0.0, || true);
    resimulate(&mut lab);
    assert_eq!(lab.view.past.last_step(), Some(80));
    let agent = lab.run.host.simulation().agent(3).unwrap();
    let points: usize =
        lab.view.past.pieces_of(3, agent.pose.position_m, agent.pose.position_m).iter().map(Vec::len).sum();
    let mut untouched = lab_on("milling");
    untouched.view.current.overlays.set(Overlay::AllTrails, true);
    do_steps(&mut untouched, 80);
    let all: usize =
        untouched.view.past.pieces_of(3, agent.pose.position_m, agent.pose.position_m).iter().map(Vec::len).sum();
    assert!(all > 20 && points.abs_diff(all) <= 2, "{points} of {all} points");
}

#[test]
fn a_reset_is_undone_with_its_plots() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 30);
    let (hash, steps) = (lab.run.host.simulation().hash(), lab.plots.history.steps().len());
    lab.reset(Some(5));
    do_steps(&mut lab, 3);
    lab.undo();
    resimulate(&mut lab);
    assert_eq!(lab.run.host.simulation().hash(), hash);
    assert_eq!(lab.plots.history.steps().len(), steps);
    lab.redo();
    resimulate(&mut lab);
    assert_eq!(lab.run.host.start().seed, 5);
    assert_eq!(lab.run.host.simulation().steps(), 3);
    assert_eq!(lab.plots.history.steps().last(), Some(&3));
}

#[test]
fn a_drag_of_the_mouse_is_one_change() {
    let (mut window, lab) = window(lab_on("milling"));
    // The first slider is the playback speed, which is not a change of the run.
    let slider = window.get_all_by_role(egui::accesskit::Role::Slider).nth(1).unwrap().rect();
    window.drag_at(slider.center());
    window.run_steps(1);
    for part in 1..=5_u8 {
        window.hover_at(slider.center() + egui::vec2(f32::from(part) * 6.0, 0.0));
        window.run_steps(1);
        lab.borrow_mut().advance(0.0, || true);
    }
    window.drop_at(slider.center() + egui::vec2(30.0, 0.0));
    window.run_steps(2);
    lab.borrow_mut().run.host.flush_edits();
    assert_eq!(lab.borrow().run.host.changes().len(), 1, "{:?}", lab.borrow().run.host.changes());
}

#[test]
fn a_run_saved_while_paused_replays() {
    let place = tempfile::tempdir().unwrap();
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 10);
    let hash = lab.run.host.simulation().hash();
    let context = egui::Context::default();
    let fault = Edit::Fault { agent: 1, failure: Failure::Motors, is_active: true };
    act(&mut lab, &context, Action::Edits(vec![fault, moved(2, 4.0), Edit::Remove { path: "agents.0".into() }]));
    lab.advance(0.0, || true);
    save::run(&lab.run, &lab.timeline, &place.path().join("run")).unwrap();
    let read = |name: &str| std::fs::read_to_string(place.path().join("run").join(name)).unwrap();
    assert!(read("manifest.json").contains(&format!("{:016x}", hash.0)), "that of the last step");
    let log = swarmarium_simulation::edit::log::read("edits.ron", &read("edits.ron")).unwrap();
    assert_eq!(log.iter().map(|logged| logged.step).collect::<Vec<_>>(), [11, 11, 11]);
    let mut again = swarmarium_simulation::simulation::Simulation::new(lab.run.host.start()).unwrap();
    again.step(10);
    log.into_iter().for_each(|logged| again.replay(logged).unwrap());
    again.step(5);
    do_steps(&mut lab, 5);
    assert_eq!(again.hash(), lab.run.host.simulation().hash());
    let cured = cures(lab.run.host.simulation().agents());
    act(&mut lab, &context, Action::Edits(cured));
    do_steps(&mut lab, 1);
    assert!(cures(lab.run.host.simulation().agents()).is_empty());
}
