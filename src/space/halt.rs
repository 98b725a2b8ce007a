//! Bodies that stop before they run into something.

use bevy::math::DVec2;
use swarmarium_base::math;

use super::bodies::Contact;
use super::hit::Target;
use super::overlap::{clearance, depth, depth_in_walls};
use super::solid::Outline;
use super::{Space, TOLERANCE};

/// Pose of a body before it moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyPose {
    /// Its centre (m).
    pub position: DVec2,
    /// Its heading (rad).
    pub heading: f64,
}

/// Which bodies stop before they run into something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halting {
    /// Bodies with outlines. Discs are separated ([`Space::resolve`]) and push other discs.
    #[default]
    Outlined,
    /// All bodies.
    All,
}

/// A collision of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bump {
    /// The row of the body.
    pub row: usize,
    /// The obstacle.
    pub into: Target,
}

/// Part of its motion that a body has given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Given {
    #[default]
    Nothing,
    /// Its displacement; it only turns.
    Way,
    /// All of its motion.
    All,
}

/// Overlap (m) of a body that was placed in another one by an edit; moving bodies never overlap as deeply.
const PUT_THERE: f64 = 1e-6;
/// Rounds in which bodies of a heap give way. Bodies that still run into something then keep their places.
const MOST_ROUNDS_IN_HEAP: u32 = 8;
/// Largest number of intermediate positions that are checked in a step.
const MOST_LOOKS: f64 = 32.0;

/// Buffers that [`Space::halt`] reuses.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    given: Vec<Given>,
    /// Rows to check, and whether each row is among them.
    open: Vec<usize>,
    listed: Vec<bool>,
    bumps: Vec<Bump>,
}

impl Space {
    /// Stops bodies that would run into something, at their poses `before`, by row. A stopped body still turns if there
    /// is room. Returns the collisions by row, with the first obstacle of each.
    ///
    /// A body that moves farther than its inner radius is also checked at up to 32 intermediate positions, and its
    /// centre along the whole path against solids: however long the step, no body passes through a solid (in a periodic
    /// arena, for steps of up to eight times its size). A body that overlapped something before may move unless it overlaps
    /// more deeply, or if it moves away. The index must be up to date, and is so afterwards.
    pub fn halt(&mut self, who: Halting, before: &[BodyPose]) -> &[Bump] {
        let mut scratch = std::mem::take(&mut self.halts);
        let Scratch { given, open, listed, bumps } = &mut scratch;
        bumps.clear();
        given.clear();
        given.resize(self.bodies.len(), Given::Nothing);
        listed.clear();
        listed.resize(self.bodies.len(), false);
        open.clear();
        open.extend(
            (0..self.bodies.len()).filter(|row| self.can_halt(*row, who) && self.has_moved(*row, before[*row])),
        );
        let leap = self.leap(open, before);
        let mut rounds = 0;
        while !open.is_empty() {
            rounds += 1;
            // All bodies are checked at the same time: none has a turn before others.
            let was = |row: usize| before[row];
            let hit = |row: &usize| Some(Bump { row: *row, into: self.in_the_way(*row, who, &was, leap)? });
            let hits: Vec<Bump> = open.iter().filter_map(hit).collect();
            open.drain(..).for_each(|row| listed[row] = false);
            for bump in &hits {
                if given[bump.row] == Given::Nothing {
                    bumps.push(*bump);
                }
                given[bump.row] = self.give_up(bump.row, given[bump.row], before[bump.row]);
            }
            if self.index.is_heap() && rounds > MOST_ROUNDS_IN_HEAP {
                // The time of a step must not grow with the square of the number of bodies.
                for bump in &hits {
                    given[bump.row] = self.give_up(bump.row, Given::Way, before[bump.row]);
                }
                break;
            }
            if self.index.is_heap() && !hits.is_empty() {
                // Each has too many neighbours to look for them.
                open.clear();
                open.extend(0..self.bodies.len());
            } else {
                for bump in &hits {
                    self.list_near(bump.row, leap, (open, listed));
                }
            }
            open.retain(|row| {
                let looks = given[*row] != Given::All && self.can_halt(*row, who) && self.has_moved(*row, before[*row]);
                listed[*row] = looks;
                looks
            });
            open.sort_unstable();
        }
        bumps.sort_unstable_by_key(|bump| bump.row);
        self.halts = scratch;
        self.index.refresh(&self.arena, &self.bodies);
        &self.halts.bumps
    }

