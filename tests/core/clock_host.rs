//! A host of one simulation: it holds it, gives it time, and makes it again.

use std::sync::atomic::{AtomicU64, Ordering};

use swarmarium::prelude::*;
use swarmarium_core::time::Strategy;
use swarmarium_host::clock::host::*;
use swarmarium_host::clock::wall::WallClock;
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::description::{Epoch, Group, Scene, Time};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::support::edits::set;

const FRAME_S: f64 = 1.0 / 60.0;

fn scene() -> Scene {
    Scene { groups: vec![Group { count: 3, ..Group::default() }], ..Scene::default() }
}

fn host() -> Host {
    Host::new(&scene(), &Recipe::standard(), 1).unwrap()
}

fn seconds(host: &mut Host, seconds: u64) {
    (0..60 * seconds).for_each(|_| {
        host.advance(FRAME_S, || true, |_| {});
    });
}

#[test]
fn frames_and_plain_steps_end_in_the_same_state() {
    let mut host = host();
    host.set_scale(2.0).unwrap();
    seconds(&mut host, 1);
    let mut plain = Simulation::new(&scene()).unwrap();
    plain.step(80);
    assert_eq!(host.simulation().steps(), 80);
    assert_eq!(host.simulation().hash(), plain.hash());
}

#[test]
fn steps_of_clients_are_timed_and_clear_pending_single_steps() {
    let mut host = host();
    let dt_s = host.simulation().time().dt_s;
    for _ in 0..400 {
        host.advance_by_clients(1, dt_s / 2.0, |_| {});
    }
    let scale = host.clock().achieved_scale();
    assert!((scale - 2.0).abs() < 0.01, "{scale}");
    host.clock_mut().step_once(3);
    assert_eq!(host.advance_by_clients(0, dt_s, |_| {}), 0);
    assert_eq!(host.clock().next_step_s(dt_s), None, "they were forgotten");
}

#[test]
fn take_edits_returns_each_edit_once() {
    let mut host = host();
    host.apply(Edit::Suspend { is_suspended: true }).unwrap();
    host.advance_to(1, || true, |_| {});
    assert_eq!(host.take_edits().len(), 1);
    assert!(host.take_edits().is_empty() && host.simulation().edits().is_empty());
}

#[test]
fn scales_strategies_pauses_and_frames_change_no_hash() {
    let mut plain = Simulation::new(&scene()).unwrap();
    plain.step(400);
    for strategy in [Strategy::BestEffort, Strategy::FixedStep] {
        let time = Time { strategy, scale: 5.0, epoch: Epoch::Unix, max_steps_per_frame: 9, ..Time::default() };
        let mut host = Host::new(&Scene { time, ..scene() }, &Recipe::standard(), 1).unwrap();
        let mut frame: u32 = 0;
        while host.simulation().steps() < 390 {
            match frame % 7 {
                2 => host.set_scale(f64::from(1 + frame % 50)).unwrap(),
                4 => host.clock_mut().paused = true,
                5 => host.clock_mut().step_once(1),
                6 => host.clock_mut().paused = false,
                _ => {}
            }
            let mut budget = frame % 3;
            let able = || {
                budget = budget.saturating_sub(1);
                budget > 0
            };
            host.advance(FRAME_S * f64::from(frame % 4), able, |_| {});
            frame += 1;
        }
        host.advance_to(400, || true, |_| {});
        assert_eq!(host.simulation().steps(), 400);
        assert_eq!(host.simulation().hash(), plain.hash());
    }
}

/// Clocks that tell: each look at the steady one is a millisecond later than the one before.
fn told() -> WallClock {
    let looks = AtomicU64::new(0);
    WallClock {
        steady_s: Box::new(move || looks.fetch_add(1, Ordering::Relaxed) as f64 / 1000.0),
        unix_s: Box::new(|| 1e9),
    }
}

