//! Circular sectors, such as the field of view of a sensor.

use std::f64::consts::{FRAC_PI_2, PI};

use bevy::math::{BVec2, DVec2};
use swarmarium_base::math;

use super::polygon::{closest_on_segment, is_inside};

/// Relative tolerance of a box around a sector, above the rounding error.
const ROUNDING: f64 = 1e-12;

/// The shape of a sector relative to the heading of a body.
///
/// Created once per sensor, so that [`Aperture::toward`] needs no trigonometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aperture {
    /// Left edge for a heading along the x axis.
    left: DVec2,
    /// Right edge for a heading along the x axis.
    right: DVec2,
    range: f64,
    width: Width,
}

/// A sector in place: the field of view of a body, with its tip at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    /// Unit vector along the left (anticlockwise) edge.
    pub left: DVec2,
    /// Unit vector along the right edge.
    pub right: DVec2,
    /// Length of the edges (m).
    pub range: f64,
    width: Width,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// Less than half a turn.
    Narrow,
    /// Half a turn or more.
    Wide,
    /// A whole turn.
    Whole,
}

impl Aperture {
    /// The sector of radius `range` (m) that reaches `half_angle` (rad, 0 or more) to either side of `bias` (rad,
    /// anticlockwise from the heading).
    #[must_use]
    pub fn new(half_angle: f64, range: f64, bias: f64) -> Self {
        let width = match half_angle {
            angle if angle < FRAC_PI_2 => Width::Narrow,
            angle if angle < PI => Width::Wide,
            _ => Width::Whole,
        };
        Self { left: math::direction(bias + half_angle), right: math::direction(bias - half_angle), range, width }
    }

    /// The sector of a body with the unit vector `facing` as its heading.
    #[inline]
    #[must_use]
    pub fn toward(&self, facing: DVec2) -> Sector {
        Sector {
            left: facing.rotate(self.left),
            right: facing.rotate(self.right),
            range: self.range,
            width: self.width,
        }
    }
}

impl Sector {
    /// Whether a disc of `radius` (m) at `offset` (m) from the tip touches the sector.
    ///
    /// The predicate of `BinaryFOVSensor` in `RobotSwarmSimulator`: the disc is in range, and its centre is between the
    /// edges, or the disc reaches an edge (also slightly beyond its end), or it contains the tip.
    #[inline]
    #[must_use]
    pub fn touches(&self, offset: DVec2, radius: f64) -> bool {
        let (distance, limit) = (offset.length_squared(), self.range + radius);
        // Without short circuits: an unpredictable branch costs more than all of the sums.
        (distance < limit * limit)
            & (self.spans(offset)
                | grazes(offset, self.left, radius)
                | grazes(offset, self.right, radius)
                | (distance < radius * radius))
    }

    /// Whether the direction of `offset` is between the edges.
    #[inline]
    #[must_use]
    pub fn spans(&self, offset: DVec2) -> bool {
        self.lies_between(offset.perp_dot(self.left), offset.perp_dot(self.right))
    }

    /// Whether a direction, given its cross products with the left and the right edge, is between them.
    #[inline]
    fn lies_between(&self, left: f64, right: f64) -> bool {
        match self.width {
            Width::Narrow => (right <= 0.0) & (left >= 0.0),
            Width::Wide => (left >= 0.0) | (right <= 0.0),
            Width::Whole => true,
        }
    }

    /// Whether a point at `offset` (m) from the tip is in the sector.
    #[inline]
    #[must_use]
    pub fn holds(&self, offset: DVec2) -> bool {
        (offset.length_squared() <= self.range * self.range) & self.spans(offset)
    }