    /// The collisions of this step by row; in sequential order, those of bodies that have had their turn.
    #[must_use]
    pub fn bumps(&self) -> &[Bump] {
        &self.halts.bumps
    }

    /// Clears the collisions of the last step.
    pub fn forget_bumps(&mut self) {
        self.halts.bumps.clear();
    }

    /// As [`halt`](Self::halt), for only the body in `row`, which came from `before`: all others keep their poses.
    pub fn halt_one(&mut self, row: usize, who: Halting, before: BodyPose) -> Option<Bump> {
        let mut bump = None;
        let mut given = Given::Nothing;
        while given != Given::All && self.can_halt(row, who) && self.has_moved(row, before) {
            let was = |other: usize| if other == row { before } else { self.stand(other) };
            let Some(into) = self.in_the_way(row, who, &was, 0.0) else { break };
            bump = bump.or(Some(Bump { row, into }));
            given = self.give_up(row, given, before);
        }
        self.halts.bumps.extend(bump);
        bump
    }

    /// The pose of a body.
    #[must_use]
    pub fn stand(&self, row: usize) -> BodyPose {
        BodyPose { position: self.bodies.positions()[row], heading: self.bodies.headings()[row] }
    }

    /// Whether the body in a row can be stopped.
    fn can_halt(&self, row: usize, who: Halting) -> bool {
        match self.bodies.contacts()[row] {
            Contact::Outlined => true,
            Contact::Mobile => who == Halting::All,
            Contact::Fixed | Contact::Ghost => false,
        }
    }

    fn has_moved(&self, row: usize, before: BodyPose) -> bool {
        self.stand(row) != before
    }

    /// Takes back the next part of a body's motion.
    fn give_up(&mut self, row: usize, given: Given, BodyPose { position, heading }: BodyPose) -> Given {
        let turns = given == Given::Nothing && self.bodies.headings()[row] != heading;
        self.proximity.forget();
        self.bodies.stay(row, position);
        if !turns {
            self.bodies.turn(row, heading);
        }
        self.move_in_index(row);
        self.place_outline(row);
        if turns { Given::Way } else { Given::All }
    }

    /// Adds a row and its neighbours to the rows to check, including bodies that may have passed by.
    fn list_near(&self, row: usize, leap: f64, (open, listed): (&mut Vec<usize>, &mut [bool])) {
        let mut list = |row: usize| {
            if !std::mem::replace(&mut listed[row], true) {
                open.push(row);
            }
        };
        list(row);
        let reach = self.bodies.radii()[row] + leap;
        self.index.within_range(self.bodies.positions()[row], reach, Some(row), |body| list(body.row));
    }

    /// Number of positions on its path at which a body is checked, including the end; at most its inner radius apart.
    fn looks(&self, row: usize, before: BodyPose) -> u32 {
        let (way, covered) = (self.way(row, before), self.bodies.inner_radius(row));
        if way <= covered { 1 } else { (way / covered).ceil().min(MOST_LOOKS) as u32 }
    }

    /// Distance (m) that a body has moved.
    fn way(&self, row: usize, before: BodyPose) -> f64 {
        self.bodies.positions()[row].distance(before.position)
    }

    /// Largest distance (m) of a body during the step from its final position; 0 if all bodies move short distances.
    fn leap(&self, rows: &[usize], before: &[BodyPose]) -> f64 {
        if rows.iter().all(|row| self.looks(*row, before[*row]) == 1) {
            return 0.0;
        }
        rows.iter().map(|row| self.way(*row, before[*row])).fold(0.0, f64::max)
    }

    /// The first obstacle of the body in a row.
    fn in_the_way(&self, row: usize, who: Halting, before: &impl Fn(usize) -> BodyPose, leap: f64) -> Option<Target> {
        let looks = self.looks(row, before(row));
        let met = (1..=looks).find_map(|look| {
            let step = Step { who, before, part: f64::from(look) / f64::from(looks), leap };
            self.at(row, &step, |mine| self.overlapped(row, mine, &step))
        });
        if looks < MOST_LOOKS as u32 {
            return met;
        }
        // The checked positions can be farther apart than the width of the body: its centre is swept for solids in
        // between.
        let (start, end) = (before(row).position, self.bodies.positions()[row]);
        met.or_else(|| {
            let entry = self.first_entry(start, end, |part| {
                !part.is_body && part.owner != Some(row) && !self.is_held_by(row, part)
            })?;
            Some(Target::Solid(entry.solid))
        })
    }

