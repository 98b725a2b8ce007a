//! Random placement in a rectangle at a minimum distance, reproducible by other programs.
//!
//! The numbers are those of `random.Random(seed)` of Python: the Mersenne Twister MT19937 (Matsumoto and Nishimura
//! 1998) with `init_by_array([seed])` and 53 bits for each number. With `avoid_overlap: false`, these lines therefore
//! create the same start for another simulator; otherwise, robots skip places at which they overlap something:
//!
//! ```python
//! import math, random
//!
//! def scattered(count, min_m, max_m, min_distance_m=0.2, seed=124):
//!     r, poses = random.Random(seed), []
//!     while len(poses) < count:
//!         x, y = r.uniform(min_m[0], max_m[0]), r.uniform(min_m[1], max_m[1])
//!         if all((x - a) ** 2 + (y - b) ** 2 >= min_distance_m ** 2 for a, b, _ in poses):
//!             poses.append((x, y, r.uniform(-math.pi, math.pi)))
//!     return [tuple(round(number, 6) for number in pose) for pose in poses]
//! ```

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use rand_mt::Mt;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{Place, Spawner};

/// Places robots or objects at random in a rectangle at a minimum distance from each other. Other programs can
/// reproduce the same places.
///
/// With `avoid_overlap: false`, the places and headings are those of a few lines of Python with `random.Random(seed)`,
/// to six decimals. With `avoid_overlap: true`, places where a robot overlaps others, obstacles or walls are skipped.
/// The places depend on neither the seed of the scene nor `facing`. After a thousand places in a row that are too near
/// to others, the rectangle counts as full, and the minimum distance is no longer kept.
///
/// With `interval_steps`, all places are drawn again from the first one for every batch, so the total time is
/// proportional to the square of the number of robots.
#[kind(Copy, section = "Random", words = "random, distance, apart")]
pub struct Scattered {
    /// One corner of the rectangle.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub min_m: DVec2,
    /// The opposite corner.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::splat(10.0))]
    pub max_m: DVec2,
    /// Minimum distance between robots, between centres.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(0.2)]
    pub min_distance_m: f64,
    /// Seed of the Mersenne Twister.
    #[default(124)]
    pub seed: u32,
}

impl Spawner for Scattered {
    fn center_m(&self) -> DVec2 {
        self.min_m.midpoint(self.max_m)
    }

    fn area(&self) -> Option<Area> {
        Some(Area::Rectangle { min_m: self.min_m, max_m: self.max_m })
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        let mut scatter = Scatter::new(*self);
        move |number, _| {
            let mut place = scatter.next_place();
            // A spawner with batches begins again for every batch, and skips the places of earlier batches.
            while scatter.points.len() <= number as usize {
                place = scatter.next_place();
            }
            place
        }
    }
}

/// This many places in a row that are too near to others show that there is no room.
const DRAWS: u32 = 1000;
/// Six decimals do not distinguish places that are nearer than this.
const LEAST_M: f64 = 1e-6;

/// The places so far, in cells for fast queries.
struct Scatter {
    spawner: Scattered,
    random: Mt,
    /// Each place, with the one before it in the same cell.
    points: Vec<(DVec2, Option<u32>)>,
    /// The last place in each cell.
    last: HashMap<(i64, i64), u32>,
    is_full: bool,
}

impl Scatter {
    fn new(spawner: Scattered) -> Self {
        let random = Mt::new_with_key([spawner.seed]);
        let is_full = spawner.min_distance_m < LEAST_M;
        Self { spawner, random, points: Vec::new(), last: HashMap::default(), is_full }
    }

    fn next_place(&mut self) -> Place {
        let mut position = self.draw();
        let mut draws = 1;
        while !self.is_full && self.is_near_others(position) {
            position = self.draw();
            draws += 1;
            self.is_full = draws == DRAWS;
        }
        self.add(position);
        let heading_rad = round(self.between(-PI, PI));
        Place { position_m: DVec2::new(round(position.x), round(position.y)), heading_rad: Some(heading_rad) }
    }

    fn draw(&mut self) -> DVec2 {
        let Scattered { min_m, max_m, .. } = self.spawner;
        let x = self.between(min_m.x, max_m.x);
        DVec2::new(x, self.between(min_m.y, max_m.y))
    }

