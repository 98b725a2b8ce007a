//! Translucent colours that look in files as they look in the window.

use swarmarium_base::math;

/// The colour and the opacity of a faint paint, in parts from 0 to 1.
///
/// The window blends light, as GPUs do, but painters of files blend values of sRGB, where the same opacity covers more of a
/// light floor and less of a dark one. This colour and opacity give the colour of the window on the floor of the arena. The
/// opacity is a multiple of `step`, for files with few decimals; 0 keeps all of them.
pub fn translucent(rgb: [u8; 3], floor: [u8; 3], opacity: f64, step: f64) -> ([f64; 3], f64) {
    let unit = |bytes: [u8; 3]| bytes.map(|byte| f64::from(byte) / 255.0);
    let (own, floor) = (unit(rgb), unit(floor));
    let opacity = opacity.max(0.0);
    let seen: [f64; 3] =
        std::array::from_fn(|at| gamma(linear(own[at]) * opacity + linear(floor[at]) * (1.0 - opacity)));
    // The opacity that a channel needs with its own colour. The largest one counts, so that no channel leaves its range.
    let share = |at: usize| match own[at] - floor[at] {
        distance if distance.abs() > 1e-3 => (seen[at] - floor[at]) / distance,
        _ => opacity,
    };
    let covered = [0, 1, 2].map(share).into_iter().fold(0.0, f64::max).clamp(0.0, 1.0);
    let covered = if step > 0.0 { (covered / step).round() * step } else { covered };
    let channel = |at: usize| match covered {
        covered if covered > 0.0 => (floor[at] + (seen[at] - floor[at]) / covered).clamp(0.0, 1.0),
        _ => own[at],
    };
    ([channel(0), channel(1), channel(2)], covered)
}

/// From sRGB to light (IEC 61966-2-1).
pub fn linear(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { math::pow((value + 0.055) / 1.055, 2.4) }
}

/// From light to sRGB.
pub fn gamma(light: f64) -> f64 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * math::pow(light, 1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, Theme};

    #[test]
    fn faint_paints_look_on_the_floor_as_in_the_window() {
        let floor = Theme::Light.rgb(Role::Arena);
        for step in [0.0, 0.01] {
            for (own, opacity) in [([0, 0x72, 0xB2], 0.25), ([0xD5, 0x5E, 0], 0.5), (floor, 0.1), ([0; 3], 0.9)] {
                let (color, covered) = translucent(own, floor, opacity, step);
                for at in 0..3 {
                    let [own, floor] = [own[at], floor[at]].map(|byte| f64::from(byte) / 255.0);
                    let expected = gamma(linear(own) * opacity + linear(floor) * (1.0 - opacity));
                    let found = color[at] * covered + floor * (1.0 - covered);
                    assert!((found - expected).abs() < 2.0 / 255.0, "{found}, not {expected}");
                }
            }
            assert_eq!(translucent([9; 3], [9; 3], 0.0, step).1, 0.0);
        }
    }
}