    /// A body, solid or wall that a body overlaps more deeply than before it moved, after a part of its step.
    fn overlapped<F: Fn(usize) -> BodyPose>(&self, row: usize, mine: &Outline, step: &Step<F>) -> Option<Target> {
        let (from, middle) = ((step.before)(row), step.stand(self, row).position);
        let in_walls = || self.was(row, from, |mine| depth_in_walls(&self.arena, mine));
        if deeper(depth_in_walls(&self.arena, mine), in_walls, || false) {
            return Some(Target::Wall);
        }
        let mut found = None;
        let (low, high) = mine.bounds();
        self.solids.near_box(&self.arena, low, high, |solid, shift| {
            let part = self.solids.properties(solid);
            if found.is_some() || !part.blocks || part.is_body || part.owner == Some(row) {
                return;
            }
            let form = self.solids.outline(solid);
            let then = || self.was(row, from, |mine| depth(mine, &form, shift));
            let leaves = || clearance(&form, middle - shift) > clearance(&form, from.position - shift);
            if deeper(depth(mine, &form, shift), then, leaves) && !self.is_held_by(row, &part) {
                found = Some(Target::Solid(solid));
            }
        });
        found.or_else(|| self.body_in_the_way(row, mine, step))
    }

    fn body_in_the_way<F: Fn(usize) -> BodyPose>(&self, row: usize, mine: &Outline, step: &Step<F>) -> Option<Target> {
        let mut found: Option<usize> = None;
        let position = step.stand(self, row).position;
        self.index.within_range(position, self.bodies.radii()[row] + step.leap, Some(row), |other| {
            let stops = match self.bodies.contacts()[other.row] {
                Contact::Outlined | Contact::Fixed => true,
                Contact::Mobile => step.who == Halting::All,
                Contact::Ghost => false,
            };
            // The lowest row, independently of the order of the query. In a heap, the first one must do.
            if !stops || !self.bodies.push(row, other.row) || found.is_some_and(|found| found < other.row) {
                return false;
            }
            let to = step.stand(self, other.row).position;
            let offset = self.arena.offset(position, to);
            let (mine_then, theirs_then) = ((step.before)(row), (step.before)(other.row));
            let offset_then = self.arena.offset(mine_then.position, theirs_then.position);
            let then = || {
                let shift = mine_then.position + offset_then - theirs_then.position;
                self.was(row, mine_then, |mine| self.was(other.row, theirs_then, |theirs| depth(mine, theirs, shift)))
            };
            let leaves = || offset.length() > offset_then.length();
            let now = self.at(other.row, step, |theirs| depth(mine, theirs, position + offset - to));
            if deeper(now, then, leaves) {
                found = Some(other.row);
            }
            found.is_some() && self.index.is_heap()
        });
        found.map(Target::Body)
    }

    /// Evaluates a function of the outline of the body in a row after a part of its step.
    fn at<T, F: Fn(usize) -> BodyPose>(&self, row: usize, step: &Step<F>, about: impl FnOnce(&Outline) -> T) -> T {
        if step.is_done() { about(&self.form(row)) } else { self.was(row, step.stand(self, row), about) }
    }

    /// The current outline of the body in a row.
    fn form(&self, row: usize) -> Outline<'_> {
        let disc = Outline::Disc { center: self.bodies.positions()[row], radius: self.bodies.radii()[row] };
        self.bodies.outline(row).map_or(disc, |solid| self.solids.outline(solid))
    }

    /// Evaluates a function of the outline of the body in a row at an earlier pose.
    fn was<T>(&self, row: usize, BodyPose { position, heading }: BodyPose, about: impl FnOnce(&Outline) -> T) -> T {
        match self.bodies.drawn(row) {
            None => about(&Outline::Disc { center: position, radius: self.bodies.radii()[row] }),
            Some(drawn) => {
                let facing = math::direction(heading);
                let corners: Vec<DVec2> = drawn.corners.iter().map(|c| position + facing.rotate(*c)).collect();
                about(&Outline::Polygon(&corners))
            }
        }
    }
}