    /// The point (m, from the tip) of the segment from `a` to `b` in the sector that is nearest to the tip.
    #[must_use]
    pub fn nearest_on_segment(&self, a: DVec2, b: DVec2) -> Option<DVec2> {
        let left = part_above(a.perp_dot(self.left), b.perp_dot(self.left));
        let right = part_above(-a.perp_dot(self.right), -b.perp_dot(self.right));
        let nearest = |part: Option<(f64, f64)>| {
            let (from, to) = part?;
            Some(closest_on_segment(a.lerp(b, from), a.lerp(b, to), DVec2::ZERO))
        };
        let point = match self.width {
            Width::Narrow => {
                let middle = self.left + self.right;
                nearest(both(both(left, right), part_above(a.dot(middle), b.dot(middle))))
            }
            Width::Wide => nearer(nearest(left), nearest(right)),
            Width::Whole => nearest(Some((0.0, 1.0))),
        };
        point.filter(|point| point.length_squared() < self.range * self.range)
    }

    /// The point (m, from the tip) of a disc in the sector that is nearest to the tip.
    #[must_use]
    pub fn nearest_on_disc(&self, center: DVec2, radius: f64) -> Option<DVec2> {
        let distance = center.length();
        // A sector with zero opening angle also spans the opposite direction.
        let is_ahead = self.width != Width::Narrow || center.dot(self.left + self.right) >= 0.0;
        let point = if distance <= radius {
            Some(DVec2::ZERO)
        } else if is_ahead && self.spans(center) {
            Some(center * (1.0 - radius / distance))
        } else {
            let enters = |edge: DVec2| {
                let (along, aside) = (center.dot(edge), center.perp_dot(edge));
                let half_chord_squared = radius * radius - aside * aside;
                (along > 0.0 && half_chord_squared >= 0.0).then(|| edge * (along - half_chord_squared.sqrt()))
            };
            nearer(enters(self.left), enters(self.right))
        };
        point.filter(|point| point.length_squared() < self.range * self.range)
    }

    /// As [`Sector::nearest_on_segment`], over all segments.
    pub(super) fn nearest_on_edges(&self, edges: impl Iterator<Item = (DVec2, DVec2)>) -> Option<DVec2> {
        edges.map(|(a, b)| self.nearest_on_segment(a, b)).fold(None, nearer)
    }

    /// As [`Sector::nearest_on_segment`], for the polygon with these edges.
    pub(super) fn nearest_on_polygon(&self, edges: impl Iterator<Item = (DVec2, DVec2)> + Clone) -> Option<DVec2> {
        if is_inside(edges.clone(), DVec2::ZERO) { Some(DVec2::ZERO) } else { self.nearest_on_edges(edges) }
    }

    /// Lower and upper corner (m, from the tip) of a box that contains the centres of all discs of at most `radius` (m)
    /// that touch the sector.
    #[inline]
    #[must_use]
    pub fn bounds(&self, radius: f64) -> (DVec2, DVec2) {
        // Slightly enlarged, as the edges are unit vectors only up to rounding.
        let reach = DVec2::splat((self.range + radius) * (1.0 + ROUNDING));
        let radius = DVec2::splat(radius + self.range * ROUNDING);
        // Extents along both axes, from the components of the edges along and across them.
        let ends = |left: DVec2, right: DVec2| {
            let (to_left, to_right) = (-left.perp(), -right.perp());
            let is_between = match self.width {
                Width::Narrow => to_right.cmple(DVec2::ZERO) & to_left.cmpge(DVec2::ZERO),
                Width::Wide => to_left.cmpge(DVec2::ZERO) | to_right.cmple(DVec2::ZERO),
                Width::Whole => BVec2::TRUE,
            };
            let to_edges = (reach * left.max(right).max(DVec2::ZERO) + radius).min(reach);
            DVec2::select(is_between, reach, to_edges)
        };
        (-ends(-self.left, -self.right), ends(self.left, self.right))
    }
}

/// The interval of a segment, within 0 to 1, where a linear function from `start` to `end` is 0 or more.
fn part_above(start: f64, end: f64) -> Option<(f64, f64)> {
    match (start >= 0.0, end >= 0.0) {
        (true, true) => Some((0.0, 1.0)),
        (true, false) => Some((0.0, start / (start - end))),
        (false, true) => Some((start / (start - end), 1.0)),
        (false, false) => None,
    }
}

fn both(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let ((a, b), (c, d)) = (one?, other?);
    let (from, to) = (a.max(c), b.min(d));
    (from <= to).then_some((from, to))
}

