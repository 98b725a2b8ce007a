//! Sweeps as a user makes them: from a parameter to a figure, and from a point to its runs.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use egui_kittest::kittest::Queryable as _;
use swarmarium_formats::import;
use swarmarium_lab_panels::dispatch::sweeps::act;
use swarmarium_lab_state::action::{SweepAction, SweepFormat};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::app::sweeps::{folders, is_unfinished};
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::sweep_setup::{Levels, Setup, TakeKind};
use swarmarium_lab_state::plots::axis::Bounds;
use swarmarium_lab_state::sweeps::drawn::FigureRequest;
use swarmarium_lab_state::sweeps::refine;
use swarmarium_lab_state::sweeps::worker::{Phase, State, ViewRequest};
use swarmarium_lab_testing::{LIMIT, click, do_steps, lab_on, settle, window};
use swarmarium_simulation::edit::Edit;
use swarmarium_sweep::folder::{PLAN, REPORT};
use swarmarium_sweep::source::Source;
use swarmarium_sweep::{Folder, Outcome, Run, charts};

const RANGE: &str = "groups.millers.sensors.0.range_m";

const TURN: &str = "groups.millers.controller.clear.turn_rad_per_s";

/// A lab on a scene whose sweeps go to a folder of the test.
fn lab(folder: &Path) -> Lab {
    let mut lab = lab_on("milling");
    lab.files.places.sweeps = Some(folder.into());
    lab
}

/// A short setup with some points and repetitions for each.
fn setup(lab: &Lab, path: &str, points: u64, repetitions: u64) -> Setup {
    let mut setup =
        Setup::default().for_scene(lab.run.host.simulation()).with_factor(lab.run.host.simulation(), path, false);
    for factor in &mut setup.factors {
        if let Levels::Range(range) = &mut factor.levels {
            range.points = points;
        }
    }
    Setup { repetitions, duration_s: 2.0, last_s: 1.0, ..setup }
}

pub fn start(lab: &mut Lab, setup: Setup) {
    act(lab, SweepAction::SetOptions(setup));
    act(lab, SweepAction::Start);
}

/// Waits until the state of the sweep is as wanted.
fn wait(lab: &Lab, what: &str, is_there: impl Fn(&State) -> bool) -> State {
    let began = Instant::now();
    loop {
        let state = lab.sweep.state().expect("a sweep");
        if is_there(&state) {
            return state;
        }
        assert!(began.elapsed() < LIMIT, "{what}: {:?}, {} runs", state.phase, state.results.done);
        sleep(Duration::from_millis(5));
    }
}

fn wait_for_all(lab: &Lab) -> State {
    wait(lab, "all runs", |state| {
        let all = state.sweep.as_ref().map_or(u64::MAX, |sweep| sweep.run_count());
        state.phase == Phase::Ended && state.results.done >= all
    })
}

/// Lists the runs of a point.
fn runs_of(lab: &mut Lab, point: usize) -> Vec<Outcome> {
    act(lab, SweepAction::Choose(Some(point)));
    let view = ViewRequest { point: Some(point), theme: lab.shell.settings.theme, figure: None };
    lab.sweep.worker.as_ref().unwrap().request_view(view);
    let state = wait(lab, "the runs of a point", |state| {
        let runs = state.runs.as_ref().filter(|runs| runs.0 == point);
        runs.is_some_and(|runs| runs.1.iter().all(Option::is_some))
    });
    state.runs.unwrap().1.iter().flatten().cloned().collect()
}

/// Opens a run and compares the state of the window with its row.
fn check_opens(lab: &mut Lab, run: Run) {
    let outcome = runs_of(lab, run.point)[run.repetition as usize].clone();
    act(lab, SweepAction::OpenRun(run));
    settle(lab);
    let simulation = lab.run.host.simulation();
    assert_eq!(simulation.steps(), outcome.steps, "{run:?}");
    assert_eq!(simulation.hash().0, outcome.hash, "{run:?}");
    // The window reports a crowded start of any scene that it opens.
    let mut others = lab.notices.iter().filter(|notice| !notice.lines.concat().contains("found no room"));
    assert_eq!(others.next(), None, "{run:?}");
    assert!(lab.run.host.clock().paused);
}

