//! The timeline of a host: keyframes, going to other moments, branches.

use std::collections::BTreeMap;

use swarmarium_core::agent::failure::Failure;
use swarmarium_core::step::Workers;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::Seek;
use swarmarium_host::clock::wall::WallClock;
use swarmarium_host::timeline::{Moment, SavedTimeline, TimelineError};
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::choices::Dice;
use crate::support::edits::moved;
use crate::support::hosts::{finish, tracking_host};
use crate::support::{scene, scene_of, shipped_scenes};

/// A swarm with radios, a spawner over time, an object that moves, and metrics.
const WORLD: &str = r#"(
    arena: (size_m: (12.0, 12.0), boundary: Walls),
    groups: [
        (name: "fleet", at: [(2.0, 2.0, 0.0), (3.0, 2.0, 1.0), (4.0, 2.0, 2.0)], motion: Holonomic(),
            controller: Formation(), radio: (loss: Disc(range_m: 5.0), schedule: Periodic(period_s: 0.1))),
        (name: "late", count: 6, spawn: UniformBox(interval_steps: 7), sensors: [BinaryFov(rate_hz: 10.0), Proximity()],
            controller: Constant(v_m_per_s: 0.4, turn_rad_per_s: 0.2)),
    ],
    objects: [Disc(center_m: (6.0, 6.0), radius_m: 0.4, motion: Unicycle(), controller: Constant(v_m_per_s: 0.3))],
    metrics: [Collisions(), Scatter()],
)"#;

/// Goes to the end of a step, and gives the hash there.
fn hash_at(host: &mut Host, step: u64) -> u64 {
    host.seek(step).unwrap();
    finish(host);
    assert_eq!(host.simulation().steps(), step);
    host.simulation().hash_of_step().0
}

/// Runs live to a step, and notes the hash of each.
fn run(host: &mut Host, until: u64, hashes: &mut Vec<u64>) {
    host.advance_to(until, || true, |simulation| hashes.push(simulation.hash().0));
}

/// The hash of a new simulation with the log of the present branch, and of the host, both without what waits; metrics and
/// events are compared, too.
fn both_hashes(host: &Host) -> [u64; 2] {
    let mut again = Simulation::new(host.start()).unwrap();
    let mut log = Replay::new(host.timeline().present().edits());
    for step in 1..=host.simulation().steps() {
        log.due(step).for_each(|logged| again.replay(logged).unwrap());
        again.step(1);
    }
    let bits = |of: &Simulation| of.metrics().iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&again), bits(host.simulation()));
    assert!(again.events().iter().eq(host.simulation().events().iter()));
    [again.hash().0, host.simulation().hash_of_step().0]
}

#[test]
fn random_seeks_give_the_hashes_of_the_uninterrupted_run() {
    // The jumps in each scene; a long check sets more.
    let seeks = std::env::var("SWARMARIUM_SEEKS").ok().and_then(|seeks| seeks.parse().ok()).unwrap_or(20);
    for threads in [1, 2] {
        for file in shipped_scenes() {
            let scene = scene(&file);
            let mut plain = Simulation::new(&scene).unwrap();
            let mut expected = vec![plain.hash().0];
            let workers = move || if threads == 1 { Workers::new(1) } else { Workers::eager(threads) };
            let mut host = Host::with_workers(&scene, &Recipe::standard(), workers).unwrap();
            host.keep_track();
            for _ in 0..200 {
                plain.step(1);
                expected.push(plain.hash().0);
            }
            host.advance_to(200, || true, |_| {});
            let mut dice = Dice(threads as u64);
            for _ in 0..seeks {
                let step = dice.below(201);
                assert_eq!(hash_at(&mut host, step), expected[step as usize], "{file}: step {step}");
            }
            let step = dice.below(150);
            host.seek(step).unwrap();
            finish(&mut host);
            for step in step + 1..=200 {
                host.advance_to(step, || true, |_| {});
                assert_eq!(host.simulation().hash().0, expected[step as usize], "{file}: played to step {step}");
            }
        }
    }
}

