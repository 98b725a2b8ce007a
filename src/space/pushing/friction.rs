//! Friction of an object on the floor: the ellipsoidal limit surface.

use bevy::math::DVec2;
use swarmarium_base::math;

use crate::polygon;
use crate::thing::Form;

/// Standard gravity in m/s².
pub const GRAVITY_M_PER_S2: f64 = 9.806_65;

/// Corners of the polygon that stands for a disc whose centre is not that of the object.
const CORNERS_OF_DISC: u32 = 256;

/// The largest friction of an object on the floor.
///
/// Its friction is in equilibrium with a force `p` (N) and a moment `q` (N m) about its centroid while
/// `(|p| / force)² + (q / moment)² ≤ 1`; on this surface it slides, with a twist along the normal of the surface (Goyal,
/// Ruina, Papadopoulos: "Planar sliding with dry friction", Wear 1991; Lynch, Mason: "Stable pushing", IJRR 1996).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Friction {
    /// The force (N) at which it slides without turning: friction coefficient times weight.
    pub force_n: f64,
    /// The moment (N m) at which it turns about its centroid: the force times the mean distance of its area from the
    /// centroid, which is exact for a uniform pressure.
    pub moment_n_m: f64,
}

impl Friction {
    /// The friction of areas with a mass (kg) and a friction coefficient.
    #[must_use]
    pub fn of(forms: &[Form], mass_kg: f64, coefficient: f64) -> Self {
        let force_n = coefficient * mass_kg * GRAVITY_M_PER_S2;
        Self { force_n, moment_n_m: force_n * mean_distance(forms, centroid(forms)) }
    }

    /// Work (J) against friction during a small motion: a displacement (m) of the centroid and an angle (rad).
    #[inline]
    #[must_use]
    pub fn work(&self, displacement: DVec2, turn: f64) -> f64 {
        let (slide, turn) = (self.force_n * displacement.length(), self.moment_n_m * turn);
        (slide * slide + turn * turn).sqrt()
    }
}

/// Total area (m²) of some forms.
#[must_use]
pub fn area(forms: &[Form]) -> f64 {
    forms.iter().map(area_of).sum()
}

fn area_of(form: &Form) -> f64 {
    match form {
        Form::Disc { radius, .. } => std::f64::consts::PI * radius * radius,
        Form::Polygon(corners) => polygon::signed_area(corners).abs(),
    }
}

/// Centroid (m) of the area of some forms.
#[must_use]
pub fn centroid(forms: &[Form]) -> DVec2 {
    let of = |form: &Form| match form {
        Form::Disc { center, .. } => *center,
        Form::Polygon(corners) => polygon::centroid(corners),
    };
    match forms {
        [form] => of(form),
        forms => forms.iter().map(|form| area_of(form) * of(form)).sum::<DVec2>() / area(forms),
    }
}

/// Mean distance (m) of the area of some forms from a point.
fn mean_distance(forms: &[Form], from: DVec2) -> f64 {
    let moment = |form: &Form| match form {
        Form::Disc { center, radius } if *center == from => 2.0 / 3.0 * radius * area_of(form),
        Form::Disc { center, radius } => {
            let corner = |k| {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(CORNERS_OF_DISC);
                *center + *radius * math::direction(angle)
            };
            let corners: Vec<DVec2> = (0..CORNERS_OF_DISC).map(corner).collect();
            // The polygon is slightly smaller than the disc.
            moment_of(&corners, from) * area_of(form) / polygon::signed_area(&corners)
        }
        Form::Polygon(corners) => moment_of(corners, from),
    };
    forms.iter().map(moment).sum::<f64>() / area(forms)
}

/// Integral of the distance (m³) from a point over a polygon: the sum over triangles between the point and each edge.
fn moment_of(corners: &[DVec2], from: DVec2) -> f64 {
    let of_triangle = |(a, b): (DVec2, DVec2)| {
        let (a, b) = (a - from, b - from);
        let along = (b - a).normalize_or_zero();
        let height = a.perp_dot(along);
        if height == 0.0 {
            return 0.0;
        }
        let part = |corner: DVec2| {
            let (along, height) = (corner.dot(along), height.abs());
            height * along * corner.length() + height.powi(3) * arsinh(along / height)
        };
        height.signum() * (part(b) - part(a)) / 6.0
    };
    polygon::edges(corners).map(of_triangle).sum::<f64>().abs()
}

fn arsinh(x: f64) -> f64 {
    math::ln(x.abs() + (x * x + 1.0).sqrt()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: f64) -> Form {
        let half = side / 2.0;
        Form::Polygon([(-half, -half), (half, -half), (half, half), (-half, half)].map(DVec2::from).to_vec())
    }

    #[test]
    fn mean_distances_are_those_of_closed_forms() {
        let disc = Form::Disc { center: DVec2::ONE, radius: 0.3 };
        assert!((mean_distance(&[disc], DVec2::ONE) - 0.2).abs() < 1e-15);
        // Square of side 1: (√2 + ln(1 + √2)) / 6.
        let expected = (2.0_f64.sqrt() + math::ln(1.0 + 2.0_f64.sqrt())) / 6.0;
        assert!((mean_distance(&[square(1.0)], DVec2::ZERO) - expected).abs() < 1e-12);
        assert!((mean_distance(&[square(2.0)], DVec2::ZERO) - 2.0 * expected).abs() < 1e-12);
    }

    #[test]
    fn a_concave_polygon_is_the_sum_of_its_parts() {
        // An L of two rectangles, against a fine grid of points.
        let l = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)].map(DVec2::from).to_vec();
        let from = polygon::centroid(&l);
        let (mut sum, mut count) = (0.0, 0.0);
        for k in 0..300 * 300 {
            let point = DVec2::new(f64::from(k % 300) + 0.5, f64::from(k / 300) + 0.5) / 100.0;
            if polygon::contains(&l, point) {
                sum += point.distance(from);
                count += 1.0;
            }
        }
        assert!((mean_distance(&[Form::Polygon(l)], from) - sum / count).abs() < 1e-4);
    }

    #[test]
    fn several_forms_have_a_common_centroid() {
        let (left, right) =
            (Form::Disc { center: DVec2::ZERO, radius: 1.0 }, square(1.0).placed(DVec2::X * 3.0, DVec2::X));
        let pi = std::f64::consts::PI;
        assert!((centroid(&[left.clone(), right]).x - 3.0 / (pi + 1.0)).abs() < 1e-12);
        // Far away, the mean distance is that of the centre.
        assert!((mean_distance(&[left], DVec2::X * 1e3) - 1e3).abs() < 1e-3);
    }
}