#[test]
fn points_of_a_sweep_open_with_the_hashes_of_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = setup(&lab, RANGE, 4, 3);
    start(&mut lab, setup);
    let state = wait_for_all(&lab);
    let sweep = state.sweep.unwrap();
    assert_eq!(sweep.points.len(), 4);
    assert_eq!(sweep.run_count(), 12);
    assert!(state.figures.iter().any(|(name, _)| name == "mean_circliness-curve"), "{:?}", state.figures.len());
    for run in [Run { point: 0, repetition: 0 }, Run { point: 3, repetition: 2 }, Run { point: 1, repetition: 1 }] {
        check_opens(&mut lab, run);
    }
    // The run has a past, and the plots have all of it.
    lab.go_to(swarmarium_host::timeline::Moment { step: 10, ..lab.run.host.moment() });
    settle(&mut lab);
    assert_eq!(lab.run.host.simulation().steps(), 10);
    assert_eq!(lab.sweep.opened.map(|(run, _)| run), Some(Run { point: 1, repetition: 1 }));
}

#[test]
fn twenty_runs_of_six_millers_for_100_s_open_with_their_hashes() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = Setup { duration_s: 100.0, ..setup(&lab, "groups.millers.sensors.0.half_angle_rad", 5, 4) };
    let began = Instant::now();
    start(&mut lab, setup);
    wait(&lab, "a first curve", |state| state.results.done_of_points.iter().all(|done| *done > 0) && state.version > 0);
    // The times are printed; no check depends on them.
    eprintln!("first curve after {:.3} s", began.elapsed().as_secs_f64());
    wait_for_all(&lab);
    let mut times = Vec::new();
    for place in 0..20 {
        // Each run once, in a mixed order.
        let place = place * 7 % 20;
        let run = Run { point: place / 4, repetition: (place % 4) as u64 };
        runs_of(&mut lab, run.point);
        let began = Instant::now();
        check_opens(&mut lab, run);
        times.push(began.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    eprintln!("20 runs opened in {:.3} to {:.3} s, median {:.3} s", times[0], times[19], times[10]);
}

#[test]
fn a_long_run_opens_with_its_last_state() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    lab.edit(vec![Edit::Set { path: "groups.millers.count".into(), value: "300".into() }]);
    let setup = Setup { duration_s: 90.0, ..setup(&lab, TURN, 2, 1) };
    start(&mut lab, setup);
    let sweep = wait_for_all(&lab).sweep.unwrap();
    let run = Run { point: 1, repetition: 0 };
    assert!(lab.sweep.worker.as_ref().unwrap().end_of(sweep.key(run), 3600).is_some());
    check_opens(&mut lab, run);
    // It goes on from there, and its past can be seen.
    let end = lab.run.host.simulation().steps();
    do_steps(&mut lab, 10);
    lab.go_to(swarmarium_host::timeline::Moment { step: 20, ..lab.run.host.moment() });
    settle(&mut lab);
    assert_eq!(lab.run.host.simulation().steps(), 20);
    assert_eq!(lab.run.host.live_end(), end + 10);
}

#[test]
fn a_run_of_a_sweep_names_itself_and_leads_back_to_the_scene_with_its_changes() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    lab.edit(vec![Edit::Set { path: "groups.millers.count".into(), value: "4".into() }]);
    do_steps(&mut lab, 30);
    lab.edit(vec![Edit::Set { path: TURN.into(), value: "-0.7".into() }]);
    do_steps(&mut lab, 20);
    let (before, opened) = (lab.run.host.simulation().hash(), lab.run.opened.scene.groups[0].count);
    let setup = setup(&lab, RANGE, 3, 2);
    start(&mut lab, setup);
    wait_for_all(&lab);
    assert_eq!(lab.sweep.shown_run(lab.run.openings), None, "the scene is shown");
    for point in [1, 2] {
        check_opens(&mut lab, Run { point, repetition: 1 });
        let header = lab.header();
        assert!(header.starts_with("Milling, sweep run: seed 8, Sight range = "), "{header}");
    }
    act(&mut lab, SweepAction::BackToScene);
    settle(&mut lab);
    assert_eq!(lab.run.host.simulation().hash(), before, "the moment with its changes");
    assert_eq!((lab.run.host.simulation().count(), lab.run.opened.scene.groups[0].count), (4, opened));
    assert_eq!(lab.sweep.shown_run(lab.run.openings), None);
    lab.files.check_unsaved_changes(&lab.run, &lab.timeline, &mut lab.notices, 0.0);
    assert_eq!(lab.header(), "Milling *", "its changes are unsaved, as before");
    do_steps(&mut lab, 5);
    assert_eq!(lab.run.host.simulation().steps(), 55);
}

