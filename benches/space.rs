//! Costs of the algorithms on space, per body: `cargo bench --bench space`.

use bevy::math::DVec2;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use swarmarium_base::math;
use swarmarium_core::agent::Pose;
use swarmarium_space::arena::Arena;
use swarmarium_space::{Aperture, Body, Boundary, Field, Space, Surroundings};

mod start;

const COUNTS: [usize; 3] = [10, 1_000, 100_000];

/// Radius (m) of a foot-bot.
const RADIUS: f64 = 0.085_036_758;

fn main() {
    divan::main();
}

/// Walls around `count` bodies that stand as the robots of a scene of `bench/`, in any order.
fn space(name: &str, count: usize) -> Space {
    let simulation = start::simulation(name, count);
    let Arena { corner_m, size_m, .. } = simulation.scene().arena;
    let mut space = Space::new(Field { low: corner_m, ..Field::new(size_m, Boundary::Walls) });
    space.bodies.resize(count);
    for (row, agent) in simulation.agents().enumerate() {
        let Pose { position_m: position, heading_rad: heading } = agent.pose;
        space.bodies.set(row, Body { position, heading, radius: RADIUS, ..Body::default() });
    }
    space.update();
    space
}

/// The same, with the bodies in the order of the cells.
fn sorted_space(name: &str, count: usize) -> Space {
    let unsorted = space(name, count);
    let mut space = unsorted.clone();
    for (row, from) in unsorted.index().rows().enumerate() {
        let (position, heading) = (unsorted.bodies.positions()[from], unsorted.bodies.headings()[from]);
        space.bodies.set(row, Body { position, heading, radius: RADIUS, ..Body::default() });
    }
    space.update();
    space
}

/// Moves every body a step of 5 mm ahead, back and forth.
fn step(space: &mut Space, sign: f64) {
    for row in 0..space.bodies.len() {
        space.bodies.shift(row, space.bodies.facings()[row] * 0.005 * sign);
    }
}

#[divan::bench(args = COUNTS)]
fn index_of_bodies_in_any_order(bencher: Bencher, count: usize) {
    index_after_a_step(bencher, space("m", count));
}

#[divan::bench(args = COUNTS)]
fn index_of_bodies_in_the_order_of_cells(bencher: Bencher, count: usize) {
    index_after_a_step(bencher, sorted_space("m", count));
}

fn index_after_a_step(bencher: Bencher, mut space: Space) {
    let mut sign = 1.0;
    bencher.counter(ItemsCount::new(space.bodies.len())).bench_local(|| {
        step(&mut space, sign);
        sign = -sign;
        space.update();
    });
}

#[divan::bench(args = COUNTS)]
fn index_without_a_step(bencher: Bencher, count: usize) {
    let mut space = space("m", count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| space.update());
}

#[divan::bench(args = COUNTS)]
fn single_ray(bencher: Bencher, count: usize) {
    let space = space("m", count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let (positions, facings) = (space.bodies.positions(), space.bodies.facings());
        let rows = space.index().rows();
        let hits = rows.filter_map(|row| space.first_hit(positions[row], facings[row], RADIUS + 0.1, Some(row)));
        hits.map(|hit| hit.distance).sum::<f64>()
    });
}

#[divan::bench(args = COUNTS)]
fn rays(bencher: Bencher, count: usize) {
    let space = space("m", count);
    let fan: Vec<_> = (0..24).map(|k| math::direction((7.5 + 15.0 * f64::from(k)).to_radians())).collect();
    let mut around = Surroundings::default();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let mut sum = 0.0;
        for row in space.index().rows() {
            let (position, facing) = (space.bodies.positions()[row], space.bodies.facings()[row]);
            if space.look_around(position, RADIUS + 0.1, Some(row), &mut around) {
                let casts = fan.iter().filter_map(|ray| around.cast(facing.rotate(*ray), RADIUS, 0.1));
                sum += casts.map(|hit| hit.distance).sum::<f64>();
            }
        }
        sum
    });
}

#[divan::bench(args = COUNTS)]
fn neighbours(bencher: Bencher, count: usize) {
    let space = space("m", count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let mut sum = DVec2::ZERO;
        for row in space.index().rows() {
            let position = space.bodies.positions()[row];
            space.index().centers_within_range(position, 1.0, Some(row), |body| sum += body.offset);
        }
        sum
    });
}

#[divan::bench(args = COUNTS)]
fn visible_neighbours(bencher: Bencher, count: usize) {
    let space = space("m", count);
    let mut around = Surroundings::default();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let mut seen = 0;
        for row in space.index().rows() {
            let position = space.bodies.positions()[row];
            space.look_around(position, 1.0, Some(row), &mut around);
            space.index().centers_within_range(position, 1.0, Some(row), |body| {
                seen += usize::from(around.shows(body.offset, Some(body.row)));
            });
        }
        seen
    });
}

#[divan::bench(args = COUNTS)]
fn sector(bencher: Bencher, count: usize) {
    let space = space("milling_10000", count);
    let aperture = Aperture::new(0.45, 2.0, 0.0);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let sees = |row: usize| {
            let sector = aperture.toward(space.bodies.facings()[row]);
            space.index().within_sector(space.bodies.positions()[row], black_box(&sector), Some(row), |_| true)
        };
        space.index().rows().filter(|&row| sees(row)).count()
    });
}

#[divan::bench(args = COUNTS)]
fn collisions(bencher: Bencher, count: usize) {
    let mut space = space("m", count);
    let mut sign = 1.0;
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        step(&mut space, sign);
        sign = -sign;
        space.update();
        space.resolve(4, None)
    });
}
