//! Surroundings of a point, collected once for many rays.

use std::sync::Arc;

use bevy::math::DVec2;

use super::Space;
use super::field::Field;
use super::hit::{Hit, Target};
use super::index::Neighbour;
use super::polygon::{self, closest_on_segment, is_inside, segments_meet};
use super::ray_grid::RayGrid;
use super::solid::{Outline, SolidProperties};

/// Everything near a point that blocks rays, collected once for many rays from there.
///
/// Reuse one for many calls of [`Space::look_around`](crate::Space::look_around), to reuse its memory.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub(super) discs: Vec<Disc>,
    pub(super) edges: Vec<Edge>,
    /// The arena and the position in it, if walls are in reach.
    pub(super) walled: Option<(Field, DVec2)>,
    /// Target whose polygon contains the point.
    pub(super) inside: Option<Target>,
    /// Shapes that beams may find.
    pub(super) near: Vec<Near>,
    /// Many static solids around the point, which are not listed.
    many: Option<Many>,
}

/// Static solids around a point.
#[derive(Clone, Debug)]
struct Many {
    grid: Arc<RayGrid>,
    center: DVec2,
    /// Whether rays may hit them. The grid is kept for the next point: counting its owners takes time.
    are_near: bool,
}

/// A disc relative to the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    offset: DVec2,
    /// Squared length of a tangent from the point; negative inside.
    tangent: f64,
    target: Target,
}

/// An edge of a polygon relative to the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    start: DVec2,
    along: DVec2,
    target: Target,
}