#[test]
fn the_name_of_a_varied_parameter_chooses_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    lab.set_up_sweep("groups.millers.count", false);
    let (mut window, lab) = window(lab);
    window.set_size(bevy_egui::egui::vec2(1280.0, 1000.0));
    window.run_steps(3);
    click(&mut window, "Varied parameter 1");
    window.get_by_label("Find a parameter to vary").focus();
    window.run_steps(2);
    window.event(bevy_egui::egui::Event::Text("half".into()));
    window.run_steps(3);
    window.get_by_role_and_label(bevy_egui::egui::accesskit::Role::Button, "Sight half angle").click();
    window.run_steps(3);
    let setup = lab.borrow().sweep.setup.clone();
    assert_eq!(setup.factors.iter().map(|factor| factor.name.as_str()).collect::<Vec<_>>(), ["Sight half angle"]);
    let two = setup.with_factor(lab.borrow().run.host.simulation(), RANGE, true);
    let other = two.with_factor_at(lab.borrow().run.host.simulation(), TURN, 0);
    assert_eq!(other.factors.iter().map(|factor| factor.path.as_str()).collect::<Vec<_>>(), [TURN, RANGE]);
    assert_eq!(other.with_factor_at(lab.borrow().run.host.simulation(), RANGE, 0), other, "no parameter varies twice");
}

#[test]
fn a_sweep_begins_with_the_scene_as_edited() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    lab.edit(vec![Edit::Set { path: "groups.millers.count".into(), value: "3".into() }]);
    let setup = setup(&lab, RANGE, 2, 1);
    start(&mut lab, setup);
    wait_for_all(&lab);
    check_opens(&mut lab, Run { point: 1, repetition: 0 });
    assert_eq!(lab.run.host.simulation().count(), 3);
}

#[test]
fn a_sweep_begins_at_the_present_moment_with_the_edits_until_then() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    do_steps(&mut lab, 30);
    lab.edit(vec![Edit::Set { path: TURN.into(), value: "-0.7".into() }]);
    do_steps(&mut lab, 20);
    // A change at the moment itself, made while the run is paused.
    lab.edit(vec![Edit::Set { path: TURN.into(), value: "-0.8".into() }]);
    let setup = Setup { from_moment: true, ..setup(&lab, RANGE, 3, 2) };
    start(&mut lab, setup);
    let sweep = wait_for_all(&lab).sweep.unwrap();
    assert_eq!(sweep.plan.begin.step, 50);
    let outcomes = runs_of(&mut lab, 0);
    assert_ne!(outcomes[0].hash, outcomes[1].hash, "repetitions have other seeds");
    // The first repetition goes on from here.
    let value = sweep.points[0][0].text().to_owned();
    lab.edit(vec![Edit::Set { path: RANGE.into(), value }]);
    do_steps(&mut lab, outcomes[0].steps - 50);
    assert_eq!(lab.run.host.simulation().hash().0, outcomes[0].hash);
    for run in [Run { point: 0, repetition: 0 }, Run { point: 2, repetition: 1 }] {
        check_opens(&mut lab, run);
    }
    // Two of them have the past up to the moment in common.
    act(&mut lab, SweepAction::OpenRun(Run { point: 2, repetition: 1 }));
    runs_of(&mut lab, 0);
    act(&mut lab, SweepAction::CompareRun(Run { point: 0, repetition: 1 }));
    settle(&mut lab);
    let other = lab.compare.other.as_ref().expect("B");
    assert_eq!(other.simulation().hash().0, outcomes[1].hash);
    // Another program goes on with the folder.
    let worker = lab.sweep.worker.take().unwrap();
    let source = Source::find(&worker.folder().display().to_string()).unwrap().unwrap();
    let again = source.resolve(&lab.run.recipe, &Default::default()).unwrap();
    assert_eq!(again.edits_of(Run { point: 0, repetition: 0 }), sweep.edits_of(Run { point: 0, repetition: 0 }));
    Folder::join(worker.folder(), &again).unwrap();
}

