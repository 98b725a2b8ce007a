//! Collisions of discs as in RobotSwarmSimulator 1.2.5, defects included.
//!
//! 1. A disc can push another only if their boxes touch.
//! 2. Each such disc that overlaps the other and has [`Collides::Push`] pushes it away in turn: by the overlap plus 0.1
//!    mm, times d / (d + 1 mm) at a distance d of the centres, so that half a percent of the overlap remains at d = 0.2
//!    m. The `Collides` of the pushed disc does not matter.
//! 3. This is repeated until no disc pushes, at most ten times.
//!
//! Boxes of moving agents are those before their last move, so an approaching agent overlaps for one step. Regions
//! detect agents by the same boxes.

use bevy::math::DVec2;

use super::Space;
use super::bodies::{Collides, Contact};
use super::collide::TOLERANCE;

/// Largest number of rounds of pushes on a moving agent.
const ROUNDS: u32 = 10;
/// Centres at a smaller distance (m) are shaken apart; every push exceeds the overlap by this distance.
const TINY_M: f64 = 1e-4;
/// Largest random shift (m) of coincident centres, along each axis.
pub const SHAKE_M: f64 = 1e-3;

/// The broad-phase boxes of the bodies; none for standard collisions.
#[derive(Clone, Debug, Default)]
pub(super) struct Boxes {
    /// The centres (m) by row.
    centers: Vec<DVec2>,
    /// Upper bound of the distances (m, along an axis) of the centres of bodies from the centres of their boxes.
    distance: f64,
}

impl Boxes {
    /// Accounts for the position (m) of the body in `row`.
    #[inline]
    pub fn note_distance(&mut self, row: usize, position: DVec2) {
        if let Some(center) = self.centers.get(row) {
            self.distance = (position - center).abs().max_element().max(self.distance);
        }
    }
}

/// A disc that can push others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Its centre.
    pub center_m: DVec2,
    /// Its radius.
    pub radius_m: f64,
}

impl Disc {
    /// Whether the boxes around two discs touch.
    pub fn box_touches(&self, other: &Self) -> bool {
        let [mine, theirs] =
            [self, other].map(|Self { center_m, radius_m }| (*center_m - *radius_m, *center_m + *radius_m));
        mine.0.cmple(theirs.1).all() && theirs.0.cmple(mine.1).all()
    }

    /// The push of another disc on this one, by `part` of the overlap; `None` if they do not overlap.
    pub fn push_from(&self, other: &Self, part: f64, shake: impl FnOnce() -> DVec2) -> Option<DVec2> {
        let way = other.center_m - self.center_m;
        // With one fused multiply-add, as in numpy: the directions of crowded discs amplify the last digit.
        let distance = way.y.mul_add(way.y, way.x * way.x).sqrt();
        let overlap = self.radius_m + other.radius_m - distance;
        if overlap < 0.0 {
            return None;
        }
        let shaken = if distance < TINY_M { shake() } else { DVec2::ZERO };
        Some(-(shaken + way / (distance + SHAKE_M) * (overlap + TINY_M)) * part)
    }
}

impl Space {
    /// Whether collisions are classic: bodies have broad-phase boxes.
    #[inline]
    #[must_use]
    pub fn is_classic(&self) -> bool {
        !self.boxes.centers.is_empty()
    }

    /// The centre (m) of the box of a body, with classic collisions.
    #[must_use]
    pub fn box_center(&self, row: usize) -> Option<DVec2> {
        self.boxes.centers.get(row).copied()
    }

    /// Sets the centres (m) of the boxes of all bodies, by row; none for standard collisions.
    pub fn set_boxes(&mut self, centers: Vec<DVec2>) {
        self.boxes.centers = centers;
        self.measure_boxes();
    }

    /// Moves the centre (m) of the box of the body in `row`; returns whether it has a box.
    pub fn set_box(&mut self, row: usize, center: DVec2) -> bool {
        let Some(old) = self.boxes.centers.get_mut(row) else { return false };
        *old = center;
        self.boxes.note_distance(row, self.bodies.positions()[row]);
        true
    }

    #[inline]
    pub(super) fn has_box(&self, row: usize) -> bool {
        row < self.boxes.centers.len()
    }

    /// Updates the largest distance of a body from its box. While bodies move one after another, it only grows.
    pub(super) fn measure_boxes(&mut self) {
        let Boxes { centers, distance } = &mut self.boxes;
        let distances =
            centers.iter().zip(self.bodies.positions()).map(|(center, at)| (*at - *center).abs().max_element());
        *distance = distances.fold(0.0, f64::max);
    }

