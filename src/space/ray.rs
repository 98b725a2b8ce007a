//! Rays: what they hit first.

use bevy::math::DVec2;

use super::Space;
use super::bodies::Contact;
use super::field::{Border, Field};
use super::index::Neighbour;
use super::polygon::{self, is_inside, segments_meet};
use super::solid::{Outline, Part, Solids};

/// Length (m) that stands for infinity, which makes no number of a direction along an axis.
const ENDLESS: f64 = 1e100;

/// What a ray hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The body in a row.
    Body(usize),
    /// A solid by its number.
    Solid(usize),
    /// A wall of the arena.
    Wall,
}

/// Where a ray ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance (m) from the start of the ray; 0 where it starts inside the target.
    pub distance: f64,
    /// What is there.
    pub target: Target,
}

/// Everything that blocks rays near a point, gathered once for many rays from there.
///
/// Keep one and fill it again and again with [`Space::look_around`]: its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    discs: Vec<Disc>,
    edges: Vec<Edge>,
    /// Position in the arena, where walls are in reach.
    walled: Option<(Field, DVec2)>,
    /// What has the polygon that holds the point.
    inside: Option<Target>,
}

/// A disc as seen from the point.
#[derive(Clone, Copy, Debug)]
struct Disc {
    offset: DVec2,
    /// Squared length of a tangent from the point: below 0 inside.
    tangent: f64,
    target: Target,
}

/// An edge of a polygon as seen from the point.
#[derive(Clone, Copy, Debug)]
struct Edge {
    start: DVec2,
    along: DVec2,
    target: Target,
}

impl Surroundings {
    /// Whether there is nothing to hit.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.discs.is_empty() && self.edges.is_empty() && self.inside.is_none() && self.walled.is_none()
    }

    /// What the ray along the unit vector `direction` hits first, `skip` to `skip + length` (m) from the point.
    ///
    /// Give the radius of a body as `skip` for a ray that starts at its edge. The distance counts from there, and
    /// what is nearer is hit at 0.
    #[inline]
    #[must_use]
    pub fn cast(&self, direction: DVec2, skip: f64, length: f64) -> Option<Hit> {
        let mut nearest = Nearest::within(skip + length);
        if let Some(target) = self.inside {
            nearest.offer(0.0, target);
        }
        for disc in &self.discs {
            nearest.offer(disc.distance(direction), disc.target);
        }
        for edge in &self.edges {
            nearest.offer(edge.distance(direction), edge.target);
        }
        if let Some((field, position)) = &self.walled {
            nearest.offer(field.wall_distance(*position, direction), Target::Wall);
        }
        nearest.hit(skip)
    }

    /// Whether nothing but the body in row `except` blocks the straight line from the point to `offset` (m) from it.
    #[inline]
    #[must_use]
    pub fn shows(&self, offset: DVec2, except: Option<usize>) -> bool {
        let except = except.map(Target::Body);
        let hides = |target: Target| Some(target) != except;
        !self.inside.is_some_and(hides)
            && !self.discs.iter().any(|disc| hides(disc.target) && disc.blocks(offset))
            && !self.edges.iter().any(|edge| {
                hides(edge.target) && segments_meet((DVec2::ZERO, offset), (edge.start, edge.start + edge.along))
            })
    }

    fn clear(&mut self) {
        self.discs.clear();
        self.edges.clear();
        self.walled = None;
        self.inside = None;
    }

    /// Adds the solids that meet the box from `low` to `high` about `center`, but for those of the rows in `except`.
    fn add_solids(
        &mut self,
        (solids, field): (&Solids, &Field),
        center: DVec2,
        (low, high): (DVec2, DVec2),
        except: &[usize],
    ) {
        solids.near_box(field, center + low, center + high, |solid, shift| {
            let Part { sensed, owner, is_body, .. } = solids.part(solid);
            if !sensed || owner.is_some_and(|row| except.contains(&row)) {
                return;
            }
            let target = owner.filter(|_| is_body).map_or(Target::Solid(solid), Target::Body);
            match solids.outline(solid) {
                Outline::Disc { center: middle, radius } => {
                    self.discs.push(Disc::new(middle + shift - center, radius, target));
                }
                Outline::Polygon(corners) => {
                    let edges = polygon::edges(corners).map(|(a, b)| (a + shift - center, b + shift - center));
                    if is_inside(edges.clone(), DVec2::ZERO) {
                        self.inside = Some(target);
                    }
                    let near = edges.filter(|(a, b)| a.min(*b).cmple(high).all() && low.cmple(a.max(*b)).all());
                    self.edges.extend(near.map(|(a, b)| Edge { start: a, along: b - a, target }));
                }
            }
        });
    }
}

impl Disc {
    #[inline]
    fn new(offset: DVec2, radius: f64, target: Target) -> Self {
        Self { offset, tangent: offset.length_squared() - radius * radius, target }
    }

    #[inline]
    fn of_body(body: &Neighbour) -> Self {
        Self::new(body.offset, body.radius, Target::Body(body.row))
    }

