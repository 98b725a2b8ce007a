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

/// A floor plan of rooms with doors, and some noise, in pixels of 5 cm, with about this number of corners.
fn map(corners: usize) -> Space {
    // Each room has about 47 rectangles, with one for each pixel of a wall along y.
    let side = (corners as f64 / 187.0).sqrt().ceil() as u32;
    let (room, size) = (40, 40 * side + 1);
    let is_dark = |x: u32, y: u32| {
        let noise = (x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77)).wrapping_mul(0xC2B2_AE3D) >> 16;
        let is_door = |along: u32| (room / 2 - 4..room / 2 + 4).contains(&(along % room));
        let is_wall = (x.is_multiple_of(room) && !is_door(y)) || (y.is_multiple_of(room) && !is_door(x)) || x * y == 0;
        is_wall || x + 1 == size || y + 1 == size || noise.is_multiple_of(300)
    };
    let at = |x: u32, y: u32| DVec2::new(x.into(), y.into()) * 0.05;
    let mut space = Space::new(Field::new(at(size, size), Boundary::Walls));
    for y in 0..size {
        let mut x = 0;
        while x < size {
            let first = x;
            while x < size && is_dark(x, y) {
                x += 1;
            }
            if first < x {
                let corners = [at(first, y), at(x, y), at(x, y + 1), at(first, y + 1)];
                space.solids.add_polygon(&corners).unwrap_or_else(|error| panic!("{error}"));
            }
            x += 1;
        }
    }
    space.update();
    space
}

/// Starts of rays in free places of a map.
fn starts_in(space: &Space, count: u32) -> Vec<DVec2> {
    let part = |k: u32, step: f64| (f64::from(k) * step).fract();
    let at = |k: u32| space.arena.size * DVec2::new(part(k, 0.618_033_988_749_895), part(k, 0.754_877_666_246_693));
    (1..).map(at).filter(|at| !space.solids.overlap(&space.arena, *at, 0.02)).take(count as usize).collect()
}

const CORNERS: [usize; 3] = [1_000, 10_000, 100_000];

/// Solids in a list: each ray tests all edges in its reach.
#[divan::bench(args = CORNERS, sample_count = 10)]
fn rays_in_a_map_without_grid(bencher: Bencher, corners: usize) {
    rays_in_a_map(bencher, map(corners));
}

#[divan::bench(args = CORNERS)]
fn rays_in_a_map_with_grid(bencher: Bencher, corners: usize) {
    let mut space = map(corners);
    space.solids.sort();
    rays_in_a_map(bencher, space);
}

/// A laser scanner of 360 rays that reach through the whole map, at some places.
fn rays_in_a_map(bencher: Bencher, space: Space) {
    let starts = starts_in(&space, 20);
    let fan: Vec<_> = (0..360).map(|degree| math::direction(f64::from(degree).to_radians())).collect();
    let (range, mut around) = (space.arena.size.length(), Surroundings::default());
    bencher.counter(ItemsCount::new(starts.len() * fan.len())).bench_local(|| {
        let mut sum = 0.0;
        for start in &starts {
            space.look_around(*start, range, None, &mut around);
            sum += fan.iter().filter_map(|ray| around.cast(*ray, 0.0, range)).map(|hit| hit.distance).sum::<f64>();
        }
        sum
    });
}

/// Single rays in a map, each with its own start.
#[divan::bench(args = CORNERS)]
fn single_rays_in_a_map(bencher: Bencher, corners: usize) {
    let mut space = map(corners);
    space.solids.sort();
    let starts = starts_in(&space, 1000);
    let fan: Vec<_> = (0..360).map(|degree| math::direction(f64::from(degree).to_radians())).collect();
    let range = space.arena.size.length();
    bencher.counter(ItemsCount::new(starts.len())).bench_local(|| {
        let rays = starts.iter().zip(fan.iter().cycle());
        rays.filter_map(|(start, ray)| space.first_hit(*start, *ray, range, None)).map(|hit| hit.distance).sum::<f64>()
    });
}

/// Time to build the grid of a map, per corner.
#[divan::bench(args = CORNERS)]
fn grid_of_a_map(bencher: Bencher, corners: usize) {
    let space = map(corners);
    bencher
        .counter(ItemsCount::new(corners))
        .with_inputs(|| space.solids.clone())
        .bench_local_refs(|solids| solids.sort());
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