impl Surroundings {
    /// Whether there is nothing to hit.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.discs.is_empty()
            && self.edges.is_empty()
            && self.near.is_empty()
            && self.inside.is_none()
            && self.walled.is_none()
            && self.many().is_none()
    }

    #[inline]
    fn many(&self) -> Option<&Many> {
        self.many.as_ref().filter(|many| many.are_near)
    }

    /// The first hit of the ray along the unit vector `direction`, from `skip` to `skip + length` (m) from the point.
    ///
    /// Use the radius of a body as `skip` for a ray that starts at its edge. The distance is measured from there;
    /// nearer things are hit at 0.
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
        if let Some(many) = self.many() {
            many.grid.cast(many.center, direction, &mut nearest);
        }
        for edge in &self.edges {
            nearest.offer(edge.distance(direction), edge.target);
        }
        if let Some((field, position)) = &self.walled
            && field.has_wall_ahead(*position, direction, nearest.distance)
        {
            nearest.offer(field.wall_distance(*position, direction), Target::Wall);
        }
        nearest.hit(skip)
    }

    /// Whether nothing except the body in row `except` blocks the line from the point to `offset` (m) from it.
    #[inline]
    #[must_use]
    pub fn shows(&self, offset: DVec2, except: Option<usize>) -> bool {
        let except = except.map(Target::Body);
        self.is_clear(offset, |target| Some(target) != except)
    }

    /// As [`shows`](Self::shows); only targets for which `hides` holds block the line.
    #[inline]
    #[must_use]
    pub fn is_clear(&self, offset: DVec2, hides: impl Fn(Target) -> bool) -> bool {
        !self.inside.is_some_and(&hides)
            && !self.discs.iter().any(|disc| hides(disc.target) && disc.blocks(offset))
            && !self.edges.iter().any(|edge| {
                hides(edge.target) && segments_meet((DVec2::ZERO, offset), (edge.start, edge.start + edge.along))
            })
            && self.many().is_none_or(|many| many.grid.is_clear(many.center, offset, &hides))
    }

    /// Visits all solids that a disc of radius `half_width` (m) would meet on its way from the point.
    pub(super) fn meet(&self, direction: DVec2, half_width: f64, mut offer: impl FnMut(f64, Target)) {
        if let Some(target) = self.inside {
            offer(0.0, target);
        }
        for Disc { offset, tangent, target } in &self.discs {
            let radius = (offset.length_squared() - tangent).max(0.0).sqrt() + half_width;
            offer(Disc::new(*offset, radius, *target).distance(direction), *target);
        }
        for &Edge { start, along, target } in &self.edges {
            if half_width == 0.0 {
                offer(Edge { start, along, target }.distance(direction), target);
                continue;
            }
            // The region within that distance of the edge: two lines beside it and two discs at its ends.
            let aside = along.perp().normalize_or_zero() * half_width;
            for start in [start + aside, start - aside] {
                offer(Edge { start, along, target }.distance(direction), target);
            }
            for end in [start, start + along] {
                offer(Disc::new(end, half_width, target).distance(direction), target);
            }
            if closest_on_segment(start, start + along, DVec2::ZERO).length() < half_width {
                offer(0.0, target);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.discs.clear();
        self.edges.clear();
        self.near.clear();
        self.walled = None;
        self.inside = None;
        if let Some(many) = &mut self.many {
            many.are_near = false;
        }
    }

    /// As [`add_solids_if`](Self::add_solids_if), for rays without a width from `center`. `static_ones` says whether static
    /// solids count, and `counts` is asked for all others. Many static solids are not listed.
    pub(super) fn add_solids_for_rays(
        &mut self,
        space: &Space,
        center: DVec2,
        (low, high): (DVec2, DVec2),
        static_ones: bool,
        counts: impl Fn(usize, SolidProperties) -> bool,
    ) {
        let grid = space.solids.ray_grid(&space.arena);
        match grid.filter(|grid| grid.is_crowded(center + low, center + high)) {
            Some(grid) => {
                if static_ones {
                    self.add_many(space, grid, center);
                }
                self.add_beside_ray_grid(space, center, (low, high), counts);
            }
            None => self.add_solids_if(space, center, (low, high), |solid, properties| {
                if properties.owner.is_none() { static_ones } else { counts(solid, properties) }
            }),
        }
    }

    fn add_many(&mut self, space: &Space, grid: &Arc<RayGrid>, center: DVec2) {
        space.solids.covering(center, |solid| self.inside = Some(Target::Solid(solid)));
        match &mut self.many {
            Some(many) if Arc::ptr_eq(&many.grid, grid) => (many.center, many.are_near) = (center, true),
            many => *many = Some(Many { grid: Arc::clone(grid), center, are_near: true }),
        }
    }

    /// As [`add_solids_if`](Self::add_solids_if), without static solids.
    pub(super) fn add_beside_ray_grid(
        &mut self,
        space: &Space,
        center: DVec2,
        (low, high): (DVec2, DVec2),
        counts: impl Fn(usize, SolidProperties) -> bool,
    ) {
        space.near_solids_beside_ray_grid(center + low, center + high, |solid, shift| {
            self.add_solid(space, (solid, shift - center), (low, high), &counts);
        });
    }

    /// Adds the solids that meet the box from `low` to `high` around `center`, without those in `except` and those of
    /// bodies.
    pub(super) fn add_solids(&mut self, space: &Space, center: DVec2, bounds: (DVec2, DVec2), except: &[Target]) {
        self.add_solids_if(space, center, bounds, |solid, SolidProperties { owner, .. }| {
            let is_of = |target: &Target| *target == Target::Solid(solid) || owner.map(Target::Body) == Some(*target);
            !except.iter().any(is_of)
        });
    }

    /// Adds the solids that meet the box from `low` to `high` around `center` and for which `counts` holds.
    pub(super) fn add_solids_if(
        &mut self,
        space: &Space,
        center: DVec2,
        (low, high): (DVec2, DVec2),
        counts: impl Fn(usize, SolidProperties) -> bool,
    ) {
        space.near_solids(center + low, center + high, |solid, shift| {
            self.add_solid(space, (solid, shift - center), (low, high), &counts);
        });
    }

    /// Adds a solid shifted by a vector (m) if rays can hit it and `counts` holds.
    fn add_solid(
        &mut self,
        space: &Space,
        (solid, shift): (usize, DVec2),
        bounds: (DVec2, DVec2),
        counts: &impl Fn(usize, SolidProperties) -> bool,
    ) {
        let properties = space.solids.properties(solid);
        let SolidProperties { sensed, owner, is_body, .. } = properties;
        if !sensed || !counts(solid, properties) {
            return;
        }
        let target = owner.filter(|_| is_body).map_or(Target::Solid(solid), Target::Body);
        self.add_outline(space.solids.outline(solid), shift, target, bounds);
    }

    /// Adds an outline shifted by `shift` (m), without edges that do not meet the box from `low` to `high`.
    pub(super) fn add_outline(&mut self, outline: Outline, shift: DVec2, target: Target, (low, high): (DVec2, DVec2)) {
        match outline {
            Outline::Disc { center, radius } => self.discs.push(Disc::new(center + shift, radius, target)),
            Outline::Polygon(corners) => {
                let edges = polygon::edges(corners).map(|(a, b)| (a + shift, b + shift));
                if is_inside(edges.clone(), DVec2::ZERO) {
                    self.inside = Some(target);
                }
                let near = edges.filter(|(a, b)| a.min(*b).cmple(high).all() && low.cmple(a.max(*b)).all());
                self.edges.extend(near.map(|(a, b)| Edge::between(a, b, target)));
            }
        }
    }
}

/// A shape that beams of one robot may find, relative to the centre of the robot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub low: DVec2,
    pub high: DVec2,
    pub target: Target,
    pub form: NearForm,
}