    /// Distance (m) to the disc along `direction`: infinite beside it, 0 inside.
    #[inline]
    fn distance(&self, direction: DVec2) -> f64 {
        if self.tangent < 0.0 {
            return 0.0;
        }
        let along = self.offset.dot(direction);
        let half_chord_squared = along * along - self.tangent;
        if along > 0.0 && half_chord_squared >= 0.0 { along - half_chord_squared.sqrt() } else { f64::INFINITY }
    }

    /// Whether the disc covers a point of the segment from the origin to `end`.
    #[inline]
    fn blocks(&self, end: DVec2) -> bool {
        let (along, length_squared) = (self.offset.dot(end), end.length_squared());
        if self.tangent < 0.0 {
            return true;
        }
        if along >= length_squared {
            // Nearest to the far end: |offset - end|² < radius².
            return length_squared - 2.0 * along + self.tangent < 0.0;
        }
        along > 0.0 && along * along > self.tangent * length_squared
    }
}

impl Edge {
    /// Distance (m) to the edge along `direction`: infinite where the ray passes it.
    #[inline]
    fn distance(&self, direction: DVec2) -> f64 {
        let across = direction.perp_dot(self.along);
        // Parallel rays divide by 0, and fail the comparisons: the corners belong to other edges too.
        let distance = self.start.perp_dot(self.along) / across;
        let place = self.start.perp_dot(direction) / across;
        if distance >= 0.0 && (0.0..=1.0).contains(&place) { distance } else { f64::INFINITY }
    }
}

/// The nearest of the hits that were offered; of equally near ones the first.
struct Nearest {
    distance: f64,
    target: Option<Target>,
}

impl Nearest {
    #[inline]
    fn within(distance: f64) -> Self {
        Self { distance, target: None }
    }

    #[inline]
    fn offer(&mut self, distance: f64, target: Target) {
        if distance < self.distance {
            *self = Self { distance, target: Some(target) };
        }
    }

    #[inline]
    fn hit(&self, skip: f64) -> Option<Hit> {
        self.target.map(|target| Hit { distance: (self.distance - skip).max(0.0), target })
    }
}

impl Space {
    /// Gathers into `around` all that rays from `center` may hit within `reach` (m), but for the body in row `except`.
    ///
    /// Returns whether there is anything. In a wrapping arena each body counts once, where it is nearest.
    #[inline]
    pub fn look_around(&self, center: DVec2, reach: f64, except: Option<usize>, around: &mut Surroundings) -> bool {
        around.clear();
        self.index.within_range(center, reach, except, |body| {
            if self.is_disc(body.row) {
                around.discs.push(Disc::of_body(&body));
            }
        });
        if !self.solids.is_empty() {
            let reach = DVec2::splat(reach);
            around.add_solids((&self.solids, &self.arena), center, (-reach, reach), except.as_slice());
        }
        if self.arena.border == Border::Walled && center.min(self.arena.size - center).min_element() < reach {
            around.walled = Some((self.arena, center));
        }
        !around.is_empty()
    }

    /// What a single ray of `length` (m) from `origin` along the unit vector `direction` hits first.
    ///
    /// It passes through the body in row `except`. In a wrapping arena each body counts once, where it is nearest to
    /// `origin`. For many rays from one point see [`Space::look_around`].
    #[must_use]
    pub fn first_hit(&self, origin: DVec2, direction: DVec2, length: f64, except: Option<usize>) -> Option<Hit> {
        let (mut nearest, step) = (Nearest::within(length), direction * length.min(ENDLESS));
        self.index.near_segment(origin, step, self.index.largest_radius(), |body| {
            if Some(body.row) != except && self.is_disc(body.row) {
                nearest.offer(Disc::of_body(&body).distance(direction), Target::Body(body.row));
            }
        });
        if let Some(hit) = self.solids_along(origin, step, except.as_slice()).cast(direction, 0.0, nearest.distance) {
            nearest.offer(hit.distance, hit.target);
        }
        nearest.offer(self.arena.wall_distance(origin, direction), Target::Wall);
        nearest.hit(0.0)
    }

    /// Whether neither a solid nor a body, but for those in the rows `except`, covers a point between `from` and `to`.
    #[must_use]
    pub fn line_of_sight(&self, from: DVec2, to: DVec2, except: &[usize]) -> bool {
        let step = self.arena.offset(from, to);
        let hidden = self.index.near_segment(from, step, self.index.largest_radius(), |body| {
            Disc::of_body(&body).blocks(step) && !except.contains(&body.row) && self.is_disc(body.row)
        });
        !hidden && (self.solids.is_empty() || self.solids_along(from, step, except).shows(step, None))
    }

    /// Whether the body in `row` is a disc, and not a solid that is met by itself.
    #[inline]
    fn is_disc(&self, row: usize) -> bool {
        self.bodies.are_discs() || self.bodies.contacts()[row] != Contact::Outlined
    }

