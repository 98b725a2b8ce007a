//! Who has somebody near: found out for all at once, as most robots have nobody.

use std::f64::consts::PI;
use std::ops::Range;

use bevy::math::DVec2;
use bevy::tasks::{ParallelSliceMut as _, TaskPool};

use super::Space;
use super::field::Border;

/// Who has somebody near, as of the last [`Space::resolve`]. A cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Company {
    /// How far (m) beyond the edges of bodies somebody is near, if it was ever asked for.
    asked: f64,
    /// Up to which distance (m) of centres it is known; 0 while it is not.
    known: f64,
    /// By row, whether somebody is that near. Some may have moved away since.
    near: Vec<bool>,
    /// What was found, by each of those who looked at the same time.
    found: Vec<Found>,
}

/// What a walk over pairs finds. Rows may come several times.
#[derive(Clone, Debug, Default)]
struct Found {
    near: Vec<u32>,
    touching: Vec<u32>,
}

impl Company {
    /// Notes that bodies have moved.
    #[inline]
    pub fn forget(&mut self) {
        self.known = 0.0;
    }
}

/// How many pieces of the walk several threads share.
const PIECES: usize = 16;

impl Space {
    /// Lets it be found out from now on who has nobody within `near` (m) of its edge.
    pub fn watch(&mut self, near: f64) {
        self.company.asked = self.company.asked.max(near);
    }

    /// Lets nobody be watched.
    pub fn watch_nobody(&mut self) {
        self.company = Company::default();
    }

    /// Whether it is to be found out who is alone.
    pub(super) fn is_anybody_watched(&self) -> bool {
        self.company.asked > 0.0
    }

    /// Whether no centre of another body is nearer than `reach` (m) to that of the body in `row`, as far as it is known.
    #[inline]
    pub(super) fn is_alone(&self, row: usize, reach: f64) -> bool {
        // Objects that sense come after the bodies.
        reach <= self.company.known && self.company.near.get(row) == Some(&false)
    }

    /// Lists the rows that may touch a body or the border into `rows`, each once, and finds out who has company.
    ///
    /// `listed` has a mark for each row, and is left without.
    pub(super) fn look_at_pairs(&mut self, rows: &mut Vec<u32>, listed: &mut [bool], pool: Option<&TaskPool>) {
        let mut company = std::mem::take(&mut self.company);
        let widest = 2.0 * self.index.largest_radius();
        let watched = company.asked + widest;
        // In a crowd everybody has somebody near: that is not worth knowing.
        let is_worth_it = company.asked > 0.0 && self.index.mean_count(watched) * PI < 1.0;
        company.known = if is_worth_it { watched } else { 0.0 };
        let pieces = if pool.is_some() { PIECES } else { 1 };
        company.found.resize_with(pieces, Found::default);
        let (known, reach, lines) = (company.known, company.known.max(widest), self.index.lines());
        let look = |piece: usize, found: &mut Found| {
            let lines = lines * piece / pieces..lines * (piece + 1) / pieces;
            self.meet_pairs(lines, reach, known, found);
        };
        match pool {
            Some(pool) => {
                company.found.as_mut_slice().par_chunk_map_mut(pool, 1, |piece, found| {
                    found.iter_mut().for_each(|found| look(piece, found));
                });
            }
            None => look(0, &mut company.found[0]),
        }
        company.near.clear();
        company.near.resize(if is_worth_it { self.bodies.len() } else { 0 }, false);
        rows.clear();
        let mut list = |row: u32| {
            if !std::mem::replace(&mut listed[row as usize], true) {
                rows.push(row);
            }
        };
        for found in &company.found {
            found.near.iter().for_each(|row| company.near[*row as usize] = true);
            found.touching.iter().for_each(|row| list(*row));
        }
        self.at_border(reach, |row| {
            if let Some(near) = company.near.get_mut(row) {
                *near |= self.arena.border == Border::Wrapping;
            }
            list(row as u32);
        });
        rows.iter().for_each(|row| listed[*row as usize] = false);
        self.company = company;
    }

    /// Finds out who has company among those that were moved since: they, and those that they have come to.
    pub(super) fn look_at_moved(&mut self, rows: &[u32]) {
        let Some(mut company) = (self.company.known > 0.0).then(|| std::mem::take(&mut self.company)) else { return };
        for row in rows {
            let row = *row as usize;
            self.index.centers_within_range(self.bodies.positions()[row], company.known, Some(row), |body| {
                company.near[row] = true;
                company.near[body.row] = true;
            });
        }
        self.company = company;
    }

    fn meet_pairs(&self, lines: Range<usize>, reach: f64, known: f64, Found { near, touching }: &mut Found) {
        near.clear();
        touching.clear();
        let radii = self.bodies.radii();
        self.index.pairs(lines, reach, |one, other, distance| {
            let both = [one as u32, other as u32];
            if distance < known * known {
                near.extend(both);
            }
            let limit = radii[one] + radii[other];
            if distance < limit * limit {
                touching.extend(both);
            }
        });
    }

    /// Hands out the rows that touch walls, or that may meet others across the border of a wrapping arena; and some more.
    fn at_border(&self, reach: f64, mut visit: impl FnMut(usize)) {
        let rim = match self.arena.border {
            Border::Open => return,
            Border::Walled => self.index.largest_radius(),
            Border::Wrapping => reach,
        };
        let (low, high) = (self.arena.low + DVec2::splat(rim), self.arena.high() - DVec2::splat(rim));
        for (row, position) in self.bodies.positions()[..self.bodies.len()].iter().enumerate() {
            // Those that are nowhere are handed out, too.
            let is_inside = position.cmpgt(low) & position.cmplt(high);
            if !is_inside.all() {
                visit(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::tasks::TaskPoolBuilder;
    use proptest::prelude::*;

    use super::super::fixture::{all, space};
    use super::*;

    /// Whether a body has another one's centre nearer than `reach`.
    fn has_company(space: &Space, row: usize, reach: f64) -> bool {
        let near = |other: &super::super::Neighbour| other.row != row && other.offset.length() < reach;
        all(space, space.bodies.positions()[row]).iter().any(near)
    }

    proptest! {
        #[test]
        fn who_is_alone_has_nobody_near(mut space in space(), near in 0.01..2.0, threads in 0_usize..3) {
            let pool = (threads > 0).then(|| TaskPoolBuilder::new().num_threads(threads).build());
            space.watch(near);
            space.update();
            space.resolve(4, pool.as_ref());
            let reach = near + 2.0 * space.index().largest_radius();
            for row in 0..space.bodies.len() {
                if space.is_alone(row, reach) {
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
                prop_assert!((0..space.bodies.len()).all(|row| !space.is_alone(row, 0.1)));
            }
        }
    }

    #[test]
    fn few_bodies_in_a_wide_arena_are_alone() {
        let bodies = [(1.0, 1.0), (1.3, 1.0), (5.0, 5.0)].map(|(x, y)| super::super::fixture::disc(x, y, 0.1));
        let mut space = Space::new(super::super::Field::new(DVec2::splat(10.0), Border::Walled));
        space.bodies.resize(bodies.len());
        bodies.iter().enumerate().for_each(|(row, body)| space.bodies.set(row, *body));
        space.watch(0.2);
        space.update();
        space.resolve(4, None);
        assert_eq!([0, 1, 2].map(|row| space.is_alone(row, 0.4)), [false, false, true]);
        assert!(!space.is_alone(2, 0.5), "farther than was looked");
    }
}
