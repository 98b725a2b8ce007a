//! Pushes on a body by other bodies, solids and walls.

use bevy::math::DVec2;

use super::TOLERANCE;
use crate::Space;
use crate::bodies::Contact;
use crate::field::Boundary;
use crate::helpers::Helpers;
use crate::index::Neighbour;
use crate::solid::{SolidProperties, unit_or};

/// Number of possibly overlapping bodies from which several threads are used.
const WORTH_SHARING: usize = 2000;

/// An overlap above this fraction of the smaller body's diameter is deep and causes more passes.
const DEEP: f64 = 0.01;

/// Number of touching bodies, over all bodies of a heap, from which pushes are calculated, and the smallest number for
/// one body.
const TOUCHES_IN_HEAP: usize = 200_000;
const LEAST_TOUCHES: usize = 16;

/// Number of contacts from which the pushes on a body are weighted less, because their sum would move it too far.
const CROWDED: u32 = 3;
/// In additional passes, pushes are rotated by the angle with this cosine and sine, so that a row of bodies along a
/// wall buckles.
const TURN: DVec2 = DVec2::new(0.998_749_217_771_909, 0.05);

/// Largest number of corrections that keep a body on its side of the solids in its way; after these, it returns to its
/// previous position.
const SLIDES: u32 = 4;

/// Unit vectors in which bodies with the same centre separate.
const PARTINGS: [DVec2; 8] = [
    DVec2::new(1.0, 0.0),
    DVec2::new(0.8, 0.6),
    DVec2::new(0.6, 0.8),
    DVec2::new(0.28, 0.96),
    DVec2::new(0.0, 1.0),
    DVec2::new(-0.28, 0.96),
    DVec2::new(-0.6, 0.8),
    DVec2::new(-0.8, 0.6),
];

/// Displacement of the body in `row` by pushes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    pub row: u32,
    /// Whether it touches anything, even if its pushes cancel.
    pub hit: bool,
    /// Whether it overlaps a body deeply.
    pub deep: bool,
    pub by: DVec2,
}

/// Parameters of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parting<'a> {
    /// The fraction of each overlap by which a body moves if the other body can move; `None` ignores other bodies and
    /// their outlines.
    pub part: Option<f64>,
    /// Whether pushes are slightly rotated.
    pub turned: bool,
    /// Whether each row is held; empty for none.
    pub held: &'a [bool],
}

impl Push {
    #[inline]
    pub fn none(row: usize) -> Self {
        Self { row: row as u32, hit: false, deep: false, by: DVec2::ZERO }
    }

    #[inline]
    pub fn row(&self) -> usize {
        self.row as usize
    }
}

/// A body that overlaps another one.
struct Touch {
    row: usize,
    radius: f64,
    is_fixed: bool,
    /// The depth (m) of the overlap.
    overlap: f64,
    /// The unit vector away from it.
    away: DVec2,
}

/// Overlap of a body with others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crowding {
    pub deep: bool,
    /// Sum of the squares of its overlaps (m²).
    pub squares: f64,
}

impl Space {
    /// Overlap of a body with others if its centre were at a point.
    pub(super) fn crowding(&self, row: usize, center: DVec2) -> Crowding {
        let mut crowding = Crowding::default();
        let radius = self.bodies.radii()[row];
        self.touching(row, center, radius, |other| {
            crowding.squares += other.overlap * other.overlap;
            crowding.deep |= other.overlap > deep_m(radius, other.radius);
        });
        crowding
    }

    /// Visits the discs that the body in `row` would overlap and collide with if its centre were at `center`.
    #[inline]
    fn touching(&self, row: usize, center: DVec2, radius: f64, mut visit: impl FnMut(Touch)) {
        let reach = DVec2::splat(radius + self.index.largest_radius());
        let touch = |body: &Neighbour| {
            let limit = radius + body.radius - TOLERANCE;
            let distance_squared = body.offset.length_squared();
            // A body with a NaN position touches nothing.
            let touches = limit > 0.0 && distance_squared < limit * limit;
            if !touches || body.row == row || !self.bodies.push(row, body.row) {
                return None;
            }
            let is_fixed = match self.bodies.contacts()[body.row] {
                Contact::Mobile => false,
                Contact::Fixed => true,
                Contact::Ghost | Contact::Outlined => return None,
            };
            let distance = distance_squared.sqrt();
            let overlap = radius + body.radius - distance;
            let away = unit_or(-body.offset, distance, parting(row, body.row));
            Some(Touch { row: body.row, radius: body.radius, is_fixed, overlap, away })
        };
        if self.index.is_heap() {
            // A fair sample of the bodies that it touches gives the direction out of the heap.
            let mut left = self.most_touches();
            return self.index.spread_in_box(center, (-reach, reach), row, |body| {
                if let Some(touch) = touch(&body) {
                    left = left.saturating_sub(1);
                    visit(touch);
                }
                left == 0
            });
        }
        self.index.near_box(center, (-reach, reach), |body| {
            if let Some(touch) = touch(&body) {
                visit(touch);
            }
        });
    }

    /// The number of touching bodies that suffice for a push in a heap.
    pub(super) fn most_touches(&self) -> usize {
        (TOUCHES_IN_HEAP / self.bodies.len().max(1)).max(LEAST_TOUCHES)
    }

