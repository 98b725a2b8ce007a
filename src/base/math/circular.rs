//! Sine and cosine of ordinary angles, without branches.
//!
//! The method and its constants are those of `fdlibm` (Sun Microsystems, 1993): subtract a whole number of quarter
//! turns in two parts, then evaluate a polynomial for each function. Results equal those of [`libm`] to the bit. `libm`
//! branches on the quarter, which a processor cannot predict for robots with arbitrary headings; that takes half as
//! long again.

// The notice of fdlibm:
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
// Developed at SunPro, a Sun Microsystems, Inc. business.
// Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
// preserved.

/// Angles (rad) from here up to [`LARGE`] are ordinary; all others are passed to [`libm`].
const SMALL: f64 = from_high(0x3e46_a09e);
const LARGE: f64 = from_high(0x4139_21fb);
/// Angles (rad) below this one, about π/4, are not reduced.
const EIGHTH: f64 = from_high(0x3fe9_21fc);
/// Remainders (rad) from here on, almost π/4, are ambiguous: up to 9π/4, `libm` switches from one quarter turn to the
/// next up to 4e-6 beside the odd multiples of π/4.
#[expect(clippy::approx_constant, reason = "a bound a little below the constant")]
const AMBIGUOUS: f64 = 0.785_39;

/// Adding and subtracting this constant rounds to an integer; after the addition, the lowest bits hold that integer.
const WHOLE: f64 = 1.5 / f64::EPSILON;
/// The first 33 bits of π/2, and the rest.
const QUARTER: f64 = 1.570_796_326_734_125_6;
const QUARTER_REST: f64 = 6.077_100_506_506_192e-11;

const SIN: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const COS: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

const fn from_high(word: u64) -> f64 {
    f64::from_bits(word << 32)
}

/// Sine and cosine of `angle` (rad).
#[inline]
#[must_use]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    match ordinary(angle) {
        (sin, cos, true) => (sin, cos),
        _ => libm::sincos(angle),
    }
}

/// The sines and the cosines of two angles (rad), in little more than the time of one.
#[must_use]
pub fn sin_cos_pair([a, b]: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    let ((sin_a, cos_a, a_is_ordinary), (sin_b, cos_b, b_is_ordinary)) = (ordinary(a), ordinary(b));
    if a_is_ordinary & b_is_ordinary {
        return ([sin_a, sin_b], [cos_a, cos_b]);
    }
    let ((sin_a, cos_a), (sin_b, cos_b)) = (sin_cos(a), sin_cos(b));
    ([sin_a, sin_b], [cos_a, cos_b])
}

/// Sine of `angle` (rad).
#[inline]
#[must_use]
pub fn sin(angle: f64) -> f64 {
    if (SMALL..EIGHTH).contains(&angle.abs()) { sin_of_rest(angle, angle * angle) } else { libm::sin(angle) }
}

/// Sine of an angle `x` (rad) up to about π/4, with its square `z`.
#[inline(always)]
fn sin_of_rest(x: f64, z: f64) -> f64 {
    x + z * x * (SIN[0] + z * sin_series(z))
}

/// The higher terms of the polynomial of the sine, of the square `z` of an angle.
#[inline(always)]
fn sin_series(z: f64) -> f64 {
    SIN[1] + z * (SIN[2] + z * SIN[3]) + z * (z * z) * (SIN[4] + z * SIN[5])
}

