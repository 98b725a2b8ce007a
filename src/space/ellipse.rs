//! Ellipses that represent the distribution of points.

use bevy::math::DVec2;
use swarmarium_base::math::{atan2, direction};

/// Semi-axis in standard deviations: with two, a uniformly filled ellipse has the moments of the points.
const DEVIATIONS: f64 = 2.0;
/// Rounding error of variances, relative to their mean.
const ROUNDING: f64 = 1e-9;

/// An ellipse, possibly degenerate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// Its centre (m).
    pub center: DVec2,
    /// Its semi-axes (m), the longer one first.
    pub semi_axes: DVec2,
    /// Direction of the longer axis (rad), anticlockwise from x.
    pub angle: f64,
}

impl Ellipse {
    /// The uniformly filled ellipse with this centre (m) and these variances (m²): of x, of x with y, and of y.
    ///
    /// `None` for impossible variances.
    #[must_use]
    pub fn of_moments(center: DVec2, [xx, xy, yy]: [f64; 3]) -> Option<Self> {
        let (half, difference) = ((xx + yy) / 2.0, (xx - yy) / 2.0);
        let spread = (difference * difference + xy * xy).sqrt();
        let least = half - spread;
        let is_one = least >= -half * ROUNDING && half.is_finite() && center.is_finite();
        is_one.then(|| {
            let semi_axes = DEVIATIONS * DVec2::new((half + spread).sqrt(), least.max(0.0).sqrt());
            Self { center, semi_axes, angle: atan2(2.0 * xy, xx - yy) / 2.0 }
        })
    }

    /// The uniformly filled ellipse with the moments of some points (m); `None` without points.
    #[must_use]
    pub fn of_points(points: &[DVec2]) -> Option<Self> {
        let count = points.len() as f64;
        let center = points.iter().sum::<DVec2>() / count;
        let mean = |of: fn(DVec2) -> f64| points.iter().map(|point| of(point - center)).sum::<f64>() / count;
        Self::of_moments(center, [mean(|off| off.x * off.x), mean(|off| off.x * off.y), mean(|off| off.y * off.y)])
    }

    /// Whether it is degenerate: a segment or a point.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        let [long, short] = (self.semi_axes * self.semi_axes).to_array();
        // Rounding gives a segment a tiny width.
        short <= (long + short) / 2.0 * ROUNDING
    }

    /// Points on its circumference, anticlockwise.
    pub fn rim(&self, points: u32) -> impl Iterator<Item = DVec2> + use<> {
        let Self { center, semi_axes, angle } = *self;
        let facing = direction(angle);
        let bearing = move |point: u32| f64::from(point) / f64::from(points) * std::f64::consts::TAU;
        (0..points).map(move |point| center + facing.rotate(semi_axes * direction(bearing(point))))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn impossible_moments_have_no_ellipse() {
        let of = |variances| Ellipse::of_moments(DVec2::ZERO, variances);
        assert_eq!(of([1.0, 2.0, 1.0]), None);
        assert_eq!(of([-1.0, 0.0, 1.0]), None);
        assert_eq!(of([-1.0, 0.0, -1.0]), None);
        assert_eq!(of([f64::NAN, 0.0, 1.0]), None);
        assert_eq!(of([f64::INFINITY, 0.0, 1.0]), None);
        assert_eq!(Ellipse::of_points(&[]), None);
        assert!(of([0.1, 0.1, 0.1]).unwrap().is_flat() && of([0.0; 3]).unwrap().is_flat());
        assert!(Ellipse::of_points(&[DVec2::ONE]).unwrap().is_flat());
        assert!(!of([1.0, 0.0, 1.0]).unwrap().is_flat());
    }

    proptest! {
        #[test]
        fn an_evenly_filled_ellipse_has_its_moments(
            (x, y, long, share, angle) in (-9.0..9.0_f64, -9.0..9.0_f64, 0.1..5.0_f64, 0.1..0.95_f64, -1.5..1.5_f64),
        ) {
            let ellipse = Ellipse { center: DVec2::new(x, y), semi_axes: DVec2::new(long, long * share), angle };
            // Rings of equal area, with points all around.
            let rings = 200;
            let filled: Vec<DVec2> = (0..rings)
                .flat_map(|ring| {
                    let size = ((f64::from(ring) + 0.5) / f64::from(rings)).sqrt();
                    Ellipse { semi_axes: ellipse.semi_axes * size, ..ellipse }.rim(12)
                })
                .collect();
            let found = Ellipse::of_points(&filled).unwrap();
            prop_assert!((found.center - ellipse.center).length() < 1e-9);
            prop_assert!((found.semi_axes - ellipse.semi_axes).length() < 1e-9);
            prop_assert!((found.angle - ellipse.angle).abs() < 1e-6, "{} {}", found.angle, ellipse.angle);
        }
    }
}
