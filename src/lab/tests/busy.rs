//! Tests of long steps and long starts: the window goes on, they can be cancelled, and results stay the same.

use std::thread;
use std::time::{Duration, Instant};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{AddController as _, Controller, Senses};
use swarmarium_core::state::{NoMemory, StateHash};
use swarmarium_formats::standard::Standard as _;
use swarmarium_host::clock::host::Seek;
use swarmarium_lab_state::action::{Action, MomentCondition, TimeAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_testing::{lab_of, lab_with};
use swarmarium_scene::scene::reader;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::window::engine::{Engine, PATIENCE};

/// A controller that drives and takes its time.
#[derive(Component, Reflect, Clone)]
#[reflect(Default, Clone)]
struct Slow {
    v_m_per_s: f64,
    takes_s: f64,
}

impl Default for Slow {
    fn default() -> Self {
        Self { v_m_per_s: 0.1, takes_s: 0.15 }
    }
}

impl Controller for Slow {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, _: Senses) -> Command {
        thread::sleep(Duration::from_secs_f64(self.takes_s));
        Command::Drive { v_m_per_s: self.v_m_per_s, turn_rad_per_s: 0.3 }
    }
}

const SLOW: &str = "(groups: [(name: \"g\", controller: Slow())], metrics: [GroupRotation()])";

fn recipe() -> Recipe {
    Recipe::standard().with(|app: &mut App| {
        app.add_controller::<Slow>();
    })
}

fn busy_lab() -> Lab {
    let mut lab = lab_with(&recipe(), SLOW);
    lab.run.host.long_steps_apart = true;
    lab
}

/// Returns the hashes of the first steps of the slow scene, with edits before some of them.
fn hashes(steps: u64, edits: &[(u64, Edit)]) -> Vec<StateHash> {
    let recipe = recipe();
    let scene = reader::read(recipe.kinds(), "test.ron", SLOW).unwrap();
    let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
    let step = |step| {
        for (_, edit) in edits.iter().filter(|(before, _)| *before == step) {
            simulation.apply(edit.clone()).unwrap();
        }
        simulation.step(1);
        simulation.hash()
    };
    (1..=steps).map(step).collect()
}

/// Advances the lab as the stepping thread does, until a condition holds.
fn until(lab: &mut Lab, what: &str, is_so: impl Fn(&Lab) -> bool) {
    let began = Instant::now();
    while !is_so(lab) {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {:?}", lab.notices);
        lab.begin_frame(60.0);
        lab.advance(0.05, || false);
        thread::sleep(Duration::from_millis(1));
    }
}

fn steps(lab: &Lab) -> u64 {
    lab.run.host.simulation().steps()
}

fn faster() -> Edit {
    Edit::Set { path: "groups.g.controller.v_m_per_s".into(), value: "0.25".into() }
}

#[test]
fn the_window_goes_on_during_long_steps_and_results_stay_the_same() {
    let mut lab = busy_lab();
    lab.run.host.clock_mut().paused = false;
    let engine = Engine::start(lab).unwrap();
    let (began, mut frames, mut longest, mut was_away) = (Instant::now(), 0, Duration::ZERO, false);
    let end = loop {
        let asked = Instant::now();
        // Only the first step is longer than expected.
        let Some(mut lab) = engine.lab_within(PATIENCE) else { continue };
        lab.begin_frame(60.0);
        if steps(&lab) > 1 {
            longest = longest.max(asked.elapsed());
            frames += 1;
        }
        was_away |= lab.run.host.long_step().is_some_and(|step| step.step == steps(&lab) + 1);
        if steps(&lab) >= 5 || began.elapsed() > Duration::from_secs(60) {
            lab.run.host.clock_mut().paused = true;
            break steps(&lab);
        }
        drop(lab);
        thread::sleep(Duration::from_millis(5));
    };
    assert!(was_away && end >= 5, "{end}");
    assert!(frames > 20 && longest < PATIENCE, "{frames} frames, {longest:?}");
    let lab = engine.lab();
    assert_eq!(lab.run.host.simulation().hash(), hashes(end, &[])[end as usize - 1]);
    assert_eq!(lab.plots.history.last_step(), end, "plots follow");
    assert!(lab.run.step_s().unwrap() > 0.1, "the time of steps is known");
}

