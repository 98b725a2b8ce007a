//! Cache of bodies without neighbours, computed for all bodies at once, since most robots have no neighbour.

use std::f64::consts::PI;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::math::DVec2;

use super::Space;
use super::field::Boundary;
use super::helpers::Helpers;

/// Neighbours as of the last [`Space::resolve`]. A cache, cleared whenever bodies move.
#[derive(Clone, Debug, Default)]
pub(super) struct ProximityCache {
    /// Largest distance (m) from the edge of bodies requested since the last computation.
    asked: f64,
    /// Distance (m) between centres up to which neighbours are known; 0 if unknown.
    known: f64,
    /// Bodies with a neighbour at this distance, which may have moved away since.
    near: Marks,
    /// Bodies that may touch others, or the boundary.
    touching: Marks,
}

/// A flag per row, which several threads may set.
#[derive(Debug, Default)]
struct Marks(Vec<AtomicBool>);

/// Smallest number of rows that several threads share.
const WORTH_SHARING: usize = 8000;
/// Relative rounding error of sums of the same lengths in another order.
const ROUNDING: f64 = 1e-12;

impl ProximityCache {
    /// Clears the cache after bodies have moved.
    #[inline]
    pub fn forget(&mut self) {
        self.known = 0.0;
    }
}

impl Marks {
    /// Resizes to this many rows, with all flags cleared.
    fn clear(&mut self, rows: usize) {
        self.0.iter_mut().for_each(|mark| *mark.get_mut() = false);
        self.0.resize_with(rows, AtomicBool::default);
    }

    #[inline]
    fn set(&self, row: usize) {
        self.0[row].store(true, Ordering::Relaxed);
    }

    /// Whether a row exists and its flag is not set.
    #[inline]
    fn lacks(&self, row: usize) -> bool {
        self.0.get(row).is_some_and(|mark| !mark.load(Ordering::Relaxed))
    }

    fn rows(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(|(_, mark)| mark.load(Ordering::Relaxed)).map(|(row, _)| row)
    }
}

impl Clone for Marks {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|mark| mark.load(Ordering::Relaxed).into()).collect())
    }
}

impl Space {
    /// Requests that the next resolution of overlaps finds bodies without neighbours within `near` (m) of their edge.
    pub fn watch(&mut self, near: f64) {
        self.proximity.asked = self.proximity.asked.max(near);
    }

    /// Whether neighbours are requested.
    pub(super) fn is_anybody_watched(&self) -> bool {
        self.proximity.asked > 0.0
    }

    /// Whether the body in `row` is known to have no other body's centre closer than `reach` (m) to its own.
    #[inline]
    pub(super) fn has_no_neighbour(&self, row: usize, reach: f64) -> bool {
        // Active objects come after the bodies.
        reach <= self.proximity.known && self.proximity.near.lacks(row)
    }

    /// Computes neighbours, and visits all rows that may touch a body or the boundary. The index must be sorted.
    pub(super) fn look_at_pairs(&mut self, helpers: Option<Helpers>, visit: impl FnMut(usize)) {
        let mut proximity = std::mem::take(&mut self.proximity);
        let (count, widest) = (self.bodies.len(), 2.0 * self.index.largest_radius());
        let watched = (proximity.asked + widest) * (1.0 + ROUNDING);
        // In a crowd every body has a neighbour, and the cache is useless.
        let is_worth_it = proximity.asked > 0.0 && self.index.mean_count(watched) * PI < 1.0;
        proximity.asked = 0.0;
        proximity.known = if is_worth_it { watched } else { 0.0 };
        proximity.near.clear(if is_worth_it { count } else { 0 });
        proximity.touching.clear(count);
        let lines = self.index.lines();
        match helpers.and_then(|helpers| helpers.for_items(count, WORTH_SHARING)) {
            Some(helpers) => helpers.in_ranges(lines, |lines| self.mark_pairs(lines, widest, &proximity)),
            None => self.mark_pairs(0..lines, widest, &proximity),
        }
        self.mark_border(widest, &proximity);
        proximity.touching.rows().for_each(visit);
        self.proximity = proximity;
    }

    /// Updates neighbours after these rows were moved.
    pub(super) fn look_at_moved(&self, rows: &[u32]) {
        let ProximityCache { known, near, .. } = &self.proximity;
        for row in rows.iter().filter(|_| *known > 0.0).map(|row| *row as usize) {
            self.index.centers_within_range(self.bodies.positions()[row], *known, Some(row), |body| {
                near.set(row);
                near.set(body.row);
            });
        }
    }

