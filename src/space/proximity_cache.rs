//! Cache of bodies without neighbours, computed for all bodies at once, since most robots have no neighbour; and the
//! list of near pairs from which it is computed.

use std::f64::consts::PI;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::math::DVec2;

use super::Space;
use super::field::Boundary;
use super::helpers::Helpers;
use super::index::Index;

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
    list: PairList,
}

/// Pairs of rows, for several steps: bodies move little in a step, so that pairs which are far apart stay so for long.
#[derive(Clone, Debug, Default)]
struct PairList {
    /// The pairs, for each piece of work.
    pairs: Vec<Vec<(u32, u32)>>,
    /// All pairs whose centres are closer than this (m) are listed, unless bodies have moved; 0 without a list.
    reach: f64,
    /// Largest distance (m) that a body has moved since.
    drift: f64,
    /// Largest distance (m) that a body moved in the last step.
    step: f64,
}

/// A flag per row, which several threads may set.
#[derive(Debug, Default)]
struct Marks(Vec<AtomicBool>);

/// Smallest number of rows that several threads share.
const WORTH_SHARING: usize = 8000;
/// Relative rounding error of sums of the same lengths in another order.
const ROUNDING: f64 = 1e-12;
/// Pairs are listed for about this many steps, and for no fewer than the second number.
const LISTED_STEPS: (f64, f64) = (10.0, 3.0);

impl ProximityCache {
    /// Clears the cache after bodies have moved.
    #[inline]
    pub fn forget(&mut self) {
        self.known = 0.0;
        self.list.reach = 0.0;
    }

    /// As [`forget`](Self::forget), if no body has moved farther than a distance (m).
    pub fn follow(&mut self, motion: f64) {
        self.known = 0.0;
        self.list.step = motion;
        self.list.drift += motion;
    }
}

impl PairList {
    /// Whether all pairs closer than a distance (m) are listed.
    fn has(&self, reach: f64) -> bool {
        (reach + 2.0 * self.drift) * (1.0 + ROUNDING) <= self.reach
    }

    /// The distance (m) of pairs to list, so that the list has those closer than `reach` for several steps; `None` if
    /// bodies move too fast for that.
    fn useful_reach(&self, reach: f64) -> Option<f64> {
        let (usual, least) = LISTED_STEPS;
        let margin = (2.0 * usual * self.step).max(reach / 8.0).min(reach);
        (margin >= 2.0 * least * self.step).then_some(reach + margin)
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
        let helpers = helpers.and_then(|helpers| helpers.for_items(count, WORTH_SHARING));
        let reach = widest.max(proximity.known);
        if !proximity.list.has(reach) {
            proximity.list.reach = 0.0;
            // Pairs across a periodic boundary are not listed, and bodies cross it.
            let can_be_listed = count > Index::FEW && self.arena.boundary != Boundary::Periodic;
            let useful = proximity.list.useful_reach(reach).filter(|_| can_be_listed);
            if let Some(reach) = useful {
                self.list_pairs(&mut proximity.list, reach, helpers);
            }
        }
        if proximity.list.has(reach) {
            self.mark_listed(&proximity, helpers);
        } else {
            let lines = self.index.lines();
            match helpers {
                Some(helpers) => helpers.in_ranges(lines, |lines| self.mark_pairs(lines, reach, &proximity)),
                None => self.mark_pairs(0..lines, reach, &proximity),
            }
        }
        self.mark_border(widest, &proximity);
        proximity.touching.rows().for_each(visit);
        self.proximity = proximity;
    }

    /// Updates neighbours after these rows were moved.
    pub(super) fn look_at_moved(&mut self, rows: &[u32]) {
        if rows.len() > self.bodies.len() / 16 {
            self.proximity.list.reach = 0.0;
        }
        let ProximityCache { known, near, list, .. } = &mut self.proximity;
        let reach = list.reach.max(*known);
        if reach == 0.0 {
            return;
        }
        for row in rows.iter().map(|row| *row as usize) {
            self.index.centers_within_range(self.bodies.positions()[row], reach, Some(row), |body| {
                if body.offset.length_squared() < *known * *known {
                    near.set(row);
                    near.set(body.row);
                }
                if list.reach > 0.0 {
                    list.pairs[0].push((row as u32, body.row as u32));
                }
            });
        }
    }

    /// Lists all pairs of bodies whose centres are closer than `reach` (m).
    fn list_pairs(&self, list: &mut PairList, reach: f64, helpers: Option<Helpers>) {
        (list.reach, list.drift) = (reach, 0.0);
        list.pairs.iter_mut().for_each(Vec::clear);
        let find = |(lines, found): (Range<usize>, &mut Vec<(u32, u32)>)| {
            self.index.pairs(lines, reach, |one, other, _| found.push((one as u32, other as u32)));
        };
        let lines = self.index.lines();
        let alone = || std::iter::once(0..lines).collect();
        let pieces: Vec<_> = helpers.map_or_else(alone, |helpers| helpers.pieces(lines).collect());
        list.pairs.resize_with(list.pairs.len().max(pieces.len()), Vec::new);
        let pieces = pieces.into_iter().zip(&mut list.pairs);
        match helpers {
            Some(helpers) => helpers.take_each(pieces.collect(), find),
            None => pieces.for_each(find),
        }
    }