#[test]
fn a_cancelled_step_leaves_the_state_before_it() {
    let mut lab = busy_lab();
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "a long step", |lab| steps(lab) == 2 && lab.run.host.long_step().is_some());
    thread::sleep(Duration::from_millis(100));
    let known = hashes(4, &[]);
    let began = Instant::now();
    assert!(lab.run.host.cancel_long_step() && began.elapsed() < Duration::from_millis(50));
    assert!(lab.run.host.clock().paused && lab.run.host.long_step().is_none());
    lab.advance(0.05, || true);
    assert_eq!((steps(&lab), lab.run.host.simulation().hash()), (2, known[1]));
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "two more steps", |lab| steps(lab) == 4);
    assert_eq!(lab.run.host.simulation().hash(), known[3]);
}

#[test]
fn edits_wait_for_the_end_of_a_long_step_and_can_be_undone() {
    let mut lab = busy_lab();
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "a long step", |lab| steps(lab) == 2 && lab.run.host.long_step().is_some());
    lab.edit(vec![faster()]);
    until(&mut lab, "the change", |lab| steps(lab) >= 4);
    let (end, log) = (steps(&lab), lab.run.host.simulation().edits().to_vec());
    let [logged] = &log[..] else { panic!("{log:?}") };
    assert_eq!(logged.step, 4, "the third step was running");
    lab.run.host.cancel_long_step();
    let known = hashes(end, &[(logged.step, faster())]);
    assert_eq!(lab.run.host.simulation().hash(), known[end as usize - 1]);
    lab.undo();
    assert!(lab.progress().is_some(), "steps without the change are long, too");
    until(&mut lab, "undo", |lab| lab.run.host.resimulate().is_none());
    assert_eq!(lab.run.host.simulation().hash(), hashes(end, &[])[end as usize - 1]);
    // The past is replayed with the same edits.
    lab.redo();
    until(&mut lab, "redo", |lab| lab.run.host.resimulate().is_none());
    lab.go_to(swarmarium_host::timeline::Moment { step: 3, ..lab.run.host.moment() });
    until(&mut lab, "a jump", |lab| lab.run.host.resimulate().is_none());
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "the live end", |lab| steps(lab) == end);
    assert_eq!(lab.run.host.simulation().hash(), known[end as usize - 1]);
    assert_eq!(lab.run.host.simulation().edits(), log);
}

#[test]
fn a_search_does_long_steps_on_a_thread() {
    let mut lab = busy_lab();
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "five steps", |lab| steps(lab) == 5);
    lab.run.host.clock_mut().paused = true;
    lab.run.host.cancel_long_step();
    let condition = MomentCondition::Expression("t_s > 0.04".into());
    let find = |lab: &mut Lab| lab.find_moment(&condition, Seek::First);
    find(&mut lab);
    let began = Instant::now();
    lab.advance(0.05, || true);
    assert!(began.elapsed() < Duration::from_millis(100), "the search does not keep the lab");
    let search = lab.timeline.search.as_ref().unwrap();
    assert!(search.search.waits_for_thread());
    assert!(lab.cancel_progress() && lab.timeline.search.is_none());
    find(&mut lab);
    until(&mut lab, "the moment", |lab| lab.timeline.search.is_none() && lab.run.host.resimulate().is_none());
    assert_eq!(steps(&lab), 2, "{:?}", lab.notices);
}

const CROWD: &str = "(arena: (size_m: (5.0, 5.0), boundary: Walls), groups: [(name: \"g\", count: 5, \
    controller: Constant(), spawn: UniformBox(min_m: (1.5, 1.5), max_m: (3.5, 3.5)), body: Disc(radius_m: 0.037))])";

fn count(value: &str) -> Vec<Edit> {
    vec![Edit::Set { path: "groups.g.count".into(), value: value.into() }]
}

#[test]
fn a_start_with_many_robots_is_made_beside_the_run() {
    let text = CROWD.replace("(5.0, 5.0)", "(50.0, 50.0)");
    let mut lab = lab_of(&text);
    lab.run.host.long_steps_apart = true;
    lab.edit(count("3000"));
    assert_eq!(lab.run.host.simulation().count(), 5, "the present run stays meanwhile");
    assert!(lab.progress().is_some_and(|progress| progress.label.contains("3,000 robots")));
    until(&mut lab, "the start", |lab| lab.run.host.simulation().count() == 3000);
    let recipe = Recipe::standard();
    let scene = reader::read(recipe.kinds(), "test.ron", &text.replace("count: 5", "count: 3000")).unwrap();
    assert_eq!(lab.run.host.simulation().hash(), Simulation::with(&scene, &recipe, 1).unwrap().hash());
    lab.undo();
    until(&mut lab, "undo", |lab| lab.run.host.simulation().count() == 5);
    // A start that is being prepared is undone at once.
    lab.edit(count("4000"));
    lab.undo();
    assert!(lab.progress().is_none());
    until(&mut lab, "nothing", |lab| lab.progress().is_none());
    assert_eq!(lab.run.host.simulation().count(), 5);
}

