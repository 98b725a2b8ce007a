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

/// Largest number of rounds of pushes on a moving agent.
const ROUNDS: u32 = 10;
/// Centres at a smaller distance (m) are shaken apart; every push exceeds the overlap by this distance.
const TINY_M: f64 = 1e-4;
/// Largest random shift (m) of coincident centres, along each axis.
pub const SHAKE_M: f64 = 1e-3;

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
        let near: Vec<usize> = self.near_box_of(row).collect();
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

    /// The rows of the detectable discs whose boxes touch the box of the body in `row`.
    pub fn near_box_of(&self, row: usize) -> impl Iterator<Item = usize> {
        let mine = self.boxed(row);
        (0..self.boxes.len()).filter(move |other| *other != row && self.boxed(*other).box_touches(&mine)).filter(
            |other| {
                matches!(self.bodies.contacts()[*other], Contact::Mobile | Contact::Fixed)
                    && self.bodies.collides()[*other] != Collides::Off
            },
        )
    }

    /// Whether the box of the body in `row` touches the box from `low` to `high` (m); true with standard collisions.
    pub fn box_meets(&self, row: usize, (low, high): (DVec2, DVec2)) -> bool {
        self.boxes.is_empty() || {
            let Disc { center_m, radius_m } = self.boxed(row);
            (center_m - radius_m).cmple(high).all() && low.cmple(center_m + radius_m).all()
        }
    }

    fn disc(&self, row: usize) -> Disc {
        Disc { center_m: self.bodies.positions()[row], radius_m: self.bodies.radii()[row] }
    }

    /// The disc in the box of the body in `row`.
    fn boxed(&self, row: usize) -> Disc {
        Disc { center_m: self.boxes[row], radius_m: self.bodies.radii()[row] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Disc = Disc { center_m: DVec2::ZERO, radius_m: 0.1 };

    #[test]
    fn boxes_that_touch_count() {
        let at = |x, y| Disc { center_m: DVec2::new(x, y), radius_m: 0.1 };
        assert!(HERE.box_touches(&at(0.2, 0.2)) && HERE.box_touches(&HERE));
        assert!(!HERE.box_touches(&at(0.2 + 1e-9, 0.0)) && !HERE.box_touches(&at(0.0, -0.21)));
    }

    #[test]
    fn discs_in_one_place_are_shaken_and_others_are_not() {
        let shaken = HERE.push_from(&HERE, 1.0, || DVec2::new(3e-4, 0.0));
        assert_eq!(shaken, Some(DVec2::new(-3e-4, 0.0)));
        let near = Disc { center_m: DVec2::new(0.1, 0.0), ..HERE };
        let push = HERE.push_from(&near, 1.0, || panic!()).unwrap();
        assert!((push.x + 0.1 / 0.101 * 0.1001).abs() < 1e-15 && push.y == 0.0);
        assert_eq!(HERE.push_from(&Disc { center_m: DVec2::X, ..HERE }, 1.0, || panic!()), None);
    }
}