#[test]
fn playing_the_past_repeats_the_run_and_continues_live() {
    let mut host = tracking_host(&scene_of(WORLD));
    let mut hashes = vec![host.simulation().hash().0];
    run(&mut host, 30, &mut hashes);
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    run(&mut host, 60, &mut hashes);
    host.apply(Edit::Spawn { group: "late".into(), x_m: 8.0, y_m: 8.0, heading_rad: 0.0 }).unwrap();
    run(&mut host, 100, &mut hashes);
    // A change while the run is paused belongs to the end of the branch.
    host.apply(moved(1, 9.0, 9.0)).unwrap();
    host.flush_edits();
    let at_end = host.simulation().hash().0;
    let known = |host: &Host| {
        let agents = host.simulation().agents().count();
        (host.simulation().edits().len(), agents, host.simulation().metrics().iter().map(|n| n.to_bits()).collect())
    };
    let end: (usize, usize, Vec<u64>) = known(&host);
    assert_eq!(hash_at(&mut host, 59), hashes[59]);
    assert!(host.is_in_past() && host.live_end() == 100 && host.simulation().edits().len() == 1);
    let mut played = Vec::new();
    run(&mut host, 100, &mut played);
    assert_eq!(played, hashes[60..=100]);
    assert!(!host.is_in_past());
    assert_eq!(host.simulation().hash().0, at_end);
    assert_eq!(known(&host), end.clone());
    assert_eq!(hash_at(&mut host, 31), hashes[31]);
    assert_eq!(hash_at(&mut host, 0), hashes[0]);
    assert_eq!(hash_at(&mut host, 100), hashes[100]);
    assert_eq!(host.simulation().hash().0, at_end);
    assert_eq!(known(&host), end);
    run(&mut host, 130, &mut hashes);
    assert_eq!(host.timeline().branches().len(), 1);
    let [again, here] = both_hashes(&host);
    assert_eq!(again, here);
}

#[test]
fn a_step_back_and_a_step_forward_are_exact() {
    let mut host = tracking_host(&scene("scenes/milling.ron"));
    let mut hashes = vec![host.simulation().hash().0];
    run(&mut host, 50, &mut hashes);
    for step in (0..50).rev() {
        host.step_back(1).unwrap();
        finish(&mut host);
        assert_eq!(host.simulation().steps(), step);
        assert_eq!(host.simulation().hash().0, hashes[step as usize]);
    }
    host.step_back(1).unwrap();
    assert!(host.resimulate().is_none() && host.simulation().steps() == 0);
    assert_eq!(hash_at(&mut host, 1), hashes[1]);
}

#[test]
fn an_edit_in_the_past_starts_a_branch_and_keeps_the_future() {
    let mut host = tracking_host(&scene_of(WORLD));
    let mut hashes = vec![host.simulation().hash().0];
    run(&mut host, 40, &mut hashes);
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    run(&mut host, 80, &mut hashes);
    let main = host.moment().branch;
    hash_at(&mut host, 20);
    host.set_scale(3.0).unwrap();
    assert_eq!(host.moment().branch, main, "how fast the past is shown is not part of it");
    host.apply(moved(2, 3.0, 9.0)).unwrap();
    let branch = host.moment().branch;
    assert_ne!(branch, main);
    let parent = host.timeline().present().parent();
    assert_eq!(parent, Some(Moment { branch: main, step: 20 }));
    let mut own = Vec::new();
    run(&mut host, 70, &mut own);
    assert!(!host.is_in_past() && host.simulation().edits().len() == 1);
    let [again, here] = both_hashes(&host);
    assert_eq!(again, here);
    assert_eq!(hash_at(&mut host, 10), hashes[10], "they have it in common");
    assert_eq!(hash_at(&mut host, 50), own[29]);
    host.switch(Moment { branch: main, step: 80 }).unwrap();
    finish(&mut host);
    assert_eq!(host.moment().branch, main);
    assert_eq!(host.simulation().hash().0, hashes[80]);
    assert_eq!(host.simulation().edits().len(), 1);
    host.switch(Moment { branch, step: 70 }).unwrap();
    finish(&mut host);
    assert_eq!(host.moment().branch, branch);
    assert_eq!(host.simulation().hash().0, own[49]);
    // Undo is of the present branch, and leaves the other one.
    assert_eq!(host.undo().as_deref(), Some("Moved fleet-2"));
    finish(&mut host);
    let mut untouched = Simulation::new(host.start()).unwrap();
    untouched.step(70);
    assert_eq!(host.simulation().hash(), untouched.hash());
    host.redo().unwrap();
    finish(&mut host);
    assert_eq!(host.simulation().hash().0, own[49]);
    host.switch(Moment { branch: main, step: 60 }).unwrap();
    finish(&mut host);
    assert_eq!(host.simulation().hash().0, hashes[60]);
}

