//! Places for agents and objects whose spawners do not let them overlap (`if_full: Fail`, `Fewer` and `Pack`).
//!
//! 1. Each one takes the first free of up to [`DRAWS`] drawn places.
//! 2. With `Pack`, if one of them finds none, all take places of a hexagonal lattice in the area of the spawner. So do
//!    those of a `Point`, whatever the rule.

use std::ops::Range;

use bevy::math::DVec2;
use swarmarium_core::agent::Pose;
use swarmarium_core::random::Stream;
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{IfFull, Placing, Spawning};
use swarmarium_space::{Boundary, Field};

/// Number of draws for one agent or object.
const DRAWS: usize = 1000;
/// The spawner counts as full after so many agents or objects in a row without a free place.
const MISSES: usize = 20;
/// The largest number of places of a lattice that are tried.
const MAX_LATTICE: f64 = 4e6;

/// The space that is taken, for agents or objects of one shape.
pub(super) trait Room: Clone {
    /// Whether one of them is free of everything else in a pose.
    fn is_free(&self, pose: &Pose) -> bool;

    /// Takes the place of one of them.
    fn take(&mut self, pose: &Pose);
}

/// The agents or objects to place.
pub(super) struct Request<'r, 'w> {
    pub placing: &'r mut Placing<'w>,
    pub spawning: &'r Spawning,
    pub field: Field,
    pub numbers: Range<u32>,
    /// Radius of the disc that encloses one of them (m).
    pub rim_m: f64,
    pub random: &'r mut Stream,
}

/// The result of a [`Request`]: at most as many poses as there are numbers, in their order.
pub(super) struct Placed {
    pub poses: Vec<Pose>,
    /// Indices of poses at which one of them overlaps something.
    pub overlapping: Vec<usize>,
}

impl Request<'_, '_> {
    /// The places that do not overlap; with [`IfFull::Overlap`], the last drawn places for the others.
    pub fn place(mut self, room: &mut impl Room, if_full: IfFull) -> Placed {
        let is_around_a_point = self.placing.area == Some(Area::Arena);
        let before = (if_full == IfFull::Pack || is_around_a_point).then(|| room.clone());
        let (mut poses, mut overlapping, mut misses) = (Vec::new(), Vec::new(), 0);
        for number in self.numbers.clone() {
            let (pose, is_free, is_fixed) = self.draw_free(number, room, misses >= MISSES);
            if is_free {
                room.take(&pose);
                poses.push(pose);
                misses = 0;
                continue;
            }
            if if_full == IfFull::Pack || (is_fixed && is_around_a_point) {
                if let Some(before) = before {
                    *room = before;
                }
                return self.packed(room, if_full);
            }
            // A single place says nothing about the others.
            misses += usize::from(!is_fixed);
            if if_full == IfFull::Overlap {
                overlapping.push(poses.len());
                room.take(&pose);
                poses.push(pose);
            } else if misses >= MISSES {
                break;
            }
        }
        Placed { poses, overlapping }
    }

    /// All places on a lattice; with [`IfFull::Overlap`], drawn places for those without one.
    fn packed(mut self, room: &mut impl Room, if_full: IfFull) -> Placed {
        let mut poses = self.pack(room);
        let free = poses.len();
        if if_full == IfFull::Overlap {
            let rest: Vec<Pose> = self.numbers.clone().skip(free).map(|number| self.draw(number)).collect();
            rest.iter().for_each(|pose| room.take(pose));
            poses.extend(rest);
        }
        Placed { overlapping: (free..poses.len()).collect(), poses }
    }

    /// A drawn pose, whether it is free, and whether the spawner has a single place for this number.
    fn draw_free(&mut self, number: u32, room: &impl Room, is_hopeless: bool) -> (Pose, bool, bool) {
        let mut pose = self.draw(number);
        for draws in 1..=DRAWS {
            if room.is_free(&pose) {
                return (pose, true, false);
            }
            let next = self.draw(number);
            if draws == 1 && next.position_m == pose.position_m && next.heading_rad == pose.heading_rad {
                return (pose, false, true);
            }
            if is_hopeless {
                break;
            }
            pose = next;
        }
        (pose, false, false)
    }

    fn draw(&mut self, number: u32) -> Pose {
        let (place, any_rad) = self.placing.draw(number, self.random);
        let heading = || self.spawning.facing.heading_rad(place.position_m, self.placing.center_m, || any_rad);
        let heading_rad = place.heading_rad.unwrap_or_else(heading);
        Pose { position_m: self.wrapped(place.position_m), heading_rad }
    }

    fn wrapped(&self, position_m: DVec2) -> DVec2 {
        if self.field.boundary == Boundary::Periodic { self.field.wrap(position_m) } else { position_m }
    }