#[test]
fn parameters_that_need_a_start_are_refused_at_a_later_moment() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    do_steps(&mut lab, 5);
    let setup = Setup { from_moment: true, ..setup(&lab, "groups.millers.count", 3, 1) };
    start(&mut lab, setup);
    let state = wait(&lab, "the refusal", |state| matches!(state.phase, Phase::Failed(_)));
    let Phase::Failed(text) = state.phase else { panic!() };
    assert!(text.contains("takes effect only at a start"), "{text}");
}

#[test]
fn two_runs_of_a_sweep_are_compared_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = setup(&lab, RANGE, 3, 2);
    start(&mut lab, setup);
    wait_for_all(&lab);
    let other = runs_of(&mut lab, 2)[1].clone();
    check_opens(&mut lab, Run { point: 0, repetition: 0 });
    act(&mut lab, SweepAction::CompareRun(Run { point: 2, repetition: 1 }));
    settle(&mut lab);
    let b = lab.compare.other.as_ref().expect("B");
    assert_eq!(b.simulation().steps(), other.steps);
    assert_eq!(b.simulation().hash().0, other.hash);
}

#[test]
fn more_repetitions_and_a_finer_range_keep_the_runs_that_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = setup(&lab, RANGE, 3, 2);
    start(&mut lab, setup);
    let before = wait_for_all(&lab);
    let first = runs_of(&mut lab, 0);
    // Two requests in a row add up, even if the first one is taken, but the window does not see its plan yet.
    act(&mut lab, SweepAction::Repeat(1));
    while lab.sweep.worker.as_ref().unwrap().has_next() {
        std::thread::yield_now();
    }
    act(&mut lab, SweepAction::Repeat(2));
    let state = wait(&lab, "more repetitions", |state| state.results.done == 15 && state.phase == Phase::Ended);
    assert_eq!(state.made.1, 15, "no run is made twice");
    assert_eq!(runs_of(&mut lab, 0)[..2], first[..]);
    let ends: Vec<f64> = before.sweep.unwrap().points.iter().filter_map(|point| point[0].number()).collect();
    act(&mut lab, SweepAction::Refine { factor: 0, range: [ends[0], ends[1]], points: 2 });
    let state = wait(&lab, "finer points", |state| state.results.done == 25 && state.phase == Phase::Ended);
    let sweep = state.sweep.unwrap();
    assert_eq!(sweep.points.len(), 5);
    assert_eq!(state.made.1, 25);
    assert!(ends.iter().all(|end| sweep.points.iter().any(|point| point[0].number() == Some(*end))));
    check_opens(&mut lab, Run { point: 1, repetition: 4 });
    // A plan that is refused says so, and the sweep stays.
    act(&mut lab, SweepAction::Repeat(10_000_000));
    let state = wait(&lab, "a refusal", |state| state.refusal.is_some() && state.phase == Phase::Ended);
    assert!(state.refusal.unwrap().contains("at most"), "the limit");
    let refused = refine::refined(&sweep, 0, [ends[0], ends[0]], 3);
    assert!(refused.unwrap_err().contains("no new value"));
}

#[test]
fn a_sweep_can_be_paused_cancelled_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = Setup { duration_s: 20.0, ..setup(&lab, RANGE, 5, 40) };
    start(&mut lab, setup);
    wait(&lab, "a first run", |state| state.results.done > 0);
    act(&mut lab, SweepAction::Pause);
    sleep(Duration::from_millis(200));
    let held = lab.sweep.state().unwrap().made;
    sleep(Duration::from_millis(200));
    assert_eq!(lab.sweep.state().unwrap().made, held);
    act(&mut lab, SweepAction::Pause);
    act(&mut lab, SweepAction::Cancel);
    let state = wait(&lab, "the end", |state| state.phase == Phase::Ended);
    let path = lab.sweep.worker.as_ref().unwrap().folder().to_path_buf();
    assert!(path.join(REPORT).exists(), "what is done has tables");
    assert!(state.results.done < 200);
    act(&mut lab, SweepAction::Resume);
    wait(&lab, "all runs", |state| state.results.done == 200 && state.phase == Phase::Ended);
}