#[test]
fn undo_in_the_past_starts_a_branch_and_keeps_the_future() {
    let mut host = tracking_host(&scene_of(WORLD));
    let mut hashes = vec![host.simulation().hash().0];
    run(&mut host, 10, &mut hashes);
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    run(&mut host, 30, &mut hashes);
    host.apply(moved(1, 9.0, 9.0)).unwrap();
    run(&mut host, 50, &mut hashes);
    let main = host.moment().branch;
    hash_at(&mut host, 20);
    assert_eq!(host.undo().as_deref(), Some("Moved fleet-0"), "the last change until here");
    finish(&mut host);
    let mut untouched = Simulation::new(host.start()).unwrap();
    untouched.step(20);
    assert_eq!(host.simulation().steps(), 20);
    assert_eq!(host.simulation().hash(), untouched.hash());
    assert_eq!(host.timeline().present().parent(), Some(Moment { branch: main, step: 10 }));
    host.switch(Moment { branch: main, step: 50 }).unwrap();
    finish(&mut host);
    assert_eq!(host.simulation().hash().0, hashes[50]);
    assert_eq!(host.simulation().edits().len(), 2);
    hash_at(&mut host, 5);
    assert_eq!(host.undo(), None, "nothing was changed until here");
    assert_eq!(host.can_undo_and_redo(), [false, false], "nothing was changed until here");
    assert_eq!(host.moment().branch, main);
}

