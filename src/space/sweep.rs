//! Sweeps: solids entered by straight paths.

use bevy::math::DVec2;

use super::Space;
use super::polygon;
use super::solid::{Outline, SolidProperties};

/// The point where a straight path enters a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EntryPoint {
    /// The number of the solid.
    pub solid: usize,
    /// The fraction of the path before the solid, from 0 to 1.
    pub part: f64,
    /// The point (m) of the path on the edge of the solid.
    pub point: DVec2,
    /// The outward unit vector there.
    pub outside: DVec2,
}

/// Fraction of its length by which an edge is extended at both ends, so that no path slips through a corner.
const SLACK: f64 = 1e-9;

impl Space {
    /// The first solid that the straight path from `start` to `end` (m) enters, among those that `counts` accepts.
    ///
    /// Solids that do not block are ignored, and so are solids that contain `start`, which a path can only leave.
    pub(super) fn first_entry(
        &self,
        start: DVec2,
        end: DVec2,
        counts: impl Fn(&SolidProperties) -> bool,
    ) -> Option<EntryPoint> {
        let mut first: Option<EntryPoint> = None;
        if !(start.is_finite() && end.is_finite()) {
            return first;
        }
        self.near_solids(start.min(end), start.max(end), |solid, shift| {
            let part = self.solids.properties(solid);
            if !part.blocks || !counts(&part) {
                return;
            }
            let Some((part, outside)) = entry(&self.solids.outline(solid), start - shift, end - shift) else { return };
            // Of solids entered at the same point, the lowest number counts, independently of the order of visits.
            if first.is_none_or(|first| (part, solid) < (first.part, first.solid)) {
                first = Some(EntryPoint { solid, part, point: start.lerp(end, part), outside });
            }
        });
        first
    }
}

/// The fraction of the path from `start` to `end` (m) before it enters an outline, and the outward unit vector there;
/// `None` if the path stays outside or starts inside.
fn entry(outline: &Outline, start: DVec2, end: DVec2) -> Option<(f64, DVec2)> {
    let way = end - start;
    match *outline {
        Outline::Disc { center, radius } => {
            let from = start - center;
            let (a, b, c) = (way.length_squared(), from.dot(way), from.length_squared() - radius * radius);
            let discriminant = b * b - a * c;
            // The path must approach the centre, and reach the edge before it ends.
            if c < 0.0 || b >= 0.0 || discriminant <= 0.0 {
                return None;
            }
            let part = c / (discriminant.sqrt() - b);
            (part <= 1.0).then(|| (part, (from + way * part).normalize_or(-way.normalize_or_zero())))
        }
        Outline::Polygon(corners) => {
            if polygon::contains(corners, start) {
                return None;
            }
            let crossed = polygon::edges(corners).filter_map(|(a, b)| {
                let edge = b - a;
                // With anticlockwise corners, the outside is on the right.
                let across = way.perp_dot(edge);
                let part = (a - start).perp_dot(edge) / across;
                let place = (a - start).perp_dot(way) / across;
                let enters = across < 0.0 && (0.0..=1.0).contains(&part) && (-SLACK..=1.0 + SLACK).contains(&place);
                enters.then(|| (part, -edge.perp().normalize_or_zero()))
            });
            crossed.min_by(|(one, _), (other, _)| one.total_cmp(other))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::with;
    use super::super::{Boundary, Space};
    use super::*;

    /// Thin walls around the centre of the arena, and a disc.
    fn maze(boundary: Boundary) -> Space {
        let mut space = with(boundary, &[]);
        for corners in
            [[(1.0, 0.5), (1.01, 0.5), (1.01, 2.5), (1.0, 2.5)], [(1.0, 2.5), (3.0, 2.5), (3.0, 2.51), (1.0, 2.51)]]
        {
            space.solids.add_polygon(&corners.map(DVec2::from)).unwrap();
        }
        space.solids.add_disc(DVec2::new(3.0, 1.0), 0.2).unwrap();
        space
    }

    #[test]
    fn a_swept_disc_stops_at_the_first_of_several_solids() {
        let space = maze(Boundary::Open);
        let entry = space.first_entry(DVec2::new(0.0, 1.0), DVec2::new(4.0, 1.0), |_| true).unwrap();
        assert_eq!(entry.solid, 0);
        assert_eq!(entry.outside, DVec2::NEG_X);
        assert!((entry.part - 0.25).abs() < 1e-12 && (entry.point.x - 1.0).abs() < 1e-12);
        let back = space.first_entry(DVec2::new(4.0, 1.0), DVec2::new(0.0, 1.0), |_| true).unwrap();
        assert!(back.solid == 2 && (back.point.x - 3.2).abs() < 1e-12 && (back.outside - DVec2::X).length() < 1e-12);
        assert_eq!(space.first_entry(DVec2::new(2.0, 1.0), DVec2::new(2.5, 2.0), |_| true), None);
    }

    #[test]
    fn a_swept_disc_that_leaves_a_solid_does_not_stop() {
        let space = maze(Boundary::Open);
        assert_eq!(space.first_entry(DVec2::new(1.005, 1.0), DVec2::new(2.0, 1.0), |_| true), None);
        assert_eq!(space.first_entry(DVec2::new(3.0, 1.0), DVec2::new(3.0, 2.0), |_| true), None);
        assert_eq!(space.first_entry(DVec2::NAN, DVec2::ONE, |_| true), None);
    }

    #[test]
    fn a_swept_disc_stops_at_images_across_a_wrapping_border() {
        let space = maze(Boundary::Periodic);
        let entry = space.first_entry(DVec2::new(4.9, 1.0), DVec2::new(5.1, 1.0), |_| true).unwrap();
        assert!(entry.solid == 0 && (entry.point.x - 5.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn no_swept_path_ends_inside_or_beyond_a_solid(x in 0.0..4.0, y in 0.0..3.0, to_x in 0.0..4.0, to_y in 0.0..3.0) {
            let space = maze(Boundary::Open);
            let (start, end) = (DVec2::new(x, y), DVec2::new(to_x, to_y));
            // Checked at ten thousand points.
            let holds = |point: DVec2| (0..3).any(|solid| space.solids.outline(solid).contains(point));
            let met = (0..=10_000).any(|k| holds(start.lerp(end, f64::from(k) / 1e4)));
            if met && !holds(start) {
                prop_assert!(space.first_entry(start, end, |_| true).is_some());
            }
        }
    }
}