    /// As [`mark_pairs`](Self::mark_pairs), for the listed pairs.
    fn mark_listed(&self, proximity: &ProximityCache, helpers: Option<Helpers>) {
        let positions = self.bodies.positions();
        let mark = |pairs: &Vec<(u32, u32)>| {
            for &(one, other) in pairs {
                let (one, other) = (one as usize, other as usize);
                self.mark_pair((one, other), (positions[other] - positions[one]).length_squared(), proximity);
            }
        };
        match helpers {
            Some(helpers) => helpers.take_each(proximity.list.pairs.iter().collect(), mark),
            None => proximity.list.pairs.iter().for_each(mark),
        }
    }

    fn mark_pairs(&self, lines: Range<usize>, reach: f64, proximity: &ProximityCache) {
        let mark = |one, other, distance_squared| self.mark_pair((one, other), distance_squared, proximity);
        if self.index.len() <= Index::FEW {
            self.index.all_pairs(reach, mark);
        } else {
            self.index.pairs(lines, reach, mark);
        }
    }

    #[inline(always)]
    fn mark_pair(
        &self,
        (one, other): (usize, usize),
        distance_squared: f64,
        ProximityCache { known, near, touching, .. }: &ProximityCache,
    ) {
        if distance_squared < known * known {
            near.set(one);
            near.set(other);
        }
        let limit = self.bodies.radii()[one] + self.bodies.radii()[other];
        if distance_squared < limit * limit {
            touching.set(one);
            touching.set(other);
        }
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
        let rim = if wraps { widest.max(*known) } else { widest / 2.0 };
        self.index.along_edges((self.arena.low, self.arena.high()), rim, |row| {
            let position = self.bodies.positions()[row];
            if !is_inside(position, if wraps { widest } else { widest / 2.0 }) {
                touching.set(row);
            }
            if wraps && *known > 0.0 && !is_inside(position, *known) {
                near.set(row);
            }
        });
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
        fn proximity_cache_has_no_neighbour_for_isolated_bodies(mut space in space(), near in 0.01..2.0, threads in 0_usize..3) {
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
        fn proximity_cache_pairs_give_the_results_of_a_new_space(
            mut space in space(),
            near in 0.0..0.5,
            threads in 0_usize..3,
            steps in prop::collection::vec(
                prop::collection::vec((any::<prop::sample::Index>(), -0.02..0.02, -0.02..0.02), 0..9), 1..12,
            ),
        ) {
            let pool = TaskPoolBuilder::new().num_threads(threads).build();
            let helpers = (threads > 0).then_some(Helpers { pool: &pool, is_eager: true });
            for moves in steps {
                let count = space.bodies.len();
                for (row, x, y) in moves.into_iter().filter(|_| count > 0) {
                    let (row, way) = (row.index(count), DVec2::new(x, y));
                    space.bodies.set_pose(row, space.bodies.positions()[row] + way, 0.0, way);
                }
                let mut fresh = Space { bodies: space.bodies.clone(), ..Space::new(space.arena) };
                for space in [&mut space, &mut fresh] {
                    space.watch(near);
                    space.update_with(helpers);
                    space.resolve(4, helpers);
                }
                prop_assert_eq!(space.bodies.positions(), fresh.bodies.positions());
                prop_assert_eq!(space.moved_rows(), fresh.moved_rows());
                let reach = near + 2.0 * space.index().largest_radius();
                for row in 0..space.bodies.len() {
                    prop_assert_eq!(space.has_no_neighbour(row, reach), fresh.has_no_neighbour(row, reach));
                }
            }
        }

        #[test]
        fn proximity_cache_is_stale_after_a_move(mut space in space()) {
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
        fn proximity_cache_answers_for_watched_distances(radius in 0.01..0.3, near in 0.01..1.0) {
            let mut space = wide(&[disc(10.0, 10.0, radius), disc(60.0, 60.0, radius)]);
            space.watch(near);
            space.resolve(4, None);
            prop_assert!(space.has_no_neighbour(0, (radius + near) + radius) && space.has_no_neighbour(1, (near + radius) + radius));
        }
    }

    #[test]
    fn proximity_cache_lists_pairs_while_bodies_are_slow() {
        let far = (0..Index::FEW).map(|number| disc(50.0, 5.0 * number as f64, 0.1));
        let bodies: Vec<Body> = [disc(10.0, 10.0, 0.1), disc(10.3, 10.0, 0.1)].into_iter().chain(far).collect();
        let mut space = wide(&bodies);
        space.watch(0.2);
        space.resolve(4, None);
        assert!(space.proximity.list.reach == 0.0, "how far they moved is unknown");
        let mut step = |by: f64| {
            let position = space.bodies.positions()[0] + DVec2::new(by, 0.0);
            space.bodies.set_pose(0, position, 0.0, DVec2::ZERO);
            space.watch(0.2);
            space.update();
            space.resolve(4, None);
            (space.proximity.list.reach > 0.0, space.proximity.list.drift)
        };
        assert_eq!(step(0.0), (true, 0.0));
        assert!(step(0.01).1 > 0.009, "the list still serves");
        assert!(step(0.01).0);
        assert!(!step(1.0).0, "too fast");
    }

    #[test]
    fn proximity_cache_finds_isolated_bodies_in_a_wide_arena() {
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