/// The form of a nearby shape, for access to its edges.
#[derive(Clone, Copy, Debug)]
pub(super) enum NearForm {
    Disc {
        offset: DVec2,
        radius: f64,
    },
    /// A solid by its number, and the shift (m) to its nearby image.
    Solid {
        number: usize,
        shift: DVec2,
    },
}

impl Near {
    /// Whether its box meets another one.
    pub fn meets(&self, (low, high): (DVec2, DVec2)) -> bool {
        self.low.cmple(high).all() && low.cmple(self.high).all()
    }
}

impl Disc {
    #[inline]
    pub(super) fn new(offset: DVec2, radius: f64, target: Target) -> Self {
        Self { offset, tangent: offset.length_squared() - radius * radius, target }
    }

    #[inline]
    pub(super) fn of_body(body: &Neighbour) -> Self {
        Self::new(body.offset, body.radius, Target::Body(body.row))
    }

    /// Distance (m) to the disc along `direction`; infinite if the ray misses it, 0 inside.
    #[inline]
    pub(super) fn distance(&self, direction: DVec2) -> f64 {
        if self.tangent < 0.0 {
            return 0.0;
        }
        let along = self.offset.dot(direction);
        let half_chord_squared = along * along - self.tangent;
        if along > 0.0 && half_chord_squared >= 0.0 { along - half_chord_squared.sqrt() } else { f64::INFINITY }
    }

    /// Whether the disc covers a point of the segment from the origin to `end`.
    #[inline]
    pub(super) fn blocks(&self, end: DVec2) -> bool {
        let (along, length_squared) = (self.offset.dot(end), end.length_squared());
        // The nearest point is at `nearest / length_squared` of the segment, and closer than the radius. Branchless,
        // because the case is unpredictable.
        let nearest = along.max(0.0).min(length_squared);
        (self.tangent < 0.0) | (self.tangent * length_squared + nearest * (nearest - 2.0 * along) < 0.0)
    }
}

impl Edge {
    pub(super) fn between(start: DVec2, end: DVec2, target: Target) -> Self {
        Self { start, along: end - start, target }
    }

    /// Distance (m) to the edge along `direction`; infinite if the ray misses it.
    #[inline]
    pub(super) fn distance(&self, direction: DVec2) -> f64 {
        let across = direction.perp_dot(self.along);
        // Parallel rays divide by 0 and fail the comparisons; the corners also belong to other edges.
        let distance = self.start.perp_dot(self.along) / across;
        let place = self.start.perp_dot(direction) / across;
        if distance >= 0.0 && (0.0..=1.0).contains(&place) { distance } else { f64::INFINITY }
    }
}

/// The nearest of the offered hits; the first of equally near ones.
pub(super) struct Nearest {
    distance: f64,
    target: Option<Target>,
}

impl Nearest {
    #[inline]
    pub(super) fn within(distance: f64) -> Self {
        Self { distance, target: None }
    }

    /// The distance of the nearest hit so far, or else the largest distance that counts.
    #[inline]
    pub(super) fn distance(&self) -> f64 {
        self.distance
    }

    #[inline]
    pub(super) fn offer(&mut self, distance: f64, target: Target) {
        if distance < self.distance {
            *self = Self { distance, target: Some(target) };
        }
    }

    #[inline]
    pub(super) fn hit(&self, skip: f64) -> Option<Hit> {
        self.target.map(|target| Hit { distance: (self.distance - skip).max(0.0), target })
    }
}