    /// Moves only the body in `row`, as RobotSwarmSimulator does, and records the number of bodies that push it.
    /// `pushed` gets the row of the other body at each push.
    ///
    /// Solids and walls, which do not exist there, push as with standard collisions. As after [`Space::resolve_one`],
    /// call [`Space::refresh`] after the turn of the last body.
    pub fn resolve_classic(
        &mut self,
        row: usize,
        mut shake: impl FnMut() -> DVec2,
        mut pushed: impl FnMut(usize),
    ) -> bool {
        if matches!(self.bodies.contacts()[row], Contact::Fixed | Contact::Outlined) {
            return self.resolve_alone(row, None);
        }
        let near = self.near_box_of(row);
        let mut moved = false;
        for _ in 0..ROUNDS {
            let mut pushed_by = 0;
            for &other in &near {
                // A disc with `Detect` does not push, but random numbers are drawn for it as for the others.
                let push = self.disc(row).push_from(&self.disc(other), 1.0, &mut shake);
                if let Some(push) = push.filter(|_| self.bodies.collides()[other] == Collides::Push) {
                    pushed_by += 1;
                    self.shift_body(row, push);
                    pushed(other);
                }
            }
            if pushed_by == 0 {
                break;
            }
            // Only the first round counts.
            if !moved {
                self.bodies.set_collided(row, pushed_by);
            }
            moved = true;
        }
        self.resolve_alone(row, None) || moved
    }

    /// Whether the disc in `row` overlaps or touches another disc whose box touches its own.
    pub fn meets_classic(&self, row: usize, other: usize) -> bool {
        let (mine, theirs) = (self.disc(row), self.disc(other));
        mine.radius_m + theirs.radius_m - theirs.center_m.distance(mine.center_m) >= 0.0
    }

    /// The rows of the detectable discs whose boxes touch the box of the body in `row`, in order.
    pub fn near_box_of(&self, row: usize) -> Vec<usize> {
        let mine = self.boxed(row);
        // Bodies are found by their positions, which are not the centres of their boxes.
        let rounding = TOLERANCE * (1.0 + mine.center_m.abs().max_element());
        let reach = DVec2::splat(mine.radius_m + self.index.largest_radius() + self.boxes.distance + rounding);
        let mut near = Vec::new();
        self.index.near_box(mine.center_m, (-reach, reach), |body| {
            let other = body.row;
            if other != row
                && self.has_box(other)
                && self.boxed(other).box_touches(&mine)
                && matches!(self.bodies.contacts()[other], Contact::Mobile | Contact::Fixed)
                && self.bodies.collides()[other] != Collides::Off
            {
                near.push(other);
            }
        });
        near.sort_unstable();
        near
    }

    /// Whether the box of the body in `row` touches the box from `low` to `high` (m); true with standard collisions.
    pub fn box_meets(&self, row: usize, (low, high): (DVec2, DVec2)) -> bool {
        !self.is_classic() || {
            let Disc { center_m, radius_m } = self.boxed(row);
            (center_m - radius_m).cmple(high).all() && low.cmple(center_m + radius_m).all()
        }
    }

    fn disc(&self, row: usize) -> Disc {
        Disc { center_m: self.bodies.positions()[row], radius_m: self.bodies.radii()[row] }
    }

    /// The disc in the box of the body in `row`.
    fn boxed(&self, row: usize) -> Disc {
        Disc { center_m: self.boxes.centers[row], radius_m: self.bodies.radii()[row] }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{point, space};
    use super::*;

    const HERE: Disc = Disc { center_m: DVec2::ZERO, radius_m: 0.1 };

    proptest! {
        #[test]
        fn classic_boxes_are_found_at_any_position(
            mut space in space(),
            centers in prop::collection::vec(point(), 60),
            moves in prop::collection::vec((any::<prop::sample::Index>(), point(), any::<bool>()), 0..12),
        ) {
            let count = space.bodies.len();
            // Half of the bodies are in their boxes.
            let center = |row: usize| if row.is_multiple_of(2) { space.bodies.positions()[row] } else { centers[row] };
            space.set_boxes((0..count).map(center).collect());
            for (row, to, is_body) in moves.into_iter().filter(|_| count > 0) {
                let row = row.index(count);
                if is_body {
                    space.place_body(row, to, 0.0, DVec2::ZERO);
                } else {
                    space.set_box(row, to);
                }
                let touches = |other: &usize| *other != row && space.boxed(*other).box_touches(&space.boxed(row));
                prop_assert_eq!(space.near_box_of(row), (0..count).filter(touches).collect::<Vec<_>>());
            }
            space.refresh();
            for row in 0..count {
                let touches = |other: &usize| *other != row && space.boxed(*other).box_touches(&space.boxed(row));
                prop_assert_eq!(space.near_box_of(row), (0..count).filter(touches).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn classic_boxes_that_touch_overlap() {
        let at = |x, y| Disc { center_m: DVec2::new(x, y), radius_m: 0.1 };
        assert!(HERE.box_touches(&at(0.2, 0.2)) && HERE.box_touches(&HERE));
        assert!(!HERE.box_touches(&at(0.2 + 1e-9, 0.0)) && !HERE.box_touches(&at(0.0, -0.21)));
    }

    #[test]
    fn classic_collisions_shake_discs_at_one_position_only() {
        let shaken = HERE.push_from(&HERE, 1.0, || DVec2::new(3e-4, 0.0));
        assert_eq!(shaken, Some(DVec2::new(-3e-4, 0.0)));
        let near = Disc { center_m: DVec2::new(0.1, 0.0), ..HERE };
        let push = HERE.push_from(&near, 1.0, || panic!()).unwrap();
        assert!((push.x + 0.1 / 0.101 * 0.1001).abs() < 1e-15 && push.y == 0.0);
        assert_eq!(HERE.push_from(&Disc { center_m: DVec2::X, ..HERE }, 1.0, || panic!()), None);
    }
}