#[test]
fn branches_at_random_steps_with_random_edits_equal_new_runs_of_their_logs() {
    for seed in 0..4 {
        let mut host = tracking_host(&scene_of(WORLD));
        let mut dice = Dice(seed);
        for _ in 0..25 {
            let end = host.live_end();
            match dice.below(6) {
                0 => {
                    host.undo();
                }
                1 => {
                    host.redo();
                }
                2 => {
                    let branches: Vec<Moment> =
                        host.timeline().branches().map(|of| Moment { branch: of.id(), step: of.end() }).collect();
                    let Moment { branch, step } = branches[dice.below(branches.len() as u64) as usize];
                    host.switch(Moment { branch, step: dice.below(step + 1) }).unwrap();
                }
                3 => {
                    host.reset_with_seed(dice.below(1000)).unwrap();
                }
                _ => host.seek(dice.below(end + 1)).unwrap(),
            }
            finish(&mut host);
            let (x_m, y_m) = (1.0 + dice.below(1000) as f64 / 100.0, 1.0 + dice.below(1000) as f64 / 100.0);
            let edit = match dice.below(8) {
                0 => Edit::Spawn { group: "late".into(), x_m, y_m, heading_rad: 0.0 },
                1 => Edit::Remove { path: format!("agents.{}", dice.below(9)) },
                2 => Edit::Set {
                    path: "groups.late.controller.v_m_per_s".into(),
                    value: format!("0.{}", 1 + dice.below(9)),
                },
                3 => Edit::MoveObject { object: 0, x_m, y_m, heading_rad: 0.0 },
                4 => Edit::Add {
                    list: "objects".into(),
                    value: format!("Disc(center_m: ({x_m}, {y_m}), radius_m: 0.2)"),
                },
                5 => Edit::Fault {
                    agent: dice.below(9) as u32,
                    failure: Failure::ALL[dice.below(4) as usize],
                    is_active: dice.below(2) == 0,
                },
                6 => Edit::Suspend { is_suspended: dice.below(2) == 0 },
                _ => moved(dice.below(9) as u32, x_m, y_m),
            };
            let before = host.timeline().branches().len();
            let was_past = host.is_in_past();
            let made = host.apply(edit).is_ok();
            assert_eq!(host.timeline().branches().len(), before + usize::from(made && was_past));
            let steps = host.simulation().steps();
            host.advance_to(steps + dice.below(40), || true, |_| {});
            let [again, here] = both_hashes(&host);
            assert_eq!(again, here, "seed {seed}, {:?}", host.moment());
        }
        // Every branch can still be gone to.
        let all: Vec<Moment> =
            host.timeline().branches().map(|of| Moment { branch: of.id(), step: of.end() }).collect();
        assert!(all.len() > 5, "{all:?}");
        for moment in all {
            host.switch(moment).unwrap();
            finish(&mut host);
            let [again, here] = both_hashes(&host);
            assert_eq!(again, here);
            assert_eq!(host.moment(), moment);
        }
    }
}

#[test]
fn a_seek_can_be_cancelled_and_the_last_one_counts() {
    let mut host = tracking_host(&scene("scenes/milling.ron"));
    host.set_keyframe_budget(0);
    let mut hashes = vec![host.simulation().hash().0];
    run(&mut host, 100, &mut hashes);
    host.seek(60).unwrap();
    host.continue_resimulation(|| false, |_| {});
    let progress = host.resimulate().unwrap();
    assert_eq!(progress.done, 1);
    assert_eq!(progress.steps, 60);
    assert_eq!(progress.label.as_str(), "Going to step 60");
    host.cancel_resimulation();
    assert_eq!(host.simulation().steps(), 100);
    assert_eq!(host.simulation().hash().0, hashes[100]);
    host.seek(60).unwrap();
    host.continue_resimulation(|| false, |_| {});
    host.seek(40).unwrap();
    finish(&mut host);
    assert_eq!(host.simulation().steps(), 40);
    assert_eq!(host.simulation().hash().0, hashes[40]);
    host.seek(90).unwrap();
    host.continue_resimulation(|| false, |_| {});
    host.cancel_resimulation();
    assert_eq!(host.simulation().steps(), 41, "a way forward ends where it came to");
    let refused = host.seek(101).unwrap_err();
    assert_eq!(refused.to_string(), "branch `main` has no step 101: it has steps 0 to 100");
    let mut plain = Host::new(host.start(), &Recipe::standard(), 1).unwrap();
    assert_eq!(plain.seek(0), Err(TimelineError::NotKept));
}