/// A point in time within the step of all bodies.
struct Step<'a, F> {
    who: Halting,
    /// Poses before the step, by row.
    before: &'a F,
    /// Completed fraction of the step, up to 1.
    part: f64,
    /// Largest distance (m) of other bodies from their final positions.
    leap: f64,
}

impl<F: Fn(usize) -> BodyPose> Step<'_, F> {
    fn is_done(&self) -> bool {
        self.part >= 1.0
    }

    /// The pose of the body in a row at this point of the step.
    fn stand(&self, space: &Space, row: usize) -> BodyPose {
        let now = space.stand(row);
        if self.is_done() {
            return now;
        }
        let before = (self.before)(row);
        let turn = math::wrap_angle(now.heading - before.heading);
        BodyPose { position: before.position.lerp(now.position, self.part), heading: before.heading + turn * self.part }
    }
}

/// Whether an overlap of depth `now` stops a body: it is deeper than before, and the body is not moving away after
/// being placed in the obstacle. `before` is evaluated only if needed.
fn deeper(now: f64, before: impl FnOnce() -> f64, leaves: impl FnOnce() -> bool) -> bool {
    if now <= TOLERANCE {
        return false;
    }
    let before = before();
    now > before + TOLERANCE && !(before > PUT_THERE && leaves())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{SIZE, disc, with};
    use super::super::{Body, Boundary, Drawn, SolidProperties};
    use super::*;

    const SQUARE: [DVec2; 4] =
        [DVec2::new(-0.1, -0.1), DVec2::new(0.1, -0.1), DVec2::new(0.1, 0.1), DVec2::new(-0.1, 0.1)];

    fn stands(space: &Space) -> Vec<BodyPose> {
        (0..space.bodies.len()).map(|row| space.stand(row)).collect()
    }

    /// Square robots at these positions.
    fn squares(boundary: Boundary, at: &[(f64, f64)]) -> Space {
        let body = |(x, y): &(f64, f64)| Body { contact: Contact::Outlined, ..disc(*x, *y, 0.15) };
        let bodies: Vec<Body> = at.iter().map(body).collect();
        let mut space = with(boundary, &bodies);
        let outline = |row: usize| {
            let solid = space.solids.add_polygon(&SQUARE).unwrap();
            space.solids.set_properties(solid, SolidProperties::body(row));
            Drawn { row, solid, corners: SQUARE.to_vec() }
        };
        let outlines = (0..bodies.len()).map(outline).collect();
        space.bodies.set_outlines(outlines);
        (0..bodies.len()).for_each(|row| space.place_outline(row));
        space
    }

    fn go(space: &mut Space, row: usize, way: DVec2, turn: f64) {
        let (position, heading) = (space.bodies.positions()[row] + way, space.bodies.headings()[row] + turn);
        space.place_body(row, position, heading, way);
        space.place_outline(row);
    }

    /// Moves all bodies and returns the collisions.
    fn halted(space: &mut Space, who: Halting, ways: &[(DVec2, f64)]) -> Vec<Bump> {
        let before = stands(space);
        ways.iter().enumerate().for_each(|(row, (way, turn))| go(space, row, *way, *turn));
        space.update();
        space.halt(who, &before).to_vec()
    }

    #[test]
    fn a_robot_stops_at_a_wall_and_turns_there() {
        let mut space = squares(Boundary::Walls, &[(0.1, 1.0), (1.0, 1.0)]);
        let bumps = halted(&mut space, Halting::Outlined, &[(-DVec2::X * 0.01, 0.0), (DVec2::X * 0.01, 0.0)]);
        assert_eq!(bumps, [Bump { row: 0, into: Target::Wall }]);
        assert_eq!(space.bodies.positions(), [DVec2::new(0.1, 1.0), DVec2::new(1.01, 1.0)]);
        assert_eq!(space.bodies.displacements()[0], DVec2::ZERO);
        assert_eq!(space.bodies.pushed(), &[true, false][..]);
        // There is no room to turn at the wall, but a little away from it.
        halted(&mut space, Halting::Outlined, &[(-DVec2::X * 0.01, 0.5), (DVec2::ZERO, 0.0)]);
        assert_eq!(space.bodies.headings()[0], 0.0);
        halted(&mut space, Halting::Outlined, &[(DVec2::X * 0.05, 0.0), (DVec2::ZERO, 0.0)]);
        halted(&mut space, Halting::Outlined, &[(-DVec2::X * 0.09, 0.5), (DVec2::ZERO, 0.0)]);
        assert_eq!(space.bodies.headings()[0], 0.5);
        assert_eq!(space.bodies.positions()[0].x, 0.1 + 0.05);
    }

    #[test]
    fn robots_that_meet_stop_with_those_behind_them() {
        let mut space = squares(Boundary::Open, &[(1.0, 1.0), (1.3, 1.0), (0.75, 1.0)]);
        let ways = [(DVec2::X * 0.06, 0.0), (-DVec2::X * 0.06, 0.0), (DVec2::X * 0.06, 0.0)];
        let bumps = halted(&mut space, Halting::Outlined, &ways);
        let into = |row, other| Bump { row, into: Target::Body(other) };
        assert_eq!(bumps, [into(0, 1), into(1, 0), into(2, 0)]);
        assert_eq!(space.bodies.positions()[2], DVec2::new(0.75, 1.0));
    }

    #[test]
    fn an_overlapping_robot_may_leave_but_not_go_deeper() {
        let mut space = squares(Boundary::Open, &[(1.0, 1.0)]);
        space.solids.add_polygon(&[(1.05, 0.0), (3.0, 0.0), (3.0, 3.0), (1.05, 3.0)].map(DVec2::from)).unwrap();
        assert_eq!(halted(&mut space, Halting::All, &[(DVec2::X * 0.01, 0.0)]).len(), 1);
        assert_eq!(halted(&mut space, Halting::All, &[(-DVec2::X * 0.01, 0.0)]), []);
        assert_eq!(space.bodies.positions()[0].x, 0.99);
    }

    #[test]
    fn no_robot_passes_a_solid_in_a_long_step() {
        // Between two of the positions at which the robot is checked.
        let thin = [(2.02, 0.5), (2.021, 0.5), (2.021, 1.5), (2.02, 1.5)].map(DVec2::from);
        for radii in [70.0, 200.0, 1e6] {
            let way = DVec2::X * 0.01 * radii;
            let mut space = with(Boundary::Open, &[disc(1.0, 1.0, 0.01), disc(1.0, 2.0, 0.01)]);
            space.solids.add_polygon(&thin).unwrap();
            space.solids.add_disc(DVec2::new(1.5, 2.0), 1e-3).unwrap();
            let ways = [(way * 2.0, 0.0), (way, 0.0)];
            let into = |row, solid| Bump { row, into: Target::Solid(solid) };
            assert_eq!(halted(&mut space, Halting::All, &ways), [into(0, 0), into(1, 1)], "{radii}");
            let before = space.stand(0);
            go(&mut space, 0, way * 2.0, 0.0);
            assert_eq!(space.halt_one(0, Halting::All, before), Some(into(0, 0)));
        }
    }

    #[test]
    fn no_robot_passes_a_wall_thinner_than_a_step() {
        let thin = [(1.3, 0.5), (1.31, 0.5), (1.31, 1.5), (1.3, 1.5)].map(DVec2::from);
        let ways = [(DVec2::X * 0.7, 3.0)];
        let mut space = squares(Boundary::Walls, &[(1.0, 1.0)]);
        let wall = space.solids.add_polygon(&thin).unwrap();
        assert_eq!(halted(&mut space, Halting::Outlined, &ways), [Bump { row: 0, into: Target::Solid(wall) }]);
        assert_eq!(space.bodies.positions()[0], DVec2::ONE);
        let mut space = with(Boundary::Walls, &[disc(1.0, 1.0, 0.05)]);
        space.solids.add_polygon(&thin).unwrap();
        assert_eq!(halted(&mut space, Halting::All, &ways), [Bump { row: 0, into: Target::Solid(0) }]);
        let before = space.stand(0);
        go(&mut space, 0, DVec2::X * 0.7, 0.0);
        assert_eq!(space.halt_one(0, Halting::All, before), Some(Bump { row: 0, into: Target::Solid(0) }));
        assert_eq!(space.bodies.positions()[0], DVec2::ONE);
    }

    #[test]
    fn two_robots_that_would_swap_places_stop() {
        let mut space = squares(Boundary::Open, &[(1.0, 1.0), (2.0, 1.0)]);
        let bumps = halted(&mut space, Halting::Outlined, &[(DVec2::X, 0.0), (-DVec2::X, 0.0)]);
        let into = |row, other| Bump { row, into: Target::Body(other) };
        assert_eq!(bumps, [into(0, 1), into(1, 0)]);
    }

    #[test]
    fn discs_halt_only_with_halting_all() {
        let pair = || with(Boundary::Open, &[disc(1.0, 1.0, 0.1), disc(1.21, 1.0, 0.1)]);
        let ways = [(DVec2::X * 0.02, 0.3), (DVec2::ZERO, 0.0)];
        let mut space = pair();
        assert_eq!(halted(&mut space, Halting::Outlined, &ways), []);
        let mut space = pair();
        assert_eq!(halted(&mut space, Halting::All, &ways), [Bump { row: 0, into: Target::Body(1) }]);
        assert_eq!(space.bodies.positions()[0].x, 1.0);
        assert_eq!(space.bodies.headings()[0], 0.3, "a disc has room to turn");
    }

    proptest! {
        #[test]
        fn two_overlapping_robots_may_drive_apart(
            x in -0.15..0.15, y in -0.15..0.15, turns in (-3.0..3.0, -3.0..3.0), in_one_place in any::<bool>(),
        ) {
            let offset = if in_one_place { DVec2::ZERO } else { DVec2::new(x, y) };
            let turns = if in_one_place { (turns.0, turns.0) } else { turns };
            let mut space = squares(Boundary::Open, &[(2.0, 1.5), (2.0 + offset.x, 1.5 + offset.y)]);
            go(&mut space, 0, DVec2::ZERO, turns.0);
            go(&mut space, 1, DVec2::ZERO, turns.1);
            let way = offset.normalize_or(DVec2::X) * 0.02;
            for _ in 0..10 {
                prop_assert_eq!(halted(&mut space, Halting::Outlined, &[(-way, 0.0), (way, 0.0)]), []);
            }
            prop_assert!(space.bodies.positions()[0].distance(space.bodies.positions()[1]) > 0.3);
        }

        #[test]
        fn stopping_robots_never_overlap(
            ways in prop::collection::vec(prop::collection::vec((-0.08..0.08, -0.08..0.08, -0.4..0.4), 9), 30),
            wraps in any::<bool>(),
            alone in any::<bool>(),
        ) {
            let places: Vec<_> = (0..9).map(|k| (0.5 + 0.3 * f64::from(k % 3), 0.5 + 0.3 * f64::from(k / 3))).collect();
            let mut space = squares(if wraps { Boundary::Periodic } else { Boundary::Walls }, &places);
            space.solids.add_disc(SIZE / 2.0, 0.2).unwrap();
            for ways in ways {
                if alone {
                    for (row, (x, y, turn)) in ways.into_iter().enumerate() {
                        let before = stands(&space)[row];
                        go(&mut space, row, DVec2::new(x, y), turn);
                        space.halt_one(row, Halting::Outlined, before);
                    }
                    space.refresh();
                } else {
                    let ways: Vec<_> = ways.into_iter().map(|(x, y, turn)| (DVec2::new(x, y), turn)).collect();
                    halted(&mut space, Halting::Outlined, &ways);
                }
                for row in 0..9 {
                    let mine = space.form(row);
                    prop_assert!(depth_in_walls(&space.arena, &mine) <= 2e-9);
                    for other in 0..row {
                        let offset = space.arena.offset(space.bodies.positions()[row], space.bodies.positions()[other]);
                        let shift = space.bodies.positions()[row] + offset - space.bodies.positions()[other];
                        prop_assert!(depth(&mine, &space.form(other), shift) <= 2e-9);
                    }
                    prop_assert!(depth(&mine, &space.solids.outline(9), DVec2::ZERO) <= 2e-9);
                }
            }
        }
    }
}