    /// Computes every push in place; each depends only on the current bodies, so the order does not matter.
    pub(super) fn find_pushes(&self, pushes: &mut [Push], parting: Parting, helpers: Option<Helpers>) {
        let find = |pushes: &mut [Push]| {
            for push in pushes {
                *push = self.push_on(push.row(), parting);
            }
        };
        match helpers.and_then(|helpers| helpers.for_items(pushes.len(), WORTH_SHARING)) {
            Some(helpers) => helpers.share(pushes, find),
            None => find(pushes),
        }
    }

    /// The push of other bodies, solids and walls on the body in `row`.
    #[inline]
    pub(super) fn push_on(&self, row: usize, parting: Parting) -> Push {
        let (position, radius) = (self.bodies.positions()[row], self.bodies.radii()[row]);
        let contact = self.bodies.contacts()[row];
        if contact == Contact::Fixed {
            return Push::none(row);
        }
        // Walls stop the centre of a body with an outline; outlines are stopped elsewhere.
        let radius = if contact == Contact::Outlined { 0.0 } else { radius };
        let mut push = Push::none(row);
        let mut target = position;
        let with_bodies = parting.part.is_some();
        if contact == Contact::Mobile {
            if let Some(part) = parting.part {
                self.part_from_bodies(&mut push, (position, radius), part, parting);
                target += push.by;
            }
            if !self.solids.is_empty() {
                target += self.way_out_of_solids(&mut push, target, radius, with_bodies);
            }
        }
        // Crossing a periodic boundary is not part of the displacement: `shift_body` wraps the body.
        let confine = |target| {
            if self.arena.boundary == Boundary::Periodic { target } else { self.arena.confine(target, radius) }
        };
        let mut end = confine(target);
        push.hit |= end != target;
        if contact == Contact::Mobile && !self.solids.is_empty() {
            // A path shorter than the radius enters no solid if the disc touches none at its end.
            if push.hit || self.bodies.displacements()[row].length_squared() > radius * radius {
                let swept = self.swept(row, end, radius, (with_bodies, confine));
                push.hit |= swept != end;
                end = swept;
            }
        }
        push.by = end - position;
        push
    }

    fn part_from_bodies(&self, push: &mut Push, (position, radius): (DVec2, f64), part: f64, parting: Parting) {
        let row = push.row();
        let mut count = 0_u32;
        self.touching(row, position, radius, |other| {
            let makes_way = !other.is_fixed && !parting.held.get(other.row).is_some_and(|held| *held);
            let part = if makes_way { part } else { 1.0 };
            let mut away = other.away;
            if parting.turned {
                let turn = if (row ^ other.row) & 1 == 0 { TURN } else { DVec2::new(TURN.x, -TURN.y) };
                away = turn.rotate(away);
            }
            count += 1;
            push.hit = true;
            push.deep |= other.overlap > deep_m(radius, other.radius);
            push.by += part * other.overlap * away;
        });
        if count >= CROWDED {
            push.by *= f64::from(CROWDED - 1) / f64::from(count);
        }
    }

    /// The displacement from `center` out of one solid after another; `with_bodies` includes solids of bodies.
    fn way_out_of_solids(&self, push: &mut Push, center: DVec2, radius: f64, with_bodies: bool) -> DVec2 {
        let mut way = DVec2::ZERO;
        self.near_solids(center - radius, center + radius, |solid, shift| {
            let part = self.solids.properties(solid);
            if !part.blocks || self.passes(push.row(), &part, with_bodies) {
                return;
            }
            let exit = parting(push.row(), usize::MAX);
            let out = self.solids.push_out(solid, center + way - shift, radius, exit).unwrap_or_default();
            if out.length_squared() > TOLERANCE * TOLERANCE && !self.is_held_by(push.row(), &part) {
                push.hit = true;
                way += out;
            }
        });
        way
    }

    /// Whether the body in `row` ignores `part`: a part of another body, unless bodies count and both push.
    pub(super) fn passes(&self, row: usize, part: &SolidProperties, with_bodies: bool) -> bool {
        part.is_body && part.owner.is_none_or(|owner| !with_bodies || !self.bodies.push(row, owner))
    }

    /// The end of the straight motion of a body from its position before the step to `end`. A solid in its way deflects
    /// it along the edge on the near side; where there is no room for that, the body returns to its previous position.
    fn swept(
        &self,
        row: usize,
        mut end: DVec2,
        radius: f64,
        (with_bodies, confine): (bool, impl Fn(DVec2) -> DVec2),
    ) -> DVec2 {
        let before = self.before(row);
        let counts = |part: &SolidProperties| {
            part.owner != Some(row) && !self.passes(row, part, with_bodies) && !self.is_held_by(row, part)
        };
        for _ in 0..SLIDES {
            let Some(entry) = self.first_entry(before, end, counts) else { return end };
            let beside = radius.max(TOLERANCE) - (end - entry.point).dot(entry.outside);
            end = confine(end + beside * entry.outside);
        }
        if self.first_entry(before, end, counts).is_some() { before } else { end }
    }
}

/// Depth (m) beyond which an overlap of two bodies is deep.
fn deep_m(radius: f64, other: f64) -> f64 {
    (2.0 * DEEP * radius.min(other)).max(2.0 * TOLERANCE)
}

/// The direction in which `row` separates from `other` at the same position: opposite to that of the other.
fn parting(row: usize, other: usize) -> DVec2 {
    // A multiplicative hash (Knuth), so that many coincident bodies separate in many directions.
    let mixed = row.min(other).wrapping_mul(31).wrapping_add(row.max(other)).wrapping_mul(0x9E37_79B9) >> 16;
    let way = PARTINGS[mixed % PARTINGS.len()];
    if row < other { way } else { -way }
}