#[test]
fn a_number_of_robots_without_room_is_said_before_it_is_applied() {
    let mut lab = lab_of(CROWD);
    lab.run.host.long_steps_apart = true;
    lab.edit(count("50000"));
    until(&mut lab, "the question", |lab| lab.notices.iter().any(|notice| notice.lines[0].starts_with("Only ")));
    assert_eq!(lab.run.host.simulation().count(), 5, "nothing is applied");
    let notice = lab.notices.iter().last().unwrap().clone();
    assert!(notice.lines[0].contains("of 50,000 robots of g fit without overlaps"), "{notice:?}");
    let [uses, anyway] = &notice.offers[..] else { panic!("{notice:?}") };
    assert_eq!(anyway.action, Action::Time(TimeAction::StartCrowded(count("50000"))));
    let Action::Edits(edits) = uses.action.clone() else { panic!("{uses:?}") };
    let [Edit::Set { path, value }] = &edits[..] else { panic!("{edits:?}") };
    assert_eq!(path, "groups.g.count");
    let fit: usize = value.parse().unwrap();
    lab.edit(edits);
    until(&mut lab, "the start", |lab| lab.run.host.simulation().count() == fit);
    assert_eq!(lab.run.host.simulation().without_room(), []);
    // A denser placement is made if the user insists.
    lab.start_crowded(count("6000"));
    until(&mut lab, "the crowd", |lab| lab.run.host.simulation().count() == 6000);
}

#[test]
fn changes_during_a_long_start_are_all_made() {
    let wide = CROWD.replace("(5.0, 5.0)", "(50.0, 50.0)");
    let set = |path: &str, value: &str| vec![Edit::Set { path: path.into(), value: value.into() }];
    let lab_of_five = || {
        let mut lab = lab_of(&wide);
        lab.run.host.long_steps_apart = true;
        lab
    };
    let mut lab = lab_of_five();
    lab.edit(count("3000"));
    lab.edit(set("seed", "9"));
    lab.edit(set("groups.g.spawn.min_m", "(1.0, 1.0)"));
    lab.edit(set("arena.size_m", "(51.0, 50.0)"));
    until(&mut lab, "all starts", |lab| lab.progress().is_none() && lab.run.host.scene().arena.size_m.x == 51.0);
    let scene = lab.run.host.scene().clone();
    assert_eq!((lab.run.host.simulation().count(), scene.seed), (3000, 9));
    let spawn = swarmarium_scene::scene::path::get(lab.run.recipe.kinds(), &scene, "groups.g.spawn.min_m").unwrap();
    assert_eq!(spawn.downcast_ref(), Some(&DVec2::ONE));
    // A smaller world starts at once, with the other changes that wait.
    let mut lab = lab_of_five();
    lab.edit(count("4000"));
    lab.edit(set("seed", "10"));
    lab.edit(count("7"));
    assert_eq!((lab.run.host.simulation().count(), lab.run.host.scene().seed), (7, 10));
    assert!(lab.progress().is_none());
    let mut lab = lab_of_five();
    lab.edit(count("4000"));
    lab.edit(set("seed", "11"));
    lab.reset(None);
    until(&mut lab, "the start before the reset", |lab| lab.progress().is_none() && lab.run.host.scene().seed == 11);
    assert_eq!(lab.run.host.simulation().count(), 4000);
}

#[test]
fn a_problem_of_a_long_start_is_reported_although_another_change_waits() {
    let mut lab = lab_of("(arena: (boundary: Open), groups: [(name: \"g\", count: 5)])");
    lab.run.host.long_steps_apart = true;
    lab.edit(count("1000001"));
    lab.edit(vec![Edit::Set { path: "seed".into(), value: "9".into() }]);
    until(&mut lab, "the second change", |lab| lab.run.host.scene().seed == 9);
    assert_eq!(lab.run.host.simulation().count(), 5);
    assert!(lab.notices.iter().any(|notice| notice.is_error), "{:?}", lab.notices);
}

