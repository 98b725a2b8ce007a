//! Circular sectors, such as the field of view of a sensor.

use std::f64::consts::{FRAC_PI_2, PI};

use bevy::math::DVec2;

use crate::math;

/// The shape of a sector, before it is turned to where a body faces.
///
/// Made once for each sensor, so that [`Aperture::toward`] needs no trigonometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aperture {
    /// Left edge as seen along the x axis.
    left: DVec2,
    /// Right edge as seen along the x axis.
    right: DVec2,
    range: f64,
    width: Width,
}

/// A sector in place: everything that a body with its tip at the origin sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    /// Unit vector along the left (counter-clockwise) edge.
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
    /// counter-clockwise from where the body faces).
    #[must_use]
    pub fn new(half_angle: f64, range: f64, bias: f64) -> Self {
        let width = match half_angle {
            angle if angle < FRAC_PI_2 => Width::Narrow,
            angle if angle < PI => Width::Wide,
            _ => Width::Whole,
        };
        Self { left: math::direction(bias + half_angle), right: math::direction(bias - half_angle), range, width }
    }

    /// The sector of a body that faces the unit vector `facing`.
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
    /// edges, or the disc reaches an edge (also a little beyond its end), or it covers the tip.
    #[inline]
    #[must_use]
    pub fn touches(&self, offset: DVec2, radius: f64) -> bool {
        let (distance, limit) = (offset.length_squared(), self.range + radius);
        // Without short cuts: a branch that cannot be foretold costs more than all of the sums.
        (distance < limit * limit)
            & (self.spans(offset)
                | grazes(offset, self.left, radius)
                | grazes(offset, self.right, radius)
                | (distance < radius * radius))
    }

    /// Whether an edge of a polygon, from `a` to `b` (m) from the tip, has a point in the sector.
    #[must_use]
    pub fn meets_edge(&self, a: DVec2, b: DVec2) -> bool {
        let along = b - a;
        let (length_squared, half) = (along.length_squared(), a.dot(along));
        let root = (half * half - length_squared * (a.length_squared() - self.range * self.range)).sqrt();
        let side = |edge: DVec2| a.perp_dot(edge) / edge.perp_dot(along);
        // Between two of these places along the edge, all of it is in the sector or none.
        let mut places = [
            0.0,
            side(self.left).clamp(0.0, 1.0),
            side(self.right).clamp(0.0, 1.0),
            ((-half - root) / length_squared).clamp(0.0, 1.0),
            ((-half + root) / length_squared).clamp(0.0, 1.0),
            1.0,
        ];
        places.sort_unstable_by(f64::total_cmp);
        let holds = |place: f64| {
            let point = a + place * along;
            point.length_squared() < self.range * self.range && self.spans(point)
        };
        places.array_windows().any(|[from, to]| holds(0.5 * (from + to))) || holds(0.0) || holds(1.0)
    }

    /// Whether the direction of `offset` lies between the edges.
    #[inline]
    #[must_use]
    pub fn spans(&self, offset: DVec2) -> bool {
        let (left, right) = (offset.perp_dot(self.left), offset.perp_dot(self.right));
        match self.width {
            Width::Narrow => (right <= 0.0) & (left >= 0.0),
            Width::Wide => (left >= 0.0) | (right <= 0.0),
            Width::Whole => true,
        }
    }

    /// Lower and upper corner (m, from the tip) of a box with the centres of all discs of at most `radius` (m) that
    /// touch the sector.
    #[inline]
    #[must_use]
    pub fn bounds(&self, radius: f64) -> (DVec2, DVec2) {
        let reach = self.range + radius;
        let end = |axis: DVec2, left: f64, right: f64| {
            if self.spans(axis) { reach } else { (reach * left.max(right).max(0.0) + radius).min(reach) }
        };
        let high = DVec2::new(end(DVec2::X, self.left.x, self.right.x), end(DVec2::Y, self.left.y, self.right.y));
        let low =
            DVec2::new(end(DVec2::NEG_X, -self.left.x, -self.right.x), end(DVec2::NEG_Y, -self.left.y, -self.right.y));
        (-low, high)
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

    /// Rows: observer x, y, heading; half angle, bias, range; target x, y, radius; two verdicts; margin.
    #[test]
    fn touches_as_the_table_of_robot_swarm_simulator() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/robotswarmsimulator/trace08_fov_table.json");
        let table: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
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

    proptest! {
        #[test]
        fn an_edge_meets_a_sector_where_one_of_its_points_does(
            half_angle in 0.05..3.3,
            heading in -3.2..3.2,
            (ax, ay, bx, by) in (-3.0..3.0, -3.0..3.0, -3.0..3.0, -3.0..3.0),
        ) {
            let sector = Aperture::new(half_angle, 2.0, 0.1).toward(math::direction(heading));
            let (a, b) = (DVec2::new(ax, ay), DVec2::new(bx, by));
            let holds = |k: u32| {
                let point = a.lerp(b, f64::from(k) / 2000.0);
                point.length() < 2.0 && sector.spans(point)
            };
            let hits = (0..=2000).filter(|k| holds(*k)).count();
            if hits > 0 {
                prop_assert!(sector.meets_edge(a, b));
            }
            if sector.meets_edge(a, b) && hits == 0 {
                // It may meet less than a step of the edge.
                let near = |k: u32| {
                    let point = a.lerp(b, f64::from(k) / 2000.0);
                    point.length() < 2.01 && (sector.touches(point, 0.01) || point.length() < 0.01)
                };
                prop_assert!((0..=2000).any(near));
            }
        }

        #[test]
        fn bounds_hold_all_that_touches(
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