#[test]
fn bookmarks_and_branches_have_names() {
    let mut host = tracking_host(&scene("scenes/milling.ron"));
    host.advance_to(50, || true, |_| {});
    let moment = host.moment();
    host.timeline_mut().bookmark("wall", moment).unwrap();
    assert_eq!(host.timeline().bookmarked("wall"), Ok(moment));
    let bookmarked = |host: &mut Host, name: &str, step| {
        let moment = Moment { step, ..moment };
        host.timeline_mut().bookmark(name, moment).unwrap_err().to_string()
    };
    assert_eq!(bookmarked(&mut host, "wall", 3), "the name `wall` is taken");
    for name in [" 12 ", "35s", "2m", ""] {
        assert!(bookmarked(&mut host, name, 3).contains("is not a valid name"), "{name}");
    }
    assert!(bookmarked(&mut host, "late", 51).ends_with("it has steps 0 to 50"));
    let unknown = host.timeline().bookmarked("wal").unwrap_err().to_string();
    assert!(unknown.ends_with("; did you mean `wall`?"), "{unknown}");
    hash_at(&mut host, 20);
    let branch = host.fork(Some("second try")).unwrap();
    assert_eq!(host.timeline().named("second try").map(|found| found.id()), Ok(branch));
    assert!(host.fork(Some("main")).is_err() && host.timeline().branches().len() == 2);
    assert!(host.timeline_mut().remove(moment.branch).is_err(), "another one leaves it");
    host.switch(Moment { step: 0, ..moment }).unwrap();
    finish(&mut host);
    host.timeline_mut().remove(branch).unwrap();
    assert_eq!(host.timeline().branches().len(), 1);
}

#[test]
fn keyframes_share_what_does_not_change() {
    let mut host = tracking_host(&scene("scenes/milling.ron"));
    // How long steps take must not matter here.
    host.set_wall_clock(WallClock { steady_s: Box::new(|| 0.0), ..WallClock::default() });
    host.advance_to(16, || true, |_| {});
    let one = host.timeline().keyframe_stats();
    host.advance_to(160, || true, |_| {});
    let all = host.timeline().keyframe_stats();
    assert!(all.count > one.count && all.bytes > one.bytes);
    let first = one.bytes / one.count;
    let more = (all.bytes - one.bytes) / (all.count - one.count);
    assert!(more * 3 < first * 2, "{first} B, then {more} B");
}

#[test]
fn the_first_difference_of_two_branches_is_found() {
    let mut host = tracking_host(&scene("scenes/milling.ron"));
    host.advance_to(60, || true, |_| {});
    let main = host.moment().branch;
    hash_at(&mut host, 25);
    let copy = host.fork(None).unwrap();
    host.advance_to(40, || true, |_| {});
    host.apply(moved(3, 2.0, 2.0)).unwrap();
    host.advance_to(70, || true, |_| {});
    let find = |host: &Host, one, other| {
        let mut search = host.find_difference(one, other).unwrap();
        loop {
            if let Some(found) = search.advance(|| false) {
                return found.map(|found| (found.step, found.agent));
            }
        }
    };
    assert_eq!(find(&host, main, copy), Some((41, Some(3))));
    assert_eq!(find(&host, copy, main), Some((41, Some(3))));
    assert_eq!(find(&host, main, main), None);
    host.reset_with_seed(5).unwrap();
    let other = host.moment().branch;
    assert_eq!(find(&host, main, other).map(|(step, _)| step), Some(0));
}

#[test]
fn a_saved_timeline_gives_the_same_states_again() {
    let mut host = tracking_host(&scene_of(WORLD));
    let mut hashes = vec![host.simulation().hash().0];
    run(&mut host, 30, &mut hashes);
    host.apply(moved(0, 6.0, 9.0)).unwrap();
    run(&mut host, 60, &mut hashes);
    let (main, moment) = (host.moment().branch, host.moment());
    host.timeline_mut().bookmark("end", moment).unwrap();
    hash_at(&mut host, 40);
    host.apply(moved(2, 3.0, 9.0)).unwrap();
    let mut own = Vec::new();
    run(&mut host, 50, &mut own);
    let text = SavedTimeline::from_timeline(host.timeline()).text().unwrap();
    let saved = SavedTimeline::read("timeline.ron", &text).unwrap();
    let mut again = Host::new(host.start(), &Recipe::standard(), 1).unwrap();
    again.keep_track();
    again.load_timeline(&saved).unwrap();
    assert_eq!(again.moment().step, 0);
    assert_eq!(again.live_end(), 50);
    assert_eq!(again.timeline().present().name(), "branch-2");
    assert_eq!(hash_at(&mut again, 50), own[9]);
    again.switch(again.timeline().bookmarked("end").unwrap()).unwrap();
    finish(&mut again);
    assert_eq!(again.simulation().hash().0, hashes[60]);
    assert_eq!(again.timeline().present().name(), "main");
    assert_eq!(SavedTimeline::from_timeline(again.timeline()).branches, saved.branches);
    assert!(again.load_timeline(&saved).is_err());
    assert_eq!(main.0, 0);
}

