//! The smallest circle around points.

use bevy::math::DVec2;

/// Relative tolerance: points this far outside still count as on the circle.
const RIM: f64 = 1.0 + 1e-12;

/// Centre and radius of the smallest circle that encloses finite points; `None` without points (Welzl, "Smallest
/// enclosing disks", 1991; de Berg et al., "Computational geometry", 2008, section 4.7).
///
/// Takes expected linear time for points in random order; an unfavourable order takes longer.
#[must_use]
pub fn smallest_circle(points: impl Iterator<Item = DVec2> + Clone) -> Option<(DVec2, f64)> {
    let mut circle = (points.clone().next()?, 0.0);
    for (last, p) in points.clone().enumerate() {
        if is_outside(p, circle) {
            circle = through_one(points.clone().take(last), p);
        }
    }
    Some(circle)
}

/// The smallest enclosing circle that passes through another point.
fn through_one(points: impl Iterator<Item = DVec2> + Clone, p: DVec2) -> (DVec2, f64) {
    let mut circle = (p, 0.0);
    for (last, q) in points.clone().enumerate() {
        if is_outside(q, circle) {
            circle = through_two(points.clone().take(last), p, q);
        }
    }
    circle
}

/// The smallest enclosing circle that passes through two other points.
fn through_two(points: impl Iterator<Item = DVec2>, p: DVec2, q: DVec2) -> (DVec2, f64) {
    let mut circle = (p.midpoint(q), p.distance(q) / 2.0);
    for r in points {
        if is_outside(r, circle) {
            circle = through_three(p, q, r).unwrap_or(circle);
        }
    }
    circle
}

/// The circle through three points; `None` where they are on one line.
fn through_three(p: DVec2, q: DVec2, r: DVec2) -> Option<(DVec2, f64)> {
    let (a, b) = (q - p, r - p);
    let doubled_area = 2.0 * a.perp_dot(b);
    let (aa, bb) = (a.length_squared(), b.length_squared());
    let middle = DVec2::new(b.y * aa - a.y * bb, a.x * bb - b.x * aa) / doubled_area;
    middle.is_finite().then(|| (p + middle, middle.length()))
}

fn is_outside(point: DVec2, (center, radius): (DVec2, f64)) -> bool {
    point.distance(center) > radius * RIM
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn around(points: &[(f64, f64)]) -> (DVec2, f64) {
        smallest_circle(points.iter().copied().map(DVec2::from)).unwrap()
    }

    #[test]
    fn enclosing_circles_of_few_points_are_known() {
        assert_eq!(smallest_circle(std::iter::empty()), None);
        assert_eq!(around(&[(1.0, 2.0)]), (DVec2::new(1.0, 2.0), 0.0));
        assert_eq!(around(&[(1.0, 2.0); 3]), (DVec2::new(1.0, 2.0), 0.0));
        assert_eq!(around(&[(0.0, 0.0), (1.0, 0.0), (4.0, 0.0)]), (DVec2::new(2.0, 0.0), 2.0), "a line");
        assert_eq!(around(&[(0.0, 0.0), (2.0, 0.0), (1.0, 0.5)]), (DVec2::X, 1.0), "an obtuse triangle");
        let (center, radius) = around(&[(0.0, 0.0), (2.0, 0.0), (1.0, 2.0)]);
        assert!(center.distance(DVec2::new(1.0, 0.75)) < 1e-12 && (radius - 1.25).abs() < 1e-12);
    }

    proptest! {
        /// The circle encloses all points, and is that of two or three of them: no smaller circle encloses these.
        #[test]
        fn the_enclosing_circle_holds_all_points_and_is_the_smallest(points in prop::collection::vec((-5.0..5.0_f64, -5.0..5.0_f64), 1..9)) {
            let (center, radius) = around(&points);
            let points: Vec<DVec2> = points.into_iter().map(DVec2::from).collect();
            prop_assert!(points.iter().all(|point| point.distance(center) <= radius + 1e-9));
            let mut least = 0.0_f64;
            for p in &points {
                for q in &points {
                    least = least.max(p.distance(*q) / 2.0);
                    for r in &points {
                        let sides = [p.distance_squared(*q), q.distance_squared(*r), r.distance_squared(*p)];
                        let longest = sides.into_iter().fold(0.0, f64::max);
                        if 2.0 * longest < sides.iter().sum::<f64>() - 1e-9 {
                            least = least.max(through_three(*p, *q, *r).map_or(0.0, |(_, radius)| radius));
                        }
                    }
                }
            }
            prop_assert!((radius - least).abs() < 1e-6 * (1.0 + least), "{radius}, not {least}");
        }
    }
}