#[test]
fn a_window_that_is_killed_loses_no_finished_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = Setup { duration_s: 20.0, ..setup(&lab, RANGE, 5, 40) };
    start(&mut lab, setup);
    wait(&lab, "some runs", |state| state.results.done > 3);
    // Nothing is written at the end of the threads.
    lab.sweep.close_sweep();
    lab.sweep.ending.drain(..).for_each(|thread| thread.join().unwrap());
    let [path] = &folders(folder.path())[..] else { panic!("one sweep") };
    assert!(is_unfinished(path));
    let kept = Folder::open(path).unwrap().index().unwrap().keys().count() as u64;
    assert!(kept > 3);
    lab.offer_unfinished_sweeps();
    let notice = lab.notices.iter().last().unwrap().lines.join(" ");
    assert!(notice.contains("finished runs are kept"), "{notice}");
    act(&mut lab, SweepAction::ResumeFolder(path.clone()));
    let state = wait(&lab, "all runs", |state| state.results.done == 200 && state.phase == Phase::Ended);
    assert_eq!(state.made.1, 200 - kept);
    assert!(!is_unfinished(path));
}

#[test]
fn plans_of_files_of_other_programs_take_their_options() {
    let folder = tempfile::tempdir().unwrap();
    let world = "<world><robot type='QuickBot'><supervisor type='QuickBotDefaultSupervisor'/><pose x='0' y='0' theta='0'/>\
        </robot></world>";
    std::fs::write(folder.path().join("world.xml"), world).unwrap();
    let plan = folder.path().join("a.sweep.ron");
    let text = "Plan(scene: \"world.xml\", factors: [], repetitions: 2, stop: (time_s: 0.1), measures: [(name: \"end\", of: \"step\")])";
    std::fs::write(&plan, text).unwrap();
    let mut lab = lab(&folder.path().join("sweeps"));
    let imports = import::Options { lenient: true, ..Default::default() };
    assert!(lab.open_sweep(&plan.display().to_string(), &imports));
    assert_eq!(wait_for_all(&lab).made.1, 2);
}

#[test]
fn sweep_folders_and_plans_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(&folder.path().join("sweeps"));
    let setup = setup(&lab, RANGE, 3, 2);
    start(&mut lab, setup);
    let sweep = wait_for_all(&lab).sweep.unwrap();
    // A copy of the folder.
    let copy = folder.path().join("copy");
    act(&mut lab, SweepAction::SaveFolder(copy.clone()));
    while lab.files.recordings.works() {
        lab.record_frames(0.0);
        sleep(Duration::from_millis(5));
    }
    assert!(copy.join(REPORT).exists() && copy.join(PLAN).exists());
    // The plan with its scene.
    let plan = folder.path().join("again.sweep.ron");
    act(&mut lab, SweepAction::SavePlan(plan.clone()));
    let again = Source::find(&plan.display().to_string()).unwrap().unwrap();
    let again = again.resolve(&lab.run.recipe, &Default::default()).unwrap();
    assert!(sweep.runs().all(|run| again.scene_of(run).unwrap().seed == sweep.scene_of(run).unwrap().seed));
    // A folder that is opened or dropped shows its runs without making any.
    lab.open_source(&copy.display().to_string());
    let state = wait_for_all(&lab);
    assert_eq!(state.made.1, 0);
    check_opens(&mut lab, Run { point: 2, repetition: 1 });
    // A plan runs.
    lab.open_source(&plan.display().to_string());
    assert_eq!(wait_for_all(&lab).made.1, 6);
}

