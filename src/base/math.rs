//! Transcendental functions with the same results on every machine.
//!
//! Sums, products, quotients, square roots and rounding are exact by IEEE 754 and come from `std`. Everything else goes
//! through [`libm`], whose results depend on neither the operating system nor the compiler.
//!
//! ```
//! use std::f64::consts::PI;
//!
//! use swarmarium_base::math::{acos, angle_of, atan2, cos, direction, exp, hypot, ln, sin_cos, tan, wrap_angle};
//!
//! let (sin, cos_of_angle) = sin_cos(0.3);
//! assert_eq!(cos_of_angle, cos(0.3));
//! assert!((atan2(sin, cos_of_angle) - 0.3).abs() < 1e-15 && (tan(0.3) - sin / cos_of_angle).abs() < 1e-15);
//! assert_eq!(angle_of(direction(0.0)), 0.0);
//! assert!((wrap_angle(1.5 * PI) + PI / 2.0).abs() < 1e-15);
//! assert_eq!((hypot(3.0, 4.0), acos(1.0), ln(exp(0.0))), (5.0, 0.0, 0.0));
//! ```

use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, PI, TAU};

use bevy::math::DVec2;

mod circle;
mod circular;
pub mod earth;
mod frame;
mod marcum;

pub use circle::smallest_circle;
pub use circular::{sin, sin_cos, sin_cos_pair};
pub use frame::Frame;
pub use marcum::marcum_q1;

/// The decimal number that a product of a whole number and a decimal number stands for: `0.3` for the result of `3.0 * 0.1`,
/// which is 0.30000000000000004. It has at most 12 decimal places; without such a number within the error of the product,
/// `product` itself.
#[must_use]
pub fn decimal_product(product: f64) -> f64 {
    // Both factor and product are rounded once.
    let max_error = f64::EPSILON * product.abs();
    let with_places = |places: i32| {
        let factor = 10.0_f64.powi(places);
        let decimal = (product * factor).round() / factor;
        // Whole numbers are exact up to 2^53.
        ((product * factor).abs() < 9e15 && (decimal - product).abs() <= max_error).then_some(decimal)
    };
    (0..=12).find_map(with_places).unwrap_or(product)
}

/// Cosine of `angle` (rad).
#[inline]
#[must_use]
pub fn cos(angle: f64) -> f64 {
    libm::cos(angle)
}

/// Tangent of `angle` (rad).
#[inline]
#[must_use]
pub fn tan(angle: f64) -> f64 {
    libm::tan(angle)
}

/// Arc cosine of `x`, in [0, π]; `x` is first clamped to [−1, 1].
#[inline]
#[must_use]
pub fn acos(x: f64) -> f64 {
    libm::acos(x.clamp(-1.0, 1.0))
}

/// Angle (rad) of the vector (`x`, `y`), in [−π, π]; 0 for the zero vector.
#[inline]
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Length of the vector (`x`, `y`), safe from overflow.
#[inline]
#[must_use]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// Natural logarithm of `x`.
#[inline]
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// e to the power `x`.
#[inline]
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// `x` to the power `y`.
#[inline]
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// The gamma function of `x`.
#[inline]
#[must_use]
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// Natural logarithm of the gamma function of `x > 0`.
#[inline]
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Probability that a standard normal variable is below `x`.
#[inline]
#[must_use]
pub fn normal_below(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The value below which a standard normal variable is with this probability, the inverse of [`normal_below`], to 1e-12.
///
/// It takes some microseconds. Probabilities nearer to 0 or 1 than 1e-17 count as this one.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    if probability > 0.5 {
        return -normal_quantile(1.0 - probability);
    }
    let (mut low, mut high) = (-9.0, 0.0);
    // Halves the interval until it is as narrow as the rounding of its ends.
    for _ in 0..56 {
        let center = f64::midpoint(low, high);
        if normal_below(center) < probability.max(1e-17) { low = center } else { high = center }
    }
    f64::midpoint(low, high)
}

/// Unit vector that points along `angle` (rad).
#[inline]
#[must_use]
pub fn direction(angle: f64) -> DVec2 {
    let (sin, cos) = sin_cos(angle);
    DVec2::new(cos, sin)
}

/// Angle (rad) of `vector`, in [−π, π]; 0 for the zero vector.
#[inline]
#[must_use]
pub fn angle_of(vector: DVec2) -> f64 {
    atan2(vector.y, vector.x)
}