#[test]
fn step_times_come_from_the_given_wall_clock() {
    let mut host = host();
    host.set_wall_clock(told());
    host.advance_to(50, || true, |_| {});
    let found = host.clock().statistics();
    assert_eq!(found.steps, 50);
    assert_eq!(found.stretched_steps, 0);
    assert!((found.mean_step_s - 0.001).abs() < 1e-9 && found.variance_step_s < 1e-18);
    assert!((found.p99_s - 0.001).abs() < 1e-9);
    assert!((found.mean_tick_s - 0.002).abs() < 1e-9, "each step looks at the clock twice");
    host.reset().unwrap();
    assert_eq!(host.clock().statistics().steps, 0);
}

#[test]
fn the_epoch_is_that_of_the_scene_and_changes_no_hash() {
    for (epoch, epoch_s) in [(Epoch::Zero, 0.0), (Epoch::Unix, 1e9), (Epoch::At { unix_s: 7.5 }, 7.5)] {
        let time = Time { epoch, ..Time::default() };
        let mut timed = Host::new(&Scene { time, ..scene() }, &Recipe::standard(), 1).unwrap();
        timed.set_wall_clock(told());
        assert_eq!(timed.simulation().epoch_s(), epoch_s);
        timed.reset().unwrap();
        assert_eq!(timed.simulation().epoch_s(), epoch_s);
        assert_eq!(timed.simulation().hash(), host().simulation().hash());
    }
}

#[test]
fn the_scene_chooses_the_time_strategy() {
    let fixed = Scene { time: Time { strategy: Strategy::FixedStep, ..Time::default() }, ..scene() };
    let mut host = Host::new(&fixed, &Recipe::standard(), 1).unwrap();
    host.clock_mut().strategy = Strategy::BestEffort;
    host.reset().unwrap();
    assert_eq!(host.clock().strategy, Strategy::BestEffort, "as long as the scene asks for the same");
    host.open(fixed).unwrap();
    assert_eq!(host.clock().strategy, Strategy::FixedStep);
    assert_eq!(host.advance(10.0, || false, |_| {}), 1);
    assert_eq!(host.clock().dropped_s(), 0.0);
}

#[test]
fn the_step_callback_sees_every_step() {
    let mut host = host();
    let mut seen = Vec::new();
    host.advance(0.1, || true, |simulation| seen.push(simulation.steps()));
    assert_eq!(seen, [1, 2, 3, 4]);
}

#[test]
fn a_spent_budget_ends_the_frame_after_one_step() {
    let mut host = host();
    assert_eq!(host.advance(1.0, || false, |_| {}), 1);
    assert!((host.clock().dropped_s() - 35.0 * 0.025).abs() < 1e-9);
}

#[test]
fn set_scale_takes_effect_at_once_and_is_logged() {
    let mut host = host();
    host.set_scale(4.0).unwrap();
    host.set_scale(4.0).unwrap();
    assert_eq!(host.clock().scale(), 4.0);
    seconds(&mut host, 1);
    let logged: Vec<_> = host.simulation().edits().iter().map(|logged| logged.edit.clone()).collect();
    assert_eq!(logged, [Edit::TimeScale { scale: 4.0 }]);
}

#[test]
fn fields_with_the_constant_of_the_seed_follow_another_seed() {
    let mut scene = scene();
    let of = vec!["seed".into(), "groups.0.count".into()];
    scene.seed = 3;
    scene.constants = vec![constants::Constant { name: "S".into(), of, about: String::new() }];
    let mut host = Host::new(&scene, &Recipe::standard(), 1).unwrap();
    host.reset_with_seed(5).unwrap();
    assert_eq!(host.scene().seed, 5);
    assert_eq!(host.scene().groups[0].count, 5);
    assert!(host.reset_with_seed(u64::MAX).is_err(), "too many");
}

#[test]
fn a_logged_time_scale_is_followed() {
    let mut host = host();
    host.apply(Edit::TimeScale { scale: 8.0 }).unwrap();
    seconds(&mut host, 1);
    assert_eq!(host.clock().scale(), 8.0);
}