    /// The solids near the segment from `origin` to `origin + step`, but for those of the rows in `except`.
    fn solids_along(&self, origin: DVec2, step: DVec2, except: &[usize]) -> Surroundings {
        let mut around = Surroundings::default();
        let ends = (step.min(DVec2::ZERO), step.max(DVec2::ZERO));
        around.add_solids((&self.solids, &self.arena), origin, ends, except);
        around
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{SIZE, all, disc, point, space, with};
    use super::*;
    use crate::math;

    /// The first hit among all bodies, solids left out.
    fn brute_force(space: &Space, origin: DVec2, direction: DVec2, length: f64, except: Option<usize>) -> Option<f64> {
        let bodies = all(space, origin).into_iter().filter(|body| Some(body.row) != except);
        let to_body = |body: Neighbour| Disc::of_body(&body).distance(direction);
        let wall = space.arena.wall_distance(origin, direction);
        Some(bodies.map(to_body).fold(wall, f64::min)).filter(|&distance| distance < length)
    }

    proptest! {
        #[test]
        fn rays_hit_what_brute_force_hits(
            space in space(), origin in point(), angle in -3.2..3.2, length in 0.0..3.0,
        ) {
            let direction = math::direction(angle);
            let expected = brute_force(&space, origin, direction, length, Some(0));
            let hit = space.first_hit(origin, direction, length, Some(0));
            prop_assert_eq!(hit.map(|hit| hit.distance), expected);
            let mut around = Surroundings::default();
            space.look_around(origin, length, Some(0), &mut around);
            prop_assert_eq!(around.cast(direction, 0.0, length).map(|hit| hit.distance), expected);
            let skip = length / 2.0;
            let beyond = around.cast(direction, skip, length - skip).map(|hit| hit.distance);
            prop_assert_eq!(beyond, expected.map(|distance| (distance - skip).max(0.0)));
        }

        #[test]
        fn sight_ends_where_rays_end(space in space(), origin in point(), target in point()) {
            let step = space.arena.offset(origin, target);
            let covered = |body: &Neighbour| {
                polygon::closest_on_segment(DVec2::ZERO, step, body.offset).distance(body.offset) - body.radius
            };
            let margin = all(&space, origin).iter().filter(|body| body.row != 0).map(covered).fold(1.0, f64::min);
            prop_assume!(margin.abs() > 1e-9);
            prop_assert_eq!(space.line_of_sight(origin, target, &[0]), margin > 0.0);
            let mut around = Surroundings::default();
            space.look_around(origin, step.length(), None, &mut around);
            let expected = space.line_of_sight(origin, target, &[0]);
            prop_assert_eq!(around.shows(step, Some(0)), expected);
        }
    }

    #[test]
    fn rays_hit_solids_from_outside_and_from_inside() {
        let mut space = with(Border::Open, &[]);
        space.solids.add_disc(DVec2::new(2.0, 0.0), 0.5).unwrap();
        let square = [(3.0, -1.0), (5.0, -1.0), (5.0, 1.0), (3.0, 1.0)].map(DVec2::from);
        space.solids.add_polygon(&square).unwrap();
        let hit = |x: f64, y: f64| space.first_hit(DVec2::new(x, y), DVec2::X, 9.0, None);
        assert_eq!(hit(0.0, 0.0), Some(Hit { distance: 1.5, target: Target::Solid(0) }));
        assert_eq!(hit(0.0, 0.7), Some(Hit { distance: 3.0, target: Target::Solid(1) }));
        assert_eq!(hit(4.0, 0.0), Some(Hit { distance: 0.0, target: Target::Solid(1) }));
        assert_eq!(hit(6.0, 0.0), None);
        let endless = space.first_hit(DVec2::ZERO, DVec2::X, f64::INFINITY, None);
        assert_eq!(endless, Some(Hit { distance: 1.5, target: Target::Solid(0) }));
        assert!(!space.line_of_sight(DVec2::ZERO, DVec2::new(9.0, 0.7), &[]));
        assert!(space.line_of_sight(DVec2::ZERO, DVec2::new(9.0, 9.0), &[]));
        let mut around = Surroundings::default();
        assert!(space.look_around(DVec2::new(2.75, 0.0), 0.3, None, &mut around));
        assert_eq!(around.cast(DVec2::X, 0.1, 0.2), Some(Hit { distance: 0.15, target: Target::Solid(1) }));
        assert_eq!(around.cast(DVec2::NEG_X, 0.3, 0.1), Some(Hit { distance: 0.0, target: Target::Solid(0) }));
    }

    #[test]
    fn rays_and_solids_cross_a_wrapping_border() {
        let mut space = with(Border::Wrapping, &[disc(0.2, 1.0, 0.1)]);
        space.solids.add_disc(DVec2::new(0.2, 2.0), 0.1).unwrap();
        let hit = |y: f64| space.first_hit(DVec2::new(SIZE.x - 0.2, y), DVec2::X, 1.0, None);
        assert!(hit(1.0).is_some_and(|hit| (hit.distance - 0.3).abs() < 1e-12 && hit.target == Target::Body(0)));
        assert_eq!(space.first_hit(DVec2::new(1.0, 0.5), DVec2::X, f64::INFINITY, None), None);
        assert!(hit(2.0).is_some_and(|hit| (hit.distance - 0.3).abs() < 1e-12 && hit.target == Target::Solid(0)));
    }
}