/// Scenes with a kind of a family, some of which make sense.
fn scenes_with(family: &str, kind: &str) -> Vec<String> {
    const MOTIONS: [&str; 4] = ["DifferentialDrive()", "Unicycle()", "Holonomic()", "DoubleIntegrator()"];
    const SENSORS: [&str; 8] = [
        "BinaryFov(), Proximity()",
        "Infrared(), Proximity()",
        "Pose(), Gps()",
        "MotionOdometry()",
        "LaserScanner()",
        "Imu()",
        "Compass()",
        "",
    ];
    const CONTROLLERS: [&str; 2] = ["Constant(v_m_per_s: 0.3, turn_rad_per_s: 0.4)", "Constant()"];
    let mut scenes = Vec::new();
    for motion in MOTIONS {
        for sensors in SENSORS {
            for controller in CONTROLLERS {
                let mut parts = BTreeMap::from([
                    ("motion", motion.to_owned()),
                    ("sensors", sensors.to_owned()),
                    ("controller", controller.to_owned()),
                    ("spawn", "UniformBox(interval_steps: 3)".to_owned()),
                    ("loss", "Bernoulli(probability: 0.2)".to_owned()),
                    ("objects", "Disc(center_m: (6.0, 6.0), radius_m: 0.4)".to_owned()),
                    ("metrics", "AverageSpeed()".to_owned()),
                ]);
                match family {
                    "sensor" => parts.insert("sensors", format!("{kind}()")),
                    "noise" => parts.insert("sensors", sensors.replacen("()", &format!("(noise: [{kind}()])"), 1)),
                    "actuator" => parts.insert("controller", format!("External(actuators: [{kind}()])")),
                    "behaviour" => {
                        let states = format!("[(name: \"only\", behaviour: {kind}())]");
                        parts.insert("controller", format!("Supervisor(states: {states})"))
                    }
                    "spawner" => parts.insert("spawn", format!("{kind}()")),
                    "object" => parts.insert("objects", format!("{kind}()")),
                    "metric" => parts.insert("metrics", format!("{kind}()")),
                    family => parts.insert(family, format!("{kind}()")),
                };
                scenes.push(format!(
                    "(arena: (size_m: (12.0, 12.0), boundary: Walls),
                    groups: [(name: \"a\", count: 6, spawn: {}, motion: {}, sensors: [{}], controller: {},
                        radio: (loss: {}, schedule: Periodic(period_s: 0.1)))],
                    objects: [{}, Goal(area: Disc(center_m: (3.0, 9.0), radius_m: 1.0)), Light(position_m: (1.0, 1.0))],
                    metrics: [{}])",
                    parts["spawn"],
                    parts["motion"],
                    parts["sensors"],
                    parts["controller"],
                    parts["loss"],
                    parts["objects"],
                    parts["metrics"]
                ));
            }
        }
    }
    scenes.retain(|scene| scene.contains(kind));
    scenes
}

