//! The normal distribution of mean 0 and standard deviation 1.

use std::f64::consts::FRAC_1_SQRT_2;

use libm::{erfc, log};

const CENTRAL_NUMERATOR: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const CENTRAL_DENOMINATOR: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const MIDDLE_NUMERATOR: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    0.000_774_545_014_278_341_4,
];
const MIDDLE_DENOMINATOR: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    0.000_547_593_808_499_534_5,
    1.050_750_071_644_416_9e-9,
];
const FAR_NUMERATOR: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_DENOMINATOR: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    0.000_786_869_131_145_613_3,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_7e-15,
];

/// Probability that a normal variable of mean 0 and standard deviation 1 is at most `x`.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// Quantile of the normal distribution of mean 0 and standard deviation 1, by algorithm AS 241 (M. J. Wichura, "The
/// percentage points of the normal distribution", 1988).
///
/// Probabilities of 0 and 1 give −∞ and ∞; others outside [0, 1] give NaN.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let centred = p - 0.5;
    if centred.abs() <= 0.425 {
        let r = 0.180_625 - centred * centred;
        return centred * polynomial(&CENTRAL_NUMERATOR, r) / polynomial(&CENTRAL_DENOMINATOR, r);
    }
    let tail = p.min(1.0 - p);
    if tail == 0.0 {
        return centred * f64::INFINITY;
    }
    let r = (-log(tail)).sqrt();
    let size = if r <= 5.0 {
        polynomial(&MIDDLE_NUMERATOR, r - 1.6) / polynomial(&MIDDLE_DENOMINATOR, r - 1.6)
    } else {
        polynomial(&FAR_NUMERATOR, r - 5.0) / polynomial(&FAR_DENOMINATOR, r - 5.0)
    };
    size.copysign(centred)
}

/// Polynomial of `x` whose coefficients begin with the constant one.
pub(super) fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-12 * expected.abs(), "{value:e} is not {expected:e}");
    }

    /// Values by mpmath, 30 digits.
    #[test]
    fn normal_probabilities_are_those_of_mpmath() {
        for (x, expected) in [
            (-30.0, 4.906_713_927_148_187e-198),
            (-8.5, 9.479_534_822_203_318e-18),
            (-3.0, 0.001_349_898_031_630_094_5),
            (-1.0, 0.158_655_253_931_457_05),
            (-0.1, 0.460_172_162_722_971),
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013_1),
            (1.96, 0.975_002_104_851_779_6),
            (4.0, 0.999_968_328_758_166_9),
        ] {
            assert_near(normal_cdf(x), expected);
        }
    }

    /// Values by mpmath, 30 digits.
    #[test]
    fn normal_quantiles_are_those_of_mpmath() {
        for (p, expected) in [
            (1e-300, -37.047_096_299_361_2),
            (1e-20, -9.262_340_089_798_408),
            (1e-6, -4.753_424_308_822_899),
            (0.001, -3.090_232_306_167_813_5),
            (0.025, -1.959_963_984_540_054_2),
            (0.3, -0.524_400_512_708_040_8),
            (0.425, -0.189_118_426_272_792_52),
            (0.5, 0.0),
            (0.6, 0.253_347_103_135_799_7),
            (0.975, 1.959_963_984_540_053_9),
            (0.999, 3.090_232_306_167_813),
        ] {
            assert_near(normal_quantile(p), expected);
        }
    }

    #[test]
    fn quantiles_at_zero_and_one_are_infinite() {
        assert_eq!([normal_quantile(0.0), normal_quantile(1.0)], [f64::NEG_INFINITY, f64::INFINITY]);
        for wrong in [-0.1, 1.1, f64::NAN] {
            assert!(normal_quantile(wrong).is_nan());
        }
    }

    proptest! {
        #[test]
        fn normal_quantiles_invert_probabilities(x in -8.0..8.0_f64) {
            // Near 1 a probability has few digits left.
            let tolerance = if x < 5.0 { 1e-9 } else { 0.1 };
            prop_assert!((normal_quantile(normal_cdf(x)) - x).abs() < tolerance);
        }
    }
}