#[test]
fn a_reset_starts_again_and_keeps_the_time_scale() {
    let mut host = host();
    let start = host.simulation().hash();
    host.set_scale(4.0).unwrap();
    seconds(&mut host, 1);
    host.reset().unwrap();
    assert_eq!(host.simulation().hash(), start);
    assert_eq!(host.clock().scale(), 4.0);
    seconds(&mut host, 1);
    assert_eq!(host.clock().scale(), 4.0);
    assert_eq!(host.simulation().steps(), 160);
}

#[test]
fn a_reset_takes_an_edited_time_scale() {
    let mut host = host();
    host.set_scale(4.0).unwrap();
    host.apply(set("time.scale", "3")).unwrap();
    host.reset().unwrap();
    assert_eq!(host.clock().scale(), 3.0);
    assert_eq!(host.simulation().waiting_edits().len(), 0);
}

#[test]
fn the_time_scale_of_the_clock_is_not_logged_and_stays_over_resets() {
    let mut host = host();
    host.clock_mut().set_scale(0.5);
    seconds(&mut host, 1);
    host.reset().unwrap();
    seconds(&mut host, 1);
    assert_eq!(host.clock().scale(), 0.5);
    assert_eq!(host.simulation().edits().len(), 0);
    // An edit of the scene sets the clock, once.
    host.apply(set("time.scale", "3")).unwrap();
    host.reset().unwrap();
    assert_eq!(host.clock().scale(), 3.0);
    host.clock_mut().set_scale(0.5);
    host.reset().unwrap();
    assert_eq!(host.clock().scale(), 0.5);
}

#[test]
fn loading_another_scene_takes_its_time_scale() {
    let mut host = host();
    host.set_scale(4.0).unwrap();
    host.open(scene()).unwrap();
    assert_eq!(host.clock().scale(), 1.0);
    assert_eq!(host.simulation().waiting_edits().len(), 0);
}

#[test]
fn edits_of_the_scene_outlive_a_reset_and_end_with_a_load() {
    let mut host = host();
    host.apply(set("groups.0.count", "5")).unwrap();
    host.apply(set("seed", "9")).unwrap();
    host.advance_to(1, || true, |_| {});
    assert_eq!(host.simulation().agents().count(), 3);
    host.reset().unwrap();
    assert_eq!(host.simulation().agents().count(), 5);
    assert_eq!(host.scene().seed, 9);
    host.load(scene()).unwrap();
    assert_eq!(host.simulation().agents().count(), 3);
    assert_eq!(host.scene().seed, scene().seed);
}

#[test]
fn waiting_edits_survive_a_reset() {
    let mut host = host();
    host.apply(set("groups.0.count", "4")).unwrap();
    host.reset().unwrap();
    assert_eq!(host.simulation().agents().count(), 4);
}

#[test]
fn restart_with_another_seed_is_another_scene() {
    let mut host = host();
    host.reset_with_seed(99).unwrap();
    assert_eq!(host.scene().seed, 99);
    assert_eq!(host.simulation().scene().seed, 99);
}

#[test]
fn running_to_a_step_is_exact() {
    let mut host = host();
    assert_eq!(host.advance_to(17, || true, |_| {}), 17);
    assert_eq!(host.advance_to(5, || true, |_| {}), 0);
}

#[test]
fn a_host_pauses_at_the_end_of_a_run_and_can_continue() {
    let stop = Stop { when: "step >= 10".into(), ..Default::default() };
    let mut host = Host::new(&Scene { stop, ..scene() }, &Recipe::standard(), 1).unwrap();
    host.stops = true;
    seconds(&mut host, 1);
    assert_eq!(host.simulation().steps(), 10);
    assert!(host.clock().paused);
    assert!(host.has_ended());
    host.clock_mut().paused = false;
    seconds(&mut host, 1);
    assert!(host.simulation().steps() > 40 && !host.clock().paused);
    host.reset().unwrap();
    seconds(&mut host, 1);
    assert_eq!(host.simulation().steps(), 10);
}