    fn mark_pairs(
        &self,
        lines: Range<usize>,
        widest: f64,
        ProximityCache { known, near, touching, .. }: &ProximityCache,
    ) {
        let radii = self.bodies.radii();
        self.index.pairs(lines, widest.max(*known), |one, other, distance_squared| {
            if distance_squared < known * known {
                near.set(one);
                near.set(other);
            }
            let limit = radii[one] + radii[other];
            if distance_squared < limit * limit {
                touching.set(one);
                touching.set(other);
            }
        });
    }

    /// Marks bodies that touch walls, or that may meet others across the boundary of a periodic arena, and some more.
    fn mark_border(&self, widest: f64, ProximityCache { known, near, touching, .. }: &ProximityCache) {
        let wraps = match self.arena.boundary {
            Boundary::Open => return,
            Boundary::Walls => false,
            Boundary::Periodic => true,
        };
        // NaN positions are not inside.
        let is_inside = |position: DVec2, rim: f64| {
            let rim = DVec2::splat(rim);
            (position.cmpgt(self.arena.low + rim) & position.cmplt(self.arena.high() - rim)).all()
        };
        for (row, position) in self.bodies.positions()[..self.bodies.len()].iter().enumerate() {
            if !is_inside(*position, if wraps { widest } else { widest / 2.0 }) {
                touching.set(row);
            }
            if wraps && *known > 0.0 && !is_inside(*position, *known) {
                near.set(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::tasks::TaskPoolBuilder;
    use proptest::prelude::*;

    use super::super::fixture::{all, disc, space};
    use super::super::{Body, Field, Neighbour};
    use super::*;

    /// A large arena with these bodies.
    fn wide(bodies: &[Body]) -> Space {
        let mut space = Space::new(Field::new(DVec2::splat(100.0), Boundary::Walls));
        space.bodies.resize(bodies.len());
        bodies.iter().enumerate().for_each(|(row, body)| space.bodies.set(row, *body));
        space.update();
        space
    }

    /// Whether the centre of another body is closer than `reach`.
    fn has_company(space: &Space, row: usize, reach: f64) -> bool {
        let near = |other: &Neighbour| other.row != row && other.offset.length() < reach;
        all(space, space.bodies.positions()[row]).iter().any(near)
    }

    proptest! {
        #[test]
        fn who_is_alone_has_nobody_near(mut space in space(), near in 0.01..2.0, threads in 0_usize..3) {
            let pool = TaskPoolBuilder::new().num_threads(threads).build();
            space.watch(near);
            space.update();
            space.resolve(4, (threads > 0).then_some(Helpers { pool: &pool, is_eager: true }));
            let reach = near + 2.0 * space.index().largest_radius();
            for row in 0..space.bodies.len() {
                if space.has_no_neighbour(row, reach) {
                    prop_assert!(!has_company(&space, row, reach));
                }
            }
        }

        #[test]
        fn it_is_not_known_once_somebody_has_moved(mut space in space()) {
            space.watch(0.1);
            space.update();
            space.resolve(4, None);
            if !space.bodies.is_empty() {
                let position = space.bodies.positions()[0];
                space.place_body(0, position, 0.0, DVec2::ZERO);
                prop_assert!((0..space.bodies.len()).all(|row| !space.has_no_neighbour(row, 0.1)));
            }
        }

        #[test]
        fn who_asks_for_what_is_watched_is_told(radius in 0.01..0.3, near in 0.01..1.0) {
            let mut space = wide(&[disc(10.0, 10.0, radius), disc(60.0, 60.0, radius)]);
            space.watch(near);
            space.resolve(4, None);
            prop_assert!(space.has_no_neighbour(0, (radius + near) + radius) && space.has_no_neighbour(1, (near + radius) + radius));
        }
    }

    #[test]
    fn few_bodies_in_a_wide_arena_are_alone() {
        let mut space = wide(&[disc(10.0, 10.0, 0.1), disc(10.3, 10.0, 0.1), disc(50.0, 50.0, 0.1)]);
        space.watch(0.2);
        space.resolve(4, None);
        assert_eq!([0, 1, 2].map(|row| space.has_no_neighbour(row, 0.4)), [false, false, true]);
        assert!(!space.has_no_neighbour(2, 0.5), "farther than was looked");
        space.update();
        space.resolve(4, None);
        assert!(!space.has_no_neighbour(2, 0.4), "nobody asked again");
    }
}