fn nearer(one: Option<DVec2>, other: Option<DVec2>) -> Option<DVec2> {
    match (one, other) {
        (Some(one), Some(other)) if other.length_squared() < one.length_squared() => Some(other),
        (one, other) => one.or(other),
    }
}

/// Whether a disc reaches the ray from the origin along the unit vector `edge`.
#[inline]
fn grazes(offset: DVec2, edge: DVec2, radius: f64) -> bool {
    let along = offset.dot(edge);
    (along > 0.0) & ((offset - along * edge).length_squared() <= radius * radius)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Columns: observer x, y, heading; half angle, bias, range; target x, y, radius; two verdicts; margin.
    #[test]
    fn sectors_touch_as_in_the_table_of_robotswarmsimulator() {
        let table = swarmarium_testing::facts("robotswarmsimulator/trace08_fov_table.json");
        let rows = table["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 2000);
        for row in rows {
            let number = |column: usize| row[column].as_f64().unwrap();
            if number(11) < 1e-9 {
                continue;
            }
            let sector = Aperture::new(number(3), number(5), number(4)).toward(math::direction(number(2)));
            let offset = DVec2::new(number(6) - number(0), number(7) - number(1));
            assert_eq!(sector.touches(offset, number(8)), number(9) == 1.0, "{row}");
        }
    }

    /// A point must be in the sector, and no other of the given points in the sector may be nearer to the tip.
    fn check_nearest(
        sector: &Sector,
        found: Option<DVec2>,
        points: impl Iterator<Item = DVec2>,
    ) -> Result<(), TestCaseError> {
        let on = |point: DVec2, edge: DVec2| point.perp_dot(edge).abs() < 1e-9 && point.dot(edge) > -1e-9;
        let is_in = |point: DVec2| sector.spans(point) || on(point, sector.left) || on(point, sector.right);
        prop_assert!(found.is_none_or(|point| is_in(point) && point.length() <= sector.range));
        let found = found.map_or(f64::INFINITY, DVec2::length);
        let sampled = points.filter(|point| sector.holds(*point)).map(DVec2::length).fold(f64::INFINITY, f64::min);
        prop_assert!(found <= sampled + 1e-9 || sampled == sector.range, "{found} is farther than {sampled}");
        Ok(())
    }

    proptest! {
        #[test]
        fn the_nearest_point_of_a_thing_in_a_sector_is_minimal(
            half_angle in 0.05..3.2, heading in -3.2..3.2,
            (ax, ay, bx, by) in (-3.0..3.0, -3.0..3.0, -3.0..3.0, -3.0..3.0),
            radius in 0.0..1.0,
        ) {
            let sector = Aperture::new(half_angle, 2.0, 0.3).toward(math::direction(heading));
            let (a, b) = (DVec2::new(ax, ay), DVec2::new(bx, by));
            let found = sector.nearest_on_segment(a, b);
            prop_assert!(found.is_none_or(|point| closest_on_segment(a, b, point).distance(point) < 1e-9));
            check_nearest(&sector, found, (0..=2000).map(|step| a.lerp(b, f64::from(step) / 2000.0)))?;
            let found = sector.nearest_on_disc(a, radius);
            prop_assert!(found.is_none_or(|point| point.distance(a) <= radius + 1e-9));
            let on_rings = (0..=40).flat_map(|ring| {
                let ring = radius * f64::from(ring) / 40.0;
                (0..720).map(move |step| a + ring * math::direction(f64::from(step) * PI / 360.0))
            });
            check_nearest(&sector, found, on_rings)?;
        }

        #[test]
        fn bounds_of_a_sector_hold_all_touching_bodies(
            half_angle in 0.0..3.3,
            heading in -3.2..3.2,
            (x, y, radius) in (-3.0..3.0, -3.0..3.0, 0.0..0.5),
        ) {
            let sector = Aperture::new(half_angle, 2.0, 0.1).toward(math::direction(heading));
            let (low, high) = sector.bounds(0.5);
            let center = DVec2::new(x, y);
            if sector.touches(center, radius) {
                prop_assert!(center.cmpge(low - 1e-12).all() && center.cmple(high + 1e-12).all());
            }
        }
    }
}
