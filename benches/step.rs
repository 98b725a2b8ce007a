//! Costs of a step and of what goes with it: `cargo bench --bench step`.

use divan::Bencher;
use divan::counter::ItemsCount;
use swarmarium::prelude::*;
use swarmarium_core::controller::constant::Constant;
use swarmarium_core::radio::Schedule;
use swarmarium_core::radio::loss::disc::Disc;
use swarmarium_core::spawner::point::Point;

mod start;

const COUNTS: [usize; 3] = [10, 1_000, 100_000];

fn main() {
    divan::main();
}

fn step(bencher: Bencher, mut simulation: Simulation) {
    bencher.bench_local(|| simulation.step(1));
}

fn step_per_robot(bencher: Bencher, mut simulation: Simulation) {
    bencher.counter(ItemsCount::new(simulation.count())).bench_local(|| simulation.step(1));
}

/// The schedule alone.
#[divan::bench]
fn nobody(bencher: Bencher) {
    step(bencher, start::simulation("m", 0));
}

/// The schedule and what it does for anybody who is there.
#[divan::bench]
fn ten_who_are_idle(bencher: Bencher) {
    let mut scene = start::scene("m", 10);
    scene.groups[0].controller = Slot::new(Constant::default());
    step(bencher, Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}")));
}

#[divan::bench(args = COUNTS)]
fn straight_on(bencher: Bencher, count: usize) {
    step_per_robot(bencher, start::simulation("m", count));
}

#[divan::bench(args = COUNTS)]
fn diffusion(bencher: Bencher, count: usize) {
    step_per_robot(bencher, start::simulation("a", count));
}

/// Robots with radios that reach some eight others, a tenth of which have a turn in a step.
#[divan::bench(args = [10, 1_000, 10_000])]
fn radio(bencher: Bencher, count: usize) {
    step_per_robot(bencher, start::simulation("radio_10000", count));
}

/// The same, and one among them that reaches most of the others and has a turn in every step.
#[divan::bench(args = [10, 1_000, 10_000])]
fn radio_with_a_base(bencher: Bencher, count: usize) {
    let mut scene = start::scene("radio_10000", count);
    let schedule = Schedule::Periodic { period_s: scene.time.dt_s, phase_s: 0.0 };
    let radio = Radio { loss: Slot::new(Disc { range_m: 80.0 }), schedule, ..Default::default() };
    let (name, spawn) = ("base".into(), Slot::new(Point::default()));
    scene.groups.push(Group { name, count: 1, spawn, radio: Some(radio), ..scene.groups[0].clone() });
    step_per_robot(bencher, Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}")));
}

#[divan::bench(args = COUNTS)]
fn state_hash(bencher: Bencher, count: usize) {
    let simulation = start::simulation("a", count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| simulation.hash());
}

#[divan::bench(args = COUNTS, sample_count = 10)]
fn set_up(bencher: Bencher, count: usize) {
    let scene = start::scene("a", count);
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| Simulation::new(&scene).map(|simulation| simulation.count()));
}