/// Sine, cosine and whether they are exact; they are not for angles that are tiny, huge, next to a quarter turn or next
/// to an odd multiple of an eighth of a turn.
#[inline(always)]
fn ordinary(angle: f64) -> (f64, f64, bool) {
    let size = angle.abs();
    let quarters = (size * core::f64::consts::FRAC_2_PI + WHOLE) - WHOLE;
    let first = size - quarters * QUARTER;
    let rest = quarters * QUARTER_REST;
    let x = first - rest;
    let tail = (first - x) - rest;
    // If more than 15 bits have cancelled, the remaining part of π/2 is too short.
    let is_ordinary = (SMALL..LARGE).contains(&size) & (size * (1.0 / 32768.0)..AMBIGUOUS).contains(&x.abs());

    let z = x * x;
    let w = z * z;
    let r = sin_series(z);
    let v = z * x;
    let turned = x - ((z * (0.5 * tail - v * r) - tail) - v * SIN[0]);
    let sin = if quarters == 0.0 { sin_of_rest(x, z) } else { turned };

    let r = z * (COS[0] + z * (COS[1] + z * COS[2])) + w * w * (COS[3] + z * (COS[4] + z * COS[5]));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (z * r - x * tail));

    // Odd quarters swap sine and cosine; each half turn changes a sign.
    let quarters = (quarters + WHOLE).to_bits();
    let (along, aside) = if quarters & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let sign = ((quarters & 2) << 62) ^ (angle.to_bits() & (1 << 63));
    let sin = f64::from_bits(along.to_bits() ^ sign);
    let cos = f64::from_bits(aside.to_bits() ^ (((quarters + 1) & 2) << 62));
    (sin, cos, is_ordinary)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

    use proptest::prelude::*;

    use super::*;

    fn agrees(angle: f64) {
        let (sin, cos) = sin_cos(angle);
        let (expected_sin, expected_cos) = libm::sincos(angle);
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        assert!(same(sin, expected_sin) && same(cos, expected_cos), "{angle:e}: {sin} {cos}");
        let alone = super::sin(angle);
        assert!(same(alone, expected_sin), "{angle:e}: {alone}");
        for (place, pair) in [[angle, 1.0], [-20.0, angle]].into_iter().enumerate() {
            let (sines, cosines) = sin_cos_pair(pair);
            assert!(same(sines[place], expected_sin) && same(cosines[place], expected_cos), "{pair:?}");
            let other = libm::sincos(pair[1 - place]);
            assert_eq!((sines[1 - place], cosines[1 - place]), other, "{pair:?}");
        }
    }

    proptest! {
        #[test]
        fn sin_and_cos_equal_libm_for_any_number(bits: u64) {
            agrees(f64::from_bits(bits));
        }

        #[test]
        fn sin_and_cos_equal_libm_for_angles_of_robots(turn in -1.1..1.1, turns in prop::sample::select(vec![1.0, 10.0, 1e5, 1e8])) {
            agrees(TAU * turn * turns);
        }

        #[test]
        fn sin_and_cos_equal_libm_next_to_multiples_of_an_eighth_turn(eighths in -70_i32..70, off in -60_i64..60, scale in 0_u32..52) {
            let angle = f64::from(eighths) * FRAC_PI_4;
            agrees(f64::from_bits(angle.to_bits().wrapping_add_signed(off << scale)));
        }
    }

    #[test]
    fn sin_and_cos_equal_libm_at_the_limits_of_their_cases() {
        // From each of these angles on, `libm` subtracts one more quarter turn.
        let quarters = [0x3fe9_21fc, 0x4002_d97d, 0x400f_6a7b, 0x4015_fdbd, 0x401c_463c].map(from_high);
        let eighths = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0].map(|odd| odd * FRAC_PI_4);
        let ambiguous = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|quarters| quarters * FRAC_PI_2);
        let ambiguous = ambiguous.into_iter().flat_map(|angle| [angle + AMBIGUOUS, angle - AMBIGUOUS]);
        let others = [SMALL, LARGE, EIGHTH, 0.0, -0.0, f64::MIN_POSITIVE, from_high(0x3e50_0000)];
        for limit in quarters.into_iter().chain(eighths).chain(ambiguous).chain(others) {
            for off in -3..=3 {
                for angle in [limit, -limit] {
                    agrees(f64::from_bits(angle.to_bits().wrapping_add_signed(off)));
                }
            }
        }
    }
}