#[test]
fn a_search_waits_for_a_long_start_with_its_metric() {
    let mut lab = lab_of(&CROWD.replace("(5.0, 5.0)", "(50.0, 50.0)").replace("count: 5", "count: 2500"));
    lab.run.host.long_steps_apart = true;
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "some steps", |lab| steps(lab) >= 3);
    lab.run.host.clock_mut().paused = true;
    let end = lab.run.host.live_end();
    let condition = MomentCondition::Expression("collisions > 0".into());
    lab.add_metric_and_find("Collisions", condition, Seek::First);
    assert!(lab.timeline.rerun.is_some());
    until(&mut lab, "the run", |lab| lab.timeline.rerun.is_none() && lab.progress().is_none());
    assert_eq!(lab.run.host.scene().metrics.len(), 1);
    assert!(lab.run.host.live_end() >= end, "the run was simulated again: {:?}", lab.notices);
    assert!(lab.timeline.sought.is_some(), "the search has begun: {:?}", lab.notices);
}

#[test]
fn long_steps_of_a_run_that_is_simulated_again_leave_the_window_free() {
    let mut lab = busy_lab();
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "some steps", |lab| steps(lab) >= 4);
    lab.run.host.clock_mut().paused = true;
    lab.add_metric_and_find("Scatter", MomentCondition::Any, Seek::First);
    until(&mut lab, "a long step", |lab| lab.run.host.long_step().is_some());
    assert!(lab.timeline.rerun.is_some() && steps(&lab) < 4);
    until(&mut lab, "the run", |lab| lab.timeline.rerun.is_none());
    assert!(lab.run.host.live_end() >= 4);
}

#[test]
fn long_steps_of_the_past_leave_the_playback_speed() {
    let mut lab = busy_lab();
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "some steps", |lab| steps(lab) >= 3);
    lab.run.host.set_scale(4.0).unwrap();
    until(&mut lab, "faster steps", |lab| steps(lab) >= 5);
    lab.run.host.clock_mut().paused = true;
    lab.run.host.cancel_long_step();
    lab.run.host.clock_mut().set_scale(1.0);
    let end = lab.run.host.live_end();
    lab.go_to(swarmarium_host::timeline::Moment { step: 2, ..lab.run.host.moment() });
    until(&mut lab, "a jump", |lab| lab.run.host.resimulate().is_none());
    lab.run.host.clock_mut().paused = false;
    until(&mut lab, "the live end", |lab| steps(lab) == end);
    assert_eq!(lab.run.host.clock().scale(), 1.0, "the past is replayed at the speed of the window");
}

#[test]
fn a_large_scene_is_opened_beside_the_run_and_cancel_keeps_the_present_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.ron");
    let large = CROWD.replace("(5.0, 5.0)", "(50.0, 50.0)").replace("count: 5", "count: 3000");
    std::fs::write(&path, &large).unwrap();
    let mut lab = lab_of(CROWD);
    lab.run.host.long_steps_apart = true;
    let source = path.display().to_string();
    lab.open_source(&source);
    assert_eq!(lab.run.host.simulation().count(), 5, "the present scene stays meanwhile");
    assert!(lab.progress().is_some_and(|progress| progress.label.contains("3,000 robots")));
    assert!(lab.cancel_progress());
    assert!(lab.progress().is_none());
    until(&mut lab, "nothing", |lab| lab.progress().is_none());
    assert_eq!((lab.run.openings, lab.run.host.simulation().count()), (1, 5));
    lab.open_source(&source);
    until(&mut lab, "the scene", |lab| lab.run.openings == 2);
    let recipe = Recipe::standard();
    let scene = reader::read(recipe.kinds(), "large.ron", &large).unwrap();
    assert_eq!(lab.run.host.simulation().hash(), Simulation::with(&scene, &recipe, 1).unwrap().hash());
    // A small scene is opened at once, in place of one that is being prepared.
    lab.open_source(&source);
    lab.open_source("milling");
    assert_eq!(lab.run.openings, 3);
    assert!(lab.progress().is_none());
    // An error says where it is.
    std::fs::write(&path, large.replace("Constant()", "Constant(v: 1)")).unwrap();
    lab.open_source(&source);
    assert!(lab.notices.iter().any(|notice| notice.lines.join(" ").contains("large.ron")), "{:?}", lab.notices);
}