#[test]
fn figures_are_drawn_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = setup(&lab, RANGE, 3, 2).with_factor(lab.run.host.simulation(), TURN, true);
    start(&mut lab, Setup { duration_s: 1.0, ..setup });
    let state = wait_for_all(&lab);
    let sweep = state.sweep.unwrap();
    let names: Vec<String> = state.figures.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, ["mean_circliness-map", "mean_circliness-curves"]);
    let over_time = charts::over_time_names(&sweep)[0].clone();
    for name in names.into_iter().chain([over_time]) {
        let theme = lab.shell.settings.theme;
        let figure = FigureRequest {
            name: name.clone(),
            size_px: [400, 200],
            scale: 1.0,
            theme,
            has_pictures: true,
            bounds: Bounds::NONE,
        };
        lab.sweep.worker.as_ref().unwrap().request_view(ViewRequest { figure: Some(figure), point: None, theme });
        let state = wait(&lab, &name, |state| state.drawn.as_ref().is_some_and(|drawn| drawn.name == name));
        let drawn = state.drawn.unwrap();
        assert_eq!(drawn.size, [400, 200]);
        assert_eq!(drawn.rgba.len(), 400 * 200 * 4);
        assert!(drawn.plane.is_some(), "{name}");
    }
    for format in [SweepFormat::Svg, SweepFormat::Png, SweepFormat::Csv] {
        let path = folder.path().join(format!("figure.{}", format.extension()));
        act(&mut lab, SweepAction::ExportFigure(format, path.clone()));
        while lab.files.recordings.works() {
            lab.record_frames(0.0);
            sleep(Duration::from_millis(5));
        }
        assert!(path.metadata().unwrap().len() > 100, "{format:?}");
    }
    // Every point has a picture of its first run.
    for point in 0..sweep.points.len() {
        let key = sweep.key(Run { point, repetition: 0 });
        assert!(lab.sweep.worker.as_ref().unwrap().picture(key, lab.shell.settings.theme).is_some(), "{point}");
    }
}

#[test]
fn a_slider_becomes_a_sweep_in_two_clicks_and_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    lab.shell.settings.layout.close(Pane::Tree);
    let (mut window, lab) = window(lab);
    window.set_size(bevy_egui::egui::vec2(1280.0, 1000.0));
    window.run_steps(3);
    click(&mut window, &format!("Menu of Control {RANGE}"));
    click(&mut window, "Sweep…");
    assert_eq!(lab.borrow().sweep.setup.factors[0].name, "Sight range");
    lab.borrow_mut().sweep.setup.duration_s = 2.0;
    lab.borrow_mut().sweep.setup.repetitions = 2;
    window.run_steps(2);
    click(&mut window, "Start sweep");
    let began = Instant::now();
    while lab.borrow().sweep.state().is_none_or(|state| state.drawn.is_none() || state.results.done < 22) {
        window.run_steps(1);
        sleep(Duration::from_millis(10));
        assert!(began.elapsed() < LIMIT);
    }
    window.run_steps(3);
    window.get_by_label("Curve");
    click(&mut window, "Table");
    click(&mut window, "3");
    assert_eq!(lab.borrow().sweep.point, Some(2));
    while window.query_by_label("Open run 1 of point 3").is_none() {
        window.run_steps(1);
        sleep(Duration::from_millis(10));
        assert!(began.elapsed() < LIMIT);
    }
    click(&mut window, "Open run 1 of point 3");
    settle(&mut lab.borrow_mut());
    let lab = lab.borrow();
    let outcome = lab.sweep.state().unwrap().runs.unwrap().1[0].clone().unwrap();
    assert_eq!(lab.run.host.simulation().hash().0, outcome.hash);
}

#[test]
fn names_vary_and_two_factors_make_a_grid() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = setup(&lab, "order", 2, 2).with_factor(lab.run.host.simulation(), RANGE, true);
    start(&mut lab, setup);
    let state = wait_for_all(&lab);
    let sweep = state.sweep.unwrap();
    assert_eq!(sweep.points.len(), 15);
    check_opens(&mut lab, Run { point: 7, repetition: 1 });
    assert!(refine::refined(&sweep, 0, [0.0, 1.0], 3).is_err(), "names have no range");
}

#[test]
fn conditions_measure_shares_and_times() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = lab(folder.path());
    let setup = Setup { take: TakeKind::Reached, of: "circliness > 0.1".into(), ..setup(&lab, RANGE, 2, 2) };
    start(&mut lab, setup);
    let state = wait_for_all(&lab);
    let summary = &state.results.summaries[0][0];
    assert!(summary.share.is_some());
}