#[test]
fn every_kind_seeks_back_and_forth() {
    let recipe = Recipe::standard();
    let (mut tried, mut misfits) = (0, Vec::new());
    for family in recipe.kinds().family_names() {
        for kind in recipe.kinds().family(family) {
            let name = kind.name;
            let read = |text: &String| {
                let scene: Scene = reader::read(recipe.kinds(), "test.ron", text).ok()?;
                Simulation::new(&scene).ok().map(|simulation| (scene, simulation))
            };
            let Some((scene, mut plain)) = scenes_with(family, name).iter().find_map(read) else {
                misfits.push(format!("{family} {name}"));
                continue;
            };
            tried += 1;
            let bits = |simulation: &Simulation| simulation.metrics().iter().map(|n| n.to_bits()).collect::<Vec<_>>();
            let mut expected = vec![(plain.hash(), bits(&plain))];
            for _ in 0..60 {
                plain.step(1);
                expected.push((plain.hash(), bits(&plain)));
            }
            let mut host = tracking_host(&scene);
            host.advance_to(60, || true, |_| {});
            for step in [37, 5, 58, 16, 47] {
                host.seek(step).unwrap();
                finish(&mut host);
                for step in step..(step + 9).min(60) {
                    let here = (host.simulation().hash(), bits(host.simulation()));
                    assert_eq!(here, expected[step as usize], "{family} {name}: step {step}");
                    host.advance_to(step + 1, || true, |_| {});
                }
            }
        }
    }
    assert!(tried > 100 && misfits.len() * 8 < tried, "{tried} kinds were tried, no scene has {misfits:?}");
}

#[test]
fn seek_finds_the_first_the_previous_the_next_and_the_last_moment_of_a_condition() {
    let mut host = tracking_host(&scene("scenes/milling.ron"));
    let x_of = |simulation: &Simulation| simulation.agent(2).map_or(f64::NAN, |agent| agent.pose.position_m.x);
    let mut all = vec![x_of(host.simulation())];
    host.advance_to(1600, || true, |simulation| all.push(x_of(simulation)));
    let middle_m =
        (all.iter().fold(f64::MAX, |least, x| least.min(*x)) + all.iter().fold(f64::MIN, |most, x| most.max(*x))) / 2.0;
    let rises: Vec<u64> = (1..all.len())
        .filter(|step| all[*step] > middle_m && all[step - 1] <= middle_m)
        .map(|step| step as u64)
        .collect();
    assert!(rises.len() >= 2, "{rises:?}");
    let find_above = |host: &Host, seek, least_m: f64| {
        let mut search = host.search(seek).unwrap();
        loop {
            if let Some(found) = search.advance(host, |simulation| x_of(simulation) > least_m, || false).unwrap() {
                return found;
            }
        }
    };
    let find = |host: &Host, seek| find_above(host, seek, middle_m);
    let first = if all[0] > middle_m { 0 } else { rises[0] };
    for present in [1600, 1599, rises[1] + 1, rises[1], rises[0], rises[0] + 1, 1, 0] {
        hash_at(&mut host, present);
        let before = rises.iter().rev().find(|step| **step < present).copied();
        let after = rises.iter().find(|step| **step > present).copied();
        assert_eq!([find(&host, Seek::Previous), find(&host, Seek::Next)], [before, after], "from {present}");
        assert_eq!([find(&host, Seek::First), find(&host, Seek::Last)], [Some(first), rises.last().copied()]);
    }
    assert_eq!(find_above(&host, Seek::First, f64::MIN), Some(0), "it holds from the start");
    assert_eq!(find_above(&host, Seek::Next, f64::MIN), None, "it holds already");
    assert_eq!(host.moment().step, 0, "the host stays where it is");
}

#[test]
fn events_at_consecutive_steps_are_all_found() {
    let mut host = tracking_host(&scene_of(WORLD));
    host.advance_to(200, || true, |_| {});
    hash_at(&mut host, 50);
    let find = |seek| {
        let mut search = host.search(seek).unwrap().of_event();
        loop {
            let happens = |simulation: &Simulation| [49, 51, 52, 190, 191, 192].contains(&simulation.steps());
            if let Some(found) = search.advance(&host, happens, || false).unwrap() {
                return found;
            }
        }
    };
    assert_eq!([Seek::Previous, Seek::Next, Seek::Last].map(find), [Some(49), Some(51), Some(192)]);
    assert_eq!(find(Seek::First), Some(49));
}
