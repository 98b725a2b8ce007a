//! Shapes relative to a point, as rays from there meet them, and the nearest hit of a ray.

use bevy::math::DVec2;

use super::hit::{Hit, Target};
use super::index::Neighbour;

/// A disc relative to the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    pub offset: DVec2,
    /// Squared length of a tangent from the point; negative inside.
    pub tangent: f64,
    pub target: Target,
}

/// An edge of a polygon relative to the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub start: DVec2,
    pub along: DVec2,
    pub target: Target,
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