    /// The poses on the lattice that holds most, up to the number that is needed.
    fn pack(&mut self, room: &mut impl Room) -> Vec<Pose> {
        let Some(area) = self.placing.area.clone() else { return Vec::new() };
        let count = self.numbers.len();
        // Neighbours at exactly twice the radius would overlap by rounding.
        let spacing_m = (2.0 * self.rim_m + self.spawning.gap_m).max(1e-6) * (1.0 + 1e-9);
        let (low, high) = self.bounds(&area, spacing_m);
        let center_m = self.placing.center_m;
        let mut lattices = [(center_m, false), (center_m, true), (low, false), (low, true)];
        if matches!(area, Area::Rectangle { .. } | Area::Polygon { .. }) {
            // The lattice through the lower left corner fits an area with straight edges.
            lattices.rotate_left(2);
        }
        let before = room.clone();
        let mut best = (Vec::new(), before.clone());
        for (origin_m, is_upright) in lattices {
            let mut places = lattice(origin_m, spacing_m, is_upright, (low, high));
            places.retain(|place| area.contains(*place));
            let distance = |place: &DVec2| place.distance_squared(center_m);
            places.sort_by(|a, b| {
                distance(a).total_cmp(&distance(b)).then(a.y.total_cmp(&b.y)).then(a.x.total_cmp(&b.x))
            });
            let mut tried = (Vec::new(), before.clone());
            for place in places {
                if tried.0.len() == count {
                    break;
                }
                let any_rad = self.random.between(-std::f64::consts::PI, std::f64::consts::PI);
                let heading_rad = self.spawning.facing.heading_rad(place, center_m, || any_rad);
                let pose = Pose { position_m: self.wrapped(place), heading_rad };
                if tried.1.is_free(&pose) {
                    tried.1.take(&pose);
                    tried.0.push(pose);
                }
            }
            if tried.0.len() > best.0.len() {
                best = tried;
            }
            if best.0.len() == count {
                break;
            }
        }
        *room = best.1;
        best.0
    }

    /// The lower and upper corner of the places of a lattice: those of the area within the arena.
    fn bounds(&self, area: &Area, spacing_m: f64) -> (DVec2, DVec2) {
        let (mut low, mut high) = area.bounds().unwrap_or((DVec2::NEG_INFINITY, DVec2::INFINITY));
        if self.field.boundary != Boundary::Open {
            let rim_m = if self.field.boundary == Boundary::Walls { self.rim_m + self.spawning.gap_m } else { 0.0 };
            (low, high) = (low.max(self.field.low + rim_m), high.min(self.field.high() - rim_m));
        }
        // Of a large area, the part around the centre is enough.
        let reach_m = DVec2::splat(spacing_m * (4.0 + 4.0 * (self.numbers.len() as f64).sqrt()));
        let is_small = (high - low).element_product() <= MAX_LATTICE * spacing_m * spacing_m;
        if !is_small {
            (low, high) = (low.max(self.placing.center_m - reach_m), high.min(self.placing.center_m + reach_m));
        }
        (low, high)
    }
}

/// The places of a hexagonal lattice through `origin` between two corners, with rows along x, or along y if `is_upright`.
fn lattice(origin_m: DVec2, spacing_m: f64, is_upright: bool, (low, high): (DVec2, DVec2)) -> Vec<DVec2> {
    let turned = |point: DVec2| if is_upright { DVec2::new(point.y, point.x) } else { point };
    let (low, high, origin) = (turned(low), turned(high), turned(origin_m));
    let row_m = spacing_m * 3.0_f64.sqrt() / 2.0;
    let rows = ((low.y - origin.y) / row_m).ceil() as i64..=((high.y - origin.y) / row_m).floor() as i64;
    let places = rows.flat_map(|row| {
        let first_m = origin.x + if row.rem_euclid(2) == 1 { spacing_m / 2.0 } else { 0.0 };
        let columns = ((low.x - first_m) / spacing_m).ceil() as i64..=((high.x - first_m) / spacing_m).floor() as i64;
        let y = origin.y + row_m * row as f64;
        columns.map(move |column| turned(DVec2::new(first_m + spacing_m * column as f64, y)))
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_is_hexagonal_and_fills_its_box() {
        for is_upright in [false, true] {
            let places = lattice(DVec2::ZERO, 1.0, is_upright, (DVec2::ZERO, DVec2::splat(20.0)));
            let nearest = |place: &DVec2| {
                let others = places.iter().filter(|other| *other != place);
                others.map(|other| other.distance(*place)).fold(f64::INFINITY, f64::min)
            };
            assert!(places.iter().all(|place| (nearest(place) - 1.0).abs() < 1e-12));
            // 24 rows of 21 and 20 places by turns.
            assert_eq!(places.len(), 12 * 21 + 12 * 20);
            assert!(places.iter().all(|place| place.min_element() >= 0.0 && place.max_element() <= 20.0));
        }
    }
}