/// Angle (rad) of `vector`, in (−π, π], with a relative error below 10⁻¹⁵; 0 for the zero vector.
///
/// It takes less than half the time of [`angle_of`], because it has no branches that depend on the direction. After a
/// reflection and perhaps a rotation by 30°, the angle is at most 15°, and the Taylor series of the arctangent applies.
#[inline]
#[must_use]
pub fn quick_angle_of(vector: DVec2) -> f64 {
    const TAN_15: f64 = 0.267_949_192_431_122_7;
    const TAN_30: f64 = 0.577_350_269_189_625_8;
    const PLUS: [f64; 6] = [1.0 / 25.0, 1.0 / 21.0, 1.0 / 17.0, 1.0 / 13.0, 1.0 / 9.0, 1.0 / 5.0];
    const MINUS: [f64; 7] = [1.0 / 27.0, 1.0 / 23.0, 1.0 / 19.0, 1.0 / 15.0, 1.0 / 11.0, 1.0 / 7.0, 1.0 / 3.0];
    let (x, y) = (vector.x.abs(), vector.y.abs());
    let (low, high) = (x.min(y), x.max(y));
    if high == 0.0 {
        return 0.0;
    }
    let (tangent, base) = if low > TAN_15 * high { (TAN_30, FRAC_PI_6) } else { (0.0, 0.0) };
    let rest = (low - tangent * high) / (high + tangent * low);
    // Two series in the fourth power, which the processor evaluates side by side.
    let square = rest * rest;
    let fourth = square * square;
    let plus = PLUS.iter().fold(0.0, |sum, term| sum * fourth + term);
    let minus = MINUS.iter().fold(0.0, |sum, term| sum * fourth + term);
    let angle = base + (rest + rest * square * (square * plus - minus));
    let angle = if y > x { FRAC_PI_2 - angle } else { angle };
    let angle = if vector.x < 0.0 { PI - angle } else { angle };
    if vector.y < 0.0 { -angle } else { angle }
}

/// `angle` (rad) wrapped into (−π, π]; an angle within this range is returned unchanged, bit for bit.
#[inline]
#[must_use]
pub fn wrap_angle(angle: f64) -> f64 {
    if angle > -PI && angle <= PI {
        return angle;
    }
    let wrapped = angle - TAU * ((angle - PI) / TAU).ceil();
    // The product above is rounded: a result just beyond an end is set to that end.
    if wrapped <= -PI { PI } else { wrapped.min(PI) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_decimals_are_decimals() {
        for (count, factor) in [(3_u32, 0.1), (7, 0.1), (29, 0.1), (6, 0.05), (95, 0.02), (1_000_003, 0.001), (3, 1e-6)]
        {
            let text = decimal_product(f64::from(count) * factor).to_string();
            assert!(text.len() <= 9, "{count} times {factor} is {text}");
        }
        assert_eq!(decimal_product(95.0 * 0.02).to_string(), "1.9");
        assert_eq!(decimal_product(272_821.0 * 0.025).to_string(), "6820.525");
        for product in [1.0 / 60.0, 7.0 / 60.0, 1e300, 1e-300, f64::INFINITY, -0.25, 0.0] {
            assert_eq!(decimal_product(product), product);
        }
        assert!(decimal_product(f64::NAN).is_nan());
    }

    #[test]
    fn quick_angles_are_angles_but_for_rounding() {
        for step in -5000..=5000 {
            let exact = f64::from(step) * PI / 5000.0;
            let vector = 1e3 * direction(exact);
            let (found, expected) = (quick_angle_of(vector), angle_of(vector));
            assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{exact}: {found}, not {expected}");
        }
        let axes = [(0.0, 0.0), (2.0, 0.0), (0.0, 3.0), (-1.0, 0.0), (-1.0, -0.0), (0.0, -1e-300)];
        let expected = [0.0, 0.0, FRAC_PI_2, PI, PI, -FRAC_PI_2];
        assert_eq!(axes.map(|(x, y)| quick_angle_of(DVec2::new(x, y))), expected);
    }

    #[test]
    fn normal_quantiles_are_those_of_tables_and_invert_the_probability() {
        let table = [
            (0.975, 1.959_963_984_540_054),
            (0.5, 0.0),
            (0.1, -1.281_551_565_544_600_4),
            (1e-9, -5.997_807_015_007_687),
        ];
        for (probability, quantile) in table {
            assert!((normal_quantile(probability) - quantile).abs() < 1e-12, "{probability}");
        }
        for k in -40..=40 {
            let x = f64::from(k) / 8.0;
            assert!((normal_quantile(normal_below(x)) - x).abs() < 1e-9, "{x}");
        }
        assert!(normal_quantile(0.0).is_finite() && normal_quantile(1.0).is_finite());
    }

    #[test]
    fn wrapped_angles_lie_in_the_half_open_turn() {
        assert_eq!(wrap_angle(PI), PI);
        assert_eq!(wrap_angle(-PI), PI);
        assert_eq!(wrap_angle(0.3), 0.3);
        for k in -50..50 {
            for offset in [-3.0, -1.0, 0.0, 1.0, 3.0, PI] {
                let wrapped = wrap_angle(offset + TAU * f64::from(k));
                assert!(wrapped > -PI && wrapped <= PI);
                assert!((sin(wrapped) - sin(offset)).abs() < 1e-12 && (cos(wrapped) - cos(offset)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn directions_and_angles_are_inverse() {
        for angle in [-3.0, -0.5, 0.0, 1.0, 2.0] {
            assert!((angle_of(direction(angle)) - angle).abs() < 1e-15);
        }
        assert_eq!(angle_of(DVec2::ZERO), 0.0);
    }
}