    /// As `Random.uniform` of Python.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let (most, least) = (self.random.next_u32() >> 5, self.random.next_u32() >> 6);
        let fraction = (f64::from(most) * 67_108_864.0 + f64::from(least)) / 9_007_199_254_740_992.0;
        low + (high - low) * fraction
    }

    /// Cells as wide as the minimum distance: a place that is too near is in the same cell or beside it.
    fn cell(&self, position: DVec2) -> (i64, i64) {
        let cell = (position / self.spawner.min_distance_m).floor();
        (cell.x as i64, cell.y as i64)
    }

    fn is_near_others(&self, position: DVec2) -> bool {
        let (x, y) = self.cell(position);
        let is_near =
            |other: DVec2| position.distance_squared(other) < self.spawner.min_distance_m * self.spawner.min_distance_m;
        (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y))).any(|cell| self.places_in(cell).any(is_near))
    }

    fn places_in(&self, cell: (i64, i64)) -> impl Iterator<Item = DVec2> {
        let point = |place: u32| self.points.get(place as usize).copied();
        let last = self.last.get(&cell).and_then(|last| point(*last));
        std::iter::successors(last, move |(_, before)| before.and_then(point)).map(|(position, _)| position)
    }

    fn add(&mut self, position: DVec2) {
        // A full rectangle needs no more queries for neighbours.
        let before = if self.is_full { None } else { self.last.insert(self.cell(position), self.points.len() as u32) };
        self.points.push((position, before));
    }
}

/// Rounds to six decimals, as the files of other programs do.
fn round(number: f64) -> f64 {
    (number * 1e6).round_ties_even() / 1e6
}

#[cfg(test)]
mod tests {
    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;

    use super::*;
    use crate::spawner::fixture::places;

    /// The first and the last agent of so many at so many a square metre, 0.15 m or more from the walls: x, y, heading.
    fn ends(count: u32, per_m2: f64) -> [[f64; 3]; 2] {
        let high = (f64::from(count) / per_m2).sqrt() / 2.0 - 0.15;
        let spawner = Scattered { min_m: DVec2::splat(-high), max_m: DVec2::splat(high), ..default() };
        let mut random = Seed(1).stream(StableId::spawner(0), "spawn");
        let mut placer = spawner.placer();
        let poses: Vec<_> = (0..count).map(|number| placer(number, &mut random)).collect();
        [poses[0], poses[poses.len() - 1]]
            .map(|place| [place.position_m.x, place.position_m.y, place.heading_rad.unwrap()])
    }

    #[test]
    fn scattered_positions_and_headings_are_those_of_python() {
        let expected = [
            (10, 0.5, [[1.922440, 0.201328, -2.028969], [-1.618477, 0.285585, -0.130630]]),
            (100, 0.5, [[6.378190, 0.667957, -2.028969], [-1.708756, -4.683926, -0.402387]]),
            (10, 2.5, [[0.783327, 0.082034, -2.028969], [-0.625659, 0.056444, 1.831247]]),
            (1000, 0.5, [[20.468508, 2.143566, -2.028969], [10.011913, 15.969198, -0.780123]]),
            (10_000, 0.5, [[65.026005, 6.809855, -2.028969], [20.829257, 50.591629, 2.957455]]),
        ];
        for (count, per_m2, agents) in expected {
            assert_eq!(ends(count, per_m2), agents, "{count} at {per_m2}");
        }
    }

    #[test]
    fn scattered_keeps_distances_until_there_is_no_room() {
        let spawner = Scattered { min_m: DVec2::splat(-1.0), max_m: DVec2::ONE, min_distance_m: 0.4, ..default() };
        let places = places(&spawner, 100);
        assert!(places.iter().all(|place| place.abs().max_element() <= 1.0));
        // Rounding takes away less than two millionths.
        let is_apart = |count: usize| {
            let apart = |(a, place): (usize, &DVec2)| places[..a].iter().all(|b| b.distance(*place) > 0.4 - 2e-6);
            places[..count].iter().enumerate().all(apart)
        };
        assert!(is_apart(10));
        assert!(!is_apart(100), "no more than some forty fit, and nothing hangs");
    }

    #[test]
    fn scattered_placer_that_starts_later_continues_the_sequence() {
        let spawner = Scattered::default();
        let all = places(&spawner, 8);
        let mut random = Seed(1).stream(StableId::spawner(0), "spawn");
        let mut late = spawner.placer();
        assert_eq!(late(5, &mut random).position_m, all[5]);
        assert_eq!(late(6, &mut random).position_m, all[6]);
        assert_eq!(late(6, &mut random).position_m, all[7], "asked again, it says another place");
    }

    #[test]
    fn scattered_without_a_distance_has_no_condition() {
        let spawner = Scattered { max_m: DVec2::ZERO, min_distance_m: 0.0, ..default() };
        assert_eq!(places(&spawner, 3), [DVec2::ZERO; 3]);
    }
}
